#!/usr/bin/env python3
"""scripts/claims.py and claims.sh: the verdicts on the kept set, and on what was changed in it; a
stand-in for mipbench measures. usage: test_claims.py MIPBENCH"""
import json
import shutil
import subprocess
import sys
import pathlib

import cli
import kept_sets

PAGE = cli.ROOT / "doc/claims.md"

# Logs its arguments, and writes what is kept of the run of that name.
STAND_IN = """#!/usr/bin/env bash
[ "$1" != compare ] || exec "$MIPBENCH" "$@"
echo "$@" >>"$STATE/log"
case " $* " in
*" --image-usage "*) exit "${USAGE_EXIT:-5}" ;;
esac
while [ $# -gt 0 ]; do
    [ "$1" != --json ] || json=$2
    shift
done
name=$(basename "$json")
[ -f "$STATE/$name" ] || name=order.json
cp "$STATE/$name" "$json"
"""


class ClaimsCase(cli.TestCase):
    def setUp(self):
        super().setUp()
        self.set = self.dir / "set"
        shutil.copytree(kept_sets.CLAIMS, self.set)

    def change(self, name, change):
        """Of a file of the set; `change` takes what it holds."""
        root = kept_sets.load(self.set / name)
        change(root)
        (self.set / name).write_text(json.dumps(root), encoding="utf-8")

    def claims(self, *arguments):
        return self.script("claims.py", "--mipbench", cli.BINARY, *arguments)

    def line(self, words, **options):
        """The line of the claim that has these words."""
        outcome = self.claims(self.set, **options)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        found, = [line for line in outcome.out.splitlines() if words in line]
        return found


class Verdicts(ClaimsCase):
    def test_the_page_is_what_the_kept_runs_say(self):
        outcome = self.claims(kept_sets.CLAIMS)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        self.assertEqual(outcome.out, PAGE.read_text(encoding="utf-8"))
        self.assertEqual(outcome.out.count("\n| ✓ |"), 7)
        self.assertEqual(outcome.out.count("\n| ✗ |"), 8)

    def scale(self, label, factor):
        def change(root):
            for case in root["cases"]:
                ids = [it["id"] for it in case["variants"] if it["label"] == label]
                for timing in case["timings"]:
                    for column in timing["blocks"]["columns"]:
                        if column["variant"] in ids:
                            column["durations_ns"] = [factor * it for it in column["durations_ns"]]
        return change

    def test_planted(self):
        self.assertIn("| ✗ |", self.line("morton order"))
        for factor, sign, words in ((2, "✓", "holds"), (0.8, "✗", "the other way, by 24."),
                                    (1.0, "✗", "the same to 1 %")):
            with self.subTest(factor=factor):
                shutil.copy(kept_sets.CLAIMS / "order.json", self.set)
                self.change("order.json", self.scale("spd:wave=off:order=linear", factor))
                found = self.line("morton order")
                self.assertTrue(found.startswith(f"| {sign} |"), found)
                self.assertIn(words, found)

    def test_wrong_rows_are_not_used(self):
        def spoil(root):
            case, = root["cases"]
            kept_sets.fail(case, case["variants"][0])
        self.change("fp16.json", spoil)
        found = self.line("packed half floats")
        self.assertTrue(found.startswith("| – |"), found)
        self.assertIn("run `mipbench pattern:noise:4096x4096 -s spd:fp16=on -s spd:fp16=off`", found)

    def test_few_runs_have_a_wider_margin(self):
        """No interval is wider than 1 % here: what differs by 1.5 % is open with two runs a side."""
        for path in self.set.glob("*-[2-5].json"):
            path.unlink()
        self.change("storage-usage-1.json", self.scale("blit", 0.985))
        self.assertIn("| ✗ |", self.line("without STORAGE usage"))
        self.assertIn("the same to 2 %", self.line("without STORAGE usage"))

    def test_one_set_is_of_one_device(self):
        self.change("load.json", lambda root: root["device"].update(name="Another"))
        (self.dir / "empty").mkdir()
        for arguments, code in (([self.set], 3), ([self.dir / "empty"], 3), ([], 2), (["--nope"], 2)):
            outcome = self.claims(*arguments)
            self.assertEqual((outcome.code, outcome.out), (code, ""), outcome)
            self.assertRegex(outcome.err, r"\Aclaims: error: [^\n]+\n\Z")

    def test_a_software_device_is_said(self):
        for path in self.set.glob("*.json"):
            self.change(path.name, lambda root: root["device"].update(type="cpu"))
        self.assertIn("nothing here says anything about a GPU", self.claims(self.set).out)


class Measuring(ClaimsCase):
    def measure(self, *arguments, **env):
        stand_in = self.set / "mipbench"
        stand_in.write_text(STAND_IN, encoding="utf-8")
        stand_in.chmod(0o755)
        done = subprocess.run(
            [str(cli.SCRIPTS / "claims.sh"), "--mipbench", str(stand_in), *arguments], cwd=self.dir,
            capture_output=True, check=False, timeout=cli.TIMEOUT_S,
            env={"PATH": f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin",
                 "STATE": str(self.set), "MIPBENCH": cli.BINARY, **env})
        return cli.Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def test_all_command_lines_are_run_and_judged(self):
        outcome = self.measure("--runs", "2", "--out", "new", "--", "--seed", "3")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("storage-usage-1: not measured in full (mipbench: exit 5)", outcome.err)
        self.assertIn("| – | blits are faster", outcome.out)
        lines = (self.set / "log").read_text(encoding="utf-8").splitlines()[1:]
        listed = [line.split("\t") for line in self.claims("--commands").out.splitlines()]
        self.assertEqual(len(lines), sum(2 if often == "repeated" else 1 for _, often, _ in listed))
        for _, _, words in listed:
            self.assertTrue(any(f"pattern:noise:4096x4096 {words} --seed 3" in line
                                for line in lines), words)
        self.assertTrue((self.dir / "new/claims.md").is_file())

    def test_what_breaks_off_stops_it(self):
        outcome = self.measure("--runs", "1", "--out", "new", USAGE_EXIT="6")
        self.assertEqual(outcome.code, 6, outcome)
        self.assertFalse((self.dir / "new/claims.md").exists())
        for arguments in (["--runs", "0"], ["--runs"], ["--nope"], ["--out", "set"]):
            outcome = self.measure(*arguments)
            self.assertEqual(outcome.code, 2, outcome)
            self.assertTrue(outcome.err.startswith("claims: error: "), outcome)


if __name__ == "__main__":
    cli.main()
