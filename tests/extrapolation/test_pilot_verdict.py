"""What is said of a pilot that says little, or that contradicts its law."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import AccuracyExtrapolator
from sklearn_spe.exceptions import MisfitWarning, UnidentifiedWarning
from sklearn_spe.extrapolation import Moment
from tests.extrapolation.pilots import drawn

FAR = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FarExtrapolationWarning")


@pytest.fixture(scope="module")
def fitted(global_random_seed):
    """Return a function that fits an extrapolator with the one seed."""

    def fit(scores, y, method="auto"):
        options = {"n_bootstrap": 0, "random_state": global_random_seed}
        return AccuracyExtrapolator(method, **options).fit(scores, y)

    return fit


def reasons(extrapolator):
    return [reason.name for reason in extrapolator.verdict_.reasons]


def test_fewer_than_ten_classes_say_little(fitted, global_random_seed):
    with pytest.warns(UnidentifiedWarning, match=r"\(few classes\)") as caught:
        extrapolator = fitted(*drawn(9, 10, global_random_seed, noise=1.0))
    assert (extrapolator.verdict_, reasons(extrapolator)) == ("unidentified", ["few_classes"])
    assert "Only 9 classes are in the pilot" in extrapolator.verdict_.describe()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        # Another reason may be found in what is drawn.
        warnings.simplefilter("ignore", UnidentifiedWarning)
        enough = fitted(*drawn(10, 10, global_random_seed, noise=1.0))
    assert "few_classes" not in reasons(enough)


def test_fewer_than_five_errors_say_little(fitted, global_random_seed):
    y = np.arange(48) % 12
    # Noise: no score ties.
    noise = 0.1 * np.random.default_rng(global_random_seed).random((48, 12))
    for n_errors, expected in ((4, ["few_errors"]), (5, [])):
        scores = noise + np.eye(12)[np.where(np.arange(48) < n_errors, (y + 1) % 12, y)]
        if expected:
            with pytest.warns(UnidentifiedWarning, match=r"\(few errors\)"):
                extrapolator = fitted(scores, y)
            assert "misclassified (4)" in extrapolator.verdict_.describe()
        else:
            extrapolator = fitted(scores, y)
        assert extrapolator.n_errors_ == pytest.approx(n_errors)
        assert reasons(extrapolator) == expected


@FAR
def test_an_estimate_that_is_no_distribution_is_reported_and_kept_within_zero_and_one(
    fitted, global_random_seed
):
    # Four items in ten are beaten by one class and by no other: among few classes hardly an error,
    # among all of them four in ten, and no law falls so fast so late.
    rng, y = np.random.default_rng(global_random_seed), np.repeat(np.arange(30), 3)
    scores, beaten = 0.1 * rng.random((90, 30)) + np.eye(30)[y], np.arange(90) >= 54
    scores[np.flatnonzero(beaten), (y[beaten] + 1) % 30] += 2.0
    with pytest.warns(MisfitWarning, match=r"\(no law\).*constrained=True"):
        free = fitted(scores, y, Moment(constrained=False))
    assert (free.verdict_, reasons(free)) == ("misfit", ["no_law"])
    assert free.D_.always_right < 0.0
    assert free.D_.accuracy(np.array([10**6]))[0] < 0.0
    counts = np.unique(np.geomspace(1, 10**9, 100).astype(int))
    accuracies = free.predict(counts)
    assert ((accuracies >= 0.0) & (accuracies <= 1.0)).all()
    assert (np.diff(accuracies) <= 1e-12).all()
    assert accuracies[-1] == free.asymptotic_accuracy_ == 0.0
    assert fitted(scores, y, Moment()).verdict_ == "ok"


def test_a_distribution_that_contradicts_what_was_measured_is_reported(fitted, global_random_seed):
    # Kernels of squared distances, which are skewed, expect far less than was measured.
    with pytest.warns(MisfitWarning, match=r"\(law contradicted\)"):
        extrapolator = fitted(*drawn(40, 4, global_random_seed), "kde")
    assert (extrapolator.verdict_, reasons(extrapolator)) == ("misfit", ["law_contradicted"])
    measured, n_items = extrapolator.accuracy_curve_[-1], 160.0
    expected = extrapolator.D_.accuracy(np.array([40]))[0]
    # The delta method: the logit of a share of n items has a variance of 1 / (n p (1 - p)).
    errors = special.logit(measured) - special.logit(expected)
    errors *= np.sqrt(n_items * measured * (1.0 - measured))
    (reason,) = extrapolator.verdict_.reasons
    assert_allclose(reason.value, abs(errors), rtol=0.02)
    assert reason.value > reason.limit
    assert fitted(*drawn(40, 4, global_random_seed)).verdict_ == "ok"
