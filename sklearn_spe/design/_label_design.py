"""Labels that were drawn, with their inclusion probabilities, and counts of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..inputs._arrays import FrozenArrays

# Amount by which predictions are shrunk to one half when their variance is computed.
PREDICTION_UNCERTAINTY = 0.1
# Prior weight, in draws, with which a resampled label is the prediction's instead of the
# annotator's.
PREDICTED_DRAWS = 2.0


@dataclass(frozen=True, eq=False)
class LabelDesign(FrozenArrays):
    r"""The sampling design of the labels of a pool, one row per label in the order of the draws.

    At draw t an item :math:`i_t` is drawn among the free ones, item i with the inclusion
    probability :math:`q_t(i) > 0` given the past. For a quantity :math:`f(z, a)` of an item's label
    and of whether it lies above the threshold, and predictions :math:`p_i` made before,

    .. math:: Z_t = \sum_{known} f(z_i, a_i) + \sum_{free} \hat f(p_i, a_i)
              + \frac{f(z_{i_t}, a_{i_t}) - \hat f(p_{i_t}, a_{i_t})}{q_t(i_t)} , \quad
              \hat f(p, a) = (1 - p) f(0, a) + p f(1, a) ,

    has the mean :math:`\sum_i f(z_i, a_i)` given the past, however wrong the predictions are (the
    difference estimator for draws without replacement [1]_, [2]_). Labels obtained otherwise are
    known from then on, however they were chosen. Items that no annotator could label contribute
    :math:`f = 0`: the sum is over the items that can be labeled.

    An axis of length 2 called ``above`` is (below, at or above the threshold), as in the terms of a
    metric.

    Attributes
    ----------
    pool : ndarray of shape (2,)
        Number of items on each side of the threshold, labeled or not.
    items : ndarray of shape (n_rows,), of int
    labels : ndarray of shape (n_rows,)
        0 or 1; NaN if the annotator skipped the item.
    chances : ndarray of shape (n_rows,)
        Inclusion probability of the item, given all earlier draws; NaN if it was not drawn: known
        before the start, or labeled without being queried.
    predictions : ndarray of shape (n_rows,)
        P(y = 1) as predicted before its batch was drawn; NaN if the item was not drawn.
    above : ndarray of shape (n_rows,), of bool
        Whether the item lies at or above the threshold.
    expected_positives : ndarray of shape (n_rows, 2)
        Expected number of positives among the free items, including the drawn one; NaN if it was
        not drawn.
    reach : ndarray of shape (n_rows, 2, 2)
        ``reach[t, z, above]``: maximum over the free items of ``abs(z - prediction) / chance``; NaN
        if the item was not drawn.
    squares : ndarray of shape (n_rows, 2)
        Expected square of ``(z - prediction) / chance`` for each side of the threshold, zero if an
        item of the other side is drawn; NaN if the item was not drawn or there was no prediction.

    References
    ----------
    .. [1] S. Farquhar, Y. Gal, T. Rainforth. "On statistical bias in active learning: how and when
       to fix it." ICLR (2021).
    .. [2] S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas. "Risk-limiting financial audits via
       weighted sampling without replacement." UAI (2023).
    """

    pool: np.ndarray
    items: np.ndarray
    labels: np.ndarray
    chances: np.ndarray
    predictions: np.ndarray
    above: np.ndarray
    expected_positives: np.ndarray
    reach: np.ndarray
    squares: np.ndarray

    @classmethod
    def empty(cls, above: np.ndarray, counts: np.ndarray | None = None) -> LabelDesign:
        """Make the design of a pool without labels.

        Parameters
        ----------
        above : ndarray of shape (n_items,), of bool
            Whether each item of the pool lies at or above the threshold.
        counts : ndarray of shape (n_items,), of int, default=None
            Number of items that each represents; None for one each.
        """
        counts = np.ones(len(above), dtype=int) if counts is None else counts
        return cls(
            pool=np.array([counts[~above].sum(), counts[above].sum()]),
            items=np.zeros(0, dtype=np.intp),
            labels=np.zeros(0),
            chances=np.zeros(0),
            predictions=np.zeros(0),
            above=np.zeros(0, dtype=bool),
            expected_positives=np.zeros((0, 2)),
            reach=np.zeros((0, 2, 2)),
            squares=np.zeros((0, 2)),
        )

    def extended(
        self,
        items: ArrayLike,
        labels: ArrayLike,
        above: ArrayLike,
        *,
        chances: ArrayLike | None = None,
        predictions: ArrayLike = np.nan,
        expected_positives: np.ndarray | float = np.nan,
        reach: ArrayLike = np.nan,
        squares: ArrayLike = np.nan,
    ) -> LabelDesign:
        """Return the design with one more batch.

        Parameters
        ----------
        items : array-like of shape (n_new,)
            In the order of the draws.
        labels : array-like of shape (n_new,)
            0 or 1; NaN if the annotator skipped the item.
        above : array-like of shape (n_new,), of bool
        chances, predictions : array-like of shape (n_new,), default=None and NaN
            Inclusion probabilities and predictions of these items, each given the earlier draws;
            neither if they were not drawn.
        expected_positives : array-like of shape (2,), default=NaN
            Expected number of positives among all free items before the first of these draws.
        reach : array-like of shape (2, 2) or (n_new, 2, 2), default=NaN
            Bounds for all of these draws, or for each; `rest_and_reach` makes both.
        squares : array-like of shape (2,) or (n_new, 2), default=NaN
            For all of these draws, or for each, as `expected_squares` returns them; NaN without a
            prediction.
        """
        above = np.asarray(above, dtype=bool)
        inclusion_proba: ArrayLike = np.nan
        if chances is not None:
            inclusion_proba = chances
            # The drawn item's own prediction is removed from the remaining total after its draw.
            is_side = above[:, np.newaxis] == (0, 1)
            predicted = np.asarray(predictions)[:, np.newaxis] * is_side
            predicted_before = np.cumsum(predicted, axis=0) - predicted
            expected_positives = expected_positives - predicted_before

        n_new = len(above)
        return replace(
            self,
            items=_appended(self.items, items, n_new),
            labels=_appended(self.labels, labels, n_new),
            chances=_appended(self.chances, inclusion_proba, n_new),
            predictions=_appended(self.predictions, predictions, n_new),
            above=_appended(self.above, above, n_new),
            expected_positives=_appended(self.expected_positives, expected_positives, n_new),
            reach=_appended(self.reach, reach, n_new),
            squares=_appended(self.squares, squares, n_new),
        )

    @property
    def n_rows(self) -> int:
        """Number of labels, drawn or not, including skipped items."""
        return len(self.items)

    @cached_property
    def drawn(self) -> np.ndarray:
        """The rows that were drawn, of shape (n_draws,)."""
        return np.flatnonzero(~np.isnan(self.chances))

    @cached_property
    def known(self) -> np.ndarray:
        """Known labels ``[t, z, above]`` before each row and after the last, (n_rows + 1, 2, 2)."""
        counts = np.zeros((self.n_rows + 1, 2, 2))
        labeled_rows = np.flatnonzero(~np.isnan(self.labels))
        label = self.labels[labeled_rows].astype(int)
        side = self.above[labeled_rows].astype(int)
        counts[labeled_rows + 1, label, side] = 1.0
        return np.cumsum(counts, axis=0)

    @cached_property
    def free(self) -> np.ndarray:
        """Free items ``[t, above]`` before each row and after the last, (n_rows + 1, 2)."""
        removed = np.zeros((self.n_rows + 1, 2))
        rows = np.arange(1, self.n_rows + 1)
        removed[rows, self.above.astype(int)] = 1.0
        return self.pool - np.cumsum(removed, axis=0)

    def predictive(self, terms: np.ndarray, start: int = 0) -> np.ndarray:
        """Return the prediction of each draw's total before the item is drawn.

        Parameters
        ----------
        terms : ndarray of shape (2, 2)
            ``terms[z, above]``, the contribution of an item to the total.
        start : int, default=0
            The first row.

        Returns
        -------
        totals : ndarray of shape (n_rows - start,)
            NaN where the item was not drawn.
        """
        positives = self.expected_positives[start:]
        negatives = self.free[start:-1] - positives
        predicted = np.stack([negatives, positives], axis=1)
        n_items = self.known[start:-1] + predicted
        return (n_items * terms).sum(axis=(1, 2))

    def totals(self, terms: np.ndarray, start: int = 0) -> np.ndarray:
        """Return an unbiased estimate of a total from each draw, shaped as by `predictive`."""
        side = self.above[start:].astype(int)
        labels = self.labels[start:]
        p = self.predictions[start:]

        # The contribution of the item, and its expectation; skipped items contribute nothing.
        is_labeled = ~np.isnan(labels)
        z = np.where(is_labeled, labels, 0.0).astype(int)
        observed = np.where(is_labeled, terms[z, side], 0.0)
        expected = (1.0 - p) * terms[0, side] + p * terms[1, side]
        correction = (observed - expected) / self.chances[start:]
        return self.predictive(terms, start) + correction


def _appended(rows: np.ndarray, new_rows: ArrayLike, n_new: int) -> np.ndarray:
    """Return the rows of a column of a design with new ones, or one value for all of them."""
    new_rows = np.asarray(new_rows, dtype=rows.dtype)
    new_rows = np.broadcast_to(new_rows, (n_new, *rows.shape[1:]))
    return np.concatenate([rows, new_rows])


def draw_weights(design: LabelDesign) -> np.ndarray:
    r"""Return the weights for averaging the totals of the draws, of shape (n_draws,).

    Proportional to :math:`1 / (n_t (n_t - 1))` with :math:`n_t` free items before the draw: the
    variance of a draw's total decreases with the number of items left. They are the weights of LURE
    [1]_ and do not depend on the labels, so the average is unbiased. A draw of the last free
    item has all the weight.

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


