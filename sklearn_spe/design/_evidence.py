"""Evidence for a guarantee: a record from which it can be verified without the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..goals._goal import SIZE, Goal
from ..inputs._labels import UNLABELED
from ..inputs._validation import check_number, is_number
from ._committed_order import CommittedOrder, fixed_before, hash_of
from ._goal_certificate import CertificateStep, GoalCertificate
from ._random_order import OrderedCertificate
from ._recall_certificate import Review
from ._record_fields import (
    N_ITEMS,
    Field,
    check_columns,
    check_no_salt,
    check_object,
    check_salt,
    check_salt_or_nothing,
    goal_in,
    wrong_field,
)
from ._sum_test import ThresholdCounts

# The version of the record; it changes if a key is removed or means something else.
SCHEMA_VERSION = 2
CHECKSUM = "sha256"
# What a proof takes of the inclusion probabilities of a draw, below and above each threshold.
OF_DRAWS = ("chance", "inverse", "inverse_squared", "largest")
OF_REVIEWS = ("inclusion_proba", "min_inclusion_proba")
# Probabilities add up to one up to rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class VerifiedEvidence:
    """The result of a verification.

    Attributes
    ----------
    is_verified : bool
        Whether the labels prove the guarantee at the level asked for, and nothing contradicts it.
    level : float
        The level at which they prove it.
    guarantee : str
        What is guaranteed, in words.
    n_labels : int
        Number of labels that the proof used.
    n_skipped : int
        Number of items among them that nobody could judge.
    problems : tuple of str
        What contradicts the evidence.
    order : str
        What is shown of the order in which items were drawn.
    """

    is_verified: bool
    level: float
    guarantee: str
    n_labels: int
    n_skipped: int = 0
    problems: tuple[str, ...] = ()
    order: str = ""

    def sentence(self) -> str:
        """Return the result in words."""
        how = "prove" if self.is_verified else "do not prove"
        skipped = f" ({self.n_skipped:,} of them skipped)" if self.n_skipped else ""
        return " ".join(
            [
                f"{self.n_labels:,} labels{skipped} {how} that {self.guarantee}; the level of the "
                f"proof is {self.level:.4g}.",
                *self.problems,
                self.order,
            ]
        ).strip()


# --- what is recorded --------------------------------------------------------------------------


def precision_evidence(
    certificate: OrderedCertificate,
    order: CommittedOrder,
    threshold: float,
    order_of_labels: Sequence[int],
) -> dict[str, Any]:
    """Return the evidence for the selection of a threshold.

    `order_of_labels` are the labeled or skipped items in the order of their labels.
    """
    codes = np.full(len(certificate.order), UNLABELED)
    codes[certificate.order] = certificate.codes
    known = set(order.fixed["known"]["items"])
    items = [int(item) for item in order_of_labels if item not in known]
    at = int(np.argmin(np.abs(certificate.thresholds - threshold)))
    return signed(
        {
            "fixed": order.fixed,
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
    guarantee = {
        "guarantee": "goal",
        "goal": {name: list(wanted) for name, wanted in goal.to_dict().items()},
        "confidence_level": certificate.confidence_level,
    }
    no_labels = np.full(len(certificate.order), UNLABELED)
    at = int(np.argmin(np.abs(certificate.thresholds - threshold)))
    return signed(
        {
            "fixed": fixed_before(scores, no_labels, None, guarantee),
            "labels": {
                "items": [step.item for step in certificate.steps],
                "labels": [step.code for step in certificate.steps],
            },
            "draws": [_draw_record(step) for step in certificate.steps],
            "threshold": float(certificate.thresholds[at]),
            "level": float(certificate.levels[at]),
        }
    )


def _draw_record(step: CertificateStep) -> dict[str, Any] | None:
    """Return the inclusion probabilities of an item and of all others; None if it is not drawn."""
    if step.chance is None:
        return None
    counts = {name: getattr(step.threshold_counts, name).tolist() for name in OF_DRAWS}
    return {"inclusion_proba": float(step.chance), **counts}


def recall_evidence(
    review: Review,
    scores: np.ndarray | None = None,
    *,
    recall: float,
    confidence_level: float,
    n_out: int = 0,
    n_at_looks: Iterable[int] = (),
) -> dict[str, Any]:
    """Return the evidence that a share of all positives is found, with the level at each look.

    If it was not drawn along an order for this guarantee, inclusion probabilities are recorded.
    `scores` (n_items,) are then those of the ranking, if there is one.
    """
    terms = {"recall": recall, "confidence_level": confidence_level, "n_out": n_out}
    codes = np.where(np.isnan(review.labels), UNLABELED, review.labels).astype(int)
    items, labels = review.items, codes
    draws = None
    if review.is_ordered(terms):
        assert review.order is not None
        fixed = dict(review.order.fixed)
        n_known = len(fixed["known"]["items"])
        items, labels = items[n_known:], labels[n_known:]
    else:
        ranked = scores if review.ranks is not None else None
        no_labels = np.full(review.n_items, UNLABELED)
        fixed = fixed_before(ranked, no_labels, None, {"guarantee": "recall", **terms})
        draws = {
            "inclusion_proba": _listed(review.chances),
            "min_inclusion_proba": _listed(review.least),
        }
    found = review.certificate(**terms)
    return signed(
        {
            "fixed": fixed,
            "labels": {"items": items.tolist(), "labels": labels.tolist()},
            "draws": draws,
            "n_found": found.n_found,
            "level": found.level,
            "history": [_look(review, terms, n) for n in n_at_looks],
        }
    )


def _look(review: Review, terms: Mapping[str, Any], n_labels: int) -> dict[str, Any]:
    """Return the results with the first labels."""
    found = review.until(n_labels).certificate(**terms)
    return {"n_labels": n_labels, "n_found": found.n_found, "level": found.level}


def with_columns(evidence: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return evidence with the columns of a table that hold its scores and labels."""
    record = {name: value for name, value in evidence.items() if name != CHECKSUM}
    return signed(record | {"columns": dict(columns)})


