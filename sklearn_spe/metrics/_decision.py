"""Metrics of a decision: ratios of counts, contingency tables, functions of predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, ClassVar

import numpy as np

from ..inputs._validation import check_number
from ._expectation import ExpectedRatio, LabelDistribution, ratio
from ._metric import ThresholdMetric

# Coefficients of tp, fp, n_positive and n_negative.
Coefficients = tuple[float, float, float, float]


@dataclass(frozen=True)
class RatioMetric(ThresholdMetric):
    """A threshold metric defined as a ratio of linear functions of the counts.

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

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> Any:
        counts = (tp, fp, n_positive, n_negative)
        return ratio(combined(self.numerator, counts), combined(self.denominator, counts))

    def item_terms(self, above: Any = None, n_items: Any = None) -> tuple:
        return terms_of(self.numerator), terms_of(self.denominator)

    def expected_ratio(self, distribution: Any, above: Any, n_positive: Any) -> ExpectedRatio:
        tp = np.einsum("ij,j->i", distribution.mean, above)
        fp = np.einsum("ij,j->i", distribution.counts - distribution.mean, above)
        total = distribution.n_positive if n_positive is None else n_positive
        counts = (tp, fp, total, distribution.n_items - total)
        # A positive label increases n_positive and decreases n_negative, unless the number is
        # given.
        of_total = 1.0 if n_positive is None else 0.0
        return ExpectedRatio(
            distribution,
            *(combined(c, counts) for c in (self.numerator, self.denominator)),
            *(
                above * (c[0] - c[1]) + of_total * (c[2] - c[3])
                for c in (self.numerator, self.denominator)
            ),
        )


def combined(coefficients: Any, counts: Any) -> Any:
    """Return a linear function of the counts."""
    terms = [(c, count) for c, count in zip(coefficients, counts, strict=True) if c != 0.0]
    # Subtract last, so that no partial sum is negative.
    terms.sort(key=lambda term: term[0] < 0.0)
    return reduce(add, (c * count for c, count in terms))


def terms_of(coefficients: Any) -> np.ndarray:
    """Return one item's term of a linear function of the counts, ``[z, above]``."""
    tp, fp, n_positive, n_negative = coefficients
    return np.array([[n_negative, n_negative + fp], [n_positive, n_positive + tp]], dtype=float)


