"""The exact accuracy curve of a pilot, and its model beyond."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..inputs._validation import check_count, check_counts
from ._accuracy_distributions import Distribution
from ._pilot import Pilot

# Represents an unlimited number of classes.
VERY_MANY = 1e15
# Ratio of neighboring numbers of classes at which a curve is evaluated.
GRID_RATIO = 1.25
# Rounding error of an accuracy, which is summed in other orders with other numbers of classes.
ROUNDING = 1e-12
# The maximum number of classes whose powers are finite in float64.
MAXIMUM = 1e300


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyModel(FrozenArrays):
    """An accuracy curve: measured up to the pilot's classes, from a distribution beyond."""

    curve: np.ndarray  # (n_tried,); average accuracy with 1, 2, ... up to all classes of the pilot
    distribution: Distribution  # of the conditional accuracy
    # Slope of the correction on the logit scale by log(n_classes); 0 for marginal classifiers.
    drift: float = 0.0
    # (n_tried,) or None; the share of the items by their number of wins. None if the classifier
    # was trained again, which measures the first class alone.
    histogram: np.ndarray | None = None
    top: int = 1  # an item is right if fewer than so many wrong classes outscore its own

    def with_top(self, top: int) -> Self:
        """Return the model of the accuracy within the first `top` classes."""
        check_count(top, "top")
        if top == self.top:
            return self
        if self.histogram is None:
            raise ValueError(
                f"top={top} is not available for a retrained classifier, which predicts one "
                f"class: use scores_extrapolator_, which extrapolates the scores alone, or pass "
                f"retrain=False."
            )
        return replace(self, curve=subset_accuracies(self.histogram, top=top), top=top)

    @property
    def n_tried(self) -> int:
        """Number of classes in the pilot."""
        return len(self.curve)

    def accuracy(self, n_classes: np.ndarray) -> np.ndarray:
        r"""Return the accuracy for numbers of classes, decreasing and in [0, 1].

        Beyond the pilot's classes it is that of the distribution, scaled for continuity:
        :math:`ATA_{k_1} AGA_k / AGA_{k_1}`.
        """
        inside = n_classes <= self.n_tried
        accuracies = np.empty(len(n_classes))
        accuracies[inside] = self.curve[n_classes[inside].astype(np.int64) - 1]
        if not inside.all():
            accuracies[~inside] = self._decreasing_beyond(n_classes[~inside])
        return accuracies

    def n_classes_at(self, accuracy: float, largest: int) -> float:
        """Return the largest number of classes with at least an accuracy; inf beyond `largest`."""
        least = accuracy - ROUNDING
        n_classes = bisect_right(
            range(1, largest + 1), -least, key=lambda n: -self.accuracy(np.array([float(n)]))[0]
        )
        return n_classes if n_classes < largest else np.inf

    @property
    def asymptotic_accuracy(self) -> float:
        """The limit of the accuracy as the number of classes increases."""
        if self.drift:
            return float(self.accuracy(np.array([VERY_MANY]))[0])
        limit = self.scale * max(self.distribution.always_right, 0.0)
        return min(limit, float(self.curve[-1]))

    @cached_property
    def expected(self) -> float:
        """The accuracy with all classes of the pilot, by the distribution."""
        return float(self.distribution.accuracy(self.n_tried, self.top))

    @property
    def scale(self) -> float:
        """The measured accuracy with all classes over that of the distribution."""
        # An item that is never right with few classes is never right with more.
        return float(self.curve[-1]) / self.expected if self.expected > 0.0 else 0.0

    def _decreasing_beyond(self, n_classes: np.ndarray) -> np.ndarray:
        accuracies = self._beyond(n_classes)
        if self.drift <= 0.0:
            return accuracies
        grid, before = fewer_classes(n_classes)
        lowest = np.minimum.accumulate(self._beyond(np.maximum(grid, self.n_tried)))
        return np.minimum(accuracies, lowest[before])

    def _beyond(self, n_classes: np.ndarray) -> np.ndarray:
        # Below 0 only for invalid distributions, which the verdict reports; above the end of the
        # curve only by rounding.
        accuracies = self.scale * np.maximum(self.distribution.accuracy(n_classes, self.top), 0.0)
        accuracies = np.minimum(accuracies, self.curve[-1])
        if not self.drift:
            return accuracies
        drift = self.drift * np.log(n_classes / self.n_tried)
        return special.expit(special.logit(accuracies) + drift)

    def __repr__(self) -> str:
        return f"AccuracyModel({self.curve[-1]:.3f} with {self.n_tried} classes)"


