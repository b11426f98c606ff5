"""A question is read once: what it is of, where it is asked, and what it cannot take."""

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.goals._goal import Goal
from sklearn_spe.goals._question import Question
from sklearn_spe.inputs._scores import ScoreDirection


def mean_score(y_true, y_score):
    """Return a number that knows no threshold."""
    return float(np.mean(y_score))


def costs(y_true, y_score, cost):
    """Return a number of the rows and of a column of them."""
    return float(np.sum(cost * y_true))


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("roc_auc", "is_ranking"),
        ("precision_recall", "is_curve"),
        (Goal.of(precision=0.9), "is_goal"),
        (mean_score, "is_of_rows"),
        ("precision", "is_open"),
    ],
)
def test_a_question_is_of_one_kind(metric, kind):
    question = Question.of(metric)
    kinds = ("is_ranking", "is_curve", "is_goal", "is_of_rows", "is_open")
    assert [name for name in kinds if getattr(question, name)] == [kind]
    # A question that is one stays the same.
    assert Question.of(question) is question
    if kind == "is_open":
        assert question.at(0.5).closed().where == {"threshold": 0.5}
        with pytest.raises(ValueError, match="needs exactly one"):
            question.closed()
    else:
        assert question.closed() is question


def test_a_name_is_that_of_the_metric_of_the_goal_or_of_the_function():
    assert Question.of("f1", threshold=0.5).name == "f1"
    assert Question.of(Goal.of(precision=0.9)).name == "precision >= 0.9"
    assert Question.of(mean_score).name == "mean_score"


@pytest.mark.parametrize(
    ("metric", "where", "message"),
    [
        (Question.of("recall", threshold=1.0), {"threshold": 1.0}, "already has its arguments"),
        (Goal.of(recall=0.9), {"threshold": 1.0}, "already has its bounds"),
        ("precision_recall", {"threshold": 1.0}, "is a curve"),
        (mean_score, {"recall": 0.5}, "callable metric"),
        ("roc_auc", {"threshold": 1.0}, "metric of the ranking"),
        ("brier_score", {"threshold": 1.0}, "predicted probabilities"),
        ("precisio", {}, "Unknown metric"),
        ("precision", {"threshold": (0.5, None)}, "is a bound"),
        ("precision", {"threshold": 0.5, "recall": 0.5}, "exactly one"),
        ("recall", {"recall": 0.5}, "not available at recall="),
        ("precision", {"recall": 0.0}, "recall"),
        ("precision", {"threshold": np.inf}, "threshold"),
    ],
)
def test_what_a_question_cannot_take_is_refused(metric, where, message):
    with pytest.raises(ValueError, match=message):
        Question.of(metric, **where)


def test_columns_of_the_rows_go_to_functions_of_rows_alone():
    column = np.arange(3.0)
    assert Question.of(costs, sample_columns={"cost": column}).sample_columns["cost"] is column
    with pytest.raises(ValueError, match="takes no sample_columns="):
        Question.of("roc_auc", sample_columns={"cost": column})


def test_items_above_a_threshold_are_those_that_are_called_positive():
    scores = np.array([0.1, 0.5, 0.5, 0.9])
    increasing = ScoreDirection(True)
    at_half = Question.of("recall", threshold=0.5)
    assert at_half.above(scores, increasing).tolist() == [False, True, True, True]
    assert Question.of("roc_auc").above(scores, increasing) is None
    assert Question.of(mean_score).above(scores, increasing) is None


@pytest.mark.parametrize(
    ("name", "function"), [("precision", precision_score), ("recall", recall_score)]
)
def test_the_terms_of_items_add_up_to_the_metric(name, function, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth, scores = rng.integers(2, size=200), rng.normal(size=200)
    question = Question.of(name, threshold=0.0)
    above = question.above(scores, ScoreDirection(True))
    # Of an item, by its label and by whether it lies above.
    numerator, denominator = question.terms(above)
    values = [part[truth, above.astype(int)].sum() for part in (numerator, denominator)]
    assert values[0] / values[1] == pytest.approx(function(truth, scores >= 0.0))
    assert question.has_expectation
    assert question.has_design(question.terms(above))
    assert Question.of(mean_score).terms(above) is None
    assert not Question.of(mean_score).has_design(None)
    assert Question.of("precision", recall=0.5).has_design(None)


def test_an_answer_is_a_number_or_a_curve_as_the_question_is(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = np.tile([0, 1], 20)
    scores = rng.normal(size=40) + truth
    performance = PerformanceCurveEstimator(n_draws=20, random_state=0).fit(scores, truth)
    # With all labels known an answer is scikit-learn's.
    answer = Question.of("recall", threshold=0.5).selection(performance)
    assert float(answer) == pytest.approx(recall_score(truth, scores >= 0.5))
    assert Question.of("precision_recall").selection(performance).name == "precision_recall"
    with pytest.raises(ValueError, match="is a curve, not a number"):
        performance.estimate("precision_recall")
    with pytest.raises(ValueError, match="does not take"):
        performance.estimate("recall", threshold=0.5, predicted=lambda s: s)


def test_a_goal_is_made_of_bounds():
    for bounds in ((), (0.9,), [0.9]):
        with pytest.raises(TypeError, match="Goal"):
            Goal(bounds)
