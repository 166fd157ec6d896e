#!/usr/bin/env python3
"""Hold single-pass kernels to the rules of the Vulkan memory model, by their SPIR-V.

usage: check_memory_model.py SOURCE_ROOT

A CPU driver does not show a race, so the operands are read. hand_off_rules.py, word_rules.py and
extreme_rules.py say what must hold; a kernel of strategies/ that uses atomics and has none's rules fails.

"Before" and "after" are those of the call tree from main, with every call replaced by its body.

Each module is compiled here with glslangValidator, once as it is and once with each rule broken on
purpose where its calls come by: a check that lets a broken kernel pass fails. What is broken in files that
modules share is built for one of those with the same parts, with MB_TEST_FULL for each. Exits 77
without the tools.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile

import extreme_rules
import hand_off_rules
import word_rules
from spirv_module import broken_by, compile_module, kernels_of

LIBRARY = "spd-tree/lib/spd_tree.comp"
PARTS = {"-DSLOTS", "-DSUBGROUPS", "-DUPDATES", "-DEVEN", "-DEXTREME"}  # what a module's calls depend on

MODEL_BREAKAGES = [broken_by("model", "#pragma use_vulkan_memory_model\n", "")]  # of any kernel

ATOMIC = re.compile(r"\b(atomic|imageAtomic)[A-Z]\w*\s*\(")


def rules_of(kernel):
    """The rules for a kernel, or None."""
    if kernel.source == LIBRARY:
        if extreme_rules.is_extreme(kernel):
            return extreme_rules
        return hand_off_rules if hand_off_rules.has_slots(kernel) else word_rules
    return hand_off_rules if kernel.name in hand_off_rules.KERNELS else None


def included(file, shaders):
    """A shader's file and those it includes, directly or not."""
    files = {file}
    for name in re.findall(r'^#include "(.+)"', file.read_text(), re.M):
        beside = file.parent / name
        files |= included(beside if beside.exists() else shaders / name, shaders)
    return files


@functools.lru_cache(None)
def has_atomics(source, root):
    files = included(root / "strategies" / source, root / "shaders")
    return any(ATOMIC.search(file.read_text()) for file in files)


def unruled(root, has_rules):
    """Kernels that use atomics, and that no rules are for."""
    return [kernel for kernel in kernels_of(root / "strategies")
            if not has_rules(kernel) and has_atomics(kernel.source, root)]


def judge_lists(root):
    """(whether it is as wanted, what was found) of what has rules, and of each kernel without them."""
    missing = unruled(root, rules_of)
    names = ", ".join(kernel.name for kernel in missing) or "none"
    yield not missing, f"kernels with atomics that no rules are for: {names}"
    for kernel in filter(rules_of, kernels_of(root / "strategies")):
        found = unruled(root, lambda other, without=kernel: other != without and rules_of(other))
        yield kernel in found, f"{kernel.name}: is missed where it has no rules"


def broken_files(kernel, breakage, root):
    """Those of a kernel's files that a breakage changes."""
    return frozenset(file for file in included(root / "strategies" / kernel.source, root / "shaders")
                     if re.search(breakage.pattern, file.read_text()))


def breakages_of(kernel, root):
    """Those that there is something for to break in the kernel. Each rule can be broken."""
    every = MODEL_BREAKAGES + rules_of(kernel).breakages_of(kernel)
    found = [breakage for breakage in every if broken_files(kernel, breakage, root)]
    missing = {breakage.rule for breakage in every} - {breakage.rule for breakage in found}
    if missing:
        sys.exit(f"{kernel.name}: nothing to break {', '.join(sorted(missing))} by")
    return found


def module_of(kernel, breakage, root):
    """A kernel's module, built from files in which something may be broken."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = folder / kernel.source
        shutil.copytree((root / "strategies" / kernel.source).parent, file.parent)
        shutil.copytree(root / "shaders", folder / "shaders")
        for part in included(file, folder / "shaders") if breakage else ():
            part.write_text(re.sub(breakage.pattern, breakage.replacement, part.read_text()))
        return compile_module(kernel, folder, folder / "shaders", folder / "kernel.spv")


def jobs_of(root):
    """The (kernel, breakages) that are to be built. Of modules that differ in their texels alone all are with
    MB_TEST_FULL, else the first."""
    seen, kinds, is_full = set(), set(), bool(os.environ.get("MB_TEST_FULL"))
    for kernel in filter(rules_of, kernels_of(root / "strategies")):
        breakages, kind = [], (kernel.source, frozenset(PARTS & set(kernel.args)))
        if kind in kinds and not is_full:
            continue
        kinds.add(kind)
        for breakage in breakages_of(kernel, root):
            where = (breakage.what, broken_files(kernel, breakage, root), frozenset(PARTS & set(kernel.args)))
            if where not in seen or is_full:
                seen.add(where)
                breakages.append(breakage)
        yield kernel, breakages


def judge_kernel(kernel, breakages, root):
    """(whether it is as wanted, what was found) of a kernel, as it is and broken where its calls come by."""
    rules, right = rules_of(kernel), module_of(kernel, None, root)
    right_signature = right.signature()
    found = rules.problems(right, kernel)
    judged = [(not found, f"{kernel.name}: as it is: {', '.join(found) or 'no problem'}")]
    caught = set()
    for breakage in breakages:
        module = module_of(kernel, breakage, root)
        if module.signature() != right_signature:
            found = rules.problems(module, kernel)
            caught |= {breakage.rule} & set(found)
            judged.append((breakage.rule in found,
                           f"{kernel.name}: broken: {breakage.what}: {', '.join(found) or 'no problem'}"))
    for rule in sorted({breakage.rule for breakage in breakages} - caught):
        judged.append((False, f"{kernel.name}: nothing that is called breaks {rule}"))
    return judged


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    for tool in ("glslangValidator", "spirv-dis"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is missing")
            return 77
    root = pathlib.Path(argv[1])
    jobs = [(*job, root) for job in jobs_of(root)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = [*judge_lists(root), *(one for found in pool.map(judge_kernel, *zip(*jobs)) for one in found)]
    for as_wanted, what in judged:
        print(f"{'ok  ' if as_wanted else 'FAIL'} {what}")
    n_failed = sum(not as_wanted for as_wanted, _ in judged)
    print(f"check_memory_model: {len(judged)} checks, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
