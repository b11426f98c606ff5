"""Sorting and counting by key are two ways to the same bits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special

from sklearn_spe.histogram._bins import BinTable, ScoreBins
from sklearn_spe.histogram._counting import counted_by_key

COLUMNS = ("keys", "counts", "parts", "smallest", "largest", "n_near_edges")


def scores_on(scale, rng):
    """Return scores of all sizes, ties, round numbers and edges of bins."""
    z = np.r_[3.0 * rng.standard_normal(20_000), np.round(rng.standard_normal(500), 1)]
    z = np.r_[z, rng.integers(-300, 300, 500) / 64]
    if scale == "logit":
        return np.r_[special.expit(np.r_[z, rng.uniform(-80.0, 80.0, 500)]), 0.0, 0.5, 1.0]
    return z if scale == "identity" else np.sign(z) * np.exp(3.0 * np.abs(z))


@pytest.mark.parametrize("scale", ["logit", "identity", "asinh"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counting_by_key_gives_the_bits_of_sorting(global_random_seed, scale, dtype):
    scores = scores_on(scale, np.random.default_rng(global_random_seed)).astype(dtype)
    for resolution in (1, 3, 64, 1000):
        bins = ScoreBins(scale, resolution)
        for some in (scores, scores[:5], scores[scores > np.median(scores)]):
            found, expected = counted_by_key(some, bins), BinTable.of(some, None, bins)
            for name in COLUMNS:
                assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize(
    "scores", [[0.0, 0.0], [1.0], [0.0, 1.0], [5e-324, 0.5], [0.5, np.nextafter(1.0, 0.0), 1.0]]
)
def test_extreme_probabilities_are_counted_by_key_too(scores):
    bins = ScoreBins()
    found, expected = (
        counted_by_key(np.array(scores), bins),
        BinTable.of(np.array(scores), None, bins),
    )
    for name in COLUMNS:
        assert_array_equal(getattr(found, name), getattr(expected, name))
