"""How much predicted classes differ at the same doubt."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.models._class_errors import SHIFT_SIZE_WEIGHTS, SHIFT_SIZES, ClassShifts
from sklearn_spe.models._class_questions import by_class
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET
NONE = np.empty(0, dtype=int)


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


@pytest.mark.parametrize("chance", [0.02, 0.2, 0.5])
def test_without_labels_the_mean_over_classes_is_the_curve(chance, rng):
    n_draws, n_classes = 200, 500
    probability = np.full((n_draws, n_classes), chance)
    shifts = ClassShifts.updated(np.empty((n_draws, 0)), NONE == 1, NONE, NONE, n_classes, rng)
    found = shifts.probability(slice(None), probability, np.arange(n_classes))
    assert (np.ptp(found, axis=1) > 0.0).all()
    # The flatter curve is that of a normal law to about a hundredth of its steepness.
    assert abs(found.mean() - chance) < 0.01
    # Sizes are as often as before.
    sizes = np.sqrt((shifts.stretch[:, 0] ** 2 - 1.0) * 8.0 / np.pi)
    shares = [np.isclose(sizes, size).mean() for size in SHIFT_SIZES]
    assert_allclose(shares, SHIFT_SIZE_WEIGHTS, atol=5.0 * 0.5 / np.sqrt(n_draws))


def test_labels_tell_a_class_that_is_always_wrong(rng):
    predicted = np.repeat(np.arange(8), 12)
    wrong = (predicted == 3) | (rng.random(96) < 0.05)
    shifts = ClassShifts.updated(np.full((300, 96), 0.1), wrong, predicted, np.ones(96), 9, rng)
    found = shifts.probability(slice(None), np.full((300, 9), 0.1), np.arange(9)).mean(axis=0)
    assert found[3] > 0.6
    assert np.delete(found, 3).max() < 0.3


def test_classes_that_are_alike_are_found_so(rng):
    predicted = np.repeat(np.arange(10), 60)
    shifts = ClassShifts.updated(
        np.full((300, 600), 0.3), rng.random(600) < 0.3, predicted, np.ones(600), 10, rng
    )
    # Ten classes of sixty labels: a shift of 1.4 among them would be seen.
    assert np.median(np.abs(shifts.shift)) < 0.5


def test_precision_of_a_class_follows_its_own_labels(global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=600)
    # Whatever is taken for a class is the next one in truth.
    labels = np.where(problem.predicted == 1, 2, problem.labels)
    model = problem.model(np.where(np.arange(600) < 150, labels, -1))
    of_each = by_class("precision", model.measured(), problem.task())
    assert of_each.values[1] == min(of_each.values)
    assert of_each["1"].interval()[1] < of_each["0"].value
