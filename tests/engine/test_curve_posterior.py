"""The posterior of curves: probabilities, rates, densities and draws of further items."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.engine.updates import with_curves
from tests.experts.problems import line
from tests.quick import QUIET

pytestmark = QUIET

N = 600
# The chance of a false alarm of each statistical test below, and how many standard errors a
# normal variable is off as rarely: of forty of them, and room for what is not quite normal.
ALARM = 1e-6
FAR = 6.0


def data(kind, seed, n=N):
    rng = np.random.default_rng([seed, 11])
    labels = (rng.random(n) < 0.3).astype(int)
    margin = rng.normal(2.0 * labels, 1.0)
    scores = {
        "margins": margin,
        "probabilities": special.expit(2.0 * margin - 2.0),
        "votes": np.round(special.expit(margin - 1.0) * 10.0) / 10.0,
        "distances": np.exp(margin),
    }[kind]
    return scores, labels


KINDS = ("margins", "probabilities", "votes", "distances")
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def posteriors(global_random_seed):
    """Posteriors of every kind of scores, forty items labelled."""
    fits = {}
    for kind in KINDS:
        scores, labels = data(kind, global_random_seed)
        y = np.where(np.arange(N) < 40, labels, -1)
        fits[kind] = quick(300, global_random_seed).fit(scores, y).posterior_
    return fits


def quick(n_draws, seed):
    """Return a mixture of quick experts: what their curves say is no matter here."""
    experts = ["rank_binormal", "score_log_odds"]
    return SemisupervisedScoreMixture(
        "norm", "norm", experts=experts, n_draws=n_draws, random_state=seed
    )


def over_blocks(posterior, method):
    return np.concatenate([method(block) for block in posterior.blocks()])


def with_one_curve(posterior, curve, n_draws=4000):
    """Return a posterior all of whose draws are one curve."""
    log_odds = np.tile(curve(posterior.cells.log_odds), (n_draws, 1))
    return with_curves(posterior, log_odds)


def beyond(scores):
    """Return scores of a sample, others between, and some far outside."""
    inner = np.unique(scores)
    between = (inner[1:] + inner[:-1]) / 2.0
    return np.r_[-1e100, -1e6, inner[0] - 1.0, inner, between, inner[-1] + 1.0, 1e6, 1e100]


# --- P(y = 1 | score) ----------------------------------------------------------------------


@EVERY_KIND
def test_probabilities_lie_between_zero_and_one(posteriors, kind):
    posterior = posteriors[kind]
    scores = beyond(posterior.sample.scores)
    p = over_blocks(posterior, lambda b: posterior.positive_probability(scores, b))
    assert p.shape == (posterior.n_draws, len(scores))
    # What is as good as certain is rounded to one.
    assert ((p > 0.0) & (p <= 1.0)).all()
    expected = posterior.expected_probability(scores)
    assert_allclose(expected, p.mean(axis=0), rtol=1e-9)
    assert ((expected > 0.0) & (expected <= 1.0)).all()


@EVERY_KIND
def test_at_a_cell_a_probability_is_that_of_its_curve(posteriors, kind):
    posterior = posteriors[kind]
    p = over_blocks(posterior, lambda b: posterior.positive_probability(posterior.cells.scores, b))
    assert_allclose(p, special.expit(posterior.updated.log_odds), rtol=1e-9)


@EVERY_KIND
def test_beyond_the_scores_of_the_sample_nothing_changes(posteriors, kind):
    posterior = posteriors[kind]
    low, high = posterior.sample.scores[[0, -1]]
    p = posterior.expected_probability([low, low - 1.0, -1e100, high, high + 1.0, 1e100])
    assert_allclose(p[:3], p[0])
    assert_allclose(p[3:], p[3])


# --- rates of the population ----------------------------------------------------------------


def bootstrapped(scores, curve, thresholds, n_draws, rng):
    """Return prevalence, tpr and fpr of Bayesian bootstraps of the items, one by one."""
    weights = rng.exponential(size=(n_draws, len(scores)))
    weights /= weights.sum(axis=1, keepdims=True)
    p = special.expit(curve)
    prevalence = weights @ p
    above = (scores[:, np.newaxis] >= thresholds).astype(float)
    tpr = ((weights * p) @ above) / prevalence[:, np.newaxis]
    fpr = ((weights * (1.0 - p)) @ above) / (1.0 - prevalence)[:, np.newaxis]
    return prevalence, tpr, fpr


@pytest.mark.parametrize("kind", ["votes", "few margins"])
def test_population_rates_are_those_of_a_bayesian_bootstrap_of_the_items(
    posteriors, kind, global_random_seed
):
    if kind == "votes":
        posterior, scores = posteriors["votes"], data("votes", global_random_seed)[0]
    else:
        # Few enough that every score has a cell of its own.
        scores, labels = data("margins", global_random_seed, 150)
        y = np.where(np.arange(150) < 40, labels, -1)
        posterior = quick(50, global_random_seed).fit(scores, y).posterior_
    assert posterior.cells.single.all()
    curve = line(-0.5, 0.8)
    mine = with_one_curve(posterior, curve)
    thresholds = np.quantile(posterior.sample.scores, [0.25, 0.5, 0.9])
    thresholds = posterior.sample.scores[np.searchsorted(posterior.sample.scores, thresholds)]
    rates = [mine.population_rates(b, thresholds) for b in mine.blocks()]
    prevalence, tpr, fpr = (np.concatenate([r[i] for r in rates]) for i in range(3))
    log_odds = curve(posterior.cells.kind.log_odds(scores))
    exact = bootstrapped(
        scores, log_odds, thresholds, 4000, np.random.default_rng(global_random_seed)
    )
    # Seven tests: the chance of a false alarm is 1e-6.
    assert stats.ks_2samp(prevalence[:, 0], exact[0]).pvalue > ALARM / 7.0
    for j in range(3):
        assert stats.ks_2samp(tpr[:, j], exact[1][:, j]).pvalue > ALARM / 7.0
        assert stats.ks_2samp(fpr[:, j], exact[2][:, j]).pvalue > ALARM / 7.0
    assert not np.any(rates[0][3])


@EVERY_KIND
def test_rates_fall_from_one_to_zero_as_thresholds_rise(posteriors, kind):
    posterior = posteriors[kind]
    block = posterior.blocks()[0]
    low, high = posterior.sample.scores[[0, -1]]
    thresholds = np.r_[low, np.linspace(low, high, 100), np.nextafter(high, np.inf)]
    _, tpr, fpr, steps = posterior.population_rates(block, thresholds)
    for rate in (tpr, fpr):
        assert_allclose(rate[:, 0], 1.0)
        assert_array_equal(rate[:, -1], 0.0)
        assert (np.diff(rate, axis=1) <= 1e-12).all()
    assert len(steps) == len(thresholds)


@EVERY_KIND
def test_a_whole_curve_goes_from_nothing_to_everything(posteriors, kind):
    posterior = posteriors[kind]
    _, tpr, fpr, steps = posterior.population_rates(posterior.blocks()[0])
    for rate in (tpr, fpr):
        assert_array_equal(rate[:, 0], 0.0)
        assert_allclose(rate[:, -1], 1.0)
        assert (np.diff(rate, axis=1) >= -1e-12).all()
    # It jumps where several items have one score, and only there.
    tied = posterior.cells.single & (posterior.cells.counts > 1.0)
    assert_array_equal(steps[1:], tied[::-1])


@EVERY_KIND
def test_on_average_the_share_above_a_threshold_is_that_of_the_items(
    posteriors, kind, global_random_seed
):
    posterior, scores = posteriors[kind], data(kind, global_random_seed)[0]
    # At and next to ties, and in between.
    values = posterior.sample.scores[[1, 5, -5, -1]]
    thresholds = np.r_[values, np.nextafter(values, np.inf), np.quantile(scores, [0.3, 0.7])]
    rates = [posterior.population_rates(b, thresholds) for b in posterior.blocks()]
    prevalence, tpr, fpr = (np.concatenate([r[i] for r in rates]) for i in range(3))
    above = prevalence * tpr + (1.0 - prevalence) * fpr
    exact = (scores[:, np.newaxis] >= thresholds).mean(axis=0)
    # A share of a Dirichlet of N items has variance below q (1 - q) / N. Within a cell of
    # several scores a share of it is taken: half an item more or less.
    error = np.sqrt(exact * (1.0 - exact) / N / posterior.n_draws)
    assert (np.abs(above.mean(axis=0) - exact) < FAR * error + 1e-9).all()


def test_a_threshold_within_a_cell_takes_the_share_of_its_items_above(global_random_seed):
    # So many scores that a cell holds a percent of them.
    scores, labels = data("margins", global_random_seed, 20_000)
    y = np.where(np.arange(20_000) < 40, labels, -1)
    posterior = quick(300, global_random_seed).fit(scores, y).posterior_
    widest = np.argsort(posterior.cells.counts)[-20:]
    lower, upper = posterior.cells.lower[widest], posterior.cells.lower[widest + 1]
    thresholds = np.r_[0.75 * lower + 0.25 * upper, 0.4 * lower + 0.6 * upper]
    rates = [posterior.population_rates(b, thresholds) for b in posterior.blocks()]
    prevalence, tpr, fpr = (np.concatenate([r[i] for r in rates]) for i in range(3))
    above = prevalence * tpr + (1.0 - prevalence) * fpr
    exact = (scores[:, np.newaxis] >= thresholds).mean(axis=0)
    error = np.sqrt(exact * (1.0 - exact) / 20_000 / posterior.n_draws)
    assert (np.abs(above.mean(axis=0) - exact) < FAR * error).all()


@EVERY_KIND
def test_a_threshold_twice_gives_the_same_rates_and_order_does_not_matter(posteriors, kind):
    posterior = posteriors[kind]
    block = posterior.blocks()[-1]
    thresholds = posterior.sample.scores[[3, -2, 3]]
    _, tpr, _, _ = posterior.population_rates(block, thresholds)
    assert_array_equal(tpr[:, 0], tpr[:, 2])
    _, reverse, _, _ = posterior.population_rates(block, thresholds[::-1])
    assert_array_equal(tpr, reverse[:, ::-1])


@EVERY_KIND
def test_the_prevalence_is_that_of_the_rates(posteriors, kind):
    posterior = posteriors[kind]
    prevalence = over_blocks(posterior, lambda b: posterior.population_rates(b)[0][:, 0])
    assert_array_equal(posterior.prevalence().draws, prevalence)


# --- all labels known -----------------------------------------------------------------------


@EVERY_KIND
def test_with_all_labels_known_the_performance_is_scikit_learn_and_certain(
    kind, global_random_seed
):
    scores, labels = data(kind, global_random_seed, 200)
    mixture = quick(50, global_random_seed)
    estimator = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    estimator.fit(scores, labels)
    threshold = np.quantile(scores, 0.8, method="higher")
    called = scores >= threshold
    for name, given, exact in (
        ("average_precision", {}, metrics.average_precision_score(labels, scores)),
        ("roc_auc", {}, metrics.roc_auc_score(labels, scores)),
        ("prevalence", {}, labels.mean()),
        ("precision", {"threshold": threshold}, metrics.precision_score(labels, called)),
        ("recall", {"threshold": threshold}, metrics.recall_score(labels, called)),
        ("f1", {"threshold": threshold}, metrics.f1_score(labels, called)),
        ("accuracy", {"threshold": threshold}, metrics.accuracy_score(labels, called)),
    ):
        estimate = estimator.estimate(name, **given)
        assert estimate.value == pytest.approx(exact, rel=1e-9), name
        assert np.ptp(estimate.interval()) == 0.0, name
    curve = estimator.curve("precision_recall")
    assert_array_equal(*curve.interval())
    assert estimator.score(scores, labels) == pytest.approx(0.0, abs=1e-12)


# --- densities and further items -------------------------------------------------------------


@EVERY_KIND
def test_densities_are_finite_and_agree_with_the_probabilities(posteriors, kind):
    posterior = posteriors[kind]
    scores = beyond(posterior.sample.scores)
    negative, positive = posterior.log_predictive(scores)
    assert np.isfinite(negative).all()
    assert np.isfinite(positive).all()
    expected = posterior.expected_probability(scores)
    assert_allclose(special.expit(positive - negative), expected, rtol=1e-6)
    block = posterior.blocks()[0]
    low, high = posterior.log_score_density(scores, block)
    assert low.shape == high.shape == (len(range(*block.rows.indices(300))), len(scores))
    p = posterior.positive_probability(scores, block)
    assert_allclose(special.expit(high - low), p, rtol=1e-6)
    # The law of the scores is the same for all draws.
    assert_allclose(np.logaddexp(low, high), np.logaddexp(negative, positive) + 0.0 * low)


@EVERY_KIND
def test_further_items_have_the_distribution_of_the_scores_and_probable_labels(
    posteriors, kind, global_random_seed
):
    posterior = posteriors[kind]
    size = 20_000
    scores, labels = posterior.rvs(np.random.default_rng(global_random_seed), size)
    assert scores.shape == labels.shape == (size,)
    assert set(np.unique(labels)) == {0, 1}
    p = posterior.expected_probability(scores)
    for chosen in (np.ones(size, bool), scores > np.median(scores), p < 0.2):
        error = np.sqrt((p * (1.0 - p))[chosen].sum())
        assert abs((labels - p)[chosen].sum()) < FAR * error
    again, _ = posterior.score_distribution.rvs(
        np.random.default_rng([global_random_seed, 5]), size
    )
    assert stats.ks_2samp(scores, again).pvalue > ALARM


def test_a_block_knows_which_draws_it_holds(posteriors):
    posterior = posteriors["margins"]
    rows = np.concatenate([np.arange(300)[b.rows] for b in posterior.blocks()])
    assert_array_equal(rows, np.arange(300))
    assert_allclose(posterior.weights, 1.0 / 300.0)
    whole = over_blocks(posterior, lambda b: posterior.positive_probability([0.0, 1.0], b))
    one_by_one = np.concatenate(
        [
            posterior.positive_probability([0.0, 1.0], single)
            for block in posterior.blocks()
            for single in block.each()
        ]
    )
    assert_array_equal(whole, one_by_one)


@EVERY_KIND
def test_a_pickle_says_the_same(posteriors, kind):
    posterior = posteriors[kind]
    copy = pickle.loads(pickle.dumps(posterior))
    scores = beyond(posterior.sample.scores)
    assert_array_equal(copy.expected_probability(scores), posterior.expected_probability(scores))
    assert_array_equal(copy.prevalence().draws, posterior.prevalence().draws)
    assert repr(copy) == repr(posterior)
    with pytest.raises(ValueError, match="read-only"):
        copy.updated.log_odds[0] = 0.0
