"""Labels update experts: Bayes by enumeration, and by quadrature where there is discrepancy."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.engine import _label_update
from sklearn_spe.engine._components import CurveComponents, lapsed
from sklearn_spe.engine._label_rows import LabelRows
from sklearn_spe.engine._prevalence_information import PrevalenceInformation
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.experts import RankBinormal
from sklearn_spe.experts._expert import DiscrepancyScale
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.posterior._known_positives import KnownPositives
from tests.engine.updates import update_scores
from tests.experts.problems import FixedCurves, cells_of, ensemble_of, line, sample_of

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


def labeled(scores, label_scores, labels, weights=None):
    """Return a sample in which some items have a label and the scores are all there."""
    codes = np.r_[np.full(len(scores), -1), labels]
    extra = np.ones(len(labels)) if weights is None else weights
    weights = np.r_[np.ones(len(scores)), extra]
    return sample_of(np.r_[scores, label_scores], codes, weights)


def components_of(experts, scores, rng=None):
    """Return components of experts on the cells of scores."""
    ensemble = ensemble_of(cells_of(scores, "margin"), experts)
    rng = np.random.default_rng(0) if rng is None else rng
    return CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)


def updated_by(experts, scores, sample, seed, n_draws=N_DRAWS, prior=FLAT):
    components = components_of(experts, scores)
    return update_scores(components, sample, prior, n_draws, np.random.default_rng(seed))


def two_experts(times=1, **given):
    """Return experts with every curve as often as asked for."""
    return [
        FixedCurves(times * len(functions), functions=functions, weight=weight, **given)
        for functions, weight in zip((FIRST, SECOND), WEIGHTS, strict=True)
    ]


def log_likelihood(functions, label_scores, labels, weights=None):
    """Return the log probability of the labels under each curve."""
    sign = np.where(np.asarray(labels) == 1, 1.0, -1.0)
    weights = np.ones(len(labels)) if weights is None else weights
    return np.array([weights @ special.log_expit(sign * f(label_scores)) for f in functions])


def enumerated(label_scores=LABELS[0], labels=LABELS[1], tilt=lambda f: 0.0):
    """Return exact evidences, expert weights, and the posterior probability of each curve."""
    parts = [
        np.array([tilt(f) for f in functions]) + log_likelihood(functions, label_scores, labels)
        for functions in (FIRST, SECOND)
    ]
    log_evidence = np.array([special.logsumexp(p) - np.log(len(p)) for p in parts])
    weights = special.softmax(np.log(WEIGHTS) + log_evidence)
    curves = [w * special.softmax(p) for w, p in zip(weights, parts, strict=True)]
    return log_evidence, weights, np.concatenate(curves)


def shares_of_curves(updated, cells):
    """Return how often each curve was drawn; discrepancy would make them differ."""
    curves = np.array([f(cells.scores) for f in (*FIRST, *SECOND)])
    distance = np.abs(updated.log_odds[:, np.newaxis] - curves).max(axis=2)
    assert_allclose(distance.min(axis=1), 0.0, atol=1e-9)
    return np.bincount(distance.argmin(axis=1), minlength=len(curves)) / len(updated.log_odds)


# --- exact by enumeration -----------------------------------------------------------------


def test_expert_weights_and_evidence_are_those_of_bayes(global_random_seed):
    scores = scores_of()
    sample = labeled(scores, *LABELS)
    updated = updated_by(two_experts(), scores, sample, global_random_seed)
    log_evidence, weights, _ = enumerated()
    assert_allclose(updated.weights.log_evidence, log_evidence, rtol=1e-10)
    assert_allclose(updated.weights.posterior, weights, rtol=1e-10)
    assert_allclose(updated.weights.prior, np.array(WEIGHTS) / sum(WEIGHTS))
    assert updated.weights.names == ("fixed_curves", "fixed_curves")


@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("n_labels", [0, 1, 3, 8])
def test_draws_have_the_posterior_probabilities_of_the_curves(times, n_labels, global_random_seed):
    scores = scores_of()
    label_scores, labels = (part[:n_labels] for part in LABELS)
    sample = labeled(scores, label_scores, labels)
    updated = updated_by(two_experts(times), scores, sample, global_random_seed)
    exact = enumerated(label_scores, labels)[2]
    # Systematic resampling, of equal weights once more: two draws off at most.
    shares = shares_of_curves(updated, cells_of(scores, "margin"))
    assert_allclose(shares, exact, atol=2.0 / N_DRAWS)
    owner = np.bincount(updated.expert, minlength=2) / N_DRAWS
    assert_allclose(owner, [exact[:3].sum(), exact[3:].sum()], atol=2.0 / N_DRAWS)
    # Every draw is an exact one.
    assert updated.ess == pytest.approx(N_DRAWS)


@pytest.mark.parametrize("experts", ["fixed", "with discrepancy"])
def test_without_labels_the_prior_weights_stay(experts, global_random_seed):
    scores = scores_of()
    scale = {} if experts == "fixed" else {"discrepancy": DiscrepancyScale()}
    experts = two_experts(60, **scale)
    updated = updated_by(experts, scores, sample_of(scores), global_random_seed)
    assert_allclose(updated.weights.posterior, updated.weights.prior)
    assert_allclose(updated.weights.log_evidence, 0.0, atol=1e-12)
    owner = np.bincount(updated.expert, minlength=2) / N_DRAWS
    assert_allclose(owner, updated.weights.prior, atol=2.0 / N_DRAWS)
    assert updated.ess == pytest.approx(N_DRAWS)


def test_effective_curves_of_an_expert_are_kish_size_of_its_likelihoods(global_random_seed):
    scores = scores_of()
    sample = labeled(scores, *LABELS)
    updated = updated_by(two_experts(50), scores, sample, global_random_seed)
    for size, functions in zip(updated.weights.ess, (FIRST, SECOND), strict=True):
        weights = special.softmax(log_likelihood(functions, *LABELS))
        assert size == pytest.approx(50.0 / (weights @ weights))


def test_labels_of_weight_w_are_w_repeated_labels(global_random_seed):
    scores = scores_of()
    weights = np.array([1, 2, 3, 1, 4, 2, 1, 5])
    once = labeled(scores, *LABELS, weights=weights)
    often = labeled(scores, *(np.repeat(part, weights) for part in LABELS))
    experts = [
        FixedCurves(99, functions=FIRST, discrepancy=DiscrepancyScale()),
        FixedCurves(50, functions=SECOND),
    ]
    one, other = (
        updated_by(experts, scores, sample, global_random_seed, 500) for sample in (once, often)
    )
    assert_array_equal(one.log_odds, other.log_odds)
    assert_array_equal(one.weights.posterior, other.weights.posterior)


def test_a_label_between_cells_counts_by_the_interpolated_curve(global_random_seed):
    # Curves are straight, so that their interpolation is exact.
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=5000)
    cells = cells_of(scores, "margin")
    inner = scores[(scores > cells.scores[0]) & (scores < cells.scores[-1])]
    label_scores = np.unique(rng.choice(inner, 150))
    labels = rng.integers(0, 2, len(label_scores))
    assert not np.isin(label_scores, cells.scores).all()
    sample = labeled(scores, label_scores, labels)
    weights = updated_by(two_experts(), scores, sample, global_random_seed, 100).weights
    assert_allclose(weights.log_evidence, enumerated(label_scores, labels)[0], rtol=1e-9)


def test_thousands_of_labels_are_gathered_without_changing_the_answer(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=20_000)
    label_scores = rng.choice(scores, 3000, replace=False)
    labels = (rng.random(3000) < special.expit(FIRST[0](label_scores))).astype(int)
    sample = labeled(scores, label_scores, labels)
    updated = updated_by(two_experts(), scores, sample, global_random_seed, 200)
    exact, weights, curves = enumerated(label_scores, labels)
    # A label moves by half a cell at most, which is about a hundredth of the standard deviation.
    assert_allclose(updated.weights.log_evidence, exact, rtol=0.01)
    assert_allclose(updated.weights.posterior, weights, atol=0.01)
    assert_allclose(shares_of_curves(updated, cells_of(scores, "margin")), curves, atol=0.03)


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_the_order_of_experts_does_not_matter(order, global_random_seed):
    scores = scores_of()
    experts = [FixedCurves(2, functions=(f,), weight=1.0 + i) for i, f in enumerate(FIRST)]
    updated = updated_by(
        [experts[i] for i in order], scores, labeled(scores, *LABELS), global_random_seed, 50
    )
    exact = special.softmax(np.log([1.0, 2.0, 3.0]) + log_likelihood(FIRST, *LABELS))
    assert_allclose(updated.weights.posterior, exact[list(order)], rtol=1e-10)


@pytest.mark.parametrize("most", [1, 400, 5000])
def test_how_many_components_are_held_at_a_time_does_not_matter(
    most, global_random_seed, monkeypatch
):
    scores, experts = scores_of(), two_experts(8, discrepancy=DiscrepancyScale())
    sample = labeled(scores, *LABELS)
    prior = BetaPrior(2.0, 5.0)
    whole = updated_by(experts, scores, sample, global_random_seed, 100, prior)
    monkeypatch.setattr(_label_update, "MAX_NUMBERS", most)
    tiled = updated_by(experts, scores, sample, global_random_seed, 100, prior)
    assert_allclose(tiled.weights.log_evidence, whole.weights.log_evidence, rtol=1e-9)
    assert_array_equal(tiled.expert, whole.expert)
    assert_allclose(tiled.log_odds, whole.log_odds, atol=1e-6)
    assert tiled.ess == pytest.approx(whole.ess)


# --- the prior of the prevalence ----------------------------------------------------------


@pytest.mark.parametrize("n_labels", [0, 8])
@pytest.mark.parametrize("prior", [BetaPrior(2.0, 8.0), BetaPrior.from_interval(0.4, 0.6)])
def test_a_prevalence_prior_weights_curves_by_the_prevalence_that_they_imply(
    prior, n_labels, global_random_seed
):
    # Forty scores, of the same weight each, among them all that are labelled.
    scores = np.linspace(-2.0, 2.5, 40)
    label_scores, labels = scores[3 : 3 + 4 * n_labels : 4], LABELS[1][:n_labels]
    codes = np.full(40, -1)
    codes[3 : 3 + 4 * n_labels : 4] = labels
    sample = sample_of(scores, codes)
    updated = updated_by(two_experts(20), scores, sample, global_random_seed, prior=prior)

    def tilt(f):
        return stats.beta(prior.a, prior.b).logpdf(special.expit(f(scores)).mean())

    log_evidence, weights, curves = enumerated(label_scores, labels, tilt)
    assert_allclose(updated.weights.log_evidence, log_evidence, rtol=1e-9)
    assert_allclose(updated.weights.posterior, weights, rtol=1e-9)
    shares = shares_of_curves(updated, cells_of(scores, "margin"))
    assert_allclose(shares, curves, atol=2.0 / N_DRAWS)


def test_a_stated_prevalence_leaves_out_curves_that_assume_a_rare_class(global_random_seed):
    scores = np.linspace(-2.0, 2.5, 400)
    components, sample = components_of([RankBinormal(120)], scores), sample_of(scores)
    rare = components.expects_rare
    assert 0 < rare.sum() < len(rare)
    rows = LabelRows.of_scores(cells_of(scores), sample)
    flat = _label_update._Update(components, rows, PrevalenceInformation(FLAT))
    assert np.isfinite(flat.log_weights).all()
    information = PrevalenceInformation(BetaPrior(2.0, 18.0))
    stated = _label_update._Update(components.without_rare, flat.rows, information)
    assert_array_equal(np.isfinite(stated.log_weights), ~rare)


def test_the_prevalence_that_a_curve_implies_is_that_of_all_items(global_random_seed):
    # Thousands of items: a few cells stand for all of them.
    scores = np.random.default_rng(global_random_seed).normal(size=5000)
    prior = BetaPrior(3.0, 9.0)
    sample = sample_of(scores)
    weights = updated_by(two_experts(), scores, sample, global_random_seed, 50, prior).weights

    def tilt(f):
        return stats.beta(prior.a, prior.b).logpdf(special.expit(f(scores)).mean())

    # The midpoint rule of a monotone function with n nodes errs by 1 / 2n of its range at most;
    # here curves are smooth as well.
    exact = enumerated(*(part[:0] for part in LABELS), tilt)[1]
    assert_allclose(weights.posterior, exact, atol=0.01)


# --- with discrepancy, by quadrature -------------------------------------------------------------

NONE = DiscrepancyScale(0.0, 0.0, 0.0, 0.0, 0.0)
SCALES = {
    "shift": replace(NONE, shift=1.1),
    "stretch": replace(NONE, stretch=0.6),
    "both": replace(NONE, shift=0.7, stretch=0.3),
    "lapses": replace(NONE, shift=0.7, small_lapse=0.5, large_lapse=0.6),
    "wide": replace(NONE, shift=0.2, wide_share=0.5),
}


def probability_of_total(probability, total):
    """Return how probable totals of independent labels are, (n_rows,), one item after the other."""
    mass = np.zeros((len(probability), probability.shape[1] + 1))
    mass[:, 0] = 1.0
    for p in probability.T[:, :, np.newaxis]:
        mass[:, 1:] = mass[:, 1:] * (1.0 - p) + mass[:, :-1] * p
        mass[:, :1] *= 1.0 - p
    return mass[:, total]


def by_quadrature(components, label_scores, labels, prior=FLAT, n_positive=None, free=None):
    """Return E p(y = 1) on the cells and of what each expert has, and the evidence of each.

    `n_positive` is a known number of positives among the cells `free`, of one item each.

    Whatever may differ between components but the shift and the stretch is summed as it is.
    """
    (ensemble,) = components.ensembles
    cells = ensemble.cells
    nodes, mass = np.polynomial.hermite_e.hermegauss(40)
    a, b = (part.ravel() for part in np.meshgrid(nodes, nodes))
    mass = np.outer(mass, mass).ravel() / mass.sum() ** 2
    sign = np.where(np.asarray(labels) == 1, 1.0, -1.0)
    left, share = cells.place(label_scores)
    following = np.minimum(left + 1, cells.n_cells - 1)
    evidence = np.zeros(len(components.names))
    total, prior_mass = np.zeros(cells.n_cells), np.exp(components.log_prior)
    for k in range(components.n):
        m = ensemble.curves[:, components.curve[k]]
        f = m + components.shift[k] * a[:, np.newaxis]
        f = f + components.stretch[k] * b[:, np.newaxis] * m
        at = f[:, left] * (1.0 - share) + f[:, following] * share
        bottom, top = components.bottom[k], components.top[k]
        log = special.log_expit(sign * lapsed(at, bottom, top)).sum(axis=1)
        p = bottom + (1.0 - bottom - top) * special.expit(f)
        joint = prior_mass[k] * mass * np.exp(log)
        if not prior.is_flat:
            joint *= stats.beta(prior.a, prior.b).pdf(p @ cells.shares)
        if n_positive is not None:
            joint *= probability_of_total(p[:, free], n_positive)
        evidence[components.expert[k]] += joint.sum()
        total += joint @ p
    return total / evidence.sum(), evidence / evidence.sum(), np.log(evidence.sum())


@pytest.mark.parametrize("prior", [FLAT, BetaPrior(2.0, 8.0)], ids=["flat", "prior"])
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_posterior_means_are_those_of_quadrature(scale, prior, global_random_seed):
    scores = scores_of(25)
    components = components_of(two_experts(8, discrepancy=scale), scores)
    sample = labeled(scores, *LABELS)
    # Labelled items count among those that have a prevalence.
    cells = cells_of(sample.scores, "margin", sample.counts)
    ensemble = ensemble_of(cells, two_experts(8, discrepancy=scale))
    components = replace(components, ensembles=(ensemble,))
    exact, of_experts, log_evidence = by_quadrature(components, *LABELS, prior)
    n_draws = 3000
    updated = update_scores(
        components, sample, prior, n_draws, np.random.default_rng(global_random_seed)
    )
    p = special.expit(updated.log_odds)
    # A prior that contradicts labels costs draws; none are gained.
    assert 0.25 * n_draws < updated.ess <= n_draws * (1.0 + 1e-9)
    error = p.std(axis=0) / np.sqrt(updated.ess)
    assert (np.abs(p.mean(axis=0) - exact) < FAR * error + 1e-6).all()
    share = np.mean(updated.expert == 0)
    error = np.sqrt(of_experts.prod() / updated.ess)
    assert share == pytest.approx(of_experts[0], abs=FAR * error)
    # By Laplace's approximation alone, which is what is told of experts: a prior of the prevalence
    # counts there as at the modes.
    total = special.logsumexp(np.log(updated.weights.prior) + updated.weights.log_evidence)
    assert total == pytest.approx(log_evidence, abs=0.25 if prior.is_flat else 0.7)


@pytest.mark.parametrize("scale", ["both", "lapses"])
def test_with_a_known_total_posterior_means_are_those_of_quadrature(scale, global_random_seed):
    scores, n_draws = np.linspace(-2.0, 2.5, 31), 2000
    codes = np.full(31, -1)
    codes[3:31:4] = LABELS[1][:7]
    components = components_of(two_experts(4, discrepancy=SCALES[scale]), scores)
    free, is_labeled = np.flatnonzero(codes < 0), codes >= 0
    labels = scores[is_labeled], codes[is_labeled]
    exact, _, log_evidence = by_quadrature(components, *labels, n_positive=4, free=free)
    rng = np.random.default_rng(global_random_seed)
    known = KnownPositives(total=(4.0 + labels[1].sum(),) * 2)
    updated = update_scores(components, sample_of(scores, codes), FLAT, n_draws, rng, known)
    assert 0.1 * n_draws < updated.ess <= n_draws * (1.0 + 1e-9)
    p = special.expit(updated.log_odds)
    error = p.std(axis=0) / np.sqrt(updated.ess)
    # The number of positives is binomial, of the same mean and variance.
    assert (np.abs(p.mean(axis=0) - exact) < FAR * error + 0.01).all()
    total = special.logsumexp(np.log(updated.weights.prior) + updated.weights.log_evidence)
    assert total == pytest.approx(log_evidence, abs=0.5)


def test_components_with_a_known_total_are_at_their_modes(global_random_seed):
    """Of large numbers the log density of a total is that of a normal observation of it."""
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=400)
    codes = np.full(400, -1)
    codes[:20] = rng.random(20) < special.expit(FIRST[1](scores[:20]))
    components = components_of(two_experts(discrepancy=SCALES["both"]), scores)
    cells, sample = components.ensembles[0].cells, sample_of(scores, codes)
    known = KnownPositives(total=(150.0, 150.0))
    information = PrevalenceInformation.of_scores(FLAT, known, cells, sample)
    update = _label_update._Update(components, LabelRows.of_scores(cells, sample), information)

    def density(c):
        height = update._regressions(every).log_density(c)
        return height + update._log_weight_of_prevalence(every, c)

    every = np.arange(components.n)
    at_modes = density(update.modes)
    for j in range(update.layout.n):
        for move in (-0.5, 0.5):
            moved = update.modes.copy()
            moved[:, j] += move
            assert (density(moved) < at_modes).all()

    # The evidence: of two coefficients by quadrature, of the others, without a scale, it is one.
    scaled = np.flatnonzero(update._regressions(every).scale.any(axis=0))
    assert len(scaled) == 2
    precision = update._curvature(every).dense[:, scaled[:, np.newaxis], scaled]
    roots = np.linalg.inv(np.linalg.cholesky(precision)).transpose(0, 2, 1)
    log_density = []
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    for (a, of_a), (b, of_b) in itertools.product(zip(nodes, weights, strict=True), repeat=2):
        moved = update.modes.copy()
        moved[:, scaled] += roots @ np.array([a, b])
        log_density.append(density(moved) + 0.5 * (a**2 + b**2) + np.log(of_a * of_b))
    log_evidence = special.logsumexp(log_density, axis=0) - np.log(2.0 * np.pi)
    log_evidence += np.linalg.slogdet(roots)[1]
    assert_allclose(update.log_evidence, log_evidence, atol=0.1)


def test_probabilities_on_cells_lapse_as_log_odds_do(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scale = replace(SCALES["lapses"], small_lapse=1.0, large_lapse=1.0)
    scores = scores_of()
    components = components_of(two_experts(5, discrepancy=scale), scores)
    rows = LabelRows.of_scores(components.ensembles[0].cells, sample_of(scores))
    update = _label_update._Update(components, rows, PrevalenceInformation(FLAT))
    index = np.arange(components.n)
    coefficients = rng.normal(size=(components.n, update.layout.n))
    _, without_lapses = update.on_axis(index, coefficients, 0)
    log_odds = lapsed(without_lapses, components.bottom, components.top)
    assert (components.bottom > 0.0).all()
    assert_allclose(
        update.probability_on_cells(index, coefficients, 0), special.expit(log_odds.T), rtol=1e-9
    )
    # A shift moves the log-odds, and a stretch multiplies those of the curve.
    expected = components.ensembles[0].curves[:, components.curve]
    expected = expected * (1.0 + components.stretch * coefficients[:, update.layout.stretch])
    if not components.roughness.any():
        expected = expected + components.shift * coefficients[:, 0]
        assert_allclose(without_lapses, expected, rtol=1e-9, atol=1e-9)


def test_lapsed_log_odds_are_those_of_the_mixed_probability(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    f, (bottom, top) = rng.normal(0.0, 6.0, 500), rng.uniform(0.0, 0.5, (2, 500))
    p = bottom + (1.0 - bottom - top) * special.expit(f)
    assert_allclose(lapsed(f, bottom, top), special.logit(p), rtol=1e-9, atol=1e-9)
    assert_allclose(lapsed(f, bottom, top), -lapsed(-f, top, bottom), rtol=1e-12, atol=1e-12)
    # Neither end loses its digits.
    far = np.array([-500.0, 500.0])
    assert_allclose(lapsed(far, 0.0, 0.0), far)
