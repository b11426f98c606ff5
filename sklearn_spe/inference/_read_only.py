"""Arrays that a frozen value may hold: float, contiguous and not writeable.

They are copies of one type and one layout, whoever made them, so that sums have the same bits. The
values of other rooms hold views of any type (`FrozenArrays`), of which nothing is known here.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np


def read_only(array) -> np.ndarray:
    """Return a read-only float copy, so that a result cannot change after it was made."""
    frozen = np.array(array, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    return frozen


class ThroughConstructor:
    """Mixin: a pickle comes back through the constructor, which makes arrays read-only."""

    def __reduce__(self):
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def freeze_fields(instance, *names: str) -> None:
    """Replace the named fields of a frozen dataclass by read-only float copies."""
    for name in names:
        object.__setattr__(instance, name, read_only(getattr(instance, name)))
