"""Puts the page together from the templates beside this file and from what the runs hold.

What is first seen stands in the page; details are texts of HTML in a JSON element, by a key, and are
put in their place when they are opened: 200 images are a page of few nodes then."""

import base64
import functools
import gzip
import hashlib
import json
import math
import pathlib
import re
import shlex

import pooled

from . import figures, looks, matrix, pictures, svg, tables
from .words import (NOTHING, esc, list_names, list_words, range_text, ratio_text, short_paths, size_text,
                    time_text, utc_text)

TEMPLATES = pathlib.Path(__file__).resolve().parent
STOPS = {"noise": "every median was known well enough", "blocks": "all blocks were done",
         "budget": "the time was up", "interrupted": "the run was interrupted"}
MOST_MOVED, MOST_NAMED = 12, 12
MANY = 24  # images in one list
ORDER = ("latency", "throughput", "overlap")


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


class Details:
    """What is drawn when it is opened."""

    def __init__(self):
        self.texts = {}

    def drawer(self, key, summary, make, is_open=False):
        """A closed drawer of what make() returns; one that is open has it in the page at once."""
        text = make()
        if not is_open:
            self.texts[key] = text
        return (f'<details id="{key}"{" open" if is_open else ""}><summary>{summary}</summary>'
                f'<div class="in">{text if is_open else ""}</div></details>')


# ---- what must be known first

def labels_of(run, is_meant):
    """Of the rows that are meant, each once."""
    return sorted({row.label for row in run.rows if is_meant(row)})


