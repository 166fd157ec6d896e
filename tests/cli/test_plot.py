#!/usr/bin/env python3
"""scripts/plot.py: each plot holds the series and the text that it must, options narrow what is
drawn, and bad input is refused in a line. usage: test_plot.py MIPBENCH"""
import copy
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import cli
from kept_sets import GPU_MODES, GPU_ODD, GPU_VARIANTS, fail, load, rows, timings, variants
from plot_fixture import SIZES, PlotCase, Svg, each_variant, run_plot, trimmed
import matplotlib.image  # the fixture has looked whether it is there
import numpy
import plot
import plot_data
import result_style
import results


class EveryPlot(PlotCase):
    """One set with everything, drawn once: what each picture holds."""
    LAID_OUT = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.root = trimmed(GPU_MODES)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-plot-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        file, cls.drawn = cls.folder / "set.json", cls.folder / "plots"
        file.write_text(json.dumps(cls.root), encoding="utf-8")
        cls.outcome = run_plot(str(file), "-o", str(cls.drawn))

    def check_footer(self, svg):
        device = self.root["device"]
        self.assertIn(f"{device['name']} · driver {device['driver']['info']} · Vulkan 1.", svg.text)
        self.assertRegex(svg.text, r"n = \d+")
        self.assertRegex(svg.text, "rgba8, avg, (cold|hot), latency|avg, cold, latency")

    def test_all_seven_are_made_by_default(self):
        self.assertEqual(self.outcome.code, 0, self.outcome)
        names = [f"{name}.{kind}" for name in plot.NAMES for kind in ("png", "svg")]
        self.assertEqual(sorted(path.name for path in self.drawn.iterdir()), sorted(names))
        self.assertEqual(self.outcome.out.split(), [str(self.drawn / name) for name in names])
        for name in plot.NAMES:
            with self.subTest(name):
                self.check_footer(self.svg(name))
                self.check_ink(self.drawn / f"{name}.png")

    def svg(self, name):
        return Svg(self.drawn / f"{name}.svg")

    def check_ink(self, path):
        texels = matplotlib.image.imread(path)  # floats, [height][width][4]
        self.assertTrue((texels[..., 3] == 1).all())
        ink = (texels[..., :3] < 0.98).any(axis=-1)
        self.assertGreater(ink.shape[1], 600)
        self.assertGreater(ink.mean(), 0.01)
        # Nothing is cut off: the outermost texels are paper.
        edge = numpy.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        self.assertFalse(edge.any())

    def test_time_against_size(self):
        svg = self.svg("time-size")
        for label in ("blit", "compute", "subgroup", "spd"):
            self.assertIn(label, svg.texts)
            self.assertIn(f"series {label}", svg.ids)
        self.assertIn("floor", svg.ids)
        for text in ("256x256", "1024x1024", "1920x1080", "limit of the device", "powers of two",
                     "other sizes", "GPU time of a whole chain, µs (log scale)"):
            self.assertIn(text, svg.texts)

    def test_the_point_is_where_the_median_is(self):
        """The line of blit, back from the picture's coordinates by two known points."""
        root = trimmed(GPU_VARIANTS, ("blit",), ((256, 256), (1024, 1024), (4096, 4096)), "cold")
        for row, median in zip(rows(root), (10e3, 100e3, 1000e3)):
            row["stats"].update(median_ns=median, p05_ns=median, p95_ns=median)
        svg = self.draw([root], "time-size")["time-size"]
        path, = re.findall(r'<g id="series blit">\s*<path d="M ([^"]*)"', svg.source)
        (x0, y0), (x1, y1), (x2, y2) = [map(float, pair.split()) for pair in path.split("L")]
        self.assertAlmostEqual(y0 - y1, y1 - y2, delta=0.01)  # a decade each
        self.assertAlmostEqual((x1 - x0), (x2 - x1), delta=0.01)  # a factor of 16 each
        self.assertGreater(y0, y1)

    def test_levels(self):
        svg = self.svg("levels")
        for text in ("blit", "spd", "not separable", "level 1", "gap: barrier and stamps",
                     "whole chain, median", "null twin: no work", "GPU time, µs"):
            self.assertIn(text, "\n".join(text.strip() for text in svg.texts))
        self.assertEqual(sum("not separable" in text for text in svg.texts), 1)
        self.assertIn("1920x1080, rgba8, avg, hot, latency, pattern:noise:4096x4096",
                      svg.texts)

    def test_levels_that_were_not_timed_are_not_called_inseparable(self):
        root = copy.deepcopy(self.root)
        for variant in variants(root, "compute"):
            variant["steps"] = []
        svg = self.draw([root], "levels")["levels"]
        self.assertEqual(sum("levels not timed" in text for text in svg.texts), 1)

    def test_levels_are_of_latency_mode(self):
        root = trimmed(GPU_MODES, sizes=SIZES[:1], mode="throughput")
        self.assertTrue(any(variant["steps"] for variant in variants(root)))
        self.draw([root], "levels", made=())
        self.assert_not_made(self.outcome, "levels", "latency mode", "--per-level")

    def test_bandwidth(self):
        svg = self.svg("bandwidth")
        ceiling = f"3:1 mix: {self.root['roofline']['ceiling_gbps']:.4g} GB/s"
        for text in (ceiling, "3:1 mix at that footprint",
                     "compulsory bandwidth, GB/s (log scale)"):
            self.assertIn(text, svg.texts)
        self.assertIn("ceiling", svg.ids)

    def test_samples(self):
        svg = self.svg("samples")
        for label in ("blit", "compute", "subgroup", "spd"):
            self.assertIn(f"ecdf {label}", svg.ids)
        self.assertIn("clock", svg.ids)
        self.assertIn("<image", svg.source)  # the samples themselves
        self.assertRegex(svg.text, r"n = \d+( to \d+)? samples a strategy")

    def test_error(self):
        svg = self.svg("error")
        self.assertIn("error spd", svg.ids)
        self.assertIn("largest step error, LSB", svg.texts)
        self.assertIn("rounding alone", svg.texts)
        self.assertNotIn("hollow: not verified", svg.texts)

    def test_winners(self):
        svg = self.svg("winners")
        for timing in timings(self.root):
            if timing["cache"] != "cold":
                continue
            winner = timing["rankings"][0]["fastest"]
            row, = [row for row in timing["rows"] if row["variant"] == winner]
            self.assertIn(winner, svg.texts)
            self.assertRegex(svg.text, f"{row['stats']['median_ns'] / 1000:.3g} µs")
        for text in ("256x256", "1024x1024", "1920x1080", "rgba8", "texel format"):
            self.assertIn(text, svg.texts)

    def test_winners_that_lose_something_say_so(self):
        """At the odd size spd is not exact, and alone."""
        svg = self.draw([trimmed(GPU_ODD, ("spd",), SIZES[:1] + ((4095, 4095),), "cold")],
                        "winners")["winners"]
        self.assertEqual(svg.texts.count("(floor)"), 1)
        self.assertNotIn("(floor)", self.joined(self.draw(
            [trimmed(GPU_ODD, ("spd",), SIZES[:2], "cold")], "winners")["winners"]))

    def test_winners_are_those_of_the_run(self):
        """Whatever the medians say; and what is tied with them is counted."""
        root = trimmed(GPU_VARIANTS, ("spd", "subgroup", "compute"), SIZES[:2], "cold")
        for timing in timings(root):
            timing["rankings"][0].update(fastest="compute", tied=["subgroup"], order=["compute"])
        svg = self.draw([root], "winners", options=("-s", "spd,blit"))["winners"]
        self.assertEqual((svg.texts.count("compute"), svg.text.count(", ≈ 1 more")), (2, 2))
        for timing in timings(root):
            timing["rankings"][0].update(tied=[])
        svg = self.draw([root], "winners")["winners"]
        self.assertNotRegex(svg.text, "≈ [0-9]")

    def test_forest_has_the_ratios_of_the_run(self):
        root = trimmed(GPU_MODES, ("blit", "compute", "spd", "spd-tree"), ((1920, 1080),), "cold")
        svg = self.draw([root], "forest")["forest"]
        found = [row["relative"]["ratio"] for row in rows(root) if row["relative"]]
        self.assertGreater(len(found), 2)
        for ratio in found:
            self.assertIn(f"{ratio:#.4g}", svg.texts)
        self.assertIn("A/A control", svg.texts)
        self.assertIn("aa-band", svg.ids)

    def test_what_errors_are_held_against(self):
        """Of maxima that is no average; a scale of two kinds says so."""
        root = trimmed(GPU_VARIANTS, labels=("spd", "compute"), sizes=SIZES[:1], cache="cold")
        svg = self.draw([root], "error")["error"]
        self.assertIn("largest distance from the true area average, LSB", svg.texts)
        self.assertIn("quality", svg.texts)
        for case in root["cases"]:
            case["reduce"] = "max"
        for variant in variants(root):
            variant["verify"]["box_lsb"] = 21
        text = self.joined(self.draw([root], "error")["error"])
        self.assertIn("largest distance from the true maximum, LSB", text)
        self.draw([root], "time-size", made=())
        self.assert_not_made(self.outcome, "time-size", "only one size",
                             "pattern:noise:4096x4096 -r max --sweep 256:4096")
        self.assertIn("quality; linear to 1, above that logarithmic", text)
        self.assertNotIn("average", text)

    def test_no_intervals_are_not_claimed(self):
        """Of three samples there are none; and what is wrong is named, not held against others."""
        root = trimmed(GPU_VARIANTS, sizes=SIZES[:1], cache="hot")
        self.assertIn("within blocks and its 95 % interval ·",
                      self.joined(self.draw([root], "forest")["forest"]))
        for row in rows(root):
            if row["relative"]:
                row["relative"]["ci"] = [None, None]
        fail(*each_variant(root, "blit")[0])
        for timing in timings(root):
            timing["aa_control"] = None
        text = self.joined(self.draw([root], "forest")["forest"])
        self.assertIn("too few samples for an interval", text)
        self.assertNotIn("95 %", text)
        self.assertIn("wrong texels, so no ratio: blit", text)

    def test_footers_count_the_runs_that_are_drawn(self):
        """The other one has no row of that size."""
        roots = [trimmed(GPU_VARIANTS, sizes=SIZES[:2]),
                 trimmed(GPU_VARIANTS, sizes=SIZES[:1], run_id="b")]
        svg = self.draw(roots, "forest")["forest"]
        self.assertRegex(svg.text, r"1024x1024[^Z]* 1 run\b")
        roots[1] = trimmed(GPU_VARIANTS, sizes=SIZES[:2], run_id="b")
        svg = self.draw(roots, "forest")["forest"]
        self.assertRegex(svg.text, r"1024x1024[^Z]* 2 runs\b")

    def test_the_same_input_gives_the_same_bytes(self):
        """Whichever other kinds of file were asked for."""
        again = self.draw([self.root], "forest")["forest"]
        self.assertEqual(self.svg("forest").source, again.source)


