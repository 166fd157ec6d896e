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
    return f"✓ max {verify.step or 0:.2f} {row.case.unit}"


def bad_words(bad):
    """Of the first bad texel."""
    channel = CHANNELS[bad["channel"] & 3]
    want, got = (NOTHING if bad[key] is None else f"{bad[key]:.9g}" for key in ("want", "got"))
    return (f"level {bad['level']} layer {bad['layer']} texel ({bad['x']}, {bad['y']}) channel "
            f"{channel}: wanted {want}, got {got}")


def bad_order(bad):
    """A text that sorts as level, layer, y and x do."""
    return " ".join(f"{bad[key]:010d}" for key in ("level", "layer", "y", "x"))


def relative_words(row, is_fastest):
    relation = row.relative
    if relation.ratio is None:
        return NOTHING, None
    if is_fastest or relation.ci is None:
        return ("1.00" if is_fastest else ratio_text(relation.ratio)), relation.ratio
    return interval_text(relation.ratio, relation.ci), relation.ratio


def answer_words(row):
    """As on the terminal: 'exact', or what it loses and how far off that is: 'floor, 2.41 LSB'."""
    answer, loss, box = row.variant.answer, row.variant.loss, row.verify.box
    if loss and box is not None:
        return f"{loss}, {error_text(box)} {row.case.unit}", box
    return answer or NOTHING, 0 if answer and not loss else None


def time_column(title, unit, pick):
    def show(row):
        value = pick(row.stats) if row.is_timed() else None
        return time_text(value, unit), value
    return Column(title, show)


def columns_of_results(timing, unit):
    ranking = timing.verdict()

    def interval(row):
        ci = row.stats.ci if row.is_timed() else None
        shown = f"{time_text(ci[0], unit)} – {time_text(ci[1], unit)}" if ci else NOTHING
        return shown, ci[1] - ci[0] if ci else None

    def relative(row):
        return relative_words(row, ranking is not None and ranking.fastest == row.label)

    columns = [
        Column("Strategy", lambda row: (("▸ " if timing.is_won_by(row) else "") + row.label,
                                        row.label), False),
        time_column(f"Median, {unit[1]}", unit, lambda stats: stats.median),
        Column("95 % interval", interval, note="of the median; sorted by its width"),
        time_column("p95", unit, lambda stats: stats.p95),
        Column("GB/s", lambda row: (digits(row.gbps()), row.gbps()),
               note="level 0 read once, every other level written once"),
        Column("of limit", lambda row: (percent_text(row.of_limit), row.of_limit),
               note="the least time this device could take, over the median"),
        Column("Relative", relative,
               note="median of the ratios within blocks to the fastest of the first sentence, and "
                    "its 95 % interval"),
        Column("Answer", answer_words, note="exact, or what keeps it from that, and its largest "
                                            "distance to the true average"),
        Column("n", lambda row: (row.stats.n or NOTHING, row.stats.n or None)),
        Column("Verified", lambda row: (verified_words(row), verified_words(row)), False)]
    has_limit = any(row.of_limit is not None for row in timing.rows)
    return [column for column in columns if has_limit or column.title != "of limit"]


def status_class(status, verify):
    return "failed" if verify.status == "fail" else status if status != "ok" else ""


def results(timing):
    """The table of a timing, in the order of the run."""
    unit = time_unit([row.stats.median for row in timing.rows if row.is_timed()])
    return table(columns_of_results(timing, unit), timing.rows, f"results: {timing.title}",
                 lambda row: "best" if timing.is_won_by(row)
                 else status_class(row.status, row.verify))


