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
   proposals, so the ratio of importance weights accepts them, and the posterior stays exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy import special

from ..inference._draws import smooth_log_weights
from ..inference._modes import OneBlasThread
from ..inference._sampling import systematic_resample
from ..inputs._workers import in_parallel
from ._coefficient_layout import CoefficientLayout
from ._component_proposals import Proposals, ProposedDraws
from ._components import CurveComponents, expit_in_place
from ._curvature import Curvature, CurvatureRoots
from ._curve_paths import SWITCH
from ._label_rows import LabelRows
from ._laplace import Regressions
from ._path_draws import EffectSample, PathDraws, draw_paths
from ._prevalence_information import PrevalenceInformation, TotalObservation
from ._random_effects import EffectDraws
from ._updated_rows import ExpertWeights, UpdatedRows
from ._weighted_curves import WeightedCurves

# So many draws for each that is asked for.
N_PROPOSED = 2
# After two steps components with this much less log weight than the best are left; the others climb
# until a step adds no more than the tolerance to the log density.
FIRST_STEPS, LAST_STEPS, NEGLIGIBLE, TOLERANCE = 2, 20, 12.0, 2e-3
# Of those with random effects, which take the longest, the ones are left that have this much less
# after one step, and after two more steps. Those within four nats of the best in the end had at
# most 18 less after one step, and none rose by more than four above what two steps expect.
NEGLIGIBLE_FIRST, NEGLIGIBLE_LATER = 30.0, 9.0
# Of each combination of effect sizes so many components climb in any case.
N_CLIMBING = 4
# Steps to the mode of the density with groups integrated out, and to that given a known total.
MARGINAL_STEPS, TOTAL_STEPS = 2, 8
# Rows of designs are held so many numbers at a time, and curves for their prevalences so many.
MAX_NUMBERS, N_AT_ONCE = 2**19, 512
# Draws move where a smaller share of the importance weights is effective: so many times, by steps
# of this size.
MOVED_BELOW, MANY_BELOW, N_MOVES, STEP = 0.9, 0.5, (10, 30), 0.6
# So many draws of random effects at least, or one for so many draws; each has many paths.
N_EFFECTS, DRAWS_PER_EFFECT = 200, 5
# Many labels of several categories or groups leave few of the curves given the effects: where
# this share of these is not effective, a draw has one curve, and the labels are everywhere anyway.
LEAST_SHARE = 0.15


