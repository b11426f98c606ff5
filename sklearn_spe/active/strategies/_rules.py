"""Strategies: rules by which the next items are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ...inputs._validation import check_choice, check_count, check_number
from ._strategy import Pool, Strategy, ranks_from_top

# A class that is rarer than this share lies in few cells of scores, which a low power would lose
# among all others.
RARE = 0.02
# Bins of the histogram from which strata are made.
N_BINS = 200
# The smallest assumed share of either class in a stratum, as models are overconfident.
MIN_SHARE = 0.02


@dataclass(frozen=True)
class Adaptive(Strategy):
    """Uncertainty sampling: the items with probability nearest to one half (section 3.1 of [1]_).

    The probabilities come from a model that is refitted after each round of labels.

    .. versionadded:: 0.1

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

    def utilities(self, pool: Any) -> np.ndarray:
        return -np.abs(pool.probability - 0.5)


@dataclass(frozen=True)
class ConfidentMistake(Strategy):
    """Most confident mistake (MCM) of [1]_: high scores of items predicted negative.

    Positives missed by noisy labels are found there. With a model that is updated by labels it is a
    poor choice: it samples one kind of error only, and inclusion probabilities of other items are
    tiny.

    Random draws are in proportion to the inverse of their rank among them.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe.active.strategies._rules import ConfidentMistake
    >>> ConfidentMistake().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0, 1, 0, 0])
    array([3, 2])
    """

    name: ClassVar[str] = "confident_mistake"
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool: Any) -> np.ndarray:
        # Items predicted positive come after all mistakes.
        mistaken = pool.probability < 0.5
        return np.where(mistaken, pool.scores, pool.scores - np.ptp(pool.scores) - 1.0)

    def weights(self, pool: Any) -> np.ndarray:
        utilities = np.where(pool.free, self.utilities(pool), -np.inf)
        return 1.0 / ranks_from_top(utilities, pool.counts)


@dataclass(frozen=True)
class Entropy(Strategy):
    r"""Items by the entropy of their label, :math:`-p \log p - (1 - p) \log (1 - p)`.

    The items of largest utility are those of `Adaptive`; random draws are in proportion to the
    entropy. It prefers uncertain labels, which are not the most informative ones for average
    precision.

    .. versionadded:: 0.1

    Examples
    --------
    >>> from sklearn_spe.active.strategies._rules import Entropy
    >>> Entropy().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0.0, 0.9, 0.3, 0.6])
    array([3, 2])
    """

    name: ClassVar[str] = "entropy"
    weights_change: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool: Any) -> np.ndarray:
        return special.entr(pool.probability) + special.entr(1.0 - pool.probability)

    def weights(self, pool: Any) -> np.ndarray:
        return self.utilities(pool)


@dataclass(frozen=True)
class LogSpaced(Strategy):
    """Items evenly spaced in the logarithm of their rank: dense at the top, sparse elsewhere.

    It needs no model, and has more than half the gain of a model-based strategy for average
    precision. The next item is the one farthest from all labeled ones, with rank 1 the largest
    score; random draws have a weight of one over the rank.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active.strategies._rules import LogSpaced
    >>> 1000 - LogSpaced().query(np.arange(1000.0), n_labels=5)
    array([1000,    1,   32,  179,    6])
    """

    name: ClassVar[str] = "log_spaced"
    looks_again: ClassVar[bool] = True
    weights_change: ClassVar[bool] = False

    def utilities(self, pool: Pool) -> np.ndarray:
        labeled_ranks = np.sort(pool.ranks[~pool.free])
        if not len(labeled_ranks):
            # The ends first: there is no distance to an empty set.
            middle = 0.5 * np.log(pool.counts.sum())
            return np.abs(np.log(pool.ranks) - middle + 0.25)

        # The distance to the nearest labeled rank on either side.
        n_below = np.searchsorted(labeled_ranks, pool.ranks)
        last = len(labeled_ranks) - 1
        below = labeled_ranks[np.maximum(n_below - 1, 0)]
        above = labeled_ranks[np.minimum(n_below, last)]
        distance_below = np.abs(np.log(pool.ranks / below))
        distance_above = np.abs(np.log(pool.ranks / above))
        return np.minimum(distance_below, distance_above)

    def weights(self, pool: Pool) -> np.ndarray:
        return 1.0 / pool.ranks


