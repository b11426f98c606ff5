"""Inclusion models: how items were selected for labeling, and how their labels represent all."""

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
# Prior number of labels of each class (Jeffreys), and the least number of pairs.
PRIOR_COUNT, TINY = 0.5, np.finfo(float).tiny
# Above this number, labeled scores are pooled. Number of Newton steps, and precision of the normal
# prior of the log odds ratio, which keeps it finite if only one class is labeled.
MAX_LABELED, STEPS, PRECISION = 150, 15, 0.25


class CountedLabels(Protocol):
    """Counts of labels."""

    @property
    def counts(self) -> np.ndarray: ...

    @property
    def positive(self) -> np.ndarray: ...


class LabeledCells(CountedLabels, Protocol):
    """A sample as inclusion models read it: cells with counts of items and of labels."""

    @property
    def scores(self) -> np.ndarray: ...

    @property
    def negative(self) -> np.ndarray: ...

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
    # whether the numbers of labels are informative on the class sizes
    knows_classes: ClassVar[bool] = False
    # label weights for drawing the odds of unlabeled items; None if these are known
    drawn_by: ClassVar[LabelWeights | None] = None
    # (n_rows,), likelihood weight of the label of each row of X; None if all are one
    of_rows: np.ndarray | None = None

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
        return self.thinned(probability)

    def thinned(self, probability: np.ndarray) -> np.ndarray:
        """Return the share of positives among labeled items by the shares of the classes alone."""
        return _among(probability, *self.labeled)

    def among_unlabeled(
        self, probability: np.ndarray, odds: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the share of positives among unlabeled items, given that of all items.

        `odds` are the odds ratios of draws, (n_draws,), if these have ratios of their own.
        """
        return (
            _among(probability, *self.unlabeled) if odds is None else with_odds(probability, odds)
        )

    def odds_of_labeled(self, probability: np.ndarray, labeled: CountedLabels) -> np.ndarray | None:
        """Return the odds of a positive among labeled items relative to all, (n_draws,).

        None if `labeled` states them, the same for all draws. `probability` is that of the labeled
        items, (n_draws, n_labeled), with counts of labels.
        """
        return None

    def weighed(self, labeled: LabeledCells) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        return labeled.negative, labeled.positive

    def exchanged(self) -> Inclusion:
        """Return the inclusion model with the classes exchanged."""
        return Inclusion()

    def is_of_labeled_class(
        self, n_items: np.ndarray, n_labeled: np.ndarray, code: int
    ) -> np.ndarray:
        """Return whether all the given items may belong to one partially labeled class.

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
        """Return whether all the given items may belong to one class, as `Inclusion`.

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


def with_odds(probability: np.ndarray, odds: np.ndarray) -> np.ndarray:
    """Return probabilities of draws, (n_draws, n), with the odds of each draw multiplied."""
    of_positives = probability * odds[:, np.newaxis]
    return of_positives / (of_positives + (1.0 - probability))


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
    curve, matched to the observed number of labeled positives. That of unlabeled items is drawn by
    the labels alone (`LabelWeights`): items that are labeled with certainty carry no information
    on it.

    Attributes
    ----------
    scores : ndarray of shape (n_scores,)
        Scores of labeled items.
    negative, positive : ndarray of shape (n_scores,)
        Mean weights of the labels of each class.
    label_weights : LabelWeights
        Weights with which the labels represent all items, and those without a label.

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
    label_weights: LabelWeights | None = None
    is_given: ClassVar[bool] = True

    @classmethod
    def of(
        cls, scores: np.ndarray, codes: np.ndarray, weights: np.ndarray, inclusion_proba: np.ndarray
    ) -> ItemInclusion:
        """Return the inclusion model for the probabilities of all items, (n_items,).

        `codes` are 1, 0, or -1 if unlabeled; `weights` are positive multiplicities;
        `inclusion_proba` lie in [0, 1], positive for labeled items.
        """
        if goes_with_score(scores, inclusion_proba):
            return cls()
        return cls.weighted(scores, codes, weights, inclusion_proba)

    @classmethod
    def weighted(
        cls, scores: np.ndarray, codes: np.ndarray, weights: np.ndarray, inclusion_proba: np.ndarray
    ) -> ItemInclusion:
        """Return the inclusion model in which labels of similar scores differ in their weights."""
        known = codes >= 0
        if not known.any():
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
        label_weights = LabelWeights(strata, y, counts, for_all, for_unlabeled)

        distinct, cell = np.unique(labeled_scores, return_inverse=True)
        negative = _mean_by_cell(cell, counts * (y == 0), for_all)
        positive = _mean_by_cell(cell, counts * (y == 1), for_all)
        of_rows = np.ones(len(codes))
        of_rows[known] = for_all
        return cls(
            unlabeled=(1.0, label_weights.odds_ratio),
            of_rows=of_rows,
            scores=distinct,
            negative=negative,
            positive=positive,
            label_weights=label_weights,
        )

    @property
    def drawn_by(self) -> LabelWeights | None:  # type: ignore[override]
        """Label weights for drawing the odds of unlabeled items, as `Inclusion`."""
        return self.label_weights

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
        return with_odds(probability, _matching_odds(at_labels, labeled))

    def odds_of_labeled(self, probability: np.ndarray, labeled: CountedLabels) -> np.ndarray | None:
        """Return the odds of a positive among labeled items relative to all, as `Inclusion`."""
        if self.scores is None:
            return None
        smallest = np.finfo(float).eps
        return _matching_odds(np.clip(probability, smallest, 1.0 - smallest), labeled)

    def weighed(self, labeled: LabeledCells) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        if self.scores is None or self.negative is None or self.positive is None:
            return super().weighed(labeled)
        negative = np.interp(labeled.scores, self.scores, self.negative)
        positive = np.interp(labeled.scores, self.scores, self.positive)
        return labeled.negative * negative, labeled.positive * positive


@dataclass(frozen=True, eq=False)
class LabelWeights(FrozenArrays):
    """Weights with which labels represent all items, and those without a label."""

    stratum: np.ndarray  # (n_labeled,), of int, of neighboring scores
    y: np.ndarray  # (n_labeled,), 0 or 1
    counts: np.ndarray  # (n_labeled,), for how many items each label counts
    for_all: np.ndarray  # (n_labeled,), whose sum is an effective number of labels
    for_unlabeled: np.ndarray  # (n_labeled,), likewise

    @property
    def odds_ratio(self) -> float:
        """The odds ratio of a positive among unlabeled items against all (Mantel-Haenszel)."""
        sums = [self._sums(self.counts * w) for w in (self.for_unlabeled, self.for_all)]
        in_favor, against = _discordant_pairs(*sums)
        return float((PRIOR_PAIRS + in_favor) / (PRIOR_PAIRS + against))

    def drawn_odds(self, rates: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        r"""Draw that odds ratio for draws of the rate of positives at the labels, (n_draws,).

        By the labels alone both rates are shares of :math:`\sum_i e_i w_i` with standard
        exponential variables :math:`e_i` of the labels (the Bayesian bootstrap) and gamma variables
        of Jeffreys' prior, common to both. The odds ratio of these shares goes to the draw whose
        rate has the same rank as that of all items.
        """
        n_strata = int(self.stratum.max()) + 1
        of_all = np.empty(len(rates))
        log_odds = np.empty(len(rates))
        for draw in range(len(rates)):
            label_counts = rng.standard_gamma(self.counts)
            prior_counts = rng.standard_gamma(PRIOR_COUNT / n_strata, (2, n_strata))
            in_all = self._sums(label_counts * self.for_all) + prior_counts
            in_unlabeled = self._sums(label_counts * self.for_unlabeled) + prior_counts
            in_favor, against = _discordant_pairs(in_unlabeled, in_all)
            log_odds[draw] = np.log(max(in_favor, TINY)) - np.log(max(against, TINY))
            of_all[draw] = in_all[1].sum() / in_all.sum()

        odds = np.empty(len(rates))
        odds[np.argsort(rates, kind="stable")] = np.exp(log_odds[np.argsort(of_all)])
        return odds

    def _sums(self, weights: np.ndarray) -> np.ndarray:
        """Return the weights of negatives and of positives in each stratum, (2, n_strata)."""
        n_strata = int(self.stratum.max()) + 1
        cell = self.y * n_strata + self.stratum
        return np.bincount(cell, weights, 2 * n_strata).reshape(2, n_strata)


def _discordant_pairs(in_part: np.ndarray, in_all: np.ndarray) -> tuple[float, float]:
    """Return pairs of a positive of a part and a negative of all items, and of the opposite.

    Both are weights of negatives and positives in strata, (2, n_strata). A stratum counts for the
    pairs of its items, by its size.
    """
    total = in_part.sum(axis=0) + in_all.sum(axis=0)
    in_favor, against = (
        np.divide(products, total, out=np.zeros(len(total)), where=total > 0.0).sum()
        for products in (in_part[1] * in_all[0], in_part[0] * in_all[1])
    )
    return float(in_favor), float(against)


def _matching_odds(probability: np.ndarray, labeled: CountedLabels) -> np.ndarray:
    """Return the odds ratio that matches the number of positives, (n_draws,)."""
    log_odds = special.logit(probability)
    shift = np.zeros((len(probability), 1))
    for _ in range(STEPS):
        p = special.expit(log_odds + shift)
        missing = labeled.positive.sum() - np.einsum("ij,j->i", p, labeled.counts)
        slope = np.einsum("ij,j->i", p * (1.0 - p), labeled.counts) + PRECISION
        step = (missing - PRECISION * shift[:, 0]) / slope
        shift += np.clip(step, -1.0, 1.0)[:, np.newaxis]
    return np.exp(shift[:, 0])


def goes_with_score(
    scores: np.ndarray, inclusion_proba: np.ndarray, strata: np.ndarray | None = None
) -> bool:
    """Return whether items of (nearly) the same score have the same probability.

    In each of some strata, (n_items,) of int, if they are given.
    """
    if strata is None:
        strata = np.zeros(len(scores), dtype=int)
    order = np.lexsort((scores, strata))
    scores = scores[order]
    strata = strata[order]
    inclusion_proba = inclusion_proba[order]

    # The smallest and largest probability of the items of each distinct score.
    is_new = (np.diff(scores) != 0.0) | (np.diff(strata) != 0)
    firsts = np.flatnonzero(np.r_[True, is_new])
    low = np.minimum.reduceat(inclusion_proba, firsts)
    high = np.maximum.reduceat(inclusion_proba, firsts)

    before = slice(None, -2)
    after = slice(2, None)
    smallest = np.minimum(low[before], low[after]) * (1.0 - LARGEST_STEP)
    largest = np.maximum(high[before], high[after]) * (1.0 + LARGEST_STEP)
    is_inner = strata[firsts][before] == strata[firsts][after]
    in_line = (low[1:-1] >= smallest) & (high[1:-1] <= largest)

    return bool(np.array_equal(low, high) and in_line[is_inner].all())


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
    # Tied scores leave strata empty.
    return np.unique(np.searchsorted(edges, scores, side="right"), return_inverse=True)[1]


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