def update_labels(
    components: CurveComponents,
    rows: LabelRows,
    information: PrevalenceInformation,
    n_draws: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    switch: float = SWITCH,
) -> UpdatedRows:
    """Draw curves on score axes, and random effects, given labels and other information.

    A draw is a path of curves, which changes from one stratum to the next with the probability
    `switch`, but not in a gap between labels. Effects that no label touches come from their prior,
    at the size that labels support. `n_jobs` threads take blocks of components and of draws.
    """
    with OneBlasThread():
        update = _Update(components, rows, information, n_jobs)
        effects = update.draw_effects(max(N_EFFECTS, n_draws // DRAWS_PER_EFFECT), rng)
        of_prior = update.weighted_curves(N_PROPOSED * n_draws, rng)
        paths = draw_paths(of_prior, effects, rows, information, n_draws, rng, switch)
        # A known total is an observation that paths, unlike one curve, are not drawn by.
        least = paths.share_of_effects
        if information.total is not None:
            least = min(least, paths.ess / n_draws)
        if least < LEAST_SHARE:
            effects, paths = update.draw_one_curve(n_draws, rng)

    # Coefficients that no label touches come from their prior.
    draws = []
    for j, effect in enumerate(components.effects.effects):
        normal = effect.mean + rng.standard_normal((n_draws, effect.n_columns))
        normal[:, update.layout.touched[j]] = effects.normal[j][paths.effects]
        draws.append(EffectDraws(effects.sizes[paths.effects, j], normal))

    weights = update.expert_weights
    experts = [components.expert[weighted.component] for weighted in paths.of_prior]
    posterior = np.bincount(
        np.concatenate(experts), np.concatenate(paths.weights), len(weights.names)
    )
    return UpdatedRows(
        tuple(paths.curves()),
        *paths.lapses,
        np.ones(n_draws),
        effects.steepness[paths.effects],
        tuple(draws),
        paths.experts(experts),
        paths.component,
        replace(weights, posterior=posterior),
        paths.ess,
        paths.pareto_k,
    )


class _Update:
    """The posterior of components given rows of labels."""

    def __init__(
        self,
        components: CurveComponents,
        rows: LabelRows,
        information: PrevalenceInformation,
        n_jobs: int | None = None,
    ):
        self.n_jobs = n_jobs
        self.components = components
        self.rows = rows
        self.information = information
        self.layout = CoefficientLayout(components, rows)
        self._curves = [
            places.at(ensemble.curves)
            for places, ensemble in zip(rows.places, components.ensembles, strict=True)
        ]

        # The modes and the evidence of all components; both are those of the prior at first.
        self.modes = np.zeros((components.n, self.layout.n))
        self.log_evidence = np.zeros(components.n)
        self.has_observations = rows.n_rows > 0 or information.total is not None
        if self.has_observations:
            self._climb()
        if not information.is_empty:
            all_components = np.arange(components.n)
            self.log_evidence += self._log_weight_of_prevalence(all_components, self.modes)

        self.log_weights = components.log_prior + self.log_evidence

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

    def draw_effects(self, n: int, rng: np.random.Generator) -> EffectSample:
        """Draw random effects of the rows, under the assumption of one curve for all strata."""
        components = self.components
        if not components.effects.effects:
            return EffectSample.none()
        component, coefficients, ess, _ = self.draw(n, rng)
        order = rng.permutation(n)
        return EffectSample.of(components, self.layout, component[order], coefficients[order], ess)

    def weighted_curves(self, n_drawn: int, rng: np.random.Generator) -> list[WeightedCurves]:
        """Return curves that represent the prior of each axis.

        One is drawn from the prior of each component, and `n_drawn` from the Laplace posteriors of
        components by their weight.
        """
        components = self.components
        layout = self.layout
        usable = np.flatnonzero(np.isfinite(components.log_prior))
        chosen = systematic_resample(special.softmax(self.log_weights), rng, n_drawn)
        drawn = rng.standard_normal((n_drawn, layout.n_dense))
        proposals = self._proposals(chosen) if self.has_observations else None
        if proposals is not None:
            steps = proposals.roots.times(proposals.index, drawn)
            drawn = self.modes[chosen, : layout.n_dense] + steps

        # The coefficients of curves alone.
        own = layout.of_curve
        index = np.concatenate([usable, chosen])
        coefficients = np.zeros((len(index), layout.n_dense))
        from_prior = rng.standard_normal((len(usable), len(own)))
        coefficients[:, own] = np.concatenate([from_prior, drawn[:, own]])

        # Both ways to draw are one mixture.
        log_prior = -0.5 * np.einsum("ij,ij->i", coefficients, coefficients)
        if proposals is not None:
            steps = coefficients[:, own] - self.modes[index][:, own]
            log_drawn = proposals.log_density(index, steps, own)
        else:
            with np.errstate(divide="ignore"):
                log_drawn = log_prior + np.log(np.bincount(chosen, minlength=components.n)[index])
        log_weight = components.log_prior[index] + log_prior - np.logaddexp(log_prior, log_drawn)

        lapses = components.bottom[index], components.top[index]
        return self._curves_of_axes(index, coefficients, log_weight, lapses)

    def draw_one_curve(
        self, n_draws: int, rng: np.random.Generator
    ) -> tuple[EffectSample, PathDraws]:
        """Draw random effects and one curve for all strata, together."""
        component, coefficients, ess, pareto_k = self.draw(n_draws, rng)

        # In a random order, but for the axes.
        order = rng.permutation(n_draws)
        order = order[np.argsort(self.components.axis[component[order]], kind="stable")]
        component, coefficients = component[order], coefficients[order]
        effects = EffectSample.of(self.components, self.layout, component, coefficients, ess)
        # Lapses stay outside of the effects, as when these were drawn.
        none = np.zeros(n_draws)
        of_prior = self._curves_of_axes(component, coefficients, none, (none, none))
        lapses = self.components.bottom[component], self.components.top[component]
        return effects, PathDraws.of_one_curve(of_prior, lapses, ess, pareto_k)

    def _curves_of_axes(
        self,
        index: np.ndarray,
        coefficients: np.ndarray,
        log_weight: np.ndarray,
        lapses: tuple[np.ndarray, np.ndarray],
    ) -> list[WeightedCurves]:
        """Return the curves of each axis, given all components, coefficients and lapse rates."""
        bottom, top = lapses
        components = self.components
        of_prior = []
        for axis, ensemble in enumerate(components.ensembles):
            on_axis = np.flatnonzero(components.axis[index] == axis)
            of_axis = index[on_axis]
            of_prior.append(
                WeightedCurves.of(
                    ensemble.cells,
                    axis,
                    of_axis,
                    log_weight[on_axis],
                    components.spread[of_axis],
                    *self.on_axis(of_axis, coefficients[on_axis], axis),
                    (bottom[on_axis], top[on_axis]),
                    self.information,
                )
            )
        return of_prior

    def _proposals(self, component: np.ndarray) -> Proposals:
        """Return the normal distributions from which proposals are drawn."""
        components, index = np.unique(component, return_inverse=True)
        tiles = self._tiles(components, self.layout.size_by_coefficients)
        roots = CurvatureRoots.joined([self._curvature(tile).roots() for tile, _ in tiles])
        # Up to the constant that it shares with the prior, log q is -|x|^2 / 2 - log |root|.
        log_scale = roots.log_det() - self.log_evidence[components]
        return Proposals(components, index, roots, log_scale)

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
        has_effects = self.components.sizes.shape[1] > 0
        is_screened = has_effects and self.information.total is None
        first = self._after_one_step() if is_screened else components
        rise = np.zeros(len(components))
        rise[first] = self._to_modes(first, FIRST_STEPS - is_screened)
        expected = log_prior + rise + self.log_evidence
        if has_effects:
            expected += self._understated(expected, first)
        reached = log_prior + self.log_evidence

        # What the prevalence adds.
        by_prevalence = np.zeros(len(components))
        if self.information.total is not None:
            by_prevalence = self._expected_log_weight(components)
        elif not self.information.is_empty:
            by_prevalence = self._log_weight_of_prevalence(components, self.modes)

        # The others climb to their modes.
        threshold = (reached + by_prevalence).max() - NEGLIGIBLE
        is_promising = expected + by_prevalence > threshold
        promising = components[is_promising]
        if has_effects:
            rise = self._to_modes(promising, FIRST_STEPS)
            promising = self._heaviest(promising, by_prevalence, rise)
        self._to_modes(promising, LAST_STEPS)
        if self.information.total is not None:
            size = self.layout.size_by_coefficients
            self._share(lambda tile, _: self._to_total(tile), promising, size)
        elif self.layout.has_groups:
            size = self.layout.columns[0].size_of_curvature
            promising = self._heaviest(promising, by_prevalence)
            self._share(lambda tile, _: self._integrate_groups(tile), promising, size)

    def _after_one_step(self) -> np.ndarray:
        """Take one step, evaluate the evidence after it, and return the best components."""
        components = np.arange(self.components.n)
        before = self._heights(components)
        self._to_modes(components, 1)
        self.log_evidence += self._heights(components) - before
        reached = self.components.log_prior + self.log_evidence
        return components[reached > reached.max() - NEGLIGIBLE_FIRST]

    def _heights(self, components: np.ndarray) -> np.ndarray:
        """Return the log densities at the modes of components."""
        tiles = self._tiles(components)
        heights = [self._regressions(tile).log_density(self.modes[tile]) for tile, _ in tiles]
        return np.concatenate(heights)

    def _heaviest(
        self, components: np.ndarray, by_prevalence: np.ndarray, rise: float | np.ndarray = 0.0
    ) -> np.ndarray:
        """Return the components that keep weight, given what further steps should add to theirs."""
        log_weight = self.components.log_prior + self.log_evidence + by_prevalence
        reached = log_weight[components]
        return components[reached + rise > reached.max(initial=-np.inf) - NEGLIGIBLE_LATER]

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
        prior, log_odds = self.on_axis(index, self.modes[index], axis)
        by_log_odds, gap, variance = self.information.observation(
            log_odds.T, components.bottom[index], components.top[index], axis
        )

        # The derivatives by the level, the basis functions and the slope; effects have mean zero.
        slope = np.zeros((len(index), layout.n_dense))
        slope[:, 0] = components.shift[index] * by_log_odds.sum(axis=1)
        roughness = components.roughness[index, np.newaxis]
        slope[:, layout.basis] = roughness * (by_log_odds @ components.basis[axis])
        stretched = np.einsum("ij,ji->i", by_log_odds, prior)
        slope[:, layout.stretch] = components.stretch[index] * stretched
        return TotalObservation(slope, gap, variance)

    def _integrate_groups(self, components: np.ndarray) -> None:
        """Set components to the modes of their densities with groups integrated out."""
        regressions = self._regressions(components)
        modes, log_evidence = regressions.marginal_climb(self.modes[components], MARGINAL_STEPS)
        self.modes[components] = modes
        self.log_evidence[components] = log_evidence

    def _understated(self, expected: np.ndarray, components: np.ndarray) -> np.ndarray:
        """Return the underestimate of each component's log evidence after two steps, by its sizes.

        Curvatures fall between the start and the mode, the more the more coefficients there are and
        the larger these may be: the best of each combination of sizes among the given components
        climb, and measure how much.
        """
        log_prior = self.components.log_prior
        combinations, index = np.unique(self.components.sizes, axis=0, return_inverse=True)
        combination = index.ravel()
        n_combinations = len(combinations)

        # The best components of each combination climb to their modes.
        order = np.argsort(-(log_prior + self.log_evidence)[components], kind="stable")
        order = components[order]
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
            layout.mean,
        )

    def _importance(
        self, proposals: Proposals, index: np.ndarray, noise: np.ndarray
    ) -> ProposedDraws:
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
        return ProposedDraws(index, noise, coefficients, log_ratio)

    def _groups(
        self, proposals: Proposals, index: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return centers and deviations of groups, given the steps of the others from the modes."""
        modes = self.modes[proposals.components[index], self.layout.n_dense :]
        center = modes + proposals.roots.shifts_of_groups(index, steps)
        return center, proposals.roots.deviation[index]

    def _with_groups(
        self,
        proposals: Proposals,
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
        proposals: Proposals,
        draws: ProposedDraws,
        efficiency: float,
        rng: np.random.Generator,
    ) -> tuple[ProposedDraws, float]:
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
        _, probability = self.on_axis(index, coefficients, axis)
        expit_in_place(probability)
        probability *= components.room[index]
        probability += components.bottom[index]
        return probability.T

    def on_axis(
        self, index: np.ndarray, coefficients: np.ndarray, axis: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return prior curves on the cells of an axis, (n_cells, n), and those of coefficients."""
        components = self.components
        layout = self.layout
        level = components.shift[index] * coefficients[:, 0]
        weights = components.roughness[index, np.newaxis] * coefficients[:, layout.basis]
        # One thread of BLAS sums in one order.
        smooth = components.basis[axis] @ weights.T

        curves = components.ensembles[axis].curves[:, components.curve[index]]
        stretched = curves * (components.stretch[index] * coefficients[:, layout.stretch])
        stretched += level
        stretched += smooth
        stretched += curves
        return curves, stretched
