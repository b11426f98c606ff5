"""Reviews: reading from the top, drawing at random, and stopping once enough is proved."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe.active import MaxLabels, Pool, Reading, RecallReached
from sklearn_spe.active._stopping import Progress
from sklearn_spe.active.strategies._strategy import ranks_from_top
from sklearn_spe.datasets import make_scores
from sklearn_spe.design import RecallCertificate
from tests.active.selectors import selector
from tests.quick import QUIET

pytestmark = QUIET


def pool_of(scores, codes, probability):
    ranks = ranks_from_top(scores)
    return Pool(scores, codes, codes < 0, ranks, probability=probability)


def test_the_top_is_read_until_little_is_expected_below():
    scores, probability = np.arange(10.0), np.r_[np.full(8, 0.025), 0.9, 0.9]
    codes = np.full(10, -1)
    assert_array_equal(Reading(0.8).weights(pool_of(scores, codes, probability)), scores == 9.0)
    codes[8:] = 1
    # 0.2 of 2.2 positives are expected below.
    for aim, drawn in ((0.9, True), (0.92, False)):
        weights = Reading(aim).weights(pool_of(scores, codes, probability))
        assert_array_equal(weights, np.ones(10) if drawn else scores == 7.0)


def test_a_review_ends_with_what_its_own_draws_prove(global_random_seed):
    scores, truth = make_scores(200, prevalence=0.4, random_state=global_random_seed)
    rule = RecallReached(0.7, 0.8)
    review = selector(strategy=Reading(0.85), random_state=global_random_seed).fit(scores)
    by_hand, order = RecallCertificate.start(200, recall=0.7, confidence_level=0.8), []
    while not review.should_stop(rule):
        assert not by_hand.is_reached
        items = review.query(min(30, review.n_left_))
        review.update(items, truth[items])
        order += items.tolist()
        for item in items:
            one = truth[[item]]
            read = np.isnan(review.query_proba_[item])
            at = [np.count_nonzero(scores > scores[item])]
            by_hand = by_hand.read(one, at) if read else by_hand.drawn(one, at)
    assert by_hand.is_reached
    assert f"{truth[order].sum()} positives are labeled, at least 70%" in review.stop_reason_
    # What was read are the highest scores, but for what had been drawn.
    read = np.isnan(review.query_proba_[order])
    left = np.setdiff1d(np.arange(200), order)
    assert scores[np.array(order)[read]].min() >= scores[left].max()


def test_items_that_the_selector_has_not_count_as_missed():
    scores, truth = make_scores(300, prevalence=0.4, random_state=0)
    review = selector().fit(scores, truth)
    n_positive = int(truth.sum())
    most = int(np.floor(n_positive / 0.8 + 1e-9)) - n_positive
    assert review.should_stop(RecallReached(n_unscored=most))
    assert RecallReached(n_unscored=most + 1).holds(review._session.progress) is False


def test_overlaps_have_no_positives_to_be_counted():
    with pytest.raises(ValueError, match="binary labels"):
        (RecallReached() | MaxLabels(5)).can_hold(Progress(5, 10, 0.1))
