#!/usr/bin/env python3
"""report.py and plot.py on results.json of any shape: read, or refused by one line and
exit code 3. Every member that the schema knows becomes every other thing, one after the other.
usage: test_result_files.py MIPBENCH"""
import collections
import contextlib
import faulthandler
import importlib.util
import io
import json
import os
import random
import re
import signal
import time
import unittest
import unittest.mock

import cli
import report_fixture as fixture
import plot

# A script beside a package of its name.
loader = importlib.util.spec_from_file_location("report_script", cli.SCRIPTS / "report.py")
report = importlib.util.module_from_spec(loader)
loader.loader.exec_module(report)
report.__name__ = "report"

USAGE, INPUT, OUTPUT = 2, 3, 7
IS_FULL = bool(os.environ.get("MB_TEST_FULL"))
N_PER_DRAWING = 20  # of how many one is drawn
BEYOND = "1e400"  # JSON, but no number of any machine
VALUES = (fixture.LEFT_OUT, None, True, -5.5, 1e308, BEYOND, fixture.HOSTILE, [], [None], {})
MORE_VALUES = (7, 1e-308, 10 ** 300, float("nan"), "x", "\ud800\x1b[2J\n", {"x": []})
TEXTS_PER_FILE = 40


SCHEMA = json.loads((cli.ROOT / "results/schema.json").read_text(encoding="utf-8"))
CLASSES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
           "null": type(None)}


def alternatives(node):
    """(type, schema) of all that a schema takes, without references and choices."""
    while "$ref" in node:
        node = SCHEMA["$defs"][node["$ref"].rpartition("/")[2]]
    if "oneOf" in node:
        return [pair for choice in node["oneOf"] for pair in alternatives(choice)]
    values = node.get("enum", [node.get("const")])
    types = node.get("type") or [name for name, classes in CLASSES.items()
                                 if any(isinstance(value, classes) for value in values)]
    return [(name, node) for name in ([types] if isinstance(types, str) else types)]


def richest(node):
    """(type, schema) of what has most within."""
    return max(alternatives(node),
               key=lambda pair: ("object", "array").count(pair[0]))


def sample(node):
    """What a schema takes, with every member that it knows."""
    name, fitting = richest(node)
    if name == "object":
        others = fitting.get("additionalProperties")
        known = {**fitting.get("properties", {}), **({"other": others} if others else {})}
        return {key: sample(member) for key, member in known.items()}
    if name == "array":
        return [sample(fitting["items"]) for _ in range(fitting.get("minItems", 1))]
    return fitting.get("enum", ["x" if name == "string" else name == "boolean" or 1])[0]


def filled(value, node):
    """A value, and what it lacks of what the schema knows."""
    whole, fitting = sample(node), richest(node)[1]
    if isinstance(value, dict) and isinstance(whole, dict):
        known = fitting.get("properties", {})
        return {**whole, **{key: filled(member, known[key]) if key in known else member
                            for key, member in value.items() if member not in (None, [])}}
    if isinstance(value, list) and isinstance(whole, list):
        return [filled(item, fitting["items"]) for item in value]
    return value


def whole_file():
    """Small, with something in every member."""
    return filled(fixture.small(fixture.load()), SCHEMA)


def as_text(root):
    return json.dumps(root).replace(f'"{BEYOND}"', BEYOND)


def kinds_of_members(root):
    """The path of each member, one of each kind: of lists the first element."""
    kinds = {}
    for path in fixture.places(root):
        kinds.setdefault(tuple("*" if isinstance(key, int) else key for key in path), path)
    return list(kinds.values())


