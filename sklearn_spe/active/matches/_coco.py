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
# Compressed counts hold five bits a character, and a bit that says whether more follow.
FIRST_CHARACTER, DATA_BITS, MORE, SIGN = 48, 5, 0x20, 0x10


def match_boxes(annotations: Any, results: Any, min_overlap: float) -> dict[str, Any]:
    """Return the columns of detections and objects, matched by their boxes.

    Within an image and a category the detections of a system take, by decreasing score, the
    object with the largest overlap that none of them has. Detections that COCO and LVIS ignore are
    left out: those in a crowd, those of a category that LVIS did not look for in the image, and
    those without an object where it did not mark all of them.
    """
    annotations = _loaded(annotations, "annotations")
    codes = {one["id"]: i for i, one in enumerate(sorted(annotations["categories"], key=_id))}
    images = {one["id"]: one for one in annotations["images"]}
    objects = [one for one in annotations["annotations"] if not one.get("iscrowd", 0)]
    crowds = [one for one in annotations["annotations"] if one.get("iscrowd", 0)]
    if not objects:
        raise ValueError("annotations hold no object (outside of crowds): nothing can be found.")
    places, crowds_in = _by_cell(objects), _by_cell(crowds)
    boxes = np.array([box_of(one) for one in objects])

    columns: dict[str, list] = defaultdict(list)
    names = []
    for system, (name, found) in enumerate(_systems(results)):
        names.append(name)
        _check_known(found, images, codes, name)
        for (image, category), rows in _by_cell(found).items():
            rows = sorted(rows, key=lambda row: -found[row]["score"])
            detected = np.array([box_of(found[row]) for row in rows])
            own = places.get((image, category), [])
            in_cell = overlaps_of_boxes(detected, boxes[own])
            match = _greedy(in_cell, min_overlap)
            in_crowd = np.zeros(len(rows), dtype=bool)
            if crowd := crowds_in.get((image, category), []):
                areas = np.array([box_of(crowds[one]) for one in crowd])
                in_crowd = (_intersections(detected, areas) / _areas(detected)[:, None]).max(1)
                in_crowd = in_crowd >= CROWD_SHARE
            ignored = (match < 0) & (in_crowd | _is_unmarked(images[image], category, bool(own)))
            for i in np.flatnonzero(~ignored):
                columns["system"].append(system)
                columns["category"].append(codes[category])
                columns["score"].append(found[rows[i]]["score"])
                columns["object"].append(own[match[i]] if match[i] >= 0 else -1)
                columns["coarse_overlap"].append(in_cell[i, match[i]] if match[i] >= 0 else 0.0)
                columns["area"].append(_areas(detected[i]))
                columns["detection_index"].append(rows[i])
    if len(set(columns["system"])) < len(names):
        empty = sorted(set(range(len(names))) - set(columns["system"]))
        raise ValueError(
            f"Results {names[empty[0]]!r} have no detection that counts: leave this system out."
        )
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    arrays["object_category"] = np.array([codes[one["category_id"]] for one in objects])
    arrays["object_id"] = np.array([one["id"] for one in objects])
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


def _is_unmarked(image: Mapping, category: Any, has_objects: bool) -> bool:
    """Return whether LVIS leaves open if further objects of a category are in an image."""
    if "neg_category_ids" not in image:
        return False
    if category in image.get("not_exhaustive_category_ids", ()):
        return True
    return not has_objects and category not in image["neg_category_ids"]


def _greedy(overlaps: np.ndarray, least: float) -> np.ndarray:
    """Return the object of each detection, by decreasing score, or -1; each is taken once."""
    match = np.full(len(overlaps), -1)
    left = overlaps.copy()
    for i in range(len(left)):
        if left.shape[1] and left[i].max() >= least:
            match[i] = left[i].argmax()
            left[:, match[i]] = -1.0
    return match


# --- files ----------------------------------------------------------------------------------------


def _loaded(source: Any, name: str) -> Any:
    if isinstance(source, (str, PathLike)):
        source = json.loads(Path(source).read_text(encoding="utf-8"))
    if name == "annotations":
        keys = ("images", "annotations", "categories")
        missing = [key for key in keys if key not in source]
        if not isinstance(source, Mapping) or missing:
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


def _systems(results: Any) -> list[tuple[str, list]]:
    """Return the name and the detections of each system."""
    named = dict(results) if isinstance(results, Mapping) else {"results": results}
    return [(str(name), _loaded(source, f"results {name!r}")) for name, source in named.items()]


def _check_known(found: list, images: Mapping, codes: Mapping, name: str) -> None:
    for row, detection in enumerate(found):
        for key, known in (("image_id", images), ("category_id", codes)):
            if detection.get(key) not in known:
                raise ValueError(
                    f"Detection {row} of {name!r} has the {key} {detection.get(key)!r}, which is "
                    "not among those of the annotations: pass the annotations of the same images."
                )


def _by_cell(records: list) -> dict[tuple, list[int]]:
    """Return the places of records by image and category."""
    cells = defaultdict(list)
    for place, record in enumerate(records):
        cells[record["image_id"], record["category_id"]].append(place)
    return dict(cells)


def _id(record: Mapping) -> Any:
    return record["id"]


# --- boxes ----------------------------------------------------------------------------------------


def box_of(record: Mapping) -> np.ndarray:
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
        low, high = np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()]) + 1
    else:
        points = np.concatenate([np.reshape(part, (-1, 2)) for part in segmentation])
        low, high = points.min(axis=0), points.max(axis=0)
    return np.concatenate([low, high - low]).astype(float)


def overlaps_of_boxes(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return intersections over unions, of shape (n_first, n_second)."""
    common = _intersections(first, second)
    union = _areas(first)[:, np.newaxis] + _areas(second) - common
    return np.divide(common, union, out=np.zeros_like(common), where=union > 0.0)


def _intersections(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    low = np.maximum(first[:, np.newaxis, :2], second[:, :2])
    high = np.minimum((first[:, :2] + first[:, 2:])[:, np.newaxis], second[:, :2] + second[:, 2:])
    return np.maximum(high - low, 0.0).prod(axis=2)


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
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    top = max(int(np.floor(y.min() - 0.5)), 0)
    centers = np.arange(top, min(int(np.ceil(y.max() + 0.5)), height)) + 0.5
    crossed = (y <= centers[:, np.newaxis]) != (next_y <= centers[:, np.newaxis])
    row, edge = np.nonzero(crossed)
    share = (centers[row] - y[edge]) / (next_y[edge] - y[edge])
    # Pixels from this one on lie to the right of the edge.
    first = np.ceil(x[edge] + share * (next_x[edge] - x[edge]) - 0.5)
    first = np.clip(first, 0, width).astype(int)
    toggles = np.bincount(row * (width + 1) + first, minlength=len(centers) * (width + 1))
    inside = np.cumsum(toggles.reshape(len(centers), width + 1), axis=1)[:, :width] % 2
    mask = np.zeros((height, width), dtype=bool)
    mask[top : top + len(centers)] = inside.astype(bool)
    return mask


def _run_lengths(segmentation: Mapping) -> np.ndarray:
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
