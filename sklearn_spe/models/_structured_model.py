"""The model of structured items: its prior, its verdict, the agreement of judges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from types import SimpleNamespace

import numpy as np

from ..checks._fit_verdict import reasons_of_experts, warn_of_removed
from ..checks._label_checks import LabelEProcess, SuspectLabels, parts_of_scores
from ..checks._reasons import reason_of_inversion, reasons_of_labels
from ..data._cells import ScoreKind, default_threshold
from ..data._item_data import ItemData
from ..engine._components import CurveComponents, RandomEffects, ScoreAxis
from ..engine._label_update import update_items
from ..experts._expert import Expert
from ..experts._score_experts import ValueShares
from ..families._family import BetaPrior
from ..inputs._groups import GROUPS
from ..inputs._labels import UNLABELED, BinaryLabels
from ..inputs._validation import seed_entropy, spawn
from ..posterior._known_positives import NOTHING_KNOWN, KnownPositives
from ..posterior._posterior import Block
from ..results._verdict import Reason, Verdict
from ._few_labels import with_shifted_prevalences
from ._fit_settings import FitSettings, expected_rarity, prevalence_prior_given
from ._item_posterior import ItemPosterior, RankingPosterior
from ._item_table import ItemTable
from ._score_axes import (
    Systems,
    kinds_of_columns,
    random_effects_of,
    score_axes_of,
    weighted_quantiles,
)
from ._score_model import FittedModel

# Spawn keys of the random streams of the update, the prior curves, the update without labels and
# the components; the same as for a single pool. And of categories with few labels.
UPDATE, CURVES, BEFORE, COMPONENTS = 2, 5, 6, 7
FEW_LABELS = 9
# Number of draws from the prior.
N_BEFORE = 200


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """Prior of the items, built from their scores alone."""

    axes: tuple[ScoreAxis, ...]
    effects: RandomEffects
    unlabeled: ItemTable  # the items without their labels
    settings: FitSettings
    entropy: int

    @classmethod
    def of(cls, table: ItemTable, settings: FitSettings, entropy: int) -> ItemPrior:
        """Build the prior curves of every expert on every score axis."""
        systems = Systems.of(table, kinds_of_columns(table, settings.score_kind))
        effects = random_effects_of(table, systems)
        experts = _experts_of(settings, table)
        rng = spawn(entropy, CURVES)
        # Densities underflow to zero in the tails, even if the user turned that into an error.
        with np.errstate(under="ignore"):
            axes = score_axes_of(table, systems, experts, rng)
        unlabeled = table.relabeled(np.full(table.n_items, UNLABELED))
        return cls(axes, effects, unlabeled, settings, entropy)

    @cached_property
    def components(self) -> CurveComponents:
        """The prior components that labels reweight."""
        ensembles = tuple(axis.ensemble for axis in self.axes)
        names = tuple(
            f"{name} of {axis.name}" for axis in self.axes for name in axis.ensemble.names
        )
        weights, rng = [axis.weight for axis in self.axes], spawn(self.entropy, COMPONENTS)
        return CurveComponents.drawn(ensembles, weights, names, self.effects, rng)

    def posterior(
        self,
        table: ItemTable,
        n_draws: int,
        place: int = UPDATE,
        known: KnownPositives = NOTHING_KNOWN,
    ) -> ItemPosterior:
        """Update the curves by the labels of the items, and what else is known of them."""
        components = self.components
        if self.settings.prevalence_prior is not None:
            components = components.without_rare
        with np.errstate(under="ignore"):
            updated = update_items(
                components,
                self.axes,
                table.codes,
                table.weights,
                self._prevalence_prior(table),
                n_draws,
                spawn(self.entropy, place),
                known,
            )
        places = tuple(axis.items for axis in self.axes)
        codes, counts = table.codes, table.weights
        posterior = ItemPosterior(places, self.effects, updated, codes, counts, self.entropy, known)
        rng = spawn(self.entropy, FEW_LABELS)
        return with_shifted_prevalences(posterior, table.columns, table.category, rng)

    @property
    def numbers(self) -> np.ndarray:
        """The score by which all items are ranked: the single score or the consensus."""
        return self.axes[0].numbers

    def ranking(self, posterior: ItemPosterior, table: ItemTable) -> RankingPosterior:
        """Return the ranking of all items on their first axis."""
        kind, numbers, items = (
            self.axes[0].ensemble.cells.kind,
            self.numbers,
            np.arange(table.n_items),
        )
        everywhere = np.array([numbers.min(), numbers.max()])
        return RankingPosterior.of(posterior, numbers, kind, items, everywhere, table.clusters)

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of the average precision of that ranking."""
        posterior = self.posterior(self.unlabeled, N_BEFORE, BEFORE)
        values = self.ranking(posterior, self.unlabeled).expected_average_precision
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)

    def _prevalence_prior(self, table: ItemTable) -> BetaPrior:
        """Return the prevalence prior, by the axis whose tail holds most labels."""
        samples = [table.sample_of(own.numbers) for own in self.axes]
        rarest = int(np.argmax([expected_rarity(sample) for sample in samples]))
        return prevalence_prior_given(self.settings.prevalence_prior, samples[rarest])


