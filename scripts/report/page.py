"""Puts the page together from the templates beside this file and from what the runs hold."""

import base64
import gzip
import hashlib
import json
import pathlib
import re
import shlex

import pooled

from . import bars, figures, looks, matrix, pictures, svg, tables
from .words import esc, list_names, list_words, range_text, short_paths, size_text, utc_text

TEMPLATES = pathlib.Path(__file__).resolve().parent
MOST_NAMED = 12    # strategies in a line, tests split by level, strategies that failed
MOST_CHANGES = 40  # in the chart of a comparison
ORDER = ("latency", "throughput", "overlap")
VERDICTS = ("SLOWER", "FASTER", "SAME", "INCONCLUSIVE")  # as a comparison is sorted
VERDICT_WORDS = {"SLOWER": "slower", "FASTER": "faster", "SAME": "tie", "INCONCLUSIVE": "undecided"}


def template(name):
    return (TEMPLATES / name).read_text(encoding="utf-8")


def fill(text, values):
    """Every {{name}} in one pass: what is put in is never looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)


def embed_json(value):
    """Fit for a script element, and still JSON: no '<' is left that could end it."""
    return (json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            .replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def packed(text):
    """Base64 of gzip: a fifth of the size; the same text gives the same. The last percent would take twice as long."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def script_hash(script):
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


def drawer(key, summary, content, is_open=False):
    return (f'<details id="{key}"{" open" if is_open else ""}><summary>{summary}</summary>'
            f'<div class="in">{content}</div></details>')


# ---- what must be known first

def caveats(run):
    """What a reader must know before any figure: (kind, sentence); kind is a class of style."""
    found = [
        (not run.rows, "bad", "The file holds no results: nothing was measured."),
        (not run.complete, "bad", f"The run did not get to its end ({run.exit_reason}): what is "
                                  "here is what was complete."),
        (run.is_software(), "warn", "A software device: its times do not predict those of a GPU."),
        (run.validated, "warn", "The validation layer was on, so the times say nothing."),
        (run.rows and not run.verified, "warn",
         "Nothing was verified (--no-verify): a fast strategy may be wrong."),
        (run.commit.endswith("-dirty"), "warn",
         "Built from sources with changes that are in no commit.")]
    return [(kind, sentence) for holds, kind, sentence in found if holds]


def boxes(runs):
    found = dict.fromkeys(caveat for run in runs for caveat in caveats(run))
    return "".join(f'<p class="box {kind}">{"⚠ " if kind == "warn" else "✗ "}{esc(sentence)}</p>'
                   for kind, sentence in found)


def failures(pairs):
    """What is wrong: of each strategy the first result that is, with its first texel."""
    wrong = {}
    for case, variant in pairs:
        if tables.is_wrong(variant):
            wrong.setdefault(variant.strategy, []).append((case, variant))
    has_images = len({case.image for case, _ in pairs}) > 1
    items = "".join(failure(found, has_images) for found in list(wrong.values())[:MOST_NAMED])
    n_more = len(wrong) - MOST_NAMED
    more = f"<li>and {n_more} more strategies</li>" if n_more > 0 else ""
    return ('<div class="box bad"><p>✗ Wrong or failed, so without a rank there:</p>'
            f"<ul>{items}{more}</ul></div>") if wrong else ""


def failure(found, has_images):
    case, variant = found[0]
    image = f", {case.image_name}" if has_images else ""
    kind = "" if variant.verify.status == "fail" else "failed: "
    others = f" And {len(found) - 1} more results." if len(found) > 1 else ""
    return (f"<li><b>{esc(variant.label)}</b>, {esc(case.words() + image)}: "
            f"{kind}{esc(variant.reason)}.{others}</li>")


def subtitle(pools):
    """What, when and with what, in a line."""
    labels = list(dict.fromkeys(row.label for pool in pools for it in pool.timings for row in it.timed()
                                if not row.diagnostic))
    runs = [run for pool in pools for run in pool.runs]
    days = sorted({utc_text(run.utc)[:10] for run in runs if run.utc})
    parts = [list_words(labels) if len(labels) <= MOST_NAMED else "",
             f"{len(runs)} runs" if len(runs) > 1 else "one run",
             range_text(days, str) if days else "",
             list_names(list(dict.fromkeys(f"driver {run.driver}" for run in runs))),
             list_names(list(dict.fromkeys(f"mipbench {run.commit}" for run in runs)))]
    return " · ".join(filter(None, parts))


