"""Bets against every value of a metric: a fair game, and so an interval at every look."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.design._betting import AnytimeDistribution
from sklearn_spe.design._label_design import LabelDesign
from sklearn_spe.design._ratio_test import RatioTest, possible_range
from tests.design.designs import TERMS, drawn_design, every_design, metric_of

ABOVE = np.array([True, True, False, False])
LABELS = np.array([1.0, 0.0, 1.0, 0.0])
# Sizes of batches, and what is labelled without being drawn before each of them.
STORIES = {
    "one by one": ((1, 1, 1, 1), ()),
    "in batches": ((2, 2), ()),
    "some labelled in between": ((1, 1, 1), ((), [0, 3])),
}
PRECISION = TERMS["precision"]


def mean_capital(e_process):
    return np.exp(e_process.test.log_e_value).sum(axis=(0, 1))


def pool_of(seed, n_items=200, mean=1.0, spread=1.5, confidence=1.0):
    """Return predictions and labels of items that all are called positive."""
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(mean, spread, n_items)
    labels = (rng.random(n_items) < special.expit(log_odds)).astype(float)
    return rng, special.expit(confidence * log_odds), labels


# --- a fair game ---------------------------------------------------------------------------


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
@pytest.mark.parametrize("skipped", [(), (3,)], ids=["all can tell", "one nobody can tell"])
@pytest.mark.parametrize("name", ["precision", "f1", "odd"])
def test_against_the_truth_the_e_value_is_expected_to_stay(
    name, skipped, story, global_random_seed
):
    batches, outside = story
    labels = LABELS.copy()
    labels[list(skipped)] = np.nan
    truth = metric_of(name, labels, ABOVE)
    # The truth as a value of the grid.
    n_grid = next(n for n in range(2, 30) if abs(truth * n - round(truth * n)) < 1e-12) + 1
    at = round(truth * (n_grid - 1))
    for last in range(1, len(batches) + 1):
        expected = 0.0
        for chance, design in every_design(
            labels, ABOVE, batches[:last], global_random_seed, outside
        ):
            e_process = RatioTest.start(*TERMS[name], n_grid=n_grid).extended(design)
            assert np.isfinite(e_process.test.log_e_value[..., at]).all()
            expected += chance * mean_capital(e_process)[at]
        assert expected == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("name", ["precision", "f1"])
def test_against_other_values_those_who_bet_the_right_way_expect_to_win(name, global_random_seed):
    labels, truth = LABELS, metric_of(name, LABELS, ABOVE)
    expected = 0.0
    for chance, design in every_design(labels, ABOVE, (1, 1), global_random_seed):
        e_process = RatioTest.start(*TERMS[name], n_grid=5).extended(design)
        expected += chance * np.exp(e_process.test.log_e_value)
    larger, smaller = e_process.grid < truth, e_process.grid > truth
    start = np.exp(RatioTest.start(*TERMS[name], n_grid=5).test.log_e_value)
    assert (expected[0][:, larger] > start[0][:, larger]).all()
    assert (expected[1][:, larger] < start[1][:, larger]).all()
    assert (expected[0][:, smaller] < start[0][:, smaller]).all()
    assert (expected[1][:, smaller] > start[1][:, smaller]).all()


def test_e_value_is_never_lost_whatever_the_labels_are(global_random_seed):
    # Labels of which the predictions are as wrong as can be: bets stay below ruin.
    rng, predictions, _ = pool_of(global_random_seed, spread=3.0)
    labels = (predictions < 0.5).astype(float)
    above = rng.random(200) < 0.5
    for name in TERMS:
        e_process = RatioTest.start(*TERMS[name])
        for design in drawn_design(rng, labels, above, predictions, 60):
            e_process = e_process.extended(design)
        assert np.isfinite(e_process.test.log_e_value).all()


# --- intervals -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [1.0, 2.5], ids=["calibrated", "over-confident"])
def test_the_truth_is_ever_ruled_out_no_more_often_than_promised(confidence, global_random_seed):
    # At any look at all: the hardest rule to stop by.
    # Ruled out at random in more than a fifth of the runs, a false alarm is one in 1,000,000.
    n_repeats, n_ruled_out, level = 60, 0, 0.8
    for repeat in range(n_repeats):
        seed = [global_random_seed, repeat]
        rng, predictions, labels = pool_of(seed, 100, confidence=confidence)
        above = np.ones(100, dtype=bool)
        e_process = RatioTest.start(*PRECISION, n_grid=101)
        *_, design = drawn_design(rng, labels, above, predictions, 80, batch_size=1)
        # The truth is one of the hundredths, and so of the grid.
        e_process = e_process.extended(design)
        n_ruled_out += e_process.test.most[round(100 * labels.mean())] >= -np.log(1.0 - level)
    assert n_ruled_out <= stats.binom.ppf(1.0 - 1e-6, n_repeats, 1.0 - level)


@pytest.mark.slow
def test_stopping_as_soon_as_the_interval_is_narrow_keeps_the_promise_and_saves_labels(
    global_random_seed,
):
    # Active labelling stops after 200 labels, give or take 22, and labelling at random after
    # 259, give or take 12: both bounds are five errors of the mean away, and a false alarm of
    # the promise comes once in 1,000,000 runs.
    n_repeats, used, held = 12, {True: [], False: []}, []
    for repeat in range(n_repeats):
        for active in (True, False):
            rng, predictions, labels = pool_of([global_random_seed, repeat], 1000)
            if not active:
                predictions = np.full(1000, 0.5)
            e_process, above = (
                RatioTest.start(*PRECISION, n_grid=201),
                np.ones(1000, dtype=bool),
            )
            for design in drawn_design(rng, labels, above, predictions, 600):
                e_process = e_process.extended(design)
                low, high = e_process.estimate(design, 0.5, "precision").interval(0.9)
                if high - low <= 0.1:
                    break
            used[active].append(design.n_rows)
            if active:
                held.append(low <= labels.mean() <= high)
    assert np.mean(used[True]) < 232.0
    assert np.mean(used[True]) < np.mean(used[False])
    assert np.sum(held) >= stats.binom.ppf(1e-6, n_repeats, 0.9)


def test_batch_by_batch_is_all_at_once(global_random_seed):
    rng, predictions, labels = pool_of(global_random_seed)
    above = predictions > 0.6
    start = RatioTest.start(*TERMS["f1"], n_grid=51)
    bit_by_bit, design = start, LabelDesign.empty(above)
    known = design.extended([3, 5], labels[[3, 5]], above[[3, 5]])
    bit_by_bit = bit_by_bit.extended(known)
    assert_array_equal(bit_by_bit.test.most, start.test.most)
    bit_by_bit = start
    for batch in drawn_design(rng, labels, above, predictions, 50):
        bit_by_bit = bit_by_bit.extended(batch)
    at_once = start.extended(batch)
    assert bit_by_bit.n_rows == at_once.n_rows
    for name in ("log_e_value", "most"):
        assert_array_equal(getattr(bit_by_bit.test, name), getattr(at_once.test, name))
    for name in ("information", "surplus"):
        assert_array_equal(getattr(bit_by_bit.test.rule, name), getattr(at_once.test.rule, name))
    # Nothing new changes nothing.
    assert_array_equal(at_once.extended(batch).test.log_e_value, at_once.test.log_e_value)


def test_intervals_shrink_with_labels_and_grow_with_the_level(global_random_seed):
    rng, predictions, labels = pool_of(global_random_seed)
    above = np.ones(200, dtype=bool)
    e_process, last = RatioTest.start(*PRECISION), (0.0, 1.0)
    for design in drawn_design(rng, labels, above, predictions, 120):
        e_process = e_process.extended(design)
        estimate = e_process.estimate(design, 0.7, "precision")
        assert estimate.kind == "anytime"
        assert estimate.value == 0.7
        ends = [estimate.interval(level) for level in (0.5, 0.8, 0.9, 0.99)]
        lows, highs = np.transpose(ends)
        assert (np.diff(lows) <= 0.0).all()
        assert (np.diff(highs) >= 0.0).all()
        low, high = estimate.interval(0.9)
        assert last[0] <= low <= high <= last[1]
        last = (low, high)
    assert last[1] - last[0] < 0.25
    assert estimate.standard_error < (last[1] - last[0]) / 2.0


@pytest.mark.parametrize("name", TERMS)
def test_with_all_labels_the_interval_is_the_metric(name, global_random_seed):
    labels = LABELS
    truth = metric_of(name, labels, ABOVE)
    for _, design in every_design(labels, ABOVE, (2, 2), global_random_seed):
        e_process = RatioTest.start(*TERMS[name]).extended(design)
        low, high = e_process.estimate(design, truth, name).interval(0.99)
        assert low == high == pytest.approx(truth, abs=1e-12)


def test_before_any_label_everything_is_possible():
    design = LabelDesign.empty(ABOVE)
    estimate = RatioTest.start(*PRECISION).extended(design).estimate(design, np.nan, "p")
    assert estimate.interval(0.9) == (0.0, 1.0)
    # Nothing lies above the threshold: there is no precision.
    design = LabelDesign.empty(np.zeros(3, dtype=bool))
    estimate = RatioTest.start(*PRECISION).estimate(design, np.nan, "p")
    assert estimate.interval(0.9) == (0.0, 1.0)


# --- what is possible ----------------------------------------------------------------------


@pytest.mark.parametrize("n_known", [2, 4])
@pytest.mark.parametrize("name", TERMS)
def test_the_possible_range_is_that_over_all_missing_labels(name, n_known, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels, above = rng.choice([0.0, 1.0, np.nan], 8), rng.random(8) < 0.5
    known = rng.permutation(8)[:n_known]
    design = LabelDesign.empty(above).extended(known, labels[known], above[known])
    free = np.setdiff1d(np.arange(8), known)
    values = []
    for number in range(3 ** len(free)):
        digits = number // 3 ** np.arange(len(free)) % 3
        labels[free] = np.array([0.0, 1.0, np.nan])[digits]
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append(np.divide(*(np.float64(total) for total in totals(name, labels, above))))
    smallest, largest = possible_range(design, *TERMS[name])
    assert_allclose([smallest, largest], [np.nanmin(values), np.nanmax(values)], atol=1e-12)


def totals(name, labels, above):
    told = ~np.isnan(labels)
    z, a = labels[told].astype(int), above[told].astype(int)
    return [terms[z, a].sum() for terms in TERMS[name]]


def test_ends_lie_where_the_e_value_crosses_the_wall():
    grid = np.linspace(0.0, 1.0, 11)
    distribution = AnytimeDistribution(grid, 20.0 * np.abs(grid - 0.5), 0.0, 1.0, 0.5)
    for level in (0.5, 0.9, 0.99):
        reach = -np.log(1.0 - level) / 20.0
        low, high = distribution.quantile([(1.0 - level) / 2.0, (1.0 + level) / 2.0])[:, 0]
        assert (low, high) == pytest.approx((0.5 - reach, 0.5 + reach))
    # All ruled out: the least unlikely value is left.
    distribution = AnytimeDistribution(grid, 50.0 + grid, 0.0, 1.0, 0.5)
    assert distribution.quantile([0.05, 0.95])[:, 0].tolist() == [0.0, 0.0]
    assert distribution.median().tolist() == distribution.mean().tolist() == [0.5]
