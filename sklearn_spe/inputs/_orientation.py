"""Whether larger or smaller scores mean positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._numbers import check_flag

__all__ = ["Orientation", "check_direction"]


def check_direction(greater_is_positive) -> bool:
    """Return whether larger scores mean positive; raise if that is no boolean."""
    return check_flag(greater_is_positive, "greater_is_positive")


# What is said of scores when they are turned around.
TURNED = {
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

# Numbers just below 1 are so far apart, halved.
HALF_STEP = 2.0**-54


@dataclass(frozen=True)
class Orientation:
    """The turn after which larger scores mean positive; it is its own inverse.

    Attributes
    ----------
    greater_is_positive : bool
        False if smaller scores mean positive, as those of most outlier detectors do.
    total : float
        What a score and the turned one sum to: 1 for scores in [0, 1], which stay there, else 0.
    """

    greater_is_positive: bool = True
    total: float = 0.0

    @classmethod
    def of(cls, scores, greater_is_positive: bool) -> Orientation:
        """Return the turn of these scores.

        Raises
        ------
        TypeError
            If `greater_is_positive` is not a boolean.
        """
        check_direction(greater_is_positive)
        in_unit = not greater_is_positive and scores.min() >= 0.0 and scores.max() <= 1.0
        return cls(bool(greater_is_positive), float(in_unit))

    def reversed(self) -> Orientation:
        """Return the opposite turn; it leaves the sum of a score and the turned one at 0."""
        return Orientation(not self.greater_is_positive)

    def turn(self, scores):
        """Turn scores or thresholds around, or back."""
        return scores if self.greater_is_positive else self.total - scores

    def word(self, word: str) -> str:
        """Return what is said on the scale of the user of scores that are "higher", "below", ..."""
        return word if self.greater_is_positive else TURNED.get(word, word)

    def turn_threshold(self, threshold: float) -> float:
        """Return a threshold on the scale of the user, which lets the same items pass.

        The smallest scores become 1 when they are taken from 1: it is the largest of them.
        """
        turned = self.turn(threshold)
        if self.greater_is_positive or not self.total:
            return turned
        # Whatever was rounded to the turned threshold lies up to here, or just below.
        above = turned + HALF_STEP
        return above if self.turn(above) >= threshold else float(np.nextafter(above, 0.0))
