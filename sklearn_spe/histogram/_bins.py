"""Bins of scores on a scale, and tables of counts in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays
from ..inputs._scores import ROUNDING, look_like_percent
from ..inputs._validation import check_choice, check_count

# Keys of probabilities of exactly 0 and 1, far beyond all other keys.
KEY_OF_ZERO, KEY_OF_ONE = -(2**30), 2**30
# SQL key of numbers outside the scale, NaN included, on which engines would disagree.
KEY_OF_NONE = 2**31 - 1
# Engines differ in the last bits of a logarithm, by this many units in the last place.
UNITS_OF_ROUNDING = 4.0
# Maximum number of bins between the smallest and largest score of a chunk.
MAX_BINS = 2**20
# Maximum number of counted items, so that sums of their quanta are exact.
MAX_ITEMS = 2**38
# Number of neighboring bins whose edges are computed together and cached.
N_KEPT = 2**10
# A float64 sum of multiples of a number is exact below this many multiples.
LARGEST_SUM = 2**53


def check_total(n_items: float) -> None:
    """Raise if more items are counted than sums hold."""
    if n_items > MAX_ITEMS:
        raise ParameterError.of(
            "counts",
            f"sum to {n_items:.4g} items, and a histogram holds at most 2**38.",
            "Divide all counts by a number",
        )


@dataclass(frozen=True)
class Scale:
    """Increasing transform of scores with bins of equal width, in numpy and in SQL."""

    forward: Callable[[np.ndarray], np.ndarray]  # the transform
    back: Callable[[np.ndarray], np.ndarray]  # its inverse
    sql: str  # the transform of a float64 column ``{x}``
    # SQL condition of its domain for ``{column}``; `most` is the largest key over the resolution
    inside: str
    remedy: str  # advice for scores outside its domain


def _asinh(x: np.ndarray):
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

    def __post_init__(self) -> None:
        check_choice(self.scale, "scale", tuple(SCALES))
        check_count(self.resolution, "resolution")

    def check(self, smallest: float, largest: float) -> None:
        """Raise unless all scores in a range have keys; missing scores are ignored."""
        range_of_scores = f"the scores run from {smallest:.6g} to {largest:.6g}"
        remedy = SCALES[self.scale].remedy

        if not np.isfinite([smallest, largest]).all():
            raise ValueError(
                f"Scores must be finite, or NaN where missing, but {range_of_scores}. Replace "
                "infinite scores by values slightly beyond all others."
            )

        if self.scale == "logit" and not 0.0 <= smallest <= largest <= 1.0:
            is_rounded = smallest >= -ROUNDING and largest <= 1.0 + ROUNDING
            remedy = "for rounded ones count np.clip(scores, 0, 1)" if is_rounded else remedy
            if look_like_percent(smallest, largest):
                remedy = "for percentages count scores / 100"
            raise ValueError(
                f"scale='logit' requires probabilities, but {range_of_scores}; {remedy}."
            )

        first, last = self.keys_between(smallest, largest)
        if last - first > MAX_BINS:
            raise ValueError(
                f"With scale={self.scale!r} and resolution={self.resolution} there are "
                f"{last - first:.3g} bins where {range_of_scores}, more than {MAX_BINS}; {remedy}."
            )

    def check_keys(self, keys: np.ndarray, counts: np.ndarray) -> None:
        """Raise unless the integers can be keys."""
        outside = keys == KEY_OF_NONE
        if outside.any():
            raise ValueError(
                f"{int(counts[outside].sum())} scores of the table have the key {KEY_OF_NONE} of "
                f"numbers outside the domain of scale={self.scale!r}: NaN, "
                f"{'numbers outside of [0, 1]' if self.scale == 'logit' else 'infinite ones'} or "
                "too large ones. Make them NULL in the table if they are missing scores; else "
                f"{SCALES[self.scale].remedy}."
            )

        invalid = (keys < KEY_OF_ZERO) | (keys > KEY_OF_ONE)
        if invalid.any():
            raise ValueError(
                f"Keys lie between {KEY_OF_ZERO} and {KEY_OF_ONE}, got {keys[invalid][0]}."
            )

    def keys(self, scores: npt.ArrayLike) -> np.ndarray:
        """Return the key of each score."""
        scores = np.asarray(scores, dtype=float)
        with np.errstate(divide="ignore"):
            keys = np.floor(self.resolution * SCALES[self.scale].forward(scores))
        if self.scale == "logit":
            keys = np.clip(keys, KEY_OF_ZERO, KEY_OF_ONE)
        return keys.astype(np.int64)

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

    def edges(self, keys: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of bins, on the scale of the scores."""
        keys = np.asarray(keys, dtype=float)
        back = SCALES[self.scale].back
        largest = np.finfo(float).max

        with np.errstate(over="ignore"):
            low = np.clip(back(keys / self.resolution), -largest, largest)
            high = np.clip(back((keys + 1) / self.resolution), -largest, largest)

        if self.scale == "logit":
            # Zero and one are bins of their own.
            low, high = (np.where(keys == KEY_OF_ONE, 1.0, end) for end in (low, high))
            low, high = (np.where(keys == KEY_OF_ZERO, 0.0, end) for end in (low, high))

        return low, high

    def around(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds of all scores of bins, slightly widened to hold for float32 too."""
        low, high = self.edges(keys)
        return _wider(low, high, np.finfo(np.float32))

    def is_near_edge(self, scores: npt.ArrayLike) -> np.ndarray:
        """Return which scores are near an edge, where rounding may change the bin."""
        scores = np.asarray(scores, dtype=float)
        near = np.zeros(len(scores), dtype=bool)
        inside = (scores > 0.0) & (scores < 1.0) if self.scale == "logit" else ~near
        position = self.resolution * SCALES[self.scale].forward(scores[inside])
        near[inside] = np.abs(position - np.round(position)) <= self._rounding(position)
        return near

    def near_edges(self, keys: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds that include all scores near the lower edge of bins."""
        keys = np.asarray(keys, dtype=float)
        back = SCALES[self.scale].back
        rounding = self._rounding(keys)
        with np.errstate(over="ignore"):
            low = back((keys - rounding) / self.resolution)
            high = back((keys + rounding) / self.resolution)
        # The inverse transform rounds, too.
        return _wider(low, high, np.finfo(float))

    def reach_edges(
        self, keys: np.ndarray, smallest: np.ndarray, largest: np.ndarray
    ) -> np.ndarray:
        """Return which bins may have scores near an edge, given the ends of their scores."""
        reach = smallest <= self.near_edges(keys)[1]
        reach |= largest >= self.near_edges(keys + 1)[0]
        return reach & (keys > KEY_OF_ZERO) & (keys < KEY_OF_ONE)

    def _rounding(self, position: np.ndarray) -> np.ndarray:
        return UNITS_OF_ROUNDING * (
            np.spacing(np.abs(position)) + self.resolution * np.finfo(float).eps
        )

    def grid(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return origin and quantum, powers of two, of positions within bins.

        A bin is 2**24 to 2**25 quanta wide, and starts less than one quantum above the origin.
        """
        low, high = self.edges(keys)
        _, exponent = np.frexp(high - low)
        quantum = np.where(high > low, np.ldexp(1.0, np.maximum(exponent - 25, -1000)), 1.0)
        return np.floor(low / quantum) * quantum, quantum

    def means(
        self,
        keys: np.ndarray,
        counts: np.ndarray,
        parts: np.ndarray,
        smallest: np.ndarray,
        largest: np.ndarray,
    ) -> np.ndarray:
        """Return the mean scores of bins, given their sums in quanta and their ends."""
        low, quantum = self.grid(keys)
        # Scores were rounded down to a quantum: use its middle.
        return np.clip(low + quantum * (parts / counts + 0.5), smallest, largest)

    def sql(self, column: str, float64: str) -> str:
        """Return the SQL expression of the key of a column, NULL if missing."""
        scale = SCALES[self.scale]
        x = f"CAST({column} AS {float64})"
        key = f"CAST(FLOOR({self.resolution} * {scale.sql.format(x=x)}) AS INT)"
        inside = scale.inside.format(column=column, most=KEY_OF_ONE // self.resolution)
        cases = [f"{inside}\n        THEN {key}"]
        if self.scale == "logit":
            cases += [f"{column} = 0 THEN {KEY_OF_ZERO}", f"{column} = 1 THEN {KEY_OF_ONE}"]
        cases.append(f"{column} IS NOT NULL THEN {KEY_OF_NONE}")
        return "\n    ".join(["CASE", *(f"WHEN {case}" for case in cases)]) + "\nEND"


def _wider(low: np.ndarray, high: np.ndarray, precision: np.finfo) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges widened by some units of a precision."""
    relative = UNITS_OF_ROUNDING * precision.eps
    smallest = precision.tiny
    largest = np.finfo(float).max
    low = np.clip(low, -largest, largest)
    high = np.clip(high, -largest, largest)
    with np.errstate(over="ignore"):
        below = low - relative * np.abs(low) - smallest
        above = high + relative * np.abs(high) + smallest
    return below, above


@dataclass(frozen=True, eq=False)
class BinTable(FrozenArrays):
    """The nonempty bins of some scores."""

    keys: np.ndarray  # (n_bins,), increasing
    counts: np.ndarray  # (n_bins,)
    # (n_bins,), sum over items of their distance from the bin's lower end in quanta, at most 2**25
    # each, so that sums of 2**38 items are exact
    parts: np.ndarray
    smallest: np.ndarray  # (n_bins,), the smallest score of each bin
    largest: np.ndarray  # (n_bins,), the largest score of each bin
    n_near_edges: int = 0  # number of scores whose bin depends on rounding

    @classmethod
    def empty(cls) -> BinTable:
        """Return an empty table."""
        empty = np.empty(0, dtype=np.int64)
        return cls(empty, empty, empty, np.empty(0), np.empty(0))

    @classmethod
    def of(cls, scores: np.ndarray, counts: np.ndarray | None, bins: ScoreBins) -> BinTable:
        """Count scores, with multiplicities if given."""
        if not len(scores):
            return cls.empty()

        if counts is None:
            scores = np.sort(scores)
        else:
            order = np.argsort(scores, kind="stable")
            scores = scores[order]
            counts = counts[order]

        bins.check(float(scores[0]), float(scores[-1]))
        firsts, keys = _runs(scores, bins)
        lasts = np.append(firsts[1:], len(scores)) - 1
        smallest = scores[firsts].astype(float)
        largest = scores[lasts].astype(float)
        low, quantum = bins.grid(keys)
        parts = _parts(scores, counts, firsts, low, quantum)

        # Only bins that reach an edge can have scores near it.
        n_scores = np.diff(firsts, append=len(scores))
        near = np.repeat(bins.reach_edges(keys, smallest, largest), n_scores)
        near[near] = bins.is_near_edge(scores[near])

        if counts is None:
            return cls(keys, n_scores, parts, smallest, largest, int(near.sum()))

        n_items = np.add.reduceat(counts, firsts)
        return cls(keys, n_items, parts, smallest, largest, int(counts[near].sum()))

    @classmethod
    def sum_of(cls, tables: Sequence[BinTable]) -> BinTable:
        """Return the sum of several tables."""
        keys = np.concatenate([table.keys for table in tables])
        if not len(keys):
            return tables[0]

        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))

        def merged(ufunc: np.ufunc, columns: list[np.ndarray]) -> np.ndarray:
            return ufunc.reduceat(np.concatenate(columns)[order], firsts)

        counts = merged(np.add, [table.counts for table in tables])
        parts = merged(np.add, [table.parts for table in tables])
        smallest = merged(np.minimum, [table.smallest for table in tables])
        largest = merged(np.maximum, [table.largest for table in tables])
        check_total(counts.sum(dtype=float))
        n_near_edges = sum(table.n_near_edges for table in tables)

        return cls(keys[firsts], counts, parts, smallest, largest, n_near_edges)

    def scores(self, bins: ScoreBins) -> np.ndarray:
        """Return the mean score of each bin."""
        return bins.means(self.keys, self.counts, self.parts, self.smallest, self.largest)


