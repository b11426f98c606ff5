"""The law of the classes of mistakes."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._class_scores import ClassScores
from sklearn_spe.models._confusion_model import N_DISTRIBUTIONS, ConfusionModel, LabeledErrors
from sklearn_spe.models._pair_effects import PredictedRows


@pytest.fixture
def error_model(global_random_seed):
    """Scores of mistakes, and true classes by a power of what the classifier says of them."""

    def drawn(power, n=400, n_classes=6):
        rng = np.random.default_rng(global_random_seed)
        scores = ClassScores.read(3.0 * rng.standard_normal((n, n_classes)), np.arange(n_classes))
        distribution = special.softmax(power * scores.log_others[0], axis=1)
        true = (distribution.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
        return scores.log_others, scores.predicted, np.minimum(true, n_classes - 1)

    return drawn


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


def test_probabilities_are_those_of_the_formula(error_model, rng):
    log_others, predicted, true = error_model(1.0, n=5)
    shift = rng.standard_normal(6)
    distributions = ConfusionModel(
        rng.standard_normal((N_DISTRIBUTIONS, 9)),
        np.full(N_DISTRIBUTIONS, 0.5),
        shift,
    )
    found = distributions.probability(3, log_others, predicted)
    assert_allclose(found.sum(axis=1), 1.0)
    for row, (logs, said) in enumerate(zip(log_others[0], predicted, strict=True)):
        others = np.delete(np.arange(6), said)
        own = np.exp(distributions.power[3] * logs[others])
        own = (1.0 - distributions.blind[3]) * own / own.sum() + distributions.blind[3] / 5.0
        kappa = 0.5 + 0.5 * distributions.normal[3, 2]
        own *= np.exp(0.5 * distributions.normal[3, 3 + others] - kappa * shift[others])
        assert_allclose(found[row, others], own / own.sum())
        assert found[row, said] == 0.0
    each = [
        np.log(distributions.probability(k, log_others, predicted)[range(5), true]) for k in (0, 7)
    ]
    log_likelihood = distributions.log_likelihood(
        LabeledErrors(log_others, predicted, true, np.ones(5)), None
    )
    assert_allclose(log_likelihood[[0, 7]], np.sum(each, axis=1))


@pytest.mark.parametrize("power", [0.3, 1.0])
def test_labels_find_the_power(power, error_model, rng):
    errors = error_model(power)
    errors = LabeledErrors(*errors, np.ones(len(errors[2])))
    distributions = ConfusionModel.updated(errors, np.zeros(6), rng)
    # Four hundred labels: the law is known to about a tenth.
    assert abs(np.log(np.median(distributions.power) / power)) < 0.5
    assert np.log(distributions.power).std() < 0.4


@pytest.mark.parametrize("kappa", [0.0, 1.0])
def test_labels_find_how_far_a_class_hides_less_where_it_is_predicted_wrongly(
    kappa, error_model, rng
):
    log_others, predicted, _ = error_model(1.0)
    shift = np.array([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5])
    distribution = np.exp(log_others[0] - kappa * shift)
    distribution[np.arange(len(predicted)), predicted] = 0.0
    distribution /= distribution.sum(axis=1, keepdims=True)
    true = (distribution.cumsum(axis=1) < rng.random((len(distribution), 1))).sum(axis=1)
    errors = LabeledErrors(log_others, predicted, np.minimum(true, 5), np.ones(len(true)))
    distributions = ConfusionModel.updated(errors, shift, rng)
    # Four hundred labels know the slope of six classes to a tenth; classes have factors of their
    # own besides, of which the slope is a part.
    slope = np.log(distributions.favor) @ shift / (shift @ shift)
    assert abs(np.median(slope) + kappa) < 0.5


def test_without_a_mistake_distributions_are_those_before(rng):
    none = np.empty((1, 0, 6)), np.empty(0, dtype=int), np.empty(0, dtype=int)
    errors = LabeledErrors(*none, np.empty(0))
    distributions = ConfusionModel.updated(errors, np.zeros(6), rng)
    # Of so many draws the mean is normal with this error.
    assert abs(distributions.normal.mean()) < 5.0 / np.sqrt(distributions.normal.size)


def test_where_nothing_is_said_of_the_others_all_are_alike():
    scores = ClassScores.read([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2]], np.arange(3))
    distributions = ConfusionModel(np.zeros((1, 6)), np.zeros(1), np.zeros(3))
    found = distributions.probability(0, scores.log_others, scores.predicted)
    assert_allclose(found[0], [0.0, 0.5, 0.5])


def test_probabilities_of_all_errors_of_two_predicted_classes_sum_to_one(rng):
    # Two errors of one predicted class and one of another, each with any of three true classes.
    scores = ClassScores.read(3.0 * rng.standard_normal((200, 4)), np.arange(4))
    order = np.argsort(scores.predicted, kind="stable")
    log_others, predicted = scores.log_others[:, order], scores.predicted[order]
    rows = PredictedRows(log_others, predicted, rng.random(200))
    items = np.array([0, 1, 0]) + np.searchsorted(predicted, [0, 0, 2])
    particles = ConfusionModel(
        rng.standard_normal((N_DISTRIBUTIONS, 7)), np.full(N_DISTRIBUTIONS, 0.5), np.zeros(4)
    )
    logs = [
        particles.log_likelihood(
            LabeledErrors(log_others[:, items], predicted[items], np.array(true), np.ones(3)), rows
        )
        for true in product((1, 2, 3), (1, 2, 3), (0, 1, 3))
    ]
    assert_allclose(np.exp(logs).sum(axis=0), 1.0)
