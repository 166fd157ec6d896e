#!/usr/bin/env python3
"""What a run leaves: results.json, pictures, copies, and what it prints."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import termios
import unittest

import cli

STRATEGIES = ["blit", "raster", "compute", "subgroup", "spd", "spd-metal", "spd-tree",
              "separable"]
SMALL = "pattern:noise:64x64"


def average_2x2(rgba, width, height):
    """Rounded half up, which is within one code of any correct rounding."""
    out = bytearray()
    for y in range(height // 2):
        for x in range(width // 2):
            for c in range(4):
                at = [4 * ((2 * y + dy) * width + 2 * x + dx) + c
                      for dy in (0, 1) for dx in (0, 1)]
                out.append((sum(rgba[i] for i in at) + 2) // 4)
    return bytes(out)


# What other people's scripts rely on: those of 0.1.0 stay, in their order.
CSV_COLUMNS = """run_id device input input_sha256 width height layers levels format reduce filter alpha
    shape rect_x rect_y rect_width rect_height cache mode strategy status reason n min_ns p05_ns
    p25_ns median_ns p75_ns p95_ns max_ns mean_ns mad_ns median_ci_low_ns median_ci_high_ns
    relative_ratio relative_low relative_high of_limit setup_ms compulsory_bytes
    algorithmic_bytes dispatches barriers max_error_lsb drift_lsb box_lsb verify""".split()


class OutputCase(cli.TestCase):
    def results(self, out="out"):
        document = self.document(f"{out}/results.json")
        self.assertTrue(document["run"]["complete"])
        self.assertEqual(document["run"]["exit_reason"], "done")
        return document


class Results(OutputCase):
    def test_document(self):
        args = [SMALL, "-o", "out", "--seed", "18446744073709551615"]
        self.good(*args)
        document = self.results()
        self.assertEqual(document["run"]["argv"][1:], ["-q", "-n", "3", "-w", "0", "--no-roofline", *args])
        self.assertEqual(document["run"]["seed"], "18446744073709551615")
        self.assertEqual([r["strategy"] for r in cli.rows(document)], STRATEGIES)
        for result in cli.rows(document):
            self.assertEqual((result["width"], result["height"], result["levels"]), (64, 64, 7))
            self.assertEqual(result["verify"]["status"], "pass")
            self.assertEqual(len(result["verify"]["levels"]["drift_lsb"]), 7)
            self.assertEqual(len(result["samples_ns"]), 3)
            self.assertEqual(result["compulsory_bytes"], sum(4 * 4**n for n in range(7)))
            policy = "kaiser" if result["strategy"] == "separable" else "box"  # at 64x64
            self.assertEqual(result["filter"], policy)
            golden = f"{cli.folder(result).rsplit('/', 1)[0]}/golden-{policy}"
            self.assertEqual(result["images"], [cli.folder(result) + "/atlas.png",
                                                golden + "/atlas.png"])
        compute = cli.rows(document)[STRATEGIES.index("compute")]
        self.assertEqual(compute["params"], {"npot": "box", "load": "texel"})

    def test_second_run_replaces_the_first(self):
        self.good(SMALL, "-o", "out")
        before = cli.snapshot(self.dir)
        self.good(SMALL, "-o", "out", "--seed", "2", "-s", "spd")
        document = self.results()
        self.assertEqual((document["run"]["seed"], len(cli.rows(document))), (2, 1))
        after = cli.snapshot(self.dir)
        self.assertEqual(after.keys(), before.keys())
        self.assertNotEqual(after["out/results.json"], before["out/results.json"])

    @unittest.skipIf(cli.IS_EMULATED, "LLVM 15 compiles no halves for ARM")
    def test_long_names_are_not_cut(self):
        """Cut, the two would share an id and a folder."""
        common = ("spd:load=texel:wave=off:order=linear:lds=packed:counter=host:slices=each"
                  ":source=separate")
        specs = [common, common + ":srgb=sqrt"]
        outcome = self.quick("pattern:noise:8x8", "-d", "cpu", "--srgb", "--layers", "2", "-s",
                             ",".join(specs), "-o", "out", "--json", "long.json")
        self.assertEqual(outcome.code, 0, outcome)
        slugs = [spec.replace(":", "_").replace("=", "-") for spec in specs]
        results = self.rows("long.json")
        self.assertEqual([row["id"].split("/")[1] for row in results], slugs)
        for row, spec, slug in zip(results, specs, slugs):
            self.assertEqual(row["verify"]["status"], "pass")
            self.assertIn(spec, outcome.out.decode().split())
            self.assertTrue(any(f"/{slug}/" in image for image in row["images"]), row["images"])

    def test_levels_and_no_verify(self):
        self.good(SMALL, "-o", "out", "-l", "3", "--no-verify")
        document = self.results()
        self.assertIs(document["run"]["verify"], False)
        for result in cli.rows(document):
            self.assertEqual((result["levels"], result["verify"]["status"]), (3, "skipped"))
            self.assertEqual(result["verify"]["levels"]["drift_lsb"], [])
            self.assertEqual(len(result["samples_ns"]), 3)
            width, height, _ = cli.read_png(self.dir / "out" / result["images"][0])
            self.assertEqual((width, height), (96, 64))

    def test_same_stem_twice(self):
        for i, name in enumerate(["a", "b"]):
            (self.dir / name).mkdir()
            cli.write_png(self.dir / name / "same.png", 8, 8, cli.noise(256, seed=i))
        self.good("a/same.png", "b/same.png", "-o", "out", "-s", "compute")
        results = cli.rows(self.results())
        self.assertEqual([r["input"] for r in results], ["a/same.png", "b/same.png"])
        self.assertEqual(len({r["id"] for r in results}), 2)
        atlases = [cli.read_png(self.dir / "out" / r["images"][0])[2] for r in results]
        for i, atlas in enumerate(atlases):
            self.assertEqual(cli.crop(atlas, 12, 0, 0, 8, 8), cli.noise(256, seed=i))

    def test_seed_makes_the_noise(self):
        digests = []
        for seed in ["1", "1", "2"]:
            self.good(SMALL, "-o", "out", "-s", "spd", "--seed", seed)
            digests.append(cli.rows(self.results())[0]["input_sha256"])
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[0], digests[2])


class Pictures(OutputCase):
    def test_atlas_holds_the_chain(self):
        """Within a code of the mean of 2x2, in level 2 of what was rounded; the golden one rounds
        halves either way, and is the average to its end."""
        source = cli.noise(64 * 64 * 4)
        cli.write_png(self.dir / "in.png", 64, 64, source)
        self.good("in.png", "-o", "out")
        want = average_2x2(source, 64, 64)
        results = cli.rows(self.results())
        golden = next(r["images"][1] for r in results if r["filter"] == "box")
        for path in {golden, *(result["images"][0] for result in results)}:
            with self.subTest(path=path):
                width, height, atlas = cli.read_png(self.dir / "out" / path)
                self.assertEqual((width, height), (96, 64))
                self.assertEqual(cli.crop(atlas, 96, 0, 0, 64, 64), source)
                if "/separable/" in path:
                    continue  # a wide kernel, not a mean of 2x2
                level_1 = cli.crop(atlas, 96, 64, 0, 32, 32)
                off = [a - b for a, b in zip(level_1, want)]
                self.assertLessEqual(max(map(abs, off)), 1)
                if path == golden:
                    self.assertLessEqual(max(off), 0)
                    self.assertGreater(off.count(0), 3 * len(off) // 4)
                    last = cli.crop(atlas, 96, 64, 62, 1, 1)
                    mean = [sum(source[c::4]) / len(source[c::4]) for c in range(4)]
                    self.assertTrue(all(abs(a - b) <= 0.5 for a, b in zip(last, mean)), (list(last), mean))
                else:
                    level_2 = cli.crop(atlas, 96, 64, 32, 16, 16)
                    worst = max(abs(a - b) for a, b in zip(level_2, average_2x2(level_1, 32, 32)))
                    self.assertLessEqual(worst, 2)

    def test_which_files(self):
        levels = [f"level_{n:02}.png" for n in range(4)]
        errors = [f"error_{n:02}.png" for n in range(1, 4)]
        want = {"none": [], "atlas": ["atlas.png"], "levels": levels, "sheet": ["sheet.png"],
                "all": ["atlas.png", *errors, *levels, "sheet.png"]}
        for choice, names in want.items():
            with self.subTest(images=choice):
                self.good("pattern:noise:8x8", "-o", choice, "--images", choice, "-s", "compute")
                result, = cli.rows(self.results(choice))
                found = sorted(f"{choice}/{image}" for image in result["images"])
                on_disk = [p for p in cli.snapshot(self.dir / choice) if p.endswith(".png")]
                self.assertEqual([f"{choice}/{p}" for p in on_disk], found)
                own = sorted(p.rsplit("/", 1)[1] for p in found if "/golden-box/" not in p)
                golden = [p.rsplit("/", 1)[1] for p in found if "/golden-box/" in p]
                self.assertEqual(own, names)
                self.assertEqual(golden, [name for name in names
                                          if not name.startswith(("error", "sheet"))])
                for path in found:
                    if "level_" in path:
                        extent = 8 >> int(path[-6:-4])
                        self.assertEqual(cli.read_png(self.dir / path)[:2], (extent, extent))

    def test_contact_sheet(self):
        """A row for the first layer of each chain, golden first: texels of level 1 are squares of 32."""
        cli.write_png(self.dir / "in.png", 8, 8, cli.noise(8 * 8 * 4))
        self.good("in.png", "-o", "out", "-s", "compute,spd", "--images", "all", "--layers", "2",
                  "-f", "r8")
        results = cli.rows(self.results())
        path = "in_8x8_r8_avg_2-layers/sheet.png"
        self.assertTrue(all(path in result["images"] for result in results))
        width, height, sheet = cli.read_png(self.dir / "out" / path)
        edge = 128 + 12  # a tile and what is between two
        top = height - 20 - 12 - 3 * edge
        below_label = cli.crop(sheet, width, 0, top + 100, width, 1)
        left = next(x for x in range(width) if below_label[4 * x:4 * x + 3] != b"\xff" * 3)
        for index, folder in enumerate(("golden-box", "compute", "spd")):
            level = f"in_8x8_r8_avg_2-layers/{folder}/level_01.png"
            _, _, texels = cli.read_png(self.dir / "out" / level)
            tile = cli.crop(sheet, width, left + edge, top + index * edge, 128, 128)
            shown = b"".join(cli.crop(tile, 128, 32 * x + 5, 32 * y + 5, 1, 1)
                             for y in range(4) for x in range(4))
            self.assertEqual(shown, texels, folder)


class Copies(OutputCase):
    def check_csv(self, text, strategies):
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([name for name in rows[0] if name in CSV_COLUMNS], CSV_COLUMNS)
        self.assertEqual([row["strategy"] for row in rows], strategies)
        self.assertEqual([row["filter"] for row in rows],
                         ["kaiser" if name == "separable" else "box" for name in strategies])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))

    def test_markdown_has_what_stands_below_a_table(self):
        self.quick(SMALL, "-s", "compute,raster,spd", "--per-level", "--markdown", "c.md")
        text = (self.dir / "c.md").read_text()
        self.assertIn("\n\n* No ranking: too few samples", text)
        self.assertIn("\n* spd: one dispatch: not separable by level\n", text)
        for name in ("compute", "raster"):
            self.assertRegex(" ".join(text.split()),
                             rf" \* {name}: by level, hot \(gap before\): 1: [^-]* 6: ")

    def test_no_interval_is_not_called_wide(self):
        for n, words in ((5, "only 5 samples: the interval is wide (try --samples 20)"),
                         (6, "only 6 samples: the interval is wide (try --samples 20)")):
            outcome = self.quick(SMALL, "-s", "compute,spd", "-n", str(n), "--json", "-")
            rows = cli.rows(json.loads(outcome.out))
            self.assertEqual({warning["message"] for row in rows for warning in row["warnings"]
                              if warning["code"] == "few_samples"}, {words})

    def test_image_usage(self):
        """Of the cases; and a set of one kind has no twin in one of the other."""
        own = {"transfer_src", "transfer_dst", "sampled"}
        every = own | {"storage", "color_attachment", "raw_views"}
        for usage, names, wanted in (("needed", "blit", own),
                                     ("needed", "blit,compute", own | {"storage"}),
                                     ("needed", "raster", own | {"color_attachment"}),
                                     ("needed", "spd-tree", own | {"storage", "raw_views"}),
                                     ("all", "blit", every)):
            self.quick(SMALL, "-s", names, "--image-usage", usage, "--images", "none", "--json",
                       f"{usage}-{names}.json")
            document = self.document(f"{usage}-{names}.json")
            self.assertEqual(set(document["cases"][0]["image_used_for"]), wanted)
            self.assertEqual({row["image_usage"] for row in cli.rows(document)}, {usage})
            self.assertEqual({row["status"] for row in cli.rows(document)}, {"ok"})
        outcome = self.run_it("compare", "needed-blit.json", "all-blit.json")
        self.assertIn("noise 64x64 rgba8 avg, hot latency, needed usage: not there now, only noise 64x64 rgba8 avg",
                      " ".join(outcome.out.decode().split()))

    def test_above_limit_names_the_limit(self):
        self.run_it("pattern:noise:2x1", "-q", "-s", "blit,compute,spd", "-n", "20", "-w", "0",
                    "--mode", "all", "--json", "c.json", "--images", "none")
        for result in self.rows("c.json"):
            timing = result["of"][1]
            for warning in result["warnings"]:
                if warning["code"] == "above_limit":
                    self.assertEqual("of an empty dispatch" in warning["message"],
                                     timing["bound_by"] == "dispatch", warning)

    def check_markdown(self, text, strategies):
        for name in strategies:
            self.assertRegex(text, rf"(?m)^\|.*\b{name}\b.*\|$")

    def test_to_files(self):
        self.good(SMALL, "-o", "out", "--json", "c.json", "--csv", "c.csv", "--markdown", "c.md")
        self.assertEqual(self.document("c.json"), self.results())
        self.check_csv((self.dir / "c.csv").read_text(), STRATEGIES)
        self.check_markdown((self.dir / "c.md").read_text(), STRATEGIES)

    def on_stdout(self, option, strategies):
        outcome = self.quick(SMALL, "-s", ",".join(strategies), "-o", "out", option, "-")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn(b"mipbench: ", outcome.err)
        return outcome.out.decode("utf-8")

    def test_to_stdout(self):
        some = ["blit", "compute"]
        self.assertEqual(json.loads(self.on_stdout("--json", some)), self.results())
        self.check_csv(self.on_stdout("--csv", some), some)
        markdown = self.on_stdout("--markdown", some)
        self.check_markdown(markdown, some)
        self.assertNotIn("Results:", markdown)


class Terminal(OutputCase):
    def test_table_and_progress(self):
        outcome = self.run_it(SMALL, "-n", "3", "-w", "0", "-o", "out")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn(b"\x1b", outcome.out + outcome.err)
        self.assertNotIn(b"\r", outcome.out + outcome.err)
        text = outcome.out.decode("utf-8")
        for name in STRATEGIES:
            self.assertRegex(text, rf"(?m)^[> ] {name} .*(exact|max \d)")
        self.assertIn("Results: out/results.json\n", text)
        self.assertTrue((self.dir / "out/results.json").is_file())
        self.assertEqual(self.good(SMALL, "-s", "compute", "-o", "out").err, b"")

    def test_refusal_is_told_once(self):
        reason = "hold UNORM texels of at most 8 bits"
        args = (SMALL, "-s", "spd:lds=packed", "-f", "rgba32f", "-o", "out")
        outcome = self.quick(*args)
        self.assertEqual(outcome.code, 5, outcome)
        for text in (outcome.out, outcome.err):  # each goes elsewhere
            self.assertEqual(" ".join(text.decode().split()).count(reason), 1, outcome)

    def test_caution_of_many_variants(self):
        process = self.start(SMALL, "-q", "-s", "spd:*", "-f", "rgba8", "-o", "out")
        line = process.stderr.readline().decode()
        process.kill()
        words = re.fullmatch(r"mipbench: warning: 'spd:\*' stands for (\d+) variants: .*\n", line)
        self.assertTrue(words and int(words[1]) > 100, line)

    def test_colour(self):
        colour = re.compile(rb"\x1b\[[0-9;]*m")
        for choice, no_colour, expected in [("always", "", True), ("always", "1", True),
                                            ("auto", "", False), ("never", "", False)]:
            with self.subTest(choice=choice, no_colour=no_colour):
                out = self.good(SMALL, "-s", "compute", "-o", "out", "--color", choice,
                                env={"NO_COLOR": no_colour}).out
                self.assertEqual(bool(colour.search(out)), expected)
                self.assertNotIn(b"\x1b", colour.sub(b"", out))

    def on_terminal(self, env):
        """What mipbench writes to a terminal of its own."""
        master, slave = os.openpty()
        with os.fdopen(slave, "wb") as terminal:
            outcome = self.quick("pattern:noise:8x8", "-s", "compute", "-o", "out", stdout=terminal,
                                 env={"TERM": "xterm", "NO_COLOR": "", **env})
        self.assertEqual(outcome.code, 0, outcome)
        with os.fdopen(master, "rb", buffering=0) as reader:
            return reader.read(65536)

    def test_colour_on_a_terminal(self):
        self.assertIn(b"\x1b[", self.on_terminal({}))
        self.assertNotIn(b"\x1b", self.on_terminal({"NO_COLOR": "1"}))
        self.assertNotIn(b"\x1b", self.on_terminal({"TERM": "dumb"}))

    def make_photos(self, *names):
        (self.dir / "photos").mkdir()
        for i, name in enumerate(names):
            cli.write_png(self.dir / "photos" / name, 8, 8, cli.noise(8 * 8 * 4, seed=i))

    def test_folder_in_natural_order(self):
        self.make_photos("img10.png", "img2.PNG", "img1.png")
        (self.dir / "photos/notes.txt").touch()
        self.good("pattern:flat:8x8", "photos", "-s", "compute", "-o", "out", "--images", "none")
        self.assertEqual([r["input"] for r in cli.rows(self.results())],
                         ["pattern:flat:8x8", "photos/img1.png", "photos/img2.PNG", "photos/img10.png"])
        outcome = self.good("--replay", "out/results.json", "-o", "again")
        self.assertEqual([r["input"] for r in cli.rows(self.results("again"))],
                         [r["input"] for r in cli.rows(self.results())], outcome)
        self.assert_error(self.quick("tune", "photos"), 2, "tune: expected one image, got 'photos/img2.PNG' as well")

    def test_a_line_for_each_image(self):
        self.make_photos("a.png", "b.png")
        outcome = self.run_it("photos", "-s", "compute,spd", "-n", "3", "-w", "0", "--no-roofline",
                              "--mode", "both", "-o", "out", "--markdown", "c.md")
        self.assertEqual(outcome.err.decode("utf-8").splitlines(),
                         ["1/2 a 8x8 rgba8: 2 strategies verified", "2/2 b 8x8 rgba8: 2 strategies verified"])
        text, markdown = outcome.out.decode("utf-8"), (self.dir / "c.md").read_text()
        timed = [(row["mode"], row["input"]) for row in cli.rows(self.results()) if row["status"] == "ok"]
        few = ["", "1 test is", "2 tests are"]
        for mode in ("latency", "throughput"):
            # Three samples can fall below resolution on a busy machine, which leaves nothing to rank.
            n_ranked = sum(timed.count((mode, f"photos/{name}.png")) == 2 for name in "ab")
            self.assertTrue(n_ranked == 2 or mode == "throughput", text)
            head, line = f"2 tests, hot {mode}:\n", f"{few[n_ranked]} not ranked: too few samples"
            self.assertEqual(f"\n{head}{line}" in text, n_ranked > 0, text)
            self.assertEqual(f"* {head}* {line}" in markdown, n_ranked > 0, markdown)
        self.assertNotIn(" tests, hot latency", self.good("photos/a.png", "-s", "compute,spd", "-o", "out").out.decode())

    def on_narrow_terminal(self, *args):
        """What is said on one of 56 columns, by stdout and stderr together."""
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 56, 0, 0))
            os.chdir(self.dir)
            os.environ.update({"LC_ALL": "C.UTF-8", "TERM": "xterm"})
            os.execv(cli.BINARY, [cli.BINARY, "photos", "-s", "compute", "-n", "3", "-w", "0",
                                  "--no-roofline", "-o", "out", "--color", "never", *args])
        said = b""
        try:
            while part := os.read(terminal, 65536):
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, said)
        return said.decode("utf-8")

    def test_one_redrawn_line(self):
        """Over the whole run, with what is left once an image is finished. It is erased where a table
        follows, which says the same as the line for each image."""
        self.make_photos(*(f"a-photo-with-a-long-name-{i}.png" for i in range(3)))
        said = self.on_narrow_terminal()
        self.assertRegex(said, "\r\x1b\\[K *photos/a-photo-with-a-long-name-0.png  8x8")
        self.assertNotIn("1 strategy verified", said)
        self.assertNotRegex(self.on_narrow_terminal("-q"), "\x1b|verif|blocks")
        drawn = [line for line in re.split("\r|\n", re.sub("\x1b\\[[0-9;]*K", "", said))
                 if line.startswith("[")]
        self.assertLess(max(map(len, drawn)), 56)
        self.assertIn("[1/3] compute - verifying - a-photo-with-a-long-name-0 8x8 rgba8"[:55], drawn)
        self.assertTrue(any(re.fullmatch(r"\[3/3\] compute - verifying - about \d+ s left - a-photo.*", line)
                            for line in drawn), drawn)


class ListAndHelp(OutputCase):
    def listed(self, *what):
        outcome = self.run_it("list", *what, "--json")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        return json.loads(outcome.out)

    def test_list(self):
        everything = self.listed()
        self.assertEqual(set(everything), {"devices", "strategies", "formats", "patterns"})
        for what in everything:
            self.assertEqual(self.listed(what), {what: everything[what]})
            text = self.run_it("list", what).out.decode("utf-8")
            for item in everything[what]:
                self.assertIn(item["name"], text)
                for param in item.get("params", []):
                    for word in [param["name"], *param["values"]]:
                        self.assertIn(word, text)
        self.assertEqual([s["name"] for s in everything["strategies"]], STRATEGIES)
        diagnostic = [(s["name"], p["name"]) for s in everything["strategies"] for p in s["params"]
                      if p["diagnostic"]]
        self.assertEqual(diagnostic, [("spd", "parts"), ("spd-tree", "parts")])
        self.assertEqual({p["name"] for p in everything["patterns"]},
                         {"gradient", "noise", "checker", "impulse", "zoneplate", "flat", "signed", "probe",
                          "probe-float"})
        self.assertLessEqual({"rgba8", "rgba16f", "rgba32f"},
                             {f["name"] for f in everything["formats"]})
        for device in everything["devices"]:
            self.assertGreater(device["limits"]["max_image_dimension_2d"], 0)

    def test_listed_patterns_and_formats_run(self):
        everything = self.listed()
        patterns = [f"pattern:{pattern['name']}:8x8" for pattern in everything["patterns"]]
        self.good(*patterns, "-s", "compute", "-o", "out")
        self.assertEqual([(r["input"], r["status"]) for r in cli.rows(self.results())],
                         [(pattern, "ok") for pattern in patterns])
        for name in ["rgba16f", "rgba32f"]:
            self.good("pattern:noise:8x8", "-s", "compute", "-f", name, "-o", "out")
            self.assertEqual(cli.rows(self.results())[0]["format"], name)

    def test_help(self):
        """That it is there; what it holds is tests/unit/test_verbs.c's part."""
        for verb in ("", "run", "list", "compare", "tune", "export", "inspect"):
            outcome = self.run_it(*filter(None, [verb, "--help"]))
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
            self.assertIn(f"mipbench {verb}".encode(), outcome.out)
            self.assertEqual(self.run_it("help", verb or "help").out, outcome.out)
        for args in [["-h"], ["help"], [SMALL, "--help"]]:
            self.assertEqual(self.run_it(*args).out, self.run_it("--help").out)

    def test_version(self):
        outcome = self.run_it("--version")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        self.assertRegex(outcome.out, rb"^mipbench \d+\.\d+\.\d+ \(.+\)\n$")
        self.assertEqual(self.run_it("-V").out, outcome.out)


if __name__ == "__main__":
    cli.main()
