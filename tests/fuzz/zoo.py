"""Values that stand where they were not expected: a zoo of them, each by its name.

A beast is a function of the example that it replaces: a Series of the same numbers, say, whose
index is in another order.
"""

import datetime
import fractions
import types
from collections import deque
from decimal import Decimal

import dask.array
import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.families import Norm
from sklearn_spe.metrics._decision import Recall

SINGLE = {
    repr(value): lambda like, value=value: value
    for value in (
        *(None, True, False, ..., NotImplemented, 0, 1, -1, 2, 7, 2**53, 10**18, 10**30, -(10**18)),
        *(0.0, -0.0, 0.5, 1.0, 1.5, -0.3, 1e300, -1e300, 1e-310, 5e-324),
        *(float("nan"), float("inf"), -float("inf"), 0.5j, complex("nan")),
        *(
            "",
            " ",
            "-1",
            "nan",
            "auto",
            "f1",
            "roc_auc",
            "posterior",
            "Ünïcode ☃",
            "\x1b[31m",
            "\x00",
        ),
        *(b"", b"bytes", bytearray(b"ab"), (), [], {}, set(), frozenset({1}), range(3)),
        *(Decimal("0.5"), Decimal("nan"), fractions.Fraction(1, 3), slice(1), object, int, len),
        *(np.float16(0.5), np.float32(0.1), np.longdouble(0.5), np.int8(3), np.uint64(2**63)),
        *(np.bool_(True), np.str_("f1"), np.datetime64("2026-01-01"), np.timedelta64(3, "D")),
        *(np.datetime64("NaT", "s"), np.ma.masked, pd.NA, pd.NaT, pd.Timestamp("2026-01-01")),
        *(datetime.date(2026, 1, 1), datetime.timedelta(3), [None], [[]], [[1], [2, 3]]),
        *([1, "a"], ["a", None], ["precision", "recall"], (0.2, 0.8), (0.8, 0.2), {"a": 1}),
        *({"precision": 0.5}, {1, 2}, (None, None), Norm, SemisupervisedScoreMixture),
    )
}
MADE = {
    "an object": lambda like: object(),
    "a function": lambda like: lambda *given, **named: 0.5,
    "a function of nothing": lambda like: lambda: None,
    "a generator": lambda like: (value for value in flat(like)),
    "a mapping": lambda like: types.MappingProxyType({"a": 1}),
    "a module": lambda like: np,
    "a family": lambda like: Norm(),
    "a metric": lambda like: Recall(),
    "a mixture": lambda like: SemisupervisedScoreMixture(),
    "a classifier": lambda like: LogisticRegression(),
    "a class of it": lambda like: type(like),
    "a fitted classifier": lambda like: LogisticRegression().fit([[0.0], [1.0]], [0, 1]),
    "a generator of numbers": lambda like: np.random.default_rng(0),
    "a dtype": lambda like: np.dtype(float),
    "0-d": lambda like: np.array(0.5),
    "0-d object": lambda like: np.array(None),
    "one item": lambda like: rows(like)[:1],
    "empty": lambda like: rows(like)[:0],
    "(0, 3)": lambda like: np.empty((0, 3)),
    "(n, 0)": lambda like: np.empty((len(rows(like)), 0)),
    "(1, n)": lambda like: flat(like)[np.newaxis],
    "(n, 1)": lambda like: flat(like)[:, np.newaxis],
    "(n, 2)": lambda like: np.column_stack([flat(like)] * 2),
    "(n, 3)": lambda like: np.column_stack([flat(like)] * 3),
    "(n, 1, 1)": lambda like: flat(like)[:, np.newaxis, np.newaxis],
    "longer": lambda like: np.r_[flat(like), flat(like)],
    "backwards": lambda like: rows(like)[::-1],
    "as a list": lambda like: rows(like).tolist(),
    "as objects": lambda like: rows(like).astype(object),
    "as text": lambda like: rows(like).astype(str),
    "as bytes": lambda like: rows(like).astype("S"),
    # Text by text: numpy < 2 reads text as numbers first.
    "as booleans": lambda like: np.vectorize(bool, otypes=[bool])(rows(like)),
    "as float16": lambda like: numbers(like).astype(np.float16),
    "as int8": lambda like: numbers(like).astype(np.int8),
    "as uint64": lambda like: np.abs(numbers(like)).astype(np.uint64),
    "as longdouble": lambda like: numbers(like).astype(np.longdouble),
    "as complex": lambda like: numbers(like) + 0.5j,
    "as dates": lambda like: numbers(like).astype("M8[s]"),
    "as timedeltas": lambda like: numbers(like).astype("m8[s]"),
    "as a memory view": lambda like: memoryview(numbers(like)),
    "as a record array": lambda like: np.rec.fromarrays([flat(like)], names=["x"]),
    "as a deque": lambda like: deque(flat(like).tolist()),
    "masked": lambda like: np.ma.array(
        rows(like), mask=np.arange(rows(like).size).reshape(rows(like).shape) % 3 == 0
    ),
    "masked nowhere": lambda like: np.ma.array(rows(like)),
    "all masked": lambda like: np.ma.masked_all_like(rows(like)),
    "list of arrays": lambda like: [np.array([value]) for value in flat(like)],
    "ragged": lambda like: [[value] * (i % 2 + 1) for i, value in enumerate(flat(like))],
    "sparse row": lambda like: sparse.csr_matrix(numbers(like).reshape(1, -1)),
    "sparse": lambda like: sparse.csr_array(numbers(like).reshape(-1, 1)),
    "Series": lambda like: pd.Series(flat(like)),
    "Series of an index of its own": lambda like: pd.Series(flat(like), index=shuffled(like)),
    "Series of one index": lambda like: pd.Series(flat(like), index=np.zeros(len(flat(like)), int)),
    "Series of categories": lambda like: pd.Series(pd.Categorical(named(like))),
    "Series of text": lambda like: pd.Series(flat(like)).astype("string"),
    "Series of Float64": lambda like: pd.Series(numbers(like).ravel(), dtype="Float64"),
    "Series with NA": lambda like: with_missing(like),
    "Index": lambda like: pd.Index(flat(like)),
    "DataFrame": lambda like: pd.DataFrame({"a": flat(like)}),
    "DataFrame of two": lambda like: pd.DataFrame({"a": flat(like), "b": flat(like)}),
    "DataFrame of one name": lambda like: pd.DataFrame(
        np.c_[flat(like), flat(like)], columns=["a", "a"]
    ),
    "DataFrame of nothing": lambda like: pd.DataFrame(),
    "categorical": lambda like: pd.Categorical(named(like)),
    "polars Series": lambda like: polars.Series(numbers(like).ravel()),
    "polars DataFrame": lambda like: polars.DataFrame({"a": numbers(like).ravel()}),
    "polars LazyFrame": lambda like: polars.LazyFrame({"a": numbers(like).ravel()}),
    "polars DataFrame of text": lambda like: polars.DataFrame({"a": flat(like).astype(str)}),
    "polars Series with null": lambda like: polars.Series([None, *numbers(like).ravel()[1:]]),
    "Arrow table": lambda like: pyarrow.table({"a": numbers(like).ravel()}),
    "Arrow table of three": lambda like: pyarrow.table(
        {name: numbers(like).ravel() for name in "abc"}
    ),
    "Arrow table of one name": lambda like: pyarrow.Table.from_arrays(
        [pyarrow.array(numbers(like).ravel())] * 2, names=["a", "a"]
    ),
    "Arrow table of lists": lambda like: pyarrow.table({"a": [[1.0, 2.0]] * len(flat(like))}),
    "Arrow table of nothing": lambda like: pyarrow.table({}),
    "Arrow array": lambda like: pyarrow.array(numbers(like).ravel()),
    "Arrow dictionary": lambda like: pyarrow.array(named(like).tolist()).dictionary_encode(),
    "DuckDB relation": lambda like: duckdb.connect().from_arrow(
        pyarrow.table({"a": numbers(like).ravel()})
    ),
    "dask array": lambda like: dask.array.from_array(numbers(like).ravel()),
    "(n, 2) of shares": lambda like: np.column_stack([1.0 - shares(like), shares(like)]),
    "(n, 30)": lambda like: np.column_stack([flat(like)] * 30),
    "percent": lambda like: 100.0 * shares(like),
    "zeros": lambda like: np.zeros(rows(like).shape),
    "constant": lambda like: np.full(rows(like).shape, 3.0),
    "all missing": lambda like: np.full(rows(like).shape, np.nan),
    "one infinite": lambda like: with_first(like, np.inf),
    "one NaN": lambda like: with_first(like, np.nan),
    "one None": lambda like: with_first(like, None, object),
    "one text": lambda like: with_first(like, "x", object),
    "one 1e300": lambda like: with_first(like, 1e300),
    "times 1e300": lambda like: numbers(like) * 1e300,
    "times 1e-310": lambda like: numbers(like) * 1e-310,
    "plus 1e16": lambda like: numbers(like) + 1e16,
    "huge whole numbers": lambda like: 2**60 + np.arange(len(rows(like))),
    "heavy tails": lambda like: np.sinh(7.0 * numbers(like)),
    "two values": lambda like: np.sign(numbers(like)),
    "nearly tied": lambda like: 1.0 + 2.0**-52 * np.round(numbers(like)),
    "read-only": lambda like: read_only(like),
    "every second": lambda like: np.repeat(rows(like), 2, axis=0)[::2],
}
ZOO = SINGLE | MADE


def rows(like):
    """Return an example as an array, or some numbers if it is none."""
    try:
        values = np.asarray(like)
    except ValueError:
        values = np.array(0.0)
    if values.ndim == 0 or values.dtype.kind not in "biufOU":
        return np.linspace(-1.0, 1.0, 40)
    return values


def flat(like):
    return rows(like).ravel()


def named(like):
    """Return values that can be categories: dicts cannot."""
    values = flat(like)
    return values.astype(str) if values.dtype.kind == "O" else values


def numbers(like):
    values = rows(like)
    return (
        values.astype(float) if values.dtype.kind in "biuf" else np.linspace(0.0, 1.0, len(values))
    )


def shares(like):
    return 1.0 / (1.0 + np.exp(-np.clip(numbers(like).ravel(), -30.0, 30.0)))


def shuffled(like):
    return np.random.default_rng(0).permutation(len(flat(like)))


def with_missing(like):
    values = flat(like).astype(object)
    values[: len(values) // 3] = pd.NA
    return pd.Series(values)


def with_first(like, value, dtype=float):
    values = numbers(like).astype(dtype)
    if values.size:
        values.flat[0] = value
    return values


def read_only(like):
    values = rows(like).copy()
    values.flags.writeable = False
    return values
