"""Bins of scores, tables of them, bins that are cut, and their rows for a fit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import special

from ..exceptions import ParameterError
from ..inputs._arrays import CountedItems, FrozenArrays
from ..inputs._frames import read_column
from ..inputs._scores import ROUNDING, look_like_percent
from ..inputs._validation import as_plain, check_choice, check_count, check_counts

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
            if look_like_percent(smallest, largest):
                remedy = "for percentages count scores / 100"
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

    def reach_edges(self, keys, smallest, largest) -> np.ndarray:
        """Return which bins may have scores near an edge, given the ends of their scores."""
        reach = smallest <= self.near_edges(keys)[1]
        reach |= largest >= self.near_edges(keys + 1)[0]
        return reach & (keys > KEY_OF_ZERO) & (keys < KEY_OF_ONE)

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

    def means(self, keys, counts, parts, smallest, largest) -> np.ndarray:
        """Return the mean scores of bins, given their sums in quanta and their ends."""
        low, quantum = self.grid(keys)
        # Scores were rounded down to a quantum: use its middle.
        return np.clip(low + quantum * (parts / counts + 0.5), smallest, largest)

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


# Number of neighboring bins whose edges are computed together and cached.
N_KEPT = 2**10
# A float64 sum of multiples of a number is exact below this many multiples.
LARGEST_SUM = 2**53


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
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, none, np.empty(0), np.empty(0))

    @classmethod
    def of(cls, scores: np.ndarray, counts: np.ndarray | None, bins: ScoreBins) -> BinTable:
        """Count scores, with multiplicities if given."""
        if not len(scores):
            return cls.empty()
        if counts is None:
            scores = np.sort(scores)
        else:
            order = np.argsort(scores, kind="stable")
            scores, counts = scores[order], counts[order]
        bins.check(float(scores[0]), float(scores[-1]))
        firsts, keys = _runs(scores, bins)
        last = np.append(firsts[1:], len(scores)) - 1
        ends = scores[firsts].astype(float), scores[last].astype(float)
        parts = _parts(scores, counts, firsts, *bins.grid(keys))
        lengths = np.diff(firsts, append=len(scores))
        near = np.repeat(bins.reach_edges(keys, *ends), lengths)
        near[near] = bins.is_near_edge(scores[near])
        if counts is None:
            return cls(keys, lengths, parts, *ends, int(near.sum()))
        n = np.add.reduceat(counts, firsts)
        return cls(keys, n, parts, *ends, int(counts[near].sum()))

    @classmethod
    def sum_of(cls, tables: Sequence[BinTable]) -> BinTable:
        """Return the sum of several tables."""
        keys = np.concatenate([table.keys for table in tables])
        if not len(keys):
            return tables[0]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        ways = {"counts": np.add, "parts": np.add, "smallest": np.minimum, "largest": np.maximum}
        counts, parts, smallest, largest = (
            way.reduceat(np.concatenate([getattr(table, name) for table in tables])[order], firsts)
            for name, way in ways.items()
        )
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
    first, last = map(int, bins.keys_between(float(scores[0]), float(scores[-1])))
    blocks = range(first // N_KEPT, last // N_KEPT + 1)
    edges = np.concatenate([_edges(bins, block, scores.dtype) for block in blocks])
    start = blocks[0] * N_KEPT
    inner = np.searchsorted(scores, edges[first - start : last + 1 - start])
    bounds = np.concatenate([[0], inner, [len(scores)]])
    firsts = bounds[:-1][np.diff(bounds) > 0]
    ends = scores[firsts], scores[np.append(firsts[1:], len(scores)) - 1]
    keys, to = map(bins.keys, ends)
    if np.array_equal(keys, to) and (np.diff(keys) > 0).all():
        return firsts, keys
    # For rounded edges, or scores of exactly 0 and 1, compute the key of each item.
    keys, firsts = np.unique(bins.keys(scores), return_index=True)
    return firsts, keys


@lru_cache(maxsize=32)
def _edges(bins: ScoreBins, block: int, dtype) -> np.ndarray:
    """Return the smallest numbers of a dtype in each bin of a block of neighbors."""
    edges = bins.edges(np.arange(block * N_KEPT, (block + 1) * N_KEPT))[0]
    with np.errstate(over="ignore"):
        rounded = edges.astype(dtype)
        return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def _parts(scores, counts, firsts, low, quantum) -> np.ndarray:
    """Return the summed distance of each bin's scores from its lower end, in quanta."""
    lengths = np.diff(firsts, append=len(scores))
    if counts is not None or scores.dtype != np.float32:
        return _rounded_parts(scores, counts, lengths, low, quantum)
    smallest, largest = scores[firsts], scores[firsts + lengths - 1]
    # If the quantum divides all float32 numbers in the bin, neither they nor their float64 sum are
    # rounded: summing suffices.
    near = np.minimum(np.abs(smallest), np.abs(largest))
    far = np.maximum(np.abs(smallest), np.abs(largest)).astype(float)
    step = np.spacing(near).astype(float)
    exact = (step >= quantum) & (np.signbit(smallest) == np.signbit(largest))
    exact &= far * lengths < LARGEST_SUM * step
    smallest = smallest.astype(float)
    above = np.add.reduceat(scores, firsts, dtype=float) - lengths * smallest
    above = above / quantum + lengths * np.floor((smallest - low) / quantum)
    if not exact.all():
        rest, own = ~exact, scores[np.repeat(~exact, lengths)]
        above[rest] = _rounded_parts(own, None, lengths[rest], low[rest], quantum[rest])
    return above.astype(np.int64)


