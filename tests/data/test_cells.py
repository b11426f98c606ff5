"""Cells: a few hundred places among the scores, whatever is labelled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.data._cells import ScoreCells, learn_score_kind
from tests.experts.problems import SETS, cells_of, sample_of, score_sets


@pytest.fixture(params=SETS)
def scores(request, global_random_seed):
    return score_sets(global_random_seed)[request.param]


def test_cells_do_not_depend_on_labels(scores, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(-1, 2, len(scores))
    labeled = sample_of(scores, codes)
    cells = ScoreCells.of(labeled, learn_score_kind(labeled))
    for name, value in vars(cells_of(scores)).items():
        assert_array_equal(getattr(cells, name), value)


def test_every_item_is_in_one_cell(scores):
    cells = cells_of(scores)
    # A cell holds the items from its lowest score up to the next cell's.
    ends = np.r_[np.searchsorted(np.sort(scores), cells.lower), len(scores)]
    assert_array_equal(cells.counts, np.diff(ends))
    assert cells.counts.min() >= 1.0
    assert_allclose(cells.shares.sum(), 1.0)
    means = [np.mean(part) for part in np.split(np.sort(scores), ends[1:-1])]
    assert_allclose(cells.scores, means, rtol=1e-12)
    assert (np.diff(cells.scores) > 0.0).all()


@pytest.mark.parametrize("n", [10, 100, 1000, 10_000, 300_000])
@pytest.mark.parametrize("tied", [False, True])
def test_the_number_of_cells_does_not_grow_with_the_sample(n, tied, global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=n)
    scores = np.round(scores, 2) if tied else scores
    cells = cells_of(scores)
    assert cells.n_cells <= min(n, 500)
    assert cells.n_cells >= min(len(np.unique(scores)), 100)


def test_heavy_ties_are_alone(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ties = [-1.3, 0.2, 0.25, 5.0]
    scores = np.r_[rng.normal(size=20_000), np.repeat(ties, 800)]
    cells = cells_of(scores)
    at = np.searchsorted(cells.scores, ties)
    assert_array_equal(cells.scores[at], ties)
    assert cells.single[at].all()
    assert_array_equal(cells.counts[at], 800.0)


def test_both_ends_are_finest(global_random_seed):
    cells = cells_of(np.random.default_rng(global_random_seed).normal(size=100_000))
    assert_array_equal(cells.counts[:5], 1.0)
    assert_array_equal(cells.counts[-5:], 1.0)
    # No cell in between holds much more than a percent.
    assert cells.shares.max() < 0.02


def test_weights_are_repeated_items(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=500)
    times = np.random.default_rng([global_random_seed, 1]).integers(1, 5, 500)
    weighted, repeated = cells_of(scores, weights=times), cells_of(np.repeat(scores, times))
    for name, value in vars(repeated).items():
        assert_array_equal(getattr(weighted, name), value)


def test_ranks_are_shares_of_items_below(scores):
    cells = cells_of(scores)
    low, high = cells.rank_ends
    below = [np.mean(scores < lower) for lower in cells.lower]
    assert_allclose(low, below, atol=1e-12)
    assert_allclose(high, [*below[1:], 1.0], atol=1e-12)
    assert_allclose(cells.normal_ranks, stats.norm.ppf((low + high) / 2.0), atol=1e-9)


def test_a_cell_is_at_its_own_place(scores):
    cells = cells_of(scores)
    left, share = cells.place(cells.scores)
    assert_allclose(left + share, np.arange(cells.n_cells), atol=1e-9)
    assert left.max() < max(cells.n_cells - 1, 1)


def test_places_rise_with_the_score_and_end_at_the_ends(scores):
    cells = cells_of(scores)
    low, high = scores.min(), scores.max()
    span = np.linspace(0.0, 1.0, 500)
    left, share = cells.place(np.r_[low - 1.0, low + (high - low) * span, high + 1.0])
    place = left + share
    assert (np.diff(place) >= -1e-9).all()
    assert_allclose(place[[0, -1]], [0.0, cells.n_cells - 1], atol=1e-9)
    assert ((share >= 0.0) & (share <= 1.0)).all()


def test_between_cells_a_place_is_linear_in_log_odds():
    scores = np.linspace(0.1, 0.9, 9)
    cells = cells_of(scores, "probability")
    between = special.expit(0.3 * special.logit(0.4) + 0.7 * special.logit(0.5))
    left, share = cells.place([between])
    assert_array_equal(left, [3])
    assert_allclose(share, [0.7])
    # Hence a calibrated curve is interpolated without an error.
    fine = np.linspace(0.1, 0.9, 333)
    left, share = cells.place(fine)
    curve = cells.log_odds[left] * (1.0 - share) + cells.log_odds[left + 1] * share
    assert_allclose(curve, special.logit(fine), atol=1e-12)


def test_tiny_probabilities_keep_their_places():
    scores = np.r_[np.geomspace(1e-12, 1e-7, 40), np.linspace(0.01, 0.99, 40)]
    cells = cells_of(scores)
    assert (np.diff(cells.log_odds) > 0.0).all()
    left, share = cells.place(scores)
    assert_allclose(left + share, np.arange(80.0), atol=1e-9)


@pytest.mark.parametrize("decimals", [None, 1])
def test_mirrored_scores_have_mirrored_cells(decimals, global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=3000)
    scores = scores if decimals is None else np.round(scores, decimals)
    one, other = (cells_of(s, "margin") for s in (scores, -scores))
    assert_array_equal(one.counts, other.counts[::-1])
    assert_allclose(one.scores, -other.scores[::-1], atol=1e-12)
