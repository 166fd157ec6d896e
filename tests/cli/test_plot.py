#!/usr/bin/env python3
"""scripts/plot.py: each plot holds the series and the text that it must, options narrow what is
drawn, and bad input is refused in a line. usage: test_plot.py MIPBENCH"""
import copy
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli
from plot_fixture import (H200, H200_MODES, REFERENCE, SIZES, PlotCase, Svg, fail, run_plot,
                          trimmed)
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
        cls.root = trimmed(H200_MODES)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-plot-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        file, cls.drawn = cls.folder / "set.json", cls.folder / "plots"
        file.write_text(json.dumps(cls.root), encoding="utf-8")
        cls.outcome = run_plot(str(file), "-o", str(cls.drawn))

    def check_footer(self, svg):
        self.assertRegex(svg.text, r"NVIDIA H200 · driver 580\.159\.04 · Vulkan 1\.4")
        self.assertRegex(svg.text, r"n = \d+")
        self.assertRegex(svg.text, "box avg, (cold|hot), latency")

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
        root = trimmed(H200, labels=("blit",), sizes=((256, 256), (1024, 1024), (4096, 4096)),
                       cache="cold")
        for row, median in zip(root["results"], (10e3, 100e3, 1000e3)):
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
        self.assertIn("1920x1080, rgba8, box avg, hot, latency, pattern:noise:4096x4096",
                      svg.texts)

    def test_levels_that_were_not_timed_are_not_called_inseparable(self):
        root = copy.deepcopy(self.root)
        for row in root["results"]:
            if row["strategy"] == "compute":
                row["steps"] = []
        svg = self.draw([root], "levels")["levels"]
        self.assertEqual(sum("levels not timed" in text for text in svg.texts), 1)

    def test_levels_are_of_latency_mode(self):
        root = trimmed(H200_MODES, sizes=SIZES[:1], mode="throughput")
        self.assertTrue(any(row["steps"] for row in root["results"]))
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
        self.assertIn("n = 160 samples a strategy", svg.text)

    def test_error(self):
        svg = self.svg("error")
        self.assertIn("error spd", svg.ids)
        self.assertIn("largest step error, LSB", svg.texts)
        self.assertIn("rounding alone", svg.texts)
        self.assertNotIn("hollow: not verified", svg.texts)

    def test_winners(self):
        svg = self.svg("winners")
        cold = [row for row in self.root["results"] if row["cache"] == "cold"]
        for size in SIZES:
            row = min((row for row in cold if (row["width"], row["height"]) == size),
                      key=lambda row: row["stats"]["median_ns"])
            self.assertIn(row["strategy"], svg.texts)
            self.assertRegex(svg.text, f"{row['stats']['median_ns'] / 1000:.3g} µs")
        for text in ("256x256", "1024x1024", "1920x1080", "rgba8", "texel format"):
            self.assertIn(text, svg.texts)

    def test_winners_of_another_image_say_so(self):
        svg = self.draw([trimmed(H200, ("spd",), SIZES[:1] + ((4095, 4095),), "cold")],
                        "winners")["winners"]
        self.assertEqual(svg.texts.count("(floor)"), 1)
        self.assertIn("(floor): by that policy, where edges are odd", self.joined(svg))
        self.assertNotIn("(floor)", self.joined(self.draw(
            [trimmed(H200, ("spd",), SIZES[:2], "cold")], "winners")["winners"]))

    def test_forest_has_the_ratios_of_the_run(self):
        svg = self.svg("forest")
        cell = [row for row in self.root["results"] if row["cache"] == "cold"
                and row["width"] == 1920 and row["relative"]["ratio"]]
        self.assertEqual(len(cell), 4)
        for row in cell:
            self.assertIn(f"{row['relative']['ratio']:#.4g}", svg.texts)
        self.assertIn("A/A control", svg.texts)
        self.assertIn("aa-band", svg.ids)

    def test_what_errors_are_held_against(self):
        """Of maxima that is no average; a scale of two kinds says so."""
        root = trimmed(H200, labels=("spd", "compute"), sizes=SIZES[:1], cache="cold")
        svg = self.draw([root], "error")["error"]
        self.assertIn("largest distance from the true area average, LSB", svg.texts)
        self.assertIn("quality", svg.texts)
        for row in root["results"]:
            row["reduce"] = "max"
            row["filter"] = "kaiser"  # as of separable: no option
            row["verify"]["box_lsb"] = 21
        text = self.joined(self.draw([root], "error")["error"])
        self.assertIn("largest distance from the true maximum, LSB", text)
        self.draw([root], "time-size", made=())
        self.assert_not_made(self.outcome, "time-size", "only one size",
                             "pattern:noise:4096x4096 -r max --sweep 256:4096")
        self.assertIn("quality; linear to 1, above that logarithmic", text)
        self.assertNotIn("average", text)

    def test_no_intervals_are_not_claimed(self):
        """Of three samples there are none; and what is wrong is named, not held against others."""
        root = trimmed(H200, sizes=SIZES[:1], cache="hot")
        self.assertIn("within blocks and its 95 % interval, a marker",
                      self.joined(self.draw([root], "forest")["forest"]))
        for row in root["results"]:
            row["samples_ns"] = row["samples_ns"][:3]
            row["relative"]["ci"] = None
        fail(next(row for row in root["results"] if row["strategy"] == "blit"), 7)
        text = self.joined(self.draw([root], "forest")["forest"])
        self.assertIn("too few samples for an interval", text)
        self.assertNotIn("95 %", text)
        self.assertIn("wrong texels, so no ratio: blit", text)

    def test_footers_count_the_runs_that_are_drawn(self):
        """The other one has no row of that size."""
        svg = self.draw([trimmed(H200, sizes=SIZES[:2]), trimmed(H200, sizes=SIZES[:1],
                                                                 run_id="b")], "forest")["forest"]
        self.assertRegex(svg.text, r"1024x1024[^Z]* 1 run\b")
        svg = self.draw([trimmed(H200, sizes=SIZES[:2]), trimmed(H200, sizes=SIZES[:2],
                                                                 run_id="b")], "forest")["forest"]
        self.assertRegex(svg.text, r"1024x1024[^Z]* 2 runs\b")

    def test_the_same_input_gives_the_same_bytes(self):
        """Whichever other kinds of file were asked for."""
        again = self.draw([self.root], "forest")["forest"]
        self.assertEqual(self.svg("forest").source, again.source)


