"""What is believed of the prevalence where nothing is said of it."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families import BetaPrior
from sklearn_spe.models._fit_settings import (
    check_prevalence_prior,
    prevalence_prior_given,
    prior_of_labeled_tail,
)
from tests.quick import QUIET

pytestmark = QUIET

N = 1000


def sample(labeled):
    """Return 1,000 distinct scores, those at the given ranks from below labelled."""
    codes = np.full(N, -1)
    codes[labeled] = np.arange(len(labeled)) % 2
    return ScoreSample.from_items(np.arange(float(N)), codes, np.ones(N))


def test_a_prior_that_is_given_is_kept():
    prior = BetaPrior(2.0, 5.0)
    for labeled in (range(10), range(990, 1000), []):
        assert prevalence_prior_given(prior, sample(list(labeled))) == prior


def test_without_labels_or_with_labels_from_anywhere_it_is_uniform(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for n in (0, 30, 200):
        assert prevalence_prior_given(None, sample(rng.permutation(N)[:n])) == BetaPrior()
    assert prevalence_prior_given(None, sample(list(range(N)))) == BetaPrior()


def test_where_only_the_tail_is_labeled_the_bare_mixture_hardly_expects_more_than_its_items():
    prior = prevalence_prior_given(None, sample(list(range(980, 1000))))
    # Nearly flat in the logarithm, up to one in fifty.
    assert_allclose([prior.a, prior.b], [0.1, 50.0])


def test_the_prior_of_a_labeled_tail_is_flat_in_the_log_up_to_it_and_a_power_beyond():
    prior = prior_of_labeled_tail(sample(list(range(980, 1000))))
    assert (prior.share, prior.rarity, prior.is_flat) == (0.02, 1.0, False)
    log_density = prior.logpdf(np.array([1e-4, 1e-3, 2e-3, 0.2, 0.4]))
    # Below one item nothing changes; the density of the log falls by a power of .1, then of -.9.
    assert log_density[0] == log_density[1]
    assert log_density[2] - log_density[1] == pytest.approx(-0.9 * np.log(2.0) - np.log(1.1 / 1.05))
    assert log_density[4] - log_density[3] == pytest.approx(-0.9 * np.log(2.0) - np.log(21 / 11))
    assert prior_of_labeled_tail(sample([])).is_flat


@pytest.mark.parametrize("n_labeled", [20, 150, 400])
def test_curves_have_the_mirror_image_of_that_prior(n_labeled):
    top, bottom = (
        prior_of_labeled_tail(sample(list(labeled)))
        for labeled in (range(N - n_labeled, N), range(n_labeled))
    )
    shares = np.array([0.001, 0.01, 0.2, 0.7])
    assert_allclose(top.logpdf(shares), bottom.logpdf(1.0 - shares))


@pytest.mark.parametrize("n_labeled", [20, 150, 400])
def test_labels_of_the_other_tail_give_the_mirror_image(n_labeled):
    top, bottom = (
        prevalence_prior_given(None, sample(list(labeled)))
        for labeled in (range(N - n_labeled, N), range(n_labeled))
    )
    assert_allclose([top.a, top.b], [bottom.b, bottom.a])


def test_it_changes_smoothly_with_the_share_that_is_labeled():
    shares = [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.8]
    tails = [sample(list(range(round(N * (1 - s)), N))) for s in shares]
    rarity = [prior_of_labeled_tail(tail).rarity for tail in tails]
    # All labels lie above a share 1 - s of the items.
    assert_allclose(rarity, np.minimum((1.0 - np.array(shares)) / 0.9, 1.0), atol=1e-9)


def test_labels_that_are_half_from_the_tail_leave_positives_rare(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    half = sample([*range(980, 1000), *rng.choice(980, 20, replace=False)])
    prior = prior_of_labeled_tail(half)
    concentration = half.labeled_tail[0]
    assert concentration >= 0.48
    assert prior.rarity == pytest.approx(min(concentration / 0.9, 1.0))
    assert prior.exponent == pytest.approx(0.1**prior.rarity)
    # Families, which a histogram of the scores informs, take them for spread over all scores.
    even = sample([*range(980, 1000), *range(24, 980, 48)])
    assert prevalence_prior_given(None, even) == BetaPrior()


def test_weights_count_as_repeated_items():
    scores, codes = np.arange(6.0), np.array([-1, -1, -1, 0, 1, 1])
    weights = 10.0 * np.array([5.0, 3.0, 2.0, 1.0, 2.0, 1.0])
    weighted = ScoreSample.from_items(scores, codes, weights)
    times = weights.astype(int)
    repeated = ScoreSample.from_items(
        np.repeat(scores, times), np.repeat(codes, times), np.ones(times.sum())
    )
    assert weighted.labeled_tail == repeated.labeled_tail == (1.0 - 4.0 / 14.0, 3)


@pytest.mark.parametrize("prior", ["auto", (1.0, 1.0), BetaPrior(1.0, 3.0)])
def test_what_is_meant_by_a_prior(prior):
    checked = check_prevalence_prior(prior)
    assert checked is None if isinstance(prior, str) else isinstance(checked, BetaPrior)


def even_normal(n):
    """Return quantiles of a standard normal, at equal distances of probability."""
    return stats.norm.ppf((np.arange(n) + 0.5) / n)


@pytest.fixture(scope="module")
def alarms():
    # Two normals as even as can be: what a tail tells of a recall varies much with its labels.
    scores = np.r_[even_normal(4950), 3.0 + even_normal(50)]
    truth = np.repeat([0, 1], [4950, 50])
    return scores, np.where(scores >= np.sort(scores)[-100], truth, -1)


@pytest.fixture(scope="module")
def fit(alarms, global_random_seed):
    """Return a function that fits a mixture with some parameters; each is fitted once."""

    @cache
    def fit_with(**parameters):
        mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=300, **parameters)
        return PerformanceCurveEstimator(mixture, random_state=global_random_seed).fit(*alarms)

    return fit_with


@pytest.mark.slow
def test_the_default_expects_fewer_positives_below_the_tail_than_a_uniform_prior(fit):
    auto = fit().estimate("prevalence").value
    uniform = fit(prevalence_prior=(1.0, 1.0)).estimate("prevalence").value
    assert auto < uniform


def test_the_verdict_says_what_the_tail_does_not_tell(alarms, global_random_seed):
    scores, y = alarms
    top = np.where(scores >= np.sort(scores)[-50], y, -1)
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=300)
    verdict = (
        PerformanceCurveEstimator(mixture, random_state=global_random_seed)
        .fit(scores, top)
        .verdict_
    )
    reasons = {reason.name: reason for reason in verdict.reasons}
    assert reasons["missed_positives"].verdict == "unidentified"
    assert "1.00% of the scores" in reasons["missed_positives"].text


@pytest.mark.slow
def test_it_says_nothing_where_the_positives_end_within_the_tail(global_random_seed):
    # Experts of which many curves agree with the labels.
    scores = np.r_[even_normal(4840), 5.0 + even_normal(100)]
    truth = np.repeat([0, 1], [4840, 100])
    y = np.where(scores >= np.sort(scores)[-400], truth, -1)
    experts = ["rank_binormal", "score_log_odds"]
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=experts, n_draws=300, random_state=global_random_seed
    )
    verdict = mixture.fit(scores, y).verdict_
    assert "missed_positives" not in [reason.name for reason in verdict.reasons]


def test_a_tail_of_positives_leaves_more_of_them_open(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=2000)
    y = np.full(2000, -1)
    order = np.argsort(-scores)
    y[order[:100]] = 1
    y[order[60]] = 0
    performance = PerformanceCurveEstimator(random_state=global_random_seed).fit(scores, y)
    low, high = performance.estimate("prevalence").interval(0.9)
    # All but one of the largest are positive: the next ones may well be.
    assert low >= 99 / 2000
    assert high > 3 * 100 / 2000


@pytest.mark.parametrize("n_random", [0, 20])
def test_labels_are_concentrated_unless_random_ones_may_be(n_random):
    everywhere = np.linspace(0, 950, n_random).astype(int).tolist()
    # Smirnov: of 25 random labels one in a hundred is off by more than .30, of 10 by more than .48.
    for n_top, is_concentrated in ((3, n_random == 0), (30, True)):
        labeled = [*everywhere, *range(1000 - n_top, 1000)]
        assert bool(sample(labeled).labeled_tail[0]) == is_concentrated
