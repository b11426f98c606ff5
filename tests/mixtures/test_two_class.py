"""The semi-supervised mixture against direct computation, for every family in either class."""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families import Gamma, Norm, Uniform
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.mixtures.data import (
    EVERY_PAIR,
    KINDS,
    NORMALS,
    PRIOR,
    naive_densities,
    naive_likelihood,
    naive_order,
    naive_prior,
    one_draw,
    sample_of,
    some_u,
)

# The model scale of all tests: its unit is one, its origin below all scores.
LOCATION, SPREAD, RESOLUTION = 1.2, 1.1, 0.01

# --- likelihood, prior, posterior (eq. 1 to 3) -----------------------------------------


@EVERY_PAIR
def test_log_density_is_likelihood_times_prior(mixture, global_random_seed):
    for kind in KINDS:
        sample, u = sample_of(kind, global_random_seed, 12), some_u(mixture, 2, global_random_seed)
        likelihood = [naive_likelihood(mixture, row, sample) for row in u]
        prior = [naive_prior(mixture, row) + naive_order(mixture, row) for row in u]
        assert_allclose(mixture.log_likelihood(u, sample), likelihood, rtol=1e-9)
        assert_allclose(mixture.log_prior(u), prior, rtol=1e-9, atol=1e-9)
        assert_allclose(mixture.log_density(u, sample), np.add(likelihood, prior), rtol=1e-9)


@EVERY_PAIR
def test_gradient_is_the_slope_of_the_log_density(mixture, global_random_seed):
    for kind in ("mixed", "weighted"):
        sample, u = sample_of(kind, global_random_seed, 12), some_u(mixture, 2, global_random_seed)
        value, gradient = mixture.value_and_gradient(u, sample)
        assert_allclose(value, mixture.log_density(u, sample), rtol=1e-12)
        assert_allclose(gradient, slopes(partial(mixture.log_density, sample=sample), u), **SLOPE)


@EVERY_PAIR
def test_label_probability_is_the_likelihood_over_that_of_the_scores_alone(
    mixture, global_random_seed
):
    u = some_u(mixture, 3, global_random_seed)
    samples = [sample_of(kind, global_random_seed) for kind in KINDS]
    # Tied: each score stands for three points.
    mixed = sample_of("mixed", global_random_seed)
    points = np.add.outer(mixed.scores, [-1e-3, 0.0, 1e-3]).ravel()
    samples.append(replace(mixed, points=points, firsts=3 * np.arange(mixed.n_cells)))
    for sample in samples:
        alone = mixture.log_likelihood(u, sample.without_labels())
        of_labels = mixture.log_likelihood(u, sample) - alone
        assert_allclose(mixture.log_label_probability(u, sample), of_labels, rtol=1e-9, atol=1e-9)


def test_labels_of_a_score_that_neither_class_allows_are_impossible():
    mixture = TwoClassMixture(Uniform(), Uniform())
    sample = ScoreSample.from_items(np.array([0.0, 9.0]), np.array([0, 1]), np.ones(2))
    u = np.array([mixture.real(0.5, (0.0, 1.0), (mean, 1.0)) for mean in (1.0, 9.0)])
    assert mixture.log_label_probability(u, sample).tolist() == [-np.inf, 0.0]


SLOPE = {"rtol": 1e-6, "atol": 1e-5}


def slopes(function, u, step=1e-4):
    """Return central differences of fourth order."""
    columns = []
    for axis in np.eye(u.shape[1]):
        near, far = (function(u + k * axis) - function(u - k * axis) for k in (step, 2.0 * step))
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=1)


@EVERY_PAIR
def test_gradient_of_the_prior_is_its_slope(mixture, global_random_seed):
    u = some_u(mixture, 4, global_random_seed) + 0.3
    sample = sample_of("unlabeled", global_random_seed, 12)
    _, with_prior = mixture.value_and_gradient(u, sample)
    _, without = mixture.value_and_gradient(u, sample, prior=False)
    assert_allclose(with_prior - without, slopes(mixture.log_prior, u), **SLOPE)


