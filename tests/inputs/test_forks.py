"""A forked process does not wait for the threads of its parent."""

import pytest

from sklearn_spe import ScoreHistogram
from sklearn_spe.inputs import _validation
from tests.forks import NEEDS_FORK, status_of_child, while_a_thread_holds

pytestmark = NEEDS_FORK


@pytest.mark.parametrize("name", ["of the histogram", "of all locks"])
def test_a_child_counts_though_a_thread_of_its_parent_was_counting(name):
    histogram = ScoreHistogram().update([0.5])
    is_own = name == "of the histogram"
    lock = _validation.lock_of(histogram) if is_own else _validation._GUARD

    def count():
        return histogram.update([0.25]).n_items == 2

    assert while_a_thread_holds(lock, lambda: status_of_child(count)) == 0
    # The parent has lost nothing.
    assert histogram.update([0.75, 0.8]).n_items == 3
