"""Some labelled: what is known stays, the rest is drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics

from tests.estimators.performance.data import BOTH_KINDS, KINDS
from tests.quick import QUIET

pytestmark = QUIET


def test_known_labels_stay(problem):
    # All but two items are labelled: four completions, and no curve but theirs.
    y = problem.labels.copy()
    y[[3, 50]] = -1
    possible = []
    for first in (0, 1):
        for second in (0, 1):
            y_true = problem.labels.copy()
            y_true[[3, 50]] = first, second
            possible.append(sklearn_metrics.average_precision_score(y_true, problem.scores))
    draws = problem.performance().fit(problem.scores, y).estimate("average_precision").draws
    distance = np.abs(draws[:, np.newaxis] - possible).min(axis=1)
    assert distance.max() < 1e-12


@pytest.mark.parametrize(
    ("scores", "weight", "kind"), [("scores", 1.0, "bare"), ("tied", 2.5, "experts")]
)
def test_labels_are_drawn_with_the_probability_of_their_score(problem, scores, weight, kind):
    scores = getattr(problem, scores)
    performance = problem.performance(experts=KINDS[kind], n_draws=60).fit(
        scores, problem.partial, sample_weight=np.full(200, weight)
    )
    posterior = performance.posterior_
    expected = np.concatenate(
        [posterior.positive_probability(scores[30:], b).mean(axis=1) for b in posterior.blocks()]
    )
    drawn = (performance.estimate("prevalence").draws * 200 - problem.labels[:30].sum()) / 170
    # At least 170 coins for each of 60 draws; a normal is beyond 5 once in a million.
    assert abs((drawn - expected).mean()) < 5.0 * np.sqrt(0.25 / 170 / 60)


def test_precision_at_a_recall_is_that_at_the_highest_threshold_that_reaches_it(problem):
    rng = np.random.default_rng(problem.seed)
    scores, labels = np.round(rng.normal(size=60), 1), rng.integers(0, 2, 60)
    performance = problem.performance(n_points=60).fit(scores, labels)
    for r in (0.01, 0.2, 0.5, 0.777, 1.0, 1.0 / labels.sum(), 3.0 / labels.sum()):
        for threshold in np.unique(scores)[::-1]:
            above = scores >= threshold
            if labels[above].sum() >= r * labels.sum() - 1e-9:
                break
        estimate = performance.estimate("precision", recall=r)
        assert_allclose(estimate.value, labels[above].mean(), atol=1e-12)


def test_recall_at_a_precision_is_the_largest_that_reaches_it(problem):
    rng = np.random.default_rng(problem.seed)
    labels = rng.integers(0, 2, 60)
    scores = np.round(rng.normal(labels), 1)
    performance = problem.performance().fit(scores, labels)
    for p in (0.3, 0.6, 0.8):
        recalls = [
            labels[scores >= t].sum() / labels.sum()
            for t in np.unique(scores)
            if labels[scores >= t].mean() >= p
        ]
        assert_allclose(performance.estimate("recall", precision=p).value, max(recalls))


@pytest.mark.parametrize(("scores", "experts"), [("scores", None), ("tied", KINDS["experts"])])
def test_a_callable_sees_the_same_completed_labels_as_the_named_metric(problem, scores, experts):
    scores = getattr(problem, scores)
    performance = problem.performance(experts=experts, n_draws=20).fit(scores, problem.partial)
    for name in ("average_precision", "roc_auc"):
        function = getattr(sklearn_metrics, f"{name}_score")
        by_call = performance.estimate(function)
        assert by_call.name == function.__name__
        assert_allclose(by_call.draws, performance.estimate(name).draws, rtol=0.0, atol=1e-12)


def test_a_callable_gets_fractions_of_items_as_sample_weight(problem):
    performance = problem.performance(n_draws=20).fit(
        problem.scores, problem.partial, sample_weight=np.full(200, 0.5)
    )
    by_call = performance.estimate(sklearn_metrics.average_precision_score)
    assert_allclose(by_call.draws, performance.estimate("average_precision").draws, atol=1e-12)


def test_score_is_minus_the_mean_distance_to_the_true_curve(problem, fitted):
    truth = problem.performance(experts=None).fit(problem.scores, problem.labels).curve().value
    expected = -np.abs(fitted.curve().value - truth).mean()
    assert fitted.score(problem.scores, problem.labels) == pytest.approx(expected, abs=1e-12)


# --- what is not defined ------------------------------------------------------------------------


@BOTH_KINDS
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_a_draw_without_any_positive_follows_zero_division(problem, experts):
    # Eleven of twelve are known to be negative: the last may well be, too.
    scores, y = np.arange(12.0), np.full(12, -1)
    y[:11] = 0
    mixture = problem.mixture(experts=experts, n_draws=400, classes=[0, 1])
    with pytest.warns(UserWarning, match=r"\(one class\)"):
        performance = problem.performance(mixture).fit(scores, y)
    none = performance.estimate("prevalence").draws == 0.0
    weight = performance.posterior_.weights[none].sum()
    assert 0.01 < weight < 0.99

    for name, as_in_scikit_learn in {"average_precision": 0.0, "roc_auc": np.nan}.items():
        estimate = performance.estimate(name)
        assert estimate.undefined == pytest.approx(weight, abs=1e-12)
        assert_allclose(estimate.draws[none], as_in_scikit_learn)
        assert np.isfinite(estimate.draws[~none]).all()
    assert (performance.estimate("average_precision", zero_division=1.0).draws[none] == 1.0).all()
    left_out = performance.estimate("average_precision", zero_division=np.nan)
    assert np.isnan(left_out.draws[none]).all()
    assert np.isfinite(left_out.value)
    assert np.isfinite(left_out.interval()).all()

    band = performance.curve("precision_recall")
    assert_allclose(band.undefined, weight, atol=1e-12)
    assert (band.draws[none] == 0.0).all()
    assert np.isnan(performance.curve("recall", zero_division=np.nan).draws[none]).all()
