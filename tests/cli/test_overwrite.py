#!/usr/bin/env python3
"""Nothing that is written replaces another output of the run, or what the run was made from."""
import os

import cli

USAGE, OUTPUT = 2, 7
SMALL = "pattern:noise:16x16"
FAST = ["-s", "compute", "--images", "none"]


class Overwriting(cli.TestCase):
    def refused(self, *args, code=USAGE, parts=()):
        """Before anything is written."""
        before = cli.snapshot(self.dir)
        with self.subTest(args=args):
            self.assert_error(self.run_it(*args), code, *parts)
            self.assertEqual(cli.snapshot(self.dir), before)

    def setUp(self):
        super().setUp()
        cli.write_png(self.dir / "in.png", 8, 8, cli.noise(256))
        os.symlink(".", self.dir / "around")

    def test_outputs_of_a_run(self):
        for first, second in [
                (["--csv", "z"], ["--json", "./z"]),
                (["--csv", "new/z"], ["--markdown", "around/new/../new/z"]),
                (["--csv", "o/results.json"], ["-o", "o"]),
                (["--json", "o/../o//results.json"], ["-o", "around/o"]),
                (["--csv", "o/report.html"], ["-o", "o", "--report"])]:
            self.refused("in.png", *first, *second, parts=["two outputs go to the same file"])
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["around", "in.png"])

    def test_outputs_that_are_there(self):
        (self.dir / "a").write_text("old")
        os.symlink("a", self.dir / "soft")
        os.link(self.dir / "a", self.dir / "hard")
        for other in ["soft", "hard", "around/a"]:
            self.refused("in.png", "--csv", "a", "--json", other, parts=["two outputs"])
        os.symlink("not/yet", self.dir / "dangling")
        self.refused("in.png", "--csv", "not/yet", "--json", "dangling", parts=["two outputs"])
        self.good("in.png", *FAST, "-o", "o", "--csv", "/dev/null", "--json", "/dev/null")

    def test_links_into_the_output_folder(self):
        """It is made by the run; other folders are not."""
        os.symlink("later/x.csv", self.dir / "link")
        self.good("in.png", *FAST, "-o", "later", "--csv", "link")
        self.assertTrue((self.dir / "later/x.csv").is_file())
        outcome = self.quick("in.png", *FAST, "-o", "later", "--csv", "y.csv/.")
        self.assert_error(outcome, 7, "y.csv/.", "cannot be written")
        self.assertFalse((self.dir / "y.csv").exists())
        self.good("in.png", *FAST, "-o", "later", "--csv", "nowhere/../y.csv")
        self.assertTrue((self.dir / "y.csv").is_file())

    def test_inputs(self):
        os.symlink("in.png", self.dir / "soft")
        (self.dir / "o").mkdir()
        os.symlink("../in.png", self.dir / "o/results.json")
        for args in [["--csv", "in.png"], ["--json", "soft"], ["--markdown", "around/in.png"],
                     ["-o", "o"]]:
            self.refused("in.png", *args, parts=["an output and an input are the same file, 'in.png'"])
        self.refused("tune", "in.png", "--json", "soft", parts=["an output and an input"])

    def test_replay(self):
        self.good("in.png", *FAST, "-o", "r")
        for args in (["--csv", "r/results.json"], ["-o", "r"], ["--json", "in.png"]):
            self.refused("--replay", "around/r/results.json", *args, parts=["an output and an input"])
        self.good("--replay", "r/results.json", "-o", "again")

    def test_compare_and_tune(self):
        self.good("in.png", *FAST, "-o", "r")
        result = "r/results.json"
        for option in ["--json", "--markdown"]:
            self.refused("compare", result, result, option, "around/" + result,
                         parts=["an output and an input"])
        self.refused("compare", result, result, "--json", "x", "--markdown", "./x",
                     parts=["two outputs"])
        for name in ["results.json", "tune.json", "mipbench_tuned.h"]:
            self.refused("tune", "in.png", "-o", "o", "--json", "o/" + name,
                         parts=["two outputs", "o/" + name])

    def test_copy_at_the_place_of_a_picture(self):
        """The copy is what the user named: it is written last."""
        path = "o/in_8x8_rgba8_avg/compute/atlas.png"
        self.good("in.png", "-s", "compute", "-o", "o")
        self.good("in.png", "-s", "compute", "-o", "o", "--markdown", path)
        self.assertTrue((self.dir / path).read_text().startswith("* mipbench"))

    def test_input_at_the_place_of_an_output(self):
        self.good("in.png", "-s", "compute", "-o", "o", "--images", "all", "--chain", "dds")
        for path, option, choice in [
                ("compute/atlas.png", "--images", "atlas"), ("compute/level_02.png", "--images", "levels"),
                ("golden-box/atlas.png", "--images", "atlas"), ("sheet.png", "--images", "sheet"),
                ("compute/chain.dds", "--chain", "dds"), ("compute/chain.ktx2", "--chain", "ktx2")]:
            with self.subTest(path=path):
                path = "o/in_8x8_rgba8_avg/" + path
                if option == "--chain":
                    cli.write_png(self.dir / path, 8, 8, cli.noise(256))
                before = (self.dir / path).read_bytes()
                done = self.quick("in.png", path, "-s", "compute", "-o", "o", option, choice)
                self.assert_error(done, OUTPUT, path, "is an input, and is not replaced")
                self.assertEqual((self.dir / path).read_bytes(), before)


if __name__ == "__main__":
    cli.main()
