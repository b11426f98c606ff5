"""One writer in a folder at a time: a lock that ends with the process that holds it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["alone_in"]

# Seconds. A lock is held while one file is written.
PATIENCE = 30.0
PAUSE = 0.05


@contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder."""
    lock = _lock_of(folder)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            os.close(lock)


def _lock_of(folder) -> int | None:
    for _ in range(int(PATIENCE / PAUSE)):
        try:
            return _locked(folder)
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:
            return None
    raise TimeoutError(f"another process has locked {folder} for {PATIENCE:g} seconds")


if sys.platform == "win32":

    def _locked(folder) -> int:
        # The system removes the file when it is closed, also when the process is killed.
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
        try:
            return os.open(folder / ".sklearn_spe.lock", flags)
        except (FileExistsError, PermissionError) as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _locked(folder) -> int:
        # The folder itself is locked: there is no file that could stay.
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(lock)
            raise
        return lock
