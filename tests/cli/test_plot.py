#!/usr/bin/env python3
"""scripts/plot.py: the figures of the page as files. usage: test_plot.py MIPBENCH"""
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

import cli
import kept_sets
import report_fixture as fixture
from report import words

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {"time-size", "levels"}


class PlotCase(fixture.TestCase):
    def plot(self, *arguments, code=0, err=""):
        """{name: its SVG} of what is drawn."""
        outcome = self.script("plot.py", "-o", self.dir / "out", "--format", "svg", *arguments)
        self.assertEqual(outcome.code, code, outcome)
        self.assertRegex(outcome.err, rf"\A{err}\Z")
        found = {path.stem: xml.etree.ElementTree.parse(path) for path in (self.dir / "out").glob("*")}
        self.assertLessEqual(set(outcome.out.splitlines()), {str(self.dir / f"out/{name}.svg")
                                                             for name in found})
        return found

    def texts(self, tree):
        return [text.text for text in tree.iter(f"{SVG}text")]

    def title(self, tree):
        return self.texts(tree)[0]


class EveryPlot(PlotCase):
    def test_all_are_made_by_default(self):
        found = self.plot(kept_sets.GPU_MODES)
        self.assertEqual(set(found), NAMES)
        for name, tree in found.items():
            with self.subTest(name=name):
                self.assertNotRegex(" ".join(filter(None, self.texts(tree))), r"\b(nan|inf|None)\b")
                self.assertNotIn("var(", xml.etree.ElementTree.tostring(tree.getroot(), "unicode"))

    def test_sizes_are_all_on_the_axis_and_only_powers_of_two_are_joined(self):
        tree = self.plot(kept_sets.GPU, "--only", "time-size")["time-size"]
        root = kept_sets.load(kept_sets.GPU)
        sizes = {f"{case['width']}x{case['height']}" for case in root["cases"]}
        self.assertLessEqual(sizes, set(self.texts(tree)))
        lines = [path.get("d") for path in tree.iter(f"{SVG}path") if "line" in path.get("class", "").split()]
        labels = {variant["label"] for variant in kept_sets.variants(root)}
        self.assertEqual(len(lines), len(labels))
        n_round = sum(bin(case["width"] * case["height"]).count("1") == 1 for case in root["cases"])
        self.assertEqual({len(re.findall("[ML]", line)) for line in lines}, {n_round})
        self.assertIn("below the memory floor", self.texts(tree))

    def test_levels_have_the_times_of_the_run(self):
        tree = self.plot(kept_sets.GPU_MODES, "--only", "levels")["levels"]
        case = next(it for it in kept_sets.load(kept_sets.GPU_MODES)["cases"]
                    if (it["width"], it["height"]) == (4096, 4096))
        variant = next(it for it in case["variants"] if it["label"] == "compute")
        bars = [rect[0].text for rect in tree.iter(f"{SVG}rect") if len(rect)]
        for step in variant["steps"]:
            self.assertIn(f"level {step['first_level']}: {words.time_text(step['median_ns'])}", bars)

    def test_texts_do_not_leave_the_picture(self):
        for tree in self.plot(kept_sets.GPU_VARIANTS, "--only", "time-size").values():
            width = int(tree.getroot().get("width"))
            for text in tree.iter(f"{SVG}text"):
                if not text.get("transform"):
                    room = 8.9 * len(text.text)
                    share = {"end": 1, "middle": 0.5}.get(text.get("text-anchor"), 0)
                    left = float(text.get("x")) - share * room
                    self.assertGreater(left, -4, text.text)
                    self.assertLess(left + room, width + 4, text.text)

    def test_the_same_input_gives_the_same_bytes(self):
        for name in ("a", "b"):
            self.script("plot.py", "-o", self.dir / name, "--format", "svg", kept_sets.SOFTWARE)
        self.assertEqual(cli.snapshot(self.dir / "a"), cli.snapshot(self.dir / "b"))


