"""Experts of scores that are wrong, and of scores that are right as they are."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.data._cells import ScoreCells, ScoreKind, learn_score_kind
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.experts import NearlyCalibrated, RankProcess

N_CURVES = 1500


@pytest.fixture(scope="module")
def cells(global_random_seed):
    scores = np.random.default_rng(global_random_seed).standard_normal(1000)
    sample = ScoreSample.from_items(scores, np.full(1000, -1), np.ones(1000))
    return ScoreCells.of(sample, ScoreKind("unknown"))


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng([1, global_random_seed])


def test_curves_of_any_order_are_of_three_kinds(cells, rng):
    expert = RankProcess(N_CURVES)
    curves, shares = expert.curves(cells, rng), expert.shares()
    change = np.diff(curves, axis=1)
    falling, rising = (change < 0.0).all(axis=1), (change > 0.0).all(axis=1)
    third = N_CURVES // 3
    anything, decreasing, flat = (slice(k * third, (k + 1) * third) for k in range(3))
    assert falling[decreasing].all()
    # Either way, as a coin falls: six standard errors.
    assert (falling | rising)[flat].all()
    assert rising[flat].mean() == pytest.approx(0.5, abs=6.0 * 0.5 / np.sqrt(third))
    assert (falling | rising)[anything].mean() < 0.2
    total = [shares[kind].sum() / shares.sum() for kind in (anything, decreasing, flat)]
    np.testing.assert_allclose(total, np.array([12.0, 7.0, 5.0]) / 24.0)


def test_levels_of_curves_are_normal(cells, rng):
    curves = RankProcess(N_CURVES).curves(cells, rng)
    flat = curves[2 * N_CURVES // 3 :, np.argmin(np.abs(cells.normal_ranks))]
    assert stats.kstest(flat, stats.norm(0.0, 2.0).cdf).pvalue > 1e-6
    calibrated = NearlyCalibrated(N_CURVES).curves(cells, rng)
    at_zero = [np.interp(0.0, cells.log_odds, curve) for curve in calibrated]
    assert stats.kstest(at_zero, stats.norm(0.0, 0.2).cdf).pvalue > 1e-6


@pytest.mark.parametrize(("scores", "says"), [([0.01, 0.5, 0.99], True), ([0.5, 2.0, 9.0], False)])
def test_only_probabilities_and_log_odds_can_be_calibrated(scores, says):
    scores = np.array(scores)
    sample = ScoreSample.from_items(scores, np.full(3, -1), np.ones(3))
    cells = ScoreCells.of(sample, learn_score_kind(sample))
    assert (NearlyCalibrated().prior_weight(cells) > 0.0) == says
