#!/usr/bin/python3
"""The image readers against image_files.py: every file decodes to the same texels, or is refused;
so is a PNG with one bit flipped, and a file that is cut anywhere. Then the fuzz target over all of them, by default for 12,000
mutants, for 400,000 with MB_TEST_FULL.

usage: test_image_files.py DECODE_IMAGES FUZZ_IMAGE
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

import image_files

N_MUTANTS, N_FULL_MUTANTS, SEED = 12000, 400000, 21


def is_read_as(line, texels):
    """Whether that is what was to be made of a file (image_files.files)."""
    if texels is None or isinstance(texels, str):
        return line.startswith("refused") and (texels or "") in line
    height, width = texels.shape[:2]
    digest = hashlib.sha256(texels.tobytes()).hexdigest()
    return line == f"{width}x{height} {8 * texels.itemsize} {digest}"


def decode(program, paths):
    done = subprocess.run([program, *paths], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != len(paths):
        sys.exit(f"{program}: exit {done.returncode}, {len(lines)} of {len(paths)} files\n"
                 f"{done.stderr}")
    return lines


def check_files(program, folder):
    """Returns the number of files that are read wrongly."""
    n_wrong = 0
    paths, wanted = [], []
    for name, data, texels in image_files.files(os.environ["MB_TEST_JPEG"] == "1"):
        path = folder / name
        assert not path.exists(), f"two files are called {name}"
        path.write_bytes(data)
        paths.append(path)
        wanted.append(texels)
    for path, line, want in zip(paths, decode(program, paths), wanted):
        if not is_read_as(line, want):
            print(f"{path.name}: {line}" + (f", not {want!r}" if isinstance(want, str) else ""))
            n_wrong += 1
    print(f"{len(paths)} files, {n_wrong} read wrongly")
    return n_wrong


def check_flips(program, folder):
    """Returns how many of a PNG's bits may be flipped without being missed."""
    data = (folder / "png-2-8-rows").read_bytes()
    flips = folder / "flips"
    flips.mkdir()
    paths = []
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        paths.append(flips / f"{bit:05}")
        paths[-1].write_bytes(flipped)
    n_read = sum(not line.startswith("refused") for line in decode(program, paths))
    print(f"{len(paths)} flipped bits of a PNG, {n_read} read all the same")
    return n_read


def check_cuts(program, folder):
    """Returns at how many places files may be cut without being missed."""
    cuts = folder / "cuts"
    cuts.mkdir()
    paths = []
    for name in ("png-2-8-rows", "bmp-4-core", "tga-24-0-00", "hdr-5", "hdr-9-runs", "pnm-3-255", "pfm-1-1"):
        data = (folder / name).read_bytes()
        for n_bytes in range(1, len(data) - (4 if name.startswith("bmp") else 0)): # the last row's padding
            paths.append(cuts / f"{name}-{n_bytes}")
            paths[-1].write_bytes(data[:n_bytes])
    n_read = sum(not line.startswith("refused") for line in decode(program, paths))
    print(f"{len(paths)} files that are cut, {n_read} read all the same")
    return n_read


def main():
    decoder, fuzzer = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    n_mutants = N_FULL_MUTANTS if os.environ.get("MB_TEST_FULL") else N_MUTANTS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        n_wrong = check_files(decoder, folder)
        corpus = sorted(path for path in folder.iterdir() if path.is_file())
        n_wrong += check_flips(decoder, folder) + check_cuts(decoder, folder)
        status = subprocess.run([fuzzer, str(n_mutants), str(SEED), *corpus], check=False).returncode
    if status != 0:
        print(f"fuzz_image: exit {status}: see fuzz-failure.bin")
    return 1 if n_wrong or status else 0


if __name__ == "__main__":
    sys.exit(main())
