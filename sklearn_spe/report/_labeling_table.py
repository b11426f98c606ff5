"""A table that is being labelled: read, and written with the rows to label next on top."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ._table import check_columns, labels_of, read_rows, scores_of

__all__ = ["LabelingTable"]

# What the selector keeps in the table, besides the user's own columns.
PREFIX = "spe_"
KEPT = ("item", "order", "chance", "asked", "answered", "skipped")


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
        check_columns(path, names, (score, label))
        kept = [name for name in names if name.startswith(PREFIX)]
        resumes = {f"{PREFIX}{name}" for name in KEPT} <= set(kept)
        if resumes:
            places = scores_of(rows, f"{PREFIX}item")
            rows = [rows[i] for i in np.argsort(places, kind="stable")]
        columns = {"score": scores_of(rows, score), "label": labels_of(rows, label)}
        if resumes:
            for name in KEPT:
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
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            names = [*self.names, *(f"{PREFIX}{name}" for name in KEPT)]
            writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            for item in [*first, *rest]:
                kept = {f"{PREFIX}{name}": _text(columns[name][item]) for name in KEPT}
                writer.writerow({**self.rows[item], **kept})


def _numbers(rows, column) -> np.ndarray:
    """Return a column of numbers of which some are missing."""
    texts = [(row[column] or "").strip().lower() for _, row in rows]
    return np.array([_number(text) for text in texts])


def _number(text) -> float:
    return float({"": "nan", "true": "1", "false": "0"}.get(text, text))


def _text(value) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return "" if value != value else repr(value.item() if hasattr(value, "item") else value)
