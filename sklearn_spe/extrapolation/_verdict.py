"""Whether a pilot says enough about more classes."""

from __future__ import annotations

from ..verdict import Reason, Verdict

__all__ = ["pilot_verdict"]

FEWEST_CLASSES = 10
FEWEST_ERRORS = 5.0


def pilot_verdict(model, n_errors: float) -> Verdict:
    """Return what speaks against extrapolating a pilot.

    Parameters
    ----------
    model : AccuracyModel
    n_errors : float
        How many items were not recognised.
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
