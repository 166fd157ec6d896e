#!/usr/bin/env python3
"""scripts/report.py: what the page says of every kind of results, and --report of mipbench.
usage: test_report.py MIPBENCH"""
import base64
import gzip
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import zlib

import cli
import kept_sets
import report_fixture as fixture
import report_format
import report_plots
import report_png
import report_svg
import result_node
import result_style
import results

MAX_PAGE_BYTES = 5_000_000
VOID = {"meta", "link", "br", "img", "input", "path", "line", "rect", "image", "use"}


class Outline(html.parser.HTMLParser):
    """Balance of the elements, and what a browser would fetch or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.scripts, self.ids = [], [], 0, []
        self.images, self.heads = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.scripts += tag == "script"
        self.ids += [given["id"]] if "id" in given else []
        self.heads += [given.get("aria-sort")] if tag == "th" and "aria-sort" in given else []
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


def png_texels(data):
    """RGBA of a PNG of grey, RGB or RGBA, 8 bits each."""
    _, _, n_channels, texels = cli.decode_png(data)
    channels = [texels[channel::n_channels] for channel in range(n_channels)]
    opaque = b"\xff" * len(channels[0])
    channels = {1: 3 * channels + [opaque], 3: channels + [opaque], 4: channels}[n_channels]
    return bytes(value for texel in zip(*channels) for value in texel)


class PageCase(fixture.TestCase):
    def check(self, text, n_sets=1):
        """A whole page that needs nothing else."""
        outline = Outline(text)
        self.assertEqual(outline.open, [])
        self.assertEqual(outline.fetched, [])
        self.assertEqual(outline.scripts, n_sets + 2)
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        self.assertTrue(all(image.get("aria-label") for image in outline.images))
        self.assertNotRegex(re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL),
                            r"\b(None|nan|NaN|inf)\b")
        return outline

    def holds(self, text, *words):
        """Without the whole page in the message."""
        for word in words:
            self.assertTrue(word in text, word)

    def words(self, text):
        """What is read of the page, scripts and styles left out."""
        text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
        return " ".join(re.sub(r"<[^>]*>", " ", text).split())


class Pages(PageCase):
    def test_the_reference_set(self):
        text = self.page(kept_sets.GPU)
        self.assertLess((self.dir / "page.html").stat().st_size, MAX_PAGE_BYTES)
        outline = self.check(text)
        self.assertGreater(len(outline.images), 20)
        words = self.words(text)
        root = fixture.load(kept_sets.GPU)
        headline, = [timing for case in root["cases"] for timing in case["timings"]
                     if (case["width"], case["height"], timing["cache"]) == (4096, 4096, "cold")]
        first = words.index(headline["rankings"][0]["sentence"])
        self.assertEqual(first, min(words.index(ranking["sentence"])
                                    for timing in kept_sets.timings(root)
                                    for ranking in timing["rankings"] if ranking["sentence"]))
        for word in (root["device"]["name"], root["device"]["driver"]["info"],
                     root["run"]["tool"]["git_sha"], "time of one chain, µs (log scale)",
                     "edge of level 0, √(width × height), texels (log scale)", "--images atlas",
                     "--per-level", f"mipbench --replay {kept_sets.GPU.name}", "samples each"):
            self.holds(words, word)

    def test_the_json_is_that_of_the_file(self):
        for path in (kept_sets.GPU, kept_sets.SOFTWARE):
            self.assertEqual(saved(self.page(path), 0), fixture.load(path))

    def test_what_the_run_says_is_shown(self):
        """Each sentence as it is, whatever the figures; a tie has no winner."""
        root = fixture.first_timing(fixture.load(kept_sets.GPU))
        timing, = kept_sets.timings(root)
        first, *others = timing["rankings"][0]["order"]
        timing["rankings"] = [
            {"question": "exact", "fastest": first, "tied": others, "order": [first, *others],
             "sentence": "So <says> the run."},
            {"question": "any", "fastest": first, "tied": [], "order": [first],
             "sentence": "And this loses something."},
            {"question": "any", "fastest": first, "tied": [], "order": [first], "sentence": None}]
        text = self.page(self.write(root))
        self.assertEqual(text.count("So &lt;says&gt; the run."), 2)
        self.assertEqual(text.count("And this loses something."), 2)
        self.holds(text, '<p class="verdict tied">')
        self.assertNotIn("▸", text)
        timing["rankings"][0]["tied"] = []
        text = self.page(self.write(root))
        self.holds(text, '<p class="verdict clear">', f"▸ {first}")
        timing["rankings"] = []
        text = self.page(self.write(root))
        self.holds(text, '<p class="verdict none">', "Nothing is ranked here.")

    def test_answers(self):
        """As on the terminal: what is exact, or what keeps it from that and how far off it is."""
        root = fixture.first_timing(fixture.load(kept_sets.GPU))
        answers = (("exact", 0.75), ("floor", 37.25), ("conservative", None), (None, None))
        for variant, (answer, box) in zip(kept_sets.variants(root), answers):
            variant["answer"], variant["verify"]["box_lsb"] = answer, box
        text = self.page(self.write(root))
        for shown in ('data-v="0">exact<', 'data-v="37.25">floor, 37.2 LSB<',
                      'data-v="0">conservative<', 'data-v="">–<'):
            self.holds(text, shown)

    def test_many_rows_are_not_all_named(self):
        root = fixture.first_timing(fixture.load())
        for row in kept_sets.rows(root):
            row["warnings"] = [{"code": "x", "message": "as planted"}]
        n_more = len(kept_sets.rows(root)) - 3
        self.assertGreater(n_more, 0)
        self.assertRegex(self.words(self.page(self.write(root))),
                         rf"\S+, \S+, \S+ and {n_more} more : as planted")

    def test_words(self):
        """What is read of pages of results of every kind."""
        warned = fixture.first_timing(fixture.load())
        kept_sets.variants(warned)[0]["warnings"] = [{"code": "x", "message": "as planted"}]
        for root, words in (
                (fixture.one_strategy(), ("Only one size was measured; --sweep",)),
                (fixture.failures_and_skips(), (
                    "✗ FAIL: level 2 layer 0 texel (5, 7) channel g: wanted 127.5, got 0",
                    "failed: the device was lost", "skipped: needs a subgroup of 64",
                    "Fast and wrong has no rank.")),
                (fixture.load(kept_sets.SOFTWARE), ("its times do not predict those of a GPU",)),
                (fixture.load(kept_sets.GPU), (
                    "pattern:noise:4096x4096, powers of two", "pattern:noise:4096x4096, other sizes",
                    "1920×1080 4095×4095")),
                (fixture.no_results(), ("The file holds no results: nothing was measured.",)),
                (fixture.bare(), ("Nothing was verified",)), (warned, (" : as planted",)),
                (fixture.interrupted(), ("No ranking: too few samples (3) for a 95 % interval",
                                         "did not get to its end (interrupted)"))):
            with self.subTest(words=words):
                text = self.page(self.write(root))
                self.check(text)
                self.holds(self.words(text), *words)

    def test_hostile_names_are_saved_as_they_are(self):
        """That they are text elsewhere is test_result_files.py's part."""
        text = self.page(self.write(fixture.hostile()))
        self.check(text)
        self.assertIn(fixture.HOSTILE, saved(text, 0)["device"]["name"])

    def test_what_is_wrong_has_no_ratio(self):
        root = fixture.first_timing(fixture.load(kept_sets.GPU))
        case, = root["cases"]
        kept_sets.fail(case, *kept_sets.variants(root, "subgroup"))
        text = self.page(self.write(fixture.failures_and_skips()))
        self.holds(text, 'data-v="0000000002 0000000000 0000000007 0000000005"')  # sorts by place
        text = self.page(self.write(root))
        cells = re.search(r'<th scope="row" data-v="subgroup">.*?</tr>', text)[0]
        self.holds(cells, '<td class="num" data-v="">–</td>')
        self.holds(self.words(text), "Wrong texels, so no ratio: subgroup.",
                   "Wrong texels: subgroup. Fast and wrong")
        self.assertNotIn("<title>subgroup: 1.", text)

    def test_conditions_of_two_images_are_told_apart(self):
        text = self.page(self.write(fixture.two_images()))
        self.holds(text, *(f">512×512 rgba8, {words}</td>" for words in (
            "pattern:noise:512x512", "alpha premultiplied, photo.png")))

    def test_several_devices(self):
        other = self.write(self.other_device(), "b.json")
        text = self.page(kept_sets.SOFTWARE, other, kept_sets.GPU)
        self.check(text, 3)
        for name in ("Another GPU", "NVIDIA H200", "llvmpipe"):
            self.holds(text, f"<h3>{name}")

    def test_how_it_was_measured_is_what_was_done(self):
        text = self.words(self.page(kept_sets.GPU))
        self.holds(text, "A verdict answers one question.", "the A/A control. What it differs from",
                   "Every texel of every level is")
        for word in ("throughput :", "overlap :", "beside :", "Nothing was verified"):
            self.assertNotIn(word, text)
        root = fixture.first_timing(fixture.load(kept_sets.GPU))
        root["run"]["verify"] = False
        for timing in kept_sets.timings(root):
            timing.update(aa_control=None, mode="beside")
        for variant in kept_sets.variants(root):
            kept_sets.clear(variant)
        text = self.words(self.page(self.write(root)))
        self.holds(text, "beside : one chain, with a load",
                   "Nothing was verified (--no-verify): any")
        for word in ("A/A", "Every texel of every level", "every texel of every level",
                     "latency :"):
            self.assertNotIn(word, text)

    def test_no_clock_is_not_a_steady_clock(self):
        text = self.words(self.page(kept_sets.SOFTWARE))
        self.holds(text, "the device has no clock that could be watched",
                   "Times are of the processor, which does the work of a GPU: between two")
        self.assertNotIn("the clock moved by", text)
        self.holds(self.words(self.page(kept_sets.GPU)), "the clock moved by more than 2 % in",
                   "Times are of the GPU: between")

    def test_a_search_is_not_replayed(self):
        root = fixture.first_timing(fixture.load())
        root["run"]["argv"] = ["mipbench", "tune", "photo.png"]
        text = self.words(self.page(self.write(root)))
        self.holds(text, "mipbench tune photo.png", "Only a run can be repeated")
        self.assertNotIn("--replay", text)

    def test_plots_of_two_images_have_two_captions(self):
        text = self.page(self.write(fixture.two_images()))
        self.holds(text, *(f"Time against size: rgba8, {words}, powers of two<" for words in (
            "hot, latency, pattern:noise:512x512", "alpha premultiplied, hot, latency, photo.png")))

    def test_sizes_of_different_images(self):
        """They are no curve, but not one size either."""
        root = fixture.load()
        for case in root["cases"]:
            case.update(input=f"{case['width']}x{case['height']}.png",
                        input_sha256=f"{case['width']:x}{case['height']:x}")
        words = self.words(self.page(self.write(root)))
        self.holds(words, "No image was measured at two sizes under one condition; --sweep")
        self.assertNotIn("Only one size", words)

    def test_several_runs_of_one_device(self):
        """Each is called by as much of its path as tells it from the others."""
        paths = []
        for folder in "ab":
            (self.dir / folder).mkdir()
            root = fixture.write_pictures(self.dir / folder)
            root["run"]["id"] = folder
            paths.append(self.write(root, f"{folder}/results.json"))
        text = self.page(*paths)
        self.check(text, 2)
        name = fixture.load()["device"]["name"]
        self.assertEqual(text.count('<p class="verdict '), 1)
        self.assertEqual(text.count(": 2 runs together</h3>"), 2)  # verdict, tables
        for folder in "ab":
            called = f"{name} (software), {folder}/results.json"
            self.assertEqual(text.count(f"<h3>{called}</h3>"), 3)
            self.holds(text, f'<th scope="col">{called}</th>', f">Save {folder}/results.json (",
                       f'data-name="{folder}-results.json"')
        self.assertEqual([group["owner"][-14:] for group in
                          json.loads(embedded(text, "viewer-data"))],
                         ["a/results.json", "b/results.json"])

    def test_several_runs_need_mipbench(self):
        paths = [self.write(fixture.load(), "a.json"), self.write(self.other_device(), "b.json")]
        self.assertIn("no such program", self.refusal(3, *paths, "--mipbench", self.dir / "none"))

    def test_an_interrupted_table_is_no_headline(self):
        """However large its image: the others were measured whole."""
        root = fixture.load(kept_sets.GPU)
        root["run"].update(complete=False, exit_reason="interrupted")
        for case in root["cases"]:
            for timing in case["timings"]:
                if case["width"] == 4096:
                    fixture.cut_off(timing)
        text = self.words(self.page(self.write(root)).partition('id="results"')[0])
        self.holds(text, "2048×2048 rgba8, cold")
        self.assertNotIn("No ranking", text)

    def test_modes_and_variants(self):
        for path in (kept_sets.GPU_MODES, kept_sets.SOFTWARE_VARIANTS, kept_sets.GPU_VARIANTS):
            with self.subTest(path=path):
                text = self.page(path)
                self.check(text)
                self.assertLess(len(text.encode()), MAX_PAGE_BYTES)

    def test_whole_reference_sets(self):
        """All runs of a set on one page, which is still no burden to a browser."""
        for folder in kept_sets.WHOLE_SETS:
            paths = sorted(folder.glob("*.json"))
            with self.subTest(folder=folder):
                text = self.page(*paths)
                self.check(text, len(paths))
                self.assertLess(len(text.encode()), MAX_PAGE_BYTES)
                self.assertEqual(saved(text, len(paths) - 1), fixture.load(paths[-1]))

    def test_claims(self):
        self.write(fixture.claims(), "claims.json")
        text = self.page(self.write(fixture.one_strategy()))
        self.check(text)
        self.assertEqual(self.page(self.dir / "results.json", self.dir / "claims.json"), text)
        self.holds(text, "waves &lt;are&gt; faster", "0.800", "0.790 – 0.810", "run: mipbench x",
                   "does not: the other way")

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


