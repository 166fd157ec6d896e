"""The tables of the page: results, verification, environment, claims. Every head is a button that
sorts; data-v of a cell is what it is sorted by."""

from report_format import (NOTHING, bytes_text, digits, error_text, esc, interval_text, list_names,
                           percent_text, ratio_text, time_text, utc_text)
from result_units import time_unit

CHANNELS = "rgba"


class Column:
    """A head, and the cell of a row: text, and what it is sorted by (None: nothing is known)."""

    def __init__(self, title, show, numeric=True, note=""):
        self.title, self.show, self.numeric, self.note = title, show, numeric, note


def head(column):
    note = f' title="{esc(column.note)}"' if column.note else ""
    css = ' class="num"' if column.numeric else ""
    return (f'<th scope="col" aria-sort="none"{css}><button type="button"{note}>'
            f"{esc(column.title)}</button></th>")


def body_cell(column, row, is_first):
    shown, key = column.show(row)
    css = ' class="num"' if column.numeric else ""
    value = "" if key is None else esc(key)
    tag, scope = ("th", ' scope="row"') if is_first else ("td", "")
    return f'<{tag}{scope}{css} data-v="{value}">{esc(shown)}</{tag}>'


def table(columns, rows, label, classes=None, css=""):
    """Sortable, in a box that scrolls sideways by itself on a narrow screen."""
    body = "".join(
        f'<tr class="{esc(classes(row)) if classes else ""}">'
        + "".join(body_cell(column, row, index == 0) for index, column in enumerate(columns))
        + "</tr>" for row in rows)
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(label)}">'
            f'<table class="sortable{css}"><thead><tr>{"".join(map(head, columns))}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def has_figures(row):
    return row.status == "ok" or row.verify.status == "fail"


def verified_words(row):
    """The words of the terminal's table."""
    verify = row.verify
    if row.diagnostic:
        return "diagnostic: leaves work out"
    if row.status == "skipped" or (row.status == "failed" and verify.status != "fail"):
        return f"{row.status}: {row.reason}"
    if verify.status == "skipped":
        return "not checked"
    if verify.status == "fail":
        return f"✗ FAIL: {bad_words(verify.bad)}" if verify.bad else f"✗ FAIL: {row.reason}"
    return "✓ exact" if row.is_exact() else f"✓ max {verify.step or 0:.2f} {row.unit()}"


def bad_words(bad):
    """Of the first bad texel."""
    channel = CHANNELS[bad["channel"] & 3]
    want, got = (NOTHING if bad[key] is None else f"{bad[key]:.9g}" for key in ("want", "got"))
    return (f"level {bad['level']} layer {bad['layer']} texel ({bad['x']}, {bad['y']}) channel "
            f"{channel}: wanted {want}, got {got}")


def bad_order(bad):
    """A text that sorts as level, layer, y and x do."""
    return " ".join(f"{bad[key]:010d}" for key in ("level", "layer", "y", "x"))


def relative_words(row, relations, best):
    if row is best:
        return "1.00", 1.0
    relation = relations.get(row.id)
    if row.verify.status == "fail" or relation is None or relation.ratio is None:
        return NOTHING, None
    if relation.ci is None:
        return ratio_text(relation.ratio), relation.ratio
    return interval_text(relation.ratio, relation.ci), relation.ratio


def quality_words(row):
    """As on the terminal: '2.41 LSB (floor)'."""
    if row.verify.box is None:
        return NOTHING, None
    policy = f" ({row.verify.policy})" if row.verify.policy else ""
    return f"{error_text(row.verify.box)} {row.unit()}{policy}", row.verify.box


def columns_of_results(cell, ranking, unit):
    best = ranking.best
    relations = {b: relation for a, b, relation in cell.comparisons if best and a == best.id}

    def time(pick):
        def show(row):
            value = pick(row.stats) if row.is_timed() else None
            return time_text(value, unit), value
        return show

    def interval(row):
        ci = row.stats.ci if row.is_timed() else None
        shown = f"{time_text(ci[0], unit)} – {time_text(ci[1], unit)}" if ci else NOTHING
        return shown, ci[1] - ci[0] if ci else None

    def rate(row):
        return digits(row.gbps()), row.gbps()

    def name(row):
        mark = "▸ " if ranking.kind == "clear" and row is best else ""
        return mark + row.label, row.label

    columns = [
        Column("Strategy", name, False),
        Column(f"Median, {unit[1]}", time(lambda stats: stats.median)),
        Column("95 % interval", interval, note="of the median; sorted by its width"),
        Column("p95", time(lambda stats: stats.p95)),
        Column("GB/s", rate, note="level 0 read once, every other level written once"),
        Column("of limit", lambda row: (percent_text(row.of_limit), row.of_limit),
               note="the least time this device could take, over the median"),
        Column("Relative", lambda row: relative_words(row, relations, best),
               note="median of the ratios within blocks, and its 95 % interval"),
        Column("vs box", quality_words, note="largest distance to the true average, and the policy "
                                             "or kernel that the strategy claims"),
        Column("n", lambda row: (row.stats.n or NOTHING, row.stats.n or None)),
        Column("Verified", lambda row: (verified_words(row), verified_words(row)), False)]
    shown = {"of limit": any(row.of_limit is not None for row in cell.rows),
             "vs box": any(row.leaves_box() for row in cell.rows)}
    return [column for column in columns if shown.get(column.title, True)]


def row_class(row):
    if row.status == "failed" or row.verify.status == "fail":
        return "failed"
    return "skipped" if row.status == "skipped" else ""


