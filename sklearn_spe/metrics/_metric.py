"""The contract of a metric: a number from how many positives and negatives lie where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from ._expected_ratio import ExpectedRatio
    from ._label_law import LabelLaw


@dataclass(frozen=True)
class Metric(ABC):
    """A performance measure. Where it is not defined its value is NaN.

    `zero_division` is what takes the place of NaN, as in scikit-learn; a goal is a lower bound
    if `greater_is_better`, else an upper one; values lie within `limits`.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool] = True
    zero_division: ClassVar[float] = 0.0
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # The metric of a decision of which it is a mean over thresholds, if it is one.
    averages: ClassVar[Metric | None] = None
    # Whether the metric itself says which items are called positive, and as many of any set.
    decides: ClassVar[bool] = False
    # Whether it counts items, of which a population has no number.
    counts_items: ClassVar[bool] = False

    def decided_above(self, scores) -> np.ndarray | None:
        """Return which items the metric itself calls positive; None unless it `decides`."""
        return None

    def item_terms(self, above=None, n_items=None) -> tuple[np.ndarray, np.ndarray] | None:
        """Return what one item adds to a numerator and a denominator, if the metric is their ratio.

        Parameters
        ----------
        above : ndarray of bool of shape (n_items,), default=None
            Which items are called positive.
        n_items : float, default=None
            How many items there are, if that is known: what counts them is no ratio without it.

        Returns
        -------
        numerator, denominator : ndarray of shape (2, 2)
            Indexed by whether the item is positive, and whether it is called so: ``[z, above]``.
            The metric is the sum of the one over the sum of the other, over all items. None
            instead of both if it is no such ratio.
        """
        return None

    @property
    def has_expectation(self) -> bool:
        """Whether `expectation` and `gradient` have a formula; otherwise labels must be drawn."""
        # Whoever overrides `value` alone has left the formula of the old one behind.
        return issubclass(self._owner("expected_ratio"), self._owner("value"))

    def expectation(self, law: LabelLaw, above=None, *, n_positive=None) -> np.ndarray:
        """Return the expected value when labels are random.

        Exact where the denominator is no matter of the labels, as that of accuracy, precision,
        prevalence and precision at k, and that of average precision, recall, F and the area
        under the ROC curve, balanced accuracy and both coefficients of agreement once `n_positive`
        is given. Else the ratio of the expectations with
        its second-order correction (:class:`ExpectedRatio`), which needs several expected
        positives: labels without any, for which the metric is not defined, are not accounted for.

        Parameters
        ----------
        law : LabelLaw
        above : array-like of shape (n_cells,), default=None
            For a threshold metric, and for no other: the share of each cell's items that lie at
            or above the threshold, in [0, 1]. A fraction where the threshold passes inside a
            cell, or breaks a tie at random.
        n_positive : float or ndarray of shape (n_draws,), default=None
            The number of positives, where it is known from elsewhere. Labels are taken to be
            independent all the same. None takes it to be as random as they are.

        Returns
        -------
        expectation : ndarray of shape (n_draws,)
            NaN where no positive, or whatever the metric divides by, is expected.

        Raises
        ------
        NotImplementedError
            If there is no formula, see `has_expectation`.
        ValueError
            If `above` is missing, is not wanted, has another shape or leaves [0, 1].
        """
        return self._ratio(law, above, n_positive).expectation

    def gradient(self, law: LabelLaw, above=None, *, n_positive=None) -> np.ndarray:
        """Return how the expectation changes with the probability of one item.

        The derivative of the ratio of the expectations, without the second-order correction, by
        the probability of ONE unlabelled item of each cell. Where the expectation is exact it is
        that of the expectation itself, which is linear in each probability: a label z changes it
        by ``(z - p) * gradient``, hence by ``2 p (1 - p) abs(gradient)`` in the mean.

        Parameters
        ----------
        law, above, n_positive
            As those of :meth:`expectation`.

        Returns
        -------
        gradient : ndarray of shape (n_draws, n_cells)
            Zero in a cell without an unlabelled item; NaN where the expectation is.
        """
        return self._ratio(law, above, n_positive).gradient

    def expected_ratio(self, law: LabelLaw, above, n_positive) -> ExpectedRatio:
        """Return what the expectation and its gradient are made of.

        Only a metric that has them overrides it.

        Parameters
        ----------
        law : LabelLaw
        above : ndarray of shape (n_cells,) or None
            Checked; None for a ranking metric.
        n_positive : ndarray of shape (n_draws,) or None
        """
        raise NotImplementedError

    def _check_above(self, law, above):
        """Return the share of each cell above the threshold, None if there is no threshold."""
        if above is not None:
            raise ValueError(f"{self.name!r} is a number of the whole ranking and takes no above=.")

    def _ratio(self, law, above, n_positive):
        if not self.has_expectation:
            raise NotImplementedError(
                f"The expectation of {self.name!r} has no formula; draw labels, and average "
                f"its values instead."
            )
        above = self._check_above(law, above)
        if n_positive is not None:
            n_positive = np.broadcast_to(np.asarray(n_positive, dtype=float), (law.n_draws,))
        return self.expected_ratio(law, above, n_positive)

    def _owner(self, name) -> type:
        """Return the class that an attribute comes from."""
        return next((cls for cls in type(self).__mro__ if name in vars(cls)), type(self))


