"""Scores that are all equal rank nothing, and what is asked of them has an answer."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    PerformanceReport,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from tests.quick import EXPERTS

N, N_LABELED = 100, 30


@pytest.fixture(scope="module")
def truth(global_random_seed):
    return (np.random.default_rng(global_random_seed).random(N) < 0.3).astype(int)


def partly(truth):
    return np.where(np.arange(N) < N_LABELED, truth, -1)


def estimator(n_draws=400, **parameters):
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=n_draws)
    return PerformanceCurveEstimator(mixture, random_state=0, **parameters)


@pytest.mark.parametrize("score", [0.0, 0.7, 1.0, -3.0, 1e6])
def test_of_one_score_all_is_known_once_all_labels_are(truth, score):
    fitted = estimator(n_draws=50).fit(np.full(N, score), truth)
    everything = np.ones(N)
    for metric, expected in {
        "roc_auc": 0.5,
        "average_precision": truth.mean(),
        "prevalence": truth.mean(),
    }.items():
        assert fitted.estimate(metric).value == pytest.approx(expected)
    for metric, of in (
        ("accuracy", metrics.accuracy_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
        ("cohen_kappa", metrics.cohen_kappa_score),
    ):
        found = fitted.estimate(metric, threshold=score)
        assert found.value == pytest.approx(of(truth, everything), abs=1e-12)
    assert fitted.estimate("specificity", threshold=score).value == 0.0


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize(
    "X",
    [
        lambda: np.full(N, 0.7),
        lambda: {0: np.full(N, 0.7), 1: np.full(N, 3.0)},
    ],
    ids=["one", "two"],
)
def test_the_share_of_positives_is_that_of_a_beta_posterior(truth, X, target):
    # One score is one cell, of which nothing but its share of positives is to be known.
    fitted = estimator(target=target).fit(X(), partly(truth)).of(system=0)
    n_positive = truth[:N_LABELED].sum()
    share = stats.beta(1 + n_positive, 1 + N_LABELED - n_positive)
    mean, std = share.mean(), share.std()
    if target == "sample":
        distribution = stats.betabinom(N - N_LABELED, 1 + n_positive, 1 + N_LABELED - n_positive)
        mean, std = (n_positive + distribution.mean()) / N, distribution.std() / N
    found = fitted.estimate("average_precision")
    assert found.mean() == pytest.approx(mean, abs=0.25 * std)
    assert found.standard_error == pytest.approx(std, rel=0.25)
    assert fitted.estimate("roc_auc").interval() == (0.5, 0.5)


def test_a_constant_column_is_said_and_not_warned_of(truth):
    alone = estimator(n_draws=50).fit(np.zeros(N), truth)
    assert alone.verdict_ == "ok"
    assert [reason.name for reason in alone.verdict_.reasons] == ["all_labeled", "one_score"]
    rng = np.random.default_rng(0)
    both = estimator(n_draws=50).fit({"a": truth + rng.normal(size=N), "b": np.zeros(N)}, truth)
    said = {reason.name: reason.text for reason in both.verdict_.reasons}
    assert said["one_score"].startswith("The system 'b' is constant, 0 for all items:")
    assert both.ranking_proba("roc_auc")[0, 1] == 1.0


def test_whatever_else_is_asked_is_answered(truth):
    fitted = estimator(n_draws=50).fit(np.full(N, 0.7), partly(truth))
    for curve in ("precision_recall", "roc", "det", "f1"):
        assert np.isfinite(fitted.curve(curve).value).all()
    assert fitted.threshold_for(recall=0.5) == 0.7
    assert fitted.plan(20) < np.ptp(fitted.estimate().interval())
    assert fitted.update(np.full(N, 0.7), truth).estimate().value == pytest.approx(truth.mean())
    assert "<!doctype html>" in PerformanceReport.from_estimator(fitted).to_html()


@pytest.mark.parametrize("category", [None, np.arange(N) % 2])
def test_a_selector_asks_for_items_and_answers(truth, category):
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=50)
    selector = ActiveTestSelector(label_model=mixture, n_draws=50, random_state=0)
    selector.fit(np.full(N, 0.7), category=category)
    items = selector.query(N)
    selector.update(items, truth[items])
    assert float(np.mean(selector.estimate_.value)) == pytest.approx(truth.mean())


def test_classifiers_of_constant_scores_answer(truth):
    X = np.zeros((N, 1))
    constant = FrozenEstimator(DummyClassifier().fit(X, truth))
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=200, random_state=0)
    calibrated = SemisupervisedCalibratedClassifier(constant, mixture=mixture).fit(X, truth)
    probability = calibrated.predict_proba(X)[:, 1]
    assert np.ptp(probability) == 0.0
    assert probability[0] == pytest.approx((1 + truth.sum()) / (2 + N), abs=0.03)
    promised = SemisupervisedThresholdClassifier(constant, recall=0.9, mixture=mixture)
    assert promised.fit(X, partly(truth)).predict(X).all()


def test_a_judge_that_says_one_thing_only_is_measured(truth):
    judges = {"all": np.ones(N, dtype=int), "good": truth}
    fitted = estimator(n_draws=50).fit(None, truth, judges=judges)
    judge = fitted.of(judge="all")
    assert judge.estimate("accuracy", threshold=1.0).value == pytest.approx(truth.mean())
    assert judge.estimate("cohen_kappa", threshold=1.0).value == 0.0


@pytest.mark.parametrize("parameters", [{"experts": None}, {"method": "em"}])
def test_families_have_nothing_to_fit(truth, parameters):
    with pytest.raises(ValueError, match=r"All scores are 0\.7, but families"):
        SemisupervisedScoreMixture(**parameters).fit(np.full(N, 0.7), truth)
