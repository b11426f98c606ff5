"""The part of a report on one ranking: its curves, scores and thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..curves._grid import flipped_band, threshold_grid
from ..curves._reliability import STRATEGIES as BINS
from ..results._bands import CurveBand
from ._score_columns import ScoreColumns
from ._threshold_guarantees import ThresholdGuarantees

__all__ = ["CLASSES_CURVES", "RankingReport", "decision_of"]

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
        y_name="probability to be positive",
        confidence_level=performance.confidence_level,
        kind=posterior.kind,
        pos_label=performance.pos_label_,
    )
    return flipped_band(band, score_direction)
