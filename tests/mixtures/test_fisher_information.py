"""Expected Fisher information, against integrals and simulations."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.datasets import make_scores
from sklearn_spe.families import Norm
from sklearn_spe.families._registry import FAMILIES, as_family
from sklearn_spe.mixtures._fisher import expected_width, fisher_information
from sklearn_spe.mixtures._two_class import TwoClassMixture
from tests.mixtures.normals import (
    LAWS,
    NAMES,
    NEGATIVE,
    OF,
    POSITIVE,
    SHARES,
    class_gradient,
    integral,
    mixture_density,
    normals,
    of_label,
    of_score,
    probability,
)


def test_scores_without_labels_have_the_integral_of_the_second_derivatives():
    of_negatives, of_positives = (integral(of_score, distribution.pdf) for distribution in LAWS)
    for negatives, positives in ((7.0, 0.0), (0.0, 3.0), (8.0, 2.0)):
        information = normals(n_unlabeled=(negatives, positives))
        expected = negatives * of_negatives + positives * of_positives
        # Second derivatives are differences over 1e-5 of a parameter.
        assert_allclose(information.matrix, expected, rtol=1e-6, atol=1e-6)


def test_the_score_of_an_item_of_the_mixture_has_the_mean_square_of_its_gradient():
    def square(score):
        q = probability(score)
        gradient = q * class_gradient(score, 1) + (1.0 - q) * class_gradient(score, 0)
        return np.outer(gradient, gradient)

    expected = integral(square, mixture_density)
    assert_allclose(normals(n_unlabeled=1.0).matrix, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("k", "count"), [(0, "n_negative"), (1, "n_positive")])
def test_labeled_items_have_the_closed_forms_of_a_normal_and_of_a_share(k, count):
    matrix = normals(**{count: 40}).matrix
    std = (NEGATIVE, POSITIVE)[k][1]
    expected = np.zeros(5)
    expected[0] = 40.0 / SHARES[k] ** 2
    expected[1 + 2 * k : 3 + 2 * k] = 40.0 / std**2, 80.0 / std**2
    assert_allclose(matrix, np.diag(expected), rtol=1e-9, atol=1e-9)


def test_a_label_and_its_score_are_the_information_of_the_label_beside_that_of_the_score():
    # Averaged over the mixture: complete = of the score + what the label adds.
    complete = normals(n_negative=SHARES[0], n_positive=SHARES[1]).matrix
    added = integral(of_label, mixture_density)
    assert_allclose(complete, normals(n_unlabeled=1.0).matrix + added, rtol=1e-6, atol=1e-6)


# --- every pair ------------------------------------------------------------------------

REGULAR = [name for name, cls in FAMILIES.items() if cls().regular]
# Every family once as the negative class and once as the positive one.
PAIRS = [*zip(REGULAR, REGULAR[1:] + REGULAR[:1], strict=True)]


def case(negative, positive):
    """Return values that are typical, the positives higher, and hardly anything below zero."""
    # Not a shape of zero: a skew normal has a singular information there.
    values = []
    for family, first in ((as_family(negative), (3.0, 0.6)), (as_family(positive), (4.5, 0.8))):
        values.append((*first, *(p.typical[0] or p.typical[1] for p in family.parameters[2:])))
    return {"prevalence": 0.3, "negative_values": values[0], "positive_values": values[1]}


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_information_of_the_mixture_is_positive_and_what_simulated_scores_have(
    pair, global_random_seed
):
    of, n = case(*pair), 5_000
    information = fisher_information(*pair, **of, n_unlabeled=1.0)
    values = np.linalg.eigvalsh(information.matrix)
    # Differences of gradients leave 1e-6 or so.
    assert values.min() > -1e-5 * values.max()
    families, given = [as_family(f) for f in pair], (of["negative_values"], of["positive_values"])
    scores, _ = make_scores(
        n, negative=pair[0], positive=pair[1], random_state=global_random_seed, **of
    )
    joint = [
        share * np.exp(family.logpdf(scores, *own))
        for share, family, own in zip((0.7, 0.3), families, given, strict=True)
    ]
    q = joint[1] / (joint[0] + joint[1])
    gradients = [np.array(f.gradient(scores, *v)) for f, v in zip(families, given, strict=True)]
    score = np.vstack([q / 0.3 - (1.0 - q) / 0.7, (1.0 - q) * gradients[0], q * gradients[1]])
    outer = np.einsum("in,jn->ijn", score, score)
    errors = outer.std(axis=2) / np.sqrt(n)
    # Beyond this one of some 400 normal numbers of all pairs lies once in a million.
    assert (np.abs(information.matrix - outer.mean(axis=2)) < 6.0 * errors).all()


@pytest.mark.parametrize("name", REGULAR)
def test_a_labeled_item_has_the_mean_square_of_the_gradient_of_its_class(name):
    of = case("norm", name)
    information = fisher_information("norm", name, **of, n_positive=1.0)
    family, values = as_family(name), of["positive_values"]
    # Quantiles at evenly spaced log-odds of their levels, which reach far into both tails.
    log_odds = np.linspace(-25.0, 25.0, 1001)
    levels, density = special.expit(log_odds), special.expit(log_odds) * special.expit(-log_odds)
    gradient = np.array(family.gradient(family.ppf(levels, *values), *values))
    expected = np.einsum("n,in,jn->ij", 0.05 * density, gradient, gradient)
    own = information.matrix[3:, 3:]
    size = np.sqrt(np.outer(np.diag(own), np.diag(own)))
    assert (np.abs(own - expected) < 5e-3 * size).all()
    assert information.names[3:] == tuple(f"positive_{p.name}" for p in family.parameters)


def test_half_an_item_has_half_of_the_information():
    half, whole = (normals(n_positive=n).matrix for n in (Fraction(1, 2), 1))
    assert_allclose(half, whole / 2.0, rtol=1e-12)


@pytest.mark.parametrize("pair", [("norm", "norm"), ("gamma", "gumbel_l")], ids="-".join)
def test_a_large_sample_has_the_information_that_was_expected(pair, global_random_seed):
    of, n_batches, n = case(*pair), 30, 1000
    mixture = TwoClassMixture(*map(as_family, pair))
    theta = np.array([of["prevalence"], *of["negative_values"], *of["positive_values"]])
    cut = 1 + len(of["negative_values"])
    scores, labels = make_scores(
        n_batches * n, negative=pair[0], positive=pair[1], random_state=global_random_seed, **of
    )
    steps = 1e-3 * np.eye(len(theta))
    hessians = []
    for k in range(n_batches):
        own = slice(k * n, (k + 1) * n)
        # A fifth of each batch is labelled, whatever its scores.
        codes = np.where(np.arange(n) < n // 5, labels[own], -1)
        sample = ScoreSample.from_items(scores[own], codes, np.ones(n))
        ends = [
            theta + a * steps[i] + b * steps[j]
            for i in range(len(theta))
            for j in range(len(theta))
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
        ]
        u = np.array([mixture.real(t[0], t[1:cut], t[cut:]) for t in ends])
        heights = mixture.log_likelihood(u, sample).reshape(len(theta), len(theta), 4)
        hessians.append(-(heights @ [1.0, -1.0, -1.0, 1.0]) / (4.0 * 1e-6))
    expected = fisher_information(
        *pair,
        **of,
        n_unlabeled=0.8 * n,
        n_negative=0.2 * n * 0.7,
        n_positive=0.2 * n * 0.3,
    ).matrix
    errors = np.std(hessians, axis=0, ddof=1) / np.sqrt(n_batches)
    # Entries that are zero for every label have no spread but the rounding of heights. Of the
    # others a t of 29 degrees passes 8 standard errors once in a hundred million times.
    assert (np.abs(np.mean(hessians, axis=0) - expected) < 8.0 * errors + 1e-2).all()


# --- what an information can do --------------------------------------------------------


def test_informations_of_independent_items_add_up():
    parts = [
        normals(n_unlabeled=100.0),
        normals(n_negative=5),
        normals(n_positive=3),
    ]
    together = normals(n_unlabeled=100.0, n_negative=5, n_positive=3)
    assert_allclose((parts[0] + parts[1] + parts[2]).matrix, together.matrix, rtol=1e-12)
    many = 20 * parts[0]
    assert_allclose(many.matrix, normals(n_unlabeled=2000.0).matrix, rtol=1e-9)
    assert_allclose((parts[0] * 20).matrix, many.matrix, rtol=1e-15)
    assert many.names == NAMES


def test_one_number_of_items_is_split_by_the_prevalence():
    assert_allclose(
        normals(n_unlabeled=50.0).matrix, normals(n_unlabeled=(40.0, 10.0)).matrix, rtol=1e-12
    )


def test_no_item_has_no_information():
    assert not normals().matrix.any()


def test_errors_are_those_of_the_inverse_and_larger_than_if_the_rest_were_known():
    information = normals(n_unlabeled=1000.0, n_positive=10)
    assert_allclose(information.covariance @ information.matrix, np.eye(5), atol=1e-8)
    errors = information.standard_errors
    assert tuple(errors) == tuple(information.alone) == NAMES
    for j, name in enumerate(NAMES):
        assert information.alone[name] == information.matrix[j, j]
        assert errors[name] == pytest.approx(np.sqrt(information.covariance[j, j]))
        assert errors[name] > 1.0 / np.sqrt(information.alone[name])


def test_an_information_is_read_only_before_a_pickle_and_after():
    information = normals(n_positive=3)
    again = pickle.loads(pickle.dumps(information))
    assert repr(again) == repr(information)
    for one in (information, again):
        assert np.array_equal(one.matrix, information.matrix)
        with pytest.raises(ValueError, match="read-only"):
            one.matrix[0, 0] = 0.0


def test_families_may_be_instances():
    other = fisher_information(Norm(), Norm(), **OF, n_unlabeled=10.0)
    assert np.array_equal(other.matrix, normals(n_unlabeled=10.0).matrix)


BAD = {
    "uniform": (("norm", "uniform", {}), r"support of 'uniform' depends on its parameters"),
    "uniform negatives": (("uniform", "norm", {}), r"support of 'uniform' depends"),
    "too few": (("norm", "skewnorm", {}), r"positive_values must be mean, std, shape of 'skewno"),
    "too many": (
        ("norm", "norm", {"negative_values": (0.0, 1.0, 2.0)}),
        r"negative_values must be mean, std of 'norm', got \(0.0, 1.0, 2.0\)",
    ),
    "nan": (("norm", "norm", {"positive_values": (np.nan, 1.0)}), "positive_values must be mean"),
    "std": (("norm", "norm", {"positive_values": (2.0, 0.0)}), "std in positive_values must lie"),
    "tiny std": (
        ("norm", "norm", {"negative_values": (0.0, 1e-310)}),
        r"std in negative_values must lie in \[1e-30, 1e\+30\], got 1e-310",
    ),
    "huge mean": (
        ("norm", "norm", {"negative_values": (1e300, 1.0)}),
        r"mean in negative_values must lie in \[-1e\+30, 1e\+30\], got 1e\+300",
    ),
    "mean": (("gamma", "norm", {"negative_values": (-1.0, 1.0)}), "mean in negative_values must"),
    "prevalence": (("norm", "norm", {"prevalence": 1.0}), r"prevalence must lie in \[1e-100, 1\)"),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_distributions_that_are_none_are_named(given, message):
    negative, positive, changes = given
    with pytest.raises(ValueError, match=message):
        fisher_information(negative, positive, **{**OF, **changes}, n_unlabeled=10.0)
    with pytest.raises(ValueError, match=message):
        expected_width(
            negative, positive, **{**OF, **changes}, threshold=2.0, n_items=100, n_labels=50
        )


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"n_negative": -1}, r"n_negative must lie in \[0, inf\)"),
        ({"n_positive": np.nan}, "n_positive must lie in"),
        ({"n_unlabeled": -1.0}, r"n_unlabeled must be .* none below zero; got -1.0"),
        ({"n_unlabeled": np.nan}, "n_unlabeled must be"),
        ({"n_unlabeled": (1.0, -2.0)}, "n_unlabeled must be"),
        ({"n_unlabeled": (1.0, 2.0, 3.0)}, "n_unlabeled must be"),
        ({"n_unlabeled": ((1,), (2, 3))}, "n_unlabeled must be"),
    ],
)
def test_numbers_of_items_that_are_none_are_named(counts, message):
    with pytest.raises(ValueError, match=message):
        normals(**counts)


def test_what_items_say_nothing_of_is_not_known():
    information = normals(n_positive=3)
    errors = information.standard_errors
    assert errors["negative_mean"] == errors["negative_std"] == np.inf
    assert 0.0 < errors["positive_mean"] < np.inf
    with pytest.raises(ValueError, match="carry no information on negative_mean, negative_std"):
        _ = information.covariance


def test_informations_of_different_parameters_do_not_add_up():
    gamma = {"prevalence": 0.2, "positive_values": (3.0, 1.0), "n_positive": 1}
    skewed = fisher_information("skewnorm", "norm", negative_values=(0.0, 1.0, 1.0), **gamma)
    with pytest.raises(ValueError, match="Cannot add the information"):
        _ = normals(n_positive=1) + skewed
    with pytest.raises(TypeError):
        _ = skewed * skewed
    assert_allclose(sum([skewed, skewed]).matrix, (2 * skewed).matrix)
