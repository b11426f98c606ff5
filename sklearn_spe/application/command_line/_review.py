"""The commands ``review`` and ``verify``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...active._selector import ActiveTestSelector
from ...active._stopping import RecallReached
from ...active.strategies._rules import Reading
from ...design._evidence import verify_evidence
from ...design._recall_certificate import draws_to_prove
from ..tables._source import parsed_json, read_file
from ._answer import Answer
from ._labeling_commands import ask_next, opened, record_of, selector_of, write_evidence
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
    if not labeling.table.resumes and options.confidence_level is None:
        options.confidence_level = CONFIDENCE_LEVEL
    selector = selector_of(options, labeling.table, strategy="reading")

    level = selector.estimate_.confidence_level
    rule = RecallReached(options.recall, level)
    options.n_labels = options.n_labels or 2 * Reading().page
    is_over = selector.should_stop(rule)
    evidence = selector.evidence(rule)

    answer.lines.append(_state_of_review(selector, evidence))
    answer.record |= record_of(selector) | {
        "recall": evidence["recall"],
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
        write_evidence(options.evidence, evidence, answer)
    if evidence["level"] < level:
        raise UnmetGoalError(
            f"The labels do not prove that {options.recall:.0%} of the positives are found."
        )


def _state_of_review(selector: ActiveTestSelector, evidence: dict[str, Any]) -> str:
    """Return the numbers of items read and drawn, and the level proved at each look, as text."""
    n_drawn = sum(chance is not None for chance in evidence["inclusion_proba"])
    n_before = selector.history_[0].n_labels
    n_read = selector.n_labels_ - n_drawn - n_before
    before = f"{n_before:,} labeled before, " if n_before else ""
    lines = [
        f"{evidence['n_items']:,} items: {before}{n_read:,} read from the top, {n_drawn:,} drawn "
        f"at random (seed {selector.random_state}), {evidence['n_found']:,} positives found.",
        f"{_proof_in_words(evidence)} {_forecast(selector, evidence, n_drawn)}".rstrip(),
    ]

    # Before a draw nothing is proved.
    looks = [look for look in evidence["history"] if look["n_drawn"]]
    if looks:
        lines += ["", f"{'labels':>10}{'drawn':>10}{'found':>10}{'level':>10}"]
        lines += [
            f"{look['n_labels']:>10,}{look['n_drawn']:>10,}{look['n_found']:>10,}"
            f"{look['level']:>10.3f}"
            for look in looks[-MAX_LOOKS:]
        ]
    return "\n".join(lines)


def _proof_in_words(evidence: dict[str, Any]) -> str:
    """Return what is proved, or that nothing is yet."""
    share = f"at least {evidence['recall']:.0%} of all positives are found"
    level = evidence["level"]
    if level >= evidence["confidence_level"]:
        return f"{share.capitalize()}: proved at the level {level:.3g}."
    so_far = f" beyond the level {level:.3g}" if level > 0.0 else ""
    ends = f"the review ends at {evidence['confidence_level']:g}"
    return f"That {share} is not proved yet{so_far}: {ends}."


def _forecast(selector: ActiveTestSelector, evidence: dict[str, Any], n_drawn: int) -> str:
    """Return how many draws the proof takes, if they find nothing; empty if there are none."""
    n_found = evidence["n_found"]
    level = evidence["confidence_level"]
    if evidence["level"] >= level or not selector.n_left_:
        return ""
    if not n_found:
        return "It takes a positive that is found."
    n_free = evidence["n_items"] - selector.n_labels_
    n = draws_to_prove(n_found, n_free + n_drawn, evidence["recall"], level) - n_drawn
    n = min(max(n, 1), n_free)
    if n_drawn:
        return f"About {n:,} more draws prove it, if they find no positive."
    return (
        "Rows are read from the top while they hold positives, and then drawn at random. With the "
        f"{n_found:,} that are found about {n:,} draws prove it, if they find no other."
    )


def verify(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    (name,) = options.file
    content = read_file(name)
    source = "standard input" if name == STANDARD_INPUT else Path(name).name
    try:
        record = parsed_json(content.data.decode(), source)
    except ValueError:
        raise ValueError(
            f"{source} is not an evidence file: pass the file that --evidence of find or review "
            "wrote."
        ) from None

    verification = verify_evidence(record, confidence_level=options.confidence_level)
    answer.record["evidence"] = content.path
    answer.record |= vars(verification)
    if not verification.is_verified:
        raise UnmetGoalError(f"Not verified: {verification.sentence()}")
    answer.lines.append(f"Verified: {verification.sentence()}")
