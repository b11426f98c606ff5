r"""Item-level slack: how far items may lie from a curve, block by block.

.. math:: p_i = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1)
    \operatorname{expit}(c_0 + e^{c_1 + t_i} f(v_i) + g(v_i) + a_i)

A block has columns; :math:`a_i` (or :math:`t_i`) is their sum with normal coefficients of one size,
which is drawn from a ladder of sizes and judged by the labels as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["BlockDraws", "Columns", "ItemSlack", "ItemSlackDraws", "Members", "SlackBlock", "Walk"]

# A log stretch of items goes no further.
MOST_STRETCH = 2.0


@dataclass(frozen=True, eq=False)
class SlackBlock(FrozenArrays, ABC):
    """Columns of the slack of items, whose coefficients have one size.

    Attributes
    ----------
    name : str
        What the columns stand for.
    sizes, chances : tuple of float
        The standard deviations that the coefficients may have, and how probable each is.
    on : {"shift", "stretch"}
        Whether they move the log-odds, or the log of the curve's slope.
    scaled : bool
        Whether they count in units of the spread that a curve has over the items.
    """

    name: str
    sizes: tuple[float, ...]
    chances: tuple[float, ...]
    on: Literal["shift", "stretch"] = field(default="shift", kw_only=True)
    scaled: bool = field(default=False, kw_only=True)

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many coefficients there are."""

    @abstractmethod
    def effect(self, coefficients, items) -> np.ndarray:
        """Return what coefficients, (n_draws, n_columns), are to items, (n_items, n_draws)."""

    @abstractmethod
    def touched(self, items) -> np.ndarray:
        """Return the columns that say anything of some items."""

    @abstractmethod
    def only(self, columns) -> SlackBlock:
        """Return the block of some of its columns, for items that no other one touches."""

    def draw(self, rng: np.random.Generator, n: int) -> BlockDraws:
        """Draw coefficients from their prior."""
        return BlockDraws(self._sizes(rng, n), rng.standard_normal((n, self.n_columns)))

    def propose(self, rng: np.random.Generator, now: BlockDraws, steps, redraw) -> BlockDraws:
        """Propose coefficients that leave the prior as it is (preconditioned Crank-Nicolson)."""
        keep, n = np.sqrt(1.0 - steps**2)[:, np.newaxis], len(steps)
        size = np.where(rng.random(n) < redraw, self._sizes(rng, n), now.size)
        noise = steps[:, np.newaxis] * rng.standard_normal(now.normal.shape)
        return BlockDraws(size, keep * now.normal + noise)

    def _sizes(self, rng, n) -> np.ndarray:
        return rng.choice(self.sizes, n, p=self.chances)


@dataclass(frozen=True, eq=False)
class Columns(SlackBlock):
    """Columns that are numbers of the items.

    Attributes
    ----------
    values : ndarray of shape (n_items, n_columns)
    """

    values: np.ndarray

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    def effect(self, coefficients, items) -> np.ndarray:
        # Not a matrix product: BLAS sums in an order that depends on its threads.
        return np.einsum("ij,kj->ik", self.values[items], coefficients)

    def touched(self, items) -> np.ndarray:
        return np.arange(self.n_columns)

    def only(self, columns) -> Columns:
        return replace(self, values=self.values[:, columns])


@dataclass(frozen=True, eq=False)
class Members(SlackBlock):
    """Columns that say of which group an item is.

    Attributes
    ----------
    codes : ndarray of shape (n_items,), of int
        The group of each item.
    n_groups : int
    """

    codes: np.ndarray
    n_groups: int

    @property
    def n_columns(self) -> int:
        return self.n_groups

    def effect(self, coefficients, items) -> np.ndarray:
        return coefficients.T[self.codes[items]]

    def touched(self, items) -> np.ndarray:
        return np.unique(self.codes[items])

    def only(self, columns) -> Members:
        codes = np.minimum(np.searchsorted(columns, self.codes), max(len(columns) - 1, 0))
        return replace(self, codes=codes, n_groups=len(columns))


@dataclass(frozen=True, eq=False)
class Walk(Members):
    """Groups in an order, of which neighbours differ by one step of a random walk.

    The walk has mean zero over the groups, and a group the variance one on average.
    """

    @property
    def n_columns(self) -> int:
        return self.n_groups - 1

    def effect(self, coefficients, items) -> np.ndarray:
        return np.einsum("ij,kj->ik", self._steps, coefficients)[self.codes[items]]

    @cached_property
    def _steps(self) -> np.ndarray:
        steps = np.tri(self.n_groups, self.n_groups - 1, -1)
        steps -= steps.mean(axis=0)
        return steps / np.sqrt((steps**2).sum(axis=1).mean())

    def touched(self, items) -> np.ndarray:
        return np.arange(self.n_columns)

    def only(self, columns) -> Walk:
        return self


