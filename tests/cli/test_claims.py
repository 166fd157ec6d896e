#!/usr/bin/env python3
"""scripts/claims.py: planted effects are judged for what they are, and what cannot be judged is
said. usage: test_claims.py MIPBENCH"""
import json
import math

import claims_fixture
import cli
import kept_sets
import claims
import claims_data
import claims_list
import results


class ClaimsCase(claims_fixture.TestCase):
    def report(self, *arguments):
        """The JSON over the files of the test's folder."""
        outcome = self.claims(self.dir, "-o", self.dir / "out", *arguments)
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, "", ""), outcome)
        return json.loads((self.dir / "out" / "claims.json").read_text(encoding="utf-8"))

    def line(self, name, *arguments):
        lines = [line for line in self.report(*arguments)["claims"] if line["id"] == name]
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def plant(self, ratio, faster="spd:wave=quad", other="spd:wave=off", run_id="a", noise=0.002,
              **condition):
        file = claims_fixture.File(run_id, noise=noise)
        file.row(other, 10000, **condition)
        file.row(faster, 10000 * ratio, **condition)
        file.write(self.dir)
        return file

    def assert_near(self, line, value, tolerance=0.01):
        self.assertAlmostEqual(line["value"], value, delta=tolerance * value)
        self.assertLessEqual(line["ci"][0], line["value"])
        self.assertGreaterEqual(line["ci"][1], line["value"])


class Parameters(ClaimsCase):
    def test_planted(self):
        """Though blocks drift by more."""
        for ratio, condition, verdict, seen in (
                (0.97, {}, "holds", ""), (1.0, {}, "does not", "the same within 1 %"),
                (1.06, {}, "does not", "the other way, by "), (1.01, {}, "does not", "no gain of 1 %"),
                (0.995, {}, "does not", "the same within 1 %"),
                (0.98, {"noise": 0.15}, "within noise", ""),
                (0.5, {"n_blocks": 5}, "within noise", ""),  # too few for an interval
                (0.97, {"margin": 0.05}, "does not", "")):  # that of the control
            with self.subTest(ratio, **condition):
                self.plant(ratio, **condition)
                line = self.line("wave")
                self.assertEqual((line["verdict"], line["run"]), (verdict, None))
                self.assertTrue(line["seen"].startswith(seen), line["seen"])
                self.assertEqual(line["measured"], "spd:wave=quad / spd:wave=off")
                self.assertEqual(line["ci"] is None, "n_blocks" in condition)
                self.assertEqual(line["margin"], condition.get("margin", 0.01))
                if not condition:
                    self.assert_near(line, ratio)

    def test_every_parameter_is_told_apart(self):
        cases = {"order": ("spd:wave=off:order=morton", "spd:wave=off:order=linear"),
                 "load": ("spd:load=sampler", "spd:load=texel"),
                 "fp16": ("spd:fp16=on", "spd:fp16=off"),
                 "lds-split": ("spd:wave=off:lds=split", "spd:wave=off:lds=vec4"),
                 "lds-packed": ("spd:wave=off:lds=packed", "spd:wave=off:lds=vec4"),
                 "counter": ("spd:counter=self", "spd:counter=host")}
        for index, (name, (faster, other)) in enumerate(cases.items()):
            file = self.plant(0.9 - 0.05 * index, faster, other, run_id=name)
            self.assertEqual(len(file.rows), 2)
        lines = {line["id"]: line for line in self.report()["claims"]}
        for index, name in enumerate(cases):
            self.assertEqual(lines[name]["verdict"], "holds", name)
            self.assert_near(lines[name], 0.9 - 0.05 * index)

    def test_only_one_parameter_differs(self):
        self.plant(0.9, "spd:fp16=on:wave=off", "spd:fp16=off")
        self.assertEqual(self.line("fp16")["verdict"], "not measured")

    def test_order_is_judged_without_wave_operations(self):
        self.plant(0.9, "spd:order=morton", "spd:order=linear")
        line = self.line("order")
        self.assertEqual(line["verdict"], "not measured")
        self.assertIn("-s spd:wave=off:order=linear", line["run"])

    def test_the_simplest_pair_is_taken(self):
        file = self.plant(0.9)
        file.row("spd:wave=off:load=texel", 10000)
        file.row("spd:load=texel", 20000)
        file.write(self.dir)
        self.assert_near(self.line("wave"), 0.9)

    def test_runs_are_joined(self):
        for index in range(5):
            self.plant(0.95, run_id=f"run-{index}")
        line = self.line("wave")
        self.assertEqual((line["verdict"], line["runs"], line["samples"]), ("holds", 5, 400))

    def test_rows_of_two_files_are_no_pair(self):
        for run_id, label in (("a", "spd:wave=quad"), ("b", "spd:wave=off")):
            file = claims_fixture.File(run_id)
            file.row(label, 10000)
            file.write(self.dir)
        self.assertEqual(self.line("wave")["verdict"], "not measured")

    def test_slices_take_layers(self):
        self.plant(0.8, "spd:slices=one", "spd:slices=each", layers=6)
        line = self.line("slices")
        self.assertEqual((line["verdict"], line["condition"]["layers"]), ("holds", 6))
        self.plant(0.8, "spd:slices=one", "spd:slices=each")
        self.assertEqual(self.line("slices")["verdict"], "not measured")


