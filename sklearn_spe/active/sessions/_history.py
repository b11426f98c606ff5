"""The estimates after each batch of labels."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...inputs._numbers import check_choice

__all__ = ["History", "HistoryRow", "mean_of", "summary"]


@dataclass(frozen=True)
class HistoryRow:
    """The state after one batch of labels.

    For a curve, all numbers are means over its points; for several systems, over these.

    Attributes
    ----------
    n_labels : int
        Number of labels.
    estimate, low, high : float
        The estimate and the ends of its interval.
    model, model_low, model_high : float
        The model-based estimate and its interval.
    labels_only : float
        The model-based estimate with the new labels but the previous curves: the direct effect of
        the labels. The rest is due to the update of the curves.
    design, design_low, design_high : float
        The design-based estimate and its interval; NaN if undefined.
    naive : float
        The metric of the labeled items alone; with noisy labels, these in place of missing labels.
    model_weight : float
        The weight of the model.
    goal_probability : float, default=NaN
        The probability that the best selection meets the goal, if any.
    """

    n_labels: int
    estimate: float
    low: float
    high: float
    model: float
    model_low: float
    model_high: float
    labels_only: float
    design: float
    design_low: float
    design_high: float
    naive: float
    model_weight: float
    goal_probability: float = np.nan


class History(tuple):
    """All `HistoryRow` of a session, the first before any query."""

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return History(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        if not self:
            return "History()"
        last = self[-1]
        return (
            f"History({len(self)} rows; at {last.n_labels} labels {last.estimate:.3f} in "
            f"[{last.low:.3f}, {last.high:.3f}])"
        )

    def to_frame(self):
        """Return a pandas DataFrame, one row per batch."""
        import pandas as pd

        return pd.DataFrame(
            [vars(row) for row in self], columns=[f.name for f in fields(HistoryRow)]
        )

    def column(self, name: str) -> np.ndarray:
        """Return one attribute of all batches, of shape (n_batches,).

        Parameters
        ----------
        name : str
            An attribute of :class:`HistoryRow`.

        Raises
        ------
        ValueError
            If there is no such attribute.
        """
        check_choice(name, "name", [field.name for field in fields(HistoryRow)])
        return np.array([getattr(row, name) for row in self])


def summary(estimate) -> tuple[float, float, float]:
    """Return value and ends of an estimate, averaged over a curve; NaN for None."""
    if estimate is None:
        return np.nan, np.nan, np.nan
    low, high = estimate.interval()
    return mean_of(estimate.value), mean_of(low), mean_of(high)


def mean_of(values) -> float:
    """Return the mean of the values that are not missing."""
    values = np.atleast_1d(values)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan
