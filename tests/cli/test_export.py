#!/usr/bin/env python3
"""mipbench export: what it writes builds alone, and makes every texel of every level right."""
import json
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
EXAMPLES = cli.ROOT / "strategies/spd-tree/export"
SWIFTSHADER = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")
SOURCES = {path.name for path in LIB.iterdir() if path.suffix in (".comp", ".glsl")} | {"levels.glsl"}
LIBRARY = ["spd_tree.c", "spd_tree_plan.c", "spd_tree_modules.c"]
FILES = {*LIBRARY, "spd_tree.h", "spd_tree_plan.h", "example_texture.c", "example_depth.c", "example_host.h",
         "example_memory.h", "example_check.h", "LICENSE", "README.md"}
MOST_LINES = 120  # of an example
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Wshadow", "-Werror"]

# What each compiler that is installed takes.
IN_C = [("gcc", "-std=c11"), ("clang", "-std=c11")]
IN_CPP = [(compiler, f"-std=c++{year}", "-x", "c++") for compiler in ("g++", "clang++") for year in (11, 20)]

# All of the library is called, and runs without a device.
USE = """#include "spd_tree.h"
int main(void)
{
    struct spd_tree_device device;
    struct spd_tree_job job;
    struct spd_tree_plan plan;
    struct spd_tree_code code;
    memset(&device, 0, sizeof device);
    memset(&job, 0, sizeof job);
    device.max_shared_bytes = 32768;
    device.max_buffer_bytes = 1u << 27;
    job.width = job.height = 5;
    job.n_levels = 3;
    job.n_layers = 1;
    job.format = VK_FORMAT_R8G8B8A8_SRGB;
    spd_tree_destroy(NULL);
    return spd_tree_plan_job(&device, &job, &plan) || !spd_tree_code_of(&plan.module, &code);
}
"""

VALIDATED = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
# As older layers and newer ones have it.
SYNCHRONISED = {**VALIDATED, "VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
                "VK_KHRONOS_VALIDATION_VALIDATE_SYNC": "true"}


def has_validation():
    """Whether the layer is installed; with it the examples must say nothing more."""
    folders = ["/usr/share/vulkan/explicit_layer.d", "/etc/vulkan/explicit_layer.d"]
    return any(list(pathlib.Path(folder).glob("*khronos_validation*.json")) for folder in folders)


def flags_of(folder):
    """What each module was compiled with."""
    text = (folder / "spd_tree_modules.c").read_text(encoding="ascii")
    return re.findall(r"/\* (-D.*) \*/\nstatic const uint32_t code_\d+\[\]", text)


