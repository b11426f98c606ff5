"""Which system is better, by draws that belong together: against counting by hand."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_spe.results._tables import order_probability, ranking_probability

# Of three systems; the last draw defines no value of the last of them.
DRAWS = np.array([[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 3.0], [4.0, 2.0, np.nan]])


def test_a_system_is_better_in_a_share_of_draws_and_ties_count_half():
    expected = [[0.5, 2.5 / 4.0, 2.0 / 3.0], [1.5 / 4.0, 0.5, 2.0 / 3.0], [1 / 3.0, 1 / 3.0, 0.5]]
    assert_allclose(ranking_probability(DRAWS), expected)


def test_nothing_is_known_where_no_draw_defines_both():
    draws = np.array([[1.0, np.nan], [np.nan, 2.0]])
    found = ranking_probability(draws)
    assert np.isnan(found[0, 1])
    assert np.isnan(found[1, 0])
    assert order_probability(draws) == 0.0


def test_the_order_is_that_of_the_medians_and_ties_are_in_order():
    assert_allclose(order_probability(DRAWS), 2.0 / 3.0)
    assert order_probability(DRAWS[:, [0, 0]]) == 1.0
