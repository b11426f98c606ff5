"""A known total is a normal observation of the expected one: derivatives and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.data._inclusion import Inclusion
from sklearn_spe.engine._components import Positions
from sklearn_spe.engine._curvature import Curvature
from sklearn_spe.engine._prevalence_information import (
    LabeledTailPrior,
    PrevalenceInformation,
    TotalObservation,
    _on_cells,
)
from sklearn_spe.families._family import BetaPrior

N_CURVES, N_CELLS, N_DENSE, N_GROUPS = 3, 7, 4, 2


def drawn_curves(rng):
    """Return log-odds on cells, lapse rates of both ends, and the items of each cell."""
    log_odds = rng.normal(0.0, 1.5, (N_CURVES, N_CELLS))
    bottom, top = rng.uniform(0.0, 0.2, (2, N_CURVES))
    return log_odds, bottom, top, rng.integers(20, 90, N_CELLS).astype(float)


def information_of(total, unlabeled, inclusion=Inclusion()):
    return PrevalenceInformation(BetaPrior(), total, inclusion, (unlabeled,))


@pytest.mark.parametrize("ratio", [1.0, 4.0])
def test_a_known_total_observes_the_log_odds_of_the_expected_share(ratio, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds, bottom, top, unlabeled = drawn_curves(rng)
    inclusion = Inclusion((1.0, 1.0), (ratio, 1.0))
    total, size = 0.3 * unlabeled.sum(), unlabeled.sum()

    def expected(log_odds):
        """Return the share of positives among items without a label, by odds."""
        probability = bottom[:, np.newaxis] + (1.0 - bottom - top)[:, np.newaxis] * special.expit(
            log_odds
        )
        odds = probability / (1.0 - probability) / ratio
        return odds / (1.0 + odds) @ unlabeled / size

    information = information_of((total, total), unlabeled, inclusion)
    slope, gap, _ = information.observation(log_odds, bottom, top, 0)
    assert_allclose(gap, special.logit(0.3) - special.logit(expected(log_odds)), rtol=1e-9)
    step = 1e-5
    for cell in range(N_CELLS):
        move = step * np.eye(N_CELLS)[cell]
        upper, lower = (special.logit(expected(log_odds + sign * move)) for sign in (1.0, -1.0))
        assert_allclose(slope[:, cell], (upper - lower) / (2.0 * step), rtol=1e-4)


def test_the_variance_of_an_expected_total_is_that_of_the_delta_method(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds, bottom, top, unlabeled = drawn_curves(rng)
    probability = bottom[0] + (1.0 - bottom[0] - top[0]) * special.expit(log_odds[0])
    total, size = probability @ unlabeled, unlabeled.sum()
    curve = log_odds[:1], bottom[:1], top[:1]
    _, gap, variance = information_of((total, total), unlabeled).observation(*curve, 0)
    assert_allclose(gap, 0.0, atol=1e-9)
    share = total / size
    of_share = (probability * (1.0 - probability)) @ unlabeled / size**2
    assert_allclose(variance, of_share / (share * (1.0 - share)) ** 2, rtol=1e-9)

    # A range adds the variance of a uniform distribution, here around the same center.
    ends = size * special.expit(special.logit(share) + np.array([-0.2, 0.2]))
    *_, of_range = information_of(tuple(ends), unlabeled).observation(*curve, 0)
    assert_allclose(of_range - variance, stats.uniform(scale=0.4).var(), rtol=1e-9)


def drawn_observation(rng):
    """Return an observation, and the curvature of normal coefficients, groups among them."""
    roots = rng.normal(size=(N_CURVES, N_DENSE + N_GROUPS, 20))
    whole = roots @ roots.transpose(0, 2, 1)
    whole[:, N_DENSE:, N_DENSE:] *= np.eye(N_GROUPS)
    curvature = Curvature(
        whole[:, :N_DENSE, :N_DENSE].copy(),
        whole[:, :N_DENSE, N_DENSE:].copy(),
        np.diagonal(whole[:, N_DENSE:, N_DENSE:], axis1=1, axis2=2).copy(),
    )
    slope = 3.0 * rng.normal(size=(N_CURVES, N_DENSE))
    observation = TotalObservation(
        slope, rng.normal(size=N_CURVES), rng.uniform(0.2, 1.0, N_CURVES)
    )
    return observation, curvature, whole


def test_an_observed_total_is_weighed_and_heard_as_of_normal_variables(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    observation, curvature, whole = drawn_observation(rng)
    evidence = observation.log_evidence(curvature)
    step = observation.added_to(curvature).solve(observation.gradient(N_DENSE + N_GROUPS))
    for k in range(N_CURVES):
        slope = np.r_[observation.slope[k], np.zeros(N_GROUPS)]
        covariance = np.linalg.inv(whole[k])
        variance = slope @ covariance @ slope + observation.variance[k]
        normal = stats.norm(scale=np.sqrt(variance))
        assert evidence[k] == pytest.approx(normal.logpdf(observation.gap[k]))
        # The mean of the coefficients given the observation: Kalman's gain.
        gain = covariance @ slope / variance
        assert_allclose(step[k], gain * observation.gap[k], rtol=1e-8, atol=1e-12)


def test_items_between_cells_keep_their_number_and_their_mean(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    cells = np.sort(rng.normal(size=N_CELLS))
    left = rng.integers(N_CELLS, size=50)
    share = np.where(left == N_CELLS - 1, 0.0, rng.random(50))
    counts = rng.uniform(0.5, 3.0, 50)
    on_cells = _on_cells(Positions(left, share), counts, N_CELLS)
    scores = cells[left] + share * (cells[np.minimum(left + 1, N_CELLS - 1)] - cells[left])
    assert on_cells.sum() == pytest.approx(counts.sum())
    assert on_cells @ cells == pytest.approx(counts @ scores)


def test_labels_of_one_tail_are_a_power_of_the_prevalence_beyond_it():
    prior = LabeledTailPrior(share=0.1, exponent=0.3, rarity=2.0, smallest=1e-4)
    prevalence = np.array([1e-3, 0.05, 0.4, 0.9])
    density = prevalence ** (0.3 - 1.0) * (1.0 + prevalence / 0.1) ** -2.0
    assert_allclose(prior.logpdf(prevalence), np.log(density))
    # Less than one item is none.
    assert_allclose(*(prior.logpdf(np.array([x])) for x in (1e-9, 1e-4)))
    mirrored = LabeledTailPrior(0.1, 0.3, 2.0, 1e-4, of_negatives=True)
    assert_allclose(mirrored.logpdf(1.0 - prevalence), prior.logpdf(prevalence))
    assert not prior.is_flat
    assert LabeledTailPrior(0.1, 1.0, 0.0, 1e-4).is_flat
