"""What goes with each curve is drawn from the prior, and is its own mirror image."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.engine._components import (
    LARGE_RATES,
    RELATIVE,
    RELATIVE_RATES,
    ROUGHNESS,
    ROUGHNESS_PROBABILITIES,
    SMALL_RATES,
    TIED,
    CurveComponents,
)
from sklearn_spe.engine._random_effects import Members, RandomEffects
from sklearn_spe.experts._expert import DiscrepancyScale
from tests.experts.problems import FixedCurves, cells_of, ensemble_of, line

N = 20_000
# The chance of a false alarm of one of some ten assertions of a test, and how many standard errors
# a normal variable is off as rarely.
ALARM, FAR = 1e-7, 5.4
# Lapses so often that their distribution can be seen.
OFTEN = DiscrepancyScale(small_lapse=0.4, large_lapse=0.3, wide_share=0.5)
SCORES = np.linspace(-2.0, 2.0, 101)


@dataclass(frozen=True, eq=False)
class Ends(FixedCurves):
    """Curves with a given end at which lapses may be large."""

    end: int = field(default=0, kw_only=True)

    def lapse_end(self):
        return np.full(self.n_curves, self.end, dtype=np.int8)


def expert(end=0, scale=OFTEN, n=N):
    return Ends(n, functions=(line(0.0),), discrepancy=scale, end=end)


def drawn(seed, experts=None, scores=SCORES, kind="margin", effects=()):
    ensemble = ensemble_of(cells_of(scores, kind), experts or [expert()])
    rng = np.random.default_rng(seed)
    return CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(effects), rng)


def assert_share(found, share):
    error = np.sqrt(share * (1.0 - share) / len(found))
    assert np.mean(found) == pytest.approx(share, abs=FAR * error + 1e-12)


def test_scales_are_those_of_the_expert(global_random_seed):
    found = drawn(global_random_seed)
    assert_share(found.shift == OFTEN.wide_shift, 0.5)
    assert_array_equal(found.shift == OFTEN.wide_shift, found.stretch == OFTEN.wide_stretch)
    assert set(found.shift) == {OFTEN.shift, OFTEN.wide_shift}
    for size, share in zip(ROUGHNESS, ROUGHNESS_PROBABILITIES, strict=True):
        assert_share(found.roughness == size, share)
    half = drawn(global_random_seed, [expert(scale=replace(OFTEN, roughness=0.5), n=50)])
    assert set(half.roughness) <= {0.5 * size for size in ROUGHNESS}


def cdf_of_log_rates(rarer):
    """Return the distribution function of the log of a small rate, given a rarer class."""
    low, high = SMALL_RATES
    width = np.subtract(*RELATIVE_RATES[::-1])
    largest = min(np.log10(rarer) + RELATIVE_RATES[1], high)
    parts = stats.uniform(low, high - low), stats.uniform(largest - width, width)
    return lambda x: (1.0 - RELATIVE) * parts[0].cdf(x) + RELATIVE * parts[1].cdf(x)


@pytest.mark.parametrize("log_odds", [-9.0, 9.0])
def test_small_rates_are_in_units_of_the_rarer_class(log_odds, global_random_seed):
    curves = FixedCurves(N, functions=(line(log_odds),), discrepancy=OFTEN)
    found = drawn(global_random_seed, [curves])
    prevalence = special.expit(line(log_odds)(SCORES)).mean()
    rarer = min(prevalence, 1.0 - prevalence)
    largest = np.log10(rarer) + RELATIVE_RATES[1]
    rates = np.concatenate([found.bottom[found.top == 0.0], found.top[found.bottom == 0.0]])
    # Large ones are hardly ever so small.
    small = np.log10(rates[(rates > 0.0) & (rates < 10.0**largest)])
    cdf = cdf_of_log_rates(rarer)
    assert stats.kstest(small, lambda x: cdf(x) / cdf(largest)).statistic < 0.05


@pytest.mark.parametrize("end", [1, -1])
def test_rates_are_large_at_the_end_of_the_expert_and_small_at_the_other(end, global_random_seed):
    found = drawn(global_random_seed, [expert(end)])
    large, small = (found.top, found.bottom) if end > 0 else (found.bottom, found.top)
    assert_share(large > 0.0, OFTEN.large_lapse)
    assert_share(small > 0.0, OFTEN.small_lapse)
    assert_share((small > 0.0) & (large > 0.0), OFTEN.large_lapse * OFTEN.small_lapse)
    assert stats.kstest(large[large > 0.0], stats.beta(*LARGE_RATES).cdf).pvalue > ALARM
    alone = np.log10(small[(small > 0.0) & (large == 0.0)])
    assert stats.kstest(alone, cdf_of_log_rates(0.5)).pvalue > ALARM
    # Curves have room between them.
    assert (found.bottom + found.top < 1.0).all()
    assert (small <= (1.0 - large) / 2.0).all()
    assert_allclose(found.room, 1.0 - found.bottom - found.top)


def test_without_an_end_the_rates_are_their_own_mirror_image(global_random_seed):
    found = drawn(global_random_seed)
    for one, other in ((found.bottom, found.top), (found.bottom - found.top,) * 2):
        # Signs are a coin; and sizes have one distribution at both ends.
        if one is other:
            lean = one[one != 0.0]
            assert_share(lean > 0.0, 0.5)
            assert stats.ks_2samp(lean[lean > 0.0], -lean[lean < 0.0]).pvalue > ALARM
        else:
            assert stats.ks_2samp(one[one > 0.0], other[other > 0.0]).pvalue > ALARM
            error = np.sqrt(2.0 * np.mean(one > 0.0) / N)
            assert np.mean(one > 0.0) == pytest.approx(np.mean(other > 0.0), abs=FAR * error)


def test_opposite_ends_are_mirror_images(global_random_seed):
    top = drawn([global_random_seed, 0], [expert(1)])
    bottom = drawn([global_random_seed, 1], [expert(-1)])
    for one, other in ((top.bottom, bottom.top), (top.top, bottom.bottom)):
        assert stats.ks_2samp(one[one > 0.0], other[other > 0.0]).pvalue > ALARM
    both = [np.mean((own.bottom > 0.0) & (own.top > 0.0)) for own in (top, bottom)]
    assert both[0] == pytest.approx(both[1], abs=FAR * np.sqrt(2.0 * 0.25 / N))


@pytest.mark.parametrize(("kind", "often"), [("probability", TIED), ("votes", OFTEN.large_lapse)])
@pytest.mark.parametrize("end", [1, -1])
def test_rates_are_often_large_where_scores_end_in_a_heavy_tie_unless_they_are_votes(
    kind, often, end, global_random_seed
):
    inner = special.expit(np.random.default_rng(global_random_seed).normal(size=200))
    scores = np.r_[inner, np.full(100, float(end > 0))]
    for of_expert, share in ((end, often), (-end, OFTEN.large_lapse)):
        found = drawn(global_random_seed, [expert(of_expert)], scores, kind)
        assert_share((found.top if of_expert > 0 else found.bottom) > 0.0, share)


def test_an_expert_without_large_lapses_has_none_at_a_heavy_tie(global_random_seed):
    scores = np.repeat([0.0, 1.0], 100)
    scale = replace(OFTEN, small_lapse=0.0, large_lapse=0.0)
    found = drawn(global_random_seed, [expert(scale=scale)], scores, "probability")
    assert not found.top.any()
    assert not found.bottom.any()


def test_curves_weigh_what_their_expert_and_their_shares_say(global_random_seed):
    class Uneven(FixedCurves):
        def shares(self):
            return np.arange(1.0, self.n_curves + 1.0)

    experts = [
        Uneven(4, functions=(line(0.0),), weight=3.0),
        FixedCurves(2, functions=(line(1.0),), weight=1.0),
    ]
    found = drawn(global_random_seed, experts)
    expected = np.r_[0.75 * np.arange(1.0, 5.0) / 10.0, 0.25 * np.ones(2) / 2.0]
    assert_allclose(np.exp(found.log_prior), expected)
    assert_array_equal(found.expert, [0, 0, 0, 0, 1, 1])
    assert_array_equal(found.curve, np.arange(6))


def test_axes_weigh_what_they_are_given_and_their_curves_are_their_own(global_random_seed):
    one, other = (
        ensemble_of(cells_of(scores, "margin"), [FixedCurves(n, functions=(line(0.0),))])
        for scores, n in ((SCORES, 3), (np.r_[SCORES, np.zeros(40)], 2))
    )
    rng = np.random.default_rng(global_random_seed)
    found = CurveComponents.drawn((one, other), (1.0, 3.0), ("a", "b"), RandomEffects(), rng)
    assert_allclose(np.exp(found.log_weights), [0.25, 0.75])
    assert_array_equal(found.axis, [0, 0, 0, 1, 1])
    assert_array_equal(found.curve, [0, 1, 2, 0, 1])
    assert found.axes_of(np.arange(5)) == [(0, slice(0, 3)), (1, slice(3, 5))]
    assert found.axes_of(np.array([3, 4])) == [(1, slice(0, 2))]


def test_sizes_of_effects_have_their_probabilities(global_random_seed):
    sizes, probabilities = (0.2, 0.7, 1.5), (0.5, 0.3, 0.2)
    codes = np.zeros(len(SCORES), dtype=int)
    effects = tuple(Members(name, sizes, probabilities, codes, 2) for name in ("a", "b"))
    found = drawn(global_random_seed, effects=effects).sizes
    assert found.shape == (N, 2)
    for column in found.T:
        for size, share in zip(sizes, probabilities, strict=True):
            assert_share(column == size, share)
    # Independent of one another.
    error = np.sqrt(0.25 / N)
    joint = np.mean((found == sizes[0]).all(axis=1))
    assert joint == pytest.approx(probabilities[0] ** 2, abs=FAR * error)
