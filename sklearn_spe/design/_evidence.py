"""Evidence for a guarantee: a record from which it can be verified without the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..goals._goal import Goal
from ..inputs._labels import UNLABELED
from ..inputs._validation import check_number, is_number
from ._committed_order import CommittedOrder, hash_of
from ._goal_certificate import GoalCertificate
from ._recall_certificate import Review
from ._record_fields import (
    N_ITEMS,
    Field,
    check_columns,
    check_object,
    check_salt,
    check_salt_or_nothing,
    goal_in,
    wrong_field,
)
from ._sum_test import ThresholdCounts

# The version of the record; it changes if a key is removed or means something else.
SCHEMA_VERSION = 3
CHECKSUM = "sha256"
# What a proof takes of the inclusion probabilities of a draw, below and above each threshold.
OF_DRAWS = ("chance", "inverse", "inverse_squared", "largest")
TERMS = ("recall", "confidence_level", "n_out")
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


def guarantee_of_goal(
    goal: Goal, confidence_level: float, first_depth: int | None
) -> dict[str, Any]:
    """Return the guarantee for the selection of a threshold, as JSON."""
    return {
        "guarantee": "goal",
        "goal": {bound.metric.name: list(bound.wanted) for bound in goal.bounds},
        "confidence_level": confidence_level,
        "first_depth": first_depth,
    }


def goal_evidence(
    certificate: GoalCertificate, fixed: Mapping[str, Any], threshold: float
) -> dict[str, Any]:
    """Return the evidence for the selection of a threshold, of any goal that labels prove.

    `fixed` is as by `fixed_before`, with the guarantee of `guarantee_of_goal`.
    """
    unnamed = [bound.metric.name for bound in certificate.goal.bounds if not bound.has_name]
    if unnamed:
        raise ValueError(
            f"Evidence can be written for goals on metrics of this package only, and "
            f"{unnamed[0]!r} is not one: its definition is not in the file."
        )
    steps = certificate.steps
    at = int(np.argmin(np.abs(certificate.thresholds - threshold)))
    return signed(
        {
            "fixed": fixed,
            "labels": {
                "items": [step.item for step in steps],
                "labels": [step.code for step in steps],
            },
            "draws": [_draw_record(step.chance, step.threshold_counts) for step in steps],
            "threshold": float(certificate.thresholds[at]),
            "level": float(certificate.levels[at]),
        }
    )


def _draw_record(chance: float | None, counts: ThresholdCounts | None) -> dict[str, Any] | None:
    """Return the inclusion probabilities of an item and of all others; None if it is not drawn."""
    if chance is None:
        return None
    return {"inclusion_proba": float(chance)} | {
        name: getattr(counts, name).tolist() for name in OF_DRAWS
    }


def recall_evidence(
    review: Review,
    *,
    recall: float,
    confidence_level: float,
    n_out: int = 0,
    n_at_looks: Iterable[int] = (),
) -> dict[str, Any]:
    """Return the evidence that a share of all positives is found, with the level at each look."""
    terms = {"recall": recall, "confidence_level": confidence_level, "n_out": n_out}
    fixed = {} if review.order is None else dict(review.order.fixed)
    if any(fixed.get(name) != value for name, value in terms.items()):
        raise ValueError(
            "Evidence of a recall needs draws along an order that was fixed for it before the "
            f"first label: fit with strategy=Reading(recall={recall:g}, confidence_level="
            f"{confidence_level:g}, n_unscored={n_out}) and one ranking."
        )
    n_known = len(fixed["known"]["items"])
    codes = np.where(np.isnan(review.labels), UNLABELED, review.labels).astype(int)
    found = review.certificate(**terms)
    return signed(
        {
            "fixed": fixed,
            "labels": {
                "items": review.items[n_known:].tolist(),
                "labels": codes[n_known:].tolist(),
            },
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

    The function draws the random order again from the scores, the guarantee and the salt, and
    computes the proof again from the labels in this order. The proof assumes that the labels are
    right, and that the order was fixed before the first label. To verify the order, pass the
    commitment that you were given before the first label, or the salt if you chose it. Without
    them, somebody who knows labels could have searched for a favorable salt.

    .. versionadded:: 0.1

    Parameters
    ----------
    record : dict
        The result of :meth:`~sklearn_spe.ActiveTestSelector.evidence`, possibly read from a file by
        ``json.load``.
    confidence_level : float in (0, 1), default=0.95
        The level at which the labels must prove the guarantee. It overrides the level in the
        record.
    commitment : str, default=None
        The value of ``selector.commitment_`` before the first label.
    salt : str, default=None
        The parameter `salt` of the selector.
    scores : array-like of shape (n_items,), default=None
        The scores, larger for positives, which must equal those of the record.
    labels : array-like of shape (n_items,), default=None
        The labels of all items (1, 0, or -1 if unlabeled), which must equal those of the record.

    Returns
    -------
    verified : VerifiedEvidence

    Raises
    ------
    ValueError
        If the record is incomplete, has unknown fields, or was changed since it was written.

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
    try:
        with np.errstate(invalid="raise"):
            proof = proved_by(content)
    except FloatingPointError:
        # The logarithm of a capital below zero.
        raise ValueError(
            "A draw of the record loses more than the stake, which no draw can: ask for the "
            "original file."
        ) from None

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
        "fixed": FIXED | of_fixed,
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
    if scores is not None and not np.array_equal(np.asarray(scores, dtype=float), fixed["scores"]):
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


def _goal(record: Mapping[str, Any]) -> Proof:
    fixed = record["fixed"]
    goal = goal_in(fixed["goal"])
    first_depth = fixed["first_depth"]
    if (first_depth is None) != (fixed["salt"] is None):
        raise wrong_field("salt", "a text with a first depth, or nothing", fixed["salt"])
    known = np.full(fixed["n_items"], UNLABELED)
    known[fixed["known"]["items"]] = fixed["known"]["labels"]
    certificate = GoalCertificate.start(
        np.array(fixed["scores"]),
        goal,
        first_depth=first_depth,
        random_order=None if first_depth is None else CommittedOrder(fixed).items,
        known=known,
        confidence_level=fixed["confidence_level"],
    )
    certificate = _after_steps(certificate, record)
    at = np.flatnonzero(certificate.thresholds == record["threshold"])
    n_above = int(certificate.depths[at].max(initial=0))
    return Proof(
        float(certificate.levels[at].max(initial=0.0)),
        f"{goal} holds for the selection, which is of the {n_above:,} items of "
        f"{fixed['n_items']:,} at or above the threshold, and of the known positives",
    )


def _after_steps(certificate: GoalCertificate, record: Mapping[str, Any]) -> GoalCertificate:
    """Return the certificate after the labels of a record, in their order."""
    items, labels = (np.array(record["labels"][name], dtype=int) for name in LABELED)
    draws = record["draws"]
    starts = [k for k in range(len(items)) if draws[k] or not k or draws[k - 1]]
    for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
        draw = draws[start]
        if draw is None:
            certificate = certificate.with_labels(items[start:end], labels[start:end])
            continue
        counts = certificate.free_counts()
        sums = {name: np.array(draw[name], dtype=float) for name in OF_DRAWS}
        if certificate.walk or any(values.shape != counts.shape for values in sums.values()):
            raise wrong_field("draws", "two numbers for each threshold, or no draw", "others")
        if not np.allclose(sums["chance"].sum(axis=1), 1.0, rtol=0.0, atol=ROUNDING):
            raise ValueError(
                f"The inclusion probabilities of the draw of item {items[start]} do not add up to "
                "one: ask for the original file."
            )
        threshold_counts = ThresholdCounts(counts, **sums)
        certificate = certificate.drawn(
            items[start], labels[start], draw["inclusion_proba"], threshold_counts
        )
    return certificate


def _recall(record: Mapping[str, Any]) -> Proof:
    fixed = record["fixed"]
    known = fixed["known"]
    items = np.array([*known["items"], *record["labels"]["items"]], dtype=int)
    codes = np.array([*known["labels"], *record["labels"]["labels"]], dtype=float)

    ranks = np.empty(fixed["n_items"], dtype=int)
    ranks[np.argsort(-np.array(fixed["scores"]), kind="stable")] = np.arange(len(ranks))
    labels = np.where(codes == UNLABELED, np.nan, codes)
    is_drawn = np.zeros(len(items), dtype=bool)
    order = CommittedOrder(fixed)
    review = Review(fixed["n_items"], items, ranks[items], labels, is_drawn, order)

    terms = {name: fixed[name] for name in TERMS}
    found = review.certificate(**terms)
    n_labels = [look["n_labels"] for look in record["history"]]
    if n_labels != sorted(set(n_labels)):
        raise wrong_field("history", "looks after increasing numbers of labels", n_labels)
    return Proof(
        found.level,
        f"the {found.n_found:,} positives that were found are at least {fixed['recall']:.4g} of "
        f"all positives among {fixed['n_items'] + fixed['n_out']:,} items",
        {"n_found": found.n_found, "history": [_look(review, terms, n) for n in n_labels]},
    )


SHARE = Field(np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
MAX_ITEMS = 10**9
COUNT = Field(1, MAX_ITEMS, is_whole=True)
FOUND = Field(0, MAX_ITEMS, is_whole=True)
LABELED = {
    "items": Field(0, is_whole=True, length="", is_index=True),
    # Without a label where the annotator skipped an item.
    "labels": Field(UNLABELED, 1, is_whole=True, length="labels.items"),
}
# What is fixed before the first label of each proof, besides the fields of the guarantee.
FIXED: dict[str, Any] = {
    "guarantee": check_salt,
    "confidence_level": SHARE,
    "n_items": COUNT,
    "scores": Field(length=N_ITEMS),
    "known": LABELED | {"labels": Field(0, 1, is_whole=True, length="fixed.known.items")},
    "salt": check_salt,
}
LEVEL = {"level": Field(0, 1)}
# No draw leaves an item a smaller probability than this, nor sums of inverse ones larger squares.
LEAST_PROBABILITY = 1e-15
DRAW = {"inclusion_proba": Field(LEAST_PROBABILITY, 1.0)}
OF_THRESHOLD = [Field(0, MAX_ITEMS / LEAST_PROBABILITY**2, length=2)]
# The further fields of each guarantee, among those that are fixed and the others, and its proof.
GUARANTEES: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[..., Proof]]] = {
    "goal": (
        {
            "goal": goal_in,
            "first_depth": Field(1, MAX_ITEMS, is_whole=True, is_optional=True),
            "salt": check_salt_or_nothing,
        },
        {
            "draws": [DRAW | dict.fromkeys(OF_DRAWS, OF_THRESHOLD)],
            "threshold": Field(),
            **LEVEL,
        },
        _goal,
    ),
    "recall": (
        {"recall": SHARE, "n_out": FOUND},
        {
            "n_found": FOUND,
            **LEVEL,
            "history": [{"n_labels": FOUND, "n_found": FOUND, **LEVEL}],
        },
        _recall,
    ),
}
