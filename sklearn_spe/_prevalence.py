"""What is believed of the prevalence when nothing is said of it."""

from __future__ import annotations

import numpy as np

from ._parameter import BetaPrior, as_prevalence_prior
from ._sample import ScoreSample

__all__ = ["check_prevalence_prior", "is_auto", "prevalence_prior_given"]

AUTO = "auto"
# Labels are in the tail as far as more than the first share of all items lies below them, and
# wholly from the second on.
TAIL_SHARES = 0.5, 0.9
# The prior is then Beta(RARE, 1), nearly flat in the logarithm of the prevalence.
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
    little harm. Whoever labels the largest scores only does so because positives are rare, and
    no label tells how rare: a uniform prior would then say that there are many more below.

    Parameters
    ----------
    prior : BetaPrior or None
        One that was given is kept; None stands for a uniform one or, as far as only the largest
        scores are labelled, for Beta(0.1, 1).
    sample : ScoreSample
    """
    if prior is not None:
        return prior
    labeled = np.flatnonzero(sample.negative + sample.positive)
    if not len(labeled):
        return BetaPrior()
    below = sample.counts[: labeled[0]].sum() / sample.counts.sum()
    low, high = TAIL_SHARES
    tail = np.clip((below - low) / (high - low), 0.0, 1.0)
    return BetaPrior(float(RARE**tail), 1.0)
