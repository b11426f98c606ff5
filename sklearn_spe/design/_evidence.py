"""Evidence for a guarantee: a record from which it can be verified without the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..goals._goal import SIZE, Goal
from ..inputs._labels import UNLABELED
from ..inputs._validation import check_number, is_number
from ._goal_certificate import CertificateStep, GoalCertificate
from ._random_order import OrderedCertificate
from ._recall_certificate import Review
from ._sum_test import ThresholdCounts

# The version of the record; it changes if a key is removed or means something else.
SCHEMA_VERSION = 1
CHECKSUM = "sha256"
# What a proof takes of the inclusion probabilities of a draw, below and above each threshold.
OF_DRAWS = ("chance", "inverse", "inverse_squared", "largest")
# A float has no larger numbers, and a file may.
LARGEST = float(np.finfo(float).max)
# Probabilities add up to one up to rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class VerifiedEvidence:
    """The result of a verification.

    Attributes
    ----------
    is_verified : bool
        Whether the labels prove the guarantee at its confidence level.
    level : float
        The level at which they prove it.
    guarantee : str
        What is guaranteed, in words.
    n_labels : int
        Number of labels that the proof used.
    """

    is_verified: bool
    level: float
    guarantee: str
    n_labels: int

    def sentence(self) -> str:
        """Return the result in words."""
        how = "prove" if self.is_verified else "do not prove"
        return (
            f"{self.n_labels:,} labels {how} that {self.guarantee}; the level of the proof is "
            f"{self.level:.4g}."
        )


def precision_evidence(
    certificate: OrderedCertificate,
    scores: np.ndarray,
    threshold: float,
    order_of_labels: list[int],
) -> dict[str, Any]:
    """Return the evidence for the selection of a threshold.

    `scores` (n_items,) are larger for positives, and `order_of_labels` are the labeled or skipped
    items in the order of their labels.
    """
    n_items = len(certificate.order)
    codes, is_aside = np.full(n_items, UNLABELED), np.zeros(n_items, dtype=bool)
    codes[certificate.order] = certificate.codes
    is_aside[certificate.order] = certificate.is_aside
    items = [int(item) for item in order_of_labels if not is_aside[item]]
    known = np.flatnonzero(is_aside).tolist()
    at = int(np.argmin(np.abs(certificate.thresholds - threshold)))
    return signed(
        {
            "guarantee": "precision",
            "precision": certificate.min_precision,
            "confidence_level": certificate.confidence_level,
            "size_limits": [end if 0.0 < end < np.inf else None for end in certificate.size_limits],
            "n_items": n_items,
            "scores": [float(score) for score in scores],
            "random_order": certificate.random_order.tolist(),
            "first_depth": certificate.first_depth,
            "known": {"items": known, "labels": codes[known].tolist()},
            "labels": {"items": items, "labels": codes[items].tolist()},
            "threshold": float(certificate.thresholds[at]),
            "level": float(certificate.levels[at]),
        }
    )


def goal_evidence(
    certificate: GoalCertificate, scores: np.ndarray, threshold: float
) -> dict[str, Any]:
    """Return the evidence for the selection of a threshold, of any goal that draws prove.

    `scores` (n_items,) are larger for positives.
    """
    goal = certificate.goal
    unnamed = [bound.metric.name for bound in goal.bounds if not bound.has_name]
    if unnamed:
        raise ValueError(
            f"Evidence can be written for goals on metrics of this package only, and "
            f"{unnamed[0]!r} is none: its definition is not in the file."
        )
    at = int(np.argmin(np.abs(certificate.thresholds - threshold)))
    return signed(
        {
            "guarantee": "goal",
            "goal": {name: list(wanted) for name, wanted in goal.to_dict().items()},
            "confidence_level": certificate.confidence_level,
            "n_items": len(certificate.order),
            "scores": [float(score) for score in scores],
            "steps": [_step_record(step) for step in certificate.steps],
            "threshold": float(certificate.thresholds[at]),
            "level": float(certificate.levels[at]),
        }
    )


def _step_record(step: CertificateStep) -> dict[str, Any]:
    """Return a label, with the inclusion probabilities of its item and of all others."""
    record: dict[str, Any] = {"item": step.item, "label": step.code}
    if step.chance is not None:
        counts = step.threshold_counts
        record["inclusion_proba"] = float(step.chance)
        record |= {name: getattr(counts, name).tolist() for name in OF_DRAWS}
    return record


def recall_evidence(
    review: Review, *, recall: float, confidence_level: float, n_out: int = 0, history: Any = ()
) -> dict[str, Any]:
    """Return the evidence that a share of all positives is found; `history` is kept as it is."""
    found = review.certificate(recall=recall, confidence_level=confidence_level, n_out=n_out)
    return signed(
        {
            "guarantee": "recall",
            "recall": recall,
            "confidence_level": confidence_level,
            "n_items": review.n_items,
            "n_out": n_out,
            "ranks": None if review.ranks is None else review.ranks.tolist(),
            "labels": _listed(review.labels),
            "inclusion_proba": _listed(review.chances),
            "min_inclusion_proba": _listed(review.least),
            "n_found": found.n_found,
            "level": found.level,
            "history": list(history),
        }
    )


def signed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its version and checksum."""
    whole = {"schema_version": SCHEMA_VERSION, **record}
    return {**whole, CHECKSUM: _checksum(whole)}


