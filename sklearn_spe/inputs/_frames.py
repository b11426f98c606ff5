"""Frames and columns of any library, converted to arrays and to columns by name.

Frames of polars (also lazy ones), Arrow, DuckDB, ibis, Spark and others are read by narwhals where
it is installed. Without it those are read whose columns are arrays (polars), or that are streams of
Arrow, by pyarrow. Arrays, lists and pandas objects, whose index tells rows apart, are left as they
are; so are frames that behave like those of pandas. Collections of dask are computed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exceptions import ParameterError, ParameterTypeError

# What a frame or a column of another library has at least one of.
PROTOCOLS = (
    *("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__"),
    *("__narwhals_dataframe__", "__narwhals_lazyframe__", "__narwhals_series__"),
)
# Packages whose objects are read as they are.
KNOWN = {"builtins", "collections", "numpy", "pandas", "scipy", "sklearn", "sklearn_spe"}
# Arguments with several columns; the others have one entry for each item.
OF_SEVERAL_COLUMNS = {"X", "judges", "features"}


@dataclass(frozen=True, eq=False)
class FrameColumns:
    """The columns of a frame, which can be indexed by name and converted to an array."""

    columns: list[Hashable]  # their names
    arrays: tuple[np.ndarray, ...]  # (n_rows,) each
    native: Any  # the frame as its library has it

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.columns)

    def __len__(self) -> int:
        return len(self.arrays[0]) if self.arrays else 0

    def __getitem__(self, name: Any) -> np.ndarray:
        return self.arrays[self.columns.index(name)]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if not self.arrays:
            return np.empty(self.shape, dtype)
        kinds = {array.dtype.kind for array in self.arrays}
        is_common = kinds <= set("biuf") or len(kinds) == 1
        common = dtype if dtype is not None or is_common else object
        arrays = [np.asarray(array, dtype=common) for array in self.arrays]
        return np.column_stack(arrays)


class OrderedColumn(np.ndarray):
    """A column of categories that are ordered, like months."""

    categories: list[Any]

    @classmethod
    def of(cls, values: np.ndarray, categories: list[Any]) -> OrderedColumn:
        """Return the column with its categories in order."""
        ordered = values.view(cls)
        ordered.categories = categories
        return ordered


class TextColumn(np.ndarray):
    """A column that can hold text and missing values only, so numbers in it are text."""


def read_frames(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call, by name, with frames and columns of any library read."""
    return {
        name: read_frame(value, name) if name in OF_SEVERAL_COLUMNS else read_column(value, name)
        for name, value in values.items()
    }


def read_column(values: Any, name: str) -> Any:
    """Return a column, such as that of a frame with a single one."""
    values = read_frame(values, name)
    if isinstance(values, FrameColumns):
        return values.arrays[0] if len(values.columns) == 1 else values
    is_pandas = hasattr(type(values), "iloc")
    if not (is_pandas or isinstance(values, np.ndarray)) or values.ndim != 2:
        return values
    if values.shape[1] != 1:
        return values
    return values.iloc[:, 0] if is_pandas else values[:, 0]


