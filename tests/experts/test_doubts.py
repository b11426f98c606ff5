"""Experts that doubt, or that believe, propose what others do not, and labels hear them."""

import warnings

import numpy as np
import pytest
from scipy import special, stats

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.experts import (
    NearlyCalibrated,
    RankBinormal,
    RankProcess,
    RisingProcess,
    ShiftedPrevalence,
    TopShelf,
)
from sklearn_spe.sample._cells import ScoreCells
from sklearn_spe.sample._sample import ScoreSample
from sklearn_spe.sample._score_kind import ScoreKind, learn_score_kind

N_CURVES = 1500
# Six standard errors of a share of so many curves.
TOLERANCE = 6.0 * 0.5 / np.sqrt(N_CURVES)


@pytest.fixture(scope="module")
def cells(global_random_seed):
    scores = np.random.default_rng(global_random_seed).standard_normal(1000)
    sample = ScoreSample.from_items(scores, np.full(1000, -1), np.ones(1000))
    return ScoreCells.of(sample, ScoreKind("unknown"))


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng([1, global_random_seed])


def test_half_of_the_curves_of_any_order_fall(cells, rng):
    curves = RankProcess(N_CURVES).curves(cells, rng)
    change = np.diff(curves, axis=1)
    falling, rising = (change < 0.0).all(axis=1).mean(), (change > 0.0).all(axis=1).mean()
    # Two fifths fall and a fifth is nearly flat, either way; few of the others are monotone.
    assert falling == pytest.approx(0.5, abs=TOLERANCE + 0.03)
    assert rising == pytest.approx(0.1, abs=TOLERANCE + 0.03)


def test_levels_of_curves_are_normal(cells, rng):
    curves = RankProcess(N_CURVES).curves(cells, rng)
    middle = curves[:, np.argmin(np.abs(cells.normal_ranks))]
    # The median of a sum of a normal level and whatever is symmetric around zero, but for the bend.
    assert np.median(middle) == pytest.approx(-1.4, abs=0.35)
    calibrated = NearlyCalibrated(N_CURVES).curves(cells, rng)
    at_zero = [np.interp(0.0, cells.log_odds, curve) for curve in calibrated]
    assert stats.kstest(at_zero, stats.norm(0.0, 0.2).cdf).pvalue > 1e-6


def test_curves_of_a_rising_process_rise_on_the_whole(cells, rng):
    curves = RisingProcess(N_CURVES).curves(cells, rng)
    slopes = np.polynomial.polynomial.polyfit(cells.normal_ranks, curves.T, 1)[1]
    assert (slopes > 0.0).mean() > 0.75
    monotone = (np.diff(curves, axis=1) > 0.0).all(axis=1).mean()
    assert monotone < 0.6


def test_a_shelf_is_binormal_below_and_lower_on_top(cells, rng):
    curves, below = TopShelf(512).curves(cells, rng), RankBinormal(512).curves(cells, rng)
    assert (curves <= below + 1e-12).all()
    low, high = cells.rank_ends
    middle = (low + high) / 2.0
    np.testing.assert_array_equal(curves[:, middle < 0.6], below[:, middle < 0.6])
    # No shelf is positive more often than in four of five cases.
    assert curves[:, -1].max() <= np.log(0.801 / 0.199) + 1e-9
    assert (curves[:, -1] < below[:, -1]).mean() > 0.5


@pytest.mark.parametrize(("scores", "says"), [([0.01, 0.5, 0.99], True), ([0.5, 2.0, 9.0], False)])
def test_only_probabilities_and_log_odds_can_be_calibrated(scores, says):
    scores = np.array(scores)
    sample = ScoreSample.from_items(scores, np.full(3, -1), np.ones(3))
    cells = ScoreCells.of(sample, learn_score_kind(sample))
    assert (NearlyCalibrated().prior_weight(cells) > 0.0) == says
    assert (ShiftedPrevalence().prior_weight(cells) > 0.0) == says


def test_a_shift_of_the_prevalence_is_heard(rng):
    log_odds = rng.normal(0.0, 2.0, 1000)
    labels = (rng.random(1000) < special.expit(log_odds - 3.0)).astype(int)
    labels[200:] = -1
    experts = [NearlyCalibrated(256), ShiftedPrevalence(512)]
    mixture = SemisupervisedScoreMixture(
        "norm", "gumbel_r", experts=experts, score_kind="log_odds", n_draws=200, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = mixture.fit(log_odds, labels).posterior_.judged
    # Each of 200 labels has half a nat against the score as it is, and that is 13 deviations off.
    assert judged.weights.posterior[judged.weights.names.index("shifted_prevalence")] > 0.9
    at_zero = np.median(judged.log_odds, axis=0)[
        np.argmin(np.abs(mixture.prior_.banks.cells.scores))
    ]
    # Six times what 200 labels, about thirty of them positive, leave open.
    assert at_zero == pytest.approx(-3.0, abs=6.0 * 0.3)
