"""Labels alone, without scores and judges: the share of positives, and what needs scores."""

from operator import methodcaller

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import (
    ActiveTestSelector,
    MeanEstimator,
    PerformanceCurveEstimator,
    PerformanceReport,
    SemisupervisedScoreMixture,
)
from sklearn_spe.application import main_estimates
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

Y = np.r_[np.arange(20) < 12, np.full(30, -1)]


def performance(seed, **parameters):
    mixture = SemisupervisedScoreMixture(experts=EXPERTS)
    return PerformanceCurveEstimator(mixture, n_draws=100, random_state=seed, **parameters)


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize(
    "structure",
    [{}, {"category": np.arange(50) % 2}, {"groups": np.arange(50) // 2}, {"sample_weight": 1}],
)
def test_the_share_is_that_of_equal_scores(structure, target, global_random_seed):
    structure = {k: np.ones(50) if k == "sample_weight" else v for k, v in structure.items()}
    fits = [
        performance(global_random_seed, target=target).fit(X, Y, **structure)
        for X in (None, np.zeros(50))
    ]
    alone, beside = (fit.estimate("prevalence") for fit in fits)
    assert_array_equal(alone.draws, beside.draws)
    assert "one_score" not in {reason.name for reason in fits[0].verdict_.reasons}
    assert fits[0].default_threshold_ is None
    assert len(fits[0].suspect_labels_.item) == 0


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        (methodcaller("estimate", "average_precision"), "'average_precision'"),
        (methodcaller("estimate", "accuracy"), "'accuracy'"),
        (methodcaller("estimate", "recall", threshold=0.5), "'recall'"),
        (methodcaller("estimate", lambda y, s: 0.0), "'<lambda>'"),
        (methodcaller("curve"), "curve"),
        (methodcaller("confusion_matrix"), "confusion_matrix"),
        (methodcaller("calibration_curve"), "calibration_curve"),
        (methodcaller("threshold_for", precision=0.9), "threshold_for"),
        (methodcaller("goal_probability", precision=0.9), "goal_probability"),
        (methodcaller("selection", 0.5), "selection"),
        (methodcaller("by_category", "roc_auc"), "'roc_auc'"),
        (PerformanceReport.from_estimator, "A page"),
    ],
)
def test_what_needs_scores_says_what_to_pass(ask, name, global_random_seed):
    fit = performance(global_random_seed).fit(None, Y, category=np.arange(50) % 2)
    with pytest.raises(ValueError, match="requires scores") as caught:
        ask(fit)
    assert str(caught.value).startswith(name)
    assert "as X, or ratings as judges=" in str(caught.value)


def test_a_summary_has_the_share_alone(global_random_seed):
    fit = performance(global_random_seed, pos_label="pass")
    fit.fit(None, ["pass", "fail", None] * 5)
    summary = main_estimates(fit)
    assert summary.names == ("prevalence",)
    assert "15 items, 10 labeled" in str(summary)
    with pytest.raises(ValueError, match="threshold= is for scores"):
        main_estimates(fit, threshold=0.5)


def test_only_the_estimator_takes_labels_alone(global_random_seed):
    for estimator in (SemisupervisedScoreMixture(), ActiveTestSelector()):
        with pytest.raises(TypeError, match=r"X must be an array"):
            estimator.fit(None, Y)
    with pytest.raises(TypeError, match="X must be an array"):
        performance(global_random_seed).fit(None, None)


@pytest.mark.parametrize(
    "fit",
    [
        lambda n: PerformanceCurveEstimator(n_draws=n).fit(np.arange(50.0), Y),
        lambda n: SemisupervisedScoreMixture(n_draws=n).fit(np.arange(50.0), Y),
        lambda n: MeanEstimator(n_draws=n).fit(None, Y),
        lambda n: ActiveTestSelector(n_draws=n).fit(np.arange(50.0)),
    ],
)
@pytest.mark.parametrize("n_draws", [1, 9])
def test_an_interval_needs_some_draws(fit, n_draws):
    with pytest.raises(ValueError, match=rf"n_draws must be at least \d0, got {n_draws}"):
        fit(n_draws)
