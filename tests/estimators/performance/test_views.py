"""Estimators that answer for one system or category of a fit."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.exceptions import RemovedLabelsWarning
from tests.quick import QUIET, RANKS

# What a verdict says of so few labels is not the question here.
pytestmark = QUIET

N = 120


@pytest.fixture(scope="module")
def table(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(N) % 3 == 0
    good = rng.normal(size=N) + 2.0 * y
    frame = pd.DataFrame({"good": good, "bad": good + 3.0 * rng.normal(size=N)})
    return frame, np.where(np.arange(N) < 40, y, -1).astype(int), y.astype(int)


@pytest.fixture(scope="module")
def fitted(table):
    frame, y, _ = table
    category = np.where(np.arange(N) % 2, "odd", "even")
    return estimator().fit(frame, y, category=category)


def estimator():
    quick = {"experts": [RANKS], "n_draws": 60, "random_state": 0}
    mixture = SemisupervisedScoreMixture("norm", "norm", **quick)
    return PerformanceCurveEstimator(mixture, n_points=10)


def test_a_view_is_a_copy_and_keeps_what_it_shows(table, fitted):
    frame, _, truth = table
    view = fitted.of(system="good", category="odd")
    assert fitted.of() is not fitted
    assert view.estimate("roc_auc").value == pytest.approx(
        fitted.estimate("roc_auc", system="good", category="odd").value
    )
    # A category may be said before a system.
    assert fitted.of(category="odd").estimate("roc_auc", system="good").value == pytest.approx(
        view.estimate("roc_auc").value
    )
    again = pickle.loads(pickle.dumps(view)).update(frame, truth)
    assert (again.shown_.key.system, again.shown_.key.category) == ("good", "odd")
    assert again.estimate("roc_auc").standard_error == pytest.approx(0.0, abs=1e-12)
    assert view.estimate("roc_auc").standard_error > 0.0


def test_one_named_column_is_a_system_of_that_name(table):
    frame, y, _ = table
    one = estimator().fit(frame[["good"]], y)
    assert one.systems_ == ("good",)
    assert one.of(system="good").estimate().value == pytest.approx(one.estimate().value)
    with pytest.raises(ValueError, match="system= requires a fit with it"):
        one.of(system="bad")


def test_the_ranking_of_systems_is_no_attribute_of_a_view(fitted):
    assert fitted.ranking_proba_.shape == (2, 2)
    assert not hasattr(fitted.of(system="good"), "ranking_proba_")


def test_score_is_that_of_the_system_that_is_shown(table, fitted):
    frame, _, truth = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = estimator().fit(frame, truth)
    assert known.of(system="bad").score(frame, truth) == pytest.approx(0.0, abs=1e-12)
    assert fitted.of(system="bad").score(frame, truth) < 0.0
    with pytest.raises(ValueError, match="one category"):
        fitted.of(system="bad", category="odd").score(frame, truth)


def test_experts_that_need_a_fit_are_not_dropped_silently(table):
    frame, y, _ = table
    mixture = SemisupervisedScoreMixture(experts=["sharp_mixture", "rank_binormal"])
    with pytest.raises(ValueError, match="got sharp_mixture"):
        PerformanceCurveEstimator(mixture).fit(frame, y)


@pytest.mark.parametrize("columns", [["good"], ["good", "bad"]])
def test_removed_labels_are_reported_where_update_was_called(table, columns):
    frame, y, _ = table
    one = estimator().fit(frame[columns], y)
    with pytest.warns(RemovedLabelsWarning, match="10 of 40 items") as caught:
        one.update(frame[columns], np.where(np.arange(N) < 30, y, -1))
    told = [w for w in caught if w.category is RemovedLabelsWarning]
    assert [w.filename for w in told] == [__file__]
