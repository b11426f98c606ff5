"""Validation of the true overlaps of verified objects, and their mapping to detections."""

from __future__ import annotations

import numpy as np

from ...inputs._array_like import unmasked

__all__ = ["as_overlaps", "is_verified", "settled"]


def as_overlaps(labels, n_objects: int, n_systems: int) -> np.ndarray:
    """Return overlaps of objects, (n_objects, n_systems), NaN where missing."""
    labels = unmasked(labels)
    labels = np.asarray(labels.to_numpy() if hasattr(labels, "to_numpy") else labels, dtype=object)
    if labels.ndim == 1:
        # One system, or all masks were skipped.
        labels = np.repeat(labels[:, np.newaxis], 1 if _is_known(labels) else n_systems, axis=1)
    overlaps = np.where(labels == None, np.nan, labels).astype(float)  # noqa: E711
    if overlaps.shape != (n_objects, n_systems):
        raise ValueError(
            f"Verified objects must have one true overlap per system, of shape ({n_objects}, "
            f"{n_systems}), NaN where a system has no match; got {overlaps.shape}. "
            "SegmentationMatches.overlaps_of makes them from the overlaps of detections."
        )
    wrong = (overlaps < 0.0) | (overlaps > 1.0)
    if wrong.any():
        raise ValueError(f"Overlaps must lie in [0, 1], got {overlaps[wrong][0]}.")
    return overlaps


def _is_known(column) -> bool:
    """Return whether any value is not missing."""
    return any(value is not None and value == value for value in column)


def is_verified(matched_detections, overlaps) -> np.ndarray:
    """Return which objects have an overlap for every match; raise where only some have."""
    known = ~np.isnan(np.where(matched_detections >= 0, overlaps, 0.0))
    some = (known & (matched_detections >= 0)).any(axis=1) & ~known.all(axis=1)
    if some.any():
        raise ValueError(
            f"{int(some.sum())} objects have a true overlap for some of the systems matched to "
            "them, and none for others; one mask determines all of them."
        )
    return np.asarray(known.all(axis=1))


def settled(matched_detections, overlaps) -> tuple[np.ndarray, np.ndarray]:
    """Return the detections matched to objects, increasing, and their overlaps."""
    matched = matched_detections >= 0
    detections, values = matched_detections[matched], overlaps[matched]
    order = np.argsort(detections)
    return detections[order], values[order]
