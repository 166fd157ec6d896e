#!/usr/bin/env python3
"""Bad input: one line that says what and why, the documented exit code, nothing left behind."""
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import cli

try:
    sys.path.insert(0, str(cli.ROOT / "tests/fuzz"))
    import image_files
except ImportError:
    image_files = None

USAGE, INPUT, DEVICE, UNSUPPORTED, RUNTIME, OUTPUT = 2, 3, 4, 5, 6, 7
SMALL = "pattern:gradient:16x16"
ONE = [SMALL, "-q", "-s", "compute", "-n", "3", "-w", "0", "--no-roofline"]


class CommandLine(cli.TestCase):
    """What the program makes of a refusal; tests/unit/test_options.c and test_verbs.c have them all."""

    def test_what_is_wrong_is_told_in_a_line(self):
        for args, part in (
                ([SMALL, "--smaples", "3"], "--smaples'; did you mean '--samples'?"),
                ([SMALL, "-s", "spd,blti"], "unknown strategy 'blti'; did you mean 'blit'?"),
                (["run"], "run: expected an image file"),
                (["kernel", "chekc", "none.json"], "kernel: unknown value 'chekc'; did you mean 'check'?"),
                (["kernel"], "kernel: expected check FILE.json")):
            with self.subTest(args=args):
                self.assert_error(self.run_it(*args), USAGE, part)
                self.assertEqual(cli.snapshot(self.dir), {})

    def test_no_arguments(self):
        outcome = self.run_it()
        self.assertEqual((outcome.code, outcome.out), (USAGE, b""), outcome)
        self.assertIn(b"--help", outcome.err)


class InputFiles(cli.TestCase):
    """What is no image, with the exit code that it leads to."""

    def check(self, name, *parts, code=INPUT, args=()):
        with self.subTest(name=name):
            before = sorted(os.listdir(self.dir))
            self.assert_error(self.run_it(str(name), "-o", "out", *args), code, *parts)
            self.assertEqual(sorted(os.listdir(self.dir)), before)

    def write(self, name, data):
        (self.dir / name).write_bytes(data)
        return name

    def test_what_is_no_file(self):
        self.check("lst", "lst: No such file", "did you mean 'list'?")
        self.check("blit:x=y", "blit:x=y: No such file", args=("-s", "spd"))
        self.check("no/such.png", "no/such.png: No such file")
        self.check("/dev/zero", "not a regular file")
        os.mkdir(self.dir / "folder")
        self.check("folder", "folder: no images in this folder", ".png")
        os.mkfifo(self.dir / "fifo")
        self.check("fifo", "fifo: is not a regular file")
        self.check("x" * 300, "too long")
        self.check("pattern:niose:8x8", "did you mean 'noise'?")

    def test_unreadable(self):
        cli.write_png(self.dir / "secret.png", 1, 1, bytes(4))
        (self.dir / "secret.png").chmod(0)
        self.dir.chmod(0o755)
        options = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            outcome = self.run_it("secret.png", **options)
        except PermissionError:
            self.skipTest("another user cannot start the program where it lies")
        self.assert_error(outcome, INPUT, "secret.png: Permission denied")

    @unittest.skipUnless(image_files, "numpy is not installed")
    def test_damaged(self):
        """The files that tests/fuzz/test_image_files.py gives to the reader: every fifth, or all."""
        bad = [(name, data, words) for name, data, words in image_files.files(True)
               if name.startswith("bad-") and not name.startswith("bad-random")]
        self.assertGreater(len(bad), 100)
        for name, data, words in bad[::1 if os.environ.get("MB_TEST_FULL") else 5]:
            self.check(self.write(name, data), f"{name}: ", words or "")
        self.check(self.write("empty.png", b""), "empty")

    def test_one_bad_input_among_good_ones(self):
        outcome = self.run_it(SMALL, "missing.png", "-o", "out")
        self.assert_error(outcome, INPUT, "missing.png")
        self.assertEqual(os.listdir(self.dir), [])

    def test_odd_names(self):
        for name in [b"line\nbreak.png", b"escape\x1b[31m.png", b"bad\xff\xfeutf8.png",
                     b"\xc3\xa4\xe2\x82.png"]:
            with self.subTest(name=name):
                outcome = self.run_it(name)
                self.assert_error(outcome, INPUT, "No such file")
                cli.write_png(self.dir / os.fsdecode(name), 4, 4, cli.noise(64))
                outcome = self.quick(name, "-o", "out", "-s", "compute")
                self.assertEqual(outcome.code, 0, outcome)
                self.assertNotIn(b"\x1b", outcome.out)
                outcome.out.decode("utf-8")
                result, = self.rows()
                self.assertEqual(result["verify"]["status"], "pass")
                for image in result["images"]:
                    self.assertTrue((self.dir / "out" / image).is_file(), image)


