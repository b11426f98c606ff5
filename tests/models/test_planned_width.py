"""How wide intervals will be once more items are labelled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.estimators.performance.data import PerformanceProblem
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

N_LABELS = 60


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed, 1500, N_LABELS, prevalence=0.2)


@pytest.fixture(scope="module")
def fitted(problem):
    return fit(problem)


def fit(problem, n_labels=N_LABELS):
    """Return the performance by quick experts, so many items labelled."""
    mixture = problem.mixture(experts=EXPERTS, n_draws=400)
    return problem.performance(mixture).fit(problem.scores, problem.with_labels(n_labels))


def width(estimate):
    low, high = estimate.interval()
    return high - low


@pytest.mark.parametrize("strategy", ["tail", "random"])
@pytest.mark.parametrize("target", ["sample", "population"])
def test_no_label_more_leaves_the_interval_and_every_label_narrows_it(fitted, strategy, target):
    asked = {"threshold": 2.0, "target": target}
    planned = fitted.plan([0, 20, 100, 500, 1000], "recall", strategy=strategy, **asked)
    assert_allclose(planned[0], width(fitted.estimate("recall", **asked)))
    assert (np.diff(planned) < 0.0).all()


def test_with_every_called_item_labeled_the_precision_is_known(problem, fitted):
    n_called = int(((problem.scores >= 2.0) & (problem.partial < 0)).sum())
    now = width(fitted.estimate("precision", threshold=2.0))
    assert fitted.plan(n_called, "precision", threshold=2.0) < 0.02 * now


def test_plans_are_kept_within_a_half(problem, fitted):
    reached = width(fit(problem, 360).estimate("recall", threshold=2.0))
    planned = fitted.plan(300, "recall", strategy="random", threshold=2.0)
    assert 0.5 < planned / reached < 2.0


def test_the_plan_of_a_share_is_that_of_equal_scores(global_random_seed):
    # With equal scores the prevalence has a beta-binomial posterior: its variance is that of the
    # rate times the square of the share of unlabeled items, plus that of their sum.
    rng = np.random.default_rng(global_random_seed)
    n, n_labeled, n_more = 400, 100, 150
    y = np.where(np.arange(n) < n_labeled, rng.random(n) < 0.3, -1).astype(int)
    mixture = SemisupervisedScoreMixture(
        experts=EXPERTS, n_draws=2000, random_state=global_random_seed
    )
    fitted = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    fitted.fit(np.zeros(n), y)

    def deviation(n_known):
        rate, left = 1.0 / n_known, 1.0 - n_known / n
        return np.sqrt(left**2 * rate + left / n)

    now, after = fitted.plan([0, n_more], "prevalence", strategy="random")
    assert_allclose(after / now, deviation(n_labeled + n_more) / deviation(n_labeled), rtol=0.1)


def test_what_cannot_be_planned_is_said(fitted):
    with pytest.raises(ValueError, match="whole numbers from 0 to the 1440 unlabeled items"):
        fitted.plan([10, 1441])
    with pytest.raises(ValueError, match="whole numbers"):
        fitted.plan(2.5)
    with pytest.raises(ValueError, match="strategy must be one of tail, random"):
        fitted.plan(10, strategy="best")


def test_infinite_numbers_have_no_plan(global_random_seed):
    # Of the items from 31 to 80 all that lie below the threshold and are labelled are negative.
    scores = np.arange(100.0)
    y = np.where(scores > 60.0, (scores > 80.0).astype(int), -1)
    y[:30] = 0
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=None, n_draws=100)
    fitted = PerformanceCurveEstimator(mixture, random_state=global_random_seed).fit(scores, y)
    assert np.isneginf(fitted.estimate("precision_recall_slope", threshold=81.0).draws).all()
    with pytest.raises(ValueError, match="precision_after_gain"):
        fitted.plan(5, "precision_recall_slope", threshold=81.0)
    unlabeled = np.flatnonzero(y < 0)
    widths = fitted.of().plan_of_rows(
        unlabeled, np.array([1, 5]), "precision_recall_slope", threshold=81.0
    )
    assert np.isnan(widths).all()


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.ThresholdOutsideScoresWarning")
def test_where_no_draw_defines_the_metric_no_label_gives_it_a_width(fitted):
    asked = {"threshold": 1e3, "zero_division": np.nan}
    assert np.isnan(fitted.estimate("precision", **asked).value)
    assert np.isnan(fitted.plan([0, 10], "precision", **asked)).all()
