"""What all displays promise, and what each draws."""

import warnings
from inspect import Parameter, signature

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, special

from sklearn_spe import AccuracyExtrapolator, ActiveTestSelector, PerformanceCurveEstimator
from sklearn_spe.display import (
    ActiveTestDisplay,
    CalibrationBandDisplay,
    DifferenceDisplay,
    EstimateDisplay,
    GoalProbabilityDisplay,
    PerformanceCurveDisplay,
    ScoreMixtureDisplay,
    __all__,
)
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.extrapolation import AccuracyExtrapolationDisplay, make_recognition_scores
from sklearn_spe.posterior._registry import CURVES
from sklearn_spe.results._verdict import Reason, Verdict
from tests.display.data import even_scores, quick_mixture

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

DISPLAYS = [
    AccuracyExtrapolationDisplay,
    ActiveTestDisplay,
    CalibrationBandDisplay,
    DifferenceDisplay,
    EstimateDisplay,
    GoalProbabilityDisplay,
    PerformanceCurveDisplay,
    ScoreMixtureDisplay,
]
EVERY_DISPLAY = pytest.mark.parametrize("display_class", DISPLAYS)
# All but these draw curves.
OF_NUMBERS = DifferenceDisplay, EstimateDisplay
OF_CURVES = pytest.mark.parametrize(
    "display_class", [display for display in DISPLAYS if display not in OF_NUMBERS]
)
# The class methods that make displays.
MAKERS = [
    getattr(display, name) for display in DISPLAYS for name in dir(display) if name[:5] == "from_"
]
# What only one of two methods draws.
ELSEWHERE = {
    EstimateDisplay.from_estimator: {"image_kwargs"},
    EstimateDisplay.from_confusion_matrix: {"errorbar_kwargs"},
}
# What a display cannot do without.
NEEDS = {GoalProbabilityDisplay: {"goals": [{"precision": 0.5, "recall": 0.5}, {"f1": 0.7}]}}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    return even_scores(300, 30)


@pytest.fixture(scope="module")
def fast(global_random_seed):
    return {"n_draws": 100, "random_state": global_random_seed}


@pytest.fixture(scope="module")
def estimator(data, fast):
    return PerformanceCurveEstimator(**fast).fit(*data)


@pytest.fixture(scope="module")
def extrapolator(global_random_seed):
    seed = global_random_seed
    data = make_recognition_scores(20, n_test=3, random_state=seed)
    with warnings.catch_warnings():
        # Of a good classifier few errors are seen.
        warnings.simplefilter("ignore", UnidentifiedWarning)
        return AccuracyExtrapolator(n_bootstrap=5, random_state=seed).fit(*data)


@pytest.fixture(scope="module")
def selector(data, fast):
    mixture = quick_mixture(fast["random_state"])
    return ActiveTestSelector(label_model=mixture, **fast).fit(*data)


@pytest.fixture(scope="module")
def in_categories(data, fast):
    """Return an estimator of one system with categories."""
    category = np.arange(300) % 2
    with warnings.catch_warnings():
        # The halves of few labels may be doubted.
        warnings.simplefilter("ignore")
        mixture = quick_mixture(fast["random_state"])
        return PerformanceCurveEstimator(mixture, **fast).fit(*data, category=category)


@pytest.fixture
def subject(display_class, estimator, extrapolator, selector, in_categories):
    """Return the estimator that a display draws."""
    others = {AccuracyExtrapolationDisplay: extrapolator, ActiveTestDisplay: selector}
    others[DifferenceDisplay] = in_categories
    return others.get(display_class, estimator)


def draw(display_class, estimator, **options):
    return display_class.from_estimator(estimator, **NEEDS.get(display_class, {}), **options)


# --- what every display promises -------------------------------------------------------


def test_every_display_is_tested():
    assert [display.__name__ for display in DISPLAYS] == sorted(
        [*__all__, AccuracyExtrapolationDisplay.__name__]
    )


@EVERY_DISPLAY
def test_from_estimator_draws_on_new_axes(display_class, subject):
    display = draw(display_class, subject)
    assert isinstance(display, display_class)
    assert isinstance(display.ax_, mpl.axes.Axes)
    assert display.figure_ is display.ax_.figure
    assert display.ax_.lines
    assert display.ax_.get_xlabel()
    # Rows of numbers are named one by one.
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert display.ax_.get_ylabel() or (display_class in OF_NUMBERS and all(names))
    assert display.ax_.get_legend() is not None


