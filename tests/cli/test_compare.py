#!/usr/bin/env python3
"""`mipbench compare` on results of a real run, changed by hand, and --replay of that run."""
import copy
import json
import os
import re
import signal
import statistics
import time

import cli

SMALL = "pattern:noise:16x16"


def set_samples(result, samples):
    """Of blocks that all count, as many as there are of other columns."""
    _, timing, _, _, column = result["of"]
    timing["blocks"]["repeated"] = []
    for other in timing["blocks"]["columns"]:
        n_times = -(-len(samples) // len(other["durations_ns"] or [0]))
        other["durations_ns"] = (other["durations_ns"] * n_times)[:len(samples)]
    column["durations_ns"] = samples


def scale(document, factor, strategies=None):
    """The same results with other times."""
    changed = copy.deepcopy(document)
    for result in cli.rows(changed):
        if strategies is None or result["strategy"] in strategies:
            set_samples(result, [factor * s for s in result["samples_ns"]])
    return changed


def calm(document):
    """A software device is noisy: the same median and the same order of samples, which lie within
    0.1 % of it, and a control that found its two halves alike."""
    changed = copy.deepcopy(document)
    for result in cli.rows(changed):
        samples = result["samples_ns"]
        median, middle = statistics.median(samples), (len(samples) - 1) / 2
        ranks = {i: rank for rank, i in enumerate(sorted(range(len(samples)), key=samples.__getitem__))}
        set_samples(result, [median * (1 + (ranks[i] - middle) / middle / 1000) for i in range(len(samples))])
    for case in changed["cases"]:
        for timing in case["timings"]:
            timing["aa_control"].update(ratio=1.0, ci=[0.9999, 1.0001])
    return changed


class CompareCase(cli.TestCase):
    recorded = None

    def setUp(self):
        super().setUp()
        if CompareCase.recorded is None:
            outcome = self.run_it(SMALL, "-q", "-n", "20", "-w", "0", "--images", "none",
                                  "-o", "first", "-s", "blit,compute,subgroup,spd")
            self.assertEqual(outcome.code, 0, outcome)
            CompareCase.recorded = self.document("first/results.json")
        self.calm = calm(self.recorded)
        self.write("base.json", self.calm)

    def write(self, name, document):
        (self.dir / name).write_text(json.dumps(document), encoding="utf-8")

    def compare(self, *args, code=0):
        """The comparison as JSON."""
        outcome = self.run_it("compare", *args, "--json", "c.json")
        self.assertEqual(outcome.code, code, outcome)
        return json.loads((self.dir / "c.json").read_text(encoding="utf-8"))


class Folder(CompareCase):
    def test_folders_of_runs(self):
        self.write("new.json", scale(self.calm, 2))
        for name in ("base", "new"):
            (self.dir / name).mkdir()
            (self.dir / f"{name}.json").rename(self.dir / name / "results.json")
        found = self.compare("base", "new/")
        self.assertEqual(found["summary"]["slower"], 4)
        self.assertEqual(found["new"][0]["path"], "new/results.json")
        outcome = self.run_it("compare", "base", "new", "--json", "new/results.json")
        self.assert_error(outcome, 2, "an output and an input are the same file, 'new/results.json'")
        (self.dir / "empty").mkdir()
        outcome = self.run_it("compare", "base", "empty")
        self.assert_error(outcome, 3, "empty: no results in this folder")


class Sets(CompareCase):
    """`run --runs N`, and what `compare` makes of it."""
    RUN = (SMALL, "-q", "-n", "6", "-w", "0", "--no-roofline", "-s", "blit,compute")

    def results(self, name):
        return sorted(path.relative_to(self.dir).as_posix() for path in self.dir.glob(f"{name}/**/results.json"))

    def test_five_runs_a_side(self):
        for name in ("before", "after"):
            outcome = self.run_it(*self.RUN, "--runs", "5", "-o", name)
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
            self.assertEqual(self.results(name), [f"{name}/run-{i}/results.json" for i in range(1, 6)])
            text = outcome.out.decode()
            self.assertEqual(text.count("Strategy  "), 2, text)  # of the first run, and of all of them
            self.assertRegex(text, r"(?m)^[> ] compute .* exact +5 +yes$")
        measured = {json.dumps(self.document(name)["cases"]) for name in self.results("before")}
        self.assertEqual(len(measured), 5)
        pictures = [path.relative_to(self.dir).parts[1] for path in self.dir.glob("before/**/*.png")]
        self.assertEqual(set(pictures), {"run-1"})
        found = self.compare("before", "after/")
        self.assertEqual([len(found[side]) for side in ("base", "new")], [5, 5])
        self.assertIs(found["single_run"], False)
        for row in found["comparisons"]:
            self.assertEqual((row["base_runs"], row["new_runs"], row["single_run"]), (5, 5, False))
        self.assertEqual(len(found["comparisons"]), 2)
        same = self.compare("after", "after", "--fail-on-inconclusive")
        self.assertEqual({row["verdict"] for row in same["comparisons"]}, {"SAME"})
        mixed = self.compare("before,base.json", "after/run-2")
        self.assertEqual([len(mixed[side]) for side in ("base", "new")], [6, 1])
        self.assertEqual([mixed["sides"][side]["name"] for side in ("base", "new")],
                         ["before/run-1 and 5 other runs", "after/run-2"])
        text = self.run_it("compare", "before", "after").out.decode()
        self.assertIn("Base  before (5 runs)\nNew   after (5 runs)\n", text)

    def test_folders(self):
        self.assertEqual(self.run_it(*self.RUN, "--runs", "2", "--images", "none", "-o", "set").code, 0)
        for name in ("set", "first"):
            (self.dir / "first").mkdir(exist_ok=True)
            self.write("first/results.json", self.calm)
            before = self.results(name)
            outcome = self.run_it(*self.RUN, "--runs", "2", "-o", name)
            self.assert_error(outcome, 7, name, "has results of earlier runs")
            self.assertEqual(self.results(name), before)
        outcome = self.run_it(*self.RUN, "-o", "set")
        self.assert_error(outcome, 7, "set: has results of earlier runs: set/run-2/results.json")
        self.assertEqual(len(self.results("set")), 2)
        self.write("set/results.json", self.calm)
        self.assert_error(self.run_it("compare", "set", "base.json"), 3, "set", "results.json beside it")
        self.assertEqual(self.run_it(*self.RUN, "--runs", "1", "-o", "one").code, 0)
        self.assertEqual(self.results("one"), ["one/results.json"])
        self.assertEqual(self.run_it(*self.RUN, "--runs", "2").code, 0)
        self.assertEqual([name.split("/", 2)[2] for name in self.results("results")],
                         ["run-1/results.json", "run-2/results.json"])
        for copy in ("--csv=x", "--json=-", "--markdown=x", "--report"):
            outcome = self.run_it(*self.RUN, "--runs", "2", copy)
            self.assert_error(outcome, 2, copy.split("=")[0], "go with '--runs'")

    def test_what_fails(self):
        """In every run; each is made all the same, and the exit code is that of the first."""
        outcome = self.run_it("pattern:noise:33x21", "-f", "rgba8", "-n", "6", "-w", "0", "--no-roofline", "--kernel",
                              str(cli.ROOT / "tests/lies/lies.json"), "-s", "compute,lies:lie=tail",
                              "--runs", "2", "-o", "out")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertEqual(len(self.results("out")), 2)
        self.assertEqual(outcome.err.count(b"mipbench: error: lies:lie=tail: wrong: "), 2, outcome)

    def test_interrupted(self):
        process = self.start(SMALL, "-w", "0", "-n", "400", "--no-roofline", "-s", "compute",
                             "--runs", "50", "-o", "out")
        self.wait_for((self.dir / "out/run-2/results.json").is_file, "second run")
        # The folder is the set's, from its first run to its last.
        self.assert_error(self.run_it(*self.RUN, "-o", "out"), 7, "out: another run is writing into this folder")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        n = len(self.results("out"))
        self.assertTrue(2 <= n < 50, n)
        # The last one may have been interrupted before it had a time.
        self.assertRegex(out.decode(), rf"(?m)^[> ] compute .* exact +({n}|{n - 1}) +yes$")


class Interrupted(CompareCase):
    def check(self, *args):
        self.write("long.json", scale(self.calm, 1))
        document = self.document("long.json")
        for result in cli.rows(document):
            set_samples(result, result["samples_ns"] * 8000)
        self.write("long.json", document)
        process = self.start("compare", *args, "long.json", "base.json", "--json", "c.json")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual((process.returncode, out, err), (130, b"", b""))
        self.assertEqual([path.name for path in self.dir.glob("*c.json*")], [])

    def test_compare(self):
        self.check()

    def test_pool(self):
        self.check("--pool")


class Pool(CompareCase):
    def pool(self, *args):
        outcome = self.run_it("compare", "--pool", *args, "--json", "p.json")
        self.assertEqual(outcome.code, 0, outcome)
        found = self.document("p.json", "pool.schema.json")
        return found, outcome.out.decode()

    def runs(self):
        """Three runs 2 % apart in which compute leads, half as long as each of the others."""
        base = scale(self.calm, 0.5, {"compute"})
        for i in range(3):
            document = scale(base, 1 + 0.02 * i)
            document["run"]["id"] = f"run{i}"
            for result in cli.rows(document):
                result["of"][1]["aa_control"].update(ratio=1.0)
            self.write(f"{i}.json", document)
        return base

    def test_unfinished(self):
        self.runs()
        document = self.document("1.json")
        document["run"].update(complete=False, exit_reason="interrupted")
        self.write("1.json", document)
        self.assertIn(b"Base  0.json and 1 other run\n", self.run_it("compare", "0.json,1.json", "2.json").out)
        found, text = self.pool("0.json", "1.json", "2.json")
        self.assertEqual(text.count("warning:"), 1)
        self.assertIn("\nwarning: 1.json: the run was interrupted\n", text)
        self.assertEqual([run["complete"] for run in found["pools"][0]["runs"]], [True, False, True])

    def test_pooled(self):
        base = self.runs()
        found, text = self.pool("0.json", "1.json", "2.json")
        pool, = found["pools"]
        self.assertEqual([run["run_id"] for run in pool["runs"]], ["run0", "run1", "run2"])
        timing, = pool["timings"]
        medians = {r["strategy"]: statistics.median(r["samples_ns"]) for r in cli.rows(base)}
        self.assertEqual(len(timing["rows"]), 4)
        for row in timing["rows"]:
            self.assertEqual((row["runs"], row["verify"]), (3, "pass"))
            self.assertAlmostEqual(row["median_ns"] / medians[row["variant"]], 1.02, places=3)
            low, high = row["median_ci_ns"]
            self.assertTrue(low <= row["median_ns"] <= high, row)
            self.assertEqual(row["answer"], "filter" if row["variant"] == "blit" else "exact")
            self.assertTrue(row["p05_ns"] <= row["median_ns"] <= row["p95_ns"], row)
        ranking = timing["rankings"][0]
        self.assertEqual((timing["timings"], ranking["tied"]), ([0, 0, 0], []))
        self.assertEqual((timing["lead"], ranking["question"]), ("clear", "exact"))
        self.assertEqual(pool["title"], "Mip-chain generation on " + base["device"]["name"]
                         + " (software): 4 strategies, every texel verified")
        self.assertEqual(pool["conditions"][0]["sentences"][0], ranking["sentence"])
        best = min((r for r in timing["rows"]), key=lambda r: r["median_ns"])
        self.assertEqual(best["relative"]["ratio"] if best["variant"] == ranking["fastest"] else 1, 1)
        self.assertRegex(text, r": 3\sruns\n")  # wrapped, where the driver says much
        self.assertIn(ranking["sentence"], " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        if "is the fastest" in ranking["sentence"]:
            self.assertRegex(text, rf"(?m)^> {ranking['fastest']} .* 1\.00 +exact +3 +yes$")


class Compare(CompareCase):
    def test_planted_5_percent(self):
        self.write("new.json", scale(self.calm, 1.05))
        found = self.compare("base.json", "new.json")
        self.assertEqual({row["verdict"] for row in found["comparisons"]}, {"SLOWER"})
        for row in found["comparisons"]:
            self.assertAlmostEqual(row["ratio"], 1.05)
            self.assertLess(row["p_adjusted"], 0.05)
            self.assertLessEqual(row["ci"][0], row["ratio"])
        self.assertEqual(found["summary"]["regressions"], 4)
        self.compare("base.json", "new.json", "--fail-on-regression", code=1)
        back = self.compare("new.json", "base.json", "--fail-on-regression")
        self.assertEqual({row["verdict"] for row in back["comparisons"]}, {"FASTER"})

    def test_threshold(self):
        self.write("new.json", scale(self.calm, 1.05))
        found = self.compare("base.json", "new.json", "--threshold", "10", "--fail-on-regression")
        self.assertEqual({row["verdict"] for row in found["comparisons"]}, {"SAME"})
        self.assertEqual(found["threshold"], 0.1)

    def test_what_is_lost(self):
        """A result, and a verification; tests/unit/test_compare_runs.c has all that may be."""
        new = copy.deepcopy(self.calm)
        case = new["cases"][0]
        case["timings"][0]["rows"][0].update(status="failed", reason="level 2 is wrong")
        case["variants"][0]["verify"]["status"] = "fail"
        case["variants"][2]["verify"]["status"] = "skipped"
        self.write("new.json", new)
        found = self.compare("base.json", "new.json", "--fail-on-regression", code=1)
        gap, = found["not_compared"]
        self.assertEqual((gap["strategy"], gap["regression"]), ("blit", True))
        self.assertEqual(gap["reason"], "wrong texels now, in new.json: level 2 is wrong")
        self.assertEqual(found["headline"][0],
                         "2 regressions: blit now produces wrong texels, subgroup is no longer verified")
        self.assertEqual([row["regression"] for row in found["comparisons"]], [False, True, False])
        self.assertEqual(found["summary"]["no_longer_verified"], 1)
        self.assertRegex(self.run_it("compare", "base.json", "new.json").out, rb"no longer verified\n")
        self.compare("new.json", "base.json", "--fail-on-regression")

    def test_nothing_compared(self):
        new = copy.deepcopy(self.calm)
        for row in new["cases"][0]["timings"][0]["rows"]:
            row.update(status="skipped", reason="not asked for")
        self.write("new.json", new)
        self.compare("new.json", "base.json")
        for gate in ("--fail-on-regression", "--fail-on-inconclusive"):
            outcome = self.run_it("compare", "new.json", "base.json", gate)
            self.assert_error(outcome, 1, f"no result could be compared, so {gate} fails")

    def test_nothing_decided(self):
        """A gate that cannot decide fails, and says so; 3 % of single runs is neither."""
        self.write("new.json", scale(self.calm, 1.03))
        found = self.compare("base.json", "new.json")
        self.assertEqual(found["summary"]["inconclusive"], 4)
        for gate in ("--fail-on-regression", "--fail-on-inconclusive"):
            outcome = self.run_it("compare", "base.json", "new.json", gate)
            self.assert_error(outcome, 1, f"4 of 4 results could not be decided, so {gate} fails")
            self.assertTrue(outcome.out.startswith(b"Nothing could be decided\n"), outcome)
        self.write("new.json", scale(self.calm, 1.03, {"spd"}))
        outcome = self.run_it("compare", "base.json", "new.json", "--fail-on-regression", "-q")
        self.assertEqual((outcome.code, outcome.err),
                         (0, b"mipbench: warning: 1 of 4 results could not be decided\n"), outcome)
        outcome = self.run_it("compare", "base.json", "new.json", "--fail-on-inconclusive")
        self.assert_error(outcome, 1, "1 of 4 results could not be decided")
        self.write("new.json", scale(scale(self.calm, 1.03, {"spd"}), 1.2, {"blit"}))
        outcome = self.run_it("compare", "base.json", "new.json", "--fail-on-regression")
        self.assert_error(outcome, 1, "1 regression in 4 results")

    def test_sides(self):
        """Named by what only one of them is: device, driver, build, kernel, option."""
        base, new = copy.deepcopy(self.calm), copy.deepcopy(self.calm)
        base["run"]["argv"] = ["mipbench", SMALL, "-n", "20", "-o", "x", "--cache=hot"]
        new["run"]["argv"] = ["mipbench", SMALL, "--samples=30", "-qo", "y", "--cache=hot"]
        new["device"]["name"] = "Other\x1b[2J GPU"
        new["device"]["driver"].update(info="Mesa 99")
        new["run"]["tool"].update(git_sha="abc1234", build_type="debug")
        self.write("base.json", base)
        self.write("new.json", new)
        outcome = self.run_it("compare", "base.json", "new.json", "--color", "never")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn(b"\x1b", outcome.out)
        text = " ".join(outcome.out.decode().split())
        self.assertIn(", --samples=20 New new.json: Other?[2J GPU, driver Mesa 99, mipbench abc1234, "
                      "build type debug, --samples=30 ", text)
        self.assertNotIn("Both", text)
        sides = self.compare("base.json", "new.json")["sides"]
        self.assertEqual((sides["new"]["name"], sides["new"]["differs"][-1], sides["both"]),
                         ("new.json", "--samples=30", []))
        self.assertIn(b"The sides do not differ in device, driver, build, kernels or options.\n",
                      self.run_it("compare", "new.json", "new.json").out)

    def test_kernels(self):
        """A manifest that was changed in between."""
        for name, digest in (("base.json", "1234567890"), ("new.json", "abcdef0123")):
            document = copy.deepcopy(self.calm)
            document["run"]["kernels"] = [{"strategy": "my-spd", "sha256": digest}]
            self.write(name, document)
        text = self.run_it("compare", "base.json", "new.json").out.decode()
        self.assertIn("Base  base.json: kernel my-spd 1234567\nNew   new.json: kernel my-spd abcdef0\n", text)


class Output(CompareCase):
    def setUp(self):
        super().setUp()
        self.write("new.json", scale(self.calm, 1.05, {"spd"}))

    def test_table(self):
        outcome = self.run_it("compare", "base.json", "new.json")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        text = outcome.out.decode("utf-8")
        self.assertRegex(text, r"(?m)^> spd .* 1\.05 .* slower$")
        self.assertRegex(text, r"(?m)^Single run: 4 of 4 results have fewer than 5 runs a side")
        self.assertTrue(text.startswith("1 regression: spd is 1.05x slower\n"
                                        "1 slower, 0 faster, 3 tied, 0 undecided\n\nBase  base.json\n"
                                        "New   new.json\nBoth  "), text)
        driver = self.calm["device"]["driver"]["info"]
        self.assertIn(f", driver {driver}, mipbench", " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertIn("Margin", self.run_it("compare", "-v", "base.json", "new.json").out.decode())
        brief = self.run_it("compare", "-q", "base.json", "new.json").out.decode()
        self.assertNotIn("Base  base.json", brief)
        self.assertRegex(brief, "(?m) slower$")
        colour = self.run_it("compare", "base.json", "new.json", "--color", "always").out
        self.assertIn(b"\x1b[1;31m", colour)

    def test_text(self):
        """Regressions come first, those of results before slower ones, and all of them are named."""
        kept = json.loads((cli.ROOT / "results/reference/nvidia-h200/format-rgba8-avg.json").read_text("utf-8"))
        kept["cases"] = [case for case in kept["cases"] if case["timings"][0]["rows"]][:1]
        new = scale(kept, 1.1, {"spd"})
        new["run"].update(run_id="new")
        new["run"]["tool"]["git_sha"] = "another"
        rows, variants = new["cases"][0]["timings"][0]["rows"], new["cases"][0]["variants"]
        rows[1].update(status="failed", reason="level 2 is wrong")
        variants[1]["verify"]["status"] = "fail"
        variants[0].update(answers=["any"], answer="claimed")
        (self.dir / "set").mkdir()
        self.write("kept.json", kept)
        self.write("set/results.json", new)
        shown = ""
        for words in (["compare"], ["compare", "-v"], ["compare", "-q"], ["compare", "--pool"]):
            outcome = self.run_it(*words, "kept.json", "set", "--color", "never")
            shown += f"== {' '.join(words)}\n{outcome.out.decode('utf-8')}\n"
        self.run_it("compare", "kept.json", "set", "--markdown", "c.md")
        cli.check_snapshot(self, "compare", shown + "== Markdown\n" + (self.dir / "c.md").read_text("utf-8"))

    def test_one_change_in_several_tests(self):
        kept = json.loads((cli.ROOT / "results/reference/nvidia-h200/format-rgba8-avg.json").read_text("utf-8"))
        kept["cases"] = [case for case in kept["cases"] if case["timings"][0]["rows"]][:3]
        new = scale(scale(kept, 1.1, {"spd"}), 1.2, {"compute"})
        new["run"].update(run_id="new")
        self.write("kept.json", kept)
        self.write("new.json", new)
        text = self.run_it("compare", "kept.json", "new.json").out.decode()
        self.assertTrue(text.startswith("6 regressions: compute is up to 1.20x slower in 3 tests, "
                                        "spd is up to 1.10x slower in 3 tests\n6 slower, "), text)

    def test_runs_needed(self):
        """Told once, below the table."""
        noisy = scale(self.calm, 1.02)
        for result in cli.rows(noisy):
            n = len(result["samples_ns"])
            set_samples(result, [time * (1 + 0.04 * (i * 5 // n % 2))
                                 for i, time in enumerate(result["samples_ns"])])
        self.write("noisy.json", noisy)
        found = self.compare("base.json", "noisy.json")
        needed = sorted(row["runs_needed"] for row in found["comparisons"])
        self.assertEqual(len(needed), 4)
        text = self.run_it("compare", "base.json", "noisy.json").out.decode()
        self.assertEqual(len(re.findall(r"(?m)^  .* undecided$", text)), 4)
        lines = re.findall(r"(?m)^The undecided need .* runs a side\.$", text)
        self.assertEqual(len(lines), 1)
        told = [int(number) for number in re.findall("[0-9]+", lines[0])]
        self.assertEqual(told, [needed[-1]])
        self.assertEqual("more than 50" in lines[0], needed[-1] == 50)

    def test_copies(self):
        self.run_it("compare", "base.json", "new.json", "--markdown", "c.md", "--json", "c.json")
        markdown = (self.dir / "c.md").read_text(encoding="utf-8")
        self.assertRegex(markdown, r"(?m)^\| \*\*spd\*\* \|.* slower \|$")
        outcome = self.run_it("compare", "base.json", "new.json", "--markdown", "-")
        self.assertEqual(outcome.out.decode("utf-8"), markdown)
        outcome = self.run_it("compare", "base.json", "new.json", "--json", "-")
        self.assertEqual(outcome.out, (self.dir / "c.json").read_bytes())
        outcome = self.run_it("compare", "base.json", "new.json", "--json", "new.json")
        self.assert_error(outcome, 2, "new.json", "same file")
        outcome = self.run_it("compare", "base.json", "new.json", "--json", "no/where.json")
        self.assert_error(outcome, 7, "no/where.json")

    def test_seed(self):
        self.write("noisy.json", self.recorded)
        one, same, two = (self.compare("base.json", "noisy.json", "--seed", seed)
                          for seed in ("1", "1", "2"))
        self.assertEqual(one, same)
        self.assertNotEqual(one["comparisons"], two["comparisons"])


class Bad(CompareCase):
    def test_files(self):
        cases = {"empty.json": "", "no.json": "{\n  \"schema\": {,"}
        for name, text in cases.items():
            (self.dir / name).write_text(text)
            with self.subTest(name=name):
                self.assert_error(self.run_it("compare", "base.json", name), 3, name)
                self.assert_error(self.run_it("compare", f"base.json,{name}", "base.json"), 3, name)
                self.assert_error(self.run_it("--replay", name), 3, name)
        self.assertIn(b"line 2, column ", self.run_it("compare", "base.json", "no.json").err)
        self.assert_error(self.run_it("compare", "base.json", "gone.json"), 3, "gone.json")
        self.assert_error(self.run_it("comprae", "a", "b"), 3, "comprae", "'compare'")


class Replay(CompareCase):
    def replay(self, recorded, *args):
        self.write("recorded.json", recorded)
        outcome = self.run_it("--replay", "recorded.json", "-o", "again", *args)
        self.assertEqual(outcome.code, 0, outcome)
        return self.document("again/results.json"), outcome

    def test_same_plan(self):
        document, outcome = self.replay(self.recorded)
        self.assertEqual([r["id"] for r in cli.rows(document)],
                         [r["id"] for r in cli.rows(self.recorded)])
        self.assertEqual([len(r["samples_ns"]) for r in cli.rows(document)], [20] * 4)
        self.assertEqual(document["run"]["seed"], self.recorded["run"]["seed"])
        self.assertEqual({r["input_sha256"] for r in cli.rows(document)},
                         {r["input_sha256"] for r in cli.rows(self.recorded)})
        self.assertNotIn(b"warning", outcome.err)
        argv = document["run"]["argv"]
        self.assertFalse([word for word in argv if "replay" in word or "first" in word], argv)
        again, _ = self.replay(document)
        self.assertEqual(again["run"]["argv"], argv)

    def test_overrides(self):
        recorded = copy.deepcopy(self.recorded)
        recorded["run"].update(seed=7, argv=["mipbench", "-qs", "spd,blit", SMALL, "-n", "4",
                                             "--sweep", "8:16", "-w0", "--csv", "gone/x.csv",
                                             "--images=none"])
        document, _ = self.replay(recorded)
        self.assertEqual([(r["strategy"], r["width"]) for r in cli.rows(document)],
                         [("spd", 8), ("blit", 8), ("spd", 16), ("blit", 16)])
        self.assertEqual(document["run"]["seed"], 7)
        document, _ = self.replay(recorded, "-s", "compute", "--size", "4x4", "--seed", "1")
        self.assertEqual([(r["strategy"], r["width"]) for r in cli.rows(document)],
                         [("compute", 4)])
        self.assertEqual(document["run"]["seed"], 1)
        document, _ = self.replay(recorded, "pattern:flat:8x8", "-n", "3")
        self.assertEqual({r["input"] for r in cli.rows(document)}, {"pattern:flat:8x8"})
        self.assertEqual({len(r["samples_ns"]) for r in cli.rows(document)}, {3})

    def test_long_clusters_of_short_options(self):
        recorded = copy.deepcopy(self.recorded)
        recorded["run"]["argv"] = ["m", "-" + 2000 * "v", SMALL, "-n1", "-w0", "-sblit",
                                   "--no-roofline"]
        document, _ = self.replay(recorded, "-" + 3000 * "q")
        self.assertEqual(document["run"]["argv"].count("--quiet"), 3000)
        self.assertEqual([r["strategy"] for r in cli.rows(document)], ["blit"])

    def test_bad_command_lines(self):
        recorded = copy.deepcopy(self.recorded)
        for argv, part in (([], "how it was run"), (["m", "--bogus"], "--bogus"),
                           (["m", "-n"], "--samples"), (["m", "compare", "x"], "'compare'"),
                           (["m", "list", "-q"], "'list'")):
            recorded["run"]["argv"] = argv
            self.write("recorded.json", recorded)
            self.assert_error(self.run_it("--replay", "recorded.json"), 3, "recorded.json", part)


if __name__ == "__main__":
    cli.main()
