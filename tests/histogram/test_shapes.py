"""A histogram counts one score of each item, whatever the shape they come in."""

import numpy as np
import pytest

from sklearn_spe import ScoreHistogram

SCORES = np.array([0.1, 0.4, 0.4, 0.9])
PROBA = np.column_stack([1.0 - SCORES, SCORES])
ONE = ScoreHistogram().update(SCORES)


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


def test_rows_with_one_of_two_probabilities_are_refused():
    proba = PROBA.copy()
    proba[1, 0] = np.nan
    with pytest.raises(ValueError, match="scores has rows with one of two probabilities"):
        ScoreHistogram().update(proba)


def test_a_saved_histogram_of_both_columns_is_that_of_one(tmp_path):
    ScoreHistogram().update(PROBA).save(tmp_path / "a.npz")
    assert ScoreHistogram.load(tmp_path / "a.npz") == ScoreHistogram().update(PROBA[:, 1])
