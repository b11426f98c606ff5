"""A ranking of a fit: estimates, curves and thresholds of its items by its scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ParameterError
from ..goals._goal import Goal, GoalBound, GoalLike
from ..goals._mistake_costs import MistakeCosts
from ..goals._question import Question
from ..inputs._arrays import SampleColumns
from ..inputs._validation import check_choice
from ..metrics._metric import Metric, MetricLike
from ..posterior._operating_points import Curve, Task
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, DecisionZone
from ..results._verdict import Verdict
from ._ranking_view import RankingView

# How readers of a study enter a mean over them.
READERS = ("fixed", "random")


def check_single(readers: str) -> None:
    """Raise if readers are random but a single system is asked for."""
    check_choice(readers, "readers", READERS)
    if readers == "random":
        raise ParameterError(
            "readers='random' is for a mean over readers, but a single system is evaluated.",
            "Name the readers, such as of(system=performance.systems_).",
            "readers",
        )


def _check_cost_alone(bounds: tuple[GoalLike, ...], **arguments: Any) -> None:
    """Raise if costs, which choose a threshold, come with a goal or an argument of one."""
    names = [name for name, value in arguments.items() if value is not None]
    if bounds or names:
        others = ", ".join(f"{name}=" for name in names) or "a goal"
        raise ParameterError(
            f"cost= finds the threshold of least expected cost, and so does not take {others}.",
            "Pass one of them.",
            "cost",
        )


@dataclass(frozen=True)
class RankingSettings:
    """Default target, levels and numbers of points of the estimates of a ranking."""

    target: str = "sample"
    confidence_level: float = 0.9
    n_points: int = 200  # of a curve
    n_jobs: int | None = None
    # Row index of X, to which further columns are aligned; None without names of rows.
    row_index: Any = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class MetricArguments:
    """A metric with the other arguments of `RankingMethods.estimate`, as passed."""

    metric: MetricLike | Question | None = "average_precision"
    threshold: float | None = None
    recall: float | None = None
    precision: float | None = None
    selection: float | None = None
    predicted: Callable[[np.ndarray], np.ndarray] | None = None
    target: str | None = None
    zero_division: float | None = None
    readers: str = READERS[0]
    pos_label: Hashable | None = None
    average: str | None = None
    sample_columns: SampleColumns = None

    @property
    def names(self) -> list[str]:
        """Names of the arguments that were passed, beside the metric."""
        optional = (field.name for field in fields(self) if field.default is None)
        names = [name for name in optional if getattr(self, name) is not None]
        return names if self.readers == READERS[0] else [*names, "readers"]


class RankingMethods(ABC):
    """Estimates, curves and thresholds: methods of rankings and of fitted estimators."""

    def estimate(
        self,
        metric: MetricLike | Question = "average_precision",
        *,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        selection: float | None = None,
        predicted: Callable[[np.ndarray], np.ndarray] | None = None,
        target: str | None = None,
        zero_division: float | None = None,
        readers: str = "fixed",
        pos_label: Hashable | None = None,
        average: str | None = None,
        sample_columns: SampleColumns = None,
    ) -> ScalarEstimate:
        """Return the estimate of a metric, with its interval.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            *Rankings*: "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" (the 10
            highest scores, or another :class:`~sklearn_spe.metrics.PrecisionAtK`), "ndcg" or
            "prevalence".

            *Probabilities*, if the scores are probabilities: "brier_score", "log_loss" or
            "expected_calibration_error".

            *Decisions*, at `threshold`: "precision", "recall", "f1", "accuracy",
            "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "specificity",
            "false_positive_rate", "negative_predictive_value" or "net_benefit" (for scores that are
            not probabilities: :class:`~sklearn_spe.metrics.NetBenefit`). Numbers of items are
            "true_positives", "false_negatives", "false_positives" and "predicted_positives". The
            cost of a lower threshold is "precision_recall_slope" or "precision_after_gain" (of 0.1
            of recall, or another :class:`~sklearn_spe.metrics.PrecisionAfterGain`). With
            ``sample_columns={"value": amounts}`` also "value_weighted_recall" and
            "value_weighted_precision".

            With `recall` instead of `threshold`: "precision", "false_positive_rate" or
            "specificity". With `precision`: "recall".

            *More than two classes*: "accuracy", "top_k_accuracy" (the best two, or another
            :class:`~sklearn_spe.metrics.TopKAccuracy`), "balanced_accuracy", "matthews_corrcoef"
            and "cohen_kappa" of all classes, and the other metrics one-vs-rest.

            *Callables* ``metric(y_true, y_score, **sample_columns)`` are called once for each draw.
            Their arguments are labels 0 and 1, and scores that are larger for positives, in the
            order of the rows of X. Rows of other categories, rows without a score and rows of
            weight zero are left out; a row of weight w is repeated w times. With more than two
            classes the arguments are ``metric(y_true, y_proba, **sample_columns)``: the classes,
            and the probabilities of all columns (the softmax if X holds logits).
        threshold : float, default=None
            The decision threshold, on the scale of the scores: an item is predicted positive if its
            score is at least the threshold (at most, with ``greater_is_positive=False``). None uses
            `default_threshold_` for a metric of decisions. The threshold used is
            ``estimate.threshold``.
        recall, precision : float in (0, 1], default=None
            With `recall`, the metric is evaluated at the highest threshold with this recall. With
            `precision`, the result is the largest recall with this precision.
        selection : float, default=None
            Evaluates the :meth:`selection` at this threshold, in which labeled items keep their
            labels. In contrast, `threshold` evaluates the decision rule on the scores alone, which
            also applies to other items.
        predicted : callable, default=None
            For "brier_score" and "log_loss": a function that maps scores, of shape (n_scores,), to
            predicted probabilities. None uses the scores.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`.
        zero_division : float, default=None
            Value in draws where the metric is undefined. The probability of such draws is
            ``estimate.undefined``. None follows scikit-learn.
        readers : {"fixed", "random"}, default="fixed"
            For the mean of several systems, such as ``of(system=["Ann", "Ben"])``. "fixed" means
            the mean over these systems. "random" treats them as a random sample of all readers, and
            the interval includes the variance between readers.
        pos_label : object, default=None
            With more than two classes, the class to evaluate against the rest. None means all
            classes.
        average : {"macro", "weighted", "micro"}, default=None
            With more than two classes and no `pos_label`: how a one-vs-rest metric is averaged over
            classes. "macro" and None weigh classes equally, "weighted" by their numbers of items.
            "micro" pools the counts of all classes, so precision, recall and F1 equal accuracy.
        sample_columns : mapping or DataFrame, default=None
            Further columns, of shape (n_samples,) each, such as amounts, groups or queries. The
            metric gets them as keyword arguments, restricted to the rows on which it is computed.
            With ``target="population"`` rows (with `groups`, whole groups) are drawn with
            replacement, together with these columns. A callable then requires this argument, ``{}``
            if it uses no column: a column that it closes over would not be resampled.

        Returns
        -------
        estimate : ScalarEstimate

        Raises
        ------
        ValueError
            If the metric is unknown or lacks its threshold, recall or precision is outside its
            range, or scores are not probabilities but have to be.

        Warns
        -----
        ThresholdOutsideScoresWarning
            If no score, or every score, reaches the threshold. If none does, recall is 0 and
            precision is set by `zero_division`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> low, high = performance.estimate("precision", threshold=1.0).interval()
        >>> bool(0.0 <= low < high <= 1.0)
        True

        The share of the value of the positives that is found, and the mean of a metric over groups
        of rows:

        >>> amounts = np.linspace(10.0, 1000.0, 300)
        >>> found = performance.estimate(
        ...     "value_weighted_recall", threshold=1.0, sample_columns={"value": amounts})
        >>> bool(0.0 < found.value < 1.0)
        True
        >>> def mean_of_months(y_true, y_score, month):
        ...     return np.mean([y_true[month == m].mean() for m in np.unique(month)])
        >>> months = np.arange(300) % 12
        >>> share = performance.estimate(mean_of_months, sample_columns={"month": months})
        >>> bool(abs(share.value - performance.estimate("prevalence").value) < 1e-12)
        True
        """
        arguments = MetricArguments(
            metric,
            threshold,
            recall,
            precision,
            selection,
            predicted,
            target,
            zero_division,
            readers,
            pos_label,
            average,
            sample_columns,
        )
        return self._ranking()._estimate_of(arguments)

    @abstractmethod
    def _ranking(self) -> Ranking:
        """Return the ranking that answers."""

    @abstractmethod
    def curve(
        self,
        name: str | Curve | Metric = "precision_recall",
        *,
        target: str | None = None,
        thresholds: ArrayLike | None = None,
        zero_division: float | None = None,
    ) -> CurveBand:
        """Return a performance curve with its pointwise credible band.

        Parameters
        ----------
        name : str, Curve or Metric, default="precision_recall"
            "precision_recall" (precision against recall), "roc", "det", or a custom
            :class:`~sklearn_spe.posterior.Curve`. A metric of decisions is drawn against the
            threshold. With more than two classes also "accuracy_coverage", the accuracy of the most
            confident items.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`.
        thresholds : array-like of shape (n_points,), default=None
            Thresholds for a metric. None uses `n_points` scores, evenly spaced by rank.
        zero_division : float, default=None
            Value in draws where the metric is undefined. NaN excludes these draws; None follows
            scikit-learn (0 for precision, recall and F).

        Returns
        -------
        band : CurveBand

        Raises
        ------
        ValueError
            If the curve is unknown.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> band = performance.curve("roc")
        >>> lower, upper = band.interval()
        >>> bool((lower <= band.value).all() and (band.value <= upper).all())
        True
        """

    @overload
    def threshold_for(
        self,
        *bounds: GoalLike,
        confidence_level: float = ...,
        guarantee: str = ...,
        prefer: MetricLike | None = ...,
        cost: tuple[float, float] | None = ...,
        negative: None = ...,
        target: str | None = ...,
        **goal: GoalBound,
    ) -> float: ...

    @overload
    def threshold_for(
        self,
        *bounds: GoalLike,
        confidence_level: float = ...,
        guarantee: str = ...,
        prefer: None = ...,
        cost: None = ...,
        negative: GoalLike,
        target: str | None = ...,
        **goal: GoalBound,
    ) -> DecisionZone: ...

    def threshold_for(
        self,
        *bounds: GoalLike,
        confidence_level: float = 0.95,
        guarantee: str = "posterior",
        prefer: MetricLike | None = None,
        cost: tuple[float, float] | None = None,
        negative: GoalLike | None = None,
        target: str | None = None,
        **goal: GoalBound,
    ) -> float | DecisionZone:
        """Return the best threshold that meets a goal with a given probability.

        With `cost` instead of a goal, return the threshold of least expected cost. With `negative`,
        return two thresholds with separate guarantees; the items between them need review.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            As in :meth:`goal_probability`, such as ``(FBeta(2), 0.8)``.
        confidence_level : float in (0, 1), default=0.95
            The probability with which the goal must be met. The required posterior probability is
            larger, such as 0.95 for 0.9: half of the risk is reserved for misspecification and for
            the selection bias of choosing the best of many thresholds.
        guarantee : {"posterior", "anytime"}, default="posterior"
            "posterior" bases the guarantee on the model. "anytime" bases it on the labels alone, by
            e-processes that are valid for any scores. "anytime" needs many more labels, of items
            drawn at random with ``fit(..., inclusion_proba=np.full(n_items, share))``. It applies
            to ratios of sums over the items of this sample, and is valid for a single look. To look
            again after more labels, use `ActiveTestSelector` with ``interval="anytime"``.
        prefer : str or Metric, default=None
            Metric whose posterior mean is maximized over all thresholds that meet the goal. None
            means "recall" if the goal bounds only precision, specificity or false positive rate,
            "precision" if it bounds only recall, and "f1" otherwise.
        cost : (float, float), default=None
            The cost of a false alarm and that of a miss, both positive; only their ratio matters.
            The result is the threshold of least expected cost, without a guarantee. It replaces the
            goal, and cannot be combined with other arguments except `target`.
        negative : dict or Goal, default=None
            Goal for a second, lower threshold, below which items are predicted negative. For
            example, ``{"negative_predictive_value": 0.95}`` bounds the share of negatives among
            these items, and ``{"recall": 0.9}`` limits the number of positives among them.
            `confidence_level` is then the joint probability of both guarantees; each takes half of
            the risk. Cannot be combined with `prefer`.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`. With "sample" the guarantee is for the
            :meth:`selection` among these items, in which labeled items keep their labels. With
            "population" it is for the threshold as a decision rule, applied to later items of the
            same population.
        **goal
            As in :meth:`goal_probability`, such as ``precision=0.9``.

        Returns
        -------
        threshold : float, or DecisionZone with `negative`
            Items whose score is at least the threshold (at most, with
            ``greater_is_positive=False``) are predicted positive. The threshold is one of the
            scores. It lies just above all scores if selecting only the known positives is best, or
            if `cost` makes every positive prediction too expensive. A DecisionZone holds the two
            thresholds ``zone.positive`` and ``zone.negative``, the share of items between them,
            ``zone.share``, and the rows of these items, ``zone.undecided``.

        Warns
        -----
        UntestedSelectionWarning
            If the model supports a better selection, but too few labeled items test it: fewer than
            two on the side of the threshold that decides on the goal, or fewer than three for
            metrics that depend on both sides, such as recall, false positive rate and F1. Also if
            only selections that rest on the known positives meet the goal. The returned threshold
            then meets the goal for any values of the missing labels. Mostly it selects the known
            positives only.

        Raises
        ------
        UnreachableGoalError
            If no threshold that labels support meets the goal with that probability, or
            ``guarantee="anytime"`` proves none (``UnprovedGoalError``). The error names the best
            threshold.
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory; if
            ``guarantee="anytime"`` and the inclusion probabilities are unknown; if a cost is not
            positive or combined with a goal.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> performance.estimate("precision", selection=threshold).interval(0.8)[0] > 0.79
        True

        A metric without a name:

        >>> from sklearn_spe.metrics import FBeta
        >>> threshold = performance.threshold_for((FBeta(2), 0.6), confidence_level=0.9)
        >>> performance.estimate(FBeta(2), selection=threshold).interval(0.8)[0] > 0.59
        True

        Least expected cost, where a miss is as bad as five false alarms, and the net benefit there,
        in true positives per item, with its interval:

        >>> from sklearn_spe.metrics import NetBenefit
        >>> threshold = performance.threshold_for(cost=(1, 5))
        >>> benefit = performance.estimate(NetBenefit(1 / (1 + 5)), threshold=threshold)
        >>> bool(0.0 < benefit.interval()[0] < benefit.value)
        True

        Two thresholds, with undecided items between them:

        >>> zone = performance.threshold_for(
        ...     precision=0.8, negative={"negative_predictive_value": 0.9}, confidence_level=0.9)
        >>> zone.negative < zone.positive
        True
        >>> called_positive = performance.selection(zone.positive)
        >>> bool((called_positive & zone.undecided).any())
        False
        """
        rule: Goal | MistakeCosts
        if cost is None:
            rule = Goal.of(*bounds, **goal)
        else:
            rule = MistakeCosts.of(cost)
            certain = None if guarantee == "posterior" else guarantee
            _check_cost_alone(bounds, prefer=prefer, negative=negative, guarantee=certain, **goal)
        return self._ranking()._threshold_for(
            rule,
            None if negative is None else Goal.of(negative),
            confidence_level=confidence_level,
            guarantee=guarantee,
            prefer=prefer,
            target=target,
        )

    @abstractmethod
    def selection(self, threshold: float) -> np.ndarray:
        """Return the items selected at a threshold; labeled items keep their labels.

        The selection holds all labeled positives, no labeled negative, and the unlabeled items that
        the threshold predicts positive. Guarantees on this sample apply to it.

        Parameters
        ----------
        threshold : float
            Usually one returned by :meth:`threshold_for`; any number is allowed.

        Returns
        -------
        selection : ndarray of bool of shape (n_samples,)
            For each row of X in `fit`; False for rows of weight zero and of other categories.

        See Also
        --------
        estimate : With `selection`, a metric of the selection with its interval.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(1000, random_state=0)
        >>> y = np.where(np.arange(1000) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> threshold = performance.threshold_for(precision=0.8, confidence_level=0.9)
        >>> answer = performance.selection(threshold)
        >>> bool(answer[y == 1].all() and not answer[y == 0].any())
        True
        """

    @abstractmethod
    def goal_probability(
        self,
        *bounds: GoalLike,
        thresholds: ArrayLike | None = None,
        target: str | None = None,
        **goal: GoalBound,
    ) -> CurveBand:
        """Return the posterior probability that a goal is met, by threshold.

        This is the posterior probability of the condition C(tau) in section 4.4 of [1]_. Its
        interval reflects Monte Carlo error only.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            Bounds on metrics without a name, as pairs of a metric and its bound, such as
            ``(FBeta(2), 0.8)``. The metric is a :class:`~sklearn_spe.metrics.ThresholdMetric` or a
            callable ``metric(y_true, y_pred, sample_weight=...)`` of labels and decisions, which is
            called once for each distinct confusion matrix.
        thresholds : array-like of shape (n_points,), default=None
            Thresholds; None uses `n_points` scores, evenly spaced by rank.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`. With "sample" the goal applies to the
            :meth:`selection` at each threshold, in which labeled items keep their labels; with
            "population" to the threshold as a decision rule.
        **goal
            One keyword for each metric. The value is a lower bound of "precision", "recall", "f1",
            "accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "specificity" and
            "negative_predictive_value", and an upper bound of "false_positive_rate". It lies
            strictly between 0 and 1 (-1 and 1 for the two coefficients). With ``target="sample"``
            numbers of items may be bounded too: "true_positives" and "predicted_positives" from
            below, "false_negatives" and "false_positives" from above. A pair (lower, upper) bounds
            a metric from both sides; one of the two may be None. All bounds must be met together.
            If no item is predicted positive, precision is 0.

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

    @abstractmethod
    def plan(
        self,
        n_labels: ArrayLike,
        metric: MetricLike = "average_precision",
        *,
        strategy: str = "tail",
        **where: Any,
    ) -> np.ndarray:
        """Return the expected width of an interval after further labels.

        The width is the upper minus the lower end of the interval that :meth:`estimate` would
        return.

        Parameters
        ----------
        n_labels : int or array-like of int
            Number of further labels, in addition to the current ones.
        metric : str, Metric or callable, default="average_precision"
            As in :meth:`estimate`.
        strategy : {"tail", "random"}, default="tail"
            Label the unlabeled items with the largest scores, or random items.
        **where
            `threshold`, `recall`, `precision`, `target` and `zero_division` of :meth:`estimate`.

        Returns
        -------
        width : ndarray
            The expected width for each of `n_labels`.

        See Also
        --------
        ActiveTestSelector.plan : Simulated widths, for sequentially selected labels.

        Raises
        ------
        ValueError
            If there are fewer unlabeled items, the strategy is unknown, or the metric is infinite
            in some draws, as a slope may be.

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

    @abstractmethod
    def calibration_curve(
        self,
        predicted: Callable[[np.ndarray], np.ndarray] | None = None,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
    ) -> CurveBand:
        """Return the reliability curve of predicted probabilities on this sample.

        Parameters
        ----------
        predicted : callable, default=None
            A function that maps scores, of shape (n_scores,), to predicted probabilities;
            ``lambda s: s`` if the scores are probabilities. None uses the recalibrated
            probabilities.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins with equal numbers of items, or of equal width; empty bins are omitted.

        Returns
        -------
        band : CurveBand
            The fraction of positives against the mean predicted probability of each bin.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> from scipy.special import expit
        >>> performance.calibration_curve(expit, n_bins=5).value.shape
        (5,)
        """

    @abstractmethod
    def confusion_matrix(
        self,
        *,
        threshold: float | None = None,
        normalize: str | None = None,
        target: str | None = None,
    ) -> ConfusionMatrix:
        """Return the confusion matrix, with intervals.

        Parameters
        ----------
        threshold : float, default=None
            With two classes, the decision threshold. None uses `default_threshold_`.
        normalize : {"true", "pred", "all"}, default=None
            Return shares of the true class (rows), of the predicted class (columns) or of all
            items. None returns counts, or shares of all items with ``target="population"``.
        target : {"sample", "population"}, default=None
            None uses the estimator's `target`.

        Returns
        -------
        matrix : ConfusionMatrix
            With two classes, the negative class comes first.

        Raises
        ------
        ValueError
            With two classes, if no threshold is given and the scores have no usual threshold. With
            more than two classes, if a threshold is given.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> rng = np.random.default_rng(0)
        >>> labels = rng.integers(0, 3, 300)
        >>> scores = 2.0 * np.eye(3)[labels] + rng.standard_normal((300, 3))
        >>> y = np.where(np.arange(300) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(classes=[0, 1, 2], n_draws=200, random_state=0)
        >>> performance = performance.fit(scores, y)
        >>> performance.confusion_matrix().value.shape
        (3, 3)
        """


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(RankingMethods):
    """The ranking of items by one system or rater of a fit, of all items or one category.

    It is made by ``performance.of(system=, category=, judge=)`` of a fitted
    :class:`~sklearn_spe.PerformanceCurveEstimator` and uses the posterior draws of that fit. It is
    immutable: a later update of the estimator does not change it.

    .. versionadded:: 0.1

    Attributes
    ----------
    model : FittedModel
        The fit.
    view : RankingView
        The ranked system and category, their posterior and the encoding of the labels.
    settings : RankingSettings
        The estimator's `target`, `confidence_level`, `n_points` and `n_jobs`.
    posterior_, verdict_, score_direction_, default_threshold_, classes_, pos_label_, seed_
        As those of the estimator, for this ranking.
    target, confidence_level, n_points
        The values in `settings`.

    See Also
    --------
    PerformanceCurveEstimator.of : Returns a ranking.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=1)
    >>> worse = scores + np.random.default_rng(1).standard_normal(500)
    >>> y = np.where(np.arange(500) < 40, labels, -1)
    >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    >>> ranking = performance.fit({"old": worse, "new": scores}, y).of(system="new")
    >>> ranking
    Ranking(system='new')
    >>> low, high = ranking.estimate("roc_auc").interval()
    >>> bool(0.5 < low < high <= 1.0)
    True
    """

    model: Any  # `FittedModel`
    view: RankingView
    settings: RankingSettings

    def _ranking(self) -> Self:
        return self

    @abstractmethod
    def _estimate_of(self, arguments: MetricArguments) -> ScalarEstimate:
        """Return the estimate of a metric, as `estimate`."""

    @abstractmethod
    def _threshold_for(
        self,
        goal: Goal | MistakeCosts,
        negative: Goal | None,
        *,
        confidence_level: float,
        guarantee: str,
        prefer: MetricLike | None,
        target: str | None,
    ) -> float | DecisionZone:
        """Return the best threshold, or both thresholds, as `threshold_for`."""

    @property
    def posterior_(self) -> Any:
        """The posterior of the items; with more than two classes, of their errors."""
        return self.view.posterior

    @property
    def verdict_(self) -> Verdict:
        """The verdict on the fit, worsened by the reasons about these items."""
        return self.model.verdict_on(self.view, of_sample=self.target == "sample")

    @property
    def score_direction_(self) -> Any:
        """The score direction; None with more than two classes."""
        return self.view.score_direction

    @property
    def default_threshold_(self) -> float | None:
        """The usual decision threshold for such scores; None if they have no usual threshold."""
        return self.view.default_threshold

    @property
    def classes_(self) -> np.ndarray:
        """The classes, sorted."""
        return self.view.labels.classes

    @property
    def pos_label_(self) -> Hashable:
        """The positive class; None with more than two classes."""
        return self.view.labels.pos_label

    @property
    def seed_(self) -> int:
        """Seed of the label draws."""
        return self.model.seed

    @property
    def target(self) -> str:
        """The default target of estimates: the sample, or the population."""
        return self.settings.target

    @property
    def confidence_level(self) -> float:
        """Default level of bands and intervals."""
        return self.settings.confidence_level

    @property
    def n_points(self) -> int:
        """Number of points of a curve."""
        return self.settings.n_points

    def __repr__(self) -> str:
        key = self.view.key
        parts = {
            "system": key.system,
            "judge": key.judge,
            "category": key.category,
            "pos_label": key.pos_label,
        }
        chosen = [f"{name}={value!r}" for name, value in parts.items() if value is not None]
        return f"Ranking({', '.join(chosen)})"

    def _task(self, target: str | None = None, zero_division: float | None = None) -> Task:
        """Return how to evaluate an estimate; None means the default of the settings."""
        settings = self.settings
        target = settings.target if target is None else target
        level = settings.confidence_level
        return Task(target, self.model.seed, settings.n_jobs, level, zero_division)
