"""One call takes scores, an oracle and a budget, and returns the items for a goal."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import ActiveTestSelector, Goal
from sklearn_spe.datasets import make_scores
from tests.quick import QUIET

pytestmark = QUIET
SCORES, TRUTH = make_scores(150, random_state=3)
FAST = {"n_draws": 100, "random_state": 0, "batch_size": 20}


@pytest.mark.parametrize(
    ("goal", "parameters"),
    [
        (Goal.of(precision=0.7), {}),
        pytest.param(Goal.of(precision=0.6, recall=0.4), {}, marks=pytest.mark.slow),
        (Goal.of(precision=0.6, recall=0.3), {"interval": "anytime"}),
    ],
    ids=str,
)
def test_the_oracle_labels_batches_until_the_budget_is_spent(goal, parameters):
    batches = []

    def oracle(items):
        batches.append(items)
        return TRUTH[items]

    selector = ActiveTestSelector(goal, **FAST, **parameters)
    found = selector.find(SCORES, oracle, 50)
    assert [len(batch) for batch in batches] == [20, 20, 10]
    items = np.concatenate(batches)
    assert len(np.unique(items)) == 50
    assert_array_equal(found, np.flatnonzero(selector.selected_))
    if len(found):
        assert set(items[TRUTH[items] == 1]) <= set(found)
        assert not set(items[TRUTH[items] == 0]) & set(found)


def test_it_stops_early_where_less_is_enough_or_nothing_helps():
    known = np.where(np.arange(150) < 75, TRUTH, -1)
    selector = ActiveTestSelector(Goal.of(precision=0.5), **FAST)
    selector.find(SCORES, TRUTH.__getitem__, 0, y=known)
    least = 0.9 * selector.estimate_.value
    selector.find(SCORES, TRUTH.__getitem__, 40, y=known, least=least)
    assert selector.n_labels_ == 75
    impossible = ActiveTestSelector(Goal.of(recall=(None, 0.01)), **FAST)
    assert not len(impossible.find(SCORES, TRUTH.__getitem__, 40, y=known))
    assert impossible.n_labels_ == 75


def test_what_is_no_goal_or_no_oracle_is_named():
    selector = ActiveTestSelector(Goal.of(precision=0.7), **FAST)
    with pytest.raises(ValueError, match="find needs a goal"):
        ActiveTestSelector("recall", threshold=0.5).find(SCORES, TRUTH.__getitem__, 10)
    with pytest.raises(TypeError, match="oracle must be a function"):
        selector.find(SCORES, TRUTH, 10)
    with pytest.raises(ValueError, match="one label for each of the 20 items"):
        selector.find(SCORES, lambda items: TRUTH[items][:3], 40)
