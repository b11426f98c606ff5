"""Displays of numbers: estimates, and differences of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

from ..estimators._side_by_side import compared_names, side_by_side
from ..inputs._validation import check_flag, name_error, place_of_name, place_of_system
from ..models._class_ranking import table_by_class
from ..models._ranking_value import MetricArguments, Ranking
from ..models._ranking_view import RankingKey
from ..results._estimates import ScalarEstimate
from ..results._tables import ConfusionMatrix
from ..results._verdict import Verdict
from ._axes import (
    Display,
    axes_or_new,
    draw_dots,
    draw_matrix,
    finish,
    in_words,
    name_of_system,
    performance_of,
    rankings_of,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Probabilities nearer to 0 or 1 are not resolved by the draws.
NEARLY_CERTAIN = 0.99


@dataclass(eq=False, repr=False)
class EstimateDisplay(Display):
    """Plot of a metric and its interval by system, category or class, or of a confusion matrix.

    Use :meth:`from_estimator` or :meth:`from_confusion_matrix` to create it. Overlapping intervals
    do not imply that the difference may be zero: see :class:`DifferenceDisplay`.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimates : dict of str to ScalarEstimate, or ConfusionMatrix
        The estimates by name, or by true and predicted class.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    errorbar_ : matplotlib ErrorbarContainer or None
        Dots and intervals, with the first name on top. None for a confusion matrix.
    image_ : matplotlib AxesImage or None
        The heat map of a confusion matrix, else None.

    See Also
    --------
    DifferenceDisplay : The differences, with probabilities.
    PerformanceCurveEstimator.by_category : The numbers of all categories as a table.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import EstimateDisplay
    >>> scores, labels = make_scores(500, random_state=0)
    >>> country = np.where(np.arange(500) % 3 == 0, "FR", "ES")
    >>> y = np.where(np.arange(500) < 60, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0)
    >>> performance = performance.fit(scores, y, category=country)
    >>> display = EstimateDisplay.from_estimator(performance, category=["FR", "ES"])
    >>> display.ax_.get_xlabel()
    'average precision'
    >>> plt.close(display.figure_)
    >>> matrix = performance.confusion_matrix(threshold=1.0)
    >>> display = EstimateDisplay.from_confusion_matrix(matrix)
    >>> display.ax_.get_xlabel()
    'predicted class'
    >>> plt.close(display.figure_)
    """

    estimates: dict[str, ScalarEstimate] | ConfusionMatrix
    _: KW_ONLY
    verdict: Verdict | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        metric: Any = "average_precision",
        *,
        system: Any = None,
        category: Any = None,
        by_class: bool = False,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        target: str | None = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        errorbar_kwargs: dict[str, Any] | None = None,
    ) -> EstimateDisplay:
        """Draw a metric of a performance estimator.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, Ranking, or an estimator with one as `performance_`
            Fitted to partially labeled scores.
        metric : str, Metric or callable, default="average_precision"
            As in :meth:`PerformanceCurveEstimator.estimate`.
        system : object or list of object, default=None
            The systems to draw, by name or number. None means all.
        category : object or list of object, default=None
            The categories to draw, such as ``performance.categories_``. None means all items.
        by_class : bool, default=False
            Whether to draw the metric of each class against the rest, with more than two classes.
        threshold, recall, precision : float, default=None
            The operating point, as in :meth:`PerformanceCurveEstimator.estimate`.
        target : {"sample", "population"}, default=None
            None means the target of the estimator.
        ax, confidence_level, errorbar_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : EstimateDisplay
        """
        performance = performance_of(estimator)
        if check_flag(by_class, "by_class"):
            ranking = performance
            if not isinstance(performance, Ranking):
                ranking = performance.of(system=system)
            table = table_by_class(ranking, metric, target=target)
            estimates = dict(table.items())
        else:
            estimates = {}
            for name, ranking in rankings_of(performance, system, category).items():
                estimates[name or "all items"] = ranking.estimate(
                    metric,
                    threshold=threshold,
                    recall=recall,
                    precision=precision,
                    target=target,
                )

        verdict = performance.verdict_.worsened_by(list(estimates.values()))
        return cls(estimates, verdict=verdict).plot(
            ax, confidence_level=confidence_level, errorbar_kwargs=errorbar_kwargs
        )

    @classmethod
    def from_confusion_matrix(
        cls,
        matrix: ConfusionMatrix,
        *,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        image_kwargs: dict[str, Any] | None = None,
    ) -> EstimateDisplay:
        """Draw a confusion matrix as a heat map, with an interval in each cell.

        Parameters
        ----------
        matrix : ConfusionMatrix
            As :meth:`PerformanceCurveEstimator.confusion_matrix` returns it.
        ax, confidence_level, image_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : EstimateDisplay
        """
        if not isinstance(matrix, ConfusionMatrix):
            raise TypeError(
                f"matrix must be a ConfusionMatrix, got {type(matrix).__name__}: pass what "
                "PerformanceCurveEstimator.confusion_matrix returns."
            )
        return cls(matrix).plot(ax, confidence_level=confidence_level, image_kwargs=image_kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        confidence_level: float | None = None,
        errorbar_kwargs: dict[str, Any] | None = None,
        image_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the numbers with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        confidence_level : float in (0, 1), default=None
            The level of the intervals; None means the level of the estimates.
        errorbar_kwargs, image_kwargs : dict, default=None
            Keyword arguments of matplotlib's `errorbar`, and for `imshow` of a confusion matrix.

        Returns
        -------
        self : EstimateDisplay
        """
        ax = axes_or_new(ax, self)
        self.errorbar_ = None
        self.image_ = None
        if isinstance(self.estimates, ConfusionMatrix):
            self.image_ = draw_matrix(ax, self.estimates, confidence_level, image_kwargs)
            return self

        self.errorbar_ = draw_dots(ax, self.estimates, confidence_level, errorbar_kwargs)
        quantity = in_words(next(iter(self.estimates.values())))
        ax.set_xlabel(quantity)
        finish(ax, f"{quantity[:1].upper()}{quantity[1:]}", self.verdict)
        return self