def fewer_classes(n_classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a grid of class counts, and for each given one the last that is not larger.

    The grid does not depend on the request, so the results do not either.
    """
    grid = class_counts_to(float(n_classes.max()), GRID_RATIO)
    return grid, np.searchsorted(grid, n_classes, side="right") - 1


def class_counts_to(largest: float, ratio: float) -> np.ndarray:
    """Return numbers of classes from 1 up to the largest, spaced by a ratio."""
    n_steps = np.log(largest) / np.log(ratio)
    return np.unique(np.floor(ratio ** np.arange(n_steps + 1.0)))


def subset_accuracies(
    histogram: np.ndarray, largest: int | None = None, top: int = 1
) -> np.ndarray:
    r"""Return the average accuracy over all subsets of 1, 2, ..., `largest` classes.

    An item with w wins among n wrong classes is right in the share
    :math:`r_k(w) = \binom{w}{k - 1} / \binom{n}{k - 1}` of all subsets of k classes that hold its
    own. The recursion :math:`r_{k+1}(w) = r_k(w) (w - k + 1) / (n - k + 1)` from :math:`r_1 = 1`
    only multiplies numbers in [0, 1]: nothing cancels, for any number of classes. For `top` > 1
    the shares of subsets that hold 0, 1, ... `top` - 1 of the classes that outscore its own follow
    a recursion of the same kind.
    """
    n_wrong = len(histogram) - 1
    largest = n_wrong + 1 if largest is None else largest
    occupied = np.flatnonzero(histogram)
    wins = occupied.astype(float)

    # The shares of the subsets with 0, 1, ... classes above an item's own.
    shares = np.zeros((top, len(occupied)))
    shares[0] = histogram[occupied]
    accuracies = np.empty(largest)
    accuracies[0] = 1.0

    for k in range(1, largest):
        # Items with fewer than k wins are never first among k + 1 classes.
        alive = np.searchsorted(wins, k - top + 1)
        wins = wins[alive:]
        shares = shares[:, alive:]
        n_left = n_wrong - k + 1.0
        added = shares[:-1] * ((n_wrong - wins - np.arange(top - 1.0)[:, np.newaxis]) / n_left)
        shares = shares * ((wins - k + 1.0 + np.arange(top)[:, np.newaxis]) / n_left)
        shares[1:] += added
        accuracies[k] = shares.sum()

    # Shares sum to one up to a rounding error.
    return np.minimum(accuracies, 1.0)


def average_accuracy_curve(
    y_true: Any,
    y_score: ArrayLike,
    *,
    n_classes: Any = None,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
    average: str = "macro",
    top: int = 1,
) -> float | np.ndarray:
    r"""Average accuracy of a classifier over all subsets of its classes.

    This is the expected accuracy with fewer classes, chosen at random among those tested. No
    retraining is needed if the score of a class depends on that class alone. If the true class of
    an item outscores w of the n wrong classes and ties with t of them, the item is classified
    correctly in the share

    .. math::
        \frac{\binom{w + t + 1}{k} - \binom{w}{k}}{(t + 1) \binom{n}{k - 1}}

    of all subsets of k classes that contain its true class, with ties broken at random. The mean
    over items or classes (`average`) is an unbiased estimate of the average accuracy with k classes
    (eq. 3 of [1]_, whose ranks are off by one).

    .. versionadded:: 0.1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes.
    y_score : array-like of shape (n_samples, n_labels)
        The score of each class, larger for more likely; ``-inf`` is allowed.
    n_classes : int or array-like of int, default=None
        Numbers of classes, from 1 to the number of columns. None means all of them.
    labels : array-like of shape (n_labels,), default=None
        The class of each column. None means the column names of a data frame, if they include all
        labels in `y_true`; else the sorted classes of `y_true`, which must then contain every
        class.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each item; only ratios matter.
    average : {"macro", "micro"}, default="macro"
        "macro" averages over classes, each with the mean over its items, as in [1]_ and in
        :func:`~sklearn.metrics.balanced_accuracy_score`. "micro" averages over items, as in
        :func:`~sklearn.metrics.accuracy_score`. Both estimate the same accuracy if the number of
        items of a class is independent of its difficulty.
    top : int, default=1
        An item is right if its class is among the first `top`, as in
        :func:`~sklearn.metrics.top_k_accuracy_score`.

    Returns
    -------
    accuracy : float or ndarray of shape (n_counts,)
        In [0, 1], decreasing with the number of classes from 1 for a single class. With all
        classes, and without ties, it is the measured accuracy. For ``n_classes=None`` entry i is
        for i + 1 classes.

    Raises
    ------
    ValueError
        If shapes are inconsistent, a score is NaN or ``+inf``, a label is not among `labels`, or
        `n_classes` lies outside its range.

    See Also
    --------
    AccuracyExtrapolator : The accuracy with more classes than were tested.

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> from sklearn_spe import average_accuracy_curve
    >>> y_true = [0, 1, 2]
    >>> y_score = [[3.0, 1.0, 2.0], [0.5, 0.2, 0.1], [0.3, 0.2, 0.9]]
    >>> average_accuracy_curve(y_true, y_score).round(4)
    array([1.    , 0.8333, 0.6667])
    """
    check_count(top, "top")
    pilot = Pilot.of(y_score, y_true, labels, sample_weight, average, name="labels")
    if n_classes is None:
        return subset_accuracies(pilot.histogram, top=top)
    counts = check_class_counts(n_classes, pilot.n_classes)
    accuracies = subset_accuracies(pilot.histogram, int(counts.max(initial=1)), top)
    result = accuracies[counts - 1]

    return result if np.ndim(n_classes) else float(result[0])


def check_class_counts(n_classes: ArrayLike, most: int | None = None) -> np.ndarray:
    """Return numbers of classes as a vector of whole numbers."""
    if isinstance(n_classes, Real) and n_classes == np.inf:
        raise ValueError(
            "n_classes must be finite, got inf; the limit of the accuracy is the attribute "
            "asymptotic_accuracy_."
        )
    counts = np.atleast_1d(check_counts(n_classes, "n_classes"))
    if counts.ndim > 1:
        raise ValueError(f"n_classes must be a number or a vector, got shape {counts.shape}.")
    if not counts.size:
        raise ValueError("n_classes must not be empty.")
    if (counts > MAXIMUM).any():
        raise ValueError(f"n_classes must be at most {MAXIMUM:g}, got {counts.max():g}.")
    if most is not None and (counts > most).any():
        raise ValueError(
            f"n_classes must be at most {most}, the number of columns of scores, got "
            f"{counts.max()}; AccuracyExtrapolator goes beyond."
        )
    return counts
