"""The threshold of least expected cost, where a false alarm and a miss have a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...goals._mistake_costs import MistakeCosts
from ...results._distributions import WeightedDraws
from ...results._estimates import ScalarEstimate
from ...results._showing import Markup, ShownResult, amount_of, interval_table, joined, tag
from ._operating_point import OperatingPoint

if TYPE_CHECKING:
    from ...models._ranking_value import Ranking


@dataclass(frozen=True, eq=False)
class LeastCost(ShownResult):
    """The threshold of least expected cost.

    Attributes
    ----------
    threshold : float
    false_alarm, miss : float
        The cost of a false positive, and of a false negative.
    cost : ScalarEstimate
        The cost at the threshold: of all items of a sample, per item of a population.
    net_benefit : ScalarEstimate
        True positives per item, less false alarms at the odds of the costs.
    cost_of_none, cost_of_all : float
        The expected cost if nothing, and if everything, is predicted positive.
    """

    threshold: float
    false_alarm: float
    miss: float
    cost: ScalarEstimate
    net_benefit: ScalarEstimate
    cost_of_none: float
    cost_of_all: float

    @classmethod
    def of(cls, ranking: Ranking, cost: Any) -> LeastCost:
        """Compare thresholds by the expected cost, (cost of a false alarm, cost of a miss)."""
        costs = MistakeCosts.of(cost)
        threshold = ranking.threshold_for(cost=cost)
        net_benefit = ranking.estimate(costs.net_benefit, threshold=threshold)
        prevalence = ranking.estimate("prevalence")

        # Cost per item is that of missing all positives, less the benefit.
        n_items = float(ranking.posterior_.sample.counts.sum())
        n = n_items if ranking.target == "sample" else 1.0
        draws = n * costs.miss * (prevalence.draws - net_benefit.draws)
        expected = float(np.sum(prevalence.draws * prevalence.weights))
        return cls(
            threshold,
            costs.false_alarm,
            costs.miss,
            ScalarEstimate(
                "cost",
                WeightedDraws(draws[:, np.newaxis], prevalence.weights),
                ranking.confidence_level,
                threshold=threshold,
                n_items=prevalence.n_items,
                verdict=net_benefit.verdict,
            ),
            net_benefit,
            n * costs.miss * expected,
            n * costs.false_alarm * (1.0 - expected),
        )

    @property
    def operating_point(self) -> OperatingPoint:
        """The threshold, with its reason."""
        return OperatingPoint(self.threshold, "cost", self.sentence())

    def sentence(self) -> str:
        """Return the threshold and its expected cost, and the costs of flagging none and all."""
        low, high = self.cost.interval()
        unit = "in these items" if self.cost.n_items is not None else "per item"
        cost = amount_of(self.cost.value, low, high)
        benefit = amount_of(self.net_benefit.value, *self.net_benefit.interval())
        none, everything = (
            f"{expected:,.3g}" if expected < 1_000.0 else f"{expected:,.0f}"
            for expected in (self.cost_of_none, self.cost_of_all)
        )
        return (
            f"It has the least expected cost where a false alarm costs {self.false_alarm:g} and a "
            f"miss {self.miss:g}: {cost} {unit}, with a net benefit of {benefit}; {none} if "
            f"nothing, and {everything} if everything, were predicted positive."
        )

    def _record(self) -> dict[str, Any]:
        costs = ("threshold", "false_alarm", "miss", "cost_of_none", "cost_of_all")
        return self._values_of(*costs, "cost", "net_benefit", "sentence")

    def _html(self) -> Markup:
        rows = (("cost", self.cost), ("net benefit", self.net_benefit))
        return joined(tag("p", self.sentence()), interval_table("At the threshold", rows))
