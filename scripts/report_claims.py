"""Reads claims.json, as scripts/claims.py writes it, for scripts/report.py."""

from result_node import read_beside

SCHEMA, MAJOR = "mipbench-claims", 1


def load(runs):
    """(file, claims) of each claims.json beside a result; one that cannot be read is an error."""
    found = read_beside(runs, "claims.json", SCHEMA, MAJOR, "written by scripts/claims.py")
    return [(path, list(map(read_claim, root.children("claims")))) for path, root in found]


def read_claim(node):
    texts = {key: str(node.value.get(key) or "") for key in
             ("claim", "source", "measured", "at", "device", "verdict", "seen", "run", "kind")}
    return {**texts, "value": node.figure("value"), "ci": node.interval("ci")}
