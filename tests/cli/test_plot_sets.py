#!/usr/bin/env python3
"""scripts/plot.py on every kind of result set: what is drawn of it, and what is said of the plots
that cannot be drawn. usage: test_plot_sets.py MIPBENCH"""
import re

import cli
from kept_sets import GPU_VARIANTS, SOFTWARE_MODES, clear, fail, rows, skip, timings, variants
from plot_fixture import N_KEPT, SIZES, PlotCase, Svg, each_variant, trimmed
import plot


HOLLOW_SPD = re.compile(r'<g id="error spd">.*?fill: #ffffff; stroke: #0072b2', re.DOTALL)


class KindsOfSets(PlotCase):
    def test_one_strategy(self):
        root = trimmed(GPU_VARIANTS, labels=("spd",))
        made = ("time-size", "bandwidth", "samples", "error", "winners")
        svgs = self.draw([root], *plot.NAMES, made=made)
        self.assert_not_made(self.outcome, "forest", "two strategies", "-s all")
        self.assert_not_made(self.outcome, "levels", "no level was timed alone", "--per-level")
        self.assertNotIn("blit", svgs["time-size"].texts)
        self.assertIsNone(HOLLOW_SPD.search(svgs["error"].source))

    def test_failures_are_hollow_and_do_not_win(self):
        root = trimmed(GPU_VARIANTS, ("blit", "subgroup", "spd"), cache="cold")
        for case, variant in each_variant(root, "spd"):
            fail(case, variant, max_error_lsb=37.5)
        names = ("time-size", "error", "winners", "forest", "samples")
        svgs = self.draw([root], *names)
        for name in ("time-size", "error"):
            self.assertIn("hollow: not verified", svgs[name].texts)
        self.assertIn("spd (not verified)", svgs["samples"].text)
        self.assertNotIn("spd", svgs["winners"].texts)
        self.assertNotIn("spd", svgs["forest"].texts)
        self.assertRegex(svgs["forest"].text, "time over that of (subgroup|blit)")
        self.assertIsNotNone(HOLLOW_SPD.search(svgs["error"].source))  # white inside

    def test_skips_are_hatched_where_nothing_is_left(self):
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold")
        for case, variant in each_variant(root):
            if case["width"] == 256:
                skip(case, variant)
        svg = self.draw([root], "winners", "time-size")["winners"]
        self.assertEqual(svg.texts.count("unsupported"), 1)
        self.assertIn("url(#", svg.source)  # the hatch
        self.assertNotIn("not measured", svg.texts)

    def test_all_skipped(self):
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold")
        for case, variant in each_variant(root):
            skip(case, variant)
        self.draw([root], *plot.NAMES, made=())
        for name in plot.NAMES:
            self.assert_not_made(self.outcome, name, "no row has a time", "noise")

    def check_software(self, svg):
        self.assertIn("SOFTWARE: says nothing about a GPU", svg.text)
        self.assertIn("llvmpipe", svg.text)

    def test_software_with_a_roofline(self):
        root = trimmed(SOFTWARE_MODES, sizes=((256, 256), (512, 512), (501, 333)))
        self.check_software(self.draw([root], "bandwidth")["bandwidth"])

    def test_several_devices(self):
        labels = ("spd", "blit")
        sizes = SIZES[1:]  # one of each panel
        other = trimmed(GPU_VARIANTS, labels, sizes, "hot", run_id="other")
        other["device"]["name"] = "Other GPU"
        other["device"]["driver"]["info"] = "99.1"
        roots = [trimmed(GPU_VARIANTS, labels, sizes, "hot"), other]
        svgs = self.draw(roots, *(set(plot.NAMES) - {"levels"}))
        for name, svg in svgs.items():
            with self.subTest(name):
                self.assertIn("NVIDIA H200", svg.text)
                self.assertIn("Other GPU", svg.text)
                self.assertIn("driver 99.1", svg.text)
        self.assertEqual(svgs["time-size"].ids.count("series spd"), 4)  # two panels, two devices

    def test_runs_of_one_device_are_pooled(self):
        roots = [trimmed(GPU_VARIANTS, ("spd", "blit"), cache="cold", run_id=run_id)
                 for run_id in ("a", "b", "c")]
        svgs = self.draw(roots, "time-size", "samples", "forest")
        self.assertIn(f"n = {3 * N_KEPT} samples a point", svgs["time-size"].text)
        self.assertIn("3 runs", svgs["time-size"].text)
        self.assertIn("runs one after the other", svgs["samples"].text)
        self.assertIn(f"n = {3 * N_KEPT} samples a strategy", svgs["forest"].text)
        self.assertEqual(svgs["time-size"].ids.count("series spd"), 2)  # one for each panel

    def two_images(self, names=("b/one.png", "c/two.png"), digests="bc"):
        """The same case twice in one run, as of two files."""
        root = trimmed(GPU_VARIANTS, ("spd", "blit"), ((256, 256),), "cold")
        case, = root["cases"]
        return {**root, "cases": [{**case, "id": f"{name}_256x256", "input": name,
                                   "input_sha256": digest} for name, digest in zip(names, digests)]}

    def test_images_are_not_pooled(self):
        options = ("--all",)
        made = [f"{name}_rgba8-avg-cold-latency-{image}-png-256x256"
                for name in ("samples", "forest") for image in ("one", "two")]
        outcome = self.plot(*self.write(self.two_images()), "--format", "svg", "--only",
                            "samples,forest", *options)
        self.assertEqual(outcome.out.split(), [str(self.out / f"{name}.svg") for name in made])
        for name in made:
            svg = Svg(self.out / f"{name}.svg")
            self.assertNotIn(f"n = {2 * N_KEPT} samples", svg.text)
            self.assertIn(f"{'one' if 'one' in name else 'two'}.png", svg.text)
            self.assertNotIn("one after the other", svg.text)

    def test_images_of_one_name_do_not_overwrite_each_other(self):
        sets = [self.two_images(("a.png",), digest) for digest in "bc"]
        sets[1]["run"]["id"] = "another"
        outcome = self.plot(*self.write(*sets), "--format", "svg", "--only", "forest", "--all")
        self.assertEqual(len(set(outcome.out.split())), 2, outcome)

    def test_an_image_is_known_by_its_texels(self):
        """The same file under two names is measured twice."""
        outcome = self.plot(*self.write(self.two_images(digests="bb")), "--format", "svg",
                            "--only", "samples", "--all")
        self.assertEqual(len(outcome.out.split()), 1, outcome)

    def test_builds_are_not_pooled(self):
        sets = [trimmed(GPU_VARIANTS, ("spd", "blit"), cache="cold", run_id=name) for name in "ab"]
        sets[1]["run"]["tool"]["git_sha"] = "fedcba9"
        svg = self.draw(sets, "time-size")["time-size"]
        self.assertIn("NVIDIA H200, fedcba9", svg.texts)

    def test_an_interrupted_run(self):
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), ((256, 256),), "cold")
        root["run"].update(complete=False, exit_reason="interrupted")
        made = ("samples", "error", "forest")
        svgs = self.draw([root], *plot.NAMES, made=made)
        self.assertIn("interrupted", svgs["forest"].text)
        self.assertIn("was interrupted; what it has is drawn", self.outcome.err)
        self.assert_not_made(self.outcome, "time-size", "only one size was timed (256x256)",
                             "--sweep 256:4096")

    def test_what_mipbench_writes_here(self):
        """Not trimmed, of this version, and of a software device."""
        done = self.quick("pattern:noise:32x32", "--size", "16x16,32x32", "--images", "none",
                          "-s", "blit,compute,spd", "-d", "cpu", "-o", "run", "--per-level")
        self.assertEqual(done.code, 0, done)
        outcome = self.plot(self.dir / "run" / "results.json", "--format", "svg")
        self.assertEqual(outcome.code, 0, outcome)
        svgs = {path.stem: Svg(path) for path in self.out.iterdir()}
        self.assertEqual(set(svgs), set(plot.NAMES) - {"bandwidth"})
        for name, svg in svgs.items():
            with self.subTest(name):
                self.check_software(svg)
        self.assertIn("no clock probe on this device", svgs["samples"].texts)
        self.assert_not_made(outcome, "bandwidth", "no ceiling was measured", "")

    def test_no_results_at_all(self):
        root = trimmed(GPU_VARIANTS, labels=())
        self.assertEqual(root["cases"], [])
        outcome = self.plot(*self.write(root))
        self.assertEqual((outcome.code, outcome.out), (0, ""), outcome)
        self.assertEqual(len(outcome.err.splitlines()), len(plot.NAMES), outcome)
        for name in plot.NAMES:
            self.assert_not_made(outcome, name, "the results are empty", "pattern:noise")

    def test_without_verification(self):
        """What the run ranks all the same is said not to be verified."""
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold")
        for variant in variants(root):
            clear(variant)
        svgs = self.draw([root], "time-size", "error", "winners", made=("time-size", "winners"))
        self.assertIn("hollow: not verified", svgs["time-size"].texts)
        self.assertIn("(not verified)", svgs["winners"].texts)
        self.assert_not_made(self.outcome, "error", "no row was verified", "")

    def test_without_a_ranking_nothing_wins(self):
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold")
        for timing in timings(root):
            timing["rankings"] = []
        for row in rows(root):
            row["relative"] = None
        self.draw([root], "winners", "forest", made=())
        self.assert_not_made(self.outcome, "winners", "no row is both timed and right", "")
        self.assert_not_made(self.outcome, "forest", "held against each other", "")

    def test_times_under_validation_are_not_drawn(self):
        root = trimmed(GPU_VARIANTS, cache="cold")
        root["run"]["validate"] = True
        self.draw([root], "time-size", made=())
        self.assert_not_made(self.outcome, "time-size", "validation", "")


if __name__ == "__main__":
    cli.main()