class Words(fixture.TestCase):
    """Figures and words that the page and the terminal share."""

    def test_ratios_with_intervals(self):
        for ratio, low, high, want in (
                (2.5, 2.25, 2.75, "2.50 ± 0.25"), (1.3231, 1.3193, 1.3269, "1.323 ± 0.004"),
                (1.0, 0.9999, 1.0001, "1.000 ± 0.001"), (1.63, 1.4, 4.43, "1.63 (1.40 – 4.43)"),
                (15.535, 15.477, 15.563, "15.54 (15.47 – 15.57)"),
                (2.4354, 2.4256, 2.4436, "2.44 ± 0.01")):
            self.assertEqual(report_format.interval_text(ratio, (low, high)), want)

    def test_the_band_is_that_of_the_control(self):
        root = fixture.first_timing(fixture.load(kept_sets.GPU))
        timing, = kept_sets.timings(root)
        timing["aa_control"] = {"variant": timing["rows"][0]["variant"], "ratio": 1, "ci": [1, 1],
                                "margin": 0.25}
        for want in ((0.8, 1.25), ()):
            run = results.Run(self.dir / "results.json", "", value=root)
            self.assertEqual(report_plots.band_of(run.timings[0]), want)
            timing["aa_control"] = None

    def test_an_interval_has_the_digits_of_its_ratio(self):
        self.assertEqual(report_format.ratio_texts(1.16, 1.087, 1.47), ["1.16", "1.09", "1.47"])
        self.assertEqual(report_format.ratio_texts(1.08, 1.0782, 1.1), ["1.080", "1.078", "1.100"])

    def test_all_texts_are_clean(self):
        """Those in lists, and keys: they end in a terminal, or in XML."""
        text = r'{"a\u001b": ["b\u0007", ["c\ud800", 1]], "d": "\u0000"}'
        self.assertEqual(result_node.parse("x", text), {"a?": ["b?", ["c?", 1]], "d": "?"})

    def test_three_digits(self):
        for value, want in ((0, "0"), (0.0123, "0.0123"), (0.00123, "0.00123"), (0.5, "0.500"),
                            (1.234, "1.23"), (-0.0456, "-0.0456"), (45.67, "45.7"),
                            (456.78, "456.8"), (4567.8, "4568"), (None, "–")):
            self.assertEqual(report_format.digits(value), want)


