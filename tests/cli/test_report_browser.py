#!/usr/bin/env python3
"""The page of scripts/report.py in headless Chromium: nothing is fetched, nothing is complained of,
nothing overlaps, scrolls sideways or is too small or faint to read, and what can be used works, by
keyboard too. usage: test_report_browser.py MIPBENCH"""
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

if browser.find() is None:
    print("skipped: chromium and chromium-driver are not installed")
    sys.exit(77)

SIZES = ((390, 844), (820, 1180), (1440, 900))
MAX_NODES, MAX_DRAW_MS = 30_000, 10_000  # 1600 rows; a second on an idle machine, this one may be slow
window = None

# Opens every drawer, those within others, too; returns how many there are.
OPEN_ALL = """
    for (let round = 0; round < 5; round++) {
      document.querySelectorAll('details:not([open])').forEach((item) => {
        item.open = true; item.dispatchEvent(new Event('toggle')); });
    }
    return document.querySelectorAll('details').length;"""

# What is wrong with what is seen: {kind: [words]}.
MEASURE = """
    const found = { sideways: [], small: [], outside: [], overlap: [], faint: [], unnamed: [] };
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) { found.sideways.push(String(root.scrollWidth)); }
    const own = (node) => [...node.childNodes].filter((it) => it.nodeType === 3
      && it.textContent.trim()).map((it) => it.textContent.trim()).join(' ');
    const seen = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;

    // ---- sizes and colours of text
    const level = (c) => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const drawn = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const parsed = new Map();
    const parse = (text) => parsed.get(text) ?? parsed.set(text, drawn(text)).get(text);
    const light = ([r, g, b]) => .2126 * level(r) + .7152 * level(g) + .0722 * level(b);
    const behind = (node) => { for (; node; node = node.parentElement) {
      const color = parse(getComputedStyle(node).backgroundColor);
      if (color[3] > 250) { return color; } } return parse('white'); };
    for (const node of document.querySelectorAll('body *')) {
      if (['SCRIPT', 'STYLE', 'OPTION', 'title', 'NOSCRIPT'].includes(node.tagName)) { continue; }
      const words = own(node);
      if (!words || !seen(node) || node.closest('.skip')) { continue; }
      const style = getComputedStyle(node), isSvg = node.tagName === 'text';
      if (parseFloat(style.fontSize) < (isSvg ? 14 : 12)) { found.small.push(words); }
      const a = light(parse(isSvg ? style.fill : style.color)), b = light(behind(node));
      const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
      if (ratio < 4.5) { found.faint.push(`${words.slice(0, 40)}: ${ratio.toFixed(2)}`); }
    }

    // ---- boxes: texts of a picture, cells of a row, cards, and nothing beyond the page
    const clash = (boxes, most) => boxes.forEach(([name, a], i) => {
      for (const [other, b] of boxes.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > most) { found.overlap.push(`${name} / ${other}`); }
      } });
    const boxed = (nodes) => [...nodes].filter(seen).map((node) => [node.textContent.slice(0, 40),
      node.getBoundingClientRect()]);
    for (const plot of document.querySelectorAll('svg.plot')) {
      if (!seen(plot)) { continue; }
      const frame = plot.getBoundingClientRect();
      const shown = [...plot.querySelectorAll('text')].filter(seen), texts = boxed(shown);
      const straight = texts.filter((text, i) => !shown[i].getAttribute('transform'));
      for (const [name, box] of texts) {
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2
            || box.bottom > frame.bottom + 1) { found.outside.push(name); } }
      clash(straight, 4);
      const card = plot.closest('.card').getBoundingClientRect();
      if (frame.right > card.right + 1) { found.outside.push('a plot: ' + plot.ariaLabel.slice(0, 40)); }
    }
    for (const row of document.querySelectorAll('tr')) { if (seen(row)) { clash(boxed(row.cells), 1); } }
    clash(boxed(document.querySelectorAll('main > *')), 1);
    clash(boxed(document.querySelectorAll('.cards > *')), 1);
    for (const node of document.querySelectorAll('main *')) {
      const box = node.getBoundingClientRect();
      if (!node.closest('svg') && seen(node) && box.right > innerWidth + 1) {
        found.outside.push(`${node.tagName}: ${node.textContent.slice(0, 40)}`); }
    }

    // ---- names and roles
    for (const node of document.querySelectorAll('button, a, select, input, summary, table, section,'
        + ' [role=img], [role=application]')) {
      if (!seen(node)) { continue; }
      const label = node.ariaLabel || node.textContent.trim() || (node.labels && node.labels.length)
        || node.getAttribute('aria-labelledby');
      if (!label) { found.unnamed.push(node.outerHTML.slice(0, 80)); }
    }
    for (const node of document.querySelectorAll('[aria-labelledby]')) {
      if (!document.getElementById(node.getAttribute('aria-labelledby'))) {
        found.unnamed.push(node.outerHTML.slice(0, 80)); } }
    const levels = [...document.querySelectorAll('h1, h2, h3')].filter(seen).map((it) => +it.tagName[1]);
    levels.forEach((it, i) => { if (i > 0 && it > levels[i - 1] + 1) { found.unnamed.push('h' + it); } });
    if (levels.filter((it) => it === 1).length !== 1) { found.unnamed.push('h1'); }
    return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0)
      .map(([kind, list]) => [kind, [list.length, ...list.slice(0, 4)]]));"""


