"""The tables of the page. Columns that do not fit are left out, so that none is scrolled sideways."""

from .svg import marker
from .words import (NOTHING, bytes_text, digits, error_text, esc, list_names, percent_text, ratio_text, ratios_text,
                    result_words, size_text, time_text, times_text, utc_text)

OF_PEAK = "of peak"  # of the bandwidth; left out where no row on a GPU has it
# (title, class) of the table of all runs; the classes hold for the cells, too.
RUN_HEADS = (("Strategy", ""), ("Median", "bars"), ("95 % interval", "num w3"), ("Ratio", "num"),
             ("95 % interval", "num w3"), (OF_PEAK, "num w2"), ("Result", "w2"), ("Verified", "w2"))


VERIFIED = {"pass": "✓", "fail": "✗"}


def row(css, cells, kinds):
    """The first cell is a name; all are HTML."""
    name, *others = cells
    others = "".join(f'<td class="{kind}">{cell}</td>' if kind else f"<td>{cell}</td>"
                     for kind, cell in zip(kinds[1:], others))
    return f'<tr class="{css}"><th scope="row" class="{kinds[0]}">{name}</th>{others}</tr>'


def whole(heads, bodies, label, css=""):
    """heads: [(title, class)]; bodies: HTML of tbody elements."""
    head = "".join(f'<th scope="col" class="{kind}">{esc(title)}</th>' for title, kind in heads)
    return (f'<table class="{css}" aria-label="{esc(label)}"><thead><tr>{head}</tr></thead>'
            f"{bodies}</table>")


def table(heads, rows, label, css=""):
    """rows: [(class, [cell as HTML])]."""
    kinds = [kind for _, kind in heads]
    return whole(heads, f'<tbody>{"".join(row(name, cells, kinds) for name, cells in rows)}</tbody>', label, css)


def named(label, look):
    """A strategy with its mark; long ones break where a parameter begins."""
    name = esc(label).replace(":", ":<wbr>").replace(",", ",<wbr>")
    return f"{key(look)}<span>{name}</span>"


def key(look):
    return (f'<svg class="key" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">'
            f"{marker(0, 0, look)}</svg>")


# ---- all runs

def is_wrong(it):
    """Of a row or a variant."""
    return it.status == "failed" or it.verify.status == "fail"


def result_state(one):
    """In words, what of a row is not as it should be; '' where all is well."""
    if one.diagnostic:
        return "leaves work out"
    if one.verify.status == "fail":
        return f"✗ {one.reason}"
    if one.status != "ok":
        return f"{'✗ failed' if one.status == 'failed' else one.status}: {one.reason}"
    return "not checked" if one.verify.status == "skipped" else ""


def run_row(timing, one, looks, longest, has_share):
    """One strategy of a timing, as RUN_HEADS has it."""
    fastest, state = timing.fastest(), result_state(one)
    css = "failed" if is_wrong(one) else "best" if one is fastest and timing.lead == "clear" else ""
    name = named(one.label, looks[one.label])
    kinds = [kind for title, kind in RUN_HEADS if has_share or title != OF_PEAK]
    said = f'<tr class="{css} said"><td class="state" colspan="{len(kinds)}">{esc(state)}</td></tr>' if state else ""
    if not one.is_timed():
        return row(css or "skipped", [name, "not timed", *[NOTHING] * (len(kinds) - 2)], kinds) + said
    bar = (f'<span class="bar" style="--f:{one.stats.median / longest:.3f};'
           f'--c:var(--s{looks[one.label].colour})"></span>')
    cells = [name, f"{bar}<b>{esc(time_text(one.stats.median))}</b>",
             esc(times_text(one.stats.ci)) if one.stats.ci else NOTHING,
             ratio_text(1.0 if one is fastest else one.relative.ratio),
             ratios_text(one.relative.ci) if one.relative.ci and one is not fastest else "",
             *([esc(percent_text(one.of_limit))] if has_share else []), esc(result_words(one)), VERIFIED.get(one.verify.status, NOTHING)]
    return row(css, cells, kinds) + said


def test_body(timing, key_of, looks, has_share, has_inputs):
    """The strategies of one test, by time, what has none at the end; what is said of them above."""
    timed = timing.timed()
    longest = max((it.stats.median for it in timed), default=1)
    rows = timed + [it for it in timing.rows if not it.is_timed()]
    task, size = timing.case.words(with_size=False), size_text(timing.case.size)
    name = f' <span class="file">{esc(timing.case.image_name)}</span>' if has_inputs else ""
    said = "".join(f"<p>{esc(sentence)}</p>" for sentence in timing.sentences)
    n_columns = len(RUN_HEADS) - (not has_share)
    return (f'<tbody id="{key_of(timing)}" data-condition="{esc(timing.condition)}" data-task="{esc(task)}" '
            f'data-size="{size}"><tr class="test"><th scope="rowgroup" colspan="{n_columns}">'
            f"<h3>{size} {esc(task)}, {esc(timing.condition)}{name}</h3>{said}{warnings(timing)}</th></tr>"
            + "".join(run_row(timing, it, looks, longest, has_share) for it in rows) + "</tbody>")