class Shares(ClaimsCase):
    def plant_tail(self, share, noise=0.001):
        self.plant(1 - share, "spd:parts=no-tail", "spd", noise=noise)

    def test_the_tail_of_a_single_pass(self):
        for share, verdict, seen in ((0.02, "holds", ""), (0.11, "does not", "more"),
                                     (0.002, "does not", "less")):
            with self.subTest(share):
                self.plant_tail(share)
                line = self.line("few-single-pass")
                self.assertEqual((line["verdict"], line["seen"]), (verdict, seen))
                self.assertAlmostEqual(line["value"], share, delta=0.002)

    def test_a_noisy_tail(self):
        self.plant_tail(0.02, noise=0.1)
        self.assertEqual(self.line("few-single-pass")["verdict"], "within noise")

    def plant_steps(self, n_runs, small_ns):
        """1024x1024: levels 5 to 10 are of at most 1024 texels."""
        for index in range(n_runs):
            file = claims_fixture.File(f"run-{index}")
            steps = [2500.0 + index] * 4 + [float(small_ns)] * 6
            file.row("compute", 13000, steps=steps)
            file.write(self.dir)

    def test_small_levels_of_one_dispatch_each(self):
        for small_ns, verdict in ((333, "holds"), (3000, "does not")):
            with self.subTest(small_ns):
                self.plant_steps(3, small_ns)
                line = self.line("few-per-level")
                self.assertEqual((line["verdict"], line["runs"]), (verdict, 3))
                self.assertAlmostEqual(line["value"], 6 * small_ns / (6 * small_ns + 10000),
                                       delta=0.001)

    def test_runs_that_differ(self):
        for index, small_ns in enumerate((100, 333, 900)):
            file = claims_fixture.File(f"run-{index}")
            file.row("compute", 13000, steps=[2500.0] * 4 + [float(small_ns)] * 6)
            file.write(self.dir)
        self.assertEqual(self.line("few-per-level")["verdict"], "within noise")

    def test_one_run_has_no_interval(self):
        self.plant_steps(1, 333)
        line = self.line("few-per-level")
        self.assertEqual((line["verdict"], line["ci"]), ("within noise", None))
        self.assertIn("one run has no interval", line["notes"])

    def test_another_cache_of_the_stamps_is_said(self):
        file = claims_fixture.File("a")
        file.row("compute", 13000, steps=[2500.0] * 10)
        file.write(self.dir)
        self.assertIn("stamped with a hot cache", self.line("few-per-level")["notes"])

    def test_what_few_means_is_a_choice(self):
        self.plant_steps(3, 2500)
        self.assertAlmostEqual(self.line("few-per-level")["value"], 0.6, delta=0.001)
        self.assertAlmostEqual(self.line("few-per-level", "--few", "1")["value"], 0.1,
                               delta=0.001)

    def test_steps_that_were_not_timed(self):
        file = claims_fixture.File("a")
        row = file.row("compute", 13000, steps=[2500.0] * 10)
        row.variant["steps"][3]["median_ns"] = None
        file.write(self.dir)
        self.assertEqual(self.line("few-per-level")["verdict"], "not measured")

    def plant_twins(self, spd_ns):
        file = claims_fixture.File("a")
        for label, time, twin in (("spd", 10000, spd_ns), ("compute", 20000, 8000)):
            file.row(label, time, twin_ns=twin)
        file.write(self.dir)

    def test_barriers_by_null_twins(self):
        for spd_ns, verdict in ((1000, "holds"), (4000, "does not"), (6000, "does not")):
            with self.subTest(spd_ns):
                self.plant_twins(spd_ns)
                line = self.line("barriers")
                self.assertEqual(line["verdict"], verdict)
                self.assertAlmostEqual(line["value"], spd_ns / 10000 / 0.4)


