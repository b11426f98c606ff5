"""The contents of a report on one ranking: its curves, its scores, its decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs._arrays import FrozenArrays
from ...posterior._operating_points import flipped_band, threshold_grid
from ...posterior._posterior import MAX_SCORES
from ...posterior._posterior_estimates import STRATEGIES as BINS
from ...results._estimates import CurveBand
from ...results._showing import Markup, ShownResult, count_for, joined, paragraphs
from ...results._tables import ConfusionMatrix
from ...results._verdict import Verdict
from ._operating_point import OperatingPoint
from ._thresholds import DecisionNumbers, ThresholdGuarantees

if TYPE_CHECKING:
    from ...models._ranking_value import Ranking

N_COLUMNS = 48
# With a larger share of all items in one bin, the others are invisible.
SATURATED = 0.3
CURVES = ("precision_recall", "roc")
# For more than two classes.
CLASSES_CURVES = ("accuracy_coverage",)
# Kinds of scores that are probabilities.
STATED = ("probability", "votes")


@dataclass(frozen=True, eq=False)
class ScoreColumns(FrozenArrays):
    """Bins over the range of the scores, on the user's scale."""

    edges: np.ndarray  # (n_columns + 1,); increasing
    counts: np.ndarray  # (n_columns,); number of items
    positives: np.ndarray  # (n_columns,); labeled positives plus expected unlabeled ones
    negative: np.ndarray  # distinct scores of labeled negatives
    positive: np.ndarray  # distinct scores of labeled positives

    @classmethod
    def of(cls, ranking: Ranking) -> ScoreColumns:
        """Return the bins of one ranking."""
        posterior = ranking.posterior_
        sample = posterior.sample
        score_direction = ranking.score_direction_
        flip = score_direction.flip

        low, high = np.sort(flip(sample.scores[[0, -1]]))
        if not high > low:
            low, high = low - 0.5, high + 0.5
        # Halves: the difference of two large scores may overflow.
        edges = 2.0 * np.linspace(low / 2.0, high / 2.0, N_COLUMNS + 1)

        # Group by the same edges, so that no group lies in two columns.
        cells = sample.grouped(MAX_SCORES, edges=np.sort(flip(edges)))
        positives = cells.positive + cells.unlabeled * posterior.expected_probability(cells.scores)
        column = np.searchsorted(edges, flip(cells.scores), side="right") - 1
        column = np.clip(column, 0, N_COLUMNS - 1)
        return cls(
            edges,
            counts=np.bincount(column, cells.counts, N_COLUMNS),
            positives=np.bincount(column, positives, N_COLUMNS),
            negative=flip(sample.scores[sample.negative > 0.0]),
            positive=flip(sample.scores[sample.positive > 0.0]),
        )

    @property
    def is_saturated(self) -> bool:
        """Whether one bin is so high that the others are visible on a logarithmic axis only."""
        return bool(self.counts.max() > SATURATED * self.counts.sum())


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
    verdict: Verdict | None = None  # on the fit, and on the items of this ranking

    def _record(self) -> dict[str, Any]:
        return self._values_of("name", "curves", "decision", "calibration")

    def _html(self) -> Markup:
        decision = None if self.decision is None else self.decision._html()
        bands = (band._html() for band in self.curves.values())
        return joined(decision, *paragraphs([self.calibration]), *bands)

    @property
    def is_known(self) -> bool:
        """Whether labels inform all curves."""
        return all(band.is_known for band in self.curves.values())

    @property
    def calibration(self) -> str | None:
        """Whether predicted probabilities are off, as a sentence; None if that is not known."""
        band = self.curves.get("reliability")
        if band is None or not band.is_known:
            return None
        lower, upper = band.envelope()
        excess = np.nan_to_num(np.maximum(band.x - upper, lower - band.x), nan=-1.0)
        k = int(np.argmax(excess))
        if excess[k] <= 0.0:
            return "The labels do not contradict the predicted probabilities."

        # The point farthest outside the simultaneous band, in counts.
        low, high = band.interval()
        predicted = band.x[k]
        n = count_for(band.value[k], low[k], high[k])
        value, *ends = (f"{round(n * share):,}" for share in (band.value[k], low[k], high[k]))
        side = "high" if predicted > band.value[k] else "low"
        return (
            f"The predicted probabilities are not calibrated, too {side} most clearly about "
            f"{predicted:.2f}: of {n:,} such items {value} are positive ({ends[0]} to {ends[1]})."
        )

    @classmethod
    def of(cls, ranking: Ranking, name: str | None, point: OperatingPoint | None) -> RankingReport:
        """Return the report of one ranking; without an operating point it has no decision."""
        if ranking.pos_label_ is None:
            curves = {curve: ranking.curve(curve) for curve in CLASSES_CURVES}
            by = None if ranking.target == "sample" else "true"
            matrix = replace(ranking.confusion_matrix(normalize=by), verdict=ranking.verdict_)
            return cls(name, curves, matrix=matrix, verdict=ranking.verdict_)

        curves = {curve: ranking.curve(curve) for curve in CURVES}
        if _states_probabilities(ranking):
            reliability = ranking.calibration_curve(np.asarray, strategy=BINS[0])
            curves["reliability"] = replace(reliability, verdict=ranking.verdict_)
        else:
            curves["probability"] = _probability(ranking)

        columns = ScoreColumns.of(ranking)
        verdict = ranking.verdict_
        if point is None:
            thresholds = ThresholdGuarantees.of(ranking)
            return cls(name, curves, columns, thresholds, verdict=verdict)
        thresholds = ThresholdGuarantees.of(ranking, point.threshold)
        decision = DecisionNumbers.of(ranking, point)
        return cls(name, curves, columns, thresholds, decision, decision.matrix, verdict)


def _states_probabilities(ranking: Ranking) -> bool:
    """Return whether scores are probabilities of the positive class, calibrated or not."""
    cells = getattr(ranking.posterior_, "cells", None)
    sample = ranking.posterior_.sample
    in_unit = sample.scores[0] >= 0.0 and sample.scores[-1] <= 1.0
    score_direction = ranking.score_direction_
    if not (in_unit and score_direction.greater_is_positive):
        return False
    return ranking.default_threshold_ == 0.5 if cells is None else cells.kind.name in STATED


def _probability(ranking: Ranking) -> CurveBand:
    """Return P(y = 1) against the score."""
    posterior = ranking.posterior_
    score_direction = ranking.score_direction_
    scores = threshold_grid(posterior.sample, ranking.n_points)
    center = posterior.center
    of_center = None if center is None else center.weighted_draws(scores)
    distribution, _ = posterior.distribution(posterior.weighted_draws(scores), of_center=of_center)

    band = CurveBand(
        "probability",
        scores,
        distribution,
        x_name="score",
        y_name="probability of being positive",
        confidence_level=ranking.confidence_level,
        kind=posterior.kind,
        pos_label=ranking.pos_label_,
        verdict=ranking.verdict_,
    )
    return flipped_band(band, score_direction)
