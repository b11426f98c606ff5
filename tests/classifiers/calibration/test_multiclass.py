"""Three classes: each against the rest, and normalized."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from sklearn_spe import PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = QUIET


def against_the_rest(rows, label):
    return np.where(rows.partial3 < 0, np.nan, label == rows.partial3)


@pytest.fixture(scope="module")
def fitted(rows):
    return rows.calibrated(FrozenEstimator(rows.trained3), rows.experts).fit(rows.X3, rows.partial3)


@pytest.fixture(scope="module")
def unfrozen(rows):
    return rows.calibrated(LogisticRegression(), rows.experts, cv=2).fit(rows.X3, rows.partial3)


def test_each_class_is_a_mixture_against_the_rest_and_they_are_normalised(rows, fitted):
    scores = rows.trained3.predict_proba(rows.X3)
    alone = [
        clone(rows.experts)
        .fit(scores[:, label], against_the_rest(rows, label))
        .predict_proba(scores[:, label])
        for label in range(3)
    ]
    positive = np.column_stack([p[:, 1] for p in alone])
    expected = positive / positive.sum(axis=1, keepdims=True)
    assert_allclose(fitted.predict_proba(rows.X3), expected, rtol=1e-6)
    assert fitted.predict(rows.X3).tolist() == expected.argmax(axis=1).tolist()
    assert fitted.classes_.tolist() == [0, 1, 2]


def test_the_intervals_are_quantiles_of_normalised_draws(rows, fitted):
    scores = rows.trained3.predict_proba(rows.X3)
    draws = []
    for mixture, column in zip(fitted.calibrated_classifiers_[0].mixtures, scores.T, strict=True):
        posterior = mixture.posterior_
        blocks = [posterior.positive_probability(column, block) for block in posterior.blocks()]
        draws.append(np.concatenate(blocks))
    draws = np.stack(draws) / np.sum(draws, axis=0)
    expected = np.quantile(draws, [0.1, 0.9], axis=1, method="hazen")
    lower, upper = fitted.predict_proba_interval(rows.X3, 0.8)
    assert_allclose([lower.T, upper.T], expected, rtol=1e-5)


def test_the_macro_average_is_the_mean_of_the_draws_of_all_classes(fitted):
    for metric in ("average_precision", "roc_auc"):
        by_class = [fitted.estimate(metric, pos_label=label).draws for label in range(3)]
        macro = fitted.estimate(metric)
        assert_allclose(macro.draws, np.mean(by_class, axis=0), rtol=1e-12)
        assert_allclose(macro.mean(), np.mean(by_class), rtol=1e-12)
    by_class = [fitted.curve("roc", pos_label=label) for label in range(3)]
    macro = fitted.curve("roc")
    assert_allclose(macro.draws, np.mean([band.draws for band in by_class], axis=0), rtol=1e-12)
    assert np.array_equal(macro.x, by_class[0].x)


def test_the_macro_average_of_folds_is_the_mean_of_classes_pooled(unfrozen):
    by_class = [unfrozen.estimate("roc_auc", pos_label=label) for label in range(3)]
    macro = unfrozen.estimate("roc_auc")
    # All draws have the same weight: each of one class meets one of the others.
    assert_allclose(macro.mean(), np.mean([e.mean() for e in by_class]), rtol=1e-9)
    assert macro.draws.shape == by_class[0].draws.shape
    # Errors of classes are independent: the mean of three is known better than any of them.
    assert macro.standard_error < max(e.standard_error for e in by_class)


def test_a_class_that_was_never_labeled_is_one_of_the_frozen_classifier(rows):
    y = np.where(rows.partial3 == 2, -1, rows.partial3)
    fitted = rows.calibrated(FrozenEstimator(rows.trained3)).fit(rows.X3, y)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert_allclose(fitted.predict_proba(rows.X3).sum(axis=1), 1.0, rtol=1e-12)


def test_the_worst_verdict_of_all_classes_is_reported(rows):
    # No label of one class: what its scores mean is a matter of belief.
    y = np.where(rows.partial3 == 2, -1, rows.partial3)
    fitted = rows.calibrated(FrozenEstimator(rows.trained3)).fit(rows.X3, y)
    by_class = [m.verdict_ for m in fitted.calibrated_classifiers_[0].mixtures]
    assert "one_class" in {reason.name for reason in by_class[2].reasons}
    assert fitted.verdict_ in ("unidentified", "misfit")
    told = {reason.name for reason in fitted.verdict_.reasons}
    assert told == {reason.name for verdict in by_class for reason in verdict.reasons}


def test_columns_of_a_decision_function_are_classes_against_the_rest(rows):
    svc = LinearSVC().fit(*rows.others(100, 3))
    fitted = rows.calibrated(FrozenEstimator(svc)).fit(rows.X3, rows.partial3)
    scores = svc.decision_function(rows.X3)
    positive = np.column_stack(
        [
            clone(rows.quick).fit(column, against_the_rest(rows, label)).predict_proba(column)[:, 1]
            for label, column in enumerate(scores.T)
        ]
    )
    expected = positive / positive.sum(axis=1, keepdims=True)
    assert_allclose(fitted.predict_proba(rows.X3), expected, rtol=1e-6)
    assert np.array_equal(fitted.decision_function(rows.X3), scores)


def test_three_classes_have_no_performance_in_common(fitted):
    with pytest.raises(AttributeError, match="single model of two classes; use curve and estimate"):
        fitted.performance_  # noqa: B018


def test_decisions_of_the_frozen_classifier_are_those_of_its_own_scores(rows, fitted):
    own = PerformanceCurveEstimator(classes=[0, 1, 2], n_draws=50, random_state=fitted.seed_)
    own.fit(rows.trained3.predict_proba(rows.X3), rows.partial3)
    for asked in ({"metric": "accuracy"}, {"metric": "recall", "pos_label": 1}):
        assert_allclose(fitted.estimate(**asked).draws, own.estimate(**asked).draws)
    weighted = fitted.estimate("f1", average="weighted", target="population")
    assert_allclose(
        weighted.draws, own.estimate("f1", average="weighted", target="population").draws
    )
    known = rows.calibrated(FrozenEstimator(rows.trained3), rows.experts).fit(rows.X3, rows.labels3)
    right = rows.trained3.score(rows.X3, rows.labels3)
    assert_allclose(known.estimate("accuracy").interval(), right)


def test_decisions_of_several_models_were_evaluated_by_no_label(unfrozen):
    with pytest.raises(ValueError, match="freeze one model"):
        unfrozen.estimate("accuracy")


def test_the_macro_average_of_prevalence_is_refused(fitted):
    with pytest.raises(ValueError, match="one over their number"):
        fitted.estimate("prevalence")
    assert 0.0 < fitted.estimate("prevalence", pos_label=1).value < 1.0


def test_the_verdict_names_the_class(rows):
    few = np.where(np.arange(120) < 3, 1, -1)
    verdict = (
        rows.calibrated(FrozenEstimator(rows.trained3), rows.experts).fit(rows.X3, few).verdict_
    )
    assert verdict.reasons
    assert all(r.text.startswith("Class ") for r in verdict.reasons)
    assert any(r.text.startswith("Class 2 against the rest: Only one") for r in verdict.reasons)
