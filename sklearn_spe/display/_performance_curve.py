"""PerformanceCurveDisplay: a performance curve with its band."""

from __future__ import annotations

import numpy as np

from ..inputs._numbers import check_flag
from ..performance._performance import PerformanceCurveEstimator
from ..results._bands import CurveBand, percent
from ..results._verdict import Verdict
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ._axes import axes_or_new, name_or_own, styled, verdict_note
from ._subject import performance_of


class PerformanceCurveDisplay:
    """Drawing of a performance curve with its band.

    Make it with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    band : CurveBand
        The curve to draw.
    name : str, default=None
        The name in the legend.
    verdict : Verdict, default=None
        On the fit behind the curve; the legend repeats it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib artist
        The band.

    See Also
    --------
    PerformanceCurveEstimator : Estimates the curve.

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
    """

    def __init__(self, band: CurveBand, *, name: str | None = None, verdict: Verdict | None = None):
        self.band = band
        self.name = name
        self.verdict = verdict

    @classmethod
    def from_estimator(
        cls,
        estimator,
        curve="precision_recall",
        *,
        target=None,
        name=None,
        ax=None,
        confidence_level=None,
        simultaneous=False,
        curve_kwargs=None,
        band_kwargs=None,
    ):
        """Draw a curve of a performance estimator.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, or an estimator that has one as `performance_`
            Fitted to scores of which some are labelled.
        curve : str, default="precision_recall"
            As in :meth:`PerformanceCurveEstimator.curve`.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        name, ax, confidence_level, simultaneous, curve_kwargs, band_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : PerformanceCurveDisplay
        """
        performance = performance_of(estimator)
        band = performance.curve(curve, target=target)
        return cls(band, name=name, verdict=performance.verdict_).plot(
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
        y_score : array-like of shape (n_samples,)
            Scores, larger for positives.
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
        """Draw the curve and its band.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new ones.
        name : str, default=None
            The name in the legend; None takes the display's own.
        confidence_level : float in (0, 1), default=None
            The level of the band; None takes that of the curve.
        simultaneous : bool, default=False
            Whether the band holds the whole curve, rather than each point of it.
        curve_kwargs, band_kwargs : dict, default=None
            For matplotlib's `plot` and `fill_between`.

        Returns
        -------
        self : PerformanceCurveDisplay
        """
        check_flag(simultaneous, "simultaneous")
        ax = axes_or_new(ax, self)
        from matplotlib.collections import PolyCollection
        from matplotlib.lines import Line2D

        band = self.band
        level = band.confidence_level if confidence_level is None else confidence_level
        lower, upper = band.envelope(level) if simultaneous else band.interval(level)
        kind = f"{percent(level)} {'simultaneous band' if simultaneous else 'band'}"
        name = name_or_own(name, self)
        label = kind if name is None else f"{name} ({kind})"
        line = {"label": "\n".join(filter(None, [label, verdict_note(self.verdict)]))}
        (self.line_,) = ax.plot(band.x, band.value, **styled(line, curve_kwargs, Line2D))
        fill = {"color": self.line_.get_color(), "alpha": 0.25, "linewidth": 0}
        self.band_ = ax.fill_between(
            band.x, lower, upper, **styled(fill, band_kwargs, PolyCollection)
        )
        ax.set(xlabel=band.x_name, ylabel=band.y_name)
        if band.x_name != "threshold":
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.05))
        elif np.nanmax(upper) <= 1.0:
            ax.set_ylim(-0.01, 1.05)
        ax.legend(loc="best")
        return self