class Options(PlotCase):
    def test_all_draws_each_condition_and_size(self):
        root = trimmed(GPU_VARIANTS, labels=("spd", "blit"), sizes=SIZES[:2])
        self.plot(*self.write(root), "--format", "svg", "--all", "--only", "time-size,forest")
        names = [path.name for path in self.out.iterdir()]
        for cache in ("hot", "cold"):
            self.assertIn(f"time-size_rgba8-avg-{cache}-latency.svg", names)
            for size in ("256x256", "1024x1024"):
                self.assertIn(f"forest_rgba8-avg-{cache}-latency-{size}.svg", names)
        self.assertEqual(len(names), 6)

    def test_size_cache_and_strategy_narrow(self):
        svg = self.draw([trimmed(GPU_VARIANTS)], "forest", options=(
            "--size", "256x256", "--cache", "hot", "-s", "spd,blit"))["forest"]
        self.assertIn("256x256, rgba8, avg, hot, latency, pattern:noise:4096x4096",
                      svg.texts)
        self.assertNotIn("compute", svg.texts)
        self.assertIn("spd:fp16=on", svg.texts)  # a variant of spd

    def test_nothing_left(self):
        self.draw([trimmed(GPU_VARIANTS)], "forest", options=("--size", "7x7"), made=())
        self.assert_not_made(self.outcome, "forest", "no row is as", "")

    def test_too_many_strategies_are_left_out_and_counted(self):
        svg = self.draw([trimmed(GPU_VARIANTS, cache="cold")], "time-size",
                        options=("--max-strategies", "4"))["time-size"]
        self.assertIn("2 slower variants not drawn", svg.text)
        self.assertIn("--max-strategies", self.outcome.err)

    def test_usage(self):
        path, = self.write(trimmed(GPU_VARIANTS, labels=("spd",)))
        for arguments, part in ((["--only", "pie", path], "'pie' is no name; known: time-size"),
                                (["--format", "gif", path], "'gif'"),
                                (["--size", "big", path], "'big' is not a size"),
                                (["--max-strategies", "0", path], "'0'"),
                                (["--mode", "alone", path], "'latency', 'throughput', 'overlap', "
                                                            "'beside'"),
                                ([], "RESULTS.json")):
            with self.subTest(arguments):
                self.assert_refused(self.plot(*arguments), part, "--help", code=2)

    def test_names_from_outside_break_nothing(self):
        root = trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold")
        root["device"]["name"] = "<GPU> & $x_1$ \u0001\ud800 \u6f22"
        svg = self.draw([root], "forest")["forest"]
        self.assertIn("<GPU> & $x_1$ ?? \u6f22", svg.text)