def signed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its version and checksum."""
    whole = {"schema_version": SCHEMA_VERSION, "columns": None, **record}
    return {**whole, CHECKSUM: hash_of(whole)}


# --- what is verified --------------------------------------------------------------------------


def verify_evidence(
    record: Mapping[str, Any],
    *,
    confidence_level: float = 0.95,
    commitment: str | None = None,
    salt: str | None = None,
    scores: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> VerifiedEvidence:
    """Verify a guarantee from its evidence, without the model.

    The random order is drawn again from the scores, the guarantee and the salt, and the proof is
    computed again from the labels along it. It rests on the labels being right, and on an order
    that preceded them: pass the commitment that was given before the first label, or the salt if it
    was yours. Without either this is not shown: whoever knows labels can search for a salt.

    .. versionadded:: 0.1

    Parameters
    ----------
    record : dict
        As :meth:`~sklearn_spe.ActiveTestSelector.evidence` returned it, or read from a file by
        ``json.load``.
    confidence_level : float in (0, 1), default=0.95
        The level at which the labels must prove the guarantee, whatever the record asks for.
    commitment : str, default=None
        ``selector.commitment_``, as it was before the first label.
    salt : str, default=None
        The parameter `salt` of the selector.
    scores : array-like of shape (n_items,), default=None
        The scores, larger for positives: those of the record must be the same.
    labels : array-like of shape (n_items,), default=None
        The labels of all items, 1, 0, or -1 without one: those of the record must be the same.

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
    >>> commitment = selector.commitment_  # give it to the other side
    >>> items = selector.query(30)
    >>> evidence = selector.update(items, (scores > 100)[items]).evidence()
    >>> verified = verify_evidence(evidence, confidence_level=0.9, commitment=commitment)
    >>> verified.is_verified, verified.order
    (True, 'The order was drawn again, as committed to before the first label.')
    """
    confidence_level = check_number(confidence_level, "confidence_level", "(0, 1)")
    content = _checked(record)
    fixed = content["fixed"]

    *_, proved_by = GUARANTEES[fixed["guarantee"]]
    proof = proved_by(content)

    items = np.array(content["labels"]["items"], dtype=int)
    codes = np.array(content["labels"]["labels"], dtype=int)
    problems = [*proof.contradictions(content), *_contradictions_of_data(content, scores, labels)]
    order, problem = _shown_of_order(fixed, commitment, salt)
    problems += problem
    return VerifiedEvidence(
        proof.level >= confidence_level and not problems,
        proof.level,
        proof.guarantee,
        len(items) + len(fixed["known"]["items"]),
        int(np.count_nonzero(codes == UNLABELED)),
        tuple(problems),
        order,
    )


def _checked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record after a check of all its fields, before any of them is used."""
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
    fixed = content.get("fixed")
    guarantee = fixed.get("guarantee") if isinstance(fixed, Mapping) else None
    if not isinstance(guarantee, str) or guarantee not in GUARANTEES:
        raise ValueError(
            f"The evidence must have a guarantee of {', '.join(GUARANTEES)}, got "
            f"{str(guarantee)[:40]!r}."
        )
    of_fixed, others, _ = GUARANTEES[guarantee]
    fields = {
        "columns": check_columns,
        "fixed": {"guarantee": check_salt, **FIXED, **of_fixed},
        "labels": LABELED,
        **others,
    }
    check_object(content, fields, content.keys() - {"schema_version"}, "", content)
    if hash_of(content) != record[CHECKSUM]:
        raise ValueError(
            "The evidence was changed since it was written: its checksum differs. Ask for the "
            "original file."
        )
    return content


