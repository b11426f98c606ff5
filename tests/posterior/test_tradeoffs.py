"""The slope of precision against recall, and precision after a gain, of samples and populations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.metrics import PrecisionAfterGain, PrecisionRecallSlope
from tests.estimators.score_mixture.data import Problem
from tests.quick import QUIET

pytestmark = QUIET

NAMES = ("precision_recall_slope", "precision_after_gain")
BOTH = pytest.mark.parametrize("name", NAMES)


def performance(seed, scores, y, sample_weight=None, **parameters):
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", method="em", score_scale="identity", n_draws=150, random_state=seed
    )
    estimator = PerformanceCurveEstimator(mixture, random_state=seed, n_points=30, **parameters)
    return estimator.fit(scores, y, sample_weight=sample_weight)


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return Problem.of(global_random_seed, 300, 60)


@pytest.fixture(scope="module")
def partly(problem):
    return performance(problem.seed, problem.scores, problem.partial)


@pytest.fixture(scope="module", params=["scores", "tied"])
def complete(problem, request):
    scores = getattr(problem, request.param)
    return scores, performance(problem.seed, scores, problem.labels)


def called(scores, threshold, labels):
    """Return precision and recall of the items at or above a threshold."""
    above = scores >= threshold
    precision = labels[above].mean() if above.any() else np.nan
    return precision, labels[above].sum() / labels.sum()


def secant(scores, threshold, metric, labels):
    """Return the slope to the highest threshold that calls so many more items, by counting."""
    wanted = np.sum(scores >= threshold) + max(metric.least_items, metric.share * len(scores))
    reach = [t for t in np.unique(scores) if np.sum(scores >= t) >= wanted]
    below = max(reach) if reach else scores.min()
    (p, r), (p_below, r_below) = called(scores, threshold, labels), called(scores, below, labels)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.float64(p_below - p) / np.float64(r_below - r)


# --- a sample that is known ------------------------------------------------------------


@pytest.mark.parametrize(
    "metric",
    [
        PrecisionRecallSlope(),
        PrecisionRecallSlope(least_items=1, share=0.0),
        PrecisionRecallSlope(least_items=2, share=0.2),
    ],
    ids=str,
)
def test_the_slope_of_a_known_sample_is_that_of_the_secant(problem, complete, metric):
    scores, estimator = complete
    grid = np.unique(scores)[:: max(1, len(np.unique(scores)) // 12)]
    for threshold in grid:
        estimate = estimator.estimate(metric, threshold=threshold)
        expected = secant(scores, threshold, metric, problem.labels)
        assert_allclose(estimate.value, expected, rtol=1e-9, atol=1e-12)
        if not np.isnan(expected):
            assert estimate.interval() == (estimate.value, estimate.value)
            assert estimate.undefined == 0.0


@pytest.mark.parametrize("gain", [0.03, 0.1, 0.5])
def test_the_precision_after_a_gain_is_that_of_the_first_threshold_that_reaches_it(
    problem, complete, gain
):
    scores, estimator = complete
    metric, found = PrecisionAfterGain(gain), []
    for threshold in np.unique(scores)[:: max(1, len(np.unique(scores)) // 12)]:
        estimate = estimator.estimate(metric, threshold=threshold)
        wanted = called(scores, threshold, problem.labels)[1] + gain
        reach = [
            t for t in np.unique(scores) if called(scores, t, problem.labels)[1] >= wanted - 1e-12
        ]
        if reach:
            assert_allclose(
                estimate.value, called(scores, max(reach), problem.labels)[0], rtol=1e-12
            )
            assert estimate.interval() == (estimate.value, estimate.value)
        else:
            assert np.isnan(estimate.value)
            assert estimate.undefined == pytest.approx(1.0)
        found.append(bool(reach))
    assert any(found)
    assert not all(found)


def test_weights_count_for_items(problem):
    times = np.random.default_rng(problem.seed).integers(0, 4, 300)
    weighted = performance(problem.seed, problem.scores, problem.labels, sample_weight=times)
    scores, labels = np.repeat(problem.scores, times), np.repeat(problem.labels, times)
    for threshold in (0.0, 1.0, 2.0):
        slope = weighted.estimate("precision_recall_slope", threshold=threshold).value
        expected = secant(scores, threshold, PrecisionRecallSlope(), labels)
        assert_allclose(slope, expected, rtol=1e-9)
    repeated = performance(problem.seed, scores, labels)
    for name in NAMES:
        assert_allclose(
            weighted.estimate(name, threshold=1.0).value,
            repeated.estimate(name, threshold=1.0).value,
            rtol=1e-12,
        )


def test_the_slope_is_minus_infinity_where_no_positive_follows(problem):
    scores = np.arange(40.0)
    labels = (scores >= 30.0).astype(int)
    estimator = performance(problem.seed, np.r_[scores, -1.0], np.r_[labels, 1])
    estimate = estimator.estimate("precision_recall_slope", threshold=30.0)
    assert estimate.value == -np.inf
    assert estimate.interval() == (-np.inf, -np.inf)


def test_nothing_lies_below_the_lowest_score(complete):
    scores, estimator = complete
    for name in NAMES:
        estimate = estimator.estimate(name, threshold=scores.min())
        assert np.isnan(estimate.value)
        assert estimate.undefined == pytest.approx(1.0)
    replaced = estimator.estimate(NAMES[1], threshold=scores.min(), zero_division=0.0)
    assert replaced.value == 0.0
    assert replaced.undefined == pytest.approx(1.0)


# --- a sample that is known in part ----------------------------------------------------


@BOTH
@pytest.mark.parametrize("target", ["sample", "population"])
def test_a_curve_is_the_numbers_at_its_thresholds(problem, partly, name, target):
    thresholds = np.sort(problem.scores)[[30, 120, 200, 260, 280]]
    band = partly.curve(name, thresholds=thresholds, target=target)
    for j, threshold in enumerate(thresholds):
        estimate = partly.estimate(name, threshold=threshold, target=target)
        # A curve of the population has its own thresholds below each of its points.
        precise = name == "precision_recall_slope" or target == "sample"
        tolerance = {"rtol": 1e-9} if precise else {"atol": 2e-3}
        assert_allclose(band.value[j], estimate.value, **tolerance)
        ends = [end[j] for end in band.interval()]
        assert_allclose(ends, estimate.interval(), **tolerance)
        assert_allclose(band.undefined[j], estimate.undefined, atol=1e-12 if precise else 0.02)


@BOTH
def test_smaller_scores_of_positives_are_the_negated_scores(problem, partly, name):
    flipped = performance(problem.seed, -problem.scores, problem.partial, greater_is_positive=False)
    for threshold in np.sort(problem.scores)[[120, 200, 260]]:
        for target in ("sample", "population"):
            straight = partly.estimate(name, threshold=threshold, target=target)
            other = flipped.estimate(name, threshold=-threshold, target=target)
            assert_allclose(other.draws, straight.draws, rtol=1e-9)
            assert_allclose(other.value, straight.value, rtol=1e-9)
    band, other = partly.curve(name), flipped.curve(name)
    assert np.array_equal(other.x, -band.x[::-1])
    assert_allclose(other.value, band.value[::-1], rtol=1e-9)


@BOTH
def test_draws_of_a_sample_are_what_its_completions_have(partly, name):
    # The same quantity of each completed set of labels, by counting.
    threshold, gain = 1.5, 0.1

    def by_hand(y_true, y_score):
        if name == "precision_recall_slope":
            return secant(y_score, threshold, PrecisionRecallSlope(), y_true)
        wanted = called(y_score, threshold, y_true)[1] + gain
        reach = [t for t in np.unique(y_score) if called(y_score, t, y_true)[1] >= wanted - 1e-12]
        return called(y_score, max(reach), y_true)[0] if reach else np.nan

    estimate = partly.estimate(name, threshold=threshold)
    expected = partly.estimate(by_hand)
    assert_allclose(np.sort(estimate.draws), np.sort(expected.draws), rtol=1e-9)


@BOTH
def test_labels_make_the_interval_of_the_sample_narrower(problem, name):
    widths = []
    # In between it may widen: labels may come unexpected.
    for n_labels in (60, 299):
        y = problem.with_labels(n_labels)
        low, high = (
            performance(problem.seed, problem.scores, y).estimate(name, threshold=1.5).interval()
        )
        widths.append(high - low)
    assert widths[0] > widths[1] >= 0.0


# --- a population ----------------------------------------------------------------------


def law_of(estimator):
    values = {k: e.value for k, e in estimator.posterior_.parameters().items()}
    distributions = [
        stats.norm(values[f"{s}_mean"], values[f"{s}_std"]) for s in ("negative", "positive")
    ]

    def precision(threshold):
        tp = values["prevalence"] * distributions[1].sf(threshold)
        return tp / (tp + (1.0 - values["prevalence"]) * distributions[0].sf(threshold))

    return precision, distributions[1].sf


@pytest.mark.parametrize("threshold", [0.5, 1.5, 2.5])
def test_the_slope_of_a_population_is_the_derivative(partly, threshold):
    precision, recall = law_of(partly)
    step = 1e-4
    ends = threshold + np.array([step, -step])
    expected = np.diff(precision(ends))[0] / np.diff(recall(ends))[0]
    estimate = partly.estimate("precision_recall_slope", threshold=threshold, target="population")
    assert_allclose(estimate.value, expected, rtol=1e-5)
    low, high = estimate.interval()
    assert low < expected < high
    assert estimate.kind == "fisher"


@pytest.mark.parametrize("threshold", [1.5, 2.0, 2.5])
@pytest.mark.parametrize("gain", [0.05, 0.1])
def test_the_precision_of_a_population_after_a_gain_is_that_of_the_lower_threshold(
    partly, threshold, gain
):
    precision, recall = law_of(partly)
    estimate = partly.estimate(PrecisionAfterGain(gain), threshold=threshold, target="population")
    wanted = recall(threshold) + gain
    if wanted > 1:  # some seeds draw classes so far apart that so much is not left to gain
        assert np.isnan(estimate.value)
        return
    lower = optimize.brentq(lambda t: recall(t) - wanted, -9.0, threshold)
    # Straight lines between the scores of the sample.
    assert_allclose(estimate.value, precision(lower), atol=1e-3)


def test_small_gains_of_a_population_cost_what_the_slope_says(partly):
    threshold, gain = 1.5, 0.01
    slope = partly.estimate("precision_recall_slope", threshold=threshold, target="population")
    now = partly.estimate("precision", threshold=threshold, target="population")
    after = partly.estimate(PrecisionAfterGain(gain), threshold=threshold, target="population")
    # The curve bends, and lines between the scores of the sample are straight.
    assert_allclose(after.value - now.value, gain * slope.value, rtol=0.2, atol=1e-3)


# --- questions that it does not answer -------------------------------------------------


@BOTH
def test_goals_are_set_for_decisions_only(partly, name):
    with pytest.raises(ValueError, match=rf"'{name}' is not a metric of the decision"):
        partly.goal_probability(**{name: 0.5})
    with pytest.raises(ValueError, match=rf"'{name}' is not a metric of the decision"):
        partly.threshold_for(**{name: 0.5})
    with pytest.raises(ValueError, match=rf"prefer='{name}' is not a metric of the decision"):
        partly.threshold_for(precision=0.5, prefer=name)


@BOTH
def test_a_threshold_is_needed_and_nothing_else(partly, name):
    with pytest.raises(ValueError, match=rf"'{name}' needs exactly one of threshold="):
        partly.estimate(name, threshold=1.0, recall=0.5)
    # The scores lie on both sides of zero, the usual threshold.
    assert partly.estimate(name).threshold == 0.0
    with pytest.raises(ValueError, match=rf"'{name}' is not available at recall"):
        partly.estimate(name, recall=0.5)
