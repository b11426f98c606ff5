"""What speaks against a fit of several classes, in words of classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..results._verdict import Reason
from ..score_mixture._surprising_items import SurprisingItems

__all__ = ["reasons_of_classes"]

SUBJECT = "Mistakes of the predicted class, scored by the log-odds that it is wrong"


def reasons_of_classes(mistakes, surprising: SurprisingItems, scores, classes, codes):
    """Yield what speaks against the fit, in words of classes."""
    known = codes >= 0
    n_wrong = int((known & (codes != scores.predicted)).sum())
    others = (r for r in mistakes.verdict.reasons if r.name != "surprising_items")
    for reason in (*others, *surprising.reasons()):
        text = f"{SUBJECT}: {reason.text}"
        if reason.name == "one_class":
            kind = "right" if not n_wrong else "wrong"
            text = (
                f"All of {int(known.sum())} labelled predictions are {kind}: what was believed of "
                f"classifiers before decides how sure it may be. Label more items, those of "
                f"{'least' if not n_wrong else 'most'} confidence first."
            )
        yield replace(reason, text=text)
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
