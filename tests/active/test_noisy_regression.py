"""The regression behind the joint model: its derivatives, and that draws are of its posterior."""

import dataclasses
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.active.label_models._noisy_regression import (
    CoefficientPrior,
    Rows,
    draw_coefficients,
)


def some_rows(seed, n=60, n_groups=3, n_features=3, noisy=True):
    """Return rows of all kinds: labelled or not, with a noisy label or not."""
    rng = np.random.default_rng(seed)
    return Rows(
        rng.normal(size=(n, n_features)),
        np.column_stack([np.ones(n), rng.normal(size=n)]),
        np.sort(rng.integers(0, n_groups, n)),
        rng.integers(-1, 2, n),
        rng.integers(-1, 2, n) if noisy else np.full(n, -1),
        rng.integers(1, 4, n).astype(float),
        n_groups,
    )


def likelihood_of_rows(rows, theta):
    """Return the log likelihood of each group, row by row, by its definition."""
    total = np.zeros(rows.n_groups)
    dx, dw = rows.x.shape[1], rows.w.shape[1]
    for i, c in enumerate(rows.group):
        alpha, right, wrong = np.split(theta[c], [dx, dx + dw])
        chance = {}
        for z, rate in ((1, right), (0, wrong)):
            p = special.expit(rows.x[i] @ alpha)
            tagged = special.expit(rows.w[i] @ rate)
            seen = {1: tagged, 0: 1.0 - tagged, -1: 1.0}[rows.noisy[i]]
            chance[z] = (p if z else 1.0 - p) * seen
        both = chance[0] + chance[1] if rows.label[i] < 0 else chance[rows.label[i]]
        total[c] += rows.count[i] * np.log(both)
    return total


def some_theta(rows, seed):
    size = (rows.n_groups, rows.x.shape[1] + 2 * rows.w.shape[1])
    return np.random.default_rng([seed, 1]).normal(size=size)


@pytest.mark.parametrize("noisy", [True, False])
def test_the_likelihood_is_that_of_its_rows(noisy, global_random_seed):
    rows = some_rows(global_random_seed, noisy=noisy)
    theta = some_theta(rows, global_random_seed)
    assert_allclose(rows.log_likelihood(theta), likelihood_of_rows(rows, theta), rtol=1e-12)


@pytest.mark.parametrize("verified", [1, 0])
def test_labels_chosen_because_of_a_disagreement_say_nothing_of_its_rate(verified):
    # Two items with a high score, one without a tag; two with a low score, one with a tag.
    scores = np.array([1.0, 1.0, -1.0, -1.0])
    noisy = np.array([1, 0, 1, 0])
    one_and_score = np.column_stack([np.ones(4), scores])
    disagree = np.flatnonzero((scores > 0.0) != (noisy == 1))
    labels = np.full(4, -1)
    labels[disagree[0]] = verified
    rows = Rows(one_and_score, np.ones((4, 1)), np.zeros(4, int), labels, noisy, np.ones(4), 1)

    # Coefficients of labels, and of tags of positives and of negatives: careful and careless users.
    log_likelihoods, exact = [], []
    for of_tags in ((3.0, -3.0), (1.0, -2.0), (0.2, -0.1)):
        theta = np.array([[-0.5, 1.5, *of_tags]])
        log_likelihoods.append(rows.log_likelihood(theta)[0])
        positive = special.expit(one_and_score @ theta[0, :2])
        tagged = special.expit(of_tags)
        total = 0.0
        for truth in itertools.product([0, 1], repeat=4):
            # One of those that disagree is drawn, and verified.
            probability = (truth[disagree[0]] == verified) / len(disagree)
            for z, y, p in zip(truth, noisy, positive, strict=True):
                of_tag = tagged[1 - z]
                probability *= (p if z else 1.0 - p) * (of_tag if y else 1.0 - of_tag)
            total += probability
        exact.append(np.log(total))
    assert_allclose(np.diff(log_likelihoods), np.diff(exact), rtol=1e-12)


def test_a_group_without_rows_says_nothing(global_random_seed):
    rows = some_rows(global_random_seed, n_groups=3)
    rows = Rows(
        rows.x, rows.w, rows.group + (rows.group > 0), rows.label, rows.noisy, rows.count, 4
    )
    theta = some_theta(rows, global_random_seed)
    gradient, curvature = rows.slope_and_curvature(theta)
    assert rows.log_likelihood(theta)[1] == 0.0
    assert not gradient[1].any()
    assert not curvature[1].any()
    assert np.abs(gradient[2]).min() > 0.0


