"""The posterior of rows: draws of P(y = 1 | row), and of the labels that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ..data._gathered_rows import merged_rows
from ..data._inclusion import Inclusion, with_odds
from ..engine._components import Positions, expit_in_place
from ..engine._random_effects import EffectDraws, RandomEffects
from ..engine._updated_rows import UpdatedRows
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import spawn
from ..posterior._completions import draw_positives, smallest_type
from ..posterior._known_positives import KnownPositives
from ..posterior._posterior import Block, UpdatedDraws, digest_of

# Nodes of the rule that averages over new groups: Gauss-Hermite where their effects are smaller
# than this, else that of a logistic distribution, as a mean of normal probabilities.
N_NODES, LARGE_EFFECT = 9, 1.5
# Cache at most this many probabilities (32 MiB); above that, recompute them on demand.
MAX_CACHED = 2**22
# Of more rows than these it pays to see which differ by their group alone.
MIN_ROWS_OF_KINDS = 4096
# Spawn keys of the random streams of the label draws, and of the odds of unlabeled items.
LABELS, ODDS = 1, 17


def mean_over_groups(log_odds: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the mean probability in groups with normal effects on the log-odds, in place.

    `log_odds` are (n_rows, n_draws), and `size`, the standard deviation of the effects, is
    (n_draws,).
    """
    is_large = size > LARGE_EFFECT
    is_small = (size > 0.0) & ~is_large
    small = log_odds[:, is_small]
    large = log_odds[:, is_large]
    p = special.expit(log_odds, out=log_odds)

    # Effects that are smaller than the width of the logistic curve.
    nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
    means = [
        w * special.expit(small + x * size[is_small]) for x, w in zip(nodes, weights, strict=True)
    ]
    p[:, is_small] = sum(means) / weights.sum()

    # A group's effect plus a logistic variable is positive: a mean of normal probabilities.
    nodes, weights = logistic_rule(N_NODES)
    means = [
        w * special.ndtr((large + x) / size[is_large]) for x, w in zip(nodes, weights, strict=True)
    ]
    p[:, is_large] = sum(means)
    return p


