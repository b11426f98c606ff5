"""ScoreMixtureDisplay: the histogram of all scores and the densities fitted to it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..estimators._score_mixture import SemisupervisedScoreMixture
from ..inputs._arrays import RandomState
from ..inputs._validation import as_numbers, check_choice, check_count
from ..models._fitted_model import NOT_FITTED
from ..models._rankings import NO_DENSITY
from ..results._estimates import CurveBand
from ._axes import COLORS, Display, axes_or_new, draw_fill, draw_line, finish, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colors of the negative, the positive and of all items.
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": COLORS[0], "linestyle": "-"},
    {"color": COLORS[1], "linestyle": "-"},
    {"color": "0.25", "linestyle": "--", "linewidth": 1.2},
)
# Space for the labeled items below the density, as a share of the height.
ROOM = 0.1
# With a larger share of all items in one bin, the others are invisible.
SATURATED = 0.3


@dataclass(eq=False, repr=False)
class ScoreMixtureDisplay(Display):
    """Plot of the scores, the fitted densities and the labeled items (figure 2A of SPE).

    Use :meth:`from_estimator` or :meth:`from_predictions` to create it.

    .. versionadded:: 0.1

    Parameters
    ----------
    negative, positive, total : CurveBand
        The densities (1 - prevalence) p0 and prevalence p1, and their sum, against the score.
    cells : ScoreSample
        All scores and the labels.
    class_names : tuple of str
        The names of the negative and of the positive class.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        The negative, the positive and the total density.
    bands_ : list of matplotlib artist

    See Also
    --------
    SemisupervisedScoreMixture : Fits the densities.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import ScoreMixtureDisplay
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> display = ScoreMixtureDisplay.from_predictions(y, scores, n_draws=200, random_state=0)
    >>> len(display.lines_)
    3
    >>> plt.close(display.figure_)
    """

    negative: CurveBand
    positive: CurveBand
    total: CurveBand
    cells: Any
    _: KW_ONLY
    class_names: Any = ("0", "1")
    verdict: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_points: int = 200,
        ax: Axes | None = None,
        confidence_level: float = 0.9,
        bins: Any = 60,
        density_scale: str = "auto",
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        histogram_kwargs: dict[str, Any] | None = None,
    ) -> ScoreMixtureDisplay:
        """Draw a fitted mixture.

        Parameters
        ----------
        estimator : SemisupervisedScoreMixture or PerformanceCurveEstimator
            Fitted.
        n_points : int, default=200
            The number of points at which densities are computed.
        ax, confidence_level, bins, density_scale, curve_kwargs, band_kwargs, histogram_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : ScoreMixtureDisplay
        """
        check_count(n_points, "n_points", 2)
        if not getattr(getattr(estimator, "model_", None), "is_one_pool", True):
            raise ValueError(NO_DENSITY)

        mixture = getattr(estimator, "mixture_", estimator)
        # Other estimators have no density to draw.
        check_is_fitted(mixture, "posterior_", msg=NOT_FITTED)

        posterior = mixture.posterior_
        scores = _grid(posterior, n_points)
        parts = [posterior.log_score_density(scores, block) for block in posterior.blocks()]
        negative, positive = (np.exp(np.concatenate(p)) for p in zip(*parts, strict=True))

        bands = [
            CurveBand.from_draws(
                "score_mixture", scores, draws, posterior.weights, x_name="score", y_name="density"
            )
            for draws in (negative, positive, negative + positive)
        ]

        of_negative, of_positive, of_both = bands
        return cls(
            of_negative,
            of_positive,
            of_both,
            posterior.sample,
            class_names=mixture.labels_.names(),
            verdict=mixture.verdict_,
        ).plot(
            ax,
            confidence_level=confidence_level,
            bins=bins,
            density_scale=density_scale,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            histogram_kwargs=histogram_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        classes: Any = None,
        pos_label: Any = None,
        n_draws: Any = 1000,
        random_state: RandomState = None,
        n_points: int = 200,
        ax: Axes | None = None,
        confidence_level: float = 0.9,
        bins: Any = 60,
        density_scale: str = "auto",
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        histogram_kwargs: dict[str, Any] | None = None,
    ) -> ScoreMixtureDisplay:
        """Fit a mixture to partially labeled scores, and draw it.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels; -1, NaN or None for unlabeled items.
        y_score : array-like of shape (n_samples,)
            Scores, larger for positives.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.
        classes, pos_label, n_draws, random_state
            As in :class:`SemisupervisedScoreMixture`.
        n_points : int, default=200
            The number of points at which densities are computed.
        ax, confidence_level, bins, density_scale, curve_kwargs, band_kwargs, histogram_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : ScoreMixtureDisplay
        """
        mixture = SemisupervisedScoreMixture(
            classes=classes, pos_label=pos_label, n_draws=n_draws, random_state=random_state
        )
        return cls.from_estimator(
            mixture.fit(y_score, y_true, sample_weight),
            n_points=n_points,
            ax=ax,
            confidence_level=confidence_level,
            bins=bins,
            density_scale=density_scale,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            histogram_kwargs=histogram_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        confidence_level: float = 0.9,
        bins: Any = 60,
        density_scale: str = "auto",
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        histogram_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the histogram of all scores, the densities with their bands and the labels.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        confidence_level : float in (0, 1), default=0.9
            The level of the pointwise bands.
        bins : int, array-like or str, default=60
            The number of bars, their edges, or a rule of `numpy.histogram_bin_edges`.
        density_scale : {"auto", "linear", "log"}, default="auto"
            The scale of the density axis. "auto" is logarithmic if a bar has more than 30% of all
            items, because the other bars would be invisible.
        curve_kwargs, band_kwargs, histogram_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot`, `fill_between` and `hist`.

        Returns
        -------
        self : ScoreMixtureDisplay
        """
        check_choice(density_scale, "density_scale", ("auto", "linear", "log"))
        ax = axes_or_new(ax, self)
        from matplotlib.patches import Rectangle

        # All scores.
        bins = _read_bins(bins, self.cells.scores)
        style = {"density": True, "color": "0.82", "bins": bins, "label": "all scores"}
        bar_kwargs = styled(style, histogram_kwargs, Rectangle)
        bars, edges, _ = ax.hist(self.cells.scores, weights=self.cells.counts, **bar_kwargs)
        heights = np.asarray(bars)

        # The density of each class, and of both.
        self.lines_ = []
        self.bands_ = []
        labels = (*(f"class {name}" for name in self.class_names), "both")
        bands = (self.negative, self.positive, self.total)
        for band, label, look in zip(bands, labels, LOOKS, strict=True):
            line_style = {**look, "label": label}
            self.lines_.append(draw_line(ax, band.x, band.value, line_style, curve_kwargs))
            ends = band.interval(confidence_level)
            fill_style = {"color": look["color"]}
            self.bands_.append(draw_fill(ax, band.x, ends, fill_style, band_kwargs))

        ax.set(xlabel="score", ylabel="density")
        shares = heights * np.diff(edges)
        if density_scale == "auto":
            density_scale = "log" if shares.max() > SATURATED * shares.sum() else "linear"
        self._make_room(ax, heights, density_scale)

        # The labeled items of each class, in a row of its own.
        weights = (self.cells.negative, self.cells.positive)
        for row, (weight, look) in enumerate(zip(weights, LOOKS, strict=False)):
            scores = self.cells.scores[weight > 0.0]
            height = np.full(len(scores), ROOM * (0.3 + 0.4 * row))
            ax.plot(
                scores,
                height,
                "|",
                transform=ax.get_xaxis_transform(),
                color=look["color"],
                markersize=6,
                zorder=2.4,
            )
        finish(ax, "Scores of both classes", self.verdict)
        return self

    def _make_room(self, ax: Axes, heights: np.ndarray, density_scale: str) -> None:
        """Leave space below the density for the labeled items."""
        top = max(heights.max(), *(np.nanmax(line.get_ydata()) for line in self.lines_[:3]))
        if density_scale == "linear":
            ax.set_ylim(-ROOM / (1.0 - ROOM) * 1.05 * top, 1.05 * top)
            ax.set_yticks([tick for tick in ax.get_yticks() if 0.0 <= tick <= 1.05 * top])
            ax.axhline(0.0, color="0.7", linewidth=0.6, zorder=0.5)
            return
        from matplotlib.patches import Rectangle

        # One item is the smallest visible height of a histogram.
        low = heights[heights > 0.0].min() / 3.0
        decades = np.log10(2.0 * top / low)
        ax.set_yscale("log")
        # On a logarithmic axis bars have no base, and lines are unbounded below.
        ground = Rectangle(
            (0.0, 0.0),
            1.0,
            ROOM,
            transform=ax.transAxes,
            facecolor=ax.get_facecolor(),
            edgecolor="none",
            zorder=2.2,
        )
        ax.add_patch(ground)
        ax.set_ylim(low / 10.0 ** (decades * ROOM / (1.0 - ROOM)), 2.0 * top)


def _read_bins(bins: Any, scores: np.ndarray) -> Any:
    """Return the bins for matplotlib's `hist`, if bars then have a height."""
    if isinstance(bins, Integral):
        return check_count(bins, "bins")
    if isinstance(bins, str):
        return bins

    edges = as_numbers(bins, "bins")
    increasing = edges.ndim == 1 and len(edges) > 1 and (np.diff(edges) > 0.0).all()
    within = (scores >= edges[0]) & (scores <= edges[-1]) if increasing else np.zeros(1, dtype=bool)
    if not (increasing and np.isfinite(edges).all() and within.any()):
        raise ValueError(
            "bins must be a number of bars, or at least two increasing edges with scores between "
            f"them, which range from {scores.min():.6g} to {scores.max():.6g}; got {bins!r}."
        )
    return edges


def _grid(posterior: Any, n_points: int) -> np.ndarray:
    """Return scores, evenly spaced on the user's scale, over the range of all scores."""
    first, last = posterior.sample.scores[[0, -1]]
    return np.linspace(first, last, n_points)
