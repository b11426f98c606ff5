"""Metrics of several classes: averages, top k, coverage, confusion."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..data._class_scores import ClassScores
from ..exceptions import ParameterError
from ..goals._question import Question
from ..inputs._arrays import SampleColumns, read_sample_columns
from ..inputs._labels import class_index
from ..inputs._validation import check_choice
from ..metrics._decision import (
    Accuracy,
    BalancedAccuracy,
    CohenKappa,
    FBeta,
    MatthewsCorrcoef,
    Precision,
    Recall,
)
from ..metrics._expectation import ratio
from ..metrics._metric import Metric, MetricLike, RankingMetric, ThresholdMetric
from ..metrics._ranking import Prevalence
from ..metrics._registry import METRICS, as_metric, canonical, remedy_of_name
from ..metrics._special_questions import ConfusionShare, TopKAccuracy
from ..posterior._operating_points import (
    Task,
)
from ..posterior._posterior_estimates import origin_of, ranking_estimate
from ..posterior._row_estimates import as_value, needs_columns
from ..results._distributions import WeightedDraws, probability_of
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, EstimateTable
from ._class_draws import MeasuredClassifier
from ._class_posterior import ClassPosterior
from ._completed_classes import CompletedClasses

OfAllClasses = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

AVERAGES = ("macro", "weighted", "micro")
# Of one class for each item the micro average of these is accuracy.
MICRO_IS_ACCURACY = (Precision, Recall, FBeta)
# Metrics that two classes do not have.
OF_CLASSES_ALONE = (TopKAccuracy, ConfusionShare)
# Maximum size of confusion draws, n_draws * n_classes**2.
MAX_SHARES = 5e7


def _balanced_accuracy(hits: np.ndarray, predicted: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return the mean recall of the classes with items."""
    return np.nanmean(ratio(hits, items), axis=1)


