#!/usr/bin/env python3
"""mipbench.exe under wine, on lavapipe: every command, and what Windows does differently. Run by
`scripts/cross.sh windows --test`; ON_WINDOWS names on_windows.exe, NATIVE the program of this machine."""
import json
import os
import pathlib
import shutil
import subprocess

import cli

ON_WINDOWS, NATIVE = os.environ["ON_WINDOWS"], os.environ["NATIVE"]
WINE = os.environ["MESON_EXE_WRAPPER"]
FOLDER, IMAGE = "папка с пробелом", "кошка №1.png"


def key_paths(value, path=""):
    """Every key of a document, by the keys above it."""
    if isinstance(value, dict):
        return {found for key, child in value.items() for found in {f"{path}/{key}"} | key_paths(child, f"{path}/{key}")}
    if isinstance(value, list):
        return {found for child in value for found in key_paths(child, path + "[]")}
    return set()


class Windows(cli.TestCase):
    def on_windows(self, *args, **options):
        return subprocess.run([WINE, ON_WINDOWS, *args], cwd=self.dir, timeout=600, check=False, **options)

    def program(self):
        """As Windows has it."""
        return "Z:" + os.environ["PROGRAM"]

    def assert_all_verified(self, document, n=8):
        verified = [row["strategy"] for row in cli.rows(document) if row["verify"]["status"] == "pass"]
        self.assertEqual(len(verified), n, verified)

    def names(self):
        return sorted(path.relative_to(self.dir).as_posix() for path in self.dir.rglob("*"))

    def test_pattern_and_fields(self):
        args = ("pattern:noise:333x257", "-n", "20", "-w", "0")
        outcome = self.run_it(*args, "-o", "out", "--csv", "out.csv", "--markdown", "out.md")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn(b"\r", outcome.out + outcome.err)
        self.assertRegex(outcome.out.decode(), r"mipbench \d+\.\d+\.\d+ - ")
        self.assert_all_verified(self.document())
        subprocess.run([NATIVE, "-q", *args, "-o", "native"], cwd=self.dir, check=True, capture_output=True)
        ours, theirs = (key_paths(self.document(folder + "/results.json")) for folder in ("out", "native"))
        # A warning is there or not by how the times came out.
        self.assertEqual({path for path in ours ^ theirs if "/warnings" not in path}, set())
        host = self.document()["host"]
        self.assertNotIn("unknown", host.values(), host)
        self.assertIn("Windows", host["os"])
        for name in ("out.csv", "out.md", "out/results.json"):
            self.assertNotIn(b"\r", (self.dir / name).read_bytes())

    def test_names_beyond_code_pages_and_backslashes(self):
        folder = self.dir / FOLDER
        folder.mkdir()
        shutil.copy(cli.ROOT / "tests/data/chelsea.png", folder / IMAGE)
        outcome = self.quick(f"{FOLDER}\\{IMAGE}", "-o", "вывод\\a b", "--images", "all", "--srgb", "--chain", "ktx2")
        self.assertEqual(outcome.code, 0, outcome)
        document = self.document("вывод/a b/results.json")
        self.assert_all_verified(document)
        self.assertEqual({row["input"] for row in cli.rows(document)}, {f"{FOLDER}/{IMAGE}"})
        self.assertTrue(list((self.dir / "вывод/a b").rglob("*.png")))
        self.good(FOLDER, "-s", "compute", "-o", "all")  # the folder's images
        self.assertEqual({row["input"] for row in cli.rows(self.document("all/results.json"))}, {f"{FOLDER}/{IMAGE}"})
        absolute = "Z:" + str(folder / IMAGE).replace("/", "\\")
        self.good(absolute, "-s", "compute", "-o", "absolute")
        self.good("--replay", "вывод\\a b\\results.json", "-o", "again")
        self.assert_all_verified(self.document("again/results.json"))
        outcome = self.quick(f"{FOLDER}\\{IMAGE}", "-s", "compute", "-o", "o", "--json", f"{FOLDER}/./{IMAGE.upper()}")
        self.assert_error(outcome, 2, "an output and an input are the same file")

    def test_other_commands(self):
        for args in (("list",), ("list", "strategies"), ("list", "formats"), ("help", "tune"), ("--version",),
                     ("inspect", "-s", "compute", "--size", "33x25")):
            outcome = self.run_it(*args)
            self.assertEqual((outcome.code, outcome.err), (0, b""), (args, outcome))
            self.assertTrue(outcome.out)
        for folder in ("a", "b"):
            self.good("pattern:noise:33x25", "-s", "compute", "-n", "20", "-o", folder)
        outcome = self.run_it("compare", "a", "b\\results.json", "--json", "compared.json")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertTrue(json.loads((self.dir / "compared.json").read_text(encoding="utf-8")))
        outcome = self.run_it("export", "spd-tree", "-o", "exported\\spd")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertTrue((self.dir / "exported/spd/README.md").is_file())
        self.assertEqual(self.run_it("export", "spd-tree", "-o", "exported/spd").code, 7)  # not empty
        outcome = self.run_it("tune", "-s", "compute", "--size", "33x25", "-n", "6", "-o", "tuned")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertTrue((self.dir / "tuned/mipbench_tuned.h").is_file())
        self.assertIn(self.run_it("--self-test").code, (0, 1))  # of a machine that has other work

    def test_bad_paths(self):
        self.dir.joinpath("empty.png").touch()
        self.dir.joinpath("folder").mkdir()
        for path, reason in (("nothing.png", "No such file"), ("no\\where\\x.png", "No such file"),
                             ("folder\\", "no images in this folder"), ("empty.png", "the file is empty"),
                             ("NUL", "not a regular file"), ("a?b.png", "Invalid argument")):
            outcome = self.quick(path, "-o", "out")
            self.assert_error(outcome, 3, reason)
        for path, reason in (("folder", "is a folder"), ("no\\where.json", "No such file"), ("a?b.json", "Invalid argument")):
            self.assert_error(self.quick("pattern:noise:16x16", "-o", "out", "--json", path), 7, reason)
        self.good("pattern:noise:16x16", "-s", "compute", "-o", "out", "--json", "NUL")
        self.assertFalse([name for name in self.names() if ".tmp" in name], self.names())

    def test_pipes(self):
        outcome = self.quick("pattern:noise:16x16", "-s", "compute", "-o", "out", "--json", "-")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(json.loads(outcome.out), self.document())
        process = subprocess.Popen([cli.BINARY, "list", "formats"], cwd=self.dir, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()  # the reader has seen enough
        self.assertEqual((process.stderr.read(), process.wait(timeout=600)), (b"", 0))
        process.stderr.close()

    def test_replacing_what_is_open(self):
        held = self.dir / "held.json"
        held.write_text("old", encoding="utf-8")
        with subprocess.Popen([WINE, ON_WINDOWS, "hold", held.name, "60000"], cwd=self.dir, stdout=subprocess.PIPE) as holder:
            self.assertIn(b"held", holder.stdout.readline())
            outcome = self.quick("pattern:noise:16x16", "-s", "compute", "-o", "out", "--json", held.name)
            self.assert_error(outcome, 7, "held.json: cannot be written: another program has it open")
            self.assertEqual(held.read_text(encoding="utf-8"), "old")
            self.assertEqual([name for name in self.names() if ".tmp" in name], [])
            holder.kill()

    def test_ctrl_c(self):
        outcome = self.on_windows("ctrl-c", "20000", self.program(), "pattern:noise:64x64", "--size", "16x16,512x512",
                                  "-w", "0", "-n", "20000", "-s", "compute", "-o", "out")
        self.assertEqual(outcome.returncode, 130)
        run = self.document()["run"]
        self.assertEqual((run["complete"], run["exit_reason"]), (False, "interrupted"))

    def test_console_of_another_code_page(self):
        outcome = self.on_windows("console", "shown.txt", self.program(), "list", "devices")
        self.assertEqual(outcome.returncode, 0)
        shown = (self.dir / "shown.txt").read_text(encoding="utf-8")
        self.assertEqual(shown.splitlines()[0], "850")  # as before
        self.assertIn("llvmpipe", shown)
        self.on_windows("console", "shown.txt", self.program(), "нет такого.png")
        self.assertIn("нет такого.png: No such file", (self.dir / "shown.txt").read_text(encoding="utf-8"))

    def test_report(self):
        outcome = self.quick("pattern:noise:33x25", "-s", "compute", "-o", "out", "--report")
        self.assert_error(outcome, 7, "report: python3 is")  # wine has none
        shutil.copy(ON_WINDOWS, self.dir / "python3.exe")
        self.good("pattern:noise:33x25", "-s", "compute", "-o", "out", "--report",
                  env={"WINEPATH": f"Z:{self.dir}", "MIPBENCH_DATA": str(cli.SCRIPTS), "MIPBENCH": NATIVE})
        page = (self.dir / "out/report.html").read_text(encoding="utf-8")
        self.assertIn("compute", page)


if __name__ == "__main__":
    cli.main()
