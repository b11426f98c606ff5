r"""Score axes of items and random effects, made from the data.

Score axes of items: a score, a consensus of several, a rank within a category.

The consensus of K systems ranks items by the mean of their robustly standardized log-odds. Its
values are what the systems state: the logistic regression of their mean probability on it, for
systems that are too sure disagree more than their log-odds allow, and their mean probability is
less sure than each. It is steeper by :math:`G = 1 / \{\rho + (1 - \rho) / K\}`, with :math:`\rho`
the mean correlation of their normal ranks: a mean of noisy log-odds is flatter than the log-odds
given all of them.

Where the items of a group share their label, all their scores inform on it. Their mean is steeper
by the same argument, with the items of a group in the place of systems: G is the variance of the
scores relative to that of the means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from ..data._cells import ScoreCells, ScoreKind, learn_score_kind, may_be_percent
from ..engine._components import ScoreAxis
from ..engine._random_effects import Columns, Members, RandomEffect, RandomEffects, Walk
from ..experts._expert import CurveEnsemble, Expert
from ..experts._registry import MIN_CURVES
from ..inputs._arrays import FrozenArrays, mid_ranks
from ..inputs._groups import GROUPS, Partition
from ._item_table import ItemTable
from ._score_density import ScoreDensity

# Prior weight of the consensus, and of all single systems together.
CONSENSUS, OWN = 0.4, 0.6
# With categories: prior weights of the score and of its rank within the category.
ITSELF, WITHIN = 0.65, 0.35
# Prior weight of the mean score of a group, relative to all other axes.
OF_ITS_GROUP = 0.05
# Standardized scores farther than this from the median are shrunk.
FAR = 4.0
# If two items of a category have equal scores with at least this probability, ranks within
# categories are no axis: for 20 values that are equally frequent.
TIED = 0.05
# Distance from the 10th to the 90th percentile of a normal distribution, in standard deviations.
NORMAL_RANGE = 2.563
# Newton's steps of a logistic regression, the largest and the smallest, the penalty of a slope for
# each item, and the least information on a coefficient.
N_STEPS, MAX_STEP, TOLERANCE = 60, 2.0, 1e-8
RIDGE, MIN_INFORMATION = 1e-3, 1e-9
# Score kinds that are log-odds, at least approximately.
NEARLY_LOG_ODDS = ("probability", "votes", "log_odds", "unknown")
# The axis of the score itself, where there is one, and of items without any.
THE_SCORE, NO_SCORE = "the score", "no score"
# Number of curves of each expert on a score axis, as a fraction of its number for a single score.
SHARE_OF_CURVES, SHARE_OF_ONE_SYSTEM = 0.5, 0.25
# Grid of effect sizes and their prior probabilities. Zero is excluded where differences are
# estimated: no two systems, or categories, are identical.
OF_SYSTEMS = (0.1, 0.3, 0.7), (0.35, 0.35, 0.3)
OF_CATEGORIES = (0.25, 0.8, 1.8), (0.3, 0.4, 0.3)
SLOPES_OF_CATEGORIES = (0.1, 0.3, 0.5), (0.4, 0.35, 0.25)
OF_FEATURES = (0.0, 0.3, 0.8, 1.6), (0.3, 0.3, 0.25, 0.15)
OF_GROUPS = (0.0, 0.4, 1.0, 1.8, 3.2, 8.0), (0.25, 0.2, 0.2, 0.15, 0.1, 0.1)


@dataclass(frozen=True, eq=False)
class Numbers(FrozenArrays):
    """One score of each item on an axis, with its kind and prior weights."""

    name: str
    weight: float  # prior weight of the axis
    values: np.ndarray  # (n_items,)
    kind: ScoreKind
    steeper: float = 1.0  # slope of the curves relative to that on a single score
    share: float = SHARE_OF_CURVES  # fraction of the experts' usual number of curves
    # prior weight of misspecification experts, relative to a single score
    misspecified: float = 1.0
    is_of_groups: bool = False  # whether the items of a group have one number

    @property
    def is_informative(self) -> bool:
        return bool(self.values.max() > self.values.min())

    def within(self, category: Partition, counts: np.ndarray) -> Numbers:
        """Return the rank of each item within its category, on the scale of these scores."""
        log_odds = self.kind.log_odds(self.values)
        z = Standardized.of(log_odds, counts)
        normal = np.empty(len(log_odds))
        for part in range(category.n_parts):
            members = category.members(part)
            normal[members] = special.ndtri(mid_ranks(log_odds[members], counts[members]))
        values = z.median + z.spread * normal
        kind = ScoreKind("log_odds" if self.kind.name in NEARLY_LOG_ODDS[:3] else "unknown")
        return replace(self, name=f"rank in the category by {self.name}", values=values, kind=kind)

    def mean_over(self, groups: Partition, counts: np.ndarray) -> Numbers:
        """Return the mean of these scores over the group of each item, with its slope corrected."""
        z = Standardized.of(self.kind.log_odds(self.values), counts)
        n_items = np.bincount(groups.codes, counts, groups.n_parts)
        total = np.bincount(groups.codes, counts * z.values, groups.n_parts)
        mean = (total / np.maximum(n_items, 1.0))[groups.codes]

        # Where scores are independent, the gain is the number of items in the group of an item.
        largest_gain = (n_items**2).sum() / n_items.sum()
        variance = variance_of(z.values, counts)
        variance_of_means = max(variance_of(mean, counts), variance / largest_gain)
        gain = variance / variance_of_means if variance_of_means > 0.0 else 1.0
        return replace(
            self,
            name=f"mean over the group of {self.name}",
            weight=OF_ITS_GROUP,
            values=z.median + gain * (z.spread or 1.0) * mean,
            kind=ScoreKind("unknown"),
            steeper=self.steeper * gain,
            share=SHARE_OF_ONE_SYSTEM,
            misspecified=0.0,
            is_of_groups=True,
        )

    def axis(self, table: ItemTable, experts: list[Expert], rng: np.random.Generator) -> ScoreAxis:
        """Return the score axis, with the curves of all experts."""
        sample = table.sample_of(self.values).without_labels()
        cells = ScoreCells.of(sample, self.kind)
        parts = self._parts_of(experts)
        of_axis = []
        for expert, part in zip(experts, parts, strict=True):
            if part:
                n_curves = max(MIN_CURVES, round(self.share * expert.n_curves))
                of_axis.append(replace(expert.steeper(self.steeper), n_curves=n_curves))
        factors = [part for part in parts if part]
        ensemble = CurveEnsemble.of(cells, of_axis, rng, factors=factors)
        return ScoreAxis.of(
            self.name, self.weight, ensemble, self.values, is_of_groups=self.is_of_groups
        )

    def _parts_of(self, experts: list[Expert]) -> list[float]:
        """Return the prior weight of each expert relative to that for a single score."""
        parts = [self.misspecified if expert.misspecification else 1.0 for expert in experts]
        # If the user gave no other experts, keep those excluded elsewhere.
        return parts if any(parts) else [1.0] * len(parts)


@dataclass(frozen=True, eq=False)
class Standardized(FrozenArrays):
    """Log-odds in robust standard units around their median, with the tails shrunk."""

    values: np.ndarray
    median: float
    spread: float

    @classmethod
    def of(cls, log_odds: np.ndarray, counts: np.ndarray | None = None) -> Standardized:
        low, median, high = weighted_quantiles(log_odds, [0.1, 0.5, 0.9], counts)
        std = np.sqrt(variance_of(log_odds, counts))
        spread = (high - low) / NORMAL_RANGE if high > low else float(std)

        # The tails grow like a logarithm.
        z = (log_odds - median) / (spread if spread > 0.0 else 1.0)
        size = np.abs(z)
        shrunk = np.sign(z) * (FAR + np.log(np.maximum(size, FAR) / FAR))
        return cls(np.where(size > FAR, shrunk, z), float(median), float(spread))


@dataclass(frozen=True, eq=False)
class Systems(FrozenArrays):
    """The scores of several systems and raters, on a common scale.

    Missing scores are set to the middle of their column, so labels of such items inform the
    curve there; they do not enter the consensus. Constant columns carry no information and are
    dropped.
    """

    scores: np.ndarray  # (n_items, n_columns), a column for each system and rater
    log_odds: np.ndarray  # (n_items, n_columns), the scores as log-odds
    spoke: np.ndarray  # (n_items, n_columns), False where a score is missing
    kinds: tuple[ScoreKind, ...]
    names: tuple[str, ...]  # of the columns that are kept
    weights: np.ndarray  # (n_items,), for how many each item counts

    @classmethod
    def of(cls, table: ItemTable, kinds: tuple[ScoreKind, ...]) -> Systems:
        """Put the scores of systems and raters on a common scale, given their kinds."""
        informative = _informative_columns(table)
        columns = table.columns[:, informative]
        kinds = tuple(kinds[k] for k in informative)
        present = ~np.isnan(columns)
        weights = table.weights
        middles = [
            _middle(column[is_present], weights[is_present])
            for column, is_present in zip(columns.T, present.T, strict=True)
        ]

        # Missing scores are in the middle.
        scores = np.where(present, columns, middles)
        log_odds = np.empty(scores.shape)
        for of_column, kind, column in zip(log_odds.T, kinds, scores.T, strict=True):
            of_column[:] = kind.log_odds(column)
        names = tuple(table.names_of_columns[k] for k in informative)
        return cls(scores, log_odds, present, kinds, names, weights)

    @cached_property
    def normal_ranks(self) -> np.ndarray:
        """Normal scores of the mid-ranks of the items, (n_items, n_columns).

        A missing score gets the mean of the others.
        """
        ranks = np.zeros(self.log_odds.shape)
        for of_column, column, present in zip(ranks.T, self.log_odds.T, self.spoke.T, strict=True):
            of_column[present] = special.ndtri(mid_ranks(column[present], self.weights[present]))
        return np.where(self.spoke, ranks, _mean(ranks, self.spoke)[:, np.newaxis])

    @cached_property
    def gain(self) -> float:
        """Slope of the mean of all systems relative to that of a single system."""
        n = self.normal_ranks.shape[1]
        ranks = self.normal_ranks
        if n == 1:
            return 1.0

        # The mean correlation of the ranks of two systems.
        centered = ranks - np.average(ranks, axis=0, weights=self.weights)
        centered *= np.sqrt(self.weights)[:, np.newaxis]
        size = np.sqrt(np.einsum("ij,ij->j", centered, centered))
        scaled = centered / np.where(size > 0.0, size, 1.0)
        correlation = np.einsum("ij,ik->jk", scaled, scaled)
        mean = (correlation.sum() - np.trace(correlation)) / (n * (n - 1))
        rho = float(np.clip(mean, 0.0, 1.0))
        return 1.0 / (rho + (1.0 - rho) / n)

    def consensus(self) -> Numbers:
        """Return the mean of the standardized log-odds, on the scale of the stated probabilities.

        Misspecification of all systems at once is less probable than of one.
        """
        units = [
            Standardized.of(column[present], self.weights[present])
            for column, present in zip(self.log_odds.T, self.spoke.T, strict=True)
        ]
        standardized = np.zeros(self.log_odds.shape)
        for column, of_column, present in zip(standardized.T, units, self.spoke.T, strict=True):
            column[present] = of_column.values
        numbers = _mean(standardized, self.spoke)

        # Margins and verdicts of two values state no probability, and rank only.
        are_log_odds = np.array([kind.name in NEARLY_LOG_ODDS for kind in self.kinds])
        states = are_log_odds & [len(np.unique(of_column.values)) > 2 for of_column in units]
        if states.any():
            stated = _mean(special.expit(self.log_odds), self.spoke & states)
            counts = self.weights * (self.spoke & states).any(axis=1)
            values = _steeper_line(stated, numbers, self.gain, counts)
        else:
            # Alone, verdicts have the scale of their log-odds, and margins none.
            common = [units[k] for k in np.flatnonzero(are_log_odds)]
            median = np.median([of_column.median for of_column in common] or [0.0])
            spread = np.median([of_column.spread for of_column in common] or [1.0])
            values = median + self.gain * (spread or 1.0) * numbers
        return Numbers(
            "the consensus",
            CONSENSUS,
            values,
            ScoreKind("unknown"),
            self.gain,
            misspecified=1.0 / len(self.kinds),
        )


def _steeper_line(
    probability: np.ndarray, numbers: np.ndarray, gain: float, counts: np.ndarray
) -> np.ndarray:
    """Return log-odds, linear in some numbers, that fit probabilities of the items.

    The slope is that of a logistic regression times a gain; the mean probability is kept.
    """
    level = np.ones((len(numbers), 1))
    line = np.column_stack([level, numbers])
    _, slope = _logistic_regression(line, probability, np.zeros(len(numbers)), counts)
    steeper = gain * slope * numbers
    (intercept,) = _logistic_regression(level, probability, steeper, counts)
    return intercept + steeper


def _logistic_regression(
    columns: np.ndarray, probability: np.ndarray, offset: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Return the coefficients that fit probabilities best, of an intercept and further columns."""
    shares = counts / counts.sum()
    n_columns = columns.shape[1]
    # Slopes of probabilities that are all but 0 and 1 would have no end.
    penalty = np.diag(np.r_[0.0, np.full(n_columns - 1, RIDGE)])
    coefficients = np.zeros(n_columns)
    for _ in range(N_STEPS):
        fitted = special.expit(offset + np.einsum("ij,j->i", columns, coefficients))
        gradient = np.einsum("ij,i->j", columns, shares * (probability - fitted))
        information = np.einsum("ij,ik,i->jk", columns, columns, shares * fitted * (1.0 - fitted))
        step = np.linalg.solve(
            information + penalty + MIN_INFORMATION * np.eye(n_columns),
            gradient - penalty @ coefficients,
        )
        coefficients = coefficients + np.clip(step, -MAX_STEP, MAX_STEP)
        if np.abs(step).max() < TOLERANCE:
            break
    return coefficients


