"""What speaks against a fit of several classes, in words of classes.

It is a fit of mistakes: "positive" is a prediction that is wrong, a high score little confidence.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..inputs._listed import listed
from ..results._verdict import Reason
from ..score_mixture._surprising_items import MOST_NAMED, SURPRISING, SurprisingItems

__all__ = ["reasons_of_classes"]

# What a reason of the fit of mistakes says of classes; by its name, or by name and verdict.
TEXTS: dict[str | tuple[str, str], str] = {
    "inverted_scores": (
        "Labelled mistakes are where the classifier is surer: of all pairs of a mistake and a "
        "right prediction the mistake has less confidence in {value:.0%}. The prior says that "
        "mistakes have less confidence, and the estimates are of no use. Check the labels, and "
        "that the columns of X are the classes in their sorted order."
    ),
    "rare_positives": (
        "Mistakes are rare, and {value:g} of them labelled: what is said of classes one by one "
        "rests on what was believed before. Label items of least confidence; that needs no "
        "correction."
    ),
    "missed_positives": (
        "Labels are mostly of items of least confidence, and do not tell how many of the other "
        "predictions are wrong: accuracy rests on what was believed before. Label some items of "
        "more confidence, nearest first."
    ),
    "prior_dominates": (
        "The interval of how well confidence tells mistakes is {value:.0%} as wide as before any "
        "label: it says what classifiers are like, not what this one is. Label more items, best "
        "some of least confidence."
    ),
    ("falling_curve", "misfit"): (
        "Where the classifier is less sure it is more often right, with a probability of "
        "{value:.1%}, than somewhere where it is surer: check the labels of the items of most "
        "confidence."
    ),
    ("falling_curve", "unidentified"): (
        "Where the classifier is less sure it seems more often right than somewhere where it is "
        "surer: either it is, or the model follows a few labels too closely. Label some items of "
        "middling confidence."
    ),
    "doubtful_order": (
        "The labels are {value:.3g} times as probable if confidence says nothing of mistakes, or "
        "the wrong thing, as if mistakes have less of it. Check the labels, and that the columns "
        "of X are the classes in their sorted order; if they are right, the confidence of the "
        "classifier is not."
    ),
    "order_not_tested": (
        "The labels do not rule out that confidence says nothing of mistakes, or the wrong thing: "
        "that has a probability of {value:.0%}. Label more items, some of them of least "
        "confidence."
    ),
}
# Reasons that name a part of the items, or an expert, keep their text but for these words.
WORDS = {
    r"the lowest third of the scores": "the third of the items with most confidence",
    r"the middle third of the scores": "the middle third of the items by their confidence",
    r"the highest third of the scores": "the third of the items with least confidence",
    r"labelled items are positive": "labelled predictions are wrong",
    r"items are positive": "predictions are wrong",
    r"among all scores": "among all items",
    r"between the highest (\S+) and (\S+) of the scores": (
        r"between the \1 and \2 of the items with least confidence"
    ),
    r"in the upper half of": "in the half with less confidence of",
    r"in the lower half of": "in the half with more confidence of",
    r"labels of the rarer class": "labels of the rarer kind, right or wrong,",
    r"items of both classes": "items",
    r"average precision would be": "the average precision with which confidence tells mistakes is",
}


def reasons_of_classes(mistakes, surprising: SurprisingItems, scores, classes, codes):
    """Yield what speaks against the fit, in words of classes."""
    known = codes >= 0
    n_wrong = int((known & (codes != scores.predicted)).sum())
    for reason in mistakes.verdict.reasons:
        if reason.name == "one_class":
            yield replace(reason, text=_of_one_kind(int(known.sum()), n_wrong))
        elif reason.name != "surprising_items":
            yield replace(reason, text=_of_mistakes(reason))
    for reason in surprising.reasons():
        yield replace(reason, text=_of_surprises(surprising, scores, classes))
    never = np.setdiff1d(np.arange(len(classes)), codes[known])
    if len(never):
        shown = ", ".join(map(repr, classes[never[:5]].tolist())) + ", ..." * (len(never) > 5)
        yield Reason(
            "unlabelled_classes",
            "ok",
            f"{len(never)} of {len(classes)} classes have no labelled item ({shown}): their "
            f"recall rests on the other classes and on the classifier's own probabilities.",
            float(len(never)),
            0.0,
        )


def _of_one_kind(n_known: int, n_wrong: int) -> str:
    if not n_known:
        return (
            "No item is labelled: what was believed of classifiers before decides. Label some "
            "items, those of least confidence among them."
        )
    return (
        f"All of {n_known} labelled predictions are {'wrong' if n_wrong else 'right'}: what was "
        f"believed of classifiers before decides how sure it may be. Label more items, those of "
        f"{'most' if n_wrong else 'least'} confidence first."
    )


def _of_mistakes(reason: Reason) -> str:
    """Return what a reason of the fit of mistakes says of classes."""
    of_system = re.match(r"System .*?: (?=Labelled positives)", reason.text)
    text = TEXTS.get((reason.name, reason.verdict)) or TEXTS.get(reason.name)
    if text is not None:
        return (of_system[0] if of_system else "") + text.format(value=reason.value)
    text = reason.text
    for words, ours in WORDS.items():
        text = re.sub(words, ours, text)
    return text


def _of_surprises(surprising: SurprisingItems, scores, classes) -> str:
    item = surprising.item[:MOST_NAMED]
    columns = item, surprising.label, classes[scores.predicted[item]], surprising.probability
    named = (
        f"item {row} of class {label!r}, predicted {predicted!r} ({probability:.1%})"
        for row, label, predicted, probability in zip(
            *(column[:MOST_NAMED].tolist() for column in columns), strict=True
        )
    )
    return (
        f"{len(surprising)} of the labels are such that the others give them a probability below "
        f"{SURPRISING:.0%}: {listed(named, len(surprising), MOST_NAMED)}. Look at these labels "
        f"once more (surprising_items_): a wrong one moves every estimate."
    )