@dataclass(frozen=True)
class Random(Strategy):
    """Draw items uniformly at random.

    With categories, first a category and then one of its items is drawn uniformly, as in [1]_, so
    that small categories are sampled too.

    .. versionadded:: 0.1

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

    def utilities(self, pool: Pool) -> np.ndarray:
        if pool.category is None:
            # All utilities are equal: ties are broken at random.
            return np.zeros(pool.n_items)
        n_categories = pool.category.max() + 1
        n_labeled = np.bincount(pool.category[~pool.free], minlength=n_categories)
        return -n_labeled[pool.category].astype(float)

    def weights(self, pool: Pool) -> np.ndarray:
        if pool.category is None:
            return np.ones(pool.n_items)
        n_categories = pool.category.max() + 1
        n_free = np.bincount(pool.category[pool.free], minlength=n_categories)
        return 1.0 / np.maximum(n_free, 1)[pool.category]


@dataclass(frozen=True)
class Stratified(Strategy):
    r"""Draw items from strata of scores.

    Strata are made by the cumulative root frequency rule [1]_. Let stratum h have :math:`N_h` items
    and a share :math:`\pi_h` of positives. It gets labels in proportion to :math:`N_h \sqrt{\pi_h
    (1 - \pi_h)}` ("neyman") or to :math:`N_h` ("proportional").

    .. versionadded:: 0.1

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

    def lacks(self, pool: Pool) -> str | None:
        if self.allocation == "neyman" and pool.probability is None:
            return (
                "Stratified needs probability=, that of each item to be positive, to allocate "
                "labels by their variance; pass it, or use Stratified('proportional')."
            )
        return None

    def utilities(self, pool: Any) -> np.ndarray:
        stratum, spread = self._strata(pool)
        size = np.bincount(stratum, pool.counts) * spread
        n_labeled = np.bincount(stratum[~pool.free], minlength=len(size))
        n_allocated = (pool.n_labeled + 1.0) * size / size.sum()
        return (n_allocated - n_labeled)[stratum]

    def weights(self, pool: Any) -> np.ndarray:
        stratum, spread = self._strata(pool)
        return spread[stratum]

    def _strata(self, pool: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the stratum of each item, and the standard deviation of labels in each."""
        # Scaled to unit range: neither overflow nor empty bins.
        largest = np.abs(pool.scores).max()
        scores = pool.scores / (largest or 1.0)
        scores -= scores.min()

        # Strata have equal sums of root frequencies.
        frequencies, edges = np.histogram(scores, bins=N_BINS, weights=pool.counts)
        cumulative = np.cumsum(np.sqrt(frequencies))
        levels = cumulative[-1] * np.arange(1, self.n_strata) / self.n_strata
        cuts = np.searchsorted(cumulative, levels)
        inner_edges = np.unique(edges[cuts + 1])
        bin_index = np.searchsorted(inner_edges, scores)
        stratum = np.unique(bin_index, return_inverse=True)[1]

        # The standard deviation of a label within each.
        if self.allocation == "proportional":
            return stratum, np.ones(stratum.max() + 1)
        n_items = np.bincount(stratum, pool.counts)
        n_positives = np.bincount(stratum, pool.probability * pool.counts)
        share = np.clip(n_positives / n_items, MIN_SHARE, 1.0 - MIN_SHARE)
        return stratum, np.sqrt(share * (1.0 - share))


@dataclass(frozen=True)
class Tail(Strategy):
    """Label the largest scores first, as in an investigation of alarms (section 3.1 of [1]_).

    .. versionadded:: 0.1

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

    def utilities(self, pool: Pool) -> np.ndarray:
        return pool.scores


@dataclass(frozen=True)
class EstimatorChange(Strategy):
    r"""Maximum expected estimator change (MEEC) of [1]_.

    A label z of an item moves the expected metric by :math:`(z - p) M'(p)`, hence by

    .. math:: E |\Delta| = 2 p (1 - p) |M'(p)|

    in the mean, summed over categories and systems. For average precision, eq. 12 of [1]_ follows
    from an error. The slope M' is exact for a given number of positives; as this is unknown, its
    mean is used, with errors of up to a fifth. The information of the label on other items is
    ignored, unlike in `ExpectedChange`.

    Random draws are in proportion to the change.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active.strategies._rules import EstimatorChange
    >>> selector = ActiveTestSelector(
    ...     strategy=EstimatorChange(), draw="argmax", n_draws=40, random_state=0)
    >>> selector = selector.fit([0.9, 0.8, 0.3, 0.2], noisy_labels=[1, 0, 1, 0])
    >>> items = selector.query(2)
    >>> len(items)
    2
    """

    name: ClassVar[str] = "estimator_change"
    needs: ClassVar[tuple[str, ...]] = ("change",)
    weights_change: ClassVar[bool] = False

    def utilities(self, pool: Any) -> np.ndarray:
        return pool.change

    def weights(self, pool: Any) -> np.ndarray:
        return pool.change


@dataclass(frozen=True)
class ExpectedChange(Strategy):
    r"""Choose items whose label is expected to reduce the variance of the metric most.

    The label :math:`z` of an item reduces the posterior variance of a metric M in expectation by
    :math:`A^2 / V`, with :math:`A = \operatorname{Cov}(M, z)` and :math:`V` the variance of the
    label. This is exact, because a label is binary. The items of a batch are selected sequentially,
    each given the expected information from the earlier items.

    With ``draw="sample"``, a cell of neighboring scores is drawn in proportion to a power of its
    gain, and then one of its items uniformly. The power is high for the first labels, which are
    then nearly optimal. Random draws cost little, and protect against a model that is wrong where
    it would concentrate all labels. With ``interval="anytime"``, items are drawn so that a proof
    takes few labels; for a metric as by `AdaptiveImportance`, unless a parameter is changed.

    .. versionadded:: 0.1

    Parameters
    ----------
    sharp_until : int, default=20
        Number of labels that are drawn with the high power. If one class is rarer than one in
        fifty, all labels are.
    sharpness : float, default=8.0
        The high power, for the first labels.
    power : float, default=2.0
        The power for later labels.
    """

    sharp_until: int = 20
    sharpness: float = 8.0
    power: float = 2.0

    name: ClassVar[str] = "expected_change"
    needs: ClassVar[tuple[str, ...]] = ("information",)
    looks_again: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count(self.sharp_until, "sharp_until", 0)
        check_number(self.sharpness, "sharpness", "[0, 100]")
        check_number(self.power, "power", "[0, 100]")

    def utilities(self, pool: Any) -> np.ndarray:
        return pool.information.gains[pool.cells]

    def weights(self, pool: Any) -> np.ndarray:
        gains = pool.information.gains
        if pool.information.are_inclusion_proba:
            return gains[pool.cells]

        # Cells without free items are never drawn.
        n_free = np.bincount(pool.cells[pool.free], pool.counts[pool.free], len(gains))
        gains = np.where(n_free > 0, gains, 0.0)
        largest = gains.max(initial=0.0)
        if not largest > 0.0:
            return np.ones(pool.n_items)

        # A cell by a power of its gain, and one of its free items uniformly.
        is_sharp = pool.n_labeled < self.sharp_until or pool.share_of_rarer < RARE
        power = self.sharpness if is_sharp else self.power
        cell_weights = (gains / largest) ** power
        item_weights = cell_weights / np.maximum(n_free, 1)
        return item_weights[pool.cells]


@dataclass(frozen=True)
class _Importance(Strategy):
    r"""Draw items in proportion to their root mean squared effect on a ratio of sums.

    Let :math:`f` and :math:`g` be the contributions of an item to numerator and denominator, and
    :math:`\theta` the expected ratio. The importance-weighted estimate has the smallest variance if
    inclusion probabilities are proportional to

    .. math:: \sqrt{E[(f(z) - \theta g(z))^2]}, \quad z \sim \operatorname{Bernoulli}(p) .

    Parameters
    ----------
    offset : float, default=0.02
        The smallest assumed variance p (1 - p) of a label, as models are overconfident.
    """

    offset: float = 0.02

    weights_change: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("probability", "terms")
    takes_first_model: ClassVar[bool] = False  # that of the scores alone, before any label

    def __post_init__(self) -> None:
        check_number(self.offset, "offset", "[0, 0.25]")

    def utilities(self, pool: Any) -> np.ndarray:
        is_first = self.takes_first_model and pool.before is not None
        p = pool.before if is_first else pool.probability

        # The probability next to p whose variance is larger by the offset.
        distance = np.sqrt(np.maximum(0.25 - p * (1.0 - p) - self.offset, 0.0))
        p = np.where(p < 0.5, 0.5 - distance, 0.5 + distance)

        # The expected ratio of sums.
        side = np.zeros(pool.n_items, dtype=int)
        if pool.above is not None:
            side = pool.above.astype(int)
        numerator, denominator = pool.terms
        f = (1.0 - p) * numerator[0, side] + p * numerator[1, side]
        g = (1.0 - p) * denominator[0, side] + p * denominator[1, side]
        sum_f = (f * pool.counts).sum()
        sum_g = (g * pool.counts).sum()
        ratio = sum_f / sum_g if sum_g > 0.0 else 0.5

        # The root mean square of f - ratio * g over the label of an item.
        effect = numerator - ratio * denominator
        mean_square = (1.0 - p) * effect[0][side] ** 2 + p * effect[1][side] ** 2
        return np.sqrt(mean_square)

    def weights(self, pool: Any) -> np.ndarray:
        return self.utilities(pool)


@dataclass(frozen=True)
class StaticImportance(_Importance):
    """Importance sampling in proportion to the effect on the metric, by the initial model [1]_.

    Inclusion probabilities are computed from the item probabilities before any label.

    .. versionadded:: 0.1

    Parameters
    ----------
    offset : float, default=0.02
        The smallest assumed variance p (1 - p) of a label, as models are overconfident.

    References
    ----------
    .. [1] C. Sawade, N. Landwehr, T. Scheffer. "Active estimation of F-measures." NIPS 2010.
    """

    name: ClassVar[str] = "static_importance"
    takes_first_model: ClassVar[bool] = True


@dataclass(frozen=True)
class AdaptiveImportance(_Importance):
    """Importance sampling in proportion to the effect on the metric, by the updated model [1]_.

    .. versionadded:: 0.1

    Parameters
    ----------
    offset : float, default=0.02
        The smallest assumed variance p (1 - p) of a label, as models are overconfident.

    References
    ----------
    .. [1] N. G. Marchant, B. I. P. Rubinstein. "Needle in a haystack: label-efficient evaluation
       under extreme class imbalance." KDD 2021.
    """

    name: ClassVar[str] = "adaptive_importance"


@dataclass(frozen=True)
class Reading(Strategy):
    """Label the largest scores first, then random items once the last pages hold few positives.

    The strategy is for reviews that stop by :class:`~sklearn_spe.active.RecallReached`: the random
    draws prove that few positives are missed. It uses labels and ranks only, no model. If a draw
    finds a positive, all items above it are labeled too, unless they are more than the items drawn
    so far. Only random draws have known inclusion probabilities.

    The random order is drawn before the first label. It depends on the guarantee (`recall`,
    `confidence_level`, `n_unscored`), so that others can verify the order for this guarantee only.

    .. versionadded:: 0.1

    Parameters
    ----------
    little : float in (0, 1), default=0.04
        Random draws begin once the last two pages hold at most this share of all positives found.
    page : int, default=25
        Number of items on a page.
    recall, confidence_level, n_unscored
        The parameters of the :class:`~sklearn_spe.active.RecallReached` to be proved.

    Examples
    --------
    >>> scores = [0.1, 0.9, 0.5, 0.7]
    >>> Reading().query(scores, n_labels=2)
    array([1, 3])
    """

    little: float = 0.04
    page: int = 25
    recall: float = 0.8
    confidence_level: float = 0.95
    n_unscored: int = 0

    name: ClassVar[str] = "reading"
    looks_again: ClassVar[bool] = True
    explores: ClassVar[bool] = False
    spreads: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("little", "recall", "confidence_level"):
            object.__setattr__(self, name, check_number(getattr(self, name), name, "(0, 1)"))
        check_count(self.page, "page")
        check_count(self.n_unscored, "n_unscored", 0)

    def utilities(self, pool: Pool) -> np.ndarray:
        return pool.scores if self._reads(pool) else np.zeros(pool.n_items)

    def weights(self, pool: Pool) -> np.ndarray:
        return super().weights(pool) if self._reads(pool) else np.ones(pool.n_items)

    def _reads(self, pool: Pool) -> bool:
        """Return whether the next item is read from the top, not drawn at random.

        Pending and skipped items are neither free nor labeled: they end no page.
        """
        is_labeled = pool.codes >= 0
        is_positive = pool.codes == 1
        highest_free = np.max(pool.scores, where=pool.free, initial=-np.inf)
        is_read = is_labeled & (pool.scores > highest_free)
        by_score = np.argsort(-pool.scores[is_read], kind="stable")
        labels_read = is_positive[is_read][by_score]

        # Whole pages, so that it does not matter how many items are queried at a time.
        end = len(labels_read) - len(labels_read) % self.page
        start = max(end - 2 * self.page, 0)
        n_positives = np.count_nonzero(labels_read)
        n_of_last_pages = np.count_nonzero(labels_read[start:end])
        if end < 2 * self.page or n_positives == 0:
            return True
        if n_of_last_pages > self.little * n_positives:
            return True

        # A drawn positive: the items above it are read, if they are no more than those drawn.
        is_drawn = is_labeled & ~is_read
        is_hit = is_drawn & is_positive
        highest_hit = np.max(pool.scores, where=is_hit, initial=-np.inf)
        n_above = np.count_nonzero(pool.free & (pool.scores > highest_hit))
        return bool(is_hit.any() and 0 < n_above <= np.count_nonzero(is_drawn))
