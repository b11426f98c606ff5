"""Methods shared by estimators of the accuracy for any number of classes."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import FarExtrapolationWarning
from ..inputs._numbers import check_counts
from ..results._bands import CurveBand
from ._accuracy_model import AccuracyModel
from ._rank_curve import check_class_counts
from ._uncertainty import FAR, UncertainModel

__all__ = ["AccuracyQuestions"]


class AccuracyQuestions:
    """Mixin of estimators that have `model_`, `uncertain_model_`, `seed_` and `n_classes_`.

    And `_confidence_level`, the level of bands.
    """

    model_: AccuracyModel
    uncertain_model_: UncertainModel | None
    seed_: int
    n_classes_: int
    _confidence_level: float

    def predict(self, n_classes):
        """Return the average accuracy for a number of classes.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)
            At least 1. Up to the pilot's number of classes the accuracy is the measured one.

        Returns
        -------
        accuracy : float or ndarray of shape (n_counts,)
            In [0, 1], and decreasing in the number of classes.

        Raises
        ------
        TypeError, ValueError
            If `n_classes` is not a number, not whole, or below 1.
        """
        check_is_fitted(self, "model_")
        accuracies = self.model_.accuracy(asked_counts(n_classes, self.n_classes_))
        return accuracies if np.ndim(n_classes) else float(accuracies[0])

    def predict_band(self, n_classes):
        """Return the accuracy curve with its band.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)

        Returns
        -------
        band : CurveBand
            Its `x` are the distinct numbers of classes, increasing.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``).
        """
        check_is_fitted(self, "model_")
        return self._band(np.unique(asked_counts(n_classes, self.n_classes_)))

    def estimate(self, n_classes):
        """Return the accuracy for a number of classes, with its interval.

        Parameters
        ----------
        n_classes : int
            At least 1.

        Returns
        -------
        estimate : ScalarEstimate
            Its `value` is what :meth:`predict` returns.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``), or several numbers are given.
        """
        check_is_fitted(self, "model_")
        # Ragged input has no dimension.
        if not np.isscalar(n_classes) and np.ndim(check_counts(n_classes, "n_classes")):
            raise ValueError(
                f"estimate takes one number of classes, got {n_classes!r}; predict_band takes "
                f"several."
            )
        return self._band(np.atleast_1d(asked_counts(n_classes, self.n_classes_))).at(n_classes)

    @property
    def D_(self):
        r"""The distribution function of the conditional accuracy, :math:`\bar D(u)`."""
        return self.model_.distribution

    @property
    def asymptotic_accuracy_(self) -> float:
        """The limit of the accuracy as the number of classes increases."""
        return self.model_.asymptotic_accuracy

    def _band(self, counts) -> CurveBand:
        if self.uncertain_model_ is None:
            raise ValueError(
                "A band needs resampled classes: fit with n_bootstrap of at least 2, such as 30."
            )
        return CurveBand(
            "accuracy",
            counts,
            self.uncertain_model_.distribution(counts, self.seed_),
            x_name="number of classes",
            y_name="accuracy",
            confidence_level=self._confidence_level,
            kind="bootstrap",
        )


def asked_counts(n_classes, n_tried: int) -> np.ndarray:
    """Return numbers of classes as a vector; warn if they are far beyond the pilot's."""
    counts = check_class_counts(n_classes)
    if (counts > FAR * n_tried).any():
        warnings.warn(
            f"{counts.max()} classes are more than {FAR:g} times the {n_tried} of the pilot: at "
            "this distance every method is biased on some problems. The band is wider there; a "
            "larger pilot would be more informative.",
            FarExtrapolationWarning,
            stacklevel=3,
        )
    return counts
