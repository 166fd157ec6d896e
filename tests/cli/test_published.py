#!/usr/bin/env python3
"""scripts/published.sh, with a repository and a kernel of the test's own, and kernels/ as it is.
usage: test_published.py MIPBENCH"""
import hashlib
import json
import os
import shutil
import subprocess
import unittest

import cli

SHADER = "src/shaders/halve.comp"
SOURCE = """repository {url}
commit {commit}
licence of this test
sha256 {sha256} {path} glsl/halve.comp
# What is said of it.
"""


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Published(cli.TestCase):
    """A copy of scripts/ beside a kernels/ with one kernel, whose shader is in a repository."""

    def setUp(self):
        super().setUp()
        shutil.copytree(cli.SCRIPTS, self.dir / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.dir / "results").mkdir()
        shutil.copy(cli.ROOT / "results/schema.json", self.dir / "results")
        self.repository = self.dir / "elsewhere/halving"
        (self.repository / SHADER).parent.mkdir(parents=True)
        own = self.dir / "kernels/own"
        own.mkdir(parents=True)
        self.run_it("kernel", "new", "own", cwd=own)
        (own / "own.comp").rename(self.repository / SHADER)
        self.edit(own / "own.json", '"own.comp"', '"glsl/halve.comp"')
        self.git("init", "-q")
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "As published")
        sha256 = hashlib.sha256((self.repository / SHADER).read_bytes()).hexdigest()
        (own / "SOURCE").write_text(SOURCE.format(url=f"file://{self.repository}", path=SHADER, sha256=sha256,
                                                  commit=self.git("rev-parse", "HEAD").strip()))

    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=test", "-c", "user.email=test", *arguments], cwd=self.repository,
            check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout

    def edit(self, path, old, new):
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def published(self, *arguments, code=0):
        """What it said on stdout and on stderr."""
        done = subprocess.run([self.dir / "scripts/published.sh", *arguments], cwd=self.dir, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              timeout=cli.TIMEOUT_S)
        self.assertEqual(done.returncode, code, cli.Outcome(done.returncode, done.stdout, done.stderr))
        return done.stdout, done.stderr

    def measure(self, *arguments, **options):
        said = self.published("--mipbench", cli.BINARY, "--out", "out", "--sizes", "16x16", *arguments, "--",
                              "-n", "2", "-w", "0", "--no-roofline", **options)
        return {(row["format"], row["input"].split(":")[1]): row for row in self.rows()
                if row["label"] == "own"}, *said

    def test_clones_as_printed(self):
        block = self.published()[0].splitlines()
        self.assertEqual(block.pop(), "scripts/published.sh published/*")
        subprocess.run(["bash", "-eu", "-c", "\n".join(block)], cwd=self.dir, check=True)
        self.assertTrue((self.dir / "published/halving" / SHADER).is_file())
        found, _, _ = self.measure("published/halving")
        self.assertEqual(set(found), {(texels, pattern) for texels in ("rgba8", "r32f")
                                      for pattern in ("noise", "gradient")})
        self.assertEqual({row["verify"]["status"] for row in found.values() if row["format"] == "rgba8"},
                         {"pass"})
        modules = [kernel["modules"] for kernel in self.document()["run"]["kernels"]]
        self.assertEqual([len(it) for it in modules], [1])
        for name in ("rgba8-avg.txt", "rgba8-avg.csv", "r32f-max.txt", "r32f-max.csv"):
            self.assertIn("spd-tree", (self.dir / "out" / name).read_text())
        self.assertIn("own: ", (self.dir / "out/published.svg").read_text())

    def test_file_that_is_not_as_published(self):
        with open(self.repository / SHADER, "a") as shader:
            shader.write("\n")
        _, said = self.published("--mipbench", cli.BINARY, "--out", "out", str(self.repository), code=3)
        self.assertIn(f"{SHADER} is not that of the commit; run: git -C {self.repository} checkout ", said)
        self.assertFalse((self.dir / "out").exists())

    def test_line_ends_of_windows(self):
        shader = self.repository / SHADER
        shader.write_bytes(shader.read_bytes().replace(b"\n", b"\r\n"))
        self.published("--mipbench", cli.BINARY, "--compile", "carried", str(self.repository))

    def test_missing_file(self):
        with open(self.dir / "kernels/own/SOURCE", "a") as source:
            source.write(f"sha256 {'0' * 64} src/shaders/other.comp\n")
        _, said = self.published("--mipbench", cli.BINARY, str(self.repository), code=3)
        self.assertIn("src/shaders/other.comp is missing", said)

    def test_folder_that_is_no_checkout(self):
        _, said = self.published("--mipbench", cli.BINARY, "scripts", code=3)
        self.assertIn(f"own: no checkout of file://{self.repository}: left out", said)

    def test_usage(self):
        for wrong in (["--compile", "new"], ["--kernels", "a", "b"], ["--compile", "scripts", "b"], ["--sizes"],
                      ["--what", "b"]):
            with self.subTest(wrong=wrong):
                self.assertIn("published: error: ", self.published(*wrong, code=2)[1])

    def test_compiled_folder_needs_no_checkout(self):
        self.published("--mipbench", cli.BINARY, "--compile", "carried", str(self.repository))
        names = {path.name for path in (self.dir / "carried").rglob("*") if path.is_file()}
        self.assertEqual({name.rsplit(".")[-1] for name in names}, {"json", "spv", "SOURCE"})
        shutil.rmtree(self.repository)
        found, _, _ = self.measure("--kernels", "carried")
        self.assertEqual(found["rgba8", "noise"]["verify"]["status"], "pass")

    def test_wrong_kernel_is_a_result(self):
        self.edit(self.dir / "kernels/own/own.json", '{"policy": "box"}', '{"policy": "box", "max_error_lsb": 0.001}')
        found, _, _ = self.measure(str(self.repository))
        self.assertEqual(found["rgba8", "noise"]["verify"]["status"], "fail")

    def test_kernel_that_does_not_compile_costs_no_other(self):
        shutil.copytree(self.dir / "kernels/own", self.dir / "kernels/broken")
        broken = self.dir / "kernels/broken/own.json"
        self.edit(broken, '"name": "own"', '"name": "broken"')
        self.edit(broken, '"file": "glsl/halve.comp"', '"file": "glsl/halve.comp", "preamble": "#error no"')
        broken.rename(broken.with_name("broken.json"))
        found, _, said = self.measure(str(self.repository))
        self.assertIn("published: broken: left out, exit 3: mipbench: error: ", said)
        self.assertEqual(found["rgba8", "noise"]["verify"]["status"], "pass")


