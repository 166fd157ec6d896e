#!/usr/bin/env python3
"""Kernels that are wrong in one sly way each, of tests/lies/lies.json: none of them is verified. Beside
them, the same kernel without a lie is, at the same size.

usage: test_lies.py MIPBENCH
"""
import json
import re
import shutil

import cli

MANIFEST = cli.ROOT / "tests" / "lies" / "lies.json"
LOOKS = MANIFEST.with_name("looks.json")

# What a row says of a lie: when it was found, and the first wrong level, layer, x and y.
FIRST, PROBE = "wrong", "wrong on the probe image"
AFTER, PROBE_AFTER = "wrong after timing", "wrong on the probe image after timing"
EARLY, TIMED = "wrong while timed: before the samples", r"wrong while timed: sample \d+ of \d+"  # nowhere: by a hash
START = (1, 0, 0, 0)  # all texels are wrong, or nearly

# Runs: the image, further arguments, and when and where each lie is found.
CAUGHT = [
    # In one place.
    ("noise:33x21", ["-f", "rgba8", "--layers", "2"], FIRST, {
        "one-code": (1, 1, 2, 1), "one-code-last": (5, 1, 0, 0), "blue-last": (5, 0, 0, 0), "channels": (2, 0, 0, 0),
        "alpha": START, "layer-0": (1, 1, 0, 0), "neighbours": START, "tail": (5, 0, 0, 0)}),
    ("noise:16x16", ["-f", "rgba8", "--layers", "8"], FIRST, {
        "layer-7": (3, 7, 0, 0), "unwritten-layer": (1, 2, 0, 0)}),
    ("noise:520x4", ["-f", "rgba8"], FIRST, {"beyond-256": (1, 0, 256, 0)}),
    # All over an image whose sizes are even.
    ("noise:32x32", ["-f", "rgba8"], FIRST, {
        "nearest": START, "last-group": (1, 0, 8, 8), "corner": (1, 0, 15, 15), "edge-again": (1, 0, 15, 0),
        "beyond-edge": START, "shifted": (2, 0, 0, 0), "mirrored": START, "upside-down": START,
        "transposed": (1, 0, 1, 0), "half-tail": (5, 0, 0, 0), "half-tail-down": (5, 0, 0, 0),
        "quarter-code": (1, 0, 1, 0), "truncates": (1, 0, 1, 0), "rounds-pairs": START,
        "unwritten-texel": (2, 0, 1, 0), "unwritten-level": (2, 0, 0, 0), "last-two": (4, 0, 0, 0)}),
    # Odd and thin ones.
    ("noise:33x21", ["-f", "rgba8"], FIRST, {
        "drops-column": START, "drops-row": START, "two-taps": START, "equal-taps": START, "power-of-two": START,
        "square": START, "writes-level-0": (0, 0, 0, 0)}),
    ("noise:4x32", ["-f", "rgba8"], FIRST, {"thin": (3, 0, 0, 0)}),
    # Other formats and reductions.
    ("noise:32x32", ["-f", "rgba8-srgb"], FIRST, {"no-curve": START, "gamma-2-2": START, "alpha-curve": START}),
    ("signed:33x20", ["-f", "r32f"], FIRST, {"halves": START, "clamps": START}),
    ("signed:128x64", ["-f", "rgba16f"], FIRST, {"zero-weight": (1, 0, 8, 4)}),
    ("signed:256x256", ["-f", "rgba16f", "-r", "max"], FIRST, {"max-nan-0": (1, 0, 23, 1)}),
    ("noise:33x20", ["-f", "rgba8", "-r", "max"], FIRST, {
        "two-taps": (1, 0, 1, 0), "max-of-means": START, "max-diagonal": START, "min": START}),
    # Right on the image.
    ("flat:32x32", ["-f", "rgba8"], PROBE, {
        "nearest": START, "neighbours": START, "mirrored": START, "upside-down": START, "transposed": (1, 0, 1, 0),
        "shifted": (2, 0, 0, 0), "last-two": (4, 0, 0, 0), "tail": (5, 0, 0, 0), "half-tail": (5, 0, 0, 0),
        "half-tail-down": (5, 0, 0, 0)}),
    ("noise:32x32", ["-f", "rgba8"], PROBE, {
        "that-image": (5, 0, 0, 0), "one-run-late": START, "first-again": START, "every-other-run": START,
        "white": (1, 0, 4, 4), "saturates": (1, 0, 4, 4), "grey": (1, 0, 4, 6), "diagonal": (1, 0, 10, 5)}),
    ("noise:64x32", ["-f", "rgba16f"], PROBE, {"negative": (1, 0, 9, 8), "large": (1, 0, 8, 8)}),
    ("noise:33x21", ["-f", "r32f"], PROBE, {"zero-times": START}),  # NaN is in the second poison
    ("noise:33x21", ["-f", "rgba16f"], PROBE, {"clamps": START}),  # in floats the probe goes up to 4
    # Right at first.
    ("noise:32x32", ["-f", "rgba8"], PROBE_AFTER, {"third-again": START}),
    ("noise:32x32", ["-f", "rgba8"], EARLY, {"from-run-3": None, "from-run-3-unwritten": None, "run-3": None}),
    ("flat:32x32", ["-f", "rgba8"], EARLY, {"from-run-3-image": None}),
    # Right where the chain of the same image is there: levels are not, when a sample begins.
    ("noise:32x32", ["-f", "rgba8"], EARLY, {"same-again": None}),
    # Wrong now and then. A software device hashes every 16th sample, and 16 and 99 have no common factor.
    ("noise:32x32", ["-f", "rgba8", "-n", "300"], TIMED, {"once-in-99": None}),
    # Right over poison alone.
    ("noise:32x32", ["-f", "rgba8"], EARLY, {"poison-only": None}),
    # Right over poison and over other texels: the last run is over the probe's chain.
    ("noise:32x32", ["-f", "rgba8"], AFTER, {"idle": START}),
    # Right over its own chain of the same image, where what it does not look at has not changed.
    ("noise:32x32", ["-f", "rgba8"], AFTER + ": keeps what it made of earlier texels", {
        "looks-at-one": (1, 0, 5, 0)}),
    # Right for either image, by what an earlier run on it has left in scratch.
    ("flat:32x32", ["-f", "rgba8"], PROBE_AFTER, {"remembers": START}),
]

