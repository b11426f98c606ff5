"""What a classifier of several classes says of each item, read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..inputs._array_like import as_numbers, check_features
from ..inputs._scores import are_percent, within_unit

__all__ = ["ClassScores", "log_others"]

# Rows of probabilities sum to one up to how they were rounded.
ROUNDING = 0.01


@dataclass(frozen=True, eq=False)
class ClassScores(FrozenArrays):
    """Probabilities or logits of several classes.

    Attributes
    ----------
    scores : ndarray of shape (n_items, n_classes)
        As they were passed.
    read_as : {"probabilities", "logits"}
    """

    scores: np.ndarray
    read_as: str

    @classmethod
    def read(cls, X, classes) -> ClassScores:
        """Read one column for each class.

        Rows that sum to one are probabilities; of anything else the softmax is taken.

        Raises
        ------
        ValueError
            If there is not one column a class, a value is not finite, or the rows of numbers in
            [0, 1] do not sum to one.
        """
        check_features(X, "X")
        scores = as_numbers(X, "X")
        names = classes.tolist()
        if scores.ndim != 2 or scores.shape[1] != len(names):
            shown = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
            raise ValueError(
                f"X has shape {scores.shape}, and y and classes= name {len(names)} classes "
                f"({shown}): of several classes X holds one column for each, in their sorted "
                f"order. Pass classes= with the names of all columns, such as clf.classes_; "
                f"items of a class that the classifier does not know are mistakes, and need a "
                f"column of zeros."
            )
        columns = list(getattr(X, "columns", names))
        if columns != names and set(columns) == set(names):
            scores = scores[:, [columns.index(name) for name in names]]
        wrong = ~np.isfinite(scores)
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"Scores must be finite; got {scores[row, column]} in row {row} and column "
                f"{column}, and {int(wrong.sum())} such values in all. Pass probabilities in "
                f"place of their logs, or drop these items with their labels."
            )
        scores = within_unit(_shares(scores))
        return cls(scores, _kind(scores))

    @cached_property
    def log_proba(self) -> np.ndarray:
        """The logs of the probabilities; -inf where one is zero."""
        if self.read_as == "logits":
            return self.scores - special.logsumexp(self.scores, axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.log(self.scores / self.scores.sum(axis=1, keepdims=True))

    @property
    def proba(self) -> np.ndarray:
        """The probabilities; as they were passed, if they were."""
        return self.scores if self.read_as == "probabilities" else np.exp(self.log_proba)

    @cached_property
    def ranked_by(self) -> np.ndarray:
        """What ranks items by how probable a class is, (n_items, n_classes).

        Probabilities as they were passed, or the log-odds of logits: their softmax ties many
        items at 1.
        """
        if self.read_as == "probabilities":
            return self.scores
        log_odds = np.empty_like(self.log_proba)
        rest = np.arange(log_odds.shape[1]) != self.predicted[:, np.newaxis]
        # Only the probability of a predicted class may leave nothing for the others.
        log_odds[rest] = self.log_proba[rest] - np.log1p(-np.exp(self.log_proba[rest]))
        log_odds[~rest] = -self.doubt
        return log_odds

    @cached_property
    def predicted(self) -> np.ndarray:
        """The most probable class of each item, the first of several, as `argmax` has it."""
        return np.argmax(self.scores, axis=1)

    @cached_property
    def log_others(self) -> np.ndarray:
        """The logs of the probabilities of all classes but the predicted one, which has -inf.

        Of shape (1, n_items, n_classes): what one classifier says.
        """
        return log_others(self.log_proba, self.predicted)[np.newaxis]

    @cached_property
    def doubt(self) -> np.ndarray:
        """The log-odds that the predicted class is wrong, as the classifier itself says.

        Of the sum of the other probabilities: one less the largest has lost its digits where a
        classifier is sure. Where all others are exactly zero they hide half the smallest sum that
        is not.
        """
        # In order, so that rows of the same numbers are tied.
        rising = np.sort(self.scores, axis=1)
        others, top = rising[:, :-1], rising[:, -1]
        if self.read_as == "logits":
            doubt = special.logsumexp(others, axis=1) - top
        else:
            with np.errstate(divide="ignore"):
                doubt = np.log(others.sum(axis=1)) - np.log(top)
        said = doubt > -np.inf
        if not said.any():
            raise ValueError(
                "Every row of X has all its probability on one class: X says which class is "
                "predicted and not how sure the classifier is. Pass its probabilities or logits."
            )
        return np.where(said, doubt, doubt[said].min() - np.log(2.0))


def log_others(log_proba, predicted) -> np.ndarray:
    """Return the logs of the probabilities of all classes but given ones, which have -inf.

    Relative to the most probable of them; if none has any, all are alike.
    """
    found, rows = log_proba.copy(), np.arange(len(predicted))
    found[rows, predicted] = -np.inf
    most = found.max(axis=1, keepdims=True)
    found = np.where(np.isneginf(most), 0.0, found - np.maximum(most, -1e300))
    found[rows, predicted] = -np.inf
    return found


def _shares(scores) -> np.ndarray:
    """Return percent, of which every row sums to 100, as shares; anything else as it is."""
    return scores / 100.0 if are_percent(scores) else scores


def _kind(scores) -> str:
    """Return what rows of scores are: probabilities if they sum to one, else logits."""
    if scores.min() < 0.0 or scores.max() > 1.0 + ROUNDING:
        return "logits"
    sums = scores.sum(axis=1)
    off = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[off] - 1.0) > ROUNDING:
        raise ValueError(
            f"X lies in [0, 1] as probabilities do, and its rows do not sum to one: row {off} sums "
            f"to {sums[off]:.6g}. Pass X / X.sum(axis=1, keepdims=True) if they are shares of "
            f"one whole; log(X / (1 - X)), as logits, if they are one against the rest."
        )
    return "probabilities"