def caveats(run):
    """What a reader must know before any figure: (kind, sentence); kind is a class of style."""
    wrong = labels_of(run, lambda row: row.verify.status == "fail")
    broken = labels_of(run, lambda row: row.status == "failed" and row.verify.status != "fail")
    found = [
        (not run.rows, "bad", "The file holds no results: nothing was measured."),
        (not run.complete, "bad", f"The run did not get to its end ({run.exit_reason}): what is "
                                  "here is what was complete."),
        (wrong, "bad", f"Wrong texels: {list_names(wrong)}. Fast and wrong has no rank."),
        (broken, "bad", f"Failed: {list_names(broken)}; the tables say why."),
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
    """The condition that figures are published for comes first."""
    return (timing.mode not in ORDER, ORDER.index(timing.mode) if timing.mode in ORDER else 0,
            timing.cache != "cold", timing.condition)


def conditions(pool):
    """{words of a condition: [timing]}, the best first."""
    found = {}
    for timing in sorted(pool.timings, key=preference):
        found.setdefault(timing.condition, []).append(timing)
    return found


def summary_of(timing, has_inputs):
    """A drawer's line already says the result."""
    first, fastest = size_text(timing.case.size), timing.fastest()
    name = f' <span class="file">{esc(timing.case.image.name)}</span>' if has_inputs else ""
    said = "no winner"
    if fastest is not None:
        order = timing.rankings[0].order
        following = next((label for label in order if label != fastest.label), None)
        said = f"{fastest.label} {time_text(fastest.stats.median)}"
        if timing.lead == "clear" and timing.next_ratio and following:
            said += f" · {following} {ratio_text(timing.next_ratio)}×"
        said += {"tied": " · tied", "too few": " · too few samples"}.get(timing.lead, "")
    wrong = [row.label for row in timing.rows if row.status == "failed"
             or row.verify.status == "fail"]
    bad = f' <b class="bad">✗ {esc(list_names(wrong))}</b>' if wrong else ""
    return f"<b>{esc(first)} {esc(timing.case.words(with_size=False))}</b>{name} · {esc(said)}{bad}"


def blocks_of(timing):
    """How many blocks, and why no more."""
    if len(timing.members) > 1:
        return f'<p class="foot">{len(timing.members)} runs taken together.</p>'
    one = timing.members[0]
    clock = f"the clock moved by more than 2 % in {len(one.flagged)}" if one.warm_probe else \
        "the device has no clock that could be watched"
    stop = f"; no more, as {STOPS[one.stopped_by]}" if one.stopped_by in STOPS else ""
    return f'<p class="foot">{one.n_blocks} blocks{stop}; {clock}.</p>'


def timing_detail(timing, looks_of, is_alone=False):
    """Its sentences, its table, its figures."""
    said = "" if is_alone else "".join(f"<p>{esc(sentence)}</p>" for sentence in timing.sentences)
    telling = [row for row in timing.timed() if figures.tells_something(row)]
    is_first = timing.members[0] is timing.case.timings[0]
    return (said + tables.results(timing, looks_of) + tables.warnings(timing) + blocks_of(timing)
            + figures.cards(
                lambda: figures.forest(timing, looks_of, figures.NARROW),
                *([lambda: figures.samples(timing, looks_of, figures.NARROW, telling)]
                  if telling else []),
                *([lambda: figures.levels(timing.case, looks_of, figures.NARROW)]
                  if is_first else [])))


class Page:
    """What the sections share."""

    def __init__(self, pools, named):
        self.pools, self.named, self.details = pools, named, Details()
        variants = [variant for pool in pools for run in pool.runs for case in run.cases
                    for variant in case.variants]
        self.looks = looks.of(dict.fromkeys(variant.label for variant in variants))
        self.keys = {}
        for index, pool in enumerate(pools):
            for at, timing in enumerate(pool.timings):
                self.keys[id(timing)] = f"t{index}-{at}"

    def title_of(self, pool):
        """Of builds with the build."""
        alike = [other for other in self.pools if other.name() == pool.name()]
        return pool.title + (f" · build {pool.commit}" if len(alike) > 1 else "")

    def key(self, timing):
        return self.keys[id(timing)]

    def drawers(self, timings, is_open=False):
        has_inputs = len({timing.case.image for timing in timings}) > 1
        cards = [self.details.drawer(self.key(timing), summary_of(timing, has_inputs),
                                     functools.partial(timing_detail, timing, self.looks, is_open),
                                     is_open and index == 0)
                 for index, timing in enumerate(timings)]
        return "".join(cards)


def overview(page, pool, timings, condition):
    """Sentences, then the matrix; of a single case its table."""
    sentences = timings[0].sentences if len(timings) == 1 else pool.conditions.get(condition, [])
    said = "".join(f'<p class="{"lead" if index == 0 else "more"}">{esc(sentence)}</p>'
                   for index, sentence in enumerate(sentences))
    found = matrix.Matrix(timings)
    if len(found.cells) < 2:
        return said
    how = ("In a cell: the fastest, its median time, and the next one's as a multiple of that. "
           "<b>exact</b> loses nothing") + (
        "; <b>any</b>: what is faster but loses something at that size, and its time as a fraction of the "
        "exact one's." if any(map(matrix.other, found.cells.values())) else ".") + (
        " Each strategy was verified against a reference of what it is to make, drops included."
        if all(row.verify.status == "pass" for timing in timings for row in timing.rows
               if row.status == "ok") else "")
    return f'{said}<p class="foot">{how}</p>{matrix.table(found, page.looks, page.key)}'


def verdict(page, pool, is_alone):
    """What the reader is to take home from runs of one device and build."""
    head = "" if is_alone else f"<h2>{esc(page.title_of(pool))}</h2>"
    found = conditions(pool)
    if not found:
        return head + boxes(pool.runs)
    condition, timings = next(iter(found.items()))
    return (f'{head}{boxes(pool.runs)}<p class="under">{esc(condition_note(timings))}</p>'
            f"{overview(page, pool, timings, condition)}")


NOTES = {"cold": "the image is in no cache before each sample", "hot": "the same image again and again",
         "latency": "one chain, drained before and after",
         "throughput": "the slope of time over batches of chains",
         "overlap": "several images without barriers between their chains"}


def condition_note(timings):
    """'Cold latency: the image is in no cache before each sample; one chain, ...'"""
    first = timings[0]
    images = list(dict.fromkeys(timing.case.image.name for timing in timings))
    n_made = len({(timing.case.image.name, timing.case.size) for timing in timings})
    return (f"{first.condition.capitalize()}: {NOTES.get(first.cache, first.cache)}; "
            f"{NOTES.get(first.mode, first.mode)}. "
            f"{'Image' if len(images) == 1 else 'Images'}: {list_names(images)}"
            f"{', cropped or tiled to each size' if n_made > len(images) else ''}.")


def group_detail(page, timings):
    """Of one task: time against size, and a drawer for each size."""
    plots = ""
    for found in figures.size_groups(timings)[:1]:
        plots += figures.both(functools.partial(draw_sizes, [("", found)], page.looks))
    return plots + page.drawers(timings)


def draw_sizes(devices, looks_of, width):
    return figures.time_size(devices, looks_of, width)


def results_of(page, index, pool, is_alone):
    """By condition, the best first; a drawer for each case, grouped by task where they are many."""
    head = "" if is_alone else f"<h3>{esc(page.title_of(pool))}</h3>"
    out, found = head, conditions(pool)
    for at, (condition, timings) in enumerate(found.items()):
        if at > 0:
            make = functools.partial(condition_detail, page, pool, timings, condition, index, at)
            said = next(iter(pool.conditions.get(condition, [])), "")
            out += page.details.drawer(f"c{index}-{at}", f"<b>{esc(condition.capitalize())}</b> · "
                                                         f"{esc(said)}", make)
        else:
            out += groups(page, timings, f"g{index}-{at}", len(timings) == 1)
    return out


def condition_detail(page, pool, timings, condition, index, at):
    return (f'<p class="under">{esc(condition_note(timings))}</p>'
            + overview(page, pool, timings, condition) + groups(page, timings, f"g{index}-{at}"))


def groups(page, timings, key, is_open=False):
    """A drawer for each task where there are several, with what wins in it."""
    tasks = {}
    for timing in timings:
        tasks.setdefault(timing.case.words(with_size=False), []).append(timing)
    if len(tasks) == 1 and len(timings) > MANY and len({it.case.image for it in timings}) > 1:
        tasks = {}
        for timing in timings:
            tasks.setdefault(size_text(timing.case.size), []).append(timing)
    if len(tasks) == 1:
        return group_detail(page, timings) if not is_open else page.drawers(timings, True)
    out = ""
    for index, (task, found) in enumerate(sorted(tasks.items(),
                                                 key=lambda pair: matrix.task_order(pair[0]))):
        winners = dict.fromkeys(it.rankings[0].fastest for it in found if it.rankings)
        out += page.details.drawer(
            f"{key}-{index}", f"<b>{esc(task)}</b> · {len(found)} "
            f"{'cases' if len(found) > 1 else 'case'} · {esc(list_names(list(winners)))}",
            functools.partial(group_detail, page, found))
    return out


# ---- several devices or builds

def together(page):
    """One plot of all devices, and what compare says of each against the first."""
    first, *others = page.pools
    if not others:
        return ""
    out = ""
    is_builds = all(pool.name() == first.name() for pool in others)
    devices = [(pool.commit if is_builds else pool.name(), next(iter(conditions(pool).values()), []))
               for pool in page.pools]
    try:
        out += figures.both(functools.partial(draw_sizes, common(devices), page.looks))
    except figures.NoData:
        pass
    for pool, (name, _) in zip(others, devices[1:]):
        found, warned = pooled.changes(page.named, first, pool)
        out += changes_of(page, found, warned, devices[0][0], name)
    return out


def common(devices):
    """Of each device the sizes of its first task, of the same task where there is one."""
    tasks = [dict.fromkeys(it.case.words(with_size=False) for it in timings)
             for _, timings in devices]
    shared = next((task for task in tasks[0] if all(task in other for other in tasks)), None)
    return [(name, [it for it in timings
                    if shared is None or it.case.words(with_size=False) == shared])
            for name, timings in devices]


def changes_of(page, found, warned, base, new):
    counts = {}
    for change in found:
        counts[change.verdict] = counts.get(change.verdict, 0) + 1
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    title = f"{new} against {base}"
    if not found:
        return f"<p>{esc(title)}: nothing was measured in both.</p>"
    moved = [it for it in found if it.verdict in ("FASTER", "SLOWER")]
    moved.sort(key=lambda it: -abs(math.log(it.ratio)) if it.ratio else 0)
    shown = figures.cards(lambda: figures.changes(moved[:MOST_MOVED], page.looks, figures.NARROW,
                                                  "What moved most"))
    notes = "".join(f'<p class="box warn">⚠ {esc(line)}</p>' for line in warned)
    return (f"<h3>{esc(title)}</h3><p>{esc(said)}</p>{notes}{shown}"
            + page.details.drawer(f"x{len(page.details.texts)}", "<b>Every ratio</b>", lambda:
                                  change_table(page, found, title, base, new), len(found) <= MANY))


def change_table(page, found, title, base, new):
    heads = [("Strategy", ""), ("Case", "w2"), (base, "num w2"), (new, "num"), ("Ratio", "num"),
             ("95 % interval", "num w2"), ("Verdict", "")]
    return tables.table(heads, [
        ("failed" if it.verdict == "SLOWER" else "best" if it.verdict == "FASTER" else "", [
            f'{tables.key(page.looks[it.label])}{esc(it.label)}<small class="state n2">'
            f"{esc(it.where())}</small>", esc(it.where()), esc(time_text(it.base)),
            esc(time_text(it.new)), esc(ratio_text(it.ratio)),
            f"{ratio_text(it.ci[0])} – {ratio_text(it.ci[1])}" if it.ci else NOTHING,
            esc(it.verdict)]) for it in found], title, "results")


# ---- the rest

def verification(page):
    pairs = [pair for pool in page.pools for pair in tables.chains(pool.runs)]
    if not any(variant.verify.status != "skipped" or tables.is_wrong(variant)
               for _, variant in pairs):
        return ""
    n_right = sum(variant.verify.status == "pass" for _, variant in pairs)
    n_wrong = sum(tables.is_wrong(variant) for _, variant in pairs)
    said = f"<b>{n_right} of {len(pairs)} verified</b>" + (
        f' · <b class="bad">✗ {n_wrong} failed</b>' if n_wrong else " · every texel of every level")
    how = ("<p>Every texel is compared with a model in double precision: with what its own source "
           "asks for (step), with the chain that is never rounded (drift), and with the true area "
           "average (from exact).</p>")
    return page.details.drawer("verify", said, lambda: (
        tables.failures(pairs) if n_wrong else "") + how + tables.verification(pairs), n_wrong > 0)


def kernels(found):
    files = short_paths([path for path, _, _ in found])
    return "".join(f"<p>From {esc(file)}: {esc(device)}. Nothing was executed.</p>"
                   f"{tables.kernels(rows)}" for file, (_, device, rows) in zip(files, found))


def method(page):
    """How it was measured, as far as it was."""
    timings = [timing for pool in page.pools for timing in pool.timings]
    used = dict.fromkeys(word for it in timings for word in (it.cache, it.mode))
    has_control = any(it.control for it in timings)
    items = [
        "Times are between two timestamps of the device, all barriers of a chain within. Nothing is "
        "subtracted, no sample is dropped.",
        "Strategies take turns in blocks, each once a block in a random order."
        + (" One of them is in every block twice: the A/A control, and what it differs from itself by "
           "is no difference." if has_control else ""),
        "The interval of a median is from order statistics; ratios are medians of the ratios within "
        "blocks, with bootstrapped intervals. Slower is said only if that interval and Wilcoxon's "
        "signed rank test, adjusted after Holm, say so by more than 1 %.",
        "The limit is compulsory traffic, level 0 read once and all others written once, at the "
        "bandwidth measured for three reads to one write, or an empty dispatch if that takes longer.",
        "Exact is the true area average in full precision; of minima and maxima what looks at every "
        "texel. floor drops the last row or column of an odd level, blit reads two texels where "
        "there are three.",
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
    out = page.details.drawer("how", "<b>How it was measured</b>", lambda: method(page))
    for index, (run, file) in enumerate(zip(runs, files)):
        save = (f'<p><button type="button" class="save" data-from="json-{index}" data-name='
                f'"{esc(file.replace("/", "-"))}">Save {esc(file)}</button></p>')
        out += page.details.drawer(
            f"run{index}", f"<b>{esc(file)}</b> · {esc(run.name())} · {esc(utc_text(run.utc))}",
            lambda run=run, file=file, save=save: save + tables.environment(run, file) + again(run))
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
    is_alone = len(pools) == 1
    store = pictures.Store(options.max_pictures)
    shown, view = pictures.section(pools, store, page.details)
    environment_text, stores = environment(page)
    parts = [
        ("results", "Every case", "".join(results_of(page, index, pool, is_alone)
                                          for index, pool in enumerate(pools))),
        ("verification", "Verification", verification(page)),
        ("pictures", "Pictures of the chains", shown),
        ("kernels", "Kernels", kernels(kernels_found)),
        ("runs", "Runs", environment_text)]
    parts = [part for part in parts if part[2]]
    top = section("compared", "Compared", together(page)) + "".join(
        verdict(page, pool, is_alone) for pool in pools)
    script = template("page.js")
    return fill(template("page.html"), {
        "title": esc(title), "subtitle": esc(subtitle(pools)),
        "css": template("page.css") + colour_rules(), "top": top,
        "nav": "".join(f'<a href="#{name}">{esc(words)}</a>' for name, words, _ in parts),
        "sections": "".join(section(*part) for part in parts),
        "store": store.element(), "stores": stores, "script": script,
        "script_hash": script_hash(script),
        "details": packed(json.dumps(page.details.texts, ensure_ascii=False)),
        "viewer": embed_json(view)})
