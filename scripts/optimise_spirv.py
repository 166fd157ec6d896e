#!/usr/bin/env python3
"""Optimise a SPIR-V module without changing what it does: turn variables into values and remove unused code.
Drivers create pipelines from it in half the time. Names go too, except those of specialisation constants, which
hosts set, and of members of blocks, which manifests set.

usage: optimise_spirv.py SPIRV-OPT MODULE.spv OUT.spv
"""
import pathlib
import struct
import subprocess
import sys

# Not -O or -Os: they inline every call, and a module becomes five times as large.
PASSES = """--eliminate-dead-functions --private-to-local --eliminate-local-single-block
    --eliminate-local-single-store --ssa-rewrite --eliminate-dead-branches --eliminate-dead-code-aggressive
    --merge-blocks --redundancy-elimination --eliminate-dead-code-aggressive --compact-ids""".split()
OP_SOURCE, OP_SOURCE_EXTENSION, OP_NAME, OP_DECORATE, SPEC_ID = 3, 4, 5, 71, 1


def stripped(words):
    """Strips sources and names, except names that the host needs."""
    at, instructions = 5, []
    while at < len(words):
        length = words[at] >> 16
        instructions.append(words[at:at + length])
        at += length
    constants = {i[1] for i in instructions if i[0] & 0xffff == OP_DECORATE and i[2] == SPEC_ID}
    kept = [i for i in instructions
            if i[0] & 0xffff not in (OP_SOURCE, OP_SOURCE_EXTENSION, OP_NAME)
            or i[0] & 0xffff == OP_NAME and i[1] in constants]
    return words[:5] + [word for instruction in kept for word in instruction]


def main(argv):
    if len(argv) != 4:
        sys.exit(__doc__)
    subprocess.run([argv[1], *PASSES, argv[2], "-o", argv[3]], check=True)
    code = pathlib.Path(argv[3]).read_bytes()
    words = stripped(list(struct.unpack("<%dI" % (len(code) // 4), code)))
    pathlib.Path(argv[3]).write_bytes(struct.pack("<%dI" % len(words), *words))


if __name__ == "__main__":
    main(sys.argv)
