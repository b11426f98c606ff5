"""A table that is being labelled: read, and written with the rows to label next on top."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..active import RECORD
from ._table import check_columns, labels_of, read_number, read_rows, scores_of

__all__ = ["LabelingTable"]

# What the selector keeps in the table, besides the user's own columns.
PREFIX = "spe_"


@dataclass(frozen=True, eq=False)
class LabelingTable:
    """Rows of a file, of which some are labelled.

    Attributes
    ----------
    path : Path
    names : list of str
        The user's columns.
    label : str
        The column of labels.
    rows : list of dict
        In the order of the items.
    columns : dict of str to ndarray
        As `ActiveTestSelector.from_frame` takes them.
    """

    path: Path
    names: list[str]
    label: str
    rows: list[dict]
    columns: dict

    @classmethod
    def read(cls, path, score: str, label: str) -> LabelingTable:
        """Read a file, whether or not it was written by `write`.

        Raises
        ------
        ValueError
            If the file is no such table, a column is missing, or a number is none.
        """
        names, rows = read_rows(path)
        check_columns(path, names, (score,))
        if label not in names:
            # Nothing is labelled yet.
            names.append(label)
            rows = [(line, {**row, label: ""}) for line, row in rows]
        kept = [name for name in names if name.startswith(PREFIX)]
        resumes = {f"{PREFIX}{name}" for name in RECORD} <= set(kept)
        if resumes:
            places = scores_of(rows, f"{PREFIX}item")
            rows = [rows[i] for i in np.argsort(places, kind="stable")]
        columns = {"score": scores_of(rows, score), "label": labels_of(rows, label)}
        if resumes:
            for name in RECORD:
                columns[name] = _numbers(rows, f"{PREFIX}{name}")
        own = [name for name in names if name not in kept]
        return cls(Path(path), own, label, [row for _, row in rows], columns)

    @property
    def default_path(self) -> Path:
        """Where to write: next to a table that is the user's, over one that was written here."""
        if "order" in self.columns and self.path.suffix == ".csv":
            return self.path
        return self.path.with_name(f"{self.path.name.split('.')[0]}_next.csv")

    def write(self, path, columns: dict, first) -> None:
        """Write all rows, some of them on top.

        Parameters
        ----------
        path : Path
        columns : dict of str to ndarray
            As `ActiveTestSelector.to_columns` returns them.
        first : ndarray of int
            The items on top.
        """
        rest = np.setdiff1d(np.arange(len(self.rows)), first)
        path = Path(path)
        if path.exists() and path.resolve() != self.path.resolve():
            raise ValueError(
                f"{path} exists and may hold labels: go on from it (in the place of {self.path}), "
                f"or name another file by --out."
            )
        opener = gzip.open if path.suffix == ".gz" else open
        # Written beside and moved: all of it, or nothing.
        beside = path.with_name(f".{path.name}.part")
        with opener(beside, "wt", encoding="utf-8", newline="") as file:
            names = [*self.names, *(f"{PREFIX}{name}" for name in RECORD)]
            writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for item in [*first, *rest]:
                kept = {f"{PREFIX}{name}": _text(columns[name][item]) for name in RECORD}
                writer.writerow({**self.rows[item], **kept})
        beside.replace(path)


def _numbers(rows, column) -> np.ndarray:
    """Return a column of numbers of which some are missing."""
    words = {"": "nan", "true": "1", "false": "0"}
    texts = [(line, (row[column] or "").strip().lower()) for line, row in rows]
    numbers = [read_number(words.get(text, text), column, line, "record") for line, text in texts]
    return np.array(numbers)


def _text(value) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return "" if value != value else repr(value.item() if hasattr(value, "item") else value)
