#!/usr/bin/env python3
"""Joins results.json files of one device and build, one after the other, for published.sh: the cases
of all, and the modules of all kernels. All else is the first's, its command line too. On stdout."""

import json
import pathlib
import sys


def join(first, other):
    known = {kernel["strategy"]: kernel for kernel in first["run"]["kernels"]}
    for kernel in other["run"]["kernels"]:
        known.setdefault(kernel["strategy"], kernel)["modules"].update(kernel["modules"])
    first["run"]["kernels"] = list(known.values())
    first["cases"] += other["cases"]
    if not other["run"]["complete"]:
        first["run"].update({key: other["run"][key] for key in ("complete", "exit_reason")})


def main(paths):
    first, *others = (json.loads(pathlib.Path(path).read_text("utf-8")) for path in paths)
    for other in others:
        join(first, other)
    json.dump(first, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