class AcrossFiles(ClaimsCase):
    def plant_runs(self, n_runs, ratio, options, label, rect=None):
        for index in range(n_runs):
            base = claims_fixture.File(f"base-{index}", noise=0.0005)
            special = claims_fixture.File(f"special-{index}", noise=0.0005, **options)
            for file, time, part in ((base, 10000, None), (special, 10000 * ratio, rect)):
                row = file.row(label, time, rect=part)
                row.column["durations_ns"] = [time * math.exp(file.rng.gauss(0, 0.001))
                                              for _ in row.column["durations_ns"]]
                file.write(self.dir)

    def test_a_rectangle_against_the_whole(self):
        self.plant_runs(5, 0.4, {}, "spd", rect=(64, 64, 128, 128))
        line = self.line("rect")
        self.assertEqual((line["verdict"], line["margin"], line["runs"]), ("holds", 0.01, 10))
        self.assert_near(line, 0.4)
        self.assertIn("update of 128x128", line["measured"])

    def test_few_runs_have_a_wider_margin(self):
        self.plant_runs(1, 0.985, {}, "spd", rect=(0, 0, 64, 64))
        line = self.line("rect")
        self.assertEqual((line["verdict"], line["margin"]), ("does not", 0.02))
        self.plant_runs(5, 0.985, {}, "spd", rect=(0, 0, 64, 64))
        self.assertEqual(self.line("rect")["verdict"], "holds")

    def test_storage_usage(self):
        self.plant_runs(5, 0.9, {"image_usage": "needed"}, "blit")
        line = self.line("storage-usage")
        self.assertEqual(line["verdict"], "holds")
        self.assert_near(line, 0.9)
        self.plant_runs(5, 0.9, {}, "blit")
        line = self.line("storage-usage")
        self.assertEqual(line["verdict"], "not measured")
        self.assertIn("--image-usage needed", line["run"])

    def test_other_claims_take_the_default_usage(self):
        file = claims_fixture.File("a", image_usage="needed")
        file.row("spd:wave=quad", 9000)
        file.row("spd:wave=off", 10000)
        file.write(self.dir)
        self.assertEqual(self.line("wave")["verdict"], "not measured")

    def plant_modes(self, mode, spd, compute, alone="latency", fixed_ns=0):
        """Chains of 10 us; in batches of throughput mode `fixed_ns` more for all of them."""
        file = claims_fixture.File("a")
        for label, gain in (("spd", spd), ("compute", compute)):
            per_chain_ns = 10000 + fixed_ns / 4
            for row, time in ((file.row(label, 1, mode=alone), 10000),
                              (file.row(label, 1, mode=mode), per_chain_ns * gain)):
                column = row.column
                column["durations_ns"] = [time * math.exp(file.rng.gauss(0, 0.002))
                                          for _ in column["durations_ns"]]
                if alone == "throughput" and time == 10000:
                    row.figures.update(chains=[6, 12, 24], fixed_ns=fixed_ns)
                    column["parts_ns"] = [[fixed_ns + n * slope for n in (6, 12, 24)]
                                          for slope in column["durations_ns"]]
        return file

    def lines_of_modes(self, *arguments, **options):
        self.plant_modes(*arguments, **options).write(self.dir)
        return {line["id"]: line for line in self.report()["claims"]}

    def test_overlap(self):
        lines = self.lines_of_modes("overlap", 0.7, 0.9, alone="throughput", fixed_ns=8000)
        self.assertEqual(lines["overlap"]["verdict"], "holds")
        self.assert_near(lines["overlap"], 0.7)
        self.assertIn("4 chains", lines["overlap"]["measured"])
        self.assertEqual(lines["overlap-compute"]["verdict"], "holds")
        self.assert_near(lines["overlap-compute"], 0.7 / 0.9)
        self.assertIn("spd takes 0.70 x, compute 0.90 x", lines["overlap-compute"]["measured"])
        self.assertEqual(lines["beside"]["verdict"], "not measured")
        self.assertIn("--mode latency,beside", lines["beside"]["run"])

    def test_chains_that_merely_follow_each_other_do_not_overlap(self):
        lines = self.lines_of_modes("overlap", 1.0, 1.0, alone="throughput", fixed_ns=8000)
        self.assertEqual((lines["overlap"]["verdict"], lines["overlap"]["seen"]),
                         ("does not", "no gain"))
        self.assertEqual(lines["overlap-compute"]["seen"], "the same within 1 %")

    def test_overlap_is_not_judged_by_latency_or_without_batches(self):
        lines = self.lines_of_modes("overlap", 0.7, 0.9)
        self.assertEqual(lines["overlap"]["verdict"], "not measured")
        self.assertIn("--mode all", lines["overlap"]["run"])
        file = self.plant_modes("overlap", 0.7, 0.9, alone="throughput")
        for row in file.rows:
            row.figures.pop("chains", None)
        file.write(self.dir)
        self.assertEqual(self.line("overlap")["verdict"], "not measured")

    def test_beside_other_work(self):
        line = self.lines_of_modes("beside", 1.5, 1.2)["beside"]
        self.assertEqual(line["verdict"], "does not")
        self.assertRegex(line["seen"], r"\Athe other way, by 2[45]\.\d %\Z")
        self.assert_near(line, 1.25)


