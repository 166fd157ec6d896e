#!/usr/bin/env python3
"""A strategy is one folder and one word: the program with the template's folder, and with it made
wrong. With MB_TEST_FULL a copy of the sources is given the folder and the word, and built.

usage: test_new_strategy.py MIPBENCH_TEMPLATE MIPBENCH_WRONG_TEMPLATE
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import cli

NEEDED = ["meson.build", "meson_options.txt", "src", "strategies", "shaders", "scripts",
          "doc", "CHANGELOG.md", "LICENSE", "README.md"]


class NewStrategy(cli.TestCase):
    def command(self, *words):
        done = subprocess.run(words, cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def copy_sources(self, tree):
        """What builds the program; its tests are not part of that."""
        tree.mkdir()
        for name in NEEDED:
            source = cli.ROOT / name
            if source.is_dir():
                shutil.copytree(source, tree / name,
                                ignore=shutil.ignore_patterns("__pycache__", "build*"))
            else:
                shutil.copy2(source, tree / name)
        (tree / "results").mkdir()
        shutil.copy2(cli.ROOT / "results/schema.json", tree / "results")
        (tree / "tests").mkdir()
        (tree / "tests/meson.build").write_text("")

    @staticmethod
    def register(tree, name):
        shutil.copytree(cli.ROOT / "tests/cli/template_strategy", tree / "strategies" / name)
        registry = tree / "strategies/meson.build"
        text, n_changes = re.subn(r"(?m)^(strategies = \[.*)\]$", rf"\1, '{name}']",
                                  registry.read_text())
        assert n_changes == 1, "strategies/meson.build has no list of one line"
        registry.write_text(text)

    @unittest.skipUnless(os.environ.get("MB_TEST_FULL"), "builds the program once more")
    def test_registration(self):
        tree, build = self.dir / "tree", self.dir / "build"
        self.copy_sources(tree)
        self.register(tree, "template")
        self.command("meson", "setup", "-Dbuildtype=debug", build, tree)
        self.command("ninja", "-C", build, "mipbench")
        self.command(sys.executable, tree / "scripts/check_layers.py", tree)
        listed = json.loads(self.command(build / "mipbench", "list", "strategies", "--json"))
        self.assertEqual(listed["strategies"][-1]["name"], "template")

    def test_template(self):
        cli.BINARY = TEMPLATE
        listed = json.loads(self.run_it("list", "strategies", "--json").out)["strategies"]
        self.assertEqual(listed[-1]["name"], "template")
        for size in ["33x17", "1x1", "64x64", "1x9"]:
            with self.subTest(size=size):
                self.good(f"pattern:noise:{size}", "-s", "template", "-o", "out")
                result, = self.rows()
                self.assertEqual((result["strategy"], result["status"]), ("template", "ok"))
                self.assertEqual(result["verify"]["status"], "pass")
                if result["levels"] > 1:
                    self.assertEqual(result["policy"], "floor")
        for args in [["-r", "min"], ["--srgb"], ["--alpha", "premultiplied", "--layers", "2"],
                     ["-f", "rg11b10f", "-r", "max"]]:
            self.good("pattern:noise:33x17", "-s", "template", "-o", "out", *args)
        outcome = self.quick("pattern:noise:8x8", "-s", "template", "-o", "out", "--rect", "0,0,1,1")
        self.assertEqual(outcome.code, 5, outcome)
        self.assertEqual(self.quick("pattern:noise:33x17", "-o", "out").code, 0)

    def test_wrong_template(self):
        """A strategy that fails is told, has pictures of its errors, and no chain file."""
        cli.BINARY = WRONG_TEMPLATE
        outcome = self.run_it("pattern:noise:16x16", "-n", "3", "-w", "0", "--no-roofline", "-s",
                              "template,compute", "--chain", "ktx2,dds", "-o", "wrong")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn(b"note: template: no chain file: only verified chains are written\n", outcome.out)
        wrong, right = self.rows("wrong/results.json")
        self.assertEqual((wrong["verify"]["status"], wrong["chains"]), ("fail", []))
        self.assertIn("chain_not_written", [w["code"] for w in wrong["warnings"]])
        self.assertIn("error_01.png", {image.rsplit("/", 1)[1] for image in wrong["images"]})
        written = {str(p.relative_to(self.dir / "wrong")) for p in (self.dir / "wrong").rglob("chain.*")}
        self.assertEqual(len(right["chains"]), 2)
        self.assertEqual(written, set(right["chains"]))


if __name__ == "__main__":
    TEMPLATE, WRONG_TEMPLATE = (cli.runnable(os.path.abspath(path)) for path in (sys.argv[1], sys.argv.pop(2)))
    cli.main()
