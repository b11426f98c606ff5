"""Names of classes on the command line, read as the cells of a column of labels are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..inputs._listed import listed
from ..tables._columns import labels_in

__all__ = ["as_in_column", "check_two_classes"]

# What marks a row without a label, beside empty cells.
MARKER = -1


def as_in_column(names: Sequence[str] | None, labels: np.ndarray) -> list | None:
    """Return classes as the labels of a file are: numbers, booleans or text.

    Parameters
    ----------
    names : sequence of str or None
        As they were typed.
    labels : ndarray
        Of the file, None where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.command_line._classes import as_in_column
    >>> as_in_column(["false", "TRUE"], np.array([True, None]))
    [False, True]
    >>> as_in_column(["0", "1"], np.array(["0", "yes"], dtype=object))
    ['0', '1']
    """
    if names is None:
        return None
    if any(isinstance(label, str) for label in labels):
        return [name.strip() for name in names]
    return labels_in(list(names), "classes", None, None).values.tolist()


def check_two_classes(labels: np.ndarray, column: str) -> None:
    """Raise if labels name more than two classes."""
    named = dict.fromkeys(label for label in labels if label is not None and label != MARKER)
    if len(named) > 2:
        shown = sorted(map(str, named))
        raise ValueError(
            f"Column {column!r} names {len(shown)} classes, {listed(map(repr, shown))}, and a "
            f"column of scores is about two of them. To ask about one class, such as "
            f"{shown[0]!r}, write a column that says whether an item is of it (1 or 0, empty where "
            f"there is no label), and give the scores of that class. Accuracy and the numbers of "
            f"all classes need the scores of each class, and Python: PerformanceCurveEstimator."
        )
