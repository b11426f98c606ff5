"""Proposals: densities to draw from in importance sampling.

A proposal has ``rvs(rng, n) -> (n, n_dim)`` and a normalized
``logpdf(u: (m, n_dim)) -> (m,)``.
"""

from ._diagonal_normal import DiagonalNormal, diagonal_normal
from ._population import fit_student_mixture
from ._proposal import Proposal
from ._scatter import enriched_mixture, scattered_mixture
from ._student_mixture import StudentMixture

__all__ = [
    "DiagonalNormal",
    "Proposal",
    "StudentMixture",
    "diagonal_normal",
    "enriched_mixture",
    "fit_student_mixture",
    "scattered_mixture",
]
