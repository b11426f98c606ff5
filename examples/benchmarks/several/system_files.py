"""A folder of sets of items, each scored by several systems.

``NAME.csv.gz`` has one row an item in random order: `label` (0 or 1), `group` where items are in
subgroups, then one column of scores a system, larger for positives.
"""

from __future__ import annotations

import csv
import gzip
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SUFFIX = ".csv.gz"
# Systems whose scores are shares or probabilities decide at a half, all others at zero.
OF_UNIT_SCALE = re.compile(
    r"neighbours|forest|tree|mlp|complement_bayes|logreg_few|isolation|network"
)


@dataclass(frozen=True)
class SystemSet:
    """Items with the scores of several systems, and all their labels.

    Attributes
    ----------
    name : str
    systems : tuple of str
    scores : ndarray of shape (n, n_systems)
    labels : ndarray of shape (n,)
        0 or 1.
    category : ndarray of str of shape (n,) or None
        Subgroups, None where there are none.
    """

    name: str
    systems: tuple[str, ...]
    scores: np.ndarray
    labels: np.ndarray
    category: np.ndarray | None

    @classmethod
    def load(cls, path, n_rows=None) -> SystemSet:
        """Read the first rows of a file."""
        with gzip.open(path, "rt", newline="") as file:
            names, *rows = csv.reader(file)
        columns = dict(zip(names, zip(*rows[:n_rows], strict=True), strict=True))
        labels = np.array(columns.pop("label"), dtype=int)
        category = columns.pop("group", None)
        scores = np.array(list(columns.values()), dtype=float).T
        if category is not None:
            category = np.array(category)
        return cls(path.name.removesuffix(SUFFIX), tuple(columns), scores, labels, category)

    @property
    def thresholds(self) -> np.ndarray:
        """Where each system decides; of one that calls nothing positive at the highest score."""
        natural = [0.5 if OF_UNIT_SCALE.match(name) else 0.0 for name in self.systems]
        return np.clip(natural, self.scores.min(axis=0), self.scores.max(axis=0))


def find_systems(folder, pattern=""):
    """Return the paths of the sets of a folder whose names match a regular expression."""
    paths = sorted(Path(folder).glob(f"*{SUFFIX}"))
    return [path for path in paths if re.search(pattern, path.name.removesuffix(SUFFIX))]
