"""Effects of pairs of classes: the true classes of the errors of one predicted class."""

from itertools import product

import numpy as np
from numpy.testing import assert_allclose

from sklearn_spe.models._pair_effects import (
    CONCENTRATION_WEIGHTS,
    CONCENTRATIONS,
    PredictedRows,
    draw_concentrations,
    draw_ratios,
    log_probability_of_errors,
)

EXPECTED = np.array([[[0.0, 0.2, 0.3, 0.5]]])


def test_probabilities_of_all_sequences_of_errors_sum_to_one():
    sequences = [
        np.bincount(true, minlength=4)[np.newaxis] for true in product((1, 2, 3), repeat=3)
    ]
    logs = [log_probability_of_errors(EXPECTED, n_errors, 0.7) for n_errors in sequences]
    assert_allclose(np.exp(logs).sum(), 1.0)


def test_errors_of_one_class_are_drawn_around_labels_and_what_is_expected(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_draws, concentration = 4000, 3.0
    expected = np.repeat(EXPECTED, n_draws, axis=0)
    n_errors = np.array([[0.0, 4.0, 0.0, 1.0]])
    ratios = draw_ratios(expected, n_errors, np.full((n_draws, 1), concentration), rng)

    # The mean of the Dirichlet distribution, to five standard errors of a share.
    mean = (concentration * EXPECTED[0] + n_errors) / (concentration + n_errors.sum())
    error = 5.0 * 0.5 / np.sqrt(n_draws)
    assert_allclose((ratios * expected).mean(axis=0), mean, atol=error)
    assert_allclose((ratios * expected).sum(axis=2), 1.0)


def test_without_end_of_concentration_there_are_no_effects(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ratios = draw_ratios(EXPECTED, np.array([[0.0, 9.0, 0.0, 0.0]]), np.array([[np.inf]]), rng)
    assert (ratios == 1.0).all()


def test_rows_are_weighted_by_the_errors_that_they_represent():
    rows = PredictedRows(np.zeros((1, 3, 2)), np.array([0, 0, 1]), np.array([1.0, 3.0, 2.0]))
    mean = rows.mean_by_class(np.array([[0.0, 1.0], [0.8, 0.2], [0.5, 0.5]]))
    assert_allclose(mean, [[0.6, 0.4], [0.5, 0.5]])
    counts = rows.errors_by_class(np.array([0, 1, 1]), np.array([1, 0, 0]), np.ones(3))
    assert counts.tolist() == [[0.0, 1.0], [2.0, 0.0]]


def test_each_predicted_class_has_a_concentration(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    expected = np.repeat(EXPECTED, 2, axis=1)
    n_errors = np.array([[0.0, 9.0, 0.0, 0.0], [0.0, 9.0, 0.0, 0.0]])
    ratios = draw_ratios(expected, n_errors, np.array([[np.inf, 1.0]]), rng)
    assert (ratios[0, 0] == 1.0).all()
    assert (ratios[0, 1] != 1.0).any()


def test_concentrations_are_drawn_by_the_errors_of_their_predicted_class(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_draws = 4000
    # One class is taken for one other in all cases, and nothing is known of the next one.
    n_errors = np.array([[0.0, 9.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    expected = np.repeat(EXPECTED, 2, axis=1)
    logs = np.zeros((len(CONCENTRATIONS), n_draws, 2))
    for of_concentration, concentration in zip(logs, CONCENTRATIONS, strict=True):
        of_concentration[:] = (
            log_probability_of_errors(expected, n_errors, concentration)
            if np.isfinite(concentration)
            else [9.0 * np.log(0.2), 0.0]
        )
    drawn = draw_concentrations(logs, rng)

    # Bayes' rule, to five standard errors of a share.
    error = 5.0 * 0.5 / np.sqrt(n_draws)
    posterior = CONCENTRATION_WEIGHTS[:, np.newaxis] * np.exp(logs[:, 0])
    posterior /= posterior.sum(axis=0)
    shares = (drawn[np.newaxis] == CONCENTRATIONS[:, np.newaxis, np.newaxis]).mean(axis=1)
    assert_allclose(shares, posterior, atol=error)
    assert shares[0, 0] > 0.9
