"""The contract of a strategy, and the pool that it sees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, column_or_1d

from ...inputs._arrays import RandomState
from ...inputs._groups import Partition
from ...inputs._labels import is_unlabeled
from ...inputs._scores import within_unit
from ...inputs._validation import (
    as_numbers,
    as_vector,
    check_aligned,
    check_count,
    seed_entropy,
    spawn,
)

if TYPE_CHECKING:
    from .._class_information import ClassInformation
    from .._goal_information import GoalInformation, ProofInformation
    from .._information import ExpectedInformation, ListInformation

# Inputs that a strategy may need beyond scores and labels, and where they come from.
NEEDS = {
    "probability": (
        "probability=, that of each item to be positive: fit a SemisupervisedScoreMixture to the "
        "scores and the labels so far, and pass predict_proba(X)[:, 1]"
    ),
    "terms": (
        "a metric that is a ratio of sums over items, such as precision, recall, F1, accuracy or "
        "prevalence: use it in an ActiveTestSelector with such a metric"
    ),
    "information": "a posterior and a metric: use it in an ActiveTestSelector, which has both",
    "change": "a metric whose expectation has a formula: use it in an ActiveTestSelector with one",
}
# Sides of a difference: neither, the first and the second.
N_SIDES = 3
# Items of nearly the best utility, as a share of the distance from the best to the median.
NEARLY = 0.1


def ranks_from_top(scores: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """Return the rank of each item, 1 for the largest score; ties share their mean rank.

    So do the items that a row represents, where `counts` are their numbers.

    The order of the items is not used: a file may be sorted by the label.
    """
    _, tie, n_items = np.unique(-scores, return_inverse=True, return_counts=True)
    if counts is not None:
        n_items = np.bincount(tie, counts)
    last_rank = np.cumsum(n_items)
    mean_rank = last_rank - (n_items - 1) / 2.0
    return mean_rank[tie]


@dataclass(frozen=True, eq=False)
class Pool:
    """A partially labeled pool of items: the input of a strategy.

    .. versionadded:: 0.1

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        Larger for positives.
    codes : ndarray of shape (n_items,)
        1 for positives, 0 for negatives, -1 for items without a label.
    free : ndarray of bool of shape (n_items,)
        Whether each item is neither labeled nor pending.
    ranks : ndarray of shape (n_items,)
        The rank of each item from the top, as from `ranks_from_top`.
    probability : ndarray of shape (n_items,) or None
        P(y = 1) of each item.
    before : ndarray of shape (n_items,) or None
        P(y = 1) of each item before any label.
    category : ndarray of shape (n_items,) or None
        The index of the category of each item.
    groups : ndarray of shape (n_items,), of int, or None
        The index of the group of each item: items that belong together.
    sides : ndarray of shape (n_items,), of int, or None
        With `compare`, 0 and 1 for the items of the two compared categories, -1 for other items.
        Items of a group are then queried in pairs, one from each category.
    may_be_asked : ndarray of bool of shape (n_items,) or None
        Whether each item affects the metric and may be drawn if it is free. None means all items.
    due : ndarray of bool of shape (n_items,) or None
        Whether each free item would complete a pair; the next item is one of these. None without
        such items.
    above : ndarray of bool of shape (n_items,) or None
        Whether each item is predicted positive, for a metric that is a ratio of sums.
    terms : tuple of ndarray of shape (2, 2), or None
        Contribution of an item to the numerator and denominator of that metric, ``[z, above]``.
    information : ExpectedInformation, another of its kind, or None
        Expected information of a label, by cells of scores.
    cells : ndarray of shape (n_items,) or None
        The cell of each item.
    change : ndarray of shape (n_items,) or None
        Expected change of the estimate by its label.
    counts : ndarray of shape (n_items,)
        Number of exchangeable items that each entry represents. Other fields refer to a single
        item.
    """

    scores: np.ndarray
    codes: np.ndarray
    free: np.ndarray
    ranks: np.ndarray
    probability: np.ndarray | None = None
    before: np.ndarray | None = None
    category: np.ndarray | None = None
    groups: np.ndarray | None = None
    sides: np.ndarray | None = None
    may_be_asked: np.ndarray | None = None
    due: np.ndarray | None = None
    above: np.ndarray | None = None
    terms: tuple[np.ndarray, np.ndarray] | None = None
    information: (
        ExpectedInformation
        | GoalInformation
        | ProofInformation
        | ListInformation
        | ClassInformation
        | None
    ) = None
    cells: np.ndarray | None = None
    change: np.ndarray | None = None
    # The given counts, else ones: never None after initialization.
    counts: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.counts is None:
            object.__setattr__(self, "counts", np.ones(len(self.scores)))

    @property
    def n_items(self) -> int:
        return len(self.scores)

    @cached_property
    def n_labeled(self) -> int:
        """Number of labeled or pending items."""
        return int(np.count_nonzero(~self.free))

    @cached_property
    def share_of_rarer(self) -> float:
        """The expected share of the rarer class; 0.5 without probabilities."""
        if self.probability is None:
            return 0.5
        positive = np.where(self.codes < 0, self.probability, self.codes == 1)
        prevalence = float(self.counts @ positive / self.counts.sum())
        return min(prevalence, 1.0 - prevalence)

    @property
    def freshness(self) -> np.ndarray:
        """Value of the next label of each item's group relative to a first label.

        With an intraclass correlation of .3, n labels of one group are worth about 1 + 1/2 + ... +
        1/n labels of different groups.
        """
        if self.groups is None:
            return np.ones(self.n_items)
        groups = self.groups
        if self.sides is not None:
            # The label of the other side makes a pair.
            groups = N_SIDES * groups + self.sides + 1
        n_labeled = np.bincount(groups[~self.free], minlength=int(groups.max()) + 1)
        return 1.0 / (1.0 + n_labeled)[groups]

    @property
    def candidates(self) -> np.ndarray:
        """Whether each item may be drawn next, (n_items,)."""
        if self.due is not None:
            return self.due
        return self.free if self.may_be_asked is None else self.free & self.may_be_asked

    def after(self, item: int) -> Pool:
        """Return the pool with the label of one item pending."""
        information = self.information
        if information is not None:
            # Cells exist whenever the expected information does.
            information = information.after(int(np.asarray(self.cells)[item]))
        if self.counts[item] > 1:
            return replace(self._with_one_of(item), information=information)
        free = self.free.copy()
        free[item] = False
        return replace(self, free=free, due=self._due_after(item, free), information=information)

    def _due_after(self, item: int, free: np.ndarray) -> np.ndarray | None:
        """Return which items complete the pair of an item; None if its pair is complete."""
        if self.sides is None or self.groups is None or self.due is not None:
            return None
        due = free & (self.groups == self.groups[item]) & (self.sides == 1 - self.sides[item])
        return due if due.any() else None

    def _with_one_of(self, item: int) -> Pool:
        """Return the pool with one item of a row separated, as the last one, not free."""
        of_items: dict[str, Any] = {
            field.name: np.append(value, value[item])
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        of_items["counts"][[item, -1]] = self.counts[item] - 1, 1
        of_items["free"][-1] = False
        return replace(self, **of_items)


@dataclass(frozen=True)
class Strategy(ABC):
    """Base class of strategies, which select items only by scores, earlier labels and at random.

    Such a selection is ignorable: the likelihood of the labels given all scores needs no
    correction.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The key in `STRATEGIES`.
    needs : tuple of str
        The required inputs of a pool: "probability", "terms", "information" or "change".
    looks_again : bool
        Whether a pending item changes the utilities of other items.
    weights_change : bool
        Whether a pending item changes the weights of other items.
    explores : bool
        Whether the strategy needs exploration when items are drawn at random.
    spreads : bool
        Whether items of groups with fewer labels are preferred at similar utility.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    looks_again: ClassVar[bool] = False
    weights_change: ClassVar[bool] = True
    explores: ClassVar[bool] = True
    spreads: ClassVar[bool] = True

    @abstractmethod
    def utilities(self, pool: Pool) -> np.ndarray:
        """Return the utility of the label of each item; larger is better.

        Parameters
        ----------
        pool : Pool

        Returns
        -------
        utilities : ndarray of shape (n_items,)
            The utilities. Values of labeled or pending items are ignored; minus infinity excludes
            an item.
        """

    def weights(self, pool: Pool) -> np.ndarray:
        """Return the sampling weight of each item; by default the best item has weight one.

        Parameters
        ----------
        pool : Pool

        Returns
        -------
        weights : ndarray of shape (n_items,)
            The weights, nonnegative. Values of labeled or pending items are ignored.
        """
        utilities = np.where(pool.free, self.utilities(pool), -np.inf)
        return (utilities == utilities.max()).astype(float)

    def lacks(self, pool: Pool) -> str | None:
        """Return the missing inputs of a pool in words; None if nothing is missing."""
        for need in self.needs:
            if getattr(pool, need) is None:
                return f"{type(self).__name__} needs {NEEDS[need]}."
        return None

    def query(
        self,
        X: Any,
        y: Any = None,
        n_labels: int = 1,
        *,
        probability: ArrayLike | None = None,
        category: Any = None,
        classes: ArrayLike | None = None,
        unlabeled_label: Any = -1,
        random_state: RandomState = None,
    ) -> np.ndarray:
        """Return the items to label next, by decreasing utility.

        Parameters
        ----------
        X : array-like of shape (n_items,) or (n_items, 1)
            Scores, larger for positives. Pass ``-X`` if smaller scores mean positive.
        y : array-like of shape (n_items,), default=None
            The known labels, with unlabeled items marked by `unlabeled_label`, NaN, None or
            ``pd.NA``. ``y=None`` means that no item is labeled.
        n_labels : int, default=1
            Number of items to return, or all items left if fewer.
        probability : array-like of shape (n_items,), default=None
            P(y = 1) of each item, for strategies that need it: the second column of
            ``SemisupervisedScoreMixture.predict_proba``.
        category : array-like of shape (n_items,), default=None
            A category of each item, for strategies that use it.
        classes : array-like of shape (2,), default=None
            The classes, if -1 is a class and not the marker.
        unlabeled_label : object, default=-1
        random_state : int, RandomState, Generator or None, default=None
            Breaks ties of equal utility.

        Returns
        -------
        indices : ndarray of shape (n_labels,)
            Indices into X, by decreasing utility.

        Raises
        ------
        ValueError
            If lengths differ, a score is not finite, or a required input is missing or out of
            range.
        """
        check_aligned(X=X, y=y, probability=probability, category=category)
        scores = column_or_1d(check_array(as_numbers(X, "X"), ensure_2d=False))
        check_count(n_labels, "n_labels", 0)
        free = np.ones(len(scores), dtype=bool)
        if y is not None:
            free = is_unlabeled(y, classes=classes, unlabeled_label=unlabeled_label)
            if len(free) != len(scores):
                raise ValueError(
                    f"X and y must have the same number of items: X has {len(scores)}, y has "
                    f"{len(free)}."
                )
        probability, codes = check_probability(probability, len(scores)), None
        if category is not None:
            codes = Partition.read(category, "category", len(scores)).codes
        pool = Pool(
            scores,
            # The identity of the classes does not matter to such a strategy.
            np.where(free, -1, 0),
            free,
            ranks_from_top(scores),
            probability,
            before=probability,
            category=codes,
        )
        if lacking := self.lacks(pool):
            raise ValueError(lacking)
        return best(self, pool, n_labels, spawn(seed_entropy(random_state)))