def logistic_rule(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes and weights of the Gauss rule of the logistic distribution."""
    # The recurrence of its orthogonal polynomials: the eigenvalues of a tridiagonal matrix.
    degree = np.arange(1.0, n)
    off_diagonal = np.pi * degree**2 / np.sqrt(4.0 * degree**2 - 1.0)
    nodes, vectors = np.linalg.eigh(np.diag(off_diagonal, 1) + np.diag(off_diagonal, -1))
    return nodes, vectors[0] ** 2


class LabelsOfRows(NamedTuple):
    """Counts of the labels of rows, and of their positive labels, (n_labeled,) each."""

    counts: np.ndarray
    positive: np.ndarray


@dataclass(frozen=True, eq=False)
class PrevalenceShift(FrozenArrays):
    """Shifts of the log-odds of the rows of categories, in some draws."""

    column: np.ndarray  # (n_rows,), of int: the column of `log_odds`
    log_odds: np.ndarray  # (n_draws, n_columns), zero in draws without a shift

    def apply(self, probability: np.ndarray, draws: slice, rows: np.ndarray | slice) -> None:
        """Shift probabilities of rows, (n_draws, n_rows), in place, in some of the draws."""
        log_odds = self.log_odds[draws]
        shifted_draws = np.flatnonzero(log_odds.any(axis=1))
        if not len(shifted_draws):
            return
        p = probability[shifted_draws]
        odds = np.take(np.exp(log_odds[shifted_draws]), self.column[rows], axis=1)
        odds *= p
        probability[shifted_draws] = odds / (1.0 - p + odds)


class CompletedBlock(NamedTuple):
    """The drawn labels of a block, and the sums of its probabilities over the draws."""

    positives: np.ndarray  # (n_draws, n_unlabeled)
    sums: np.ndarray  # (n_rows,), of P(y = 1 | row) over the draws


class RowKinds(NamedTuple):
    """Rows that represent others, which differ from them by their group alone."""

    rows: np.ndarray | slice  # one of each kind
    number: np.ndarray | None = None  # of the kind of each row; None if each is its own

    def at_rows(self, of_kinds: np.ndarray) -> np.ndarray:
        """Return values of kinds, (n_draws, n_kinds), for each row, (n_draws, n_rows)."""
        return of_kinds if self.number is None else np.take(of_kinds, self.number, axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class RowPosterior(UpdatedDraws):
    """Equally weighted draws of P(y = 1 | row), for rows that each represent some items.

    Missing labels are drawn once for each draw and shared by all estimates, of any system or
    category, so differences keep the correlation of their two terms.
    """

    places: tuple[Positions, ...]  # positions of all rows on each score axis
    effects: RandomEffects
    updated: UpdatedRows
    codes: np.ndarray  # (n_rows,): 1, 0, or -1 if unlabeled
    counts: np.ndarray  # (n_rows,), for how many items each row counts
    entropy: int  # seed of the label draws
    inclusion: Inclusion = Inclusion()  # inclusion model of the labels
    known_positives: KnownPositives = KnownPositives()  # beside labels
    by_labels: PrevalenceShift | None = None  # of categories by their own labels alone
    # (n_rows,), for how many labels a row counts in the likelihood; None for as many as items
    weighted_labels: np.ndarray | None = None

    @property
    def without_labels_alone(self) -> RowPosterior:
        """The posterior of the model, where labels alone state no shift in any draw."""
        return replace(self, by_labels=None)

    @property
    def n_items(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def is_one_curve(self) -> bool:
        """Whether P(y = 1) of a row depends on its place on one axis alone."""
        return len(self.places) == 1 and not self.effects.effects

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled."""
        return not self.counts[self.unlabeled].any()

    @property
    def n_weighted_items(self) -> float:
        """Number of items, by their weights."""
        return float(self.counts.sum())

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, stable under copying and pickling."""
        rows = np.unique([0, self.n_items // 2, self.n_items - 1])
        return digest_of(self.codes, self.probability(self.blocks()[0], rows))

    def probability(self, block: Block, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return P(y = 1 | row) for each draw of a block, of shape (n_draws, n_rows)."""
        if self.is_one_curve:
            return self._on_curve(block, rows)
        if self._cached_probability is not None:
            return self._cached_probability[block.rows][:, rows]
        return self._probability(block, self.effects, self.updated.effects, rows)

    def probability_in_all_draws(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return P(y = 1 | row) of some rows only, (n_draws, n_rows)."""
        draws = slice(0, self.n_draws)
        return self._probability(
            Block(0, 0, draws, draws), self.effects, self.updated.effects, rows
        )

    @cached_property
    def _cached_probability(self) -> np.ndarray | None:
        """The probabilities of all rows, (n_draws, n_rows).

        None if they take too much memory.
        """
        if self.n_draws * self.n_items > MAX_CACHED:
            return None
        return np.concatenate(
            [
                self._probability(block, self.effects, self.updated.effects)
                for block in self.blocks()
            ]
        )

    def probability_anywhere(
        self, block: Block, without: str, rows: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        """Return P(y = 1 | row) in a new group of the random effect named `without`."""
        effects, columns, of_groups = self.effects.without(without)
        draws = tuple(self.updated.effects[k] for k in columns)
        size = self.updated.effects[of_groups].take(block.rows).size
        return self._probability(block, effects, draws, rows, size_of_groups=size)

    def _probability(
        self,
        block: Block,
        effects: RandomEffects,
        effect_draws: tuple[EffectDraws, ...],
        rows: np.ndarray | slice = slice(None),
        size_of_groups: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return P(y = 1 | row) with some random effects, and in new groups of a size if given.

        The size is that of the random effect of groups, (n_draws,).
        """
        if self.is_one_curve:
            return self._on_curve(block, rows)
        draws = block.rows
        of_block = tuple(effect.take(draws) for effect in effect_draws)
        kinds = self._kinds_of(rows)
        if effects.of_groups is not None:
            return self._in_groups(draws, effects, of_block, rows, kinds)

        steepness = self.updated.steepness[draws]
        bottom = self.updated.bottom[draws]
        room = 1.0 - bottom - self.updated.top[draws]
        size = np.zeros(len(bottom)) if size_of_groups is None else size_of_groups
        probability = np.empty((len(bottom), len(self.codes[kinds.rows])))
        for within, tile, log_odds in self._log_odds(draws, effects, of_block, kinds.rows):
            p = mean_over_groups(log_odds, (steepness * size)[within])
            p *= room[within]
            p += bottom[within]
            probability[within, tile] = p.T
        if self.by_labels is not None:
            self.by_labels.apply(probability, draws, kinds.rows)
        return kinds.at_rows(probability)

    def _in_groups(
        self,
        draws: slice,
        effects: RandomEffects,
        effect_draws: tuple[EffectDraws, ...],
        rows: np.ndarray | slice,
        kinds: RowKinds,
    ) -> np.ndarray:
        """Return P(y = 1 | row) with the random effect of its group, (n_draws, n_rows)."""
        effect: Any = effects.of_groups
        others, columns, number = effects.without(effect.name)
        of_others = tuple(effect_draws[k] for k in columns)
        n_draws = draws.stop - draws.start
        without_groups = np.empty((n_draws, len(self.codes[kinds.rows])))
        for within, tile, log_odds in self._log_odds(draws, others, of_others, kinds.rows):
            without_groups[within, tile] = log_odds.T

        bottom = self.updated.bottom[draws, np.newaxis]
        room = 1.0 - bottom - self.updated.top[draws, np.newaxis]
        steep_size = self.updated.steepness[draws] * effect_draws[number].size
        normal = effect_draws[number].normal
        groups = effect.codes[rows]

        # Few draws of all rows at a time stay in the cache.
        probability = np.empty((n_draws, len(groups)))
        for tile in row_tiles(n_draws, len(groups)):
            log_odds = kinds.at_rows(without_groups[tile])
            log_odds += np.take(steep_size[tile, np.newaxis] * normal[tile], groups, axis=1)
            p = expit_in_place(log_odds)
            p *= room[tile]
            p += bottom[tile]
            of_tile = slice(draws.start + tile.start, draws.start + tile.stop)
            if self.by_labels is not None:
                self.by_labels.apply(p, of_tile, rows)
            probability[tile] = p
        return probability

    def _log_odds(
        self,
        draws: slice,
        effects: RandomEffects,
        effect_draws: tuple[EffectDraws, ...],
        rows: np.ndarray | slice,
    ) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Yield some of the draws, some of the rows, and their log-odds, (n_rows, n_draws)."""
        updated = self.updated
        n_rows = len(self.codes[rows])
        for places, on_axis in zip(self.places, updated.curves, strict=True):
            first = max(on_axis.first, draws.start)
            last = min(on_axis.last, draws.stop)
            if first >= last:
                continue
            of_axis = slice(first, last)
            within = slice(first - draws.start, last - draws.start)
            curves = on_axis.of(of_axis)
            drawn = tuple(effect.take(within) for effect in effect_draws)

            for tile in row_tiles(n_rows, last - first):
                tiled = tile if isinstance(rows, slice) else rows[tile]
                positions = places.take(tiled)
                shift, stretch = effects.at(drawn, updated.spread[of_axis], tiled)
                log_odds = positions.at(curves.curves)
                log_odds *= 1.0 + stretch
                log_odds += positions.at(curves.added)
                log_odds += shift
                log_odds *= updated.steepness[of_axis]
                yield within, tile, log_odds

    def _kinds_of(self, rows: np.ndarray | slice) -> RowKinds:
        """Return the kinds of some rows; each is its own kind where merging saves no work."""
        n_rows = len(self.codes[rows])
        kinds = self._kinds if n_rows > MIN_ROWS_OF_KINDS else None
        if kinds is None:
            return RowKinds(rows)
        representatives, number = kinds
        return RowKinds(representatives, number[rows])

    @cached_property
    def _kinds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """One row of each kind, and the kind of each row; None if hardly any are of one kind.

        Rows of a kind differ by their group alone.
        """
        of_groups = self.effects.of_groups
        if of_groups is None:
            return None
        columns = [places.left + places.share for places in self.places]
        for effect in self.effects.effects:
            if effect is not of_groups:
                columns += effect.features
        if self.by_labels is not None:
            columns.append(self.by_labels.column)
        rows, number, _ = merged_rows(columns, self.counts)
        return (rows, number) if 2 * len(rows) <= self.n_items else None

    def _on_curve(self, block: Block, rows: np.ndarray | slice) -> np.ndarray:
        """Return P(y = 1 | row) on the only axis, linear in log-odds between its cells."""
        (places,) = self.places
        left = places.left[rows]
        curves = self.updated.log_odds[block.rows]
        before = np.take(curves, left, axis=1)
        log_odds = np.take(curves, np.minimum(left + 1, curves.shape[1] - 1), axis=1)
        log_odds -= before
        log_odds *= places.share[rows]
        log_odds += before
        return expit_in_place(log_odds)

    @cached_property
    def unlabeled(self) -> np.ndarray:
        """The rows without a label."""
        return np.flatnonzero(self.codes < 0)

    @property
    def label_counts(self) -> np.ndarray:
        """Number of labels in the likelihood that each row represents if labeled, (n_rows,)."""
        return self.counts if self.weighted_labels is None else self.weighted_labels

    @property
    def labeled(self) -> np.ndarray:
        """The rows with a label."""
        return np.flatnonzero(self.codes >= 0)

    def among_labeled(self, probability: np.ndarray, draws: slice) -> np.ndarray:
        """Return P(y = 1) of labeled items, given that of all items in some of the draws."""
        odds = self._odds_of_labeled
        if odds is None:
            return self.inclusion.thinned(probability)
        return with_odds(probability, odds[draws])

    @cached_property
    def _odds_of_labeled(self) -> np.ndarray | None:
        """The odds of a positive among labeled items relative to all, (n_draws,), if matched."""
        if self.inclusion.of_rows is None:
            return None
        rows = self.labeled
        counts = self.counts[rows]
        labels = LabelsOfRows(counts, counts * (self.codes[rows] == 1))
        return self.inclusion.odds_of_labeled(self.probability_in_all_draws(rows), labels)

    def among_unlabeled(self, probability: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1) of unlabeled items, given that of all items in a block of draws."""
        odds = self._odds_of_unlabeled
        return self.inclusion.among_unlabeled(
            probability, None if odds is None else odds[block.rows]
        )

    @cached_property
    def _odds_of_unlabeled(self) -> np.ndarray | None:
        """The odds of a positive among unlabeled items relative to all, (n_draws,), if drawn."""
        weights = self.inclusion.drawn_by
        if weights is None:
            return None
        labeled = self.labeled
        shares = self.counts[labeled] / self.counts[labeled].sum()
        rates = [
            np.einsum("ij,j->i", self.probability(block, labeled), shares)
            for block in self.blocks()
        ]
        return weights.drawn_odds(np.concatenate(rates), spawn(self.entropy, ODDS))

    def drawn_positives(self, block: Block) -> np.ndarray:
        """Return the drawn positives of each unlabeled row, (n_draws, n_unlabeled)."""
        completed = self.blocks()[block.index]
        first = block.rows.start - completed.rows.start
        n_draws = block.rows.stop - block.rows.start
        return self._completed(completed).positives[first : first + n_draws]

    @cached_property
    def _completed_blocks(self) -> dict[int, CompletedBlock]:
        """Completed blocks by their number; in no pickle."""
        return {}

    def _completed(self, block: Block) -> CompletedBlock:
        """Draw the labels of a block in one pass over its probabilities, which adds them up.

        They are drawn once, and shared by all questions.
        """
        if block.index in self._completed_blocks:
            return self._completed_blocks[block.index]

        counts = self.counts[self.unlabeled]
        smallest = smallest_type(counts, counts.max(initial=0.0))
        n_known = self.counts[self.codes == 1].sum()
        total = self.known_positives.of_unlabeled(n_known, counts.sum())

        rng = spawn(self.entropy, LABELS, block.index)
        drawn = []
        sums = np.zeros(self.n_items)
        for part in block.parts(self.n_items):
            probability = self.probability(part)
            sums += probability.sum(axis=0)
            of_unlabeled = self.among_unlabeled(probability[:, self.unlabeled], part)
            drawn.append(draw_positives(rng, counts, of_unlabeled, total))

        positives = np.concatenate(drawn).astype(smallest, copy=False)
        positives.flags.writeable = False
        self._completed_blocks[block.index] = CompletedBlock(positives, sums)
        return self._completed_blocks[block.index]

    def positives(self, block: Block) -> np.ndarray:
        """Return the positives of each row, known or drawn, (n_draws, n_rows)."""
        completed = np.where(self.codes == 1, self.counts, 0.0)
        completed = np.repeat(completed[np.newaxis], block.rows.stop - block.rows.start, axis=0)
        completed[:, self.unlabeled] = self.drawn_positives(block)
        return completed

    @cached_property
    def mean(self) -> np.ndarray:
        """The posterior mean of P(y = 1 | row), of shape (n_rows,)."""
        sums = [self._completed(block).sums for block in self.blocks()]
        return np.sum(sums, axis=0) / self.n_draws

    def __repr__(self) -> str:
        return f"RowPosterior(n_items={self.n_items}, n_draws={self.n_draws}, ess={self.ess:.0f})"