def _informative_columns(table: ItemTable) -> list[int]:
    """Return the columns that are not constant, and of equal ones the first."""
    if table.is_one_pool:
        return [0]
    informative: list[int] = []
    for k, sample in enumerate(table.samples):
        column = table.columns[:, k]
        is_repeated = any(
            np.array_equal(column, table.columns[:, other], equal_nan=True) for other in informative
        )
        if sample.n_cells > 1 and not is_repeated:
            informative.append(k)
    return informative


def kinds_of_columns(table: ItemTable, score_kind: str) -> tuple[ScoreKind, ...]:
    """Return the score kind of each system, which a user may set, and of each rater.

    Systems share a unit: if one has percentages, so have the others that may.
    """
    systems = table.samples[: table.n_systems]
    raters = table.samples[table.n_systems :]
    kinds = [learn_score_kind(sample, score_kind) for sample in systems]
    if any(kind.whole != 1.0 for kind in kinds):
        kinds = [
            learn_score_kind(sample, score_kind, whole=100.0) if may_be_percent(sample) else kind
            for sample, kind in zip(systems, kinds, strict=True)
        ]
    return (*kinds, *(learn_score_kind(sample) for sample in raters))


def score_axes_of(
    table: ItemTable,
    systems: Systems,
    experts: list[Expert],
    density: ScoreDensity | None,
    rng: np.random.Generator,
) -> tuple[ScoreAxis, ...]:
    """Return the score axes of the items, with their prior curves.

    `density` is the distribution of the scores, if they are one column.
    """
    numbers = [axis for axis in _all_numbers(table, systems) if axis.is_informative]
    if not numbers:
        # Without any informative column, the prevalence is still estimated.
        kind = systems.kinds[0] if table.is_one_pool else ScoreKind("unknown")
        values = table.scores[:, 0] if table.is_one_pool else np.zeros(table.n_items)
        numbers = [Numbers(NO_SCORE, OWN, values, kind, share=1.0)]
    streams = [rng] if len(numbers) == 1 else rng.spawn(len(numbers))

    # Experts that are made of a fit know that of the score itself, and of no other axis.
    without_fit = [expert for expert in experts if not expert.needs_fit]
    axes = []
    for axis, stream in zip(numbers, streams, strict=True):
        of_axis = without_fit
        if density is not None and axis.name in (THE_SCORE, NO_SCORE):
            of_axis = density.informed(experts, table.samples[0])
        axes.append(axis.axis(table, of_axis, stream))
    return tuple(axes)


