"""Reads claims.json, as scripts/claims.py writes it, for scripts/report.py."""

from result_node import InputError, Node, check_version, is_of, parse, read_text

SCHEMA, MAJOR = "mipbench-claims", 1


def load(runs):
    """(file, claims) of each claims.json beside a result; one that cannot be read is an error."""
    found = []
    for folder in dict.fromkeys(run.path.parent for run in runs):
        path = folder / "claims.json"
        if not path.is_file():
            continue
        value = parse(path, read_text(path))
        if not is_of(value, SCHEMA):
            raise InputError(f"{path}: not written by scripts/claims.py; make it anew, or move it "
                             "away")
        check_version(path, value, MAJOR)
        found.append((path, [read_claim(node) for node in Node(value, path).children("claims")]))
    return found


def read_claim(node):
    texts = {key: str(node.value.get(key) or "") for key in
             ("claim", "source", "measured", "at", "device", "verdict", "seen", "run", "kind")}
    return {**texts, "value": node.figure("value"), "ci": node.interval("ci")}
