#!/usr/bin/env python3
"""mipbench export: what it writes builds alone, and makes every texel of every level right."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

import cli

IS_SANITIZED = bool(os.environ.get("MB_TEST_QUICK"))
FILES = {"LICENSE", "README.md", "example.c", "example_host.h", "vk_min.h", "spd_tree.h",
         "spd_tree_formats.h", "spd_tree.comp", "spd_tree.spv", "tree.glsl", "any.glsl",
         "even.glsl", "levels.glsl", "box.glsl", "sum.glsl"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
MAX_ERROR_LSB = 0.51
MAX_ERROR_ULP = 4.0  # of 32-bit floats, in which the kernel itself computes


def compilers():
    found = [(c, "-std=c11", "use.c") for c in ("gcc", "clang")]
    found += [(c, "-std=c++11", "use.cpp") for c in ("g++", "clang++")]
    return [row for row in found if shutil.which(row[0])]


def halve(values):
    """The exact area average of rows: two of them, or n / m of an odd number n = 2m + 1."""
    n = values.shape[0]
    m = max(1, n // 2)
    if n == 1:
        return values
    if n % 2 == 0:
        return (values[0::2] + values[1::2]) / 2
    x = np.arange(m).reshape(m, *[1] * (values.ndim - 1))
    return ((m - x) * values[0:-2:2] + m * values[1:-1:2] + (x + 1) * values[2::2]) / n


def box_chain(level0):
    """Every level of level0[row][column][channel], unrounded."""
    levels = [level0]
    while levels[-1].shape[:2] != (1, 1):
        levels.append(halve(halve(levels[-1]).swapaxes(0, 1)).swapaxes(0, 1))
    return levels


def linear_from_srgb(code):
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def srgb_from_linear(light):
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


class Unorm8:
    """Codes of 8 bits, `n_channels` of them."""

    def __init__(self, n_channels, is_srgb=False):
        self.n_channels, self.is_srgb = n_channels, is_srgb

    def random(self, rng, n):
        return rng.integers(0, 256, n * self.n_channels, dtype=np.uint8)

    def decode(self, data, height, width):
        values = np.frombuffer(data, np.uint8).reshape(height, width, self.n_channels) / 255.0
        if self.is_srgb:
            values[..., :3] = linear_from_srgb(values[..., :3])
        return values

    def error(self, got, want):
        """In codes."""
        if self.is_srgb:
            got, want = got.copy(), want.copy()
            for values in (got, want):
                values[..., :3] = srgb_from_linear(values[..., :3])
        return np.abs(got - want) * 255.0


class Unorm10:
    """10, 10, 10 and 2 bits in a word."""

    MAX = np.array([1023.0, 1023.0, 1023.0, 3.0])

    def random(self, rng, n):
        return rng.integers(0, 1 << 32, n, dtype=np.uint32)

    def decode(self, data, height, width):
        word = np.frombuffer(data, np.uint32).reshape(height, width, 1)
        return (word >> np.array([0, 10, 20, 30], np.uint32) & np.uint32([1023, 1023, 1023, 3])
                ) / self.MAX

    def error(self, got, want):
        return np.abs(got - want) * self.MAX


class Float:
    """Floats of `dtype`, of which no sum cancels; errors are in their ulp."""

    def __init__(self, dtype, n_channels):
        self.dtype, self.n_channels = dtype, n_channels

    def random(self, rng, n):
        return rng.uniform(0.25, 2.0, n * self.n_channels).astype(self.dtype)

    def decode(self, data, height, width):
        values = np.frombuffer(data, self.dtype).reshape(height, width, self.n_channels)
        return values.astype(np.float64)

    def error(self, got, want):
        return np.abs(got - want) / np.spacing(want.astype(self.dtype)).astype(np.float64)


# Sizes: one with a final step only, one with cells of odd sizes between, one without an odd size.
CASES = [("rgba8", Unorm8(4), (101, 67)), ("rgba8", Unorm8(4), (531, 290)),
         ("rgba8", Unorm8(4), (512, 256)), ("rgba8-srgb", Unorm8(4, True), (101, 67)),
         ("r8", Unorm8(1), (67, 100)), ("rgb10a2", Unorm10(), (101, 67)),
         ("rgba16f", Float(np.float16, 4), (44, 67)),
         ("r32f", Float(np.float32, 1), (301, 5))]


class Export(cli.TestCase):
    """What is written, once for all."""

    @classmethod
    def setUpClass(cls):
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-export-"))
        cls.addClassCleanup(shutil.rmtree, cls.out, ignore_errors=True)
        done = subprocess.run([cli.BINARY, "export", "spd-tree", "-o", cls.out], check=True,
                              capture_output=True, text=True, timeout=cli.TIMEOUT_S)
        assert done.stdout == f"Export: {cls.out}/README.md\n", done

    def compile(self, *command):
        done = subprocess.run(command, cwd=self.out, capture_output=True, text=True,
                              timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_files(self):
        self.assertEqual({path.name for path in self.out.iterdir()
                          if path.suffix not in ("", ".o")} | {"LICENSE"}, FILES)
        # Every source is part of the kernel, or of the example.
        text = "".join((self.out / name).read_text(encoding="ascii") for name in FILES
                       if pathlib.Path(name).suffix in (".comp", ".glsl", ".c", ".h"))
        included = set(re.findall(r'^#include "(.*)"', text, re.MULTILINE))
        self.assertEqual(included, {name for name in FILES if name.endswith((".glsl", ".h"))})
        readme = (self.out / "README.md").read_text(encoding="ascii")
        for name in FILES - {"README.md"}:
            self.assertTrue(name in readme or name.endswith(".glsl"), name)

    def test_source_is_the_module_s(self):
        module = self.dir / "again.spv"
        self.compile("glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2",
                     "spd_tree.comp", "-o", str(module))
        self.assertEqual(module.read_bytes(), (self.out / "spd_tree.spv").read_bytes())
        self.assertEqual(struct.unpack("<I", module.read_bytes()[:4])[0], 0x07230203)

    def test_example_is_short(self):
        lines = (self.out / "example.c").read_text(encoding="ascii").splitlines()
        self.assertLessEqual(len(lines), 60)
        self.assertLessEqual(max(map(len, lines)), 96)

    def test_header_in_c_and_cpp(self):
        for compiler, standard, name in compilers():
            with self.subTest(compiler=compiler, standard=standard):
                use = self.dir / name
                use.write_text('#include "spd_tree_formats.h"\n'
                               "int main(void) { struct spd_tree_plan plan;\n"
                               "return spd_tree_plan_init(&plan, 5, 5, 3, 1) &&\n"
                               "spd_tree_formats[0].is_srgb == 0 ? 0 : 1; }\n")
                self.compile(compiler, standard, *WARNINGS, "-I.", str(use), "-o",
                             str(self.dir / "use"))
                self.compile(str(self.dir / "use"))

    def check_case(self, example, name, kind, size):
        width, height = size
        level0 = kind.random(np.random.default_rng(7), width * height).tobytes()
        (self.dir / "in").write_bytes(level0)
        done = subprocess.run([example, name, str(width), str(height), self.dir / "in",
                               self.dir / "out"], cwd=self.out, capture_output=True, text=True,
                              timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done)
        data = (self.dir / "out").read_bytes()
        texel_bytes = len(level0) // (width * height)
        want = box_chain(kind.decode(level0, height, width))
        self.assertEqual(len(done.stdout.splitlines()), len(want), done)
        bound = MAX_ERROR_ULP if name == "r32f" else MAX_ERROR_LSB
        for level, values in enumerate(want):
            rows, columns = values.shape[:2]
            n_bytes = rows * columns * texel_bytes
            error = kind.error(kind.decode(data[:n_bytes], rows, columns), values)
            self.assertLessEqual(error.max(), bound, f"level {level}")
            data = data[n_bytes:]
        self.assertEqual(data, b"")

    @unittest.skipIf(IS_SANITIZED, "nothing of mipbench runs")
    def test_example(self):
        example = self.dir / "example"
        self.compile("cc", "-std=c11", *WARNINGS, "-O2", "example.c", "-o", str(example), "-lvulkan")
        for name, kind, size in CASES:
            with self.subTest(format=name, size=size):
                self.check_case(example, name, kind, size)
        for words in (["no-such"], ["rgba8", "1", "1"], ["r8", "5", "5", "none", "out"],
                      ["rgba8", "5"], ["rgba8", "5x", "5"], ["rgba8", "-5", "5"],
                      ["rgba8", "4294967301", "5"], ["rgba8", "", "5"],
                      ["r8", "5", "5", "in"], ["r8", "5", "5", "in", "out", "more"]):
            done = subprocess.run([example, *words], cwd=self.out, capture_output=True, text=True,
                                  timeout=cli.TIMEOUT_S, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done)
            self.assertRegex(done.stderr, r"^example: error: .+\n$")

    def test_formats(self):
        outcome = self.run_it("export", "spd-tree", "-f", "r32f,rgba8-srgb", "-o", "a/b", "-q")
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, b"", b""), outcome)
        text = (self.dir / "a/b/spd_tree_formats.h").read_text()
        self.assertEqual(re.findall(r'^    \{"(.*?)", (\w+), (\w+), (\d+)u', text, re.MULTILINE),
                         [("r32f", "VK_FORMAT_R32_SFLOAT", "VK_FORMAT_R32_SFLOAT", "4"),
                          ("rgba8-srgb", "VK_FORMAT_R8G8B8A8_SRGB", "VK_FORMAT_R8G8B8A8_UNORM",
                           "4")])
        everything = (self.out / "spd_tree_formats.h").read_text()
        self.assertNotIn("UNDEFINED", everything)
        self.assertIn("#define SPD_TREE_N_FORMATS 11\n", everything)

    def test_folder(self):
        (self.dir / "mine").mkdir()
        self.assertEqual(self.run_it("export", "spd-tree", "-o", "mine").code, 0)
        (self.dir / "mine/README.md").write_text("my own")
        before = cli.snapshot(self.dir)
        self.assert_error(self.run_it("export", "spd-tree", "-o", "mine"), 7,
                          "mine: the folder is not empty", "--force")
        self.assertEqual(cli.snapshot(self.dir), before)
        self.assertEqual(self.run_it("export", "spd-tree", "-o", "mine", "--force").code, 0)
        self.assertEqual(cli.snapshot(self.dir / "mine"),
                         {name: cli.snapshot(self.out)[name] for name in FILES})

    def test_errors(self):
        for words, code, part in (
                (["spd-tree"], 2, "export: no folder; give one: -o DIR"),
                (["-o", "x"], 2, "export: no strategy; there is: spd-tree"),
                (["spd-tre", "-o", "x"], 2, "did you mean 'spd-tree'?"),
                (["blit", "-o", "x"], 2, "export: 'blit' is not for export; there is: spd-tree"),
                (["spd-tree", "blit", "-o", "x"], 2, "one strategy, not 'blit' as well"),
                (["spd-tree", "-f", "rgba9", "-o", "x"], 2, "rgba9"),
                (["spd-tree", "-f", "r8,auto", "-o", "x"], 2, "--format: 'auto'"),
                (["spd-tree", "-n", "3", "-o", "x"], 2, "--samples does not go with 'export'"),
                (["spd-tree", "-o", "/dev/null/x"], 7, "/dev/null/x: the folder cannot be made"),
                (["spd-tree", "-o", "/dev/null", "--force"], 7, "/dev/null")):
            with self.subTest(words=words):
                self.assert_error(self.run_it("export", *words), code, part)
        self.assertEqual(cli.snapshot(self.dir), {})
        self.assert_error(self.run_it("--force", "pattern:noise:4x4"), 2, "--force")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no full device")
    def test_stdout_is_full(self):
        with open("/dev/full", "wb") as full:
            self.assert_error(self.run_it("export", "spd-tree", "-o", "x", stdout=full), 7)


if __name__ == "__main__":
    cli.main()