def best(strategy: Strategy, pool: Pool, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the items of largest utility, sequentially; ties are broken at random."""
    spreads = strategy.spreads and pool.groups is not None
    is_counted = (pool.counts > 1).any()
    if not (strategy.looks_again or spreads or is_counted or pool.sides is not None):
        utilities = strategy.utilities(pool)
        candidates = np.flatnonzero(pool.candidates & ~np.isneginf(utilities))
        levels = rng.random(len(candidates))
        order = np.lexsort((levels, -utilities[candidates]))
        return candidates[order[:n]]

    # The next item depends on those before it.
    chosen = []
    for _ in range(min(n, int(pool.counts[pool.candidates].sum()))):
        utilities = np.where(pool.candidates, strategy.utilities(pool), -np.inf)
        if np.isneginf(utilities.max()):
            break
        if spreads:
            utilities = _of_fresh_groups(utilities, pool)

        ties = np.flatnonzero(utilities == utilities.max())
        counts = pool.counts[ties]
        probability = counts / counts.sum() if is_counted else None
        item = int(rng.choice(ties, p=probability))
        chosen.append(item)
        pool = pool.after(item)
    return np.array(chosen, dtype=np.intp)


def _of_fresh_groups(utilities: np.ndarray, pool: Pool) -> np.ndarray:
    """Exclude nearly best items, if others of them are in groups with fewer labels."""
    largest = utilities.max()
    middle = np.median(utilities[~np.isneginf(utilities)])
    is_near = utilities >= largest - NEARLY * (largest - middle)
    freshest = pool.freshness[is_near].max()
    return np.where(is_near & (pool.freshness == freshest), utilities, -np.inf)


def check_probability(probability: ArrayLike | None, n_items: int) -> np.ndarray | None:
    """Return the validated probability of each item."""
    if probability is None:
        return None
    probability = within_unit(as_vector(probability, "probability", n_items))
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        wrong = probability[~((probability >= 0.0) & (probability <= 1.0))][0]
        raise ValueError(f"probability must lie in [0, 1] for every item, got {wrong}.")
    return probability
