"""The commands ``review`` and ``verify``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...active._selector import ActiveTestSelector
from ...active._stopping import RecallReached
from ...active.strategies._rules import Reading
from ...design._evidence import verify_evidence
from ...design._recall_certificate import draws_to_prove
from ...inputs._labels import UNLABELED
from ...inputs._scores import ScoreDirection
from ...inputs._validation import MARKER
from ..tables._labeling_table import digest_of_rows, in_order_of_items
from ..tables._reading import read_table
from ..tables._source import parsed_json, read_file
from ..tables._table import Table
from ._answer import Answer
from ._labeling_commands import (
    ask_next,
    opened,
    record_of,
    selector_of,
    tell_commitment,
    write_evidence,
)
from ._terminal import UnmetGoalError

# The name of standard input.
STANDARD_INPUT = "-"
# The level of a review.
CONFIDENCE_LEVEL = 0.95
# The number of last looks that are shown.
MAX_LOOKS = 20


def review(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    labeling = opened(options, answer)
    session = labeling.table.session
    if session is None:
        options.confidence_level = options.confidence_level or CONFIDENCE_LEVEL
    level = options.confidence_level
    if level is None and session is not None:
        level = session.settings["confidence_level"]
    strategy = Reading(recall=options.recall, confidence_level=level)
    selector = selector_of(options, labeling.table, strategy=strategy)
    rule = RecallReached(options.recall, level)
    options.n_labels = options.n_labels or 2 * Reading().page
    is_over = selector.should_stop(rule)
    evidence = selector.evidence(rule)

    answer.lines.append(_state_of_review(selector, evidence))
    tell_commitment(answer, selector, labeling.table)
    answer.record |= record_of(selector) | {
        "recall": options.recall,
        "n_found": evidence["n_found"],
        "level": evidence["level"],
        "history": evidence["history"],
        "n_labels": selector.n_labels_,
        "stop_reason": selector.stop_reason_,
    }
    if not is_over:
        ask_next(options, answer, labeling, selector)
        return

    answer.lines.append(f"Stop: {selector.stop_reason_}.")
    if options.evidence is not None:
        write_evidence(options.evidence, evidence, answer, labeling.table, selector)
    if evidence["level"] < level:
        raise UnmetGoalError(
            f"The labels do not prove that {options.recall:.0%} of the positives are found."
        )


def _state_of_review(selector: ActiveTestSelector, evidence: dict[str, Any]) -> str:
    """Return the numbers of items read and drawn, and the level proved at each look, as text."""
    fixed = evidence["fixed"]
    n_drawn = int(np.isfinite(selector.query_proba_).sum()) - _n_pending_draws(selector)
    n_before = int(np.count_nonzero(selector.to_columns()["answered"] == 0))
    n_read = selector.n_labels_ - n_drawn - n_before
    before = f"{n_before:,} labeled before, " if n_before else ""
    lines = [
        f"{fixed['n_items']:,} items: {before}{n_read:,} read from the top, {n_drawn:,} drawn at "
        f"random (seed {selector.random_state}), {evidence['n_found']:,} positives found.",
        f"{_proof_in_words(evidence)} {_forecast(selector, evidence, n_drawn)}".rstrip(),
    ]

    # At first nothing is proved.
    looks = [look for look in evidence["history"] if look["level"] > 0.0]
    if looks:
        lines += ["", f"{'labels':>10}{'found':>10}{'level':>10}"]
        lines += [
            f"{look['n_labels']:>10,}{look['n_found']:>10,}{look['level']:>10.3f}"
            for look in looks[-MAX_LOOKS:]
        ]
    return "\n".join(lines)


def _n_pending_draws(selector: ActiveTestSelector) -> int:
    """Return how many items were drawn and have no label."""
    return int(np.isfinite(selector.query_proba_[selector.pending_]).sum())


def _proof_in_words(evidence: dict[str, Any]) -> str:
    """Return the proved level as a sentence, or that nothing is proved yet."""
    fixed = evidence["fixed"]
    share = f"at least {fixed['recall']:.0%} of all positives are found"
    level = evidence["level"]
    if level >= fixed["confidence_level"]:
        return f"{share.capitalize()}: proved at the level {level:.3g}."
    so_far = f" beyond the level {level:.3g}" if level > 0.0 else ""
    ends = f"the review ends at {fixed['confidence_level']:g}"
    return f"That {share} is not proved yet{so_far}: {ends}."


def _forecast(selector: ActiveTestSelector, evidence: dict[str, Any], n_drawn: int) -> str:
    """Return the number of draws until the proof, if all are negative, in words, or nothing."""
    fixed = evidence["fixed"]
    n_found = evidence["n_found"]
    level = fixed["confidence_level"]
    if evidence["level"] >= level or not selector.n_left_:
        return ""
    if not n_found:
        return "It takes a positive that is found."
    n_free = fixed["n_items"] - selector.n_labels_
    n = draws_to_prove(n_found, n_free + n_drawn, fixed["recall"], level) - n_drawn
    n = min(max(n, 1), n_free)
    if n_drawn:
        return f"About {n:,} more draws prove it, if they find no positive."
    return (
        "Rows are read from the top while they hold positives, and then drawn at random. With the "
        f"{n_found:,} that are found about {n:,} draws prove it, if they find no other."
    )


def verify(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    *tables, name = options.file
    if len(tables) > 1:
        raise ValueError(
            f"verify takes one table and one evidence file, got {len(options.file)} files."
        )
    content = read_file(name)
    source = "standard input" if name == STANDARD_INPUT else Path(name).name
    try:
        record = parsed_json(content.data.decode(), source)
    except ValueError:
        raise ValueError(
            f"{source} is not an evidence file: pass the file that --evidence of find or review "
            "wrote."
        ) from None

    # Checked before anything of it is used.
    verify_evidence(record, confidence_level=options.confidence_level)
    salt_of_record = record["fixed"]["salt"] or ""
    text, _, digest = salt_of_record.partition(":")
    of_table: dict[str, Any] = {}
    problems: list[str] = []
    if tables:
        table, of_table = _of_table(tables[0], record)
        if digest and digest_of_rows(table, record["columns"]["label"]) != digest:
            problems.append("The rows are others than those with which the order was drawn.")
    salt = salt_of_record if options.salt == text else options.salt
    verification = verify_evidence(
        record,
        confidence_level=options.confidence_level,
        commitment=options.commitment,
        salt=salt,
        **of_table,
    )
    if problems:
        problems = [*verification.problems, *problems]
        verification = replace(verification, is_verified=False, problems=tuple(problems))

    answer.record["evidence"] = content.path
    answer.record |= vars(verification)
    if not verification.is_verified:
        raise UnmetGoalError(f"Not verified: {verification.sentence()}")
    answer.lines.append(f"Verified: {verification.sentence()}")


def _of_table(name: str, record: Mapping[str, Any]) -> tuple[Table, dict[str, np.ndarray]]:
    """Return a table in the order of the items, and its scores and labels as evidence has them."""
    columns = record["columns"]
    if columns is None:
        raise ValueError(
            "The evidence was not written from a table: pass the file alone, or compare scores and "
            "labels in Python by verify_evidence(record, scores=..., labels=...)."
        )
    table = read_table(name, wanted=[columns["score"], columns["label"]])
    table = in_order_of_items(table.without_missing(columns["score"]))
    scores = table.numbers(columns["score"]).values
    direction = ScoreDirection.of(scores, not columns["smaller_is_positive"])

    labels = table.labels(columns["label"]).values
    codes = [
        UNLABELED if label in (None, MARKER) else int(label == columns["pos_label"])
        for label in labels.tolist()
    ]
    return table, {"scores": direction.flip(scores), "labels": np.array(codes)}
