"""Results of mipbench for the tests of scripts/report.py: those in results/reference, changed."""
import copy
import json
import subprocess
import sys

import cli

SCRIPTS = cli.ROOT / "scripts"
REFERENCE = cli.ROOT / "results/reference"
H200 = REFERENCE / "nvidia-h200-20261121-cold/run-1.json"
LAVAPIPE = REFERENCE / "lavapipe-20261121/run-1.json"
LAVAPIPE_MODES = REFERENCE / "lavapipe-20261121/modes.json"
OLDEST = REFERENCE / "nvidia-h200-20261121/results.json"  # of schema 1.0
HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"{{css}}"
SIZE, N_LEVELS = 16, 5
LEFT_OUT = object()


def load(path=LAVAPIPE):
    return json.loads(path.read_text(encoding="utf-8"))


def first_cell(root):
    """Only the rows of the first cell, still comparable."""
    name = root["results"][0]["cell"]
    root["results"] = [row for row in root["results"] if row["cell"] == name]
    ids = {row["id"] for row in root["results"]}
    root["comparisons"] = [c for c in root["comparisons"] if {c["a"], c["b"]} <= ids]
    root["cells"] = [cell for cell in root["cells"] if cell["id"] == name]
    return root


def one_strategy():
    root = first_cell(load())
    root["results"], root["comparisons"] = root["results"][:1], []
    return root


def failures_and_skips():
    """A wrong texel, a failure without one, a skip."""
    root = load()
    wrong, broken, skipped = root["results"][:3]
    bad = {"level": 2, "layer": 0, "x": 5, "y": 7, "channel": 1, "want": 127.5, "got": 0,
           "error_lsb": 127.5, "bound_lsb": 0.5}
    wrong.update(status="failed", reason="wrong texels")
    wrong["verify"].update(status="fail", first_bad=bad)
    wrong["verify"]["levels"][2].update(bad_texels=3, max_error_lsb=127.5, drift_lsb=127.5)
    broken.update(status="failed", reason="the device was lost")
    broken["verify"].update(status="skipped", levels=[])
    broken["stats"] = {"n": 0}
    skipped.update(status="skipped", reason="needs a subgroup of 64")
    skipped["verify"].update(status="skipped", levels=[])
    skipped["stats"] = {"n": 0}
    return root


def interrupted():
    root = first_cell(load())
    root["run"].update(complete=False, exit_reason="interrupted")
    for row in root["results"]:
        row["stats"].update(n=3, median_ci_level=0.75)
    return root


def many_tied():
    """No two rows can be told apart, and what holds for one holds for all that were compared."""
    root = first_cell(load())
    for comparison in root["comparisons"]:
        comparison.update(verdict="SAME")
    compared = {c[side] for c in root["comparisons"] for side in "ab"}
    for row in root["results"]:
        row["warnings"] = [{"code": "x", "message": "as planted"}] if row["id"] in compared else []
    return root


def two_images():
    """The same sizes of two images, by one strategy."""
    root = load()
    root["results"] = [row for row in root["results"] if row["strategy"] == "spd"]
    again = copy.deepcopy(root["results"])
    for row in again:
        row.update(input="photo.png", input_sha256="0", id=f"photo/{row['id']}",
                   cell=f"photo/{row['cell']}", alpha="premultiplied")
    root.update(results=root["results"] + again, comparisons=[],
                cells=root["cells"] + [{**cell, "id": f"photo/{cell['id']}"}
                                       for cell in root["cells"]])
    return root


def too_few_samples():
    """Six of each row: with more than one rival no adjusted test can pass."""
    root = first_cell(load())
    for row in root["results"]:
        row["stats"].update(n=6, median_ci_level=0.96875)
    for comparison in root["comparisons"]:
        comparison.update(p_adjusted=min(1, 0.03125 * len(root["comparisons"])),
                          verdict="INCONCLUSIVE")
    return root


def no_results():
    return {**load(), "results": [], "cells": [], "comparisons": []}


def bare():
    """No times, no roofline, no verification."""
    root = first_cell(load())
    for row in root["results"]:
        row["stats"] = {"n": 0, "median_ns": None}
        row["verify"] = {"status": "skipped", "levels": [], "first_bad": None}
        row["sol"] = None
    root["comparisons"] = []
    root["roofline"] = None
    root["run"]["verify"] = False
    return root


def hostile():
    root = failures_and_skips()
    root["device"]["name"] = root["run"]["argv"][1] = root["run"]["folder"] = HOSTILE
    for row in root["results"]:
        row["input"] = row["reason"] = HOSTILE
        row["images"] = [HOSTILE + "/atlas.png", "../../etc/atlas.png", "/etc/atlas.png"]
        row["warnings"] = [{"code": "x", "message": HOSTILE}]
    return root


