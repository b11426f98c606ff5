"""The drawing of the accuracy against the number of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.extrapolation import (
    AccuracyComparison,
    AccuracyExtrapolationDisplay,
    ClassifierAccuracyExtrapolator,
    GaussianClasses,
    make_recognition_scores,
)

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

TASK = GaussianClasses(noise=0.6)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fast(global_random_seed):
    return {"n_bootstrap": 5, "random_state": global_random_seed}


@pytest.fixture(scope="module")
def pilot(global_random_seed):
    return make_recognition_scores(20, task=TASK, n_test=4, random_state=global_random_seed)


@pytest.fixture(scope="module")
def extrapolator(pilot, fast):
    return AccuracyExtrapolator(**fast).fit(*pilot)


@pytest.fixture(scope="module")
def comparison(pilot, fast, global_random_seed):
    X, y = pilot
    noise = np.random.default_rng(global_random_seed).standard_normal(X.shape)
    return AccuracyComparison(AccuracyExtrapolator(**fast)).fit([X, X + 4.0 * noise], y)


@pytest.fixture(scope="module")
def classifier(fast, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat(np.arange(12), 10)
    X = rng.standard_normal((12, 4))[y] + 0.7 * rng.standard_normal((120, 4))
    return ClassifierAccuracyExtrapolator(
        LogisticRegression(),
        extrapolator=AccuracyExtrapolator(method="probit", **fast),
        n_sizes=3,
        n_repeats=2,
        cv=2,
    ).fit(X, y)


def draw(estimator, n_classes=None, **options):
    return AccuracyExtrapolationDisplay.from_estimator(estimator, n_classes, **options)


def texts_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def ends_of(fill, x):
    vertices = fill.get_paths()[0].vertices
    ys = [vertices[np.isclose(vertices[:, 0], at, rtol=0.0, atol=1e-9), 1] for at in x]
    return np.array([y.min() for y in ys]), np.array([y.max() for y in ys])


# --- one classifier --------------------------------------------------------------------


def test_solid_line_is_the_exact_curve_up_to_the_classes_that_were_tried(extrapolator, pilot):
    (line,) = draw(extrapolator).lines_
    X, y = pilot
    assert_allclose(line.get_xdata(), np.arange(2, 21))
    assert_allclose(line.get_ydata(), average_accuracy_curve(y, X)[1:], atol=1e-15)
    assert line.get_linestyle() == "-"


def test_dashed_line_is_the_prediction_from_there_to_ten_times_as_many(extrapolator):
    display = draw(extrapolator)
    (line,) = display.extrapolations_
    counts = line.get_xdata()
    assert (counts[0], counts[-1]) == (20, 200)
    assert_allclose(line.get_ydata(), extrapolator.predict(counts), atol=1e-15)
    assert line.get_linestyle() == "--"
    assert line.get_color() == display.lines_[0].get_color()
    # Both meet where the pilot ends.
    assert_allclose(display.lines_[0].get_xydata()[-1], line.get_xydata()[0], atol=1e-15)


@pytest.mark.parametrize("level", [None, 0.6])
def test_band_is_the_interval_beyond_the_classes_that_were_tried(extrapolator, level):
    (fill,) = draw(extrapolator, confidence_level=level).bands_
    counts = np.arange(20, 201, 20)
    band = extrapolator.predict_band(counts)
    assert fill.get_paths()[0].vertices[:, 0].min() == 20
    display = draw(extrapolator, counts, confidence_level=level)
    for found, expected in zip(ends_of(*display.bands_, counts), band.interval(level), strict=True):
        # The outline passes twice through its first and last point.
        assert_allclose(found[1:-1], expected[1:-1], atol=1e-12)


def test_without_resampled_classes_there_is_no_band(pilot):
    plain = AccuracyExtrapolator(n_bootstrap=0).fit(*pilot)
    display = draw(plain)
    assert display.bands_ == []
    assert texts_of(display) == ["accuracy", "20 classes tried"]
    (line,) = display.extrapolations_
    assert_allclose(line.get_ydata(), plain.predict(line.get_xdata()), atol=1e-15)


def test_classes_of_the_pilot_are_marked_once(extrapolator):
    display = draw(extrapolator)
    assert list(display.pilot_line_.get_xdata()) == [20, 20]
    draw(extrapolator, ax=display.ax_, name="again")
    assert texts_of(display).count("20 classes tried") == 1


# --- the truth -------------------------------------------------------------------------


def test_truth_of_a_task_is_drawn_at_all_numbers_of_classes(extrapolator):
    display = draw(extrapolator, truth=TASK.accuracy)
    (line,) = display.truths_
    assert_allclose(line.get_xdata(), display.n_classes)
    assert_allclose(line.get_ydata(), TASK.accuracy(display.n_classes), atol=1e-15)
    assert "truth" in texts_of(display)


@pytest.mark.parametrize("truth", [([30, 200], [0.5, 0.3]), (200, 0.3)], ids=["several", "one"])
def test_observed_truth_is_drawn_where_it_is_known_with_marks(extrapolator, truth):
    (line,) = draw(extrapolator, truth=truth).truths_
    assert_allclose(line.get_xydata(), np.column_stack(truth))
    assert line.get_marker() == "D"


@pytest.mark.parametrize(
    "truth",
    [([30, 200], [0.5]), [0.5, 0.4, 0.3], lambda n: 0.5, ([[30]], [[0.5]])],
    ids=["lengths", "no_pair", "one_number", "matrix"],
)
def test_truth_of_another_shape_is_an_error(extrapolator, truth):
    with pytest.raises(ValueError, match="an accuracy for each number of classes, or a pair"):
        draw(extrapolator, truth=truth)


# --- two classifiers -------------------------------------------------------------------


def test_comparison_draws_both_curves_with_their_bands(comparison):
    display = draw(comparison, 100)
    assert len(display.bands_) == 2
    for i, extrapolator in enumerate(comparison.extrapolators_):
        for line in (display.lines_[i], display.extrapolations_[i]):
            x, y = line.get_data()
            assert_allclose(y, extrapolator.predict(x), atol=1e-15)
    first, second = display.lines_
    assert first.get_color() != second.get_color()


def test_a_truth_that_takes_no_numbers_of_classes_is_an_error(extrapolator):
    with pytest.raises(TypeError, match=r"called as truth\(n_classes\)"):
        draw(extrapolator, truth=lambda: 0.5)


def test_one_name_or_one_truth_for_two_classifiers_is_an_error(comparison):
    with pytest.raises(ValueError, match="list of 2 names, one for each curve; got 'both'"):
        draw(comparison, name="both")
    with pytest.raises(ValueError, match="truth must be a list of 2, one for each classifier"):
        draw(comparison, truth=TASK.accuracy)


# --- training again --------------------------------------------------------------------


def test_accuracies_of_subsets_are_points(classifier):
    display = draw(classifier, name="logistic")
    (points,) = display.points_
    curve = classifier.retrained_curve_
    assert_allclose(points.get_xdata(), np.repeat(curve.sizes, 2))
    assert_allclose(points.get_ydata(), curve.accuracies.ravel())
    assert points.get_linestyle() == "None"
    assert "logistic (trained again on subsets)" in texts_of(display)
    x, y = display.extrapolations_[0].get_data()
    assert_allclose(y, classifier.predict(x), atol=1e-15)


# --- errors ----------------------------------------------------------------------------


def test_what_extrapolates_no_accuracy_is_named():
    with pytest.raises(TypeError, match=r"got LogisticRegression.*ClassifierAccuracyExtrapolator"):
        draw(LogisticRegression())


@pytest.mark.parametrize(
    ("n_classes", "message"),
    [
        (10, r"at least 20, the number of classes of the pilot.*got 10"),
        ([30, 40.5], r"whole numbers of at least 1, got 40\.5"),
        (np.inf, "must be whole numbers"),
    ],
)
def test_numbers_of_classes_that_cannot_be_are_an_error(extrapolator, n_classes, message):
    with pytest.raises(ValueError, match=message):
        draw(extrapolator, n_classes)
