"""A few hundred cells of neighbouring scores: where curves live, whatever is labelled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ._sample import ScoreSample
from ._score_kind import ScoreKind

__all__ = ["ScoreCells"]

# About so many cells: distinct scores counted from either end (log-spaced), shares of the
# items, and distinct scores evenly.
N_ENDS, N_LEVELS, N_EVEN = 40, 99, 40
MOST_ALONE = 200


@dataclass(frozen=True, eq=False)
class ScoreCells(FrozenArrays):
    """Neighbouring scores in cells that depend on the scores alone.

    Banks of curves are made on them once; labels come later. Both ends are kept finest,
    since curves are decided there.

    Attributes
    ----------
    kind : ScoreKind
    scores : ndarray of shape (n_cells,)
        The mean score of each cell, increasing.
    lower : ndarray of shape (n_cells,)
        The smallest score of each cell.
    counts : ndarray of shape (n_cells,)
        The weight of its items.
    single : ndarray of bool of shape (n_cells,)
        Whether all its items have the same score.
    """

    kind: ScoreKind
    scores: np.ndarray
    lower: np.ndarray
    counts: np.ndarray
    single: np.ndarray

    @classmethod
    def of(cls, sample: ScoreSample, kind: ScoreKind) -> ScoreCells:
        """Gather the scores of a sample into cells."""
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
        """The log-odds that the scores would be, increasing, of shape (n_cells,)."""
        return self.kind.log_odds(self.scores)

    @cached_property
    def rank_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The shares of items below each cell, and below its upper end."""
        above = np.cumsum(self.shares)
        return above - self.shares, np.minimum(above, 1.0)

    @cached_property
    def normal_ranks(self) -> np.ndarray:
        """The normal quantile of the middle rank of each cell."""
        low, high = self.rank_ends
        return special.ndtri((low + high) / 2.0)

    def average_precision(self, p) -> np.ndarray:
        """Return the average precision of expected counts, for probabilities (n_draws, n_cells)."""
        expected = (self.counts * p)[:, ::-1]
        above = np.cumsum(expected, axis=1) - expected / 2.0
        n_above = np.cumsum(self.counts[::-1]) - self.counts[::-1] / 2.0
        return np.einsum("ij,ij,j->i", expected, above, 1.0 / n_above) / expected.sum(axis=1)

    def roc_auc(self, p) -> np.ndarray:
        """Return the ROC AUC of expected counts, for probabilities (n_draws, n_cells)."""
        positive, negative = self.counts * p, self.counts * (1.0 - p)
        below = np.cumsum(negative, axis=1) - negative / 2.0
        pairs = positive.sum(axis=1) * negative.sum(axis=1)
        return np.einsum("ij,ij->i", positive, below) / pairs

    def place(self, scores) -> tuple[np.ndarray, np.ndarray]:
        """Return the cell at or below each score, and how far it lies towards the next.

        A curve is linear, in log-odds, between the scores of neighbouring cells, and constant
        beyond the first and the last.
        """
        scores, last = np.asarray(scores, dtype=float), self.n_cells - 1
        left = np.searchsorted(self.scores, scores, side="right") - 1
        left = np.clip(left, 0, max(last - 1, 0))
        following = np.minimum(left + 1, last)
        share = np.zeros(scores.shape)
        # By the score itself where a clip has made the log-odds of neighbours equal.
        for on_cells, at in (
            (self.scores, scores),
            (self.log_odds, self.kind.log_odds(scores)),
        ):
            gap = on_cells[following] - on_cells[left]
            np.divide(at - on_cells[left], gap, out=share, where=gap > 0.0)
        return left, np.clip(share, 0.0, 1.0)


def _firsts(counts) -> np.ndarray:
    """Return where the cells begin among distinct scores."""
    n = len(counts)
    if n <= MOST_ALONE:
        return np.arange(n)
    ends = np.unique(np.geomspace(1, n / 2, N_ENDS).astype(int))
    # The nearest edge to each level, so that mirrored scores have mirrored cells.
    edges = np.r_[0.0, np.cumsum(counts)] / counts.sum()
    middles = (edges[1:] + edges[:-1]) / 2.0
    levels = np.searchsorted(middles, np.linspace(0.0, 1.0, N_LEVELS + 2)[1:-1])
    even = np.rint(np.linspace(0, n, N_EVEN + 1)).astype(int)
    # A score that fills a whole level stays alone.
    heavy = np.flatnonzero(counts > counts.sum() / (N_LEVELS + 1))
    firsts = np.unique(np.r_[0, ends, n - ends, levels, even, heavy, heavy + 1])
    return firsts[firsts < n]
