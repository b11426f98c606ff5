"""Strategies by the expected change of an estimate, importance, and reading down a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...inputs._validation import check_count, check_number
from ._strategy import Strategy


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

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import EstimatorChange
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

    def utilities(self, pool: Any) -> Any:
        return pool.change

    def weights(self, pool: Any) -> Any:
        return pool.change


@dataclass(frozen=True)
class ExpectedChange(Strategy):
    r"""The items whose label has the largest expected reduction of the variance of the metric.

    One more label :math:`z` of an item reduces the posterior variance of a metric M in expectation
    by :math:`A^2 / V`, with :math:`A = \operatorname{Cov}(M, z)` and :math:`V` the variance of the
    label; this is exact, as a label is binary. The items of a batch are selected sequentially, each
    given the expected information of those before.

    In random draws, a cell of neighboring scores is drawn in proportion to a power of its gain, and
    one of its items uniformly. The power is high for the first labels, which are then nearly
    optimal. Random draws cost little, and protect against a model that is wrong where all labels
    would otherwise concentrate. Where selections are to be proved by the sampling design
    (``interval="anytime"``), items are drawn so that a proof takes few labels.

    Parameters
    ----------
    sharp_until : int, default=20
        Number of labels that are drawn with the high power.
    sharpness : float, default=8.0
        The power of gains for these labels.
    power : float, default=2.0
        The power of gains for later labels.
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

    def utilities(self, pool: Any) -> Any:
        return pool.information.gains[pool.cells]

    def weights(self, pool: Any) -> Any:
        gains = pool.information.gains
        if pool.information.are_inclusion_proba:
            return gains[pool.cells]
        left = np.bincount(pool.cells[pool.free], pool.counts[pool.free], len(gains))
        gains = np.where(left > 0, gains, 0.0)
        largest = gains.max(initial=0.0)
        if not largest > 0.0:
            return np.ones(pool.n_items)
        power = self.sharpness if pool.n_labeled < self.sharp_until else self.power
        return ((gains / largest) ** power / np.maximum(left, 1))[pool.cells]


@dataclass(frozen=True)
class _Importance(Strategy):
    r"""Items in proportion to their root mean squared effect on a ratio of sums.

    With :math:`f` and :math:`g` the contributions of an item to numerator and denominator, and
    :math:`\theta` the expected ratio, the variance of the importance-weighted estimate is smallest
    for inclusion probabilities in proportion to

    .. math:: \sqrt{E[(f(z) - \theta g(z))^2]}, \quad z \sim \operatorname{Bernoulli}(p) .

    Parameters
    ----------
    offset : float, default=0.02
        The smallest assumed variance p (1 - p) of a label, as models are overconfident.
    """

    offset: float = 0.02

    weights_change: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("probability", "terms")

    def __post_init__(self) -> None:
        check_number(self.offset, "offset", "[0, 0.25]")

    def utilities(self, pool: Any) -> Any:
        p = self._probability(pool)
        half = np.sqrt(np.maximum(0.25 - p * (1.0 - p) - self.offset, 0.0))
        # The probability next to p whose variance is larger by the offset.
        p = np.where(p < 0.5, 0.5 - half, 0.5 + half)
        side = np.zeros(pool.n_items, dtype=int) if pool.above is None else pool.above.astype(int)
        f, g = ((1.0 - p) * term[0, side] + p * term[1, side] for term in pool.terms)
        top, bottom = (f * pool.counts).sum(), (g * pool.counts).sum()
        ratio = top / bottom if bottom > 0.0 else 0.5
        off = [term[0] - ratio * term[1] for term in zip(*pool.terms, strict=True)]
        return np.sqrt((1.0 - p) * off[0][side] ** 2 + p * off[1][side] ** 2)

    def weights(self, pool: Any) -> Any:
        return self.utilities(pool)

    def _probability(self, pool: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class StaticImportance(_Importance):
    """Importance sampling in proportion to the effect on the metric, by the initial model [1]_.

    Inclusion probabilities are computed from the item probabilities before any label.

    Parameters
    ----------
    offset : float, default=0.02
        The smallest assumed variance p (1 - p) of a label, as models are overconfident.

    References
    ----------
    .. [1] C. Sawade, N. Landwehr, T. Scheffer. "Active estimation of F-measures." NIPS 2010.
    """

    name: ClassVar[str] = "static_importance"

    def _probability(self, pool: Any) -> Any:
        return pool.probability if pool.before is None else pool.before


@dataclass(frozen=True)
class AdaptiveImportance(_Importance):
    """Importance sampling in proportion to the effect on the metric, by the updated model [1]_.

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

    def _probability(self, pool: Any) -> Any:
        return pool.probability


@dataclass(frozen=True)
class Reading(Strategy):
    """The largest scores first; random items once few positives are expected in the rest.

    This is a review, which ends with :class:`~sklearn_spe.active.RecallReached`: the random draws
    prove that few positives are missed, without the model. If draws find more than expected, the
    predictions change and reading continues. There is no exploration; draws have known inclusion
    probabilities, read items have none.

    Parameters
    ----------
    aim : float in (0, 1), default=0.93
        The expected share of labeled positives at which random draws begin. It should be well above
        the recall to be proved: the fewer positives are missed, the fewer draws are needed.

    Examples
    --------
    >>> from sklearn_spe.active import Reading
    >>> scores, probability = [0.1, 0.9, 0.5, 0.7], [0.1, 0.9, 0.5, 0.7]
    >>> Reading().query(scores, n_labels=2, probability=probability)
    array([1, 3])
    """

    aim: float = 0.93

    name: ClassVar[str] = "reading"
    needs: ClassVar[tuple[str, ...]] = ("probability",)
    looks_again: ClassVar[bool] = True
    explores: ClassVar[bool] = False
    spreads: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "aim", check_number(self.aim, "aim", "(0, 1)"))

    def utilities(self, pool: Any) -> Any:
        return np.zeros(pool.n_items) if self._has_read(pool) else pool.scores

    def weights(self, pool: Any) -> Any:
        return np.ones(pool.n_items) if self._has_read(pool) else super().weights(pool)

    def _has_read(self, pool: Any) -> bool:
        """Return whether few positives are expected among the unlabeled items.

        Pending items count as unlabeled: a batch is either read or drawn.
        """
        missed = np.sum(pool.probability * pool.counts, where=pool.codes < 0)
        found = np.count_nonzero(pool.codes == 1)
        return bool(missed <= (1.0 - self.aim) * (found + missed))
