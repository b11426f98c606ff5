"""Predicted boxes or masks of several systems, and the objects matched to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..active.sessions._query_log import check_indices
from ..inputs._arrays import FrozenArrays
from ..inputs._validation import (
    as_features,
    as_numbers,
    as_plain,
    as_vector,
    check_aligned,
    check_number,
)
from ._coco import match_boxes, overlaps_of_masks

# Overlaps from which a prediction has found its object.
COCO_THRESHOLDS = np.linspace(0.5, 0.95, 10)
# Arrays with one element for each of these.
MAX_CATEGORIES = 10**6


@dataclass(frozen=True, eq=False, repr=False)
class SegmentationMatches(FrozenArrays):
    """Detections of one or several systems, and the objects matched to them.

    A coarse annotation of each object, such as a box, determines which object a detection is
    matched to, and their coarse overlap. To verify an object, an annotator draws its mask, which
    gives the true overlap of every detection matched to it. A detection without an object is always
    wrong.

    .. versionadded:: 0.1

    Parameters
    ----------
    score : array-like of shape (n_detections,)
        Confidence, larger for positives.
    category : array-like of int of shape (n_detections,)
        The category of each detection, numbered from 0.
    object : array-like of int of shape (n_detections,)
        The object matched to each detection, as an index into `object_category`; -1 for none. A
        system has at most one match with an object.
    coarse_overlap : array-like of shape (n_detections,)
        The overlap (intersection over union) by the coarse annotation, in [0, 1]; ignored for
        detections without an object.
    object_category : array-like of int of shape (n_objects,)
        The category of every object, including those that no system has found.
    system : array-like of int of shape (n_detections,), default=None
        The system of each detection, numbered from 0. None if there is one system.
    features : array-like of shape (n_detections, n_features), default=None
        Further predictors of the true overlap, such as the logarithm of the size of the box.
    thresholds : array-like of shape (n_thresholds,), default=COCO_THRESHOLDS
        The smallest overlaps at which an object counts as found. The metric is averaged over them.
    object_id : array-like of shape (n_objects,), default=None
        The name of each object, such as the `id` of its annotation.
    detection_index : array-like of int of shape (n_detections,), default=None
        The index of each detection in the results of its system.

    Attributes
    ----------
    matched_detections : ndarray of shape (n_objects, n_systems)
        The detection of each system matched to each object; -1 for none.
    items : ndarray of int
        The objects matched to at least one system. Verifying other objects gives no information.

    Raises
    ------
    ValueError
        If lengths differ, a system has two matches with an object, an overlap lies outside [0, 1],
        or a detection is matched to an object of another category.

    Examples
    --------
    Three detections, of which the second has no object, and two objects. By the boxes both are
    found; once the masks are drawn, one is.

    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.matches import SegmentationMatches
    >>> matches = SegmentationMatches(
    ...     score=[0.9, 0.8, 0.7], category=[0, 0, 0], object=[0, -1, 1],
    ...     coarse_overlap=[0.9, 0.0, 0.6], object_category=[0, 0], thresholds=[0.5])
    >>> matches
    SegmentationMatches(3 detections of 1 system, 2 objects of 1 category)
    >>> selector = ActiveTestSelector("average_precision", random_state=0).fit(matches)
    >>> round(float(selector.naive_estimate_), 3)
    0.833
    >>> objects = selector.query(2)
    >>> overlaps = matches.overlaps_of([0.8, 0.0, 0.4], objects)
    >>> round(float(selector.update(objects, overlaps).estimate_.value), 3)
    0.5
    """

    score: np.ndarray
    category: np.ndarray
    object: np.ndarray
    coarse_overlap: np.ndarray
    object_category: np.ndarray
    # None means one system, and is filled in.
    system: np.ndarray = None  # type: ignore[assignment]
    features: np.ndarray | None = None
    thresholds: np.ndarray = field(default_factory=COCO_THRESHOLDS.copy)
    object_id: np.ndarray | None = None
    detection_index: np.ndarray | None = None

    def __post_init__(self) -> None:
        check_aligned(
            score=self.score,
            category=self.category,
            object=self.object,
            coarse_overlap=self.coarse_overlap,
            system=self.system,
            features=self.features,
        )
        n = len(as_plain(self.score, "score"))
        if not n:
            raise ValueError("score is empty: pass at least one detection.")
        system = np.zeros(n, dtype=int) if self.system is None else self.system
        thresholds = as_plain(self.thresholds, "thresholds")
        object_category = as_plain(self.object_category, "object_category")
        checked = {
            "score": _numbers(self.score, "score", n),
            "category": _places(self.category, "category", n, 0),
            "object": _places(self.object, "object", n, -1),
            "coarse_overlap": _overlaps(self.coarse_overlap, "coarse_overlap", n),
            "system": _places(system, "system", n, 0),
            "object_category": _places(object_category, "object_category", len(object_category), 0),
            "thresholds": _overlaps(thresholds, "thresholds", len(thresholds)),
        }
        if self.features is not None:
            # A copy: later changes by the user must not matter.
            checked["features"] = np.array(as_features(self.features, n))
        if self.object_id is not None:
            object_id = np.array(as_plain(self.object_id, "object_id"))
            if object_id.shape != object_category.shape:
                raise ValueError(
                    f"object_id must name the {len(object_category)} objects, got an array of "
                    f"shape {object_id.shape}."
                )
            checked["object_id"] = object_id
        if self.detection_index is not None:
            checked["detection_index"] = _places(self.detection_index, "detection_index", n, 0)
        _check_numbering(checked)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        super().__post_init__()
        self._check_matches()

    def _check_matches(self) -> None:
        matched = np.flatnonzero(self.object >= 0)
        beyond = self.object[matched] >= self.n_objects
        if beyond.any():
            raise ValueError(
                f"object must be indices into object_category, up to {self.n_objects - 1}; got "
                f"{self.object[matched][beyond][0]}."
            )
        wrong = self.category[matched] != self.object_category[self.object[matched]]
        if wrong.any():
            at = matched[wrong][0]
            raise ValueError(
                f"Detection {at} of category {self.category[at]} is matched to object "
                f"{self.object[at]} of category {self.object_category[self.object[at]]}; set its "
                "object to -1."
            )
        key = self.system[matched] * self.n_objects + self.object[matched]
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        if (counts > 1).any():
            at = matched[first[counts > 1][0]]
            raise ValueError(
                f"Object {self.object[at]} is matched to {counts.max()} detections of system "
                f"{self.system[at]}, but at most one is allowed: keep the match of the best, and "
                "set the object of the others to -1."
            )

    @classmethod
    def from_coco(
        cls,
        annotations: Any,
        results: Any,
        *,
        min_overlap: float = 0.1,
        thresholds: ArrayLike = COCO_THRESHOLDS,
    ) -> Self:
        """Match the results of one or several systems, in the JSON of COCO or LVIS, by boxes.

        Within an image and a category, each detection of a system is matched to the free object
        with the largest overlap of boxes, in the order of decreasing scores. `features` are the
        logarithms of the size of the detection's box and of its ratio to the size of the object's
        box.

        Detections without an object are left out if the benchmarks ignore them. These are
        detections in a crowd and, for LVIS, detections of a category that was not searched or not
        fully annotated in the image. Apply any limit on the number of detections per image before.

        Parameters
        ----------
        annotations : path or dict
            The file or its content, with "images", "annotations" and "categories". Objects need
            "id", "image_id", "category_id" and "bbox", or a "segmentation" from which the box is
            computed.
        results : path, list of dict, or mapping of these by the name of the system
            Detections with "image_id", "category_id", "score" and "bbox" or "segmentation".
        min_overlap : float, default=0.1
            The smallest overlap of boxes for a match. An object without a match counts as missed.
        thresholds : array-like of shape (n_thresholds,), default=COCO_THRESHOLDS

        Returns
        -------
        matches : SegmentationMatches
            Categories are numbered by increasing id, systems in the order of `results`. `object_id`
            has the ids of the annotations, without crowds.

        Raises
        ------
        ValueError
            If a file has a wrong format, or a detection refers to an unknown image or category.

        See Also
        --------
        mask_overlaps : The true overlaps, if both files have masks.

        Examples
        --------
        >>> from sklearn_spe.matches import SegmentationMatches
        >>> annotations = {
        ...     "images": [{"id": 7, "height": 40, "width": 60}],
        ...     "categories": [{"id": 18, "name": "dog"}],
        ...     "annotations": [{"id": 1, "image_id": 7, "category_id": 18,
        ...         "bbox": [10, 10, 20, 20], "segmentation": [[10, 10, 30, 10, 30, 30]]}]}
        >>> results = [{"image_id": 7, "category_id": 18, "score": 0.9,
        ...     "bbox": [10, 10, 20, 10], "segmentation": [[10, 10, 30, 10, 30, 20]]}]
        >>> matches = SegmentationMatches.from_coco(annotations, results)
        >>> matches.coarse_overlap
        array([0.5])
        >>> matches.mask_overlaps(annotations, results).round(2)
        array([0.48])
        """
        check_number(min_overlap, "min_overlap", "(0, 1]")
        columns = match_boxes(annotations, results, min_overlap)
        area = columns["area"]
        object_area = columns["object_area"]

        # The area of a detection, and its ratio to that of its object.
        is_matched = columns["object"] >= 0
        matched_objects = columns["object"][is_matched]
        log_ratio = np.zeros(len(area))
        log_ratio[is_matched] = np.log(area[is_matched] / object_area[matched_objects])
        return cls(
            columns["score"],
            columns["category"],
            columns["object"],
            columns["coarse_overlap"],
            columns["object_category"],
            columns["system"],
            features=np.column_stack([np.log(area), log_ratio]),
            thresholds=np.asarray(thresholds),
            object_id=columns["object_id"],
            detection_index=columns["detection_index"],
        )

    def mask_overlaps(self, annotations: Any, results: Any) -> np.ndarray:
        """Return the mask overlap of each detection with its object, for `overlaps_of`.

        Polygons are filled by pixel centers. The COCO tools also fill pixels that the border
        touches, so overlaps of small objects differ by a few hundredths.

        Parameters
        ----------
        annotations, results : as in `from_coco`
            Masks are polygons or run lengths, compressed or not.

        Returns
        -------
        overlap : ndarray of shape (n_detections,)
            0 for a detection without an object, and NaN if the detection or its object has no mask.

        Raises
        ------
        ValueError
            If the matches were not made by `from_coco`, or the run lengths of a mask are invalid.
        """
        if self.object_id is None or self.detection_index is None:
            raise ValueError(
                "These matches lack the ids of their annotations and results: create them with "
                "SegmentationMatches.from_coco, or pass object_id and detection_index."
            )
        places = ("object", "system", "object_id", "detection_index")
        return overlaps_of_masks(annotations, results, {p: getattr(self, p) for p in places})

    @property
    def n_detections(self) -> int:
        return len(self.score)

    @property
    def n_objects(self) -> int:
        return len(self.object_category)

    @property
    def n_systems(self) -> int:
        return int(self.system.max()) + 1

    @cached_property
    def matched_detections(self) -> np.ndarray:
        """The detection of each system matched to each object, (n_objects, n_systems), or -1."""
        matched_detections = np.full((self.n_objects, self.n_systems), -1)
        matched = np.flatnonzero(self.object >= 0)
        matched_detections[self.object[matched], self.system[matched]] = matched
        return matched_detections

    @cached_property
    def items(self) -> np.ndarray:
        """The objects matched to at least one system; verifying others is uninformative."""
        return np.flatnonzero((self.matched_detections >= 0).any(axis=1))

    def overlaps_of(self, overlap: ArrayLike, objects: ArrayLike) -> np.ndarray:
        """Return the true overlaps of objects, (n, n_systems), as `update` takes them.

        Parameters
        ----------
        overlap : array-like of shape (n_detections,)
            The true overlap of each detection with its object. Values of detections that are not
            matched to one of `objects` are ignored.
        objects : array-like of int of shape (n,)
            The objects that `query` returned.

        Raises
        ------
        ValueError
            If the overlap of a detection matched to one of the objects is missing.
        """
        matched_detections = self.matched_detections[check_indices(objects, self.n_objects)]
        overlap = as_numbers(overlap, "overlap")
        if overlap.shape != (self.n_detections,):
            raise ValueError(
                f"overlap must have one number per detection, shape ({self.n_detections},); got "
                f"{overlap.shape}."
            )
        missing = (matched_detections >= 0) & np.isnan(overlap[matched_detections])
        if missing.any():
            raise ValueError(
                f"overlap is missing for detection {matched_detections[missing][0]}, which is "
                f"matched to one "
                "of these objects; use 0 for a detection that does not overlap its object."
            )
        return np.where(matched_detections >= 0, overlap[matched_detections], np.nan)

    def __repr__(self) -> str:
        counts = (
            (self.n_detections, "detection", "detections"),
            (self.n_systems, "system", "systems"),
            (self.n_objects, "object", "objects"),
            (int(self.object_category.max(initial=0)) + 1, "category", "categories"),
        )
        detections, systems, objects, categories = (
            f"{n} {singular if n == 1 else plural}" for n, singular, plural in counts
        )
        return f"SegmentationMatches({detections} of {systems}, {objects} of {categories})"


def _check_numbering(columns: Any) -> None:
    """Raise unless systems are numbered consecutively from 0, and categories below a maximum."""
    systems = np.unique(columns["system"])
    gaps = np.flatnonzero(systems != np.arange(len(systems)))
    if len(gaps):
        raise ValueError(
            f"System {gaps[0]} has no detection, but system {systems[-1]} has; number systems "
            "consecutively from 0: np.unique(system, return_inverse=True)[1]."
        )
    for name in ("category", "object_category"):
        largest = columns[name].max(initial=0)
        if largest >= MAX_CATEGORIES:
            raise ValueError(
                f"{name} must be numbers below {MAX_CATEGORIES}, got {largest}; number categories "
                "from 0, in the same way for detections and objects."
            )


def _numbers(values: ArrayLike, name: str, n: int) -> np.ndarray:
    # A copy: later changes by the user must not matter.
    values = np.array(as_vector(values, name, n))
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite numbers, got {values[~np.isfinite(values)][0]}.")
    return values


def _overlaps(values: Any, name: str, n: int) -> np.ndarray:
    values = _numbers(values, name, n)
    wrong = (values < 0.0) | (values > 1.0)
    if wrong.any() or not n:
        raise ValueError(f"{name} must lie in [0, 1], got {values[wrong][:1]}.")
    return values


def _places(values: ArrayLike, name: str, n: int, least: int) -> np.ndarray:
    values = as_plain(values, name)
    if values.shape != (n,) or values.dtype.kind not in "iu" or (values < least).any():
        raise ValueError(
            f"{name} must hold {n} whole numbers of at least {least}; got an array of shape "
            f"{values.shape} and dtype {values.dtype}."
        )
    return values.astype(np.intp)
