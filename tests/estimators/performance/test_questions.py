"""How performance is asked for, and how it is not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics
from sklearn.exceptions import NotFittedError

from sklearn_spe.metrics import FBeta, TopKAccuracy
from sklearn_spe.metrics._decision import Precision
from sklearn_spe.posterior import Curve
from sklearn_spe.posterior._registry import CURVES
from tests.quick import QUIET

pytestmark = QUIET


def test_instances_of_metrics_are_metrics(problem, fitted):
    assert np.array_equal(
        fitted.estimate(Precision(), threshold=1.0).draws,
        fitted.estimate("precision", threshold=1.0).draws,
    )
    complete = problem.performance(experts=None).fit(problem.scores, problem.labels)
    expected = sklearn_metrics.fbeta_score(problem.labels, problem.scores >= 1.0, beta=2.0)
    assert_allclose(complete.estimate(FBeta(beta=2.0), threshold=1.0).value, expected)


@pytest.mark.parametrize("target", ["sample", "population"])
def test_metrics_of_several_classes_are_refused_with_two(fitted, target):
    with pytest.raises(ValueError, match="'top_k_accuracy' is for several classes"):
        fitted.estimate(TopKAccuracy(2), target=target)


def share_called(points, shares):
    """Return the recall when so large a share of the items is called positive."""
    n = points.n_positive + points.n_negative
    called, recall = (points.tp + points.fp) / n, points.tp / points.n_positive
    return np.stack([np.interp(shares, *row) for row in zip(called, recall, strict=True)])


def test_curves_of_ones_own_are_curves(problem):
    gain = Curve("gain", "share called", "recall", lambda n: np.arange(1, n + 1) / n, share_called)
    complete = problem.performance(experts=None, n_points=len(problem.scores))
    band = complete.fit(problem.scores, problem.labels).curve(gain)
    assert (band.name, band.x_name, band.y_name) == ("gain", "share called", "recall")
    expected = np.cumsum(problem.labels[np.argsort(-problem.scores)]) / problem.labels.sum()
    assert_allclose(band.value, expected, atol=1e-12)
    assert np.array_equal(complete.curve(CURVES["roc"]).value, complete.curve("roc").value)
    with pytest.raises(ValueError, match="The curve 'gain' does not take thresholds="):
        complete.curve(gain, thresholds=[0.0])


BAD_QUESTIONS = {
    "metric": (
        lambda p: p.estimate("acu"),
        "Unknown metric 'acu'. Did you mean 'roc_auc'.* Choose one of precision",
    ),
    "curve for a number": (lambda p: p.estimate("roc"), r"'roc' is a curve, .* use curve\('roc'\)"),
    "target": (lambda p: p.estimate(target="both"), "target must be one of sample, population"),
    "recall 1.5": (
        lambda p: p.estimate("precision", recall=1.5),
        r"recall must lie in \(0, 1\], got 1.5",
    ),
    "two conditions": (
        lambda p: p.estimate("precision", recall=0.5, threshold=1.0),
        r"exactly one of threshold=.*got recall and threshold",
    ),
    "f1 at recall": (
        lambda p: p.estimate("f1", recall=0.5),
        "'f1' is not available at recall",
    ),
    "auc threshold": (
        lambda p: p.estimate("roc_auc", threshold=1.0),
        "'roc_auc' is a metric of the ranking and does not take threshold=",
    ),
    "callable population": (
        lambda p: p.estimate(sklearn_metrics.roc_auc_score, target="population"),
        "A callable metric of a population gets rows .* got target='population' without sample_col",
    ),
    "callable threshold": (
        lambda p: p.estimate(sklearn_metrics.roc_auc_score, threshold=1.0),
        "does not take threshold=",
    ),
    "roc thresholds": (
        lambda p: p.curve("roc", thresholds=[1.0]),
        "'roc' does not take thresholds=",
    ),
    "missing labels": (
        lambda p: p.score(np.arange(200.0), np.repeat([0, 1, -1], [20, 10, 170])),
        "170 of 200 items are unlabeled",
    ),
    "outside": (lambda p: p.curve("roc").at(1.5), "false positive rate from 0 to 1, got 1.5"),
}


@pytest.mark.parametrize(("ask", "message"), BAD_QUESTIONS.values(), ids=BAD_QUESTIONS)
def test_a_bad_question_is_named(fitted, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(fitted)


def test_a_curve_at_one_threshold_is_known_there(fitted):
    at = fitted.curve("precision", thresholds=[1.0]).at(1.0)
    assert np.array_equal(at.draws, fitted.estimate("precision", threshold=1.0).draws)


@pytest.mark.parametrize(
    "ask", [lambda p: p.curve(), lambda p: p.estimate(), lambda p: p.score([0.0, 1.0], [0, 1])]
)
def test_an_estimator_that_is_not_fitted_says_so(problem, ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(problem.performance())
