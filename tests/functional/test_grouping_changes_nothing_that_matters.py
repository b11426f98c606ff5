"""The likelihood of a large sample may be computed on cells of neighbouring scores."""

from functools import partial

import numpy as np
import pytest

from sklearn_spe.inference._modes import find_modes
from sklearn_spe.mixtures._fit import starts
from tests.functional.problems import labeled_sample, mixture_of

FINEST_CELLS = 4096


@pytest.mark.slow
@pytest.mark.parametrize("pair", [("norm", "norm"), ("gamma", "truncnorm")], ids="-".join)
def test_mode_and_height_move_by_a_hundredth_of_the_posterior_width(pair, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = (rng.random(30_000) < 0.1).astype(int)
    scores = rng.normal(3.0 + 2.0 * labels, 0.7)
    allowed = scores > 0.0
    sample = labeled_sample(scores[allowed], labels[allowed], 20, rng)
    grouped = sample.grouped(FINEST_CELLS)
    assert grouped.n_cells < 2 * FINEST_CELLS < sample.n_cells
    mixture = mixture_of(*pair)
    first = starts(mixture, grouped)
    near, exact = (
        find_modes(partial(mixture.value_and_gradient, sample=s), first) for s in (grouped, sample)
    )
    width = np.sqrt(np.diag(exact.covariances[0]))
    assert np.abs((near.points[0] - exact.points[0]) / width).max() < 0.01
    assert abs(near.log_densities[0] - exact.log_densities[0]) < 0.1
