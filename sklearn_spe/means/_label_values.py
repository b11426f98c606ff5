"""Labels with few values, and items grouped in rows by their proxies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabelValues"]

# Labels with more values are treated as measurements.
MAX_VALUES = 10
# Rows that are not label values are not pooled: more of them need more labels.
MAX_ROWS = 4


@dataclass(frozen=True, eq=False)
class LabelValues(FrozenArrays):
    """The possible values of labels, and the row of each item, by its proxies."""

    values: np.ndarray  # (n_values,); increasing; at least two
    rows: np.ndarray  # (n_items,), of int
    # (n_rows,), of int; index of the proxy among the values, -1 if it is not one.
    places: np.ndarray

    @classmethod
    def of(cls, labels, proxies, low: float, high: float) -> LabelValues | None:
        """Return the values and rows, or None if either has too many or there is only one value."""
        values = _possible(np.unique(labels[~np.isnan(labels)]), low, high)
        if len(values) > MAX_VALUES:
            return None
        if proxies.shape[1] == 1:
            values = _of_both(values, np.unique(proxies[~np.isnan(proxies)]))
        found, rows = np.zeros((1, 0)), np.zeros(len(labels), dtype=int)
        if proxies.shape[1]:
            found, rows = np.unique(proxies, axis=0, return_inverse=True)
        if found.shape[1] == 1 and np.isin(found[~np.isnan(found)], values).all():
            places = np.where(np.isnan(found[:, 0]), -1, np.searchsorted(values, found[:, 0]))
        elif len(values) == 2 and len(found) <= MAX_ROWS:
            places = np.full(len(found), -1)
        else:
            return None
        return cls(values, rows.ravel(), places) if len(values) > 1 else None


def _possible(values, low, high):
    """Return the observed values, and those that the range of labels adds."""
    if not np.isfinite(high - low) or not len(values):
        return values
    if high - low < MAX_VALUES and (np.floor([*values, low, high]) == [*values, low, high]).all():
        return np.arange(low, high + 1.0)
    return np.union1d(values, [low, high]) if np.isin(values, [low, high]).all() else values


def _of_both(values, said):
    """Return the label values, and those of a proxy on the same scale."""
    if len(values) == 2 and len(said) and (values == [said[0], said[-1]]).all():
        # A binary proxy with values in between, such as means of two ratings.
        return values
    same = np.isin(values, said).all() or np.isin(said, values).all()
    both = np.union1d(values, said)
    return both if same and len(both) <= MAX_VALUES else values
