"""Methods for the mean label of items with a proxy, a few of which are labelled.

A method takes a `MeanProblem` and returns an `Estimate`; `METHODS` wraps it as a reply about the
one mean. An addition is one function and one entry in `MEANS`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from answers import LEVEL, Estimate
from rate_methods import ALPHA, is_installed, reply_of
from scipy import stats

from sklearn_spe import MeanEstimator


@dataclass(frozen=True)
class MeanProblem:
    """A proxy of all items, and the labels of a few.

    Attributes
    ----------
    proxy : ndarray of shape (n,)
    y : ndarray of shape (n,)
        NaN where there is no label.
    seed : int
    """

    proxy: np.ndarray
    y: np.ndarray
    seed: int

    def split(self):
        """Return labels, the proxy of labelled items, and that of the rest."""
        known = ~np.isnan(self.y)
        return self.y[known], self.proxy[known], self.proxy[~known]


def sklearn_spe(problem):
    """Ask the package."""
    mean = MeanEstimator(random_state=problem.seed).fit(problem.proxy, problem.y).estimate()
    return Estimate(mean.value, *mean.interval(LEVEL))


def labels(problem):
    """Take the labels alone, and Student's t."""
    known, _, rest = problem.split()
    n = len(known)
    error = np.sqrt(known.var(ddof=1) / n * len(rest) / (n + len(rest)))
    half = stats.t.ppf((1.0 + LEVEL) / 2.0, n - 1) * error
    return Estimate(known.mean(), known.mean() - half, known.mean() + half)


def classical(problem):
    """Correct the mean of the proxies by the mean residual, with a normal interval.

    Classical prediction-powered inference. All proxies are known, so that only the residuals vary.
    """
    known, said, _ = problem.split()
    value = problem.proxy.mean() + (known - said).mean()
    half = stats.norm.ppf((1.0 + LEVEL) / 2.0) * (known - said).std() / np.sqrt(len(known))
    return Estimate(value, value - half, value + half)


def ppi(problem):
    """Ask ppi-python for PPI++."""
    from ppi_py import ppi_mean_ci

    low, high = (float(np.ravel(x)[0]) for x in ppi_mean_ci(*problem.split(), alpha=ALPHA))
    return Estimate((low + high) / 2.0, low, high)


def of_aipw(method):
    """Return what asks ppi-aipw."""

    def ask(problem):
        from ppi_aipw import mean_inference

        found = mean_inference(*problem.split(), alpha=ALPHA, method=method)
        ends = (found.pointestimate, *found.ci)
        return Estimate(*(float(np.ravel(x)[0]) for x in ends))

    return ask


MEANS = {
    "sklearn_spe": sklearn_spe,
    "labels": labels,
    "classical": classical,
    "ppi": ppi,
    "aipw": of_aipw("linear"),
    "aipw_spline": of_aipw("monotone_spline"),
    "aipw_sigmoid": of_aipw("sigmoid"),
}
METHODS = {name: reply_of(mean) for name, mean in MEANS.items() if is_installed(name)}