def results(cell, ranking):
    """The table of a cell, in the order of the run."""
    unit = time_unit([row.stats.median for row in cell.rows if row.is_timed()])
    return table(columns_of_results(cell, ranking, unit), cell.rows, f"results: {cell.title}",
                 lambda row: "best" if ranking.kind == "clear" and row is ranking.best
                 else row_class(row))


def warnings(cell):
    """What a reader must know of single rows; the same message is one line."""
    found = {}
    for row in cell.rows:
        for _, message in row.warnings:
            labels = found.setdefault(message, [])
            labels += [row.label] if row.label not in labels else []
    items = "".join(f"<li><b>{esc(list_names(labels))}</b>: {esc(message)}</li>"
                    for message, labels in found.items())
    return f'<ul class="notes">{items}</ul>' if items else ""


def error_column(title, note, pick):
    def show(pair):
        value = pick(pair[1].verify)
        return (error_text(value) + (f" {pair[1].unit()}" if value is not None else "")), value
    return Column(title, show, note=note)


def verification(item):
    """One row for each chain that was looked at, failures first."""
    rows = [(cell, row) for cell in item.cells for row in cell.rows if not row.diagnostic]
    rows.sort(key=lambda pair: (pair[1].verify.status != "fail", pair[1].status == "skipped"))
    columns = [
        Column("Strategy", lambda pair: (pair[1].label, pair[1].label), False),
        Column("Condition", lambda pair: (condition_words(pair[0]),) * 2, False),
        Column("Verdict", lambda pair: (verdict_words(pair[1]), verdict_words(pair[1])), False),
        Column("Held to", lambda pair: (pair[1].verify.policy or NOTHING,
                                        pair[1].verify.policy or ""), False,
               "the policy or kernel that the strategy claims"),
        error_column("Step", "largest error of a level from the one that it was made of",
                     lambda verify: verify.step),
        error_column("Drift", "largest distance to the chain that is never rounded",
                     lambda verify: verify.drift),
        error_column("vs box", "largest distance to the true area average: quality",
                     lambda verify: verify.box),
        Column("Bad texels", lambda pair: ((pair[1].verify.n_bad(),) * 2
                                           if pair[1].verify.levels else (NOTHING, None))),
        Column("First bad texel", lambda pair: (
            bad_words(pair[1].verify.bad) if pair[1].verify.bad else NOTHING,
            bad_order(pair[1].verify.bad) if pair[1].verify.bad else None), False)]
    return table(columns, rows, "verification", lambda pair: row_class(pair[1]))


def condition_words(cell):
    return f"{cell.title}, {cell.input_name}"


def verdict_words(row):
    if row.status == "skipped":
        return "skipped"
    if row.status == "failed" and row.verify.status != "fail":
        return "✗ failed"
    return {"pass": "✓ pass", "fail": "✗ FAIL"}.get(row.verify.status, "not checked")


def facts(item, file):
    """[(name, value)] of the environment."""
    tool, ceiling, cache, empty = item.tool, item.ceiling, item.cache, item.empty_pair
    return [
        ("Device", f"{item.name()}, {item.type}"), ("Driver", item.driver),
        ("Vulkan", item.api), ("Subgroup", item.subgroup or NOTHING),
        ("Memory ceiling", f"{digits(ceiling)} GB/s, 3 reads to 1 write" if ceiling else NOTHING),
        ("Last-level cache", f"{bytes_text(cache)}, {item.cache_source or 'assumed'}"
         if cache else NOTHING),
        ("Timer", f"{item.timer}, marks {item.granularity:g} ns apart"
         if item.granularity else item.timer or NOTHING),
        ("Empty timestamp pair", f"{empty:g} ns, never subtracted" if empty else NOTHING),
        ("Processor", f"{item.processor}, {item.cores} cores"), ("System", item.system),
        ("mipbench", f"{tool['version']}, commit {tool['git_sha']}, {tool['build_type']}, "
                     f"{tool['compiler']}"),
        ("Measured", utc_text(item.utc)), ("Seed", NOTHING if item.seed is None else item.seed),
        ("Schema", item.schema_version), ("File", file)]


def environment(sets, names, files):
    """A column for each result set."""
    columns = [facts(item, file) for item, file in zip(sets, files)]
    heads = "".join(f'<th scope="col">{esc(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{esc(name)}</th>'
        + "".join(f"<td>{esc(facts_of[index][1])}</td>" for facts_of in columns) + "</tr>"
        for index, (name, _) in enumerate(columns[0]))
    return ('<div class="scroll" tabindex="0" role="region" aria-label="environment">'
            f'<table class="facts"><thead><tr><td></td>{heads}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>")


def claim_value(claim, value):
    if value is None:
        return NOTHING
    return f"{100 * value:.1f} %" if claim["kind"] == "share" else ratio_text(value)


def claims(lines):
    def interval(claim):
        ci = claim["ci"]
        return (" – ".join(claim_value(claim, end) for end in ci) if ci else NOTHING,
                claim["value"])

    def measured(claim):
        if not claim["measured"]:
            return f"run: {claim['run']}" if claim["run"] else NOTHING, None
        shown = ", ".join(filter(None, (claim["measured"], claim["at"])))
        return shown, shown

    def plain(key):
        return lambda claim: (claim[key], claim[key])

    def verdict(claim):
        shown = ": ".join(filter(None, (claim["verdict"], claim["seen"])))
        return shown, shown

    columns = [Column("Claim", plain("claim"), False), Column("Verdict", verdict, False),
               Column("Value", lambda claim: (claim_value(claim, claim["value"]), claim["value"])),
               Column("95 % interval", interval), Column("Measured", measured, False),
               Column("Source", plain("source"), False)]
    return table(columns, lines, "claims", css=" wide")
