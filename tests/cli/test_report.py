#!/usr/bin/env python3
"""scripts/report.py: what the page says of every kind of results, and --report of mipbench.
usage: test_report.py MIPBENCH"""
import base64
import copy
import gzip
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import cli
import kept_sets
import report_fixture as fixture
import result_node
import results
import textures
from report import hdr, looks, png, words

MAX_PAGE_BYTES = 5_000_000
VOID = {"meta", "link", "br", "wbr", "img", "input", "path", "line", "rect", "image", "use"}


class Outline(html.parser.HTMLParser):
    """Balance of the elements, and what a browser would fetch or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.scripts, self.ids = [], [], 0, []
        self.images = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.scripts += tag == "script"
        self.ids += [given["id"]] if "id" in given else []
        self.images += [given] if given.get("role") == "img" else []
        self.fetched += [given[key] for key in ("src", "href") if key in given
                         and not given[key].startswith(("#", "data:"))]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def embedded(text, name):
    """What a JSON element of the page holds."""
    return re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', text,
                     re.DOTALL)[1]


def saved(text, index):
    """The JSON that a button of the page saves."""
    packed = re.search(rf'<script type="application/gzip" id="json-{index}">(.*?)</script>', text)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def texels_of(packed, width):
    """The four bytes of each texel of a level of this width, as the page holds them."""
    found = bytearray(gzip.decompress(base64.b64decode(packed)))
    for at in range(len(found)):
        if at % (4 * width) >= 4:
            found[at] = found[at] + found[at - 4] & 255
    return bytes(found)


class PageCase(fixture.TestCase):
    def check(self, text):
        """A whole page that needs nothing else."""
        whole = text.split("<script", 1)[0]
        outline = Outline(text)
        self.assertEqual((outline.open, outline.fetched), ([], []))
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        self.assertTrue(all(image.get("aria-label") for image in outline.images))
        self.assertNotRegex(whole, r"\b(None|nan|NaN|inf)\b")
        self.assertLess(len(text), MAX_PAGE_BYTES)
        return outline

    def holds(self, text, *words_of):
        """Without the whole page in the message."""
        for word in words_of:
            self.assertTrue(word in text, word)

    def first(self, text):
        """All that is read."""
        text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
        return " ".join(re.sub(r"<[^>]*>", " ", text).split())


class Pages(PageCase):
    def test_it_introduces_itself(self):
        text = self.page(kept_sets.GPU)
        self.check(text)
        said = self.first(text)
        self.assertTrue(said.startswith(
            "Mip-chain generation on NVIDIA H200: 8 strategies, every texel verified"), said[:200])
        self.holds(said, "spd-tree is the fastest exact strategy in all 6 tests, 1.31x to 3.36x faster "
                   "than the runner-up.", "it drops the last row or column of every odd level",
                   "48 of 48 verified")
        self.assertEqual(saved(text, 0), kept_sets.load(kept_sets.GPU))

    def test_in_which_order(self):
        """What was measured, the verdict, time against size, who is fastest where, every run."""
        text = self.page(kept_sets.GPU)
        places = [text.index(part) for part in (
            "<h1>", 'class="lead"', "Time against size: rgba8, cold latency", '<table class="matrix',
            'id="results"', 'id="verification"')]
        self.assertEqual(places, sorted(places))

    def matrix(self, text):
        """{size: (style, text of each element)} of the first matrix."""
        rows = re.search(r'<table class="matrix.*?</table>', text, re.DOTALL)[0]
        return {size: (style, dict(re.findall(r"<(em|b|i|small)>([^<]*)<", inside))) for style, size, inside in
                re.findall(r'class="won[^"]*"( style="[^"]*")?><a data-at="([^"]*)"[^>]*>(.*?)</a>', rows)}

    def test_the_matrix_is_as_the_runs_decided(self):
        """In each cell the fastest one's median and the factor of the runner-up; who, in the line above."""
        text = self.page(kept_sets.GPU)
        self.holds(self.first(text), "A cell without a name: spd-tree.")
        found, root, heats = self.matrix(text), kept_sets.load(kept_sets.GPU), {}
        for case in root["cases"]:
            timing, = [it for it in case["timings"] if (it["cache"], it["mode"]) == ("cold", "latency")]
            ranking = timing["rankings"][0]
            by_id = {row["variant"]: row for row in timing["rows"]}
            ratio = by_id[ranking["order"][1]]["relative"]["ratio"]
            style, cell = found[f'{case["width"]}x{case["height"]}']
            self.assertEqual((cell.get("em"), cell["b"], cell["i"]), (
                None, words.time_text(by_id[ranking["fastest"]]["stats"]["median_ns"]),
                words.ratio_text(ratio) + "x"))
            heats[ratio] = int(re.search(r"--h:(\d+)%", style)[1])
        self.assertEqual(list(dict(sorted(heats.items())).values()), sorted(heats.values()))
        self.assertGreater(max(heats.values()), 2 * min(heats.values()))
        self.assertEqual({size: cell["small"] for size, (_, cell) in found.items() if "small" in cell},
                         {"4095x4095": "spd 0.83x, drops edges"})

    def test_names_where_they_differ(self):
        """A tie, and another winner than the usual one."""
        found = self.matrix(self.page(*(kept_sets.REFERENCE / "nvidia-h200").glob("format-rg11b10f-*.json")))
        self.assertEqual(found["4096x4096"][1]["i"], "tie")
        self.assertIn("≈", found["4096x4096"][1]["em"])
        found = self.matrix(self.page(kept_sets.REFERENCE / "nvidia-h200/format-rgba32f-max.json"))
        self.assertEqual({size: cell["em"] for size, (_, cell) in found.items() if "em" in cell},
                         {"4095x4095": "subgroup:npot=box"})

    def test_one_table_of_all_runs(self):
        text = self.page(kept_sets.GPU)
        table = re.search(r'<table class="runs".*?</table>', text, re.DOTALL)[0]
        root = kept_sets.load(kept_sets.GPU)
        self.assertEqual(text.count('<table class="runs"'), 1)
        bodies = re.findall(r'<tbody id="t[^>]*data-condition="([^"]*)"[^>]*>(.*?)</tbody>', table, re.DOTALL)
        self.assertEqual(len(bodies), len(kept_sets.timings(root)))
        self.assertEqual([condition for condition, _ in bodies], 6 * ["cold latency"] + 6 * ["hot latency"])
        self.assertEqual(table.count('<th scope="row"'), len(kept_sets.rows(root)))
        for _, body in bodies:
            times = [float(time) for time in re.findall(r"--f:([\d.]+)", body)]
            self.assertEqual(times, sorted(times))
        self.holds(table, "of peak", "drops edges", "two taps")

    def test_time_against_size(self):
        """What is not exact is hollow, and every width has its own drawing."""
        text = self.page(kept_sets.GPU)
        drawn = re.search(r'<div class="wide">(.*?)</svg>', text, re.DOTALL)[1]
        marks = {title.partition(":")[0]: "hollow" in css for css, title in
                 re.findall(r'class="([^"]*)"><title>([^<]*)</title></path>', drawn)}
        self.assertEqual(len(marks), 48)
        self.assertIs(marks["spd, 4095x4095"], True)
        self.assertIs(marks["spd, 4096x4096"], False)
        self.assertFalse(any(hollow for name, hollow in marks.items() if name.startswith("spd-tree")))
        at = {name: x for x, name in re.findall(r'translate\(([\d.]+) [^>]*><title>([^:]*):', drawn)}
        self.assertEqual(at["spd, 4096x4096"], at["spd-tree, 4096x4096"])  # not beside each other
        self.assertEqual(drawn.count('class="limit"><title>memory floor'), 6)
        for css in ("narrow", "middle", "wide"):
            self.holds(text, f'<div class="{css}">')

    def test_published_kernels_open_the_page(self):
        """Their bars, then what is wrong; and spd-tree is drawn among more variants than can be told apart."""
        text = self.page(kept_sets.PUBLISHED)
        self.check(text)
        places = [text.index(part) for part in (
            'class="lead"', "Kernels side by side on NVIDIA H200: rgba8, cold latency", "✗ Wrong or failed",
            "Time against size: rgba8, cold latency", '<table class="matrix')]
        self.assertEqual(places, sorted(places))
        wrong = re.findall(r"<li><b>([a-z-]+)", text[places[2]:places[3]])
        self.assertEqual(wrong, ["amd-spd", "ffx-spd", "granite-spd", "miniengine", "stripe-compute",
                                 "niagara-depth", "vkguide-depth"])
        drawn = re.search(r'<div class="wide">(.*?)</svg>', text[places[3]:], re.DOTALL)[1]
        marks = re.findall(r"<title>([^,<]*), (\d+x\d+):", drawn)
        self.assertIn(("spd-tree", "8192x8192"), marks)
        self.assertLessEqual(len(dict(marks)), 12)
        self.assertEqual(len({label.partition(":")[0] for label, _ in marks}), len(dict(marks)))

    def test_nothing_empty_has_a_section(self):
        text = self.page(kept_sets.GPU)
        self.assertEqual(re.findall(r'<a href="#([a-z]+)">', text.split("<nav")[1].split("</nav")[0]),
                         ["results", "verification", "runs"])
        text = self.page(self.write(fixture.no_results()))
        self.check(text)
        self.holds(self.first(text), ": no results", "The file holds no results")
        self.assertNotIn('id="verification"', text)
        text = self.page(self.write(fixture.bare()))
        self.check(text)
        self.holds(self.first(text), "Nothing was verified (--no-verify)", "nothing verified")
        self.assertNotIn('id="verification"', text)

    def test_one_case_is_its_table(self):
        text = self.page(self.write(fixture.first_timing(fixture.load())))
        self.check(text)
        self.assertNotIn('class="matrix', text)
        self.assertEqual(text.count('class="runs"'), 1)
        self.check(self.page(self.write(fixture.one_strategy())))

    def test_failures_are_first(self):
        text = self.page(self.write(fixture.failures_and_skips()))
        self.check(text)
        said = self.first(text)
        self.holds(said, "1 of 23 results wrong, 1 of 23 results failed", "✗ Wrong or failed, so without a rank there:", "a texel is wrong",
                   "failed: the device was lost", "21 of 23 verified · ✗ 2 wrong or failed", "needs a subgroup of 64")
        self.assertLess(said.index("the device was lost"), said.index("fastest exact"))

    def test_software_and_interrupted_are_said(self):
        text = self.page(self.write(fixture.interrupted()))
        said = self.first(text)
        self.holds(said, "⚠ A software device", "✗ The run did not get to its end (interrupted)")
        self.assertNotIn("of peak", text)  # that would be said of a memory bandwidth that is the host's

    def test_several_devices(self):
        """Matched by size, format and reduction: what the image was called is no difference."""
        other = self.other_device()
        for case in other["cases"]:
            case.update(input="photo.png", input_sha256="0", id=f"photo_{case['id']}")
        for timing in kept_sets.timings(other):
            for column in timing["blocks"]["columns"]:
                column["durations_ns"] = [2.5 * it for it in column["durations_ns"]]
        text = self.page(kept_sets.SOFTWARE, self.write(other, "b.json"))
        self.check(text)
        self.holds(self.first(text), "Mip-chain generation on 2 devices: llvmpipe", "and Another GPU",
                   "Times over those of llvmpipe")
        table = re.search(r'<table class="runs devices".*?</table>', text, re.DOTALL)[0]
        ratios = re.findall(r"<b>([\d.]+)x</b>", table)
        self.assertEqual((len(ratios), set(ratios)), (len(kept_sets.rows(kept_sets.load(kept_sets.SOFTWARE))), {"2.50"}))
        chart = text[:text.index('<table class="runs devices"')]
        self.holds(chart, "llvmpipe (LLVM 15.0.6, 256 bits) (software): spd-tree", "Another GPU: spd-tree",
                   '<path d="M-4.2,0', "class=\"f0\"", "class=\"f1\"")

    def test_conditions_are_never_mixed(self):
        other = self.other_device()
        for timing in kept_sets.timings(other):
            timing["cache"] = "cold"
        text = self.page(kept_sets.SOFTWARE, self.write(other, "b.json"))
        self.holds(self.first(text), "No condition was measured on each device.")
        self.assertNotIn('class="runs devices"', text)

    def after(self, factor):
        """A later build: compute takes `factor` times as long, and blit is wrong at one size."""
        root = kept_sets.load(kept_sets.GPU)
        root["run"]["id"], root["run"]["tool"]["git_sha"] = "after", "after12"
        for timing in kept_sets.timings(root):
            for column in timing["blocks"]["columns"]:
                if column["variant"] == "compute":
                    column["durations_ns"] = [factor * it for it in column["durations_ns"]]
        kept_sets.fail(root["cases"][0], root["cases"][0]["variants"][0])
        (self.dir / "after").mkdir()
        return self.write(root, "after/results.json")

    def test_a_comparison_opens_on_what_compare_says(self):
        path = self.after(1.1)
        text = self.page(kept_sets.GPU, path)
        self.check(text)
        said = json.loads(self.run_it("compare", "--json", "-", str(kept_sets.GPU), str(path)).out)
        summary, first = said["summary"], self.first(text)
        self.assertGreater(summary["slower"], 6)
        self.holds(first, "on NVIDIA H200: 2 builds", f"{summary['slower']} slower", "after (mipbench ",
                   ") against run-1.json (mipbench ")
        lost = [it for it in said["not_compared"] if it["regression"]]
        self.assertTrue(lost)
        self.holds(text, *(f"<b>{it['strategy']}</b>" for it in lost))
        chart = re.search(r'<div class="wide">(.*?)</svg>', text, re.DOTALL)[1]
        self.assertLess(text.index(chart), text.index("by itself"))
        marks = re.findall(r'class="v-(bad|good|same)[^"]*"><title>([^<]*)</title>', chart)
        slower = sum(it["verdict"] == "SLOWER" for it in said["comparisons"])
        self.assertEqual([css for css, _ in marks[:slower]], slower * ["bad"])
        self.assertEqual(sum(css == "bad" for css, _ in marks), slower)
        self.assertEqual(chart.count('class="band"'), len(marks))

    def test_runs_of_one_device_are_taken_together(self):
        again = copy_of_another_second(kept_sets.GPU)
        text = self.page(kept_sets.GPU, self.write(again, "again.json"))
        self.check(text)
        self.holds(self.first(text), "2 runs · ", "spd-tree is the fastest exact strategy in all 6 tests",
                   "96 of 96 verified")
        self.assertEqual(text.count('class="matrix'), 2)  # cold, and hot

    def test_several_images_are_told_apart(self):
        text = self.page(self.write(fixture.two_images()))
        self.check(text)
        self.holds(self.first(text), "photo.png")

    def test_whole_reference_sets(self):
        for folder in kept_sets.WHOLE_SETS:
            self.check(self.page(*sorted(folder.glob("format-*.json"))))
        self.check(self.page(kept_sets.GPU_MODES))
        self.check(self.page(kept_sets.GPU_VARIANTS))
        self.check(self.page(kept_sets.SOFTWARE_MODES))

    def test_hostile_names_are_shown_as_they_are(self):
        text = self.page(self.write(fixture.hostile()))
        self.check(text)
        self.assertNotIn("<img src=x", text.lower())
        self.assertEqual(saved(text, 0), fixture.hostile())

    def test_several_runs_need_mipbench(self):
        self.assertIn("no such program", self.refusal(3, "--mipbench", "./none", kept_sets.SOFTWARE))

    def test_kernels(self):
        """What inspect printed beside the results; without it there is no such section."""
        path = self.write(fixture.one_strategy())
        self.assertNotIn('id="kernels"', self.page(path))
        outcome = self.run_it("inspect", "-d", "cpu", "-s", "compute", "--size", "9x7", "--json")
        self.assertEqual(outcome.code, 0, outcome)
        document = json.loads(outcome.out)
        document["variants"] += [
            {**document["variants"][0], "label": "<b>", "kernels": [
                {**document["variants"][0]["kernels"][0], "spills": 1182, "registers": None}]},
            {**document["variants"][0], "status": "skipped", "reason": "no quads", "kernels": []}]
        self.write(document, "inspect.json")
        text = self.page(path)
        self.check(text)
        self.holds(text, "Nothing was executed", "compute/compute.comp", "9x7", "&lt;b&gt;", "1182",
                   '<tr class="failed">', "skipped: no quads")
        self.write({**document, "schema": {"name": "other", "version": "1.0.0"}}, "inspect.json")
        (self.dir / "page.html").unlink()
        self.assertIn("inspect.json", self.refusal(3, path))


