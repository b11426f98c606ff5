"""Frames of any library are the same data: the same names and numbers, to the bit."""

import sys

import numpy as np
import pytest

from sklearn_spe import (
    AccuracyExtrapolator,
    ActiveTestSelector,
    MeanEstimator,
    PerformanceCurveEstimator,
    ScoreHistogram,
    SemisupervisedScoreMixture,
)
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.inputs._frames import FrameColumns, read_column, read_frame
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.inputs._labels import encode_labels
from sklearn_spe.inputs._validation import as_numbers, shape_of
from tests.quick import EXPERTS, QUIET

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("narwhals")

pytestmark = QUIET
N = 60
# From a frame of pandas to that of another library.
LIBRARIES = {
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow table": pa.Table.from_pandas,
    "arrow batch": pa.RecordBatch.from_pandas,
    "arrow stream": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "duckdb": lambda frame: duckdb.connect().from_arrow(pa.Table.from_pandas(frame)),
    "dask": lambda frame: dd.from_pandas(frame, npartitions=3),
}
EACH = pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)


@pytest.fixture(scope="module")
def data(global_random_seed):
    """Return scores of three systems, one with a missing score, and columns beside them."""
    rng = np.random.default_rng(global_random_seed)
    labels = np.arange(N) % 3 == 0
    systems = pd.DataFrame(
        {name: rng.normal(labels) for name in ("old", "new", "third")}
        | {"count": rng.integers(0, 9, N)}
    )
    systems.loc[3, "new"] = np.nan
    judge = pd.array(np.where(rng.random(N) < 0.8, labels, ~labels).astype(int), dtype="Int64")
    judge[5] = pd.NA
    y = pd.array(labels.astype(int), dtype="Int64")
    y[N // 2 :] = pd.NA
    columns = {
        "y": y,
        "judge": judge,
        "grade": rng.normal(labels),
        "month": np.where(np.arange(N) % 4 < 2, "july", "august"),
        "patient": np.arange(N) // 2,
        "n": 1 + np.arange(N) % 2,
    }
    return systems, pd.DataFrame(columns)


def mixture():
    return SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=60, random_state=0)


def performance():
    return PerformanceCurveEstimator(mixture(), n_draws=60, random_state=0)


def read(X, y=None, sample_weight=None, **columns):
    """Return all that is known of data as they are read, in a list."""
    read = ItemData.read(mixture(), X, y, sample_weight, **columns)
    parts = [read.category, read.groups, read.judges]
    known = [read.scores, read.codes, read.weights, read.inclusion_proba]
    known += [part.scores if part is read.judges else part.codes for part in parts if part]
    return [np.asarray(column).tolist() for column in known] + [
        # The name of a single column is read by scikit-learn: 1.6 finds none in polars.
        read.systems[1:],
        *(part.names for part in (read.judges,) if part),
        *(part.names.tolist() for part in (read.category, read.groups) if part),
    ]


QUESTIONS = {
    "systems": lambda X, beside, convert: read(
        convert(X[["old", "third", "count"]]),
        convert(beside[["y"]]),
        convert(beside[["n"]]),
        category=convert(beside[["month"]]),
        groups=convert(beside[["patient"]]),
    ),
    "judges": lambda X, beside, convert: read(
        convert(X[["old"]]),
        convert(beside[["y"]]),
        judges=convert(beside[["grade", "patient"]]),
    ),
    "inclusion": lambda X, beside, convert: read(
        convert(X[["old"]]),
        convert(beside[["y"]]),
        inclusion_proba=convert(beside[["n"]] / 4.0),
    ),
    "one column": lambda X, beside, convert: (
        mixture()
        .fit(convert(X[["old"]]), convert(beside[["y"]]), convert(beside[["n"]]))
        .predict_proba(convert(X[["old"]]))
    ),
    "mean": lambda X, beside, convert: (
        MeanEstimator(n_draws=50, random_state=0)
        .fit(
            convert(X[["old", "third"]]),
            convert(beside[["y"]]),
            category=convert(beside[["month"]]),
        )
        .draws_
    ),
    "selector": lambda X, beside, convert: (
        ActiveTestSelector(label_model=mixture(), random_state=0)
        .fit(convert(X[["old"]]), convert(beside[["y"]]), category=convert(beside[["month"]]))
        .query(5)
    ),
    "histogram": lambda X, beside, convert: (
        ScoreHistogram("identity")
        .update(convert(X[["old"]]), convert(beside[["n"]]))
        .with_labels(convert(X[["old"]][:30]), convert(beside[["y"]][:30]))
        .counts
    ),
    "extrapolator": lambda X, beside, convert: (
        AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        .fit(convert(X[["old", "third", "count"]]), convert(beside[["patient"]] % 3))
        .predict([5])
    ),
}


@pytest.fixture(scope="module")
def answers(data):
    return {name: ask(*data, lambda frame: frame) for name, ask in QUESTIONS.items()}


# Every question of two libraries, and one of each other.
ASKED = [
    (library, question)
    for library in LIBRARIES
    for question in QUESTIONS
    if library in ("polars", "duckdb") or question == "systems"
]


@pytest.mark.parametrize(("library", "question"), ASKED)
def test_an_answer_is_that_of_the_frame_of_pandas(data, answers, library, question):
    answer = QUESTIONS[question](*data, LIBRARIES[library])
    if isinstance(answer, list):
        assert answer == answers[question]
    else:
        np.testing.assert_array_equal(answer, answers[question])


