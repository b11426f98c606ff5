"""Thresholds side by side: the items flagged at each, and the performance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..results._bands import CurveBand

__all__ = ["ThresholdGuarantees"]

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