class Scripts(cli.TestCase):
    """The scripts run in this process: thousands of files in seconds."""

    def setUp(self):
        super().setUp()
        self.path, self.out = self.dir / "results.json", self.dir / "out"
        self.out.mkdir()
        self.counts = collections.Counter()

    @staticmethod
    def run_script(script, *arguments):
        """Exit code, stderr; any exception is a failure."""
        with contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()) as err:
            code = script.main([*map(str, arguments)])
        return code, err.getvalue()

    def check(self, script, *arguments):
        """Whether a script takes the file; if not, it says so in one line."""
        code, err = self.run_script(script, *arguments, self.path)
        if code != INPUT:
            self.assertEqual(code, 0, err)
            return True
        self.assertRegex(err, rf"\A{script.__name__}: error: {re.escape(str(self.path))}: "
                              r"[^\n\x1b]+\n\Z")
        return False

    def check_all(self, text, what):
        """By report.py, and some by plot.py, as the door is the same. Returns whether it was
        taken."""
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.counts["file"] += 1
        try:
            is_shown = self.check(report, "-o", self.out / "page.html")
            self.counts["shown"] += is_shown
            if IS_FULL or self.counts["file"] % N_PER_DRAWING == 1:
                with unittest.mock.patch.object(plot, "EXIT_NOT_MADE", 0):  # is no failure
                    self.counts["drawn"] += self.check(plot, "-o", self.out, "--format", "svg")
        except Exception as error:
            raise AssertionError(what) from error
        return is_shown


def measured(case, timing):
    """Members that say what was measured: a word that is not known is refused."""
    return [*((case, key) for key in ("format", "reduce", "shape", "alpha")), (timing, "cache"), (timing, "mode")]


class EachMember(Scripts):
    def test_the_whole_file_is_taken(self):
        self.assertTrue(self.check_all(as_text(whole_file()), "whole"))
        self.assertEqual(self.counts["drawn"], 1)

    def test_each_change(self):
        """To every value in full mode, else to each fifth one, in turn."""
        one_in, text = 1 if IS_FULL else 5, json.dumps(whole_file())
        for place, path in enumerate(kinds_of_members(json.loads(text))):
            for value in VALUES + MORE_VALUES if IS_FULL else VALUES[place % one_in::one_in]:
                root = json.loads(text)
                fixture.replace(root, path, value)
                self.check_all(as_text(root), f"{path} = {value!r}")
        print(dict(self.counts))
        self.assertGreater(self.counts["shown"], 700 / one_in)
        self.assertGreater(self.counts["file"] - self.counts["shown"], 800 / one_in)

    def test_several_changes(self):
        rng = random.Random(1)
        for _ in range(600 if IS_FULL else 60):
            self.check_all(json.dumps(fixture.mutated(rng)), "at random")
        self.assertGreater(self.counts["shown"], 5)
        self.assertGreater(self.counts["file"] - self.counts["shown"], 5)

    def test_what_the_schema_does_not_know(self):
        """Later minor versions add members and words; what is measured has the words of this one."""
        root = whole_file()
        root["schema"]["version"] = "2.99.0"
        case = root["cases"][0]
        timing, variant = case["timings"][0], case["variants"][0]
        words = ((root["device"], "type"), (variant, "policy"), (variant, "answer"),
                 (timing["rankings"][0], "question"))
        for node, key in words:
            node[key] = "of the future"
        for node in (root, root["run"], case, variant, timing["rows"][0], timing["blocks"]):
            node["of the future"] = {"x": [1, "y"]}
        self.assertTrue(self.check_all(as_text(root), "future"))
        self.assertEqual(self.counts["drawn"], 1)
        for node, key in measured(case, timing):
            word, node[key] = node[key], "of the future"
            self.assertFalse(self.check_all(as_text(root), key))
            node[key] = word


def as_bytes(root):
    return as_text(root).encode()


