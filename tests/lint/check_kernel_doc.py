#!/usr/bin/env python3
"""usage: check_kernel_doc.py [--write] ROOT

The tables of keys in doc/your-kernel.md are what results/kernel.schema.json says: one for each
object of a manifest, with every key, its value and its description. --write puts them there."""

import json

import key_tables

REFERENCES = {"text": "text", "texts": "list of text", "boolean": "true or false",
              "expression": "number or expression", "expressions": "list of number or expression",
              "levels": 'list, or {"first", "last"}', "values": "number, expression, or a list of them",
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


def tables(path):
    schema = json.loads(path.read_text(encoding="utf-8"))
    for where, properties, required in objects(schema, ""):
        yield f"### `{where}`\n\n" if where else "### The manifest\n\n"
        yield "| key | value | |\n|---|---|---|\n"
        for name, node in properties.items():
            needed = "Required: " if name in required else ""
            yield f"| `{name}` | {type_of(node)} | {needed}{node['description']} |\n"
        yield "\n"


if __name__ == "__main__":
    key_tables.check("doc/your-kernel.md", "results/kernel.schema.json", tables, least=50)
