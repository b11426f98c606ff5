"""Methods for the accuracy of two systems, from the verdicts of a judge and a few human labels.

A method takes an `AnswersProblem` and returns a `Reply` about the two rates and their difference;
an addition is one function and one entry in `METHODS`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from answers import Estimate
from judged_answers import SYSTEMS, Answers
from rate_methods import (
    ALPHA,
    CLASSES,
    N_DRAWS,
    RateProblem,
    corrected,
    is_installed,
    split,
)
from replies import Reply
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator

# Half the width of an interval, in standard errors.
Z = stats.norm.ppf(1.0 - ALPHA / 2.0)


@dataclass(frozen=True)
class AnswersProblem:
    """Answers, with human labels of a few.

    Attributes
    ----------
    answers : Answers
        Its `right` is not looked at.
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    seed : int
    """

    answers: Answers
    y: np.ndarray
    seed: int

    @property
    def rng(self):
        """The random numbers of a method."""
        return np.random.default_rng(self.seed)

    def of_each(self):
        """Yield each system as a problem of one rate."""
        for name in SYSTEMS:
            own = self.answers.system == name
            verdict = self.answers.verdict[own]
            yield RateProblem(verdict, verdict.astype(float), verdict, self.y[own], self.seed)


def sklearn_spe(problem):
    """Ask the package, given the system of each row."""
    return asked(problem)


def by_prompt(problem):
    """Ask the package, given the system and the prompt of each row."""
    return asked(problem, groups=problem.answers.prompt)


def asked(problem, **structure):
    """Fit the package to the verdicts, and ask it about both systems."""
    verdict, system = problem.answers.verdict, problem.answers.system
    performance = PerformanceCurveEstimator(classes=CLASSES, random_state=problem.seed)
    performance.fit(None, problem.y, judges=verdict, category=system, **structure)
    found = [performance.of(category=name).estimate("prevalence") for name in SYSTEMS]
    return {"rate": Reply.from_estimates(found)}


def naive(problem):
    """Believe the judge: the share of its verdicts, with the error of counting."""
    shares = np.array([p.verdicts.mean() for p in problem.of_each()])
    n = len(problem.y) / len(SYSTEMS)
    return normal(problem, shares, np.sqrt(shares * (1.0 - shares) / n))


def labels(problem):
    """Take the labels alone, with half an item of each class."""
    found = [((p.labels == 1).sum() + 0.5, (p.labels == 0).sum() + 0.5) for p in problem.of_each()]
    draws = problem.rng.beta(*np.transpose(found), (N_DRAWS, len(SYSTEMS)))
    return {"rate": Reply.from_draws(draws)}


def rogan_gladen(problem):
    """Correct each share of verdicts by errors that are taken to be the same of both systems."""
    known = problem.y >= 0
    stated, seen = problem.answers.verdict[known], problem.y[known]
    shares = [p.verdicts for p in problem.of_each()]
    return {"rate": Reply.from_draws(corrected(problem.rng, shares, stated, seen))}


def rogan_gladen_each(problem):
    """Correct each share of verdicts by the errors at answers of this system."""
    rng = problem.rng
    draws = [corrected(rng, [p.verdicts], p.verdicts[p.known], p.labels) for p in problem.of_each()]
    return {"rate": Reply.from_draws(np.hstack(draws))}


def ppi(problem):
    """Ask ppi-python for PPI++ of each system."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    found = []
    for own in problem.of_each():
        parts = split(own)
        low, high = (float(np.ravel(x)[0]) for x in ppi_mean_ci(*parts, alpha=ALPHA))
        found.append((float(np.ravel(ppi_mean_pointestimate(*parts))[0]), (high - low) / 2.0 / Z))
    return normal(problem, *np.transpose(found))


def aipw(problem):
    """Ask ppi-aipw for each system, with a linear calibration."""
    from ppi_aipw import mean_inference

    found = []
    for own in problem.of_each():
        said = mean_inference(*split(own), alpha=ALPHA, method="linear")
        found.append([float(np.ravel(x)[0]) for x in (said.pointestimate, said.se)])
    return normal(problem, *np.transpose(found))


def truescore(problem):
    """Ask truescore for its corrected rate of each system."""
    from truescore import ppi_estimate

    found = []
    for own in problem.of_each():
        places = np.flatnonzero(own.known)
        said = ppi_estimate(own.verdicts, own.labels, places, alpha=ALPHA)
        found.append((said.point, (said.high - said.low) / 2.0 / Z))
    return normal(problem, *np.transpose(found))


def normal(problem, values, errors):
    """Return a reply of independent normal distributions, cut to what rates can be."""
    draws = problem.rng.normal(values, errors, (N_DRAWS, len(SYSTEMS)))
    ends = values, values - Z * errors, values + Z * errors
    each = Estimate(*np.clip(ends, 0.0, 1.0))
    return {"rate": Reply.from_draws(np.clip(draws, 0.0, 1.0), each)}


METHODS = {
    name: method
    for name, method in {
        "sklearn_spe": sklearn_spe,
        "by_prompt": by_prompt,
        "naive": naive,
        "labels": labels,
        "rogan_gladen": rogan_gladen,
        "rogan_gladen_each": rogan_gladen_each,
        "ppi": ppi,
        "aipw": aipw,
        "truescore": truescore,
    }.items()
    if is_installed(name)
}
