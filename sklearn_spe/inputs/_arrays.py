"""Arrays that cannot be written to, tiles of large ones, rows and columns of any table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ..exceptions import ParameterError, ParameterTypeError
from ._validation import as_plain

if TYPE_CHECKING:
    import pandas as pd

# A tile of 2**17 doubles is 1 MiB: it stays in the cache, and memory does not grow with the
# number of draws. Changing it may change the last digits of sums.
TILE_SIZE = 2**17
# What users pass: a value for each row, where None and pd.NA are missing; columns with or without
# names; scores, in columns or counted; one or several names; further columns of the rows; and where
# random numbers come from.
ColumnLike: TypeAlias = npt.ArrayLike | Sequence[Any]
TableLike: TypeAlias = ColumnLike | Mapping[Any, Any]
ScoresLike: TypeAlias = "TableLike | CountedItems"
NamesLike: TypeAlias = Hashable | Sequence[Hashable]
SampleColumns: TypeAlias = "Mapping[str, ColumnLike] | pd.DataFrame | None"
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
# A number, or an array that broadcasts with the other arguments.
Floats = float | np.ndarray
# As the result of a function of one of these: the same kind.
NumberOrArray = TypeVar("NumberOrArray", float, np.ndarray)


class FrozenArrays:
    """Mixin for frozen dataclasses that hold arrays.

    Such values are compared by identity: declare them with ``eq=False``.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                # A read-only view: no copy, and the caller's own array stays writeable.
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)

    def __reduce__(self):
        # Rebuild through the constructor: unpickled arrays are writeable.
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return partial(type(self), **values), ()


class CountedItems:
    """Mixin of histograms, which are passed instead of single items."""


def mid_ranks(values: npt.ArrayLike, counts: np.ndarray | None = None) -> np.ndarray:
    """Return the share of items below each value, plus half the share of ties."""
    _, index = np.unique(values, return_inverse=True)
    total = np.bincount(index, weights=counts)
    return ((np.cumsum(total) - total / 2.0) / total.sum())[index]


def row_tiles(n_rows: int, n_columns: int):
    """Yield slices of rows, each of about `TILE_SIZE` numbers."""
    step = max(1, TILE_SIZE // max(1, n_columns))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


@dataclass(frozen=True, eq=False)
class PartlyLabeled:
    """A partially labeled data set."""

    X: object
    codes: np.ndarray  # (n_samples,), indices into `classes`, -1 if unlabeled
    classes: np.ndarray  # (n_classes,)
    sample_weight: np.ndarray | None  # (n_samples,)
    marker: object = -1  # of unlabeled items in later labels
    groups: np.ndarray | None = None  # (n_samples,), groups of dependent rows; None if independent

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: np.ndarray) -> PartlyLabeled:
        """Return some of the rows."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        return PartlyLabeled(
            rows_of(self.X, rows), self.codes[rows], self.classes, weights, self.marker, groups
        )

    @property
    def parts(self) -> np.ndarray:
        """The unit of splitting of each row: its group, or the row."""
        return np.arange(len(self)) if self.groups is None else self.groups

    def fit(self, estimator: Any, params: dict[str, Any], rows: np.ndarray):
        """Fit a clone of an estimator to some labeled rows."""
        params_of_rows = {
            name: rows_of(value, rows) if self._is_of_rows(value) else value
            for name, value in params.items()
        }
        labels = self.classes[self.codes[rows]]
        return clone(estimator).fit(rows_of(self.X, rows), labels, **params_of_rows)

    def _is_of_rows(self, value: Any) -> bool:
        if isinstance(value, (str, bytes, dict)):
            return False
        if not hasattr(value, "shape"):
            return hasattr(value, "__len__") and len(value) == len(self)
        return value.shape[:1] == (len(self),)


def rows_of(X: Any, rows: np.ndarray):
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows]
    return X[rows]


def read_sample_columns(columns: Any, n_rows: int) -> dict[str, np.ndarray]:
    """Return columns of the rows of X by name, (n_rows,) each, from a mapping or a data frame."""
    if isinstance(columns, Mapping):
        names = list(columns)
    else:
        # Arrow tables have the names apart.
        names = list(getattr(columns, "column_names", getattr(columns, "columns", ())))

    if not names and not isinstance(columns, Mapping):
        raise ParameterTypeError.of(
            "sample_columns",
            "must be a mapping from names to columns, or a data frame, with an entry for each row "
            f"of X, such as {{'value': amounts}}; got {columns!r:.100}.",
        )

    read = {}
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise ParameterError.of(
                "sample_columns",
                "names keyword arguments of the metric: each must be a word such as 'value'; got "
                f"{name!r:.100}.",
            )

        column = as_plain(columns[name], f"sample_columns[{name!r}]")
        if column.shape != (n_rows,):
            raise ParameterError.of(
                "sample_columns",
                f"must hold an entry for each of the {n_rows} rows of X; column {name!r} has shape "
                f"{column.shape}.",
            )

        read[name] = column

    return read
