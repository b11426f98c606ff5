r"""Random effects of the predicted class on the error probability.

.. math:: \operatorname{logit} P(\text{wrong} \mid s, \hat y = c)
          = \sqrt{1 + \pi \tau^2 / 8}\; f(s) + \tau z_c

The overall curve :math:`f` is preserved: averaged over the standard normal :math:`z_c`, the
probability is :math:`\operatorname{expit} f` again. Labels update the size :math:`\tau` by the
correlation of errors within classes, and each effect by the labels of its class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays, row_tiles

__all__ = ["ClassShifts"]

# Grid of effect sizes tau, and their prior probabilities.
SIZES, SIZE_WEIGHTS = np.array([0.2, 0.7, 1.4]), np.array([0.3, 0.4, 0.3])
# Grid for the standard normal effect of a class.
NODES = np.linspace(-3.3, 3.3, 23)
LOG_NODE_WEIGHTS = special.log_softmax(-0.5 * NODES**2)
CERTAIN = 1e-12


@dataclass(frozen=True, eq=False)
class ClassShifts(FrozenArrays):
    """Effects of the predicted classes, for each draw of the curve."""

    stretch: np.ndarray  # (n_draws, 1), factor of the log-odds
    shift: np.ndarray  # (n_draws, n_classes), added to the log-odds

    @classmethod
    def updated(cls, probability, wrong, predicted, n_classes: int, rng) -> ClassShifts:
        """Draw the effects from their posterior given the labels.

        `probability` (n_draws, n_labeled) is that of an error at the labeled items, `wrong` and
        `predicted` are (n_labeled,).
        """
        log_odds = special.logit(np.clip(probability, CERTAIN, 1.0 - CERTAIN))
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
        """Return the weighted mean effect of each class, (n_classes,)."""
        return np.einsum("i,ij->j", weights, self.shift)

    def probability(self, rows: slice, probability, predicted) -> np.ndarray:
        """Return the error probabilities of items given their predicted class.

        `rows` selects draws; `probability` (n_rows, n_items) is that of the curve, `predicted`
        (n_items,).
        """
        log_odds = special.logit(np.clip(probability, CERTAIN, 1.0 - CERTAIN))
        return special.expit(self.stretch[rows] * log_odds + self.shift[rows][:, predicted])


def _stretch(size):
    # A logistic curve averaged over a normal shift is flatter by this factor.
    return np.sqrt(1.0 + np.pi / 8.0 * size**2)


def _drawn(log_odds, signs, classes, firsts, n_classes, rng):
    """Draw the size and the effects of all classes, for some draws of the curve."""
    n = len(log_odds)
    # One row for each size and draw: likelihood of the labeled classes at each node.
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
    # Jitter between the nodes.
    between = (rng.random(node.shape) - 0.5) * (NODES[1] - NODES[0])
    normal[:, classes] = NODES[np.minimum(node, len(NODES) - 1)] + between
    return size, size[:, np.newaxis] * normal
