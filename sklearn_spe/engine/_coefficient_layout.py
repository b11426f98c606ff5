"""Which coefficient of a component is which, and the columns of random effects at labels."""

from __future__ import annotations

import numpy as np

from ._components import CurveComponents
from ._curvature import DesignColumns
from ._label_rows import LabelRows
from ._random_effects import RandomEffect


class CoefficientLayout:
    """Indices of coefficients, and the columns of random effects at the rows of labels.

    Columns that enter as they are come first, then those that stretch the curve, then the
    indicators of one effect's groups.
    """

    def __init__(self, components: CurveComponents, rows: LabelRows):
        effects = components.effects.effects
        none = np.arange(0)
        self.touched = [effect.touched(rows.items) if rows.n_rows else none for effect in effects]
        sizes = [len(columns) for columns in self.touched]
        kinds = _kinds(effects, sizes)
        n_functions = components.n_functions
        n_shift = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "shift")
        n_stretch = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "stretch")

        # The level, the basis functions and the effects that shift; the slope and the effects that
        # stretch; groups.
        self.basis = slice(1, 1 + n_functions)
        self.stretch = 1 + n_functions + n_shift
        self.n_dense = self.stretch + 1 + n_stretch
        first = {
            "shift": 1 + n_functions,
            "stretch": self.stretch + 1,
            "groups": self.n_dense,
        }
        one = np.ones((rows.n_rows, 1))
        columns = {"shift": [one], "stretch": [one], "groups": [one[:, :0]]}
        self.effects = []
        for effect, kind, touched in zip(effects, kinds, self.touched, strict=True):
            self.effects.append(slice(first[kind], first[kind] + len(touched)))
            first[kind] += len(touched)
            columns[kind].append(rows.columns(effect)[:, touched])
        self.n = first["groups"]
        self.mean = np.zeros(self.n)
        for effect, of_effect in zip(effects, self.effects, strict=True):
            self.mean[of_effect] = effect.mean
        # The level, the basis functions and the slope.
        self.of_curve = np.r_[0 : 1 + n_functions, self.stretch]
        self.has_groups = self.n_dense < self.n
        self.is_stretching = np.zeros(self.n, dtype=bool)
        self.is_stretching[self.stretch : self.n_dense] = True

        # Axes differ in their basis functions only.
        stretching = np.hstack(columns["stretch"])
        groups = np.hstack(columns["groups"])
        level = slice(0, 1)
        stretch = slice(self.stretch, self.stretch + 1)
        blocks = (level, self.basis, stretch, *self.effects)
        self.columns = []
        for places, basis in zip(rows.places, components.basis, strict=True):
            plain = np.hstack([one, places.at(basis), *columns["shift"][1:]])
            self.columns.append(DesignColumns(plain, stretching, groups, blocks))

    @property
    def size_by_coefficients(self) -> int:
        """Number of floats that a component's curvature takes in the space of coefficients."""
        return self.n_dense * self.n


def _kinds(effects: tuple[RandomEffect, ...], sizes: list[int]) -> list[str]:
    """Return the columns of each random effect; those of the largest grouping are separate."""
    n_groups = [n if effect.are_groups else 0 for n, effect in zip(sizes, effects, strict=True)]
    largest = int(np.argmax(n_groups)) if any(n_groups) else -1
    return ["groups" if j == largest else effect.on for j, effect in enumerate(effects)]
