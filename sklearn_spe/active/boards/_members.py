"""Which entries belong to each category."""

from __future__ import annotations

import numpy as np

__all__ = ["members_of"]


def members_of(group, n_groups: int) -> list[np.ndarray]:
    """Return the places of each group, rising, one array a group.

    Parameters
    ----------
    group : ndarray of shape (n,), of int
    n_groups : int
    """
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=n_groups)
    return np.split(order, np.cumsum(sizes)[:-1])
