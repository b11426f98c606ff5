"""The prior that positives score higher."""

from __future__ import annotations

import numpy as np
from scipy import special

# A priori, one classifier in a thousand scores its positives lower.
INVERTED = 1e-3
STEEPNESS = 4.0
N_LATTICE = 4096


def log_order_prior(mean_0, std_0, mean_1, std_1):
    r"""Return the log of the prior factor that tells the classes apart, and its derivatives.

    Without labels the likelihood is the same when the classes change their names. With
    :math:`d = (\mu_1 - \mu_0) / \sqrt{\sigma_0^2 + \sigma_1^2}`, for which
    :math:`P(S_1 > S_0) = \Phi(d)` if both are normal, the prior is multiplied by

    .. math:: 2 (\epsilon + (1 - 2 \epsilon) \Phi(4 d)), \quad \epsilon = 10^{-3},

    which is bounded below, so a few labels can say that the classifier is upside down.

    Returns
    -------
    log_factor : ndarray of shape (n_draws,)
    slopes : tuple of four ndarray of shape (n_draws,)
        Derivatives with respect to the four arguments.
    """
    variance = std_0 * std_0 + std_1 * std_1
    distance = (mean_1 - mean_0) / np.sqrt(variance)
    factor = INVERTED + (1.0 - 2.0 * INVERTED) * special.ndtr(STEEPNESS * distance)
    density = np.exp(-0.5 * (STEEPNESS * distance) ** 2) / np.sqrt(2.0 * np.pi)
    slope = (1.0 - 2.0 * INVERTED) * STEEPNESS * density / factor
    by_mean = slope / np.sqrt(variance)
    by_std = -slope * distance / variance
    return np.log(2.0 * factor), (-by_mean, by_std * std_0, by_mean, by_std * std_1)


def log_order_mass(ppf_mean_0, ppf_std_0, ppf_mean_1, ppf_std_1) -> float:
    """Return the log of the mean of the factor over independent priors, given by quantiles.

    It is zero where both classes have the same prior. Else a lattice in four dimensions
    (the additive recurrence of the generalised golden ratio) finds it to about 1e-3.
    """
    golden = 1.1673039782614187  # the positive root of x**5 = x + 1
    steps = golden ** -np.arange(1.0, 5.0)
    levels = (0.5 + np.arange(1, N_LATTICE + 1)[:, np.newaxis] * steps) % 1.0
    quantiles = (ppf_mean_0, ppf_std_0, ppf_mean_1, ppf_std_1)
    moments = (ppf(level) for ppf, level in zip(quantiles, levels.T, strict=True))
    return float(np.log(np.exp(log_order_prior(*moments)[0]).mean()))
