"""Means of labels of few values: conjugate posteriors, enumeration, mirror images, structure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import MeanEstimator
from sklearn_spe.means._confusion import CONCENTRATIONS, LabelValues
from sklearn_spe.models._row_model import MAX_DRAWS
from tests.quick import QUIET

pytestmark = [*QUIET, pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FewLabelsWarning")]
N_DRAWS = 20_000
# The largest distance of the distribution of so many draws from their own, in 1 of 10,000 cases.
FAR = stats.kstwobign.isf(1e-4) / np.sqrt(N_DRAWS)
# Draws of a rate repeat the curves of an expert, of which there are some hundreds.
FAR_OF_RATES = stats.kstwobign.isf(1e-4) / np.sqrt(400)


def fitted(X, y, label_range=None, **structure):
    return MeanEstimator(label_range=label_range, n_draws=N_DRAWS, random_state=0).fit(
        X, y, **structure
    )


def verdicts(seed, n=200, n_labeled=30, agree=0.85):
    """Return what a judge says of items, their labels, and those that are known."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(float)
    judge = np.where(rng.random(n) < agree, truth, 1.0 - truth)
    return judge, truth, np.where(np.arange(n) < n_labeled, truth, np.nan)


def grades(seed, n=200, n_labeled=30):
    """Return grades by a judge, by people, and those that are known."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n).astype(float)
    judge = np.clip(truth + rng.choice([-1, 0, 0, 0, 1], n), 1.0, 5.0)
    return judge, truth, np.where(np.arange(n) < n_labeled, truth, np.nan)


# --- what is known exactly ---------------------------------------------------------------


def sum_of_ones(proxy, y):
    """Return the distribution of the number of ones, by beta-binomial rows."""
    total = np.ones(1)
    for value in np.unique(proxy):
        own = y[proxy == value]
        known = own[~np.isnan(own)]
        counts = known.sum() + 0.5, len(known) - known.sum() + 0.5
        n = len(own) - len(known)
        total = np.convolve(total, stats.betabinom(n, *counts).pmf(np.arange(n + 1)))
    return np.nansum(y) + np.arange(len(total)), total


@pytest.mark.parametrize("agree", [0.8, 1.0])
@pytest.mark.parametrize("with_proxy", [True, False])
def test_two_values_have_beta_binomial_rows(agree, with_proxy, global_random_seed):
    judge, _, y = verdicts(global_random_seed, agree=agree)
    ones, proba = sum_of_ones(judge if with_proxy else np.zeros(len(y)), y)
    draws = fitted(judge if with_proxy else None, y).draws_[:, 0] * len(y)
    below = (np.round(draws)[:, np.newaxis] <= ones).mean(axis=0)
    assert abs(below - np.cumsum(proba)).max() < FAR_OF_RATES


@pytest.mark.slow
def test_equal_labels_are_an_answer_where_the_range_names_another():
    y = np.where(np.arange(60) < 12, 1.0, np.nan)
    ones, proba = sum_of_ones(np.zeros(60), y)
    draws = fitted(None, y, (0, 1)).draws_[:, 0] * 60
    below = (np.round(draws)[:, np.newaxis] <= ones).mean(axis=0)
    assert abs(below - np.cumsum(proba)).max() < FAR_OF_RATES
    with pytest.raises(ValueError, match="label_range, such as"):
        fitted(None, y)


def prior_rows(rng, n, places, n_values):
    """Draw rows of label probabilities from the prior, as it is written down."""
    far = abs(np.arange(1 - n_values, n_values))
    errors = rng.dirichlet(np.where(far > 0, 0.25 / 2.0 ** (far - 1.0), 0.5), n)
    labels = rng.dirichlet(np.full(n_values, 1.0 / n_values), n)
    worth = rng.choice(CONCENTRATIONS, n)[:, np.newaxis]
    of_errors = rng.random(n) < 0.5
    rows = []
    for place in places:
        shifted = errors[:, n_values - 1 - place : 2 * n_values - 1 - place] + 1e-300
        shifted /= shifted.sum(axis=1, keepdims=True)
        base = np.where(of_errors[:, np.newaxis], shifted, labels)
        gammas = rng.standard_gamma(worth * base) + 1e-300
        rows.append(gammas / gammas.sum(axis=1, keepdims=True))
    return np.stack(rows, axis=1)


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 2], [1, 1, 2, 2, 2, 2]])
def test_grades_have_the_posterior_of_their_prior_and_labels(labels, global_random_seed):
    judge = np.repeat([0.0, 1.0, 2.0], 2)
    X = np.concatenate([judge, np.repeat([0.0, 1.0, 2.0], 500)])
    y = np.concatenate([labels, np.full(1500, np.nan)])
    rng = np.random.default_rng(global_random_seed)
    rows = prior_rows(rng, 200_000, range(3), 3)
    likelihood = np.prod([rows[:, int(x), int(v)] for x, v in zip(judge, labels, strict=True)], 0)
    means = (rows @ np.arange(3.0)).mean(axis=1)
    expected = np.average(means, weights=likelihood)
    spread = np.sqrt(np.average((means - expected) ** 2, weights=likelihood))
    found = fitted(X, y).draws_[:, 0]
    assert abs(found.mean() - expected) < 0.08 * spread
    assert abs(found.std() / spread - 1.0) < 0.08


@pytest.mark.parametrize("drawn", [verdicts, grades])
def test_with_all_labels_the_mean_is_theirs(drawn, global_random_seed):
    judge, truth, _ = drawn(global_random_seed)
    parts = np.arange(len(truth)) % 2
    mean = fitted(judge, truth, category=parts)
    assert np.ptp(mean.draws_, axis=0).max() == 0.0
    assert_allclose(
        mean.draws_[0], [truth.mean(), *(truth[parts == k].mean() for k in (0, 1))], rtol=1e-12
    )


# --- agreement ---------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", [verdicts, grades])
@pytest.mark.parametrize("n_judges", [1, 3])
def test_full_agreement_leaves_room_on_either_side(drawn, n_judges, global_random_seed):
    _, truth, y = drawn(global_random_seed, n_labeled=20)
    X = np.column_stack([truth] * n_judges)
    low, high = fitted(X, y).estimate().interval()
    assert low + 0.02 < truth.mean() < high - 0.02


def test_labels_may_refuse_that_rows_have_errors_in_common(global_random_seed):
    # Right about the lower half, two too low in the upper one.
    rng = np.random.default_rng(global_random_seed)
    judge = rng.integers(1, 5, 2000).astype(float)
    truth = np.where(judge > 2.0, judge + 2.0, judge)
    # People looked more often at the lower half.
    chances = np.where(judge > 2.0, 0.02, 0.10)
    y = np.where(rng.random(2000) < chances, truth, np.nan)
    estimate = fitted(judge, y, (1, 6), inclusion_proba=chances).estimate()
    low, high = estimate.interval(0.99)
    assert low < truth.mean() < high
    assert estimate.standard_error < 0.2


# --- what changes nothing ----------------------------------------------------------------


@pytest.mark.parametrize(("drawn", "ends"), [(verdicts, 1.0), (grades, 6.0)])
def test_mirrored_values_have_the_mirrored_mean(drawn, ends, global_random_seed):
    judge, _, y = drawn(global_random_seed)
    parts = np.arange(len(y)) % 2
    found = fitted(judge, y, category=parts)
    mirrored = fitted(ends - judge, ends - y, category=parts)
    # Four standard errors of a mean and of a standard deviation, both of so many draws.
    of_mean, of_spread = 4.0 * np.sqrt([2.0 / MAX_DRAWS, 1.0 / MAX_DRAWS])
    for plain, flipped in zip(found.draws_.T, mirrored.draws_.T, strict=True):
        spread = plain.std()
        assert abs(plain.mean() - (ends - flipped.mean())) < of_mean * spread
        assert abs(flipped.std() / spread - 1.0) < of_spread


# --- structure ---------------------------------------------------------------------------


def test_items_that_belong_together_are_one_observation(global_random_seed):
    judge, _, y = verdicts(global_random_seed)
    # Labels 1 and 2 are numbers, 0 and 1 a rate.
    y = y + 1.0
    groups = np.tile(np.arange(len(y)), 2)
    single = fitted(judge, y).draws_[:, 0]
    twice = fitted(np.tile(judge, 2), np.tile(y, 2), groups=groups).draws_[:, 0]
    assert stats.ks_2samp(np.round(single, 9), np.round(twice, 9)).statistic < 1.5 * FAR


def test_what_was_labeled_for_certain_tells_nothing_of_others(global_random_seed):
    judge, truth, y = verdicts(global_random_seed)
    y, truth = y + 1.0, truth + 1.0
    n = len(y)
    X, labels = np.tile(judge, 2), np.concatenate([y, 3.0 - truth])
    chances = np.repeat([np.mean(~np.isnan(y)), 1.0], n)
    both = fitted(X, labels, inclusion_proba=chances).draws_[:, 0]
    alone = (fitted(judge, y).draws_[:, 0] + (3.0 - truth).mean()) / 2.0
    assert stats.ks_2samp(np.round(both, 9), np.round(alone, 9)).statistic < 1.5 * FAR


@pytest.mark.parametrize(
    ("target", "size"),
    [
        *(("sample", 20), ("population", 5)),
        pytest.param("sample", 5, marks=pytest.mark.slow),
        pytest.param("population", 20, marks=pytest.mark.slow),
    ],
)
def test_groups_of_equal_labels_are_so_many_labels(size, target):
    # Of 120 groups 40 are labeled, 12 of them positive: one label each.
    y = np.repeat(np.r_[np.arange(40) < 12, np.full(80, np.nan)], size)
    groups = np.repeat(np.arange(120), size)
    means = MeanEstimator(target=target, random_state=0).fit(None, y, groups=groups)
    found = means.draws_[:, 0]
    if target == "population":
        exact = stats.beta(12.5, 28.5)
        assert abs(found.mean() - exact.mean()) < 0.2 * exact.std()
        assert_allclose(found.std(), exact.std(), rtol=0.15)
        return
    others = stats.betabinom(80, 12.5, 28.5)
    assert abs(found.mean() - (12.0 + others.mean()) / 120) < 0.2 * others.std() / 120
    assert_allclose(found.std(), others.std() / 120, rtol=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("n_positive", [0, 34])
def test_a_rate_beside_items_that_are_labeled_for_certain(n_positive):
    # Of 300 items 60 are drawn; 100 more, of another rate, are all labeled.
    certain, drawn = np.arange(100) < 20, np.arange(60) < n_positive
    y = np.r_[certain, drawn, np.full(240, np.nan)]
    chances = np.repeat([1.0, 0.2], [100, 300])
    found = fitted(None, y, (0, 1), inclusion_proba=chances).draws_[:, 0] * 400 - np.nansum(y)
    # The others are beta-binomial, by the labels that are drawn among them.
    others = stats.betabinom(240, n_positive + 0.5, 60.5 - n_positive)
    assert abs(found.mean() - others.mean()) < 0.25 * others.std()
    # Three standard errors of the standard deviation of the rates that are drawn.
    error = np.sqrt((others.stats("k") + 2) / (4 * MAX_DRAWS))
    assert_allclose(found.std(), others.std(), rtol=3 * error)


def test_what_systems_share_of_a_prompt_is_not_in_their_difference(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 400
    truth = np.tile((rng.random(n) < 0.5).astype(float), 2)
    system, prompt = np.repeat(["a", "b"], n), np.tile(np.arange(n), 2)
    y = np.where(prompt < 40, truth, np.nan)
    mean = fitted(None, y, category=system, groups=prompt)
    assert mean.difference("a", "b").standard_error < 0.6 * mean.estimate(
        category="a"
    ).standard_error * np.sqrt(2.0)


# --- which labels are of few values ------------------------------------------------------

GRADES = np.array([1.0, 2.0, 5.0, 4.0, np.nan])
FIVE = np.arange(1.0, 6.0)
BOTH = np.array([0.0, 1.0, np.nan, 1.0, 0.0])


@pytest.mark.parametrize(
    ("labels", "X", "ends", "values"),
    [
        (GRADES, FIVE, None, FIVE),
        (GRADES, np.array([1.0, 2.0, 2.0, 1.0, np.nan]), (1, 5), FIVE),
        (BOTH, BOTH[::-1], None, [0.0, 1.0]),
        (BOTH, np.array([0.0, 0.5, 1.0, 1.0, 0.5]), None, [0.0, 1.0]),
        (BOTH, np.column_stack([BOTH, BOTH[::-1]]), None, [0.0, 1.0]),
        (np.where(BOTH >= 0.0, 1.0, np.nan), None, (0, 1), [0.0, 1.0]),
        # Scores, labels without a proxy on their scale, and measurements.
        (BOTH, np.linspace(0.0, 1.0, 5), None, None),
        (GRADES, np.linspace(0.0, 1.0, 5), None, None),
        (GRADES, None, (1, 5), None),
        (np.arange(20.0), np.arange(20.0), None, None),
        (np.where(BOTH >= 0.0, 1.0, np.nan), None, None, None),
    ],
)
def test_values_are_those_that_are_seen_or_named(labels, X, ends, values):
    X = np.zeros((len(labels), 0)) if X is None else X.reshape(len(labels), -1)
    found = LabelValues.of(labels, X, *((-np.inf, np.inf) if ends is None else ends))
    if values is None:
        assert found is None
    else:
        assert np.array_equal(found.values, values)
        same = found.places[found.rows] >= 0
        if same.any():
            assert np.array_equal(found.values[found.places[found.rows[same]]], X[same, 0])


def test_rows_of_a_silent_judge_are_their_own(global_random_seed):
    judge, truth, y = grades(global_random_seed)
    judge[::4] = np.nan
    estimate = fitted(judge, y).estimate()
    assert abs(estimate.value - truth.mean()) < 5.0 * estimate.standard_error


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize("with_groups", [True, False])
def test_a_rate_lies_between_zero_and_one(target, with_groups, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(300) < 0.97).astype(float)
    judge = truth + rng.normal(size=300)
    y = np.where(np.arange(300) < 60, truth, np.nan)
    y[0], chances = 0.0, np.full(300, 0.2)
    structure = {"groups": np.arange(300) // 2, "inclusion_proba": chances} if with_groups else {}
    means = MeanEstimator(target=target, n_draws=1000, random_state=0).fit(judge, y, **structure)
    low, high = means.estimate().interval(0.99)
    assert 0.0 <= low < high <= 1.0
