"""Intervals reach an end of the range that no label rules out."""

import re
import warnings
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.data._inclusion import SharesOfClasses
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.exceptions import FewLabelsWarning, MisfitWarning, UnidentifiedWarning
from sklearn_spe.metrics import RatioMetric
from sklearn_spe.metrics._decision import CountMetric, Precision
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.metrics._rows import RowMetric
from sklearn_spe.posterior._open_ends import cause_of_edge, edges_of_labels, extremes_of_labels
from sklearn_spe.results._distributions import WeightedDraws

SCORES = np.array([0.0, 1.0, 2.0, 3.0, 3.0, 4.0])


def sample_of(codes):
    return ScoreSample.from_items(SCORES, np.array(codes), np.ones(len(SCORES)))


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "specificity", "accuracy"])
@pytest.mark.parametrize("seed", range(3))
def test_the_edge_is_where_the_labeled_items_alone_have_the_metric(name, seed):
    metric = METRICS[name]()
    codes = np.random.default_rng(seed).choice([-1, 0, 1], size=len(SCORES))
    codes[:2] = 0, 1
    thresholds = np.array([-1.0, 0.5, 1.5, 3.0, 3.5, 5.0])
    found = edges_of_labels(metric, sample_of(codes), thresholds)
    for threshold, edge in zip(thresholds, found, strict=True):
        above, positive = threshold <= SCORES, codes == 1
        tp, fp = (above & positive).sum(), (above & (codes == 0)).sum()
        alone = metric.value(tp, fp, positive.sum(), (codes == 0).sum())
        if alone in (0.0, 1.0):
            assert edge == alone
        else:
            # Where nothing is counted only the model speaks.
            assert np.isnan(edge)


@pytest.mark.parametrize(
    "codes", [[0, -1, -1, 0, 0, -1], [1, -1, 1, -1, 1, 1], [0, -1, 1, 1, -1, 0]]
)
def test_average_precision_has_the_edge_that_precision_has_at_every_threshold(codes):
    labeled = sample_of(codes)
    found = edges_of_labels(METRICS["average_precision"](), labeled)
    at_each = edges_of_labels(Precision(), labeled, SCORES[np.array(codes) >= 0])
    common = at_each[0] if len(np.unique(at_each)) == 1 else np.nan
    assert found == pytest.approx([common], nan_ok=True)


def with_shares(codes, negative, positive):
    labeled = sample_of(codes)
    return replace(labeled, inclusion=SharesOfClasses.of(negative, positive))


NAMES = ["precision", "prevalence", "f1", "accuracy", "average_precision"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "codes", [[1, -1, 1, -1, 1, 1], [0, -1, -1, 0, 0, -1], [0, 0, 1, -1, 1, -1]]
)
def test_an_edge_is_open_where_the_known_shares_allow_so_few_labels(name, codes):
    metric, thresholds = METRICS[name](), [-1.0, 1.5, 3.0]
    plain = edges_of_labels(metric, sample_of(codes), thresholds)
    # So few of either class are labelled that no label need be missed ...
    rarely = edges_of_labels(metric, with_shares(codes, 1e-6, 1e-6), thresholds)
    np.testing.assert_array_equal(rarely, plain)
    # ... or all are, and what has none cannot be of a class that is labelled.
    wholly = edges_of_labels(metric, with_shares(codes, 1.0, 1.0), thresholds)
    assert np.isnan(wholly[0])


@pytest.mark.parametrize("shares", [(0.0, 0.5), (0.3, 0.9), (0.9, 0.3), (0.02, 0.5), (0.5, 0.0)])
@pytest.mark.parametrize("code", [0, 1])
def test_edges_by_shares_are_mirrored_with_the_classes(shares, code):
    codes = np.where(np.arange(len(SCORES)) % 2, code, -1)
    one = edges_of_labels(METRICS["prevalence"](), with_shares(codes, *shares))
    other = with_shares(np.where(codes < 0, -1, 1 - codes), *shares[::-1])
    np.testing.assert_array_equal(edges_of_labels(METRICS["prevalence"](), other), 1.0 - one)
    open_to = stats.binom.cdf(3, 6, shares[code]) >= 0.05
    assert one[0] == code if open_to else np.isnan(one[0])


def test_metrics_without_such_a_range_have_no_edge():
    class Odds(RatioMetric):
        name = "odds"
        limits = (0.0, np.inf)
        numerator, denominator = (1, 0, 0, 0), (0, 1, 0, 0)

    labeled = sample_of([0, -1, -1, 1, 1, -1])
    assert edges_of_labels(Odds(), labeled, [2.5]) == pytest.approx([np.nan], nan_ok=True)
    for name in ("roc_auc", "cohen_kappa"):
        assert np.isnan(edges_of_labels(METRICS[name](), labeled)).all()
    assert np.isnan(edges_of_labels(Precision(), labeled.without_labels(), [2.5])).all()


