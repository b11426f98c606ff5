"""Verdicts in plain words, without the names of models and parameters."""

from __future__ import annotations

from dataclasses import replace

from ..results._verdict import Reason, Verdict

# Problem and remedy, None if they are plain already, by the name of a reason.
IN_PLAIN_WORDS: dict[str, tuple[str | None, str | None]] = {
    "few_draws": (
        "The computation did not settle: too few of its simulations fit these labels.",
        "More labels will not help; more simulations may, or other random numbers.",
    ),
    "one_expert_alone": (
        "One assumption about the scores carries nearly all of the weight, and {limit:g} labels of "
        "the rarer class would be needed to test it: if it is wrong, the intervals are too narrow.",
        "Label more items.",
    ),
    "one_expert_decides": (
        "The numbers depend mostly on one of several assumptions about the scores, and the labels "
        "do not decide between these yet.",
        "Label more items.",
    ),
    "suspect_labels": (None, "Check these labels: a wrong one biases every estimate."),
}
# Likewise where the remedy is a parameter.
OF_PARAMETERS: dict[str, tuple[str | None, str | None]] = {
    "inverted_scores": (
        None,
        "Check whether smaller scores mean positive, which class is the positive one, and the "
        "labels.",
    ),
    "doubtful_order": (
        "The labels are {value:,.0f} times as probable if the order of the scores is wrong "
        "somewhere than if higher scores are more often positive.",
        "Check the labels, which class is the positive one, and the direction of the scores; if "
        "they are right, the classifier is wrong.",
    ),
    "missed_positives": (
        None,
        "Label some of the other items, the nearest scores first.",
    ),
    "score_distribution": (None, "compute it with the default model."),
    "reversed_classes": (None, "Compute it with the default model."),
    "not_converged": (None, "Compute it with the default model."),
    "not_normal": (None, "Compute it with the default model."),
}
BELIEVED = {
    "ok": "Yes, as far as can be seen",
    "unidentified": "With care, as the labels hold little information yet",
    "misfit": "No, as the data contradict an assumption: do not use these numbers yet",
    "unreliable": "No, as the computation failed: the intervals may be wrong in either direction",
}


def plain_verdict(verdict: Verdict) -> Verdict:
    """Return a verdict whose reasons a reader without the program understands."""
    return Verdict(map(_plain, verdict.reasons))


def _plain(reason: Reason) -> Reason:
    found = IN_PLAIN_WORDS.get(reason.name)
    if found is None and reason.parameter is not None:
        found = OF_PARAMETERS.get(reason.name)
    problem, remedy = found or (None, None)
    told = {"value": reason.value, "limit": reason.limit}
    return replace(
        reason,
        problem=reason.problem if problem is None else problem.format(**told),
        remedy=reason.remedy if remedy is None else remedy,
    )


def verdict_in_words(verdict: Verdict) -> str:
    """Return whether a fit is to be believed, and the first reason, as a sentence."""
    plain = plain_verdict(verdict)
    said = f"{BELIEVED[str(plain)]} (verdict: {plain})."
    worst = [reason for reason in plain.reasons if reason.verdict == plain]
    if not worst:
        return said
    n_more = len(plain.reasons) - 1
    more = (
        f" {n_more} more {'reason is' if n_more == 1 else 'reasons are'} listed." if n_more else ""
    )
    return f"{said} {worst[0].text}{more}"
