"""The contract of what a session holds: what is believed of items, and of the metric."""

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
from .._promise import Promise
from .._proof_information import ProofInformation
from ..boards._board_information import BoardInformation
from ._answers import check_answers
from ._board_estimates import BoardEstimates
from ._item_rows import ItemRows
from ._query_log import QueryLog

__all__ = ["ItemModel"]


class ItemModel(ABC):
    """What is believed of the items of a pool, given the labels that are known.

    A model is a value: to learn is to return another. It asks for nothing, notes nothing and bets
    on nothing; a `Session` does, and of its model it knows no more than this.

    Attributes
    ----------
    question : Question
    seed : int
    rows : ItemRows
        Where the items stand in X.
    codes : ndarray of shape (n_items,)
        The labels that it has learned from: 1, 0, or -1 where there is none.
    scores : ndarray of shape (n_items,)
        One of each item, larger for positives.
    ranks : ndarray of shape (n_items,)
        1 for the largest score; of each category by itself, if they are estimated one by one.
    category : ndarray of shape (n_items,), of int, or None
        For strategies that look at it.
    groups : ndarray of shape (n_items,), of int, or None
        Of items that belong together.
    above : ndarray of bool of shape (n_items,) or None
        Which items the decision calls positive.
    terms : tuple of ndarray of shape (2, 2), or None
        What an item adds to the metric, if that is a ratio of sums.
    has_design : bool
        Whether labels that were drawn by known chances answer the question by themselves.
    item_cells : ndarray of shape (n_items,), of int
        Labels of items of one cell tell the same.
    """

    question: Question
    seed: int
    rows: ItemRows
    codes: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    category: np.ndarray | None
    above: np.ndarray | None
    terms: tuple[np.ndarray, np.ndarray] | None
    has_design: bool
    item_cells: np.ndarray

    groups: np.ndarray | None = None
    # How many items that nobody has told apart yet are one; None where each is itself.
    counts: np.ndarray | None = None
    # What systems are called.
    systems: tuple = (0,)
    # And judges.
    judges: tuple = ()

    # Whether labels are of two classes, and can be bet on; else an item is vetted or is not.
    has_classes = True

    # --- what it tells of items ----------------------------------------------------------------

    @property
    @abstractmethod
    def probability(self) -> np.ndarray:
        """The probability of each item to be positive, (n_items,)."""

    @abstractmethod
    def foreseen(self, items) -> tuple[np.ndarray, np.ndarray]:
        """Return draws of the probability of some items, (n_draws, n), and their weights."""

    @abstractmethod
    def information(self) -> ExpectedInformation | GoalInformation | BoardInformation:
        """Return what the label of an item in each cell would tell of the metric, or of a goal."""

    def proof_information(self) -> ProofInformation:
        """Return with what chances items are best drawn to prove that an answer keeps a goal."""
        raise ValueError("There is no goal to prove.")

    def goal_reach(self) -> float:
        """Return how probable it is that any threshold keeps the goal, as a rule."""
        raise ValueError("There is no goal to reach.")

    @abstractmethod
    def change(self) -> np.ndarray | None:
        """Return how far each label is expected to move the metric; None without a formula."""

    @abstractmethod
    def simulated_labels(self, rng) -> np.ndarray:
        """Return labels of all items, drawn from the model; known ones are as they are."""

    def simulated_answers(self, rng):
        """Return a function of the model that asks, which may have learned, and of its items."""
        labels = self.simulated_labels(rng)
        return lambda model, items: labels[items]

    @property
    def label_proba(self) -> np.ndarray:
        """The probability of each item, 0 or 1 where its class is known, (n_items,)."""
        known = (self.codes >= 0) & self.has_classes
        return np.where(known, self.codes, self.probability)

    # --- what it learns ------------------------------------------------------------------------

    def read(self, indices, labels, names: BinaryLabels, query_log: QueryLog):
        """Return the answers of annotators, checked: items, their codes, and what else they tell.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Rows of X.
        labels : array-like of shape (n,)
        names : BinaryLabels
            How labels are written.
        query_log : QueryLog
        """
        codes = names.codes(labels)
        return *check_answers(indices, codes, self.rows, query_log, names), None

    @abstractmethod
    def learned(self, codes, labels: BinaryLabels, told: Any = None) -> Self:
        """Return the model of other labels of the same items.

        Parameters
        ----------
        codes : ndarray of shape (n_items,)
        labels : BinaryLabels
            How they are written.
        told : object, default=None
            What else the answers told, as `read` returns it.
        """

    @abstractmethod
    def with_draws(self, n_draws: int) -> Self:
        """Return the same model, which makes fewer draws once it learns."""

    def setting_apart(self, places) -> tuple[Self, np.ndarray]:
        """Return a model that tells items from the others at their places, and which they are.

        Parameters
        ----------
        places : ndarray of shape (n,), of int
            In the order of the draws; of a place with `counts` above one as many as these.
        """
        raise NotImplementedError("Each item is itself already.")

    # --- what it tells of the metric -----------------------------------------------------------

    @abstractmethod
    def estimate(self) -> ScalarEstimate | CurveBand:
        """Return the metric; of several systems, a band with one point a system."""

    @abstractmethod
    def naive_estimate(self) -> float | np.ndarray:
        """Return the metric without any model, a number or (n_systems,)."""

    @abstractmethod
    def labels_only(self, later: Self, value: float) -> float:
        """Return the value, now `value`, once it knows the labels of a later model and no more."""

    @abstractmethod
    def reasons(self, at_random: bool) -> list[Reason]:
        """Return what speaks against the model, given whether all items were chosen at random."""

    @property
    def is_identified(self) -> bool:
        """Whether labels, and not the form of the model alone, say anything."""
        return True

    @abstractmethod
    def columns(self) -> dict:
        """Return the columns of a table from which it can be started again, (n_rows,) each."""

    # --- what only some models have ------------------------------------------------------------

    @property
    def lists(self) -> BoardEstimates | None:
        """What is said of systems and categories one by one; None of one pool of scores."""
        return None

    def vetted_estimate(self) -> float | np.ndarray:
        """Return the metric of the vetted items alone."""
        return self.naive_estimate()

    @property
    def unvetted_lists(self) -> tuple[int, int]:
        """How many lists have no vetted item, and how many there are."""
        return 0, 1

    def published(self) -> dict:
        """Return what else a selector publishes, by the names of its attributes."""
        return {}

    def promise(
        self, model_weight: float, certificate: GoalCertificate | None = None
    ) -> Promise | None:
        """Return the best answer to the goal that labels are spent for; None if there is no goal.

        Parameters
        ----------
        model_weight : float in [0, 1]
            How far the model is believed.
        certificate : GoalCertificate, default=None
            If it is given only an answer that it proves keeps the goal, believed or not.
        """
        return None

    # --- inside --------------------------------------------------------------------------------

    def _changed(self, **changes) -> Self:
        """Return another model that differs by some attributes."""
        # Not as by a pickle, which leaves out what can be computed again.
        other = object.__new__(type(self))
        vars(other).update(vars(self), **changes)
        return other
