"""Curves of a sample whose labels are all known, against scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate
from sklearn import metrics as oracle

from sklearn_spe.data._sample import MAX_SCORES, ScoreSample
from sklearn_spe.metrics._ranking import AveragePrecision, RocAuc
from sklearn_spe.posterior._operating_points import (
    precision_at_recall,
    recall_at_precision,
    sample_operating_points,
)
from sklearn_spe.posterior._registry import CURVES

EVERY_CURVE = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
RECALLS = np.r_[np.arange(1, 101) / 100, 1.0 / 3.0, 1e-9]
RATES = np.r_[np.linspace(0.0, 1.0, 101), 1.0 / 3.0, 1e-9]
WEIGHTS = pytest.mark.parametrize("weighted", [False, True], ids=["items", "weights"])


def tied_items(seed, weighted, n=50):
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    scores = np.round(rng.normal(labels, 1.0), 1)
    return labels, scores, rng.uniform(0.1, 3.0, n) if weighted else np.ones(n)


def points_of(labels, scores, weights):
    sample = ScoreSample.from_items(scores, labels, weights)
    return sample_operating_points(sample, sample.positive[np.newaxis])


@WEIGHTS
def test_operating_points_are_the_confusion_matrices_of_all_thresholds(
    global_random_seed, weighted
):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    points = points_of(labels, scores, weights)
    for j, threshold in enumerate(np.unique(scores)[::-1]):
        (tn, fp), (fn, tp) = oracle.confusion_matrix(
            labels, scores >= threshold, sample_weight=weights
        )
        counts = [points.tp[0, j], points.fp[0, j], *points.n_positive[0], *points.n_negative[0]]
        assert_allclose(counts, [tp, fp, tp + fn, fp + tn], atol=1e-12)


@WEIGHTS
def test_precision_at_recall_is_that_of_the_highest_threshold_that_reaches_it(
    global_random_seed, weighted
):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    precision, recall, _ = oracle.precision_recall_curve(labels, scores, sample_weight=weights)
    value = precision_at_recall(points_of(labels, scores, weights), RECALLS)[0]
    # The curve of scikit-learn runs from low to high thresholds, and ends in (0, 1).
    expected = [precision[:-1][recall[:-1] >= r - 1e-12][-1] for r in RECALLS]
    assert_allclose(value, expected, atol=1e-12)


@WEIGHTS
def test_recall_at_precision_is_the_largest_that_keeps_it(global_random_seed, weighted):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    precision, recall, _ = oracle.precision_recall_curve(labels, scores, sample_weight=weights)
    wanted = np.linspace(0.02, 0.98, 25)
    value = recall_at_precision(points_of(labels, scores, weights), wanted)[0]
    for p, found in zip(wanted, value, strict=True):
        kept = recall[:-1][precision[:-1] >= p]
        expected = kept.max() if len(kept) else np.nan
        assert_allclose(found, expected, atol=1e-12)


@WEIGHTS
def test_roc_curve_equals_that_of_scikit_learn(global_random_seed, weighted):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    fpr, tpr, _ = oracle.roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    value = CURVES["roc"].value(points_of(labels, scores, weights), RATES)[0]
    assert_allclose(value, np.interp(RATES, fpr, tpr), atol=1e-12)


@WEIGHTS
def test_det_curve_passes_through_all_points_of_scikit_learn(global_random_seed, weighted):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    fpr, fnr, _ = oracle.det_curve(labels, scores, sample_weight=weights)
    rates = np.unique(fpr)
    value = CURVES["det"].value(points_of(labels, scores, weights), rates + 1e-13)[0]
    # Where the rate of false positives stands still the curve is at its lower end.
    assert_allclose(value, [fnr[fpr == rate].min() for rate in rates], atol=1e-10)


def test_det_curve_is_the_roc_curve_upside_down(global_random_seed):
    points = points_of(*tied_items(global_random_seed, True))
    roc, det = (CURVES[name].value(points, RATES) for name in ("roc", "det"))
    assert_allclose(det, 1.0 - roc, atol=1e-15)


@WEIGHTS
def test_area_under_the_curve_is_the_number(global_random_seed, weighted):
    labels, scores, weights = tied_items(global_random_seed, weighted)
    points = points_of(labels, scores, weights)
    fine = np.linspace(0.0, 1.0, 100_001)
    area = integrate.trapezoid
    roc = CURVES["roc"].value(points, fine)[0]
    # A rising step of height h on a grid of spacing d is off by at most h d / 2.
    assert_allclose(area(roc, fine), RocAuc().value(points.tp, points.fp)[0], atol=1e-5)
    steps = precision_at_recall(points, (fine[1:] + fine[:-1]) / 2.0)[0]
    tolerance = len(labels) * 1e-5
    expected = AveragePrecision().value(points.tp, points.fp)[0]
    assert_allclose(steps.mean(), expected, atol=tolerance)


@pytest.mark.parametrize(("name", "label"), [("roc", 0), ("roc", 1), ("det", 0), ("det", 1)])
@WEIGHTS
def test_roc_is_undefined_with_one_class(name, label, weighted, global_random_seed):
    _, scores, weights = tied_items(global_random_seed, weighted)
    points = points_of(np.full(len(scores), label), scores, weights)
    assert np.isnan(CURVES[name].value(points, RATES)).all()


def test_precision_at_recall_is_undefined_without_a_positive(global_random_seed):
    _, scores, weights = tied_items(global_random_seed, False)
    points = points_of(np.zeros(len(scores), dtype=int), scores, weights)
    assert np.isnan(precision_at_recall(points, RECALLS)).all()


# --- what every entry of CURVES promises -----------------------------------------------


@EVERY_CURVE
def test_name_of_a_curve_is_its_key(curve):
    assert CURVES[curve.name] is curve
    assert curve.x_name != curve.y_name


@EVERY_CURVE
@pytest.mark.parametrize("n_points", [2, 50, 200])
def test_grid_of_a_curve_rises_within_zero_and_one(curve, n_points):
    grid = curve.grid(n_points)
    assert grid.shape == (n_points,)
    assert (np.diff(grid) > 0.0).all()
    assert grid[0] >= 0.0
    assert grid[-1] == 1.0


@EVERY_CURVE
def test_curve_of_both_classes_is_defined_and_between_zero_and_one(curve, global_random_seed):
    value = curve.value(points_of(*tied_items(global_random_seed, True)), curve.grid(50))
    assert value.shape == (1, 50)
    assert (value >= -1e-12).all()
    assert (value <= 1.0 + 1e-12).all()


@EVERY_CURVE
def test_curve_depends_on_the_order_of_the_scores_only(curve, global_random_seed):
    labels, scores, weights = tied_items(global_random_seed, True)
    grid = curve.grid(50)
    value = curve.value(points_of(labels, scores, weights), grid)
    moved = curve.value(points_of(labels, np.exp(3.0 * scores) - 7.0, weights), grid)
    assert_allclose(moved, value, atol=0.0)


@EVERY_CURVE
def test_weighted_curve_is_that_of_repeated_items(curve, global_random_seed):
    labels, scores, _ = tied_items(global_random_seed, False)
    repeats = np.random.default_rng(global_random_seed).integers(1, 5, len(labels))
    weighted = curve.value(points_of(labels, scores, repeats.astype(float)), curve.grid(50))
    repeated = points_of(*(np.repeat(a, repeats) for a in (labels, scores, np.ones(len(labels)))))
    assert_allclose(curve.value(repeated, curve.grid(50)), weighted, atol=1e-12)


# --- grouped scores --------------------------------------------------------------------


def grouping(seed, n=9000, n_cells=4096):
    """Return fine and grouped cells of the same completely labelled sample, and its groups."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.1).astype(float)
    scores = rng.normal(2.0 * labels, 1.0)
    fine = ScoreSample.from_items(scores, np.full(n, -1), np.ones(n))
    positive = labels[np.argsort(scores)]
    coarse = fine.grouped(n_cells)
    firsts = np.searchsorted(fine.scores, coarse.lower)
    return fine, positive, coarse, np.add.reduceat(positive, firsts), firsts


