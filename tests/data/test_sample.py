"""Cells of scores: equal items are counted, neighbours may be merged, nothing is lost."""

import numpy as np
import pytest
from scipy import special

from sklearn_spe.data._sample import ScoreSample

FIELDS = ("scores", "lower", "unlabeled", "negative", "positive")


def make_sample(rng, n_items=1000, n_labels=20):
    scores = np.round(rng.normal(size=n_items), 2)
    codes = np.full(n_items, -1)
    codes[rng.choice(n_items, n_labels, replace=False)] = rng.integers(0, 2, n_labels)
    return scores, codes, rng.integers(1, 4, n_items).astype(float)


def assert_same(first, second):
    for name in FIELDS:
        assert np.array_equal(getattr(first, name), getattr(second, name)), name


@pytest.fixture
def items(global_random_seed):
    return make_sample(np.random.default_rng(global_random_seed))


def test_cells_are_the_distinct_scores_with_what_lies_at_each():
    sample = ScoreSample.from_items(
        np.array([2.0, 1.0, 2.0, 2.0, 3.0]), np.array([-1, 0, 1, -1, 1]), np.ones(5)
    )
    assert sample.scores.tolist() == [1.0, 2.0, 3.0]
    assert sample.unlabeled.tolist() == [0.0, 2.0, 0.0]
    assert sample.negative.tolist() == [1.0, 0.0, 0.0]
    assert sample.positive.tolist() == [0.0, 1.0, 1.0]
    assert (sample.n_cells, sample.n_labeled) == (3, 3.0)


def test_weighted_items_equal_repeated_items(items):
    scores, codes, weights = items
    repeats = weights.astype(int)
    repeated = ScoreSample.from_items(
        np.repeat(scores, repeats), np.repeat(codes, repeats), np.ones(repeats.sum())
    )
    assert_same(ScoreSample.from_items(scores, codes, weights), repeated)


def test_the_order_of_the_items_does_not_matter(items, global_random_seed):
    order = np.random.default_rng(global_random_seed).permutation(len(items[0]))
    assert_same(
        ScoreSample.from_items(*items), ScoreSample.from_items(*(part[order] for part in items))
    )


@pytest.mark.parametrize("n_cells", [1, 10, 60, 200])
def test_grouping_keeps_every_count_and_the_mean_score(items, n_cells):
    sample = ScoreSample.from_items(*items)
    grouped = sample.grouped(n_cells)
    assert grouped.n_cells < sample.n_cells
    for name in ("unlabeled", "negative", "positive"):
        assert getattr(grouped, name).sum() == getattr(sample, name).sum()
    assert np.average(grouped.scores, weights=grouped.counts) == pytest.approx(
        np.average(sample.scores, weights=sample.counts), abs=1e-12
    )


def test_grouping_keeps_about_the_number_of_cells_asked_for_beside_the_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = np.full(20_000, -1)
    codes[:30] = rng.integers(0, 2, 30)
    sample = ScoreSample.from_items(rng.normal(size=20_000), codes, np.ones(20_000))
    n_cells = sample.grouped(400).n_cells
    # Every labelled item costs its own cell and at most one border more.
    assert 300 <= n_cells <= 400 + 2 * 30


def test_grouped_cells_hold_neighbours_only(items):
    sample = ScoreSample.from_items(*items)
    grouped = sample.grouped(40)
    assert (np.diff(grouped.scores) > 0.0).all()
    assert (grouped.lower <= grouped.scores).all()
    assert (grouped.scores[:-1] < grouped.lower[1:]).all()
    assert np.isin(grouped.lower, sample.scores).all()
    # The counts between two borders are those of the items between them.
    first = np.searchsorted(sample.scores, grouped.lower)
    assert np.array_equal(grouped.counts, np.add.reduceat(sample.counts, first))


def test_cells_with_labeled_items_stay_alone(items):
    sample = ScoreSample.from_items(*items)
    grouped = sample.grouped(20)
    labeled = np.flatnonzero(sample.negative + sample.positive)
    at = np.searchsorted(grouped.scores, sample.scores[labeled])
    for name in FIELDS:
        assert np.array_equal(getattr(grouped, name)[at], getattr(sample, name)[labeled]), name


@pytest.mark.parametrize("edge", [-0.555, 0.0, 0.5, 1.004, -10.0, 10.0])
def test_no_cell_straddles_an_edge(items, edge):
    sample = ScoreSample.from_items(*items)
    grouped = sample.grouped(10, edges=[edge])
    above = grouped.counts[grouped.lower >= edge].sum()
    assert above == sample.counts[sample.scores >= edge].sum()


def test_a_sample_that_is_small_or_fully_labeled_is_left_alone(items):
    scores, codes, weights = items
    sample = ScoreSample.from_items(scores, codes, weights)
    assert sample.grouped(sample.n_cells) is sample
    complete = ScoreSample.from_items(scores, (scores > 0).astype(int), weights)
    assert complete.grouped(5) is complete


def counted(values, counts):
    return ScoreSample.from_items(values, np.full(len(values), -1), counts)


def test_quantiles_are_those_of_repeated_values(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values, counts = np.sort(rng.normal(size=30)), rng.integers(1, 6, 30)
    repeated = np.repeat(values, counts)
    levels = np.linspace(0.0, 1.0, 41)
    expected = np.quantile(repeated, levels, method="inverted_cdf")
    assert np.array_equal(counted(values, counts).quantile(levels), expected)


def test_the_robust_deviation_is_the_standard_deviation_of_a_normal():
    values = special.ndtri((np.arange(100_000) + 0.5) / 100_000)
    assert counted(3.0 * values, np.ones(len(values))).robust_std() == pytest.approx(3.0, rel=1e-3)


def test_the_robust_deviation_of_scores_of_which_nearly_all_are_one_value_is_not_zero():
    assert counted(np.array([0.0, 1.0]), np.array([95.0, 5.0])).robust_std() == pytest.approx(
        np.sqrt(0.95 * 0.05)
    )


def test_the_labeled_alone_and_the_sample_without_labels_keep_scores_and_counts():
    scores, codes = np.array([0.0, 1.0, 1.0, 2.0, 3.0]), np.array([-1, 1, -1, 0, -1])
    sample = ScoreSample.from_items(scores, codes, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    labeled, alone = sample.labeled(), sample.without_labels()
    assert labeled.scores.tolist() == [1.0, 2.0]
    assert [labeled.unlabeled.sum(), labeled.negative.sum(), labeled.positive.sum()] == [0, 4, 2]
    assert alone.counts.tolist() == alone.unlabeled.tolist() == sample.counts.tolist()
