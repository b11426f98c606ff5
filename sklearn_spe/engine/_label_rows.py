"""Labels as rows of a Bernoulli likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells
from ..sample._sample import ScoreSample
from ._score_axis import Positions, ScoreAxis

__all__ = ["LabelRows"]

# More labeled scores than these are gathered in the cells of the curves.
MAX_POINTS = 400


@dataclass(frozen=True, eq=False)
class LabelRows(FrozenArrays):
    """The likelihood of labels: of `total` trials a share `base` + `gain` p is expected to succeed.

    Base 0 and gain 1 for labels, of which `positive` succeed. Where the design implies the class of
    items without a label, these are rows too, whose trials all succeed.
    """

    places: tuple[Positions, ...]  # of the rows, on each score axis
    positive: np.ndarray  # (n_rows,)
    total: np.ndarray  # (n_rows,)
    base: np.ndarray  # (n_rows,)
    gain: np.ndarray  # (n_rows,)
    items: np.ndarray  # (n_rows,) of int, where there are random effects of items; else empty

    @classmethod
    def of_scores(cls, cells: ScoreCells, sample: ScoreSample) -> LabelRows:
        """Return the rows of the labels of a sample, for curves on cells of its scores."""
        labeled = sample.labeled()
        negative, positive = sample.inclusion.weighed(labeled)
        places = Positions.of(cells, labeled.scores)
        left, share, counts = _points(
            cells, places, (negative, positive), labeled.n_cells > MAX_POINTS
        )
        base, gain = np.zeros(len(left)), np.ones(len(left))
        sign, floor = sample.inclusion.missingness
        if floor < 1.0:
            own = Positions.of(cells, sample.scores)
            at, within, (silent,) = _points(cells, own, (sample.unlabeled,), gathered=True)
            left, share = np.r_[left, at], np.r_[share, within]
            counts = [np.r_[counts[0], np.zeros(len(at))], np.r_[counts[1], silent]]
            # P(no label), up to a factor: floor + (1 - floor) P(the class of the sign).
            base = np.r_[base, np.full(len(at), floor if sign > 0.0 else 1.0)]
            gain = np.r_[gain, np.full(len(at), sign * (1.0 - floor))]
        total = counts[0] + counts[1]
        no_items = np.empty(0, dtype=int)
        return cls((Positions(left, share),), counts[1], total, base, gain, no_items)

    @classmethod
    def of_items(cls, axes: tuple[ScoreAxis, ...], codes) -> LabelRows:
        """Return the rows of the labels of items, given codes of shape (n_items,)."""
        items = np.flatnonzero(codes >= 0)
        places = tuple(axis.items.take(items) for axis in axes)
        one = np.ones(len(items))
        return cls(places, np.where(codes[items] > 0, 1.0, 0.0), one, 0.0 * one, one, items)

    @property
    def n_rows(self) -> int:
        return len(self.total)

    def log_likelihood(self, probability) -> np.ndarray:
        """Return the log likelihood of P(y = 1) at the rows, (..., n_rows): (...)."""
        q = self.base + self.gain * probability
        failures = self.total - self.positive
        log = self.positive * np.log(q) + failures * np.log1p(-q)
        return log.sum(axis=-1)


def _points(cells: ScoreCells, places: Positions, counts, gathered: bool):
    """Return where scores lie that some counts are positive of, and these counts."""
    left, share = places.left, places.share
    if gathered:
        n = cells.n_cells
        counts = [np.bincount(left + (share > 0.5), own, n) for own in counts]
        left = np.minimum(np.arange(n), max(n - 2, 0))
        share = np.arange(n) - left.astype(float)
    at = np.flatnonzero(sum(counts))
    return left[at], share[at], [own[at] for own in counts]
