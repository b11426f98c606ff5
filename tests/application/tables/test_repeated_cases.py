"""Tables of readings are told from tables of cases, and nothing else is taken for them."""

import numpy as np
import pytest

from sklearn_spe.application.tables._repeated_cases import RepeatedCases
from sklearn_spe.application.tables._table import Table


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


def table_of(**columns):
    cells = {name: tuple(map(str, column)) for name, column in columns.items()}
    n_rows = len(next(iter(cells.values())))
    return Table(cells, tuple(range(2, n_rows + 2)), "t.csv")


def readings(rng, n_cases, *n_readers, share=0.3):
    """Return columns of a full reading, in any order, and the labels of the cases."""
    places = np.indices((n_cases, *n_readers)).reshape(len(n_readers) + 1, -1)
    case, *readers = places[:, rng.permutation(places.shape[1])]
    truth = (rng.random(n_cases) < share).astype(int)
    columns = {"case": [f"c{i}" for i in case], "score": rng.normal(size=len(case))}
    columns |= {f"reader{k}": [f"r{i}" for i in own] for k, own in enumerate(readers)}
    columns["row"] = np.arange(len(case))
    return columns, truth[case].astype(object)


def found(columns, labels):
    return RepeatedCases.found_in(table_of(**columns), labels, ["score"])


@pytest.mark.parametrize("n_readers", [(2,), (3,), (2, 4)])
def test_readings_are_recognized(rng, n_readers):
    columns, labels = readings(rng, 80, *n_readers)
    n = int(np.prod(n_readers))
    names = tuple(f"reader{k}" for k in range(len(n_readers)))
    assert found(columns, labels) == RepeatedCases("case", names, 80, n)
    # Some rows are missing, and some cases have no label.
    kept = np.sort(rng.permutation(len(labels))[: len(labels) - 5])
    columns = {name: np.asarray(column)[kept] for name, column in columns.items()}
    labels = labels[kept]
    labels[np.isin(columns["case"], [f"c{i}" for i in range(15)])] = None
    # Both rows of a case of two may be missing.
    n_cases = len(set(columns["case"]))
    assert found(columns, labels) == RepeatedCases("case", names, n_cases, n)


def test_nothing_else_is_taken_for_readings(rng):
    columns, labels = readings(rng, 80, 3)
    # One case has two labels.
    other = labels.copy()
    first = np.flatnonzero(np.array(columns["case"]) == "c0")[0]
    other[first] = 1 - other[first]
    assert found(columns, other) is None
    # Rows of one case that nothing tells apart.
    assert found({**columns, "reader0": columns["row"]}, labels) is None
    # Who knows no label, or three of them, knows no repetition.
    few = np.where(np.isin(columns["case"], ["c0", "c1", "c2"]), labels, None)
    assert found(columns, few) is None
    assert found(columns, np.full(len(labels), None)) is None
    # Classes that are equally often, of whose items one is asked about.
    columns, _ = readings(rng, 10, 40)
    is_one = np.array([int(name == "c3") for name in columns["case"]], dtype=object)
    assert found(columns, is_one) is None


def test_no_false_alarm_among_factors_crossed_at_random(rng):
    for _ in range(100):
        shape = rng.integers(2, [40, 6])
        columns, labels = readings(rng, *shape)
        kept = rng.random(len(labels)) < rng.uniform(0.7, 1.2)
        columns = {name: np.asarray(column)[kept] for name, column in columns.items()}
        labels = labels[kept]
        own = (rng.random(len(labels)) < rng.uniform(0.0, 0.5)).astype(int).astype(object)
        own[rng.random(len(labels)) < rng.random()] = None
        assert found(columns, own) is None
