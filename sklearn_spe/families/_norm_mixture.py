"""Mixtures of two or three normals, for multimodal classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import special

from ..inputs._arrays import Floats
from ._family import HALF_LOG_2PI, Family, GammaPrior, NormalPrior, Parameter, Prior, bracketed_root
from ._real_line import log_add_exp, minus_half_square

# No component has less than 1/150 of the weight, or 1/12 of the width, of its reference: the
# likelihood of a component that shrinks onto a single score is unbounded.
_LARGEST_LOG_ODDS, _LARGEST_LOG_WIDTH = 5.0, 2.5
# Bounds of each kind of shape, and typical values of the first and the second.
_SHAPES = {
    "log_odds": ((-_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS), ((0.5, -1.5), (-1.0,))),
    "separation": ((0.0, np.inf), ((1.0, 4.0), (2.5,))),
    "log_width": ((-_LARGEST_LOG_WIDTH, _LARGEST_LOG_WIDTH), ((-0.4, 0.7), (0.3,))),
}
# Starting values: number of EM steps, minimum width in standard deviations of the class, and
# minimum separation in standard deviations of the components.
_EM_STEPS, _NARROWEST, _SEPARATIONS = 30, 0.1, (0.2, 8.0)


@dataclass(frozen=True, repr=False)
class NormMixture(Family):
    r"""Mixture of two or three normals with the class's mean and standard deviation.

    .. math:: p(s) = \sum_k \frac{w_k}{\sigma \sigma_k}
        \phi\left(\frac{z - \mu_k}{\sigma_k}\right), \quad z = \frac{s - \mu}{\sigma}, \quad
        \sum_k w_k \mu_k = 0, \quad \sum_k w_k (\sigma_k^2 + \mu_k^2) = 1

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the whole density. Use it for a
    multimodal class, such as easy and hard negatives. The shapes are unconstrained:

    * `log_odds`, :math:`\log (w_2 / w_1)`, the weight of the upper component;
    * `separation`, :math:`(\mu_2 - \mu_1) / \bar\sigma > 0`, the distance between the components in
      units of the standard deviation within them, :math:`\bar\sigma^2 = \sum_k w_k \sigma_k^2`. A
      positive separation makes the components identifiable. Two equal components have two modes if
      the separation exceeds 2 (Schilling et al., 2002). With separation 0 and equal widths the
      density is normal;
    * `log_width`, :math:`\log (\sigma_2 / \sigma_1)`.

    With three components there are two shapes of each kind. Log odds and log widths compare the
    lower (`log_odds_1`) and the upper component (`log_odds_2`) with the middle one. The separations
    are those between the lower and the middle, and between the middle and the upper component. Log
    odds lie within 5 and log widths within 2.5 of zero. The support is the real line. scipy has
    only the components, `scipy.stats.norm`.

    It is not among the families of "auto": a bimodal class can absorb a mode of the other class
    unless the labels identify it. If a class is nearly normal, its shapes are weakly identified and
    hard to sample. A fit then takes some seconds if both classes have this family, or with three
    components.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.
    n_components : {2, 3}, default=2
        The number of normals.
    log_odds_prior : Prior, default=NormalPrior(0, 1.5)
        Prior of each log odds. Nine in ten minor components have a weight of 0.08 or more.
    separation_prior : Prior, default=GammaPrior(2, 0.75)
        Prior of each separation. A nearly normal density is likely; a quarter of the prior lies
        above 2.
    log_width_prior : Prior, default=NormalPrior(0, 0.5)
        Prior of each log width. Nine in ten ratios of widths are below 2.3.

    References
    ----------
    M. F. Schilling, A. E. Watkins, W. Watkins, "Is human height bimodal?", The American
    Statistician 56 (2002) 223-229.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import NormMixture
    >>> NormMixture().sf(np.array([-1.0, 0.0, 1.0]), 0.0, 1.0, -1.0, 4.0, 0.0).round(3)
    array([0.877, 0.372, 0.219])
    """

    n_components: int = 2
    log_odds_prior: Prior = field(default=NormalPrior(0.0, 1.5))
    separation_prior: Prior = field(default=GammaPrior(2.0, 0.75))
    log_width_prior: Prior = field(default=NormalPrior(0.0, 0.5))

    name: ClassVar[str] = "norm_mixture"

    def __post_init__(self) -> None:
        super().__post_init__()
        # Reject arrays, which have no single truth value.
        if not np.isscalar(self.n_components) or self.n_components not in (2, 3):
            raise ValueError(
                f"n_components must be 2 or 3, got {self.n_components!r}; one component is "
                "'norm', and more than three are not identifiable from the scores of a class."
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        endings = [""] if self.n_components == 2 else ["_1", "_2"]
        shapes = (
            Parameter(f"{kind}{ending}", "shape", getattr(self, f"{kind}_prior"), *bounds, values)
            for kind, (bounds, typical) in _SHAPES.items()
            for ending, values in zip(endings, typical, strict=False)
        )
        return *super().parameters, *shapes

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats, *shapes: Floats) -> np.ndarray:
        first, *others = self._log_joint(scores, mean, std, _standardized(shapes))
        with np.errstate(under="ignore"):
            for other in others:
                first = log_add_exp(first, other)
        return first

    def gradient(
        self, scores: np.ndarray, mean: Floats, std: Floats, *shapes: Floats
    ) -> tuple[np.ndarray, ...]:
        parts = _standardized(shapes)
        z = (scores - mean) / std
        t = [(z - m) / s for m, s in zip(parts.means, parts.stds, strict=True)]

        with np.errstate(under="ignore"):
            shares = _softmax(np.stack(self._log_joint(scores, mean, std, parts)))
            pull = sum(r * x / s for r, x, s in zip(shares, t, parts.stds, strict=True))

            # Each component contributes a polynomial in its own standardized score.
            by_shape = (
                sum(
                    r * (by_weight - by_width + x * (by_mean / s + by_width * x))
                    for r, x, s, by_weight, by_mean, by_width in zip(
                        shares, t, parts.stds, *slopes, strict=True
                    )
                )
                for slopes in parts.slopes()
            )
            return pull / std, (z * pull - 1.0) / std, *by_shape

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats, *shapes: Floats) -> np.ndarray:
        parts = _standardized(shapes)
        z = (mean - scores) / std
        tails = (
            weight * special.ndtr((z + component_mean) / component_std)
            for weight, component_mean, component_std in zip(
                parts.weights, parts.means, parts.stds, strict=True
            )
        )
        # The weights sum to one up to rounding.
        return np.minimum(sum(tails), 1.0)

    def ppf(self, probability: Floats, mean: Floats, std: Floats, *shapes: Floats) -> np.ndarray:
        return mean + std * _standard_ppf(probability, _standardized(shapes))

    def start(self, scores: np.ndarray, weights: np.ndarray | None) -> tuple[float, ...]:
        mean, std = super().start(scores, weights)
        weights = np.ones(np.shape(scores)) if weights is None else weights
        with np.errstate(under="ignore"):
            parts = _expectation_maximization(
                (scores - mean) / std, weights / np.sum(weights), self.n_components
            )
        return mean, std, *map(float, _shapes_of(*parts))

    @staticmethod
    def _log_joint(
        scores: np.ndarray, mean: Floats, std: Floats, parts: _Parts
    ) -> list[np.ndarray]:
        """Return the log of each component's weighted density."""
        return [
            minus_half_square(
                scores,
                mean + std * component_mean,
                std * component_std,
                np.log(std * component_std) + (HALF_LOG_2PI - np.log(weight)),
            )
            for weight, component_mean, component_std in zip(
                parts.weights, parts.means, parts.stds, strict=True
            )
        ]