class Lies(cli.TestCase):
    def tell(self, image, args, lies):
        """Run the honest kernel and lies; the rows by lie, of which the honest one is verified."""
        specs = ",".join(["lies", *(f"lies:lie={lie}" for lie in lies)])
        outcome = self.quick("pattern:" + image, *args, "--images", "none", "-o", "out",
                             "--kernel", str(MANIFEST), "-s", specs)
        row_of = {row["label"].removeprefix("lies:lie="): row for row in self.rows()}
        shutil.rmtree(self.dir / "out")
        honest = row_of.pop("lies")
        self.assertEqual((honest["status"], honest["verify"]["status"]), ("ok", "pass"), honest["reason"])
        self.assertEqual(set(row_of), set(lies), outcome)
        return outcome, row_of

    def test_caught(self):
        for image, args, when, place_of in CAUGHT:
            outcome, row_of = self.tell(image, args, place_of)
            for lie, place in place_of.items():
                with self.subTest(image=image, args=args, lie=lie):
                    row = row_of[lie]
                    self.assertEqual((row["status"], row["verify"]["status"]), ("failed", "fail"), row)
                    self.assertRegex(row["reason"], "^" + when + (
                        ": the chain differs from the verified one$" if place is None else
                        r": level {}{} \({}, {}\) [rgba]: .+, not ".format(
                            place[0], f" layer {place[1]}" if place[1] > 0 else "", *place[2:])))
            self.assertEqual(outcome.code, 1, outcome)
            self.assertEqual(outcome.out.count(b"FAIL: "), len(place_of), outcome)

    def test_not_asked_for(self):
        """No manifest gets at a level that was not asked for."""
        outcome = self.quick("pattern:noise:33x20", "-f", "rgba8", "--levels", "3", "--kernel", str(MANIFEST),
                             "-s", "lies:lie=not-asked-for", "-o", "out")
        self.assert_error(outcome, 3, "lies.json: ", "not-asked-for: 3 is not an integer from 0 to 2")

    def test_updates(self):
        """Chains of updates are verified while they are timed, whatever is beside them."""
        self.quick("pattern:noise:64x64", "--rect", "16,16,8,8", "-n", "20", "-s", "compute,spd,separable",
                   "--images", "none", "-o", "out")
        self.assertEqual([row["n_verified"] for row in self.rows("out/results.json")], [20, 20, 20])

    def test_looks(self):
        """What looks at a few texels, and does nothing where they are right, is wrong."""
        for mode in ("latency", "throughput"):
            with self.subTest(mode=mode):
                outcome = self.quick("pattern:noise:1024x1024", "-f", "rgba8", "--mode", mode, "-n", "3", "-s",
                                     "compute,looks", "--kernel", str(LOOKS), "--images", "none", "-o", "out")
                honest, looks = self.rows("out/results.json")
                self.assertEqual((honest["status"], looks["status"]), ("ok", "failed"), outcome)
                self.assertRegex(looks["reason"], "^" + EARLY)

    def test_all(self):
        """Each lie of the manifest is told."""
        told = {lie for run in CAUGHT for lie in run[3]}
        manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
        self.assertEqual(set(manifest["parameters"]["lie"]), told | {"none", "not-asked-for"})
        self.assertGreaterEqual(len({lie for run in CAUGHT for lie in run[3]}), 30)


if __name__ == "__main__":
    cli.main()
