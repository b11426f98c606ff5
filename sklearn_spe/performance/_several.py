"""Several systems and categories of one fit, side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inputs._numbers import check_flag
from ..items._item_posterior import ItemPosterior
from ..results._bands import ScalarEstimate
from ..results._estimate_table import EstimateTable
from ..results._side_by_side import SideBySide

__all__ = [
    "check_not_said",
    "difference_of",
    "of_several",
    "side_by_side",
    "sides_of",
    "table_by_category",
]

# Where one side has no value (no positive in a category, say) it is not worse, and not zero.
UNDEFINED = {"zero_division": np.nan}


def sides_of(performance, system=None) -> tuple[str, list]:
    """Return what is compared: all systems, or the categories of the only one, or the one named."""
    if system is None and isinstance(performance.posterior_, ItemPosterior):
        return "system", list(performance.systems_)
    if system is None and performance.categories_ is None:
        raise ValueError(
            "One system has no rank, and no difference: pass the scores of several to fit, or "
            "category=, whose categories are then compared."
        )
    return "category", _names_of_categories(performance)


def side_by_side(
    performance, metric, where, *, names=None, greater_is_better: bool | None = None
) -> SideBySide:
    """Return a number of all that is compared, or of those that are named.

    None of `greater_is_better` takes it from the metric.
    """
    check_is_fitted(performance, "posterior_")
    what, known = sides_of(performance, where.get("system"))
    check_not_said(what, where)
    where, names = UNDEFINED | where, known if names is None else names
    found = tuple(performance.estimate(metric, **where, **{what: name}) for name in names)
    if greater_is_better is None:
        asked = performance.subject_.metric_of(metric, **where)
        greater_is_better = getattr(asked, "greater_is_better", True)
    else:
        check_flag(greater_is_better, "greater_is_better")
    return SideBySide(tuple(names), found, greater_is_better)


def difference_of(performance, metric, a, b, where) -> ScalarEstimate:
    """Return the estimate of one system, or category, less that of another."""
    first, second = side_by_side(performance, metric, where, names=(a, b)).estimates
    return replace(first - second, name=f"{first.name} of {a} less that of {b}")


def table_by_category(performance, metric, reference, where) -> EstimateTable:
    """Return the estimates of all categories, less that of a reference if there is one."""
    check_is_fitted(performance, "posterior_")
    names = _names_of_categories(performance)
    check_not_said("category", where)
    if reference is not None:
        where = UNDEFINED | where
    found = [performance.estimate(metric, **where, category=name) for name in names]
    if reference is not None:
        base = performance.estimate(metric, **where, category=reference)
        found = [estimate - base for estimate in found]
    return EstimateTable(tuple(map(str, names)), tuple(found))


def of_several(performance, name: str):
    """Return a method of an estimator of several systems; there is no attribute of it otherwise."""
    check_is_fitted(performance, "posterior_")
    if not isinstance(performance.posterior_, ItemPosterior):
        raise AttributeError(f"{name}_ is there with several systems, of which none is shown.")
    return getattr(performance, name)


def check_not_said(side: str, where) -> None:
    """Raise if a question names what is compared or listed."""
    if side in where:
        raise ValueError(f"{side}={where[side]!r} has no place here: they are compared or listed.")


def _names_of_categories(performance) -> list:
    if performance.categories_ is None:
        raise ValueError("There are no categories: pass category= to fit, one for each item.")
    return performance.categories_.tolist()