def _experts_of(settings: FitSettings, table: ItemTable) -> list[Expert]:
    """Return the experts that need no mixture fit to a single score column.

    The shares of two values are independent of each other, and categories and groups scatter around
    them: differences of categories would be wider than their errors. They leave that expert out.
    """
    given = settings.experts or []
    experts = [expert for expert in given if not expert.needs_fit]
    dropped = [expert.name for expert in given if expert.needs_fit]
    is_divided = table.category is not None or table.clusters is not None
    if is_divided and settings.takes_all_experts:
        experts = [expert for expert in experts if not isinstance(expert, ValueShares)]
    if not experts or (dropped and not settings.takes_all_experts):
        raise ValueError(
            "Several systems, category= and groups= need experts that do not fit a mixture to "
            f"one column of scores; got {', '.join(dropped) or 'none'}. Leave experts='auto' and "
            "method='importance' of the mixture, take other experts, or fit one column of "
            "scores by itself."
        )
    return experts


# Between-group variance needs at least this many labeled groups.
MIN_GROUPS = 8


def reasons_of_items(table: ItemTable):
    """Yield diagnostics about single systems, raters and groups."""
    if len(table.samples) > 1:
        columns = table.names_of_columns, table.samples, table.directions_of_columns
        for name, sample, score_direction in zip(*columns, strict=True):
            for reason in reason_of_inversion(sample, score_direction):
                named = f"{name[0].upper()}{name[1:]}: "
                details = {**reason.details, "column": named}
                yield replace(reason, problem=f"{named}{reason.problem}", details=details)
    yield from _unheard(table)
    yield from _remarks(table)
    if table.clusters is None:
        return
    n_labeled = len(np.unique(table.clusters.codes[table.codes >= 0]))
    if n_labeled < MIN_GROUPS:
        yield Reason(
            "few_groups",
            "unidentified",
            f"Labels cover {n_labeled} groups only, and {MIN_GROUPS} are needed to estimate "
            "the variance between groups: estimates for further groups are dominated by the "
            "prior.",
            float(n_labeled),
            float(MIN_GROUPS),
            remedy="Label items of more groups rather than more items of these.",
        )


def _unheard(table: ItemTable):
    """Yield a reason for each system or rater without any score of a labeled item."""
    labeled = table.codes >= 0
    if not labeled.any():
        return
    for k, name in enumerate(table.names_of_columns):
        spoke = ~np.isnan(table.columns[:, k])
        n_spoke = table.weights[spoke].sum()
        if not spoke[labeled].any():
            is_judge = k >= table.n_systems
            yield Reason(
                "unheard_judge" if is_judge else "unheard_system",
                "unidentified",
                f"The {name} {'has no rating' if is_judge else 'has no score'} of any labeled "
                "item: its estimates are dominated by the prior.",
                0.0,
                1.0,
                remedy=f"Label some of the {n_spoke:,.0f} items that have one, or leave it out.",
            )


def _remarks(table: ItemTable):
    """Yield remarks on columns that do not affect the verdict."""
    for k, (name, sample) in enumerate(zip(table.names_of_columns, table.samples, strict=True)):
        is_judge, values = k >= table.n_systems, table.columns[:, k]
        n_missing, distinct = table.weights[np.isnan(values)].sum(), sample.scores
        if len(distinct) == 1:
            value = _as_said(table, k, float(distinct[0]))
            yield Reason(
                "one_score",
                "ok",
                f"The {name} is constant, {value} for all items: it carries no information and "
                "enters no estimate but its own.",
                float(len(distinct)),
                2.0,
            )
        if n_missing and not is_judge:
            yield Reason(
                "missing_scores",
                "ok",
                f"The {name} has no score for {n_missing:,.0f} of {table.weights.sum():,.0f} "
                "items: its estimates cover the others.",
                float(n_missing),
                0.0,
            )
        if is_judge and _might_be_verdicts(table, distinct):
            shown = ", ".join(f"{value:g}" for value in distinct)
            yield Reason(
                "graded_judge",
                "ok",
                f"The {name} takes the values {shown}: they are treated as scores, larger for "
                "positives, not as class labels.",
                float(len(distinct)),
                2.0,
            )


