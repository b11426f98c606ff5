"""Thresholds side by side: what is called positive at each, and what that achieves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..results._bands import CurveBand

__all__ = ["ThresholdPromises"]

# Decisions are mostly taken among the highest scores: so many ranks of them, log-spaced, beside
# as many that are spread over all.
N_TOP, N_EVEN = 45, 60
METRICS = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class ThresholdPromises(FrozenArrays):
    """What holds at each of some thresholds.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Scores, rising.
    flagged : ndarray of shape (n_thresholds,)
        How many of the items at hand are called positive.
    n_items : float
    bands : dict of str to CurveBand
        Precision, recall and F1 over the thresholds.
    least : dict of str to ndarray of shape (n_thresholds,)
        What precision, recall and F1 are at least, with a `probability` each.
    probability : float
    place : int
        Of the threshold to begin with.
    greater_is_positive : bool
    """

    thresholds: np.ndarray
    flagged: np.ndarray
    n_items: float
    bands: dict[str, CurveBand]
    least: dict[str, np.ndarray]
    probability: float
    place: int
    greater_is_positive: bool

    @classmethod
    def of(cls, performance, threshold: float | None = None) -> ThresholdPromises:
        """Return those of a fitted performance estimator that shows one ranking.

        Parameters
        ----------
        performance : PerformanceCurveEstimator
        threshold : float, default=None
            To begin with; None takes that with the largest F1.
        """
        orientation, sample = performance.orientation_, performance.posterior_.sample
        top = 1.0 - np.geomspace(1.0 / sample.n_cells, 0.5, N_TOP)
        turned = sample.quantile(np.r_[np.linspace(0.0, 1.0, N_EVEN), top])
        given = np.array([orientation.turn_threshold(score) for score in np.unique(turned)])
        if threshold is not None:
            # As it was written, and not as it comes back from being turned.
            given = np.r_[given, threshold]
        bands = {name: performance.curve(name, thresholds=np.unique(given)) for name in METRICS}
        thresholds = bands["precision"].x
        above = np.r_[np.cumsum(sample.counts[::-1])[::-1], 0.0]
        flagged = above[np.searchsorted(sample.lower, orientation.turn(thresholds))]
        probability = 0.5 * (1.0 + performance.confidence_level)
        best = np.nanargmax(bands["f1"].value)
        place = best if threshold is None else np.argmin(np.abs(thresholds - threshold))
        return cls(
            thresholds,
            flagged,
            float(sample.counts.sum()),
            bands,
            # Where nothing above a threshold is labelled, an interval begins at the edge.
            {name: band.interval(performance.confidence_level)[0] for name, band in bands.items()},
            probability,
            int(place),
            orientation.greater_is_positive,
        )
