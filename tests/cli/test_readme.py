#!/usr/bin/env python3
"""Every mipbench command line of the README's "Use" and of --help's examples runs and verifies, on
small images in place of the reader's own; and what it has scripts do with the reference results."""
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys

import cli

if os.environ.get("MB_TEST_QUICK"):
    print("skipped: the same commands run without sanitizers")
    sys.exit(77)

# A software device is slow: sizes of the examples, and what they become here.
SMALLER = {"4096x4096": "96x96", "4095x4095": "95x95", "1920x1080": "120x67", "1024x1024": "64x64",
           "256:4096": "16:64", "512x512": "32x32", "-n 200": "-n 3",
           "64,64,128,128": "16,16,32,32"}


def commands(text):
    """The words after "mipbench" of each line that begins with it, comments left out."""
    for line in re.findall(r"(?m)^ *mipbench ((?:[^\n#])+)", text):
        for old, new in SMALLER.items():
            line = line.replace(old, new)
        yield shlex.split(line)


class Readme(cli.TestCase):
    def setUp(self):
        super().setUp()
        cli.write_png(self.dir / "photo.png", 64, 64, cli.noise(64 * 64 * 4))
        shutil.copy2(cli.ROOT / "tests/data/sun.hdr", self.dir / "depth.hdr")

    def check_self_test(self):
        """All checks are made and judged; a busy software device may well fail one of them."""
        outcome = self.run_it("--self-test")
        lines = outcome.out.decode("utf-8").splitlines()[1:]
        verdicts = [line.split()[0] for line in lines]
        self.assertGreaterEqual(len(verdicts), 5, outcome)
        self.assertLessEqual(set(verdicts), {"ok", "FAILED"}, outcome)
        self.assertEqual(outcome.code, 1 if "FAILED" in verdicts else 0, outcome)
        if "FAILED" in verdicts:
            self.assert_error(outcome, 1, f"{verdicts.count('FAILED')} of {len(verdicts)} checks")
        else:
            self.assertEqual(outcome.err, b"", outcome)

    @staticmethod
    def further_options(words, is_first):
        """The first command has all strategies, and measures the memory; a software device, which
        compiles each kernel anew, would take minutes to do so for all of them."""
        if words[0] in ("list", "export"):
            return []
        options = ["-n", "3", "-w", "0"] + ([] if is_first else ["--no-roofline"])
        if not is_first and "-s" not in words:
            options += ["-s", "compute" if words[0] == "tune" else "compute,spd"]
        return options

    def check(self, text, at_least):
        seen = 0
        for words in commands(text):
            seen += 1
            with self.subTest(words=words):
                if words == ["--self-test"]:
                    self.check_self_test()
                    continue
                outcome = self.run_it(*words, *self.further_options(words, seen == 1))
                self.assertEqual(outcome.code, 0, outcome)
                self.assertNotIn(b"error", outcome.err)
        self.assertGreaterEqual(seen, at_least)

    def test_use(self):
        readme = (cli.ROOT / "README.md").read_text(encoding="utf-8")
        section, = re.findall(r"(?ms)^## Use\n(.*?)^## ", readme)
        block, = re.findall(r"(?ms)^```sh\n(.*?)^```", section)
        self.check(block, 10)

    def test_scripts(self):
        """The first command of each script that draws results works in a fresh clone."""
        readme = (cli.ROOT / "README.md").read_text(encoding="utf-8")
        (self.dir / "results").mkdir()
        for name in ("scripts", "results/reference"):
            (self.dir / name).symlink_to(cli.ROOT / name)
        for name in ("report", "plot"):
            line = re.search(rf"(?m)^scripts/{name}\.py [^#\n]*", readme)[0]
            if name == "plot" and not importlib.util.find_spec("matplotlib"):
                continue
            with self.subTest(line=line):
                done = subprocess.run(line, cwd=self.dir, shell=True, capture_output=True, text=True,
                                      timeout=cli.TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("error", done.stderr)

    def test_examples_of_help(self):
        text = self.run_it("--help").out.decode("utf-8")
        examples, = re.findall(r"(?ms)^Examples:\n(.*?)\n\n", text)
        self.check(examples, 3)


if __name__ == "__main__":
    cli.main()