def _rounded_parts(scores, counts, lengths, low, quantum) -> np.ndarray:
    above = scores.astype(np.float64)
    above -= np.repeat(low, lengths)
    above *= np.repeat(1.0 / quantum, lengths)
    np.floor(above, out=above)
    if counts is not None:
        above *= counts
    return np.add.reduceat(above, np.cumsum(lengths) - lengths).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CutBins(FrozenArrays):
    """The parts of bins in increasing order; a bin without a cut is one part.

    Items are numbered by increasing part, and randomly within a part.
    """

    keys: np.ndarray  # (n_parts,), of the bin of each part; parts of a bin are adjacent
    starts: np.ndarray  # (n_parts,), lower threshold; -inf if it is the edge of the bin
    counts: np.ndarray  # (n_parts,), zero on an empty side of a threshold
    scores: np.ndarray  # (n_parts,), mean score
    smallest: np.ndarray  # (n_parts,), lower bound of the scores
    largest: np.ndarray  # (n_parts,), upper bound of the scores

    @classmethod
    def of(cls, table: BinTable, bins: ScoreBins, n_above: Mapping[float, int]) -> CutBins:
        """Cut the bins of a table at thresholds with known counts above.

        Raise ValueError if a count contradicts the bins.
        """
        ends = table.smallest, table.largest
        starts = np.full(len(table.keys), -np.inf)
        cut = cls(table.keys, starts, table.counts, table.scores(bins), *ends)
        for threshold in sorted(n_above):
            cut = cut._cut_at(threshold, n_above[threshold], bins)
        return cut

    @cached_property
    def firsts(self) -> np.ndarray:
        """Number of the first item of each part, (n_parts,)."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def n_items(self) -> int:
        return int(self.counts.sum())

    def check_numbers(self, items) -> np.ndarray:
        """Return valid item numbers, or raise."""
        numbers = check_counts(as_plain(items, "items"), "items", 0)
        if numbers.ndim != 1 or (numbers >= self.n_items).any():
            raise ValueError(
                f"items must be numbers below {self.n_items}, the number of counted scores, of "
                f"shape (n,); got {numbers[numbers >= self.n_items][:1]} and the shape "
                f"{numbers.shape}."
            )
        return numbers

    def parts_and_places(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the part of each item, and its position within that part."""
        parts = np.searchsorted(self.firsts + self.counts, numbers, side="right")
        return parts, numbers - self.firsts[parts]

    def parts_of(self, keys, scores) -> np.ndarray:
        """Return the part of each score, given its key, or -1."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        there = self.keys[at] == keys
        for cut in np.flatnonzero(self.starts > -np.inf):
            at = at + ((keys == self.keys[cut]) & (scores >= self.starts[cut]))
        return np.where(there, at, -1)

    def _cut_at(self, threshold: float, n_above: int, bins: ScoreBins) -> CutBins:
        key = int(bins.keys(np.array([threshold]))[0])
        # Above all previous cuts, as thresholds increase.
        at = int(np.searchsorted(self.keys, key, side="right")) - 1
        is_there = at >= 0 and self.keys[at] == key
        higher = int(self.counts[at + 1 :].sum())
        n, n_own = n_above - higher, int(self.counts[at]) if is_there else 0
        if not 0 <= n <= n_own:
            known = f"{higher}" if not n_own else f"{higher} to {higher + n_own}"
            raise ValueError(
                f"n_above={n_above} scores at or above {threshold!r} contradict the bins: by "
                f"their counts there are {known}. Use the scores of the histogram."
            )
        if not is_there:
            return self
        smallest, mean, most = (float(v[at]) for v in (self.smallest, self.scores, self.largest))
        below = (smallest, min(most, float(np.nextafter(threshold, -np.inf))))
        above = (max(threshold, smallest), most)
        if n == n_own:
            below, means = (threshold, threshold), (threshold, mean)
        elif n == 0:
            above, means = (threshold, threshold), (mean, threshold)
        else:
            means = _means(mean, n / n_own, below, above)
        columns = {
            "keys": (key, key),
            "starts": (self.starts[at], threshold),
            "counts": (n_own - n, n),
            "scores": means,
            "smallest": (below[0], above[0]),
            "largest": (below[1], above[1]),
        }
        return CutBins(
            **{
                name: np.r_[getattr(self, name)[:at], two, getattr(self, name)[at + 1 :]]
                for name, two in columns.items()
            }
        )


def _means(mean: float, share: float, below, above) -> tuple[float, float]:
    """Return means of both sides, consistent with the bin's mean and near the midpoints."""
    middles = [(low + high) / 2.0 for low, high in (below, above)]
    reaches = [(high - low) / 2.0 for low, high in (below, above)]
    middle, reach = ((1.0 - share) * a + share * b for a, b in (middles, reaches))
    move = np.clip((mean - middle) / reach, -1.0, 1.0) if reach > 0.0 else 0.0
    low, high = (m + move * r for m, r in zip(middles, reaches, strict=True))
    return float(np.clip(low, *below)), float(np.clip(high, *above))


