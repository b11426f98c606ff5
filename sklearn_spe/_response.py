"""The scores that a classifier gives to items, larger for the positive class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from sklearn.base import is_outlier_detector

from ._numbers import check_choice

__all__ = ["RESPONSE_METHODS", "Response", "known_classes"]

RESPONSE_METHODS = ("auto", "decision_function", "predict_proba")
# Matrix products differ in their last bits with the place of a row: of the 53 bits of a score as
# many are kept, so that equal items have equal scores and a threshold stands where it was found.
KEPT_BITS = 40
# Probabilities are those of log-odds if they agree so far.
AGREEMENT = 1e-6


@dataclass(frozen=True)
class Response:
    """How the scores of an estimator are had.

    Attributes
    ----------
    method : {"decision_function", "predict_proba"}
    """

    method: str

    @classmethod
    def of(cls, estimator, response_method: str, n_classes: int) -> Response:
        """Choose the method of an estimator, fitted or not.

        "auto" takes `decision_function`, else `predict_proba`, as `CalibratedClassifierCV` does:
        a margin keeps apart what probabilities pile up at 0 and 1. With more than two classes it
        is the other way round: a column of probabilities speaks of one class against the rest,
        and a column of a decision function need not.

        Raises
        ------
        TypeError
            If the estimator has no such method.
        """
        check_choice(response_method, "response_method", RESPONSE_METHODS)
        wanted = ("decision_function", "predict_proba")
        if response_method != "auto":
            wanted = (response_method,)
        elif n_classes > 2:
            wanted = wanted[::-1]
        for method in wanted:
            if hasattr(estimator, method):
                return cls(method)
        raise TypeError(
            f"{estimator!r} has no {' and no '.join(wanted)}, and so no scores. Pass a classifier "
            f"that has one; scores that you already have go into PerformanceCurveEstimator or "
            f"SemisupervisedScoreMixture."
        )

    def scores(self, estimator, X, classes) -> np.ndarray:
        """Return a column of scores for each class; for two classes that of the second alone.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, n_features)
        classes : ndarray of shape (n_classes,)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_columns)
        """
        scores = _rounded(np.asarray(getattr(estimator, self.method)(X), dtype=float))
        if len(classes) == 2:
            return scores[:, -1:] if scores.ndim == 2 and scores.shape[1] <= 2 else scores[:, None]
        if scores.ndim != 2 or scores.shape[1] != len(classes):
            raise ValueError(
                f"{self.method} of {estimator!r} must return one column for each of the "
                f"{len(classes)} classes, got shape {scores.shape}. Of a classifier that compares "
                f"classes in pairs, decision_function_shape='ovr' or predict_proba is needed."
            )
        return scores

    def score_kind(self, estimator, X, scores) -> str:
        """Return what is known of the kind of scores: "log_odds", "margin" or "auto".

        Scores that are the log-odds of the estimator's own probabilities are that; those of a
        classifier that has no probabilities are margins.
        """
        if self.method == "predict_proba" or is_outlier_detector(estimator):
            return "auto"
        if not hasattr(estimator, "predict_proba"):
            return "margin"
        if scores.shape[1] > 1:
            return "auto"
        own = Response("predict_proba").scores(estimator, X, [0, 1])
        return "log_odds" if np.abs(special.expit(scores) - own).max() < AGREEMENT else "auto"


def known_classes(estimator) -> np.ndarray | None:
    """Return the classes of a fitted classifier or of an outlier detector, else None."""
    if is_outlier_detector(estimator):
        return np.array([-1, 1])
    return getattr(estimator, "classes_", None)


def _rounded(scores) -> np.ndarray:
    mantissa, exponent = np.frexp(scores)
    return np.ldexp(np.round(np.ldexp(mantissa, KEPT_BITS)), exponent - KEPT_BITS)
