"""What speaks for a mixture: how well it fits the scores, and what the labels say, scores given."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..inference._draws import Draws
from ..inference._importance_sampling import importance_sample
from ..inference._pareto import smooth_log_weights
from ..inference.proposals._student_mixture import StudentMixture
from ..mixtures._two_class import TwoClassMixture
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale

__all__ = ["kolmogorov_smirnov", "log_label_evidence"]

# The posterior without labels is sampled in so many rounds of so many draws, from the scores in
# about so many cells; the proposal's shares of the posteriors with and without labels.
LABEL_ROUNDS, LABEL_DRAWS, LABEL_CELLS = 3, 400, 100
LABEL_SHARES = np.array([0.3, 0.7])
# The fitted distribution of the scores is a mean over so many draws, computed at about so many
# scores and straight between them.
KS_DRAWS, KS_NODES = 64, 100


def log_label_evidence(
    mixture: TwoClassMixture, draws: Draws, sample: ScoreSample, rng: np.random.Generator
) -> float:
    r"""Return the log probability of the known labels given all scores, under one mixture.

    With :math:`S` all scores and :math:`Y_L` the known labels, it is the mean over the
    posterior without labels,

    .. math::

        p(Y_L \mid S) = \frac{p(S, Y_L)}{p(S)} =
        \int p(\theta \mid S) \prod_{i \in L} p(y_i \mid s_i, \theta) \, d\theta ,

    by importance sampling. The draws with labels, divided by the probability of the labels,
    are weighted draws without [1]_: too few where the labels said much, but good to place a
    proposal, which then learns from its own draws. Those see the scores in 100 cells.

    Against separate fits without labels (10 to 200 labels, five or six parameters, 1,000
    draws) the root mean square error was 0.1 to 0.2 with 2,000 scores, and 0.3 to 0.7 and
    mostly too high with 500. Differences between pairs that are smaller say nothing.
    Without the rounds it was about 1 with 200 labels and 2,000 scores. For the uniform family,
    whose likelihood is all jumps, the result is worthless.

    References
    ----------
    .. [1] M. A. Newton, A. E. Raftery, "Approximate Bayesian inference with the weighted
       likelihood bootstrap", J. R. Stat. Soc. B 56 (1994) 3-48.
    """
    if not sample.n_labeled:
        return 0.0
    scores = sample.without_labels().grouped(LABEL_CELLS)
    points = draws.points[draws.picked(LABEL_DRAWS)]
    given = _moments(points, np.full(len(points), 1.0 / len(points)))
    log_weights = -mixture.log_label_probability(points, sample)
    # Draws around a maximum may lie where the labels are impossible.
    log_weights, _ = smooth_log_weights(np.where(np.isposinf(log_weights), -np.inf, log_weights))
    alone = _moments(points, np.exp(log_weights))
    for _ in range(LABEL_ROUNDS):
        # Where the posterior is with labels matters as well: there they are probable.
        means, covariances = map(np.array, zip(given, alone, strict=True))
        proposal = StudentMixture(LABEL_SHARES, means, covariances).defended(0.3)
        try:
            without = importance_sample(
                lambda u: mixture.log_density(u, scores), proposal, LABEL_DRAWS, rng
            )
        except ValueError:
            return np.nan
        alone = _moments(without.points, without.weights)
    log_labels = mixture.log_label_probability(without.points, sample)
    return float(special.logsumexp(without.log_weights + log_labels))


def _moments(points, weights):
    """Return the mean and the covariance of weighted draws, with a ridge."""
    mean = np.einsum("n,ni->i", weights, points)
    steps = points - mean
    covariance = np.einsum("ni,nj->ij", weights[:, np.newaxis] * steps, steps)
    return mean, covariance + np.diag(1e-9 * np.diagonal(covariance) + 1e-12)


def kolmogorov_smirnov(
    mixture: TwoClassMixture, draws: Draws, scale: ScoreScale, sample: ScoreSample
) -> float:
    """Return the largest difference of the shares of scores below a threshold.

    The share that the mixture expects, in the posterior mean, is compared with the share of
    all items, on both sides of each score. A heavy tie stands for an interval, over which the
    model lays it as it likes: it is compared at the ends of the interval, not within.
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