def _cohen_kappa(hits: np.ndarray, predicted: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return one minus the error rate relative to that of independent predictions."""
    wrong = items.sum(axis=1) - hits.sum(axis=1)
    by_chance = _differing(items, predicted)
    return 1.0 - ratio(wrong, by_chance)


def _matthews_corrcoef(hits: np.ndarray, predicted: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Return the correlation of the class and prediction indicators."""
    covariance = hits.sum(axis=1) - (items * predicted).sum(axis=1)
    spread = np.sqrt(_differing(items, items)) * np.sqrt(_differing(predicted, predicted))
    return ratio(covariance, spread)


def _differing(shares: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the probability that independent classes of two distributions differ."""
    return ((shares @ (1.0 - np.eye(shares.shape[1]))) * others).sum(axis=1)


def of_all_classes(metric: Any) -> OfAllClasses | None:
    """Return the function of the shares of all classes of a metric that is no average of classes.

    It takes the shares of hits, of predictions and of items by class, (n_draws, n_classes) each.
    """
    functions = {
        BalancedAccuracy: _balanced_accuracy,
        CohenKappa: _cohen_kappa,
        MatthewsCorrcoef: _matthews_corrcoef,
    }
    return functions.get(type(metric))


@dataclass(frozen=True, eq=False)
class LabeledItems:
    """The labeled items of a classifier alone, as a single draw."""

    scores: ClassScores
    classes: np.ndarray  # (n_classes,)
    completed: CompletedClasses

    @classmethod
    def of(cls, scores: ClassScores, codes: np.ndarray, classes: np.ndarray) -> LabeledItems | None:
        """Return the items with a class, of codes (n_items,) of which -1 is none; None without."""
        items = np.flatnonzero(codes >= 0)
        if not len(items):
            return None
        weights = np.full((1, len(items)), 1.0 / len(items))
        scores = scores.take(items)
        codes = codes[np.newaxis, items].astype(np.intp)
        completed = CompletedClasses(codes, scores.predicted, weights, len(classes))
        return cls(scores, classes, completed)

    def of_classes(self, task: Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares of hits, predictions and items by class, (1, n_classes) each."""
        return self.completed.of_classes

    def values(
        self,
        function: Callable[..., np.ndarray],
        task: Task,
        *,
        by_item: bool = False,
        by_row: bool = False,
    ) -> np.ndarray:
        """Apply a function as `MeasuredClassifier.values` does, (1, n_points)."""
        return function(self.completed)


@dataclass(frozen=True, eq=False)
class ClassQuestion:
    """A metric with the class or the average that is estimated.

    In each draw, averages exclude classes without items and predictions, as scikit-learn does.
    """

    metric: Any
    pos_label: object = None  # class against the rest; None for all
    average: str = "macro"  # {"macro", "weighted", "micro"}, over all classes
    sample_columns: Any = None  # columns of the rows of X that a callable gets, as passed

    @classmethod
    def of(
        cls,
        metric: MetricLike | Question | None,
        *,
        pos_label: Hashable = None,
        average: str = "macro",
        sample_columns: SampleColumns = None,
    ) -> ClassQuestion:
        """Parse a metric with its class or average."""
        check_choice(average, "average", AVERAGES)
        if callable(metric) and not isinstance(metric, (type, Metric)):
            return cls(metric, pos_label, average, sample_columns)

        if sample_columns is not None:
            raise ParameterError(
                f"{metric!r} takes no sample_columns=: with several classes callable metrics do.",
                "Leave it out, or pass a callable metric(y_true, y_proba, **columns).",
                "sample_columns",
            )

        # The metric by its name.
        known = (*METRICS, TopKAccuracy.name)
        if isinstance(metric, str) and metric not in known:
            metric = canonical(metric)
        if isinstance(metric, str) and metric not in known:
            raise ValueError(
                f"Unknown metric {metric!r}.{remedy_of_name(metric, known)} For several classes "
                f"choose one of {', '.join(_names())}, an instance such as TopKAccuracy(3), or a "
                "callable metric(y_true, y_score)."
            )
        is_of_k = isinstance(metric, str) and metric == TopKAccuracy.name
        metric = TopKAccuracy() if is_of_k else as_metric(metric)

        # Not every metric has a meaning for several classes.
        if isinstance(metric, Metric) and metric.counts_items:
            raise ValueError(
                f"{metric.name!r} is for two classes. For several, confusion_matrix() estimates "
                "the counts of true by predicted class; or choose one class against the rest, "
                "of(pos_label=...), and a threshold."
            )
        if not isinstance(metric, (ThresholdMetric, RankingMetric, *OF_CLASSES_ALONE)):
            raise ValueError(
                f"{metric.name!r} is for two classes. For several, pass a callable "
                "metric(y_true, y_score), such as sklearn.metrics.log_loss, which is called "
                "once for each draw."
            )
        if isinstance(metric, Prevalence) and pos_label is None:
            raise ValueError(
                "The mean prevalence of all classes is always one over their number; choose one "
                "class by pos_label=."
            )
        if average == "micro" and pos_label is None and isinstance(metric, RankingMetric):
            raise ValueError(
                f"average='micro' of {metric.name!r}, which ranks items by one column, would rank "
                "the scores of all classes together: pass a callable metric(y_true, y_proba), or "
                "average='macro'."
            )
        if of_all_classes(metric) and pos_label is None and average != AVERAGES[0]:
            raise ValueError(
                f"{metric.name!r} is defined for all classes at once, not as an average: leave "
                f"out average={average!r}, or choose one class by pos_label=."
            )
        return cls(metric, pos_label, average)

    @property
    def name(self) -> str:
        return getattr(self.metric, "name", getattr(self.metric, "__name__", "metric"))

    @property
    def is_of_items(self) -> bool:
        """Whether the metric is a share of items that does not depend on classes."""
        if self.pos_label is not None:
            return False
        is_micro = self.average == "micro" and isinstance(self.metric, MICRO_IS_ACCURACY)
        return is_micro or isinstance(self.metric, (Accuracy, TopKAccuracy))

    @property
    def is_of_order(self) -> bool:
        """Whether the metric is one of the order of the items by their scores of a class."""
        return isinstance(self.metric, RankingMetric) and not isinstance(self.metric, Prevalence)

    @property
    def of_all(self) -> Any:
        """The metric as a function of the counts of all classes, None if undefined."""
        return of_all_classes(self.metric) if self.pos_label is None else None

    def estimate(self, model: MeasuredClassifier, task: Task) -> ScalarEstimate:
        """Return the estimate of the metric."""
        if self.pos_label is not None and isinstance(self.metric, OF_CLASSES_ALONE):
            raise ValueError(f"{self.name!r} covers all classes and takes no pos_label=.")
        is_of_second = isinstance(self.metric, TopKAccuracy) and self.metric.k > 1
        if is_of_second and not model.scores.has_second_class:
            raise ValueError(
                f"{self.name!r} needs to know which class comes after the predicted one, and all "
                "probability of X is on one class: pass probabilities or logits, or use 'accuracy'."
            )
        if self.pos_label is not None and self.is_of_order:
            ranking = ClassPosterior.of_class(model, class_index(model.classes, self.pos_label))
            estimate = ranking_estimate(self.metric, ranking, task)
            return replace(estimate, pos_label=self.pos_label)
        values, counted = self._counted(model, task)
        return self.answer(values, counted, model, task)

    def of_labeled(self, labeled: LabeledItems, task: Task) -> float:
        """Return the metric of the labeled items alone; NaN of a callable."""
        if not isinstance(self.metric, Metric):
            return np.nan
        return float(_averaged(*self._counted(labeled, task))[0, 0])

    def answer(
        self, values: np.ndarray, counted: np.ndarray, model: MeasuredClassifier, task: Task
    ) -> ScalarEstimate:
        """Return the estimate, given the values of `_counted`."""
        weights = model.draws.posterior.weights
        missing = np.isnan(values) & (counted > 0.0)
        undefined = float(probability_of(missing, weights).mean())
        zero_division = getattr(self.metric, "zero_division", np.nan)
        values = np.where(missing, task.undefined_as(zero_division), values)
        distribution = WeightedDraws(_averaged(values, counted), weights)

        cause = ""
        if self.is_of_items and not isinstance(self.metric, TopKAccuracy):
            wrong = model.known_errors
            # The end of the range that is compatible with all labels, if any: accuracy is 1 as
            # long as no error is known.
            edge = float(not wrong.any()) if len(wrong) and wrong.all() == wrong.any() else np.nan
            if model.draws.posterior.reaches_open_edges:
                distribution = distribution.reaching(
                    np.array([edge]), not wrong.any(), model.limits_of_accuracy(edge)
                )
                if not np.isnan(edge):
                    cause = f"no labeled item is predicted {'wrongly' if edge else 'correctly'}"

        return ScalarEstimate(
            self._said,
            distribution,
            task.confidence_level,
            undefined=undefined,
            pos_label=self.pos_label,
            origin=origin_of(model.draws, task),
            n_items=model.n_items if task.draws_labels else None,
            edge_cause=cause,
        )

    def _counted(
        self, model: MeasuredClassifier | LabeledItems, task: Task
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the metric and the weight, of each class or of all, (n_draws, n) each."""
        metric = self.metric
        one_weight = np.ones(1)
        if not isinstance(metric, Metric):
            # Labeled items alone have no rows of X.
            assert isinstance(model, MeasuredClassifier)
            columns = self._columns(model, task)
            function = partial(_called, metric, model.classes, model.scores.proba, columns)
            return model.values(function, task, by_item=True, by_row=True), one_weight

        if isinstance(metric, ConfusionShare):
            true = class_index(model.classes, metric.true)
            predicted_code = class_index(model.classes, metric.predicted)
            of_pair = partial(_share_of_pair, true, predicted_code)
            return model.values(of_pair, task), one_weight
        if isinstance(metric, TopKAccuracy):
            hits = partial(_share_of_hits, metric.hits(model.scores.scores))
            return model.values(hits, task, by_item=True), one_weight

        if self.is_of_items:
            # Shares sum to one up to rounding.
            return np.minimum(model.of_classes(task)[0].sum(axis=1, keepdims=True), 1.0), one_weight
        if self.of_all is not None:
            return self.of_all(*model.of_classes(task))[:, np.newaxis], one_weight
        if self.average == "micro" and self.pos_label is None:
            hits, predicted, items = (shares.sum(axis=1) for shares in model.of_classes(task))
            others = len(model.classes) * items - items
            values = self.metric.value(hits, predicted - hits, items, others)
            return values[:, np.newaxis], one_weight

        values = self.of_each_class(model, task)
        if self.pos_label is not None:
            return values[:, [class_index(model.classes, self.pos_label)]], one_weight
        _, predicted, items = model.of_classes(task)
        is_weighted = self.average == "weighted"
        return values, items if is_weighted else (predicted + items > 0.0).astype(float)

    def _columns(self, model: MeasuredClassifier, task: Task) -> dict[str, np.ndarray]:
        """Return the columns of a callable metric, of the items of a classifier."""
        if self.sample_columns is None and not task.draws_labels:
            raise needs_columns(task)
        table = model.draws.table
        columns = read_sample_columns(self.sample_columns or {}, table.n_rows)
        rows = table.rows[model.items]
        return {name: column[rows] for name, column in columns.items()}

    def of_each_class(self, model: MeasuredClassifier | LabeledItems, task: Task) -> np.ndarray:
        """Return the one-vs-rest metric of each class, (n_draws, n_classes)."""
        if isinstance(self.metric, Prevalence):
            return model.of_classes(task)[2]
        if isinstance(self.metric, RankingMetric):
            columns = [_Ranking.of(column) for column in model.scores.ranked_by.T]
            return model.values(partial(_of_rankings, self.metric, columns), task, by_item=True)
        hits, predicted, items = model.of_classes(task)
        return self.metric.value(hits, predicted - hits, items, 1.0 - items)

    @property
    def _said(self) -> str:
        """The name, with the average if any."""
        if isinstance(self.metric, TopKAccuracy):
            return f"top_{self.metric.k}_accuracy"
        if isinstance(self.metric, ConfusionShare):
            return self.name
        is_of_items = self.is_of_items and self.average != "micro"
        is_mean = isinstance(self.metric, Metric) and not is_of_items and self.of_all is None
        return f"{self.average} {self.name}" if is_mean and self.pos_label is None else self.name


def by_class(metric: MetricLike | Question, model: MeasuredClassifier, task: Task) -> EstimateTable:
    """Return a table of a one-vs-rest metric of each class."""
    questions = [ClassQuestion.of(metric, pos_label=name) for name in model.classes.tolist()]
    first = questions[0]
    if not isinstance(first.metric, (ThresholdMetric, RankingMetric)):
        raise ValueError(f"{first.name!r} is not a one-vs-rest metric.")

    estimates = tuple(question.estimate(model, task) for question in questions)
    return EstimateTable(tuple(map(str, model.classes.tolist())), estimates)


def accuracy_coverage(model: MeasuredClassifier, task: Task, n_points: int) -> CurveBand:
    """Return the accuracy of the most confident items against their share of all items."""
    shares = np.arange(1, n_points + 1) / n_points
    confident = _Ranking.of(-model.scores.error_log_odds)
    values = model.values(partial(_of_confident, confident, shares), task, by_item=True)

    return CurveBand(
        "accuracy_coverage",
        shares,
        WeightedDraws(values, model.draws.posterior.weights),
        "coverage",
        "accuracy",
        task.confidence_level,
        origin=origin_of(model.draws, task),
        n_items=model.n_items if task.draws_labels else None,
    )


def confusion_matrix(
    model: MeasuredClassifier, task: Task, normalize: str | None = None
) -> ConfusionMatrix:
    """Return the confusion matrix with intervals."""
    n_classes = len(model.classes)
    if len(model.draws.posterior.weights) * n_classes**2 > MAX_SHARES:
        raise ValueError(
            f"The draws of {n_classes} x {n_classes} pairs of classes take too much memory: fit "
            f"with fewer draws, n_draws={int(MAX_SHARES // n_classes**2)}."
        )

    shares = model.values(_flat_confusion, task).reshape(-1, n_classes, n_classes)
    n_items = model.n_items if task.draws_labels else 1
    return ConfusionMatrix.of(
        shares * n_items,
        model.draws.posterior.weights,
        model.classes,
        normalize,
        task.confidence_level,
        model.n_items if task.draws_labels else None,
    )


def _names() -> list[str]:
    several = (ThresholdMetric, RankingMetric)
    shares = (
        name
        for name, metric in METRICS.items()
        if issubclass(metric, several) and not (metric.counts_items or metric.takes_threshold)
    )
    return [*shares, TopKAccuracy.name]


def _averaged(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the mean over classes in each draw; excluded classes have weight zero."""
    weights = np.where(np.isnan(values), 0.0, counted)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(weights * values, axis=1) / weights.sum(axis=1)
    return mean[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class _Ranking:
    """Items by decreasing score, with the end of each block of ties."""

    order: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray) -> _Ranking:
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        return cls(order, np.flatnonzero(np.r_[decreasing[1:] != decreasing[:-1], True]))

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """Return cumulative weights of items down to each distinct score."""
        return np.cumsum(weights[:, self.order], axis=1)[:, self.last]


# Functions of completed classes, at module level so that they can be pickled.


def _share_of_hits(hits: np.ndarray, completed: CompletedClasses) -> Any:
    right = hits[np.arange(hits.shape[0]), completed.codes]
    return (completed.weights * right).sum(axis=1, keepdims=True)


def _share_of_pair(true: int, predicted: int, completed: CompletedClasses) -> Any:
    return completed.confusion[:, true, predicted, np.newaxis]


def _flat_confusion(completed: CompletedClasses) -> Any:
    matrix = completed.confusion
    return matrix.reshape(len(matrix), -1)


def _of_rankings(
    metric: RankingMetric, columns: Sequence[_Ranking], completed: CompletedClasses
) -> np.ndarray:
    # One weight of an item for all classes, whose metrics depend on each other.
    values = []
    for code, ranking in enumerate(columns):
        tp = ranking.sums(completed.weights * (completed.codes == code))
        called = ranking.sums(completed.weights)
        values.append(metric.value(tp, called - tp, steps=True))
    return np.stack(values, axis=1)


def _of_confident(ranking: _Ranking, shares: np.ndarray, completed: CompletedClasses) -> Any:
    right = ranking.sums(completed.weights * completed.right)
    counts = np.broadcast_to(ranking.sums(completed.weights), right.shape)
    # A tie that exceeds the limit is counted in part.
    values = [
        np.interp(shares * called[-1], np.r_[0.0, called], np.r_[0.0, hits])
        for hits, called in zip(right, counts, strict=True)
    ]
    return np.array(values) / shares


def _called(
    metric: Callable[..., Any],
    classes: np.ndarray,
    proba: np.ndarray,
    columns: dict[str, np.ndarray],
    completed: CompletedClasses,
) -> np.ndarray:
    values = []
    for draw, codes in enumerate(completed.codes):
        items = slice(None) if completed.drawn is None else completed.drawn[draw]
        of_items = {name: column[items] for name, column in columns.items()}
        value = metric(classes[codes[items]], proba[items], **of_items)
        values.append([as_value(metric, value)])
    return np.array(values)
