"""Draws of curves with their slack, and how they move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ._banks import CurveBanks
from ._first_slacks import implied_prevalence
from ._item_slack import ItemSlack, ItemSlackDraws
from ._label_evidence import Evidence
from ._slack import SlackDraws, propose

__all__ = ["Candidates", "CoordinateCurves", "CurveDraws"]

STEP_SIZES = (0.15, 0.35, 0.8)
REDRAW_LAPSES = 0.3


@dataclass(frozen=True, eq=False)
class Candidates:
    """All that labels judge: the banks of each coordinate, and the slack of items.

    Attributes
    ----------
    coordinates : tuple of CurveBanks
    log_weights : ndarray of shape (n_banks,)
        The logs of the weights of all banks before any label, those of the first coordinate first.
    item_slack : ItemSlack
        Of the columns that labels touch.
    """

    coordinates: tuple[CurveBanks, ...]
    log_weights: np.ndarray
    item_slack: ItemSlack

    @cached_property
    def banks(self) -> list:
        """The banks of all coordinates."""
        return [bank for banks in self.coordinates for bank in banks.banks]

    @cached_property
    def coordinate_of(self) -> np.ndarray:
        """The coordinate of each bank, (n_banks,)."""
        n_banks = [len(banks.banks) for banks in self.coordinates]
        return np.repeat(np.arange(len(n_banks)), n_banks)

    def log_prevalence_prior(self, coordinate: int, prevalence_of):
        """Return the log prior of the prevalence that curves of a coordinate imply.

        `prevalence_of` makes it, (n_draws,); it is not called where nothing is known of it.
        """
        prior = self.coordinates[coordinate].prevalence_prior
        if prior.is_flat:
            return 0.0
        return prior.logpdf(np.clip(prevalence_of(), 1e-12, 1.0 - 1e-12))

    def says_anything(self, evidence: Evidence) -> bool:
        """Return whether there is anything that judges curves."""
        known = any(not banks.prevalence_prior.is_flat for banks in self.coordinates)
        return known or evidence.n_rows > 0


@dataclass(frozen=True, eq=False)
class CurveDraws(FrozenArrays):
    """Curves with their slack, and what the labels say for each.

    Attributes
    ----------
    candidates : Candidates
    evidence : Evidence
    offsets : ndarray of shape (n_banks,)
        What the prior of the prevalence is worth to each expert on average.
    expert : ndarray of shape (n_draws,), of int
        From which bank of all each curve is; they rise.
    curve : ndarray of shape (n_draws,), of int
        Which curve of the bank.
    slack : SlackDraws
    item_slack : ItemSlackDraws
    log_likelihood : ndarray of shape (n_draws,)
    """

    candidates: Candidates
    evidence: Evidence
    offsets: np.ndarray
    expert: np.ndarray
    curve: np.ndarray
    slack: SlackDraws
    item_slack: ItemSlackDraws
    log_likelihood: np.ndarray

    def take(self, indices) -> CurveDraws:
        parts = self.slack.take(indices), self.item_slack.take(indices)
        own = self.expert[indices], self.curve[indices], *parts, self.log_likelihood[indices]
        return CurveDraws(self.candidates, self.evidence, self.offsets, *own)

    @cached_property
    def by_coordinate(self) -> list[slice]:
        """The draws of each coordinate: neighbours, as experts rise."""
        at = self.candidates.coordinate_of[self.expert]
        ends = np.searchsorted(at, np.arange(len(self.candidates.coordinates) + 1))
        return [slice(first, last) for first, last in pairwise(ends)]

    def _each(self) -> Iterator[tuple[int, slice]]:
        """Yield the coordinates that have draws, and these."""
        for coordinate, mine in enumerate(self.by_coordinate):
            if mine.stop > mine.start:
                yield coordinate, mine

    @cached_property
    def curves(self) -> list[np.ndarray]:
        """The curves without slack on the cells of each coordinate, (n_cells, n_mine)."""
        found = []
        for coordinate, mine in enumerate(self.by_coordinate):
            banks = self.candidates.coordinates[coordinate]
            curves = np.empty((banks.cells.n_cells, mine.stop - mine.start))
            for k in np.flatnonzero(self.candidates.coordinate_of == coordinate):
                own = np.flatnonzero(self.expert[mine] == k)
                curves[:, own] = self.candidates.banks[k].curves[:, self.curve[mine][own]]
            found.append(curves)
        return found

    @cached_property
    def spread(self) -> np.ndarray:
        """How far each curve spreads over the items, (n_draws,)."""
        spreads = [own for banks in self.candidates.coordinates for own in banks.spreads]
        found = np.empty(len(self.expert))
        for k in np.unique(self.expert):
            mine = np.flatnonzero(self.expert == k)
            found[mine] = spreads[k][self.curve[mine]]
        return found

    @property
    def ess(self) -> float:
        """The inverse of the chance that two draws come from one curve."""
        _, times = np.unique(np.stack([self.expert, self.curve]), axis=1, return_counts=True)
        return float(len(self.expert) ** 2 / (times**2).sum())

    def moved(self, rng: np.random.Generator, power: float, n_moves: int) -> CurveDraws:
        """Return the draws after some moves within their slack."""
        n, item_slack, at_rows = len(self.expert), self.candidates.item_slack, self._at_rows()
        slack, of_items, now = self.slack, self.item_slack, self.log_likelihood
        for _ in range(n_moves):
            proposed = propose(rng, slack, rng.choice(STEP_SIZES, n), REDRAW_LAPSES)
            log = self._judged(at_rows, proposed, of_items)
            accepted = np.log(rng.random(n)) < power * (log - now)
            slack, now = slack.where(accepted, proposed), np.where(accepted, log, now)
            rows = self._rows(at_rows, slack, of_items) if item_slack.blocks else None
            for k in range(len(item_slack.blocks)):
                before = rows
                of_items, rows = self._block_moved(rng, power, at_rows, slack, of_items, rows, k)
                now = now + (rows - before).sum(axis=0)
        return replace(self, slack=slack, item_slack=of_items, log_likelihood=now)

    def _at_rows(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the curves and the basis of the slack of each coordinate at the labels."""
        return [
            (places.at(curves), places.at(banks.slack.basis))
            for places, curves, banks in zip(
                self.evidence.places, self.curves, self.candidates.coordinates, strict=True
            )
        ]

    def _block_moved(self, rng, power, at_rows, slack, of_items, rows, k: int):
        """Return the slack of items, and the log probability of each label, after a block moved."""
        n, items = len(self.expert), self.evidence.items
        block, part = self.candidates.item_slack.blocks[k], of_items.parts[k]
        # Coefficients, each part by itself; then their sizes.
        proposed = block.propose(rng, part, rng.choice(STEP_SIZES, n))
        other = self._rows(at_rows, slack, of_items.with_block(k, proposed))
        gain = block.by_part(other - rows, items)
        accepted = np.log(rng.random(gain.shape)) < power * gain
        part = part.where_parts(accepted, proposed)
        rows = np.where(block.of_part(accepted, items), other, rows)
        proposed = block.resized(rng, part)
        other = self._rows(at_rows, slack, of_items.with_block(k, proposed))
        accepted = np.log(rng.random(n)) < power * (other - rows).sum(axis=0)
        part, rows = part.where(accepted, proposed), np.where(accepted, other, rows)
        return of_items.with_block(k, block.rescaled(rng, part)), rows

    def _rows(self, at_rows, slack, item_slack) -> np.ndarray:
        """Return the log probability of each label, (n_rows, n_draws)."""
        return self.evidence.log_probability(self._log_odds(at_rows, slack, item_slack), slack)

    def _log_odds(self, at_rows, slack, item_slack) -> np.ndarray:
        """Return the log-odds of the labels, but for lapses, (n_rows, n_draws)."""
        shift, stretch = self.candidates.item_slack.effects(
            item_slack, self.spread, self.evidence.items
        )
        log_odds = np.empty((self.evidence.n_rows, len(self.expert)))
        for coordinate, mine in self._each():
            curves, basis = at_rows[coordinate]
            own = slack.take(mine)
            log_odds[:, mine] = _with_slack(curves, own, basis, _of(stretch, mine))
        log_odds += shift
        return log_odds

    def _judged(self, at_rows, slack, item_slack) -> np.ndarray:
        """Return the log probability of the labels, and the prior of the prevalence."""
        log_prior = np.zeros(len(self.expert))
        for coordinate, mine in self._each():
            own = slack.take(mine)

            def prevalence(coordinate=coordinate, own=own):
                banks = self.candidates.coordinates[coordinate]
                log_odds = _with_slack(self.curves[coordinate], own, banks.slack.basis)
                return implied_prevalence(log_odds, own, banks.cells.shares)

            log_prior[mine] = self.candidates.log_prevalence_prior(coordinate, prevalence)
        log_odds = self._log_odds(at_rows, slack, item_slack)
        log = self.evidence.log_likelihood(log_odds, slack) + log_prior
        return log - self.offsets[self.expert]

    def of_coordinate(self, coordinate: int) -> CoordinateCurves:
        """Return the draws that live on a coordinate, with their slack of cells."""
        mine = self.by_coordinate[coordinate]
        slack, curves = self.slack.take(mine), self.curves[coordinate]
        waves = _waves(slack, self.candidates.coordinates[coordinate].slack.basis)
        stretched = curves * np.exp(slack.log_stretch)
        return CoordinateCurves(mine.start, mine.stop, stretched, slack.shift + waves)

    def log_odds(self, coordinate: int = 0) -> np.ndarray:
        """Return the curves of a coordinate with their slack, (n_mine, n_cells)."""
        slack = self.slack.take(self.by_coordinate[coordinate])
        basis = self.candidates.coordinates[coordinate].slack.basis
        inner = _with_slack(self.curves[coordinate], slack, basis)
        return lapsed(inner, slack.bottom, slack.top).T