class Options(PlotCase):
    def test_all_draws_each_condition_and_size(self):
        root = trimmed(H200, labels=("spd", "blit"), sizes=SIZES[:2])
        self.plot(*self.write(root), "--format", "svg", "--all", "--only", "time-size,forest")
        names = [path.name for path in self.out.iterdir()]
        for cache in ("hot", "cold"):
            self.assertIn(f"time-size_rgba8-box-avg-{cache}-latency.svg", names)
            for size in ("256x256", "1024x1024"):
                self.assertIn(f"forest_rgba8-box-avg-{cache}-latency-{size}.svg", names)
        self.assertEqual(len(names), 6)

    def test_size_cache_and_strategy_narrow(self):
        svg = self.draw([trimmed(H200)], "forest", options=(
            "--size", "256x256", "--cache", "hot", "-s", "spd,blit"))["forest"]
        self.assertIn("256x256, rgba8, box avg, hot, latency, pattern:noise:4096x4096",
                      svg.texts)
        self.assertNotIn("compute", svg.texts)
        self.assertIn("spd:fp16=on", svg.texts)  # a variant of spd

    def test_winners_are_held_against_what_is_drawn(self):
        """Without spd: the runs rank against it, but it is not there to win."""
        root = trimmed(H200, ("spd", "subgroup", "compute"), SIZES[:2], "cold")
        by_id = {row["id"]: row for row in root["results"]}
        row = next(row for row in root["results"] if row["strategy"] == "compute"
                   and row["width"] == 1024)
        twin = by_id[row["id"].replace("compute", "subgroup")]
        row["samples_ns"] = [1.001 * value for value in twin["samples_ns"]]
        svg = self.draw([root], "winners", options=("-s", "subgroup,compute"))["winners"]
        self.assertEqual(svg.texts.count("subgroup"), 2)
        self.assertEqual(svg.text.count(", ≈ 1 more"), 1)
        self.assertIn("of subgroup, compute alone (-s)", svg.text)
        svg = self.draw([root], "winners")["winners"]
        self.assertEqual(svg.texts.count("spd"), 2)
        self.assertNotRegex(svg.text, "≈ [0-9]|alone")

    def test_nothing_left(self):
        self.draw([trimmed(H200)], "forest", options=("--size", "7x7"), made=())
        self.assert_not_made(self.outcome, "forest", "no row is as", "")

    def test_too_many_strategies_are_left_out_and_counted(self):
        svg = self.draw([trimmed(H200, cache="cold")], "time-size",
                        options=("--max-strategies", "4"))["time-size"]
        self.assertIn("2 slower variants not drawn", svg.text)
        self.assertIn("--max-strategies", self.outcome.err)

    def test_usage(self):
        path, = self.write(trimmed(H200, labels=("spd",)))
        for arguments, part in ((["--only", "pie", path], "'pie' is no name; known: time-size"),
                                (["--format", "gif", path], "'gif'"),
                                (["--size", "big", path], "'big' is not a size"),
                                (["--max-strategies", "0", path], "'0'"),
                                (["--mode", "alone", path], "'latency', 'throughput', 'overlap', "
                                                            "'beside'"),
                                ([], "RESULTS.json")):
            with self.subTest(arguments):
                self.assert_refused(self.plot(*arguments), part, "--help", code=2)

    def test_an_output_that_cannot_be_written(self):
        self.out.write_text("a file, not a folder")
        outcome = self.plot(*self.write(trimmed(H200, labels=("spd",))), "--only", "time-size")
        self.assertEqual(outcome.code, 7, outcome)
        self.assertRegex(outcome.err, r"^plot: error: .*plots: .*\n$")

    def test_an_input_is_not_replaced(self):
        path, = self.write(trimmed(H200, ("blit", "spd"), cache="cold"))
        self.out.mkdir()
        for link, name, options in ((os.symlink, "forest.svg", ["--only", "samples,forest"]),
                                    (os.link, "forest.png", []),
                                    (os.symlink, "samples_1.png", ["--all"])):
            with self.subTest(name):
                link(path, self.out / name)
                before = cli.snapshot(self.dir)
                self.assert_refused(self.plot(path, *options),
                                    f"{name}: it is an input; name another file", code=2)
                self.assertEqual(cli.snapshot(self.dir), before)
                (self.out / name).unlink()
        os.symlink(path, self.out / "forest.png")
        self.assertEqual(self.plot(path, "--only", "forest", "--format", "svg").code, 0)


