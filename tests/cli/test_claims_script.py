#!/usr/bin/env python3
"""scripts/claims.sh, with a stand-in for mipbench. usage: test_claims_script.py MIPBENCH"""
import pathlib
import subprocess
import sys

import claims_fixture
import cli

# Stands in for mipbench, but for `compare`: logs its arguments; writes the template under a run id of its own, unless
# an option is one that it does not know.
STAND_IN = """#!/usr/bin/env bash
[ "$1" != compare ] || exec "$MIPBENCH" "$@"
echo "$@" >>"$STATE/log"
case " $* " in
*" --mode latency,beside "*) echo "mipbench: error: no such mode" >&2; exit 2 ;;
*" --image-usage "*) exit "${USAGE_EXIT:-5}" ;;
esac
while [ $# -gt 0 ]; do
    [ "$1" != --json ] || json=$2
    shift
done
sed "s/RUN_ID/$(basename "$json")/" "$STATE/template.json" >"$json"
"""


class Measuring(claims_fixture.TestCase):
    def setUp(self):
        super().setUp()
        self.stand_in = self.dir / "mipbench"
        self.stand_in.write_text(STAND_IN, encoding="utf-8")
        self.stand_in.chmod(0o755)
        self.template("discrete")

    def template(self, kind):
        file = claims_fixture.File("RUN_ID", type=kind)
        file.row("spd:wave=quad", 9000)
        file.row("spd:wave=off", 10000)
        file.write(self.dir, "template")

    def measure(self, *arguments, **env):
        script = cli.SCRIPTS / "claims.sh"
        done = subprocess.run([str(script), "--mipbench", str(self.stand_in),
                               *arguments], cwd=self.dir, capture_output=True, check=False,
                              env={"PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin",
                                   "STATE": str(self.dir), "MIPBENCH": cli.BINARY, **env}, timeout=cli.TIMEOUT_S)
        return cli.Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def logged(self):
        return (self.dir / "log").read_text(encoding="utf-8").splitlines()

    def test_all_command_lines_are_run_and_judged(self):
        outcome = self.measure("--runs", "2", "--out", "set", "--", "--seed", "3")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("| holds |", outcome.out)
        self.assertIn("beside: not measured in full (mipbench: exit 2)", outcome.err)
        lines = self.logged()[1:]  # the first one looks for the device
        listed = [line.split("\t") for line in self.claims("--commands").out.splitlines()]
        self.assertEqual(len(lines), sum(2 if often == "repeated" else 1 for _, often, _ in listed))
        for _, _, words in listed:
            self.assertTrue(any(f"pattern:noise:4096x4096 {words} --seed 3" in line
                                for line in lines), words)
        for name in ("whole-1.json", "whole-2.json", "rect-2.json", "claims.md", "claims.json"):
            self.assertTrue((self.dir / "set" / name).is_file(), name)

    def test_a_software_device_gets_small_sizes(self):
        self.template("cpu")
        outcome = self.measure("--out", "set")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertTrue(all("512x512" in line for line in self.logged()[1:]))
        self.assertTrue((self.dir / "set" / "whole-3.json").is_file())
        self.assertFalse((self.dir / "set" / "whole-4.json").exists())

    def test_what_breaks_off_stops_it(self):
        outcome = self.measure("--runs", "1", "--out", "set", USAGE_EXIT="6")
        self.assertEqual(outcome.code, 6, outcome)
        self.assertFalse((self.dir / "set" / "claims.md").exists())

    def test_wrong_command_lines(self):
        (self.dir / "set").mkdir()
        (self.dir / "set" / "old.json").write_text("{}")
        for arguments in (["--runs", "0"], ["--runs"], ["--nope"], ["--out", "set"]):
            outcome = self.measure(*arguments)
            self.assertEqual(outcome.code, 2, outcome)
            self.assertTrue(outcome.err.startswith("claims: error: "), outcome)
        self.assertFalse((self.dir / "log").exists())


if __name__ == "__main__":
    cli.main()
