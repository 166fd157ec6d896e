"""What a results.json of mipbench holds, for all scripts that read one: runs, cases, timings and
rows, with every figure a number or None. Times in nanoseconds, sizes in texels, errors in units of the
last place. Figures and verdicts are those of `mipbench compare --pool` (pooled.py). Standard library
only."""

import collections
import hashlib
import pathlib

from result_node import InputError, Node, check_schema, parse, read_text

EXACT = ("exact", "conservative")  # answers that lose nothing

# What must be equal for times to be comparable, but for the size.
Condition = collections.namedtuple(
    "Condition", "input format reduce alpha shape layers levels rect cache mode")


class Stats:
    """Of one row's samples, as a run or as a pool has them."""

    def __init__(self, node):
        self.n = node.count("n") or node.count("samples")
        self.median, self.p05, self.p95 = map(node.figure, ("median_ns", "p05_ns", "p95_ns"))
        interval, level = node.interval("median_ci_ns"), node.figure("median_ci_level")
        self.ci = interval if level is None or level >= 0.95 else None


class Verify:
    """What the comparison with the golden model found."""

    def __init__(self, node):
        self.status = node.text("status")
        self.step, self.box = node.figure("max_error_lsb"), node.figure("box_lsb")
        self.errors = node.child("levels").figures("max_error_lsb")


def read_warnings(node):
    return [(warning.text("code", ""), warning.text("message", ""))
            for warning in node.children("warnings")]


class Variant:
    """One strategy with one choice of its parameters: what holds whatever the condition."""

    def __init__(self, node):
        self.id, self.label, self.strategy = map(node.text, ("id", "label", "strategy"))
        self.diagnostic, self.images = node.flag("diagnostic"), node.texts("images")
        self.policy, self.answer = map(node.optional_text, ("policy", "answer"))
        self.loss = "" if self.answer in EXACT else self.answer or ""
        self.status, self.reason = node.text("status"), node.text("reason", "")
        self.verify = Verify(node.member("verify"))
        self.dispatches = node.child("work").figure("dispatches")
        self.steps = [{"first": step.count("first_level"), "n": step.count("levels", 1),
                       "time": step.amount("median_ns"), "gap": step.amount("gap_ns")}
                      for step in node.children("steps")]
        self.warnings = read_warnings(node)


class Row:
    """A variant under one condition; the pool (pooled.py) has the times of those that are right."""

    def __init__(self, case, variant, node):
        self.case, self.variant = case, variant
        self.status, self.reason = node.text("status"), node.text("reason", "")
        self.stats, self.of_limit = Stats(node.child("stats")), node.figure("of_limit")
        self.warnings = variant.warnings + read_warnings(node)


class Timing:
    """The variants of a case under one condition, sampled together."""

    def __init__(self, case, node):
        self.case, self.cache, self.mode = case, node.text("cache"), node.text("mode")
        self.condition, self.title = case.condition(self.cache, self.mode), \
            f"{case.words()}, {self.cache}, {self.mode}"
        self.floor = node.amount("floor_ns") or None
        self.has_control = node.value.get("aa_control") is not None
        self.rows = [Row(case, case.variant_of(row, "variant"), row) for row in node.children("rows")]


class Case:
    """One input at one size in one format, and what is to be made of it."""

    def __init__(self, run, node):
        self.run, self.input, self.format = run, node.text("input"), node.text("format")
        digest = node.text("input_sha256", "")
        # Files are the same by their digests, wherever they lie; patterns by their names.
        self.image = self.input if self.input.startswith("pattern:") else digest or self.input
        self.image_name = self.input  # as it is shown
        self.width, self.height = node.count("width"), node.count("height")
        self.layers, self.n_levels = node.count("layers", 1), node.count("levels", 1)
        if min(self.width, self.height, self.layers, self.n_levels) < 1:
            raise node.wrong("width", "no size of an image")
        self.size, self.texels = (self.width, self.height), self.width * self.height * self.layers
        if self.n_levels > max(self.size).bit_length():
            raise node.wrong("levels", "more than an image of this size has")
        self.reduce, self.alpha = node.text("reduce"), node.text("alpha", "straight")
        self.shape = node.text("shape", "2d")
        rect = node.child("rect")
        self.rect = ({key: rect.count(key, None) for key in ("x", "y", "width", "height")}
                     if rect.value else None)
        self.unit = "ulp" if self.format.endswith("f") else "LSB"  # what errors are counted in
        self.variants = [Variant(child) for child in node.children("variants")]
        self.by_id = {variant.id: variant for variant in self.variants}
        self.timings = [Timing(self, child) for child in node.children("timings")]

    def variant_of(self, node, key):
        """The variant that a member names."""
        name = node.text(key)
        if name not in self.by_id:
            raise node.wrong(key, f"the case has no variant '{name}'")
        return self.by_id[name]

    def condition(self, cache, mode):
        full = max(self.size).bit_length()
        return Condition(self.image, self.format, self.reduce, self.alpha, self.shape, self.layers,
                         "all" if self.n_levels == full else self.n_levels,
                         self.rect and tuple(self.rect.values()), cache, mode)

    def words(self, with_size=True):
        """What is not at its default, but for the input."""
        parts = [f"{self.width}x{self.height} {self.format}" if with_size else self.format]
        parts += [self.reduce] if self.reduce != "avg" else []
        parts += [f"alpha {self.alpha}"] if self.alpha != "straight" else []
        if self.shape == "cube":
            parts += ["cube" if self.layers <= 6 else f"{self.layers // 6} cubes"]
        elif self.layers > 1:
            parts += [f"{self.layers} layers"]
        if self.rect:
            parts += ["update of {width}x{height} at {x},{y}".format(**self.rect)]
        return ", ".join(parts)


