"""What every posterior answers, and which of them has no density of scores."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

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


def test_the_other_class_has_the_rest_of_each_probability_at_flipped_scores(ranking):
    other, block = ComplementPosterior.of(ranking), ranking.blocks()[0]
    scores = np.quantile(ranking.scores, np.linspace(0.0, 1.0, 23))
    for name in ("expected_probability", "predicted_probability", "expected_between_cells"):
        assert_allclose(getattr(other, name)(-scores), 1.0 - getattr(ranking, name)(scores))
    probability = ranking.positive_probability(scores, block)
    assert_allclose(other.positive_probability(-scores, block), 1.0 - probability)
    assert other.expected_prevalence == pytest.approx(1.0 - ranking.expected_prevalence)
    quantiles = ranking.probability_quantiles(scores, (0.1, 0.6))
    assert_allclose(other.probability_quantiles(-scores, (0.9, 0.4)), 1.0 - quantiles)
    # What is called positive of one class is not called so of the other.
    thresholds = np.sort(scores)[2:-2] + 1e-3
    prevalence, tpr, fpr, _ = ranking.population_rates(block, thresholds[::-1])
    of_other = other.population_rates(block, -thresholds)
    for found, expected in zip(of_other[:3], (prevalence, fpr[:, ::-1], tpr[:, ::-1]), strict=True):
        assert_allclose(found, 1.0 - expected)


def test_at_all_thresholds_the_other_class_calls_the_items_below_each_and_then_all(ranking):
    block, other = ranking.blocks()[0], ComplementPosterior.of(ranking)
    _, tpr, fpr, _ = ranking.population_rates(block)
    _, *of_other, _ = other.population_rates(block)
    for found, expected in zip(of_other, (fpr, tpr), strict=True):
        assert_allclose(found[:, :-1], 1.0 - expected[:, ::-1], atol=1e-12)
        assert_allclose(found[:, -1], 1.0)


def test_between_cells_expected_probabilities_are_linear(ranking):
    cells = ranking.cells
    expected = special.expit(ranking.cell_log_odds).mean(axis=0)
    assert_allclose(ranking.expected_between_cells(cells.scores), expected)
    assert_allclose(ranking.expected_prevalence, expected @ cells.counts / cells.counts.sum())
    scores = np.linspace(cells.scores[0], cells.scores[-1], 200)
    left, share = cells.place(scores)
    between = np.interp(left + share, np.arange(cells.n_cells), expected)
    assert_allclose(ranking.expected_between_cells(scores), between)
    # In each draw the log-odds are.
    probability = ranking.weighted_draws(scores)
    for of_draw, log_odds in zip(probability, ranking.cell_log_odds, strict=True):
        between = np.interp(left + share, np.arange(cells.n_cells), log_odds)
        assert_allclose(of_draw, special.expit(between))


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
