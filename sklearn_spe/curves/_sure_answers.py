"""Answers that keep a goal whatever the missing labels are, and those that may keep it."""

from __future__ import annotations

import numpy as np

from ..sample._sample import ScoreSample
from ._goals import ROUNDING, Goal

__all__ = ["sure_answers"]


def sure_answers(goal: Goal, sample: ScoreSample, thresholds) -> tuple[np.ndarray, np.ndarray]:
    """Return which answers keep a goal for sure, and which may keep it, by what is labelled alone.

    Each bound on a ratio of sums over items is a sum that must not be negative; it is least, and
    largest, where all unlabelled items on a side of the threshold have one class. Nothing is said
    of other bounds while labels are missing: they are not sure, and may hold.

    Parameters
    ----------
    goal : Goal
    sample : ScoreSample
    thresholds : ndarray of shape (n_thresholds,)

    Returns
    -------
    sure, possible : ndarray of bool of shape (n_thresholds,)
    """
    above = np.searchsorted(sample.lower, thresholds)
    n_above = np.r_[np.cumsum(sample.unlabeled[::-1])[::-1], 0.0][above]
    sides = np.array([sample.unlabeled.sum() - n_above, n_above])
    known = np.diag([sample.negative.sum(), sample.positive.sum()])
    n_items = sample.counts.sum()
    rounding = ROUNDING * max(n_items, 1.0)

    def extreme(terms, pick):
        return (terms * known).sum() + pick(terms, axis=0) @ sides

    sure = possible = np.ones(len(above), dtype=bool)
    for bound in goal.bounds:
        conditions = bound.conditions(n_items)
        if conditions is None:
            sure = np.zeros(len(above), dtype=bool)
            continue
        for condition, denominator in conditions:
            # Of nothing at all a ratio is not defined, and keeps no promise.
            counted = extreme(denominator, np.min) > rounding
            sure = sure & counted & (extreme(condition, np.min) >= -rounding)
            possible = possible & (extreme(condition, np.max) >= -rounding)
    return sure, possible
