"""Locks that serialize calls that change an object, across threads."""

from __future__ import annotations

from threading import Lock, RLock
from weakref import WeakKeyDictionary

__all__ = ["lock_of"]

# Stored outside the objects, as locks can be neither pickled nor copied.
_LOCKS: WeakKeyDictionary = WeakKeyDictionary()
_GUARD = Lock()


def lock_of(changed):
    """Return the lock of an object, to hold for a read-modify-write."""
    with _GUARD:
        lock = _LOCKS.get(changed)
        if lock is None:
            lock = _LOCKS[changed] = RLock()
        return lock
