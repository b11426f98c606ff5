"""Scores of a classifier, larger for the positive class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special
from sklearn.base import is_outlier_detector

from ._numbers import check_choice

__all__ = ["RESPONSE_METHODS", "Response", "known_classes", "lower_edge"]

RESPONSE_METHODS = ("auto", "decision_function", "predict_proba")
# Matrix products depend on the position of a row in their last bits: keep this many of the 53 bits
# of a score, so that equal items have equal scores and thresholds stay valid.
KEPT_BITS = 40
# Tolerance to recognize scores as the log-odds of the probabilities.
AGREEMENT = 1e-6


@dataclass(frozen=True)
class Response:
    """How to obtain the scores of a classifier.

    Attributes
    ----------
    method : {"decision_function", "predict_proba"}
    n_classes : int
    positive : int, default=1
        With two classes, the one with larger scores.
    """

    method: str
    n_classes: int
    positive: int = 1

    @classmethod
    def of(cls, estimator, response_method: str, n_classes: int, positive: int = 1) -> Response:
        """Choose the method of an estimator, fitted or not.

        "auto" uses `decision_function`, else `predict_proba`, as `CalibratedClassifierCV` does:
        margins have no ties at probabilities 0 and 1. With more than two classes the order is
        reversed: columns of probabilities are one-vs-rest scores, those of a decision function need
        not be.

        Raises
        ------
        TypeError
            If the estimator has no such method.
        """
        check_choice(response_method, "response_method", RESPONSE_METHODS)
        wanted: tuple[str, ...] = ("decision_function", "predict_proba")
        if response_method != "auto":
            wanted = (response_method,)
        elif n_classes > 2:
            wanted = wanted[::-1]
        for method in wanted:
            if hasattr(estimator, method):
                return cls(method, n_classes, positive)
        raise TypeError(
            f"{estimator!r} has no {' and no '.join(wanted)}, and so no scores. Pass a "
            "classifier that has one, or response_method='auto'; pass existing scores to "
            "PerformanceCurveEstimator or SemisupervisedScoreMixture."
        )

    @property
    def scored_classes(self) -> list[int]:
        """The classes of the score columns: all, or with two classes the positive one."""
        return [self.positive] if self.n_classes == 2 else list(range(self.n_classes))

    @property
    def threshold(self) -> float:
        """Decision threshold of `predict`, for two classes or an outlier detector."""
        return 0.5 if self.method == "predict_proba" else 0.0

    def scores(self, estimator, X) -> np.ndarray:
        """Return one column of scores for each scored class.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_columns)
        """
        return _rounded(self.raw_scores(estimator, X))

    def raw_scores(self, estimator, X) -> np.ndarray:
        """Return the same scores without rounding."""
        scores = np.asarray(getattr(estimator, self.method)(X), dtype=float)
        if self.n_classes == 2:
            return self._of_two(scores)
        if scores.ndim != 2 or scores.shape[1] != self.n_classes:
            raise ValueError(
                f"{self.method} of {estimator!r} must return one column for each of the "
                f"{self.n_classes} classes, got shape {scores.shape}. For a one-vs-one "
                "classifier use decision_function_shape='ovr' or predict_proba."
            )
        return scores

    def _of_two(self, scores) -> np.ndarray:
        """Return the column of the positive class."""
        if scores.ndim == 2 and scores.shape[1] == 2:
            return scores[:, [self.positive]]
        if scores.ndim > 1 and scores.shape[1] != 1:
            raise ValueError(
                f"{self.method} must return one column of scores for two classes, or one for "
                f"each; got shape {scores.shape}."
            )
        scores = scores.reshape(-1, 1)
        return scores if self.positive else -scores

    def score_kind(self, estimator, X, scores) -> str:
        """Return the kind of the scores: "log_odds", "margin" or "auto".

        Scores equal to the log-odds of the estimator's probabilities are log-odds; scores of a
        classifier without probabilities are margins.
        """
        if self.method == "predict_proba" or is_outlier_detector(estimator):
            return "auto"
        if not hasattr(estimator, "predict_proba"):
            return "margin"
        if self.n_classes > 2:
            return "auto"
        own = replace(self, method="predict_proba").scores(estimator, X)
        return "log_odds" if np.abs(special.expit(scores) - own).max() < AGREEMENT else "auto"


def lower_edge(score: float) -> float:
    """Return the lower end of the scores that are rounded to this one."""
    mantissa, exponent = np.frexp(score)
    return float(np.ldexp(np.ldexp(mantissa, KEPT_BITS) - 0.5, exponent - KEPT_BITS))


def known_classes(estimator) -> np.ndarray | None:
    """Return the classes of a fitted classifier or of an outlier detector, else None."""
    if is_outlier_detector(estimator):
        return np.array([-1, 1])
    return getattr(estimator, "classes_", None)


def _rounded(scores) -> np.ndarray:
    mantissa, exponent = np.frexp(scores)
    return np.ldexp(np.round(np.ldexp(mantissa, KEPT_BITS)), exponent - KEPT_BITS)
