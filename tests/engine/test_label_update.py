"""Labels judge experts: exact Bayes by enumeration, and by brute force where there is slack."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe._parameter import BetaPrior
from sklearn_spe.experts import CurveBanks, Slack
from sklearn_spe.experts._label_update import judge
from tests.experts.problems import FixedCurves, SlackCurves, cells_of, line, sample_of

# Two experts with three and two curves; weights that do not sum to one.
FIRST = (line(-2.0), line(-1.0, 2.0), line(0.5, 0.3))
SECOND = (line(0.0, -0.5), line(-1.5, 1.2))
WEIGHTS = (3.0, 1.5)
LABELS = (
    np.array([-1.5, -1.0, -0.2, 0.3, 0.3, 0.9, 1.4, 2.0]),
    np.array([0, 0, 1, 0, 1, 0, 1, 1]),
)
N_DRAWS = 4000
# How many standard errors a normal variable is off once in ten millions; tests have a handful.
FAR = 5.4
FLAT = BetaPrior()


def scores_of(n=40):
    return np.unique(np.r_[np.linspace(-2.0, 2.5, n), LABELS[0]])


def labelled(scores, label_scores, labels, weights=None):
    """Return a sample in which some items have a label and the scores are all there."""
    codes = np.r_[np.full(len(scores), -1), labels]
    extra = np.ones(len(labels)) if weights is None else weights
    weights = np.r_[np.ones(len(scores)), extra]
    return sample_of(np.r_[scores, label_scores], codes, weights)


def banks_of(experts, scores, prior=FLAT):
    # Where curves are drawn they are lists; slack is drawn later.
    return CurveBanks.of(cells_of(scores, "margin"), experts, np.random.default_rng(0), prior)


def two_experts(times=1):
    """Return experts with every curve as often as asked for."""
    return [
        FixedCurves(times * len(functions), functions=functions, weight=weight)
        for functions, weight in zip((FIRST, SECOND), WEIGHTS, strict=True)
    ]


def log_likelihood(functions, label_scores, labels, weights=None):
    """Return the log probability of the labels under each curve."""
    sign = np.where(np.asarray(labels) == 1, 1.0, -1.0)
    weights = np.ones(len(labels)) if weights is None else weights
    return np.array([weights @ special.log_expit(sign * f(label_scores)) for f in functions])


def enumerated(label_scores=LABELS[0], labels=LABELS[1], tilt=lambda f: 0.0):
    """Return exact evidences, expert weights, and the posterior probability of each curve."""
    parts = []
    for functions in (FIRST, SECOND):
        # A tilt of the prior moves weight among the curves of an expert, not among experts.
        log_prior = np.array([tilt(f) for f in functions])
        log_prior -= special.logsumexp(log_prior) - np.log(len(functions))
        parts.append(log_prior + log_likelihood(functions, label_scores, labels))
    log_evidence = np.array([special.logsumexp(p) - np.log(len(p)) for p in parts])
    weights = special.softmax(np.log(WEIGHTS) + log_evidence)
    curves = [w * special.softmax(p) for w, p in zip(weights, parts, strict=True)]
    return log_evidence, weights, np.concatenate(curves)


def shares_of_curves(judged, cells):
    """Return how often each curve was drawn; slack would make them differ."""
    curves = np.array([f(cells.scores) for f in (*FIRST, *SECOND)])
    distance = np.abs(judged.log_odds[:, np.newaxis] - curves).max(axis=2)
    assert_allclose(distance.min(axis=1), 0.0, atol=1e-9)
    return np.bincount(distance.argmin(axis=1), minlength=len(curves)) / len(judged.log_odds)


# --- exact by enumeration -----------------------------------------------------------------


def test_expert_weights_and_evidence_are_those_of_bayes(global_random_seed):
    scores = scores_of()
    banks = banks_of(two_experts(), scores)
    judged = judge(
        banks, labelled(scores, *LABELS), N_DRAWS, np.random.default_rng(global_random_seed)
    )
    log_evidence, weights, _ = enumerated()
    assert_allclose(judged.weights.log_evidence, log_evidence, rtol=1e-10)
    assert_allclose(judged.weights.posterior, weights, rtol=1e-10)
    assert_allclose(judged.weights.prior, np.array(WEIGHTS) / sum(WEIGHTS))
    assert judged.weights.names == ("fixed_curves", "fixed_curves")


# Ten curves are judged in steps, thousands at once.
@pytest.mark.parametrize("times", [1, 500], ids=["in steps", "at once"])
@pytest.mark.parametrize("n_labels", [0, 1, 3, 8])
def test_draws_have_the_posterior_probabilities_of_the_curves(times, n_labels, global_random_seed):
    scores = scores_of()
    label_scores, labels = (part[:n_labels] for part in LABELS)
    banks = banks_of(two_experts(times), scores)
    sample = labelled(scores, label_scores, labels)
    judged = judge(banks, sample, N_DRAWS, np.random.default_rng(global_random_seed))
    exact = enumerated(label_scores, labels)[2]
    # Systematic resampling errs by less than independent draws do.
    error = np.sqrt(exact * (1.0 - exact) / N_DRAWS)
    assert (np.abs(shares_of_curves(judged, banks.cells) - exact) < FAR * error + 1e-3).all()
    owner = np.bincount(judged.expert, minlength=2) / N_DRAWS
    assert_allclose(owner, [exact[:3].sum(), exact[3:].sum()], atol=0.02)


def test_without_labels_the_prior_weights_stay(global_random_seed):
    scores = scores_of()
    banks = banks_of(two_experts(200), scores)
    judged = judge(banks, sample_of(scores), N_DRAWS, np.random.default_rng(global_random_seed))
    assert_allclose(judged.weights.posterior, judged.weights.prior)
    assert_allclose(judged.weights.log_evidence, 0.0, atol=1e-12)
    owner = np.bincount(judged.expert, minlength=2) / N_DRAWS
    assert_allclose(owner, judged.weights.prior, atol=2.0 / N_DRAWS)
    assert judged.pareto_k < 0.7


def test_effective_curves_of_a_bank_are_kish_size_of_its_likelihoods(global_random_seed):
    scores = scores_of()
    judged = judge(
        banks_of(two_experts(500), scores),
        labelled(scores, *LABELS),
        N_DRAWS,
        np.random.default_rng(global_random_seed),
    )
    for size, functions in zip(judged.weights.ess, (FIRST, SECOND), strict=True):
        weights = special.softmax(log_likelihood(functions, *LABELS))
        expected = 500.0 / (weights @ weights)
        # Each curve is there several times with another slack, of which there is none.
        assert size / expected == pytest.approx(np.round(size / expected), rel=1e-9)


def test_labels_of_weight_w_are_w_repeated_labels(global_random_seed):
    scores = scores_of()
    weights = np.array([1, 2, 3, 1, 4, 2, 1, 5])
    once = labelled(scores, *LABELS, weights=weights)
    often = labelled(scores, *(np.repeat(part, weights) for part in LABELS))
    experts = [SlackCurves(400, functions=FIRST), FixedCurves(200, functions=SECOND)]
    one, other = (
        judge(banks_of(experts, scores), sample, 500, np.random.default_rng(global_random_seed))
        for sample in (once, often)
    )
    assert_array_equal(one.log_odds, other.log_odds)
    assert_array_equal(one.weights.posterior, other.weights.posterior)


def test_a_label_between_cells_is_judged_by_the_interpolated_curve(global_random_seed):
    # Curves are straight, so that their interpolation is exact.
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=5000)
    cells = cells_of(scores, "margin")
    inner = scores[(scores > cells.scores[0]) & (scores < cells.scores[-1])]
    label_scores = np.unique(rng.choice(inner, 150))
    labels = rng.integers(0, 2, len(label_scores))
    assert not np.isin(label_scores, cells.scores).all()
    banks = banks_of(two_experts(), scores)
    sample = labelled(scores, label_scores, labels)
    weights = judge(banks, sample, 100, np.random.default_rng(global_random_seed)).weights
    assert_allclose(weights.log_evidence, enumerated(label_scores, labels)[0], rtol=1e-9)


def test_thousands_of_labels_are_gathered_without_changing_the_verdict(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=20_000)
    label_scores = rng.choice(scores, 3000, replace=False)
    labels = (rng.random(3000) < special.expit(FIRST[0](label_scores))).astype(int)
    banks = banks_of(two_experts(), scores)
    judged = judge(
        banks,
        labelled(scores, label_scores, labels),
        200,
        np.random.default_rng(global_random_seed),
    )
    exact, weights, curves = enumerated(label_scores, labels)
    # A label moves by half a cell at most, which is about a hundredth of the standard deviation.
    assert_allclose(judged.weights.log_evidence, exact, rtol=0.01)
    assert_allclose(judged.weights.posterior, weights, atol=0.01)
    assert_allclose(shares_of_curves(judged, banks.cells), curves, atol=0.03)


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_the_order_of_experts_does_not_matter(order, global_random_seed):
    scores = scores_of()
    experts = [FixedCurves(2, functions=(f,), weight=1.0 + i) for i, f in enumerate(FIRST)]
    judged = judge(
        banks_of([experts[i] for i in order], scores),
        labelled(scores, *LABELS),
        50,
        np.random.default_rng(global_random_seed),
    )
    exact = special.softmax(np.log([1.0, 2.0, 3.0]) + log_likelihood(FIRST, *LABELS))
    assert_allclose(judged.weights.posterior, exact[list(order)], rtol=1e-10)


# --- the prior of the prevalence ----------------------------------------------------------


@pytest.mark.parametrize("n_labels", [0, 8])
@pytest.mark.parametrize("prior", [BetaPrior(2.0, 8.0), BetaPrior.from_interval(0.4, 0.6)])
@pytest.mark.parametrize("times", [1, 500], ids=["in steps", "at once"])
def test_a_prevalence_prior_weighs_curves_by_the_prevalence_that_they_imply(
    prior, n_labels, times, global_random_seed
):
    # Forty scores, of the same weight each, among them all that are labelled.
    scores = np.linspace(-2.0, 2.5, 40)
    label_scores, labels = scores[3 : 3 + 4 * n_labels : 4], LABELS[1][:n_labels]
    codes = np.full(40, -1)
    codes[3 : 3 + 4 * n_labels : 4] = labels
    banks = banks_of(two_experts(times), scores, prior)
    judged = judge(
        banks, sample_of(scores, codes), N_DRAWS, np.random.default_rng(global_random_seed)
    )

    def tilt(f):
        return stats.beta(prior.a, prior.b).logpdf(special.expit(f(scores)).mean())

    _, weights, curves = enumerated(label_scores, labels, tilt)
    assert_allclose(judged.weights.posterior, weights, rtol=1e-6)
    error = np.sqrt(curves * (1.0 - curves) / N_DRAWS)
    shares = shares_of_curves(judged, banks.cells)
    assert (np.abs(shares - curves) < FAR * error + 1e-3).all()


def test_the_prevalence_that_a_curve_implies_is_that_of_all_items(global_random_seed):
    # Thousands of items: a few cells stand for all of them.
    scores = np.random.default_rng(global_random_seed).normal(size=5000)
    prior = BetaPrior(3.0, 9.0)
    weights = judge(
        banks_of(two_experts(), scores, prior),
        sample_of(scores),
        50,
        np.random.default_rng(global_random_seed),
    ).weights

    def tilt(f):
        return stats.beta(prior.a, prior.b).logpdf(special.expit(f(scores)).mean())

    # The midpoint rule of a monotone function with n nodes errs by 1 / 2n of its range at most;
    # here curves are smooth as well.
    exact = enumerated(*(part[:0] for part in LABELS), tilt)[1]
    assert_allclose(weights.posterior, exact, atol=0.01)


# --- with slack ----------------------------------------------------------------------------


def by_brute_force(banks, functions, label_scores, labels, places, rng, n=200_000):
    """Return E p(y = 1) at some places and the evidence, by importance sampling of slack."""
    slack = banks.slack.draw(rng, n, SlackCurves.slack)
    curve = rng.integers(len(functions), size=n)

    def probability(at):
        left, share = banks.cells.place(at)
        cells = banks.cells.scores
        f = np.array([g(cells) for g in functions])[curve]
        inner = np.exp(slack.log_stretch)[:, np.newaxis] * f + slack.shift[:, np.newaxis]
        inner += slack.waves @ Slack.on(banks.cells).basis.T
        on = inner[:, left] * (1.0 - share) + inner[:, left + 1] * share
        kept = 1.0 - slack.bottom - slack.top
        return slack.bottom[:, np.newaxis] + kept[:, np.newaxis] * special.expit(on)

    p = probability(label_scores)
    log = np.where(labels == 1, np.log(p), np.log1p(-p)).sum(axis=1)
    weights = special.softmax(log)
    p = probability(places)
    mean = weights @ p
    error = np.sqrt((weights**2) @ (p - mean) ** 2)
    log_evidence = special.logsumexp(log) - np.log(n)
    return mean, error, log_evidence, np.sqrt((weights**2).sum() - 1.0 / n)


@pytest.mark.slow
@pytest.mark.parametrize("n_curves", [20, 2000], ids=["in steps", "at once"])
def test_moves_within_the_slack_leave_the_posterior_as_it_is(n_curves, global_random_seed):
    scores = scores_of(25)
    places = scores[::6]
    banks = banks_of([SlackCurves(n_curves, functions=FIRST)], scores)
    exact, exact_error, evidence, evidence_error = by_brute_force(
        banks, FIRST, *LABELS, places, np.random.default_rng(global_random_seed)
    )
    assert exact_error.max() < 0.005  # else it could not be the judge
    n_runs = 12
    judged = [
        judge(banks, labelled(scores, *LABELS), 600, np.random.default_rng([global_random_seed, k]))
        for k in range(n_runs)
    ]
    at = np.searchsorted(banks.cells.scores, places)
    means = np.array([special.expit(j.log_odds[:, at]).mean(axis=0) for j in judged])
    # Slacks of one run are shared among curves: the error is taken from the scatter. Beyond
    # this one of some ten t values lies once in a million.
    far = stats.t(n_runs - 1).isf(1e-7 / 2.0)
    error = np.hypot(means.std(axis=0, ddof=1) / np.sqrt(n_runs), exact_error)
    # Where slack is drawn for a few curves only the weights of one run are biased by 1 / size.
    tolerance = far * error + 0.5 / min(n_curves, 600)
    assert (np.abs(means.mean(axis=0) - exact) < tolerance).all()
    if n_curves > 100:
        z = np.exp([j.weights.log_evidence[0] - evidence for j in judged])
        error = np.hypot(z.std(ddof=1) / np.sqrt(n_runs), evidence_error)
        assert z.mean() == pytest.approx(1.0, abs=far * error)


def test_steps_and_one_step_agree(global_random_seed):
    # The same prior as a few curves, whose labels are taken in steps, and as many.
    scores = scores_of(25)
    sample = labelled(scores, *(np.tile(part, 3) for part in LABELS))
    means = [
        np.array(
            [
                special.expit(
                    judge(
                        banks_of([SlackCurves(n, functions=FIRST)], scores),
                        sample,
                        1000,
                        np.random.default_rng([global_random_seed, k]),
                    ).log_odds
                ).mean(axis=0)
                for k in range(10)
            ]
        )
        for n in (60, 6000)
    ]
    error = np.sqrt(sum(m.var(axis=0, ddof=1) / len(m) for m in means))
    far = stats.t(9).isf(1e-7 / 2.0)
    assert (np.abs(means[0].mean(axis=0) - means[1].mean(axis=0)) < far * error + 0.01).all()


@pytest.mark.parametrize("n", [1000, 20_000])
def test_many_labels_leave_the_truth(n, global_random_seed):
    # Tempering has to go a long way: few curves of the bank are near.
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=n)
    labels = (rng.random(n) < special.expit(1.5 * scores - 1.0)).astype(int)
    curves = [line(a, b) for a in np.linspace(-3.0, 1.0, 9) for b in np.linspace(0.5, 3.0, 6)]
    experts = [SlackCurves(108, functions=tuple(curves))]
    judged = judge(banks_of(experts, scores), sample_of(scores, labels), 300, rng)
    cells = cells_of(scores, "margin")
    inner = np.abs(cells.scores) < 1.5
    p = special.expit(judged.log_odds[:, inner])
    truth = special.expit(1.5 * cells.scores[inner] - 1.0)
    # Some 30 labels at least lie within a tenth of a standard deviation.
    assert np.abs(p.mean(axis=0) - truth).max() < 5.0 * 0.5 / np.sqrt(n * 0.02)
    assert np.isfinite(judged.log_odds).all()
    assert judged.ess >= 1.0


def test_the_same_seed_gives_the_same_bits(global_random_seed):
    scores = scores_of()
    banks = banks_of([SlackCurves(300, functions=FIRST), *two_experts()], scores)
    sample = labelled(scores, *LABELS)
    one, other = (
        judge(banks, sample, 200, np.random.default_rng(global_random_seed)) for _ in range(2)
    )
    assert_array_equal(one.log_odds, other.log_odds)
    assert_array_equal(one.expert, other.expert)


def test_labels_that_every_curve_thinks_impossible_still_leave_a_posterior(global_random_seed):
    scores = np.linspace(-12.0, 12.0, 60)
    codes = np.where(scores > 0.0, 0, 1)
    banks = banks_of([FixedCurves(40, functions=(line(0.0), line(0.0, 5.0)))], scores)
    judged = judge(banks, sample_of(scores, codes), 100, np.random.default_rng(global_random_seed))
    assert np.isfinite(judged.log_odds).all()
    assert np.isfinite(judged.weights.log_evidence).all()
    # The flatter of two lines is less wrong.
    assert_allclose(judged.log_odds, np.broadcast_to(scores, (100, 60)), atol=1e-6)


def test_weights_of_experts_as_a_table(global_random_seed):
    pytest.importorskip("pandas")
    scores = scores_of()
    weights = judge(
        banks_of(two_experts(), scores),
        labelled(scores, *LABELS),
        50,
        np.random.default_rng(global_random_seed),
    ).weights
    frame = weights.to_frame()
    assert frame["names"].tolist() == ["fixed_curves", "fixed_curves"]
    assert_array_equal(frame["posterior"], weights.posterior)
    assert frame["prior"].sum() == pytest.approx(1.0)
