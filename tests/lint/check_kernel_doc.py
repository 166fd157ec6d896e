#!/usr/bin/env python3
"""usage: check_kernel_doc.py [--write] ROOT

The tables of keys in doc/your-kernel.md are what results/kernel.schema.json says: one for each
object of a manifest, with every key, its value and its description. --write puts them there."""

import json
import pathlib
import re
import sys

BEGIN, END = "<!-- keys: of results/kernel.schema.json -->\n", "<!-- end of keys -->\n"
REFERENCES = {"range": 'list, or {"first", "last"}', "values": "number, expression, or a list of them",
              "parameters": "object of lists of names", "by": ""}


def without_by(node):
    """What a value is where nothing chooses."""
    for option in node.get("anyOf", []):
        if option.get("$ref") != "#/$defs/by":
            return without_by(option)
    return node


def type_of(node):
    node = without_by(node)
    if "$ref" in node:
        return REFERENCES[node["$ref"].rpartition("/")[2]]
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    if isinstance(node["type"], list):
        return "number or expression"
    if node["type"] == "array":
        return f"list of {type_of(node['items'])}"
    if node["type"] == "object" and "additionalProperties" in node and not node.get("properties"):
        return f"object of {type_of(node['additionalProperties'])}"
    return {"string": "text", "boolean": "true or false"}.get(node["type"], node["type"])


def objects(node, path):
    """(path, properties, required) of an object and of those within it."""
    node = without_by(node)
    if node.get("type") == "array":
        yield from objects(node["items"], path + "[]")
    elif node.get("properties"):
        yield path, node["properties"], node.get("required", [])
        for name, inner in node["properties"].items():
            yield from objects(inner, f"{path}.{name}" if path else name)
    elif isinstance(node.get("additionalProperties"), dict):
        yield from objects(node["additionalProperties"], path + ".NAME")


def tables(schema):
    for path, properties, required in objects(schema, ""):
        yield f"### `{path}`\n\n" if path else "### The manifest\n\n"
        yield "| key | value | |\n|---|---|---|\n"
        for name, node in properties.items():
            needed = "Required: " if name in required else ""
            yield f"| `{name}` | {type_of(node)} | {needed}{node['description']} |\n"
        yield "\n"


def main():
    root = pathlib.Path(sys.argv[-1])
    page = root / "doc/your-kernel.md"
    text = page.read_text(encoding="utf-8")
    schema = json.loads((root / "results/kernel.schema.json").read_text(encoding="utf-8"))
    want = re.sub(f"{BEGIN}.*{END}", lambda _: BEGIN + "\n" + "".join(tables(schema)) + END, text,
                  flags=re.DOTALL)
    if "--write" in sys.argv:
        page.write_text(want, encoding="utf-8")
    n_keys = want.count("\n| `")
    if want != text and "--write" not in sys.argv:
        sys.exit(f"{page}: not as results/kernel.schema.json: run {sys.argv[0]} --write {root}")
    print(f"{n_keys} keys")
    sys.exit(0 if n_keys > 50 else 1)


if __name__ == "__main__":
    main()
