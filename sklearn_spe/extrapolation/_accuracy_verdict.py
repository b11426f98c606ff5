"""The verdict on a pilot: whether it is informative about more classes."""

from __future__ import annotations

import numpy as np

from ..results._verdict import Reason, Verdict
from ._uncertainty import counting_variance, logits

__all__ = ["pilot_verdict"]

FEWEST_CLASSES = 10
FEWEST_ERRORS = 5.0
ROUNDING = 1e-6
# With two classes the accuracy of a guess is 1/2.
MIN_OF_TWO = 0.6
# Maximum share of the uncertain items that tie with a tenth of all classes.
LARGE_TIE, MAX_TIED = 0.1, 0.15
# Simpson's index of the classes that are confused with others: on simulated problems it was 0.12 at
# most; with classes that beat all others, or pairs of similar classes, 0.4 and more. With few
# classes it is never small.
MAX_CONCENTRATED, MAX_OVER_EVEN = 0.2, 4.0
ENOUGH_ERRORS = 10
# Maximum difference of distribution and measurement in standard errors of counting: on simulated
# problems it was 1.2 at most. With very many items, smaller differences than this on the logit
# scale do not matter.
MAX_ERRORS = 2.0
MIN_GAP = 0.2


def pilot_verdict(model, pilot) -> Verdict:
    """Return the verdict on extrapolating a pilot."""
    checks = (_few, _no_order, _tied, _few_winners, _contradicted, _no_distribution)
    return Verdict(reason for check in checks for reason in check(model, pilot))


def _few(model, pilot):
    if pilot.n_classes < FEWEST_CLASSES:
        yield Reason(
            "few_classes",
            "unidentified",
            f"Only {pilot.n_classes} classes are in the pilot, which carry little information on "
            f"others. Use at least {FEWEST_CLASSES}.",
            pilot.n_classes,
            FEWEST_CLASSES,
        )
    if pilot.n_errors < FEWEST_ERRORS - ROUNDING:
        yield Reason(
            "few_errors",
            "unidentified",
            f"Fewer than {FEWEST_ERRORS:g} items were misclassified ({pilot.n_errors:.3g}): the "
            "decrease of the accuracy is hardly identified. Test more items, or use more classes.",
            pilot.n_errors,
            FEWEST_ERRORS,
        )


def _no_order(model, pilot):
    if model.curve[1] < MIN_OF_TWO:
        yield Reason(
            "no_order",
            "misfit",
            f"With two classes the accuracy is {model.curve[1]:.3g}: scores hardly separate the "
            "true class from another. Check that larger scores are more likely, and that the "
            "columns are in the order of classes=, by default the sorted classes.",
            float(model.curve[1]),
            MIN_OF_TWO,
        )


def _tied(model, pilot):
    wins, ties = pilot.wins_and_ties
    unsure = pilot.weights * (wins < pilot.n_wrong)
    tied = float(unsure @ (ties > LARGE_TIE * pilot.n_wrong))
    if tied > MAX_TIED * unsure.sum():
        yield Reason(
            "ties",
            "unidentified",
            f"Of the items that may be misclassified {tied / unsure.sum():.0%} have the same score "
            "for many classes: scores are votes, hard decisions, rounded or clipped, and carry no "
            "information on the margin. With more classes the accuracy is likely to be lower than "
            f"predicted. Use scores that do not tie, such as distances.",
            tied / float(unsure.sum()),
            MAX_TIED,
        )


def _few_winners(model, pilot):
    few = pilot.thinned()
    wins, ties = few.wins_and_ties
    won = np.bincount(few.scores[wins + ties < few.n_wrong].argmax(axis=1))
    n_errors = won.sum()
    if n_errors < ENOUGH_ERRORS:
        return
    # The probability that two errors are for the same class.
    index = float(np.sum(won * (won - 1.0)) / (n_errors * (n_errors - 1.0)))
    limit = max(MAX_CONCENTRATED, MAX_OVER_EVEN / few.n_classes)
    if index > limit:
        first = won.argmax() if few.classes is None else few.classes[won.argmax()]
        yield Reason(
            "few_winners",
            "unidentified",
            f"Items are confused with few classes only, most often with {first}: the frequency of "
            "such classes in the population is hardly identified. Bands may be too narrow.",
            index,
            limit,
        )


def _contradicted(model, pilot):
    n_items, measured = pilot.effective_items, float(model.curve[-1])
    gap = abs(float(logits(measured, n_items) - logits(model.expected, n_items)))
    errors = gap / np.sqrt(counting_variance(measured, n_items))
    if errors > MAX_ERRORS and gap > MIN_GAP:
        yield Reason(
            "law_contradicted",
            "misfit",
            f"The fitted distribution predicts an accuracy of {model.expected:.3g} with all "
            f"{model.n_tried} classes, but {measured:.3g} was measured: an assumption of the "
            "method is violated, and bands beyond the pilot may not cover. Compare other methods, "
            "such as classexreg, which uses ranks only.",
            float(errors),
            MAX_ERRORS,
        )


def _no_distribution(model, pilot):
    if model.distribution.always_right < 0.0:
        yield Reason(
            "no_law",
            "misfit",
            f"The fitted D(1) is {1.0 - model.distribution.always_right:.3g}, above 1: negative "
            f"accuracies "
            "are set to 0. Use constrained=True.",
            1.0 - model.distribution.always_right,
            1.0,
        )
