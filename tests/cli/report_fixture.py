"""Results of mipbench for the tests of scripts/report.py: those in results/reference, changed."""
import copy
import json

import cli
import kept_sets

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"{{css}}"
SIZE, N_LEVELS = 16, 5
LEFT_OUT = object()


def load(path=kept_sets.SOFTWARE):
    return kept_sets.load(path)


def first_timing(root):
    """Only the rows of the first timing, still comparable."""
    root["cases"] = root["cases"][:1]
    root["cases"][0]["timings"] = root["cases"][0]["timings"][:1]
    return root


def first_variants(root, count):
    """And only those of the first variants."""
    case = first_timing(root)["cases"][0]
    kept = case["variants"][:count]
    kept_sets.keep(case, lambda variant: variant in kept)
    return root


def one_strategy():
    return first_variants(load(), 1)


def failures_and_skips():
    """A wrong texel, a failure without one, a skip."""
    root = load()
    case = root["cases"][0]
    wrong, broken, skipped = case["variants"][:3]
    kept_sets.skip(case, broken, "the device was lost")
    for node in (broken, *kept_sets.rows_of(case, broken)):
        node["status"] = "failed"
    kept_sets.skip(case, skipped, "needs a subgroup of 64")
    kept_sets.fail(case, wrong)
    return root


def cut_off(timing):
    """As an interrupted run leaves it."""
    timing["stopped_by"] = "interrupted"
    for row in timing["rows"]:
        row["stats"].update(n=3, median_ci_level=0.75)
        if row["relative"]:
            row["relative"].update(ci=[None, None], p_adjusted=None, verdict="INCONCLUSIVE")
    for ranking in timing["rankings"]:
        ranking["tied"] = ranking["order"][1:]
        ranking["sentence"] = "No ranking: too few samples (3) for a 95 % interval."


def interrupted():
    root = first_timing(load())
    root["run"].update(complete=False, exit_reason="interrupted")
    cut_off(root["cases"][0]["timings"][0])
    return root


def drops_edges(root, label, ratio):
    """A strategy of each case is `ratio` times as long as the fastest exact one, and is not exact."""
    for case in root["cases"]:
        variant, = (it for it in case["variants"] if it["label"] == label)
        variant["answer"] = "floor"
        for timing in case["timings"]:
            best = timing["rankings"][0]["fastest"]
            median = next(row for row in timing["rows"] if row["variant"] == best)["stats"]["median_ns"]
            row, = (it for it in timing["rows"] if it["variant"] == variant["id"])
            row["stats"].update({key: ratio * median for key in ("median_ns", "p05_ns", "p95_ns")})
    return root


def two_images():
    """The same sizes of two images, by one strategy."""
    root = load()
    for case in root["cases"]:
        kept_sets.keep(case, lambda variant: variant["strategy"] == "spd")
    again = copy.deepcopy(root["cases"])
    for case in again:
        case.update(input="photo.png", input_sha256="0", id=f"photo_{case['id']}",
                    alpha="premultiplied")
    root["cases"] += again
    return root


def no_results():
    return {**load(), "cases": []}


def bare():
    """No times, no roofline, no verification."""
    root = first_timing(load())
    timing, = kept_sets.timings(root)
    for row in timing["rows"]:
        row.update(stats=None, of_limit=None, relative=None)
    for variant in kept_sets.variants(root):
        kept_sets.clear(variant)
    timing["rankings"] = []
    root["roofline"] = None
    root["run"]["verify"] = False
    return root


def hostile():
    root = failures_and_skips()
    root["device"]["name"] = root["run"]["argv"][1] = root["run"]["folder"] = HOSTILE
    for case in root["cases"]:
        case["input"] = HOSTILE
        for variant in case["variants"]:
            variant.update(label=HOSTILE + variant["label"], reason=HOSTILE, answer=HOSTILE,
                           images=[HOSTILE + "/atlas.png", "../../etc/atlas.png", "/etc/atlas.png"])
    for timing in kept_sets.timings(root):
        for row in timing["rows"]:
            row.update(reason=HOSTILE, warnings=[{"code": "x", "message": HOSTILE}])
        for ranking in timing["rankings"]:
            ranking["sentence"] = HOSTILE
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
    case = first_variants(root, 2)["cases"][0]
    timing, = case["timings"]
    ids = [variant["id"] for variant in case["variants"]]
    for variant in case["variants"]:
        variant.update(pipelines=[], images=["image/x/atlas.png"], answers=["exact", "any"],
                       answer="exact", warnings=[{"code": "x", "message": "y"}],
                       steps=[{"first_level": 1, "levels": 1, "median_ns": 9e3, "gap_ns": 10}])
        variant["verify"].update(first_bad={
            "level": 2, "layer": 0, "x": 5, "y": 7, "channel": 1, "want": 127.5, "got": 0,
            "error_lsb": 127.5, "bound_lsb": 0.5})
        for key, values in variant["verify"]["levels"].items():
            variant["verify"]["levels"][key] = [value or 0 for value in values[:2]]
    case["rect"] = {"x": 0, "y": 0, "width": 8, "height": 8}
    for row in timing["rows"]:
        row.update(chains=[1, 2], fixed_ns=1, warnings=variant["warnings"],
                   relative={"ratio": 1.2, "ci": [1.1, 1.3], "p_adjusted": 0.001,
                             "verdict": "SLOWER"})
    timing["rankings"] = [{"question": "exact", "fastest": ids[0], "tied": [ids[1]], "order": ids,
                           "sentence": "Tie: x and y differ by less than the noise."}]
    timing.update(floor_ns=100, warm_probe_ns=9e4, aa_control={
        "variant": ids[0], "ratio": 1.001, "ci": [0.99, 1.01], "margin": 0.01})
    timing["blocks"] = {
        "start_ns": [1, 2, 3], "probe_before_ns": [9e4] * 3, "probe_after_ns": [9e4] * 3,
        "flagged": [0], "repeated": [1], "columns": [
            {"variant": name, "kind": kind, "positions": [0, 1, 2],
             "durations_ns": [8e3, 8.1e3, 8.2e3], "parts_ns": [[2e3, 4e3]] * 3}
            for name in ids for kind in ("sample", "aa_control")]}
    for key in ("schema", "shaders"):
        root[key] = {name: root[key][name] for name in ("name", "version") if name in root[key]} \
            if isinstance(root[key], dict) else []
    return root


def mutated(rng):
    """A small file of which up to ten members are something else, or not there."""
    root = small(load())
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
    root = first_variants(load(), 3)
    case, = root["cases"]
    case.update(width=SIZE, height=SIZE, levels=N_LEVELS)
    shades = (40, 40, 220)
    for variant, shade in zip(case["variants"], shades):
        variant["images"] = [write_atlas(folder, variant["id"], shade),
                             write_atlas(folder, "golden-box", 90)]
    name = f"image/{variant['id']}/error_01.png"
    cli.write_png(folder / name, 8, 8, texels(8, 8, 0))
    variant["images"] += [name]
    return root


def write_atlas(folder, name, shade, alpha=255):
    path = folder / "image" / name / "atlas.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    cli.write_png(path, SIZE + SIZE // 2, SIZE, texels(SIZE + SIZE // 2, SIZE, shade, alpha))
    return f"image/{name}/atlas.png"


class TestCase(cli.TestCase):
    def write(self, root, name="results.json"):
        path = self.dir / name
        path.write_text(json.dumps(root), encoding="utf-8")
        return path

    def report(self, *arguments, **options):
        """Runs report.py; the page is self.dir/page.html."""
        return self.script("report.py", "-o", self.dir / "page.html", *arguments, **options)

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