@dataclass(frozen=True)
class _Parts:
    """Components of the standardized density, one per row, lowest first.

    Before standardization, `places` are their means in units of the standard deviation within
    components, `within` their shares of the variance within, and `between` is the variance of the
    places.
    """

    weights: np.ndarray
    means: np.ndarray
    stds: np.ndarray
    places: np.ndarray
    within: np.ndarray
    between: np.ndarray

    def slopes(self) -> Iterator[tuple[np.ndarray, ...]]:
        """Yield the derivatives of log weights, means and log widths by each shape."""
        n = len(self.weights)
        others = [j for j in range(n) if j != _reference(n)]

        # Unit vectors: no effect, an effect on one component, or on all above it.
        zeros = np.zeros_like(self.weights)
        unit = np.eye(n).reshape(n, n, *[1] * (zeros.ndim - 1))

        for j in others:
            w = self.weights[j]
            place = self.places[j]
            by_width = zeros - 0.5 * (self.within[j] - w)
            by_between = w * (place * place - self.between)
            yield self._after_scaling(unit[j] - w, zeros - w * place, by_width, by_between)

        for j in range(1, n):
            by_place = unit[j:].sum(axis=0) - self.weights[j:].sum(axis=0)
            by_between = 2.0 * (self.weights * self.places)[j:].sum(axis=0)
            yield self._after_scaling(zeros, by_place, zeros, by_between)

        for j in others:
            yield self._after_scaling(zeros, zeros, unit[j] - self.within[j], 0.0)

    def _after_scaling(
        self,
        by_weight: np.ndarray,
        by_place: np.ndarray,
        by_width: np.ndarray,
        by_between: np.ndarray | float,
    ) -> tuple[np.ndarray, ...]:
        # Places and widths are divided by sqrt(1 + between).
        by_scale = 0.5 * by_between / (1.0 + self.between)
        by_mean = by_place / np.sqrt(1.0 + self.between) - self.means * by_scale
        return by_weight, by_mean, by_width - by_scale


def _reference(n_components: int) -> int:
    """Return the reference component of the weights and widths."""
    return (n_components - 1) // 2


