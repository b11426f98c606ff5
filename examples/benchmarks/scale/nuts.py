"""The same posterior by importance sampling and by NUTS: variance times seconds.

The posterior is that of two normal classes, of 20 labels among 2,000 scores; all 2,000 scores
enter. A sampler is run with several seeds. The variance of its posterior mean over seeds, times its
seconds, does not depend on how many draws it makes: half of it is half the time for the same
error. Needs ``numpyro``.
"""

import time

import numpy as np

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores

__all__ = ["posterior_table"]

N_SCORES, N_LABELS, N_DRAWS, N_WARMUP = 2000, 20, 2000, 500
QUANTITIES = ("prevalence", "roc_auc")
# How sharply the prior tells the order of the classes, as in the package.
STEEPNESS = 20.0


def by_importance_sampling(scores, y):
    """Return a function of a seed: the posterior means by this package, and seconds."""

    def run(seed):
        begun = time.perf_counter()
        mixture = SemisupervisedScoreMixture(
            "norm", "norm", experts=None, prevalence_prior=(1, 1), n_draws=N_DRAWS
        )
        performance = PerformanceCurveEstimator(mixture, target="population", random_state=seed)
        performance.fit(scores, y)
        means = [float(performance.estimate(name).mean()) for name in QUANTITIES]
        return means, time.perf_counter() - begun

    return run


def by_nuts(scores, y):
    """Return a function of a seed: the posterior means by NUTS, and seconds once compiled."""
    import jax
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.stats import norm
    from numpyro import distributions as dist
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)
    location, spread = float(scores.mean()), float(scores.std())
    given = {k: jnp.asarray(scores[y == k]) for k in (0, 1, -1)}

    def model():
        share = numpyro.sample("prevalence", dist.Uniform(0.0, 1.0))
        means, stds = [], []
        for k in (0, 1):
            means.append(numpyro.sample(f"mean_{k}", dist.Normal(location, 3.0 * spread)))
            stds.append(numpyro.sample(f"std_{k}", dist.Gamma(2.0, 2.0 / spread)))
        d = (means[1] - means[0]) / jnp.hypot(*stds)
        numpyro.deterministic("roc_auc", norm.cdf(d))
        numpyro.factor("order", norm.logcdf(STEEPNESS * d))

        def joint(s):
            return [
                jnp.log(p) + norm.logpdf(s, mean, std)
                for p, mean, std in zip((1.0 - share, share), means, stds, strict=True)
            ]

        numpyro.factor("negatives", joint(given[0])[0].sum())
        numpyro.factor("positives", joint(given[1])[1].sum())
        numpyro.factor("unlabelled", jnp.logaddexp(*joint(given[-1])).sum())

    sampler = MCMC(NUTS(model), num_warmup=N_WARMUP, num_samples=N_DRAWS, progress_bar=False)
    sampler.run(jax.random.PRNGKey(10**6))  # compiles

    def run(seed):
        begun = time.perf_counter()
        sampler.run(jax.random.PRNGKey(seed))
        draws = sampler.get_samples()
        means = [float(draws[name].mean()) for name in QUANTITIES]
        return means, time.perf_counter() - begun

    return run


def posterior_table(n_runs):
    """Return rows: sampler, quantity, mean, its error over runs, seconds, variance x seconds."""
    scores, truth = make_scores(N_SCORES, random_state=0)
    y = np.where(np.arange(N_SCORES) < N_LABELS, truth, -1)
    rows = []
    for name, make in {"this package": by_importance_sampling, "NUTS": by_nuts}.items():
        run = make(scores, y)
        found = [run(seed) for seed in range(n_runs)]
        means, seconds = np.array([f[0] for f in found]), np.mean([f[1] for f in found])
        for quantity, own in zip(QUANTITIES, means.T, strict=True):
            error = own.std(ddof=1)
            rows.append((name, quantity, own.mean(), error, seconds, error**2 * seconds))
    return rows
