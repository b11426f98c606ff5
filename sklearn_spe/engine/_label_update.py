r"""Labels update prior curves: Laplace's approximation, corrected by importance weights.

Labels enter through p(y | item) alone. Which items were labeled may therefore depend on their
scores and on earlier labels in any way, and no correction is needed. Where it depends on the class
in a way that is known (`Inclusion`), that is a part of the likelihood.

1. Fisher scoring finds the mode and the Laplace evidence :math:`Z_k` of each component; components
   that keep no weight are left after a few steps.
2. Draws come from components by their weight, and from :math:`q = N(c^*, H^{-1})` within each;
   their importance weights are :math:`L(c) N(c; 0, I) / \{q(c) Z_k\}`, Pareto smoothed.
3. Where random effects make these weights uneven, draws are moved to other components and by
   preconditioned Crank-Nicolson steps. The reference of these moves is the distribution of the
   proposals, so that the ratio of importance weights accepts them, and the posterior stays exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from .._parameter import BetaPrior
from ..inference._blas import OneBlasThread
from ..inference._pareto import smooth_log_weights
from ..inference._smc import systematic_resample
from ..sample._sample import ScoreSample
from ._components import CurveComponents
from ._label_rows import LabelRows
from ._laplace import CurvatureRoots, DesignColumns, Regressions
from ._random_effects import EffectDraws
from ._score_axis import ScoreAxis

__all__ = ["AxisCurves", "ExpertWeights", "UpdatedCurves", "UpdatedItems", "lapsed"]

# So many draws for each that is asked for.
N_PROPOSED = 2
# After a few steps components with this much less log weight than the best are left; the others
# climb until no coefficient moves by more than the tolerance.
FIRST_STEPS, LAST_STEPS, NEGLIGIBLE, TOLERANCE = 2, 30, 15.0, 1e-2
# Rows of designs are held so many numbers at a time.
MAX_NUMBERS = 2**21
# Draws move where a smaller share of the importance weights is effective: so many times, by steps
# of this size.
MOVED_BELOW, MANY_BELOW, N_MOVES, STEP = 0.9, 0.5, (10, 30), 0.6


@dataclass(frozen=True, eq=False)
class ExpertWeights(FrozenArrays):
    """What the labels say for each expert."""

    names: tuple[str, ...]
    prior: np.ndarray  # (n_experts,), before the labels; sums to one
    posterior: np.ndarray  # (n_experts,), after them
    log_evidence: np.ndarray  # (n_experts,), the log probability of the labels under each
    ess: np.ndarray  # (n_experts,), how many curves are effective once weighted by the labels
    misspecification: tuple[str, ...]  # what is wrong with the scores if the expert is right

    def to_frame(self):
        """Return a pandas DataFrame, one row an expert."""
        import pandas as pd

        return pd.DataFrame(vars(self))


@dataclass(frozen=True, eq=False)
class UpdatedCurves(FrozenArrays):
    """Curves of one score axis, drawn from the posterior of all experts."""

    log_odds: np.ndarray  # (n_draws, n_cells), of equal weight
    expert: np.ndarray  # (n_draws,), of which expert each is
    weights: ExpertWeights
    ess: float  # how many independent draws they are worth
    pareto_k: float  # k-hat of the importance weights


@dataclass(frozen=True, eq=False)
class AxisCurves(FrozenArrays):
    """Neighboring draws whose curves live on one score axis."""

    first: int
    last: int
    curves: np.ndarray  # (n_cells, last - first), the prior curves
    slope: np.ndarray  # (last - first,), by which they are multiplied
    added: np.ndarray  # (n_cells, last - first)

    def of(self, draws: slice) -> AxisCurves:
        """Return some of all draws."""
        own = slice(draws.start - self.first, draws.stop - self.first)
        return AxisCurves(
            draws.start, draws.stop, self.curves[:, own], self.slope[own], self.added[:, own]
        )


@dataclass(frozen=True, eq=False)
class UpdatedItems(FrozenArrays):
    """Curves on several score axes, and random effects, drawn from the posterior of all."""

    curves: tuple[AxisCurves, ...]  # of each axis, in the order of the draws
    bottom: np.ndarray  # (n_draws,), the lapse rates
    top: np.ndarray
    spread: np.ndarray  # (n_draws,), of each curve over the items
    effects: tuple[EffectDraws, ...]
    expert: np.ndarray  # (n_draws,), of the experts of all axes
    weights: ExpertWeights
    ess: float
    pareto_k: float


def update_scores(
    components: CurveComponents,
    sample: ScoreSample,
    prevalence_prior: BetaPrior,
    n_draws: int,
    rng: np.random.Generator,
) -> UpdatedCurves:
    """Draw curves from the posterior, given the labels of a sample of one column of scores."""
    (ensemble,) = components.ensembles
    rows = LabelRows.of_scores(ensemble.cells, sample)
    with OneBlasThread():
        update = _Update(components, rows, prevalence_prior)
        k, c, ess, pareto_k = update.draw(n_draws, rng)
    log_odds = update.log_odds_on_cells(k, c, 0)
    return UpdatedCurves(log_odds, components.expert[k], update.expert_weights, ess, pareto_k)


def update_items(
    components: CurveComponents,
    axes: tuple[ScoreAxis, ...],
    codes,
    prevalence_prior: BetaPrior,
    n_draws: int,
    rng: np.random.Generator,
) -> UpdatedItems:
    """Draw curves on several axes, and random effects, given codes of items: 1, 0 or -1.

    Effects that no label touches come from their prior, at the size that labels support.
    """
    rows = LabelRows.of_items(axes, codes)
    with OneBlasThread():
        update = _Update(components, rows, prevalence_prior)
        k, c, ess, pareto_k = update.draw(n_draws, rng)
    effects = []
    for j, effect in enumerate(components.effects.effects):
        normal = rng.standard_normal((n_draws, effect.n_columns))
        normal[:, update.layout.touched[j]] = c[:, update.layout.effects[j]]
        effects.append(EffectDraws(components.sizes[k, j], normal))
    of_axes = np.searchsorted(components.axis[k], np.arange(len(axes) + 1)).tolist()
    return UpdatedItems(
        tuple(
            update.on_axis(k[first:last], c[first:last], axis, first)
            for axis, (first, last) in enumerate(pairwise(of_axes))
        ),
        components.bottom[k],
        components.top[k],
        components.spread[k],
        tuple(effects),
        components.expert[k],
        update.expert_weights,
        ess,
        pareto_k,
    )


def lapsed(log_odds, bottom, top) -> np.ndarray:
    """Return log-odds with lapses at both ends: logit of bottom + (1 - bottom - top) p."""
    kept = 1.0 - bottom - top
    # Each side by itself, so that neither end loses its digits.
    upper = np.log(bottom + kept * special.expit(log_odds))
    return upper - np.log(top + kept * special.expit(-log_odds))


class _Layout:
    """Which coefficient is which, and the columns of random effects at the rows of labels.

    Columns that enter as they are come first, then those that stretch the curve, then the
    indicators of one effect's groups.
    """

    def __init__(self, components: CurveComponents, rows: LabelRows):
        effects = components.effects.effects
        self.touched = [effect.touched(rows.items) for effect in effects]
        sizes = [len(own) for own in self.touched]
        grouped = [n if effect.are_groups else 0 for n, effect in zip(sizes, effects, strict=True)]
        largest = int(np.argmax(grouped)) if any(grouped) else -1
        kinds = ["groups" if j == largest else effect.on for j, effect in enumerate(effects)]
        one = np.ones((rows.n_rows, 1))
        columns = {"shift": [one], "stretch": [one], "groups": [one[:, :0]]}
        n_functions = components.n_functions
        n_shift = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "shift")
        n_stretch = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "stretch")
        self.basis = slice(1, 1 + n_functions)
        self.stretch = 1 + n_functions + n_shift
        first = {
            "shift": 1 + n_functions,
            "stretch": self.stretch + 1,
            "groups": self.stretch + 1 + n_stretch,
        }
        self.effects = []
        for effect, kind, own in zip(effects, kinds, self.touched, strict=True):
            self.effects.append(slice(first[kind], first[kind] + len(own)))
            first[kind] += len(own)
            columns[kind].append(effect.columns(rows.items)[:, own])
        self.n = first["groups"]
        stretching, groups = np.hstack(columns["stretch"]), np.hstack(columns["groups"])
        self.columns = [
            DesignColumns(np.hstack([one, basis, *columns["shift"][1:]]), stretching, groups)
            for basis in components.basis_at(rows.places)
        ]


@dataclass(frozen=True, eq=False)
class _Proposals:
    """Draws of components, and the normal distributions within each."""

    components: np.ndarray  # (m,), those that occur, in order
    at: np.ndarray  # (n_proposals,), which of them each proposal has
    roots: CurvatureRoots
    log_scale: np.ndarray  # (m,), the log importance weight but for the density and |x|^2 / 2


class _Update:
    """The posterior of components given rows of labels."""

    def __init__(self, components: CurveComponents, rows: LabelRows, prevalence_prior: BetaPrior):
        self.components, self.rows, self.prevalence_prior = components, rows, prevalence_prior
        self.layout = _Layout(components, rows)
        self._curves = components.curves_at(rows.places)
        self.modes = np.zeros((components.n, self.layout.n))
        self.log_evidence = np.zeros(components.n)
        if rows.n_rows:
            self._climb()
        if not prevalence_prior.is_flat:
            every = np.arange(components.n)
            self.log_evidence += self._log_prevalence_prior(every, self.modes)
        self.log_weights = components.log_prior + self.log_evidence

    def draw(self, n_draws: int, rng: np.random.Generator):
        """Return components (n_draws,), coefficients, the effective sample size and k-hat."""
        many = N_PROPOSED * n_draws
        proposals = self._proposals(
            systematic_resample(special.softmax(self.log_weights), rng, many)
        )
        x, at = rng.standard_normal((many, self.layout.n)), proposals.at
        c, importance = self._importance(proposals, at, x)
        log_weights, pareto_k = smooth_log_weights(importance)
        share = special.softmax(log_weights)
        effective = 1.0 / np.einsum("i,i->", share, share) / many
        chosen = systematic_resample(share, rng, n_draws)
        at, c = at[chosen], c[chosen]
        if effective < MOVED_BELOW:
            at, c, effective = self._moved(
                proposals, at, x[chosen], c, importance[chosen], effective, rng
            )
            # Draws of one axis are neighbors.
            order = np.argsort(at, kind="stable")
            at, c = at[order], c[order]
        return proposals.components[at], c, float(n_draws * effective), float(pareto_k)

    def _proposals(self, k) -> _Proposals:
        """Return what is needed of the components of proposals to draw from them."""
        components, at = np.unique(k, return_inverse=True)
        curvatures = [
            self._regressions(some).derivatives(self.modes[some])[1]
            for some, _ in self._tiles(components)
        ]
        roots = CurvatureRoots.joined([curvature.roots() for curvature in curvatures])
        # Up to the constant that it shares with the prior, log q is -|x|^2 / 2 - log |root|.
        return _Proposals(components, at, roots, roots.log_det() - self.log_evidence[components])

    @property
    def expert_weights(self) -> ExpertWeights:
        """What the labels say for each expert."""
        components, n = self.components, len(self.components.names)
        within = components.log_prior - components.log_weights[components.expert]
        parts = [(within + self.log_evidence)[components.expert == j] for j in range(n)]
        log_evidence = np.array([special.logsumexp(part) for part in parts])
        shares = [special.softmax(part) for part in parts]
        return ExpertWeights(
            components.names,
            np.exp(components.log_weights),
            special.softmax(components.log_weights + log_evidence),
            log_evidence,
            np.array([1.0 / np.einsum("i,i->", w, w) for w in shares]),
            tuple(part.misspecification for e in components.ensembles for part in e.parts),
        )

    def _climb(self):
        """Find the modes of the components that keep weight, and the evidence of all."""
        every = np.arange(self.components.n)
        rise = self._to_modes(every, FIRST_STEPS)
        log_weights = self.components.log_prior + self.log_evidence
        promising = log_weights + rise > log_weights.max() - NEGLIGIBLE
        self._to_modes(every[promising], LAST_STEPS)

    def _to_modes(self, k, n_steps: int) -> np.ndarray:
        """Take steps, set the evidence of components, and return what further ones should add."""
        rise = np.empty(len(k))
        for some, own in self._tiles(k):
            climbed = self._regressions(some).climb(self.modes[some], n_steps, TOLERANCE)
            self.modes[some], self.log_evidence[some], rise[own] = climbed
        return rise

    def _tiles(self, k):
        """Yield components of one axis, some at a time, and their places; `k` is in order."""
        n_dense = self.layout.columns[0].n_dense
        step = max(1, MAX_NUMBERS // max(1, self.rows.n_rows, n_dense * self.layout.n))
        for _, own in self.components.axes_of(k):
            for first in range(own.start, own.stop, step):
                some = slice(first, min(first + step, own.stop))
                yield k[some], some

    def _regressions(self, k) -> Regressions:
        """Return the regressions of some components of one axis on the labels."""
        components, layout, axis = self.components, self.layout, self.components.axis[k[0]]
        scale = np.empty((len(k), layout.n))
        scale[:, 0], scale[:, layout.stretch] = components.shift[k], components.stretch[k]
        scale[:, layout.basis] = components.roughness[k, np.newaxis]
        for j, effect in enumerate(components.effects.effects):
            size = components.sizes[k, j] * (components.spread[k] if effect.scaled else 1.0)
            scale[:, layout.effects[j]] = size[:, np.newaxis]
        return Regressions(
            self._curves[axis][:, components.curve[k]].T,
            layout.columns[axis],
            scale,
            components.bottom[k, np.newaxis],
            components.room[k, np.newaxis],
            self.rows,
        )

    def _importance(self, proposals: _Proposals, at, x):
        """Return coefficients for standard normal draws, and their log importance weights."""
        c = np.empty_like(x)
        log = proposals.log_scale[at] + 0.5 * np.einsum("ij,ij->i", x, x)
        # Components that a move mixed are put in order.
        order = np.argsort(at, kind="stable")
        for k, own in self._tiles(proposals.components[at[order]]):
            rows = order[own]
            c[rows] = self.modes[k] + proposals.roots.times(at[rows], x[rows])
            log[rows] += self._regressions(k).log_density(c[rows])
        if not self.prevalence_prior.is_flat:
            ordered = self._log_prevalence_prior(proposals.components[at[order]], c[order])
            log[order] += ordered
        return c, log

    def _moved(self, proposals: _Proposals, at, x, c, importance, effective: float, rng):
        """Return components, coefficients after moves, and the effective share of draws.

        Every other move proposes another component as well, with the same standard normal draws.
        """
        n, n_accepted, stayed = len(at), np.zeros(len(at)), np.ones(len(at), dtype=bool)
        for move in range(N_MOVES[0] if effective > MANY_BELOW else N_MOVES[1]):
            other = at
            if move % 2:
                other = proposals.at[rng.integers(len(proposals.at), size=n)]
            proposed = np.sqrt(1.0 - STEP**2) * x + STEP * rng.standard_normal(x.shape)
            new, log = self._importance(proposals, other, proposed)
            accepted = np.log(rng.random(n)) < log - importance
            at = np.where(accepted, other, at)
            x, c = (np.where(accepted[:, np.newaxis], *pair) for pair in ((proposed, x), (new, c)))
            importance = np.where(accepted, log, importance)
            n_accepted += accepted
            if move % 2:
                stayed &= ~accepted
        # What draws have kept of where they started, of which so many were alike: the worse of
        # their coefficients and their components.
        left = max(float(np.mean((1.0 - STEP**2) ** n_accepted)), float(stayed.mean()))
        return at, c, 1.0 / (1.0 + (1.0 / effective - 1.0) * left)

    def _log_prevalence_prior(self, k, c) -> np.ndarray:
        """Return the log prior of the prevalence that curves imply, random effects aside."""
        log, components = np.empty(len(k)), self.components
        for axis, own in components.axes_of(k):
            shares = components.ensembles[axis].cells.shares
            for first in range(own.start, own.stop, 512):
                some = slice(first, min(first + 512, own.stop))
                p = special.expit(self.log_odds_on_cells(k[some], c[some], axis))
                prevalence = np.clip(np.einsum("ij,j->i", p, shares), 1e-12, 1.0 - 1e-12)
                log[some] = self.prevalence_prior.logpdf(prevalence)
        return log

    def log_odds_on_cells(self, k, c, axis: int) -> np.ndarray:
        """Return the log-odds of an axis's cells for draws of components on it, (n, n_cells)."""
        own, components = self.on_axis(k, c, axis, 0), self.components
        f = own.curves * own.slope + own.added
        return lapsed(f, components.bottom[k], components.top[k]).T

    def on_axis(self, k, c, axis: int, first: int) -> AxisCurves:
        """Return the curves of draws of components on an axis, of which `first` is the first."""
        components, layout = self.components, self.layout
        smooth = components.roughness[k, np.newaxis] * c[:, layout.basis]
        return AxisCurves(
            first,
            first + len(k),
            components.ensembles[axis].curves[:, components.curve[k]],
            1.0 + components.stretch[k] * c[:, layout.stretch],
            components.shift[k] * c[:, 0] + np.einsum("ij,kj->ik", components.basis[axis], smooth),
        )
