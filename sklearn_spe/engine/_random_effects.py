r"""Random effects: deviations of items from a curve.

.. math:: f_i = m(x_i) \{1 + t_i\} + a_i

An effect has columns; :math:`a_i` (or :math:`t_i`) is their sum with normal coefficients of one
standard deviation, which is one of a ladder of sizes and weighted by the labels as well.

Groups of dependent items may differ by so much that their labels are all equal. The curve is the
mean over groups, and that of a group is steeper: with effects of standard deviation s the log-odds
of a mean are about those of a group divided by :math:`k = \sqrt{1 + c^2 s^2}` with :math:`c = 16
\sqrt{3} / (15 \pi)` [1]_, so :math:`f_i` is multiplied by k, and the sizes are :math:`s / k`.

References
----------
.. [1] S. L. Zeger, K.-Y. Liang, P. S. Albert. Models for longitudinal data: a generalized
   estimating equation approach. Biometrics 44 (1988) 1049-1060.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from ..inputs._arrays import FrozenArrays

# Log-odds of a mean over groups are flatter than those of a group by this share of the effects'
# standard deviation.
FLATTER = 16.0 * np.sqrt(3.0) / (15.0 * np.pi)


@dataclass(frozen=True, eq=False)
class RandomEffect(FrozenArrays, ABC):
    """Columns of the items, whose coefficients have one size.

    Attributes
    ----------
    name : str
        What the columns represent.
    sizes, probabilities : tuple of float
        The standard deviations that the coefficients may have, and how probable each is.
    on : {"shift", "stretch"}
        Whether they move the log-odds, or the curve's slope.
    scaled : bool
        Whether they count in units of the spread that a curve has over the items.
    averaged : bool
        Whether the curve is the mean over the steeper curves of groups.
    mean : float
        Of the coefficients, in units of their size.
    """

    name: str
    sizes: tuple[float, ...]
    probabilities: tuple[float, ...]
    on: Literal["shift", "stretch"] = field(default="shift", kw_only=True)
    scaled: bool = field(default=False, kw_only=True)
    averaged: bool = field(default=False, kw_only=True)
    mean: float = field(default=0.0, kw_only=True)

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of coefficients."""

    @property
    def are_groups(self) -> bool:
        """Whether columns shift the log-odds of groups of items that exclude each other."""
        return False

    @abstractmethod
    def columns(self, items: np.ndarray) -> np.ndarray:
        """Return the columns of some items, (n_items, n_columns)."""

    @abstractmethod
    def effect(self, coefficients: np.ndarray, items: np.ndarray | slice) -> np.ndarray:
        """Return columns times coefficients, (n_draws, n_columns): (n_items, n_draws)."""

    @property
    @abstractmethod
    def features(self) -> list[np.ndarray]:
        """The values of items that determine their columns, (n_items,) each."""

    @abstractmethod
    def touched(self, items: np.ndarray) -> np.ndarray:
        """Return the columns that are not zero for all of some items."""


@dataclass(frozen=True, eq=False)
class Columns(RandomEffect):
    """Columns that are numbers of the items."""

    values: np.ndarray  # (n_items, n_columns)

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    def columns(self, items: np.ndarray) -> np.ndarray:
        return self.values[items]

    def effect(self, coefficients: np.ndarray, items: np.ndarray | slice) -> np.ndarray:
        # Not a matrix product: BLAS sums in an order that depends on its threads.
        return np.einsum("ij,kj->ik", self.values[items], coefficients)

    @property
    def features(self) -> list[np.ndarray]:
        return list(self.values.T)

    def touched(self, items: np.ndarray) -> np.ndarray:
        return np.arange(self.n_columns)


@dataclass(frozen=True, eq=False)
class Members(RandomEffect):
    """Indicators of the group of an item."""

    codes: np.ndarray  # (n_items,), of int
    n_groups: int

    @property
    def n_columns(self) -> int:
        return self.n_groups

    @property
    def are_groups(self) -> bool:
        return self.on == "shift"

    def columns(self, items: np.ndarray) -> np.ndarray:
        return (self.codes[items][:, np.newaxis] == np.arange(self.n_groups)).astype(float)

    def effect(self, coefficients: np.ndarray, items: np.ndarray | slice) -> np.ndarray:
        return coefficients.T[self.codes[items]]

    @property
    def features(self) -> list[np.ndarray]:
        return [self.codes]

    def touched(self, items: np.ndarray) -> np.ndarray:
        return np.unique(self.codes[items])


