r"""The contract of an expert, its discrepancy, and the ensemble of all prior curves.

Discrepancy: how far the truth may lie from a prior curve.

.. math:: p = \epsilon_0 + (1 - \epsilon_0 - \epsilon_1)
    \operatorname{expit}\{m + \sigma_a c_a + \sigma_b c_b m + \rho \, \phi^\top c\}

with a prior curve :math:`m`, a shift, a stretch, a smooth Gaussian process over normal ranks (the
basis :math:`\phi`), standard normal coefficients :math:`c`, and lapse rates :math:`\epsilon_0,
\epsilon_1`: positives among the lowest scores, negatives among the highest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..families._family import BetaPrior
from ..inputs._arrays import FrozenArrays

# The Gaussian process: squared exponential over normal ranks, by its leading eigenfunctions, which
# are constant beyond their reach.
LENGTH, N_FUNCTIONS, REACH = 0.4, 12, 3.5
# Ties of more than this share of the items are heavy.
HEAVY_TIE = 0.04
# Beyond these log-odds neither labels nor a hundred million items distinguish two curves.
MAX_LOG_ODDS = 20.0
UNIFORM = BetaPrior()
# The spread of a curve over the items, as a unit of what items depart from it.
SPREADS = 0.1, 6.0


@dataclass(frozen=True)
class DiscrepancyScale:
    """The scale of the discrepancy between the true curve and an expert's curves.

    Parameters
    ----------
    shift, stretch : float
        Standard deviations of the intercept, and of the slope relative to the curve's.
    roughness : float
        A factor of the standard deviation of the Gaussian process.
    small_lapse : float
        The probability of a small lapse rate at one end.
    large_lapse : float
        The probability of a large lapse rate at the other end.
    wide_share : float
        The share of curves with `wide_shift` and `wide_stretch` instead.
    """

    shift: float = 0.3
    stretch: float = 0.15
    roughness: float = 1.0
    small_lapse: float = 0.3
    large_lapse: float = 0.12
    wide_share: float = 0.0
    wide_shift: float = 1.2
    wide_stretch: float = 0.5


def heavy_ties(cells: ScoreCells) -> np.ndarray:
    """Return the cells of one score each that hold many of the items, heaviest first."""
    tied = cells.single & (cells.counts > 1.0) & (cells.shares > HEAVY_TIE)
    ties = np.flatnonzero(tied)
    return ties[np.argsort(-cells.shares[ties], kind="stable")]


def rank_process(cells: ScoreCells, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw standard Gaussian processes over the normal ranks of cells, (n, n_cells)."""
    # Not a matrix product: BLAS sums in an order that depends on its threads.
    functions = rank_functions(cells.normal_ranks)
    return np.einsum("ij,kj->ki", functions, rng.standard_normal((n, N_FUNCTIONS)))


def rank_functions(normal_ranks: np.ndarray) -> np.ndarray:
    """Return the eigenfunctions of the Gaussian process at normal ranks, (n, N_FUNCTIONS)."""
    grid, leading = _eigenfunctions()
    return np.stack([np.interp(normal_ranks, grid, column) for column in leading.T], axis=1)


