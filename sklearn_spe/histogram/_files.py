"""Scores read from Parquet files and from partitions of frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..inputs._validation import as_tuple

# Number of tables per node of the sum tree.
N_ADDED = 16
# Number of scores per batch.
N_ROWS = 2**19
# Number of bytes per read.
N_BYTES = 2**22
WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def counted_partitions(scores, empty):
    """Return the histogram of all countable partitions, and why others failed.

    `empty` defines the bins; the errors are in a dict by partition number. Raise TypeError if
    `scores` is not a column of a dask collection.
    """
    is_column = getattr(scores, "ndim", None) == 1 and hasattr(scores, "to_delayed")
    if not is_column:
        raise TypeError(
            "scores must be a dask array of shape (n_items,) or a column of a dask frame, got "
            f"{type(scores).__name__} of ndim={getattr(scores, 'ndim', None)}. Count other "
            "scores by update or from_chunks."
        )

    from dask import compute, delayed

    blocks = scores.to_delayed()
    blocks = blocks.tolist() if hasattr(blocks, "tolist") else blocks
    parts = [delayed(_counted)(block, number, empty) for number, block in enumerate(blocks)]
    while len(parts) > 1:
        parts = [
            delayed(_added)(parts[first : first + N_ADDED])
            for first in range(0, len(parts), N_ADDED)
        ]

    (result,) = compute(*parts) if parts else ((empty, {}),)
    return result


def _counted(block, number: int, empty):
    try:
        part = type(empty)(empty.scale, resolution=empty.resolution).update(block)
        return empty + part, {}
    except (ValueError, TypeError) as error:
        return empty, {number: str(error)}


def _added(parts):
    return reduce(lambda a, b: (a[0] + b[0], {**a[1], **b[1]}), parts)


@dataclass
class ScoreFiles:
    """A column of Parquet files."""

    files: list[tuple[str, Any]]  # path of each, and its pyarrow file system
    column: str
    place: str = field(default="", init=False)  # description of the last read position, for errors

    @classmethod
    def of(cls, path, column: str, filesystem) -> ScoreFiles:
        """Find the files.

        Raise ImportError without pyarrow, FileNotFoundError if there are no files.
        """
        try:
            from pyarrow import fs
        except ImportError as error:
            raise ImportError("Reading Parquet needs pyarrow: pip install pyarrow.") from error

        if not isinstance(column, str):
            raise TypeError(f"column must be the name of a column, got {column!r}.")

        is_single = isinstance(path, str | PathLike)
        paths = (path,) if is_single else as_tuple(path, "path", "paths of files")
        files: list[tuple[str, Any]] = []

        for location in paths:
            if not isinstance(location, str | PathLike) or not fspath(location):
                raise TypeError(
                    f"path must be a path, a pattern or a list of paths; got {location!r}."
                )

            resolved = fspath(location)
            try:
                resolved, store = _in_store(resolved, filesystem, fs)
                names = _names_of(resolved, store, fs)
            except (OSError, ValueError) as error:
                raise ValueError(f"path={location!r} cannot be read: {error}") from error

            if not names:
                raise FileNotFoundError(f"No file found at {resolved!r}.")

            files += [(name, store) for name in names]

        return cls(files, column)

    def row_groups(self, n_skipped: int = 0) -> Iterator[list[Any]]:
        """Yield the columns of batches of each row group, in order; skip the first ones."""
        from pyarrow.dataset import ParquetFileFormat

        for path, filesystem in self.files:
            self.place = path
            fragment = ParquetFileFormat().make_fragment(path, filesystem)
            sizes = [group.num_rows for group in fragment.row_groups]
            first = min(n_skipped, len(sizes))
            n_skipped = max(n_skipped - len(sizes), 0)

            if first == len(sizes):
                continue

            check_column(fragment.physical_schema, self.column)
            ahead = self._scan(fragment, range(first, len(sizes)))

            for number in range(first, len(sizes)):
                self.place = f"row group {number} of {path}"
                try:
                    batches = _next_rows(ahead, sizes[number])
                except (ValueError, OSError, NotImplementedError):
                    # Errors of read-ahead come too early: read one by one from here.
                    one_by_one = ([k] for k in range(number, len(sizes)))
                    ahead = chain.from_iterable(self._scan(fragment, k) for k in one_by_one)
                    batches = _next_rows(ahead, sizes[number])
                yield batches

    def _scan(self, fragment, row_groups):
        from pyarrow.dataset import ParquetFragmentScanOptions

        # Use a stream: pre-buffering would load the whole column of a file.
        options = ParquetFragmentScanOptions(
            use_buffered_stream=True,
            buffer_size=N_BYTES,
            pre_buffer=False,
            page_checksum_verification=True,
        )
        return fragment.subset(row_group_ids=list(row_groups)).to_batches(
            columns=[self.column], batch_size=N_ROWS, fragment_scan_options=options
        )


def _next_rows(batches, n_rows: int) -> list[Any]:
    """Return the columns of the batches of the next rows."""
    columns = []
    while n_rows:
        batch = next(batches, None)
        if batch is None:
            raise OSError(f"it ends {n_rows} rows before it should.")
        n_rows -= len(batch)
        columns.append(batch.column(0))
    return columns


def check_column(schema, column: str) -> None:
    """Raise unless there is a numeric column of this name."""
    from pyarrow import types

    if column not in schema.names:
        known = ", ".join(map(repr, schema.names[:20]))
        raise ValueError(f"Column {column!r} was not found; columns are {known}.")
    kind = schema.field(column).type
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind)):
        raise TypeError(f"The column {column!r} must hold numbers, but has the type {kind}.")


def _in_store(path: str, filesystem, fs) -> tuple[str, Any]:
    """Return a path within its file system, and the pyarrow file system."""
    if isinstance(filesystem, fs.FileSystem):
        return path, filesystem

    if filesystem is not None:
        if not all(hasattr(filesystem, name) for name in ("info", "find", "open")):
            raise TypeError(
                f"filesystem must be one of pyarrow.fs or fsspec, or None; got {filesystem!r}."
            )
        return path, fs.PyFileSystem(fs.FSSpecHandler(filesystem))

    if "://" not in path:
        return Path(path).absolute().as_posix(), fs.LocalFileSystem()

    # A pattern is not a URI.
    start, pattern = _split_at_pattern(path)
    filesystem, root = fs.FileSystem.from_uri(start)
    return "/".join(filter(None, (root.rstrip("/"), pattern))), filesystem


def _names_of(path: str, filesystem, fs) -> list[str]:
    """Return the sorted files of a path: a file, a folder, or a pattern."""
    folder, pattern = _split_at_pattern(path)
    if pattern:
        selected = fs.FileSelector(folder or "/", recursive=True, allow_not_found=True)
        infos = filesystem.get_file_info(selected)
        # File systems differ in whether paths start with a slash.
        matching = re.compile(_as_regex(path.lstrip("/")))
        infos = [info for info in infos if matching.fullmatch(info.path.lstrip("/"))]
    else:
        infos = [filesystem.get_file_info(path)]
        if infos[0].type == fs.FileType.Directory:
            infos = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
            # Skip metadata files, as other readers do.
            infos = [info for info in infos if info.base_name[0] not in "._"]

    return sorted(info.path for info in infos if info.type == fs.FileType.File)


def _split_at_pattern(path: str) -> tuple[str, str]:
    """Return the folder above the first wildcard of a path, and the rest."""
    parts = path.split("/")
    first = next((k for k, part in enumerate(parts) if set("*?") & set(part)), len(parts))
    return "/".join(parts[:first]), "/".join(parts[first:])


def _as_regex(pattern: str) -> str:
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return "".join(WILDCARDS.get(piece, re.escape(piece)) for piece in pieces)
