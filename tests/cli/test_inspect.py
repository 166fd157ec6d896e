#!/usr/bin/env python3
"""mipbench inspect: what kernels are compiled to, on the software device and on AMD chips that are
not there."""
import concurrent.futures
import json
import os
import pathlib
import unittest

import cli

DRIVERS = [pathlib.Path("/usr/share/vulkan/icd.d"), pathlib.Path("/etc/vulkan/icd.d")]
CLASSES = ["rgba8", "rgba8-srgb", "rgb10a2", "rgba16f", "rgba32f", "rg11b10f"]  # each a codec
FORMATS = CLASSES + ["r8", "rg8", "r16f", "rg16f", "r32f", "rg32f"]
STRATEGIES = {"blit", "raster", "compute", "subgroup", "spd", "spd-metal", "spd-tree", "separable"}
# What RADV says of a chip that is not there (Mesa 25.0).
OF_RADV = b"ac_compute_device_uuid's output is based on invalid pci bus info.\n"
WITH_LANES = {"subgroup", "spd", "spd-tree"}


def driver(name):
    """The file of one of Mesa's drivers, or None."""
    found = [path for folder in DRIVERS for path in sorted(folder.glob(f"{name}_icd*.json"))]
    return str(found[0]) if found else None


class Case(cli.TestCase):
    def run_it(self, *args, **options):
        outcome = super().run_it(*args, **options)
        outcome.err = outcome.err.replace(OF_RADV, b"")
        return outcome

    def inspect(self, *args, env=None, code=0):
        outcome = self.run_it("inspect", *args, "--json", env=env)
        self.assertEqual(outcome.code, code, outcome)
        document = json.loads(outcome.out)
        self.assertEqual(document["schema"]["name"], "mipbench-inspection")
        return document


class Software(Case):
    def test_software_device(self):
        document = self.inspect("-d", "cpu", "--size", "64x64,32x32", "-s", ",".join(sorted(STRATEGIES)))
        self.assertTrue(document["device"]["executes"])
        variants = document["variants"]
        self.assertEqual([(v["width"], v["height"]) for v in variants],
                         [(64, 64)] * len(STRATEGIES) + [(32, 32)] * len(STRATEGIES))
        self.assertEqual({v["strategy"] for v in variants}, STRATEGIES)
        self.assertEqual({v["status"] for v in variants}, {"ok"})
        for variant in variants:
            self.assertEqual(len(variant["kernels"]) > 0, variant["strategy"] != "blit", variant)
            self.assertEqual(len(variant["kernels"]), len(variant["pipelines"]))
        self.assertEqual({v["label"] for v in variants}, STRATEGIES)

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
        self.assert_error(outcome, 4, "no device matches")
        self.assert_error(self.run_it("inspect", "--null", "vega10"), 2, "amd:vega10")


# What is compiled for chips: all of them with MB_TEST_FULL=1.
if os.environ.get("MB_TEST_FULL"):
    CHIPS = [("polaris10", None), ("vega10", None), ("navi21", 32), ("navi21", 64), ("navi31", 32), ("navi31", 64)]
    PLAN = (",".join(FORMATS), "1024x1024,1021x1023,1920x1080,4095x4095,4096x4096,17x300,1000x1")
else:
    CHIPS = [("vega10", None), ("navi31", None)]
    PLAN = (",".join(CLASSES), "1024x1024,1021x1023")

# Known to spill by Mesa 22, and no longer by 25: chip, strategy, format, odd size.
SPILLS = {("navi31", "spd-tree", "rgba32f", True), ("navi31", "spd-tree", "rgba16f", True)}


def is_odd(variant):
    return variant["width"] % 2 != 0 or variant["height"] % 2 != 0


@unittest.skipIf(cli.IS_EMULATED, "RADV is the host's")
@unittest.skipUnless(driver("radeon"), "RADV is not installed: mesa-vulkan-drivers")
class Null(Case):
    """RADV compiles for chips that are not there."""

    def compile(self, chip, strategies, formats, sizes):
        document = self.inspect("--null", f"amd:{chip}", "-s", strategies, "-f", formats, "--size", sizes)
        self.assertFalse(document["device"]["executes"])
        return document["variants"]

    def check(self, chip, variant):
        """Nothing is refused for the device's sake, and nothing spills but what is known to."""
        name = f'{chip}: {variant["label"]} {variant["format"]} {variant["width"]}: {variant["reason"]}'
        self.assertIn(variant["status"], ("ok", "skipped"), name)
        self.assertTrue(variant["status"] == "ok" or not any(
            word in variant["reason"] for word in ("subgroup", "device", "lanes")), name)
        spills = sum(kernel["spills"] + kernel["scratch_bytes"] for kernel in variant["kernels"])
        is_known = (chip, variant["strategy"], variant["format"], is_odd(variant)) in SPILLS
        self.assertTrue(spills == 0 or is_known, f"{name}{spills} spills and bytes of scratch")
        for kernel in variant["kernels"]:
            self.assertGreater(kernel["registers"], 0, name)
            self.assertGreater(kernel["occupancy"], 0, name)

    def check_chip(self, chip, lanes):
        def spec(name):
            return f"{name}:lanes={lanes}" if lanes and name in WITH_LANES else name
        variants = self.compile(chip, ",".join(map(spec, sorted(STRATEGIES))), *PLAN)
        for variant in variants:
            with self.subTest(chip=chip, lanes=lanes, label=variant["label"]):
                self.check(chip, variant)
                sizes = {kernel["subgroup_size"] for kernel in variant["kernels"]}
                self.assertTrue(not lanes or variant["strategy"] not in WITH_LANES or sizes <= {lanes})
        self.assertEqual({v["strategy"] for v in variants if v["status"] == "ok"}, STRATEGIES)

    def test_chips(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for check in [pool.submit(self.check_chip, *chip) for chip in CHIPS]:
                check.result()

    def test_lanes(self):
        """Two sizes on RDNA, one on GCN."""
        for lanes in (32, 64):
            specs = ",".join(f"{name}:lanes={lanes}" for name in sorted(WITH_LANES))
            variants = self.compile("navi31", specs, "rgba8", "1024x1024")
            self.assertEqual({k["subgroup_size"] for v in variants for k in v["kernels"]}, {lanes})
            for variant in variants:
                self.check("navi31", variant)
        outcome = self.run_it("inspect", "--null", "amd:vega10", "-s", "spd-tree:lanes=32")
        self.assert_error(outcome, 5, "subgroups of 64 to 64")

    def test_no_such_chip(self):
        self.assert_error(self.run_it("inspect", "--null", "amd:vega1"), 4, "knows no chip 'VEGA1'")

    def env(self, family, *more):
        drivers = ":".join([driver("radeon"), *more])
        return {"RADV_FORCE_FAMILY": family, "VK_DRIVER_FILES": drivers, "VK_ICD_FILENAMES": drivers}

    def test_nothing_is_executed(self):
        env = self.env("vega10")
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
        outcome = self.good("pattern:noise:8x8", "-s", "blit", "--images", "none", "-o", "out", env=env)
        self.assertIn(b"llvmpipe", outcome.out)
        self.assertFalse(self.inspect("-s", "blit", env=env)["device"]["executes"])


if __name__ == "__main__":
    os.environ.pop("RADV_FORCE_FAMILY", None)
    cli.main()
