"""Operating points of completed labels are those of the completed list."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.posterior._operating_points import _interpolated


@pytest.mark.parametrize("divides", [False, True])
def test_positives_between_cells_are_interpolated(divides, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_items = np.cumsum(rng.integers(1, 9, 6)).astype(float)
    positives = np.cumsum(rng.integers(0, 5, (3, 6)), axis=1).astype(float)
    levels = np.r_[0.0, n_items, n_items[:2]]
    if divides:
        levels = np.r_[levels, rng.uniform(0.0, n_items[-1], 20)]
    found = _interpolated(positives, n_items, levels)
    expected = [np.interp(levels, np.r_[0.0, n_items], np.r_[0.0, row]) for row in positives]
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
