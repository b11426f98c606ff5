"""The experts that look at ranks only, against brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, special, stats

from sklearn_spe.experts import RankBinormal, RankProcess
from sklearn_spe.experts._rank_binormal import NARROW
from sklearn_spe.families import NormalPrior
from tests.experts.problems import cells_of

MAPS = {
    "exp": np.exp,
    "cube": lambda s: s**3,
    "probability": special.expit,
    "far": lambda s: s + 1e6,
}
PROBLEMS = [(0.1, 2.0, 1.0), (0.3, 1.0, 0.7), (0.02, 2.5, 1.4), (0.6, 0.0, 1.0), (0.9, 3.0, 1.2)]


def known_binormal(prevalence, distance, spread, n_curves=32):
    """Return the expert whose curves are all the same."""
    return RankBinormal(
        n_curves,
        log_odds=NormalPrior(special.logit(prevalence), 1e-10),
        separation=NormalPrior(distance, 1e-10),
        log_spread=NormalPrior(np.log(spread), 1e-10),
    )


def binormal_probability(low, high, prevalence, distance, spread):
    """Return P(y = 1 | rank in a cell) by root finding; ranks are those of the mixture."""

    def rank(x):
        negative, positive = special.ndtr(x), special.ndtr((x - distance) / spread)
        return (1.0 - prevalence) * negative + prevalence * positive

    def positives_below(u):
        if u <= 0.0 or u >= 1.0:
            return float(u >= 1.0) * prevalence
        x = optimize.brentq(lambda x: rank(x) - u, -40.0, 40.0, xtol=1e-12)
        return prevalence * special.ndtr((x - distance) / spread)

    return np.array(
        [
            (positives_below(b) - positives_below(a)) / (b - a)
            for a, b in zip(low, high, strict=True)
        ]
    )


@pytest.mark.parametrize("expert", [RankBinormal(), RankProcess()], ids=lambda e: e.name)
@pytest.mark.parametrize("transform", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("n", [50, 2000])
def test_an_increasing_map_of_the_scores_changes_nothing(expert, transform, n, global_random_seed):
    scores = np.r_[np.random.default_rng(global_random_seed).normal(size=n), np.zeros(n // 5)]
    before = expert.prior_curves(cells_of(scores), np.random.default_rng(global_random_seed)).curves
    after = expert.prior_curves(
        cells_of(transform(scores)), np.random.default_rng(global_random_seed)
    ).curves
    assert_array_equal(before, after)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_ties_get_the_binormal_probability_of_their_ranks(problem, global_random_seed):
    counts = np.array([300, 150, 50, 200, 120, 80, 60, 40])
    cells = cells_of(np.repeat(np.arange(8.0), counts), "margin")
    exact = binormal_probability(*cells.rank_ends, *problem)
    # Where the spreads differ a binormal curve turns, and the expert's stays flat from there.
    if problem[2] > 1.0:
        exact = np.minimum.accumulate(exact[::-1])[::-1]
    else:
        exact = np.maximum.accumulate(exact)
    curves = known_binormal(*problem).curves(cells, np.random.default_rng(global_random_seed))
    assert_allclose(special.expit(curves), np.broadcast_to(exact, curves.shape), atol=0.005)


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p[2] == 1.0])
def test_with_equal_spreads_the_curve_is_logistic_on_the_latent_scale(problem, global_random_seed):
    prevalence, distance, _ = problem
    rng = np.random.default_rng(global_random_seed)
    # The very quantiles of the latent scale, so that ranks are exact.
    ranks = (np.arange(150) + 0.5) / 150
    x = np.array(
        [
            optimize.brentq(
                lambda x, u=u: (
                    (1.0 - prevalence) * special.ndtr(x)
                    + prevalence * special.ndtr(x - distance)
                    - u
                ),
                -40.0,
                40.0,
            )
            for u in ranks
        ]
    )
    curve = known_binormal(*problem).curves(cells_of(x, "margin"), rng)[0]
    exact = special.logit(prevalence) + distance * x - distance**2 / 2.0
    # A cell stands for the mean probability of some neighbours, which bends it a little.
    assert_allclose(special.expit(curve), special.expit(exact), atol=0.02)


def test_the_share_of_positives_is_the_prevalence(global_random_seed):
    cells = cells_of(np.repeat(np.arange(6.0), [400, 250, 150, 100, 60, 40]), "margin")
    for prevalence in (0.02, 0.3, 0.8):
        curve = known_binormal(prevalence, 1.5, 1.0).curves(
            cells, np.random.default_rng(global_random_seed)
        )[0]
        assert special.expit(curve) @ cells.shares == pytest.approx(prevalence, abs=1e-3)


def test_binormal_curves_never_fall(global_random_seed):
    cells = cells_of(np.random.default_rng(global_random_seed).normal(size=2000))
    curves = RankBinormal().curves(cells, None)
    falls = (np.diff(curves, axis=1) < -1e-9).any(axis=1)
    assert not falls[~are_narrow(RankBinormal())].any()
    # Those of a narrow band of positives may, with negatives above them.
    assert falls[are_narrow(RankBinormal())].mean() > 0.25


def are_narrow(expert):
    """Return which curves are those of positives in a narrow band."""
    return np.concatenate([np.full(part.n, part.priors == NARROW) for part in expert._parts])


def test_a_known_auc_is_that_of_the_curves(global_random_seed):
    # The AUC of two normals of one spread is Phi(d / sqrt(2)).
    cells = cells_of(np.random.default_rng(global_random_seed).normal(size=150))
    for auc in (0.6, 0.8, 0.95):
        distance = np.sqrt(2.0) * stats.norm.ppf(auc)
        p = special.expit(known_binormal(0.3, distance, 1.0).curves(cells, None)[0])
        below = np.cumsum(1.0 - p) - (1.0 - p) / 2.0
        assert (p @ below) / (p.sum() * (1.0 - p).sum()) == pytest.approx(auc, abs=0.01)


def test_one_item_among_many_millions_changes_no_curve(global_random_seed):
    scores = np.sort(np.random.default_rng(global_random_seed).normal(size=150))
    weights = np.full(150, 1e6)
    few = RankBinormal().curves(cells_of(scores, weights=weights), None)
    weights[[0, -1]] = 1.0
    curves = RankBinormal().curves(cells_of(scores, weights=weights), None)
    assert np.isfinite(curves).all()
    assert (np.diff(curves[~are_narrow(RankBinormal())], axis=1) >= -1e-9).all()
    # Ranks have moved by less than one item in 150: a steep curve rises one cell later.
    change = np.abs(special.expit(curves) - special.expit(few))[:, 1:-1]
    assert change.mean(axis=1).max() < 3.0 / 150.0


# --- mirror images ------------------------------------------------------------------------------


def ties(seed, reversed_order=False):
    """Return cells of ties and of scores by themselves, or the same counted from the other end."""
    counts = np.r_[np.ones(60), np.random.default_rng(seed).integers(1, 400, 30)]
    return cells_of(np.arange(90.0), "margin", counts[::-1] if reversed_order else counts)


def test_half_of_the_binormal_curves_are_mirror_images_of_the_others(global_random_seed):
    cells, mirror = ties(global_random_seed), ties(global_random_seed, reversed_order=True)
    n = 200
    one, other = (RankBinormal(n).curves(c, None) for c in (cells, mirror))
    # Narrow and plain ones, each before their mirror images.
    sizes = np.repeat([40, 60], 2)
    ends = np.cumsum([0, *sizes])
    expert = RankBinormal(n)
    shares, lapse_end = expert.shares(), expert.lapse_end()
    for j in (0, 2):
        mine, image = slice(ends[j], ends[j + 1]), slice(ends[j + 1], ends[j + 2])
        # Far out in the tails quantiles of the normal distribution keep eight digits.
        assert_allclose(one[image], -other[mine][:, ::-1], rtol=1e-6, atol=1e-12)
        assert_allclose(one[mine], -other[image][:, ::-1], rtol=1e-6, atol=1e-12)
        assert shares[mine].sum() == pytest.approx(shares[image].sum())
        assert_array_equal(lapse_end[mine], 1)
        assert_array_equal(lapse_end[image], -1)
    assert_array_equal(expert.expects_rare(), np.repeat([True, False], 2 * sizes[::2]))
    # So positives below are lapses of one half, negatives on top those of the other.
    assert (lapse_end * shares).sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("n_curves", [32, 33, 100, 751])
def test_any_number_of_curves_has_the_same_shares_of_mirror_images(n_curves):
    expert = RankBinormal(n_curves)
    shares, ends = expert.shares(), expert.lapse_end()
    assert len(shares) == len(ends) == n_curves
    assert (shares * (ends > 0)).sum() == pytest.approx((shares * (ends < 0)).sum())
    assert 0 <= (ends < 0).sum() - (ends > 0).sum() <= n_curves % 2


def test_priors_that_are_given_are_taken_as_they_are(global_random_seed):
    expert = known_binormal(0.1, 1.5, 0.8, 40)
    assert_array_equal(expert.lapse_end(), 1)
    assert_allclose(expert.shares(), expert.shares()[0])
    curves = expert.curves(ties(global_random_seed), None)
    assert_allclose(curves, np.broadcast_to(curves[0], curves.shape), atol=1e-6)


def test_a_gain_moves_classes_apart_by_its_root():
    cells = ties(0)
    near = RankBinormal(60, separation=NormalPrior(1.0, 0.2)).steeper(4.0)
    far = RankBinormal(60, separation=NormalPrior(2.0, 0.2))
    assert_allclose(near.curves(cells, None), far.curves(cells, None))


@pytest.mark.parametrize("gain", [50.0, 1e4])
def test_classes_that_are_as_far_apart_as_any_have_curves(gain, global_random_seed):
    # Masses of cells vanish, or their ratio is too large for a number.
    curves = RankBinormal().steeper(gain).prior_curves(ties(global_random_seed), None).curves
    assert np.isfinite(curves).all()
    assert (np.diff(curves, axis=0) >= -1e-9).all()
