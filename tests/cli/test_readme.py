#!/usr/bin/env python3
"""Every command line of the README's shell blocks and of --help's examples runs, on small images
and sets in place of the reader's own; those that do not are named here with the reason."""
import importlib.util
import json
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
           "64,64,128,128": "16,16,32,32", "3840x2160": "60x34",
           # Hundreds of kernels, each compiled anew.
           "spd,spd-tree:wave=off": "blit,raster:load=texel"}

# What is not run, by how it begins, and where else it is.
NOT_RUN = {
    "scripts/run.sh": "builds anew, as the CI does before this",
    "scripts/test.sh": "runs this test",
    "scripts/reference.sh": "takes minutes on a device of its own; tests/lint/test_reference.py",
    "scripts/claims.sh": "takes minutes on a device of its own; test_claims_script.py",
    "scripts/claims.py": "takes as long as the rest; test_claims.py, on the same folder",
    "sudo apt-get": "changes the system; tests/lint/test_setup.py",
    "meson setup": "this runs in what it has made", "ninja -C": "the same",
    "sudo meson install": "test_install.py",
    "cd mips && cc": "test_export.py, which knows where the headers are",
}
FURTHER = {"scripts/plot.py": ["--format=svg", "--only=time-size"]}


def small(line):
    for old, new in SMALLER.items():
        line = line.replace(old, new)
    return line


def blocks():
    readme = (cli.ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"(?ms)^```sh\n(.*?)^```", readme)


def is_use(block):
    """That of the section "Use", the longest: each of its commands is one of mipbench."""
    return block.startswith("mipbench ") and "--self-test" in block


def commands(text):
    """The words after "mipbench" of each line that begins with it, comments left out."""
    for line in re.findall(r"(?m)^ *mipbench ((?:[^\n#])+)", text):
        yield shlex.split(small(line))


class Readme(cli.TestCase):
    def setUp(self):
        super().setUp()
        cli.write_png(self.dir / "photo.png", 64, 64, cli.noise(64 * 64 * 4))
        shutil.copy2(cli.ROOT / "tests/data/sun.hdr", self.dir / "depth.hdr")
        (self.dir / "photos").mkdir()
        for name in ("img2.png", "img10.png"):
            shutil.copy(self.dir / "photo.png", self.dir / "photos" / name)

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
        if words[0] in ("list", "export", "compare", "inspect"):
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
        block, = [block for block in blocks() if is_use(block)]
        self.check(block, 10)

    def make_results(self):
        """What the examples take for the reader's: one run, and copies of it as other runs."""
        outcome = self.quick("photo.png", "--size", "16x16,32x32", "-s", "compute,spd", "-n", "6",
                             "-o", "results/first")
        self.assertEqual(outcome.code, 0, outcome)
        root = json.loads((self.dir / "results/first/results.json").read_text(encoding="utf-8"))
        files = [f"{name}/results.json" for name in ("before", "after", "here", "there", "a", "b")]
        for name in files + [f"{side}{number}.json" for side in "ab" for number in range(1, 6)]:
            root["run"]["id"] = name.replace("/", "-")
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).write_text(json.dumps(root), encoding="utf-8")
        (self.dir / "scripts").symlink_to(cli.ROOT / "scripts")
        (self.dir / "results/reference").symlink_to(cli.ROOT / "results/reference")

    def run_script(self, words):
        """By the Python of this test; pictures only where that has matplotlib."""
        if words[0].endswith("plot.py") and not importlib.util.find_spec("matplotlib"):
            return
        names = [name for word in words[1:] for name in
                 (sorted(map(str, self.dir.glob(word))) if "*" in word else [word])]
        further = [word for word in FURTHER.get(words[0], [])
                   if word.partition("=")[0] not in words]
        done = subprocess.run([sys.executable, "-B", words[0], *names, *further], cwd=self.dir,
                              capture_output=True, timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn(b"error", done.stderr)
        self.assertNotEqual(done.stdout, b"")

    def run_line(self, line):
        """Whether it was run."""
        words = shlex.split(line, comments=True)
        if any(line.startswith(begin) for begin in NOT_RUN):
            return False
        if words[0].endswith("mipbench"):
            outcome = self.run_it(*words[1:], *self.options_of(words[1:]))
            self.assertEqual(outcome.code, 0, outcome)
            self.assertNotIn(b"error", outcome.err)
        else:
            self.run_script(words)
        return True

    def options_of(self, words):
        return [] if words[0] in ("compare", "--replay") else self.further_options(words, False)

    def test_other_blocks(self):
        self.make_results()
        lines = [small(line) for block in blocks() if not is_use(block)
                 for line in re.sub(r"\\\n\s*", " ", block).splitlines()]
        n_run = 0
        for line in lines:
            with self.subTest(line=line):
                n_run += self.run_line(line)
        self.assertGreater(n_run, 8)
        for begin in NOT_RUN:
            self.assertTrue(any(line.startswith(begin) for line in lines), begin)

    def test_examples_of_help(self):
        self.make_results()
        texts = [self.run_it("help", verb).out.decode("utf-8") for verb in cli.VERBS[:-1]]
        self.check("\n".join(text.partition("\nExamples:\n")[2] for text in texts), 11)


if __name__ == "__main__":
    cli.main()
