"""Noisy tags: rates that were asked for, noise that knows no score, and a long tail of tags."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.datasets import make_noisy_tags

PAIRS = ("scores", "labels", "noisy_labels", "category", "image")
TAGS = ("prevalence", "recall", "false_rate")
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6


def squared_errors(counts, trials, rates):
    """Return the sum of squared standardised errors of binomial counts: about chi-squared."""
    return np.sum((counts - trials * rates) ** 2 / (trials * rates * (1.0 - rates)))


def test_every_pair_of_an_image_and_a_tag_is_one_row(global_random_seed):
    data = make_noisy_tags(7, 3, random_state=global_random_seed)
    assert set(data) == {*PAIRS, *TAGS}
    assert_array_equal(data.category, np.repeat(np.arange(3), 7))
    assert_array_equal(data.image, np.tile(np.arange(7), 3))
    assert {data[name].shape for name in PAIRS} == {(21,)}
    assert {data[name].shape for name in TAGS} == {(3,)}
    assert {data[name].dtype for name in PAIRS[1:]} == {np.dtype(np.int64)}
    assert np.isfinite(data.scores).all()
    for labels in (data.labels, data.noisy_labels):
        assert set(labels.tolist()) <= {0, 1}


@pytest.mark.parametrize(("recall", "false_rate"), [(0.38, 0.01), (0.9, 0.2)])
def test_noisy_labels_are_wrong_as_often_as_was_asked_for(recall, false_rate, global_random_seed):
    data = make_noisy_tags(
        1000, recall=recall, false_rate=false_rate, random_state=global_random_seed
    )
    assert_allclose(data.recall, recall, rtol=1e-12)
    assert_allclose(data.false_rate, false_rate, rtol=1e-12)
    for label, rate in ((1, recall), (0, false_rate)):
        noisy = data.noisy_labels[data.labels == label]
        assert stats.binomtest(int(noisy.sum()), len(noisy), rate).pvalue > ALARM


def test_each_tag_has_rates_of_its_own_if_noise_varies(global_random_seed):
    data = make_noisy_tags(
        20_000, 60, noise_spread=0.7, prevalence=0.1, random_state=global_random_seed
    )
    for label, rates in ((1, data.recall), (0, data.false_rate)):
        of_label = data.labels == label
        trials = np.bincount(data.category[of_label], minlength=60)
        counts = np.bincount(data.category[of_label], data.noisy_labels[of_label], minlength=60)
        used = trials * rates > 10.0
        assert used.sum() > 40
        statistic = squared_errors(counts[used], trials[used], rates[used])
        assert ALARM < stats.chi2.cdf(statistic, used.sum()) < 1.0 - ALARM


def test_rates_vary_on_the_logit_scale(global_random_seed):
    data = make_noisy_tags(1, 1000, noise_spread=0.7, random_state=global_random_seed)
    for rates, center in ((data.recall, 0.38), (data.false_rate, 0.01)):
        errors = (special.logit(rates) - special.logit(center)) / 0.7
        assert stats.kstest(errors, stats.norm.cdf).pvalue > ALARM
    assert abs(np.corrcoef(data.recall, data.false_rate)[0, 1]) < 4.9 / np.sqrt(1000)


@pytest.mark.parametrize("label", [0, 1])
def test_given_the_clean_label_the_noisy_one_knows_nothing_of_the_score(label, global_random_seed):
    data = make_noisy_tags(1000, false_rate=0.2, random_state=global_random_seed)
    of_label = data.labels == label
    scores, tags, noisy = (data[name][of_label] for name in ("scores", "category", "noisy_labels"))
    # Ranks within a tag: the same rates for all, so that tags may be put together.
    order = np.lexsort((scores, tags))
    sizes = np.bincount(tags)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    ranks = (np.arange(len(tags)) - starts + 0.5) / np.repeat(sizes, sizes)
    said = noisy[order] == 1
    assert stats.mannwhitneyu(ranks[said], ranks[~said]).pvalue > ALARM


def test_without_noise_noisy_labels_are_clean(global_random_seed):
    data = make_noisy_tags(
        50, recall=1.0, false_rate=0.0, noise_spread=1.0, random_state=global_random_seed
    )
    assert_array_equal(data.noisy_labels, data.labels)


def test_prevalences_have_a_long_tail_and_are_those_of_the_labels(global_random_seed):
    data = make_noisy_tags(500, 400, random_state=global_random_seed)
    errors = (special.logit(data.prevalence) - special.logit(0.004)) / 1.8
    assert stats.kstest(errors, stats.norm.cdf).pvalue > ALARM
    assert data.prevalence.mean() > 2.5 * np.median(data.prevalence)
    counts = np.bincount(data.category, data.labels)
    used = data.prevalence * 500 > 5.0
    statistic = squared_errors(counts[used], 500, data.prevalence[used])
    assert ALARM < stats.chi2.cdf(statistic, used.sum()) < 1.0 - ALARM


def test_scores_are_log_odds_that_each_tag_gets_wrong_in_its_own_way(global_random_seed):
    data = make_noisy_tags(
        20_000, 40, prevalence=0.1, long_tail=0.0, random_state=global_random_seed
    )
    rows = special.expit(data.scores.reshape(40, -1))
    matched = rows.mean(axis=1)
    # Of the right size together, and off by far more than chance: for two tags of three, and of
    # forty for more than a quarter but once in a million times.
    assert 0.05 < np.median(matched) < 0.2
    error = np.sqrt(0.1 * 0.9 / 20_000)
    assert (np.abs(matched - 0.1) > 10.0 * error).mean() > 0.25


def test_many_images_cost_little_more_than_what_is_returned(global_random_seed):
    tracemalloc.start()
    data = make_noisy_tags(20_000, 40, random_state=global_random_seed)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    returned = sum(values.nbytes for values in data.values())
    # Besides, a few arrays of the length of n_images.
    assert most < returned + 10 * 8 * 20_000


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_images": 0}, ValueError, "n_images must be at least 1, got 0"),
        ({"n_images": 2.5}, TypeError, "n_images must be a whole number"),
        ({"n_tags": -1}, ValueError, "n_tags must be at least 1, got -1"),
        ({"recall": 1.2}, ValueError, "recall must lie in \\[0, 1\\], got 1.2"),
        ({"false_rate": np.nan}, ValueError, "false_rate must lie in \\[0, 1\\], got nan"),
        ({"noise_spread": -0.1}, ValueError, "noise_spread must lie in \\[0, 1e6\\]"),
        ({"prevalence": 0.0}, ValueError, "prevalence must lie in \\(0, 1\\), got 0.0"),
        ({"long_tail": np.inf}, ValueError, "long_tail must lie in \\[0, 1e6\\], got inf"),
        ({"separation": "far"}, TypeError, "separation must be a number"),
        ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
    ],
)
def test_bad_input_is_named(options, error, message):
    with pytest.raises(error, match=message):
        make_noisy_tags(**{"n_images": 5, "n_tags": 2, **options})
