#!/usr/bin/env python3
"""scripts/plot.py: each plot holds the series and the text that it must, what cannot be drawn is
said, and bad input is refused in a line. usage: test_plot.py MIPBENCH

Result sets are trimmed from results/reference/. SVG keeps its text as text, so it is read back;
PNG is checked for ink."""
import contextlib
import copy
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import cli

try:
    import matplotlib.image
    import numpy
except ImportError as error:
    print(f"{error.name} is not installed")
    sys.exit(77)

sys.path.insert(0, str(cli.ROOT / "scripts"))
sys.dont_write_bytecode = True
import plot  # noqa: E402  (found by the line above)
import result_style  # noqa: E402
import results  # noqa: E402

REFERENCE = cli.ROOT / "results" / "reference"
H200, LAVAPIPE = "nvidia-h200-20261121-spd/run-1.json", "lavapipe-20261121/modes.json"
H200_MODES = "nvidia-h200-20261121-cold/modes.json"
SIZES = ((256, 256), (1024, 1024), (1920, 1080))
LABELS = ("blit", "compute", "subgroup", "spd", "spd:fp16=on", "separable")
N_KEPT = 30  # samples of each row: drawing more takes longer and shows no more
PARSED, LABELS_OF = {}, {}


def reference(name):
    """A file of results/reference/, parsed once."""
    if name not in PARSED:
        PARSED[name] = json.loads((REFERENCE / name).read_text(encoding="utf-8"))
    return PARSED[name]


def labels_of(name):
    """{id: label} of the rows of a file of results/reference/."""
    if name not in LABELS_OF:
        text = (REFERENCE / name).read_text(encoding="utf-8")
        LABELS_OF[name] = {row.id: row.label for row in results.Run(name, text).rows}
    return LABELS_OF[name]


def shorten(row):
    row["samples_ns"] = row["samples_ns"][:N_KEPT]


def trimmed(name, labels=LABELS, sizes=SIZES, cache=None, mode="latency", run_id=None):
    """A copy of a reference file with these rows, and the first samples of each."""
    whole, label_of = reference(name), labels_of(name)
    root = {key: copy.deepcopy(value) for key, value in whole.items()
            if key not in ("results", "cells", "comparisons", "shaders")}
    rows = [row for row in whole["results"]
            if label_of[row["id"]] in labels and (row["width"], row["height"]) in sizes
            and cache in (None, row["cache"]) and mode in (None, row["mode"])]
    root["results"] = copy.deepcopy(rows)
    for row in root["results"]:
        shorten(row)
    used = {row["cell"] for row in rows}
    root["cells"] = [copy.deepcopy(cell) for cell in whole["cells"] if cell["id"] in used]
    for cell in root["cells"]:
        for key in ("probe_before_ns", "probe_after_ns", "start_ns"):
            cell["blocks"][key] = cell["blocks"][key][:N_KEPT]
        cell["blocks"].update(positions=[], durations_ns=[], flagged=[], repeated=[])
    root["run"]["id"] = run_id or root["run"]["id"]
    return root


def skip(row, reason="not supported"):
    row.update(status="skipped", reason=reason, samples_ns=[])
    row["stats"] = {key: 0 if key == "n" else None for key in row["stats"]}
    row["verify"].update(status="skipped", max_error_lsb=None, box_lsb=None, levels=[])


def fail(row, error_lsb):
    row.update(status="failed", reason="a texel is wrong")
    row["verify"].update(status="fail", max_error_lsb=error_lsb)


