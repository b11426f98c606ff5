"""The number of classes that keeps an accuracy: the inverse of the curve and of its band."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import AccuracyExtrapolator
from sklearn_spe.exceptions import FarExtrapolationWarning
from sklearn_spe.extrapolation import ConditionalAccuracyDistribution, Powers
from sklearn_spe.extrapolation._accuracy_curve import AccuracyModel
from tests.extrapolation.pilots import drawn

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
LARGEST = 375  # 25 times the classes of the pilot


@pytest.fixture(scope="module")
def pilot(global_random_seed):
    """Return scores and labels of 15 classes."""
    return drawn(15, 4, seed=global_random_seed)


@pytest.fixture(scope="module")
def extrapolator(pilot, global_random_seed):
    return AccuracyExtrapolator(n_bootstrap=4, random_state=global_random_seed).fit(*pilot)


def between(band, accuracy, margin):
    """Return whether each number of classes has the accuracy in its interval, up to a margin."""
    low, high = band.interval()
    return (low - margin <= accuracy) & (accuracy <= high + margin)


@pytest.mark.parametrize("degree", [1.0, 8.0, 40.0])
def test_a_curve_in_closed_form_is_inverted(degree):
    # U is Beta(d, 1): with k classes the accuracy is d / (d + k - 1).
    distribution = ConditionalAccuracyDistribution(Powers(np.array([degree])), np.ones(1))
    model = AccuracyModel(degree / (degree + np.arange(20.0)), distribution)
    accuracies = np.array([0.97, 0.63, 0.29, 0.011])
    expected = np.floor(degree / accuracies - degree + 1.0)
    assert_array_equal([model.n_classes_at(a, 10**6) for a in accuracies], expected)
    assert model.n_classes_at(1e-9, 10**6) == np.inf


def test_it_inverts_the_prediction(extrapolator):
    # From where the accuracy starts to fall: with few classes it may be one.
    counts = np.array([8, 15, 16, 100, 374])
    accuracies = extrapolator.predict(counts)
    assert (accuracies > extrapolator.predict(counts + 1)).all()
    assert_array_equal([extrapolator.n_classes_at(a).value for a in accuracies], counts)


def test_more_accuracy_leaves_fewer_classes(extrapolator):
    estimates = [extrapolator.n_classes_at(a) for a in np.linspace(0.0, 1.0, 12)]
    numbers = np.array([(*found.interval(), found.value) for found in estimates])
    assert (numbers[1:] <= numbers[:-1]).all()
    low, high, value = numbers.T
    assert (low <= value).all()
    assert (value <= high).all()
    assert_array_equal(numbers[0], np.inf)


def test_within_the_first_classes_it_inverts_the_prediction_too(extrapolator):
    accuracy = extrapolator.predict(60, top=3)
    assert extrapolator.n_classes_at(accuracy, top=3, max_classes=99).value == 60


def test_its_interval_is_where_the_band_contains_the_accuracy(extrapolator):
    accuracy = extrapolator.predict(60)
    low, high = extrapolator.n_classes_at(accuracy).interval()
    # Quantiles lie between two draws, of numbers of classes as of accuracies, and an end of a band
    # may increase a little, as in `test_bands`.
    inside = [np.ceil(low * 1.03 + 1.0), np.floor(min(high, LARGEST) / 1.03 - 1.0)]
    band = extrapolator.predict_band(inside)
    assert between(band, accuracy, 5e-3).all()
    outside = [max(np.floor(low / 1.03 - 1.0), 1.0)]
    if high < LARGEST:
        outside.append(np.ceil(high * 1.03 + 1.0))
    assert not between(extrapolator.predict_band(outside), accuracy, -5e-3).any()


def test_an_end_that_is_not_reached_is_open(extrapolator):
    accuracy = extrapolator.predict(100)
    near = extrapolator.n_classes_at(accuracy, max_classes=50)
    assert near.value == np.inf
    assert near.interval()[1] == np.inf
    assert "inf: more than 50" in near.sentence()
    with pytest.warns(FarExtrapolationWarning):
        far = extrapolator.n_classes_at(accuracy, max_classes=10**6)
    assert far.value == extrapolator.n_classes_at(accuracy).value == 100


def test_bad_input_is_refused(pilot, extrapolator):
    with pytest.raises(ValueError, match=r"accuracy must lie in \[0, 1\], got 80"):
        extrapolator.n_classes_at(80)
    with pytest.raises(ValueError, match="max_classes must be at least 1, got 0"):
        extrapolator.n_classes_at(0.8, max_classes=0)
    alone = AccuracyExtrapolator(n_bootstrap=0, random_state=0).fit(*pilot)
    with pytest.raises(ValueError, match="fit with n_bootstrap of at least 2"):
        alone.n_classes_at(0.8)
