"""A forked process does not wait for the threads of its parent."""

import os
import signal
import warnings
from threading import Event, Thread

import numpy as np
import pytest

from sklearn_spe import ScoreHistogram
from sklearn_spe.inference._modes import OneBlasThread
from sklearn_spe.inputs import _validation

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# A child that waits is ended after so many seconds.
PATIENCE = 30


def status_of_child(work):
    """Return the exit status of a forked child that does some work."""
    with warnings.catch_warnings():
        # Python warns of a fork beside threads, which is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1]


def while_a_thread_holds(lock, act):
    """Return what is done while another thread holds a lock, or is inside of a context."""
    is_held, is_done = Event(), Event()

    def hold():
        with lock:
            is_held.set()
            is_done.wait()

    thread = Thread(target=hold)
    thread.start()
    is_held.wait()
    try:
        return act()
    finally:
        is_done.set()
        thread.join()


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
