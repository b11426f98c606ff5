"""Several systems, judges and true curves side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data._sample import ScoreSample
from ..inputs._frames import read_frames
from ..inputs._scores import check_frequencies, check_systems
from ..inputs._validation import check_aligned, check_choice, check_flag
from ..models._class_ranking import table_by_class
from ..models._ranking_value import check_single
from ..models._ranking_view import RankingKey
from ..models._row_model import effective_number
from ..posterior._operating_points import (
    PRECISION_RECALL,
    precision_at_recall,
    sample_operating_points,
)
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate
from ..results._tables import EstimateTable, remarks_on_parts
from ..results._verdict import Verdict
from ._readers import mean_over, members_of, pairs_of
from ._systems_ranking import estimate_of_part, label_of_systems

# Undefined values (no positive in a category, say) are excluded, neither worse nor zero.
UNDEFINED = {"zero_division": np.nan}
# Arguments of `of`, which choose a ranking.
PARTS = ("system", "category", "judge")
# What the rows of a table of estimates may be.
TABLES = ("category", "system", "judge", "class")
# The metric of categories and systems if none is given.
METRIC = "average_precision"
# The metrics that raters are compared by: of decisions, and of scores without a threshold.
OF_VERDICTS_AND_SCORES = "cohen_kappa", "roc_auc"


def has_several_systems(performance: Any) -> bool:
    """Return whether there are several systems, of which an estimate must choose."""
    return len(performance.systems_) > 1


def compared_names(performance: Any, system: Any = None) -> tuple[str, list]:
    """Return what to compare: all systems, or the categories of one system."""
    if system is None and has_several_systems(performance):
        return "system", list(performance.systems_)
    if system is None and performance.categories_ is None:
        raise ValueError(
            "Ranking and difference need several systems or categories: pass the scores of "
            "several systems, or category=, to fit."
        )
    return "category", _names_of_categories(performance)


def side_by_side(
    performance: Any,
    metric: Any,
    where: dict[str, Any],
    *,
    names: Iterable | None = None,
    greater_is_better: bool | None = None,
) -> EstimateTable:
    """Return the estimates of all systems or categories, or of those that are named.

    `greater_is_better=None` uses the direction of the metric.
    """
    check_is_fitted(performance, "posterior_")
    part, everything = compared_names(performance, where.get("system"))
    check_is_free(part, where)
    where = UNDEFINED | where
    compared = everything if names is None else list(names)
    estimates = tuple(estimate_of(performance, metric, {**where, part: name}) for name in compared)

    # Systems that miss scores are compared on the items that both scored.
    pairs = None
    if part == "system" and performance.model_.misses_scores:
        pairs = {
            (i, j): _of_both(performance, metric, where, compared[i], compared[j])
            for i, j in combinations(range(len(compared)), 2)
        }
    if greater_is_better is None:
        metric_object = performance.model_.metric_of(metric, **where)
        greater_is_better = getattr(metric_object, "greater_is_better", True)
    else:
        check_flag(greater_is_better, "greater_is_better")
    texts = tuple(map(str, compared))
    return EstimateTable(texts, estimates, greater_is_better=greater_is_better, pairs=pairs)


def _of_both(
    performance: Any, metric: Any, where: dict[str, Any], a: Any, b: Any
) -> tuple[ScalarEstimate, ScalarEstimate] | None:
    """Return an estimate of two systems on the items that both scored; None without any."""
    where = dict(where)
    check_single(where.pop("readers", "fixed"))
    key = RankingKey(category=where.pop("category", None), beside=(a, b))
    if not performance.model_.has_items(key):
        return None
    settings = performance._settings()
    keys = (replace(key, system=name) for name in (a, b))
    first, second = (
        estimate_of_part(performance.model_, key, settings, metric, **where) for key in keys
    )
    return first, second


def estimate_of(performance: Any, metric: Any, where: dict[str, Any]) -> ScalarEstimate:
    """Return the estimate of a ranking, undefined if the ranking has no item.

    So the other rows of a table can still be computed. `where` holds the arguments of `of` and
    of `estimate`. Of several systems it is the mean.
    """
    where = dict(where)
    system, category, judge = (where.pop(name, None) for name in PARTS)
    if members_of(performance.systems_, system) is not None:
        return performance.of(system=system, category=category, judge=judge).estimate(
            metric, **where
        )
    check_single(where.pop("readers", "fixed"))
    key = performance._view.key.narrowed(system, category, judge)
    return estimate_of_part(performance.model_, key, performance._settings(), metric, **where)


def difference_of(
    performance: Any, metric: Any, a: Any, b: Any, where: dict[str, Any]
) -> ScalarEstimate:
    """Return the estimate of one system, or category, minus that of another.

    Of several systems, such as readers, it is the mean of the differences within readers.
    """
    check_is_fitted(performance, "posterior_")
    where = dict(where)
    systems = performance.systems_
    members = members_of(systems, where.get("system"))
    pairs: list[tuple[dict[str, Any], tuple]] = []
    if members is not None:
        pairs = [({"system": name}, (a, b)) for name in members]
    elif where.get("system") is None and len(systems) > 1:
        pairs = [({}, pair) for pair in pairs_of(systems, a, b) or ()]
    readers = where.pop("readers", "fixed")
    if not pairs:
        check_single(readers)
        difference = _difference(performance, metric, where, a, b)
        return replace(difference, name=f"{difference.name} of {a} minus that of {b}")

    def differences(target: str) -> list[ScalarEstimate]:
        """Return the difference within each reader, with paired draws."""
        return [
            _difference(performance, metric, {**where, "target": target, **part}, *pair)
            for part, pair in pairs
        ]

    target = where.pop("target", None)
    return mean_over(
        differences,
        f"{label_of_systems(a)} minus that of {label_of_systems(b)}",
        readers=readers,
        target=performance.target if target is None else target,
        seed=performance.seed_,
    )


def _difference(
    performance: Any, metric: Any, where: dict[str, Any], a: Any, b: Any
) -> ScalarEstimate:
    """Return the difference of two sides, with the name of the metric."""
    sides = side_by_side(performance, metric, where, names=(a, b))
    difference = sides.difference(a, b)
    if difference is None:
        raise ValueError(
            f"No item has a score by both {a!r} and {b!r}: they cannot be compared. Compare each "
            f"of them with a system that scored some of its items."
        )
    return replace(difference, name=sides.estimates[0].name)


def table_by(
    performance: Any, metric: Any, by: str, reference: Any, where: dict[str, Any]
) -> EstimateTable:
    """Return the estimates of all categories, systems, raters or classes."""
    check_is_fitted(performance, "posterior_")
    check_choice(by, "by", TABLES)
    if by == "category":
        return table_by_category(
            performance, METRIC if metric is None else metric, reference, where
        )
    if reference is not None:
        raise ValueError(f"reference={reference!r} is a category, and by={by!r} has none.")
    if by == "judge":
        return table_by_judge(performance, metric, where)
    if by == "system":
        check_is_free("system", where)
        names = performance.systems_
        if len(names) < 2:
            raise ValueError("by='system' needs several systems: pass the scores of each to fit.")
        return side_by_side(performance, METRIC if metric is None else metric, where)

    where = dict(where)
    system, category, judge = (where.pop(name, None) for name in PARTS)
    ranking = performance.of(system=system, category=category, judge=judge)
    if unknown := set(where) - {"target", "zero_division"}:
        raise ValueError(f"by='class' does not take {', '.join(sorted(unknown))}=.")
    metric = "f1" if metric is None else metric
    target, zero_division = where.get("target"), where.get("zero_division")
    return table_by_class(ranking, metric, target=target, zero_division=zero_division)


def table_by_category(performance, metric, reference, where) -> EstimateTable:
    """Return the estimates of all categories, minus that of a reference if given."""
    check_is_fitted(performance, "posterior_")
    names = _names_of_categories(performance)
    check_is_free("category", where)
    if reference is not None:
        where = UNDEFINED | where
    if reference is not None and members_of(performance.systems_, where.get("system")):
        # Within each of several systems.
        found = [difference_of(performance, metric, name, reference, where) for name in names]
        return EstimateTable(tuple(map(str, names)), tuple(found))
    found = [estimate_of(performance, metric, where | {"category": name}) for name in names]
    if reference is not None:
        base = estimate_of(performance, metric, where | {"category": reference})
        found = [estimate - base for estimate in found]
    table = EstimateTable(tuple(map(str, names)), tuple(found))
    return replace(table, remarks=remarks_on_parts(table))


def verdict_with(performance, categories: Iterable = (), tables: Iterable = ()) -> Verdict:
    """Return the verdict on numbers of a fit that are shown together.

    It is that on what the fit shows, worsened by the reasons about categories, and about the rows
    of tables such as those of each class.
    """
    verdict = performance.verdict_.worsened(performance.model_.reasons_of_categories(categories))
    return verdict.worsened_by(estimate for table in tables for estimate in table.estimates)


def check_is_free(side: str, where: dict[str, Any]) -> None:
    """Raise if an estimate is restricted to a part that is compared or listed."""
    if side in where:
        raise ValueError(
            f"{side}={where[side]!r} is not allowed here: all of them are compared or listed."
        )


def _names_of_categories(performance) -> list:
    if performance.categories_ is None:
        raise ValueError("Categories are required: pass category= to fit, one for each item.")
    return performance.categories_.tolist()


def table_by_judge(performance, metric, where) -> EstimateTable:
    """Return the estimates of all raters."""
    check_is_fitted(performance, "posterior_")
    if not performance.judges_:
        raise ValueError("No judges were given: pass judges= to fit, one column for each.")
    check_is_free("system", where)
    where = dict(where)
    names, category = performance.judges_, where.pop("category", None)
    if metric is None:
        metric = _metric_of_judges(performance, where)
    found = []
    for name in names:
        try:
            asked = {"judge": name, "category": category}
            found.append(estimate_of(performance, metric, where | asked))
        except ValueError as error:
            raise ValueError(f"Judge {name!r}: {error}") from error
    return EstimateTable(tuple(map(str, names)), tuple(found))


def _metric_of_judges(performance, where) -> str:
    """Return the metric that all raters have: of their decisions, or else of their ranking."""
    if where.get("threshold") is not None:
        return OF_VERDICTS_AND_SCORES[0]
    judges = (performance.of(judge=name) for name in performance.judges_)
    decide = all(judge.default_threshold_ is not None for judge in judges)
    return OF_VERDICTS_AND_SCORES[0 if decide else 1]


def number_of_judges(performance) -> ScalarEstimate:
    """Return the effective number of independent raters."""
    check_is_fitted(performance, "posterior_")
    if len(performance.judges_) < 2:
        raise AttributeError(
            "The effective number requires two judges or more; fit was given "
            f"{len(performance.judges_)}."
        )
    model = performance.model_
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


def area_from_truth(performance: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the area between the estimated and the true precision-recall curve.

    Of several systems it is the mean over them.
    """
    frames = read_frames({"X": X, "y": y, "sample_weight": sample_weight})
    check_aligned(**frames)
    X, y, sample_weight = frames.values()
    labels = performance.model_.labels
    mixture = performance.mixture_
    columns, _ = check_systems(mixture, X, reset=False, labels=labels, classes=mixture.classes)
    systems = performance.systems_ or (None,)
    if columns.shape[1] != len(systems):
        raise ValueError(
            f"X has {columns.shape[1]} columns, but fit was given {len(systems)}: pass the scores "
            "of the same systems."
        )

    areas = []
    for scores, system in zip(columns.T, systems, strict=True):
        ranking: Any = performance.of(system=system if len(systems) > 1 else None)
        curve = ranking.curve("precision_recall", target="sample")
        true_curve = _true_curve(ranking, scores, y, sample_weight)
        areas.append(np.abs(curve.value - true_curve).mean())
    return float(np.mean(areas))


def _true_curve(ranking: Any, scores: np.ndarray, y: Any, sample_weight: Any) -> np.ndarray:
    """Return the true precision at the recalls of an estimated curve."""
    labels = ranking.view.labels
    scores = ranking.score_direction_.flip(scores)
    codes = labels.codes(y, len(scores))
    if (codes < 0).any():
        raise ValueError(
            f"score needs all labels; {int((codes < 0).sum())} of {len(codes)} items are "
            "unlabeled. SemisupervisedScoreMixture.score accepts a partially labeled y, in "
            "GridSearchCV too."
        )
    weights = check_frequencies(sample_weight, len(scores))
    has_score = ~np.isnan(scores)
    sample = ScoreSample.from_items(scores[has_score], codes[has_score], weights[has_score])
    if not sample.positive.any():
        raise ValueError(
            f"score needs a positive, but none of the {len(codes)} items is labeled "
            f"{labels.pos_label!r}: the precision-recall curve is undefined."
        )
    points = sample_operating_points(sample, sample.positive[np.newaxis])
    grid = PRECISION_RECALL.grid(ranking.n_points)
    return precision_at_recall(points, grid)[0]
