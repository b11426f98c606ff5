"""Inclusion probabilities of labels: as users pass them, and their likelihood."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..exceptions import ParameterError, ParameterTypeError
from ..inputs._arrays import FrozenArrays
from ..inputs._labels import BinaryLabels
from ..inputs._validation import as_vector, check_number, listed

# Level at which a small number of labels of a class rules out that all items belong to it.
MIN_PROBABILITY = 0.05
# Shares of two classes that differ by less than this are taken to be the same.
SAME_SHARE = 1e-9


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

    def among_labeled(self, probability, sample, curves) -> np.ndarray:
        """Return the share of positives among labeled items, given that of all items.

        `probability` is (n_draws, n_scores); `sample` has the labels; `curves` maps scores to
        probabilities of the same draws.
        """
        return _among(probability, *self.labeled)

    def among_unlabeled(self, probability) -> np.ndarray:
        """Return the share of positives among unlabeled items, given that of all items."""
        return _among(probability, *self.unlabeled)

    def weighed(self, labeled) -> tuple[np.ndarray, np.ndarray]:
        """Return the likelihood weights of labeled negatives and positives of each cell."""
        return labeled.negative, labeled.positive

    def exchanged(self) -> Inclusion:
        """Return the inclusion model with the classes exchanged."""
        return AT_RANDOM

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may belong to one partially labeled class.

        `n_items` and `n_labeled` (n_sets,) count the items and those labeled as this class; `code`
        is 0 or 1.
        """
        return np.ones(np.shape(n_items), dtype=bool)

    def range_of_positives(self, sample, tail: float) -> tuple[float, float]:
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

    def is_of_labeled_class(self, n_items, n_labeled, code: int) -> np.ndarray:
        """Return whether all of some items may belong to one class, as `Inclusion`.

        The number of labels would be binomial with the known share.
        """
        unlabeled = np.maximum(np.asarray(n_items) - n_labeled, 0.0)
        with np.errstate(invalid="ignore"):
            at_most = special.betainc(unlabeled, n_labeled + 1.0, self.unlabeled[code])
        return (unlabeled == 0.0) | (at_most >= MIN_PROBABILITY)

    def range_of_positives(self, sample, tail: float) -> tuple[float, float]:
        """Return the range of the number of positives, as `Inclusion`."""
        n_items = round(float(sample.counts.sum()))
        n_labeled = (round(float(labels.sum())) for labels in (sample.negative, sample.positive))
        (fewest, most), (low, high) = (
            _sizes(count, share, n_items, tail)
            for count, share in zip(n_labeled, self.labeled, strict=True)
        )
        return float(max(low, n_items - most)), float(min(high, n_items - fewest))

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


def _among(probability, negative, positive) -> np.ndarray:
    """Return the share of positives after thinning each class by its own probability."""
    if negative == positive:
        return probability
    kept = probability * positive
    either = kept + (1.0 - probability) * negative
    # Undefined where all items belong to a class that is never kept.
    return np.divide(kept, either, out=np.array(probability, dtype=float), where=either > 0.0)


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
        labeled = sample.labeled(MAX_LABELED)
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


# Significance level of the check of inclusion probabilities.
MIN_P_VALUE = 1e-4


def read_inclusion(
    inclusion_proba, labels: BinaryLabels, scores, codes, weights
) -> tuple[Inclusion, np.ndarray | None]:
    """Validate inclusion probabilities by the labels; return also those of the items, if known.

    `inclusion_proba` is as in `PerformanceCurveEstimator.fit`; other arguments as in
    `ItemTable`.
    """
    if isinstance(inclusion_proba, Mapping):
        return _of_classes(inclusion_proba, labels, codes, weights), None
    if np.isscalar(inclusion_proba) or getattr(inclusion_proba, "shape", None) == ():
        first, second = labels.classes.tolist()
        raise ParameterTypeError.of(
            "inclusion_proba",
            "must hold the probability of each item to be labeled, or map each "
            f"class to its labeled share, such as {{{first!r}: 0.02, {second!r}: 0.5}}; got "
            f"{inclusion_proba!r}.",
        )
    chances = as_vector(inclusion_proba, "inclusion_proba", len(scores))
    check_inclusion_proba(chances, codes, weights)
    kept = weights > 0.0
    return ItemInclusion.of(scores[kept], codes[kept], weights[kept], chances[kept]), chances


