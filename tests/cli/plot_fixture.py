"""Result sets for the tests of scripts/plot.py, trimmed from kept ones, and its pictures read
back: SVG keeps its text as text."""
import contextlib
import io
import json
import re
import shlex
import sys
import unittest.mock
import xml.etree.ElementTree

import cli
import kept_sets

try:
    import numpy  # noqa: F401  (what is drawn needs it, too)
    from matplotlib.layout_engine import ConstrainedLayoutEngine
except ImportError as error:
    print(f"{error.name} is not installed")
    sys.exit(77)

import plot

SIZES = ((256, 256), (1024, 1024), (1920, 1080))
LABELS = ("blit", "compute", "subgroup", "spd", "spd:fp16=on", "separable")
N_KEPT = 30  # samples of each row: drawing more takes longer and shows no more
TEXTS = {}


def text_of(path):
    """Of a kept set, read once: what plots need, and the first samples of each row."""
    if path not in TEXTS:
        whole = kept_sets.load(path)
        whole.update(shaders={}, host={})
        for variant in kept_sets.variants(whole):
            variant["pipelines"] = []
        for timing in kept_sets.timings(whole):
            shorten(timing["blocks"])
        TEXTS[path] = json.dumps(whole)
    return TEXTS[path]


def shorten(blocks):
    for key in ("probe_before_ns", "probe_after_ns", "start_ns"):
        blocks[key] = blocks[key][:N_KEPT]
    for column in blocks["columns"]:
        column["durations_ns"] = column["durations_ns"][:N_KEPT]
        column["positions"] = []
        column.pop("parts_ns", None)
    blocks.update(flagged=[], repeated=[])


def trimmed(path, labels=LABELS, sizes=SIZES, cache=None, mode="latency", run_id=None):
    """A copy of a kept set with these rows, and the first samples of each."""
    root = json.loads(text_of(path))  # faster than copy.deepcopy
    root["cases"] = [case for case in root["cases"] if (case["width"], case["height"]) in sizes]
    for case in root["cases"]:
        case["timings"] = [timing for timing in case["timings"] if cache in (None, timing["cache"])
                           and mode in (None, timing["mode"])]
        kept_sets.keep(case, lambda variant: variant["label"] in labels)
    root["cases"] = [case for case in root["cases"] if case["variants"]]
    root["run"]["id"] = run_id or root["run"]["id"]
    return root


def each_variant(root, label=None):
    """(case, variant) of all, or of those of a label."""
    return [(case, variant) for case in root["cases"] for variant in case["variants"]
            if label in (None, variant["label"])]


def run_plot(*arguments):
    """Run in this process, as importing matplotlib takes most of the time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = plot.main(list(arguments))
        except SystemExit as ended:
            code = ended.code
    return cli.Outcome(code, out.getvalue(), err.getvalue())


class Svg:
    """The text of a picture and the ids of its parts."""

    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")
        root = xml.etree.ElementTree.fromstring(self.source)
        self.texts = ["".join(node.itertext()) for node in root.iter()
                      if node.tag.endswith("}text")]
        self.ids = [node.get("id") for node in root.iter() if node.get("id")]
        self.text = "\n".join(self.texts)


class PlotCase(cli.TestCase):
    """Pictures are not laid out unless where things are is looked at: that takes a third of the
    time, and changes neither texts nor ids."""
    LAID_OUT = False

    def setUp(self):
        super().setUp()
        self.out = self.dir / "plots"
        if not self.LAID_OUT:
            patch = unittest.mock.patch.object(ConstrainedLayoutEngine, "execute")
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, *roots):
        paths = []
        for index, root in enumerate(roots):
            path = self.dir / f"set-{index}.json"
            path.write_text(json.dumps(root), encoding="utf-8")
            paths.append(str(path))
        return paths

    def plot(self, *arguments):
        return run_plot(*map(str, arguments), "-o", str(self.out))

    def draw(self, roots, *names, options=(), made=None):
        """{name: Svg} of the plots `names`, or of those `made`; the rest must say why not."""
        outcome = self.plot(*self.write(*roots), "--format", "svg", "--only", ",".join(names),
                            *options)
        made = names if made is None else made
        self.assertEqual(outcome.code, 0 if set(made) == set(names) else 1, outcome)
        self.assertEqual(outcome.out.split(), [str(self.out / f"{name}.svg") for name in made],
                         outcome)
        self.outcome = outcome
        return {name: Svg(self.out / f"{name}.svg") for name in made}

    @staticmethod
    def joined(svg):
        """Its text without line breaks."""
        return " ".join(svg.text.split())

    def assert_not_made(self, outcome, name, why, command):
        line, = [line for line in outcome.err.splitlines()
                 if line.startswith(f"plot: {name} not made: ")]
        self.assertIn(why, line)
        self.assertRegex(line, "; run: mipbench .*" + re.escape(command))
        program, _, *options = shlex.split(line.partition("; run: ")[2])
        self.assertEqual(program, "mipbench")
        self.assert_error(self.run_it("missing.png", *options), 3, "missing.png")

    def assert_refused(self, outcome, *parts, code=3):
        lines = outcome.err.splitlines()
        self.assertEqual((outcome.code, outcome.out, len(lines)), (code, "", 1), outcome)
        self.assertTrue(lines[0].startswith("plot: error: "), outcome)
        for part in parts:
            self.assertIn(part, lines[0])
