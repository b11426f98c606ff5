"""Read-only arrays in frozen dataclasses, and tiling of large arrays."""

from __future__ import annotations

from dataclasses import fields
from functools import partial

import numpy as np

# A tile of 2**17 doubles is 1 MiB: it stays in the cache, and memory does not grow with the
# number of draws. Changing it may change the last digits of sums.
TILE_SIZE = 2**17


class FrozenArrays:
    """Mixin for frozen dataclasses that hold arrays.

    Such values are compared by identity: declare them with ``eq=False``.
    """

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                # A read-only view: no copy, and the caller's own array stays writeable.
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)

    def __reduce__(self):
        # Rebuild through the constructor: unpickled arrays are writeable.
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return partial(type(self), **values), ()


def row_tiles(n_rows: int, n_columns: int):
    """Yield slices of rows, each of about `TILE_SIZE` numbers."""
    step = max(1, TILE_SIZE // max(1, n_columns))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))
