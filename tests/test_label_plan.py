"""How wide intervals will be once more items are labelled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores

SCORES, LABELS = make_scores(1500, prevalence=0.2, random_state=0)
ORDER = np.random.default_rng(0).permutation(len(SCORES))


def performance(n_labels, **parameters):
    y = np.full(len(SCORES), -1)
    y[ORDER[:n_labels]] = LABELS[ORDER[:n_labels]]
    return PerformanceCurveEstimator(random_state=0, **parameters).fit(SCORES, y)


@pytest.fixture(scope="module")
def fitted():
    return performance(60)


def width(estimate):
    low, high = estimate.interval()
    return high - low


@pytest.mark.parametrize("design", ["tail", "random"])
@pytest.mark.parametrize("target", ["sample", "population"])
def test_no_label_more_leaves_the_interval_and_every_label_narrows_it(fitted, design, target):
    asked = {"threshold": 2.0, "target": target}
    planned = fitted.plan([0, 20, 100, 500, 1000], "recall", design=design, **asked)
    assert_allclose(planned[0], width(fitted.estimate("recall", **asked)))
    assert (np.diff(planned) < 0.0).all()


@pytest.mark.parametrize("design", ["tail", "random"])
@pytest.mark.parametrize("metric", ["recall", "precision"])
def test_with_every_item_labelled_nothing_is_left(fitted, design, metric):
    assert fitted.plan(1440, metric, design=design, threshold=2.0) == 0.0
    assert fitted.plan(1440, metric, design=design, threshold=2.0, target="population") > 0.0


def test_with_every_called_item_labelled_the_precision_is_known(fitted):
    y = np.full(len(SCORES), -1)
    y[ORDER[:60]] = LABELS[ORDER[:60]]
    n_called = int(((SCORES >= 2.0) & (y < 0)).sum())
    now = width(fitted.estimate("precision", threshold=2.0))
    assert fitted.plan(n_called, "precision", threshold=2.0) < 0.02 * now


def test_plans_are_kept_within_a_half():
    reached = width(performance(360).estimate("recall", threshold=2.0))
    planned = performance(60).plan(300, "recall", design="random", threshold=2.0)
    assert 0.5 < planned / reached < 2.0


def test_what_cannot_be_planned_is_said(fitted):
    with pytest.raises(ValueError, match="whole numbers from 0 to the 1440 items"):
        fitted.plan([10, 1441])
    with pytest.raises(ValueError, match="whole numbers"):
        fitted.plan(2.5)
    with pytest.raises(ValueError, match="design must be one of tail, random"):
        fitted.plan(10, design="best")


def test_infinite_numbers_have_no_plan(global_random_seed):
    scores = np.r_[np.arange(100.0), 200.0]
    y = np.where(scores > 60.0, (scores > 80.0).astype(int), -1)
    y[:30] = 0
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=None)
    fit = PerformanceCurveEstimator(mixture, random_state=global_random_seed).fit(scores, y)
    if np.isinf(fit.estimate("precision_recall_slope", threshold=85.0).draws).any():
        with pytest.raises(ValueError, match="precision_after_gain"):
            fit.plan(5, "precision_recall_slope", threshold=85.0)


def test_a_turned_score_has_the_same_plan(global_random_seed):
    y = np.full(len(SCORES), -1)
    y[ORDER[:60]] = LABELS[ORDER[:60]]
    turned = PerformanceCurveEstimator(
        greater_is_positive=False, random_state=global_random_seed
    ).fit(-SCORES, y)
    straight = PerformanceCurveEstimator(random_state=global_random_seed).fit(SCORES, y)
    assert_allclose(
        turned.plan([50, 200], "recall", threshold=-2.0),
        straight.plan([50, 200], "recall", threshold=2.0),
    )
