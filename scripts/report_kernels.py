"""Reads inspect.json, as `mipbench inspect --json` prints it, for scripts/report.py."""

from result_node import InputError, Node, check_version, is_of, parse, read_text

SCHEMA, MAJOR = "mipbench-inspection", 1
FIGURES = ("subgroup_size", "registers", "scalar_registers", "spills", "scratch_bytes", "shared_bytes",
           "occupancy", "instructions", "code_bytes")


def load(runs):
    """(file, device, rows) of each inspect.json beside a result; one that cannot be read is an error."""
    found = []
    for folder in dict.fromkeys(run.path.parent for run in runs):
        path = folder / "inspect.json"
        if not path.is_file():
            continue
        value = parse(path, read_text(path))
        if not is_of(value, SCHEMA):
            raise InputError(f"{path}: not printed by 'mipbench inspect --json'; make it anew, or move "
                             "it away")
        check_version(path, value, MAJOR)
        root = Node(value, path)
        rows = [row for variant in root.children("variants") for row in read_rows(variant)]
        found.append((path, root.child("device").text("name"), rows))
    return found


def read_rows(variant):
    """A row for each kernel; one with the reason for a variant that was refused or failed."""
    shared = {"label": variant.text("label"), "format": variant.text("format"),
              "size": f"{variant.count('width')}x{variant.count('height')}",
              "n_texels": variant.count("width") * variant.count("height")}
    if variant.text("status") != "ok":
        reason = f"{variant.text('status')}: {variant.optional_text('reason')}"
        return [{**shared, "kernel": reason, **dict.fromkeys(FIGURES)}]
    return [{**shared, "kernel": kernel.text("kernel"), **{key: kernel.figure(key) for key in FIGURES}}
            for kernel in variant.children("kernels")]
