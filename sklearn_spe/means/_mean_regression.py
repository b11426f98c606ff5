"""Regressions of labels on features, and what each says of the items without a label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from .._arrays import FrozenArrays
from ._mean_sample import MeanSample

__all__ = ["MeanRegressions"]

# By how many standard deviations of the residuals a feature may move the mean label: the prior
# standard deviations of coefficients, which labels choose from.
SLOPES = (0.3, 1.0, 3.0, 10.0)
BENDS = (0.0, 0.5, 2.0)
OFFSETS = (0.0, 0.3, 1.0, 3.0)
TURNS = (0.0, 1.0)
# What is said of one category is believed of others no further than this: proxies may err in each
# in its own way.
LEAST_OFFSET = 1.0
# Models of less weight add nothing but time.
LEAST_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class MeanRegressions(FrozenArrays):
    r"""Regressions with coefficients of several prior sizes, weighed by their evidence.

    The label is :math:`y = \beta_0 + \beta' x + \varepsilon` with a flat prior of :math:`\beta_0`
    and :math:`\log \sigma`, and :math:`\beta_j \sim N(0, s_j^2 \sigma^2)`. No model needs to be
    true: labelled items weigh as many items as they stand for, so that the mean of the residuals
    of those is zero, and the mean over all items is a difference estimator.

    Attributes
    ----------
    weights : ndarray of shape (n_models, n_parts)
        The probability of each for a part of the items, summing to one.
    means : ndarray of shape (n_models, n_parts)
        The mean of each part of the items, labelled or not.
    influence : ndarray of shape (n_labeled, n_parts)
        What the error of each labelled item adds to the error of the mean; of errors as a
        regression finds them without this item.
    shared : ndarray of shape (n_parts, n_parts)
        The covariance of what priors leave open.
    variance : ndarray of shape (n_parts,)
        Of the errors.
    errors : ndarray of shape (n_labeled,)
        Of each label, as regressions without this item predict it.
    """

    weights: np.ndarray
    means: np.ndarray
    influence: np.ndarray
    shared: np.ndarray
    variance: np.ndarray
    errors: np.ndarray

    @classmethod
    def of(cls, sample: MeanSample, doubt: float) -> MeanRegressions:
        """Fit all models.

        Parameters
        ----------
        sample : MeanSample
        doubt : float
            How many labels the assumption is worth that errors are as large everywhere.
        """
        every_size = _sizes(sample.blocks)
        models = [_Ridge.of(sample, sizes) for sizes in every_size]
        evidence = np.array([model.log_evidence for model in models])
        n_parts = sample.parts.shape[1]
        offsets = np.array([_offset_of(sizes, sample.blocks) for sizes in every_size])
        # The first part is all items, of which every model may speak.
        may_speak = (offsets[:, np.newaxis] >= LEAST_OFFSET) | (np.arange(n_parts) == 0)
        weights = _probabilities(np.where(may_speak, evidence[:, np.newaxis], -np.inf))
        influence, shared = np.zeros(sample.parts.shape), np.zeros((n_parts, n_parts))
        n_own = sample.parts.sum(axis=0)
        for weight, model in zip(weights, models, strict=True):
            if not weight.any():
                continue
            squares = model.errors[:, np.newaxis] ** 2
            # Few residuals may by chance be small where they count.
            squares = (n_own * squares + doubt * model.variance) / (n_own + doubt)
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
    weights[weights < LEAST_WEIGHT * weights.sum(axis=0)] = 0.0
    return weights / weights.sum(axis=0)


def _offset_of(sizes, blocks) -> float:
    return float(sizes[blocks == "category"].max(initial=0.0))


def _sizes(blocks) -> list[np.ndarray]:
    """Return the prior standard deviations of the features, of each model."""
    there = set(blocks.tolist())
    slopes = [{"silence": 0.0}]
    slopes += [{of: s, "silence": s} for of in ("raw", "ranks") if of in there for s in SLOPES]
    bends = BENDS if "waves" in there else (0.0,)
    offsets = OFFSETS if "category" in there else (0.0,)
    turns = TURNS if "turns" in there else (0.0,)
    return [
        np.array(
            [
                {**slope, "waves": bend, "category": offset, "turns": turn}.get(b, 0.0)
                for b in blocks
            ]
        )
        for slope, bend, offset, turn in product(slopes, bends, offsets, turns)
        if not turn or (len(slope) > 1 and offset)
    ]


@dataclass(frozen=True, eq=False)
class _Ridge:
    """One regression.

    Attributes
    ----------
    log_evidence : float
        But for a constant that all models share.
    errors : ndarray of shape (n_labeled,)
        Of each label, as a regression without this item predicts it.
    variance : float
        Of the errors.
    means : ndarray of shape (n_parts,)
    share : ndarray of shape (n_labeled, n_parts)
        What a label adds to the predictions of a part's items without a label, in the mean.
    open : ndarray of shape (n_features, n_parts)
        A root of the covariance, in variances of the errors, of what priors leave open.
    """

    log_evidence: float
    errors: np.ndarray
    variance: float
    means: np.ndarray
    share: np.ndarray
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
        # Residuals of a fit through all points are rounding errors; those of equal labels are none.
        floor = np.finfo(float).eps * float(weights @ y**2) + np.finfo(float).tiny
        rest = max(float((weights * y) @ residuals), floor)
        # Of a single label nothing is known without it, and nothing needs to be.
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