@EVERY_PAIR
def test_order_prior_is_divided_by_its_mean(mixture, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 5_000
    u = np.stack([p.real(p.ppf(rng.random(n))) for p in mixture.parameters], axis=1)
    factor = np.exp(mixture.log_order(u))
    error = factor.std() / np.sqrt(n) / factor.mean()
    # Five standard errors: with all pairs, a false alarm in 100,000 runs.
    assert_allclose(mixture.log_order_mass, np.log(factor.mean()), atol=5.0 * error + 2e-3)


def test_prior_integrates_to_one():
    # The prevalence does not depend on the rest; the other four on a grid of their real line.
    means = LOCATION + 3.0 * SPREAD * np.linspace(-6.0, 6.0, 31)
    log_stds = np.linspace(-9.0, 3.5, 33)
    axes = np.meshgrid([0.0], means, log_stds, means, log_stds, indexing="ij")
    u = np.stack([axis.ravel() for axis in axes], axis=1)
    prevalence = stats.beta(PRIOR.a, PRIOR.b).logpdf(0.5) + np.log(0.25)
    cell = ((means[1] - means[0]) * (log_stds[1] - log_stds[0])) ** 2
    total = sum(
        np.exp(NORMALS.log_prior(part) - prevalence).sum() for part in np.array_split(u, 20)
    )
    assert_allclose(total * cell, 1.0, atol=1e-4)


def test_likelihood_of_labels_alone_factorises(global_random_seed):
    sample, u = sample_of("labeled", global_random_seed), some_u(NORMALS, 2, global_random_seed)
    u[1] += [0.4, -0.3, 0.2, 0.5, -0.1]
    crossed = u.copy()
    # The parameters of the positive class and the prevalence change places.
    crossed[:, [0, 3, 4]] = u[::-1][:, [0, 3, 4]]
    own, other = NORMALS.log_likelihood(u, sample), NORMALS.log_likelihood(crossed, sample)
    assert_allclose(own.sum(), other.sum(), rtol=1e-12)
    mixed = sample_of("mixed", global_random_seed)
    own, other = NORMALS.log_likelihood(u, mixed), NORMALS.log_likelihood(crossed, mixed)
    assert abs(own.sum() - other.sum()) > 1e-6


def test_likelihood_of_all_labels_is_largest_at_the_moments_of_the_classes(global_random_seed):
    sample = sample_of("labeled", global_random_seed)
    moments = []
    for weights in (sample.negative, sample.positive):
        mean = np.average(sample.scores, weights=weights)
        moments.append((mean, np.sqrt(np.average((sample.scores - mean) ** 2, weights=weights))))
    u = NORMALS.real(sample.positive.sum() / sample.counts.sum(), *moments)[np.newaxis]
    slope = slopes(lambda v: NORMALS.log_likelihood(v, sample), u)
    assert_allclose(slope, 0.0, atol=1e-5)


def test_classes_without_labels_change_names_up_to_the_order_prior(global_random_seed):
    sample, u = sample_of("unlabeled", global_random_seed), some_u(NORMALS, 5, global_random_seed)
    swapped = np.column_stack([-u[:, 0], u[:, [3, 4, 1, 2]]])
    assert_allclose(
        NORMALS.log_likelihood(swapped, sample), NORMALS.log_likelihood(u, sample), rtol=1e-12
    )
    symmetric = TwoClassMixture(Norm(), Norm(), BetaPrior(), LOCATION, SPREAD, RESOLUTION)
    difference = symmetric.log_density(u, sample) - symmetric.log_density(swapped, sample)
    order = [
        naive_order(symmetric, a) - naive_order(symmetric, b)
        for a, b in zip(u, swapped, strict=True)
    ]
    assert_allclose(difference, order, atol=1e-9)
    assert (difference > 0.0).all()


def test_weighted_sample_is_the_repeated_one(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, codes = rng.uniform(0.7, 2.2, 30), rng.integers(-1, 2, 30)
    repeats = rng.integers(1, 6, 30)
    weighted = ScoreSample.from_items(scores, codes, repeats.astype(float))
    # Each item again, a hair apart, so that they are cells of their own.
    apart = np.repeat(scores, repeats) + 1e-12 * rng.random(repeats.sum())
    repeated = ScoreSample.from_items(apart, np.repeat(codes, repeats), np.ones(repeats.sum()))
    assert repeated.n_cells > weighted.n_cells
    u = some_u(NORMALS, 4, global_random_seed)
    for of_weighted, of_repeated in zip(
        NORMALS.value_and_gradient(u, weighted),
        NORMALS.value_and_gradient(u, repeated),
        strict=True,
    ):
        assert_allclose(of_weighted, of_repeated, rtol=1e-9, atol=1e-8)


# --- far away, and many draws ----------------------------------------------------------


@EVERY_PAIR
def test_log_density_of_absurd_parameters_is_never_nan(mixture, global_random_seed):
    for kind in KINDS:
        rng = np.random.default_rng(global_random_seed)
        scales = np.array([1.0, 10.0, 100.0, 1e3, 1e5, 1e300])
        u = rng.choice([-1.0, 1.0], (60, mixture.n_dim)) * rng.choice(scales, (60, mixture.n_dim))
        value = mixture.log_density(u, sample_of(kind, global_random_seed))
        assert not np.isnan(value).any()
        assert (value < np.inf).all()


def test_each_draw_has_the_same_bits_alone_and_among_many(global_random_seed):
    for kind in KINDS:
        sample = sample_of(kind, global_random_seed, n=1500)
        u = some_u(NORMALS, 60, global_random_seed)
        together = NORMALS.log_density(u, sample)
        alone = [NORMALS.log_density(row[np.newaxis], sample)[0] for row in u]
        assert together.tolist() == alone
        value, gradient = NORMALS.value_and_gradient(u, sample)
        for rows in (slice(0, 1), slice(27, 41), slice(45, 60)):
            parts = NORMALS.value_and_gradient(u[rows], sample)
            assert value[rows].tolist() == parts[0].tolist()
            assert gradient[rows].tolist() == parts[1].tolist()


# --- parameters ------------------------------------------------------------------------


@EVERY_PAIR
def test_values_and_real_are_inverse(mixture, global_random_seed):
    u = some_u(mixture, 5, global_random_seed)
    back = [mixture.real(*one_draw(mixture, row)) for row in u]
    assert_allclose(back, u, atol=1e-9)
    assert mixture.n_dim == u.shape[1] == len(mixture.parameters)
    assert mixture.name == f"{mixture.negative.name}-{mixture.positive.name}"


# --- rates and probabilities -----------------------------------------------------------


@EVERY_PAIR
def test_rates_are_the_survival_functions_of_the_classes(mixture, global_random_seed):
    u, thresholds = some_u(mixture, 3, global_random_seed), np.linspace(-1.0, 6.0, 15)
    prevalence, tpr, fpr = mixture.rates(u, thresholds)
    assert prevalence.shape == (3, 1)
    for i, row in enumerate(u):
        expected, negative, positive = one_draw(mixture, row)
        assert prevalence[i, 0] == expected
        assert_allclose(fpr[i], mixture.negative.sf(thresholds, *negative), rtol=1e-12)
        assert_allclose(tpr[i], mixture.positive.sf(thresholds, *positive), rtol=1e-12)


@EVERY_PAIR
def test_positive_probability_is_bayes_rule(mixture, global_random_seed):
    u, scores = some_u(mixture, 3, global_random_seed), np.linspace(0.7, 2.2, 20)
    found = mixture.positive_probability(u, scores)
    for row, probability in zip(u, found, strict=True):
        prevalence, p_0, p_1 = naive_densities(mixture, row, scores)
        expected = prevalence * p_1 / (prevalence * p_1 + (1.0 - prevalence) * p_0)
        assert_allclose(probability, expected, rtol=1e-7, atol=1e-9)


def test_positive_probability_of_a_tie_is_that_of_its_interval(global_random_seed):
    u, points = some_u(NORMALS, 2, global_random_seed), np.array([0.5, 0.9, 1.0, 1.1, 2.0])
    firsts = np.array([0, 1, 4])
    found = NORMALS.positive_probability(u, points, firsts)
    for row, probability in zip(u, found, strict=True):
        prevalence, p_0, p_1 = naive_densities(NORMALS, row, points)
        positive = np.add.reduceat(prevalence * p_1, firsts)
        negative = np.add.reduceat((1.0 - prevalence) * p_0, firsts)
        assert_allclose(probability, positive / (positive + negative), rtol=1e-7)


@EVERY_PAIR
def test_joint_densities_add_up_to_one(mixture):
    u = some_u(mixture)
    # Over the logarithm of the distance to the origin on each side, for poles and tails.
    t = np.linspace(-60.0, 60.0, 240_001)
    total = 0.0
    with np.errstate(over="ignore"):
        distance = np.exp(t)
    for side in (-1.0, 1.0):
        log_negative, log_positive = mixture.log_joint(u, side * distance)
        density = np.exp(log_negative) + np.exp(log_positive)
        total += np.sum(density[0] * distance) * (t[1] - t[0])
    assert_allclose(total, 1.0, atol=2e-3)


@EVERY_PAIR
def test_no_finite_score_is_impossible(mixture, global_random_seed):
    scores = np.array([-1e6, -30.0, 0.0, 1e-9, 1.0, 40.0, 1e6])
    u = some_u(mixture, 2, global_random_seed)
    probability = mixture.positive_probability(u, scores)
    assert ((probability >= 0.0) & (probability <= 1.0)).all()
    for log_density in mixture.log_score_density(u, scores):
        assert np.isfinite(log_density).all()


def test_density_where_neither_class_reaches_leaves_the_prevalence(global_random_seed):
    mixture = TwoClassMixture(Gamma(), Gamma(), PRIOR, LOCATION, SPREAD, RESOLUTION)
    u = some_u(mixture, 3, global_random_seed)
    prevalence = mixture.values(u)[0]
    assert_allclose(mixture.positive_probability(u, np.array([-5.0])), prevalence, rtol=1e-9)