def _as_said(table: ItemTable, column: int, value: float) -> str:
    """Return a value of a column, formatted as its user wrote it."""
    if table.are_verdicts[column]:
        return repr(table.labels.decode([int(value)])[0].item())
    return f"{table.directions_of_columns[column].flip(value):g}"


def _might_be_verdicts(table: ItemTable, distinct) -> bool:
    """Return whether a rater's three distinct scores include both class labels."""
    found = set(distinct.tolist())
    return len(found) == 3 and any(
        classes < found for classes in ({0.0, 1.0}, set(table.labels.classes.tolist()))
    )


# Labels on which e-processes bet, at most.
MAX_BETS = 1000


def bets_on_items(posterior: ItemPosterior, ranking: RankingPosterior, table: ItemTable):
    """Test the posterior by e-processes on parts of the ranking, overall and by category."""
    items = np.flatnonzero(table.codes >= 0)
    if len(items) > MAX_BETS:
        # Some of the labels, whatever they are: the test stays valid.
        items = items[np.linspace(0, len(items) - 1, MAX_BETS).astype(int)]
    everyone = ranking.scores[np.argsort(ranking.rows)]
    scores = everyone[items]
    inside, where = list(parts_of_scores(ranking.sample, scores)), []
    if table.category is not None:
        for part, name in enumerate(table.category.names.tolist()):
            own = table.category.codes[items] == part
            # Use all items: where to bet must not depend on which items are labeled.
            members = table.category.members(part)
            (middle,) = weighted_quantiles(everyone[members], [0.5], table.weights[members])
            inside += [own & (scores > middle), own & (scores <= middle)]
            where += [("upper", name), ("lower", name)]
    codes, weights = table.codes[items], table.weights[items]
    labeled = SimpleNamespace(positive=weights * (codes == 1), negative=weights * (codes == 0))
    parts = (posterior.probability(block, items) for block in posterior.blocks())
    if not len(items):
        return LabelEProcess.of(ranking)
    return LabelEProcess.placed(parts, ranking, labeled, np.array(inside, dtype=float), where)


def effective_number(posterior: ItemPosterior, said) -> np.ndarray:
    r"""Return the effective number of independent raters, for each draw of the labels.

    K raters whose errors have the mean correlation :math:`\bar\rho` are worth :math:`K / (1 + (K -
    1) \bar\rho)` independent ones (the design effect of Kish, 1965). An error is the deviation of a
    rater's score from its mean within the class. `said` is (n_items, n_judges), NaN if missing;
    each pair of raters is compared on the items that both rated. The result is (n_draws,), NaN if
    no two raters share items, or if one is constant within a class.
    """
    n, blocks = said.shape[1], posterior.blocks()
    correlations = [
        np.concatenate([_correlation(posterior, block, one, other) for block in blocks])
        for one, other in combinations(said.T, 2)
    ]
    return n / (1.0 + (n - 1.0) * np.mean(correlations, axis=0))


def _correlation(posterior, block, one, other) -> np.ndarray:
    """Return the within-class correlation of two raters, for each draw."""
    both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
    one, other = one[both], other[both]
    parts = np.column_stack([np.ones(len(both)), one, other, one * other, one**2, other**2])
    positive = posterior.positives(block)[:, both]
    within = np.zeros((3, len(positive)))
    for labels in (positive, posterior.counts[both] - positive):
        n, *first, product, square, of_other = np.einsum("ij,jk->ki", labels, parts)
        n = np.maximum(n, 1.0)
        within += (
            product - first[0] * first[1] / n,
            square - first[0] ** 2 / n,
            of_other - first[1] ** 2 / n,
        )
    covariance, spread, other_spread = within
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(spread * other_spread)


# Maximum number of draws of a posterior of items: each holds the labels of all items.
MAX_DRAWS = 400