class Run:
    """One results.json."""

    def __init__(self, path, text):
        self.path, self.text = pathlib.Path(path), text
        value = parse(path, text)
        self.schema_version = check_schema(path, value)
        root = Node(value, path)
        for key in ("run", "device", "cases"):
            if value.get(key) is None:
                raise root.wrong(key, "missing")
        self.read_run(root.child("run"))
        self.read_device(root.child("device"))
        self.read_environment(root.child("host"), root.child("timer"), root.child("roofline"))
        self.cases = [Case(self, node) for node in root.children("cases")]
        self.timings = [timing for case in self.cases for timing in case.timings]
        self.rows = [row for timing in self.timings for row in timing.rows]
        self.name_inputs()

    def read_run(self, run):
        self.id, self.utc = run.text("id"), run.text("utc", "")
        self.argv, self.folder = run.texts("argv"), run.optional_text("folder")
        self.seed = run.figure("seed")
        self.kernels = [kernel.text("strategy") for kernel in run.children("kernels")]
        self.complete = run.flag("complete", True)
        self.exit_reason = run.text("exit_reason", "done")
        self.verified, self.validated = run.flag("verify", True), run.flag("validate")
        tool = run.child("tool")
        self.tool = {key: tool.text(key, "") for key in
                     ("version", "git_sha", "build_type", "compiler")}
        self.commit = self.tool["git_sha"]

    def read_device(self, device):
        self.device, self.type = device.text("name"), device.text("type", "other")
        driver = device.child("driver")
        self.driver_version = driver.text("info", "") or driver.text("version", "")
        self.driver = " ".join(filter(None, (driver.text("name", ""), self.driver_version)))
        self.api, self.subgroup = device.text("api", ""), device.count("subgroup_size")

    def read_environment(self, host, timer, roofline):
        self.processor, self.cores = host.text("cpu", ""), host.count("cores")
        self.system = f"{host.text('os', '')}, {host.text('kernel', '')}"
        self.timer, self.granularity = timer.text("source", ""), timer.amount("granularity_gcd_ns")
        self.empty_pair = timer.amount("empty_pair_ns")
        self.ceiling, self.cache = roofline.amount("ceiling_gbps"), roofline.amount("llc_bytes")
        self.cache_source = roofline.text("llc_source", "")

    def name_inputs(self):
        """Files by their names alone, where that tells them apart."""
        shortened = {case.input: pathlib.PurePath(case.input).name for case in self.cases
                     if not case.input.startswith("pattern:")}
        names = collections.Counter(shortened.values())
        for case in self.cases:
            name = shortened.get(case.input, case.input)
            case.image_name = case.input if names[name] > 1 else name

    def identity(self):
        """Runs of two machines may begin in one second, and then have one id."""
        return self.id, hashlib.sha256(self.text.encode("utf-8")).digest()

    def is_software(self):
        return self.type == "cpu"

    def name(self):
        return self.device + (" (software)" if self.is_software() else "")


BESIDE = ("inspect.json",)


def load(names):
    """The runs of files, or of the folders that they are in, in their order; the same run twice is
    refused. An inspect.json among them, as a pattern of the shell finds it, is no run, and lies
    beside one."""
    runs, seen = [], {}
    for name in [it for it in names if pathlib.Path(it).name not in BESIDE] or names:
        path = pathlib.Path(name)
        path = path / "results.json" if path.is_dir() else path
        run = Run(path, read_text(path))
        if run.identity() in seen:
            raise InputError(f"{path}: the same run as {seen[run.identity()]}; name each run once")
        seen[run.identity()] = path
        runs.append(run)
    return runs
