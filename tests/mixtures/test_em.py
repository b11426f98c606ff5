"""The two steps of expectation maximization, written out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families._registry import FAMILIES
from sklearn_spe.mixtures._fit import EmSteps, starts
from sklearn_spe.mixtures._mixture_posterior import draw_items
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.mixtures.data import (
    EVERY_PAIR,
    KINDS,
    LOCATION,
    NORMALS,
    PRIOR,
    RESOLUTION,
    SPREAD,
    flat_values,
    naive_densities,
    naive_likelihood,
    sample_of,
    some_u,
)


def mixture_of(negative, positive):
    families = FAMILIES[negative](), FAMILIES[positive]()
    return TwoClassMixture(*families, PRIOR, LOCATION, SPREAD, RESOLUTION)


def tied_sample():
    """Return a sample of three scores, the second of which is a tie of three points."""
    return ScoreSample(
        scores=np.array([0.5, 1.0, 2.0]),
        lower=np.array([0.5, 1.0, 2.0]),
        unlabeled=np.array([1.0, 4.0, 0.0]),
        negative=np.array([0.0, 2.0, 1.0]),
        positive=np.array([0.0, 1.0, 1.0]),
        points=np.array([0.5, 0.8, 1.0, 1.2, 2.0]),
        firsts=np.array([0, 1, 4]),
    )


# --- the E-step ------------------------------------------------------------------------


@EVERY_PAIR
def test_an_item_counts_for_the_positives_with_its_probability(mixture, global_random_seed):
    for kind in ("mixed", "weighted"):
        sample, u = sample_of(kind, global_random_seed), some_u(mixture)[0]
        value, to_negative, to_positive = mixture.expectation(u, sample)
        prevalence, p_0, p_1 = naive_densities(mixture, u, sample.scores)
        # Equation 6.
        positive = prevalence * p_1 / ((1.0 - prevalence) * p_0 + prevalence * p_1)
        assert_allclose(to_positive, sample.unlabeled * positive + sample.positive, rtol=1e-9)
        assert_allclose(
            to_negative, sample.unlabeled * (1.0 - positive) + sample.negative, rtol=1e-9
        )
        assert_allclose(value, naive_likelihood(mixture, u, sample), rtol=1e-12)


def test_tied_scores_share_their_weight_by_the_density_of_their_points():
    sample, u = tied_sample(), some_u(NORMALS)[0]
    value, to_negative, to_positive = NORMALS.expectation(u, sample)
    prevalence, *moments = flat_values(NORMALS, u)
    p_0, p_1 = (stats.norm(*m).pdf(sample.points) for m in (moments[:2], moments[2:]))
    joint_0, joint_1 = (1.0 - prevalence) * p_0, prevalence * p_1
    tie = slice(1, 4)
    tie_0, tie_1 = joint_0[tie].mean(), joint_1[tie].mean()
    first = joint_1[0] / (joint_0[0] + joint_1[0])
    tied = tie_1 / (tie_0 + tie_1)
    expected_1 = [first, *((4.0 * tied + 1.0) * p_1[tie] / p_1[tie].sum()), 1.0]
    expected_0 = [1.0 - first, *((4.0 * (1.0 - tied) + 2.0) * p_0[tie] / p_0[tie].sum()), 1.0]
    assert_allclose(to_positive, expected_1, rtol=1e-12)
    assert_allclose(to_negative, expected_0, rtol=1e-12)
    likelihood = np.log(joint_0[0] + joint_1[0]) + 4.0 * np.log(tie_0 + tie_1)
    likelihood += 2.0 * np.log(tie_0) + np.log(tie_1) + np.log(joint_0[4]) + np.log(joint_1[4])
    assert_allclose(value, likelihood, rtol=1e-12)


def test_a_score_that_no_class_allows_has_no_likelihood_and_no_nan():
    mixture = mixture_of("gamma", "gamma")
    scores = np.array([-1.0, 0.5, 2.0])
    sample = ScoreSample.from_items(scores, np.full(3, -1), np.ones(3))
    value, *_ = mixture.expectation(some_u(mixture)[0], sample)
    assert value == -np.inf


# --- the M-step ------------------------------------------------------------------------


def test_two_normals_take_the_weighted_moments(global_random_seed):
    for kind in KINDS:
        sample, u = sample_of(kind, global_random_seed), some_u(NORMALS)[0]
        steps = EmSteps(NORMALS, sample)
        following = flat_values(NORMALS, steps.maximize(steps.expect(u)[1], u))
        # Equations 7 to 12, item by item.
        prevalence, p_0, p_1 = naive_densities(NORMALS, u, sample.scores)
        sums = np.zeros((2, 3))
        for i, score in enumerate(sample.scores):
            q = prevalence * p_1[i] / ((1.0 - prevalence) * p_0[i] + prevalence * p_1[i])
            for k, share, labeled in ((0, 1.0 - q, sample.negative), (1, q, sample.positive)):
                weight = sample.unlabeled[i] * share + labeled[i]
                sums[k] += weight * np.array([1.0, score, score**2])
        means = sums[:, 1] / sums[:, 0]
        stds = np.sqrt(sums[:, 2] / sums[:, 0] - means**2)
        expected = [sums[1, 0] / sums[:, 0].sum(), means[0], stds[0], means[1], stds[1]]
        assert_allclose(following, expected, rtol=1e-8)


def test_tied_scores_enter_the_moments_by_their_points():
    sample, u = tied_sample(), some_u(NORMALS)[0]
    steps = EmSteps(NORMALS, sample)
    weights = steps.expect(u)[1]
    following = flat_values(NORMALS, steps.maximize(weights, u))
    for k, own in enumerate(weights):
        mean = np.average(sample.points, weights=own)
        variance = np.average((sample.points - mean) ** 2, weights=own)
        assert_allclose(following[1 + 2 * k : 3 + 2 * k], [mean, np.sqrt(variance)], rtol=1e-9)


def expected_complete(mixture, weights, u, sample):
    """Return the expected complete log likelihood, which the M-step raises."""
    log_0, log_1 = (j[0] for j in mixture.log_joint(u[np.newaxis], sample.points))
    kept_0, kept_1 = weights[0] > 0.0, weights[1] > 0.0
    return weights[0][kept_0] @ log_0[kept_0] + weights[1][kept_1] @ log_1[kept_1]


@EVERY_PAIR
def test_no_pair_of_steps_lowers_the_likelihood(mixture, global_random_seed):
    for kind in ("weighted", "unlabeled"):
        sample = sample_of(kind, global_random_seed)
        steps, u = EmSteps(mixture, sample), starts(mixture, sample)[1]
        value, weights = steps.expect(u)
        if not np.isfinite(value):
            u = some_u(mixture)[0]
            value, weights = steps.expect(u)
        for _ in range(4):
            before = expected_complete(mixture, weights, u, sample)
            ahead = steps.maximize(weights, u)
            after = expected_complete(mixture, weights, ahead, sample)
            assert after >= before - 1e-9 * abs(before)
            higher, weights = steps.expect(ahead)
            assert higher >= value - 1e-9 * abs(value)
            u, value = ahead, higher


@pytest.mark.parametrize("name", ["gumbel_l", "skewnorm", "truncnorm"])
def test_a_family_without_a_formula_climbs_to_where_its_gradient_is_zero(name, global_random_seed):
    mixture = mixture_of(name, "norm")
    u, rng = some_u(mixture)[0], np.random.default_rng(global_random_seed)
    scores, labels = draw_items(mixture, u, rng, 1000)
    sample = ScoreSample.from_items(
        scores, np.where(rng.random(1000) < 0.5, labels, -1), np.ones(1000)
    )
    steps = EmSteps(mixture, sample)
    weights = steps.expect(u)[1]
    for _ in range(3):
        # A climb ends after so many steps; from its end it goes on.
        u = steps.maximize(weights, u)
    cut = 1 + len(mixture.negative.parameters)
    values = flat_values(mixture, u)[1:cut]
    for slopes in mixture.negative.gradient(sample.points, *values):
        # A hundredth of the standard error of that slope; a density that is skew without end
        # has no slope left.
        assert abs(weights[0] @ slopes) < 1e-2 * np.sqrt(weights[0] @ slopes**2) + 1e-4


@pytest.mark.parametrize("name", ["norm", "lognorm", "gamma", "gumbel_l"])
def test_a_spread_below_the_resolution_is_not_taken(name):
    # All positives are one score: the likeliest standard deviation is zero.
    mixture = mixture_of("norm", name)
    scores = np.r_[np.linspace(0.5, 1.5, 20), 2.0, 2.0]
    codes = np.r_[np.zeros(20), 1, 1].astype(int)
    sample = ScoreSample.from_items(scores, codes, np.ones(22))
    steps, u = EmSteps(mixture, sample), some_u(mixture)[0]
    value, weights = steps.expect(u)
    ahead = steps.maximize(weights, u)
    values = flat_values(mixture, ahead)
    assert RESOLUTION < values[4] < 0.5
    assert steps.expect(ahead)[0] > value


def test_a_class_to_which_nothing_belongs_keeps_its_density():
    scores = np.linspace(0.5, 2.0, 20)
    sample = ScoreSample.from_items(scores, np.zeros(20, dtype=int), np.ones(20))
    steps, u = EmSteps(NORMALS, sample), some_u(NORMALS)[0]
    ahead = steps.maximize(steps.expect(u)[1], u)
    assert np.array_equal(ahead[3:], u[3:])
    assert_allclose(flat_values(NORMALS, ahead)[1:3], [scores.mean(), scores.std()], rtol=1e-9)
    # As small as the real line lets it be.
    assert 0.0 < flat_values(NORMALS, ahead)[0] < 1e-8


# --- the start -------------------------------------------------------------------------


def test_the_labeled_start_has_the_moments_of_the_labeled_items(global_random_seed):
    sample = sample_of("mixed", global_random_seed, n=200)
    prevalence, *moments = flat_values(NORMALS, EmSteps(NORMALS, sample).labeled_start())
    assert_allclose(prevalence, sample.positive.sum() / sample.n_labeled, rtol=1e-12)
    for k, own in enumerate((sample.negative, sample.positive)):
        items = np.repeat(sample.scores, own.astype(int))
        assert_allclose(moments[2 * k : 2 * k + 2], [items.mean(), items.std()], rtol=1e-9)


@pytest.mark.parametrize("codes", [(-1, -1), (-1, 0), (-1, 1), (0, 0)])
def test_there_is_no_labeled_start_without_both_classes(codes):
    scores = np.linspace(0.5, 2.0, 10)
    sample = ScoreSample.from_items(scores, np.repeat(codes, 5), np.ones(10))
    assert EmSteps(NORMALS, sample).labeled_start() is None


@EVERY_PAIR
def test_one_item_of_each_class_is_a_start_with_a_spread(mixture):
    scores = np.array([0.9, 1.2, 1.6])
    sample = ScoreSample.from_items(scores, np.array([0, -1, 1]), np.ones(3))
    start = EmSteps(mixture, sample).labeled_start()
    assert np.isfinite(start).all()
    prevalence, _, std_0, *rest = flat_values(mixture, start)
    std_1 = rest[len(mixture.negative.parameters) - 2 + 1]
    assert_allclose(prevalence, 0.5)
    assert min(std_0, std_1) > RESOLUTION
