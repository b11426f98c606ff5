"""Plans: labelling, simulated from what is believed now."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import Goal
from sklearn_spe.active import LabelPlan
from tests.active.selectors import assert_same, state
from tests.quick import QUIET

pytestmark = QUIET
ROWS = np.arange(80)


@pytest.fixture(scope="module")
def begun(pool):
    """Return a selector of six labels, which no plan changes."""
    return pool.label(pool.fitted(), 6)


def test_a_plan_changes_nothing_and_comes_out_the_same(begun):
    chosen = begun
    before = state(chosen)
    plan = chosen.plan([5, 10], n_simulations=2)
    assert_same(state(chosen), before)
    again = chosen.plan([5, 10], n_simulations=2)
    assert_array_equal(plan.chosen, again.chosen)
    assert_array_equal(plan.random, again.random)
    assert_array_equal(plan.n_labels, [5, 10])


def test_the_smallest_number_with_so_small_a_median():
    widths = np.array([[0.3, 0.2, 0.1], [0.1, 0.1, 0.1], [0.2, 0.3, 0.1]])
    plan = LabelPlan(np.array([10, 20, 30]), widths, widths + 0.1)
    assert_array_equal(plan.width(), [0.2, 0.2, 0.1])
    assert plan.labels_for(0.2) == 10
    assert plan.labels_for(0.15) == 30
    assert plan.labels_for(0.05) is None
    assert plan.labels_for(0.2, random=True) == 30
    with pytest.raises(ValueError, match="width must lie in"):
        plan.labels_for(5.0)
    assert "20: 0.200 (0.300)" in repr(plan)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([], "must be increasing"),
        ([[5, 6]], "must be increasing"),
        ([9, 9], "must be increasing"),
        ([295], "294 unlabeled items"),
    ],
)
def test_numbers_that_are_no_plan_are_named(begun, counts, message):
    with pytest.raises(ValueError, match=message):
        begun.plan(counts)


def test_nothing_left_is_nothing_to_plan(pool):
    with pytest.raises(ValueError, match="No unlabeled item is left"):
        pool.selector().fit(pool.scores, pool.truth).plan()


# --- of a goal ----------------------------------------------------------------------------------


def test_a_plan_of_a_goal_says_how_often_it_will_be_kept(pool):
    goal = Goal.of(recall=0.9, precision=0.9)
    chosen = pool.selector(goal).fit(pool.scores[:80], np.where(ROWS < 30, pool.truth[:80], -1))
    before = state(chosen)
    plan = chosen.plan([10, 50], n_simulations=1)
    assert_same(state(chosen), before)
    # Once everything is labelled the answer holds all positives and nothing else.
    assert_array_equal(plan.kept(least=1.0), [0.0, 1.0])
    assert_array_equal(plan.kept(least=1.0, random=True), [0.0, 1.0])
    assert plan.labels_for(least=1.0) == 50
    assert plan.least == 0.5 * plan.attainable
    assert_array_equal(plan.kept(), plan.kept(least=plan.least))
    assert f"reachable by a threshold: {plan.reachable:.2f}" in repr(plan)
    assert "kept_chosen" in plan.to_frame()


def test_a_goal_is_as_likely_to_be_reached_as_by_the_best_threshold_at_least(pool):
    chosen = pool.selector(Goal.of(recall=0.6, precision=0.6)).fit(pool.scores, pool.partly(100))
    odds = chosen._session.model.odds
    reach = [
        odds.of(odds.posterior, Goal.of(**wanted), odds.task).reach()
        for wanted in ({"recall": 0.01}, {"recall": 0.6, "precision": 0.6}, {"f1": 0.999})
    ]
    assert reach[0] == pytest.approx(1.0)
    assert reach[0] >= reach[1] >= reach[2]
    # Of so many labels some are in the wrong order.
    assert reach[2] == 0.0
    rules = odds.task.of_rule()
    each = odds.at(odds.posterior, odds.goal, odds.metric, rules, odds.thresholds).probability
    assert each.max() - 1e-9 <= reach[1] <= min(each.sum(), 1.0) + 1e-9
