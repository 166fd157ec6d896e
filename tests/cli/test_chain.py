#!/usr/bin/env python3
"""--chain: every texture file is read back and compared, texel for texel, with the other kind of file
and with the pictures of the same chain."""
import os
import shutil
import subprocess

import cli
import textures

FORMATS = sorted(name for name, *_ in textures.VULKAN.values())
CODE = "chain_not_written"


class Case(cli.TestCase):
    def results(self, *args):
        self.good(*args, "-o", "out")
        return self.rows()

    def read(self, result):
        """Both files of a result, by their names in results.json."""
        folder = cli.folder(result)
        self.assertEqual(result["chains"], [f"{folder}/chain.ktx2", f"{folder}/chain.dds"])
        ktx2, dds = [(self.dir / "out" / path).read_bytes() for path in result["chains"]]
        return textures.read_ktx2(ktx2), textures.read_dds(dds)

    def check_same(self, ktx2, dds):
        self.assertEqual((ktx2.format, ktx2.width, ktx2.height, ktx2.faces),
                         (dds.format, dds.width, dds.height, dds.faces))
        self.assertEqual(max(1, ktx2.elements), dds.elements)
        self.assertEqual(ktx2.texels, dds.texels)
        self.assertEqual(ktx2.keys["KTXorientation"], b"rd\0")
        self.assertRegex(ktx2.keys["KTXwriter"], rb"^mipbench \d+\.\d+\.\d+\0$")

    def check_pictures(self, result, texture, n_layers=1):
        for level, layers in enumerate(texture.texels):
            for layer in range(n_layers):
                suffix = f"_layer_{layer:02}" if layer else ""
                path = self.dir / "out" / cli.folder(result) / f"level_{level:02}{suffix}.png"
                width, height, rgba = cli.read_png(path)
                self.assertEqual((width, height), texture.extent(level))
                self.assertTrue(textures.to_rgba8(texture.format, layers[layer]) == rgba, path)


class Texels(Case):
    def test_every_format(self):
        """And level 0 of a file, in the file's own format, makes the same chain again; of both kinds of files
        by turns, but with MB_TEST_FULL."""
        cli.write_png(self.dir / "in.png", 13, 9, cli.noise(13 * 9 * 4))
        kinds, is_full = ["chain.ktx2", "chain.dds"], bool(os.environ.get("MB_TEST_FULL"))
        for index, name in enumerate(FORMATS):
            with self.subTest(format=name):
                n_faces, more = (6, ["--size", "13x13", "--cube"]) if name == "r8" else (1, ["--per-level"])
                result, = self.results("in.png", "-s", "compute", "-f", name, "--chain", "ktx2,dds", "--images",
                                       "levels", *more)
                ktx2, dds = self.read(result)
                self.assertEqual((ktx2.format, ktx2.elements, ktx2.faces, len(ktx2.texels)), (name, 0, n_faces, 4))
                self.assertEqual((ktx2.width, ktx2.height), (13, 13 if n_faces > 1 else 9))
                self.check_same(ktx2, dds)
                self.check_pictures(result, ktx2, n_faces)
                self.assertGreater(len(set(ktx2.texels[0][0])), 8)
                for path in result["chains"]:
                    shutil.copy(self.dir / "out" / path, self.dir)
                for path in kinds if is_full else [kinds[index % 2]]:
                    again, = self.results(path, "-s", "compute", "--chain", "ktx2,dds", "--images", "none")
                    after = self.read(again)[0]
                    self.assertEqual((after.format, again["format"]), (name, name))
                    self.assertEqual([layers[0] for layers in after.texels], [layers[0] for layers in ktx2.texels])

    def test_what_is_not_applied(self):
        """Rows from the bottom, other channels, premultiplied alpha: read as they lie, which is said."""
        self.results("pattern:noise:8x8", "-s", "compute", "--chain", "ktx2,dds", "--images", "none")
        ktx2, dds = (bytearray((self.dir / "out" / path).read_bytes()) for path in self.rows()[0]["chains"])
        flags = int.from_bytes(ktx2[48:52], "little") + 15  # of the data format descriptor
        ktx2[flags] |= 1
        dds[144] = 2
        (self.dir / "ru.ktx2").write_bytes(ktx2.replace(b"KTXorientation\0rd", b"KTXorientation\0ru"))
        (self.dir / "in.dds").write_bytes(dds)
        for name, notes in (("ru.ktx2", ["its KTXorientation 'ru' is not applied", "alpha is premultiplied"]),
                            ("in.dds", ["alpha is premultiplied"])):
            outcome = self.run_it(name, "-s", "compute", "-n", "3", "-w", "0", "--no-roofline", "-o", "again")
            self.assertEqual(outcome.code, 0, outcome)
            for note in notes:
                self.assertIn(f"warning: {name}: ", outcome.err.decode())
                self.assertIn(note, outcome.err.decode())

    def test_shapes(self):
        for args, elements, faces, n_levels in [
                (["--layers", "8"], 8, 1, 5), (["--cube", "-l", "3"], 0, 6, 3),
                (["--cube", "--layers", "2"], 2, 6, 5), (["--rect", "3,3,4,4"], 0, 1, 5),
                (["--size", "1x1"], 0, 1, 1), (["--size", "1x1", "--layers", "2"], 2, 1, 1)]:
            with self.subTest(args=args):
                result, = self.results("pattern:noise:16x16", "-s", "compute", *args, "--chain",
                                       "dds,ktx2", "--images", "levels")
                ktx2, dds = self.read(result)
                self.assertEqual((ktx2.elements, ktx2.faces), (elements, faces))
                n_layers = max(1, elements) * faces
                self.assertEqual([len(layers) for layers in ktx2.texels], [n_layers] * n_levels)
                self.assertEqual(len(set(ktx2.texels[0])), n_layers)  # each has its own content
                self.check_same(ktx2, dds)
                self.check_pictures(result, ktx2, min(n_layers, 6))

    def test_alpha_is_stored_straight(self):
        """Two opaque red texels and two that hide green: half of alpha, and red as it was."""
        row = bytes([255, 0, 0, 255] + [0, 255, 0, 0])
        cli.write_png(self.dir / "a.png", 2, 2, row * 2)
        result, = self.results("a.png", "-s", "compute", "--alpha", "premultiplied", "--chain",
                               "ktx2,dds")
        ktx2, dds = self.read(result)
        self.check_same(ktx2, dds)
        self.assertIn(ktx2.texels[1][0], [bytes([255, 0, 0, 127]), bytes([255, 0, 0, 128])])


