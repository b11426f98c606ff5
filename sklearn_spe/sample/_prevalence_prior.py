"""The prior of the prevalence where none is given."""

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
    """Return the prior of the prevalence, given which items are labeled.

    Labels from anywhere show the prevalence, and a uniform prior does little harm. Whoever labels
    the largest scores alone is assumed to look for positives that are rare, hardly more than the
    items among which they are looked for; whoever labels the smallest, for rare negatives. No label
    shows how rare: a uniform prior would place many more on the other side. Scores of two values
    with labels at both, as in an elusion sample, are shown.
    """
    if prior is not None:
        return prior
    (of_positives, first), (of_negatives, last) = (
        (_rarity(sample, concentration), place)
        for concentration, place in (sample.labeled_tail, sample.labeled_bottom)
    )
    total = sample.counts.sum()
    if of_positives >= of_negatives:
        tail = sample.counts[first:].sum() / total
        return BetaPrior(RARE**of_positives, tail**-of_positives)
    tail = sample.counts[: last + 1].sum() / total
    return BetaPrior(tail**-of_negatives, RARE**of_negatives)


def expected_rarity(sample: ScoreSample) -> float:
    """Return from 0 to 1 how far the choice of the labels shows that one class is rare."""
    tails = sample.labeled_tail[0], sample.labeled_bottom[0]
    return max(_rarity(sample, concentration) for concentration in tails)


def _rarity(sample: ScoreSample, concentration: float) -> float:
    """Return that of the class that is looked for in a tail of the scores."""
    # Where shares of the classes were labeled the likelihood says all.
    if sample.inclusion.silence[1] < 1.0:
        return 0.0
    # Of two values each has a share of its own, which labels at both show.
    if sample.n_cells == 2 and (sample.negative + sample.positive > 0.0).all():
        return 0.0
    # A few random labels may all have high scores: Smirnov's bound on their concentration.
    if 2.0 * sample.n_labeled * concentration**2 < -np.log(BY_CHANCE):
        return 0.0
    low, high = CONCENTRATION
    return float(np.clip((concentration - low) / (high - low), 0.0, 1.0))