def _contradictions_of_data(
    content: Mapping[str, Any], scores: ArrayLike | None, labels: ArrayLike | None
) -> list[str]:
    """Return how scores and labels of all items contradict those of the record."""
    fixed = content["fixed"]
    problems = []
    if scores is not None and fixed["scores"] is not None:
        scores = np.asarray(scores, dtype=float)
        if not np.array_equal(scores, np.array(fixed["scores"])):
            problems.append("The scores are others than those of the evidence.")
    if labels is not None:
        known = np.full(fixed["n_items"], UNLABELED)
        for part in (fixed["known"], content["labels"]):
            known[part["items"]] = part["labels"]
        codes = np.asarray(labels)
        if not np.array_equal(codes, known):
            n = np.count_nonzero(codes != known) if codes.shape == known.shape else len(codes)
            problems.append(f"{n:,} labels are others than those of the evidence.")
    return problems


def _shown_of_order(
    fixed: Mapping[str, Any], commitment: str | None, salt: str | None
) -> tuple[str, list[str]]:
    """Return the remark on the order of the draws, and its contradictions."""
    if fixed["salt"] is None:
        problem = "No order of the items was fixed: the commitment or salt is of another proof."
        is_asked = commitment is not None or salt is not None
        return (
            "The inclusion probabilities are those of the file: that items were drawn by them is "
            "not shown.",
            [problem] if is_asked else [],
        )
    if commitment is not None and commitment != CommittedOrder(fixed).commitment:
        return "", [
            "The commitment is another one: scores, labels known before, guarantee, level or salt "
            "were changed since."
        ]
    if salt is not None and salt != fixed["salt"]:
        return "", ["The order was drawn with another salt."]
    if commitment is None and salt is None:
        return (
            "The order was drawn again; that it preceded the labels is not shown: verify with the "
            "commitment that was given before the first label, or with your salt.",
            [],
        )
    how = "with the salt" if commitment is None else "as committed to before the first label"
    return f"The order was drawn again, {how}.", []


