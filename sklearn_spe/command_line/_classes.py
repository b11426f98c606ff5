"""Names of classes on the command line, parsed like cells of a column of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..inputs._listed import listed
from ..tables._columns import labels_in

__all__ = ["as_in_column", "check_two_classes"]

# Marks a row without a label, besides empty cells.
MARKER = -1


def as_in_column(names: Sequence[str] | None, labels: np.ndarray) -> list | None:
    """Return class names as the values of the labels of a file: numbers, booleans or text."""
    if names is None:
        return None
    if any(isinstance(label, str) for label in labels):
        return [name.strip() for name in names]
    return labels_in(list(names), "classes", None, None).values.tolist()


def check_two_classes(labels: np.ndarray, column: str) -> None:
    """Raise if labels have more than two classes."""
    named = dict.fromkeys(label for label in labels if label is not None and label != MARKER)
    if len(named) > 2:
        shown = sorted(map(str, named))
        raise ValueError(
            f"Column {column!r} has {len(shown)} classes, {listed(map(repr, shown))}, but a column "
            f"of scores needs two classes. For one class, such as {shown[0]!r}, write a column "
            "that is 1 for items of the class and 0 for others (empty where the label is missing), "
            "and pass the scores of that class. Accuracy and the metrics of all classes need the "
            "scores of each class, in Python: PerformanceCurveEstimator."
        )
