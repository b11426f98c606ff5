"""The joint of mixtures and draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.datasets import make_scores
from sklearn_spe.families import Gamma, GumbelR, Norm
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.inference._draws import Draws
from sklearn_spe.mixtures._fit import fit_mixture, mixture_for
from sklearn_spe.mixtures._mixture_posterior import MixturePosterior

N_DRAWS = (150, 64, 1)
MIXTURE_WEIGHTS = np.array([0.5, 0.3, 0.2])
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6


@pytest.fixture(scope="module")
def sample(global_random_seed):
    scores, labels = make_scores(300, random_state=global_random_seed)
    labels[30:] = -1
    return ScoreSample.from_items(10.0 + 5.0 * scores, labels, np.ones(300))


@pytest.fixture(scope="module")
def posterior(sample, global_random_seed):
    """Three pairs of families, of different numbers of draws with different weights."""
    rng = np.random.default_rng(global_random_seed)
    scale = learn_scale(sample)
    mixtures = tuple(
        mixture_for(negative, positive, scale, BetaPrior())
        for negative, positive in ((Norm(), Norm()), (Gamma(), Norm()), (GumbelR(), GumbelR()))
    )
    draws = []
    for mixture, n, k in zip(mixtures, N_DRAWS, (0.1, 0.9, 0.3), strict=True):
        low, high = scale.transform(np.array([10.0, 20.0]))
        center = mixture.real(0.3, (low, 0.6), (high, 0.6))
        points = center + rng.normal(scale=0.1, size=(n, mixture.n_dim))
        draws.append(Draws(points, np.log(rng.dirichlet(np.ones(n))), k, -1.0))
    return MixturePosterior(scale, sample, mixtures, tuple(draws), MIXTURE_WEIGHTS)


def by_mixture(posterior):
    """Yield weight, mixture and one draw of it, for all draws in their order."""
    for share, mixture, draws in zip(
        posterior.mixture_weights, posterior.mixtures, posterior.draws, strict=True
    ):
        for weight, point in zip(draws.weights, draws.points, strict=True):
            yield share * weight, mixture, point[np.newaxis]


def over_blocks(posterior, function):
    return np.concatenate([function(block) for block in posterior.blocks()])


def test_blocks_cover_every_draw_once_and_in_order(posterior):
    blocks = posterior.blocks()
    rows = np.concatenate([np.arange(posterior.n_draws)[block.rows] for block in blocks])
    assert rows.tolist() == list(range(sum(N_DRAWS)))
    assert [block.index for block in blocks] == list(range(len(blocks)))
    for k, n in enumerate(N_DRAWS):
        own = [np.arange(n)[block.own_rows] for block in blocks if block.mixture == k]
        assert np.concatenate(own).tolist() == list(range(n))
    for block in blocks:
        assert block.rows.stop - block.rows.start == block.own_rows.stop - block.own_rows.start


def test_weights_are_those_of_the_mixture_times_those_of_the_draw(posterior):
    expected = [weight for weight, _, _ in by_mixture(posterior)]
    assert_allclose(posterior.weights, expected, rtol=1e-12)
    assert_allclose(posterior.weights.sum(), 1.0, rtol=1e-12)
    assert_allclose(posterior.ess, 1.0 / np.sum(np.square(expected)), rtol=1e-12)
    assert posterior.n_draws == sum(N_DRAWS)


def test_probability_averaged_over_pairs_is_mixed_by_hand(posterior):
    scores = np.array([-5.0, 10.0, 15.0, 18.0, 25.0])
    found = over_blocks(posterior, lambda block: posterior.positive_probability(scores, block))
    points = posterior.scale.transform(scores)
    expected = 0.0
    for weight, mixture, u in by_mixture(posterior):
        expected += weight * mixture.positive_probability(u, points)[0]
    assert found.shape == (posterior.n_draws, len(scores))
    # The small density far below both classes is added wherever one draw of a block needs it.
    assert_allclose(np.einsum("i,ij->j", posterior.weights, found), expected, atol=1e-6)


def test_rates_are_those_of_each_draw(posterior):
    scale = posterior.scale
    thresholds = np.linspace(5.0, 25.0, 7)
    for name in range(3):
        found = over_blocks(
            posterior, lambda block, name=name: posterior.population_rates(block, thresholds)[name]
        )
        expected = [
            mixture.rates(u, scale.transform(thresholds))[name][0]
            for _, mixture, u in by_mixture(posterior)
        ]
        assert_allclose(found, np.stack(expected), rtol=1e-12)


def test_everything_passes_the_smallest_score_and_nothing_jumps_at_thresholds_that_are_given(
    posterior,
):
    for block in posterior.blocks():
        smallest = posterior.sample.scores[0]
        _, tpr, fpr, steps = posterior.population_rates(block, [smallest, 15.0])
        assert (tpr[:, 0] == 1.0).all()
        assert (fpr[:, 0] == 1.0).all()
        assert steps.tolist() == [False, False]


def test_rates_of_a_whole_curve_rise_from_nothing_to_everything(posterior):
    for block in posterior.blocks():
        _, *rates, _ = posterior.population_rates(block)
        for rate in rates:
            assert (np.diff(rate, axis=1) >= 0.0).all()
            assert (rate[:, 0] < 1e-3).all()
            assert (rate[:, -1] == 1.0).all()


def test_prevalence_is_that_of_each_draw(posterior):
    estimate = posterior.prevalence()
    expected = [mixture.values(u)[0][0, 0] for _, mixture, u in by_mixture(posterior)]
    assert_allclose(estimate.draws, expected, rtol=1e-12)
    assert_allclose(estimate.weights, posterior.weights, rtol=1e-12)
    assert estimate.name == "prevalence"


def test_density_on_the_scale_of_the_user_integrates_to_one(posterior):
    # Far enough out that what is missing in the tails is less than the tolerance.
    scores = np.linspace(-60.0, 120.0, 10_001)
    for j in range(2):
        log_density = over_blocks(
            posterior, lambda block, j=j: posterior.log_score_density(scores, block)[j]
        )
        mass = np.exp(log_density).sum(axis=1) * (scores[1] - scores[0])
        prevalence = posterior.prevalence().draws
        assert_allclose(mass, prevalence if j else 1.0 - prevalence, atol=2e-3)


def test_predictive_density_is_the_mean_over_the_draws(posterior):
    scores = np.array([18.0, 5.0, 18.0, 10.0])
    for j, found in enumerate(posterior.log_predictive(scores)):
        log_density = over_blocks(
            posterior, lambda block, j=j: posterior.log_score_density(scores, block)[j]
        )
        assert_allclose(np.exp(found), posterior.weights @ np.exp(log_density), rtol=1e-9)


def test_parameters_are_the_moments_of_the_density_in_the_units_of_the_scores(posterior):
    scores = np.linspace(-60.0, 120.0, 10_001)
    # The last mixture has one draw.
    density = np.exp(np.concatenate(posterior.log_score_density(scores, posterior.blocks()[-1])))
    share = density.sum(axis=1)
    mean = density @ scores / share
    std = np.sqrt(density @ scores**2 / share - mean**2)
    found = {name: estimate.value for name, estimate in posterior.parameters(2).items()}
    assert_allclose(found.pop("prevalence"), share[1] / share.sum(), atol=1e-4)
    expected = np.c_[mean, std].ravel()
    assert list(found) == ["negative_mean", "negative_std", "positive_mean", "positive_std"]
    assert_allclose([*found.values()], expected, rtol=1e-3)


def test_probability_is_the_share_of_the_density(posterior):
    scores, block = np.linspace(5.0, 25.0, 9), posterior.blocks()[1]
    negative, positive = posterior.log_score_density(scores, block)
    share = 1.0 / (1.0 + np.exp(negative - positive))
    # The density is raised to a floor of about 1e-9 where one class has hardly any left.
    assert_allclose(posterior.positive_probability(scores, block), share, rtol=1e-9, atol=1e-8)


def test_pareto_k_is_the_worst_of_the_mixtures_that_matter(posterior):
    assert posterior.pareto_k == 0.9
    light = MixturePosterior(
        posterior.scale,
        posterior.sample,
        posterior.mixtures,
        posterior.draws,
        np.array([0.69, 0.01, 0.3]),
    )
    assert light.pareto_k == 0.3


def test_predictive_draws_follow_the_averaged_mixture(posterior, global_random_seed):
    n = 4000
    scores, labels = posterior.rvs(np.random.default_rng(global_random_seed), n)
    prevalence = float(posterior.prevalence().mean())
    assert stats.binomtest(int(labels.sum()), n, prevalence).pvalue > ALARM

    def below(score):
        total = np.zeros(len(score))
        for weight, mixture, u in by_mixture(posterior):
            share, tpr, fpr = mixture.rates(u, posterior.scale.transform(score))
            total += weight * (1.0 - share * tpr - (1.0 - share) * fpr)[0]
        return total

    assert stats.kstest(scores, below).pvalue > ALARM


def test_family_of_positive_scores_refuses_others_by_name():
    scores = np.array([-1.0, 0.5, 2.0])
    sample = ScoreSample.from_items(scores, np.full(3, -1), np.ones(3))
    scale = learn_scale(sample, "identity")
    for pair in ((Gamma(), Norm()), (Norm(), Gamma())):
        with pytest.raises(ValueError, match=r"'gamma' .*identity.* -1"):
            mixture_for(*pair, scale, BetaPrior())
    assert mixture_for(Norm(), Norm(), scale, BetaPrior()).name == "norm-norm"


# --- fits ------------------------------------------------------------------------------


@pytest.mark.parametrize("proposal", ["adaptive", "diagonal"])
def test_fit_of_many_labels_finds_the_moments_of_the_classes(proposal, global_random_seed):
    scores, labels = make_scores(2000, random_state=global_random_seed)
    sample = ScoreSample.from_items(scores, labels, np.ones(2000))
    scale = learn_scale(sample)
    mixture = mixture_for(Norm(), Norm(), scale, BetaPrior())
    rng = np.random.default_rng(global_random_seed)
    draws, log_likelihood = fit_mixture(mixture, scale.apply(sample), 400, rng, proposal=proposal)
    assert len(draws) == 400
    prevalence, *classes = mixture.values(draws.points)
    assert abs(draws.weights @ prevalence[:, 0] - labels.mean()) < 0.005
    for label, (mean, std) in enumerate(classes):
        own = scores[labels == label]
        found = draws.weights @ mean[:, 0] * scale.unit + scale.origin
        # Far inside one standard error: prior and sampling move it by little.
        assert abs(found - own.mean()) < 0.4 * own.std() / np.sqrt(len(own))
        assert_allclose(draws.weights @ std[:, 0] * scale.unit, own.std(), rtol=0.02)
    at_draws = mixture.log_likelihood(draws.points, scale.apply(sample))
    assert log_likelihood >= at_draws.max() - 1e-3
    best = sum(
        len(own) * np.log(share)
        + stats.norm(own.mean(), own.std()).logpdf(own).sum()
        + len(own) * np.log(scale.unit)
        for share, own in (
            (1.0 - labels.mean(), scores[labels == 0]),
            (labels.mean(), scores[labels == 1]),
        )
    )
    assert_allclose(log_likelihood, best, atol=1e-3)
