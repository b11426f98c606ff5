"""Stratified sampling by score, with Neyman allocation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_choice, check_count
from ._strategy import Strategy

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

    def __post_init__(self):
        check_choice(self.allocation, "allocation", ("neyman", "proportional"))
        check_count(self.n_strata, "n_strata")

    def lacks(self, pool):
        if self.allocation == "neyman" and pool.probability is None:
            return (
                "Stratified needs probability=, that of each item to be positive, to allocate "
                "labels by their variance; pass it, or use Stratified('proportional')."
            )
        return None

    def utilities(self, pool):
        stratum, spread = self._strata(pool)
        size = np.bincount(stratum, pool.counts) * spread
        asked = np.bincount(stratum[~pool.free], minlength=len(size))
        due = (pool.n_labeled + 1.0) * size / size.sum() - asked
        return due[stratum]

    def weights(self, pool):
        stratum, spread = self._strata(pool)
        return spread[stratum]

    def _strata(self, pool):
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
