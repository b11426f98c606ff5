"""Numbers, seeds, arrays and columns that users pass, checked, and rows aligned.

Conversion of array-likes to plain numpy arrays.

All user arrays are converted here (labels by `encode_labels`, which handles missing values); lossy
silent conversions by numpy raise an error.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Complex, Integral, Real
from pathlib import Path
from threading import Lock, RLock
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from ..exceptions import ParameterError, ParameterTypeError
from ._frames import (
    FrameColumns,
    check_names,
    is_of_another_library,
    read_column,
    read_frame,
)

# Largest count up to which float64 represents all integers.
MAXIMUM = 2**53
# Marks an unlabeled row, besides missing values, unless it is the only label.
MARKER = -1
# Far above the number of processors of any machine.
MAX_JOBS = 2**15
# Fewer draws have no interval: of ten, the extreme ones are 80% apart.
MIN_DRAWS = 10
# These items, or the distribution behind them.
TARGETS = ("sample", "population")
# Maximum number of named things.
MAX_NAMED = 10
# A name in a message.
MAX_NAME = 200
# Stored outside the objects, as locks can be neither pickled nor copied.
_LOCKS: WeakKeyDictionary = WeakKeyDictionary()
_GUARD = Lock()


def is_number(value: Any, kind: type = Real) -> bool:
    """Return whether a value is a number, not a boolean; numpy treats times as integers."""
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_, np.timedelta64))


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return an integer that is at least `least`."""
    if not is_number(value, Integral):
        raise ParameterTypeError.of(name, f"must be a whole number, got {value!r}.")
    if value < least:
        raise ParameterError.of(name, f"must be at least {least}, got {value!r}.")
    if value > MAXIMUM:
        raise ParameterError.of(name, f"must be at most 2**53, got {value!r}.")
    return int(value)


def check_draws(n_draws: Any) -> int:
    """Return a number of draws that is large enough for an interval."""
    n_draws = check_count(n_draws, "n_draws")
    if n_draws < MIN_DRAWS:
        raise ParameterError.of(
            "n_draws",
            f"must be at least {MIN_DRAWS}, got {n_draws}: an interval needs draws on both of its "
            "sides.",
            "Use the default, n_draws=1000, or at least 100 for intervals of 90%.",
        )
    return n_draws


def check_jobs(n_jobs: Any) -> None:
    """Raise unless a number of workers is valid for joblib."""
    if n_jobs is None:
        return
    if not is_number(n_jobs, Integral):
        raise ParameterTypeError.of("n_jobs", f"must be None or a whole number, got {n_jobs!r}.")
    if n_jobs == 0 or abs(int(n_jobs)) > MAX_JOBS:
        raise ParameterError.of(
            "n_jobs",
            f"must be a number of workers from 1 to {MAX_JOBS}, -1 for all processors, "
            f"-2 for all but one, ..., or None for the joblib context; got {n_jobs!r}.",
        )


def check_counts(values: Any, name: str, least: int = 1) -> np.ndarray:
    """Return an array of integers that are at least `least`; integral floats are accepted."""
    try:
        # An array keeps its shape, also that of a single column.
        counts = values if isinstance(values, np.ndarray) else read_column(values, name)
        counts = np.asarray(counts)
    except ValueError as error:
        raise ParameterError.of(name, f"has rows of different length: {error}") from error

    if counts.dtype.kind not in "iuf":
        raise ParameterTypeError.of(
            name, f"must be a whole number or a list of them; got {values!r}."
        )

    invalid = ~((counts >= least) & (counts == np.floor(counts)) & np.isfinite(counts))
    if invalid.any():
        raise ParameterError.of(
            name, f"must be whole numbers of at least {least}, got {counts[invalid].flat[0]}."
        )

    # Values that do not fit int64 are unchanged: large unsigned integers and floats.
    return counts.astype(np.int64 if (counts < 2**63).all() else np.float64)


def check_choice(value: Any, name: str, choices: Iterable[str]) -> None:
    """Raise unless a value is one of some names."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError.of(name, f"must be one of {', '.join(choices)}; got {value!r}.")


def check_target(target: Any) -> None:
    """Raise if a target is unknown."""
    check_choice(target, "target", TARGETS)


def check_flag(value: Any, name: str) -> bool:
    """Return a boolean; 1 and 0 are not accepted."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterTypeError.of(name, f"must be True or False, got {value!r}.")
    return bool(value)


