"""What every batch of labels bought."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...inputs._numbers import check_choice

__all__ = ["History", "HistoryRow", "mean_of", "summary"]


@dataclass(frozen=True)
class HistoryRow:
    """The state after one batch of labels.

    Of a curve, all numbers are means over its points; of several systems, over these.

    Attributes
    ----------
    n_labels : int
        How many labels there are.
    estimate, low, high : float
        The estimate and the ends of its interval.
    model, model_low, model_high : float
        The model's arm.
    labels_only : float
        The model's arm with the new labels known, and the curves of before: what the labels
        themselves bought. What the model learned of other items is the rest.
    design, design_low, design_high : float
        The arm of the design; NaN if it has no answer.
    naive : float
        The metric of the labelled items alone; with noisy labels that of these, where there are
        no others.
    model_weight : float
        How far the model is believed.
    goal_probability : float, default=NaN
        That the best answer keeps the goal that labels are spent for, if there is one.
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
    """All `HistoryRow` of a labelling, the first before any query."""

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
        """Return a pandas DataFrame, one row a batch."""
        import pandas as pd

        return pd.DataFrame(
            [vars(row) for row in self], columns=[f.name for f in fields(HistoryRow)]
        )

    def column(self, name: str) -> np.ndarray:
        """Return one number of all batches, of shape (n_batches,).

        Parameters
        ----------
        name : str
            An attribute of :class:`HistoryRow`.

        Raises
        ------
        ValueError
            If it is none.
        """
        check_choice(name, "name", [field.name for field in fields(HistoryRow)])
        return np.array([getattr(row, name) for row in self])


def summary(estimate) -> tuple[float, float, float]:
    """Return value and ends of an estimate as numbers, of a curve their means; NaN for None."""
    if estimate is None:
        return np.nan, np.nan, np.nan
    low, high = estimate.interval()
    return mean_of(estimate.value), mean_of(low), mean_of(high)


def mean_of(values) -> float:
    """Return the mean of what is not missing."""
    values = np.atleast_1d(values)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan
