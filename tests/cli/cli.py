"""What the tests of the command line share: running mipbench, its error lines, PNG files."""
import atexit
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

TIMEOUT_S = 1800 # a hang: a machine may be as slow as it likes
ERROR_PREFIX = "mipbench: error: "
ROOT = pathlib.Path(os.environ["MB_TEST_ROOT"])
IS_EMULATED = "MESON_EXE_WRAPPER" in os.environ  # of another machine than compilers and drivers here
BINARY = None

# What is in scripts/ can be imported by tests.
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True


def runnable(binary):
    """The program, or a script that runs it by what it needs on this machine (an emulator)."""
    wrapper = os.environ.get("MESON_EXE_WRAPPER")
    if not wrapper:
        return binary
    folder = tempfile.TemporaryDirectory(prefix="mipbench-run-")
    atexit.register(folder.cleanup)
    script = pathlib.Path(folder.name) / "mipbench"
    script.write_text(f'#!/bin/sh\nexec {wrapper} {shlex.quote(binary)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def main():
    """Run the tests of the calling module on the program named by the first argument."""
    global BINARY
    if len(sys.argv) < 2:
        sys.exit("usage: test_NAME.py MIPBENCH [TEST...]")
    BINARY = runnable(os.path.abspath(sys.argv.pop(1)))
    # The tests call the module that they imported, not the one that runs.
    sys.modules["cli"].BINARY = BINARY
    os.environ["MIPBENCH"] = BINARY  # for scripts that take several runs together
    done = unittest.main(module="__main__", verbosity=1, exit=False).result
    for test, reason in done.skipped:
        print(f"left out: {test}: {reason}")
    sys.exit(not done.wasSuccessful())


def check_snapshot(test, name, text):
    """As tests/unit/snapshots/NAME.txt has it; UPDATE_SNAPSHOTS=1 writes it (tests/unit/snapshot.h)."""
    path = ROOT / "tests/unit/snapshots" / f"{name}.txt"
    if "UPDATE_SNAPSHOTS" in os.environ:
        path.write_text(text, encoding="utf-8")
    test.maxDiff = None
    test.assertEqual(text, path.read_text(encoding="utf-8"))


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit {self.code}\nstdout: {self.out!r}\nstderr: {self.err!r}"


class TestCase(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="mipbench-cli-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def run_it(self, *args, env=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=None, **options):
        """Run mipbench in the test's own folder; a hang fails by the time limit."""
        all_env = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
        done = subprocess.run([BINARY, *args], cwd=cwd or self.dir, env=all_env, stdout=stdout,
                              stderr=subprocess.PIPE, stdin=stdin, timeout=TIMEOUT_S, check=False,
                              **options)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def quick(self, *args, **options):
        """Three samples, no warm-up, no roofline, errors only on stderr."""
        n_verbs = int(args[0] in VERBS)
        return self.run_it(*args[:n_verbs], "-q", "-n", "3", "-w", "0", "--no-roofline", *args[n_verbs:], **options)

    def good(self, *args, **options):
        """The same, and nothing went wrong."""
        outcome = self.quick(*args, **options)
        self.assertEqual((outcome.code, outcome.err), (0, b""), outcome)
        return outcome

    def document(self, path="out/results.json", schema="schema.json"):
        """What a JSON file of the test's folder holds, by its schema where python3-jsonschema is
        there."""
        document = json.loads((self.dir / path).read_text(encoding="utf-8"))
        if jsonschema:
            rules = json.loads((ROOT / "results" / schema).read_text())
            jsonschema.Draft202012Validator(rules).validate(document)
        return document

    def rows(self, path="out/results.json"):
        return rows(self.document(path))

    def start(self, *args):
        """Mipbench in the background, which another job's shell may have left ignoring SIGINT; ended
        with the test."""
        process = subprocess.Popen(
            [BINARY, *args], cwd=self.dir, env={**os.environ, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def wait_for(self, condition, what):
        give_up_s = time.monotonic() + TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), give_up_s, f"no {what}")
            time.sleep(0.01)

    def script(self, name, *arguments, stdout=subprocess.PIPE, **options):
        """Run one of scripts/ in the test's own folder, by the Python of this test."""
        done = subprocess.run([sys.executable, "-B", str(SCRIPTS / name),
                               *map(str, arguments)], cwd=self.dir, stdout=stdout,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, encoding="utf-8",
                              timeout=TIMEOUT_S, check=False, **options)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def assert_error(self, outcome, code, *parts):
        """One line "mipbench: error: OBJECT: REASON" that holds each of `parts`."""
        text = outcome.err.decode("utf-8")  # fails if it is not UTF-8
        self.assertEqual(outcome.code, code, outcome)
        self.assertTrue(text.endswith("\n"), outcome)
        lines = text[:-1].split("\n")
        self.assertEqual(len(lines), 1, outcome)
        self.assertTrue(lines[0].startswith(ERROR_PREFIX), outcome)
        self.assertIsNone(re.search(r"[\x00-\x1f\x7f]", lines[0]), outcome)
        self.assertGreater(len(lines[0]), len(ERROR_PREFIX) + 5, outcome)
        for part in parts:
            self.assertIn(part, lines[0], outcome)


WIDE_KERNELS = {"kaiser", "lanczos", "gaussian", "gaussian16"}


def find_column(timing, variant_id):
    """Of a variant's own samples, or None."""
    return next((column for column in timing["blocks"]["columns"]
                 if column["kind"] == "sample" and column["variant"] == variant_id), None)


def make_row(case, timing, figures):
    variant = next(v for v in case["variants"] if v["id"] == figures["variant"])
    column = find_column(timing, variant["id"])
    repeated = set(timing["blocks"]["repeated"])
    samples = [sample for i, sample in enumerate(column["durations_ns"] if column else [])
               if i not in repeated and figures["status"] != "skipped"]
    return {**case, **variant, **figures, "cache": timing["cache"], "mode": timing["mode"],
            "id": f"{case['id']}/{variant['id']}/{timing['cache']}-{timing['mode']}",
            "filter": variant["policy"] if variant["policy"] in WIDE_KERNELS else "box",
            "warnings": variant["warnings"] + figures["warnings"], "samples_ns": samples,
            "chains": variant["chains"],  # the files; those of a batch are of the row
            "of": (case, timing, variant, figures, column)}


def rows(document):
    """Each row of a results.json with what holds for its case and its variant; "of" are the parts
    of the document that it is made of: case, timing, variant, row, column."""
    return [make_row(case, timing, figures) for case in document["cases"]
            for timing in case["timings"] for figures in timing["rows"]]


VERBS = ["run", "list", "compare", "tune", "export", "inspect", "kernel", "help"]


def folder(result):
    """Where the pictures of a result are: its id less the condition that it was timed under."""
    return result["id"].rsplit("/", 1)[0]


def snapshot(folder):
    """Every path below `folder` with the digest of what it holds."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        found[str(path.relative_to(folder))] = digest
    return found


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_header(width, height):
    ihdr = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", ihdr)


def write_png(path, width, height, rgba):
    """rgba: bytes of `width` x `height` texels."""
    stride = 4 * width
    rows = b"".join(b"\0" + rgba[y * stride:(y + 1) * stride] for y in range(height))
    data = png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    pathlib.Path(path).write_bytes(png_header(width, height) + data)


def paeth(left, up, corner):
    estimate = left + up - corner
    distances = [abs(estimate - left), abs(estimate - up), abs(estimate - corner)]
    return (left, up, corner)[distances.index(min(distances))]


def unfilter(kind, line, above, n_texel_bytes):
    for i, value in enumerate(line) if kind else ():
        left = line[i - n_texel_bytes] if i >= n_texel_bytes else 0
        corner = above[i - n_texel_bytes] if i >= n_texel_bytes else 0
        up = above[i]
        line[i] = (value + (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]) & 255


def decode_png(data):
    """(width, height, n_channels, texels) of an 8-bit PNG without interlace in grey, RGB or RGBA, by
    the specification; checks every CRC."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, header, last = 8, b"", None, None
    while at < len(data):
        n_bytes, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n_bytes]
        crc, = struct.unpack(">I", data[at + 8 + n_bytes:at + 12 + n_bytes])
        assert crc == zlib.crc32(kind + body), f"bad CRC in {kind}"
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at, last = at + 12 + n_bytes, kind
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", header)
    assert (last, depth, interlace) == (b"IEND", 8, 0), "not of a kind that is read here"
    n_channels = {0: 1, 2: 3, 6: 4}[colour]
    lines = zlib.decompress(packed)
    stride = n_channels * width + 1
    assert len(lines) == stride * height, "wrong amount of data"
    above, texels = bytearray(stride - 1), bytearray()
    for begin in range(0, len(lines), stride):
        line = bytearray(lines[begin + 1:begin + stride])
        unfilter(lines[begin], line, above, n_channels)
        texels += line
        above = line
    return width, height, n_channels, bytes(texels)


def read_png(path):
    """(width, height, rgba) of an RGBA PNG."""
    width, height, n_channels, texels = decode_png(pathlib.Path(path).read_bytes())
    assert n_channels == 4, f"{path}: not RGBA"
    return width, height, texels


def crop(rgba, width, x, y, crop_width, crop_height):
    rows = [rgba[4 * (width * (y + i) + x):4 * (width * (y + i) + x + crop_width)]
            for i in range(crop_height)]
    return b"".join(rows)


def noise(n_bytes, seed=1):
    """Bytes that look random and are always the same."""
    out, state = bytearray(), str(seed).encode()
    while len(out) < n_bytes:
        state = hashlib.sha256(state).digest()
        out += state
    return bytes(out[:n_bytes])
