"""Metrics of a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..inputs._arrays import Floats
from ..inputs._validation import check_count
from ._decision import Precision
from ._expectation import ExpectedRatio, LabelDistribution, ratio, sum_above, sum_below
from ._metric import RankingMetric, with_origin

# Up to this rank the sums of the discounts of ranks are in a table.
MAX_RANK = 2**14
# The probabilities of a population sum to one, up to rounding; the counts of a sample to more.
MASS_OF_POPULATION = 1.0 + 1e-6
MIN_RANK = np.finfo(float).tiny


@dataclass(frozen=True)
class AveragePrecision(RankingMetric):
    r"""The mean precision over recall, :math:`\sum_n (R_n - R_{n-1}) P_n`.

    On a finite sample the exact sum over its distinct scores, as scikit-learn's
    `average_precision_score`; on a continuous curve the area under it.

    Under independent labels :math:`N_p AP` is quadratic (eq. 12 of [1]_, where :math:`E[z^2]`
    should be :math:`p`). With the expected positives :math:`\mu_c` of a cell of :math:`m_c` items,
    those of all higher cells :math:`M_c` among :math:`N_c` items, and f = 1 if the items of the
    cell are tied, 1/2 if they are neighbors, so each has on average half of the others above
    it,

    .. math:: E[N_p AP] = \sum_c \frac{\mu_c (M_c + 1) + f (\mu_c^2 - \sum_{i \in c} p_i^2)}
        {N_c + 1 + f (m_c - 1)} ,

    exact for ties; for neighbors, up to the curvature of the ranks within a cell.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.
    """

    name: ClassVar[str] = "average_precision"
    meaning: ClassVar[str] = (
        "Precision, averaged over all recalls; for a random ranking it is the share of positives."
    )
    computed: ClassVar[str] = (
        "the sum, over all positives from the highest score down, of the precision at its "
        "score, divided by the number of positives."
    )
    aliases: ClassVar[tuple[str, ...]] = ("ap", "auprc", "prauc", "aucpr", "averageprecisionscore")
    averages: ClassVar[Precision] = Precision()

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        # Without any item above there is no positive either.
        precision = np.add(tp, fp, dtype=float)
        np.maximum(precision, MIN_RANK, out=precision)
        np.divide(tp, precision, out=precision)
        gained = np.diff(with_origin(tp), axis=1)
        if not np.all(steps):
            # Items between two thresholds have on average half of the others above them, and reach
            # their own threshold; those of a population, of mass one, weigh nothing each.
            predicted = with_origin(tp + fp)
            item = (predicted[:, -1:] > MASS_OF_POPULATION).astype(float)
            higher = with_origin(tp)[:, :-1] + (item + gained) / 2.0
            rank = predicted[:, :-1] + (item + np.diff(predicted, axis=1)) / 2.0
            precision = np.where(steps, precision, higher / np.maximum(rank, MIN_RANK))

        area = np.einsum("ij,ij->i", gained, precision)
        # Sums of non-integer weights may exceed their total by rounding.
        return np.minimum(ratio(area, tp[:, -1]), 1.0)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        within = np.where(distribution.single, 1.0, 0.5)

        # A cell without items has no rank.
        rank = distribution.counts_above + 1.0 + within * (distribution.counts - 1.0)
        rank = np.where(distribution.counts > 0.0, rank, 1.0)
        higher = sum_above(distribution.mean) + 1.0
        pairs = distribution.mean**2 - distribution.squares
        area = ((distribution.mean * higher + within * pairs) / rank).sum(axis=1)
        others = 2.0 * within * (distribution.mean - distribution.probability)
        slope = (higher + others) / rank + sum_below(distribution.mean / rank)

        if n_positive is not None:
            return ExpectedRatio(distribution, area, n_positive, slope, 0.0)
        return ExpectedRatio(distribution, area, distribution.n_positive, slope, 1.0)


@dataclass(frozen=True)
class EqualErrorRate(RankingMetric):
    """The error rate at the threshold with equal false positive and false negative rates.

    The intersection of the ROC curve, linearly interpolated, with the antidiagonal.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "equal_error_rate"
    meaning: ClassVar[str] = (
        "The error rate of both classes at the threshold at which they are equal."
    )
    computed: ClassVar[str] = (
        "where the share of missed positives equals that of negatives predicted positive."
    )
    aliases: ClassVar[tuple[str, ...]] = ("eer",)
    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        tp = with_origin(tp)
        fp = with_origin(fp)
        fpr = ratio(fp, fp[:, -1:])
        fnr = 1.0 - ratio(tp, tp[:, -1:])

        # The excess increases from -1 to 1; find the first point where it is nonnegative.
        excess = fpr - fnr
        index = np.argmax(excess >= 0.0, axis=1)
        rows = np.arange(len(tp))
        previous = np.maximum(index - 1, 0)
        after = excess[rows, index]
        before = excess[rows, previous]
        share = ratio(-before, after - before)
        start = fpr[rows, previous]

        return start + share * (fpr[rows, index] - start)