def copy_of_another_second(path):
    root = kept_sets.load(path)
    root["run"]["id"] = "another"
    return root


class Words(fixture.TestCase):
    def test_ratios_with_intervals(self):
        for ends, text in (((1.431, 1.449), "1.43 – 1.45"), ((0.9841, 1.0159), "0.98 – 1.02"),
                           ((1.5, 1.5), "1.50 – 1.50")):
            self.assertEqual(words.ratios_text(ends), text)

    def test_times(self):
        self.assertEqual(words.times_text((23_100, 23_900)), "23.1 – 23.9 us")
        self.assertEqual(words.times_text((990, 1010)), "990 ns – 1.01 us")

    def test_figures_are_those_of_the_terminal(self):
        """The snapshot is what the program prints (tests/unit/test_figure.c)."""
        shows = {"time": words.time_text, "ratio": words.ratio_text}
        kept = (cli.ROOT / "tests/unit/snapshots/figure.txt").read_text(encoding="utf-8")
        figures = [line.split(" ", 2) for line in kept.splitlines()[1:]]
        self.assertGreater(len(figures), 10)
        for kind, value, text in figures:
            self.assertEqual(shows[kind](float(value)), text)
        self.assertEqual({words.time_text(None), words.ratio_text(None)}, {"–"})

    def test_all_texts_are_clean(self):
        for text in ("\x1b[2J", "\x9b", "\ud800", "\uffff"):
            self.assertNotIn(text, words.esc(result_node.clean(f"a{text}b")))


