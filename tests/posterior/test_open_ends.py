"""What is known beside labels limits the ends that labels leave open."""

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.data._inclusion import SharesOfClasses
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.families import BetaPrior
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.posterior._known_positives import KnownPositives
from sklearn_spe.posterior._open_ends import (
    edges_of_labels,
    limits_beyond_tail,
    limits_of_ends,
)
from sklearn_spe.posterior._operating_points import sample_operating_points
from sklearn_spe.posterior._posterior import ComplementPosterior
from sklearn_spe.results._distributions import TAILS, WeightedDraws

from ..quick import EXPERTS

SCORES = np.array([0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0])
DECISIONS = (
    *("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate"),
    "negative_predictive_value",
)


def values_of_completions(metric, codes, threshold, counts_known):
    """Return the number of positives and the metric of all completions of the labels."""
    free, found = np.flatnonzero(codes < 0), []
    for labels in product((0, 1), repeat=len(free)):
        completed = codes.copy()
        completed[free] = labels
        if metric.averages is not None:
            cells = ScoreSample.from_items(SCORES, completed, np.ones(len(SCORES)))
            points = sample_operating_points(cells, cells.positive[np.newaxis])
            value = metric.value(points.tp, points.fp)[0]
        else:
            above = threshold <= SCORES
            if counts_known:
                above = np.where(codes < 0, above, codes == 1)
            tp, fp = (above & (completed == 1)).sum(), (above & (completed == 0)).sum()
            totals = (completed == 1).sum(), (completed == 0).sum()
            value = float(metric.value(*map(float, (tp, fp, *totals))))
        found.append((completed.sum(), value))
    return np.array(found).T


@pytest.mark.parametrize("counts_known", [False, True])
@pytest.mark.parametrize("name", [*DECISIONS, "average_precision"])
@pytest.mark.parametrize("labels", [(0,), (1,), (0, 1)])
def test_limits_are_the_extremes_of_all_completions(name, labels, counts_known, global_random_seed):
    metric, rng = METRICS[name](), np.random.default_rng(global_random_seed)
    codes = np.full(len(SCORES), -1)
    codes[rng.permutation(len(SCORES))[:3]] = rng.choice(labels, 3)
    sample = ScoreSample.from_items(SCORES, codes, np.ones(len(SCORES)))
    known, most = (codes == 1).sum(), (codes != 0).sum()
    for threshold in (-1.0, 2.5, 3.0, 5.5):
        edges = edges_of_labels(metric, sample, [threshold])
        totals, values = values_of_completions(metric, codes, threshold, counts_known)
        for low, high in product(range(known, most + 1), repeat=2):
            inside = values[(totals >= low) & (totals <= high)]
            inside = np.where(np.isnan(inside), edges[0], inside)
            if np.isnan(edges[0]) or not len(inside):
                continue
            ranges = np.array([[low, high]], dtype=float)
            found = limits_of_ends(metric, sample, ranges, edges, [threshold], counts_known)
            extreme = inside.min() if edges[0] == 0.0 else inside.max()
            if metric.averages is None:
                assert found[0, 0] == pytest.approx(extreme, abs=1e-12)
            else:
                # Tied items are in the order that is best, or worst, for the metric or between.
                assert found[0, 0] == pytest.approx(extreme, abs=0.02)


def test_a_limit_is_reached_at_every_level_and_nested(global_random_seed):
    draws = np.random.default_rng(global_random_seed).beta(5.0, 2.0, (400, 2))
    distribution = WeightedDraws(draws, np.full(400, 1.0 / 400))
    limits = np.column_stack([np.linspace(0.6, 0.99, len(TAILS)), np.full(len(TAILS), 1.0)])
    reaching = distribution.reaching(np.ones(2), False, limits)
    for tail, limit in zip(TAILS, limits[:, 0], strict=True):
        lower, upper = reaching.interval(1.0 - 2.0 * tail)
        plain = distribution.interval(1.0 - 2.0 * tail)
        np.testing.assert_allclose(lower, plain[0], atol=1e-12)
        assert upper[0] == pytest.approx(max(limit, plain[1, 0]), abs=1e-9)
        assert upper[1] == 1.0
    widths = np.diff([reaching.interval(level)[:, 0] for level in np.linspace(0.5, 0.999, 40)])
    assert (np.diff(widths[:, 0]) >= 0.0).all()
    np.testing.assert_array_equal(reaching.is_open, [False, True])
    np.testing.assert_allclose(
        reaching.reversed().interval(0.93), reaching.interval(0.93)[:, ::-1], atol=1e-12
    )
    between = reaching.between(0, 1, 0.5).interval(0.9)[1, 0]
    assert between >= (limits[2].mean()) - 1e-9


