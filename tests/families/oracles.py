"""Families as scipy has them: what the tests compare their densities with."""

import numpy as np
from scipy import stats

from sklearn_spe.families._norm_mixture import _standardized
from sklearn_spe.families._real_line import EULER, SCALE


def to_scipy(family, *values):
    """Return the density of a family as a frozen distribution, None if scipy has no such."""
    make = OF_SCIPY.get(family.name)
    return None if make is None else make(*values)


class TruncatedT(stats.rv_continuous):
    """Student's t above zero."""

    def _logpdf(self, x, mean, std, df):
        return stats.t.logpdf(x, df, mean, std) - stats.t.logsf(0.0, df, mean, std)

    def _pdf(self, x, mean, std, df):
        return np.exp(self._logpdf(x, mean, std, df))

    def _sf(self, x, mean, std, df):
        return stats.t.sf(x, df, mean, std) / stats.t.sf(0.0, df, mean, std)

    def _cdf(self, x, mean, std, df):
        return 1.0 - self._sf(x, mean, std, df)

    def _argcheck(self, mean, std, df):
        return std > 0.0


def norm_mixture(mean, std, *shapes):
    parts = _standardized(shapes)
    normals = [
        (weight, stats.norm(mean + std * m, std * s))
        for weight, m, s in zip(parts.weights, parts.means, parts.stds, strict=True)
    ]

    class SumOfNormals(stats.rv_continuous):
        def _pdf(self, x):
            return sum(weight * normal.pdf(x) for weight, normal in normals)

        def _cdf(self, x):
            return sum(weight * normal.cdf(x) for weight, normal in normals)

        def _sf(self, x):
            return sum(weight * normal.sf(x) for weight, normal in normals)

    return SumOfNormals(name="norm_mixture")()


def invweibull(mean, std):
    log_mean, log_std = log_moments(mean, std)
    scale = SCALE * log_std
    return stats.invweibull(1.0 / scale, scale=np.exp(log_mean - EULER * scale))


def lognorm(mean, std):
    log_mean, log_std = log_moments(mean, std)
    return stats.lognorm(log_std, scale=np.exp(log_mean))


def log_moments(mean, std):
    variance = np.log1p((std / mean) ** 2)
    return np.log(mean) - 0.5 * variance, np.sqrt(variance)


def loggamma(mean, std, shape):
    if shape == 0.0:
        return stats.norm(mean, std)
    # Scores that lean to the right are those of scipy turned around.
    return None if shape < 0.0 else standardised(stats.loggamma, mean, std, shape**-2.0)


def standardised(distribution, mean, std, *shapes):
    """Return the law of a location and a scale with a mean and a standard deviation."""
    scale = std / distribution.std(*shapes)
    return distribution(*shapes, loc=mean - scale * distribution.mean(*shapes), scale=scale)


OF_SCIPY = {
    "gamma": lambda mean, std: stats.gamma((mean / std) ** 2, scale=std**2 / mean),
    "gompertz": lambda mean, std: stats.gompertz(
        np.exp(-mean / (SCALE * std) - EULER), scale=SCALE * std
    ),
    "gumbel_l": lambda mean, std: standardised(stats.gumbel_l, mean, std),
    "gumbel_r": lambda mean, std: standardised(stats.gumbel_r, mean, std),
    "invweibull": invweibull,
    "loggamma": loggamma,
    "lognorm": lognorm,
    "norm": stats.norm,
    "norm_mixture": norm_mixture,
    "skewnorm": lambda mean, std, shape: standardised(stats.skewnorm, mean, std, shape),
    "truncnorm": lambda mean, std: stats.truncnorm(-mean / std, np.inf, mean, std),
    "trunct": TruncatedT(a=0.0, name="trunct"),
    "uniform": lambda mean, std: standardised(stats.uniform, mean, std),
}
