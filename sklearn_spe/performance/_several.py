"""Comparisons of systems and categories of one fit."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inputs._numbers import check_flag
from ..items._item_posterior import ItemPosterior
from ..results._bands import ScalarEstimate
from ..results._distributions import WeightedDraws
from ..results._estimate_table import EstimateTable
from ..results._side_by_side import SideBySide
from ._performance_subject import RankingKey

__all__ = [
    "check_not_said",
    "compared_names",
    "difference_of",
    "estimate_of",
    "of_several",
    "side_by_side",
    "table_by_category",
]

# Undefined values (no positive in a category, say) are excluded, neither worse nor zero.
UNDEFINED = {"zero_division": np.nan}


def compared_names(performance, system=None) -> tuple[str, list]:
    """Return what to compare: all systems, or the categories of one system."""
    if system is None and isinstance(performance.posterior_, ItemPosterior):
        return "system", list(performance.systems_)
    if system is None and performance.categories_ is None:
        raise ValueError(
            "Ranking and difference need several systems or categories: pass the scores of "
            "several systems, or category=, to fit."
        )
    return "category", _names_of_categories(performance)


def side_by_side(
    performance, metric, where, *, names=None, greater_is_better: bool | None = None
) -> SideBySide:
    """Return the estimates of all systems or categories, or of some given by name.

    `greater_is_better=None` uses the direction of the metric.
    """
    check_is_fitted(performance, "posterior_")
    what, known = compared_names(performance, where.get("system"))
    check_not_said(what, where)
    where, names = UNDEFINED | where, known if names is None else names
    found = tuple(estimate_of(performance, metric, where | {what: name}) for name in names)
    pairs = None
    if what == "system" and performance.subject_.misses_scores:
        places = combinations(range(len(names)), 2)
        pairs = {
            (i, j): _of_both(performance, metric, where, names[i], names[j]) for i, j in places
        }
    if greater_is_better is None:
        asked = performance.subject_.metric_of(metric, **where)
        greater_is_better = getattr(asked, "greater_is_better", True)
    else:
        check_flag(greater_is_better, "greater_is_better")
    return SideBySide(tuple(names), found, greater_is_better, pairs)


def _of_both(performance, metric, where, a, b):
    """Return an estimate of two systems on the items that both scored; None without any."""
    category = where.get("category", performance.shown_.asked.category)
    asked = RankingKey(category=category, beside=(a, b))
    if not performance.subject_.have_items(asked):
        return None
    both = performance.showing(performance.subject_, asked)
    return both.estimate(metric, **where, system=a), both.estimate(metric, **where, system=b)


def estimate_of(performance, metric, where) -> ScalarEstimate:
    """Return `estimate`, or an undefined estimate if the ranking has no item.

    So the other rows of a table can still be computed.
    """
    where = dict(where)
    asked = {name: where.pop(name, None) for name in ("system", "category", "judge")}
    asked = performance.shown_.asked.narrowed(**asked)
    if performance.subject_.have_items(asked):
        return performance.showing(performance.subject_, asked).estimate(metric, **where)
    everywhere = performance.showing(performance.subject_, replace(asked, category=None))
    estimate = everywhere.estimate(metric, **where)
    nothing = WeightedDraws(
        np.full_like(estimate.distribution.draws, np.nan), estimate.distribution.weights
    )
    return replace(estimate, distribution=nothing, undefined=1.0)


def difference_of(performance, metric, a, b, where) -> ScalarEstimate:
    """Return the estimate of one system, or category, minus that of another."""
    sides = side_by_side(performance, metric, where, names=(a, b))
    difference = sides.difference(0, 1)
    if difference is None:
        raise ValueError(
            f"No item has a score by both {a!r} and {b!r}: they cannot be compared. Compare each "
            f"of them with a system that scored some of its items."
        )
    return replace(difference, name=f"{sides.estimates[0].name} of {a} minus that of {b}")


def table_by_category(performance, metric, reference, where) -> EstimateTable:
    """Return the estimates of all categories, minus that of a reference if given."""
    check_is_fitted(performance, "posterior_")
    names = _names_of_categories(performance)
    check_not_said("category", where)
    if reference is not None:
        where = UNDEFINED | where
    found = [estimate_of(performance, metric, where | {"category": name}) for name in names]
    if reference is not None:
        base = estimate_of(performance, metric, where | {"category": reference})
        found = [estimate - base for estimate in found]
    return EstimateTable(tuple(map(str, names)), tuple(found))


def of_several(performance, name: str):
    """Return a method for several systems; raise AttributeError otherwise."""
    check_is_fitted(performance, "posterior_")
    if not isinstance(performance.posterior_, ItemPosterior):
        raise AttributeError(f"{name}_ requires several systems, of which none is chosen.")
    return getattr(performance, name)


def check_not_said(side: str, where) -> None:
    """Raise if an estimate is restricted to a part that is compared or listed."""
    if side in where:
        raise ValueError(
            f"{side}={where[side]!r} is not allowed here: all of them are compared or listed."
        )


def _names_of_categories(performance) -> list:
    if performance.categories_ is None:
        raise ValueError("Categories are required: pass category= to fit, one for each item.")
    return performance.categories_.tolist()