def test_grouping_changes_curves_by_less_than_the_groups_allow(global_random_seed):
    fine, positive, coarse, merged, firsts = grouping(global_random_seed)
    assert coarse.n_cells < fine.n_cells
    exact = sample_operating_points(fine, positive[np.newaxis])
    grouped = sample_operating_points(coarse, merged[np.newaxis])
    assert_allclose(coarse.counts, np.add.reduceat(fine.counts, firsts))

    # Within a group the precision is highest if its positives come first, and lowest if last.
    tp, n = grouped.tp[0], (grouped.tp + grouped.fp)[0]
    new_tp, new = np.diff(np.r_[0.0, tp]), np.diff(np.r_[0.0, n])
    highest = tp / np.maximum(n - (new - new_tp), 1.0)
    lowest = np.where(new_tp > 0.0, (tp - new_tp + 1.0) / (n - new_tp + 1.0), 0.0)
    slack = np.maximum(highest - tp / n, tp / n - lowest) * (new_tp > 0.0)
    bound = np.sum(slack * new_tp) / tp[-1]
    values = [AveragePrecision().value(p.tp, p.fp)[0] for p in (exact, grouped)]
    assert abs(values[0] - values[1]) <= bound + 1e-12
    assert bound < 5e-3

    recalls = np.arange(1, 201) / 200
    difference = np.abs(precision_at_recall(exact, recalls) - precision_at_recall(grouped, recalls))
    at = np.searchsorted(tp / tp[-1], recalls)
    assert (difference[0] <= slack[at] + 1e-12).all()
    assert difference.max() < 0.03