# ---- conditions and timings

def preference(timing):
    """The condition that figures are published for comes first, then what most textures are."""
    return (timing.mode not in ORDER, ORDER.index(timing.mode) if timing.mode in ORDER else 0,
            timing.cache != "cold", timing.condition,
            matrix.task_order(timing.case.words(with_size=False)), timing.case.texels, timing.case.size)


def conditions(pool):
    """{words of a condition: [timing]}, the best first."""
    found = {}
    for timing in sorted(pool.timings, key=preference):
        found.setdefault(timing.condition, []).append(timing)
    return found


NOTES = {"cold": "the image is in no cache before each sample", "hot": "the same image again and again",
         "latency": "one chain, drained before and after",
         "throughput": "the slope of time over batches of chains",
         "overlap": "several images without barriers between their chains"}


def condition_note(timings):
    """'Cold latency: the image is in no cache before each sample; one chain, ...'"""
    first = timings[0]
    images = list(dict.fromkeys(timing.case.image_name for timing in timings))
    n_made = len({(timing.case.image_name, timing.case.size) for timing in timings})
    return (f"{first.condition.capitalize()}: {NOTES.get(first.cache, first.cache)}; "
            f"{NOTES.get(first.mode, first.mode)}. "
            f"{'Image' if len(images) == 1 else 'Images'}: {list_names(images)}"
            f"{', cropped or tiled to each size' if n_made > len(images) else ''}.")


class Page:
    """What the sections share."""

    def __init__(self, pools, named):
        self.pools, self.named = pools, named
        self.looks = looks.of(dict.fromkeys(variant.label for pool in pools for run in pool.runs
                                            for case in run.cases for variant in case.variants))
        self.keys = {id(timing): f"t{index}-{at}" for index, pool in enumerate(pools)
                     for at, timing in enumerate(pool.timings)}

    def key(self, timing):
        return self.keys[id(timing)]

    def is_comparison(self):
        """Of builds of one device."""
        return len(self.pools) > 1 and len({pool.name() for pool in self.pools}) == 1

    def sides(self):
        """Names of the pools: of builds of one device by where their runs lie."""
        if not self.is_comparison():
            return [pool.name() for pool in self.pools]
        paths = [pool.runs[0].path for pool in self.pools]
        return short_paths([path.absolute().parent if path.name == "results.json" else path for path in paths])


def sentences(pool, timings):
    found = timings[0].sentences if len(timings) == 1 else pool.conditions.get(timings[0].condition, [])
    said = "".join(f'<p class="{"lead" if index == 0 else "more"}">{esc(sentence)}</p>'
                   for index, sentence in enumerate(found))
    return f'{said}<p class="under">{esc(condition_note(timings))}</p>'


def published(pool, timings):
    """The bars of kernels of manifests; '' where the runs have none."""
    kernels = {name for run in pool.runs for name in run.kernels}
    found = figures.tasks(timings)
    return figures.at_all_widths(lambda width: bars.published(found[0], kernels, width)) \
        if kernels and found else ""


def overview(page, timings):
    """Time against size, the matrix."""
    sizes = "".join(figures.at_all_widths(lambda width, found=found: figures.time_size(
        [("", found)], page.looks, width)) for found in figures.size_groups(timings)[:1])
    found = matrix.Matrix(timings)
    return sizes + (matrix.table(found, page.key) if len(found.cells) > 1 else "")


def verdict(page, pool, name):
    """What the reader is to take home from runs of one device and build: the condition that figures are
    published for, others beneath it."""
    found = list(conditions(pool).items())
    wrong = failures(tables.chains(pool.runs))
    said = sentences(pool, found[0][1]) if found else ""
    chart = published(pool, found[0][1]) if found else ""
    others = "".join(
        drawer(f"c{page.pools.index(pool)}-{at}", f"<b>{esc(condition.capitalize())}</b> "
               f"{esc(next(iter(pool.conditions.get(condition, [])), ''))}", sentences(pool, timings) + published(pool, timings) + overview(page, timings))
        for at, (condition, timings) in enumerate(found[1:]))
    shown = (said + chart + wrong if chart else wrong + said) + (
        overview(page, found[0][1]) if found else "") + others
    if page.is_comparison():
        return drawer(f"p{page.pools.index(pool)}", f"<b>{esc(name)}</b> by itself", shown)
    own = f"<h2>{esc(name)}</h2>{boxes(pool.runs)}" if len(page.pools) > 1 else ""
    return own + shown


