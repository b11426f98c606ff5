"""The drawing of goals: probabilities against the threshold, and boxes around the curve."""

from types import SimpleNamespace

import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import GoalProbabilityDisplay
from tests.display.data import even_scores, quick_mixture

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

GOALS = [
    {"precision": 0.5, "recall": 0.6},
    {"precision": 0.8},
    {"f1": 0.7},
    {"precision": (0.4, 0.9), "recall": (None, 0.7)},
]
# Left, right, bottom, top.
BOXES = [(0.6, 1.0, 0.5, 1.0), (0.0, 1.0, 0.8, 1.0), None, (0.0, 0.7, 0.4, 0.9)]


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


@pytest.fixture
def display(estimator):
    return GoalProbabilityDisplay.from_estimator(estimator, GOALS)


# --- the probabilities -----------------------------------------------------------------


@pytest.mark.parametrize("target", ["sample", "population"])
def test_drawn_lines_are_the_probabilities_of_the_goals(estimator, target):
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, target=target)
    assert len(display.lines_) == len(display.bands_) == len(GOALS)
    for line, fill, goal in zip(display.lines_, display.bands_, GOALS, strict=True):
        band = estimator.goal_probability(target=target, **goal)
        assert_allclose(line.get_xdata(), band.x, atol=0.0)
        assert_allclose(line.get_ydata(), band.value, atol=0.0)
        assert line.get_label() == band.name
        vertices = fill.get_paths()[0].vertices
        lower, upper = band.interval()
        assert_allclose([vertices[:, 1].min(), vertices[:, 1].max()], [lower.min(), upper.max()])


def test_thresholds_that_promise_a_goal_are_marked_where_they_promise_it(estimator):
    goals = [{"precision": 0.5}, {"precision": 0.999, "recall": 0.999}]
    display = GoalProbabilityDisplay.from_estimator(estimator, goals, confidence_level=0.8)
    (dot,) = display.guarantees_
    threshold = estimator.threshold_for(precision=0.5, confidence_level=0.8)
    band = estimator.goal_probability(precision=0.5, thresholds=[threshold])
    assert_allclose(dot.get_xydata(), [[threshold, band.value[0]]])
    assert dot.get_color() == display.lines_[0].get_color()
    # There is no guarantee at another level.
    assert display.plot(confidence_level=0.9).guarantees_ == []


# --- what knows a performance ----------------------------------------------------------


def test_estimator_with_a_performance_is_drawn_with_its_own_goal_and_level(estimator):
    classifier = SimpleNamespace(performance_=estimator, goal_=GOALS[0], confidence_level=0.8)
    display = GoalProbabilityDisplay.from_estimator(classifier)
    (line,) = display.lines_
    expected = estimator.goal_probability(**GOALS[0]).value
    assert_allclose(line.get_ydata(), expected, atol=0.0)
    assert_allclose(display.level_line_.get_ydata(), 0.9)
    assert display.verdict is estimator.verdict_


def test_what_knows_no_performance_is_named():
    with pytest.raises(TypeError, match=r"as performance_; got LogisticRegression"):
        GoalProbabilityDisplay.from_estimator(LogisticRegression(), GOALS)


@pytest.mark.parametrize("goals", [None, [], {}])
def test_no_goal_is_an_error(estimator, goals):
    with pytest.raises(ValueError, match="Pass goals="):
        GoalProbabilityDisplay.from_estimator(estimator, goals)


@pytest.mark.parametrize("goals", [0.9, "precision", ["precision"]])
def test_goals_that_are_no_dicts_are_an_error(estimator, goals):
    with pytest.raises(TypeError, match="a dict or a list of dicts"):
        GoalProbabilityDisplay.from_estimator(estimator, goals)


@pytest.mark.parametrize("option", ["curve_kwargs", "band_kwargs"])
def test_keywords_for_another_number_of_goals_are_an_error(estimator, option):
    with pytest.raises(ValueError, match=f"{option} must be .* a list of length 4"):
        GoalProbabilityDisplay.from_estimator(estimator, GOALS, **{option: [{}]})


# --- the boxes -------------------------------------------------------------------------


def test_boxes_hold_what_the_goals_allow(display):
    assert display.plot_boxes() is display
    for box, corners in zip(display.boxes_, BOXES, strict=True):
        if corners is None:
            assert box is None
            continue
        drawn = box.get_bbox()
        assert_allclose((drawn.x0, drawn.x1, drawn.y0, drawn.y1), corners, atol=1e-12)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("recall", "precision")


@pytest.mark.parametrize("target", ["sample", "population"])
def test_curve_among_the_boxes_is_the_precision_recall_curve(estimator, target):
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, target=target)
    line = display.plot_boxes().curve_display_.line_
    band = estimator.curve("precision_recall", target=target)
    assert_allclose(line.get_xdata(), band.x, atol=0.0)
    assert_allclose(line.get_ydata(), band.value, atol=0.0)


def test_goals_without_any_box_are_an_error(estimator):
    display = GoalProbabilityDisplay.from_estimator(estimator, {"f1": 0.7, "precision": 0.5})
    with pytest.raises(ValueError, match="as is needed for a box"):
        display.plot_boxes()


def test_boxes_of_a_display_without_goals_or_curve_are_an_error(estimator):
    bands = [estimator.goal_probability(**goal) for goal in GOALS]
    for missing in ({"goals": GOALS}, {"curve": estimator.curve()}):
        with pytest.raises(ValueError, match="needs goals= and curve="):
            GoalProbabilityDisplay(bands, **missing).plot_boxes()
    with pytest.raises(ValueError, match="each of the 4 bands; got 1"):
        GoalProbabilityDisplay(bands, goals=GOALS[:1], curve=estimator.curve()).plot_boxes()