def _all_numbers(table: ItemTable, systems: Systems) -> list[Numbers]:
    if not systems.kinds:
        return []
    if len(systems.kinds) == 1:
        share = 1.0 if table.is_one_pool else SHARE_OF_CURVES
        axes = [Numbers(THE_SCORE, OWN, systems.scores[:, 0], systems.kinds[0], share=share)]
    else:
        axes = [systems.consensus(), *_of_each(systems)]

    first = axes[0]
    category = table.category
    if category is not None and _has_ranks_within(category, first, table.weights):
        within = replace(first.within(category, table.weights), weight=WITHIN)
        axes = [*_scaled(axes, ITSELF), within]
    if table.groups is not None:
        of_group = first.mean_over(table.groups, table.weights)
        axes = [*_scaled(axes, 1.0 - OF_ITS_GROUP), of_group]
    return axes


def _has_ranks_within(category: Partition, numbers: Numbers, counts: np.ndarray) -> bool:
    """Return whether the rank of an item within its category is a score axis.

    A mid-rank of tied scores is the share of the items below: where no item is labeled it lies
    where no label ever was.
    """
    return category.n_parts > 1 and share_of_ties(numbers.values, category, counts) < TIED


def _scaled(axes: list[Numbers], weight: float) -> list[Numbers]:
    """Return axes whose prior weights sum to a number."""
    total = sum(axis.weight for axis in axes)
    return [replace(axis, weight=weight * axis.weight / total) for axis in axes]