def verify_evidence(
    record: Mapping[str, Any], *, confidence_level: float = 0.95
) -> VerifiedEvidence:
    """Verify a guarantee from its evidence, without the model.

    The proof is computed again from the labels, in the order in which items were drawn. It rests
    on what no file can show: that the seed and the goal were fixed before the first label, and that
    the labels are right.

    .. versionadded:: 0.1

    Parameters
    ----------
    record : dict
        As :meth:`~sklearn_spe.ActiveTestSelector.evidence` returned it, or read from a file by
        ``json.load``.
    confidence_level : float in (0, 1), default=0.95
        The level at which the labels must prove the guarantee, whatever the record asks for.

    Returns
    -------
    verified : VerifiedEvidence

    Raises
    ------
    ValueError
        If the record is not complete, holds what no record does, or was changed since it was
        written.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector, Goal
    >>> from sklearn_spe.design import verify_evidence
    >>> scores = np.arange(200.0)
    >>> selector = ActiveTestSelector(
    ...     Goal.of(precision=0.8), interval="anytime", n_draws=40, random_state=0).fit(scores)
    >>> items = selector.query(30)
    >>> evidence = selector.update(items, (scores > 100)[items]).evidence()
    >>> verify_evidence(evidence, confidence_level=0.9).is_verified
    True
    """
    confidence_level = check_number(confidence_level, "confidence_level", "(0, 1)")
    if not isinstance(record, Mapping) or CHECKSUM not in record:
        raise ValueError(
            "This is not evidence of a guarantee: pass what selector.evidence() returned, or the "
            "file that --evidence wrote."
        )
    content = {name: value for name, value in record.items() if name != CHECKSUM}
    version = content.get("schema_version")
    if not is_number(version, Integral) or version != SCHEMA_VERSION:
        raise ValueError(
            f"The evidence has version {version!r}, and this package reads {SCHEMA_VERSION}: "
            "verify it by the version of the package that wrote it."
        )
    guarantee = content.get("guarantee")
    if not isinstance(guarantee, str) or guarantee not in PROOFS:
        raise ValueError(
            f"The evidence must have a guarantee of {', '.join(PROOFS)}, got {guarantee!r}."
        )

    # All fields are what they should be before any of them is used.
    fields, verify = PROOFS[guarantee]
    others = content.keys() - {"schema_version", "guarantee"}
    _check_object(content, fields, others, "", content)
    if _checksum(content) != record[CHECKSUM]:
        raise ValueError(
            "The evidence was changed since it was written: its checksum differs. Ask for the "
            "original file."
        )
    return verify(content, confidence_level)


# --- what the fields of a record hold ----------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """The numbers in a field of a record."""

    low: float = -LARGEST
    high: float = LARGEST  # the last one that is allowed
    is_whole: bool = False
    is_optional: bool = False  # whether a number may be missing
    # Of a list: how many, the field that says it, or ""; None for a single number.
    length: int | str | None = None
    is_index: bool = False  # whether they are different items, numbered from 0

    def check(self, value: Any, name: str, whole: Mapping[str, Any]) -> None:
        """Raise unless a field of the record `whole` holds such numbers."""
        values = [value] if self.length is None else value
        # There are no ranks at all if there are several rankings.
        if value is None and self.is_optional and (self.is_index or self.length is None):
            return
        if not isinstance(values, list):
            raise _wrong(name, "a list of numbers", value)
        n = _n_of(whole, self.length) if isinstance(self.length, str) else self.length
        if self.length and len(values) != n:
            raise _wrong(name, f"a list of {n:,} numbers", f"{len(values):,}")

        high = whole["n_items"] - 1 if self.is_index else self.high
        kind = Integral if self.is_whole else Real
        for number in values:
            if number is None and self.is_optional:
                continue
            if not is_number(number, kind) or not abs(number) <= LARGEST:
                needed = "whole numbers" if self.is_whole else "finite numbers"
                raise _wrong(name, needed, number)
            if not self.low <= number <= high:
                raise _wrong(name, f"numbers from {self.low:g} to {high:g}", number)
        if self.is_index and len(set(values)) < len(values):
            raise _wrong(name, "each item once", "one of them twice")


