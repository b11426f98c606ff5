"""Under the prior, the truth is one more draw from the posterior (Talts et al. 2018)."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.mixtures._fit import fit_mixture
from tests.functional.problems import ALARM, draw_problem, least_hits, quantities, seeds

PAIRS = (("norm", "norm"), ("gamma", "truncnorm"), ("lognorm", "gumbel_r"))
N_FITS, N_BINS, N_DRAWS = 90, 5, 500


def posterior_rank(pair, seed):
    """Return the posterior probability below the truth, and the effective number of draws."""
    problem = draw_problem(*pair, seed)
    rng = np.random.default_rng([seed, 5])
    draws, _ = fit_mixture(problem.mixture, problem.sample, N_DRAWS, rng)
    truth, *drawn = quantities(problem.mixture, np.vstack([problem.truth, draws.points]))
    drawn = np.array(drawn)
    # The truth was drawn from the prior above 2% positives: so must be the posterior.
    weights = draws.weights * (drawn[:, 0] >= 0.02)
    weights = weights / weights.sum()
    below = weights @ (drawn < truth)
    return below + rng.random() * (weights @ (drawn == truth)), draws.ess


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform(global_random_seed):
    # Ranks of several pairs are uniform together if those of each are.
    fits = [
        posterior_rank(PAIRS[number % len(PAIRS)], seed)
        for number, seed in enumerate(seeds(global_random_seed, N_FITS))
    ]
    ranks = np.array([rank for rank, _ in fits])
    for rank in ranks.T:
        counts, _ = np.histogram(rank, bins=N_BINS, range=(0.0, 1.0))
        # Four such tests: together they raise a false alarm once in 250,000 runs.
        assert stats.chisquare(counts).pvalue > ALARM
    # Half the draws that a user gets by default: half the effective number asked for.
    assert np.sum([ess >= 50.0 for _, ess in fits]) >= least_hits(N_FITS, 0.97)