def share_of_ties(values: np.ndarray, category: Partition, counts: np.ndarray) -> float:
    """Return the share of the pairs of items of a category that have equal values."""
    n_categories = category.n_parts
    _, value = np.unique(values, return_inverse=True)
    _, cell = np.unique(value * n_categories + category.codes, return_inverse=True)
    in_cells = np.bincount(cell, counts)
    in_categories = np.bincount(category.codes, counts, n_categories)
    n_tied = in_cells @ (in_cells - 1.0)
    n_pairs = in_categories @ (in_categories - 1.0)
    return float(n_tied / n_pairs) if n_pairs > 0.0 else 0.0


def _of_each(systems: Systems) -> list[Numbers]:
    """Return one axis for each of several systems or raters.

    Errors of one system are corrected by the others and by the consensus: no misspecification
    experts are needed. The systems state different log-odds, so none is taken for a
    probability. Each has fewer curves than a single score would have.
    """
    columns = zip(systems.names, systems.scores.T, systems.kinds, strict=True)
    # All systems together have the prior weight of a single one.
    weight = OWN / len(systems.kinds)
    return [
        Numbers(
            name,
            weight,
            scores,
            kind,
            share=SHARE_OF_ONE_SYSTEM,
            misspecified=0.0,
        )
        for name, scores, kind in columns
    ]