class Exported(cli.TestCase):
    """What is written, once for all."""
    FORMATS = []

    @classmethod
    def setUpClass(cls):
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-export-"))
        cls.addClassCleanup(shutil.rmtree, cls.out, ignore_errors=True)
        done = subprocess.run([cli.BINARY, "export", "spd-tree", "-o", cls.out, *cls.FORMATS], check=True,
                              capture_output=True, text=True, timeout=cli.TIMEOUT_S)
        assert done.stdout == f"Export: {cls.out}/README.md\n", done

    def call(self, *command, cwd=None, env=None):
        done = subprocess.run(command, cwd=cwd or self.out, capture_output=True, text=True,
                              env={**os.environ, **(env or {})}, timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def build(self, folder, name):
        """An example, as its first lines say."""
        program = str(self.dir / name)
        self.call("cc", "-std=c11", *WARNINGS, "-O2", f"{name}.c", *LIBRARY, "-o", program, "-lvulkan", "-lm",
                  cwd=folder)
        return program

    def assert_fails(self, code, error, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=cli.TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done)
        self.assertRegex(done.stderr, error)


@unittest.skipIf(cli.IS_EMULATED, "the compilers are the host's")
class Compilers(Exported):
    """The library compiles as it is, without a warning."""
    FORMATS = ["-f", "rgba8-srgb:avg"]

    def need(self, *command, includes=("stdlib.h",)):
        """Skips what the compiler, or its headers, are not installed for."""
        if not shutil.which(command[0]):
            self.skipTest(f"there is no {command[0]}")
        probe = "".join(f"#include <{name}>\n" for name in includes)
        language = () if "-x" in command else ("-x", "c")
        done = subprocess.run([*command, *language, "-E", "-"], input=probe, capture_output=True, text=True,
                              timeout=cli.TIMEOUT_S, check=False)
        if done.returncode != 0:
            self.skipTest(f"{' '.join(command)}: no {', '.join(includes)}")

    def compile(self, *command):
        for name in LIBRARY:
            self.call(*command, *WARNINGS, "-c", name, "-o", str(self.dir / "object.o"))

    def test_linked(self):
        (self.dir / "use.c").write_text(USE)
        program = str(self.dir / "use")
        for command in IN_C + IN_CPP:
            with self.subTest(command=command):
                self.need(*command, includes=("vulkan/vulkan.h",))
                self.call(*command, *WARNINGS, "-I.", str(self.dir / "use.c"), *LIBRARY, "-o", program, "-lvulkan")
                self.call(program)

    def test_32_bits(self):
        for command in (("gcc", "-std=c11", "-m32"), ("g++", "-std=c++11", "-m32", "-x", "c++")):
            with self.subTest(command=command):
                self.need(*command, includes=("vulkan/vulkan.h", "atomic" if "-x" in command else "stdlib.h"))
                self.compile(*command)

    def test_windows(self):
        self.need("x86_64-w64-mingw32-gcc")
        for name in ("vulkan", "vk_video"):  # alone: what is beside them is another system's
            folder = pathlib.Path("/usr/include") / name
            if folder.exists():
                shutil.copytree(folder, self.dir / "include" / name)
        command = ("x86_64-w64-mingw32-gcc", "-std=c11", "-isystem", str(self.dir / "include"))
        self.need(*command, includes=("vulkan/vulkan.h",))
        self.compile(*command)

    def test_volk(self):
        for command in (IN_C[0], IN_CPP[0]):
            with self.subTest(command=command):
                self.need(*command, includes=("volk.h",))
                self.compile(*command, "-DVK_NO_PROTOTYPES", "-include", "volk.h")

    def test_table(self):
        """Functions that a program keeps in a table of its own."""
        names = sorted(set(re.findall(r"SPD_TREE_VK\((vk\w+)\)", (LIB / "spd_tree.c").read_text())))
        members = "".join(f"    PFN_{name} {name};\n" for name in names)
        (self.dir / "table.h").write_text("#define VK_NO_PROTOTYPES\n#include <vulkan/vulkan.h>\n"
                                          f"struct table {{\n{members}}};\nextern const struct table *table;\n")
        for command in (IN_C[0], IN_CPP[0]):
            with self.subTest(command=command):
                self.need(*command, includes=("vulkan/vulkan.h",))
                self.compile(*command, "-include", str(self.dir / "table.h"), "-DSPD_TREE_VK(name)=table->name")

    def test_planner_alone(self):
        """It has nothing of Vulkan."""
        for command in (IN_C[0], IN_CPP[0]):
            with self.subTest(command=command):
                self.need(*command)
                for name in ("spd_tree_plan.c", "spd_tree_modules.c"):
                    self.assertNotIn("vulkan", self.call(*command, "-M", name))


@unittest.skipIf(cli.IS_EMULATED, "nothing of mipbench runs")
class Examples(Exported):
    FORMATS = ["-f", "rgba8-srgb:avg,r32f:max"]

    def test_lines(self):
        for path in EXAMPLES.glob("example_*"):
            self.assertLessEqual(len(path.read_text().splitlines()), MOST_LINES, path.name)

    def test_right(self):
        texture, depth = self.build(self.out, "example_texture"), self.build(self.out, "example_depth")
        sizes = [(), ("64", "96"), ("101", "67"), ("2", "1")]
        if os.environ.get("MB_TEST_FULL"):
            sizes += [("1", "8192"), ("8192", "3"), ("1024", "1024"), ("37", "50")]
        for env in ({}, VALIDATED, SYNCHRONISED) if has_validation() else ({},):
            for command in [(texture, *size) for size in sizes] + [(depth,)]:
                with self.subTest(command=command, env=env):
                    self.assertEqual(self.call(*command, env=env), "ok\n")
        for words in (["5"], ["-5", "5"], ["8x", "5"], ["8", ""], ["0x10", "8"], ["0", "8"], ["8193", "8"],
                      ["1", "1"], ["5", "5", "5"], ["rgba8", "5"]):
            self.assert_fails(2, "^usage: ", texture, *words)
        self.assert_fails(2, "^usage: ", depth, "5")

    def spoil(self, file, old, new):
        """A copy of the export with one edit."""
        folder = self.dir / "spoilt"
        shutil.copytree(self.out, folder)
        text = (folder / file).read_text()
        self.assertEqual(text.count(old), 1)
        (folder / file).write_text(text.replace(old, new))
        return folder

    def test_see_what_is_wrong(self):
        folder = self.spoil("example_check.h", "half - x", "half + 1 - x")
        texture = self.build(folder, "example_texture")
        self.assert_fails(1, r"^error: level 1, texel 0, channel 0: .+, not .+\n$", texture)

    def test_hazards_are_seen(self):
        """Or else that none are told says nothing."""
        if not has_validation():
            self.skipTest("there is no validation layer")
        barrier = "general, general, written, read}"
        folder = self.spoil("example_texture.c", barrier, barrier.replace("written, read", "0 * written, 0 * read"))
        texture = self.build(folder, "example_texture")
        if "SYNC-HAZARD" not in self.call(texture, env=SYNCHRONISED):
            self.skipTest("the layer is not asked for hazards by variables")


class Export(Exported):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {path.name for path in cls.out.iterdir()}
        cls.modules = flags_of(cls.out)

    def export(self, folder, *words):
        """Names of what is written."""
        outcome = self.run_it("export", "spd-tree", "-q", "-o", folder, *words)
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, b"", b""), outcome)
        return {path.name for path in (self.dir / folder).iterdir()}

    def test_files(self):
        modules = {name for name in self.files if name.endswith(".spv")}
        self.assertEqual(self.files, FILES | SOURCES | modules)
        self.assertEqual(len(modules), len(self.modules))
        for name in self.files - modules - {"spd_tree_modules.c"}:
            folders = [LIB, EXAMPLES, cli.ROOT / "shaders", cli.ROOT]
            file = next(folder / name for folder in folders if (folder / name).exists())
            self.assertEqual((self.out / name).read_bytes(), file.read_bytes(), name)

    def test_readme(self):
        readme = (self.out / "README.md").read_text(encoding="ascii")
        for name in FILES - {"README.md"}:
            self.assertIn(name.rpartition(".")[0] or name, readme)

    def test_figures_of_the_readme(self):
        """How many modules there are, and how large they are."""
        readme = (self.out / "README.md").read_text(encoding="ascii")
        sizes = [path.stat().st_size / 1000 for path in self.out.glob("*.spv")]
        self.assertIn(f"A module takes {min(sizes):.0f} to {max(sizes):.0f} kB.", readme)
        pairs, parts = ["-f", "rgba8-srgb:avg,r32f:max"], ["--no-plain", "--no-alpha", "--no-updates"]
        for name, words in (("everything", []), (f"`{' '.join(pairs)}`", pairs),
                            (f"the same with `{' '.join(parts)}`", pairs + parts)):
            self.export("figures", "--force", *words)
            sizes = [path.stat().st_size / 1e6 for path in (self.dir / "figures").glob("*.spv")]
            self.assertIn(f"| {name} | {len(sizes)} | {sum(sizes):.1f} MB |", readme)

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

    def test_selection(self):
        """Fewer modules for fewer formats and for a reduction."""
        names = self.export("a/b", "-f", "r8,rgba8-srgb")
        modules = {name for name in names if name.endswith(".spv")}
        self.assertEqual(names, FILES | SOURCES | modules)
        self.assertTrue(modules < self.files)
        self.assertTrue(all("raw4" in name or "view1" in name for name in modules), modules)
        largest = {name for name in self.export("c", "-f", "r32f:max") if name.endswith(".spv")}
        self.assertEqual(largest, {f"spd_tree_{kind}1_{more}.spv" for kind in ("raw", "view")
                                   for more in ("extreme_even", "extreme_strips", "plain", "update")})

    @unittest.skipIf(cli.IS_EMULATED, "nothing of mipbench runs")
    def test_selection_is_enough(self):
        self.export("c", "-f", "r32f:max", "--no-alpha", "--no-updates")
        self.assertEqual(self.call(self.build(self.dir / "c", "example_depth")), "ok\n")
        self.assert_fails(1, r"^error: spd_tree_prepare\(.*\)\n$", self.build(self.dir / "c", "example_texture"))

    def test_parts(self):
        """What is left out, and nothing else; a manifest is of a module that is there."""
        parts = {"--no-plain": lambda flags: "SUBGROUPS" not in flags and "UPDATES" not in flags,
                 "--no-alpha": lambda flags: "ALPHA" in flags, "--no-updates": lambda flags: "UPDATES" in flags}
        for words in (*([name] for name in parts), list(parts)):
            with self.subTest(words=words):
                names = self.export("parts", "--force", *words)
                want = [flags for flags in self.modules if not any(parts[name](flags) for name in words)]
                self.assertTrue(0 < len(want) < len(self.modules))
                self.assertEqual(flags_of(self.dir / "parts"), want)
                self.assertEqual(sum(name.endswith(".spv") for name in names), len(want))
        names = self.export("parts", "--force", "-f", "rgba8", "--size", "64x64", *parts)
        for manifest in (self.dir / "parts").glob("*.json"):
            self.assertIn(json.loads(manifest.read_text())["shaders"]["tree"]["file"], names)

    def test_manifest_of_what_is_left_out(self):
        if not SWIFTSHADER.exists():
            self.skipTest("there is no SwiftShader, whose averages are by no subgroups")
        env = {"VK_ICD_FILENAMES": str(SWIFTSHADER), "VK_DRIVER_FILES": str(SWIFTSHADER)}
        words = ("export", "spd-tree", "-d", "0", "-f", "rgba8:avg", "--size", "64x64", "-o")
        self.assertEqual(self.run_it(*words, "all", env=env).code, 0)
        self.assert_error(self.run_it(*words, "some", "--no-plain", env=env), 5,
                          "export: no plan of rgba8 at 64x64: its module is left out")

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
        (self.dir / "mine/spd_tree_folder.spv").mkdir()
        largest = self.export("fresh", "-f", "r8:max")
        self.assertEqual(self.export("mine", "-f", "r8:max", "--force"),
                         largest | {"mine.spv", "spd_tree_folder.spv"})

    def test_errors(self):
        for words, code, part in (
                (["spd-tree"], 2, "export: expected a folder to write into: -o DIR"),
                (["spd-tree", "-o", "/dev/null/x"], 7, "/dev/null/x: the folder cannot be made"),
                (["spd-tree", "-o", "/dev/null", "--force"], 7, "/dev/null")):
            with self.subTest(words=words):
                self.assert_error(self.run_it("export", *words), code, part)
        self.assertEqual(cli.snapshot(self.dir), {})

    @unittest.skipUnless(os.path.exists("/dev/full"), "no full device")
    def test_stdout_is_full(self):
        with open("/dev/full", "wb") as full:
            self.assert_error(self.run_it("export", "spd-tree", "-o", "x", stdout=full), 7)


if __name__ == "__main__":
    cli.main()
