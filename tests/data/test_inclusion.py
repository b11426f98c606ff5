"""Known chances to be labelled: Bayes' rule, weights of labels, and what contradicts them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.data._inclusion import Inclusion, ItemInclusion, SharesOfClasses
from sklearn_spe.data._inclusion_proba import MIN_P_VALUE, read_inclusion
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.inputs._labels import BinaryLabels

LABELS = BinaryLabels.learn(None, classes=["ham", "spam"], pos_label="spam")
P = np.linspace(0.001, 0.999, 50)
# Where shares are known labels need not be looked at.
NO_LABELS = None, None


def read(given, n_negative, n_positive, n_items=1000, labels=LABELS):
    codes = np.repeat([0, 1, -1], [n_negative, n_positive, n_items - n_negative - n_positive])
    return read_inclusion(given, labels, np.zeros((n_items, 1)), codes, np.ones(n_items))[0]


# --- Bayes' rule ----------------------------------------------------------------------------


def test_labeled_items_and_others_have_log_odds_that_are_shifted():
    shares = SharesOfClasses.of(0.02, 0.5)
    f = special.logit(P)
    assert_allclose(shares.among_labeled(P, *NO_LABELS), special.expit(f + np.log(0.5 / 0.02)))
    assert_allclose(shares.among_unlabeled(P), special.expit(f + np.log(0.5 / 0.98)))
    # Together they are all items again.
    chance = 0.5 * P + 0.02 * (1.0 - P)
    mixed = chance * shares.among_labeled(P, *NO_LABELS) + (1.0 - chance) * shares.among_unlabeled(
        P
    )
    assert_allclose(mixed, P)


@pytest.mark.parametrize("shares", [(0.0, 0.3), (0.3, 0.0), (1.0, 0.2), (0.2, 1.0), (0.4, 0.5)])
def test_having_no_label_tells_what_bayes_rule_says(shares):
    sign, floor = SharesOfClasses.of(*shares).missingness
    chance = (1.0 - shares[0]) * (1.0 - P) + (1.0 - shares[1]) * P
    told = floor + (1.0 - floor) * (P if sign > 0.0 else 1.0 - P)
    assert_allclose(told / told[0], chance / chance[0])


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("code", [0, 1])
def test_items_are_of_one_class_unless_too_few_of_it_are_labeled(share, code):
    shares = SharesOfClasses.of(*((share, 0.3) if code == 0 else (0.3, share)))
    n_labeled = np.arange(51)
    expected = stats.binom.cdf(n_labeled, 50, share) >= 0.05
    assert_array_equal(shares.is_of_labeled_class(50, n_labeled, code), expected)
    assert_array_equal(shares.exchanged().is_of_labeled_class(50, n_labeled, 1 - code), expected)
    assert Inclusion().is_of_labeled_class(50, n_labeled, code).all()


def test_of_a_class_that_is_labeled_wholly_nothing_is_left():
    edges = np.array([0.0, 0.3, 1.0])
    assert_array_equal(SharesOfClasses.of(0.1, 1.0).among_unlabeled(edges), [0.0, 0.0, 1.0])
    assert_array_equal(SharesOfClasses.of(1.0, 0.1).among_unlabeled(edges), [0.0, 1.0, 1.0])
    assert_array_equal(
        SharesOfClasses.of(0.0, 0.1).among_labeled(edges, *NO_LABELS), [0.0, 1.0, 1.0]
    )


@pytest.mark.parametrize("inclusion", [Inclusion(), SharesOfClasses.of(0.3, 0.3)])
def test_equal_shares_say_nothing(inclusion):
    assert inclusion.among_labeled(P, *NO_LABELS) is P
    assert inclusion.among_unlabeled(P) is P
    assert inclusion.missingness[1] == 1.0


def test_a_sample_keeps_what_is_known_of_its_labels():
    shares = SharesOfClasses.of(0.02, 0.5)
    codes = np.arange(200) % 3 - 1
    sample = ScoreSample.from_items(np.arange(200.0), codes, np.ones(200), shares)
    for other in (sample.labeled(), sample.grouped(20), pickle.loads(pickle.dumps(sample))):
        assert other.inclusion.labeled == shares.labeled
    assert type(sample.without_labels().inclusion) is Inclusion


# --- chances of items -----------------------------------------------------------------------

# Two strata of one score: how many negatives and positives, labelled and not, as expected.
CHANCES, SIZES, POSITIVE = np.array([0.4, 0.05]), np.array([3e4, 7e4]), np.array([0.6, 0.2])


def two_strata():
    """Return chances, codes and counts of the items of two strata, labelled ones first."""
    positive = np.stack([1.0 - POSITIVE, POSITIVE])
    labeled = positive * CHANCES * SIZES
    others = (1.0 - CHANCES) * SIZES
    codes = np.repeat([0, 1, -1], 2)
    return np.tile(CHANCES, 3), codes, np.r_[labeled.ravel(), others]


def weights_of(inclusion, sample):
    return np.concatenate(inclusion.weighed(sample.labeled()))


def test_labels_stand_for_all_items_and_so_many_as_are_effective():
    chances, codes, counts = two_strata()
    scores = np.zeros(6)
    inclusion = ItemInclusion.of(scores, codes, counts, chances)
    negative, positive = weights_of(inclusion, ScoreSample.from_items(scores, codes, counts))
    assert_allclose(positive / (positive + negative), POSITIVE @ SIZES / SIZES.sum())
    # Kish: the square of the sum of weights over the sum of their squares.
    inverse, known = counts[:4] / chances[:4], counts[:4] / chances[:4] ** 2
    assert_allclose(positive + negative, inverse.sum() ** 2 / known.sum())


def test_labeled_items_and_others_are_positive_as_often_as_their_strata():
    chances, codes, counts = two_strata()
    inclusion = ItemInclusion.of(np.zeros(6), codes, counts, chances)
    everything = np.array([[POSITIVE @ SIZES / SIZES.sum()]])
    labeled, others = CHANCES * SIZES, (1.0 - CHANCES) * SIZES
    sample = ScoreSample.from_items(np.zeros(6), codes, counts)
    found = inclusion.among_labeled(everything, sample, lambda scores: everything)
    # Priors are worth a label or so, among thousands.
    assert_allclose(found, POSITIVE @ labeled / labeled.sum(), rtol=1e-3)
    found = inclusion.among_unlabeled(everything)
    assert_allclose(found, POSITIVE @ others / others.sum(), rtol=1e-3)


SCORES = np.linspace(-3.0, 3.0, 600)
OF_SCORES = {
    "rising": special.expit(SCORES),
    "the tail": np.where(SCORES > 1.5, 1.0, 0.1),
    "nothing below": np.where(SCORES > 1.5, 0.5, 0.0),
    "both ends": 0.05 + SCORES**2 / 10.0,
    "ten strata": np.repeat([0.3, 0.1, 0.5, 0.2, 0.9, 0.1, 0.4, 0.2, 0.6, 0.1], 60),
}


@pytest.mark.parametrize("name", OF_SCORES)
@pytest.mark.parametrize("resolution", [0.0, 0.3], ids=["distinct", "ties"])
def test_chances_that_go_with_the_score_change_nothing(name, resolution, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    chances = OF_SCORES[name]
    scores = np.round(SCORES / resolution) * resolution if resolution else SCORES
    _, firsts, cell = np.unique(scores, return_index=True, return_inverse=True)
    chances = chances[firsts][cell]
    codes = np.where(rng.random(600) < chances, rng.integers(0, 2, 600), -1)
    shuffled = rng.permutation(600)
    parts = scores[shuffled], codes[shuffled], np.ones(600), chances[shuffled]
    inclusion = ItemInclusion.of(*parts)
    sample = ScoreSample.from_items(*parts[:3], inclusion)
    assert_array_equal(
        np.concatenate(inclusion.weighed(sample)), [*sample.negative, *sample.positive]
    )
    assert inclusion.among_labeled(P, *NO_LABELS) is P
    assert inclusion.among_unlabeled(P) is P


def test_items_that_count_for_three_have_three_times_the_weight(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, chances = rng.normal(size=200), rng.choice([0.1, 0.5], 200)
    codes = np.where(rng.random(200) < chances, rng.integers(0, 2, 200), -1)
    one, three = (
        weights_of(
            ItemInclusion.of(scores, codes, counts, chances),
            ScoreSample.from_items(scores, codes, counts),
        )
        for counts in (np.ones(200), np.full(200, 3.0))
    )
    assert_allclose(three, 3.0 * one)
    assert 0.0 < one.sum() < (codes >= 0).sum()


# --- what is refused ------------------------------------------------------------------------


def test_shares_are_those_of_the_named_classes():
    inclusion = read({"spam": 0.5, "ham": 0.02}, 18, 50)
    assert inclusion.labeled == (0.02, 0.5)
    positive = BinaryLabels.learn(None, classes=["ham", "spam"], pos_label="ham")
    assert read({"spam": 0.5, "ham": 0.02}, 50, 18, labels=positive).labeled == (0.5, 0.02)


@pytest.mark.parametrize(
    ("given", "counts", "message"),
    [
        ({"spam": 0.5}, (9, 9), r"exactly the classes \['ham', 'spam'\]"),
        ({"spam": 0.5, "ham": 0.1, "eggs": 0.1}, (9, 9), "must map exactly"),
        ({"spam": 0.5, "ham": 0.0}, (1, 9), "is 0 for class 'ham', but 1 items"),
        # More of a class than there can be: 100 positives are a thousandth of 100,000.
        ({"spam": 0.001, "ham": 0.5}, (9, 100), "contradict inclusion_proba significantly"),
        # Two items of each class, and a thousand there are.
        ({"spam": 1.0, "ham": 1.0}, (2, 2), "spam' with 2 labels: 2 to 2 items"),
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
    with pytest.raises(
        TypeError, match=r"the probability of each item .* such as \{'ham': 0.02, 'spam': 0.5\}"
    ):
        read("case-control", 9, 9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c, codes: c[:-1], r"inclusion_proba must have shape \(400,\)"),
        (
            lambda c, codes: np.where(np.arange(400) == 7, np.nan, c),
            "got nan at index 7 and 1 such",
        ),
        (
            lambda c, codes: 3.0 * c,
            r"probabilities in \[0, 1\].* 200 such values",
        ),
        (lambda c, codes: np.where(codes == 1, 0.0, c), "is 0 for 60 labeled items, rows 0, 1,"),
        # Nobody of a stratum is labelled; all of one; not all with a chance of one.
        (
            lambda c, codes: np.where(codes < 0, 0.2, 1.0),
            "of 280 items with probability 0.2, 0 are",
        ),
        (
            lambda c, codes: np.where(codes >= 0, 0.2, 0.0),
            "of 120 items .* 120 are labeled, but 24.0 are",
        ),
        (lambda c, codes: np.ones(400), "of 400 items with probability 1, 120 are"),
    ],
)
def test_chances_that_labels_contradict_are_refused(change, message):
    # Of 200 items with a chance of 0.5 every second is labelled, of as many with 0.1 one in ten.
    codes = np.repeat([1, 0, -1, 0, -1], [60, 40, 100, 20, 180])
    chances = np.repeat([0.5, 0.1], 200)
    scores = np.arange(400.0)[:, np.newaxis]
    with pytest.raises(ValueError, match=message):
        read_inclusion(change(chances, codes), LABELS, scores, codes, np.ones(400))


@pytest.mark.slow
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
    assert n_refused <= stats.binom(n_runs, MIN_P_VALUE).isf(1e-6)
