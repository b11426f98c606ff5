"""The error of scores that are predicted probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_spe import ActiveTestSelector
from tests.calibration.data import QUIET
from tests.performance.data import (
    BOTH_KINDS,
    LABELS,
    PARTIAL,
    SCORES,
    make_mixture,
    make_performance,
)

pytestmark = QUIET

ORACLES = {"brier_score": brier_score_loss, "log_loss": log_loss}
EVERY = pytest.mark.parametrize(("name", "score"), ORACLES.items(), ids=ORACLES)
# Too sure, and now and then certain.
PREDICTED = np.clip(special.expit(2.0 * SCORES - 2.0), 0.01, 0.99).round(2)
PREDICTED[[0, 1]] = 0.0, 1.0


@BOTH_KINDS
@EVERY
def test_of_known_labels_it_is_that_of_scikit_learn(name, score, experts):
    weights = np.arange(1, 201) % 3 + 0.5
    performance = make_performance(experts=experts).fit(PREDICTED, LABELS, weights)
    estimate = performance.estimate(name)
    expected = score(LABELS, PREDICTED, sample_weight=weights)
    assert_allclose([estimate.value, *estimate.interval()], expected, rtol=1e-12)
    recalibrated = performance.mixture_.predict_proba(PREDICTED)[:, 1]
    again = performance.estimate(
        name, predicted=lambda scores: performance.mixture_.predict_proba(scores)[:, 1]
    )
    assert_allclose(again.value, score(LABELS, recalibrated, sample_weight=weights), rtol=1e-9)


@EVERY
def test_many_distinct_scores_are_taken_as_they_are(name, score):
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 0.3, 6000)
    labels = (rng.random(6000) < scores).astype(int)
    performance = make_performance(experts=None, n_draws=20).fit(scores, labels)
    assert_allclose(performance.estimate(name).value, score(labels, scores), rtol=1e-12)
    half = make_performance(experts=None, n_draws=20).fit(
        scores, np.where(scores < 0.5, labels, -1)
    )
    assert_allclose(half.estimate(name).draws, half.estimate(score).draws, rtol=1e-12)


@BOTH_KINDS
@EVERY
def test_its_draws_are_those_of_scikit_learn_on_completed_labels(name, score, experts):
    performance = make_performance(experts=experts).fit(PREDICTED, PARTIAL)
    draws = performance.estimate(name).draws
    assert_allclose(draws, performance.estimate(score).draws, rtol=1e-12)
    assert np.ptp(draws) > 0.01
    turned = make_performance(make_mixture(experts), greater_is_positive=False)
    assert_allclose(turned.fit(1.0 - PREDICTED, PARTIAL).estimate(name).draws, draws, rtol=1e-9)


@EVERY
def test_of_the_population_of_a_mixture_it_is_that_of_new_items(name, score, global_random_seed):
    predicted = special.expit(SCORES - 1.0)
    performance = make_performance(experts=None).fit(predicted, PARTIAL)
    rng = np.random.default_rng(global_random_seed)
    scores, labels = performance.posterior_.rvs(rng, 200_000)
    right = np.where(labels == 1, scores, 1.0 - scores)
    losses = (1.0 - right) ** 2 if name == "brier_score" else -np.log(right)
    mean = performance.estimate(name, target="population").mean()
    # Five standard errors; items between two scores of the sample lose as the lower one.
    tolerance = 5.0 * losses.std() / np.sqrt(len(losses)) + 0.003
    assert abs(mean - losses.mean()) < tolerance


@EVERY
def test_of_the_population_of_experts_it_is_that_of_scores_like_these(name, score):
    performance = make_performance().fit(PREDICTED, PARTIAL)
    estimate = performance.estimate(name, target="population")
    p = performance.posterior_.expected_probability(PREDICTED)
    inner = np.clip(PREDICTED, np.finfo(float).eps, 1.0 - np.finfo(float).eps)
    losses = {
        "brier_score": ((1.0 - PREDICTED) ** 2, PREDICTED**2),
        "log_loss": (-np.log(inner), -np.log1p(-inner)),
    }[name]
    expected = np.mean(p * losses[0] + (1.0 - p) * losses[1])
    # Each draw takes the items by weights of its own, on the mean the same for all.
    tolerance = 5.0 * estimate.standard_error / np.sqrt(performance.posterior_.ess)
    assert abs(estimate.mean() - expected) < tolerance < 0.2 * estimate.mean()


def test_scores_that_are_no_probabilities_are_refused_with_the_remedy():
    performance = make_performance().fit(SCORES, PARTIAL)
    message = r"run from -2\.25246 to .*expit.*SemisupervisedCalibratedClassifier has estimate"
    with pytest.raises(ValueError, match=message):
        performance.estimate("brier_score")
    estimate = performance.estimate("brier_score", predicted=special.expit)
    expected = (
        make_performance().fit(SCORES, LABELS).estimate("brier_score", predicted=special.expit)
    )
    assert_allclose(expected.value, brier_score_loss(LABELS, special.expit(SCORES)), rtol=1e-12)
    low, high = estimate.interval(0.999)
    assert low < expected.value < high


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.curve("brier_score"), r"one number, not a curve; use estimate\('brier_score'"),
        (lambda p: p.estimate("log_loss", threshold=0.5), "does not take threshold="),
        (lambda p: p.goal_probability(log_loss=0.5), "'log_loss' is not a metric of the decision"),
        (lambda p: p.estimate("roc_auc", predicted=abs), "does not take predicted="),
        (
            lambda p: p.estimate("brier_score", predicted=lambda s: 2.0 * s),
            "the values of predicted= run from 0 to 2",
        ),
        (
            lambda p: p.estimate("brier_score", predicted=lambda s: 0.5),
            r"one probability for each of \d+ scores, got an array of shape \(\)",
        ),
    ],
)
def test_it_is_a_number_of_all_items(ask, message):
    performance = make_performance(experts=None).fit(PREDICTED, PARTIAL)
    with pytest.raises(ValueError, match=message):
        ask(performance)


@EVERY
def test_items_to_label_may_be_chosen_for_it(name, score):
    model = make_mixture(n_draws=50)
    chosen = ActiveTestSelector(name, label_model=model, random_state=0).fit(PREDICTED)
    for _ in range(2):
        items = chosen.query(20)
        chosen.update(items, LABELS[items])
    labelled = chosen.performance_.posterior_.sample.n_labeled
    low, high = chosen.estimate_.interval(0.999)
    assert (labelled, low < chosen.estimate_.value < high) == (40, True)
    rest = chosen.query(chosen.n_left_)
    chosen.update(rest, LABELS[rest])
    assert_allclose(chosen.estimate_.value, score(LABELS, PREDICTED), rtol=1e-9)
    assert_allclose(chosen.naive_estimate_, score(LABELS, PREDICTED), rtol=1e-9)
