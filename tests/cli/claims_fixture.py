"""Results of mipbench with planted effects, for the tests of scripts/claims.py."""
import json
import math
import random

import cli

N_BLOCKS = 40
DRIFT = 0.2  # of a whole block, shared by all of its samples: only pairs are free of it
DEFAULTS = {
    "spd": {"load": "auto", "order": "morton", "lds": "vec4", "wave": "on", "fp16": "off",
            "counter": "self", "slices": "one", "parts": "all"},
    "compute": {"npot": "box", "load": "texel"},
    "blit": {},
}


def stats_of(samples):
    ordered = sorted(samples)
    n = len(ordered)
    return {"n": n, "median_ns": ordered[n // 2], "median_ci_level": 0.95,
            "median_ci_ns": [ordered[n // 2 - n // 6], ordered[n // 2 + n // 6]]}


class Row:
    """What was added: its variant, its figures and its samples, for further changes."""

    def __init__(self, variant, figures, column):
        self.variant, self.figures, self.column = variant, figures, column


class File:
    """One run: rows are added to it, those of one condition to one timing."""

    def __init__(self, run_id, argv=(), noise=0.002, seed=1, image_usage="all", **device):
        self.rng = random.Random(f"{run_id} {seed}")
        self.noise, self.drifts, self.rows = noise, {}, []
        self.image_usage = image_usage
        self.root = {
            "schema": {"name": "mipbench", "version": "2.0.0"},
            "run": {"id": run_id, "argv": ["mipbench", *argv], "validate": False, "verify": True,
                    "tool": {"git_sha": "0123456"}},
            "device": {"name": "GPU of the test", "type": "discrete",
                       "driver": {"name": "driver", "info": "1.0"}, **device},
            "cases": [],
        }

    def case(self, size, rect, layers):
        name = f"noise_{size}x{size}_rgba8_avg_{layers}l{'_rect' if rect else ''}"
        found = [case for case in self.root["cases"] if case["id"] == name]
        if not found:
            found.append({
                "id": name, "input": "pattern:noise", "input_sha256": "0" * 64, "width": size,
                "height": size, "layers": layers, "levels": size.bit_length(), "format": "rgba8",
                "reduce": "avg", "alpha": "straight", "shape": "array" if layers > 1 else "2d",
                "rects": rect and [dict(zip(("x", "y", "width", "height"), rect))],
                "image_usage": self.image_usage, "variants": [], "timings": []})
            self.root["cases"] += found
        return found[0]

    def timing(self, case, cache, mode, margin, n_blocks):
        found = [timing for timing in case["timings"]
                 if (timing["cache"], timing["mode"]) == (cache, mode)]
        if not found:
            found.append({"cache": cache, "mode": mode, "images": 4 if mode == "overlap" else 2,
                          "aa_control": None, "blocks": {"columns": []}, "rows": [],
                          "rankings": []})
            case["timings"] += found
            self.drifts[id(found[0])] = [self.rng.gauss(0, DRIFT) for _ in range(n_blocks)]
        found[0]["margin"] = margin  # of the control, once there is a variant for it
        return found[0]

    def variant(self, case, label, steps):
        """By its label; what holds of it whatever the condition."""
        found = [variant for variant in case["variants"] if variant["label"] == label]
        if not found:
            strategy, *changes = label.split(":")
            changed = dict(change.split("=") for change in changes)
            diagnostic = changed.get("parts", "all") != "all"
            found.append({
                "id": label.replace(":", "_").replace("=", "-"), "label": label,
                "strategy": strategy, "params": {**DEFAULTS[strategy], **changed},
                "status": "ok", "reason": "", "diagnostic": diagnostic,
                "verify": {"status": "skipped" if diagnostic else "pass"},
                "steps": [{"first_level": level + 1, "levels": 1, "median_ns": time, "gap_ns": 0}
                          for level, time in enumerate(steps)]})
            case["variants"] += found
        return found[0]

    def row(self, label, time_ns, *, size=1024, cache="cold", mode="latency", rect=None, layers=1,
            margin=0.01, twin_ns=None, steps=(), n_blocks=N_BLOCKS):
        """Add a row by the label that mipbench gives it; returns it for further changes."""
        case = self.case(size, rect, layers)
        timing = self.timing(case, cache, mode, margin, n_blocks)
        variant = self.variant(case, label, steps)
        timing["aa_control"] = {"variant": variant["id"], "ratio": 1, "ci": [1, 1],
                                "margin": timing.pop("margin")}
        samples = [time_ns * math.exp(drift + self.rng.gauss(0, self.noise))
                   for drift in self.drifts[id(timing)]]
        timing["rows"].append({"variant": variant["id"], "status": "ok", "reason": "",
                               "stats": stats_of(samples)})
        columns = timing["blocks"]["columns"]
        columns.append({"variant": variant["id"], "kind": "sample", "durations_ns": samples})
        if twin_ns is not None:
            columns.insert(0, {"variant": variant["id"], "kind": "null_twin",
                               "durations_ns": [twin_ns * sample / time_ns for sample in samples]})
        self.rows.append(Row(variant, timing["rows"][-1], columns[-1]))
        return self.rows[-1]

    def fail(self, label, time_ns, reason, **condition):
        row = self.row(label, time_ns, **condition)
        row.variant["verify"]["status"] = "fail"
        for node in (row.variant, row.figures):
            node.update(status="failed", reason=reason)
        return row

    def write(self, folder, name=None):
        path = folder / f"{name or self.root['run']['id']}.json"
        path.write_text(json.dumps(self.root), encoding="utf-8")
        return path


class TestCase(cli.TestCase):
    def claims(self, *arguments, **options):
        return self.script("claims.py", *arguments, **options)
