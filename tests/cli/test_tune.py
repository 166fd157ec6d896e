#!/usr/bin/env python3
"""mipbench tune: the decision table as JSON and as a C header, and how it is come by."""
import re
import shutil
import signal
import subprocess
import unittest

import cli

FEW = ["-s", "blit,compute", "-n", "6"]

# Prints the strategy for each of the images in its arguments: FORMAT POLICY W H ...
LOOKUP = """
#include "mipbench_tuned.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    for (int i = 1; i + 3 < argc; i += 4) {
        const struct mipbench_tuned *row = mipbench_tuned_find(
            argv[i], "avg", (enum mipbench_tuned_question)atoi(argv[i + 1]),
            (uint32_t)atoi(argv[i + 2]), (uint32_t)atoi(argv[i + 3]));
        printf("%s:%s:%ux%u\\n", row ? row->strategy : "-", row ? row->params : "-",
               row ? row->width : 0u, row ? row->height : 0u);
    }
    return 0;
}
"""
BOX, ANY, KAISER = "0", "1", "2"


def compilers():
    """Those that are there, C and C++, with every warning that a user may have on."""
    found = [(c, "-std=c11", "lookup.c") for c in ("gcc", "clang")]
    found += [(c, "-std=c++11", "lookup.cpp") for c in ("g++", "clang++")]
    return [row for row in found if shutil.which(row[0])]


