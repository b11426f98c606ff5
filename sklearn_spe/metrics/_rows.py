"""Metrics of rows: of labels, decisions, and further columns such as amounts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..inputs._validation import as_numbers
from ._decision import Precision, Recall
from ._expectation import ratio
from ._metric import Metric, ThresholdMetric


@dataclass(frozen=True)
class RowMetric(Metric):
    """A metric of the decision ``score >= threshold`` that weights each row by its value.

    It needs the rows themselves: counts of positives and negatives do not determine it.
    """

    # Name of the column of `sample_columns`.
    column: ClassVar[str] = "value"
    # The metric of counts that it is if all values are equal.
    unweighted: ClassVar[ThresholdMetric]

    @abstractmethod
    def value(self, labels: np.ndarray, above: np.ndarray, values: np.ndarray) -> float:
        """Return the metric of rows, given labels 0 and 1, decisions and values."""

    def read(self, columns: Mapping[str, np.ndarray] | None) -> np.ndarray:
        """Return the values of the rows of X, from the columns that a user passes."""
        columns = {} if columns is None else columns
        if list(columns) != [self.column]:
            passed = ", ".join(map(repr, columns)) or "none"
            raise ValueError(
                f"sample_columns must hold the column {self.column!r} for {self.name!r}, the "
                f"amount of each row of X: sample_columns={{{self.column!r}: amounts}}; got "
                f"{passed}."
            )

        values = as_numbers(columns[self.column], f"sample_columns[{self.column!r}]")
        invalid = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
        if len(invalid):
            row = invalid[0]
            raise ValueError(
                f"sample_columns holds {values[row]:g} in row {row} of {self.column!r}, and "
                f"{self.name!r} needs finite amounts of at least 0. For amounts of both signs pass "
                "a callable metric(y_true, y_score, value)."
            )

        return values


@dataclass(frozen=True)
class ValueWeightedRecall(RowMetric):
    """The value of the detected positives divided by the value of all positives.

    With amounts of transactions the value detection rate: which share of the defrauded amount is
    flagged. scikit-learn's `recall_score` with the values as `sample_weight`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics._rows import ValueWeightedRecall
    >>> labels, above = np.array([1, 1, 0]), np.array([True, False, True])
    >>> float(ValueWeightedRecall().value(labels, above, np.array([300.0, 100.0, 50.0])))
    0.75
    """

    name: ClassVar[str] = "value_weighted_recall"
    meaning: ClassVar[str] = "Of the value of all positives, the share that is predicted positive."
    computed: ClassVar[str] = (
        "the sum of the values of the true positives divided by that of all positives."
    )
    in_counts: ClassVar[str] = "It finds {k} of {n} of the value of the positives"
    aliases: ClassVar[tuple[str, ...]] = (
        "valuedetectionrate",
        "vdr",
        "valuerecall",
        "amountrecall",
    )
    unweighted: ClassVar[ThresholdMetric] = Recall()

    def value(self, labels: np.ndarray, above: np.ndarray, values: np.ndarray) -> float:
        of_positives = labels * values
        return float(ratio((of_positives * above).sum(), of_positives.sum()))


@dataclass(frozen=True)
class ValueWeightedPrecision(RowMetric):
    """The value of the positives among the items predicted positive, as a share of their value.

    scikit-learn's `precision_score` with the values as `sample_weight`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics._rows import ValueWeightedPrecision
    >>> labels, above = np.array([1, 1, 0]), np.array([True, False, True])
    >>> float(ValueWeightedPrecision().value(labels, above, np.array([300.0, 100.0, 100.0])))
    0.75
    """

    name: ClassVar[str] = "value_weighted_precision"
    meaning: ClassVar[str] = (
        "Of the value of all items predicted positive, the share of those that truly are."
    )
    computed: ClassVar[str] = (
        "the sum of the values of the true positives divided by that of the items whose score"
        " reaches the threshold."
    )
    in_counts: ClassVar[str] = "Of a value of {n} predicted positive {k} {are} that of positives"
    aliases: ClassVar[tuple[str, ...]] = ("valueprecision", "amountprecision")
    unweighted: ClassVar[ThresholdMetric] = Precision()

    def value(self, labels: np.ndarray, above: np.ndarray, values: np.ndarray) -> float:
        of_predicted = above * values
        return float(ratio((labels * of_predicted).sum(), of_predicted.sum()))