@cache
def _eigenfunctions() -> tuple[np.ndarray, np.ndarray]:
    grid = np.linspace(-REACH, REACH, 141)
    covariance = np.exp(-0.5 * ((grid[:, np.newaxis] - grid) / LENGTH) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    leading = vectors[:, ::-1][:, :N_FUNCTIONS] * np.sqrt(values[::-1][:N_FUNCTIONS])
    # The sign of an eigenvector is arbitrary, and differs between libraries.
    leading *= np.sign(leading[-1])
    leading.flags.writeable = False
    return grid, leading


@dataclass(frozen=True, eq=False, repr=False)
class PriorCurves(FrozenArrays):
    """Curves f(s) = logit p(y = 1 | s), drawn from a prior that one expert made of the scores."""

    name: str
    prior_weight: float  # before any label, up to a factor common to all experts
    curves: np.ndarray  # (n_cells, n_curves): labels need a few rows, which are contiguous
    shares: np.ndarray  # (n_curves,), what each curve weighs among them; they sum to one
    lapse_end: np.ndarray  # (n_curves,), where lapses may be large: 1 top, -1 bottom, 0 either
    expects_rare: np.ndarray  # (n_curves,) of bool, which a stated prior of the prevalence replaces
    discrepancy: DiscrepancyScale
    misspecification: str = ""

    @property
    def n_curves(self) -> int:
        return self.curves.shape[1]

    def times(self, factor: float) -> PriorCurves:
        """Return the same curves with their weight multiplied by a factor."""
        return replace(self, prior_weight=factor * self.prior_weight)

    def __repr__(self) -> str:
        weight = f"weight={self.prior_weight:.3g}"
        return f"PriorCurves({self.name!r}, n_curves={self.n_curves}, {weight})"


@dataclass(frozen=True)
class Expert(ABC):
    """A prior over curves of P(y = 1 | score), made from the scores alone.

    A custom expert is a frozen dataclass with a `name` and a method `curves`. Pass an instance, as
    in ``experts=["auto", Mine()]``; :doc:`/user_guide/prior_knowledge` has an example. The experts
    of this package are in `EXPERTS`.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, at least 32
        Number of curves to draw.
    weight : float, default=None
        Prior weight of the expert among all experts. None means the default for the kind of the
        scores.
    """

    name: ClassVar[str]
    # What the expert weighs for each kind of scores; "default" for kinds that are not named.
    weights: ClassVar[dict[str, float]] = {"default": 0.1}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale()
    # True for an expert that is made of a fit of families to the scores.
    needs_fit: ClassVar[bool] = False
    # Of an expert of scores that do not rank items as a classifier should: what is wrong with them.
    misspecification: ClassVar[str] = ""

    n_curves: int = 250
    weight: float | None = field(default=None, kw_only=True)

    def informed(self, posterior: Any, distances: np.ndarray) -> Expert:
        """Return the expert with the fit of the families to the scores; most ignore it.

        Parameters
        ----------
        posterior : MixturePosterior
            The posterior from the scores alone, for every pair of families.
        distances : ndarray of shape (n_pairs,)
            Difference of the observed numbers of scores in the tails from those expected by each
            pair, in standard deviations.
        """
        return self

    def steeper(self, gain: float) -> Expert:
        """Return the expert for a mean of several scores, whose log-odds are steeper by a gain.

        Most experts estimate the spread from the scores and ignore the gain.
        """
        return self

    @abstractmethod
    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        """Draw curves of the log-odds of y = 1 on cells of scores, without any label.

        Parameters
        ----------
        cells : ScoreCells
            Increasing cells of neighboring scores. The attributes are `scores`, the mean of each
            cell; `normal_ranks`, the normal scores of the middle ranks; `shares`, the shares of the
            items; `log_odds`, the log-odds that scores of this kind state; and `n_cells`.
        rng : Generator

        Returns
        -------
        curves : ndarray of shape (n_curves, n_cells)
            The curves, as log-odds, not probabilities.
        """

    def shares(self) -> np.ndarray:
        """Return the weight of each curve of the expert, (n_curves,), up to a factor."""
        return np.ones(self.n_curves)

    def lapse_end(self) -> np.ndarray:
        """Return the end that may have a large lapse rate, (n_curves,): 1 top, -1 bottom, 0 any."""
        return np.zeros(self.n_curves, dtype=np.int8)

    def expects_rare(self) -> np.ndarray:
        """Return which curves assume that one class is rare, (n_curves,) of bool.

        These curves are left out if a prior of the prevalence is given.
        """
        return np.zeros(self.n_curves, dtype=bool)

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label."""
        if self.weight is not None:
            return self.weight
        return self.weights.get(cells.kind.name, self.weights["default"])

    def prior_curves(self, cells: ScoreCells, rng: np.random.Generator) -> PriorCurves:
        """Return the curves of the expert on the cells."""
        if cells.n_cells == 1:
            return self._shares_of_positives()

        curves = np.asarray(self.curves(cells, rng), dtype=float)
        expected = self.n_curves, cells.n_cells
        if curves.shape != expected or np.isnan(curves).any():
            received = "NaN" if curves.shape == expected else f"an array of shape {curves.shape}"
            raise ValueError(
                f"curves of the expert {self.name!r} must return log-odds of shape (n_curves, "
                f"n_cells), {expected} here, without NaN; got {received}."
            )
        curves = np.clip(curves, -MAX_LOG_ODDS, MAX_LOG_ODDS)
        shares = self.shares()
        return PriorCurves(
            self.name,
            self.prior_weight(cells),
            np.ascontiguousarray(curves.T),
            shares / shares.sum(),
            self.lapse_end(),
            self.expects_rare(),
            self.discrepancy,
            self.misspecification,
        )

    def _shares_of_positives(self) -> PriorCurves:
        """Return uniform shares of positives, for one score of all items."""
        n = self.n_curves
        curves = special.logit((np.arange(n) + 0.5) / n)[np.newaxis]
        no_discrepancy = DiscrepancyScale(*[0.0] * len(fields(DiscrepancyScale)))
        ends = np.zeros(n, dtype=np.int8)
        rare = np.zeros(n, dtype=bool)
        return PriorCurves(self.name, 1.0, curves, np.full(n, 1.0 / n), ends, rare, no_discrepancy)


@dataclass(frozen=True, eq=False)
class CurveEnsemble(FrozenArrays):
    """Prior curves of all experts, drawn from the scores once, updated often."""

    cells: ScoreCells
    parts: tuple[PriorCurves, ...]  # whose curves are columns of all of them
    curves: np.ndarray  # (n_cells, n_curves), of all experts
    basis: np.ndarray  # (n_cells, n_functions), of the discrepancy
    prevalence_prior: BetaPrior

    @classmethod
    def of(
        cls,
        cells: ScoreCells,
        experts: list[Expert],
        rng: np.random.Generator,
        prevalence_prior: BetaPrior = UNIFORM,
        *,
        factors: Sequence[float] | None = None,
    ) -> CurveEnsemble:
        """Draw the curves of every expert with a positive weight.

        The weight of each is multiplied by one of the `factors`, if they are given.
        """
        factors = [1.0] * len(experts) if factors is None else factors

        streams = rng.spawn(len(experts))
        parts = [
            expert.prior_curves(cells, stream).times(factor)
            for expert, stream, factor in zip(experts, streams, factors, strict=True)
            if expert.prior_weight(cells) > 0.0
        ]

        if not parts:
            names = ", ".join(expert.name for expert in experts)
            raise ValueError(
                f"None of the experts {names} has any weight for these scores: give one a positive "
                f"weight=, or add one that does not depend on a fit, such as 'rank_binormal'."
            )

        curves = np.concatenate([part.curves for part in parts], axis=1)
        ends = np.cumsum([part.n_curves for part in parts])
        columns = [
            replace(part, curves=curves[:, end - part.n_curves : end])
            for part, end in zip(parts, ends, strict=True)
        ]
        basis = rank_functions(cells.normal_ranks)
        return cls(cells, tuple(columns), curves, basis, prevalence_prior)

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
    def spreads(self) -> np.ndarray:
        """The standard deviation of each curve over the items, within bounds, (n_curves,)."""
        return self.spreads_of(self.curves)

    def spreads_of(self, curves: np.ndarray) -> np.ndarray:
        """Return the standard deviation of curves, (n_cells, n), over the items: (n,)."""
        mean = np.einsum("ij,i->j", curves, self.cells.shares)
        variance = np.einsum("ij,ij,i->j", curves, curves, self.cells.shares) - mean**2
        return np.clip(np.sqrt(np.maximum(variance, 0.0)), *SPREADS)

    @property
    def tied_ends(self) -> tuple[bool, bool]:
        """Whether the scores begin, and end, in a heavy tie that is not one of votes."""
        if self.cells.kind.name == "votes":
            return False, False
        ties = heavy_ties(self.cells)
        return 0 in ties, self.cells.n_cells - 1 in ties