@dataclass(frozen=True, eq=False)
class BlockDraws(FrozenArrays):
    """Coefficients of a block, for several draws.

    Attributes
    ----------
    size : ndarray of shape (n_draws,)
    normal : ndarray of shape (n_draws, n_columns)
        Standard normal: a coefficient is the size times this.
    """

    size: np.ndarray
    normal: np.ndarray

    def take(self, indices) -> BlockDraws:
        return BlockDraws(self.size[indices], self.normal[indices])

    def where(self, accepted, other: BlockDraws) -> BlockDraws:
        """Return another's draws where accepted, else these."""
        return BlockDraws(
            np.where(accepted, other.size, self.size),
            np.where(accepted[:, np.newaxis], other.normal, self.normal),
        )

    def completed(self, columns, n_columns: int, rng: np.random.Generator) -> BlockDraws:
        """Return draws of all columns, of which these are some: the others come from the prior."""
        normal = rng.standard_normal((len(self.size), n_columns))
        normal[:, columns] = self.normal
        return BlockDraws(self.size, normal)

    @staticmethod
    def joined(parts: list[BlockDraws]) -> BlockDraws:
        return BlockDraws(
            np.concatenate([part.size for part in parts]),
            np.concatenate([part.normal for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class ItemSlack:
    """The prior of the slack of items: its blocks, of which there may be none.

    Attributes
    ----------
    blocks : tuple of SlackBlock
    """

    blocks: tuple[SlackBlock, ...] = ()

    @property
    def is_scaled(self) -> bool:
        """Whether it matters how far curves spread."""
        return any(block.scaled for block in self.blocks)

    def draw(self, rng: np.random.Generator, n: int) -> ItemSlackDraws:
        """Draw the coefficients of all blocks from their prior."""
        return ItemSlackDraws(tuple(block.draw(rng, n) for block in self.blocks))

    def propose(self, rng: np.random.Generator, now: ItemSlackDraws, steps, redraw):
        """Propose coefficients that leave the prior as it is."""
        pairs = zip(self.blocks, now.parts, strict=True)
        return ItemSlackDraws(tuple(b.propose(rng, part, steps, redraw) for b, part in pairs))

    def effects(self, draws: ItemSlackDraws, spread, items):
        """Return the shift and the stretch of items, (n_items, n_draws) each.

        Parameters
        ----------
        draws : ItemSlackDraws
        spread : ndarray of shape (n_draws,)
            Of each curve over all items.
        items : ndarray of int, or slice

        Returns
        -------
        shift, stretch : ndarray or float
            0 and 1 where no block says otherwise.
        """
        shift: float | np.ndarray = 0.0
        log_stretch = None
        for block, drawn in zip(self.blocks, draws.parts, strict=True):
            size = drawn.size * spread if block.scaled else drawn.size
            effect = block.effect(size[:, np.newaxis] * drawn.normal, items)
            if block.on == "shift":
                shift = shift + effect
            else:
                log_stretch = effect if log_stretch is None else log_stretch + effect
        if log_stretch is None:
            return shift, 1.0
        return shift, np.exp(np.clip(log_stretch, -MOST_STRETCH, MOST_STRETCH))

    def touched(self, items) -> tuple[ItemSlack, list[np.ndarray]]:
        """Return the slack of the columns that some items touch, and which columns these are."""
        columns = [block.touched(items) for block in self.blocks]
        pairs = zip(self.blocks, columns, strict=True)
        return ItemSlack(tuple(block.only(own) for block, own in pairs)), columns

    def completed(self, draws: ItemSlackDraws, columns, rng: np.random.Generator):
        """Return draws of all columns, of which those in `columns` are known."""
        parts = zip(self.blocks, draws.parts, columns, strict=True)
        return ItemSlackDraws(
            tuple(part.completed(own, block.n_columns, rng) for block, part, own in parts)
        )


@dataclass(frozen=True, eq=False)
class ItemSlackDraws:
    """Coefficients of all blocks.

    Attributes
    ----------
    parts : tuple of BlockDraws
    """

    parts: tuple[BlockDraws, ...]

    def take(self, indices) -> ItemSlackDraws:
        return ItemSlackDraws(tuple(part.take(indices) for part in self.parts))

    def where(self, accepted, other: ItemSlackDraws) -> ItemSlackDraws:
        """Return another's draws where accepted, else these."""
        pairs = zip(self.parts, other.parts, strict=True)
        return ItemSlackDraws(tuple(a.where(accepted, b) for a, b in pairs))

    @staticmethod
    def joined(draws: list[ItemSlackDraws]) -> ItemSlackDraws:
        parts = zip(*(one.parts for one in draws), strict=True)
        return ItemSlackDraws(tuple(BlockDraws.joined(list(part)) for part in parts))
