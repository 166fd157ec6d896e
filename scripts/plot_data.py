"""What scripts/plot.py draws from: sets of runs, the conditions and sizes that they share, points
with their bands, and ratios within blocks. Times are in ns."""

import collections
import functools
import math

import numpy as np

import result_style
import results

# Of one strategy at one size under one condition, over the runs of a set: p05, median and p95 of
# all samples, how many, whether all rows were verified, and the rows.
Point = collections.namedtuple("Point", "size texels p05 median p95 n verified rows")

# low and high: the 95 % interval, or None where there is none.
Ratio = collections.namedtuple("Ratio", "value low high")

MAX_NAME_COLUMNS = 36  # of an input, in a title


class NoData(Exception):
    """A plot that cannot be made: why, and the options of mipbench that measure what it needs."""

    def __init__(self, why, options):
        super().__init__(why)
        self.options = options


class Set:
    """Runs of one device, driver and commit: what may be pooled. `rows` are those to be drawn."""

    def __init__(self, runs, label):
        self.runs, self.label = runs, label
        self.rows = []

    @property
    def software(self):
        return self.runs[0].is_software()

    def rows_at(self, condition, size=None):
        return [row for row in self.rows
                if row.condition == condition and size in (None, row.size)]

    def footer(self, rows):
        """Which device, driver and build, how many runs: of those that have a time among `rows`."""
        runs = list(dict.fromkeys(row.run for row in rows if row.is_comparable()))
        run = self.runs[0]
        name = run.device if self.label.startswith(run.device) else f"{self.label}: {run.device}"
        api = ".".join(run.api.split(".")[:2])
        text = f"{name} · driver {run.driver_version} · Vulkan {api} · mipbench {run.tool['version']} " \
               f"({run.commit}) · {plural(len(runs), 'run')}"
        text += " · interrupted" if not all(run.complete for run in runs) else ""
        return text + (" · SOFTWARE: says nothing about a GPU" if self.software else "")


def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def make_sets(runs):
    """One set for each device, driver and commit; labels say no more than tells them apart."""
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run.device, run.driver_version, run.commit].append(run)
    names = collections.Counter(device for device, _, _ in groups)
    drivers = collections.Counter((device, driver) for device, driver, _ in groups)
    sets = []
    for (device, driver, commit), members in groups.items():
        label = device
        if names[device] > drivers[device, driver]:
            label += f", {driver}"
        if drivers[device, driver] > 1:
            label += f", {commit}"
        sets.append(Set(members, label))
    return sets


def wanted(row, options):
    """Whether the options of the command line leave the row in."""
    return ((options.cache is None or row.condition.cache == options.cache)
            and (options.mode is None or row.condition.mode == options.mode)
            and (options.texels is None or row.format == options.texels)
            and (options.size is None or row.size == options.size)
            and (options.strategy is None or row.label in options.strategy
                 or row.strategy in options.strategy))


def choose_labels(rows, limit):
    """At most `limit` labels: the fastest of each strategy, the defaults, then the fastest."""
    best = {}
    for row in rows:
        if row.is_comparable():
            pace = row.stats.median / row.texels
            best[row.label] = min(pace, best.get(row.label, math.inf))
    strategy = {row.label: row.strategy for row in rows}
    order = sorted(best, key=best.get)
    first = {}
    for label in order:
        first.setdefault(strategy[label], label)
    defaults = [label for label in order if label == strategy[label]]
    chosen = list(dict.fromkeys([*first.values(), *defaults, *order]))[:limit]
    return set(chosen), [label for label in order if label not in chosen]


class Data:
    """All that the plots draw from."""

    def __init__(self, runs, options):
        self.sets = make_sets(runs)
        every = [row for run in runs for row in run.rows]
        rows = [row for row in every if not row.diagnostic and wanted(row, options)]
        self.n_rows, self.only = len(rows), options.strategy
        self.styles = result_style.styles(row for row in every if not row.diagnostic)
        shown, self.left_out = choose_labels(rows, options.max_strategies)
        for group in self.sets:
            group.rows = [row for run in group.runs for row in run.rows
                          if not row.diagnostic and wanted(row, options)
                          and (row.label in shown or not row.is_comparable())]
        self.first = next(iter(every), None)
        self.n_inputs = len({row.image for row in every})

    def note(self):
        """For the footer of a picture, or ''."""
        count = len(self.left_out)
        only = f" · of {', '.join(self.only)} alone (-s)" if self.only else ""
        return only + (f" · {plural(count, 'slower variant')} not drawn" if count else "")

    def conditions(self, caches=("cold", "hot")):
        """Those with a time, best first: in most sets, latency, cold, most rows."""
        n_sets, n_rows = collections.Counter(), collections.Counter()
        for group in self.sets:
            timed = [row.condition for row in group.rows if row.is_comparable()]
            n_sets.update(set(timed))
            n_rows.update(timed)
        return sorted(n_rows, key=lambda it: (-n_sets[it], place(it.mode, results.MODES),
                                              place(it.cache, caches), -n_rows[it]))

    def sizes(self, condition):
        """Those with a time, best first: in most sets, largest."""
        n_sets = collections.Counter()
        for group in self.sets:
            n_sets.update({row.size for row in group.rows_at(condition) if row.is_comparable()})
        return sorted(n_sets, key=lambda it: (-n_sets[it], -it[0] * it[1], it))

    def points(self, group, condition, size=None):
        """{label: [Point]}, by texels, of the timed rows of a set."""
        rows = collections.defaultdict(list)
        for row in group.rows_at(condition, size):
            if row.is_comparable():
                rows[row.label, row.texels, row.size].append(row)
        found = collections.defaultdict(list)
        for label, texels, at in sorted(rows):
            found[label].append(point(rows[label, texels, at]))
        return dict(found)


