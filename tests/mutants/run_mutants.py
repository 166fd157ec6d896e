#!/usr/bin/env python3
"""Mutation run: each single edit of mutants.txt is made in a copy of the sources, which is built,
and the tests that the list names are run, the likeliest finder first: in their short form, and
where none of them fails, as they are by default. A mutant that fails one is found. The run passes
if at least 95 of 100 are, and every one that is not says why.

    file PATH            the source, from the repository's root
    - TEXT               what stands in one of its lines, and nowhere else
    + TEXT               what is put in its place
    breaks WORDS         what the edit breaks
    tests NAME ...       meson's names of tests
    survives WORDS       why no test can find it; only where none does

What has no file, or no tests, has those of the mutant before it.
Blank lines stand between mutants, lines that begin with # are comments.

usage: run_mutants.py ROOT                 the run, with MB_TEST_FULL=1; else it is skipped
       run_mutants.py --check ROOT         only whether every edit still applies
       run_mutants.py --only WORDS ROOT    the run, of mutants whose file or WORDS match
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

LIST = pathlib.Path(__file__).with_name("mutants.txt")
FIELDS = ("file", "-", "+", "breaks", "tests", "survives")
SKIPPED = 77
LEAST_FOUND = 0.95
LEAST_MUTANTS = 100
# For a mutant that never ends: times what the test's short form takes.
LEAST_LIMIT_S, LIMIT_FACTOR, DEFAULT_LIMIT_FACTOR = 60, 10, 200


def parse(text):
    """Mutants as dictionaries of FIELDS."""
    mutants = []
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            mutant = {}
            before = mutants[-1] if mutants else {}
            for line in lines:
                field, _, rest = line.partition(" ")
                if field not in FIELDS or field in mutant:
                    raise ValueError(f"mutants.txt: bad line: {line}")
                mutant[field] = rest
            mutant = {**{field: before[field] for field in ("file", "tests") if field in before}, **mutant}
            missing = [field for field in FIELDS[:-1] if field not in mutant]
            if missing:
                raise ValueError(f"mutants.txt: no {missing[0]} in: {lines[0]}")
            mutants.append(mutant)
    return mutants


def mutated(root, mutant):
    """The whole edited file; ValueError if the edit does not apply."""
    path = root / mutant["file"]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    n_times = text.count(mutant["-"])
    if n_times != 1 or mutant["-"] == mutant["+"]:
        raise ValueError(f"mutants.txt: {mutant['file']}: occurs {n_times} times, not once: "
                         f"{mutant['-']}")
    return text.replace(mutant["-"], mutant["+"])


def check(root, mutants):
    """Returns how many edits do not apply."""
    n_bad = 0
    for mutant in mutants:
        try:
            mutated(root, mutant)
        except ValueError as error:
            print(error)
            n_bad += 1
    if len(mutants) < LEAST_MUTANTS:
        print(f"mutants.txt: {len(mutants)} mutants, not {LEAST_MUTANTS}")
        n_bad += 1
    print(f"{len(mutants)} mutants, {n_bad} to be mended")
    return n_bad


def sources(root):
    """What git knows; of a release, which it does not, all but builds."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                                capture_output=True).stdout.decode().split("\0")
        return [name for name in listed if name]
    return [path.relative_to(root) for folder in root.iterdir()
            if folder.is_dir() and not (folder / "meson-info").is_dir()
            for path in folder.rglob("*")] + [path.name for path in root.iterdir()]