class Looks(PageCase):
    def test_every_marker_encloses_something(self):
        """Or what is hollow would look like what is not. Each is another shape."""
        names = [*result_style.MARKERS.values(), *result_style.MORE_MARKERS]
        paths = [report_svg.MARKER_PATHS[name] for name in names]
        self.assertEqual(len(set(paths)), len(names))
        for path in paths:
            self.assertRegex(path, r"\AM[^Mz]*z\Z")
        for name in set(names) - {"o", "P"}:  # drawn by curves, by steps
            corners = [tuple(map(float, pair.split(","))) for pair in
                       report_svg.MARKER_PATHS[name][1:-1].split("L")]
            area = sum(x * v - u * y for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1]))
            self.assertGreater(abs(area) / 2, 20, name)

    def test_a_strategy_looks_the_same_in_every_plot(self):
        """And as in plot.py; its colour has a form for dark pages."""
        text = self.page(kept_sets.SOFTWARE, self.write(self.other_device(), "b.json"))
        for strategy in ("spd", "blit", "subgroup"):
            titles = rf'<use href="#([^"]*)"[^>]* class="mark ([^"]*)"><title>{strategy}[:,] '
            seen = {(css.split()[0], name) for name, css in re.findall(titles, text)}
            colour, marker = result_style.styles([])[strategy]
            css = f"s{report_svg.PALETTE.index(colour)}"
            name = report_svg.MARKER_IDS[marker]
            self.assertEqual(seen, {(css, name)})
            self.holds(text, f'<path id="{name}" d="{report_svg.MARKER_PATHS[marker]}"/>')
            self.holds(text, f".{css} {{ --c: {colour}; }}",
                       f".{css} {{ --c: light-dark({colour}, {result_style.ON_DARK[colour]}); }}")


