"""EstimateDisplay: a metric of several systems or categories, with intervals."""

from __future__ import annotations

from ..results._bands import ScalarEstimate
from ..results._verdict import Verdict
from ._axes import axes_or_new
from ._dots import draw_dots, in_words
from ._rankings import rankings_of
from ._subject import performance_of


class EstimateDisplay:
    """Plot of a metric of each system, or in each category, with its interval.

    Make it with :meth:`from_estimator`. Overlapping intervals do not imply that the difference may
    be zero: see :class:`DifferenceDisplay`.

    Parameters
    ----------
    estimates : dict of str to ScalarEstimate
        The numbers by name.
    verdict : Verdict, default=None
        On the fit behind them; the legend repeats it unless it is "ok".

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    errorbar_ : matplotlib ErrorbarContainer
        Dots and intervals, the first name on top.

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
    """

    def __init__(self, estimates: dict[str, ScalarEstimate], *, verdict: Verdict | None = None):
        self.estimates = estimates
        self.verdict = verdict

    @classmethod
    def from_estimator(
        cls,
        estimator,
        metric="average_precision",
        *,
        system=None,
        category=None,
        threshold=None,
        recall=None,
        precision=None,
        target=None,
        ax=None,
        confidence_level=None,
        errorbar_kwargs=None,
    ):
        """Draw a metric of a performance estimator.

        Parameters
        ----------
        estimator : PerformanceCurveEstimator, or an estimator that has one as `performance_`
            Fitted to partially labeled scores.
        metric : str, Metric or callable, default="average_precision"
            As in :meth:`PerformanceCurveEstimator.estimate`.
        system : object or list of object, default=None
            The systems, by name or number; None means all.
        category : object or list of object, default=None
            The categories, such as ``performance.categories_``; None means all items.
        threshold, recall, precision : float, default=None
            Where, as in :meth:`PerformanceCurveEstimator.estimate`.
        target : {"sample", "population"}, default=None
            None means the estimator's own.
        ax, confidence_level, errorbar_kwargs
            As in :meth:`plot`.

        Returns
        -------
        display : EstimateDisplay
        """
        performance = performance_of(estimator)
        where = {"threshold": threshold, "recall": recall, "precision": precision}
        estimates = {
            name or "all items": ranking.estimate(metric, **where, target=target)
            for name, ranking in rankings_of(performance, system, category).items()
        }
        return cls(estimates, verdict=performance.verdict_).plot(
            ax, confidence_level=confidence_level, errorbar_kwargs=errorbar_kwargs
        )

    def plot(self, ax=None, *, confidence_level=None, errorbar_kwargs=None):
        """Draw the numbers with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes new ones.
        confidence_level : float in (0, 1), default=None
            The level of the intervals; None takes that of the numbers.
        errorbar_kwargs : dict, default=None
            For matplotlib's `errorbar`.

        Returns
        -------
        self : EstimateDisplay
        """
        ax = axes_or_new(ax, self)
        self.errorbar_ = draw_dots(
            ax, self.estimates, confidence_level, self.verdict, errorbar_kwargs
        )
        ax.set_xlabel(in_words(next(iter(self.estimates.values()))))
        return self
