"""Forked children, and threads that hold a lock meanwhile."""

import os
import signal
import warnings
from threading import Event, Thread

import pytest

NEEDS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
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
