"""The slack with which curves first meet labels: drawn from its prior, whatever the labels are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ._banks import CurveBanks
from ._expert import CurveBank
from ._item_slack import ItemSlack, ItemSlackDraws
from ._label_memory import LabelMemory
from ._slack import SlackDraws

__all__ = ["FirstSlack", "FirstSlacks", "implied_prevalence"]


@dataclass(frozen=True, eq=False)
class FirstSlack:
    """Slack for every curve of a bank, and as much for each of several copies of it.

    Attributes
    ----------
    banks : CurveBanks
        To which the bank belongs.
    bank : CurveBank
    draws : SlackDraws
        Without the coefficients of the waves.
    waves : ndarray of shape (n,)
        Their places in the pool.
    of_items : ItemSlackDraws
    """

    banks: CurveBanks
    bank: CurveBank
    draws: SlackDraws
    waves: np.ndarray
    of_items: ItemSlackDraws

    @classmethod
    def drawn(cls, banks: CurveBanks, bank: CurveBank, item_slack, n_copies, rng) -> FirstSlack:
        """Draw it."""
        n = n_copies * bank.n_curves
        draws = banks.slack.draw(rng, n, bank.slack, waves=False)
        # The pool is in random order: neighbours of the pool for neighbours of the bank.
        firsts = rng.integers(len(banks.pool), size=(n_copies, 1))
        waves = (firsts + np.arange(bank.n_curves)).ravel() % len(banks.pool)
        return cls(banks, bank, draws, waves, item_slack.draw(rng, n))

    @property
    def n_copies(self) -> int:
        return len(self.waves) // self.bank.n_curves

    def on(self, curves, pool_waves, stretch=1.0) -> np.ndarray:
        """Return log-odds but for lapses, from the curves and the waves of the pool somewhere."""
        f = np.tile(curves, (1, self.n_copies))
        f *= np.exp(self.draws.log_stretch)
        f *= stretch
        f += self.draws.shift
        # Indexing would turn the array to columns.
        waves = np.take(pool_waves, self.waves, axis=1)
        waves *= self.draws.roughness
        f += waves
        return f

    def prevalence(self) -> np.ndarray:
        """Return the share of positives under each curve, (n,)."""
        return self._prevalence

    @cached_property
    def _prevalence(self):
        log_odds = self.on(self.bank.curves, self.banks.pool_waves)
        return implied_prevalence(log_odds, self.draws, self.banks.cells.shares)


class FirstSlacks(NamedTuple):
    """What a generator draws first, for all banks of all coordinates, and its state then.

    Attributes
    ----------
    of_coordinates : tuple of list of FirstSlack
    state : dict
        Of the bit generator.
    memory : LabelMemory or None
        Of the labels that it has met, where it is kept for others.
    """

    of_coordinates: tuple[list[FirstSlack], ...]
    state: Any
    memory: LabelMemory | None = None

    @property
    def all(self) -> list[FirstSlack]:
        """The slack of the banks of all coordinates."""
        return [own for of_coordinate in self.of_coordinates for own in of_coordinate]

    @classmethod
    def drawn(
        cls,
        coordinates: tuple[CurveBanks, ...],
        n_copies: int,
        rng: np.random.Generator,
        item_slack: ItemSlack | None = None,
    ) -> FirstSlacks:
        """Draw slack for the curves of all banks."""
        item_slack = ItemSlack() if item_slack is None else item_slack
        of_coordinates = tuple(
            [FirstSlack.drawn(banks, bank, item_slack, n_copies, rng) for bank in banks.banks]
            for banks in coordinates
        )
        return cls(of_coordinates, rng.bit_generator.state)


def implied_prevalence(log_odds, slack: SlackDraws, shares) -> np.ndarray:
    """Return the share of positives, from log-odds but for lapses, (n_cells, n_draws)."""
    p = special.expit(log_odds)
    p = slack.bottom + (1.0 - slack.bottom - slack.top) * p
    return np.einsum("ij,i->j", p, shares)
