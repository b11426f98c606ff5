"""Known chances of each item to be labelled, where they differ among items of the same score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._inclusion import Inclusion

__all__ = ["ChancesOfItems"]

# Chances go with the score alone if none departs by more than this share of it from what lies
# between those of its neighbours.
LARGEST_STEP = 0.01
# The neighbours of an item: such a share of all items on either side, and at least so many.
NEIGHBOURS, LEAST_NEIGHBOURS = 0.01, 10
# Labels are compared in groups of so many with neighbouring scores, at most so many groups; and as
# if so many pairs said that there is no difference.
LABELS_OF_GROUP, MOST_GROUPS, PRIOR_PAIRS = 15, 10, 0.5
# More labelled scores than these are gathered. Newton's steps, and the precision of a normal prior
# of the log odds ratio, without which it is infinite where one class is labelled.
MOST_LABELED, STEPS, PRECISION = 150, 15, 0.25


@dataclass(frozen=True, eq=False)
class ChancesOfItems(Inclusion):
    r"""Each item is labelled with a known chance of its own, as in strata of a feature.

    Where these differ among items of the same score a label counts with
    :math:`w_i = h(s_i) / \pi_i`, so that labels stand for all items (the pseudo-posterior of [1]_),
    and :math:`h`, the harmonic mean of the chances of neighbours, makes the expected sum of
    weights the effective number of labels of [2]_; the sum itself is then made so too. Chances
    that go with the score alone are ignorable [3]_: all weights are one, and nothing is changed.

    How much more often labelled items are positive than all is not known beforehand: for each curve
    it is one odds ratio, by which it expects as many positives among them as there are. That of the
    others is found from the labels.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        Of labelled items.
    negative, positive : ndarray of shape (n_scores,)
        The mean weights of the labels of either class.

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
    def of(cls, scores, codes, weights, chances) -> ChancesOfItems:
        """Return what the chances of all items say of their labels.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
        codes : ndarray of shape (n_items,)
            1, 0, or -1 where there is no label.
        weights : ndarray of shape (n_items,)
            How many items each stands for, none zero.
        chances : ndarray of shape (n_items,)
            In [0, 1], positive where there is a label.
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
        """Return which share of the labelled items is positive, as for `Inclusion`."""
        if self.scores is None:
            return probability
        labeled = sample.labeled()
        if labeled.n_cells > MOST_LABELED:
            labeled = labeled.merged(np.linspace(0, labeled.n_cells - 1, MOST_LABELED).astype(int))
        least = np.finfo(float).eps
        at_labels = np.clip(curves(labeled.scores), least, 1.0 - least)
        positive = probability * _matching_odds(at_labels, labeled)
        return positive / (positive + 1.0 - probability)

    def weighed(self, labeled) -> tuple[np.ndarray, np.ndarray]:
        """Return how labelled negatives and positives of each cell count in the likelihood."""
        if self.scores is None or self.negative is None or self.positive is None:
            return super().weighed(labeled)
        negative = np.interp(labeled.scores, self.scores, self.negative)
        positive = np.interp(labeled.scores, self.scores, self.positive)
        return labeled.negative * negative, labeled.positive * positive


def _matching_odds(probability, labeled) -> np.ndarray:
    """Return the odds ratio by which each draw expects as many positives as there are."""
    log_odds, shift = special.logit(probability), np.zeros((len(probability), 1))
    for _ in range(STEPS):
        p = special.expit(log_odds + shift)
        missing = labeled.positive.sum() - np.einsum("ij,j->i", p, labeled.counts)
        slope = np.einsum("ij,j->i", p * (1.0 - p), labeled.counts) + PRECISION
        step = (missing - PRECISION * shift[:, 0]) / slope
        shift += np.clip(step, -1.0, 1.0)[:, np.newaxis]
    return np.exp(shift)


def _goes_with_score(scores, chances) -> bool:
    """Return whether items of the same score, or nearly so, have the same chance."""
    order = np.argsort(scores, kind="stable")
    scores, chances = scores[order], chances[order]
    firsts = np.flatnonzero(np.r_[True, np.diff(scores) > 0.0])
    low, high = (f.reduceat(chances, firsts) for f in (np.minimum, np.maximum))
    before, after = slice(None, -2), slice(2, None)
    least = np.minimum(low[before], low[after]) * (1.0 - LARGEST_STEP)
    most = np.maximum(high[before], high[after]) * (1.0 + LARGEST_STEP)
    in_line = (low[1:-1] >= least) & (high[1:-1] <= most)
    return bool(np.array_equal(low, high) and in_line.all())


def _label_weights(scores, weights, chances, targets) -> np.ndarray:
    """Return weights of labels with which they stand for items that count as `targets`.

    Of the neighbours of an item the weights have, in expectation, the same sum as the squares of
    the weights.
    """
    sampled = chances > 0.0
    inverse = np.divide(targets, chances, out=np.zeros(len(chances)), where=sampled)
    order = np.argsort(scores, kind="stable")
    reach = max(LEAST_NEIGHBOURS, round(NEIGHBOURS * len(scores)))
    firsts, ends = (np.searchsorted(scores[order], scores, side=side) for side in ("left", "right"))
    firsts, ends = np.maximum(firsts - reach, 0), np.minimum(ends + reach, len(scores))
    sums = []
    for part in (targets * sampled, targets * inverse):
        cumulated = np.r_[0.0, np.cumsum((weights * part)[order])]
        sums.append(cumulated[ends] - cumulated[firsts])
    level = np.divide(sums[0], sums[1], out=np.zeros(len(scores)), where=sums[1] > 0.0)
    return inverse * level


def _scaled(weights, counts) -> np.ndarray:
    """Return weights whose sum is the effective number of labels."""
    squares = counts @ weights**2
    return weights * ((counts @ weights) / squares) if squares > 0.0 else weights


def _groups(scores) -> np.ndarray:
    """Return groups of labelled items with neighbouring scores."""
    n = int(np.clip(len(scores) // LABELS_OF_GROUP, 1, MOST_GROUPS))
    edges = np.quantile(scores, np.arange(1, n) / n)
    return np.searchsorted(edges, scores, side="right")


def _odds_ratio(groups, y, part, everything) -> float:
    """Return the odds of being positive in a part as a multiple of those of all (Mantel-Haenszel).

    Both are the same labels, with other weights.
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
    """Return the mean of values in each cell; one where nothing counts."""
    total = np.bincount(cell, counts)
    return np.divide(
        np.bincount(cell, counts * values), total, out=np.ones(len(total)), where=total > 0.0
    )
