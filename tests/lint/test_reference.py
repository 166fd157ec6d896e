#!/usr/bin/python3
"""reference.sh with a mipbench that only notes what it was asked: exit codes, number of runs."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = None

FAKE = """#!/bin/sh
printf '%s\\n' "$*" >>"$(dirname "$0")/calls"
case "$*" in
*--self-test*) echo self-test; exit SELFTEST ;;
*"--json -"*) printf '{"type": "DEVICE"}\\n' ;;
*/modes.json*) exit MODES ;;
esac
"""


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def run_it(self, *args, device="cpu", selftest=0, modes=0):
        """The exit code, and the command lines that mipbench got."""
        fake = self.dir / "mipbench"
        fake.write_text(FAKE.replace("SELFTEST", str(selftest)).replace("DEVICE", device)
                        .replace("MODES", str(modes)))
        fake.chmod(0o755)
        calls = self.dir / "calls"
        calls.unlink(missing_ok=True)
        done = subprocess.run([SCRIPT, "--mipbench", fake, "--out", self.dir / "set", *args],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, calls.read_text().splitlines() if calls.exists() else []

    def count_runs(self, *args, **options):
        code, calls = self.run_it(*args, **options)
        self.assertEqual(code, 0)
        return sum("/run-" in call for call in calls)

    def test_number_of_runs(self):
        self.assertEqual(self.count_runs(), 1)
        self.assertEqual(self.count_runs("--runs", "3"), 3)
        self.assertEqual(self.count_runs(device="discrete"), 5)
        self.assertEqual(self.count_runs("--runs", "2", device="discrete"), 2)
        for bad in ("0", "", "x"):
            self.assertEqual(self.run_it("--runs", bad), (2, []))

    def test_failed_self_test(self):
        code, calls = self.run_it(selftest=1)
        self.assertEqual(code, 1)
        self.assertTrue(any("/variants.json" in call for call in calls), calls)

    def test_failed_run(self):
        code, calls = self.run_it(modes=6)
        self.assertEqual(code, 6)
        self.assertFalse(any("/variants.json" in call for call in calls), calls)

    def test_options_of_the_self_test(self):
        _, calls = self.run_it("--", "-d", "1", "-n", "5", "--seed=3", "-scompute")
        self.assertEqual([call for call in calls if "--self-test" in call],
                         ["--self-test -d 1 --seed=3"])
        runs = [call for call in calls if "/run-" in call]
        self.assertIn(" -d 1 -n 5 --seed=3 -scompute ", runs[0])


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main(verbosity=1)