def check_number(value: Any, name: str, interval: str) -> float:
    """Return a number that lies in an interval."""
    if not is_number(value):
        raise ParameterTypeError.of(name, f"must be a number in {interval}, got {value!r}.")
    low, high = map(float, interval[1:-1].split(","))
    # Low-precision floats overflow on wide intervals, and large integers or fractions are not
    # floats.
    number: Any = float(value) if isinstance(value, np.floating) else value
    above = number >= low if interval[0] == "[" else number > low
    below = number <= high if interval[-1] == "]" else number < high
    if not (above and below):
        raise ParameterError.of(name, f"must lie in {interval}, got {value!r}.")
    return float(value)


def seed_entropy(random_state: Any) -> int:
    """Return an integer from which all random generators of a fit are derived.

    Seed sequences are rebuilt from it at each use, so repeated calls agree.
    """
    if random_state is None:
        return secrets.randbits(128)

    if is_number(random_state, Integral):
        if random_state < 0:
            raise ParameterError.of("random_state", f"must not be negative, got {random_state}.")
        return int(random_state)

    if isinstance(random_state, np.random.Generator):
        words = random_state.integers(0, 2**32, size=4, dtype=np.uint32)
    elif isinstance(random_state, np.random.RandomState):
        words = random_state.randint(0, 2**32, size=4, dtype=np.uint32)
    else:
        raise ParameterError.of(
            "random_state",
            f"must be None, an int, a numpy RandomState or a numpy Generator, got "
            f"{random_state!r}.",
        )

    return int(sum(int(word) << (32 * i) for i, word in enumerate(words)))


