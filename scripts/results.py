"""What a results.json of mipbench holds, for all scripts that read one: runs, cells and rows, with
every figure a number or None. Times in nanoseconds, bandwidths in GB/s (10^9 bytes), sizes in
texels, errors in units of the last place. Standard library only."""

import collections
import hashlib
import pathlib

from result_node import InputError, Node, check_schema, parse, read_text
from result_schema import first_fault
from result_units import EXACT, halves_evenly, last_place

CELLS_MINOR = 2  # cells, comparisons, the roofline and steps came with schema 1.2

MODES = ("latency", "throughput", "overlap", "beside")  # as plots choose among them

# Wide kernels make another image, so their rows are ranked only among their own kind.
WIDE_POLICIES = {"kaiser", "lanczos", "gaussian", "gaussian16"}

# What must be equal for times to be comparable, but for the size.
Condition = collections.namedtuple(
    "Condition", "input format reduce filter alpha shape layers levels rects cache mode")

# The A/A control: one strategy against itself; `of` is "" where there is none.
Control = collections.namedtuple("Control", "of ratio ci margin")

Bandwidth = collections.namedtuple("Bandwidth", "traffic gbps")


class Input:
    """Which image it was. Files are the same by their digests, wherever they lie; patterns, and
    what has no digest, by their names."""

    def __init__(self, name, sha256):
        self.name = name  # as it is shown
        self.key = name if name.startswith("pattern:") or not sha256 else sha256

    def __eq__(self, other):
        return isinstance(other, Input) and self.key == other.key

    def __hash__(self):
        return hash(self.key)


class Stats:
    """Of one row's samples."""

    def __init__(self, node):
        self.n = node.count("n")
        self.median, self.p05, self.p95 = map(node.figure, ("median_ns", "p05_ns", "p95_ns"))
        interval = node.interval("median_ci_ns")
        self.ci = interval if (node.figure("median_ci_level") or 0.0) >= 0.95 else None


class Verify:
    """What the comparison with the golden model found."""

    def __init__(self, node):
        self.status = node.text("status")
        self.policy = node.optional_text("policy")
        self.step, self.drift, self.box = map(
            node.figure, ("max_error_lsb", "drift_lsb", "box_lsb"))
        self.bad = read_bad_texel(node) if node.value.get("first_bad") else None
        self.levels = [{"level": level.count("level"), "width": level.count("width"),
                        "height": level.count("height"), "step": level.figure("max_error_lsb"),
                        "drift": level.figure("drift_lsb"), "bad": level.count("bad_texels")}
                       for level in node.children("levels")]

    def n_bad(self):
        return sum(level["bad"] for level in self.levels)

    def worst_step(self):
        """The largest step error, or that of the first bad texel; None: not known."""
        return self.bad["error_lsb"] if self.step is None and self.bad else self.step


def read_bad_texel(node):
    bad = node.child("first_bad")
    found = {key: bad.count(key) for key in ("level", "layer", "x", "y", "channel")}
    return {**found, **{key: bad.figure(key) for key in ("want", "got", "error_lsb", "bound_lsb")}}


class Relation:
    """To another row of the table, most often the fastest of those that make the same image."""

    def __init__(self, node):
        self.ratio, self.p = node.figure("ratio"), node.figure("p_adjusted")
        self.ci = node.interval("ci")
        self.verdict, self.to = node.optional_text("verdict"), node.optional_text("to")

    def is_drawable(self):
        return (self.ratio is not None and self.ratio > 0 and self.ci is not None
                and self.ci[0] > 0)


NO_RELATION = Relation(Node({}, ""))  # where the run has none


class Batch:
    """What is behind each sample of throughput mode: batches of some lengths, in chains."""

    def __init__(self, node):
        self.lengths, self.times = node.figures("chains"), node.figure_lists("parts_ns")

    def is_whole(self, n_samples):
        """Whether there is a time of each length for every sample."""
        return (len(self.lengths) > 0 and len(self.times) == n_samples
                and all(len(times) == len(self.lengths) for times in self.times)
                and all(value and value > 0 for values in (self.lengths, *self.times)
                        for value in values))