def all_runs(timings, key_of, looks):
    has_share = any(it.of_limit is not None for timing in timings if not timing.case.run.is_software()
                    for it in timing.rows)
    has_inputs = len({timing.case.image for timing in timings}) > 1
    heads = [head for head in RUN_HEADS if has_share or head[0] != OF_PEAK]
    return whole(heads, "".join(test_body(it, key_of, looks, has_share, has_inputs) for it in timings),
                 "all runs", "runs")


def warnings(timing):
    """What a reader must know of single rows; the same message is one line."""
    found = {}
    for one in timing.rows:
        for _, message in one.warnings:
            labels = found.setdefault(message, [])
            labels += [one.label] if one.label not in labels else []
    items = "".join(f"<li><b>{esc(list_names(labels))}</b>: {esc(message)}</li>"
                    for message, labels in found.items())
    return f'<ul class="notes">{items}</ul>' if items else ""


# ---- verification

def chains(runs):
    """(case, variant) of each that was to be verified."""
    return [(case, variant) for run in runs for case in run.cases for variant in case.variants
            if not variant.diagnostic and variant.status != "skipped"]


def verification(pairs):
    """A row for each variant and what errors of it are counted in: the worst of all its chains."""
    found = {}
    for case, variant in pairs:
        found.setdefault((variant.label, variant.policy or NOTHING, case.unit), []).append(variant)
    heads = [("Strategy", ""), ("Reference", ""), ("Right", "num"), ("Largest error", "num")]
    rows = []
    for (label, policy, unit), variants in sorted(found.items()):
        errors = [it.verify.step for it in variants if it.verify.step is not None]
        rows += [("failed" if any(map(is_wrong, variants)) else "", [
            esc(label), esc(policy), f"{sum(it.verify.status == 'pass' for it in variants)} of {len(variants)}",
            f"{error_text(max(errors))} {unit}" if errors else NOTHING])]
    return table(heads, rows, "verification")


# ---- devices, kernels, the environment

def devices(names, rows, looks):
    """rows: {test: {label: [Row or None of each device]}}; ratios to the first device."""
    heads = [("Strategy", ""), *((name, "num") for name in names)]

    def figure(one, base):
        if one is None:
            return NOTHING
        factor = "" if one is base or base is None else \
            f"<b>{ratio_text(one.stats.median / base.stats.median)}x</b> "
        return f"{factor}<span>{esc(time_text(one.stats.median))}</span>"
    bodies = ""
    for test, by_label in rows.items():
        lines = "".join(row("", [named(label, looks[label]), *(figure(one, found[0]) for one in found)],
                            [kind for _, kind in heads]) for label, found in by_label.items())
        bodies += (f'<tbody><tr class="test"><th scope="rowgroup" colspan="{len(heads)}"><h3>{esc(test)}</h3>'
                   f"</th></tr>{lines}</tbody>")
    return whole(heads, bodies, "times on each device", "runs devices")


def facts(run, file):
    """[(name, value)] of the environment."""
    tool, ceiling, cache, empty = run.tool, run.ceiling, run.cache, run.empty_pair
    return [
        ("File", file), ("Measured", utc_text(run.utc)),
        ("Device", f"{run.name()}, {run.type}"), ("Driver", run.driver),
        ("Vulkan", run.api), ("Subgroup", run.subgroup or NOTHING),
        ("Peak bandwidth", f"{digits(ceiling)} GB/s, 3 reads to 1 write" if ceiling else NOTHING),
        ("Last-level cache", f"{bytes_text(cache)}, {run.cache_source or 'assumed'}"
         if cache else NOTHING),
        ("Timer", f"{run.timer}, marks {run.granularity:g} ns apart"
         if run.granularity else run.timer or NOTHING),
        ("Empty timestamp pair", f"{empty:g} ns, never subtracted" if empty else NOTHING),
        ("Processor", f"{run.processor}, {run.cores} cores"), ("System", run.system),
        ("mipbench", f"{tool['version']}, commit {tool['git_sha']}, {tool['build_type']}, "
                     f"{tool['compiler']}"),
        ("Seed", NOTHING if run.seed is None else run.seed), ("Schema", run.schema_version)]


def environment(run, file):
    items = "".join(f"<dt>{esc(name)}</dt><dd>{esc(value)}</dd>" for name, value in facts(run, file))
    return f'<dl class="facts">{items}</dl>'


def kernels(rows):
    """What kernels were compiled to; a column that no driver fills is left out."""
    columns = [("Subgroup", "subgroup_size", "w2"), ("Registers", "registers", ""),
               ("Scalar", "scalar_registers", "w2"), ("Spills", "spills", ""),
               ("Scratch, B", "scratch_bytes", "w3"), ("Shared, B", "shared_bytes", "w2"),
               ("Occupancy", "occupancy", "w2"), ("Instructions", "instructions", "w3"),
               ("Code, B", "code_bytes", "w3")]
    columns = [it for it in columns if any(one[it[1]] is not None for one in rows)]
    heads = [("Strategy", ""), ("Kernel", "w2"),
             *((title, f"num {css}") for title, _, css in columns)]

    def figure(value):
        return NOTHING if value is None else f"{value:.0f}"
    return table(heads, [("failed" if one["spills"] else "", [
        f'{esc(one["label"])} <small>{esc(one["format"])}, {esc(one["size"])}</small>',
        esc(one["kernel"]), *(figure(one[name]) for _, name, _ in columns)]) for one in rows], "kernels")
