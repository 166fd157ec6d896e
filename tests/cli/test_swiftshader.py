#!/usr/bin/env python3
"""SwiftShader, which nobody of Mesa wrote, verifies every strategy: Debian's chromium has it. Its
subgroups have four lanes, and it compiles spd-tree for ten seconds a size."""
import concurrent.futures
import os
import pathlib
import sys
import unittest

import cli

DRIVER = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")
ENV = {"VK_ICD_FILENAMES": str(DRIVER), "VK_DRIVER_FILES": str(DRIVER)}

if not DRIVER.exists():
    print(f"skipped: chromium is not installed: there is no {DRIVER}")
    sys.exit(77)
if os.environ.get("MB_TEST_QUICK"):
    print("skipped: the same commands run without sanitizers")
    sys.exit(77)

# Odd, even and narrow on both axes, and beside the sizes of tiles.
SIZES = "17x17,1x17,31x33,64x64,129x65,257x255"
OTHERS = {"blit", "raster", "compute", "subgroup", "spd", "spd-metal", "separable"}
RUNS = {("spd-tree", "64x64"): {"spd-tree"}, ("spd-tree", "65x33"): {"spd-tree"}, (",".join(sorted(OTHERS)), SIZES): OTHERS}


class SwiftShader(cli.TestCase):
    def run_one(self, strategies, sizes):
        out = f"out-{sizes}"
        self.good("pattern:noise:257x255", "--size", sizes, "-s", strategies, "--images", "none", "-o", out, env=ENV)
        return self.document(f"{out}/results.json")

    def test_all(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            documents = list(pool.map(lambda run: self.run_one(*run), RUNS))
        for (_, sizes), strategies, document in zip(RUNS, RUNS.values(), documents):
            self.assertIn("SwiftShader", document["device"]["name"])
            self.assertEqual(len(document["cases"]), len(sizes.split(",")))
            for case in document["cases"]:
                found = {variant["strategy"]: variant["verify"]["status"] for variant in case["variants"]}
                self.assertEqual(found, {name: "pass" for name in strategies}, case["id"])


if __name__ == "__main__":
    cli.main()
