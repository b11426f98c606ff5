"""JSON of COCO and LVIS: matches by hand, masks by areas in closed form, counts coded and back."""

import json
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector
from sklearn_spe.matches import SegmentationMatches
from sklearn_spe.matches._coco import box_of, mask_of, overlaps_of_boxes
from tests.quick import QUIET

pytestmark = QUIET
CATEGORIES = [{"id": 18, "name": "dog"}, {"id": 3, "name": "car"}]


def rectangle(x, y, width, height):
    """Return the polygon of a box."""
    return [[x, y, x + width, y, x + width, y + height, x, y + height]]


def record(box, category=3, image=1, masked=True, **others):
    """Return an object or a detection, whose mask fills its box."""
    masks = {"segmentation": rectangle(*box)} if masked else {}
    return {"image_id": image, "category_id": category, "bbox": list(box), **masks, **others}


def annotated(*objects, **image):
    """Return annotations of two images."""
    images = [{"id": i, "height": 60, "width": 80, **image} for i in (1, 2)]
    numbered = [{"id": 100 + i, **one} for i, one in enumerate(objects)]
    return {"images": images, "categories": CATEGORIES, "annotations": numbered}


OBJECTS = (record((10, 10, 20, 20)), record((12, 10, 20, 20)), record((0, 0, 8, 8), 18, image=2))


def test_detections_take_objects_by_decreasing_score_and_each_once():
    results = [
        record((12, 10, 20, 20), score=0.3),  # the second object, exactly; but it comes last
        record((12, 10, 20, 20), score=0.8),
        record((10, 10, 20, 20), score=0.9, category=18),  # of another category
        record((0, 0, 8, 4), 18, image=2, score=0.5),
        record((70, 50, 5, 5), score=0.7),
    ]
    matches = SegmentationMatches.from_coco(annotated(*OBJECTS), results)
    by_place = dict(zip(matches.detection_index.tolist(), matches.object.tolist(), strict=True))
    assert by_place == {1: 1, 0: 0, 2: -1, 3: 2, 4: -1}
    overlap = dict(zip(matches.detection_index.tolist(), matches.coarse_overlap, strict=True))
    # Boxes of 20 by 20, two apart: 18 in 22 columns.
    assert_allclose([overlap[i] for i in range(5)], [18 / 22, 1.0, 0.0, 0.5, 0.0])
    assert_array_equal(matches.object_category, [0, 0, 1])
    assert_array_equal(matches.object_id, [100, 101, 102])
    # The size of the box, and its ratio to that of the object.
    row = matches.detection_index.tolist().index(3)
    assert_allclose(matches.features[row], [np.log(32.0), np.log(0.5)])


def test_boxes_that_hardly_overlap_are_no_match():
    results = [record((10, 28, 20, 20), score=0.9)]
    least = 2 / 38
    for min_overlap, match in ((least * 0.99, 0), (least * 1.01, -1)):
        matches = SegmentationMatches.from_coco(
            annotated(OBJECTS[0]), results, min_overlap=min_overlap
        )
        assert matches.object.tolist() == [match]


def test_systems_are_named_and_files_are_read(tmp_path):
    annotations, both = annotated(*OBJECTS), {}
    for name in ("b", "a"):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps([record((10, 10, 20, 20), score=0.9)]), encoding="utf-8")
        both[name] = path
    path = tmp_path / "objects.json"
    path.write_text(json.dumps(annotations), encoding="utf-8")
    matches = SegmentationMatches.from_coco(str(path), both, thresholds=[0.5, 0.75])
    assert_array_equal(matches.system, [0, 1])
    assert_array_equal(matches.object, [0, 0])
    assert_array_equal(matches.thresholds, [0.5, 0.75])


def test_detections_in_a_crowd_count_only_if_they_find_an_object():
    crowd = record((0, 0, 80, 60), iscrowd=1)
    annotations = annotated(OBJECTS[0], crowd)
    results = [record((10, 10, 20, 20), score=0.9), record((40, 30, 10, 10), score=0.8)]
    matches = SegmentationMatches.from_coco(annotations, results)
    assert_array_equal(matches.detection_index, [0])
    assert matches.n_objects == 1


@pytest.mark.parametrize(
    ("image", "counted"),
    [
        ({"neg_category_ids": [18]}, True),
        ({"neg_category_ids": []}, False),
        ({"neg_category_ids": [18], "not_exhaustive_category_ids": [18]}, False),
        ({}, True),
    ],
    ids=str,
)
def test_categories_that_lvis_did_not_look_for_are_ignored(image, counted):
    results = [record((10, 10, 20, 20), score=0.9), record((10, 10, 20, 20), 18, score=0.8)]
    matches = SegmentationMatches.from_coco(annotated(OBJECTS[0], **image), results)
    assert (1 in matches.detection_index) == counted
    assert 0 in matches.detection_index


# --- masks ----------------------------------------------------------------------------------------


def by_even_odd(points, height, width):
    """Return the pixels whose center has an odd number of edges to its left, one by one."""
    mask = np.zeros((height, width), dtype=bool)
    for row, column in product(range(height), range(width)):
        x, y = column + 0.5, row + 0.5
        for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
            if (y0 <= y) != (y1 <= y):
                mask[row, column] ^= x0 + (y - y0) / (y1 - y0) * (x1 - x0) <= x
    return mask


