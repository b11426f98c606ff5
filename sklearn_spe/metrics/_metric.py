"""Interface of metrics, as functions of the counts of positives and negatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..inputs._arrays import Floats

if TYPE_CHECKING:
    from ._expectation import ExpectedRatio, LabelDistribution

# A metric as a user passes it: its name, an instance, or a function of labels and scores.
MetricLike: TypeAlias = "str | Metric | Callable[..., Any]"


@dataclass(frozen=True)
class Metric(ABC):
    """A performance metric. Its value is NaN where undefined.

    As in scikit-learn, `zero_division` replaces NaN. In a goal the metric has a lower bound if
    `greater_is_better`, else an upper bound. Its values lie within `limits`.

    .. versionadded:: 0.1
    """

    name: ClassVar[str]
    # The name as it is read, if that is not the name without underscores.
    in_words: ClassVar[str] = ""
    # What its value is, in a sentence, and how that is computed, after "It is".
    meaning: ClassVar[str] = ""
    computed: ClassVar[str] = ""
    # A share as a sentence, without its full stop: `k` of `n`, and "is" or "are" for `k` items.
    in_counts: ClassVar[str] = ""
    # Names in use elsewhere, in lower case without separators.
    aliases: ClassVar[tuple[str, ...]] = ()
    greater_is_better: ClassVar[bool] = True
    zero_division: ClassVar[float] = 0.0
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # The threshold metric that it averages over thresholds, if any.
    averages: ClassVar[Metric | None] = None
    # Whether the metric defines which items are predicted positive, a fixed number.
    decides: ClassVar[bool] = False
    # Whether it counts items, which is undefined for a population.
    counts_items: ClassVar[bool] = False
    # Whether it is largest if recall and specificity are 1, and smallest if both are 0.
    is_extreme_by_errors: ClassVar[bool] = False
    # Whether it depends on the threshold itself, besides the counts there.
    takes_threshold: ClassVar[bool] = False

    def decided_above(self, scores: np.ndarray) -> np.ndarray | None:
        """Return which items the metric predicts positive; None unless it `decides`."""
        return None

    def item_terms(
        self, above: np.ndarray | None = None, n_items: float | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return each item's terms of numerator and denominator, if the metric is a ratio.

        Parameters
        ----------
        above : ndarray of bool of shape (n_items,), default=None
            Which items are predicted positive.
        n_items : float, default=None
            Number of items, required for metrics that count items.

        Returns
        -------
        numerator, denominator : ndarray of shape (2, 2)
            Indexed by ``[z, above]``: whether the item is positive, and whether it is predicted
            positive. The metric is the ratio of the sums of these terms over all items. None if the
            metric is not such a ratio.
        """
        return None

    @property
    def has_expectation(self) -> bool:
        """Whether `expectation` and `gradient` are available; otherwise labels must be drawn."""
        # A subclass that overrides only `value` must not inherit the formula.
        return issubclass(self._owner("expected_ratio"), self._owner("value"))

    def expectation(
        self,
        distribution: LabelDistribution,
        above: ArrayLike | None = None,
        *,
        n_positive: Floats | None = None,
    ) -> np.ndarray:
        """Return the expected value under random labels.

        The value is exact if the denominator does not depend on the labels: for accuracy,
        precision, prevalence and precision at k, and, once `n_positive` is given, for average
        precision, recall, F, the area under the ROC curve, balanced accuracy and both coefficients
        of agreement. Otherwise it is the ratio of the expectations with a second-order correction
        (:class:`ExpectedRatio`). That approximation needs several expected positives, because it
        ignores labelings without a positive, where the metric is undefined.

        Parameters
        ----------
        distribution : LabelDistribution
        above : array-like of shape (n_cells,), default=None
            For threshold metrics only: the share of each cell's items at or above the threshold, in
            [0, 1]. It is fractional if the threshold lies inside a cell or splits a tie at random.
        n_positive : float or ndarray of shape (n_draws,), default=None
            The number of positives, if known; labels are still treated as independent. None means
            that the number is random.

        Returns
        -------
        expectation : ndarray of shape (n_draws,)
            NaN if the expected denominator is zero.

        Raises
        ------
        NotImplementedError
            If there is no formula, see `has_expectation`.
        ValueError
            If `above` is missing, not allowed, has a wrong shape or lies outside [0, 1].
        """
        return self._ratio(distribution, above, n_positive).expectation

    def gradient(
        self,
        distribution: LabelDistribution,
        above: ArrayLike | None = None,
        *,
        n_positive: Floats | None = None,
    ) -> np.ndarray:
        """Return the derivative of the expectation with respect to the probability of one item.

        The gradient is that of the ratio of the expectations, without the second-order correction,
        with respect to the probability of ONE unlabeled item of each cell. An exact expectation is
        linear in each probability: a label z changes it by ``(z - p) * gradient``, hence on average
        by ``2 p (1 - p) abs(gradient)`` in absolute value.

        Parameters
        ----------
        distribution, above, n_positive
            As in :meth:`expectation`.

        Returns
        -------
        gradient : ndarray of shape (n_draws, n_cells)
            Zero in a cell without unlabeled items; NaN where the expectation is NaN.
        """
        return self._ratio(distribution, above, n_positive).gradient

    def expected_ratio(
        self,
        distribution: LabelDistribution,
        above: np.ndarray | None,
        n_positive: np.ndarray | None,
    ) -> ExpectedRatio:
        """Return the ratio that defines the expectation and its gradient.

        Metrics with an expectation override this.

        Parameters
        ----------
        distribution : LabelDistribution
        above : ndarray of shape (n_cells,) or None
            Validated; None for a ranking metric.
        n_positive : ndarray of shape (n_draws,) or None
        """
        raise NotImplementedError

    def _check_above(
        self, distribution: LabelDistribution, above: ArrayLike | None
    ) -> np.ndarray | None:
        """Return the share of each cell above the threshold, None without a threshold."""
        if above is not None:
            raise ValueError(f"{self.name!r} is a metric of the ranking and takes no above=.")
        return None

    def _ratio(
        self,
        distribution: LabelDistribution,
        above: ArrayLike | None,
        n_positive: Floats | None,
    ) -> ExpectedRatio:
        if not self.has_expectation:
            raise NotImplementedError(
                f"{self.name!r} has no closed-form expectation; draw labels, and average its "
                "values instead."
            )
        share_above = self._check_above(distribution, above)
        if n_positive is not None:
            n_positive = np.broadcast_to(
                np.asarray(n_positive, dtype=float), (distribution.n_draws,)
            )
        return self.expected_ratio(distribution, share_above, n_positive)

    def _owner(self, name: str) -> type:
        """Return the class that defines an attribute."""
        return next((cls for cls in type(self).__mro__ if name in vars(cls)), type(self))