CHOOSE = """
    const control = document.getElementById('v-' + arguments[0]);
    control.value = String(arguments[1]);
    control.dispatchEvent(new Event('input', { bubbles: true }));"""
TEXEL = """
    const canvas = document.querySelector('#stage canvas');
    return [...canvas.getContext('2d').getImageData(Math.round(canvas.width * arguments[0]),
      canvas.height / 2, 1, 1).data].slice(0, 3)"""
POINT = """
    const stage = document.getElementById('stage'), box = stage.getBoundingClientRect();
    stage.dispatchEvent(new PointerEvent('pointermove', { bubbles: true,
      clientX: box.left + box.width / 2 + 1, clientY: box.top + box.height / 2 + 1 }));"""


def setUpModule():
    global window
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-browser-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    window = browser.Browser(folder)
    unittest.addModuleCleanup(window.close)


class BrowserCase(fixture.TestCase):
    def open(self, size=SIZES[2], scheme="light"):
        window.open(self.dir / "page.html", *size, scheme)
        self.wait("return document.documentElement.dataset.ready === 'yes'")

    def show(self, *sets, size=SIZES[2], scheme="light"):
        """Opens the page of these results."""
        outcome = self.report(*sets)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        self.open(size, scheme)

    def wait(self, script):
        end = time.monotonic() + cli.TIMEOUT_S / 10
        while not window.run(script):
            self.assertLess(time.monotonic(), end, script)
            time.sleep(0.05)

    def tearDown(self):
        """No page may ask for anything but itself, and none may have anything to complain of."""
        messages, urls = window.logs()
        # Of the test's own looks at the canvas.
        self.assertEqual([it for it in messages if "willReadFrequently" not in it], [])
        page = (self.dir / "page.html").resolve().as_uri()
        self.assertEqual([url[:60] for url in urls if url.split("#")[0] != page
                          and not url.startswith(("data:", "blob:"))], [])


class Measures(BrowserCase):
    def states(self):
        """(name, arguments of report.py)"""
        builds = kept_sets.load(kept_sets.GPU)
        builds["run"]["id"], builds["run"]["tool"]["git_sha"] = "after", "after12"
        again = {**kept_sets.load(kept_sets.SOFTWARE)}
        again["run"] = {**again["run"], "id": "again"}
        pictures = fixture.write_pictures(self.dir)
        pictures["run"]["id"] = "pictures"
        return [
            ("formats", sorted((kept_sets.REFERENCE / "nvidia-h200").glob("format-*.json"))),
            ("published", [kept_sets.PUBLISHED]), ("variants", [kept_sets.GPU_VARIANTS]), ("modes", [kept_sets.SOFTWARE_MODES]),
            ("two runs", [kept_sets.SOFTWARE, self.write(again, "again.json")]),
            ("two devices", [kept_sets.SOFTWARE, self.write(self.other_device(), "other.json")]),
            ("two builds", [kept_sets.GPU, self.write(builds, "builds.json")]),
            *((name, [self.write(root, f"{name}.json")]) for name, root in (
                ("one strategy", fixture.one_strategy()), ("failures", fixture.failures_and_skips()),
                ("interrupted", fixture.interrupted()), ("nothing", fixture.no_results()),
                ("pictures", pictures), ("bare", fixture.bare())))]

    def test_every_state_at_every_width(self):
        """Everything open, in light and dark by turns; at one of the three widths each, by turns, but with
        MB_TEST_FULL."""
        is_full = bool(os.environ.get("MB_TEST_FULL"))
        for index, (name, sets) in enumerate(self.states()):
            outcome = self.report(*sets)
            self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
            for at, size in enumerate(SIZES):
                if at != (index + 2) % 3 and not is_full:
                    continue
                with self.subTest(state=name, size=size):
                    self.open(size, ("light", "dark")[(index + at) % 2])
                    self.assertEqual(window.run(MEASURE), {}, "as it opens")
                    window.run(OPEN_ALL)
                    self.assertEqual(window.run(MEASURE), {}, "all open")

    def test_two_hundred_images(self):
        """Few bytes, few nodes, and drawn at once."""
        root = fixture.first_timing(fixture.load())
        case, = root["cases"]
        root["cases"] = [{**case, "id": f"photo_{index:03}", "input": f"photo_{index:03}.png",
                          "input_sha256": f"{index:064x}", "width": 256 - index % 4}
                         for index in range(200)]
        started = time.monotonic()
        self.show(self.write(root), size=SIZES[0])
        self.assertLess((self.dir / "page.html").stat().st_size, 5_000_000)
        self.assertLess(window.run("return document.querySelectorAll('*').length"), MAX_NODES)
        entry = window.run("return performance.getEntriesByType('navigation')[0].toJSON()")
        self.assertLess(entry["loadEventEnd"] - entry["responseEnd"], MAX_DRAW_MS)
        self.assertEqual(window.run(MEASURE), {})
        self.assertLess(time.monotonic() - started, cli.TIMEOUT_S / 10)


