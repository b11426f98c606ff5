"""Annotations and results in the JSON of COCO and LVIS: boxes matched, masks compared."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

# A detection belongs to a crowd if the crowd covers this share of it.
CROWD_SHARE = 0.5
# Compressed counts hold five bits a character, and a bit for whether more follow.
FIRST_CHARACTER, DATA_BITS, MORE, SIGN = 48, 5, 0x20, 0x10


def match_boxes(annotations: Any, results: Any, min_overlap: float) -> dict[str, Any]:
    """Return the columns of detections and objects, matched by their boxes.

    Within an image and a category the detections of a system take, by decreasing score, the
    object with the largest overlap that none of them has. Detections that COCO and LVIS ignore are
    left out: those in a crowd, those of a category that LVIS did not look for in the image, and
    those without an object where it did not mark all of them.
    """
    annotations = _loaded(annotations, "annotations")
    categories = sorted(annotations["categories"], key=_id)
    codes = {category["id"]: code for code, category in enumerate(categories)}
    images = {image["id"]: image for image in annotations["images"]}
    objects = [record for record in annotations["annotations"] if not record.get("iscrowd", 0)]
    crowds = [record for record in annotations["annotations"] if record.get("iscrowd", 0)]
    if not objects:
        raise ValueError("annotations must contain objects outside of crowds, and have none.")
    objects_by_cell = _by_cell(objects)
    crowds_by_cell = _by_cell(crowds)
    boxes = np.array([box_of(record) for record in objects])

    columns: dict[str, list[Any]] = defaultdict(list)
    names = []
    for system, (name, detections) in enumerate(_systems(results)):
        names.append(name)
        _check_known(detections, images, codes, name)
        for (image, category), rows in _by_cell(detections).items():
            rows = sorted(rows, key=lambda row: -detections[row]["score"])
            detected = np.array([box_of(detections[row]) for row in rows])
            cell_objects = objects_by_cell.get((image, category), [])
            overlaps = overlaps_of_boxes(detected, boxes[cell_objects])
            match = _greedy(overlaps, min_overlap)

            # Detections without an object that COCO and LVIS ignore.
            cell_crowds = [crowds[i] for i in crowds_by_cell.get((image, category), [])]
            is_open = _is_unmarked(images[image], category, bool(cell_objects))
            is_ignored = (match < 0) & (_in_crowd(detected, cell_crowds) | is_open)

            for i in np.flatnonzero(~is_ignored):
                is_matched = match[i] >= 0
                columns["system"].append(system)
                columns["category"].append(codes[category])
                columns["score"].append(detections[rows[i]]["score"])
                columns["object"].append(cell_objects[match[i]] if is_matched else -1)
                columns["coarse_overlap"].append(overlaps[i, match[i]] if is_matched else 0.0)
                columns["area"].append(_areas(detected[i]))
                columns["detection_index"].append(rows[i])

    empty = sorted(set(range(len(names))) - set(columns["system"]))
    if empty:
        raise ValueError(
            f"Results {names[empty[0]]!r} have no valid detection: leave this system out."
        )
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    arrays["object_category"] = np.array([codes[record["category_id"]] for record in objects])
    arrays["object_id"] = np.array([record["id"] for record in objects])
    arrays["object_area"] = _areas(boxes)
    return arrays


def overlaps_of_masks(
    annotations: Any, results: Any, matches: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return the overlap of the masks of each detection and its object; NaN without a mask."""
    annotations = _loaded(annotations, "annotations")
    sizes = {one["id"]: (one["height"], one["width"]) for one in annotations["images"]}
    objects = {one["id"]: one for one in annotations["annotations"]}
    detections_of_system = [detections for _, detections in _systems(results)]

    overlaps = np.zeros(len(matches["object"]))
    for row in np.flatnonzero(matches["object"] >= 0):
        system = matches["system"][row]
        detection = detections_of_system[system][matches["detection_index"][row]]
        annotation = objects[matches["object_id"][matches["object"][row]]]
        if not (detection.get("segmentation") and annotation.get("segmentation")):
            overlaps[row] = np.nan
            continue

        # Intersection over union of both masks.
        size = sizes[annotation["image_id"]]
        detected = mask_of(detection["segmentation"], size)
        annotated = mask_of(annotation["segmentation"], size)
        union = np.count_nonzero(detected | annotated)
        overlaps[row] = np.count_nonzero(detected & annotated) / union if union else 0.0
    return overlaps


