"""User-defined metrics of labels and decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ._metric import ThresholdMetric

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
    >>> from sklearn_spe.metrics import FBeta, OfPredictions
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

    def __post_init__(self):
        if not callable(self.function) or isinstance(self.function, type):
            raise TypeError(
                f"function must be a callable metric(y_true, y_pred, sample_weight=...), got "
                f"{self.function!r}."
            )
        name = getattr(self.function, "__name__", type(self.function).__name__)
        object.__setattr__(self, "name", name)

    def value(self, tp, fp, n_positive, n_negative):
        counts = np.broadcast_arrays(tp, n_positive - tp, fp, n_negative - fp)
        shape = counts[0].shape
        tables, which = np.unique(np.reshape(counts, (4, -1)).T, axis=0, return_inverse=True)
        return np.array([self._of(table) for table in tables])[which].reshape(shape)

    def _of(self, table) -> float:
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
