"""A slow, independent way to a posterior: annealed differential evolution, then brute force.

Nothing here uses `sklearn_spe.inference`.
"""

import numpy as np
from scipy import special, stats
from sklearn.mixture import GaussianMixture

N_WALKERS = 200


def anneal(log_prior, log_likelihood, walkers, rng, n_heating=200, n_steps=500):
    """Return draws of a differential evolution chain (ter Braak 2006) begun at the prior.

    The likelihood is raised to a power that rises to one while heating, so that the walkers
    find every mode the prior can reach.
    """
    n, d = walkers.shape
    prior, likelihood = log_prior(walkers), log_likelihood(walkers)
    kept = []
    for step in range(n_heating + n_steps):
        power = min(1.0, (step / n_heating) ** 3)
        jump = 1.0 if step % 10 == 0 else 2.38 / np.sqrt(2 * d)
        first, second = rng.permuted(np.tile(np.arange(n), (2, 1)), axis=1)
        proposal = walkers + jump * (walkers[first] - walkers[second])
        proposal += 1e-4 * rng.standard_normal(walkers.shape)
        new_prior, new_likelihood = log_prior(proposal), log_likelihood(proposal)
        gain = new_prior - prior + power * (new_likelihood - likelihood)
        moved = np.log(rng.random(n)) < gain
        walkers = np.where(moved[:, None], proposal, walkers)
        prior = np.where(moved, new_prior, prior)
        likelihood = np.where(moved, new_likelihood, likelihood)
        if step >= n_heating + n_steps // 3 and step % 5 == 0:
            kept.append(walkers)
    return np.concatenate(kept)


def brute_force(log_density, chain, rng, n_draws=30_000):
    """Return many importance draws, their weights and the log evidence.

    The proposal is a normal mixture fitted to the chain, each component taken as a Student
    density with 4 degrees of freedom and somewhat wider.
    """
    fitted = GaussianMixture(6, reg_covar=1e-5, random_state=0, n_init=1).fit(chain[::3])
    covariances = 1.3 * fitted.covariances_
    owner = rng.choice(6, size=n_draws, p=fitted.weights_)
    draws = np.empty((n_draws, chain.shape[1]))
    for k in range(6):
        own = owner == k
        draws[own] = stats.multivariate_t(fitted.means_[k], covariances[k], df=4).rvs(
            int(own.sum()), random_state=rng
        )
    log_proposal = special.logsumexp(
        [
            np.log(w) + stats.multivariate_t(m, c, df=4).logpdf(draws)
            for w, m, c in zip(fitted.weights_, fitted.means_, covariances, strict=True)
        ],
        axis=0,
    )
    log_weights = log_density(draws) - log_proposal
    log_evidence = special.logsumexp(log_weights) - np.log(n_draws)
    return draws, np.exp(log_weights - special.logsumexp(log_weights)), float(log_evidence)


def weighted_quantiles(values, weights, levels):
    """Return weighted quantiles of a vector."""
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    return np.interp(levels, (ends - weights[order] / 2) / ends[-1], values[order])
