"""Proposals: densities that can be drawn from, to stand in for those that cannot.

A proposal has ``rvs(rng, n) -> (n, n_dim)`` and a normalised
``logpdf(u: (m, n_dim)) -> (m,)``.
"""

from ._proposal import Proposal
from .diagonal_normal import DiagonalNormal, diagonal_normal
from .population import fit_student_mixture
from .scatter import enriched_mixture, scattered_mixture
from .student_mixture import StudentMixture

__all__ = [
    "DiagonalNormal",
    "Proposal",
    "StudentMixture",
    "diagonal_normal",
    "enriched_mixture",
    "fit_student_mixture",
    "scattered_mixture",
]
