"""The error of scores that are predicted probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_spe import ActiveTestSelector
from sklearn_spe.estimators._performance import performance_of
from tests.estimators.performance.data import BOTH_KINDS, KINDS
from tests.quick import QUIET, RANKS

pytestmark = QUIET

ORACLES = {"brier_score": brier_score_loss, "log_loss": log_loss}


@pytest.fixture(scope="module")
def predicted(problem):
    """Return probabilities that are too sure, and now and then certain."""
    found = np.clip(special.expit(2.0 * problem.scores - 2.0), 0.01, 0.99).round(2)
    found[[0, 1]] = 0.0, 1.0
    return found


@pytest.fixture(scope="module")
def of_probabilities(problem, predicted):
    return problem.performance().fit(predicted, problem.partial)


def test_of_known_labels_it_is_that_of_scikit_learn(problem, predicted):
    weights = np.arange(1, 201) % 3 + 0.5
    performance = problem.performance().fit(predicted, problem.labels, weights)

    def recalibrate(scores):
        return performance.mixture_.predict_proba(scores)[:, 1]

    for name, score in ORACLES.items():
        estimate = performance.estimate(name)
        expected = score(problem.labels, predicted, sample_weight=weights)
        assert_allclose([estimate.value, *estimate.interval()], expected, rtol=1e-12)
        again = performance.estimate(name, predicted=recalibrate)
        expected = score(problem.labels, recalibrate(predicted), sample_weight=weights)
        assert_allclose(again.value, expected, rtol=1e-9)


def test_many_distinct_scores_are_taken_as_they_are(problem):
    rng = np.random.default_rng(problem.seed)
    scores = rng.beta(0.3, 0.3, 6000)
    labels = (rng.random(6000) < scores).astype(int)
    performance = problem.performance(experts=[RANKS], n_draws=20)
    performance.fit(scores, np.where(scores < 0.5, labels, -1))
    for name, score in ORACLES.items():
        draws = performance.estimate(score).draws
        assert_allclose(performance.estimate(name).draws, draws, rtol=1e-12)
    performance.update(scores, labels)
    for name, score in ORACLES.items():
        assert_allclose(performance.estimate(name).value, score(labels, scores), rtol=1e-12)


@BOTH_KINDS
def test_its_draws_are_those_of_scikit_learn_on_completed_labels(problem, predicted, experts):
    performance = problem.performance(experts=experts, n_draws=20).fit(predicted, problem.partial)
    mixture = problem.mixture(experts=experts, n_draws=20)
    flipped = problem.performance(mixture, greater_is_positive=False)
    flipped.fit(1.0 - predicted, problem.partial)
    for name, score in ORACLES.items():
        draws = performance.estimate(name).draws
        assert_allclose(draws, performance.estimate(score).draws, rtol=1e-12)
        assert np.ptp(draws) > 0.0
        assert_allclose(flipped.estimate(name).draws, draws, rtol=1e-9)


@pytest.mark.parametrize(("kind", "flipped"), [("experts", True), ("bare", False)])
def test_of_the_other_class_it_is_that_of_what_is_left_to_one(problem, predicted, kind, flipped):
    scores = 1.0 - predicted if flipped else predicted
    mixture = problem.mixture(experts=KINDS[kind], greater_is_positive=not flipped)
    known = problem.performance(mixture).fit(scores, problem.labels)
    partly = problem.performance(mixture).fit(scores, problem.partial)
    for name, score in ORACLES.items():
        other = performance_of(known.mixture_, pos_label=0)
        expected = score(1 - problem.labels, 1.0 - predicted)
        assert_allclose(other.estimate(name).value, expected, rtol=1e-9)
        other = performance_of(partly.mixture_, pos_label=0)
        # Losses of both classes are the same, whatever the labels are.
        of_one, of_other = partly.estimate(name), other.estimate(name)
        error = of_one.standard_error / np.sqrt(partly.posterior_.ess)
        assert abs(of_one.mean() - of_other.mean()) < 7.0 * error


def test_of_the_population_of_a_mixture_it_is_that_of_new_items(problem):
    predicted = special.expit(problem.scores - 1.0)
    performance = problem.performance(experts=None).fit(predicted, problem.partial)
    rng = np.random.default_rng(problem.seed)
    scores, labels = performance.posterior_.rvs(rng, 200_000)
    right = np.where(labels == 1, scores, 1.0 - scores)
    for name, losses in (("brier_score", (1.0 - right) ** 2), ("log_loss", -np.log(right))):
        mean = performance.estimate(name, target="population").mean()
        # Five standard errors; items between two scores of the sample lose as the lower one.
        tolerance = 5.0 * losses.std() / np.sqrt(len(losses)) + 0.003
        assert abs(mean - losses.mean()) < tolerance


def test_of_the_population_of_experts_it_is_that_of_scores_like_these(predicted, of_probabilities):
    p = of_probabilities.posterior_.expected_probability(predicted)
    inner = np.clip(predicted, np.finfo(float).eps, 1.0 - np.finfo(float).eps)
    losses = {
        "brier_score": ((1.0 - predicted) ** 2, predicted**2),
        "log_loss": (-np.log(inner), -np.log1p(-inner)),
    }
    for name, (of_positive, of_negative) in losses.items():
        estimate = of_probabilities.estimate(name, target="population")
        expected = np.mean(p * of_positive + (1.0 - p) * of_negative)
        # Each draw takes the items by weights of its own, on the mean the same for all.
        tolerance = 5.0 * estimate.standard_error / np.sqrt(of_probabilities.posterior_.ess)
        assert abs(estimate.mean() - expected) < tolerance


def test_scores_that_are_no_probabilities_are_refused_with_the_remedy(problem):
    performance = problem.performance().fit(problem.scores, problem.partial)
    message = r"run from -\d.* to .*expit.*SemisupervisedCalibratedClassifier has estimate"
    with pytest.raises(ValueError, match=message):
        performance.estimate("brier_score")
    performance.update(problem.scores, problem.labels)
    estimate = performance.estimate("brier_score", predicted=special.expit)
    expected = brier_score_loss(problem.labels, special.expit(problem.scores))
    assert_allclose(estimate.value, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.curve("brier_score"), r"a number, not a curve; use estimate\('brier_score'"),
        (lambda p: p.estimate("log_loss", threshold=0.5), "does not take threshold="),
        (lambda p: p.goal_probability(log_loss=0.5), "'log_loss' is not a metric of the decision"),
        (lambda p: p.estimate("roc_auc", predicted=abs), "does not take predicted="),
        (
            lambda p: p.estimate("brier_score", predicted=lambda s: 2.0 * s),
            "the values of predicted= run from 0 to 2",
        ),
    ],
)
def test_it_is_a_number_of_all_items(of_probabilities, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(of_probabilities)


@pytest.mark.parametrize("name", ORACLES)
def test_items_to_label_may_be_chosen_for_it(problem, predicted, name):
    model = problem.mixture(n_draws=50)
    chosen = ActiveTestSelector(name, label_model=model, random_state=problem.seed).fit(predicted)
    items = chosen.query(40)
    chosen.update(items, problem.labels[items])
    labeled = chosen.performance_.posterior_.sample.n_labeled
    low, high = chosen.estimate_.interval(0.999)
    assert (labeled, low < chosen.estimate_.value < high) == (40, True)
    rest = chosen.query(chosen.n_left_)
    chosen.update(rest, problem.labels[rest])
    expected = ORACLES[name](problem.labels, predicted)
    assert_allclose([chosen.estimate_.value, chosen.naive_estimate_], expected, rtol=1e-9)
