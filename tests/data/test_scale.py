"""The model scale keeps the order of the scores, and knows its own derivative."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats
from sklearn.preprocessing import FunctionTransformer, PowerTransformer, StandardScaler

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.datasets import make_scores
from tests.quick import QUIET

pytestmark = QUIET

NORMAL = stats.norm.ppf((np.arange(400) + 0.5) / 400)
MARGINS = 3.0 + 2.0 * NORMAL
PROBABILITIES = special.expit(3.0 * NORMAL - 1.0)
DISTANCES = np.exp(NORMAL)
LOG = FunctionTransformer(np.log, np.exp, check_inverse=False)

CASES = {
    "standard": (MARGINS, "auto"),
    "logit": (PROBABILITIES, "auto"),
    "unit": (MARGINS, "unit"),
    "identity": (MARGINS, "identity"),
    "scaler": (MARGINS, StandardScaler()),
    "power": (MARGINS, PowerTransformer()),
    "log": (DISTANCES, LOG),
    "log of tiny scores": (1e-9 * DISTANCES, LOG),
    "log of huge scores": (1e9 * DISTANCES, LOG),
}
EVERY_CASE = pytest.mark.parametrize(("scores", "score_scale"), CASES.values(), ids=CASES)


def sample_of(scores):
    return ScoreSample.from_items(
        np.asarray(scores, float), np.full(len(scores), -1), np.ones(len(scores))
    )


def scale_of(scores, score_scale="auto"):
    return learn_scale(sample_of(scores), score_scale)


@EVERY_CASE
def test_the_map_increases(scores, score_scale):
    scale = scale_of(scores, score_scale)
    grid = np.linspace(scores.min(), scores.max(), 1001)
    assert (np.diff(scale.transform(grid)) > 0.0).all()


@EVERY_CASE
def test_the_jacobian_is_the_slope_of_the_map(scores, score_scale):
    scale = scale_of(scores, score_scale)
    inner = np.quantile(scores, np.linspace(0.1, 0.9, 33))
    step = 1e-5 * inner.min() if (inner > 0.0).all() else 1e-5
    slope = (scale.transform(inner + step) - scale.transform(inner - step)) / (2.0 * step)
    assert_allclose(scale.log_jacobian(inner), np.log(slope), atol=1e-4)


@EVERY_CASE
def test_the_inverse_inverts(scores, score_scale):
    scale = scale_of(scores, score_scale)
    inner = np.quantile(scores, np.linspace(0.1, 0.9, 33))
    assert_allclose(scale.inverse_transform(scale.transform(inner)), inner, rtol=1e-9)


@EVERY_CASE
def test_no_score_lies_at_or_below_the_zero_of_positive_families(scores, score_scale):
    scale = scale_of(scores, score_scale)
    if scale.name != "identity":
        assert scale.transform(scores).min() > 0.0
    assert_allclose(scale.smallest, scale.transform(scores).min())


@EVERY_CASE
def test_location_and_spread_are_those_of_all_scores_on_the_model_scale(scores, score_scale):
    scale = scale_of(scores, score_scale)
    points = scale.transform(scores)
    assert_allclose([scale.location, scale.spread], [points.mean(), points.std()])
    assert 0.0 < scale.resolution < 0.01 * scale.spread


# --- which scale ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "name"),
    [
        ([0.01, 0.5, 0.9], "logit"),
        ([0.1, 0.5, 0.96], "logit"),
        ([0.0, 1.0], "logit"),
        ([0.2, 0.4, 0.6], "standard"),
        ([-0.01, 0.5, 1.0], "standard"),
        ([0.0, 0.5, 1.01], "standard"),
        ([-3.0, 2.0], "standard"),
    ],
)
def test_auto_takes_the_logit_of_what_looks_like_probabilities(scores, name):
    assert scale_of(scores).name == name


def test_the_logit_is_clipped_at_half_the_distance_of_the_innermost_probability_to_an_end():
    scale = scale_of([0.0, 0.02, 0.5, 0.9, 1.0])
    assert_allclose(scale.clip, 0.01)
    inner = scale.transform(np.array([0.0, 0.01, 0.5, 0.99, 1.0]))
    assert inner[0] == inner[1]
    assert inner[3] == inner[4]
    assert_allclose(inner[[1, 2, 3]] * scale.unit + scale.origin, special.logit([0.01, 0.5, 0.99]))


@pytest.mark.parametrize(("nearest", "clip"), [(1e-12, 1e-6), (0.4, 0.05)])
def test_the_clip_stays_within_reason(nearest, clip):
    # One of twelve that lies far out stretches no scale.
    assert_allclose(scale_of([0.0, nearest, *[0.4] * 10, 0.5, 1.0]).clip, clip)


def test_unit_maps_into_the_half_open_unit_interval():
    points = scale_of(MARGINS, "unit").transform(MARGINS)
    assert 0.0 < points.min() < 0.1
    assert points.max() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("score_scale", "message"),
    [
        ("log", "Unknown score_scale 'log'; choose one of auto, unit, identity"),
        (None, "must be one of auto, unit, identity or a transformer, got None"),
        (3, "must be one of auto, unit, identity or a transformer, got 3"),
        (FunctionTransformer(np.negative), "does not increase with the score"),
        (FunctionTransformer(lambda x: x * np.inf), "is not finite"),
        (FunctionTransformer(lambda x: np.hstack([x, x])), r"one column, got shape \(4, 2\)"),
        (FunctionTransformer(np.zeros_like), "all equal on the model scale"),
    ],
)
def test_a_scale_that_is_none_is_an_error(score_scale, message):
    with pytest.raises(ValueError, match=message):
        scale_of([1.0, 2.0, 3.0, 4.0], score_scale)


@pytest.mark.parametrize("scores", [[1.0], [2.0, 2.0], [-1e300] * 3])
def test_scores_that_are_all_equal_are_one_tie_of_unit_width(scores):
    scale = scale_of(scores)
    points, firsts = scale.points(scores[:1])
    assert firsts.tolist() == [0]
    low, high = scale.tie_ends
    assert points.min() >= low[0]
    assert points.max() <= high[0]
    # All items pass their score, and none what lies above.
    assert scale.thresholds(scores[0]) == -np.inf
    assert scale.thresholds(np.nextafter(scores[0], np.inf)) >= high[0]


# --- predictions and the unit of the scores -----------------------------------------------------


@pytest.mark.parametrize(
    ("score_scale", "experts", "slope", "shift"),
    [
        ("auto", None, 1024.0, 0.0),
        ("auto", None, 1e-6, 0.0),
        ("auto", None, 3.7, -250.0),
        ("unit", None, 3.7, -250.0),
        (StandardScaler(), None, 1e-6, 0.0),
        ("auto", "rank_binormal", 3.7, -250.0),
        ("auto", "rank_process", 1024.0, 0.0),
    ],
)
def test_predictions_do_not_change_under_an_increasing_affine_map(
    score_scale, slope, shift, experts, global_random_seed
):
    # Of the bare mixture, and of experts that see the ranks of the scores only.
    scores, labels = make_scores(200, random_state=global_random_seed)
    y = np.where(np.arange(200) < 30, labels, -1)
    new = np.linspace(-8.0, 9.0, 101)

    def fitted(a, b):
        mixture = SemisupervisedScoreMixture(
            "truncnorm",
            "gamma",
            score_scale=score_scale,
            experts=experts,
            n_draws=100,
            random_state=global_random_seed,
        ).fit(a * scores + b, y)
        return mixture.predict_proba(a * new + b)[:, 1], mixture.score_samples(a * new + b)

    probability, log_density = fitted(1.0, 0.0)
    moved_probability, moved_log_density = fitted(slope, shift)
    # The sampler sees inputs that differ by rounding: the draws differ a little more.
    assert_allclose(moved_probability, probability, atol=1e-5)
    assert_allclose(moved_log_density + np.log(slope), log_density, atol=1e-4)


def test_the_logit_of_probabilities_equals_log_odds_on_the_standard_scale():
    margins = stats.norm.ppf((np.arange(300) + 0.5) / 300, 0.0, 2.0)
    by_probability, by_margin = scale_of(special.expit(margins)), scale_of(margins)
    assert (by_probability.name, by_margin.name) == ("logit", "standard")
    assert_allclose(
        by_probability.transform(special.expit(margins)), by_margin.transform(margins), atol=1e-9
    )
