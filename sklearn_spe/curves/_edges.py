"""Extreme values of a metric that the labels do not rule out."""

from __future__ import annotations

import numpy as np

from ..sample._sample import ScoreSample

__all__ = ["edges_of_labels"]

# Sums of weights are equal only up to rounding.
ROUNDING = 1e-9


def edges_of_labels(metric, sample: ScoreSample, thresholds=(-np.inf,)) -> np.ndarray:
    """Return 0 or 1 where the labeled items have this ratio, NaN elsewhere, (n_thresholds,).

    If all labeled items at or above the threshold are negative, the labels do not rule out that
    precision and recall are 0; without a labeled error, that accuracy is 1. Intervals of
    proportions include these edges by convention. Without any label above the threshold only the
    model is informative; but without any labeled positive, proportions of positives may be 0, and
    so may their means over thresholds, such as average precision. With known class inclusion
    probabilities, a lack of labels can rule out an edge. The result is NaN throughout unless the
    metric is a ratio of sums over items in [0, 1], or a mean of such ratios over thresholds, and
    there are labels.
    """
    thresholds = np.asarray(thresholds, dtype=float)
    is_mean, metric = metric.averages is not None, metric.averages or metric
    terms = None if metric.decides or metric.limits != (0.0, 1.0) else metric.item_terms()
    if terms is None or not sample.n_labeled:
        return np.full(len(thresholds), np.nan)
    if is_mean:
        # If all labeled items have the same ratio, so has every threshold, and hence the mean.
        thresholds = sample.lower[sample.negative + sample.positive > 0.0][:1]
    above = np.searchsorted(sample.lower, thresholds)
    counts = np.array([_weights_around(w, above) for w in (sample.negative, sample.positive)])
    numerator, denominator = (np.einsum("ij,ijk->k", term, counts) for term in terms)
    rounding = ROUNDING * sample.n_labeled
    counted = denominator > rounding
    at_most = np.where(counted & (numerator >= denominator - rounding), 1.0, np.nan)
    # A numerator that counts positives is 0 without positives.
    speaks = counted | (not sample.positive.any() and not terms[0][0].any())
    edges = np.where(speaks & (np.abs(numerator) <= rounding), 0.0, at_most)
    sizes, missed = _weights_around(sample.counts, above), (terms[0], terms[1] - terms[0])
    for edge, off in enumerate(missed):
        possible = _is_possible(off != 0.0, sizes, counts, sample.inclusion)
        edges[(edges == edge) & ~possible] = np.nan
    return edges


def _is_possible(off, sizes, counts, inclusion) -> np.ndarray:
    """Return whether possibly no item has a class that moves a ratio off its edge.

    `off` (2, 2) tells whether an item would, ``[z, above]``; `sizes` (2, n_thresholds) and `counts`
    (2, 2, n_thresholds) are all items and the labeled ones of each class below and above. Known
    inclusion probabilities of classes may show that there are others.
    """
    possible = np.ones(sizes.shape[1], dtype=bool)
    for code in (0, 1):
        sides = off[1 - code] & ~off[code]
        n_items, n_labeled = (np.einsum("i,ij->j", sides, n) for n in (sizes, counts[code]))
        possible &= inclusion.is_of_labeled_class(n_items, n_labeled, code)
    return possible


def _weights_around(weights, first_above) -> np.ndarray:
    """Return the weight below, and at or above, each threshold, (2, n_thresholds)."""
    above = np.r_[np.cumsum(weights[::-1])[::-1], 0.0][first_above]
    return np.array([weights.sum() - above, above])
