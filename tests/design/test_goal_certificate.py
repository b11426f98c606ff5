"""Proofs that an answer keeps a goal: a fair game, and what it says of pools made to deceive."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.design._goal_certificate import DEPTH_RATIO, GoalCertificate
from sklearn_spe.design._sum_test import SumTest, ThresholdCounts
from sklearn_spe.goals._goal import Goal
from sklearn_spe.metrics._decision import MatthewsCorrcoef

GOALS = {
    "precision": {"precision": 0.6},
    "recall": {"recall": 0.6},
    "both": {"precision": 0.5, "recall": 0.5},
    "f1": {"f1": 0.6},
    "accuracy": {"accuracy": 0.6},
    "false positive rate": {"false_positive_rate": 0.3},
    "true positives": {"true_positives": 10},
    "so many": {"predicted_positives": 12},
    "at the top": {"precision": 0.6, "predicted_positives": 12},
    "false negatives": {"false_negatives": 6},
    "upper end": {"recall": (0.2, 0.7)},
}


def keeps(goal, answer, labels):
    """Return whether an answer keeps a goal, by counting."""
    tp, fp = np.sum(answer & (labels == 1)), np.sum(answer & (labels == 0))
    n_positive, n_negative = np.sum(labels == 1), np.sum(labels == 0)
    counts = (tp, fp, n_positive, n_negative)
    for bound in goal.bounds:
        with np.errstate(invalid="ignore", divide="ignore"):
            value = bound.metric.value(*map(np.float64, counts))
        if not bound.low - 1e-9 <= value <= bound.high + 1e-9:
            return False
    return True


def answers(certificate, scores, codes):
    """Yield the answer of each threshold."""
    for threshold in certificate.thresholds:
        yield np.where(codes >= 0, codes == 1, scores >= threshold)


def right(certificate, scores, labels, codes):
    return np.array(
        [keeps(certificate.goal, a, labels) for a in answers(certificate, scores, codes)]
    )


def after_draw(certificate, item, code, chances):
    """Return the certificate after a draw; `chances` are those of all items."""
    return certificate.drawn(item, code, chances[item], certificate.threshold_counts(chances))


# --- a fair game ---------------------------------------------------------------------------


def every_story(bets, labels, free, chance, seed):
    """Yield the bets after every order of the draws of some items, and its chance."""
    if not free:
        yield chance, bets
        return
    rng = np.random.default_rng([seed, *sorted(free)])
    weights = np.zeros(len(labels))
    weights[free] = rng.uniform(0.2, 1.0, len(free))
    chances = weights / weights.sum()
    threshold_counts = ThresholdCounts.of(chances, bets.depths)
    for i in free:
        labeled = np.setdiff1d(np.arange(len(labels)), free)
        known = np.array(
            [sum(bets.terms[labels[j], int(j < d)] for j in labeled) for d in bets.depths]
        )
        after = bets.after(i, labels[i], chances[i], threshold_counts, known)
        left = [j for j in free if j != i]
        yield from every_story(after, labels, left, chance * chances[i], seed)


@pytest.mark.parametrize(
    "terms", [[[0, -0.6], [0, 0.4]], [[0, 0], [-0.6, 0.4]], [[0.3, -0.7], [-1, 1]]]
)
def test_against_values_that_are_not_exceeded_the_e_value_is_expected_not_to_grow(
    terms, global_random_seed
):
    terms, labels = np.array(terms), [1, 0, 1, 0, 0]
    depths = np.array([0, 2, 3, 5])
    start, expected = SumTest.start(terms, depths, 5), 0.0
    for chance, bets in every_story(start, labels, [0, 1, 2, 3, 4], 1.0, global_random_seed):
        assert np.isfinite(bets.test.log_e_value).all()
        expected = expected + chance * np.exp(bets.test.log_e_value)
    for k, depth in enumerate(depths):
        total = sum(terms[z, int(i < depth)] for i, z in enumerate(labels))
        assert (expected[k, start.values >= total - 1e-12] <= 1.0 + 1e-9).all()
        # Who bets that the sum is larger than it may be wins if it is.
        assert (expected[k, start.values < total - 0.5] >= 1.0 - 1e-9).all()


def test_what_needs_no_bet_is_proved_where_it_is_sure_and_nowhere_else():
    scores, goal = np.arange(40.0), Goal.of(predicted_positives=12)
    certificate = GoalCertificate.start(scores, goal).drawn_evenly([0], [0])
    assert_array_equal(certificate.proved, certificate.depths >= 12)


@pytest.mark.parametrize("wanted", GOALS.values(), ids=GOALS)
def test_with_all_labels_known_what_is_right_is_proved(wanted, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Ties, which are never parted.
    scores = np.round(rng.normal(size=40), 1)
    labels = (scores + rng.normal(size=40) > 0.3).astype(int)
    certificate = GoalCertificate.start(scores, Goal.of(**wanted))
    assert np.isin(certificate.thresholds[1:], scores).all()
    order = rng.permutation(40)
    certificate = certificate.with_labels(order[:10], labels[order[:10]])
    certificate = certificate.drawn_evenly(order[10:], labels[order[10:]])
    # All answers are one, that of the labels: nothing is left to bet on but the last end of all.
    if wanted != GOALS["upper end"]:
        assert certificate.proved.all() == right(certificate, scores, labels, labels).all()
    assert not (certificate.proved & ~right(certificate, scores, labels, labels)).any()


def test_even_draws_are_draws_of_one_chance(global_random_seed):
    scores, goal = np.arange(20.0), Goal.of(f1=0.5)
    order = np.random.default_rng(global_random_seed).permutation(20)[:8]
    evenly = GoalCertificate.start(scores, goal).drawn_evenly(order, order % 2)
    one_by_one = GoalCertificate.start(scores, goal)
    for k, item in enumerate(order):
        chances = np.where(np.isin(np.arange(20), order[:k]), 0.0, 1.0 / (20 - k))
        one_by_one = after_draw(one_by_one, item, item % 2, chances)
    e_process = [certificate.tests[0].test.log_e_value for certificate in (evenly, one_by_one)]
    assert_allclose(*e_process, atol=1e-9)


def test_nothing_is_proved_of_nothing():
    certificate = GoalCertificate.start(np.arange(30.0), Goal.of(precision=0.9))
    assert not certificate.proved.any()
    # One known positive is an answer of itself, and the only one that needs no more.
    certificate = certificate.with_labels([3], [1])
    assert_array_equal(np.flatnonzero(certificate.proved), [0])


def test_who_could_not_be_labeled_counts_as_the_worse(global_random_seed):
    scores, goal = np.arange(30.0), Goal.of(precision=0.5)
    start = GoalCertificate.start(scores, goal)
    order = np.random.default_rng(global_random_seed).permutation(30)
    e_process = []
    for wrong in (-1, 0):
        codes = np.where(np.arange(30) % 3 == 0, wrong, 1)
        certificate = start.drawn_evenly(order, codes[order])
        e_process.append([bets.test.log_e_value for bets in certificate.tests])
    assert_array_equal(*e_process)


def test_what_can_never_be_drawn_may_hide_anything():
    certificate = GoalCertificate.start(np.arange(10.0), Goal.of(precision=0.5))
    with pytest.raises(ValueError, match="that can never be drawn"):
        after_draw(certificate, 3, 1, np.r_[0.0, np.full(9, 1.0 / 9.0)])


def test_no_item_is_labeled_twice():
    certificate = GoalCertificate.start(np.arange(10.0), Goal.of(precision=0.5))
    certificate = after_draw(certificate, 3, 1, np.full(10, 0.1))
    with pytest.raises(ValueError, match="was labeled"):
        certificate.with_labels([3], [1])


def test_what_is_no_ratio_of_sums_is_refused():
    with pytest.raises(ValueError, match="ratios of sums over items"):
        GoalCertificate.start(np.arange(10.0), Goal.of((MatthewsCorrcoef(), 0.5)))


# --- pools that deceive --------------------------------------------------------------------


def deceiving(kind, rng, n=400):
    """Return scores and labels, whose precision and recall break .8 at many thresholds."""
    x = rng.normal(size=n)
    scores = x.copy()
    if kind == "saturated":
        labels = rng.random(n) < special.expit(2.0 * x - 0.5)
        scores = np.clip(special.expit(12.0 * x), 1e-3, 1.0 - 1e-3)
    elif kind == "negatives on top":
        labels = (rng.random(n) < special.expit(4.0 * x)) & (x < np.quantile(x, 0.95))
    elif kind == "reversed at one end":
        labels = rng.random(n) < special.expit(np.where(x > 1.0, -4.0 * (x - 1.5), 4.0 * x))
    else:
        labels = rng.permutation(n) < 3
    return scores, labels.astype(int)


def ever_wrong(kind, wanted, seed, n_draws=60):
    """Return whether an answer is ever proved that breaks the goal, and whether one is proved."""
    rng = np.random.default_rng(seed)
    scores, labels = deceiving(kind, rng)
    certificate = GoalCertificate.start(scores, Goal.of(**wanted), confidence_level=0.8)
    wrong, useful = False, False
    # Half of the draws where scores are high, as who looks for positives draws them.
    weights = np.where(scores >= np.quantile(scores, 0.8), 4.0, 1.0)
    for _ in range(n_draws):
        chances = np.zeros(len(scores))
        free = certificate.order[~certificate.is_labeled]
        chances[free] = weights[free] / weights[free].sum()
        item = rng.choice(len(scores), p=chances)
        certificate = after_draw(certificate, item, labels[item], chances)
        proved = certificate.proved
        codes = np.full(len(scores), -1)
        codes[certificate.order] = certificate.codes
        useful |= proved[1:].any()
        if proved.any():
            wrong |= (proved & ~right(certificate, scores, labels, codes)).any()
    return wrong, useful


KINDS = ("saturated", "negatives on top", "reversed at one end", "rare")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_answers_that_break_a_goal_are_proved_no_more_often_than_promised(kind, global_random_seed):
    # At any look, and any threshold; more often in one of 1,000,000 cases.
    goals = ({"precision": 0.8}, {"recall": 0.8})
    n_repeats = 12
    wrong = [ever_wrong(kind, goals[k % 2], [global_random_seed, k])[0] for k in range(n_repeats)]
    assert np.sum(wrong) <= stats.binom.ppf(1.0 - 1e-6, n_repeats, 0.2)


def test_a_good_ranking_is_proved_with_few_labels(global_random_seed):
    # No item above is negative: a bet of nearly all there is gains 10% by each label.
    scores = np.arange(1000.0)
    goal, rng, n = Goal.of(precision=0.9), np.random.default_rng(global_random_seed), 0
    certificate = GoalCertificate.start(scores, goal)
    depth = certificate.depths[certificate.depths >= 250][0]
    chances = np.where(scores >= 1000 - depth, 1.0, 1e-3)
    while not certificate.proved[certificate.depths == depth]:
        chances = chances / chances.sum()
        item = rng.choice(1000, p=chances)
        certificate, n = after_draw(certificate, item, int(scores[item] >= 700), chances), n + 1
        chances[item] = 0.0
    # As many as multiply the capital by 1 / .9 until that of one of the three chains is 3 / .1, and
    # some for the others.
    assert n <= 1.2 * np.log(30.0) / np.log(1.0 / 0.9)


def test_the_best_by_size_is_the_lowest_proved_that_is_allowed(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    certificate = GoalCertificate.start(np.arange(40.0), Goal.of(precision=0.5))
    thresholds, needed = certificate.thresholds, certificate.confidence_level
    for _ in range(100):
        levels = rng.choice([0.02, 0.05, 0.5, 0.95, 0.99], len(thresholds))
        # How levels are computed is tested by itself.
        vars(certificate)["levels"] = levels
        highest = rng.choice(thresholds)
        best = certificate.best_by_size(highest)
        allowed = [k for k, threshold in enumerate(thresholds) if threshold <= highest]
        proved = [k for k in allowed if levels[k] >= needed]
        assert best.is_kept == bool(proved)
        if proved:
            assert best.threshold == min(thresholds[k] for k in proved)
        else:
            assert best.probability == max(levels[k] for k in allowed)
            assert best.threshold <= highest


@pytest.mark.parametrize(("n", "first_depth"), [(1, None), (40, None), (1000, None), (1000, 30)])
def test_thresholds_have_few_more_items_than_the_one_before(n, first_depth):
    scores = np.arange(float(n))
    certificate = GoalCertificate.start(scores, Goal.of(precision=0.5), first_depth=first_depth)
    sizes = np.array([(scores >= threshold).sum() for threshold in certificate.thresholds])
    # From none to all.
    assert (sizes[0], sizes[1], sizes[-1]) == (0, first_depth or 1, n)
    assert (np.diff(sizes) > 0).all()
    assert (sizes[2:] <= np.ceil(DEPTH_RATIO * sizes[1:-1])).all()
