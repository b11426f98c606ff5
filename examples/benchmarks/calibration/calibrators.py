"""Calibrators under comparison: functions ``calibrator(case)`` that return probabilities.

One probability for each item of the case, labelled or not; None where the method is not defined.
An addition is one function and one entry in `CALIBRATORS`.
"""

from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import special
from scored_classifiers import PROBABILITIES, calibrated, classifier_of

from sklearn_spe import SemisupervisedCalibratedClassifier, SemisupervisedScoreMixture


def sklearn_spe(case):
    """Recalibrate a classifier with these scores by the package itself, with nothing chosen."""
    X = case.scores[:, np.newaxis]
    model = SemisupervisedCalibratedClassifier(
        classifier_of(case.score_set), random_state=case.seed
    )
    return model.fit(X, case.y).predict_proba(X)[:, 1]


def scores_alone(case):
    """Fit the package to the scores, whose kind it must infer."""
    mixture = SemisupervisedScoreMixture(random_state=case.seed).fit(case.scores, case.y)
    return mixture.predict_proba(case.scores)[:, 1]


def prevalence(case):
    """Give every item the share of positives among the labels, and half an item of each class.

    Without the half items, labels of one class would make the log loss of this method, and of all
    that fall back on it, a matter of where probabilities are clipped.
    """
    labels = case.y[case.y >= 0]
    return np.full(len(case.y), (labels.sum() + 0.5) / (len(labels) + 1.0))


def uncalibrated(case):
    """Take the score at its word, if it is a probability or log-odds."""
    if case.score_set.kind in PROBABILITIES:
        return case.scores
    return special.expit(case.scores) if case.score_set.kind == "log-odds" else None


def beta(case):
    """Fit beta calibration with three parameters, of the package betacal."""
    from betacal import BetaCalibration

    unit, labeled = in_unit_interval(case), case.y >= 0
    return BetaCalibration("abm").fit(unit[labeled], case.y[labeled]).predict(unit)


def venn_abers(case):
    """Fit inductive Venn-Abers predictors, merged for log loss by the package venn-abers."""
    from venn_abers import VennAbers

    unit, labeled = in_unit_interval(case), case.y >= 0
    both = np.column_stack([1.0 - unit, unit])
    model = VennAbers().fit(both[labeled], case.y[labeled])
    return model.predict_proba(both)[0][:, 1]


def in_unit_interval(case):
    """Return the scores as they would be read as probabilities, all others standardised before."""
    probabilities = uncalibrated(case)
    if probabilities is None:
        scores = case.scores
        probabilities = special.expit((scores - scores.mean()) / scores.std())
    return probabilities


CALIBRATORS = {
    "sklearn_spe": sklearn_spe,
    "scores_alone": scores_alone,
    "sigmoid": partial(calibrated, method="sigmoid"),
    "isotonic": partial(calibrated, method="isotonic"),
    "temperature": partial(calibrated, method="temperature"),
    "beta": beta,
    "venn_abers": venn_abers,
    "prevalence": prevalence,
    "uncalibrated": uncalibrated,
}
# The module that an optional method needs, and the package that holds it.
OPTIONAL = {"beta": ("betacal", "betacal"), "venn_abers": ("venn_abers", "venn-abers")}
MISSING = {
    method: f"it needs {package}: pip install {package}"
    for method, (module, package) in OPTIONAL.items()
    if find_spec(module) is None
}
