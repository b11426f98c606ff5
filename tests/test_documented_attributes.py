"""What a docstring calls an attribute exists after every fit, or says when it does."""

import inspect
import re

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from sklearn_spe import (
    AccuracyExtrapolator,
    ActiveTestSelector,
    ClassifierAccuracyExtrapolator,
    Goal,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from tests.quick import EXPERTS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LABELS = np.resize([0, 0, 1, 0, 1, 0, 0, 1, 0, 0], 80)
SCORES = np.linspace(-1.0, 1.0, 80)[np.arange(80) * 27 % 80] + 1.5 * LABELS
PARTLY = np.where(np.arange(80) < 40, LABELS, -1)
SYSTEMS = {"one": SCORES, "other": SCORES[::-1]}
CATEGORY = np.arange(80) % 2
NUMBERS = np.where(PARTLY < 0, np.nan, PARTLY + SCORES)
X = SCORES.reshape(-1, 1)
CLASSIFIER = FrozenEstimator(GaussianNB().fit(X, LABELS))
# Ten classes with a score, and four items of each.
CLASSES = np.repeat(np.arange(10), 4)
COLUMNS = np.eye(10)[CLASSES] + np.sin(np.arange(400.0)).reshape(40, 10)


def mixture(**options):
    options = {"experts": EXPERTS, "n_draws": 40, "random_state": 0} | options
    return SemisupervisedScoreMixture("norm", "norm", **options)


def performance(**options):
    return PerformanceCurveEstimator(mixture(**options), random_state=0)


def selector(metric="roc_auc", **options):
    return ActiveTestSelector(metric, n_draws=40, random_state=0, **options)


FITS = {
    "mixture": lambda: mixture().fit(SCORES, PARTLY),
    "mixture, em": lambda: mixture(experts=None, method="em").fit(SCORES, PARTLY),
    "performance": lambda: performance().fit(SCORES, PARTLY),
    "performance, em": lambda: performance(experts=None, method="em").fit(SCORES, PARTLY),
    "performance, systems": lambda: performance().fit(SYSTEMS, PARTLY),
    "performance, categories": lambda: performance().fit(SCORES, PARTLY, category=CATEGORY),
    "mean": lambda: MeanEstimator(n_draws=50, random_state=0).fit(SCORES, NUMBERS),
    "selector": lambda: selector().fit(SCORES),
    "selector, labels": lambda: selector().fit(SCORES, PARTLY),
    "selector, noisy labels": lambda: selector().fit(SCORES, PARTLY, noisy_labels=LABELS),
    "selector, systems": lambda: selector().fit(SYSTEMS, PARTLY),
    "selector, goal": lambda: selector(Goal.of(precision=0.5)).fit(SCORES, PARTLY),
    "selector, design": lambda: selector(interval="design").fit(SCORES),
    "extrapolator": lambda: AccuracyExtrapolator("moment", n_bootstrap=0).fit(COLUMNS, CLASSES),
    "extrapolator, scores": lambda: AccuracyExtrapolator(
        "scores", n_bootstrap=2, random_state=0
    ).fit(COLUMNS, CLASSES),
    "classifier extrapolator": lambda: ClassifierAccuracyExtrapolator(
        GaussianNB(), extrapolator=AccuracyExtrapolator("moment", n_bootstrap=0), n_repeats=1, cv=2
    ).fit(COLUMNS, CLASSES),
    "calibrated": lambda: SemisupervisedCalibratedClassifier(
        CLASSIFIER, mixture=mixture(), random_state=0
    ).fit(X, PARTLY),
    "calibrated, folds": lambda: SemisupervisedCalibratedClassifier(
        GaussianNB(), mixture=mixture(), cv=2, random_state=0
    ).fit(X, PARTLY),
    "threshold": lambda: SemisupervisedThresholdClassifier(
        CLASSIFIER, recall=0.3, confidence_level=0.5, mixture=mixture(), random_state=0
    ).fit(X, PARTLY),
}


def documented(kind):
    """Return the attributes in the docstring of a class."""
    section = re.search(
        r"^Attributes\n-+\n(.*?)(?=^\w[\w ]+\n-{3,}\n|\Z)",
        inspect.getdoc(kind),
        flags=re.DOTALL | re.MULTILINE,
    )[1]
    names = re.findall(r"^(\w+(?:, \w+)*)(?: :.*)?$", section, flags=re.MULTILINE)
    return {name for line in names for name in line.split(", ")}


def reason(fitted, name):
    """Return why an attribute does not exist; None if it does."""
    try:
        getattr(fitted, name)
    except AttributeError as error:
        return str(error)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_documented_attribute_exists_or_says_when(fit):
    fitted = fit()
    # As in scikit-learn, X has no names unless it is a frame.
    reasons = {name: reason(fitted, name) for name in documented(type(fitted))}
    reasons.pop("feature_names_in_", None)
    generic = f"{type(fitted).__name__!r} object has no attribute"
    assert {name for name, text in reasons.items() if text and text.startswith(generic)} == set()
