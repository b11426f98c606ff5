"""Encoding of partially labeled targets: -1 for unlabeled, 0, 1, ... for the classes."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ..exceptions import LabelMarkerWarning, ParameterError, ParameterTypeError
from ._arrays import FrozenArrays
from ._frames import TextColumn, read_column
from ._validation import as_plain, is_missing, is_missing_value, unmasked

UNLABELED = -1
# Text that usually marks a missing label rather than a class.
SOUND_LIKE_A_MARKER = {"?", "-1", "n/a", "na", "unknown", "unlabeled", "unlabelled", "missing"}


@dataclass(frozen=True, eq=False)
class BinaryLabels(FrozenArrays):
    """Encoding of the labels of two classes.

    Attributes
    ----------
    classes : ndarray of shape (2,)
        The sorted classes.
    positive : int
        The index of the positive class.
    marker : object
        Marker of unlabeled items, besides missing values.
    named : bool
        Whether labels or the user named both classes; otherwise they follow convention.
    marked : bool
        Whether the marker has occurred in a y in which it was not a class.
    """

    classes: np.ndarray
    positive: int
    marker: object = -1
    named: bool = True
    marked: bool = False

    @classmethod
    def learn(
        cls,
        y: Any,
        *,
        pos_label: Any = None,
        classes: Any = None,
        unlabeled_label: Any = -1,
        before: BinaryLabels | EncodedLabels | None = None,
    ) -> BinaryLabels:
        """Infer the classes of a partially labeled y; see `read`."""
        labels, _ = cls.read(
            y,
            pos_label=pos_label,
            classes=classes,
            unlabeled_label=unlabeled_label,
            before=before,
        )
        return labels

    @classmethod
    def read(
        cls,
        y: Any,
        *,
        pos_label: Any = None,
        classes: Any = None,
        unlabeled_label: Any = -1,
        before: BinaryLabels | EncodedLabels | None = None,
    ) -> tuple[BinaryLabels, Any]:
        """Infer the classes of a partially labeled y, and encode it.

        Parameters
        ----------
        y : array-like of shape (n_samples,), or None
            None means no labels.
        pos_label : object, default=None
            As in `positive_class`.
        classes, unlabeled_label, before : object
            As in `EncodedLabels.read`.

        Returns
        -------
        labels : BinaryLabels
        codes : ndarray of shape (n_samples,) or None
            As in `codes`; None if there is no y.
        """
        encoded = EncodedLabels.read(
            y, classes=classes, unlabeled_label=unlabeled_label, before=before
        )
        return encoded.of_two(pos_label)

    def codes(self, y: Any, n_samples: int | None = None) -> np.ndarray:
        """Return 1 for positives, 0 for negatives and -1 for unlabeled items.

        Raises
        ------
        ValueError
            If the length is wrong, or a label is not among the classes.
        """
        if y is None and n_samples is not None:
            return codes_of_items(None, n_samples)
        codes, _ = encode_labels(y, classes=self.classes, unlabeled_label=self.marker)
        codes = self._of_two(codes)
        return codes if n_samples is None else codes_of_items(codes, n_samples)

    def _of_two(self, codes: np.ndarray) -> np.ndarray:
        return np.where(codes < 0, UNLABELED, codes == self.positive).astype(np.int8)

    def with_positive(self, pos_label: Any) -> BinaryLabels:
        """Return the same labels with another positive class; None keeps it."""
        if pos_label is None:
            return self
        return replace(self, positive=positive_class(self.classes, pos_label))

    @property
    def pos_label(self):
        """The positive class."""
        return self.classes[self.positive].item()

    def columns(self, negative: np.ndarray, positive: np.ndarray) -> np.ndarray:
        """Stack values of both classes as columns in the order of `classes`."""
        return np.column_stack((negative, positive) if self.positive else (positive, negative))

    def names(self) -> tuple[str, str]:
        """Return the names of the negative and of the positive class."""
        # One of several classes is ranked against the rest.
        negative = "rest" if len(self.classes) > 2 else _name_of(self.classes[1 - self.positive])
        return negative, _name_of(self.classes[self.positive])

    def decode(self, codes: Any) -> np.ndarray:
        """Return the labels of codes 0 and 1."""
        return self.classes[np.where(np.equal(codes, 1), self.positive, 1 - self.positive)]


def _name_of(label: Any) -> str:
    """Return a class as text; numbers beside missing values are floats, 1.0 for 1."""
    return f"{label:.0f}" if isinstance(label, float) and label.is_integer() else str(label)


@dataclass(frozen=True, eq=False)
class EncodedLabels(FrozenArrays):
    """A partially labeled y of any number of classes, encoded."""

    codes: np.ndarray | None  # (n_samples,), indices into `classes`, -1 if unlabeled; None if no y
    classes: np.ndarray  # (n_classes,), sorted
    marker: object = -1  # marks unlabeled items, besides missing values
    named: bool = True  # whether labels or the user named the classes
    marked: bool = False  # whether the marker has occurred where it was not a class
    pos_label: ClassVar[None] = None  # none of several classes is the positive one

    @classmethod
    def read(
        cls,
        y: Any,
        *,
        classes: Any | None = None,
        unlabeled_label: Any = -1,
        before: BinaryLabels | EncodedLabels | None = None,
    ) -> EncodedLabels:
        """Encode y, or None; `classes` and `unlabeled_label` are as in `encode_labels`.

        `before` is the encoding of earlier labels of the same items, `EncodedLabels` or
        `BinaryLabels`, whose classes and marker are kept.
        """
        if classes is None and before is not None and before.named:
            classes = before.classes

        marked = before is not None and before.marked and _same(before.marker, unlabeled_label)

        labels = [] if y is None else y
        codes, class_names, has_marker = _encoded(labels, classes, unlabeled_label, marked)
        are_named = classes is not None or len(np.unique(codes[codes >= 0])) == 2

        return cls(
            None if y is None else codes,
            class_names,
            unlabeled_label,
            are_named,
            marked or has_marker,
        )

    def decode(self, codes: Any) -> np.ndarray:
        """Return the classes of codes."""
        return self.classes[codes]

    def of_two(self, pos_label: Any | None = None) -> tuple[BinaryLabels, np.ndarray | None]:
        """Return the encoding of two classes, and the codes 1, 0 and -1; raise for others."""
        positive = positive_class(self.classes, pos_label)
        labels = BinaryLabels(self.classes, positive, self.marker, self.named, self.marked)
        return labels, None if self.codes is None else labels._of_two(self.codes)


def codes_of_items(codes: np.ndarray | None, n_samples: int) -> np.ndarray:
    """Return the codes, all -1 without labels; raise if lengths differ."""
    if codes is None:
        return np.full(n_samples, UNLABELED, dtype=np.int8)
    if len(codes) != n_samples:
        raise ParameterError(
            f"X and y must have the same length, got {n_samples} scores and {len(codes)} labels; "
            "mark unlabeled items by -1, NaN or None.",
            parameter="X",
        )
    return codes


def encode_labels(y: Any, *, classes: Any | None = None, unlabeled_label: Any = -1):
    """Encode a partially labeled target.

    Call it before any scikit-learn helper: those raise on missing values and treat -1 as a class.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Numbers, strings or booleans. `unlabeled_label`, NaN, None and ``pd.NA`` mark unlabeled
        items.
    classes : array-like of shape (n_classes,), default=None
        The classes, needed if `y` does not contain all of them. If `unlabeled_label` is one of
        them, it is a class, and only missing values mark unlabeled items.
    unlabeled_label : object, default=-1
        The marker of unlabeled items.

    Returns
    -------
    codes : ndarray of shape (n_samples,), dtype=int8 or int64
        -1 if unlabeled, else an index into `classes`.
    classes : ndarray of shape (n_classes,)
        The sorted classes, without the marker.

    Raises
    ------
    ValueError
        If the labels are ambiguous, continuous, or not among `classes`.
    TypeError
        If the labels mix types that cannot be distinguished.

    Examples
    --------
    >>> from sklearn_spe.inputs._labels import encode_labels
    >>> codes, classes = encode_labels(["spam", None, "ham", "spam"])
    >>> codes
    array([ 1, -1,  0,  1], dtype=int8)
    >>> classes
    array(['ham', 'spam'], dtype='<U4')
    """
    codes, class_names, _ = _encoded(y, classes, unlabeled_label)
    return codes, class_names


def _encoded(
    y: Any, classes: Any, unlabeled_label: Any, marks: bool = False
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return codes, classes, and whether the marker occurs in `y` and is not a class.

    With `marks` it is known not to be a class, even if `y` has only the values 1 and -1.
    """
    _check_single(unlabeled_label, "unlabeled_label")
    values = _one_column(y)
    passed = None if classes is None else read_classes(classes)
    marker = unlabeled_label

    if passed is not None and any(_same(c, unlabeled_label) for c in passed.tolist()):
        marker = None

    marked = _is_marker(values, marker)
    labeled = ~(_missing_labels(values, passed) | marked)
    present = _sorted_classes(values[labeled])
    is_known = marks or passed is not None
    if not is_known and marked.any() and _same(marker, -1) and present.tolist() == [1]:
        raise ParameterError.of(
            "y",
            "holds 1 and -1 only: is -1 a class, or an unlabeled item?",
            "If it is a class, recode y as 0 and 1 or pass classes=[-1, 1] and mark missing labels "
            "by NaN; if it marks unlabeled items, and only positives are labeled, pass "
            "classes=[0, 1].",
        )

    if passed is None:
        class_names = _complete_classes(present, marker)
        _warn_of_markers(class_names)
    else:
        class_names = passed

    dtype = np.int8 if len(class_names) < 128 else np.int64
    codes = np.full(len(values), UNLABELED, dtype=dtype)
    codes[labeled] = _codes(values[labeled], class_names)
    return codes, class_names, bool(marked.any())


