"""Diagnostics of a multiclass fit, in terms of classes.

The underlying fit models prediction errors: a positive is a wrong prediction, a high score is low
confidence.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..inputs._listed import listed
from ..results._verdict import Reason
from ..score_mixture._suspect_labels import MAX_NAMED, SUSPECT, SuspectLabels

__all__ = ["reasons_of_classes"]

# Texts that replace those of the error model's reasons, by name, or by name and verdict.
TEXTS: dict[str | tuple[str, str], str] = {
    "inverted_scores": (
        "The labeled errors have higher confidence: of all pairs of an error and a correct "
        "prediction, the error has the lower confidence in {value:.0%}. The prior assumes that "
        "errors have lower confidence, so the estimates are invalid. Check the labels, and that "
        "the columns of X are the classes in their sorted order."
    ),
    "rare_positives": (
        "Errors are rare, and {value:g} of them are labeled: estimates of single classes are "
        "dominated by the prior. Label the items of lowest confidence; this needs no correction."
    ),
    "missed_positives": (
        "Mostly the items of lowest confidence are labeled, with little information on errors "
        "among the others: accuracy is dominated by the prior. Label some items of higher "
        "confidence, nearest first."
    ),
    "prior_dominates": (
        "The interval of the average precision with which confidence ranks errors is "
        "{value:.0%} as wide as before any label: it is dominated by the prior. Label more "
        "items, some of them of lowest confidence."
    ),
    ("falling_curve", "misfit"): (
        "With probability {value:.1%}, accuracy decreases with confidence somewhere: check the "
        "labels of the items of highest confidence."
    ),
    ("falling_curve", "unidentified"): (
        "Accuracy seems to decrease with confidence somewhere: either it does, or the model "
        "overfits a few labels. Label some items of medium confidence."
    ),
    "doubtful_order": (
        "The labels are {value:.3g} times as probable if confidence is unrelated to errors, or "
        "higher for errors, than if errors have lower confidence. Check the labels, and that "
        "the columns of X are the classes in their sorted order; if they are right, the "
        "confidence of the classifier is misleading."
    ),
    "order_not_tested": (
        "The labels do not rule out that confidence is unrelated to errors, or higher for "
        "errors: this has probability {value:.0%}. Label more items, some of them of lowest "
        "confidence."
    ),
}
# Other reasons, which name a part of the items or an expert, keep their text with these
# replacements.
WORDS = {
    r"the lowest third of the scores": "the third of the items with highest confidence",
    r"the middle third of the scores": "the middle third of the items by their confidence",
    r"the highest third of the scores": "the third of the items with lowest confidence",
    r"labeled items are positive": "labeled predictions are wrong",
    r"items are positive": "predictions are wrong",
    r"among all scores": "among all items",
    r"between the highest (\S+) and (\S+) of the scores": (
        r"between the \1 and \2 of the items with lowest confidence"
    ),
    r"in the upper half of": "in the half with lower confidence of",
    r"in the lower half of": "in the half with higher confidence of",
    r"labels of the rarer class": "labels of the rarer kind, right or wrong,",
    r"items of both classes": "items",
    r"average precision would be": "the average precision with which confidence ranks errors is",
}


def reasons_of_classes(error_model, suspect: SuspectLabels, scores, classes, codes):
    """Yield the diagnostics of the fit, in terms of classes."""
    known = codes >= 0
    n_wrong = int((known & (codes != scores.predicted)).sum())
    for reason in error_model.verdict.reasons:
        if reason.name == "one_class":
            yield replace(reason, text=_of_one_kind(int(known.sum()), n_wrong))
        elif reason.name != "suspect_labels":
            yield replace(reason, text=_of_error_model(reason))
    for reason in suspect.reasons():
        yield replace(reason, text=_of_surprises(suspect, scores, classes))
    never = np.setdiff1d(np.arange(len(classes)), codes[known])
    if len(never):
        shown = ", ".join(map(repr, classes[never[:5]].tolist())) + ", ..." * (len(never) > 5)
        yield Reason(
            "unlabeled_classes",
            "ok",
            f"{len(never)} of {len(classes)} classes have no labeled item ({shown}): their "
            "recall is estimated from the other classes and the classifier's own probabilities.",
            float(len(never)),
            0.0,
        )


def _of_one_kind(n_known: int, n_wrong: int) -> str:
    if not n_known:
        return (
            "No item is labeled: the estimates are the prior's. Label some items, those of "
            "lowest confidence among them."
        )
    return (
        f"All of {n_known} labeled predictions are {'wrong' if n_wrong else 'right'}: the "
        "estimates are dominated by the prior. Label more items, those of "
        f"{'most' if n_wrong else 'least'} confidence first."
    )


def _of_error_model(reason: Reason) -> str:
    """Return the text of a reason of the error model, in terms of classes."""
    of_system = re.match(r"System .*?: (?=Labeled positives)", reason.text)
    text = TEXTS.get((reason.name, reason.verdict)) or TEXTS.get(reason.name)
    if text is not None:
        return (of_system[0] if of_system else "") + text.format(value=reason.value)
    text = reason.text
    for words, ours in WORDS.items():
        text = re.sub(words, ours, text)
    return text


def _of_surprises(suspect: SuspectLabels, scores, classes) -> str:
    item = suspect.item[:MAX_NAMED]
    columns = item, suspect.label, classes[scores.predicted[item]], suspect.probability
    named = (
        f"item {row} of class {label!r}, predicted {predicted!r} ({probability:.1%})"
        for row, label, predicted, probability in zip(
            *(column[:MAX_NAMED].tolist() for column in columns), strict=True
        )
    )
    return (
        f"{len(suspect)} of the labels have a leave-one-out probability below "
        f"{SUSPECT:.0%}: {listed(named, len(suspect), MAX_NAMED)}. Check these labels "
        "(suspect_labels_): a wrong one biases every estimate."
    )