@pytest.mark.parametrize(("of_one_class", "tail"), [(True, 0.025), (False, 0.05)])
def test_where_labels_are_of_one_class_half_a_tail_is_left_out(of_one_class, tail):
    draws = np.linspace(0.0005, 0.9995, 1000)[:, np.newaxis]
    # An exponential distribution leans on 0, a normal one around 1/2 does not.
    distributions = (
        (np.exp(-20.0 * draws[:, 0]), -np.log(tail) / 20.0),
        (
            np.exp(-0.5 * ((draws[:, 0] - 0.5) / 0.05) ** 2),
            stats.norm(0.5, 0.05).isf(tail),
        ),
    )
    for weights, expected in distributions:
        distribution = WeightedDraws(draws, weights / weights.sum())
        low, high = distribution.reaching(np.array([0.0]), of_one_class).interval(0.9)[:, 0]
        assert low == 0.0
        assert high == pytest.approx(expected, abs=2e-3)


def test_the_upper_edge_mirrors_the_lower_one(global_random_seed):
    draws = np.random.default_rng(global_random_seed).beta(1.0, 15.0, size=(400, 2))
    weights = np.full(400, 1.0 / 400)
    low = WeightedDraws(draws, weights).reaching(np.array([0.0, np.nan]), True)
    high = WeightedDraws(1.0 - draws, weights).reaching(np.array([1.0, np.nan]), True)
    np.testing.assert_allclose(low.interval(0.8), 1.0 - high.interval(0.8)[::-1], atol=1e-12)
    # The second quantity has no edge, and an interval with two tails.
    np.testing.assert_allclose(low.interval(0.8)[:, 1], low.quantile([0.1, 0.9])[:, 1])
    np.testing.assert_allclose(low.reversed().interval(0.8), low.interval(0.8)[:, ::-1])


def test_an_envelope_has_two_tails_and_reaches_the_edge(global_random_seed):
    draws = np.random.default_rng(global_random_seed).beta(1.0, 9.0, size=(500, 1))
    # All points rise and fall together: the whole curve lies inside as often as one point.
    draws = np.hstack([draws, draws, 1.0 - draws])
    distribution = WeightedDraws(draws, np.full(500, 1.0 / 500))
    reaching = distribution.reaching(np.array([0.0, np.nan, 1.0]), True)
    level = reaching.envelope_level(0.9)
    lower, upper = reaching.envelope(level)
    assert (lower[0], upper[2]) == (0.0, 1.0)
    np.testing.assert_array_equal(upper[:2], distribution.interval(level)[1][:2])
    inside = ((draws >= lower) & (draws <= upper)).all(axis=1)
    assert inside.mean() >= 0.9


def test_where_only_the_tail_is_labeled_recall_keeps_its_lower_end():
    draws = np.random.default_rng(0).beta(20.0, 1.0, size=(400, 1))
    distribution = WeightedDraws(draws, np.full(400, 1.0 / 400))
    low, high = distribution.reaching(np.array([1.0])).interval(0.9)[:, 0]
    assert (low, high) == (distribution.interval(0.9)[0, 0], 1.0)


