"""The sets of results/reference/ that the tests of scripts/ read, what each must have, and rows
taken out of one."""
import json

import cli

REFERENCE = cli.ROOT / "results/reference"
# Standard sizes from 256x256 to 4096x4096, powers of two and others, hot and cold, latency.
GPU = REFERENCE / "nvidia-h200/run-1.json"
GPU_MODES = REFERENCE / "nvidia-h200/modes.json"  # hot and cold, all modes, split by level
GPU_VARIANTS = REFERENCE / "nvidia-h200/variants.json"  # spd:fp16=on, separable, more than a dozen
PUBLISHED = REFERENCE / "nvidia-h200/published.json"  # kernels of manifests; wrong ones, too
GPU_ODD = GPU  # spd at 4095x4095
SOFTWARE = REFERENCE / "lavapipe/run-1.json"  # 256x256, 512x512, 501x333; all strategies
SOFTWARE_MODES = REFERENCE / "lavapipe/modes.json"
WHOLE_SETS = [REFERENCE / "nvidia-h200"]


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def timings(root):
    return [timing for case in root["cases"] for timing in case["timings"]]


def rows(root):
    return [row for timing in timings(root) for row in timing["rows"]]


def variants(root, label=None):
    return [variant for case in root["cases"] for variant in case["variants"]
            if label in (None, variant["label"])]


def keep(case, is_kept):
    """Only the variants that are kept, and rankings of those."""
    case["variants"] = [variant for variant in case["variants"] if is_kept(variant)]
    ids = {variant["id"] for variant in case["variants"]}
    for timing in case["timings"]:
        timing["rows"] = [row for row in timing["rows"] if row["variant"] in ids]
        columns = timing["blocks"]["columns"]
        timing["blocks"]["columns"] = [it for it in columns if it["variant"] in ids]
        control = timing["aa_control"]
        timing["aa_control"] = control if control and control["variant"] in ids else None
        rerank(timing, ids)


def rerank(timing, ids):
    """As if only these were ranked."""
    for ranking in timing["rankings"]:
        for key in ("order", "tied"):
            ranking[key] = [name for name in ranking[key] if name in ids]
        if ranking["order"] and ranking["fastest"] not in ids:
            ranking["fastest"] = ranking["order"][0]
            ranking["tied"] = []
            ranking["sentence"] = f"{ranking['fastest']} is the fastest that is left."
    timing["rankings"] = [ranking for ranking in timing["rankings"] if ranking["order"]]


def fail(case, variant, **verify):
    """It gave wrong texels: timed, but not ranked."""
    variant.update(status="failed", reason="a texel is wrong")
    variant["verify"].update(status="fail", **verify)
    drop(case, variant, "failed", variant["reason"])


def skip(case, variant, reason="not supported"):
    variant.update(status="skipped", reason=reason)
    clear(variant)
    drop(case, variant, "skipped", reason)
    for row in rows_of(case, variant):
        row["stats"] = None
    for timing in case["timings"]:
        for column in timing["blocks"]["columns"]:
            if column["variant"] == variant["id"]:
                column["durations_ns"] = []


def clear(variant):
    """Nothing of it was verified."""
    variant["verify"].update(status="skipped", max_error_lsb=None, drift_lsb=None, box_lsb=None,
                             levels={}, first_bad=None)


def rows_of(case, variant):
    return [row for timing in case["timings"] for row in timing["rows"]
            if row["variant"] == variant["id"]]


def drop(case, variant, status, reason):
    """Out of all rankings."""
    for row in rows_of(case, variant):
        row.update(status=status, reason=reason, relative=None)
    for timing in case["timings"]:
        rerank(timing, {it["id"] for it in case["variants"]} - {variant["id"]})
