"""Several systems, categories and judges side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inputs._arrays import NamesLike
from ..inputs._validation import check_choice, check_flag
from ..metrics._metric import Metric, MetricLike
from ..metrics._ranking import PrecisionAtK
from ..models._class_ranking import table_by_class
from ..models._fitted_model import FittedModel
from ..models._ranking_value import MetricArguments, Ranking, RankingSettings, check_single
from ..models._ranking_view import RankingKey, RankingView
from ..models._row_model import effective_number
from ..results._distributions import WeightedDraws
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import (
    FURTHER_ITEMS,
    EstimateTable,
    intervals_in_a_line,
    remarks_on_parts,
)
from ..results._terms import name_in_words
from ..results._verdict import Verdict
from ._readers import mean_over, members_of, pairs_of
from ._systems_ranking import estimate_of_part, label_of_systems

# Undefined values (no positive in a category, say) are excluded, neither worse nor zero.
EXCLUDED = np.nan
# Arguments of `of`, which choose a ranking.
PARTS = ("system", "category", "judge")
# Arguments of a metric that a table of classes takes.
OF_A_CLASS = {"target", "zero_division"}
# What the rows of a table of estimates may be.
TABLES = ("category", "system", "judge", "class")
# The metric of categories and systems if none is given.
METRIC = "average_precision"
# The metrics that raters are compared by: of decisions, and of scores without a threshold.
OF_VERDICTS_AND_SCORES = "cohen_kappa", "roc_auc"


class FittedPerformance(Protocol):
    """The interface of a fitted `PerformanceCurveEstimator` that comparisons use."""

    target: str
    confidence_level: float
    systems_: tuple[Hashable, ...]
    categories_: np.ndarray | None
    judges_: tuple[Hashable, ...]
    model_: FittedModel
    mixture_: Any
    posterior_: Any
    verdict_: Verdict
    _view: RankingView

    @property
    def seed_(self) -> Any: ...

    @property
    def effective_judges_(self) -> ScalarEstimate: ...

    def of(
        self,
        *,
        system: NamesLike = ...,
        category: Hashable = ...,
        judge: Hashable = ...,
    ) -> Ranking: ...

    def estimate(self, metric: str, *, threshold: float | None = ...) -> ScalarEstimate: ...

    def curve(self, name: str) -> CurveBand: ...

    def _settings(self) -> RankingSettings: ...


def split_arguments(
    metric: MetricLike | None, where: Mapping[str, Any], method: str
) -> tuple[RankingKey, MetricArguments]:
    """Return the ranking that keyword arguments choose, and the metric with the others.

    `where` is what a user passes beside the metric to a `method` of the estimator.
    """
    names = {field.name for field in fields(MetricArguments)} - {"metric"}
    for name in where:
        if name not in names and name not in PARTS:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")

    system, category, judge = (where.get(name) for name in PARTS)
    metric_kwargs = {name: value for name, value in where.items() if name not in PARTS}
    return RankingKey(system, category, judge), replace(MetricArguments(metric), **metric_kwargs)


def has_several_systems(performance: FittedPerformance) -> bool:
    """Return whether there are several systems, one of which an estimate must name."""
    return len(performance.systems_) > 1


def compared_names(
    performance: FittedPerformance, system: NamesLike = None
) -> tuple[str, list[Any]]:
    """Return the names to compare: all systems, or the categories of one system."""
    if system is None and has_several_systems(performance):
        return "system", list(performance.systems_)
    if system is None and performance.categories_ is None:
        raise ValueError(
            "Ranking and difference need several systems or categories: pass the scores of "
            "several systems, or category=, to fit."
        )
    return "category", _names_of_categories(performance)


def side_by_side(
    performance: FittedPerformance,
    arguments: MetricArguments,
    key: RankingKey = RankingKey(),
    *,
    names: Iterable[Any] | None = None,
    greater_is_better: bool | None = None,
) -> EstimateTable:
    """Return the estimates of all systems or categories, or of the named ones.

    `key` restricts them to a category, or a system. `greater_is_better=None` uses the direction of
    the metric.
    """
    check_is_fitted(performance, "posterior_")
    part, everything = compared_names(performance, key.system)
    check_is_free(part, key)
    arguments = _without_undefined(arguments)
    compared = everything if names is None else list(names)
    estimates = tuple(
        estimate_of(performance, key.with_part(part, name), arguments) for name in compared
    )

    # Systems that miss scores are compared on the items that both scored.
    pairs = None
    if part == "system" and performance.model_.misses_scores:
        pairs = {
            (i, j): _of_both(performance, arguments, key.category, compared[i], compared[j])
            for i, j in combinations(range(len(compared)), 2)
        }
    if greater_is_better is None:
        metric_object = performance.model_.metric_of(arguments)
        greater_is_better = getattr(metric_object, "greater_is_better", True)
    else:
        check_flag(greater_is_better, "greater_is_better")
    texts = tuple(map(str, compared))
    return EstimateTable(texts, estimates, greater_is_better=greater_is_better, pairs=pairs)


def systems_of_population(
    performance: FittedPerformance, arguments: MetricArguments
) -> EstimateTable | None:
    """Return the estimates of systems for the population; None if that is the target already.

    None too for a function, which may take long. Without a row if the metric counts items, as a
    population has no number of them.
    """
    metric = performance.model_.metric_of(arguments)
    target = performance.target if arguments.target is None else arguments.target
    if target == "population" or not isinstance(metric, Metric):
        return None
    if metric.counts_items or isinstance(metric, PrecisionAtK):
        return EstimateTable((), ())
    return side_by_side(performance, replace(arguments, target="population"))


def _without_undefined(arguments: MetricArguments) -> MetricArguments:
    """Return the arguments with undefined draws excluded, unless `zero_division` is given."""
    if arguments.zero_division is not None:
        return arguments
    return replace(arguments, zero_division=EXCLUDED)


def _of_both(
    performance: FittedPerformance,
    arguments: MetricArguments,
    category: Hashable,
    a: NamesLike,
    b: NamesLike,
) -> tuple[ScalarEstimate, ScalarEstimate] | None:
    """Return an estimate of two systems on the items that both scored; None without any."""
    check_single(arguments.readers)
    key = RankingKey(category=category, beside=(a, b))
    if not performance.model_.has_items(key):
        return None
    settings = performance._settings()
    first, second = (
        estimate_of_part(performance.model_, replace(key, system=name), settings, arguments)
        for name in (a, b)
    )
    return first, second


def estimate_of(
    performance: FittedPerformance, key: RankingKey, arguments: MetricArguments
) -> ScalarEstimate:
    """Return the estimate of a ranking, undefined if the ranking has no item.

    The other rows of a table can then still be computed. With several systems, the estimate is
    the mean over systems.
    """
    if members_of(performance.systems_, key.system) is not None:
        systems = performance.of(system=key.system, category=key.category, judge=key.judge)
        return systems._estimate_of(arguments)

    check_single(arguments.readers)
    key = performance._view.key.narrowed(key.system, key.category, key.judge)
    return estimate_of_part(performance.model_, key, performance._settings(), arguments)


def difference_of(
    performance: FittedPerformance,
    key: RankingKey,
    arguments: MetricArguments,
    a: NamesLike,
    b: NamesLike,
) -> ScalarEstimate:
    """Return the estimate of one system, or category, minus that of another.

    Of several systems, such as readers, it is the mean of the differences within readers.
    """
    check_is_fitted(performance, "posterior_")
    systems = performance.systems_
    members = members_of(systems, key.system)
    pairs: list[tuple[RankingKey, tuple[Any, ...]]] = []
    if members is not None:
        pairs = [(replace(key, system=name), (a, b)) for name in members]
    elif key.system is None and len(systems) > 1:
        pairs = [(key, pair) for pair in pairs_of(systems, a, b) or ()]

    if not pairs:
        check_single(arguments.readers)
        difference = _difference(performance, key, arguments, a, b)
        return replace(difference, name=f"{difference.name} of {a} minus that of {b}")

    of_one = replace(arguments, readers="fixed")

    def differences(target: str) -> list[ScalarEstimate]:
        """Return the difference within each reader, with paired draws."""
        on_target = replace(of_one, target=target)
        return [_difference(performance, part, on_target, *pair) for part, pair in pairs]

    return mean_over(
        differences,
        f"{label_of_systems(a)} minus that of {label_of_systems(b)}",
        readers=arguments.readers,
        target=performance.target if arguments.target is None else arguments.target,
        seed=performance.seed_,
    )


def _difference(
    performance: FittedPerformance,
    key: RankingKey,
    arguments: MetricArguments,
    a: NamesLike,
    b: NamesLike,
) -> ScalarEstimate:
    """Return the difference of two sides, with the name of the metric."""
    sides = side_by_side(performance, arguments, key, names=(a, b))
    difference = sides.difference(a, b)
    if difference is None:
        raise ValueError(
            f"No item has a score by both {a!r} and {b!r}: they cannot be compared. Compare each "
            f"of them with a system that scored some of its items."
        )
    return replace(difference, name=sides.estimates[0].name)


def table_by(
    performance: FittedPerformance,
    by: str,
    key: RankingKey,
    arguments: MetricArguments,
    reference: Hashable = None,
) -> EstimateTable:
    """Return the estimates of all categories, systems, raters or classes, with a title.

    A metric that is None is the one that the rows are usually compared by.
    """
    check_is_fitted(performance, "posterior_")
    check_choice(by, "by", TABLES)
    if reference is not None and by != "category":
        raise ValueError(f"reference={reference!r} is a category, and by={by!r} has none.")
    table = _rows_by(performance, by, key, arguments, reference)
    less = "" if reference is None else f", less that of {reference}"
    return replace(table, title=f"{_metric_in(table)} by {by}{less}")


def _metric_in(table: EstimateTable) -> str:
    """Return the metric of all rows in words, and where it is taken."""
    estimate = table.estimates[0]
    metric = estimate.name.split(" - ")[0]
    thresholds = {each.threshold for each in table.estimates}
    at = "" if thresholds == {None} else f" at score {estimate.threshold:g}"
    return f"{name_in_words(metric)}{at if len(thresholds) == 1 else ''}"


def _rows_by(
    performance: FittedPerformance,
    by: str,
    key: RankingKey,
    arguments: MetricArguments,
    reference: Hashable,
) -> EstimateTable:
    """Return the estimates of all categories, systems, raters or classes."""
    if by == "judge":
        return table_by_judge(performance, key, arguments)
    if by == "class":
        return _table_by_class(performance, key, arguments)

    if arguments.metric is None:
        arguments = replace(arguments, metric=METRIC)
    if by == "category":
        return table_by_category(performance, key, arguments, reference)
    check_is_free("system", key)
    if not has_several_systems(performance):
        raise ValueError("by='system' needs several systems: pass the scores of each to fit.")
    table = side_by_side(performance, arguments, key)
    further = None if key.category is not None else systems_of_population(performance, arguments)
    if not further:
        return table
    return replace(table, remarks=(f"{FURTHER_ITEMS}{intervals_in_a_line(further)}.",))


def _table_by_class(
    performance: FittedPerformance, key: RankingKey, arguments: MetricArguments
) -> EstimateTable:
    """Return the estimates of all classes, each against the rest."""
    ranking = performance.of(system=key.system, category=key.category, judge=key.judge)
    if unknown := set(arguments.names) - OF_A_CLASS:
        raise ValueError(f"by='class' does not take {', '.join(sorted(unknown))}=.")
    return table_by_class(
        ranking,
        "f1" if arguments.metric is None else arguments.metric,
        target=arguments.target,
        zero_division=arguments.zero_division,
    )


def table_by_category(
    performance: FittedPerformance,
    key: RankingKey,
    arguments: MetricArguments,
    reference: Hashable = None,
) -> EstimateTable:
    """Return the estimates of all categories, minus that of a reference if given."""
    check_is_fitted(performance, "posterior_")
    categories = _names_of_categories(performance)
    check_is_free("category", key)
    names = tuple(map(str, categories))
    if reference is not None:
        arguments = _without_undefined(arguments)
    if reference is not None and members_of(performance.systems_, key.system):
        # Within each of several systems.
        differences = [
            difference_of(performance, key, arguments, category, reference)
            for category in categories
        ]
        return EstimateTable(names, tuple(differences))

    estimates = [
        estimate_of(performance, replace(key, category=category), arguments)
        for category in categories
    ]
    if reference is not None:
        baseline = estimate_of(performance, replace(key, category=reference), arguments)
        estimates = [estimate - baseline for estimate in estimates]
    table = EstimateTable(names, tuple(estimates))
    return replace(table, remarks=remarks_on_parts(table))


def verdict_with(
    performance: FittedPerformance, categories: Iterable[Any] = (), tables: Iterable[Any] = ()
) -> Verdict:
    """Return the verdict on numbers of a fit that are shown together.

    It is that on what the fit shows, worsened by the reasons about categories, and about the rows
    of tables such as those of each class.
    """
    verdict = performance.verdict_.worsened(performance.model_.reasons_of_categories(categories))
    return verdict.worsened_by([estimate for table in tables for estimate in table.estimates])


def check_is_free(side: str, key: RankingKey) -> None:
    """Raise if an estimate is restricted to a part that is compared or listed."""
    name = getattr(key, side)
    if name is not None:
        raise ValueError(
            f"{side}={name!r} is not allowed here: all of them are compared or listed."
        )


def _names_of_categories(performance: FittedPerformance) -> list[Any]:
    if performance.categories_ is None:
        raise ValueError("Categories are required: pass category= to fit, one for each item.")
    return performance.categories_.tolist()


def table_by_judge(
    performance: FittedPerformance, key: RankingKey, arguments: MetricArguments
) -> EstimateTable:
    """Return the estimates of all raters."""
    check_is_fitted(performance, "posterior_")
    names = performance.judges_
    if not names:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    check_is_free("system", key)
    if arguments.metric is None:
        metric = _metric_of_judges(performance, arguments.threshold)
        arguments = replace(arguments, metric=metric)

    estimates = []
    for name in names:
        try:
            estimate = estimate_of(performance, replace(key, judge=name), arguments)
        except ValueError as error:
            raise ValueError(f"Judge {name!r}: {error}") from error
        estimates.append(estimate)
    return EstimateTable(tuple(map(str, names)), tuple(estimates))


def _metric_of_judges(performance: FittedPerformance, threshold: float | None) -> str:
    """Return the metric that all raters have: of their decisions, or else of their ranking."""
    if threshold is not None:
        return OF_VERDICTS_AND_SCORES[0]
    judges = (performance.of(judge=name) for name in performance.judges_)
    decide = all(judge.default_threshold_ is not None for judge in judges)
    return OF_VERDICTS_AND_SCORES[0 if decide else 1]


def number_of_judges(performance: FittedPerformance) -> ScalarEstimate:
    """Return the effective number of independent raters."""
    check_is_fitted(performance, "posterior_")
    if len(performance.judges_) < 2:
        raise AttributeError(
            "The effective number requires two judges or more; fit was given "
            f"{len(performance.judges_)}."
        )
    model: Any = performance.model_
    ratings = model.table.telling_judges
    if ratings.shape[1] < 2:
        raise AttributeError(
            f"{ratings.shape[1]} of {len(performance.judges_)} judges is not constant, and the "
            "effective number requires two or more such judges."
        )
    draws = effective_number(model.row_posterior, ratings)
    missing = np.isnan(draws)
    return ScalarEstimate(
        "effective number of judges",
        WeightedDraws(draws[:, np.newaxis], np.full(len(draws), 1.0 / len(draws))),
        performance.confidence_level,
        undefined=float(missing.mean()),
        n_items=model.posterior.n_weighted_items,
    )
