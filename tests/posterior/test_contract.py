"""What every posterior answers, and which of them has no density of scores."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.models._rankings import NO_DENSITY
from sklearn_spe.posterior._posterior import ComplementPosterior, Posterior

from ..quick import EXPERTS, QUIET

pytestmark = QUIET

PROPERTIES = ("ess", "n_draws", "pareto_k", "prevalence_draws", "weights")
METHODS = ("blocks", "log_predictive", "log_score_density", "population_rates", "rvs")


@pytest.fixture(scope="module")
def ranking(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth, category = np.arange(60) % 2, np.arange(60) // 30
    y = np.where(np.arange(60) % 30 < 12, truth, -1)
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=50)
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    performance.fit(rng.normal(2.0 * truth), y, category=category)
    return performance.model_.ranking()


@pytest.mark.parametrize("name", PROPERTIES + METHODS)
def test_a_posterior_that_lacks_an_answer_cannot_be_made(ranking, name):
    incomplete = type("Incomplete", (ComplementPosterior,), {name: vars(Posterior)[name]})
    with pytest.raises(TypeError, match=rf"abstract method '?{name}\b"):
        incomplete.of(ranking)


def test_the_other_class_has_the_same_draws(ranking):
    other = ComplementPosterior.of(ranking)
    assert (other.n_draws, other.ess, other.pareto_k) == (50, ranking.ess, ranking.pareto_k)
    assert_array_equal(other.weights, ranking.weights)
    assert_array_equal(other.prevalence_draws, 1.0 - ranking.prevalence_draws)


@pytest.mark.parametrize("view", [lambda posterior: posterior, ComplementPosterior.of])
def test_scores_of_a_ranking_have_no_density(ranking, view):
    posterior, rng = view(ranking), np.random.default_rng(0)
    calls = (
        lambda: posterior.log_predictive(ranking.scores),
        lambda: posterior.log_score_density(ranking.scores, ranking.blocks()[0]),
        lambda: posterior.rvs(rng, 5),
    )
    for call in calls:
        with pytest.raises(ValueError, match=re.escape(NO_DENSITY)):
            call()
