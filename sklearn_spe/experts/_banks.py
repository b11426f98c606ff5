"""The banks of all experts together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._arrays import FrozenArrays
from .._parameter import BetaPrior
from ..sample._cells import ScoreCells
from ._expert import CurveBank, Expert
from ._slack import Slack

# Standard slacks that are shared out among the curves of all banks.
N_POOL = 2048
UNIFORM = BetaPrior()
# The spread of a curve over the items, as a unit of what items depart from it.
SPREADS = 0.1, 6.0


@dataclass(frozen=True, eq=False)
class CurveBanks(FrozenArrays):
    """What all experts made of the scores, before any label: made once, judged often.

    Attributes
    ----------
    cells : ScoreCells
    banks : tuple of CurveBank
    slack : Slack
    pool : ndarray of shape (n_pool, n_basis)
        Standard normal coefficients of the waves of slack.
    prevalence_prior : BetaPrior
        What is known of the share of positives.
    """

    cells: ScoreCells
    banks: tuple[CurveBank, ...]
    slack: Slack
    pool: np.ndarray
    prevalence_prior: BetaPrior

    @classmethod
    def of(
        cls,
        cells: ScoreCells,
        experts: list[Expert],
        rng: np.random.Generator,
        prevalence_prior: BetaPrior = UNIFORM,
    ) -> CurveBanks:
        """Ask every expert for its bank; those without weight are left out."""
        banks = tuple(
            expert.bank(cells, stream)
            for expert, stream in zip(experts, rng.spawn(len(experts)), strict=True)
            if expert.prior_weight(cells) > 0.0
        )
        if not banks:
            names = ", ".join(expert.name for expert in experts)
            raise ValueError(
                f"None of the experts {names} has any weight for these scores: give one a positive "
                f"weight=, or add one that does not depend on a fit, such as 'rank_binormal'."
            )
        slack = Slack.on(cells)
        return cls(
            cells, banks, slack, rng.standard_normal((N_POOL, slack.n_basis)), prevalence_prior
        )

    def believing(self, prevalence_prior: BetaPrior, rarity: float) -> CurveBanks:
        """Return these banks, with what is believed of the share of positives.

        Parameters
        ----------
        prevalence_prior : BetaPrior
        rarity : float in [0, 1]
            How far positives are expected to be too rare to show among the scores: experts that
            would have to see them there lose as much of their weight, unless they are alone.
        """
        if prevalence_prior == self.prevalence_prior and not rarity:
            return self
        banks = tuple(bank.if_rare(rarity) for bank in self.banks)
        banks = tuple(bank for bank in banks if bank.prior_weight > 0.0) or self.banks
        return replace(self, banks=banks, prevalence_prior=prevalence_prior)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the experts."""
        return tuple(bank.name for bank in self.banks)

    @cached_property
    def log_prior_weights(self) -> np.ndarray:
        """The logs of the weights of the experts before any label; the weights sum to one."""
        weights = np.array([bank.prior_weight for bank in self.banks])
        return np.log(weights / weights.sum())

    @cached_property
    def spreads(self) -> list[np.ndarray]:
        """How far the curves of each bank spread over the items, (n_curves,) each."""
        return [spread_of(bank.curves, self.cells.shares) for bank in self.banks]

    @cached_property
    def pool_waves(self) -> np.ndarray:
        """The waves of the pool, of shape (n_cells, n_pool)."""
        # Not a matrix product: BLAS sums in an order that depends on its threads.
        return np.einsum("ij,kj->ik", self.slack.basis, self.pool)


def spread_of(curves, shares) -> np.ndarray:
    """Return the standard deviation of curves, (n_cells, n), over the items, within reason."""
    mean = np.einsum("ij,i->j", curves, shares)
    variance = np.einsum("ij,ij,i->j", curves, curves, shares) - mean**2
    return np.clip(np.sqrt(np.maximum(variance, 0.0)), *SPREADS)