class WhatIsUsed(ClaimsCase):
    def test_wrong_rows_are_not_used_and_listed(self):
        file = claims_fixture.File("a")
        file.row("spd:fp16=off", 10000)
        file.fail("spd:fp16=on", 5000, "level 3 is wrong")
        file.write(self.dir)
        report = self.report()
        line = next(line for line in report["claims"] if line["id"] == "fp16")
        self.assertEqual(line["verdict"], "not measured")
        self.assertEqual(line["notes"], ["spd:fp16=on: failed: level 3 is wrong"])
        self.assertEqual(report["unused"], [
            {"strategy": "spd:fp16=on", "reason": "failed: level 3 is wrong", "rows": 1}])
        self.assertIn("level 3 is wrong",
                      (self.dir / "out" / "claims.md").read_text(encoding="utf-8"))

    def test_unverified_and_validated_times_are_not_used(self):
        file = self.plant(0.5)
        for row in file.rows:
            row.variant["verify"]["status"] = "skipped"
        file.write(self.dir)
        line = self.line("wave")
        self.assertEqual(line["verdict"], "not measured")
        self.assertIn("spd:wave=quad: not verified", line["notes"])
        file = self.plant(0.5)
        file.root["run"]["validate"] = True
        file.write(self.dir)
        self.assertIn("spd:wave=quad: timed under the validation layer", self.line("wave")["notes"])

    def test_times_that_are_none_are_not_used(self):
        file = self.plant(0.5)
        file.rows[0].column["durations_ns"][7] = None
        file.write(self.dir)
        self.assertEqual(self.line("wave")["verdict"], "not measured")

    def test_the_published_condition_is_judged_first(self):
        file = claims_fixture.File("a")
        for size, cache, ratio in ((1024, "cold", 0.7), (4096, "hot", 0.8), (4096, "cold", 0.9)):
            file.row("spd:wave=off", 10000, size=size, cache=cache)
            file.row("spd:wave=quad", 10000 * ratio, size=size, cache=cache)
        file.write(self.dir)
        self.assert_near(self.line("wave"), 0.9)
        self.assert_near(self.line("wave", "--cache", "hot"), 0.8)
        self.assert_near(self.line("wave", "--size", "1024x1024"), 0.7)
        self.assertEqual(self.line("wave", "--size", "64x64")["verdict"], "not measured")
        every = [line for line in self.report("--all")["claims"] if line["id"] == "wave"]
        self.assertEqual(len(every), 3)

    def test_a_software_device_is_labelled(self):
        file = claims_fixture.File("a", type="cpu")
        file.row("spd:wave=quad", 9000)
        file.row("spd:wave=off", 10000)
        file.write(self.dir)
        outcome = self.claims(self.dir)
        self.assertIn("nothing here says anything about a GPU", outcome.out)
        self.assertIn("GPU of the test (software)", outcome.out)
        self.plant(0.9)
        self.assertNotIn("software", self.claims(self.dir).out)

    def test_the_table_has_a_line_for_each_claim(self):
        self.plant(0.9)
        rows = [line for line in self.claims(self.dir).out.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 2 + 16)
        self.assertTrue(all(row.replace("\\|", "").count("|") == 7 for row in rows), rows)
        self.assertEqual(sum("not measured: run `mipbench" in row for row in rows), 15)

    def test_it_is_repeatable_beside_its_own_output(self):
        self.plant(0.9)
        outcomes = []
        for _ in range(2):
            self.assertEqual(self.claims(self.dir, "-o", self.dir).code, 0)
            outcomes.append((self.dir / "claims.json").read_bytes())
        self.assertEqual(*outcomes)


