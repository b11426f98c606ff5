"""Cells of scores, and the kind of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from ..exceptions import ParameterError
from ..inputs._arrays import FrozenArrays
from ..inputs._scores import look_like_percent
from ..inputs._validation import check_choice
from ._sample import ScoreSample

KINDS = ("probability", "log_odds", "margin", "votes", "distance", "percent")
# What scores are read as, in words.
IN_WORDS = {
    "probability": "probabilities",
    "log_odds": "log-odds",
    "margin": "margins",
    "votes": "shares of votes",
    "distance": "nonnegative numbers without an upper end, such as distances",
    "unknown": "any real numbers, such as log-odds or margins",
    "unit": "numbers in [0, 1] that are not probabilities",
}
# Clip of probabilities of exactly 0 or 1: half the distance of the nearest inner one, at most this.
LARGEST_CLIP = 0.02
# Probabilities closer to 0 or 1 than this are clipped. If they exceed this share of all inner ones,
# only those closer by this factor.
SMALLEST_CLIP, SHARE_CLIPPED, SPREAD_OF_TINY = 1e-6, 0.1, 1e-3
# The float64 below 1, and the smallest one with an exact half.
BELOW_ONE, SMALLEST_NORMAL = 1.0 - 2.0**-53, float(np.finfo(float).tiny)
# Votes are multiples of one over at most this many voters, with ties.
MAX_VOTERS = 500
MIN_SHARED = 4.0
# Some probability of a column is at least this close to 0 or 1.
NEAR_AN_END = 0.05
# Rounded numbers have between these numbers of digits.
DIGITS, WIDEST_STEP, ROUNDING = (2, 3, 4), 0.0101, 1e-3
# Numbers are ranks if at least so many differ from their neighbors by the same amount.
MIN_RANKS, RANK_TOLERANCE = 20, 1e-6
# With more items than this, one item at either end of [0, 1] indicates min-max scaling.
MIN_SCALED = 50.0
# Approximate numbers of cells: log-spaced in distinct scores from either end, evenly in item
# shares, and evenly in distinct scores.
N_ENDS, N_LEVELS, N_EVEN = 40, 99, 40
# Up to this number of distinct scores each is a cell.
MAX_ALONE = 200
# The ranks of the first stratum from either end; each further one has twice as many.
FIRST_RANK = 10.0


@dataclass(frozen=True)
class ScoreKind:
    """The kind of the scores, with their transform to log-odds.

    Attributes
    ----------
    name : str
        One of `KINDS`, or "unknown": a real number that may be a log-odds or a margin,
        or "unit": numbers in [0, 1] that do not look like probabilities.
    clip : float
        Probabilities and votes are clipped to ``[clip, 1 - clip]`` before the logit; 0 means no
        clipping.
    whole : float
        The score of a probability of one: 1, or 100 for percentages.
    """

    name: str
    clip: float = 0.0
    whole: float = 1.0

    @property
    def in_words(self) -> str:
        """The kind of the scores in words."""
        return IN_WORDS[self.name] + (" in percent" if self.whole != 1.0 else "")

    def log_odds(self, scores: npt.ArrayLike) -> np.ndarray:
        """Return the logit of probabilities, votes and "unit"; other scores unchanged."""
        scores = np.asarray(scores, dtype=float)
        if not self.clip:
            return scores
        return clipped_logit(scores / self.whole, self.clip)


def whole_of(sample: ScoreSample, score_kind: str = "auto") -> float:
    """Return the score that represents a probability of one: 100 for percentages, else 1."""
    low = float(sample.scores[0])
    high = float(sample.scores[-1])
    if score_kind == "percent" and not (low >= 0.0 and high <= 100.0):
        raise ParameterError(
            f"score_kind='percent' requires scores in [0, 100], but they range from {low:.6g} to "
            f"{high:.6g}; use 'log_odds' or 'margin'.",
            parameter="score_kind",
        )
    is_percent = score_kind == "auto" and look_like_percent(low, high)
    return 100.0 if is_percent or score_kind == "percent" else 1.0


def may_be_percent(sample: ScoreSample) -> bool:
    """Return whether scores may be percentages, given that those of another system are."""
    low = float(sample.scores[0])
    high = float(sample.scores[-1])
    return low >= 0.0 and 1.0 < high <= 100.0


def in_shares(sample: ScoreSample, whole: float) -> ScoreSample:
    """Return the sample of percentages with shares as scores; unchanged for a whole of one."""
    if whole == 1.0:
        return sample
    scores = sample.scores / whole
    lower = sample.lower / whole
    return replace(sample, scores=scores, lower=lower, points=scores, firsts=None)


def learn_score_kind(
    sample: ScoreSample, score_kind: str = "auto", whole: float | None = None
) -> ScoreKind:
    """Infer the kind of the scores of a sample, and their whole unless it is given."""
    whole = whole_of(sample, score_kind) if whole is None else whole
    if whole != 1.0:
        kind_of_shares = "probability" if score_kind == "percent" else "auto"
        shares = in_shares(sample, whole)
        return replace(learn_score_kind(shares, kind_of_shares, 1.0), whole=whole)

    low = float(sample.scores[0])
    high = float(sample.scores[-1])
    in_unit = low >= 0.0 and high <= 1.0

    if score_kind == "auto":
        score_kind = _recognize(sample, low, high)

    check_choice(score_kind, "score_kind", (*KINDS, "unknown", "unit"))
    if score_kind in ("probability", "votes") and not in_unit:
        raise ParameterError(
            f"score_kind={score_kind!r} requires scores in [0, 1], but they range from {low:.6g} "
            f"to {high:.6g}; use 'log_odds' or 'margin', or divide counts of votes by the voters.",
            parameter="score_kind",
        )

    if score_kind == "distance" and low < 0.0:
        raise ParameterError(
            f"score_kind='distance' requires nonnegative scores, but the smallest is {low:.6g}; "
            "use 'margin' for signed distances.",
            parameter="score_kind",
        )

    has_logit = score_kind in ("probability", "votes", "unit") and high > low
    return ScoreKind(score_kind, clip_of(sample, LARGEST_CLIP) if has_logit else 0.0)


def default_threshold(
    sample: ScoreSample, score_kind: str, whole: float | None = None
) -> float | None:
    """Return the usual decision threshold of scores, by the scores alone; None if none is usual.

    It is half of the whole for probabilities, votes and percentages, zero for margins and log-odds.
    Where the kind is inferred, some items must lie on either side: tail probabilities in [0.5, 1],
    distances and anomaly scores of one sign have no usual threshold, nor do ranks.
    """
    kind = learn_score_kind(sample, score_kind, whole)
    if kind.name in ("log_odds", "margin", "unknown"):
        threshold = 0.0
    elif kind.name in ("probability", "votes"):
        threshold = 0.5 * kind.whole
    else:
        return None

    if score_kind != "auto":
        return threshold
    parts_items = bool(sample.scores[0] < threshold <= sample.scores[-1])
    is_scaled = kind.name == "probability" and are_min_max_scaled(sample, kind.whole)
    return threshold if parts_items and not is_scaled and not _are_ranks(sample) else None


def are_min_max_scaled(sample: ScoreSample, whole: float = 1.0) -> bool:
    """Return whether scores reach from 0 to a whole with one item at either end, unrounded.

    Other scores do so after min-max scaling; saturated probabilities have many items at an end.
    """
    counts = sample.counts
    if sample.scores[0] != 0.0 or sample.scores[-1] != whole or counts.sum() <= MIN_SCALED:
        return False
    return bool(counts[0] == counts[-1] == 1.0) and not are_rounded(sample.scores / whole)


def _are_ranks(sample: ScoreSample) -> bool:
    """Return whether all scores differ, and by the same amount."""
    if sample.n_cells < MIN_RANKS or (sample.counts > 1.0).any():
        return False
    gaps = np.diff(sample.scores)
    return bool(gaps.max() - gaps.min() < RANK_TOLERANCE * gaps.max())


def _recognize(sample: ScoreSample, low: float, high: float) -> str:
    if low >= 0.0 and high > 1.0:
        return "distance"
    if low < 0.0:
        return "unknown"
    if _are_votes(sample):
        return "votes"
    return "probability" if come_near_an_end(sample.scores) else "unit"


def come_near_an_end(scores: np.ndarray) -> bool:
    """Return whether distinct numbers in [0, 1] come as close to 0 or 1 as probabilities.

    Rounded numbers may have been half a step closer.
    """
    step = min(float(np.diff(scores).min(initial=WIDEST_STEP)), WIDEST_STEP)
    nearest = min(float(scores[0]), 1.0 - float(scores[-1]))
    return nearest - step / 2.0 < NEAR_AN_END


def are_rounded(scores: np.ndarray) -> bool:
    """Return whether distinct numbers have few decimals, as scaled ones hardly ever do."""
    if not 0.0 < np.diff(scores).min(initial=np.inf) <= WIDEST_STEP:
        return False
    return any(
        np.abs(scaled - np.round(scaled)).max() < ROUNDING
        for scaled in (scores * 10.0**digits for digits in DIGITS)
    )


def clip_of(sample: ScoreSample, largest: float) -> float:
    """Return the clip of probabilities near 0 and 1: at most their own resolution."""
    is_inner = (sample.scores > 0.0) & (sample.scores < 1.0)
    if not is_inner.any():
        return largest

    inner = sample.scores[is_inner]
    counts = sample.counts[is_inner]
    distances = np.minimum(inner, 1.0 - inner)
    order = np.argsort(distances)

    # The distance that a fixed share of the items lies within.
    cumulated = np.cumsum(counts[order])
    quantile = np.searchsorted(cumulated, SHARE_CLIPPED * cumulated[-1])
    typical = float(distances[order[quantile]])
    smallest = SMALLEST_CLIP if typical > SMALLEST_CLIP else typical * SPREAD_OF_TINY

    return float(np.clip(distances.min() / 2.0, max(smallest, SMALLEST_NORMAL), largest))


def clipped_logit(scores: np.ndarray, clip: float) -> np.ndarray:
    """Return the logit of probabilities after clipping."""
    return special.logit(np.clip(scores, clip, min(1.0 - clip, BELOW_ONE)))


def _are_votes(sample: ScoreSample) -> bool:
    values = sample.scores
    if sample.counts.sum() < MIN_SHARED * len(values) or len(values) < 3:
        return False
    gap = float(np.diff(values).min())
    if gap * (MAX_VOTERS + 0.5) < 1.0:
        return False
    voters = round(1.0 / gap)
    return bool(np.abs(values * voters - np.round(values * voters)).max() < 1e-3)


@dataclass(frozen=True, eq=False)
class ScoreCells(FrozenArrays):
    """Cells of neighboring scores, which depend on the scores alone.

    Prior curves are defined on them once and updated by labels. Resolution is finest at both ends,
    since they determine performance curves.

    Attributes
    ----------
    kind : ScoreKind
    scores : ndarray of shape (n_cells,)
        The mean score of each cell, increasing.
    lower : ndarray of shape (n_cells,)
        The smallest score of each cell.
    counts : ndarray of shape (n_cells,)
        The weight of the items of each cell.
    single : ndarray of bool of shape (n_cells,)
        Whether all items of a cell have the same score.
    """

    kind: ScoreKind
    scores: np.ndarray
    lower: np.ndarray
    counts: np.ndarray
    single: np.ndarray

    @classmethod
    def of(cls, sample: ScoreSample, kind: ScoreKind) -> ScoreCells:
        """Group the scores of a sample into cells."""
        firsts = _firsts(sample.counts)
        merged = sample.merged(firsts)
        single = np.diff(np.r_[firsts, sample.n_cells]) == 1
        return cls(kind, merged.scores, merged.lower, merged.counts, single)

    @property
    def n_cells(self) -> int:
        return len(self.scores)

    @cached_property
    def shares(self) -> np.ndarray:
        """The share of all items in each cell."""
        return self.counts / self.counts.sum()

    @cached_property
    def log_odds(self) -> np.ndarray:
        """The scores as log-odds, increasing, (n_cells,)."""
        return self.kind.log_odds(self.scores)

    @cached_property
    def rank_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The shares of items below each cell, and below its upper end."""
        above = np.cumsum(self.shares)
        return above - self.shares, np.minimum(above, 1.0)

    @cached_property
    def normal_ranks(self) -> np.ndarray:
        """The normal score of the mid-rank of each cell."""
        low, high = self.rank_ends
        return special.ndtri((low + high) / 2.0)

    def average_precision(self, p: np.ndarray) -> np.ndarray:
        """Return the average precision of expected counts, for probabilities (n_draws, n_cells)."""
        expected = (self.counts * p)[:, ::-1]
        above = np.cumsum(expected, axis=1) - expected / 2.0
        n_above = np.cumsum(self.counts[::-1]) - self.counts[::-1] / 2.0
        return np.einsum("ij,ij,j->i", expected, above, 1.0 / n_above) / expected.sum(axis=1)

    def roc_auc(self, p: np.ndarray) -> np.ndarray:
        """Return the ROC AUC of expected counts, for probabilities (n_draws, n_cells)."""
        positive = self.counts * p
        negative = self.counts * (1.0 - p)
        below = np.cumsum(negative, axis=1) - negative / 2.0
        pairs = positive.sum(axis=1) * negative.sum(axis=1)
        return np.einsum("ij,ij->i", positive, below) / pairs

    def place(self, scores: npt.ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the cell at or below each score, and the fraction of the way to the next.

        A curve is linear in log-odds between the scores of neighboring cells, and constant outside.
        """
        scores = np.asarray(scores, dtype=float)
        last = self.n_cells - 1
        left = np.searchsorted(self.scores, scores, side="right") - 1
        left = np.clip(left, 0, max(last - 1, 0))
        following = np.minimum(left + 1, last)
        share = np.zeros(scores.shape)

        # Use the score itself where clipping made the log-odds of neighbors equal.
        for of_cells, of_scores in (
            (self.scores, scores),
            (self.log_odds, self.kind.log_odds(scores)),
        ):
            gap = of_cells[following] - of_cells[left]
            np.divide(of_scores - of_cells[left], gap, out=share, where=gap > 0.0)

        return left, np.clip(share, 0.0, 1.0)


def cells_of_distinct(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the cell of each number, by the rule that makes the cells of `ScoreCells`."""
    if (weights == 1.0).all():
        distinct, counts = np.unique(values, return_counts=True)
    else:
        distinct, rank = np.unique(values, return_inverse=True)
        counts = np.bincount(rank, weights)
    return np.searchsorted(distinct[_firsts(counts)], values, side="right") - 1


def _firsts(counts: np.ndarray) -> np.ndarray:
    """Return the start indices of the cells among distinct scores."""
    n = len(counts)
    if n <= MAX_ALONE:
        return np.arange(n)

    ends = np.unique(np.geomspace(1, n / 2, N_ENDS).astype(int))

    # Use the edge nearest to each level, so that mirrored scores have mirrored cells.
    edges = np.r_[0.0, np.cumsum(counts)] / counts.sum()
    middles = (edges[1:] + edges[:-1]) / 2.0
    levels = np.searchsorted(middles, np.linspace(0.0, 1.0, N_LEVELS + 2)[1:-1])
    even = np.rint(np.linspace(0, n, N_EVEN + 1)).astype(int)

    # A score that fills a whole level is its own cell.
    heavy = np.flatnonzero(counts > counts.sum() / (N_LEVELS + 1))
    firsts = np.unique(np.r_[0, ends, n - ends, levels, even, heavy, heavy + 1])
    return firsts[firsts < n]


def strata_of(counts: np.ndarray) -> np.ndarray:
    """Return the stratum of each cell of items, by the rank from the nearer end: 0 is the lowest.

    Cells increase, and hold so many items each.
    """
    from_below = np.cumsum(counts) - counts / 2.0
    from_above = counts.sum() - from_below
    is_upper = from_above <= from_below

    rank = np.maximum(np.minimum(from_below, from_above), 0.5)
    # Rounding must not put a rank and its mirror image in different strata.
    number = np.maximum(np.floor(np.log2(rank / FIRST_RANK) + 1e-9), -1.0)
    is_first = (np.diff(number) != 0.0) | np.diff(is_upper)
    return np.concatenate([[0], np.cumsum(is_first)])