def test_grouping_moves_average_precision_and_the_bulk_of_the_curve_by_nothing_that_is_seen(
    global_random_seed,
):
    fine, positive, coarse, merged, _ = grouping(global_random_seed)
    points = [
        sample_operating_points(cells, p[np.newaxis])
        for cells, p in ((fine, positive), (coarse, merged))
    ]
    precise, grouped = (AveragePrecision().value(p.tp, p.fp)[0] for p in points)
    assert abs(precise - grouped) < 1e-3
    recalls = np.arange(1, 201) / 200
    precise, grouped = (precision_at_recall(p, recalls) for p in points)
    assert np.abs(precise - grouped).mean() < 1e-3


def test_groups_never_straddle_an_edge_nor_swallow_a_label(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, codes = rng.normal(size=9000), np.full(9000, -1)
    codes[[10, 20]] = 0, 1
    fine = ScoreSample.from_items(scores, codes, np.ones(9000))
    edges = rng.choice(scores, 30, replace=False)
    coarse = fine.grouped(500, edges)
    for edge in edges:
        above = np.searchsorted(coarse.lower, edge)
        assert coarse.counts[above:].sum() == np.sum(scores >= edge)
    assert coarse.scores[coarse.negative > 0.0].tolist() == [scores[10]]
    assert coarse.scores[coarse.positive > 0.0].tolist() == [scores[20]]


def test_grouping_does_not_bias_the_average_precision_of_a_few_positives(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_positive, n_samples = 20_000, 20, 60
    order = np.arange(n, dtype=float)
    fine = ScoreSample.from_items(order, np.full(n, -1), np.ones(n))
    cells = fine.grouped_for_completions()
    assert cells.n_cells < n
    firsts = np.searchsorted(fine.scores, cells.lower)

    ratios = np.empty(n_samples)
    for i in range(n_samples):
        # All of them below some hundred negatives, where the cells are of several items.
        places = n - 1 - rng.choice(np.arange(100, 600), n_positive, replace=False)
        labels = np.bincount(places, minlength=n)
        points = sample_operating_points(cells, np.add.reduceat(labels, firsts)[np.newaxis])
        steps = cells.single[::-1]
        grouped = AveragePrecision().value(points.tp, points.fp, steps=steps)[0]
        ratios[i] = grouped / oracle.average_precision_score(labels, order)
    error = ratios.std(ddof=1) / np.sqrt(n_samples)
    # The ranks within a cell bend by a few parts in ten thousand.
    assert abs(ratios.mean() - 1.0) < 5.0 * error + 1e-3


def test_average_precision_that_labels_settle_does_not_depend_on_cells(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_labeled = 20_000, 400
    scores = rng.standard_normal(n)
    top = np.argsort(scores)[-n_labeled:]
    labels = np.zeros(n, dtype=int)
    labels[rng.choice(top, 30, replace=False)] = 1
    codes = np.full(n, -1)
    codes[top] = labels[top]
    cells = ScoreSample.from_items(scores, codes, np.ones(n)).grouped_for_completions()
    assert cells.n_cells < n / 10

    points = sample_operating_points(cells, cells.positive[np.newaxis])
    steps = cells.single[::-1]
    value = AveragePrecision().value(points.tp, points.fp, steps=steps)[0]
    assert_allclose(value, oracle.average_precision_score(labels, scores), rtol=1e-9)


def test_cells_of_completions_are_few_however_many_labels_there_are():
    n = 30_000
    codes = np.zeros(n, dtype=int)
    codes[::10] = -1
    cells = ScoreSample.from_items(np.arange(n, dtype=float), codes, np.ones(n))
    assert cells.grouped_for_completions().n_cells <= MAX_SCORES
