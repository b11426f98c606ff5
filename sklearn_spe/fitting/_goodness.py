"""How well a mixture fits the distribution of all scores."""

from __future__ import annotations

import numpy as np

from ..inference._draws import Draws
from ..mixtures._two_class import TwoClassMixture
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale

__all__ = ["kolmogorov_smirnov"]

# The fitted distribution of the scores is a mean over so many draws, computed at about so many
# scores and straight between them.
KS_DRAWS, KS_NODES = 64, 100


def kolmogorov_smirnov(
    mixture: TwoClassMixture, draws: Draws, scale: ScoreScale, sample: ScoreSample
) -> float:
    """Return the largest difference of the shares of scores below a threshold.

    The share that the mixture expects, in the posterior mean, is compared with the share of
    all items, on both sides of each score. A heavy tie stands for an interval, over which the
    model lays it as it likes: it is compared at the ends of the interval, not within.

    Parameters
    ----------
    mixture : TwoClassMixture
    draws : Draws
        Of its posterior; up to `KS_DRAWS` of them are used, picked by their weight.
    scale : ScoreScale
    sample : ScoreSample
        On the model scale.
    """
    low, high = scale.tie_ends
    ends = np.concatenate([low, high])
    below = np.r_[0.0, np.cumsum(sample.counts) / sample.counts.sum()]
    # Of a cell of several scores only the low side is known.
    single = sample.lower == sample.scores
    at = np.concatenate([sample.lower, sample.scores[single]])
    share = np.concatenate([below[:-1], below[1:][single]])
    outside = np.searchsorted(low, at) <= np.searchsorted(high, at, side="right")
    at = np.concatenate([at[outside], ends])
    share = np.concatenate([share[outside], below[np.searchsorted(sample.lower, ends)]])
    places = np.unique(at)
    some = np.linspace(0, len(places) - 1, min(KS_NODES, len(places))).astype(int)
    # Between the ends of a tie much may happen: all of them are nodes.
    nodes = np.union1d(places[some], ends)
    expected = np.interp(at, nodes, _expected_below(mixture, draws, nodes))
    return float(np.max(np.abs(expected - share)))


def _expected_below(mixture, draws, thresholds) -> np.ndarray:
    """Return the posterior mean of the share of scores below thresholds."""
    picked, times = np.unique(draws.picked(KS_DRAWS), return_counts=True)
    prevalence, tpr, fpr = mixture.rates(draws.points[picked], thresholds)
    return 1.0 - np.einsum("i,ij->j", times / KS_DRAWS, prevalence * tpr + (1.0 - prevalence) * fpr)
