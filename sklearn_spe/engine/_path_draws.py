"""Draws of random effects and of paths of curves, together, given labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from ..inference._draws import effective_size, smooth_log_weights
from ..inference._sampling import systematic_resample
from ..inputs._arrays import FrozenArrays
from ._coefficient_layout import CoefficientLayout
from ._components import CurveComponents
from ._curve_paths import PathFilters, resampled
from ._label_rows import LabelRows
from ._prevalence_information import PrevalenceInformation
from ._random_effects import RandomEffect
from ._updated_rows import AxisCurves
from ._weighted_curves import CurvesAtLabels, RowEffects, WeightedCurves

# So many paths for each that is asked for: the prevalence that they imply weighs them.
N_PATHS = 4
# All draws of random effects together look at about so many log-odds, and each at no fewer curves
# of an axis than the first, and at no more of all axes than the second.
MAX_NUMBERS, MIN_CURVES, MAX_CURVES = 5e7, 60, 600
# The weights of experts are means over so many draws of random effects.
N_SHOWN = 20


@dataclass(frozen=True, eq=False)
class EffectSample(FrozenArrays):
    """Draws of the random effects that labels touch, under the assumption of one curve."""

    effects: tuple[RandomEffect, ...]
    touched: list[np.ndarray]  # the columns of each effect that labels touch
    sizes: np.ndarray  # (n, n_effects), in log-odds
    normal: list[np.ndarray]  # (n, n_touched) each
    steepness: np.ndarray  # (n,)
    ess: float

    @classmethod
    def none(cls) -> EffectSample:
        """Return the only draw of a fit without random effects."""
        return cls((), [], np.empty((1, 0)), [], np.ones(1), np.inf)

    @classmethod
    def of(
        cls,
        components: CurveComponents,
        layout: CoefficientLayout,
        component: np.ndarray,
        coefficients: np.ndarray,
        ess: float,
    ) -> EffectSample:
        """Return the effects of draws of components and coefficients."""
        effects = components.effects.effects
        units = [
            components.spread[component] if effect.scaled else np.ones(len(component))
            for effect in effects
        ]
        sizes = np.array(components.sizes[component])
        for j, unit in enumerate(units):
            sizes[:, j] *= unit
        normal = [coefficients[:, columns] + layout.mean[columns] for columns in layout.effects]
        steepness = components.steepness[component]
        return cls(effects, layout.touched, sizes, normal, steepness, ess)

    def at_rows(self, rows: LabelRows) -> RowEffects:
        """Return the draws at the rows of labels."""
        total = {"shift": np.zeros((len(self.steepness), rows.n_rows))}
        for j, effect in enumerate(self.effects):
            columns = rows.columns(effect)[:, self.touched[j]]
            of_rows = (self.sizes[:, [j]] * self.normal[j]) @ columns.T
            total[effect.on] = total.get(effect.on, 0.0) + of_rows
        stretch = total.get("stretch", np.zeros((len(self.steepness), 1)))
        return RowEffects(total["shift"], stretch, self.steepness)

    def log_prior(self, spread: np.ndarray) -> np.ndarray:
        """Return the log prior of scaled effects given the spreads of curves, (n_draws, n).

        Their size in log-odds is relative to the spread, over all sizes that they may have.
        """
        total = np.zeros((len(self.steepness), len(spread)))
        for j, effect in enumerate(self.effects):
            if effect.scaled:
                square = self.sizes[:, j] ** 2 * np.einsum(
                    "ij,ij->i", self.normal[j], self.normal[j]
                )
                size = np.asarray(effect.sizes)[:, np.newaxis] * spread
                log_density = -0.5 * square[:, np.newaxis, np.newaxis] / size**2
                log_density -= self.normal[j].shape[1] * np.log(size)
                log_shares = np.log(effect.probabilities)[:, np.newaxis]
                total += special.logsumexp(log_shares + log_density, axis=1)
        return total


@dataclass(frozen=True, eq=False)
class PathDraws(FrozenArrays):
    """Draws of paths; those of one axis are neighbors."""

    of_prior: list[WeightedCurves]
    paths: list[np.ndarray]  # of each axis, (n_draws of it, n_strata)
    effects: np.ndarray  # (n_draws,), which draw of random effects each has
    lapses: tuple[np.ndarray, np.ndarray]  # (n_draws,) each, beside those of the curves
    weights: list[np.ndarray]  # the share of all items of each curve of an axis; all sum to one
    ess: float
    pareto_k: float
    share_of_effects: float = 1.0  # which is effective, of the draws of random effects

    @classmethod
    def of_one_curve(
        cls,
        of_prior: list[WeightedCurves],
        lapses: tuple[np.ndarray, np.ndarray],
        ess: float,
        pareto_k: float,
    ) -> PathDraws:
        """Return draws with one curve for all strata, and separate random effects."""
        counts = [len(weighted.component) for weighted in of_prior]
        n_draws = sum(counts)
        paths = [
            np.repeat(np.arange(n)[:, np.newaxis], len(weighted.shares), axis=1)
            for n, weighted in zip(counts, of_prior, strict=True)
        ]
        weights = [np.full(n, 1.0 / n_draws) for n in counts]
        return cls(of_prior, paths, np.arange(n_draws), lapses, weights, ess, pareto_k)

    @cached_property
    def component(self) -> np.ndarray:
        """Which draws share a path, (n_draws,)."""
        numbers, first = [], 0
        for paths in self.paths:
            _, number = np.unique(paths, axis=0, return_inverse=True)
            numbers.append(first + number.ravel())
            first += len(paths)
        return np.concatenate(numbers)

    def curves(self) -> list[AxisCurves]:
        """Return the curves of each axis, with their lapse rates."""
        curves, first = [], 0
        for weighted, paths in zip(self.of_prior, self.paths, strict=True):
            plain = weighted.on_cells(weighted.plain, paths)
            added = weighted.on_cells(weighted.log_odds, paths) - plain
            curves.append(AxisCurves(first, first + len(paths), plain, added))
            first += len(paths)
        return curves

    def experts(self, of_curves: list[np.ndarray]) -> np.ndarray:
        """Return the expert of most items of each draw, given the expert of each curve."""
        of_axes = [
            experts[paths[:, np.argmax(weighted.shares)]]
            for weighted, experts, paths in zip(self.of_prior, of_curves, self.paths, strict=True)
        ]
        return np.concatenate(of_axes)


class _Weights(NamedTuple):
    """Weights of draws of random effects on paths, and of each axis given each draw."""

    filters: list[PathFilters]  # of each axis
    log_effects: np.ndarray  # (n_effects,), normalized
    of_axes: np.ndarray  # (n_axes, n_effects); columns sum to one
    pareto_k: float

    @property
    def joint(self) -> np.ndarray:
        """The joint weights of axes and draws, (n_axes, n_effects)."""
        return np.exp(self.log_effects) * self.of_axes

    def of_curves(
        self, of_prior: list[WeightedCurves], rng: np.random.Generator
    ) -> list[np.ndarray]:
        """Return the share of all items, given the labels, of each curve of each axis."""
        n = min(N_SHOWN, len(self.log_effects))
        chosen = systematic_resample(np.exp(self.log_effects), rng, n)
        return [
            np.einsum("i,j,ijk->k", of_axis[chosen] / n, weighted.shares, filters.marginals(chosen))
            for weighted, of_axis, filters in zip(of_prior, self.of_axes, self.filters, strict=True)
        ]


def draw_paths(
    of_prior: list[WeightedCurves],
    effects: EffectSample,
    rows: LabelRows,
    information: PrevalenceInformation,
    n_draws: int,
    rng: np.random.Generator,
    switch: float,
) -> PathDraws:
    """Draw random effects by their weight on paths, an axis given them, and paths given both."""
    of_draws = effects.at_rows(rows)
    if not rows.n_rows:
        # Without labels they are all alike.
        of_draws = of_draws.take(slice(1))
    at_labels = [
        CurvesAtLabels.of(weighted, rows, rows.places[k]) for k, weighted in enumerate(of_prior)
    ]
    if effects.effects:
        # Each draw of effects sees all curves: those that matter are enough.
        by_rows = MAX_NUMBERS / (of_draws.n * max(rows.n_rows, 1))
        n_curves = max(MIN_CURVES, int(min(by_rows, MAX_CURVES) / len(of_prior)))
        mean = of_draws.mean()
        at_labels = [weighted.thinned(mean, n_curves, switch, rng) for weighted in at_labels]
        of_prior = [weighted.weighted for weighted in at_labels]

    weights = _weights(at_labels, effects, of_draws, switch)
    chosen = systematic_resample(weights.joint.ravel(), rng, N_PATHS * n_draws)
    axis, draw = np.divmod(chosen, of_draws.n)
    starts = np.searchsorted(axis, np.arange(len(of_prior) + 1))

    # Paths, and the prior of their prevalence relative to that of their curve in the middle.
    paths = []
    log_weights = np.zeros(len(chosen))
    for k, weighted in enumerate(of_prior):
        on_axis = slice(starts[k], starts[k + 1])
        drawn = weights.filters[k].draw(draw[on_axis], rng)
        if len(drawn) and not information.is_empty:
            log_weights[on_axis] = weighted.log_weight_of_prevalence(drawn, information, k)
        paths.append(drawn)

    kept, ess = resampled(log_weights, n_draws, rng)
    # In a random order within each axis, so that draws of several fits are independent.
    kept = rng.permutation(kept)
    kept = kept[np.argsort(axis[kept], kind="stable")]
    share_of_effects = effective_size(np.exp(weights.log_effects)) / of_draws.n
    if not rows.n_rows:
        draw = rng.integers(len(effects.steepness), size=len(draw))
    return PathDraws(
        of_prior,
        [of_axis[kept[axis[kept] == k] - starts[k]] for k, of_axis in enumerate(paths)],
        draw[kept],
        (np.zeros(n_draws), np.zeros(n_draws)),
        weights.of_curves(of_prior, rng),
        min(ess, effects.ess * share_of_effects),
        weights.pareto_k,
        share_of_effects,
    )


def _weights(
    at_labels: list[CurvesAtLabels],
    effects: EffectSample,
    of_draws: RowEffects,
    switch: float,
) -> _Weights:
    """Return the weights of draws of effects, of axes given them, and the filters of paths."""
    filters = [weighted.filters(of_draws, switch) for weighted in at_labels]
    log_paths, log_one, log_prior = np.empty((3, len(at_labels), of_draws.n))
    for k, (of_axis, of_paths) in enumerate(zip(at_labels, filters, strict=True)):
        log_prior_of_effects = effects.log_prior(of_axis.weighted.spread)[: of_draws.n]
        log_weight = of_axis.weighted.log_weight + log_prior_of_effects
        log_paths[k] = of_paths.log_evidence + of_axis.weighted.log_total
        log_one[k] = special.logsumexp(log_weight + of_paths.of_one_curve, axis=1)
        log_prior[k] = special.logsumexp(log_weight, axis=1)

    log_weights = special.logsumexp(log_paths, axis=0) + special.logsumexp(log_prior, axis=0)
    log_weights -= special.logsumexp(log_one, axis=0)
    of_axes = special.softmax(log_paths, axis=0)
    if of_draws.n == 1:
        return _Weights(filters, np.zeros(1), of_axes, -np.inf)
    log_weights, pareto_k = smooth_log_weights(log_weights)
    return _Weights(filters, log_weights, of_axes, float(pareto_k))