@dataclass(frozen=True, eq=False)
class StructuredModel(FittedModel):
    """Fit of items with several scores, categories or groups."""

    settings: FitSettings  # settings of the fit
    seed: int  # of all random numbers
    prior: ItemPrior | None  # None after unpickling: ensembles are large and are rebuilt
    table: ItemTable
    posterior: ItemPosterior
    suspect_labels: SuspectLabels
    bets: LabelEProcess
    verdict: Verdict
    given: ItemTable  # the rows of X, which the table gathers

    @property
    def labels(self) -> BinaryLabels:
        """How labels are encoded."""
        return self.table.labels

    @classmethod
    def of(cls, parameters, data: ItemData) -> StructuredModel:
        """Fit with the parameters of a `SemisupervisedScoreMixture`."""
        settings, given = FitSettings.of(parameters).seeing(data), ItemTable.of(data)
        table, seed = given.gathered(), seed_entropy(parameters.random_state)
        return cls.made(settings, table, ItemPrior.of(table, settings, seed), given)

    @classmethod
    def made(
        cls, settings: FitSettings, table: ItemTable, prior: ItemPrior, given=None
    ) -> StructuredModel:
        """Update a prior by the labels of a table, which gathers the `given` rows."""
        known = KnownPositives(settings.prevalence_prior, settings.known_positives)
        posterior = prior.posterior(table, min(settings.n_draws, MAX_DRAWS), known=known)
        ranking, score_direction = prior.ranking(posterior, table), table.score_directions[0]
        with np.errstate(under="ignore"):
            # No check for decreasing curves: items with equal scores may differ in other columns.
            found = [
                *reasons_of_labels(ranking, score_direction),
                *reasons_of_experts(ranking, prior.average_precision, score_direction),
            ]
            bets = bets_on_items(posterior, ranking, table)
            suspect = SuspectLabels.of(
                ranking, *table.at_rows(prior.numbers), table.labels, score_direction
            )
        found += [*reasons_of_items(table), *bets.reasons(score_direction)]
        several = len(table.samples) > 1
        found += suspect.reasons(score="consensus score" if several else "score")
        return cls(
            settings=settings,
            seed=prior.entropy,
            prior=prior,
            table=table,
            posterior=posterior,
            suspect_labels=suspect,
            bets=bets,
            verdict=Verdict(found),
            given=table if given is None else given,
        )

    def with_labels(self, given: ItemTable, settings: FitSettings | None = None) -> StructuredModel:
        """Return the fit to other labels of the same items, with the same prior if kept."""
        settings = self.settings if settings is None else settings
        table = given if self.table is self.given else given.gathered()
        prior = self.prior
        is_kept = settings.makes_the_same(self.settings) and table.has_the_items_of(self.table)
        # The rows that represent many items depend on which are labeled.
        if prior is None or not is_kept:
            prior = ItemPrior.of(table, settings, self.seed)
        return self.made(settings, table, prior, given)

    def updated(self, parameters, data: ItemData) -> StructuredModel:
        """Return the fit to other labels, for an estimator's `update`.

        Raise ValueError if the scores, categories, groups or raters differ. Warn at the caller of
        `update` if labels were removed.
        """
        given = self.given.same_items(ItemTable.of(data))
        warn_of_removed(self.given.n_lost(given), int((self.given.codes >= 0).sum()))
        return self.with_labels(given, FitSettings.of(parameters).seeing(data, self.settings))

    def ranking(self, system=None, category=None, *, judge=None, beside=()) -> RankingPosterior:
        """Return the posterior of the ranking by a system, or a rater, of the items that it scored.

        Restricted to a category, if given, and to items that the systems `beside` scored too.
        """
        table, part = self.table, self.table.part_of(category)
        column, others = table.column_of(system, judge), map(table.number_of, beside)
        columns = column, *(other for other in others if table.misses[other])
        if (part, columns) not in self._rankings:
            self._rankings[part, columns] = RankingPosterior.of(
                self.posterior,
                table.columns[:, column],
                self.kinds[column],
                table.measured_items(columns, part),
                self._range_of(column),
                table.clusters,
            )
        return self._rankings[part, columns]

    @cached_property
    def _rankings(self) -> dict:
        return {}

    @cached_property
    def kinds(self) -> tuple[ScoreKind, ...]:
        """The score kind of each system and rater."""
        return kinds_of_columns(self.table, self.settings.score_kind)

    def item_probability(self, block: Block, items, *, new_groups: bool = False) -> np.ndarray:
        """Return P(y = 1) of items in the draws of a block, or in new groups, (n_rows, n_items)."""
        if not new_groups:
            return self.posterior.probability(block, items)
        return self.posterior.probability_anywhere(block, GROUPS)[:, items]

    def _range_of(self, column: int) -> np.ndarray:
        """Return the lowest and highest score of a column."""
        if self.table.are_verdicts[column]:
            # A rater may have used one of the two classes only.
            return np.array([0.0, 1.0])
        scores = self.given.columns[:, column]
        return np.array([np.nanmin(scores), np.nanmax(scores)])

    def threshold_of(self, system=None, judge=None) -> float | None:
        """Return the decision threshold that the values of a system or rater imply, if any."""
        column = self.table.column_of(system, judge)
        if self.table.are_verdicts[column]:
            return 0.5
        kind = self.settings.score_kind if judge is None else "auto"
        return default_threshold(self.table.samples[column], kind, self.kinds[column].whole)
