"""Holds a results.json to the types of results/schema.json before anything is read of it. Only its
structure is judged: what is null or missing is not known, and later minor versions add keys and
words. Standard library only."""

import functools
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
PLACES = (HERE / "schema.json", HERE.parent / "results" / "schema.json")  # installed, or not

CLASSES = {"object": {dict}, "array": {list}, "string": {str}, "number": {int, float},
           "integer": {int}, "boolean": {bool}, "null": {type(None)}}
NAMES = {"object": "an object", "array": "a list", "string": "a text", "number": "a number",
         "integer": "a whole number", "boolean": "true or false", "null": "null"}
FOUND = {}


@functools.lru_cache(maxsize=None)
def schema():
    path = next((path for path in PLACES if path.is_file()), PLACES[-1])
    return json.loads(path.read_text(encoding="utf-8"))


def alternatives(node):
    """(type, schema) of all that a schema takes, without references and choices."""
    if id(node) not in FOUND:  # the schema stays, so that its parts keep their identities
        FOUND[id(node)] = find_alternatives(node)
    return FOUND[id(node)]


def find_alternatives(node):
    while "$ref" in node:
        node = schema()["$defs"][node["$ref"].rpartition("/")[2]]
    if "oneOf" in node:
        return [pair for choice in node["oneOf"] for pair in alternatives(choice)]
    values = node.get("enum", [node.get("const")])
    types = node.get("type") or [name for name, classes in CLASSES.items()
                                 if any(type(value) in classes for value in values)]
    return [(name, node) for name in ([types] if isinstance(types, str) else types)]


def is_of_type(value, name):
    return type(value) in CLASSES[name] or (
        name == "integer" and isinstance(value, float) and value.is_integer())


def faults(value, node, place):
    """(place, what is wrong) of each value that is of a wrong type."""
    taken = alternatives(node)
    fitting = next((choice for name, choice in taken if is_of_type(value, name)), None)
    if fitting is None:
        yield place, "not " + " or ".join(dict.fromkeys(NAMES[name] for name, _ in taken))
    elif isinstance(value, dict):
        yield from faults_of_members(value, fitting, place)
    elif isinstance(value, list):
        yield from faults_of_items(value, fitting, place)


def faults_of_members(value, node, place):
    others = node.get("additionalProperties") or {}
    for key, member in value.items():
        known = node.get("properties", {}).get(key) or others
        if known and member is not None:
            yield from faults(member, known, f"{place}.{key}".lstrip("."))


def faults_of_items(values, node, place):
    if not node.get("minItems", 0) <= len(values) <= node.get("maxItems", len(values)):
        yield place, "a list of a wrong length"
    names = {name for name, _ in alternatives(node["items"])}
    plain = set().union(*(CLASSES[name] for name in names - {"object", "array"}))
    if set(map(type, values)) <= plain:  # thousands of samples
        return
    for index, item in enumerate(values):
        yield from faults(item, node["items"], f"{place}[{index}]")


def first_fault(value):
    """(place, what is wrong) of what is of a wrong type in a results.json, or None."""
    return next(faults(value, schema(), ""), None)
