"""What every method promises, checked for every entry of `METHODS`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from sklearn_spe.extrapolation import (
    CurveMethod,
    KernelDensity,
    Moment,
    Scores,
    average_accuracy_curve,
)
from sklearn_spe.extrapolation._accuracy_curve import subset_accuracies
from sklearn_spe.extrapolation._accuracy_distributions import Distribution
from sklearn_spe.extrapolation.methods._curve_methods import ClassExReg, Probit
from sklearn_spe.extrapolation.methods._pseudolikelihood import Pseudolikelihood
from sklearn_spe.extrapolation.methods._registry import METHODS
from sklearn_spe.extrapolation.methods._score_methods import Blend
from tests.extrapolation.pilots import COUNTS, drawn, linear_scores, pilot_of, tied_scores

DEFAULTS = [method() for method in METHODS.values()]
EVERY_METHOD = pytest.mark.parametrize("method", DEFAULTS, ids=METHODS)
OPTIONS = [
    Moment(constrained=True, knots="uniform"),
    Moment(basis="polynomial", n_basis=30),
    Moment(n_basis=1),
    KernelDensity("bcv"),
    Scores(n_folds=2),
    Scores(n_folds=10),
]
EVERY_OPTION = pytest.mark.parametrize("method", [*DEFAULTS, *OPTIONS], ids=repr)
EVERY_CURVE_METHOD = pytest.mark.parametrize(
    "method", [m for m in DEFAULTS if isinstance(m, CurveMethod)], ids=lambda m: m.name
)
# With laws enough to come near to the curve of any pilot.
FLEXIBLE = (Moment(), ClassExReg(), Probit())
# They see ranks only.
RANK_METHODS = pytest.mark.parametrize(
    "method", [Moment(), ClassExReg(), Probit(), Pseudolikelihood()], ids=repr
)
U = np.concatenate([np.linspace(0.0, 1.0, 101), 1.0 - np.geomspace(1e-2, 1e-12, 11)])


def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def law_of(global_random_seed):
    """Return a function that fits a method with the one seed."""
    return lambda method, scores, y: method.fit(pilot_of(scores, y), rng(global_random_seed))


def assert_law(distribution):
    assert isinstance(distribution, Distribution)
    accuracies = distribution.accuracy(COUNTS)
    assert_allclose(accuracies[0], 1.0, rtol=1e-12)
    assert (np.diff(accuracies) <= 1e-12).all()
    assert (accuracies >= -1e-12).all()
    assert -1e-12 <= distribution.always_right <= accuracies[-1] + 1e-12
    below = distribution(np.sort(U))
    assert (np.diff(below) >= -1e-12).all()
    assert below[0] >= 0.0
    assert_allclose(below[-1], 1.0, rtol=1e-12)


def certain(n_classes, seed):
    """Return scores that rule out all classes but one."""
    y, draw = np.repeat(np.arange(n_classes), 3), rng(seed)
    guesses = np.where(draw.random(len(y)) < 0.6, y, draw.integers(n_classes, size=len(y)))
    return np.where(np.eye(n_classes)[guesses] > 0.0, 0.0, -np.inf), y


def ruled_out(n_classes, seed):
    """Return scores of which a third is -inf."""
    scores, y = linear_scores(n_classes, 3, seed)
    return np.where(rng(seed).random(scores.shape) < 0.3, -np.inf, scores), y


def hidden(scores, y, rows):
    """Return scores of which whole rows are -inf."""
    scores = scores.copy()
    scores[rows] = -np.inf
    return scores, y


@pytest.fixture(scope="module")
def pilots(global_random_seed):
    """Return pilots of twelve classes that a user may have, with the hard cases among them."""
    seed = global_random_seed
    clouds, y = drawn(seed=seed)
    either, _ = linear_scores(seed=seed)
    hard, of_hard = certain(12, seed)
    return {
        "clouds": (clouds, y),
        "either sign": (either, y),
        "ties": tied_scores(12, 40, seed),
        "two-valued": ((rng(seed).random((36, 12)) < 0.4).astype(float), np.arange(36) % 12),
        "hard decisions": (np.exp(hard), of_hard),
        "hard logarithms": (hard, of_hard),
        "some ruled out": ruled_out(12, seed),
        "rows ruled out": hidden(either, y, slice(0, 5)),
        "all ruled out": (np.full((12, 12), -np.inf), np.arange(12)),
        "only the truth": (np.where(np.eye(12) > 0.0, 0.0, -np.inf), np.arange(12)),
        "perfect": linear_scores(seed=seed, signal=100.0),
        "never right": linear_scores(seed=seed, signal=-100.0),
        "all equal": (np.zeros((24, 12)), np.arange(24) % 12),
        "single precision": (clouds.astype(np.float32), y),
        "one item": (either[:1], np.zeros(1, dtype=int)),
        "items of one class": (either[:4], np.zeros(4, dtype=int)),
        "far from zero": (either + 1e9, y),
        **{f"{k} classes": drawn(k, seed=seed, noise=1.5) for k in (2, 3, 4, 6)},
        **{f"{k} equal classes": (np.zeros((2 * k, k)), np.arange(2 * k) % k) for k in (2, 5)},
    }


@EVERY_OPTION
def test_the_estimate_is_a_distribution_whatever_the_pilot(method, pilots, law_of):
    # Options, and a mean of methods, are tried on some.
    some = ("clouds", "ties", "some ruled out", "perfect", "never right", "2 classes")
    is_whole = method in DEFAULTS and not isinstance(method, Blend)
    for name in pilots if is_whole else some:
        assert_law(law_of(method, *pilots[name]))


@EVERY_METHOD
def test_the_order_of_items_does_not_matter(method, law_of, pilots, global_random_seed):
    for name in ("ties", "some ruled out"):
        scores, y = pilots[name]
        order = rng(global_random_seed).permutation(len(y))
        expected = law_of(method, scores, y).accuracy(COUNTS)
        again = law_of(method, scores[order], y[order])
        assert_allclose(again.accuracy(COUNTS), expected, atol=1e-6)


@pytest.mark.parametrize(
    "method", [Moment(), Probit(), Pseudolikelihood(), KernelDensity()], ids=repr
)
def test_the_order_of_columns_does_not_matter_where_none_is_drawn(
    method, law_of, pilots, global_random_seed
):
    scores, y = pilots["either sign"]
    order = rng(global_random_seed).permutation(12)
    place = np.argsort(order)
    expected = law_of(method, scores, y).accuracy(COUNTS)
    assert_allclose(law_of(method, scores[:, order], place[y]).accuracy(COUNTS), expected)


@pytest.mark.parametrize("method", [Moment(), ClassExReg(), Probit(), KernelDensity()], ids=repr)
def test_a_weight_is_as_many_repetitions(method, law_of, global_random_seed):
    scores, y = linear_scores(seed=global_random_seed)
    times = 1 + np.arange(len(y)) % 3
    weighted = method.fit(
        pilot_of(scores, y, sample_weight=times), rng(global_random_seed)
    ).accuracy(COUNTS)
    repeated = law_of(method, np.repeat(scores, times, axis=0), np.repeat(y, times))
    assert_allclose(weighted, repeated.accuracy(COUNTS), atol=1e-6)
    # More than the tolerance above.
    assert np.abs(weighted - law_of(method, scores, y).accuracy(COUNTS)).max() > 2e-6


@RANK_METHODS
def test_methods_of_ranks_see_no_more_than_ranks(method, law_of, global_random_seed):
    scores, y = linear_scores(seed=global_random_seed)
    slopes, shifts = rng(global_random_seed).uniform(0.2, 2.0, (2, len(y), 1))
    transformed = np.arcsinh(slopes * scores) + shifts
    expected = law_of(method, scores, y)
    distribution = law_of(method, transformed, y)
    assert_array_equal(distribution.accuracy(COUNTS), expected.accuracy(COUNTS))
    assert_array_equal(distribution(U), expected(U))


@pytest.mark.parametrize("method", [Scores(), KernelDensity(), Blend()], ids=repr)
def test_methods_of_scores_know_neither_the_origin_of_an_item_nor_the_unit_of_all(
    method, law_of, global_random_seed
):
    scores, y = linear_scores(seed=global_random_seed)
    expected = law_of(method, scores, y).accuracy(COUNTS)
    shifted = scores + rng(global_random_seed).uniform(-5.0, 5.0, (len(y), 1))
    for same in (shifted, 1e3 * scores, 1e-3 * scores, 7.0 * shifted):
        assert_allclose(law_of(method, same, y).accuracy(COUNTS), expected, atol=1e-6)


@EVERY_METHOD
def test_a_perfect_pilot_is_extrapolated_to_better_accuracies_than_one_that_is_not(
    method, law_of, global_random_seed
):
    perfect, plain, hopeless = (
        law_of(method, *linear_scores(seed=global_random_seed, signal=signal)).accuracy(
            COUNTS[5:-1]
        )
        for signal in (100.0, 2.0, -100.0)
    )
    assert (perfect >= plain).all()
    assert (plain >= hopeless).all()
    assert perfect[0] > 0.99
    # Splines are of laws that guess at worst.
    assert hopeless[0] < 1 / 12 + 1e-9


@EVERY_METHOD
def test_scores_that_are_all_equal_are_guesses(method, law_of, pilots):
    # Among k classes one in k is right: U is uniform. Probit normals with mean 0 and variance 1
    # have just that law; kernels see U = 1/2 for every item.
    accuracies = law_of(method, *pilots["all equal"]).accuracy(np.array([2, 6, 12]))
    if method.name == "kde":
        assert_allclose(accuracies, 0.5 ** np.array([1, 5, 11]), rtol=1e-12)
    else:
        assert_allclose(accuracies[0], 0.5, atol=0.02)
        assert (accuracies < [0.6, 0.25, 0.15]).all()


# --- methods that need accuracies only ------------------------------------------------------------


@EVERY_CURVE_METHOD
def test_a_curve_of_accuracies_is_enough(method, global_random_seed):
    scores, y = drawn(20, 5, global_random_seed)
    pilot = pilot_of(scores, y)
    counts = np.array([2, 3, 5, 8, 13, 20])
    curve = subset_accuracies(pilot.histogram)[counts - 1]
    distribution = method.fit_curve(counts, curve, np.ones(6), rng(global_random_seed))
    assert_law(distribution)
    if method in FLEXIBLE:
        assert_allclose(distribution.accuracy(counts), curve, atol=0.01)


@pytest.mark.parametrize("method", [Moment(), Probit()], ids=repr)
def test_a_pilot_is_its_curve(method, law_of, global_random_seed):
    scores, y = drawn(20, 3, global_random_seed)
    counts = np.arange(2, 21)
    curve = average_accuracy_curve(y, scores, n_classes=counts)
    distribution = method.fit_curve(counts, curve, np.ones(19), rng(global_random_seed))
    assert_array_equal(distribution.accuracy(COUNTS), law_of(method, scores, y).accuracy(COUNTS))


def test_the_probit_distribution_is_found_again(global_random_seed):
    counts = np.arange(2, 200)
    z = np.linspace(-8.0, 8.0, 4001)
    density = np.exp(-0.5 * z**2) / np.exp(-0.5 * z**2).sum()
    for mean, std in ((1.5, 0.7), (0.2, 1.5), (3.0, 0.4)):
        log_u = special.log_ndtr(mean + std * z)
        curve = np.exp(np.multiply.outer(counts - 1.0, log_u)) @ density
        distribution = Probit().fit_curve(
            counts, curve, np.ones(len(counts)), rng(global_random_seed)
        )
        far = np.array([10**3, 10**5])
        expected = np.exp(np.multiply.outer(far - 1.0, log_u)) @ density
        assert_allclose(distribution.accuracy(far), expected, rtol=1e-3)


def test_a_blend_is_the_weighted_mean_of_its_parts(global_random_seed):
    scores, y = drawn(seed=global_random_seed)
    pilot, generator = pilot_of(scores, y), rng(global_random_seed)
    expected = sum(
        weight * part.fit(pilot, generator).accuracy(COUNTS) for part, weight in Blend.PARTS
    )
    assert_allclose(
        Blend().fit(pilot, rng(global_random_seed)).accuracy(COUNTS), expected, rtol=1e-12
    )
    assert_allclose(sum(weight for _, weight in Blend.PARTS), 1.0)
