"""Information on the number of positives beside labels: a stated prior, shares, a total."""

from __future__ import annotations

from dataclasses import dataclass

from ..data._sample import ScoreSample
from ..families._family import BetaPrior


@dataclass(frozen=True)
class KnownPositives:
    """Information on the number of positives that a user states.

    Attributes
    ----------
    prior : BetaPrior, default=None
        The stated prior of the prevalence; None if none is stated.
    total : (float, float), default=None
        The smallest and the largest number of positives among all items; None if unknown.
    """

    prior: BetaPrior | None = None
    total: tuple[float, float] | None = None

    @property
    def is_stated(self) -> bool:
        """Whether the user states any information beside labels."""
        return self.prior is not None or self.total is not None

    def exchanged(self, n_items: float) -> KnownPositives:
        """Return the same information on the other class, given the number of items."""
        prior = None if self.prior is None else BetaPrior(self.prior.b, self.prior.a)
        total = None if self.total is None else (n_items - self.total[1], n_items - self.total[0])
        return KnownPositives(prior, total)

    def of_part(self, n_positive: float, n_unlabeled: float) -> KnownPositives:
        """Return the information on a part of the items.

        Parameters
        ----------
        n_positive, n_unlabeled : float
            The items outside of it that are labeled positive, and those without a label.
        """
        if self.total is None:
            return KnownPositives()
        low, high = self.total
        return KnownPositives(None, (low - n_positive - n_unlabeled, high - n_positive))

    def of_unlabeled(self, n_positive: float, n_unlabeled: float) -> tuple[float, float] | None:
        """Return the smallest and largest number of positives without a label, if known."""
        if self.total is None:
            return None
        low, high = self.total
        return max(low - n_positive, 0.0), min(high - n_positive, n_unlabeled)

    def is_of(self, sample: ScoreSample) -> bool:
        """Return whether there is information beside the labels of a sample."""
        return self.is_stated or sample.inclusion.knows_classes

    def range_of(self, sample: ScoreSample, tail: float) -> tuple[float, float]:
        """Return the range of the number of positives of a sample.

        It excludes a probability of `tail` on either side. A prior whose density does not vanish at
        0, or 1, does not exclude it. Ranges that contradict the labels, or are wider than known
        ones, are left out.
        """
        n_items = float(sample.counts.sum())
        n_positive = float(sample.positive.sum())
        low = n_positive
        high = n_items - float(sample.negative.sum())

        ranges = [sample.inclusion.range_of_positives(sample, tail)]
        if self.total is not None:
            ranges.insert(0, self.total)
        if self.prior is not None:
            smallest, largest = self.range_of_prevalence(tail)
            ranges.append((n_items * smallest, n_items * largest))

        for smallest, largest in ranges:
            if smallest <= high and largest >= low:
                low = max(low, smallest)
                high = min(high, largest)
        return low, high

    def range_of_prevalence(self, tail: float) -> tuple[float, float]:
        """Return the range of the prevalence by the prior, which excludes `tail` on either side."""
        prior = BetaPrior() if self.prior is None else self.prior
        smallest = float(prior.ppf(tail)) if prior.a > 1.0 else 0.0
        largest = float(prior.ppf(1.0 - tail)) if prior.b > 1.0 else 1.0
        return smallest, largest
