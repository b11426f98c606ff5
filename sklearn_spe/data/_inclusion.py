"""Inclusion models of labels: which items are labeled, and what their labels tell of all."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays

# Level at which a small number of labels of a class rules out that all items belong to it.
MIN_PROBABILITY = 0.05
# Shares of two classes that differ by less than this are taken to be the same.
SAME_SHARE = 1e-9
# Inclusion depends on the score alone if no probability departs by more than this fraction from the
# range of its neighbors.
LARGEST_STEP = 0.01
# Neighborhood of an item: this share of all items on either side, and at least this number.
NEIGHBOURS, MIN_NEIGHBOURS = 0.01, 10
# Labels are compared in strata of this size with neighboring scores, up to this number of strata,
# with this many pseudo-pairs of no difference.
LABELS_OF_GROUP, MAX_GROUPS, PRIOR_PAIRS = 15, 10, 0.5
# Above this number, labeled scores are pooled. Number of Newton steps, and precision of the normal
# prior of the log odds ratio, which keeps it finite if only one class is labeled.
MAX_LABELED, STEPS, PRECISION = 150, 15, 0.25


class LabeledCells(Protocol):
    """A sample as inclusion models read it: cells with counts of items and of labels."""

    @property
    def scores(self) -> np.ndarray: ...

    @property
    def counts(self) -> np.ndarray: ...

    @property
    def negative(self) -> np.ndarray: ...

    @property
    def positive(self) -> np.ndarray: ...

    def labeled(self, max_cells: int | None = None) -> LabeledCells: ...


@dataclass(frozen=True, eq=False)
class Inclusion(FrozenArrays):
    """Ignorable labeling: given the score, inclusion does not depend on the class.

    Labels then enter the likelihood through p(y | score), and inclusion probabilities are not
    needed. Subclasses model other designs.
    """

    # relative inclusion probabilities of a negative and a positive of the same score
    labeled: tuple[float, float] = (1.0, 1.0)
    unlabeled: tuple[float, float] = (1.0, 1.0)  # relative probabilities that they are not labeled
    is_given: ClassVar[bool] = False
    # whether the numbers of labels tell of the numbers of items of the classes
    knows_classes: ClassVar[bool] = False

    def among_labeled(
        self,
        probability: np.ndarray,
        sample: LabeledCells,
        curves: Callable[[np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """Return the share of positives among labeled items, given that of all items.

        `probability` is (n_draws, n_scores); `sample` has the labels; `curves` maps scores to
        probabilities of the same draws.
        """
        return _among(probability, *self.labeled)

    def among_unlabeled(self, probability: np.ndarray) -> np.ndarray:
        """Return the share of positives among unlabeled items, given that of all items."""
        return _among(probability, *self.unlabeled)

    def weighed(self, labeled: LabeledCells) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        return labeled.negative, labeled.positive

    def exchanged(self) -> Inclusion:
        """Return the inclusion model with the classes exchanged."""
        return AT_RANDOM

    def is_of_labeled_class(
        self, n_items: np.ndarray, n_labeled: np.ndarray, code: int
    ) -> np.ndarray:
        """Return whether all of some items may belong to one partially labeled class.

        `n_items` and `n_labeled` (n_sets,) count the items and those labeled as this class; `code`
        is 0 or 1.
        """
        return np.ones(np.shape(n_items), dtype=bool)

    def range_of_positives(self, sample: LabeledCells, tail: float) -> tuple[float, float]:
        """Return the range of the number of positives of a sample, given the numbers of labels.

        It excludes a probability of `tail` on either side.
        """
        return 0.0, float(sample.counts.sum())

    def never_labels(self, code: int) -> bool:
        """Return whether a class has inclusion probability zero."""
        return False

    @property
    def missingness(self) -> tuple[float, float]:
        """Information in the fact that an item is unlabeled.

        A sign (1 for positives) and a share r: the likelihood of the curve is proportional to ``r +
        (1 - r) * P(class of the sign | score)``. With r = 1 there is no information.
        """
        return 1.0, 1.0


@dataclass(frozen=True, eq=False)
class SharesOfClasses(Inclusion):
    r"""Class-dependent inclusion, independent of the scores, as in a case-control study.

    With shares :math:`q_1` of the positives and :math:`q_0` of the negatives labeled, by Bayes'
    rule the log-odds of labeled items are :math:`f + \log(q_1 / q_0)`, those of the others :math:`f
    + \log\{(1 - q_1) / (1 - q_0)\}`, and an item is unlabeled with probability :math:`(1 -
    q_1) p + (1 - q_0) (1 - p)`, with :math:`f = \operatorname{logit} p` of all [1]_.

    References
    ----------
    .. [1] R. L. Prentice and R. Pyke. Logistic disease incidence models and case-control studies.
       Biometrika 66 (1979) 403-411.
    """

    is_given: ClassVar[bool] = True
    knows_classes: ClassVar[bool] = True

    @classmethod
    def of(cls, negative: float, positive: float) -> SharesOfClasses:
        """Return the inclusion model for given shares of the classes."""
        return cls((negative, positive), (1.0 - negative, 1.0 - positive))

    def exchanged(self) -> SharesOfClasses:
        """Return the inclusion model with the classes exchanged."""
        return SharesOfClasses(self.labeled[::-1], self.unlabeled[::-1])

    def is_of_labeled_class(
        self, n_items: np.ndarray, n_labeled: np.ndarray, code: int
    ) -> np.ndarray:
        """Return whether all of some items may belong to one class, as `Inclusion`.

        The number of labels would be binomial with the known share.
        """
        unlabeled = np.maximum(np.asarray(n_items) - n_labeled, 0.0)
        with np.errstate(invalid="ignore"):
            at_most = special.betainc(unlabeled, n_labeled + 1.0, self.unlabeled[code])
        return (unlabeled == 0.0) | (at_most >= MIN_PROBABILITY)

    def range_of_positives(self, sample: LabeledCells, tail: float) -> tuple[float, float]:
        """Return the range of the number of positives, as `Inclusion`."""
        n_items = round(float(sample.counts.sum()))
        n_labeled = (round(float(labels.sum())) for labels in (sample.negative, sample.positive))
        negatives, positives = (
            class_size_range(count, share, n_items, tail)
            for count, share in zip(n_labeled, self.labeled, strict=True)
        )
        smallest = max(positives[0], n_items - negatives[1])
        largest = min(positives[1], n_items - negatives[0])
        return float(smallest), float(largest)

    def never_labels(self, code: int) -> bool:
        """Return whether a class has inclusion probability zero."""
        return self.labeled[code] == 0.0

    @property
    def missingness(self) -> tuple[float, float]:
        """Information in the fact that an item is unlabeled, as `Inclusion`."""
        negative, positive = self.unlabeled
        # Shares that differ by rounding hold no information on any number of items.
        if np.isclose(negative, positive, rtol=SAME_SHARE, atol=0.0):
            return 1.0, 1.0
        sign = 1.0 if positive > negative else -1.0
        return sign, min(self.unlabeled) / max(self.unlabeled)


AT_RANDOM = Inclusion()


def _among(probability: np.ndarray, negative: float, positive: float) -> np.ndarray:
    """Return the share of positives after thinning each class by its own probability."""
    if negative == positive:
        return probability
    of_positives = probability * positive
    of_both = of_positives + (1.0 - probability) * negative
    # Undefined where all items belong to a class that is never included.
    unthinned = np.array(probability, dtype=float)
    return np.divide(of_positives, of_both, out=unthinned, where=of_both > 0.0)


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
    def of(
        cls, scores: np.ndarray, codes: np.ndarray, weights: np.ndarray, inclusion_proba: np.ndarray
    ) -> ItemInclusion:
        """Return the inclusion model for the probabilities of all items, (n_items,).

        `codes` are 1, 0, or -1 if unlabeled; `weights` are positive multiplicities;
        `inclusion_proba` lie in [0, 1], positive for labeled items.
        """
        known = codes >= 0
        if not known.any() or _goes_with_score(scores, inclusion_proba):
            return cls()

        labeled_scores = scores[known]
        y = codes[known]
        counts = weights[known]

        # Weights with which the labels represent all items, and those without a label.
        for_all, for_unlabeled = (
            _scaled(_label_weights(scores, weights, inclusion_proba, targets)[known], counts)
            for targets in (np.ones(len(inclusion_proba)), 1.0 - inclusion_proba)
        )
        strata = _score_strata(labeled_scores)
        odds = _odds_ratio(strata, y, counts * for_unlabeled, counts * for_all)

        distinct, cell = np.unique(labeled_scores, return_inverse=True)
        negative = _mean_by_cell(cell, counts * (y == 0), for_all)
        positive = _mean_by_cell(cell, counts * (y == 1), for_all)
        return cls((1.0, 1.0), (1.0, odds), distinct, negative, positive)

    def among_labeled(
        self,
        probability: np.ndarray,
        sample: LabeledCells,
        curves: Callable[[np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """Return the share of positives among labeled items, as `Inclusion`."""
        if self.scores is None:
            return probability
        labeled = sample.labeled(MAX_LABELED)
        smallest = np.finfo(float).eps
        at_labels = np.clip(curves(labeled.scores), smallest, 1.0 - smallest)
        positive = probability * _matching_odds(at_labels, labeled)
        return positive / (positive + 1.0 - probability)

    def weighed(self, labeled: LabeledCells) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        if self.scores is None or self.negative is None or self.positive is None:
            return super().weighed(labeled)
        negative = np.interp(labeled.scores, self.scores, self.negative)
        positive = np.interp(labeled.scores, self.scores, self.positive)
        return labeled.negative * negative, labeled.positive * positive


def _matching_odds(probability: np.ndarray, labeled: LabeledCells) -> np.ndarray:
    """Return the odds ratio that matches the number of positives, for each draw."""
    log_odds = special.logit(probability)
    shift = np.zeros((len(probability), 1))
    for _ in range(STEPS):
        p = special.expit(log_odds + shift)
        missing = labeled.positive.sum() - np.einsum("ij,j->i", p, labeled.counts)
        slope = np.einsum("ij,j->i", p * (1.0 - p), labeled.counts) + PRECISION
        step = (missing - PRECISION * shift[:, 0]) / slope
        shift += np.clip(step, -1.0, 1.0)[:, np.newaxis]
    return np.exp(shift)


def _goes_with_score(scores: np.ndarray, inclusion_proba: np.ndarray) -> bool:
    """Return whether items of (nearly) the same score have the same probability."""
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    inclusion_proba = inclusion_proba[order]

    # The smallest and largest probability of the items of each distinct score.
    firsts = np.flatnonzero(np.r_[True, np.diff(scores) > 0.0])
    low = np.minimum.reduceat(inclusion_proba, firsts)
    high = np.maximum.reduceat(inclusion_proba, firsts)

    before = slice(None, -2)
    after = slice(2, None)
    smallest = np.minimum(low[before], low[after]) * (1.0 - LARGEST_STEP)
    largest = np.maximum(high[before], high[after]) * (1.0 + LARGEST_STEP)
    in_line = (low[1:-1] >= smallest) & (high[1:-1] <= largest)

    return bool(np.array_equal(low, high) and in_line.all())


def _label_weights(
    scores: np.ndarray, weights: np.ndarray, inclusion_proba: np.ndarray, targets: np.ndarray
) -> np.ndarray:
    """Return weights with which the labels represent items weighted by `targets`.

    Among the neighbors of an item, the weights and their squares have the same expected sum.
    """
    n_items = len(scores)
    sampled = inclusion_proba > 0.0
    inverse = np.divide(targets, inclusion_proba, out=np.zeros(n_items), where=sampled)

    # The neighbors of each item in order of the scores: those tied with it, and more beside.
    order = np.argsort(scores, kind="stable")
    increasing = scores[order]
    reach = max(MIN_NEIGHBOURS, round(NEIGHBOURS * n_items))
    firsts = np.maximum(np.searchsorted(increasing, scores, side="left") - reach, 0)
    ends = np.minimum(np.searchsorted(increasing, scores, side="right") + reach, n_items)

    # Expected sums over neighbors of the inverse probabilities, and of their squares.
    sums = []
    for expected in (targets * sampled, targets * inverse):
        cumulated = np.r_[0.0, np.cumsum((weights * expected)[order])]
        sums.append(cumulated[ends] - cumulated[firsts])

    level = np.divide(sums[0], sums[1], out=np.zeros(n_items), where=sums[1] > 0.0)
    return inverse * level


def _scaled(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return weights that sum to the effective number of labels."""
    squares = counts @ weights**2
    return weights * ((counts @ weights) / squares) if squares > 0.0 else weights


