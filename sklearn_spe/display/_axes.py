"""Axes, dots and rankings that displays share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..estimators._performance import PerformanceCurveEstimator
from ..inputs._validation import as_tuple, place_of_name
from ..models._ranking_value import Ranking, RankingMethods
from ..results._estimates import ScalarEstimate, percent
from ..results._tables import ConfusionMatrix, as_texts
from ..results._verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.container import ErrorbarContainer
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

# Colors safe for color blindness (Okabe and Ito, 2008), and dashes for print in black and white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
# Lines with the same meaning: the next line on the axes takes the next color.
COUNTED = "sklearn_spe"
# Reference lines: chance, a diagonal, a level.
REFERENCE: dict[str, Any] = {"color": "0.45", "linewidth": 1.0, "linestyle": "--"}
BAND: dict[str, Any] = {"alpha": 0.25, "linewidth": 0}
# From the axes to a legend below them, past the ticks and the name of the axis, in inches.
BELOW = 0.55
# More classes have no room for an interval in each cell, and longer names none side by side.
MAX_CELLS = 12
LONG_NAMES = 24
# Darker cells have white text.
DARK = 0.55


def performance_of(estimator: Any) -> PerformanceCurveEstimator | Ranking:
    """Return the PerformanceCurveEstimator or Ranking that an estimator is, or its `performance_`.

    Raise NotFittedError if it is not fitted.
    """
    reason = None
    performance = estimator
    if not isinstance(estimator, RankingMethods):
        try:
            performance = estimator.performance_
        except AttributeError as error:
            # Estimators that have one in some cases only raise with the reason.
            reason = error

    if not isinstance(performance, (PerformanceCurveEstimator, Ranking)):
        raise TypeError(
            f"from_estimator draws a fitted PerformanceCurveEstimator, a Ranking of it, or a "
            f"fitted estimator that has one as performance_; got {type(estimator).__name__}. The "
            "scores of a classifier go into PerformanceCurveEstimator().fit(scores, y)."
        ) from reason
    if not isinstance(performance, Ranking):
        check_is_fitted(performance, "posterior_")
    return performance


class Display:
    """Base class of displays: dataclasses that hold the results to draw."""

    # Of the last plot.
    ax_: Any
    figure_: Any


def axes_or_new(ax: Axes | None, display: Display) -> Axes:
    """Return `ax`, or new axes if it is None; store both in the display."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot needs matplotlib; install it with "
            "pip install matplotlib."
        ) from error

    if ax is None:
        # Which makes room for a legend below the axes.
        _, ax = plt.subplots(layout="constrained")
    if not hasattr(ax, "figure") or not hasattr(ax, "plot"):
        raise TypeError(f"ax must be matplotlib Axes or None, got {ax!r}.")

    display.ax_ = ax
    display.figure_ = ax.figure
    return ax


def finish(ax: Axes, title: str, verdict: Verdict | None, *, above: str | None = None) -> None:
    """Give axes a title, unless they have one, and a legend that hides no curve if possible.

    `above` is the first line of the legend, above the note on the verdict.
    """
    from matplotlib.transforms import ScaledTranslation

    if not ax.get_title(loc="left") and not ax.get_title():
        ax.set_title(title, loc="left", fontsize="medium")
    lines = "\n".join(filter(None, [above, verdict_note(verdict)])) or None

    if ax.figure.get_layout_engine() is None:
        # Nothing makes room for what lies outside of the axes.
        ax.legend(loc="best", title=lines)
        return

    down = ScaledTranslation(0.0, -BELOW, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper left",
        title=lines,
        frameon=False,
        borderaxespad=0.0,
        alignment="left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=ax.transAxes + down,
    )


def name_or_own(name: Any, display: Any) -> str | None:
    """Return the name in the legend, by default the display's own."""
    name = display.name if name is None else name
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string or None, got {name!r}.")
    return name


