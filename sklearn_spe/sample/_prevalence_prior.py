"""What is believed of the prevalence when nothing is said of it."""

from __future__ import annotations

import numpy as np

from .._parameter import BetaPrior, as_prevalence_prior
from ._sample import ScoreSample

__all__ = ["check_prevalence_prior", "expected_rarity", "is_auto", "prevalence_prior_given"]

AUTO = "auto"
# Up to the first concentration of the labels (`ScoreSample.labeled_tail`) they count as from
# anywhere, from the second on as from the tail.
CONCENTRATION = 0.5, 0.9
# Random labels are as concentrated once in so many draws.
BY_CHANCE = 0.01
# The prior is then Beta(RARE, 1 / q), with q the share of the items of that tail: nearly flat in
# the logarithm of the prevalence, up to about q.
RARE = 0.1


def check_prevalence_prior(prior) -> BetaPrior | None:
    """Return the prior that is meant; None for "auto"."""
    return None if is_auto(prior) else as_prevalence_prior(prior)


def is_auto(prior) -> bool:
    """Return whether the prior is left to the package."""
    return isinstance(prior, str) and prior == AUTO


def prevalence_prior_given(prior: BetaPrior | None, sample: ScoreSample) -> BetaPrior:
    """Return the prior of the prevalence, given which items are labelled.

    Whoever labels items from anywhere learns the prevalence from them, and a uniform prior does
    little harm. Of whoever labels the largest scores it is assumed that positives are rare, hardly
    more than the items among which they are looked for. No label tells how rare: a uniform prior
    would say that there are many more below.
    """
    if prior is not None:
        return prior
    rarity, (_, first) = expected_rarity(sample), sample.labeled_tail
    tail = sample.counts[first:].sum() / sample.counts.sum()
    return BetaPrior(RARE**rarity, tail**-rarity)


def expected_rarity(sample: ScoreSample) -> float:
    """Return from 0 to 1 how far the choice of the labels tells that positives are rare.

    Nothing beyond what the likelihood says where shares of the classes were labelled.
    """
    if sample.inclusion.silence[1] < 1.0:
        return 0.0
    low, high = CONCENTRATION
    concentration = sample.labeled_tail[0]
    # A few random labels may all have high scores: Smirnov's bound on their concentration.
    if 2.0 * sample.n_labeled * concentration**2 < -np.log(BY_CHANCE):
        return 0.0
    return float(np.clip((concentration - low) / (high - low), 0.0, 1.0))
