r"""The label update: Laplace's approximation of prior curves, corrected by importance weights.

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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import special

from ..inference._draws import smooth_log_weights
from ..inference._modes import OneBlasThread
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays
from ..inputs._workers import in_parallel
from ._components import CurveComponents, expit_in_place, lapsed
from ._conjugate_curves import with_conjugate_curves
from ._curvature import Curvature, CurvatureRoots, DesignColumns
from ._label_rows import LabelRows
from ._laplace import Regressions
from ._prevalence_information import PrevalenceInformation, TotalObservation
from ._random_effects import EffectDraws, RandomEffect

# So many draws for each that is asked for.
N_PROPOSED = 2
# After two steps components with this much less log weight than the best are left; the others climb
# until a step adds no more than the tolerance to the log density.
FIRST_STEPS, LAST_STEPS, NEGLIGIBLE, TOLERANCE = 2, 20, 12.0, 2e-3
# Of each combination of effect sizes so many components climb in any case.
N_CLIMBING = 4
# Steps to the mode of the density with groups integrated out, and to that given a known total.
MARGINAL_STEPS, TOTAL_STEPS = 2, 8
# Rows of designs are held so many numbers at a time, and curves for their prevalences so many.
MAX_NUMBERS, N_AT_ONCE = 2**21, 512
# Draws move where a smaller share of the importance weights is effective: so many times, by steps
# of this size.
MOVED_BELOW, MANY_BELOW, N_MOVES, STEP = 0.9, 0.5, (10, 30), 0.6
# Where this share of the labels is concentrated on some of the scores, they are no evidence
# of the other items; experts that have the labels alone then keep a floor of the draws.
MOSTLY_CONCENTRATED, FLOOR = 0.5, 0.2


@dataclass(frozen=True, eq=False)
class ExpertWeights(FrozenArrays):
    """Weights and evidence of each expert, given the labels."""

    names: tuple[str, ...]
    prior: np.ndarray  # (n_experts,), before the labels; sums to one
    posterior: np.ndarray  # (n_experts,), after them
    log_evidence: np.ndarray  # (n_experts,), the log probability of the labels under each
    ess: np.ndarray  # (n_experts,), how many curves are effective once weighted by the labels
    misspecification: tuple[str, ...]  # what is wrong with the scores if the expert is right

    def to_frame(self) -> Any:
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
        within = slice(draws.start - self.first, draws.stop - self.first)
        return AxisCurves(
            draws.start,
            draws.stop,
            self.curves[:, within],
            self.slope[within],
            self.added[:, within],
        )


@dataclass(frozen=True, eq=False)
class UpdatedRows(FrozenArrays):
    """Curves on score axes, and random effects, drawn from the posterior given the labels."""

    curves: tuple[AxisCurves, ...]  # of each axis, in the order of the draws
    bottom: np.ndarray  # (n_draws,), the lapse rates
    top: np.ndarray
    spread: np.ndarray  # (n_draws,), of each curve over the items
    steepness: np.ndarray  # (n_draws,), of the curve of a group, relative to the mean over groups
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
    concentration: float = 0.0,
    n_jobs: int | None = None,
) -> UpdatedRows:
    """Draw curves on score axes, and random effects, given labels and other information.

    Effects that no label touches come from their prior, at the size that labels support. The
    `concentration` of the labels is the least share of them that are not spread over the scores as
    the items are, zero of random ones: the larger it is, the less their evidence counts against
    experts whose curves are drawn given the labels. `n_jobs` threads take blocks of components and
    of draws.
    """
    with OneBlasThread():
        components = with_conjugate_curves(components, rows, information.prior, rng)
        update = _Update(components, rows, information, concentration, n_jobs)
        component, coefficients, ess, pareto_k = update.draw(n_draws, rng)

    # In a random order, so that draws of several fits are independent, pair by pair; draws of one
    # axis stay neighbors.
    order = rng.permutation(n_draws)
    order = order[np.argsort(components.axis[component[order]], kind="stable")]
    component = component[order]
    coefficients = coefficients[order]

    # Coefficients that no label touches come from their prior.
    effects = []
    for j, effect in enumerate(components.effects.effects):
        normal = rng.standard_normal((n_draws, effect.n_columns))
        normal[:, update.layout.touched[j]] = coefficients[:, update.layout.effects[j]]
        effects.append(EffectDraws(components.sizes[component, j], normal))

    n_axes = len(components.ensembles)
    ends = np.searchsorted(components.axis[component], np.arange(n_axes + 1)).tolist()
    curves = tuple(
        update.on_axis(component[first:last], coefficients[first:last], axis, first)
        for axis, (first, last) in enumerate(pairwise(ends))
    )
    return UpdatedRows(
        curves,
        components.bottom[component],
        components.top[component],
        components.spread[component],
        components.steepness[component],
        tuple(effects),
        components.expert[component],
        component,
        update.expert_weights,
        ess,
        pareto_k,
    )


class _Layout:
    """Indices of coefficients, and the columns of random effects at the rows of labels.

    Columns that enter as they are come first, then those that stretch the curve, then the
    indicators of one effect's groups.
    """

    def __init__(self, components: CurveComponents, rows: LabelRows):
        effects = components.effects.effects
        self.touched = [effect.touched(rows.items) for effect in effects]
        sizes = [len(columns) for columns in self.touched]
        kinds = _kinds(effects, sizes)
        n_functions = components.n_functions
        n_shift = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "shift")
        n_stretch = sum(n for n, kind in zip(sizes, kinds, strict=True) if kind == "stretch")

        # The level, the basis functions and the effects that shift; the slope and the effects that
        # stretch; groups.
        self.basis = slice(1, 1 + n_functions)
        self.stretch = 1 + n_functions + n_shift
        self.n_dense = self.stretch + 1 + n_stretch
        first = {
            "shift": 1 + n_functions,
            "stretch": self.stretch + 1,
            "groups": self.n_dense,
        }
        one = np.ones((rows.n_rows, 1))
        columns = {"shift": [one], "stretch": [one], "groups": [one[:, :0]]}
        self.effects = []
        for effect, kind, touched in zip(effects, kinds, self.touched, strict=True):
            self.effects.append(slice(first[kind], first[kind] + len(touched)))
            first[kind] += len(touched)
            columns[kind].append(rows.columns(effect)[:, touched])
        self.n = first["groups"]
        self.has_groups = self.n_dense < self.n
        self.is_stretching = np.zeros(self.n, dtype=bool)
        self.is_stretching[self.stretch : self.n_dense] = True

        # Axes differ in their basis functions only.
        stretching = np.hstack(columns["stretch"])
        groups = np.hstack(columns["groups"])
        level = slice(0, 1)
        stretch = slice(self.stretch, self.stretch + 1)
        blocks = (level, self.basis, stretch, *self.effects)
        self.columns = []
        for basis in components.basis_at(rows.places):
            plain = np.hstack([one, basis, *columns["shift"][1:]])
            self.columns.append(DesignColumns(plain, stretching, groups, blocks))

    @property
    def size_by_coefficients(self) -> int:
        """Number of floats that a component's curvature takes in the space of coefficients."""
        return self.n_dense * self.n


