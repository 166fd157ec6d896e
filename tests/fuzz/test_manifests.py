#!/usr/bin/python3
"""Manifests that are hostile on purpose, and mutants of those of tests/kernels and of the templates: by
default 2,000, with MB_TEST_FULL 100,000. Their shaders are compiled once.

usage: test_manifests.py FUZZ_MANIFEST
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

N_MUTANTS, N_FULL_MUTANTS, SEED = 2000, 100000, 25
ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "src/cli/manifest/templates"
SHADERS = [*(ROOT / "tests/kernels").glob("*.comp"), *(ROOT / "tests/kernels").glob("*.hlsl"),
           *TEMPLATES.glob("*.comp"), *(ROOT / "strategies/spd").glob("*.comp"),
           ROOT / "strategies/subgroup/subgroup.comp", ROOT / "strategies/compute/compute.comp"]
DEFINES = ["-DFORMAT=rgba8", "-DLANES=32", "-DREDUCE=min"]


def compile_all(folder):
    for shader in SHADERS:
        how = (["-D", "-e", "MakeLevel"] if shader.suffix == ".hlsl" else
               DEFINES if shader.parent.name == "kernels" else [])
        subprocess.run(["glslangValidator", "-S", "comp", "-V", "--target-env", "vulkan1.2", *how,
                        f"-I{ROOT / 'shaders'}", "-o", str(folder / (shader.name + ".spv")), str(shader)],
                       check=True, stdout=subprocess.DEVNULL)


def hostile():
    head = b'{"mipbench_kernel": 1, "name": "x", "shaders": {"s": {"file": "compute.comp"}}, "dispatches": '
    yield from (b"{", b"[]", b"null", head + b"[]}", head + b'[{"shader": "s", "groups": []}]}')
    for key in (b'"levels_per_step": ', b'"parameters": ', b'"buffers": ', b'"tolerance": '):
        yield head + b'[{"shader": "s", "groups": [1]}], ' + key + b'"' + b"(" * 1000 + b'"}'
        yield head + b'[{"shader": "s", "groups": [1]}], ' + key + b'{"by": ' * 500 + b"1" + b"}" * 501
        yield head + b'[{"shader": "s", "groups": [1]}], ' + key + b"[" * 900 + b"]" * 900 + b"}"
    yield head + b"[" + b'{"shader": "s", "groups": [1]},' * 9000 + b'{"shader": "s", "groups": [1]}]}'
    yield head + b'[], "buffers": {' + b",".join(b'"b%d": {"bytes": 4}' % i for i in range(5000)) + b"}}"
    yield head + b'[], "parameters": {' + b",".join(b'"p%d": ["a"]' % i for i in range(5000)) + b"}}"


def main():
    if not shutil.which("glslangValidator"):
        print("skipped: glslangValidator is not installed")
        return 77
    fuzzer = str(pathlib.Path(sys.argv[1]).resolve())
    n_mutants = N_FULL_MUTANTS if os.environ.get("MB_TEST_FULL") else N_MUTANTS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_all(folder)
        seeds, fixed = [], []
        for path in sorted([*(ROOT / "tests/kernels").glob("*.json"), *TEMPLATES.glob("*.json")]):
            seeds.append(folder / ("seed-" + path.name))
            # The folder's own modules: compute.comp is compute.comp.spv, wherever it is from.
            text = path.read_text(encoding="utf-8").replace("@NAME@", path.stem)
            seeds[-1].write_text(text, encoding="utf-8")
        for i, data in enumerate(hostile()):
            fixed.append(folder / f"hostile-{i:03}")
            fixed[-1].write_bytes(data)
        env = {**os.environ, "MB_FUZZ_MODULES": name}
        statuses = [subprocess.run([fuzzer, str(n), str(SEED), *map(str, paths)], check=False,
                                   env=env).returncode
                    for n, paths in ((0, fixed), (n_mutants, seeds))]
    if any(statuses):
        print(f"fuzz_manifest: exit {statuses}: see fuzz-failure.bin")
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
