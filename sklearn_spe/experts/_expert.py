"""The contract of an expert: scores in, prior curves out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells
from ._discrepancy import DiscrepancyScale

# Beyond these log-odds no finite number of labels tells two curves apart.
MAX_LOG_ODDS = 12.0


@dataclass(frozen=True, eq=False, repr=False)
class PriorCurves(FrozenArrays):
    """Curves f(s) = logit p(y = 1 | s), drawn from a prior that one expert made of the scores."""

    name: str
    prior_weight: float  # before any label, up to a factor common to all experts
    curves: np.ndarray  # (n_cells, n_curves): labels need a few rows, which are contiguous
    shares: np.ndarray  # (n_curves,), what each curve weighs among them; they sum to one
    lapse_end: np.ndarray  # (n_curves,), where lapses may be large: 1 top, -1 bottom, 0 either
    discrepancy: DiscrepancyScale
    misspecification: str = ""

    @property
    def n_curves(self) -> int:
        return self.curves.shape[1]

    def __repr__(self) -> str:
        weight = f"weight={self.prior_weight:.3g}"
        return f"PriorCurves({self.name!r}, n_curves={self.n_curves}, {weight})"


@dataclass(frozen=True)
class Expert(ABC):
    """A prior over curves, made of the scores alone.

    A new expert is one file with a frozen dataclass and one entry in `EXPERTS`; its fields are
    what a user may set.

    Parameters
    ----------
    n_curves : int
        How many curves are drawn.
    weight : float, default=None
        What it weighs among the experts before any label; None takes the default for the kind
        of the scores.
    """

    name: ClassVar[str]
    # What the expert weighs for each kind of scores; "default" for kinds that are not named.
    weights: ClassVar[dict[str, float]] = {"default": 0.1}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale()
    # True for an expert that is made of a fit of families to the scores.
    needs_fit: ClassVar[bool] = False
    # Of an expert of scores that do not rank items as a classifier should: what is wrong with them.
    misspecification: ClassVar[str] = ""
    # True for an expert that takes a score for the probability, or log-odds, that it states.
    states_probability: ClassVar[bool] = False

    n_curves: int = 250
    weight: float | None = field(default=None, kw_only=True)

    def informed(self, posterior, distances) -> Expert:
        """Return the expert with what the families made of the scores; most need it not.

        Parameters
        ----------
        posterior : MixturePosterior
            Of the scores alone, every pair of families.
        distances : ndarray of shape (n_pairs,)
            How far the distribution of the scores is from that of each pair
            (Kolmogorov-Smirnov, times the root of the number of scores).
        """
        return self

    def steeper(self, gain: float) -> Expert:
        """Return the expert for a mean of several scores, whose log-odds are steeper by a gain.

        Most experts see how far numbers spread, and need not be given it.
        """
        return self

    @abstractmethod
    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        """Draw curves, of shape (n_curves, n_cells)."""

    def shares(self) -> np.ndarray:
        """Return what each curve weighs among those of the expert, (n_curves,), up to a factor."""
        return np.ones(self.n_curves)

    def lapse_end(self) -> np.ndarray:
        """Return the end at which lapses may be large, (n_curves,): 1 top, -1 bottom, 0 either."""
        return np.zeros(self.n_curves, dtype=np.int8)

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label."""
        if self.weight is not None:
            return self.weight
        return self.weights.get(cells.kind.name, self.weights["default"])

    def prior_curves(self, cells: ScoreCells, rng: np.random.Generator) -> PriorCurves:
        """Return its curves on the cells."""
        if cells.n_cells == 1:
            return self._shares_of_positives()
        curves = np.clip(self.curves(cells, rng), -MAX_LOG_ODDS, MAX_LOG_ODDS)
        shares = self.shares()
        return PriorCurves(
            self.name,
            self.prior_weight(cells),
            np.ascontiguousarray(curves.T),
            shares / shares.sum(),
            self.lapse_end(),
            self.discrepancy,
            self.misspecification,
        )

    def _shares_of_positives(self) -> PriorCurves:
        """Return uniform shares of positives: of one score for all items there is no curve."""
        n = self.n_curves
        curves = special.logit((np.arange(n) + 0.5) / n)[np.newaxis]
        none = DiscrepancyScale(*[0.0] * len(fields(DiscrepancyScale)))
        ends = np.zeros(n, dtype=np.int8)
        return PriorCurves(self.name, 1.0, curves, np.full(n, 1.0 / n), ends, none)