class Folders(cli.TestCase):
    def test_order(self):
        os.mkdir(self.dir / "photos")
        names = ["photos/2.png", "photos/10.png"]
        for name in names:
            cli.write_png(self.dir / name, 2, 2, cli.noise(16))
        outcome = self.quick("photos", SMALL, "-s", "compute", "--images", "none", "-o", "out")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual([row["input"] for row in self.rows()], [*names, SMALL])


class Devices(cli.TestCase):
    def check(self, code, *parts, args=(), env=None):
        outcome = self.quick(SMALL, "-o", "out", *args, env=env)
        self.assert_error(outcome, code, *parts)
        self.assertEqual(os.listdir(self.dir), [])

    @unittest.skipIf(cli.IS_EMULATED, "the emulator would preload it, too")
    def test_no_loader(self):
        preload = ":".join(filter(None, [os.environ["MB_TEST_NO_LOADER"],
                                         os.environ.get("LD_PRELOAD")]))
        self.check(DEVICE, "loader", "libvulkan", env={"LD_PRELOAD": preload})

    def test_no_driver(self):
        nowhere = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
        self.check(DEVICE, "no Vulkan driver", env=nowhere)
        outcome = self.run_it("list", "formats", env=nowhere)
        self.assertEqual(outcome.code, 0, outcome)

    def test_broken_driver_files(self):
        dangling = {"file_format_version": "1.0.0",
                    "ICD": {"library_path": "/nonexistent.so", "api_version": "1.3.0"}}
        for text, part in (("garbage", "driver"), ("{}", "driver"),
                           (json.dumps(dangling), "/nonexistent.so: cannot open")):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                self.check(DEVICE, "Vulkan", part, env={"VK_DRIVER_FILES": file.name,
                                                        "VK_ICD_FILENAMES": file.name})

    def test_selectors(self):
        for selector in ["nosuch", "99", "9" * 20, "-1", "00000000-0000-0000-0000-000000000000"]:
            self.check(DEVICE, f"no device matches '{selector}'", "there is 0: ",
                       args=["-d", selector])

    def test_vector_widths_share_no_cache(self):
        """Mesa would take one width's code for another's."""
        def n_cached(**env):
            self.good(SMALL, "-d", "llvmpipe", "-s", "compute",
                      env={"XDG_CACHE_HOME": str(self.dir / "cache"), **env})
            return sum(len(names) for _, _, names in os.walk(self.dir / "cache"))
        if self.quick(SMALL, "-d", "llvmpipe", "-s", "compute").code == DEVICE:
            self.skipTest("no llvmpipe")
        self.assertEqual([n_cached(LP_NATIVE_VECTOR_WIDTH=width) for width in ("128", "256", "512")],
                         [0, 0, 0])
        self.assertGreater(n_cached(), 0)


