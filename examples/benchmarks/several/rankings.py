"""Performance of a ranking under many drawings of its labels at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

METRICS = ("average_precision", "roc_auc", "accuracy", "prevalence")


@dataclass(frozen=True)
class Ranking:
    """Items by falling score.

    Attributes
    ----------
    order : ndarray of shape (n,)
    last : ndarray of shape (n_scores,)
        The place, in this order, of the last item of every score.
    above : ndarray of bool of shape (n,)
        Which items are called positive.
    """

    order: np.ndarray
    last: np.ndarray
    above: np.ndarray

    @classmethod
    def of(cls, scores, threshold) -> Ranking:
        """Sort items."""
        order = np.argsort(-scores, kind="stable")
        falling = scores[order]
        last = np.flatnonzero(np.r_[falling[1:] != falling[:-1], True])
        return cls(order, last, scores >= threshold)

    def measured(self, labels, weights=None):
        """Return every metric of `METRICS` of each draw, NaN where it is not defined.

        Parameters
        ----------
        labels : ndarray of bool of shape (n_draws, n) or (1, n)
        weights : ndarray of shape (n_draws, n), default=None
            Of items; None weighs all the same.
        """
        if weights is None:
            weights = np.ones_like(labels, dtype=float)
        positives = np.where(labels, weights, 0.0)
        tp, every = (
            np.cumsum(part[:, self.order], axis=1)[:, self.last] for part in (positives, weights)
        )
        steps = np.diff(tp, axis=1, prepend=0.0)
        fp_steps = np.diff(every - tp, axis=1, prepend=0.0)
        n_positive, n = tp[:, -1], every[:, -1]
        right = np.where(self.above, positives, weights - positives)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Where nothing has weight so far nothing is added.
            precision = np.where(every > 0.0, tp / every, 0.0)
            pairs = n_positive * (n - n_positive)
            return {
                "average_precision": (steps * precision).sum(axis=1) / n_positive,
                "roc_auc": (fp_steps * (tp - steps / 2.0)).sum(axis=1) / pairs,
                "accuracy": right.sum(axis=1) / n,
                "prevalence": n_positive / n,
            }


def drawn_labels(probability, y, rng):
    """Draw the labels that are not known.

    Parameters
    ----------
    probability : ndarray of shape (n_draws, n)
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    rng : numpy.random.Generator
    """
    labels = rng.random(probability.shape) < probability
    known = y >= 0
    labels[:, known] = y[known] == 1
    return labels


def stacked(measured):
    """Return what `Ranking.measured` says of several units as (n_draws, n_units) by metric."""
    return {metric: np.stack([m[metric] for m in measured], axis=1) for metric in METRICS}
