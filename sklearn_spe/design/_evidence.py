"""Evidence for a guarantee: a record from which it can be verified without the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..goals._goal import SIZE, Goal
from ..inputs._labels import UNLABELED
from ._goal_certificate import CertificateStep, GoalCertificate
from ._random_order import OrderedCertificate
from ._recall_certificate import Review
from ._sum_test import ThresholdCounts

# The version of the record; it changes if a key is removed or means something else.
SCHEMA_VERSION = 1
CHECKSUM = "sha256"
# What a proof takes of the inclusion probabilities of a draw, below and above each threshold.
OF_DRAWS = ("chance", "inverse", "inverse_squared", "largest")
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


def verify_evidence(record: Mapping[str, Any]) -> VerifiedEvidence:
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

    Returns
    -------
    verified : VerifiedEvidence

    Raises
    ------
    ValueError
        If the record is not complete, or was changed since it was written.

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
    >>> verify_evidence(evidence).is_verified
    True
    """
    if not isinstance(record, Mapping) or CHECKSUM not in record:
        raise ValueError(
            "This is not evidence of a guarantee: pass what selector.evidence() returned, or the "
            "file that --evidence wrote."
        )
    content = {name: value for name, value in record.items() if name != CHECKSUM}
    if content.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(
            f"The evidence has version {content.get('schema_version')!r}, and this package reads "
            f"{SCHEMA_VERSION}: verify it by the version of the package that wrote it."
        )
    if _checksum(content) != record[CHECKSUM]:
        raise ValueError(
            "The evidence was changed since it was written: its checksum differs. Ask for the "
            "original file."
        )
    try:
        verify = {"precision": _precision, "goal": _goal, "recall": _recall}[record["guarantee"]]
        return verify(record)
    except KeyError as error:
        raise ValueError(f"The evidence lacks {error}: ask for a complete file.") from None


def _precision(record: Mapping[str, Any]) -> VerifiedEvidence:
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
        level >= record["confidence_level"],
        level,
        f"at least {record['precision']:.4g} of the selection are positive, which is of the "
        f"{n_above:,} items of {n_items:,} at or above the threshold",
        len(labels["items"]) + len(record["known"]["items"]),
    )


def _goal(record: Mapping[str, Any]) -> VerifiedEvidence:
    wanted = {name: tuple(ends) for name, ends in record["goal"].items()}
    goal, level = Goal.of(**wanted), record["confidence_level"]
    certificate = GoalCertificate.start(np.array(record["scores"]), goal, confidence_level=level)
    for step in record["steps"]:
        if "inclusion_proba" not in step:
            certificate = certificate.known([step["item"]], [step["label"]])
            continue
        draws = {name: np.array(step[name], dtype=float) for name in OF_DRAWS}
        if not np.allclose(draws["chance"].sum(axis=1), 1.0, rtol=0.0, atol=ROUNDING):
            raise ValueError(
                f"The inclusion probabilities of the draw of item {step['item']} do not add up to "
                "one: ask for the original file."
            )
        counts = ThresholdCounts(certificate.free_counts(), **draws)
        certificate = certificate.drawn(
            step["item"], step["label"], step["inclusion_proba"], counts
        )

    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    level = float(certificate.levels[at].max(initial=0.0))
    n_above = int(certificate.depths[at].max(initial=0))
    return VerifiedEvidence(
        level >= record["confidence_level"],
        level,
        f"{goal} holds for the selection, which is of the {n_above:,} items of "
        f"{record['n_items']:,} at or above the threshold, and of the known positives",
        len(record["steps"]),
    )


def _recall(record: Mapping[str, Any]) -> VerifiedEvidence:
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
        found.is_reached,
        found.level,
        f"the {found.n_found:,} positives that were found are at least {record['recall']:.4g} of "
        f"all positives among {record['n_items'] + record['n_out']:,} items",
        len(labels),
    )


def _listed(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
