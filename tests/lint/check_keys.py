#!/usr/bin/env python3
"""usage: check_keys.py [--write] ROOT

What results/*.schema.json say is what the pages show and what the program reads. The tables of keys in
doc/results-json.md and doc/your-kernel.md have every key of their schema, its value and its
description; --write puts them there. The schema of manifests has the keys that src/kernel opens objects
with, the same ones required; every manifest of the sources fits it, and none with a key or value that
is not known. That last part is left out without python3-jsonschema."""

import copy
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ModuleNotFoundError:
    jsonschema = None

END = "<!-- end of keys -->\n"
LIST = re.compile(r"char \*const (\w*keys)\[\] = \{(.*?)NULL\};", re.DOTALL)
OPENED = re.compile(r"mb_open\([^;]*?(\w*keys), (\d)\)", re.DOTALL)


class Schema:
    """`words`: what a page calls a type, and a definition that it does not look into."""

    def __init__(self, path, words):
        self.root, self.words = json.loads(path.read_text(encoding="utf-8")), words

    def definition(self, node):
        return node["$ref"].rpartition("/")[2] if "$ref" in node else None

    def resolve(self, node):
        """What a reference, or an alternative to null or to a choice, stands for; the description that is
        nearest."""
        described = {"description": node["description"]} if "description" in node else {}
        for option in node.get("oneOf", node.get("anyOf", [])):
            if option.get("type") != "null" and self.definition(option) != "by":
                return self.resolve({**option, **described})
        if "$ref" in node:
            return self.resolve({**self.root["$defs"][self.definition(node)], **described})
        return node

    def can_be_null(self, node):
        target = self.root["$defs"][self.definition(node)] if "$ref" in node else None
        return (any("null" in option.get("type", []) for option in node.get("oneOf", node.get("anyOf", [])))
                or None in node.get("enum", []) or "null" in node.get("type", [])
                or target is not None and self.can_be_null(target))

    def value_of(self, node):
        """Without null."""
        if self.definition(node) in self.words:
            return self.words[self.definition(node)]
        first = node.get("anyOf", [{}])[0]
        if self.definition(first) in self.words:
            return self.words[self.definition(first)]
        node = self.resolve(node)
        if "enum" in node:
            return ", ".join(f"`{value}`" for value in node["enum"] if value is not None)
        if "const" in node:
            return f"`{node['const']}`"
        kinds = [node["type"]] if isinstance(node["type"], str) else node["type"]
        names = [self.words.get(kind, kind) for kind in kinds if kind != "null"]
        if names == ["array"]:
            return f"list of {self.type_of(node['items'])}"
        if isinstance(node.get("additionalProperties"), dict) and not node.get("properties"):
            return f"object of {self.type_of(node['additionalProperties'])}"
        return " or ".join(names)

    def type_of(self, node):
        return self.value_of(node) + (" or null" if self.can_be_null(node) else "")

    def objects(self, node, path=""):
        """(path, the object) of one and of those within it, in the order of the schema."""
        node = self.resolve(node)
        if node.get("type") == "array":
            yield from self.objects(node["items"], path + "[]")
        elif node.get("properties"):
            yield path, node
            for name, inner in node["properties"].items():
                yield from self.objects(inner, f"{path}.{name}" if path else name)
        elif isinstance(node.get("additionalProperties"), dict):
            yield from self.objects(node["additionalProperties"], path + ".NAME")


def tables_of_objects(schema):
    for path, node in schema.objects(schema.root):
        yield f"### `{path}`\n\n" if path else "### The whole\n\n"
        yield "| key | value | |\n|---|---|---|\n"
        for name, member in node["properties"].items():
            yield f"| `{name}` | {schema.type_of(member)} | {schema.resolve(member)['description']} |\n"
        yield "\n"


def table_of_keys(schema):
    """One, of keys that have none within: those say what they are."""
    yield "| key | value | |\n|---|---|---|\n"
    for path, node in schema.objects(schema.root):
        for name, member in node["properties"].items():
            key = f"{path}.{name}" if path else name
            if not any(schema.objects(member)):
                needed = "Required: " if name in node.get("required", []) else ""
                yield f"| `{key}` | {schema.type_of(member)} | {needed}{member['description']} |\n"


# Page, schema, what it calls things, what makes its tables, and the least number of keys.
PAGES = [
    ("doc/results-json.md", "results/schema.json", {"u64": "count", "interval": "[from, to]"},
     tables_of_objects, 150),
    ("doc/your-kernel.md", "results/kernel.schema.json", {
        "string": "text", "boolean": "true or false", "text": "text", "texts": "list of text",
        "expression": "expression", "expressions": "list of expression",
        "levels": 'list, or {"first", "last"}', "values": "object of expression or list",
        "parameters": "object of list of names"}, table_of_keys, 50),
]


def check_page(root, page, schema, words, make_tables, least):
    path, begin = root / page, f"<!-- keys: of {schema} -->\n"
    text = path.read_text(encoding="utf-8")
    tables = "".join(make_tables(Schema(root / schema, words)))
    want = re.sub(f"{begin}.*{END}", lambda _: f"{begin}\n{tables}{END}", text, flags=re.DOTALL)
    if "--write" in sys.argv:
        path.write_text(want, encoding="utf-8")
    elif want != text:
        sys.exit(f"{path}: not as {schema}: run {sys.argv[0]} --write {root}")
    n_keys = want.count("\n| `")
    assert n_keys > least, f"{page}: {n_keys} keys"
    print(f"{page}: {n_keys} keys")


def opened(source):
    """The keys of each object that a file opens, and whether each is required. Lists are named once a
    function, ahead of their use."""
    found = []
    for match in OPENED.finditer(source):
        name, n_required = match.group(1), int(match.group(2))
        keys = [text for other, text in LIST.findall(source[:match.start()]) if other == name][-1]
        found.append([(key, i < n_required) for i, key in enumerate(re.findall(r'"([^"]+)"', keys))])
    return found


def listed(node):
    """The same of each object in a schema that lists its keys."""
    if isinstance(node, dict):
        if node.get("additionalProperties") is False:
            yield [(name, name in node.get("required", [])) for name in node["properties"]]
        for inner in node.values():
            yield from listed(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from listed(inner)


def check_manifests(root):
    schema = json.loads((root / "results/kernel.schema.json").read_text(encoding="utf-8"))
    wanted = sorted(sorted(keys) for path in (root / "src/kernel").glob("*.c")
                    for keys in opened(path.read_text(encoding="utf-8")))
    assert len(wanted) > 8 and sorted(map(sorted, listed(schema))) == wanted, "not the keys of src/kernel"
    manifests = sorted([*root.glob("tests/kernels/*.json"), *root.glob("kernels/*/*.json")])
    assert len(manifests) > 8
    if not jsonschema:
        print("left out: manifests against their schema: python3-jsonschema is not installed")
        return
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
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


def main():
    root = pathlib.Path(sys.argv[-1])
    for page in PAGES:
        check_page(root, *page)
    check_manifests(root)


if __name__ == "__main__":
    main()
