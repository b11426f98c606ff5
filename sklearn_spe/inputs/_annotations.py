"""What several people say of the same items: one label each, agreement, and disagreements."""

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
    """How two annotators agree on the items that both labelled.

    Attributes
    ----------
    names : tuple of str
        Of the two.
    n_both : int
        So many items have a label of each.
    n_same : int
        On so many of these the labels are the same.
    kappa : float
        Cohen's kappa: the share of the same labels beyond what the shares of the classes alone
        would give, 1 for all and 0 for no more than that. NaN if both gave one label to all items,
        or there is no item that both labelled.
    """

    names: tuple[str, str]
    n_both: int
    n_same: int
    kappa: float

    @property
    def share(self) -> float:
        """The share of the same labels; NaN if there is no item that both labelled."""
        return self.n_same / self.n_both if self.n_both else np.nan

    def describe(self) -> str:
        """Return it in words."""
        one, other = self.names
        if not self.n_both:
            return f"{one} and {other} labelled no row both, so nothing says whether they agree."
        same = f"{self.n_same:,} of the {self.n_both:,} rows that both labelled ({self.share:.0%})"
        kappa = "not defined: one label for all" if np.isnan(self.kappa) else f"{self.kappa:.2f}"
        return f"{one} and {other} say the same of {same}; Cohen's kappa: {kappa}."


@dataclass(frozen=True, eq=False)
class Annotations(FrozenArrays):
    """Labels that several people gave to the same items.

    Attributes
    ----------
    names : tuple of str
        Of the annotators.
    labels : ndarray of shape (n_annotators, n_items)
        As they are written; None where an annotator gave none.

    Examples
    --------
    >>> from sklearn_spe.inputs import Annotations
    >>> both = Annotations.of({"anna": [1, 0, -1, 1, -1], "ben": [1, 1, 0, -1, -1]})
    >>> both.agreed
    array([1, None, 0, 1, None], dtype=object)
    >>> both.disputed
    array([1])
    >>> print(both.agreements()[0].describe())
    anna and ben say the same of 1 of the 2 rows that both labelled (50%); Cohen's kappa: 0.00.
    """

    names: tuple[str, ...]
    labels: np.ndarray

    @classmethod
    def of(cls, labels, *, classes=None, unlabeled_label=-1) -> Annotations:
        """Read what each annotator says.

        Parameters
        ----------
        labels : mapping of str to array-like of shape (n_items,)
            A partially labelled y of each annotator, by name.
        classes : array-like of shape (n_classes,), default=None
            If `unlabeled_label` is one of them it is a class.
        unlabeled_label : object, default=-1
            What marks an item without a label, beside NaN, None and ``pd.NA``.

        Raises
        ------
        ValueError
            If there is no annotator, two have one name, or they speak of different items.
        """
        if not isinstance(labels, Mapping) or not labels:
            raise ValueError(
                f"labels must be a dictionary from the name of each annotator to what that one "
                f"says, with at least one of them; got {labels!r}."
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
            told = ", ".join(f"{name} of {n:,}" for name, n in zip(names, counts, strict=True))
            raise ValueError(f"Annotators must label the same items, but speak of others: {told}.")
        return cls(names, np.stack(rows))

    @property
    def n_labeled(self) -> tuple[int, ...]:
        """How many items each annotator labelled."""
        return tuple(sum(label is not None for label in said) for said in self.labels)

    @property
    def disputed(self) -> np.ndarray:
        """The items that have different labels."""
        return np.flatnonzero([len(_distinct(said)) > 1 for said in self.labels.T])

    @property
    def agreed(self) -> np.ndarray:
        """A y of object: the label that anybody gave, None where there is none, or a dispute."""
        found = [_distinct(said) for said in self.labels.T]
        agreed = np.full(len(found), None, dtype=object)
        for item, said in enumerate(found):
            if len(said) == 1:
                agreed[item] = said[0]
        return agreed

    def agreements(self) -> list[Agreement]:
        """Return how each two annotators agree."""
        pairs = combinations(zip(self.names, self.labels, strict=True), 2)
        return [_agreement((one, other), said, too) for (one, said), (other, too) in pairs]


def _distinct(said) -> list:
    # As dictionaries compare: 1, 1.0 and True are one label.
    return list(dict.fromkeys(label for label in said if label is not None))


def _agreement(names, said, too) -> Agreement:
    both = np.flatnonzero([a is not None and b is not None for a, b in zip(said, too, strict=True)])
    # Numbers for labels, which scikit-learn would have to sort.
    number = {label: k for k, label in enumerate(_distinct([*said[both], *too[both]]))}
    here, there = ([number[of[item]] for item in both] for of in (said, too))
    kappa = float(cohen_kappa_score(here, there)) if len(number) > 1 else np.nan
    same = sum(one == other for one, other in zip(here, there, strict=True))
    return Agreement(names, len(both), same, kappa)
