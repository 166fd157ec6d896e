#!/usr/bin/env python3
"""Print the shaders of a strategy's folder, one file name a line, for meson.

usage: list_shaders.py FOLDER
"""
import pathlib
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if path.suffix in {".comp", ".vert", ".frag"}:
        print(path.name)
