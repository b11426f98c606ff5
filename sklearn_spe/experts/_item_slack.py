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

    def propose(self, rng: np.random.Generator, now: BlockDraws, steps) -> BlockDraws:
        """Propose coefficients that leave their law as it is (preconditioned Crank-Nicolson)."""
        keep = np.sqrt(1.0 - steps**2)[:, np.newaxis]
        noise = steps[:, np.newaxis] * rng.standard_normal(now.normal.shape)
        return replace(now, normal=keep * now.normal + noise)

    def resized(self, rng: np.random.Generator, now: BlockDraws) -> BlockDraws:
        """Propose other sizes from their prior; coefficients grow or shrink with them."""
        return replace(now, size=self._sizes(rng, len(now.size)))

    def rescaled(self, rng: np.random.Generator, now: BlockDraws) -> BlockDraws:
        """Return other sizes for the same coefficients, which no label can tell apart.

        A move within the law of the size given the coefficients: with the one above it finds sizes
        whether labels say much of coefficients, or little.
        """
        size, n = self._sizes(rng, len(now.size)), len(now.size)
        possible = (size > 0.0) & (now.size > 0.0)
        ratio = np.where(possible, now.size, 1.0) / np.where(possible, size, 1.0)
        squares = np.einsum("ij,ij->i", now.normal, now.normal)
        log = self.n_columns * np.log(ratio) - 0.5 * squares * (ratio**2 - 1.0)
        accepted = possible & (np.log(rng.random(n)) < log)
        factor = np.where(accepted, ratio, 1.0)[:, np.newaxis]
        return BlockDraws(np.where(accepted, size, now.size), now.normal * factor)

    def by_part(self, values, items) -> np.ndarray:
        """Return sums of the values of items, (n_items, n_draws), over parts that no column joins.

        Given everything else the coefficients of parts are independent. One part here: all.
        """
        return values.sum(axis=0)[np.newaxis]

    def of_part(self, values, items) -> np.ndarray:
        """Return the values, (n_parts, n_draws), of the part of each item, (n_items, n_draws)."""
        return np.broadcast_to(values, (len(items), values.shape[1]))

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

    def by_part(self, values, items) -> np.ndarray:
        sums = np.zeros((self.n_groups, values.shape[1]))
        np.add.at(sums, self.codes[items], values)
        return sums

    def of_part(self, values, items) -> np.ndarray:
        return values[self.codes[items]]

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

    def by_part(self, values, items) -> np.ndarray:
        return SlackBlock.by_part(self, values, items)

    def of_part(self, values, items) -> np.ndarray:
        return SlackBlock.of_part(self, values, items)

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
        """Return another's draws where accepted, (n_draws,), else these."""
        return BlockDraws(
            np.where(accepted, other.size, self.size),
            np.where(accepted[:, np.newaxis], other.normal, self.normal),
        )

    def where_parts(self, accepted, other: BlockDraws) -> BlockDraws:
        """Return another's coefficients in the parts that are accepted, (n_parts, n_draws)."""
        return replace(self, normal=np.where(accepted.T, other.normal, self.normal))

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

    def with_block(self, k: int, part: BlockDraws) -> ItemSlackDraws:
        """Return the draws with those of one block in place of its own."""
        return ItemSlackDraws((*self.parts[:k], part, *self.parts[k + 1 :]))

    @staticmethod
    def joined(draws: list[ItemSlackDraws]) -> ItemSlackDraws:
        parts = zip(*(one.parts for one in draws), strict=True)
        return ItemSlackDraws(tuple(BlockDraws.joined(list(part)) for part in parts))
