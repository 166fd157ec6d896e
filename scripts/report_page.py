"""Puts the page together from the templates in report/ and from what the sets hold."""

import base64
import functools
import gzip
import hashlib
import pathlib
import re
import shlex

import report_pictures
import report_plots
import report_svg
import report_tables
from report_format import anchor, esc, list_names, list_words, short_paths, utc_text
from result_units import is_power_of_two

STOPS = {"noise": "every median was known well enough", "blocks": "all blocks were done",
         "budget": "the time was up", "interrupted": "the run was interrupted"}
NO_RANKING = "Nothing is ranked here."
TEMPLATES = pathlib.Path(__file__).resolve().parent / "report"


def template(name):
    return (TEMPLATES / name).read_text(encoding="utf-8")


def fill(text, values):
    """Every {{name}} in one pass: what is put in is never looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)


def embed_json(text):
    """Fit for a script element, and still the same JSON: no '<' is left that could end it."""
    return (text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def packed(text):
    """Base64 of gzip: a fifth of the size; the same text gives the same."""
    data = gzip.compress(text.encode("utf-8"), mtime=0)
    return base64.b64encode(data).decode("ascii")


def script_hash(script):
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


def section(name, title, content):
    return (f'<section id="{name}" aria-labelledby="{name}-title">'
            f'<h2 id="{name}-title">{esc(title)}</h2>{content}</section>')


def set_names(sets):
    """What sets are called: by device, and by file where devices are the same."""
    names = [item.name() for item in sets]
    return [name if names.count(name) == 1 else f"{name}, {file}"
            for name, file in zip(names, file_names(sets))]


def file_names(sets):
    return short_paths([item.path for item in sets])


def labels_of(item, is_meant):
    """Of the rows that are meant, each once."""
    return sorted({row.label for row in item.rows if is_meant(row)})


def caveats(item):
    """What a reader must know before any figure: (kind, sentence); kind is a class of style."""
    wrong = labels_of(item, lambda row: row.verify.status == "fail")
    broken = labels_of(item, lambda row: row.status == "failed" and row.verify.status != "fail")
    found = [
        (not item.rows, "bad", "The file holds no results: nothing was measured."),
        (not item.complete, "bad", f"The run did not get to its end ({item.exit_reason}): what is "
                                   "here is what was complete."),
        (wrong, "bad", f"Wrong texels: {list_names(wrong)}. Fast and wrong has no rank."),
        (broken, "bad", f"Failed: {list_names(broken)}; the tables say why."),
        (item.is_software(), "warn", "A software device: its times do not predict those of a GPU."),
        (item.validated, "warn", "The validation layer was on, so the times say nothing."),
        (item.rows and not item.verified, "warn",
         "Nothing was verified (--no-verify): a fast strategy may be wrong."),
        (item.commit.endswith("-dirty"), "warn",
         "Built from sources with changes that are in no commit.")]
    return [(kind, sentence) for holds, kind, sentence in found if holds]


def boxes(runs):
    found = dict.fromkeys(caveat for run in runs for caveat in caveats(run))
    return "".join(f'<p class="box {kind}">{"⚠ " if kind == "warn" else "✗ "}{esc(sentence)}</p>'
                   for kind, sentence in found)


def preference(timing):
    """The condition that figures are published for comes first; then the largest image."""
    case = timing.case
    return (not timing.sentences(), timing.stopped_by == "interrupted", case.format != "rgba8",
            case.reduce != "avg", bool(case.rects), case.layers > 1, timing.mode != "latency",
            timing.cache != "cold", case.width != case.height or not is_power_of_two(case.size),
            -case.texels)


def headline(runs):
    """The timing that the page begins with, or None."""
    return min((timing for run in runs for timing in run.timings), key=preference, default=None)


def heading(pool, name, is_alone):
    """Of runs that are taken together: how many they are, too."""
    run, n_runs = pool.runs[0], len(pool.runs)
    if n_runs > 1:
        return f"<h3>{esc(run.name())}, {esc(run.commit)}: {n_runs} runs together</h3>"
    return "" if is_alone else f"<h3>{esc(name)}</h3>"


def verdict(pool, name, is_alone):
    """What the reader is to take home from runs of one device and build, in the words of
    mipbench."""
    head, timing = heading(pool, name, is_alone), headline(pool.runs)
    if timing is None:
        return head + boxes(pool.runs)
    timing = timing.pooled or timing
    first, *others = timing.sentences() or [NO_RANKING]
    kind = "none" if first == NO_RANKING else "tied" if timing.verdict().tied else "clear"
    more = "".join(f"<p>{esc(sentence)}</p>" for sentence in others)
    return (f'{head}<p class="verdict {kind}"><small>{esc(timing.title)}, '
            f'<span class="file">{esc(timing.case.image.name)}</span></small>{esc(first)}</p>'
            f"{more}{boxes(pool.runs)}")


def blocks_of(timing):
    """How many blocks, and why no more."""
    clock = f"the clock moved by more than 2 % in {len(timing.flagged)}" if timing.warm_probe else \
        "the device has no clock that could be watched"
    stop = f"; no more, as {STOPS[timing.stopped_by]}" if timing.stopped_by in STOPS else ""
    return f'<p class="foot">{timing.n_blocks} blocks{stop}; {clock}.</p>'


def section_of(item, timing, looks, is_open):
    """A condition: its sentences, its table, its plots; what holds for all conditions of a case
    is with the first of them."""
    plots = [report_plots.time_of_strategies(item, timing, looks),
             report_plots.ratios(item, timing, looks)]
    if timing is timing.case.timings[0]:
        plots += [report_plots.error_by_level(item, timing.case, looks),
                  report_plots.time_by_level(item, timing.case)]
    said = " ".join(timing.sentences()) or NO_RANKING
    return (f'<details class="cell"{" open" if is_open else ""}><summary>'
            f'<b>{esc(timing.title)}</b> <span class="file">{esc(timing.case.image.name)}</span> '
            f'<span class="said">{esc(said)}</span></summary>'
            f"{report_tables.results(timing)}{report_tables.warnings(timing)}{blocks_of(timing)}"
            f'<div class="grid">{"".join(plots)}</div></details>')


def results_of(looks, item, name, is_alone):
    chosen = headline([item])
    tables = "".join(section_of(item, timing, looks, timing is chosen)
                     for timing in item.timings)
    sizes = "".join(report_plots.time_against_size(item, looks)) if item.timings else ""
    head = "" if is_alone else f"<h3>{esc(name)}</h3>"
    empty = "" if item.timings else "<p>No results in this file.</p>"
    return f'{head}{empty}<div class="grid">{sizes}</div>{tables}'


def together(pools):
    """A table for each case of what more than one run measured."""
    return "".join(
        heading(pool, "", True) + "".join(
            f'<details class="cell"><summary><b>{esc(timing.title)}</b> '
            f'<span class="file">{esc(timing.case.image.name)}</span> '
            f'<span class="said">{esc(timing.sentence or NO_RANKING)}</span></summary>'
            f"{report_tables.pooled(timing)}</details>" for timing in pool.timings)
        for pool in pools if pool.timings)


def verdicts(sets, pools):
    names = dict(zip(sets, set_names(sets)))
    return "".join(verdict(pool, names[pool.runs[0]], len(pools) == 1) for pool in pools)


def verification_of(item, name, is_alone):
    head = "" if is_alone else f"<h3>{esc(name)}</h3>"
    if not item.rows:
        return head + "<p>No results in this file.</p>"
    return head + report_tables.verification(item)


def each(sets, make):
    names = set_names(sets)
    return "".join(make(item, name, len(sets) == 1) for item, name in zip(sets, names))


def pictures(sets, groups, store):
    """Viewer and contact sheets; or how to get them."""
    shown = [group for group in groups if group.shown()]
    files = "" if shown else report_pictures.sheets_of_files(sets, store)
    notes = "".join(f'<p class="box warn">⚠ {esc(note)}</p>' for note in store.notes())
    if files:
        return (f"{notes}{files}<p>Levels of the chains are not here one by one, so they cannot be held "
                f"against each other: {esc(report_pictures.HOW)}.</p>")
    if not shown:
        how = "" if store.missing else f" {report_pictures.HOW}."
        return notes + f"<p>No pictures of chains are here:{esc(how)} Without them there is " \
                       "nothing to look at but figures.</p>"
    sheets = "".join(
        f'<details class="cell"{" open" if index == 0 else ""}><summary><b>Contact sheet: '
        f"{esc(group.heading(len(sets)))}</b></summary>{report_pictures.sheet(group)}"
        "</details>" for index, group in enumerate(shown))
    return notes + template("viewer.html") + sheets


def heat(groups, n_sets):
    maps = [(group, report_pictures.heat_maps(group)) for group in groups]
    maps = [(group, content) for group, content in maps if content]
    n_right = sum(chain.n_right for group in groups for chain in group.chains.values())
    right = f"<p>Heat maps without an error, left out: {n_right}.</p>" \
        if n_right else ""
    if not maps:
        return (f"<p>Heat maps without an error, left out: {n_right}; there are no others.</p>" if n_right else
                "<p>No heat maps are here: mipbench writes them for levels that are wrong, and "
                "for all levels with --images all.</p>")
    return report_pictures.heat_scale() + "".join(
        f"<h3>{esc(group.heading(n_sets))}</h3>{content}" for group, content in maps) + right


def claims(found):
    if not found:
        return ("<p>No claims.json is beside the results: <code>scripts/claims.py FOLDER -o "
                "FOLDER</code> writes it.</p>")
    files = short_paths([path for path, _ in found])
    return "".join(f"<p>From {esc(file)}.</p>{report_tables.claims(lines)}"
                   for file, (_, lines) in zip(files, found))


def kernels(found):
    files = short_paths([path for path, _, _ in found])
    return "".join(f"<p>From {esc(file)}: {esc(device)}. Nothing was executed.</p>"
                   f"{report_tables.kernels(rows)}"
                   for file, (_, device, rows) in zip(files, found))


def command(item, name, is_alone):
    """The command line of a run, and the one that repeats it."""
    head = "" if is_alone else f"<h3>{esc(name)}</h3>"
    line = " ".join(shlex.quote(word) for word in item.argv) or "mipbench"
    where = f" in {item.folder}" if item.folder else ""
    said = f"{head}<p>It was run{esc(where)} as</p><pre><code>{esc(line)}</code></pre>"
    if not item.argv or item.argv[1:2] == ["tune"]:
        return f"{said}<p>Only a run can be repeated from its file: type that again.</p>"
    again = f"mipbench --replay {shlex.quote(item.path.name)}"
    return (f"{said}<p>and is repeated, options, inputs and seed, by</p>"
            f"<pre><code>{esc(again)}</code></pre>")


MODES = (("cold", "the image is in no cache before each sample"), ("hot", "the same image again"),
         ("latency", "one chain, drained before and after"),
         ("throughput", "the slope over batches of chains"),
         ("overlap", "several images without barriers between their chains"),
         ("beside", "one chain, with a load at work on a second queue"))


def method(sets):
    """How it was measured, as far as it was."""
    timings = [timing for item in sets for timing in item.timings]
    used = {word for timing in timings for word in (timing.cache, timing.mode)}
    modes = [f"<i>{name}</i>: {meaning}." for name, meaning in MODES if name in used]
    has_control = any(timing.control for timing in timings)
    n_verified = sum(item.verified for item in sets)
    verified = ("Every texel of every level is compared with a model in double precision: with "
                "what its own source asks for (step), and with the chain that is never rounded "
                "(drift)." if n_verified
                else "Nothing was verified (--no-verify): any of it may be wrong.")
    if 0 < n_verified < len(sets):
        verified += " Not so in the sets that say that they were not verified."
    return fill(template("method.html"), {
        "control": " One of them is in every block twice, under a second name: the A/A control. "
                   "What it differs from itself by is no difference." if has_control else "",
        "margin": " and more than the A/A control" if has_control else "",
        "modes": f"<li>{' '.join(modes)}</li>" if modes else "",
        "what": what_is_timed(sets),
        "verified": verified})


def what_is_timed(sets):
    """Whose times they are."""
    kinds = ("the GPU", "the processor, which does the work of a GPU")
    used = [kinds[kind] for kind in sorted({item.is_software() for item in sets})]
    return f"Times are of {list_words(used)}: between two timestamps"


def downloads(sets):
    """Each results.json as it was read, and a button that saves it."""
    buttons = "".join(
        f'<button type="button" class="save" data-from="json-{index}" '
        f'data-name="{esc(file.replace("/", "-"))}">Save {esc(file)} ({esc(item.name())})</button>'
        for index, (item, file) in enumerate(zip(sets, file_names(sets))))
    scripts = "".join(f'<script type="application/gzip" id="json-{index}">{packed(item.text)}'
                      "</script>" for index, item in enumerate(sets))
    return buttons, scripts


def sections(sets, pools, groups, store, claims_found, kernels_found):
    looks = report_svg.looks(variant for item in sets for case in item.cases
                             for variant in case.variants)
    return [("verdict", "Verdict", verdicts(sets, pools)),
            ("results", "Results", together(pools) + each(sets, functools.partial(results_of, looks))),
            ("pictures", "Pictures of the chains", pictures(sets, groups, store)),
            ("errors", "Where they err", heat(groups, len(sets))),
            ("verification", "Verification", each(sets, verification_of)),
            ("claims", "Claims", claims(claims_found)),
            *([("kernels", "Kernels", kernels(kernels_found))] if kernels_found else []),
            ("environment", "Environment", report_tables.environment(sets, set_names(sets),
                                                                      file_names(sets))),
            ("method", "How it was measured", method(sets)),
            ("again", "Do it again", each(sets, command))]


def make(sets, pools, claims_found, kernels_found, max_picture_bytes):
    """The whole page as a text."""
    store = report_pictures.Store(max_picture_bytes)
    groups = report_pictures.collect(sets, set_names(sets), store)
    parts = sections(sets, pools, groups, store, claims_found, kernels_found)
    script, (buttons, json_scripts) = template("page.js"), downloads(sets)
    names = list_words(list(dict.fromkeys(item.name() for item in sets)))
    return fill(template("page.html"), {
        "title": esc(f"mipbench: {names}"),
        "heading": esc(names),
        "when": esc(list_words(list(dict.fromkeys(utc_text(item.utc) for item in sets)))),
        "css": f"{template('page.css')}{report_svg.colour_rules()}",
        "script": script,
        "script_hash": script_hash(script),
        "nav": "".join(f'<a href="#{anchor(name)}">{esc(title)}</a>' for name, title, _ in parts),
        "sections": "".join(section(*part) for part in parts),
        "buttons": buttons,
        "store": report_svg.store(report_svg.marker_definitions() + store.definitions()),
        "viewer": embed_json(report_pictures.viewer_data(groups)),
        "json": json_scripts,
    })
