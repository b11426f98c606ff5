"""The importance sampler's posterior is that of brute force."""

from functools import partial

import numpy as np
import pytest

from sklearn_spe.mixtures._fit import fit_mixture
from tests.functional.problems import draw_problem, quantities
from tests.functional.reference import N_WALKERS, anneal, brute_force, weighted_quantiles
from tests.mixtures.priors import draw_parameters

PAIRS = (
    ("norm", "norm"),
    ("gamma", "truncnorm"),
    ("lognorm", "gumbel_r"),
    ("truncnorm", "gamma"),
    ("gumbel_l", "norm"),
)
N_DRAWS = 10_000


def problem(number):
    """Every third has 2% positives and ten labels, the others come from the prior.

    They are fixed: of these brute force is known to find every mode. The sampler's seed is free.
    """
    pair = PAIRS[number % len(PAIRS)]
    if number % 3:
        return draw_problem(*pair, number)
    truth = (0.02, (2.8, 0.8), (4.8, 0.7))
    return draw_problem(*pair, number, n=500, n_labels=10, truth=truth)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_posterior_and_evidence_agree_with_brute_force(number, global_random_seed):
    given = problem(number)
    mixture, sample = given.mixture, given.sample
    draws, _ = fit_mixture(
        mixture, sample, N_DRAWS, np.random.default_rng([global_random_seed, number])
    )

    rng = np.random.default_rng([number, 7])
    log_likelihood = partial(mixture.log_likelihood, sample=sample)
    with np.errstate(all="ignore"):
        chain = anneal(
            mixture.log_prior,
            lambda u: np.nan_to_num(log_likelihood(u), nan=-np.inf),
            draw_parameters(mixture, rng, N_WALKERS),
            rng,
        )
    exact, weights, log_evidence = brute_force(
        partial(mixture.log_density, sample=sample), chain, rng
    )
    assert 1.0 / (weights**2).sum() > 5_000  # else it could not be the judge

    # A mean of weights with this many effective draws has the relative error 1 / sqrt(ess).
    error = 1.0 / np.sqrt(draws.ess)
    assert draws.log_evidence == pytest.approx(log_evidence, abs=5.0 * error + 0.02)

    mean, exact_mean = draws.weights @ draws.points, weights @ exact
    std = np.sqrt(draws.weights @ (draws.points - mean) ** 2)
    exact_std = np.sqrt(weights @ (exact - exact_mean) ** 2)
    of_means = np.sqrt(
        draws.weights**2 @ (draws.points - mean) ** 2 + weights**2 @ (exact - exact_mean) ** 2
    )
    np.testing.assert_array_less(np.abs(mean - exact_mean), 5.0 * of_means)
    # The error of a weighted mean of squares, and half of it for its root. Where the sampler
    # has seen too little of a tail this error is too small itself: 3% are allowed for that.
    squares = ((draws.points - mean) / std) ** 2 - 1.0
    relative = np.sqrt((draws.weights**2) @ squares**2) / 2.0
    np.testing.assert_array_less(np.abs(std / exact_std - 1.0), 5.0 * relative + 0.03)

    ours, theirs = quantities(mixture, draws.points), quantities(mixture, exact)
    for value, exact_value in zip(ours.T, theirs.T, strict=True):
        ends = weighted_quantiles(value, draws.weights, [0.05, 0.95])
        exact_ends = weighted_quantiles(exact_value, weights, [0.05, 0.95])
        width = exact_ends[1] - exact_ends[0]
        # An interval narrower than a thousandth is a number.
        assert np.abs(ends - exact_ends).max() <= max(0.1 * width, 1e-3)
