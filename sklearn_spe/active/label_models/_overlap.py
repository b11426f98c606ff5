"""The label model of overlaps, and how labels of one object go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ...inputs._arrays import FrozenArrays
from ._label_model import Coupling, LabelDraws, LabelModel

# Default correlation of the matches of an object, as normal variables.
CORRELATION = 0.3


@dataclass(frozen=True, eq=False)
class MatchCoupling(FrozenArrays, Coupling):
    """Comonotone labels of the rows of one match, and correlated matches of one object."""

    match: np.ndarray  # (n_rows,), of int; index of the match; -1 for rows that are known
    owner: np.ndarray  # (n_matches,), of int; the object of each match
    correlation: float  # in [0, 1), of the matches of one object, as normal variables

    def uniform(self, n: Any, rng: np.random.Generator) -> Any:
        own = rng.standard_normal((n, len(self.owner)))
        common = rng.standard_normal((n, int(self.owner.max(initial=-1)) + 1))[:, self.owner]
        rho = self.correlation
        return special.ndtr(np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own)[:, self.match]


# Overlaps are clipped to this range before the logit.
MINIMUM, LARGEST = 0.02, 0.98
# Prior scale of coefficients, and of differences between categories and systems; prior scale of the
# noise, and its weight in verified matches.
SCALE, SPREAD, NOISE, NOISE_COUNT = 1.0, 0.5, 0.6, 5.0
# Number of verified matches that weigh as much as a normal distribution of the residuals.
NORMAL_COUNT = 30.0
GRID = np.linspace(-6.0, 6.0, 481)
BURN_IN = 50
# Prior weight of their correlation, in pairs of verified matches.
CORRELATION_COUNT = 20.0


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
    >>> from sklearn_spe.active import OverlapModel, SegmentationMatches
    >>> from sklearn_spe.datasets import make_segmentation_matches
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
        self, ranked_lists: Any, codes: Any, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        x, precision, center = _design(ranked_lists)
        verified = np.isfinite(ranked_lists.overlap)
        y = _logit(ranked_lists.overlap[verified])
        owner, weight = ranked_lists.owner[verified], np.ones(len(y))
        fitted = _draws(x[verified], y, weight, precision, center, n_draws, rng)
        correlation = _correlation(_left_over(x[verified], y, *fitted), owner)
        matched_detections = np.bincount(owner)[owner] if len(owner) else weight
        if (matched_detections > 1).any() and correlation > 0.0:
            # Several matches of one object have less information than as many of different ones.
            weight = 1.0 / (1.0 + (matched_detections - 1.0) * correlation)
            fitted = _draws(x[verified], y, weight, precision, center, n_draws, rng)
        beta, sigma = fitted
        rest = _left_over(x[verified], y, beta, sigma)
        distribution = _distribution_of(rest)
        asked = np.flatnonzero(ranked_lists.match >= 0)
        match, need = ranked_lists.match[asked], _logit(ranked_lists.threshold[asked])
        probability = np.zeros((n_draws, ranked_lists.n_rows))
        for draw in range(n_draws):
            mean = np.einsum("ij,j->i", x, beta[draw])
            off = (need - mean[match]) / sigma[draw]
            probability[draw, asked] = 1.0 - np.interp(off, GRID, distribution)
        coupling = MatchCoupling(ranked_lists.match, ranked_lists.owner, correlation)
        return LabelDraws(probability, codes, coupling)


def _logit(overlap: Any) -> Any:
    return special.logit(np.clip(overlap, MINIMUM, LARGEST))


def _design(ranked_lists: Any) -> tuple:
    """Return features of matches, and the prior of their coefficients: precision and mean."""
    first = np.unique(ranked_lists.match, return_index=True)[1][
        int((ranked_lists.match < 0).any()) :
    ]
    features, group = ranked_lists.features[first], ranked_lists.group[first]
    coarse = _logit(features[:, 0])
    # The second column is the threshold, which differs between the rows of a match.
    others = features[:, 2:]
    others = (others - others.mean(axis=0)) / np.maximum(others.std(axis=0), 1e-12)
    score = special.ndtri(np.clip(ranked_lists.scores[first, 0], 1e-6, 1.0 - 1e-6))
    groups = group[:, np.newaxis] == np.arange(ranked_lists.n_groups)
    columns = (np.ones(len(first)), coarse, coarse**2, score)
    x = np.concatenate([np.stack(columns, axis=1), others, groups], axis=1)
    scale = np.full(x.shape[1], SPREAD)
    scale[:4] = SCALE
    center = np.zeros(x.shape[1])
    center[1] = 1.0
    return x, 1.0 / scale**2, center


def _draws(
    x: Any, y: Any, weight: Any, precision: Any, center: Any, n_draws: int, rng: np.random.Generator
) -> tuple:
    """Draw coefficients and noise of a normal linear model by Gibbs sampling."""
    squares = np.einsum("i,ij,ik->jk", weight, x, x)
    products = np.einsum("i,ij,i->j", weight, x, y)
    variance, kept = NOISE**2, []
    for sweep in range(BURN_IN + n_draws):
        covariance = np.linalg.inv(np.diag(precision) + squares / variance)
        mean = np.einsum("ij,j->i", covariance, precision * center + products / variance)
        noise = rng.standard_normal(len(mean))
        beta = mean + np.einsum("ij,j->i", np.linalg.cholesky(covariance), noise)
        off = y - np.einsum("ij,j->i", x, beta)
        rate = (NOISE_COUNT * NOISE**2 + (weight * off**2).sum()) / 2.0
        variance = rate / rng.gamma((NOISE_COUNT + weight.sum()) / 2.0)
        if sweep >= BURN_IN:
            kept.append((beta, np.sqrt(variance)))
    betas, sigmas = zip(*kept, strict=True)
    return np.array(betas), np.array(sigmas)


def _left_over(x: Any, y: Any, beta: Any, sigma: Any) -> np.ndarray:
    """Return the residuals of verified matches, scaled to unit variance."""
    rest = (y - np.einsum("ij,j->i", x, beta.mean(axis=0))) / sigma.mean()
    # In-sample residuals are smaller than those of new matches.
    return rest / max(np.sqrt(np.mean(rest**2)), 1e-9) if len(rest) > 1 else rest


def _distribution_of(rest: Any) -> np.ndarray:
    """Return the distribution function on the grid: a mixture of normal and empirical."""
    normal = special.ndtr(GRID)
    if not len(rest):
        return normal
    width = 0.9 * max(rest.std(), 0.1) * len(rest) ** -0.2
    shown = np.mean([special.ndtr((GRID - r) / width) for r in rest], axis=0)
    share = len(rest) / (len(rest) + NORMAL_COUNT)
    return share * shown + (1.0 - share) * normal


def _correlation(rest: Any, owner: Any) -> float:
    """Return the correlation of residuals between matches of one object."""
    _, place, counts = np.unique(owner, return_inverse=True, return_counts=True)
    if not len(rest):
        return CORRELATION
    sums, squares = np.bincount(place, rest), np.bincount(place, rest**2)
    pairs = float((counts * (counts - 1)).sum())
    products = float((sums**2 - squares).sum())
    variance = float(np.mean(rest**2))
    total = products / max(variance, 1e-12) + CORRELATION_COUNT * CORRELATION
    return float(np.clip(total / (pairs + CORRELATION_COUNT), 0.0, 0.99))