def _is_unmarked(image: Mapping[str, Any], category: Any, has_objects: bool) -> bool:
    """Return whether LVIS leaves open if further objects of a category are in an image."""
    if "neg_category_ids" not in image:
        return False
    if category in image.get("not_exhaustive_category_ids", ()):
        return True
    return not has_objects and category not in image["neg_category_ids"]


def _in_crowd(boxes: np.ndarray, crowds: list[Any]) -> np.ndarray:
    """Return which boxes lie in a crowd."""
    if not crowds:
        return np.zeros(len(boxes), dtype=bool)
    crowd_boxes = np.array([box_of(crowd) for crowd in crowds])
    share = _intersections(boxes, crowd_boxes) / _areas(boxes)[:, np.newaxis]
    return np.asarray(share.max(axis=1) >= CROWD_SHARE)


def _greedy(overlaps: np.ndarray, min_overlap: float) -> np.ndarray:
    """Return the object of each detection, by decreasing score, or -1; each is taken once."""
    match = np.full(len(overlaps), -1)
    free_overlaps = overlaps.copy()
    for i in range(len(free_overlaps)):
        if free_overlaps.shape[1] and free_overlaps[i].max() >= min_overlap:
            match[i] = free_overlaps[i].argmax()
            free_overlaps[:, match[i]] = -1.0
    return match


# --- files ----------------------------------------------------------------------------------------


def _loaded(source: Any, name: str) -> Any:
    if isinstance(source, (str, PathLike)):
        source = json.loads(Path(source).read_text(encoding="utf-8"))
    if name == "annotations":
        keys = ("images", "annotations", "categories")
        if not isinstance(source, Mapping):
            raise ValueError(
                f"annotations must be the JSON of COCO or LVIS, with {', '.join(keys)}; got a "
                f"{type(source).__name__}."
            )
        missing = [key for key in keys if key not in source]
        if missing:
            raise ValueError(
                f"annotations must be the JSON of COCO or LVIS, with {', '.join(keys)}; "
                f"{', '.join(missing)} are missing."
            )
    elif not isinstance(source, list):
        raise ValueError(
            f"{name} must be a list of detections, each with image_id, category_id, score and "
            f"bbox or segmentation; got a {type(source).__name__}."
        )
    return source


def _systems(results: Any) -> list[tuple[str, list[Any]]]:
    """Return the name and the detections of each system."""
    named = dict(results) if isinstance(results, Mapping) else {"results": results}
    return [(str(name), _loaded(source, f"results {name!r}")) for name, source in named.items()]


def _check_known(
    found: list[Any], images: Mapping[str, Any], codes: Mapping[str, Any], name: str
) -> None:
    for row, detection in enumerate(found):
        for key, known in (("image_id", images), ("category_id", codes)):
            if detection.get(key) not in known:
                raise ValueError(
                    f"Detection {row} of {name!r} has the {key} {detection.get(key)!r}, which is "
                    "not among those of the annotations: pass the annotations of the same images."
                )


def _by_cell(records: list[Any]) -> dict[tuple[Any, ...], list[int]]:
    """Return the places of records by image and category."""
    cells = defaultdict(list)
    for place, record in enumerate(records):
        cells[record["image_id"], record["category_id"]].append(place)
    return dict(cells)


def _id(record: Mapping[str, Any]) -> Any:
    return record["id"]


# --- boxes ----------------------------------------------------------------------------------------


def box_of(record: Mapping[str, Any]) -> np.ndarray:
    """Return the box of a record, left, top, width and height, from its mask if it has none."""
    if "bbox" in record:
        return np.asarray(record["bbox"], dtype=float)
    segmentation = record.get("segmentation")
    if not segmentation:
        raise ValueError(
            f"A record of image {record.get('image_id')!r} has neither bbox nor segmentation."
        )
    if isinstance(segmentation, Mapping):
        rows, columns = np.nonzero(mask_of(segmentation, segmentation["size"]))
        if not len(rows):
            return np.zeros(4)
        low = np.array([columns.min(), rows.min()])
        high = np.array([columns.max(), rows.max()]) + 1
    else:
        points = np.concatenate([np.reshape(part, (-1, 2)) for part in segmentation])
        low = points.min(axis=0)
        high = points.max(axis=0)
    return np.concatenate([low, high - low]).astype(float)


