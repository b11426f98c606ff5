"""Strata of tail ranks have a rate each: closed forms, and what the engine makes of them."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.engine._components import CurveComponents
from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._label_update import FLOOR, MOSTLY_CONCENTRATED, update_labels
from sklearn_spe.engine._prevalence_information import PrevalenceInformation
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.experts import RankBinormal
from sklearn_spe.experts._stratum_rates import StratumRates
from sklearn_spe.families import BetaPrior
from sklearn_spe.models._fit_settings import concentration_of_labels
from tests.experts.problems import cells_of, ensemble_of, sample_of
from tests.quick import QUIET

pytestmark = QUIET

# So few scores that each has a cell of its own.
N = 180
# How many standard errors a normal variable is off once in ten millions.
FAR = 5.4
FLAT = BetaPrior()


def problem(seed, n_labeled=40):
    """Return scores, codes, and the negative and positive labels in cells."""
    rng = np.random.default_rng([seed, 5])
    scores, codes = np.sort(rng.normal(size=N)), np.full(N, -1)
    items = rng.choice(N, n_labeled, replace=False)
    codes[items] = rng.random(n_labeled) < special.expit(2.0 * scores[items] - 2.0)
    return scores, codes, (codes == 0).astype(float), (codes == 1).astype(float)


def strata_of(ranks, ratio, offset):
    """Return a set of ranks for each stratum: [0, 10 r^-o), then r times as wide each."""
    edges = [0.0, *(10.0 * ratio ** (k - offset) for k in range(30))]
    parts = [(low <= ranks) & (ranks < high) for low, high in pairwise(edges)]
    return [part for part in parts if part.any()]


def divisions_of(negative, positive):
    """Return each division: whether from the top, its strata, and Beta parameters before labels."""
    from_top = N - np.arange(N) - 0.5
    for is_from_top, ratio, offset in product((True, False), (2.0, 3.0, 5.0), (0.0, 0.5)):
        strata = strata_of(from_top if is_from_top else N - from_top, ratio, offset)
        rare, frequent = 0.5 / len(strata), 0.5
        a, b = (rare, frequent) if is_from_top else (frequent, rare)
        counts = [(positive[part].sum(), negative[part].sum()) for part in strata]
        yield is_from_top, strata, a, b, counts


def enumerated(negative, positive):
    """Return the log evidence, and the posterior mean of the rate of each cell that is tied down.

    NaN in strata without labels, whose rates depend on their neighbors in some of the divisions.
    """
    logs, means = [], []
    for _, strata, a, b, counts in divisions_of(negative, positive):
        log, mean = 0.0, np.empty(N)
        for part, (k, m) in zip(strata, counts, strict=True):
            log += special.betaln(a + k, b + m) - special.betaln(a, b)
            mean[part] = (a + k) / (a + b + k + m) if k + m else np.nan
        logs.append(log)
        means.append(mean)
    weights = special.softmax(logs)
    return special.logsumexp(logs) - np.log(len(logs)), weights @ np.array(means)


def drawn_before_labels(negative, positive, n, rng):
    """Draw prevalences by the prior, n for each division: in open strata the order holds."""
    prevalences = []
    for is_from_top, strata, a, b, counts in divisions_of(negative, positive):
        rates = rng.beta(a, b, (len(strata), n))
        for k in reversed(range(len(strata) - 1)):
            if sum(counts[k]) == 0.0:
                better = np.maximum if is_from_top else np.minimum
                rates[k] = better(rates[k], rates[k + 1])
        shares = [part.sum() / N for part in strata]
        prevalences.append(np.average(rates, axis=0, weights=shares))
    return np.concatenate(prevalences)


@pytest.mark.parametrize("n_labeled", [0, 1, 40, N])
def test_evidence_and_means_are_those_of_beta_distributions(n_labeled, global_random_seed):
    scores, _, negative, positive = problem(global_random_seed, n_labeled)
    expert, rng = StratumRates(4000), np.random.default_rng(global_random_seed)
    curves, log_evidence = expert.updated_curves(
        cells_of(scores, "margin"), negative, positive, None, rng
    )
    expected, mean = enumerated(negative, positive)
    assert log_evidence == pytest.approx(expected)
    has_mean = np.isfinite(mean)
    rates = special.expit(curves[:, has_mean])
    error = rates.std(axis=0) / np.sqrt(len(rates))
    assert has_mean.all() or n_labeled < N
    assert (np.abs(rates.mean(axis=0) - mean[has_mean]) < FAR * error + 1e-3).all()


def test_strata_without_labels_keep_the_order_and_others_need_not(global_random_seed):
    # All labels lie in the middle, where the lower half is positive: no order there.
    negative, positive = np.zeros(N), np.zeros(N)
    positive[60:90] = 1.0
    negative[90:120] = 1.0
    rng = np.random.default_rng(global_random_seed)
    curves, _ = StratumRates(500).updated_curves(
        cells_of(np.arange(float(N)), "margin"), negative, positive, None, rng
    )
    step = np.diff(curves, axis=1)
    assert (step[:, :59] >= 0.0).all()
    assert (step[:, 120:] >= 0.0).all()
    assert (step[:, 60:119] < 0.0).any()


def test_a_weight_of_the_prevalence_is_a_part_of_the_evidence(global_random_seed):
    # By plain importance sampling, of draws without it.
    scores, _, negative, positive = problem(global_random_seed)
    cells, prior = cells_of(scores, "margin"), BetaPrior(3.0, 9.0)
    rng = np.random.default_rng(global_random_seed)
    plain, log_evidence = StratumRates(20_000).updated_curves(cells, negative, positive, None, rng)
    prevalence = special.expit(plain) @ cells.shares
    weights = np.exp(prior.logpdf(prevalence))
    curves, with_prior = StratumRates(4000).updated_curves(
        cells, negative, positive, prior.logpdf, rng
    )

    # Relative to the weights before the labels.
    before = np.exp(prior.logpdf(drawn_before_labels(negative, positive, 4000, rng)))
    expected = log_evidence + np.log(weights.mean()) - np.log(before.mean())
    assert with_prior == pytest.approx(expected, abs=0.07)
    found = special.expit(curves) @ cells.shares
    spread = np.sqrt(np.cov(prevalence, aweights=weights))
    assert found.mean() == pytest.approx(np.average(prevalence, weights=weights), abs=0.1 * spread)


def test_mirrored_scores_and_classes_have_the_same_evidence(global_random_seed):
    scores, _, negative, positive = problem(global_random_seed)
    ours, theirs = (
        StratumRates(50).updated_curves(
            cells_of(s, "margin"), *labels, None, np.random.default_rng(0)
        )[1]
        for s, labels in (
            (scores, (negative, positive)),
            (-scores, (positive[::-1], negative[::-1])),
        )
    )
    assert ours == pytest.approx(theirs, rel=1e-12)


def updated(scores, codes, experts, seed, concentration=0.0, prior=FLAT):
    """Return the update of experts by labels."""
    ensemble = ensemble_of(cells_of(scores, "margin"), experts)
    rng = np.random.default_rng(seed)
    components = CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)
    rows = LabelRows.of_scores(ensemble.cells, sample_of(scores, codes))
    return update_labels(components, rows, PrevalenceInformation(prior), 1000, rng, concentration)


def test_the_engine_gives_it_its_evidence_and_equal_weights(global_random_seed):
    scores, codes, negative, positive = problem(global_random_seed)
    found = updated(scores, codes, [StratumRates(300), RankBinormal(100)], global_random_seed)
    expected, mean = enumerated(negative, positive)
    assert found.weights.log_evidence[0] == pytest.approx(expected)
    assert found.weights.ess[0] == pytest.approx(300.0)
    alone = updated(scores, codes, [StratumRates(3000)], global_random_seed)
    has_mean = np.isfinite(mean)
    rates = special.expit(alone.log_odds[:, has_mean])
    error = rates.std(axis=0) / np.sqrt(1000)
    assert (np.abs(rates.mean(axis=0) - mean[has_mean]) < FAR * error + 2e-3).all()
    # Where everything agrees, and the importance weights are one.
    assert alone.ess == pytest.approx(1000.0)


def test_evidence_counts_less_the_more_labels_are_concentrated(global_random_seed):
    scores, codes, *_ = problem(global_random_seed)
    experts = [RankBinormal(100), replace(StratumRates(100), weight=1e-6), RankBinormal(60)]
    free, half, most = (
        updated(scores, codes, experts, global_random_seed, concentration)
        for concentration in (0.0, 0.5 * MOSTLY_CONCENTRATED, MOSTLY_CONCENTRATED)
    )
    log_odds = special.logit(free.weights.posterior[1])
    assert log_odds < 2.0 * special.logit(FLOOR)
    assert special.logit(half.weights.posterior[1]) == pytest.approx(0.5 * log_odds)
    assert most.weights.posterior[1] == pytest.approx(FLOOR)
    assert np.mean(most.expert == 1) == pytest.approx(FLOOR, abs=0.02)
    others = most.weights.posterior[[0, 2]] / free.weights.posterior[[0, 2]]
    assert_allclose(others, others[0])


@pytest.mark.parametrize("code", [0, 1])
def test_labels_of_one_class_have_an_answer(code, global_random_seed):
    scores, codes, *_ = problem(global_random_seed)
    codes[codes >= 0] = code
    found = updated(scores, codes, [StratumRates(200)], global_random_seed)
    rates = special.expit(found.log_odds)
    assert np.isfinite(found.log_odds).all()
    assert np.abs(rates[:, codes >= 0].mean() - code) < 0.1


def test_a_prior_of_the_prevalence_moves_no_weight_to_it_before_labels_do(global_random_seed):
    # One negative label among the lower half, which both experts expect all the more.
    scores, codes = np.arange(float(N)), np.full(N, -1)
    codes[N // 4] = 0
    experts = [RankBinormal(500), StratumRates(1000, weight=0.3)]
    flat, rare = (
        updated(scores, codes, experts, global_random_seed, prior=prior).weights.posterior
        for prior in (FLAT, BetaPrior(0.5, 50.0))
    )
    # Rates have infinite density near zero, a hundred times that of the other curves.
    assert abs(special.logit(rare[1]) - special.logit(flat[1])) < 1.0


def test_labels_of_one_end_are_concentrated_and_random_ones_are_not(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.arange(1000.0)

    def concentration_of(items):
        codes = np.full(1000, -1)
        codes[items] = 0
        return concentration_of_labels(sample_of(scores, codes))

    assert concentration_of([]) == 0.0
    assert concentration_of(np.arange(0, 1000, 10)) == 0.0
    assert concentration_of(np.arange(1000)) == 0.0
    assert concentration_of(np.arange(950, 1000)) == pytest.approx(0.95)
    assert concentration_of(np.arange(50)) == pytest.approx(0.95)
    others = np.r_[np.arange(975, 1000), rng.choice(975, 25, replace=False)]
    assert concentration_of(others) >= 0.475


def test_labels_that_agree_narrow_an_interval(global_random_seed):
    # Nearly separable classes, and further labels near the boundary: all above it are positive.
    rng = np.random.default_rng(global_random_seed)
    negative_scores = np.minimum(rng.normal(-8.0, 2.0, 1600), 0.0)
    scores = np.r_[negative_scores, rng.normal(5.0, 1.5, 180)]
    truth = np.repeat([0, 1], [1600, 180])
    y = np.full(len(scores), -1)
    first = rng.choice(len(scores), 80, replace=False)
    y[first] = truth[first]
    above = np.flatnonzero((scores > 0.0) & (y < 0))
    nearest = above[np.argsort(scores[above])[:30]]

    def width():
        performance = PerformanceCurveEstimator(random_state=global_random_seed).fit(scores, y)
        low, high = performance.estimate("precision", threshold=0.0).interval()
        return high - low

    before = width()
    y[nearest] = truth[nearest]
    assert width() < before


def test_two_values_leave_it_out_and_a_name_lets_it_in():
    assert StratumRates().prior_weight(cells_of(np.arange(100) % 2)) == 0.0
    assert StratumRates().prior_weight(cells_of(np.arange(100) % 3)) > 0.0


def test_a_top_that_no_family_explains_is_learned_from_its_labels(global_random_seed):
    # Negatives on top, then positives: the rates of both strata are known by their labels.
    rng = np.random.default_rng(global_random_seed)
    scores = np.sort(rng.normal(size=4000))[::-1]
    truth = np.zeros(4000, dtype=int)
    truth[20:60] = 1
    y = np.full(4000, -1)
    items = np.r_[np.arange(100), rng.choice(np.arange(100, 4000), 100, replace=False)]
    y[items] = truth[items]
    performance = PerformanceCurveEstimator(random_state=global_random_seed).fit(scores, y)
    low, high = performance.estimate("prevalence").interval(0.9)
    assert low <= 0.01 <= high < 0.05
