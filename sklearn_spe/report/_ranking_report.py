"""The contents of a report on one ranking: its curves, its scores, its decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..posterior._operating_points import flipped_band, threshold_grid
from ..posterior._posterior import MAX_SCORES
from ..posterior._posterior_estimates import STRATEGIES as BINS
from ..results._estimates import CurveBand
from ..results._showing import Markup, ShownResult, count_for, joined, tag
from ..results._tables import ConfusionMatrix
from ._thresholds import DecisionNumbers, ThresholdGuarantees

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
class RankingReport(ShownResult):
    """One ranking of all items, by a system."""

    name: str | None  # of the system, if there are several
    # "precision_recall", "roc", and "reliability" of probabilities, else "probability".
    curves: dict[str, CurveBand]
    # None for more than two classes
    scores: ScoreColumns | None = None
    thresholds: ThresholdGuarantees | None = None
    decision: DecisionNumbers | None = None
    matrix: ConfusionMatrix | None = None  # of the decision, or of all classes

    def _record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "curves": {name: band.to_dict() for name, band in self.curves.items()},
            "decision": None if self.decision is None else self.decision.to_dict(),
            "calibration": self.calibration,
        }

    def _html(self) -> Markup:
        decision = None if self.decision is None else self.decision._html()
        calibration = tag("p", self.calibration) if self.calibration else None
        return joined(decision, calibration, *(band._html() for band in self.curves.values()))

    @property
    def calibration(self) -> str | None:
        """Whether predicted probabilities are off, as a sentence; None without probabilities."""
        band = self.curves.get("reliability")
        if band is None:
            return None
        lower, upper = band.envelope()
        beyond = np.nan_to_num(np.maximum(band.x - upper, lower - band.x), nan=-1.0)
        k = int(np.argmax(beyond))
        if beyond[k] <= 0.0:
            return "The labels do not contradict the predicted probabilities."
        low, high = band.interval()
        predicted, n = band.x[k], count_for(band.value[k], low[k], high[k])
        value, *ends = (f"{round(n * share):,}" for share in (band.value[k], low[k], high[k]))
        side = "high" if predicted > band.value[k] else "low"
        return (
            f"The predicted probabilities are not calibrated, too {side} most clearly about "
            f"{predicted:.2f}: of {n:,} such items {value} are positive ({ends[0]} to {ends[1]})."
        )

    @classmethod
    def of(cls, performance, name: str | None, threshold: float | None) -> RankingReport:
        """Return the report of a performance estimator for one ranking."""
        if performance.pos_label_ is None:
            curves = {curve: performance.curve(curve) for curve in CLASSES_CURVES}
            by = None if performance.target == "sample" else "true"
            return cls(name, curves, matrix=performance.confusion_matrix(normalize=by))
        curves = {curve: performance.curve(curve) for curve in CURVES}
        if _states_probabilities(performance):
            reliability = performance.calibration_curve(np.asarray, strategy=BINS[0])
            curves["reliability"] = reliability
        else:
            curves["probability"] = _probability(performance)
        implied = performance.default_threshold_ if threshold is None else threshold
        thresholds = ThresholdGuarantees.of(performance, implied)
        decision = DecisionNumbers.of(performance, threshold, thresholds)
        columns = ScoreColumns.of(performance)
        return cls(name, curves, columns, thresholds, decision, decision.matrix)


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
    distribution, _ = posterior.distribution(lambda p: p.weighted_draws(scores))
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
