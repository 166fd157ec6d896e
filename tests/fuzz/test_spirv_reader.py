#!/usr/bin/python3
"""The reader of SPIR-V modules over mutants of those that the program has and of modules with every
kind of descriptor: by default 600, with MB_TEST_FULL 20,000.

usage: test_spirv_reader.py FUZZ_SPIRV TEST_SPIRV MODULE...
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77  # as meson has it
N_MUTANTS, N_FULL_MUTANTS, SEED = 600, 20000, 21


def main():
    fuzzer, maker, *modules = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    n_mutants = N_FULL_MUTANTS if os.environ.get("MB_TEST_FULL") else N_MUTANTS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = subprocess.run([maker, name], check=False)
        if made.returncode == SKIPPED:
            print("built without glslang: without the modules that it compiles")
        else:
            made.check_returncode()
        corpus = [*modules, *sorted(map(str, folder.glob("*.spv")))]
        status = subprocess.run([fuzzer, str(n_mutants), str(SEED), *corpus], check=False).returncode
    if status:
        print(f"fuzz_spirv: exit {status}: see fuzz-failure.bin")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
