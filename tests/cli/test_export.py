#!/usr/bin/env python3
"""mipbench export: what it writes builds alone, and makes every texel of every level right."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli

LIB = cli.ROOT / "strategies/spd-tree/lib"
SOURCES = {path.name for path in LIB.iterdir() if path.suffix in (".comp", ".glsl")} | {"levels.glsl"}
ALWAYS = {"LICENSE", "README.md", "spd_tree.h", "spd_tree_vulkan.h"}
OF_MODULES = {"spd_tree_modules.h", "example_texture.c", "example_depth.c", "example_host.h"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
LINES = {"example_texture.c": 160, "example_depth.c": 150, "example_host.h": 310}

# What the example makes in full: small, for a CPU's driver takes seconds for each module as it is exported.
IMAGES = [("64", "96"), ("101", "67"), ("37", "50", "max")]
FORMATS = ["rgba8", "rgba8-srgb", "r32f", "rgba16f", "rg32f"]


def compilers():
    found = [(c, "-std=c11", "use.c") for c in ("gcc", "clang")]
    found += [(c, "-std=c++11", "use.cpp") for c in ("g++", "clang++")]
    return [row for row in found if shutil.which(row[0])]


def has_validation():
    """Whether the layer is installed; with it the examples must say nothing more."""
    folders = ["/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d"]
    return any(list(pathlib.Path(folder).glob("*khronos_validation*.json")) for folder in folders)


class Export(cli.TestCase):
    """What is written, once for all."""

    @classmethod
    def setUpClass(cls):
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-export-"))
        cls.addClassCleanup(shutil.rmtree, cls.out, ignore_errors=True)
        done = subprocess.run([cli.BINARY, "export", "spd-tree", "-o", cls.out], check=True,
                              capture_output=True, text=True, timeout=cli.TIMEOUT_S)
        assert done.stdout == f"Export: {cls.out}/README.md\n", done
        cls.files = {path.name for path in cls.out.iterdir()}
        cls.modules = re.findall(r"spd_tree_code_\d+}?, sizeof spd_tree_code_\d+}, /\* (.*) \*/",
                                 (cls.out / "spd_tree_modules.h").read_text(encoding="ascii"))

    def call(self, *command, cwd=None, env=None):
        done = subprocess.run(command, cwd=cwd or self.out, capture_output=True, text=True,
                              env={**os.environ, **(env or {})}, timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def export(self, folder, *words):
        """Names of what is written."""
        outcome = self.run_it("export", "spd-tree", "-q", "-o", folder, *words)
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, b"", b""), outcome)
        return {path.name for path in (self.dir / folder).iterdir()}

    def test_files(self):
        modules = {name for name in self.files if name.endswith(".spv")}
        self.assertEqual(self.files, ALWAYS | OF_MODULES | SOURCES | modules)
        self.assertEqual(len(modules), len(self.modules))
        for name in SOURCES | {"spd_tree.h"} - {"levels.glsl"}:
            file = LIB / name if (LIB / name).exists() else cli.ROOT / "shaders" / name
            self.assertEqual((self.out / name).read_bytes(), file.read_bytes(), name)
        readme = (self.out / "README.md").read_text(encoding="ascii")
        for name in (ALWAYS | OF_MODULES) - {"README.md"}:
            self.assertIn(name, readme)
        for name, most in LINES.items():
            self.assertLessEqual(len((self.out / name).read_text().splitlines()), most, name)

    def test_source_is_the_modules(self):
        """Compiled by the flags that are named and optimised, each is one of the files: all shapes of some."""
        files = {path.read_bytes(): path.name for path in self.out.glob("*.spv")}
        self.assertEqual(len(files), len(self.modules))
        chosen = self.modules if os.environ.get("MB_TEST_FULL") else self.modules[::7]
        for flags in chosen:
            self.call("glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2", *flags.split(),
                      "spd_tree.comp", "-o", str(self.dir / "again.spv"))
            self.call(sys.executable, str(cli.ROOT / "scripts/optimise_spirv.py"), "spirv-opt",
                      str(self.dir / "again.spv"), str(self.dir / "optimised.spv"))
            self.assertIn((self.dir / "optimised.spv").read_bytes(), files, flags)

    @unittest.skipIf(cli.IS_EMULATED, "the compilers are the host's")
    def test_headers_in_c_and_cpp(self):
        for compiler, standard, name in compilers():
            for header in ("spd_tree.h", "spd_tree_vulkan.h"):
                use = self.dir / name
                use.write_text(f'#include "{header}"\n'
                               "int main(void) { struct spd_tree_plan plan; struct spd_tree_image image;\n"
                               "struct spd_tree_device device; memset(&image, 0, sizeof image);\n"
                               "memset(&device, 0, sizeof device); device.max_shared_bytes = 32768;\n"
                               "device.max_buffer_bytes = 1u << 27; image.width = image.height = 5;\n"
                               "image.n_layers = 1; image.n_levels = 3; image.format.n_channels = 4;\n"
                               "return spd_tree_make_plan(&device, &image, NULL, &plan) ? 1 : 0; }\n")
                with self.subTest(compiler=compiler, header=header):
                    self.call(compiler, standard, *WARNINGS, "-I.", str(use), "-o", str(self.dir / "use"), "-lvulkan")
                    self.call(str(self.dir / "use"))

    def build(self, folder, name):
        program = str(self.dir / name)
        self.call("cc", "-std=c11", *WARNINGS, "-O2", f"{name}.c", "-o", program, "-lvulkan", "-lm", cwd=folder)
        return program

    @unittest.skipIf(cli.IS_EMULATED, "nothing of mipbench runs")
    def test_examples(self):
        texture, depth = self.build(self.out, "example_texture"), self.build(self.out, "example_depth")
        validated = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"} if has_validation() else {}
        # rgba8 at 101x67 by default; cli-kernel has other formats, of what is exported for a device.
        images = [("r32f", *IMAGES[0])]
        if os.environ.get("MB_TEST_FULL"):
            images = [(name, *image) for name in FORMATS for image in IMAGES]
        for words in [(), *images]:
            with self.subTest(words=words):
                self.assertEqual(self.call(texture, *words, env=validated), "ok\n")
        self.assertEqual(self.call(depth), "ok\n")
        for words in (["no-such"], ["rgba8", "1", "1"], ["rgba8", "5"], ["rgba8", "-5", "5"],
                      ["r8", "70000", "5"], ["r8", "8x", "5"], ["r8", "8", ""], ["r8", "0x10", "8"], ["r8", "5", "5", "mean"], ["r8", "5", "5", "avg", "more"]):
            done = subprocess.run([texture, *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertTrue(done.stderr.startswith("usage: "), done)
        done = subprocess.run([texture, "r8", "65535", "1"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, r"^error: the device has images of at most \d+x\d+ texels\n$")

    @unittest.skipIf(cli.IS_EMULATED, "nothing of mipbench runs")
    def test_example_sees_what_is_wrong(self):
        self.export("wrong", "-f", "rgba8")
        host = self.dir / "wrong/example_host.h"
        text = host.read_text()
        host.write_text(text.replace("half - x", "half + 1 - x"))
        self.assertNotEqual(host.read_text(), text)
        done = subprocess.run([self.build(self.dir / "wrong", "example_texture")], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertRegex(done.stderr, r"^error: level 1, texel 0, channel 0: .+\n$")

    @unittest.skipIf(cli.IS_EMULATED, "nothing of mipbench runs")
    def test_selection(self):
        """Fewer modules for fewer formats and for a reduction, and they are enough."""
        names = self.export("a/b", "-f", "r8,rgba8-srgb")
        modules = {name for name in names if name.endswith(".spv")}
        self.assertEqual(names, ALWAYS | OF_MODULES | SOURCES | modules)
        self.assertTrue(modules < self.files)
        self.assertTrue(all("raw4" in name or "view1" in name for name in modules), modules)
        largest = {name for name in self.export("c", "-f", "r32f:max") if name.endswith(".spv")}
        self.assertEqual(largest, {f"spd_tree_{kind}1_{more}.spv" for kind in ("raw", "view") 
                                   for more in ("extreme_even", "extreme_strips", "extreme_plain")})
        texture = self.build(self.dir / "c", "example_texture")
        self.assertEqual(self.call(texture, "r32f", "37", "50", "max"), "ok\n")
        done = subprocess.run([texture, "r8"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "error: the plan's module was not exported\n"), done)

    def test_folder(self):
        (self.dir / "mine").mkdir()
        self.assertEqual(self.run_it("export", "spd-tree", "-o", "mine").code, 0)
        (self.dir / "mine/README.md").write_text("my own")
        before = cli.snapshot(self.dir)
        self.assert_error(self.run_it("export", "spd-tree", "-o", "mine"), 7,
                          "mine: the folder is not empty", "--force")
        self.assertEqual(cli.snapshot(self.dir), before)
        self.assertEqual(self.run_it("export", "spd-tree", "-o", "mine", "--force").code, 0)
        self.assertEqual(cli.snapshot(self.dir / "mine"), cli.snapshot(self.out))
        # What an earlier export left goes, what is somebody's own stays.
        for name in ("mine.spv", "spd_tree_old.spv"):
            (self.dir / "mine" / name).write_text("before")
        largest = self.export("fresh", "-f", "r8:max")
        self.assertEqual(self.export("mine", "-f", "r8:max", "--force"), largest | {"mine.spv"})

    def test_errors(self):
        for words, code, part in (
                (["spd-tree"], 2, "export: no folder; give one: -o DIR"),
                (["-o", "x"], 2, "export: no strategy; there is: spd-tree"),
                (["spd-tre", "-o", "x"], 2, "did you mean 'spd-tree'?"),
                (["blit", "-o", "x"], 2, "export: 'blit' is not for export; there is: spd-tree"),
                (["spd-tree", "blit", "-o", "x"], 2, "one strategy, not 'blit' as well"),
                (["spd-tree", "-f", "rgba9", "-o", "x"], 2, "rgba9"),
                (["spd-tree", "-f", "r8,auto", "-o", "x"], 2, "--format: 'auto'"),
                (["spd-tree", "-f", "r8:sum", "-o", "x"], 2, "'r8:sum': a reduction is avg, min or max"),
                (["spd-tree", "-f", "r8", "-r", "max", "-o", "x"], 2, "--reduce does not go with 'export'"),
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
