"""Sentences on who is fastest that say no more than the comparisons of a results.json do."""

import collections

from report_format import error_text, list_names, list_words, ratio_texts
from result_rank import is_slower, main_kind
from result_units import is_power_of_two
from results import NO_RELATION

CLEAR, TIED, NONE = "clear", "tied", "none"
MORE = "; try --samples 20"
SIGNIFICANT = 0.05
Ranking = collections.namedtuple("Ranking", "kind best tied sentence")


def no_ranking(reason, best=None):
    return Ranking(NONE, best, [], f"No ranking: {reason}.")


def relations_to(cell, best):
    """[(row, relation)] of those that make the same image as `best`, the fastest first; NO_RELATION
    where no ratio could be taken: slopes of throughput mode may be below zero."""
    known = {b: relation for a, b, relation in cell.comparisons if a == best.id}
    rows = [row for row in cell.rankable() if row is not best and row.kind == best.kind]
    return sorted(((row, known.get(row.id, NO_RELATION)) for row in rows),
                  key=lambda pair: pair[0].stats.median)


def tests(relations):
    """The relations that were tested at all."""
    return [relation for _, relation in relations if relation.p is not None]


def is_beyond_tests(best, relations):
    """Whether the run found no difference because no test could have passed: of n samples
    Wilcoxon's p is 2^(1-n) at the least, and the least of m is multiplied by m (Holm)."""
    tested = tests(relations)
    least = min((relation.p for relation in tested), default=1)
    can_pass = len(tested) * 2.0 ** (1 - best.stats.n) < SIGNIFICANT
    return (any(relation.verdict == "INCONCLUSIVE" for relation in tested)
            and not can_pass and least >= SIGNIFICANT)


def find_best(cell):
    """What others were compared with: of several kernels, the one with most others; where no ratio
    could be taken, the fastest of the kind that most are of. None: nothing is alike."""
    rows = {row.id: row for row in cell.rankable()}
    counts = collections.Counter(a for a, b, _ in cell.comparisons if a in rows and b in rows)
    if counts:
        return rows[max(counts, key=lambda a: (counts[a], -rows[a].stats.median))]
    kind, n = main_kind(rows.values())
    alike = [row for row in rows.values() if row.kind == kind]
    return min(alike, key=lambda row: row.stats.median) if n > 1 else None


def rank(item, cell):
    """The Ranking of one cell of a result set."""
    rows = cell.rankable()
    if item.validated:
        return no_ranking("the validation layer was on, so the times say nothing")
    if not rows:
        return no_ranking("no strategy was both timed and right")
    if len(rows) == 1:
        return no_ranking(f"{rows[0].label} alone was timed, so there is nothing to hold it "
                          "against", rows[0])
    best = find_best(cell)
    if best is None or (not cell.comparisons and is_before_comparisons(item)):
        return no_ranking(why_no_comparison(item, rows))
    relations = relations_to(cell, best)
    few = [row for row in [best, *(row for row, _ in relations)] if row.stats.ci is None]
    if few:
        n = min(row.stats.n for row in few)
        return no_ranking(f"too few samples ({n}) for a 95 % interval{MORE}", best)
    if is_beyond_tests(best, relations):
        return no_ranking(f"too few samples ({best.stats.n}) to tell {len(tests(relations)) + 1} rows "
                          f"apart{MORE}", best)
    return rank_related(best, relations)


def is_before_comparisons(item):
    return item.schema_version.startswith(("1.0.", "1.1."))


def why_no_comparison(item, rows):
    n = min(row.stats.n for row in rows)
    if any(row.stats.ci is None for row in rows):
        return f"too few samples ({n}) for a 95 % interval{MORE}"
    if is_before_comparisons(item):
        return f"a file of schema {item.schema_version} holds no paired comparisons"
    return "no two strategies that make the same image were compared"


def rank_related(best, relations):
    faster = [row.label for row, relation in relations if relation.verdict == "FASTER"]
    if faster:
        return no_ranking(f"{best.label} leads by its median, but {list_words(faster)} within "
                          "blocks", best)
    tied = [row for row, relation in relations if not is_slower(relation)]
    slower = [(row, relation) for row, relation in relations if is_slower(relation)]
    if not tied:
        sentence = f"{best.label} is fastest: {following(*slower[0])}."
        return Ranking(CLEAR, best, [], sentence)
    names = list_names([best.label, *(row.label for row in tied)])
    sentence = f"{names} are within the noise of this run: no ranking among them."
    if slower:
        sentence += f" Next, {following(*slower[0], f' as {best.label}')}."
    return Ranking(TIED, best, tied, sentence)


