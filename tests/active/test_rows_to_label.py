"""The rows that a fitted performance estimator would have labelled next."""

import pytest

from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator
from sklearn_spe.active._query import rows_to_label
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

SCORES, PARTLY = even_scores(300, 30)


@pytest.fixture(scope="module")
def mixture(global_random_seed):
    return quick_mixture(global_random_seed)


@pytest.mark.parametrize(
    ("metric", "where"), [("average_precision", {}), ("recall", {"threshold": 1.0})]
)
def test_they_are_those_of_a_selector_that_leaves_nothing_to_chance(
    mixture, metric, where, global_random_seed
):
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    rows = rows_to_label(performance.fit(SCORES, PARTLY).of(), 5, metric, **where)
    selector = ActiveTestSelector(
        metric, label_model=mixture, draw="argmax", random_state=global_random_seed, **where
    )
    cells = selector.fit(SCORES, PARTLY)._session.model.item_cells
    # Chance decides among equals, the items of a cell.
    assert cells[rows].tolist() == cells[selector.query(5)].tolist()