@dataclass(frozen=True)
class NormalizedDiscountedCumulativeGain(RankingMetric):
    r"""The discounted cumulative gain of the ranking, divided by that of the best ranking.

    As scikit-learn's `ndcg_score` of one ranked list with relevances 0 and 1: the positive of rank
    i gains :math:`1 / \log_2 (i + 1)`; positives among ties gain the mean over their ranks.

    It is defined for a sample, not for a population: it depends on the number of items.

    Examples
    --------
    A positive, two negatives and a positive, from the highest score down:

    >>> import numpy as np
    >>> from sklearn_spe.metrics._ranking import NormalizedDiscountedCumulativeGain
    >>> tp, fp = np.array([[1.0, 1.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0, 2.0]])
    >>> NormalizedDiscountedCumulativeGain().value(tp, fp).round(4)
    array([0.8772])
    """

    name: ClassVar[str] = "ndcg"
    meaning: ClassVar[str] = (
        "How near the positives are to the top of the ranking, the first ranks counting most."
    )
    computed: ClassVar[str] = (
        "the sum over the positives of one over the binary logarithm of their rank plus one, "
        "divided by that of the best ranking."
    )
    aliases: ClassVar[tuple[str, ...]] = ("ndcgscore", "dcg", "normalizeddiscountedcumulativegain")
    counts_items: ClassVar[bool] = True

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        called = with_origin(tp + fp)
        tp = with_origin(tp)
        share = ratio(np.diff(tp, axis=1), np.diff(called, axis=1))
        gains = np.nan_to_num(share) * np.diff(sum_of_discounts(called), axis=1)
        # Sums in another order may exceed the best by rounding.
        return np.minimum(ratio(gains.sum(axis=1), sum_of_discounts(tp[:, -1])), 1.0)


def sum_of_discounts(n_ranks: np.ndarray) -> np.ndarray:
    """Return the sum of 1 / log2(i + 1) over the ranks i from 1 to n, linear between integers."""
    n_ranks = np.asarray(n_ranks, dtype=float)
    last = int(min(n_ranks.max(initial=0.0), MAX_RANK)) + 1
    table = np.r_[0.0, np.cumsum(1.0 / np.log2(np.arange(2, last + 2)))]
    sums = np.interp(n_ranks, np.arange(last + 1), table)

    if last <= MAX_RANK:
        return sums

    # Above it by the formula of Euler and Maclaurin; the logarithmic integral is Ei(log x).
    far = np.maximum(n_ranks, MAX_RANK)
    integral, half, slope = (
        function(far + 1.0) - function(MAX_RANK + 1.0)
        for function in (
            lambda x: special.expi(np.log(x)),
            lambda x: 0.5 / np.log(x),
            lambda x: -1.0 / (12.0 * x * np.log(x) ** 2),
        )
    )
    beyond = table[MAX_RANK] + np.log(2.0) * (integral + half + slope)
    return np.where(n_ranks > MAX_RANK, beyond, sums)


@dataclass(frozen=True)
class PrecisionAtK(RankingMetric):
    """The share of positives among the k items with the highest scores (Prec@K of [1]_).

    Ties at the boundary are broken at random, and the metric is the expectation over this choice.

    The metric is defined for a sample, not for a population.

    .. versionadded:: 0.1

    Parameters
    ----------
    k : int, default=10
        The number k, at most the number of items.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    Two positives above all others, then one among two tied items:

    >>> import numpy as np
    >>> from sklearn_spe.metrics import PrecisionAtK
    >>> tp, fp = np.array([[1.0, 2.0, 3.0, 3.0]]), np.array([[0.0, 0.0, 1.0, 5.0]])
    >>> PrecisionAtK(k=4).value(tp, fp), PrecisionAtK(k=3).value(tp, fp)
    (array([0.75]), array([0.83333333]))
    """

    k: int = 10

    name: ClassVar[str] = "precision_at_k"
    meaning: ClassVar[str] = "Of the items with the highest scores, the share that is positive."
    computed: ClassVar[str] = "the positives among the k highest scores, divided by k."
    decides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count(self.k, "k")

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        if not np.all(steps):
            raise ValueError(
                f"{self.name!r} uses the {self.k} highest items of a sample, which is undefined "
                "for a population; use target='sample'."
            )
        called = with_origin(tp + fp)
        self._check(called[:, -1])
        share = self.share_called(called[:, :-1], np.diff(called, axis=1))
        hits = (share * np.diff(with_origin(tp), axis=1)).sum(axis=1)
        return ratio(hits, np.where(called[:, -1] > 0.0, self.k, 0.0))

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        self._check(distribution.n_items)
        share = self.share_called(distribution.counts_above, distribution.counts)
        hits = np.einsum("ij,j->i", distribution.mean, share)
        size = float(self.k) if distribution.n_items > 0.0 else 0.0
        return ExpectedRatio(distribution, hits, size, share, 0.0)

    @property
    def n_needed(self) -> int:
        return self.k

    def decided_above(self, scores: np.ndarray) -> np.ndarray:
        self._check(len(scores))
        return scores >= np.partition(scores, -self.k)[-self.k]

    def item_terms(self, above: np.ndarray | None = None, n_items: float | None = None) -> Any:
        # A tie at the boundary defines no decision.
        is_decision = above is not None and above.sum() == self.k
        return Precision().item_terms() if is_decision else None

    def share_called(self, higher: np.ndarray, size: np.ndarray) -> np.ndarray:
        return np.clip((self.k - higher) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)

    def _check(self, n_items: Floats) -> None:
        # Undefined without items, like any metric. Sums of weights are rounded.
        few = (n_items > 0.0) & (n_items < self.k * (1.0 - 1e-12))
        if np.any(few):
            raise ValueError(
                f"{self.name!r} needs k={self.k} items, but there are {np.min(n_items):g}; pass "
                "PrecisionAtK(k) with a smaller k."
            )


