#!/usr/bin/env python3
"""The page of scripts/report.py in headless Chromium: nothing is fetched, nothing is complained of,
what can be clicked works, and nothing is blank. usage: test_report_browser.py MIPBENCH"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

import browser
import cli
import kept_sets
import report_fixture as fixture

if os.environ.get("MB_TEST_QUICK"):
    print("skipped: nothing here runs the program")
    sys.exit(77)
if browser.find() is None:
    print("skipped: chromium and chromium-driver are not installed")
    sys.exit(77)

DESKTOP, PHONE = (1200, 900), (390, 844)
window = None


def setUpModule():
    global window
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-browser-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    window = browser.Browser(folder)
    unittest.addModuleCleanup(window.close)


def luminance(rgb):
    return sum(rgb) / len(rgb)


class BrowserCase(fixture.TestCase):
    def show(self, *results, size=DESKTOP, scheme="light", **options):
        """Opens the page of these results."""
        outcome = self.report(*results)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        window.open(self.dir / "page.html", *size, scheme, **options)

    def tearDown(self):
        """No page may ask for anything but itself, and none may have anything to complain of."""
        messages, urls = window.logs()
        self.assertEqual(messages, [])
        page = (self.dir / "page.html").resolve().as_uri()
        self.assertIn(page, urls)
        self.assertEqual([url[:60] for url in urls if url != page and not url.startswith("data:")],
                         [])


class Looks(BrowserCase):
    def assert_not_blank(self, size):
        """Text and lines: many colours, and none that fills it all."""
        width, height, rgb = window.screenshot(scale=0.5)
        self.assertEqual((width, height), (size[0] // 2, size[1] // 2))
        texels = [rgb[at:at + 3] for at in range(0, len(rgb), 3)]
        counts = {}
        for texel in texels:
            counts[texel] = counts.get(texel, 0) + 1
        self.assertGreater(len(counts), 40)
        self.assertLess(max(counts.values()), 0.95 * len(texels))
        return luminance(rgb)

    def assert_fits(self, size):
        """The page scrolls downwards only; wide tables do by themselves."""
        self.assertEqual(window.run("return document.documentElement.scrollWidth"), size[0])

    def test_light_dark_and_narrow(self):
        self.show(kept_sets.GPU)
        light = self.assert_not_blank(DESKTOP)
        self.assert_fits(DESKTOP)
        window.open(self.dir / "page.html", *DESKTOP, "dark")
        dark = self.assert_not_blank(DESKTOP)
        self.assertGreater(light, 180)
        self.assertLess(dark, 75)
        window.open(self.dir / "page.html", *PHONE)
        self.assert_not_blank(PHONE)
        self.assert_fits(PHONE)

    def test_every_kind_of_results_fits_a_phone(self):
        kinds = [fixture.one_strategy(), fixture.failures_and_skips(), fixture.interrupted(),
                 fixture.no_results(), fixture.bare(), fixture.write_pictures(self.dir)]
        for index, root in enumerate(kinds):
            with self.subTest(index=index):
                self.show(self.write(root), size=PHONE)
                self.assert_fits(PHONE)

    def test_several_devices(self):
        self.show(kept_sets.SOFTWARE, self.write(self.other_device(), "b.json"), size=PHONE)
        self.assert_fits(PHONE)

    def test_labels_do_not_overlap(self):
        """Of each plot, the boxes of its texts: none on another, none outside."""
        script = """
            document.querySelectorAll('details').forEach((item) => { item.open = true; });
            const clashes = [];
            for (const plot of document.querySelectorAll('svg.plot')) {
              const frame = plot.getBoundingClientRect();
              const boxes = [...plot.querySelectorAll('text')].map(
                (text) => [text.textContent, text.getBoundingClientRect()]);
              boxes.forEach(([name, a], i) => {
                if (a.left < frame.left - 1 || a.right > frame.right + 1
                    || a.bottom > frame.bottom + 1) { clashes.push(name); }
                for (const [other, b] of boxes.slice(i + 1)) {
                  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                  if (wide > 1 && high > 5) { clashes.push(`${name} / ${other}`); }
                }
              });
            }
            return [document.querySelectorAll('svg.plot text').length, clashes];"""
        for path, size in ((kept_sets.GPU, DESKTOP), (kept_sets.SOFTWARE_MODES, PHONE),
                           (kept_sets.SOFTWARE_VARIANTS, DESKTOP)):
            self.show(path, size=size)
            n_texts, clashes = window.run(script)
            self.assertGreater(n_texts, 100)
            self.assertEqual(clashes[:5], [], path)

    def test_contrast_of_text(self):
        """4.5 to 1 at least, in both themes."""
        script = """
            const level = (c) => { c /= 255; return c <= .04045 ? c / 12.92
              : ((c + .055) / 1.055) ** 2.4; };
            const parse = (text) => text.match(/[\\d.]+/g).map(Number);
            const light = (text) => { const [r, g, b] = parse(text);
              return .2126 * level(r) + .7152 * level(g) + .0722 * level(b); };
            const behind = (node) => { for (; node; node = node.parentElement) {
              const color = getComputedStyle(node).backgroundColor;
              if (parse(color)[3] !== 0) { return color; } } };
            const low = [];
            for (const node of document.querySelectorAll('h1,h2,h3,p,a,th,td,li,button,small')) {
              if (!node.checkVisibility() || !node.textContent.trim()) { continue; }
              const a = light(getComputedStyle(node).color), b = light(behind(node));
              const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
              if (ratio < 4.5) { low.push([node.textContent.slice(0, 30), ratio]); }
            }
            return low;"""
        path = self.write(fixture.failures_and_skips())
        for scheme in ("light", "dark"):
            self.show(path, scheme=scheme)
            self.assertEqual(window.run(script), [])


class Works(BrowserCase):
    def column(self, index):
        return window.run("""return [...document.querySelector('details[open] .sortable').tBodies[0]
            .rows].map((row) => row.cells[arguments[0]].dataset.v)""", index)

    def sorts(self):
        return window.run("""return [...document.querySelectorAll('details[open] .sortable th'
            + '[aria-sort]')].map((head) => head.getAttribute('aria-sort'))""")

    def test_sort(self):
        self.show(kept_sets.GPU)
        script = "document.querySelectorAll('details[open] .sortable thead button')[1].{}()"
        self.assertEqual(set(self.sorts()), {"none"})
        window.run(script.format("click"))
        times = [float(value) for value in self.column(1)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(self.sorts()[:2], ["none", "ascending"])
        self.assertEqual(len(set(self.column(0))), len(times))
        window.run(script.format("focus"))
        window.press("Enter")  # by the keyboard, the other way round
        self.assertEqual([float(value) for value in self.column(1)], times[::-1])
        self.assertEqual(self.sorts()[:2], ["none", "descending"])
        said = window.run("return document.getElementById('said').textContent")
        self.assertIn("descending", said)

    def test_sort_leaves_what_is_unknown_last(self):
        self.show(self.write(fixture.failures_and_skips()))
        window.run("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
        for _ in range(2):
            window.run("document.querySelectorAll('details[open] .sortable thead button')[1].click()")
            values = self.column(1)
            self.assertIn("", values)
            self.assertEqual(values, [v for v in values if v] + [v for v in values if not v])

    def is_remembered(self, theme):
        """Of the page opened anew: what one page stores reaches the next one's process a while
        after the click, on a busy machine seconds later."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            window.open(self.dir / "page.html")
            if window.run("return document.documentElement.dataset.theme") == theme:
                return True
        return False

    def test_theme(self):
        self.show(self.write(fixture.one_strategy()))
        script = "document.getElementById('theme').click(); return getComputedStyle(document.body)" \
                 ".backgroundColor"
        light, dark = window.run(script), window.run(script)
        self.assertNotEqual(light, dark)
        self.assertTrue(self.is_remembered("dark"))
        window.run(script)

    def test_saved_json(self):
        self.show(self.write(fixture.one_strategy()))
        script = """
            const [can_unpack] = arguments; const { createObjectURL } = URL;
            const { click } = HTMLAnchorElement.prototype; const unpack = DecompressionStream;
            return new Promise((resolve) => {
                let size; if (!can_unpack) { delete window.DecompressionStream; }
                URL.createObjectURL = (blob) => { size = blob.size; return ""; };
                HTMLAnchorElement.prototype.click = function () {
                    Object.assign(URL, { createObjectURL });
                    Object.assign(HTMLAnchorElement.prototype, { click });
                    window.DecompressionStream = unpack;
                    resolve([size, this.download]); };
                document.querySelector('.save').click(); });"""
        whole = (self.dir / "results.json").stat().st_size
        self.assertEqual(window.run(script, True), [whole, "results.json"])
        n_bytes, name = window.run(script, False)
        self.assertEqual(name, "results.json.gz")
        self.assertLess(n_bytes, whole)

    def test_hostile_names_do_nothing(self):
        self.show(self.write(fixture.hostile()))
        self.assertIsNone(window.run("return window.hacked ?? null"))
        title = window.run("return document.querySelector('h1').textContent")
        self.assertIn(fixture.HOSTILE, title)


