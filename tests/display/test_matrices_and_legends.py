"""Confusion matrices as heat maps, metrics of classes, and legends that hide no curve."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import EstimateDisplay, PerformanceCurveDisplay
from sklearn_spe.models import ConfusionMatrix
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

NAMES = np.array(["ant", "bee", "a long name"])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def matrix():
    base = np.array([[50.0, 3.0, 0.0], [4.0, 20.0, 1.0], [0.0, 2.0, 10.0]])
    draws = base + np.arange(5)[:, None, None]
    return ConfusionMatrix.of(draws, np.full(5, 0.2), NAMES)


def test_a_matrix_is_drawn_with_its_counts_and_intervals(matrix):
    display = EstimateDisplay.from_confusion_matrix(matrix, confidence_level=0.5)
    assert_allclose(display.image_.get_array(), matrix.value)
    assert display.errorbar_ is None
    lower, upper = matrix.interval(0.5)
    texts = {text.get_position(): text.get_text() for text in display.ax_.texts}
    assert len(texts) == 9
    for (j, i), text in texts.items():
        middle, between = text.split("\n")
        assert float(middle) == pytest.approx(matrix.value[i, j])
        # Counts above twenty have no decimals.
        assert_allclose(
            [float(t) for t in between.split(" to ")], [lower[i, j], upper[i, j]], atol=0.5
        )
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == NAMES.tolist()
    assert "50% intervals" in display.ax_.get_title(loc="left")


def test_what_is_no_matrix_is_refused():
    with pytest.raises(TypeError, match=r"must be a ConfusionMatrix, got ndarray"):
        EstimateDisplay.from_confusion_matrix(np.eye(3))


def test_each_class_has_its_dot(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.arange(150) % 3
    X = 2.0 * np.eye(3)[labels] + rng.standard_normal((150, 3))
    y = np.where(np.arange(150) < 60, labels, -1)
    mixture = quick_mixture(global_random_seed, classes=[0, 1, 2])
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed).fit(X, y)
    display = EstimateDisplay.from_estimator(performance, "recall", by_class=True)
    table = performance.by_category("recall", by="class")
    assert list(display.estimates) == list(table.names)
    assert_allclose(display.errorbar_.lines[0].get_xdata(), table.values)


@pytest.mark.parametrize("layout", ["constrained", "tight", None])
def test_a_legend_lies_below_the_axes_where_room_is_made(layout, global_random_seed):
    scores, y = even_scores(200, 40)
    performance = PerformanceCurveEstimator(quick_mixture(global_random_seed)).fit(scores, y)
    figure, ax = plt.subplots(layout=layout)
    PerformanceCurveDisplay.from_estimator(performance, ax=ax)
    figure.canvas.draw()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    if layout is None:
        # It would be cut off.
        assert axes.y0 <= legend.y0
    else:
        assert 0.0 <= legend.y0 < legend.y1 < axes.y0
        assert legend.y1 < ax.xaxis.get_label().get_window_extent().y0 + 2.0
    assert ax.get_title(loc="left") == "Precision and recall"
    assert ax.get_title() == ""