def check_inclusion_proba(chances, codes, weights) -> None:
    """Raise unless they are probabilities that the labels do not contradict.

    All arguments are (n_items,); codes are -1 if unlabeled.
    """
    wrong = np.flatnonzero(~((chances >= 0.0) & (chances <= 1.0)))
    if len(wrong):
        raise ParameterError.of(
            "inclusion_proba",
            "must be probabilities in [0, 1], one for each item, labeled or "
            f"not; got {chances[wrong[0]]} at index {wrong[0]} and {len(wrong)} such values in "
            "all.",
        )
    never = np.flatnonzero((chances == 0.0) & (codes >= 0))
    if len(never):
        raise ParameterError.of(
            "inclusion_proba",
            f"is 0 for {len(never)} labeled items, rows {listed(never)}, which "
            "could not have been drawn. Pass the probability with which each was drawn.",
        )
    kept = weights > 0.0
    _check_strata(chances[kept], codes[kept], weights[kept])


def _check_strata(chances, codes, weights) -> None:
    """Raise if the number of labels of a stratum is improbable."""
    strata, stratum = np.unique(chances, return_inverse=True)
    n_items = np.round(np.bincount(stratum, weights)).astype(int)
    n_labeled = np.round(np.bincount(stratum, weights * (codes >= 0))).astype(int)
    # Lower and upper binomial tail probabilities.
    p_values = np.minimum(
        special.bdtr(n_labeled, n_items, strata),
        np.where(n_labeled > 0, special.bdtrc(n_labeled - 1, n_items, strata), 1.0),
    )
    worst = int(np.argmin(p_values))
    if p_values[worst] * 2.0 * len(strata) >= MIN_P_VALUE:
        return
    raise ValueError(
        f"The labels contradict inclusion_proba significantly: of {n_items[worst]:,.0f} items "
        f"with probability {strata[worst]:.4g}, {n_labeled[worst]:,.0f} are labeled, but "
        f"{n_items[worst] * strata[worst]:,.1f} are expected. Pass the probability that each "
        "item is labeled by now: 0 for items outside the design, and smaller values where "
        "labels were removed. Relative probabilities are not sufficient."
    )


def _of_classes(given, labels, codes, weights) -> SharesOfClasses:
    names = labels.classes.tolist()
    names = [names[1 - labels.positive], names[labels.positive]]
    if set(given) != set(names):
        raise ParameterError.of(
            "inclusion_proba",
            f"must map exactly the classes {names!r} to their labeled shares; "
            f"got {dict(given)!r}. A class without labels has share 0.",
        )
    shares = [check_number(given[c], f"inclusion_proba[{c!r}]", "[0, 1]") for c in names]
    counts = [float(weights[codes == code].sum()) for code in (0, 1)]
    for name, share, count in zip(names, shares, counts, strict=True):
        if share == 0.0 < count:
            raise ParameterError.of(
                "inclusion_proba",
                f"is 0 for class {name!r}, but {count:g} items of it are "
                "labeled: pass its labeled share.",
            )
    _check_counts(names, shares, counts, float(weights.sum()))
    return SharesOfClasses.of(*shares)


def _check_counts(names, shares, counts, n_items) -> None:
    """Raise if the label counts of both classes are improbable for every prevalence."""
    ranges = [
        _sizes(round(count), share, round(n_items), MIN_P_VALUE / 4.0)
        for count, share in zip(counts, shares, strict=True)
    ]
    smallest, most = (sum(ends) for ends in zip(*ranges, strict=True))
    if smallest <= round(n_items) <= most:
        return
    said = " and ".join(
        f"share {q:.3g} of class {name!r} with {count:g} labels: {low:,} to {high:,} items"
        for name, q, count, (low, high) in zip(names, shares, counts, ranges, strict=True)
    )
    raise ValueError(
        f"The labels contradict inclusion_proba significantly: it implies {said}; these do not "
        f"add up to the {n_items:,.0f} items of X. Pass the labeled share of all items of each "
        "class, and all these items as X."
    )


def _sizes(n_labeled: int, share: float, n_items: int, level: float) -> tuple[int, int]:
    """Return the confidence interval of a class size, given its number of labels."""
    sizes = range(n_labeled, n_items + 1)
    # Larger classes have more labels: the upper tail bounds the size from below ...
    fewest = bisect_left(
        sizes, True, key=lambda n: n_labeled == 0 or special.bdtrc(n_labeled - 1, n, share) >= level
    )
    # ... and the lower tail bounds it from above.
    beyond = bisect_left(sizes, True, key=lambda n: special.bdtr(n_labeled, n, share) < level)
    return n_labeled + fewest, n_labeled + beyond - 1