class Row:
    """One result."""

    def __init__(self, run, node):
        self.run, self.id, self.strategy = run, node.text("id"), node.text("strategy")
        self.input, self.format = node.text("input"), node.text("format")
        self.input_sha256 = node.text("input_sha256", "")
        self.image = Input(self.input, self.input_sha256)
        self.width, self.height = node.count("width"), node.count("height")
        self.layers, self.n_levels = node.count("layers", 1), node.count("levels", 1)
        if min(self.width, self.height, self.layers, self.n_levels) < 1:
            raise node.wrong("width", "no size of an image")
        if self.n_levels > max(self.size).bit_length():
            raise node.wrong("levels", "more than an image of this size has")
        self.reduce, self.alpha = node.text("reduce"), node.text("alpha", "straight")
        self.filter, self.shape = node.text("filter", "box"), node.text("shape", "2d")
        self.cache, self.mode = node.text("cache"), node.text("mode")
        self.rect = read_rect(node.child("rect")) if node.value.get("rect") else None
        self.rects = read_rects(node, self.rect)
        self.status, self.reason = node.text("status"), node.text("reason", "")
        self.diagnostic, self.images = node.flag("diagnostic"), node.texts("images")
        self.params = {str(key): str(value) for key, value in node.member("params").value.items()}
        self.verify = Verify(node.child("verify"))
        self.cell_id = node.text("cell", "") or self.make_cell_id()
        self.cell = None  # set by the run
        self.label, self.condition = self.make_label(), self.make_condition()
        self.read_times(node)

    def read_times(self, node):
        self.samples = node.figures("samples_ns")
        self.stats, self.null_twin = Stats(node.member("stats")), Stats(node.child("null_twin"))
        self.relative = Relation(node.child("relative"))
        self.batch = Batch(node.child("batch"))
        self.bytes = node.child("bytes").amount("compulsory")
        self.of_limit = node.child("sol").figure("fraction")
        self.dispatches = node.child("work").figure("dispatches")
        self.steps = [{"first": step.count("first_level"), "n": step.count("levels", 1),
                       "time": step.amount("median_ns"), "gap": step.amount("gap_ns")}
                      for step in node.children("steps")]
        self.steps_cache = node.optional_text("steps_cache") or "hot"
        self.warnings = [(warning.text("code", ""), warning.text("message", ""))
                         for warning in node.children("warnings")]

    def make_label(self, always=()):
        """As on the command line: parameters at their defaults are left out, as in the id, but for
        those in `always`."""
        parts = self.id.split("/")[1].split("_") if "/" in self.id else []
        return self.strategy + "".join(f":{key}={value}" for key, value in self.params.items()
                                       if key in always or f"{key}-{value}" in parts)

    def make_cell_id(self):
        """Before schema 1.2 there were no cells: rows of one condition are one."""
        return f"{self.id.split('/')[0]}/{self.cache}-{self.mode}"

    @property
    def input_name(self):
        return self.image.name

    @property
    def size(self):
        return (self.width, self.height)

    @property
    def texels(self):
        """Of level 0, all layers."""
        return self.width * self.height * self.layers

    def make_condition(self):
        full = max(self.size).bit_length()
        return Condition(self.image, self.format, self.reduce, self.filter, self.alpha, self.shape,
                         self.layers, "all" if self.n_levels == full else self.n_levels,
                         tuple(sorted(tuple(rect.values()) for rect in self.rects)) or None,
                         self.cache, self.mode)

    @property
    def kind(self):
        """Rows are ranked among those of the same kind."""
        return self.verify.policy if self.verify.policy in WIDE_POLICIES else "average"

    def leaves_box(self):
        """Whether the strategy claims to make another image than the true average (or minimum)."""
        policy = self.verify.policy
        return (self.verify.status != "skipped" and bool(policy) and policy != "box"
                and (policy in WIDE_POLICIES or not halves_evenly(self.size, self.n_levels)))

    def is_timed(self):
        return self.stats.n > 0 and self.stats.median is not None and self.stats.median > 0

    def is_comparable(self):
        """Timed, and not under the validation layer."""
        return self.is_timed() and not self.run.validated

    def is_verified(self):
        return self.status == "ok" and self.verify.status == "pass"

    def is_rankable(self):
        return self.is_comparable() and self.is_verified() and not self.diagnostic

    def gbps(self):
        return self.bytes / self.stats.median if self.is_timed() and self.bytes else None

    def unit(self):
        """What errors are counted in."""
        return last_place(self.format)

    def is_exact(self):
        return self.verify.step is not None and self.verify.step <= EXACT[self.unit()]

    def words(self, with_size=True, with_filter=False):
        """All that the rows of a cell share but cache and mode; the filter only if they do."""
        parts = [f"{self.width}×{self.height} {self.format}" if with_size else self.format]
        parts += [self.reduce] if self.reduce != "avg" else []
        parts += [self.filter] if with_filter and self.filter != "box" else []
        parts += [f"alpha {self.alpha}"] if self.alpha != "straight" else []
        if self.shape == "cube":
            parts += ["cube" if self.layers <= 6 else f"{self.layers // 6} cubes"]
        elif self.layers > 1:
            parts += [f"{self.layers} layers"]
        if self.rect:
            within = f"{len(self.rects)} rectangles within " if len(self.rects) > 1 else ""
            parts += [f"update of {within}" + "{width}×{height} at {x},{y}".format(**self.rect)]
        return ", ".join(parts)


def read_rect(node):
    return {key: node.count(key, None) for key in ("x", "y", "width", "height")}