def _mean(values: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return the row means over the non-missing values."""
    total = np.ascontiguousarray(np.where(present, values, 0.0).T).sum(axis=0)
    # Items without any score get the overall middle.
    return total / np.maximum(present.sum(axis=1), 1)


def variance_of(values: np.ndarray, counts: np.ndarray | None = None) -> float:
    """Return the variance of values with counts; None means that each counts once."""
    mean = np.average(values, weights=counts)
    return float(np.average((values - mean) ** 2, weights=counts))


def _middle(values: np.ndarray, counts: np.ndarray) -> float:
    """Return the middle of numbers, the midpoint of two different ones."""
    ends = np.unique(values)
    return float(ends.mean() if len(ends) == 2 else weighted_quantiles(values, [0.5], counts)[0])


def weighted_quantiles(
    values: np.ndarray, levels: list[float], counts: np.ndarray | None = None
) -> np.ndarray:
    """Return quantiles of values, each of which counts for several; None: for one."""
    if counts is None:
        return np.quantile(values, levels)
    order = np.argsort(values, kind="stable")
    up_to = np.cumsum(counts[order])
    positions = np.asarray(levels) * max(up_to[-1] - 1.0, 0.0)

    # Interpolate between two values at whole positions.
    lower = np.floor(positions)
    last = len(order) - 1
    left = np.minimum(np.searchsorted(up_to, lower, side="right"), last)
    right = np.minimum(np.searchsorted(up_to, lower + 1.0, side="right"), last)
    before = values[order][left]
    after = values[order][right]
    return before + (positions - lower) * (after - before)


def random_effects_of(table: ItemTable, systems: Systems) -> RandomEffects:
    """Return one random effect for each structure of the items."""
    effects: list[RandomEffect] = []
    if len(systems.kinds) > 1:
        effects.append(_of_systems(systems))

    if table.category is not None and table.category.n_parts > 1:
        codes = table.category.codes
        n = table.category.n_parts
        kind = Walk if table.category.is_ordered else Members
        effects.append(kind("category", *OF_CATEGORIES, codes, n))
        # The slope of a constant score is a shift.
        if np.nanmin(systems.scores, initial=np.inf) < np.nanmax(systems.scores, initial=-np.inf):
            effects.append(
                Members("slope in the category", *SLOPES_OF_CATEGORIES, codes, n, on="stretch")
            )
    if table.groups is not None:
        codes = table.groups.codes
        n = table.groups.n_parts
        effects.append(Members(GROUPS, *OF_GROUPS, codes, n, averaged=True))
    if table.features is not None:
        for j in table.features.informative:
            name = f"feature {table.features.names[j]}"
            effects.append(Columns(name, *OF_FEATURES, table.features.values[:, [j]]))

    return RandomEffects(tuple(effects))


def _of_systems(systems: Systems) -> Columns:
    """Return the deviation of each system's rank of an item from the item's mean rank."""
    ranks = systems.normal_ranks
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    return Columns("systems", *OF_SYSTEMS, deviations, scaled=True)
