"""Metrics that only some questions have: of more than two classes, of two thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..inputs._validation import check_count
from ._metric import Metric


@dataclass(frozen=True)
class TopKAccuracy(Metric):
    """Share of items whose true class is among the k classes with the highest scores.

    Ties are broken in favor of the last classes, as in
    :func:`sklearn.metrics.top_k_accuracy_score`.

    .. versionadded:: 0.1

    Parameters
    ----------
    k : int, default=2
        Smaller than the number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics import TopKAccuracy
    >>> TopKAccuracy(2).hits(np.array([[0.5, 0.2, 0.3]]))
    array([[ True, False,  True]])
    """

    k: int = 2

    name: ClassVar[str] = "top_k_accuracy"
    meaning: ClassVar[str] = (
        "The share of items whose class is among the so many with the highest scores."
    )
    computed: ClassVar[str] = (
        "items whose class is among those with the highest scores, divided by all items."
    )

    def __post_init__(self) -> None:
        check_count(self.k, "k")

    def hits(self, scores: Any) -> np.ndarray:
        """Return which classes of each item are among the k highest, (n_items, n_classes)."""
        n_classes = scores.shape[1]
        if self.k >= n_classes:
            raise ValueError(
                f"k={self.k} with {n_classes} classes has accuracy 1; pass TopKAccuracy(k) with "
                "a smaller k."
            )
        highest = np.argsort(scores, axis=1, kind="stable")[:, ::-1][:, : self.k]
        hits = np.zeros(scores.shape, dtype=bool)
        np.put_along_axis(hits, highest, True, axis=1)
        return hits


@dataclass(frozen=True)
class ConfusionShare(Metric):
    """Share of all items with a given true class and a given predicted class.

    This is one entry of the confusion matrix, divided by the number of items.

    .. versionadded:: 0.1

    Parameters
    ----------
    true : object
        The true class.
    predicted : object
        The predicted class.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.metrics import ConfusionShare
    >>> predicted = np.array(["cat", "dog", "cat", "bird"] * 10)
    >>> labels = np.array(["cat", "dog", "dog", "bird"] * 10)
    >>> performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
    >>> estimate = performance.fit(predicted, labels).estimate(ConfusionShare("dog", "cat"))
    >>> round(estimate.value, 3)
    0.25
    """

    true: Any
    predicted: Any

    name: ClassVar[str] = "confusion_share"
    meaning: ClassVar[str] = (
        "The share of all items that are of one class and predicted to be of another."
    )
    computed: ClassVar[str] = (
        "the items of the one class that are predicted to be of the other, divided by all items."
    )
    in_counts: ClassVar[str] = "Of {n} items {k} {are} confused this way"
    greater_is_better: ClassVar[bool] = False


@dataclass(frozen=True)
class UndecidedShare(Metric):
    """The share of the items between two thresholds, which are left for review."""

    name: ClassVar[str] = "undecided_share"
    meaning: ClassVar[str] = "The share of items between both thresholds, left for review."
    computed: ClassVar[str] = (
        "the items whose score reaches the lower threshold and not the upper one, divided by the "
        "number of items."
    )
    in_counts: ClassVar[str] = "Of {n} items {k} {are} undecided"