class Pictures(PageCase):
    def viewer(self, text):
        return json.loads(embedded(text, "viewer-data"))

    def test_equal_levels_are_one(self):
        text = self.page(self.write(fixture.write_pictures(self.dir)))
        # Five levels of three different chains, and a heat map.
        self.assertEqual(text.count("data:image/png;base64,"), 16)
        group, = self.viewer(text)
        self.assertEqual([chain["golden"] for chain in group["chains"]], [True, False, False, False])
        self.assertEqual(group["chains"][0]["label"], "golden (box)")
        first, second = group["chains"][1]["layers"]["0"], group["chains"][2]["layers"]["0"]
        self.assertEqual(first, second)
        self.assertEqual([part[1:] for part in first],
                         [[0, 0, edge, edge] for edge in (16, 8, 4, 2, 1)])
        self.holds(text, "the same texels")
        self.assertIn('class="heated"', text)

    def embedded_png(self, text, number):
        """(bytes, width, height) of a picture of the page."""
        width, height, data = re.search(
            rf'<image id="p{number}" width="(\d+)" height="(\d+)" '
            'href="data:image/png;base64,([^"]*)"', text).groups()
        return base64.b64decode(data), int(width), int(height)

    def test_levels_are_those_of_the_atlas(self):
        """Of what mipbench wrote, texel for texel, in less room."""
        image = str(cli.ROOT / "tests/data/chelsea.png")
        for spec, options in ((image, ("--size", "160x100")), ("pattern:noise:37x70", ("-f", "r8")),
                              ("pattern:noise:41x13", ("--alpha", "premultiplied"))):
            outcome = self.quick(spec, "-s", "spd", "-o", "out", *options)
            self.assertEqual(outcome.code, 0, outcome)
            text = self.page(self.dir / "out/results.json")
            chain = self.viewer(text)[0]["chains"][1]["layers"]["0"]
            name, = [path for path in (self.dir / "out").glob("*/spd/atlas.png")]
            atlas_width, _, atlas = cli.read_png(name)
            y = 0
            for level, (number, *place) in enumerate(chain):
                data, width, height = self.embedded_png(text, number)
                self.assertEqual(place, [0, 0, width, height])
                x = 0 if level == 0 else max(1, chain[0][3])
                self.assertEqual(png_texels(data), cli.crop(atlas, atlas_width, x, y, width,
                                                            height), (spec, level))
                y += height if level else 0
            if spec == image:
                n_bytes = sum(path.stat().st_size for path in (self.dir / "out").rglob("*.png"))
                numbers = range(text.count("<image "))
                embedded = sum(len(self.embedded_png(text, n)[0]) for n in numbers)
                self.assertLess(embedded, 0.6 * n_bytes)
            shutil.rmtree(self.dir / "out")

    def test_what_cannot_be_taken_apart_is_shown_as_it_is(self):
        """With Paeth's filter, say, which other programs write."""
        root = fixture.write_pictures(self.dir)
        path = self.dir / "image" / "golden-box" / "atlas.png"
        rows = b"".join(b"\4" + bytes(4 * 24) for _ in range(16))
        data = (cli.png_header(24, 16) + cli.png_chunk(b"IDAT", zlib.compress(rows))
                + cli.png_chunk(b"IEND", b""))
        path.write_bytes(data)
        text = self.page(self.write(root))
        golden = self.viewer(text)[0]["chains"][0]["layers"]["0"]
        self.assertEqual([part[1:] for part in golden],
                         [[0, 0, 16, 16], [16, 0, 8, 8], [16, 8, 4, 4], [16, 12, 2, 2],
                          [16, 14, 1, 1]])
        self.assertEqual(self.embedded_png(text, golden[0][0]), (data, 24, 16))

    def test_damaged_files_are_survived(self):
        root = fixture.write_pictures(self.dir)
        path = self.dir / "image" / "golden-box" / "atlas.png"
        whole = path.read_bytes()
        self.assertEqual(len(report_png.decode(whole)), 16)
        for n_bytes in range(len(whole)):
            self.assertIsNone(report_png.decode(whole[:n_bytes]))
            report_png.decode(whole[:n_bytes] + b"\xff" + whole[n_bytes + 1:])
        path.write_bytes(whole[:60])  # a header, and no more
        self.page(self.write(root))

    def test_a_sheet_alone_is_shown(self):
        """As --images sheet leaves it."""
        root = fixture.write_pictures(self.dir)
        for variant in kept_sets.variants(root):
            variant["images"] = ["image/sheet.png"]
        cli.write_png(self.dir / "image/sheet.png", 30, 20, fixture.texels(30, 20, 7))
        text = self.page(self.write(root))
        self.check(text)
        self.holds(text, 'aria-label="contact sheet image/sheet.png"',
                   "Levels of the chains are not here one by one")
        self.assertEqual(text.count("<image "), 1)
        self.assertEqual(self.embedded_png(text, 0)[1:], (30, 20))
        self.assertNotIn("No pictures of chains are here", text)

    def test_dark_heat_maps_are_counted(self):
        root = fixture.write_pictures(self.dir)
        first, _, third = kept_sets.variants(root)
        name = first["images"][0].replace("atlas", "error_01")
        cli.write_png(self.dir / name, 8, 8, bytes((0, 0, 0, 255)) * 64)
        first["images"] += [name]
        text = self.page(self.write(root))
        self.assertEqual(text.count('class="heated"'), 1)
        self.holds(text, "<p>Heat maps without an error, left out: 1.</p>")
        third["images"].pop()
        text = self.page(self.write(root))
        self.assertNotIn('class="heated"', text)
        self.holds(text, "Heat maps without an error, left out: 1; there are no others.")

    def test_missing_ones_are_named(self):
        root = fixture.write_pictures(self.dir)
        shutil.rmtree(self.dir / "image" / "golden-box")
        (self.dir / "image" / kept_sets.variants(root)[0]["id"] / "atlas.png").write_bytes(b"no PNG")
        text = self.page(self.write(root))
        self.holds(text, "4 pictures that the results name are not there")
        self.assertEqual(len(self.viewer(text)[0]["chains"]), 2)

    def test_a_budget(self):
        text = self.page("--max-pictures", "0", self.write(fixture.write_pictures(self.dir)))
        self.assertFalse("data:image/png" in text)
        self.holds(text, "--max-pictures makes room")
        self.assertEqual(self.viewer(text), [])

    def test_levels_of_an_input_called_atlas(self):
        image = self.dir / "atlas.png"
        cli.write_png(image, 16, 16, cli.noise(16 * 16 * 4))
        outcome = self.quick(str(image), "-s", "compute", "-o", "out", "--images", "levels")
        self.assertEqual(outcome.code, 0, outcome)
        group, = self.viewer(self.page(self.dir / "out/results.json"))
        self.assertEqual([len(chain["layers"]["0"]) for chain in group["chains"]], [5, 5])
        self.assertTrue(all(part for chain in group["chains"] for part in chain["layers"]["0"]))

    def test_of_another_size(self):
        root = fixture.write_pictures(self.dir)
        root["cases"][0].update(width=512, height=512, levels=10)
        self.assertEqual(self.viewer(self.page(self.write(root))), [])


