"""The prior of rows: curves of every expert on every score axis, and random effects."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from threading import Lock
from typing import Any

import joblib
import numpy as np

from ..engine._components import CurveComponents, Positions, ScoreAxis
from ..engine._label_rows import LabelRows
from ..engine._label_update import update_labels
from ..engine._prevalence_information import LabeledTailPrior, PrevalenceInformation
from ..engine._random_effects import RandomEffects
from ..experts._expert import Expert
from ..experts._score_experts import ValueShares
from ..families._family import BetaPrior
from ..inputs._validation import spawn
from ..posterior._known_positives import KnownPositives
from ._category_shifts import with_shifts_by_labels
from ._fit_settings import FitSettings, prior_of_labeled_tail
from ._further_items import FurtherItems
from ._item_table import ItemTable
from ._rankings import RankingPosterior
from ._row_posterior import RowPosterior
from ._score_axes import (
    Systems,
    kinds_of_columns,
    random_effects_of,
    score_axes_of,
)
from ._score_density import ScoreDensity
from ._shifted_categories import prevalences_by_scores

# Spawn keys of the random streams of the update, the prior curves, the update without labels, the
# components, categories with few labels and shifts of categories; further keys belong to fits,
# label draws, the bootstrap and the verdict.
UPDATE, CURVES, BEFORE, COMPONENTS, FEW_LABELS, OF_CATEGORIES = 2, 5, 6, 7, 9, 19
# Priors of so many tables of at most so many rows are kept in the process: scores that were seen
# before, in the same order, need no second look.
MAX_PRIORS, MAX_KEPT_ROWS = 4, 200_000
# Number of draws from the prior: of one curve, and of rows that each have a probability.
N_BEFORE, N_BEFORE_OF_ROWS = 500, 200
# Jeffreys' prior of a share by labels alone, the same as for a mean of labels of two values.
OF_EQUAL_SCORES = BetaPrior(0.5, 0.5)


@dataclass(frozen=True, eq=False)
class RowPrior:
    """Prior of the rows of a table, built once from their scores alone."""

    axes: tuple[ScoreAxis, ...]
    effects: RandomEffects
    unlabeled: ItemTable  # the rows without their labels
    settings: FitSettings
    entropy: int  # seed of the random numbers
    density: ScoreDensity | None  # of the scores, if they are one column

    @classmethod
    def of(cls, table: ItemTable, settings: FitSettings, entropy: int) -> RowPrior:
        """Build the prior curves of every expert on every score axis."""
        systems = Systems.of(table, kinds_of_columns(table, settings.score_kind))
        effects = random_effects_of(table, systems)
        density = None
        if table.is_one_pool or table.columns.shape[1] == 1:
            density = ScoreDensity.of(settings, table.samples[0], entropy)
        experts = _experts_of(settings, table, density)

        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            axes = score_axes_of(table, systems, experts, density, spawn(entropy, CURVES))
        unlabeled = table.without_labels()
        return cls(axes, effects, unlabeled, settings, entropy, density)

    def is_of(self, table: ItemTable) -> bool:
        """Return whether this is the prior of a table that gathers the same items."""
        # The rows that represent many items depend on which are labeled; curves of one pool do not.
        return table.is_one_pool or table.has_the_items_of(self.unlabeled)

    @cached_property
    def components(self) -> CurveComponents:
        """The prior components that labels reweight."""
        ensembles = tuple(axis.ensemble for axis in self.axes)
        if len(self.axes) == 1:
            names = ensembles[0].names
        else:
            names = tuple(
                f"{name} of {axis.name}" for axis in self.axes for name in axis.ensemble.names
            )
        weights = [axis.weight for axis in self.axes]
        rng = spawn(self.entropy, COMPONENTS)
        return CurveComponents.drawn(ensembles, weights, names, self.effects, rng)

    def posterior(
        self,
        table: ItemTable,
        n_draws: int,
        key: int = UPDATE,
        known: KnownPositives = KnownPositives(),
        n_jobs: int | None = None,
    ) -> RowPosterior:
        """Update the curves by the labels of a table, and other information on its items.

        `key` is that of the random stream. A prior serves fits of any `n_jobs`.
        """
        components = self.components
        if self.settings.prevalence_prior is not None:
            components = components.without_rare
        # The prevalences that the scores of categories tell, where labels say how scores differ.
        rng = spawn(self.entropy, FEW_LABELS)
        kind = self.axes[0].ensemble.cells.kind
        by_scores = prevalences_by_scores(table, self.numbers(table), kind, rng)
        if by_scores is not None:
            components = components.with_effect(by_scores)

        # The labels, and what is known of the prevalence.
        prior = self._prevalence_prior(table)
        if table.is_one_pool:
            cells = self.axes[0].ensemble.cells
            pool = table.pool
            rows = LabelRows.of_scores(cells, pool)
            information = PrevalenceInformation.of_scores(prior, known, cells, pool)
        else:
            codes = table.codes
            counts = table.weights
            rows = LabelRows.of_items(
                self.axes,
                components.effects,
                codes,
                counts,
                table.label_counts,
                table.inclusion.missingness,
            )
            information = PrevalenceInformation.of_items(
                prior, known, self.axes, codes, counts, table.inclusion
            )

        with np.errstate(under="ignore"):
            updated = update_labels(
                components,
                rows,
                information,
                n_draws,
                spawn(self.entropy, key),
                n_jobs,
            )

        numbers = self.numbers(table)
        places = tuple(axis.items for axis in self.axes)
        if table.is_one_pool:
            places = (Positions.of(self.axes[0].ensemble.cells, numbers),)

        posterior = RowPosterior(
            places,
            components.effects,
            updated,
            table.codes,
            table.weights,
            self.entropy,
            table.inclusion,
            known,
            weighted_labels=table.label_counts,
        )
        rng = spawn(self.entropy, OF_CATEGORIES)
        return with_shifts_by_labels(posterior, table, rng)

    def numbers(self, table: ItemTable) -> np.ndarray:
        """Return the score by which all rows are ranked: the single score or the consensus."""
        return table.scores[:, 0] if table.is_one_pool else self.axes[0].numbers

    def ranking(self, posterior: RowPosterior, table: ItemTable) -> RankingPosterior:
        """Return the ranking of all rows on their first axis."""
        cells = self.axes[0].ensemble.cells
        numbers = self.numbers(table)
        return RankingPosterior.of(
            posterior,
            numbers,
            cells.kind,
            np.arange(table.n_items),
            np.array([numbers.min(), numbers.max()]),
            FurtherItems.of(posterior, table),
            sample=table.pool if table.is_one_pool else None,
            cells=cells if table.is_one_pool else None,
            density=self.density if table.is_one_pool else None,
            on_curve=table.is_one_pool,
        )

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of the average precision of that ranking."""
        n_draws = N_BEFORE if self.unlabeled.is_one_pool else N_BEFORE_OF_ROWS
        posterior = self.posterior(self.unlabeled, n_draws, BEFORE)
        values = self.ranking(posterior, self.unlabeled).expected_average_precision
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    @property
    def _axes_of_items(self) -> list[ScoreAxis]:
        """The axes on which items of a group differ: labeling whole groups selects no scores."""
        return [axis for axis in self.axes if not axis.is_of_groups]

    def _prevalence_prior(self, table: ItemTable) -> BetaPrior | LabeledTailPrior:
        """Return the prevalence prior, by the axis whose tail holds most labels."""
        stated = self.settings.prevalence_prior
        if stated is not None:
            return stated
        if all(axis.ensemble.cells.n_cells == 1 for axis in self.axes):
            return OF_EQUAL_SCORES
        if table.is_one_pool:
            return prior_of_labeled_tail(table.pool)
        samples = [table.sample_of(axis.numbers) for axis in self._axes_of_items]
        priors = [prior_of_labeled_tail(sample) for sample in samples]
        return max(priors, key=attrgetter("rarity"))


