"""Displays of several systems and of categories."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import (
    DifferenceDisplay,
    PerformanceCurveDisplay,
)
from tests.display.data import even_scores, quick_mixture

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
pd = pytest.importorskip("pandas")

SYSTEMS = ["forest", "tree", "guess"]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def performance(global_random_seed):
    scores, y = even_scores(300, 60)
    noise = np.random.default_rng(global_random_seed).standard_normal((300, 3))
    X = pd.DataFrame(scores[:, np.newaxis] + noise * [0.1, 1.0, 30.0], columns=SYSTEMS)
    category = np.where(np.arange(300) % 3 == 0, "FR", "ES")
    fitted = PerformanceCurveEstimator(quick_mixture(global_random_seed))
    with warnings.catch_warnings():
        # What is said of a system that guesses is no matter of pictures.
        warnings.simplefilter("ignore")
        return fitted.fit(X, y, category=category)


def texts_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_what_answers_for_one_system_is_drawn_like_any_other(performance):
    shown = PerformanceCurveDisplay.from_estimator(performance.of(system="forest"))
    named = PerformanceCurveDisplay.from_estimator(performance, system="forest")
    band = performance.of(system="forest").curve("precision_recall")
    for display in (shown, named):
        assert_allclose(display.line_.get_ydata(), band.value, atol=0.0)
    assert texts_of(named.ax_)[0].startswith("forest (AP = ")


@pytest.mark.parametrize("none", [{"system": ()}, {"system": "forest", "category": []}])
def test_an_empty_list_names_nothing_to_draw(performance, none):
    with pytest.raises(ValueError, match=r"must name one or more to draw, or be None; got"):
        PerformanceCurveDisplay.from_estimator(performance, **none)


def test_each_system_has_a_curve_with_the_area_below_it(performance):
    display = PerformanceCurveDisplay.from_estimator(performance, "roc", confidence_level=0.8)
    assert display.name == SYSTEMS
    assert len(display.band_) == 3
    *texts, chance = texts_of(display.ax_)
    assert chance == "chance"
    for name, line, text in zip(SYSTEMS, display.line_, texts, strict=True):
        band = performance.of(system=name).curve("roc")
        assert_allclose(line.get_ydata(), band.value, atol=0.0)
        area = performance.of(system=name).estimate("roc_auc")
        low, high = area.interval(0.8)
        assert text == f"{name} (AUC = {area.value:.2f} [{low:.2f}, {high:.2f}])"
    # Told apart by color, and without color too.
    styles = [(line.get_color(), line.get_linestyle()) for line in display.line_]
    assert all(len(set(column)) == 3 for column in zip(*styles, strict=True))
    assert display.ax_.get_legend().get_title().get_text().startswith("80% bands")


def test_categories_of_a_system_are_drawn_side_by_side(performance):
    display = PerformanceCurveDisplay.from_estimator(
        performance, "f1", system="tree", category=["FR", "ES"], curve_kwargs=[{"c": "r"}, None]
    )
    assert texts_of(display.ax_) == ["tree, FR", "tree, ES"]
    assert display.line_[0].get_color() == "r"
    band = performance.of(system="tree", category="ES").curve("f1")
    assert_allclose(display.line_[1].get_ydata(), band.value, atol=0.0)


def test_names_are_one_for_each_curve(performance):
    display = PerformanceCurveDisplay.from_estimator(performance, "det", name=["a", "b", "c"])
    assert texts_of(display.ax_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="must be a list of 3 names, one for each curve; got 'a'"):
        display.plot(name="a")
    with pytest.raises(TypeError, match=r"name must be a list of strings; got \[1, 2, 3\]"):
        display.plot(name=[1, 2, 3])


def ends_of(errorbar):
    """Return the intervals that are drawn, from the top."""
    return np.array([segment[:, 0] for segment in errorbar[2][0].get_segments()])


@pytest.mark.parametrize(
    ("options", "others", "baseline"),
    [
        ({"baseline": "tree"}, ["forest", "guess"], "tree"),
        ({"baseline": 1, "category": "ES"}, ["forest", "guess"], "tree"),
        ({}, ["tree", "guess"], "forest"),
        ({"system": "tree", "baseline": "FR"}, ["ES"], "FR"),
    ],
)
def test_differences_have_the_probability_of_being_better(performance, options, others, baseline):
    display = DifferenceDisplay.from_estimator(performance, "roc_auc", **options)
    where = {k: v for k, v in options.items() if k != "baseline"}
    found = [performance.difference("roc_auc", other, baseline, **where) for other in others]
    assert_allclose(display.errorbar_[0].get_xdata(), [d.value for d in found], atol=0.0)
    assert_allclose(ends_of(display.errorbar_), [d.interval() for d in found], atol=1e-12)
    better = [((d.draws > 0.0) + (d.draws == 0.0) / 2.0).mean() for d in found]
    assert_allclose(display.probabilities, better, atol=1e-12)
    assert display.ax_.get_xlabel() == f"roc auc: difference from {baseline}"
    shown = [text.get_text() for text in display.probability_axis_.get_yticklabels()]
    assert len(shown) == len(others)
    ahead = "higher" if "system" in options else "better"
    assert display.probability_axis_.get_ylabel() == f"probability of being {ahead}"
    for text, probability in zip(shown, better, strict=True):
        assert abs(float(text.strip("<> ")) - probability) <= 0.011


def test_smaller_losses_are_better(performance):
    display = DifferenceDisplay.from_estimator(performance, "equal_error_rate", baseline="guess")
    (forest, _), (probability, _) = display.differences.values(), display.probabilities
    assert (forest.value < 0.0) == (probability > 0.5)


def test_what_cannot_be_compared_is_said(performance):
    with pytest.raises(ValueError, match="baseline='oak' is none of 'forest', 'tree', 'guess'"):
        DifferenceDisplay.from_estimator(performance, baseline="oak")
    scores, y = even_scores(100, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = PerformanceCurveEstimator(quick_mixture(0)).fit(scores, y)
    with pytest.raises(ValueError, match="Ranking and difference need several systems"):
        DifferenceDisplay.from_estimator(alone)
