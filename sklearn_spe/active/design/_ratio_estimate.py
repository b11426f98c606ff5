"""The design-based estimate of a ratio metric: valid without the model."""

from __future__ import annotations

import numpy as np

from ...betting._label_design import LabelDesign, draw_weights
from ...betting._possible_range import possible_range
from ...results._bands import ScalarEstimate
from ._logit_distribution import LogitDistribution

__all__ = ["design_estimate"]

# Prior weight, in draws, of the model's prediction of the variance of a draw, and the shrinkage of
# its predictions to one half: models are overconfident.
MODEL_DRAWS, PREDICTION_UNCERTAINTY = 4.0, 0.1


def design_estimate(
    design: LabelDesign, numerator, denominator, name: str, *, confidence_level: float = 0.9
) -> ScalarEstimate:
    r"""Estimate a metric that is a ratio of two sums over the pool.

    Both sums are averages of the totals of the draws, with the weights :math:`w_t` of
    `draw_weights`: :math:`\hat\theta = \sum_t w_t Z_t^{num} / \sum_t w_t Z_t^{den}`. The error of
    the ratio is to first order the average of :math:`e_t = Z_t^{num} - \hat\theta Z_t^{den}`, which
    are uncorrelated: its variance is :math:`\sum_t w_t^2 e_t^2 / (\sum_t w_t Z_t^{den})^2`. As few
    draws may by chance be equal, or all lie on one side of the threshold, the variance is shrunk to
    its prediction, less with each draw. The interval is that of Student's t on the log-odds.
    """
    numerator = np.asarray(numerator, dtype=float)
    denominator = np.asarray(denominator, dtype=float)
    distribution = _distribution(design, numerator, denominator)
    return ScalarEstimate(name, distribution, confidence_level, "design")


def _distribution(design, numerator, denominator):
    smallest, largest = possible_range(design, numerator, denominator)
    if np.isnan(smallest):
        return LogitDistribution.unknown()
    if smallest == largest:
        return LogitDistribution.unknown(smallest, largest, smallest)
    rows, weights = design.drawn, draw_weights(design)
    top, bottom = design.totals(numerator)[rows], design.totals(denominator)[rows]
    size = (weights * bottom).sum()
    if not size > 0.0:
        return LogitDistribution.unknown(smallest, largest)
    value = float((weights * top).sum() / size)
    if len(rows) == 1:
        return LogitDistribution.unknown(
            smallest, largest, float(np.clip(value, smallest, largest))
        )
    squares = _squares(design, numerator - value * denominator, top - value * bottom)
    error = float(np.sqrt((weights**2 * squares).sum()) / size)
    value = float(np.clip(value, smallest, largest))
    return LogitDistribution(value, error, len(rows) - 1.0, smallest, largest)


def _squares(design, influence, off):
    """Return the expected squared error of each draw, of shape (n_draws,)."""
    rows, n = design.drawn, len(design.drawn)
    side = design.above[rows].astype(int)
    leverage = (influence[1] - influence[0]) ** 2
    p = 0.5 * PREDICTION_UNCERTAINTY + (1.0 - PREDICTION_UNCERTAINTY) * design.predictions[rows]
    modelled = leverage[side] * p * (1.0 - p) / design.chances[rows] ** 2
    squares = (n * off**2 * n / (n - 1.0) + MODEL_DRAWS * modelled) / (n + MODEL_DRAWS)
    # A side with few draws has unknown variance: bounded by the model's prediction.
    rest, reach = design.rest[rows], design.reach[rows]
    bound = np.minimum(
        reach[:, 0] * (design.free[:-1][rows] - rest),
        reach[:, 1] * rest,
    )
    drawn = np.bincount(side, minlength=2)
    return squares + (leverage * np.maximum(bound, 0.0) / (drawn + 1.0)).sum(axis=1)
