#!/usr/bin/env python3
"""Holds the sources to their layers, strictly left to right:

    base <- stats <- image <- vk <- strategy.h, strategy <- strategies/*, kernel <- result <- bench <- compare <- tune <- cli

A file includes only leftwards or within its own layer, by folder-prefixed path, and modules (a .c
with its .h) form no circle; a folder of src/ is one room, not a heap. A strategy sees the contract,
the Vulkan layer and below: never the golden model, the harness, or another strategy. A header in a strategy's folder is for the files of that folder, which include it by plain name. What lies
in a strategy's lib/ and export/ leaves for other programs, so that it includes nothing of src/; the strategy itself includes its lib/. Vulkan begins in src/vk; below it only the types of vulkan_core.h are known.

usage: scripts/check_layers.py [ROOT]      exit 1 and a line for each violation
"""

import collections
import pathlib
import re
import sys

MAX_MODULES = 17  # of a folder

# Rank of each folder of src/, and of the one header and the one folder between them.
LAYERS = {"base": 0, "stats": 1, "image": 2, "vk": 3, "strategy": 4, "kernel": 5, "result": 6, "bench": 7,
          "compare": 8, "tune": 9, "cli": 10}
STRATEGY_H_RANK = 4
STRATEGIES_RANK = 5

# Made by the build, included by plain name: embedded shaders and the version.
GENERATED = re.compile(r"[a-z0-9_]+\.(comp|vert|frag)\.h|version\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
VULKAN = re.compile(r"(vulkan/.*|volk\.[hc])")
NOT_FOR_STRATEGIES = {
    "image/golden.h": "a strategy must not know the right answer",
    "image/compare.h": "its types come by way of strategy.h",
}
SHADER_SUFFIXES = {".comp", ".vert", ".frag", ".glsl"}


def includes(path):
    """(line number, quoted path or None, angle path or None) of each #include."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def rank_of_include(name):
    """Rank of a quoted include, or None if it is not a path from src/."""
    if name == "strategy.h":
        return STRATEGY_H_RANK
    folder, slash, _ = name.partition("/")
    return LAYERS.get(folder) if slash else None


def is_own_header(path, name, rank):
    """A strategy's header, beside the file that includes it, or in its lib/."""
    return (rank == STRATEGIES_RANK and "/" not in name.removeprefix("lib/") and name.endswith(".h")
            and (path.parent / name).is_file())


def judge_quoted(name, rank, layer):
    """What is wrong with `#include "name"` in a C file of that rank, or None."""
    if ".." in name.split("/"):
        return "leaves its folder by '..'"
    if name.endswith(".c"):
        return "includes a source file"
    if GENERATED.fullmatch(name):
        return None
    include_rank = rank_of_include(name)
    if include_rank is None:
        return "is not a folder-prefixed path of src/"
    if include_rank > rank:
        return f"points rightwards from {layer}"
    if rank == STRATEGIES_RANK:
        return NOT_FOR_STRATEGIES.get(name)
    return None


def judge_angle(name, rank):
    if rank >= LAYERS["vk"] or not VULKAN.fullmatch(name):
        return None
    if name == "vulkan/vulkan_core.h":
        return None
    return "brings Vulkan in below src/vk"


def check_c_file(path, root, rank, layer):
    for number, quoted, angle in includes(path):
        if quoted and is_own_header(path, quoted, rank):
            continue
        problem = judge_quoted(quoted, rank, layer) if quoted else judge_angle(angle, rank)
        if not problem and quoted and rank_of_include(quoted) is not None:
            # A generated header has its template in the header's place.
            places = (root / "src" / quoted, root / "src" / f"{quoted}.in")
            problem = None if any(p.is_file() for p in places) else "does not exist"
        if problem:
            yield f"{path.relative_to(root)}:{number}: {quoted or angle} {problem}"


def check_sources(root):
    for path in sorted((root / "src").rglob("*.[ch]")):
        parts = path.relative_to(root / "src").parts
        if parts == ("strategy.h",):
            yield from check_c_file(path, root, STRATEGY_H_RANK, "strategy.h")
        elif len(parts) > 1 and parts[0] in LAYERS:
            yield from check_c_file(path, root, LAYERS[parts[0]], parts[0])
        else:
            yield f"{path.relative_to(root)}: belongs to no layer"


def modules(root):
    """Each module of src/, a path without its ending, with the modules that it includes."""
    found = {}
    for path in sorted((root / "src").rglob("*.[ch]")):
        name = path.relative_to(root / "src").with_suffix("").as_posix()
        uses = {quoted[:-2] for _, quoted, _ in includes(path) if quoted and quoted.endswith(".h")}
        found.setdefault(name, set()).update(uses - {name})
    return found


def reachable(graph, start):
    """What `start` includes, directly or by way of others."""
    found, todo = set(), [start]
    while todo:
        new = graph.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def check_circles(root):
    """Modules that include each other, directly or by way of others."""
    graph = modules(root)
    reach = {name: reachable(graph, name) for name in graph}
    circles = {frozenset(other for other in reach[name] if name in reach.get(other, ()))
               for name in graph if name in reach[name]}
    for circle in sorted(map(sorted, circles)):
        yield "src: modules in a circle: " + ", ".join(circle)


def check_rooms(root):
    counts = collections.Counter(name.rpartition("/")[0] for name in modules(root))
    for folder, n in sorted(counts.items()):
        if n > MAX_MODULES:
            yield f"src/{folder}: {n} modules, of which a folder has {MAX_MODULES} at most"


def check_shader(path, root):
    """A shader includes files of its own folder, folders within it, or shaders/, by plain name."""
    for number, quoted, angle in includes(path):
        name = quoted or angle
        found = (root / "shaders" / name).is_file() or "/" not in name and any(path.parent.rglob(name))
        if "/" in name or not found:
            yield (f"{path.relative_to(root)}:{number}: {name} is in neither its own folder "
                   "nor shaders/")


def check_exported_file(path, root):
    """Includes by plain name: a file beside it, or one that the export makes."""
    for number, quoted, _ in includes(path):
        if quoted and ("/" in quoted or quoted == "strategy.h"):
            yield f"{path.relative_to(root)}:{number}: {quoted} is not part of the export"


def check_strategies(root):
    for path in sorted((root / "strategies").rglob("*")):
        if path.suffix in {".c", ".h"} and path.parent.name in ("lib", "export"):
            yield from check_exported_file(path, root)
        elif path.suffix in {".c", ".h"}:
            yield from check_c_file(path, root, STRATEGIES_RANK, "strategies")


def check_shaders(root):
    for folder in ("shaders", "strategies"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SHADER_SUFFIXES:
                yield from check_shader(path, root)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root}: no src/ here")
    problems = [*check_sources(root), *check_circles(root), *check_rooms(root),
                *check_strategies(root), *check_shaders(root)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
