"""Axes, dots and rankings that displays share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..estimators._performance import PerformanceCurveEstimator
from ..inputs._validation import place_of_name
from ..models._item_posterior import ItemPosterior
from ..results._estimates import ScalarEstimate, percent
from ..results._verdict import Verdict


def performance_of(estimator: Any) -> PerformanceCurveEstimator:
    """Return the PerformanceCurveEstimator that an estimator is, or has as `performance_`."""
    reason = None
    performance = estimator
    if not isinstance(estimator, PerformanceCurveEstimator):
        try:
            performance = estimator.performance_
        except AttributeError as error:
            # Estimators that have one in some cases only raise with the reason.
            reason = error
    if not isinstance(performance, PerformanceCurveEstimator):
        raise TypeError(
            f"from_estimator draws a fitted PerformanceCurveEstimator, or a fitted estimator that "
            f"has one as performance_; got {type(estimator).__name__}. The scores of a classifier "
            f"go into PerformanceCurveEstimator().fit(scores, y)."
        ) from reason
    return performance


# Colors safe for color blindness (Okabe and Ito, 2008), and dashes for print in black and white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")


# Lines with the same meaning: the next line on the axes takes the next color.
COUNTED = "sklearn_spe"
# Reference lines: chance, a diagonal, a level.
REFERENCE = {"color": "0.45", "linewidth": 1.0, "linestyle": "--"}
BAND = {"alpha": 0.25, "linewidth": 0}


def axes_or_new(ax: Any, display: Any) -> Any:
    """Return `ax`, or new axes if it is None; store both in the display."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot needs matplotlib; install it with "
            "pip install matplotlib."
        ) from error
    if ax is None:
        _, ax = plt.subplots()
    if not hasattr(ax, "figure") or not hasattr(ax, "plot"):
        raise TypeError(f"ax must be matplotlib Axes or None, got {ax!r}.")
    display.ax_, display.figure_ = ax, ax.figure
    return ax


def name_or_own(name: Any, display: Any) -> str | None:
    """Return the name in the legend, by default the display's own."""
    name = display.name if name is None else name
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string or None, got {name!r}.")
    return name


def styled(defaults: Any, given: Any, artist: Any) -> dict:
    """Return keywords for matplotlib: the defaults updated by those of the user.

    An alias, such as ``lw``, replaces the default of the full name.
    """
    from matplotlib import cbook

    if given is not None and not isinstance(given, dict):
        raise TypeError(f"Keywords for matplotlib must be a dictionary or None, got {given!r}.")
    return {**defaults, **cbook.normalize_kwargs(given or {}, artist)}


def verdict_note(verdict: Any) -> str | None:
    """Return a verdict other than "ok" and its reasons in one short line."""
    if verdict is None or verdict == "ok":
        return None
    names = [reason.name.replace("_", " ") for reason in verdict.reasons if reason.verdict != "ok"]
    return f"{verdict}: {', '.join(dict.fromkeys(names))}"


def distinct(number: int) -> dict:
    """Return the color and the dashes of one of several lines."""
    style = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
    return {**style, "gid": COUNTED}


def following(ax: Any) -> dict:
    """Return the color of the next line on axes on which displays may have drawn before."""
    drawn = sum(line.get_gid() == COUNTED for line in ax.lines)
    return {"color": COLORS[drawn % len(COLORS)], "gid": COUNTED}


def one_for_each(kwargs: Any, n_curves: int, name: str) -> list:
    """Return keywords for each curve: those of a list, or the same for all."""
    if not isinstance(kwargs, list):
        return [kwargs] * n_curves
    if len(kwargs) != n_curves:
        raise ValueError(
            f"{name} must be None, a dictionary or a list of length {n_curves}. Got: {kwargs}."
        )
    return kwargs


def draw_dots(
    ax: Any,
    estimates: dict[str, ScalarEstimate],
    level: float | None,
    verdict: Verdict | None,
    errorbar_kwargs: Any,
) -> Any:
    """Draw a dot with its interval for each number, the first on top."""
    from matplotlib.lines import Line2D

    found = list(estimates.values())
    level = found[0].confidence_level if level is None else level
    rows = np.arange(len(found))[::-1]
    values = np.array([estimate.value for estimate in found])
    low, high = np.array([estimate.interval(level) for estimate in found]).T
    style = {
        "label": f"{percent(level)} interval",
        "color": COLORS[0],
        "marker": "o",
        "linestyle": "none",
        "capsize": 3,
    }
    # The value lies in its interval, up to rounding.
    sides = np.maximum([values - low, high - values], 0.0)
    drawn = ax.errorbar(values, rows, xerr=sides, **styled(style, errorbar_kwargs, Line2D))
    ax.set_yticks(rows, list(estimates))
    ax.set_ylim(-0.6, len(found) - 0.4)
    # Above, where it does not cover an interval.
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False}
    ax.legend(title=verdict_note(verdict), **place)
    return drawn


def in_words(estimate: ScalarEstimate) -> str:
    """Return the name of the estimated quantity, with its decision threshold if any."""
    at = "" if estimate.threshold is None else f" at threshold {estimate.threshold:.6g}"
    return f"{estimate.name.replace('_', ' ')}{at}"


def rankings_of(
    performance: PerformanceCurveEstimator, system: Any = None, category: Any = None
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


def name_of_system(name: Any) -> str:
    """Return the legend name of a system with a name or a number."""
    return f"system {name}" if isinstance(name, (int, np.integer)) else str(name)


def _names(performance: Any, system: Any, category: Any) -> Iterator[Any]:
    if system is not None:
        known = performance.systems_
        yield name_of_system(system if place_of_name(system, known) is not None else known[system])
    if category is not None:
        yield str(category)


def _listed(value: Any, name: str) -> list:
    several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
    listed = list(value) if several else [value]
    if not listed:
        raise ValueError(f"{name} must name one or more to draw, or be None; got {value!r}.")
    return listed
