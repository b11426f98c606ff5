"""Bayesian logistic calibration."""

import numpy as np
from answers import Answer
from cells import Cells, standardized
from scipy import special

N_DRAWS = 500
# Intercept and slope are normal(0, 2.5) for a standardised predictor, the default of rstanarm.
PRIOR_STD = 2.5
GRID = np.linspace(-4.0 * PRIOR_STD, 4.0 * PRIOR_STD, 121)


def logistic(scores, y, seed):
    """Draw p(positive | score) = expit(a + b z) from its posterior, on a grid, then the labels.

    Only labelled items enter the likelihood: z is the standardised score, or its log-odds if
    scores are probabilities.
    """
    rng = np.random.default_rng(seed)
    cells = Cells.from_items(scores, y)
    z = standardized(cells)
    intercept, slope = (g.ravel() for g in np.meshgrid(GRID, GRID))
    log_posterior = -0.5 * (intercept**2 + slope**2) / PRIOR_STD**2
    for known, sign in ((cells.positive, 1.0), (cells.negative, -1.0)):
        at = np.flatnonzero(known)
        linear = intercept[:, np.newaxis] + np.outer(slope, z[at])
        log_posterior = log_posterior + special.log_expit(sign * linear) @ known[at]
    chosen = rng.choice(len(slope), N_DRAWS, p=special.softmax(log_posterior))
    # Anywhere in the grid's cell, not on its center alone.
    step = GRID[1] - GRID[0]
    a, b = (
        v[chosen, np.newaxis] + step * (rng.random((N_DRAWS, 1)) - 0.5) for v in (intercept, slope)
    )
    return Answer.from_draws(cells.complete(rng, special.expit(a + b * z)), cells.counts)
