"""The shape of all scores, as if there were a few of them only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special
from sklearn.preprocessing import PowerTransformer

from .._parameter import NormalPrior
from ..families._family import Family
from ..families._registry import as_family
from ..inference._power_posteriors import power_posteriors
from ..inputs._array_like import as_numbers
from ..sample._cells import ScoreCells
from ..sample._sample import near_one
from ._expert import Expert
from ._slack import SlackScale

# Log-odds of the prevalence, mean of the negatives, distance of the means, log standard
# deviation of the negatives, log ratio of the standard deviations; scores have mean 0, sd 1.
PRIORS = (
    NormalPrior(-1.5, 1.6),
    NormalPrior(-0.4, 0.8),
    NormalPrior(1.6, 1.3),
    NormalPrior(np.log(0.6), 0.5),
    NormalPrior(-0.1, 0.5),
)
LEAST_STD = 0.04
# Scores further than this from the median are drawn in.
FAR = 8.0
# The shape needs fewer cells than the curves do.
N_GROUPS = 32
# The scores are seen on a second scale as well, by fewer curves: the Yeo-Johnson power that makes
# them most normal, fitted to so many quantiles.
BENT_SHARE, N_QUANTILES = 0.4, 200


@dataclass(frozen=True)
class CoarseMixture(Expert):
    r"""A mixture of two families whose N scores count as a few only.

    The posterior of the parameters is
    :math:`p(\theta) \exp(m \frac1N \sum_i \log p(s_i \mid \theta))` with :math:`m` = 8, 16 and 32
    points in place of N, drawn by sequential Monte Carlo, and its curves are
    :math:`f = \log \pi p_1(s) - \log (1 - \pi) p_0(s)`. A mixture is never quite right; counted
    in full, the unlabelled scores would outvote any labels through its errors.

    Parameters
    ----------
    n_curves : int, default=700
        For each of the numbers of points; two fifths as many again on the second scale.
    family : str or Family, default="loggamma"
        Of both classes, on the whole real line.
    n_points : tuple of float, default=(8, 16, 32)
        As how many points all scores count, rising.
    weight : float, default=None
        See `Expert`.

    References
    ----------
    J. W. Miller, D. B. Dunson, "Robust Bayesian inference via coarsening", Journal of the American
    Statistical Association 114 (2019).
    """

    name: ClassVar[str] = "coarse_mixture"
    weights: ClassVar[dict[str, float]] = {"default": 0.33, "distance": 0.56, "unit": 0.47}
    slack: ClassVar[SlackScale] = SlackScale(wide_share=0.5)

    n_curves: int = 700
    family: str | Family = "loggamma"
    n_points: tuple[float, ...] = (8.0, 16.0, 32.0)

    def __post_init__(self):
        powers = as_numbers(self.n_points, "n_points")
        if powers.ndim != 1 or not len(powers) or powers[0] <= 0.0 or (np.diff(powers) <= 0).any():
            raise ValueError(
                f"n_points must be positive numbers that rise, such as (8, 16, 32); got "
                f"{self.n_points!r}."
            )
        family = as_family(self.family)
        if np.isfinite(family.support[0]):
            raise ValueError(
                f"The family of CoarseMixture must live on the whole real line, as 'loggamma' and "
                f"'norm' do; {family.name!r} does not."
            )

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        law = _TwoClasses(as_family(self.family))
        # As many points as there are items, at most.
        powers = np.unique(np.minimum(self.n_points, cells.counts.sum()))
        parts = []
        for scores, share in ((_standardised(cells), 1.0), (_bent(cells), BENT_SHARE)):
            n = max(2, round(share * self.n_curves))
            parts += law.curves(scores, cells.shares, powers, n, rng)
        return np.concatenate(parts)


@dataclass(frozen=True)
class _TwoClasses:
    """The mixture of two members of one family, for scores with mean 0 and deviation 1.

    A point `u` holds the five quantities of `PRIORS`, then the shapes of both classes on the
    real line.
    """

    family: Family

    def curves(self, scores, shares, powers, n_curves, rng) -> list[np.ndarray]:
        """Return curves at the scores for each power, each of shape (n_curves, n_scores)."""
        groups = np.unique(np.linspace(0, len(scores) - 1, N_GROUPS).astype(int))
        weights = np.add.reduceat(shares, groups)
        centres = np.add.reduceat(scores * shares, groups) / weights

        def mean_log_density(u):
            with np.errstate(all="ignore"):
                a, b = self._log_joint(u, centres)
                log_density = np.maximum(a, b) + np.log1p(np.exp(-np.abs(a - b)))
            # A score that the mixture thinks impossible is one of a few, not a veto.
            return np.einsum("ij,j->i", np.fmax(log_density, -700.0), weights)

        parts = power_posteriors(
            mean_log_density,
            lambda n: self._draw(rng, n),
            self._log_prior,
            powers,
            n_curves,
            rng,
        )
        return [self._log_odds(u, scores) for u in parts]

    def _log_odds(self, u, scores):
        with np.errstate(all="ignore"):
            log_negative, log_positive = self._log_joint(u, scores)
            return np.nan_to_num(log_positive - log_negative, nan=0.0)

    def _log_joint(self, u, scores):
        # Columns that are contiguous: numpy 1.26 rounds by the address of strided ones.
        u = np.asfortranarray(u)
        stds = np.exp(u[:, 3:4]), np.exp(u[:, 3:4] + u[:, 4:5])
        means = u[:, 1:2], u[:, 1:2] + u[:, 2:3]
        shapes = np.split(u[:, 5:, np.newaxis], 2, axis=1)
        return tuple(
            self.family.logpdf(
                scores,
                mean,
                std + LEAST_STD,
                *(p.value(shape[:, j]) for j, p in enumerate(self._shapes)),
            )
            + special.log_expit(sign * u[:, :1])
            for mean, std, shape, sign in zip(means, stds, shapes, (-1.0, 1.0), strict=True)
        )

    @property
    def _shapes(self):
        return self.family.parameters[2:]

    def _draw(self, rng, n):
        common = [prior.ppf(rng.random(n)) for prior in PRIORS]
        shapes = [p.real(p.rvs(rng, n)) for p in (*self._shapes, *self._shapes)]
        return np.column_stack([*common, *shapes])

    def _log_prior(self, u):
        u = np.asfortranarray(u)
        total = sum(prior.logpdf(u[:, j]) for j, prior in enumerate(PRIORS))
        for j, p in enumerate((*self._shapes, *self._shapes), len(PRIORS)):
            total = total + p.log_prior(u[:, j])[0]
        return total


def _standardised(cells: ScoreCells) -> np.ndarray:
    """Return the scores with mean 0 and standard deviation 1, far ones drawn in."""
    scores, shares = near_one(cells.log_odds)[0], cells.shares
    low, middle, high = np.interp([0.1, 0.5, 0.9], np.cumsum(shares), scores)
    spread = (high - low) / 2.5631
    if spread <= 0.0:
        spread = np.sqrt(np.average((scores - middle) ** 2, weights=shares))
    z = (scores - middle) / spread
    far = np.abs(z) > FAR
    z[far] = np.sign(z[far]) * (FAR + np.log(np.abs(z[far]) / FAR))
    return _unit(z, shares)


def _bent(cells: ScoreCells) -> np.ndarray:
    """Return the scores on a scale on which they look nearly normal, tails drawn in."""
    levels = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    scores, shares = near_one(cells.log_odds)[0], cells.shares
    quantiles = np.interp(levels, np.cumsum(shares), scores)
    low, spread = np.median(scores), np.std(quantiles)
    if spread <= 0.0:
        # One score holds nearly all items.
        spread = np.sqrt(np.average((scores - low) ** 2, weights=shares))
    power = PowerTransformer()
    power.fit((quantiles[:, np.newaxis] - low) / spread)
    bent = power.transform((scores[:, np.newaxis] - low) / spread)[:, 0]
    return _unit(np.arcsinh(bent), shares)


def _unit(scores, shares) -> np.ndarray:
    centred = scores - np.average(scores, weights=shares)
    return centred / np.sqrt(np.average(centred**2, weights=shares))
