#!/usr/bin/env python3
"""Kernels of manifests: those of tests/kernels beside the built-in strategies, and wrong ones, which
are made of those by one edit each.

usage: test_kernel.py MIPBENCH
"""
import csv
import json
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import cli
import textures

KERNELS = cli.ROOT / "tests" / "kernels"
SWIFTSHADER = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")
FOLDERS = ["--kernel-include", str(cli.ROOT / "shaders"), "--kernel-include", str(cli.ROOT / "strategies")]

# Built-in strategies, and what they are called as manifests: the same chains, bit for bit.
ALIKE = [("compute", "my-compute"), ("compute:npot=floor", "my-compute:npot=floor"),
         ("subgroup:load=texel", "my-subgroup"), ("subgroup:load=sampler", "my-subgroup:load=sampler"),
         ("subgroup:load=texel:npot=box", "my-subgroup:npot=box"),
         ("spd:load=texel:wave=off", "my-spd:wave=off"),
         ("spd:load=texel:wave=quad", "my-spd:wave=quad")]
PUBLISHED = ["published-spd", "two-sets", "lanes", "general", "weights", "thinned"]

# Edits that a manifest or its shader does not survive: name of the manifest, what is replaced in
# which file, and what the error says. Each ends the run before anything is measured.
REFUSED = [
    ("general", "json", '"tolerance"', '"tolerence"',
     ["general.json: tolerence: unknown key 'tolerence'", "did you mean 'tolerance'?"]),
    ("general", "json", '"shaders": {', '"shaders": {,', ["general.json: ", "line 6"]),
    ("general", "json", '"binding": 1,', '"binding": 2,', ["the shader has no binding 2 in set 0"]),
    ("general", "json", '"level": "first_level"', '"level": "first_level + 20"',
      ["is not an integer from 0 to 8"]),
    ("general", "json", '["rgba8", "rgba16f"', '["rgba9", "rgba16f"', ["'rgba9'", "did you mean 'rgba8'?"]),
    ("general", "comp", "0.25 * (row0", "0.25 * row0", ["general.comp:14: ", "syntax error"]),
    ("two_sets", "json", '"source_size": ["width(source_level)", "height(source_level)"],\n        "size": ["width(first_level)", "height(first_level)"]\n',
     '"size": ["width(first_level)", "height(first_level)"]\n',
     ["dispatches[1].push: member 1 of the shader's block is missing: int 'source_size' at byte 8"]),
    ("two_sets", "json", '"columns": {"file": "two_sets.comp", "constants": {"ALONG_X"',
     '"columns": {"file": "two_sets.comp", "constants": {"ALONG_Y"',
     ["the module has no specialisation constant 'ALONG_Y'"]),
    ("two_sets", "json", ', "addressed": true', '', ["the buffer 'rows' has no address"]),
    ("weights", "json", '"is_straight": 1', '"is_strait": 1',
     ["the shader's block has no member 'is_strait'", "did you mean 'is_straight'?"]),
]


# The same of what is noticed in its first run, besides the lies of test_lies.py: the name that the kernel gets, the manifest, edits of
# files, the command's exit code if it is alone, and what its row says.
FAILING = {
    "race": ("published_spd", [("comp", "== spdConstants.numWorkGroups - 1", "== 0"),
                               ("comp", ".counter[slice] = 0;", ".counter[slice] = 1;"),
                               ("json", '"bytes": 24', '"bytes": 24, "zero": "each-run"')],
             "wrong: level 7 ("),
    "before-its-buffer": ("two_sets", [("comp", "rows.texel[slice + at.y", "rows.texel[slice - 1 + at.y")],
                          "it wrote out of bounds, before its buffer 'rows'"),
    "behind-its-buffer": ("two_sets", [("comp", "rows.texel[slice + at.y", "rows.texel[slice + 1 + at.y")],
                          "it wrote out of bounds, behind its buffer 'rows'"),
}
CRASHING = [("json", '"address(rows)"', "0")]
BUSY = "#define N0 1\n" + "".join(f"#define N{i + 1} {'+'.join([f'N{i}'] * 8)}\n" for i in range(12))
ENDLESS = [("json", '"ceil_div(width(first_level), 16)", "ceil_div(height(source_level), 16)", "layers"',
            "60000, 60000, 1000"),
           ("comp", "    if (ALONG_X) {", "    while (rows.texel[0].x >= 0.0) { rows.texel[0] += 1.0; }\n"
            "    if (ALONG_X) {")]


