"""When a review has found enough: right at every look, and soon where little is missed."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.design import RecallCertificate


def review(rng, labels, *, recall, confidence_level, n_first, n_draws, page=1):
    """Read some items, then draw page by page; return what was found once it is said."""
    certificate = RecallCertificate.start(
        len(labels), recall=recall, confidence_level=confidence_level
    ).read(labels[:n_first])
    found = labels[:n_first].sum()
    drawn = rng.permutation(labels[n_first:])[:n_draws]
    for first in range(0, n_draws, page):
        certificate = certificate.drawn(drawn[first : first + page])
        found += drawn[first : first + page].sum()
        if certificate.is_reached:
            return certificate, found / labels.sum()
    return certificate, None


def test_reviews_that_miss_more_are_ever_called_done_no_more_often_than_promised(
    global_random_seed,
):
    # A little less than the share is found: the hardest case. More often once in 1,000,000 times.
    n_repeats, level = 100, 0.8
    labels = np.r_[np.ones(78), np.zeros(62), np.ones(22), np.zeros(438)].astype(int)
    n_wrong = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng([global_random_seed, repeat])
        _, share = review(
            rng, labels, recall=0.8, confidence_level=level, n_first=140, n_draws=80, page=8
        )
        n_wrong += share is not None and share < 0.8
    assert n_wrong <= stats.binom.ppf(1.0 - 1e-6, n_repeats, 1.0 - level)


def test_where_nothing_is_missed_it_takes_little_more_than_a_sample_of_one_look(
    global_random_seed,
):
    # With 49 missed among 1,000, so many negatives in a row have a probability of 1 in 20.
    labels = np.r_[np.ones(200), np.zeros(1000)].astype(int)
    rng = np.random.default_rng(global_random_seed)
    certificate, share = review(
        rng, labels, recall=0.8, confidence_level=0.95, n_first=200, n_draws=1000
    )
    one_look = np.argmax(stats.hypergeom.pmf(0, 1000, 51, np.arange(1000)) <= 0.05)
    assert share == 1.0
    assert one_look <= certificate.n_drawn <= 1.2 * one_look


@pytest.mark.parametrize("is_ranked", [True, False])
def test_e_value_against_the_true_total_is_expected_not_to_grow(is_ranked, global_random_seed):
    # All ways in which two of the items that were not read are drawn, one after another; then
    # the upper ones of the others are read, but for the last of what would be enough.
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[1, 0, rng.permutation([1, 1, 0, 0, 0, 0])]
    last = np.flatnonzero(labels)[1]
    ranks = np.arange(8) if is_ranked else None
    start = RecallCertificate.start(8, recall=0.5).read(
        labels[:2], None if ranks is None else ranks[:2]
    )
    expected = 0.0
    for drawn in itertools.permutations(range(2, 8), 2):
        items = np.array(drawn)
        found = start.drawn(labels[items], items if is_ranked else None)
        upper = np.setdiff1d(np.arange(2, last), drawn)
        found = found.read(labels[upper], upper if is_ranked else None)
        if is_ranked and found.n_found >= 0.5 * labels.sum():
            # Enough is found: nothing would be wrong.
            continue
        expected += np.exp(found._log_e_value(labels.sum())[-1]) / math.perm(6, 2)
    assert expected <= 1.0 + 1e-9
    if not is_ranked:
        assert expected == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    "labels", [[1, 0, 1, 0, 1], [1, np.nan, 0, 1, 0], [np.nan, 1, 0, 1, np.nan]]
)
@pytest.mark.parametrize("recall", [0.5, 0.8])
def test_of_all_orders_at_most_the_risk_proves_too_much(labels, recall):
    # Along each order, with any number of draws, and whatever is read besides: the items that
    # nobody can judge (NaN) count as missed, and may lie among the read ones or be drawn.
    labels, n = np.array(labels), len(labels)
    n_positive, n_wrong = np.count_nonzero(labels != 0.0), 0
    start = RecallCertificate.start(n, recall=recall, confidence_level=0.55)
    for order in itertools.permutations(range(n)):
        is_wrong = False
        for n_drawn, n_read in itertools.product(range(1, n + 1), range(n + 1)):
            walk = np.array(order[:n_drawn])
            others = np.setdiff1d(np.arange(n_read), walk)
            found = start.drawn(labels[walk], walk).read(labels[others], others)
            is_wrong |= found.is_reached and found.n_found < recall * n_positive - 1e-9
        n_wrong += is_wrong
    assert n_wrong <= 0.45 * math.factorial(n)


def test_an_item_that_nobody_can_judge_does_not_stop_the_reading(global_random_seed):
    # One of 50 found in the first 60 read; as few draws are needed as with one more missed.
    rng, n = np.random.default_rng(global_random_seed), 320
    labels = np.zeros(n)
    labels[rng.permutation(60)[:50]] = 1.0
    n_drawn = []
    for is_skipped in (False, True):
        judged = labels.copy()
        if is_skipped:
            judged[np.flatnonzero(labels)[4]] = np.nan
        certificate = RecallCertificate.start(n, recall=0.8).read(judged[:160], np.arange(160))
        for item in 160 + rng.permutation(160):
            if certificate.is_reached:
                break
            certificate = certificate.drawn(judged[[item]], [item])
        n_drawn.append(certificate.n_drawn)
    assert n_drawn[0] <= n_drawn[1] <= 1.3 * n_drawn[0]


def test_reading_on_forgives_what_draws_have_found():
    start = RecallCertificate.start(1000, recall=0.8).read(np.ones(100), np.arange(100))
    at = 100 + 9 * np.arange(100)
    drawn = start.drawn(np.r_[1.0, np.zeros(99)], at)
    missed = start.drawn(np.r_[np.zeros(99), 1.0], at)
    assert drawn.level == pytest.approx(missed.level, abs=0.3)
    on = np.setdiff1d(np.arange(100, 130), at)
    passed = drawn.read(np.zeros(len(on)), on)
    none = start.drawn(np.zeros(100), at).read(np.zeros(len(on)), on)
    assert passed.level >= none.level > missed.read(np.zeros(len(on)), on).level


def test_what_nobody_can_say_or_draw_counts_as_missed():
    start = RecallCertificate.start(400, recall=0.8).read(np.ones(40))
    levels = [start.drawn(np.r_[np.zeros(99), last]).level for last in (0.0, np.nan, 1.0)]
    assert levels[0] > levels[1]
    assert levels[1] == pytest.approx(levels[2], abs=0.1)
    unseen = RecallCertificate.start(400, recall=0.8, n_out=10).read(np.ones(40))
    # With all else known ten at most are missed, which is a fifth.
    assert unseen.read(np.zeros(360)).level == 1.0
    assert unseen.read(np.zeros(360)).is_reached
    one_more = RecallCertificate.start(400, recall=0.8, n_out=11).read(np.ones(40))
    assert one_more.read(np.zeros(360)).level == 0.0


def test_what_was_never_scored_may_hide_as_much():
    read = np.repeat([1, 0], [200, 100])
    drawn = np.zeros(100)
    levels = [
        RecallCertificate.start(1300, recall=0.8, n_unscored=n).read(read).drawn(drawn).level
        for n in (0, 500, 5000)
    ]
    assert (np.diff(levels) < 0.0).all()


def test_reading_everything_is_proof_enough():
    labels = np.tile([1, 0, 0], 30)
    certificate = RecallCertificate.start(90, recall=0.9, confidence_level=0.999)
    assert not certificate.is_reached
    assert certificate.read(labels).level == 1.0
    # Nine of ten are found, whatever the three others are.
    assert certificate.read(np.ones(80)).read(np.zeros(7)).is_reached
    # Of nothing at all there is no recall.
    assert certificate.read(np.zeros(90)).level == 0.0


@pytest.mark.parametrize(
    ("labels", "match"), [([2], "1 for positives"), (np.zeros(11), "only 10 are still unlabeled")]
)
def test_labels_that_cannot_be_are_refused(labels, match):
    with pytest.raises(ValueError, match=match):
        RecallCertificate.start(10, recall=0.8).read(labels)
