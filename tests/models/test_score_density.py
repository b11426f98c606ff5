"""The distribution of scores alone: drawn only where its gate may open, or if it is asked for."""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.experts import SharpMixture
from sklearn_spe.experts._score_experts import FAILS
from sklearn_spe.models._fit_settings import FitSettings
from sklearn_spe.models._score_density import ScoreDensity


def density_of(scores, seed):
    sample = ScoreSample.from_items(scores, np.full(len(scores), -1), np.ones(len(scores)))
    return ScoreDensity.of(FitSettings.of(SemisupervisedScoreMixture()), sample, seed), sample


def three_modes(seed):
    """Return scores of which no mixture of two unimodal families is the distribution."""
    rng = np.random.default_rng(seed)
    return rng.choice([-6.0, 0.0, 6.0], 2000) + rng.normal(0.0, 0.5, 2000)


def test_families_far_from_the_scores_leave_the_expert_out(global_random_seed):
    density, sample = density_of(three_modes(global_random_seed), global_random_seed)
    (expert,) = density.informed([SharpMixture()], sample)
    assert expert.posterior is None
    assert (expert.distances > FAILS).all()
    assert (density.comparison(sample).ks * np.sqrt(2000) > FAILS).all()


def test_what_an_expert_needs_does_not_change_the_comparison(global_random_seed):
    scores = three_modes(global_random_seed)
    first, sample = density_of(scores, global_random_seed)
    second, _ = density_of(scores, global_random_seed)
    first.informed([SharpMixture()], sample)
    for name, column in vars(second.comparison(sample)).items():
        assert_array_equal(vars(first.comparison(sample))[name], column, err_msg=name)


def test_families_that_fit_inform_the_expert_of_all_pairs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(3.0 * (rng.random(2000) < 0.3), 1.0)
    density, sample = density_of(scores, global_random_seed)
    (expert,) = density.informed([SharpMixture()], sample)
    assert len(expert.posterior.mixtures) == len(expert.distances) == len(density.mixtures)
    assert_array_equal(expert.distances, density.comparison(sample).tail)