class BadInput(ClaimsCase):
    def assert_refused(self, code, *parts, arguments=None):
        outcome = self.claims(*(arguments or [self.dir]))
        self.assertEqual((outcome.code, outcome.out), (code, ""), outcome)
        self.assertRegex(outcome.err, r"\Aclaims: error: [^\n]*\n\Z")
        for part in parts:
            self.assertIn(part, outcome.err)

    def test_one_set_is_of_one_device_and_of_different_runs(self):
        self.plant(0.9)
        other = claims_fixture.File("b", name="Another")
        other.row("spd", 1000)
        path = other.write(self.dir)
        self.assert_refused(3, "b.json", "one set is of one device")
        path.unlink()
        self.plant(0.9).write(self.dir, "again")
        self.assert_refused(3, "again.json", "the same run as")

    def test_an_empty_folder(self):
        self.assert_refused(3, "no .json file")

    def test_wrong_command_lines(self):
        for arguments in (["--size", "4096"], ["--cache", "warm"], ["--few", "-1"], ["--nope"],
                          ["--seed", "x"]):
            self.assert_refused(2, "--help", arguments=[self.dir, *arguments])
        self.assert_refused(2, "no result file and no folder given", arguments=["--all"])


class Statistics(ClaimsCase):
    def test_as_mipbench_computes_them(self):
        """Ratios to the fastest row, and their intervals, of a kept result set."""
        path = kept_sets.GPU_MODES
        said, pairs = [], []
        for timing in results.Run(path, path.read_text(encoding="utf-8")).timings:
            is_wanted = timing.mode == "latency" and timing.rankings
            names = [timing.verdict().fastest] if is_wanted else []
            for fastest, row in ((a, b) for a in timing.rows for b in timing.rows
                                 if a.label in names and b is not a and b.relative.is_drawable()):
                said.append(row.relative)
                pairs.append(claims_list.product(claims_list.paired([(row, fastest)])))
        figures = claims_data.estimate(pairs, claims.parse_options([str(path)]))
        self.assertGreater(len(figures), 20)
        for figure, relative in zip(figures, said):
            self.assertAlmostEqual(figure.value / relative.ratio, 1, delta=1e-5) # of six digits
            for ours, theirs in zip(figure.ci, relative.ci):
                self.assertAlmostEqual(ours, theirs, delta=0.01 * theirs)


class RealResults(ClaimsCase):
    def test_the_kept_set_is_what_its_runs_say(self):
        folder = kept_sets.CLAIMS
        options = claims.parse_options([str(folder)])
        made = claims.make_report(claims_data.ResultSet(options.inputs), options)
        kept = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
        self.assertEqual(claims.markdown(kept),
                         (folder / "claims.md").read_text(encoding="utf-8"))
        self.assertEqual(made["files"], kept["files"])
        self.assertEqual(len(kept["claims"]), len(made["claims"]))
        for ours, theirs in zip(made["claims"], kept["claims"]):
            for low_or_high in zip(ours.pop("ci"), theirs.pop("ci")):
                self.assertAlmostEqual(*low_or_high, places=9)
            self.assertEqual(ours, theirs)

    def test_what_mipbench_writes_is_read(self):
        outcome = self.quick("pattern:noise:128x128", "-d", "cpu", "-s", "compute", "-s",
                             "spd,spd:wave=quad", "-s", "spd:wave=off", "-s", "spd:parts=no-tail",
                             "--per-level", "--images", "none", "-o", "out", "--json", "real.json")
        self.assertEqual(outcome.code, 0, outcome)
        page = self.claims("real.json").out
        self.assertIn("spd:wave=quad / spd:wave=off, 128x128 rgba8 avg hot", page)
        self.assertIn("1 - spd:parts=no-tail / spd", page)
        self.assertIn("levels of at most 1024 texels", page)


if __name__ == "__main__":
    cli.main()
