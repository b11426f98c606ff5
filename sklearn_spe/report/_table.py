"""Reading scores and labels from a file."""

from __future__ import annotations

import csv
import gzip
import zlib
from pathlib import Path

import numpy as np

# What stands for a missing label in tables from spreadsheets, pandas, R and databases.
MISSING = {"", "na", "n/a", "nan", "none", "null", "<na>", "?"}


def read_table(path, score: str, label: str):
    """Read the scores and labels of a comma-separated file with a header.

    Parameters
    ----------
    path : str or Path
        A file of comma-separated values, possibly gzipped (``.gz``).
    score, label : str
        The names of the columns. A missing label (nothing, NA, NaN, None, null or a question
        mark) means that the item is not labelled.

    Returns
    -------
    scores : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_samples,), dtype=object
        Numbers where all labels are numbers, else strings; None where not labelled.

    Raises
    ------
    ValueError
        If the file is no such table, a column is missing, or a score is no number.
    """
    names, rows = read_rows(path)
    check_columns(path, names, (score, label))
    return scores_of(rows, score), labels_of(rows, label)


def read_rows(path) -> tuple[list[str], list[tuple[int, dict]]]:
    """Return the names of the columns, and every row with the line on which it ends."""
    path = Path(path)
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        # The signature is what spreadsheets write at the beginning of a file.
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
            return list(reader.fieldnames or []), rows
    except (UnicodeDecodeError, EOFError, csv.Error, zlib.error) as error:
        raise ValueError(f"{path} is no file of comma-separated values: {error}.") from error


def check_columns(path, names, wanted) -> None:
    """Raise unless a table has some columns."""
    for name in wanted:
        if name not in names:
            raise ValueError(f"{path} has no column {name!r}; it has {', '.join(names) or 'none'}.")


def scores_of(rows, column: str) -> np.ndarray:
    """Return a column of numbers."""
    return np.array([read_number(row[column], column, line) for line, row in rows])


def labels_of(rows, column: str) -> np.ndarray:
    """Return a column of labels: numbers if all are, else text; None where there is none."""
    texts = [(row[column] or "").strip() for _, row in rows]
    labels = [None if text.lower() in MISSING else text for text in texts]
    return np.array(_numbers_if_all(labels), dtype=object)


def read_number(text, column, line, what="score") -> float:
    """Return the number that a cell holds."""
    try:
        return float(text)
    except (TypeError, ValueError):
        raise ValueError(
            f"Line {line}: the {what} in column {column!r} must be a number, got {text!r}."
        ) from None


def _numbers_if_all(labels):
    try:
        numbers = [None if text is None else float(text) for text in labels]
    except ValueError:
        return labels
    if any(number is not None and np.isinf(number) for number in numbers):
        return labels
    whole = all(number is None or number.is_integer() for number in numbers)
    return [n if n is None or not whole else int(n) for n in numbers]
