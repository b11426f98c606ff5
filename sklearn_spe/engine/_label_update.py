r"""The label update: from components and labels to posterior draws of curves.

Labels update prior curves: Laplace's approximation, corrected by importance weights.

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
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import special

from ..inference._draws import smooth_log_weights
from ..inference._modes import OneBlasThread
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays
from ._components import CurveComponents, EffectDraws
from ._conjugate_curves import with_conjugate_curves
from ._curvature import Curvature, CurvatureRoots, DesignColumns
from ._laplace import LabelRows, Regressions
from ._prevalence_information import PrevalenceInformation, TotalObservation

# So many draws for each that is asked for.
N_PROPOSED = 2
# After two steps components with this much less log weight than the best are left; the others climb
# until a step adds no more than the tolerance to the log density.
FIRST_STEPS, LAST_STEPS, NEGLIGIBLE, TOLERANCE = 2, 20, 12.0, 2e-3
# Of each combination of effect sizes so many components climb in any case.
N_CLIMBING = 4
# Steps to the mode of the density with groups integrated out, and to that given a known total.
MARGINAL_STEPS, TOTAL_STEPS = 2, 8
# Rows of designs are held so many numbers at a time.
MAX_NUMBERS = 2**21
# Draws move where a smaller share of the importance weights is effective: so many times, by steps
# of this size.
MOVED_BELOW, MANY_BELOW, N_MOVES, STEP = 0.9, 0.5, (10, 30), 0.6


@dataclass(frozen=True, eq=False)
class ExpertWeights(FrozenArrays):
    """Weights and evidence of each expert, given the labels."""

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
class UpdatedRows(FrozenArrays):
    """Curves on score axes, and random effects, drawn from the posterior given the labels."""

    curves: tuple[AxisCurves, ...]  # of each axis, in the order of the draws
    bottom: np.ndarray  # (n_draws,), the lapse rates
    top: np.ndarray
    spread: np.ndarray  # (n_draws,), of each curve over the items
    effects: tuple[EffectDraws, ...]
    expert: np.ndarray  # (n_draws,), of the experts of all axes
    component: np.ndarray  # (n_draws,), of int: which of them share a prior curve
    weights: ExpertWeights
    ess: float  # how many independent draws they are worth
    pareto_k: float  # k-hat of the importance weights

    @cached_property
    def curve_shares(self) -> np.ndarray:
        """The share of the draws that have the same prior curve as each draw, (n_draws,)."""
        _, index, counts = np.unique(self.component, return_inverse=True, return_counts=True)
        return counts[index] / len(self.component)

    @property
    def n_curves(self) -> float:
        """Effective number of prior curves: 1 / the sum of their squared shares of the draws."""
        return float(1.0 / self.curve_shares.mean())

    @cached_property
    def log_odds(self) -> np.ndarray:
        """The log-odds at the cells of the only axis, random effects aside, (n_draws, n_cells)."""
        (on_axis,) = self.curves
        curves = on_axis.curves * on_axis.slope + on_axis.added
        log_odds = lapsed(curves, self.bottom, self.top).T
        log_odds.flags.writeable = False
        return log_odds


def update_labels(
    components: CurveComponents,
    rows: LabelRows,
    information: PrevalenceInformation,
    n_draws: int,
    rng: np.random.Generator,
    floor: float = 0.0,
) -> UpdatedRows:
    """Draw curves on score axes, and random effects, given labels and what else is known.

    Effects that no label touches come from their prior, at the size that labels support. Experts
    whose curves are drawn given the labels keep at least the share `floor` of the draws.
    """
    with OneBlasThread():
        components = with_conjugate_curves(components, rows, information.prior, rng)
        update = _Update(components, rows, information, floor)
        drawn, coefficients, ess, pareto_k = update.draw(n_draws, rng)

    # In a random order, so that draws of several fits are independent, pair by pair; draws of one
    # axis stay neighbors.
    order = rng.permutation(n_draws)
    order = order[np.argsort(components.axis[drawn[order]], kind="stable")]
    drawn, coefficients = drawn[order], coefficients[order]

    effects = []
    for j, effect in enumerate(components.effects.effects):
        normal = rng.standard_normal((n_draws, effect.n_columns))
        normal[:, update.layout.touched[j]] = coefficients[:, update.layout.effects[j]]
        effects.append(EffectDraws(components.sizes[drawn, j], normal))

    n_axes = len(components.ensembles)
    ends = np.searchsorted(components.axis[drawn], np.arange(n_axes + 1)).tolist()
    curves = tuple(
        update.on_axis(drawn[first:last], coefficients[first:last], axis, first)
        for axis, (first, last) in enumerate(pairwise(ends))
    )
    return UpdatedRows(
        curves,
        components.bottom[drawn],
        components.top[drawn],
        components.spread[drawn],
        tuple(effects),
        components.expert[drawn],
        drawn,
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
            columns[kind].append(rows.columns(effect)[:, own])
        self.n, self.n_dense = first["groups"], self.stretch + 1 + n_stretch
        self.has_groups = self.n_dense < self.n
        stretching, groups = np.hstack(columns["stretch"]), np.hstack(columns["groups"])
        level, stretch = slice(0, 1), slice(self.stretch, self.stretch + 1)
        blocks = (level, self.basis, stretch, *self.effects)
        self.columns = [
            DesignColumns(
                np.hstack([one, basis, *columns["shift"][1:]]), stretching, groups, blocks
            )
            for basis in components.basis_at(rows.places)
        ]

    @property
    def size_by_coefficients(self) -> int:
        """The numbers that the curvature of a component takes in the space of coefficients."""
        return self.n_dense * self.n


@dataclass(frozen=True, eq=False)
class _Proposals:
    """Draws of components, and the normal distributions within each."""

    components: np.ndarray  # (m,), those that occur, in order
    at: np.ndarray  # (n_proposals,), which of them each proposal has
    roots: CurvatureRoots
    log_scale: np.ndarray  # (m,), the log importance weight but for the density and |x|^2 / 2


class _Update:
    """The posterior of components given rows of labels."""

    def __init__(
        self,
        components: CurveComponents,
        rows: LabelRows,
        information: PrevalenceInformation,
        floor: float = 0.0,
    ):
        self.components, self.rows, self.information = components, rows, information
        self.layout = _Layout(components, rows)
        self._curves = components.curves_at(rows.places)
        self.modes = np.zeros((components.n, self.layout.n))
        self.log_evidence = np.zeros(components.n)
        if rows.n_rows or information.total is not None:
            self._climb()
        if not information.is_empty:
            every = np.arange(components.n)
            self.log_evidence += self._log_weight_of_prevalence(every, self.modes)
        self.log_weights = components.log_prior + self.log_evidence
        self._raise_to(floor)

    def draw(self, n_draws: int, rng: np.random.Generator):
        """Return components (n_draws,), coefficients, the effective sample size and k-hat."""
        many = N_PROPOSED * n_draws
        proposals = self._proposals(
            systematic_resample(special.softmax(self.log_weights), rng, many)
        )
        x, at = rng.standard_normal((many, self.layout.n_dense)), proposals.at
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
        if self.layout.has_groups:
            c = self._with_groups(proposals, at, c, rng)
        return proposals.components[at], c, float(n_draws * effective), float(pareto_k)

    def _raise_to(self, floor: float) -> None:
        """Raise the weights of conjugate experts together to a share of all, if it is less."""
        is_conjugate = self.components.is_conjugate
        if floor == 0.0 or not is_conjugate.any() or is_conjugate.all():
            return
        by_rates, by_others = (
            special.logsumexp(self.log_weights[own]) for own in (is_conjugate, ~is_conjugate)
        )
        missing = special.logit(floor) - (by_rates - by_others)
        if missing > 0.0:
            self.log_weights[is_conjugate] += missing

    def _proposals(self, k) -> _Proposals:
        """Return the normal distributions from which proposals are drawn."""
        components, at = np.unique(k, return_inverse=True)
        curvatures = [
            self._curvature(some)
            for some, _ in self._tiles(components, self.layout.size_by_coefficients)
        ]
        roots = CurvatureRoots.joined([curvature.roots() for curvature in curvatures])
        # Up to the constant that it shares with the prior, log q is -|x|^2 / 2 - log |root|.
        return _Proposals(components, at, roots, roots.log_det() - self.log_evidence[components])

    @property
    def expert_weights(self) -> ExpertWeights:
        """Weights and evidence of each expert, given the labels."""
        components, n = self.components, len(self.components.names)
        within = components.log_prior - components.log_weights[components.expert]
        parts = [(within + self.log_evidence)[components.expert == j] for j in range(n)]
        log_evidence = np.array([special.logsumexp(part) for part in parts])
        shares = [special.softmax(part) for part in parts]
        return ExpertWeights(
            components.names,
            np.exp(components.log_weights),
            np.bincount(components.expert, special.softmax(self.log_weights), n),
            log_evidence,
            np.array([1.0 / np.einsum("i,i->", w, w) for w in shares]),
            tuple(part.misspecification for e in components.ensembles for part in e.parts),
        )

    def _climb(self):
        """Find the modes of the components that keep weight, and the evidence of all."""
        every, log_prior = np.arange(self.components.n), self.components.log_prior
        expected = log_prior + self._to_modes(every, FIRST_STEPS) + self.log_evidence
        if self.components.sizes.shape[1]:
            expected += self._understated(expected)
        reached = log_prior + self.log_evidence
        known = np.zeros(len(every))
        if self.information.total is not None:
            known = self._expected_log_weight(every)
        elif not self.information.is_empty:
            known = self._log_weight_of_prevalence(every, self.modes)
        promising = every[expected + known > (reached + known).max() - NEGLIGIBLE]
        self._to_modes(promising, LAST_STEPS)
        if self.information.total is not None:
            for some, _ in self._tiles(promising, self.layout.size_by_coefficients):
                self._to_total(some)
        elif self.layout.has_groups:
            for some, _ in self._tiles(promising, self.layout.columns[0].size_of_curvature):
                self._integrate_groups(some)

    def _expected_log_weight(self, k) -> np.ndarray:
        """Return the log weight that a known total should give components, at their modes."""
        log_weight = np.empty(len(k))
        for some, rows in self._tiles(k, self.layout.size_by_coefficients):
            curvature = self._regressions(some).derivatives(self.modes[some])[1]
            observation = self._observed_total(some)
            log_weight[rows] = observation.log_evidence(curvature)
        return log_weight

    def _to_total(self, k):
        """Move components to the modes of their densities given a known total as well."""
        regressions = self._regressions(k)
        for _ in range(TOTAL_STEPS):
            gradient, curvature, _ = regressions.derivatives(self.modes[k])
            observation = self._observed_total(k)
            gradient = gradient + observation.gradient(gradient.shape[1])
            self.modes[k] += observation.added_to(curvature).solve(gradient)

        if self.layout.has_groups:
            n, roots = self.layout.n_dense, self._curvature(k).roots()
            where = self.modes[k, :n], self.modes[k, n:], roots.deviation
            self.log_evidence[k] = regressions.log_marginal(*where) + roots.log_det()
        else:
            height, curvature = regressions.log_density(self.modes[k]), self._curvature(k)
            self.log_evidence[k] = height - 0.5 * curvature.log_det()

    def _curvature(self, k) -> Curvature:
        """Return the curvatures at the modes of components of one axis."""
        curvature = self._regressions(k).derivatives(self.modes[k])[1]
        if self.information.total is None:
            return curvature
        return self._observed_total(k).added_to(curvature)

    def _observed_total(self, k) -> TotalObservation:
        """Return the known total as an observation of components of one axis, at their modes."""
        components, layout = self.components, self.layout
        axis, c = components.axis[k[0]], self.modes[k]
        curves = self.on_axis(k, c, axis, 0)
        lapse = components.bottom[k], components.top[k]
        log_odds = (curves.curves * curves.slope + curves.added).T
        by_log_odds, *observed = self.information.observation(log_odds, *lapse, axis)

        slope = np.zeros((len(k), layout.n_dense))
        slope[:, 0] = components.shift[k] * by_log_odds.sum(axis=1)
        roughness = components.roughness[k, np.newaxis]
        slope[:, layout.basis] = roughness * (by_log_odds @ components.basis[axis])
        stretched = np.einsum("ij,ji->i", by_log_odds, curves.curves)
        slope[:, layout.stretch] = components.stretch[k] * stretched
        return TotalObservation(slope, *observed)

    def _integrate_groups(self, k):
        """Set components to the modes of their densities with groups integrated out."""
        climbed = self._regressions(k).marginal_climb(self.modes[k], MARGINAL_STEPS)
        self.modes[k], self.log_evidence[k] = climbed

    def _understated(self, expected) -> np.ndarray:
        """Return what two steps understate of the log evidence of each component, by its sizes.

        Curvatures fall between the start and the mode, the more the more coefficients there are and
        the larger these may be: the best of each combination of sizes climb, and tell how much.
        """
        log_prior = self.components.log_prior
        order = np.argsort(-(log_prior + self.log_evidence), kind="stable")
        combinations, size = np.unique(self.components.sizes, axis=0, return_inverse=True)
        of_order, n = size.ravel()[order], len(combinations)
        best = np.sort(np.concatenate([order[of_order == j][:N_CLIMBING] for j in range(n)]))
        rise = self._to_modes(best, LAST_STEPS)
        largest = np.zeros(n)
        found = log_prior[best] + self.log_evidence[best] + rise - expected[best]
        np.maximum.at(largest, size.ravel()[best], found)
        return largest[size.ravel()]

    def _to_modes(self, k, n_steps: int) -> np.ndarray:
        """Take steps, set the evidence of components, and return what further ones should add."""
        rise = np.empty(len(k))
        size = self.layout.columns[0].size_of_curvature
        for components, rows in self._tiles(k, size):
            regressions = self._regressions(components)
            climbed = regressions.climb(self.modes[components], n_steps, TOLERANCE)
            self.modes[components], self.log_evidence[components], rise[rows] = climbed
        return rise

    def _tiles(self, k, size: int = 0):
        """Yield components of one axis, some at a time, and their indices in `k`, in order.

        Each takes `size` numbers, or as many as there are rows or coefficients if these are more.
        """
        step = max(1, MAX_NUMBERS // max(1, self.rows.n_rows, self.layout.n, size))
        for _, on_axis in self.components.axes_of(k):
            for first in range(on_axis.start, on_axis.stop, step):
                rows = slice(first, min(first + step, on_axis.stop))
                yield k[rows], rows

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
        """Return coefficients for standard normal draws, and their log importance weights.

        Those of groups are integrated out.
        """
        c = np.empty_like(x)
        log = proposals.log_scale[at] + 0.5 * np.einsum("ij,ij->i", x, x)
        # Components that a move mixed are put in order.
        order = np.argsort(at, kind="stable")
        for k, own in self._tiles(proposals.components[at[order]]):
            rows = order[own]
            moved = proposals.roots.times(at[rows], x[rows])
            c[rows] = self.modes[k, : self.layout.n_dense] + moved
            regressions = self._regressions(k)
            if self.layout.has_groups:
                log[rows] += regressions.log_marginal(
                    c[rows], *self._groups(proposals, at[rows], moved)
                )
            else:
                log[rows] += regressions.log_density(c[rows])
        if not self.information.is_empty:
            ordered = self._log_weight_of_prevalence(proposals.components[at[order]], c[order])
            log[order] += ordered
        return c, log

    def _groups(self, proposals: _Proposals, at, moved):
        """Return centers and deviations of groups, given how far the others are from the modes."""
        modes = self.modes[proposals.components[at], self.layout.n_dense :]
        return modes + proposals.roots.shifts_of_groups(at, moved), proposals.roots.deviation[at]

    def _with_groups(self, proposals: _Proposals, at, c, rng) -> np.ndarray:
        """Return coefficients of draws, in order, with those of groups drawn given the others."""
        n, drawn = self.layout.n_dense, np.empty((len(at), self.layout.n))
        for k, own in self._tiles(proposals.components[at], self.layout.size_by_coefficients):
            center, deviation = self._groups(proposals, at[own], c[own] - self.modes[k, :n])
            drawn[own, :n] = c[own]
            drawn[own, n:] = self._regressions(k).draw_groups(c[own], center, deviation, rng)
        return drawn

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

    def _log_weight_of_prevalence(self, k, c) -> np.ndarray:
        """Return the log weight by the prevalence that curves imply, random effects aside."""
        log_weight, components = np.empty(len(k)), self.components
        for axis, of_axis in components.axes_of(k):
            shares = components.ensembles[axis].cells.shares
            for first in range(of_axis.start, of_axis.stop, 512):
                rows = slice(first, min(first + 512, of_axis.stop))
                p = special.expit(self.log_odds_on_cells(k[rows], c[rows], axis))
                log_weight[rows] = self.information.log_weight(p, shares, axis)
        return log_weight

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
