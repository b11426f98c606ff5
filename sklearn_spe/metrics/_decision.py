"""Metrics of a decision: ratios of counts, contingency tables, functions of predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..inputs._validation import check_number
from ._expectation import ExpectedRatio, LabelDistribution, ratio
from ._metric import ThresholdMetric

# Coefficients of tp, fp, n_positive and n_negative.
Coefficients = tuple[float, float, float, float]
# True class and decision of tp, fn, fp, tn.
LABELS, DECISIONS = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])


class Contingency:
    r"""The expected confusion matrix of random labels, with derivatives by the label of one item.

    Given A of N items predicted positive, metrics of the whole matrix are functions of the
    determinant :math:`TP\,TN - FP\,FN = N\,TP - A N_p`, which is linear in the labels, and of the
    number of pairs of a positive and a negative, :math:`N_p (N - N_p)`, which is quadratic.

    Parameters
    ----------
    distribution : LabelDistribution
    above : ndarray of shape (n_cells,)
        The share of each cell predicted positive.
    given : ndarray of shape (n_draws,) or None
        The number of positives, if known.
    """

    def __init__(
        self, distribution: LabelDistribution, above: Any, n_positive: np.ndarray | None
    ) -> None:
        self.distribution = distribution
        self.above = above
        self.n_positive = distribution.n_positive if n_positive is None else n_positive
        # A positive label increases n_positive and decreases n_negative, unless the number is
        # given.
        self.n_positive_slope = 1.0 if n_positive is None else 0.0
        self.tp = np.einsum("ij,j->i", distribution.mean, above)

    @property
    def counts(self) -> tuple[Any, ...]:
        """The expected tp, fp, n_positive and n_negative, (n_draws,) each."""
        negative = self.distribution.counts - self.distribution.mean
        fp = np.einsum("ij,j->i", negative, self.above)
        return self.tp, fp, self.n_positive, self.distribution.n_items - self.n_positive

    def slope(self, coefficients: Coefficients) -> np.ndarray:
        """Return the derivative of a linear function of the counts, (n_cells,)."""
        tp, fp, n_positive, n_negative = coefficients
        return self.above * (tp - fp) + self.n_positive_slope * (n_positive - n_negative)

    def determinant(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the expected determinant, its derivative, and the number predicted positive."""
        n_items = self.distribution.n_items
        n_called = float(np.einsum("j,j->", self.distribution.counts, self.above))
        return (
            n_items * self.tp - n_called * self.n_positive,
            n_items * self.above - n_called * self.n_positive_slope,
            n_called,
        )

    def pairs(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the expected number of pairs, its gradient, and its mixed second derivative."""
        n_items = self.distribution.n_items
        # No item is paired with itself. With a single class rounding may give a negative number.
        drawn = self.n_positive_slope * self.distribution.variance.sum(axis=1)
        others = self.n_positive[:, np.newaxis] - self.distribution.probability
        return (
            np.maximum(self.n_positive * (n_items - self.n_positive) - drawn, 0.0),
            self.n_positive_slope * (n_items - 1.0 - 2.0 * others),
            -2.0 * self.n_positive_slope,
        )


@dataclass(frozen=True)
class RatioMetric(ThresholdMetric):
    """A threshold metric defined as a ratio of linear functions of the counts.

    .. versionadded:: 0.1

    Attributes
    ----------
    numerator, denominator : tuple of four floats
        The coefficients of tp, fp, n_positive and n_negative.

    Examples
    --------
    The share of items below the threshold among the negatives, which is specificity:

    >>> from sklearn_spe.metrics import RatioMetric
    >>> class Mine(RatioMetric):
    ...     name = "mine"
    ...     numerator = (0, -1, 0, 1)
    ...     denominator = (0, 0, 0, 1)
    >>> float(Mine().value(tp=8, fp=2, n_positive=10, n_negative=20))
    0.9
    """

    numerator: ClassVar[Coefficients]
    denominator: ClassVar[Coefficients]

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        counts = (tp, fp, n_positive, n_negative)
        return ratio(combined(self.numerator, counts), combined(self.denominator, counts))

    def item_terms(
        self, above: np.ndarray | None = None, n_items: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        return terms_of(self.numerator), terms_of(self.denominator)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        return ExpectedRatio(
            distribution,
            combined(self.numerator, table.counts),
            combined(self.denominator, table.counts),
            table.slope(self.numerator),
            table.slope(self.denominator),
        )


def combined(coefficients: Coefficients, counts: tuple[Any, ...]) -> Any:
    """Return a linear function of the counts."""
    total = 0.0
    for coefficient, count in zip(coefficients, counts, strict=True):
        if coefficient > 0.0:
            total = total + coefficient * count

    # Subtract last, so that no partial sum is negative.
    for coefficient, count in zip(coefficients, counts, strict=True):
        if coefficient < 0.0:
            total = total + coefficient * count
    return total


def terms_of(coefficients: Coefficients) -> np.ndarray:
    """Return one item's term of a linear function of the counts, ``[z, above]``."""
    tp, fp, n_positive, n_negative = coefficients
    return np.array([[n_negative, n_negative + fp], [n_positive, n_positive + tp]], dtype=float)


@dataclass(frozen=True)
class Precision(RatioMetric):
    """The share of positives among the items at or above the threshold (eq. 5 of SPE).

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "precision"
    meaning: ClassVar[str] = "Of the items predicted positive, the share that truly is."
    computed: ClassVar[str] = (
        "true positives divided by the items whose score reaches the threshold."
    )
    in_counts: ClassVar[str] = "Of {n} items predicted positive {k} {are} truly positive"
    aliases: ClassVar[tuple[str, ...]] = ("ppv", "positivepredictivevalue", "precisionscore")
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Recall(RatioMetric):
    """The share of the positives that lie at or above the threshold (eq. 4 of SPE).

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "recall"
    meaning: ClassVar[str] = "Of the positives, the share that is predicted positive."
    computed: ClassVar[str] = "true positives divided by all positives."
    in_counts: ClassVar[str] = "It finds {k} of {n} positives"
    aliases: ClassVar[tuple[str, ...]] = (
        "tpr",
        "sensitivity",
        "hitrate",
        "truepositiverate",
        "recallscore",
    )
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FBeta(RatioMetric):
    """The weighted harmonic mean of precision and recall.

    .. versionadded:: 0.1

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall relative to precision.
    """

    beta: float = 1.0

    name: ClassVar[str] = "f1"
    in_words: ClassVar[str] = "F1"
    meaning: ClassVar[str] = "The harmonic mean of precision and recall."
    computed: ClassVar[str] = (
        "twice the true positives, divided by the items predicted positive plus all positives."
    )
    aliases: ClassVar[tuple[str, ...]] = ("f", "fscore", "fmeasure", "f1score", "dice")

    def __post_init__(self) -> None:
        beta = check_number(self.beta, "beta", "[0, inf)")
        object.__setattr__(self, "name", f"f{beta:g}")

    @property
    def numerator(self) -> Coefficients:  # type: ignore[override]
        return 1.0 + self.beta**2, 0.0, 0.0, 0.0

    @property
    def denominator(self) -> Coefficients:  # type: ignore[override]
        return 1.0, 1.0, self.beta**2, 0.0


@dataclass(frozen=True)
class Accuracy(RatioMetric):
    """The share of items with the correct decision.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "accuracy"
    meaning: ClassVar[str] = "The share of predictions that are right."
    computed: ClassVar[str] = "right predictions divided by the number of items."
    in_counts: ClassVar[str] = "Of {n} predictions {k} {are} right"
    aliases: ClassVar[tuple[str, ...]] = ("acc", "accuracyscore", "micro")
    numerator: ClassVar[Coefficients] = (1.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Specificity(RatioMetric):
    """The share of the negatives that lie below the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "specificity"
    meaning: ClassVar[str] = "Of the negatives, the share that is predicted negative."
    computed: ClassVar[str] = "true negatives divided by all negatives."
    in_counts: ClassVar[str] = "Of {n} negatives {k} {are} predicted negative"
    aliases: ClassVar[tuple[str, ...]] = ("tnr", "truenegativerate", "selectivity")
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class FalsePositiveRate(RatioMetric):
    """The share of the negatives that lie at or above the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "false_positive_rate"
    meaning: ClassVar[str] = "Of the negatives, the share that is predicted positive."
    computed: ClassVar[str] = "false alarms divided by all negatives."
    in_counts: ClassVar[str] = "Of {n} negatives {k} {are} predicted positive"
    aliases: ClassVar[tuple[str, ...]] = ("fpr", "fallout", "falsealarmrate")
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class NegativePredictiveValue(RatioMetric):
    """The share of negatives among the items below the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "negative_predictive_value"
    meaning: ClassVar[str] = "Of the items predicted negative, the share that truly is."
    computed: ClassVar[str] = (
        "true negatives divided by the items whose score does not reach the threshold."
    )
    in_counts: ClassVar[str] = "Of {n} items predicted negative {k} {are} truly negative"
    aliases: ClassVar[tuple[str, ...]] = ("npv",)
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (-1.0, -1.0, 1.0, 1.0)


@dataclass(frozen=True)
class NetBenefit(ThresholdMetric):
    r"""The net benefit of decision curve analysis [1]_, per item.

    .. math:: \frac{TP}{n} - \frac{FP}{n} \cdot \frac{p_t}{1 - p_t}

    At the threshold probability :math:`p_t`, acting and not acting have equal benefit. The odds
    :math:`p_t / (1 - p_t)` are thus the cost of a false positive, in units of the benefit of a true
    positive. Predicting no positives has net benefit 0.

    .. versionadded:: 0.1

    Parameters
    ----------
    threshold_probability : float in [0, 1), default=None
        The probability :math:`p_t`. None means that the scores are probabilities of the positive
        class, and that :math:`p_t` is the threshold.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin. "Decision curve analysis: a novel method for evaluating
       prediction models." Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    Of 100 items 10 are positive, of which 8 are found with 6 false alarms:

    >>> from sklearn_spe.metrics import NetBenefit
    >>> float(NetBenefit(0.25).value(tp=8, fp=6, n_positive=10, n_negative=90))
    0.06
    """

    threshold_probability: Any = None

    name: ClassVar[str] = "net_benefit"
    meaning: ClassVar[str] = (
        "True positives per item, less false alarms at the odds of the threshold probability."
    )
    computed: ClassVar[str] = (
        "true positives minus false alarms times p / (1 - p), with p the threshold, divided "
        "by the number of items."
    )
    aliases: ClassVar[tuple[str, ...]] = ("dca", "decisioncurve")
    takes_threshold: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-np.inf, 1.0)
    zero_division: ClassVar[float] = np.nan

    def __post_init__(self) -> None:
        if self.threshold_probability is not None and not isinstance(
            self.threshold_probability, tuple
        ):
            check_number(self.threshold_probability, "threshold_probability", "[0, 1)")

    def at_thresholds(self, thresholds: np.ndarray, scores: np.ndarray) -> NetBenefit:
        if self.threshold_probability is not None:
            return self

        are_probabilities = ((scores >= 0.0) & (scores <= 1.0)).all()
        if not are_probabilities or not ((thresholds >= 0.0) & (thresholds < 1.0)).all():
            raise ValueError(
                "'net_benefit' takes the threshold as the threshold probability: it must lie in "
                f"[0, 1), and the scores in [0, 1]; got thresholds from {thresholds.min():g} to "
                f"{thresholds.max():g}, and scores from {scores.min():g} to {scores.max():g}. Pass "
                "thresholds of probabilities, or state the probability apart: "
                "sklearn_spe.metrics.NetBenefit(threshold_probability=0.2)."
            )

        return NetBenefit(tuple(thresholds.tolist()))

    @property
    def false_positive_cost(self) -> np.ndarray:
        """The cost of a false positive in units of true positives, (n_thresholds,)."""
        if self.threshold_probability is None:
            raise ValueError(
                "'net_benefit' needs a threshold probability, and here its threshold is none. Pass "
                "sklearn_spe.metrics.NetBenefit(threshold_probability=0.2)."
            )
        probability = np.asarray(self.threshold_probability)
        return probability / (1.0 - probability)

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        return ratio(tp - fp * self.false_positive_cost, n_positive + n_negative)


