"""Results of mipbench with planted effects, for the tests of scripts/claims.py."""
import copy
import json
import math
import random
import subprocess
import sys

import cli

SCRIPTS = cli.ROOT / "scripts"

N_BLOCKS = 40
DRIFT = 0.2  # of a whole block, shared by all of its samples: only pairs are free of it
DEFAULTS = {
    "spd": {"load": "auto", "order": "morton", "lds": "vec4", "wave": "on", "fp16": "off",
            "counter": "self", "slices": "one", "parts": "all"},
    "compute": {"npot": "box", "load": "texel"},
    "blit": {},
}
EMPTY = {"n": 0, "median_ns": None, "median_ci_ns": None}


def stats_of(samples):
    ordered = sorted(samples)
    n = len(ordered)
    return {"n": n, "median_ns": ordered[n // 2], "median_ci_level": 0.95,
            "median_ci_ns": [ordered[n // 2 - n // 6], ordered[n // 2 + n // 6]]}


class File:
    """One run: rows are added to it, those of one condition to one cell."""

    def __init__(self, run_id, argv=(), noise=0.002, seed=1, **device):
        self.rng = random.Random(f"{run_id} {seed}")
        self.noise, self.drifts = noise, {}
        self.root = {
            "schema": {"name": "mipbench", "version": "1.2.0"},
            "run": {"id": run_id, "argv": ["mipbench", *argv], "validate": False, "verify": True,
                    "tool": {"git_sha": "0123456"}},
            "device": {"name": "GPU of the test", "type": "discrete",
                       "driver": {"name": "driver", "info": "1.0"}, **device},
            "cells": [], "results": [],
        }

    def cell(self, cell_id, margin, n_blocks):
        if cell_id not in self.drifts:
            self.drifts[cell_id] = [self.rng.gauss(0, DRIFT) for _ in range(n_blocks)]
            control = {"of": "spd", "ratio": 1, "ci": [1, 1], "margin": margin, "samples_ns": []}
            self.root["cells"].append({"id": cell_id, "aa_control": control,
                                       "images": 4 if "overlap" in cell_id else 2})
        return self.drifts[cell_id]

    def row(self, label, time_ns, *, size=1024, cache="cold", mode="latency", rect=None, layers=1,
            margin=0.01, twin_ns=None, steps=(), n_blocks=N_BLOCKS):
        """Add a row by the label that mipbench gives it; returns it for further changes."""
        strategy, *changes = label.split(":")
        changed = dict(change.split("=") for change in changes)
        name = f"noise_{size}x{size}_rgba8_avg{f'_{layers}l' if layers > 1 else ''}"
        cell_id = f"{name}/{cache}-{mode}{'-rect' if rect else ''}"
        slug = "_".join([strategy, *(f"{key}-{value}" for key, value in changed.items()
                                     if DEFAULTS[strategy][key] != value)])
        samples = [time_ns * math.exp(drift + self.rng.gauss(0, self.noise))
                   for drift in self.cell(cell_id, margin, n_blocks)]
        twin = EMPTY if twin_ns is None else {
            "n": 40, "median_ns": twin_ns, "median_ci_level": 0.95,
            "median_ci_ns": [0.99 * twin_ns, 1.01 * twin_ns]}
        diagnostic = changed.get("parts", "all") != "all"
        self.root["results"].append({
            "id": f"{name}/{slug}/{cache}-{mode}", "cell": cell_id, "strategy": strategy,
            "params": {**DEFAULTS[strategy], **changed}, "input": "pattern:noise",
            "input_sha256": "0" * 64, "width": size, "height": size, "layers": layers,
            "levels": size.bit_length(), "format": "rgba8", "reduce": "avg", "filter": "box",
            "alpha": "straight", "shape": "array" if layers > 1 else "2d",
            "rect": rect and dict(zip(("x", "y", "width", "height"), rect)),
            "rects": rect and [dict(zip(("x", "y", "width", "height"), rect))],
            "cache": cache, "mode": mode, "status": "ok", "reason": "", "samples_ns": samples,
            "stats": stats_of(samples), "null_twin": copy.deepcopy(twin),
            "batch": None,
            "steps": [{"first_level": level + 1, "levels": 1, "median_ns": time, "gap_ns": 0}
                      for level, time in enumerate(steps)],
            "diagnostic": diagnostic, "verify": {"status": "skipped" if diagnostic else "pass"},
        })
        return self.root["results"][-1]

    def fail(self, label, time_ns, reason, **condition):
        row = self.row(label, time_ns, **condition)
        row.update(status="failed", reason=reason)
        row["verify"]["status"] = "fail"
        return row

    def write(self, folder, name=None):
        path = folder / f"{name or self.root['run']['id']}.json"
        path.write_text(json.dumps(self.root), encoding="utf-8")
        return path


class TestCase(cli.TestCase):
    def claims(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPTS / "claims.py"), *map(str, arguments)],
                              cwd=self.dir, capture_output=True, timeout=cli.TIMEOUT_S,
                              check=False)
        return cli.Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
