"""Items that belong together: what the labels of few groups say of the rate, and their scores."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.data._cells import ScoreKind
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.models._category_shifts import shift_to
from sklearn_spe.models._score_axes import Numbers


def test_the_shift_of_equal_log_odds_is_a_difference():
    rates = np.array([0.1, 0.9])
    shifts = shift_to(np.full((2, 3), 0.4), np.ones(3), rates)
    assert_allclose(shifts, special.logit(rates) - special.logit(0.4), atol=1e-4)


def test_shifted_log_odds_have_the_mean_that_is_asked(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = rng.uniform(0.01, 0.99, 50)
    probability = rng.uniform(1e-6, 1.0, (50, 4))
    shares = rng.dirichlet(np.ones(4))
    shifts = shift_to(probability, shares, rates)
    shifted = special.expit(special.logit(probability) + shifts[:, np.newaxis])
    assert_allclose(shifted @ shares, rates, atol=1e-5)


def test_groups_of_equal_labels_count_once_in_categories_too(global_random_seed):
    # Two categories of 20 groups, six of each labeled, of which two are positive.
    group = np.repeat(np.arange(40), 6)
    category = group % 2
    of_group = np.full(40, -1)
    of_group[:12] = np.repeat([1, 0], [4, 8])
    y = of_group[group]
    estimator = PerformanceCurveEstimator(random_state=global_random_seed)
    estimator.fit(None, y, groups=group, category=category)
    rate = estimator.estimate("prevalence", target="population")

    # Bootstrapped groups and Jeffreys' prior: a beta distribution.
    of_groups = stats.beta(4.5, 8.5)
    # A mean of draws scatters by sd / 20; some draws have small effects of groups.
    assert abs(rate.draws.mean() - of_groups.mean()) < 0.4 * of_groups.std()
    assert rate.draws.std() > 0.75 * of_groups.std()


def test_the_mean_of_independent_scores_is_as_many_times_as_steep(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_groups, n_items = 4000, 4
    groups = Partition.numbered(np.repeat(np.arange(n_groups), n_items))
    counts = np.ones(n_groups * n_items)
    numbers = Numbers("the score", 1.0, rng.normal(size=len(counts)), ScoreKind("log_odds"))
    # The variance of a mean of four is a quarter, with a relative error of sqrt(2 / n_groups).
    error = 5.0 * np.sqrt(2.0 / n_groups)
    assert n_items * (1.0 - error) < numbers.mean_over(groups, counts).steeper <= n_items


def test_the_mean_of_equal_scores_is_the_score(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    groups = Partition.numbered(np.repeat(np.arange(50), 3))
    scores = rng.normal(size=50)[groups.codes]
    numbers = Numbers("the score", 1.0, scores, ScoreKind("log_odds"))
    mean = numbers.mean_over(groups, np.ones(150))
    assert_allclose(mean.steeper, 1.0)
    assert stats.spearmanr(mean.values, scores).statistic > 1.0 - 1e-9


def test_all_scores_of_a_group_tell_of_its_items(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    group = np.repeat(np.arange(100), 8)
    truth = np.arange(100) % 3 == 0
    scores = rng.normal(1.5 * truth[group])
    y = np.where(group < 15, truth[group], -1)
    estimator = PerformanceCurveEstimator(random_state=global_random_seed, classes=[0, 1])
    p = estimator.fit(scores, y, groups=group).model_.row_posterior.mean

    # One score separates the classes with an area of .86, the mean of eight with .999.
    unlabeled = group >= 15
    assert roc_auc_score(truth[group][unlabeled], p[unlabeled]) > 0.97