class Looks(PageCase):
    def test_no_two_look_alike(self):
        labels = ["spd", "compute", "spd-tree", *(f"spd:x={index}" for index in range(60))]
        found = [(look.colour, look.marker) for look in looks.of(labels).values()]
        self.assertEqual(len(set(found)), len(labels))

    def test_the_defaults_look_the_same_everywhere(self):
        alone, all_of = looks.of(["spd"])["spd"], looks.of([*looks.DEFAULTS, "a", "b"])
        self.assertEqual((alone.colour, alone.marker), (all_of["spd"].colour, all_of["spd"].marker))
        self.assertEqual(len({look.colour for look in all_of.values()}), len(all_of))


class Pictures(PageCase):
    def view(self, text):
        return json.loads(embedded(text, "viewer-data"))

    def viewer(self, text):
        return self.view(text)["groups"]

    def test_equal_levels_are_one(self):
        text = self.page(self.write(fixture.write_pictures(self.dir)))
        # Five levels of three different chains.
        self.assertEqual(len(self.view(text)["levels"]), 15)
        group, = self.viewer(text)
        self.assertEqual((group["a"], group["levels"]), (0, 5))
        self.assertEqual(group["chains"][0]["label"], "reference")
        first, second = group["chains"][1]["layers"]["0"], group["chains"][2]["layers"]["0"]
        self.assertEqual(first, second)

    def test_levels_are_those_of_the_atlas(self):
        """Of what mipbench wrote, texel for texel, in less room."""
        image = str(cli.ROOT / "tests/data/chelsea.png")
        for spec, options in ((image, ("--size", "160x100")), ("pattern:noise:37x70", ("-f", "r8")),
                              ("pattern:noise:41x13", ("--alpha", "premultiplied"))):
            outcome = self.quick(spec, "-s", "spd", "-o", "out", *options)
            self.assertEqual(outcome.code, 0, outcome)
            view = self.view(self.page(self.dir / "out/results.json"))
            group = view["groups"][0]
            name, = [path for path in (self.dir / "out").glob("*/spd/atlas.png")]
            atlas_width, _, atlas = cli.read_png(name)
            y = 0
            for level, number in enumerate(group["chains"][1]["layers"]["0"]):
                width, height = max(1, group["width"] >> level), max(1, group["height"] >> level)
                x = group["width"] if level else 0
                self.assertEqual(texels_of(view["levels"][number], width),
                                 cli.crop(atlas, atlas_width, x, y, width, height), (spec, level))
                y += height if level else 0
            if spec == image:
                n_bytes = sum(path.stat().st_size for path in (self.dir / "out").rglob("*.png"))
                self.assertLess(sum(map(len, view["levels"])) * 3 / 4, 0.7 * n_bytes)
            shutil.rmtree(self.dir / "out")

    def test_what_another_program_wrote_is_named(self):
        """With Paeth's filter, say."""
        root = fixture.write_pictures(self.dir)
        path = self.dir / "image" / "golden-box" / "atlas.png"
        rows = b"".join(b"\4" + bytes(4 * 24) for _ in range(16))
        data = (cli.png_header(24, 16) + cli.png_chunk(b"IDAT", zlib.compress(rows))
                + cli.png_chunk(b"IEND", b""))
        path.write_bytes(data)
        text = self.page(self.write(root))
        self.assertEqual(len(self.viewer(text)[0]["chains"]), 3)
        self.holds(text, "pictures that the results name are not there or not as the run wrote them")

    def test_damaged_files_are_survived(self):
        root = fixture.write_pictures(self.dir)
        path = self.dir / "image" / "golden-box" / "atlas.png"
        whole = path.read_bytes()
        self.assertEqual(len(png.decode(whole)), 16)
        for n_bytes in range(len(whole)):
            self.assertIsNone(png.decode(whole[:n_bytes]))
            png.decode(whole[:n_bytes] + b"\xff" + whole[n_bytes + 1:])
        path.write_bytes(whole[:60])  # a header, and no more
        self.page(self.write(root))

    def test_floats_are_those_of_the_hdr_files(self):
        """Of what mipbench wrote, within the eight bits of a mantissa; beyond 1, too."""
        outcome = self.quick(str(cli.ROOT / "tests/data/sun.hdr"), "-s", "compute", "-f", "rgba16f",
                             "-o", "out", "--chain", "ktx2")
        self.assertEqual(outcome.code, 0, outcome)
        view = json.loads(embedded(self.page(self.dir / "out/results.json"), "viewer-data"))
        group, = view["groups"]
        chain = next(it for it in group["chains"] if it["label"] == "compute")
        path, = (self.dir / "out").glob("*/compute/*.ktx2")
        levels, most = textures.read_ktx2(path.read_bytes()).texels, 0
        for level, index in enumerate(chain["floats"]["0"]):
            width, height = max(1, group["width"] >> level), max(1, group["height"] >> level)
            if max(width, height) > 256:
                self.assertIsNone(index)
                continue
            rgbe = texels_of(view["levels"][index], width)
            wanted = struct.unpack(f"<{4 * width * height}e", levels[level][0])
            for at in range(0, 4 * width * height, 4):
                scale = 2.0 ** (rgbe[at + 3] - 136)
                for channel in range(3):
                    self.assertLessEqual(abs(rgbe[at + channel] * scale - wanted[at + channel]), scale)
            most = max(most, *wanted)
        self.assertGreater(most, 2)

    def test_damaged_hdr_files_are_survived(self):
        whole = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n" + 2 * (
            b"\2\2\0\x08" + b"\x88\7" + b"\x08abcdefgh" + b"\x84\1\x84\2" + b"\x88\x80")
        rows = hdr.decode(whole, (8, 2))
        self.assertEqual(rows[1][:8], bytes((7, ord("a"), 1, 128, 7, ord("b"), 1, 128)))
        self.assertIsNone(hdr.decode(whole, (8, 3)))
        for n_bytes in range(len(whole)):
            self.assertIsNone(hdr.decode(whole[:n_bytes], (8, 2)))
            hdr.decode(whole[:n_bytes] + b"\xff" + whole[n_bytes + 1:], (8, 2))

    def test_it_opens_where_the_error_is(self):
        root = fixture.write_pictures(self.dir)
        case, = root["cases"]
        wrong = case["variants"][2]
        kept_sets.fail(case, wrong)
        wrong["verify"]["levels"]["max_error_lsb"] = [0, 0.5, 80, 3, 1]
        group, = self.viewer(self.page(self.write(root)))
        self.assertEqual((group["chains"][group["b"]]["label"], group["level"]),
                         (wrong["label"] + " ✗", 2))
        self.assertEqual(group["chains"][group["a"]]["label"], "reference")

    def test_it_opens_on_what_is_inexact_of_a_photo(self):
        """The reference beside the fastest strategy that is not exact; failures go first."""
        root = fixture.write_pictures(self.dir)
        case, = root["cases"]
        for variant, answer in zip(case["variants"], ("exact", "floor", "exact")):
            variant["answer"] = answer
        photo = {**copy.deepcopy(case), "id": "photo", "input": "photo.png", "input_sha256": "0"}
        root["cases"] += [photo]
        first, second = self.viewer(self.page(self.write(root)))
        self.assertEqual(([first["title"].split(",")[0], second["title"].split(",")[0]]),
                         ["photo.png", case["input"]])
        self.assertEqual([first["chains"][first[side]]["label"] for side in "ab"],
                         ["reference", case["variants"][1]["label"]])
        self.assertEqual(first["level"], 1)
        kept_sets.fail(case, case["variants"][2])
        self.assertTrue(self.viewer(self.page(self.write(root)))[0]["title"].startswith(case["input"]))

    def test_the_sheet_is_shown_as_it_is(self):
        outcome = self.quick(str(cli.ROOT / "tests/data/chelsea.png"), "-s", "spd", "-o", "out", "--images", "sheet")
        self.assertEqual(outcome.code, 0, outcome)
        sheet, = (self.dir / "out").glob("*/sheet.png")
        text = self.page(self.dir / "out/results.json")
        self.check(text)
        self.assertEqual(base64.b64decode(re.search(r'<img class="sheet"[^>]*base64,([^"]*)"', text)[1]),
                         sheet.read_bytes())

    def test_missing_ones_are_named(self):
        root = fixture.write_pictures(self.dir)
        shutil.rmtree(self.dir / "image" / "golden-box")
        (self.dir / "image" / kept_sets.variants(root)[0]["id"] / "atlas.png").write_bytes(b"no PNG")
        text = self.page(self.write(root))
        self.holds(text, "4 pictures that the results name are not there")
        self.assertEqual(len(self.viewer(text)[0]["chains"]), 2)

    def test_only_files_of_the_folder_are_opened(self):
        """A pipe would hang, a device fill the memory, and a link show what is somebody else's."""
        root = fixture.write_pictures(self.dir)
        first, second, third = (self.dir / "image" / variant["id"] / "atlas.png"
                                for variant in kept_sets.variants(root)[:3])
        for picture in (first, second, third):
            picture.unlink()
        os.mkfifo(first)
        second.symlink_to("/dev/zero")
        with tempfile.NamedTemporaryFile(suffix=".png") as other:
            cli.write_png(other.name, 24, 16, cli.noise(24 * 16 * 4))
            third.symlink_to(other.name)
            text = self.page(self.write(root))
        self.holds(text, "3 pictures that the results name are not there")

    def test_a_budget(self):
        text = self.page("--max-pictures", "0", self.write(fixture.write_pictures(self.dir)))
        self.assertEqual(self.view(text)["levels"], [])
        self.holds(text, "--max-pictures makes room")
        self.assertEqual(self.viewer(text), [])

    def test_levels_of_an_input_called_atlas(self):
        image = self.dir / "atlas.png"
        cli.write_png(image, 16, 16, cli.noise(16 * 16 * 4))
        outcome = self.quick(str(image), "-s", "compute", "-o", "out", "--images", "levels")
        self.assertEqual(outcome.code, 0, outcome)
        group, = self.viewer(self.page(self.dir / "out/results.json"))
        self.assertEqual([len(chain["layers"]["0"]) for chain in group["chains"]], [5, 5])
        self.assertNotIn(None, [it for chain in group["chains"] for it in chain["layers"]["0"]])

    def test_of_another_size(self):
        root = fixture.write_pictures(self.dir)
        root["cases"][0].update(width=512, height=512, levels=10)
        self.assertEqual(self.viewer(self.page(self.write(root))), [])


