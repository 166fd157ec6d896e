#!/usr/bin/python3
"""The reader of SPIR-V modules over mutants of those that the program has, of modules with every
kind of descriptor, and of modules of two entry points: by default 600, with MB_TEST_FULL 400,000.

usage: test_spirv_reader.py FUZZ_SPIRV TEST_SPIRV MODULE...
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77  # as meson has it
N_MUTANTS, N_FULL_MUTANTS, SEED = 600, 400000, 21
OP_ENTRY_POINT = 15
OTHER = struct.unpack("<2I", b"other\0\0\0")


def with_two_entries(code):
    """The module with one more entry point, "other", of the same function and variables."""
    words = struct.unpack(f"<{len(code) // 4}I", code)
    at = 5
    while words[at] & 0xffff != OP_ENTRY_POINT:
        at += words[at] >> 16
    entry = words[at:at + (words[at] >> 16)]
    name = struct.pack(f"<{len(entry) - 3}I", *entry[3:])
    rest = entry[3 + name.index(b"\0") // 4 + 1:]
    other = (entry[1], entry[2], *OTHER, *rest)
    words = words[:at] + (len(other) + 1 << 16 | OP_ENTRY_POINT, *other) + words[at:]
    return struct.pack(f"<{len(words)}I", *words)


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
        for path in [*folder.glob("*.spv"), pathlib.Path(modules[0])]:
            (folder / f"two-{path.name}").write_bytes(with_two_entries(path.read_bytes()))
        corpus = [*modules, *sorted(map(str, folder.glob("*.spv")))]
        status = subprocess.run([fuzzer, str(n_mutants), str(SEED), *corpus], check=False).returncode
    if status:
        print(f"fuzz_spirv: exit {status}: see fuzz-failure.bin")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
