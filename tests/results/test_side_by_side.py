"""One number of several sides: against counting by hand."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_spe import ScalarEstimate
from sklearn_spe.results._side_by_side import SideBySide

# The last draw defines no value of the last side.
DRAWS = np.array([[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 3.0], [4.0, 2.0, np.nan]])


def sides(greater_is_ahead=True):
    found = [
        ScalarEstimate.from_draws("n", column, np.ones(4), origin="one fit") for column in DRAWS.T
    ]
    return SideBySide(("a", "b", 3), tuple(found), greater_is_ahead)


def test_differences_are_those_of_draws_that_define_both_sides():
    table = sides().less(1)
    assert table.names == ("a", "3")
    for estimate, k in zip(table.estimates, (0, 2), strict=True):
        assert_allclose(estimate.draws, DRAWS[:, k] - DRAWS[:, 1])
    assert_allclose(sides().ahead_of(1), [2.5 / 4.0, 1.0 / 3.0])


def test_where_smaller_is_ahead_the_probabilities_are_those_of_the_others():
    assert_allclose(sides(False).ahead, sides().ahead.T)
    assert (sides().first, sides(False).first) == (0, 2)
