"""Laws of labels that are small enough to list every labelling."""

from dataclasses import replace
from itertools import product

import numpy as np

from sklearn_spe.metrics import ThresholdMetric
from sklearn_spe.metrics._expectation import LabelDistribution
from sklearn_spe.metrics._registry import METRICS

METRICS_WITH_EXPECTATION = [m for m in (cls() for cls in METRICS.values()) if m.has_expectation]


def make_distribution(
    seed, n_cells=5, n_draws=1, single=True, least=0.05, n_unlabeled=7, n_known=5
):
    """Return a law of twelve items, some of both classes known; few cells mean ties.

    One item at least is in the first cell and one in the last: no labelling leaves a metric
    without a value.
    """
    rng = np.random.default_rng(seed)
    known = np.r_[0, 1, rng.integers(0, 2, n_known)][:n_known]
    cells = rng.integers(0, n_cells, n_unlabeled + n_known)
    cells[-2:] = 0, n_cells - 1
    unlabeled, negative, positive = (
        np.bincount(of, minlength=n_cells)
        for of in (
            cells[n_known:],
            cells[:n_known][known == 0],
            cells[:n_known][known == 1],
        )
    )
    probability = rng.uniform(least, 1.0 - least, (n_draws, n_cells))
    return LabelDistribution(unlabeled, probability, positive, negative, single)


def above_of(metric, distribution, passing=2.4):
    """Return what a metric takes: a threshold inside the third cell, or nothing."""
    if not isinstance(metric, ThresholdMetric):
        return None
    return np.clip(passing - np.arange(distribution.n_cells), 0.0, 1.0)


def labelings(distribution):
    """List all labellings of a law of one draw.

    Returns
    -------
    positives : ndarray of shape (n_labelings, n_cells)
        How many items of each cell are positive, the known ones among them.
    chance : ndarray of shape (n_labelings,)
    """
    cells = np.repeat(np.arange(distribution.n_cells), distribution.unlabeled.astype(int))
    p = distribution.probability[0, cells]
    labels = np.array(list(product([0, 1], repeat=len(cells))))
    chance = np.prod(np.where(labels == 1, p, 1.0 - p), axis=1)
    drawn = [np.bincount(cells, row, distribution.n_cells) for row in labels]
    return distribution.positive + np.array(drawn), chance


def completed(distribution, positives):
    """Return the law once all labels are known."""
    return replace(
        distribution, unlabeled=0.0, positive=positives, negative=distribution.counts - positives
    )


def values_of(metric, distribution, positives):
    """Return a metric of each labelling, a row each, by its definition in counts."""
    above = above_of(metric, distribution)
    negatives = distribution.counts - positives
    if above is None:
        return metric.value(np.cumsum(positives, axis=1), np.cumsum(negatives, axis=1))
    tp, fp = ((c * above).sum(axis=1) for c in (positives, negatives))
    return metric.value(tp, fp, positives.sum(axis=1), negatives.sum(axis=1))


def items_of(positives, negatives):
    """Return labels and scores of the items of cells."""
    n_cells = len(positives)
    labels = np.repeat([1, 0], [int(positives.sum()), int(negatives.sum())])
    cells = [np.repeat(np.arange(n_cells), c.astype(int)) for c in (positives, negatives)]
    return labels, -np.concatenate(cells).astype(float)
