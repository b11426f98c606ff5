"""Read-only arrays of frozen values: float, contiguous, not writeable.

They are copies with a fixed dtype and layout, so that sums are bitwise reproducible. Unlike
`FrozenArrays`, which holds views of any dtype.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np


def read_only(array) -> np.ndarray:
    """Return a read-only float copy."""
    frozen = np.array(array, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    return frozen


class ThroughConstructor:
    """Mixin that unpickles through the constructor, which makes arrays read-only."""

    def __reduce__(self):
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def freeze_fields(instance, *names: str) -> None:
    """Replace the named fields of a frozen dataclass by read-only float copies."""
    for name in names:
        object.__setattr__(instance, name, read_only(getattr(instance, name)))