# ---- every run

def choice(name, values):
    """A list to choose from; '' where there is nothing to choose."""
    if len(values) < 2:
        return ""
    options = "".join(f"<option>{esc(value)}</option>" for value in values)
    return (f'<label>{name.capitalize()} <select id="f-{name}" data-of="{name}"><option value="">all</option>'
            f"{options}</select></label>")


def every_run(page, pool):
    timings = [timing for found in conditions(pool).values() for timing in found]
    sizes = sorted({it.case.size for it in timings}, key=lambda size: (size[0] * size[1], size))
    pickers = [("condition", list(dict.fromkeys(it.condition for it in timings))),
               ("task", list(dict.fromkeys(it.case.words(with_size=False) for it in timings))),
               ("size", list(map(size_text, sizes)))]
    chosen = "".join(choice(name, values) for name, values in pickers)
    # Of several pools each has a table of its own, and is looked at whole.
    filters = f'<div class="controls filters" hidden>{chosen}</div>' if chosen and len(page.pools) == 1 else ""
    return filters + tables.all_runs(timings, page.key, page.looks) if timings else ""


def split_by_level(page):
    cases = {id(timing.case): timing.case for pool in page.pools
             for timing in sorted(pool.timings, key=preference)}
    return figures.cards([lambda width, case=case: figures.levels(case, page.looks, width)
                          for case in cases.values() if any(it.steps for it in case.variants)][:MOST_NAMED])


# ---- several devices or builds

def comparisons(page):
    """What compare says of each build against the first."""
    first, *others = page.pools
    base, *names = page.sides()
    return "".join(comparison(page, (first, pool), base, name, f"x{index}")
                   for index, (pool, name) in enumerate(zip(others, names)))


def comparison(page, pools, base, new, key):
    found = pooled.Comparison(page.named, *pools)
    lead, *more = found.headline
    said = f'<p class="lead">{esc(lead)}</p>' + "".join(f'<p class="more">{esc(line)}</p>' for line in more)
    notes = "".join(f'<p class="box warn">⚠ {esc(line)}</p>' for line in found.warnings)
    worse = [it for it in found.gaps if it.is_worse]
    lost = "".join(f"<li><b>{esc(it.label)}</b>, {esc(it.where())}: {esc(it.reason)}</li>"
                   for it in worse[:MOST_NAMED])
    more = f"<li>and {len(worse) - MOST_NAMED} more</li>" if len(worse) > MOST_NAMED else ""
    changes = sorted(found.changes, key=lambda it: (VERDICTS.index(it.verdict) if it.verdict in VERDICTS else 9,
                                                    -abs((it.ratio or 1) - 1)))
    drawn = [it for it in changes if it.verdict != "SAME"] or changes
    commits = [pool.runs[0].commit for pool in pools]
    title = f"{new} (mipbench {commits[1]}) against {base} (mipbench {commits[0]})"
    chart = figures.at_all_widths(lambda width: figures.changes(drawn[:MOST_CHANGES], len(changes), width, title))
    table = drawer(key, f"<b>Every ratio</b> · {len(changes)} tests",
                   change_table(page, changes, base, new)) if changes else ""
    return said + (f'<ul class="box bad">{lost}{more}</ul>' if worse else "") + notes + chart + table


def change_table(page, found, base, new):
    heads = [("Strategy", ""), ("Test", "w2"), (base, "num w2"), (new, "num"), ("Ratio", "num"),
             ("95 % interval", "num w2"), ("Verdict", "")]
    return tables.table(heads, [
        ("failed" if it.is_worse else "best" if it.verdict == "FASTER" else "", [
            f'{tables.named(it.label, page.looks[it.label])}<small class="state n2">'
            f"{esc(it.where())}</small>", esc(it.where()), esc(tables.time_text(it.base)),
            esc(tables.time_text(it.new)), esc(tables.ratio_text(it.ratio)),
            tables.ratios_text(it.ci) if it.ci else tables.NOTHING,
            esc(VERDICT_WORDS.get(it.verdict, it.verdict))]) for it in found], f"{new} against {base}", "results")


