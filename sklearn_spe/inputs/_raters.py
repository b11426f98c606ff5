"""Labels by several people, and columns of judges."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import cohen_kappa_score

from ..exceptions import ParameterError, ParameterTypeError
from ._arrays import FrozenArrays
from ._frames import check_names, read_column, read_frame
from ._labels import BinaryLabels, is_unlabeled
from ._scores import within_unit
from ._validation import (
    as_numbers,
    as_objects,
    as_plain,
    check_columns_aligned,
    is_missing,
    listed,
    place_of_system,
    shape_of,
    unmasked,
)


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

    .. versionadded:: 0.1

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
    def of(
        cls, labels: Any, *, classes: ArrayLike | None = None, unlabeled_label: Any = -1
    ) -> Annotations:
        """Read the labels of each annotator.

        Parameters
        ----------
        labels : mapping of str to array-like of shape (n_items,)
            Maps the name of each annotator to a partially labeled y.
        classes : array-like of shape (n_classes,), default=None
            The classes. If `unlabeled_label` is one of them, it does not mark unlabeled items.
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

        check_columns_aligned(dict(zip(names, labels.values(), strict=True)))

        rows = []
        for y in labels.values():
            unlabeled = is_unlabeled(y, classes=classes, unlabeled_label=unlabeled_label)
            row = np.array(unmasked(read_column(y, "labels")), dtype=object)
            if row.size != len(unlabeled):
                raise ValueError(f"Labels must have shape (n_items,), got {row.shape}.")
            row = row.reshape(-1)
            row[unlabeled] = None
            rows.append(row)

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
        return tuple(sum(label is not None for label in row) for row in self.labels)

    @property
    def disputed(self) -> np.ndarray:
        """Indices of items with different labels."""
        return np.flatnonzero([len(_distinct(of_item)) > 1 for of_item in self.labels.T])

    @property
    def agreed(self) -> np.ndarray:
        """The label of each item on which all its annotators agree, (n_items,); else None."""
        distinct = [_distinct(of_item) for of_item in self.labels.T]
        agreed = np.full(len(distinct), None, dtype=object)
        for item, labels in enumerate(distinct):
            if len(labels) == 1:
                agreed[item] = labels[0]
        return agreed

    def agreements(self) -> list[Agreement]:
        """Return the agreement of each pair of annotators."""
        pairs = combinations(zip(self.names, self.labels, strict=True), 2)
        return [
            _agreement((name, other_name), labels, other_labels)
            for (name, labels), (other_name, other_labels) in pairs
        ]


def _distinct(labels: Iterable[Any]) -> list[Any]:
    # Compare as dictionary keys: 1, 1.0 and True are one label.
    return list(dict.fromkeys(label for label in labels if label is not None))


def _agreement(names: tuple[str, str], first: np.ndarray, second: np.ndarray) -> Agreement:
    both = np.flatnonzero(
        [one is not None and other is not None for one, other in zip(first, second, strict=True)]
    )

    # Encode labels as integers, since scikit-learn would have to sort them.
    code_of = {label: code for code, label in enumerate(_distinct([*first[both], *second[both]]))}
    first_codes = [code_of[label] for label in first[both]]
    second_codes = [code_of[label] for label in second[both]]

    kappa = np.nan
    if len(code_of) > 1:
        kappa = float(cohen_kappa_score(first_codes, second_codes))

    n_same = sum(one == other for one, other in zip(first_codes, second_codes, strict=True))
    return Agreement(names, len(both), n_same, kappa)


