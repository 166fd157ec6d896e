#!/usr/bin/python3
"""reference.sh with a mipbench that only notes what it was asked: exit codes, number of runs."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = None

FAKE = """#!/bin/sh
printf '%s\\n' "$*" >>"${0%/*}/calls"
for word; do
    case $last in --json) [ "$word" = - ] || printf '{\n\t"a":\t[1, 2]\n}' >"$word" ;; esac
    last=$word
done
case "$*" in
*--self-test*) echo self-test; exit SELFTEST ;;
*"--json -"*) printf '{"type": "DEVICE"}\\n' ;;
*"--mode all"*) exit MODES ;;
esac
"""


class Reference(unittest.TestCase):
    said = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def run_it(self, *args, device="cpu", selftest=0, modes=0):
        """The exit code, and the command lines that mipbench got."""
        shutil.rmtree(self.dir / "set", ignore_errors=True)
        fake = self.dir / "mipbench"
        fake.write_text(FAKE.replace("SELFTEST", str(selftest)).replace("DEVICE", device)
                        .replace("MODES", str(modes)))
        fake.chmod(0o755)
        calls = self.dir / "calls"
        calls.unlink(missing_ok=True)
        done = subprocess.run([SCRIPT, "--mipbench", fake, "--out", self.dir / "set", *args],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.said = done.stdout.decode()
        return done.returncode, calls.read_text().splitlines() if calls.exists() else []

    def count_runs(self, *args, **options):
        code, calls = self.run_it(*args, **options)
        self.assertEqual(code, 0)
        self.assertEqual(len([call for call in calls if "--self-test" in call]), 1)
        return len(list((self.dir / "set").glob("run-*.json")))

    def test_number_of_runs(self):
        parts = ("selftest", "runs")
        self.assertEqual(self.count_runs(*parts), 1)
        self.assertEqual(self.count_runs("--runs", "3", *parts), 3)
        self.assertEqual(self.count_runs(*parts, device="discrete"), 5)
        self.assertEqual(self.count_runs("--runs", "2", *parts, device="discrete"), 2)
        for bad in ("0", "", "x"):
            self.assertEqual(self.run_it("--runs", bad), (2, []))

    def measured(self):
        return {path.stem for path in (self.dir / "set").glob("*.json")}

    def test_failed_self_test(self):
        self.assertEqual(self.run_it("selftest", "variants", selftest=1)[0], 1)
        self.assertIn("variants", self.measured())

    def test_failed_run(self):
        self.assertEqual(self.run_it("modes", "variants", modes=6)[0], 6)
        self.assertNotIn("variants", self.measured())

    def test_wrong_row(self):
        self.assertEqual(self.run_it("modes", "variants", modes=1)[0], 1)
        self.assertIn("variants", self.measured())
        self.assertIn("modes: a row is wrong", self.said)

    def test_parts(self):
        code, calls = self.run_it("r32f", "selftest", "modes")
        self.assertEqual(code, 0)
        self.assertEqual(self.measured(), {"format-r32f-avg", "format-r32f-max", "modes"})
        self.assertEqual(sum("--self-test" in call for call in calls), 1)
        self.assertEqual(self.run_it("formats"), (2, []))

    def test_every_format(self):
        """Those of the program's table, each with averages and maxima."""
        table = (pathlib.Path(SCRIPT).parent.parent / "src/image/format.c").read_text()
        names = re.findall(r'\.name = "(\w[\w-]*)"', table)
        self.assertEqual(len(names), 12)
        self.assertEqual(self.run_it()[0], 0)
        self.assertEqual({name for name in self.measured() if name.startswith("format-")},
                         {f"format-{name}-{which}" for name in names for which in ("avg", "max")})

    def test_json_without_white_space(self):
        self.run_it("modes")
        self.assertEqual((self.dir / "set/modes.json").read_text(), '{"a":[1, 2]}\n')

    def test_options_of_the_self_test(self):
        _, calls = self.run_it("selftest", "modes", "--", "-d", "1", "-n", "5", "--seed=3", "-scompute")
        self.assertEqual([call for call in calls if "--self-test" in call],
                         ["--self-test -d 1 --seed=3"])
        self.assertIn(" -d 1 -n 5 --seed=3 -scompute ", calls[-1])


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main(verbosity=1)
