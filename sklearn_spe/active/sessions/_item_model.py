"""The contract of a model in a session; estimates by model and design, and of ranked lists."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...design._goal_certificate import GoalCertificate
from ...goals._question import Question
from ...inputs._arrays import FrozenArrays
from ...inputs._labels import BinaryLabels
from ...inputs._validation import place_of_system
from ...metrics._expectation import ratio
from ...results._distributions import WeightedDraws
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._tables import EstimateTable
from ...results._verdict import Reason
from .._goal_information import GoalInformation, Guarantee, ProofInformation
from .._information import ExpectedInformation, ListInformation
from ..label_models._label_model import LabelDraws
from ..lists._ranked_lists import RankedList, RankedLists
from ._query_log import ItemRows, QueryLog, check_answers

# Number of quantiles that represent the distribution of an estimate without draws.
N_QUANTILES = 200


def combined(model, design, model_weight: float):
    """Return the weighted mixture of both estimates."""
    if design is None:
        return model
    of_design = _draws(design)
    if np.isnan(of_design).any():
        return model
    defined = np.isfinite(model.distribution.draws).all(axis=1)
    own = np.where(defined, model.weights, 0.0)
    if not own.sum() > 0.0:
        return model
    share = (1.0 - model_weight) / len(of_design)
    weights = np.r_[model_weight * own / own.sum(), np.full(len(of_design), share)]
    draws = np.concatenate([model.distribution.draws, of_design])
    # These draws belong to no fit, and cannot be paired with others.
    return replace(model, distribution=WeightedDraws(draws, weights), kind="posterior", origin="")


def estimate_of_labeled(question: Question, scores, codes, above, terms) -> float:
    """Return the metric of the labeled items alone, unweighted; NaN if it is undefined."""
    known = codes >= 0
    scores, labels = scores[known], codes[known]
    if terms is not None:
        side = np.zeros(len(labels), dtype=int) if above is None else above[known].astype(int)
        top, bottom = (term[labels, side].sum() for term in terms)
        return float(ratio(top, bottom))
    if len(np.unique(labels)) < 2 or question.is_curve or question.is_goal or question.where:
        return np.nan
    if not question.is_ranking:
        return float(question.metric(labels, scores))
    if question.metric.n_needed > len(labels):
        return np.nan
    ranked = RankedList.ranked(question.metric, np.arange(len(labels)), scores, 0, 0)
    return float(ranked.values(labels[np.newaxis])[0])


def _draws(estimate) -> np.ndarray:
    """Return equally probable draws of the distribution of an estimate, (n_draws, n_points)."""
    draws = getattr(estimate.distribution, "draws", None)
    if draws is not None:
        return draws
    distribution = estimate.distribution
    if np.isnan(distribution.standard_error) and np.isnan(distribution.value):
        # Only the range is known.
        return np.linspace(distribution.smallest, distribution.largest, N_QUANTILES)[:, np.newaxis]
    return distribution.quantile((np.arange(N_QUANTILES) + 0.5) / N_QUANTILES)


@dataclass(frozen=True, eq=False)
class ListEstimates(FrozenArrays):
    """The metric of each list in each draw, and estimates derived from it."""

    ranked_lists: RankedLists
    probability: np.ndarray  # (n_rows,); that each label is 1; 0 or 1 where known
    values: np.ndarray  # (n_draws, n_lists)
    name: str  # of the metric
    confidence_level: float

    @classmethod
    def of(
        cls, ranked_lists: RankedLists, draws: LabelDraws, rng, name: str, confidence_level: float
    ):
        """Complete the labels of every draw, and return the estimates of the lists."""
        values = ranked_lists.drawn_values(
            lambda rows: draws.labels_by_system(rows, rng), draws.n_draws
        )
        return cls(ranked_lists, draws.mean, values, name, confidence_level)

    @cached_property
    def means(self) -> np.ndarray:
        """The mean over the lists of each system, (n_draws, n_systems)."""
        return self.ranked_lists.mean(self.values)

    def overall(self) -> ScalarEstimate | CurveBand:
        """Return the estimate of the system, or a band with one point per system."""
        if self.ranked_lists.n_systems == 1:
            return self._number(self.name, self.means[:, 0])
        return self._band(self.means, "system")

    def difference(self, first, second) -> ScalarEstimate:
        """Return the difference between two systems, or two categories of one system."""
        ranked_lists, what, table = self.ranked_lists, "system", self.table
        if ranked_lists.n_systems > 1 or ranked_lists.n_groups < 2:
            places = (place_of_system(system, ranked_lists.names) for system in (first, second))
        else:
            what, table = "category", self.by_category(ranked_lists.names[0])
            places = (ranked_lists.category.number_of(category) for category in (first, second))
        found: Any = table.difference(*(table.names[place] for place in places))
        return replace(found, name=f"{self.name} of {what} {first} less that of {what} {second}")

    @cached_property
    def table(self) -> EstimateTable:
        """The estimate of each system."""
        return self._table(self.ranked_lists.names, self.means)

    def by_category(self, system) -> EstimateTable:
        """Return the estimate of each category, for a system by name or number."""
        ranked_lists = self.ranked_lists
        number = place_of_system(system, ranked_lists.names)
        draws = ranked_lists.by_category(self.values, number)
        category = ranked_lists.category
        names = ["all items"] if category is None else category.names.tolist()
        return self._table(names, draws)

    def _table(self, names, draws) -> EstimateTable:
        found = (self._number(self.name, own) for own in draws.T)
        return EstimateTable(tuple(map(str, names)), tuple(found))

    @cached_property
    def _origin(self) -> str:
        """Key of the draws, shared by estimates that can be paired."""
        return hashlib.blake2b(self.values.tobytes(), digest_size=8).hexdigest()

    def flip_rates(self) -> np.ndarray:
        """Return the false negative and false positive rates of noisy labels, (n_groups, 2)."""
        ranked_lists, z = self.ranked_lists, self.probability
        if ranked_lists.noisy is None:
            return np.full((ranked_lists.n_groups, 2), np.nan)
        wrong = np.stack([z * (1 - ranked_lists.noisy), (1 - z) * ranked_lists.noisy])
        of = np.stack([z, 1 - z])
        sums = [
            [np.bincount(ranked_lists.group, row, ranked_lists.n_groups) for row in rows]
            for rows in (wrong, of)
        ]
        return ratio(*np.array(sums)).T

    def _number(self, name, draws) -> ScalarEstimate:
        undefined = float(np.isnan(draws).mean())
        return ScalarEstimate.from_draws(
            name,
            draws,
            np.ones(len(draws)),
            confidence_level=self.confidence_level,
            undefined=undefined,
            origin=self._origin,
        )

    def _band(self, draws, x_name) -> CurveBand:
        return CurveBand(
            self.name,
            np.arange(draws.shape[1]),
            WeightedDraws(draws, np.full(len(draws), 1.0 / len(draws))),
            x_name=x_name,
            y_name=self.name,
            confidence_level=self.confidence_level,
            undefined=np.isnan(draws).mean(axis=0),
        )


class ItemModel(ABC):
    """Posterior of the items of a pool, given the known labels.

    A model is immutable: an update returns another one. Queries, the record and bets belong to the
    `Session`, which uses its model through this interface only.
    """

    question: Question
    seed: int
    rows: ItemRows  # the rows of X of the items
    codes: np.ndarray  # (n_items,); the known labels: 1, 0, or -1
    scores: np.ndarray  # (n_items,); one per item, larger for positives
    # (n_items,); 1 for the largest score; within categories if these are estimated separately.
    ranks: np.ndarray
    category: np.ndarray | None  # (n_items,), of int, or None; for strategies that use it
    above: np.ndarray | None  # (n_items,) or None; classified as positive
    # Contribution of an item to the metric, if it is a ratio of sums.
    terms: tuple[np.ndarray, np.ndarray] | None
    has_design: bool  # whether there is a design-based estimate
    # (n_items,), of int; labels of items in one cell have the same information.
    item_cells: np.ndarray

    groups: np.ndarray | None = None  # (n_items,), of int, or None; dependent items
    # Number of exchangeable items that each represents; None where each is one item.
    counts: np.ndarray | None = None
    # Names of the systems.
    systems: tuple = (0,)
    # Names of the judges.
    judges: tuple = ()

    # Whether labels are binary, and can be bet on; else an item is verified or not.
    has_classes = True

    # --- predictions of items ------------------------------------------------------------------

    @property
    @abstractmethod
    def probability(self) -> np.ndarray:
        """P(y = 1) of each item, (n_items,)."""

    @abstractmethod
    def predictive(self, items) -> tuple[np.ndarray, np.ndarray]:
        """Return posterior draws of P(y = 1) of some items, (n_draws, n), and their weights."""

    @abstractmethod
    def information(
        self, is_proof: bool = False
    ) -> ExpectedInformation | GoalInformation | ListInformation | ProofInformation:
        """Return the expected information on the metric, or a goal, of a label in each cell.

        If a goal is to be proved, the inclusion probabilities for that.
        """

    def goal_reach(self) -> float:
        """Return the probability that any threshold rule meets the goal."""
        raise ValueError("This model has no goal to meet.")

    @abstractmethod
    def change(self) -> np.ndarray | None:
        """Return the expected change of the metric by each label; None without a formula."""

    @abstractmethod
    def simulated_answers(self, rng) -> Callable[[Self, np.ndarray], np.ndarray]:
        """Return a function from a querying model and its items to labels.

        They are drawn from the posterior; known ones are kept.
        """

    @property
    def label_proba(self) -> np.ndarray:
        """The probability of each item, 0 or 1 where its class is known, (n_items,)."""
        known = (self.codes >= 0) & self.has_classes
        return np.where(known, self.codes, self.probability)

    # --- updates -------------------------------------------------------------------------------

    def read(self, indices, labels, names: BinaryLabels, query_log: QueryLog):
        """Return the validated answers of annotators: items, codes, and further data."""
        codes = names.codes(labels)
        return *check_answers(indices, codes, self.rows, query_log, names), None

    @abstractmethod
    def updated(self, codes, labels: BinaryLabels, details: Any = None) -> Self:
        """Return the model updated to other labels; `details` is the last output of `read`."""

    @abstractmethod
    def with_draws(self, n_draws: int) -> Self:
        """Return the same model with fewer draws in later updates."""

    def split_items(self, places, numbers=None) -> tuple[Self, np.ndarray]:
        """Return a model with items separated from their rows, and their indices.

        `numbers` are those of the items; None chooses them.
        """
        raise NotImplementedError("Every row is a single item already.")

    # --- estimates of the metric ---------------------------------------------------------------

    @abstractmethod
    def estimate(self) -> ScalarEstimate | CurveBand:
        """Return the metric; for several systems, a band with one point per system."""

    @abstractmethod
    def naive_estimate(self) -> float | np.ndarray:
        """Return the metric without a model, a number or (n_systems,)."""

    @abstractmethod
    def labels_only(self, later: Self, value: float) -> float:
        """Return the value given the labels of a later model but the curves of this one."""

    @abstractmethod
    def reasons(self, at_random: bool) -> list[Reason]:
        """Return the reasons against the model, given whether all items were chosen at random."""

    @property
    def is_identified(self) -> bool:
        """Whether the labels carry information beyond the form of the model."""
        return True

    @abstractmethod
    def columns(self) -> dict:
        """Return the columns of a table from which it can be restarted, (n_rows,) each."""

    # --- optional parts ------------------------------------------------------------------------

    @property
    def lists(self) -> ListEstimates | None:
        """The estimates of each system and category; None for one pool of scores."""
        return None

    def verified_estimate(self) -> float | np.ndarray:
        """Return the metric of the verified items alone; warn if a list has none."""
        return self.naive_estimate()

    def published(self) -> dict:
        """Return further attributes to publish, by name."""
        return {}

    def guarantee(
        self, model_weight: float, certificate: GoalCertificate | None = None
    ) -> Guarantee | None:
        """Return the best selection for the goal; None without a goal."""
        return None

    # --- private -------------------------------------------------------------------------------

    def _changed(self, **changes) -> Self:
        """Return a copy with some attributes changed."""
        changed = copy(self)
        for name, value in changes.items():
            setattr(changed, name, value)
        return changed