# --- the proofs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proof:
    """The proof by the labels, computed again."""

    level: float
    guarantee: str
    results: Mapping[str, Any] = field(default_factory=dict)  # further ones that are recorded

    def contradictions(self, content: Mapping[str, Any]) -> list[str]:
        """Return which recorded results are others."""
        results = {"level": self.level, **self.results}
        return [
            f"The {name} in the file is not that of its labels."
            for name, value in results.items()
            if not _are_equal(content[name], value)
        ]


def _are_equal(recorded: Any, computed: Any) -> bool:
    """Return whether results agree up to rounding."""
    if isinstance(computed, list):
        pairs = zip(recorded, computed, strict=False)
        return len(recorded) == len(computed) and all(_are_equal(a, b) for a, b in pairs)
    if isinstance(computed, dict):
        return all(_are_equal(recorded[name], value) for name, value in computed.items())
    return abs(recorded - computed) <= ROUNDING


def _precision(record: Mapping[str, Any]) -> Proof:
    fixed = record["fixed"]
    known = np.full(fixed["n_items"], UNLABELED)
    known[fixed["known"]["items"]] = fixed["known"]["labels"]
    wanted = {"precision": fixed["precision"]}
    if any(end is not None for end in fixed["size_limits"]):
        wanted[SIZE] = tuple(fixed["size_limits"])
    certificate = OrderedCertificate.start(
        np.array(fixed["scores"]),
        Goal.of(**wanted),
        random_order=CommittedOrder(fixed).items,
        known=known,
        first_depth=fixed["first_depth"],
        confidence_level=fixed["confidence_level"],
    )
    labels = record["labels"]
    certificate = certificate.with_labels(labels["items"], labels["labels"])
    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    n_above = int(certificate.depths[at].max(initial=0))
    return Proof(
        float(certificate.levels[at].max(initial=0.0)),
        f"at least {fixed['precision']:.4g} of the selection are positive, which is of the "
        f"{n_above:,} items of {fixed['n_items']:,} at or above the threshold, and of the known "
        "positives",
    )


def _goal(record: Mapping[str, Any]) -> Proof:
    fixed = record["fixed"]
    goal = goal_in(fixed["goal"])
    certificate = GoalCertificate.start(
        np.array(fixed["scores"]), goal, confidence_level=fixed["confidence_level"]
    )
    labels = record["labels"]
    steps = zip(labels["items"], labels["labels"], record["draws"], strict=True)
    for item, label, draw in steps:
        if draw is None:
            certificate = certificate.known([item], [label])
            continue
        counts = certificate.free_counts()
        draws = {name: np.array(draw[name], dtype=float) for name in OF_DRAWS}
        if any(values.shape != counts.shape for values in draws.values()):
            raise wrong_field("draws", "two numbers for each threshold", "others")
        if not np.allclose(draws["chance"].sum(axis=1), 1.0, rtol=0.0, atol=ROUNDING):
            raise ValueError(
                f"The inclusion probabilities of the draw of item {item} do not add up to one: ask "
                "for the original file."
            )
        certificate = certificate.drawn(
            item, label, draw["inclusion_proba"], ThresholdCounts(counts, **draws)
        )

    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    n_above = int(certificate.depths[at].max(initial=0))
    return Proof(
        float(certificate.levels[at].max(initial=0.0)),
        f"{goal} holds for the selection, which is of the {n_above:,} items of "
        f"{fixed['n_items']:,} at or above the threshold, and of the known positives",
    )