class Libraries(PlotCase):
    def run_script(self, **env):
        path, = self.write(trimmed(GPU_VARIANTS, ("blit", "spd"), cache="cold"))
        return self.script("plot.py", path, "-o", self.out, "--only", "forest", "--format", "svg",
                           env={**os.environ, **env})

    def test_as_a_command(self):
        done = self.run_script()
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual(done.out, f"{self.out / 'forest.svg'}\n")

    def test_a_python_without_matplotlib_is_told_how_to_get_it(self):
        """A package of that name that cannot be imported stands for one that is missing."""
        fake = self.dir / "fake"
        fake.mkdir()
        (fake / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')\n")
        done = self.run_script(PYTHONPATH=str(fake))
        self.assertEqual((done.code, done.out), (2, ""))
        line, = done.err.splitlines()
        self.assertRegex(line, "^plot: error: .*no matplotlib; .*apt-get install .*"
                               "python3-matplotlib python3-numpy")


class Updates(unittest.TestCase):
    FIRST, SECOND = ({"x": x, "y": y, "width": width, "height": height}
                     for x, y, width, height in [(8, 4, 16, 2), (0, 0, 3, 3)])

    def timing(self, rects):
        root = load(GPU_VARIANTS)
        root["cases"][0]["rects"] = rects
        return results.Run(GPU_VARIANTS, "", value=root).timings[0]

    def check(self, rects, words, condition):
        timing = self.timing(rects)
        self.assertTrue(timing.case.words().endswith(words), timing.case.words())
        self.assertIn(condition, plot_data.describe(timing.condition))

    def test_words(self):
        self.check(None, "rgba8", "rgba8, avg, hot")
        self.check([self.FIRST], "update of 16×2 at 8,4", "update of 16x2, ")
        self.check([self.FIRST, self.SECOND], "update of 2 rectangles", "update of 2 rectangles, ")

    def test_conditions(self):
        """What was measured is the same in whichever order."""
        whole, one, several, other = (self.timing(rects).condition for rects in (
            None, [self.FIRST], [self.FIRST, self.SECOND], [self.SECOND, self.FIRST]))
        self.assertEqual((several, whole.rects), (other, None))
        self.assertEqual(len({whole, one, several}), 3)


class Styles(unittest.TestCase):
    def test_no_two_look_alike(self):
        run = results.Run(GPU_VARIANTS, GPU_VARIANTS.read_text(encoding="utf-8"))
        styles = result_style.styles(run.rows)
        self.assertGreater(len(styles), 12)
        self.assertEqual(len(set(styles.values())), len(styles))
        defaults = [styles[strategy] for strategy in result_style.COLOURS]
        self.assertEqual(len({marker for _, marker in defaults}), len(defaults))
        self.assertEqual(len({colour for colour, _ in defaults}), len(defaults))

    def test_every_built_in_strategy_has_its_own(self):
        folders = {path.parent.name for path in (cli.ROOT / "strategies").glob("*/meson.build")}
        folders = folders or {path.name for path in (cli.ROOT / "strategies").iterdir()
                              if path.is_dir()}
        self.assertEqual(folders, set(result_style.COLOURS))
        self.assertEqual(folders, set(result_style.MARKERS))

    def test_a_set_does_not_change_the_look_of_defaults(self):
        self.assertEqual(result_style.styles([])["spd"], (result_style.COLOURS["spd"],
                                                     result_style.MARKERS["spd"]))


if __name__ == "__main__":
    cli.main()
