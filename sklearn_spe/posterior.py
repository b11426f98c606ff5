"""Mixture, sample and draws are a posterior: the single joint of mixtures and inference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ._posterior import BLOCK, Block, Posterior
from ._sample import ScoreSample
from ._scale import ScoreScale
from ._tiles import row_tiles
from .bands import ScalarEstimate
from .families import Family
from .inference import (
    LEAST_DRAWS,
    Draws,
    EmPath,
    NormalDraws,
    StudentMixture,
    adaptive_importance_sample,
    diagonal_normal,
    expectation_maximization,
    find_modes,
    importance_sample,
    modes_at,
    normal_draws,
    quasi_newton_leap,
)
from .mixtures import EmSteps, TwoClassMixture, draw_items, starts

__all__ = [
    "MixturePosterior",
    "fit_mixture",
    "maximize_likelihood",
    "mixture_for",
    "sketch_mixture",
]

# The climb to the modes sees the sample in about so many cells, then in all of them.
COARSE_CELLS = 200
# Population curves are computed on so many thresholds by rank, and as many evenly spaced.
N_THRESHOLDS = 192
# A sketch climbs from so many starts only.
SKETCH_STARTS = 2
# The last step of expectation maximisation raises the log likelihood by less than this share.
EM_TOL, EM_MAX_ITER = 1e-8, 500
# From every start so many steps, then a climb from so many of their ends.
EM_FIRST, EM_CLIMBS = 10, 3


@dataclass(frozen=True, eq=False, repr=False)
class MixturePosterior(Posterior):
    """Weighted draws of the parameters of one or several mixtures.

    Attributes
    ----------
    scale : ScoreScale
        From the user's scores to the model scale.
    sample : ScoreSample
        The scores and known labels, on the user's scale.
    mixtures : tuple of TwoClassMixture
        The pairs of families that are averaged.
    draws : tuple of Draws
        Draws of the parameters of each.
    mixture_weights : ndarray of shape (n_mixtures,)
        The probability of each, summing to one.
    """

    scale: ScoreScale
    sample: ScoreSample
    mixtures: tuple[TwoClassMixture, ...]
    draws: tuple[Draws, ...]
    mixture_weights: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""
        parts = [w * d.weights for w, d in zip(self.mixture_weights, self.draws, strict=True)]
        weights = np.concatenate(parts)
        return weights / weights.sum()

    @property
    def n_draws(self) -> int:
        """How many draws there are in all."""
        return sum(len(d) for d in self.draws)

    @property
    def ess(self) -> float:
        """Kish's effective number of draws."""
        return float(1.0 / (self.weights**2).sum())

    @property
    def kind(self) -> str:
        """Where the uncertainty comes from: "posterior", or "fisher" after maximum likelihood."""
        return "fisher" if isinstance(self.draws[0], NormalDraws) else "posterior"

    @property
    def centre(self) -> MixturePosterior | None:
        """The maximum of the likelihood of each mixture, if that is what was looked for."""
        if self.kind != "fisher":
            return None
        return replace(self, draws=tuple(draws.at_centre() for draws in self.draws))

    @property
    def pareto_k(self) -> float:
        """The worst k-hat among the mixtures that matter; nan without importance weights."""
        matters = self.mixture_weights >= 0.05 * self.mixture_weights.max()
        return max(d.pareto_k for d, m in zip(self.draws, matters, strict=True) if m)

    def blocks(self) -> list[Block]:
        """Return the fixed blocks in which draws are treated."""
        blocks, first = [], 0
        for k, draws in enumerate(self.draws):
            for own in range(0, len(draws), BLOCK):
                stop = min(own + BLOCK, len(draws))
                rows = slice(first + own, first + stop)
                blocks.append(Block(len(blocks), k, rows, slice(own, stop)))
            first += len(draws)
        return blocks

    def positive_probability(self, scores, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        u = self.draws[block.mixture].points[block.own_rows]
        return self.mixtures[block.mixture].positive_probability(u, *self.scale.points(scores))

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        model = self._curve_thresholds if thresholds is None else self.scale.thresholds(thresholds)
        u = self.draws[block.mixture].points[block.own_rows]
        prevalence, tpr, fpr = self.mixtures[block.mixture].rates(u, model)
        if thresholds is not None:
            return prevalence, tpr, fpr, np.zeros(len(model), dtype=bool)
        # Below all scores lies everything.
        tpr, fpr = (np.column_stack([rate, np.ones(len(rate))]) for rate in (tpr, fpr))
        return prevalence, tpr, fpr, np.r_[np.isin(model, self.scale.tie_ends[0]), False]

    @cached_property
    def _curve_thresholds(self) -> np.ndarray:
        """Thresholds on the model scale that fall, dense where scores are, past their ends."""
        scale = self.scale
        by_rank = scale.transform(self.sample.quantile(np.linspace(0.0, 1.0, N_THRESHOLDS)))
        low, high = by_rank[0] - 2.0 * scale.spread, by_rank[-1] + 3.0 * scale.spread
        even = np.linspace(low, high, N_THRESHOLDS)
        return np.unique(np.r_[scale.grid(np.r_[by_rank, even]), *scale.tie_ends])[::-1]

    def log_predictive(self, scores) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the posterior expectations of p(score, y = 0) and p(score, y = 1).

        They are finite for every finite score.
        """
        distinct, inverse = np.unique(scores, return_inverse=True)
        with np.errstate(divide="ignore"):
            log_weights = np.log(self.weights)[:, np.newaxis]
        totals = [np.full(len(distinct), -np.inf), np.full(len(distinct), -np.inf)]
        for part in row_tiles(len(distinct), BLOCK):
            for block in self.blocks():
                joint = self.log_score_density(distinct[part], block)
                for total, log_density in zip(totals, joint, strict=True):
                    log_density += log_weights[block.rows]
                    total[part] = np.logaddexp(total[part], _log_sum_exp(log_density))
        return totals[0][inverse], totals[1][inverse]

    def log_score_density(self, scores, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block.

        The densities are those of the score on the user's scale.
        """
        u = self.draws[block.mixture].points[block.own_rows]
        points, firsts = self.scale.points(scores)
        jacobian = self.scale.log_jacobian(scores)
        joint = self.mixtures[block.mixture].log_score_density(u, points, firsts)
        return tuple(log_density + jacobian for log_density in joint)

    def prevalence(self) -> ScalarEstimate:
        """Return the prevalence of the population."""

        def values(posterior):
            pairs = zip(posterior.mixtures, posterior.draws, strict=True)
            return np.concatenate([m.values(d.points)[0] for m, d in pairs])

        return self.number("prevalence", values)

    def parameters(self, index: int = 0) -> dict[str, ScalarEstimate]:
        """Return the parameters of one mixture, by name: "prevalence", "negative_mean", ...

        Means and standard deviations are in the units of the scores, or of their logits if that
        is the model scale.

        Parameters
        ----------
        index : int, default=0
            Which of `mixtures`.
        """
        mixture = self.mixtures[index]
        own = replace(
            self,
            mixtures=(mixture,),
            draws=(self.draws[index],),
            mixture_weights=np.ones(1),
        )
        owners = [f"{side}_" for side in ("negative", "positive")]
        families = (mixture.negative, mixture.positive)
        prefixes = ["", *(o for o, f in zip(owners, families, strict=True) for _ in f.parameters)]
        shift = {"location": self.scale.origin}
        estimates = {}
        for j, (prefix, parameter) in enumerate(zip(prefixes, mixture.parameters, strict=True)):

            def values(posterior, j=j, parameter=parameter):
                model = parameter.value(posterior.draws[0].points[:, [j]])
                if parameter.role == "shape":
                    return model
                return model * self.scale.unit + shift.get(parameter.role, 0.0)

            name = f"{prefix}{parameter.name}"
            estimates[name] = own.number(name, values)
        return estimates

    def rvs(self, rng: np.random.Generator, size: int):
        """Draw scores on the user's scale, and labels 0 and 1."""
        chosen = np.sort(rng.choice(self.n_draws, size=size, p=self.weights))
        points, labels = np.empty(size), np.empty(size, dtype=np.int8)
        owner = np.repeat(np.arange(len(self.draws)), [len(d) for d in self.draws])
        all_u = [u for draws in self.draws for u in draws.points]
        drawn, firsts = np.unique(chosen, return_index=True)
        for draw, first, stop in zip(drawn, firsts, [*firsts[1:], size], strict=True):
            mixture, rows = self.mixtures[owner[draw]], slice(first, stop)
            points[rows], labels[rows] = draw_items(mixture, all_u[draw], rng, stop - first)
        order = rng.permutation(size)
        return self.scale.inverse_transform(points[order]), labels[order]

    def __repr__(self) -> str:
        names = ", ".join(
            f"{m.name} {w:.2f}" for m, w in zip(self.mixtures, self.mixture_weights, strict=True)
        )
        return (
            f"MixturePosterior({names}; n_draws={self.n_draws}, ess={self.ess:.0f}, "
            f"pareto_k={self.pareto_k:.2f})"
        )


def mixture_for(negative: Family, positive: Family, scale: ScoreScale, prior) -> TwoClassMixture:
    """Return the mixture of two families in the units of a scale.

    Raises
    ------
    ValueError
        If a family needs positive scores and the model scale has others.
    """
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
    n_jobs=None,
) -> tuple[Draws, float]:
    """Draw from the posterior of one mixture (steps 1 to 3 of section 3.1 of the paper).

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.
    n_draws : int
    rng : numpy.random.Generator
    proposal : {"adaptive", "diagonal"}, default="adaptive"
        "diagonal" is the paper's: a univariate normal along each axis through the mode.
    n_jobs : int, default=None

    Returns
    -------
    draws : Draws
    log_likelihood : float
        The maximum of the log likelihood next to the best mode.
    """
    coarse = sample.grouped(COARSE_CELLS)
    first = _climb(mixture, coarse, starts(mixture, coarse), n_jobs)
    modes = first if coarse is sample else _climb(mixture, sample, first.points, n_jobs)

    def log_density(u):
        return mixture.log_density(u, sample)

    if proposal == "diagonal":
        around = diagonal_normal(log_density, modes.points[0])
        draws = importance_sample(log_density, around, n_draws, rng)
    else:
        n_draws = max(n_draws, LEAST_DRAWS)
        draws = adaptive_importance_sample(log_density, modes, n_draws, rng)
    likeliest = _climb(mixture, sample, modes.points[:1], n_jobs, prior=False)
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

    It starts from the labelled items alone, as the 2018 paper does, and from several splits of
    the scores. Of the maxima found that is taken in which positives score higher and which is
    highest. The normal law around it has the observed information of the likelihood and of the
    prior, which alone bounds what the data say nothing about.

    Parameters
    ----------
    mixture : TwoClassMixture
    sample : ScoreSample
        On the model scale.
    n_draws : int
    rng : numpy.random.Generator
    tol, max_iter
        As for `expectation_maximization`.

    Returns
    -------
    draws : NormalDraws
    log_likelihood : float
        The maximum of the log likelihood.
    """
    coarse = sample.grouped(COARSE_CELLS)
    first = EmSteps(mixture, coarse)
    labeled = first.labeled_start()
    points = starts(mixture, coarse)
    points = points if labeled is None else np.vstack([labeled, points])
    with np.errstate(all="ignore"):
        points = [point for point in points if np.isfinite(first.expect(point)[0])]
        if not points:
            raise ValueError(
                f"No start of expectation maximisation gives every score a density under the "
                f"families {mixture.name}; choose one whose support holds all scores, such as "
                f"'norm'."
            )
        # A few steps show which hills are worth the climb.
        points = _highest(mixture, [_em(first, u, max_iter=EM_FIRST) for u in points], EM_CLIMBS)
        leap = _leap(mixture, coarse)
        (best,) = _highest(mixture, [_em(first, u, leap=leap) for u in points], 1)
        path = _em(
            EmSteps(mixture, sample), best, tol=tol, max_iter=max_iter, leap=_leap(mixture, sample)
        )
    target = partial(mixture.value_and_gradient, sample=sample)
    fields = {"last_change": path.last_change, "converged": path.converged}
    return normal_draws(modes_at(target, path.point), n_draws, rng, **fields), path.log_likelihood


def _em(steps: EmSteps, start, **options) -> EmPath:
    return expectation_maximization(steps.expect, steps.maximize, start, **options)


def _leap(mixture, sample):
    return quasi_newton_leap(partial(mixture.value_and_gradient, sample=sample, prior=False))


def _highest(mixture, paths: list[EmPath], n: int) -> np.ndarray:
    """Return the ends of the paths that lead highest, the order of the classes counted."""
    ends = np.array([path.point for path in paths])
    heights = mixture.log_order(ends) + [path.log_likelihood for path in paths]
    return ends[np.argsort(-heights, kind="stable")[:n]]


def sketch_mixture(
    mixture: TwoClassMixture, sample: ScoreSample, n_draws: int, rng: np.random.Generator
) -> tuple[Draws, float]:
    """Draw roughly from the posterior of one mixture: an expert's curves, which labels judge.

    A few starts, a sample in a few cells, one round of importance sampling.

    Returns
    -------
    draws : Draws
    log_likelihood : float
        The largest among the draws.
    """
    sample = sample.grouped(COARSE_CELLS)
    points = starts(mixture, sample)
    highest = np.argsort(-mixture.log_density(points, sample), kind="stable")[:SKETCH_STARTS]
    modes = _climb(mixture, sample, points[highest], None)
    draws = importance_sample(
        lambda u: mixture.log_density(u, sample), StudentMixture.from_modes(modes), n_draws, rng
    )
    return draws, float(mixture.log_likelihood(draws.points, sample).max())


def _climb(mixture, sample, points, n_jobs, prior=True):
    target = partial(mixture.value_and_gradient, sample=sample, prior=prior)
    return find_modes(target, points, n_jobs=n_jobs)


def _log_sum_exp(log_values) -> np.ndarray:
    """Return the log of the sum of exponentials over rows, where a row of -inf may occur."""
    high = np.maximum(log_values.max(axis=0), np.finfo(float).min)
    return np.log(np.maximum(np.exp(log_values - high).sum(axis=0), np.finfo(float).tiny)) + high
