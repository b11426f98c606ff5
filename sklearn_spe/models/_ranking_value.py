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
            "readers='random' is for a mean over readers, but a single system is asked for.",
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
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" (of the 10 highest
            scores, or another :class:`~sklearn_spe.metrics.PrecisionAtK`), "ndcg" or "prevalence";
            if the scores are probabilities, "brier_score", "log_loss" or
            "expected_calibration_error"; with `threshold`, "precision", "recall", "f1", "accuracy",
            "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "specificity",
            "false_positive_rate", "negative_predictive_value" or "net_benefit" (of scores that are
            probabilities, or :class:`~sklearn_spe.metrics.NetBenefit`), the numbers of items
            "true_positives", "false_negatives", "false_positives" or "predicted_positives", and the
            cost of a lower threshold, "precision_recall_slope" or "precision_after_gain" (of 0.1 of
            recall, or another :class:`~sklearn_spe.metrics.PrecisionAfterGain`); with `threshold`
            and ``sample_columns={"value": amounts}`` "value_weighted_recall" or
            "value_weighted_precision"; "precision", "false_positive_rate" or "specificity" with
            `recall`; "recall" with `precision`; or a callable ``metric(y_true, y_score,
            **sample_columns)``, called once for each draw with labels 0 and 1 and the scores,
            larger for positives, of the rows of X in their order (of the rows of a category, or
            that a system scored; without rows of weight zero, and a row of weight w repeated w
            times). With more than two classes "accuracy", "top_k_accuracy" (of the best two, or
            another :class:`~sklearn_spe.metrics.TopKAccuracy`), "balanced_accuracy",
            "matthews_corrcoef" and "cohen_kappa" of all classes, and any other of the above as a
            one-vs-rest metric; a callable ``metric(y_true, y_proba, **sample_columns)`` gets the
            classes and the probabilities of all columns, the softmax if X holds logits.
        threshold : float, default=None
            On the scale of the scores; an item is predicted positive if its score is at least the
            threshold (at most, with ``greater_is_positive=False``). None uses `default_threshold_`
            for a metric of decisions; it is in ``estimate.threshold``.
        recall, precision : float in (0, 1], default=None
            The precision, false positive rate or specificity at the highest threshold with this
            recall, or the largest recall at this precision.
        selection : float, default=None
            The metric of decisions of the :meth:`selection` at this threshold, in which known
            labels count, rather than of the threshold as a rule on the scores alone, which applies
            to other items too.
        predicted : callable, default=None
            For "brier_score" and "log_loss": from scores, of shape (n_scores,), to predicted
            probabilities. None uses the scores.
        target : {"sample", "population"}, default=None
            None uses the estimator's.
        zero_division : float, default=None
            Value of undefined draws; their probability is ``estimate.undefined``. None follows
            scikit-learn.
        readers : {"fixed", "random"}, default="fixed"
            Of several systems, such as ``of(system=["Ann", "Ben"])``: whether the mean is over
            these systems, or over all readers of whom these are a random sample. The interval of
            the latter includes the variance between readers.
        pos_label : object, default=None
            With more than two classes, the class to evaluate against the rest. None means all
            classes.
        average : {"macro", "weighted", "micro"}, default=None
            With more than two classes and no `pos_label`, how a metric of one class is averaged:
            with equal weights (also None), weighted by the number of items, or computed once from
            the counts of all classes together, which for precision, recall and F1 is accuracy.
        sample_columns : mapping or DataFrame, default=None
            Further columns of the rows of X, of shape (n_samples,) each, such as amounts, groups or
            queries: a metric of rows, callable or by name, gets those of the rows on which it is
            computed as keyword arguments. For ``target="population"`` rows (with `groups`, all rows
            of a group) are drawn with replacement, together with their columns; a callable then
            needs this argument, ``{}`` if it uses none, as a column that it closes over would meet
            the labels of other rows.

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
            If no score, or every score, reaches the threshold, so that no item, or every item, is
            predicted positive (recall is then 0, and precision set by `zero_division`).

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
            "precision_recall" (precision against recall), "roc", "det", a custom
            :class:`~sklearn_spe.posterior.Curve`, or a metric of the decision
            ``score >= threshold``, as a function of the threshold. With more than two classes
            "accuracy_coverage": the accuracy of the most confident items.
        target : {"sample", "population"}, default=None
            None uses the estimator's.
        thresholds : array-like of shape (n_points,), default=None
            Thresholds for a metric. None uses `n_points` scores, evenly spaced by rank.
        zero_division : float, default=None
            Value of undefined draws: NaN excludes them, None follows scikit-learn (0 for precision,
            recall and F).

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

        With `cost`, that of least expected cost instead of a goal. With `negative`, two thresholds
        with separate guarantees; items between them need review.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            As in :meth:`goal_probability`, such as ``(FBeta(2), 0.8)``.
        confidence_level : float in (0, 1), default=0.95
            The probability with which the goal must be met. The posterior probability is required
            to be larger, 0.95 for 0.9: half of the risk is reserved for selection bias, as the best
            of many thresholds is chosen, and for misspecification.
        guarantee : {"posterior", "anytime"}, default="posterior"
            Basis of the guarantee: the posterior, or the labels alone, by e-processes that are
            valid for any scores. The latter needs labels of items that were drawn at random,
            ``fit(..., inclusion_proba=np.full(n_items, share))``, and many more of them; it applies
            to ratios of sums over the items of this sample. It holds for one look at them: to look
            again after more labels, use `ActiveTestSelector` with ``interval="anytime"``.
        prefer : str or Metric, default=None
            Metric whose posterior mean is maximized over all thresholds that meet the goal. None
            uses a complement of the goal: "recall" if it bounds precision, specificity or false
            positive rate only, "precision" if it bounds recall only, else "f1".
        cost : (float, float), default=None
            The cost of a false alarm and that of a miss, both positive; only their ratio matters.
            The threshold is that of least expected cost, without a guarantee, as ``--cost`` of the
            command line and the report find it. It takes the place of a goal and of all
            arguments but `target`.
        negative : dict or Goal, default=None
            Goal for the items below a second, lower threshold, which are predicted negative, such
            as ``{"negative_predictive_value": 0.95}``, the share of negatives among them, or
            ``{"recall": 0.9}``, so that few positives are below. `confidence_level` is then the
            joint probability of both guarantees; each takes half of the risk. It excludes `prefer`.
        target : {"sample", "population"}, default=None
            None uses the estimator's. With "sample" the guarantee is for the :meth:`selection`
            among these items, in which known labels count; with "population" it is for the
            threshold as a rule, applied to later items of the same kind.
        **goal
            As in :meth:`goal_probability`, such as ``precision=0.9``.

        Returns
        -------
        threshold : float, or DecisionZone with `negative`
            A score of the sample. Items whose score is at least this (at most, with
            ``greater_is_positive=False``) are predicted positive. With ``target="sample"`` the
            guarantee applies to the :meth:`selection` at the threshold, in which labeled items keep
            their labels; the threshold lies just above all scores if the known positives alone are
            best, or if with `cost` nothing should be predicted positive. A DecisionZone has both
            thresholds, ``zone.positive`` and ``zone.negative``; ``zone.share``, the share of items
            between them, and ``zone.undecided``, the rows of these items.

        Warns
        -----
        UntestedSelectionWarning
            If the model supports a better selection, but fewer than two labeled items (three for
            recall, false positive rate, F1 and other metrics that depend on both sides) are on a
            side of the threshold whose unlabeled items can break the goal. The threshold returned
            has a selection that no missing label can break, mostly the known positives.

        Raises
        ------
        UnreachableGoalError
            If no threshold that labels support meets the goal with that probability, or with
            ``guarantee="anytime"`` none is proved (``UnprovedGoalError``); the error names the best
            one.
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory;
            ``guarantee="anytime"`` and the inclusion probabilities are unknown; or a cost is not
            positive, or comes with a goal.

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
        """Return the selected items at a threshold, with known labels counted.

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

        The posterior probability of the condition C(tau) of section 4.4 of [1]_. Its interval
        reflects Monte Carlo error only.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            Bounds on metrics without a name: pairs such as ``(FBeta(2), 0.8)`` of a
            :class:`~sklearn_spe.metrics.ThresholdMetric` and its bound, or of a callable
            ``metric(y_true, y_pred, sample_weight=...)`` of labels and decisions, which is called
            once for each distinct confusion matrix.
        thresholds : array-like of shape (n_points,), default=None
            Thresholds; None uses `n_points` scores, evenly spaced by rank.
        target : {"sample", "population"}, default=None
            None uses the estimator's. With "sample" the goal applies to the :meth:`selection` at
            each threshold, in which known labels count; with "population" to the threshold as a
            decision rule.
        **goal
            One keyword for each metric: "precision", "recall", "f1", "accuracy",
            "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "specificity" and
            "negative_predictive_value" at least, "false_positive_rate" at most, each strictly
            within its range (0 to 1; the two coefficients -1 to 1); for this sample also the
            numbers of items "true_positives" and "predicted_positives" at least, "false_negatives"
            and "false_positives" at most; or a pair (at least, at most), of which one may be None.
            All must hold together. If no item is predicted positive, precision is 0.

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

        Full widths, upper minus lower end, of the interval that :meth:`estimate` would return then.

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
            One for each of `n_labels`: an expectation, not a guarantee.

        See Also
        --------
        ActiveTestSelector.plan : The same by simulation, for labels that are selected sequentially.

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
            From scores, of shape (n_scores,), to predicted probabilities; ``lambda s: s`` if the
            scores are probabilities. None uses the recalibrated probabilities.
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
            Of two classes: the threshold of the decision; None uses `default_threshold_`.
        normalize : {"true", "pred", "all"}, default=None
            Shares of true classes (rows), of predictions (columns) or of all; None for counts, or
            for shares of all with ``target="population"``.
        target : {"sample", "population"}, default=None
            None uses the estimator's.

        Returns
        -------
        matrix : ConfusionMatrix
            Of two classes the negative one first.

        Raises
        ------
        ValueError
            If there are two classes and neither a threshold is given nor the scores imply one, or
            if there are more and one is given.

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

    A frozen value, made by ``performance.of(system=, category=, judge=)`` of a fitted
    :class:`~sklearn_spe.PerformanceCurveEstimator`: a later update of the estimator does not change
    it. It answers by the posterior draws of the fit, as the estimator does for its only system.

    .. versionadded:: 0.1

    Attributes
    ----------
    model : FittedModel
        The fit.
    view : RankingView
        Which ranking it is, its posterior and the encoding of its labels.
    settings : RankingSettings
        The estimator's `target`, `confidence_level`, `n_points` and `n_jobs`.
    posterior_, verdict_, score_direction_, default_threshold_, classes_, pos_label_, seed_
        As those of the estimator, of this ranking.
    target, confidence_level, n_points
        Those of `settings`.

    See Also
    --------
    PerformanceCurveEstimator.of : Returns one.

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
        """The posterior of its items; with more than two classes, of their errors."""
        return self.view.posterior

    @property
    def verdict_(self) -> Verdict:
        """The verdict on the fit, worsened by the reasons about these items."""
        return self.model.verdict_on(self.view, of_sample=self.target == "sample")

    @property
    def score_direction_(self) -> Any:
        """Which end of the scores is positive; None with more than two classes."""
        return self.view.score_direction

    @property
    def default_threshold_(self) -> float | None:
        """The usual decision threshold, by the scores alone; None if none is usual."""
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
