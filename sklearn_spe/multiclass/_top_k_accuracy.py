"""Top-k accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..inputs._numbers import check_count
from ..metrics._metric import Metric

__all__ = ["TopKAccuracy"]


@dataclass(frozen=True)
class TopKAccuracy(Metric):
    """Share of items whose class is among the k with the highest scores.

    Among classes with equal scores the last ones count, as in
    :func:`sklearn.metrics.top_k_accuracy_score`.

    Parameters
    ----------
    k : int, default=2
        Smaller than the number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.multiclass import TopKAccuracy
    >>> TopKAccuracy(2).hits(np.array([[0.5, 0.2, 0.3]]))
    array([[ True, False,  True]])
    """

    k: int = 2

    name: ClassVar[str] = "top_k_accuracy"

    def __post_init__(self):
        check_count(self.k, "k")

    def hits(self, scores) -> np.ndarray:
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
