"""Outcomes: labels that are numbers whose mean is asked about, their range, and proxies of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._scores import read_columns
from ..inputs._validation import as_numbers, as_plain, check_number, shape_of, unmasked

# Labels with these two values are classes, and their mean is a rate.
NEGATIVE, POSITIVE = 0.0, 1.0


def read_outcomes(y) -> np.ndarray:
    """Return labels as validated numbers, (n_items,), NaN where missing."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: pass the known labels, and NaN for "
            "missing ones."
        )
    labels = as_numbers(unmasked(y), "y")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must have shape (n_samples,), one number an item; got {labels.shape}.")
    if not len(labels):
        raise ValueError("y is empty: the mean of no items is undefined.")
    infinite = np.isinf(labels)
    if infinite.any():
        raise ValueError(
            f"y must hold finite numbers, and NaN for missing labels; got "
            f"{labels[infinite][0]} at index {int(np.argmax(infinite))}."
        )
    marked = labels == -1.0
    numbers = labels[~marked & ~np.isnan(labels)]
    if 2 * marked.sum() > len(labels) and len(numbers) and numbers.min() >= 0.0:
        raise ParameterError.of(
            "y",
            f"holds -1 for {int(marked.sum()):,} of {len(labels):,} items, and no other negative "
            "number. Labels are numbers here, and -1 is one:",
            "mark missing labels by NaN, numpy.where(y == -1, numpy.nan, y).",
        )
    return labels


def is_rate(y, outcomes: np.ndarray, label_range: tuple[float, float]) -> bool:
    """Return whether labels are 0 and 1 and cannot be anything else, so their mean is a rate.

    `y` are the labels as passed, of which booleans name both classes by themselves.
    """
    known = outcomes[~np.isnan(outcomes)]
    if not len(known) or not np.isin(known, (NEGATIVE, POSITIVE)).all():
        return False
    if label_range != (-np.inf, np.inf):
        return label_range == (NEGATIVE, POSITIVE)
    is_boolean = as_plain(unmasked(y), "y").dtype.kind == "b"
    return is_boolean or bool(known.min() < known.max())


def read_label_range(label_range: tuple[float, float] | None) -> tuple[float, float]:
    """Return the validated smallest and largest possible label."""
    if label_range is None:
        return -np.inf, np.inf
    if isinstance(label_range, (str, bytes)) or shape_of(label_range) != (2,):
        raise TypeError(
            f"label_range must be the smallest and the largest label, such as (1, 5); got "
            f"{label_range!r}."
        )
    low, high = (check_number(end, "label_range", "[-inf, inf]") for end in label_range)
    if not low < high:
        raise ValueError(f"label_range must be increasing, got {label_range!r}.")
    return low, high


def check_in_range(outcomes: np.ndarray, label_range: tuple[float, float]) -> None:
    """Raise if a label lies outside of the range of labels."""
    low, high = label_range
    is_outside = (outcomes < low) | (outcomes > high)
    if is_outside.any():
        raise ParameterError(
            f"y holds {outcomes[is_outside][0]:g} at index {int(np.argmax(is_outside))}, outside "
            f"of label_range={label_range!r}.",
            parameter="label_range",
        )


def read_proxies(estimator, X, outcomes: np.ndarray) -> tuple[tuple[Any, ...], np.ndarray]:
    """Return the names of the proxies, and their validated values, (n_items, n_proxies)."""
    if X is None:
        return (), np.zeros((len(outcomes), 0))
    values, names = read_columns(estimator, X, reset=True)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2:
        raise ValueError(
            f"X must have shape (n_samples,) or (n_samples, n_proxies), got {shape_of(X)}."
        )
    infinite = np.argwhere(np.isinf(values))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(
            f"X must hold finite numbers, and NaN where missing; got {values[row, column]} in row "
            f"{row} of the column {names[column]!r}, and {len(infinite)} infinite values in all."
        )
    if len(values) != len(outcomes):
        raise ValueError(
            f"X and y must have the same number of items; X has {len(values):,} and y "
            f"{len(outcomes):,}."
        )
    if np.isnan(outcomes).any():
        _check_proxies(names, values, np.flatnonzero(~np.isnan(outcomes)))
    return names, values


def _check_proxies(names, values, labeled) -> None:
    """Raise unless every column varies and has values for labeled items."""
    for name, column in zip(names, values.T, strict=True):
        present = column[~np.isnan(column)]
        if not len(present):
            raise ValueError(f"The column {name!r} of X has no values: leave it out.")
        if present.min() == present.max() and len(present) == len(column):
            raise ValueError(
                f"The column {name!r} of X is constant, {present[0]:g}, and carries no "
                "information: leave it out."
            )
        if np.isnan(column[labeled]).all():
            raise ValueError(
                f"The column {name!r} of X is missing for all labeled items, so that its "
                f"relation to the label cannot be estimated: label some of the {len(present):,} "
                "items that have a value, or leave it out."
            )