@pytest.mark.parametrize("library", ["arrow table", "duckdb"])
def test_columns_are_systems_and_judges_by_their_names(data, library):
    X, beside = data
    judges = LIBRARIES[library](beside[["judge", "grade"]])
    fit = performance().fit(LIBRARIES[library](X), beside["y"], judges=judges)
    assert fit.systems_ == ("old", "new", "third", "count")
    frame = performance().fit(X, beside["y"], judges=beside[["judge", "grade"]])
    ours, theirs = (each.of(system="new").estimate("roc_auc").draws for each in (fit, frame))
    np.testing.assert_array_equal(ours, theirs)


@EACH
def test_missing_values_and_whole_numbers_are_kept(convert):
    large = 2**53 - 1
    frame = pd.DataFrame(
        {
            "x": [0.1, np.nan, 3.0],
            "k": pd.array([large, None, -large], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
        }
    )
    expected = [[0.1, large, 1.0], [np.nan, np.nan, np.nan], [3.0, -large, 0.0]]
    np.testing.assert_array_equal(as_numbers(convert(frame), "X"), expected)
    with pytest.raises(ValueError, match="X holds the whole number 9007199254740993"):
        as_numbers(convert(pd.DataFrame({"x": [0.5, 1.5], "k": [2**53 + 1, 0]})), "X")


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["may", "june", "may"], dtype=pl.Enum(["may", "june"])),
        pa.chunked_array([pd.Categorical(["may", "june", "may"], ["may", "june"], ordered=True)]),
        pa.array(pd.Categorical(["may", "june", "may"], ["may", "june"], ordered=True)),
        dd.from_pandas(
            pd.Series(pd.Categorical(["may", "june", "may"], ["may", "june"], ordered=True)),
            npartitions=1,
        ),
        pl.DataFrame({"a": pl.Series(["may", "june", "may"], dtype=pl.Enum(["may", "june"]))}),
        pd.DataFrame({"a": pd.Categorical(["may", "june", "may"], ["may", "june"], ordered=True)}),
    ],
    ids=["enum", "chunked", "array", "dask", "enum in a frame", "pandas frame"],
)
def test_ordered_categories_keep_their_order(column):
    months = Partition.read(column, "category", 3)
    assert months.is_ordered
    assert months.names.tolist() == ["may", "june"]
    assert months.codes.tolist() == [0, 1, 0]


@EACH
def test_text_that_stands_for_a_missing_label_is_refused_as_of_pandas(convert):
    frame = pd.DataFrame({"y": ["spam", "nan", "ham", "-1"]})
    for column in (frame.astype("string"), convert(frame.astype("string"))):
        with pytest.raises(ValueError, match="hold the text '-1', 'nan', 'None' or '<NA>'"):
            encode_labels(column)


@EACH
def test_two_columns_are_no_column(convert):
    frame = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]})
    histogram = ScoreHistogram("identity")
    for name, read in {
        "category": lambda column: Partition.read(column, "category", 3),
        "Labels": encode_labels,
        "counts": lambda column: histogram.update([0.1, 0.2, 0.3], column),
        "scores": lambda column: histogram.update(column),
    }.items():
        with pytest.raises(ValueError, match=rf"{name} must .*shape.* got .*\(3, 2\)"):
            read(convert(frame))


def test_what_is_no_frame_is_left_as_it_is():
    class Odd:
        columns = ("a",)

    class Query(Odd):
        def collect(self):
            raise NotImplementedError

    several = (Odd(), Odd, Query(), object(), {"a": [1]})
    for values in (None, 3, "text", [1, 2], (1,), np.ones(2), *several):
        assert read_column(values, "X") is values
        assert shape_of(values) == np.shape(values)


def test_a_query_that_fails_is_an_error_that_names_the_argument():
    lazy = pl.LazyFrame({"a": [1.0]}).select(pl.col("b"))
    with pytest.raises(ValueError, match=r"^X is a polars.LazyFrame, which could not be eval"):
        performance().fit(lazy, [1])


def test_without_narwhals_frames_of_arrays_are_read_and_others_ask_for_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    frame = pd.DataFrame({"a": [0.5, 1.5], "b": ["x", None]})
    for library in ("polars", "arrow table", "arrow stream", "duckdb"):
        columns = read_frame(LIBRARIES[library](frame), "X")
        assert isinstance(columns, FrameColumns)
        assert columns.columns == ["a", "b"]
        assert columns["a"].tolist() == [0.5, 1.5]
        assert columns["b"].tolist() == ["x", None]
    assert as_numbers(pl.Series([1, None]), "y").tolist()[0] == 1.0
    with pytest.raises(TypeError, match=r"^X is a polars.LazyFrame, which is read by narwhals: ru"):
        performance().fit(pl.LazyFrame({"a": [0.5, 1.5]}), [1, 0])


def test_a_stream_of_arrow_of_any_library_is_a_frame():
    class Result:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"a": [0.5, 1.5]}).__arrow_c_stream__(requested_schema)

    assert read_column(Result(), "X").tolist() == [0.5, 1.5]


def test_a_frame_without_columns_has_no_item():
    frame = read_frame(pl.DataFrame(), "X")
    assert frame.shape == as_numbers(frame, "X").shape == (0, 0)
