"""How good one answer is, beside the truth."""

import numpy as np
from answers import LEVEL

# An interval narrower than this that misses by more than this is confidently wrong.
CONFIDENT = 0.1
# Counts divided by counts may differ in their last bits.
ROUNDING = 1e-9


def outside(estimate, truth):
    """Return how far the truth lies outside the interval, 0 inside."""
    far = np.maximum(np.maximum(estimate.low - truth, truth - estimate.high), 0.0)
    return np.where(far > ROUNDING, far, 0.0)


def number_measures(estimate, truth):
    """Return how good an estimate of a number is.

    Parameters
    ----------
    estimate : Estimate
    truth : float

    Returns
    -------
    row : dict
        error: absolute error; covered, width, winkler, confidently_wrong: of its interval, where
        winkler is the interval score, the width plus 2 / (1 - level) times the distance by which
        the interval misses.
    """
    width = estimate.high - estimate.low
    missed_by = outside(estimate, truth)
    return {
        "error": abs(estimate.value - truth),
        "covered": float(missed_by == 0.0),
        "width": width,
        "winkler": width + 2.0 / (1.0 - LEVEL) * missed_by,
        "confidently_wrong": float(width < CONFIDENT and missed_by > CONFIDENT),
    }


def measures(answer, truth):
    """Return all measures of an answer.

    Parameters
    ----------
    selection : Answer
    truth : Truth

    Returns
    -------
    row : dict
        area: mean absolute error of the precision over recall; ap_error, covered, width,
        winkler, confidently_wrong: of average precision, as `number_measures` has them;
        band_covered: share of the recalls at which the pointwise band holds the curve;
        prevalence_covered; and the estimates themselves.
    """
    ap, prevalence = answer.average_precision, answer.prevalence
    of_ap = number_measures(ap, truth.average_precision)
    return {
        "true_ap": truth.average_precision,
        "ap": ap.value,
        "ap_low": ap.low,
        "ap_high": ap.high,
        "true_prevalence": truth.prevalence,
        "prevalence": prevalence.value,
        "prevalence_low": prevalence.low,
        "prevalence_high": prevalence.high,
        "area": np.abs(answer.curve.value - truth.curve).mean(),
        "ap_error": of_ap.pop("error"),
        **of_ap,
        "band_covered": np.mean(outside(answer.curve, truth.curve) == 0.0),
        "prevalence_covered": float(outside(prevalence, truth.prevalence) == 0.0),
        "verdict": answer.verdict,
    }
