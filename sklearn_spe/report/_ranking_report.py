"""The contents of a report on one ranking, and comparisons of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..posterior._operating_points import flipped_band, threshold_grid
from ..posterior._posterior import MAX_SCORES
from ..posterior._posterior_estimates import STRATEGIES as BINS
from ..results._estimates import CurveBand, percent
from ..results._tables import EstimateTable, line_of, width_of

# Number of log-spaced ranks at which thresholds are placed, as decisions are mostly made among the
# highest scores, and of evenly spaced ones.
N_TOP, N_EVEN = 45, 60
METRICS = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class ThresholdGuarantees(FrozenArrays):
    """The performance and its guarantees at several thresholds."""

    thresholds: np.ndarray  # (n_thresholds,); scores, increasing
    flagged: np.ndarray  # (n_thresholds,); number of items classified as positive
    n_items: float
    bands: dict[str, CurveBand]  # precision, recall and F1 over the thresholds
    least: dict[str, np.ndarray]  # (n_thresholds,) each; lower bounds of precision, recall and F1
    probability: float  # of each lower bound
    place: int  # index of the initial threshold
    greater_is_positive: bool

    @classmethod
    def of(cls, performance, threshold: float | None = None) -> ThresholdGuarantees:
        """Return the thresholds of a performance estimator for one ranking."""
        score_direction, sample = performance.score_direction_, performance.posterior_.sample
        top = 1.0 - np.geomspace(1.0 / sample.n_cells, 0.5, N_TOP)
        flipped = sample.quantile(np.r_[np.linspace(0.0, 1.0, N_EVEN), top])
        given = np.array([score_direction.flip_threshold(score) for score in np.unique(flipped)])
        if threshold is not None:
            # As given, without rounding by the transformation.
            given = np.r_[given, threshold]
        bands = {name: performance.curve(name, thresholds=np.unique(given)) for name in METRICS}
        thresholds = bands["precision"].x
        above = np.r_[np.cumsum(sample.counts[::-1])[::-1], 0.0]
        flagged = above[np.searchsorted(sample.lower, score_direction.flip(thresholds))]
        probability = 0.5 * (1.0 + performance.confidence_level)
        best = np.nanargmax(bands["f1"].value)
        place = best if threshold is None else np.argmin(np.abs(thresholds - threshold))
        return cls(
            thresholds,
            flagged,
            float(sample.counts.sum()),
            bands,
            # Without labels above a threshold, an interval reaches the edge.
            {name: band.interval(performance.confidence_level)[0] for name, band in bands.items()},
            probability,
            int(place),
            score_direction.greater_is_positive,
        )


N_COLUMNS = 48
# With a larger share of all items in one bin, the others are invisible.
SATURATED = 0.3


@dataclass(frozen=True, eq=False)
class ScoreColumns(FrozenArrays):
    """Bins over the range of the scores, on the user's scale."""

    edges: np.ndarray  # (n_columns + 1,); increasing
    counts: np.ndarray  # (n_columns,); number of items
    positives: np.ndarray  # (n_columns,); labeled positives plus expected unlabeled ones
    negative: np.ndarray  # distinct scores of labeled negatives
    positive: np.ndarray  # distinct scores of labeled positives

    @classmethod
    def of(cls, performance) -> ScoreColumns:
        """Return the bins for a performance estimator for one ranking."""
        posterior, score_direction = performance.posterior_, performance.score_direction_
        sample = posterior.sample
        low, high = np.sort(score_direction.flip(sample.scores[[0, -1]]))
        # Halves: the difference of two large scores may overflow.
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        edges = 2.0 * np.linspace(low / 2.0, high / 2.0, N_COLUMNS + 1)
        cells = sample.grouped(MAX_SCORES, edges=np.sort(score_direction.flip(edges)))
        positives = cells.positive + cells.unlabeled * posterior.expected_probability(cells.scores)
        at = np.searchsorted(edges, score_direction.flip(cells.scores), side="right") - 1
        columns = (
            np.bincount(np.clip(at, 0, N_COLUMNS - 1), part, N_COLUMNS)
            for part in (cells.counts, positives)
        )
        known = (
            score_direction.flip(sample.scores[w > 0.0]) for w in (sample.negative, sample.positive)
        )
        return cls(edges, *columns, *known)

    @property
    def is_saturated(self) -> bool:
        """Whether one bin is so high that the others are visible on a logarithmic axis only."""
        return bool(self.counts.max() > SATURATED * self.counts.sum())


CURVES = ("precision_recall", "roc")
# For more than two classes.
CLASSES_CURVES = ("accuracy_coverage",)
# Kinds of scores that are probabilities.
STATED = ("probability", "votes")


