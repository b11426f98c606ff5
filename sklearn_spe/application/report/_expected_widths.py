"""The number of labels that is needed, planned without data by simulated fits."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ...estimators._performance import PerformanceCurveEstimator
from ...exceptions import ParameterError
from ...goals._question import OF_DECISIONS, Question
from ...inputs._arrays import FrozenArrays
from ...inputs._validation import (
    check_choice,
    check_count,
    check_counts,
    check_number,
    listed,
    seed_entropy,
    spawn,
)
from ...results._showing import as_json
from ...results._terms import name_in_words

# Numbers of labels that are simulated, as far as half of the items allow.
N_LABELS = 25, 100, 400, 1600
DEFAULT_METRICS = "precision", "recall", "average_precision", "prevalence"
# How labels are chosen, and what follows the word labels.
RANDOM, BY_PREDICTION = "random", "by_prediction"
STRATEGIES = {
    RANDOM: " drawn at random",
    BY_PREDICTION: ", half of them among the predicted positives",
}
# Draws of a simulated fit.
N_DRAWS = 400


@dataclass(frozen=True, eq=False)
class ExpectedWidths(FrozenArrays):
    """Expected widths of intervals by the number of labels; `plan_labels` makes it.

    .. versionadded:: 0.1

    Attributes
    ----------
    n_items : int
    prevalence, roc_auc : float
    n_predicted_positive : int
    confidence_level : float
        The level of the intervals.
    metrics, strategies : tuple of str
    n_labels : ndarray of shape (n_numbers,)
        Increasing.
    truth : ndarray of shape (n_metrics,)
        Mean true value of each metric over the simulated data sets.
    width : ndarray of shape (n_strategies, n_metrics, n_numbers)
        Mean width of the interval.
    """

    n_items: int
    prevalence: float
    roc_auc: float
    n_predicted_positive: int
    confidence_level: float
    metrics: tuple[str, ...]
    strategies: tuple[str, ...]
    n_labels: np.ndarray
    truth: np.ndarray
    width: np.ndarray

    def labels_for(
        self, half_width: float = 0.1, metric: str | None = None, *, strategy: str = RANDOM
    ) -> float:
        """Return the number of labels for an interval of the given half width.

        Parameters
        ----------
        half_width : float in (0, 1), default=0.1
            Half the width of the interval: .05 means plus or minus five percentage points.
        metric : str, default=None
            One of `metrics`. None means the first.
        strategy : {"random", "by_prediction"}, default="random"

        Returns
        -------
        n_labels : float
            Interpolated between the simulated numbers of labels, on logarithmic scales. It is the
            smallest simulated number if that suffices, and NaN if the largest does not.

        Raises
        ------
        ValueError
            If the metric or the strategy is not in the plan.
        """
        half_width = check_number(half_width, "half_width", "(0, 1)")
        metric = self.metrics[0] if metric is None else metric
        check_choice(metric, "metric", self.metrics)
        check_choice(strategy, "strategy", self.strategies)
        width = self.width[self.strategies.index(strategy), self.metrics.index(metric)]

        # More labels never widen an interval; simulated means scatter.
        decreasing = np.maximum(np.minimum.accumulate(width), np.finfo(float).tiny)
        largest_width = 2.0 * half_width
        if decreasing[-1] > largest_width:
            return np.nan
        widths = np.log(decreasing[::-1])
        numbers = np.log(self.n_labels[::-1])
        return float(np.exp(np.interp(np.log(largest_width), widths, numbers)))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each strategy, metric and number of labels."""
        import pandas as pd

        shape = self.width.shape
        strategy, metric, number = (index.ravel() for index in np.indices(shape))
        return pd.DataFrame(
            {
                "strategy": np.array(self.strategies)[strategy],
                "metric": np.array(self.metrics)[metric],
                "n_labels": self.n_labels[number],
                "true_value": self.truth[metric],
                "width": self.width.ravel(),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain numbers, strings and lists."""
        return as_json(vars(self))

    def __str__(self) -> str:
        return "\n".join([self._assumption(), *map(self._table_of, self.strategies)])

    def _assumption(self) -> str:
        """Return the assumptions, in words."""
        n_positive = round(self.n_items * self.prevalence)
        values = [
            f"{name_in_words(metric)} {value:.2f}"
            for metric, value in zip(self.metrics, self.truth, strict=True)
        ]
        return (
            f"{self.n_items:,} items, about {n_positive:,} of them positive, ROC AUC "
            f"{self.roc_auc:g}, {self.n_predicted_positive:,} predicted positive: {listed(values)}."
        )

    def _table_of(self, strategy: str) -> str:
        """Return the half widths of a strategy as lines of text."""
        names = [name_in_words(metric) for metric in self.metrics]
        level = f"{100.0 * self.confidence_level:g}%"
        title = f"\nLabels{STRATEGIES[strategy]}: half width of {level} intervals"
        header = "labels  " + "  ".join(names)
        lines = [title, header]

        width = self.width[self.strategies.index(strategy)]
        for number, of_number in zip(self.n_labels, width.T, strict=True):
            cells = [
                f"±{value / 2.0:.3f}".rjust(len(name))
                for value, name in zip(of_number, names, strict=True)
            ]
            lines.append(f"{number:6,}  " + "  ".join(cells))
        return "\n".join(lines)


def plan_labels(
    n_items: int,
    *,
    prevalence: float,
    roc_auc: float,
    n_predicted_positive: int | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    n_labels: Sequence[int] | None = None,
    strategies: Sequence[str] = (RANDOM, BY_PREDICTION),
    confidence_level: float = 0.9,
    n_repeats: int = 3,
    random_state: Any = 0,
) -> ExpectedWidths:
    r"""Return the expected widths of intervals by the number of labels, planned without data.

    Data sets are drawn from the equal-variance binormal model. If its means are d standard
    deviations apart, its area under the ROC curve is :math:`\Phi(d / \sqrt 2)`. Some items are
    labeled, the default model is fitted, and the widths of its intervals are averaged. Real scores
    may be less regular: a real data set may need twice as many labels.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_items : int, at least 20
        Size of the data set.
    prevalence : float in (0, 1)
        Expected share of positives, such as 0.05.
    roc_auc : float in [0.5, 1)
        Expected area under the ROC curve.
    n_predicted_positive : int, default=None
        Number of items that the classifier predicts positive. None means the number of positives.
    metrics : sequence of str
        Names of metrics. Metrics of decisions use the classifier's threshold.
    n_labels : sequence of int, default=None
        Numbers of labels to simulate. None means 25, 100, 400 and 1600, up to half of the items.
    strategies : sequence of {"random", "by_prediction"}
        "random" draws labels from all items; "by_prediction" draws half of them from the predicted
        positives.
    confidence_level : float in (0, 1), default=0.9
        Probability of the intervals.
    n_repeats : int, default=3
        Number of simulated data sets.
    random_state : int, RandomState, Generator or None, default=0

    Returns
    -------
    plan : ExpectedWidths

    Raises
    ------
    ValueError
        If a number is out of range, less than one positive is expected, a metric or strategy is
        unknown, or there are fewer items than labels.

    Examples
    --------
    >>> from sklearn_spe.application import plan_labels
    >>> plan = plan_labels(
    ...     2000, prevalence=0.2, roc_auc=0.9, n_labels=[50, 200], n_repeats=2
    ... )
    >>> plan.metrics
    ('precision', 'recall', 'average_precision', 'prevalence')
    >>> bool(plan.width[0, 0, 1] < plan.width[0, 0, 0])
    True
    """
    n_items = check_count(n_items, "n_items", 20)
    prevalence = check_number(prevalence, "prevalence", "(0, 1)")
    roc_auc = check_number(roc_auc, "roc_auc", "[0.5, 1)")
    confidence_level = check_number(confidence_level, "confidence_level", "(0, 1)")
    n_repeats = check_count(n_repeats, "n_repeats")
    n_positive = n_items * prevalence
    if n_positive < 1.0:
        raise ParameterError.of(
            "prevalence",
            f"of {prevalence:g} leaves {n_positive:.2g} positives expected among {n_items:,} "
            "items, too few to be found by labels.",
            "Plan for more items.",
        )

    # The operating point, the metrics and the numbers of labels.
    if n_predicted_positive is None:
        n_predicted_positive = max(round(n_positive), 1)
    n_predicted_positive = check_count(n_predicted_positive, "n_predicted_positive")
    if n_predicted_positive >= n_items:
        raise ParameterError.of(
            "n_predicted_positive",
            f"must be less than n_items={n_items}, got {n_predicted_positive}.",
        )
    metrics = _distinct(metrics, "metrics")
    questions = [Question.of(name) for name in metrics]
    strategies = _distinct(strategies, "strategies")
    for strategy in strategies:
        check_choice(strategy, "strategies", STRATEGIES)
    if n_labels is None:
        half = n_items // 2
        n_labels = [*(number for number in N_LABELS if number < half), min(half, N_LABELS[-1])]
    numbers = np.unique(check_counts(np.asarray(n_labels), "n_labels"))
    if numbers[-1] > n_items:
        raise ParameterError.of(
            "n_labels", f"must be at most n_items={n_items}, got {numbers[-1]}."
        )

    task = _Simulation(n_items, prevalence, roc_auc, n_predicted_positive, questions)
    entropy = seed_entropy(random_state)
    results = [
        task.widths(strategies, numbers, confidence_level, spawn(entropy, repeat))
        for repeat in range(n_repeats)
    ]
    return ExpectedWidths(
        n_items,
        prevalence,
        roc_auc,
        n_predicted_positive,
        confidence_level,
        metrics,
        strategies,
        numbers,
        np.mean([truth for truth, _ in results], axis=0),
        np.mean([width for _, width in results], axis=0),
    )


@dataclass(frozen=True)
class _Simulation:
    """A data set that is drawn and labeled again and again."""

    n_items: int
    prevalence: float
    roc_auc: float
    n_predicted_positive: int
    questions: Sequence[Question]

    def widths(
        self,
        strategies: tuple[str, ...],
        n_labels: np.ndarray,
        confidence_level: float,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return true values and widths of intervals of one data set.

        They are (n_metrics,) and (n_strategies, n_metrics, n_numbers).
        """
        distance = np.sqrt(2.0) * special.ndtri(self.roc_auc)
        labels = (rng.random(self.n_items) < self.prevalence).astype(int)
        scores = rng.normal(distance * labels)
        threshold = float(np.sort(scores)[-self.n_predicted_positive])
        # Also of labels of one class.
        estimator = PerformanceCurveEstimator(
            classes=[0, 1],
            n_draws=N_DRAWS,
            confidence_level=confidence_level,
            random_state=int(rng.integers(2**31)),
        )
        truth = self._estimates(estimator.fit(scores, labels), threshold)

        width = np.empty((len(strategies), len(self.questions), len(n_labels)))
        for s, strategy in enumerate(strategies):
            order = _order_of_labels(scores >= threshold, strategy, rng)
            for k, number in enumerate(n_labels):
                y = np.full(self.n_items, -1)
                y[order[:number]] = labels[order[:number]]
                with warnings.catch_warnings():
                    # The width expresses that these labels hold little information.
                    warnings.simplefilter("ignore", UserWarning)
                    estimates = self._estimates(estimator.fit(scores, y), threshold)
                width[s, :, k] = estimates[:, 2] - estimates[:, 1]
        return truth[:, 0], width

    def _estimates(self, performance: PerformanceCurveEstimator, threshold: float) -> np.ndarray:
        """Return the value and the interval of each metric, (n_metrics, 3)."""
        rows = []
        for question in self.questions:
            at = threshold if isinstance(question.metric, OF_DECISIONS) else None
            estimate = performance.estimate(question.metric, threshold=at)
            rows.append([estimate.value, *estimate.interval()])
        return np.array(rows)


def _order_of_labels(
    is_predicted: np.ndarray, strategy: str, rng: np.random.Generator
) -> np.ndarray:
    """Return the items in the order in which they are labeled."""
    order = rng.permutation(len(is_predicted))
    if strategy == RANDOM:
        return order

    # One of the predicted positives and one of all others by turns, while there are both.
    of_class = is_predicted[order]
    turn = np.where(of_class, np.cumsum(of_class), np.cumsum(~of_class))
    return order[np.argsort(turn, kind="stable")]


def _distinct(names: Sequence[str], argument: str) -> tuple[str, ...]:
    """Return the names of an argument without repetitions; raise if it is empty."""
    distinct = tuple(dict.fromkeys([names] if isinstance(names, str) else names))
    if not distinct:
        raise ParameterError.of(argument, "names none; pass at least one.")
    return distinct