class PublishedKernels(PlotCase):
    """The reference run, with spd as if it were the kernel of a manifest: at 1920x1080 it drops rows."""

    def setUp(self):
        super().setUp()
        self.root = kept_sets.load(kept_sets.GPU)
        self.root["run"]["kernels"] = [{"strategy": "spd", "path": "spd.json", "sha256": "0" * 64, "text": "{}",
                                        "modules": {}}]

    def bars(self, *arguments):
        """{what a bar says: whether it is solid}, and the texts."""
        tree = self.plot(self.write(self.root), "--only", "published", *arguments)["published"]
        return {rect[0].text: rect.get("class").startswith("f") for rect in tree.iter(f"{SVG}rect")
                if len(rect)}, self.texts(tree)

    def time_of(self, label, size):
        case = next(it for it in self.root["cases"] if (it["width"], it["height"]) == size)
        timing = next(it for it in case["timings"] if it["cache"] == "cold")
        name = next(it["id"] for it in case["variants"] if it["label"] == label)
        return next(row for row in timing["rows"] if row["variant"] == name)["stats"]["median_ns"]

    def test_what_is_exact_is_solid(self):
        bars, texts = self.bars()
        wide, square = (f"{self.time_of('spd', size) / 1000:.1f} us" for size in ((1920, 1080), (4096, 4096)))
        self.assertIs(bars[f"spd: {wide}, drops edges"], False)
        self.assertIs(bars[f"spd: {square}, exact"], True)
        self.assertTrue(all(solid for bar, solid in bars.items() if bar.startswith("spd-tree")))
        self.assertEqual([text for text in texts if "x" in text and len(text) < 10], ["1920x1080", "4096x4096"])
        self.assertEqual(sum(text.startswith("memory floor ") for text in texts), 2)
        self.assertRegex(" ".join(texts), r"Hatched at 1920x1080: spd[^()]* \(drops edges\)")

    def test_the_exact_variant_goes_before_a_faster_one(self):
        for case in self.root["cases"]:
            for variant in case["variants"]:
                if variant["label"] == "compute":
                    variant["strategy"] = "spd"  # slower than spd
                if variant["label"] == "spd":
                    variant["answer"] = "fp16"
        labels = {bar.partition(": ")[0] for bar, solid in self.bars()[0].items() if solid}
        self.assertIn("compute", labels)
        self.assertNotIn("spd", labels)

    def test_wrong_texels_are_no_exact_result(self):
        for case in self.root["cases"]:
            kept_sets.fail(case, next(it for it in case["variants"] if it["label"] == "spd"))
        found = [(bar, solid) for bar, solid in self.bars()[0].items() if bar.startswith("spd: ")]
        self.assertEqual([solid for _, solid in found], [False, False])
        self.assertTrue(all(bar.endswith(", wrong texels") for bar, _ in found), found)

    def test_the_largest_size_where_those_two_were_not_measured(self):
        self.root["cases"] = [it for it in self.root["cases"] if it["width"] in (256, 2048)]
        self.assertIn("2048x2048", self.bars()[1])

    def test_only_where_a_kernel_was_measured(self):
        self.assertNotIn("published", self.plot(kept_sets.GPU, err="(plot: levels[^\n]*\n)?"))
        self.plot(kept_sets.GPU, "--only", "published", code=1,
                  err=r"plot: published not made: no kernel of a manifest [^\n]+\n")


class Sets(PlotCase):
    def test_several_devices_share_a_plot(self):
        tree = self.plot(kept_sets.SOFTWARE, self.write(self.other_device()), "--only",
                         "time-size")["time-size"]
        self.assertTrue(any(text.startswith("Another GPU") for text in self.texts(tree)))
        self.assertLessEqual({"f0", "f1"}, {path.get("class") for path in tree.iter(f"{SVG}path")})

    def test_what_is_wrong_is_hollow(self):
        found = self.plot(self.write(fixture.failures_and_skips()), "--only", "time-size")
        marks = [path for path in found["time-size"].iter(f"{SVG}path")
                 if "hollow" in path.get("class", "")]
        self.assertIn("blit, 256x256: 622.7 us, wrong texels", [mark[0].text for mark in marks])

    def test_nothing_to_draw_says_what_to_run(self):
        for root in (fixture.no_results(), fixture.bare()):
            self.plot(self.write(root), err=r"(plot: [a-z-]+ not made: [^\n]+; run: mipbench IMAGE "
                                            r"-[^\n]+\n){2}")
            self.plot(self.write(root), "--only", "levels", code=1, err=r"plot: levels not made: [^\n]+\n")

    def test_an_interrupted_run_is_said(self):
        self.plot(self.write(fixture.interrupted()),
                  err=r"(plot: [a-z-]+ not made: [^\n]+\n)*plot: note: [^\n]*results.json: the run was interrupted; what it has is drawn\n")

    def test_all_draws_each_condition_and_size(self):
        found = self.plot(kept_sets.GPU_MODES, "--only", "time-size", "--all")
        root = kept_sets.load(kept_sets.GPU_MODES)
        self.assertEqual(len(found), len({(it["cache"], it["mode"]) for it in kept_sets.timings(root)}))
        found = self.plot(kept_sets.GPU_MODES, "--only", "levels", "--all")
        self.assertIn("levels_256x256-rgba8-hot-latency", found)


class Files(PlotCase):
    def test_png(self):
        """By rsvg-convert where it is there; without it SVG alone, which is said."""
        outcome = self.script("plot.py", "-o", "out", "--only", "time-size", kept_sets.GPU)
        self.assertEqual(outcome.code, 0, outcome)
        made = shutil.which("rsvg-convert")
        self.assertEqual((self.dir / "out/time-size.png").is_file(), bool(made), outcome)
        if made:
            width, height = struct.unpack(">II", (self.dir / "out/time-size.png").read_bytes()[16:24])
            root = xml.etree.ElementTree.parse(self.dir / "out/time-size.svg").getroot()
            self.assertEqual((width, height), (2 * int(root.get("width")), 2 * int(root.get("height"))))

    def test_png_without_its_program(self):
        command = [sys.executable, "-B", str(cli.SCRIPTS / "plot.py"), "-o", "out", str(kept_sets.GPU),
                   "--only", "time-size", "--mipbench", cli.BINARY]
        env = {"PATH": "/nonexistent"}
        for more, code in (([], 0), (["--format", "png"], 2)):
            done = subprocess.run([*command, *more], cwd=self.dir, env=env, capture_output=True,
                                  check=False, encoding="utf-8", timeout=cli.TIMEOUT_S)
            self.assertEqual(done.returncode, code, done)
            self.assertIn("PNG needs rsvg-convert", done.stderr)

    def test_usage(self):
        for arguments in ([], ["--only", "pie", "x"], ["--format", "gif", "x"]):
            outcome = self.script("plot.py", *arguments)
            self.assertEqual((outcome.code, outcome.out), (2, ""), outcome)
            self.assertRegex(outcome.err, r"\Aplot: error: [^\n]+\n\Z")


if __name__ == "__main__":
    cli.main()
