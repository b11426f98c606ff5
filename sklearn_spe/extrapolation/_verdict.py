"""Whether a pilot says enough about more classes."""

from __future__ import annotations

import numpy as np

from ..verdict import Reason, Verdict
from ._counting import counting_variance, logits

__all__ = ["pilot_verdict"]

FEWEST_CLASSES = 10
FEWEST_ERRORS = 5.0
# Law and measurement may differ by so many standard errors of counting: on simulated problems they
# did by 1.2 at most. Of very many items less than so much on the logit scale does not matter.
MOST_ERRORS = 2.0
LEAST_GAP = 0.2


def pilot_verdict(model, n_errors: float, n_items: float) -> Verdict:
    """Return what speaks against extrapolating a pilot.

    Parameters
    ----------
    model : AccuracyModel
    n_errors : float
        How many items were not recognised.
    n_items : float
        How many test items of equal weight the pilot is worth.
    """
    reasons = []
    if model.n_tried < FEWEST_CLASSES:
        reasons.append(
            Reason(
                "few_classes",
                "unidentified",
                f"Only {model.n_tried} classes were tried: they say little about others. Try at "
                f"least {FEWEST_CLASSES}.",
                model.n_tried,
                FEWEST_CLASSES,
            )
        )
    if n_errors < FEWEST_ERRORS:
        reasons.append(
            Reason(
                "few_errors",
                "unidentified",
                f"Only {n_errors:.3g} items were not recognised: how fast the accuracy falls is "
                f"mostly a guess. Test more items, or try more classes.",
                n_errors,
                FEWEST_ERRORS,
            )
        )
    gap = logits(model.curve[-1], n_items) - logits(model.expected, n_items)
    errors = abs(gap) / np.sqrt(counting_variance(model.curve[-1], n_items))
    if errors > MOST_ERRORS and abs(gap) > LEAST_GAP:
        reasons.append(
            Reason(
                "law_contradicted",
                "misfit",
                f"The law that was fitted expects an accuracy of {model.expected:.3g} with all "
                f"{model.n_tried} classes, {model.curve[-1]:.3g} was measured: something that the "
                f"method assumes is wrong, and bands beyond may be too. Compare other methods; "
                f"look for classes that beat all others.",
                float(errors),
                MOST_ERRORS,
            )
        )
    if model.law.always_right < 0.0:
        reasons.append(
            Reason(
                "no_law",
                "misfit",
                f"The fitted D(1) is {1.0 - model.law.always_right:.3g}, above 1: accuracies that "
                f"fall below 0 are set to 0. Use constrained=True.",
                1.0 - model.law.always_right,
                1.0,
            )
        )
    return Verdict(reasons)
