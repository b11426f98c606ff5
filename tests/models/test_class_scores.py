"""What is read of probabilities and logits."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from sklearn_spe.data._class_scores import ClassScores
from sklearn_spe.experts import RankProcess
from sklearn_spe.models._class_model import TEXTS, _of_error_model
from sklearn_spe.results._verdict import Reason
from tests.quick import QUIET, RANKS

pytestmark = QUIET
NAMES = np.array(["a", "b", "c"])


def test_rows_that_sum_to_one_are_probabilities_and_others_logits(problem):
    classes = np.arange(4)
    said, logits = (ClassScores.read(X, classes) for X in (problem.proba, problem.logits))
    assert (said.read_as, logits.read_as) == ("probabilities", "logits")
    for name in ("log_proba", "error_log_odds", "predicted"):
        assert_allclose(getattr(said, name), getattr(logits, name), atol=1e-12)
    top = problem.proba.max(axis=1)
    assert_allclose(said.error_log_odds, np.log((1.0 - top) / top))


def test_a_sure_classifier_keeps_its_digits():
    # One less the largest probability would be zero.
    scores = ClassScores.read([[1.0, 1e-30, 1e-40], [0.6, 0.3, 0.1], [1.0, 0.0, 0.0]], NAMES)
    assert_allclose(scores.error_log_odds[0], np.log(1e-30))
    assert_allclose(scores.error_log_odds[2], np.log(1e-30 / 2.0))


def test_a_number_added_to_a_row_of_logits_ranks_nothing_anew(problem):
    shift = np.random.default_rng(problem.seed).normal(scale=30.0, size=(len(problem.logits), 1))
    scores = ClassScores.read(problem.logits + shift, np.arange(4))
    assert_allclose(scores.ranked_by, special.logit(problem.proba), rtol=1e-7, atol=1e-9)
    assert_allclose(scores.proba, problem.proba, rtol=1e-9)
    # Of softmax the first two would be 1.
    sure = ClassScores.read([[90.0, 0.0, 1.0], [80.0, 1.0, 0.0], [1.0, 0.0, 0.5]], NAMES)
    assert_array_equal(np.argsort(-sure.ranked_by[:, 0]), [0, 1, 2])


def test_columns_of_a_frame_are_found_by_their_names():
    rows = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]])
    frame = pd.DataFrame(rows[:, ::-1], columns=list("cba"))
    assert_array_equal(ClassScores.read(frame, NAMES).scores, rows)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[0.5, 0.5], [0.4, 0.6]], "one column for each"),
        ([[0.5, 0.5, 0.5], [0.4, 0.6, 0.1]], "do not sum to one"),
        ([[0.5, np.nan, 0.5]], "finite"),
        ([[1.0, -np.inf, 0.5]], "finite"),
    ],
)
def test_what_cannot_be_read_is_refused(X, said):
    with pytest.raises(ValueError, match=said):
        _ = ClassScores.read(X, NAMES).error_log_odds


def test_labels_that_do_not_fit_are_refused(problem):
    outside = np.where(np.arange(400) == 3, 9, problem.partial)
    with pytest.raises(ValueError, match="not among classes"):
        problem.model(outside)
    with pytest.raises(ValueError, match="not sorted"):
        problem.model(classes=[3, 2, 1, 0])
    with pytest.raises(ValueError, match="pos_label"):
        problem.model(pos_label=1)
    with pytest.raises(ValueError, match="whole numbers"):
        problem.model(sample_weight=np.full(400, 0.5))
    with pytest.raises(ValueError, match="Pass -X"):
        problem.model(greater_is_positive=False)
    with pytest.raises(ValueError, match="one column for each"):
        problem.model(classes=[0, 1, 2, 3, 4])


def test_a_class_that_is_never_labeled_is_named(problem):
    without = np.where(problem.labels == 2, -1, problem.partial)
    model = problem.model(without)
    (reason,) = (r for r in model.verdict.reasons if r.name == "unlabeled_classes")
    assert "(2)" in reason.text


def test_a_verdict_speaks_of_predictions_and_confidence(problem):
    right, known = problem.predicted, problem.partial >= 0
    sure = problem.proba.max(axis=1)
    wrong = np.where(sure > np.median(sure), (right + 1) % 4, right)
    found = {}
    for labels in (right, wrong, problem.labels):
        y = np.where(known, labels, -1)
        model = problem.model(y, experts=(RANKS, RankProcess(n_curves=1024)))
        found |= {reason.name: reason.text for reason in model.verdict.reasons}
        item = model.suspect_labels.item
        assert_array_equal(model.suspect_labels.label, y[item])
    assert "All of 60 labeled predictions are right" in found["one_class"]
    assert "columns of X are the classes in their sorted order" in found["inverted_scores"]
    assert not re.search("positive|negative|scores", " ".join(found.values()))


@pytest.mark.parametrize("reason", TEXTS, ids=str)
def test_no_reason_speaks_of_two_classes(reason):
    details = {"n": 1.0, "found": 1.0, "mean": 0.5, "kind": "More", "expert": "an expert"}
    details |= {"share": 0.5, "without": 0.5, "middle": 0.5, "sure": "lowest", "where": "there"}
    text = " ".join(TEXTS[reason]).format(value=0.5, **details)
    assert not re.search("positive|negative|score", text)


@pytest.mark.parametrize(
    ("details", "where"),
    [
        ({}, "wrong among all items than"),
        ({"ends": (0.0, 0.02)}, "between the 0% and 2% of the items with lowest confidence"),
        ({"half": "upper", "category": "cats"}, "in the half with lower confidence of 'cats'"),
    ],
)
def test_the_highest_scores_of_the_error_model_are_the_lowest_confidence(details, where):
    found = Reason("labels_bet", "misfit", "", 40.0, 33.0, details={"kind": "More", **details})
    assert where in _of_error_model(found).text


def test_predicted_classes_of_as_many_models_are_asked_about():
    classes = np.arange(3)
    predicted = np.array([[0, 0, 1], [2, 2, 2], [1, 0, 1], [0, 2, 0]])
    with pytest.raises(ValueError, match="predicted classes of as many models, or scores"):
        ClassScores.read(predicted, classes)
    # Votes have the same sum, one-hot rows are probabilities, and names are no numbers.
    votes = np.array([[2, 0, 0], [1, 1, 0], [0, 1, 1]])
    for scores in (votes, np.eye(3), predicted + 0.5):
        assert ClassScores.read(scores, classes).scores.shape == scores.shape
    assert ClassScores.read(predicted, np.array(["a", "b", "c"])).read_as == "logits"
