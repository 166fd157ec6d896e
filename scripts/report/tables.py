"""The tables of the page. Columns that do not fit are left out, so that none is scrolled sideways."""

from .svg import marker
from .words import (NOTHING, bytes_text, digits, error_text, esc, interval_text, list_names, percent_text,
                    ratio_text, time_text, times_text, utc_text)

CHANNELS = "rgba"


def table(heads, rows, label, css=""):
    """heads: [(title, class)], of which the classes hold for the cells, too; rows: [(class, [cell as
    HTML])], the first a name."""
    head = "".join(f'<th scope="col" class="{kind}">{esc(title)}</th>' for title, kind in heads)
    body = "".join(
        f'<tr class="{name}"><th scope="row" class="{heads[0][1]}">{cells[0]}</th>'
        + "".join(f'<td class="{kind}">{cell}</td>' for (_, kind), cell in zip(heads[1:], cells[1:]))
        + "</tr>" for name, cells in rows)
    return (f'<table class="{css}" aria-label="{esc(label)}"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>")


def key(look):
    return (f'<svg class="key" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">'
            f"{marker(0, 0, look)}</svg>")


def result_state(row):
    """In words, what of a row is not as it should be; '' where all is well."""
    verify = row.verify
    if row.diagnostic:
        return "leaves work out"
    if verify.status == "fail":
        return f"✗ wrong: {bad_words(verify.bad)}" if verify.bad else f"✗ wrong: {row.reason}"
    if row.status != "ok":
        return f"{'✗ failed' if row.status == 'failed' else row.status}: {row.reason}"
    return "not checked" if verify.status == "skipped" else ""


def bad_words(bad):
    """Of the first bad texel."""
    want, got = (NOTHING if bad[name] is None else f"{bad[name]:.9g}" for name in ("want", "got"))
    return (f"level {bad['level']} layer {bad['layer']} texel ({bad['x']}, {bad['y']}) channel "
            f"{CHANNELS[bad['channel'] & 3]}: wanted {want}, got {got}")


def relative_words(row, is_fastest):
    relation = row.relative
    if relation.ratio is None:
        return NOTHING
    if is_fastest or relation.ci is None:
        return "1.00" if is_fastest else ratio_text(relation.ratio)
    return interval_text(relation.ratio, relation.ci)


def answer_words(row):
    """As on the terminal: 'exact', or what it loses and how far off that is: 'floor, 2.41 LSB'."""
    variant, box = row.variant, row.verify.box
    if variant.loss and box is not None:
        return f"{variant.loss}, {error_text(box)} {row.case.unit}"
    return variant.answer or NOTHING


def results(timing, looks):
    """Rows by time, what has none at the end."""
    timed = timing.timed()
    longest = max((row.stats.median for row in timed), default=1)
    fastest = timing.fastest()
    has_limit = any(row.of_limit is not None for row in timed)
    heads = [("Strategy", ""), ("Median", "bars"), ("95 % interval", "num w3"), ("p95", "num w3"),
             ("Ratio", "num"), ("of limit", "num w2"), ("Answer", "w2"), ("Verified", "w2")]
    rows = []
    for row in timed:
        is_best, state = row is fastest and timing.lead == "clear", result_state(row)
        ci, bad = row.stats.ci, row.status == "failed" or row.verify.status == "fail"
        said = esc(state) or f"✓ {error_text(row.verify.step or 0)} {esc(row.case.unit)}"
        bar = (f'<span class="bar" style="--f:{row.stats.median / longest:.3f};'
               f'--c:var(--s{looks[row.label].colour})"></span>')
        rows += [("best" if is_best else "failed" if bad else "", [
            key(looks[row.label]) + esc(row.label)
            + (f'<small class="state">{esc(state)}</small>' if state else ""),
            bar + f"<b>{esc(time_text(row.stats.median))}</b>",
            esc(times_text(ci)) if ci else NOTHING,
            esc(time_text(row.stats.p95)), esc(relative_words(row, row is fastest)),
            esc(percent_text(row.of_limit)), esc(answer_words(row)), said])]
    for row in timing.rows:
        if not row.is_timed():
            css = "failed" if row.status == "failed" or row.verify.status == "fail" else "skipped"
            rows += [(css, [key(looks[row.label]) + esc(row.label) + f'<small class="state">'
                            f"{esc(result_state(row) or 'not timed')}</small>",
                            *[NOTHING] * (len(heads) - 1)])]
    if not has_limit:
        heads = [head for head in heads if head[0] != "of limit"]
        rows = [(css, cells[:5] + cells[6:]) for css, cells in rows]
    return table(heads, rows, f"results: {timing.title}", "results")


def warnings(timing):
    """What a reader must know of single rows; the same message is one line."""
    found = {}
    for row in timing.rows:
        for _, message in row.warnings:
            labels = found.setdefault(message, [])
            labels += [row.label] if row.label not in labels else []
    items = "".join(f"<li><b>{esc(list_names(labels))}</b>: {esc(message)}</li>"
                    for message, labels in found.items())
    return f'<ul class="notes">{items}</ul>' if items else ""


def is_wrong(variant):
    return variant.status == "failed" or variant.verify.status == "fail"


def chains(runs):
    """(case, variant) of each that was to be verified."""
    return [(case, variant) for run in runs for case in run.cases for variant in case.variants
            if not variant.diagnostic and variant.status != "skipped"]


def failures(pairs):
    heads = [("Strategy", ""), ("Image", ""), ("What", "")]
    rows = [("failed", [esc(variant.label), f"{esc(case.words())}, {esc(case.image.name)}",
                        esc(f"{bad_words(variant.verify.bad)}; {variant.verify.n_bad()} bad texels"
                            if variant.verify.bad else variant.reason)])
            for case, variant in pairs if is_wrong(variant)]
    return table(heads, rows, "failures", "stack")


def verification(pairs):
    """A row for each variant and what errors of it are counted in: the worst of all its chains."""
    found = {}
    for case, variant in pairs:
        policy = variant.policy or NOTHING
        found.setdefault((variant.label, policy, case.unit), []).append(variant)
    heads = [("Strategy", ""), ("Held to", "w2"), ("Right", "num"), ("Step error", "num"),
             ("Drift", "num w2"), ("From exact", "num")]

    def worst(values, unit):
        known = [value for value in values if value is not None]
        return f"{error_text(max(known))} {unit}" if known else NOTHING
    rows = []
    for (label, policy, unit), variants in sorted(found.items()):
        n_right = sum(it.verify.status == "pass" for it in variants)
        rows += [("failed" if any(map(is_wrong, variants)) else "", [
            esc(label), esc(policy), f"{n_right} of {len(variants)}",
            *(worst([getattr(it.verify, name) for it in variants], unit)
              for name in ("step", "drift", "box"))])]
    return table(heads, rows, "verification")


def facts(run, file):
    """[(name, value)] of the environment."""
    tool, ceiling, cache, empty = run.tool, run.ceiling, run.cache, run.empty_pair
    return [
        ("File", file), ("Measured", utc_text(run.utc)),
        ("Device", f"{run.name()}, {run.type}"), ("Driver", run.driver),
        ("Vulkan", run.api), ("Subgroup", run.subgroup or NOTHING),
        ("Memory ceiling", f"{digits(ceiling)} GB/s, 3 reads to 1 write" if ceiling else NOTHING),
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
    columns = [it for it in columns if any(row[it[1]] is not None for row in rows)]
    heads = [("Strategy", ""), ("Kernel", "w2"),
             *((title, f"num {css}") for title, _, css in columns)]

    def figure(value):
        return NOTHING if value is None else f"{value:.0f}"
    return table(heads, [("failed" if row["spills"] else "", [
        f'{esc(row["label"])} <small>{esc(row["format"])}, {esc(row["size"])}</small>',
        esc(row["kernel"]), *(figure(row[name]) for _, name, _ in columns)]) for row in rows], "kernels")
