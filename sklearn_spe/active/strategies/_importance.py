"""Optimal importance sampling for a metric that is a ratio of sums."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_number
from ._strategy import Strategy


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

    def __post_init__(self):
        check_number(self.offset, "offset", "[0, 0.25]")

    def utilities(self, pool):
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

    def weights(self, pool):
        return self.utilities(pool)

    def _probability(self, pool):
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

    def _probability(self, pool):
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

    def _probability(self, pool):
        return pool.probability
