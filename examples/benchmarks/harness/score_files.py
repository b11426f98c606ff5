"""A folder of score sets: which of them are used, and which of their items are labelled.

The folder holds one csv.gz file a set with the columns `score` and `label`, rows in random order.
An index.csv beside them may give each set's `name`, `file`, `task` and `score_kind`; without it
every csv.gz file is a set.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FEWEST_ITEMS = 800
# A set of noisy and clean labels is used by its clean ones, which are in the column `label`.
TASKS = ("binary", "noisy+clean")
# Score kinds are free text; the first of these words in it counts.
KINDS = (
    "vote fraction",
    "log-odds",
    "margin",
    "probability",
    "discriminant",
    "anomaly",
    "distance",
)
# Files of these families are one-against-the-rest tasks of one data set: they share a weight of 2.
SHARED_WEIGHTS = {"optdigits": 2.0, "sat": 2.0}


@dataclass(frozen=True)
class ScoreSet:
    """One set: where it is and what kind it is.

    Attributes
    ----------
    name : str
    path : Path
    kind : str
        The kind of its scores.
    """

    name: str
    path: Path
    kind: str = "unknown"

    @property
    def data_set(self):
        """The family of the set if it shares a weight with others, else its own name."""
        return data_set_of(self.name)

    def load(self, n_rows=None):
        """Return the first scores and all their labels, or None if the set is of no use.

        It is of use if it has at least `FEWEST_ITEMS` items, and two classes among the first
        `n_rows`. All rows are returned if no number is given.
        """
        with gzip.open(self.path, "rt") as file:
            columns = file.readline().strip().split(",")
            data = np.loadtxt(
                file,
                delimiter=",",
                usecols=(columns.index("score"), columns.index("label")),
                max_rows=None if n_rows is None else max(n_rows, FEWEST_ITEMS),
            )
        scores, labels = data[:n_rows, 0], data[:n_rows, 1].astype(int)
        useful = len(data) >= FEWEST_ITEMS and len(np.unique(labels)) == 2
        return (scores, labels) if useful else None


def data_set_of(name):
    """Return the data set that a set of this name belongs to."""
    family = name.split("_")[0]
    return family if family in SHARED_WEIGHTS else name


def find_sets(folder, pattern=""):
    """Return the score sets of a folder whose names match a regular expression."""
    index = Path(folder) / "index.csv"
    if index.is_file():
        with index.open(newline="") as file:
            rows = [r for r in csv.DictReader(file) if r["task"] in TASKS]
    else:
        names = sorted(path.name for path in Path(folder).glob("*.csv.gz"))
        rows = [{"name": n.removesuffix(".csv.gz"), "file": n, "score_kind": ""} for n in names]
    return [
        ScoreSet(row["name"], Path(folder) / row["file"], kind_of(row["score_kind"]))
        for row in rows
        if row["file"].endswith(".csv.gz") and re.search(pattern, row["name"])
    ]


def kind_of(text):
    """Return the short kind of scores that a description names first in `KINDS`."""
    return next((kind for kind in KINDS if kind in text), "unknown")


def hide(labels, name, repeat, n_labels):
    """Return the labels with all but a few random ones replaced by -1.

    The first ones of one permutation for each set and repeat: more labels hold the fewer ones,
    and are the same for every method.
    """
    order = np.random.default_rng([zlib.crc32(name.encode()), repeat]).permutation(len(labels))
    y = np.full(len(labels), -1)
    y[order[:n_labels]] = labels[order[:n_labels]]
    return y


def seed_of(name, repeat, n_labels):
    """Return the seed of a fit's own random numbers."""
    return zlib.crc32(f"{name} {repeat} {n_labels}".encode())
