"""Labels of several annotators: consensus, agreement and disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.metrics import cohen_kappa_score

from .._arrays import FrozenArrays
from ._alignment import check_aligned
from ._array_like import unmasked
from ._labels import is_unlabeled
from ._listed import listed

__all__ = ["Agreement", "Annotations"]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two annotators on the items that both labeled.

    Attributes
    ----------
    names : tuple of str
        Names of the two annotators.
    n_both : int
        Number of items labeled by both.
    n_same : int
        Number of these with equal labels.
    kappa : float
        Cohen's kappa: agreement beyond chance, 1 for full agreement and 0 for chance agreement. NaN
        if both gave one label to all items, or no item was labeled by both.
    """

    names: tuple[str, str]
    n_both: int
    n_same: int
    kappa: float

    @property
    def share(self) -> float:
        """Fraction of equal labels; NaN if no item was labeled by both."""
        return self.n_same / self.n_both if self.n_both else np.nan

    def describe(self) -> str:
        """Return a one-sentence summary."""
        one, other = self.names
        if not self.n_both:
            return (
                f"{one} and {other} have no labeled row in common, so their agreement is unknown."
            )
        same = f"{self.n_same:,} of the {self.n_both:,} rows that both labeled ({self.share:.0%})"
        kappa = "not defined: one label for all" if np.isnan(self.kappa) else f"{self.kappa:.2f}"
        return f"{one} and {other} agree on {same}; Cohen's kappa: {kappa}."


@dataclass(frozen=True, eq=False)
class Annotations(FrozenArrays):
    """Labels of the same items by several annotators.

    Attributes
    ----------
    names : tuple of str
        Names of the annotators.
    labels : ndarray of shape (n_annotators, n_items)
        Labels as given; None if missing.

    Examples
    --------
    >>> from sklearn_spe.inputs import Annotations
    >>> both = Annotations.of({"anna": [1, 0, -1, 1, -1], "ben": [1, 1, 0, -1, -1]})
    >>> both.agreed
    array([1, None, 0, 1, None], dtype=object)
    >>> both.disputed
    array([1])
    >>> print(both.agreements()[0].describe())
    anna and ben agree on 1 of the 2 rows that both labeled (50%); Cohen's kappa: 0.00.
    """

    names: tuple[str, ...]
    labels: np.ndarray

    @classmethod
    def of(cls, labels, *, classes=None, unlabeled_label=-1) -> Annotations:
        """Read the labels of each annotator.

        Parameters
        ----------
        labels : mapping of str to array-like of shape (n_items,)
            A partially labeled y of each annotator, by name.
        classes : array-like of shape (n_classes,), default=None
            If `unlabeled_label` is one of them, it is a class.
        unlabeled_label : object, default=-1
            Marker of unlabeled items, besides NaN, None and ``pd.NA``.

        Raises
        ------
        ValueError
            If there is no annotator, two have the same name, or numbers of items differ.
        """
        if not isinstance(labels, Mapping) or not labels:
            raise ValueError(
                "labels must be a dictionary from the names of annotators to their labels, with "
                f"at least one entry; got {labels!r}."
            )
        names = tuple(map(str, labels))
        if len(set(names)) < len(names):
            raise ValueError(f"Two annotators have the same name: {listed(names)}.")
        check_aligned(**dict(zip(names, labels.values(), strict=True)))
        rows = []
        for y in labels.values():
            unlabeled = is_unlabeled(y, classes=classes, unlabeled_label=unlabeled_label)
            said = np.array(unmasked(y), dtype=object)
            if said.size != len(unlabeled):
                raise ValueError(f"Labels must have shape (n_items,), got {said.shape}.")
            said = said.reshape(-1)
            said[unlabeled] = None
            rows.append(said)
        counts = list(map(len, rows))
        if len(set(counts)) > 1:
            counted = ", ".join(f"{name} of {n:,}" for name, n in zip(names, counts, strict=True))
            raise ValueError(
                f"Annotators must label the same items, but their numbers differ: {counted}."
            )
        return cls(names, np.stack(rows))

    @property
    def n_labeled(self) -> tuple[int, ...]:
        """Number of items that each annotator labeled."""
        return tuple(sum(label is not None for label in said) for said in self.labels)

    @property
    def disputed(self) -> np.ndarray:
        """Indices of items with different labels."""
        return np.flatnonzero([len(_distinct(said)) > 1 for said in self.labels.T])

    @property
    def agreed(self) -> np.ndarray:
        """Consensus labels, (n_items,) of object; None if missing or disputed."""
        found = [_distinct(said) for said in self.labels.T]
        agreed = np.full(len(found), None, dtype=object)
        for item, said in enumerate(found):
            if len(said) == 1:
                agreed[item] = said[0]
        return agreed

    def agreements(self) -> list[Agreement]:
        """Return the agreement of each pair of annotators."""
        pairs = combinations(zip(self.names, self.labels, strict=True), 2)
        return [_agreement((one, other), said, too) for (one, said), (other, too) in pairs]


def _distinct(said) -> list:
    # Compare as dictionary keys: 1, 1.0 and True are one label.
    return list(dict.fromkeys(label for label in said if label is not None))


def _agreement(names, said, too) -> Agreement:
    both = np.flatnonzero([a is not None and b is not None for a, b in zip(said, too, strict=True)])
    # Encode labels as integers, since scikit-learn would have to sort them.
    number = {label: k for k, label in enumerate(_distinct([*said[both], *too[both]]))}
    here, there = ([number[of[item]] for item in both] for of in (said, too))
    kappa = float(cohen_kappa_score(here, there)) if len(number) > 1 else np.nan
    same = sum(one == other for one, other in zip(here, there, strict=True))
    return Agreement(names, len(both), same, kappa)
