"""Reads inspect.json, as `mipbench inspect --json` prints it, for scripts/report.py."""

from result_node import read_beside

SCHEMA, MAJOR = "mipbench-inspection", 1
FIGURES = ("subgroup_size", "registers", "scalar_registers", "spills", "scratch_bytes", "shared_bytes",
           "occupancy", "instructions", "code_bytes")


def load(runs):
    """(file, device, rows) of each inspect.json beside a result; one that cannot be read is an error."""
    found = read_beside(runs, "inspect.json", SCHEMA, MAJOR, "printed by 'mipbench inspect --json'")
    return [(path, root.child("device").text("name"),
             [row for variant in root.children("variants") for row in read_rows(variant)]) for path, root in found]


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
