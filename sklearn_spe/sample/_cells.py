"""A few hundred cells of neighboring scores, on which curves are defined."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ._sample import ScoreSample
from ._score_kind import ScoreKind

__all__ = ["ScoreCells"]

# Approximate numbers of cells: log-spaced in distinct scores from either end, evenly in item
# shares, and evenly in distinct scores.
N_ENDS, N_LEVELS, N_EVEN = 40, 99, 40
MAX_ALONE = 200


@dataclass(frozen=True, eq=False)
class ScoreCells(FrozenArrays):
    """Cells of neighboring scores, which depend on the scores alone.

    Prior curves are defined on them once and updated by labels. Both ends are finest, since they
    determine performance curves.

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
        """Return the cell at or below each score, and the fraction of the way to the next.

        A curve is linear in log-odds between the scores of neighboring cells, and constant outside.
        """
        scores, last = np.asarray(scores, dtype=float), self.n_cells - 1
        left = np.searchsorted(self.scores, scores, side="right") - 1
        left = np.clip(left, 0, max(last - 1, 0))
        following = np.minimum(left + 1, last)
        share = np.zeros(scores.shape)
        # Use the score itself where clipping made the log-odds of neighbors equal.
        for on_cells, at in (
            (self.scores, scores),
            (self.log_odds, self.kind.log_odds(scores)),
        ):
            gap = on_cells[following] - on_cells[left]
            np.divide(at - on_cells[left], gap, out=share, where=gap > 0.0)
        return left, np.clip(share, 0.0, 1.0)


def _firsts(counts) -> np.ndarray:
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
