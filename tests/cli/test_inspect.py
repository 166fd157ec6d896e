#!/usr/bin/env python3
"""mipbench inspect: what kernels are compiled to, on the software device and on AMD chips that are
not there."""
import json
import os
import pathlib
import unittest

import cli

DRIVERS = [pathlib.Path("/usr/share/vulkan/icd.d"), pathlib.Path("/etc/vulkan/icd.d")]
FORMATS = ["rgba8", "r32f"]  # a format takes half a minute for a chip, unless the driver has it cached
STRATEGIES = {"blit", "raster", "compute", "subgroup", "spd", "spd-metal", "spd-tree", "separable"}
WITH_LANES = {"subgroup", "spd", "spd-tree"}


def driver(name):
    """The file of one of Mesa's drivers, or None."""
    found = [path for folder in DRIVERS for path in sorted(folder.glob(f"{name}_icd*.json"))]
    return str(found[0]) if found else None


class Case(cli.TestCase):
    def inspect(self, *args, env=None, code=0):
        outcome = self.run_it("inspect", *args, "--json", env=env)
        self.assertEqual(outcome.code, code, outcome)
        document = json.loads(outcome.out)
        self.assertEqual(document["schema"]["name"], "mipbench-inspection")
        return document


class Software(Case):
    def test_software_device(self):
        chosen = {"blit", "raster", "compute"}  # it compiles others for minutes
        document = self.inspect("-d", "cpu", "--size", "64x64,32x32", "-s", ",".join(sorted(chosen)))
        self.assertTrue(document["device"]["executes"])
        variants = document["variants"]
        self.assertEqual([(v["width"], v["height"]) for v in variants],
                         [(64, 64)] * len(chosen) + [(32, 32)] * len(chosen))
        self.assertEqual({v["strategy"] for v in variants}, chosen)
        self.assertEqual({v["status"] for v in variants}, {"ok"})
        for variant in variants:
            self.assertEqual(len(variant["kernels"]) > 0, variant["strategy"] != "blit", variant)
            self.assertEqual(len(variant["kernels"]), len(variant["pipelines"]))
        self.assertEqual({v["label"] for v in variants}, chosen)

    def test_text(self):
        outcome = self.run_it("inspect", "-d", "cpu", "-s", "blit,compute", "-f", "r8,r32f", "-r", "max",
                              "--size", "9x7")
        text = outcome.out.decode("utf-8")
        self.assertEqual(outcome.code, 5, outcome)  # blit has no maxima
        self.assert_error(outcome, 5, "blit: ", "averages only")
        for part in ("9x7 r8, max", "9x7 r32f, max", "skipped: ", "compute/compute.comp"):
            self.assertIn(part, text)

    def test_refused(self):
        """An image that cannot be is a reason, not a failure; with nothing left the exit code says so."""
        outcome = self.run_it("inspect", "-d", "cpu", "--size", "32768x32768", "-s", "compute")
        self.assert_error(outcome, 5, "32768x32768")
        outcome = self.run_it("inspect", "-d", "cpu", "-s", "spd:lanes=64")
        self.assert_error(outcome, 5, "lanes=64", "subgroups of")
        outcome = self.run_it("inspect", "-d", "none such")
        self.assert_error(outcome, 4, "no device fits")


@unittest.skipUnless(driver("radeon"), "RADV is not installed: mesa-vulkan-drivers")
class Null(Case):
    """RADV compiles for chips that are not there."""

    def env(self, family, *more):
        env = {"RADV_FORCE_FAMILY": family, "VK_DRIVER_FILES": ":".join([driver("radeon"), *more])}
        if self.run_it("list", "devices", env=env).code != 0:
            return None
        return {**env, "VK_ICD_FILENAMES": env["VK_DRIVER_FILES"]}

    def chip(self, *names):
        """The environment of the first family that the driver knows: its name has changed."""
        found = next(filter(None, map(self.env, names)), None)
        if not found:
            self.skipTest(f"the driver knows none of {names}")
        return found

    def check_chip(self, env, formats, *args):
        """Nothing is refused for the device's sake, and nothing spills."""
        document = self.inspect("--size", "1024x1024,1021x1023", "-f", ",".join(formats), *args, env=env)
        self.assertFalse(document["device"]["executes"])
        for variant in document["variants"]:
            name = f'{variant["strategy"]} {variant["format"]} {variant["width"]}: {variant["reason"]}'
            self.assertIn(variant["status"], ("ok", "skipped"), name)
            self.assertTrue(variant["status"] == "ok" or not any(
                word in variant["reason"] for word in ("subgroup", "device")), name)
            for kernel in variant["kernels"]:
                self.assertEqual((kernel["spills"], kernel["scratch_bytes"]), (0, 0), name)
                self.assertGreater(kernel["registers"], 0, name)
                self.assertGreater(kernel["occupancy"], 0, name)
                self.assertIn(kernel["subgroup_size"], (32, 64), name)
        self.assertEqual({v["strategy"] for v in document["variants"]}, STRATEGIES)
        return document["variants"]

    def test_gcn(self):
        env = self.chip("vega10")
        self.check_chip(env, FORMATS)
        outcome = self.run_it("inspect", "-s", "spd-tree:lanes=32", env=env)
        self.assert_error(outcome, 5, "subgroups of 64 to 64")

    def test_rdna(self):
        env = self.chip("navi31", "gfx1100")
        for size, formats in ((32, FORMATS[:1]), (64, FORMATS[1:])):
            lanes = [f"{name}:lanes={size}" if name in WITH_LANES else name for name in STRATEGIES]
            variants = self.check_chip(env, formats, "-s", ",".join(lanes))
            sizes = {k["subgroup_size"] for v in variants for k in v["kernels"]
                     if v["strategy"] in WITH_LANES}
            self.assertEqual(sizes, {size})

    def test_nothing_is_executed(self):
        env = self.chip("vega10")
        for args in (["pattern:noise:8x8"], ["--self-test"], ["tune", "--size", "8x8"]):
            outcome = self.run_it(*args, env=env)
            self.assert_error(outcome, 4, "executes nothing", "mipbench inspect")
        for what in ("devices", "strategies", "formats"):
            outcome = self.run_it("list", what, env=env)
            self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        devices = json.loads(self.run_it("list", "devices", "--json", env=env).out)["devices"]
        self.assertEqual([device["executes"] for device in devices], [False])

    @unittest.skipUnless(driver("lvp"), "lavapipe is not installed")
    def test_beside_another(self):
        """A run takes the device that executes."""
        env = self.env("vega10", driver("lvp"))
        self.assertTrue(env)
        outcome = self.good("pattern:noise:8x8", "-s", "blit", "--images", "none", "-o", "out", env=env)
        self.assertIn(b"llvmpipe", outcome.out)
        self.assertFalse(self.inspect("-s", "blit", env=env)["device"]["executes"])


if __name__ == "__main__":
    os.environ.pop("RADV_FORCE_FAMILY", None)
    cli.main()
