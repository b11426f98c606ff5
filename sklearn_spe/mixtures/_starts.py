"""Starting points for the maximization of a mixture's posterior."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..sample._sample import ScoreSample

# Initial splits: items above these quantiles of the scores are treated as positive.
SPLITS = (0.25, 0.6, 0.9, 0.985)
# Positives in the middle: their distribution may be narrower than that of the negatives.
MIDDLE = (0.5, 0.85)
# Initial weight of a label, as a fraction of all unlabeled items of its class.
LABEL_SHARE = 0.05


def starts(mixture, sample: ScoreSample) -> np.ndarray:
    """Return starting points on the real line, one for each initial split of the scores.

    A split assigns each unlabeled item a weight as positive; labeled items belong to their own
    class, and each family starts from the weighted moments of its class.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.

    Returns
    -------
    u : ndarray of shape (n_starts, n_dim)
    """
    return np.array([_start(mixture, sample, share) for share in _splits(mixture, sample)])


def _splits(mixture, sample):
    """Yield the weights of positives of each cell: above a score, in the middle, by labels."""
    softness = 0.1 * mixture.spread
    for cut in sample.quantile(SPLITS):
        yield special.expit((sample.scores - cut) / softness)
    low, high = sample.quantile(MIDDLE)
    yield special.expit((sample.scores - low) / softness) * (sample.scores <= high)
    if sample.negative.any() and sample.positive.any():
        means, stds = zip(
            *(_moments(sample, w) for w in (sample.negative, sample.positive)), strict=True
        )
        yield special.expit((sample.scores - sum(means) / 2.0) / softness)
        # By two normals with the moments of the labeled items.
        stds = np.maximum(stds, softness)
        log_odds = [
            -0.5 * ((sample.scores - mean) / std) ** 2 - np.log(std)
            for mean, std in zip(means, stds, strict=True)
        ]
        prior = np.log(sample.positive.sum() / sample.negative.sum())
        yield special.expit(log_odds[1] - log_odds[0] + prior)


def _moments(sample, weights):
    mean = np.average(sample.scores, weights=weights)
    return mean, np.sqrt(np.average((sample.scores - mean) ** 2, weights=weights))


def _start(mixture, sample, share):
    boost = LABEL_SHARE * sample.counts.sum() / max(1.0, sample.n_labeled)
    to_positive = share * sample.unlabeled + boost * sample.positive
    to_negative = (1.0 - share) * sample.unlabeled + boost * sample.negative
    total = to_positive.sum() + to_negative.sum()
    prevalence = np.clip(to_positive.sum() / total, 1e-3, 1.0 - 1e-3)
    values = []
    for family, weights in ((mixture.negative, to_negative), (mixture.positive, to_positive)):
        # A class without items starts with the spread of all scores.
        some = weights if weights.sum() > 0.0 else sample.counts
        mean, std, *shapes = family.start(sample.scores, some)
        values.append((mean, max(std, 4.0 * mixture.resolution), *shapes))
    return mixture.real(prevalence, *values)
