"""The law of independent labels."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.metrics._expectation import LabelDistribution
from tests.metrics.distributions import labelings, make_distribution


def test_moments_are_those_of_all_labelings(global_random_seed):
    distribution = make_distribution(global_random_seed)
    positives, chance = labelings(distribution)
    mean = np.einsum("i,ij->j", chance, positives)
    assert_allclose(distribution.mean[0], mean, atol=1e-13)
    assert_allclose(distribution.n_positive, [mean.sum()], rtol=1e-13)
    variance = np.einsum("i,ij->j", chance, (positives - mean) ** 2)
    assert_allclose(distribution.variance[0], variance, atol=1e-13)
    # Of independent items: the variance is the mean without the squares.
    assert_allclose(distribution.mean - distribution.squares, distribution.variance, atol=1e-13)
    assert (distribution.unlabeled.sum(), distribution.n_items) == (7.0, 12.0)


def test_counts_above_are_those_of_higher_cells():
    distribution = LabelDistribution([1, 0, 2], [0.5, 0.5, 0.5], [0, 3, 1], 1)
    assert distribution.counts.tolist() == [2.0, 4.0, 4.0]
    assert distribution.counts_above.tolist() == [0.0, 2.0, 6.0]


def test_one_row_of_probabilities_is_one_draw():
    distribution = LabelDistribution([1, 2], [0.5, 0.2])
    assert (distribution.n_draws, distribution.n_cells) == (1, 2)
    assert LabelDistribution([1, 2], np.full((4, 2), 0.5)).n_draws == 4
    assert distribution.single.tolist() == [True, True]


def test_it_is_read_only_and_leaves_its_arguments_alone():
    probability = np.array([[0.5, 0.2]])
    distribution = LabelDistribution(np.array([1.0, 2.0]), probability)
    with pytest.raises(ValueError, match="read-only"):
        distribution.probability[0, 0] = 1.0
    probability[0, 1] = 0.3
    again = pickle.loads(pickle.dumps(distribution))
    assert_allclose(again.mean, [[0.5, 0.6]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], [0.5, 1.5]), r"probability must lie in \[0, 1\] in every cell, got 1.5"),
        (([1, 1], [0.5, np.nan]), r"probability must lie in \[0, 1\] in every cell, got nan"),
        (([1, 1], np.zeros((1, 1, 2))), "probability must have shape"),
        (([1, 1, 1], [0.5, 0.5]), r"unlabeled must have shape \(2,\).* got \(3,\)"),
        (([1, -1], [0.5, 0.5]), "unlabeled must be counts"),
        (([1, 1], [0.5, 0.5], [np.inf, 0.0]), "positive must be counts"),
        (([1, 1], [0.5, 0.5], 0, [1.0]), r"negative must have shape \(2,\)"),
        (([1, 1], [0.5, 0.5], 0, 0, [True]), r"single must have shape \(2,\)"),
    ],
)
def test_what_is_no_distribution_is_rejected(arguments, message):
    with pytest.raises(ValueError, match=message):
        LabelDistribution(*arguments)
