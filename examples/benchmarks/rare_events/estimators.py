"""Estimators under comparison: functions ``estimator(case, threshold)`` that answer a recall.

It is the recall of the very items of the case, whose labelled items are known. None says that there
is no answer. An addition is one function and one entry in `ESTIMATORS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special
from scored_classifiers import calibrated

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

LEVEL = 0.9
# The candidates of the 2018 paper for negatives.
BACKGROUNDS = ("norm", "lognorm", "gamma")


@dataclass(frozen=True)
class Answer:
    """An estimate of a recall.

    Attributes
    ----------
    recall : float
    interval : pair of float or None
        At the level `LEVEL`; None if the method has none.
    verdict, reasons : str
        What it says of its own answer, if anything.
    """

    recall: float
    interval: tuple[float, float] | None = None
    verdict: str = ""
    reasons: str = ""


def sklearn_spe(case, threshold, **parameters):
    """Ask the package; without parameters nothing is chosen.

    Classes are named because all labels of a tail may be of one.
    """
    mixture = SemisupervisedScoreMixture(classes=[0, 1], **parameters)
    performance = PerformanceCurveEstimator(mixture, random_state=case.seed)
    performance.fit(case.scores, case.y)
    estimate = performance.estimate("recall", threshold=threshold, target="sample")
    verdict = performance.verdict_
    reasons = " ".join(reason.name for reason in verdict.reasons)
    return Answer(estimate.value, estimate.interval(LEVEL), str(verdict), reasons)


def labels_alone(case, threshold):
    """Take the recall of the labelled items; None without positives."""
    found = case.scores[case.y == 1]
    return Answer(np.mean(found >= threshold)) if len(found) else None


def imputed(case, threshold, probabilities):
    """Return the recall if unlabelled items are positive in parts, as many as is probable."""
    positive = np.where(case.y >= 0, case.y, probabilities)
    total = positive.sum()
    return Answer(positive[case.scores >= threshold].sum() / total) if total > 0.0 else None


def kernel(case, threshold):
    """Impute labels as ssROC does [1]_: by a kernel regression of the known ones on ranks.

    The kernel is normal, with bandwidth std / n_labels^0.45. Below the tail the nearest labels
    decide, however far away they are.

    References
    ----------
    .. [1] J. Gao et al. "Semi-supervised ROC analysis for reliable and streamlined evaluation of
       phenotyping algorithms." JAMIA 2024.
    """
    _, cell, counts = np.unique(case.scores, return_inverse=True, return_counts=True)
    # The middle of the ranks that items of one score share.
    rank = (np.cumsum(counts) - 0.5 * counts) / len(case.scores)
    labeled = case.y >= 0
    known = rank[cell[labeled]]
    bandwidth = max(known.std(ddof=1), 1.0 / len(case.scores)) / labeled.sum() ** 0.45
    log_kernel = -0.5 * ((rank[:, np.newaxis] - known) / bandwidth) ** 2
    expected = special.softmax(log_kernel, axis=1) @ case.y[labeled]
    return imputed(case, threshold, expected[cell])


def sigmoid(case, threshold):
    """Impute labels by Platt's calibration, which knows the labelled items alone.

    With labels of one class it is not defined, and their prevalence takes its place.
    """
    labels = case.y[case.y >= 0]
    both = labels.min() < labels.max()
    return imputed(case, threshold, calibrated(case, "sigmoid") if both else labels.mean())


ESTIMATORS = {
    "sklearn_spe": sklearn_spe,
    "bare_mixture": partial(sklearn_spe, experts=None),
    "two_normal_em": partial(sklearn_spe, negative="norm", positive="norm", method="em"),
    "ks_em": partial(
        sklearn_spe, negative=list(BACKGROUNDS), positive="norm", method="em", combine="ks"
    ),
    "labels_alone": labels_alone,
    "kernel": kernel,
    "sigmoid": sigmoid,
}
