"""What labels say of curves: the Bernoulli likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells
from ..sample._sample import ScoreSample
from ._coordinate import Coordinate, Places
from ._slack import SlackDraws

__all__ = ["Evidence"]

# More labelled scores than these are gathered in the cells of the curves.
MOST_POINTS = 400


@dataclass(frozen=True, eq=False)
class Evidence(FrozenArrays):
    """The Bernoulli likelihood of labels, for curves on the cells of one or several coordinates.

    One row a labelled score (or item) and class: `weights` items of that class have it; `sign` is 1
    for positives. Where it tells of the class that items were not labelled, they have rows too:
    `floor` is 0 for labels, and what such items say is `floor` + (1 - `floor`) times the
    probability of the class `sign`.

    Attributes
    ----------
    places : tuple of Places
        Of the rows, in each coordinate.
    sign, weights, floor : ndarray of shape (n_rows,)
    items : ndarray of shape (n_rows,), of int
        The item of each row, where there is slack of items; else empty.
    """

    places: tuple[Places, ...]
    sign: np.ndarray
    weights: np.ndarray
    floor: np.ndarray
    items: np.ndarray

    @classmethod
    def of_scores(cls, cells: ScoreCells, sample: ScoreSample) -> Evidence:
        """Return what the labels of a sample say of curves on cells of its scores."""
        labeled = sample.labeled()
        places = cells.place(labeled.scores)
        rows = [
            (*_points(cells, places, weights, labeled.n_cells > MOST_POINTS), sign, 0.0)
            for weights, sign in zip(sample.inclusion.weighed(labeled), (-1.0, 1.0), strict=True)
        ]
        sign, floor = sample.inclusion.silence
        if floor < 1.0:
            places = cells.place(sample.scores)
            rows.append((*_points(cells, places, sample.unlabeled, gathered=True), sign, floor))
        left, share, weights = (np.concatenate([row[i] for row in rows]) for i in range(3))
        signs, floors = (
            np.concatenate([np.full(len(row[0]), row[i]) for row in rows]) for i in (3, 4)
        )
        return cls((Places(left, share),), signs, weights, floors, np.empty(0, dtype=int))

    @classmethod
    def of_items(cls, coordinates: tuple[Coordinate, ...], codes) -> Evidence:
        """Return what the labels of items say, given codes of shape (n_items,)."""
        items = np.flatnonzero(codes >= 0)
        places = tuple(coordinate.items.take(items) for coordinate in coordinates)
        signs, n = np.where(codes[items] > 0, 1.0, -1.0), len(items)
        return cls(places, signs, np.ones(n), np.zeros(n), items)

    @property
    def n_rows(self) -> int:
        return len(self.sign)

    @property
    def keys(self) -> list[tuple]:
        """What the probability of each row depends on, for labels of scores."""
        (places,) = self.places
        columns = (places.left, places.share, self.sign, self.floor)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def rows(self, rows) -> Evidence:
        """Return some of the rows."""
        places = tuple(own.take(rows) for own in self.places)
        items = self.items[rows] if len(self.items) else self.items
        return Evidence(places, self.sign[rows], self.weights[rows], self.floor[rows], items)

    def log_likelihood(self, log_odds, slack: SlackDraws) -> np.ndarray:
        """Return the log probability of the labels, for log-odds there of shape (n_rows, n)."""
        return np.einsum("ij,i->j", self.log_probability(log_odds, slack), self.weights)

    def log_probability(self, log_odds, slack: SlackDraws) -> np.ndarray:
        """Return the log probability of the label of each row, (n_rows, n)."""
        # Of the observed class: p for positives, 1 - p for negatives.
        odds = np.multiply(log_odds, -self.sign[:, np.newaxis])
        np.exp(odds, out=odds)
        odds += 1.0
        probability = np.reciprocal(odds, out=odds)
        probability *= 1.0 - slack.bottom - slack.top
        positive = self.sign > 0.0
        probability[positive] += slack.bottom
        probability[~positive] += slack.top
        if self.floor.any():
            probability *= 1.0 - self.floor[:, np.newaxis]
            probability += self.floor[:, np.newaxis]
        return np.log(probability, out=probability)


def _points(cells: ScoreCells, places, weights, gathered: bool):
    """Return where scores of some weight lie, as in `Evidence`, and what they weigh."""
    left, share = places
    if gathered:
        n = cells.n_cells
        weights = np.bincount(left + (share > 0.5), weights, n)
        left = np.minimum(np.arange(n), max(n - 2, 0))
        share = np.arange(n) - left.astype(float)
    at = np.flatnonzero(weights)
    return left[at], share[at], weights[at]
