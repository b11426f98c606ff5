"""One number of several sides: against counting by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import ScalarEstimate
from sklearn_spe.results._tables import EstimateTable

# The last draw defines no value of the last side.
DRAWS = np.array([[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 3.0], [4.0, 2.0, np.nan]])


def sides(greater_is_better=True):
    found = [
        ScalarEstimate.from_draws("n", column, np.ones(4), origin="one fit") for column in DRAWS.T
    ]
    return EstimateTable(("a", "b", "3"), tuple(found), greater_is_better=greater_is_better)


def test_differences_are_those_of_draws_that_define_both_sides():
    table = sides().differences("b")
    assert table.names == ("a", "3")
    for estimate, k in zip(table.estimates, (0, 2), strict=True):
        assert_allclose(estimate.draws, DRAWS[:, k] - DRAWS[:, 1])
    assert_allclose(sides().proba_ahead_of("b"), [2.5 / 4.0, 1.0 / 3.0])


def test_where_smaller_is_ahead_the_probabilities_are_those_of_the_others():
    assert_allclose(sides(False).ranking_proba, sides().ranking_proba.T)
    assert (sides().best, sides(False).best) == ("a", "3")


def test_sides_of_different_items_are_compared_by_what_they_share():
    found = sides()
    one, two, three = found.estimates
    # The same numbers, pair by pair: nothing changes but what no draw defines.
    pairs = {(0, 1): (one, two), (0, 2): (one, three), (1, 2): (two, three)}
    shared = EstimateTable(found.names, found.estimates, pairs=pairs)
    assert_allclose(shared.ranking_proba, found.ranking_proba)
    assert_allclose(
        shared.differences("b").estimates[0].draws, found.differences("b").estimates[0].draws
    )
    assert_allclose(shared.difference(3, "a").draws, DRAWS[:, 2] - DRAWS[:, 0])
    # The medians are 2.5, 2 and 1: a before b before 3, in the draws that define all.
    assert_allclose(shared.order_proba, 2.0 / 3.0)
    assert_allclose(found.order_proba, 2.0 / 3.0)


def test_sides_that_share_nothing_are_not_compared():
    found = sides()
    one, two, three = found.estimates
    apart = EstimateTable(
        found.names,
        found.estimates,
        pairs={(0, 1): (one, two), (0, 2): (one, three), (1, 2): None},
    )
    assert np.isnan(apart.ranking_proba[[1, 2], [2, 1]]).all()
    assert_allclose(apart.ranking_proba[0], found.ranking_proba[0])
    assert apart.difference("b", 3) is None
    assert apart.differences("b").names == ("a",)
    assert np.isnan(apart.order_proba)


def test_sides_that_are_not_there_are_named():
    for ask in (sides().difference, lambda a, b: sides().differences(b)):
        with pytest.raises(ValueError, match="No estimate is named 'c'; there are a, b, 3"):
            ask("a", "c")
