"""Operating points: numbers of positives and negatives at or above each threshold.

Every curve and metric of a posterior draw is a function of its operating points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..inputs._random_state import spawn
from ..sample._sample import ScoreSample
from ._task import Task

# Approximate maximum number of score cells for curves of a sample.
FINEST_CELLS = 4096


@dataclass(frozen=True)
class OperatingPoints:
    """Positives and negatives at or above thresholds, for several draws.

    Attributes
    ----------
    tp, fp : ndarray of shape (n_draws, n_thresholds)
        Counts of a sample, or probabilities of a population. For a whole curve the
        thresholds decrease and the last column holds all items.
    n_positive, n_negative : ndarray of shape (n_draws, 1)
        Totals.
    steps : bool or ndarray of shape (n_thresholds,)
        Whether the curve jumps between two thresholds, as at every score (cell) of a sample and at
        ties of a population. Elsewhere the curve is continuous.
    """

    tp: np.ndarray
    fp: np.ndarray
    n_positive: np.ndarray
    n_negative: np.ndarray
    steps: bool | np.ndarray


def over_draws(
    posterior,
    function: Callable[[OperatingPoints], np.ndarray],
    task: Task,
    *,
    thresholds=None,
) -> np.ndarray:
    """Apply a function of operating points to every draw of a posterior.

    Parameters
    ----------
    posterior : Posterior
    function : callable
        From `OperatingPoints` of some draws to an array of shape (n_rows, n_points).
    task : Task
    thresholds : array-like of shape (n_thresholds,), default=None
        Thresholds of the operating points, in this order; None means all scores.

    Returns
    -------
    values : ndarray of shape (n_draws, n_points)
    """
    evaluation = _evaluation(posterior, function, task, thresholds)
    if evaluation.is_known:
        return np.repeat(evaluation.known(), posterior.n_draws, axis=0)
    blocks = posterior.blocks()
    parts = Parallel(n_jobs=task.n_jobs)(delayed(evaluation.evaluate)(b) for b in blocks)
    return np.concatenate(parts)


def mean_over_draws(
    posterior,
    function: Callable[[OperatingPoints], np.ndarray],
    task: Task,
    *,
    thresholds=None,
) -> np.ndarray:
    """Return the posterior expectation of a function of operating points.

    As the weighted mean of `over_draws`, but without storing all draws; suited to thousands of
    thresholds.
    """
    evaluation = _evaluation(posterior, function, task, thresholds)
    if evaluation.is_known:
        return evaluation.known()[0].astype(float)
    weights, blocks = posterior.weights, posterior.blocks()
    parts = Parallel(n_jobs=task.n_jobs)(
        delayed(_weighted_sum)(evaluation, block, weights[block.rows]) for block in blocks
    )
    return np.sum(parts, axis=0)


def _weighted_sum(evaluation, block, weights):
    return np.einsum("i,ij->j", weights, evaluation.evaluate(block).astype(float))


def _evaluation(posterior, function, task, thresholds):
    if not task.draws_labels:
        return _OfRates(posterior, thresholds, function)
    cells = posterior.sample.grouped(FINEST_CELLS, () if thresholds is None else thresholds)
    return _OfLabels(posterior, cells, thresholds, function, task)


@dataclass(frozen=True)
class _OfLabels:
    """Complete the labels of a sample for a block of draws, and apply a function."""

    posterior: object
    cells: ScoreSample
    thresholds: np.ndarray | None
    function: Callable
    task: Task

    def evaluate(self, block):
        rng = spawn(self.task.entropy, 1, block.index)
        drawn = self.posterior.drawn_positives(self.cells, block, rng)
        return self.function(self._points(drawn))

    @property
    def is_known(self) -> bool:
        return not self.cells.unlabeled.any()

    def known(self):
        return self.function(self._points(np.zeros((1, self.cells.n_cells))))

    def _points(self, drawn) -> OperatingPoints:
        cells = self.cells
        if self.task.counts_known:
            points, found = selection_operating_points(cells, drawn), cells.positive.sum()
        else:
            points, found = sample_operating_points(cells, cells.positive + drawn), 0.0
        if self.thresholds is None:
            return points
        n_above = cells.n_cells - np.searchsorted(cells.lower, self.thresholds)
        last, is_any = np.maximum(n_above - 1, 0), n_above > 0
        tp = np.where(is_any, points.tp[:, last], found)
        return replace(points, tp=tp, fp=np.where(is_any, points.fp[:, last], 0.0))


def sample_operating_points(cells: ScoreSample, positives) -> OperatingPoints:
    """Return the operating points of a fully labeled sample, for several draws.

    Parameters
    ----------
    cells : ScoreSample
    positives : ndarray of shape (n_draws, n_cells)
        The weight of the positives of each cell; the rest are negatives.
    """
    tp = np.cumsum(positives[:, ::-1], axis=1)
    fp = np.cumsum(cells.counts[::-1]) - tp
    return OperatingPoints(tp, fp, tp[:, -1:], fp[:, -1:], steps=True)


def selection_operating_points(cells: ScoreSample, drawn) -> OperatingPoints:
    """Return the operating points of selections, with known labels counted.

    Selections hold all known positives, no known negative, and unlabeled items by score. `drawn`
    (n_draws, n_cells) is the weight of the positives among the unlabeled items.
    """
    found, refused = cells.positive.sum(), cells.negative.sum()
    tp = np.cumsum(drawn[:, ::-1], axis=1)
    fp = np.cumsum(cells.unlabeled[::-1]) - tp
    return OperatingPoints(tp + found, fp, tp[:, -1:] + found, fp[:, -1:] + refused, steps=True)


@dataclass(frozen=True)
class _OfRates:
    """Evaluate the rates of a block of draws, and apply a function."""

    posterior: object
    thresholds: object
    function: Callable
    is_known: ClassVar[bool] = False

    def evaluate(self, block):
        prevalence, tpr, fpr, steps = self.posterior.population_rates(block, self.thresholds)
        others = 1.0 - prevalence
        return self.function(
            OperatingPoints(prevalence * tpr, others * fpr, prevalence, others, steps)
        )


def drawn_by_score(posterior, block, entropy: int):
    """Yield completed labels of a block of draws, on all distinct scores."""
    cells = posterior.sample
    rng = spawn(entropy, 1, block.index)
    # Draw the whole block at once, as for the named metrics, unless that takes too much memory.
    for part in (block,) if cells.n_cells <= FINEST_CELLS else block.each():
        yield posterior.drawn_positives(cells, part, rng)