@dataclass(frozen=True)
class Precision(RatioMetric):
    """The share of positives among the items at or above the threshold (eq. 5 of SPE)."""

    name: ClassVar[str] = "precision"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Recall(RatioMetric):
    """The share of the positives that lie at or above the threshold (eq. 4 of SPE)."""

    name: ClassVar[str] = "recall"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FBeta(RatioMetric):
    """The weighted harmonic mean of precision and recall.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall relative to precision.
    """

    beta: float = 1.0

    name: ClassVar[str] = "f1"

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
    """The share of items with the correct decision."""

    name: ClassVar[str] = "accuracy"
    numerator: ClassVar[Coefficients] = (1.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Specificity(RatioMetric):
    """The share of the negatives that lie below the threshold."""

    name: ClassVar[str] = "specificity"
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class FalsePositiveRate(RatioMetric):
    """The share of the negatives that lie at or above the threshold."""

    name: ClassVar[str] = "false_positive_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class NegativePredictiveValue(RatioMetric):
    """The share of negatives among the items below the threshold."""

    name: ClassVar[str] = "negative_predictive_value"
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (-1.0, -1.0, 1.0, 1.0)


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
    >>> from sklearn_spe.metrics import FalseNegatives, TruePositives
    >>> counts = {"tp": 8, "fp": 2, "n_positive": 10, "n_negative": 20}
    >>> TruePositives().value(**counts), FalseNegatives().value(**counts)
    (8.0, 2.0)
    """

    coefficients: ClassVar[Coefficients]
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)
    counts_items: ClassVar[bool] = True

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> Any:
        return combined(self.coefficients, (tp, fp, n_positive, n_negative))

    def item_terms(self, above: Any = None, n_items: Any = None) -> tuple | None:
        if n_items is None:
            return None
        # The sum of the denominator over all items is one.
        return terms_of(self.coefficients), np.full((2, 2), 1.0 / n_items)

    def expected_ratio(self, distribution: Any, above: Any, n_positive: Any) -> ExpectedRatio:
        tp = np.einsum("ij,j->i", distribution.mean, above)
        fp = np.einsum("ij,j->i", distribution.counts - distribution.mean, above)
        total = distribution.n_positive if n_positive is None else n_positive
        c, of_total = self.coefficients, 1.0 if n_positive is None else 0.0
        slope = above * (c[0] - c[1]) + of_total * (c[2] - c[3])
        counted = combined(c, (tp, fp, total, distribution.n_items - total))
        return ExpectedRatio(distribution, counted, 1.0, slope, 0.0)


@dataclass(frozen=True)
class TruePositives(CountMetric):
    """Number of positives at or above the threshold."""

    name: ClassVar[str] = "true_positives"
    coefficients: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FalseNegatives(CountMetric):
    """Number of positives below the threshold."""

    name: ClassVar[str] = "false_negatives"
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (-1.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FalsePositives(CountMetric):
    """Number of negatives at or above the threshold."""

    name: ClassVar[str] = "false_positives"
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class PredictedPositives(CountMetric):
    """Number of items at or above the threshold."""

    name: ClassVar[str] = "predicted_positives"
    coefficients: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Contingency:
    r"""Building blocks of metrics of the confusion matrix, with their derivatives.

    Given A of N items predicted positive, the metrics are functions of the determinant
    :math:`TP\,TN - FP\,FN = N\,TP - A N_p`, which is linear in the labels, and of the number of
    pairs of a positive and a negative, :math:`N_p (N - N_p)`, which is quadratic. `above`
    (n_cells,) is the share of each cell predicted positive; `given` (n_draws,) is the number of
    positives, if known.
    """

    distribution: LabelDistribution
    above: np.ndarray
    given: np.ndarray | None

    @cached_property
    def n_positive(self) -> np.ndarray:
        """The expected number of positives, of shape (n_draws,)."""
        return self.distribution.n_positive if self.given is None else self.given

    @cached_property
    def n_positive_slope(self) -> float:
        """Its derivative by one label."""
        return 1.0 if self.given is None else 0.0

    @cached_property
    def n_called(self) -> float:
        """Number of predicted positives."""
        return float(np.einsum("j,j->", self.distribution.counts, self.above))

    @cached_property
    def tp(self) -> np.ndarray:
        """Expected number of true positives, (n_draws,)."""
        return np.einsum("ij,j->i", self.distribution.mean, self.above)

    @cached_property
    def determinant(self) -> np.ndarray:
        """Expected determinant, (n_draws,)."""
        return self.distribution.n_items * self.tp - self.n_called * self.n_positive

    @cached_property
    def determinant_slope(self) -> np.ndarray:
        """Its derivative by the label of an item in each cell, (n_cells,)."""
        return self.distribution.n_items * self.above - self.n_called * self.n_positive_slope

    @cached_property
    def n_pairs(self) -> np.ndarray:
        """Expected number of pairs of a positive and a negative, (n_draws,)."""
        # No item is paired with itself. With a single class rounding may give a negative number.
        drawn = self.n_positive_slope * self.distribution.variance.sum(axis=1)
        return np.maximum(
            self.n_positive * (self.distribution.n_items - self.n_positive) - drawn, 0.0
        )

    @cached_property
    def n_pairs_slope(self) -> np.ndarray | float:
        """Its derivative by the label of an item in each cell, (n_draws, n_cells)."""
        others = self.n_positive[:, np.newaxis] - self.distribution.probability
        return self.n_positive_slope * (self.distribution.n_items - 1.0 - 2.0 * others)

    @property
    def n_pairs_pairs(self) -> float:
        """Its second derivative by two labels."""
        return -2.0 * self.n_positive_slope


@dataclass(frozen=True)
class BalancedAccuracy(ThresholdMetric):
    """Mean of recall and specificity.

    If all items belong to one class it is the accuracy on that class, as in scikit-learn's
    `balanced_accuracy_score`.

    Examples
    --------
    One of two positives and six of eight negatives are predicted correctly:

    >>> from sklearn_spe.metrics import BalancedAccuracy
    >>> float(BalancedAccuracy().value(tp=1, fp=2, n_positive=2, n_negative=8))
    0.625
    """

    name: ClassVar[str] = "balanced_accuracy"

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> np.ndarray:
        recall, specificity = ratio(tp, n_positive), ratio(n_negative - fp, n_negative)
        of_one = np.where(np.isnan(recall), specificity, recall)
        of_both = (recall + specificity) / 2.0
        return np.where(np.isnan(of_both), of_one, of_both)

    def expected_ratio(self, distribution: Any, above: Any, n_positive: Any) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        both = table.n_pairs > 0.0
        # With a single class it is the accuracy.
        right = distribution.n_items - table.n_called - table.n_positive + 2.0 * table.tp
        right_slope = 2.0 * above - table.n_positive_slope
        rows = both[:, np.newaxis]
        return ExpectedRatio(
            distribution,
            np.where(both, table.determinant + table.n_pairs, right),
            np.where(both, 2.0 * table.n_pairs, distribution.n_items),
            np.where(rows, table.determinant_slope + table.n_pairs_slope, right_slope),
            np.where(rows, 2.0 * table.n_pairs_slope, 0.0),
            table.n_pairs_pairs,
            2.0 * table.n_pairs_pairs,
        )


@dataclass(frozen=True)
class CohenKappa(ThresholdMetric):
    r"""Cohen's kappa: agreement of decisions and classes beyond chance, in [-1, 1].

    .. math:: \frac{2 (TP\,TN - FP\,FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    Undefined if all items belong to one class and are predicted as such; scikit-learn's
    `cohen_kappa_score` is NaN there.

    Examples
    --------
    >>> from sklearn_spe.metrics import CohenKappa
    >>> float(CohenKappa().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "cohen_kappa"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    zero_division: ClassVar[float] = np.nan

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> Any:
        fn, tn = n_positive - tp, n_negative - fp
        chance = (tp + fp) * n_negative + n_positive * (fn + tn)
        return ratio(2.0 * (tp * tn - fp * fn), chance)

    def expected_ratio(self, distribution: Any, above: Any, n_positive: Any) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        n, called = distribution.n_items, table.n_called
        return ExpectedRatio(
            distribution,
            2.0 * table.determinant,
            called * (n - table.n_positive) + (n - called) * table.n_positive,
            2.0 * table.determinant_slope,
            table.n_positive_slope * (n - 2.0 * called),
        )


@dataclass(frozen=True)
class MatthewsCorrcoef(ThresholdMetric):
    r"""Matthews correlation coefficient of decisions and classes, in [-1, 1].

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Undefined if all items belong to one class, or are predicted as one; scikit-learn's
    `matthews_corrcoef` is zero there.

    Examples
    --------
    >>> from sklearn_spe.metrics import MatthewsCorrcoef
    >>> float(MatthewsCorrcoef().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "matthews_corrcoef"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> Any:
        # If all items lie above the threshold, rounding may give negative counts below.
        fn, tn = np.maximum(n_positive - tp, 0.0), np.maximum(n_negative - fp, 0.0)
        # Separate square roots: the product of four counts would lose precision, or overflow.
        spread = np.sqrt(tp + fp) * np.sqrt(fn + tn) * np.sqrt(n_positive) * np.sqrt(n_negative)
        return ratio(tp * tn - fp * fn, spread)

    def expected_ratio(self, distribution: Any, above: Any, n_positive: Any) -> ExpectedRatio:
        table = Contingency(distribution, above, n_positive)
        spread = np.sqrt(table.n_called * np.maximum(distribution.n_items - table.n_called, 0.0))
        return ExpectedRatio(
            distribution,
            ratio(table.determinant, spread),
            table.n_pairs,
            ratio(table.determinant_slope, spread),
            table.n_pairs_slope,
            denominator_pairs=table.n_pairs_pairs,
            power=0.5,
        )


# True class and decision of tp, fn, fp, tn.
LABELS, DECISIONS = np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0])


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

    function: Callable

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

    def value(self, tp: Any, fp: Any, n_positive: Any, n_negative: Any) -> Any:
        counts = np.broadcast_arrays(tp, n_positive - tp, fp, n_negative - fp)
        shape = counts[0].shape
        tables, which = np.unique(np.reshape(counts, (4, -1)).T, axis=0, return_inverse=True)
        return np.array([self._of(table) for table in tables])[which].reshape(shape)

    def _of(self, table: Any) -> float:
        held = table > 0.0
        if not held.any():
            return np.nan
        try:
            value = self.function(LABELS[held], DECISIONS[held], sample_weight=table[held])
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
