"""The threshold of least cost is that of enumeration, and its cost that of the mistakes."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import Goal, PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.application import main_estimates
from sklearn_spe.application.report._cost import LeastCost
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


def test_costs_of_mirrored_scores_have_the_mirrored_threshold(global_random_seed):
    fits = [
        fitted(PARTLY, global_random_seed, sign * SCORES, greater_is_positive=sign > 0.0)
        for sign in (1.0, -1.0)
    ]
    for cost in ((1, 5), (5, 1), (1e6, 1)):
        above, below = (fit.threshold_for(cost=cost) for fit in fits)
        assert above == -below


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_alarms_cost_too_much_nothing_is_flagged(sign, global_random_seed):
    # One negative is above all positives.
    labels = np.where(SCORES.max() > SCORES, LABELS, 0)
    fit = fitted(labels, global_random_seed, sign * SCORES, greater_is_positive=sign > 0.0)
    threshold = fit.threshold_for(cost=(1e6, 1))
    assert (sign * threshold > SCORES).all()
    least = LeastCost.of(fit.of(), (1e6, 1))
    assert_allclose(least.cost.value, labels.sum())
    assert_allclose(least.net_benefit.value, 0.0)


def test_the_summary_has_the_cost_and_its_sentence(global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    least = LeastCost.of(fit.of(), (1, 5))
    table = main_estimates(fit, cost=(1, 5))
    at = f"at score {least.threshold:g}"
    assert table[f"cost {at}"].interval() == least.cost.interval()
    assert table[f"net benefit {at}"].interval() == least.net_benefit.interval()
    assert table.summary[-1].endswith(least.sentence())
    recall = fit.estimate("recall", threshold=least.threshold)
    assert table[f"recall {at}"].interval() == recall.interval()
    with pytest.raises(ValueError, match="pass one of them"):
        main_estimates(fit, cost=(1, 5), threshold=0.0)


@pytest.mark.parametrize(
    "others",
    [
        {"precision": 0.9},
        {"prefer": "recall"},
        {"negative": {"recall": 0.9}},
        {"guarantee": "anytime"},
    ],
    ids=lambda others: next(iter(others)),
)
def test_costs_take_the_place_of_a_goal(others, global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    with pytest.raises(ValueError, match=f"does not take {next(iter(others))}=. Pass one of"):
        fit.threshold_for(cost=(1, 5), **others)
    with pytest.raises(ValueError, match="does not take a goal"):
        fit.threshold_for(Goal.of(precision=0.9), cost=(1, 5))


def test_the_page_decides_there_and_says_why(global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    report = PerformanceReport.from_estimator(fit, cost=(1, 5))
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
        ((1.0, None), r"cost\[1\], of a miss, must be a number in \(0, inf\), got None"),
        ((np.nan, 1.0), r"cost\[0\], of a false alarm, .*nan"),
        ((np.inf, 1.0), r"cost\[0\], of a false alarm, .*inf"),
        ((1e-200, 1e200), "a ratio that a number can hold"),
        ((1e200, 1e-200), "a ratio that a number can hold"),
    ],
)
def test_what_costs_must_be_is_said(cost, message, global_random_seed):
    fit = fitted(PARTLY, global_random_seed)
    for refused in (partial(LeastCost.of, fit.of()), lambda cost: fit.threshold_for(cost=cost)):
        with pytest.raises((ValueError, TypeError), match=message):
            refused(cost)
    with pytest.raises(ValueError, match="pass one of them"):
        PerformanceReport.from_estimator(fit, cost=(1, 2), threshold=0.0)