class Refusals(PageCase):
    def test_runs_of_one_second_are_two(self):
        """The same id does not make them the same run; the same text does, for all scripts."""
        other = fixture.one_strategy()
        kept_sets.variants(other)[0]["strategy"] = "another"
        self.holds(self.page(self.write(fixture.one_strategy(), "a.json"), self.write(other, "b.json")),
                   "a.json", "b.json")

    def test_claims_that_are_none(self):
        path = self.write(fixture.load())
        later = {**fixture.claims()["schema"], "version": "2.0.0"}
        for claims in ({"schema": {"name": "other"}}, [], {**fixture.claims(), "claims": [1]},
                       {**fixture.claims(), "schema": later}):
            self.write(claims, "claims.json")
            self.assertIn("claims.json", self.refusal(3, path))
        self.assertIn("2.0.0, but 1.x is needed", self.refusal(3, path))
        (self.dir / "claims.json").write_bytes(b"\xff{}")
        self.assertIn("claims.json: not UTF-8", self.refusal(3, path))
        with open(self.dir / "claims.json", "wb") as file:
            file.truncate((1 << 28) + 1)
        self.assertIn("larger than 256 MiB", self.refusal(3, path))

    def test_command_lines(self):
        path = self.write(fixture.load())
        for arguments in ([], ["--nope", path], ["--max-pictures", "x", path]):
            with self.subTest(arguments=arguments):
                self.refusal(2, *arguments)
        self.assertEqual(self.report("-o", "nowhere/page.html", path).code, 7)

    def test_no_input_is_replaced(self):
        path = self.write(fixture.write_pictures(self.dir))
        self.write(fixture.claims(), "claims.json")
        (self.dir / "link").symlink_to("claims.json")
        os.link(self.dir / "image/golden-box/atlas.png", self.dir / "hard")
        before = cli.snapshot(self.dir)
        for name in ("claims.json", "link", "image/golden-box/atlas.png", "hard",
                     cli.SCRIPTS / "report" / "page.css"):
            for options in ([], ["--max-pictures", "0"]):
                with self.subTest(name=name, options=options):
                    self.assertIn(f"{name}: it is an input; name another file",
                                  self.refusal(2, path, "-o", name, *options))
                    self.assertEqual(cli.snapshot(self.dir), before)

    def test_scripts_that_are_not_whole(self):
        path = self.write(fixture.one_strategy())
        (self.dir / "results").mkdir()
        shutil.copy2(cli.ROOT / "results/schema.json", self.dir / "results")
        for name in ("scripts/result_style.py", "scripts/report/page.css", "results/schema.json",
                     "scripts/report"):
            shutil.copytree(cli.SCRIPTS, self.dir / "scripts", dirs_exist_ok=True)
            missing = self.dir / name
            shutil.rmtree(missing) if missing.is_dir() else missing.unlink()
            done = subprocess.run([sys.executable, "-B", "scripts/report.py", str(path)],
                                  cwd=self.dir, check=False, capture_output=True,
                                  encoding="utf-8", timeout=cli.TIMEOUT_S)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertRegex(done.stderr, rf"^report: error: .*{missing.name} is missing; .*\n$")
            if name.startswith("results/"):
                shutil.copy2(cli.ROOT / name, missing)

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


