"""Inference: weighted draws from any log density.

A target is a pair of callables on the whole real line, vectorized over rows:

``log_density(u: (m, n_dim)) -> (m,)``
    The unnormalized log density: -inf outside the support, never nan.
``value_and_gradient(u: (m, n_dim)) -> ((m,), (m, n_dim))``
    The same with its gradient; only used by `find_modes`.

This package is independent of the origin of a target. The caller passes a `numpy.random.Generator`,
and issues warnings based on `Draws.ess` and `Draws.pareto_k`.
"""

from ._adaptive_importance import MIN_DRAWS, adaptive_importance_sample
from ._blas import OneBlasThread
from ._draws import Draws
from ._em import EmPath, expectation_maximization, newton_leap
from ._importance_sampling import importance_sample
from ._modes import Modes, find_modes, modes_at
from ._normal_draws import NormalDraws, normal_draws
from ._pareto import smooth_log_weights
from ._smc import systematic_resample, tempered_smc
from ._tempering import power_with_ess
from .proposals import DiagonalNormal, Proposal, StudentMixture, diagonal_normal

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
    "expectation_maximization",
    "find_modes",
    "importance_sample",
    "modes_at",
    "newton_leap",
    "normal_draws",
    "power_with_ess",
    "smooth_log_weights",
    "systematic_resample",
    "tempered_smc",
]
