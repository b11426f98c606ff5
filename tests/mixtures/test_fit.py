"""The maximum of the likelihood of one mixture, and the normal law around it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.mixture import GaussianMixture

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families import Gamma
from sklearn_spe.inference._modes import NormalDraws, climb, find_modes
from sklearn_spe.inference._sampling import adaptive_importance_sample
from sklearn_spe.mixtures._fit import fit_mixture, maximize_likelihood
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.functional.problems import LOCATION, draw_problem, mixture_of

TRUTH = (0.3, (LOCATION - 0.5, 0.6), (LOCATION + 1.5, 0.8))


def rng(seed):
    return np.random.default_rng(seed)


def flat(mixture, u):
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    return np.array([v[0, 0] for v in (prevalence, *negative, *positive)])


def climbed(mixture, sample, seed, n_draws=10):
    draws, log_likelihood = maximize_likelihood(mixture, sample, n_draws, rng(seed))
    return flat(mixture, draws.center), draws, log_likelihood


@pytest.mark.parametrize("pair", [("norm", "norm"), ("gamma", "norm"), ("lognorm", "gamma")])
def test_with_all_labels_known_each_class_has_its_own_maximum(pair, global_random_seed):
    problem = draw_problem(*pair, global_random_seed, n_labels=300, truth=TRUTH)
    mixture, sample = problem.mixture, problem.sample
    values, _, log_likelihood = climbed(mixture, sample, global_random_seed)
    negative = mixture.negative.maximum_likelihood(sample.scores, sample.negative)
    positive = mixture.positive.maximum_likelihood(sample.scores, sample.positive)
    share = sample.positive.sum() / 300.0
    assert_allclose(values, [share, *negative, *positive], rtol=1e-9)
    joint = sample.negative @ mixture.negative.logpdf(sample.scores, *negative)
    joint += sample.positive @ mixture.positive.logpdf(sample.scores, *positive)
    joint += 300.0 * (share * np.log(share) + (1.0 - share) * np.log1p(-share))
    assert_allclose(log_likelihood, joint, rtol=1e-12)


def test_scores_alone_are_fitted_as_well_as_by_the_gaussian_mixture_of_scikit_learn(
    global_random_seed,
):
    generator = rng(global_random_seed)
    labels = generator.random(800) < 0.3
    # Far apart, so that the climb of scikit-learn does not end on a ridge.
    scores = generator.normal(3.0 + 3.0 * labels, 0.6 + 0.3 * labels)
    sample = ScoreSample.from_items(scores, np.full(800, -1), np.ones(800))
    values, _, log_likelihood = climbed(mixture_of("norm", "norm"), sample, global_random_seed)
    column = scores[:, np.newaxis]
    other = GaussianMixture(
        2, tol=1e-10, max_iter=5000, n_init=3, random_state=global_random_seed
    ).fit(column)
    expected = other.score(column) * 800.0
    assert log_likelihood >= expected - 1e-6 * abs(expected)
    # Either naming of the components is as likely: the higher one is that of the positives.
    assert values[1] < values[3]
    order = np.argsort(other.means_[:, 0])
    errors = other.covariances_[order, 0, 0] / (800.0 * other.weights_[order])
    difference = values[[1, 3]] - other.means_[order, 0]
    assert (np.abs(difference) < 0.1 * np.sqrt(errors)).all()


@pytest.mark.parametrize("pair", [("norm", "norm"), ("gamma", "truncnorm"), ("gumbel_l", "norm")])
def test_no_climb_to_the_posterior_mode_finds_a_likelier_neighbour(pair, global_random_seed):
    problem = draw_problem(*pair, global_random_seed, n_labels=40, truth=TRUTH)
    mixture, sample = problem.mixture, problem.sample
    _, _, log_likelihood = climbed(mixture, sample, global_random_seed)
    _, next_to_mode = fit_mixture(mixture, sample, 25, rng(global_random_seed))
    # Both stop at a relative gain of 1e-8.
    assert log_likelihood >= next_to_mode - 1e-6 * abs(next_to_mode)
    assert log_likelihood >= mixture.log_likelihood(problem.truth[np.newaxis], sample)[0]


def test_the_centre_is_a_stationary_point(global_random_seed):
    problem = draw_problem("norm", "norm", global_random_seed, n_labels=40, truth=TRUTH)
    mixture, sample = problem.mixture, problem.sample
    _, draws, log_likelihood = climbed(mixture, sample, global_random_seed)
    value, gradient = mixture.value_and_gradient(draws.center[np.newaxis], sample, prior=False)
    assert_allclose(value, log_likelihood, rtol=1e-12)
    curvature = information(mixture, sample, draws.center)
    # What is left to gain, in nats, is half of this.
    assert gradient[0] @ np.linalg.solve(curvature, gradient[0]) < 1e-3


def information(mixture, sample, u, prior=False):
    """Return minus the Hessian of the log likelihood, by differences of its gradient."""
    step = 1e-4
    ends = [
        mixture.value_and_gradient(u + sign * step * np.eye(len(u)), sample, prior=prior)[1]
        for sign in (1.0, -1.0)
    ]
    hessian = (ends[1] - ends[0]) / (2.0 * step)
    return (hessian + hessian.T) / 2.0


def test_the_draws_have_the_observed_information_of_likelihood_and_prior(global_random_seed):
    problem = draw_problem("norm", "norm", global_random_seed, n_labels=100, truth=TRUTH)
    mixture, sample = problem.mixture, problem.sample
    n_draws = 8000
    _, draws, _ = climbed(mixture, sample, global_random_seed, n_draws=n_draws)
    root = np.linalg.cholesky(information(mixture, sample, draws.center, prior=True))
    z = (draws.points - draws.center) @ root
    errors = np.sqrt((1.0 + np.eye(mixture.n_dim)) / (n_draws / 2))
    assert (np.abs(z.T @ z / n_draws - np.eye(mixture.n_dim)) < 5.0 * errors).all()
    # Five priors say little beside 300 items.
    alone = information(mixture, sample, draws.center)
    assert_allclose(np.diag(root @ root.T), np.diag(alone), rtol=0.2)


def test_the_mean_of_the_positives_is_as_uncertain_as_that_of_a_sample(global_random_seed):
    generator = rng(global_random_seed)
    labels = (generator.random(2000) < 0.3).astype(int)
    scores = generator.normal(3.0 + 2.0 * labels, 0.8)
    sample = ScoreSample.from_items(scores, labels, np.ones(2000))
    mixture, n_draws = mixture_of("norm", "norm"), 8000
    _, draws, _ = climbed(mixture, sample, global_random_seed, n_draws=n_draws)
    _, negative, positive = mixture.values(draws.points)
    share, n = labels.mean(), 2000.0
    prevalence = mixture.values(draws.points)[0][:, 0]
    # A standard deviation from n / 2 pairs has a relative error of 1 / sqrt(n); the map of the
    # standard deviations and of the prevalence bends, which adds a percent.
    tolerance = 5.0 / np.sqrt(n_draws) + 0.01
    assert_allclose(prevalence.std(), np.sqrt(share * (1.0 - share) / n), rtol=tolerance)
    for k, (mean, std) in enumerate((negative, positive)):
        own = scores[labels == k]
        assert_allclose(mean.std(), own.std() / np.sqrt(len(own)), rtol=tolerance)
        assert_allclose(std.std(), own.std() / np.sqrt(2.0 * len(own)), rtol=tolerance)


def test_a_climb_that_is_cut_short_says_so(global_random_seed):
    problem = draw_problem("norm", "norm", global_random_seed, n=300, n_labels=0, truth=TRUTH)
    draws, value = maximize_likelihood(
        problem.mixture, problem.sample, 10, rng(global_random_seed), tol=1e-15, max_iter=1
    )
    assert isinstance(draws, NormalDraws)
    assert not draws.converged
    assert draws.last_change > 1e-15
    assert np.isfinite(draws.points).all()
    longer, higher = maximize_likelihood(
        problem.mixture, problem.sample, 10, rng(global_random_seed)
    )
    assert longer.converged
    assert higher >= value


def test_no_start_with_a_likelihood_is_an_error_that_names_the_families(global_random_seed):
    mixture = TwoClassMixture(Gamma(), Gamma())
    scores = np.linspace(-1.0, 2.0, 20)
    sample = ScoreSample.from_items(scores, np.full(20, -1), np.ones(20))
    with pytest.raises(ValueError, match=r"No start .* under the families gamma-gamma"):
        maximize_likelihood(mixture, sample, 10, rng(global_random_seed))


@pytest.mark.slow
def test_estimates_lie_within_their_standard_errors_of_the_truth(global_random_seed):
    # z of every parameter over simulations, half of the labels known.
    n_simulations, z = 80, []
    for k in range(n_simulations):
        seed = n_simulations * global_random_seed + k
        problem = draw_problem("norm", "norm", seed, n=600, n_labels=300, truth=TRUTH)
        values, draws, _ = climbed(problem.mixture, problem.sample, seed, n_draws=200)
        columns = problem.mixture.values(draws.points)
        spread = [v.std() for v in (columns[0], *columns[1], *columns[2])]
        z.append((values - flat(problem.mixture, problem.truth)) / spread)
    # The mean square of so many z has a standard error of sqrt(2 / n); 15% for what is not normal.
    # Five of them, and a mean of 1e-6, are a false alarm in 100,000 runs.
    mean_square = np.mean(np.square(z), axis=0)
    assert (np.abs(mean_square - 1.0) < 5.0 * np.sqrt(2.0 / n_simulations) + 0.15).all()
    assert stats.norm.sf(np.abs(np.mean(z, axis=0)) * np.sqrt(n_simulations)).min() > 1e-6


@pytest.mark.parametrize("pair", [("norm", "norm"), ("gamma", "norm"), ("lognorm", "gumbel_r")])
def test_draws_made_in_few_cells_are_those_of_all_scores(pair, global_random_seed):
    problem = draw_problem(*pair, global_random_seed, n=3000, n_labels=60, truth=TRUTH)
    mixture, sample = problem.mixture, problem.sample
    few, highest_of_few = fit_mixture(mixture, sample, 1000, rng(global_random_seed))

    # The same by all scores, from the best of these draws.
    best = few.points[few.log_weights.argmax()][np.newaxis]
    modes = find_modes(lambda u: mixture.value_and_gradient(u, sample), best)
    every = adaptive_importance_sample(
        lambda u: mixture.log_density(u, sample), modes, 1000, rng(global_random_seed)
    )
    _, highest = climb(lambda u: mixture.value_and_gradient(u, sample, prior=False), modes.points)

    # Both climb until a step gains less than 1e-4.
    assert_allclose(highest_of_few, highest[0], atol=0.01)

    # The weights of n draws of which m are effective vary by sqrt(n / m - 1).
    error = np.sqrt(sum((len(draws) / draws.ess - 1.0) / len(draws) for draws in (few, every)))
    assert abs(few.log_evidence - every.log_evidence) < 5.0 * error + 0.01

    means = [draws.weights @ draws.points for draws in (few, every)]
    spread = np.sqrt(every.weights @ (every.points - means[1]) ** 2)
    error = spread * np.sqrt(1.0 / few.ess + 1.0 / every.ess)
    assert (np.abs(means[0] - means[1]) < 5.5 * error).all()