class Kernel(cli.TestCase):
    def edited(self, manifest, edits, name=None):
        """A copy of a manifest and its shader in the test's folder, with edits; its file."""
        name = name or manifest.replace("_", "-")
        ending_of = {path.suffix[1:]: path for path in KERNELS.glob(manifest + ".*")}
        for ending, path in ending_of.items():
            text = path.read_text(encoding="utf-8")
            for where, old, new in edits:
                if where == ending:
                    self.assertIn(old, text)
                    text = text.replace(old, new)
            text = text.replace(f'"{manifest}.', f'"{name}.')
            text = re.sub(r'"name": ".*"', f'"name": "{name}"', text)
            (self.dir / f"{name}.{ending}").write_text(text, encoding="utf-8")
        return f"{name}.json"

    def run_kernels(self, paths, *args, **options):
        """Run manifests, with what this repository's shaders include; images are of no use."""
        return self.quick("pattern:noise:333x257", "--images", "none", "-o", "out", *FOLDERS,
                          *(word for path in paths for word in ("--kernel", str(path))), *args, **options)

    def run_named(self, strategies, *args, **options):
        """Run strategies, of tests/kernels but for the built-in ones."""
        names = {spec.split(":")[0] for spec in strategies}
        paths = [path for path in sorted(KERNELS.glob("*.json"))
                 if json.loads(path.read_text(encoding="utf-8"))["name"] in names]
        return self.run_kernels(paths, "-s", ",".join(strategies), *args, **options)

    def assert_verified(self, outcome, strategies):
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        found = self.rows()
        for row in found:
            self.assertEqual((row["status"], row["verify"]["status"]),
                             ("ok", "skipped" if row["strategy"] == "thinned" else "pass"), row["id"])
        self.assertEqual({row["label"] for row in found}, set(strategies))
        return found

    def digests(self, found):
        """What the chain of each row holds, by width and label."""
        return {(row["width"], row["label"]): (self.dir / "out" / row["chains"][0]).read_bytes()
                for row in found if row["chains"]}

    def assert_alike(self, found, sizes):
        chains = self.digests(found)
        for width in sizes:
            for built_in, own in ALIKE:
                self.assertEqual(chains[width, built_in], chains[width, own], f"{width}: {own}")

    def test_verified(self):
        """Beside the built-in ones, and the same as those that they tell; validated."""
        names = [name for pair in ALIKE for name in pair] + PUBLISHED
        outcome = self.run_named(names, "--size", "128x64,101x70", "-f", "rgba8", "--validate", "--chain", "ktx2")
        found = self.assert_verified(outcome, names)
        self.assert_alike(found, [128, 101])

    def test_formats(self):
        cases = [("rgba8-srgb", ["--size", "101x50"],
                  "compute,my-compute,subgroup:load=texel,my-subgroup"),
                 ("r32f", ["--size", "101x50", "-r", "min"], "my-compute,depth-pyramid,my-spd:wave=off"),
                 ("rgba16f", ["--size", "101x50", "--layers", "3"],
                  "published-spd,two-sets,my-spd:wave=off:counter=host"),
                 ("rgba32f", ["--size", "64x32"], "hlsl,published-spd,general"),
                 ("rg11b10f", ["--size", "50x101"], "my-compute,my-subgroup:npot=box,my-spd:wave=off")]
        for name, args, strategies in cases:
            outcome = self.run_named(strategies.split(","), "-f", name, *args)
            self.assert_verified(outcome, strategies.split(","))
            shutil.rmtree(self.dir / "out")

    def test_refused(self):
        """Before anything runs, in one line that names the file and the place in it."""
        for manifest, ending, old, new, parts in REFUSED:
            path = self.edited(manifest, [(ending, old, new)])
            outcome = self.run_kernels([path], "-f", "rgba8", "-s", "compute," + path[:-5])
            self.assert_error(outcome, 3, path, *parts)
            self.assertFalse((self.dir / "out").exists(), new)

    def test_arrays(self):
        """What a shader's images are, against the views."""
        path = self.edited("depth", [("comp", "uniform sampler2DArray", "uniform usampler2DArray")])
        outcome = self.run_it("kernel", "check", path, "-f", "r32f", "-r", "min")
        self.assert_error(outcome, 3, path, "dispatches[0].bindings[0]: the shader's image is of uint, and the view of "
                          'float: use "format": "words"')

    def test_suggested(self):
        """An image that the manifest takes, where the command line says none."""
        for manifest, edit, args, header in (
                ("depth", [], ["--layers", "3"], "1921x1081 r32f, 11 levels, 3 layers, min"),
                ("depth", [], ["-r", "max", "--size", "64x64"], "64x64 r32f, 7 levels, 1 layer, max"),
                ("general", [("json", '["rgba8",', '["rgba16f",')], [], "1921x1081 rgba16f, 11 levels"),
                ("general", [("json", '{"formats"', '{"max_size": 1000, "square": true, "formats"')], [],
                 "64x64 rgba8, 7 levels"),
                ("general", [("json", '{"formats"', '{"min_size": 2000, "formats"')], [], "4096x4096 rgba8"),
                ("general", [("json", '{"formats"', '{"power_of_two": true, "formats"')], [], "1024x1024 rgba8"),
                ("general", [("json", '{"formats"', '{"multiple_of": 16, "formats"')], [], "1920x1088 rgba8"),
                ("general", [("json", '{"formats"', '{"size": ["4 * 5", 7], "formats"')], ["--size", "20x7"], "20x7 rgba8")):
            outcome = self.run_it("kernel", "check", self.edited(manifest, edit), *args)
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
            self.assertIn(header, outcome.out.decode().splitlines()[0])
            self.assertNotIn(b"not for this image", outcome.out)
        self.assertIn(b"needs shaderStorageImageWriteWithoutFormat\n",
                      self.run_it("kernel", "check", str(KERNELS / "weights.json")).out)
        self.assert_error(self.run_it("kernel", "check", str(KERNELS / "compute.json"), "-s", "spd", *FOLDERS), 2,
                          "'spd' is not of this manifest")

    def test_words(self):
        """A module's image format against -f, a sampler, the smallest size, the variant of an error."""
        for manifest, edit, args, words in (
                ("published_spd", ("json", '"by": "format", "rgba8": "rgba8"', '"by": "format", "rgba8": "rgba16f"'), [],
                 "not for this image: the shader declares 'imgDst' with another format than that of rgba8"),
                ("hlsl", ("json", '"filter": "linear"', '"filter": "linear", "reduction": "max"'), [],
                 "sampler 'bilinear': linear max, mirror"),
                ("general", ("json", '{"formats"', '{"min_size": 65, "formats"'), ["--size", "64x128"],
                 "not for this image: its manifest takes images of at least 65 texels a side"),
                ("general", ("json", '"levels_per_step": 1', '"parameters": {"to": ["good", "bad"]}, '
                             '"levels_per_step": {"by": "to", "good": 1, "bad": 0}'), [],
                 "0 is not an integer from 1 to 10 (general:to=bad)")):
            path = self.edited(manifest, [edit])
            if manifest == "hlsl":
                shutil.copy(KERNELS / "level.hlsl", self.dir)
            outcome = self.run_it("kernel", "check", path, *args)
            self.assertIn(words, (outcome.out + outcome.err).decode())

    def test_said_by_published_kernels(self):
        """A define that is absent, a preamble, stores to bytes: of kernels that know nothing of mipbench."""
        absent = [("json", '"defines": {', '"defines": {"WIDE": {"by": "format", "rgba8": null, "*": 1}, '),
                  ("comp", "0.25 *", "\n#ifndef WIDE\n0.25 *\n#endif\n")]
        preamble = [("json", '"defines": {', '"preamble": "#define QUARTER 0.25", "defines": {'), ("comp", "0.25", "QUARTER")]
        codes = [("json", '"level": "first_level"', '"level": "first_level", "format": "uint8x4"'),
                 ("comp", "FORMAT) uniform writeonly image2D", "rgba8ui) uniform writeonly uimage2D"),
                 ("comp", "0.25 * (row0 + row1)", "uvec4(255 * 0.25 * (row0 + row1) + 0.5)")]
        kinds = {"absent": absent, "preamble": preamble, "codes": codes}
        paths = [self.edited("general", edits, name) for name, edits in kinds.items()]
        outcome = self.run_kernels(paths, "-f", "rgba8", "-s", ",".join(kinds), "--validate", "--image-usage", "needed")
        self.assert_verified(outcome, kinds)

    def test_outside(self):
        """What lies outside of the manifest's folder cannot be read by it, not through a link either."""
        secret = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-secret-"))
        self.addCleanup(shutil.rmtree, secret)
        (secret / "secret.glsl").write_text("the key is under the mat\n", encoding="utf-8")
        (self.dir / "link.glsl").symlink_to(secret / "secret.glsl")
        include = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"%s\"\n"
        for edit, reason in ((("comp", "#version 450\n", include % "link.glsl"), "outside the folders"),
                             (("comp", "#version 450\n", include % (secret / "secret.glsl")), "include"),
                             (("json", '"general.comp"', f'"{secret}/secret.glsl"'), "outside the folders"),
                             (("json", '"general.comp"', '"link.glsl"'), "outside the folders")):
            outcome = self.run_kernels([self.edited("general", [edit])], "-f", "rgba8", "-s", "general")
            self.assert_error(outcome, 3, "general.json: shaders.level.file: ", reason)
            self.assertNotIn(b"under the mat", outcome.err)

    def test_too_large(self):
        """What does not fit the shader or the device is said, and the others run."""
        path = self.edited("published_spd", [("json", ', "max_size": 4096', "")])
        outcome = self.run_kernels([path], "--size", "8192x1", "-f", "rgba8", "-s", "compute,published-spd")
        self.assert_error(outcome, 3, path, "dispatches[0].bindings[1]: ",
                          "the shader's array has 12 elements, for 13 levels")
        path = self.edited("two_sets", [("json", '"layers * width(min(1, levels - 1)) * height * 16"', "1e12")])
        outcome = self.run_kernels([path], "--size", "64x64", "-f", "rgba8", "-s", "compute,two-sets")
        self.assert_error(outcome, 3, path, "buffers.rows.bytes: 1000000000000 is not an integer from 1 to 4294967295")

    def test_wrong_at_a_size(self):
        """A manifest that is wrong for some images only: those rows fail, with the place and the
        size, and all else is measured."""
        for edit, place, reason in (
                (("json", '"levels_per_step": 1', '"levels_per_step": "1 / (width - 64)"'), "levels_per_step",
                 "the expression has no value here: it divides by zero"),
                (("json", '"policy": "floor"', '"policy": "floor", "max_error_lsb": "width - 64"'),
                 "tolerance.max_error_lsb", "expected a bound above 0"),
                (("json", '"policy": "floor"', '"policy": "floor", "reread": ["96 - width >> 1"]'),
                 "tolerance.reread[0]", "16 is not an integer from 0 to 15")):
            path = self.edited("general", [edit])
            outcome = self.run_kernels([path], "--size", "64x64,65x65", "-f", "rgba8", "-s", "compute,general")
            self.assert_error(outcome, 6, f"general: {path}: ", f"{place}: ", reason)
            found = self.rows()
            self.assertEqual([(row["width"], row["strategy"], row["status"]) for row in found],
                             [(64, "compute", "ok"), (64, "general", "failed"),
                              (65, "compute", "ok"), (65, "general", "ok")])
            self.assertIn(f"{place}: ", found[1]["reason"])
            shutil.rmtree(self.dir / "out")
        outcome = self.run_it("tune", "pattern:noise:64x64", "--size", "64x64,65x65", "-f", "rgba8", "--kernel", path,
                              "-s", "compute,general", "-n", "3", "-o", "out")
        self.assertEqual(outcome.code, 6, outcome)
        self.assertIn(f"\nFAILED: general on pattern:noise:64x64, 64x64 rgba8: {path}: ".encode(), outcome.out)

    def test_failing(self):
        """The rows of wrong kernels fail; those beside them are measured."""
        paths = [self.edited(manifest, edits, name) for name, (manifest, edits, _) in FAILING.items()]
        outcome = self.run_kernels(paths, "-f", "rgba8", "-s", ",".join(["compute", *FAILING, "spd:wave=off"]))
        self.assert_error(outcome, 1, "race: wrong: ")
        found = {row["strategy"]: row for row in self.rows()}
        for name, (_, _, reason) in FAILING.items():
            self.assertEqual(found[name]["status"], "failed", name)
            self.assertIn(reason, found[name]["reason"])
        for name in ("compute", "spd"):
            self.assertEqual((found[name]["status"], found[name]["verify"]["status"]), ("ok", "pass"))
            self.assertEqual(len(found[name]["samples_ns"]), 3)

    def run_at_second_size(self, edits, *args):
        """A kernel that takes powers of two only, at 101x66 and 64x64."""
        path = self.edited("two_sets", [("json", '"formats"', '"power_of_two": true, "formats"'), *edits])
        outcome = self.run_kernels([path], "--size", "101x66,64x64", "-f", "rgba8", "-s", "two-sets,compute", *args)
        self.assertEqual([(row["width"], row["strategy"], row["status"]) for row in self.rows()],
                         [(101, "two-sets", "skipped"), (101, "compute", "ok")])
        return outcome

    def test_endless(self):
        """A loop in so many workgroups that no driver's own limit ends it in time."""
        begin_s = time.monotonic()
        outcome = self.run_at_second_size(ENDLESS, "--kernel-timeout", "2")
        self.assert_error(outcome, 6, "two-sets: no answer for 2 s; the device hangs, or the work is too large; if it is only "
                          "slow, give it more: --kernel-timeout")
        self.assertLess(time.monotonic() - begin_s, 60)

    def test_crash(self):
        """What crashes the driver is named, and the program ends as it would have."""
        outcome = self.run_at_second_size(CRASHING)
        self.assert_error(outcome, -signal.SIGSEGV, "two-sets: crashed while the driver ran it")
        process = self.start("pattern:noise:2048x2048", "-n", "1000")
        time.sleep(0.5)
        process.send_signal(signal.SIGSEGV)
        self.assertNotIn(b"crashed", process.communicate()[1])
        self.assertEqual(process.returncode, -signal.SIGSEGV)

    def test_compiling_is_interrupted(self):
        manifest = self.edited("general", [("comp", "void main", BUSY + "#if N12\n#endif\nvoid main")])
        def cpu_ticks(process):
            return int(pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
        for args in (["kernel", "check", manifest], ["kernel", "compile", manifest],
                     ["pattern:noise:16x16", "--kernel", manifest, "-s", "general", "-o", "out"]):
            process = self.start(*args)
            self.wait_for(lambda: cpu_ticks(process) > 50, "compiler at work")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=cli.TIMEOUT_S)
            self.assertEqual(process.returncode, 128 + signal.SIGINT, args)

    def test_narrow_workgroups(self):
        """Full subgroups cannot be required of them: they run, and llvmpipe's partial subgroups are found."""
        path = self.edited("lanes", [("comp", "local_size_x = LANES, local_size_y = 64 / LANES",
                                      "local_size_x = LANES / 2, local_size_y = 128 / LANES")])
        outcome = self.run_kernels([path], "-s", "lanes")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertEqual([row["verify"]["status"] for row in self.rows()], ["fail"])

    def test_compiled(self):
        """What `kernel compile` writes is valid, and stands in for sources that are not there."""
        for manifest in ("general", "published_spd", "lanes"):
            path = self.edited(manifest, [])
            plan = self.run_it("kernel", "check", path)
            self.assertEqual(self.run_it("kernel", "compile", path).code, 0)
            (self.dir / path).with_suffix(".comp").unlink()
            self.assertEqual(str(self.run_it("kernel", "check", path)), str(plan))
            self.assertEqual(self.run_kernels([path], "-f", "rgba8", "-s", path[:-5]).code, 0)
        modules = sorted(self.dir.glob("*.spv"))
        self.assertEqual(len(modules), 3 + 4 + 5)
        for module in modules:
            subprocess.run(["spirv-val", str(module)], check=True)
            module.unlink()
        self.assert_error(self.run_it("kernel", "check", "general.json"), 3, "general.comp: No such file or directory")

    def test_compiled_by_folder(self):
        """Variants that differ in nothing but where they include from."""
        path = self.edited("general", [
            ("comp", "0.25 * (row0 + row1)", "SCALE * (row0 + row1)"),
            ("comp", "layout(local_size", '#extension GL_GOOGLE_include_directive : require\n#include "scale.h"\n'
             "layout(local_size"),
            ("json", '"target"', '"include": [{"by": "scale", "quarter": "quarter", "half": "half"}], "target"'),
            ("json", '"domain"', '"parameters": {"scale": ["quarter", "half"]}, "domain"')])
        for folder, scale in (("quarter", 0.25), ("half", 0.5)):
            (self.dir / folder).mkdir()
            (self.dir / folder / "scale.h").write_text(f"#define SCALE {scale}\n")
        outcome = self.run_it("kernel", "compile", path)
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        (self.dir / "general.comp").unlink()
        self.run_kernels([path], "-f", "rgba8", "-s", "general:*")
        self.assertEqual([row["verify"]["status"] for row in self.rows()], ["pass", "fail"])

    def test_compiled_for_some_images(self):
        """A shader that only images with layers have, and one of high images."""
        path = self.dir / self.edited("depth", [])
        manifest = json.loads(path.read_text())
        shader, step = manifest["shaders"]["level"], manifest["dispatches"][0]
        for name in ("layered", "high"):
            manifest["shaders"][name] = {**shader, "defines": {**shader["defines"], name.upper(): 1}}
        manifest["dispatches"] = [{**step, "when": "layers == 1 && width >= height"},
                                  {**step, "when": "layers > 1", "shader": "layered"},
                                  {**step, "when": "layers == 1 && width < height", "shader": "high"}]
        path.write_text(json.dumps(manifest))
        self.assertEqual(self.run_it("kernel", "compile", path).code, 0)
        (self.dir / "depth.comp").unlink()
        for args in (["--layers", "3"], ["--size", "64x64"], ["--size", "31x65"]):
            outcome = self.run_kernels([path], "-f", "r32f", "-r", "min", "-s", "depth", *args)
            self.assertEqual((outcome.code, outcome.err), (0, b""), args)

    def test_without_a_policy_it_has_its_distance_to_box(self):
        """Which is what may be said of every other texel: here of 64x64, of its own accord."""
        texels = cli.noise(64 * 64 * 4)
        cli.write_png(self.dir / "in.png", 64, 64, texels)
        outcome = self.quick("in.png", "-v", "--kernel", KERNELS / "thinned.json", "-s", "thinned,compute",
                             "-o", "out", "--csv", "out.csv", "--images", "none")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        by_level = [0.0]
        for level in range(1, 7):
            edge = 1 << level
            by_level.append(max(
                abs(texels[4 * (y * 64 + x) + c] -
                    sum(texels[4 * ((y + dy) * 64 + x + dx) + c] for dy in range(edge) for dx in range(edge)) / edge**2)
                for y in range(0, 64, edge) for x in range(0, 64, edge) for c in range(4)))
        thinned = self.rows()[0]["verify"]
        self.assertEqual((thinned["status"], thinned["max_error_lsb"], thinned["drift_lsb"]), ("skipped", None, None))
        self.assertAlmostEqual(thinned["box_lsb"], max(by_level), delta=0.01)
        words = f"{max(by_level):.3g}"
        self.assertRegex(outcome.out.decode(), rf"thinned .* - +{words} LSB +no policy")
        row = next(csv.DictReader((self.dir / "out.csv").read_text().splitlines()))
        self.assertEqual((row["max_error_lsb"], row["drift_lsb"]), ("", ""))
        self.assertAlmostEqual(float(row["box_lsb"]), max(by_level), delta=0.01)
        self.good("in.png", "--kernel", KERNELS / "thinned.json", "-s", "thinned", "-o", "out", "--no-verify")
        self.assertIsNone(self.rows()[0]["verify"]["box_lsb"])

    def test_claims_nothing(self):
        """A bound within which texels of 0 lie, whatever is right, is none: the row is not verified, not
        ranked, and a regression of what was exact."""
        names = ["per-level", "per-level-254", "per-level-255"]
        self.assertEqual(self.run_it("kernel", "new", names[0], "--like", names[0]).code, 0)
        text = (self.dir / "per-level.json").read_text(encoding="utf-8")
        for name in names[1:]:
            bound = f'"policy": "box", "max_error_lsb": {name[-3:]}'
            (self.dir / f"{name}.json").write_text(
                text.replace('"name": "per-level"', f'"name": "{name}"').replace('"policy": "box"', bound), "utf-8")
        outcome = self.run_kernels([f"{name}.json" for name in names], "--size", "64x64", "-f", "rgba8", "-s", ",".join(names))
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        found = [(row["verify"]["status"], row["answers"]) for row in self.rows()]
        self.assertEqual(found, [("pass", ["exact", "any"]), ("pass", ["any"]), ("skipped", [])])
        self.assertRegex(outcome.out.decode(), r"per-level-255 .* [0-9.]+ LSB +claims nothing")
        self.assertIn("nothing is checked: `max_error_lsb` 255 lets all-zero texels pass",
                      self.rows()[2]["warnings"][0]["message"])
        for name, n_rankings in (("per-level-254", 1), ("per-level-255", 0)):
            self.run_kernels([f"{name}.json"], "--size", "64x64", "-f", "rgba8", "-s", name)
            self.assertEqual(len(self.document()["cases"][0]["timings"][0]["rankings"]), n_rankings, name)
        path = self.dir / "per-level.json"
        run = ("pattern:noise:64x64", "--kernel", path, "-s", "per-level", "-n", "20", "--images", "none", "-o")
        self.good(*run, "before")
        path.write_text(text.replace('"policy": "box"', '"policy": "box", "max_error_lsb": 255'), encoding="utf-8")
        self.good(*run, "after")
        outcome = self.run_it("compare", "before", "after", "--fail-on-regression")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("1 regression: per-level is no longer verified", outcome.out.decode())

    def test_verbs(self):
        """They are strategies to all that takes strategies."""
        path = str(KERNELS / "general.json")
        listed = self.run_it("list", "strategies", "--kernel", path)
        self.assertIn(b"level 0 as a storage image, without layers", listed.out)
        inspected = self.run_it("inspect", "--kernel", path, "-s", "general", "--size", "64x64", "-f", "rgba8")
        self.assertEqual(inspected.code, 0, inspected)
        self.assertIn(b"general", inspected.out)
        outcome = self.run_it("tune", "pattern:noise:64x64", "--kernel", path, "-s", "general,thinned", "--kernel",
                              str(KERNELS / "thinned.json"), "-f", "rgba8", "-n", "3", "-o", "tuned")
        self.assertEqual(outcome.code, 0, outcome)
        outcome = self.run_kernels([path], "--size", "64x64", "-f", "rgba8", "-s", "general,compute")
        found = self.assert_verified(outcome, ["general", "compute"])
        outcome = self.run_it("--replay", "out/results.json", "-o", "again")
        self.assertEqual(outcome.code, 0, outcome)
        again = self.rows("again/results.json")
        self.assertEqual([row["id"] for row in again], [row["id"] for row in found])

    def test_replay(self):
        """More manifests come to those that were recorded."""
        path = self.edited("general", [])
        self.assertEqual(self.run_kernels([path], "--size", "64x64", "-f", "rgba8", "-s", "general").code, 0)
        replay = ("--replay", "out/results.json", "-o", "again")
        outcome = self.run_it(*replay, "--kernel", str(KERNELS / "two_sets.json"), "-s", "general,two-sets")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual([row["strategy"] for row in self.rows("again/results.json")], ["general", "two-sets"])

    def test_exported(self):
        """What export writes for a device makes the chain of spd-tree, bit for bit."""
        for name, size, reduce in (("rgba8", "64x64", "avg"), ("rgba8-srgb", "333x257", "avg"),
                                   ("rgba16f", "100x70", "avg"), ("r32f", "257x130", "max")):
            outcome = self.run_it("export", "spd-tree", "-d", "cpu", "-f", f"{name}:{reduce}", "--size", size,
                                  "-o", "tree", "--force")
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
            manifest = f"tree/{name}-{reduce}-{size}.json"
            label = f"spd-tree-{name}-{reduce}-{size}"
            self.assertEqual(self.run_it("kernel", "check", manifest).code, 0)
            outcome = self.run_kernels([manifest], "--size", size, "-f", name, "-r", reduce, "--chain", "ktx2",
                                       "-s", f"spd-tree,{label}")
            found = self.assert_verified(outcome, ["spd-tree", label])
            self.assertEqual(len(set(self.digests(found).values())), 1, label)
            shutil.rmtree(self.dir / "out")

    def test_new(self):
        """The starts of kernels: they run, verified, at any size, and lie in nobody's way."""
        names = ["per-level", "single"]
        for like in names:
            outcome = self.run_it("kernel", "new", f"my-{like}", "--like", like)
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
            outcome = self.run_it("kernel", "check", f"my-{like}.json")
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        mine = [f"my-{like}" for like in names]
        before = cli.snapshot(self.dir)
        for name, sizes in (("rgba8", "64x64,257x130,1x129,1030x33"), ("r32f", "257x130")):
            outcome = self.run_kernels([f"{name}.json" for name in mine], "--size", sizes, "--layers", "2",
                                       "-f", name, "--validate", "-s", ",".join(mine))
            self.assert_verified(outcome, mine)
            shutil.rmtree(self.dir / "out")
        for name in sorted(name for name, *_ in textures.VULKAN.values()):
            these = mine[:1] if name == "rgba8-srgb" else mine
            outcome = self.run_kernels([f"{kernel}.json" for kernel in these], "--size", "64x64,37x29,1x5,333x257",
                                       "-f", name, "-s", ",".join(these))
            self.assert_verified(outcome, these)
            shutil.rmtree(self.dir / "out")
        self.assert_error(self.run_it("kernel", "new", "my-single"), 7, "my-single.json: already exists")
        self.assert_error(self.run_it("kernel", "new", "../up"), 2, "'../up': a name has at most 40")
        self.assertEqual(cli.snapshot(self.dir), before)

    def test_page(self):
        """doc/your-kernel.md, block by block: files are written, keys added, commands run; what they
        are said to print is in what they print."""
        page = (cli.ROOT / "doc/your-kernel.md").read_text(encoding="utf-8")
        found = re.findall(r"(?ms)^```(\w+)\n(.*?)^```", page)
        shutil.copy(KERNELS / "published_spd.comp", self.dir / "my_spd.comp")
        cli.write_png(self.dir / "photo.png", 64, 64, cli.noise(64 * 64 * 4))
        manifest, printed, codes = {}, "", []
        for language, text in found:
            if language == "json":
                manifest = json.loads(text) if text[0] == "{" else {**manifest, **json.loads("{" + text + "}")}
                (self.dir / "my-spd.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
            elif language == "sh":
                for line in text.splitlines():
                    words = shlex.split(line)[1:]
                    outcome = self.run_it(*words, *([] if words[0] == "kernel" else ["-n", "3", "--no-roofline"]))
                    printed, codes = (outcome.out + outcome.err).decode(), codes + [outcome.code]
            elif language == "text":
                for line in text.splitlines():
                    self.assertIn(" ".join(line.split()), " ".join(printed.split()))  # long lines are wrapped
        # The wrong policy; all else runs and is verified.
        self.assertEqual(codes, [0, 0, 0, 0, 1, 0, 0, 0])
        declared = re.findall(r"layout\(.*?;", (self.dir / "my_spd.comp").read_text(), re.DOTALL)
        shown = next(text for language, text in found if language == "glsl")
        for declaration in declared:
            words = re.sub(r"/\*.*?\*/", "", declaration)
            self.assertIn("".join(words.split()), "".join(shown.split()))

    def test_swiftshader(self):
        """Another compiler, and subgroups of four."""
        if not SWIFTSHADER.exists():
            self.skipTest("there is no SwiftShader")
        env = {"VK_ICD_FILENAMES": str(SWIFTSHADER), "VK_DRIVER_FILES": str(SWIFTSHADER)}
        names = ["my-compute", "my-subgroup", "published-spd", "lanes", "general"]
        outcome = self.run_named(names, "--size", "101x66", "-f", "rgba8", env=env)
        self.assert_verified(outcome, names)

    def test_runtime_array(self):
        """An array without a length is bound where the device has such, and skipped where not."""
        path = self.edited("depth", [
            ("comp", "image2DArray target", "image2DArray target[]"), ("comp", "Store(target", "Store(target[level]"),
            ("comp", "#version 450\n", "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n"
             "layout(push_constant) uniform Push { uint level; };\n"),
            ("json", '"level": "first_level"}]', '"levels": {"first": 1, "last": "levels - 1"}}],\n'
             '      "push": {"level": "first_level - 1"}')])
        args = ("--size", "100x75", "-f", "r32f", "-r", "min", "-s", "depth")
        outcome = self.run_kernels([path], *args)
        if outcome.code:  # Mesa 22
            self.assert_error(outcome, 5, "depth: the device has no runtimeDescriptorArray, which shader 'level' needs")
        if SWIFTSHADER.exists():
            env = {"VK_ICD_FILENAMES": str(SWIFTSHADER), "VK_DRIVER_FILES": str(SWIFTSHADER)}
            self.assert_verified(self.run_kernels([path], *args, env=env), ["depth"])

    def test_execution_mode(self):
        """One that needs a feature is named where the device lacks it, as a capability is."""
        path = self.edited("depth", [
            ("comp", "#version 450\n",
             "#version 450\n#extension GL_EXT_subgroup_uniform_control_flow : require\n"),
            ("comp", "void main()", "void main() [[subgroup_uniform_control_flow]]")])
        checked = self.run_it("kernel", "check", path)
        self.assertIn(b"needs shaderSubgroupUniformControlFlow\n", checked.out)
        outcome = self.run_kernels([path], "--size", "100x75", "-f", "r32f", "-r", "min", "-s", "depth")
        if outcome.code:  # Mesa 22
            self.assert_error(outcome, 5, "depth: the device has no shaderSubgroupUniformControlFlow, "
                              "which shader 'level' needs")


if __name__ == "__main__":
    cli.main()