def _score_strata(scores: np.ndarray) -> np.ndarray:
    """Return strata of labeled items with neighboring scores."""
    n_strata = int(np.clip(len(scores) // LABELS_OF_GROUP, 1, MAX_GROUPS))
    edges = np.quantile(scores, np.arange(1, n_strata) / n_strata)
    return np.searchsorted(edges, scores, side="right")


def _odds_ratio(
    strata: np.ndarray, y: np.ndarray, for_part: np.ndarray, for_all: np.ndarray
) -> float:
    """Return the odds ratio of a positive in a part against all items (Mantel-Haenszel).

    Both use the same labels, with weights for the part and for all.
    """
    positive_in_part = np.bincount(strata, for_part * (y == 1))
    negative_in_part = np.bincount(strata, for_part * (y == 0))
    positive_in_all = np.bincount(strata, for_all * (y == 1))
    negative_in_all = np.bincount(strata, for_all * (y == 0))
    total = positive_in_part + negative_in_part + positive_in_all + negative_in_all

    # Pairs of one item of the part and one of all, of different classes.
    pairs = [
        np.divide(products, total, out=np.zeros(len(total)), where=total > 0.0)
        for products in (positive_in_part * negative_in_all, negative_in_part * positive_in_all)
    ]
    return float((PRIOR_PAIRS + pairs[0].sum()) / (PRIOR_PAIRS + pairs[1].sum()))


def _mean_by_cell(cell: np.ndarray, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean of values in each cell; one if a cell has no weight."""
    total = np.bincount(cell, counts)
    return np.divide(
        np.bincount(cell, counts * values), total, out=np.ones(len(total)), where=total > 0.0
    )


def class_size_range(n_labeled: int, share: float, n_items: int, level: float) -> tuple[int, int]:
    """Return the confidence interval of a class size, given its number of labels."""
    sizes = range(n_labeled, n_items + 1)
    # Larger classes have more labels: the upper tail bounds the size from below ...
    fewest = bisect_left(
        sizes, True, key=lambda n: n_labeled == 0 or special.bdtrc(n_labeled - 1, n, share) >= level
    )
    # ... and the lower tail bounds it from above.
    beyond = bisect_left(sizes, True, key=lambda n: special.bdtr(n_labeled, n, share) < level)
    return n_labeled + fewest, n_labeled + beyond - 1
