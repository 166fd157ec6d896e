#!/usr/bin/env python3
"""Run test_validation case by case and require of each planted defect its own message.

usage: check_validation.py PROGRAM
"""
import subprocess
import sys

# What the layer (1.3.239) must say, or None for nothing at all.
CASES = {
    "product": None,
    "nothing": None,
    "usage": "VUID-VkImageViewCreateInfo-",
    "leak": "VUID-vkDestroyDevice-device-00378",
    "query": "QueryNotReset",
    "blit-barrier": "SYNC-HAZARD-READ-AFTER-WRITE",
    "compute-barrier": "SYNC-HAZARD-READ-AFTER-WRITE",
}


def main(argv):
    if len(argv) != 2:
        sys.exit(__doc__)
    failed = 0
    for case, message in CASES.items():
        run = subprocess.run([argv[1], case], capture_output=True, text=True, timeout=1800,
                             errors="replace")
        if run.returncode == 77:
            print(run.stdout, end="")
            return 77
        said = [line for line in run.stderr.splitlines() if "validation:" in line]
        good = run.returncode == 0 and (
            any(message in line for line in said) if message else not said)
        print(f"{'ok  ' if good else 'FAIL'} {case}: {len(said)} messages")
        if not good:
            print(run.stdout, run.stderr[-3000:])
        failed += not good
    print(f"check_validation: {len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
