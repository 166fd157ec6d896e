#!/usr/bin/env python3
"""Hold single-pass kernels to the rules of the Vulkan memory model, by their SPIR-V.

usage: check_memory_model.py SOURCE_ROOT

A CPU driver does not show a race, so the operands are read. hand_off_rules.py and word_rules.py say
what must hold, and of which kernels; one of strategies/ that uses atomics and is in neither fails.

"Before" and "after" are those of the call tree from main, with every call replaced by its body.

The shader is compiled here with glslangValidator, once as it is and once with each rule broken on
purpose: a check that lets a broken kernel pass fails. What is broken in files that kernels share
is built for one of them, with MB_TEST_FULL for each. Exits 77 without the tools.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

import hand_off_rules
import word_rules
from spirv_module import broken_by, compile_module

RULES = {kernel: rules for rules in (hand_off_rules, word_rules) for kernel in rules.KERNELS}

MODEL_BREAKAGES = [broken_by("model", "#pragma use_vulkan_memory_model\n", "")]  # of any kernel

ATOMIC = re.compile(r"\b(atomic|imageAtomic)[A-Z]\w*\s*\(")


def included(file, shaders):
    """A shader's file and those it includes, directly or not."""
    files = {file}
    for name in re.findall(r'^#include "(.+)"', file.read_text(), re.M):
        beside = file.parent / name
        files |= included(beside if beside.exists() else shaders / name, shaders)
    return files


def unlisted(root, listed):
    """Kernels that use atomics, and that no rules are for."""
    strategies = root / "strategies"
    kernels = {str(file.relative_to(strategies)): file for file in strategies.rglob("*.comp")}
    return [name for name, file in sorted(kernels.items())
            if name not in listed and any(ATOMIC.search(part.read_text())
                                          for part in included(file, root / "shaders"))]


def judge_lists(root):
    """(whether it is as wanted, what was found) of the lists, and of each with a kernel left out."""
    missing = unlisted(root, RULES)
    yield not missing, f"kernels with atomics that no rules are for: {', '.join(missing) or 'none'}"
    for kernel in RULES:
        found = unlisted(root, RULES.keys() - {kernel})
        yield kernel in found, f"{kernel}: is missed where no list has it"


def broken_files(kernel, breakage, root):
    """Those of a kernel's files that a breakage changes."""
    return frozenset(file for file in included(root / "strategies" / kernel, root / "shaders")
                     if re.search(breakage.pattern, file.read_text()))


def breakages_of(kernel, root):
    """Those that there is something for to break in the kernel. Each rule can be broken."""
    every = MODEL_BREAKAGES + RULES[kernel].breakages_of(kernel)
    found = [breakage for breakage in every if broken_files(kernel, breakage, root)]
    missing = {breakage.rule for breakage in every} - {breakage.rule for breakage in found}
    if missing:
        sys.exit(f"{kernel}: nothing to break {', '.join(sorted(missing))} by")
    return found


def problems_of(kernel, breakage, root):
    """The rules that a kernel does not keep, built from files in which something may be broken."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = folder / kernel
        shutil.copytree((root / "strategies" / kernel).parent, file.parent)
        shutil.copytree(root / "shaders", folder / "shaders")
        for part in included(file, folder / "shaders") if breakage else ():
            part.write_text(re.sub(breakage.pattern, breakage.replacement, part.read_text()))
        module = compile_module(file, folder / "shaders", folder / "kernel.spv")
    return RULES[kernel].problems(module, kernel)


def jobs_of(root):
    """The (kernel, breakage or None) that are to be built."""
    seen = set()
    for kernel in RULES:
        yield kernel, None
        for breakage in breakages_of(kernel, root):
            where = (breakage.what, broken_files(kernel, breakage, root))
            if where not in seen or os.environ.get("MB_TEST_FULL"):
                seen.add(where)
                yield kernel, breakage


def judge_build(kernel, breakage, root):
    """(whether it is as wanted, what was found) of a kernel, as it is or broken."""
    found = problems_of(kernel, breakage, root)
    what = f"broken: {breakage.what}" if breakage else "as it is"
    as_wanted = breakage.rule in found if breakage else not found
    return as_wanted, f"{kernel}: {what}: {', '.join(found) or 'no problem'}"


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    for tool in ("glslangValidator", "spirv-dis"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing")
            return 77
    root = pathlib.Path(argv[1])
    jobs = [(kernel, breakage, root) for kernel, breakage in jobs_of(root)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = [*judge_lists(root), *pool.map(judge_build, *zip(*jobs))]
    for as_wanted, what in judged:
        print(f"{'ok  ' if as_wanted else 'FAIL'} {what}")
    n_failed = sum(not as_wanted for as_wanted, _ in judged)
    print(f"check_memory_model: {len(judged)} checks, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
