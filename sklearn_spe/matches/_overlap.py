"""The label model of overlaps, and how labels of one object go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..active.label_models._label_model import Coupling, LabelDraws, LabelModel
from ..inputs._arrays import FrozenArrays

# Default correlation of the matches of an object, as normal variables.
CORRELATION = 0.3
# Overlaps are clipped to this range before the logit.
MINIMUM = 0.02
LARGEST = 0.98
# Prior scale of coefficients, and of differences between categories and systems.
SCALE = 1.0
SPREAD = 0.5
# Prior scale of the noise, and its weight in verified matches.
NOISE = 0.6
NOISE_COUNT = 5.0
# Number of verified matches that weigh as much as a normal distribution of the residuals.
NORMAL_COUNT = 30.0
GRID = np.linspace(-6.0, 6.0, 481)
BURN_IN = 50
# Prior weight of their correlation, in pairs of verified matches.
CORRELATION_COUNT = 20.0


@dataclass(frozen=True, eq=False)
class MatchCoupling(FrozenArrays, Coupling):
    """Comonotone labels of the rows of one match, and correlated matches of one object."""

    match: np.ndarray  # (n_rows,), of int; index of the match; -1 for rows that are known
    owner: np.ndarray  # (n_matches,), of int; the object of each match
    correlation: float  # in [0, 1), of the matches of one object, as normal variables

    def uniform(self, n: int, rng: np.random.Generator) -> np.ndarray:
        match_effects = rng.standard_normal((n, len(self.owner)))
        n_objects = int(self.owner.max(initial=-1)) + 1
        object_effects = rng.standard_normal((n, n_objects))

        # Variables of unit variance, correlated within an object.
        rho = self.correlation
        shared = np.sqrt(rho) * object_effects[:, self.owner]
        normal = shared + np.sqrt(1.0 - rho) * match_effects
        return special.ndtr(normal)[:, self.match]


@dataclass(frozen=True)
class OverlapModel(LabelModel):
    r"""A linear regression of the logit of the true overlap.

    The predictors are the logit of the coarse overlap and its square, the rank of the score, the
    system, the category and side features. The distribution of the residuals is estimated from
    verified matches. A verified object gives the overlap itself and not only which thresholds it
    reaches; the thresholds of a detection are dependent, and so are the systems on one object.

    It is the default for :class:`SegmentationMatches`. The selection of objects is ignorable given
    its predictors.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.matches import SegmentationMatches
    >>> from sklearn_spe.matches._overlap import OverlapModel
    >>> from sklearn_spe.matches import make_segmentation_matches
    >>> data = make_segmentation_matches(20, 2, n_systems=2, random_state=0)
    >>> matches = SegmentationMatches(
    ...     data.score, data.category, data.object, data.coarse_overlap, data.object_category,
    ...     system=data.system, features=np.log(data.detection_area))
    >>> selector = ActiveTestSelector(label_model=OverlapModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(matches)
    >>> objects = selector.query(10)
    >>> selector = selector.update(objects, matches.overlaps_of(data.overlap, objects))
    >>> selector.estimate_.value.shape  # the mean average precision of each system
    (2,)
    """

    name: ClassVar[str] = "overlap"
    needs_noisy: ClassVar[bool] = False
    needs_overlaps: ClassVar[bool] = True

    def learn(
        self, ranked_lists: Any, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        x, precision, center = _design(ranked_lists)
        is_verified = np.isfinite(ranked_lists.overlap)
        x_verified = x[is_verified]
        y = _logit(ranked_lists.overlap[is_verified])
        owner = ranked_lists.owner[is_verified]

        # Several matches of one object have less information than as many of different ones.
        weight = np.ones(len(y))
        beta, sigma = _draws(x_verified, y, weight, precision, center, n_draws, rng)
        residuals = _residuals(x_verified, y, beta, sigma)
        correlation = _correlation(residuals, owner)
        n_matches = np.bincount(owner)[owner] if len(owner) else weight
        if (n_matches > 1).any() and correlation > 0.0:
            weight = 1.0 / (1.0 + (n_matches - 1.0) * correlation)
            beta, sigma = _draws(x_verified, y, weight, precision, center, n_draws, rng)
            residuals = _residuals(x_verified, y, beta, sigma)
        distribution = _distribution_of(residuals)

        # P(overlap >= threshold) of the rows whose match is not verified.
        unknown = np.flatnonzero(ranked_lists.match >= 0)
        match = ranked_lists.match[unknown]
        threshold = _logit(ranked_lists.threshold[unknown])
        probability = np.zeros((n_draws, ranked_lists.n_rows))
        for draw in range(n_draws):
            mean = np.einsum("ij,j->i", x, beta[draw])
            standardized = (threshold - mean[match]) / sigma[draw]
            probability[draw, unknown] = 1.0 - np.interp(standardized, GRID, distribution)

        coupling = MatchCoupling(ranked_lists.match, ranked_lists.owner, correlation)
        return LabelDraws(probability, codes, coupling)


def _logit(overlap: np.ndarray) -> np.ndarray:
    return special.logit(np.clip(overlap, MINIMUM, LARGEST))


def _design(ranked_lists: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features of matches, and the prior of their coefficients: precision and mean."""
    # The first row of each match; known rows, which have none, come first as -1.
    _, first = np.unique(ranked_lists.match, return_index=True)
    if (ranked_lists.match < 0).any():
        first = first[1:]

    features = ranked_lists.features[first]
    group = ranked_lists.group[first]
    coarse = _logit(features[:, 0])

    # The second column is the threshold, which differs between the rows of a match.
    side_features = features[:, 2:]
    centered = side_features - side_features.mean(axis=0)
    standardized = centered / np.maximum(side_features.std(axis=0), 1e-12)

    rank = np.clip(ranked_lists.scores[first, 0], 1e-6, 1.0 - 1e-6)
    normal_score = special.ndtri(rank)
    indicators = group[:, np.newaxis] == np.arange(ranked_lists.n_groups)
    columns = np.stack([np.ones(len(first)), coarse, coarse**2, normal_score], axis=1)
    x = np.concatenate([columns, standardized, indicators], axis=1)

    # A coarse overlap is expected to equal the true one.
    scale = np.full(x.shape[1], SPREAD)
    scale[:4] = SCALE
    center = np.zeros(x.shape[1])
    center[1] = 1.0
    return x, 1.0 / scale**2, center


def _draws(
    x: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    precision: np.ndarray,
    center: np.ndarray,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw coefficients and noise of a normal linear model by Gibbs sampling."""
    squares = np.einsum("i,ij,ik->jk", weight, x, x)
    products = np.einsum("i,ij,i->j", weight, x, y)
    variance = NOISE**2
    betas = []
    sigmas = []
    for sweep in range(BURN_IN + n_draws):
        # The coefficients given the noise.
        covariance = np.linalg.inv(np.diag(precision) + squares / variance)
        weighted_mean = precision * center + products / variance
        mean = np.einsum("ij,j->i", covariance, weighted_mean)
        root = np.linalg.cholesky(covariance)
        normal = rng.standard_normal(len(mean))
        beta = mean + np.einsum("ij,j->i", root, normal)

        # The noise given the coefficients.
        residuals = y - np.einsum("ij,j->i", x, beta)
        sum_of_squares = NOISE_COUNT * NOISE**2 + (weight * residuals**2).sum()
        degrees = NOISE_COUNT + weight.sum()
        variance = sum_of_squares / 2.0 / rng.gamma(degrees / 2.0)
        if sweep >= BURN_IN:
            betas.append(beta)
            sigmas.append(np.sqrt(variance))
    return np.array(betas), np.array(sigmas)


def _residuals(x: np.ndarray, y: np.ndarray, beta: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    """Return the residuals of verified matches, scaled to unit variance."""
    residuals = (y - np.einsum("ij,j->i", x, beta.mean(axis=0))) / sigma.mean()
    if len(residuals) < 2:
        return residuals
    # In-sample residuals are smaller than those of new matches.
    return residuals / max(np.sqrt(np.mean(residuals**2)), 1e-9)


def _distribution_of(residuals: np.ndarray) -> np.ndarray:
    """Return the distribution function on the grid: a mixture of normal and empirical."""
    normal = special.ndtr(GRID)
    n = len(residuals)
    if not n:
        return normal
    # A kernel estimate, with a bandwidth by Silverman's rule.
    bandwidth = 0.9 * max(residuals.std(), 0.1) * n**-0.2
    kernels = [special.ndtr((GRID - residual) / bandwidth) for residual in residuals]
    empirical = np.mean(kernels, axis=0)
    share = n / (n + NORMAL_COUNT)
    return share * empirical + (1.0 - share) * normal


def _correlation(residuals: np.ndarray, owner: np.ndarray) -> float:
    """Return the correlation of residuals between matches of one object."""
    _, place, counts = np.unique(owner, return_inverse=True, return_counts=True)
    if not len(residuals):
        return CORRELATION

    # The sum of products over all ordered pairs of matches of one object.
    sums = np.bincount(place, residuals)
    squares = np.bincount(place, residuals**2)
    products = float((sums**2 - squares).sum())
    n_pairs = float((counts * (counts - 1)).sum())
    variance = float(np.mean(residuals**2))

    # Shrunk towards the prior correlation.
    total = products / max(variance, 1e-12) + CORRELATION_COUNT * CORRELATION
    return float(np.clip(total / (n_pairs + CORRELATION_COUNT), 0.0, 0.99))
