"""Several mixtures evaluated together: each has the density, slope and modes that it has alone."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.families._registry import as_families
from sklearn_spe.inference._modes import find_modes
from sklearn_spe.mixtures._fit import (
    SKETCH_STEPS,
    SKETCH_TOLERANCE,
    mixture_for,
    sketch_modes,
    starts,
)
from sklearn_spe.mixtures._several_mixtures import SeveralMixtures

FAMILIES = {
    "half line": (["truncnorm", "gamma"], ["truncnorm", "gamma", "lognorm"]),
    "real line": (["norm", "gumbel_l"], ["gumbel_r", "norm"]),
    "shapes": (["norm"], ["skewnorm", "loggamma"]),
}


@pytest.fixture(params=["single", "tied"])
def scores(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.gamma(4.0, size=400) + 4.0 * (rng.random(400) < 0.3)
    # Heavy ties are spread over an interval: several points a cell.
    return np.round(scores) if request.param == "tied" else scores


def problem(scores, negatives, positives, n_labeled=0):
    """Return the pairs of families, and the sample on the model scale."""
    codes = np.where(np.arange(len(scores)) < n_labeled, scores > np.median(scores), -1)
    sample = ScoreSample.from_items(scores, codes.astype(int), np.ones(len(scores)))
    scale = learn_scale(sample, "auto")
    pairs = product(as_families(negatives), as_families(positives))
    mixtures = [mixture_for(*pair, scale, BetaPrior(2.0, 3.0)) for pair in pairs]
    return mixtures, scale.apply(sample)


@pytest.mark.parametrize("n_labeled", [0, 30])
@pytest.mark.parametrize("families", FAMILIES.values(), ids=FAMILIES)
def test_densities_and_gradients_are_those_of_each_mixture(
    scores, families, n_labeled, global_random_seed
):
    mixtures, sample = problem(scores, *families, n_labeled)
    rng = np.random.default_rng(global_random_seed)
    points = np.concatenate([starts(mixture, sample) for mixture in mixtures])
    which = np.repeat(np.arange(len(mixtures)), len(points) // len(mixtures))
    order = rng.permutation(len(which))
    points, which = points[order] + rng.normal(0.0, 0.3, points.shape), which[order]

    together = SeveralMixtures(mixtures, sample)
    log_densities, gradients = (
        together.log_densities(points, which),
        together.gradients(points, which),
    )
    for k, mixture in enumerate(mixtures):
        value, gradient = mixture.value_and_gradient(points[which == k], sample)
        assert_allclose(log_densities[which == k], value, rtol=1e-12)
        assert_allclose(gradients[which == k], gradient, rtol=1e-10, atol=1e-9)


def test_a_point_without_density_is_minus_infinity(scores):
    mixtures, sample = problem(scores, ["uniform", "norm"], ["uniform"])
    points = np.array([starts(mixture, sample)[0] for mixture in mixtures])
    # Two narrow intervals do not hold all scores; a normal gives each some density.
    points[:, [2, 4]] = -20.0
    log_densities = SeveralMixtures(mixtures, sample).log_densities(points, np.arange(2))
    assert np.isneginf(log_densities[0])
    assert np.isfinite(log_densities[1])


def test_modes_together_are_the_modes_of_each(scores):
    # Families of two and of three parameters, in any order.
    mixtures, sample = problem(scores, ["norm", "skewnorm"], ["norm", "skewnorm", "gumbel_r"])
    sample = sample.grouped(200)
    for mixture, modes in zip(mixtures, sketch_modes(mixtures, sample), strict=True):
        alone = find_modes(
            partial(mixture.value_and_gradient, sample=sample),
            starts(mixture, sample),
            tolerance=SKETCH_TOLERANCE,
            max_steps=SKETCH_STEPS,
        )
        assert_allclose(modes.points, alone.points, rtol=1e-6, atol=1e-6)
        assert_allclose(modes.log_densities, alone.log_densities, rtol=1e-9)