class Copy:
    """A copy of the sources and a build of it."""

    def __init__(self, root, folder):
        self.root, self.source, self.build = root, folder / "source", folder / "build"
        for name in sources(root):
            if (root / name).is_file():
                to = self.source / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, to)
        compiler = "ccache cc" if shutil.which("ccache") else "cc"
        subprocess.run(["meson", "setup", "-Dwerror=false", "--buildtype=debugoptimized",
                        self.build, self.source], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CC": os.environ.get("CC", compiler)})
        listed = subprocess.run(["meson", "introspect", "--tests", self.build], check=True,
                                capture_output=True).stdout
        self.tests = {test["name"]: test for test in json.loads(listed)}
        targets = json.loads(subprocess.run(["meson", "introspect", "--targets", self.build],
                                            check=True, capture_output=True).stdout)
        self.seconds = {}
        self.files = {target["id"]: [os.path.relpath(name, self.build)
                                     for name in target["filename"]] for target in targets}

    def make(self, name):
        """Build what a test needs: true if that can be built."""
        needed = [file for target in self.tests[name]["depends"] for file in self.files[target]]
        return subprocess.run(["ninja", "-C", self.build, *needed], check=False,
                              stdout=subprocess.DEVNULL).returncode == 0

    def passes(self, name, is_quick, limit_s=None):
        test = self.tests[name]
        env = {**os.environ, **test["env"]}
        env.pop("MB_TEST_FULL", None)
        env.pop("MB_TEST_QUICK", None)
        if is_quick:
            env["MB_TEST_QUICK"] = "1"
        try:
            done = subprocess.run(test["cmd"], check=False, env=env, timeout=limit_s,
                                  cwd=test["workdir"] or self.build, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode in (0, SKIPPED)

    def passes_unedited(self, name):
        """Takes note of how long that takes."""
        begin = time.monotonic()
        is_passed = self.make(name) and self.passes(name, True)
        self.seconds[name] = time.monotonic() - begin
        return is_passed

    def limit_s(self, name, is_quick):
        factor = LIMIT_FACTOR if is_quick else DEFAULT_LIMIT_FACTOR
        return max(LEAST_LIMIT_S, factor * self.seconds[name])


def baseline(copy, mutants):
    """The tests that are named pass without an edit, or finding it says nothing."""
    names = list(dict.fromkeys(name for mutant in mutants for name in mutant["tests"].split()))
    unknown = [name for name in names if name not in copy.tests]
    if unknown:
        raise ValueError(f"mutants.txt: no such tests: {' '.join(unknown)}")
    failed = [name for name in names if not copy.passes_unedited(name)]
    print(f"{len(names)} tests, {len(failed)} fail without an edit {' '.join(failed)}", flush=True)
    return not failed


def first_failure(copy, mutant):
    for is_quick in (True, False):
        for name in mutant["tests"].split():
            if not copy.make(name):
                raise ValueError(f"{mutant['file']}: does not compile: {mutant['+']}")
            if not copy.passes(name, is_quick, copy.limit_s(name, is_quick)):
                return name
    return None


def finder(copy, mutant):
    """The name of the test that finds a mutant; None if none does."""
    path = copy.source / mutant["file"]
    right = path.read_text(encoding="utf-8")
    path.write_text(mutated(copy.source, mutant), encoding="utf-8")
    try:
        return first_failure(copy, mutant)
    finally:
        path.write_text(right, encoding="utf-8")


def run(root, mutants):
    n_found, unexplained = 0, 0
    with tempfile.TemporaryDirectory(prefix="mipbench-mutants-") as folder:
        copy = Copy(root, pathlib.Path(folder))
        if not baseline(copy, mutants):
            return 1
        for i, mutant in enumerate(mutants):
            begin = time.monotonic()
            name = finder(copy, mutant)
            n_found += name is not None
            unexplained += name is None and "survives" not in mutant
            print(f"{i + 1}/{len(mutants)} {'found by ' + name if name else 'SURVIVES'} "
                  f"({time.monotonic() - begin:.0f} s): {mutant['file']}: {mutant['breaks']}",
                  flush=True)
    print(f"{n_found} of {len(mutants)} mutants found, {unexplained} survive without a reason")
    return 1 if unexplained or n_found < LEAST_FOUND * len(mutants) else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("root", type=pathlib.Path)
    args = parser.parse_args()
    mutants = parse(LIST.read_text(encoding="utf-8"))
    if args.check:
        return 1 if check(args.root, mutants) else 0
    if not args.only and os.environ.get("MB_TEST_FULL", "0") == "0":
        print("skipped: it takes an hour; MB_TEST_FULL=1 runs it")
        return SKIPPED
    return run(args.root.resolve(), [mutant for mutant in mutants
                                     if args.only in mutant["file"] + " " + mutant["breaks"]])


if __name__ == "__main__":
    sys.exit(main())
