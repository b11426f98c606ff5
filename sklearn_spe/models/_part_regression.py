r"""Rates of parts, with judges or without: one logistic regression with a list of effects.

Where people label some answers, and judges rate all of them, the log-odds of a positive are

.. math:: b_0 + b_1 m_i + \sum_j d_j (z_{ij} - m_i) + a_{k(i)} + c_{k(i)} m_i + u_{g(i)}

with the consensus m of the judges' normal scores z, what each of them adds to it, who is silent,
and the level and the slope of each category (a system that judges favor); u are the effects of
groups (prompts). All sizes are weighed by the evidence of the labels. Where the positives are the
errors of predictions, the consensus are the log-odds that the classifiers state, and the predicted
classes are categories.

Judges may err alike on all items of a category. So in a fifth of the draws, the same ones for all,
the labels of a category alone state its rate: its log-odds are shifted by one number a draw, until
the mean over the labeled items is that rate. Where these were chosen by their ratings the
regression says how the others differ. For a predicted class of n labels it is n / (n + 10) of the
draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..engine._label_update import ExpertWeights
from ..engine._random_effects import RandomEffects
from ..inference._sized_regression import BinaryRows, SizedEffect, draw_regression, steepness_of
from ..inputs._arrays import FrozenArrays, mid_ranks
from ..inputs._groups import Partition
from ..inputs._validation import spawn
from ..posterior._known_positives import KnownPositives
from ..posterior._posterior import Block
from ._category_shifts import SHARE, with_rates_by_labels
from ._fit_settings import FitSettings
from ._further_items import FurtherItems
from ._item_table import ItemTable, Predictions
from ._rankings import RankingPosterior
from ._row_posterior import RowPosterior
from ._score_axes import OF_CATEGORIES, kinds_of_columns

# Sizes of the effects, and their weights; the large intercept is that of rates below a percent.
OF_INTERCEPT = (2.0, 6.0), (0.8, 0.2)
OF_CONSENSUS = (1.5,), (1.0,)
OF_JUDGES = (0.3, 1.0), (0.5, 0.5)
OF_SILENCE = (1.0,), (1.0,)
OF_FEATURES = (0.3, 1.0), (0.5, 0.5)
OF_SLOPES = (0.15, 0.6), (0.5, 0.5)
OF_GROUPS = (0.05, 0.6, 1.4, 4.0, 12.0), (0.3, 0.3, 0.25, 0.1, 0.05)
# Of errors of predictions: the log-odds that are stated, and how far they may be from 0; their
# ranks, whether a classifier agrees, and the predicted class.
OF_MEAN = (2.0,), (1.0,)
OF_LOG_ODDS, MAX_LOG_ODDS = ((0.6, 2.0), (0.5, 0.5)), 6.9
OF_RANKS = (0.4,), (1.0,)
OF_AGREEMENT = (1.6,), (1.0,)
OF_CLASSES = (0.3, 1.0, 2.2), (0.4, 0.35, 0.25)
# The largest mean slope of stated log-odds.
MAX_SLOPE = 2.0
# So many labels of a predicted class state its rate alone in half of the draws.
HALF_BY_LABELS = 10.0
# More predicted classes than this have no columns beside groups.
MAX_CLASSES = 40
# Number of draws from the prior.
N_BEFORE = 200
# Spawn keys of the random streams: the regression, and the rates by labels.
UPDATE, BEFORE, BY_LABELS = 2, 6, 19


def is_of_parts(table: ItemTable, settings: FitSettings) -> bool:
    """Return whether labels, judges and structure are all that is known of the items.

    Nothing is known of the number of positives, and items were not chosen by class.
    """
    known = KnownPositives(settings.prevalence_prior, settings.known_positives)
    inclusion = table.inclusion
    if table.predictions is not None:
        return True
    # What one judge says of single items is a curve.
    is_divided = table.category is not None or table.groups is not None
    n_judges = 0 if table.judges is None else table.judges.n_judges
    return (
        (is_divided or n_judges > 1)
        and not table.is_one_pool
        and not table.has_systems_scores
        and not known.is_stated
        and not inclusion.knows_classes
        and inclusion.of_rows is None
        and inclusion.drawn_by is None
        and settings.takes_all_experts
    )


@dataclass(frozen=True, eq=False)
class PartDraws(FrozenArrays):
    """Draws of the coefficients of a regression, as of one expert."""

    coefficients: np.ndarray  # (n_draws, n_columns)
    members: np.ndarray  # (n_draws, n_members), effects of groups
    groups: np.ndarray  # (n_members,), the number of each of these groups
    size: np.ndarray  # (n_draws,), of effects of groups
    ess: float
    pareto_k: float = 0.0
    # Of one expert, none of whose curves is shared by draws.
    effects: tuple[()] = ()
    curves: tuple[None] = (None,)

    @property
    def expert(self) -> np.ndarray:
        """The only expert, (n_draws,)."""
        return np.zeros(len(self.coefficients), dtype=int)

    @property
    def curve_shares(self) -> np.ndarray:
        """The share of the draws that have the curve of each draw, (n_draws,)."""
        return np.full(len(self.coefficients), 1.0 / len(self.coefficients))

    @property
    def n_curves(self) -> float:
        """The number of curves: each draw has its own."""
        return float(len(self.coefficients))

    @property
    def weights(self) -> ExpertWeights:
        """The weight of the only expert."""
        one = np.ones(1)
        return ExpertWeights(("regression",), one, one, np.zeros(1), self.ess * one, ("",))


@dataclass(frozen=True, eq=False, repr=False)
class PartPosterior(RowPosterior):
    """Draws of P(y = 1 | row) from a regression on columns."""

    updated: Any  # `PartDraws`
    columns: np.ndarray = None  # type: ignore[assignment]  # (n_rows, n_columns)
    clusters: Partition | None = None
    levels: Partition | None = None  # whose levels are the last coefficients

    @property
    def is_one_curve(self) -> bool:
        """Whether P(y = 1) depends on one axis alone: it does not."""
        return False

    def probability_anywhere(
        self, block: Block, without: str, rows: np.ndarray | slice = slice(None)
    ) -> np.ndarray:
        """Return P(y = 1 | row) in a new group."""
        return self.of_columns(block.rows, rows, new_groups=True)

    def _probability(
        self,
        block: Block,
        effects: Any,
        effect_draws: Any,
        rows: Any = slice(None),
        size: Any = None,
    ) -> np.ndarray:
        return self.of_columns(block.rows, rows)

    def of_columns(
        self, draws: slice, rows: np.ndarray | slice, *, new_groups: bool = False
    ) -> np.ndarray:
        """Return P(y = 1 | row) in some draws, (n_draws, n_rows)."""
        updated = self.updated
        n_columns = self.columns.shape[1]
        coefficients = updated.coefficients[draws]
        log_odds = np.einsum("ij,kj->ik", coefficients[:, :n_columns], self.columns[rows])
        if self.levels is not None:
            log_odds += np.take(coefficients[:, n_columns:], self.levels.codes[rows], axis=1)
        if self.by_labels is not None:
            shifts = self.by_labels.log_odds[draws]
            log_odds += np.take(shifts, self.by_labels.column[rows], axis=1)
        if self.clusters is not None:
            member = self._member[rows]
            is_new = (member < 0) | new_groups
            known = np.flatnonzero(~is_new)
            steepness = steepness_of(updated.size[draws])[:, np.newaxis]
            of_members = updated.members[draws][:, member[known]]
            log_odds[:, known] = steepness * log_odds[:, known] + of_members
        return special.expit(log_odds, out=log_odds)

    @cached_property
    def _member(self) -> np.ndarray:
        """The place of each row's group among those with an effect, -1 without, (n_rows,)."""
        clusters: Any = self.clusters
        place = np.full(clusters.n_parts, -1)
        place[self.updated.groups] = np.arange(len(self.updated.groups))
        return place[clusters.codes]