# Maximum share of all items in one row: steps of this height are negligible when the score
# distribution is compared with a continuous one.
SHARE_OF_A_ROW = 2.0**-14


@dataclass(frozen=True, eq=False, repr=False)
class LabeledHistogram(CountedItems, FrozenArrays):
    """Histogram with labels, in place of X, y and sample_weight in `fit`.

    Rows are the labeled items in the given order, followed by the bins or cells. A bin with many
    items becomes several rows, spread over its width. Created by `with_labels` of a histogram.
    """

    # (n_rows,); (n_rows, n_systems) of several, NaN if missing; (n_rows, n_classes) of classes
    scores: np.ndarray
    y: np.ndarray  # (n_rows,), labels as given; None for bins
    counts: np.ndarray  # (n_rows,), number of items of each row
    source: str  # identifies the items, whichever of them are labeled
    # (n_rows,), number of the first item, for `ScoreHistogram.find`; -1 for labeled items
    firsts: np.ndarray | None = None  # None for cells
    systems: tuple[str, ...] | None = None  # None for one system, or one of several classes
    judges: tuple[str, ...] = ()
    verdicts: np.ndarray | None = None  # (n_rows, n_judges), as given; None if missing

    @classmethod
    def of(cls, given, labels, n, rows, counts, source: str, **others) -> LabeledHistogram:
        """Return `n` items each of given scores, followed by rows without labels."""
        y = np.empty(len(labels) + len(rows), dtype=object)
        y[: len(labels)] = labels
        weights = np.r_[n.astype(float), counts.astype(float)]
        return cls(np.concatenate([given, rows]), y, weights, source, **others)

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"


