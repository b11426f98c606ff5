"""Inclusion probabilities of items with several columns: do they go with a score, or not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.data._column_inclusion import inclusion_of_columns, mean_rank

N = 400


@pytest.fixture
def columns(global_random_seed):
    return np.random.default_rng(global_random_seed).normal(size=(N, 2))


def weighted(columns, inclusion_proba, category=None):
    """Return whether labels are weighted by these probabilities."""
    codes = np.where(np.arange(N) % 4 == 0, np.arange(N) % 8 // 4, -1)
    inclusion = inclusion_of_columns(columns, category, codes, np.ones(N), inclusion_proba)
    return inclusion.label_weights is not None


def test_the_mean_rank_of_equal_columns_is_the_column(columns):
    same = np.column_stack([columns[:, 0]] * 3)
    assert np.array_equal(mean_rank(same, np.ones(N)), columns[:, 0])


def test_the_mean_rank_is_of_the_columns_that_an_item_has(columns):
    normal = special.ndtri((stats.rankdata(columns, axis=0) - 0.5) / N)
    assert_allclose(mean_rank(columns, np.ones(N)), normal.mean(axis=1))
    missing = columns.copy()
    missing[: N // 2, 1] = np.nan
    # Ranks of the second column are those of its own items.
    ranks = (stats.rankdata(missing[N // 2 :, 1]) - 0.5) / (N // 2)
    expected = normal[:, 0].copy()
    expected[N // 2 :] = (expected[N // 2 :] + special.ndtri(ranks)) / 2.0
    assert_allclose(mean_rank(missing, np.ones(N)), expected)


@pytest.mark.parametrize("column", [0, 1])
def test_probabilities_that_are_a_function_of_a_score_need_no_weights(columns, column):
    assert not weighted(columns, np.clip(special.expit(columns[:, column]), 0.1, 0.9))
    assert not weighted(columns, np.where(columns[:, column] > 1.0, 0.9, 0.1))


def test_probabilities_may_be_functions_of_a_score_within_categories(columns):
    category = np.arange(N) % 2
    proba = np.where(columns[:, 0] > 0.0, 0.8, 0.2)
    turned = np.where(category == 1, 1.0 - proba, proba)
    assert not weighted(columns, turned, category)


def test_probabilities_that_go_with_no_score_are_weights(columns, global_random_seed):
    proba = np.random.default_rng([global_random_seed, 1]).uniform(0.1, 0.9, N)
    assert weighted(columns, proba)
    assert weighted(columns, proba, np.arange(N) % 3)


def test_columns_of_few_values_divide_the_items(columns):
    verdict = (columns[:, 0] > 0.0).astype(float)
    several = np.column_stack([verdict, (columns[:, 1] > 0.0).astype(float)])
    # By both verdicts together, and by neither alone.
    proba = np.where(several[:, 0] == several[:, 1], 0.9, 0.1)
    assert not weighted(several, proba)
