#!/usr/bin/env python3
"""Print the *.comp files of a strategy's folder, one stem a line, for meson.

usage: list_shaders.py FOLDER
"""
import pathlib
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.comp")):
    print(path.stem)
