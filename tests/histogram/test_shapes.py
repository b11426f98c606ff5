"""A histogram counts one score of each item, whatever the shape they come in."""

import numpy as np
import pytest

from sklearn_spe import ScoreHistogram
from sklearn_spe.exceptions import InterruptedPassError

SCORES = np.array([0.1, 0.4, 0.4, 0.9])
PROBA = np.column_stack([1.0 - SCORES, SCORES])
ONE = ScoreHistogram().update(SCORES)


def parquet(folder, columns):
    """Write a column of lists of numbers, and return its path."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet as pq

    path = folder / "scores.parquet"
    pq.write_table(pa.table({"p": columns.tolist()}), path)
    return path


# Each way into a histogram, from scores.
WAYS = {
    "update": lambda scores: ScoreHistogram().update(scores),
    "from_chunks": lambda scores: ScoreHistogram.from_chunks([scores[:1], scores[1:]]),
    "sum": lambda scores: ScoreHistogram().update(scores[:2]) + ScoreHistogram().update(scores[2:]),
}
EACH = pytest.mark.parametrize("count", WAYS.values(), ids=WAYS)


@EACH
@pytest.mark.parametrize(
    "scores",
    [SCORES[:, np.newaxis], PROBA, 100.0 * PROBA, PROBA.tolist()],
    ids=["(n, 1)", "probabilities", "percent", "a list"],
)
def test_one_column_and_probabilities_of_both_classes_are_the_scores(count, scores):
    histogram = count(scores)
    assert histogram.n_items == len(SCORES)
    np.testing.assert_array_equal(histogram.keys, ONE.keys)
    np.testing.assert_array_equal(histogram.counts, ONE.counts)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_of_both_classes_count_as_their_second_column(dtype):
    proba = PROBA.astype(dtype)
    assert ScoreHistogram().update(proba) == ScoreHistogram().update(proba[:, 1])
    missing = np.vstack([proba, [[np.nan, np.nan]]])
    assert ScoreHistogram().update(missing).n_missing == 1
    assert ScoreHistogram().update(missing[-1:]).n_missing == 1
    assert ScoreHistogram().update(missing[:0]).n_items == 0


@EACH
@pytest.mark.parametrize(
    "scores",
    [
        np.column_stack([SCORES, SCORES]),
        np.column_stack([SCORES] * 3),
        SCORES.reshape(2, 2, 1),
        SCORES[np.newaxis],
    ],
    ids=["systems", "three", "3-d", "a row"],
)
def test_other_columns_are_refused(count, scores):
    with pytest.raises(ValueError, match=r"scores must hold one score for each item, .* got \("):
        count(scores)


def test_rows_with_one_of_two_probabilities_are_refused():
    proba = PROBA.copy()
    proba[1, 0] = np.nan
    with pytest.raises(ValueError, match="scores has rows with one of two probabilities"):
        ScoreHistogram().update(proba)


def test_labels_and_searches_read_scores_as_counts_do():
    labels = np.array([0, 1])
    labeled = ONE.with_labels(PROBA[:2], labels[:, np.newaxis])
    np.testing.assert_array_equal(labeled.scores, ONE.with_labels(SCORES[:2], labels).scores)
    np.testing.assert_array_equal(ONE.find([0, 3], [PROBA]), ONE.find([0, 3], [SCORES]))
    for scores, y in ((np.column_stack([SCORES] * 3), SCORES), (SCORES[:2], PROBA[:2])):
        with pytest.raises(ValueError, match="must h"):
            ONE.with_labels(scores, y)
    with pytest.raises(ValueError, match="chunks must hold one score"):
        ONE.find([0], [np.column_stack([SCORES] * 3)])


def test_counts_have_one_entry_for_each_score():
    n = np.array([1, 2, 3, 4])
    assert ScoreHistogram().update(SCORES, n[:, np.newaxis]).n_items == 10
    with pytest.raises(ValueError, match=r"counts must have shape \(4,\).* got \(4, 2\)"):
        ScoreHistogram().update(SCORES, np.column_stack([n, n]))
    with pytest.raises(ValueError, match="must"):
        ScoreHistogram.from_table(np.column_stack([n, n]), n)
    with pytest.raises(ValueError, match="must"):
        ScoreHistogram.from_table(n, np.column_stack([n, n]))


def test_a_parquet_column_of_lists_is_refused(tmp_path):
    with pytest.raises(InterruptedPassError, match="'p' must hold numbers, but has the type list"):
        ScoreHistogram.from_parquet(parquet(tmp_path, PROBA), "p")


def test_a_saved_histogram_of_both_columns_is_that_of_one(tmp_path):
    ScoreHistogram().update(PROBA).save(tmp_path / "a.npz")
    assert ScoreHistogram.load(tmp_path / "a.npz") == ScoreHistogram().update(PROBA[:, 1])
