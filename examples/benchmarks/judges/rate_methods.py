"""Methods for the rate of items that a judge rated and people a few of.

A method takes a `RateProblem` and returns an `Estimate`; `METHODS` wraps it as a reply about the
one rate. An addition is one function and one entry in `RATES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from answers import LEVEL, Estimate
from replies import NO_DIFFERENCE, Reply
from scipy import special, stats
from scored_classifiers import PROBABILITIES

from sklearn_spe import PerformanceCurveEstimator

CLASSES = [0, 1]
ALPHA = 1.0 - LEVEL
N_DRAWS = 4000
# Where a judge finds nothing, or everything, positive, the best tenth of its scores is.
BEST = 0.9
# What peers need; where it is not installed they are left out.
OF_AIPW = ("aipw", "aipw_spline", "aipw_sigmoid")
NEEDED = {"ppi": "ppi_py", "judgy": "judgy", "truescore": "truescore"}
NEEDED |= dict.fromkeys(OF_AIPW, "ppi_aipw")


@dataclass(frozen=True)
class RateProblem:
    """Verdicts of a judge on all items, and labels of a few.

    Attributes
    ----------
    scores : ndarray of shape (n,)
    proxy : ndarray of shape (n,)
        The scores as probabilities.
    verdicts : ndarray of shape (n,)
        0 or 1.
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    seed : int
    """

    scores: np.ndarray
    proxy: np.ndarray
    verdicts: np.ndarray
    y: np.ndarray
    seed: int

    @classmethod
    def of(cls, scores, y, kind, seed) -> RateProblem:
        """Take scores of a kind for a judge."""
        if kind in PROBABILITIES:
            proxy = scores
        elif kind in ("log-odds", "margin"):
            proxy = special.expit(scores)
        else:
            proxy = stats.rankdata(scores) / (len(scores) + 1.0)
        verdicts = proxy >= 0.5
        if verdicts.all() or not verdicts.any():
            verdicts = scores >= np.quantile(scores, BEST)
        return cls(scores, proxy, verdicts.astype(int), y, seed)

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)

    @property
    def known(self):
        """Which items people saw."""
        return self.y >= 0

    @property
    def labels(self):
        """Their verdicts."""
        return self.y[self.known]


def is_installed(method):
    """Return whether the inputs of a method are given."""
    return method not in NEEDED or find_spec(NEEDED[method]) is not None


def sklearn_spe(problem):
    """Ask the package, which is given the scores."""
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    return asked(performance.fit(problem.scores, problem.y))


def verdicts(problem):
    """Ask the package, which is given verdicts alone."""
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    return asked(performance.fit(None, problem.y, judges=problem.verdicts))


def asked(performance):
    """Return the rate of a fit."""
    rate = performance.estimate("prevalence")
    return Estimate(rate.value, *rate.interval(LEVEL))


def jeffreys(problem):
    """Take the labels alone."""
    found, n = problem.labels.sum(), len(problem.labels)
    distribution = stats.beta(found + 0.5, n - found + 0.5)
    return Estimate(found / n, *distribution.interval(LEVEL))


def rogan_gladen(problem):
    """Correct the share of verdicts by the errors that labels found."""
    stated = problem.verdicts[problem.known]
    draws = corrected(problem.rng, [problem.verdicts], stated, problem.labels)
    return Estimate.from_draws(draws[:, 0])


def corrected(rng, verdicts, stated, labels):
    """Draw rates of shares of verdicts, corrected by the errors among labels, (n_draws, n_shares).

    The formula of W. J. Rogan and B. Gladen (1978), with sensitivity, specificity and the shares
    drawn from beta distributions with half an item of each kind: the errors are the same of all
    shares. Where they are no better than chance the judge says nothing, and the rate is that of the
    labels.
    """
    positive, negative = labels == 1, labels == 0
    sensitivity = share_of(rng, stated[positive] == 1)
    specificity = share_of(rng, stated[negative] == 0)
    youden, alone = sensitivity + specificity - 1.0, share_of(rng, positive)
    rates = [
        np.clip((share_of(rng, v == 1) + specificity - 1.0) / youden, 0.0, 1.0) for v in verdicts
    ]
    return np.where(youden > 0.0, rates, alone).T


def share_of(rng, event):
    """Draw the share of an event by the items at which it was seen."""
    came = np.count_nonzero(event)
    return rng.beta(came + 0.5, len(event) - came + 0.5, N_DRAWS)


def ppi(problem):
    """Ask ppi-python for PPI++."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    parts = split(problem)
    low, high = ppi_mean_ci(*parts, alpha=ALPHA)
    return within(*(float(np.ravel(x)[0]) for x in (ppi_mean_pointestimate(*parts), low, high)))


def aipw(problem):
    """Ask ppi-aipw, with a linear calibration."""
    return of_aipw(problem, "linear")


def aipw_spline(problem):
    """Ask ppi-aipw, with its default, a monotone spline."""
    return of_aipw(problem, "monotone_spline")


def of_aipw(problem, method):
    """Ask ppi-aipw."""
    from ppi_aipw import mean_inference

    found = mean_inference(*split(problem), alpha=ALPHA, method=method)
    low, high = found.ci
    return within(*(float(np.ravel(x)[0]) for x in (found.pointestimate, low, high)))


def judgy(problem):
    """Ask judgy, by 2,000 bootstrap samples."""
    from judgy import estimate_success_rate

    np.random.seed(problem.seed % 2**32)  # noqa: NPY002 -- it draws from the global generator
    return within(
        *estimate_success_rate(
            problem.labels,
            problem.verdicts[problem.known],
            problem.verdicts[~problem.known],
            bootstrap_iterations=2000,
            confidence_level=LEVEL,
        )
    )


def split(problem):
    """Return labels, the proxy of labelled items, and that of the rest."""
    known = problem.known
    return problem.labels.astype(float), problem.proxy[known], problem.proxy[~known]


def within(value, low, high):
    """Return an estimate clipped to [0, 1]."""
    return Estimate(*(float(np.clip(x, 0.0, 1.0)) for x in (value, low, high)))


def reply_of(rate):
    """Return a method of the one rate that a function estimates."""

    def method(problem):
        estimate = rate(problem)
        one = Estimate(*(np.array([x]) for x in (estimate.value, estimate.low, estimate.high)))
        none = Estimate(*(np.empty(0) for _ in NO_DIFFERENCE))
        return {"rate": Reply(one, none, np.empty(0))}

    return method


RATES = {
    "sklearn_spe": sklearn_spe,
    "verdicts": verdicts,
    "jeffreys": jeffreys,
    "rogan_gladen": rogan_gladen,
    "ppi": ppi,
    "aipw": aipw,
    "aipw_spline": aipw_spline,
    "judgy": judgy,
}
METHODS = {name: reply_of(rate) for name, rate in RATES.items() if is_installed(name)}
