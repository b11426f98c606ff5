"""The labelled items alone."""

import numpy as np
from answers import Answer
from cells import Cells

N_DRAWS = 1000


def labels_only(scores, y, seed):
    """Bayesian bootstrap of the labelled items; a uniform prior for the prevalence.

    A prevalence that the bootstrap never saw has no weight in it, hence the Beta posterior. If
    the labels hold one class only, average precision is not defined for them, and the answer is
    anything from 0 to 1.
    """
    rng = np.random.default_rng(seed)
    labeled = y >= 0
    cells = Cells.from_items(scores[labeled], y[labeled])
    n_positive, n_negative = cells.positive.sum(), cells.negative.sum()
    rate = rng.beta(1.0 + n_positive, 1.0 + n_negative, N_DRAWS)
    prevalence = (n_positive + rng.binomial((~labeled).sum(), rate)) / len(y)
    if n_positive == 0 or n_negative == 0:
        return Answer.nothing_but(prevalence)
    # Dirichlet weights up to their sum, which no ratio needs; gamma(0) is 0.
    positives, negatives = (
        rng.standard_gamma(known, (N_DRAWS, len(known)))
        for known in (cells.positive, cells.negative)
    )
    return Answer.from_draws(positives, positives + negatives, prevalence)
