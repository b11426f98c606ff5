"""Distribution of accuracies around their estimates: sampling of classes and model error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._random_state import spawn
from ..results._distributions import CentredDraws
from ._accuracy_model import AccuracyModel, fewer_classes
from ._seeds import Place

__all__ = ["FAR", "UncertainModel", "counting_variance", "logits"]

# Beyond this multiple of the pilot's classes every method is known to be biased.
FAR = 25.0
# Standard deviation of the model error on the logit scale, for each factor e in the number of
# classes, and in addition for each beyond FAR. Chosen for coverage on the design problems of
# examples/benchmarks/extrapolation.
NEAR_ERROR = 0.03
FAR_ERROR = 0.2
# Error of the mean of a blend, as a share of the differences of its parts.
APART_ERROR = 0.2
N_DRAWS = 1000
# Shares are clipped to this before the logit.
MINIMUM = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class UncertainModel:
    """An accuracy model and those of resampled classes."""

    model: AccuracyModel
    resampled: tuple[AccuracyModel, ...]  # at least two
    n_items: float  # effective number of test items

    def distribution(self, n_classes, entropy: int, system: int = 0) -> CentredDraws:
        """Return the distribution of the accuracy for some numbers of classes.

        On the logit scale it is Student's t around the estimate. The covariance is that of the
        resamples plus the model error, which increases with the logarithm of the number of classes.
        The variance is at least the binomial one of the errors of the pilot: resamples with hardly
        any error vary too little.
        """
        # Accuracies decrease: draws are made monotone on a fixed grid, independent of the request.
        # Between its numbers an upper quantile may increase a little (0.001).
        grid, before = fewer_classes(n_classes)
        counts = np.concatenate([grid, n_classes])
        estimate = self.model.accuracy(counts)
        draws = self._draws(counts, estimate, entropy, system)
        lowest = np.minimum.accumulate(draws[:, : len(grid)], axis=1)
        asked, estimate = draws[:, len(grid) :], estimate[len(grid) :]
        decreasing = np.minimum(asked, lowest[:, before])
        # The estimate decreases too: draws above it stay there.
        draws = np.where(asked >= estimate, np.maximum(decreasing, estimate), decreasing)
        return CentredDraws(draws, np.full(N_DRAWS, 1.0 / N_DRAWS), estimate)

    def __repr__(self) -> str:
        return f"UncertainModel({self.model!r}, {len(self.resampled)} resamples)"

    def _draws(self, n_classes, estimate, entropy, system) -> np.ndarray:
        deviations = self._deviations(n_classes)
        n_resamples = len(deviations)
        classes = spawn(entropy, Place.STEPS_OF_BANDS)
        method = spawn(entropy, Place.BAND_ERRORS, system)
        steps = classes.standard_normal((N_DRAWS, n_resamples)) / np.sqrt(n_resamples - 1.0)
        # The covariance of few resamples is estimated with error.
        steps *= np.sqrt((n_resamples - 1.0) / classes.chisquare(n_resamples - 1, (N_DRAWS, 1)))
        off = steps @ deviations
        counting = counting_variance(self.model.curve[-1], self.n_items)
        missing = np.maximum(counting - deviations.var(axis=0, ddof=1), 0.0)
        beside = np.sqrt(missing + self._model_error(n_classes) ** 2)
        off += method.standard_normal((N_DRAWS, 1)) * beside
        return self._around(estimate, off, n_classes)

    def _around(self, estimate, off, n_classes) -> np.ndarray:
        """Return draws at given deviations from an estimate on the logit scale."""
        coarse = special.expit(logits(estimate, self.n_items, self._fineness(n_classes)) + off)
        with np.errstate(divide="ignore"):
            fine = special.expit(special.logit(estimate) + off)
        # An estimate of 0 or 1, which has no logit, must lie in its own interval.
        draws = np.where(off >= 0.0, np.maximum(coarse, fine), np.minimum(coarse, fine))
        draws[:, n_classes == 1] = 1.0
        return draws

    def _deviations(self, n_classes):
        resampled = np.array([model.accuracy(n_classes) for model in self.resampled])
        on_logits = logits(resampled, self.n_items, self._fineness(n_classes))
        return on_logits - on_logits.mean(axis=0)

    def _fineness(self, n_classes):
        """Return the resolution of an accuracy with fewer classes, as a share of an item."""
        return np.minimum((n_classes - 1.0) / (self.model.n_tried - 1.0), 1.0)

    def _model_error(self, n_classes):
        ratio = np.maximum(n_classes / self.model.n_tried, 1.0)
        # With hardly any errors the trend is unknown too.
        n_errors = (1.0 - self.model.curve[-1]) * self.n_items
        near = max(NEAR_ERROR, 1.0 / (1.0 + n_errors)) * np.log(ratio)
        # Up to the pilot's classes there is no model error.
        apart = np.where(ratio > 1.0, self.model.distribution.disagreement(n_classes), 0.0)
        far = FAR_ERROR * np.log(np.maximum(ratio / FAR, 1.0))
        return np.maximum(near, APART_ERROR * apart) + far


def logits(accuracies, n_items, share=1.0) -> np.ndarray:
    """Return the logits of accuracies, with 0 and 1 moved by half an item."""
    least = np.maximum(0.5 / (n_items + 1.0) * share, MINIMUM)
    return special.logit(np.clip(accuracies, least, 1.0 - least))


def counting_variance(accuracy: float, n_items: float) -> float:
    """Return the variance of the logit of a binomial share, half an item added."""
    errors = (1.0 - accuracy) * n_items
    return 1.0 / (errors + 0.5) + 1.0 / (n_items - errors + 0.5)
