"""What a lower threshold costs, as metrics of operating points."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.metrics import PrecisionAfterGain, PrecisionRecallSlope
from sklearn_spe.metrics._metric import TradeoffMetric
from sklearn_spe.metrics._registry import METRICS, as_metric

EVERY = pytest.mark.parametrize("cls", [PrecisionRecallSlope, PrecisionAfterGain])


@EVERY
def test_it_is_listed_compared_and_pickled_as_other_metrics(cls):
    metric = cls()
    assert METRICS[metric.name] is cls
    assert as_metric(metric.name) == metric
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert isinstance(metric, TradeoffMetric)
    # Undefined values are left out.
    assert np.isnan(metric.zero_division)


def test_metrics_of_other_parameters_are_others():
    assert PrecisionAfterGain(0.2) != PrecisionAfterGain()
    assert PrecisionRecallSlope(share=0.02) != PrecisionRecallSlope()


@pytest.mark.parametrize(
    ("gain", "error"),
    [(0.0, ValueError), (1.0, ValueError), (np.nan, ValueError), ("1", TypeError)],
)
def test_a_gain_is_a_share(gain, error):
    with pytest.raises(error, match="recall_gain must"):
        PrecisionAfterGain(gain)


NEGATIVE, POSITIVE, PREVALENCE = stats.norm(0.0, 1.0), stats.norm(2.0, 1.5), 0.1
THRESHOLDS = np.linspace(-2.0, 5.0, 29)


def points(threshold):
    """Return the counts of a population of two normals."""
    tp, fp = PREVALENCE * POSITIVE.sf(threshold), (1.0 - PREVALENCE) * NEGATIVE.sf(threshold)
    return tp, fp, tp / (tp + fp), tp / PREVALENCE


def slope_at(threshold):
    tp, fp, *_ = points(threshold)
    joint = PREVALENCE * POSITIVE.pdf(threshold), (1.0 - PREVALENCE) * NEGATIVE.pdf(threshold)
    return PrecisionRecallSlope().tangent(tp, fp, PREVALENCE, joint[0] / sum(joint))


def test_the_tangent_is_the_derivative_of_precision_by_recall():
    step = 1e-4
    _, _, *ahead = points(THRESHOLDS + step)
    _, _, *behind = points(THRESHOLDS - step)
    expected = (ahead[0] - behind[0]) / (ahead[1] - behind[1])
    # The square of the step, and rounding over it.
    assert_allclose(slope_at(THRESHOLDS), expected, rtol=1e-5, atol=1e-7)
    # Precision falls as recall grows, but rises where the wider positives are the lower ones.
    assert (slope_at(THRESHOLDS[THRESHOLDS > 0.0]) < 0.0).all()


def test_the_secant_of_neighbours_is_nearly_the_tangent():
    tp, fp, *_ = points(THRESHOLDS)
    below_tp, below_fp, *_ = points(THRESHOLDS - 1e-5)
    secant = PrecisionRecallSlope().secant(tp, fp, PREVALENCE, below_tp, below_fp)
    assert_allclose(secant, slope_at(THRESHOLDS), rtol=1e-3, atol=1e-6)


def test_the_slope_grows_without_bound_where_no_item_is_positive():
    slope = PrecisionRecallSlope().tangent(8.0, 2.0, 10.0, np.array([1.0, 0.8, 0.1, 0.0]))
    # P / R (1 - P / q) with P = R = 0.8.
    assert_allclose(slope, [0.2, 0.0, -7.0, -np.inf], atol=1e-12)


@pytest.mark.parametrize(("tp", "fp"), [(0.0, 0.0), (0.0, 3.0)])
def test_the_slope_is_undefined_where_nothing_is_found(tp, fp):
    assert np.isnan(PrecisionRecallSlope().tangent(tp, fp, 10.0, 0.5))


def test_the_secant_joins_two_points():
    slope = PrecisionRecallSlope()
    # From 4 of 5 to 6 of 10, of eight positives.
    assert_allclose(slope.secant(4.0, 1.0, 8.0, 6.0, 4.0), (0.6 - 0.8) / (2.0 / 8.0))
    assert slope.secant(4.0, 1.0, 8.0, 4.0, 4.0) == -np.inf
    assert np.isnan(slope.secant(4.0, 1.0, 8.0, 4.0, 1.0))
    assert np.isnan(slope.secant(0.0, 0.0, 8.0, 2.0, 1.0))


def test_both_slopes_broadcast():
    tp, fp = np.array([[1.0], [2.0]]), np.array([[0.0, 1.0, 3.0]])
    slope = PrecisionRecallSlope()
    assert slope.tangent(tp, fp, 4.0, 0.5).shape == (2, 3)
    assert slope.secant(tp, fp, 4.0, tp + 1.0, fp + 2.0).shape == (2, 3)
    assert slope.tangent(tp, fp, 4.0, 0.5)[1, 2] == slope.tangent(2.0, 3.0, 4.0, 0.5)


@pytest.mark.parametrize(
    ("metric", "n_items", "span"),
    [
        (PrecisionRecallSlope(), 100, 10),
        (PrecisionRecallSlope(), 1000, 10),
        (PrecisionRecallSlope(), 5000, 50),
        (PrecisionRecallSlope(least_items=3, share=0.1), 100, 10),
        (PrecisionRecallSlope(least_items=3, share=0.1), 20, 3),
    ],
)
def test_the_secant_spans_some_items_and_some_share(metric, n_items, span):
    assert metric.span(n_items) == pytest.approx(span)


def test_the_secant_of_a_sample_ends_at_the_item_that_its_span_reaches(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Sixty distinct scores, decreasing, with five draws of their labels.
    labels = rng.random((5, 60)) < 0.4
    labels[:, [0, 59]] = True, False
    tp, fp = np.cumsum(labels, axis=1), np.cumsum(~labels, axis=1)
    slope, n_positive = PrecisionRecallSlope(least_items=7), tp[:, -1:]
    called = np.array([2, 5, 20, 52, 53, 58])
    found = slope.value(tp[:, called - 1], fp[:, called - 1], n_positive, tp, fp)
    below = np.minimum(called + 7, 60)
    for i in range(5):
        fall = tp[i, below - 1] / below - tp[i, called - 1] / called
        gained = (tp[i, below - 1] - tp[i, called - 1]) / n_positive[i]
        with np.errstate(divide="ignore", invalid="ignore"):
            assert_allclose(found[i], fall / gained)


def test_precision_after_a_gain_is_that_of_the_highest_threshold_with_the_recall(
    global_random_seed,
):
    rng = np.random.default_rng(global_random_seed)
    labels = rng.random((5, 60)) < 0.4
    labels[:, [0, 59]] = True, False
    tp, fp = np.cumsum(labels, axis=1), np.cumsum(~labels, axis=1)
    n_positive = tp[:, -1:]
    called = np.array([1, 8, 30, 55])
    points = tp[:, called - 1], fp[:, called - 1], n_positive
    found = PrecisionAfterGain(0.25).value(*points, tp, fp)
    for i in range(5):
        for j, n in enumerate(called):
            target = tp[i, n - 1] / n_positive[i, 0] + 0.25
            reached = np.flatnonzero(tp[i] / n_positive[i] >= target - 1e-9)
            expected = tp[i, reached[0]] / (reached[0] + 1) if len(reached) else np.nan
            assert_allclose(found[i, j], expected)