class Refusals(PageCase):
    def test_runs_of_one_second_are_two(self):
        """Only the same samples make runs of the same id one run."""
        other = fixture.one_strategy()
        kept_sets.timings(other)[0]["blocks"]["columns"][0]["durations_ns"][0] += 1
        self.holds(self.page(self.write(fixture.one_strategy(), "a.json"), self.write(other, "b.json")),
                   "a.json", "b.json")

    def test_command_lines(self):
        path = self.write(fixture.load())
        for arguments in ([], ["--nope", path], ["--max-pictures", "x", path]):
            with self.subTest(arguments=arguments):
                self.refusal(2, *arguments)
        self.assertEqual(self.report("-o", "nowhere/page.html", path).code, 7)

    def test_no_input_is_replaced(self):
        path = self.write(fixture.write_pictures(self.dir))
        self.write({"schema": {"name": "mipbench-inspection", "version": "1.0.0"}, "device": {"name": "x"},
                    "variants": []}, "inspect.json")
        (self.dir / "link").symlink_to("inspect.json")
        os.link(self.dir / "image/golden-box/atlas.png", self.dir / "hard")
        before = cli.snapshot(self.dir)
        for name in ("inspect.json", "link", "image/golden-box/atlas.png", "hard",
                     cli.SCRIPTS / "report" / "page.css"):
            for options in ([], ["--max-pictures", "0"]):
                with self.subTest(name=name, options=options):
                    self.assertIn(f"{name}: it is an input; name another file",
                                  self.refusal(2, path, "-o", name, *options))
                    self.assertEqual(cli.snapshot(self.dir), before)

    def test_scripts_that_are_not_whole(self):
        path = self.write(fixture.one_strategy())
        for name in ("scripts/whole_file.py", "scripts/report/page.css"):
            shutil.copytree(cli.SCRIPTS, self.dir / "scripts", dirs_exist_ok=True)
            missing = self.dir / name
            shutil.rmtree(missing) if missing.is_dir() else missing.unlink()
            done = subprocess.run([sys.executable, "-B", "scripts/report.py", str(path)],
                                  cwd=self.dir, check=False, capture_output=True,
                                  encoding="utf-8", timeout=cli.TIMEOUT_S)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertRegex(done.stderr, rf"^report: error: .*{missing.name} is missing; .*\n$")

    def test_what_is_no_regular_file_stays(self):
        """A pipe without a reader is refused, one with a reader gets the page; a link stays."""
        path, pipe, link = self.write(fixture.one_strategy()), self.dir / "pipe", self.dir / "link"
        os.mkfifo(pipe)
        outcome = self.report("-o", pipe, path)
        self.assertEqual(outcome.code, 7, outcome)
        self.assertIn("name a file that can be written with -o", outcome.err)
        self.assertTrue(pipe.is_fifo())
        with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
            with open(pipe, "wb"):  # waits for the reader
                outcome = self.report("-o", pipe, path)
            self.assertTrue(reader.communicate()[0].startswith(b"<!DOCTYPE html>"))
        self.assertEqual((outcome.code, pipe.is_fifo()), (0, True), outcome)
        (self.dir / "target.html").write_text("old", encoding="utf-8")
        link.symlink_to("target.html")
        self.assertEqual(self.report("-o", link, path).code, 0)
        self.assertTrue(link.is_symlink())
        self.assertTrue((self.dir / "target.html").read_text().startswith("<!DOCTYPE html>"))
        self.assertEqual(self.report("-o", self.dir, path).code, 7)

    @unittest.skipIf(os.geteuid() != 0, "only root can give a link to another user")
    def test_links_of_other_users(self):
        path = self.write(fixture.one_strategy())
        (self.dir / "inner").mkdir()
        (self.dir / "inner/page.html").write_text("kept", encoding="utf-8")
        for name, target, out in (("file", "inner/page.html", "file"), ("folder", "inner", "folder/page.html"),
                                  ("root", self.dir, "root/folder/../inner/page.html")):
            (self.dir / name).symlink_to(target)
            self.assertEqual(self.report("-o", self.dir / out, path).code, 0)  # one's own
            (self.dir / "inner/page.html").write_text("kept", encoding="utf-8")
            os.chown(self.dir / name, 65534, 65534, follow_symlinks=False)
            self.assertEqual(self.report("-o", self.dir / out, path).code, 0)  # in a folder of one's own
            (self.dir / "inner/page.html").write_text("kept", encoding="utf-8")
            self.dir.chmod(0o1777)
            outcome = self.report("-o", self.dir / out, path)
            self.dir.chmod(0o700)
            self.assertEqual(outcome.code, 7, outcome)
            self.assertIn("a symbolic link of another user", outcome.err)
            self.assertEqual((self.dir / "inner/page.html").read_text(), "kept")
            os.chown(self.dir / name, 0, 0, follow_symlinks=False)


