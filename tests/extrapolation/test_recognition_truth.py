"""The exact accuracy of recognition problems: by theory, by other integrals, and by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.extrapolation import BivariateNormalClasses, GaussianClasses

COUNTS = np.array([1, 2, 3, 10, 100, 1000, 10**4, 10**5, 10**6])
# Classes that are told apart badly and well, on a line and in space, by either rule.
TASKS = (
    BivariateNormalClasses(0.3),
    BivariateNormalClasses(0.99),
    GaussianClasses(),
    GaussianClasses(n_features=100, noise=2.0),
    GaussianClasses(n_features=5, noise=0.8, n_train=3),
    GaussianClasses(n_features=5, noise=0.8, n_train=3, rule="linear_discriminant"),
)
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6
EVERY_TASK = pytest.mark.parametrize("task", TASKS, ids=repr)


def rng(seed):
    return np.random.default_rng(seed)


def assert_means(draws, expected):
    """Compare means of independent draws, by Student's t."""
    errors = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    most = stats.t(len(draws) - 1).isf(ALARM / 2.0)
    assert (np.abs(draws.mean(axis=0) - expected) < most * errors).all()


# --- the bivariate normal of section 4.1 -------------------------------------------------


@pytest.mark.parametrize("correlation", [0.1, 0.95])
def test_conditional_accuracy_is_the_probability_to_beat_a_random_class(
    correlation, global_random_seed
):
    task = BivariateNormalClasses(correlation)
    x, y = np.array([-2.0, 0.0, 0.3, 1.5]), np.array([0.5, 0.1, -1.0, 2.0])
    others = rng(global_random_seed).standard_normal((200_000, 1))
    beaten = np.abs(correlation * others - x) > np.abs(correlation * y - x)
    assert_means(beaten.astype(float), task.conditional_accuracy(x, y))


@pytest.mark.parametrize("x", [-3.0, 0.4])
def test_conditional_accuracy_of_a_random_class_is_uniform_given_the_test_point(
    x, global_random_seed
):
    # Lemma 4.1.
    u = BivariateNormalClasses(0.6).conditional_accuracy(
        x, rng(global_random_seed).standard_normal(4000)
    )
    assert stats.kstest(u, "uniform").pvalue > ALARM


@pytest.mark.parametrize("n_classes", [2, 5, 40])
def test_the_best_wrong_class_follows_a_beta_distribution(n_classes, global_random_seed):
    # Equation (7).
    y = rng(global_random_seed).standard_normal((2000, n_classes - 1))
    best = BivariateNormalClasses(0.6).conditional_accuracy(0.8, y).max(axis=1)
    assert stats.kstest(best, stats.beta(n_classes - 1, 1).cdf).pvalue > ALARM


def test_conditional_accuracy_keeps_its_digits_where_it_is_small():
    # Far beyond all classes, on either side: the normal tails themselves.
    task = BivariateNormalClasses(0.5)
    assert_allclose(task.conditional_accuracy(0.0, 20.0), 2.0 * stats.norm.sf(20.0), rtol=1e-12)
    assert task.conditional_accuracy(0.0, 0.0) == 1.0


def moments_by_formula(correlation, counts):
    """Integrate U ** (k - 1) over test points and labels, by the trapezoidal rule.

    A label lies a distance e^t to either side of its test point.
    """
    task = BivariateNormalClasses(correlation)
    x, t = np.linspace(-9.0, 9.0, 481)[:, np.newaxis], np.arange(-45.0, 3.5, 0.05)
    distance, rest = np.exp(t), 1.0 - correlation**2
    total = np.zeros(len(counts))
    for side in (-1.0, 1.0):
        y = (x + side * distance) / correlation
        density = np.exp(-0.5 * x**2 - 0.5 * (y - correlation * x) ** 2 / rest)
        density /= 2.0 * np.pi * np.sqrt(rest)
        weights = density * distance / correlation * (x[1] - x[0]) * (t[1] - t[0])
        u = task.conditional_accuracy(x, y)
        total += [np.sum(weights * u ** (k - 1)) for k in counts]
    return total