def pooled(timing):
    """The table of what several runs measured, in the order of the first."""
    unit, ranking = time_unit([row.stats.median for row in timing.rows]), timing.verdict()

    def interval(row):
        ci = row.stats.ci
        shown = f"{time_text(ci[0], unit)} – {time_text(ci[1], unit)}" if ci else NOTHING
        return shown, ci[1] - ci[0] if ci else None

    def is_fastest(row):
        return ranking is not None and ranking.fastest == row.label

    columns = [
        Column("Strategy", lambda row: (row.label, row.label), False),
        Column(f"Median, {unit[1]}", lambda row: (time_text(row.stats.median, unit),
                                                  row.stats.median), note="of the runs' medians"),
        Column("95 % interval", interval, note="of the median; sorted by its width"),
        Column("Relative", lambda row: relative_words(row, is_fastest(row)),
               note="to the fastest, and its 95 % interval"),
        Column("Answer", lambda row: (row.answer or NOTHING, row.answer or None), False),
        Column("Runs", lambda row: (row.runs, row.runs)),
        Column("n", lambda row: (row.stats.n, row.stats.n)),
        Column("Verified", lambda row: ("✓" if row.verified else "not checked",) * 2, False)]
    return table(columns, timing.rows, f"runs together: {timing.title}")


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


def error_column(title, note, pick):
    def show(pair):
        value = pick(pair[1].verify)
        return (error_text(value) + (f" {pair[0].unit}" if value is not None else "")), value
    return Column(title, show, note=note)


def verification(item):
    """One row for each chain that was looked at, failures first."""
    pairs = [(case, variant) for case in item.cases for variant in case.variants
             if not variant.diagnostic]
    pairs.sort(key=lambda pair: (pair[1].verify.status != "fail", pair[1].status == "skipped"))

    def text(show):
        return lambda pair: (show(*pair),) * 2

    columns = [
        Column("Strategy", text(lambda _, variant: variant.label), False),
        Column("Image", text(lambda case, _: f"{case.words()}, {case.image.name}"), False),
        Column("Verdict", text(lambda _, variant: verdict_words(variant)), False),
        Column("Held to", text(lambda _, variant: variant.policy or NOTHING), False,
               "the policy or kernel that the strategy claims"),
        error_column("Step", "largest error of a level from the one that it was made of",
                     lambda verify: verify.step),
        error_column("Drift", "largest distance to the chain that is never rounded",
                     lambda verify: verify.drift),
        error_column("vs box", "largest distance to the true area average: quality",
                     lambda verify: verify.box),
        Column("Bad texels", lambda pair: (NOTHING if pair[1].verify.n_bad() is None else
                                           pair[1].verify.n_bad(), pair[1].verify.n_bad())),
        Column("First bad texel", lambda pair: (
            bad_words(pair[1].verify.bad) if pair[1].verify.bad else NOTHING,
            bad_order(pair[1].verify.bad) if pair[1].verify.bad else None), False)]
    return table(columns, pairs, "verification",
                 lambda pair: status_class(pair[1].status, pair[1].verify))


def verdict_words(variant):
    if variant.status == "skipped":
        return "skipped"
    if variant.status == "failed" and variant.verify.status != "fail":
        return "✗ failed"
    return {"pass": "✓ pass", "fail": "✗ FAIL"}.get(variant.verify.status, "not checked")


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


def kernels(rows):
    """What kernels were compiled to; an empty cell: the driver does not say."""
    def plain(key):
        return lambda row: (row[key], row[key])

    def figure(key):
        return lambda row: ("" if row[key] is None else f"{row[key]:.0f}", row[key])

    columns = [Column("Strategy", plain("label"), False),
               Column("Format", plain("format"), False),
               Column("Size", lambda row: (row["size"], row["n_texels"])),
               Column("Kernel", plain("kernel"), False),
               *(Column(title, figure(key), note=note) for title, key, note in (
                   ("Subgroup", "subgroup_size", "invocations"),
                   ("Registers", "registers", "of an invocation"),
                   ("Scalar", "scalar_registers", "registers of a subgroup"),
                   ("Spills", "spills", "registers that do not fit"),
                   ("Scratch", "scratch_bytes", "bytes"),
                   ("Shared", "shared_bytes", "bytes of a workgroup"),
                   ("Occupancy", "occupancy", "subgroups of a unit at a time"),
                   ("Instructions", "instructions", ""),
                   ("Code", "code_bytes", "bytes")))]
    return table(columns, rows, "kernels", lambda row: "failed" if row["spills"] else "", css=" wide")