@dataclass(frozen=True, eq=False)
class PartPrior:
    """The effects of a table, before its labels."""

    consensus: np.ndarray  # (n_rows,), of the judges' normal scores
    columns: np.ndarray  # (n_rows, n_columns)
    effects: tuple[SizedEffect, ...]
    levels: Partition | None  # the predicted classes, whose levels are the last coefficients
    members: Partition | None  # groups or, of many, predicted classes
    unlabeled: ItemTable  # the rows without their labels
    settings: FitSettings
    entropy: int
    density: None = None

    @classmethod
    def of(cls, table: ItemTable, settings: FitSettings, entropy: int) -> PartPrior:
        """List the effects of a table."""
        consensus, blocks = effects_of(table)
        effects = []
        first = 0
        for columns, (sizes, weights), mean in blocks:
            end = first + columns.shape[1]
            effects.append(SizedEffect(slice(first, end), sizes, weights, mean))
            first = end
        levels = None
        if table.predictions is not None and not has_many_classes(table):
            levels = table.predictions.predicted
            effects.append(SizedEffect(slice(first, first + levels.n_parts), *OF_CLASSES))
        members = table.groups
        if members is not None:
            effects.append(SizedEffect(None, *OF_GROUPS))
        elif table.predictions is not None and has_many_classes(table):
            members = table.predictions.predicted
            effects.append(SizedEffect(None, *OF_CLASSES))
        columns = np.hstack([columns for columns, *_ in blocks])
        unlabeled = table.without_labels()
        return cls(
            consensus, columns, tuple(effects), levels, members, unlabeled, settings, entropy
        )

    def is_of(self, table: ItemTable) -> bool:
        """Return whether this is the prior of a table with the same items."""
        return table.has_the_items_of(self.unlabeled)

    def numbers(self, table: ItemTable) -> np.ndarray:
        """Return the score by which all rows are ranked: the consensus."""
        return self.consensus

    def posterior(
        self,
        table: ItemTable,
        n_draws: int,
        key: int = UPDATE,
        known: KnownPositives = KnownPositives(),
        n_jobs: int | None = None,
    ) -> RowPosterior:
        """Update the effects by the labels of a table."""
        labeled = np.flatnonzero(table.codes >= 0)
        groups = np.zeros(0, dtype=int)
        member = np.zeros(len(labeled), dtype=int)
        if self.members is not None:
            groups, member = np.unique(self.members.codes[labeled], return_inverse=True)
        counts = table.label_counts[labeled]
        columns = self.columns[labeled]
        if self.levels is not None:
            is_level = self.levels.codes[labeled, np.newaxis] == np.arange(self.levels.n_parts)
            columns = np.hstack([columns, is_level])
        rows = BinaryRows(
            columns,
            member.ravel(),
            len(groups),
            counts,
            counts * (table.codes[labeled] == 1),
        )
        rng = spawn(self.entropy, key)
        drawn = draw_regression(rows, self.effects, n_draws, rng)
        members = drawn.members
        if self.members is not None:
            # Effects of groups without labels have their prior.
            others = np.setdiff1d(self.members.codes, groups)
            others = others[: len(others) - table.has_gathered_groups]
            of_others = rng.standard_normal((n_draws, len(others)))
            members = np.hstack([members, drawn.size[:, np.newaxis] * of_others])
            groups = np.r_[groups, others]
        posterior = PartPosterior(
            (),
            RandomEffects(()),
            PartDraws(drawn.coefficients, members, groups, drawn.size, drawn.ess),
            table.codes,
            table.weights,
            self.entropy,
            table.inclusion,
            known,
            weighted_labels=table.label_counts,
            columns=self.columns,
            clusters=self.members,
            levels=self.levels,
        )
        category, shares, are_classes = _pooled_parts(table, self.consensus)
        rng = spawn(self.entropy, BY_LABELS)
        return with_rates_by_labels(posterior, table, category, shares, rng, are_alike=are_classes)

    def ranking(self, posterior: RowPosterior, table: ItemTable) -> RankingPosterior:
        """Return the ranking of all rows by the consensus."""
        numbers = self.consensus
        return RankingPosterior.of(
            posterior,
            numbers,
            kinds_of_columns(table, self.settings.score_kind)[0],
            np.arange(table.n_items),
            np.array([numbers.min(), numbers.max()]),
            FurtherItems.of(posterior, table),
        )

    @cached_property
    def average_precision(self) -> tuple[float, float]:
        """The 90% prior interval of the average precision of that ranking."""
        posterior = self.posterior(self.unlabeled, N_BEFORE, BEFORE)
        values = self.ranking(posterior, self.unlabeled).expected_average_precision
        low, high = np.quantile(values, [0.05, 0.95])
        return float(low), float(high)