class Option(cli.TestCase):
    """mipbench --report"""

    def test_the_page_is_made(self):
        outcome = self.quick("pattern:gradient:16x16", "-s", "compute,spd", "-o", "-out; x",
                             "--report")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        self.assertTrue(outcome.out.decode().endswith("Report: -out; x/report.html\n"), outcome)
        text = (self.dir / "-out; x/report.html").read_text(encoding="utf-8")
        labels = [chain["label"] for chain in json.loads(embedded(text, "viewer-data"))["groups"][0]["chains"]]
        self.assertEqual(labels, ["reference", "compute", "spd"])

    def test_the_program_itself_judges(self):
        """Wherever it was built, and with no other on PATH."""
        (self.dir / "elsewhere").mkdir()
        shutil.copy2(cli.BINARY, self.dir / "elsewhere/program")
        done = subprocess.run(
            ["elsewhere/program", "pattern:gradient:16x16", "-s", "spd", "-n", "3", "-q", "-o", "out",
             "--no-roofline", "--report"], cwd=self.dir, check=False, capture_output=True,
            timeout=cli.TIMEOUT_S, env={**os.environ, "MIPBENCH": "", "PATH": "/usr/bin:/bin",
                                        "MIPBENCH_DATA": str(self.scripts_alone())})
        self.assertEqual((done.returncode, done.stderr), (0, b""), done)

    def scripts_alone(self):
        """A copy of what is in scripts/, beside which nothing was built."""
        shutil.copytree(cli.SCRIPTS, self.dir / "data")
        shutil.copy2(cli.ROOT / "results/schema.json", self.dir / "data")
        return self.dir / "data"

    def test_the_installed_script_goes_first(self):
        for folder in ("bin", "share/mipbench"):
            (self.dir / folder).mkdir(parents=True)
        shutil.copy2(cli.BINARY, self.dir / "bin/mipbench")
        (self.dir / "share/mipbench/report.py").write_text(
            "import sys\nopen(sys.argv[1].partition('=')[2], 'w').write(' '.join(sys.argv[2:]))\n",
            encoding="utf-8")
        done = subprocess.run(["bin/mipbench", "pattern:gradient:8x8", "-q", "-n", "3", "-s", "spd",
                               "-o", "out", "--no-roofline", "--report"], cwd=self.dir, check=False,
                              capture_output=True, timeout=cli.TIMEOUT_S)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done)
        self.assertEqual((self.dir / "out/report.html").read_text(),
                         "--max-pictures=4 -- out/results.json")

    def test_stdout_stays_clean(self):
        outcome = self.quick("pattern:gradient:8x8", "-s", "spd", "-o", "out", "--report", "--json",
                             "-")
        self.assertEqual(outcome.code, 0, outcome)
        json.loads(outcome.out)
        self.assertIn(b"Report: out/report.html", outcome.err)

    def test_what_is_missing_is_told_before_the_run(self):
        outcome = self.quick("pattern:gradient:8x8", "-o", "out", "--report",
                             env={"MIPBENCH_DATA": str(self.dir)})
        self.assert_error(outcome, 7, "report: cannot find report.py", "MIPBENCH_DATA")
        self.assertFalse((self.dir / "out").exists())

    def test_a_script_that_fails(self):
        (self.dir / "report.py").write_text("import sys\nsys.exit(9)\n", encoding="utf-8")
        outcome = self.quick("pattern:gradient:8x8", "-o", "out", "--report",
                             env={"MIPBENCH_DATA": str(self.dir)})
        self.assert_error(outcome, 7, "report.py: failed with exit code 9")
        self.assertTrue((self.dir / "out/results.json").is_file())

    def test_no_python(self):
        """The folder that it works in is not looked into."""
        python = self.dir / "python3"
        python.write_text("#!/bin/sh\n", encoding="utf-8")
        python.chmod(0o755)
        outcome = self.quick("pattern:gradient:8x8", "-s", "spd", "-o", "out", "--report",
                             env={"PATH": ":"})
        self.assert_error(outcome, 7, "python3 is not on PATH")


