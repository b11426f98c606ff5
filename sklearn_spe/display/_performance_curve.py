"""PerformanceCurveDisplay: performance curves with their bands."""

from __future__ import annotations

import numpy as np

from ..inputs._numbers import check_flag, check_number
from ..performance._performance import PerformanceCurveEstimator
from ..results._bands import CurveBand, ScalarEstimate, percent
from ..results._verdict import Verdict
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ._axes import axes_or_new, distinct, name_or_own, one_for_each, styled, verdict_note
from ._rankings import rankings_of
from ._subject import performance_of

# The number that a legend gives of each of several curves: the area below it.
AREAS = {"precision_recall": ("average_precision", "AP"), "roc": ("roc_auc", "AUC")}


class PerformanceCurveDisplay:
    """Drawing of a performance curve with its band, or of several.

    Make it with :meth:`from_estimator` or :meth:`from_predictions`. The curves of several systems
    are drawn together, in colors that are told apart by whoever sees red and green alike.

    Parameters
    ----------
    band : CurveBand or list of CurveBand
        The curve to draw, or several.
    name : str or list of str, default=None
        The name in the legend; of several curves a list.
    verdict : Verdict, default=None
        On the fit behind the curves; the legend repeats it unless it is "ok".
    area : list of ScalarEstimate, default=None
        Of several curves the numbers that the legend gives, with their intervals: average
        precision or the area under the ROC curve.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D or list of matplotlib Line2D
        The curve, or the curves.
    band_ : matplotlib artist or list of matplotlib artist
        The band, or the bands.

    See Also
    --------
    PerformanceCurveEstimator : Estimates the curve.
    EstimateDisplay : Numbers of several systems, or categories, with their intervals.

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
    ...     y, scores, n_draws=500, random_state=0
    ... )
    >>> display.ax_.get_xlabel()
    'recall'
    >>> plt.close(display.figure_)

    Two systems that score the same items:

    >>> worse = scores + np.random.default_rng(1).standard_normal(500)
    >>> display = PerformanceCurveDisplay.from_predictions(
    ...     y, np.column_stack([scores, worse]), random_state=0
    ... )
    >>> display.name
    ['system 0', 'system 1']
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        band: CurveBand | list[CurveBand],
        *,
        name: str | list[str] | None = None,
        verdict: Verdict | None = None,
        area: list[ScalarEstimate] | None = None,
    ):
        self.band = band
        self.name = name
        self.verdict = verdict
        self.area = area

    @classmethod
    def from_estimator(
        cls,
        estimator,
        curve="precision_recall",
        *,
        system=None,
        category=None,
        target=None,
        name=None,
        ax=None,
        confidence_level=None,
        simultaneous=False,
        curve_kwargs=None,
        band_kwargs=None,
    ):
        """Draw a curve of a performance estimator, or one for each of several systems.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, or an estimator that has one as `performance_`
            Fitted to scores of which some are labelled.
        curve : str, default="precision_recall"
            As in :meth:`PerformanceCurveEstimator.curve`.
        system : object or list of object, default=None
            Of which system, by name or number, or of which ones; None stands for all.
        category : object or list of object, default=None
            In which category; a list draws a curve for each. None stands for all items.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        name, ax, confidence_level, simultaneous, curve_kwargs, band_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : PerformanceCurveDisplay
        """
        performance = performance_of(estimator)
        rankings = rankings_of(performance, system, category)
        bands = [ranking.curve(curve, target=target) for ranking in rankings.values()]
        if len(bands) == 1:
            (own,) = rankings
            display = cls(bands[0], name=own, verdict=performance.verdict_)
        else:
            metric, _ = AREAS.get(bands[0].name, (None, None))
            area = metric and [one.estimate(metric, target=target) for one in rankings.values()]
            display = cls(bands, name=list(rankings), verdict=performance.verdict_, area=area)
        display.name = display.name if name is None else name
        return display.plot(
            ax,
            confidence_level=confidence_level,
            simultaneous=simultaneous,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_score,
        *,
        curve="precision_recall",
        target="sample",
        sample_weight=None,
        classes=None,
        pos_label=None,
        n_draws=1000,
        random_state=None,
        name=None,
        ax=None,
        confidence_level=None,
        simultaneous=False,
        curve_kwargs=None,
        band_kwargs=None,
    ):
        """Draw a curve from scores of which some are labelled.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; -1, NaN or None where an item is not labelled.
        y_score : array-like of shape (n_samples,) or (n_samples, n_systems)
            Scores, larger for positives; a column for each of several systems.
        curve, target, name, ax, confidence_level, simultaneous, curve_kwargs, band_kwargs
            As in :meth:`from_estimator`.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.
        classes, pos_label, n_draws, random_state
            As in :class:`SemisupervisedScoreMixture`.

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
            curve=curve,
            name=name,
            ax=ax,
            confidence_level=confidence_level,
            simultaneous=simultaneous,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
        )

    def plot(
        self,
        ax=None,
        *,
        name=None,
        confidence_level=None,
        simultaneous=False,
        curve_kwargs=None,
        band_kwargs=None,
    ):
        """Draw each curve and its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new ones.
        name : str or list of str, default=None
            The name in the legend, of several curves a list; None takes the display's own.
        confidence_level : float in (0, 1), default=None
            The level of the band; None takes that of the curve.
        simultaneous : bool, default=False
            Whether the band holds the whole curve, rather than each point of it.
        curve_kwargs, band_kwargs : dict or list of dict, default=None
            For matplotlib's `plot` and `fill_between`; a list holds one dict for each curve.

        Returns
        -------
        self : PerformanceCurveDisplay
        """
        check_flag(simultaneous, "simultaneous")
        several = isinstance(self.band, list)
        bands = self.band if several else [self.band]
        curve_kwargs = one_for_each(curve_kwargs, len(bands), "curve_kwargs")
        band_kwargs = one_for_each(band_kwargs, len(bands), "band_kwargs")
        level = bands[0].confidence_level if confidence_level is None else confidence_level
        check_number(level, "confidence_level", "(0, 1)")
        kind = f"{percent(level)} {'simultaneous band' if simultaneous else 'band'}"
        if several:
            title = [f"{kind}s", verdict_note(self.verdict)]
            labels = self._labels_of_several(name, len(bands), level)
        else:
            title = []
            labels = [self._label_of_one(name_or_own(name, self), kind)]
        ax = axes_or_new(ax, self)
        lines, fills = [], []
        for number, band in enumerate(bands):
            lower, upper = band.envelope(level) if simultaneous else band.interval(level)
            line = {"label": labels[number], **(distinct(number) if several else {})}
            fill = {"alpha": 0.15 if several else 0.25, "linewidth": 0}
            lines.append(_draw_line(ax, band, line, curve_kwargs[number]))
            fill["color"] = lines[-1].get_color()
            fills.append(_draw_fill(ax, band, (lower, upper), fill, band_kwargs[number]))
            _frame(ax, band, upper)
        self.line_, self.band_ = (lines, fills) if several else (lines[0], fills[0])
        ax.legend(loc="best", title="\n".join(filter(None, title)) or None)
        return self

    def _label_of_one(self, name, kind: str) -> str:
        """Return what the legend says of the only curve."""
        label = kind if name is None else f"{name} ({kind})"
        return "\n".join(filter(None, [label, verdict_note(self.verdict)]))

    def _labels_of_several(self, name, n_curves: int, level) -> list[str]:
        """Return what the legend says of each curve."""
        names = self.name if name is None else name
        if not isinstance(names, list) or len(names) != n_curves:
            raise ValueError(
                f"name must be a list of {n_curves} names, one for each curve; got {names!r}."
            )
        if self.area is None:
            return names
        short = dict(AREAS.values())
        return [
            f"{one} ({short[area.name]} = {area.value:.2f} [{low:.2f}, {high:.2f}])"
            for one, area in zip(names, self.area, strict=True)
            for low, high in [area.interval(level)]
        ]


def _draw_line(ax, band, style, given):
    from matplotlib.lines import Line2D

    (line,) = ax.plot(band.x, band.value, **styled(style, given, Line2D))
    return line


def _draw_fill(ax, band, ends, style, given):
    from matplotlib.collections import PolyCollection

    return ax.fill_between(band.x, *ends, **styled(style, given, PolyCollection))


def _frame(ax, band, upper) -> None:
    """Name the axes, and let rates have all of their range."""
    ax.set(xlabel=band.x_name, ylabel=band.y_name)
    if band.x_name != "threshold":
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.05))
    elif np.nanmax(upper) <= 1.0:
        ax.set_ylim(-0.01, 1.05)