def overlaps_of_boxes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return intersections over unions, of shape (n_first, n_second)."""
    intersection = _intersections(first, second)
    union = _areas(first)[:, np.newaxis] + _areas(second) - intersection
    overlaps = np.zeros_like(intersection)
    return np.divide(intersection, union, out=overlaps, where=union > 0.0)


def _intersections(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the areas of the intersections of boxes, of shape (n_first, n_second)."""
    first_low = first[:, :2]
    first_high = first_low + first[:, 2:]
    second_low = second[:, :2]
    second_high = second_low + second[:, 2:]
    low = np.maximum(first_low[:, np.newaxis], second_low)
    high = np.minimum(first_high[:, np.newaxis], second_high)
    sides = np.maximum(high - low, 0.0)
    return sides.prod(axis=2)


def _areas(boxes: np.ndarray) -> Any:
    return np.maximum(boxes[..., 2] * boxes[..., 3], np.finfo(float).tiny)


# --- masks ----------------------------------------------------------------------------------------


def mask_of(segmentation: Any, size: Any) -> np.ndarray:
    """Return the mask of polygons or of run lengths, of bool, (height, width)."""
    if isinstance(segmentation, Mapping):
        return _run_lengths(segmentation)
    mask = np.zeros(tuple(size), dtype=bool)
    for part in segmentation:
        mask |= _polygon(np.reshape(part, (-1, 2)), *size)
    return mask


def _polygon(points: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return the pixels whose center lies inside a polygon, by the even-odd rule."""
    x, y = points.T.astype(float)
    next_x = np.roll(x, -1)
    next_y = np.roll(y, -1)

    # The edges that the line through the centers of each row crosses.
    top = max(int(np.floor(y.min() - 0.5)), 0)
    bottom = min(int(np.ceil(y.max() + 0.5)), height)
    centers = np.arange(top, bottom) + 0.5
    is_start_above = y <= centers[:, np.newaxis]
    is_end_above = next_y <= centers[:, np.newaxis]
    row, edge = np.nonzero(is_start_above != is_end_above)

    # Pixels from this one on lie to the right of the edge.
    share = (centers[row] - y[edge]) / (next_y[edge] - y[edge])
    crossing = x[edge] + share * (next_x[edge] - x[edge])
    first = np.clip(np.ceil(crossing - 0.5), 0, width).astype(int)

    # A pixel is inside if an odd number of edges lies to its left.
    n_rows = len(centers)
    n_edges = np.bincount(row * (width + 1) + first, minlength=n_rows * (width + 1))
    n_edges_left = np.cumsum(n_edges.reshape(n_rows, width + 1), axis=1)
    mask = np.zeros((height, width), dtype=bool)
    mask[top : top + n_rows] = n_edges_left[:, :width] % 2 == 1
    return mask


def _run_lengths(segmentation: Mapping[str, Any]) -> np.ndarray:
    """Return the mask of alternating counts of zeros and ones, column by column."""
    height, width = segmentation["size"]
    counts = segmentation["counts"]
    if isinstance(counts, (str, bytes)):
        counts = _uncompressed(counts)
    values = np.repeat(np.arange(len(counts)) % 2, counts).astype(bool)
    if len(values) != height * width:
        raise ValueError(
            f"The counts of a mask add up to {len(values)} pixels, and its size is {height} by "
            f"{width}: the file is damaged, or size is not (height, width)."
        )
    return values.reshape(width, height).T


def _uncompressed(text: str | bytes) -> list[int]:
    """Return the counts of a compressed string: from the third on, differences to two before."""
    characters = text.encode() if isinstance(text, str) else text
    counts: list[int] = []
    value = shift = 0
    for character in characters:
        bits = character - FIRST_CHARACTER
        value |= (bits & (MORE - 1)) << shift
        shift += DATA_BITS
        if bits & MORE:
            continue
        if bits & SIGN:
            value -= 1 << shift
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value = shift = 0
    return counts
