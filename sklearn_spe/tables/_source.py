"""The bytes of a file or of standard input, decompressed."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from ..inputs._numbers import check_count

__all__ = ["MAX_BYTES", "Source", "fingerprint_of"]

# A file of a megabyte can decompress to a gigabyte.
MAX_BYTES = 2**30
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Source:
    """The input and its origin."""

    name: str  # for messages
    path: Path | None  # None for input that cannot be read again, such as standard input
    data: bytes  # decompressed
    fingerprint: str | None  # of the compressed bytes; None without a file

    @classmethod
    def read(cls, file, max_bytes: int = MAX_BYTES) -> Source:
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
    """Return a fingerprint of the bytes of a file, by which changes are detected."""
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
        raise ValueError(f"{name} is a damaged gzip file: {error}.") from error
    if len(unpacked) > max_bytes:
        raise ValueError(
            f"{name} holds {len(data):,} bytes and decompresses to more than {max_bytes:,}. "
            "Decompress it first, or raise the option max_bytes."
        )
    return unpacked
