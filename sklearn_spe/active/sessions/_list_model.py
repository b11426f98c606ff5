"""The model of ranked lists: noisy labels, categories or several systems."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from ...exceptions import UnverifiedWarning
from ...goals._question import Question
from ...inputs._labels import UNLABELED, BinaryLabels
from ...inputs._validation import place_of_system, spawn
from ...metrics._expectation import ratio
from ...results._distributions import WeightedDraws
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._tables import EstimateTable
from ...results._verdict import Reason
from .._information import ListInformation
from .._query import SeedPlace
from ..label_models._curves import SharedCurvesModel
from ..label_models._label_model import LabelDraws, LabelModel
from ..lists._contrast import NO_SIDE, Contrast, place_of_category
from ..lists._ranked_lists import ListItems, RankedLists, by_group
from ..strategies._strategy import ranks_from_top
from ._item_model import ItemModel
from ._query_log import ItemRows

# Maximum number of array elements over all draws and rows; and the minimum number of draws.
MAX_NUMBERS, MIN_DRAWS = 10_000_000, 60
# Number of draws from which gains are computed: fewer for many rows.
MAX_GAINS, INFORMATION_DRAWS = 1_000_000, (25, 100)


class ListModel(ItemModel):
    """A label model of the rows of ranked lists, and the estimates that follow from it.

    Attributes
    ----------
    ranked_lists : RankedLists
    items : ListItems
    label_model : LabelModel
    contrast : Contrast or None
        The two systems, or categories, whose difference is asked about; None: all of them are.
    """

    fit = "label_draws"
    is_fitted_at_once = True

    def __init__(
        self,
        question: Question,
        ranked_lists: RankedLists,
        items: ListItems,
        label_model: LabelModel,
        *,
        confidence_level: float = 0.9,
        n_draws: int = 1000,
        seed: int = 0,
        contrast: Contrast | None = None,
    ) -> None:
        self.question = question
        self.ranked_lists = ranked_lists
        self.items = items
        self.label_model = label_model
        self.confidence_level = confidence_level
        self.seed = seed
        self.contrast = contrast

        # Fewer draws for many rows, so that an array of all has at most MAX_NUMBERS elements.
        max_draws = MAX_NUMBERS // max(ranked_lists.n_rows, 1)
        self.n_draws = int(np.clip(max_draws, MIN_DRAWS, n_draws))
        self.n_draws_at_first = n_draws

        self.rows = ItemRows(items.n_rows, items.places)
        self.codes = items.codes
        group = items.groups(ranked_lists.group)
        self.category = items.category
        if items.category is None and ranked_lists.n_groups > 1:
            self.category = group
        self.systems = ranked_lists.names
        self.judges = () if ranked_lists.judges is None else ranked_lists.judges.names
        self.groups = (
            None if ranked_lists.clusters is None else items.groups(ranked_lists.clusters.codes)
        )

        self.scores = items.means(_one_score(ranked_lists))
        self.ranks = by_group(ranks_from_top, self.scores, group)
        self.item_cells = np.arange(len(self.scores))

        self.terms = _ratio_terms(question, ranked_lists, items.above)
        self.above = items.above
        if self.terms is not None and items.above is None:
            # Only the k highest contribute to such a ratio.
            is_all = np.ones(len(items.places), dtype=bool)
            self.above = is_all if items.in_lists is None else items.in_lists
        is_ranking = len(ranked_lists.lists) == 1 and question.is_ranking
        self.has_design = self.terms is not None or is_ranking
        self.n_updates = 0
        if contrast is not None:
            self._compare(contrast)

    def _compare(self, contrast: Contrast) -> None:
        """Estimate a difference: query only items of its two sides, in pairs within groups."""
        self.terms = None
        self.has_design = False
        sides = contrast.side_of_items(self.items)
        self.may_be_asked = sides != NO_SIDE
        if self.groups is not None and not contrast.of_systems:
            self.sides = sides

    # --- rows -----------------------------------------------------------------------------------

    @property
    def row_codes(self) -> np.ndarray:
        """The known labels of the rows, (n_rows,)."""
        return np.where(self.items.item < 0, UNLABELED, self.codes[self.items.item])

    @cached_property
    def prepared(self) -> LabelModel:
        """The label model with its computations on the scores."""
        rng = spawn(self.seed, SeedPlace.PREPARED_SCORES)
        return self.label_model.prepared(self.ranked_lists, self.n_draws_at_first, rng)

    @cached_property
    def label_draws(self) -> LabelDraws:
        """The predictions of the label model for every row, fitted to the known labels."""
        rng = spawn(self.seed, SeedPlace.LABEL_MODELS, self.n_updates)
        return self.prepared.learn(self.ranked_lists, self.row_codes, self.n_draws, rng)

    # --- items ----------------------------------------------------------------------------------

    @property
    def probability(self) -> np.ndarray:
        return self.items.means(self.label_draws.mean)

    def predictive(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.label_draws.n_draws
        rows = self.items.first_row[items]
        return self.label_draws.probability[:, rows], np.full(n, 1.0 / n)

    def information(self, is_proof: bool = False) -> ListInformation:
        n_draws = int(np.clip(MAX_GAINS // self.ranked_lists.n_rows, *INFORMATION_DRAWS))
        step = max(1, self.label_draws.n_draws // n_draws)
        draws = self.label_draws.completed(slice(None, None, step))
        return ListInformation.of(self.ranked_lists, draws, self.items.item, self.contrast)

    def change(self) -> np.ndarray | None:
        # Over all lists, summed over the rows that an item determines.
        p = self.label_draws.mean
        return self.items.sums(2.0 * p * (1.0 - p) * self.ranked_lists.slopes(p))

    def simulated_answers(
        self, rng: np.random.Generator
    ) -> Callable[[Self, np.ndarray], np.ndarray]:
        row = int(rng.integers(self.label_draws.n_draws))
        labels = self.label_draws.labels(slice(row, row + 1), rng)[0].astype(int)
        return lambda model, items: labels[model.items.first_row[items]]

    # --- labels ---------------------------------------------------------------------------------

    def updated(self, codes: np.ndarray, labels: BinaryLabels, details: Any = None) -> Self:
        n_updates = self.n_updates + 1
        return self._changed(codes=codes, n_updates=n_updates, prepared=self.prepared)

    def unfitted(self) -> Self:
        return self._changed(prepared=self.prepared)

    def with_draws(self, n_draws: int) -> Self:
        return self._with_equal_cache(n_draws=min(n_draws, self.n_draws))

    # --- the metric -----------------------------------------------------------------------------

    @cached_property
    def values(self) -> np.ndarray:
        """The metric of each list with the labels of each draw completed, (n_draws, n_lists)."""
        draws = self.label_draws
        rng = spawn(self.seed, SeedPlace.DRAWN_LABELS, self.n_updates)
        labels_of = partial(draws.labels, rng=rng)
        return self.ranked_lists.drawn_values(labels_of, draws.n_draws)

    @cached_property
    def means(self) -> np.ndarray:
        """The mean over the lists of each system, (n_draws, n_systems)."""
        return self.ranked_lists.mean(self.values)

    @cached_property
    def table(self) -> EstimateTable:
        """The estimate of each system."""
        return self._table(self.systems, self.means)

    @cached_property
    def ordered(self) -> EstimateTable | None:
        """The estimates of several systems, or of several categories of one; else None."""
        if self.ranked_lists.n_systems > 1:
            return self.table
        return self.by_category(self.systems[0]) if self.ranked_lists.n_groups > 1 else None

    @property
    def order_proba(self) -> float | None:
        table = self.ordered
        if table is None or self.contrast is None:
            return None if table is None else table.order_proba
        first, second = self.contrast.places
        names = table.names[first], table.names[second]
        return EstimateTable(names, (table.estimates[first], table.estimates[second])).order_proba

    def estimate(self) -> ScalarEstimate | CurveBand:
        if self.contrast is not None:
            return self.difference(*self.contrast.names)
        if self.ranked_lists.n_systems == 1:
            return self._number(self.means[:, 0])

        name = self.question.name
        n_draws = len(self.means)
        return CurveBand(
            name,
            np.arange(self.ranked_lists.n_systems),
            WeightedDraws(self.means, np.full(n_draws, 1.0 / n_draws)),
            x_name="system",
            y_name=name,
            confidence_level=self.confidence_level,
            undefined=np.isnan(self.means).mean(axis=0),
            n_items=np.nan,
        )

    def by_category(self, system: Hashable) -> EstimateTable:
        """Return the estimate of each category, for a system by name or number."""
        draws = self.ranked_lists.by_category(self.values, place_of_system(system, self.systems))
        return self._table(self.ranked_lists.category.names.tolist(), draws)

    def difference(self, first: Hashable, second: Hashable) -> ScalarEstimate:
        """Return the difference between two systems, or two categories of one system."""
        if self.ranked_lists.n_systems > 1 or self.ranked_lists.n_groups < 2:
            kind = "system"
            table = self.table
            places = [place_of_system(system, self.systems) for system in (first, second)]
        else:
            kind = "category"
            table = self.by_category(self.systems[0])
            places = [place_of_category(name, self.ranked_lists) for name in (first, second)]

        difference: Any = table.difference(*(table.names[place] for place in places))
        name = f"{self.question.name} of {kind} {first} less that of {kind} {second}"
        return replace(difference, name=name)

    def _table(self, names: Sequence[Hashable], draws: np.ndarray) -> EstimateTable:
        return EstimateTable(tuple(map(str, names)), tuple(map(self._number, draws.T)))

    def _number(self, draws: np.ndarray) -> ScalarEstimate:
        return ScalarEstimate.from_draws(
            self.question.name,
            draws,
            np.ones(len(draws)),
            confidence_level=self.confidence_level,
            undefined=float(np.isnan(draws).mean()),
            origin=self._origin,
            n_items=np.nan,
        )

    @cached_property
    def _origin(self) -> str:
        """Key of the draws, shared by estimates that can be paired."""
        return hashlib.blake2b(self.values.tobytes(), digest_size=8).hexdigest()

    def flip_rates(self) -> np.ndarray:
        """Return the false negative and false positive rates of noisy labels, (n_groups, 2)."""
        group = self.ranked_lists.group
        n_groups = self.ranked_lists.n_groups
        noisy = self.ranked_lists.noisy
        if noisy is None:
            return np.full((n_groups, 2), np.nan)

        # Expected numbers of wrong noisy labels, among positives and among negatives.
        probability = self.label_draws.mean
        wrong = [probability * (1 - noisy), (1 - probability) * noisy]
        classes = [probability, 1 - probability]
        n_wrong = np.array([np.bincount(group, row, n_groups) for row in wrong])
        n_in_class = np.array([np.bincount(group, row, n_groups) for row in classes])
        return ratio(n_wrong, n_in_class).T

    def naive_estimate(self) -> float | np.ndarray:
        # Noisy labels where others are missing.
        if self.ranked_lists.noisy is None:
            return self._of_verified()
        labels = np.where(self.row_codes < 0, self.ranked_lists.noisy, self.row_codes)
        values = self.ranked_lists.values(labels[np.newaxis])
        if self.contrast is not None:
            return float(self.contrast.total(values[0]))
        return _of_systems(self.ranked_lists.mean(values)[0])

    def verified_estimate(self) -> float | np.ndarray:
        if n_empty := int(np.count_nonzero(~self._has_verified)):
            warnings.warn(
                f"{n_empty} of {len(self.ranked_lists.lists)} lists have no verified item, so that "
                "the mean over verified items alone is undefined (NaN). Verify some of each, or "
                "use estimate_.",
                UnverifiedWarning,
                stacklevel=3,
            )
        return self._of_verified()

    def _of_verified(self):
        """Return the metric of the verified rows alone, NaN if a list has none."""
        if self.contrast is not None:
            values = np.where(self._has_verified, self._verified_values(), np.nan)
            return float(self.contrast.total(values))
        means = self.ranked_lists.mean(self._verified_values()[np.newaxis])[0]
        means[np.unique(self.ranked_lists.system[~self._has_verified])] = np.nan
        return _of_systems(means)

    def _verified_values(self) -> np.ndarray:
        """Return the metric of each list with its verified rows alone, (n_lists,)."""
        is_verified = (self.row_codes >= 0).astype(float)
        labels = np.maximum(self.row_codes, 0)[np.newaxis]
        return self.ranked_lists.values(labels, is_verified)[0]

    @property
    def _has_verified(self) -> np.ndarray:
        """Which lists have a verified item, (n_lists,)."""
        is_verified = (self.items.item >= 0) & (self.row_codes >= 0)
        return np.array([is_verified[ranked.rows].any() for ranked in self.ranked_lists.lists])

    def labels_only(self, later: Self, value: float) -> float:
        before = self._expected_values(self.label_draws)
        after = self._expected_values(self.label_draws.with_codes(later.row_codes))
        if self.contrast is not None:
            shift = float(self.contrast.total(after - before))
            return value + (shift if np.isfinite(shift) else 0.0)
        shifts = (after - before)[np.isfinite(after - before)]
        return value + (float(shifts.mean()) if len(shifts) else 0.0)

    def _expected_values(self, draws: LabelDraws) -> np.ndarray:
        """Return the expected metric of each list, (n_lists,)."""
        mean = draws.mean[np.newaxis]
        return np.array([ranked.expected(mean)[0][0] for ranked in self.ranked_lists.lists])

    def reasons(self, at_random: bool) -> list[Reason]:
        reasons = [*self.label_model.reasons(at_random), *self.label_draws.reasons]
        if self.groups is not None and not self.label_model.knows_groups:
            reasons.append(
                Reason(
                    "dependent_items",
                    "misfit",
                    f"label_model={self.label_model.name!r} treats items of one group as "
                    "independent: its intervals are too narrow if they are not.",
                    float(len(np.unique(self.groups))),
                    0.0,
                    remedy=f"Use label_model={SharedCurvesModel.name!r}.",
                    parameter="label_model",
                )
            )

        if self.items.n_unused:
            reasons.append(
                Reason(
                    "unused_labels",
                    "ok",
                    f"{self.items.n_unused:,} verified items have no score, and are not used.",
                    float(self.items.n_unused),
                    0.0,
                    remedy="Leave them out, or give them a score.",
                )
            )

        if not self.is_identified:
            reasons.append(
                Reason(
                    "few_labels",
                    "unidentified",
                    "Verified labels of both classes are needed: the estimate depends on the form "
                    "of the model, and on noisy labels if there are any.",
                    float(np.count_nonzero(self.codes >= 0)),
                    1.0,
                    remedy="Verify more items.",
                )
            )
        return reasons

    @property
    def is_identified(self) -> bool:
        labels = self.codes[self.codes >= 0]
        n_classes = 2 if self.has_classes else 1
        return len(np.unique(labels)) >= n_classes or not (self.codes < 0).any()

    def columns(self) -> dict[str, Any]:
        # Only matches, which have columns of their own, are not given as a table.
        assert self.items.given is not None
        return self.items.given


def _ratio_terms(
    question: Question, ranked_lists: RankedLists, above: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the terms of the metric, if the mean over lists is one ratio of sums; else None."""
    if question.metric.decides:
        # Lists contain the items classified as positive.
        terms = [question.terms(np.ones(len(ranked.rows), bool)) for ranked in ranked_lists.lists]
        return None if ranked_lists.n_systems > 1 or None in terms else terms[0]
    return question.terms(above) if len(ranked_lists.lists) == 1 else None


def _of_systems(values: np.ndarray) -> float | np.ndarray:
    """Return a number if there is one system, else an array over systems."""
    return float(values[0]) if len(values) == 1 else values


def _one_score(ranked_lists: RankedLists) -> np.ndarray:
    """Return one score per item: that of the system, or the mean rank over systems."""
    if ranked_lists.scores.shape[1] == 1:
        return ranked_lists.scores[:, 0]
    ranks = np.full(ranked_lists.scores.shape, np.nan)
    for system, scores in enumerate(ranked_lists.scores.T):
        has_score = ~np.isnan(scores)
        # Ranks among the same number of items for every system.
        factor = len(scores) / max(int(has_score.sum()), 1)
        ranks[has_score, system] = factor * ranks_from_top(scores[has_score])
    return -np.nanmean(ranks, axis=1)
