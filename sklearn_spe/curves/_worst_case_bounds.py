"""Worst- and best-case bounds: selections that meet a goal for all, or some, missing labels."""

from __future__ import annotations

import numpy as np

from ..sample._sample import ScoreSample
from ._goals import ROUNDING, Goal

__all__ = ["worst_case_bounds"]


def worst_case_bounds(goal: Goal, sample: ScoreSample, thresholds) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each selection meets a goal in the worst and in the best case.

    Each bound on a ratio of sums over items requires a nonnegative sum; its extremes have one class
    for all unlabeled items on each side of the threshold. Other bounds are undecided while labels
    are missing: not met in the worst case, met in the best. Returns two arrays of bool,
    (n_thresholds,).
    """
    above = np.searchsorted(sample.lower, thresholds)
    n_above = np.r_[np.cumsum(sample.unlabeled[::-1])[::-1], 0.0][above]
    sides = np.array([sample.unlabeled.sum() - n_above, n_above])
    known = np.diag([sample.negative.sum(), sample.positive.sum()])
    n_items = sample.counts.sum()
    rounding = ROUNDING * max(n_items, 1.0)

    def extreme(terms, pick):
        return (terms * known).sum() + pick(terms, axis=0) @ sides

    worst_case = possible = np.ones(len(above), dtype=bool)
    for bound in goal.bounds:
        conditions = bound.conditions(n_items)
        if conditions is None:
            worst_case = np.zeros(len(above), dtype=bool)
            continue
        for condition, denominator in conditions:
            # The ratio of an empty selection is undefined and meets no goal.
            counted = extreme(denominator, np.min) > rounding
            worst_case = worst_case & counted & (extreme(condition, np.min) >= -rounding)
            possible = possible & (extreme(condition, np.max) >= -rounding)
    return worst_case, possible
