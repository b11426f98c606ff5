"""The fit of one pair of families: starts, steps of EM, importance sampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import optimize, special

from ..data._sample import ScoreSample
from ..data._scale import ScoreScale
from ..families._family import BetaPrior, Family, Parameter
from ..families._real_line import Norm
from ..inference._draws import Draws
from ..inference._em import EmPath, expectation_maximization, newton_leap
from ..inference._modes import (
    Modes,
    NormalDraws,
    OneBlasThread,
    climb,
    find_modes,
    modes_at,
    normal_draws,
)
from ..inference._proposals import StudentMixture, diagonal_normal
from ..inference._sampling import (
    MIN_DRAWS,
    adaptive_importance_sample,
    importance_sample,
    reweighted,
    weighted_draws,
)
from ._two_class import TwoClassMixture

# Initial splits: items above these quantiles of the scores are treated as positive.
SPLITS = (0.25, 0.6, 0.9, 0.985)
# Positives in the middle: their distribution may be narrower than that of the negatives.
MIDDLE = (0.5, 0.85)
# Initial weight of a label, as a fraction of all unlabeled items of its class.
LABEL_SHARE = 0.05
# Below this weight, a class keeps its density.
_MIN_WEIGHT = 1e-12
_CLIMB = {"maxiter": 50, "ftol": 1e-12, "gtol": 1e-8}
# The climb to the modes sees the sample in about so many cells, then in all of them.
COARSE_CELLS = 200
# Posteriors given more than so many cells are sampled in about so many; those of so many parameters
# and more, which take tens of thousands of densities, in still fewer.
MANY_CELLS, FEW_CELLS, MANY_PARAMETERS, FEWEST_CELLS = 2048, 256, 8, 100
# Climbs that are so many nats below another after some steps are given up.
PROMISING = 100.0
# Sampling starts from modes to this tolerance, and weights draws by the density in about so many
# cells if that in all differs from it by a constant, for so many draws up to so many nats. Rough
# draws of densities that jump see no more.
ROUGH_TOLERANCE, MORE_CELLS, N_COMPARED, NEARLY_CONSTANT = 0.01, 1024, 50, 0.1
# A sketch climbs until a step gains less than so many nats, and takes so many steps at most.
SKETCH_TOLERANCE, SKETCH_STEPS = 0.05, 15
# The last step of expectation maximization raises the log likelihood by less than this share.
EM_TOL, EM_MAX_ITER = 1e-8, 500
# From every start so many steps, then a climb from so many of their ends in few cells, and from so
# many of those in all.
EM_FIRST, EM_CLIMBS, EM_LAST = 10, 4, 2


def starts(mixture: TwoClassMixture, sample: ScoreSample) -> np.ndarray:
    """Return starting points on the real line, one for each initial split of the scores.

    A split assigns each unlabeled item a weight as positive; labeled items belong to their own
    class, and each family starts from the weighted moments of its class.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.

    Returns
    -------
    u : ndarray of shape (n_starts, n_dim)
    """
    return np.array([_start(mixture, sample, share) for share in _splits(mixture, sample)])


def _splits(mixture: TwoClassMixture, sample: ScoreSample):
    """Yield the weights of positives of each cell: above a score, in the middle, by labels."""
    softness = 0.1 * mixture.spread
    for cut in sample.quantile(SPLITS):
        yield special.expit((sample.scores - cut) / softness)

    low, high = sample.quantile(MIDDLE)
    yield special.expit((sample.scores - low) / softness) * (sample.scores <= high)

    if sample.negative.any() and sample.positive.any():
        of_negatives = Norm().start(sample.scores, sample.negative)
        of_positives = Norm().start(sample.scores, sample.positive)
        means, stds = zip(of_negatives, of_positives, strict=True)
        yield special.expit((sample.scores - sum(means) / 2.0) / softness)

        # By two normals with the moments of the labeled items.
        widths = np.maximum(stds, softness)
        log_odds = [
            -0.5 * ((sample.scores - mean) / width) ** 2 - np.log(width)
            for mean, width in zip(means, widths, strict=True)
        ]
        prior = np.log(sample.positive.sum() / sample.negative.sum())
        yield special.expit(log_odds[1] - log_odds[0] + prior)


def _start(mixture: TwoClassMixture, sample: ScoreSample, share: np.ndarray):
    boost = LABEL_SHARE * sample.counts.sum() / max(1.0, sample.n_labeled)
    to_positive = share * sample.unlabeled + boost * sample.positive
    to_negative = (1.0 - share) * sample.unlabeled + boost * sample.negative
    total = to_positive.sum() + to_negative.sum()
    prevalence = np.clip(to_positive.sum() / total, 1e-3, 1.0 - 1e-3)
    # A class without items starts with the spread of all scores.
    weights = [
        of_class if of_class.sum() > 0.0 else sample.counts
        for of_class in (to_negative, to_positive)
    ]
    return _of_moments(mixture, sample.scores, prevalence, *weights)


def _of_moments(mixture: TwoClassMixture, scores: np.ndarray, prevalence: float, *class_weights):
    """Return the point at the weighted moments of the scores of each class."""
    values = []
    families = mixture.negative, mixture.positive
    for family, weights in zip(families, class_weights, strict=True):
        mean, std, *shapes = family.start(scores, weights)
        # A single item, or equal ones, have no spread.
        values.append((mean, max(std, 4.0 * mixture.resolution), *shapes))
    return mixture.real(prevalence, *values)


@dataclass(frozen=True)
class EmSteps:
    """Partially observed expectation maximization: section 5 of [1]_.

    Labeled items belong to their class, the others to both with their probabilities. The M-step is
    weighted maximum likelihood in each class: in closed form where the family has one (eq. 7 to 12
    for normals), else numerically. Parameters are unconstrained, as in the mixture, so
    standard deviations stay above the resolution of the scores.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.
    """

    mixture: TwoClassMixture
    sample: ScoreSample

    def expect(self, u: np.ndarray):
        """Return the log likelihood of `u`, and the class weights of each point."""
        log_likelihood, *weights = self.mixture.expectation(u, self.sample)
        return log_likelihood, weights

    def maximize(self, weights: Sequence[np.ndarray], u: np.ndarray) -> np.ndarray:
        """Return the `u` that maximizes the likelihood, given the class weights of the points."""
        mixture = self.mixture
        cut = 1 + len(self.mixture.negative.parameters)
        to_negative, to_positive = weights
        share = to_positive.sum() / (to_positive.sum() + to_negative.sum())
        maximum = np.array(u)
        maximum[0] = mixture.parameters[0].real(share)

        for family, part, counts in (
            (mixture.negative, slice(1, cut), to_negative),
            (mixture.positive, slice(cut, None), to_positive),
        ):
            if counts.sum() > _MIN_WEIGHT:
                parameters = mixture.parameters[part]
                maximum[part] = _likeliest(family, parameters, self.sample, counts, u[part])
        return maximum

    def labeled_start(self) -> np.ndarray | None:
        """Return estimates from the labeled items; None without both classes.

        The start of the paper. If only the tail is labeled, it overestimates the prevalence.
        """
        return self._start(self.sample.negative, self.sample.positive)

    def background_start(self) -> np.ndarray | None:
        """Return estimates that treat all unlabeled items as negative."""
        return self._start(self.sample.negative + self.sample.unlabeled, self.sample.positive)

    def _start(self, negative: np.ndarray, positive: np.ndarray):
        if not (negative.any() and positive.any()):
            return None
        share = positive.sum() / (positive.sum() + negative.sum())
        return _of_moments(self.mixture, self.sample.scores, share, negative, positive)


def _likeliest(
    family: Family,
    parameters: tuple[Parameter, ...],
    sample: ScoreSample,
    counts: np.ndarray,
    u: np.ndarray,
) -> np.ndarray:
    values = family.maximum_likelihood(sample.points, counts)
    # The mixture does not allow standard deviations below the resolution.
    if values is not None and values[1] > parameters[1].lower:
        return np.array([p.real(v) for p, v in zip(parameters, values, strict=True)])
    return _climb(family, parameters, sample.points, counts, u)


def _climb(
    family: Family,
    parameters: tuple[Parameter, ...],
    points: np.ndarray,
    counts: np.ndarray,
    u: np.ndarray,
) -> np.ndarray:
    """Maximize the weighted log likelihood of one class from `u`."""
    counted = counts > 0.0
    points = points[counted]
    counts = counts[counted] / counts.sum()

    def objective(u: np.ndarray):
        values = [p.value(np.array([[v]])) for p, v in zip(parameters, u, strict=True)]
        value = -float(np.einsum("i,i->", family.logpdf(points, *values)[0], counts))

        gradients = family.gradient(points, *values)
        slopes = [p.slope(v[0, 0]) for p, v in zip(parameters, values, strict=True)]
        gradient = [
            -slope * np.einsum("i,i->", by_value[0], counts)
            for slope, by_value in zip(slopes, gradients, strict=True)
        ]
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return worst, np.zeros(len(u))
        return value, np.array(gradient)

    with np.errstate(all="ignore"):
        worst = np.inf
        first, _ = objective(u)
        worst = first + 1e3
        end = optimize.minimize(objective, u, jac=True, method="L-BFGS-B", options=_CLIMB)
    return end.x if end.fun <= first else np.array(u)


def mixture_for(
    negative: Family, positive: Family, scale: ScoreScale, prior: BetaPrior
) -> TwoClassMixture:
    """Return the mixture of two families in the units of a scale."""
    for family in (negative, positive):
        if family.support[0] == 0.0 and scale.name == "identity" and scale.smallest <= 0.0:
            raise ValueError(
                f"The family {family.name!r} needs positive scores, but score_scale='identity' "
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
    patient: bool = True,
) -> tuple[Draws, float]:
    """Draw from the posterior of one mixture (steps 1 to 3 of section 3.1 of the paper).

    Given many cells it is sampled in few of them, or in more if densities jump within cells and the
    fit is not `patient`. Then its draws are those of importance sampling, without refinement.
    """
    has_many_parameters = mixture.n_dim >= MANY_PARAMETERS
    has_many_cells = sample.n_cells > MANY_CELLS
    if proposal != "diagonal" and (has_many_parameters or has_many_cells):
        n_draws = max(n_draws, MIN_DRAWS)
        if mixture.is_regular or has_many_parameters:
            cells = _few_cells(sample, FEWEST_CELLS if has_many_parameters else FEW_CELLS)
            return _fit_in_cells(mixture, sample, cells, n_draws, rng, patient)
        if not patient:
            sample = sample.grouped(MORE_CELLS)

    # Find the modes given the sample in a few cells, then in all.
    coarse = sample.grouped(COARSE_CELLS)
    modes = find_modes(_target(mixture, coarse), starts(mixture, coarse))
    log_density = partial(mixture.log_density, sample=sample)
    if coarse is not sample:
        modes = find_modes(_target(mixture, sample), modes.points)
    if proposal == "diagonal":
        around = diagonal_normal(log_density, modes.points[0])
        draws = importance_sample(log_density, around, n_draws, rng)
    else:
        n_draws = max(n_draws, MIN_DRAWS)
        draws = adaptive_importance_sample(log_density, modes, n_draws, rng, patient=patient)

    _, heights = climb(_target(mixture, sample, prior=False), modes.points[:1])
    return draws, float(heights[0])


def _few_cells(sample: ScoreSample, n_cells: int) -> ScoreSample:
    """Return a sample in few cells, in which labeled scores are merged with their neighbors."""
    return sample.grouped(n_cells, unmerged=np.zeros(sample.n_cells, dtype=bool))


def _rough_fit(
    mixture: TwoClassMixture,
    cells: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    patient: bool,
) -> tuple[Draws, float]:
    """Draw from the posterior in few cells; the second is the highest log likelihood there."""
    target = _target(mixture, cells)

    # A few steps show which climbs may lead highest.
    ends, values = climb(target, starts(mixture, cells), ROUGH_TOLERANCE, SKETCH_STEPS)
    ends = ends[values >= values.max() - PROMISING]
    modes = find_modes(target, ends, tolerance=ROUGH_TOLERANCE)
    log_density = partial(mixture.log_density, sample=cells)
    draws = adaptive_importance_sample(log_density, modes, n_draws, rng, patient=patient)
    _, heights = climb(_target(mixture, cells, prior=False), modes.points[:1])
    return draws, float(heights[0])


def _fit_in_cells(
    mixture: TwoClassMixture,
    sample: ScoreSample,
    cells: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    patient: bool,
) -> tuple[Draws, float]:
    """Draw from the posterior in few cells, and weight the draws by that in more of them.

    More are as good as all where they differ by a constant, which is a part of the evidence.
    """
    draws, _ = _rough_fit(mixture, cells, n_draws, rng, patient)

    # The likelihood of the draws in more cells, and in all where these are not enough.
    with np.errstate(all="ignore"):
        heights = mixture.log_likelihood(draws.points, sample.grouped(MORE_CELLS))
        compared = draws.picked(N_COMPARED)
        missing = mixture.log_likelihood(draws.points[compared], sample) - heights[compared]
        if np.ptp(missing) < NEARLY_CONSTANT:
            heights += missing.mean()
        else:
            heights = mixture.log_likelihood(draws.points, sample)
        log_ratios = heights - mixture.log_likelihood(draws.points, cells)
    log_ratios = np.where(np.isnan(log_ratios), -np.inf, log_ratios)

    # The highest likelihood in all cells, from the best draw.
    best = draws.points[np.nanargmax(heights)][np.newaxis]
    rough = _target(mixture, cells, prior=False)
    best, _ = climb(rough, best, ROUGH_TOLERANCE, SKETCH_STEPS)
    _, highest = climb(_target(mixture, sample, prior=False), best, max_steps=SKETCH_STEPS)
    log_likelihood = float(max(np.nanmax(heights), highest[0]))
    if not np.isfinite(draws.log_weights + log_ratios).any():
        # A density that jumps within cells may be zero at all draws: their weights are not known.
        return replace(draws, pareto_k=np.inf), log_likelihood
    return reweighted(draws, log_ratios), log_likelihood


def maximize_likelihood(
    mixture: TwoClassMixture,
    sample: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    *,
    tol: float = EM_TOL,
    max_iter: int = EM_MAX_ITER,
) -> tuple[NormalDraws, float]:
    """Climb the likelihood of one mixture by expectation maximization (POEM).

    It starts from the labeled items alone, as the 2018 paper does, with all others taken for
    negatives, and from several splits of the scores. Of the maxima found that is taken in which
    positives score higher and which is highest. The normal distribution around it has the observed
    information of the likelihood and of the prior. Only the prior limits parameters on which the
    data hold no information.
    """
    coarse = sample.grouped(COARSE_CELLS)
    first = EmSteps(mixture, coarse)
    last = EmSteps(mixture, sample)
    by_labels = [
        start for start in (last.labeled_start(), last.background_start()) if start is not None
    ]

    with OneBlasThread(), np.errstate(all="ignore"):
        points = [*by_labels, *starts(mixture, coarse)]
        points = [point for point in points if np.isfinite(first.expect(point)[0])]
        if not points:
            raise ValueError(
                f"No start of expectation maximization gives every score a positive density under "
                f"the families {mixture.name}; choose a family whose support contains all scores, "
                f"such as 'norm'."
            )

        # A few steps show which hills are worth the climb, few cells which lead highest.
        paths = [_em(first, u, max_iter=EM_FIRST) for u in points]
        leap = _leap(mixture, coarse)
        paths = [_em(first, path.point, leap=leap) for path in _highest(mixture, paths)[:EM_CLIMBS]]
        leap = _leap(mixture, sample)
        paths = [
            _em(last, path.point, tol=tol, max_iter=max_iter, leap=leap)
            for path in _highest(mixture, paths)[:EM_LAST]
        ]
        path = _highest(mixture, paths)[0]

    # Draw from the normal distribution around the maximum.
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


def _em(
    steps: EmSteps,
    start: np.ndarray,
    *,
    tol: float = EM_TOL,
    max_iter: int = EM_MAX_ITER,
    leap: Callable[[np.ndarray], np.ndarray] | None = None,
) -> EmPath:
    """Climb by expectation maximization from a start."""
    return expectation_maximization(
        steps.expect, steps.maximize, start, tol=tol, max_iter=max_iter, leap=leap
    )


def _leap(mixture: TwoClassMixture, sample: ScoreSample):
    return newton_leap(_target(mixture, sample, prior=False))


def _highest(mixture: TwoClassMixture, paths: list[EmPath]) -> list[EmPath]:
    """Return the paths by how high they lead, the order of the classes counted."""
    ends = np.array([path.point for path in paths])
    heights = mixture.log_order(ends) + [path.log_likelihood for path in paths]
    return [paths[k] for k in np.argsort(-heights, kind="stable")]


def sketch_modes(mixture: TwoClassMixture, sample: ScoreSample) -> Modes:
    """Return rough modes of a mixture, given a sample in a few cells."""
    return find_modes(
        _target(mixture, sample),
        starts(mixture, sample),
        log_density=partial(mixture.log_density, sample=sample),
        tolerance=SKETCH_TOLERANCE,
        max_steps=SKETCH_STEPS,
    )


def sketch_mixture(
    mixture: TwoClassMixture,
    sample: ScoreSample,
    modes: Modes,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Draws, float]:
    """Draw roughly from the posterior of one mixture around its modes: the curves of an expert.

    One round of importance sampling; the second is the highest log likelihood of the draws.
    """
    proposal = StudentMixture.from_modes(modes)
    points = proposal.rvs(rng, n_draws)
    with np.errstate(all="ignore"):
        log_likelihoods = mixture.log_likelihood(points, sample)
        log_densities = mixture.log_prior(points) + log_likelihoods
    log_densities = np.where(np.isnan(log_densities), -np.inf, log_densities)
    draws = weighted_draws(points, log_densities, proposal.logpdf(points))
    return draws, float(log_likelihoods.max())


def _target(mixture: TwoClassMixture, sample: ScoreSample, prior: bool = True):
    return partial(mixture.value_and_gradient, sample=sample, prior=prior)