class Refusals(PlotCase):
    def refuse(self, text, *parts):
        path = self.dir / "bad.json"
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        self.assert_refused(self.plot(path), "bad.json", *parts)
        self.assertFalse(self.out.exists())

    def test_versions(self):
        root = trimmed(H200, labels=("spd",))
        for version, part in (("2.0.0", "of a later mipbench"), ("1.1.0", "too old"),
                              ("0.9.0", "too old"), ("one", "is not a version")):
            with self.subTest(version):
                root["schema"]["version"] = version
                self.refuse(root, version, part)

    def test_an_old_reference_set(self):
        path = REFERENCE / "nvidia-h200-20261121" / "results.json"
        self.assert_refused(self.plot(path), "schema version 1.0.0 is too old", "measure again")

    def test_a_later_minor_version_is_read(self):
        root = trimmed(H200, ("blit", "spd"), cache="cold")
        root["schema"]["version"] = "1.99.0"
        root["results"][0]["of the future"] = 1
        self.draw([root], "forest")

    def test_what_is_no_result(self):
        for text, part in (("", "not JSON"), ("{", "not JSON"), ("[]", "not a result"),
                           ("null", "not a result"), ('{"schema": 3}', "not a result"),
                           ('{"schema": {"name": "mipbench-claims"}}', "not a result"),
                           ("[" * 100000, "not JSON")):
            with self.subTest(text[:20]):
                self.refuse(text, part)

    def test_a_file_that_is_not_there(self):
        self.assert_refused(self.plot(self.dir / "none.json"), "none.json", "No such file",
                            "measure first", "results/reference/")

    def test_members_of_a_wrong_type_are_named(self):
        changes = {"results[0].stats": lambda root: root["results"][0].update(stats=None),
                   "results[0].width": lambda root: root["results"][0].update(width=0),
                   "results[0].samples_ns[1]":
                       lambda root: root["results"][0]["samples_ns"].__setitem__(1, "fast"),
                   "device.name": lambda root: root["device"].pop("name"),
                   "cells": lambda root: root.update(cells={}),
                   "run.tool": lambda root: root["run"].update(tool=[])}
        for where, change in changes.items():
            with self.subTest(where):
                root = trimmed(H200, labels=("spd",))
                change(root)
                self.refuse(root, where)
        self.refuse(json.dumps(trimmed(H200, labels=("spd",))).replace("1664", "NaN"), "NaN")

    def test_the_same_run_twice(self):
        path, = self.write(trimmed(H200, labels=("spd",)))
        self.assert_refused(self.plot(path, path), "the same run")

    def test_names_from_outside_break_nothing(self):
        root = trimmed(H200, ("blit", "spd"), cache="cold")
        root["device"]["name"] = "<GPU> & $x_1$ \u0001\ud800 \u6f22"
        svg = self.draw([root], "forest")["forest"]
        self.assertIn("<GPU> & $x_1$ ?? \u6f22", svg.text)


