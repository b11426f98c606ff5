"""The drawing of the accuracy against the number of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.exceptions import FarExtrapolationWarning, UnidentifiedWarning
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


def test_axis_of_numbers_of_classes_is_logarithmic(extrapolator):
    ax = draw(extrapolator).ax_
    assert ax.get_xscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of classes", "accuracy")


def test_number_of_classes_is_how_far_the_line_goes(extrapolator):
    (line,) = draw(extrapolator, 50).extrapolations_
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (20, 50)
    (line,) = draw(extrapolator, 20).extrapolations_
    assert list(line.get_xdata()) == [20]


def test_numbers_of_classes_are_where_it_is_drawn_and_where_the_pilot_ends(extrapolator):
    display = draw(extrapolator, [100, 5, 40, 10])
    assert list(display.lines_[0].get_xdata()) == [5, 10, 20]
    assert list(display.extrapolations_[0].get_xdata()) == [20, 40, 100]


def test_legend_tells_name_and_level(extrapolator):
    assert texts_of(draw(extrapolator)) == ["90% band", "20 classes tried"]
    assert texts_of(draw(extrapolator, name="pixels"))[0] == "pixels (90% band)"


def test_far_extrapolation_warns(extrapolator):
    with pytest.warns(FarExtrapolationWarning, match="2000 classes"):
        draw(extrapolator, 2000)


def test_verdict_on_few_classes_is_in_the_legend(fast, global_random_seed):
    with pytest.warns(UnidentifiedWarning):
        small = AccuracyExtrapolator(**fast).fit(
            *make_recognition_scores(5, task=TASK, n_test=20, random_state=global_random_seed)
        )
    title = draw(small).ax_.get_legend().get_title().get_text()
    assert title.startswith("unidentified: few classes")


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


def test_keywords_reach_the_truth(extrapolator):
    (line,) = draw(extrapolator, truth=TASK.accuracy, truth_kwargs={"c": "k", "ls": ":"}).truths_
    assert (line.get_color(), line.get_linestyle()) == ("k", ":")


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


def test_legend_names_both_classifiers(comparison):
    texts = texts_of(draw(comparison))
    assert texts == ["classifier 0 (90% band)", "classifier 1 (90% band)", "20 classes tried"]
    display = draw(comparison, name=["clean", "noisy"], truth=[TASK.accuracy, None])
    assert texts_of(display)[:3] == ["clean (90% band)", "clean, truth", "noisy (90% band)"]


def test_keywords_of_a_list_go_to_one_classifier_each(comparison):
    display = draw(
        comparison,
        truth=[(100, 0.5), (100, 0.4)],
        curve_kwargs=[{"c": "red"}, {"c": "blue", "lw": 3.0}],
        band_kwargs=[{"alpha": 0.1}, {}],
        truth_kwargs=[{"marker": "x"}, {}],
    )
    for lines in (display.lines_, display.extrapolations_):
        assert [line.get_color() for line in lines] == ["red", "blue"]
    assert display.extrapolations_[1].get_linewidth() == 3.0
    assert [fill.get_alpha() for fill in display.bands_] == [0.1, 0.25]
    assert [line.get_marker() for line in display.truths_] == ["x", "D"]


@pytest.mark.parametrize("option", ["curve_kwargs", "band_kwargs", "truth_kwargs"])
def test_keywords_for_another_number_of_classifiers_are_an_error(comparison, option):
    with pytest.raises(ValueError, match=f"{option} must be .* a list of length 2"):
        draw(comparison, **{option: [{}]})


def test_a_truth_that_takes_no_numbers_of_classes_is_an_error(extrapolator):
    with pytest.raises(TypeError, match=r"called as truth\(n_classes\)"):
        draw(extrapolator, truth=lambda: 0.5)


def test_one_name_or_one_truth_for_two_classifiers_is_an_error(comparison):
    with pytest.raises(ValueError, match="list of 2 names, one for each curve; got 'both'"):
        draw(comparison, name="both")
    with pytest.raises(ValueError, match="truth must be a list of 2, one for each classifier"):
        draw(comparison, truth=TASK.accuracy)


def test_two_names_for_one_classifier_are_an_error(extrapolator):
    with pytest.raises(ValueError, match="name must be a string; got"):
        draw(extrapolator, name=["a", "b"])


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


def test_marginal_classifier_that_is_not_trained_again_has_no_points(fast, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.repeat(np.arange(12), 10)
    X = rng.standard_normal((12, 4))[y] + 0.7 * rng.standard_normal((120, 4))
    marginal = ClassifierAccuracyExtrapolator(
        NearestCentroid(), extrapolator=AccuracyExtrapolator(**fast), retrain=False, cv=2
    ).fit(X, y)
    display = draw(marginal)
    assert display.points_ == []
    assert len(display.bands_) == 1


# --- errors ----------------------------------------------------------------------------


def test_what_extrapolates_no_accuracy_is_named():
    with pytest.raises(TypeError, match=r"got LogisticRegression.*ClassifierAccuracyExtrapolator"):
        draw(LogisticRegression())


@pytest.mark.parametrize(
    "estimator", [AccuracyComparison(), ClassifierAccuracyExtrapolator(LogisticRegression())]
)
def test_what_is_not_fitted_is_an_error(estimator):
    with pytest.raises(ValueError, match="not fitted"):
        draw(estimator)


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