def _kinds(effects: tuple[RandomEffect, ...], sizes: list[int]) -> list[str]:
    """Return the columns of each random effect; those of the largest grouping are separate."""
    n_groups = [n if effect.are_groups else 0 for n, effect in zip(sizes, effects, strict=True)]
    largest = int(np.argmax(n_groups)) if any(n_groups) else -1
    return ["groups" if j == largest else effect.on for j, effect in enumerate(effects)]


@dataclass(frozen=True, eq=False)
class _Proposals:
    """Draws of components, and the normal distributions within each."""

    components: np.ndarray  # (m,), those that occur, in order
    index: np.ndarray  # (n_proposals,), which of them each proposal has
    roots: CurvatureRoots
    log_scale: np.ndarray  # (m,), the log importance weight but for the density and |x|^2 / 2


@dataclass(frozen=True, eq=False)
class _Draws:
    """Draws from the proposals, with their log importance weights."""

    index: np.ndarray  # (n_draws,), which component of the proposals each draw has
    noise: np.ndarray  # (n_draws, n_dense), the standard normal draws
    coefficients: np.ndarray  # (n_draws, n_dense)
    log_ratio: np.ndarray  # (n_draws,), the log importance weight

    def take(self, draws: np.ndarray) -> _Draws:
        return _Draws(
            self.index[draws], self.noise[draws], self.coefficients[draws], self.log_ratio[draws]
        )

    def replaced(self, accepted: np.ndarray, proposed: _Draws) -> _Draws:
        """Return the proposed draws where they are accepted, and these elsewhere."""
        column = accepted[:, np.newaxis]
        return _Draws(
            np.where(accepted, proposed.index, self.index),
            np.where(column, proposed.noise, self.noise),
            np.where(column, proposed.coefficients, self.coefficients),
            np.where(accepted, proposed.log_ratio, self.log_ratio),
        )


