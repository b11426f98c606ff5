"""The mean over several systems, such as the readers of a study, and estimates of parts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any, NoReturn

import numpy as np

from ..models._fitted_model import FittedModel
from ..models._ranking_value import MetricArguments, Ranking, RankingSettings
from ..models._ranking_view import RankingKey
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ._readers import mean_over


def estimate_of_part(
    model: FittedModel, key: RankingKey, settings: RankingSettings, arguments: MetricArguments
) -> ScalarEstimate:
    """Return the estimate of a ranking, undefined if the ranking has no item.

    So the other rows of a table can still be computed.
    """
    if model.has_items(key):
        return model.ranking_of(model.shown(key), settings)._estimate_of(arguments)

    everywhere = model.ranking_of(model.shown(replace(key, category=None)), settings)
    estimate = everywhere._estimate_of(arguments)
    draws = np.full_like(estimate.distribution.draws, np.nan)
    undefined = WeightedDraws(draws, estimate.distribution.weights)
    return replace(estimate, distribution=undefined, undefined=1.0)


def label_of_systems(system: Hashable | Sequence[Hashable]) -> str:
    """Return the words for several systems: a name that they share, or their number."""
    if not isinstance(system, list | tuple | np.ndarray):
        return str(system)
    return f"{len(system)} system{'s' * (len(system) > 1)}"


def _of_one_ranking(self: SystemsRanking, name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise: not defined for a mean over systems."""
    raise ValueError(
        f"{name} is available for one system only, and of() was given {len(self.systems)}: choose "
        f"one of {', '.join(map(repr, self.systems))} by of(system=...)."
    )


@dataclass(frozen=True, eq=False, repr=False)
class SystemsRanking(Ranking):
    """Several systems on the same items, of which the mean is estimated."""

    systems: tuple[Hashable, ...]  # names
    label: str  # in the name of an estimate

    curve = partialmethod(_of_one_ranking, "curve")
    _threshold_for = partialmethod(_of_one_ranking, "threshold_for")
    selection = partialmethod(_of_one_ranking, "selection")
    goal_probability = partialmethod(_of_one_ranking, "goal_probability")
    plan = partialmethod(_of_one_ranking, "plan")
    calibration_curve = partialmethod(_of_one_ranking, "calibration_curve")
    confusion_matrix = partialmethod(_of_one_ranking, "confusion_matrix")

    def __repr__(self) -> str:
        category = self.view.key.category
        part = "" if category is None else f", category={category!r}"
        return f"Ranking(system={list(self.systems)!r}{part})"

    def _estimate_of(self, arguments: MetricArguments) -> ScalarEstimate:
        of_one = replace(arguments, readers="fixed")

        def estimates(target: str) -> list[ScalarEstimate]:
            """Return the estimate of each system, with paired draws."""
            return [
                estimate_of_part(
                    self.model,
                    replace(self.view.key, system=name),
                    self.settings,
                    replace(of_one, target=target),
                )
                for name in self.systems
            ]

        return mean_over(
            estimates,
            self.label,
            readers=arguments.readers,
            target=self.target if arguments.target is None else arguments.target,
            seed=self.model.seed,
            limits=getattr(self.model.metric_of(arguments), "limits", None),
        )
