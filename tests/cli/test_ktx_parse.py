#!/usr/bin/env python3
"""--chain ktx2 as ktx-parse reads it, the npm package behind three.js and glTF Transform.

Needs node, and the package: from the folder MB_TEST_CACHE, or fetched into it by npm. The version is
pinned by its digest. Exit 77 (skipped) with the reason where either is not to be had.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import cli
import textures

PACKAGE, VERSION = "ktx-parse", "2.0.0"
SHA512 = ("3d6dfc8ba48165a804edce32098aeeeb7e8808292127c14d8cecc07631a40bae"
          "4167480495026f15e9d219ceb6487163e458347edf94dfc3cf84c66c59840b0a")
FETCH_TIMEOUT_S = 20
OLDEST_NODE = 18
MODULE = None  # path of the package's entry


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def is_right(path):
    return path.is_file() and hashlib.sha512(path.read_bytes()).hexdigest() == SHA512


def fetch(folder):
    """One try: without a network this ends within seconds."""
    if not shutil.which("npm"):
        skip(f"npm, which would fetch {PACKAGE} {VERSION}, is not installed")
    command = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--loglevel=error", "--prefer-offline",
               "--fetch-retries=0", f"--fetch-timeout={1000 * FETCH_TIMEOUT_S // 2}", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        skip(f"npm did not fetch {PACKAGE} {VERSION} within {FETCH_TIMEOUT_S} s")
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if re.match("npm (error|ERR!)", line)]
        skip(f"npm cannot fetch {PACKAGE} {VERSION}: {said[0] if said else done.stderr.strip()}")


def find_package():
    """The package's entry, unpacked in the cache."""
    cache = pathlib.Path(os.environ["MB_TEST_CACHE"])
    cache.mkdir(parents=True, exist_ok=True)
    archive = cache / f"{PACKAGE}-{VERSION}.tgz"
    if not is_right(archive):
        fetch(cache)
    if not is_right(archive):
        sys.exit(f"{archive}: not the bytes that are pinned")
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.isfile() and member.name in ("package/package.json", "package/dist/index.mjs"):
                tar.extract(member, cache)
    return cache / "package/dist/index.mjs"


def check_node():
    if not shutil.which("node"):
        skip("node (package nodejs) is not installed")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(said.strip().lstrip("v").split(".")[0]) < OLDEST_NODE:
        skip(f"node {said.strip()} is older than {OLDEST_NODE}")


class KtxParse(cli.TestCase):
    def write(self, name, args):
        """The path of one chain, below the test's folder."""
        outcome = self.quick("pattern:noise:9x9", "-s", "compute", "-f", name, "--chain", "ktx2",
                             "--images", "none", "-o", "-".join([name, *args]), *args)
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        path, = (self.dir / "-".join([name, *args])).rglob("chain.ktx2")
        return path

    def parse(self, paths):
        script = pathlib.Path(__file__).with_name("read_ktx2.mjs")
        done = subprocess.run(["node", str(script), str(MODULE), *map(str, paths)], text=True,
                              capture_output=True, check=False, timeout=cli.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def check(self, parsed, path):
        """As the reader written from the specification has it."""
        want = textures.read_ktx2(path.read_bytes())
        name, texel_bytes, word_bytes = textures.VULKAN[parsed["vkFormat"]]
        self.assertEqual((name, word_bytes), (want.format, parsed["typeSize"]))
        self.assertEqual((parsed["pixelWidth"], parsed["pixelHeight"], parsed["pixelDepth"]),
                         (want.width, want.height, 0))
        self.assertEqual((parsed["layerCount"], parsed["faceCount"], parsed["levelCount"]),
                         (want.elements, want.faces, len(want.texels)))
        self.assertEqual(parsed["supercompressionScheme"], 0)
        self.assertEqual(parsed["texels"], [b"".join(layers).hex() for layers in want.texels])
        self.assertEqual(parsed["plainBytes"], [sum(map(len, layers)) for layers in want.texels])
        self.assertEqual(parsed["keyValue"]["KTXorientation"], "rd")
        self.assertRegex(parsed["keyValue"]["KTXwriter"], r"^mipbench \d")
        descriptor, = parsed["dataFormatDescriptor"]
        self.assertEqual(descriptor["transferFunction"], 2 if name == "rgba8-srgb" else 1)
        self.assertEqual((descriptor["colorModel"], descriptor["flags"]), (1, 0))
        self.assertEqual(descriptor["bytesPlane"][0], texel_bytes)
        bits = sum(sample["bitLength"] + 1 for sample in descriptor["samples"])
        self.assertEqual(bits, 8 * texel_bytes)

    def test_every_format_and_shape(self):
        names = [name for name, *_ in textures.VULKAN.values()]
        paths = [self.write(name, []) for name in names]
        paths += [self.write("rg8", ["--cube"]), self.write("r8", ["--layers", "3"]),
                  self.write("rgba16f", ["--cube", "--layers", "2"])]
        found = self.parse(paths)
        self.assertEqual(len(found), len(paths))
        for parsed, path in zip(found, paths):
            with self.subTest(path=path.parent.parent.name):
                self.check(parsed, path)


if __name__ == "__main__":
    check_node()
    MODULE = find_package()
    cli.main()
