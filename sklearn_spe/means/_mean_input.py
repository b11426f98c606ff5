"""Validation of the inputs of a mean: proxies, numeric labels, inclusion probabilities."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from ..inputs._array_like import as_numbers, as_vector, shape_of, unmasked
from ..inputs._numbers import check_number
from ..sample._inclusion_proba import check_inclusion_proba
from ._proxies import Proxies

__all__ = ["read_inclusion_proba", "read_labels", "read_proxies", "read_range"]

# With fewer labels, their spread cannot be estimated.
MIN_LABELS = 5


def read_labels(y) -> np.ndarray:
    """Return validated labels, NaN where missing."""
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
    rest = labels[~marked & ~np.isnan(labels)]
    if 2 * marked.sum() > len(labels) and len(rest) and rest.min() >= 0.0:
        raise ValueError(
            f"y holds -1 for {int(marked.sum()):,} of {len(labels):,} items, and no other negative "
            "number. Labels are numbers here, and -1 is one: mark missing labels by NaN, "
            "numpy.where(y == -1, numpy.nan, y)."
        )
    return labels


def read_proxies(estimator, X, labels: np.ndarray) -> Proxies:
    """Return validated proxies; there may be none."""
    if X is None:
        return Proxies((), np.zeros((len(labels), 0)))
    numbers = as_numbers(X, "X")
    # For the names of columns.
    validate_data(estimator, X, reset=True, skip_check_array=True, ensure_2d=False)
    values = check_array(
        numbers, ensure_2d=False, ensure_all_finite="allow-nan", estimator=estimator
    )
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2:
        raise ValueError(
            f"X must have shape (n_samples,) or (n_samples, n_proxies), got {shape_of(X)}."
        )
    if len(values) != len(labels):
        raise ValueError(
            f"X and y must have the same number of items; X has {len(values):,} and y "
            f"{len(labels):,}."
        )
    columns = getattr(X, "columns", None)
    names = range(values.shape[1]) if columns is None else columns
    proxies = Proxies(tuple(names), values)
    if np.isnan(labels).any():
        proxies.check(np.flatnonzero(~np.isnan(labels)))
    return proxies


def read_inclusion_proba(
    inclusion_proba, labels: np.ndarray, units: np.ndarray, may_be_equal: bool
) -> np.ndarray:
    """Return the validated inclusion probability of each item."""
    known = ~np.isnan(labels)
    n_known = int(known.sum())
    if known.all():
        return np.ones(len(labels))
    if n_known < MIN_LABELS:
        raise ValueError(
            f"y holds {n_known} labels, and a mean needs at least {MIN_LABELS}, drawn at random; "
            "useful intervals take about 20. NaN marks items without a label."
        )
    if not may_be_equal and labels[known].min() == labels[known].max():
        raise ValueError(
            f"All {n_known} labels are {labels[known][0]:g}: their spread cannot be estimated, so "
            "that no interval has coverage. Give the range of possible labels by label_range, such "
            "as (0, 1), or label more items until two labels differ."
        )
    n_units = len(np.unique(units[known]))
    if n_units < MIN_LABELS:
        raise ValueError(
            f"The labels are of {n_units} groups, which count as one observation each; label items "
            f"of at least {MIN_LABELS} groups."
        )
    if inclusion_proba is None:
        return np.full(len(labels), n_known / len(labels))
    chances = as_vector(inclusion_proba, "inclusion_proba", len(labels))
    check_inclusion_proba(chances, np.where(known, 0, -1), np.ones(len(labels)))
    n_drawn = int((chances[known] < 1.0).sum())
    if n_drawn < MIN_LABELS:
        raise ValueError(
            f"Of the labeled items {n_drawn} had an inclusion probability below 1: the others, "
            "labeled with certainty, carry no information on unlabeled items. Draw at least "
            f"{MIN_LABELS}."
        )
    return chances


def read_range(label_range, labels: np.ndarray) -> tuple[float, float]:
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
    outside = (labels < low) | (labels > high)
    if outside.any():
        raise ValueError(
            f"y holds {labels[outside][0]:g} at index {int(np.argmax(outside))}, outside of "
            f"label_range={label_range!r}."
        )
    return low, high
