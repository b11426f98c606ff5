"""Reliability (calibration) curve of predicted probabilities."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..inputs._numbers import check_choice, check_count
from ..metrics._division import ratio
from ..results._bands import CurveBand
from ._operating_points import FINEST_CELLS, over_draws
from ._probabilities import predictions

STRATEGIES = ("quantile", "uniform")


def reliability_band(posterior, predicted, task, *, n_bins, strategy) -> CurveBand:
    """Return the fraction of positives in bins of predicted probability.

    Parameters
    ----------
    posterior : Posterior
    predicted : callable
        From scores to predicted probabilities, both of shape (n_scores,).
    task : Task
        With target "sample".
    n_bins : int
    strategy : {"quantile", "uniform"}
        Bins with equal numbers of items, or of equal width.
    """
    check_count(n_bins, "n_bins", 1)
    check_choice(strategy, "strategy", STRATEGIES)
    cells = posterior.sample.grouped(FINEST_CELLS)
    probabilities = predictions(predicted, cells.scores)
    if not ((probabilities >= 0.0) & (probabilities <= 1.0)).all():
        raise ValueError(
            f"Predicted probabilities must lie in [0, 1], got {probabilities.min():.6g} to "
            f"{probabilities.max():.6g}. A reliability curve needs probabilities."
        )
    bins = _bins(probabilities, cells.counts, n_bins, strategy)
    # Decreasing thresholds: the order of the cells of operating points.
    weights = np.zeros((cells.n_cells, bins.max() + 1))
    weights[np.arange(cells.n_cells), bins] = cells.counts
    shares = partial(_shares, bins[::-1], weights.sum(axis=0))
    draws = over_draws(posterior, shares, task)
    return CurveBand.from_draws(
        "calibration",
        probabilities @ weights / weights.sum(axis=0),
        draws,
        posterior.weights,
        x_name="mean predicted probability",
        y_name="fraction of positives",
        confidence_level=task.confidence_level,
        kind=posterior.kind,
    )


def _bins(probabilities, counts, n_bins, strategy) -> np.ndarray:
    """Return the bin of each cell, numbered over nonempty bins."""
    if strategy == "uniform":
        edges = np.arange(1, n_bins) / n_bins
    else:
        order = np.argsort(probabilities, kind="stable")
        cumulated = np.cumsum(counts[order])
        at = np.searchsorted(cumulated, cumulated[-1] * np.arange(1, n_bins) / n_bins)
        edges = np.unique(probabilities[order][at])
    return np.unique(np.searchsorted(edges, probabilities), return_inverse=True)[1]


def _shares(bins, counts, points) -> np.ndarray:
    positives = np.diff(points.tp, axis=1, prepend=0.0)
    in_bins = np.zeros((len(positives), len(counts)))
    # Bins need not be contiguous if the probabilities do not increase with the score.
    np.add.at(in_bins.T, bins, positives.T)
    return ratio(in_bins, counts)
