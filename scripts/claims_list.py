"""The claims, each with its source, the command line that measures it, and how it is judged.

Every ratio is of the time that the claim says is shorter over the other, so that a claim that
holds is a ratio below 1. A share is claimed to be about a value: within a factor of 1.5 of it."""

import collections
import itertools

from claims_data import Figure, estimate

MIN_MARGIN = 0.01    # as of mipbench: smaller differences are none
RUN_MARGIN = 0.01    # more between processes, where there are few of them
ENOUGH_RUNS = 5
ABOUT = 1.5
RECT = "64,64,128,128"

HOLDS, DOES_NOT, NOISE = "holds", "does not", "within noise"

SPD1, SPD2 = "AMD SPD 1.0", "AMD SPD 2.0"
METAL, COURSE = "Metal port", "DirectX compute course"

# What was measured under one condition, in words and as a figure.
Measured = collections.namedtuple("Measured", "condition text figure margin rows notes")


def simplest(labels):
    """The variant that says least of itself: the most of its parameters at their defaults."""
    return min(labels, key=lambda label: (label.count(":"), label))


def group(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def of(rows, strategy):
    """Complete chains by one strategy, as many of its parameters as possible at their defaults;
    one label, all files."""
    labels = group((row for row in rows if row.strategy == strategy and not row.diagnostic),
                   lambda row: row.label)
    return labels[simplest(labels)] if labels else []


def shared(*sides):
    """Of each side the rows of the files that all sides are in; all rows if there is none."""
    common = set.intersection(*({row.source for row in side} for side in sides))
    if not common:
        return sides
    return tuple([row for row in side if row.source in common] for side in sides)


def in_pairs(rows, others):
    """(row, other) of the same file and cell, whose samples are of the same blocks."""
    return [(row, other) for row, other in itertools.product(rows, others)
            if row.source is other.source and row.timing is other.timing
            and len(row.samples) == len(other.samples)]


def product(*factors):
    return {"factors": factors}


def paired(pairs, power=1):
    return {"runs": [{"times": row.samples, "over": other.samples} for row, other in pairs],
            "power": power}


def twins(rows, power=1):
    """Their shares in the time of each sample."""
    return {"runs": [{"times": row.twin_samples, "over": row.samples} for row in rows],
            "power": power}


def apart(rows, others):
    """Medians over medians."""
    return product(*({"runs": [{"times": row.samples} for row in side], "power": power}
                     for side, power in ((rows, 1), (others, -1))))


def margin_of(rows):
    return max([MIN_MARGIN] + [row.margin() for row in rows])


def across_files(sides):
    """(margin, notes) of a ratio of medians: processes differ more than samples of one do."""
    margin = margin_of(itertools.chain(*sides))
    files = [{row.source for row in side} for side in sides]
    if any(side & files[0] for side in files[1:]) or min(map(len, files)) >= ENOUGH_RUNS:
        return margin, []
    return margin + RUN_MARGIN, [f"fewer than {ENOUGH_RUNS} runs a side: margin 1 % wider"]


def judge_ratio(figure, margin):
    if figure.ci is None:
        return NOISE
    low, high = figure.ci
    if high < 1 / (1 + margin):
        return HOLDS
    return DOES_NOT if low >= 1 / (1 + margin) else NOISE


def seen_of_ratio(figure, margin):
    """Where the interval lies of a ratio that is not below 1 as claimed."""
    low, high = figure.ci
    if low > 1 + margin:
        return f"the other way, by {100 * (figure.value - 1):.1f} %"
    return f"{'the same within' if high < 1 + margin else 'no gain of'} {100 * margin:.2g} %"


class Claim:
    """What all claims have: an id, the claim, its source, and a command line."""

    kind = "ratio"
    against_whole = False  # of the run of whole chains that others share

    def __init__(self, name, text, source, command, repeated=False):
        self.name, self.text, self.source = name, text, source
        self.command, self.repeated = command, repeated

    def judge(self, measured):
        return judge_ratio(measured.figure, measured.margin)

    def seen(self, measured):
        """In words, what was found of a claim that does not hold."""
        return seen_of_ratio(measured.figure, measured.margin)

    def claimed(self):
        return "below 1"

    def is_about(self, _row):
        """Whether a row that cannot be used is one that this claim asks for."""
        return False

    def conditions(self, rows):
        """Those that can be measured, each with the rows that are asked for."""
        found = group((row for row in rows if self.is_base(row.condition)),
                      lambda row: row.condition)
        for condition, inside in found.items():
            selected = self.select(condition, inside, rows)
            if selected and all(selected):
                yield condition, selected

    def is_base(self, condition):
        return (condition.mode == "latency" and condition.rects is None
                and condition.image_usage == "all" and condition.layers == 1)


class Parameter(Claim):
    """One value of a parameter of spd against another, all else being equal."""

    def __init__(self, name, text, source, key, faster, other, fixed=(), layers=1):
        self.key, self.faster, self.other = key, faster, other
        self.fixed, self.layers = dict(fixed), layers
        rest = "".join(f":{k}={v}" for k, v in self.fixed.items())
        command = [word for value in (faster, other)
                   for word in ("-s", f"spd{rest}:{key}={value}")]
        super().__init__(name, text, source,
                         command + (["--layers", str(layers)] if layers > 1 else []))

    def is_base(self, condition):
        return (super().is_base(condition._replace(layers=1))
                and (condition.layers > 1) == (self.layers > 1))

    def is_about(self, row):
        return (row.strategy == "spd" and not row.diagnostic and self.is_base(row.condition)
                and row.params.get(self.key) in (self.faster, self.other))

    def select(self, _condition, inside, _rows):
        spd = [row for row in inside if row.strategy == "spd" and not row.diagnostic
               and all(row.params.get(k) == v for k, v in self.fixed.items())]
        rests = group(spd, lambda row: tuple(sorted(
            (k, v) for k, v in row.params.items() if k != self.key)))
        candidates = {}
        for same in rests.values():
            by_value = group(same, lambda row: row.params.get(self.key))
            pairs = in_pairs(by_value[self.faster], by_value[self.other])
            if pairs:
                candidates[pairs[0][0].label] = pairs
        return [candidates[simplest(candidates)]] if candidates else None

    def measure(self, condition, selected, options):
        pairs = selected[0]
        rows = list(itertools.chain(*pairs))
        faster, other = (row.label for row in pairs[0])
        figure, = estimate([product(paired(pairs))], options)
        return Measured(condition, f"{faster} / {other}", figure, margin_of(rows), rows, [])


class Share(Claim):
    """A share of time that is claimed to be about a value."""

    kind = "share"

    def __init__(self, name, text, source, about, command, repeated=False):
        super().__init__(name, text, source, command, repeated)
        self.about = about

    def seen(self, measured):
        return "more" if measured.figure.value > self.about else "less"

    def claimed(self):
        return f"about {100 * self.about:.3g} %"

    def judge(self, measured):
        low, high = self.about / ABOUT, self.about * ABOUT
        if measured.figure.ci is None:
            return NOISE
        if low <= measured.figure.ci[0] and measured.figure.ci[1] <= high:
            return HOLDS
        return DOES_NOT if (measured.figure.ci[1] < low or measured.figure.ci[0] > high) else NOISE


class FewPerLevel(Share):
    """Of per-level compute: the dispatches of small levels, from the stamps of --per-level."""

    def is_about(self, row):
        return row.strategy == "compute" and self.is_base(row.condition)

    def select(self, _condition, inside, _rows):
        return [of([row for row in inside if row.steps
                    and all(step["time"] for step in row.steps)], "compute")]

    def measure(self, condition, selected, options):
        rows = selected[0]
        figure, = estimate([{"mean": [self.share(row, options.few) for row in rows]}], options)
        notes = ["stamps add to each dispatch, so rather less in truth"]
        if condition.cache != "hot":
            notes.append("stamped with a hot cache")
        if figure.ci is None:
            notes.append("one run has no interval")
        return Measured(condition, f"{rows[0].label}: levels of at most {options.few} texels",
                        figure, 0.0, rows, notes)

    @staticmethod
    def share(row, few):
        condition = row.condition
        small, total = 0.0, 0.0
        for step in row.steps:
            level, time = step["first"], step["time"]
            texels = max(1, condition.width >> level) * max(1, condition.height >> level)
            small += time if texels * condition.layers <= few else 0.0
            total += time
        return small / total


class FewSinglePass(Share):
    """Of a single pass: what it takes longer than one that stops before the last workgroup."""

    def is_about(self, row):
        return (row.strategy == "spd" and self.is_base(row.condition)
                and row.params.get("parts") in ("all", "no-tail"))

    def select(self, _condition, inside, _rows):
        whole = of(inside, "spd")
        if not whole:
            return None
        wanted = {**whole[0].params, "parts": "no-tail"}
        return [in_pairs([row for row in inside if row.strategy == "spd"
                          and row.params == wanted], whole)]

    def measure(self, condition, selected, options):
        pairs = selected[0]
        rest, = estimate([product(paired(pairs))], options)
        ci = (1 - rest.ci[1], 1 - rest.ci[0]) if rest.ci else None
        tail, whole = (row.label for row in pairs[0])
        return Measured(condition, f"1 - {tail} / {whole}",
                        Figure(1 - rest.value, ci), 0.0, list(itertools.chain(*pairs)),
                        ["without the tail every workgroup may take fewer registers, so rather "
                         "less in truth"])


class Barriers(Claim):
    """The share of its null twin in the time of a single pass over that of per-level compute."""

    def is_about(self, row):
        return row.strategy in ("spd", "compute") and self.is_base(row.condition)

    def select(self, _condition, inside, _rows):
        rows = [row for row in inside if row.has_twin()]
        return shared(*sides) if all(sides := (of(rows, "spd"), of(rows, "compute"))) else None

    def measure(self, condition, selected, options):
        spd, compute = selected
        figure, *shares = estimate(
            [product(twins(spd), twins(compute, -1)), product(twins(spd)), product(twins(compute))],
            options)
        text = (f"{spd[0].label} {100 * shares[0].value:.1f} % of its time / {compute[0].label} "
                f"{100 * shares[1].value:.1f} %")
        return Measured(condition, text, figure, margin_of(spd + compute), spd + compute,
                        ["of dispatches and barriers alone, without a hand-off within a kernel"])


class Company(Claim):
    """Time per chain of a single pass in company over that of per-level compute, and of both
    under `alone`: whether it gains more by company, or loses less."""

    def __init__(self, name, text, source, company, alone, command, notes=()):
        super().__init__(name, text, source, command)
        self.company, self.alone, self.notes = company, alone, list(notes)

    def is_base(self, condition):
        return super().is_base(condition._replace(mode="latency")) and condition.mode == self.alone

    def is_about(self, row):
        return (row.strategy in ("spd", "compute")
                and row.condition.mode in (self.alone, self.company))

    def sides(self, condition, inside, rows):
        """Rows in company, and alone: of batches, as long as what is in company."""
        under = [row for row in rows
                 if row.condition == condition._replace(mode=self.company)]
        if self.alone != "throughput" or not under:
            return under, inside
        batches = [row.in_batches_of(under[0].n_images()) for row in inside]
        return under, [row for row in batches if row]

    def select(self, condition, inside, rows):
        pairs = [in_pairs(of(some, "spd"), of(some, "compute"))
                 for some in self.sides(condition, inside, rows)]
        if not all(pairs):
            return None
        common = {a.source for a, _ in pairs[0]} & {a.source for a, _ in pairs[1]}
        return [[pair for pair in some if not common or pair[0].source in common]
                for some in pairs]

    def measure(self, condition, selected, options):
        under, alone = selected
        figure, *changes = estimate(
            [product(paired(under), paired(alone, -1)),
             *(apart(side, base) for side, base in zip(zip(*under), zip(*alone)))], options)
        sides = [list(itertools.chain(*pairs)) for pairs in selected]
        margin, notes = across_files(sides)
        spd, compute = (row.label for row in under[0])
        text = (f"({spd} / {compute}: {self.company}) / (the same: {self.alone}); "
                f"{spd} takes {changes[0].value:.2f} x, {compute} {changes[1].value:.2f} x as long")
        return Measured(condition, text, figure, margin, sides[0] + sides[1], notes + self.notes)


class Overlap(Company):
    """Chains of several images with no barrier between them over as many with one. Latency is no
    base for this: a drained chain takes longer than one of many, however they follow. Batches of
    a cold cache follow an untimed round, which these chains do not: a loss of a few per cent may
    be that."""

    def seen(self, _measured):
        return "no gain"

    def select(self, condition, inside, rows):
        sides = [of(some, "spd") for some in self.sides(condition, inside, rows)]
        return shared(*sides) if all(sides) else None

    def measure(self, condition, selected, options):
        under, alone = selected
        margin, notes = across_files(selected)
        figure, = estimate([apart(under, alone)], options)
        return Measured(condition, f"{under[0].label}: {under[0].n_images()} chains with no "
                        "barrier between / with one", figure, margin, under + alone,
                        notes + self.notes)


def is_one_rect(rects):
    return rects is not None and len(rects) == 1


class Update(Claim):
    """A sub-rectangle against the whole, of different runs."""

    against_whole = True

    def is_about(self, row):
        return row.strategy == "spd" and self.is_base(row.condition._replace(rects=None))

    def select(self, condition, inside, rows):
        updates = group((row for row in rows if is_one_rect(row.condition.rects)
                         and row.condition._replace(rects=None) == condition),
                        lambda row: row.condition.rects[0])
        if not updates:
            return None
        least = min(updates, key=lambda rect: (rect[2] * rect[3], rect))
        return [of(updates[least], "spd"), of(inside, "spd")]

    def measure(self, condition, selected, options):
        part, whole = selected
        _, _, width, height = part[0].condition.rects[0]
        margin, notes = across_files(selected)
        figure, = estimate([apart(part, whole)], options)
        return Measured(condition, f"{part[0].label}: update of {width}x{height} / "
                        f"{whole[0].label}: whole", figure, margin, part + whole, notes)


class Usage(Claim):
    """Blits of an image without STORAGE usage against one with it, of different runs."""

    against_whole = True

    def is_about(self, row):
        return (row.strategy == "blit"
                and self.is_base(row.condition._replace(image_usage="all")))

    def select(self, condition, inside, rows):
        lean = condition._replace(image_usage="needed")
        return [of([row for row in rows if row.condition == lean], "blit"), of(inside, "blit")]

    def measure(self, condition, selected, options):
        lean, full = selected
        margin, notes = across_files(selected)
        figure, = estimate([apart(lean, full)], options)
        return Measured(condition, f"{lean[0].label}: usage needed / all", figure, margin,
                        lean + full, notes)


BOTH = ["-s", "compute", "-s", "spd"]
WHOLE = BOTH + ["-s", "blit", "-s", "spd:parts=no-tail", "--per-level"]
MODES = BOTH + ["--mode", "all"]
OWN_BARRIERS = "the barriers that each chain begins and ends with wait for the one before"

CLAIMS = (
    FewPerLevel("few-per-level", "one dispatch per level: few threads are at work for about 1/6 "
                "of the time", SPD1, 1 / 6, WHOLE, repeated=True),
    FewSinglePass("few-single-pass", "a single pass: few threads are at work for about 2 % of the "
                  "time", SPD1, 0.02, WHOLE, repeated=True),
    Barriers("barriers", "without barriers between levels a smaller share of time goes to "
             "synchronisation",
             f"{SPD1}; {METAL}", WHOLE, repeated=True),
    Parameter("order", "threads in morton order are faster than in linear order", SPD1,
              "order", "morton", "linear", {"wave": "off"}),
    Parameter("load", "one load through the sampler is faster than four texels", SPD1,
              "load", "sampler", "texel"),
    Parameter("wave", "wave operations are faster than shared memory", f"{SPD1}; {METAL}",
              "wave", "quad", "off"),
    Parameter("fp16", "packed half floats are faster than floats", SPD1, "fp16", "on", "off"),
    Parameter("lds-split", "shared memory with an array per channel is faster than vectors",
              f"{SPD1}; {COURSE}", "lds", "split", "vec4", {"wave": "off"}),
    Parameter("lds-packed", "shared memory with packed texels is faster than vectors", SPD1,
              "lds", "packed", "vec4", {"wave": "off"}),
    Parameter("counter", "a counter that the shader re-arms is faster than one that the host "
              "zeroes", SPD2, "counter", "self", "host"),
    Parameter("slices", "all slices in one dispatch are faster than a dispatch each", SPD2,
              "slices", "one", "each", layers=6),
    Update("rect", "a sub-rectangle is faster than the whole", SPD2,
           ["-s", "spd", "--rect", RECT], repeated=True),
    Overlap("overlap", "a single pass overlaps with other images' on its queue", SPD1,
            "overlap", "throughput", MODES, [OWN_BARRIERS]),
    Company("overlap-compute", "a single pass gains more by such overlap than one dispatch per "
            "level does", SPD1, "overlap", "throughput", MODES, [OWN_BARRIERS]),
    Company("beside", "beside a compute load on a second queue a single pass loses less than one "
            "dispatch per level does", SPD1, "beside", "latency",
            BOTH + ["--mode", "latency,beside"]),
    Usage("storage-usage", "blits are faster on an image without STORAGE usage",
          "general advice", ["-s", "blit", "--image-usage", "needed"], repeated=True),
)
