r"""Rates of parts, with judges or without: one logistic regression with a list of effects.

Where people label some answers, and judges rate all of them, the log-odds of a positive are

.. math:: b_0 + b_1 m_i + \sum_j d_j (z_{ij} - m_i) + a_{k(i)} + c_{k(i)} m_i + u_{g(i)}

with the consensus m of the judges' normal scores z, what each of them adds to it, who is silent,
and the level and the slope of each category (a system that judges favor); u are the effects of
groups (prompts). All sizes are weighed by the evidence of the labels.

Judges may err alike on all items of a category. So in a fifth of the draws, the same ones for all,
the labels of a category alone state its rate: its log-odds are shifted by one number a draw, until
the mean over the labeled items is that rate. Where these were chosen by their ratings the
regression says how the others differ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from ._fit_settings import FitSettings
from ._further_items import FurtherItems
from ._item_table import ItemTable
from ._rankings import RankingPosterior
from ._row_posterior import PrevalenceShift, RowPosterior
from ._score_axes import kinds_of_columns

# Sizes of the effects, and their weights; the large intercept is that of rates below a percent.
OF_INTERCEPT = (2.0, 6.0), (0.8, 0.2)
OF_CONSENSUS = (1.5,), (1.0,)
OF_JUDGES = (0.3, 1.0), (0.5, 0.5)
OF_SILENCE = (1.0,), (1.0,)
OF_FEATURES = (0.3, 1.0), (0.5, 0.5)
OF_CATEGORIES = (0.25, 0.8, 1.8), (0.3, 0.4, 0.3)
OF_SLOPES = (0.15, 0.6), (0.5, 0.5)
OF_GROUPS = (0.05, 0.6, 1.4, 4.0, 12.0), (0.3, 0.3, 0.25, 0.1, 0.05)
# The share of draws in which the labels of a category alone state its rate, and how many it needs.
SHARE, MIN_LABELS = 0.2, 3
# Number of draws from the prior, and halvings and tolerance of a shift.
N_BEFORE, N_STEPS, TOLERANCE, FARTHEST = 200, 60, 1e-6, 40.0
# Spawn keys of the random streams: the regression, and the rates by labels.
UPDATE, BEFORE, BY_LABELS = 2, 6, 19


def is_of_parts(table: ItemTable, settings: FitSettings) -> bool:
    """Return whether labels, judges and structure are all that is known of the items.

    Nothing is known of the number of positives, and items were not chosen by class.
    """
    known = KnownPositives(settings.prevalence_prior, settings.known_positives)
    inclusion = table.inclusion
    # What one judge says of single items is a curve.
    is_divided = table.category is not None or table.clusters is not None
    n_judges = 0 if table.judges is None else table.judges.n_judges
    return (
        (is_divided or n_judges > 1)
        and not table.is_one_pool
        and not table.has_systems_scores
        and not table.effects
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
        log_odds = np.einsum("ij,kj->ik", updated.coefficients[draws], self.columns[rows])
        if self.by_labels is not None:
            log_odds += self.by_labels.log_odds[draws][:, self.by_labels.column[rows]]
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
        for columns, (sizes, weights) in blocks:
            end = first + columns.shape[1]
            effects.append(SizedEffect(slice(first, end), sizes, weights))
            first = end
        if table.clusters is not None:
            effects.append(SizedEffect(None, *OF_GROUPS))
        columns = np.hstack([columns for columns, _ in blocks])
        return cls(consensus, columns, tuple(effects), table.without_labels(), settings, entropy)

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
        if table.clusters is not None:
            groups, member = np.unique(table.clusters.codes[labeled], return_inverse=True)
        counts = table.label_counts[labeled]
        rows = BinaryRows(
            self.columns[labeled],
            member.ravel(),
            len(groups),
            counts,
            counts * (table.codes[labeled] == 1),
        )
        rng = spawn(self.entropy, key)
        drawn = draw_regression(rows, self.effects, n_draws, rng)
        members = drawn.members
        if table.clusters is not None:
            # Effects of groups without labels have their prior.
            others = np.setdiff1d(table.clusters.codes, groups)
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
            clusters=table.clusters,
        )
        return with_rates_by_labels(posterior, table, spawn(self.entropy, BY_LABELS))

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


def effects_of(table: ItemTable) -> tuple[np.ndarray, list[tuple[np.ndarray, Any]]]:
    """Return the consensus of the judges, and columns of each effect with its sizes."""
    n_rows = table.n_items
    blocks: list[tuple[np.ndarray, Any]] = [(np.ones((n_rows, 1)), OF_INTERCEPT)]
    judges = table.telling_judges
    consensus = np.zeros(n_rows)
    if judges.shape[1]:
        scores = np.column_stack([_normal_scores(judge, table.weights) for judge in judges.T])
        consensus = _standardized(scores.mean(axis=1), table.weights)
        blocks.append((consensus[:, np.newaxis], OF_CONSENSUS))
        if judges.shape[1] > 1:
            blocks.append((scores - scores.mean(axis=1, keepdims=True), OF_JUDGES))
        is_silent = np.isnan(judges).astype(float)
        is_silent = is_silent[:, is_silent.any(axis=0)]
        if is_silent.size:
            shares = np.average(is_silent, axis=0, weights=table.weights)
            blocks.append((is_silent - shares, OF_SILENCE))
    if table.features is not None:
        features = table.features
        blocks += [(features.values[:, [j]], OF_FEATURES) for j in features.informative]
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
        blocks.append((columns.astype(float), OF_CATEGORIES))
        if judges.shape[1]:
            blocks.append((columns * consensus[:, np.newaxis], OF_SLOPES))
    return consensus, blocks


def _normal_scores(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return normal scores of the ranks of values, standardized, zero where missing."""
    is_present = ~np.isnan(values)
    scores = np.zeros(len(values))
    ranks = mid_ranks(values[is_present], weights[is_present])
    scores[is_present] = _standardized(special.ndtri(ranks), weights[is_present])
    return scores