# Columns of an effect, its sizes with their weights, and the mean of its coefficients.
EffectBlock = tuple[np.ndarray, tuple[tuple[float, ...], tuple[float, ...]], float]


def has_many_classes(table: ItemTable) -> bool:
    """Return whether there are too many predicted classes for a column of each."""
    return table.predictions is not None and table.predictions.predicted.n_parts > MAX_CLASSES


def effects_of(table: ItemTable) -> tuple[np.ndarray, list[EffectBlock]]:
    """Return the consensus of judges or classifiers, and the columns of all effects."""
    if table.predictions is None:
        consensus, blocks = _of_judges(table)
    else:
        consensus, blocks = _of_predictions(table, table.predictions)
    if table.features is not None:
        features = table.features
        blocks += [(features.values[:, [j]], OF_FEATURES, 0.0) for j in features.informative]
    if table.category is not None and table.category.n_parts > 1:
        category = table.category
        levels = np.arange(category.n_parts)
        # Neighbors of ordered categories are alike: each adds a step to the one before.
        is_ordered = category.is_ordered
        columns = (
            (category.codes[:, np.newaxis] >= levels[1:])
            if is_ordered
            else (category.codes[:, np.newaxis] == levels)
        )
        blocks.append((columns.astype(float), OF_CATEGORIES, 0.0))
        if consensus.any():
            blocks.append((columns * consensus[:, np.newaxis], OF_SLOPES, 0.0))
    return consensus, blocks


