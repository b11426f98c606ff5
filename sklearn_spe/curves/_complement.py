"""Posterior with the two classes exchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._posterior import Block, Posterior
from ..results._bands import ScalarEstimate
from ..results._distributions import CentredDraws, WeightedDraws
from ..sample._sample import ScoreSample

__all__ = ["ComplementPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class ComplementPosterior(Posterior):
    """The same draws, with the classes exchanged and the scores flipped."""

    sample: ScoreSample  # flipped scores, positives and negatives exchanged
    inner: Posterior
    total: float  # sum of a score and its flipped value

    @classmethod
    def of(cls, inner: Posterior, total: float = 0.0) -> ComplementPosterior:
        """Return a posterior with the classes exchanged."""
        known = inner.sample
        scores = total - known.scores[::-1]
        counts = known.unlabeled[::-1], known.positive[::-1], known.negative[::-1]
        exchanged = ScoreSample(scores, scores, *counts, inclusion=known.inclusion.exchanged())
        return cls(exchanged, inner, total)

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws."""
        return self.inner.weights

    @property
    def kind(self) -> str:
        """Source of the uncertainty."""
        return self.inner.kind

    @property
    def centre(self) -> Posterior | None:
        """The point estimate around which the draws scatter, if any."""
        centre = self.inner.centre
        return None if centre is None else replace(self, inner=centre)

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.inner.n_draws

    @property
    def ess(self) -> float:
        """Effective sample size."""
        return self.inner.ess

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return self.inner.blocks()

    def positive_probability(self, scores, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        return 1.0 - self.inner.positive_probability(self._flipped(scores), block)

    def labeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return `positive_probability` of labeled items."""
        return 1.0 - self.inner.labeled_probability(self._flipped(scores), block)

    def unlabeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return `positive_probability` of the unlabeled items of this sample."""
        return 1.0 - self.inner.unlabeled_probability(self._flipped(scores), block)

    def taken_for_probability(self, scores) -> np.ndarray:
        """Return one minus the probabilities that the scores represent."""
        return 1.0 - self.inner.taken_for_probability(self._flipped(scores))

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        if thresholds is not None:
            # At or above a flipped threshold means at or below the original threshold.
            thresholds = np.nextafter(self._flipped(thresholds), np.inf)
        prevalence, tpr, fpr, steps = self.inner.population_rates(block, thresholds)
        if thresholds is None:
            # A curve starts with nothing predicted positive, which is implicit; its other end is
            # explicit. A step to a threshold becomes a step to the previous one.
            nothing = np.zeros((len(prevalence), 1))
            tpr, fpr = (np.hstack([nothing, rate])[:, ::-1] for rate in (tpr, fpr))
            steps = np.r_[False, steps[::-1]]
        return 1.0 - prevalence, 1.0 - fpr, 1.0 - tpr, steps

    def log_predictive(self, scores) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the expectations of p(score, y = 0) and p(score, y = 1)."""
        return self.inner.log_predictive(self._flipped(scores))[::-1]

    def log_score_density(self, scores, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block."""
        return self.inner.log_score_density(self._flipped(scores), block)[::-1]

    def prevalence(self) -> ScalarEstimate:
        """Return the prevalence of the population."""
        inner = self.inner.prevalence()
        distribution = inner.distribution
        if isinstance(distribution, CentredDraws):
            distribution = CentredDraws(
                1.0 - distribution.draws, distribution.weights, 1.0 - distribution.centre
            )
        else:
            distribution = WeightedDraws(1.0 - distribution.draws, distribution.weights)
        return replace(inner, distribution=distribution)

    def rvs(self, rng: np.random.Generator, size: int):
        """Draw scores, and labels 0 and 1."""
        scores, labels = self.inner.rvs(rng, size)
        return self._flipped(scores), 1 - labels

    def _flipped(self, scores) -> np.ndarray:
        return self.total - np.asarray(scores, dtype=float)

    def __repr__(self) -> str:
        return f"ComplementPosterior({self.inner!r})"