class RowPriors:
    """Priors of the tables that were fitted last, by their scores, settings and seed."""

    def __init__(self) -> None:
        self._priors: OrderedDict[str, RowPrior] = OrderedDict()
        self._lock = Lock()

    def prior_of(self, table: ItemTable, settings: FitSettings, entropy: int) -> RowPrior:
        """Return the prior of a table, made anew unless it is among the last ones."""
        key = _key_of(table, settings, entropy)
        if key is None:
            return RowPrior.of(table, settings, entropy)

        with self._lock:
            prior = self._priors.get(key)
        if prior is None:
            prior = RowPrior.of(table, settings, entropy)
        with self._lock:
            self._priors[key] = prior
            self._priors.move_to_end(key)
            while len(self._priors) > MAX_PRIORS:
                self._priors.popitem(last=False)
        return prior

    def __reduce__(self):
        return RowPriors, ()


def _key_of(table: ItemTable, settings: FitSettings, entropy: int) -> str | None:
    """Return a hash of the inputs of a prior; None if reuse does not pay, or is impossible."""
    items: tuple[Any, ...]
    if table.is_one_pool:
        items = table.pool.scores, table.pool.counts, table.n_systems
    else:
        parts = [part for part in (table.category, table.groups) if part is not None]
        codes = [(part.what, part.codes, part.names, part.is_ordered) for part in parts]
        features = None if table.features is None else table.features.values
        items = table.columns, table.weights, codes, table.systems, features

    if len(items[0]) > MAX_KEPT_ROWS:
        return None
    try:
        return joblib.hash((entropy, settings.making, settings.score_kind, items))
    except Exception:
        # A user's own transformer or expert need not be picklable.
        return None


def _experts_of(
    settings: FitSettings, table: ItemTable, density: ScoreDensity | None
) -> list[Expert]:
    """Return the experts of the axes of a table.

    Several columns have no distribution of one score, of which some experts are made. The shares of
    two values are independent of each other, and categories and groups scatter around them:
    differences of categories would be wider than their errors. They leave that expert out.
    """
    experts = settings.experts or []
    is_divided = not table.is_one_pool and not (table.category is None and table.groups is None)
    if is_divided and settings.takes_all_experts:
        experts = [expert for expert in experts if not isinstance(expert, ValueShares)]

    without = [expert.name for expert in experts if expert.needs_fit and density is None]
    remain = [expert for expert in experts if expert.name not in without]
    if not remain or (without and not settings.takes_all_experts):
        raise ValueError(
            "Several systems, and judges=, need experts that do not fit a mixture to one column of "
            f"scores; got {', '.join(without) or 'none'}. Leave experts='auto' and "
            "method='importance' of the mixture, take other experts, or fit one column of "
            "scores separately."
        )
    return remain
