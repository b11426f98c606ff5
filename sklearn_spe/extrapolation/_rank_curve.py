"""The average accuracy with fewer classes than in the pilot: exact, from ranks alone."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..inputs._numbers import check_counts
from ._pilot import Pilot

__all__ = ["average_accuracy_curve", "check_class_counts", "subset_accuracies"]

# The maximum number of classes whose powers are finite in float64.
MAXIMUM = 1e300


def subset_accuracies(histogram, largest: int | None = None) -> np.ndarray:
    r"""Return the average accuracy over all subsets of 1, 2, ..., `largest` classes.

    An item with w wins among n wrong classes is right in the share
    :math:`r_k(w) = \binom{w}{k - 1} / \binom{n}{k - 1}` of all subsets of k classes that hold its
    own. The recursion :math:`r_{k+1}(w) = r_k(w) (w - k + 1) / (n - k + 1)` from :math:`r_1 = 1`
    only multiplies numbers in [0, 1]: nothing cancels, for any number of classes.
    """
    n_wrong = len(histogram) - 1
    largest = n_wrong + 1 if largest is None else largest
    occupied = np.flatnonzero(histogram)
    wins, shares = occupied.astype(float), histogram[occupied].copy()
    accuracies = np.empty(largest)
    accuracies[0] = 1.0
    for k in range(1, largest):
        # Items with fewer than k wins are never right among k + 1 classes.
        alive = np.searchsorted(wins, k)
        wins, shares = wins[alive:], shares[alive:]
        shares *= (wins - k + 1.0) / (n_wrong - k + 1.0)
        accuracies[k] = shares.sum()
    # Shares sum to one up to a rounding error.
    return np.minimum(accuracies, 1.0)


def average_accuracy_curve(
    y_true, y_score, *, n_classes=None, labels=None, sample_weight=None, average="macro"
):
    r"""Average accuracy of a classifier over all subsets of its classes.

    This is the expected accuracy with fewer classes, chosen at random among those tested. For a
    classifier whose score of a class depends on that class alone, no retraining is needed: an item
    whose true class outscores w of the n wrong classes, and ties with t, is right in the share

    .. math::
        \frac{\binom{w + t + 1}{k} - \binom{w}{k}}{(t + 1) \binom{n}{k - 1}}

    of all subsets of k classes that contain its own, ties broken at random. The mean over the
    items, or over classes (`average`), is an unbiased estimate of the average accuracy with k
    classes (eq. 3 of [1]_, whose ranks are off by one).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes.
    y_score : array-like of shape (n_samples, n_labels)
        The score of each class, larger for more likely; ``-inf`` is allowed.
    n_classes : int or array-like of int, default=None
        Numbers of classes, from 1 to the number of columns. None means all of them.
    labels : array-like of shape (n_labels,), default=None
        The class of each column. None means the column names of a data frame, of any type, if
        `y_true` has no other label, else the sorted classes of `y_true`, which must then contain
        each of them.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each item; only ratios matter.
    average : {"macro", "micro"}, default="macro"
        Whether averages are over classes or items, if some classes have more items than others.
        "macro": classes, each with the mean over its items, as in
        :func:`~sklearn.metrics.balanced_accuracy_score`; the paper's, in which each class counts
        the same. "micro": items, as in :func:`~sklearn.metrics.accuracy_score`; it estimates the
        paper's, too, if the number of items of a class has nothing to do with how difficult it is.

    Returns
    -------
    accuracy : float or ndarray of shape (n_counts,)
        In [0, 1] and decreasing; 1 with one class, and with all of them, without ties, the accuracy
        itself. For ``n_classes=None`` entry i is for i + 1 classes.

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
    pilot = Pilot.of(y_score, y_true, labels, sample_weight, average, name="labels")
    if n_classes is None:
        return subset_accuracies(pilot.histogram)
    counts = check_class_counts(n_classes, pilot.n_classes)
    accuracies = subset_accuracies(pilot.histogram, int(counts.max(initial=1)))
    result = accuracies[counts - 1]
    return result if np.ndim(n_classes) else float(result[0])


def check_class_counts(n_classes, most: int | None = None) -> np.ndarray:
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
