"""Transformation of scores to a scale on which those of wrong classes are nearly normal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["ScoreTransform", "split_scores"]

# Tolerance of the sum of probabilities in a row.
SUM_TOLERANCE = 1e-3
# Candidate powers of distances. A chi-square variable is nearly normal with power 1 / 3.
POWERS = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15)
ENOUGH_SCORES = 1 << 18
# Minimum reduction of the skewness for which a power is used.
WORTHWHILE = 0.02


@dataclass(frozen=True)
class ScoreTransform:
    """One increasing map of all scores.

    Probabilities become their logarithms. Scores with upper bound 0, such as negative distances,
    are transformed by the power that minimizes the skewness of the wrong scores of an item. Other
    scores are unchanged.
    """

    logarithm: bool = False
    power: float = 1.0  # of the negative score; 1 changes nothing
    floor: float = 0.0  # replaces -inf on the new scale, below all other scores

    @classmethod
    def learn(cls, scores) -> ScoreTransform:
        """Find the scale of a table of scores."""
        logarithm = _are_probabilities(scores)
        bounded = not logarithm and scores.max() <= 0.0 and not _are_log_probabilities(scores)
        power = _min_skewness_power(scores) if bounded else 1.0
        return cls(logarithm, power)

    def floored(self, scores) -> ScoreTransform:
        """Return the scale with a floor below all finite scores."""
        bottom = 0.0 if self.logarithm else -np.inf
        if scores.min() > bottom:
            return self
        finite = scores > bottom
        if not finite.any():
            return self
        # The map is increasing: its ends are those of the finite scores.
        ends = scores.min(where=finite, initial=np.inf), scores.max()
        lowest, highest = self(np.array(ends))
        return replace(self, floor=float(lowest - max(highest - lowest, 1.0)))

    def __call__(self, scores) -> np.ndarray:
        """Return scores on the new scale."""
        scores = np.asarray(scores, dtype=float)
        if self.logarithm:
            with np.errstate(divide="ignore"):
                scores = np.log(scores)
        elif self.power != 1.0:
            scores = -((-scores) ** self.power)
        return np.where(np.isneginf(scores), self.floor, scores)


def split_scores(scores, columns) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of the true class of each item, and those of the others."""
    columns = columns[:, np.newaxis]
    own = np.take_along_axis(scores, columns, axis=1)[:, 0]
    return own, np.take_along_axis(scores, wrong_columns(columns, scores.shape[1]), axis=1)


def wrong_columns(columns, n_classes: int) -> np.ndarray:
    """Return the columns of the wrong classes of each item, in order."""
    # Columns before the true one, and those after it shifted by one.
    places = np.arange(n_classes - 1)
    return places + (places >= columns)


def _are_probabilities(scores) -> bool:
    if scores.min() < 0.0 or scores.max() > 1.0 + SUM_TOLERANCE:
        return False
    return bool(np.abs(scores.sum(axis=1) - 1.0).max() < SUM_TOLERANCE)


def _are_log_probabilities(scores) -> bool:
    return bool(np.abs(np.exp(scores).sum(axis=1) - 1.0).max() < SUM_TOLERANCE)


def _min_skewness_power(scores) -> float:
    # A median over a subsample of items if there are many scores.
    scores = scores[:: 1 + scores.size // ENOUGH_SCORES]
    finite = np.isfinite(scores)
    n_finite = finite.sum(axis=1, keepdims=True)
    skewness = []
    for power in POWERS:
        values = np.where(finite, -((-scores) ** power), 0.0)
        mean = values.sum(axis=1, keepdims=True) / np.maximum(n_finite, 1)
        deviations = np.where(finite, values - mean, 0.0)
        variance = (deviations**2).sum(axis=1)
        third = (deviations**3).sum(axis=1)
        spread = variance > 0.0
        if not spread.any():
            return 1.0
        ratio = third[spread] * np.sqrt(n_finite[spread, 0]) / variance[spread] ** 1.5
        skewness.append(abs(np.median(ratio)))
    best = int(np.argmin(skewness))
    return POWERS[best] if skewness[best] < skewness[0] - WORTHWHILE else 1.0
