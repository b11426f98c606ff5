"""Tables of counts: of any frame, there and back, with labels, by subgroup, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram, SemisupervisedScoreMixture
from tests.estimators.performance.data import QUICK
from tests.quick import QUIET

pytestmark = QUIET
pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
pa, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def scores(global_random_seed):
    z = np.random.default_rng(global_random_seed).standard_normal(5000)
    return np.r_[special.expit(2.0 * z - 1.0), 0.0, 1.0, 1.0]


def sql_table(scores, **options):
    """Return the table of an engine, as pandas."""
    frame = pl.DataFrame({"p": scores})
    return frame.sql(ScoreHistogram(**options).sql("p", "self")).to_pandas()


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "Arrow": pa.table,
    "record batch": lambda columns: pa.table(columns).to_batches()[0],
    "stream": lambda columns: pa.table(columns).to_reader(),
    "DuckDB": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_a_table_there_and_back_is_the_same_in_any_frame(scores, frame):
    for own in (scores, np.r_[scores, np.nan]):
        histogram = ScoreHistogram(resolution=16).update(own)
        again = ScoreHistogram.from_table(FRAMES[frame](histogram.to_table()))
        assert again == histogram
        assert (again.resolution, again.n_missing) == (16, histogram.n_missing)


def test_equal_histograms_hold_the_same_in_any_order(scores):
    histogram = ScoreHistogram().update(scores)
    assert histogram == ScoreHistogram().update(scores[::-1])
    assert histogram == sum(ScoreHistogram().update(own) for own in np.array_split(scores, 3))
    others = [
        ScoreHistogram().update(scores[1:]),
        ScoreHistogram().update(np.r_[scores, np.nan]),
        ScoreHistogram().update(np.r_[scores[0] * (1.0 + 1e-6), scores[1:]]),
        ScoreHistogram(resolution=32).update(scores),
        histogram.with_count_above(0.5, np.count_nonzero(scores >= 0.5)),
        "a histogram",
    ]
    assert not [other for other in others if histogram == other]


def test_tables_of_days_are_added_here_or_in_the_engine(scores):
    days = np.array_split(scores, 3)
    tables = [
        pd.DataFrame(ScoreHistogram().update(own).to_table()).assign(day=day)
        for day, own in enumerate(days)
    ]
    together, whole = pd.concat(tables), ScoreHistogram().update(scores)
    assert sum(ScoreHistogram.from_table(together, by="day").values()) == whole
    ways = {"n": "sum", "quanta": "sum", "smallest": "min", "largest": "max"}
    constants = dict.fromkeys(("scale", "resolution", "is_exact"), "first")
    added = together.groupby("key", as_index=False).agg({**ways, **constants})
    assert ScoreHistogram.from_table(added) == whole
    # DuckDB sums integers as decimals.
    columns = ", ".join(f"{way}({name}) AS {name}" for name, way in ways.items())
    statement = f"SELECT key, scale, resolution, is_exact, {columns} FROM together GROUP BY ALL"
    assert ScoreHistogram.from_table(duckdb.sql(statement)) == whole


def test_sums_beyond_the_integers_of_floats_are_kept():
    histogram = ScoreHistogram().update([0.3, 0.7], [2**36 + 1, 3])
    assert histogram.to_table()["quanta"][0] > 2**53
    assert ScoreHistogram.from_table(pl.DataFrame(histogram.to_table())) == histogram
    table = histogram.to_table()
    for wrong in ([0.5, 1.0], [-1, 1], [None, 1]):
        with pytest.raises(ValueError, match="quanta must hold one integer for each row"):
            ScoreHistogram.from_table({**table, "quanta": wrong})


def test_sums_and_ends_of_an_engine_are_those_of_a_pass(scores):
    found, expected = ScoreHistogram.from_table(sql_table(scores)), ScoreHistogram().update(scores)
    for name in ("keys", "counts", "smallest", "largest"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert_allclose(found.scores, expected.scores, rtol=1e-9)


def test_saturated_scores_keep_their_ties(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.random(200_000) < 1e-3
    p = special.expit(3.0 * (rng.standard_normal(len(y)) + 4.0 * y) + 3.0).astype(np.float32)
    rows = [ScoreHistogram.from_table(sql_table(p[y == c])).with_labels([], []) for c in (0, 1)]
    labels = np.repeat([0, 1], [len(row.scores) for row in rows])
    own, counts = (np.concatenate([getattr(r, n) for r in rows]) for n in ("scores", "counts"))
    found = average_precision_score(labels, own, sample_weight=counts)
    assert_allclose(found, average_precision_score(y, p), rtol=3e-3)


# --- labels and subgroups -----------------------------------------------------------------------


def performance(**parameters):
    quick = {"experts": QUICK, "n_draws": 100, "random_state": 0}
    mixture = SemisupervisedScoreMixture("norm", "norm", **quick)
    return PerformanceCurveEstimator(mixture, random_state=0, **parameters)


@pytest.fixture(scope="module")
def items(global_random_seed):
    """Return scores with ties on a grid of which each bin is one, labels, and some of these."""
    rng = np.random.default_rng(global_random_seed)
    truth = rng.integers(0, 2, 600)
    scores = np.round(truth + rng.standard_normal(600), 1)
    return scores, truth, np.where(np.arange(600) < 60, truth, -1)


GRID = {"scale": "identity", "resolution": 200}


def test_counted_labels_are_those_of_the_items(items):
    scores, _, y = items
    table = pd.DataFrame(ScoreHistogram(**GRID).update(scores).to_table())
    for name, label in (("n_neg", 0), ("n_pos", 1)):
        own = ScoreHistogram(**GRID).update(scores[y == label])
        n = pd.Series(own.counts, index=own.keys)
        table[name] = table["key"].map(n).fillna(0).astype(int)
    given = ScoreHistogram.from_table(table, labels=["ham", "spam"])
    assert given.counts.sum() == 600
    assert given.counts[given.y == "spam"].sum() == (y == 1).sum()
    found = performance(pos_label="spam").fit(given)
    expected = performance().fit(scores, y)
    for metric in ("average_precision", "prevalence"):
        ours, theirs = found.estimate(metric), expected.estimate(metric)
        # Equal scores in another order: other draws.
        assert_allclose(
            [ours.value, *ours.interval()], [theirs.value, *theirs.interval()], atol=0.04
        )
    with pytest.raises(ValueError, match="labels must name the classes"):
        ScoreHistogram.from_table(table)
    with pytest.raises(ValueError, match=r"are labeled, but only .* are counted"):
        ScoreHistogram.from_table(table.assign(n_pos=700), labels=[0, 1])
    with pytest.raises(ValueError, match="n_pos must be whole"):
        ScoreHistogram.from_table(table.assign(n_pos=0.5), labels=[0, 1])


def test_subgroups_with_labels_are_read_by_one_call(items):
    scores, truth, _ = items
    place = np.where(np.arange(600) % 3, "Chile", "Peru")
    tables, expected = [], {}
    for name in ("Chile", "Peru"):
        own = ScoreHistogram(**GRID).update(scores[place == name])
        tables.append(pd.DataFrame(own.to_table()).assign(country=name))
        expected[name] = own
    table = pd.concat(tables)
    assert ScoreHistogram.from_table(table, by="country") == expected
    pairs = ScoreHistogram.from_table(table.assign(month=1), by=["country", "month"])
    assert pairs == {(name, 1): own for name, own in expected.items()}
    labels = pd.DataFrame({"score": scores, "y": truth, "country": place})[:40]
    found = ScoreHistogram.from_table(table, by="country", labels=labels)
    for name, own in expected.items():
        known = labels[labels["country"] == name]
        by_hand = own.with_labels(known["score"], known["y"])
        assert found[name].source == by_hand.source
        for column in ("scores", "y", "counts"):
            assert_array_equal(getattr(found[name], column), getattr(by_hand, column))
    only = ScoreHistogram.from_table(table, by="country", labels=labels[place[:40] == "Peru"])
    assert only["Chile"].counts.sum() == expected["Chile"].n_items
    for wrong, match in (
        (labels.assign(country="Cuba"), "subgroups 'Cuba', which the table lacks"),
        (labels.drop(columns="y"), "no column y"),
        (labels.assign(other=1.0), "one column of scores besides 'y'"),
    ):
        with pytest.raises(ValueError, match=match):
            ScoreHistogram.from_table(table, by="country", labels=wrong)


# --- what is refused ----------------------------------------------------------------------------


def test_tables_that_contradict_themselves_are_refused(scores):
    table = sql_table(scores)
    for frame, options, match in (
        (table.drop(columns="n"), {}, "keys has no column n; its columns are 'key', 'total'"),
        (table, {"by": "country"}, "keys has no column country"),
        (table, {"resolution": 32}, "run from .* pass scale= and resolution= of the keys"),
        (table, {"scale": "identity"}, "pass scale= and resolution= of the keys"),
        (table.assign(total=2.0 * table["total"]), {}, "total of key .* contradicts its scores"),
        (table.assign(n=2**37), {}, r"counts sum to .* at most 2\*\*38"),
        (pd.concat([table, table]), {}, "are repeated: add them up"),
        (table.assign(scale="asinh"), {"scale": "logit"}, "scale must be the same for all keys"),
        (table.assign(resolution=np.arange(len(table))), {}, "resolution must be the same"),
    ):
        with pytest.raises(ValueError, match=match):
            ScoreHistogram.from_table(frame, **options)
    with pytest.raises(TypeError, match="must be a data frame"):
        ScoreHistogram.from_table(3)
    threshold = ScoreHistogram().update(scores).with_count_above(0.5, (scores >= 0.5).sum())
    with pytest.raises(ValueError, match=r"Counts above .* cannot be stored in a table"):
        threshold.to_table()
