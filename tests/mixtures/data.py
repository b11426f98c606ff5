"""Mixtures, samples, and the same densities said plainly."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families import Norm
from sklearn_spe.families._family import BetaPrior, GammaPrior, NormalPrior
from sklearn_spe.families._registry import FAMILIES
from sklearn_spe.mixtures._two_class import TwoClassMixture, log_order_prior
from tests.families.oracles import to_scipy

# The model scale of all tests: its unit is one, its origin below all scores.
LOCATION, SPREAD, RESOLUTION = 1.2, 1.1, 0.01
PRIOR = BetaPrior(2.0, 3.0)
NAMES = [*FAMILIES]
# Every family once as the negative class and once as the positive one.
PAIRS = [
    pytest.param(
        TwoClassMixture(FAMILIES[a](), FAMILIES[b](), PRIOR, LOCATION, SPREAD, RESOLUTION),
        id=f"{a}-{b}",
    )
    for a, b in zip(NAMES, NAMES[1:] + NAMES[:1], strict=True)
]
EVERY_PAIR = pytest.mark.parametrize("mixture", PAIRS)
NORMALS = TwoClassMixture(Norm(), Norm(), PRIOR, LOCATION, SPREAD, RESOLUTION)
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6


def sample_of(kind, seed, n=40):
    """Return a sample within reach of all families at `some_u`."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.7, 2.2, n)
    share = {"labeled": 0.0, "unlabeled": 1.0}.get(kind, 0.7)
    codes = np.where(rng.random(n) < share, -1, rng.integers(0, 2, n))
    # Both classes have labels where there are any.
    codes[:4] = -1 if kind == "unlabeled" else (0, 0, 1, 1)
    weights = rng.uniform(0.2, 3.0, n) if kind == "weighted" else np.ones(n)
    return ScoreSample.from_items(scores, codes, weights)


KINDS = ("labeled", "unlabeled", "mixed", "weighted")


def some_values(family, positive):
    mean, std = (1.5, 0.5) if positive else (0.9, 0.8)
    shapes = (p.typical[-1 if positive else 1] for p in family.parameters[2:])
    return (mean, std, *shapes)


def some_u(mixture, n=1, seed=0):
    """Return `n` vectors near values at which all scores of `sample_of` are possible."""
    values = some_values(mixture.negative, False), some_values(mixture.positive, True)
    noise = np.random.default_rng(seed).uniform(-0.02, 0.02, size=(n, mixture.n_dim))
    noise[0] = 0.0
    return mixture.real(0.35, *values) + noise


def naive_prior(mixture, u):
    """Return the log prior of one `u`, parameter by parameter, with scipy.stats."""
    distributions = [(stats.beta(PRIOR.a, PRIOR.b), 0.0, 1.0)]
    for family in (mixture.negative, mixture.positive):
        for parameter in family.parameters:
            prior, lower = parameter.prior, parameter.lower
            if parameter.role == "location":
                distribution = stats.norm(LOCATION + SPREAD * prior.location, SPREAD * prior.scale)
            elif parameter.role == "scale":
                distribution = stats.gamma(prior.shape, scale=SPREAD * prior.scale)
                lower = max(lower, RESOLUTION)
            else:
                distribution = {
                    NormalPrior: lambda p: stats.norm(p.location, p.scale),
                    GammaPrior: lambda p: stats.gamma(p.shape, scale=p.scale),
                }[type(prior)](prior)
            distributions.append((distribution, lower, parameter.upper))
    total = 0.0
    for (distribution, lower, upper), x, real in zip(
        distributions, flat_values(mixture, u), u, strict=True
    ):
        total += distribution.logpdf(x) - np.log(distribution.cdf(upper) - distribution.cdf(lower))
        if np.isfinite(upper):
            total += np.log(upper - lower) + stats.logistic.logpdf(real)
        elif np.isfinite(lower):
            total += real
    return total


def flat_values(mixture, u):
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    return [float(v[0, 0]) for v in (prevalence, *negative, *positive)]


def naive_densities(mixture, u, scores):
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    return prevalence[0, 0], *(
        density(family, [v[0, 0] for v in values], scores)
        for family, values in ((mixture.negative, negative), (mixture.positive, positive))
    )


def density(family, values, scores):
    distribution = to_scipy(family, *values)
    return (
        np.exp(family.logpdf(scores, *values)) if distribution is None else distribution.pdf(scores)
    )


def naive_likelihood(mixture, u, sample):
    """Return the log of eq. 2 of one `u`, item by item."""
    prevalence, p_0, p_1 = naive_densities(mixture, u, sample.scores)
    total = 0.0
    for i in range(sample.n_cells):
        negative, positive = (1.0 - prevalence) * p_0[i], prevalence * p_1[i]
        for weight, likelihood in (
            (sample.unlabeled[i], negative + positive),
            (sample.negative[i], negative),
            (sample.positive[i], positive),
        ):
            if weight:
                with np.errstate(divide="ignore"):
                    total += weight * np.log(likelihood)
    return total


def naive_order(mixture, u):
    values = flat_values(mixture, u)
    cut = 1 + len(mixture.negative.parameters)
    moments = (np.array([v]) for v in (*values[1:3], *values[cut : cut + 2]))
    return log_order_prior(*moments)[0] - mixture.log_order_mass


def one_draw(mixture, u):
    prevalence, negative, positive = mixture.values(u[np.newaxis])
    return prevalence[0, 0], [v[0, 0] for v in negative], [v[0, 0] for v in positive]