def read_classes(classes: Any) -> np.ndarray:
    """Return the user's classes, sorted."""
    return _sorted_classes(_one_column(classes, "classes"))


def is_unlabeled(y: Any, *, classes: Any | None = None, unlabeled_label: Any = -1) -> np.ndarray:
    """Return which items of a partially labeled target are unlabeled.

    Unlike `encode_labels` it does not need all classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    classes : array-like of shape (n_classes,), default=None
        If `unlabeled_label` is one of them, it is a class, and only missing values mark unlabeled
        items.
    unlabeled_label : object, default=-1

    Raises
    ------
    ValueError
        If both missing values and the marker occur, so the marker may be a class.

    Examples
    --------
    >>> from sklearn_spe.inputs._labels import is_unlabeled
    >>> is_unlabeled([1, -1, -1, 1])
    array([False,  True,  True, False])
    """
    _check_single(unlabeled_label, "unlabeled_label")
    values = _one_column(y)
    passed = None if classes is None else read_classes(classes)
    missing = _missing_labels(values, passed)
    marked = _is_marker(values, unlabeled_label)
    class_names = [] if passed is None else passed.tolist()
    if any(_same(name, unlabeled_label) for name in class_names):
        return missing

    if classes is None and missing.any() and marked.any():
        raise ParameterError.of(
            "y",
            f"has missing values and {unlabeled_label!r}: is the latter a class or a second "
            "marker of unlabeled items?",
            "Pass classes=, or mark all of them alike.",
        )

    return missing | marked


