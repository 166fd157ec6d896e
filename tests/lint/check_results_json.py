#!/usr/bin/env python3
"""usage: check_results_json.py [--write] ROOT

The tables of keys in doc/results-json.md are what results/schema.json says: one for each object, with
every key, its type and its description. --write puts them there."""

import json
import sys

import key_tables


class Schema:
    def __init__(self, path):
        self.root = json.loads(path.read_text(encoding="utf-8"))

    def resolve(self, node):
        """What a reference or an alternative to null stands for; the description that is nearest."""
        described = node.get("description", "")
        for option in node.get("oneOf", []):
            if option.get("type") != "null":
                return self.resolve({"description": described, **option} if described else option)
        if "$ref" in node:
            target = self.root["$defs"][node["$ref"].rpartition("/")[2]]
            return self.resolve({**target, **({"description": described} if described else {})})
        return node

    def can_be_null(self, node):
        options = node.get("oneOf", [])
        target = self.root["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else {}
        return (any(option.get("type") == "null" for option in options) or None in node.get("enum", [])
                or "null" in node.get("type", []) or (bool(target) and self.can_be_null(target)))

    def type_of(self, node):
        null = " or null" if self.can_be_null(node) else ""
        if node.get("$ref") == "#/$defs/u64":
            return "count" + null
        if node.get("$ref") == "#/$defs/interval":
            return "[from, to]" + null
        node = self.resolve(node)
        if "enum" in node:
            return ", ".join(f"`{value}`" for value in node["enum"] if value is not None) + null
        if "const" in node:
            return f"`{node['const']}`"
        kinds = [node["type"]] if isinstance(node["type"], str) else node["type"]
        names = [kind for kind in kinds if kind != "null"]
        if names == ["array"]:
            return f"list of {self.type_of(node['items'])}" + null
        return " or ".join(names) + null

    def objects(self, node, path):
        """(path, properties) of an object and of those within it, in the order of the schema."""
        node = self.resolve(node)
        if node.get("type") == "array":
            yield from self.objects(node["items"], path + "[]")
        elif node.get("properties"):
            yield path, node["properties"]
            for name, inner in node["properties"].items():
                yield from self.objects(inner, f"{path}.{name}" if path else name)


def tables(path_of_schema):
    schema = Schema(path_of_schema)
    for path, properties in schema.objects(schema.root, ""):
        yield f"### `{path}`\n\n" if path else "### The whole\n\n"
        yield "| key | value | |\n|---|---|---|\n"
        for name, node in properties.items():
            description = schema.resolve(node).get("description")
            if not description:
                sys.exit(f"results/schema.json: {path}.{name}: no description")
            yield f"| `{name}` | {schema.type_of(node)} | {description} |\n"
        yield "\n"


if __name__ == "__main__":
    key_tables.check("doc/results-json.md", "results/schema.json", tables, least=150)