class Files(Case):
    def test_every_strategy_and_cell_has_its_own(self):
        results = self.results("pattern:noise:8x8", "--size", "8x8,5x3", "--chain", "dds",
                               "--images", "none", "--mode", "both")
        # A throughput below resolution is skipped; its chain was verified all the same.
        self.assertEqual({r["verify"]["status"] for r in results}, {"pass"})
        files = sorted({path for r in results for path in r["chains"]})
        on_disk = sorted(str(p.relative_to(self.dir / "out"))
                         for p in (self.dir / "out").rglob("chain.*"))
        self.assertEqual(files, on_disk)
        # Conditions share what was verified; strategies and sizes do not.
        self.assertEqual(len(files), len({(r["strategy"], r["width"]) for r in results}))
        for result in results:
            path, = result["chains"]
            texture = textures.read_dds((self.dir / "out" / path).read_bytes())
            self.assertEqual((texture.width, texture.height), (result["width"], result["height"]))
            self.assertEqual(len(texture.texels), result["levels"])

    def test_none_unless_asked_for(self):
        result, = self.results("pattern:noise:8x8", "-s", "spd", "--images", "none")
        self.assertEqual(result["chains"], [])
        self.assertEqual([path.name for path in (self.dir / "out").iterdir()], ["results.json"])

    def test_what_is_not_verified_is_not_written(self):
        spec = "spd,spd:parts=no-tail"
        whole, diagnostic = self.results("pattern:noise:16x16", "-s", spec, "--chain", "ktx2")
        self.assertEqual(len(whole["chains"]), 1)
        self.assertNotIn(CODE, [w["code"] for w in whole["warnings"]])
        self.assertEqual(diagnostic["chains"], [])
        self.assertIn(CODE, [w["code"] for w in diagnostic["warnings"]])
        outcome = self.run_it("pattern:noise:16x16", "-s", spec, "--chain", "ktx2", "-n", "3", "-o", "b")
        self.assertIn(b"note: spd:parts=no-tail: no chain file: ", outcome.out)

    def test_skipped_has_none(self):
        outcome = self.quick("pattern:noise:8x8", "-s", "blit", "-r", "max", "--chain", "ktx2",
                             "-o", "out")
        self.assertEqual(outcome.code, 5, outcome)
        result, = self.rows()
        self.assertEqual((result["status"], result["chains"]), ("skipped", []))
        self.assertNotIn(CODE, [w["code"] for w in result["warnings"]])

    def test_what_cannot_be_written_is_told(self):
        args = ["pattern:noise:8x8", "-s", "compute", "--chain", "ktx2,dds", "-o", "out"]
        result, = self.results(*args[:-2])
        shutil.rmtree(self.dir / "out")
        (self.dir / "out" / result["chains"][1]).mkdir(parents=True)
        outcome = self.quick(*args)
        self.assert_error(outcome, 7, "chain.dds")


class Khronos(Case):
    def test_ktx_validate(self):
        """KTX-Software's own tool, where it is installed."""
        if not shutil.which("ktx"):
            self.skipTest("ktx (KTX-Software) is not installed")
        for args in [[], ["--cube"], ["--layers", "3"]]:
            for name in FORMATS:
                with self.subTest(format=name, args=args):
                    result, = self.results("pattern:noise:9x9", "-s", "compute", "-f", name, *args,
                                           "--chain", "ktx2")
                    path, = result["chains"]
                    done = subprocess.run(["ktx", "validate", "--warnings-as-errors", path],
                                          cwd=self.dir / "out", capture_output=True, text=True,
                                          check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    cli.main()
