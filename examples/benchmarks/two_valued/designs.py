"""Items whose scores are 0 or 1, and every outcome that their labels may have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import stats

# The share of positives among items of score 1; among items of score 0 it is one minus these, so
# that the truths are their own mirror images.
RATES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
# Where all items of score 1 are read: what is positive among these, and among the others.
READ, MISSED = (0.5, 0.8), (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
# Outcomes that no truth gives this chance are left out.
MIN_CHANCE = 1e-4


@dataclass(frozen=True)
class Design:
    """How many items have the score 1, and from which of them labels are drawn.

    Attributes
    ----------
    name : str
    share : float
        Of the items of score 1.
    drawn : {"each", "all", "unread"}
        Half of the labels at each score, labels from all items, or all items of score 1 and labels
        from the others.
    reversed : bool
        Whether items of score 1 are more often negative.
    """

    name: str
    share: float
    drawn: str
    reversed: bool = False

    @property
    def data_set(self):
        """Each design counts once."""
        return self.name

    @property
    def kind(self):
        """From which items labels are drawn."""
        return self.drawn


DESIGNS = (
    Design("half, each score", 0.5, "each"),
    Design("tenth, each score", 0.1, "each"),
    Design("half, all items", 0.5, "all"),
    Design("tenth, all items", 0.1, "all"),
    Design("half, reversed", 0.5, "each", reversed=True),
    Design("tenth, unread", 0.1, "unread"),
)


def find(folder, pattern=""):
    """Return the designs whose names match a regular expression; no folder is looked at."""
    return [design for design in DESIGNS if re.search(pattern, design.name)]


@dataclass(frozen=True)
class Case:
    """A design with numbers of items and of labels: truths, outcomes, and their chances.

    Attributes
    ----------
    design : Design
    n_labels, repeat : int
    sizes : ndarray of shape (2,)
        The items of score 0 and 1.
    truths : ndarray of shape (n_truths, 2)
        How many of them are positive.
    outcomes : ndarray of shape (n_outcomes, 4)
        Labels at score 0 and 1, and how many of them are positive.
    chances : ndarray of shape (n_truths, n_outcomes)
        They sum to one for each truth.
    """

    design: Design
    n_labels: int
    repeat: int
    sizes: np.ndarray
    truths: np.ndarray
    outcomes: np.ndarray
    chances: np.ndarray

    @property
    def about(self):
        """The columns of the case in every row."""
        return {
            "set": self.design.name,
            "n_labels": self.n_labels,
            "repeat": self.repeat,
            "data_set": self.design.data_set,
            "kind": self.design.kind,
            "n_labeled_positives": "",
        }


def draw(design, n_rows, n_labels, repeat):
    """Return a case; repeats differ in the random numbers of the fits only."""
    n_ones = round(design.share * n_rows)
    sizes = np.array([n_rows - n_ones, n_ones])
    truths = _truths(design, sizes)
    n_zero, n_one, chance = _numbers_of_labels(design, sizes, n_labels)
    outcomes, chances = [], []
    for zeros, ones, share in zip(n_zero, n_one, chance, strict=True):
        all_read = ones == n_ones
        positive = [range(zeros + 1), np.unique(truths[:, 1]) if all_read else range(ones + 1)]
        found = np.array(list(product(*positive)))
        drawn = np.array([zeros, ones])
        each = stats.hypergeom.pmf(found, sizes, truths[:, np.newaxis], drawn)
        outcomes.append(np.hstack([np.broadcast_to(drawn, found.shape), found]))
        chances.append(share * each.prod(axis=2))
    outcomes, chances = np.concatenate(outcomes), np.concatenate(chances, axis=1)
    kept = chances.max(axis=0) > MIN_CHANCE
    chances = chances[:, kept] / chances[:, kept].sum(axis=1, keepdims=True)
    return Case(design, n_labels, repeat, sizes, truths, outcomes[kept], chances)


def _truths(design, sizes):
    if design.drawn == "unread":
        rates = np.array(list(product(MISSED, READ)))
    else:
        rates = np.array([(1.0 - a, b) for a, b in product(RATES, RATES)])
    if design.reversed:
        rates = 1.0 - rates
    return np.rint(rates * sizes).astype(int)


def _numbers_of_labels(design, sizes, n_labels):
    """Return how many labels items of score 0 and 1 may have, and the chance of each pair."""
    if design.drawn == "unread":
        return [n_labels], [int(sizes[1])], [1.0]
    if design.drawn == "each":
        return [n_labels - n_labels // 2], [n_labels // 2], [1.0]
    ones = np.arange(n_labels + 1)
    chance = stats.hypergeom.pmf(ones, sizes.sum(), sizes[1], n_labels)
    return (n_labels - ones).tolist(), ones.tolist(), chance.tolist()


def pool(sizes, outcome):
    """Return the scores and labels of all items, -1 where unlabelled, for one outcome."""
    (zeros, ones), (n_zero, n_one, k_zero, k_one) = sizes, outcome
    y = np.full(zeros + ones, -1)
    y[:n_zero] = np.arange(n_zero) < k_zero
    y[zeros : zeros + n_one] = np.arange(n_one) < k_one
    return np.repeat([0.0, 1.0], sizes), y
