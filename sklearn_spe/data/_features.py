"""Features of items, such as the length of an answer, that may affect the errors of a judge.

Each is divided into levels of about equally many items: the label model shifts the log-odds of an
item by the normal score of its level, so it does not depend on the unit, nor on outliers, and
many items with equal ratings and levels are one row.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays, mid_ranks
from ..inputs._frames import read_frame
from ..inputs._validation import as_numbers, check_names, shape_of

# Number of levels of a feature.
MAX_LEVELS = 8


@dataclass(frozen=True, eq=False)
class ItemFeatures(FrozenArrays):
    """Levels of the features of items."""

    names: tuple[Hashable, ...]
    levels: np.ndarray  # (n_items, n_features), of int; -1 if missing
    values: np.ndarray  # (n_items, n_features), mean normal score of the level; 0 if missing

    @classmethod
    def read(cls, features: Any, n_items: int) -> ItemFeatures:
        """Validate one column of numbers for each feature; NaN if missing."""
        names, columns = _columns(features)
        if not names:
            raise ParameterError.of(
                "features", "holds no column: leave it out, or pass one for each feature."
            )

        levels = np.empty((n_items, len(names)), dtype=np.intp)
        values = np.empty((n_items, len(names)))
        for j, (name, column) in enumerate(zip(names, columns, strict=True)):
            numbers = as_numbers(column, f"features[{name!r}]")
            if numbers.shape != (n_items,) or np.isinf(numbers).any():
                raise ParameterError.of(
                    "features",
                    f"must have a finite number, or NaN, for each of {n_items} items in column "
                    f"{name!r}; got shape {numbers.shape} with {np.isinf(numbers).sum()} infinite "
                    "numbers.",
                )
            levels[:, j], values[:, j] = _levels_of(numbers)
        return cls(names, levels, values)

    def take(self, items: np.ndarray | slice) -> ItemFeatures:
        """Return the features of some items."""
        return replace(self, levels=self.levels[items], values=self.values[items])

    @property
    def informative(self) -> list[int]:
        """The features that are not constant."""
        return [j for j, values in enumerate(self.values.T) if np.ptp(values) > 0.0]

    def is_same(self, other: ItemFeatures | None) -> bool:
        """Return whether these are the same features of the same items."""
        return (
            other is not None
            and self.names == other.names
            and np.array_equal(self.levels, other.levels)
        )


def _columns(features: Any) -> tuple[tuple[Hashable, ...], list[Any]]:
    """Return the names, or numbers, and the columns of the features."""
    features = read_frame(features, "features")
    if isinstance(features, Mapping):
        return tuple(features), list(features.values())
    if hasattr(features, "columns"):
        check_names(features, "features")
        return tuple(features.columns), [features[name] for name in features.columns]
    if len(shape_of(features)) == 1:
        name = getattr(features, "name", None)
        return (0 if name is None else name,), [features]
    numbers = as_numbers(features, "features")
    if numbers.ndim != 2:
        raise ParameterError.of(
            "features", f"must have shape (n_items,) or (n_items, n_features), got {numbers.shape}."
        )
    return tuple(range(numbers.shape[1])), list(numbers.T)


def _levels_of(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the level of each item, and the standardized mean normal score of its level."""
    is_known = ~np.isnan(numbers)
    levels = np.full(len(numbers), -1)
    values = np.zeros(len(numbers))
    if not is_known.any():
        return levels, values

    ranks = mid_ranks(numbers[is_known])
    levels[is_known] = np.minimum((ranks * MAX_LEVELS).astype(int), MAX_LEVELS - 1)
    of_items = levels[is_known]
    n_items = np.bincount(of_items, minlength=MAX_LEVELS)
    total = np.bincount(of_items, special.ndtri(ranks), MAX_LEVELS)
    means = (total / np.maximum(n_items, 1))[of_items]
    means -= means.mean()
    spread = means.std()
    values[is_known] = means / spread if spread > 1e-9 else 0.0
    return levels, values