def names_of(name: Any, own: Any, n_lines: int, parameter: str = "name") -> list[str | None]:
    """Return a name or None for each line; by default the display's own."""
    names = own if name is None else name
    if names is None or (isinstance(names, str) and n_lines == 1):
        return [names] * n_lines
    if isinstance(names, str) or len(as_tuple(names, parameter, "names")) != n_lines:
        needed = "a string" if n_lines == 1 else f"a list of {n_lines} names, one for each curve"
        raise ValueError(f"{parameter} must be {needed}; got {names!r}.")
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{parameter} must be a list of strings; got {names!r}.")
    return list(names)


def styled(
    defaults: dict[str, Any], user_kwargs: dict[str, Any] | None, artist: type | None = None
) -> dict[str, Any]:
    """Return keywords for a matplotlib artist: the defaults updated by those of the user.

    An alias, such as ``lw``, replaces the default of the full name. The artist is a line by
    default.
    """
    from matplotlib import cbook
    from matplotlib.lines import Line2D

    if user_kwargs is not None and not isinstance(user_kwargs, dict):
        raise TypeError(
            f"Keywords for matplotlib must be a dictionary or None, got {user_kwargs!r}."
        )
    return {**defaults, **cbook.normalize_kwargs(user_kwargs or {}, artist or Line2D)}


def draw_line(
    ax: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    style: dict[str, Any],
    user_kwargs: dict[str, Any] | None,
) -> Line2D:
    """Draw a line; `user_kwargs` are the keywords of the user."""
    line_kwargs = styled(style, user_kwargs)
    (line,) = ax.plot(x, y, **line_kwargs)
    return line


def draw_fill(
    ax: Axes,
    x: npt.ArrayLike,
    ends: Iterable[np.ndarray],
    style: dict[str, Any],
    user_kwargs: dict[str, Any] | None,
) -> PolyCollection:
    """Draw a band between its lower and upper ends; `user_kwargs` are the keywords of the user."""
    from matplotlib.collections import PolyCollection

    fill_kwargs = styled({**BAND, **style}, user_kwargs, PolyCollection)
    lower, upper = ends
    return ax.fill_between(x, lower, upper, **fill_kwargs)


def verdict_note(verdict: Verdict | None) -> str | None:
    """Return a verdict other than "ok" and its reasons in one short line."""
    if verdict is None or verdict == "ok":
        return None
    names = [reason.name.replace("_", " ") for reason in verdict.reasons if reason.verdict != "ok"]
    return f"{verdict}: {', '.join(dict.fromkeys(names))}"


def distinct(number: int) -> dict[str, Any]:
    """Return the color and the dashes of one of several lines."""
    style = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
    return {**style, "gid": COUNTED}


def following(ax: Axes) -> dict[str, Any]:
    """Return the color of the next line on axes on which displays may have drawn before."""
    drawn = sum(line.get_gid() == COUNTED for line in ax.lines)
    return {"color": COLORS[drawn % len(COLORS)], "gid": COUNTED}


def one_for_each(kwargs: Any, n_curves: int, name: str) -> list[Any]:
    """Return keywords for each curve: those of a list, or the same for all."""
    if not isinstance(kwargs, list):
        return [kwargs] * n_curves
    if len(kwargs) != n_curves:
        raise ValueError(
            f"{name} must be None, a dictionary or a list of length {n_curves}. Got: {kwargs}."
        )
    return kwargs


def draw_dots(
    ax: Axes,
    estimates: dict[str, ScalarEstimate],
    level: float | None,
    errorbar_kwargs: dict[str, Any] | None,
) -> ErrorbarContainer:
    """Draw a dot with its interval for each number, the first on top."""
    numbers = list(estimates.values())
    level = numbers[0].confidence_level if level is None else level
    rows = np.arange(len(numbers))[::-1]
    values = np.array([estimate.value for estimate in numbers])
    low, high = np.array([estimate.interval(level) for estimate in numbers]).T

    style = {
        "label": f"{percent(level)} interval",
        "color": COLORS[0],
        "marker": "o",
        "linestyle": "none",
        "capsize": 3,
    }
    dot_kwargs = styled(style, errorbar_kwargs)
    # The value lies in its interval, up to rounding.
    sides = np.maximum([values - low, high - values], 0.0)
    dots = ax.errorbar(values, rows, xerr=sides, **dot_kwargs)

    ax.set_yticks(rows, list(estimates))
    ax.set_ylim(-0.6, len(numbers) - 0.4)
    return dots


