"""Interface of the models used by a session: item probabilities and the metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from ...betting._goal_certificate import GoalCertificate
from ...curves._question import Question
from ...inputs._labels import BinaryLabels
from ...results._bands import CurveBand, ScalarEstimate
from ...results._verdict import Reason
from .._expected_information import ExpectedInformation
from .._goal_information import GoalInformation
from .._guarantee import Guarantee
from .._proof_information import ProofInformation
from ..lists._list_information import ListInformation
from ._answers import check_answers
from ._item_rows import ItemRows
from ._list_estimates import ListEstimates
from ._query_log import QueryLog

__all__ = ["ItemModel"]


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
    def information(self) -> ExpectedInformation | GoalInformation | ListInformation:
        """Return the expected information on the metric, or a goal, of a label in each cell."""

    def proof_information(self) -> ProofInformation:
        """Return the inclusion probabilities for proving that a selection meets a goal."""
        raise ValueError("This model has no goal to prove.")

    def goal_reach(self) -> float:
        """Return the probability that any threshold rule meets the goal."""
        raise ValueError("This model has no goal to meet.")

    @abstractmethod
    def change(self) -> np.ndarray | None:
        """Return the expected change of the metric by each label; None without a formula."""

    @abstractmethod
    def simulated_labels(self, rng) -> np.ndarray:
        """Return labels of all items, drawn from the posterior; known ones are kept."""

    def simulated_answers(self, rng):
        """Return a function from a querying model and its items to simulated answers."""
        labels = self.simulated_labels(rng)
        return lambda model, items: labels[items]

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

    def split_items(self, places) -> tuple[Self, np.ndarray]:
        """Return a model with items separated from their rows, and their indices."""
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
        """Return the metric of the verified items alone."""
        return self.naive_estimate()

    @property
    def unverified_lists(self) -> tuple[int, int]:
        """The number of lists without a verified item, and of all lists."""
        return 0, 1

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
        # Not by pickling, which leaves out cached values.
        other = object.__new__(type(self))
        vars(other).update(vars(self), **changes)
        return other