def _n_of(whole: Mapping[str, Any], path: str) -> int:
    """Return a number of items, or how many a list has."""
    value: Any = whole
    for name in path.split(".") if path else ():
        value = value[name]
    return value if is_number(value) else len(value)


def _wrong(name: str, needed: str, value: Any) -> ValueError:
    return ValueError(
        f"The evidence must have {needed} in {name!r}, got {str(value)[:40]}: ask for the original "
        "file."
    )


def _check_object(
    value: Any, fields: Mapping[str, Any], names: Iterable[str], path: str, whole: Mapping[str, Any]
) -> None:
    """Raise unless an object has these fields and no others, in the order of the table."""
    if not isinstance(value, Mapping):
        raise _wrong(path, "an object", value)
    unknown = set(names) - fields.keys()
    if unknown:
        raise ValueError(f"The evidence has an unknown field: {str(min(unknown))[:40]!r}.")
    for name, field in fields.items():
        if name not in value and name not in OPTIONAL:
            raise ValueError(f"The evidence lacks {name!r}: ask for a complete file.")
        if name in value:
            _check(value[name], field, f"{path}{name}", whole)


def _check(value: Any, field: Any, name: str, whole: Mapping[str, Any]) -> None:
    """Raise unless a value is of the type in the table: numbers, an object, a list or a goal."""
    if isinstance(field, Field):
        field.check(value, name, whole)
    elif isinstance(field, dict):
        _check_object(value, field, value, f"{name}.", whole)
    elif isinstance(field, list):
        if not isinstance(value, list):
            raise _wrong(name, "a list", value)
        for index, item in enumerate(value):
            _check(item, field[0], f"{name}[{index}]", whole)
    else:
        field(value)


