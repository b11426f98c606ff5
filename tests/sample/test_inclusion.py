"""Chances to be labelled that go with the class: Bayes' rule, and what contradicts it."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.inputs._labels import BinaryLabels
from sklearn_spe.sample._inclusion import AT_RANDOM, SharesOfClasses
from sklearn_spe.sample._inclusion_proba import LEAST_P_VALUE, read_inclusion
from sklearn_spe.sample._sample import ScoreSample

LABELS = BinaryLabels.learn(None, classes=["ham", "spam"], pos_label="spam")
P = np.linspace(0.001, 0.999, 50)


def read(given, n_negative, n_positive, n_items=1000, labels=LABELS):
    codes = np.repeat([0, 1, -1], [n_negative, n_positive, n_items - n_negative - n_positive])
    return read_inclusion(given, labels, codes, np.ones(n_items))


# --- Bayes' rule ----------------------------------------------------------------------------


def test_labelled_items_and_others_have_log_odds_that_are_shifted():
    shares = SharesOfClasses.of(0.02, 0.5)
    f = special.logit(P)
    assert_allclose(shares.among_labeled(P), special.expit(f + np.log(0.5 / 0.02)))
    assert_allclose(shares.among_unlabeled(P), special.expit(f + np.log(0.5 / 0.98)))
    # Together they are all items again.
    chance = 0.5 * P + 0.02 * (1.0 - P)
    mixed = chance * shares.among_labeled(P) + (1.0 - chance) * shares.among_unlabeled(P)
    assert_allclose(mixed, P)


@pytest.mark.parametrize("shares", [(0.0, 0.3), (0.3, 0.0), (1.0, 0.2), (0.2, 1.0), (0.4, 0.5)])
def test_having_no_label_tells_what_bayes_rule_says(shares):
    sign, floor = SharesOfClasses.of(*shares).silence
    chance = (1.0 - shares[0]) * (1.0 - P) + (1.0 - shares[1]) * P
    told = floor + (1.0 - floor) * (P if sign > 0.0 else 1.0 - P)
    assert_allclose(told / told[0], chance / chance[0])


def test_of_a_class_that_is_labelled_wholly_nothing_is_left():
    edges = np.array([0.0, 0.3, 1.0])
    assert_array_equal(SharesOfClasses.of(0.1, 1.0).among_unlabeled(edges), [0.0, 0.0, 1.0])
    assert_array_equal(SharesOfClasses.of(1.0, 0.1).among_unlabeled(edges), [0.0, 1.0, 1.0])
    assert_array_equal(SharesOfClasses.of(0.0, 0.1).among_labeled(edges), [0.0, 1.0, 1.0])


@pytest.mark.parametrize("inclusion", [AT_RANDOM, SharesOfClasses.of(0.3, 0.3)])
def test_equal_shares_say_nothing(inclusion):
    assert inclusion.among_labeled(P) is P
    assert inclusion.among_unlabeled(P) is P
    assert inclusion.silence[1] == 1.0


def test_a_sample_keeps_what_is_known_of_its_labels():
    shares = SharesOfClasses.of(0.02, 0.5)
    codes = np.arange(200) % 3 - 1
    sample = ScoreSample.from_items(np.arange(200.0), codes, np.ones(200), shares)
    for other in (sample.labeled(), sample.grouped(20), pickle.loads(pickle.dumps(sample))):
        assert other.inclusion.labeled == shares.labeled
    assert sample.without_labels().inclusion is AT_RANDOM


# --- what is refused ------------------------------------------------------------------------


def test_shares_are_those_of_the_named_classes():
    inclusion = read({"spam": 0.5, "ham": 0.02}, 18, 50)
    assert inclusion.labeled == (0.02, 0.5)
    positive = BinaryLabels.learn(None, classes=["ham", "spam"], pos_label="ham")
    assert read({"spam": 0.5, "ham": 0.02}, 50, 18, labels=positive).labeled == (0.5, 0.02)


@pytest.mark.parametrize(
    ("given", "counts", "message"),
    [
        ({"spam": 0.5}, (9, 9), r"each of the classes \['ham', 'spam'\]"),
        ({"spam": 0.5, "ham": 0.1, "eggs": 0.1}, (9, 9), "no other"),
        ({"spam": 0.5, "ham": 0.0}, (1, 9), "nothing of class 'ham' was labelled, and 1 items"),
        # More of a class than there can be: 100 positives are a thousandth of 100,000.
        ({"spam": 0.001, "ham": 0.5}, (9, 100), "contradict inclusion_proba beyond chance"),
        # Two items of each class, and a thousand there are.
        ({"spam": 1.0, "ham": 1.0}, (2, 2), "spam', of which 2 are labelled: 2 to 2 items"),
        ({"spam": 1.5, "ham": 0.1}, (9, 9), r"inclusion_proba\['spam'\] must lie in \[0, 1\]"),
        ({"spam": np.nan, "ham": 0.1}, (9, 9), r"must lie in \[0, 1\], got nan"),
    ],
)
def test_shares_that_labels_contradict_are_refused(given, counts, message):
    with pytest.raises(ValueError, match=message):
        read(given, *counts)


def test_what_is_no_share_is_refused():
    with pytest.raises(TypeError, match=r"inclusion_proba\['ham'\] must be a number"):
        read({"spam": 0.5, "ham": "few"}, 9, 9)
    with pytest.raises(TypeError, match=r"such as \{'ham': 0.02, 'spam': 0.5\}"):
        read("case-control", 9, 9)


def test_shares_that_are_right_are_hardly_ever_refused(global_random_seed):
    # A range of sizes for each class, both ends: the sum of four tails is the limit.
    rng = np.random.default_rng(global_random_seed)
    n_runs, n_refused = 2000, 0
    for _ in range(n_runs):
        n_items = int(10 ** rng.uniform(1.0, 5.0))
        n_positive = rng.binomial(n_items, rng.beta(0.5, 2.0))
        shares = rng.beta(0.3, 0.7, size=2)
        counts = rng.binomial([n_items - n_positive, n_positive], shares)
        try:
            read(dict(zip(("ham", "spam"), shares, strict=True)), *counts, n_items)
        except ValueError:
            n_refused += 1
    assert n_refused <= stats.binom(n_runs, LEAST_P_VALUE).isf(1e-6)
