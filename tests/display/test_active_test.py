"""The drawing of an estimate against the labels that were spent."""

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


# --- the truth, and what is wanted -----------------------------------------------------


def test_truth_is_a_line(selector):
    display = draw(selector, true_value=0.85, truth_kwargs={"ls": ":"})
    assert list(display.truth_line_.get_ydata()) == [0.85, 0.85]
    assert display.truth_line_.get_linestyle() == ":"
    assert draw(selector).truth_line_ is None


def test_mark_is_where_the_interval_is_narrow_enough_for_the_first_time(selector):
    history = selector.history_
    half = (history.column("high") - history.column("low")) / 2.0
    wanted = float(np.sort(half)[1]) + 1e-9
    first = history[int(np.argmax(half <= wanted))].n_labels
    display = draw(selector, half_width=wanted)
    assert list(display.stop_line_.get_xdata()) == [first, first]
    assert texts_of(display)[-1].endswith(f"with {first} labels")


# --- keywords and errors ---------------------------------------------------------------


def test_what_is_no_selector_is_named():
    with pytest.raises(TypeError, match=r"got PerformanceCurveEstimator.*ActiveTestSelector\(\)"):
        draw(PerformanceCurveEstimator())