def read_rects(node, rect):
    """Those of an update, none of a whole chain. Before schema 1.5 there was only one, `rect`, which
    since then is the least that holds them all."""
    return [read_rect(child) for child in node.children("rects")] or ([rect] if rect else [])


def read_bandwidths(node, key):
    lines = [(line.text("traffic", ""), line.amount("gbps")) for line in node.children(key)]
    return [Bandwidth(*line) for line in lines if line[1]]


class Cell:
    """Rows that were sampled together."""

    def __init__(self, rows, node):
        first, control, blocks = rows[0], node.child("aa_control"), node.child("blocks")
        self.id, self.rows = first.cell_id, rows
        self.cache, self.mode, self.input_name = first.cache, first.mode, first.input_name
        with_filter = all(row.filter == first.filter for row in rows)
        self.title = f"{first.words(with_filter=with_filter)}, {first.cache}, {first.mode}"
        self.n_images = node.count("images", 1)
        self.floor, self.bound_by = node.amount("floor_ns"), node.optional_text("bound_by")
        self.floor = self.floor or None
        self.stopped_by = node.optional_text("stopped_by")
        self.warm_probe = node.amount("warm_probe_ns")
        self.control = Control(control.text("of", ""), control.figure("ratio"),
                               control.interval("ci"), control.amount("margin") or 0.0)
        self.probes = blocks.amounts("probe_before_ns")
        self.n_blocks = len(blocks.items("start_ns"))
        self.flagged, self.repeated = blocks.counts("flagged"), blocks.counts("repeated")
        self.bandwidths = read_bandwidths(node, "bandwidth")
        self.comparisons = []  # (id, id, Relation); set by the run

    def rankable(self):
        return [row for row in self.rows if row.is_rankable()]


class Run:
    """One results.json."""

    def __init__(self, path, text, least_minor=0, value=None):
        """`value`: what `text` says, where that is known."""
        self.path, self.text = pathlib.Path(path), text
        value = parse(path, text) if value is None else value
        self.schema_version = check_schema(path, value, least_minor)
        root = Node(value, path)
        fault = first_fault(value)
        if fault is not None:
            raise root.wrong(*fault)
        for key in ("run", "device", "results",
                    *(["cells"] if least_minor >= CELLS_MINOR else [])):
            if value.get(key) is None:
                raise root.wrong(key, "missing")
        self.read_run(root.child("run"))
        self.read_device(root.child("device"))
        self.read_environment(root.child("host"), root.child("timer"), root.child("roofline"))
        self.rows = [Row(self, node) for node in root.children("results")]
        self.name_inputs()
        self.cells = self.read_cells(root)

    def read_run(self, run):
        self.id, self.utc = run.text("id"), run.text("utc", "")
        self.argv, self.folder = run.texts("argv"), run.optional_text("folder")
        self.seed = run.figure("seed")
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
        self.ceilings = read_bandwidths(roofline, "large")

    def name_inputs(self):
        """Files by their names alone, where that tells them apart."""
        shortened = {row.input: pathlib.PurePath(row.input).name for row in self.rows
                     if not row.input.startswith("pattern:")}
        names = collections.Counter(shortened.values())
        for row in self.rows:
            name = shortened.get(row.input, row.input)
            row.image.name = row.input if names[name] > 1 else name

    def read_cells(self, root):
        nodes = {node.text("id"): node for node in root.children("cells")}
        groups = collections.defaultdict(list)
        for row in self.rows:
            groups[row.cell_id].append(row)
        cells = [Cell(rows, nodes.get(cell_id) or Node({}, self.path, "cells"))
                 for cell_id, rows in groups.items()]
        for cell in cells:
            for row in cell.rows:
                row.cell = cell
        cell_of = {row.id: row.cell for row in self.rows}
        for node in root.children("comparisons"):
            cell = cell_of.get(node.text("a"))
            if cell is not None:
                cell.comparisons.append((node.text("a"), node.text("b"), Relation(node)))
        return cells

    def identity(self):
        """Runs of two machines may begin in one second, and then have one id."""
        return self.id, hashlib.sha256(self.text.encode("utf-8")).digest()

    def is_software(self):
        return self.type == "cpu"

    def name(self):
        return self.device + (" (software)" if self.is_software() else "")


def load(names, least_minor=0):
    """The runs of files, or of the folders that they are in, in their order; the same run twice is
    refused, and so is what is older than schema 1.`least_minor`. A claims.json among them, as a
    pattern of the shell finds it, is no run, and made of the others."""
    runs, seen = [], {}
    for name in [it for it in names if pathlib.Path(it).name != "claims.json"] or names:
        path = pathlib.Path(name)
        path = path / "results.json" if path.is_dir() else path
        run = Run(path, read_text(path), least_minor)
        if run.identity() in seen:
            raise InputError(f"{path}: the same run as {seen[run.identity()]}; name each run once")
        seen[run.identity()] = path
        runs.append(run)
    return runs