class _Update:
    """The posterior of components given rows of labels."""

    def __init__(
        self,
        components: CurveComponents,
        rows: LabelRows,
        information: PrevalenceInformation,
        concentration: float = 0.0,
        n_jobs: int | None = None,
    ):
        self.n_jobs = n_jobs
        self.components = components
        self.rows = rows
        self.information = information
        self.layout = _Layout(components, rows)
        self._curves = components.curves_at(rows.places)

        # The modes and the evidence of all components; both are those of the prior at first.
        self.modes = np.zeros((components.n, self.layout.n))
        self.log_evidence = np.zeros(components.n)
        if rows.n_rows or information.total is not None:
            self._climb()
        if not information.is_empty:
            all_components = np.arange(components.n)
            self.log_evidence += self._log_weight_of_prevalence(all_components, self.modes)

        self.log_weights = components.log_prior + self.log_evidence
        self._raise_rates(concentration)

    def draw(
        self, n_draws: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Return components (n_draws,), coefficients, the effective sample size and k-hat."""
        n_proposals = N_PROPOSED * n_draws
        component = systematic_resample(special.softmax(self.log_weights), rng, n_proposals)
        proposals = self._proposals(component)

        # Propose coefficients from the Laplace approximation of each component.
        noise = rng.standard_normal((n_proposals, self.layout.n_dense))
        proposed = self._importance(proposals, proposals.index, noise)

        # Resample by Pareto-smoothed importance weights.
        log_weights, pareto_k = smooth_log_weights(proposed.log_ratio)
        weights = special.softmax(log_weights)
        efficiency = 1.0 / np.einsum("i,i->", weights, weights) / n_proposals
        draws = proposed.take(systematic_resample(weights, rng, n_draws))

        if efficiency < MOVED_BELOW:
            draws, efficiency = self._moved(proposals, draws, efficiency, rng)
            # Draws of one axis are neighbors.
            draws = draws.take(np.argsort(draws.index, kind="stable"))

        coefficients = draws.coefficients
        if self.layout.has_groups:
            coefficients = self._with_groups(proposals, draws.index, coefficients, rng)
        ess = float(n_draws * efficiency)
        return proposals.components[draws.index], coefficients, ess, float(pareto_k)

    def _raise_rates(self, concentration: float) -> None:
        """Raise the weights of conjugate experts together where labels are concentrated."""
        is_conjugate = self.components.is_conjugate
        if concentration == 0.0 or not is_conjugate.any() or is_conjugate.all():
            return
        log_odds = special.logsumexp(self.log_weights[is_conjugate])
        log_odds -= special.logsumexp(self.log_weights[~is_conjugate])

        # Labels speak of the other items as far as they are spread like them.
        counted = max(0.0, 1.0 - concentration / MOSTLY_CONCENTRATED)
        raised = min(special.logit(FLOOR), counted * log_odds)
        self.log_weights[is_conjugate] += max(raised - log_odds, 0.0)

    def _proposals(self, component: np.ndarray) -> _Proposals:
        """Return the normal distributions from which proposals are drawn."""
        components, index = np.unique(component, return_inverse=True)
        tiles = self._tiles(components, self.layout.size_by_coefficients)
        roots = CurvatureRoots.joined([self._curvature(tile).roots() for tile, _ in tiles])
        # Up to the constant that it shares with the prior, log q is -|x|^2 / 2 - log |root|.
        log_scale = roots.log_det() - self.log_evidence[components]
        return _Proposals(components, index, roots, log_scale)

    @property
    def expert_weights(self) -> ExpertWeights:
        """Weights and evidence of each expert, given the labels."""
        components = self.components
        n_experts = len(components.names)
        log_prior = components.log_prior - components.log_weights[components.expert]
        log_joint = log_prior + self.log_evidence

        # The log weights of the curves of each expert, and how many of these are effective.
        of_experts = [log_joint[components.expert == expert] for expert in range(n_experts)]
        shares = [special.softmax(log_weights) for log_weights in of_experts]
        ess = [1.0 / np.einsum("i,i->", share, share) for share in shares]
        parts = [part for ensemble in components.ensembles for part in ensemble.parts]

        return ExpertWeights(
            components.names,
            np.exp(components.log_weights),
            np.bincount(components.expert, special.softmax(self.log_weights), n_experts),
            np.array([special.logsumexp(log_weights) for log_weights in of_experts]),
            np.array(ess),
            tuple(part.misspecification for part in parts),
        )

    def _climb(self) -> None:
        """Find the modes of the components that keep weight, and the evidence of all."""
        components = np.arange(self.components.n)
        log_prior = self.components.log_prior

        # What two steps reach, and what further ones should add.
        expected = log_prior + self._to_modes(components, FIRST_STEPS) + self.log_evidence
        if self.components.sizes.shape[1]:
            expected += self._understated(expected)
        reached = log_prior + self.log_evidence

        # What the prevalence adds.
        by_prevalence = np.zeros(len(components))
        if self.information.total is not None:
            by_prevalence = self._expected_log_weight(components)
        elif not self.information.is_empty:
            by_prevalence = self._log_weight_of_prevalence(components, self.modes)

        # The others climb to their modes.
        threshold = (reached + by_prevalence).max() - NEGLIGIBLE
        promising = components[expected + by_prevalence > threshold]
        self._to_modes(promising, LAST_STEPS)
        if self.information.total is not None:
            size = self.layout.size_by_coefficients
            self._share(lambda tile, _: self._to_total(tile), promising, size)
        elif self.layout.has_groups:
            size = self.layout.columns[0].size_of_curvature
            self._share(lambda tile, _: self._integrate_groups(tile), promising, size)

    def _expected_log_weight(self, components: np.ndarray) -> np.ndarray:
        """Return the log weight that a known total should give components, at their modes."""
        log_weight = np.empty(len(components))
        for tile, rows in self._tiles(components, self.layout.size_by_coefficients):
            _, curvature, _ = self._regressions(tile).derivatives(self.modes[tile])
            observation = self._observed_total(tile)
            log_weight[rows] = observation.log_evidence(curvature)
        return log_weight

    def _to_total(self, components: np.ndarray) -> None:
        """Move components to the modes of their densities given a known total as well."""
        regressions = self._regressions(components)
        for _ in range(TOTAL_STEPS):
            gradient, curvature, _ = regressions.derivatives(self.modes[components])
            observation = self._observed_total(components)
            gradient = gradient + observation.gradient(gradient.shape[1])
            self.modes[components] += observation.added_to(curvature).solve(gradient)

        # The evidence of Laplace's approximation there.
        modes = self.modes[components]
        curvature = self._curvature(components)
        if self.layout.has_groups:
            n_dense = self.layout.n_dense
            roots = curvature.roots()
            log_marginal = regressions.log_marginal(
                modes[:, :n_dense], modes[:, n_dense:], roots.deviation
            )
            self.log_evidence[components] = log_marginal + roots.log_det()
        else:
            height = regressions.log_density(modes)
            self.log_evidence[components] = height - 0.5 * curvature.log_det()

    def _curvature(self, components: np.ndarray) -> Curvature:
        """Return the curvatures at the modes of components of one axis."""
        _, curvature, _ = self._regressions(components).derivatives(self.modes[components])
        if self.information.total is None:
            return curvature
        return self._observed_total(components).added_to(curvature)

    def _observed_total(self, index: np.ndarray) -> TotalObservation:
        """Return the known total as an observation of components of one axis, at their modes."""
        components = self.components
        layout = self.layout
        axis = components.axis[index[0]]
        curves = self.on_axis(index, self.modes[index], axis, 0)
        log_odds = (curves.curves * curves.slope + curves.added).T
        by_log_odds, gap, variance = self.information.observation(
            log_odds, components.bottom[index], components.top[index], axis
        )

        # The derivatives by the level, the basis functions and the slope; effects have mean zero.
        slope = np.zeros((len(index), layout.n_dense))
        slope[:, 0] = components.shift[index] * by_log_odds.sum(axis=1)
        roughness = components.roughness[index, np.newaxis]
        slope[:, layout.basis] = roughness * (by_log_odds @ components.basis[axis])
        stretched = np.einsum("ij,ji->i", by_log_odds, curves.curves)
        slope[:, layout.stretch] = components.stretch[index] * stretched
        return TotalObservation(slope, gap, variance)

    def _integrate_groups(self, components: np.ndarray) -> None:
        """Set components to the modes of their densities with groups integrated out."""
        regressions = self._regressions(components)
        modes, log_evidence = regressions.marginal_climb(self.modes[components], MARGINAL_STEPS)
        self.modes[components] = modes
        self.log_evidence[components] = log_evidence

    def _understated(self, expected: np.ndarray) -> np.ndarray:
        """Return the underestimate of each component's log evidence after two steps, by its sizes.

        Curvatures fall between the start and the mode, the more the more coefficients there are and
        the larger these may be: the best of each combination of sizes climb, and measure how much.
        """
        log_prior = self.components.log_prior
        combinations, index = np.unique(self.components.sizes, axis=0, return_inverse=True)
        combination = index.ravel()
        n_combinations = len(combinations)

        # The best components of each combination climb to their modes.
        order = np.argsort(-(log_prior + self.log_evidence), kind="stable")
        ordered = combination[order]
        leaders = [order[ordered == j][:N_CLIMBING] for j in range(n_combinations)]
        best = np.sort(np.concatenate(leaders))
        rise = self._to_modes(best, LAST_STEPS)

        gain = log_prior[best] + self.log_evidence[best] + rise - expected[best]
        largest_gain = np.zeros(n_combinations)
        np.maximum.at(largest_gain, combination[best], gain)
        return largest_gain[combination]

    def _to_modes(self, components: np.ndarray, n_steps: int) -> np.ndarray:
        """Take steps, set the evidence of components, and return its expected further increase."""
        rise = np.empty(len(components))
        size = self.layout.columns[0].size_of_curvature

        def climb(tile: np.ndarray, rows: slice) -> None:
            regressions = self._regressions(tile)
            starts = self.modes[tile]
            modes, log_evidence, rise[rows] = regressions.climb(starts, n_steps, TOLERANCE)
            self.modes[tile] = modes
            self.log_evidence[tile] = log_evidence

        self._share(climb, components, size)
        return rise

    def _share(self, fill: Callable, components: np.ndarray, size: int = 0) -> None:
        """Call a function, which fills arrays, of tiles of components: in threads if that pays."""
        # Of a fit of 50 systems 94% are climbs, of one of 300 categories 84%. Matrix products let
        # other threads run; Cholesky factors of few rows, a third of the second fit, do not.
        # Processes would each get a copy of all curves.
        in_parallel(fill, self._tiles(components, size), self.n_jobs, processes=False)

    def _tiles(self, components: np.ndarray, size: int = 0) -> Iterator[tuple[np.ndarray, slice]]:
        """Yield components of one axis, some at a time, and their indices among these, in order.

        Each takes `size` numbers, or as many as there are rows or coefficients if these are more.
        """
        step = max(1, MAX_NUMBERS // max(1, self.rows.n_rows, self.layout.n, size))
        for _, on_axis in self.components.axes_of(components):
            for first in range(on_axis.start, on_axis.stop, step):
                rows = slice(first, min(first + step, on_axis.stop))
                yield components[rows], rows

    def _regressions(self, index: np.ndarray) -> Regressions:
        """Return the regressions of some components of one axis on the labels."""
        components = self.components
        layout = self.layout
        axis = components.axis[index[0]]

        # The standard deviation of each coefficient.
        scale = np.empty((len(index), layout.n))
        scale[:, 0] = components.shift[index]
        scale[:, layout.stretch] = components.stretch[index]
        scale[:, layout.basis] = components.roughness[index, np.newaxis]
        for j, effect in enumerate(components.effects.effects):
            unit = components.spread[index] if effect.scaled else 1.0
            size = components.sizes[index, j] * unit
            scale[:, layout.effects[j]] = size[:, np.newaxis]

        # What stretches the curve is multiplied by its log-odds, which are steeper already.
        steepness = components.steepness[index, np.newaxis]
        scale[:, ~layout.is_stretching] *= steepness
        return Regressions(
            steepness * self._curves[axis][:, components.curve[index]].T,
            layout.columns[axis],
            scale,
            components.bottom[index, np.newaxis],
            components.room[index, np.newaxis],
            self.rows,
        )

    def _importance(self, proposals: _Proposals, index: np.ndarray, noise: np.ndarray) -> _Draws:
        """Return draws of coefficients for standard normal ones, with log importance weights.

        Those of groups are integrated out.
        """
        coefficients = np.empty_like(noise)
        log_ratio = proposals.log_scale[index] + 0.5 * np.einsum("ij,ij->i", noise, noise)

        # Components that a move mixed are put in order.
        order = np.argsort(index, kind="stable")
        components = proposals.components[index[order]]

        def weigh(tile: np.ndarray, within: slice) -> None:
            rows = order[within]
            steps = proposals.roots.times(index[rows], noise[rows])
            coefficients[rows] = self.modes[tile, : self.layout.n_dense] + steps
            regressions = self._regressions(tile)
            if self.layout.has_groups:
                center, deviation = self._groups(proposals, index[rows], steps)
                log_ratio[rows] += regressions.log_marginal(coefficients[rows], center, deviation)
            else:
                log_ratio[rows] += regressions.log_density(coefficients[rows])

        self._share(weigh, components)
        if not self.information.is_empty:
            log_ratio[order] += self._log_weight_of_prevalence(components, coefficients[order])
        return _Draws(index, noise, coefficients, log_ratio)

    def _groups(
        self, proposals: _Proposals, index: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return centers and deviations of groups, given the steps of the others from the modes."""
        modes = self.modes[proposals.components[index], self.layout.n_dense :]
        center = modes + proposals.roots.shifts_of_groups(index, steps)
        return center, proposals.roots.deviation[index]

    def _with_groups(
        self,
        proposals: _Proposals,
        index: np.ndarray,
        dense: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Return coefficients of draws, in order, with those of groups drawn given the others."""
        n_dense = self.layout.n_dense
        coefficients = np.empty((len(index), self.layout.n))
        components = proposals.components[index]
        for tile, rows in self._tiles(components, self.layout.size_by_coefficients):
            steps = dense[rows] - self.modes[tile, :n_dense]
            center, deviation = self._groups(proposals, index[rows], steps)
            groups = self._regressions(tile).draw_groups(dense[rows], center, deviation, rng)
            coefficients[rows, :n_dense] = dense[rows]
            coefficients[rows, n_dense:] = groups
        return coefficients

    def _moved(
        self,
        proposals: _Proposals,
        draws: _Draws,
        efficiency: float,
        rng: np.random.Generator,
    ) -> tuple[_Draws, float]:
        """Return the draws after moves, and the effective share of them.

        Every other move proposes another component as well, with the same standard normal draws.
        """
        n_draws = len(draws.index)
        n_accepted = np.zeros(n_draws)
        stayed = np.ones(n_draws, dtype=bool)
        few_moves, many_moves = N_MOVES
        for move in range(few_moves if efficiency > MANY_BELOW else many_moves):
            moves_component = move % 2
            index = draws.index
            if moves_component:
                index = proposals.index[rng.integers(len(proposals.index), size=n_draws)]

            # A step of preconditioned Crank and Nicolson.
            step = STEP * rng.standard_normal(draws.noise.shape)
            noise = np.sqrt(1.0 - STEP**2) * draws.noise + step
            proposed = self._importance(proposals, index, noise)

            accepted = np.log(rng.random(n_draws)) < proposed.log_ratio - draws.log_ratio
            draws = draws.replaced(accepted, proposed)
            n_accepted += accepted
            if moves_component:
                stayed &= ~accepted

        # What draws have kept of where they started, of which so many were alike: the worse of
        # their coefficients and their components.
        of_coefficients = float(np.mean((1.0 - STEP**2) ** n_accepted))
        dependence = max(of_coefficients, float(stayed.mean()))
        return draws, 1.0 / (1.0 + (1.0 / efficiency - 1.0) * dependence)

    def _log_weight_of_prevalence(self, index: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
        """Return the log weight by the prevalence that curves imply, random effects aside."""
        log_weight = np.empty(len(index))
        components = self.components
        for axis, of_axis in components.axes_of(index):
            shares = components.ensembles[axis].cells.shares
            for first in range(of_axis.start, of_axis.stop, N_AT_ONCE):
                rows = slice(first, min(first + N_AT_ONCE, of_axis.stop))
                probability = self.probability_on_cells(index[rows], coefficients[rows], axis)
                log_weight[rows] = self.information.log_weight(probability, shares, axis)
        return log_weight

    def probability_on_cells(
        self, index: np.ndarray, coefficients: np.ndarray, axis: int
    ) -> np.ndarray:
        """Return P(y = 1) at an axis's cells for draws of components on it, (n, n_cells)."""
        components = self.components
        on_axis = self.on_axis(index, coefficients, axis, 0)
        probability = on_axis.curves * on_axis.slope
        probability += on_axis.added
        expit_in_place(probability)
        probability *= components.room[index]
        probability += components.bottom[index]
        return probability.T

    def on_axis(
        self, index: np.ndarray, coefficients: np.ndarray, axis: int, first: int
    ) -> AxisCurves:
        """Return the curves of draws of components on an axis, of which `first` is the first."""
        components = self.components
        layout = self.layout
        level = components.shift[index] * coefficients[:, 0]
        weights = components.roughness[index, np.newaxis] * coefficients[:, layout.basis]
        smooth = np.einsum("ij,kj->ik", components.basis[axis], weights)

        return AxisCurves(
            first,
            first + len(index),
            components.ensembles[axis].curves[:, components.curve[index]],
            1.0 + components.stretch[index] * coefficients[:, layout.stretch],
            level + smooth,
        )
