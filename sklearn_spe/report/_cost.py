"""The threshold of least expected cost, where a false alarm and a miss have a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import ParameterError
from ..goals._question import benefit_at_costs
from ..inputs._validation import check_number
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ..results._showing import Markup, ShownResult, amount_of, interval_table, joined, tag
from ._operating_point import OperatingPoint

if TYPE_CHECKING:
    from ..models._ranking_value import Ranking

# Maximum number of thresholds that are compared, at evenly spaced ranks.
MAX_THRESHOLDS = 400


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
        false_alarm, miss = check_cost(cost)
        sample = ranking.posterior_.sample
        direction = ranking.score_direction_
        places = np.unique(np.linspace(0, sample.n_cells - 1, MAX_THRESHOLDS).astype(int))
        grid = np.array([direction.flip_threshold(score) for score in sample.lower[places]])

        # Cost per item is that of missing all positives, less the benefit.
        metric = benefit_at_costs(false_alarm, miss)
        band = ranking.curve(metric, thresholds=np.unique(grid))
        threshold = float(band.x[np.nanargmax(band.mean())])
        net_benefit = ranking.estimate(metric, threshold=threshold)
        prevalence = ranking.estimate("prevalence")

        n = float(sample.counts.sum()) if ranking.target == "sample" else 1.0
        draws = n * miss * (prevalence.draws - net_benefit.draws)
        expected = float(np.sum(prevalence.draws * prevalence.weights))
        return cls(
            threshold,
            false_alarm,
            miss,
            ScalarEstimate(
                "cost",
                WeightedDraws(draws[:, np.newaxis], prevalence.weights),
                ranking.confidence_level,
                threshold=threshold,
                n_items=prevalence.n_items,
                verdict=net_benefit.verdict,
            ),
            net_benefit,
            n * miss * expected,
            n * false_alarm * (1.0 - expected),
        )

    @property
    def operating_point(self) -> OperatingPoint:
        """The threshold, with its reason."""
        return OperatingPoint(self.threshold, "cost", self.sentence())

    def sentence(self) -> str:
        """Return why it is this threshold, and its cost, with those of no and of all alarms."""
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
        values = self._values_of("threshold", "false_alarm", "miss", "cost_of_none", "cost_of_all")
        estimates = {"cost": self.cost.to_dict(), "net_benefit": self.net_benefit.to_dict()}
        return {**values, **estimates, "sentence": self.sentence()}

    def _html(self) -> Markup:
        rows = (("cost", self.cost), ("net benefit", self.net_benefit))
        return joined(tag("p", self.sentence()), interval_table("At the threshold", rows))


def check_cost(cost: Any) -> tuple[float, float]:
    """Return the costs of a false alarm and of a miss; raise unless both are positive."""
    try:
        false_alarm, miss = cost
    except (TypeError, ValueError):
        raise ParameterError.of(
            "cost",
            f"must be two numbers, the cost of a false alarm and that of a miss; got {cost!r}.",
        ) from None
    return (
        check_number(false_alarm, "cost[0], of a false alarm,", "(0, inf)"),
        check_number(miss, "cost[1], of a miss,", "(0, inf)"),
    )
