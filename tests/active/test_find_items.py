"""One call: scores, an oracle, a goal and a budget; the items come back."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import Goal
from sklearn_spe.active import find_items
from sklearn_spe.datasets import make_scores
from tests.quick import QUIET

pytestmark = QUIET
SCORES, TRUTH = make_scores(150, random_state=3)
FAST = {"n_draws": 100, "random_state": 0, "batch_size": 20}


@pytest.mark.parametrize(
    ("goal", "parameters"),
    [
        (Goal.of(precision=0.7), {}),
        (Goal.of(precision=0.6, recall=0.4), {}),
        (Goal.of(precision=0.6, recall=0.3), {"interval": "anytime"}),
    ],
    ids=str,
)
def test_the_oracle_labels_batches_until_the_budget_is_spent(goal, parameters):
    batches = []

    def oracle(items):
        batches.append(items)
        return TRUTH[items]

    found, selector = find_items(SCORES, oracle, goal, 50, **FAST, **parameters)
    assert [len(batch) for batch in batches] == [20, 20, 10]
    items = np.concatenate(batches)
    assert len(np.unique(items)) == 50
    assert_array_equal(found, np.flatnonzero(selector.selected_))
    if len(found):
        assert set(items[TRUTH[items] == 1]) <= set(found)
        assert not set(items[TRUTH[items] == 0]) & set(found)


def test_it_stops_early_where_less_is_enough_or_nothing_helps():
    known = np.where(np.arange(150) < 75, TRUTH, -1)
    goal = Goal.of(precision=0.5)
    _, selector = find_items(SCORES, None.__class__, goal, 0, y=known, **FAST)
    least = 0.9 * selector.estimate_.value
    _, again = find_items(SCORES, TRUTH.__getitem__, goal, 40, y=known, least=least, **FAST)
    assert again.n_labels_ == 75
    impossible = Goal.of(recall=(None, 0.01))
    found, selector = find_items(SCORES, TRUTH.__getitem__, impossible, 40, y=known, **FAST)
    assert selector.n_labels_ == 75
    assert not len(found)


def test_what_is_no_goal_or_no_oracle_is_named():
    goal = Goal.of(precision=0.7)
    with pytest.raises(TypeError, match="goal must be a Goal"):
        find_items(SCORES, TRUTH.__getitem__, 0.9, 10)
    with pytest.raises(TypeError, match="oracle must be a function"):
        find_items(SCORES, TRUTH, goal, 10)
    with pytest.raises(ValueError, match="one label for each of the 20 items"):
        find_items(SCORES, lambda items: TRUTH[items][:3], goal, 40, **FAST)