def following(row, relation, than=""):
    """The words of the terminal (mb_ranking_describe), with the interval."""
    ratio, low, high = ratio_texts(relation.ratio, *relation.ci)
    return f"{row.label} takes {ratio} times as long{than} (95 % interval {low} to {high})"


def is_cut_off(cell):
    """Whether there are too few samples for an interval, as where a run was interrupted."""
    return any(row.stats.ci is None for row in cell.rankable())


def other_image(cell, ranking):
    """What a reader must know of a winner that does not make the true average, or ''."""
    best = ranking.best
    if ranking.kind == NONE or best is None or not best.leaves_box():
        return ""
    others = sorted({row.verify.policy for row in cell.rankable() if row.verify.policy}
                    - {best.verify.policy})
    off = "" if best.verify.box is None else \
        f", up to {error_text(best.verify.box)} {best.unit()} from box, the true one"
    held = f"; others here are held to {list_words(others)}" if others else ""
    return f"{best.label} makes the image of policy {best.verify.policy}{off}{held}."


def preference(cell):
    """The condition that figures are published for comes first; then the largest image."""
    row = cell.rows[0]
    return (not cell.rankable(), is_cut_off(cell), row.format != "rgba8", row.reduce != "avg", bool(row.rects),
            row.layers > 1, cell.mode != "latency", cell.cache != "cold",
            row.width != row.height or not is_power_of_two(row.size), -row.width * row.height)


def headline(item):
    """The cell that the page begins with, or None."""
    return min(item.cells, key=preference) if item.cells else None


def summary(item):
    """One sentence over all cells."""
    rankings = [rank(item, cell) for cell in item.cells]
    if len(rankings) < 2:
        return ""
    alone = collections.Counter(r.best.label for r in rankings if r.kind == CLEAR)
    parts = [f"{label} alone is fastest in {n}" for label, n in alone.most_common()]
    n_tied = sum(r.kind == TIED for r in rankings)
    n_none = sum(r.kind == NONE for r in rankings)
    parts += [f"{n_tied} {'is' if n_tied == 1 else 'are'} within the noise"] if n_tied else []
    parts += [f"{n_none} {'has' if n_none == 1 else 'have'} no ranking"] if n_none else []
    return f"Of {len(rankings)} conditions: {list_words(parts)}."


def wrong_labels(item):
    return sorted({row.label for row in item.rows if row.verify.status == "fail"})


def headline_ranking(item, cell):
    """That of the cell; what was wrong elsewhere is no winner to begin a page with."""
    ranking = rank(item, cell)
    wrong = [row.label for row in [ranking.best, *ranking.tied]
             if row is not None and row.label in wrong_labels(item)]
    if not wrong:
        return ranking
    return ranking._replace(kind=NONE, sentence=f"{ranking.sentence} But {list_names(wrong)} gave "
                                                "wrong texels under another condition.")


def caveats(item):
    """What a reader must know before any figure: (kind, sentence); kind is a class of style."""
    found = []
    if not item.rows:
        found.append(("bad", "The file holds no results: nothing was measured."))
    if not item.complete:
        found.append(("bad", f"The run did not get to its end ({item.exit_reason}): what is here "
                             "is what was complete."))
    failed = wrong_labels(item)
    if failed:
        found.append(("bad", f"Wrong texels: {list_names(failed)}. Fast and wrong has no rank."))
    broken = sorted({row.label for row in item.rows
                     if row.status == "failed" and row.verify.status != "fail"})
    if broken:
        found.append(("bad", f"Failed: {list_names(broken)}; the tables say why."))
    if item.is_software():
        found.append(("warn", "A software device: its times do not predict those of a GPU."))
    if item.rows and not item.verified:
        found.append(("warn", "Nothing was verified (--no-verify): a fast strategy may be wrong."))
    if item.tool["git_sha"].endswith("-dirty"):
        found.append(("warn", "Built from sources with changes that are in no commit."))
    return found
