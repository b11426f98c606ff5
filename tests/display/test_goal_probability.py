"""The drawing of goals: probabilities against the threshold, and boxes around the curve."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from sklearn_spe import Goal, PerformanceCurveEstimator
from sklearn_spe.display import GoalProbabilityDisplay
from sklearn_spe.results._verdict import Reason, Verdict
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
DOUBT = Reason("labels_contradict", "misfit", "The lowest third.", 0.0, 0.005)


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


def texts_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


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


def test_one_goal_may_be_given_alone(estimator):
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS[0])
    (line,) = display.lines_
    expected = estimator.goal_probability(**GOALS[0]).value
    assert_allclose(line.get_ydata(), expected, atol=0.0)


def test_thresholds_are_those_that_are_given(estimator):
    thresholds = np.linspace(0.0, 2.0, 7)
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, thresholds=thresholds)
    for line in display.lines_:
        assert_allclose(line.get_xdata(), thresholds, atol=0.0)


def test_probability_that_is_needed_is_a_dashed_line(estimator):
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, confidence_level=0.95)
    assert_allclose(display.level_line_.get_ydata(), 0.975)
    assert display.level_line_.get_linestyle() == "--"
    assert "0.975, needed to guarantee 95%" in texts_of(display.ax_)
    display.plot()
    assert display.level_line_ is None
    assert len(display.ax_.lines) == len(GOALS)


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


def test_names_replace_the_goals_in_both_panels(estimator):
    names = ["a", "b", "c", "d"]
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, names=names)
    assert texts_of(display.ax_) == names
    assert texts_of(display.plot_boxes().ax_)[2:] == ["a", "b", "d"]
    assert texts_of(display.plot(names=names[::-1]).ax_) == names[::-1]
    # An empty name hides a legend entry.
    assert texts_of(display.plot(names=["a", "", "c", ""]).ax_) == ["a", "c"]


def test_keywords_of_a_list_go_to_one_line_each(estimator):
    colors = ["red", "green", "blue", "cyan"]
    display = GoalProbabilityDisplay.from_estimator(
        estimator,
        GOALS,
        curve_kwargs=[{"c": color} for color in colors],
        band_kwargs=[{"fc": color} for color in colors[::-1]],
    )
    assert [line.get_color() for line in display.lines_] == colors
    for fill, color in zip(display.bands_, colors[::-1], strict=True):
        assert_allclose(fill.get_facecolor()[0], mpl.colors.to_rgba(color, 0.25))


# --- what knows a performance ----------------------------------------------------------


def test_estimator_with_a_performance_is_drawn_with_its_own_goal_and_level(estimator):
    classifier = SimpleNamespace(performance_=estimator, goal_=GOALS[0], confidence_level=0.8)
    display = GoalProbabilityDisplay.from_estimator(classifier)
    (line,) = display.lines_
    expected = estimator.goal_probability(**GOALS[0]).value
    assert_allclose(line.get_ydata(), expected, atol=0.0)
    assert_allclose(display.level_line_.get_ydata(), 0.9)
    assert display.verdict is estimator.verdict_


def test_labels_that_are_spent_for_a_goal_are_drawn_with_it(estimator):
    selector = SimpleNamespace(
        performance_=estimator, goal_=Goal.of(GOALS[0]), confidence_level=0.8
    )
    display = GoalProbabilityDisplay.from_estimator(selector)
    expected = estimator.goal_probability(**GOALS[0]).value
    assert_allclose(display.lines_[0].get_ydata(), expected, atol=0.0)
    both = GoalProbabilityDisplay.from_estimator(estimator, [Goal.of(GOALS[0]), GOALS[1]])
    assert both.plot_boxes().boxes_[0] is not None


def test_goals_and_level_that_are_given_replace_those_of_the_estimator(estimator):
    classifier = SimpleNamespace(performance_=estimator, goal_=GOALS[0], confidence_level=0.8)
    display = GoalProbabilityDisplay.from_estimator(classifier, GOALS[1:3])
    assert len(display.lines_) == 2
    assert display.level_line_ is None
    display = GoalProbabilityDisplay.from_estimator(classifier, confidence_level=0.6)
    assert_allclose(display.level_line_.get_ydata(), 0.8)


def test_what_knows_no_performance_is_named():
    with pytest.raises(TypeError, match=r"as performance_; got LogisticRegression"):
        GoalProbabilityDisplay.from_estimator(LogisticRegression(), GOALS)


class OfSomeCases:
    """An estimator that has a performance in some cases, and this is not one."""

    @property
    def performance_(self):
        raise AttributeError("performance_ is that of two classes.")


def test_estimator_says_itself_why_it_knows_no_performance():
    with pytest.raises(TypeError, match="got OfSomeCases") as caught:
        GoalProbabilityDisplay.from_estimator(OfSomeCases(), GOALS)
    assert "two classes" in str(caught.value.__cause__)


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


@pytest.mark.parametrize("names", ["abcd", ["a"]])
def test_names_for_another_number_of_goals_are_an_error(estimator, names):
    with pytest.raises(ValueError, match="names must be a list of 4 names, one for each curve"):
        GoalProbabilityDisplay.from_estimator(estimator, GOALS, names=names)
    with pytest.raises(TypeError, match="names must be a list of strings; got"):
        GoalProbabilityDisplay.from_estimator(estimator, GOALS, names=[[], "b", "c", "d"])


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


def test_box_has_the_color_of_its_line(estimator):
    _, (left, right) = plt.subplots(1, 2)
    left.plot([0.0, 1.0])
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, ax=left)
    display.plot_boxes(right)
    for line, box in zip(display.lines_, display.boxes_, strict=True):
        if box is not None:
            assert_allclose(box.get_edgecolor(), mpl.colors.to_rgba(line.get_color()))
            assert_allclose(box.get_facecolor()[:3], mpl.colors.to_rgb(line.get_color()))
    assert display.ax_ is right
    assert plt.get_fignums() == [left.figure.number]


def test_boxes_without_lines_have_the_colors_that_lines_get_on_new_axes(estimator, display):
    bands = [estimator.goal_probability(**goal) for goal in GOALS]
    alone = GoalProbabilityDisplay(bands, goals=GOALS, curve=estimator.curve()).plot_boxes()
    for line, box in zip(display.lines_, alone.boxes_, strict=True):
        if box is not None:
            assert_allclose(box.get_edgecolor(), mpl.colors.to_rgba(line.get_color()))


@pytest.mark.parametrize("target", ["sample", "population"])
def test_curve_among_the_boxes_is_the_precision_recall_curve(estimator, target):
    display = GoalProbabilityDisplay.from_estimator(estimator, GOALS, target=target)
    line = display.plot_boxes().curve_display_.line_
    band = estimator.curve("precision_recall", target=target)
    assert_allclose(line.get_xdata(), band.x, atol=0.0)
    assert_allclose(line.get_ydata(), band.value, atol=0.0)


def test_keywords_of_boxes_and_curve_replace_the_defaults(display):
    display.plot_boxes(
        curve_kwargs={"c": "magenta"}, band_kwargs={"alpha": 0.5}, box_kwargs={"ec": "k", "lw": 4}
    )
    assert display.curve_display_.line_.get_color() == "magenta"
    assert display.curve_display_.band_.get_alpha() == 0.5
    for box in filter(None, display.boxes_):
        assert box.get_linewidth() == 4
        assert_allclose(box.get_edgecolor(), mpl.colors.to_rgba("k"))


def test_verdict_that_is_not_ok_is_reported_among_the_boxes(display):
    display.verdict = Verdict([DOUBT])
    legend = display.plot_boxes().ax_.get_legend()
    assert legend.get_title().get_text() == "misfit: labels contradict"


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