class Libraries(PlotCase):
    def run_script(self, stdout=subprocess.PIPE, **env):
        path, = self.write(trimmed(H200, ("blit", "spd"), cache="cold"))
        return subprocess.run(
            [sys.executable, str(cli.ROOT / "scripts" / "plot.py"), path, "-o", str(self.out),
             "--only", "forest", "--format", "svg"], stdout=stdout, text=True, check=False,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=cli.TIMEOUT_S,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env})

    def test_as_a_command(self):
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.out / 'forest.svg'}\n")

    def test_a_full_stdout_is_what_is_blamed(self):
        with open("/dev/full", "wb") as full:
            done = self.run_script(stdout=full)
        self.assertEqual((done.returncode, done.stderr),
                         (7, "plot: error: stdout: No space left on device\n"))

    def test_help_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([sys.executable, "-B", plot.__file__, "--help"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=cli.TIMEOUT_S)
        self.assertEqual((done.returncode, done.stderr),
                         (7, "plot: error: stdout: No space left on device\n"))

    def test_a_python_without_matplotlib_is_told_how_to_get_it(self):
        """A package of that name that cannot be imported stands for one that is missing."""
        fake = self.dir / "fake"
        fake.mkdir()
        (fake / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')\n")
        done = self.run_script(PYTHONPATH=str(fake))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        line, = done.stderr.splitlines()
        self.assertRegex(line, "^plot: error: .*no matplotlib; .*apt-get install .*"
                               "python3-matplotlib python3-numpy")


class Updates(unittest.TestCase):
    """Of one rectangle, as files before schema 1.5 have it, too, and of several."""
    FIRST, SECOND, BOTH = ({"x": x, "y": y, "width": width, "height": height}
                           for x, y, width, height in [(8, 4, 16, 2), (0, 0, 3, 3), (0, 0, 24, 6)])

    def row(self, **rects):
        root = json.loads((REFERENCE / H200).read_text())
        root["results"][0].update(rects)
        return results.Run(H200, "", value=root).rows[0]

    def check(self, row, n_rects, words, condition):
        self.assertEqual(len(row.rects), n_rects)
        self.assertTrue(row.words().endswith(words), row.words())
        self.assertIn(condition, plot_data.describe(row.condition))

    def test_words(self):
        self.check(self.row(rect=None, rects=None), 0, "rgba8", "box avg, hot")
        self.check(self.row(rect=self.FIRST), 1, "update of 16×2 at 8,4", "update of 16x2, ")
        several = self.row(rect=self.BOTH, rects=[self.FIRST, self.SECOND])
        self.check(several, 2, "update of 2 rectangles within 24×6 at 0,0",
                   "update of 2 rectangles, ")

    def test_conditions(self):
        """What was measured is the same whoever wrote it and in whichever order."""
        whole, old, new = (self.row(**rects).condition for rects in (
            {"rect": None}, {"rect": self.FIRST}, {"rect": self.FIRST, "rects": [self.FIRST]}))
        self.assertEqual((old, whole.rects), (new, None))
        several, other = (self.row(rect=self.BOTH, rects=rects).condition for rects in (
            [self.FIRST, self.SECOND], [self.SECOND, self.FIRST]))
        self.assertEqual(several, other)
        self.assertEqual(len({whole, old, several, self.row(rect=self.BOTH).condition}), 4)


class Intervals(unittest.TestCase):
    def test_coverage_of_the_median(self):
        """At least 95 %, and below that with one order statistic less at each end."""
        for n in range(1, 401):
            low, high = plot_data.median_interval(range(n))
            if n < 6:
                self.assertEqual((low, high), (None, None))
                continue
            self.assertEqual(low + high, n - 1)
            tails = [2 * sum(math.comb(n, i) for i in range(int(low) + 1 + more)) / 2 ** n
                     for more in (0, 1)]
            self.assertLessEqual(tails[0], 0.05)
            self.assertGreater(tails[1], 0.05)


class Styles(unittest.TestCase):
    def test_no_two_look_alike(self):
        styles = result_style.styles(results.Run(H200, (REFERENCE / H200).read_text()).rows)
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
