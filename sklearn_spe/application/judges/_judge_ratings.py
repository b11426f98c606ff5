"""Values of columns as verdicts, numbers and labels of people; few of them may not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import cohen_kappa_score

from ._judge_fields import LARGEST, MAX_LEFT_OUT, Json, is_many
from ._judge_files import MAX_LISTED

PASS = {
    "pass",
    "passed",
    "yes",
    "y",
    "true",
    "t",
    "correct",
    "c",
    "good",
    "ok",
    "success",
    "accept",
}
FAIL = {"fail", "failed", "no", "n", "false", "f", "incorrect", "i", "bad", "wrong", "reject"}
PARTIAL = {"partial", "p", "partially correct", "partly", "tie", "mixed", "neutral", "borderline"}
MISSING = {
    "",
    "na",
    "n/a",
    "nan",
    "none",
    "null",
    "unknown",
    "unlabeled",
    "unlabelled",
    "todo",
    "?",
}

# Of a column that is known to have ratings, at most this share may be something else.
MAX_ODD = 0.4
# The value of a verdict between pass and fail.
PARTIAL_PASS = 0.5


def verdict_of(value: Json) -> float:
    """Return 1 for a pass, 0 for a fail, 0.5 for a partial one, NaN without a verdict.

    Raises ValueError for any other value.
    """
    if isinstance(value, bool):
        return float(value)
    if is_missing(value):
        return np.nan
    text = str(value).strip().lower()
    for names, verdict in ((PASS, 1.0), (FAIL, 0.0), (PARTIAL, 0.5)):
        if text in names:
            return verdict
    number = float(text)
    if number in (0.0, 0.5, 1.0):
        return number
    raise ValueError(f"{text!r} is not a verdict.")


def are_passes_and_fails(values: Sequence[Json]) -> bool:
    """Return whether values are words for passes and for fails, both of them and no others."""
    words = {str(value).strip().lower() for value in values}
    return words <= PASS | FAIL and bool(words & PASS) and bool(words & FAIL)


def is_missing(value: Json) -> bool:
    """Return whether a field is empty."""
    return (
        value is None
        or (isinstance(value, str) and value.strip().lower() in MISSING)
        or (isinstance(value, float) and np.isnan(value))
    )


def number_of(value: Json) -> float:
    """Return a number; raise ValueError, TypeError or OverflowError for any other value."""
    number = np.nan if is_missing(value) else float(value)
    if abs(number) > LARGEST:
        raise ValueError(f"{value!r} is no finite number.")
    return number


def verdicts(values: Sequence[Json], share: float = MAX_LEFT_OUT) -> np.ndarray | None:
    """Return a column as verdicts, NaN without one; None if more than a share are others."""
    return _read_by(verdict_of, values, share)


def numbers(values: Sequence[Json], share: float = MAX_LEFT_OUT) -> np.ndarray | None:
    """Return a column as numbers, NaN without one; None if more than a share are others."""
    return _read_by(number_of, values, share)


def _read_by(
    read: Callable[[Json], float], values: Sequence[Json], share: float
) -> np.ndarray | None:
    """Return the readings of a column, None if too few values have one."""
    readings = np.full(len(values), np.nan)
    n_misfits = n_numbers = 0
    for index, value in enumerate(values):
        try:
            readings[index] = read(value)
        except (ValueError, TypeError, OverflowError):
            n_misfits += 1
            n_numbers += read is verdict_of and _fits(number_of, value)
            # Grades of which nearly all are 0 or 1 are no verdicts.
            if n_numbers > 1 or is_many(n_misfits, len(values), share):
                return None
    if not n_misfits:
        return readings
    n_filled = sum(not is_missing(value) for value in values)
    return None if is_many(n_misfits, n_filled, share) else readings


def _fits(read: Callable[[Json], float], value: Json) -> bool:
    try:
        read(value)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def misfits_in(values: Sequence[Json], readings: np.ndarray) -> list[int]:
    """Return which values of a column have no reading though they are no missing ones."""
    rows = np.flatnonzero(np.isnan(readings)).tolist()
    return [row for row in rows if not is_missing(values[row])]


@dataclass(frozen=True, eq=False)
class Judge:
    """The ratings of one judge, one for each answer."""

    name: str
    values: np.ndarray  # NaN: not rated
    is_verdict: bool
    remark: str = ""  # why it says nothing; empty if it does


def values_of(values: Sequence[Json]) -> np.ndarray | None:
    """Return the ratings in a column that is known to have them, most of which fit."""
    ratings = verdicts(values, MAX_ODD)
    return numbers(values, MAX_ODD) if ratings is None else ratings


def judge_of(name: str, values: Sequence[Json]) -> Judge:
    """Return the ratings of a judge."""
    ratings = values_of(values)
    if ratings is None:
        bad = next(v for v in values if values_of([v]) is None)
        raise ValueError(
            f"--judge {name}: needed are verdicts such as pass and fail, or numbers; got "
            f"{str(bad)[:40]!r}."
        )
    levels = np.unique(ratings[np.isfinite(ratings)])
    remark = ""
    if not len(levels):
        remark = f"{name} rated no answer and is left out."
    elif len(levels) == 1:
        value = next(v for v in values if not is_missing(v))
        remark = f"{name} says {value} of every answer: it tells nothing, and is left out."
    return Judge(name, ratings, verdicts(values, MAX_ODD) is not None, remark)


def labels_of_people(
    table: dict[str, list[Json]], people: list[str], places: Sequence[str]
) -> tuple[np.ndarray, list[str]]:
    """Return the labels of the first who labeled an answer, and how people agree."""
    first, *others = people
    labels = labels_in(table[first], first, places)
    remarks = []
    for name in others:
        more = labels_in(table[name], name, places)
        both = np.isfinite(labels) & np.isfinite(more)
        n_alike = int((labels[both] == more[both]).sum())
        kappa = ""
        if len(np.unique(np.concatenate([labels[both], more[both]]))) > 1:
            value = cohen_kappa_score(labels[both].astype(str), more[both].astype(str))
            kappa = f" (kappa {value:.2f})"
        n_more = int((np.isfinite(more) & np.isnan(labels)).sum())
        added = f", and those of `{name}` for {n_more:,} others" if n_more else ""
        remarks.append(
            f"`{first}` and `{name}` agree on {n_alike:,} of {both.sum():,} answers{kappa}; the "
            f"labels are those of `{first}`{added}."
        )
        labels = np.where(np.isnan(labels), more, labels)
    return labels, remarks


def labels_in(values: Sequence[Json], column: str, places: Sequence[str] = ()) -> np.ndarray:
    """Return a column of labels; raise if it has others than pass and fail."""
    labels = verdicts(values, MAX_ODD)
    rows = [row for row in range(len(values)) if not _fits(verdict_of, values[row])]
    others = Counter(str(values[row])[:40] for row in rows)
    n_filled = sum(not is_missing(value) for value in values)
    # A word that comes again is meant.
    is_meant = is_many(len(rows), n_filled) and max(others.values(), default=0) > 1
    if labels is not None and not is_meant:
        return labels
    first = f"{places[rows[0]]}, field `{column}`: " if places else ""
    odd = ", ".join(map(repr, [*others][:MAX_LISTED]))
    raise ValueError(
        f"{first}The labels in {column!r} must be pass or fail (yes or no, true or false, 1 or 0, "
        f"correct or incorrect, partial or 0.5), got {odd}. Name another column by --label; for "
        "grades: sklearn-spe mean FILE --label GRADE --judge JUDGE."
    )