@EVERY_DISPLAY
def test_plot_returns_the_display_and_moves_it_to_the_new_axes(display_class, subject):
    display = draw(display_class, subject)
    first = display.ax_
    _, ax = plt.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert len(ax.lines) == len(first.lines)


def pixels_of(ax):
    """Return a picture."""
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())


# No option has its default.
LOOK = {"confidence_level": 0.5, "curve_kwargs": {"lw": 3}, "band_kwargs": {"alpha": 0.5}}


@pytest.mark.parametrize(
    ("display_class", "options"),
    [
        (
            PerformanceCurveDisplay,
            {**LOOK, "curve": "roc", "name": "mine", "chance_level_kw": {"ls": ":"}},
        ),
        (PerformanceCurveDisplay, {"simultaneous": True, "plot_chance_level": False}),
        (
            ScoreMixtureDisplay,
            {
                **LOOK,
                "n_points": 9,
                "bins": 7,
                "density_scale": "log",
                "histogram_kwargs": {"lw": 2},
            },
        ),
    ],
)
def test_from_predictions_draws_what_from_estimator_draws(
    display_class, options, estimator, data, fast
):
    (_, given), (_, expected) = plt.subplots(), plt.subplots()
    display = display_class.from_predictions(data[1], data[0], ax=given, **options, **fast)
    assert display.ax_ is given
    assert plt.get_fignums() == [given.figure.number, expected.figure.number]
    display_class.from_estimator(estimator, ax=expected, **options)
    assert (pixels_of(given) == pixels_of(expected)).all()


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__qualname__)
def test_methods_take_the_options_of_plot_with_their_defaults(maker):
    taken, options = (dict(signature(f).parameters) for f in (maker, maker.__self__.plot))
    assert Parameter.VAR_KEYWORD not in {parameter.kind for parameter in taken.values()}
    assert options.keys() - taken.keys() == {"self"} | ELSEWHERE.get(maker, set())
    for name in options.keys() & taken.keys():
        assert taken[name].default == options[name].default


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__qualname__)
def test_an_option_that_a_method_does_not_take_is_refused_before_any_work(maker):
    foreign = {"axes"} | ELSEWHERE.get(maker, set())
    if maker.__name__ == "from_predictions":
        foreign.add("system")
    data = [None] * (2 if maker.__name__ == "from_predictions" else 1)
    for name in foreign:
        with pytest.raises(TypeError, match=rf"{maker.__name__}\(\) got an unexpected .*'{name}'"):
            maker(*data, **{name: 0})


@EVERY_DISPLAY
def test_every_option_of_plot_reaches_it(display_class, subject):
    maker = display_class.from_estimator
    options = signature(display_class.plot).parameters.keys() - ELSEWHERE.get(maker, set())
    drawn = {
        ActiveTestDisplay: {"true_value": 0.5},
        AccuracyExtrapolationDisplay: {"truth": ([5, 9], [0.9, 0.8])},
    }
    # Before the first batch there is no estimate by the design.
    for name in sorted(options - {"self", "design_kwargs"}):
        # No option may be this; where one is left out, nothing is raised.
        wrong = {name: object()}
        with pytest.raises((TypeError, ValueError)):
            draw(display_class, subject, **drawn.get(display_class, {}), **wrong)


@OF_CURVES
def test_keywords_reach_matplotlib_and_aliases_replace_defaults(display_class, subject):
    display = draw(
        display_class,
        subject,
        curve_kwargs={"lw": 7.0, "c": "magenta", "label": "mine"},
        band_kwargs={"alpha": 0.5, "lw": 3.0, "facecolor": "cyan"},
    )
    lines = getattr(display, "lines_", None) or [display.line_]
    bands = getattr(display, "bands_", None) or [display.band_]
    for line in lines:
        assert line.get_linewidth() == 7.0
        assert line.get_color() == "magenta"
        assert line.get_label() == "mine"
    for band in bands:
        assert band.get_alpha() == 0.5
        assert band.get_linewidth() == [3.0]
        assert_allclose(band.get_facecolor()[0], mpl.colors.to_rgba("cyan", 0.5))


# --- the performance curve -------------------------------------------------------------