def test_accuracy_is_the_integral_over_test_points_and_labels():
    correlation = 0.5
    expected = moments_by_formula(correlation, COUNTS)
    assert_allclose(BivariateNormalClasses(correlation).accuracy(COUNTS), expected, rtol=1e-8)


# --- Gaussian classes --------------------------------------------------------------------


def conditional_accuracies(task, n_points, seed):
    """Draw U from its definition, for a rule that looks at one centroid a class.

    The distance of a random centroid from the test point is noncentral chi-square.
    """
    generator = rng(seed)
    shape = (n_points, task.n_features)
    means = generator.standard_normal(shape)
    points = means + task.noise * generator.standard_normal(shape)
    spread = task.noise / np.sqrt(task.n_train)
    centroids = means + spread * generator.standard_normal(shape)
    distances = np.sum((points - centroids) ** 2, axis=1)
    variance = 1.0 + spread**2
    offsets = np.sum(points**2, axis=1)
    return stats.ncx2.sf(distances / variance, task.n_features, offsets / variance)


ONE_CENTROID = pytest.mark.parametrize(
    "task",
    [
        GaussianClasses(),
        GaussianClasses(n_features=2, noise=0.1),
        GaussianClasses(n_features=30, noise=2.0, n_train=7, rule="linear_discriminant"),
    ],
    ids=repr,
)


@pytest.mark.slow
@ONE_CENTROID
def test_accuracy_is_a_moment_of_the_conditional_accuracy(task, global_random_seed):
    u = conditional_accuracies(task, 20_000, global_random_seed)
    counts = np.array([2, 10, 100, 1000, 10_000])
    assert_means(u[:, np.newaxis] ** (counts - 1), task.accuracy(counts))


@ONE_CENTROID
def test_distribution_is_that_of_the_conditional_accuracy(task, global_random_seed):
    u = conditional_accuracies(task, 5000, global_random_seed)
    assert stats.kstest(u, task.distribution).pvalue > ALARM


@pytest.mark.slow
def test_several_training_points_have_the_accuracy_of_simulated_ones(global_random_seed):
    # The true class and one wrong class a time, without any quadrature.
    task = GaussianClasses(n_features=2, noise=0.7, n_train=4)
    generator = rng(global_random_seed)
    shape = (50_000, 1, 2)
    means, others = generator.standard_normal(shape), generator.standard_normal(shape)
    points = means + 0.7 * generator.standard_normal(shape)

    def nearest(centers):
        training = centers + 0.7 * generator.standard_normal((shape[0], 4, 2))
        return np.min(np.sum((training - points) ** 2, axis=2), axis=1)

    assert_means((nearest(means) < nearest(others)).astype(float), task.accuracy(2))


# --- every task --------------------------------------------------------------------------


@pytest.mark.slow
@EVERY_TASK
def test_accuracy_is_that_of_random_problems(task, global_random_seed):
    generator = rng(global_random_seed)
    accuracies = []
    for _ in range(30):
        scores, labels = task.draw(30, 1, generator)
        # Of fewer classes, too: the first ones of each problem.
        correct = scores[:8, :8].argmax(axis=1) == labels[:8]
        accuracies.append([np.mean(scores.argmax(axis=1) == labels), correct.mean()])
    assert_means(np.array(accuracies), task.accuracy([30, 8]))


@EVERY_TASK
def test_accuracy_is_the_integral_of_theorem_4_1(task):
    # With u = w^(1 / (k - 1)), it is one minus the integral of the distribution over w in [0, 1].
    # Where w is near an end, the distribution may be steep: w = 1 / (1 + e^-s).
    s, step = np.linspace(-36.0, 36.0, 160, retstep=True)
    density = special.expit(s) * special.expit(-s)
    for k in (2, 2000):
        u = np.exp(special.log_expit(s) / (k - 1))
        integral = step * np.sum(density * task.distribution(u))
        assert_allclose(task.accuracy(k), 1.0 - integral, atol=1e-6)
