"""How probable it is that a threshold meets a goal, asked of a posterior of performance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._posterior import Posterior
from ..curves._goals import Goal, best_threshold, goal_probability
from ..curves._grid import rising_thresholds, threshold_grid
from ..curves._task import Task
from ..inputs._numbers import check_number
from ..inputs._orientation import Orientation
from ..results._bands import CurveBand

__all__ = ["GoalQuestions"]


class GoalQuestions:
    """Mixin of what knows a posterior of performance, and finds thresholds that meet goals.

    It needs `posterior_`, `orientation_`, `pos_label_` and `seed_`, and the parameters `target`,
    `confidence_level`, `n_points` and `n_jobs`.
    """

    posterior_: Posterior
    orientation_: Orientation
    pos_label_: object
    seed_: int
    target: str
    confidence_level: float
    n_points: int
    n_jobs: int | None

    def goal_probability(self, *bounds, thresholds=None, target=None, **goal) -> CurveBand:
        """Return how probable it is that a goal is met, against the threshold.

        The posterior probability of the condition C(tau) of section 4.4 of [1]_. Its interval
        is about simulation alone: so many draws were counted.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            Bounds on metrics that have no name of their own: pairs such as ``(FBeta(2), 0.8)``
            of a :class:`~sklearn_spe.metrics.ThresholdMetric` and what is wanted of it, or of a
            callable ``metric(y_true, y_pred, sample_weight=...)`` of labels and decisions, which
            is called once for each table of counts (:class:`~sklearn_spe.metrics.OfPredictions`).
        thresholds : array-like of shape (n_points,), default=None
            Where. None takes `n_points` scores, evenly spaced by rank.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        **goal
            One keyword a metric: "precision", "recall", "f1", "accuracy", "balanced_accuracy",
            "matthews_corrcoef", "cohen_kappa" and "specificity" at least, "false_positive_rate"
            at most, each strictly within its range (0 to 1; the two coefficients -1 to 1); or a
            pair (at least, at most), of which one may be None. All must hold together. If no
            item is called positive, precision is 0.

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory.

        References
        ----------
        .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
           semisupervised classifier evaluation and recalibration." CVPR 2013.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> band = performance.goal_probability(precision=0.7, recall=0.3)
        >>> bool(band.value.max() > 0.8)
        True
        """
        check_is_fitted(self, "posterior_")
        band = goal_probability(
            self.posterior_,
            Goal.of(*bounds, **goal),
            self._grid(thresholds),
            self._task(target),
        )
        return self._named(self._turned(band))

    def threshold_for(
        self, *bounds, confidence_level=0.95, prefer=None, target=None, **goal
    ) -> float:
        """Return the most useful threshold that meets a goal with a probability.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            As :meth:`goal_probability` takes them, such as ``(FBeta(2), 0.8)``.
        confidence_level : float in (0, 1), default=0.95
            The posterior probability with which the goal must be met.
        prefer : str or Metric, default=None
            Of all thresholds that do, the one is taken at which the posterior mean of this
            metric is best. None stands for what the goal leaves open: "recall" if it bounds
            precision, specificity or false positive rate only, "precision" if it bounds recall
            only, else "f1".
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        **goal
            As :meth:`goal_probability` takes it, such as ``precision=0.9``.

        Returns
        -------
        threshold : float
            A score of the sample. Items whose score is at least this (at most, with
            ``greater_is_positive=False``) are called positive.

        Raises
        ------
        UnreachableGoalError
            If no threshold meets the goal with that probability; it names the best one.
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> performance.estimate("precision", threshold=threshold).interval(0.8)[0] > 0.79
        True

        A metric without a name:

        >>> from sklearn_spe.metrics import FBeta
        >>> threshold = performance.threshold_for((FBeta(2), 0.6), confidence_level=0.9)
        >>> performance.estimate(FBeta(2), threshold=threshold).interval(0.8)[0] > 0.59
        True
        """
        check_is_fitted(self, "posterior_")
        check_number(confidence_level, "confidence_level", "(0, 1)")
        threshold = best_threshold(
            self.posterior_,
            Goal.of(*bounds, **goal),
            self._task(target),
            confidence_level=confidence_level,
            prefer=prefer,
            turn=self.orientation_.turn_threshold,
            pos_label=self.pos_label_,
        )
        return float(self.orientation_.turn_threshold(threshold))

    def _grid(self, thresholds) -> np.ndarray:
        """Return rising thresholds on the scale on which larger scores mean positive."""
        sample = self.posterior_.sample
        if thresholds is None:
            return threshold_grid(sample, self.n_points)
        return rising_thresholds(sample, thresholds, self.orientation_)

    def _turned(self, band: CurveBand) -> CurveBand:
        """Return a band over thresholds on the scale of the user."""
        if self.orientation_.greater_is_positive:
            return band
        return replace(
            band,
            x=self.orientation_.turn(band.x)[::-1],
            law=band.law.reversed(),
            undefined=np.asarray(band.undefined)[::-1],
        )

    def _named(self, result, **fields):
        """Return a result that names the positive class."""
        return replace(result, pos_label=self.pos_label_, **fields)

    def _task(self, target=None, zero_division=None) -> Task:
        target = self.target if target is None else target
        return Task(target, self.seed_, self.n_jobs, self.confidence_level, zero_division)