@dataclass(frozen=True, eq=False)
class RankingReport:
    """One ranking of all items, by a system."""

    name: str | None  # of the system, if there are several
    # "precision_recall", "roc", and "reliability" of probabilities, else "probability".
    curves: dict[str, CurveBand]
    scores: ScoreColumns | None = None  # None for more than two classes
    thresholds: ThresholdGuarantees | None = None

    @classmethod
    def of(cls, performance, name: str | None, threshold: float | None) -> RankingReport:
        """Return the report of a performance estimator for one ranking."""
        curves = {curve: performance.curve(curve) for curve in CURVES}
        if _states_probabilities(performance):
            reliability = performance.calibration_curve(np.asarray, strategy=BINS[0])
            curves["reliability"] = reliability
        else:
            curves["probability"] = _probability(performance)
        return cls(
            name,
            curves,
            ScoreColumns.of(performance),
            ThresholdGuarantees.of(performance, threshold),
        )


def decision_of(performance, threshold: float | None) -> float | None:
    """Return the decision threshold of a ranking: given, or implied by the scores."""
    return performance.default_threshold_ if threshold is None else threshold


def _states_probabilities(performance) -> bool:
    """Return whether scores are probabilities of the positive class, calibrated or not."""
    cells, sample = getattr(performance.posterior_, "cells", None), performance.posterior_.sample
    in_unit = sample.scores[0] >= 0.0 and sample.scores[-1] <= 1.0
    if not (in_unit and performance.score_direction_.greater_is_positive):
        return False
    return performance.default_threshold_ == 0.5 if cells is None else cells.kind.name in STATED


def _probability(performance) -> CurveBand:
    """Return P(y = 1) against the score."""
    posterior, score_direction = performance.posterior_, performance.score_direction_
    scores = threshold_grid(posterior.sample, performance.n_points)
    distribution, _ = posterior.distribution(
        lambda p: np.concatenate([p.positive_probability(scores, block) for block in p.blocks()])
    )
    band = CurveBand(
        "probability",
        scores,
        distribution,
        x_name="score",
        y_name="probability of being positive",
        confidence_level=performance.confidence_level,
        kind=posterior.kind,
        pos_label=performance.pos_label_,
    )
    return flipped_band(band, score_direction)


@dataclass(frozen=True, eq=False)
class MetricComparison:
    """A metric of several systems or categories, and the differences from one of them.

    Attributes
    ----------
    title : str
        The comparison in words.
    estimates : EstimateTable
        Of each system, or category.
    comparison : EstimateTable
        The same without what no draw defines.
    baseline : str
        The name of the reference.
    ahead : {"better", "higher"}
        The event of `probabilities`.
    """

    title: str
    estimates: EstimateTable
    comparison: EstimateTable
    baseline: str
    ahead: str

    @classmethod
    def of_systems(
        cls,
        metric: str,
        estimates: EstimateTable,
        comparison: EstimateTable,
        baseline: str | None = None,
    ) -> MetricComparison:
        """Return systems compared with a named one; None means the best."""
        baseline = comparison.best if baseline is None else baseline
        return cls(_in_words(metric, estimates), estimates, comparison, baseline, "better")

    @classmethod
    def of_categories(
        cls, metric: str, estimates: EstimateTable, comparison: EstimateTable, by: str, reference
    ) -> MetricComparison:
        """Return categories compared with one; `by` names the column, such as "by month".

        Differences between categories are neither better nor worse.
        """
        title = f"{_in_words(metric, estimates)} {by}"
        return cls(title, estimates, comparison, str(reference), "higher")

    @cached_property
    def differences(self) -> EstimateTable:
        """The differences from the reference."""
        return self.comparison.differences(self.baseline)

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """The probability that each of the others is better, or higher."""
        return self.comparison.proba_ahead_of(self.baseline)

    def describe(self) -> str:
        """Return the comparison as lines of text."""
        lines = [f"{self.title}:", str(self.estimates), *self.lines_of_differences()]
        return "\n".join([*lines, *self.remarks])

    @property
    def remarks(self) -> tuple[str, ...]:
        """The probability of the order, for systems that can be compared."""
        order_proba = self.comparison.order_proba
        if self.ahead != "better" or np.isnan(order_proba):
            return ()
        return (f"The order of these estimates is correct with probability {order_proba:.3f}.",)

    def lines_of_differences(self) -> list[str]:
        """Return the differences as a table, line by line."""
        level = percent(self.estimates.estimates[0].confidence_level)
        width = width_of(self.estimates.names)
        rows = zip(
            self.differences.names, self.differences.estimates, self.probabilities, strict=True
        )
        return [
            f"difference from {self.baseline}:",
            f"{'':{width}}{'value':>8}   {level + ' interval':20}{self.ahead} with probability",
            *(f"{line_of(name, off, width):{width + 31}}{p:.3f}" for name, off, p in rows),
        ]


def _in_words(metric: str, table: EstimateTable) -> str:
    """Return the metric, and where it is evaluated, in words."""
    threshold = table.estimates[0].threshold
    at = "" if threshold is None else f" at score {threshold:g}"
    return f"{metric.replace('_', ' ')}{at}"