def test_a_mean_reaches_as_far_as_its_parts(global_random_seed):
    draws = np.random.default_rng(global_random_seed).beta(1.0, 9.0, (200, 2))
    weights = np.full(200, 1.0 / 200)
    parts = [WeightedDraws(column[:, np.newaxis], weights) for column in draws.T]
    limits = np.linspace(0.02, 0.0, len(TAILS))[:, np.newaxis]
    ends = [parts[0].reaching(np.zeros(1), True, limits), parts[1].reaching(np.zeros(1), True)]
    mean = WeightedDraws(draws.mean(axis=1, keepdims=True), weights)
    low = mean.reaching_like(ends).interval(1.0 - 2.0 * TAILS[1])[0, 0]
    assert low == pytest.approx(min(limits[1, 0] / 2.0, mean.quantile(TAILS[1] / 2)[0, 0]))
    assert mean.reaching_like([ends[0], parts[1]]) is mean
    upper = parts[1].reaching(np.ones(1))
    assert mean.reaching_like([ends[0], upper]) is mean


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("shares", [(0.2, 0.9), (0.5, 0.5), (0.01, 0.3), (0.0, 1.0)])
def test_shares_of_classes_bound_their_sizes_as_binomials_do(shares, code):
    codes = np.full(60, -1)
    codes[: 5 if shares[code] else 0] = code
    sample = ScoreSample.from_items(np.arange(60.0), codes, np.ones(60))
    sample = replace(sample, inclusion=SharesOfClasses.of(*shares))
    n_labeled = int((codes == code).sum()), int((codes == 1 - code).sum())
    for tail in (0.05, 0.005):
        low, high = KnownPositives().range_of(sample, tail)
        possible = []
        for total in range(61):
            sizes = (total, 60 - total) if code else (60 - total, total)
            tails = [
                (stats.binom.cdf(n, size, share), stats.binom.sf(n - 1, size, share))
                for n, size, share in zip(
                    n_labeled, sizes, (shares[code], shares[1 - code]), strict=True
                )
                if size >= n
            ]
            possible.append(len(tails) == 2 and min(map(min, tails)) >= tail)
        inside = np.flatnonzero(possible)
        if len(inside):
            assert (low, high) == (inside[0], inside[-1])


def test_knowledge_that_contradicts_what_is_known_better_is_left_out():
    codes = np.r_[np.ones(6, int), np.zeros(2, int), np.full(12, -1)]
    sample = ScoreSample.from_items(np.arange(20.0), codes, np.ones(20))
    wrong = BetaPrior.from_interval(0.01, 0.05)
    assert KnownPositives(wrong).range_of(sample, 0.05) == (6.0, 18.0)
    assert KnownPositives(wrong, (7.0, 9.0)).range_of(sample, 0.05) == (7.0, 9.0)
    right = BetaPrior.from_interval(0.4, 0.5)
    low, high = KnownPositives(right).range_of(sample, 0.05)
    assert (low, high) == pytest.approx((8.0, 10.0), rel=1e-6)
    assert KnownPositives(right).exchanged(20.0).range_of(
        replace(sample, positive=sample.negative, negative=sample.positive), 0.05
    ) == pytest.approx((10.0, 12.0), rel=1e-6)
    # A density that does not vanish at an end does not exclude it.
    none = ScoreSample.from_items(np.arange(20.0), np.full(20, -1), np.ones(20))
    assert KnownPositives(BetaPrior(1.0, 1.0)).range_of(none, 0.05) == (0.0, 20.0)


def fit(scores, y, prior="auto", **known):
    mixture = SemisupervisedScoreMixture(
        experts=EXPERTS, n_draws=256, prevalence_prior=prior, classes=[0, 1], random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y, **known)


N_ITEMS = 400


def labeled(kind, rng):
    """Return scores and labels that leave an end open."""
    truth = (rng.random(N_ITEMS) < 0.15).astype(int)
    scores = rng.normal(2.0 * truth)
    y, order = np.full(N_ITEMS, -1), np.argsort(-scores)
    if kind == "top":
        y[order[:30]] = truth[order[:30]]
    elif kind == "no positive":
        free = np.flatnonzero(truth == 0)[:25]
        y[free] = 0
    else:
        free = np.flatnonzero(truth == 1)[:5]
        y[free] = 1
    return scores, y, truth


