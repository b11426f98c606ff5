"""The distribution of the true classes of errors."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._class_scores import ClassScores
from sklearn_spe.models._error_rows import (
    CONCENTRATIONS,
    N_DISTRIBUTIONS,
    STATED,
    ErrorRows,
    LabeledErrors,
    PredictedRows,
    log_probability_of_errors,
    mean_by_class,
    mean_of_items,
)

N_CLASSES = 5
# Even errors, and each way of taking what the classifier states.
KINDS = range(1 + len(STATED))


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


@pytest.fixture
def scores(rng):
    """Scores of items, those predicted as one class together."""
    scores = ClassScores.read(3.0 * rng.standard_normal((600, N_CLASSES)), np.arange(N_CLASSES))
    return scores.take(np.argsort(scores.predicted, kind="stable"))


def errors_of(scores, items, true):
    return LabeledErrors(
        scores.log_others[:, items], scores.predicted[items], np.array(true), np.ones(len(items))
    )


def rows_of(scores):
    return PredictedRows(scores.log_others, scores.predicted, np.ones(len(scores.predicted)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_is_that_of_the_formula(kind, scores):
    mean = mean_of_items(kind, scores.log_others, scores.predicted)
    assert_allclose(mean.sum(axis=1), 1.0)
    for item in (0, 300, 599):
        others = np.delete(np.arange(N_CLASSES), scores.predicted[item])
        expected = np.full(N_CLASSES - 1, 0.25)
        if kind:
            power, even_share = STATED[kind - 1]
            stated = scores.proba[item, others] ** power
            expected = (1.0 - even_share) * stated / stated.sum() + even_share * expected
        assert_allclose(mean[item, others], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_of_all_sequences_of_errors_sum_to_one(kind, scores):
    # Two errors of one predicted class and one of another, each with any of four true classes.
    items = np.array([0, 1, 599])
    codes = [np.delete(np.arange(N_CLASSES), scores.predicted[item]) for item in items]
    logs = [
        log_probability_of_errors(kind, errors_of(scores, items, true), CONCENTRATIONS)
        for true in product(*codes)
    ]
    # Those of the predicted classes are independent.
    assert_allclose(np.exp(np.sum(logs, axis=1)).sum(axis=0), 1.0)


def test_an_error_that_counts_twice_is_two(scores):
    items = np.array([0, 0, 599])
    twice = errors_of(scores, items, [4, 4, 1])
    once = errors_of(scores, items[1:], [4, 1])
    once = LabeledErrors(once.log_others, once.predicted, once.true, np.array([2.0, 1.0]))
    assert_allclose(
        log_probability_of_errors(1, twice, CONCENTRATIONS),
        log_probability_of_errors(1, once, CONCENTRATIONS),
    )


def test_many_errors_of_one_pair_are_its_share(scores, rng):
    # All errors of the first predicted class are of one class.
    true = (int(scores.predicted[0]) + 2) % N_CLASSES
    items = np.arange(60)
    drawn = ErrorRows.updated(errors_of(scores, items, [true] * 60), rows_of(scores), rng)
    shares = drawn.probability(3, scores.log_others[:, items], scores.predicted[items])
    assert shares[:, true].mean() > 0.8
    # Even errors would be a quarter, which those of the last class are.
    last = np.flatnonzero(scores.predicted == scores.predicted[-1])
    of_last = [
        drawn.probability(k, scores.log_others[:, last], scores.predicted[last]).mean(axis=0)
        for k in range(N_DISTRIBUTIONS)
    ]
    assert np.std(of_last, axis=0).max() > 0.05


def test_without_errors_the_distribution_of_a_class_has_its_mean(scores, rng):
    none = np.zeros(0, dtype=int)
    rows = rows_of(scores)
    draws = [ErrorRows.updated(errors_of(scores, none, none), rows, rng) for _ in range(20)]
    ratios = np.concatenate([drawn.ratios for drawn in draws])
    kind = np.concatenate([drawn.kind for drawn in draws])
    # Around the mean of their kind, to five standard errors.
    means = np.stack([mean_by_class(of_kind, rows) for of_kind in KINDS])[kind]
    differences = (ratios - 1.0) * means
    error = 5.0 * differences.std(axis=0) / np.sqrt(len(kind))
    assert (np.abs(differences.mean(axis=0)) <= error + 1e-9).all()
    assert abs(np.mean(kind == 0) - 0.5) < 5.0 * 0.5 / np.sqrt(len(kind))


def test_labels_find_the_classifier_that_knows_its_errors(rng):
    logits = 3.0 * rng.standard_normal((2, 3000, N_CLASSES))
    predicted = logits[0].argmax(axis=1)
    log_others = np.where(np.arange(N_CLASSES) == predicted[:, np.newaxis], -np.inf, logits)
    true = np.array([rng.choice(N_CLASSES, p=p) for p in special.softmax(log_others[1], axis=1)])
    errors = LabeledErrors(log_others, predicted, true, np.ones(3000))
    order = np.argsort(predicted, kind="stable")
    rows = PredictedRows(log_others[:, order], predicted[order], np.ones(3000))
    drawn = ErrorRows.updated(errors, rows, rng)
    assert np.mean((drawn.kind - 1) // len(STATED) == 1) > 0.9
    found = [drawn.probability(k, log_others, predicted) for k in range(N_DISTRIBUTIONS)]
    stated = special.softmax(log_others[1], axis=1)
    entropy = special.rel_entr(stated, np.mean(found, axis=0)).sum(axis=1).mean()
    # The least share of even errors costs .005, another power .07, which 3,000 errors tell.
    assert entropy < 0.04


def test_of_many_classes_errors_have_the_mean(scores, rng):
    drawn = ErrorRows.updated(errors_of(scores, np.array([0]), [4]), None, rng)
    found = drawn.probability(0, scores.log_others, scores.predicted)
    assert_allclose(found, mean_of_items(int(drawn.kind[0]), scores.log_others, scores.predicted))


def test_where_nothing_is_stated_of_the_others_all_are_alike():
    scores = ClassScores.read([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2]], np.arange(3))
    mean = mean_of_items(len(STATED), scores.log_others, scores.predicted)
    assert_allclose(mean[0], [0.0, 0.5, 0.5])
