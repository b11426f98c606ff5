"""Categories with few labels or none: the prevalence that scores tell, by Rogan and Gladen."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.inputs._groups import Partition
from sklearn_spe.models._row_posterior import PrevalenceShift
from sklearn_spe.models._score_axes import share_of_ties
from tests.quick import QUIET

pytestmark = QUIET
N_REFERENCE, N_NEW = 4000, 2000
SENSITIVITY, SPECIFICITY = 0.9, 0.8


def flags(prevalence, n):
    """Return flags and classes of items in their expected numbers."""
    n_positive = round(prevalence * n)
    n_found, n_false = round(SENSITIVITY * n_positive), round((1 - SPECIFICITY) * (n - n_positive))
    y = np.r_[np.ones(n_positive), np.zeros(n - n_positive)].astype(int)
    flag = np.zeros(n)
    flag[:n_found] = flag[n_positive : n_positive + n_false] = 1.0
    return flag, y


def fitted(prevalence, n_labeled=0, seed=0, ordered=False):
    """Return a fit to a wholly labeled reference and a new part with another prevalence."""
    (old, labels), (new, truth) = flags(0.3, N_REFERENCE), flags(prevalence, N_NEW)
    y = np.r_[labels, np.full(N_NEW, -1)]
    rng = np.random.default_rng(seed)
    chosen = rng.choice(N_NEW, n_labeled, replace=False)
    y[N_REFERENCE + chosen] = truth[chosen]
    part = np.repeat(["new", "old"], [N_NEW, N_REFERENCE])[::-1]
    if ordered:
        pd = pytest.importorskip("pandas")
        part = pd.Categorical(part, ["old", "new"], ordered=True)
    performance = PerformanceCurveEstimator(n_draws=400, random_state=seed)
    return performance.fit(np.r_[old, new], y, category=part)


def label_shift(performance):
    """Return the draws of the coefficient of label shift, and its column."""
    posterior = performance.model_.posterior
    names = [effect.name for effect in posterior.effects.effects]
    if "label shift" not in names:
        return None
    place = names.index("label shift")
    draws = posterior.updated.effects[place]
    return draws.size * draws.normal[:, 0], posterior.effects.effects[place].values[:, 0]


def test_shifts_multiply_odds(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    p, column = rng.random((4, 5)), np.array([2, 0, 1, 2, 0])
    shift = PrevalenceShift(column, rng.normal(size=(9, 3)) * (np.arange(9) != 4)[:, np.newaxis])
    items, rows = np.array([4, 0, 2]), slice(3, 7)
    moved = p[:, items]
    shift.apply(moved, rows, items)
    added = shift.log_odds[3:7][:, column[items]]
    assert_allclose(special.logit(moved), special.logit(p[:, items]) + added, atol=1e-12)
    assert_array_equal(moved[1], p[1, items])


@pytest.mark.parametrize("prevalence", [0.05, 0.8])
def test_the_column_is_the_prevalence_of_rogan_and_gladen(prevalence, global_random_seed):
    _, column = label_shift(fitted(prevalence, seed=global_random_seed))
    # The share of flags, less false alarms, over sensitivity less false alarms, is the prevalence
    # here; 4000 labels are .01 from the curve of all, and one item in 2000 is of the others.
    of_reference, of_new = column[0], column[-1]
    assert_allclose(special.expit(special.logit(0.3) + of_new), prevalence, atol=0.02)
    assert of_reference == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("prevalence", [0.05, 0.8])
def test_without_labels_half_of_the_draws_take_label_shift(prevalence, ordered, global_random_seed):
    performance = fitted(prevalence, seed=global_random_seed, ordered=ordered)
    coefficient, _ = label_shift(performance)
    draws = performance.of(category="new").estimate("prevalence").draws
    is_shifted = coefficient > 0.2
    # The labels say nothing of it, and curves are weighed by them.
    assert 0.3 < is_shifted.mean() < 0.7
    # The others take the curve as it is, with random effects around it.
    q = SENSITIVITY * prevalence + (1.0 - SPECIFICITY) * (1.0 - prevalence)
    of_flag = SENSITIVITY * 0.3 / (SENSITIVITY * 0.3 + (1.0 - SPECIFICITY) * 0.7)
    of_none = (1.0 - SENSITIVITY) * 0.3 / ((1.0 - SENSITIVITY) * 0.3 + SPECIFICITY * 0.7)
    same_curve = q * of_flag + (1.0 - q) * of_none
    low, high = np.quantile(draws[~is_shifted], [0.1, 0.9])
    assert low < same_curve < high
    # Of two values of a score lapse rates explain the labels as well: how near the draws come to
    # the prevalence depends on these, the side does not.
    assert (np.median(draws[is_shifted]) - same_curve) * (prevalence - same_curve) > 0.0


def test_labels_of_shifted_categories_favor_label_shift(global_random_seed):
    # Six categories whose expected counts of flags differ by their prevalence alone.
    prevalences = (0.03, 0.1, 0.3, 0.5, 0.8, 0.95)
    parts = [flags(prevalence, 400) for prevalence in prevalences]
    flag, truth = (np.concatenate(part) for part in zip(*parts, strict=True))
    category = np.repeat(np.arange(len(parts)), 400)
    rng = np.random.default_rng(global_random_seed)
    labels = np.full(len(truth), -1)
    for part in range(len(parts)):
        chosen = rng.choice(np.flatnonzero(category == part), 15, replace=False)
        labels[chosen] = truth[chosen]
    performance = PerformanceCurveEstimator(n_draws=400, random_state=0)
    coefficient, _ = label_shift(performance.fit(flag, labels, category=category))
    assert (coefficient > 0.2).mean() > 0.5


def test_what_has_labels_enough_or_none_is_left_alone(global_random_seed):
    assert label_shift(fitted(0.5, 20, seed=global_random_seed)) is None
    flag, y = flags(0.3, 200)
    part = np.arange(200) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for labels in (np.full(200, -1), y):
            performance = PerformanceCurveEstimator(n_draws=60, classes=[0, 1], random_state=0)
            assert label_shift(performance.fit(flag, labels, category=part)) is None


def test_the_share_of_ties_is_that_of_pairs(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values, codes = rng.integers(4, size=30).astype(float), rng.integers(3, size=30)
    counts = rng.integers(1, 4, size=30)
    v, c = np.repeat(values, counts), np.repeat(codes, counts)
    pairs = (c[:, np.newaxis] == c) & ~np.eye(len(c), dtype=bool)
    expected = (v[:, np.newaxis] == v)[pairs].mean()
    partition = Partition(np.arange(3), codes, "category")
    assert share_of_ties(values, partition, counts.astype(float)) == pytest.approx(expected)


@pytest.mark.parametrize(("n_values", "has_ranks"), [(2, False), (5, False), (600, True)])
def test_tied_scores_have_no_axis_of_ranks(n_values, has_ranks, global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 600
    scores = rng.permutation(np.arange(n) % n_values).astype(float)
    y = np.where(np.arange(n) < 40, rng.integers(2, size=n), -1)
    performance = PerformanceCurveEstimator(n_draws=60, random_state=0)
    performance.fit(scores, y, category=np.arange(n) % 3)
    names = performance.model_.posterior.updated.weights.names
    assert any("rank in the category" in name for name in names) == has_ranks


@pytest.mark.slow
@pytest.mark.parametrize("n_labeled", [0, 3, 10])
@pytest.mark.parametrize("move", [(0.25, 0.03), (0.6, 0.9)])
def test_intervals_cover_a_prevalence_that_moves(move, n_labeled, global_random_seed):
    n_fits, held = 40, 0
    for fit in range(n_fits):
        rng = np.random.default_rng([global_random_seed, fit])
        part = np.repeat(["old", "new"], [400, 500])
        y = (rng.random(900) < np.where(part == "old", *move)).astype(int)
        flag = (rng.random(900) < np.where(y == 1, 0.95, 0.15)).astype(float)
        labels = np.full(900, -1)
        chosen = np.r_[rng.choice(400, 100, False), 400 + rng.choice(500, n_labeled, False)]
        labels[chosen] = y[chosen]
        performance = PerformanceCurveEstimator(n_draws=400, random_state=fit)
        estimate = (
            performance.fit(flag, labels, category=part).of(category="new").estimate("prevalence")
        )
        low, high = estimate.interval()
        held += low <= y[400:].mean() <= high
        assert n_labeled or estimate.verdict == "unidentified"
    # Of intervals that cover in 85% fewer do once in a hundred.
    assert held >= stats.binom.ppf(0.01, n_fits, 0.85)
