"""Reasons against a fit of rows: single systems, raters and groups; tests by e-processes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from ..checks._label_checks import LabelEProcess, parts_of_scores
from ..checks._reasons import reason_of_inversion
from ..results._verdict import Reason, Verdict
from ._item_table import ItemTable
from ._rankings import RankingPosterior
from ._row_posterior import RowPosterior
from ._score_axes import weighted_quantiles

# Between-group variance needs at least this many labeled groups.
MIN_GROUPS = 8
# Labels on which e-processes bet, at most.
MAX_BETS = 1000
# Reasons about scores, which labels alone have none for.
OF_SCORES = ("one_score", "suspect_labels")


def reasons_of_items(table: ItemTable):
    """Yield diagnostics about single systems, raters and groups."""
    if len(table.samples) > 1:
        columns = table.names_of_columns, table.samples, table.directions_of_columns
        for name, sample, score_direction in zip(*columns, strict=True):
            for reason in reason_of_inversion(sample, score_direction):
                prefix = f"{name[0].upper()}{name[1:]}: "
                details = {**reason.details, "column": prefix}
                yield replace(reason, problem=f"{prefix}{reason.problem}", details=details)

    yield from _unlabeled_columns(table)
    yield from _remarks(table)
    if table.groups is None:
        return
    n_labeled = len(np.unique(table.groups.codes[table.codes >= 0]))
    if n_labeled < MIN_GROUPS:
        yield Reason(
            "few_groups",
            "unidentified",
            f"Labels cover {n_labeled} groups only, and {MIN_GROUPS} are needed to estimate "
            "the variance between groups: estimates for further groups are dominated by the "
            "prior.",
            float(n_labeled),
            float(MIN_GROUPS),
            remedy="Label items of more groups rather than more items of these.",
        )


def _unlabeled_columns(table: ItemTable):
    """Yield a reason for each system or rater without any score of a labeled item."""
    labeled = table.codes >= 0
    if not labeled.any():
        return

    for k, name in enumerate(table.names_of_columns):
        has_score = ~np.isnan(table.columns[:, k])
        n_with_score = table.weights[has_score].sum()
        if not has_score[labeled].any():
            is_judge = k >= table.n_systems
            yield Reason(
                "unheard_judge" if is_judge else "unheard_system",
                "unidentified",
                f"The {name} {'has no rating' if is_judge else 'has no score'} of any labeled "
                "item: its estimates are dominated by the prior.",
                0.0,
                1.0,
                remedy=f"Label some of the {n_with_score:,.0f} items that have one, or leave it "
                "out.",
            )


def _remarks(table: ItemTable):
    """Yield remarks on columns that do not affect the verdict."""
    for k, (name, sample) in enumerate(zip(table.names_of_columns, table.samples, strict=True)):
        is_judge = k >= table.n_systems
        values = table.columns[:, k]
        n_missing = table.weights[np.isnan(values)].sum()
        distinct = sample.scores
        if len(distinct) == 1:
            value = _as_said(table, k, float(distinct[0]))
            yield Reason(
                "one_score",
                "ok",
                f"The {name} is constant, {value} for all items: it carries no information and "
                "affects no estimate except its own.",
                float(len(distinct)),
                2.0,
            )

        if n_missing and not is_judge:
            yield Reason(
                "missing_scores",
                "ok",
                f"The {name} has no score for {n_missing:,.0f} of {table.weights.sum():,.0f} "
                "items: its estimates are for the other items.",
                float(n_missing),
                0.0,
            )

        if is_judge and _might_be_verdicts(table, distinct):
            listed = ", ".join(f"{value:g}" for value in distinct)
            yield Reason(
                "graded_judge",
                "ok",
                f"The {name} takes the values {listed}: they are treated as scores, larger for "
                "positives, not as class labels.",
                float(len(distinct)),
                2.0,
            )


def _as_said(table: ItemTable, column: int, value: float) -> str:
    """Return a value of a column, formatted as its user wrote it."""
    if table.are_verdicts[column]:
        return repr(table.labels.decode([int(value)])[0].item())
    return f"{table.directions_of_columns[column].flip(value):g}"


def _might_be_verdicts(table: ItemTable, distinct: np.ndarray) -> bool:
    """Return whether a rater's three distinct scores include both class labels."""
    values = set(distinct.tolist())
    return len(values) == 3 and any(
        classes < values for classes in ({0.0, 1.0}, set(table.labels.classes.tolist()))
    )


def bets_on_items(posterior: RowPosterior, ranking: RankingPosterior, table: ItemTable):
    """Test the posterior by e-processes on parts of the ranking, overall and by category."""
    items = np.flatnonzero(table.codes >= 0)
    if len(items) > MAX_BETS:
        # Some of the labels, whatever they are: the test stays valid.
        items = items[np.linspace(0, len(items) - 1, MAX_BETS).astype(int)]
    all_scores = ranking.scores[np.argsort(ranking.rows)]
    scores = all_scores[items]

    # Halves of the scores, overall and within each category.
    inside = list(parts_of_scores(ranking.sample, scores))
    places = []
    if table.category is not None:
        for part, name in enumerate(table.category.names.tolist()):
            of_category = table.category.codes[items] == part
            # Use all items: where to bet must not depend on which items are labeled.
            members = table.category.members(part)
            (median,) = weighted_quantiles(all_scores[members], [0.5], table.weights[members])
            inside += [of_category & (scores > median), of_category & (scores <= median)]
            places += [("upper", name), ("lower", name)]

    codes = table.codes[items]
    weights = table.weights[items]
    labeled = SimpleNamespace(positive=weights * (codes == 1), negative=weights * (codes == 0))
    # The e-value is a mean over the model's own posterior: draws that labels alone state are none.
    posterior = posterior.without_labels_alone
    probability = posterior.probability_in_all_draws(items)
    parts = (
        posterior.among_labeled(probability[block.rows], block.rows) for block in posterior.blocks()
    )

    if not len(items):
        return LabelEProcess.of(ranking)
    return LabelEProcess.placed(parts, ranking, labeled, np.array(inside, dtype=float), places)


def verdict_on_labels(verdict: Verdict) -> Verdict:
    """Return the verdict on labels alone: nothing is modeled but their shares."""
    reasons = []
    for reason in verdict.reasons:
        if reason.name in OF_SCORES:
            continue
        if reason.name == "one_class":
            problem = "No item is labeled: the interval is that of the prior alone."
            if "Only" in reason.problem:
                problem = "All labels are of one class, which they do not rule out for all items."
                reason = replace(reason, verdict="ok")
            reason = replace(reason, problem=problem, remedy="Label more items, at random.")
        reasons.append(reason)
    return Verdict(reasons)
