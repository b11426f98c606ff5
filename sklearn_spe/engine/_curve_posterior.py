"""Curves that labels have updated, as a posterior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._posterior import Block
from ..fitting._mixture_posterior import MixturePosterior
from ..inputs._random_state import spawn
from ..sample._cells import ScoreCells
from ..sample._sample import ScoreSample
from ._cell_posterior import CellPosterior
from ._label_update import UpdatedCurves

__all__ = ["CurvePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class CurvePosterior(CellPosterior):
    """Equally weighted draws of curves logit P(y = 1 | score), on cells of scores.

    The distribution of the scores themselves is that of a mixture where a density is asked for,
    and a Bayesian bootstrap [1]_ of the cells where the rates of the population are.

    Attributes
    ----------
    sample : ScoreSample
        The scores and known labels, on the user's scale.
    cells : ScoreCells
    updated : UpdatedCurves
        Their draws, and what the labels say for each expert.
    score_distribution : MixturePosterior
        Of the scores alone.
    entropy : int
        Seed of the bootstrap.

    References
    ----------
    .. [1] Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9(1).
    """

    sample: ScoreSample
    cells: ScoreCells
    updated: UpdatedCurves
    score_distribution: MixturePosterior
    entropy: int

    @property
    def n_draws(self) -> int:
        """How many draws there are."""
        return len(self.updated.log_odds)

    @property
    def ess(self) -> float:
        """How many independent draws these are worth."""
        return self.updated.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.updated.pareto_k

    @property
    def cell_log_odds(self) -> np.ndarray:
        """The curves, (n_draws, n_cells)."""
        return self.updated.log_odds

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        positive, negative = self.population(block)
        above, steps = self._above if thresholds is None else (self._share_above(thresholds), None)
        prevalence, others = positive.sum(axis=1), negative.sum(axis=1)
        # Sums in another order differ by rounding, and of everything none is left.
        everything = (above == 1.0).all(axis=1)
        tpr = np.einsum("ij,kj->ik", positive, above) / prevalence[:, np.newaxis]
        fpr = np.einsum("ij,kj->ik", negative, above) / others[:, np.newaxis]
        tpr, fpr = (np.where(everything, 1.0, rate) for rate in (tpr, fpr))
        if steps is None:
            steps = np.zeros(len(above), dtype=bool)
        return prevalence[:, np.newaxis], tpr, fpr, steps

    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of positives and negatives in each cell, by Bayesian bootstrap."""
        p = special.expit(self.updated.log_odds[block.rows])
        rng = spawn(self.entropy, 3, block.index)
        shares = rng.standard_gamma(np.broadcast_to(self.cells.counts, p.shape))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares * p, shares * (1.0 - p)

    @cached_property
    def _above(self) -> tuple[np.ndarray, np.ndarray]:
        """Which cells lie at or above thresholds that fall cell by cell, and which are ties."""
        above = np.tri(self.cells.n_cells + 1, self.cells.n_cells, -1)[:, ::-1]
        tied = self.cells.single & (self.cells.counts > 1.0)
        return above, np.r_[False, tied[::-1]]

    def _share_above(self, thresholds) -> np.ndarray:
        """Return which share of the items of each cell lies at or above thresholds."""
        cells, sample = self.cells, self.sample
        passing = self._from_top[
            np.searchsorted(sample.scores, np.asarray(thresholds, dtype=float))
        ]
        higher = np.cumsum(cells.counts[::-1])[::-1] - cells.counts
        return np.clip((passing[:, np.newaxis] - higher) / cells.counts, 0.0, 1.0)

    @cached_property
    def _from_top(self) -> np.ndarray:
        """The weight of the items at or above each score, and none above all."""
        return np.r_[np.cumsum(self.sample.counts[::-1])[::-1], 0.0]

    def log_predictive(self, scores) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of p(score, y = 0) and p(score, y = 1), always finite."""
        log_density = np.logaddexp(*self.score_distribution.log_predictive(scores))
        p = self.expected_probability(scores)
        tiny = np.finfo(float).tiny
        return (
            log_density + np.log(np.maximum(1.0 - p, tiny)),
            log_density + np.log(np.maximum(p, tiny)),
        )

    def log_score_density(self, scores, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1), of shape (n_rows, n_scores)."""
        log_density = np.logaddexp(*self.score_distribution.log_predictive(scores))
        log_odds = self.log_odds(scores, block)
        return tuple(log_density + special.log_expit(sign * log_odds) for sign in (-1.0, 1.0))

    def rvs(self, rng: np.random.Generator, size: int):
        """Draw scores on the user's scale, and labels 0 and 1."""
        scores, _ = self.score_distribution.rvs(rng, size)
        labels = np.empty(size, dtype=np.int8)
        draws = rng.integers(self.n_draws, size=size)
        for block in self.blocks():
            mine = np.flatnonzero((draws >= block.rows.start) & (draws < block.rows.stop))
            p = self.positive_probability(scores[mine], block)
            own = p[draws[mine] - block.rows.start, np.arange(len(mine))]
            labels[mine] = rng.random(len(mine)) < own
        return scores, labels

    def __repr__(self) -> str:
        weights = self.updated.weights
        names = ", ".join(
            f"{weights.names[k]} {weights.posterior[k]:.2f}"
            for k in np.argsort(-weights.posterior, kind="stable")
        )
        return f"CurvePosterior({names}; n_draws={self.n_draws}, ess={self.ess:.0f})"