def spawn(entropy: int, *path: int) -> np.random.Generator:
    """Return the generator with a spawn key below `entropy`."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=path))


def lock_of(changed: Any):
    """Return the lock of an object, to hold for a read-modify-write."""
    with _GUARD:
        lock = _LOCKS.get(changed)
        if lock is None:
            lock = _LOCKS[changed] = RLock()
        return lock


def _renew_locks() -> None:
    """Replace the locks in a forked child: a thread that it does not have may hold them."""
    global _GUARD, _LOCKS
    _GUARD = Lock()
    _LOCKS = WeakKeyDictionary()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def as_plain(values: Any, name: str) -> np.ndarray:
    """Return an array-like as a numpy array, of any dtype."""
    if sparse.issparse(values):
        raise ParameterTypeError.of(
            name, f"is a sparse matrix, and a dense array is needed: pass {name}.toarray()."
        )

    if _is_masked(values):
        _refuse_masked(name)

    values = read_frame(values, name)
    check_names(values, name)

    try:
        plain = np.asarray(values)
    except ValueError as error:
        raise ParameterError.of(name, f"has rows of different length: {error}") from error

    if plain.ndim == 0:
        raise ParameterTypeError.of(
            name, f"must be an array, with an entry for each item; got {values!r}."
        )

    return plain


def shape_of(values: Any) -> tuple[int, ...]:
    """Return the shape of an array-like; () if it has none, or `shape` is a method."""
    try:
        shape: Any = np.shape(read_frame(values, "X"))
    except ValueError:
        # Ragged rows raise later, in the reader that knows the name.
        return ()
    return shape if isinstance(shape, tuple) else ()


def as_numbers(values: Any, name: str) -> np.ndarray:
    """Return an array-like as float64; missing values become NaN."""
    values = read_frame(values, name)
    plain = as_plain(values, name)
    if plain.dtype.kind == "c":
        _refuse_complex(name, plain.dtype)
    if plain.dtype.kind in "US":
        refuse_text(name, plain.flat[0].item() if plain.size else "")
    if plain.dtype.kind in "mMV":
        raise ParameterTypeError.of(name, f"must hold numbers, got dtype {plain.dtype}.")
    if plain.dtype.kind == "O":
        return _from_objects(plain, name)

    if plain.dtype.kind in "iu":
        # Not by abs, which overflows for the smallest integer.
        large = (plain > MAXIMUM) | (plain < -MAXIMUM)
        if large.any():
            _refuse_large(name, plain[large][0])

    numbers = np.asarray(plain, dtype=np.float64)

    # In a list or frame, integers next to floats may already be rounded.
    is_exact = isinstance(values, np.ndarray) or plain.dtype.kind != "f"
    if not is_exact and (np.isfinite(numbers) & (np.abs(numbers) >= MAXIMUM)).any():
        # A frame converts them to floats first, unless its columns are objects.
        objects = values.astype(object) if hasattr(values, "iloc") else values
        return _from_objects(np.asarray(objects, dtype=object), name)

    return numbers


def as_objects(values: Any) -> np.ndarray:
    """Return a vector with one object per item, even if items are lists of equal length."""
    return np.fromiter(values, dtype=object, count=len(values))


def as_tuple(values: Any, name: str, of: str) -> tuple[Any, ...]:
    """Return a sequence of things as a tuple."""
    is_single = (
        isinstance(values, (str, bytes, Mapping, type)) or getattr(values, "shape", None) == ()
    )
    # A table is no list, whatever its library says of its length.
    values = read_column(values, name)
    is_single = is_single or isinstance(values, FrameColumns)
    if is_single or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise ParameterTypeError.of(name, f"must be a list of {of}; got {values!r}.")
    return tuple(values)


def unmasked(labels: Any) -> Any:
    """Return labels with masked entries replaced by None."""
    if not isinstance(labels, np.ma.MaskedArray):
        return labels
    values = labels.data.astype(object)
    values[np.ma.getmaskarray(labels)] = None
    return values


def as_vector(values: Any, name: str, n_items: int) -> np.ndarray:
    """Return one number for each item, as float64."""
    numbers = as_numbers(read_column(values, name), name)
    numbers = numbers[:, 0] if numbers.shape[1:] == (1,) else numbers
    if numbers.shape != (n_items,):
        raise ParameterError.of(
            name, f"must have shape ({n_items},), one number for each item; got {numbers.shape}."
        )
    return numbers


def as_features(values: Any, n_items: int) -> np.ndarray:
    """Return finite features of items, (n_items, n_features); a single one may be a vector."""
    features = as_numbers(values, "features")
    features = features[:, np.newaxis] if features.ndim == 1 else features
    if features.ndim != 2 or len(features) != n_items:
        raise ValueError(f"features must have shape ({n_items}, n_features), got {features.shape}.")
    if not np.isfinite(features).all():
        raise ValueError("features must be finite; impute missing values.")
    return features


def check_features(X: Any, name: str) -> None:
    """Raise if features, which only the classifier reads, are masked or empty."""
    shape = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__array__"):
        shape = np.asarray(X).shape
    if shape is None and hasattr(X, "__len__") and not isinstance(X, (str, bytes, Mapping)):
        shape = (len(X),)
    if not isinstance(shape, tuple) or not shape:
        raise ParameterTypeError.of(name, f"must hold a row for each item; got {X!r}.")
    if shape[0] == 0:
        raise ParameterError.of(name, "holds no row.")

    if len(shape) == 2 and shape[1] == 0:
        raise ParameterError.of(
            name, f"has 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )

    check_names(X, name)
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        _refuse_complex(name, X.dtype)
    if _is_masked(X):
        _refuse_masked(name)


def is_missing(values: np.ndarray) -> np.ndarray:
    """Return which values of a vector are NaN, None or ``pd.NA``."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.fromiter(map(is_missing_value, values), dtype=bool, count=len(values))


def is_missing_value(value: Any) -> bool:
    """Return whether a single value is NaN, None or ``pd.NA``."""
    # `pd.NA == pd.NA` is pd.NA, which has no truth value.
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (Real, Decimal)) and value != value


def _is_masked(values: Any) -> bool:
    """Return whether an array has masked entries, or a list contains such an array."""
    if isinstance(values, (list, tuple)):
        return any(isinstance(row, np.ma.MaskedArray) and _is_masked(row) for row in values)
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def _from_objects(objects: np.ndarray, name: str) -> np.ndarray:
    numbers = (_number(value, name) for value in objects.flat)
    return np.fromiter(numbers, dtype=np.float64, count=objects.size).reshape(objects.shape)


def _number(value: Any, name: str) -> float:
    # The common case; the checks below are slow.
    if isinstance(value, float):
        return value
    if is_missing_value(value):
        return np.nan
    if isinstance(value, (str, bytes)):
        refuse_text(name, value)
    if isinstance(value, Complex) and not isinstance(value, Real):
        _refuse_complex(name, type(value).__name__)
    if isinstance(value, Integral) and abs(int(value)) > MAXIMUM:
        _refuse_large(name, value)

    try:
        return float(value)
    except TypeError as error:
        raise ParameterTypeError.of(name, f"must hold numbers: {error}.") from error
    except OverflowError as error:
        raise ParameterError.of(name, f"must hold numbers of float64: {error}.") from error


