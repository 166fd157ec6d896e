#!/usr/bin/env python3
"""meson install into a folder of its own: everything is there, and what was installed runs."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import unittest

import cli
import kept_sets

BUILD = pathlib.Path(os.environ["MB_TEST_BUILD"])
FOR_DEVELOPERS = {"setup.sh", "test.sh", "check_style.py", "embed_spirv.py", "optimise_spirv.py"}


class Install(cli.TestCase):
    def setUp(self):
        super().setUp()
        self.command("meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet",
                     "--destdir", str(self.dir / "root"))
        said = self.command("meson", "introspect", "--buildoptions", str(BUILD))
        self.options = {option["name"]: option["value"] for option in json.loads(said)}
        self.prefix = self.dir / "root" / self.options["prefix"].lstrip("/")
        self.bin, self.share, self.man = [self.prefix / self.options[key]
                                          for key in ("bindir", "datadir", "mandir")]

    def command(self, *words, cwd=None):
        done = subprocess.run(words, cwd=cwd or self.dir, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=cli.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def assert_like(self, installed, built):
        self.assertEqual(installed.read_bytes(), built.read_bytes())
        self.assertEqual(stat.S_IMODE(installed.stat().st_mode), 0o644)

    def check_files(self):
        pages = [str(path.relative_to(cli.ROOT)) for path in (cli.ROOT / "doc").glob("*.md")]
        self.assertGreater(len(pages), 8)
        for name in ["CHANGELOG.md", "LICENSE", "README.md", *pages]:
            self.assert_like(self.share / "doc/mipbench" / name, cli.ROOT / name)
        if self.options["man"] != "disabled" and shutil.which("help2man"):
            page = self.man / "man1/mipbench.1"
            self.assert_like(page, BUILD / "doc/mipbench.1")
            text = page.read_text(encoding="utf-8").replace("\\-", "-")
            for word in ("mipbench tune", "--strategy", "VK_DRIVER_FILES"):
                self.assertIn(word, text)

    def check_program(self):
        program = str(self.bin / "mipbench")
        self.assertEqual(self.command(program, "--version"), self.command(cli.BINARY, "--version"))
        self.command(program, "pattern:noise:8x8", "-q", "-n", "3", "-w", "0", "--no-roofline", "-s",
                     "compute", "-o", "out")
        self.assertTrue((self.dir / "out/results.json").is_file())

    def check_scripts(self):
        """Those that read results, and nothing that needs the sources."""
        scripts = self.share / "mipbench"
        names = {path.name for path in scripts.iterdir()}
        self.assertLessEqual({"report.py", "schema.json"}, names)
        self.assertEqual(names & {*FOR_DEVELOPERS, "__pycache__", "meson.build"}, set())
        self.assertLessEqual({f"scripts/{name}" for name in FOR_DEVELOPERS},
                             {str(path.relative_to(cli.ROOT)) for path in (cli.ROOT / "scripts").iterdir()})
        for path in sorted(scripts.glob("*.py")):
            if os.access(path, os.X_OK):
                with self.subTest(script=path.name):
                    self.assertIn("usage:", self.command(sys.executable, "-B", str(path), "--help"))

    def check_drawing(self):
        """What the page and the pictures are made of is there, too."""
        reference = str(kept_sets.SOFTWARE)
        scripts = self.share / "mipbench"
        said = self.command(sys.executable, "-B", str(scripts / "report.py"), reference, "-o",
                            "page.html")
        self.assertEqual(said, "Report: page.html\n")
        self.assertIn("llvmpipe", (self.dir / "page.html").read_text(encoding="utf-8"))
        self.command(sys.executable, "-B", str(scripts / "plot.py"), reference, "-o", "plots",
                     "--only", "time-size", "--format", "svg")
        self.assertTrue((self.dir / "plots/time-size.svg").is_file())

    @unittest.skipIf(cli.IS_EMULATED, "what is installed is run as it is")
    def test_all(self):
        top = {path.name for path in (self.dir / "root").iterdir()}
        self.assertEqual(len(top), 1, top)  # all below the prefix
        self.check_files()
        self.check_program()
        self.check_scripts()
        self.check_drawing()


if __name__ == "__main__":
    if not shutil.which("meson"):
        print("skipped: meson is not on PATH")
        sys.exit(77)
    cli.main()
