"""Estimates of ranked lists from drawn labels: systems, their order, and categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays
from ...inputs._names import place_of_system
from ...metrics._division import ratio
from ...results._bands import CurveBand, ScalarEstimate
from ...results._laws import WeightedDraws
from ...results._ranking import order_probability, ranking_probability
from ..boards._board import Board
from ..label_models._label_draws import LabelDraws

__all__ = ["BoardEstimates"]


@dataclass(frozen=True, eq=False)
class BoardEstimates(FrozenArrays):
    """The metric of each list in each draw, and estimates derived from it."""

    board: Board
    probability: np.ndarray  # (n_entries,); that each label is 1; 0 or 1 where known
    values: np.ndarray  # (n_draws, n_lists)
    name: str  # of the metric
    confidence_level: float

    @classmethod
    def of(cls, board: Board, draws: LabelDraws, rng, name: str, confidence_level: float):
        """Complete the labels of every draw, and return the estimates of the lists."""
        values = board.drawn_values(lambda rows: draws.labels_by_system(rows, rng), draws.n_draws)
        return cls(board, draws.mean, values, name, confidence_level)

    @cached_property
    def means(self) -> np.ndarray:
        """The mean over the lists of each system, (n_draws, n_systems)."""
        return self.board.mean(self.values)

    def overall(self) -> ScalarEstimate | CurveBand:
        """Return the estimate of the system, or a band with one point per system."""
        if self.board.n_systems == 1:
            return self._number(self.name, self.means[:, 0])
        return self._band(self.means, "system")

    def difference(self, first, second) -> ScalarEstimate:
        """Return the difference between two systems, or two categories of one system."""
        board, what, draws = self.board, "system", self.means
        if board.n_systems > 1 or board.n_groups < 2:
            a, b = (place_of_system(system, board.names) for system in (first, second))
        else:
            what, draws = "category", board.by_category(self.values, 0)
            a, b = (board.category.number_of(category) for category in (first, second))
        name = f"{self.name} of {what} {first} less that of {what} {second}"
        return self._number(name, draws[:, a] - draws[:, b])

    def by_category(self, system) -> CurveBand:
        """Return the estimate of each category, for a system by name or number."""
        number = place_of_system(system, self.board.names)
        return self._band(self.board.by_category(self.values, number), "category")

    def ranking_proba(self) -> np.ndarray:
        """Return the probability that one system is better than another, (n, n)."""
        return ranking_probability(self.means)

    def order_probability(self) -> float:
        """Return the probability that systems are in the order of their estimates."""
        return order_probability(self.means)

    def flip_rates(self) -> np.ndarray:
        """Return the false negative and false positive rates of noisy labels, (n_groups, 2)."""
        board, z = self.board, self.probability
        if board.noisy is None:
            return np.full((board.n_groups, 2), np.nan)
        wrong = np.stack([z * (1 - board.noisy), (1 - z) * board.noisy])
        of = np.stack([z, 1 - z])
        sums = [
            [np.bincount(board.group, row, board.n_groups) for row in rows] for rows in (wrong, of)
        ]
        return ratio(*np.array(sums)).T

    def _number(self, name, draws) -> ScalarEstimate:
        undefined = float(np.isnan(draws).mean())
        return ScalarEstimate.from_draws(
            name,
            draws,
            np.ones(len(draws)),
            confidence_level=self.confidence_level,
            undefined=undefined,
        )

    def _band(self, draws, x_name) -> CurveBand:
        return CurveBand(
            self.name,
            np.arange(draws.shape[1]),
            WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws))),
            x_name=x_name,
            y_name=self.name,
            confidence_level=self.confidence_level,
            undefined=np.isnan(draws).mean(axis=0),
        )
