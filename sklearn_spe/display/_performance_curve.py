"""PerformanceCurveDisplay: performance curves with their bands."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._score_mixture import SemisupervisedScoreMixture
from ..inputs._arrays import RandomState
from ..inputs._validation import check_flag, check_number
from ..results._estimates import CurveBand, ScalarEstimate, percent
from ..results._verdict import Verdict
from ._axes import (
    BAND,
    REFERENCE,
    Display,
    axes_or_new,
    distinct,
    draw_fill,
    draw_line,
    finish,
    following,
    name_or_own,
    names_of,
    one_for_each,
    performance_of,
    rankings_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# The metric in the legend of a curve: the area below it.
AREAS = {"precision_recall": ("average_precision", "AP"), "roc": ("roc_auc", "AUC")}
CHANCE = "chance"
TITLES = {
    "precision_recall": "Precision and recall",
    "roc": "ROC curve",
    "det": "DET curve",
    "accuracy_coverage": "Accuracy of the most confident items",
}


@dataclass(eq=False, repr=False)
class PerformanceCurveDisplay(Display):
    """Plot of one or several performance curves with their bands.

    Use :meth:`from_estimator` or :meth:`from_predictions`. The curves of several systems are drawn
    together, in colors that are safe for color blindness.

    .. versionadded:: 0.1

    Parameters
    ----------
    band : CurveBand or list of CurveBand
        The curve to draw, or several.
    name : str or list of str, default=None
        The name in the legend; a list for several curves.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".
    area : ScalarEstimate or list of ScalarEstimate, default=None
        The area shown in the legend, with its interval, for each curve: average precision or the
        area under the ROC curve.
    n_labels : float, default=None
        Number of labeled items, for the legend.
    prevalence : float, default=None
        The precision of a random ranking.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D or list of matplotlib Line2D
        The curve, or the curves.
    band_ : matplotlib artist or list of matplotlib artist
        The band, or the bands.
    chance_level_ : matplotlib Line2D or None
        The line of a random ranking; None if it is not drawn or unknown.

    See Also
    --------
    PerformanceCurveEstimator : Estimates the curve.
    EstimateDisplay : Metrics of several systems, or categories, with their intervals.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import PerformanceCurveDisplay
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> display = PerformanceCurveDisplay.from_predictions(
    ...     y, scores, n_draws=200, random_state=0
    ... )
    >>> display.ax_.get_xlabel()
    'recall'
    >>> plt.close(display.figure_)

    Two systems that score the same items:

    >>> worse = scores + np.random.default_rng(1).standard_normal(500)
    >>> display = PerformanceCurveDisplay.from_predictions(
    ...     y, {0: scores, 1: worse}, n_draws=200, random_state=0
    ... )
    >>> display.name
    ['system 0', 'system 1']
    >>> plt.close(display.figure_)
    """

    band: CurveBand | list[CurveBand]
    _: KW_ONLY
    name: str | list[str] | None = None
    verdict: Verdict | None = None
    area: ScalarEstimate | list[ScalarEstimate] | None = None
    n_labels: float | None = None
    prevalence: float | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        curve: str = "precision_recall",
        *,
        system: Any = None,
        category: Any = None,
        target: str | None = None,
        name: Any = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        simultaneous: bool = False,
        plot_chance_level: bool = True,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        chance_level_kw: dict[str, Any] | None = None,
    ) -> PerformanceCurveDisplay:
        """Draw a curve of a performance estimator, or one for each of several systems.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, Ranking, or an estimator with one as `performance_`
            Fitted to partially labeled scores.
        curve : str, default="precision_recall"
            As in :meth:`PerformanceCurveEstimator.curve`.
        system : object or list of object, default=None
            The systems to draw, by name or number. None means all.
        category : object or list of object, default=None
            The category to draw, or a list of categories. None means all items.
        target : {"sample", "population"}, default=None
            None means the target of the estimator.
        name, ax, confidence_level, simultaneous, plot_chance_level
            As in :meth:`plot`.
        curve_kwargs, band_kwargs, chance_level_kw
            As in :meth:`plot`.

        Returns
        -------
        display : PerformanceCurveDisplay
        """
        performance = performance_of(estimator)
        rankings = rankings_of(performance, system, category)
        bands: Any = [ranking.curve(curve, target=target) for ranking in rankings.values()]

        # The area below the curve, and for the line of chance the prevalence.
        metric, _ = AREAS.get(bands[0].name, (None, None))
        area: Any = None
        if metric is not None:
            area = [ranking.estimate(metric, target=target) for ranking in rankings.values()]
        first = next(iter(rankings.values()))
        prevalence = None
        if bands[0].name == "precision_recall":
            prevalence = first.estimate("prevalence", target=target).value

        verdict = performance.verdict_.worsened_by(bands)
        names: Any = [str(key) for key in rankings]
        if len(bands) == 1:
            (names,) = rankings
            bands = bands[0]
            area = area and area[0]
        display = cls(
            bands,
            name=names if name is None else name,
            area=area,
            verdict=verdict,
            n_labels=first.posterior_.sample.n_labeled,
            prevalence=prevalence,
        )
        return display.plot(
            ax,
            confidence_level=confidence_level,
            simultaneous=simultaneous,
            plot_chance_level=plot_chance_level,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            chance_level_kw=chance_level_kw,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: ArrayLike,
        *,
        curve: str = "precision_recall",
        target: Any = "sample",
        sample_weight: ArrayLike | None = None,
        classes: Any = None,
        pos_label: Any = None,
        n_draws: Any = 1000,
        random_state: RandomState = None,
        name: Any = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        simultaneous: bool = False,
        plot_chance_level: bool = True,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        chance_level_kw: dict[str, Any] | None = None,
    ) -> PerformanceCurveDisplay:
        """Draw a curve from partially labeled scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; -1, NaN or None for unlabeled items.
        y_score : array-like of shape (n_samples,) or (n_samples, n_systems)
            Scores, larger for positives; a column for each of several systems.
        curve : str, default="precision_recall"
            As in :meth:`PerformanceCurveEstimator.curve`.
        target : {"sample", "population"}, default="sample"
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.
        classes, pos_label, n_draws, random_state
            As in :class:`SemisupervisedScoreMixture`.
        name, ax, confidence_level, simultaneous, plot_chance_level
            As in :meth:`plot`.
        curve_kwargs, band_kwargs, chance_level_kw
            As in :meth:`plot`.

        Returns
        -------
        display : PerformanceCurveDisplay
        """
        mixture = SemisupervisedScoreMixture(
            classes=classes, pos_label=pos_label, n_draws=n_draws, random_state=random_state
        )

        estimator = PerformanceCurveEstimator(mixture, target=target, random_state=random_state)
        return cls.from_estimator(
            estimator.fit(y_score, y_true, sample_weight),
            curve,
            name=name,
            ax=ax,
            confidence_level=confidence_level,
            simultaneous=simultaneous,
            plot_chance_level=plot_chance_level,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            chance_level_kw=chance_level_kw,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Any = None,
        confidence_level: float | None = None,
        simultaneous: bool = False,
        plot_chance_level: bool = True,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        chance_level_kw: dict[str, Any] | None = None,
    ) -> Self:
        """Draw each curve and its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        name : str or list of str, default=None
            The name in the legend, a list for several curves; None means the name of the display.
        confidence_level : float in (0, 1), default=None
            The level of the band; None means the level of the curve.
        simultaneous : bool, default=False
            Whether the band is simultaneous for the whole curve. Otherwise it is pointwise.
        plot_chance_level : bool, default=True
            Whether to draw the line of a random ranking: the prevalence for a precision-recall
            curve, the diagonal for a ROC curve.
        curve_kwargs, band_kwargs : dict or list of dict, default=None
            Keyword arguments of matplotlib's `plot` and `fill_between`; a list holds one dict for
            each curve.
        chance_level_kw : dict, default=None
            Keyword arguments of matplotlib's `plot`.

        Returns
        -------
        self : PerformanceCurveDisplay
        """
        check_flag(simultaneous, "simultaneous")
        check_flag(plot_chance_level, "plot_chance_level")
        several = isinstance(self.band, list)
        bands: list[CurveBand] = self.band if isinstance(self.band, list) else [self.band]

        curve_kwargs = one_for_each(curve_kwargs, len(bands), "curve_kwargs")
        band_kwargs = one_for_each(band_kwargs, len(bands), "band_kwargs")
        level = bands[0].confidence_level if confidence_level is None else confidence_level
        check_number(level, "confidence_level", "(0, 1)")
        names = names_of(name, self.name, len(bands)) if several else [name_or_own(name, self)]

        # In the legend one word represents the bands of several curves.
        kind = f"{percent(level)} {'simultaneous band' if simultaneous else 'band'}{'s' * several}"
        if self.n_labels is not None:
            kind += f", {self.n_labels:g} labels"

        ax = axes_or_new(ax, self)
        lines = []
        fills = []
        for number, band in enumerate(bands):
            ends = band.envelope(level) if simultaneous else band.interval(level)
            style = distinct(number) if several else following(ax)
            line_style = {"label": self._label(names[number], number, level), **style}
            lines.append(draw_line(ax, band.x, band.value, line_style, curve_kwargs[number]))
            fill_style = {
                "label": None if several else kind,
                "color": lines[-1].get_color(),
                "alpha": 0.15 if several else BAND["alpha"],
            }
            fills.append(draw_fill(ax, band.x, ends, fill_style, band_kwargs[number]))
            _frame(ax, band, ends[1])

        self.line_: Any
        self.band_: Any
        self.line_ = lines if several else lines[0]
        self.band_ = fills if several else fills[0]
        self.chance_level_: Line2D | None = None
        if plot_chance_level:
            self._draw_chance(ax, bands[0].name, chance_level_kw)
        finish(ax, _title_of(bands[0]), self.verdict, above=kind if several else None)
        return self

    def _draw_chance(self, ax: Axes, curve: str, user_kwargs: dict[str, Any] | None) -> None:
        """Draw the line of a random ranking, once on the same axes."""
        if curve == "roc":
            heights = (0.0, 1.0)
        elif curve == "precision_recall" and self.prevalence is not None:
            heights = (self.prevalence, self.prevalence)
        else:
            return

        if not any(text.startswith(CHANCE) for text in ax.get_legend_handles_labels()[1]):
            label = CHANCE if curve == "roc" else f"{CHANCE} ({heights[0]:.2g})"
            style = {**REFERENCE, "label": label}
            self.chance_level_ = draw_line(ax, [0.0, 1.0], heights, style, user_kwargs)

    def _label(self, name: str | None, number: int, level: float) -> str:
        """Return the legend entry of a curve: its name, and the area below it."""
        area = self.area[number] if isinstance(self.area, list) else self.area
        name = "median" if name is None else name
        if area is None:
            return name
        low, high = area.interval(level)
        short = dict(AREAS.values())[area.name]
        return f"{name} ({short} = {area.value:.2f} [{low:.2f}, {high:.2f}])"


def _title_of(band: CurveBand) -> str:
    """Return the title of a picture of a curve."""
    return TITLES.get(band.name, f"{band.y_name[:1].upper()}{band.y_name[1:]} by {band.x_name}")


def _frame(ax: Axes, band: CurveBand, upper: np.ndarray) -> None:
    """Label the axes, and set the full range of rates."""
    ax.set(xlabel=band.x_name, ylabel=band.y_name)
    if band.name in AREAS:
        # Square, as both axes are rates.
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    elif band.x_name != "threshold":
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.05))
    elif np.nanmax(upper) <= 1.0:
        ax.set_ylim(-0.01, 1.05)