@dataclass(frozen=True, eq=False)
class CoordinateCurves(FrozenArrays):
    """Neighbouring draws whose curves live on one coordinate.

    Attributes
    ----------
    first, last : int
        Which of all draws.
    stretched, added : ndarray of shape (n_cells, last - first)
        The curves, and what is added to them whatever stretches items.
    """

    first: int
    last: int
    stretched: np.ndarray
    added: np.ndarray

    def of(self, draws: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return both parts of some of all draws."""
        own = slice(draws.start - self.first, draws.stop - self.first)
        return self.stretched[:, own], self.added[:, own]


def lapsed(log_odds, bottom, top) -> np.ndarray:
    """Return log-odds with lapses at both ends: logit of bottom + (1 - bottom - top) p."""
    kept = 1.0 - bottom - top
    # Each side by itself, so that neither end loses its digits.
    upper = np.log(bottom + kept * special.expit(log_odds))
    return upper - np.log(top + kept * special.expit(-log_odds))


def _of(values, mine):
    """Return what belongs to some draws, of values that may be one for all."""
    return values if np.ndim(values) == 0 else values[:, mine]


def _waves(slack: SlackDraws, basis) -> np.ndarray:
    return np.einsum("ij,kj->ik", basis, slack.waves[:, : basis.shape[1]])


def _with_slack(curves, slack: SlackDraws, basis, stretch=1.0) -> np.ndarray:
    return curves * np.exp(slack.log_stretch) * stretch + slack.shift + _waves(slack, basis)
