"""Rules under comparison: functions ``rule(case)`` that choose a threshold.

Items whose score is at least the threshold are called positive; None says that no threshold keeps
the guarantee. An addition is one function and one entry in `RULES`.
"""

from importlib.util import find_spec

import numpy as np
from passing import Passing
from scipy import stats
from scored_classifiers import calibrated, classifier_of

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedThresholdClassifier
from sklearn_spe.exceptions import UnreachableGoalError

# The guarantee: a precision of at least so much, with at least this probability.
PRECISION, CONFIDENCE = 0.9, 0.9


def sklearn_spe(case):
    """Ask the package itself for the threshold of a classifier with these scores."""
    guaranteed = SemisupervisedThresholdClassifier(
        classifier_of(case.score_set),
        precision=PRECISION,
        confidence_level=CONFIDENCE,
        random_state=case.seed,
    )
    try:
        return guaranteed.fit(case.scores[:, np.newaxis], case.y).threshold_
    except UnreachableGoalError:
        return None


def scores_alone(case):
    """Ask the package with the scores, whose kind it must infer."""
    performance = PerformanceCurveEstimator(random_state=case.seed).fit(case.scores, case.y)
    try:
        return performance.threshold_for(precision=PRECISION, confidence_level=CONFIDENCE)
    except UnreachableGoalError:
        return None


def naive(case):
    """Take the lowest labelled score at which the labelled items have the precision."""
    passing = labeled_passing(case)
    return passing.lowest(passing.precision >= PRECISION)


def wilson(case):
    """Take the lowest labelled score whose lower confidence bound by Wilson is high enough."""
    passing = labeled_passing(case)
    z2 = stats.norm.ppf(CONFIDENCE) ** 2
    n, share = passing.n_items, passing.precision
    center = share + z2 / (2.0 * n)
    half = np.sqrt(z2 * (share * (1.0 - share) / n + z2 / (4.0 * n**2)))
    return passing.lowest((center - half) / (1.0 + z2 / n) >= PRECISION)


def sigmoid(case):
    """Take the largest set whose mean probability is high enough, by Platt's calibration."""
    passing = Passing.of(case.scores, calibrated(case, "sigmoid"))
    return passing.lowest(passing.precision >= PRECISION)


def mapie(case, fwer_method, shares):
    """Ask MAPIE's controller of binary classifiers.

    Its thresholds are among `shares` of the items of the set, unlabelled ones included: scores
    become ranks, so that no threshold is lost to the scale of the scores.
    """
    from mapie.risk_control import BinaryClassificationController

    if not len(shares):
        return None
    values, inverse = np.unique(case.scores, return_inverse=True)
    share_below = np.searchsorted(np.sort(case.scores), values) / len(case.scores)
    both = np.column_stack([1.0 - share_below, share_below])[inverse]
    controller = BinaryClassificationController(
        # An item's only feature is its place in the set.
        predict_function=lambda X: both[X[:, 0]],
        risk="precision",
        target_level=PRECISION,
        confidence_level=CONFIDENCE,
        list_predict_params=shares,
        fwer_method=fwer_method,
    )
    labeled = np.flatnonzero(case.y >= 0)
    controller.calibrate(labeled[:, np.newaxis], case.y[labeled])
    if controller.best_predict_param is None:
        return None
    at = np.searchsorted(share_below, controller.best_predict_param)
    return values[at] if at < len(values) else None


def mapie_holm(case):
    """Test MAPIE's own 100 thresholds with its default, Bonferroni-Holm."""
    return mapie(case, "bonferroni_holm", np.linspace(0.0, 0.99, 100))


def mapie_fixed(case):
    """Test thresholds in a fixed sequence, from the highest that can succeed.

    A sequence that starts where fewer labelled items pass than can refute a precision below the
    guaranteed one ends at once: n items without an error have the p-value ``PRECISION**n``.
    """
    fewest = np.ceil(np.log(1.0 - CONFIDENCE) / np.log(PRECISION))
    # Some more, as the number that pass is random.
    highest = 1.0 - (fewest + 3.0) / case.n_labels
    shares = np.arange(0.0, max(highest, 0.0), 0.01)
    return mapie(case, "fixed_sequence", shares)


def labeled_passing(case):
    """Return what passes each threshold among the labelled items."""
    labeled = case.y >= 0
    return Passing.of(case.scores[labeled], case.y[labeled])


RULES = {
    "sklearn_spe": sklearn_spe,
    "scores_alone": scores_alone,
    "mapie_holm": mapie_holm,
    "mapie_fixed": mapie_fixed,
    "naive": naive,
    "sigmoid": sigmoid,
    "wilson": wilson,
}
MISSING = (
    dict.fromkeys(("mapie_holm", "mapie_fixed"), "it needs mapie: pip install mapie")
    if find_spec("mapie") is None
    else {}
)
