"""A forked process has no threads of its parent, and limits those of its own."""

import numpy as np

from sklearn_spe.inference._modes import OneBlasThread
from tests.forks import NEEDS_FORK, status_of_child, while_a_thread_holds

pytestmark = NEEDS_FORK


def test_a_child_limits_threads_of_its_own():
    def fit():
        with OneBlasThread():
            inside = list(OneBlasThread._threads)
        return len(inside) == 1 and not OneBlasThread._threads and OneBlasThread._limits is None

    for lock in (OneBlasThread(), OneBlasThread._lock):
        assert while_a_thread_holds(lock, lambda: status_of_child(fit)) == 0
    assert np.array_equal(OneBlasThread._threads, [])


def test_a_child_of_a_thread_that_is_inside_stays_inside():
    def leave():
        return len(OneBlasThread._threads) == 1

    with OneBlasThread():
        assert status_of_child(leave) == 0
