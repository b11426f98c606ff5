"""AccuracyExtrapolationDisplay: the accuracy against the number of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..display._axes import (
    Display,
    axes_or_new,
    draw_fill,
    draw_line,
    finish,
    following,
    names_of,
    one_for_each,
    styled,
)
from ..inputs._validation import as_numbers, as_tuple, check_counts
from ..results._estimates import CurveBand, percent
from ._accuracy_comparison import AccuracyComparison
from ._classifier_extrapolator import ClassifierAccuracyExtrapolator, RetrainedCurve
from ._extrapolator import AccuracyExtrapolator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Default range, in multiples of the pilot's number of classes.
REACH = 10
N_POINTS = 200
# With one class there are no errors.
FEWEST = 2
# Minimum number of points at which a true curve is drawn as a line.
FEW_TRUTHS = 10


@dataclass(eq=False, repr=False)
class AccuracyExtrapolationDisplay(Display):
    """Plot of the accuracy up to the pilot's number of classes and of its extrapolation.

    The measured accuracy is a solid line up to the pilot's number of classes. The extrapolation is
    a dashed line with its band. Use :meth:`from_estimator` to create it.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_classes : ndarray of shape (n_points,)
        Numbers of classes, increasing; `n_tried` is among them.
    accuracies : list of ndarray of shape (n_points,)
        One for each classifier.
    n_tried : int
        The number of classes in the pilot.
    bands : list of CurveBand or None, default=None
        For each classifier, the accuracy from `n_tried` classes on, or None for no band.
    retrained : list of RetrainedCurve or None, default=None
        For each classifier, the accuracies on subsets of the classes, or None if it was not
        retrained.
    truths : list of tuple or None, default=None
        For each classifier, numbers of classes and the true accuracies, or None.
    names : list of str, default=None
        The names in the legend.
    verdict : Verdict, default=None
        The verdict on the extrapolation. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        The accuracies up to the pilot's number of classes, one for each classifier.
    extrapolations_ : list of matplotlib Line2D
        The extrapolated accuracies, one for each classifier.
    bands_ : list of matplotlib artist
        One for each band.
    pilot_line_ : matplotlib Line2D
        The mark at the pilot's number of classes.
    points_ : list of matplotlib Line2D
        The accuracies on subsets of the classes.
    truths_ : list of matplotlib Line2D

    See Also
    --------
    AccuracyExtrapolator : Estimates the accuracy.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import GaussianClasses, make_recognition_scores
    >>> from sklearn_spe.extrapolation import AccuracyExtrapolationDisplay
    >>> task = GaussianClasses(noise=0.4)
    >>> X, y = make_recognition_scores(30, task=task, n_test=5, random_state=0)
    >>> extrapolator = AccuracyExtrapolator(n_bootstrap=5, random_state=0).fit(X, y)
    >>> display = AccuracyExtrapolationDisplay.from_estimator(
    ...     extrapolator, truth=task.accuracy
    ... )
    >>> display.ax_.get_xlabel(), int(display.n_classes[-1])
    ('number of classes', 300)
    >>> plt.close(display.figure_)
    """

    n_classes: Any
    accuracies: Any
    n_tried: int
    _: KW_ONLY
    bands: Any = None
    retrained: Any = None
    truths: Any = None
    names: Any = None
    verdict: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        n_classes: Any = None,
        *,
        truth: Any = None,
        name: Any = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        truth_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> AccuracyExtrapolationDisplay:
        """Draw an extrapolated accuracy, or the two of a comparison.

        Parameters
        ----------
        estimator : estimator
            A fitted AccuracyExtrapolator, ClassifierAccuracyExtrapolator or AccuracyComparison.
            Bands are drawn if classes were resampled.
        n_classes : int or array-like of shape (n_points,), default=None
            The largest number of classes, at least that of the pilot; or an array of all numbers of
            classes to draw. None means ten times the number in the pilot.
        truth : callable or tuple of (n_classes, accuracies), default=None
            The true accuracy for comparison: a function of an array of numbers of classes, such as
            ``GaussianClasses().accuracy``, or observed values. For an AccuracyComparison, a list of
            two such truths, either of which may be None.
        name : str or list of str, default=None
            As in :meth:`plot`.
        ax, confidence_level, curve_kwargs, band_kwargs, truth_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : AccuracyExtrapolationDisplay

        Raises
        ------
        TypeError
            If the estimator does not extrapolate an accuracy.
        ValueError
            If `n_classes` is not whole or too small, or the truth has a wrong shape.
        """
        systems, names = _systems(estimator)
        n_tried = systems[0].n_classes_
        counts = _grid(n_classes, n_tried)
        truths = _truths(truth, counts, len(systems))

        accuracies = []
        bands = []
        for system in systems:
            band = None
            measured = system.predict(counts[counts <= n_tried])
            beyond = counts[counts >= n_tried]
            if system.uncertain_model_ is None:
                extrapolated = system.predict(beyond)
            else:
                band = system.predict_band(beyond)
                extrapolated = band.value
            accuracies.append(np.concatenate([measured, extrapolated[1:]]))
            bands.append(band)

        retrained = [getattr(system, "retrained_curve_", None) for system in systems]
        return cls(
            counts,
            accuracies,
            n_tried,
            bands=bands,
            retrained=retrained,
            truths=truths,
            names=names,
            verdict=estimator.verdict_,
        ).plot(
            ax,
            name=name,
            confidence_level=confidence_level,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            truth_kwargs=truth_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Any = None,
        confidence_level: float | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        truth_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> Self:
        """Draw the accuracies against the number of classes, on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        name : str or list of str, default=None
            The name in the legend, a list for two classifiers; None means the names of the display.
        confidence_level : float in (0, 1), default=None
            The level of the pointwise bands; None means the level of each band.
        curve_kwargs, band_kwargs, truth_kwargs : dict or list of dict, default=None
            Keyword arguments of matplotlib's `plot`, `fill_between` and `plot`; a list holds one
            dict for each classifier. The label applies to the solid part of the curve.

        Returns
        -------
        self : AccuracyExtrapolationDisplay
        """
        n_systems = len(self.accuracies)
        names = names_of(name, self.names, n_systems)
        curve_kwargs = one_for_each(curve_kwargs, n_systems, "curve_kwargs")
        band_kwargs = one_for_each(band_kwargs, n_systems, "band_kwargs")
        truth_kwargs = one_for_each(truth_kwargs, n_systems, "truth_kwargs")
        bands, retrained, truths = (
            one_for_each(getattr(self, part), n_systems, part)
            for part in ("bands", "retrained", "truths")
        )

        ax = axes_or_new(ax, self)
        ax.set_xscale("log")
        self.lines_: list[Any] = []
        self.extrapolations_: list[Any] = []
        self.bands_: list[Any] = []
        self.points_: list[Any] = []
        self.truths_: list[Any] = []

        for i, name in enumerate(names):
            color = self._draw_curve(
                self.accuracies[i],
                bands[i],
                name,
                confidence_level,
                curve_kwargs[i],
                band_kwargs[i],
            )
            if retrained[i] is not None:
                self._draw_points(retrained[i], name, color)
            if truths[i] is not None:
                self._draw_truth(truths[i], name, color, truth_kwargs[i])

        # Once on the same axes.

        label: str | None = f"{self.n_tried} classes tried"
        if label in ax.get_legend_handles_labels()[1]:
            label = None
        self.pilot_line_ = ax.axvline(self.n_tried, color="0.5", linestyle=":", label=label)

        ax.set(xlabel="number of classes", ylabel="accuracy", ylim=(-0.01, 1.05))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        finish(ax, "Accuracy with more classes", self.verdict)
        return self

    def _draw_curve(
        self,
        y: np.ndarray,
        band: CurveBand | None,
        name: str | None,
        level: float | None,
        curve_kwargs: dict[str, Any] | None,
        band_kwargs: dict[str, Any] | None,
    ) -> Any:
        """Draw a curve and its band; return its color."""
        kind = None
        if band is not None:
            level = band.confidence_level if level is None else level
            kind = f"{percent(level)} band"
        style = {"label": _label(name, kind), **following(self.ax_)}

        # Solid up to the classes tried, dashed beyond.
        x = self.n_classes
        tried = x <= self.n_tried
        beyond = x >= self.n_tried
        line = draw_line(self.ax_, x[tried], y[tried], style, curve_kwargs)
        self.lines_.append(line)
        dashed_kwargs = styled({"linestyle": "--", "color": line.get_color()}, curve_kwargs)
        dashed_kwargs["label"] = None
        self.extrapolations_ += self.ax_.plot(x[beyond], y[beyond], **dashed_kwargs)

        if band is not None:
            ends = band.interval(level)
            fill = {"color": line.get_color()}
            self.bands_.append(draw_fill(self.ax_, band.x, ends, fill, band_kwargs))
        return line.get_color()

    def _draw_points(self, curve: RetrainedCurve, name: str | None, color: Any) -> None:
        """Draw the accuracies after retraining on subsets of the classes."""
        sizes = np.repeat(curve.sizes, curve.accuracies.shape[1])
        self.points_ += self.ax_.plot(
            sizes,
            curve.accuracies.ravel(),
            color=color,
            marker="o",
            markersize=4,
            alpha=0.6,
            linestyle="",
            label=_label(name, "trained again on subsets"),
        )

    def _draw_truth(
        self,
        truth: tuple[np.ndarray, np.ndarray],
        name: str | None,
        color: Any,
        user_kwargs: dict[str, Any] | None,
    ) -> None:
        """Draw the truth in a darker shade."""
        from matplotlib.colors import to_rgb

        style = {"color": 0.5 * np.array(to_rgb(color)), "linewidth": 1.2}
        counts, accuracies = truth
        style |= {"marker": "D", "markersize": 5} if len(counts) < FEW_TRUTHS else {}
        style["label"] = "truth" if name is None else f"{name}, truth"
        self.truths_.append(draw_line(self.ax_, counts, accuracies, style, user_kwargs))


def _label(name: str | None, kind: str | None) -> str:
    """Return the legend entry of a curve."""
    if name is None:
        return "accuracy" if kind is None else kind
    return name if kind is None else f"{name} ({kind})"


def _systems(estimator: Any) -> tuple[Any, ...]:
    """Return the extrapolators of an estimator, and their names."""
    if isinstance(estimator, AccuracyComparison):
        check_is_fitted(estimator, "extrapolators_")
        systems = estimator.extrapolators_
        return systems, [f"classifier {i}" for i in range(len(systems))]
    if not isinstance(estimator, (AccuracyExtrapolator, ClassifierAccuracyExtrapolator)):
        raise TypeError(
            f"from_estimator draws a fitted AccuracyExtrapolator, ClassifierAccuracyExtrapolator "
            f"or AccuracyComparison; got {type(estimator).__name__}. A classifier goes into "
            f"ClassifierAccuracyExtrapolator(classifier).fit(X, y), its scores into "
            f"AccuracyExtrapolator().fit(scores, y)."
        )
    check_is_fitted(estimator, "model_")
    return (estimator,), None


def _grid(n_classes: Any, n_tried: int) -> np.ndarray:
    """Return increasing numbers of classes, that of the pilot among them."""
    counts = np.atleast_1d(
        check_counts(REACH * n_tried if n_classes is None else n_classes, "n_classes")
    )
    if np.ndim(n_classes) > 0:
        return np.unique(np.append(counts, n_tried))
    if counts[0] < n_tried:
        raise ValueError(
            f"n_classes must be at least {n_tried}, the number of classes of the pilot, which is "
            f"always drawn; got {n_classes!r}."
        )

    # Evenly spaced on the logarithmic axis, on both sides of the pilot.
    ends = FEWEST, n_tried, counts[0]
    parts = [np.geomspace(low, high, N_POINTS) for low, high in pairwise(ends)]
    return np.unique(np.rint(np.concatenate(parts)).astype(int))


def _truths(truth: Any, counts: np.ndarray, n_systems: int) -> list[Any]:
    """Return the numbers of classes and accuracies of each truth, or None."""
    if n_systems == 1:
        truth = [truth]
    elif truth is None:
        truth = [None] * n_systems
    elif callable(truth) or len(as_tuple(truth, "truth", "truths")) != n_systems:
        raise ValueError(
            f"truth must be a list of {n_systems}, one for each classifier; got {truth!r}."
        )
    return [None if one is None else _known(one, counts) for one in truth]


def _takes_one(function: Callable[..., Any]) -> bool:
    """Return whether a function may be called with one argument, as far as is known."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:
        # A function in another language without a signature.
        return True
    return True


def _known(truth: Any, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if callable(truth) and not _takes_one(truth):
        raise TypeError(
            f"truth must be a function of numbers of classes, called as truth(n_classes); "
            f"{truth!r} cannot be."
        )

    pair = (counts, truth(counts)) if callable(truth) else truth
    pair = as_tuple(pair, "truth", "numbers of classes and of accuracies, or a function")
    if len(pair) == 2:
        n_classes, accuracies = (as_numbers(np.atleast_1d(part), "truth") for part in pair)
        if n_classes.shape == accuracies.shape and n_classes.ndim == 1:
            return n_classes, accuracies
    raise ValueError(
        "truth must be a function that returns an accuracy for each number of classes, or a pair "
        "(n_classes, accuracies) of one length."
    )