@dataclass(eq=False, repr=False)
class DifferenceDisplay(Display):
    """Plot of the differences of systems, or of categories, from a baseline.

    Each difference has a dot with its interval. On the right is the probability that the system is
    better than the baseline, or that the category has a higher value. Use :meth:`from_estimator` to
    create it.

    .. versionadded:: 0.1

    Parameters
    ----------
    differences : dict of str to ScalarEstimate
        The differences by name.
    probabilities : list of float
        The probability that each system is better, or each category higher.
    what : str
        The name of the axis: "average precision: difference from forest".
    ahead : {"better", "higher"}, default="better"
        The event that the probabilities are of.
    verdict : Verdict, default=None
        The verdict on the fit. The legend shows it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    errorbar_ : matplotlib ErrorbarContainer
        Dots and intervals, the first name on top.
    zero_line_ : matplotlib Line2D
        The line of no difference.
    probability_axis_ : matplotlib Axes
        The axis on the right.

    See Also
    --------
    PerformanceCurveEstimator.difference : Estimates a difference.
    PerformanceCurveEstimator.ranking_proba : The probabilities.
    EstimateDisplay : The numbers themselves.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> from sklearn_spe.display import DifferenceDisplay
    >>> scores, labels = make_scores(500, random_state=1)
    >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(500)
    >>> y = np.where(np.arange(500) < 60, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0)
    >>> performance = performance.fit({0: scores, 1: worse}, y)
    >>> display = DifferenceDisplay.from_estimator(performance, baseline=1)
    >>> display.ax_.get_xlabel()
    'average precision: difference from system 1'
    >>> plt.close(display.figure_)
    """

    differences: dict[str, ScalarEstimate]
    probabilities: list[float]
    what: str
    _: KW_ONLY
    ahead: str = "better"
    verdict: Verdict | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        metric: Any = "average_precision",
        *,
        baseline: Any = None,
        system: Any = None,
        category: Any = None,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        target: str | None = None,
        ax: Axes | None = None,
        confidence_level: float | None = None,
        errorbar_kwargs: dict[str, Any] | None = None,
        zero_kwargs: dict[str, Any] | None = None,
    ) -> DifferenceDisplay:
        """Draw the differences of all systems, or all categories, from a baseline.

        Several systems are compared with each other. For a single system, or the given `system`,
        categories are compared.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, or an estimator that has one as `performance_`
            Fitted to the scores of several systems, or with categories.
        metric : str, Metric or callable, default="average_precision"
            As in :meth:`PerformanceCurveEstimator.estimate`.
        baseline : object, default=None
            The system or category with which all others are compared. None means the first.
        system : object, default=None
            The system whose categories are compared.
        category : object, default=None
            The category in which systems are compared; None means all items.
        threshold, recall, precision : float, default=None
            The operating point, as in :meth:`PerformanceCurveEstimator.estimate`.
        target : {"sample", "population"}, default=None
            None means the target of the estimator.
        ax, confidence_level, errorbar_kwargs, zero_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : DifferenceDisplay
        """
        performance = performance_of(estimator)
        if isinstance(performance, Ranking):
            raise TypeError(
                "DifferenceDisplay compares the systems or categories of a "
                f"PerformanceCurveEstimator, and {performance!r} is one of them: pass the "
                "estimator."
            )
        kind, names = compared_names(performance, system)
        baseline = names[0 if baseline is None else _number_of(baseline, names, kind)]

        arguments = MetricArguments(metric, threshold, recall, precision, target=target)
        key = RankingKey(system, category)
        # Categories with more positives are neither better nor worse.
        greater_is_better = None if kind == "system" else True
        comparison = side_by_side(performance, arguments, key, greater_is_better=greater_is_better)

        labels = {}
        for name in names:
            labels[str(name)] = name_of_system(name) if kind == "system" else str(name)
        differences = comparison.differences(baseline).items()
        return cls(
            {labels[name]: difference for name, difference in differences},
            list(comparison.proba_ahead_of(baseline)),
            f"{in_words(comparison[baseline])}: difference from {labels[str(baseline)]}",
            ahead="better" if kind == "system" else "higher",
            verdict=performance.verdict_.worsened_by(comparison.estimates),
        ).plot(
            ax,
            confidence_level=confidence_level,
            errorbar_kwargs=errorbar_kwargs,
            zero_kwargs=zero_kwargs,
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        confidence_level: float | None = None,
        errorbar_kwargs: dict[str, Any] | None = None,
        zero_kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Draw the differences with their intervals and probabilities.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new axes.
        confidence_level : float in (0, 1), default=None
            The level of the intervals; None means the level of the differences.
        errorbar_kwargs, zero_kwargs : dict, default=None
            Keyword arguments of matplotlib's `errorbar` and `axvline`.

        Returns
        -------
        self : DifferenceDisplay
        """
        ax = axes_or_new(ax, self)
        style = {"color": "k", "linewidth": 0.8}
        zero_line_kwargs = styled(style, zero_kwargs)
        self.zero_line_ = ax.axvline(0.0, **zero_line_kwargs)
        self.errorbar_ = draw_dots(ax, self.differences, confidence_level, errorbar_kwargs)
        ax.set_xlabel(self.what)
        finish(ax, "Differences, and how sure they are", self.verdict)

        self.probability_axis_ = ax.secondary_yaxis("right")
        self.probability_axis_.set_yticks(ax.get_yticks(), map(_shown, self.probabilities))
        self.probability_axis_.set_ylabel(f"probability of being {self.ahead}")
        return self


def _number_of(baseline: Any, names: Sequence[Hashable], kind: str) -> int:
    """Return the index of the baseline."""
    if kind == "system":
        return place_of_system(baseline, names, "baseline")
    index = place_of_name(baseline, names)
    if index is None:
        raise name_error("baseline", baseline, names)
    return index


def _shown(probability: float) -> str:
    """Return a probability at the resolution of the draws."""
    if probability > NEARLY_CERTAIN:
        return f"> {NEARLY_CERTAIN:g}"
    least = 1.0 - NEARLY_CERTAIN
    return f"< {least:.2g}" if probability < least else f"{probability:.2f}"
