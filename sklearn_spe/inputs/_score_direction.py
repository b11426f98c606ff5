"""Score direction: whether larger or smaller scores mean positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._numbers import check_flag

__all__ = ["ScoreDirection", "check_direction"]


def check_direction(greater_is_positive) -> bool:
    """Return whether larger scores mean positive; raise unless it is a boolean."""
    return check_flag(greater_is_positive, "greater_is_positive")


# Opposite words for flipped scores.
FLIPPED = {
    "above": "below",
    "below": "above",
    "high": "low",
    "higher": "lower",
    "highest": "lowest",
    "larger": "smaller",
    "largest": "smallest",
    "lower": "higher",
    "lowest": "highest",
    "smaller": "larger",
}

# Half the spacing of float64 just below 1.
HALF_STEP = 2.0**-54


@dataclass(frozen=True)
class ScoreDirection:
    """The flip after which larger scores mean positive; it is its own inverse.

    Attributes
    ----------
    greater_is_positive : bool
        False if smaller scores mean positive, as for most outlier detectors.
    total : float
        Sum of a score and its flipped value: 1 for scores in [0, 1], which stay there, else 0.
    """

    greater_is_positive: bool = True
    total: float = 0.0

    @classmethod
    def of(cls, scores, greater_is_positive: bool) -> ScoreDirection:
        """Return the direction of these scores.

        Raises
        ------
        TypeError
            If `greater_is_positive` is not a boolean.
        """
        check_direction(greater_is_positive)
        in_unit = not greater_is_positive and scores.min() >= 0.0 and scores.max() <= 1.0
        return cls(bool(greater_is_positive), float(in_unit))

    def reversed(self) -> ScoreDirection:
        """Return the opposite direction, with the sum 0."""
        return ScoreDirection(not self.greater_is_positive)

    def flip(self, scores):
        """Flip scores or thresholds, or flip them back."""
        return scores if self.greater_is_positive else self.total - scores

    def word(self, word: str) -> str:
        """Return the word for "higher", "below", ... on the user's scale."""
        return word if self.greater_is_positive else FLIPPED.get(word, word)

    def flip_threshold(self, threshold: float) -> float:
        """Return a threshold on the user's scale that selects the same items.

        Tiny scores all flip to 1: the threshold is the largest of them.
        """
        flipped = self.flip(threshold)
        if self.greater_is_positive or not self.total:
            return flipped
        # Scores that round to the flipped threshold lie up to here, or just below.
        above = flipped + HALF_STEP
        return above if self.flip(above) >= threshold else float(np.nextafter(above, 0.0))
