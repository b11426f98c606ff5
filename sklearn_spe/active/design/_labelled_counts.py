"""Weighted counts of labelled items above each score, as they are and resampled."""

from __future__ import annotations

import numpy as np

from ...betting._label_design import LabelDesign, draw_weights, label_weights

__all__ = ["counts_above", "has_estimate", "is_known", "labelled", "resampled", "sums_above"]

# A resampled label is the prediction's rather than the annotator's as often as if so many more
# items had been drawn, and only predicted; and how far predictions are drawn to one half for it.
PREDICTED_DRAWS, DOUBT = 2.0, 0.1


def is_known(design: LabelDesign) -> bool:
    """Return whether no label is missing that could be had."""
    return design.free[-1].sum() == 0.0 and not np.isnan(design.labels).all()


def has_estimate(design: LabelDesign) -> bool:
    """Return whether there are labels, and the design says what they stand for."""
    return is_known(design) or not np.isnan(design.labels[design.drawn]).all()


def labelled(design: LabelDesign):
    """Return what each label counts, and the labels, both of shape (1, n_rows)."""
    return label_weights(design, draw_weights(design))[np.newaxis], design.labels[np.newaxis]


def resampled(design: LabelDesign, rng: np.random.Generator, n_resamples: int):
    """Return weights and labels as they might have been, each of shape (n_resamples, n_rows).

    The weights of the draws are those of the Bayesian bootstrap [1]_: what came of a draw as
    often as its weight says. Labels that were not drawn stay.

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9 (1981) 130-134.
    """
    n = len(design.drawn)
    weights = rng.standard_exponential((n_resamples, n)) * draw_weights(design)
    weights /= weights.sum(axis=1, keepdims=True)
    # Few labels of one class are all alike by chance: some might have been the other's.
    doubt = PREDICTED_DRAWS * design.free[-1].sum() / design.pool.sum()
    p = 0.5 * DOUBT + (1.0 - DOUBT) * design.predictions[design.drawn]
    observed = design.labels[design.drawn]
    again = rng.random((n_resamples, n)) < (n * observed + doubt * p) / (n + doubt)
    labels = np.repeat(design.labels[np.newaxis], n_resamples, axis=0)
    labels[:, design.drawn] = np.where(np.isnan(observed), np.nan, again)
    return label_weights(design, weights), labels


def sums_above(design: LabelDesign, scores, *values) -> list[np.ndarray]:
    """Sum values of labels above each distinct labelled score, the scores falling."""
    told = np.flatnonzero(~np.isnan(design.labels))
    falling = -np.asarray(scores, dtype=float)[design.items[told]]
    order = np.argsort(falling, kind="stable")
    last = np.flatnonzero(np.append(np.diff(falling[order]) != 0.0, [True] * bool(len(told))))
    return [np.cumsum(value[:, told[order]], axis=1)[:, last] for value in values]


def counts_above(design: LabelDesign, scores, weights, labels):
    """Return weighted positives and negatives at or above each labelled score, falling."""
    return sums_above(design, scores, weights * labels, weights * (1.0 - labels))
