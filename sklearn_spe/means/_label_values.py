"""Labels of few values, and items in rows by what proxies say of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabelValues"]

# Labels of more values are taken for measurements.
MAX_VALUES = 10
# Rows that are no values of the label have nothing in common: more of them need more labels.
MAX_ROWS = 4


@dataclass(frozen=True, eq=False)
class LabelValues(FrozenArrays):
    """The values that labels can have, and the row of each item: what the proxies say of it.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Increasing; at least two.
    rows : ndarray of shape (n_items,), of int
    places : ndarray of shape (n_rows,), of int
        Of each row the index of the proxy among the values, -1 where the proxy is none of them.
    """

    values: np.ndarray
    rows: np.ndarray
    places: np.ndarray

    @classmethod
    def of(cls, labels, proxies, low: float, high: float) -> LabelValues | None:
        """Return the values and rows, or None if there are too many of either, or one value only.

        Parameters
        ----------
        labels : ndarray of shape (n_items,)
            NaN where there is none.
        proxies : ndarray of shape (n_items, n_proxies)
            NaN where nothing is said.
        low, high : float
            The least and the greatest label that there can be.
        """
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
    """Return the values that were seen, and those that the range of labels adds."""
    if not np.isfinite(high - low) or not len(values):
        return values
    if high - low < MAX_VALUES and (np.floor([*values, low, high]) == [*values, low, high]).all():
        return np.arange(low, high + 1.0)
    return np.union1d(values, [low, high]) if np.isin(values, [low, high]).all() else values


def _of_both(values, said):
    """Return the values, and those of a proxy on the same scale."""
    if len(values) == 2 and len(said) and (values == [said[0], said[-1]]).all():
        # A verdict with something between, such as half of two.
        return values
    same = np.isin(values, said).all() or np.isin(said, values).all()
    both = np.union1d(values, said)
    return both if same and len(both) <= MAX_VALUES else values
