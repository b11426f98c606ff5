"""Kinds of shapes as sets, of which every repeat draws another one."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from resumable_runs import Case
from score_files import hide

from sklearn_spe.datasets import ScoreShape
from sklearn_spe.datasets._simulated_scores import SCORE_SHAPES

# The seeds of these shapes; those below were looked at when experts were made.
FIRST_SEED = 5000
# So many times as many items are drawn where positives are rare.
MORE_ITEMS = {"rare": 10}


@dataclass(frozen=True)
class Kind:
    """A kind of shapes.

    Attributes
    ----------
    name : str
        One of `SCORE_SHAPES`.
    """

    name: str

    @property
    def data_set(self):
        """Each kind counts once."""
        return self.name

    @property
    def kind(self):
        """The kind of shape."""
        return self.name


def find(folder, pattern=""):
    """Return the kinds whose names match a regular expression; no folder is looked at."""
    return [Kind(name) for name in SCORE_SHAPES if re.search(pattern, name)]


def draw(kind, n_rows, n_labels, repeat):
    """Return items of a new shape with a few random labels, None if they are of one class."""
    seed = FIRST_SEED + repeat
    n_items = n_rows * MORE_ITEMS.get(kind.name, 1)
    scores, labels = ScoreShape.random(kind.name, seed).draw(n_items, seed)
    if len(np.unique(labels)) < 2:
        return None
    y = hide(labels, kind.name, repeat, n_labels)
    return Case(kind, n_labels, repeat, scores, labels, y)