def fitted(estimator, scores, y, **structure):
    """Fit to a few labels, which say little and may say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnidentifiedWarning)
        warnings.simplefilter("ignore", FewLabelsWarning)
        warnings.simplefilter("ignore", MisfitWarning)
        return estimator.fit(scores, y, **structure)


@pytest.fixture(scope="module")
def performance(global_random_seed):
    """Return an estimator of scores of which one in the lowest half is labelled positive."""
    rng = np.random.default_rng(global_random_seed)
    scores = rng.standard_normal(400)
    y = np.where(np.arange(400) < 12, 0, -1)
    order = np.argsort(scores)
    y[order[-1]], y[order[100]] = 0, 1
    mixture = SemisupervisedScoreMixture(experts=["rank_binormal", "score_log_odds"], n_draws=128)
    return fitted(PerformanceCurveEstimator(mixture, random_state=global_random_seed), scores, y)


def test_estimates_and_curves_say_their_edge(performance):
    top = float(np.sort(performance.posterior_.sample.scores)[-20])
    for name in ("precision", "recall", "f1"):
        estimate = performance.estimate(name, threshold=top)
        assert estimate.edge == 0.0
        assert estimate.interval()[0] == 0.0
        cause = "no labeled item predicted positive is positive"
        assert f"no label rules out 0: {cause})" in repr(estimate)
        assert cause in estimate._repr_html_()
    assert performance.estimate("average_precision").edge is None
    assert performance.estimate("prevalence").edge is None
    band = performance.curve("precision")
    lower, upper = band.interval()
    assert (lower[band.x >= top] == 0.0).all()
    assert (upper >= band.value).all()
    assert band.at(top).interval()[0] == 0.0


METRICS_WITH_EDGES = [
    name
    for name, metric in METRICS.items()
    if not issubclass(metric, RowMetric)
    if issubclass(metric, CountMetric)
    or metric.is_extreme_by_errors
    or (metric.limits == (0.0, 1.0) and (metric.averages or metric()).item_terms() is not None)
]
# What stands in a cause, and of which labeled items it is said: class, and side of the threshold.
CAUSE = re.compile(r"no labeled item (?:predicted (\w+) )?is (positive|negative)")


def said_to_be_missing(cause):
    """Return the classes and sides of which a cause says that no labeled item is."""
    if match := re.fullmatch(r"no labeled item is predicted (correctly|wrongly)", cause):
        return {(z, z if match[1] == "correctly" else 1 - z) for z in (0, 1)}
    codes = {"negative": (0,), "positive": (1,), "": (0, 1)}
    return {
        (codes[word][0], side)
        for side_word, word in CAUSE.findall(cause)
        for side in codes[side_word]
    }


@pytest.mark.parametrize("name", METRICS_WITH_EDGES)
def test_the_cause_of_an_open_edge_is_what_no_labeled_item_is(name):
    metric = METRICS[name]()
    scores = np.array([-2.0, -1.0, 1.0, 2.0])
    both = [(z, side) for z in (0, 1) for side in (0, 1)]
    # Every set of labels on both sides of the threshold 0, beside two unlabeled items.
    for labeled in chain.from_iterable(combinations(both, n) for n in range(1, 5)):
        y = np.array([0.0 if z == 0 else 1.0 for z, _ in labeled])
        at = np.array([3.0 if side else -3.0 for _, side in labeled])
        sample = ScoreSample.from_items(
            np.r_[scores, at], np.r_[np.full(4, -1), y].astype(int), np.ones(4 + len(y))
        )
        edges, is_lowest = extremes_of_labels(metric, sample, [0.0])
        if np.isnan(edges[0]):
            continue
        missing = said_to_be_missing(cause_of_edge(metric, bool(is_lowest[0])))
        assert missing
        assert not missing & set(labeled)


def test_without_a_positive_prevalence_and_average_precision_reach_zero(performance):
    scores = performance.posterior_.sample.scores
    estimator = PerformanceCurveEstimator(performance.mixture, classes=[0, 1], random_state=0)
    none = fitted(estimator, scores, np.where(np.arange(len(scores)) % 20 == 0, 0, -1))
    estimate = none.estimate("prevalence")
    assert estimate.interval()[0] == 0.0
    assert none.mixture_.prevalence_.interval()[0] == 0.0
    assert none.estimate("average_precision").interval()[0] == 0.0
    # A difference of two results is no share any more.
    assert (estimate - none.estimate("precision", threshold=0.0)).edge is None


def test_labels_of_other_categories_shorten_both_ends(performance):
    """One fit of two categories, the labels of one of which are negative."""
    scores = performance.posterior_.sample.scores
    category = np.where(np.arange(len(scores)) % 2, "odd", "even")
    y = np.where(np.arange(len(scores)) % 20 < 2, 0, -1)
    y[np.flatnonzero((category == "odd") & (y == 0))[-3:]] = 1
    estimator = PerformanceCurveEstimator(performance.mixture, classes=[0, 1], random_state=0)
    for labels, lower, upper in ((y, 0.005, 0.95), (np.where(y == 1, 0, y), None, 0.975)):
        parts = fitted(estimator, scores, labels, category=category)
        for name in ("average_precision", "prevalence"):
            estimate = parts.of(category="even").estimate(name)
            quantile = estimate.distribution.quantile
            low = 0.0 if lower is None else quantile(lower)[0, 0]
            found = estimate.interval(0.9)
            assert found == pytest.approx((low, quantile(upper)[0, 0]), abs=1e-12)


def test_an_end_in_a_category_lies_in_every_wider_one(performance):
    """Ends that only the labels of others limit are nested in the level."""
    scores = performance.posterior_.sample.scores
    category = np.where(np.arange(len(scores)) % 2, "odd", "even")
    y = np.where(np.arange(len(scores)) % 20 < 2, 0, -1)
    y[np.flatnonzero((category == "odd") & (y == 0))[-3:]] = 1
    estimator = PerformanceCurveEstimator(performance.mixture, classes=[0, 1], random_state=0)
    estimate = (
        fitted(estimator, scores, y, category=category).of(category="even").estimate("prevalence")
    )
    lower, upper = np.array([estimate.interval(level) for level in (0.5, 0.8, 0.9, 0.95)]).T
    assert (np.diff(lower) <= 0.0).all()
    assert (np.diff(upper) >= 0.0).all()
