"""Sorted scores are counted as they are one by one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special

from sklearn_spe.histogram._bins import BinTable, ScoreBins


def scores_on(scale, rng):
    """Return scores of all sizes, ties, round numbers and edges of bins."""
    z = np.r_[3.0 * rng.standard_normal(2_000), np.round(rng.standard_normal(500), 1)]
    z = np.r_[z, rng.integers(-300, 300, 500) / 64]
    if scale == "logit":
        return np.r_[special.expit(np.r_[z, rng.uniform(-80.0, 80.0, 500)]), 0.0, 0.5, 1.0]
    return z if scale == "identity" else np.sign(z) * np.exp(3.0 * np.abs(z))


def counted(scores, bins):
    """Return the columns of a table, score by score and in whole numbers."""
    keys = bins.keys(scores)
    low, quantum = bins.grid(keys)
    quanta = np.floor((scores.astype(float) - low) / quantum)
    distinct, index = np.unique(keys, return_inverse=True)
    members = [np.flatnonzero(index == k) for k in range(len(distinct))]
    return {
        "keys": distinct,
        "counts": [len(rows) for rows in members],
        "parts": [sum(map(int, quanta[rows])) for rows in members],
        "smallest": [scores[rows].min() for rows in members],
        "largest": [scores[rows].max() for rows in members],
        "n_near_edges": int(bins.is_near_edge(scores).sum()),
    }


@pytest.mark.parametrize("scale", ["logit", "identity", "asinh"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_table_counts_each_score_by_its_key(global_random_seed, scale, dtype):
    scores = scores_on(scale, np.random.default_rng(global_random_seed)).astype(dtype)
    for resolution in (1, 3, 64):
        bins = ScoreBins(scale, resolution)
        for some in (scores, scores[:5], scores[scores > np.median(scores)]):
            table = BinTable.of(some, None, bins)
            for name, expected in counted(some, bins).items():
                assert_array_equal(getattr(table, name), expected)


@pytest.mark.parametrize(
    "scores", [[0.0, 0.0], [1.0], [0.0, 1.0], [5e-324, 0.5], [0.5, np.nextafter(1.0, 0.0), 1.0]]
)
def test_extreme_probabilities_are_counted_too(scores):
    bins = ScoreBins()
    table = BinTable.of(np.array(scores), None, bins)
    for name, expected in counted(np.array(scores), bins).items():
        assert_array_equal(getattr(table, name), expected)