class Viewer(BrowserCase):
    def setUp(self):
        super().setUp()
        self.show(self.write(fixture.write_pictures(self.dir)))
        window.run("document.getElementById('viewer').scrollIntoView()")

    def set(self, name, value, event="input"):
        window.run("""const item = document.getElementById(arguments[0]);
            item.value = arguments[1]; item.dispatchEvent(new Event(arguments[2]))""",
                   name, str(value), event)

    def stage(self):
        """(left, top, width, height) of the stage on the screen."""
        return window.run("""const box = document.getElementById('v-stage').getBoundingClientRect();
            return [box.left, box.top, box.width, box.height].map(Math.round)""")

    def texel(self, x, y):
        """Colour on the screen at a place of the stage, from 0 to 1."""
        left, top, width, height = self.stage()
        clip = (int(left + x * (width - 1)), int(top + y * (height - 1)), 1, 1)
        return tuple(window.screenshot(clip)[2][:3])

    def text(self, name):
        return window.run("return document.getElementById(arguments[0]).textContent", name)

    def test_wipe(self):
        """Blue tells the chains apart: 90 of the golden one, 220 of the third strategy."""
        self.assertEqual(self.text("v-name-a"), "A: golden (box)")
        self.set("v-b", 3, "change")
        self.set("v-wipe", 50)
        self.assertEqual(self.texel(0.45, 0.5)[2], 90)
        self.assertEqual(self.texel(0.55, 0.5)[2], 220)
        self.set("v-wipe", 100)
        self.assertEqual(self.texel(0.55, 0.5)[2], 90)
        self.set("v-wipe", 0)
        self.assertEqual(self.texel(0.45, 0.5)[2], 220)
        self.assertEqual(self.text("v-wipe-text"), "0 % A, 100 % B")

    def test_nothing_shines_through(self):
        """Of two chains only the one on its side of the wipe is seen, whatever their alpha."""
        fixture.write_atlas(self.dir, self.strategy(2), 220, 0)
        self.show(self.dir / "results.json")
        window.run("document.getElementById('viewer').scrollIntoView()")
        self.set("v-b", 3, "change")
        red, green, blue = self.texel(0.6, 0.5)
        self.assertTrue(red == green == blue, (red, green, blue))  # squares
        self.assertEqual(self.texel(0.45, 0.5)[2], 90)

    def strategy(self, index):
        root = json.loads((self.dir / "results.json").read_text(encoding="utf-8"))
        return kept_sets.variants(root)[index]["id"]

    def test_levels(self):
        """Red is 255 * x / 24 of the atlas: level 0 begins at 0, the others at 16."""
        self.set("v-wipe", 100)
        for level, width in ((0, 16), (1, 8), (4, 1)):
            self.set("v-level", level)
            self.assertEqual(self.text("v-level-text"), f"level {level}: {width}×{width}")
            middle = (16 if level else 0) + width // 2
            self.assertEqual(self.texel(0.501, 0.5)[0], 255 * middle // 24)

    def test_texels_are_not_blurred(self):
        self.set("v-wipe", 100)
        self.set("v-zoom", 32, "change")
        left, top, width, height = self.stage()
        _, _, rgb = window.screenshot((left + width // 2 - 200, top + height // 2, 400, 1))
        reds = set(rgb[::3])
        self.assertLessEqual(reds, {255 * x // 24 for x in range(16)})
        self.assertGreater(len(reds), 10)

    def test_difference(self):
        self.set("v-b", 3, "change")
        window.run("document.getElementById('v-diff').click()")
        self.assertEqual(self.texel(0.5, 0.4), (0, 0, 255))  # 130 times 32 is more than there is
        self.set("v-a", 3, "change")
        self.assertEqual(self.texel(0.5, 0.4), (0, 0, 0))

    def test_keyboard(self):
        window.run("document.getElementById('v-level').focus()")
        window.press("ArrowRight")
        self.assertEqual(self.text("v-level-text"), "level 1: 8×8")
        window.run("document.getElementById('v-stage').focus()")
        window.press("PageDown")
        self.assertEqual(self.text("v-level-text"), "level 2: 4×4")

    def test_heat_map_has_the_colours_of_its_scale(self):
        """Blue alone is off by 0, red by 255 * x / 8: from dark to bright."""
        box = window.run("""const map = document.querySelector('.heated'); map.scrollIntoView();
            const box = map.getBoundingClientRect(); return [box.left, box.top, box.width]""")
        width, _, rgb = window.screenshot((int(box[0]), int(box[1]) + 4, int(box[2]), 1))
        first, last = (rgb[3 * int(share * width):][:3] for share in (0.03, 0.97))
        self.assertLess(luminance(first), 20)
        self.assertGreater(luminance(last), 120)


if __name__ == "__main__":
    cli.main()
