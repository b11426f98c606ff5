"""The drawing of an estimate against the labels that were spent."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import ActiveTestSelector, Goal, PerformanceCurveEstimator
from sklearn_spe.display import ActiveTestDisplay
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

pytestmark = QUIET


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def after_batches(seed, n_batches=4, size=10, n_known=0, **parameters):
    (scores, truth), (_, known) = even_scores(400), even_scores(400, n_known)
    how = {"label_model": quick_mixture(seed), "random_state": seed, **parameters}
    selector = ActiveTestSelector(**how).fit(scores, known)
    for _ in range(n_batches):
        items = selector.query(size)
        selector.update(items, truth[items])
    return selector


@pytest.fixture(scope="module")
def selector(global_random_seed):
    return after_batches(global_random_seed)


@pytest.fixture(scope="module")
def greedy(global_random_seed):
    # Both classes are known, without which labeled items alone say nothing.
    return after_batches(global_random_seed, 2, n_known=10, draw="argmax")


def draw(estimator, **options):
    return ActiveTestDisplay.from_estimator(estimator, **options)


def texts_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


# --- what is drawn ---------------------------------------------------------------------


def test_line_and_band_are_those_of_the_history(selector):
    display, history = draw(selector), selector.history_
    assert_allclose(display.line_.get_xdata(), [0, 10, 20, 30, 40])
    assert_allclose(display.line_.get_ydata(), history.column("estimate"))
    vertices = display.band_.get_paths()[0].vertices
    for i, row in enumerate(history):
        at = vertices[vertices[:, 0] == row.n_labels, 1]
        assert_allclose([at.min(), at.max()], [row.low, row.high], err_msg=str(i))


def test_end_of_the_line_is_the_estimate_and_its_interval(selector):
    display = draw(selector)
    assert display.line_.get_ydata()[-1] == selector.estimate_.value
    assert_allclose(
        (display.history[-1].low, display.history[-1].high), selector.estimate_.interval()
    )


def test_estimator_of_the_design_is_drawn_where_it_has_an_answer(selector):
    display, history = draw(selector), selector.history_
    value = history.column("design")
    known = np.isfinite(value)
    assert not known[0]
    assert_allclose(display.design_line_.get_xdata(), history.column("n_labels")[known])
    assert_allclose(display.design_line_.get_ydata(), value[known])
    ends = np.array(display.design_bars_.get_segments())[:, :, 1]
    expected = [history.column(name)[known] for name in ("design_low", "design_high")]
    assert_allclose(ends, np.transpose(expected), atol=1e-12)


def test_naive_line_is_that_of_the_history(selector):
    display = draw(selector)
    assert_allclose(display.naive_line_.get_ydata(), selector.history_.column("naive"))


def test_without_chances_there_is_no_estimator_of_the_design(greedy):
    display = draw(greedy)
    assert np.isnan(greedy.history_.column("design")).all()
    assert display.design_line_ is None
    assert display.design_bars_ is None
    assert texts_of(display) == ["estimate (90% band)", "labeled items alone"]


def test_estimators_can_be_left_out(selector):
    display = draw(selector, plot_design=False, plot_naive=False)
    assert display.design_line_ is display.design_bars_ is display.naive_line_ is None
    assert texts_of(display) == ["estimate (90% band)"]


def test_one_row_is_seen(selector):
    display = ActiveTestDisplay(type(selector.history_)(selector.history_[-1:])).plot()
    assert display.line_.get_marker() == "o"


def test_of_many_batches_not_each_is_marked_and_has_error_bars(selector):
    row = selector.history_[-1]
    many = type(selector.history_)(replace(row, n_labels=k) for k in range(100))
    display = ActiveTestDisplay(many).plot()
    assert display.line_.get_marker() == ""
    assert len(display.design_line_.get_xdata()) == 100
    # The others have no segment.
    assert np.count_nonzero([len(bar) for bar in display.design_bars_.get_segments()]) == 25


def test_of_a_curve_the_means_are_drawn(global_random_seed):
    selector = after_batches(global_random_seed, 2, metric="precision_recall")
    display = draw(selector)
    assert display.ax_.get_ylabel() == "mean precision"
    assert_allclose(display.line_.get_ydata()[-1], selector.estimate_.value.mean())
    assert display.naive_line_ is None


@pytest.mark.parametrize(
    ("interval", "label"),
    [("posterior", "probability of the goal"), ("anytime", "level of the proof")],
)
def test_of_a_goal_its_probability_is_drawn(interval, label, global_random_seed):
    goal = Goal.of(precision=0.6)
    chosen = after_batches(global_random_seed, 2, metric=goal, interval=interval)
    display = ActiveTestDisplay.from_estimator(chosen)
    probability = chosen.history_.column("goal_probability")
    assert_allclose(display.goal_line_.get_ydata(), probability)
    assert display.goal_line_.get_label() == label


def test_axes_are_named(selector):
    ax = draw(selector).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("labels", "average precision")


def test_any_callable_metric_is_drawn(global_random_seed):
    def n_positive(y_true, y_score):
        return float(y_true.sum())

    display = draw(after_batches(global_random_seed, 1, metric=n_positive))
    assert display.ax_.get_ylabel() == "n positive"
    assert display.design_line_ is None


# --- the legend ------------------------------------------------------------------------


def test_legend_tells_what_is_drawn(selector):
    assert texts_of(draw(selector, true_value=0.85)) == [
        "estimate (90% band)",
        "design-based (90%)",
        "labeled items alone",
        "truth",
    ]


def test_name_is_that_of_every_line(selector):
    assert texts_of(draw(selector, name="forest")) == [
        "forest (90% band)",
        "forest, design-based (90%)",
        "forest, labeled items alone",
    ]


def test_name_of_plot_takes_the_place_of_the_own_one(selector):
    display = draw(selector, name="forest").plot(name="trees", plot_design=False, plot_naive=False)
    assert texts_of(display) == ["trees (90% band)"]


def test_kind_and_level_of_the_interval_are_reported(global_random_seed):
    selector = after_batches(
        global_random_seed,
        1,
        metric="precision",
        threshold=0.0,
        interval="anytime",
        confidence_level=0.8,
    )
    assert texts_of(draw(selector))[:2] == ["estimate (80% anytime band)", "design-based (80%)"]


# --- the truth, and what is wanted -----------------------------------------------------


def test_truth_is_a_line(selector):
    display = draw(selector, true_value=0.85, truth_kwargs={"ls": ":"})
    assert list(display.truth_line_.get_ydata()) == [0.85, 0.85]
    assert display.truth_line_.get_linestyle() == ":"
    assert draw(selector).truth_line_ is None


def test_truth_is_reported_once_on_the_same_axes(selector, greedy):
    ax = draw(selector, true_value=0.85).ax_
    assert texts_of(draw(greedy, true_value=0.85, ax=ax, name="best")).count("truth") == 1


def test_mark_is_where_the_interval_is_narrow_enough_for_the_first_time(selector):
    history = selector.history_
    half = (history.column("high") - history.column("low")) / 2.0
    wanted = float(np.sort(half)[1]) + 1e-9
    first = history[int(np.argmax(half <= wanted))].n_labels
    display = draw(selector, half_width=wanted)
    assert list(display.stop_line_.get_xdata()) == [first, first]
    assert texts_of(display)[-1].endswith(f"with {first} labels")


def test_interval_that_is_nowhere_narrow_enough_is_not_marked(selector):
    display = draw(selector, half_width=1e-6)
    assert display.stop_line_ is None
    assert draw(selector).stop_line_ is None


def test_mark_is_where_the_rule_stops(global_random_seed):
    scores, truth = even_scores(400)
    how = {"label_model": quick_mixture(global_random_seed), "random_state": global_random_seed}
    selector = ActiveTestSelector(
        "precision", threshold=0.5, interval="anytime", batch_size=20, **how
    ).fit(scores)
    while not selector.should_stop(half_width=0.15):
        items = selector.query()
        selector.update(items, truth[items])
    display = draw(selector, half_width=0.15)
    assert display.stop_line_.get_xdata()[0] == selector.n_labels_


# --- keywords and errors ---------------------------------------------------------------


def test_keywords_reach_the_estimators(selector):
    display = draw(
        selector,
        design_kwargs={"c": "red", "elinewidth": 3.0, "label": "weighed"},
        naive_kwargs={"ls": ":", "label": "alone"},
    )
    assert display.design_line_.get_color() == "red"
    assert list(display.design_bars_.get_linewidth()) == [3.0]
    assert display.naive_line_.get_linestyle() == ":"
    assert texts_of(display)[1:] == ["weighed", "alone"]


@pytest.mark.parametrize("half_width", [0.0, 0.5, -1.0])
def test_width_that_cannot_be_is_an_error(selector, half_width):
    with pytest.raises(ValueError, match="half_width"):
        draw(selector, half_width=half_width)


def test_what_is_no_selector_is_named():
    with pytest.raises(TypeError, match=r"got PerformanceCurveEstimator.*ActiveTestSelector\(\)"):
        draw(PerformanceCurveEstimator())


def test_selector_that_is_not_fitted_is_an_error():
    with pytest.raises(ValueError, match="not fitted"):
        draw(ActiveTestSelector())
