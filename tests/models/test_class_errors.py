"""How much predicted classes differ at the same doubt."""

import numpy as np
import pytest

from sklearn_spe.models._class_questions import by_class
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET


def error_rates(model, n_classes):
    """Return the mean probability of an error of each predicted class."""
    posterior = model.error_model.posterior
    predicted = model.draws.scores.predicted
    mean = np.mean(
        [posterior.probability(block).mean(axis=0) for block in posterior.blocks()], axis=0
    )
    return np.array([mean[predicted == code].mean() for code in range(n_classes)])


@pytest.mark.parametrize("n_classes", [8, 50])
def test_labels_tell_a_class_that_is_always_wrong(n_classes, global_random_seed):
    # Predictions alone; with many classes members of a factor take the place of columns.
    rng = np.random.default_rng(global_random_seed)
    predicted = np.tile(np.arange(n_classes), 40)
    is_wrong = (predicted == 3) | (rng.random(len(predicted)) < 0.05)
    labels = np.where(is_wrong, (predicted + 1) % n_classes, predicted)
    problem = ClassesProblem(global_random_seed, np.eye(n_classes)[predicted], labels)
    y = np.where(np.arange(len(labels)) < 12 * n_classes, labels, -1)
    rates = error_rates(problem.model(y), n_classes)
    assert rates[3] > 0.6
    assert np.delete(rates, 3).max() < 0.3


def test_stated_log_odds_are_calibrated_without_labels(global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=2000)
    model = problem.model(np.full(2000, -1), n_draws=400)
    expected = 1.0 - problem.proba.max(axis=1).mean()
    posterior = model.error_model.posterior
    rates = np.concatenate(
        [posterior.probability(block).mean(axis=1) for block in posterior.blocks()]
    )
    # In the middle of what may be.
    assert np.quantile(rates, 0.3) < expected < np.quantile(rates, 0.7)


def test_precision_of_a_class_follows_its_own_labels(global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=600)
    # Whatever is taken for a class is the next one in truth.
    labels = np.where(problem.predicted == 1, 2, problem.labels)
    model = problem.model(np.where(np.arange(600) < 150, labels, -1))
    of_each = by_class("precision", model.measured(), problem.task())
    assert of_each.values[1] == min(of_each.values)
    assert of_each["1"].interval()[1] < of_each["0"].value


def test_stated_experts_have_no_effects_of_classes(global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=200)
    for parameters in ({"experts": None}, {"prevalence_prior": (2.0, 8.0)}):
        model = problem.model(**parameters)
        assert model.measured().draws.table is model.table
        assert model.error_model.table.predictions is None