@pytest.mark.parametrize("noisy", [True, False])
def test_gradient_and_curvature_are_those_of_finite_differences(noisy, global_random_seed):
    rows = some_rows(global_random_seed, noisy=noisy)
    theta, step = some_theta(rows, global_random_seed), 1e-5
    gradient, curvature = rows.slope_and_curvature(theta)
    for j in range(theta.shape[1]):
        up, down = theta.copy(), theta.copy()
        up[:, j] += step
        down[:, j] -= step
        # Central differences are off by h^2 times the third derivative, and by rounding / h.
        slope = (rows.log_likelihood(up) - rows.log_likelihood(down)) / (2 * step)
        assert_allclose(gradient[:, j], slope, rtol=1e-6, atol=1e-6)
        bend = [rows.slope_and_curvature(at)[0] for at in (up, down)]
        assert_allclose(curvature[:, j], (bend[1] - bend[0]) / (2 * step), rtol=1e-5, atol=1e-5)


def test_what_is_not_known_takes_off_the_variance_of_the_slope(global_random_seed):
    # Row by row: the mean curvature over both labels, less the variance of the slope.
    rows = some_rows(global_random_seed, 12)
    rows = dataclasses.replace(
        rows, group=np.arange(12), label=np.full(12, -1), count=np.ones(12), n_groups=12
    )
    theta = some_theta(rows, global_random_seed)
    each = [dataclasses.replace(rows, label=np.full(12, z)) for z in (0, 1)]
    chance = np.exp([known.log_likelihood(theta) for known in each])
    chance /= chance.sum(axis=0)
    slopes, curvatures = zip(*(known.slope_and_curvature(theta) for known in each), strict=True)
    mean = np.einsum("zc,zci->ci", chance, slopes)
    squares = np.einsum("zc,zci,zcj->cij", chance, slopes, slopes)
    variance = squares - mean[:, :, None] * mean[:, None, :]
    gradient, curvature = rows.slope_and_curvature(theta)
    assert_allclose(gradient, mean, rtol=1e-10, atol=1e-12)
    want = np.einsum("zc,zcij->cij", chance, curvatures) - variance
    assert_allclose(curvature, want, rtol=1e-9, atol=1e-12)


def integrated(rows, prior, low, high, n=61):
    """Return mean and standard deviation of each coefficient of one group, on a grid."""
    grids = [np.linspace(a, b, n) for a, b in zip(low, high, strict=True)]
    weight = 1.0
    for j, grid in enumerate(grids):
        # The spread is next to nothing beside the scale.
        own = stats.norm.pdf(grid, prior.mean[j], np.hypot(prior.scale[j], prior.spread[j]))
        weight = weight * own.reshape([-1 if j == k else 1 for k in range(3)])
    eta, right, wrong = np.meshgrid(*grids, indexing="ij")
    log_likelihood = 0.0
    for label, noisy, count in zip(rows.label, rows.noisy, rows.count, strict=True):
        terms = []
        for z, rate in ((1, right), (0, wrong)):
            sign = 1.0 if noisy == 1 else -1.0
            terms.append(special.log_expit(eta if z else -eta) + special.log_expit(sign * rate))
        both = np.logaddexp(*terms) if label < 0 else terms[1 - label]
        log_likelihood = log_likelihood + count * both
    weight = weight * np.exp(log_likelihood - log_likelihood.max())
    moments = []
    for j, grid in enumerate(grids):
        marginal = weight.sum(axis=tuple(k for k in range(3) if k != j))
        # What lies outside of the grid does not matter.
        assert max(marginal[0], marginal[-1]) < 1e-3 * marginal.max()
        marginal = marginal / marginal.sum()
        mean = (marginal * grid).sum()
        moments.append((mean, np.sqrt((marginal * (grid - mean) ** 2).sum())))
    return np.array(moments).T


@pytest.mark.slow
@pytest.mark.parametrize("n_known", [0, 12], ids=["nothing vetted", "some vetted"])
def test_draws_have_the_moments_of_the_posterior(n_known, global_random_seed):
    ones = np.ones((6, 1))
    label, noisy = np.array([1, 1, 0, 0, -1, -1]), np.array([1, 0, 1, 0, 1, 0])
    count = np.r_[np.array([4, 4, 1, 3]) * (n_known > 0), 30.0, 90.0]
    rows = Rows(ones, ones, np.zeros(6, int), label, noisy, count, 1)
    # With a wider prior, and nothing vetted, there is a long tail that few chains visit.
    prior = CoefficientPrior(
        np.array([0.0, 0.5, -2.0]), np.array([0.6, 0.6, 0.5]), np.full(3, 0.03)
    )
    mean, sd = integrated(rows, prior, [-9.0, -6.0, -9.0], [9.0, 7.0, 5.0])
    draws = draw_coefficients(rows, prior, 1500, np.random.default_rng(global_random_seed))[:, 0]
    # Draws hang together: the error of a mean is read from means of thirty batches of them, so
    # that it is off by seven errors once in 10,000,000 times (Student's t).
    batches = draws.reshape(30, 50, 3)
    error = batches.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(30.0)
    assert (error < 0.5 * sd).all()
    assert (np.abs(draws.mean(axis=0) - mean) < 7.0 * error).all()
    squares = (batches - mean) ** 2
    error = squares.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(30.0)
    assert (np.abs(squares.mean(axis=(0, 1)) - sd**2) < 7.0 * error).all()


