"""Errors of decisions in counts: at the threshold, at others, by chance, with all positive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...results._showing import Markup, html_table, percent, row_of, whole
from ._thresholds import ThresholdGuarantees, complement

if TYPE_CHECKING:
    from ._ranking_report import RankingReport

# Other thresholds are those that so many times as many items reach.
FACTORS = (0.5, 2.0)
EVERYTHING = "Everything"
# What stands for the value and both ends of its interval where a count is certain.
CERTAIN = np.zeros(3)


@dataclass(frozen=True, eq=False)
class DecisionCounts:
    """The false alarms and the missed positives of one way to decide.

    Each count is the value and both ends of its interval.
    """

    name: str
    n_flagged: float
    false_alarms: np.ndarray  # (3,)
    missed: np.ndarray  # (3,)
    is_known: bool

    def row(self) -> Markup:
        """Return the counts as a row of a table."""
        cells = (
            numbers_in_words(numbers, self.is_known) for numbers in (self.false_alarms, self.missed)
        )
        return row_of(self.name, f"{self.n_flagged:,.0f}", *cells)


def decision_counts(ranking: RankingReport) -> tuple[DecisionCounts, ...]:
    """Return the counts of the decision, followed by those of alternatives to it.

    Of a population false alarms are of 100 items predicted positive, and missed ones of 100
    positives.
    """
    decision = ranking.decision
    if decision is None:
        return ()
    return (_of_decision(ranking), *_of_other_thresholds(ranking), *_of_chance(ranking))


def counts_to_choose_from(ranking: RankingReport) -> tuple[DecisionCounts, ...]:
    """Return the counts at the thresholds to choose from, and if every item is positive."""
    guarantees = ranking.thresholds
    if guarantees is None:
        return ()
    rows = [_at_threshold(guarantees, index) for index in guarantees.choices]
    lowest = int(np.argmax(guarantees.flagged))
    if guarantees.flagged[lowest] == guarantees.n_items:
        rows.append(replace(_at_threshold(guarantees, lowest), name=EVERYTHING))
    return tuple(rows)


def decision_table(
    title: str, rows: tuple[DecisionCounts, ...], *, is_sample: bool, level: float
) -> Markup:
    """Return the counts of several decisions as a table."""
    alarms = "false alarms" if is_sample else "false alarms, of 100 predicted positive"
    missed = "missed" if is_sample else "missed, of 100 positives"
    caption = f"{title} ({percent(level)} intervals)"
    header = [None, "predicted positive", alarms, missed]
    return html_table(caption, header, (row.row() for row in rows), class_="decisions")


def _of_decision(ranking: RankingReport) -> DecisionCounts:
    """Return the counts of the decision itself."""
    decision: Any = ranking.decision
    name = f"At this threshold, {decision.threshold:.6g}"
    alarms, missed = decision.errors
    if not decision.n_flagged:
        alarms = CERTAIN
    is_known = decision.precision.is_known and decision.recall.is_known
    return DecisionCounts(name, decision.n_flagged, alarms, missed, is_known)


def _of_other_thresholds(ranking: RankingReport) -> list[DecisionCounts]:
    """Return the counts at thresholds that half and twice as many items reach."""
    guarantees: Any = ranking.thresholds
    places = [guarantees.near(factor) for factor in FACTORS]
    return [_at_threshold(guarantees, place) for place in places if place is not None]


def _at_threshold(guarantees: ThresholdGuarantees, index: int) -> DecisionCounts:
    """Return the counts at one of the thresholds."""
    return DecisionCounts(
        f"At {guarantees.thresholds[index]:.6g}",
        float(guarantees.flagged[index]),
        guarantees.false_alarms[:, index],
        guarantees.n_missed[:, index],
        guarantees.is_known,
    )


def _of_chance(ranking: RankingReport) -> list[DecisionCounts]:
    """Return the counts of the same number of items at random, and of all items."""
    decision: Any = ranking.decision
    prevalence = decision.prevalence
    n_items = decision.n_items
    n_flagged = decision.n_flagged
    share = n_flagged / n_items
    is_known = prevalence.is_known
    if decision.is_sample:
        n_alarmed = n_flagged, n_items
        n_positive = n_items * np.array([prevalence.value, *prevalence.interval()])
    else:
        n_alarmed = 100.0, 100.0
        n_positive = np.full(3, 100.0)

    # Both have the precision of the share of positives.
    at_random, of_all = (complement(prevalence, n) for n in n_alarmed)
    everything = DecisionCounts(EVERYTHING, n_items, of_all, CERTAIN, is_known)
    if not 0.0 < share < 1.0:
        return [everything]
    missed = (1.0 - share) * n_positive
    chance = DecisionCounts("As many at random", n_flagged, at_random, missed, is_known)
    return [chance, everything]


def numbers_in_words(numbers: np.ndarray, is_known: bool) -> str:
    """Return a count with its interval; without information from labels, the interval alone."""
    value, *ends = map(float, numbers)
    if not np.isfinite(value):
        return "not defined"
    # In full, so that they add up with the other numbers of a page.
    count, low, high = (f"{whole(number):,}" for number in (value, *ends))
    if low == high:
        return count
    return f"{count} ({low} to {high})" if is_known else f"{low} to {high}"
