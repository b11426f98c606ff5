"""Strategies by a rule of the scores alone, and those that mix others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ...inputs._validation import check_choice, check_count
from ._strategy import Strategy, ranks_from_top


@dataclass(frozen=True)
class Adaptive(Strategy):
    """The items with the probability nearest to one half (section 3.1 of [1]_).

    The probabilities come from a model that is refitted to the labels of each round. Known as
    uncertainty sampling.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    >>> from sklearn_spe.active import Adaptive
    >>> Adaptive().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0.0, 0.9, 0.3, 0.6])
    array([3, 2])
    """

    name: ClassVar[str] = "adaptive"
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool: Any) -> Any:
        return -np.abs(pool.probability - 0.5)


@dataclass(frozen=True)
class ConfidentMistake(Strategy):
    """Most confident mistake (MCM) of [1]_: high scores of items predicted negative.

    Positives missed by noisy labels are found there. With a model that is updated by labels it is a
    poor choice: it samples one kind of error only, and inclusion probabilities of other items are
    tiny.

    Random draws are in proportion to the inverse of their rank among them.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe.active import ConfidentMistake
    >>> ConfidentMistake().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0, 1, 0, 0])
    array([3, 2])
    """

    name: ClassVar[str] = "confident_mistake"
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool: Any) -> np.ndarray:
        # Items predicted positive come after all mistakes.
        mistaken = pool.probability < 0.5
        return np.where(mistaken, pool.scores, pool.scores - np.ptp(pool.scores) - 1.0)

    def weights(self, pool: Any) -> Any:
        utilities = np.where(pool.free, self.utilities(pool), -np.inf)
        return 1.0 / ranks_from_top(utilities, pool.counts)


@dataclass(frozen=True)
class Entropy(Strategy):
    r"""Items by the entropy of their label, :math:`-p \log p - (1 - p) \log (1 - p)`.

    The items of largest utility are those of `Adaptive`; random draws are in proportion to the
    entropy. It prefers uncertain labels, which are not the most informative ones for average
    precision.

    Examples
    --------
    >>> from sklearn_spe.active import Entropy
    >>> Entropy().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0.0, 0.9, 0.3, 0.6])
    array([3, 2])
    """

    name: ClassVar[str] = "entropy"
    weights_change: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool: Any) -> Any:
        return special.entr(pool.probability) + special.entr(1.0 - pool.probability)

    def weights(self, pool: Any) -> Any:
        return self.utilities(pool)


@dataclass(frozen=True)
class LogSpaced(Strategy):
    """Items evenly spaced in the logarithm of their rank: dense at the top, sparse elsewhere.

    It needs no model, and has more than half the gain of a model-based strategy for average
    precision. The next item is the one farthest from all labeled ones, with rank 1 the largest
    score; random draws have a weight of one over the rank.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active import LogSpaced
    >>> 1000 - LogSpaced().query(np.arange(1000.0), n_labels=5)
    array([1000,    1,   32,  179,    6])
    """

    name: ClassVar[str] = "log_spaced"
    looks_again: ClassVar[bool] = True
    weights_change: ClassVar[bool] = False

    def utilities(self, pool: Any) -> Any:
        taken = np.sort(pool.ranks[~pool.free])
        if not len(taken):
            # The ends first: there is no distance to an empty set.
            return np.abs(np.log(pool.ranks) - 0.5 * np.log(pool.counts.sum()) + 0.25)
        following = np.searchsorted(taken, pool.ranks)
        below = taken[np.maximum(following - 1, 0)]
        above = taken[np.minimum(following, len(taken) - 1)]
        return np.minimum(*(np.abs(np.log(pool.ranks / other)) for other in (below, above)))

    def weights(self, pool: Any) -> Any:
        return 1.0 / pool.ranks


@dataclass(frozen=True)
class Random(Strategy):
    """Uniformly random items.

    With categories, a uniformly random category and then one of its items, as in [1]_, so that
    small categories are sampled too.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." ICML 2018.

    Examples
    --------
    >>> from sklearn_spe.active import Random
    >>> len(Random().query([0.1, 0.9, 0.5, 0.7], n_labels=2, random_state=0))
    2
    """

    name: ClassVar[str] = "random"
    looks_again: ClassVar[bool] = True
    explores: ClassVar[bool] = False
    # The baseline needs no utilities.
    spreads: ClassVar[bool] = False

    def utilities(self, pool: Any) -> Any:
        if pool.category is None:
            # All utilities are equal: ties are broken at random.
            return np.zeros(pool.n_items)
        asked = np.bincount(pool.category[~pool.free], minlength=pool.category.max() + 1)
        return -asked[pool.category].astype(float)

    def weights(self, pool: Any) -> Any:
        if pool.category is None:
            return np.ones(pool.n_items)
        left = np.bincount(pool.category[pool.free], minlength=pool.category.max() + 1)
        return 1.0 / np.maximum(left, 1)[pool.category]


# Bins of the histogram from which strata are made.
N_BINS = 200
# The smallest assumed share of either class in a stratum, as models are overconfident.
MIN_SHARE = 0.02


@dataclass(frozen=True)
class Stratified(Strategy):
    r"""Items from strata of scores.

    Strata are made by the cumulative root frequency rule [1]_. Stratum h, with :math:`N_h` items
    of which a share :math:`\pi_h` is positive, gets labels in proportion to
    :math:`N_h \sqrt{\pi_h (1 - \pi_h)}` (Neyman) or to :math:`N_h`.

    Parameters
    ----------
    allocation : {"neyman", "proportional"}, default="neyman"
    n_strata : int, default=10

    References
    ----------
    .. [1] T. Dalenius, J. L. Hodges. "Minimum variance stratification." JASA 54 (1959) 88-101.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active import Stratified
    >>> scores = np.arange(100.0)
    >>> chosen = Stratified("proportional", n_strata=2).query(scores, n_labels=4, random_state=0)
    >>> np.sort(chosen) < 50
    array([ True,  True, False, False])
    """

    allocation: str = "neyman"
    n_strata: int = 10

    name: ClassVar[str] = "stratified"
    looks_again: ClassVar[bool] = True
    weights_change: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice(self.allocation, "allocation", ("neyman", "proportional"))
        check_count(self.n_strata, "n_strata")

    def lacks(self, pool: Any) -> str | None:
        if self.allocation == "neyman" and pool.probability is None:
            return (
                "Stratified needs probability=, that of each item to be positive, to allocate "
                "labels by their variance; pass it, or use Stratified('proportional')."
            )
        return None

    def utilities(self, pool: Any) -> Any:
        stratum, spread = self._strata(pool)
        size = np.bincount(stratum, pool.counts) * spread
        asked = np.bincount(stratum[~pool.free], minlength=len(size))
        due = (pool.n_labeled + 1.0) * size / size.sum() - asked
        return due[stratum]

    def weights(self, pool: Any) -> Any:
        stratum, spread = self._strata(pool)
        return spread[stratum]

    def _strata(self, pool: Any) -> tuple:
        """Return the stratum of each item, and the standard deviation of labels in each."""
        # Scaled to unit range: neither overflow nor empty bins.
        scores = pool.scores / (np.abs(pool.scores).max() or 1.0)
        scores -= scores.min()
        counts, edges = np.histogram(scores, bins=N_BINS, weights=pool.counts)
        reached = np.cumsum(np.sqrt(counts))
        cuts = np.searchsorted(reached, reached[-1] * np.arange(1, self.n_strata) / self.n_strata)
        inner = np.unique(edges[cuts + 1])
        stratum = np.unique(np.searchsorted(inner, scores), return_inverse=True)[1]
        if self.allocation == "proportional":
            return stratum, np.ones(stratum.max() + 1)
        positive = np.bincount(stratum, pool.probability * pool.counts)
        share = positive / np.bincount(stratum, pool.counts)
        share = np.clip(share, MIN_SHARE, 1.0 - MIN_SHARE)
        return stratum, np.sqrt(share * (1.0 - share))


@dataclass(frozen=True)
class Tail(Strategy):
    """The largest scores first, as in an investigation of alarms (section 3.1 of [1]_).

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    >>> from sklearn_spe.active import Tail
    >>> Tail().query([0.1, 0.9, 0.5, 0.7], [-1, 1, -1, -1], n_labels=2)
    array([3, 2])
    """

    name: ClassVar[str] = "tail"

    def utilities(self, pool: Any) -> Any:
        return pool.scores
