"""Conversion of array-likes to plain numpy arrays.

All user arrays are converted here (labels by `encode_labels`, which handles missing values); lossy
silent conversions by numpy raise an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Complex, Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

__all__ = [
    "as_numbers",
    "as_plain",
    "as_tuple",
    "as_vector",
    "check_features",
    "is_missing",
    "is_missing_value",
    "shape_of",
    "unmasked",
]

# float64 rounds integers above this.
LARGEST_WHOLE = 2**53


def as_plain(values, name: str) -> np.ndarray:
    """Return an array-like as a numpy array, of any dtype."""
    if sparse.issparse(values):
        raise TypeError(
            f"{name} is a sparse matrix, and a dense array is needed: pass {name}.toarray()."
        )
    if _is_masked(values):
        _refuse_masked(name)
    _check_names(values, name)
    try:
        plain = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different length: {error}") from error
    if plain.ndim == 0:
        raise TypeError(f"{name} must be an array, with an entry for each item; got {values!r}.")
    return plain


def shape_of(values) -> tuple[int, ...]:
    """Return the shape of an array-like; () if it has none, or `shape` is a method."""
    try:
        shape: Any = np.shape(values)
    except ValueError:
        # Ragged rows raise later, in the reader that knows the name.
        return ()
    return shape if isinstance(shape, tuple) else ()


def as_numbers(values, name: str) -> np.ndarray:
    """Return an array-like as float64; missing values become NaN."""
    plain = as_plain(values, name)
    if plain.dtype.kind == "c":
        _refuse_complex(name, plain.dtype)
    if plain.dtype.kind in "US":
        _refuse_text(name, plain.flat[0].item() if plain.size else "")
    if plain.dtype.kind in "mMV":
        raise TypeError(f"{name} must hold numbers, got dtype {plain.dtype}.")
    if plain.dtype.kind == "O":
        return _from_objects(plain, name)
    if plain.dtype.kind in "iu":
        _check_whole(plain, name)
    numbers = np.asarray(plain, dtype=np.float64)
    # In a list or frame, integers next to floats may already be rounded.
    if not isinstance(values, np.ndarray) and plain.dtype.kind == "f" and _any_large(numbers):
        # A frame converts them to floats first, unless its columns are objects.
        objects = values.astype(object) if hasattr(values, "iloc") else values
        return _from_objects(np.asarray(objects, dtype=object), name)
    return numbers


def as_tuple(values, name: str, of: str) -> tuple:
    """Return a sequence of things as a tuple."""
    is_one = isinstance(values, (str, bytes, Mapping, type)) or getattr(values, "shape", None) == ()
    if is_one or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise TypeError(f"{name} must be a list of {of}; got {values!r}.")
    return tuple(values)


def unmasked(labels):
    """Return labels with masked entries replaced by None."""
    if not isinstance(labels, np.ma.MaskedArray):
        return labels
    values = labels.data.astype(object)
    values[np.ma.getmaskarray(labels)] = None
    return values


def as_vector(values, name: str, n_items: int) -> np.ndarray:
    """Return one number for each item, as float64."""
    numbers = as_numbers(values, name)
    if numbers.shape != (n_items,):
        raise ValueError(
            f"{name} must have shape ({n_items},), one number for each item; got {numbers.shape}."
        )
    return numbers


def check_features(X, name: str) -> None:
    """Raise if features, which only the classifier reads, are masked or empty."""
    shape = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__array__"):
        shape = np.asarray(X).shape
    if shape is None and hasattr(X, "__len__") and not isinstance(X, (str, bytes, Mapping)):
        shape = (len(X),)
    if not isinstance(shape, tuple) or not shape:
        raise TypeError(f"{name} must hold a row for each item; got {X!r}.")
    if shape[0] == 0:
        raise ValueError(f"{name} holds no row.")
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(
            f"{name} has 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
    _check_names(X, name)
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        _refuse_complex(name, X.dtype)
    if _is_masked(X):
        _refuse_masked(name)


def is_missing(values) -> np.ndarray:
    """Return which values of a vector are NaN, None or ``pd.NA``."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.fromiter(map(is_missing_value, values), dtype=bool, count=len(values))


def is_missing_value(value) -> bool:
    """Return whether a single value is NaN, None or ``pd.NA``."""
    # `pd.NA == pd.NA` is pd.NA, which has no truth value.
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (Real, Decimal)) and value != value


def _check_names(frame, name) -> None:
    """Raise if two columns of a frame have the same name."""
    names = list(getattr(frame, "columns", ()))
    twice = {column for column in names if names.count(column) > 1}
    if twice:
        raise ValueError(f"{name} has several columns of one name, such as {twice.pop()!r}.")


def _is_masked(values) -> bool:
    """Return whether an array has masked entries, or a list contains such an array."""
    if isinstance(values, (list, tuple)):
        return any(isinstance(row, np.ma.MaskedArray) and _is_masked(row) for row in values)
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def _any_large(numbers) -> bool:
    return bool((np.isfinite(numbers) & (np.abs(numbers) >= LARGEST_WHOLE)).any())


def _check_whole(whole, name) -> None:
    # Not by abs, which overflows for the smallest integer.
    large = (whole > LARGEST_WHOLE) | (whole < -LARGEST_WHOLE)
    if large.any():
        _refuse_large(name, whole[large][0])


def _from_objects(objects, name) -> np.ndarray:
    numbers = (_number(value, name) for value in objects.flat)
    return np.fromiter(numbers, dtype=np.float64, count=objects.size).reshape(objects.shape)


def _number(value, name) -> float:
    # The common case; the checks below are slow.
    if isinstance(value, float):
        return value
    if is_missing_value(value):
        return np.nan
    if isinstance(value, (str, bytes)):
        _refuse_text(name, value)
    if isinstance(value, Complex) and not isinstance(value, Real):
        _refuse_complex(name, type(value).__name__)
    if isinstance(value, Integral) and abs(int(value)) > LARGEST_WHOLE:
        _refuse_large(name, value)
    try:
        return float(value)
    except TypeError as error:
        raise TypeError(f"{name} must hold numbers: {error}.") from error
    except OverflowError as error:
        raise ValueError(f"{name} must hold numbers of float64: {error}.") from error


def _refuse_masked(name):
    raise ValueError(
        f"{name} is a masked array, and masked entries would be treated as values. Drop these "
        f"items, here and in all aligned inputs, or fill them: {name}.filled(...)."
    )


def _refuse_complex(name, kind):
    raise ValueError(f"Complex data not supported: {name} has values of type {kind}.")


def _refuse_text(name, value):
    raise ValueError(
        f"{name} must hold numbers, got the text {value!r}: convert it, by pd.to_numeric or "
        f"np.asarray({name}, dtype=float), and check that nothing is lost."
    )


def _refuse_large(name, value):
    raise ValueError(
        f"{name} holds the whole number {value}. Beyond 2**53 float64 does not represent all "
        "integers, and different values would become equal: subtract an offset, or pass ranks "
        "(scipy.stats.rankdata)."
    )
