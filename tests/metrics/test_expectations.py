"""Expectations of metrics against scikit-learn and against the list of all labellings."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as oracle

from sklearn_spe.metrics import FBeta, RatioMetric, ThresholdMetric
from sklearn_spe.metrics._decision import Precision
from sklearn_spe.metrics._expectation import ExpectedRatio, LabelDistribution
from sklearn_spe.metrics._ranking import AveragePrecision
from sklearn_spe.metrics._registry import METRICS, as_metric
from tests.metrics.distributions import (
    METRICS_WITH_EXPECTATION,
    above_of,
    completed,
    items_of,
    labelings,
    make_distribution,
    values_of,
)

METRICS_HERE = [*METRICS_WITH_EXPECTATION, FBeta(2.0), FBeta(0.0)]
EVERY = pytest.mark.parametrize("metric", METRICS_HERE, ids=lambda metric: metric.name)
# Few cells of tied items, and one item a cell with empty cells among them.
CELLS = (5, 20)


def laws_of(seed):
    """Return laws of tied items, of neighbours, and of items that are mostly alone."""
    few = {"n_unlabeled": 5}
    return [
        make_distribution(seed, **few),
        make_distribution(seed, single=False, **few),
        make_distribution(seed, 20, single=False, **few),
    ]


def denominator_is_fixed(metric, n_positive=None):
    distribution = make_distribution(0)  # any law tells
    given = None if n_positive is None else np.array([n_positive])
    return not np.any(
        metric.expected_ratio(distribution, above_of(metric, distribution), given).denominator_slope
    )


EXACT = [metric for metric in METRICS_HERE if denominator_is_fixed(metric)]
RATIOS = [metric for metric in METRICS_HERE if metric not in EXACT]
EXACT_GIVEN_POSITIVES = [metric for metric in METRICS_HERE if denominator_is_fixed(metric, 4.0)]


# --- all labels known ------------------------------------------------------------------


@EVERY
def test_with_all_labels_known_it_is_the_value(metric, global_random_seed):
    for n_cells in CELLS:
        distribution = make_distribution(global_random_seed, n_cells)
        positives, _ = labelings(distribution)
        expected = values_of(metric, distribution, positives)
        assert np.isfinite(expected).all()
        # Every eleventh of 128 names enough of them.
        for row, value in zip(positives[::11], expected[::11], strict=True):
            known = completed(distribution, row)
            for n_positive in (None, row.sum()):
                got = metric.expectation(
                    known, above_of(metric, distribution), n_positive=n_positive
                )
                # A coefficient of agreement may be nothing but rounding.
                assert_allclose(got, [value], rtol=1e-13, atol=1e-14)
            assert np.all(metric.gradient(known, above_of(metric, distribution)) == 0.0)


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (as_metric("average_precision"), oracle.average_precision_score),
        (as_metric("roc_auc"), oracle.roc_auc_score),
        (as_metric("precision"), oracle.precision_score),
        (as_metric("recall"), oracle.recall_score),
        (as_metric("f1"), oracle.f1_score),
        (FBeta(2.0), lambda y, called: oracle.fbeta_score(y, called, beta=2.0)),
        (as_metric("accuracy"), oracle.accuracy_score),
        (as_metric("specificity"), lambda y, called: oracle.recall_score(y, called, pos_label=0)),
        (as_metric("balanced_accuracy"), oracle.balanced_accuracy_score),
        (as_metric("matthews_corrcoef"), oracle.matthews_corrcoef),
        (as_metric("cohen_kappa"), oracle.cohen_kappa_score),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_with_all_labels_known_it_equals_scikit_learn(metric, score, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    positive, negative = rng.integers(0, 4, (2, 8)) + np.eye(8)[0]
    distribution = LabelDistribution(np.zeros(8), rng.uniform(size=8), positive, negative)
    labels, scores = items_of(positive, negative)
    if isinstance(metric, ThresholdMetric):
        above = np.arange(8) <= 3
        expected = score(labels, scores >= -3)
    else:
        above, expected = None, score(labels, scores)
    assert_allclose(metric.expectation(distribution, above), [expected], atol=1e-12)


# --- against all labellings ------------------------------------------------------------


@pytest.mark.parametrize("metric", EXACT, ids=lambda metric: metric.name)
def test_it_is_the_mean_of_all_labelings_where_the_denominator_is_fixed(metric, global_random_seed):
    for n_cells in CELLS:
        distribution = make_distribution(global_random_seed, n_cells)
        positives, chance = labelings(distribution)
        expected = np.sum(chance * values_of(metric, distribution, positives))
        assert_allclose(
            metric.expectation(distribution, above_of(metric, distribution)), [expected], atol=1e-12
        )


def test_what_is_said_to_be_exact_is():
    assert {"accuracy", "precision", "prevalence", "precision_at_k"} <= {m.name for m in EXACT}
    names = {"average_precision", "recall", "f1", "roc_auc", "balanced_accuracy", "cohen_kappa"}
    assert names <= {m.name for m in RATIOS} & {m.name for m in EXACT_GIVEN_POSITIVES}


@pytest.mark.parametrize("metric", EXACT_GIVEN_POSITIVES, ids=lambda metric: metric.name)
def test_it_is_exact_given_the_number_of_positives(metric, global_random_seed):
    # Of a metric whose denominator is then fixed, the mean over labellings.
    for distribution in laws_of(global_random_seed):
        positives, chance = labelings(distribution)
        task = {"above": above_of(metric, distribution), "n_positive": 4.0}
        rows = [metric.expectation(completed(distribution, row), **task)[0] for row in positives]
        assert_allclose(
            metric.expectation(distribution, **task), [np.sum(chance * rows)], atol=1e-12
        )
        # Each draw may have a number of its own.
        twice = replace(distribution, probability=np.repeat(distribution.probability, 2, axis=0))
        task["n_positive"] = np.array([4.0, 3.0])
        assert_allclose(metric.expectation(twice, **task)[0], np.sum(chance * rows), atol=1e-12)
        alone = metric.expectation(distribution, task["above"], n_positive=3.0)
        assert_allclose(metric.expectation(twice, **task)[1:], alone, rtol=1e-13, atol=1e-14)


def test_average_precision_times_the_positives_is_that_of_scikit_learn(global_random_seed):
    distribution = make_distribution(global_random_seed, n_known=2)
    positives, chance = labelings(distribution)
    areas = [
        row.sum() * oracle.average_precision_score(*items_of(row, distribution.counts - row))
        for row in positives
    ]
    got = AveragePrecision().expectation(distribution, n_positive=5.0)
    assert_allclose(got, [np.sum(chance * areas) / 5.0], atol=1e-12)
    # In short: by the expected positives at or above each cell, and the variance within it.
    reached, n_reached = np.cumsum(distribution.mean, axis=1), np.cumsum(distribution.counts)
    short = np.sum(
        (distribution.mean * reached + distribution.variance) / np.maximum(n_reached, 1.0)
    )
    assert_allclose(got, [short / 5.0], atol=1e-12)


@EVERY
def test_it_has_the_moments_of_all_labelings(metric, global_random_seed):
    for distribution in laws_of(global_random_seed):
        above = above_of(metric, distribution)
        positives, chance = labelings(distribution)
        rows = [
            metric.expected_ratio(completed(distribution, row), above, None) for row in positives
        ]
        a = np.array([np.ravel(row.numerator)[0] for row in rows])
        t = np.array([np.ravel(row.denominator)[0] for row in rows])
        mean_a, mean_t = np.sum(chance * a), np.sum(chance * t)
        covariance = np.sum(chance * (a - mean_a) * (t - mean_t))
        variance = np.sum(chance * (t - mean_t) ** 2)
        parts, q = metric.expected_ratio(distribution, above, None), rows[0].power
        assert_allclose(parts.plain, [mean_a / mean_t**q], rtol=1e-12, atol=1e-13)
        # Taylor's series of a / t^q.
        of_product, of_square = -q / mean_t ** (q + 1), q * (q + 1) / 2 * mean_a / mean_t ** (q + 2)
        expected = mean_a / mean_t**q + of_product * covariance + of_square * variance
        assert_allclose(metric.expectation(distribution, above), [expected], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("metric", RATIOS, ids=lambda metric: metric.name)
def test_the_correction_halves_the_error_of_the_plain_ratio_at_least(metric, global_random_seed):
    errors = []
    for number in range(30):
        distribution = make_distribution(
            [global_random_seed, number], n_unlabeled=9, n_known=4, least=0.2
        )
        above = above_of(metric, distribution)
        positives, chance = labelings(distribution)
        truth = np.sum(chance * values_of(metric, distribution, positives))
        plain = metric.expected_ratio(distribution, above, None).plain
        errors.append(np.ravel([plain - truth, metric.expectation(distribution, above) - truth]))
    plain, corrected = np.abs(errors).mean(axis=0)
    assert corrected < 0.5 * plain


# --- neighbours in a cell --------------------------------------------------------------


def neighbours(seed, size=6, n_cells=5):
    """Return the law of cells of neighbours, that of their items one by one, and cells that tie."""
    p = np.sort(np.random.default_rng(seed).uniform(0.05, 0.9, n_cells))[::-1]
    one_by_one = LabelDistribution(np.ones(size * n_cells), np.repeat(p, size))
    cells = np.full(n_cells, size)
    return LabelDistribution(cells, p, single=False), one_by_one, LabelDistribution(cells, p)


def tolerance_of_ranks(distribution):
    """Return by how much the middle rank of a cell misses the mean over its ranks.

    The item of rank r in a cell adds p (M + 1 + (r - 1) p) / (N + r) to the area. Its second
    derivative by r is at most that at r = 1, and the ranks have the variance (m^2 - 1) / 12.
    """
    p, m = distribution.probability[0], distribution.counts
    higher, n_higher = (np.cumsum(c) - c for c in (distribution.mean[0], m))
    bend = 2.0 * p * np.abs(higher + 1.0 - p - p * n_higher) / (n_higher + 1.0) ** 3
    return np.sum(m * bend / 2.0 * (m**2 - 1.0) / 12.0)


@EVERY
def test_cells_of_neighbours_stand_for_their_items(metric, global_random_seed):
    cells, items, _ = neighbours(global_random_seed)
    above = above_of(metric, cells)
    by_item = None if above is None else np.repeat(above, 6)
    task = {} if metric != AveragePrecision() else {"n_positive": 12.0}
    tolerance = 1e-12 if metric != AveragePrecision() else tolerance_of_ranks(cells) / 12.0
    got = metric.expectation(cells, above, **task)
    assert_allclose(got, metric.expectation(items, by_item, **task), atol=tolerance)


def test_neighbours_are_no_ties_to_average_precision(global_random_seed):
    cells, items, ties = neighbours(global_random_seed)
    truth, near, tied = (
        AveragePrecision().expectation(distribution, n_positive=12.0)[0]
        for distribution in (items, cells, ties)
    )
    assert abs(near - truth) < 0.5 * abs(tied - truth)
    gradients = [
        AveragePrecision().gradient(distribution, n_positive=12.0)[0]
        for distribution in (cells, ties)
    ]
    by_cell = AveragePrecision().gradient(items, n_positive=12.0)[0].reshape(-1, 6).mean(axis=1)
    near, tied = (np.abs(gradient - by_cell)[1:].max() for gradient in gradients)
    assert near < 0.5 * tied


# --- promises --------------------------------------------------------------------------


@EVERY
def test_every_draw_is_treated_on_its_own(metric, global_random_seed):
    distribution = make_distribution(global_random_seed, n_draws=4)
    above = above_of(metric, distribution)
    expectation, gradient = (
        metric.expectation(distribution, above),
        metric.gradient(distribution, above),
    )
    assert expectation.shape == (4,)
    assert gradient.shape == (4, 5)
    # How many items lie above a threshold is no matter of probabilities.
    assert len(np.unique(expectation)) == 4 or metric.name == "predicted_positives"
    for i, row in enumerate(distribution.probability):
        alone = LabelDistribution(
            distribution.unlabeled, row, distribution.positive, distribution.negative
        )
        assert_allclose(
            metric.expectation(alone, above), expectation[i : i + 1], rtol=1e-14, atol=1e-14
        )
        assert_allclose(metric.gradient(alone, above), gradient[i : i + 1], atol=1e-14)


@EVERY
def test_it_is_not_a_number_exactly_where_its_value_is_none(metric):
    for p in (0.0, 1.0):
        distribution = LabelDistribution(np.full(5, 3), np.full(5, p))
        (value,) = values_of(metric, distribution, distribution.mean)
        expectation = metric.expectation(distribution, above_of(metric, distribution))
        assert_allclose(expectation, [value], rtol=1e-14, equal_nan=True)
        gradient = metric.gradient(distribution, above_of(metric, distribution))
        assert np.all(np.isnan(gradient) == np.isnan(value))


@EVERY
def test_of_no_item_it_is_not_a_number_but_for_their_number(metric):
    distribution = LabelDistribution(np.zeros(3), np.full(3, 0.5))
    for found in (metric.expectation, metric.gradient):
        value = found(distribution, above_of(metric, distribution))
        assert (value == 0.0).all() if metric.counts_items else np.isnan(value).all()


@EVERY
def test_few_expected_positives_overflow_nowhere(metric):
    distribution = LabelDistribution(np.full(5, 3), np.full(5, 1e-300), negative=np.ones(5))
    assert metric.expectation(distribution, above_of(metric, distribution)).shape == (1,)
    assert np.isfinite(metric.gradient(distribution, above_of(metric, distribution))).any()


def test_every_metric_has_a_formula_or_says_to_draw_labels():
    without = {cls() for cls in METRICS.values()} - set(METRICS_WITH_EXPECTATION)
    assert {metric.name for metric in without} >= {"equal_error_rate", "precision_recall_slope"}
    for metric in without:
        for ask in (metric.expectation, metric.gradient):
            with pytest.raises(NotImplementedError, match=f"{metric.name}.* draw labels"):
                ask(make_distribution(0))


class Doubled(Precision):
    def value(self, tp, fp, n_positive, n_negative):
        return 2.0 * super().value(tp, fp, n_positive, n_negative)


class Own(ThresholdMetric):
    name = "own"

    def value(self, tp, fp, n_positive, n_negative):
        return tp - fp


class OwnRatio(RatioMetric):
    name = "own_ratio"
    numerator = (1.0, 0.0, 0.0, 0.0)
    denominator = (0.0, 2.0, 1.0, 1.0)


@pytest.mark.parametrize("metric", [Doubled(), Own()], ids=lambda metric: type(metric).__name__)
def test_a_value_of_its_own_has_no_formula(metric):
    distribution = make_distribution(0)
    assert not metric.has_expectation
    with pytest.raises(NotImplementedError, match="draw labels"):
        metric.expectation(distribution, above_of(metric, distribution))


def test_two_tuples_make_a_metric_with_an_expectation(global_random_seed):
    distribution = make_distribution(global_random_seed)
    positives, chance = labelings(distribution)
    truth = np.sum(chance * values_of(OwnRatio(), distribution, positives))
    assert OwnRatio().value(3.0, 2.0, 5.0, 6.0) == 3.0 / 15.0
    assert (
        abs(OwnRatio().expectation(distribution, above_of(OwnRatio(), distribution))[0] - truth)
        < 0.005
    )


@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS_HERE if isinstance(m, RatioMetric)] + [OwnRatio()],
    ids=lambda metric: metric.name,
)
def test_a_ratio_is_the_sum_of_what_each_item_adds(metric, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    z, above = rng.integers(0, 2, (2, 40))
    numerator, denominator = (terms[z, above].sum() for terms in metric.item_terms())
    counts = [np.sum(above * z), np.sum(above * (1 - z)), np.sum(z), np.sum(1 - z)]
    assert_allclose(numerator / denominator, metric.value(*counts), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "above", "message"),
    [
        ("recall", None, "'recall' needs above="),
        ("recall", [1.0, 0.0], r"above must have shape \(5,\), got \(2,\)"),
        ("recall", [1.0, 1.0, 1.2, 0.0, 0.0], r"above must lie in \[0, 1\]"),
        ("recall", [1.0, 1.0, np.nan, 0.0, 0.0], r"above must lie in \[0, 1\]"),
        ("roc_auc", [1.0, 1.0, 0.0, 0.0, 0.0], "'roc_auc' is a metric of the ranking"),
    ],
)
def test_a_threshold_is_for_the_metrics_that_have_one(name, above, message):
    for ask in (as_metric(name).expectation, as_metric(name).gradient):
        with pytest.raises(ValueError, match=message):
            ask(make_distribution(0), above)


def test_the_parts_of_a_ratio_are_there_to_be_read(global_random_seed):
    distribution = make_distribution(global_random_seed, n_draws=3)
    parts = as_metric("recall").expected_ratio(
        distribution, np.array([1.0, 1.0, 0.0, 0.0, 0.0]), None
    )
    assert isinstance(parts, ExpectedRatio)
    assert_allclose(parts.plain, distribution.mean[:, :2].sum(axis=1) / distribution.n_positive)
