"""The contract of a strategy: how useful the label of each item would be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from ...inputs._alignment import check_aligned
from ...inputs._array_like import as_numbers, as_vector
from ...inputs._labels import is_unlabeled
from ...inputs._numbers import check_count
from ...inputs._partition import Partition
from ...inputs._random_state import seed_entropy, spawn
from ...inputs._scores import within_unit
from ._pool import Pool, ranks_from_top

# What a strategy may need beyond scores and labels, and where it comes from.
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
# Items are nearly as useful as the best one, as a share of the way from there to the median.
NEARLY = 0.1


@dataclass(frozen=True)
class Strategy(ABC):
    """Chooses items by their scores, earlier labels and chance alone.

    Whatever is chosen so needs no correction in a likelihood of all scores.

    Attributes
    ----------
    name : str
        The key in `STRATEGIES`.
    needs : tuple of str
        What of a pool must be known: "probability", "terms", "information" or "change".
    looks_again : bool
        Whether utilities of other items change once an item is asked for.
    weights_change : bool
        Whether their weights do.
    explores : bool
        Whether it needs exploration besides, when items are drawn by chance.
    spreads : bool
        Whether items of groups that have fewer labels go before others that are as useful.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    looks_again: ClassVar[bool] = False
    weights_change: ClassVar[bool] = True
    explores: ClassVar[bool] = True
    spreads: ClassVar[bool] = True

    @abstractmethod
    def utilities(self, pool: Pool) -> np.ndarray:
        """Return how useful the label of each item would be; larger is better.

        Parameters
        ----------
        pool : Pool

        Returns
        -------
        utilities : ndarray of shape (n_items,)
            Those of items that are not free do not matter; minus infinity leaves an item out.
        """

    def weights(self, pool: Pool) -> np.ndarray:
        """Return with what weight each item is drawn by chance; by default only the best has any.

        Parameters
        ----------
        pool : Pool

        Returns
        -------
        weights : ndarray of shape (n_items,)
            Not negative; what those of items that are not free are does not matter.
        """
        utilities = np.where(pool.free, self.utilities(pool), -np.inf)
        return (utilities == utilities.max()).astype(float)

    def lacks(self, pool: Pool) -> str | None:
        """Return what of a pool is missing, in words; None if nothing is."""
        for need in self.needs:
            if getattr(pool, need) is None:
                return f"{type(self).__name__} needs {NEEDS[need]}."
        return None

    def query(
        self,
        X,
        y=None,
        n_labels=1,
        *,
        probability=None,
        category=None,
        classes=None,
        unlabeled_label=-1,
        random_state=None,
    ) -> np.ndarray:
        """Return the items to label next, the most useful first.

        Parameters
        ----------
        X : array-like of shape (n_items,) or (n_items, 1)
            Scores, larger for positives: pass ``-X`` if smaller ones mean positive.
        y : array-like of shape (n_items,), default=None
            What is labelled so far; other items are marked by `unlabeled_label`, NaN, None or
            ``pd.NA``. None means that nothing is labelled.
        n_labels : int, default=1
            How many; fewer are returned if so few are left.
        probability : array-like of shape (n_items,), default=None
            The probability of each item to be positive, for strategies that need it: the second
            column of ``SemisupervisedScoreMixture.predict_proba``.
        category : array-like of shape (n_items,), default=None
            A category of each item, for strategies that look at it.
        classes : array-like of shape (2,), default=None
            The classes, if -1 is one of them: then it does not mark.
        unlabeled_label : object, default=-1
        random_state : int, RandomState, Generator or None, default=None
            Decides among items of equal utility.

        Returns
        -------
        indices : ndarray of shape (n_labels,)
            The most useful first.

        Raises
        ------
        ValueError
            If lengths differ, a score is not finite, or something that the strategy needs is
            missing or lies outside its range.
        """
        check_aligned(X=X, y=y, probability=probability, category=category)
        scores = column_or_1d(check_array(as_numbers(X, "X"), ensure_2d=False))
        check_count(n_labels, "n_labels", 0)
        free = np.ones(len(scores), dtype=bool)
        if y is not None:
            free = is_unlabeled(y, classes=classes, unlabeled_label=unlabeled_label)
            if len(free) != len(scores):
                raise ValueError(
                    f"X and y must be of the same items: X holds {len(scores)}, y {len(free)}."
                )
        probability = check_probability(probability, len(scores))
        pool = Pool(
            scores,
            # Which class a label names does not matter to a strategy that has no more to go by.
            np.where(free, -1, 0),
            free,
            ranks_from_top(scores),
            probability,
            before=probability,
            category=check_category(category, len(scores))[1],
        )
        if lacking := self.lacks(pool):
            raise ValueError(lacking)
        return best(self, pool, n_labels, spawn(seed_entropy(random_state)))


def best(strategy: Strategy, pool: Pool, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the most useful items, one after another; chance decides among equals."""
    spreads = strategy.spreads and pool.groups is not None
    is_counted = (pool.counts > 1).any()
    if not (strategy.looks_again or spreads or is_counted):
        utilities = strategy.utilities(pool)
        candidates = np.flatnonzero(pool.free & ~np.isneginf(utilities))
        order = np.lexsort((rng.random(len(candidates)), -utilities[candidates]))
        return candidates[order[:n]]
    chosen = []
    for _ in range(min(n, int(pool.counts[pool.free].sum()))):
        utilities = np.where(pool.free, strategy.utilities(pool), -np.inf)
        if np.isneginf(utilities.max()):
            break
        if spreads:
            utilities = _of_fresh_groups(utilities, pool)
        equal = np.flatnonzero(utilities == utilities.max())
        counts = pool.counts[equal]
        item = int(rng.choice(equal, p=counts / counts.sum() if is_counted else None))
        chosen.append(item)
        pool = pool.after(item)
    return np.array(chosen, dtype=np.intp)


def _of_fresh_groups(utilities, pool: Pool) -> np.ndarray:
    """Leave out nearly the best items, if others of them are of groups with fewer labels."""
    largest = utilities.max()
    middle = np.median(utilities[~np.isneginf(utilities)])
    near = utilities >= largest - NEARLY * (largest - middle)
    return np.where(near & (pool.freshness == pool.freshness[near].max()), utilities, -np.inf)


def check_category(category, n_items: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the sorted categories, and the number of that of each item."""
    if category is None:
        return None, None
    parts = Partition.read(category, "category", n_items)
    return parts.names, parts.codes


def check_probability(probability, n_items: int) -> np.ndarray | None:
    """Return the probability of each item."""
    if probability is None:
        return None
    probability = within_unit(as_vector(probability, "probability", n_items))
    if not ((probability >= 0.0) & (probability <= 1.0)).all():
        wrong = probability[~((probability >= 0.0) & (probability <= 1.0))][0]
        raise ValueError(f"probability must lie in [0, 1] for every item, got {wrong}.")
    return probability
