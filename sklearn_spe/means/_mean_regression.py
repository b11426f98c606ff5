"""Regressions of labels on features, and their predictions of the unlabeled items."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from .._arrays import FrozenArrays
from ._mean_sample import MeanSample

__all__ = ["MeanRegressions"]

# Prior standard deviations of coefficients, in standard deviations of the residuals; selected by
# their evidence.
SLOPES = (0.3, 1.0, 3.0, 10.0)
BASIS_SIZES = (0.0, 0.5, 2.0)
OFFSETS = (0.0, 0.3, 1.0, 3.0)
SLOPE_INTERACTIONS = (0.0, 1.0)
# Prior scale of the deviation of a category's coefficients from the common ones: the bias of
# proxies may differ between categories.
MIN_OFFSET = 1.0
# Models of smaller weight only cost time.
MIN_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class MeanRegressions(FrozenArrays):
    r"""Ridge regressions with several prior scales, averaged by their evidence.

    The label is :math:`y = \beta_0 + \beta' x + \varepsilon` with a flat prior of :math:`\beta_0`
    and :math:`\log \sigma`, and :math:`\beta_j \sim N(0, s_j^2 \sigma^2)`. No model needs to be
    correct: labeled items are weighted by the number of items they represent, so that the weighted
    mean of the residuals is zero and the mean over all items is a difference estimator.
    """

    weights: np.ndarray  # (n_models, n_parts); posterior probabilities, summing to one
    means: np.ndarray  # (n_models, n_parts); mean over all items, labeled or not
    # (n_labeled, n_parts); influence of each leave-one-out residual on the mean.
    influence: np.ndarray
    shared: np.ndarray  # (n_parts, n_parts); covariance due to the uncertainty of coefficients
    variance: np.ndarray  # (n_parts,); of the residuals
    errors: np.ndarray  # (n_labeled,); leave-one-out residuals

    @classmethod
    def of(cls, sample: MeanSample, prior_weight: float) -> MeanRegressions:
        """Fit all models; `prior_weight` is the prior weight of equal variances, in labels."""
        every_size = _sizes(sample.blocks)
        models = [_Ridge.of(sample, sizes) for sizes in every_size]
        evidence = np.array([model.log_evidence for model in models])
        n_parts = sample.parts.shape[1]
        offsets = np.array([_offset_of(sizes, sample.blocks) for sizes in every_size])
        # The first part is all items, which every model may predict.
        may_speak = (offsets[:, np.newaxis] >= MIN_OFFSET) | (np.arange(n_parts) == 0)
        weights = _probabilities(np.where(may_speak, evidence[:, np.newaxis], -np.inf))
        influence, shared = np.zeros(sample.parts.shape), np.zeros((n_parts, n_parts))
        n_own = sample.parts.sum(axis=0)
        for weight, model in zip(weights, models, strict=True):
            if not weight.any():
                continue
            squares = model.errors[:, np.newaxis] ** 2
            # Few residuals may by chance be small where their weights are large.
            squares = (n_own * squares + prior_weight * model.variance) / (n_own + prior_weight)
            signs = np.where(model.errors < 0.0, -1.0, 1.0)[:, np.newaxis]
            influence += weight * model.share * signs * np.sqrt(squares)
            left = model.open * np.sqrt(weight * model.variance)
            shared += left.T @ left
        means = np.array([model.means for model in models])
        variance = np.array([model.variance for model in models]) @ weights
        errors = weights[:, 0] @ np.array([model.errors for model in models])
        return cls(weights, means, influence, shared, variance, errors)


def _probabilities(evidence) -> np.ndarray:
    """Return the weights of models with this log evidence, (n_models, n_parts)."""
    weights = np.exp(evidence - evidence.max(axis=0))
    weights[weights < MIN_WEIGHT * weights.sum(axis=0)] = 0.0
    return weights / weights.sum(axis=0)


def _offset_of(sizes, blocks) -> float:
    return float(sizes[blocks == "category"].max(initial=0.0))


def _sizes(blocks) -> list[np.ndarray]:
    """Return the prior standard deviations of the features in each model."""
    there = set(blocks.tolist())
    slopes = [{"missingness": 0.0}]
    slopes += [{of: s, "missingness": s} for of in ("raw", "ranks") if of in there for s in SLOPES]
    basis_sizes = BASIS_SIZES if "basis" in there else (0.0,)
    offsets = OFFSETS if "category" in there else (0.0,)
    interactions = SLOPE_INTERACTIONS if "slope_interaction" in there else (0.0,)
    return [
        np.array(
            [
                {
                    **slope,
                    "basis": basis_size,
                    "category": offset,
                    "slope_interaction": interaction,
                }.get(b, 0.0)
                for b in blocks
            ]
        )
        for slope, basis_size, offset, interaction in product(
            slopes, basis_sizes, offsets, interactions
        )
        if not interaction or (len(slope) > 1 and offset)
    ]


@dataclass(frozen=True, eq=False)
class _Ridge:
    """One ridge regression."""

    log_evidence: float  # up to a constant that all models share
    errors: np.ndarray  # (n_labeled,); leave-one-out residuals
    variance: float  # of the residuals
    means: np.ndarray  # (n_parts,)
    # (n_labeled, n_parts); weight of a label in the mean prediction of unlabeled items.
    share: np.ndarray
    # (n_features, n_parts); root of the covariance of coefficients, unit error variance.
    open: np.ndarray

    @classmethod
    def of(cls, sample, sizes) -> _Ridge:
        used = sizes > 0.0
        weights, n = sample.weights, len(sample.labels)
        x = sample.features[:, used] * sizes[used]
        centre, level = weights @ x / n, weights @ sample.labels / n
        x, y = x - centre, sample.labels - level
        weighted = x * weights[:, np.newaxis]
        precision = np.eye(x.shape[1]) + weighted.T @ x
        inverse = np.linalg.inv(precision)
        residuals = y - x @ (inverse @ (weighted.T @ y))
        leverage = weights * (1.0 / n + ((x @ inverse) * x).sum(axis=1))
        # Residuals of an exact fit are rounding errors; those of equal labels are zero.
        floor = np.finfo(float).eps * float(weights @ y**2) + np.finfo(float).tiny
        rest = max(float((weights * y) @ residuals), floor)
        # A single label has no leave-one-out prediction, and needs none.
        apart = 1.0 - leverage
        errors = np.divide(residuals, apart, out=np.zeros(n), where=apart > 0.0)
        per_item = sample.n_unlabeled / sample.n_items
        sums = sample.unlabeled_features[:, used] * sizes[used]
        off = sums - sample.n_unlabeled[:, np.newaxis] * centre
        off = (inverse @ off.T) / sample.n_items
        share = weights[:, np.newaxis] * (per_item / n + x @ off)
        return cls(
            -0.5 * np.linalg.slogdet(precision)[1] - 0.5 * (n - 1.0) * np.log(rest),
            errors,
            float(weights @ errors**2 / n),
            sample.known_means + share.T @ sample.labels,
            share,
            off,
        )
