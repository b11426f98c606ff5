"""Distinct scores with the counts of their items: what most methods work on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Cells:
    """The distinct scores of a set, highest first.

    Attributes
    ----------
    scores : ndarray of shape (n_cells,)
    positive, negative, unlabeled : ndarray of shape (n_cells,)
        How many items of each score are known to be positive, known to be negative, unknown.
    """

    scores: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    unlabeled: np.ndarray

    @classmethod
    def from_items(cls, scores, y):
        """Count items; `y` is 0, 1 or -1 for unlabelled."""
        falling, cell = np.unique(-np.asarray(scores), return_inverse=True)
        counts = [np.bincount(cell[y == code], minlength=len(falling)) for code in (1, 0, -1)]
        return cls(-falling, *counts)

    @property
    def counts(self):
        """How many items have each score."""
        return self.positive + self.negative + self.unlabeled

    def complete(self, rng, probability):
        """Draw the missing labels; known ones stay.

        Parameters
        ----------
        rng : numpy.random.Generator
        probability : ndarray of shape (n_draws, n_cells)
            The probability that an item of this score is positive, in each draw.

        Returns
        -------
        positives : ndarray of shape (n_draws, n_cells)
            How many items of each score are positive.
        """
        single = self.unlabeled == 1
        several = np.flatnonzero(self.unlabeled > 1)
        # One comparison is far cheaper than a binomial, and most scores are of one item.
        drawn = (rng.random(probability.shape) < probability) & single
        drawn = drawn.astype(np.int64)
        drawn[:, several] = rng.binomial(self.unlabeled[several], probability[:, several])
        return self.positive + drawn


def log_odds(scores):
    """Return probabilities as log-odds, and any other scores as they are.

    Zeros and ones move inside by half the distance of the nearest other score, so that the
    order of scores stays.
    """
    if scores.min() < 0.0 or scores.max() > 1.0:
        return scores
    inner = scores[(scores > 0.0) & (scores < 1.0)]
    gap = np.minimum(inner, 1.0 - inner).min(initial=0.04)
    edge = np.clip(gap / 2.0, 1e-6, 0.02)
    return special.logit(np.clip(scores, edge, 1.0 - edge))


def standardized(cells):
    """Return the log-odds of each cell, with mean 0 and deviation 1 over items."""
    z = log_odds(cells.scores)
    mean = np.average(z, weights=cells.counts)
    return (z - mean) / np.sqrt(np.average((z - mean) ** 2, weights=cells.counts))
