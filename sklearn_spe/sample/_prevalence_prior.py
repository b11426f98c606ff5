"""Default prior of the prevalence."""

from __future__ import annotations

import numpy as np

from .._parameter import BetaPrior, as_prevalence_prior
from ._sample import ScoreSample

__all__ = ["check_prevalence_prior", "expected_rarity", "is_auto", "prevalence_prior_given"]

AUTO = "auto"
# Below the first concentration of the labels (`ScoreSample.labeled_tail`) they are treated as
# spread over all scores, above the second as from the tail.
CONCENTRATION = 0.5, 0.9
# Level of Smirnov's bound for random labels.
BY_CHANCE = 0.01
# For labels from the tail the prior is Beta(RARE, 1 / q), with q the share of items in the tail:
# nearly uniform in the log of the prevalence, up to about q.
RARE = 0.1


def check_prevalence_prior(prior) -> BetaPrior | None:
    """Return the validated prior; None for "auto"."""
    return None if is_auto(prior) else as_prevalence_prior(prior)


def is_auto(prior) -> bool:
    """Return whether the prior is "auto"."""
    return isinstance(prior, str) and prior == AUTO


def prevalence_prior_given(prior: BetaPrior | None, sample: ScoreSample) -> BetaPrior:
    """Return the prior of the prevalence, given which items are labeled.

    Labels spread over all scores are informative on the prevalence, and a uniform prior is
    harmless; so are labels at both of two values. If only the largest scores are labeled, positives
    are assumed to be rare, hardly more frequent than the labeled tail; if only the smallest,
    negatives. Such labels carry no information on items elsewhere, and a uniform prior would imply
    many positives there.
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
    """Return, from 0 to 1, how strongly the labeled items suggest that a class is rare."""
    tails = sample.labeled_tail[0], sample.labeled_bottom[0]
    return max(_rarity(sample, concentration) for concentration in tails)


def _rarity(sample: ScoreSample, concentration: float) -> float:
    """Return the rarity of the class that is labeled in a tail of the scores."""
    # With known class inclusion probabilities the likelihood is sufficient.
    if sample.inclusion.missingness[1] < 1.0:
        return 0.0
    # Labels at both of two values are informative on the share of positives at each.
    if sample.n_cells == 2 and (sample.negative + sample.positive > 0.0).all():
        return 0.0
    # A few random labels may all have high scores: Smirnov's bound on their concentration.
    if 2.0 * sample.n_labeled * concentration**2 < -np.log(BY_CHANCE):
        return 0.0
    low, high = CONCENTRATION
    return float(np.clip((concentration - low) / (high - low), 0.0, 1.0))
