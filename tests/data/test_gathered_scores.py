"""Many scores gathered: nothing is lost, labels and ties stay, curves are those of the items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from sklearn_spe.data._gathered_scores import MAX_ONE_BY_ONE, gathered

N = 3 * MAX_ONE_BY_ONE


@pytest.fixture(scope="module")
def many(global_random_seed):
    """Scores of which 1,000 are labelled and 3,000 are one value."""
    rng = np.random.default_rng(global_random_seed)
    y = (rng.random(N) < 1e-3).astype(int)
    scores = rng.standard_normal(N) + 3.0 * y
    scores[rng.choice(N, 3000, replace=False)] = 0.25
    codes = np.full(N, -1)
    known = rng.choice(N, 1000, replace=False)
    codes[known] = y[known]
    return scores, codes, y


def test_nothing_is_lost_and_labeled_items_stay(many):
    scores, codes, _ = many
    rows, of_rows, counts = gathered(scores, codes)
    assert len(rows) < MAX_ONE_BY_ONE / 2
    known = codes >= 0
    assert_array_equal(rows[:1000], scores[known])
    assert_array_equal(of_rows[:1000], codes[known])
    assert counts.sum() == N
    assert_allclose(np.average(rows, weights=counts), scores.mean(), atol=1e-12)
    at_tie = (rows == 0.25) & (of_rows < 0)
    assert counts[at_tie] == [((scores == 0.25) & ~known).sum()]
    assert {scores.min(), scores.max()} <= set(rows)


def test_neighbours_do_not_depend_on_labels(many):
    scores, codes, _ = many
    counts = [gathered(scores, given)[2].sum() for given in (codes, np.full(N, -1))]
    assert counts[0] == counts[1]
    rows, of_rows, _ = gathered(scores, codes)
    all_rows = gathered(scores, np.full(N, -1))[0]
    # A mean moves when an item is taken out, and stays between its neighbours.
    place = np.searchsorted(all_rows, rows[of_rows < 0])
    assert (np.diff(place) >= 0).all()


def test_a_ranking_by_means_has_the_average_precision_of_the_items(many):
    scores, _, y = many
    rows = np.sort(gathered(scores, np.full(N, -1))[0])
    nearest = rows[np.clip(np.searchsorted((rows[1:] + rows[:-1]) / 2.0, scores), 0, None)]
    expected = metrics.average_precision_score(y, scores)
    assert_allclose(metrics.average_precision_score(y, nearest), expected, rtol=0.003)


def test_few_distinct_scores_stay_as_they_are(many):
    scores = np.round(many[0], 2)
    rows, _, counts = gathered(scores, np.full(N, -1))
    values, expected = np.unique(scores, return_counts=True)
    assert_array_equal(rows, values)
    assert_array_equal(counts, expected)
