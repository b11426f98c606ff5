"""Posterior draws of P(y = 1 | item), with one shared set of label draws."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays, row_tiles
from .._posterior import Block, blocks_of
from ..engine._label_update import UpdatedItems
from ..engine._random_effects import EffectDraws, RandomEffects
from ..engine._score_axis import Positions
from ..inputs._random_state import spawn

__all__ = ["ItemPosterior"]

# Nodes of the Gauss-Hermite rule that averages over new clusters.
N_NODES = 9
# Cache at most this many probabilities (32 MiB); above that, recompute them on demand.
MAX_HELD = 2**22
# Spawn key of the random stream of the label draws.
LABELS = 1


@dataclass(frozen=True, eq=False, repr=False)
class ItemPosterior(FrozenArrays):
    """Equally weighted draws of P(y = 1 | item), for the items of a sample.

    Missing labels are drawn once for each draw and shared by all estimates, of any system or
    category, so that differences keep the correlation of their two terms.
    """

    places: tuple[Positions, ...]  # positions of all items on each score axis
    effects: RandomEffects
    updated: UpdatedItems
    codes: np.ndarray  # (n_items,): 1, 0, or -1 if unlabeled
    entropy: int  # seed of the label draws
    counts: np.ndarray | None = None  # (n_items,), multiplicity of each item; None if all are one

    @property
    def n_items(self) -> int:
        return len(self.codes)

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.updated.expert)

    @property
    def ess(self) -> float:
        """Effective sample size."""
        return self.updated.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.updated.pareto_k

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return blocks_of(self.n_draws)

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, stable under copying and pickling."""
        digest = hashlib.blake2b(digest_size=8)
        some = np.unique([0, self.n_items // 2, self.n_items - 1])
        for part in (self.codes, self.probability(self.blocks()[0], some)):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def probability(self, block: Block, items=slice(None)) -> np.ndarray:
        """Return P(y = 1 | item) for each draw of a block, of shape (n_rows, n_items)."""
        if self._held is not None:
            return self._held[block.rows][:, items]
        return self._probability(block, items, self.effects, self._of_items(block))

    @cached_property
    def _held(self) -> np.ndarray | None:
        """Cached probabilities, (n_draws, n_items); None if they take too much memory."""
        if self.n_draws * self.n_items > MAX_HELD:
            return None
        effects = self.effects
        parts = [
            self._probability(block, slice(None), effects, self._of_items(block))
            for block in self.blocks()
        ]
        return np.concatenate(parts)

    def probability_anywhere(self, block: Block, without: str) -> np.ndarray:
        """Return P(y = 1 | item) in a new group of the random effect named `without`."""
        effects, kept, of_groups = self.effects.without(without)
        drawn = self._of_items(block)
        others = tuple(drawn[k] for k in kept)
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        total = np.zeros((block.rows.stop - block.rows.start, self.n_items))
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            moved = drawn[of_groups].size * node
            total += weight * self._probability(block, slice(None), effects, others, moved)
        return total

    def _of_items(self, block: Block) -> tuple[EffectDraws, ...]:
        return tuple(own.take(block.rows) for own in self.updated.effects)

    def _probability(self, block, items, effects, of_items, moved=0.0) -> np.ndarray:
        updated, rows = self.updated, block.rows
        found = np.empty((rows.stop - rows.start, len(self.codes[items])))
        moved = np.broadcast_to(moved, len(found))
        for places, on_axis in zip(self.places, updated.curves, strict=True):
            first, last = max(on_axis.first, rows.start), min(on_axis.last, rows.stop)
            if first >= last:
                continue
            own, here = slice(first, last), slice(first - rows.start, last - rows.start)
            curves = on_axis.of(own)
            drawn, spread = tuple(part.take(here) for part in of_items), updated.spread[own]
            bottom, top = updated.bottom[own], updated.top[own]
            for tile in row_tiles(found.shape[1], last - first):
                some = tile if isinstance(items, slice) else items[tile]
                at = places.take(some)
                shift, stretch = effects.at(drawn, spread, some)
                log_odds = at.at(curves.curves)
                log_odds *= curves.slope + stretch
                log_odds += at.at(curves.added)
                log_odds += shift + moved[here]
                p = special.expit(log_odds, out=log_odds)
                p *= 1.0 - bottom - top
                p += bottom
                found[here, tile] = p.T
        return found

    def drawn_positives(self, block: Block) -> np.ndarray:
        """Return the number of drawn positives among the unlabeled, per item."""
        if self.counts is None:
            return np.where(self.codes < 0, self.labels(block), False)
        return self._drawn_counts[block.rows]

    @cached_property
    def _drawn_counts(self) -> np.ndarray:
        """Drawn positives of items with multiplicities, for all draws."""
        each = np.ones(self.n_items) if self.counts is None else self.counts
        counts = np.where(self.codes < 0, each, 0.0).astype(np.int64)
        drawn = [
            spawn(self.entropy, LABELS, block.index).binomial(counts, self.probability(block))
            for block in self.blocks()
        ]
        return np.concatenate(drawn)

    def labels(self, block: Block) -> np.ndarray:
        """Return the labels of all items, known or drawn, (n_rows, n_items) of bool."""
        packed = self._labels[block.rows]
        return np.unpackbits(packed, axis=1, count=self.n_items).astype(bool)

    @cached_property
    def _labels(self) -> np.ndarray:
        """The label draws, packed as bits."""
        packed = []
        for block in self.blocks():
            rng = spawn(self.entropy, LABELS, block.index)
            p = self.probability(block)
            drawn = rng.random(p.shape) < p
            packed.append(np.packbits(np.where(self.codes < 0, drawn, self.codes == 1), axis=1))
        return np.concatenate(packed)

    @cached_property
    def mean(self) -> np.ndarray:
        """The posterior mean of P(y = 1 | item), of shape (n_items,)."""
        return sum(self.probability(block).sum(axis=0) for block in self.blocks()) / self.n_draws

    @cached_property
    def at_labels(self) -> np.ndarray:
        """Draws of P(y = 1 | item) at the labeled items, (n_draws, n_labeled)."""
        items = np.flatnonzero(self.codes >= 0)
        return np.concatenate([self.probability(block, items) for block in self.blocks()])

    def __repr__(self) -> str:
        return f"ItemPosterior(n_items={self.n_items}, n_draws={self.n_draws}, ess={self.ess:.0f})"
