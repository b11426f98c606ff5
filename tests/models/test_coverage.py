"""Intervals hold: a classifier that is right about how sure it may be, and one that is not."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from sklearn_spe.metrics import TopKAccuracy
from sklearn_spe.models._class_questions import ClassQuestion
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET

N_REPEATS = 14
# What is asked, and the truth by scikit-learn.
QUESTIONS = {
    "accuracy": lambda y, s: metrics.accuracy_score(y, s.argmax(axis=1)),
    TopKAccuracy(2): metrics.top_k_accuracy_score,
    "f1": lambda y, s: metrics.f1_score(y, s.argmax(axis=1), average="macro"),
}


@pytest.mark.slow
@pytest.mark.parametrize("power", [1.0, 2.5], ids=["calibrated", "too sure"])
def test_intervals_hold_the_truth_as_often_as_they_say(power, global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=500)
    said, task, model, held = power * problem.logits, problem.task(), None, []
    for repeat in range(N_REPEATS):
        drawn = problem.drawn([global_random_seed, repeat])
        if model is None:
            model = problem.model(drawn.partial, said)
        model = model.updated(problem.mixture(), problem.read(said, drawn.partial))
        for question, truth in QUESTIONS.items():
            low, high = ClassQuestion.of(question).estimate(model.measured(), task).interval()
            held.append(low - 1e-9 <= truth(drawn.labels, said) <= high + 1e-9)
    n_held = np.reshape(held, (N_REPEATS, -1)).sum(axis=0)
    # Intervals of 90% that hold in 85% already: fewer once in a hundred thousand.
    assert n_held.min() >= stats.binom.ppf(1e-5, N_REPEATS, 0.85)
