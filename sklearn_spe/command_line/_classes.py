"""Names of classes on the command line, read as the cells of a column of labels are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tables._columns import labels_in

__all__ = ["as_in_column"]


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