def draw_matrix(
    ax: Axes,
    matrix: ConfusionMatrix,
    level: float | None,
    image_kwargs: dict[str, Any] | None,
) -> AxesImage:
    """Draw a confusion matrix as a heat map, with the interval of each cell."""
    from matplotlib.image import AxesImage

    level = matrix.confidence_level if level is None else level
    value = matrix.value
    lower, upper = matrix.interval(level)
    style = {"cmap": "Blues", "vmin": 0.0, "vmax": float(value.max()) or 1.0}
    matrix_kwargs = styled(style, image_kwargs, AxesImage)
    image = ax.imshow(value, **matrix_kwargs)

    # A number and its interval in each cell, as far as there is room.
    names = list(map(str, matrix.classes))
    n = len(names)
    texts = as_texts(value), as_texts(lower), as_texts(upper)
    size = max(4.5, min(10.0, 60.0 / n))
    if n <= 3 * MAX_CELLS:
        for i, j in np.ndindex(n, n):
            middle, low, high = (text[i][j] for text in texts)
            interval = f"\n{low} to {high}" if n <= MAX_CELLS and low != high else ""
            color = "w" if float(np.asarray(image.norm(value[i, j]))) > DARK else "k"
            ax.text(
                j, i, f"{middle}{interval}", ha="center", va="center", fontsize=size, color=color
            )

    is_long = sum(map(len, names)) > LONG_NAMES
    ax.set_xticks(range(n), names, rotation=45 * is_long, ha="right" if is_long else "center")
    ax.set_yticks(range(n), names)
    ax.set(xlabel="predicted class", ylabel="true class")
    ax.set_title(
        f"Confusion matrix, medians and {percent(level)} intervals", loc="left", fontsize="medium"
    )
    return image


def in_words(estimate: ScalarEstimate) -> str:
    """Return the name of the estimated quantity, with its decision threshold if any."""
    at = "" if estimate.threshold is None else f" at threshold {estimate.threshold:.6g}"
    return f"{estimate.name.replace('_', ' ')}{at}"


def rankings_of(
    performance: PerformanceCurveEstimator | Ranking, system: Any = None, category: Any = None
) -> dict[str | None, Ranking]:
    """Return each ranking to draw, by its name in a legend."""
    if isinstance(performance, Ranking):
        if system is not None or category is not None:
            raise ValueError(
                "system= and category= choose rankings of a PerformanceCurveEstimator, and this "
                f"is {performance!r}: leave them out."
            )
        return {None: performance}

    if system is None and len(performance.systems_) > 1:
        system = list(performance.systems_)
    rankings: dict[str | None, Ranking] = {}
    for one_system in _listed(system, "system"):
        for one_category in _listed(category, "category"):
            ranking = performance.of(system=one_system, category=one_category)
            name = ", ".join(_names(performance, one_system, one_category)) or None
            rankings[name] = ranking
    return rankings


def name_of_system(name: Any) -> str:
    """Return the legend name of a system with a name or a number."""
    return f"system {name}" if isinstance(name, (int, np.integer)) else str(name)


def _names(performance: PerformanceCurveEstimator, system: Any, category: Any) -> Iterator[str]:
    if system is not None:
        known = performance.systems_
        yield name_of_system(system if place_of_name(system, known) is not None else known[system])
    if category is not None:
        yield str(category)


def _listed(value: Any, name: str) -> list[Any]:
    several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
    listed = list(value) if several else [value]
    if not listed:
        raise ValueError(f"{name} must name one or more to draw, or be None; got {value!r}.")
    return listed
