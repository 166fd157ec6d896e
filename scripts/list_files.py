#!/usr/bin/env python3
"""Print the files of a folder that end in one of the suffixes, one file name a line, for meson.

usage: list_files.py FOLDER SUFFIX...
"""
import pathlib
import sys

if len(sys.argv) < 3:
    sys.exit(__doc__)
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if path.suffix in sys.argv[2:]:
        print(path.name)
