"""Fits of one mixture: its posterior by importance sampling, or its maximum by EM."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..families._family import Family
from ..inference._adaptive_importance import MIN_DRAWS, adaptive_importance_sample
from ..inference._blas import OneBlasThread
from ..inference._draws import Draws
from ..inference._em import EmPath, expectation_maximization, newton_leap
from ..inference._importance_sampling import importance_sample
from ..inference._modes import find_modes, modes_at
from ..inference._normal_draws import NormalDraws, normal_draws
from ..inference.proposals._diagonal_normal import diagonal_normal
from ..inference.proposals._student_mixture import StudentMixture
from ..mixtures._em_steps import EmSteps
from ..mixtures._starts import starts
from ..mixtures._two_class import TwoClassMixture
from ..sample._sample import ScoreSample
from ..sample._scale import ScoreScale

__all__ = [
    "COARSE_CELLS",
    "EM_TOL",
    "fit_mixture",
    "maximize_likelihood",
    "mixture_for",
    "sketch_mixture",
]

# The climb to the modes sees the sample in about so many cells, then in all of them.
COARSE_CELLS = 200
# A sketch climbs until a step gains less than so many nats, and takes so many steps at most.
SKETCH_TOLERANCE, SKETCH_STEPS = 0.05, 15
# The last step of expectation maximisation raises the log likelihood by less than this share.
EM_TOL, EM_MAX_ITER = 1e-8, 500
# From every start so many steps, then a climb from so many of their ends in few cells, and from so
# many of those in all.
EM_FIRST, EM_CLIMBS, EM_LAST = 10, 4, 2


def mixture_for(negative: Family, positive: Family, scale: ScoreScale, prior) -> TwoClassMixture:
    """Return the mixture of two families in the units of a scale."""
    for family in (negative, positive):
        if family.support[0] == 0.0 and scale.name == "identity" and scale.smallest <= 0.0:
            raise ValueError(
                f"The family {family.name!r} lives on positive scores, but score_scale='identity' "
                f"leaves scores as low as {scale.smallest:.4g}; use score_scale='auto', which "
                f"moves them, or families on the whole real line such as 'norm'."
            )
    return TwoClassMixture(
        negative, positive, prior, scale.location, scale.spread, scale.resolution
    )


def fit_mixture(
    mixture: TwoClassMixture,
    sample: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    *,
    proposal: str = "adaptive",
) -> tuple[Draws, float]:
    """Draw from the posterior of one mixture (steps 1 to 3 of section 3.1 of the paper)."""
    coarse = sample.grouped(COARSE_CELLS)
    modes = find_modes(_target(mixture, coarse), starts(mixture, coarse))
    if coarse is not sample:
        modes = find_modes(_target(mixture, sample), modes.points)

    def log_density(u):
        return mixture.log_density(u, sample)

    if proposal == "diagonal":
        around = diagonal_normal(log_density, modes.points[0])
        draws = importance_sample(log_density, around, n_draws, rng)
    else:
        n_draws = max(n_draws, MIN_DRAWS)
        draws = adaptive_importance_sample(log_density, modes, n_draws, rng)
    likeliest = find_modes(_target(mixture, sample, prior=False), modes.points[:1])
    return draws, float(likeliest.log_densities[0])


def maximize_likelihood(
    mixture: TwoClassMixture,
    sample: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    *,
    tol: float = EM_TOL,
    max_iter: int = EM_MAX_ITER,
) -> tuple[NormalDraws, float]:
    """Climb the likelihood of one mixture by expectation maximisation (POEM).

    It starts from the labelled items alone, as the 2018 paper does, with all others taken for
    negatives, and from several splits of the scores. Of the maxima found that is taken in which
    positives score higher and which is highest. The normal law around it has the observed
    information of the likelihood and of the prior, which alone bounds what the data say nothing
    about.
    """
    coarse = sample.grouped(COARSE_CELLS)
    first, last = EmSteps(mixture, coarse), EmSteps(mixture, sample)
    own = [start for start in (last.labeled_start(), last.background_start()) if start is not None]
    with OneBlasThread(), np.errstate(all="ignore"):
        points = [*own, *starts(mixture, coarse)]
        points = [point for point in points if np.isfinite(first.expect(point)[0])]
        if not points:
            raise ValueError(
                f"No start of expectation maximisation gives every score a density under the "
                f"families {mixture.name}; choose one whose support holds all scores, such as "
                f"'norm'."
            )
        # A few steps show which hills are worth the climb, few cells which lead highest.
        paths = [_em(first, u, max_iter=EM_FIRST) for u in points]
        leap = _leap(mixture, coarse)
        paths = [_em(first, p.point, leap=leap) for p in _highest(mixture, paths)[:EM_CLIMBS]]
        how = {"tol": tol, "max_iter": max_iter, "leap": _leap(mixture, sample)}
        ends = _highest(mixture, paths)[:EM_LAST]
        (path, *_) = _highest(mixture, [_em(last, p.point, **how) for p in ends])
    maximum = modes_at(_target(mixture, sample), path.point)
    rough = partial(mixture.log_density, sample=coarse)
    draws = normal_draws(
        rough,
        maximum,
        max(n_draws, MIN_DRAWS),
        rng,
        last_change=path.last_change,
        converged=path.converged,
    )
    return draws, path.log_likelihood


def _em(steps: EmSteps, start, **options) -> EmPath:
    return expectation_maximization(steps.expect, steps.maximize, start, **options)


def _leap(mixture, sample):
    return newton_leap(_target(mixture, sample, prior=False))


def _highest(mixture, paths: list[EmPath]) -> list[EmPath]:
    """Return the paths by how high they lead, the order of the classes counted."""
    ends = np.array([path.point for path in paths])
    heights = mixture.log_order(ends) + [path.log_likelihood for path in paths]
    return [paths[k] for k in np.argsort(-heights, kind="stable")]


def sketch_mixture(
    mixture: TwoClassMixture, sample: ScoreSample, n_draws: int, rng: np.random.Generator
) -> tuple[Draws, float]:
    """Draw roughly from the posterior of one mixture: the curves of an expert.

    A sample in a few cells, one round of importance sampling.
    """
    sample = sample.grouped(COARSE_CELLS)
    modes = find_modes(
        _target(mixture, sample),
        starts(mixture, sample),
        tolerance=SKETCH_TOLERANCE,
        max_steps=SKETCH_STEPS,
    )
    draws = importance_sample(
        lambda u: mixture.log_density(u, sample), StudentMixture.from_modes(modes), n_draws, rng
    )
    return draws, float(mixture.log_likelihood(draws.points, sample).max())


def _target(mixture, sample, prior=True):
    return partial(mixture.value_and_gradient, sample=sample, prior=prior)