class Texts(Scripts):
    def refuse(self, text, what):
        self.assertFalse(self.check_all(text, what), what)
        self.assertEqual(self.counts["drawn"], 0)

    def test_what_is_no_json(self):
        whole = as_bytes(whole_file())
        bad = {"NaN": whole.replace(b"0.001", b"NaN"),
               "Infinity": whole.replace(b"0.001", b"-Infinity"),
               "bytes": whole.replace(b"llvmpipe", b"llvm\xff\xfe", 1), "null byte": b"\0" + whole,
               "UTF-16": whole.decode().encode("utf-16"), "mark": b"\xef\xbb\xbf" + whole,
               "digits": whole.replace(b"0.001", b"9" * 10000),
               "version": whole.replace(b'"version": "2.', b'"version": "2.' + b"9" * 10000, 1),
               "twice": whole + whole}
        for what, text in bad.items():
            self.assertNotEqual(text, whole)
            self.refuse(text, what)
        for n_bytes in range(0, len(whole), max(1, len(whole) // TEXTS_PER_FILE)):
            self.refuse(whole[:n_bytes], f"cut at {n_bytes}")

    def test_depth(self):
        """As the file, as a member that is known, and as one that is not."""
        for opening, closing in ((b"[", b"]"), (b'{"x":', b"}")):
            deep = opening * 100000 + b"1" + closing * 100000
            self.refuse(deep, "file")
            self.refuse(opening * 100000, "never closed")
            for key in (b'"host": ', b'"of the future": '):
                self.refuse(b'{"schema": {"name": "mipbench", "version": "2.0.0"}, ' + key + deep
                            + b"}", key)

    def seconds_of(self, length):
        """Of processor time, for a file with lists of that length."""
        root = whole_file()
        case = root["cases"][0]
        variant, timing = case["variants"][0], case["timings"][0]
        timing["blocks"]["columns"][0]["durations_ns"] = list(range(1, length + 1))
        timing["blocks"]["repeated"] = list(range(0, length, 2))
        timing["rows"][0]["warnings"] *= length
        variant["images"] = ["x/atlas.png"] * length
        variant["params"] = {f"k{i}": "v" for i in range(60)}  # mipbench reads no more
        timing["blocks"]["probe_before_ns"] = [9e4] * length
        root["run"]["argv"] = ["x"] * length
        self.counts.clear()  # both are drawn
        begin = time.process_time()
        self.assertTrue(self.check_all(as_text(root), "long"))
        return time.process_time() - begin

    def test_length(self):
        """No loop over a list takes the square of its length: four times as long takes four times as much."""
        self.assertLess(self.seconds_of(20000), 8 * self.seconds_of(5000))

    def test_scripts_in_every_text(self):
        """What came from outside is text in the page, wherever it stood."""
        root, extra = whole_file(), "\x1b[2J\n" + fixture.HOSTILE
        known = set(re.findall(r'"([^"]*)"', json.dumps(SCHEMA)))
        for case in root["cases"]:
            known |= {node[key] for timing in case["timings"] for node, key in measured(case, timing)}

        def spoiled(node):
            if isinstance(node, dict):
                return {key if key in known else key + extra: spoiled(value)
                        for key, value in node.items()}
            if isinstance(node, list):
                return list(map(spoiled, node))
            return node + extra if isinstance(node, str) and node not in known else node

        page = self.out / "page.html"
        self.assertTrue(self.check_all(as_text(root), "plain"))
        n_scripts = page.read_text(encoding="utf-8").lower().count("<script")
        texts = {**spoiled(root), "schema": root["schema"]}
        self.assertTrue(self.check_all(as_text(texts), "texts"))
        text = page.read_text(encoding="utf-8")
        self.assertEqual(text.lower().count("<script"), n_scripts)
        self.assertNotIn("<img src=x", text)
        self.assertGreater(text.count("&lt;/script&gt;"), 5)
        self.assertNotIn("\x1b", text)


class Doors(Scripts):
    """What the scripts refuse in the same words, and what they leave alone."""

    def setUp(self):
        super().setUp()
        self.path.write_text(as_text(fixture.load()), encoding="utf-8")

    def each_script(self):
        """(script, what it writes, the arguments that make it)."""
        scripts = [(report, "page.html", ["-o", self.out / "page.html"]),
                   (plot, "time-size.svg", ["-o", self.out, "--only", "time-size", "--format", "svg"])]
        return [(script, self.out / name, arguments) for script, name, arguments in scripts]

    def refuse(self, code, *parts, paths=None):
        """By all of them: one line, and nothing is written."""
        for script, _, arguments in self.each_script():
            before = cli.snapshot(self.dir)
            found, err = self.run_script(script, *arguments, *(paths or [self.path]))
            self.assertEqual(found, code, err)
            self.assertRegex(err, rf"\A{script.__name__}: error: [^\n]+\n\Z")
            for part in parts:
                self.assertIn(part, err)
            self.assertEqual(cli.snapshot(self.dir), before)

    def test_what_is_no_result(self):
        for text, part in (("", "not JSON"), ("{", "not JSON"), ("[]", "not a result"),
                           ("null", "not a result"), ('"x"', "not a result"),
                           ('{"schema": 3}', "not a result"),
                           ('{"schema": {"name": "mipbench-inspect"}}', "not a result")):
            self.path.write_text(text, encoding="utf-8")
            self.refuse(INPUT, "results.json", part)
        self.refuse(INPUT, "none.json", "No such file", paths=[self.dir / "none.json"])

    def test_versions(self):
        root = fixture.one_strategy()
        for version, part in (("1.5.0", "1.5.0, but 2.x is needed; measure again"),
                              ("3.0.0", "3.0.0, but 2.x is needed"), ("new", "not a version"),
                              (None, "None")):
            root["schema"]["version"] = version
            self.path.write_text(as_text(root), encoding="utf-8")
            self.refuse(INPUT, part)

    def test_members_of_a_wrong_type_are_named(self):
        case, timing, variant = ("cases", 0), ("cases", 0, "timings", 0), ("cases", 0, "variants", 0)
        for path, value in (
                (("cases",), {}), (("device", "name"), fixture.LEFT_OUT), (("run", "tool"), []),
                ((*case, "width"), 0), ((*case, "width"), "wide"), ((*case, "rect"), {"x": 1}),
                ((*variant, "verify"), None), ((*variant, "images"), [1]), ((*variant, "steps"), [5]),
                ((*variant, "verify", "levels"), {"max_error_lsb": [[]]}), ((*timing, "mode"), 5),
                ((*variant, "steps", 0, "median_ns"), -5), ((*variant, "diagnostic"), "no"),
                ((*timing, "rows", 0, "variant"), "another"),
                ((*timing, "rows", 0, "stats"), {"median_ns": "fast"})):
            root = fixture.small(fixture.load())
            fixture.replace(root, path, value)
            self.path.write_text(as_text(root), encoding="utf-8")
            where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
            self.refuse(INPUT, where.lstrip("."))

    def test_the_same_run_twice(self):
        self.refuse(INPUT, "the same run", paths=[self.path, self.path])

    def test_no_input_is_replaced(self):
        for script, output, arguments in self.each_script():
            for link in (os.symlink, os.link):
                link(self.path, output)
                before = cli.snapshot(self.dir)
                code, err = self.run_script(script, *arguments, self.path)
                self.assertEqual(code, USAGE)
                self.assertIn(f"{output.name}: it is an input; name another file", err)
                self.assertEqual(cli.snapshot(self.dir), before)
                output.unlink()

    def test_an_output_that_cannot_be_written(self):
        for script, output, arguments in self.each_script():
            output.mkdir()
            code, err = self.run_script(script, *arguments, self.path)
            self.assertEqual(code, OUTPUT)
            self.assertRegex(err, rf"\A{script.__name__}: error: .*{self.out}.*\n\Z")
            output.rmdir()

    def test_stdout_closed_or_full(self):
        """The files are there all the same; a reader that has seen enough is no error."""
        for script, output, arguments in self.each_script():
            for words in ([*arguments, self.path], ["--help"]):
                name = f"{script.__name__}.py"
                reader, writer = os.pipe()
                os.close(reader)
                with open("/dev/full", "wb") as full, os.fdopen(writer, "wb") as pipe:
                    for reason, options in (
                            ("No space left on device", {"stdout": full}),
                            ("Bad file descriptor", {"stdout": None, "preexec_fn": lambda: os.close(1)}),
                            (None, {"stdout": pipe})):
                        done = self.script(name, *words, **options)
                        want = (7, f"{script.__name__}: error: stdout: {reason}\n") if reason else (0, "")
                        self.assertEqual((done.code, done.err), want)
            self.assertTrue(output.is_file())


if __name__ == "__main__":
    faulthandler.register(signal.SIGTERM, chain=True)  # where it was when time was up
    cli.main()
