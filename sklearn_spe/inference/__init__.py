"""Inference: weighted draws from any log density.

A target is a pair of callables on the whole real line, vectorized over rows:

``log_density(u: (m, n_dim)) -> (m,)``
    The unnormalized log density: -inf outside the support, never nan.
``value_and_gradient(u: (m, n_dim)) -> ((m,), (m, n_dim))``
    The same with its gradient; only used by `find_modes`.

This package is independent of the origin of a target. The caller passes a `numpy.random.Generator`,
and issues warnings based on `Draws.ess` and `Draws.pareto_k`.
"""

from ._draws import Draws, smooth_log_weights
from ._em import EmPath, expectation_maximization, newton_leap
from ._modes import Modes, NormalDraws, OneBlasThread, find_modes, modes_at, normal_draws
from ._proposals import (
    DiagonalNormal,
    Proposal,
    StudentMixture,
    diagonal_normal,
    enriched_mixture,
    fit_student_mixture,
    scattered_mixture,
)
from ._sampling import (
    MIN_DRAWS,
    adaptive_importance_sample,
    importance_sample,
    power_with_ess,
    systematic_resample,
    tempered_smc,
)

__all__ = [
    "MIN_DRAWS",
    "DiagonalNormal",
    "Draws",
    "EmPath",
    "Modes",
    "NormalDraws",
    "OneBlasThread",
    "Proposal",
    "StudentMixture",
    "adaptive_importance_sample",
    "diagonal_normal",
    "enriched_mixture",
    "expectation_maximization",
    "find_modes",
    "fit_student_mixture",
    "importance_sample",
    "modes_at",
    "newton_leap",
    "normal_draws",
    "power_with_ess",
    "scattered_mixture",
    "smooth_log_weights",
    "systematic_resample",
    "tempered_smc",
]
