"""Counts of the partitions of a dask collection, in place, summed in a tree."""

from __future__ import annotations

from functools import reduce

__all__ = ["counted_partitions"]

# Number of tables per node of the sum tree.
N_ADDED = 16


def counted_partitions(scores, empty):
    """Return the histogram of all countable partitions, and why others failed.

    `empty` defines the bins; the errors are in a dict by partition number. Raise TypeError if
    `scores` is not a column of a dask collection.
    """
    is_column = getattr(scores, "ndim", None) == 1 and hasattr(scores, "to_delayed")
    if not is_column:
        raise TypeError(
            "scores must be a dask array of shape (n_items,) or a column of a dask frame, got "
            f"{type(scores).__name__} of ndim={getattr(scores, 'ndim', None)}. Count other "
            "scores by update or from_chunks."
        )
    from dask import compute, delayed

    blocks = scores.to_delayed()
    blocks = blocks.tolist() if hasattr(blocks, "tolist") else blocks
    parts = [delayed(_counted)(block, number, empty) for number, block in enumerate(blocks)]
    while len(parts) > 1:
        parts = [
            delayed(_added)(parts[first : first + N_ADDED])
            for first in range(0, len(parts), N_ADDED)
        ]
    (found,) = compute(*parts) if parts else ((empty, {}),)
    return found


def _counted(block, number: int, empty):
    try:
        return empty + type(empty)(empty.scale, resolution=empty.resolution).update(block), {}
    except (ValueError, TypeError) as error:
        return empty, {number: str(error)}


def _added(parts):
    return reduce(lambda a, b: (a[0] + b[0], {**a[1], **b[1]}), parts)
