"""Calls that change an object: one after another, from whatever threads they come."""

from __future__ import annotations

from threading import Lock, RLock
from weakref import WeakKeyDictionary

__all__ = ["lock_of"]

# Beside the objects and not in them: a lock can be neither pickled nor copied.
_LOCKS: WeakKeyDictionary = WeakKeyDictionary()
_GUARD = Lock()


def lock_of(changed):
    """Return the lock of an object, to be held from where it is read until it is changed."""
    with _GUARD:
        lock = _LOCKS.get(changed)
        if lock is None:
            lock = _LOCKS[changed] = RLock()
        return lock