def run_plot(*arguments):
    """Run in this process, as importing matplotlib takes most of the time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = plot.main(list(arguments))
        except SystemExit as ended:
            code = ended.code
    return cli.Outcome(code, out.getvalue(), err.getvalue())


class Svg:
    """The text of a picture and the ids of its parts."""

    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")
        root = xml.etree.ElementTree.fromstring(self.source)
        self.texts = ["".join(node.itertext()) for node in root.iter()
                      if node.tag.endswith("}text")]
        self.ids = [node.get("id") for node in root.iter() if node.get("id")]
        self.text = "\n".join(self.texts)


class PlotCase(cli.TestCase):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "plots"

    def write(self, *roots):
        paths = []
        for index, root in enumerate(roots):
            path = self.dir / f"set-{index}.json"
            path.write_text(json.dumps(root), encoding="utf-8")
            paths.append(str(path))
        return paths

    def plot(self, *arguments):
        return run_plot(*map(str, arguments), "-o", str(self.out))

    def draw(self, roots, *names, options=(), made=None):
        """{name: Svg} of the plots `names`, or of those `made`; the rest must say why not."""
        outcome = self.plot(*self.write(*roots), "--format", "svg", "--only", ",".join(names),
                            *options)
        made = names if made is None else made
        self.assertEqual(outcome.code, 0 if set(made) == set(names) else 1, outcome)
        self.assertEqual(outcome.out.split(), [str(self.out / f"{name}.svg") for name in made],
                         outcome)
        self.outcome = outcome
        return {name: Svg(self.out / f"{name}.svg") for name in made}

    def assert_not_made(self, outcome, name, why, command):
        line, = [line for line in outcome.err.splitlines()
                 if line.startswith(f"plot: {name} not made: ")]
        self.assertIn(why, line)
        self.assertRegex(line, "; run: mipbench .*" + re.escape(command))

    def assert_refused(self, outcome, *parts):
        lines = outcome.err.splitlines()
        self.assertEqual((outcome.code, outcome.out, len(lines)), (2, "", 1), outcome)
        self.assertTrue(lines[0].startswith("plot: error: "), outcome)
        for part in parts:
            self.assertIn(part, lines[0])


class EveryPlot(PlotCase):
    """One set with everything, drawn once: what each picture holds."""

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
        for text in ("256x256", "1024x1024", "1920x1080", "memory floor", "powers of two",
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
        self.assertIn("1920x1080, rgba8, box avg, hot, latency", svg.texts)

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

    def test_forest_has_the_ratios_of_the_run(self):
        svg = self.svg("forest")
        cell = [row for row in self.root["results"] if row["cache"] == "cold"
                and row["width"] == 1920 and row["relative"]["ratio"]]
        self.assertEqual(len(cell), 4)
        for row in cell:
            self.assertIn(f"{row['relative']['ratio']:#.4g}", svg.texts)
        self.assertIn("A/A control", svg.texts)
        self.assertIn("aa-band", svg.ids)

    def test_the_same_input_gives_the_same_bytes(self):
        """Whichever other kinds of file were asked for."""
        again = self.draw([self.root], "forest")["forest"]
        self.assertEqual(self.svg("forest").source, again.source)


class KindsOfSets(PlotCase):
    def test_one_strategy(self):
        root = trimmed(H200, labels=("spd",))
        made = ("time-size", "bandwidth", "samples", "error", "winners")
        svgs = self.draw([root], *plot.NAMES, made=made)
        self.assert_not_made(self.outcome, "forest", "two strategies", "-s all")
        self.assert_not_made(self.outcome, "levels", "no level was timed alone", "--per-level")
        self.assertNotIn("blit", svgs["time-size"].texts)

    def test_failures_are_hollow_and_do_not_win(self):
        root = trimmed(H200, cache="cold")
        for row in root["results"]:
            if row["strategy"] == "spd":
                fail(row, 37.5)
        names = ("time-size", "error", "winners", "forest", "samples")
        svgs = self.draw([root], *names)
        for name in ("time-size", "error"):
            self.assertIn("hollow: not verified", svgs[name].texts)
        self.assertIn("spd (not verified)", svgs["samples"].text)
        self.assertNotIn("spd", svgs["winners"].texts)
        self.assertEqual(svgs["winners"].texts.count("subgroup"), 3)
        self.assertNotIn("spd", svgs["forest"].texts)
        self.assertRegex(svgs["forest"].text, "time over that of subgroup")

    def test_hollow_markers_are_white_inside(self):
        root = trimmed(H200, labels=("spd", "blit"), cache="cold")
        hollow = re.compile(r'<g id="error spd">.*?fill: #ffffff; stroke: #0072b2', re.DOTALL)
        self.assertIsNone(hollow.search(self.draw([root], "error")["error"].source))
        for row in root["results"]:
            if row["strategy"] == "spd":
                fail(row, 3.0)
        self.assertIsNotNone(hollow.search(self.draw([root], "error")["error"].source))

    def test_skips_are_hatched_where_nothing_is_left(self):
        root = trimmed(H200, cache="cold")
        for row in root["results"]:
            if row["width"] == 256:
                skip(row)
        svg = self.draw([root], "winners", "time-size")["winners"]
        self.assertEqual(svg.texts.count("unsupported"), 1)
        self.assertIn("url(#", svg.source)  # the hatch
        self.assertNotIn("not measured", svg.texts)

    def test_all_skipped(self):
        root = trimmed(H200, cache="cold")
        for row in root["results"]:
            skip(row)
        self.draw([root], *plot.NAMES, made=())
        for name in plot.NAMES:
            self.assert_not_made(self.outcome, name, "no row has a time", "noise")

    def test_software_only(self):
        sizes = ((256, 256), (512, 512), (501, 333))
        svgs = self.draw([trimmed(LAVAPIPE, sizes=sizes)], *plot.NAMES)
        for name, svg in svgs.items():
            with self.subTest(name):
                self.assertIn("SOFTWARE: says nothing about a GPU", svg.text)
                self.assertIn("llvmpipe", svg.text)
        self.assertIn("no clock probe on this device", svgs["samples"].texts)

    def test_several_devices(self):
        labels = ("spd", "blit")
        other = trimmed(H200, labels, cache="hot", run_id="other")
        other["device"]["name"] = "Other GPU"
        other["device"]["driver"]["info"] = "99.1"
        roots = [trimmed(H200, labels, cache="hot"), other]
        svgs = self.draw(roots, *(set(plot.NAMES) - {"levels"}))
        for name, svg in svgs.items():
            with self.subTest(name):
                self.assertIn("NVIDIA H200", svg.text)
                self.assertIn("Other GPU", svg.text)
                self.assertIn("driver 99.1", svg.text)
        self.assertEqual(svgs["time-size"].ids.count("series spd"), 4)  # two panels, two devices

    def test_runs_of_one_device_are_pooled(self):
        roots = [trimmed(H200, ("spd", "blit"), cache="cold", run_id=run_id)
                 for run_id in ("a", "b", "c")]
        svgs = self.draw(roots, "time-size", "samples", "forest")
        self.assertIn(f"n = {3 * N_KEPT} samples a point", svgs["time-size"].text)
        self.assertIn("3 runs", svgs["time-size"].text)
        self.assertIn("runs one after the other", svgs["samples"].text)
        self.assertEqual(svgs["time-size"].ids.count("series spd"), 2)  # one for each panel

    def test_builds_are_not_pooled(self):
        other = trimmed(H200, cache="cold", run_id="other")
        other["run"]["tool"]["git_sha"] = "fedcba9"
        svg = self.draw([trimmed(H200, cache="cold"), other], "time-size")["time-size"]
        self.assertIn("NVIDIA H200, fedcba9", svg.texts)

    def test_an_interrupted_run(self):
        root = trimmed(H200, sizes=((256, 256),), cache="cold")
        root["run"].update(complete=False, exit_reason="interrupted")
        made = ("samples", "error", "forest")
        svgs = self.draw([root], *plot.NAMES, made=made)
        self.assertIn("interrupted", svgs["forest"].text)
        self.assertIn("was interrupted; what it has is drawn", self.outcome.err)
        self.assert_not_made(self.outcome, "time-size", "only one size was timed (256x256)",
                             "--sweep 256:4096")

    def test_what_mipbench_writes_here(self):
        """Not trimmed, and of this version."""
        done = self.quick("pattern:noise:32x32", "--size", "16x16,32x32", "--images", "none",
                          "-d", "cpu", "-o", "run", "--per-level")
        self.assertEqual(done.code, 0, done)
        outcome = self.plot(self.dir / "run" / "results.json", "--format", "svg")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(sorted(path.stem for path in self.out.iterdir()),
                         sorted(set(plot.NAMES) - {"bandwidth"}))
        self.assert_not_made(outcome, "bandwidth", "no ceiling was measured", "")

    def test_no_results_at_all(self):
        root = trimmed(H200, labels=())
        self.assertEqual(root["results"], [])
        outcome = self.plot(*self.write(root))
        self.assertEqual((outcome.code, outcome.out), (0, ""), outcome)
        self.assertEqual(len(outcome.err.splitlines()), len(plot.NAMES), outcome)
        for name in plot.NAMES:
            self.assert_not_made(outcome, name, "the results are empty", "pattern:noise")

    def test_without_verification_nothing_wins(self):
        root = trimmed(H200, cache="cold")
        for row in root["results"]:
            row["verify"].update(status="skipped", max_error_lsb=None, box_lsb=None)
        svgs = self.draw([root], "time-size", "error", "winners", "forest", made=("time-size",))
        self.assertIn("hollow: not verified", svgs["time-size"].texts)
        for name, why in (("error", "no row was verified"), ("winners", "verified"),
                          ("forest", "verified")):
            self.assert_not_made(self.outcome, name, why, "")

    def test_times_under_validation_are_not_drawn(self):
        root = trimmed(H200, cache="cold")
        root["run"]["validate"] = True
        self.draw([root], "time-size", made=())
        self.assert_not_made(self.outcome, "time-size", "validation", "")


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
        self.assertIn("256x256, rgba8, box avg, hot, latency", svg.texts)
        self.assertNotIn("compute", svg.texts)
        self.assertIn("spd:fp16=on", svg.texts)  # a variant of spd

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
                                ([], "RESULTS.json")):
            with self.subTest(arguments):
                self.assert_refused(self.plot(*arguments), part, "--help")

    def test_an_output_that_cannot_be_written(self):
        self.out.write_text("a file, not a folder")
        outcome = self.plot(*self.write(trimmed(H200, labels=("spd",))), "--only", "time-size")
        self.assertEqual(outcome.code, 7, outcome)
        self.assertRegex(outcome.err, r"^plot: error: .*plots: .*\n$")


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
        root = trimmed(H200, cache="cold")
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
        self.assert_refused(self.plot(self.dir / "none.json"), "none.json", "No such file")

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
        root = trimmed(H200, cache="cold")
        root["device"]["name"] = "<GPU> & $x_1$ \u0001\ud800 \u6f22"
        svg = self.draw([root], "forest")["forest"]
        self.assertIn("<GPU> & $x_1$ ?? \u6f22", svg.text)


class Libraries(PlotCase):
    def run_script(self, **env):
        path, = self.write(trimmed(H200, cache="cold"))
        return subprocess.run(
            [sys.executable, str(cli.ROOT / "scripts" / "plot.py"), path, "-o", str(self.out),
             "--only", "forest", "--format", "svg"], capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=cli.TIMEOUT_S,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env})

    def test_as_a_command(self):
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.out / 'forest.svg'}\n")

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
