"""Weighted counts of labeled items above each score, observed and resampled."""

from __future__ import annotations

import numpy as np

from ...betting._label_design import LabelDesign, draw_weights, label_weights

__all__ = ["counts_above", "has_estimate", "is_known", "labeled", "resampled", "sums_above"]

# Prior weight, in draws, with which a resampled label is the prediction's instead of the
# annotator's, and the shrinkage of predictions to one half for it.
PREDICTED_DRAWS, PREDICTION_UNCERTAINTY = 2.0, 0.1


def is_known(design: LabelDesign) -> bool:
    """Return whether all labels that can be obtained are known."""
    return design.free[-1].sum() == 0.0 and not np.isnan(design.labels).all()


def has_estimate(design: LabelDesign) -> bool:
    """Return whether there are labels with design weights."""
    return is_known(design) or not np.isnan(design.labels[design.drawn]).all()


def labeled(design: LabelDesign):
    """Return the weights and the labels, both of shape (1, n_rows)."""
    return label_weights(design, draw_weights(design))[np.newaxis], design.labels[np.newaxis]


def resampled(design: LabelDesign, rng: np.random.Generator, n_resamples: int):
    """Return resampled weights and labels, each of shape (n_resamples, n_rows).

    The weights of the draws are those of the Bayesian bootstrap [1]_. Labels that were not drawn
    are fixed.

    References
    ----------
    .. [1] D. B. Rubin. "The Bayesian bootstrap." Annals of Statistics 9 (1981) 130-134.
    """
    n = len(design.drawn)
    weights = rng.standard_exponential((n_resamples, n)) * draw_weights(design)
    weights /= weights.sum(axis=1, keepdims=True)
    # Few labels of one class may all be equal by chance: some are replaced by draws of predictions.
    n_prior = PREDICTED_DRAWS * design.free[-1].sum() / design.pool.sum()
    p = (
        0.5 * PREDICTION_UNCERTAINTY
        + (1.0 - PREDICTION_UNCERTAINTY) * design.predictions[design.drawn]
    )
    observed = design.labels[design.drawn]
    again = rng.random((n_resamples, n)) < (n * observed + n_prior * p) / (n + n_prior)
    labels = np.repeat(design.labels[np.newaxis], n_resamples, axis=0)
    labels[:, design.drawn] = np.where(np.isnan(observed), np.nan, again)
    return label_weights(design, weights), labels


def sums_above(design: LabelDesign, scores, *values) -> list[np.ndarray]:
    """Sum values of labels above each distinct labeled score, the scores decreasing."""
    labeled = np.flatnonzero(~np.isnan(design.labels))
    decreasing = -np.asarray(scores, dtype=float)[design.items[labeled]]
    order = np.argsort(decreasing, kind="stable")
    last = np.flatnonzero(np.append(np.diff(decreasing[order]) != 0.0, [True] * bool(len(labeled))))
    return [np.cumsum(value[:, labeled[order]], axis=1)[:, last] for value in values]


def counts_above(design: LabelDesign, scores, weights, labels):
    """Return weighted positives and negatives at or above each labeled score, decreasing."""
    return sums_above(design, scores, weights * labels, weights * (1.0 - labels))
