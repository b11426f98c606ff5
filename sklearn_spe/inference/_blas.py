"""One thread for the small matrices of an optimiser."""

from __future__ import annotations

from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class OneBlasThread:
    """Keep BLAS to one thread until the last of several concurrent users is done.

    The optimiser's matrices have a few rows: threads would only wait for one another, for
    milliseconds a step on a busy machine.
    """

    _lock, _users, _limits = Lock(), 0, None

    def __enter__(self):
        cls = type(self)
        with cls._lock:
            if not cls._users:
                cls._limits = _blas().limit(limits=1, user_api="blas")
            cls._users += 1

    def __exit__(self, *error):
        cls = type(self)
        with cls._lock:
            cls._users -= 1
            if not cls._users:
                cls._limits.restore_original_limits()


@cache
def _blas():
    return ThreadpoolController()