def place(value, order):
    return order.index(value) if value in order else len(order)


def point(rows):
    """Of the rows of one strategy and size; those of several runs are pooled, sample by sample."""
    stats = rows[0].stats
    p05, median, p95, n = stats.p05, stats.median, stats.p95, stats.n
    samples = [value for row in rows for value in row.samples if value is not None]
    if len(rows) > 1 and samples:
        p05, median, p95 = np.quantile(samples, [0.05, 0.5, 0.95])
        n = len(samples)
    return Point(rows[0].size, rows[0].texels, p05, median, p95, n,
                 all(row.is_verified() for row in rows), rows)


def band(it):
    """p05, median, p95 for a logarithmic axis: slopes of batches may be below zero."""
    return tuple(value if value and value > 0 else it.median
                 for value in (it.p05, it.median, it.p95))


def count_text(counts):
    """'n = 40' or 'n = 281 to 758'."""
    low, high = min(counts), max(counts)
    return f"n = {low}" if low == high else f"n = {low} to {high}"


@functools.lru_cache(maxsize=256)
def n_outside(n):
    """How many order statistics may be left out at each end, so that what remains holds the median
    in 95 % of all samples of n; -1: n is too small. Exact, by the binomial distribution."""
    k, ways, below = -1, 1, 1  # `ways` to choose k + 1 of n, `below` to choose at most that many
    while 40 * below <= 1 << n:
        k += 1
        ways = ways * (n - k) // (k + 1)
        below += ways
    return k


def median_interval(values):
    """Distribution-free 95 % interval of the median from order statistics; None below 6."""
    n = len(values)
    k = n_outside(n)
    if k < 0:
        return None, None
    ordered = np.sort(values)
    return float(ordered[k]), float(ordered[n - 1 - k])


def paired_ratio(row, reference):
    """Ratio of a row to another of its table: as the run has it, else from pairs within blocks."""
    if row is reference:
        return Ratio(1.0, None, None)
    relative = row.relative
    if relative.to == reference.label and relative.ratio and relative.ratio > 0:
        return Ratio(relative.ratio, *(relative.ci if relative.is_drawable() else (None, None)))
    pairs = [(a, b) for a, b in zip(row.samples, reference.samples) if a and b]
    ratios = np.array([a / b for a, b in pairs if a > 0 and b > 0])
    if not ratios.size:
        return None
    return Ratio(float(np.median(ratios)), *median_interval(ratios))


def describe_rects(rects):
    if not rects:
        return ""
    return (f"update of {rects[0][2]}x{rects[0][3]}" if len(rects) == 1
            else f"update of {len(rects)} rectangles")


def describe(condition, but=()):
    """'rgba8, box avg, cold, latency, photo.png', and what else is not at its default."""
    words = {"format": condition.format, "reduce": f"{condition.filter} {condition.reduce}",
             "alpha": "" if condition.alpha == "straight" else f"{condition.alpha} alpha",
             "layers": "" if condition.shape == "2d" else f"{condition.shape} of "
                                                          f"{condition.layers}",
             "levels": "" if condition.levels == "all" else f"{condition.levels} levels",
             "rects": describe_rects(condition.rects),
             "cache": condition.cache, "mode": condition.mode,
             "input": shortened(condition.input.name)}
    return ", ".join(word for key, word in words.items() if word and key not in but)


def shortened(name):
    """A path may be longer than any picture is wide."""
    half = MAX_NAME_COLUMNS // 2
    return name if len(name) <= MAX_NAME_COLUMNS else f"{name[:half - 1]}…{name[-half:]}"


def figure(value):
    """Three digits or more, without an exponent."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def size_text(size):
    return f"{size[0]}x{size[1]}"
