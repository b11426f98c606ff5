"""Estimates of ranked lists from drawn labels: systems, their order, and categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays
from ...inputs._names import place_of_system
from ...metrics._division import ratio
from ...results._bands import CurveBand, ScalarEstimate
from ...results._distributions import WeightedDraws
from ...results._ranking import order_probability, ranking_probability
from ..label_models._label_draws import LabelDraws
from ..lists._ranked_lists import RankedLists

__all__ = ["ListEstimates"]


@dataclass(frozen=True, eq=False)
class ListEstimates(FrozenArrays):
    """The metric of each list in each draw, and estimates derived from it."""

    ranked_lists: RankedLists
    probability: np.ndarray  # (n_rows,); that each label is 1; 0 or 1 where known
    values: np.ndarray  # (n_draws, n_lists)
    name: str  # of the metric
    confidence_level: float

    @classmethod
    def of(
        cls, ranked_lists: RankedLists, draws: LabelDraws, rng, name: str, confidence_level: float
    ):
        """Complete the labels of every draw, and return the estimates of the lists."""
        values = ranked_lists.drawn_values(
            lambda rows: draws.labels_by_system(rows, rng), draws.n_draws
        )
        return cls(ranked_lists, draws.mean, values, name, confidence_level)

    @cached_property
    def means(self) -> np.ndarray:
        """The mean over the lists of each system, (n_draws, n_systems)."""
        return self.ranked_lists.mean(self.values)

    def overall(self) -> ScalarEstimate | CurveBand:
        """Return the estimate of the system, or a band with one point per system."""
        if self.ranked_lists.n_systems == 1:
            return self._number(self.name, self.means[:, 0])
        return self._band(self.means, "system")

    def difference(self, first, second) -> ScalarEstimate:
        """Return the difference between two systems, or two categories of one system."""
        ranked_lists, what, draws = self.ranked_lists, "system", self.means
        if ranked_lists.n_systems > 1 or ranked_lists.n_groups < 2:
            a, b = (place_of_system(system, ranked_lists.names) for system in (first, second))
        else:
            what, draws = "category", ranked_lists.by_category(self.values, 0)
            a, b = (ranked_lists.category.number_of(category) for category in (first, second))
        name = f"{self.name} of {what} {first} less that of {what} {second}"
        return self._number(name, draws[:, a] - draws[:, b])

    def by_category(self, system) -> CurveBand:
        """Return the estimate of each category, for a system by name or number."""
        number = place_of_system(system, self.ranked_lists.names)
        return self._band(self.ranked_lists.by_category(self.values, number), "category")

    def ranking_proba(self) -> np.ndarray:
        """Return the probability that one system is better than another, (n, n)."""
        return ranking_probability(self.means)

    def order_probability(self) -> float:
        """Return the probability that systems are in the order of their estimates."""
        return order_probability(self.means)

    def flip_rates(self) -> np.ndarray:
        """Return the false negative and false positive rates of noisy labels, (n_groups, 2)."""
        ranked_lists, z = self.ranked_lists, self.probability
        if ranked_lists.noisy is None:
            return np.full((ranked_lists.n_groups, 2), np.nan)
        wrong = np.stack([z * (1 - ranked_lists.noisy), (1 - z) * ranked_lists.noisy])
        of = np.stack([z, 1 - z])
        sums = [
            [np.bincount(ranked_lists.group, row, ranked_lists.n_groups) for row in rows]
            for rows in (wrong, of)
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
