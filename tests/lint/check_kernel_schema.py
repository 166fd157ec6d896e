#!/usr/bin/env python3
"""usage: check_kernel_schema.py ROOT

results/kernel.schema.json, written by hand, says what the program reads: its objects have the keys
that src/kernel opens objects with, the same ones required, and every manifest of the sources fits
it; a key or value that is not known does not. Exit 77 (skipped) without python3-jsonschema."""

import copy
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ModuleNotFoundError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

LIST = re.compile(r"char \*const (\w*keys)\[\] = \{(.*?)NULL\};", re.DOTALL)
OPENED = re.compile(r"mb_open\([^;]*?(\w*keys), (\d)\)", re.DOTALL)


def opened(source):
    """The keys of each object that a file opens, and whether each is required. Lists are named once a
    function, ahead of their use."""
    found = []
    for match in OPENED.finditer(source):
        name, n_required = match.group(1), int(match.group(2))
        keys = [text for other, text in LIST.findall(source[:match.start()]) if other == name][-1]
        found.append([(key, i < n_required) for i, key in enumerate(re.findall(r'"([^"]+)"', keys))])
    return found


def objects(node):
    """The same of each object in the schema that lists its keys."""
    if isinstance(node, dict):
        if node.get("additionalProperties") is False:
            yield [(name, name in node.get("required", [])) for name in node["properties"]]
        for inner in node.values():
            yield from objects(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from objects(inner)


def main(root):
    schema = json.loads((root / "results/kernel.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wanted = sorted(sorted(keys) for path in (root / "src/kernel").glob("*.c")
                    for keys in opened(path.read_text(encoding="utf-8")))
    assert len(wanted) > 8 and sorted(sorted(keys) for keys in objects(schema)) == wanted, "not the keys of src/kernel"
    manifests = sorted([*root.glob("tests/kernels/*.json"), *root.glob("kernels/*/*.json")])
    assert len(manifests) > 8
    for path in manifests:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for error in validator.iter_errors(manifest):
            sys.exit(f"{path}: {error.message}")
        for spoil in (lambda it: it.update(unknown=1), lambda it: it.update(mipbench_kernel=2),
                      lambda it: it["dispatches"][0].pop("groups"),
                      lambda it: it.update(tolerance={"policy": "fox"})):
            spoilt = copy.deepcopy(manifest)
            spoil(spoilt)
            assert not validator.is_valid(spoilt), path
    print(f"{len(manifests)} manifests, {len(wanted)} lists of keys")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
