"""One set of draws of all classes, on which everything is measured."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import cohen_kappa_score

from sklearn_spe.models._class_questions import ClassQuestion, by_class, confusion_matrix
from sklearn_spe.models._error_rows import N_DISTRIBUTIONS, ErrorRows
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET


def codes(completed):
    return completed.codes


@pytest.fixture(scope="module")
def drawn(model, problem):
    return model.measured().values(codes, problem.task(), by_item=True)


def test_known_labels_stay(drawn, problem):
    known = problem.partial >= 0
    assert_array_equal(
        drawn[:, known], np.broadcast_to(problem.labels[known], drawn[:, known].shape)
    )
    # And others do not.
    assert (np.ptp(drawn[:, ~known], axis=0) > 0).any()


def test_all_answers_come_from_the_same_draws(model, drawn, problem):
    task = problem.task()
    right = drawn == problem.predicted
    assert_allclose(
        ClassQuestion.of("accuracy").estimate(model.measured(), task).draws, right.mean(axis=1)
    )
    of_classes = [e.draws for e in by_class("recall", model.measured(), task).estimates]
    recalls = [
        (right & (drawn == c)).sum(axis=1) / (drawn == c).sum(axis=1)
        for c in range(problem.n_classes)
    ]
    assert_allclose(of_classes, recalls)
    macro = ClassQuestion.of("recall").estimate(model.measured(), task)
    assert_allclose(macro.draws, np.mean(of_classes, axis=0))
    assert (macro - macro).standard_error == 0.0
    kappa = ClassQuestion.of("cohen_kappa").estimate(model.measured(), task)
    assert_allclose(kappa.draws, [cohen_kappa_score(row, problem.predicted) for row in drawn])
    matrix = confusion_matrix(model.measured(), task)
    assert_allclose(matrix.mean().sum(), len(problem.labels))
    assert_allclose(np.trace(matrix.mean()), right.sum(axis=1).mean())


def test_draws_in_which_a_callable_is_undefined_are_counted(model, problem):
    # Undefined where the last item, which is not labelled, is of the first class.
    def always_one(labels, proba):
        return np.nan if labels[-1] == 0 else 1.0

    def is_first(labels, proba):
        return labels[-1] == 0

    found, share = (
        ClassQuestion.of(metric).estimate(model.measured(), problem.task())
        for metric in (always_one, is_first)
    )
    assert_allclose(found.undefined, share.mean())
    assert np.nanmean(found.draws) == 1.0 or share.mean() == 1.0


def test_accuracy_is_one_less_the_prevalence_of_mistakes(model, problem):
    # Of the labels that are drawn, and of their probabilities: the same within the error of draws.
    accuracy = ClassQuestion.of("accuracy").estimate(model.measured(), problem.task())
    posterior, unlabeled = model.error_model.posterior, problem.partial < 0
    wrong = 0.0
    for block in posterior.blocks():
        probability = posterior.probability(block, np.flatnonzero(unlabeled))
        wrong += posterior.weights[block.rows] @ probability.sum(axis=1)
    known = (problem.partial != problem.predicted)[~unlabeled].sum()
    expected = 1.0 - (wrong + known) / len(unlabeled)
    # Given the curve each draw has the variance of independent labels, at most a quarter an item.
    error = 0.5 * np.linalg.norm(posterior.weights) * np.sqrt(unlabeled.sum()) / len(unlabeled)
    assert abs(accuracy.mean() - expected) < 5.0 * error


def test_a_population_is_no_narrower_and_has_the_same_middle(model, problem):
    sample, population = (
        ClassQuestion.of("accuracy").estimate(model.measured(), problem.task(target))
        for target in ("sample", "population")
    )
    # The standard deviation of a hundred draws is off by 7%, of two of them by 10%.
    assert population.standard_error > 0.5 * sample.standard_error
    error = np.hypot(sample.standard_error, population.standard_error) / np.sqrt(100)
    assert abs(population.mean() - sample.mean()) < 5.0 * error


def test_all_distributions_of_other_classes_are_used(global_random_seed):
    # By law number l all mistakes are of class l.
    problem = ClassesProblem.of(global_random_seed, n=100, n_classes=N_DISTRIBUTIONS)
    model = problem.model(n_draws=2 * N_DISTRIBUTIONS + 10)
    of_class = np.eye(N_DISTRIBUTIONS)[:, np.newaxis, :]
    ratios = np.repeat(of_class, N_DISTRIBUTIONS, axis=1)
    others = ErrorRows(np.zeros(N_DISTRIBUTIONS, dtype=int), ratios)
    draws = replace(model.draws, others=others)
    wrong = (problem.partial < 0) & (problem.predicted > 0)
    measured = replace(model.measured(), draws=draws)
    drawn = measured.values(codes, problem.task(), by_item=True)[:, wrong]
    distributions = [
        np.bincount(row[row != problem.predicted[wrong]], minlength=N_DISTRIBUTIONS).argmax()
        for row in drawn
    ]
    times = np.bincount(distributions, minlength=N_DISTRIBUTIONS)
    assert times.min() >= 2
    assert times.max() <= 3


def test_an_interval_reaches_one_as_long_as_no_mistake_is_known(problem):
    right = np.where(problem.labels == problem.predicted, problem.partial, -1)
    model = problem.model(right)
    estimate = ClassQuestion.of("accuracy").estimate(model.measured(), problem.task())
    assert estimate.edge == 1.0
    assert estimate.interval()[1] == 1.0
    assert model.verdict == "unidentified"
    assert "All of" in model.verdict.describe()


@pytest.fixture(scope="module")
def many(global_random_seed):
    """Return 6,000 items in two categories, more than are taken one by one, and their model."""
    problem = ClassesProblem.of(global_random_seed, n=6000, n_classes=4)
    return problem, problem.model(n_draws=400)


@pytest.mark.parametrize("target", ["sample", "population"])
def test_counted_classes_are_those_of_items_one_by_one(many, target):
    problem, model = many
    measured, task = model.measured(), problem.task(target)
    assert model.draws.is_counted
    counted = np.hstack(measured.of_classes(task))
    items = measured.values(lambda c: np.hstack(c.of_classes), task, by_item=True)
    # 400 draws each, of the same curves, and rows that represent others: a quarter of a standard
    # deviation; six standard errors of a standard deviation.
    error = 0.25 * items.std(axis=0) + 1e-9
    assert (np.abs(counted.mean(axis=0) - items.mean(axis=0)) < error).all()
    ratio = counted.std(axis=0) / np.maximum(items.std(axis=0), 1e-12)
    moving = items.std(axis=0) > 1e-9
    assert (np.abs(ratio[moving] - 1.0) < 6.0 / np.sqrt(400)).all()
    matrix = confusion_matrix(measured, task)
    assert_allclose(matrix.mean().sum(), 6000 if target == "sample" else 1.0)


def test_rows_may_count_for_any_number_of_items(problem, model):
    weights = np.where(problem.partial < 0, 1e6, 1.0)
    counted = problem.model(sample_weight=weights)
    assert counted.draws.is_counted
    accuracy = ClassQuestion.of("accuracy").estimate(counted.measured(), problem.task())
    # Known labels are a millionth of the items: what is estimated is the accuracy of the others.
    own = ClassQuestion.of("accuracy").estimate(model.measured(), problem.task())
    known = problem.partial >= 0
    right = (problem.labels == problem.predicted)[known].sum()
    expected = (own.mean() * len(known) - right) / (~known).sum()
    assert abs(accuracy.mean() - expected) < 3.0 * own.standard_error
    matrix = confusion_matrix(counted.measured(), problem.task())
    assert_allclose(matrix.mean().sum(), weights.sum())
    with pytest.raises(ValueError, match="takes items one by one"):
        ClassQuestion.of("roc_auc").estimate(counted.measured(), problem.task())
