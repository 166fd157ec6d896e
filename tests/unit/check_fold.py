#!/usr/bin/env python3
"""What mb_fold() makes of every kernel is valid for Vulkan 1.2: by one change of its constants each, by
all of them with MB_TEST_FULL.

usage: check_fold.py TEST_FOLD
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def problem_of(module):
    judged = subprocess.run(["spirv-val", "--target-env", "vulkan1.2", module], capture_output=True, text=True,
                            check=False)
    return f"{module.name}: {judged.stdout}{judged.stderr}" if judged.returncode else ""


def main(argv):
    with tempfile.TemporaryDirectory(prefix="mipbench-fold-") as folder:
        subprocess.run([argv[1], folder], check=True)
        if not shutil.which("spirv-val"):
            print("skipped: SPIRV-Tools are not installed")
            return 77
        modules = sorted(pathlib.Path(folder).glob("*.spv"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = list(filter(None, pool.map(problem_of, modules)))
    print("\n".join(problems))
    print(f"{len(modules)} modules, {len(problems)} invalid")
    return 0 if modules and not problems else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
