"""Rows that somebody should look at: those to label next, and those whose labels surprise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..active._rows_to_label import rows_to_label
from ..inputs._array_like import as_plain

__all__ = ["NamedRow", "RowNames", "next_rows", "surprising_rows"]

N_NEXT = 10
MOST_SURPRISING = 25


@dataclass(frozen=True)
class NamedRow:
    """One row.

    Attributes
    ----------
    name : str
        What it is called.
    score : float
        On the user's scale.
    probability : float
        That it is positive; of a label that surprises what the other labels give it.
    label : object
        None if it has none.
    """

    name: str
    score: float
    probability: float
    label: object = None


@dataclass(frozen=True, eq=False)
class RowNames:
    """What rows of X are called.

    Attributes
    ----------
    unit : str
        What a name is: "row", "line", or that of a column.
    names : sequence or None
        One for each row; None for their numbers.
    """

    unit: str = "row"
    names: Any = None

    @classmethod
    def of(cls, items, n_rows: int) -> RowNames:
        """Return names that a user gives.

        Raises
        ------
        ValueError
            If there is not one for each row.
        """
        if items is None or isinstance(items, RowNames):
            return items or cls()
        names = as_plain(items, "items")
        if names.ndim != 1 or len(names) != n_rows:
            raise ValueError(
                f"items must hold a name for each of the {n_rows} rows of X, got an array of shape "
                f"{names.shape}."
            )
        return cls("item", names)

    def __getitem__(self, row: int) -> str:
        return str(row if self.names is None else self.names[row])


def next_rows(performance, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the rows whose labels would tell most of average precision.

    Parameters
    ----------
    performance : PerformanceCurveEstimator
        Fitted, and showing one ranking.
    names : RowNames
    """
    asked = performance.subject_.rows(performance.shown_.asked)
    rows = rows_to_label(performance, N_NEXT)
    if performance.posterior_.sample.counts.sum() != np.count_nonzero(asked.asked):
        # A row stands for several items, any of which may be labelled.
        names = RowNames(names.unit, np.full(len(asked.scores), "one of several"))
    scores = asked.scores[rows]
    probabilities = performance.posterior_.expected_probability(scores)
    turned = performance.orientation_.turn(scores)
    return tuple(
        NamedRow(names[row], float(score), float(probability))
        for row, score, probability in zip(rows, turned, probabilities, strict=True)
    )


def surprising_rows(performance, names: RowNames) -> tuple[NamedRow, ...]:
    """Return the labelled rows whose labels the others do not expect, the first of them."""
    found = performance.surprising_items_
    columns = (part[:MOST_SURPRISING].tolist() for part in (found.item, found.score))
    told = (part[:MOST_SURPRISING].tolist() for part in (found.probability, found.label))
    return tuple(
        NamedRow(names[item], score, probability, label)
        for item, score, probability, label in zip(*columns, *told, strict=True)
    )