def _standardized(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return values with mean 0 and variance 1, or zeros if they are equal."""
    values = values - np.average(values, weights=weights)
    size = np.sqrt(np.average(values**2, weights=weights))
    return values / size if size > 0.0 else values


def with_rates_by_labels(
    posterior: PartPosterior, table: ItemTable, rng: np.random.Generator
) -> PartPosterior:
    """Return the posterior with the rates of categories by their labels alone in some draws."""
    category = Partition.numbered(np.zeros(table.n_items, dtype=int))
    if table.category is not None:
        category = table.category
    share = SHARE
    if category.n_parts < 2:
        # Good judges of all items need no labels beside them; without any, labels are all there is.
        share = 0.0 if table.telling_judges.shape[1] else 1.0
    is_labeled = table.codes >= 0
    n_labels = np.bincount(category.codes[is_labeled], table.weights[is_labeled], category.n_parts)
    n_draws = posterior.n_draws
    if not (share and is_labeled.any()):
        return posterior
    is_pooled = np.sort(rng.permutation(n_draws)[: round(share * n_draws)])
    rates = FurtherItems.of(posterior, table).rates_by_labels(len(is_pooled), rng)
    log_odds = np.zeros((n_draws, category.n_parts))
    for part in np.flatnonzero(n_labels >= MIN_LABELS):
        rows = np.flatnonzero((category.codes == part) & is_labeled)
        # Labels tell of the rate of all groups, of which these are some.
        probability = posterior.of_columns(slice(0, n_draws), rows, new_groups=True)
        counts = table.weights[rows]
        log_odds[is_pooled, part] = shift_to(probability[is_pooled], counts, rates[:, part])
    return replace(posterior, by_labels=PrevalenceShift(category.codes, log_odds))


def shift_to(probability: np.ndarray, counts: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the shift of the log-odds in each draw that makes the mean a rate, (n_draws,).

    `probability` is (n_draws, n_rows), `counts` (n_rows,), and `rates` (n_draws,).
    """
    log_odds = special.logit(np.clip(probability, 1e-12, 1.0 - 1e-12))
    shares = counts / counts.sum()
    rates = np.clip(rates, 1e-9, 1.0 - 1e-9)
    low = np.full(len(rates), -FARTHEST)
    high = -low
    shift = np.zeros(len(rates))
    for _ in range(N_STEPS):
        shifted = special.expit(log_odds + shift[:, np.newaxis])
        error = np.einsum("ij,j->i", shifted, shares) - rates
        if np.abs(error).max(initial=0.0) < TOLERANCE:
            break
        low = np.where(error < 0.0, shift, low)
        high = np.where(error > 0.0, shift, high)
        slope = np.einsum("ij,ij,j->i", shifted, 1.0 - shifted, shares)
        # Newton's step, or a halving where it leaves the bracket.
        step = shift - error / np.maximum(slope, 1e-300)
        is_inside = (step > low) & (step < high)
        shift = np.where(is_inside, step, 0.5 * (low + high))
    return shift