def _of_judges(table: ItemTable) -> tuple[np.ndarray, list[EffectBlock]]:
    """Return the consensus of the judges' normal scores, and the effects of each of them."""
    blocks: list[EffectBlock] = [(np.ones((table.n_items, 1)), OF_INTERCEPT, 0.0)]
    judges = table.telling_judges
    if not judges.shape[1]:
        return np.zeros(table.n_items), blocks

    scores = np.column_stack([_normal_scores(judge, table.weights) for judge in judges.T])
    consensus = standardized(scores.mean(axis=1), table.weights)
    blocks.append((consensus[:, np.newaxis], OF_CONSENSUS, 0.0))
    if judges.shape[1] > 1:
        blocks.append((scores - scores.mean(axis=1, keepdims=True), OF_JUDGES, 0.0))

    is_silent = np.isnan(judges).astype(float)
    is_silent = is_silent[:, is_silent.any(axis=0)]
    if is_silent.size:
        shares = np.average(is_silent, axis=0, weights=table.weights)
        blocks.append((is_silent - shares, OF_SILENCE, 0.0))
    return consensus, blocks


def _of_predictions(
    table: ItemTable, predictions: Predictions
) -> tuple[np.ndarray, list[EffectBlock]]:
    """Return the stated log-odds of errors, and effects of classifiers."""
    weights = table.weights
    log_odds = np.clip(predictions.log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    consensus = standardized(log_odds, weights)
    mean = float(np.average(log_odds, weights=weights))
    blocks: list[EffectBlock] = [(np.ones((table.n_items, 1)), OF_MEAN, mean)]

    if consensus.any():
        # Calibrated before labels, up to a largest slope.
        slope = min(float(np.sqrt(np.average((log_odds - mean) ** 2, weights=weights))), MAX_SLOPE)
        blocks.append((consensus[:, np.newaxis], OF_LOG_ODDS, slope))
        ranks = _normal_scores(predictions.log_odds, weights)
        blocks.append((ranks[:, np.newaxis], OF_RANKS, 0.0))
    if table.n_systems > 1:
        scores = np.column_stack([standardized(one, weights) for one in table.scores.T])
        blocks.append((scores - scores.mean(axis=1, keepdims=True), OF_JUDGES, 0.0))
        blocks.append((predictions.agreement, OF_AGREEMENT, 0.0))
    return consensus, blocks


def _normal_scores(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return normal scores of the ranks of values, standardized, zero where missing."""
    is_present = ~np.isnan(values)
    scores = np.zeros(len(values))
    ranks = mid_ranks(values[is_present], weights[is_present])
    scores[is_present] = standardized(special.ndtri(ranks), weights[is_present])
    return scores


def standardized(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return values with mean 0 and variance 1, or zeros if they are equal."""
    values = values - np.average(values, weights=weights)
    size = np.sqrt(np.average(values**2, weights=weights))
    return values / size if size > 0.0 else values


def _pooled_parts(table: ItemTable, consensus: np.ndarray) -> tuple[Partition, np.ndarray, bool]:
    """Return the parts whose labels state rates, in which share of the draws each, (n_parts,).

    And whether they are predicted classes.
    """
    category = table.category
    if category is not None and category.n_parts > 1:
        return category, np.full(category.n_parts, SHARE), False
    if table.predictions is not None and not has_many_classes(table):
        predicted = table.predictions.predicted
        counts = np.where(table.codes >= 0, table.weights, 0.0)
        n_labels = np.bincount(predicted.codes, counts, predicted.n_parts)
        return predicted, n_labels / (n_labels + HALF_BY_LABELS), True

    # Good proxies of all items need no labels beside them; without any, labels are all there is.
    one = Partition.numbered(np.zeros(table.n_items, dtype=int))
    return one, np.array([0.0 if consensus.any() else 1.0]), False
