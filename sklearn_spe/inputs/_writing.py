"""Atomic writing of files, without overwriting changes by other processes.

Every file of this package is written here: tables, pages, pictures and counted scores.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ._validation import check_file_name

# Seconds. A lock is held while one file is written.
PATIENCE = 30.0
PAUSE = 0.05
# The temporary file; the holder of the lock removes those left by a killed process.
PART_NAME = ".sklearn_spe.{}.part"


@contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder."""
    lock = _lock_of(folder)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            os.close(lock)


def _lock_of(folder: Path) -> int | None:
    for _ in range(int(PATIENCE / PAUSE)):
        try:
            return _locked(folder)
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:
            return None
    raise TimeoutError(f"another process has locked {folder} for {PATIENCE:g} seconds")


if sys.platform == "win32":

    def _locked(folder: Path) -> int:
        # The system removes the file when it is closed, also when the process is killed.
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
        try:
            return os.open(folder / ".sklearn_spe.lock", flags)
        except (FileExistsError, PermissionError) as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _locked(folder: Path) -> int:
        # The folder itself is locked, so that no lock file can be left.
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(lock)
            raise
        return lock


def write_file(
    path: str | os.PathLike[str], data: bytes, *, new: bool = False, unchanged: str | None = None
) -> None:
    """Replace a file atomically, once all data is on the disk.

    Links are followed, and permissions and owner of a replaced file are kept. On any error the old
    file is unchanged, and no temporary file is left. `new` requires that the file does not exist,
    and `unchanged` that its fingerprint is still the given one.
    """
    check_file_name(path)
    path = Path(path)

    try:
        target = path.resolve()
        if target.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))

        if target.exists() and not target.is_file():
            # A device or a pipe has no content that could be lost.
            target.write_bytes(data)
            return

        with alone_in(target.parent) as alone:
            if alone:
                _remove_leftovers(target.parent)
            if new and (path.exists() or path.is_symlink()):
                raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
            if unchanged is not None and _is_another(target, unchanged):
                raise ValueError(
                    f"{path} was changed since it was read, by another program or a second run of "
                    "this one: nothing was written. Run this again to continue from the present "
                    "file."
                )
            _replace(target, data)
    except RuntimeError as error:
        # The error of pathlib for circular links.
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    except OSError as error:
        message = f"{error.strerror or error}; nothing was written"
        raise OSError(error.errno or errno.EIO, message, str(path)) from error


def digest_of(data: bytes) -> str:
    """Return a fingerprint of the bytes of a file, by which changes are detected."""
    return hashlib.sha256(data).hexdigest()


def _is_another(target: Path, fingerprint: str) -> bool:
    try:
        return digest_of(target.read_bytes()) != fingerprint
    except FileNotFoundError:
        return True


def _replace(target: Path, data: bytes) -> None:
    status = target.stat() if target.exists() else None
    part = target.with_name(PART_NAME.format(secrets.token_hex(8)))

    # An unpredictable name, and no link planted there is followed.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = os.open(part, flags, 0o666 if status is None else 0o600)

    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            if status is not None:
                _keep_owner_and_mode(part, status)
            os.fsync(opened.fileno())
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise

    _sync_folder(target.parent)


def _keep_owner_and_mode(path: Path, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Only privileged users may change the owner.
        with suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    path.chmod(stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """Sync the folder to the disk too, where folders can be synced."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def _remove_leftovers(folder: Path) -> None:
    for part in folder.glob(PART_NAME.format("*")):
        with suppress(OSError):
            part.unlink()
