"""Known inclusion probabilities that vary among items of the same score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._inclusion import Inclusion

__all__ = ["ItemInclusion"]

# Inclusion depends on the score alone if no probability departs by more than this fraction from the
# range of its neighbors.
LARGEST_STEP = 0.01
# Neighborhood of an item: this share of all items on either side, and at least this number.
NEIGHBOURS, MIN_NEIGHBOURS = 0.01, 10
# Labels are compared in groups of this size with neighboring scores, up to this number of groups,
# with this many pseudo-pairs of no difference.
LABELS_OF_GROUP, MAX_GROUPS, PRIOR_PAIRS = 15, 10, 0.5
# Above this number, labeled scores are pooled. Number of Newton steps, and precision of the normal
# prior of the log odds ratio, which keeps it finite if only one class is labeled.
MAX_LABELED, STEPS, PRECISION = 150, 15, 0.25


@dataclass(frozen=True, eq=False)
class ItemInclusion(Inclusion):
    r"""Known inclusion probabilities of the items, as in strata of a feature.

    If these differ among items of the same score, a label has weight :math:`w_i = h(s_i) / \pi_i`,
    so that labels represent all items (the pseudo-posterior of [1]_). :math:`h`, the harmonic mean
    of the probabilities of neighbors, makes the expected sum of weights the effective number of
    labels of [2]_; weights are then rescaled to this sum. Probabilities that depend on the score
    alone are ignorable [3]_: all weights are one.

    The odds of a positive among labeled items relative to all items are one odds ratio for each
    curve, matched to the observed number of labeled positives. That of unlabeled items is estimated
    from the labels.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        Scores of labeled items.
    negative, positive : ndarray of shape (n_scores,)
        Mean weights of the labels of each class.

    References
    ----------
    .. [1] T. D. Savitsky and D. Toth. Bayesian estimation under informative sampling. Electronic
       Journal of Statistics 10 (2016) 1677-1708.
    .. [2] L. Kish. Survey sampling. Wiley (1965).
    .. [3] D. Pfeffermann. The role of sampling weights when modeling survey data. International
       Statistical Review 61 (1993) 317-337.
    """

    scores: np.ndarray | None = None
    negative: np.ndarray | None = None
    positive: np.ndarray | None = None
    is_given: ClassVar[bool] = True

    @classmethod
    def of(cls, scores, codes, weights, chances) -> ItemInclusion:
        """Return the inclusion model for the probabilities of all items, (n_items,).

        `codes` are 1, 0, or -1 if unlabeled; `weights` are positive multiplicities; `chances` lie
        in [0, 1], positive for labeled items.
        """
        known = codes >= 0
        if not known.any() or _goes_with_score(scores, chances):
            return cls()
        at, y, counts = scores[known], codes[known], weights[known]
        of_all, of_others = (
            _scaled(_label_weights(scores, weights, chances, targets)[known], counts)
            for targets in (np.ones(len(chances)), 1.0 - chances)
        )
        odds = _odds_ratio(_groups(at), y, counts * of_others, counts * of_all)
        distinct, cell = np.unique(at, return_inverse=True)
        means = [_mean_by_cell(cell, counts * (y == code), of_all) for code in (0, 1)]
        return cls((1.0, 1.0), (1.0, odds), distinct, *means)

    def among_labeled(self, probability, sample, curves) -> np.ndarray:
        """Return the share of positives among labeled items, as `Inclusion`."""
        if self.scores is None:
            return probability
        labeled = sample.labeled()
        if labeled.n_cells > MAX_LABELED:
            labeled = labeled.merged(np.linspace(0, labeled.n_cells - 1, MAX_LABELED).astype(int))
        smallest = np.finfo(float).eps
        at_labels = np.clip(curves(labeled.scores), smallest, 1.0 - smallest)
        positive = probability * _matching_odds(at_labels, labeled)
        return positive / (positive + 1.0 - probability)

    def weighed(self, labeled) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        if self.scores is None or self.negative is None or self.positive is None:
            return super().weighed(labeled)
        negative = np.interp(labeled.scores, self.scores, self.negative)
        positive = np.interp(labeled.scores, self.scores, self.positive)
        return labeled.negative * negative, labeled.positive * positive


def _matching_odds(probability, labeled) -> np.ndarray:
    """Return the odds ratio that matches the number of positives, for each draw."""
    log_odds, shift = special.logit(probability), np.zeros((len(probability), 1))
    for _ in range(STEPS):
        p = special.expit(log_odds + shift)
        missing = labeled.positive.sum() - np.einsum("ij,j->i", p, labeled.counts)
        slope = np.einsum("ij,j->i", p * (1.0 - p), labeled.counts) + PRECISION
        step = (missing - PRECISION * shift[:, 0]) / slope
        shift += np.clip(step, -1.0, 1.0)[:, np.newaxis]
    return np.exp(shift)


def _goes_with_score(scores, chances) -> bool:
    """Return whether items of (nearly) the same score have the same probability."""
    order = np.argsort(scores, kind="stable")
    scores, chances = scores[order], chances[order]
    firsts = np.flatnonzero(np.r_[True, np.diff(scores) > 0.0])
    low, high = (f.reduceat(chances, firsts) for f in (np.minimum, np.maximum))
    before, after = slice(None, -2), slice(2, None)
    smallest = np.minimum(low[before], low[after]) * (1.0 - LARGEST_STEP)
    most = np.maximum(high[before], high[after]) * (1.0 + LARGEST_STEP)
    in_line = (low[1:-1] >= smallest) & (high[1:-1] <= most)
    return bool(np.array_equal(low, high) and in_line.all())


def _label_weights(scores, weights, chances, targets) -> np.ndarray:
    """Return weights with which the labels represent items weighted by `targets`.

    Among the neighbors of an item, the weights and their squares have the same expected sum.
    """
    sampled = chances > 0.0
    inverse = np.divide(targets, chances, out=np.zeros(len(chances)), where=sampled)
    order = np.argsort(scores, kind="stable")
    reach = max(MIN_NEIGHBOURS, round(NEIGHBOURS * len(scores)))
    firsts, ends = (np.searchsorted(scores[order], scores, side=side) for side in ("left", "right"))
    firsts, ends = np.maximum(firsts - reach, 0), np.minimum(ends + reach, len(scores))
    sums = []
    for part in (targets * sampled, targets * inverse):
        cumulated = np.r_[0.0, np.cumsum((weights * part)[order])]
        sums.append(cumulated[ends] - cumulated[firsts])
    level = np.divide(sums[0], sums[1], out=np.zeros(len(scores)), where=sums[1] > 0.0)
    return inverse * level


def _scaled(weights, counts) -> np.ndarray:
    """Return weights that sum to the effective number of labels."""
    squares = counts @ weights**2
    return weights * ((counts @ weights) / squares) if squares > 0.0 else weights


def _groups(scores) -> np.ndarray:
    """Return groups of labeled items with neighboring scores."""
    n = int(np.clip(len(scores) // LABELS_OF_GROUP, 1, MAX_GROUPS))
    edges = np.quantile(scores, np.arange(1, n) / n)
    return np.searchsorted(edges, scores, side="right")


def _odds_ratio(groups, y, part, everything) -> float:
    """Return the odds ratio of a positive in a part against all items (Mantel-Haenszel).

    Both use the same labels, with different weights.
    """
    a, b, c, d = (
        np.bincount(groups, weights * (y == code))
        for weights in (part, everything)
        for code in (1, 0)
    )
    total = a + b + c + d
    pairs = [np.divide(p, total, out=np.zeros(len(p)), where=total > 0.0) for p in (a * d, b * c)]
    return float((PRIOR_PAIRS + pairs[0].sum()) / (PRIOR_PAIRS + pairs[1].sum()))


def _mean_by_cell(cell, counts, values) -> np.ndarray:
    """Return the mean of values in each cell; one if a cell has no weight."""
    total = np.bincount(cell, counts)
    return np.divide(
        np.bincount(cell, counts * values), total, out=np.ones(len(total)), where=total > 0.0
    )