@dataclass(frozen=True, eq=False)
class Judges(FrozenArrays):
    """Ratings or scores of raters, one column each."""

    names: tuple[Hashable, ...]  # name or number of each rater's column
    # (n_items, n_judges), larger for positives, NaN if missing; 1 and 0 for class labels
    scores: np.ndarray
    are_verdicts: tuple[bool, ...]  # whether each rater gives class labels, not scores

    @classmethod
    def read(cls, judges: Any, n_items: int | None, labels: BinaryLabels) -> Judges:
        """Validate one column for each rater.

        `judges` holds classes of the labels, or numbers that are larger for positives; None, NaN or
        ``pd.NA`` if missing. `n_items` None uses the length of the first column. Raise ValueError
        if shapes differ, or a rater uses other classes or has no rating.
        """
        names, columns = _columns(judges)
        scores, are_verdicts = zip(
            *(
                _column(column, name, n_items, labels)
                for name, column in zip(names, columns, strict=True)
            ),
            strict=True,
        )
        lengths = {len(column) for column in scores}
        if len(lengths) > 1:
            raise ValueError(f"Columns of judges differ in length: {sorted(lengths)}.")

        return cls(names, np.column_stack(scores), are_verdicts)

    @staticmethod
    def n_items_of(judges: Any) -> int:
        """Return the number of items of unread ratings."""
        names, columns = _columns(judges)
        return len(_plain(columns[0], names[0]))

    def in_place_of(self, X: Any, greater_is_positive: bool) -> Any:
        """Return the scores X; if None, the combined score of the raters.

        Raise ValueError if both are missing, or smaller scores mean positive.
        """
        if X is not None:
            return X
        if not greater_is_positive:
            raise ParameterError(
                "greater_is_positive=False applies to the scores in X, but X is None: larger "
                "numbers of judges mean positive.",
                "Leave it out, and change the sign of the ratings where needed.",
                "greater_is_positive",
            )
        return self.together()

    def decoded(self, labels: BinaryLabels) -> list[np.ndarray]:
        """Return the ratings as given: scores, or class labels with None if missing."""
        columns = []
        for ratings, is_rated, is_verdict in zip(
            self.scores.T, self.spoke.T, self.are_verdicts, strict=True
        ):
            column = np.array(ratings)
            if is_verdict:
                column = np.full(len(ratings), None, dtype=object)
                column[is_rated] = labels.decode(ratings[is_rated].astype(int)).tolist()
            columns.append(column)
        return columns

    @property
    def n_judges(self) -> int:
        return len(self.names)

    @property
    def spoke(self) -> np.ndarray:
        """Whether each rating is present, (n_items, n_judges)."""
        return ~np.isnan(self.scores)

    def together(self) -> np.ndarray:
        """Return one score of each item: that of a single rater, or the mean of several.

        Several are standardized first, so 0 represents items without a rating. For a single
        rater, its mean does.
        """
        if self.n_judges == 1:
            (ratings,) = self.scores.T
            return np.where(np.isnan(ratings), np.nanmean(ratings), ratings)

        # Constant raters carry no information.
        std = np.nanstd(self.scores, axis=0)
        std = np.where(std > 0.0, std, 1.0)
        standardized = (self.scores - np.nanmean(self.scores, axis=0)) / std
        n_ratings = np.maximum(self.spoke.sum(axis=1), 1)
        return np.where(self.spoke, standardized, 0.0).sum(axis=1) / n_ratings

    def take(self, rows: Any) -> Judges:
        """Return the ratings of some items."""
        return replace(self, scores=self.scores[rows])

    def number_of(self, judge: Any) -> int:
        """Return the index of a rater, given by name or number."""
        return place_of_system(judge, self.names, "judge")

    def is_same(self, other: Judges | None) -> bool:
        """Return whether the raters and ratings are equal."""
        if other is None:
            return False
        same = np.array_equal(self.scores, other.scores, equal_nan=True)
        return same and self.names == other.names


def _columns(judges: Any) -> tuple[tuple[Hashable, ...], list[Hashable]]:
    """Return the names and columns of the raters, at least one."""
    judges = read_frame(judges, "judges")
    shape = shape_of(judges)

    if isinstance(judges, Mapping):
        names = tuple(judges)
        columns = list(judges.values())
    elif len(shape) == 1:
        name = getattr(judges, "name", None)
        names = (0 if name is None else name,)
        columns = [judges]
    elif hasattr(judges, "columns"):
        check_names(judges, "judges")
        names = tuple(judges.columns)
        columns = [judges[name] for name in names]
    else:
        plain = as_plain(judges, "judges")
        if plain.ndim != 2:
            raise ParameterError.of(
                "judges", f"must have shape (n_items,) or (n_items, n_judges), got {plain.shape}."
            )
        names = tuple(range(plain.shape[1]))
        columns = list(plain.T)

    if not names:
        raise ParameterError.of(
            "judges", "holds no column: leave it out, or pass one for each judge."
        )

    return names, columns


