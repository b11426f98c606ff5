"""Expected interval width after more labels, from the posterior draws."""

from __future__ import annotations

import numpy as np

from ..inputs._validation import check_choice, check_counts
from ..mixtures._fisher import PLANNED_STRATEGIES
from ..posterior._operating_points import over_draws
from ..results._distributions import WeightedDraws

# Number of groups of items: log-spaced from the top, and evenly spaced.
N_TOP, N_EVEN = 16, 16


def check_plan(sample, n_labels, strategy) -> np.ndarray:
    """Return numbers of further items; raise unless they can be labeled by this strategy."""
    check_choice(strategy, "strategy", PLANNED_STRATEGIES)
    counts, left = check_counts(n_labels, "n_labels", 0), sample.unlabeled.sum()
    if (counts > left).any():
        raise ValueError(
            f"n_labels must be whole numbers from 0 to the {left:g} unlabeled items, got "
            f"{n_labels!r}."
        )
    return counts


def planned_width(posterior, draws, counts, task, *, strategy, threshold=None) -> np.ndarray:
    r"""Return the expected width of an interval after more items are labeled.

    The draws are approximated as jointly normal: with A the covariances of the metric with the
    shares of positives in groups of items, C the covariances of the shares and N the sampling
    variances of the shares in the future labels, the variance decreases by :math:`A^T (C + N)^{-1}
    A`.
    """
    sample = posterior.sample
    if np.isinf(draws).any():
        raise ValueError(
            "This metric is infinite in some draws, so that its variance is undefined; plan for "
            "another one, such as 'precision_after_gain'."
        )
    if np.isnan(draws).all():
        # No draw defines the metric, so that there is no interval after any number of labels.
        return np.full(counts.shape, np.nan)
    tail = (1.0 - task.confidence_level) / 2.0
    distribution = WeightedDraws(draws[:, np.newaxis], posterior.weights)
    low, high = distribution.quantile([tail, 1.0 - tail])[:, 0]
    edges, sizes = _groups(sample, threshold)
    shares = _shares(posterior, edges, sizes, task)
    finite = task.draws_labels
    kept = [
        _kept(shares, draws, posterior.weights, sizes, _spread(sizes, n, strategy), finite)
        for n in counts.ravel()
    ]
    return np.reshape((high - low) * np.array(kept), counts.shape)


def _groups(sample, threshold):
    """Return the lowest scores of groups of items, decreasing, and their unlabeled counts."""
    free = np.flatnonzero(sample.unlabeled)[::-1]
    n = len(free)
    if not n:
        return np.empty(0), np.empty(0)
    last = np.r_[np.geomspace(1, n, N_TOP), np.linspace(1, n, N_EVEN)].astype(int) - 1
    edges = sample.lower[free[np.unique(last)]]
    if threshold is not None:
        edges = np.r_[edges, threshold]
    edges = np.unique(edges)[::-1]
    above = np.cumsum(sample.unlabeled[::-1])[::-1]
    above = np.r_[above, 0.0][np.searchsorted(sample.lower, edges)]
    sizes = np.diff(above, prepend=0.0)
    return edges[sizes > 0.0], sizes[sizes > 0.0]


def _shares(posterior, edges, sizes, task) -> np.ndarray:
    """Return the share of positives among the unlabeled items, (n_draws, n_groups)."""
    sample = posterior.sample
    if task.draws_labels:
        # The same completed labels from which the metric was computed.
        above = over_draws(posterior, _positives, task, thresholds=edges)
        known = np.r_[np.cumsum(sample.positive[::-1])[::-1], 0.0]
        above = above - known[np.searchsorted(sample.lower, edges)]
        return np.diff(above, axis=1, prepend=0.0) / sizes
    cells = sample.grouped(4 * (N_TOP + N_EVEN), edges)
    group = np.searchsorted(-edges, -cells.lower)
    parts = []
    for block in posterior.blocks():
        expected = cells.unlabeled * posterior.unlabeled_probability(cells.scores, block)
        in_groups = np.zeros((len(expected), len(edges) + 1))
        np.add.at(in_groups.T, group, expected.T)
        parts.append(in_groups[:, :-1] / sizes)
    return np.concatenate(parts)


def _positives(points):
    return points.tp


def _spread(sizes, n_labels, strategy) -> np.ndarray:
    """Return the number of future labels in each group."""
    if strategy == "random":
        return n_labels * sizes / max(sizes.sum(), 1.0)
    return np.clip(n_labels - (np.cumsum(sizes) - sizes), 0.0, sizes)


def _kept(shares, draws, weights, sizes, counts, finite) -> float:
    """Return the ratio of the expected width to the present one."""
    defined = ~np.isnan(draws)
    weights = np.where(defined, weights, 0.0) / weights[defined].sum()
    number = np.where(defined, draws, 0.0)
    number = np.where(defined, number - weights @ number, 0.0)
    variance = weights @ number**2
    some = counts > 0.0
    if not variance or not some.any():
        return 1.0
    if finite and np.allclose(counts, sizes):
        return 0.0
    shares, sizes, counts = shares[:, some], sizes[some], counts[some]
    signal = shares - weights @ shares
    noise = weights @ (shares * (1.0 - shares)) / counts
    if finite:
        noise *= (sizes - counts) / np.maximum(sizes - 1.0, 1.0)
    matrix = np.einsum("i,ij,ik->jk", weights, signal, signal) + np.diag(noise)
    along = np.einsum("i,ij,i->j", weights, signal, number)
    drop = along @ np.linalg.pinv(matrix, rcond=1e-10, hermitian=True) @ along
    return float(np.sqrt(np.clip(1.0 - drop / variance, 0.0, 1.0)))