def _refuse_masked(name: str) -> NoReturn:
    raise ParameterError.of(
        name,
        f"is a masked array, and masked entries would be treated as values. Drop these "
        f"items, here and in all aligned inputs, or fill them: {name}.filled(...).",
    )


def _refuse_complex(name: str, kind: Any) -> NoReturn:
    raise ValueError(f"Complex data not supported: {name} has values of type {kind}.")


def refuse_text(name: str, value: Any) -> NoReturn:
    raise ParameterError.of(
        name,
        f"must hold numbers, got the text {value!r}: convert it, by {name}.astype(float), "
        f"np.asarray({name}, dtype=float) or pd.to_numeric, and check that nothing is lost.",
    )


def _refuse_large(name: str, value: Any) -> NoReturn:
    raise ParameterError.of(
        name,
        f"holds the whole number {value}. Beyond 2**53 float64 does not represent all "
        "integers, and different values would become equal: subtract an offset, or pass ranks "
        "(scipy.stats.rankdata).",
    )


def check_aligned(**inputs: Any) -> None:
    """Raise unless all pandas inputs of a call have the same index.

    Rows are paired by position, as in scikit-learn. If two inputs have a pandas index, it must be
    the same, since otherwise sorted or filtered labels would be assigned to the wrong items. A
    default index (0, 1, 2, ...) counts as an index. Inputs without an index are paired by position.
    """
    check_columns_aligned(inputs)


def check_columns_aligned(inputs: Mapping[str, Any]) -> None:
    """Raise unless all pandas inputs, by name, have the same index, as `check_aligned`."""
    indexed = _indexes(inputs)
    if indexed:
        first, index = next(iter(indexed.items()))
        _check_index(index, first, indexed)


def check_aligned_with(index: Any, said: str, **inputs: Any) -> None:
    """Raise unless inputs have a given index, that of `said`; None had none."""
    if index is not None:
        _check_index(index, said, _indexes(inputs))


def _check_index(index: Any, name: str, indexed: Mapping[str, Any]) -> None:
    for other_name, other in indexed.items():
        if len(other) == len(index) and not index.equals(other):
            raise ValueError(_contradiction(name, index, other_name, other))


def check_labels_of(indices: Any, labels: Any, index: Any) -> None:
    """Raise unless pandas labels are in the order of their items.

    Their index may hold row numbers of X, the index of X (None without one), or be the default
    index, which carries no information.
    """
    if not _has_index(labels) or shape_of(indices) != (len(labels),):
        return

    items = np.asarray(indices)
    if items.dtype.kind not in "iu":
        return

    has_names = index is not None and (items >= 0).all() and (items < len(index)).all()
    index_of_labels = list(labels.index)
    index_of_items = list(index[items]) if has_names else items.tolist()
    if index_of_labels in (index_of_items, items.tolist()):
        return

    is_same_set = set(index_of_labels) in (set(index_of_items), set(items.tolist()))
    is_uninformative = not has_names or index_of_labels == list(range(len(index_of_labels)))
    if is_same_set or not is_uninformative:
        row = next(
            i
            for i, pair in enumerate(zip(index_of_labels, index_of_items, strict=True))
            if _differ(*pair)
        )
        raise ValueError(
            f"The index of labels differs from that of the items in indices: row {row} is "
            f"{index_of_labels[row]!r} in labels, but item {items[row]} is "
            f"{index_of_items[row]!r}. If "
            "the index identifies the items, reorder by labels.loc; if the order does, pass "
            "labels.to_numpy()."
        )


def index_of(**inputs: Any) -> Any:
    """Return the first pandas index among the inputs of a call, or None."""
    return next(iter(_indexes(inputs).values()), None)


def _indexes(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values.index for name, values in _columns(inputs) if _has_index(values)}


