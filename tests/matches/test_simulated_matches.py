"""Segmentation matches: one claim an object, boxes that flatter masks, systems that are close."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from sklearn.metrics import average_precision_score

from sklearn_spe.matches import make_segmentation_matches

DETECTIONS = ("system", "image", "category", "score", "object", "coarse_overlap", "overlap")
AREAS = ("detection_area", "object_area")
OBJECTS = ("object_category", "object_image", "object_fill")
IMAGE_AREA = 480 * 640
THRESHOLDS = np.arange(0.5, 0.96, 0.05)
# The chance of a false alarm of each statistical assertion below.
ALARM = 1e-6


@pytest.fixture(scope="module")
def data(global_random_seed):
    return make_segmentation_matches(random_state=global_random_seed)


def average_precisions(data, overlap):
    """Return average precisions of the shape (n_systems, n_categories, n_thresholds)."""
    n_objects = np.bincount(data.object_category)
    found = np.zeros((data.system.max() + 1, len(n_objects), len(THRESHOLDS)))
    for system, category in np.ndindex(*found.shape[:2]):
        rows = np.flatnonzero((data.system == system) & (data.category == category))
        rows = rows[np.argsort(-data.score[rows])]
        right = overlap[rows, np.newaxis] >= THRESHOLDS
        ranks = np.arange(1, len(rows) + 1)[:, np.newaxis]
        precision = right.cumsum(axis=0) / ranks
        found[system, category] = (right * precision).sum(axis=0) / n_objects[category]
    return found


def mean_average_precisions(data, overlap):
    return average_precisions(data, overlap).mean(axis=(1, 2))


def test_columns_are_of_one_length_and_in_bounds(data):
    assert set(data) == {*DETECTIONS, *AREAS, *OBJECTS}
    assert len({len(data[name]) for name in (*DETECTIONS, *AREAS)}) == 1
    assert len({len(data[name]) for name in OBJECTS}) == 1
    for name in ("system", "image", "category", "object", "object_category", "object_image"):
        assert data[name].dtype == np.int64
    for name in ("score", "coarse_overlap", "overlap", "object_fill"):
        assert ((data[name] >= 0.0) & (data[name] <= 1.0)).all()
    assert (data.object_fill > 0.0).all()
    assert set(data.system.tolist()) == set(range(4))
    assert set(data.image.tolist()) <= set(range(500))
    assert set(data.object_image.tolist()) == set(range(500))
    assert (np.diff(data.object_image) >= 0).all()
    # Each image has one object, and others by chance.
    expected, error = 500 * 4.0, np.sqrt(500 * 3.0)
    assert abs(len(data.object_image) - expected) < 4.9 * error


def test_a_system_matches_an_object_at_most_once_and_knows_what_it_is(data):
    matched_detections = data.object >= 0
    pairs = np.stack([data.system, data.object])[:, matched_detections]
    assert np.unique(pairs, axis=1).shape == pairs.shape
    matched = data.object[matched_detections]
    assert_array_equal(data.category[matched_detections], data.object_category[matched])
    assert_array_equal(data.image[matched_detections], data.object_image[matched])
    # An object has one box, whoever claims it.
    sizes = np.zeros(len(data.object_image))
    sizes[matched] = data.object_area[matched_detections]
    assert_array_equal(sizes[matched], data.object_area[matched_detections])


def test_what_matches_no_object_overlaps_none_and_scores_lower(data):
    errors = data.object == -1
    assert_array_equal(errors, data.object < 0)
    for name in ("coarse_overlap", "overlap", "object_area"):
        assert_array_equal(data[name] == 0.0, errors)
    assert np.median(data.score[errors]) < 0.6 * np.median(data.score[~errors])
    expected = 0.8 * len(data.object_image) * 4
    assert abs(errors.sum() - expected) < 4.9 * np.sqrt(expected)


def test_boxes_fit_into_images_and_are_as_alike_as_their_overlap_says(data):
    assert (data.detection_area > 0.0).all()
    assert max(data.detection_area.max(), data.object_area.max()) <= IMAGE_AREA * (1.0 + 1e-12)
    matched_detections = data.object >= 0
    ratio = (data.detection_area / np.where(matched_detections, data.object_area, 1.0))[
        matched_detections
    ]
    most = np.minimum(ratio, 1.0 / ratio)
    assert (data.coarse_overlap[matched_detections] <= most * (1.0 + 1e-12)).all()


@pytest.mark.parametrize("long_tail", [0.0, 1.0])
def test_categories_have_a_long_tail(long_tail, global_random_seed):
    data = make_segmentation_matches(long_tail=long_tail, random_state=global_random_seed)
    share = np.arange(1.0, 11.0) ** -long_tail
    counts = np.bincount(data.object_category, minlength=10)
    expected = share / share.sum() * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > ALARM


def test_average_precision_by_hand_is_that_of_scikit_learn(data):
    # Scikit-learn counts the positives among the detections only.
    by_hand = average_precisions(data, data.overlap)
    rows = (data.system == 2) & (data.category == 1)
    right = data.overlap[rows] >= THRESHOLDS[3]
    recall = right.sum() / (data.object_category == 1).sum()
    assert_allclose(
        by_hand[2, 1, 3], recall * average_precision_score(right, data.score[rows]), rtol=1e-12
    )


def test_systems_are_close_and_boxes_flatter_each_by_another_amount(global_random_seed):
    levels, gaps, errors = [], [], []
    rng = np.random.default_rng(global_random_seed)
    for _ in range(8):
        data = make_segmentation_matches(random_state=rng)
        true = mean_average_precisions(data, data.overlap)
        levels.append(true)
        gaps.append(np.mean([abs(a - b) for a, b in combinations(true, 2)]))
        errors.append(mean_average_precisions(data, data.coarse_overlap) - true)
    # About 0.41, 0.036 and 0.07: five standard errors of means of eight.
    assert 0.34 < np.mean(levels) < 0.48
    assert 0.015 < np.mean(gaps) < 0.06
    assert 0.05 < np.mean(errors) < 0.1
    assert np.min(errors) > 0.0
    assert np.max(errors) < 0.2
    assert 0.005 < np.std(errors, axis=1).mean() < 0.03


def test_masks_lose_most_where_objects_are_thin_or_small(data):
    matched_detections = data.object >= 0
    loss = (data.coarse_overlap - data.overlap)[matched_detections]
    log_odds = special.logit(data.coarse_overlap[matched_detections]) - special.logit(
        data.overlap[matched_detections]
    )
    for measure in (
        data.object_fill[data.object[matched_detections]],
        data.object_area[matched_detections],
    ):
        low, high = np.quantile(measure, [0.25, 0.75])
        assert loss[measure < low].mean() > loss[measure > high].mean() + 0.03
        assert log_odds[measure < low].std() > 1.2 * log_odds[measure > high].std()


def test_overlaps_of_box_and_mask_and_of_systems_go_together(data):
    matched_detections = data.object >= 0
    assert (
        0.7
        < np.corrcoef(data.overlap[matched_detections], data.coarse_overlap[matched_detections])[
            0, 1
        ]
        < 0.9
    )
    overlaps = np.full((4, len(data.object_image)), np.nan)
    overlaps[data.system[matched_detections], data.object[matched_detections]] = data.overlap[
        matched_detections
    ]
    for one, other in combinations(overlaps, 2):
        both = np.isfinite(one) & np.isfinite(other)
        assert np.corrcoef(one[both], other[both])[0, 1] > 0.3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_images": 0}, ValueError, "n_images must be at least 1, got 0"),
        ({"n_categories": 1.5}, TypeError, "n_categories must be a whole number"),
        ({"n_systems": 0}, ValueError, "n_systems must be at least 1, got 0"),
        ({"objects_per_image": 0.5}, ValueError, "objects_per_image must lie in \\[1, 1e6\\]"),
        ({"long_tail": -1.0}, ValueError, "long_tail must lie in \\[0, inf\\), got -1.0"),
        ({"false_positives": np.nan}, ValueError, "false_positives must lie in \\[0, 1e6\\]"),
        ({"quality_spread": -0.1}, ValueError, "quality_spread must lie in \\[0, 1\\]"),
        ({"coarse_bias": np.inf}, ValueError, "coarse_bias must lie in \\(-inf, inf\\), got inf"),
        ({"coarse_bias": "much"}, TypeError, "coarse_bias must be a number"),
        ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
    ],
)
def test_bad_input_is_named(options, error, message):
    with pytest.raises(error, match=message):
        make_segmentation_matches(**{"n_images": 5, **options})