def _recall(record: Mapping[str, Any]) -> Proof:
    fixed = record["fixed"]
    known = fixed["known"]
    items = np.array([*known["items"], *record["labels"]["items"]], dtype=int)
    codes = np.array([*known["labels"], *record["labels"]["labels"]], dtype=float)
    if len(set(items.tolist())) < len(items):
        raise wrong_field("labels.items", "items without a label before", "one of them twice")

    ranks = None
    if fixed["scores"] is not None:
        ranks = np.empty(fixed["n_items"], dtype=int)
        ranks[np.argsort(-np.array(fixed["scores"]), kind="stable")] = np.arange(len(ranks))
        ranks = ranks[items]
    is_ordered = fixed["salt"] is not None
    draws = record["draws"] or {name: [None] * len(items) for name in OF_REVIEWS}
    if is_ordered == (record["draws"] is not None) or len(draws[OF_REVIEWS[0]]) != len(items):
        raise wrong_field(
            "draws", "the inclusion probabilities of all labels without a salt", "others"
        )
    review = Review(
        fixed["n_items"],
        items,
        ranks,
        np.where(codes == UNLABELED, np.nan, codes),
        np.array(draws["inclusion_proba"], dtype=float),
        np.array(draws["min_inclusion_proba"], dtype=float),
        CommittedOrder(fixed) if is_ordered else None,
    )

    terms = {name: fixed[name] for name in ("recall", "confidence_level", "n_out")}
    found = review.certificate(**terms)
    looks = [_look(review, terms, look["n_labels"]) for look in record["history"]]
    n_labels = [look["n_labels"] for look in record["history"]]
    if n_labels != sorted(set(n_labels)):
        raise wrong_field("history", "looks after increasing numbers of labels", n_labels)
    return Proof(
        found.level,
        f"the {found.n_found:,} positives that were found are at least {fixed['recall']:.4g} of "
        f"all positives among {fixed['n_items'] + fixed['n_out']:,} items",
        {"n_found": found.n_found, "history": looks},
    )


SHARE = Field(np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
MAX_ITEMS = 10**9
COUNT = Field(1, MAX_ITEMS, is_whole=True)
LABELED = {
    "items": Field(0, is_whole=True, length="", is_index=True),
    # Without a label where the annotator skipped an item.
    "labels": Field(UNLABELED, 1, is_whole=True, length="labels.items"),
}
SCORES = Field(length=N_ITEMS)
# What is fixed before the first label of each proof, besides the fields of the guarantee.
FIXED: dict[str, Any] = {
    "confidence_level": SHARE,
    "n_items": COUNT,
    "scores": SCORES,
    "known": LABELED | {"labels": Field(0, 1, is_whole=True, length="fixed.known.items")},
    "salt": check_salt,
}
LEVEL = {"level": Field(0, 1)}
CHANCES = Field(0, 1, is_optional=True, length="labels.items")
# The further fields of each guarantee, among those that are fixed and the others, and its proof.
GUARANTEES: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[..., Proof]]] = {
    "precision": (
        {
            "precision": SHARE,
            "size_limits": Field(0, is_optional=True, length=2),
            "first_depth": COUNT,
        },
        {"threshold": Field(), **LEVEL},
        _precision,
    ),
    "goal": (
        {"goal": goal_in, "salt": check_no_salt},
        {
            "draws": [
                {
                    "inclusion_proba": Field(np.nextafter(0.0, 1.0), 1.0),
                    **{name: [Field(0, length=2)] for name in OF_DRAWS},
                }
            ],
            "threshold": Field(),
            **LEVEL,
        },
        _goal,
    ),
    "recall": (
        {
            "recall": SHARE,
            "n_out": Field(0, MAX_ITEMS, is_whole=True),
            "scores": Field(length=N_ITEMS, is_absent=True),
            "salt": check_salt_or_nothing,
        },
        {
            "draws": dict.fromkeys(OF_REVIEWS, CHANCES),
            "n_found": Field(0, MAX_ITEMS, is_whole=True),
            **LEVEL,
            "history": [
                {
                    "n_labels": Field(0, is_whole=True),
                    "n_found": Field(0, is_whole=True),
                    **LEVEL,
                }
            ],
        },
        _recall,
    ),
}


def _listed(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
