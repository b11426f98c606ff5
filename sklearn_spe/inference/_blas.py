"""Limit BLAS to one thread for small matrices."""

from __future__ import annotations

from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


class OneBlasThread:
    """Limit BLAS to one thread until the last concurrent user is done.

    The optimizer's matrices are small: on a busy machine threads would wait for each other, for
    milliseconds per step.
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
