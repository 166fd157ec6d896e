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

    def cases(self):
        """Of the decisions' results, by id: each row under its variant's."""
        return {case["id"]: {row["variant"]: row for row in case["timings"][0]["rows"]}
                for case in self.document()["cases"]}

    def check_class(self, it, rows, variants):
        """What was chosen passed, and is no slower than the rule allows."""
        chosen, fastest = rows[it["variant"]], rows[it["fastest"]]
        self.assertEqual(variants[it["variant"]]["verify"]["status"], "pass")
        self.assertIn(it["question"], variants[it["variant"]]["answers"])
        self.assertEqual(chosen["stats"], it["stats"])
        self.assertLessEqual(fastest["stats"]["median_ns"], chosen["stats"]["median_ns"])
        if it["variant"] != it["fastest"]:
            self.assertEqual(it["runner_up"]["variant"], it["fastest"])
            self.assertNotEqual(it["runner_up"]["relative"]["verdict"], "SLOWER")
            self.assertGreaterEqual(it["runner_up"]["relative"]["ratio"], 0.99)
        if it["question"] == "exact" and (it["width"], it["height"]) == (33, 17):
            self.assertEqual(variants[it["variant"]]["policy"], "box")

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
                      (c["format"], c["question"], c["width"], c["power_of_two"]) ==
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
        rows = self.cases()
        variants = {case["id"]: {it["id"]: it for it in case["variants"]}
                    for case in self.document()["cases"]}
        self.assertEqual((self.dir / "copy.json").read_bytes(),
                         (self.dir / "out/tune.json").read_bytes())
        self.assertEqual(document["task"]["input"], "pattern:noise:64x64")
        self.assertEqual([(c["format"], c["width"]) for c in self.document()["cases"]],
                         [(f, w) for f in ("rgba8", "r32f") for w in (64, 16, 33)])
        self.assertEqual(len(document["classes"]), 2 * 6)
        for it in document["classes"]:
            self.check_class(it, rows[it["case"]], variants[it["case"]])
        for case in rows:
            self.assertEqual({row["status"] for row in rows[case].values()}, {"ok"})
            exact, most = (it for it in document["classes"] if it["case"] == case)
            is_both = all((exact[k] or {}).get("variant") == (most[k] or {}).get("variant")
                          if k == "runner_up" else exact[k] == most[k]
                          for k in ("variant", "runner_up", "max_texels"))
            row = f"{exact['width']}x{exact['height']} +{exact['format']} +exact"
            self.assertEqual(bool(re.search(row + ", any", outcome.out.decode())), is_both)
            self.assertTrue(exact["width"] * exact["height"] <= exact["max_texels"] <= 64 * 64, exact)
        self.check_header(document)
        text = outcome.out.decode()
        for part in ("Chosen", "Median", "Verified", "33x17", "rgba8", "r32f", "out/tune.json"):
            self.assertIn(part, text)
        self.assertEqual("Runner-up" in text, "Ratio" in text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_pass(self):
        """More variants than a final takes: most are left out, and their rows say at what ratio."""
        outcome = self.tune("-s", "separable,compute,subgroup", "-n", "6", "--size", "16x16")
        self.assertEqual(outcome.code, 0, outcome)
        rows, = self.cases().values()
        self.assertGreater(len(rows), 24)
        left_out = [row for row in rows.values() if row["status"] == "skipped"]
        self.assertTrue(0 < len(left_out) < len(rows))
        for row in left_out:
            ratio = re.fullmatch(r"not in the final: (\S+)x slower than the best in the first pass",
                                 row["reason"])
            self.assertGreater(float(ratio[1]), 1.0, row)
            self.assertIsNone(row["stats"])
        self.assertEqual({it["question"] for it in self.tuned()["classes"]},
                         {"exact", "any", "kaiser", "lanczos", "gaussian", "gaussian16"})

    def test_wrong_and_fast(self):
        """What writes nothing is ahead of all others in the pass; in the final it is found out, and those
        it had kept out are let in."""
        for path in (cli.ROOT / "tests/lies").iterdir():
            (self.dir / path.name).write_text(
                path.read_text().replace('"stores = level != 2;"', '"return;"'))
        outcome = self.tune("--kernel", "lies.json", "-s", "separable,compute,lies:lie=unwritten-level",
                            "--size", "128x128", "-n", "3")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn(b"\nFAILED: lies:lie=unwritten-level on pattern:noise:128x128, 128x128 rgba8: wrong",
                      outcome.out)
        rows, = self.cases().values()
        self.assertGreater(len(rows), 24)
        exact = self.tuned()["classes"][0]
        self.assertEqual((exact["question"], exact["strategy"]), ("exact", "compute"))

    @unittest.skipIf(cli.IS_EMULATED, "subgroups of 4 have other variants")
    def test_what_is_the_same_is_timed_once(self):
        """load=auto is one of sampler and texel, and lanes=auto the one size of subgroups here."""
        self.assertEqual(self.tune("pattern:flat:9x9", "-s", "subgroup").code, 0)
        rows, = self.cases().values()
        self.assertEqual(len(rows), 4)
        self.assertTrue({"subgroup", "subgroup_npot-box"} < set(rows), rows)

    def test_nothing_can_take_part(self):
        outcome = self.tune("pattern:noise:8x8", "-s", "spd:source=separate:wave=off:load=texel")
        self.assert_error(outcome, 5, "source=separate: reads level 0 from another image")
        self.assertIn(b"No decisions: out/tune.json\n", outcome.out)
        self.assertNotIn(b"Decisions:", outcome.out)
        self.assertEqual(self.tuned()["classes"], [])

    def test_narrowed(self):
        """A spec is for all variants but what it fixes; an input has a size of its own."""
        self.assertEqual(self.tune("-s", "compute:npot=box", "pattern:flat:9x9").code, 0)
        rows, = self.cases().values()
        self.assertEqual(set(rows), {"compute", "compute_load-sampler"})
        relative = self.tuned()["classes"][0]["runner_up"]["relative"]
        self.assertEqual(relative["ci"], [None, None])  # three samples have none
        outcome = self.tune("-s", "separable", "-r", "max", "--size", "8x8")
        self.assert_error(outcome, 5, "separable: ")
        self.assertEqual(self.tuned()["classes"], [])

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