@pytest.mark.parametrize("kind", ["top", "no positive", "no negative"])
@pytest.mark.parametrize("knowledge", ["prior", "total", "range"])
def test_intervals_lie_where_what_is_known_lets_them(kind, knowledge, global_random_seed):
    """Found positives, and what is possible of the others, bound every metric at both ends."""
    scores, y, truth = labeled(kind, np.random.default_rng(global_random_seed))
    n_positive = int(truth.sum())
    if knowledge == "prior":
        rate = n_positive / N_ITEMS
        prior = BetaPrior.from_interval(0.9 * rate, 1.1 * rate)
        performance = fit(scores, y, prior)
        low, high = N_ITEMS * prior.ppf(0.001), N_ITEMS * prior.ppf(0.999)
        # Labels are drawn around the prevalence.
        spread = 4.0 * np.sqrt(N_ITEMS * rate)
        low, high = low - spread, high + spread
    else:
        low, high = n_positive, n_positive
        if knowledge == "range":
            low, high = n_positive - 10, n_positive + 10
        performance = fit(scores, y, known_positives=(low, high))
    at = float(np.sort(scores)[-30])
    above = scores >= at
    known, free = (y == 1), y < 0
    low = max(low, known.sum())
    least = (known & above).sum() / max(high, 1.0)
    most = min(1.0, ((known | free) & above).sum() / max(low, 1.0))
    for target in ("sample", "population"):
        recall = performance.estimate("recall", threshold=at, target=target).interval()
        if target == "sample":
            assert least - 1e-9 <= recall[0] <= recall[1] <= most + 1e-9
        share = performance.estimate("prevalence", target=target).interval()
        margin = 0.0 if target == "sample" else 0.08
        assert low / N_ITEMS - margin - 1e-9 <= share[0]
        assert share[1] <= high / N_ITEMS + margin + 1e-9
    for name in ("precision", "f1", "accuracy"):
        value = performance.estimate(name, threshold=at).interval()
        metric = METRICS[name]()
        # The polygon of possible positives above and below, on a grid.
        tp = np.linspace((known & above).sum(), ((known | free) & above).sum(), 61)
        fn = np.linspace((known & ~above).sum(), ((known | free) & ~above).sum(), 371)
        tp, fn = (part.ravel() for part in np.meshgrid(tp, fn))
        inside = (tp + fn >= low - 1.0) & (tp + fn <= high + 1.0)
        tp, fn = tp[inside], fn[inside]
        possible = metric.value(tp, above.sum() - tp, tp + fn, N_ITEMS - tp - fn)
        assert possible.min() - 0.02 <= value[0] <= value[1] <= possible.max() + 0.02


def test_a_stated_prior_that_excludes_nothing_leaves_edges_open(global_random_seed):
    scores, y, _ = labeled("no positive", np.random.default_rng(global_random_seed))
    for prior in ("auto", BetaPrior(1.0, 1.0), BetaPrior(0.5, 20.0)):
        estimate = fit(scores, y, prior).estimate("prevalence")
        assert (estimate.edge, estimate.interval()[0]) == (0.0, 0.0)
        record = estimate.to_dict()
        assert (record["edge"], record["edge_cause"]) == (0.0, estimate.edge_cause)
        assert estimate.edge_cause
    stated = fit(scores, y, BetaPrior.from_interval(0.1, 0.2)).estimate("prevalence")
    assert stated.edge is None
    assert stated.interval()[0] > 0.03


def test_recall_beside_a_known_rate_is_what_was_found_over_all(global_random_seed):
    """As where the rate of events is known, and only the alarms are looked at."""
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(1500) < 0.09).astype(int)
    scores = rng.normal(1.5 * truth)
    alarm = float(np.sort(scores)[-100])
    y = np.where(scores >= alarm, truth, -1)
    rate, found = truth.mean(), (y == 1).sum()
    performance = fit(scores, y, BetaPrior.from_interval(0.9 * rate, 1.1 * rate))
    low, high = performance.estimate("recall", threshold=alarm).interval()
    rates = performance.estimate("prevalence").interval()
    prior = BetaPrior.from_interval(0.9 * rate, 1.1 * rate)
    smallest = min(rates[0], prior.ppf(0.05))
    assert low >= found / (1500 * rates[1]) - 1e-9
    # Ends lie between counts, and counts and their inverses are interpolated apart.
    assert high <= min(1.0, found / (1500 * smallest - 1.0)) + 1e-9
    assert performance.curve("recall").at(alarm).interval() == pytest.approx((low, high), abs=0.02)


def top_labeled(rng, n_labeled=30):
    """Return scores whose largest are labeled, and all negative, and those labels."""
    scores = np.sort(rng.normal(size=N_ITEMS))[::-1]
    y = np.full(N_ITEMS, -1)
    y[:n_labeled] = 0
    return scores, y


