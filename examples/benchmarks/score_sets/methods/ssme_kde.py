"""EM with kernel densities of the log-odds: SSME of one classifier, implemented here."""

import numpy as np
from answers import Answer
from cells import Cells
from scipy import special

N_DRAWS = 500
# As in the authors' code: rounds, the weight of a labelled item, what stands for 0 and 1.
N_ROUNDS = 20
LABELED_WEIGHT = 10.0
EDGE = 1e-4


def ssme_kde(scores, y, seed):
    """Own implementation of SSME [1]_ for one classifier.

    Each class has a kernel density of the log-odds, with a quarter of the bandwidth of the normal
    reference rule; EM starts from the scores read as probabilities and alternates densities and
    responsibilities, which are expected here and not drawn. Scores outside [0, 1] are read as
    log-odds: the method needs probabilities. Labels are drawn from the last responsibilities, so
    that the error of the densities is not in the interval, as in the authors' code.

    References
    ----------
    .. [1] D. Shanmugam, S. Sadhuka et al. "Evaluating multiple models using labeled and
       unlabeled data." NeurIPS 2025.
    """
    rng = np.random.default_rng(seed)
    cells = Cells.from_items(scores, y)
    x = cells.scores
    if x.min() >= 0.0 and x.max() <= 1.0:
        x = special.logit(np.select([x == 0.0, x == 1.0], [EDGE, 1.0 - EDGE], x))
    kernel = np.exp(-0.5 * ((x[:, np.newaxis] - x) / _bandwidth(np.repeat(x, cells.counts))) ** 2)
    probability = special.expit(x)
    for _ in range(N_ROUNDS):
        shares = np.stack([1.0 - probability, probability]) * cells.unlabeled
        known = np.stack([cells.negative, cells.positive])
        weights = shares + LABELED_WEIGHT * known
        density = kernel @ (weights / weights.sum(axis=1, keepdims=True)).T
        joint = density * (shares + known).sum(axis=1)
        probability = joint[:, 1] / joint.sum(axis=1)
    probability = np.broadcast_to(probability, (N_DRAWS, len(x)))
    return Answer.from_draws(cells.complete(rng, probability), cells.counts)


def _bandwidth(items):
    """Return a quarter of the normal reference rule's bandwidth."""
    spread = np.subtract(*np.quantile(items, [0.75, 0.25])) / 1.349
    # Where half of the items share a score, the quartiles say nothing.
    width = min(items.std(), spread) if spread > 0.0 else items.std()
    return 0.25 * 1.06 * width * len(items) ** -0.2