def ends_of(band, x):
    """Return the lower and upper ends that a drawn band has at each x."""
    vertices = band.get_paths()[0].vertices
    ys = [vertices[np.isclose(vertices[:, 0], at, rtol=0.0, atol=1e-12), 1] for at in x]
    return np.array([y.min() for y in ys]), np.array([y.max() for y in ys])


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("name", [*CURVES, "f1"])
def test_drawn_curve_is_the_value_and_its_band_the_interval(estimator, name, simultaneous):
    display = PerformanceCurveDisplay.from_estimator(
        estimator, curve=name, confidence_level=0.8, simultaneous=simultaneous
    )
    band = estimator.curve(name)
    assert_allclose(display.line_.get_xdata(), band.x, atol=0.0)
    assert_allclose(display.line_.get_ydata(), band.value, atol=0.0)
    ends = band.envelope(0.8) if simultaneous else band.interval(0.8)
    # The outline passes twice through its first and last point.
    inner = slice(1, -1)
    for drawn, expected in zip(ends_of(display.band_, band.x), ends, strict=True):
        assert_allclose(drawn[inner], expected[inner], atol=1e-12)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == (band.x_name, band.y_name)


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "90% band, 30 labels"),
        ({"confidence_level": 0.975}, "97.5% band, 30 labels"),
        ({"simultaneous": True}, "90% simultaneous band, 30 labels"),
        ({"name": "forest"}, "90% band, 30 labels"),
    ],
)
def test_legend_tells_the_line_with_its_area_and_the_band_apart(estimator, options, label):
    display = PerformanceCurveDisplay.from_estimator(estimator, **options)
    area = estimator.estimate("average_precision")
    low, high = area.interval(options.get("confidence_level", 0.9))
    line, band, chance = (text.get_text() for text in display.ax_.get_legend().get_texts())
    name = options.get("name", "median")
    assert line == f"{name} (AP = {area.value:.2f} [{low:.2f}, {high:.2f}])"
    assert band == label
    assert chance == f"chance ({estimator.estimate('prevalence').value:.2g})"


def test_curve_of_known_labels_passes_through_the_points_of_scikit_learn(fast):
    scores, labels = even_scores(200)
    display = PerformanceCurveDisplay.from_predictions(labels, scores, curve="roc", **fast)
    from sklearn.metrics import roc_curve

    fpr, tpr, _ = roc_curve(labels, scores, drop_intermediate=False)
    x, y = display.line_.get_data()
    assert_allclose(y, np.interp(x, fpr, tpr), atol=1e-12)


# --- the mixture -----------------------------------------------------------------------


def test_mixture_draws_the_medians_and_intervals_of_the_densities(estimator):
    display = ScoreMixtureDisplay.from_estimator(estimator, confidence_level=0.6, n_points=50)
    bands = display.negative, display.positive, display.total
    for line, drawn, band in zip(display.lines_, display.bands_, bands, strict=True):
        assert_allclose(line.get_xdata(), band.x, atol=0.0)
        assert_allclose(line.get_ydata(), band.value, atol=0.0)
        for found, expected in zip(ends_of(drawn, band.x), band.interval(0.6), strict=True):
            assert_allclose(found[1:-1], expected[1:-1], atol=1e-12)
    assert_allclose(
        display.total.draws, display.negative.draws + display.positive.draws, rtol=1e-12
    )


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")
@pytest.mark.parametrize(
    "to_user",
    [
        pytest.param(lambda s: s, id="margins"),
        pytest.param(lambda s: 1e4 + 250.0 * s, id="distances"),
        pytest.param(special.expit, id="probabilities"),
    ],
)
def test_densities_on_the_scale_of_the_user_integrate_to_what_the_model_puts_there(
    data, to_user, global_random_seed
):
    scores, labels = data
    mixture = quick_mixture(global_random_seed, experts=None, n_draws=100)
    mixture.fit(to_user(scores), labels)
    display = ScoreMixtureDisplay.from_estimator(mixture, n_points=2000)
    posterior = mixture.posterior_
    # What each draw puts between the smallest and the largest score.
    ends = mixture.score_scale_.transform(posterior.sample.scores[[0, -1]])
    pairs = zip(posterior.mixtures, posterior.draws, strict=True)
    rates = [mixture.rates(draws.points, ends) for mixture, draws in pairs]
    prevalence, tpr, fpr = (np.concatenate(parts) for parts in zip(*rates, strict=True))
    positive = prevalence[:, 0] * (tpr[:, 0] - tpr[:, 1])
    negative = (1.0 - prevalence[:, 0]) * (fpr[:, 0] - fpr[:, 1])
    for band, expected in (
        (display.positive, positive),
        (display.negative, negative),
        (display.total, positive + negative),
    ):
        mass = integrate.trapezoid(band.draws, band.x, axis=1)
        assert_allclose(mass, expected, atol=1e-3)
    assert_allclose(np.average(positive + negative, weights=posterior.weights), 1.0, atol=0.02)