def _columns(inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield inputs by name, the columns of mappings separately."""
    for name, value in inputs.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}[{key!r}]", column) for key, column in value.items())
        else:
            yield name, value


def _contradiction(first: str, index: Any, name: str, other: Any) -> str:
    same = index.isin(other).all() and other.isin(index).all()
    difference = "the same index in another order" if same else "different indexes"
    row = next(i for i, pair in enumerate(zip(index, other, strict=True)) if _differ(*pair))
    return (
        f"{first} and {name} have {difference}: row {row} is {index[row]!r} in {first} but "
        f"{other[row]!r} in {name}. If the index identifies the rows, pass "
        f"{name}.reindex({first}.index); if the order does, {name}.to_numpy()."
    )


def _differ(one: Any, other: Any) -> bool:
    missing = is_missing_value(one), is_missing_value(other)
    return missing[0] != missing[1] or (not any(missing) and one != other)


def _has_index(values: Any) -> bool:
    # `list.index` is a method.
    return hasattr(values, "iloc") and hasattr(values, "index")


def _brief(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}..."


def listed(things: Iterable[Any], n: int | None = None, most: int = MAX_NAMED) -> str:
    """Return the first of `n` things, and the number of the others."""
    things = [_brief(str(thing)) for thing in things]
    n_more = (len(things) if n is None else n) - most
    first = ", ".join(things[:most])
    return first if n_more <= 0 else f"{first} and {n_more:,} more"


def check_schema_version(version: Any, said: str, oldest: int, newest: int, remedy: str) -> None:
    """Raise unless a file of this schema version can be read.

    `said` names the file; `remedy` is for an older file.
    """
    if version is not None and not is_number(version, Integral):
        raise ValueError(f"{said} has the schema version {version!r}, which is not a whole number.")
    # Files without a version are from before there were versions.
    version = 1 if version is None else int(version)
    if oldest <= version <= newest:
        return
    known = f"version {newest}" if oldest == newest else f"versions {oldest} to {newest}"
    raise ValueError(
        f"{said} has the schema version {version}, and this sklearn-spe reads {known}: "
        f"{'update sklearn-spe' if version > newest else remedy}."
    )


class NamedScores(np.ndarray):
    """Scores of several systems with column names, like a data frame."""

    columns: list[Any]

    @classmethod
    def of(cls, scores: np.ndarray, names: Sequence[Hashable]) -> NamedScores:
        """Name the columns of scores, (n_items, n_systems)."""
        named_scores = scores.view(cls)
        named_scores.columns = list(names)
        return named_scores


def place_of_name(asked: Any, names: Iterable[Any]) -> int | None:
    """Return the position of a name; None if it is unknown.

    Text, booleans and numbers are distinguished, although True == 1; arrays and lists are not
    names.
    """
    if not may_be_name(asked):
        return None
    return next((index for index, name in enumerate(names) if _is_same(asked, name)), None)


def place_of_system(system: Any, systems: Sequence[Hashable], said: str = "system") -> int:
    """Return the position of a system, given by name or number; raise if unknown."""
    index = place_of_name(system, systems)
    if index is not None:
        return index
    # If names are numbers, numbers are not positions.
    has_numbers = any(isinstance(name, Integral) for name in systems)
    is_number = isinstance(system, Integral) and not isinstance(system, bool)
    if is_number and not has_numbers and 0 <= system < len(systems):
        return int(system)
    raise name_error(said, system, systems)


def name_error(said: str, asked: Any, names: Iterable[Any]) -> ValueError:
    """Return the error for an unknown name."""
    return ParameterError(
        f"{said}={asked!r} is none of {listed(map(repr, names))}.", parameter=said
    )


def may_be_name(asked: Any) -> bool:
    """Return whether something can be a name: no array, list, frame or missing value."""
    if is_of_another_library(asked):
        return False
    try:
        hash(asked)
    except (TypeError, ValueError):
        # This also rejects writeable buffers.
        return False
    return not is_missing_value(asked)


def _is_same(asked: Any, name: Any) -> bool:
    try:
        same = asked == name
    except (TypeError, ValueError):
        # For example Decimal and numpy numbers.
        return False
    if not isinstance(same, (bool, np.bool_)) or not same:
        return False
    kinds = (str, (bool, np.bool_), tuple)
    return all(isinstance(asked, kind) == isinstance(name, kind) for kind in kinds)


def check_file_name(path: Any) -> None:
    """Raise unless the path is a valid file name."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be the name of a file, got {path!r}.")
    name = os.fspath(path)
    if not Path(os.fsdecode(name)).name or "\0" in os.fsdecode(name):
        raise ValueError(f"path must be the name of a file, got {path!r}.")
