"""Reviews: reading from the top, drawing at random, and stopping once enough is proved."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe.active import MaxLabels, Pool, Reading, RecallReached
from sklearn_spe.active._stopping import Progress
from sklearn_spe.active.strategies._strategy import ranks_from_top
from sklearn_spe.datasets import make_scores
from sklearn_spe.design import RecallCertificate, verify_evidence
from tests.active.selectors import selector
from tests.quick import QUIET

pytestmark = QUIET


def pool_of(scores, codes, probability):
    ranks = ranks_from_top(scores)
    return Pool(scores, codes, codes < 0, ranks, probability=probability)


def next_is_read(codes, little=0.1, page=2):
    """Return whether the best free item has all the weight; scores decrease with the place."""
    codes = np.asarray(codes)
    scores = -np.arange(float(len(codes)))
    weights = Reading(little, page).weights(pool_of(scores, codes, None))
    free = codes < 0
    if (weights[free] == 1.0).all():
        return False
    assert_array_equal(np.flatnonzero(weights * free), [np.argmax(free)])
    return True


def test_the_top_is_read_until_two_pages_hold_little():
    rest = [-1] * 10
    # Less than two pages, no positive, and more than a tenth of the positives.
    assert next_is_read([1, 0, 0, *rest])
    assert next_is_read([0, 0, 0, 0, *rest])
    assert next_is_read([*[1] * 8, 0, 0, 1, 0, *rest])
    assert not next_is_read([*[1] * 10, 0, 0, 0, 0, *rest])
    # Only whole pages count.
    assert not next_is_read([*[1] * 10, 0, 0, 0, 0, 1, *rest])


def test_a_review_reads_on_to_a_drawn_positive_that_is_near():
    top = [*[1] * 4, 0, 0, 0, 0]
    # One item lies above the drawn positive, and two were drawn; then three and two.
    assert next_is_read([*top, -1, 1, -1, 0, -1])
    assert not next_is_read([*top, -1, -1, -1, 1, -1, 0])
    # Drawn negatives are no reason to read.
    assert not next_is_read([*top, -1, 0, 0, -1])


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_review_ends_with_what_its_own_draws_prove(is_committed, global_random_seed):
    scores, truth = make_scores(200, prevalence=0.4, random_state=global_random_seed)
    rule = RecallReached(0.7, 0.8)
    guarantee = {"recall": 0.7, "confidence_level": 0.8} if is_committed else {}
    strategy = Reading(0.2, page=10, **guarantee)
    review = selector(strategy=strategy, random_state=global_random_seed).fit(scores)
    start = RecallCertificate.start(200, recall=0.7, confidence_level=0.8)
    in_order, order = review._session.order.items, []
    ranks = np.argsort(np.argsort(-scores, kind="stable"))
    by_hand = start
    while not review.should_stop(rule):
        assert not by_hand.is_reached
        items = review.query(min(30, review.n_left_))
        review.update(items, truth[items])
        order += items.tolist()
        # The draws are the items of the order before the first one without a label.
        walk = in_order[: np.argmin(np.isin(in_order, order))]
        others = np.setdiff1d(order, walk)
        by_hand = start.drawn(truth[walk], ranks[walk]).read(truth[others], ranks[others])
    assert by_hand.is_reached
    # A proof rests on no model: nothing is said of it, as is said of other rules that stop here.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert review.should_stop(rule)
        assert review.should_stop(rule | MaxLabels(1))
    assert f"{truth[order].sum()} positives are labeled, at least 70%" in review.stop_reason_
    # What was read are the highest scores, but for what had been drawn.
    read = np.isnan(review.query_proba_[order])
    left = np.setdiff1d(np.arange(200), order)
    assert scores[np.array(order)[read]].min() >= scores[left].max()
    # Drawn items are the next ones of the order.
    drawn = np.array(order)[~read]
    assert (np.diff(np.argsort(in_order)[drawn]) > 0).all()
    if not is_committed:
        # The order was drawn for another recall, which others were told.
        with pytest.raises(ValueError, match=r"fit with strategy=Reading\(recall=0.7"):
            review.evidence(rule)
        return
    evidence = review.evidence(rule)
    assert verify_evidence(evidence, confidence_level=0.8).is_verified
    commitment = review.commitment_
    assert verify_evidence(evidence, confidence_level=0.8, commitment=commitment).is_verified


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
