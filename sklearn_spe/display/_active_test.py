"""ActiveTestDisplay: an estimate against the number of labels."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..active._selector import ActiveTestSelector
from ..inputs._validation import check_flag, check_number
from ..results._estimates import CurveBand, ScalarEstimate, percent
from ..results._verdict import Verdict
from ._axes import (
    Display,
    axes_or_new,
    draw_fill,
    draw_line,
    finish,
    following,
    name_or_own,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# With more batches than these, they are drawn without markers.
MAX_MARKS = 60
# Maximum number of distinguishable error bars.
MAX_BARS = 30


@dataclass(eq=False, repr=False)
class ActiveTestDisplay(Display):
    """Plot of an estimate and its interval against the number of labels.

    The design-based estimate, which does not depend on the model, and the metric of the labeled
    items alone are drawn too. Use :meth:`from_estimator` to create it.

    .. versionadded:: 0.1

    Parameters
    ----------
    history : History
        The `history_` of a selector.
    metric : str, default="estimate"
        The name of the axis: the estimated quantity, in words.
    confidence_level : float, default=0.9
        The level of the intervals of the history.
    interval : {"posterior", "design", "anytime"}, default="posterior"
        The kind of these intervals.
    true_value : float, default=None
        The true value, if it is known.
    half_width : float in (0, 0.5), default=None
        The target half width of the interval.
    name : str, default=None
        The name in the legend.
    is_proof : bool, default=False
        Whether the probabilities of the goal in the history are levels of a proof.
    verdict : Verdict, default=None
        The verdict on the last estimate. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
        The estimate.
    band_ : matplotlib artist
        Its intervals.
    design_line_ : matplotlib Line2D or None
        The design-based estimate, where it is defined; None if it is not drawn.
    design_bars_ : matplotlib artist or None
        Its intervals.
    naive_line_ : matplotlib Line2D or None
        The metric of the labeled items alone.
    goal_line_ : matplotlib Line2D or None
        The probability that the best selection meets the goal, or the level at which this is
        proved. None without a goal.
    truth_line_ : matplotlib Line2D or None
    stop_line_ : matplotlib Line2D or None
        The number of labels at which the interval first has the target half width; None if it never
        has.

    See Also
    --------
    ActiveTestSelector : Chooses the items to label, and estimates.

    Notes
    -----
    For a curve, the mean over its points is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import ActiveTestDisplay
    >>> scores, truth = make_scores(2000, random_state=0)
    >>> y = np.where(np.arange(2000) < 20, truth, -1)
    >>> selector = ActiveTestSelector(random_state=0).fit(scores, y)
    >>> while not selector.should_stop(max_labels=50):
    ...     items = selector.query()
    ...     _ = selector.update(items, truth[items])
    >>> display = ActiveTestDisplay.from_estimator(selector)
    >>> display.ax_.get_ylabel()
    'average precision'
    >>> plt.close(display.figure_)
    """

    history: Any
    _: KW_ONLY
    metric: str = "estimate"
    confidence_level: float = 0.9
    interval: str = "posterior"
    true_value: float | None = None
    half_width: float | None = None
    name: str | None = None
    is_proof: bool = False
    verdict: Verdict | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: ActiveTestSelector,
        *,
        true_value: float | None = None,
        half_width: float | None = None,
        name: Any = None,
        ax: Axes | None = None,
        plot_design: bool = True,
        plot_naive: bool = True,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        design_kwargs: dict[str, Any] | None = None,
        naive_kwargs: dict[str, Any] | None = None,
        truth_kwargs: dict[str, Any] | None = None,
    ) -> ActiveTestDisplay:
        """Draw the estimates of a selector after each batch of labels.

        Parameters
        ----------
        estimator : ActiveTestSelector
            Fitted.
        true_value : float, default=None
            The true value for comparison, if it is known.
        half_width : float in (0, 0.5), default=None
            The target half width of the interval. The first number of labels that reaches it is
            marked.
        name, ax, plot_design, plot_naive
            As in :meth:`plot`.
        curve_kwargs, band_kwargs, design_kwargs, naive_kwargs, truth_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : ActiveTestDisplay

        Raises
        ------
        TypeError
            If the estimator is not a selector.
        """
        if not isinstance(estimator, ActiveTestSelector):
            raise TypeError(
                f"from_estimator draws a fitted ActiveTestSelector; got "
                f"{type(estimator).__name__}. The scores of a classifier go into "
                f"ActiveTestSelector().fit(scores)."
            )
        check_is_fitted(estimator, "n_labels_")
        if half_width is not None:
            check_number(half_width, "half_width", "(0, 0.5)")

        estimate = estimator.estimate_
        if not hasattr(estimator, "performance_"):
            naive_kwargs = {"label": _label(name, "naive"), **(naive_kwargs or {})}

        return cls(
            estimator.history_,
            metric=_in_words(estimate),
            confidence_level=estimate.confidence_level,
            interval=estimate.kind,
            true_value=true_value,
            half_width=half_width,
            name=name,
            is_proof=estimator.interval == "anytime",
            verdict=estimator.verdict_,
        ).plot(
            ax,
            plot_design=plot_design,
            plot_naive=plot_naive,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
            design_kwargs=design_kwargs,
            naive_kwargs=naive_kwargs,
            truth_kwargs=truth_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: Any = None,
        plot_design: bool = True,
        plot_naive: bool = True,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        design_kwargs: dict[str, Any] | None = None,
        naive_kwargs: dict[str, Any] | None = None,
        truth_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the estimate, its interval, and the model-based and design-based estimates.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        name : str, default=None
            The name in the legend; None means the names of the display.
        plot_design, plot_naive : bool, default=True
            Whether to draw the design-based estimate, and the metric of the labeled items alone.
        curve_kwargs, band_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` and `fill_between`: the estimate and its
            intervals.
        design_kwargs, naive_kwargs, truth_kwargs : dict, default=None
            Keyword arguments of matplotlib's `errorbar`, `plot` and `axhline`.

        Returns
        -------
        self : ActiveTestDisplay
        """
        check_flag(plot_design, "plot_design")
        check_flag(plot_naive, "plot_naive")
        ax = axes_or_new(ax, self)
        name = name_or_own(name, self)
        self.design_line_ = None
        self.design_bars_ = None
        self.naive_line_: Line2D | None = None

        self._draw_estimate(name, curve_kwargs, band_kwargs)
        if plot_design:
            self._draw_design(name, design_kwargs)
        if plot_naive:
            self._draw_naive(name, naive_kwargs)
        self._draw_goal(name)
        self._draw_truth(truth_kwargs)
        self._draw_stop(name)

        ax.set(xlabel="labels", ylabel=self.metric)
        finish(ax, f"{self.metric[:1].upper()}{self.metric[1:]} as labels come in", self.verdict)
        return self

    def _draw_estimate(
        self,
        name: str | None,
        curve_kwargs: dict[str, Any] | None,
        band_kwargs: dict[str, Any] | None,
    ) -> None:
        history = self.history
        n_labels = history.column("n_labels")
        kind = "" if self.interval == "posterior" else f"{self.interval} "
        style = {
            "label": f"{name or 'estimate'} ({percent(self.confidence_level)} {kind}band)",
            "marker": "o" if len(history) <= MAX_MARKS else "",
            "markersize": 3.5,
            # Before the design-based estimate, which may coincide.
            "zorder": 2.5,
            **following(self.ax_),
        }
        self.line_ = draw_line(self.ax_, n_labels, history.column("estimate"), style, curve_kwargs)

        ends = map(history.column, ("low", "high"))
        fill = {"color": self.line_.get_color()}
        self.band_ = draw_fill(self.ax_, n_labels, ends, fill, band_kwargs)

    def _draw_design(self, name: str | None, design_kwargs: dict[str, Any] | None) -> None:
        """Draw the design-based estimate where it is defined, and some of its intervals."""
        n_labels, value, low, high = (
            self.history.column(name)
            for name in ("n_labels", "design", "design_low", "design_high")
        )
        is_defined = np.isfinite(value)
        if not is_defined.any():
            return
        n_labels = n_labels[is_defined]
        value = value[is_defined]
        low = low[is_defined]
        high = high[is_defined]

        style = {
            "label": _label(name, f"design-based ({percent(self.confidence_level)})"),
            **following(self.ax_),
            "linestyle": "--",
            "linewidth": 1.2,
            "elinewidth": 0.8,
            "capsize": 2,
            "errorevery": -(-len(value) // MAX_BARS),
        }
        bar_kwargs = styled(style, design_kwargs)
        # A legend puts lines before error bars: the line represents both.
        label = bar_kwargs.pop("label")

        # The estimate lies in every interval, up to rounding.
        sides = np.maximum([value - low, high - value], 0.0)
        line, _, bars = self.ax_.errorbar(n_labels, value, sides, **bar_kwargs)
        line.set_label(label)
        self.design_line_ = line
        (self.design_bars_,) = bars

    def _draw_naive(self, name: str | None, naive_kwargs: dict[str, Any] | None) -> None:
        naive = self.history.column("naive")
        if np.isfinite(naive).any():
            label = _label(name, "labeled items alone")
            style = {"label": label, "linestyle": "-.", "color": "0.5", "linewidth": 1.2}
            n_labels = self.history.column("n_labels")
            self.naive_line_ = draw_line(self.ax_, n_labels, naive, style, naive_kwargs)

    def _draw_goal(self, name: Any) -> None:
        """Draw the probability of the goal, or the level at which it is proved."""
        self.goal_line_ = None
        probability = self.history.column("goal_probability")
        if np.isfinite(probability).any():
            quantity = "level of the proof" if self.is_proof else "probability of the goal"
            style = {"label": _label(name, quantity), "linestyle": ":", "linewidth": 1.5}
            n_labels = self.history.column("n_labels")
            style["color"] = self.line_.get_color()
            self.goal_line_ = draw_line(self.ax_, n_labels, probability, style, None)

    def _draw_truth(self, truth_kwargs: dict[str, Any] | None) -> None:
        self.truth_line_ = None
        if self.true_value is not None:
            check_number(self.true_value, "true_value", "[-inf, inf]")
            in_legend = "truth" in self.ax_.get_legend_handles_labels()[1]
            style = {"label": None if in_legend else "truth", "color": "k", "linewidth": 1.0}
            line_kwargs = styled(style, truth_kwargs)
            self.truth_line_ = self.ax_.axhline(self.true_value, **line_kwargs)

    def _draw_stop(self, name: str | None) -> None:
        """Mark the number of labels at which the interval is narrow enough."""
        self.stop_line_ = None
        if self.half_width is None:
            return

        half_widths = (self.history.column("high") - self.history.column("low")) / 2.0
        narrow = np.flatnonzero(half_widths <= self.half_width)
        if len(narrow):
            n_labels = self.history[narrow[0]].n_labels
            self.stop_line_ = self.ax_.axvline(
                n_labels,
                color=self.line_.get_color(),
                linestyle=":",
                label=_label(name, f"±{self.half_width:g} with {n_labels} labels"),
            )


def _label(name: str | None, line: str) -> str:
    """Return the legend entry of a line that belongs to a name."""
    return line if name is None else f"{name}, {line}"


def _in_words(estimate: CurveBand | ScalarEstimate) -> str:
    """Return the name of the estimated quantity."""
    if isinstance(estimate, CurveBand):
        return f"mean {estimate.y_name}"
    return estimate.name.replace("_", " ")
