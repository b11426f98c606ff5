"""Probabilities of new scores are interpolated: close to the draws, and each by itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.posterior._posterior import ComplementPosterior

from ..quick import EXPERTS

LEVELS = [0.05, 0.5, 0.95]


@pytest.fixture(scope="module", params=["margins", "probabilities", "one score"])
def posterior_and_scores(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(400) < 0.3).astype(int)
    scores = rng.normal(2.0 * truth, 1.0)
    new = np.r_[rng.normal(1.0, 3.0, size=300), scores[:50]]
    if request.param == "probabilities":
        scores, new = (1.0 / (1.0 + np.exp(-s)) for s in (scores, new))
    if request.param == "one score":
        scores, new = np.ones(400), np.ones(3)
    y = np.where(np.arange(400) < 40, truth, -1)
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, random_state=global_random_seed)
    return mixture.fit(scores, y).posterior_, new


def test_means_are_those_of_the_draws(posterior_and_scores):
    posterior, scores = posterior_and_scores
    expected = posterior.probability_draws(scores).mean(axis=0)
    assert_allclose(posterior.predicted_probability(scores), expected, atol=1e-4)


def test_quantiles_are_those_of_the_draws(posterior_and_scores):
    posterior, scores = posterior_and_scores
    expected = np.quantile(posterior.probability_draws(scores), LEVELS, axis=0, method="hazen")
    # A quantile bends where two draws cross between two points.
    assert_allclose(posterior.probability_quantiles(scores, LEVELS), expected, atol=1.5e-2)


def test_a_probability_does_not_depend_on_other_scores(posterior_and_scores):
    posterior, scores = posterior_and_scores
    alone = [posterior.predicted_probability(scores[i : i + 1])[0] for i in range(3)]
    assert_array_equal(alone, posterior.predicted_probability(scores)[:3])


def test_the_other_class_has_the_rest(posterior_and_scores):
    posterior, scores = posterior_and_scores
    other = ComplementPosterior.of(posterior, total=0.0)
    assert_allclose(
        other.predicted_probability(-scores), 1.0 - posterior.predicted_probability(scores)
    )
    assert_allclose(
        other.probability_quantiles(-scores, LEVELS)[::-1],
        1.0 - posterior.probability_quantiles(scores, LEVELS),
        atol=1e-12,
    )