@dataclass(frozen=True)
class CountMetric(ThresholdMetric):
    """A number of items, defined as a linear function of the counts.

    It is defined for a sample, not for a population. With weighted items it is a sum of weights.

    Attributes
    ----------
    coefficients : tuple of four floats
        Coefficients of tp, fp, n_positive and n_negative.

    Examples
    --------
    >>> from sklearn_spe.metrics._decision import FalseNegatives, TruePositives
    >>> counts = {"tp": 8, "fp": 2, "n_positive": 10, "n_negative": 20}
    >>> TruePositives().value(**counts), FalseNegatives().value(**counts)
    (8.0, 2.0)
    """

    coefficients: ClassVar[Coefficients]
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)
    counts_items: ClassVar[bool] = True

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        return combined(self.coefficients, (tp, fp, n_positive, n_negative))

    def item_terms(
        self, above: np.ndarray | None = None, n_items: float | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if n_items is None:
            return None
        # The sum of the denominator over all items is one.
        return terms_of(self.coefficients), np.full((2, 2), 1.0 / n_items)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        counted = combined(self.coefficients, table.counts)
        return ExpectedRatio(distribution, counted, 1.0, table.slope(self.coefficients), 0.0)


@dataclass(frozen=True)
class TruePositives(CountMetric):
    """Number of positives at or above the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "true_positives"
    meaning: ClassVar[str] = "The number of positives that are predicted positive."
    computed: ClassVar[str] = "the positives whose score reaches the threshold."
    aliases: ClassVar[tuple[str, ...]] = ("tp", "hits")
    coefficients: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FalseNegatives(CountMetric):
    """Number of positives below the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "false_negatives"
    meaning: ClassVar[str] = "The number of positives that are missed."
    computed: ClassVar[str] = "the positives whose score does not reach the threshold."
    aliases: ClassVar[tuple[str, ...]] = ("fn", "misses")
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (-1.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FalsePositives(CountMetric):
    """Number of negatives at or above the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "false_positives"
    meaning: ClassVar[str] = "The number of false alarms."
    computed: ClassVar[str] = "the negatives whose score reaches the threshold."
    aliases: ClassVar[tuple[str, ...]] = ("fp", "falsealarms")
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class PredictedPositives(CountMetric):
    """Number of items at or above the threshold.

    .. versionadded:: 0.1
    """

    name: ClassVar[str] = "predicted_positives"
    meaning: ClassVar[str] = "The number of items that are predicted positive."
    computed: ClassVar[str] = "the items whose score reaches the threshold."
    coefficients: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class BalancedAccuracy(ThresholdMetric):
    """Mean of recall and specificity.

    If all items belong to one class it is the accuracy on that class, as in scikit-learn's
    `balanced_accuracy_score`.

    .. versionadded:: 0.1

    Examples
    --------
    One of two positives and six of eight negatives are predicted correctly:

    >>> from sklearn_spe.metrics._decision import BalancedAccuracy
    >>> float(BalancedAccuracy().value(tp=1, fp=2, n_positive=2, n_negative=8))
    0.625
    """

    name: ClassVar[str] = "balanced_accuracy"
    meaning: ClassVar[str] = "The mean of the recalls of all classes."
    computed: ClassVar[str] = "the mean of the recalls of all classes."
    aliases: ClassVar[tuple[str, ...]] = ("bacc", "balancedaccuracyscore")
    is_extreme_by_errors: ClassVar[bool] = True

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> np.ndarray:
        recall = ratio(tp, n_positive)
        specificity = ratio(n_negative - fp, n_negative)
        # With a single class it is the share of that class.
        of_single = np.where(np.isnan(recall), specificity, recall)
        mean = (recall + specificity) / 2.0
        return np.where(np.isnan(mean), of_single, mean)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        determinant, determinant_slope, n_called = table.determinant()
        n_pairs, n_pairs_slope, n_pairs_pairs = table.pairs()
        both = n_pairs > 0.0

        # With a single class it is the accuracy.
        right = distribution.n_items - n_called - table.n_positive + 2.0 * table.tp
        right_slope = 2.0 * table.above - table.n_positive_slope
        rows = both[:, np.newaxis]

        return ExpectedRatio(
            distribution,
            np.where(both, determinant + n_pairs, right),
            np.where(both, 2.0 * n_pairs, distribution.n_items),
            np.where(rows, determinant_slope + n_pairs_slope, right_slope),
            np.where(rows, 2.0 * n_pairs_slope, 0.0),
            n_pairs_pairs,
            2.0 * n_pairs_pairs,
        )


@dataclass(frozen=True)
class CohenKappa(ThresholdMetric):
    r"""Cohen's kappa: agreement of decisions and classes beyond chance, in [-1, 1].

    .. math:: \frac{2 (TP\,TN - FP\,FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    Undefined if all items belong to one class and are predicted as such; scikit-learn's
    `cohen_kappa_score` is NaN there.

    .. versionadded:: 0.1

    Examples
    --------
    >>> from sklearn_spe.metrics._decision import CohenKappa
    >>> float(CohenKappa().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "cohen_kappa"
    meaning: ClassVar[str] = "Agreement beyond chance; 0 is chance, 1 is perfect."
    computed: ClassVar[str] = (
        "one minus the error rate, divided by that of independent predictions."
    )
    aliases: ClassVar[tuple[str, ...]] = ("kappa", "cohenkappascore")
    is_extreme_by_errors: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    zero_division: ClassVar[float] = np.nan

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        fn = n_positive - tp
        tn = n_negative - fp
        chance = (tp + fp) * n_negative + n_positive * (fn + tn)
        return ratio(2.0 * (tp * tn - fp * fn), chance)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        determinant, slope, called = table.determinant()
        n = distribution.n_items
        return ExpectedRatio(
            distribution,
            2.0 * determinant,
            called * (n - table.n_positive) + (n - called) * table.n_positive,
            2.0 * slope,
            table.n_positive_slope * (n - 2.0 * called),
        )


@dataclass(frozen=True)
class MatthewsCorrcoef(ThresholdMetric):
    r"""Matthews correlation coefficient of decisions and classes, in [-1, 1].

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Undefined if all items belong to one class, or are predicted as one; scikit-learn's
    `matthews_corrcoef` is zero there.

    .. versionadded:: 0.1

    Examples
    --------
    >>> from sklearn_spe.metrics._decision import MatthewsCorrcoef
    >>> float(MatthewsCorrcoef().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "matthews_corrcoef"
    meaning: ClassVar[str] = (
        "The correlation of predictions and classes; 0 is chance, 1 is perfect."
    )
    computed: ClassVar[str] = "the correlation coefficient of the two indicators."
    aliases: ClassVar[tuple[str, ...]] = ("mcc", "phi", "matthews")
    is_extreme_by_errors: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        # If all items lie above the threshold, rounding may give negative counts below.
        fn = np.maximum(n_positive - tp, 0.0)
        tn = np.maximum(n_negative - fp, 0.0)
        # Separate square roots: the product of four counts would lose precision, or overflow.
        spread = np.sqrt(tp + fp) * np.sqrt(fn + tn) * np.sqrt(n_positive) * np.sqrt(n_negative)
        return ratio(tp * tn - fp * fn, spread)

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        determinant, slope, called = table.determinant()
        n_pairs, n_pairs_slope, n_pairs_pairs = table.pairs()
        spread = np.sqrt(called * np.maximum(distribution.n_items - called, 0.0))

        return ExpectedRatio(
            distribution,
            ratio(determinant, spread),
            n_pairs,
            ratio(slope, spread),
            n_pairs_slope,
            denominator_pairs=n_pairs_pairs,
            power=0.5,
        )


@dataclass(frozen=True)
class OfPredictions(ThresholdMetric):
    """Any ``function(y_true, y_pred, sample_weight=...)`` of binary labels and decisions.

    It is called once for each distinct confusion matrix, with one row for each nonempty cell,
    weighted by its count. That is one call for every draw and threshold: functions of scikit-learn,
    at about a millisecond each, take minutes for a curve. A subclass of `ThresholdMetric` or
    `RatioMetric` is vectorized and much faster. The range is unknown, and larger values are assumed
    to be better.

    Parameters
    ----------
    function : callable
        Like the metrics of scikit-learn; NaN where undefined.

    Examples
    --------
    >>> from sklearn.metrics import fbeta_score
    >>> from sklearn_spe.metrics import FBeta
    >>> from sklearn_spe.metrics._decision import OfPredictions
    >>> def f2(y_true, y_pred, sample_weight):
    ...     return fbeta_score(y_true, y_pred, beta=2, sample_weight=sample_weight)
    >>> counts = {"tp": 6, "fp": 2, "n_positive": 10, "n_negative": 30}
    >>> OfPredictions(f2).name, float(OfPredictions(f2).value(**counts).round(6))
    ('f2', 0.625)
    >>> float(FBeta(2).value(**counts))
    0.625
    """

    function: Callable[..., Any]

    name: ClassVar[str] = "metric"
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    zero_division: ClassVar[float] = np.nan

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise TypeError(
                f"function must be a callable metric(y_true, y_pred, sample_weight=...), got "
                f"{self.function!r}."
            )
        name = getattr(self.function, "__name__", type(self.function).__name__)
        object.__setattr__(self, "name", name)

    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> Any:
        counts = np.broadcast_arrays(tp, n_positive - tp, fp, n_negative - fp)
        shape = counts[0].shape
        # Each different table is evaluated once.
        tables, index = np.unique(np.reshape(counts, (4, -1)).T, axis=0, return_inverse=True)
        values = np.array([self._of(table) for table in tables])
        return values[index].reshape(shape)

    def _of(self, table: np.ndarray) -> float:
        filled = table > 0.0
        if not filled.any():
            return np.nan

        try:
            value = self.function(LABELS[filled], DECISIONS[filled], sample_weight=table[filled])
        except TypeError as error:
            raise TypeError(
                f"{self.name!r} must take labels, decisions and sample_weight=, as "
                f"metric(y_true, y_pred, sample_weight=...); it raised: {error}"
            ) from error

        if not np.isscalar(value) or isinstance(value, str):
            raise ValueError(
                f"{self.name!r}, a metric(y_true, y_pred, sample_weight=...), must return one "
                f"number, got {value!r}."
            )

        number: Any = value
        return float(number)
