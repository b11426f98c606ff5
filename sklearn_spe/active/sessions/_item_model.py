"""The contract of a model in a session; estimates by model and design, and of labels alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ...design._goal_certificate import GoalCertificate
from ...goals._question import Question
from ...inputs._labels import BinaryLabels
from ...metrics._expectation import ratio
from ...models._item_table import ItemTable
from ...models._two_class_model import TwoClassModel
from ...results._distributions import WeightedDraws
from ...results._estimates import CurveBand, ScalarEstimate
from ...results._verdict import Reason
from .._class_information import ClassInformation
from .._goal_information import GoalInformation, Guarantee, ProofInformation
from .._information import ExpectedInformation, ListInformation
from ..lists._ranked_lists import RankedList
from ._query_log import ItemRows, QueryLog, check_answers

# Number of quantiles that represent the distribution of an estimate without draws.
N_QUANTILES = 200


def combined(model, design, model_weight: float):
    """Return the weighted mixture of both estimates."""
    if design is None or model_weight == 1.0:
        return model
    design_draws = _draws(design)
    if np.isnan(design_draws).any():
        return model

    # Draws in which the metric is undefined have no part in the mixture.
    is_defined = np.isfinite(model.distribution.draws).all(axis=1)
    model_weights = np.where(is_defined, model.weights, 0.0)
    if not model_weights.sum() > 0.0:
        return model

    n_design = len(design_draws)
    design_weights = np.full(n_design, (1.0 - model_weight) / n_design)
    weights = np.r_[model_weight * model_weights / model_weights.sum(), design_weights]
    draws = np.concatenate([model.distribution.draws, design_draws])
    # What the labels leave open they leave open for the mixture.
    distribution = WeightedDraws(draws, weights).reaching_like([model.distribution])
    # These draws belong to no fit, and cannot be paired with others.
    return replace(model, distribution=distribution, kind="posterior", origin="")


def estimate_of_labeled(
    question: Question,
    scores: np.ndarray,
    codes: np.ndarray,
    above: np.ndarray | None,
    terms: tuple[np.ndarray, np.ndarray] | None,
) -> float:
    """Return the metric of the labeled items alone, unweighted; NaN if it is undefined.

    So it is for a callable that cannot take some of the items, as it closes over a column of all.
    """
    is_labeled = codes >= 0
    scores = scores[is_labeled]
    labels = codes[is_labeled]

    if terms is not None:
        side = np.zeros(len(labels), dtype=int) if above is None else above[is_labeled].astype(int)
        numerator, denominator = (term[labels, side].sum() for term in terms)
        return float(ratio(numerator, denominator))

    if len(np.unique(labels)) < 2 or question.is_curve or question.is_goal or question.where:
        return np.nan
    if not question.is_ranking:
        try:
            return float(question.metric(labels, scores))
        except (ValueError, IndexError):
            return np.nan

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


def relabeled_fit(earlier: TwoClassModel, given: ItemTable) -> TwoClassModel:
    """Return the fit to the labels of a table, which may be the earlier one."""
    return earlier if given is earlier.given else earlier.with_labels(given)


def without_cache(given: ItemTable, earlier: TwoClassModel) -> ItemTable:
    """Return a table without cached columns, unless it is that of an earlier fit."""
    return given if given is earlier.given else replace(given)


class ItemModel(ABC):
    """Posterior of the items of a pool, given the known labels.

    A model is immutable: an update returns another one, which is fitted to its labels when a
    prediction or an estimate is read. Queries, the record and bets belong to the `Session`, which
    uses its model through this interface only.
    """

    question: Question
    confidence_level: float
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
    # (n_items,), of int, or None; of two that are compared: items of a group are asked in pairs.
    sides: np.ndarray | None = None
    # (n_items,); which items count for the metric and may be asked for; None: all.
    may_be_asked: np.ndarray | None = None
    # Number of exchangeable items that each represents; None where each is one item.
    counts: np.ndarray | None = None
    # Names of the systems.
    systems: tuple[Hashable, ...] = (0,)
    # Names of the judges.
    judges: tuple[Hashable, ...] = ()

    # Whether the items are one pool of scores; else they are those of ranked lists.
    is_one_pool = False
    # The cached property that holds what is fitted to the labels, when it is read; or at once,
    # where that may fail.
    fit: ClassVar[str]
    is_fitted_at_once: ClassVar[bool] = False
    # Whether labels are binary, and can be bet on; else an item is verified or not.
    has_classes = True

    # --- predictions of items ------------------------------------------------------------------

    @property
    @abstractmethod
    def probability(self) -> np.ndarray:
        """P(y = 1) of each item, (n_items,)."""

    @abstractmethod
    def predictive(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return posterior draws of P(y = 1) of some items, (n_draws, n), and their weights."""

    @abstractmethod
    def information(
        self, is_proof: bool = False
    ) -> (
        ExpectedInformation
        | GoalInformation
        | ListInformation
        | ProofInformation
        | ClassInformation
    ):
        """Return the expected information on the metric, or a goal, of a label in each cell.

        If a goal is to be proved, the inclusion probabilities for that.
        """

    def goal_attainable(self) -> float:
        """Return the expected metric of the best rule for a goal, see `ThresholdOdds`."""
        raise ValueError("This model has no goal to meet.")

    def goal_reach(self) -> float:
        """Return the probability that any threshold rule meets the goal."""
        raise ValueError("This model has no goal to meet.")

    @abstractmethod
    def change(self) -> np.ndarray | None:
        """Return the expected change of the metric by each label; None without a formula."""

    @abstractmethod
    def simulated_answers(
        self, rng: np.random.Generator
    ) -> Callable[[Self, np.ndarray], np.ndarray]:
        """Return a function from a querying model and its items to labels.

        They are drawn from the posterior; known ones are kept.
        """

    @property
    def label_proba(self) -> np.ndarray:
        """The probability of each item, 0 or 1 where its class is known, (n_items,)."""
        is_known = (self.codes >= 0) & self.has_classes
        return np.where(is_known, self.codes, self.probability)

    # --- updates -------------------------------------------------------------------------------

    def read(
        self, indices: ArrayLike, labels: ArrayLike, names: BinaryLabels, query_log: QueryLog
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return the validated answers of annotators: items, codes, and further data."""
        codes = names.codes(labels)
        return *check_answers(indices, codes, self.rows, query_log, names), None

    @abstractmethod
    def updated(self, codes: np.ndarray, labels: BinaryLabels, details: Any = None) -> Self:
        """Return the model updated to other labels; `details` is the last output of `read`."""

    @abstractmethod
    def with_draws(self, n_draws: int) -> Self:
        """Return the same model with fewer draws in later updates."""

    def split_items(
        self, places: np.ndarray, numbers: np.ndarray | None = None
    ) -> tuple[Self, np.ndarray]:
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
    def columns(self) -> dict[str, Any]:
        """Return the columns of a table from which it can be restarted, (n_rows,) each."""

    # --- optional parts ------------------------------------------------------------------------

    @property
    def item_ranks(self) -> np.ndarray | None:
        """The rank of each item, from 0, in the ranking of all items; None without one."""
        return None

    @property
    def order_proba(self) -> float | None:
        """The probability that several systems, or categories, are in the order of estimates."""
        return None

    def verified_estimate(self) -> float | np.ndarray:
        """Return the metric of the verified items alone; warn if a list has none."""
        return self.naive_estimate()

    def guarantee(
        self, model_weight: float, certificate: GoalCertificate | None = None
    ) -> Guarantee | None:
        """Return the best selection for the goal; None without a goal."""
        return None

    # --- private -------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether it is fitted to its labels already."""
        return self.fit in vars(self)

    def unfitted(self) -> Self:
        """Return a copy without the fit, which makes the same one when it is read."""
        return copy(self)

    def __getstate__(self) -> dict[str, Any]:
        # What is cached may be large, and is made again when needed: in copies as in files.
        cached = self._cached()
        return {name: value for name, value in vars(self).items() if name not in cached}

    def _cached(self) -> dict[str, Any]:
        """Return the cached properties that have been computed."""
        return {
            name: value
            for name, value in vars(self).items()
            if isinstance(getattr(type(self), name, None), cached_property)
        }

    def _with_equal_cache(self, **changes: Any) -> Self:
        """Return a copy with some attributes changed, which keeps all cached results."""
        changed = copy(self)
        for name, value in (self._cached() | changes).items():
            setattr(changed, name, value)
        return changed

    def _changed(self, **changes: Any) -> Self:
        """Return a copy with some attributes changed."""
        changed = copy(self)
        for name, value in changes.items():
            setattr(changed, name, value)
        return changed
