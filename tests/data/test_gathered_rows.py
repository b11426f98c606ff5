"""Rows with counts: equal ones are merged, and some represent many that are similar."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe.data._gathered_rows import merged_rows, representative_rows

N, N_ROWS = 30_000, 2048


def correlated(rng, n_columns):
    return rng.normal(size=(N, 1)) + 0.5 * rng.normal(size=(N, n_columns))


def test_equal_rows_are_merged_and_missing_scores_are_equal():
    columns = [np.array([2.0, np.nan, 2.0, 1.0, np.nan]), np.array([0, 1, 0, 0, 2])]
    first, place, counts = merged_rows(columns, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert_array_equal(first, [0, 1, 3, 4])
    assert_array_equal(place, [0, 1, 0, 2, 3])
    assert_array_equal(counts, [4.0, 2.0, 4.0, 5.0])


@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_nobody_is_represented_by_another_stratum(n_columns, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, strata = correlated(rng, n_columns), rng.integers(3, size=N)
    scores[rng.random(N) < 0.1, 0] = np.nan
    weights = rng.integers(1, 4, size=N).astype(float)
    rows, counts, representative = representative_rows(scores, strata, weights, N_ROWS)
    assert np.array_equal(np.bincount(representative, weights), counts)
    assert np.array_equal(representative[rows], np.arange(len(rows)))
    assert np.array_equal(strata[rows][representative], strata)
    assert len(rows) == len(np.unique(rows)) < 3 * N_ROWS
    for kind in (strata, 3 * np.isnan(scores[:, 0]) + strata):
        assert_array_equal(np.bincount(kind[rows], counts), np.bincount(kind, weights))
    # The ends of each column represent themselves.
    for column in scores.T:
        for end in (np.nanargmin(column), np.nanargmax(column)):
            assert counts[rows == end] == weights[end]


@pytest.mark.parametrize("n_columns", [1, 2, 7])
@pytest.mark.parametrize("at", [-1.0, -6.0])
def test_rankings_of_the_rows_are_those_of_the_items(n_columns, at, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = correlated(rng, n_columns)
    mean = scores.mean(axis=1)
    p = special.expit(at + 2.0 * mean + 0.5 * (scores[:, 0] - mean))
    rows, counts, _ = representative_rows(scores, np.zeros(N, dtype=int), np.ones(N), N_ROWS)

    def expected(values, p, weights):
        # Each item is p of a positive and 1 - p of a negative.
        labels = np.repeat([1, 0], len(p))
        both = np.r_[weights * p, weights * (1.0 - p)]
        return average_precision_score(labels, np.r_[values, values], sample_weight=both)

    for column in scores.T[:2]:
        found = expected(column[rows], p[rows], counts)
        # An estimate of it from a few labels has an interval of .1 or more. The error has a
        # standard deviation of .001, of seven columns .004.
        assert abs(found - expected(column, p, np.ones(N))) < (0.01 if n_columns < 3 else 0.025)
