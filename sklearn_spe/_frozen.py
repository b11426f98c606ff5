"""Frozen values: dataclasses whose arrays cannot be written to, before a pickle and after."""

from __future__ import annotations

from dataclasses import fields

import numpy as np


class FrozenArrays:
    """Mixin for frozen dataclasses that hold arrays.

    Such values are compared by identity: declare them with ``eq=False``.
    """

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                # A view: whoever made the array may go on writing to it, no copy is needed.
                value = value.view()
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)

    def __reduce__(self):
        # Through the constructor: arrays come back from a pickle writeable.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))
