"""Where to begin climbing the posterior of a mixture."""

from __future__ import annotations

import numpy as np
from scipy import special

from .._sample import ScoreSample

# The score above which items are taken for positives, at first: these shares lie below.
SPLITS = (0.2, 0.5, 0.8, 0.95, 0.99)
# A label counts at the start as much as this share of all unlabelled items of its class.
LABEL_SHARE = 0.05


def starts(mixture, sample: ScoreSample) -> np.ndarray:
    """Return starting points on the real line, one for each split of the scores.

    The scores are split softly at a quantile, labelled items join their own class, and each
    family starts from the weighted moments of its class. With both classes labelled, the
    point halfway between their means is one more split.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.

    Returns
    -------
    u : ndarray of shape (n_starts, n_dim)
    """
    cuts = list(sample.quantile(SPLITS))
    if sample.negative.any() and sample.positive.any():
        means = [np.average(sample.scores, weights=w) for w in (sample.negative, sample.positive)]
        cuts.append(sum(means) / 2.0)
    return np.array([_start(mixture, sample, cut) for cut in cuts])


def _start(mixture, sample, cut):
    softness = 0.1 * mixture.spread
    share = special.expit((sample.scores - cut) / softness)
    boost = LABEL_SHARE * sample.counts.sum() / max(1.0, sample.n_labeled)
    to_positive = share * sample.unlabeled + boost * sample.positive
    to_negative = (1.0 - share) * sample.unlabeled + boost * sample.negative
    total = to_positive.sum() + to_negative.sum()
    prevalence = np.clip(to_positive.sum() / total, 1e-3, 1.0 - 1e-3)
    values = []
    for family, weights in ((mixture.negative, to_negative), (mixture.positive, to_positive)):
        # A class to which nothing fell starts as wide as everything.
        some = weights if weights.sum() > 0.0 else sample.counts
        mean, std, *shapes = family.start(sample.scores, some)
        values.append((mean, max(std, 4.0 * mixture.resolution), *shapes))
    return mixture.real(prevalence, *values)
