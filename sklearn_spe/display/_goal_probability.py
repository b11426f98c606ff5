"""GoalProbabilityDisplay: the probability that goals are met, against the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from ..estimators._performance import PerformanceCurveEstimator
from ..exceptions import UnreachableGoalError
from ..goals._goal import Goal, needed_probability
from ..inputs._validation import check_number
from ..models._ranking_value import Ranking
from ..results._estimates import percent
from ._axes import (
    COLORS,
    REFERENCE,
    Display,
    axes_or_new,
    draw_fill,
    draw_line,
    finish,
    following,
    names_of,
    one_for_each,
    performance_of,
    styled,
)
from ._performance_curve import PerformanceCurveDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Metrics on the axes of a precision-recall curve, where goals are boxes.
BOX_METRICS = ("recall", "precision")


@dataclass(eq=False, repr=False)
class GoalProbabilityDisplay(Display):
    """Plot of the probability that goals are met (figure 5 of SPE).

    :meth:`from_estimator` creates it and draws panel B of the figure, the probabilities against the
    threshold. :meth:`plot_boxes` draws panel A, the precision-recall curve with the goals as boxes.

    .. versionadded:: 0.1

    Parameters
    ----------
    bands : list of CurveBand
        The probability of each goal against the threshold, as
        :meth:`PerformanceCurveEstimator.goal_probability` returns it.
    names : list of str, default=None
        The names in the legend; None takes the goals as text.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".
    goals : list of dict or Goal, default=None
        One goal for each band, such as ``{"precision": 0.5, "recall": 0.5}``. Only needed for
        :meth:`plot_boxes`.
    curve : CurveBand, default=None
        The precision-recall curve. Only needed for :meth:`plot_boxes`.
    guaranteed : dict, default=None
        Maps a confidence level to one entry for each goal: the threshold that guarantees the goal
        with this level and the probability of the goal there, or None without such a threshold.
        :meth:`plot` marks them if it draws that level.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last plot.
    figure_ : matplotlib Figure
    lines_ : list of matplotlib Line2D
        One for each goal.
    bands_ : list of matplotlib artist
        The Monte Carlo error, one for each goal.
    level_line_ : matplotlib Line2D or None
        The required probability.
    guarantees_ : list of matplotlib Line2D
        The thresholds that guarantee the goals.
    boxes_ : list of matplotlib Rectangle or None
        One box for each goal, after :meth:`plot_boxes`; None for a goal that is not on precision
        and recall alone.
    curve_display_ : PerformanceCurveDisplay
        The display of the curve in :meth:`plot_boxes`.

    See Also
    --------
    PerformanceCurveEstimator.threshold_for : Chooses a threshold that meets a goal.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import GoalProbabilityDisplay
    >>> scores, labels = make_scores(1000, random_state=0)
    >>> y = np.where(np.arange(1000) < 40, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> goals = [{"precision": 0.5, "recall": 0.5}, {"precision": 0.9}]
    >>> display = GoalProbabilityDisplay.from_estimator(performance, goals)
    >>> [line.get_label() for line in display.lines_]
    ['precision >= 0.5 and recall >= 0.5', 'precision >= 0.9']
    >>> plt.close(display.figure_)
    """

    bands: Any
    _: KW_ONLY
    names: Any = None
    verdict: Any = None
    goals: Any = None
    curve: Any = None
    guaranteed: dict[float, Any] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        goals: Any = None,
        *,
        target: str | None = None,
        thresholds: ArrayLike | None = None,
        names: Any = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> GoalProbabilityDisplay:
        """Draw the probability of goals against the threshold.

        Parameters
        ----------
        estimator : estimator
            A fitted PerformanceCurveEstimator, a Ranking of one, or an estimator that has one of
            these as `performance_`, such as an ActiveTestSelector with a goal.
        goals : dict, Goal or list of them, default=None
            Dicts from metrics to bounds, as in :meth:`PerformanceCurveEstimator.goal_probability`,
            such as ``{"precision": 0.5, "recall": 0.5}`` or ``{FBeta(2): 0.8}``. None means the
            `goal_` of the estimator, and its `confidence_level` unless another one is given.
        target : {"sample", "population"}, default=None
            None means the target of the PerformanceCurveEstimator.
        thresholds : array-like of shape (n_points,), default=None
            The thresholds. None means scores that are evenly spaced by rank.
        names, ax, confidence_level, curve_kwargs, band_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : GoalProbabilityDisplay

        Raises
        ------
        TypeError
            If the estimator has no performance estimate, or the goals are not dicts.
        ValueError
            If no goal is given.
        """
        performance = performance_of(estimator)
        if goals is None:
            goals = getattr(estimator, "goal_", None)
            if goals is not None and confidence_level is None:
                confidence_level = getattr(estimator, "confidence_level", None)
        goals = _listed(goals)

        bands = [
            performance.goal_probability(goal, thresholds=thresholds, target=target)
            for goal in goals
        ]
        curve = performance.curve("precision_recall", target=target)

        guaranteed = None
        if confidence_level is not None:
            thresholds_of_goals = [
                _guaranteed(performance, goal, confidence_level, target) for goal in goals
            ]
            guaranteed = {confidence_level: thresholds_of_goals}

        display = cls(
            bands,
            names=names,
            goals=goals,
            verdict=performance.verdict_,
            curve=curve,
            guaranteed=guaranteed,
        )
        return display.plot(
            ax,
            confidence_level=confidence_level,
            curve_kwargs=curve_kwargs,
            band_kwargs=band_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Any = None,
        confidence_level: float | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        band_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> Self:
        """Draw the probability of each goal against the threshold: panel B.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        names : list of str, default=None
            The names in the legend; None means the names of the display.
        confidence_level : float in (0, 1), default=None
            The level of the guarantee. A dashed line shows the required posterior probability, such
            as 0.95 for 0.9: half of the error probability is reserved for model error. A dot marks
            the threshold of :meth:`PerformanceCurveEstimator.threshold_for`.
        curve_kwargs, band_kwargs : dict or list of dict, default=None
            Keyword arguments of matplotlib's `plot` and `fill_between`; a list holds one dict for
            each goal.

        Returns
        -------
        self : GoalProbabilityDisplay
        """
        labels = self._labels(names)
        curve_kwargs = one_for_each(curve_kwargs, len(self.bands), "curve_kwargs")
        band_kwargs = one_for_each(band_kwargs, len(self.bands), "band_kwargs")
        if confidence_level is not None:
            check_number(confidence_level, "confidence_level", "(0, 1)")

        ax = axes_or_new(ax, self)
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        self.guarantees_: list[Any] = []
        self.level_line_ = None

        rows = zip(self.bands, labels, curve_kwargs, band_kwargs, strict=True)
        for band, label, line_kwargs, fill_kwargs in rows:
            line_style = {"label": label, **following(ax)}
            line = draw_line(ax, band.x, band.value, line_style, line_kwargs)
            self.lines_.append(line)
            fill_style = {"color": line.get_color()}
            self.bands_.append(draw_fill(ax, band.x, band.interval(), fill_style, fill_kwargs))

        if confidence_level is not None:
            needed = needed_probability(confidence_level)
            label = f"{needed:.4g}, needed to guarantee {percent(confidence_level)}"
            self.level_line_ = ax.axhline(needed, label=label, **REFERENCE)
            self._mark_guarantees(ax, (self.guaranteed or {}).get(confidence_level, []))

        ax.set(xlabel="threshold", ylabel="probability", ylim=(-0.01, 1.05))
        finish(ax, "Probability that the goal is met", self.verdict)
        return self

    def _mark_guarantees(self, ax: Axes, thresholds: Sequence[tuple[float, float] | None]) -> None:
        """Mark the thresholds that guarantee goals, each on the line of its goal."""
        for line, guaranteed in zip(self.lines_, thresholds, strict=bool(thresholds)):
            if guaranteed is not None:
                threshold, probability = guaranteed
                self.guarantees_ += ax.plot(
                    [threshold],
                    [probability],
                    label=f"threshold {threshold:.4g}",
                    color=line.get_color(),
                    marker="o",
                    linestyle="none",
                )

    def plot_boxes(
        self,
        ax: Axes | None = None,
        *,
        names: Any = None,
        curve_kwargs: dict[str, Any] | None = None,
        band_kwargs: dict[str, Any] | None = None,
        box_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> Self:
        """Draw panel A: the precision-recall curve, and each goal as a box it must pass.

        A goal on other metrics than precision and recall has no box. Boxes have the same colors as
        the lines of the last :meth:`plot`.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        names : list of str, default=None
            The names in the legend; None means the names of the display.
        curve_kwargs, band_kwargs : dict, default=None
            Keyword arguments of matplotlib's `plot` and `fill_between`, for the curve.
        box_kwargs : dict or list of dict, default=None
            Keyword arguments of matplotlib's `Rectangle`; a list holds one dict for each goal.

        Returns
        -------
        self : GoalProbabilityDisplay

        Raises
        ------
        ValueError
            If the display was made without goals or curve, or no goal is a box.
        """
        labels = self._labels(names)
        box_kwargs = one_for_each(box_kwargs, len(self.bands), "box_kwargs")
        corners = self._corners()
        ax = axes_or_new(ax, self)
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Rectangle

        # Gray, to differ from the colors of the boxes.
        line = styled({"color": "0.35"}, curve_kwargs)
        self.curve_display_ = PerformanceCurveDisplay(self.curve, verdict=self.verdict).plot(
            ax, curve_kwargs=line, band_kwargs=band_kwargs
        )

        lines = getattr(self, "lines_", None)
        self.boxes_: list[Any] = []
        rows = zip(corners, labels, box_kwargs, strict=True)
        for i, (corner, label, user_kwargs) in enumerate(rows):
            if corner is None:
                self.boxes_.append(None)
                continue

            # In the color of the goal's line, if panel B has been drawn.
            (left, right), (bottom, top) = corner
            color = lines[i].get_color() if lines else COLORS[i % len(COLORS)]
            style = {
                "facecolor": to_rgba(color, 0.12),
                "edgecolor": color,
                "linewidth": 1.5,
                "label": label,
            }
            patch_kwargs = styled(style, user_kwargs, Rectangle)
            box = Rectangle((left, bottom), right - left, top - bottom, **patch_kwargs)
            self.boxes_.append(ax.add_patch(box))

        finish(ax, "Goals", self.verdict)
        return self

    def _labels(self, names: Any) -> list[str]:
        """Return a name for each goal."""
        labels = names_of(names, self.names, len(self.bands), "names")
        return [
            band.name if label is None else label
            for label, band in zip(labels, self.bands, strict=True)
        ]

    def _corners(self) -> list[Any]:
        """Return the ends of each box in recall and in precision, or None."""
        if self.goals is None or self.curve is None:
            raise ValueError(
                "plot_boxes needs goals= and curve=, the precision-recall curve; from_estimator "
                "passes both."
            )
        if len(self.goals) != len(self.bands):
            raise ValueError(
                f"goals must hold one goal for each of the {len(self.bands)} bands; got "
                f"{len(self.goals)}."
            )
        corners = [_box(Goal.of(goal)) for goal in self.goals]
        if not any(corners):
            raise ValueError("No goal is on precision and recall alone, as is needed for a box.")
        return corners


def _listed(goals: Any) -> list[dict[str, Any] | Goal]:
    if goals is None or (isinstance(goals, (Mapping, list, tuple)) and not goals):
        raise ValueError('Pass goals=, such as {"precision": 0.5, "recall": 0.5}.')
    kinds = (Mapping, Goal)
    goals = [goals] if isinstance(goals, kinds) else goals
    if not isinstance(goals, (list, tuple)) or not all(isinstance(g, kinds) for g in goals):
        raise TypeError(f"goals must be a dict or a list of dicts, or of Goal; got {goals!r}.")
    return [goal if isinstance(goal, Goal) else dict(goal) for goal in goals]


def _guaranteed(
    performance: PerformanceCurveEstimator | Ranking,
    goal: dict[str, float] | Goal,
    level: float,
    target: str | None,
) -> tuple[float, float] | None:
    """Return the threshold that guarantees a goal, and the probability; None if none does."""
    try:
        threshold = performance.threshold_for(goal, confidence_level=level, target=target)
    except UnreachableGoalError:
        return None
    band = performance.goal_probability(goal, thresholds=[threshold], target=target)
    return threshold, float(band.value[0])


def _box(goal: Goal) -> list[Any] | None:
    """Return the ends of a box in recall and precision, None if the goal is on other metrics."""
    ends = {bound.metric.name: (bound.low, bound.high) for bound in goal.bounds}
    if not ends.keys() <= set(BOX_METRICS):
        return None
    return [ends.get(name, (0.0, 1.0)) for name in BOX_METRICS]
