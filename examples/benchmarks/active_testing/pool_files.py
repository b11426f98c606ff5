"""A folder of pools: scores of a classifier with its probabilities and decisions.

One file a pool, ``pool_*.csv.gz`` with the columns `score`, `probability`, `prediction`, `label`.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, f1_score

PREFIX, SUFFIX = "pool_", ".csv.gz"
COLUMNS = ("score", "probability", "prediction", "label")


@dataclass(frozen=True)
class Pool:
    """Items that a classifier scored, with all their labels.

    Attributes
    ----------
    scores, probability : ndarray of shape (n,)
    predictions, labels : ndarray of shape (n,)
        0 or 1.
    """

    scores: np.ndarray
    probability: np.ndarray
    predictions: np.ndarray
    labels: np.ndarray

    @classmethod
    def load(cls, path) -> Pool:
        """Read a file."""
        with gzip.open(path, "rt") as file:
            names = file.readline().strip().split(",")
            places = [names.index(name) for name in COLUMNS]
            data = np.loadtxt(file, delimiter=",", usecols=places)
        return cls(data[:, 0], data[:, 1], data[:, 2].astype(int), data[:, 3].astype(int))

    @cached_property
    def threshold(self):
        """The smallest score that the classifier calls positive."""
        return float(self.scores[self.predictions == 1].min())

    @cached_property
    def above(self):
        """Which items are called positive, 0 or 1."""
        return (self.scores >= self.threshold).astype(float)

    def truth(self, metric):
        """Return a metric with all labels known."""
        if metric == "f1":
            return float(f1_score(self.labels, self.above))
        return float(average_precision_score(self.labels, self.scores))


def find_pools(folder, pattern=""):
    """Return the names and paths of the pools of a folder whose names match."""
    paths = sorted(Path(folder).glob(f"{PREFIX}*{SUFFIX}"))
    found = {path.name.removeprefix(PREFIX).removesuffix(SUFFIX): path for path in paths}
    return [(name, path) for name, path in found.items() if re.search(pattern, name)]