def _standardized(shapes: Sequence[Floats]) -> _Parts:
    """Return the components for given log odds, separations and log widths."""
    log_odds, separations, log_widths = np.split(np.stack(np.broadcast_arrays(*shapes)), 3)
    reference = _reference(len(log_odds) + 1)
    weights = _softmax(_with_reference(log_odds, reference))
    variances = np.exp(2.0 * _with_reference(log_widths, reference))

    # Variances within components, and between their places around the common mean.
    within = weights * variances
    variance_within = np.sum(within, axis=0)
    places = np.cumsum(_with_reference(separations, 0), axis=0)
    places = places - np.sum(weights * places, axis=0)
    between = np.sum(weights * places * places, axis=0)

    return _Parts(
        weights,
        places / np.sqrt(1.0 + between),
        np.sqrt(variances / (variance_within * (1.0 + between))),
        places,
        within / variance_within,
        between,
    )


def _with_reference(shapes: np.ndarray, reference: int) -> np.ndarray:
    """Return shapes of all components, that of the reference, which is zero, among them."""
    # Four times as fast as np.insert, which took a third of a fit.
    zero = np.zeros_like(shapes[:1])
    return np.concatenate([shapes[:reference], zero, shapes[reference:]])


def _softmax(values: np.ndarray) -> np.ndarray:
    """Return shares along the first axis, which has few rows: scipy's checks take longer."""
    shares = np.exp(values - values.max(axis=0))
    shares /= shares.sum(axis=0)
    return shares


def _shapes_of(weights: np.ndarray, means: np.ndarray, stds: np.ndarray) -> tuple[float, ...]:
    """Return the shapes of components in any order and scale."""
    order = np.argsort(means, kind="stable")
    weights = weights[order]
    means = means[order]
    stds = stds[order]
    reference = _reference(len(weights))
    others = np.arange(len(weights)) != reference
    log_odds = np.log(weights / weights[reference])[others]
    log_widths = np.log(stds / stds[reference])[others]
    separations = np.diff(means) / np.sqrt(np.sum(weights * stds * stds))

    # Well inside the bounds, since an optimizer cannot leave a bound it starts at.
    return (
        *np.clip(log_odds, -0.6 * _LARGEST_LOG_ODDS, 0.6 * _LARGEST_LOG_ODDS),
        *np.clip(separations, *_SEPARATIONS),
        *np.clip(log_widths, -0.6 * _LARGEST_LOG_WIDTH, 0.6 * _LARGEST_LOG_WIDTH),
    )


def _expectation_maximization(
    z: np.ndarray, shares: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit components to standardized scores, with weights that sum to one."""
    weights = np.full((n_components, 1), 1.0 / n_components)
    means = np.linspace(-1.0, 1.0, n_components)[:, np.newaxis]
    stds = np.full_like(weights, 0.7)

    for _ in range(_EM_STEPS):
        # The share of each score that each component takes.
        log_joint = np.log(weights / stds) - 0.5 * ((z - means) / stds) ** 2
        joint = _softmax(log_joint) * shares

        weights = np.maximum(joint.sum(axis=1, keepdims=True), 1e-6)
        means = (joint * z).sum(axis=1, keepdims=True) / weights
        variances = (joint * (z - means) ** 2).sum(axis=1, keepdims=True) / weights
        stds = np.sqrt(np.maximum(variances, _NARROWEST**2))

    return weights[:, 0], means[:, 0], stds[:, 0]


def _standard_ppf(probability: Floats, parts: _Parts) -> np.ndarray:
    """Return the quantiles of the standardized density."""
    # The upper half is the lower half of the mirror image.
    mirrored = np.greater(probability, 0.5)
    side = np.where(mirrored, -1.0, 1.0)
    tail = np.where(mirrored, np.subtract(1.0, probability), probability)
    shape = np.broadcast_shapes(np.shape(tail), parts.weights.shape[1:])
    weights, means, stds = (
        # One component per row, and as many axes as the result.
        np.broadcast_to(
            part.reshape(len(part), *[1] * (len(shape) - part.ndim + 1), *part.shape[1:]),
            (len(part), *shape),
        )
        for part in (parts.weights, parts.means, parts.stds)
    )
    side = np.broadcast_to(side, shape)
    tail = np.broadcast_to(tail, shape)

    # The quantile lies between those of the components; it is infinite if they are.
    ends = side * means + stds * special.ndtri(tail)
    low = ends.min(axis=0)
    high = ends.max(axis=0)
    quantile = np.asarray(0.5 * (low + high))
    finite = np.isfinite(quantile)
    weights, means, stds = (part[:, finite] for part in (weights, side * means, stds))
    tail = tail[finite]

    def step(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        t = (x - means) / stds
        with np.errstate(under="ignore"):
            cdf = np.sum(weights * special.ndtr(t), axis=0)
            density = np.sum(weights / stds * np.exp(-0.5 * t * t - HALF_LOG_2PI), axis=0)
        # Use logarithms, which are nearly linear in the tails.
        excess = np.log(cdf / tail)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            return excess, x - excess * cdf / density

    quantile[finite] = bracketed_root(step, quantile[finite], low[finite], high[finite])
    return (side * quantile)[()]