def labels_of(scores: np.ndarray, y: Any) -> np.ndarray:
    """Return the labels of items, as given; raise unless there is one for each."""
    labels = as_plain(read_column(y, "y"), "y")
    if labels.shape != scores.shape[:1]:
        raise ValueError(
            f"scores and y must have an entry for each labeled item, got shapes {scores.shape} "
            f"and {labels.shape}."
        )
    return labels


def labeled_rows(cut: CutBins, scores, y, parts=None, n=None) -> LabeledHistogram:
    """Return labeled items and bins without them.

    `scores` and `y` are (n_items,), those of labeled items; `parts` (n_items,) are their parts of
    the bins, None if they were not counted; `n` (n_items,) are their counts, 1 if None. Raise
    ValueError if they cannot have been counted.
    """
    left, n = cut.counts, np.ones(len(scores), dtype=np.int64) if n is None else n
    if parts is not None:
        own = np.zeros(len(left), dtype=np.int64)
        np.add.at(own, parts[parts >= 0], n[parts >= 0])
        n_wrong = int((parts < 0).sum() + np.maximum(own - left, 0).sum())
        check_counted(n_wrong, len(scores), cut.n_items, "another model")
        left = left - own
    rows, counts, of_row = _laid_out(cut.scores, cut.smallest, cut.largest, left)
    # First item number of the part, plus the items of its previous rows.
    before = np.cumsum(counts) - counts - (np.cumsum(left) - left)[of_row]
    firsts = np.r_[np.full(len(scores), -1), cut.firsts[of_row] + before.astype(np.int64)]
    columns = [getattr(cut, field.name) for field in fields(cut)]
    source = digest_of("", *columns, np.sort(scores if parts is None else np.empty(0)))
    return LabeledHistogram.of(scores, y, n, rows, counts, source, firsts=firsts)


def check_counted(n_wrong: int, n_labeled: int, n_items: int, others: str) -> None:
    """Raise if some labeled items cannot have been counted."""
    if n_wrong:
        raise ValueError(
            f"{n_wrong} of {n_labeled} labeled items are not among the {n_items} that were "
            "counted. If the histogram excludes them, pass counted=False; else their scores "
            f"differ ({others}, or rounded)."
        )


def digest_of(head: str, *columns: np.ndarray) -> str:
    """Return a digest of the columns of a histogram."""
    digest = hashlib.sha256(head.encode())
    for column in columns:
        digest.update(column.tobytes())
    return digest.hexdigest()


def _laid_out(
    scores: Any, smallest: Any, largest: Any, counts: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, counts and bins of rows, spread evenly around the mean of each bin.

    `scores`, `smallest` and `largest` (n_bins,) are the mean and the bounds of the rows.
    """
    n_rows = np.ceil(counts / max(SHARE_OF_A_ROW * counts.sum(), 1.0)).astype(np.int64)
    n_rows = np.where(largest > smallest, np.maximum(n_rows, 1), 1)
    firsts = np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    place = np.arange(len(firsts)) - firsts
    of_row = np.repeat(n_rows, n_rows)
    share = np.repeat(counts, n_rows) / of_row
    reach = np.repeat(np.minimum(scores - smallest, largest - scores), n_rows)
    laid = np.repeat(scores, n_rows) + reach * ((2 * place + 1) / of_row - 1.0)
    # Integer counts that sum to that of the bin.
    rows = np.floor((place + 1) * share + 0.5) - np.floor(place * share + 0.5)
    return laid, rows, np.repeat(np.arange(len(counts)), n_rows)