@dataclass(frozen=True)
class ThresholdMetric(Metric):
    """A measure of the decision ``score >= threshold``."""

    @abstractmethod
    def value(self, tp, fp, n_positive, n_negative) -> np.ndarray:
        """Return the metric of counts (or probabilities); all arguments broadcast."""

    def _check_above(self, law, above):
        if above is None:
            raise ValueError(
                f"{self.name!r} needs above=, the share of each cell's items that lie at or above "
                f"the threshold."
            )
        above = np.asarray(above, dtype=float)
        if above.shape != (law.n_cells,):
            raise ValueError(f"above must have shape ({law.n_cells},), got {above.shape}.")
        if not ((above >= 0.0) & (above <= 1.0)).all():
            raise ValueError("above must lie in [0, 1] in every cell.")
        return above


@dataclass(frozen=True)
class RankingMetric(Metric):
    """A measure of the whole ranking by score."""

    @abstractmethod
    def value(self, tp, fp, *, steps: bool = True) -> np.ndarray:
        """Return the metric of each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Positives and negatives at or above each threshold, thresholds falling; the
            last column holds all of them.
        steps : bool or ndarray of shape (n_thresholds,), default=True
            Where the curve goes to a threshold at once, as at every score of a finite
            sample. Elsewhere the thresholds are points of a continuous curve.
        """

    @property
    def n_needed(self) -> int:
        """How many items it needs."""
        return 0

    def share_called(self, higher, size) -> np.ndarray | None:
        """Return which share of ties of such sizes is called positive; None unless it `decides`.

        Parameters
        ----------
        higher : ndarray
            How many items lie above each tie.
        size : ndarray of the same shape
        """
        return None


@dataclass(frozen=True)
class TradeoffMetric(Metric):
    """A measure of what a threshold lower than the one at hand would buy and cost.

    It is a matter of the curve below the threshold. Undefined values are left out.
    """

    zero_division: ClassVar[float] = np.nan
    limits: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    @abstractmethod
    def value(self, tp, fp, n_positive, tp_below, fp_below, probability=None) -> np.ndarray:
        """Return the metric at each threshold, for each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Positives and negatives at or above the thresholds.
        n_positive : ndarray of shape (n_draws, 1)
        tp_below, fp_below : ndarray of shape (n_draws, n_below)
            The same at falling thresholds, from the highest of those asked for on. Of a sample
            they are all its scores, or as many as there are cells, down to the lowest.
        probability : ndarray of shape (n_draws, n_thresholds), default=None
            That an item right at the threshold is positive, where the curve is continuous; None
            for a finite sample.

        Returns
        -------
        values : ndarray of shape (n_draws, n_thresholds)
        """


def with_origin(counts) -> np.ndarray:
    """Put the threshold above all scores, where nothing is counted, before the others."""
    return np.concatenate([np.zeros((len(counts), 1)), counts], axis=1)