def one_against_rest(codes: np.ndarray, positive: int) -> np.ndarray:
    """Return 1 for one class, 0 for the others, and NaN if unlabeled.

    NaN, not -1: if 1 is the only label, the marker could be mistaken for a class.
    """
    return np.where(codes == UNLABELED, np.nan, codes == positive)


def partial_labels(codes: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return classes for codes, and a missing value if unlabeled."""
    is_number = classes.dtype.kind in "iuf"
    missing = np.nan if is_number else None
    y = np.full(len(codes), missing, dtype=float if is_number else object)
    labeled = codes >= 0
    y[labeled] = classes[codes[labeled]]
    return y


def positive_class(classes: np.ndarray, pos_label: Any | None = None) -> int:
    """Return the index of the positive class among two, by scikit-learn's convention."""
    if len(classes) != 2:
        raise ParameterError(
            f"Two classes are needed, got {len(classes)}: {_shown(classes)}.",
            "For one class against the rest, pass y == that class (and keep missing labels "
            "missing).",
            "y",
        )

    if pos_label is None:
        if classes.dtype.kind in "biuf" and classes[1] == 1 and classes[0] in (0, -1):
            return 1
        raise ParameterError(
            f"y takes the values {_shown(classes)} and pos_label is not specified:",
            f"pass one of them as pos_label=, such as pos_label={classes.tolist()[1]!r}, or recode "
            "y as 0 (negative) and 1 (positive).",
            "pos_label",
        )

    return class_index(classes, pos_label)


def class_index(classes: np.ndarray, pos_label: Any) -> int:
    """Return the index of a class."""
    _check_single(pos_label, "pos_label")
    hits = [i for i, c in enumerate(classes.tolist()) if _same(c, pos_label)]
    if not hits:
        raise ParameterError(
            f"pos_label={pos_label!r} is not one of the classes {_shown(classes)}.",
            parameter="pos_label",
        )
    return hits[0]


def check_label_names(classes: Any, pos_label: Any, unlabeled_label: Any) -> None:
    """Raise unless labels may be of the class `pos_label`, before any is known.

    Which class it is of `classes`, or of those in the labels, is checked with them.
    """
    _check_single(unlabeled_label, "unlabeled_label")
    if pos_label is None:
        return

    _check_single(pos_label, "pos_label")
    is_label = isinstance(pos_label, (bool, np.bool_, numbers.Real, str))
    if not is_label or is_missing_value(pos_label):
        raise ParameterTypeError.of(
            "pos_label",
            f"must be a class, which is a number, a string or a boolean; got {pos_label!r}.",
        )

    if classes is None and _same(pos_label, unlabeled_label):
        raise ParameterError.of(
            "pos_label",
            f"is {pos_label!r}, which marks unlabeled items.",
            "If it is a class, pass classes=, or another unlabeled_label=.",
        )


def _check_single(label: Any, name: str) -> None:
    is_text = isinstance(label, (str, bytes))
    if not is_text and (np.iterable(label) or sparse.issparse(label)):
        raise ParameterTypeError.of(name, f"must be a single label, got {label!r}.")


def _one_column(y: Any, name: str = "y") -> np.ndarray:
    y = read_column(y, name)
    dtype = "str" if isinstance(y, TextColumn) else getattr(y, "dtype", None)
    y = unmasked(y)
    if isinstance(y, (list, tuple)):
        # numpy would convert ["a", nan] to the strings "a" and "nan".
        values: np.ndarray = np.empty(len(y), dtype=object)
        values[:] = y
    else:
        values = as_plain(y, name)

    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]

    if values.ndim != 1:
        remedy = (
            " Fit each of several labels by itself, with its column of scores, such as "
            "fit(X[:, k], y[:, k])."
        )
        raise ValueError(
            f"Labels must have shape (n_samples,), got {values.shape}."
            f"{remedy if name == 'y' and values.ndim == 2 else ''}"
        )

    # pandas stores text as objects.
    if {values.dtype.kind, getattr(dtype, "kind", "")} & {"U", "S"} or "str" in str(dtype):
        if {"-1", "nan", "None", "<NA>"} & {v for v in values.tolist() if isinstance(v, str)}:
            raise ParameterError(
                f"Labels of dtype {dtype} hold the text '-1', 'nan', 'None' or '<NA>', which may "
                "be a class or a missing label;",
                "pass an array of dtype object with None (or NaN, or the number -1) for unlabeled "
                "items.",
                "y",
            )
        return values.astype(object)

    # Dates, complex numbers and the like are not labels; as objects they are recognized by type.
    return values if values.dtype.kind in "biufO" else values.astype(object)