def _runs(scores: np.ndarray, bins: ScoreBins) -> tuple[np.ndarray, np.ndarray]:
    """Return the start indices of the bins of sorted scores, and their keys."""
    # There are few edges and many scores: one search per edge is cheaper than one logarithm per
    # score.
    smallest = float(scores[0])
    largest = float(scores[-1])
    first, last = map(int, bins.keys_between(smallest, largest))
    blocks = range(first // N_KEPT, last // N_KEPT + 1)
    edges = np.concatenate([_edges(bins, block, scores.dtype) for block in blocks])
    first_edge = blocks[0] * N_KEPT
    edges = edges[first - first_edge : last + 1 - first_edge]
    bounds = np.concatenate([[0], np.searchsorted(scores, edges), [len(scores)]])
    is_filled = np.diff(bounds) > 0
    firsts = bounds[:-1][is_filled]
    lasts = bounds[1:][is_filled] - 1

    # The first and last score of a bin have its key.
    keys = bins.keys(scores[firsts])
    last_keys = bins.keys(scores[lasts])
    if np.array_equal(keys, last_keys) and (np.diff(keys) > 0).all():
        return firsts, keys

    # For rounded edges, or scores of exactly 0 and 1, compute the key of each item.
    keys, firsts = np.unique(bins.keys(scores), return_index=True)
    return firsts, keys


@lru_cache(maxsize=32)
def _edges(bins: ScoreBins, block: int, dtype: np.dtype) -> np.ndarray:
    """Return the smallest numbers of a dtype in each bin of a block of neighbors."""
    edges = bins.edges(np.arange(block * N_KEPT, (block + 1) * N_KEPT))[0]
    with np.errstate(over="ignore"):
        rounded = edges.astype(dtype)
        return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def _parts(
    scores: np.ndarray,
    counts: np.ndarray | None,
    firsts: np.ndarray,
    low: np.ndarray,
    quantum: np.ndarray,
) -> np.ndarray:
    """Return the summed distance of each bin's scores from its lower end, in quanta."""
    lengths = np.diff(firsts, append=len(scores))
    if counts is not None or scores.dtype != np.float32:
        return _rounded_parts(scores, counts, lengths, low, quantum)

    smallest = scores[firsts]
    largest = scores[firsts + lengths - 1]

    # If the quantum divides all float32 numbers in the bin, neither they nor their float64 sum are
    # rounded: summing suffices.
    near = np.minimum(np.abs(smallest), np.abs(largest))
    far = np.maximum(np.abs(smallest), np.abs(largest)).astype(float)
    step = np.spacing(near).astype(float)
    exact = (step >= quantum) & (np.signbit(smallest) == np.signbit(largest))
    exact &= far * lengths < LARGEST_SUM * step
    smallest = smallest.astype(float)
    sums = np.add.reduceat(scores, firsts, dtype=float) - lengths * smallest
    sums = sums / quantum + lengths * np.floor((smallest - low) / quantum)

    if not exact.all():
        inexact = ~exact
        inexact_scores = scores[np.repeat(inexact, lengths)]
        sums[inexact] = _rounded_parts(
            inexact_scores, None, lengths[inexact], low[inexact], quantum[inexact]
        )

    return sums.astype(np.int64)


def _rounded_parts(
    scores: np.ndarray,
    counts: np.ndarray | None,
    lengths: np.ndarray,
    low: np.ndarray,
    quantum: np.ndarray,
) -> np.ndarray:
    quanta = scores.astype(np.float64)
    quanta -= np.repeat(low, lengths)
    quanta *= np.repeat(1.0 / quantum, lengths)
    np.floor(quanta, out=quanta)
    if counts is not None:
        quanta *= counts
    return np.add.reduceat(quanta, np.cumsum(lengths) - lengths).astype(np.int64)
