"""What can be asked of an accuracy that is known for any number of classes."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..bands import CurveBand
from ..exceptions import FarExtrapolationWarning
from ._class_counts import check_class_counts
from ._uncertainty import FAR

__all__ = ["AccuracyQuestions"]


class AccuracyQuestions:
    """Mixin of estimators that have `model_`, `uncertain_model_`, `seed_` and `n_classes_`.

    And `_confidence_level`, the level of bands.
    """

    def predict(self, n_classes):
        """Return the average accuracy with so many classes.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)
            At least 1. Up to the classes of the pilot the answer is what was measured.

        Returns
        -------
        accuracy : float or ndarray of shape (n_counts,)
            In [0, 1], and falling in the number of classes.

        Raises
        ------
        TypeError, ValueError
            If `n_classes` is no number, not whole, or below 1.
        """
        check_is_fitted(self)
        accuracies = self.model_.accuracy(self._asked(n_classes))
        return accuracies if np.ndim(n_classes) else float(accuracies[0])

    def predict_band(self, n_classes):
        """Return the accuracy curve with its band.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)

        Returns
        -------
        band : CurveBand
            Its `x` are the distinct numbers of classes, rising.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``).
        """
        check_is_fitted(self)
        if self.uncertain_model_ is None:
            raise ValueError(
                "A band needs resampled classes: fit with n_bootstrap of at least 2, such as 30."
            )
        counts = np.unique(self._asked(n_classes))
        return CurveBand(
            "accuracy",
            counts,
            self.uncertain_model_.law(counts, self.seed_),
            x_name="number of classes",
            y_name="accuracy",
            confidence_level=self._confidence_level,
            kind="bootstrap",
        )

    def _asked(self, n_classes) -> np.ndarray:
        counts = check_class_counts(n_classes)
        if (counts > FAR * self.n_classes_).any():
            warnings.warn(
                f"{counts.max()} classes are more than {FAR:g} times the {self.n_classes_} that "
                f"were tried: so far every method is biased on some problems. The band is wider "
                f"there; a larger pilot would say more.",
                FarExtrapolationWarning,
                stacklevel=3,
            )
        return counts
