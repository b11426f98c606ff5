"""The scores that a classifier gives to items."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC, LinearSVC

from sklearn_spe.inputs._scores import Response, known_classes
from tests.classifiers.calibration.data import TRAINED, X3, X, make_items

DECISION, PROBABILITY = Response("decision_function", 2), Response("predict_proba", 2)


class FitInputs(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are its first features."""

    def __init__(self, n_columns=None):
        self.n_columns = n_columns

    def decision_function(self, X):
        return X[:, 0] if self.n_columns is None else X[:, : self.n_columns]


def rounded(values):
    return DECISION.scores(FitInputs(), np.asarray(values, dtype=float)[:, None])[:, 0]


# --- which method -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "n_classes", "method"),
    [
        (LogisticRegression(), 2, "decision_function"),
        (LogisticRegression(), 3, "predict_proba"),
        (LinearSVC(), 2, "decision_function"),
        (LinearSVC(), 3, "decision_function"),
        (RandomForestClassifier(), 2, "predict_proba"),
        (RandomForestClassifier(), 3, "predict_proba"),
        (IsolationForest(), 2, "decision_function"),
    ],
    ids=str,
)
def test_margins_are_preferred_of_two_classes_and_probabilities_of_more(
    estimator, n_classes, method
):
    assert Response.of(estimator, "auto", n_classes).method == method
    for wanted in ("decision_function", "predict_proba"):
        if hasattr(estimator, wanted):
            assert Response.of(estimator, wanted, n_classes).method == wanted
        else:
            with pytest.raises(TypeError, match=f"has no {wanted}, and so no scores"):
                Response.of(estimator, wanted, n_classes)


def test_what_has_no_scores_is_an_error():
    with pytest.raises(TypeError, match="has no decision_function and no predict_proba"):
        Response.of(LinearRegression(), "auto", 2)
    with pytest.raises(ValueError, match="response_method must be one of auto"):
        Response.of(LogisticRegression(), "predict", 2)


# --- columns ----------------------------------------------------------------------------------


def test_of_two_classes_the_second_is_scored():
    for response in (DECISION, PROBABILITY):
        scores = response.scores(TRAINED, X)
        raw = getattr(TRAINED, response.method)(X)
        raw = raw[:, 1] if raw.ndim == 2 else raw
        assert scores.shape == (120, 1)
        np.testing.assert_allclose(scores[:, 0], raw, rtol=2.0**-40)
    # One column and two say the same.
    one = DECISION.scores(FitInputs(1), X)
    two = DECISION.scores(FitInputs(2), X[:, ::-1])
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("n_columns", [None, 2])
def test_columns_that_are_not_one_a_class_are_an_error(n_columns):
    with pytest.raises(ValueError, match="must return one column for each of the 3 classes"):
        Response("decision_function", 3).scores(FitInputs(n_columns), X3)


def test_three_columns_of_two_classes_are_an_error():
    with pytest.raises(ValueError, match=r"one column of scores for two classes, .* \(120, 3\)"):
        DECISION.scores(FitInputs(3), np.ones((120, 3)))


def test_comparisons_of_pairs_are_an_error_that_names_the_remedy():
    items, labels = make_items(200, 4)
    pairs = SVC(decision_function_shape="ovo").fit(items, labels)
    with pytest.raises(ValueError, match=r"got shape \(200, 6\).*decision_function_shape='ovr'"):
        Response("decision_function", 4).scores(pairs, items)
    rest = SVC(decision_function_shape="ovr").fit(items, labels)
    assert Response("decision_function", 4).scores(rest, items).shape == (200, 4)


# --- rounding ---------------------------------------------------------------------------------


def test_scores_are_rounded_to_forty_bits(global_random_seed):
    values = np.random.default_rng(global_random_seed).normal(size=2000) * 10.0 ** np.arange(
        -10, 10
    ).repeat(100)
    got = rounded(values)
    assert (np.abs(got - values) <= 2.0**-40 * np.abs(values)).all()
    assert (got != values).mean() > 0.9
    # Once is enough, and the sign does not matter.
    assert np.array_equal(rounded(got), got)
    assert np.array_equal(rounded(-values), -got)
    assert (np.diff(rounded(np.sort(values))) >= 0.0).all()


def test_a_row_has_its_score_whatever_stands_beside_it(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    items, labels = rng.normal(size=(400, 50)), rng.integers(2, size=400)
    trained = LogisticRegression().fit(items, labels)
    together = DECISION.scores(trained, items)
    alone = np.concatenate([DECISION.scores(trained, items[[i]]) for i in range(400)])
    # Matrix products differ in their last bits, and nearly never in forty.
    assert np.mean(together == alone) > 0.99


# --- what scores are --------------------------------------------------------------------------


def test_only_log_odds_are_log_odds(global_random_seed):
    def kind(estimator, response=DECISION):
        return response.score_kind(estimator, X, response.scores(estimator, X))

    items, labels = make_items(100, random_state=global_random_seed)
    assert kind(TRAINED) == "log_odds"
    assert kind(FrozenEstimator(TRAINED)) == "log_odds"
    assert kind(TRAINED, PROBABILITY) == "auto"
    # Of more than two classes those of a decision function need not be one against the rest.
    three = LogisticRegression().fit(X, np.arange(len(X)) % 3)
    assert kind(three, Response("decision_function", 3)) == "auto"
    assert kind(LinearSVC().fit(items, labels)) == "margin"
    assert kind(SVC().fit(items, labels)) == "margin"
    assert (
        kind(IsolationForest(n_estimators=10, random_state=global_random_seed).fit(items)) == "auto"
    )


def test_the_classes_that_an_estimator_knows():
    assert known_classes(TRAINED).tolist() == [0, 1]
    assert known_classes(FrozenEstimator(TRAINED)).tolist() == [0, 1]
    assert known_classes(IsolationForest()).tolist() == [-1, 1]
    forest = IsolationForest(n_estimators=5).fit(X)
    assert known_classes(FrozenEstimator(forest)).tolist() == [-1, 1]
    assert known_classes(LogisticRegression()) is None