@dataclass(frozen=True, eq=False)
class Walk(Members):
    """Groups in an order, of which neighbors differ by one step of a random walk.

    The walk has mean zero over the groups, and a group the variance one on average.
    """

    @property
    def n_columns(self) -> int:
        return self.n_groups - 1

    @property
    def are_groups(self) -> bool:
        return False

    def columns(self, items: np.ndarray) -> np.ndarray:
        return self._steps[self.codes[items]]

    def effect(self, coefficients: np.ndarray, items: np.ndarray | slice) -> np.ndarray:
        return np.einsum("ij,kj->ik", self._steps, coefficients)[self.codes[items]]

    @cached_property
    def _steps(self) -> np.ndarray:
        steps = np.tri(self.n_groups, self.n_groups - 1, -1)
        steps -= steps.mean(axis=0)
        return steps / np.sqrt((steps**2).sum(axis=1).mean())

    def touched(self, items: np.ndarray) -> np.ndarray:
        return np.arange(self.n_columns)


@dataclass(frozen=True, eq=False)
class EffectDraws(FrozenArrays):
    """Coefficients of one random effect: its size times standard normal ones."""

    size: np.ndarray  # (n_draws,)
    normal: np.ndarray  # (n_draws, n_columns)

    def take(self, draws: np.ndarray | slice) -> EffectDraws:
        return EffectDraws(self.size[draws], self.normal[draws])


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """All random effects of items; possibly none."""

    effects: tuple[RandomEffect, ...] = ()

    def draw_sizes(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw the sizes of the effects of `n` curves from their prior, and the steepness.

        Sizes are (n, n_effects), in units of a mean over groups; the steepness of a group is (n,).
        """
        drawn = [rng.choice(effect.sizes, n, p=effect.probabilities) for effect in self.effects]
        sizes = np.stack(drawn, axis=1) if drawn else np.empty((n, 0))
        averaged = [effect.averaged for effect in self.effects]
        squares = np.einsum("ij,ij->i", sizes[:, averaged], sizes[:, averaged])
        steepness = np.sqrt(1.0 + FLATTER**2 * squares)
        sizes[:, averaged] /= steepness[:, np.newaxis]
        return sizes, steepness

    @property
    def of_groups(self) -> RandomEffect | None:
        """The effect of groups of dependent items, which shift the log-odds; None without any."""
        for effect in self.effects:
            if effect.averaged and effect.are_groups and not effect.scaled:
                return effect
        return None

    def without(self, name: str) -> tuple[RandomEffects, list[int], int]:
        """Return all but one of them, the numbers of these, and its number."""
        names = [effect.name for effect in self.effects]
        removed = names.index(name)
        others = [j for j in range(len(names)) if j != removed]
        return RandomEffects(tuple(self.effects[j] for j in others)), others, removed

    def at(self, draws: tuple[EffectDraws, ...], spread: np.ndarray, items: np.ndarray | slice):
        """Return the shift and the stretch of items, (n_items, n_draws) each.

        Parameters
        ----------
        draws : tuple of EffectDraws
        spread : ndarray of shape (n_draws,)
            Of each curve over all items.
        items : ndarray of int, or slice

        Returns
        -------
        shift, stretch : ndarray or float
            0 where there is no effect; the slope is multiplied by one plus the stretch.
        """
        total: dict[str, float | np.ndarray] = {"shift": 0.0, "stretch": 0.0}
        for effect, effect_draws in zip(self.effects, draws, strict=True):
            size = effect_draws.size * spread if effect.scaled else effect_draws.size
            of_items = effect.effect(size[:, np.newaxis] * effect_draws.normal, items)
            total[effect.on] = total[effect.on] + of_items
        return total["shift"], total["stretch"]
