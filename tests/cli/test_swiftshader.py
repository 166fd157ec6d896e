#!/usr/bin/env python3
"""SwiftShader, which nobody of Mesa wrote, verifies every strategy: Debian's chromium has it. Its
subgroups have four lanes."""
import pathlib
import sys

import cli

DRIVER = pathlib.Path("/usr/lib/chromium/vk_swiftshader_icd.json")
ENV = {"VK_ICD_FILENAMES": str(DRIVER), "VK_DRIVER_FILES": str(DRIVER)}

if not DRIVER.exists():
    print(f"skipped: chromium is not installed: there is no {DRIVER}")
    sys.exit(77)
if cli.IS_EMULATED:
    print("skipped: SwiftShader is the host's")
    sys.exit(77)

# Odd, even and narrow on both axes, and beside the sizes of tiles.
SIZES = "17x17,1x17,31x33,64x64,129x65,257x255"
STRATEGIES = {"blit", "raster", "compute", "subgroup", "spd", "spd-metal", "spd-tree", "separable"}


class SwiftShader(cli.TestCase):
    def test_all(self):
        self.good("pattern:noise:257x255", "--size", SIZES, "--images", "none", "-o", "out", env=ENV)
        document = self.document()
        self.assertIn("SwiftShader", document["device"]["name"])
        self.assertEqual(len(document["cases"]), len(SIZES.split(",")))
        for case in document["cases"]:
            found = {variant["strategy"]: variant["verify"]["status"] for variant in case["variants"]}
            self.assertEqual(found, {name: "pass" for name in STRATEGIES}, case["id"])


if __name__ == "__main__":
    cli.main()
