"""Probabilities of many rows in groups: what rows share is computed once, and says the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.engine._components import expit_in_place
from sklearn_spe.inputs._groups import GROUPS
from sklearn_spe.models._row_posterior import MIN_ROWS_OF_KINDS

# Log-odds of a few hundred sums differ by some 1e-13, whatever their order.
ATOL = 1e-11
N_LABELED = 80


@pytest.fixture(scope="module", params=["verdicts", pytest.param("scores", marks=pytest.mark.slow)])
def posterior(request):
    """Return the posterior of answers to prompts: three systems, two judges."""
    rng = np.random.default_rng(0)
    n_prompts = MIN_ROWS_OF_KINDS // 2
    prompt = np.repeat(np.arange(n_prompts), 3)
    system = np.tile(["a", "b", "c"], n_prompts)
    right = rng.random(len(prompt)) < special.expit(rng.normal(size=n_prompts))[prompt]
    judges = (rng.random((len(prompt), 2)) < np.where(right, 0.8, 0.3)[:, np.newaxis]).astype(float)
    if request.param == "scores":
        judges += 0.3 * rng.normal(size=judges.shape)
    y = np.where(prompt < N_LABELED, right, -1)
    estimator = PerformanceCurveEstimator(classes=[0, 1], n_draws=128, random_state=0)
    estimator.fit(None, y, judges=judges, category=system, groups=prompt)
    return estimator.model_.row_posterior


def test_rows_have_the_probability_that_each_has_by_itself(posterior):
    # So few rows are computed one by one; some are labeled, and in other categories.
    rows = np.r_[0:9, 1000:1009]
    for block in posterior.blocks():
        of_all = posterior.probability(block)
        assert_allclose(of_all[:, rows], posterior.probability(block, rows), atol=ATOL)
        in_new_groups = posterior.probability_anywhere(block, GROUPS)
        few = posterior.probability_anywhere(block, GROUPS, rows)
        assert_allclose(in_new_groups[:, rows], few, atol=ATOL)


def test_many_rows_have_the_probability_that_all_have(posterior):
    rows = np.arange(posterior.n_items)[::-1][: MIN_ROWS_OF_KINDS + 1]
    block = posterior.blocks()[1]
    of_all = posterior.probability(block)
    assert_allclose(posterior.probability(block, rows), of_all[:, rows], atol=ATOL)


def test_the_mean_is_that_of_all_draws(posterior):
    probability = np.concatenate([posterior.probability(block) for block in posterior.blocks()])
    assert_allclose(posterior.mean, probability.mean(axis=0), atol=ATOL)


def test_parts_of_a_block_are_all_of_its_draws(posterior):
    for block in posterior.blocks():
        parts = list(block.parts(posterior.n_items * 40))
        assert len(parts) > 1
        rows = np.concatenate([np.arange(posterior.n_draws)[part.rows] for part in parts])
        assert rows.tolist() == np.arange(posterior.n_draws)[block.rows].tolist()
        joined = np.concatenate([posterior.probability(part) for part in parts])
        assert_allclose(joined, posterior.probability(block), atol=ATOL)


def test_probabilities_of_log_odds_are_those_of_scipy(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds = np.r_[rng.normal(0.0, 30.0, 1000), -np.inf, -800.0, 0.0, 40.0, 800.0, np.inf]
    exact = special.expit(log_odds)
    with np.errstate(all="raise"):
        found = expit_in_place(log_odds)
    # A few roundings; denormal numbers become zero.
    assert_allclose(found, exact, rtol=1e-13, atol=1e-300)
