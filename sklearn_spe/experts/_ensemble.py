"""The prior curves of all experts together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._arrays import FrozenArrays
from .._parameter import BetaPrior
from ..sample._cells import ScoreCells
from ._discrepancy import discrepancy_basis, heavy_ties
from ._expert import Expert, PriorCurves

UNIFORM = BetaPrior()
# The spread of a curve over the items, as a unit of what items depart from it.
SPREADS = 0.1, 6.0


@dataclass(frozen=True, eq=False)
class CurveEnsemble(FrozenArrays):
    """What all experts made of the scores, before any label: made once, updated often."""

    cells: ScoreCells
    parts: tuple[PriorCurves, ...]
    basis: np.ndarray  # (n_cells, n_functions), of the discrepancy
    prevalence_prior: BetaPrior

    @classmethod
    def of(
        cls,
        cells: ScoreCells,
        experts: list[Expert],
        rng: np.random.Generator,
        prevalence_prior: BetaPrior = UNIFORM,
    ) -> CurveEnsemble:
        """Ask every expert for its curves; those without weight are left out."""
        parts = tuple(
            expert.prior_curves(cells, stream)
            for expert, stream in zip(experts, rng.spawn(len(experts)), strict=True)
            if expert.prior_weight(cells) > 0.0
        )
        if not parts:
            names = ", ".join(expert.name for expert in experts)
            raise ValueError(
                f"None of the experts {names} has any weight for these scores: give one a positive "
                f"weight=, or add one that does not depend on a fit, such as 'rank_binormal'."
            )
        return cls(cells, parts, discrepancy_basis(cells), prevalence_prior)

    def with_prevalence_prior(self, prior: BetaPrior) -> CurveEnsemble:
        """Return these curves with another prior of the share of positives."""
        return self if prior == self.prevalence_prior else replace(self, prevalence_prior=prior)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the experts."""
        return tuple(part.name for part in self.parts)

    @cached_property
    def log_prior_weights(self) -> np.ndarray:
        """The logs of the weights of the experts before any label; the weights sum to one."""
        weights = np.array([part.prior_weight for part in self.parts])
        return np.log(weights / weights.sum())

    @cached_property
    def curves(self) -> np.ndarray:
        """The curves of all experts, (n_cells, n_curves)."""
        return np.concatenate([part.curves for part in self.parts], axis=1)

    @cached_property
    def spreads(self) -> np.ndarray:
        """The standard deviation of each curve over the items, within reason, (n_curves,)."""
        mean = np.einsum("ij,i->j", self.curves, self.cells.shares)
        variance = np.einsum("ij,ij,i->j", self.curves, self.curves, self.cells.shares) - mean**2
        return np.clip(np.sqrt(np.maximum(variance, 0.0)), *SPREADS)

    @property
    def tied_ends(self) -> tuple[bool, bool]:
        """Whether the scores begin, and end, in a heavy tie that is not one of votes."""
        if self.cells.kind.name == "votes":
            return False, False
        ties = heavy_ties(self.cells)
        return 0 in ties, self.cells.n_cells - 1 in ties
