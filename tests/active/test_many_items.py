"""Selection among more than 100,000 items, which rows of neighbors represent until one is drawn."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from sklearn_spe import (
    ActiveTestSelector,
    Goal,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.active.sessions._one_pool_model import NeighboringItems
from sklearn_spe.data._gathered_scores import MAX_ONE_BY_ONE, items_in_rows
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
N = MAX_ONE_BY_ONE + 20_000


@pytest.fixture(scope="module")
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


@pytest.fixture(scope="module")
def pool(rng):
    truth = (rng.random(N) < 0.3).astype(int)
    return rng.standard_normal(N) + 2.0 * truth, truth


def selector(metric="average_precision", **parameters):
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=100)
    return ActiveTestSelector(
        metric, label_model=mixture, batch_size=5, random_state=0, **parameters
    )


# --- rows of neighbors --------------------------------------------------------------------------


def test_rows_hold_neighbors_and_no_row_straddles_an_edge(rng, pool):
    scores, truth = pool
    codes = np.full(N, -1)
    known = rng.choice(N, 50, replace=False)
    codes[known] = truth[known]
    edges = scores[rng.choice(N, 3)]
    (of_rows, row_codes, counts), row, smallest = items_in_rows(scores, codes, edges)
    assert len(of_rows) < N / 2
    assert_array_equal(np.bincount(row), counts)
    assert_array_equal(of_rows[row[known]], scores[known])
    assert_array_equal(row_codes[row], codes)
    largest = np.full(len(of_rows), -np.inf)
    np.maximum.at(largest, row, scores)
    order = np.argsort(of_rows[50:])
    assert_array_equal(smallest[row[known]], scores[known])
    smallest, largest = smallest[50:][order], largest[50:][order]
    # A row has the mean of its scores, up to rounding.
    assert (smallest <= of_rows[50:][order] + 1e-12).all()
    assert (of_rows[50:][order] <= largest + 1e-12).all()
    assert (largest[:-1] < smallest[1:]).all()
    assert not ((smallest[:, np.newaxis] < edges) & (edges <= largest[:, np.newaxis])).any()
    # Both ends are finest.
    assert counts[50:][order][[0, -1]].tolist() == [1.0, 1.0]


def test_an_item_of_a_row_is_drawn_uniformly_and_once():
    row = np.array([0, 1, 1, 1, 0, 2, 2])
    rows = NeighboringItems.of_rows(row, np.zeros(3), [], np.zeros(7))
    drawn = [tuple(rows.following(np.array([1, 0, 1]), entropy)) for entropy in range(1200)]
    assert all(set(items[::2]) < {1, 2, 3} and items[0] != items[2] for items in drawn)
    pairs, n = np.unique([items[::2] for items in drawn], axis=0, return_counts=True)
    assert len(pairs) == 6
    # A false alarm once in 10,000 runs.
    assert stats.chisquare(n).pvalue > 1e-4
    first = rows.separated([3, 4], [1, 1], np.array([2, 3]))
    assert first.following(np.array([1]), 0).tolist() == [1]


# --- sessions -----------------------------------------------------------------------------------


def test_labels_are_those_of_the_drawn_items(pool):
    scores, truth = pool
    chosen = selector().fit(scores)
    for _ in range(2):
        items = chosen.query()
        assert len(set(items.tolist())) == 5
        assert np.isin(chosen.pending_, items).all()
        chosen.update(items, truth[items])
    assert chosen.n_labels_ == 10
    assert chosen.n_left_ == N - 10
    drawn = ~np.isnan(chosen.query_proba_)
    assert drawn.sum() == 10
    assert_array_equal(chosen.label_proba_[drawn], truth[drawn])
    assert (np.isfinite(chosen.utilities_) == ~drawn).all()
    # Items of one row are alike until one is drawn.
    probability = chosen.label_proba_[~drawn]
    assert len(np.unique(probability)) < N / 2
    # It rises with the scores of the upper half; below them no label may be near.
    rising = probability[np.argsort(scores[~drawn])][N // 2 :]
    assert (np.diff([part.mean() for part in np.array_split(rising, 5)]) > 0.0).all()


def test_the_estimate_is_that_of_the_items(pool):
    scores, truth = pool
    chosen = selector().fit(scores)
    items = chosen.query(20)
    chosen.update(items, truth[items])
    y = np.full(N, -1)
    y[items] = truth[items]
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, n_draws=100, random_state=0
    )
    all_items = PerformanceCurveEstimator(mixture).fit(scores, y).estimate("average_precision")
    low, high = all_items.interval()
    # The fit merges neighbors too: the same posterior, of which 100 draws are made.
    assert chosen.model_estimate_.value == pytest.approx(all_items.value, abs=0.2 * (high - low))


@pytest.mark.parametrize("is_pickled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_table_resumes_with_the_same_bits(pool, is_pickled):
    scores, truth = pool
    y = np.full(N, -1)
    y[:2] = truth[:2]
    chosen = selector("f1", threshold=1.0).fit(scores, y)
    items = chosen.query()
    chosen.update(items, truth[items])
    with pytest.warns(match="not queried"):
        chosen.update([7], [truth[7]])
    items = chosen.query()
    table = (pickle.loads(pickle.dumps(chosen)) if is_pickled else chosen).to_columns()
    if not is_pickled:
        assert_array_equal(table["score"], scores)
    resumed = ActiveTestSelector.from_frame(table, label_model=chosen.label_model)
    assert resumed.estimate_.value == chosen.estimate_.value
    assert_array_equal(resumed.pending_, items)
    assert_array_equal(resumed.query_proba_, chosen.query_proba_)
    assert_array_equal(resumed.query(5), chosen.query(5))


@pytest.mark.parametrize("greater_is_positive", [True, False])
def test_a_selection_is_all_items_above_its_threshold(pool, greater_is_positive):
    scores, truth = pool
    given = scores if greater_is_positive else -scores
    goal = Goal.of(precision=0.5)
    chosen = selector(goal, greater_is_positive=greater_is_positive).fit(given)
    items = chosen.query(20)
    chosen.update(items, truth[items])
    sign = 1.0 if greater_is_positive else -1.0
    above = sign * given >= sign * chosen.threshold_
    above[items] = truth[items] == 1
    assert_array_equal(chosen.selected_, above)
