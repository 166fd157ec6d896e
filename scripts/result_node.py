"""JSON that mipbench or its scripts wrote, taken apart by type: what is of a wrong type is an
InputError that names its place; a figure is a number or None. Standard library only."""

import json
import pathlib
import re

MAJOR = 2  # of results.json
MAX_FILE_BYTES = 1 << 28
LARGEST, LEAST = 1e18, 1e-9  # no figure of a run is larger; what is smaller is taken for 0
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class InputError(Exception):
    """What is wrong with an input, with its name, and what to do about it: one line."""


def clean(value):
    """Text without what a terminal, XML or HTML cannot take."""
    return UNPRINTABLE.sub("?", value) if isinstance(value, str) else value


def cleaned(value):
    """Texts of a list, too; those of objects are clean already."""
    return list(map(cleaned, value)) if isinstance(value, list) else clean(value)


def is_number(value):
    """One that a run can have, so that all that is computed of it stays finite."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and abs(value) <= LARGEST)


def tamed(value):
    return value if abs(value) >= LEAST else 0


KINDS = {str: "a text", list: "a list", bool: "true or false"}


class Node:
    """A JSON object with its place; members are taken out by type. What is not read is not checked."""

    def __init__(self, value, path, place=""):
        if not isinstance(value, dict):
            raise InputError(f"{path}: {place or 'it'}: not an object; is this a results.json of "
                             "mipbench?")
        self.value, self.path, self.place = value, path, place

    def at(self, key):
        return f"{self.place}.{key}".lstrip(".")

    def wrong(self, key, what):
        return InputError(f"{self.path}: {self.at(key)}: {what}; is this a results.json of "
                          "mipbench?")

    def known(self, key, default=None):
        """What is there; without a default it must be."""
        value = self.value.get(key)
        value = default if value is None else value
        if value is None:
            raise self.wrong(key, "missing")
        return value

    def typed(self, kind, key, value):
        if not isinstance(value, kind):
            raise self.wrong(key, f"not {KINDS[kind]}")
        return value

    def text(self, key, default=None):
        return self.typed(str, key, self.known(key, default))

    def optional_text(self, key):
        """A string, or None where it is null or missing."""
        return None if self.value.get(key) is None else self.text(key)

    def to_figure(self, key, value):
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:
            return int(value)  # a count above 2^53
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise self.wrong(key, "not a number")
        return tamed(value) if is_number(value) else None

    def figure(self, key):
        """A number, or None where it is null, missing or beyond reason."""
        return self.to_figure(key, self.value.get(key))

    def figures(self, key):
        """A list of them; empty where it is null or missing."""
        return self.to_figures(key, self.items(key))

    def amount(self, key):
        """A number that cannot be below zero, or None."""
        return self.to_amount(key, self.figure(key))

    def to_amount(self, key, value):
        if value is not None and value < 0:
            raise self.wrong(key, "below zero")
        return value

    def to_figures(self, key, values):
        return [self.to_figure(f"{key}[{index}]", value) for index, value in enumerate(values)]

    def count(self, key, default=0):
        """A whole number; with None for a default it must be there."""
        value = self.figure(key)
        if value is None and default is None:
            raise self.wrong(key, "missing")
        return default if value is None else int(value)

    def flag(self, key, default=False):
        return self.typed(bool, key, self.known(key, default))

    def interval(self, key):
        """(low, high), or None where one of them is not known."""
        value = self.value.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            raise self.wrong(key, "not an interval")
        known = all(map(is_number, value)) and value[0] <= value[1]
        return tuple(map(tamed, value)) if known else None

    def child(self, key):
        """An object; an empty one where it is null or missing."""
        return Node(self.known(key, {}), self.path, self.at(key))

    def member(self, key):
        """An object that must be there."""
        return Node(self.known(key), self.path, self.at(key))

    def items(self, key):
        return self.typed(list, key, self.known(key, []))

    def children(self, key):
        return [Node(item, self.path, f"{self.at(key)}[{index}]")
                for index, item in enumerate(self.items(key))]

    def texts(self, key):
        return [self.typed(str, f"{key}[{index}]", item) for index, item in enumerate(self.items(key))]


def what_next(error):
    """A fresh clone has only the results of others."""
    if isinstance(error, FileNotFoundError):
        return ("measure first ('mipbench IMAGE' writes results/*/results.json), or take a file in "
                "results/reference/")
    return "give the results.json of a run"


def read_text(path):
    """The text of a file of JSON."""
    path = pathlib.Path(path)
    try:
        n_bytes = path.stat().st_size if path.is_file() else MAX_FILE_BYTES
        with open(path, "rb") as file:
            text = file.read(min(n_bytes, MAX_FILE_BYTES) + 1)
        if len(text) > MAX_FILE_BYTES:
            raise InputError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB; "
                             "is this a results.json of mipbench?")
        return text.decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; {what_next(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8; give the results.json of a run") from error


def parse(path, text):
    """The value of a JSON text; all texts in it are clean."""
    def refuse(word):
        raise ValueError(f"{word} is not a number of JSON")

    def clean_object(pairs):
        return {clean(key): cleaned(value) for key, value in pairs}
    try:
        return cleaned(json.loads(text, parse_constant=refuse, object_pairs_hook=clean_object))
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: not JSON ({reason}); measure again, or name another file"
                         ) from error


def is_of(root, name):
    """Whether a JSON value says that it is of the schema `name`."""
    schema = root.get("schema") if isinstance(root, dict) else None
    return isinstance(schema, dict) and schema.get("name") == name


def check_schema(path, root):
    """The version that a result says it is of, as a text."""
    if not is_of(root, "mipbench"):
        raise InputError(f"{path}: not a result of mipbench; give the results.json of a run")
    return check_version(path, root, MAJOR)


def check_version(path, root, major):
    """As above, of whatever schema: `major`.x.y."""
    version = str(root["schema"].get("version"))
    numbers = version.split(".")
    if len(numbers) != 3 or not all(re.fullmatch("[0-9]{1,9}", part) for part in numbers):
        raise InputError(f"{path}: schema version '{clean(version)}' is not a version; measure "
                         "again")
    if int(numbers[0]) != major:
        raise InputError(f"{path}: schema version {version}, but {major}.x is needed; measure "
                         "again, or use the scripts of the mipbench that wrote it")
    return version


def read_beside(runs, name, schema, major, writer):
    """(file, root) of each file of this name beside a result, once; one that `writer` has not written is an
    error."""
    found = []
    for folder in dict.fromkeys(run.path.parent for run in runs):
        path = folder / name
        if not path.is_file():
            continue
        value = parse(path, read_text(path))
        if not is_of(value, schema):
            raise InputError(f"{path}: not {writer}; make it anew, or move it away")
        check_version(path, value, major)
        found.append((path, Node(value, path)))
    return found
