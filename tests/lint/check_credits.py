#!/usr/bin/env python3
"""usage: check_credits.py DATA_FOLDER

CREDITS has an entry for every file of the folder and for no other, and names a licence."""

import pathlib
import re
import sys


def main():
    folder = pathlib.Path(sys.argv[1])
    text = (folder / "CREDITS").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(\S+\.\w+) {2,}\S", text, flags=re.MULTILINE))
    there = {str(path.relative_to(folder)) for path in folder.rglob("*")
             if path.is_file() and path.name != "CREDITS"}
    problems = [f"{name}: no entry in CREDITS" for name in sorted(there - listed)]
    problems += [f"{name}: in CREDITS, but not there" for name in sorted(listed - there)]
    if not there:
        problems.append(f"{folder}: no images")
    if "CC0" not in text:
        problems.append("CREDITS names no licence")
    print("\n".join(problems) or f"{len(there)} files, all credited")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
