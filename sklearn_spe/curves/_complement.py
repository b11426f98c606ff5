"""What a posterior of one of two classes says of the other one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._posterior import Block, Posterior
from ..results._bands import ScalarEstimate
from ..results._laws import CentredDraws, WeightedDraws
from ..sample._sample import ScoreSample

__all__ = ["ComplementPosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class ComplementPosterior(Posterior):
    """The same draws, with the classes exchanged and the scores turned around.

    Attributes
    ----------
    sample : ScoreSample
        The turned scores, positives and negatives exchanged.
    inner : Posterior
    total : float
        What a score and the turned one sum to.
    """

    sample: ScoreSample
    inner: Posterior
    total: float

    @classmethod
    def of(cls, inner: Posterior, total: float = 0.0) -> ComplementPosterior:
        """Return what a posterior says of the other class."""
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
        """Where the uncertainty comes from."""
        return self.inner.kind

    @property
    def centre(self) -> Posterior | None:
        """The estimate around which the draws lie, if there is one."""
        centre = self.inner.centre
        return None if centre is None else replace(self, inner=centre)

    @property
    def n_draws(self) -> int:
        """How many draws there are."""
        return self.inner.n_draws

    @property
    def ess(self) -> float:
        """How many independent draws they are worth."""
        return self.inner.ess

    def blocks(self) -> list[Block]:
        """Return the fixed blocks in which draws are treated."""
        return self.inner.blocks()

    def positive_probability(self, scores, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        return 1.0 - self.inner.positive_probability(self._turned(scores), block)

    def labeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return `positive_probability` of items that were labelled."""
        return 1.0 - self.inner.labeled_probability(self._turned(scores), block)

    def unlabeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return `positive_probability` of items of this sample that were not labelled."""
        return 1.0 - self.inner.unlabeled_probability(self._turned(scores), block)

    def taken_for_probability(self, scores) -> np.ndarray:
        """Return what is left to one of the probability that scores state of the other class."""
        return 1.0 - self.inner.taken_for_probability(self._turned(scores))

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        if thresholds is not None:
            # At or above a turned threshold is what does not lie above the threshold.
            thresholds = np.nextafter(self._turned(thresholds), np.inf)
        prevalence, tpr, fpr, steps = self.inner.population_rates(block, thresholds)
        if thresholds is None:
            # A curve begins where nothing is called positive, which need not be said; its other
            # end has to be. A step leads to a threshold, and from there to the one before.
            nothing = np.zeros((len(prevalence), 1))
            tpr, fpr = (np.hstack([nothing, rate])[:, ::-1] for rate in (tpr, fpr))
            steps = np.r_[False, steps[::-1]]
        return 1.0 - prevalence, 1.0 - fpr, 1.0 - tpr, steps

    def log_predictive(self, scores) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the expectations of p(score, y = 0) and p(score, y = 1)."""
        return self.inner.log_predictive(self._turned(scores))[::-1]

    def log_score_density(self, scores, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block."""
        return self.inner.log_score_density(self._turned(scores), block)[::-1]

    def prevalence(self) -> ScalarEstimate:
        """Return the prevalence of the population."""
        inner = self.inner.prevalence()
        law = inner.law
        if isinstance(law, CentredDraws):
            law = CentredDraws(1.0 - law.draws, law.weights, 1.0 - law.centre)
        else:
            law = WeightedDraws(1.0 - law.draws, law.weights)
        return replace(inner, law=law)

    def rvs(self, rng: np.random.Generator, size: int):
        """Draw scores, and labels 0 and 1."""
        scores, labels = self.inner.rvs(rng, size)
        return self._turned(scores), 1 - labels

    def _turned(self, scores) -> np.ndarray:
        return self.total - np.asarray(scores, dtype=float)

    def __repr__(self) -> str:
        return f"ComplementPosterior({self.inner!r})"
