#!/usr/bin/env python3
"""Every command line of the shell blocks of README.md and doc/*.md, every Python block, and the
examples of --help run, on small images and sets in place of the reader's own; those that do not are
named here with the reason. What a console block shows is in what its command prints."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import cli

if cli.IS_EMULATED:
    print("skipped: an emulated program cannot start others (report.py), and compiles no GLSL")
    sys.exit(77)

# A software device is slow: sizes of the examples, and what they become here.
SMALLER = {"4096x4096": "96x96", "4095x4095": "95x95", "2048x2048": "32x32", "1920x1080": "120x67",
           "1024x1024": "64x64", "256:4096": "16:64", "512x512": "32x32", "-n 200": "-n 3",
           "64,64,128,128": "16,16,32,32", "3840x2160": "60x34",
           # Hundreds of kernels, each compiled anew.
           "spd,spd-tree:wave=off": "blit,raster:load=texel"}

# What is not run, by how it begins, and where else it is.
NOT_RUN = {
    "scripts/run.sh": "builds anew, as the CI does before this",
    "scripts/setup.sh": "changes the system; tests/lint/test_setup.py",
    "scripts/test.sh": "runs this test",
    "scripts/cross.sh": "builds anew; scripts/test.sh --full",
    "scripts/reference.sh": "takes minutes on a device of its own; tests/lint/test_reference.py",
    "scripts/published.sh": "needs a network; test_published.py",
    "scripts/plot.py out/results.json --only published": "test_plot.py",
    "sudo apt-get": "changes the system; tests/lint/test_setup.py",
    "meson": "this runs in what it has made", "ninja -C": "the same",
    "sudo meson install": "test_install.py",
    "build/mipbench photo.png -s NAME": "test_new_strategy.py",
    "mipbench kernel check": "test_kernel.py, with the files that it is about",
    "mipbench pattern:noise:333x257 -f": "the same", "mipbench pattern:noise:256x256 -f": "the same",
    "mipbench tune --size 64x64,128x128": "the same",
    "export PATH": "the shell's own",
    "cd mips && cc": "test_export.py, which knows where the headers are",
}
FURTHER = {"scripts/plot.py": ["--format=svg", "--only=time-size"]}
SELF_TEST = ["--self-test"]
PAGES = [cli.ROOT / "README.md", *sorted((cli.ROOT / "doc").glob("*.md"))]


def small(line):
    for old, new in SMALLER.items():
        line = line.replace(old, new)
    return line


def blocks(page, language):
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text)


def command_lines(page):
    """Of all shell blocks, continuation lines joined."""
    return [line for block in blocks(page, "sh")
            for line in re.sub(r"\\\n\s*", " ", block).splitlines() if line.strip()]


def is_left_out(line):
    return any(line.startswith(begin) for begin in NOT_RUN)


def commands(text):
    """The words after "mipbench" of each line that begins with it, comments left out."""
    for line in re.findall(r"(?m)^ *mipbench ((?:[^\n#])+)", text):
        yield shlex.split(small(line))


class Commands(cli.TestCase):
    def setUp(self):
        super().setUp()
        cli.write_png(self.dir / "photo.png", 64, 64, cli.noise(64 * 64 * 4))
        shutil.copy2(cli.ROOT / "tests/data/sun.hdr", self.dir / "depth.hdr")
        (self.dir / "photos").mkdir()
        for name in ("img2.png", "img10.png"):
            shutil.copy(self.dir / "photo.png", self.dir / "photos" / name)
        (self.dir / "bin").mkdir()
        (self.dir / "bin/mipbench").symlink_to(cli.BINARY)
        for name in ("scripts", "src", "results/reference", "results/schema.json"):
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).symlink_to(cli.ROOT / name)
        self.make_results()

    def make_results(self):
        """What the examples take for the reader's: one run, and copies of it as other runs."""
        self.good("photo.png", "--size", "16x16,32x32", "-s", "compute,spd", "-n", "6", "-o",
                  "results/first")
        self.first = json.loads((self.dir / "results/first/results.json").read_text(encoding="utf-8"))
        self.copy_results()

    def copy_results(self):
        files = [f"{name}/results.json" for name in ("before", "after", "here", "there", "a", "b", ".")]
        for name in files + [f"{side}{number}.json" for side in "ab" for number in range(1, 6)]:
            self.first["run"]["id"] = name.replace("/", "-")
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).write_text(json.dumps(self.first), encoding="utf-8")

    def calm_sets(self):
        """Three samples decide nothing: runs of sets that the examples made become copies, too."""
        for name in self.dir.glob("*/run-*/results.json"):
            self.first["run"]["id"] = str(name)
            name.write_text(json.dumps(self.first), encoding="utf-8")

    def check_self_test(self):
        """All checks are made and judged; a busy software device may well fail one of them."""
        outcome = self.run_it(*SELF_TEST)
        lines = outcome.out.decode("utf-8").splitlines()[1:]
        verdicts = [line.split()[0] for line in lines if line[2] != " "]  # else it goes on
        self.assertGreaterEqual(len(verdicts), 5, outcome)
        self.assertLessEqual(set(verdicts), {"ok", "FAILED"}, outcome)
        self.assertEqual(outcome.code, 1 if "FAILED" in verdicts else 0, outcome)
        if "FAILED" in verdicts:
            self.assert_error(outcome, 1, "self-test: a check failed")
        else:
            self.assertEqual(outcome.err, b"", outcome)

    @staticmethod
    def further_options(words, is_first=False):
        """The first command has all strategies, and measures the memory; a software device, which
        compiles each kernel anew, would take minutes to do so for all of them."""
        if words[0] in ("list", "export", "compare", "report", "inspect", "kernel", "help", "--replay"):
            return []
        options = ["-n", "3", "-w", "0"] + ([] if is_first else ["--no-roofline"])
        if not is_first and "-s" not in words:
            options += ["-s", "compute" if words[0] == "tune" else "compute,spd"]
        return options

    def run_mipbench(self, words, is_first=False):
        if words == SELF_TEST:
            self.check_self_test()
            return
        if words[0] in ("compare", "report"):
            self.copy_results()
            self.calm_sets()
        outcome = self.run_it(*words, *self.further_options(words, is_first))
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn(b"error", outcome.err)

    def run_other(self, *arguments):
        """Anything else: it says something, and nothing of an error."""
        env = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": f"{self.dir}/bin:{os.environ['PATH']}"}
        done = subprocess.run(arguments, cwd=self.dir, env=env, capture_output=True,
                              timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn(b"error", done.stderr)
        self.assertNotEqual(done.stdout, b"")
        return done.stdout.decode("utf-8")

    def run_script(self, words):
        """By the Python of this test."""
        names = [name for word in words[1:] for name in
                 (sorted(map(str, self.dir.glob(word))) if "*" in word else [word])]
        further = [word for word in FURTHER.get(words[0], []) if word.partition("=")[0] not in words]
        self.run_other(sys.executable, "-B", words[0], *names, *further)

    def run_line(self, line):
        words = shlex.split(line, comments=True)
        if "|" in words:
            last = words[len(words) - words[::-1].index("|"):]
            more = self.further_options(last[1:]) if last[0] == "mipbench" else []
            self.run_other("sh", "-c", shlex.join(words).replace("'|'", "|") + " " + shlex.join(more))
        elif words[0] == "jq":
            if not shutil.which("jq"):
                self.skipTest("jq is not installed")
            self.run_other(*words)
        elif words[0].endswith("mipbench"):
            self.run_mipbench(words[1:])
        else:
            self.run_script(words)

    def check_page(self, page):
        lines = command_lines(page)
        for line in lines:
            with self.subTest(line=line):
                if not is_left_out(line):
                    self.run_line(small(line))
        for text in blocks(page, "python"):
            with self.subTest(text=text):
                self.run_other(sys.executable, "-c", text)
        for text in blocks(page, "console"):
            with self.subTest(text=text):
                self.check_console(text)

    def check_console(self, text):
        """Its lines are among those that the command prints, in this order."""
        command, *shown = text.splitlines()
        printed = iter(self.run_other(*shlex.split(command.removeprefix("$ "))).splitlines())
        for line in shown:
            self.assertTrue(line == "..." or line in printed, line)

    def test_examples_of_help(self):
        texts = [self.run_it("help", verb).out.decode("utf-8") for verb in cli.VERBS[:-1]]
        text = "\n".join(text.partition("\nExamples:\n")[2] for text in texts)
        examples = list(commands(text))
        self.assertGreaterEqual(len(examples), 11)
        for i, words in enumerate(examples):
            with self.subTest(words=words):
                self.run_mipbench(words, is_first=i == 0)

    def test_what_is_left_out_is_there(self):
        lines = [line for page in PAGES for line in command_lines(page)]
        self.assertGreater(sum(not is_left_out(line) for line in lines), 40)
        for begin in NOT_RUN:
            self.assertTrue(any(line.startswith(begin) for line in lines), begin)


for path in PAGES:
    setattr(Commands, f"test_page_{path.stem}", lambda self, page=path: self.check_page(page))


if __name__ == "__main__":
    cli.main()
