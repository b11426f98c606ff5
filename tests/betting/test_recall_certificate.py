"""When a review has found enough: right at every look, and soon where little is missed."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.betting import RecallCertificate


def review(rng, labels, *, recall, confidence_level, n_first, n_draws):
    """Read some items, then draw one after another; return what was found once it is said."""
    certificate = RecallCertificate.start(
        len(labels), recall=recall, confidence_level=confidence_level
    ).read(labels[:n_first])
    found = labels[:n_first].sum()
    for label in rng.permutation(labels[n_first:])[:n_draws]:
        certificate = certificate.drawn([label])
        found += label
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
        _, share = review(rng, labels, recall=0.8, confidence_level=level, n_first=140, n_draws=80)
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
    assert one_look <= certificate.n_drawn <= 1.6 * one_look


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
    ("labels", "match"), [([2], "1 for positives"), (np.zeros(11), "only 10 have none")]
)
def test_labels_that_cannot_be_are_refused(labels, match):
    with pytest.raises(ValueError, match=match):
        RecallCertificate.start(10, recall=0.8).read(labels)
