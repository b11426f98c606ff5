"""Categories with few labels or none: label shift by enumeration, by Rogan and Gladen, by Bayes."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.models._few_labels import (
    GRID,
    _drawn_from_grid,
    _log_density_of_prevalence,
    log_fit_of_shift,
)
from sklearn_spe.models._row_posterior import PrevalenceShift
from sklearn_spe.models._score_axes import share_of_ties
from tests.quick import QUIET

pytestmark = QUIET
N_REFERENCE, N_NEW = 4000, 2000
SENSITIVITY, SPECIFICITY = 0.9, 0.8


def flags(prevalence, n):
    """Return flags and classes of items in their expected numbers."""
    n_positive = round(prevalence * n)
    n_found, n_false = round(SENSITIVITY * n_positive), round((1 - SPECIFICITY) * (n - n_positive))
    y = np.r_[np.ones(n_positive), np.zeros(n - n_positive)].astype(int)
    flag = np.zeros(n)
    flag[:n_found] = flag[n_positive : n_positive + n_false] = 1.0
    return flag, y


def fitted(prevalence, n_labeled=0, seed=0, ordered=False):
    """Return a fit to a wholly labeled reference and a new part with another prevalence."""
    (old, labels), (new, truth) = flags(0.3, N_REFERENCE), flags(prevalence, N_NEW)
    y = np.r_[labels, np.full(N_NEW, -1)]
    rng = np.random.default_rng(seed)
    chosen = rng.choice(N_NEW, n_labeled, replace=False)
    y[N_REFERENCE + chosen] = truth[chosen]
    part = np.repeat(["new", "old"], [N_NEW, N_REFERENCE])[::-1]
    if ordered:
        pd = pytest.importorskip("pandas")
        part = pd.Categorical(part, ["old", "new"], ordered=True)
    performance = PerformanceCurveEstimator(n_draws=400, random_state=seed)
    return performance.fit(np.r_[old, new], y, category=part)


def test_shifts_multiply_odds(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    p, column = rng.random((4, 5)), np.array([-1, 0, 1, -1, 0])
    shift = PrevalenceShift(column, rng.normal(size=(9, 2)))
    items, rows = np.array([4, 0, 2]), slice(3, 7)
    moved = p[:, items]
    shift.apply(moved, rows, items)
    added = np.column_stack([shift.log_odds[3:7, 0], np.zeros(4), shift.log_odds[3:7, 1]])
    assert_allclose(special.logit(moved), special.logit(p[:, items]) + added, atol=1e-12)
    others = p[:, [0, 3]]
    shift.apply(others, rows, np.array([0, 3]))
    assert_array_equal(others, p[:, [0, 3]])


def test_the_density_of_a_prevalence_is_that_of_labels_where_scores_show_classes():
    # Scores of overwhelming likelihood ratios are labels: the density is a beta distribution.
    n_positive, n_negative = 3, 9
    log_ratio = np.array([[29.0] * n_positive + [-29.0] * n_negative])
    density = _log_density_of_prevalence(log_ratio, np.ones(n_positive + n_negative))[:, 0]
    p = special.expit(GRID)
    expected = stats.beta(n_positive + 0.5, n_negative + 0.5).logpdf(p) + np.log(p * (1.0 - p))
    inside = expected > expected.max() - 20.0
    assert_allclose(np.diff((density - expected)[inside]), 0.0, atol=1e-6)


def test_draws_from_the_grid_have_its_distribution(global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 20_000
    log_density = stats.norm(1.0, 0.7).logpdf(GRID)[:, np.newaxis] - 40.0
    drawn = _drawn_from_grid(np.broadcast_to(log_density, (len(GRID), n)), rng)
    # The distance of Kolmogorov and Smirnov exceeds this once in a hundred million, and the
    # distribution within a cell is uniform rather than normal.
    distance = stats.kstest(drawn, stats.norm(1.0, 0.7).cdf).statistic
    assert distance < 3.1 / np.sqrt(n) + 0.005


def test_the_density_of_a_prevalence_is_that_of_a_mixture(global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 40
    # More items of equal counts than are multiplied at once, and extreme ratios.
    counts = np.r_[np.ones(35), rng.uniform(0.1, 5.0, n - 35)]
    log_ratio = np.c_[rng.normal(0.0, 3.0, (2, n - 20)), np.full((2, 20), 29.0)]
    order = rng.permutation(n)
    log_density = _log_density_of_prevalence(log_ratio[:, order], counts[order])
    pi = special.expit(GRID)[:, np.newaxis, np.newaxis]
    items = counts * np.logaddexp(np.log1p(-pi), np.log(pi) + log_ratio)
    prior = stats.beta(0.5, 0.5).logpdf(pi[:, :, 0]) + np.log(pi * (1.0 - pi))[:, :, 0]
    constant = log_density - items.sum(axis=-1) - prior
    assert_allclose(constant, constant[0, 0], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("prevalence", [0.05, 0.8])
def test_half_of_the_draws_are_those_of_rogan_and_gladen(prevalence, ordered, global_random_seed):
    performance = fitted(prevalence, seed=global_random_seed, ordered=ordered)
    draws = performance.of(category="new").estimate("prevalence").draws
    is_shifted = performance.model_.posterior.shift.log_odds[:, 0] != 0.0
    assert is_shifted.mean() == 0.5
    # The share of flags, less false alarms, over sensitivity less false alarms; the flags count for
    # 300 items, and the lapse rates of the curves leave some error.
    middle, spread = np.median(draws[is_shifted]), draws[is_shifted].std()
    error = np.sqrt(0.25 / 300) / (SENSITIVITY + SPECIFICITY - 1.0)
    assert abs(middle - prevalence) < 0.05
    assert 0.3 * error < spread < 2.0 * error
    # The others take the curve as it is, with random effects around it.
    q = SENSITIVITY * prevalence + (1.0 - SPECIFICITY) * (1.0 - prevalence)
    of_flag = SENSITIVITY * 0.3 / (SENSITIVITY * 0.3 + (1.0 - SPECIFICITY) * 0.7)
    of_none = (1.0 - SENSITIVITY) * 0.3 / ((1.0 - SENSITIVITY) * 0.3 + SPECIFICITY * 0.7)
    same_curve = q * of_flag + (1.0 - q) * of_none
    low, high = np.quantile(draws[~is_shifted], [0.2, 0.8])
    assert low < same_curve < high


def test_a_few_labels_favor_label_shift_where_it_is_true(global_random_seed):
    few = fitted(0.9, 15, seed=global_random_seed).model_.posterior.shift
    # Of 15 labels 13 or 14 are positive, and the curve of the others expects nine or ten.
    assert (few.log_odds[:, 0] != 0.0).mean() > 0.5


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.9])
def test_scores_that_are_a_mixture_fit_label_shift(prevalence):
    # Expected counts of five grades in each class: of the reference, and of a category.
    of_class = np.array([[0.4, 0.3, 0.15, 0.1, 0.05], [0.05, 0.1, 0.15, 0.3, 0.4]])
    joint = np.array([[0.7], [0.3]]) * of_class
    log_odds = np.log(joint[1] / joint[0])
    reference = 10_000.0 * joint.sum(axis=0)
    mixed = 5000.0 * (prevalence * of_class[1] + (1.0 - prevalence) * of_class[0])
    assert log_fit_of_shift(log_odds, reference, log_odds, mixed) == 0.0
    # Grades in the middle only are no mixture: of 300 items nearly all would have other ones.
    middle = np.array([1.0, 1.0, 5000.0, 1.0, 1.0])
    assert log_fit_of_shift(log_odds, reference, log_odds, middle) < -100.0
    # Two values are a mixture, up to the grid, if their share lies between those of the classes.
    pair, n = log_odds[[0, 4]], np.array([7000.0, 3000.0])
    fit = log_fit_of_shift(pair, n, pair, np.array([600.0, 400.0]))
    assert fit == pytest.approx(0.0, abs=0.2)


def test_what_has_labels_enough_or_no_others_is_left_alone(global_random_seed):
    assert fitted(0.5, 20, seed=global_random_seed).model_.posterior.shift is None
    flag, y = flags(0.3, 200)
    unlabeled = np.full(200, -1)
    part = np.arange(200) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for labels in (unlabeled, y):
            performance = PerformanceCurveEstimator(n_draws=60, classes=[0, 1], random_state=0)
            assert performance.fit(flag, labels, category=part).model_.posterior.shift is None


def test_the_share_of_ties_is_that_of_pairs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values, codes = rng.integers(4, size=30).astype(float), rng.integers(3, size=30)
    counts = rng.integers(1, 4, size=30)
    v, c = np.repeat(values, counts), np.repeat(codes, counts)
    pairs = (c[:, np.newaxis] == c) & ~np.eye(len(c), dtype=bool)
    expected = (v[:, np.newaxis] == v)[pairs].mean()
    partition = Partition(np.arange(3), codes, "category")
    assert share_of_ties(values, partition, counts.astype(float)) == pytest.approx(expected)


@pytest.mark.parametrize(("n_values", "has_ranks"), [(2, False), (5, False), (600, True)])
def test_tied_scores_have_no_axis_of_ranks(n_values, has_ranks, global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 600
    scores = rng.permutation(np.arange(n) % n_values).astype(float)
    y = np.where(np.arange(n) < 40, rng.integers(2, size=n), -1)
    performance = PerformanceCurveEstimator(n_draws=60, random_state=0)
    performance.fit(scores, y, category=np.arange(n) % 3)
    names = performance.model_.posterior.updated.weights.names
    assert any("rank in the category" in name for name in names) == has_ranks


@pytest.mark.slow
@pytest.mark.parametrize("n_labeled", [0, 3, 10])
@pytest.mark.parametrize("move", [(0.25, 0.03), (0.6, 0.9)])
def test_intervals_cover_a_prevalence_that_moves(move, n_labeled, global_random_seed):
    n_fits, held = 40, 0
    for fit in range(n_fits):
        rng = np.random.default_rng([global_random_seed, fit])
        part = np.repeat(["old", "new"], [400, 500])
        y = (rng.random(900) < np.where(part == "old", *move)).astype(int)
        flag = (rng.random(900) < np.where(y == 1, 0.95, 0.15)).astype(float)
        labels = np.full(900, -1)
        chosen = np.r_[rng.choice(400, 100, False), 400 + rng.choice(500, n_labeled, False)]
        labels[chosen] = y[chosen]
        performance = PerformanceCurveEstimator(n_draws=400, random_state=fit)
        estimate = (
            performance.fit(flag, labels, category=part).of(category="new").estimate("prevalence")
        )
        low, high = estimate.interval()
        held += low <= y[400:].mean() <= high
        assert n_labeled or estimate.verdict == "unidentified"
    # Of intervals that cover in 85% fewer do once in a hundred.
    assert held >= stats.binom.ppf(0.01, n_fits, 0.85)
