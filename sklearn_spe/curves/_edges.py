"""Which end of a metric's range no label rules out."""

from __future__ import annotations

import numpy as np

from ..sample._sample import ScoreSample

__all__ = ["edges_of_labels"]

# Sums of weights are equal up to rounding.
ROUNDING = 1e-9


def edges_of_labels(metric, sample: ScoreSample, thresholds=(-np.inf,)) -> np.ndarray:
    """Return 0 or 1 where the labelled items alone have a ratio there, NaN elsewhere.

    If all that is labelled at or above the threshold is negative nothing says that precision and
    recall are not 0, and without a labelled mistake nothing says that accuracy is not 1. Intervals
    for a counted share reach these ends by convention. Where nothing is counted at all, no label
    above the threshold, only the model speaks; but without any labelled positive shares of
    positives may be 0, and so may their mean over thresholds, as average precision is one. Where
    it is known which share of a class was labelled, too few labels of it rule an edge out.

    Parameters
    ----------
    metric : Metric
        NaN throughout unless it is a ratio of sums over items in [0, 1], or the mean of such a
        ratio over thresholds, and there are labels.
    sample : ScoreSample
    thresholds : array-like of shape (n_thresholds,)

    Returns
    -------
    edges : ndarray of shape (n_thresholds,)
    """
    thresholds = np.asarray(thresholds, dtype=float)
    is_mean, metric = metric.averages is not None, metric.averages or metric
    terms = None if metric.decides or metric.limits != (0.0, 1.0) else metric.item_terms()
    if terms is None or not sample.n_labeled:
        return np.full(len(thresholds), np.nan)
    if is_mean:
        # What all labelled items have has the ratio at every threshold, and hence its mean.
        thresholds = sample.lower[sample.negative + sample.positive > 0.0][:1]
    above = np.searchsorted(sample.lower, thresholds)
    counts = np.array([_on_both_sides(w, above) for w in (sample.negative, sample.positive)])
    numerator, denominator = (np.einsum("ij,ijk->k", term, counts) for term in terms)
    rounding = ROUNDING * sample.n_labeled
    counted = denominator > rounding
    at_most = np.where(counted & (numerator >= denominator - rounding), 1.0, np.nan)
    # A numerator that counts positives is 0 without any.
    speaks = counted | (not sample.positive.any() and not terms[0][0].any())
    edges = np.where(speaks & (np.abs(numerator) <= rounding), 0.0, at_most)
    sizes, missed = _on_both_sides(sample.counts, above), (terms[0], terms[1] - terms[0])
    for edge, off in enumerate(missed):
        possible = _is_possible(off != 0.0, sizes, counts, sample.inclusion)
        edges[(edges == edge) & ~possible] = np.nan
    return edges


def _is_possible(off, sizes, counts, inclusion) -> np.ndarray:
    """Return whether no item may be of a class that would take a ratio off its edge.

    Parameters
    ----------
    off : ndarray of bool of shape (2, 2)
        Whether an item would, ``[z, above]``.
    sizes, counts : ndarray of shape (2, n_thresholds), (2, 2, n_thresholds)
        All items on both sides, and the labelled ones of either class.
    inclusion : Inclusion
        Where shares of classes are known, so few labels may say that there are others.
    """
    possible = np.ones(sizes.shape[1], dtype=bool)
    for code in (0, 1):
        sides = off[1 - code] & ~off[code]
        n_items, n_labeled = (np.einsum("i,ij->j", sides, n) for n in (sizes, counts[code]))
        possible &= inclusion.is_of_labeled_class(n_items, n_labeled, code)
    return possible


def _on_both_sides(weights, first_above) -> np.ndarray:
    """Return the weight below, and at or above, each threshold: of shape (2, n_thresholds)."""
    above = np.r_[np.cumsum(weights[::-1])[::-1], 0.0][first_above]
    return np.array([weights.sum() - above, above])
