"""The mean over several systems, such as the readers of a study, and estimates of parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any

import numpy as np

from ..models._fitted_model import FittedModel
from ..models._ranking_value import Ranking, RankingSettings
from ..models._ranking_view import RankingKey
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ._readers import mean_over


def estimate_of_part(
    model: FittedModel, key: RankingKey, settings: RankingSettings, metric: Any, **where: Any
) -> ScalarEstimate:
    """Return the estimate of a ranking, undefined if the ranking has no item.

    So the other rows of a table can still be computed. `where` are arguments of an estimate.
    """
    if model.has_items(key):
        return model.ranking_of(model.shown(key), settings).estimate(metric, **where)

    everywhere = model.ranking_of(model.shown(replace(key, category=None)), settings)
    estimate = everywhere.estimate(metric, **where)
    draws = np.full_like(estimate.distribution.draws, np.nan)
    undefined = WeightedDraws(draws, estimate.distribution.weights)
    return replace(estimate, distribution=undefined, undefined=1.0)


def label_of_systems(system: Any) -> str:
    """Return the words for several systems: a name that they share, or their number."""
    if not isinstance(system, list | tuple | np.ndarray):
        return str(system)
    return f"{len(system)} system{'s' * (len(system) > 1)}"


def _of_one_ranking(self: Any, name: str, *args: Any, **where: Any) -> Any:
    """Raise: not defined for a mean over systems."""
    raise ValueError(
        f"{name} is of one ranking, and these are {len(self.systems)} systems, of which only the "
        f"mean is estimated: choose one of {', '.join(map(repr, self.systems))} by of(system=...)."
    )


@dataclass(frozen=True, eq=False, repr=False)
class SystemsRanking(Ranking):
    """Several systems on the same items, of which the mean is estimated."""

    systems: tuple  # names
    label: str  # in the name of an estimate

    curve = partialmethod(_of_one_ranking, "curve")
    threshold_for = partialmethod(_of_one_ranking, "threshold_for")
    selection = partialmethod(_of_one_ranking, "selection")
    goal_probability = partialmethod(_of_one_ranking, "goal_probability")
    plan = partialmethod(_of_one_ranking, "plan")
    calibration_curve = partialmethod(_of_one_ranking, "calibration_curve")
    confusion_matrix = partialmethod(_of_one_ranking, "confusion_matrix")

    def __repr__(self) -> str:
        category = self.view.key.category
        part = "" if category is None else f", category={category!r}"
        return f"Ranking(system={list(self.systems)!r}{part})"

    def estimate(
        self,
        metric: Any = "average_precision",
        *,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        selection: float | None = None,
        predicted: Any = None,
        target: str | None = None,
        zero_division: float | None = None,
        readers: str = "fixed",
        pos_label: Any = None,
        average: str | None = None,
        sample_columns: Any = None,
    ) -> ScalarEstimate:
        def estimates(target: str) -> list[ScalarEstimate]:
            """Return the estimate of each system, with paired draws."""
            return [
                estimate_of_part(
                    self.model,
                    replace(self.view.key, system=name),
                    self.settings,
                    metric,
                    threshold=threshold,
                    recall=recall,
                    precision=precision,
                    selection=selection,
                    predicted=predicted,
                    target=target,
                    zero_division=zero_division,
                    pos_label=pos_label,
                    average=average,
                    sample_columns=sample_columns,
                )
                for name in self.systems
            ]

        metric_object = self.model.metric_of(
            metric,
            threshold=threshold,
            recall=recall,
            precision=precision,
            pos_label=pos_label,
            average=average,
        )
        return mean_over(
            estimates,
            self.label,
            readers=readers,
            target=self.target if target is None else target,
            seed=self.model.seed,
            limits=getattr(metric_object, "limits", None),
        )
