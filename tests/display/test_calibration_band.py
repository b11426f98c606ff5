"""The drawing of reliability curves, before and after recalibration."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.calibration import calibration_curve

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import CalibrationBandDisplay
from tests.display.data import even_scores, quick_mixture

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


# With few labels, and one expert, some draws of both hold little information.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def estimator(global_random_seed):
    mixture = quick_mixture(global_random_seed)
    return PerformanceCurveEstimator(mixture).fit(*even_scores(300, 30))


def ends_of(fill, x):
    vertices = fill.get_paths()[0].vertices
    ys = [vertices[np.isclose(vertices[:, 0], at, rtol=0.0, atol=1e-12), 1] for at in x]
    return np.array([y.min() for y in ys]), np.array([y.max() for y in ys])


def is_drawn_as(line, fill, band, level):
    assert_allclose(line.get_xdata(), band.x, atol=0.0)
    assert_allclose(line.get_ydata(), band.value, atol=0.0)
    # The outline passes twice through its first and last point.
    for found, expected in zip(ends_of(fill, band.x), band.interval(level), strict=True):
        assert_allclose(found[1:-1], expected[1:-1], atol=1e-12)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_drawn_curves_are_the_values_and_their_bands_the_intervals(estimator, strategy):
    bins = {"n_bins": 6, "strategy": strategy}
    display = CalibrationBandDisplay.from_estimator(
        estimator, predicted=expit, confidence_level=0.8, **bins
    )
    bands = [estimator.calibration_curve(function, **bins) for function in (expit, None)]
    for line, fill, band in zip(display.lines_, display.bands_, bands, strict=True):
        is_drawn_as(line, fill, band, 0.8)
    assert display.ax_.get_xlabel() == "mean predicted probability"
    assert display.ax_.get_ylabel() == "fraction of positives"


def test_estimator_with_a_performance_is_drawn_with_what_it_predicted_before(estimator):
    classifier = SimpleNamespace(performance_=estimator, predicted_before_=expit)
    display = CalibrationBandDisplay.from_estimator(classifier)
    assert list(display.bands) == ["before", "recalibrated"]
    is_drawn_as(display.lines_[0], display.bands_[0], estimator.calibration_curve(expit), 0.9)
    assert display.verdict is estimator.verdict_


def test_diagonal_is_dotted_drawn_once_and_left_out_if_not_wanted(estimator):
    display = CalibrationBandDisplay.from_estimator(estimator)
    first, *_ = display.ax_.lines
    assert first.get_linestyle() == ":"
    assert_allclose(first.get_xydata(), [[0.0, 0.0], [1.0, 1.0]])
    display.plot(display.ax_)
    assert len(display.ax_.lines) == 3
    assert len(display.plot(ref_line=False).ax_.lines) == 1


def test_curve_of_known_labels_is_that_of_scikit_learn(global_random_seed):
    scores, labels = even_scores(200)
    performance = PerformanceCurveEstimator(quick_mixture(global_random_seed)).fit(scores, labels)
    display = CalibrationBandDisplay.from_estimator(
        performance, predicted=expit, n_bins=5, strategy="uniform"
    )
    y, x = calibration_curve(labels, expit(scores), n_bins=5)
    assert_allclose(display.lines_[0].get_xydata(), np.column_stack([x, y]), atol=1e-12)


def test_probabilities_in_place_of_a_function_are_an_error(estimator):
    with pytest.raises(TypeError, match=r"got ndarray\..*predicted=lambda scores: scores"):
        CalibrationBandDisplay.from_estimator(estimator, predicted=np.linspace(0.0, 1.0, 300))
