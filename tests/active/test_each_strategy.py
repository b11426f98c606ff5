"""What each strategy for labels chooses."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, stats

from sklearn_spe.active import (
    Adaptive,
    AdaptiveImportance,
    Random,
    StaticImportance,
    Stratified,
    Tail,
)
from sklearn_spe.active.strategies._rules import Entropy, LogSpaced
from sklearn_spe.metrics import FBeta
from sklearn_spe.metrics._decision import Accuracy, Precision
from sklearn_spe.metrics._ranking import Prevalence

# --- tail, adaptive, entropy -----------------------------------------------------------


def test_the_tail_is_the_largest_scores_that_have_no_label(scored):
    assert_array_equal(
        scored.query(Tail()), scored.free[np.argsort(-scored.scores[scored.free])][:10]
    )


def test_tied_scores_of_the_tail_are_chosen_by_chance(global_random_seed):
    scores = np.r_[np.ones(20), 2.0, np.zeros(20)]
    n, counts, rng = 600, np.zeros(41), np.random.default_rng(global_random_seed)
    for _ in range(n):
        chosen = Tail().query(scores, n_labels=6, random_state=rng)
        assert chosen[0] == 20
        counts[chosen] += 1.0
    assert counts[21:].sum() == 0.0
    # Five of twenty each time, without replacement: less variable than a multinomial.
    expected = np.full(20, n / 4.0)
    assert stats.chisquare(counts[:20], expected).pvalue > 1e-6


def test_by_chance_all_of_the_best_are_drawn_alike(scored):
    pool = scored.pool(np.r_[np.ones(20), 2.0, np.zeros(39)], np.r_[[-1] * 20, 1, [-1] * 39])
    assert_array_equal(np.flatnonzero(Tail().weights(pool)), np.arange(20))


def test_adaptive_chooses_the_probabilities_next_to_one_half(scored):
    chosen = scored.query(Adaptive())
    assert_array_equal(
        chosen, scored.free[np.argsort(np.abs(scored.probability[scored.free] - 0.5))][:10]
    )


def test_entropy_is_that_of_a_bernoulli_label(scored):
    p = np.linspace(0.0, 1.0, 60)
    utilities = Entropy().utilities(scored.pool(probability=p))
    assert_allclose(utilities, stats.bernoulli(p).entropy(), atol=1e-12)
    assert_array_equal(Entropy().weights(scored.pool(probability=p)), utilities)
    assert utilities[[0, -1]].tolist() == [0.0, 0.0]
    # The best are those next to one half, drawn ones are in proportion.
    assert_array_equal(scored.query(Entropy()), scored.query(Adaptive()))


# --- random ----------------------------------------------------------------------------


def test_random_chooses_every_item_as_often(scored):
    n, counts, rng = 400, np.zeros(60), np.random.default_rng(scored.seed)
    for _ in range(n):
        counts[Random().query(scored.scores, scored.labels, 4, random_state=rng)] += 1.0
    assert counts[scored.labels != -1].sum() == 0.0
    assert (
        stats.chisquare(
            counts[scored.free], np.full(len(scored.free), 4.0 * n / len(scored.free))
        ).pvalue
        > 1e-6
    )


def test_every_category_is_asked_as_often_until_it_is_used_up(scored):
    category = np.repeat(["large", "small", "tiny"], [50, 8, 2])
    chosen = Random().query(scored.scores, None, 21, category=category, random_state=scored.seed)
    counts = dict(zip(*np.unique(category[chosen], return_counts=True), strict=True))
    assert counts == {"tiny": 2, "small": 8, "large": 11}
    chosen = Random().query(scored.scores, None, 6, category=category, random_state=scored.seed)
    assert sorted(category[chosen]) == ["large"] * 2 + ["small"] * 2 + ["tiny"] * 2


def test_labels_of_before_count_for_their_category(scored):
    category = np.arange(60) % 2
    y = np.where((category == 0) & (np.arange(60) < 20), 1, -1)
    chosen = Random().query(scored.scores, y, 10, category=category, random_state=scored.seed)
    assert (category[chosen] == 1).all()


def test_by_chance_every_category_is_as_likely_and_so_are_its_items(scored):
    category = np.repeat([0, 1, 2], [50, 8, 2])
    pool = scored.pool(category=category)
    weights = np.where(pool.free, Random().weights(pool), 0.0)
    assert_allclose(np.bincount(category, weights), np.bincount(category, weights).mean())
    for k in range(3):
        assert len(np.unique(weights[pool.free & (category == k)])) == 1


# --- spaced by the logarithm of ranks ---------------------------------------------------


def test_log_spaced_is_farthest_from_all_that_is_taken(scored):
    # The ends first, then the middles of gaps in log rank, by brute force.
    n, rng = 300, np.random.default_rng(scored.seed)
    scores = rng.normal(size=n)
    ranks = stats.rankdata(-scores)
    chosen = LogSpaced().query(scores, n_labels=40, random_state=scored.seed)
    assert ranks[chosen[:2]].tolist() == [n, 1.0]
    for k in range(2, 40):
        distance = np.abs(np.log(ranks[:, None] / ranks[chosen[:k]])).min(axis=1)
        assert distance[chosen[k]] == pytest.approx(distance.max(), rel=1e-12)


def test_log_spaced_leaves_no_gap_twice_as_wide_as_another_could_be(scored):
    # A halving rule: no gap is wider than two even ones, but between neighbours.
    n, k = 10_000, 33
    ranks = np.sort(
        n - LogSpaced().query(np.arange(float(n)), n_labels=k, random_state=scored.seed)
    )
    gaps = np.diff(np.log(ranks))[np.diff(ranks) > 1]
    assert gaps.max() <= 2.0 * np.log(n) / (k - 1)
    assert ranks[0] == 1
    assert ranks[-1] == n


def test_by_chance_log_spaced_is_even_in_log_rank(scored):
    pool = scored.pool(np.arange(1000.0), np.full(1000, -1), None, cells=None, information=None)
    weights = LogSpaced().weights(pool)
    by_decade = [weights[(pool.ranks >= low) & (pool.ranks < 10 * low)].sum() for low in (10, 100)]
    # Sums of 1 / r over a decade are log(10) up to the width of a rank.
    assert_allclose(by_decade, np.log(10.0), rtol=0.03)


def test_tied_scores_are_one_rank_and_asked_for_once_before_others(scored):
    scores = np.r_[np.zeros(50), np.arange(1.0, 11.0)]
    chosen = LogSpaced().query(scores, n_labels=11, random_state=scored.seed)
    assert (scores[chosen] == 0.0).sum() == 1
    assert len(np.unique(scores[chosen])) == 11


# --- strata ----------------------------------------------------------------------------


def strata_of(scored, strategy, **pool):
    return strategy._strata(scored.pool(**pool))


def test_strata_are_intervals_of_scores_of_even_root_frequency(scored):
    rng = np.random.default_rng(scored.seed)
    scores = rng.normal(size=5000)
    stratum, _ = strata_of(
        scored,
        Stratified(n_strata=5),
        scores=scores,
        codes=np.full(5000, -1),
        probability=scores * 0 + 0.5,
    )
    assert sorted(set(stratum.tolist())) == [0, 1, 2, 3, 4]
    assert (np.diff(stratum[np.argsort(scores)]) >= 0).all()
    counts, _ = np.histogram(scores, bins=200)
    shares = []
    for k in range(5):
        low, high = scores[stratum == k].min(), scores[stratum == k].max()
        inside = (scores >= low) & (scores <= high)
        assert (stratum[inside] == k).all()
        edges = np.linspace(scores.min(), scores.max(), 201)
        centers = (edges[1:] + edges[:-1]) / 2.0
        shares.append(np.sqrt(counts)[(centers >= low) & (centers <= high)].sum())
    # A bin more or less.
    assert_allclose(
        np.array(shares) / sum(shares), 0.2, atol=2 * np.sqrt(counts.max()) / sum(shares)
    )


@pytest.mark.parametrize("allocation", ["neyman", "proportional"])
def test_strata_get_their_allocation_up_to_one_label(scored, allocation):
    rng = np.random.default_rng(scored.seed)
    n, k = 2000, 100
    scores = rng.normal(size=n)
    p = 1.0 / (1.0 + np.exp(2.0 - 3.0 * scores))
    strategy = Stratified(allocation, n_strata=6)
    stratum, _ = strategy._strata(scored.pool(scores, np.full(n, -1), p))
    size = np.bincount(stratum).astype(float)
    if allocation == "neyman":
        share = np.clip(np.bincount(stratum, p) / size, 0.02, 0.98)
        size *= np.sqrt(share * (1.0 - share))
    chosen = strategy.query(scores, None, k, probability=p, random_state=scored.seed)
    asked = np.bincount(stratum[chosen], minlength=len(size))
    assert np.abs(asked - k * size / size.sum()).max() < 1.0
    # By chance in the same proportion.
    pool = scored.pool(scores, np.full(n, -1), p)
    drawn = np.bincount(stratum, strategy.weights(pool))
    assert_allclose(drawn / drawn.sum(), size / size.sum())


def test_neyman_allocation_has_the_least_variance(scored):
    # Of the mean label, for the same number of labels, over all allocations nearby.
    rng = np.random.default_rng(scored.seed)
    scores = rng.normal(size=3000)
    p = 1.0 / (1.0 + np.exp(1.0 - 2.0 * scores))
    stratum, spread = Stratified(n_strata=4)._strata(scored.pool(scores, np.full(3000, -1), p))
    size = np.bincount(stratum)

    def variance(shares):
        shares = np.exp(shares) / np.exp(shares).sum()
        return (size**2 * spread**2 / shares).sum()

    found = optimize.minimize(variance, np.zeros(4), method="BFGS", options={"gtol": 1e-10}).x
    best_shares = np.exp(found) / np.exp(found).sum()
    assert_allclose(size * spread / (size * spread).sum(), best_shares, atol=1e-4)


def test_neyman_needs_probabilities_and_says_what_does_not(scored):
    with pytest.raises(ValueError, match=r"needs probability=.*Stratified\('proportional'\)"):
        Stratified().query(scored.scores, scored.labels, 3)
    assert len(Stratified("proportional").query(scored.scores, scored.labels, 3)) == 3


# --- importance sampling ---------------------------------------------------------------

RATIOS = {
    "precision": Precision().item_terms(),
    "f1": FBeta().item_terms(),
    "accuracy": Accuracy().item_terms(),
    "prevalence": Prevalence().item_terms(),
}
EVERY_RATIO = pytest.mark.parametrize("terms", RATIOS.values(), ids=RATIOS)


def asymptotic_variance(q, p, side, terms):
    """Return that of one draw, sum over items and labels of (f - theta g)^2 / q."""
    f, g = ((1.0 - p) * term[0, side] + p * term[1, side] for term in terms)
    theta = f.sum() / g.sum()
    off = [(terms[0][z, side] - theta * terms[1][z, side]) ** 2 for z in (0, 1)]
    inside = (1.0 - p) * off[0] + p * off[1]
    return np.divide(inside, q, out=np.zeros(len(p)), where=inside > 0.0).sum()


def small_pool(scored, terms, **more):
    rng = np.random.default_rng(scored.seed)
    # Some above the threshold, and some below.
    scores = rng.normal(size=8) + np.repeat([-9.0, 9.0], 4)
    p = rng.uniform(0.05, 0.95, 8)
    return scored.pool(scores, np.full(8, -1), p, terms=terms, n_cells=2, **more)


@EVERY_RATIO
def test_importance_is_the_analytic_optimum(scored, terms):
    pool = small_pool(scored, terms)
    side = pool.above.astype(int)
    q = AdaptiveImportance(offset=0.0).weights(pool)
    q = q / q.sum()
    here = asymptotic_variance(q, pool.probability, side, terms)
    assert here < asymptotic_variance(np.full(8, 1.0 / 8.0), pool.probability, side, terms)
    # Whoever else searches finds the same, where chances matter at all.
    matters = q > 0.0

    def variance(logs):
        other = np.zeros(8)
        other[matters] = np.exp(logs) / np.exp(logs).sum()
        return asymptotic_variance(other, pool.probability, side, terms)

    start = np.zeros(matters.sum())
    found = optimize.minimize(variance, start, method="BFGS", options={"gtol": 1e-9})
    assert here <= found.fun * (1.0 + 1e-12)
    assert_allclose(np.exp(found.x) / np.exp(found.x).sum(), q[matters], atol=1e-4)
    rng = np.random.default_rng(scored.seed)
    for _ in range(50):
        near = q * np.exp(0.1 * rng.normal(size=8))
        near /= near.sum()
        assert asymptotic_variance(near, pool.probability, side, terms) >= here * (1.0 - 1e-12)


def test_an_importance_estimate_is_as_variable_as_the_formula_says(scored):
    # One draw at a time with replacement, many of them: the ratio estimator's variance.
    terms, rng = RATIOS["accuracy"], np.random.default_rng(scored.seed)
    pool = small_pool(scored, terms)
    side, p = pool.above.astype(int), pool.probability
    q = StaticImportance(offset=0.0).weights(pool)
    q = q / q.sum()
    m, n_repeats = 200, 4000
    items = rng.choice(8, size=(n_repeats, m), p=q)
    labels = (rng.random((n_repeats, m)) < p[items]).astype(int)
    f, g = (term[labels, side[items]] / q[items] for term in terms)
    values = f.sum(axis=1) / g.sum(axis=1)
    expected = asymptotic_variance(q, p, side, terms) / 8.0**2 / m
    # A sample variance of n normals is off by sqrt(2 / n); the formula by O(1 / m).
    assert values.var() == pytest.approx(expected, rel=5.0 * np.sqrt(2.0 / n_repeats) + 5.0 / m)


def test_the_offset_is_the_least_variance_of_a_label(scored):
    terms = RATIOS["accuracy"]
    p = np.r_[0.0, 1.0, 0.5, np.full(5, 0.3)]
    pool = small_pool(scored, terms)
    pool = dataclasses.replace(pool, probability=p, before=p)
    for offset in (0.0, 0.02, 0.25):
        weights = AdaptiveImportance(offset).weights(pool)
        # The variance of a label within sides is v = p (1 - p) + offset, at most one quarter.
        root = np.sqrt(np.maximum(0.25 - p * (1.0 - p) - offset, 0.0))
        other = np.where(p < 0.5, 0.5 - root, 0.5 + root)
        assert_allclose(other * (1.0 - other), np.minimum(p * (1.0 - p) + offset, 0.25))
        want = AdaptiveImportance(0.0).weights(dataclasses.replace(pool, probability=other))
        assert_allclose(weights, want)


def test_static_importance_believes_what_was_believed_at_first(scored):
    now, before = np.full(60, 0.5), scored.probability
    pool = scored.pool(probability=now, before=before)
    then = scored.pool(probability=before, before=before)
    assert_array_equal(StaticImportance().weights(pool), StaticImportance().weights(then))
    assert_array_equal(StaticImportance().weights(then), AdaptiveImportance().weights(then))
    assert not np.allclose(AdaptiveImportance().weights(pool), AdaptiveImportance().weights(then))