@pytest.mark.parametrize("name", ["average_precision", "precision", "recall", "f1"])
def test_without_a_positive_at_the_top_all_may_come_right_below(name, global_random_seed):
    """The interval has the value of every credible number of positives right below the labels."""
    scores, y = top_labeled(np.random.default_rng(global_random_seed))
    performance = fit(scores, y)
    threshold = {} if name == "average_precision" else {"threshold": scores[44]}
    estimate = performance.estimate(name, **threshold)
    n_credible = max(N_ITEMS * np.median(performance.posterior_.prevalence_draws), 1.0)
    for n_positive in range(1, int(n_credible) + 1):
        truth = np.where((np.arange(N_ITEMS) >= 30) & (np.arange(N_ITEMS) < 30 + n_positive), 1, 0)
        if name == "average_precision":
            value = np.mean(np.arange(1, n_positive + 1) / np.arange(31, 31 + n_positive))
        else:
            tp = truth[:45].sum()
            value = METRICS[name]().value(
                *map(float, (tp, 45 - tp, n_positive, N_ITEMS - n_positive))
            )
        low, high = estimate.interval(0.9)
        assert low == 0.0
        assert high >= value - 1e-6
    ends = [estimate.interval(level)[1] for level in np.linspace(0.5, 0.99, 20)]
    assert (np.diff(ends) >= -1e-12).all()


def test_limits_beyond_a_tail_leave_its_unlabeled_items_to_the_class_of_its_labels(
    global_random_seed,
):
    rng = np.random.default_rng(global_random_seed)
    scores, y = top_labeled(rng)
    # Every second label of the tail is missing.
    y[1:30:2] = -1
    posterior = fit(scores, y).posterior_
    zero, lowest = np.zeros(1), np.ones(1, dtype=bool)
    for last, best in ((28, 0.0), (40, 12.0)):
        arguments = posterior, scores[[last]], zero, lowest, False
        limits = limits_beyond_tail(METRICS["precision"](), *arguments)
        assert (limits <= best / (last + 1) + 1e-12).all()
        assert (np.diff(limits, axis=0) >= 0.0).all()


def test_limits_beyond_a_tail_are_those_of_the_mirror_image(global_random_seed):
    scores, y = top_labeled(np.random.default_rng(global_random_seed))
    posterior = fit(scores, y).posterior_
    mirror = ComplementPosterior.of(posterior)
    at = scores[[35, 50]]
    flipped = np.nextafter(-at, np.inf)
    zeros, lowest = np.zeros(2), np.ones(2, dtype=bool)
    images = {"precision": "negative_predictive_value", "recall": "specificity"}
    for name, image in images.items():
        limits = limits_beyond_tail(METRICS[name](), posterior, at, zeros, lowest, False)
        mirrored = limits_beyond_tail(METRICS[image](), mirror, flipped, zeros, lowest, False)
        np.testing.assert_allclose(limits, mirrored, atol=1e-12)


def test_random_labels_and_those_of_both_classes_open_no_other_end(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, y = top_labeled(rng)
    both = y.copy()
    both[29] = 1
    spread = np.full(N_ITEMS, -1)
    spread[::20] = 0
    for labels in (both, spread):
        distribution = fit(scores, labels).estimate("recall", threshold=scores[44]).distribution
        assert np.isnan(getattr(distribution, "far_limits", np.nan)).all()


def test_a_far_limit_moves_with_its_quantities(global_random_seed):
    draws = np.random.default_rng(global_random_seed).beta(1.0, 30.0, (200, 2))
    distribution = WeightedDraws(draws, np.full(200, 1.0 / 200))
    far = np.column_stack([np.linspace(0.5, 0.9, len(TAILS)), np.linspace(0.6, 0.95, len(TAILS))])
    reaching = distribution.reaching(np.zeros(2), True, far_limits=far)
    for tail, limits in zip(TAILS, far, strict=True):
        np.testing.assert_allclose(reaching.interval(1.0 - 2.0 * tail)[1], limits, atol=1e-9)
    ends = reaching.interval(0.9)
    np.testing.assert_allclose(reaching.reversed().interval(0.9), ends[:, ::-1])
    np.testing.assert_allclose(reaching.scaled(3.0).interval(0.9), 3.0 * ends)
    parts = [reaching.between(j, j, 0.0) for j in range(2)]
    np.testing.assert_allclose(WeightedDraws.side_by_side(parts).interval(0.9), ends)
    mean = WeightedDraws(draws.mean(axis=1, keepdims=True), distribution.weights)
    assert mean.reaching_like(parts).interval(0.9)[1, 0] == pytest.approx(ends[1].mean())