def _column(
    column: Any, name: Any, n_items: int | None, labels: BinaryLabels
) -> tuple[np.ndarray, bool]:
    """Return the scores of one rater, and whether they are class labels."""
    title = _called(name)
    subject = f"{title[0].upper()}{title[1:]}"
    plain = _plain(column, name)
    if plain.ndim != 1 or n_items not in (None, len(plain)):
        raise ParameterError.of(
            "judges",
            "must have an entry for each item, possibly missing, of shape "
            f"({n_items or 'n_items'},) for each judge; {title} has shape {plain.shape}.",
        )

    missing = is_missing(plain)
    try:
        values = set(plain[~missing].tolist())
    except TypeError as error:
        raise TypeError(f"{subject} must hold verdicts or numbers; {error}.") from None

    if _verdicts(values - {labels.marker}, labels) is not None:
        # The marker of unlabeled items also marks missing ratings.
        values -= {labels.marker} - set(labels.classes.tolist())
        missing |= np.array([value not in values for value in plain.tolist()], dtype=bool)

    if missing.all():
        raise ValueError(f"{subject} has no rating: leave it out.")

    if len(values) == 1 and labels.marker in plain.tolist():
        raise ValueError(
            f"{subject} holds {values.pop()!r} and {labels.marker!r}, the marker of missing "
            f"labels: pass classes= if {labels.marker!r} is a class, or use the classes of the "
            "labels; "
            "use None or NaN for missing ratings."
        )

    scores = np.full(len(plain), np.nan)
    verdicts = _verdicts(values, labels)
    if verdicts is None:
        scores[~missing] = _numbers(plain[~missing], subject, values, labels)
    else:
        scores[~missing] = [verdicts[value] for value in plain[~missing].tolist()]

    return scores, verdicts is not None


def _verdicts(values: set[Any], labels: BinaryLabels) -> dict[Any, float] | None:
    """Map values to 1 for the positive and 0 for the negative class; None if others occur."""
    classes = {c: float(k == labels.positive) for k, c in enumerate(labels.classes.tolist())}
    # "Yes" and "no" are accepted for any class names.
    for verdicts in (classes, {0: 0.0, 1: 1.0}):
        if values <= verdicts.keys():
            return verdicts
    return None


def _numbers(
    values: np.ndarray, subject: str, distinct: set[Any], labels: BinaryLabels
) -> np.ndarray:
    """Return scores; raise for text that is not a class."""
    words = [value for value in distinct if isinstance(value, (str, bytes))]
    if words:
        classes = labels.classes.tolist()
        class_names = ", ".join(map(repr, classes))
        unknown = next((word for word in words if word not in classes), words[0])
        raise ParameterError(
            f"{subject} holds {unknown!r}, which is not among the classes {class_names} of the "
            "labels. "
            "Use the classes of the labels, and None if missing; or grades as numbers that are "
            "larger for positives, such as 0, 0.5 and 1.",
            parameter="judges",
        )

    numbers = as_numbers(values, subject)
    if not np.isfinite(numbers).all():
        raise ParameterError(
            f"{subject} holds {numbers[~np.isfinite(numbers)][0]}: scores of judges must be "
            "finite, and None or NaN if missing.",
            parameter="judges",
        )

    others = numbers[numbers != -1.0]
    in_unit = len(others) and others.min() >= 0.0 and others.max() <= 1.0
    if len(others) < len(numbers) and in_unit:
        raise ParameterError(
            f"{subject} holds -1 and numbers in [0, 1]: if it marks missing scores, use None or "
            "NaN; if it is a score, pass other numbers in the same order, such as ranks.",
            parameter="judges",
        )

    return within_unit(numbers)


def _called(name: Any) -> str:
    return f"the column {name!r} of judges"


def _plain(column: Any, name: Any) -> np.ndarray:
    """Return the ratings of one rater as an array."""
    if not hasattr(column, "__len__"):
        raise ParameterTypeError.of(
            "judges",
            f"must have an entry for each item, possibly missing; {_called(name)} is {column!r}.",
        )
    return as_plain(column if hasattr(column, "dtype") else as_objects(column), _called(name))
