"""Curves of the population behind a sample, against closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.families import Norm
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.goals._question import Question
from sklearn_spe.inference._draws import Draws
from sklearn_spe.metrics._registry import as_metric
from sklearn_spe.mixtures._fit import mixture_for
from sklearn_spe.mixtures._mixture_posterior import MixturePosterior
from sklearn_spe.posterior._operating_points import Task
from sklearn_spe.posterior._posterior_estimates import (
    curve_band,
    probability_estimate,
    ranking_estimate,
    threshold_band,
)
from sklearn_spe.posterior._registry import CURVES, PRECISION_RECALL
from tests.quick import QUIET

pytestmark = QUIET

# Prevalence, mean and standard deviation of the positives; the negatives are N(0, 1).
BINORMALS = [(0.5, 2.0, 1.0), (0.1, 1.5, 1.0), (0.02, 3.0, 1.0), (0.2, 2.0, 0.5), (0.3, 1.0, 2.0)]
EVERY_BINORMAL = pytest.mark.parametrize(("prevalence", "mean", "std"), BINORMALS)
TASK = Task("population", entropy=0)


def posterior_of(seed, prevalence, mean, std, n=3000, score_scale="auto"):
    """Return the posterior of one who knows the truth, from a sample of it."""
    rng = np.random.default_rng(seed)
    positives = rng.random(n) < prevalence
    scores = np.where(positives, rng.normal(mean, std, n), rng.normal(0.0, 1.0, n))
    sample = ScoreSample.from_items(scores, np.full(n, -1), np.ones(n))
    scale = learn_scale(sample, score_scale)
    mixture = mixture_for(Norm(), Norm(), scale, BetaPrior())
    low, high = scale.transform(np.array([0.0, mean]))
    u = mixture.real(prevalence, (low, 1.0 / scale.unit), (high, std / scale.unit))
    draws = Draws(u[np.newaxis], np.zeros(1), 0.0, 0.0)
    return MixturePosterior(scale, sample, (mixture,), (draws,), np.ones(1))


def threshold_at(recall, mean, std):
    return mean - std * special.ndtri(recall)


@EVERY_BINORMAL
def test_precision_of_a_binormal_is_the_closed_form_at_every_recall(
    prevalence, mean, std, global_random_seed
):
    band = curve_band(
        PRECISION_RECALL,
        posterior_of(global_random_seed, prevalence, mean, std),
        TASK,
        n_points=500,
    )
    with np.errstate(invalid="ignore"):
        false = (1.0 - prevalence) * special.ndtr(-threshold_at(band.x, mean, std))
    expected = prevalence * band.x / (prevalence * band.x + false)
    assert_allclose(band.value, expected, atol=1e-3)


@EVERY_BINORMAL
def test_roc_and_det_of_a_binormal_are_the_closed_forms(prevalence, mean, std, global_random_seed):
    posterior = posterior_of(global_random_seed, prevalence, mean, std)
    roc, det = (curve_band(CURVES[c], posterior, TASK, n_points=400) for c in ("roc", "det"))
    expected = special.ndtr((special.ndtri(roc.x) + mean) / std)
    assert_allclose(roc.value, expected, atol=2e-3)
    assert_allclose(det.value, 1.0 - expected, atol=2e-3)


@EVERY_BINORMAL
def test_numbers_of_a_binormal_are_the_closed_forms(prevalence, mean, std, global_random_seed):
    posterior = posterior_of(global_random_seed, prevalence, mean, std)
    auc = ranking_estimate(as_metric("roc_auc"), posterior, TASK)
    assert_allclose(auc.value, special.ndtr(mean / np.hypot(1.0, std)), atol=1e-3)
    assert_allclose(ranking_estimate(as_metric("prevalence"), posterior, TASK).value, prevalence)
    error = ranking_estimate(as_metric("equal_error_rate"), posterior, TASK)
    assert_allclose(error.value, special.ndtr(-mean / (1.0 + std)), atol=1e-3)
    z, weights = np.polynomial.legendre.leggauss(400)
    z = 9.0 * z
    tp = prevalence * special.ndtr(z)
    fp = (1.0 - prevalence) * special.ndtr(std * z - mean)
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    expected = np.sum(9.0 * weights * density * tp / (tp + fp))
    precision = ranking_estimate(as_metric("average_precision"), posterior, TASK)
    assert_allclose(precision.value, expected, atol=1e-3)


@EVERY_BINORMAL
def test_a_brier_score_of_a_binormal_is_that_of_quadrature(
    prevalence, mean, std, global_random_seed
):
    posterior = posterior_of(global_random_seed, prevalence, mean, std)
    found = probability_estimate(as_metric("brier_score"), posterior, TASK, predicted=special.ndtr)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    of_positives = weights @ special.ndtr(-mean - std * nodes) ** 2
    of_negatives = weights @ special.ndtr(nodes) ** 2
    expected = prevalence * of_positives + (1.0 - prevalence) * of_negatives
    # The loss is constant between neighboring scores of 3000.
    assert_allclose(found.value, expected, atol=2e-3)


@EVERY_BINORMAL
def test_metrics_against_the_threshold_are_the_closed_forms(
    prevalence, mean, std, global_random_seed
):
    thresholds = np.linspace(-2.0, 2.5, 40)
    posterior = posterior_of(global_random_seed, prevalence, mean, std)
    tpr, fpr = special.ndtr((mean - thresholds) / std), special.ndtr(-thresholds)
    tp, fp = prevalence * tpr, (1.0 - prevalence) * fpr
    expected = {
        "recall": tpr,
        "false_positive_rate": fpr,
        "specificity": 1.0 - fpr,
        "precision": tp / (tp + fp),
        "accuracy": tp + 1.0 - prevalence - fp,
        "f1": 2.0 * tp / (tp + fp + prevalence),
    }
    for name, truth in expected.items():
        band = threshold_band(as_metric(name), posterior, TASK, thresholds=thresholds)
        assert_allclose(band.value, truth, atol=1e-12)


@EVERY_BINORMAL
@pytest.mark.parametrize("recall", [0.05, 0.5, 0.95])
def test_recall_at_precision_inverts_precision_at_recall(
    prevalence, mean, std, recall, global_random_seed
):
    posterior = posterior_of(global_random_seed, prevalence, mean, std)
    # The precision of a wider positive class is not monotone: ask where it falls.
    band = curve_band(PRECISION_RECALL, posterior, TASK, n_points=2000)
    precision = Question.of("precision", recall=recall).estimate(posterior, None, TASK).value
    expected = band.x[band.value >= precision].max()
    found = Question.of("recall", precision=precision).estimate(posterior, None, TASK).value
    assert_allclose(found, expected, atol=2e-3)


def test_curves_do_not_depend_on_the_unit_of_the_scores(global_random_seed):
    posterior = posterior_of(global_random_seed, 0.1, 1.5, 1.0)
    other = posterior_of(global_random_seed, 0.1, 1.5, 1.0, score_scale="unit")
    bands = [curve_band(PRECISION_RECALL, p, TASK, n_points=50) for p in (posterior, other)]
    assert_allclose(bands[0].value, bands[1].value, atol=1e-4)