def _goal_of(value: Any) -> Goal:
    """Return the goal of a record; raise if it is none."""
    bounds = value.values() if isinstance(value, dict) else ()
    numbers = [end for ends in bounds if isinstance(ends, list) for end in ends if end is not None]
    if len(numbers) < len(bounds) or not all(map(is_number, numbers)) or not numbers:
        raise _wrong("goal", "two numbers or nulls for each metric", value)
    try:
        return Goal.of(**{name: tuple(ends) for name, ends in value.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"The evidence has no goal: {str(error)[:200]}") from None


# --- the proofs ----------------------------------------------------------------------------------


def _precision(record: Mapping[str, Any], confidence_level: float) -> VerifiedEvidence:
    n_items, known = record["n_items"], np.full(record["n_items"], UNLABELED)
    known[record["known"]["items"]] = record["known"]["labels"]
    wanted = {"precision": record["precision"]}
    if any(end is not None for end in record["size_limits"]):
        wanted[SIZE] = tuple(record["size_limits"])
    certificate = OrderedCertificate.start(
        np.array(record["scores"]),
        Goal.of(**wanted),
        random_order=np.array(record["random_order"]),
        known=known,
        first_depth=record["first_depth"],
        confidence_level=record["confidence_level"],
    )
    labels = record["labels"]
    certificate = certificate.with_labels(labels["items"], labels["labels"])
    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    level = float(certificate.levels[at].max(initial=0.0))
    n_above = int(certificate.depths[at].max(initial=0))
    return VerifiedEvidence(
        level >= confidence_level,
        level,
        f"at least {record['precision']:.4g} of the selection are positive, which is of the "
        f"{n_above:,} items of {n_items:,} at or above the threshold",
        len(labels["items"]) + len(record["known"]["items"]),
    )


def _goal(record: Mapping[str, Any], confidence_level: float) -> VerifiedEvidence:
    goal = _goal_of(record["goal"])
    certificate = GoalCertificate.start(
        np.array(record["scores"]), goal, confidence_level=record["confidence_level"]
    )
    for number, step in enumerate(record["steps"]):
        if "inclusion_proba" not in step:
            certificate = certificate.known([step["item"]], [step["label"]])
            continue
        counts = certificate.free_counts()
        draws = {name: np.array(step.get(name), dtype=float) for name in OF_DRAWS}
        if any(values.shape != counts.shape for values in draws.values()):
            raise _wrong(f"steps[{number}]", "two numbers for each threshold", "others")
        if not np.allclose(draws["chance"].sum(axis=1), 1.0, rtol=0.0, atol=ROUNDING):
            raise ValueError(
                f"The inclusion probabilities of the draw of item {step['item']} do not add up to "
                "one: ask for the original file."
            )
        certificate = certificate.drawn(
            step["item"], step["label"], step["inclusion_proba"], ThresholdCounts(counts, **draws)
        )

    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    level = float(certificate.levels[at].max(initial=0.0))
    n_above = int(certificate.depths[at].max(initial=0))
    return VerifiedEvidence(
        level >= confidence_level,
        level,
        f"{goal} holds for the selection, which is of the {n_above:,} items of "
        f"{record['n_items']:,} at or above the threshold, and of the known positives",
        len(record["steps"]),
    )


def _recall(record: Mapping[str, Any], confidence_level: float) -> VerifiedEvidence:
    labels = np.array(record["labels"], dtype=float)
    inclusion_proba = np.array(record["inclusion_proba"], dtype=float)
    min_inclusion_proba = np.array(record["min_inclusion_proba"], dtype=float)
    ranks = None if record["ranks"] is None else np.array(record["ranks"])
    review = Review(record["n_items"], ranks, labels, inclusion_proba, min_inclusion_proba)

    found = review.certificate(
        recall=record["recall"],
        confidence_level=record["confidence_level"],
        n_out=record["n_out"],
    )
    return VerifiedEvidence(
        found.level >= confidence_level,
        found.level,
        f"the {found.n_found:,} positives that were found are at least {record['recall']:.4g} of "
        f"all positives among {record['n_items'] + record['n_out']:,} items",
        len(labels),
    )


SHARE = Field(np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
MAX_ITEMS = 10**9
# What may be missing: the scores of draws, of a label that was known before.
OPTIONAL = ("inclusion_proba", *OF_DRAWS)
COUNT = Field(1, MAX_ITEMS, is_whole=True)
LABELED = {
    "items": Field(0, is_whole=True, length="", is_index=True),
    # Without a label where the annotator skipped an item.
    "labels": Field(UNLABELED, 1, is_whole=True, length="labels.items"),
}
SCORES = Field(length="n_items")
COMMON: dict[str, Any] = {"confidence_level": SHARE, "n_items": COUNT, "level": Field(0, 1)}
# The fields of each kind of evidence, and its proof.
PROOFS: dict[str, tuple[dict[str, Any], Callable[..., VerifiedEvidence]]] = {
    "precision": (
        {
            **COMMON,
            "precision": SHARE,
            "size_limits": Field(0, is_optional=True, length=2),
            "scores": SCORES,
            "random_order": Field(0, is_whole=True, length="n_items", is_index=True),
            "first_depth": COUNT,
            "known": LABELED | {"labels": Field(0, 1, is_whole=True, length="known.items")},
            "labels": LABELED,
            "threshold": Field(),
        },
        _precision,
    ),
    "goal": (
        {
            **COMMON,
            "goal": _goal_of,
            "scores": SCORES,
            "steps": [
                {
                    "item": Field(0, is_whole=True, is_index=True),
                    "label": Field(UNLABELED, 1, is_whole=True),
                    "inclusion_proba": Field(np.nextafter(0.0, 1.0), 1.0),
                    **{name: [Field(0, length=2)] for name in OF_DRAWS},
                }
            ],
            "threshold": Field(),
        },
        _goal,
    ),
    "recall": (
        {
            **COMMON,
            "recall": SHARE,
            "n_out": Field(0, MAX_ITEMS, is_whole=True),
            "labels": Field(0, 1, is_optional=True, length=""),
            "ranks": Field(0, is_whole=True, is_optional=True, length="labels", is_index=True),
            "inclusion_proba": Field(0, 1, is_optional=True, length="labels"),
            "min_inclusion_proba": Field(0, 1, is_optional=True, length="labels"),
            "n_found": Field(0, MAX_ITEMS, is_whole=True),
            "history": [
                {
                    "n_labels": Field(0, is_whole=True),
                    "n_drawn": Field(0, is_whole=True),
                    "n_found": Field(0, is_whole=True),
                    "level": Field(0, 1),
                }
            ],
        },
        _recall,
    ),
}


def _listed(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
