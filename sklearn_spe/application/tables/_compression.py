"""Compressed files: gzip, bzip2, xz and zip, unpacked up to a limit and written again."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ...inputs._validation import listed

# A file of a megabyte can decompress to a gigabyte.
MAX_BYTES = 2**30
# So much is kept while the size of the content is not known, and so much read at once.
MAX_KEPT, N_READ = 2**24, 2**20
# How compressed files begin; those of zip may be Excel files.
GZIP, BZIP2, XZ, ZSTD, ZIP = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
# Members of Excel files, and of logs of Inspect, which their readers unpack.
KEPT_PACKED = ("xl/", "samples/", "_journal/")
OPENERS: dict[bytes, tuple[str, Callable[..., Any]]] = {
    GZIP: ("gzip", gzip.open),
    BZIP2: ("bzip2", bz2.open),
    XZ: ("xz", lzma.open),
}
# How text is compressed before it is written to a file with this ending.
WRITERS: dict[str, Callable[[bytes], bytes]] = {
    # The same text gives the same file.
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def unpacked(data: bytes, name: str, max_bytes: int) -> bytes:
    """Return the content of a compressed file; other data, and Excel files, as they are."""
    for start, (kind, opener) in OPENERS.items():
        if data.startswith(start):
            return _read(kind, partial(opener, io.BytesIO(data)), data, name, max_bytes)

    if data.startswith(ZSTD):
        raise ValueError(f"{name} is compressed by zstd: decompress it first, or use gzip or xz.")
    if not data.startswith(ZIP):
        return data

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            members = [part.filename for part in packed.infolist() if not part.is_dir()]
            if any(member.startswith(KEPT_PACKED) for member in members):
                return data

            if "mimetype" in members:
                raise ValueError(
                    f"{name} is an OpenDocument spreadsheet, which is not supported: save it as "
                    ".xlsx or .csv."
                )

            content = [member for member in members if not member.startswith("__MACOSX/")]
            if len(content) != 1:
                raise ValueError(
                    f"{name} must hold one file, and holds {len(content)}: {listed(content)}. "
                    "Unpack it, "
                    "and pass one of them."
                )

            return _read("zip", partial(packed.open, content[0]), data, name, max_bytes)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise ValueError(f"{name} is a damaged zip file: {error}.") from error


def members_of(
    data: bytes, name: str, max_bytes: int, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes | str]]:
    """Iterate over wanted files in a zip file: the name, and the content or an error."""
    n_left = max_bytes
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        n_bytes = sum(part.file_size for part in packed.infolist() if is_wanted(part.filename))
        if n_bytes > max_bytes:
            raise ValueError(_too_large(name, len(data), max_bytes))
        # Of several members of one name the last one is meant.
        for member in dict.fromkeys(filter(is_wanted, packed.namelist())):
            opened = partial(packed.open, member)
            try:
                content = _read("zip", opened, data, f"{name}, {member}", n_left)
            except ValueError as error:
                yield member, str(error)
                continue
            n_left -= len(content)
            yield member, content


def _read(kind: str, opened: Callable[..., Any], data: bytes, name: str, max_bytes: int) -> bytes:
    try:
        n_bytes, content = _measured(opened, max_bytes)
        if content is None and n_bytes <= max_bytes:
            with opened() as file:
                content = file.read(max_bytes + 1)
    # An encrypted file of a zip is a RuntimeError, an unknown method a NotImplementedError.
    except (
        *(EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    ) as error:
        raise ValueError(f"{name} is a damaged {kind} file: {error}.") from error

    if content is None or n_bytes > max_bytes:
        raise ValueError(_too_large(name, len(data), max_bytes))

    return content


def _too_large(name: str, n_bytes: int, max_bytes: int) -> str:
    return (
        f"{name} holds {n_bytes:,} bytes and decompresses to more than {max_bytes:,}. "
        "Decompress it first, or raise the option --max-bytes."
    )


def _measured(opened: Callable[..., Any], max_bytes: int) -> tuple[int, bytes | None]:
    """Return the size of a content, up to a limit, and itself if it is small.

    A file that is refused for its size must not fill the memory first.
    """
    n_bytes = 0
    parts: list[bytes] = []
    with opened() as file:
        while n_bytes <= max_bytes and (part := file.read(N_READ)):
            n_bytes += len(part)
            if n_bytes <= MAX_KEPT:
                parts.append(part)
    return n_bytes, b"".join(parts) if n_bytes <= MAX_KEPT else None


def compressed(data: bytes, path: Path) -> bytes:
    """Return the data to write to a file, compressed as its ending says."""
    writer = WRITERS.get(path.suffix.lower())
    return data if writer is None else writer(data)
