"""The bytes of a file, of standard input, of what is packed."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from ..inputs._numbers import check_count

__all__ = ["MOST_BYTES", "Source", "fingerprint_of"]

# A file of a megabyte can unpack to a thousand of them.
MOST_BYTES = 2**30
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Source:
    """What was read, and from where.

    Attributes
    ----------
    name : str
        For messages.
    path : Path or None
        None of what cannot be read twice, such as standard input.
    data : bytes
        Unpacked.
    fingerprint : str or None
        Of the bytes as they stood in the file; None where there is no file.
    """

    name: str
    path: Path | None
    data: bytes
    fingerprint: str | None

    @classmethod
    def read(cls, file, max_bytes: int = MOST_BYTES) -> Source:
        """Read a path, "-" for standard input, or an open file."""
        check_count(max_bytes, "max_bytes")
        name, path = "standard input", None
        if hasattr(file, "read"):
            data = file.read()
            name = str(getattr(file, "name", "the file"))
        elif str(file) == "-":
            data = sys.stdin.buffer.read()
        else:
            path = Path(file)
            name, data = str(path), path.read_bytes()
            # Pipes are read once.
            path = path if path.is_file() else None
        if isinstance(data, str):
            data = data.encode("utf-8")
        fingerprint = None if path is None else _digest(data)
        return cls(name, path, _unpacked(data, name, max_bytes), fingerprint)


def fingerprint_of(path: Path) -> str:
    """Return what tells whether the bytes of a file are still those that were read."""
    return _digest(path.read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _unpacked(data: bytes, name: str, max_bytes: int) -> bytes:
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(max_bytes + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{name} is packed by gzip, and damaged: {error}.") from error
    if len(unpacked) > max_bytes:
        raise ValueError(
            f"{name} holds {len(data):,} bytes and unpacks to more than {max_bytes:,}. If it "
            f"shall, unpack it first, or allow more by the option max_bytes."
        )
    return unpacked
