#!/usr/bin/env python3
"""Run test_validation case by case and require of each planted defect its own message.

usage: check_validation.py PROGRAM [chromium]

chromium: by the layer that Debian's chromium has, years newer than the distribution's, and of the
product only what each strategy does by default.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# What a layer must say, 1.3.239 or the one of 2026, or None for nothing at all.
CASES = {
    "product": None,
    "strategies": None,
    "nothing": None,
    "usage": ("VUID-VkImageViewCreateInfo-", "must not include any bits that were not set in VkImageCreateInfo::usage"),
    "leak": ("VUID-vkDestroyDevice-device-",),
    "query": ("QueryNotReset", "query not reset"),
    "blit-barrier": ("SYNC-HAZARD-READ-AFTER-WRITE", "READ_AFTER_WRITE hazard"),
    "compute-barrier": ("SYNC-HAZARD-READ-AFTER-WRITE", "READ_AFTER_WRITE hazard"),
}
LAYER = "VK_LAYER_KHRONOS_validation"
CHROMIUM_LAYER = pathlib.Path("/usr/lib/chromium/libVkLayer_khronos_validation.so")


def write_manifest(folder):
    """The layer lies in chromium's folder without one."""
    extensions = ["VK_EXT_debug_utils", "VK_EXT_validation_features", "VK_EXT_layer_settings"]
    layer = {"name": LAYER, "type": "GLOBAL", "library_path": str(CHROMIUM_LAYER), "api_version": "1.4.300",
             "implementation_version": "1", "description": LAYER,
             "instance_extensions": [{"name": name, "spec_version": "1"} for name in extensions]}
    path = pathlib.Path(folder, "VkLayer_khronos_validation.json")
    path.write_text(json.dumps({"file_format_version": "1.2.0", "layer": layer}), encoding="utf-8")


def check_all(program, cases, env):
    failed = 0
    for case in cases:
        messages = CASES[case]
        run = subprocess.run([program, case], capture_output=True, text=True, timeout=1800, errors="replace",
                             env={**os.environ, **env})
        if run.returncode == 77:
            print(run.stdout, end="")
            return 77
        said = [line for line in run.stderr.splitlines() if "validation:" in line]
        good = run.returncode == 0 and (
            any(message in line for line in said for message in messages) if messages else not said)
        print(f"{'ok  ' if good else 'FAIL'} {case}: {len(said)} messages")
        for line in filter(lambda it: it.startswith("left out"), run.stdout.splitlines()):
            print(line)
        if not good:
            print(run.stdout, run.stderr[-3000:])
        failed += not good
    print(f"check_validation: {len(cases)} cases, {failed} failed")
    return 1 if failed else 0


def main(argv):
    if len(argv) == 2:
        return check_all(argv[1], [case for case in CASES if case != "strategies"], {})
    if argv[2:] != ["chromium"]:
        sys.exit(__doc__)
    if not CHROMIUM_LAYER.exists():
        print(f"skipped: chromium is not installed: there is no {CHROMIUM_LAYER}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        write_manifest(folder)
        return check_all(argv[1], [case for case in CASES if case != "product"], {"VK_LAYER_PATH": folder})


if __name__ == "__main__":
    sys.exit(main(sys.argv))
