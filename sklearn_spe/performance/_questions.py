"""What can be asked of the posterior of one classifier's performance."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..curves._estimates import curve_band, threshold_band
from ..curves._grid import Curve
from ..curves._question import Question, as_curve
from ..curves._reliability import reliability_band
from ..curves._tradeoffs import tradeoff_band
from ..metrics._metric import TradeoffMetric
from ..planning._planned_width import check_plan, planned_width
from ..results._bands import CurveBand, ScalarEstimate
from ._goal_questions import GoalQuestions

__all__ = ["PerformanceQuestions"]


class PerformanceQuestions(GoalQuestions):
    """Mixin of what knows a posterior of performance, and answers questions about it.

    It needs `posterior_`, `orientation_`, `pos_label_`, `default_threshold_` and `seed_`, and the
    parameters `target`, `confidence_level`, `n_points` and `n_jobs`.
    """

    default_threshold_: float | None

    def curve(self, name="precision_recall", *, target=None, thresholds=None, zero_division=None):
        """Return a performance curve with its band.

        Parameters
        ----------
        name : str, Curve or Metric, default="precision_recall"
            "precision_recall" (precision against recall), "roc", "det", a
            :class:`~sklearn_spe.curves.Curve` of your own, or a metric of the decision
            ``score >= threshold``, which is returned against the threshold.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        thresholds : array-like of shape (n_points,), default=None
            For a metric: where. None takes `n_points` scores, evenly spaced by rank.
        zero_division : float, default=None
            What takes the place of undefined values: NaN leaves those draws out, None does
            as scikit-learn does (0 for precision, recall and F).

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If there is no such curve, or a threshold lies outside the range of the scores.
        """
        check_is_fitted(self, "posterior_")
        task = self._task(target, zero_division)
        curve = as_curve(name)
        if isinstance(curve, Curve):
            if thresholds is not None:
                raise ValueError(f"The curve {curve.name!r} does not take thresholds=.")
            return self._named(curve_band(curve, self.posterior_, task, n_points=self.n_points))
        band = tradeoff_band if isinstance(curve, TradeoffMetric) else threshold_band
        grid = self._grid(thresholds)
        return self._named(self._turned(band(curve, self.posterior_, task, thresholds=grid)))

    def estimate(
        self,
        metric="average_precision",
        *,
        threshold=None,
        recall=None,
        precision=None,
        predicted=None,
        target=None,
        zero_division=None,
    ) -> ScalarEstimate:
        """Return one number with its interval.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" (of the 10
            highest scores, or another :class:`~sklearn_spe.metrics.PrecisionAtK`) or
            "prevalence"; if the scores are probabilities, "brier_score" or "log_loss"; with
            `threshold`, "precision", "recall", "f1", "accuracy", "balanced_accuracy",
            "matthews_corrcoef", "cohen_kappa", "specificity" or "false_positive_rate", and what a
            lower threshold would cost, "precision_recall_slope" or "precision_after_gain" (of 0.1
            of recall, or another :class:`~sklearn_spe.metrics.PrecisionAfterGain`); "precision"
            with `recall`; "recall" with `precision`; or a callable ``metric(y_true, y_score)``,
            which is called once for each draw with the items of this sample sorted by score, and
            labels 0 and 1.
        threshold : float, default=None
            On the scale of the scores; an item is called positive if its score is at least
            the threshold (at most, with ``greater_is_positive=False``). None takes
            `default_threshold_` for a metric of a decision; ``estimate.threshold`` says it.
        recall, precision : float in (0, 1], default=None
            The precision at this recall, or the largest recall at this precision.
        predicted : callable, default=None
            For "brier_score" and "log_loss": from scores, of shape (n_scores,), to the
            probabilities that are measured. None takes the scores themselves.
        target : {"sample", "population"}, default=None
            None takes the estimator's own.
        zero_division : float, default=None
            What takes the place of undefined values; their probability is
            ``estimate.undefined``. None does as scikit-learn does.

        Returns
        -------
        estimate : ScalarEstimate

        Raises
        ------
        ValueError
            If the metric is unknown, needs a threshold and has none, a threshold, recall or
            precision lies outside its range, or scores are no probabilities where they must be.
        """
        check_is_fitted(self, "posterior_")
        task = self._task(target, zero_division)
        question = Question.of(metric, threshold=threshold, recall=recall, precision=precision)
        if question.is_curve:
            raise ValueError(
                f"{question.name!r} is a curve, not one number; use curve({question.name!r})."
            )
        if question.is_open:
            question = question.at(self._decision(question.name))
        if predicted is not None and not question.of_probabilities:
            raise ValueError(
                f"{question.name!r} is no measure of predicted probabilities and does not take "
                f"predicted=."
            )
        predicted = self._predicted(predicted)
        return self._named(
            question.estimate(self.posterior_, self.orientation_, task, predicted=predicted)
        )

    def plan(self, n_labels, metric="average_precision", *, design="tail", **where) -> np.ndarray:
        """Return how wide the interval of a number will be once more items are labelled.

        Parameters
        ----------
        n_labels : int or array-like of int
            How many more items.
        metric : str, Metric or callable, default="average_precision"
            As :meth:`estimate` takes it.
        design : {"tail", "random"}, default="tail"
            Whether the largest scores that have no label get one, or random items.
        **where
            `threshold`, `recall`, `precision`, `target` and `zero_division` of :meth:`estimate`.

        Returns
        -------
        width : ndarray
            One for each of `n_labels`: a plan, no promise.

        Raises
        ------
        ValueError
            If there are not so many items without a label, the design is unknown, or the number
            is infinite in some draws, as a slope may be.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
        >>> few, many = performance.plan([20, 200], "recall", threshold=2.0)
        >>> bool(few > many)
        True
        """
        check_is_fitted(self, "posterior_")
        check_plan(self.posterior_.sample, n_labels, design)
        estimate = self.estimate(metric, **where)
        threshold = estimate.threshold
        turned = None if threshold is None else self.orientation_.turn_threshold(threshold)
        return planned_width(
            self.posterior_,
            estimate.draws,
            n_labels,
            self._task(where.get("target")),
            design=design,
            threshold=turned,
        )

    def calibration_curve(self, predicted=None, *, n_bins=10, strategy="quantile") -> CurveBand:
        """Return the reliability curve of predicted probabilities, on this very sample.

        Parameters
        ----------
        predicted : callable, default=None
            From scores, of shape (n_scores,), to the probabilities whose reliability is
            wanted; ``lambda s: s`` if the scores themselves are probabilities. None takes the
            recalibrated ones.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins of equally many items, or of equal width; empty ones are left out.

        Returns
        -------
        band : CurveBand
            The fraction of positives against the mean predicted probability of each bin.
        """
        check_is_fitted(self, "posterior_")
        probability = self._predicted(predicted) or self.posterior_.expected_probability
        task = self._task("sample")
        return self._named(
            reliability_band(self.posterior_, probability, task, n_bins=n_bins, strategy=strategy)
        )

    def _decision(self, name: str) -> float:
        """Return the threshold that the scores themselves say."""
        if self.default_threshold_ is not None:
            return self.default_threshold_
        raise ValueError(
            f"{name!r} is about a decision, and these scores do not say where it is taken: "
            f"pass threshold=, such as threshold=0 for margins and log-odds and threshold=0.5 for "
            f"probabilities, or what they are, SemisupervisedScoreMixture(score_kind='margin'). "
            f"Precision is also known at a recall=, and recall at a precision=."
        )

    def _predicted(self, predicted):
        """Return predicted probabilities as a function of scores that mean positive."""
        if predicted is None:
            return None
        if not callable(predicted):
            raise TypeError(
                f"predicted must be a function from scores to probabilities, got {predicted!r}."
            )
        return lambda scores: np.asarray(predicted(self.orientation_.turn(scores)), dtype=float)