@dataclass(frozen=True)
class Prevalence(RankingMetric):
    """The share of positives among all items, independent of the ranking.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "prevalence"
    meaning: ClassVar[str] = "The share of positives among all items."
    computed: ClassVar[str] = (
        "the labeled positives and the expected unlabeled ones, divided by the number of items."
    )
    in_counts: ClassVar[str] = "Of {n} items {k} {are} positive"
    aliases: ClassVar[tuple[str, ...]] = ("baserate", "positiverate")

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        return ratio(tp[:, -1], tp[:, -1] + fp[:, -1])

    def item_terms(
        self, above: np.ndarray | None = None, n_items: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[0.0, 0.0], [1.0, 1.0]]), np.ones((2, 2))

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        if n_positive is None:
            return ExpectedRatio(
                distribution, distribution.n_positive, distribution.n_items, 1.0, 0.0
            )
        return ExpectedRatio(distribution, n_positive, distribution.n_items, 0.0, 0.0)


@dataclass(frozen=True)
class RocAuc(RankingMetric):
    r"""The probability that a positive scores above a negative, ties counting half.

    Under independent labels the number of pairs in order, and that of all pairs, are quadratic:
    with the expected positives :math:`\mu_c` and negatives :math:`\nu_c` of a cell, :math:`\sum_c
    \mu_c (\sum_{d \text{ below } c} \nu_d + \nu_c / 2) - V / 2` and :math:`E[N_p] E[N_n] - V`,
    where V is the variance of the number of positives: no item is paired with itself. Neighbors in
    a cell are in order half of the time, just as ties count.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "roc_auc"
    in_words: ClassVar[str] = "ROC AUC"
    meaning: ClassVar[str] = (
        "How often a random positive has a higher score than a random negative; 0.5 is chance."
    )
    computed: ClassVar[str] = (
        "the share of pairs of a positive and a negative in which the positive has the higher"
        " score; ties count half."
    )
    aliases: ClassVar[tuple[str, ...]] = ("auc", "auroc", "rocaucscore", "aucroc", "cstatistic")
    zero_division: ClassVar[float] = np.nan

    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> Any:
        tp = with_origin(tp)
        fp = with_origin(fp)
        area = (np.diff(fp, axis=1) * (tp[:, 1:] + tp[:, :-1])).sum(axis=1) / 2.0
        # Sums of non-integer weights may exceed their product by rounding.
        return np.minimum(ratio(area, tp[:, -1] * fp[:, -1]), 1.0)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        positive = distribution.mean
        p = distribution.probability
        negative = distribution.counts - positive
        below = sum_below(negative) + negative / 2.0
        ordered = np.einsum("ij,ij->i", positive, below) - distribution.variance.sum(axis=1) / 2.0

        # Exclude the item itself from the others of its cell, twice.
        slope = below - sum_above(positive) - positive / 2.0 + (p - 0.5)
        if n_positive is not None:
            return ExpectedRatio(
                distribution, ordered, n_positive * (distribution.n_items - n_positive), slope, 0.0
            )

        total = distribution.n_positive
        n_pairs = total * (distribution.n_items - total) - distribution.variance.sum(axis=1)
        pairs_slope = distribution.n_items - 1.0 - 2.0 * (total[:, np.newaxis] - p)

        # Second derivatives by two labels: one pair in order less, and two pairs less.
        return ExpectedRatio(distribution, ordered, n_pairs, slope, pairs_slope, -1.0, -2.0)