def test_polygons_are_filled_by_the_even_odd_rule(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for n_points in (3, 4, 9):
        # Also beyond the image, and crossing itself.
        points = rng.uniform(-5.0, 25.0, (n_points, 2))
        mask = mask_of([points.ravel().tolist()], (18, 22))
        assert_array_equal(mask, by_even_odd(points, 18, 22))


def compressed(counts):
    """Return counts as COCO writes them: six bits a character, differences from the third on."""
    text = ""
    for i, count in enumerate(counts):
        value = count - counts[i - 2] if i > 2 else count
        more = True
        while more:
            bits = value & 0x1F
            value >>= 5
            more = value != (-1 if bits & 0x10 else 0)
            text += chr(48 + (bits | 0x20 if more else bits))
    return text


def counts_of(mask):
    """Return the run lengths of a mask, column by column, zeros first."""
    flat = np.concatenate([[0], mask.T.ravel().astype(int)])
    starts = np.flatnonzero(np.diff(flat)) if mask.any() else np.array([], dtype=int)
    return np.diff(np.concatenate([[0], starts, [mask.size]])).tolist()


def test_run_lengths_are_read_plain_and_compressed(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for share in (0.02, 0.5, 0.98):
        mask = rng.random((37, 53)) < share
        mask[0, 0] = False
        counts = counts_of(mask)
        for written in (counts, compressed(counts), compressed(counts).encode()):
            segmentation = {"size": [37, 53], "counts": written}
            assert_array_equal(mask_of(segmentation, None), mask)
    with pytest.raises(ValueError, match="add up to 5 pixels, and its size is 2 by 2"):
        mask_of({"size": [2, 2], "counts": [5]}, None)


def test_boxes_are_found_from_masks():
    assert_array_equal(box_of({"segmentation": rectangle(3, 4, 5, 6)}), [3, 4, 5, 6])
    mask = np.zeros((10, 12), dtype=bool)
    mask[4:9, 3:5] = True
    run_lengths = {"size": [10, 12], "counts": compressed(counts_of(mask))}
    assert_array_equal(box_of({"segmentation": run_lengths}), [3, 4, 2, 5])
    with pytest.raises(ValueError, match="image 4 has neither bbox nor segmentation"):
        box_of({"image_id": 4})


def test_overlaps_of_rectangles_by_boxes_and_by_masks_agree(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    places, sizes = rng.integers(0, 30, (2, 6, 2)), rng.integers(1, 30, (2, 6, 2))
    boxes = np.concatenate([places, sizes], axis=2).astype(float)
    overlaps = overlaps_of_boxes(*boxes)
    for i, j in product(range(6), range(6)):
        first, second = (mask_of(rectangle(*box), (60, 60)) for box in (boxes[0, i], boxes[1, j]))
        assert_allclose((first & second).sum() / (first | second).sum(), overlaps[i, j])


def test_true_overlaps_are_those_of_masks_where_both_have_one():
    masked = {**OBJECTS[0], "segmentation": rectangle(10, 10, 10, 20)}
    annotations = annotated(masked, record((50, 30, 8, 8), masked=False))
    results = [
        record((10, 10, 20, 20), score=0.9),
        record((50, 30, 8, 8), score=0.8),
        record((0, 50, 5, 5), score=0.7),
    ]
    matches = SegmentationMatches.from_coco(annotations, results)
    overlaps = matches.mask_overlaps(annotations, results)
    assert_array_equal(matches.detection_index, [0, 1, 2])
    assert_allclose(overlaps, [0.5, np.nan, 0.0])
    selector = ActiveTestSelector("average_precision", random_state=0, n_draws=40).fit(matches)
    (first,) = selector.query(1)
    asked = np.where(np.isnan(overlaps), 0.3, overlaps)
    selector.update([first], matches.overlaps_of(asked, [first]))
    assert selector.n_left_ == 1


@pytest.mark.parametrize(
    ("annotations", "results", "message"),
    [
        ({"images": []}, [], "annotations, categories are missing"),
        (annotated(OBJECTS[0]), {"a": {"image_id": 1}}, "'a' must be a list of detections"),
        (annotated(OBJECTS[0]), [record((0, 0, 1, 1), 5, score=1)], "category_id 5, which is not"),
        (annotated(OBJECTS[0]), [record((0, 0, 1, 1), image=9, score=1)], "image_id 9, which is"),
        (annotated(OBJECTS[0]), {"empty": []}, "Results 'empty' have no valid detection"),
        (annotated(), [], "annotations must contain objects"),
    ],
    ids=str,
)
def test_other_files_are_refused(annotations, results, message):
    with pytest.raises(ValueError, match=message):
        SegmentationMatches.from_coco(annotations, results)


def test_matches_by_hand_do_not_know_their_files():
    matches = SegmentationMatches([0.9], [0], [0], [0.8], [0])
    with pytest.raises(ValueError, match=r"create them with SegmentationMatches\.from_coco"):
        matches.mask_overlaps(annotated(OBJECTS[0]), [])
    with pytest.raises(ValueError, match="object_id must name the 1 objects"):
        SegmentationMatches([0.9], [0], [0], [0.8], [0], object_id=[1, 2])
