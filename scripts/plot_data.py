"""What scripts/plot.py draws from: sets of runs, the conditions and sizes that they share, points
with their bands. Times are in ns."""

import collections
import math

import result_style
import results

# Of one strategy at one size under one condition, over the runs of a set: p05 and p95 of all
# samples, the median, how many samples, whether all rows were verified, and the rows.
Point = collections.namedtuple("Point", "size texels p05 median p95 n verified rows")

MAX_NAME_COLUMNS = 36  # of an input, in a title


class NoData(Exception):
    """A plot that cannot be made: why, and the options of mipbench that measure what it needs."""

    def __init__(self, why, options):
        super().__init__(why)
        self.options = options


class Set:
    """Runs of one device, driver and commit, which are pooled. `rows` are those to be drawn,
    `timings` those that they may be of, whatever --strategy leaves out."""

    def __init__(self, runs, label):
        self.runs, self.label = runs, label
        self.rows, self.timings = [], []

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


def make_sets(pools):
    """One set for each; labels say no more than tells them apart."""
    builds = [(runs[0].device, runs[0].driver_version, runs[0].commit)
              for runs in (pool.runs for pool in pools)]
    names = collections.Counter(device for device, _, _ in builds)
    drivers = collections.Counter((device, driver) for device, driver, _ in builds)
    sets = []
    for pool, (device, driver, commit) in zip(pools, builds):
        label = device
        if names[device] > drivers[device, driver]:
            label += f", {driver}"
        if drivers[device, driver] > 1:
            label += f", {commit}"
        sets.append(Set(pool.runs, label))
    return sets


def is_in_scope(timing, options):
    """Whether the options of the command line leave the timing in."""
    return (options.cache in (None, timing.cache) and options.mode in (None, timing.mode)
            and options.texels in (None, timing.case.format)
            and options.size in (None, timing.case.size))


def rows_of(timings, options):
    """All that could be drawn of them."""
    return [row for timing in timings for row in timing.rows if not row.diagnostic
            and (options.strategy is None or row.label in options.strategy
                 or row.strategy in options.strategy)]


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

    def __init__(self, pools, options):
        runs = [run for pool in pools for run in pool.runs]
        self.sets = make_sets(pools)
        for group in self.sets:
            group.timings = [timing for run in group.runs for timing in run.timings
                             if is_in_scope(timing, options)]
        rows = [row for group in self.sets for row in rows_of(group.timings, options)]
        self.n_rows, self.only = len(rows), options.strategy
        self.styles = result_style.styles(row for run in runs for row in run.rows
                                          if not row.diagnostic)
        shown, self.left_out = choose_labels(rows, options.max_strategies)
        for group in self.sets:
            group.rows = [row for row in rows_of(group.timings, options)
                          if row.label in shown or not row.is_comparable()]
        cases = [case for run in runs for case in run.cases]
        self.first = next(iter(cases), None)
        self.n_inputs = len({case.image for case in cases})

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


def together(it):
    """A row or timing of one run as mipbench pooled it, or as it is."""
    return it.pooled or it


def point(rows):
    """Of the rows of one variant and size, as mipbench pooled them. Of an image that a run was
    given twice, the first."""
    first = together(rows[0])
    rows = [row for row in rows if together(row) is first]
    stats = first.stats
    return Point(rows[0].size, rows[0].texels, stats.p05, stats.median, stats.p95, stats.n,
                 all(row.is_verified() for row in rows), rows)


def band(it):
    """p05, median, p95 for a logarithmic axis: slopes of batches may be below zero."""
    return tuple(value if value and value > 0 else it.median
                 for value in (it.p05, it.median, it.p95))


def count_text(counts):
    """'n = 40' or 'n = 281 to 758'."""
    low, high = min(counts), max(counts)
    return f"n = {low}" if low == high else f"n = {low} to {high}"


def describe_rects(rects):
    if not rects:
        return ""
    return (f"update of {rects[0][2]}x{rects[0][3]}" if len(rects) == 1
            else f"update of {len(rects)} rectangles")


def describe(condition, but=()):
    """'rgba8, avg, cold, latency, photo.png', and what else is not at its default."""
    words = {"format": condition.format, "reduce": condition.reduce,
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