@dataclass(frozen=True)
class ThresholdMetric(Metric):
    """A metric of the decision ``score >= threshold``.

    .. versionadded:: 0.1
    """

    @abstractmethod
    def value(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, n_negative: np.ndarray
    ) -> np.ndarray:
        """Return the metric of counts (or probabilities); all arguments broadcast."""

    def at_thresholds(self, thresholds: np.ndarray, scores: np.ndarray) -> ThresholdMetric:
        """Return the metric at given thresholds, for metrics whose value depends on them.

        Parameters
        ----------
        thresholds : ndarray of shape (n_thresholds,)
        scores : ndarray of shape (2,)
            The lowest and the highest score.
        """
        return self

    def _check_above(
        self, distribution: LabelDistribution, above: ArrayLike | None
    ) -> np.ndarray | None:
        if above is None:
            raise ValueError(
                f"{self.name!r} needs above=, the share of each cell's items at or above the "
                "threshold."
            )
        above = np.asarray(above, dtype=float)
        if above.shape != (distribution.n_cells,):
            raise ValueError(f"above must have shape ({distribution.n_cells},), got {above.shape}.")
        if not ((above >= 0.0) & (above <= 1.0)).all():
            raise ValueError("above must lie in [0, 1] in every cell.")
        return above


@dataclass(frozen=True)
class RankingMetric(Metric):
    """A metric of the ranking by score.

    .. versionadded:: 0.1
    """

    @abstractmethod
    def value(self, tp: np.ndarray, fp: np.ndarray, *, steps: bool = True) -> np.ndarray:
        """Return the metric of each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Numbers of positives and negatives at or above each threshold, for decreasing
            thresholds. The last column holds the totals.
        steps : bool or ndarray of shape (n_thresholds,), default=True
            Whether the curve has a step at a threshold, as it has at every score of a finite
            sample. Elsewhere the curve is continuous.
        """

    @property
    def n_needed(self) -> int:
        """Minimum number of items."""
        return 0

    def share_called(self, higher: np.ndarray, size: Any) -> np.ndarray | None:
        """Return the share of each tie that is predicted positive; None unless it `decides`.

        Parameters
        ----------
        higher : ndarray
            Number of items above each tie.
        size : ndarray of the same shape
        """
        return None


@dataclass(frozen=True)
class TradeoffMetric(Metric):
    """A metric of the gain and cost of a lower threshold.

    The metric depends on the curve below the threshold. Undefined values are excluded.
    """

    zero_division: ClassVar[float] = np.nan
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    @abstractmethod
    def value(
        self,
        tp: np.ndarray,
        fp: np.ndarray,
        n_positive: np.ndarray,
        tp_below: np.ndarray,
        fp_below: np.ndarray,
        probability: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the metric at each threshold, for each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Numbers of positives and negatives at or above the thresholds.
        n_positive : ndarray of shape (n_draws, 1)
        tp_below, fp_below : ndarray of shape (n_draws, n_below)
            The same numbers at decreasing thresholds, from the highest given threshold on. For a
            sample these thresholds are all lower scores, or cells.
        probability : ndarray of shape (n_draws, n_thresholds), default=None
            Probability that an item at the threshold is positive, for a continuous curve; None for
            a finite sample.

        Returns
        -------
        values : ndarray of shape (n_draws, n_thresholds)
        """


def with_origin(counts: np.ndarray) -> np.ndarray:
    """Prepend the threshold above all scores, with zero counts."""
    return np.concatenate([np.zeros((len(counts), 1)), counts], axis=1)