class Option(cli.TestCase):
    """mipbench --report"""

    def test_the_page_is_made(self):
        outcome = self.quick("pattern:gradient:16x16", "-s", "compute,spd", "-o", "-out; x",
                             "--report")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        self.assertTrue(outcome.out.decode().endswith("Report: -out; x/report.html\n"), outcome)
        text = (self.dir / "-out; x/report.html").read_text(encoding="utf-8")
        labels = [chain["label"] for chain in json.loads(embedded(text, "viewer-data"))[0]["chains"]]
        self.assertEqual(labels, ["golden (box)", "compute", "spd"])

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
        self.assertEqual((self.dir / "out/report.html").read_text(), "-- out/results.json")

    def test_stdout_stays_clean(self):
        outcome = self.quick("pattern:gradient:8x8", "-s", "spd", "-o", "out", "--report", "--json",
                             "-")
        self.assertEqual(outcome.code, 0, outcome)
        json.loads(outcome.out)
        self.assertIn(b"Report: out/report.html", outcome.err)

    def test_what_is_missing_is_told_before_the_run(self):
        outcome = self.quick("pattern:gradient:8x8", "-o", "out", "--report",
                             env={"MIPBENCH_DATA": str(self.dir)})
        self.assert_error(outcome, 7, "--report", "report.py", "MIPBENCH_DATA")
        self.assertFalse((self.dir / "out").exists())

    def test_a_script_that_fails(self):
        (self.dir / "report.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
        outcome = self.quick("pattern:gradient:8x8", "-o", "out", "--report",
                             env={"MIPBENCH_DATA": str(self.dir)})
        self.assert_error(outcome, 7, "report.py failed with exit code 3")
        self.assertTrue((self.dir / "out/results.json").is_file())

    def test_python_is_found_without_a_path(self):
        outcome = self.quick("pattern:gradient:8x8", "-s", "spd", "-o", "out", "--report",
                             env={"PATH": ""})
        if outcome.code != 0:
            self.assert_error(outcome, 7, "python3 is neither on PATH nor /usr/bin/python3")
        else:
            self.assertTrue((self.dir / "out/report.html").is_file())


if __name__ == "__main__":
    cli.main()
