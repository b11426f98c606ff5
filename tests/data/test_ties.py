"""Ties: a score known to a resolution is an interval, and no density may feed on it."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._ties import MAX_POINTS, spread_ties
from sklearn_spe.families._registry import FAMILIES
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.estimators.score_mixture.data import QUICK
from tests.quick import QUIET

pytestmark = QUIET


# --- the points of a tie ------------------------------------------------------------------------


def counted(values, counts):
    return ScoreSample.from_items(values, np.full(len(values), -1), counts)


def tie(share, n_items=1000.0):
    """Return the points of a value that holds a share of the items, and its interval."""
    values = np.array([1.0, 2.0, 4.0, 6.0, 7.0])
    counts = np.full(5, (1.0 - share) * n_items / 4.0)
    counts[2] = share * n_items
    ties = spread_ties(counted(values, counts))
    points, firsts = ties.expand(values)
    own = points[firsts[2] : firsts[3]]
    half = (own[-1] - own[0]) / 2.0 * len(own) / (len(own) - 1)
    return own, 4.0 - half, 4.0 + half


@pytest.mark.parametrize("share", [0.005, 0.01, 0.05, 0.3, 0.82])
def test_a_tie_is_laid_evenly_over_an_interval_that_reaches_halfway_to_its_neighbours(share):
    points, low, high = tie(share)
    assert len(points) == min(MAX_POINTS, np.ceil(share * 256))
    assert_allclose(np.diff(points), np.diff(points)[0])
    assert_allclose(points.mean(), 4.0)
    assert low <= 3.0 + 1e-12
    assert high >= 5.0 - 1e-12


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("share", [0.005, 0.02, 0.3, 0.82])
def test_the_likelihood_of_a_tied_item_never_exceeds_that_of_its_interval(name, share):
    family = FAMILIES[name]()
    points, low, high = tie(share)
    shapes = tuple(p.typical[-1] for p in family.parameters[2:])
    std = np.geomspace(1e-4, 30.0, 60)[:, np.newaxis]
    for mean in (points[len(points) // 2], 4.0, 3.1, 1.0, 9.0):
        per_item = family.logpdf(points, mean, std, *shapes).mean(axis=1)
        ends = family.sf(np.array([low, high]), mean, std, *shapes)
        with np.errstate(divide="ignore"):
            interval = np.log((ends[:, 0] - ends[:, 1]) / (high - low))
        # Where the difference of survival functions has digits left to compare with.
        known = ends[:, 0] - ends[:, 1] > 1e-9
        # n midpoints have 1 - 1/n**2 of the interval's variance: for a normal that is worth up
        # to 0.63 / n**4. A jump of the density may fall between the last point and the end.
        n = len(points)
        slack = np.log(n / (n - 1)) if name == "uniform" else 2.0 / n**4
        assert (per_item[known] <= interval[known] + slack + 1e-9).all()


def test_however_narrow_a_density_its_likelihood_at_a_tie_is_bounded():
    points, low, high = tie(0.82)
    std = np.geomspace(1e-12, 1.0, 200)[:, np.newaxis]
    for mean in (points[0], points[31], 4.0):
        per_item = FAMILIES["norm"]().logpdf(points, mean, std).mean(axis=1)
        assert per_item.max() < -np.log(high - low) + 1e-3


# --- fits ---------------------------------------------------------------------------------------


def votes(n_trees, rng):
    """Return fractions of votes: few distinct values, 0 and 1 among them."""
    labels = (rng.random(600) < 0.2).astype(int)
    return rng.binomial(
        n_trees, rng.beta(np.where(labels, 4.0, 0.4), np.where(labels, 1.0, 4.0))
    ), labels


def neighbours(rng):
    """Return scores of which 82% are zero."""
    labels = (rng.random(600) < 0.1).astype(int)
    heard = rng.random(600) < np.where(labels, 0.95, 0.09)
    return np.where(heard, rng.binomial(10, np.where(labels, 0.7, 0.1)).clip(1), 0), labels


def saturated(rng):
    """Return probabilities of which a third at least are 0 or 1, or nearly."""
    labels = (rng.random(600) < 0.3).astype(int)
    margins = np.round(rng.normal(np.where(labels, 25.0, -25.0), 25.0), 3)
    return special.expit(margins), labels


def hard_decisions(rng):
    labels = (rng.random(600) < 0.3).astype(int)
    return labels.astype(float), labels


def scaled(make, unit=1.0, shift=0.0):
    def made(rng):
        counts, labels = make(rng)
        return counts / unit + shift, labels

    return made


HARD_SAMPLES = {
    "vote fractions": scaled(partial(votes, 10), 10.0),
    "82% at zero": scaled(neighbours, 10.0),
    "82% at a margin": scaled(neighbours, shift=-3.0),
    "saturated probabilities": saturated,
    "hard decisions": hard_decisions,
}


FITS = [
    ("vote fractions", ["norm", "truncnorm"], None),
    pytest.param("82% at zero", "auto", None, marks=pytest.mark.slow),
    pytest.param(*("saturated probabilities", ["norm", "gumbel_r"], None), marks=pytest.mark.slow),
    # Families that narrow down on two points take long.
    pytest.param("hard decisions", "norm", None, marks=pytest.mark.slow),
    ("82% at zero", "norm", QUICK),
    ("hard decisions", "norm", QUICK),
]


@pytest.mark.parametrize(("name", "families", "experts"), FITS)
def test_fits_to_ties_are_finite_and_sane(name, families, experts, global_random_seed):
    scores, labels = HARD_SAMPLES[name](np.random.default_rng(global_random_seed))
    y = np.where(np.arange(len(scores)) % 10 == 0, labels, -1)
    mixture = SemisupervisedScoreMixture(
        families, families, experts=experts, n_draws=50, random_state=global_random_seed
    ).fit(scores, y)
    assert np.isfinite(mixture.comparison_.log_evidence).all()
    assert np.isfinite(mixture.comparison_.log_likelihood).all()
    # The families are wrong here, but the labels hold the fit near the truth.
    assert mixture.prevalence_.value == pytest.approx(labels.mean(), abs=0.2)
    ends = mixture.predict_proba([scores.min(), scores.max()])[:, 1]
    assert ends[0] < 0.5 < ends[1]
    assert np.isfinite(mixture.score(scores, labels))

    span = scores.max() - scores.min()
    far = np.r_[-1e6, -5.0, -1e-3, 0.0, 1e-3, 1.001, 6.0, 1e6] * span + scores.mean()
    for new in (np.unique(scores), (np.unique(scores)[1:] + np.unique(scores)[:-1]) / 2.0, far):
        probability = mixture.predict_proba(new)
        assert_allclose(probability.sum(axis=1), 1.0)
        assert ((probability >= 0.0) & (probability <= 1.0)).all()
        assert np.isfinite(mixture.score_samples(new)).all()


def test_a_tie_outside_the_support_of_one_class_belongs_to_the_other():
    mixture = TwoClassMixture(FAMILIES["uniform"](), FAMILIES["uniform"]())
    # Negatives live on (-1, 1), positives on (4, 6).
    width = 1.0 / np.sqrt(3.0)
    u = mixture.real(0.5, (0.0, width), (5.0, width))[np.newaxis]
    points, firsts = np.array([-0.1, 0.1, 4.9, 5.1]), np.array([0, 2])
    assert_allclose(mixture.positive_probability(u, points, firsts), [[0.0, 1.0]], atol=1e-6)
    negative, positive = mixture.log_score_density(u, points, firsts)
    assert_allclose(np.exp([negative[0], positive[0]]), [[0.25, 0.0], [0.0, 0.25]], atol=1e-6)


# The floor is one for all families: here are those of light, heavy, bounded and no tails.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "experts"),
    [(name, None) for name in ("norm", "truncnorm", "gompertz", "invweibull", "uniform")]
    + [("norm", QUICK)],
)
def test_no_finite_score_has_density_zero_or_no_probability(name, experts, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[rng.gamma(3.0, 1.0, 40), rng.normal(9.0, 1.0, 20)]
    y = np.where(np.arange(60) % 3 == 0, np.arange(60) >= 40, -1)
    mixture = SemisupervisedScoreMixture(
        name, name, experts=experts, n_draws=50, random_state=global_random_seed
    ).fit(scores, y)
    new = np.r_[-np.geomspace(1e-3, 1e12, 30), 0.0, np.geomspace(1e-3, 1e12, 30)]
    assert np.isfinite(mixture.predict_proba(new)).all()
    log_density = mixture.score_samples(new)
    assert np.isfinite(log_density).all()
    # Far out the floor fades like a Cauchy density.
    assert log_density[-1] > -100.0
