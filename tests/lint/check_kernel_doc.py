#!/usr/bin/env python3
"""usage: check_kernel_doc.py [--write] ROOT

The table of keys in doc/your-kernel.md is what results/kernel.schema.json says: every key of a
manifest, its value and its description. --write puts it there."""

import json

import key_tables

REFERENCES = {"text": "text", "texts": "list of text", "boolean": "true or false",
              "expression": "expression", "expressions": "list of expression",
              "levels": 'list, or {"first", "last"}', "values": "object of expression or list",
              "parameters": "object of list of names", "by": ""}


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
        return "number, text or null"
    if node["type"] == "array":
        return f"list of {type_of(node['items'])}"
    if isinstance(node.get("additionalProperties"), dict) and not node.get("properties"):
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


def tables(path):
    schema = json.loads(path.read_text(encoding="utf-8"))
    yield "| key | value | |\n|---|---|---|\n"
    for where, properties, required in objects(schema, ""):
        for name, node in properties.items():
            needed = "Required: " if name in required else ""
            key = f"{where}.{name}" if where else name
            if not any(objects(node, key)):  # those within say what it is
                yield f"| `{key}` | {type_of(node)} | {needed}{node['description']} |\n"


if __name__ == "__main__":
    key_tables.check("doc/your-kernel.md", "results/kernel.schema.json", tables, least=50)