class Command(cli.TestCase):
    """mipbench report"""

    def setUp(self):
        super().setUp()
        for name in ("one/results.json", "kept/run-1.json", "kept/modes.json", "set/run-1/results.json",
                     "set/run-2/results.json"):
            path = self.dir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            root = kept_sets.load(kept_sets.SOFTWARE)
            root["run"]["id"] = name
            path.write_text(json.dumps(root), encoding="utf-8")
        (self.dir / "photo.png").write_bytes(b"")
        (self.dir / "empty").mkdir()

    def made(self, *arguments, page):
        outcome = self.run_it("report", *arguments)
        self.assertEqual((outcome.code, outcome.err.decode(), outcome.out.decode()),
                         (0, "", f"Report: {page}\n"))
        return (self.dir / page).read_text(encoding="utf-8")

    def test_what_a_folder_stands_for(self):
        for folder, n_runs, page in (("one", 1, "one/report.html"), ("kept", 2, "kept/report.html"),
                                     ("set", 2, "set/run-1/report.html")):
            with self.subTest(folder=folder):
                text = self.made(folder, page=page)
                self.assertEqual(text.count('<script type="application/gzip" id="json-'), n_runs)

    def test_files_and_folders_and_where_to(self):
        self.made("one", "kept/modes.json", "-o", "page.html", page="page.html")
        self.made("one/results.json", "--max-pictures", "0", "-o", "kept", page="kept/report.html")

    def test_what_is_wrong_leads_to_the_command_that_was_meant(self):
        for arguments, code, parts in (
                (["report"], 2, ["expected results.json", "mipbench report results/*"]),
                (["report", "empty"], 3, ["no results in this folder", "mipbench IMAGE -o empty"]),
                (["one/results.json"], 3, ["not an image", "mipbench report one/results.json"]),
                (["one"], 3, ["no images in this folder", "mipbench report one"])):
            with self.subTest(arguments=arguments):
                self.assert_error(self.run_it(*arguments), code, *parts)

    def test_the_script_says_what_is_wrong_with_a_file(self):
        (self.dir / "bad.json").write_text("{", encoding="utf-8")
        outcome = self.run_it("report", "bad.json")
        self.assertEqual(outcome.code, 3, outcome)
        self.assertRegex(outcome.err.decode(), r"\Areport: error: bad.json: not JSON [^\n]+\n"
                         r"mipbench: error: report.py: failed with exit code 3\n\Z")


if __name__ == "__main__":
    cli.main()
