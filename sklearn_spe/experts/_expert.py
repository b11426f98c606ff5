"""The contract of an expert: scores in, a bank of curves out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells
from ._slack import SlackScale

# Beyond these log-odds no finite number of labels tells two curves apart.
LARGEST_LOG_ODDS = 12.0


@dataclass(frozen=True, eq=False, repr=False)
class CurveBank(FrozenArrays):
    """Curves f(s) = logit p(y = 1 | s), drawn from a prior that one expert made of the scores.

    Attributes
    ----------
    name : str
        The expert's.
    prior_weight : float
        What the expert weighs before any label, up to a factor common to all.
    curves : ndarray of shape (n_cells, n_curves)
        Equally probable curves, one a column: labels need a few rows only, which are then
        contiguous.
    slack : SlackScale
        How far the truth may lie from each curve.
    sees_rare : bool
        Whether the curves stand for positives that are too rare to show among the scores.
    doubts : str
        What the curves stand for if a classifier does not do what it is made for, in words.
    """

    name: str
    prior_weight: float
    curves: np.ndarray
    slack: SlackScale
    sees_rare: bool = True
    doubts: str = ""

    def if_rare(self, rarity: float) -> CurveBank:
        """Return the bank with the weight that it has where positives are rare so far."""
        weight = self.prior_weight * (1.0 if self.sees_rare else 1.0 - rarity)
        return replace(self, prior_weight=weight)

    @property
    def n_curves(self) -> int:
        return self.curves.shape[1]

    def __repr__(self) -> str:
        return f"CurveBank({self.name!r}, n_curves={self.n_curves}, weight={self.prior_weight:.3g})"


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
    slack: ClassVar[SlackScale] = SlackScale()
    # False for an expert that finds the positives by their share in the histogram of all scores.
    sees_rare: ClassVar[bool] = True
    # True for an expert that is made of a fit of families to the scores.
    needs_fit: ClassVar[bool] = False
    # Of an expert of scores that do not rank items as a classifier should: what is wrong with them.
    doubts: ClassVar[str] = ""
    # True for an expert that takes a score for the probability, or log-odds, that it states.
    at_its_word: ClassVar[bool] = False

    n_curves: int = 2000
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

        Most experts see how far numbers spread, and need not be told.
        """
        return self

    @abstractmethod
    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        """Draw curves, of shape (n_curves, n_cells)."""

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label."""
        if self.weight is not None:
            return self.weight
        return self.weights.get(cells.kind.name, self.weights["default"])

    def bank(self, cells: ScoreCells, rng: np.random.Generator) -> CurveBank:
        """Return the bank of curves on the cells."""
        if cells.n_cells == 1:
            # Of one score for all items there is no curve but the share of positives.
            curves = special.logit((np.arange(self.n_curves) + 0.5) / self.n_curves)[:, np.newaxis]
        else:
            curves = self.curves(cells, rng)
        curves = np.clip(curves, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
        return CurveBank(
            self.name,
            self.prior_weight(cells),
            np.ascontiguousarray(curves.T),
            self.slack,
            self.sees_rare,
            self.doubts,
        )
