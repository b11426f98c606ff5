"""Rankings of one system or category of a fit."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.models import Ranking
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


def test_a_ranking_is_a_value_that_an_update_does_not_change(table, fitted):
    frame, _, truth = table
    later = pickle.loads(pickle.dumps(fitted))
    ranking = later.of(system="good", category="odd")
    before = ranking.estimate("roc_auc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        later.update(frame, truth)
    assert np.array_equal(ranking.estimate("roc_auc").draws, before.draws)
    again = pickle.loads(pickle.dumps(ranking))
    assert repr(again) == repr(ranking) == "Ranking(system='good', category='odd')"
    assert np.array_equal(again.estimate("roc_auc").draws, before.draws)
    assert before.standard_error > 0.0
    updated = later.of(system="good", category="odd").estimate("roc_auc")
    assert updated.standard_error == pytest.approx(0.0, abs=1e-12)


def test_the_estimator_answers_as_its_only_ranking(table):
    frame, y, _ = table
    one = estimator().fit(frame["good"], y)
    ranking = one.of()
    assert isinstance(ranking, Ranking)
    for ask in (
        lambda p: p.estimate("f1", threshold=1.0).draws,
        lambda p: p.curve("roc").draws,
        lambda p: p.threshold_for(recall=0.3, confidence_level=0.5),
        lambda p: p.selection(1.0),
        lambda p: p.goal_probability(recall=0.3).value,
        lambda p: p.plan([5, 10]),
        lambda p: p.calibration_curve().value,
        lambda p: p.confusion_matrix(threshold=1.0).value,
    ):
        assert np.array_equal(ask(one), ask(ranking))
    with pytest.raises(AttributeError):
        ranking.model = None


def test_score_is_the_mean_over_systems(table, fitted):
    frame, _, truth = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = estimator().fit(frame, truth)
    assert known.score(frame, truth) == pytest.approx(0.0, abs=1e-12)
    assert fitted.score(frame, truth) < 0.0
    with pytest.raises(ValueError, match="feature names"):
        fitted.score(frame[["good"]], truth)


def test_experts_that_need_a_fit_are_not_dropped_silently(table):
    frame, y, _ = table
    mixture = SemisupervisedScoreMixture(experts=["sharp_mixture", "rank_binormal"])
    with pytest.raises(ValueError, match="got sharp_mixture"):
        PerformanceCurveEstimator(mixture).fit(frame, y)
