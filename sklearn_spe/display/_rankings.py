"""Selection of the rankings to draw: systems, and all items or categories."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..inputs._names import place_of_name
from ..items._item_posterior import ItemPosterior
from ..performance._performance import PerformanceCurveEstimator

__all__ = ["name_of_system", "rankings_of"]


def rankings_of(
    performance: PerformanceCurveEstimator, system=None, category=None
) -> dict[str | None, PerformanceCurveEstimator]:
    """Return the view of each requested ranking, by its name in a legend."""
    check_is_fitted(performance, "posterior_")
    if system is None and isinstance(performance.posterior_, ItemPosterior):
        system = list(performance.systems_)
    return {
        ", ".join(_names(ranking, one, part)) or None: ranking
        for one in _listed(system, "system")
        for part in _listed(category, "category")
        for ranking in [performance.of(system=one, category=part)]
    }


def name_of_system(name) -> str:
    """Return the legend name of a system with a name or a number."""
    return f"system {name}" if isinstance(name, (int, np.integer)) else str(name)


def _names(performance, system, category):
    if system is not None:
        known = performance.systems_
        yield name_of_system(system if place_of_name(system, known) is not None else known[system])
    if category is not None:
        yield str(category)


def _listed(value, name: str) -> list:
    several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
    listed = list(value) if several else [value]
    if not listed:
        raise ValueError(f"{name} must name one or more to draw, or be None; got {value!r}.")
    return listed
