r"""How much more often one predicted class is wrong than another, at the same doubt.

.. math:: \operatorname{logit} P(\text{wrong} \mid s, \hat y = c)
          = \sqrt{1 + \pi \tau^2 / 8}\; f(s) + \tau z_c

The curve :math:`f` of all classes together stays what it is: averaged over :math:`z_c`, which is
standard normal, the probability is :math:`\operatorname{expit} f` again. Labels judge the size
:math:`\tau` by how alike mistakes are within a class, and each class by its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays, row_tiles

__all__ = ["ClassShifts"]

# How much classes differ: sizes tau, and how probable each is.
SIZES, SIZE_WEIGHTS = np.array([0.2, 0.7, 1.4]), np.array([0.3, 0.4, 0.3])
# The standard normal of a class, on a grid.
NODES = np.linspace(-3.3, 3.3, 23)
LOG_NODE_WEIGHTS = special.log_softmax(-0.5 * NODES**2)
SURE = 1e-12


@dataclass(frozen=True, eq=False)
class ClassShifts(FrozenArrays):
    """What predicted classes differ by, for each draw of the curve.

    Attributes
    ----------
    stretch : ndarray of shape (n_draws, 1)
        By what the log-odds of the curve are multiplied.
    shift : ndarray of shape (n_draws, n_classes)
        And what is added to them.
    """

    stretch: np.ndarray
    shift: np.ndarray

    @classmethod
    def judged(cls, probability, wrong, predicted, n_classes: int, rng) -> ClassShifts:
        """Draw them from what the labels leave of them.

        Parameters
        ----------
        probability : ndarray of shape (n_draws, n_labeled)
            Of a mistake at labelled items, for each draw of the curve.
        wrong : ndarray of bool of shape (n_labeled,)
        predicted : ndarray of shape (n_labeled,)
        n_classes : int
        rng : numpy.random.Generator
        """
        log_odds = special.logit(np.clip(probability, SURE, 1.0 - SURE))
        signs = np.where(wrong, 1.0, -1.0)
        order = np.argsort(predicted, kind="stable")
        classes, firsts = np.unique(predicted[order], return_index=True)
        parts = [
            _drawn(log_odds[part][:, order], signs[order], classes, firsts, n_classes, rng)
            for part in row_tiles(len(log_odds), len(NODES) * max(1, len(order)))
        ]
        size, shift = (np.concatenate(of_parts) for of_parts in zip(*parts, strict=True))
        return cls(_stretch(size)[:, np.newaxis], shift)

    def mean(self, weights) -> np.ndarray:
        """Return the mean shift of each class over draws with weights, (n_classes,)."""
        return np.einsum("i,ij->j", weights, self.shift)

    def probability(self, rows: slice, probability, predicted) -> np.ndarray:
        """Return the probabilities of mistakes of items whose predicted class is known.

        Parameters
        ----------
        rows : slice
            Which draws.
        probability : ndarray of shape (n_rows, n_items)
            Of the curve, for these draws.
        predicted : ndarray of shape (n_items,)
        """
        log_odds = special.logit(np.clip(probability, SURE, 1.0 - SURE))
        return special.expit(self.stretch[rows] * log_odds + self.shift[rows][:, predicted])


def _stretch(size):
    # The mean of a logistic curve over a normal shift is one that is flatter by this.
    return np.sqrt(1.0 + np.pi / 8.0 * size**2)


def _drawn(log_odds, signs, classes, firsts, n_classes, rng):
    """Draw the size, and the shifts of all classes, for some draws of the curve."""
    n = len(log_odds)
    # One row a size and draw: of the classes that have labels, at each node.
    said = np.empty((len(SIZES), n, len(classes), len(NODES)))
    for k, size in enumerate(SIZES):
        f = (_stretch(size) * log_odds)[:, :, np.newaxis] + size * NODES
        log = special.log_expit(signs[:, np.newaxis] * f)
        said[k] = (np.add.reduceat(log, firsts, axis=1) if len(classes) else 0.0) + LOG_NODE_WEIGHTS
    evidence = special.logsumexp(said, axis=3).sum(axis=2) + np.log(SIZE_WEIGHTS)[:, np.newaxis]
    cumulative = special.softmax(evidence, axis=0).cumsum(axis=0)
    chosen = np.minimum((cumulative < rng.random(n)).sum(axis=0), len(SIZES) - 1)
    size = SIZES[chosen]
    normal = rng.standard_normal((n, n_classes))
    weights = special.softmax(said[chosen, np.arange(n)], axis=2).cumsum(axis=2)
    node = (weights < rng.random((n, len(classes), 1))).sum(axis=2)
    # Between the nodes as much as on them.
    between = (rng.random(node.shape) - 0.5) * (NODES[1] - NODES[0])
    normal[:, classes] = NODES[np.minimum(node, len(NODES) - 1)] + between
    return size, size[:, np.newaxis] * normal
