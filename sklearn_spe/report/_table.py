"""Reading scores and labels from a file."""

from __future__ import annotations

import csv
import gzip
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
        The names of the columns. A missing label (nothing, NA, NaN, None, null) means that
        the item is not labelled.

    Returns
    -------
    scores : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_samples,), dtype=object
        Numbers where all labels are numbers, else strings; None where not labelled.

    Raises
    ------
    ValueError
        If a column is missing, or a score is no number.
    """
    path = Path(path)
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open(newline="")
    with opened as file:
        rows = csv.DictReader(file)
        names = rows.fieldnames or []
        for name in (score, label):
            if name not in names:
                raise ValueError(
                    f"{path} has no column {name!r}; it has {', '.join(names) or 'none'}."
                )
        pairs = [(row[score], (row[label] or "").strip()) for row in rows]
    scores = np.array([_number(text, score, line) for line, (text, _) in enumerate(pairs, 2)])
    labels = [None if text.lower() in MISSING else text for _, text in pairs]
    return scores, np.array(_numbers_if_all(labels), dtype=object)


def _number(text, column, line) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise ValueError(
            f"Line {line}: the score in column {column!r} must be a number, got {text!r}."
        ) from None


def _numbers_if_all(labels):
    try:
        numbers = [None if text is None else float(text) for text in labels]
    except ValueError:
        return labels
    whole = all(number is None or number == int(number) for number in numbers)
    return [n if n is None or not whole else int(n) for n in numbers]
