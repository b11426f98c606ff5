"""Expectation maximization of problems that are written out here, against their known maxima."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.inference._em import EmPath, expectation_maximization, newton_leap

# Tiny steps of the log likelihood are lost in its rounding.
ROUNDING = 1e-12


class CensoredTimes:
    """Exponential times of which most are known to be longer than 1 only; u is the log mean."""

    def __init__(self, n=400, mean=9.0, seed=0):
        times = np.random.default_rng(seed).exponential(mean, n)
        self.known = times < 1.0
        self.total, self.n_known, self.n = np.minimum(times, 1.0).sum(), self.known.sum(), n
        # What is known has the likelihood of so many events in the time under watch.
        self.maximum = np.log(self.total / self.n_known)

    def log_likelihood(self, u):
        return -self.n_known * u - self.total * np.exp(-u)

    def e_step(self, point):
        mean = np.exp(point[0])
        # A time longer than 1 is 1 + mean long, in expectation.
        return self.log_likelihood(point[0]), self.total + (self.n - self.n_known) * mean

    def m_step(self, expected, point):
        return np.log([expected / self.n])

    def value_and_gradient(self, u):
        return self.log_likelihood(u[:, 0]), -self.n_known + self.total * np.exp(-u)


class TwoNormals:
    """Two normals of which `n_labels` items have a label; the point is (share, means, stds)."""

    def __init__(self, n_labels, n=300, seed=0):
        rng = np.random.default_rng(seed)
        labels = rng.random(n) < 0.3
        self.scores = rng.normal(2.0 * labels, 1.0)
        self.positive = np.where(np.arange(n) < n_labels, labels, np.nan)

    def e_step(self, point):
        share, *moments = point
        joint = np.array([1.0 - share, share])[:, None] * stats.norm(
            np.reshape(moments[:2], (2, 1)), np.reshape(moments[2:], (2, 1))
        ).pdf(self.scores)
        labeled = ~np.isnan(self.positive)
        known = np.where(self.positive == 1.0, joint[1], joint[0])
        total = np.where(labeled, known, joint.sum(axis=0))
        return np.log(total).sum(), np.where(labeled, self.positive, joint[1] / joint.sum(axis=0))

    def m_step(self, expected, point):
        weights = np.array([1.0 - expected, expected])
        sums = weights.sum(axis=1)
        means = weights @ self.scores / sums
        stds = np.sqrt((weights * (self.scores - means[:, None]) ** 2).sum(axis=1) / sums)
        return np.array([expected.mean(), *means, *stds])


START = np.array([0.5, -1.0, 1.5, 2.0, 2.0])


def linkage(theta):
    """Return the log likelihood of the genetic linkage of Rao, and the expected hidden count."""
    (theta,) = theta
    value = 125.0 * np.log(2.0 + theta) + 38.0 * np.log(1.0 - theta) + 34.0 * np.log(theta)
    return value, 125.0 * theta / (2.0 + theta)


@pytest.mark.parametrize("n_labels", [0, 30, 300])
def test_the_likelihood_never_decreases(n_labels, global_random_seed):
    problem = TwoNormals(n_labels, seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, START)
    assert (np.diff(path.log_likelihoods) >= 0.0).all()
    assert path.log_likelihoods[0] == problem.e_step(START)[0]
    assert path.log_likelihood == problem.e_step(path.point)[0] == path.log_likelihoods[-1]
    assert path.n_iter == len(path.log_likelihoods) - 1
    # One seed of unlabelled items is still on its way up a degenerate maximum after 500 steps.
    assert path.converged == (path.last_change <= 1e-8) == (path.n_iter < 500)


def test_the_end_is_a_stationary_point_of_the_likelihood(global_random_seed):
    problem = TwoNormals(30, seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, START, tol=1e-14, max_iter=5000)
    step = 1e-4
    for j, axis in enumerate(np.eye(5)):
        ahead, behind = (problem.e_step(path.point + sign * step * axis)[0] for sign in (1, -1))
        curvature = (2.0 * path.log_likelihood - ahead - behind) / step**2
        # The distance to the top, in standard errors.
        assert abs(ahead - behind) / (2.0 * step) < 1e-3 * np.sqrt(curvature), j


def test_all_labels_known_is_one_step_to_the_estimates_of_each_class(global_random_seed):
    problem = TwoNormals(300, seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, START)
    positives = problem.scores[problem.positive == 1.0]
    # The second step gains nothing.
    assert path.n_iter <= 2
    assert_allclose(path.point[[2, 4]], [positives.mean(), positives.std()], rtol=1e-12)
    assert_allclose(path.point[0], len(positives) / 300, rtol=1e-12)


def test_linkage_of_genes_is_the_root_of_its_quadratic():
    path = expectation_maximization(
        linkage, lambda hidden, _: np.array([(hidden + 34.0) / (hidden + 72.0)]), [0.5], tol=1e-15
    )
    # The derivative of the likelihood is zero where 197 theta^2 - 15 theta - 68 is.
    assert_allclose(path.point, [(15.0 + np.sqrt(53809.0)) / 394.0], rtol=1e-7)


def test_censored_times_have_the_mean_of_time_under_watch_for_each_event(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    path = expectation_maximization(
        problem.e_step, problem.m_step, [0.0], tol=1e-15, max_iter=10_000
    )
    # A relative change of the likelihood of 1e-15 leaves steps of its square root.
    assert_allclose(path.point, [problem.maximum], atol=1e-6)


@pytest.mark.parametrize("start", [-1.0, 0.0, 5.0])
def test_with_a_leap_the_same_maximum_in_fewer_steps(start, global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    options = {"tol": 1e-12, "max_iter": 10_000}
    alone = expectation_maximization(problem.e_step, problem.m_step, [start], **options)
    leap = newton_leap(problem.value_and_gradient)
    ahead = expectation_maximization(problem.e_step, problem.m_step, [start], leap=leap, **options)
    assert ahead.n_iter < alone.n_iter / 2
    # The curvature at the top is the number of events: so far from it costs 1e-8.
    error = np.sqrt(2e-8 / problem.n_known)
    assert_allclose(ahead.point, [problem.maximum], atol=error)
    assert ahead.log_likelihood >= alone.log_likelihood - 1e-8
    assert (np.diff(ahead.log_likelihoods) >= 0.0).all()


def test_the_leap_ends_at_the_top_of_the_hill(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    end = newton_leap(problem.value_and_gradient)(np.array([5.0]))
    lost = problem.log_likelihood(problem.maximum) - problem.log_likelihood(end[0])
    # The climb stops at a gain of 1e-4.
    size = abs(problem.log_likelihood(problem.maximum))
    assert -ROUNDING * size <= lost < 1e-4


@pytest.mark.parametrize("far", [40.0, -8.0, np.nan], ids=["low", "very low", "nowhere"])
def test_a_leap_that_lands_lower_is_not_taken(far, global_random_seed):
    problem, landed = CensoredTimes(seed=global_random_seed), []

    def leap(point):
        landed.append(point)
        return np.array([far])

    alone = expectation_maximization(problem.e_step, problem.m_step, [0.0])
    path = expectation_maximization(problem.e_step, problem.m_step, [0.0], leap=leap)
    assert landed
    assert np.array_equal(path.log_likelihoods, alone.log_likelihoods)
    assert np.array_equal(path.point, alone.point)


@pytest.mark.parametrize("max_iter", [1, 3, 12])
def test_too_few_iterations_are_reported_and_the_best_iterate_is_kept(max_iter, global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, [0.0], max_iter=max_iter)
    assert not path.converged
    assert path.n_iter == max_iter
    last, before = path.log_likelihoods[-1], path.log_likelihoods[-2]
    assert_allclose(path.last_change, (last - before) / abs(before), rtol=1e-9)
    assert path.last_change > 1e-8
    assert problem.log_likelihood(path.point[0]) == path.log_likelihoods.max()
    assert repr(path).endswith(f"last change {path.last_change:.1e})")


def test_no_iteration_leaves_the_start(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, [0.3], max_iter=0)
    assert (path.point.tolist(), path.n_iter, path.converged) == ([0.3], 0, False)
    assert path.last_change == np.inf


def test_the_tolerance_is_a_share_of_the_size_of_the_likelihood(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    for tol in (1e-3, 1e-6):
        path = expectation_maximization(problem.e_step, problem.m_step, [0.0], tol=tol)
        changes = np.diff(path.log_likelihoods) / np.abs(path.log_likelihoods[:-1])
        assert path.converged
        assert changes[-1] <= tol * (1.0 + ROUNDING)
        assert (changes[:-1] > tol).all()


def test_a_step_to_nowhere_is_not_taken_and_is_no_convergence(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    path = expectation_maximization(problem.e_step, lambda *_: np.array([np.nan]), [0.0])
    assert (path.point.tolist(), path.n_iter, path.converged) == ([0.0], 0, False)


@pytest.mark.parametrize("value", [-np.inf, np.nan, np.inf])
def test_a_start_without_likelihood_is_an_error(value):
    with pytest.raises(ValueError, match=r"start \[1.0, 2.0\] is .*must be finite"):
        expectation_maximization(lambda _: (value, None), lambda *_: None, [1.0, 2.0])


def test_the_start_is_not_written_to(global_random_seed):
    problem, start = CensoredTimes(seed=global_random_seed), np.zeros(1)
    expectation_maximization(problem.e_step, problem.m_step, start)
    assert start.tolist() == [0.0]


def test_a_path_is_read_only_before_a_pickle_and_after(global_random_seed):
    problem = CensoredTimes(seed=global_random_seed)
    path = expectation_maximization(problem.e_step, problem.m_step, [0.0])
    again = pickle.loads(pickle.dumps(path))
    assert isinstance(again, EmPath)
    assert repr(again) == repr(path)
    for one in (path, again):
        for name in ("point", "log_likelihoods"):
            assert np.array_equal(getattr(one, name), getattr(path, name))
            with pytest.raises(ValueError, match="read-only"):
                getattr(one, name)[0] = 1.0
    assert (again.last_change, again.converged) == (path.last_change, path.converged)
