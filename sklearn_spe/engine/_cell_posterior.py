"""Posteriors of equally weighted draws of log-odds, on cells of scores."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from .._posterior import Block, Posterior, blocks_of
from ..results._bands import ScalarEstimate
from ..sample._cells import ScoreCells

__all__ = ["CellPosterior"]


class CellPosterior(Posterior):
    """Equally weighted draws of logit P(y = 1 | score), linear between cells of scores.

    Attributes
    ----------
    cells : ScoreCells
    cell_log_odds : ndarray of shape (n_draws, n_cells)
    updated : UpdatedCurves or UpdatedItems
        What the labels say for each expert.
    """

    cells: ScoreCells
    updated: Any

    @property
    @abstractmethod
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""

    @property
    @abstractmethod
    def cell_log_odds(self) -> np.ndarray:
        """The log-odds of each cell, (n_draws, n_cells)."""

    @abstractmethod
    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return shares of positives and negatives, drawn for a block, (n_rows, n) each."""

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws: equal ones."""
        return np.full(self.n_draws, 1.0 / self.n_draws)

    def blocks(self) -> list[Block]:
        """Return the fixed blocks in which draws are treated."""
        return blocks_of(self.n_draws)

    def positive_probability(self, scores, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        return special.expit(self.log_odds(scores, block))

    def log_odds(self, scores, block: Block) -> np.ndarray:
        """Return the log-odds of scores, of shape (n_rows, n_scores)."""
        left, share = self.cells.place(scores)
        log_odds = self.cell_log_odds[block.rows]
        following = np.minimum(left + 1, self.cells.n_cells - 1)
        return log_odds[:, left] * (1.0 - share) + log_odds[:, following] * share

    @cached_property
    def expected_average_precision(self) -> np.ndarray:
        """The average precision of expected counts in each draw, (n_draws,)."""
        return self.cells.average_precision(special.expit(self.cell_log_odds))

    def prevalence(self) -> ScalarEstimate:
        """Return the prevalence of the population."""
        return self._prevalence

    @cached_property
    def _prevalence(self) -> ScalarEstimate:
        parts = [self.population(block)[0].sum(axis=1) for block in self.blocks()]
        return ScalarEstimate.from_draws("prevalence", np.concatenate(parts), self.weights)