@pytest.mark.slow
def test_two_groups_have_the_posterior_of_a_common_distribution(global_random_seed):
    # One coefficient, the mean integrated out by hand and the variance between groups by
    # quantiles of its law, which is spread^2 / u with u of a gamma law of shape 2.
    n_positive, n = np.array([9.0, 1.0]), np.array([10.0, 3.0])
    ones = np.ones((4, 1))
    counts = np.column_stack([n_positive, n - n_positive]).ravel()
    group, label = np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0])
    rows = Rows(ones, ones, group, label, np.full(4, -1), counts, 2)
    mean, scale, spread = 0.3, 0.8, 0.7
    prior = CoefficientPrior(
        np.array([mean, 0, 0]), np.array([scale, 1, 1]), np.array([spread, 1, 1])
    )
    grid = np.linspace(-7.0, 9.0, 101)
    first, second = np.meshgrid(grid, grid, indexing="ij")
    weight = 0.0
    for u in stats.gamma.ppf((np.arange(400) + 0.5) / 400, 2.0):
        variance = spread**2 / u
        both, off = first + second - 2 * mean, first - second
        # The sum and the difference of both coefficients are independent.
        width = 4 * scale**2 + 2 * variance
        density = np.exp(-(both**2) / (2 * width) - off**2 / (4 * variance))
        weight = weight + density / np.sqrt(width * variance)
    for theta, k, size in zip((first, second), n_positive, n, strict=True):
        weight = weight * np.exp(
            k * special.log_expit(theta) + (size - k) * special.log_expit(-theta)
        )
    weight /= weight.sum()
    draws = draw_coefficients(rows, prior, 1500, np.random.default_rng(global_random_seed))[:, :, 0]
    for values, theta in zip(draws.T, (first, second), strict=True):
        for power in (1, 2):
            want = (weight * theta**power).sum()
            batches = (values**power).reshape(30, 50).mean(axis=1)
            error = batches.std(ddof=1) / np.sqrt(30.0)
            assert error < 0.2 * np.sqrt((weight * theta ** (2 * power)).sum() - want**2)
            assert abs(batches.mean() - want) < 7.0 * error


def test_groups_lean_on_each_other(global_random_seed):
    # A group of one row follows the others; without their likeness it would stay at the prior.
    n = 400
    rng = np.random.default_rng(global_random_seed)
    label = np.r_[(rng.random(n) < 0.9).astype(int), 1]
    group = np.r_[np.repeat(np.arange(8), n // 8), 8]
    ones = np.ones((n + 1, 1))
    rows = Rows(ones, ones, group, label, np.full(n + 1, -1), np.ones(n + 1), 9)
    prior = CoefficientPrior(np.zeros(3), np.full(3, 2.0), np.full(3, 0.2))
    theta = draw_coefficients(rows, prior, 200, np.random.default_rng(global_random_seed))
    small = special.expit(theta[:, 8, 0])
    assert small.mean() == pytest.approx(0.9, abs=0.06)
    alone = Rows(ones[:1], ones[:1], group[:1], label[-1:], rows.noisy[:1], rows.count[:1], 1)
    alone = draw_coefficients(alone, prior, 200, np.random.default_rng(global_random_seed))
    assert special.expit(alone[:, 0, 0]).mean() < 0.8


def test_rows_that_are_put_together_count_as_often(global_random_seed):
    rows = some_rows(global_random_seed, 20)
    each = np.repeat(np.arange(20), rows.count.astype(int))
    one_by_one = Rows(
        *(part[each] for part in (rows.x, rows.w, rows.group, rows.label, rows.noisy)),
        np.ones(len(each)),
        3,
    )
    theta = some_theta(rows, global_random_seed)
    assert_allclose(rows.log_likelihood(theta), one_by_one.log_likelihood(theta), rtol=1e-12)
    pairs = zip(rows.slope_and_curvature(theta), one_by_one.slope_and_curvature(theta), strict=True)
    for one, other in pairs:
        assert_allclose(one, other, rtol=1e-10, atol=1e-12)
