"""Proofs along one random order: exact bets, and how often they are ever wrong."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe.design._goal_certificate import GoalCertificate
from sklearn_spe.design._precision_walk import N_FAVORED, log_e_values, precision_bound
from sklearn_spe.design._sum_test import along_chain
from sklearn_spe.goals._goal import Goal


def ordered_likelihood(n_items, n_positive, n, s):
    """Return the probability that n draws show s positives in a certain order, by counting."""
    if s > n_positive or n - s > n_items - n_positive:
        return 0.0
    return comb(n_items - n, n_positive - s) / comb(n_items, n_positive)


def e_value(n_items, min_positive, n, s, tested):
    n_favored = min(n_items - min_positive + 1, N_FAVORED)
    numbers = np.linspace(min_positive, n_items, n_favored).round().astype(int).tolist()
    favored = [ordered_likelihood(n_items, p, n, s) for p in numbers]
    likelihood = ordered_likelihood(n_items, tested, n, s)
    return np.mean(favored) / likelihood if likelihood else np.inf


@pytest.mark.parametrize(
    ("n_items", "min_positive"), [(1, 1), (9, 5), (30, 27), (30, 30), (80, 20)]
)
def test_e_values_are_mixtures_of_likelihoods_over_one(n_items, min_positive):
    for tested in range(max(min_positive - 4, 0), min_positive):
        for n in range(n_items + 1):
            s = np.arange(n + 1)
            found = np.exp(log_e_values(n_items, min_positive, np.full(n + 1, n), s, tested))
            too_many = n - s > n_items - tested
            assert (found[too_many] == 0.0).all()
            expected = [e_value(n_items, min_positive, n, k, tested) for k in s[~too_many]]
            assert_allclose(found[~too_many], expected, rtol=1e-8)


@pytest.mark.parametrize("n_items", [10**7, 2 * 10**7, 10**8])
def test_too_few_positives_are_no_evidence_among_any_number_of_items(n_items, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = np.arange(1.0, 3001.0)
    for share in (0.15, 0.3):
        s = np.cumsum(rng.random(3000) < share).astype(float)
        # More positives than half of the draws may be evidence; so many are too few.
        is_low = s < 0.4 * n
        found = log_e_values(n_items, n_items // 2, n, s, n_items // 2 - 1)
        assert (found[is_low] <= 0.0).all()


def test_what_is_rejected_is_rejected_with_all_smaller_numbers():
    n_items, min_positive = 12, 9
    for n in range(1, n_items + 1):
        for s in range(n + 1):
            for tested in range(1, min_positive):
                larger = log_e_values(n_items, min_positive, [n], [s], tested)[0]
                if larger > 0.0:
                    smaller = log_e_values(n_items, min_positive, [n], [s], tested - 1)[0]
                    assert smaller >= larger - 1e-9 or n - s > n_items - tested + 1


# --- a chain of two thresholds, every history enumerated -------------------------------------

RISK, PRECISION = 2.0 / 9.0, 0.7
# Items at or above each threshold, and the positives among them: both break the goal.
ITEMS, POSITIVES = np.array([4, 14]), np.array([2, 7])


def wrong_claims(passes_rules):
    """Return the probability that a wrong selection is ever claimed, by enumeration.

    Items are drawn uniformly above the first threshold that is not proved; only these draws are
    bets for it. A chain passes a threshold once its rule is proved, or only its selection.
    """
    sizes = np.array([ITEMS[0], ITEMS[1] - ITEMS[0]])
    positives = np.array([POSITIVES[0], POSITIVES[1] - POSITIVES[0]])
    required = np.ceil(PRECISION * ITEMS - 1e-9).astype(int)

    def log_evidence(rejected, n, s, is_rule):
        """Return the evidence of both thresholds: infinite if all that break it are rejected."""
        labeled, found = np.cumsum(n), np.cumsum(s)
        evidence = []
        for k in (0, 1):
            missing = required[k] - found[k]
            if not is_rule:
                size = ITEMS[k] - labeled[k] + found[-1]
                missing = int(np.ceil(PRECISION * size - found[-1] - 1e-9))
            possible = range(
                found[k], min(found[k] + missing, ITEMS[k] + 1 - labeled[k] + found[k])
            )
            size = ITEMS[k] - labeled[k] + found[-1]
            ok = bool(size) and all(p in rejected[k] for p in possible)
            evidence.append(np.inf if ok else -np.inf)
        return np.array(evidence)

    def is_right(k, n, s):
        left = np.cumsum(positives - s)[k]
        size = ITEMS[k] - np.cumsum(n)[k] + s.sum()
        return size > 0 and left + s.sum() >= PRECISION * size - 1e-9

    # Draws in each block, positives among them, values rejected for each threshold, and the
    # counts when bets for the second one began.
    layer = {((0, 0), (0, 0), (frozenset(), frozenset()), None): 1.0}
    wrong = 0.0
    while layer:
        following = {}
        for (n, s, rejected, since), chance in layer.items():
            n, s = np.array(n), np.array(s)
            own = log_evidence(rejected, n, s, is_rule=False)
            rule = log_evidence(rejected, n, s, is_rule=True) if passes_rules else own
            claimed = np.isposinf(along_chain(own, rule))
            if any(claimed[k] and not is_right(k, n, s) for k in (0, 1)):
                wrong += chance
                continue
            aim = int(own[0] == np.inf)
            free = (sizes - n) * (np.arange(2) <= aim)
            if claimed.all() or not free.sum():
                continue
            since = (int(n.sum()), int(s.sum())) if aim and since is None else since
            for block in np.flatnonzero(free):
                for z in (0, 1):
                    left = positives[block] - s[block]
                    left = left if z else free[block] - left
                    if left <= 0:
                        continue
                    n_new, s_new = n.copy(), s.copy()
                    n_new[block] += 1
                    s_new[block] += z
                    now = after_draw(rejected, aim, n_new, s_new, since)
                    key = (tuple(n_new.tolist()), tuple(s_new.tolist()), now, since)
                    following[key] = following.get(key, 0.0) + chance * left / free.sum()
        layer = following
    return wrong


def after_draw(rejected, aim, n, s, since):
    """Return the numbers of positives that are rejected for each threshold."""
    labeled, found, now = np.cumsum(n), np.cumsum(s), []
    for k in (0, 1):
        values = set(rejected[k])
        size, required = int(ITEMS[k]), int(np.ceil(PRECISION * ITEMS[k] - 1e-9))
        for p in range(size + 1):
            if p < found[k] or labeled[k] - found[k] > size - p:
                values.add(p)
        if k <= aim and (k == 1 or aim == 0):
            start = since if k else (0, 0)
            favored = np.arange(required, size + 1)
            ratio = [bet(size, p, int(labeled[k]), int(found[k]), start) for p in favored]
            for p in range(required):
                own = bet(size, p, int(labeled[k]), int(found[k]), start)
                if own <= 0.0 or np.mean(ratio) / own >= 1.0 / RISK - 1e-9:
                    values.add(p)
        now.append(frozenset(values))
    return tuple(now)


def bet(size, p, n, s, start):
    """Return the likelihood of the draws since a start, given the counts then."""
    before = ordered_likelihood(size, p, *start)
    return ordered_likelihood(size, p, n, s) / before if before else 0.0


def test_a_chain_that_passes_selections_breaks_its_promise_and_one_of_rules_does_not():
    moving, fixed = wrong_claims(passes_rules=False), wrong_claims(passes_rules=True)
    assert_allclose([moving, fixed], [0.2460, 0.1667], atol=5e-5)
    assert fixed <= RISK < moving


# --- the certificate ---------------------------------------------------------------------------


def along(scores, goal, first_depth=20, **parameters):
    """Return a certificate along an order."""
    return GoalCertificate.start(scores, goal, first_depth=first_depth, **parameters)


def is_ever_wrong(labels, order, certificate, n_labels=None):
    """Return whether a selection that breaks the goal is ever proved, and whether any is."""
    n = len(labels)
    scores, free = -np.arange(float(n)), np.ones(n, dtype=bool)
    wrong = any_proved = False
    while free.any() and (n_labels is None or n - free.sum() < n_labels):
        (item,) = certificate.next_items(1, free, np.linspace(0.9, 0.1, n))
        free[item] = False
        certificate = certificate.with_labels([item], labels[[item]])
        for k in np.flatnonzero(certificate.proved):
            selected = np.where(free, scores >= certificate.thresholds[k], labels == 1)
            any_proved |= bool(k)
            share = labels[selected].mean() if selected.any() else 0.0
            wrong |= share < certificate.walk.min_precision - 1e-9
    return wrong, any_proved


@pytest.mark.slow
@pytest.mark.parametrize("labels", [[1, 0, 1, 0, 1], [0, 1, 1, 1, 0], [1, 0, 0, 1, 1]])
def test_of_all_orders_at_most_the_risk_proves_a_wrong_selection(labels):
    labels, goal = np.array(labels), Goal.of(precision=0.7)
    wrong = []
    for order in permutations(range(5)):
        certificate = along(
            -np.arange(5.0), goal, random_order=order, first_depth=2, confidence_level=0.6
        )
        wrong.append(is_ever_wrong(labels, order, certificate)[0])
    assert np.mean(wrong) <= 0.4


def ladder(rng):
    """Return labels whose precision is just too small above each of three thresholds."""
    labels, last, n_positive = [], 0, 0
    for depth, share in ((30, 0.867), (90, 0.845), (270, 0.845)):
        more = int(share * depth) - n_positive
        block = np.repeat([1, 0], [more, depth - last - more])
        labels, last, n_positive = [*labels, *rng.permutation(block)], depth, n_positive + more
    return np.array([*labels, *[0] * 30])


def constant(rng):
    return (rng.random(300) < 0.88).astype(int)


def negatives_on_top(rng):
    return (rng.random(300) < np.r_[np.full(15, 0.5), np.full(285, 0.93)]).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("pool", [ladder, constant, negatives_on_top])
def test_pools_that_deceive_are_proved_no_more_often_than_the_risk(pool, global_random_seed):
    n_repeats, goal, wrong = 30, Goal.of(precision=0.9), []
    for k in range(n_repeats):
        rng = np.random.default_rng([global_random_seed, k])
        labels, order = pool(rng), rng.permutation(300)
        certificate = along(-np.arange(300.0), goal, random_order=order)
        wrong.append(is_ever_wrong(labels, order, certificate)[0])
    # More often in one of 1,000,000 cases.
    assert np.sum(wrong) <= stats.binom.ppf(1.0 - 1e-6, n_repeats, 0.1)


def test_labels_are_evidence_in_any_sequence_and_no_gap_is_passed(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    order = rng.permutation(100)
    start = along(-np.arange(100.0), Goal.of(precision=0.7), random_order=order)
    labels = (np.arange(100) < 60).astype(int)
    at_once = start.with_labels(order[:70], labels[order[:70]])
    one_by_one = start
    for item in rng.permutation(order[:70]):
        one_by_one = one_by_one.with_labels([item], labels[[item]])
    assert_allclose(at_once.levels, one_by_one.levels, rtol=1e-12)
    assert at_once.proved[1:].any()
    # Positives that are not next in the order prove nothing but themselves.
    walk = start.walk._walk(20)
    late = start.with_labels(walk[1:9], np.ones(8, dtype=int))
    assert late.levels[1] == 0.0
    assert late.with_labels(walk[:1], [1]).levels[1] > 0.5
    chosen = start.with_labels(walk[1:2], [1])
    with pytest.raises(ValueError, match="was labeled or skipped before"):
        chosen.with_labels(walk[1:2], [0])


def test_known_labels_are_set_aside_and_skipped_ones_count_as_negative(global_random_seed):
    rng, goal = np.random.default_rng(global_random_seed), Goal.of(precision=0.8)
    scores, order = -np.arange(60.0), rng.permutation(60)
    known = np.where(np.arange(60) < 5, 1, -1)
    aside = along(scores, goal, random_order=order, known=known)
    # Known positives are a selection of their own, and walks do not meet them.
    assert aside.proved[0]
    assert not aside.walk.passed
    assert not np.isin(aside.next_items(10, known < 0, np.full(60, 0.5)), np.arange(5)).any()
    start = along(scores, goal, random_order=order)
    skipped, negative = (start.with_labels(order[:20], np.full(20, z)) for z in (-1, 0))
    assert_array_equal(skipped.walk._walked(60)[1], negative.walk._walked(60)[1])


def test_counts_of_labels_that_others_drew_are_those_of_the_last_look(global_random_seed):
    rng, goal = np.random.default_rng(global_random_seed), Goal.of(precision=0.7)
    scores, labels = -np.arange(400.0), (np.arange(400) < 200).astype(int)
    order = rng.permutation(400)
    drawn = [
        along(scores, goal, first_depth=100).with_labels(o, labels[o])
        for o in (order[:150], order[:150][::-1])
    ]
    assert_array_equal(drawn[0].levels, drawn[1].levels)
    assert drawn[0].proved[1:].any()


def test_the_size_of_a_selection_takes_no_proof(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels, scores = (rng.random(120) < 0.9).astype(int), -np.arange(120.0)
    order = rng.permutation(120)
    goals = (Goal.of(precision=0.6), Goal.of(precision=0.6, predicted_positives=(30, 60)))
    free, limited = (
        along(scores, goal, random_order=order).with_labels(order[:40], labels[order[:40]])
        for goal in goals
    )
    is_free = np.ones(120, dtype=bool)
    is_free[order[:40]] = False
    size = np.array(
        [np.sum(is_free & (scores >= at)) + labels[order[:40]].sum() for at in free.thresholds]
    )
    assert_array_equal(limited.levels, np.where((size >= 30) & (size <= 60), free.levels, 0.0))
    # Nothing below the last selection of that size is worth a label of its walk.
    assert limited.next_items(5, is_free, labels.astype(float)).size == 5


def test_only_a_lower_bound_on_precision_is_proved_along_an_order():
    for goal in (Goal.of(recall=0.8), Goal.of(precision=0.8, recall=0.5), Goal.of(f1=0.5)):
        with pytest.raises(ValueError, match="lower bound on precision"):
            along(np.arange(10.0), goal)
    with pytest.raises(ValueError, match="permutation of the 10 items"):
        along(np.arange(10.0), Goal.of(precision=0.8), random_order=np.zeros(10, dtype=int))


def test_a_precision_alone_or_with_a_size_is_a_bound_to_walk_for():
    for precision in (0.01, 0.3, 0.5, 0.95, 0.999):
        assert precision_bound(Goal.of(precision=precision)) == pytest.approx(precision)
        of_size = Goal.of(precision=precision, predicted_positives=(3, 40))
        assert precision_bound(of_size) == pytest.approx(precision)
    others = (
        {"precision": (0.5, 0.9)},
        {"precision": (None, 0.9)},
        {"precision": 0.5, "accuracy": 0.5},
        {"accuracy": 0.5},
        {"specificity": 0.5},
        {"matthews_corrcoef": 0.5},
        {"predicted_positives": (3, 40)},
    )
    for bounds in others:
        assert precision_bound(Goal.of(**bounds)) is None


def test_the_next_item_is_that_of_the_first_threshold_without_a_proof(global_random_seed):
    order = np.random.default_rng(global_random_seed).permutation(200)
    certificate = along(-np.arange(200.0), Goal.of(precision=0.7), random_order=order)
    free = np.ones(200, dtype=bool)
    depths = certificate.walk.depths
    while len(certificate.walk.passed) + 1 < len(depths):
        depth = depths[len(certificate.walk.passed) + 1]
        (item,) = certificate.next_items(1, free, np.full(200, 0.5))
        assert item == next(i for i in order if i < depth and free[i])
        certificate = certificate.with_labels([item], [1])
        free[item] = False
    assert free.any()