def places(node, path=()):
    """The path of every member of a JSON value."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def small(root):
    """What is left is read and shown in no time, and has something in most members."""
    first_cell(root)["results"] = root["results"][:2]
    ids = [row["id"] for row in root["results"]]
    root["comparisons"] = [{"a": ids[0], "b": ids[1], "ratio": 1.2, "ci": [1.1, 1.3],
                            "p_adjusted": 0.001, "verdict": "SLOWER"}]
    for row in root["results"]:
        row.update(samples_ns=row["samples_ns"][:8], sample_positions=[], pipelines=[],
                   steps=[{"first_level": 1, "levels": 1, "median_ns": 9e3, "gap_ns": 10}],
                   warnings=[{"code": "x", "message": "y"}], images=["image/x/atlas.png"],
                   rect={"x": 0, "y": 0, "width": 8, "height": 8}, batch={"chains": [1, 2],
                                                                          "parts_ns": [[2e3, 4e3]]})
        row["relative"].update(ratio=1.2, ci=[1.1, 1.3], to=root["results"][0]["strategy"])
        row["verify"].update(levels=row["verify"]["levels"][:2], first_bad={
            "level": 2, "layer": 0, "x": 5, "y": 7, "channel": 1, "want": 127.5, "got": 0,
            "error_lsb": 127.5, "bound_lsb": 0.5})
    root["cells"][0].update(floor_ns=100, warm_probe_ns=9e4, aa_control={
        "of": "blit", "ratio": 1.001, "ci": [0.99, 1.01], "margin": 0.01}, blocks={
            "start_ns": [1, 2], "probe_before_ns": [9e4, 9e4], "flagged": [0], "repeated": [1]})
    for key in ("schema", "shaders"):
        root[key] = {name: root[key][name] for name in ("name", "version") if name in root[key]} \
            if isinstance(root[key], dict) else []
    return root


def mutated(rng):
    """A small file of which up to ten members are something else, or not there."""
    root = first_cell(load())
    for row in root["results"]:
        row["samples_ns"], row["sample_positions"] = row["samples_ns"][:2], []
    root["cells"][0]["blocks"] = {}
    for path in rng.sample(list(places(root)), rng.choice((1, 1, 3, 10))):
        replace(root, path, rng.choice((LEFT_OUT, None, 0, -5.5, 1e308, 1e-308, 10 ** 30, "", "x",
                                        "\ud800<&>", [], {}, [None], True)))
    return root


def replace(node, path, value):
    """Nothing is changed where the path has gone with an earlier change."""
    for key in path[:-1]:
        if not isinstance(node, (dict, list)) or key not in (node if isinstance(node, dict)
                                                             else range(len(node))):
            return
        node = node[key]
    if isinstance(node, dict) and value is LEFT_OUT:
        node.pop(path[-1], None)
    elif isinstance(node, dict) or isinstance(node, list) and path[-1] in range(len(node)):
        node[path[-1]] = None if value is LEFT_OUT else value


def texels(width, height, shade, alpha=255):
    """A square that gets redder to the right, greener downwards, bluer with the shade."""
    return b"".join(bytes((255 * x // width, 255 * y // height, shade, alpha))
                    for y in range(height) for x in range(width))


def write_pictures(folder):
    """A set of two chains that are alike, one that differs and a golden one; heat maps of one."""
    root = first_cell(load())
    root["results"] = root["results"][:3]
    ids = {row["id"] for row in root["results"]}
    root["comparisons"] = [c for c in root["comparisons"] if {c["a"], c["b"]} <= ids]
    shades = (40, 40, 220)
    for row, shade in zip(root["results"], shades):
        row.update(width=SIZE, height=SIZE, levels=N_LEVELS)
        row["images"] = [write_atlas(folder, row["strategy"], shade),
                         write_atlas(folder, "golden-box", 90)]
    name = f"image/{row['strategy']}/error_01.png"
    cli.write_png(folder / name, 8, 8, texels(8, 8, 0))
    row["images"] += [name]
    return root


def write_atlas(folder, name, shade, alpha=255):
    path = folder / "image" / name / "atlas.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    cli.write_png(path, SIZE + SIZE // 2, SIZE, texels(SIZE + SIZE // 2, SIZE, shade, alpha))
    return f"image/{name}/atlas.png"


def claims():
    line = {"id": "a", "claim": "waves <are> faster", "source": "somewhere", "device": "x",
            "kind": "ratio", "measured": "a over b", "at": "4096x4096", "value": 0.8,
            "ci": [0.79, 0.81], "verdict": "holds", "run": None}
    return {"schema": {"name": "mipbench-claims", "version": "1.0.0"},
            "claims": [line, {**line, "verdict": "does not", "seen": "the other way"},
                       {**line, "claim": "unknown", "value": None, "ci": None,
                              "measured": None, "verdict": "not measured", "run": "mipbench x"}]}


class TestCase(cli.TestCase):
    def write(self, root, name="results.json"):
        path = self.dir / name
        path.write_text(json.dumps(root), encoding="utf-8")
        return path

    def add_scripts(self):
        """What report.py is made of can be imported."""
        sys.path.insert(0, str(SCRIPTS))
        self.addCleanup(sys.path.remove, str(SCRIPTS))

    def report(self, *arguments):
        """Runs report.py; the page is self.dir/page.html."""
        done = subprocess.run(
            [sys.executable, "-B", str(SCRIPTS / "report.py"), "-o", str(self.dir / "page.html"),
             *map(str, arguments)], cwd=self.dir, capture_output=True, timeout=cli.TIMEOUT_S,
            check=False)
        return cli.Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def page(self, *arguments):
        """The text of the page that is made without a word on stderr."""
        outcome = self.report(*arguments)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        return (self.dir / "page.html").read_text(encoding="utf-8")

    def refusal(self, code, *arguments):
        """The one line of an error; no page is left."""
        outcome = self.report(*arguments)
        self.assertEqual((outcome.code, outcome.out), (code, ""), outcome)
        self.assertRegex(outcome.err, r"\Areport: error: [^\n]+; [^\n]+\n\Z")
        self.assertFalse((self.dir / "page.html").exists())
        return outcome.err

    def other_device(self):
        root = copy.deepcopy(load())
        root["run"]["id"] = root["device"]["name"] = "Another GPU"
        root["device"]["type"] = "discrete"
        return root