class Limits(cli.TestCase):
    def limits(self):
        outcome = self.run_it("list", "devices", "--json")
        return json.loads(outcome.out)["devices"][0]

    def test_strategy_unsupported_by_name(self):
        outcome = self.quick(SMALL, "-s", "spd", "--size", "4097x1", "-o", "out")
        self.assert_error(outcome, UNSUPPORTED, "spd: ", "4096")
        result, = self.rows()
        self.assertEqual(result["status"], "skipped")
        self.assertIn("4096", result["reason"])
        self.assertIn(result["reason"].encode(), outcome.out)

    def test_shapes_that_cannot_be(self):
        n_layers = self.limits()["limits"]["max_image_array_layers"]
        outcome = self.quick(SMALL, "-s", "compute", "-o", "out", "--cube", "--size", "8x8,8x4")
        self.assert_error(outcome, USAGE, "--cube: faces must be square", "8x4")
        self.assertEqual((outcome.out, os.listdir(self.dir)), (b"", []))
        outcome = self.quick(SMALL, "-s", "compute", "-o", "out", "--cube", "--layers", "2048")
        self.assert_error(outcome, UNSUPPORTED, "compute: ", f" {n_layers} layers")

    def test_alpha_that_is_not_there(self):
        for name in ("r8", "rg8", "rg11b10f", "r32f"):
            outcome = self.quick(SMALL, "--alpha", "premultiplied", "-f", name, "-o", "out")
            self.assert_error(outcome, USAGE, f"of '{name}'")

    def test_variants_that_cannot_be_are_skipped(self):
        outcome = self.quick(SMALL, "-s", "subgroup:*", "-r", "max", "-o", "out")
        self.assertEqual(outcome.code, 0, outcome)

    def test_what_a_quiet_run_still_warns_of(self):
        outcome = self.quick(SMALL, "-q", "-s", "compute", "-d", "cpu", "--cache", "both", "-o", "out")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn(b"warning: --cache: measured hot only", outcome.err)

    def test_the_one_asked_for_is_blamed(self):
        """Others are skipped, too, and come first."""
        outcome = self.quick(SMALL, "-s", "all,separable", "-r", "max", "-o", "out")
        self.assert_error(outcome, UNSUPPORTED, "error: separable: ")

    def test_rectangle_outside(self):
        for args, size in [([], "16x16"), (["--size", "32x32,16x9"], "16x9")]:
            outcome = self.quick(SMALL, "-o", "out", "--rect", "8,8,8,9", *args)
            self.assert_error(outcome, USAGE, f"--rect 8,8,8,9 exceeds the {size} texels of", SMALL)
            self.assertEqual((outcome.out, os.listdir(self.dir)), (b"", []))

    def test_all_goes_on_without_the_unsupported(self):
        outcome = self.quick(SMALL, "--size", "4097x1", "-o", "out", "--images", "none")
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)


