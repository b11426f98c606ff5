"""The threshold of least cost is that of enumeration, and its cost that of the mistakes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.report._cost import LeastCost
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

N = 200
SCORES, LABELS = even_scores(N)
PARTLY = np.where(np.arange(N) < 60, LABELS, -1)


def fitted(y, seed, scores=SCORES, target="sample", **parameters):
    mixture = quick_mixture(seed, n_draws=100, **parameters)
    return PerformanceCurveEstimator(mixture, random_state=seed, target=target).fit(scores, y)


@pytest.mark.parametrize("cost", [(1.0, 1.0), (1.0, 5.0), (3.0, 1.0)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_with_all_labels_no_threshold_costs_less(cost, sign, global_random_seed):
    fit = fitted(LABELS, global_random_seed, sign * SCORES, greater_is_positive=sign > 0.0)
    least = LeastCost.of(fit.of(), cost)

    def cost_at(threshold):
        flagged = sign * SCORES >= threshold if sign > 0.0 else sign * SCORES <= threshold
        alarms = np.count_nonzero(flagged & (LABELS == 0))
        return cost[0] * alarms + cost[1] * np.count_nonzero(~flagged & (LABELS == 1))

    assert_allclose(least.cost.value, cost_at(least.threshold))
    assert_allclose(least.cost.value, min(map(cost_at, sign * SCORES)))
    assert_allclose(least.cost_of_none, cost[1] * LABELS.sum())
    assert_allclose(least.cost_of_all, cost[0] * (LABELS == 0).sum())


def test_the_cost_is_that_of_the_mistakes_in_each_draw(global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    least = LeastCost.of(fit.of(), (2.0, 7.0))
    alarms, missed = (
        fit.estimate(name, threshold=least.threshold).draws
        for name in ("false_positives", "false_negatives")
    )
    assert_allclose(least.cost.draws, 2.0 * alarms + 7.0 * missed, atol=1e-9 * N)


def test_only_the_ratio_of_costs_moves_the_threshold(global_random_seed):
    fit = fitted(PARTLY, global_random_seed, target="population")
    one, ten = (LeastCost.of(fit.of(), (k, 4.0 * k)) for k in (1.0, 10.0))
    assert one.threshold == ten.threshold
    assert_allclose(10.0 * one.cost.draws, ten.cost.draws)
    # Missing all, or flagging all, is not cheaper.
    assert one.cost.mean() <= min(one.cost_of_none, one.cost_of_all) + 1e-9
    assert "per item" in one.sentence()


def test_the_page_decides_there_and_says_why(global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    report = PerformanceReport.of(fit, cost=(1, 5))
    assert report.threshold == LeastCost.of(fit.of(), (1, 5)).threshold
    assert report.decision.source == "cost"
    assert "where a false alarm costs 1 and a miss 5" in report.answers.answer(
        "At which threshold?"
    )


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (3.0, "two numbers, the cost of a false alarm and that of a miss; got 3"),
        ((1.0, -2.0), r"cost\[1\], of a miss, .*-2"),
        ((0.0, 1.0), r"cost\[0\], of a false alarm, .*0"),
        ((1.0,), "two numbers"),
    ],
)
def test_what_costs_must_be_is_said(cost, message, global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    with pytest.raises(ValueError, match=message):
        LeastCost.of(fit.of(), cost)
    with pytest.raises(ValueError, match="pass one of them"):
        PerformanceReport.of(fit, cost=(1, 2), threshold=0.0)
