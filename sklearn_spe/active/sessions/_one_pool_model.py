"""The model of one pool of scores, one by one or counted."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...checks._label_checks import SuspectLabels
from ...design._goal_certificate import GoalCertificate
from ...estimators._performance import PerformanceCurveEstimator, performance_of
from ...estimators._score_mixture import SemisupervisedScoreMixture
from ...goals._best_threshold import BestThreshold, ThresholdOdds, worst_case_bounds
from ...goals._label_support import selection_reasons
from ...goals._question import Question
from ...inputs._labels import BinaryLabels
from ...inputs._validation import spawn
from ...models._item_table import ItemTable
from ...models._two_class_model import TwoClassModel
from ...posterior._operating_points import Task
from ...results._estimates import ScalarEstimate
from ...results._verdict import Reason
from .._goal_information import (
    GoalInformation,
    Guarantee,
    ProofInformation,
    goal_information,
    proof_information,
)
from .._information import (
    ExpectedInformation,
    cells_of,
    expected_slopes,
    expected_values,
    probability_draws,
)
from .._query import SeedPlace
from ..strategies._strategy import ranks_from_top
from ._history import summary
from ._item_model import ItemModel, estimate_of_labeled, relabeled_fit, without_cache
from ._query_log import ItemRows

# Attributes with one value per item.
OF_ITEMS = ("codes", "scores", "ranks", "item_cells", "above")


@dataclass(frozen=True, eq=False)
class DrawnItems(ItemRows):
    """Items that were separated from the rows of a histogram.

    `places` are the numbers of the separated items, and of the next item of other rows.
    """

    n_given: int  # number of rows at the start; separated items come after them
    is_drawn: np.ndarray  # (n_items,); which are separated

    is_listed = False

    @classmethod
    def of(cls, firsts: np.ndarray, counts: np.ndarray) -> Self:
        """Return rows of a histogram, given the numbers of their first items."""
        largest = int((firsts + counts).max(initial=0))
        return cls(largest, np.array(firsts), len(firsts), np.zeros(len(firsts), dtype=bool))

    def items_at(self, rows: np.ndarray) -> np.ndarray:
        drawn = np.flatnonzero(self.is_drawn)
        if not len(drawn):
            return np.full(len(rows), -1)
        drawn = drawn[np.argsort(self.places[drawn])]
        places = self.places[drawn]
        nearest = np.minimum(np.searchsorted(places, rows), len(drawn) - 1)
        return np.where(places[nearest] == rows, drawn[nearest], -1)

    def refusal(self, row: int) -> str:
        return (
            f"Item {row} was not queried, and for a histogram only queried items can be labeled. "
            "Pass earlier labels to with_labels; nothing was changed."
        )

    def spread(self, values: Any, fill: float) -> np.ndarray:
        return np.array(values[: self.n_given])

    def ranks(self, scores: np.ndarray) -> np.ndarray | None:
        # Items of a histogram have no order.
        return None

    def following(self, places: np.ndarray, entropy: int) -> np.ndarray:
        """Return the numbers of items to separate from rows, one after another."""
        earlier = [np.count_nonzero(places[:k] == place) for k, place in enumerate(places)]
        return self.places[places] + np.array(earlier, dtype=int)

    def separated(self, drawn: np.ndarray, origins: np.ndarray, numbers: np.ndarray | None) -> Self:
        """Return the rows with separated items at `drawn`, new ones of the rows `origins`."""
        n_new = len(origins)
        places = self.places.copy()
        np.add.at(places, origins, 1)
        places = np.append(places, np.zeros(n_new, dtype=int))
        places[drawn] = numbers
        is_drawn = np.append(self.is_drawn, np.zeros(n_new, dtype=bool))
        is_drawn[drawn] = True
        return replace(self, places=places, is_drawn=is_drawn)


@dataclass(frozen=True, eq=False)
class NeighboringItems(DrawnItems):
    """Items that were separated from rows of neighbors, and the row of each item."""

    row: np.ndarray  # (n_rows,); at the start
    smallest: np.ndarray  # (n_given,); score of each row
    # (n_rows,), exact scores for tables; None once pickled: those of the rows are enough
    scores: np.ndarray | None = None

    is_listed = True

    @classmethod
    def of_rows(
        cls, row: np.ndarray, smallest: np.ndarray, known: np.ndarray, scores: np.ndarray
    ) -> Self:
        """Return rows of an array; the first ones are the items `known`."""
        n_given = len(smallest)
        is_drawn = np.arange(n_given) < len(known)
        places = np.zeros(n_given, dtype=int)
        places[is_drawn] = known
        row = row.astype(np.min_scalar_type(n_given))
        return cls(len(row), places, n_given, is_drawn, row, smallest, np.array(scores))

    def __reduce__(self):
        return super(NeighboringItems, replace(self, scores=None)).__reduce__()

    def places_at(self, rows: np.ndarray) -> np.ndarray:
        items = self.items_at(rows)
        return np.where(items < 0, self.row[rows], items)

    def spread(self, values: Any, fill: float) -> np.ndarray:
        row_values = values[self.row]
        drawn = np.flatnonzero(self.is_drawn)
        row_values[self.places[drawn]] = values[drawn]
        return row_values

    def following(self, places: np.ndarray, entropy: int) -> np.ndarray:
        # Uniform among the items of a row: the order of a file may depend on the labels.
        drawn = self.places[self.is_drawn]
        rng = spawn(entropy, SeedPlace.ITEMS_OF_ROWS, len(drawn))
        chosen: list[int] = []
        for place in places:
            candidates = np.flatnonzero(self.row == place)
            is_free = ~np.isin(candidates, [*drawn, *chosen])
            chosen.append(int(rng.choice(candidates[is_free])))
        return np.array(chosen, dtype=int)

    def listed(self, scores: np.ndarray) -> np.ndarray:
        return self.spread(scores, np.nan) if self.scores is None else self.scores

    def item_threshold(self, scores: np.ndarray, threshold: float) -> float:
        # Rows have the mean of their items.
        return float(self.smallest[scores[: self.n_given] >= threshold].min(initial=threshold))

    def ranks(self, scores: np.ndarray) -> np.ndarray | None:
        # Places are sorted in place of scores, which takes longer.
        place = np.empty(self.n_given, dtype=self.row.dtype)
        place[np.argsort(-scores[: self.n_given], kind="stable")] = np.arange(self.n_given)
        ranks = np.empty(self.n_rows, dtype=int)
        ranks[np.argsort(place[self.row], kind="stable")] = np.arange(self.n_rows)
        return np.where(self.is_drawn, ranks[self.places], -1)


class OnePoolModel(ItemModel):
    """Curves of one pool of scores.

    Where a row represents many items, these are exchangeable until one is drawn: it is then
    appended as an item of its own, and the count of its row decreases by one. The last item of a
    row keeps its index.

    Attributes
    ----------
    mixture : SemisupervisedScoreMixture
        Unfitted: the parameters for questions about the curves.
    start : ItemTable
        With the labels known at the start.
    earlier : TwoClassModel
        Updated by these.
    given : ItemTable
        The rows, before any was split, with all known labels.
    score_cells : ScoreCells
    """

    is_one_pool = True
    fit = "score_model"
    # `ItemRows` of single items, else `DrawnItems` with counts.
    rows: Any
    counts: Any

    def __init__(
        self,
        question: Question,
        mixture: SemisupervisedScoreMixture,
        score_model: TwoClassModel,
        start: ItemTable,
        *,
        rows: DrawnItems | None = None,
        category: np.ndarray | None = None,
        confidence_level: float = 0.9,
        n_jobs: int | None = None,
    ) -> None:
        self.question = question
        self.mixture = mixture
        self.start = start
        self.earlier = score_model
        self.given = start
        self.confidence_level = confidence_level
        self.n_jobs = n_jobs
        self.seed = score_model.seed

        n = start.n_items
        self.rows = ItemRows(n, np.arange(n)) if rows is None else rows
        self.counts = None if rows is None else start.weights
        self.codes = start.codes
        self.scores = start.scores[:, 0]
        self.category = category
        self.ranks = ranks_from_top(self.scores, self.counts)

        self.score_cells = cells_of(score_model.posterior)
        cells = np.searchsorted(self.score_cells.lower, self.scores, side="right") - 1
        # Smaller in a pickle.
        self.item_cells = cells.astype(np.min_scalar_type(self.score_cells.n_cells))

        self.score_direction = start.score_directions[0]
        self.above = question.above(self.scores, self.score_direction)
        self.terms = question.terms(self.above)
        self.has_design = question.has_design(self.terms)

    @cached_property
    def score_model(self) -> TwoClassModel:
        """Updated by all known labels."""
        return relabeled_fit(self.earlier, self.given)

    @cached_property
    def performance(self) -> PerformanceCurveEstimator:
        """The score model as an estimator; it is never exposed."""
        return self._estimator_of(self.score_model)

    def _estimator_of(self, score_model: TwoClassModel) -> PerformanceCurveEstimator:
        """Return a separate estimator for questions about the curves."""
        mixture = copy(self.mixture)
        mixture.model_ = score_model
        return performance_of(mixture, confidence_level=self.confidence_level, n_jobs=self.n_jobs)

    # --- items ----------------------------------------------------------------------------------

    @property
    def item_ranks(self) -> np.ndarray | None:
        return self.rows.ranks(self.scores)

    @cached_property
    def probability(self) -> np.ndarray:
        # The posterior mean, linear between cells of scores.
        left, share = self.score_cells.place(self.scores)
        mean = self._cell_probability()
        following = np.minimum(left + 1, self.score_cells.n_cells - 1)
        return np.clip(mean[left] * (1.0 - share) + mean[following] * share, 0.0, 1.0)

    def _cell_probability(self) -> np.ndarray:
        """Return the posterior mean of P(y = 1 | score) of each cell, (n_cells,)."""
        return self.score_model.posterior.expected_probability(self.score_cells.scores)

    def predictive(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        posterior = self.score_model.posterior
        return posterior.weighted_draws(self.scores[items]), posterior.weights

    def information(
        self, is_proof: bool = False
    ) -> ExpectedInformation | GoalInformation | ProofInformation:
        if not self.question.is_goal:
            return ExpectedInformation.of(self.question, self.performance, self.score_cells)
        information_of = proof_information if is_proof else goal_information
        return information_of(
            self.question.metric,
            self.performance,
            self.score_cells,
            confidence_level=self.confidence_level,
        )

    def change(self) -> np.ndarray | None:
        if not self.question.has_expectation:
            return None
        p = self._cell_probability()[np.newaxis]
        slopes = expected_slopes(self.question, self.performance, self.score_cells, p)[0]
        return (2.0 * p[0] * (1.0 - p[0]) * np.abs(slopes))[self.item_cells]

    def simulated_answers(
        self, rng: np.random.Generator
    ) -> Callable[[Self, np.ndarray], np.ndarray]:
        # P(y = 1 | score) of each cell in one posterior draw.
        posterior = self.score_model.posterior
        draw = rng.choice(posterior.n_draws, p=posterior.weights)
        (block,) = (b for b in posterior.blocks() if b.rows.start <= draw < b.rows.stop)
        probabilities = posterior.positive_probability(self.score_cells.scores, block)
        p = probabilities[draw - block.rows.start]

        if self.counts is None:
            simulated = rng.random(len(self.codes)) < p[self.item_cells]
            labels = np.where(self.codes < 0, simulated, self.codes)
            return lambda model, items: labels[items]

        # Items have labels once they are drawn: all of a cell are positive with the same
        # probability.
        def answers(model: Self, items: np.ndarray) -> np.ndarray:
            simulated = rng.random(len(items)) < p[model.item_cells[items]]
            return np.where(model.codes[items] < 0, simulated, model.codes[items])

        return answers

    # --- labels ---------------------------------------------------------------------------------

    def updated(self, codes: np.ndarray, labels: BinaryLabels, details: Any = None) -> Self:
        return self._changed(codes=codes, given=self.start.relabeled(codes, labels))

    def with_draws(self, n_draws: int) -> Self:
        # The present fit keeps its draws.
        _ = self.score_model
        return self._with_equal_cache(earlier=self.earlier.with_draws(n_draws))

    def unfitted(self) -> Self:
        return self._changed(given=without_cache(self.given, self.earlier))

    def split_items(
        self, places: np.ndarray, numbers: np.ndarray | None = None
    ) -> tuple[Self, np.ndarray]:
        # The fit is to rows that are not split.
        _ = self.score_model
        places = np.asarray(places, dtype=np.intp)
        if numbers is None:
            numbers = self.rows.following(places, self.seed)

        # A row with several items gives one of them a new index; its last item keeps that of the
        # row.
        counts = self.counts.copy()
        items: list[int] = []
        origins: list[int] = []
        for place in places.tolist():
            if counts[place] > 1.0:
                items.append(len(counts) + len(origins))
                origins.append(place)
                counts[place] -= 1.0
            else:
                items.append(place)
        counts = np.append(counts, np.ones(len(origins)))

        # A separated item has the values of its row.
        columns = {
            name: np.append(getattr(self, name), getattr(self, name)[origins])
            for name in OF_ITEMS
            if getattr(self, name) is not None
        }
        start = ItemTable.of_pool(
            columns["scores"], columns["codes"], self.score_direction, counts=counts
        )
        start = replace(start, labels=self.start.labels, source=self.start.source)
        separated = np.array(items, dtype=np.intp)
        rows = self.rows.separated(separated, np.array(origins, dtype=np.intp), numbers)

        # The curves are the same, and so is all that was computed from them alone.
        changes = self._cached() | columns
        changes.pop("probability", None)
        return self._changed(**changes, counts=counts, start=start, rows=rows), separated

    # --- the metric -----------------------------------------------------------------------------

    def estimate(self):
        guarantee = self.guarantee(1.0)
        return self._of_question if guarantee is None else guarantee.estimate

    @cached_property
    def _of_question(self):
        """The estimate of the metric, with the verdict on it."""
        return self.question.selection(self.performance)

    def guarantee(
        self, model_weight: float, certificate: GoalCertificate | None = None
    ) -> Guarantee | None:
        if not self.question.is_goal:
            return None

        odds = self.odds
        goal = odds.goal
        if certificate is None:
            best = odds.best(self.confidence_level, model_weight=model_weight)
        else:
            best = certificate.best(odds.posterior, odds.task)

        # In the user's direction: of the rows, and of their single items.
        flip = self.score_direction.flip_threshold
        row_threshold = float(flip(best.threshold))
        item_threshold = float(flip(self.rows.item_threshold(self.scores, best.threshold)))

        sample = self.performance.posterior_.sample
        remarks = selection_reasons(
            goal,
            sample,
            best.threshold,
            odds.task,
            self.confidence_level,
            self.score_direction,
            candidate=best.candidate,
            is_proof=certificate is not None,
        )
        _, is_possible = worst_case_bounds(goal, sample, odds.thresholds)

        if not self.rows.is_listed:
            # Of a histogram a selection is defined by its threshold.
            selected = np.zeros(0, dtype=bool)
        elif best.is_kept:
            selected = self.rows.spread(self.performance.selection(row_threshold), False)
        else:
            selected = self.rows.spread(np.zeros(len(self.scores), dtype=bool), False)

        return Guarantee(
            goal,
            item_threshold if best.is_kept else np.nan,
            best.probability,
            self.confidence_level,
            bool(is_possible.any()),
            replace(self._estimate_of(best), threshold=item_threshold),
            selected,
            is_proof=certificate is not None,
            lacks_labels=best.lacks_labels,
            remarks=tuple(remarks) if best.is_kept else (),
        )

    @cached_property
    def odds(self) -> ThresholdOdds:
        """The probability of each selection to meet the goal."""
        performance = self.performance
        task = Task("sample", performance.seed_, self.n_jobs, self.confidence_level)
        return ThresholdOdds.of(performance.posterior_, self.question.metric, task.of_selection())

    def goal_reach(self) -> float:
        return self.odds.reach()

    def goal_attainable(self) -> float:
        return self.odds.attainable()

    @cached_property
    def _estimates(self) -> dict[float, ScalarEstimate]:
        """The metric of the selections at thresholds, as these are mostly one for every weight."""
        return {}

    def _estimate_of(self, best: BestThreshold) -> ScalarEstimate:
        """Return the metric of a selection."""
        if best.threshold not in self._estimates:
            self._estimates[best.threshold] = self.odds.estimate(best)
        return self._estimates[best.threshold]

    def naive_estimate(self) -> float | np.ndarray:
        return estimate_of_labeled(self.question, self.scores, self.codes, self.above, self.terms)

    def labels_only(self, later: Self, value: float) -> float:
        question = self.question
        if not question.has_expectation:
            performance = self._estimator_of(self.score_model.completed_by(later.score_model))
            if question.is_goal:
                # At the same threshold: a change of the best one is part of the update.
                best = self.odds.best(self.confidence_level)
                odds = replace(self.odds, posterior=performance.posterior_)
                return summary(odds.estimate(best))[0]
            return summary(question.selection(performance))[0]

        # Labels move the expectation; its median need not be drawn again.
        _, p = probability_draws(self.score_model.posterior, self.score_cells)
        before = expected_values(question, self.performance, self.score_cells, p)
        after = expected_values(question, later.performance, self.score_cells, p)
        shifts = (after - before)[np.isfinite(after - before)]
        shift = shifts.mean() if len(shifts) else 0.0
        return float(np.clip(value + shift, *question.metric.limits))

    def reasons(self, at_random: bool) -> list[Reason]:
        if self.question.is_goal or self.question.is_curve:
            return list(self.score_model.verdict.reasons)
        return list(self._of_question.verdict.reasons)

    # --- output ---------------------------------------------------------------------------------

    def columns(self) -> dict[str, Any]:
        columns = {"score": self.score_direction.flip(self.rows.listed(self.scores))}
        return columns if self.category is None else {**columns, "category": self.category}

    @cached_property
    def exposed(self) -> PerformanceCurveEstimator:
        """An independent copy of `performance`, which users may change."""
        return self._estimator_of(self.score_model)

    @cached_property
    def suspect_labels(self) -> SuspectLabels:
        """The suspect labels of the curves, with rows of X in place of items."""
        suspect = self.score_model.suspect_labels
        return replace(suspect, item=self.rows.of_items(suspect.item))