class Outputs(cli.TestCase):
    def check(self, *args, parts=(), **options):
        before = cli.snapshot(self.dir)
        outcome = self.quick(SMALL, "-s", "compute", *args, **options)
        self.assert_error(outcome, OUTPUT, *parts)
        return before, outcome

    def test_folder_that_cannot_be(self):
        (self.dir / "file").write_text("kept")
        for out in ["file", "file/under", "/proc/nowhere/x"]:
            with self.subTest(out=out):
                before, _ = self.check("-o", out, parts=[out])
                self.assertEqual(cli.snapshot(self.dir), before)

    def test_target_is_a_folder(self):
        (self.dir / "out/results.json").mkdir(parents=True)
        before, _ = self.check("-o", "out", "--images", "none", parts=["results.json", "a folder"])
        self.assertEqual(cli.snapshot(self.dir), before)
        (self.dir / "copy").mkdir()
        for option in ["--json", "--csv", "--markdown"]:
            self.check("-o", "out2", option, "copy", parts=["copy", "a folder"])
            self.assertEqual(os.listdir(self.dir / "copy"), [])

    def test_read_only_folder(self):
        for option in ["--json", "--csv", "--markdown"]:
            before, _ = self.check("-o", "out", option, "/proc/version.json",
                                   parts=["/proc/version.json"])
            self.assertEqual(cli.snapshot(self.dir), before)  # found before anything is run

    def test_copy_into_the_output_folder(self):
        done = self.quick(SMALL, "-s", "compute", "-o", "new/out", "--csv", "new/out/c.csv")
        self.assertEqual((done.code, done.err), (0, b""), done)
        self.assertTrue((self.dir / "new/out/c.csv").is_file())
        self.check("-o", "new/out", "--csv", "new/other/c.csv", parts=["new/other/c.csv"])

    def assert_not_measured(self, *args, parts):
        """Found before anything is: nothing has changed, and there is no table."""
        before, outcome = self.check(*args, parts=parts)
        self.assertNotIn(b"Strategy", outcome.out)
        self.assertEqual(cli.snapshot(self.dir), before)

    def test_existing_folder_that_cannot_be_written(self):
        """Not by root either."""
        self.assert_not_measured("-o", "/proc/self", parts=["/proc/self/results.json"])
        for name in ("report.html", "tune.json", "mipbench_tuned.h"):
            (self.dir / name).mkdir()
        self.assert_not_measured("-o", ".", "--report", parts=["report.html", "a folder"])
        (self.dir / "report.html").rmdir()
        for name in ("tune.json", "mipbench_tuned.h"):
            outcome = self.quick("tune", SMALL, "-s", "compute", "-o", ".")
            self.assert_error(outcome, OUTPUT, name, "a folder")
            (self.dir / name).rmdir()

    def check_partly(self, outcome, *parts):
        """The table and results are there, which say what is missing."""
        self.assert_error(outcome, OUTPUT, *parts)
        self.assertIn(b"Results: ", outcome.out)
        result, = self.rows()
        self.assertEqual((result["status"], result["verify"]["status"]), ("ok", "pass"))
        on_disk = {str(p.relative_to(self.dir / "out")) for p in (self.dir / "out").rglob("*.*") if p.is_file()}
        self.assertEqual(on_disk, {"results.json", *result["images"], *result["chains"]})
        return [warning["code"] for warning in result["warnings"]]

    def test_what_is_in_the_way_of_pictures(self):
        args = [SMALL, "-s", "compute", "-o", "out", "--images", "all", "--chain", "ktx2"]
        case = self.dir / "out/gradient_16x16_rgba8_avg"
        for name, code in (("compute/atlas.png", "picture_not_written"), ("golden-box/level_01.png", "picture_not_written"),
                           ("sheet.png", "picture_not_written"), ("compute/chain.ktx2", "chain_not_written")):
            with self.subTest(name=name):
                (case / name).mkdir(parents=True)
                self.assertIn(code, self.check_partly(self.quick(*args), name, "a folder"))
                shutil.rmtree(self.dir / "out")

    def test_more_than_the_device_has(self):
        """341 GiB, told before the small size is run."""
        outcome = self.quick("pattern:noise:8x8", "--size", "8x8,16384x16384", "-f", "rgba32f", "--layers", "64",
                             "-s", "compute", "-o", "out", "--images", "none")
        self.assert_error(outcome, 6, "16384x16384 rgba32f: needs 341 GiB of memory; ")
        self.assertFalse((self.dir / "out").exists())

    def test_pictures_that_are_too_large(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))

        args = ["pattern:noise:128x128", "-s", "compute", "-o", "out"]
        for more, code in ((["--images", "atlas"], "picture_not_written"),
                           (["--images", "sheet"], "picture_not_written"),
                           (["--images", "none", "--chain", "dds"], "chain_not_written")):
            with self.subTest(more=more):
                outcome = self.quick(*args, *more, preexec_fn=limit)
                if outcome.code == -signal.SIGBUS:
                    self.skipTest("lavapipe's memory is a file (Mesa 25.0), which the limit cuts")
                codes = self.check_partly(outcome, "File too large")
                self.assertEqual(codes.count(code), 1, codes)

    def test_full_disk(self):
        """Pictures that fitted make room for results.json."""
        script = 'mkdir out && mount -t tmpfs -o size="$1" none out && shift && "$@"; code=$?; cp -r out kept; exit $code'
        args = ["-q", "-n", "3", "-w", "0", "--no-roofline", "pattern:noise:64x64", "-s", "compute", "-o", "out",
                "--images", "all", "--chain", "ktx2"]
        for size in ("100k", "64k"):
            done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", size, cli.BINARY, *args], cwd=self.dir,
                                  capture_output=True, check=False)
            if b"mount" in done.stderr or b"unshare" in done.stderr:
                self.skipTest("no file system can be mounted here")
            shutil.rmtree(self.dir / "out")
            (self.dir / "kept").rename(self.dir / "out")
            codes = self.check_partly(cli.Outcome(done.returncode, done.stdout, done.stderr))
            self.assertIn("files_removed", codes)
            shutil.rmtree(self.dir / "out")

    @unittest.skipIf(os.geteuid() != 0, "only root can give a link to another user")
    def test_links_of_other_users(self):
        victim = self.dir / "victim"
        victim.mkdir()
        (victim / "file").write_text("kept")
        self.good(SMALL, "-s", "compute", "-o", "out")

        def plant(name, target):
            path = self.dir / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.symlink_to(target)
            os.chown(path, 65534, 65534, follow_symlinks=False)

        for name, args in (("c.csv", ["--csv", "c.csv"]), ("out/results.json", []),
                           ("out/gradient_16x16_rgba8_avg/compute/atlas.png", []),
                           ("out/gradient_16x16_rgba8_avg", []), ("out", []), ("there", ["-o", "there/new"])):
            with self.subTest(name=name):
                target = victim if "." not in name else victim / "file"
                plant(name, target)
                folder = (self.dir / name).parent
                mode = folder.stat().st_mode
                folder.chmod(0o1777)
                refused = self.check if "gradient" in name else self.assert_not_measured
                refused("-o", "out", *args, parts=["a symbolic link of another user"])
                self.assertEqual(os.listdir(victim), ["file"])
                self.assertEqual((victim / "file").read_text(), "kept")
                owner_and_mode = [(0, 0o1777), (65534, mode & 0o777)]  # one's own, or in a folder of one's own
                for owner, folder_mode in owner_and_mode if name.endswith("csv") else []:
                    os.chown(self.dir / name, owner, owner, follow_symlinks=False)
                    folder.chmod(folder_mode)
                    self.good(SMALL, "-s", "compute", "-o", "out", *args)
                    self.assertNotEqual((victim / "file").read_text(), "kept")
                    (victim / "file").write_text("kept")
                folder.chmod(mode)
                os.chown(self.dir / name, 0, 0, follow_symlinks=False)
                (self.dir / name).unlink()

    def test_two_runs_into_one_folder(self):
        first = self.start(SMALL, "-s", "compute", "-n", "100000", "--timeout", "600", "--no-roofline", "-o", "out")
        self.wait_for(lambda: (self.dir / "out").is_dir(), "folder")
        first.stdout.readline()  # the head: the folder is taken
        before = cli.snapshot(self.dir)
        for args in ([SMALL], ["tune", SMALL]):
            outcome = self.quick(*args, "-s", "compute", "-o", "out/../out")
            self.assert_error(outcome, OUTPUT, "out/../out: another run is writing into this folder")
            self.assertEqual(cli.snapshot(self.dir), before)
        self.good(SMALL, "-s", "compute", "-o", "other")
        first.kill()
        first.communicate()
        self.good(SMALL, "-s", "compute", "-o", "out")  # nothing stale is left

    def assert_no_temporaries(self):
        self.assertEqual([p for p in cli.snapshot(self.dir) if ".tmp" in p], [])

    def test_failed_write_after_a_failed_run(self):
        """Of the table, which ends the run, and of results.json then: one line tells of both."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        with open(self.dir / "stdout", "wb") as stdout:
            outcome = self.run_it(SMALL, "-s", "compute", "-n", "3", "-w", "0", "--no-roofline",
                                  "-o", "out", "--images", "none", "--csv", "c.csv",
                                  stdout=stdout, preexec_fn=limit)
        if outcome.code == -signal.SIGBUS:
            self.skipTest("lavapipe's memory is a file (Mesa 25.0), which the limit cuts")
        errors = [line for line in outcome.err.decode().splitlines() if "error: " in line]
        self.assertEqual(outcome.code, OUTPUT, outcome)
        self.assertEqual(len(errors), 1, outcome)
        self.assertIn("standard output: cannot be written: File too large; then ", errors[0])
        self.assertIn("results.json: cannot be written: File too large", errors[0])

    def test_stdout_closed_or_full(self):
        for args in [["--help"], ["--version"], ["list"], ["list", "--json"], [*ONE, "-o", "a"],
                     [*ONE, "-o", "b", "--json", "-"], [*ONE, "-o", "c", "--csv", "-"],
                     [*ONE, "-o", "d", "--markdown", "-"]]:
            with self.subTest(args=args):
                with open("/dev/full", "wb") as full:
                    self.assert_stdout_error(self.run_it(*args, stdout=full), errno.ENOSPC)
                closed = self.run_it(*args, preexec_fn=lambda: os.close(1), stdout=None)
                self.assert_stdout_error(closed, errno.EBADF)
        self.assert_no_temporaries()

    def assert_stdout_error(self, outcome, error):
        """With stdout taken the table is on stderr; the error is its last line."""
        lines = outcome.err.decode("utf-8").splitlines()
        self.assertEqual(outcome.code, OUTPUT, outcome)
        self.assertEqual(sum(line.startswith(cli.ERROR_PREFIX) for line in lines), 1, outcome)
        self.assertIn(f"standard output: cannot be written: {os.strerror(error)}", lines[-1])

    def test_closed_pipe(self):
        """As in `mipbench ... | head -1`: the rest is not wanted, the files are."""
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            for args in [["--help"], ["list", "--json"], [*ONE, "-o", "out", "--csv", "c.csv"]]:
                outcome = self.run_it(*args, stdout=pipe)
                self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        self.assertTrue(self.document()["run"]["complete"])
        self.assertTrue((self.dir / "c.csv").is_file())


if __name__ == "__main__":
    cli.main()