def read_frame(values: Any, name: str) -> Any:
    """Return a frame as `FrameColumns`, a column as an array; anything else unchanged.

    A mapping has its values read. Raise ParameterTypeError if narwhals is needed and missing, and
    ParameterError if a query fails.
    """
    if isinstance(values, Mapping):
        is_known = not any(map(is_of_another_library, values.values()))
        return (
            values
            if is_known
            else {key: read_column(of_key, f"{name}[{key!r}]") for key, of_key in values.items()}
        )

    if not is_of_another_library(values):
        return values
    if hasattr(values, "__dask_graph__"):
        return _evaluated(values.compute, values, name)
    if hasattr(values, "iloc"):
        return values

    try:
        import narwhals as nw
    except ImportError:
        return _read_by_columns(values, name)

    check_names(values, name)
    frame = nw.from_native(values, allow_series=True, pass_through=True)
    if frame is values:
        frame = nw.from_native(_arrow_table(values), allow_series=True, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = _evaluated(frame.collect, values, name)
    if isinstance(frame, nw.Series):
        return _array_of(frame)
    if not isinstance(frame, nw.DataFrame):
        return values

    arrays = tuple(_array_of(column) for column in frame.iter_columns())
    return FrameColumns(list(frame.columns), arrays, frame.to_native())


def names_of_columns(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame; none for anything else."""
    # The columns of Arrow are no names, and lazy frames warn where they are asked for theirs.
    if hasattr(type(frame), "column_names"):
        return list(frame.column_names)
    is_lazy = hasattr(type(frame), "collect")
    return [] if is_lazy else list(getattr(frame, "columns", ()))


def check_names(frame: Any, name: str) -> None:
    """Raise if two columns of a frame have the same name."""
    names = names_of_columns(frame)
    twice = {column for column in names if names.count(column) > 1}
    if twice:
        raise ParameterError.of(name, f"has several columns of one name, such as {twice.pop()!r}.")


def is_of_another_library(values: Any) -> bool:
    """Return whether something is a frame, a column or a query that pandas does not have."""
    if isinstance(values, (np.ndarray, type)):
        return False
    if type(values).__module__.partition(".")[0] in KNOWN:
        return False
    # Of the type: lazy frames warn where they are asked for their columns.
    kind = type(values)
    has_protocol = any(hasattr(kind, protocol) for protocol in PROTOCOLS)
    is_lazy = hasattr(kind, "columns") and hasattr(kind, "collect")
    return has_protocol or is_lazy or hasattr(kind, "__dask_graph__")


def _evaluated(evaluate: Any, values: Any, name: str) -> Any:
    """Return the result of a query; raise if it cannot be evaluated."""
    try:
        return evaluate()
    # Each engine has exceptions of its own.
    except Exception as error:
        raise ParameterError.of(
            name,
            f"is a {_type_of(values)}, which could not be evaluated: {error}",
            "Evaluate it first, and pass the table.",
        ) from error


def _arrow_table(values: Any) -> Any:
    """Return a batch, a stream or an array of Arrow as its table or column; else unchanged."""
    try:
        import pyarrow as pa
    except ImportError:
        return values

    if isinstance(values, pa.Array):
        return pa.chunked_array([values])

    is_table = isinstance(values, (pa.Table, pa.ChunkedArray))
    try:
        return values if is_table else pa.table(values)
    # It is not a table of Arrow, but a column, for example.
    except (TypeError, ValueError):
        return values


def _array_of(column: Any) -> np.ndarray:
    """Return a column of narwhals as an array, None or NaN where missing."""
    import narwhals as nw

    dtype = column.dtype
    is_time = dtype in (nw.Datetime, nw.Date, nw.Duration)

    # Missing whole numbers would make floats of the others.
    is_plain = (dtype.is_integer() or dtype == nw.Boolean) and not column.null_count()
    if dtype.is_float() or is_time or is_plain:
        return np.array(column.to_numpy())

    objects = np.fromiter(column.to_list(), dtype=object, count=len(column))
    if dtype == nw.String:
        return objects.view(TextColumn)

    categories = _ordered_categories(column.to_native())
    return objects if categories is None else OrderedColumn.of(objects, categories)


def _ordered_categories(native: Any) -> list[Any] | None:
    """Return the categories of a column of polars or Arrow in their order, if they have one."""
    dtype: Any = getattr(native, "dtype", getattr(native, "type", None))
    if type(dtype).__name__ == "Enum":
        return list(dtype.categories)
    if getattr(dtype, "ordered", False) and hasattr(native, "unify_dictionaries"):
        chunks = native.unify_dictionaries().chunks
        return chunks[0].dictionary.to_pylist() if chunks else None
    return None


def _read_by_columns(values: Any, name: str) -> Any:
    """Return a frame whose columns are arrays, without narwhals; raise for any other."""
    is_lazy = hasattr(type(values), "collect")
    values = values if is_lazy or hasattr(values, "__array__") else _arrow_table(values)
    check_names(values, name)
    names = names_of_columns(values)
    if not names and hasattr(values, "__array__"):
        return np.asarray(values)

    try:
        arrays = tuple(np.asarray(values[column]) for column in names)
    except (AttributeError, KeyError, TypeError, ValueError):
        arrays = ()

    if not arrays or any(array.ndim != 1 for array in arrays):
        raise ParameterTypeError.of(
            name,
            f"is a {_type_of(values)}, which is read by narwhals:",
            "run `pip install narwhals`, or pass a numpy array or a frame of pandas.",
        )

    return FrameColumns(names, arrays, values)


def _type_of(values: Any) -> str:
    return f"{type(values).__module__.partition('.')[0]}.{type(values).__name__}"
