"""E-step and M-step of a two-class mixture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from .._parameter import Parameter
from ..families._family import Family
from ..sample._sample import ScoreSample
from ._two_class import TwoClassMixture

# Below this weight, a class keeps its density.
_MIN_WEIGHT = 1e-12
_CLIMB = {"maxiter": 50, "ftol": 1e-12, "gtol": 1e-8}


@dataclass(frozen=True)
class EmSteps:
    """Partially observed expectation maximization: section 5 of [1]_.

    Labeled items belong to their class, the others to both with their probabilities. The M-step is
    weighted maximum likelihood in each class: in closed form where the family has one (eq. 7 to 12
    for normals), else numerically. Parameters are unconstrained, as in the mixture, so that
    standard deviations stay above the resolution of the scores.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.
    """

    mixture: TwoClassMixture
    sample: ScoreSample

    def expect(self, u):
        """Return the log likelihood of `u`, and the class weights of each point."""
        log_likelihood, *weights = self.mixture.expectation(u, self.sample)
        return log_likelihood, weights

    def maximize(self, weights, u) -> np.ndarray:
        """Return the `u` that maximizes the likelihood, given the class weights of the points."""
        mixture, cut = self.mixture, 1 + len(self.mixture.negative.parameters)
        to_negative, to_positive = weights
        share = to_positive.sum() / (to_positive.sum() + to_negative.sum())
        following = np.array(u)
        following[0] = mixture.parameters[0].real(share)
        for family, part, counts in (
            (mixture.negative, slice(1, cut), to_negative),
            (mixture.positive, slice(cut, None), to_positive),
        ):
            if counts.sum() > _MIN_WEIGHT:
                parameters = mixture.parameters[part]
                following[part] = _likeliest(family, parameters, self.sample, counts, u[part])
        return following

    def labeled_start(self) -> np.ndarray | None:
        """Return estimates from the labeled items; None without both classes.

        The start of the paper. If only the tail is labeled, it overestimates the prevalence.
        """
        return self._start(self.sample.negative, self.sample.positive)

    def background_start(self) -> np.ndarray | None:
        """Return estimates that treat all unlabeled items as negative."""
        return self._start(self.sample.negative + self.sample.unlabeled, self.sample.positive)

    def _start(self, negative, positive):
        mixture, scores = self.mixture, self.sample.scores
        if not (negative.any() and positive.any()):
            return None
        values = []
        for family, counts in ((mixture.negative, negative), (mixture.positive, positive)):
            mean, std, *shapes = family.start(scores, counts)
            # A single item, or equal ones, have no spread.
            values.append((mean, max(std, 4.0 * mixture.resolution), *shapes))
        return mixture.real(positive.sum() / (positive.sum() + negative.sum()), *values)


def _likeliest(family: Family, parameters, sample: ScoreSample, counts, u) -> np.ndarray:
    values = family.maximum_likelihood(sample.points, counts)
    # The mixture does not allow standard deviations below the resolution.
    if values is not None and values[1] > parameters[1].lower:
        return np.array([p.real(v) for p, v in zip(parameters, values, strict=True)])
    return _climb(family, parameters, sample.points, counts, u)


def _climb(family: Family, parameters: tuple[Parameter, ...], points, counts, u) -> np.ndarray:
    """Maximize the weighted log likelihood of one class from `u`."""
    counted = counts > 0.0
    points, counts = points[counted], counts[counted] / counts.sum()

    def objective(u):
        values = [p.value(np.array([[v]])) for p, v in zip(parameters, u, strict=True)]
        value = -float(np.einsum("i,i->", family.logpdf(points, *values)[0], counts))
        gradients = family.gradient(points, *values)
        slopes = [p.slope(v[0, 0]) for p, v in zip(parameters, values, strict=True)]
        gradient = [
            -slope * np.einsum("i,i->", g[0], counts)
            for slope, g in zip(slopes, gradients, strict=True)
        ]
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return worst, np.zeros(len(u))
        return value, np.array(gradient)

    with np.errstate(all="ignore"):
        worst = np.inf
        first, _ = objective(u)
        worst = first + 1e3
        end = optimize.minimize(objective, u, jac=True, method="L-BFGS-B", options=_CLIMB)
    return end.x if end.fun <= first else np.array(u)