def label_weights(design: LabelDesign, weights: np.ndarray) -> np.ndarray:
    r"""Return the number of pool items that each label represents, of shape (..., n_rows).

    A draw of weight :math:`w_t` counts its item :math:`1 / q_t` times, and every item known before
    once:

    .. math:: v_t = \frac{w_t}{q_t} + \sum_{s > t} w_s .

    With the weights of `draw_weights` and every label drawn, these are :math:`N / M` times the
    weights of LURE, :math:`1 + \frac{N - M}{N - t} (\frac{1}{(N - t + 1) q_t} - 1)`. Once no item
    is free, each label represents its own item alone.
    """
    shape = (*np.shape(weights)[:-1], design.n_rows)
    if design.free[-1].sum() == 0.0:
        return np.ones(shape)

    row_weights = np.zeros(shape)
    row_weights[..., design.drawn] = weights
    from_here = np.cumsum(row_weights[..., ::-1], axis=-1)[..., ::-1]
    # The difference of the sums may be negative by rounding.
    later_weights = np.maximum(from_here - row_weights, 0.0)
    row_weights[..., design.drawn] /= design.chances[design.drawn]
    return row_weights + later_weights


def rest_and_reach(
    predictions: np.ndarray,
    chances: np.ndarray,
    above: np.ndarray,
    counts: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the summary of the free items that a design stores before a draw.

    Parameters
    ----------
    predictions, chances : ndarray of shape (n_free,)
        P(y = 1) of each free item, and its inclusion probability.
    above : ndarray of shape (n_free,), of bool
        Whether the item lies at or above the threshold.
    counts : ndarray of shape (n_free,), default=None
        Number of such items; None for one each.

    Returns
    -------
    expected_positives : ndarray of shape (2,)
        Expected number of positives below, and at or above the threshold.
    reach : ndarray of shape (2, 2)
        ``reach[z, above]``: the largest ``abs(z - prediction) / chance``; 0 without such an item.
    """
    expected_positives = np.zeros(2)
    reach = np.zeros((2, 2))
    for side in (0, 1):
        is_side = above == side
        if not is_side.any():
            continue
        p = predictions[is_side]
        q = chances[is_side]
        expected = p if counts is None else p * counts[is_side]
        expected_positives[side] = expected.sum()
        reach[0, side] = (p / q).max()
        reach[1, side] = ((1.0 - p) / q).max()
    return expected_positives, reach


def shrunk_predictions(predictions: np.ndarray) -> np.ndarray:
    """Return predicted probabilities shrunk towards one half, as models are overconfident."""
    return 0.5 * PREDICTION_UNCERTAINTY + (1.0 - PREDICTION_UNCERTAINTY) * predictions


def expected_squares(
    predictions: np.ndarray,
    chances: np.ndarray,
    above: np.ndarray,
    counts: np.ndarray | None = None,
) -> np.ndarray:
    """Return the expected square of ``(z - prediction) / chance`` of the next draw.

    Computed from the predictions, slightly shrunk towards one half.

    Parameters
    ----------
    predictions, chances : ndarray of shape (n_free,)
        P(y = 1) of each free item, and its inclusion probability.
    above : ndarray of shape (n_free,), of bool
        Whether the item lies at or above the threshold.
    counts : ndarray of shape (n_free,), default=None
        Number of such items; None for one each.

    Returns
    -------
    squares : ndarray of shape (2,)
        For items below, and at or above the threshold; each is zero if the other side is drawn.
    """
    p = shrunk_predictions(predictions)
    n_items = 1.0 if counts is None else counts
    squares = p * (1.0 - p) / chances * n_items
    return np.array([squares[~above].sum(), squares[above].sum()])


def is_known(design: LabelDesign) -> bool:
    """Return whether all labels that can be obtained are known."""
    return design.free[-1].sum() == 0.0 and not np.isnan(design.labels).all()


def has_estimate(design: LabelDesign) -> bool:
    """Return whether there are labels with design weights."""
    return is_known(design) or not np.isnan(design.labels[design.drawn]).all()


def labeled(design: LabelDesign) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights and the labels, both of shape (1, n_rows)."""
    return label_weights(design, draw_weights(design))[np.newaxis], design.labels[np.newaxis]


def resampled(
    design: LabelDesign, rng: np.random.Generator, n_resamples: int
) -> tuple[np.ndarray, np.ndarray]:
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
    share_free = design.free[-1].sum() / design.pool.sum()
    n_prior = PREDICTED_DRAWS * share_free
    p = shrunk_predictions(design.predictions[design.drawn])
    observed = design.labels[design.drawn]
    probability = (n * observed + n_prior * p) / (n + n_prior)
    drawn_labels = rng.random((n_resamples, n)) < probability

    labels = np.repeat(design.labels[np.newaxis], n_resamples, axis=0)
    labels[:, design.drawn] = np.where(np.isnan(observed), np.nan, drawn_labels)
    return label_weights(design, weights), labels


def sums_above(design: LabelDesign, scores: np.ndarray, *values: np.ndarray) -> list[np.ndarray]:
    """Sum values of labels above each distinct labeled score, the scores decreasing."""
    labeled_rows = np.flatnonzero(~np.isnan(design.labels))
    labeled_items = design.items[labeled_rows]
    negated = -np.asarray(scores, dtype=float)[labeled_items]
    order = np.argsort(negated, kind="stable")

    # The last row of each distinct score.
    is_last = np.ones(len(order), dtype=bool)
    is_last[:-1] = np.diff(negated[order]) != 0.0
    rows = labeled_rows[order]
    sums = [np.cumsum(value[:, rows], axis=1) for value in values]
    return [along_rows[:, is_last] for along_rows in sums]


def counts_above(
    design: LabelDesign, scores: np.ndarray, weights: np.ndarray, labels: np.ndarray
) -> list[np.ndarray]:
    """Return weighted positives and negatives at or above each labeled score, decreasing."""
    return sums_above(design, scores, weights * labels, weights * (1.0 - labels))
