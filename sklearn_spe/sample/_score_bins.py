"""Bins of scores with integer keys that any query engine can compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._numbers import check_choice, check_count
from ..inputs._scores import ROUNDING

__all__ = ["SCALES", "ScoreBins"]

# Keys of probabilities of exactly 0 and 1, far beyond all other keys.
KEY_OF_ZERO, KEY_OF_ONE = -(2**30), 2**30
# SQL key of numbers outside the scale, NaN included, on which engines would disagree.
KEY_OF_NONE = 2**31 - 1
# Engines differ in the last bits of a logarithm, by this many units in the last place.
UNITS_OF_ROUNDING = 4.0
# Maximum number of bins between the smallest and largest score of a chunk.
MAX_BINS = 2**20


@dataclass(frozen=True)
class Scale:
    """Increasing transform of scores with bins of equal width, in numpy and in SQL."""

    forward: Callable  # the transform
    back: Callable  # its inverse
    sql: str  # the transform of a float64 column ``{x}``
    # SQL condition of its domain for ``{column}``; `most` is the largest key over the resolution
    inside: str
    remedy: str  # advice for scores outside its domain


def _asinh(x):
    # For engines without asinh, and accurate for negative x.
    return np.sign(x) * np.log(np.abs(x) + np.sqrt(x * x + 1.0))


SCALES = {
    "logit": Scale(
        lambda p: np.log(p / (1.0 - p)),
        special.expit,
        "LN({x} / (1 - {x}))",
        "{column} > 0 AND {column} < 1",
        "use scale='identity' for log-odds and margins",
    ),
    "identity": Scale(
        lambda x: x,
        lambda x: x,
        "{x}",
        "ABS({column}) < {most}",
        "lower the resolution, or use scale='asinh' for scores of many magnitudes",
    ),
    "asinh": Scale(
        _asinh,
        np.sinh,
        "SIGN({x}) * LN(ABS({x}) + SQRT({x} * {x} + 1))",
        "ABS({column}) < 1e150",
        "lower the resolution",
    ),
}


@dataclass(frozen=True)
class ScoreBins:
    """Bins of equal width on a scale, with integer keys.

    The key of a score x is ``floor(resolution * scale(x))``; on the scale "logit", 0 and 1 have
    separate keys.
    """

    scale: str = "logit"  # {"logit", "identity", "asinh"}
    resolution: int = 64  # number of bins per unit of the scale

    def __post_init__(self):
        check_choice(self.scale, "scale", tuple(SCALES))
        check_count(self.resolution, "resolution")

    def check(self, smallest: float, largest: float) -> None:
        """Raise unless scores in a range, missing ones ignored, have keys."""
        given = f"the scores run from {smallest:.6g} to {largest:.6g}"
        remedy = SCALES[self.scale].remedy
        if not np.isfinite([smallest, largest]).all():
            raise ValueError(
                f"Scores must be finite, or NaN where missing, but {given}. Replace infinite "
                "scores by values slightly beyond all others."
            )
        if self.scale == "logit" and not 0.0 <= smallest <= largest <= 1.0:
            is_rounded = smallest >= -ROUNDING and largest <= 1.0 + ROUNDING
            remedy = "for rounded ones count np.clip(scores, 0, 1)" if is_rounded else remedy
            raise ValueError(f"scale='logit' requires probabilities, but {given}; {remedy}.")
        first, last = self.keys_between(smallest, largest)
        if last - first > MAX_BINS:
            raise ValueError(
                f"With scale={self.scale!r} and resolution={self.resolution} there are "
                f"{last - first:.3g} bins where {given}, more than {MAX_BINS}; {remedy}."
            )

    def check_keys(self, keys, counts) -> None:
        """Raise unless the integers can be keys."""
        refused = keys == KEY_OF_NONE
        if refused.any():
            raise ValueError(
                f"{int(counts[refused].sum())} scores of the table have the key {KEY_OF_NONE} of "
                f"numbers outside the domain of scale={self.scale!r}: NaN, "
                f"{'numbers outside of [0, 1]' if self.scale == 'logit' else 'infinite ones'} or "
                "too large ones. Make them NULL in the table if they are missing scores; else "
                f"{SCALES[self.scale].remedy}."
            )
        wrong = (keys < KEY_OF_ZERO) | (keys > KEY_OF_ONE)
        if wrong.any():
            raise ValueError(
                f"Keys lie between {KEY_OF_ZERO} and {KEY_OF_ONE}, got {keys[wrong][0]}."
            )

    def keys(self, scores) -> np.ndarray:
        """Return the key of each score."""
        scores = np.asarray(scores, dtype=float)
        with np.errstate(divide="ignore"):
            at = np.floor(self.resolution * SCALES[self.scale].forward(scores))
        if self.scale == "logit":
            at = np.clip(at, KEY_OF_ZERO, KEY_OF_ONE)
        return at.astype(np.int64)

    def keys_between(self, smallest: float, largest: float) -> tuple[float, float]:
        """Return the keys of two scores; on "logit", of the numbers next inside 0 and 1."""
        if self.scale == "logit":
            inside = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
            smallest, largest = np.clip([smallest, largest], *inside)
        with np.errstate(over="ignore"):
            first, last = np.floor(
                self.resolution * SCALES[self.scale].forward(np.array([smallest, largest]))
            )
        return float(first), float(last)

    def edges(self, keys) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of bins, on the scale of the scores."""
        keys = np.asarray(keys, dtype=float)
        back, most = SCALES[self.scale].back, np.finfo(float).max
        with np.errstate(over="ignore"):
            ends = (back((keys + end) / self.resolution) for end in (0, 1))
            low, high = (np.clip(end, -most, most) for end in ends)
        if self.scale == "logit":
            low, high = (np.where(keys == KEY_OF_ONE, 1.0, end) for end in (low, high))
            low, high = (np.where(keys == KEY_OF_ZERO, 0.0, end) for end in (low, high))
        return low, high

    def around(self, keys) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds of all scores of bins, slightly widened to hold for float32 too."""
        return _wider(*self.edges(keys), np.finfo(np.float32))

    def is_near_edge(self, scores) -> np.ndarray:
        """Return which scores are so near to an edge that rounding decides their bin."""
        scores = np.asarray(scores, dtype=float)
        near = np.zeros(len(scores), dtype=bool)
        inside = (scores > 0.0) & (scores < 1.0) if self.scale == "logit" else ~near
        at = self.resolution * SCALES[self.scale].forward(scores[inside])
        near[inside] = np.abs(at - np.round(at)) <= self._rounding(at)
        return near

    def near_edges(self, keys) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds that include all scores near the lower edge of bins."""
        keys = np.asarray(keys, dtype=float)
        back, rounding = SCALES[self.scale].back, self._rounding(keys)
        with np.errstate(over="ignore"):
            low, high = (back((keys + end * rounding) / self.resolution) for end in (-1, 1))
        # The inverse transform rounds, too.
        return _wider(low, high, np.finfo(float))

    def _rounding(self, at) -> np.ndarray:
        return UNITS_OF_ROUNDING * (np.spacing(np.abs(at)) + self.resolution * np.finfo(float).eps)

    def grid(self, keys) -> tuple[np.ndarray, np.ndarray]:
        """Return origin and quantum, powers of two, of positions within bins.

        A bin is 2**24 to 2**25 quanta wide, and starts less than one quantum above the origin.
        """
        low, high = self.edges(keys)
        _, exponent = np.frexp(high - low)
        quantum = np.where(high > low, np.ldexp(1.0, np.maximum(exponent - 25, -1000)), 1.0)
        return np.floor(low / quantum) * quantum, quantum

    def sql(self, column: str, float64: str) -> str:
        """Return the SQL expression of the key of a column, NULL if missing."""
        scale, x = SCALES[self.scale], f"CAST({column} AS {float64})"
        key = f"CAST(FLOOR({self.resolution} * {scale.sql.format(x=x)}) AS INT)"
        inside = scale.inside.format(column=column, most=KEY_OF_ONE // self.resolution)
        cases = [f"{inside}\n        THEN {key}"]
        if self.scale == "logit":
            cases += [f"{column} = 0 THEN {KEY_OF_ZERO}", f"{column} = 1 THEN {KEY_OF_ONE}"]
        cases.append(f"{column} IS NOT NULL THEN {KEY_OF_NONE}")
        return "\n    ".join(["CASE", *(f"WHEN {case}" for case in cases)]) + "\nEND"


def _wider(low, high, precision) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges widened by some units of a precision."""
    wide, smallest, most = UNITS_OF_ROUNDING * precision.eps, precision.tiny, np.finfo(float).max
    low, high = np.clip(low, -most, most), np.clip(high, -most, most)
    with np.errstate(over="ignore"):
        return low - wide * np.abs(low) - smallest, high + wide * np.abs(high) + smallest