class Kernels(cli.TestCase):
    """kernels/: each has its SOURCE, and no published file is in it."""

    def test_sources(self):
        sources = sorted((cli.ROOT / "kernels").glob("*/SOURCE"))
        self.assertGreaterEqual(len(sources), 9)
        for path in sources:
            with self.subTest(kernel=path.parent.name):
                words = [line.split(" ") for line in path.read_text().splitlines() if not line.startswith("#")]
                keys = [line[0] for line in words]
                self.assertEqual(keys[:3], ["repository", "commit", "licence"])
                self.assertEqual(set(keys[3:]), {"sha256"})
                self.assertRegex(words[1][1], r"\A[0-9a-f]{40}\Z")
                for _, digest, published, *name in words[3:]:
                    self.assertRegex(digest, r"\A[0-9a-f]{64}\Z")
                    self.assertFalse((path.parent / (name or [os.path.basename(published)])[0]).exists())

    def test_manifests(self):
        folders = [path.parent for path in (cli.ROOT / "kernels").glob("*/SOURCE")]
        for path in sorted(path for folder in folders for path in folder.glob("*.json")):
            with self.subTest(manifest=path.name):
                text = path.read_text()
                self.assertEqual(json.loads(text)["name"], path.stem)
                self.assertLessEqual(len(text.splitlines()), 60)


if __name__ == "__main__":
    cli.main()
