"""Several classifiers of the same classes, measured on the same draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.data._class_scores import ClassScores
from sklearn_spe.models._class_table import PooledScores, error_log_odds_of
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET
N_REPEATS = 12


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return ClassesProblem.of(global_random_seed, n=200)


def two_classifiers(problem):
    """Return one that is right about how sure it may be, and one that hears it through noise."""
    noise = np.random.default_rng([problem.seed, 2]).standard_normal(problem.logits.shape)
    return {"good": problem.proba, "noisy": problem.logits + 2.0 * noise}


def fitted(problem, X, y=None):
    performance = PerformanceCurveEstimator(problem.mixture(), random_state=problem.seed)
    return performance.fit(X, problem.partial if y is None else y)


@pytest.fixture(scope="module")
def both(problem):
    return fitted(problem, two_classifiers(problem))


def accuracies(problem, X):
    return {name: (own.argmax(axis=1) == problem.labels).mean() for name, own in X.items()}


def test_known_labels_leave_no_uncertainty(problem):
    X = two_classifiers(problem)
    known, truth = fitted(problem, X, problem.labels), accuracies(problem, X)
    for name, own in X.items():
        assert_allclose(known.of(system=name).estimate("accuracy").interval(), truth[name])
        of_two = metrics.top_k_accuracy_score(problem.labels, own, k=2)
        assert_allclose(known.of(system=name).estimate("top_k_accuracy").value, of_two)
        recalls = metrics.recall_score(problem.labels, own.argmax(axis=1), average=None)
        assert_allclose(known.by_category("recall", system=name, by="class").values, recalls)
    difference = known.difference("accuracy", "good", "noisy")
    assert_allclose(difference.interval(), truth["good"] - truth["noisy"])
    assert_array_equal(known.ranking_proba("accuracy"), [[0.5, 1.0], [0.0, 0.5]])
    losses = known.ranking_proba(metrics.log_loss, greater_is_better=False)
    assert_array_equal(losses, [[0.5, 1.0], [0.0, 0.5]])


def test_all_systems_are_measured_on_the_same_classes(both, problem):
    # What both predict is right in the same draws: only items on which they differ count.
    first, second = (own.argmax(axis=1) for own in two_classifiers(problem).values())
    difference = both.difference("accuracy", "good", "noisy")
    assert np.abs(difference.draws).max() <= (first != second).mean()
    twins = fitted(problem, {"one": problem.proba, "other": problem.proba})
    assert_allclose(twins.difference("f1", "one", "other").draws, 0.0, atol=1e-12)
    assert_array_equal(twins.ranking_proba("accuracy"), np.full((2, 2), 0.5))


@pytest.mark.slow
def test_intervals_of_differences_hold(global_random_seed):
    problem = ClassesProblem.of(global_random_seed, n=500)
    # Two that hear the same through noise of their own.
    noise = np.random.default_rng([global_random_seed, 3]).standard_normal((2, 500, 4))
    X = {"a": problem.logits + noise[0], "b": problem.logits + 2.0 * noise[1]}
    performance, held, truths = None, [], []
    for repeat in range(N_REPEATS):
        drawn = problem.drawn([global_random_seed, repeat])
        if performance is None:
            performance = fitted(drawn, X)
        performance.update(X, drawn.partial)
        truth = accuracies(drawn, X)
        truths.append(truth["a"] - truth["b"])
        low, high = performance.difference("accuracy", "a", "b").interval()
        held.append(low - 1e-9 <= truths[-1] <= high + 1e-9)
        assert high - low < 0.3
    # Intervals of 90% that hold in 85% already: fewer once in a million.
    assert sum(held) >= stats.binom.ppf(1e-6, N_REPEATS, 0.85)


def test_a_loud_voice_weighs_no_more(problem):
    scores = [ClassScores.read(k * problem.logits, np.arange(4)) for k in (1.0, 50.0)]
    pooled = PooledScores.of(tuple(scores))
    assert_array_equal(pooled.predicted, problem.predicted)
    spreads = [np.ptp(np.diff(part), axis=0).max() for part in pooled.parts]
    assert spreads[1] < 5.0 * spreads[0]
    error_log_odds = error_log_odds_of(tuple(scores), pooled.predicted)
    assert_allclose(error_log_odds[:, 0], scores[0].error_log_odds)


def test_probabilities_of_zero_leave_finite_uncertainties():
    votes = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.0, 0.8]])
    own = ClassScores.read(votes, np.arange(3))
    error_log_odds = error_log_odds_of((own,), np.array([0, 0, 1]))[:, 0]
    assert np.isfinite(error_log_odds).all()
    assert (np.diff(error_log_odds) > 0.0).all()


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (lambda p: {}, "empty mapping"),
        (lambda p: np.stack([p.proba, p.proba]), r"X\[0\] and y must have the same length"),
        (lambda p: [p.proba, p.proba[:-1]], r"X\[1\] and y"),
        (lambda p: {"a": p.proba, "b": p.proba[:, :3]}, "System 'b'"),
        (lambda p: {"a": p.proba, "b": p.proba[:-1]}, r"X\['b'\] and y"),
    ],
)
def test_what_is_no_classifier_is_refused(X, said, problem):
    with pytest.raises(ValueError, match=said):
        fitted(problem, X(problem))


def test_two_classes_take_columns_and_questions_name_a_system(both, problem):
    with pytest.raises(ValueError, match="pass the scores of all systems as columns"):
        PerformanceCurveEstimator().fit({"a": problem.proba[:, :2]}, problem.partial > 1)
    with pytest.raises(ValueError, match=r"X\[:, :, 1\] of an array"):
        PerformanceCurveEstimator().fit(problem.proba[:, np.newaxis, :2], problem.partial > 1)
    for ask in (both.estimate, lambda: both.by_category(by="class"), both.confusion_matrix):
        with pytest.raises(ValueError, match="by system="):
            ask()
    with pytest.raises(ValueError, match="none of 'good', 'noisy'"):
        both.of(system="bad").estimate("accuracy")
    with pytest.raises(ValueError, match="call fit"):
        both.update({"good": problem.proba, "other": problem.logits}, problem.partial)
