"""Tables of classifiers with many classes: files of a folder, and digits trained here.

A file is ``*_multiclass_*.npz`` with `scores` of shape (n, n_classes), larger for likelier classes,
and `labels`, the column of the true class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

PATTERN = "*_multiclass_*.npz"
N_ROWS = 2000
# Digits are trained on so few rows that some are wrong.
N_TRAINING = 150
DIGITS = {
    "digits_logreg": LogisticRegression(max_iter=1000),
    "digits_naive_bayes": GaussianNB(),
}


@dataclass(frozen=True)
class ClassTask:
    """The predictions of a classifier on the classes of items.

    Attributes
    ----------
    scores : ndarray of shape (n, n_classes)
        Probabilities or logits.
    labels : ndarray of shape (n,)
        The columns of the true classes.
    """

    scores: np.ndarray
    labels: np.ndarray

    @property
    def predicted(self):
        """The column of the class with the largest score."""
        return self.scores.argmax(axis=1)

    @property
    def confidence(self):
        """The probability of the predicted class; logits are those of a softmax."""
        is_proba = self.scores.min() >= 0.0 and self.scores.max() <= 1.0
        proba = self.scores if is_proba else special.softmax(self.scores, axis=1)
        return proba.max(axis=1)


def find_classes(folder):
    """Return the names of all tasks; without a folder those that are trained here."""
    paths = [] if folder is None else sorted(folder.glob(PATTERN))
    return [*DIGITS, *(path.stem for path in paths)]


def load_classes(folder, name) -> ClassTask:
    """Return a task."""
    if name in DIGITS:
        return digits(name)
    with np.load(folder / f"{name}.npz", allow_pickle=False) as data:
        return ClassTask(data["scores"][:N_ROWS].astype(float), data["labels"][:N_ROWS])


@cache
def digits(name) -> ClassTask:
    """Train a classifier of digits, and return its probabilities of all other rows."""
    X, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    training, items = order[:N_TRAINING], order[N_TRAINING:]
    model = DIGITS[name].fit(X[training] / 16.0, labels[training])
    return ClassTask(model.predict_proba(X[items] / 16.0), labels[items])
