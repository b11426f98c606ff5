"""How much each draw, and so each label, counts in an estimate from a design."""

from __future__ import annotations

import numpy as np

from ._label_design import LabelDesign

__all__ = ["draw_weights", "label_weights"]


def draw_weights(design: LabelDesign) -> np.ndarray:
    r"""Return the weights with which the totals of the draws are averaged, of shape (n_draws,).

    Proportional to :math:`1 / (n_t (n_t - 1))` with :math:`n_t` free items before the draw: the
    total of a draw is the less random the fewer items are left. They are those of LURE [1]_,
    and say nothing of labels, so that the average has no bias. If a draw took the last free
    item it knows everything, and has all the weight.

    References
    ----------
    .. [1] S. Farquhar, Y. Gal, T. Rainforth. "On statistical bias in active learning: how and when
       to fix it." ICLR (2021).
    """
    free = design.free[:-1][design.drawn].sum(axis=1)
    if len(free) and free[-1] <= 1.0:
        return np.where(free <= 1.0, 1.0, 0.0)
    weights = 1.0 / (free * (free - 1.0))
    return weights / weights.sum() if len(free) else weights


def label_weights(design: LabelDesign, weights) -> np.ndarray:
    r"""Return how many items of the pool each label stands for, of shape (..., n_rows).

    A draw of the weight :math:`w_t` counts its item :math:`1 / q_t` times, and every item that
    was known before once:

    .. math:: v_t = \frac{w_t}{q_t} + \sum_{s > t} w_s .

    With the weights of `draw_weights`, and every label drawn, they are :math:`N / M` times the
    weights of LURE, :math:`1 + \frac{N - M}{N - t} (\frac{1}{(N - t + 1) q_t} - 1)`.
    Once no item is free each label stands for its own item alone, however it came.

    Parameters
    ----------
    design : LabelDesign
    weights : ndarray of shape (..., n_draws)
        Of the draws, summing to one.
    """
    if design.free[-1].sum() == 0.0:
        return np.ones((*np.shape(weights)[:-1], design.n_rows))
    own = np.zeros((*np.shape(weights)[:-1], design.n_rows))
    own[..., design.drawn] = weights
    later = np.cumsum(own[..., ::-1], axis=-1)[..., ::-1] - own
    # A difference of sums is zero up to rounding only.
    later = np.maximum(later, 0.0)
    own[..., design.drawn] /= design.chances[design.drawn]
    return own + later
