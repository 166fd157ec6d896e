#!/usr/bin/env python3
"""Every SPIR-V module that the build made is valid for Vulkan 1.2, and still is with the constants of
each format and reduction folded into it, as drivers and the validation layer do: SPIRV-Tools 2023.1
folds some modules wrongly.

usage: spirv_val.py BUILD_DIR

None at all is a failure: the test would have looked in the wrong place.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# constant_id to value, as in shaders/levels.glsl and src/strategy/levels.c.
SPECIALIZATIONS = [
    {11: 255, 12: 255},           # rgba8
    {13: "true", 11: 255, 12: 255},
    {11: 1023, 12: 3},            # rgb10a2
    {14: 13, 15: 13},             # rgba16f
    {14: 17, 15: 18},             # rg11b10f
    {16: 1}, {16: 2},             # minima, maxima
    {14: 17, 15: 18, 16: 1},
    {17: "true"},                 # weighted by alpha
    {4: "false"}, {5: "false"}, {6: "false"},  # even axes; shared by even tiles; many tiles
]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def constants_of(module):
    """Ids of its specialization constants."""
    return set(map(int, re.findall(r"OpDecorate \S+ SpecId (\d+)", run("spirv-dis", module).stdout)))


def folds_of(module):
    """The distinct specializations by constants that a module has."""
    has = constants_of(module)
    texts = [" ".join(f"{n}:{value}" for n, value in sorted(values.items()) if n in has)
             for values in SPECIALIZATIONS]
    return sorted(set(texts) - {""})


def problems_of(place, module):
    """(number of folds, what the validator says of a module as it is and folded): with MB_TEST_FULL by all, else by
    one of them, in turn, and of spd-tree's modules, which are of few sources, one in three."""
    found = [run("spirv-val", "--target-env", "vulkan1.2", module).stderr]
    folds = folds_of(module)
    if not os.environ.get("MB_TEST_FULL"):
        is_its_turn = place % 3 == 0 or not module.name.startswith("spd_tree")
        folds = folds[place % len(folds):][:1] if folds and is_its_turn else []
    with tempfile.TemporaryDirectory() as folder:
        folded = pathlib.Path(folder) / "folded.spv"
        for text in folds:
            made = run("spirv-opt", f"--set-spec-const-default-value={text}", "--freeze-spec-const",
                       "--fold-spec-const-op-composite", module, "-o", folded)
            judged = run("spirv-val", "--target-env", "vulkan1.2", folded)
            if made.returncode or judged.returncode:
                found.append(f"with {text}: {made.stderr}{judged.stderr}")
    return len(folds), [f"{module.name}: {text}" for text in found if text]


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    if not all(shutil.which(tool) for tool in ("spirv-val", "spirv-opt", "spirv-dis")):
        print("skipped: SPIRV-Tools are not installed")
        return 77
    modules = sorted(pathlib.Path(argv[1]).rglob("*.spv"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(problems_of, range(len(modules)), modules))
    problems = [problem for _, found in judged for problem in found]
    n_folds = sum(n for n, _ in judged)
    print("\n".join(problems))
    print(f"{len(modules)} modules, {n_folds} times folded, {len(problems)} invalid")
    return 0 if n_folds and not problems else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