class Works(BrowserCase):
    def test_a_cell_opens_its_case(self):
        self.show(*sorted((kept_sets.REFERENCE / "nvidia-h200").glob("format-r*.json"))[:3])
        window.run("document.querySelectorAll('.won a')[7].focus()")
        window.press("Enter")
        self.wait("return location.hash && document.querySelector(location.hash)?.tagName === 'TBODY'")
        said = window.run("return document.querySelector(location.hash).textContent")
        cell = window.run("return document.querySelectorAll('.won a')[7].querySelector('b').textContent")
        self.assertIn(cell, said)
        self.assertLess(abs(window.run("return document.querySelector(location.hash).getBoundingClientRect().top")), 60)

    def shown_tests(self):
        return window.run("return [...document.querySelectorAll('.runs tbody')].filter((it) => !it.hidden)"
                          ".map((it) => it.dataset.condition + ' ' + it.dataset.size)")

    def test_the_table_is_sifted(self):
        """It opens on one condition; a link to a test of another one shows that."""
        self.show(kept_sets.GPU)
        self.assertEqual({it.rpartition(" ")[0] for it in self.shown_tests()}, {"cold latency"})
        for name, value in (("condition", "hot latency"), ("size", "256x256")):
            window.run("const it = document.getElementById('f-' + arguments[0]); it.value = arguments[1];"
                       "it.dispatchEvent(new Event('input', { bubbles: true }));", name, value)
        self.assertEqual(self.shown_tests(), ["hot latency 256x256"])
        window.run("document.querySelector('.won a').click()")
        self.wait("return !document.querySelector(location.hash)?.hidden")
        self.assertEqual(len(self.shown_tests()), 12)

    def test_every_control_can_be_reached(self):
        self.show(self.write(fixture.write_pictures(self.dir)))
        self.wait("return !document.getElementById('viewer').hidden")
        n = window.run("""document.body.focus();
            return document.querySelectorAll('a, summary, select, input, #stage').length""")
        reached = set()
        for _ in range(n + 5):
            window.press("Tab")
            reached.add(window.run("return document.activeElement.id || document.activeElement.textContent"))
        self.assertLessEqual({"stage", "v-level", "v-a", "v-b", "v-wipe", "v-gain", "v-zoom"}, reached)

    def test_saved_json(self):
        self.show(kept_sets.SOFTWARE)
        window.run("""window.kept = null;
            URL.createObjectURL = (blob) => { blob.text().then((text) => { window.kept = text; });
              return 'data:,'; };""")
        window.run(OPEN_ALL)
        window.run("document.querySelector('.save').click()")
        self.wait("return window.kept !== null")
        self.assertEqual(json.loads(window.run("return window.kept")), kept_sets.load(kept_sets.SOFTWARE))

    def test_on_paper_a_few_are_open(self):
        self.show(kept_sets.SOFTWARE)
        window.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(window.run("return document.querySelectorAll('#results > details:not([open])')"
                                    ".length"), 0)
        window.command("Emulation.setEmulatedMedia", media="print")
        window.command("Emulation.setDeviceMetricsOverride", width=718, height=1000, deviceScaleFactor=1,
                       mobile=False)  # of A4
        self.assertEqual(window.run(MEASURE), {})
        window.run("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(window.run("return document.querySelectorAll('details:not([open])').length"), 2)

    def test_hostile_names_do_nothing(self):
        self.show(self.write(fixture.hostile()))
        window.run(OPEN_ALL)
        self.assertIsNone(window.run("return window.hacked ?? null"))


class Floats(BrowserCase):
    def test_values_and_gain(self):
        """Of a .hdr beside the atlas: 4 is white until gain brings it down."""
        root = fixture.write_pictures(self.dir)
        variant = root["cases"][0]["variants"][2]
        texels = bytes((128, 64, 32, 131)) * (24 * 16)  # 4, 2, 1
        name = variant["images"][0].replace(".png", ".hdr")
        rows = b"".join(b"\2\2\0\x18" + b"".join(bytes((128 + 24, it)) for it in texels[:4])
                        for _ in range(16))
        (self.dir / name).write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 16 +X 24\n" + rows)
        variant["images"].insert(1, name)
        self.show(self.write(root))
        self.wait("return document.querySelector('#stage canvas').width > 300")
        for name, value in (("b", 3), ("wipe", 0), ("gain", 0.25)):
            window.run(CHOOSE, name, value)
        self.wait("return document.getElementById('v-note').textContent.startsWith('Floats')")
        time.sleep(0.3)
        self.assertEqual(window.run(TEXEL, 0.5), [255, 128, 64])
        window.run(POINT)
        said = window.run("return document.getElementById('v-values').textContent")
        self.assertEqual(said.split("\n")[1].split(), "B 4.000 2.000 1.000".split())


class Viewer(BrowserCase):
    def setUp(self):
        super().setUp()
        self.show(self.write(fixture.write_pictures(self.dir)))
        self.wait("return document.querySelector('#stage canvas').width > 300")
        self.choose("a", 0)
        self.choose("b", 3)
        self.choose("level", 0)

    def choose(self, name, value):
        window.run(CHOOSE, name, value)
        time.sleep(0.2)

    def texel(self, share):
        """The colour of the stage, by the share of its width."""
        return window.run(TEXEL, share)

    def test_wipe(self):
        """Blue tells the chains apart: 90 of the golden, 220 of the last."""
        self.assertEqual((self.texel(0.45)[2], self.texel(0.55)[2]), (90, 220))
        self.choose("wipe", 100)
        self.assertEqual(self.texel(0.55)[2], 90)
        self.choose("wipe", 0)
        self.assertEqual(self.texel(0.45)[2], 220)

    def test_difference_gain_and_channel(self):
        self.choose("show", "diff")
        self.assertEqual(self.texel(0.5), [0, 0, 130])
        self.choose("gain", 4)
        self.assertEqual(self.texel(0.5), [0, 0, 255])
        self.choose("show", "ab")
        self.choose("gain", 1)
        self.choose("channel", 2)
        self.assertEqual(self.texel(0.55), [220, 220, 220])

    def test_error_is_a_heat_map_with_its_scale(self):
        """130 of blue everywhere is the largest error, and the darkest of its one hue."""
        self.choose("show", "error")
        self.assertEqual(self.texel(0.5), [150, 20, 40])
        self.assertEqual(window.run("return document.getElementById('v-scale').textContent").split(),
                         "0130 of 255 largest channel of B against the reference".split())
        self.choose("gain", 0.25)
        self.assertEqual(window.run("return document.querySelectorAll('#v-scale span')[1].textContent"), "520 of 255")
        self.assertGreater(self.texel(0.5)[1], 150)
        self.choose("b", 0)
        self.assertEqual(self.texel(0.5), [245, 246, 248])

    def test_values_under_the_cursor(self):
        window.run(POINT)
        said = window.run("return document.getElementById('v-values').textContent")
        self.assertEqual(said.split("\n")[0].split(), "(8, 8) A 85 127 90 255".split())
        self.assertEqual(said.split("\n")[1].split(), "B 85 127 220 255".split())

    def test_keyboard(self):
        window.run("document.getElementById('stage').focus()")
        window.press("PageDown")
        time.sleep(0.2)
        self.assertEqual(window.run("return document.getElementById('v-level-text').textContent"), "1: 8x8")


if __name__ == "__main__":
    cli.main()