def devices(page):
    """One chart of all devices, and a table of what was measured on each: by size, format and reduction,
    whatever the image was called, and under one condition."""
    names = page.sides()
    found = [conditions(pool) for pool in page.pools]
    shared = [it for it in found[0] if all(it in other for other in found)]
    if not shared:
        return "<p>No condition was measured on each device.</p>"
    groups = [other[shared[0]] for other in found]
    chart = figures.at_all_widths(lambda width: figures.time_size(common(names, groups), page.looks, width))
    tests = matched(groups)
    table = (f"<h2>Times over those of {esc(names[0])}, {esc(shared[0])}</h2>"
             + tables.devices(names, tests, page.looks)) if tests else \
        "<p>No size was measured in the same format and with the same reduction on each device.</p>"
    said = "".join(f'<p class="lead">{esc(name)}: {esc(next(iter(pool.conditions.get(shared[0], [])), ""))}</p>'
                   for name, pool in zip(names, page.pools) if pool.conditions.get(shared[0]))
    return said + chart + table


def common(names, groups):
    """Of each device the sizes of its first task, of the same task where there is one."""
    tasks = [dict.fromkeys(it.case.words(with_size=False) for it in timings) for timings in groups]
    shared = next((task for task in tasks[0] if all(task in other for other in tasks)), None)
    return [(name, [it for it in timings if shared is None or it.case.words(with_size=False) == shared])
            for name, timings in zip(names, groups)]


def matched(groups):
    """{test: {label: [Row of each device]}} of what is on the first device and another one."""
    by_test = [{} for _ in groups]
    for found, timings in zip(by_test, groups):
        for timing in timings:
            found.setdefault(timing.case.words(), timing)
    tests = {}
    for test, timing in by_test[0].items():
        rows = {row.label: [row, *(other[test].row_of(row.label) if test in other else None
                                   for other in by_test[1:])] for row in timing.timed() if not row.diagnostic}
        rows = {label: [it if it is not None and it.is_timed() else None for it in found]
                for label, found in rows.items()}
        rows = {label: found for label, found in rows.items() if any(found[1:])}
        tests.update({test: rows} if rows else {})
    return tests


def together(page):
    """What stands above the single pools."""
    everything = [run for pool in page.pools for run in pool.runs]
    if len(page.pools) > 1 and not page.is_comparison():
        return devices(page)
    return boxes(everything) + (comparisons(page) if page.is_comparison() else "")


# ---- the rest

def verification(page):
    pairs = [pair for pool in page.pools for pair in tables.chains(pool.runs)]
    if not any(variant.verify.status != "skipped" for _, variant in pairs):
        return ""
    n_right = sum(variant.verify.status == "pass" for _, variant in pairs)
    n_wrong = sum(tables.is_wrong(variant) for _, variant in pairs)
    said = f"<b>{n_right} of {len(pairs)} verified</b>" + (
        f' · <b class="bad">✗ {n_wrong} wrong or failed</b>' if n_wrong else " · every texel of every level")
    how = ("<p>Every texel is compared with a reference in double precision: what the strategy's own source "
           "asks for, edge rows that it drops included.</p>")
    return drawer("verify", said, how + tables.verification(pairs))


def kernels(found):
    files = short_paths([path for path, _, _ in found])
    return "".join(f"<p>From {esc(file)}: {esc(device)}. Nothing was executed.</p>"
                   f"{tables.kernels(rows)}" for file, (_, device, rows) in zip(files, found))