def _missing_labels(values: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """Return where a label is missing; an empty text is one that is, unless it is a class."""
    missing = is_missing(values)
    if values.dtype.kind == "O" and (classes is None or "" not in classes.tolist()):
        missing |= np.fromiter((_same(v, "") for v in values), dtype=bool, count=len(values))
    return missing


def _is_marker(values: np.ndarray, marker: Any) -> np.ndarray:
    if is_missing_value(marker):
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "O":
        return np.fromiter((_same(v, marker) for v in values), dtype=bool, count=len(values))
    return values == marker


def _same(value: Any, marker: Any) -> bool:
    if isinstance(value, str) or isinstance(marker, str):
        return isinstance(value, str) and isinstance(marker, str) and value == marker
    return not (is_missing_value(value) or is_missing_value(marker)) and bool(value == marker)


def _sorted_classes(labels: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "O":
        kinds = {_kind(v) for v in labels}
        if len(kinds) > 1:
            raise ParameterTypeError(
                f"Labels mix {' and '.join(sorted(kinds))}, which cannot be distinguished "
                f"reliably; got for example {_shown(labels)}.",
                "Use one type, and None, NaN or -1 for unlabeled items.",
                "y",
            )
        labels = np.array(labels.tolist()) if len(labels) else labels.astype(float)

    if labels.dtype.kind == "f":
        is_integer = np.isfinite(labels) & (labels == np.round(labels))
        if not is_integer.all():
            are_shares = ((labels >= 0.0) & (labels <= 1.0)).all()
            remedy = (
                " If these are shares, such as those of annotators who say yes, their mean is "
                "estimated by MeanEstimator(label_range=(0, 1)).fit(X, y), and a class is y >= 0.5."
            )
            raise ParameterError(
                f"Unknown label type: continuous. Labels must be classes, got the number "
                f"{labels[~is_integer][0]}.",
                f"Scores go into X, labels into y.{remedy if are_shares else ''}",
                "X",
            )

    return np.unique(labels)


def _kind(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "booleans"
    if isinstance(value, numbers.Real):
        return "numbers"
    if isinstance(value, str):
        return "strings"
    raise TypeError(
        f"A label must be a number, a string or a boolean, got {value!r} of type "
        f"{type(value).__name__}."
    )


def _warn_of_markers(classes: np.ndarray) -> None:
    """Warn of a class whose name usually marks missing values."""
    for name in classes.tolist():
        if isinstance(name, str) and name.strip().lower() in SOUND_LIKE_A_MARKER:
            message = LabelMarkerWarning(
                f"{name!r} is treated as a class.",
                f"If it marks unlabeled items, pass unlabeled_label={name!r}, or mark them by "
                "None.",
                "unlabeled_label",
            )
            warnings.warn(message, stacklevel=4)


def _complete_classes(present: np.ndarray, marker: Any) -> np.ndarray:
    """Add the class that y does not contain, if convention names it."""
    if len(present) >= 2:
        return present
    if len(present) == 0:
        return np.array([0, 1])
    if present.dtype.kind == "b":
        return np.array([False, True])

    # The marker is never a class, even if convention says so.
    is_free = not any(_same(name, marker) for name in (0, 1))
    if present.dtype.kind in "iuf" and present[0] in (0, 1) and is_free:
        return np.array([0, 1], dtype=present.dtype)

    raise ParameterError(
        f"All labeled items have the class {present.tolist()[0]!r}, and an item without a label "
        "may be of any class.",
        "If those without a label are of the other class, write its name for them; else pass "
        "classes= with the other class too.",
        "classes",
    )


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    if labels.dtype.kind == "O" and len(labels):
        labels = np.array(labels.tolist())
    unknown = [v for v in np.unique(labels).tolist() if not any(_same(c, v) for c in classes)]
    if unknown:
        raise ParameterError(
            f"y holds {unknown!r}, not among classes={_shown(classes)}.", parameter="classes"
        )
    return np.searchsorted(classes, labels.astype(classes.dtype)) if len(labels) else labels


def _shown(values: Any) -> str:
    first = map(repr, np.asarray(values).tolist()[:6])
    return "[" + ", ".join(first) + (", ..." if len(values) > 6 else "") + "]"