def test_densities_of_both_classes_share_that_of_all_scores_by_the_probability(estimator):
    display = ScoreMixtureDisplay.from_estimator(estimator, n_points=50)
    posterior, scores = estimator.posterior_, display.total.x
    by_draw = [posterior.positive_probability(scores, block) for block in posterior.blocks()]
    share = display.positive.draws / display.total.draws
    assert_allclose(share, np.concatenate(by_draw), rtol=1e-9)
    expected = np.exp(estimator.mixture_.score_samples(scores))
    assert_allclose(display.total.value, expected, rtol=1e-9)


def test_histogram_shows_the_density_of_all_items(estimator, data):
    display = ScoreMixtureDisplay.from_estimator(
        estimator, bins=20, histogram_kwargs={"fc": "yellow"}
    )
    heights, edges = np.histogram(data[0], bins=20, density=True)
    bars = display.ax_.patches
    assert_allclose([bar.get_height() for bar in bars], heights, atol=1e-12)
    assert_allclose([bar.get_x() for bar in bars], edges[:-1], atol=1e-12)
    assert bars[0].get_facecolor() == mpl.colors.to_rgba("yellow")


def test_bars_without_a_height_are_refused(estimator):
    display = ScoreMixtureDisplay.from_estimator(estimator)
    for bins in (np.zeros(12), [1.0], [3.0, 1.0], [1e9, 2e9], [0.0, np.inf]):
        with pytest.raises(
            ValueError, match="bins must be a number of bars, or at least two increasing edges"
        ):
            display.plot(bins=bins)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_labeled_items_stand_below_the_density_and_saturated_scores_on_a_logarithmic_axis(
    data, estimator, global_random_seed
):
    def foot_and_rugs(display):
        ax = display.ax_
        ax.figure.canvas.draw()
        rugs = [line for line in ax.lines if line.get_marker() == "|"]
        return ax, max(rug.get_ydata().max() for rug in rugs)

    ax, height = foot_and_rugs(ScoreMixtureDisplay.from_estimator(estimator))
    assert ax.get_yscale() == "linear"
    assert ax.transLimits.transform((0.0, 0.0))[1] > height
    saturated = np.where(data[0] > 0.5, 1.0, special.expit(data[0]))
    mixture = quick_mixture(global_random_seed).fit(saturated, data[1])
    display = ScoreMixtureDisplay.from_estimator(mixture)
    assert foot_and_rugs(display)[0].get_yscale() == "log"
    _, ax = plt.subplots()
    assert display.plot(ax, density_scale="linear").ax_.get_yscale() == "linear"
    with pytest.raises(ValueError, match="density_scale"):
        display.plot(density_scale="cubic")


# --- the verdict -----------------------------------------------------------------------

DOUBTS = [
    Reason("rare_positives", "unidentified", "Few positives.", 1.0, 3.0),
    Reason("labels_contradict", "misfit", "The lowest third.", 0.0, 0.005),
    Reason("labels_contradict", "misfit", "The highest third.", 0.0, 0.005),
    Reason("few_draws", "ok", "Few draws.", 2.0, 3.0),
]


def legend_of(display, reasons):
    """Return the legend of a picture whose verdict has these reasons."""
    display.verdict = Verdict(reasons)
    _, ax = plt.subplots()
    return display.plot(ax).ax_.get_legend()


@EVERY_DISPLAY
def test_legend_repeats_the_verdict_of_the_fit_unless_it_is_ok(display_class, subject):
    display = draw(display_class, subject)
    assert display.verdict == subject.verdict_
    for reasons, note in (
        (DOUBTS[:1], "unidentified: rare positives"),
        (DOUBTS, "misfit: rare positives, labels contradict"),
    ):
        legend = legend_of(display, reasons)
        texts = [legend.get_title(), *legend.get_texts()]
        assert note in "\n".join(text.get_text() for text in texts).split("\n")
    legend = legend_of(display, DOUBTS[3:])
    assert legend.get_title().get_text() == ""
    assert "\n" not in "".join(text.get_text() for text in legend.get_texts())
