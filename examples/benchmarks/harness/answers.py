"""Answers of a method, and the performance of a ranking that they are computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVEL = 0.9
RECALLS = (np.arange(50) + 0.5) / 50.0


@dataclass(frozen=True)
class Estimate:
    """A number, or a curve at `RECALLS`, with the ends of its 90% interval."""

    value: float | np.ndarray
    low: float | np.ndarray
    high: float | np.ndarray

    @classmethod
    def from_draws(cls, draws):
        """Take the median and the equal-tailed interval over the first axis."""
        tail = (1.0 - LEVEL) / 2.0
        low, value, high = np.quantile(draws, [tail, 0.5, 1.0 - tail], axis=0)
        return cls(value, low, high)


@dataclass(frozen=True)
class Answer:
    """The performance on the items of one set, as one method sees it.

    Attributes
    ----------
    average_precision, prevalence : Estimate
    curve : Estimate
        Precision at `RECALLS`; its band is pointwise.
    verdict : str
        What the method itself says about the trust that its answer deserves.
    """

    average_precision: Estimate
    curve: Estimate
    prevalence: Estimate
    verdict: str = ""

    @classmethod
    def from_draws(cls, positives, counts, prevalence=None):
        """Summarise draws of the labels.

        Parameters
        ----------
        positives : ndarray of shape (n_draws, n_cells)
            The weight of the positives of each score, highest score first.
        counts : ndarray of shape (n_cells,) or (n_draws, n_cells)
            The weight of all items of each score.
        prevalence : ndarray of shape (n_draws,), default=None
            None takes the share of the positives.
        """
        if prevalence is None:
            prevalence = positives.sum(axis=1) / counts.sum(axis=-1)
        draws = (*ranking_performance(positives, counts), prevalence)
        return cls(*(Estimate.from_draws(d) for d in draws))

    @classmethod
    def nothing_but(cls, prevalence):
        """Answer nothing but the prevalence: anything from 0 to 1 is possible elsewhere.

        For methods that are not defined when the labels hold one class only.
        """
        flat = np.full(len(RECALLS), 0.5)
        return cls(
            Estimate(0.5, 0.0, 1.0),
            Estimate(flat, np.zeros_like(flat), np.ones_like(flat)),
            Estimate.from_draws(prevalence),
        )


def ranking_performance(positives, counts):
    """Return the average precision and the precision at `RECALLS` of each draw.

    Items of one score pass a threshold together, as in scikit-learn. Precision at a recall is
    that of the highest threshold whose recall is at least so large. Without a positive both
    are 0.
    """
    tp = np.cumsum(positives, axis=1, dtype=float)
    precision = tp / np.cumsum(counts, axis=-1)
    n_positive = tp[:, -1]
    some = np.maximum(n_positive, np.finfo(float).tiny)
    average_precision = (positives * precision).sum(axis=1) / some
    # Sums of weights reach a recall only up to rounding.
    wanted = RECALLS * (n_positive[:, np.newaxis] * (1.0 - 1e-9))
    at = [np.searchsorted(reached, w) for reached, w in zip(tp, wanted, strict=True)]
    return average_precision, np.take_along_axis(precision, np.array(at), axis=1)
