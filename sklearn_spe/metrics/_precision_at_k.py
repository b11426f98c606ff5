"""Precision among the k highest scores."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..inputs._numbers import check_count
from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import RankingMetric, with_origin
from ._ratios import Precision


@dataclass(frozen=True)
class PrecisionAtK(RankingMetric):
    """The share of positives among the k items with the highest scores (Prec@K of [1]_).

    Ties at the boundary are broken at random: a tie that exceeds k counts in part, by its
    expectation.

    It is defined for a sample, not for a population.

    Parameters
    ----------
    k : int, default=10
        At most the number of items.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    Two positives above all others, then one among two tied items:

    >>> import numpy as np
    >>> from sklearn_spe.metrics import PrecisionAtK
    >>> tp, fp = np.array([[1.0, 2.0, 3.0, 3.0]]), np.array([[0.0, 0.0, 1.0, 5.0]])
    >>> PrecisionAtK(k=4).value(tp, fp), PrecisionAtK(k=3).value(tp, fp)
    (array([0.75]), array([0.83333333]))
    """

    k: int = 10

    name: ClassVar[str] = "precision_at_k"
    decides: ClassVar[bool] = True

    def __post_init__(self):
        check_count(self.k, "k")

    def value(self, tp, fp, *, steps=True):
        if not np.all(steps):
            raise ValueError(
                f"{self.name!r} uses the {self.k} highest items of a sample, which is undefined "
                "for a population; use target='sample'."
            )
        called = with_origin(tp + fp)
        self._check(called[:, -1])
        share = self.share_called(called[:, :-1], np.diff(called, axis=1))
        hits = (share * np.diff(with_origin(tp), axis=1)).sum(axis=1)
        return ratio(hits, np.where(called[:, -1] > 0.0, self.k, 0.0))

    def expected_ratio(self, distribution, above, n_positive):
        self._check(distribution.n_items)
        share = self.share_called(distribution.counts_above, distribution.counts)
        hits = np.einsum("ij,j->i", distribution.mean, share)
        size = float(self.k) if distribution.n_items > 0.0 else 0.0
        return ExpectedRatio(distribution, hits, size, share, 0.0)

    @property
    def n_needed(self) -> int:
        return self.k

    def decided_above(self, scores):
        self._check(len(scores))
        return scores >= np.partition(scores, -self.k)[-self.k]

    def item_terms(self, above=None, n_items=None):
        # A tie at the boundary defines no decision.
        is_decision = above is not None and above.sum() == self.k
        return Precision().item_terms() if is_decision else None

    def share_called(self, higher, size) -> np.ndarray:
        return np.clip((self.k - higher) / np.where(size > 0.0, size, 1.0), 0.0, 1.0)

    def _check(self, n_items):
        # Undefined without items, like any metric. Sums of weights are rounded.
        few = (n_items > 0.0) & (n_items < self.k * (1.0 - 1e-12))
        if np.any(few):
            raise ValueError(
                f"{self.name!r} needs k={self.k} items, but there are {np.min(n_items):g}; pass "
                "PrecisionAtK(k) with a smaller k."
            )