class Tune(cli.TestCase):
    def tune(self, *args, **options):
        return self.quick("tune", "-o", "out", *args, **options)

    def tuned(self):
        return self.document("out/tune.json", "tune.schema.json")

    def check_case(self, case, finals):
        """What was chosen is a finalist that passed, and no slower than the rule allows."""
        finalists = {f["label"]: f for f in case["finalists"]}
        for choice in case["choices"]:
            chosen, fastest = choice["chosen"], finalists[choice["fastest"]]
            self.assertEqual(chosen, finalists[chosen["label"]])
            chosen_row, fastest_row = (finals[f"{case['id']}/{f['id']}"] for f in (chosen, fastest))
            self.assertEqual(chosen_row["verify"]["status"], "pass")
            self.assertLessEqual(fastest_row["stats"]["median_ns"], chosen_row["stats"]["median_ns"])
            if chosen["label"] != choice["fastest"]:
                self.assertEqual(choice["runner_up"]["label"], choice["fastest"])
                self.assertGreater(choice["tied"], 0)
                self.assertNotEqual(choice["runner_up"]["verdict"], "FASTER")
                self.assertGreaterEqual(choice["runner_up"]["ratio"], 1 / 1.011)
            if choice["question"] == "exact" and (case["width"], case["height"]) == (33, 17):
                self.assertEqual(chosen_row["policy"], "box")

    def look_up(self, compiler, standard, source, queries):
        (self.dir / source).write_text(LOOKUP)
        subprocess.run([compiler, standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                        "-Werror", "-Iout", "-o", "lookup", source], cwd=self.dir, check=True)
        words = [word for query in queries for word in query]
        return subprocess.run([self.dir / "lookup", *words], cwd=self.dir, check=True,
                              stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def check_header(self, document):
        def row(policy, width, power):
            found, = [c for c in document["classes"] if
                      (c["format"], c["question"], c["width"], c["even"]) ==
                      ("rgba8", policy, width, power)]
            return f"{found['label'] if ':' in found['label'] else found['label'] + ':'}:" \
                   f"{found['width']}x{found['height']}"
        nothing = "-:-:0x0"
        queries = {
            ("rgba8", BOX, "16", "16"): row("exact", 16, True),
            ("rgba8", BOX, "1", "1"): row("exact", 16, True),
            ("rgba8", ANY, "64", "64"): row("any", 64, True),
            ("rgba8", BOX, "64", "2"): row("exact", 64, True),  # few texels, but a long edge
            ("rgba8", BOX, "33", "17"): row("exact", 33, False),
            ("rgba8", ANY, "3", "16"): row("any", 33, False),
            ("rgba8", BOX, "34", "17"): nothing,  # beyond what was measured
            ("rgba8", BOX, "128", "64"): nothing,
            ("rgba8", BOX, "0", "16"): nothing,
            ("rgba8", KAISER, "16", "16"): nothing,
            ("r8", BOX, "16", "16"): nothing,
        }
        self.assertTrue(compilers())
        for compiler in [] if cli.IS_EMULATED else compilers():
            self.assertEqual(self.look_up(*compiler, queries), list(queries.values()), compiler)

    def test_decisions(self):
        outcome = self.tune(*FEW, "--size", "64x64,16x16,33x17", "-f", "rgba8,r32f", "--json",
                            "copy.json")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        document = self.tuned()
        finals = {r["id"].rsplit("/", 1)[0]: r
                  for r in self.rows()}
        self.assertEqual((self.dir / "copy.json").read_bytes(),
                         (self.dir / "out/tune.json").read_bytes())
        self.assertEqual(document["task"]["input"], "pattern:noise:64x64")
        self.assertEqual([(c["format"], c["width"]) for c in document["cases"]],
                         [(f, w) for f in ("rgba8", "r32f") for w in (64, 16, 33)])
        for case in document["cases"]:
            self.assertEqual([c["question"] for c in case["choices"]][-1], "any")
            self.assertEqual((case["passes"], case["failed"], case["dropped"]), ([], [], []))
            self.check_case(case, finals)
            exact, most = case["choices"][0], case["choices"][-1]
            is_both = [exact[k]["label"] for k in ("chosen", "runner_up")] == \
                [most[k]["label"] for k in ("chosen", "runner_up")]
            row = f"{case['width']}x{case['height']} +{case['format']} +exact"
            self.assertEqual(bool(re.search(row + ", any", outcome.out.decode())), is_both)
        for crossover in document["crossovers"]:
            self.assertNotEqual(crossover["below"]["label"], crossover["above"]["label"])
            self.assertTrue(16 <= crossover["square_edge"] <= 64, crossover)
        self.check_header(document)
        text = outcome.out.decode()
        for part in ("Chosen", "Median", "Verified", "33x17", "rgba8", "r32f", "out/tune.json"):
            self.assertIn(part, text)
        self.assertEqual("Runner-up" in text, "Relative" in text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_passes(self):
        """More variants than a final takes: most are dropped, and the file says at what ratio."""
        outcome = self.tune("-s", "separable,compute,subgroup", "-n", "6", "--size", "16x16", "-v")
        self.assertEqual(outcome.code, 0, outcome)
        document = self.tuned()
        case, = document["cases"]
        coarse = case["passes"][0]
        self.assertEqual((coarse["name"], coarse["blocks"], coarse["margin_ratio"]),
                         ("coarse", 5, 1.25))
        self.assertEqual(coarse["heats"], -(-coarse["variants"] // 48))
        n_skipped = sum(s["variants"] for s in case["skipped"])
        self.assertEqual(coarse["variants"], document["method"]["variants"] - n_skipped)
        self.assertEqual(len(case["finalists"]) + len(case["dropped"]), coarse["variants"])
        self.assertEqual(case["passes"][-1]["kept"], len(case["finalists"]))
        self.assertGreater(len(case["dropped"]), 0)
        margins = {p["name"]: p["margin_ratio"] for p in case["passes"]}
        for dropped in case["dropped"]:
            is_over = dropped["ratio"] > margins[dropped["pass"]]
            self.assertEqual(dropped["why"], "margin" if is_over else "cap", dropped)
        self.assertIn(b"coarse pass", b" ".join(outcome.out.split()))

    @unittest.skipIf(cli.IS_EMULATED, "subgroups of 4 have other variants")
    def test_what_is_the_same_is_timed_once(self):
        """load=auto is one of sampler and texel, and lanes=auto the one size of subgroups here."""
        self.assertEqual(self.tune("pattern:flat:9x9", "-s", "subgroup").code, 0)
        case, = self.tuned()["cases"]
        same, *others = case["skipped"]
        self.assertEqual((same["strategy"], same["variants"]), ("subgroup", 3))
        self.assertIn("the same commands", same["reason"])
        self.assertEqual([(s["variants"], s["reason"].split("=")[0]) for s in others], [(1, "lanes")] * 3)
        labels = {f["label"] for f in case["finalists"]}
        self.assertEqual(len(labels), 4)
        self.assertTrue({"subgroup", "subgroup:npot=box"} < labels, labels)

    def test_nothing_can_take_part(self):
        outcome = self.tune("pattern:noise:8x8", "-s", "spd:source=separate:wave=off:load=texel")
        self.assert_error(outcome, 5, "8x8 rgba8: no decision, since none of ", " can take part: ",
                          "source=separate: reads level 0 from another image", "--strategy")
        self.assertIn(b"No decisions; what became of each variant: out/tune.json\n", outcome.out)
        self.assertNotIn(b"Decisions:", outcome.out)
        self.assertEqual(self.tuned()["classes"], [])

    def test_narrowed(self):
        """A spec is for all variants but what it fixes; an input has a size of its own."""
        self.assertEqual(self.tune("-s", "compute:npot=box", "pattern:flat:9x9").code, 0)
        case, = self.tuned()["cases"]
        self.assertEqual(sorted(f["label"] for f in case["finalists"]),
                         ["compute", "compute:load=sampler"])
        self.assertIsNone(case["choices"][0]["runner_up"]["ci"])  # three samples have none
        outcome = self.tune("-s", "separable", "-r", "max", "--size", "8x8")
        self.assert_error(outcome, 5, "8x8 rgba8")
        self.assertEqual(self.tuned()["classes"], [])

    def test_levels(self):
        """Policies agree where the levels that are made halve evenly: exact at 34x18 is no answer for 33x17."""
        self.assertEqual(self.tune(*FEW, "--size", "34x18", "--levels", "2").code, 0)
        self.assertEqual({c["even"] for c in self.tuned()["classes"]}, {True})
        queries = [("rgba8", BOX, "34", "18"), ("rgba8", BOX, "2", "2"), ("rgba8", BOX, "33", "17")]
        for compiler in [] if cli.IS_EMULATED else compilers():
            found = [line.rsplit(":", 1)[1] for line in self.look_up(*compiler, queries)]
            self.assertEqual(found, ["34x18", "34x18", "0x0"])

    def test_json_to_stdout(self):
        outcome = self.tune(*FEW, "--size", "8x8", "--json", "-")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(outcome.out, (self.dir / "out/tune.json").read_bytes())
        self.assertIn(b"Chosen", outcome.err)

    def test_interrupted(self):
        """The case that was finished stays; the one that was cut short is not decided."""
        process = self.start("tune", "-q", "--no-roofline", "-o", "out", "-s", "compute:npot=box",
                             "--size", "8x8,512x512", "-n", "300", "-w", "0")
        self.wait_for(lambda: (self.dir / "out/tune.json").is_file() or process.poll() is not None,
                      "finished case")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        document = self.tuned()
        self.assertEqual((document["run"]["complete"], document["run"]["exit_reason"]),
                         (False, "interrupted"))
        self.assertEqual([c["width"] for c in document["classes"]], [8, 8])
        self.assertIn("MIPBENCH_TUNED_COMPLETE 0",
                      (self.dir / "out/mipbench_tuned.h").read_text())
        self.assertEqual([p for p in cli.snapshot(self.dir) if ".tmp" in p], [])


if __name__ == "__main__":
    cli.main()