def method(page):
    """How it was measured, as far as it was."""
    timings = [timing for pool in page.pools for timing in pool.timings]
    used = dict.fromkeys(word for it in timings for word in (it.cache, it.mode))
    has_control = any(it.has_control for it in timings)
    items = [
        "Times are between two timestamps of the device, all barriers of a chain within. Nothing is "
        "subtracted, no sample is dropped.",
        "Strategies take turns in blocks, each once a block in a random order."
        + (" One of them is in every block twice: the A/A control, and what it differs from itself by "
           "is no difference." if has_control else ""),
        "The interval of a median is from order statistics; ratios are medians of the ratios within "
        "blocks, with bootstrapped intervals. Slower is said only if that interval and Wilcoxon's "
        "signed rank test, adjusted after Holm, say so by more than 1 %.",
        "The memory floor is compulsory traffic, level 0 read once and all others written once, at the "
        "bandwidth measured for three reads to one write, or an empty dispatch if that takes longer.",
        "Exact is the true area average in full precision; of minima and maxima what looks at every "
        "texel. What drops edge rows leaves out the last row or column of an odd level; two taps are "
        "read by what should read three there.",
        "; ".join(f"{word}: {NOTES[word]}" for word in used if word in NOTES).capitalize() + "."]
    return "<ul>" + "".join(f"<li>{esc(item)}</li>" for item in items) + "</ul>"


def again(run):
    """The command line of a run, and the one that repeats it."""
    line = " ".join(shlex.quote(word) for word in run.argv) or "mipbench"
    where = f" in {run.folder}" if run.folder else ""
    said = f"<p>It was run{esc(where)} as</p><pre><code>{esc(line)}</code></pre>"
    if not run.argv or run.argv[1:2] == ["tune"]:
        return f"{said}<p>Only a run can be repeated from its file: type that again.</p>"
    replay = f"mipbench --replay {shlex.quote(run.path.name)}"
    return f"{said}<p>and is repeated by</p><pre><code>{esc(replay)}</code></pre>"


def environment(page):
    runs = [run for pool in page.pools for run in pool.runs]
    files = short_paths([run.path for run in runs])
    out = drawer("how", "<b>How it was measured</b>", method(page))
    for index, (run, file) in enumerate(zip(runs, files)):
        save = (f'<p><button type="button" class="save" data-from="json-{index}" data-name='
                f'"{esc(file.replace("/", "-"))}">Save {esc(file)}</button></p>')
        out += drawer(f"run{index}", f"<b>{esc(file)}</b> · {esc(run.name())} · {esc(utc_text(run.utc))}",
                      save + tables.environment(run, file) + again(run))
    stores = "".join(f'<script type="application/gzip" id="json-{index}">{packed(run.text)}</script>'
                     for index, run in enumerate(runs))
    return out, stores


def section(name, title, content):
    """What is empty has none."""
    return (f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{esc(title)}</h2>'
            f"{content}</section>") if content else ""


def colour_rules():
    light = " ".join(f"--s{index}: {pair[0]};" for index, pair in enumerate(looks.PALETTE))
    dark = " ".join(f"--s{index}: light-dark({pair[0]}, {pair[1]});"
                    for index, pair in enumerate(looks.PALETTE))
    return (f":root {{ {light} }}\n@supports (color: light-dark(#000, #fff)) {{ :root {{ {dark} }} }}\n"
            f"{svg.page_style()}")


def make(title, pools, kernels_found, options):
    """The whole page as a text."""
    page = Page(pools, options.mipbench)
    store = pictures.Store(options.max_pictures)
    shown, view = pictures.section(pools, store)
    environment_text, stores = environment(page)
    names = page.sides()
    every = [every_run(page, pool) for pool in pools]
    parts = [
        ("results", "Every run", "".join(
            f"<h3>{esc(name)}</h3>{text}" if len(pools) > 1 and text else text
            for name, text in zip(names, every))),
        ("levels", "Time by level", split_by_level(page)),
        ("pictures", "Pictures of the chains", shown),
        ("verification", "Verification", verification(page)),
        ("kernels", "Kernels", kernels(kernels_found)),
        ("runs", "Runs", environment_text)]
    parts = [part for part in parts if part[2]]
    top = together(page) + "".join(verdict(page, pool, name) for pool, name in zip(pools, names))
    script = template("page.js")
    return fill(template("page.html"), {
        "title": esc(title), "subtitle": esc(subtitle(pools)),
        "css": template("page.css") + colour_rules(), "top": top,
        "nav": "".join(f'<a href="#{name}">{esc(words)}</a>' for name, words, _ in parts),
        "sections": "".join(section(*part) for part in parts),
        "stores": stores, "script": script,
        "script_hash": script_hash(script), "viewer": embed_json(view)})
