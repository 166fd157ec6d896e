#!/usr/bin/env python3
"""The steps of the workflow in doc/ci.md, on small images: what they let pass, and what they stop."""
import json
import os
import re
import subprocess

import cli
from test_compare import calm, scale

# Sizes that a software device makes five runs of in a moment.
SMALLER = {"4096x4096": "64x64", "1920x1080": "60x34", "1921x1081": "121x69", "1024x512": "128x32",
           "--runs 5": "--runs 5 -n 20 -w 0 --no-roofline"}
NOT_RUN = {"Build"}  # scripts/run.sh builds in the same way


def workflow():
    page = (cli.ROOT / "doc/ci.md").read_text(encoding="utf-8")
    text, = re.findall(r"(?ms)^```yaml\n(.*?)^```", page)
    return text


def steps():
    """{name: its script}, as YAML has it: of one line, or of the lines that are indented further."""
    found = re.findall(r"- name: (\w+)\n(?: +if: .*\n)? +run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", workflow())
    return {name: re.sub("(?m)^ {10}", "", lines) or line for name, lines, line in found}


class Workflow(cli.TestCase):
    def setUp(self):
        super().setUp()
        for name in ("bin", "mipbench/build"):
            (self.dir / name).mkdir(parents=True)
            (self.dir / name / "mipbench").symlink_to(cli.BINARY)
        (self.dir / "base").mkdir()
        for folder in (self.dir, self.dir / "base"):
            self.assertEqual(self.run_it("kernel", "new", "my-spd", "--like", "single", cwd=folder).code, 0)

    def step(self, name):
        """By the shell that GitHub runs it by."""
        text = steps()[name]
        for old, new in SMALLER.items():
            text = text.replace(old, new)
        env = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": f"{self.dir}/bin:{os.environ['PATH']}",
               "GITHUB_STEP_SUMMARY": str(self.dir / "summary.md")}
        done = subprocess.run(["bash", "-e", "-c", text], cwd=self.dir, env=env, capture_output=True,
                              timeout=cli.TIMEOUT_S, check=False)
        return cli.Outcome(done.returncode, done.stdout, done.stderr)

    def edit(self, name, old, new):
        text = (self.dir / name).read_text(encoding="utf-8")
        self.assertEqual(text.count(old), 1)
        (self.dir / name).write_text(text.replace(old, new), encoding="utf-8")

    def settle(self, folder, factor=1.0):
        """A software device's times decide nothing: every run gets those of the first one of `old`, times
        a factor for my-spd."""
        first = calm(self.document("old/run-1/results.json"))
        for path in sorted((self.dir / folder).glob("run-*/results.json")):
            changed = scale(first, factor, {"my-spd"})
            changed["run"]["id"] = str(path)
            path.write_text(json.dumps(changed), encoding="utf-8")

    def test_every_step_is_run_here(self):
        names = re.findall(r"- name: (\w+)\n", workflow())
        self.assertEqual(len(names), len(re.findall(r"\brun: ", workflow())))
        self.assertEqual(list(steps()), names)
        self.assertEqual(set(names) - NOT_RUN, {"Verify", "Measure", "Compare", "Show"})

    def test_a_right_kernel_passes(self):
        outcome = self.step("Verify")
        self.assertEqual(outcome.code, 0, outcome)
        variants = [v for case in self.document("verified/results.json")["cases"] for v in case["variants"]]
        self.assertEqual([v["verify"]["status"] for v in variants], ["pass"] * 4)

    def test_a_wrong_kernel_does_not(self):
        """It leaves out the last level."""
        self.edit("my-spd.json", '"n_levels": "levels - 1"', '"n_levels": "levels - 2"')
        outcome = self.step("Verify")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn(b"level", outcome.out)

    def test_a_broken_manifest_does_not(self):
        self.edit("my-spd.json", '"shader": "all"', '"shader": "none"')
        self.assertEqual(self.step("Verify").code, 3)

    def test_speed(self):
        outcome = self.step("Measure")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(len(list(self.dir.glob("new/run-*/results.json"))), 5)
        for factor, code in ((1.0, 0), (1.2, 1)):
            self.settle("new", factor)
            self.settle("old")
            outcome = self.step("Compare")
            self.assertEqual(outcome.code, code, outcome)
        self.assertEqual(self.step("Show").code, 0)
        self.assertIn("my-spd is up to 1.20x slower in 2 tests", (self.dir / "summary.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    cli.main()
