"""CalibrationBandDisplay: reliability curves with bands, before and after recalibration."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

from ..inputs._validation import check_flag
from ..results._estimates import percent
from ._axes import (
    REFERENCE,
    Display,
    axes_or_new,
    draw_fill,
    draw_line,
    finish,
    following,
    one_for_each,
    performance_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The name used by scikit-learn, which checks it to see whether the line exists.
PERFECT = "Perfectly calibrated"
DOTTED: dict[str, Any] = {**REFERENCE, "linestyle": ":"}
MARKS = "so^D"


@dataclass(eq=False, repr=False)
class CalibrationBandDisplay(Display):
    """Plot of reliability curves with their bands.

    It extends scikit-learn's CalibrationDisplay to partially labeled data: the bands show the
    uncertainty due to unknown labels. Use :meth:`from_estimator` to create it.

    .. versionadded:: 0.1

    Parameters
    ----------
    bands : dict of str to CurveBand
        The reliability curves by name, as
        :meth:`PerformanceCurveEstimator.calibration_curve` returns them.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        One for each curve.
    bands_ : list of matplotlib artist
        One for each curve.

    See Also
    --------
    PerformanceCurveEstimator.calibration_curve : Estimates the curves.

    Notes
    -----
    The curve of the recalibrated probabilities compares a model with itself. It lies near the
    diagonal even if the model is wrong. Its band shows the expected deviations from the diagonal
    under the model. For evidence against the model see the verdict.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import CalibrationBandDisplay
    >>> scores, labels = make_scores(1000, random_state=0)
    >>> y = np.where(np.arange(1000) < 40, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> display = CalibrationBandDisplay.from_estimator(performance, predicted=expit)
    >>> list(display.bands)
    ['before', 'recalibrated']
    >>> plt.close(display.figure_)
    """

    bands: Any
    _: KW_ONLY
    verdict: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        predicted: Any = None,
        n_bins: int = 10,
        strategy: str = "quantile",
        ax: Axes | None = None,
        confidence_level: float | None = None,
        ref_line: bool = True,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> CalibrationBandDisplay:
        """Draw the reliability of probabilities before and after recalibration.

        Parameters
        ----------
        estimator : estimator
            A fitted PerformanceCurveEstimator, a Ranking of one, or an estimator that has one of
            these as `performance_`.
        predicted : callable, default=None
            A function that maps scores to the probabilities before recalibration. None means the
            `predicted_before_` of the estimator. If there is none, only the recalibrated
            probabilities are drawn.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins with equal numbers of items, or of equal width. Empty bins are left out.
        ax, confidence_level, ref_line, curve_kwargs, band_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : CalibrationBandDisplay

        Raises
        ------
        TypeError
            If the estimator has no performance estimate, or `predicted` is not a function.
        """
        performance = performance_of(estimator)
        if predicted is None:
            predicted = getattr(estimator, "predicted_before_", None)
        if predicted is not None and not callable(predicted):
            raise TypeError(
                f"predicted must be a function from scores to probabilities, got "
                f"{type(predicted).__name__}. If the scores are probabilities, pass "
                f"predicted=lambda scores: scores."
            )

        functions = {"recalibrated": None}
        if predicted is not None:
            functions = {"before": predicted, **functions}
        bands = {
            name: performance.calibration_curve(function, n_bins=n_bins, strategy=strategy)
            for name, function in functions.items()
        }
        return cls(bands, verdict=performance.verdict_).plot(
            ax,
            confidence_level=confidence_level,
            ref_line=ref_line,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        confidence_level: float | None = None,
        ref_line: bool = True,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> Self:
        """Draw the curves with their bands, and the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        confidence_level : float in (0, 1), default=None
            The level of the pointwise bands; None means the level of each curve.
        ref_line : bool, default=True
            Whether to draw the diagonal, on which probabilities are perfectly calibrated.
        curve_kwargs, band_kwargs : dict or list of dict, default=None
            Keyword arguments of matplotlib's `plot` and `fill_between`; a list holds one dict for
            each curve.

        Returns
        -------
        self : CalibrationBandDisplay
        """
        curve_kwargs = one_for_each(curve_kwargs, len(self.bands), "curve_kwargs")
        band_kwargs = one_for_each(band_kwargs, len(self.bands), "band_kwargs")
        check_flag(ref_line, "ref_line")
        ax = axes_or_new(ax, self)
        if ref_line and PERFECT not in ax.get_legend_handles_labels()[1]:
            ax.plot([0.0, 1.0], [0.0, 1.0], label=PERFECT, **DOTTED)
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []

        rows = zip(self.bands.items(), curve_kwargs, band_kwargs, strict=True)
        for (name, band), line_kwargs, fill_kwargs in rows:
            level = band.confidence_level if confidence_level is None else confidence_level
            line_style = {
                "label": f"{name} ({percent(level)} band)",
                **following(ax),
                "marker": MARKS[len(self.lines_) % len(MARKS)],
                "markersize": 5,
            }
            line = draw_line(ax, band.x, band.value, line_style, line_kwargs)
            self.lines_.append(line)
            fill_style = {"color": line.get_color()}
            ends = band.interval(level)
            self.bands_.append(draw_fill(ax, band.x, ends, fill_style, fill_kwargs))
            ax.set(xlabel=band.x_name, ylabel=band.y_name)

        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        finish(ax, "Calibration: share of positives by predicted probability", self.verdict)
        return self
