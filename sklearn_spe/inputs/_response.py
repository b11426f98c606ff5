"""The scores that a classifier gives to items, larger for the positive class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special
from sklearn.base import is_outlier_detector

from ._numbers import check_choice

__all__ = ["RESPONSE_METHODS", "Response", "known_classes", "lower_edge"]

RESPONSE_METHODS = ("auto", "decision_function", "predict_proba")
# Matrix products differ in their last bits with the place of a row: of the 53 bits of a score as
# many are kept, so that equal items have equal scores and a threshold stands where it was found.
KEPT_BITS = 40
# Probabilities are those of log-odds if they agree so far.
AGREEMENT = 1e-6


@dataclass(frozen=True)
class Response:
    """How the scores of a classifier are had.

    Attributes
    ----------
    method : {"decision_function", "predict_proba"}
    n_classes : int
    positive : int, default=1
        Of two classes the one that larger scores speak for.
    """

    method: str
    n_classes: int
    positive: int = 1

    @classmethod
    def of(cls, estimator, response_method: str, n_classes: int, positive: int = 1) -> Response:
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
        wanted: tuple[str, ...] = ("decision_function", "predict_proba")
        if response_method != "auto":
            wanted = (response_method,)
        elif n_classes > 2:
            wanted = wanted[::-1]
        for method in wanted:
            if hasattr(estimator, method):
                return cls(method, n_classes, positive)
        raise TypeError(
            f"{estimator!r} has no {' and no '.join(wanted)}, and so no scores. Pass a classifier "
            f"that has one, or response_method='auto'; scores that you already have go into "
            f"PerformanceCurveEstimator or SemisupervisedScoreMixture."
        )

    @property
    def scored_classes(self) -> list[int]:
        """The classes that columns of scores stand for: all, or of two the positive one."""
        return [self.positive] if self.n_classes == 2 else list(range(self.n_classes))

    @property
    def threshold(self) -> float:
        """Where `predict` of a classifier of two classes, or of an outlier detector, decides."""
        return 0.5 if self.method == "predict_proba" else 0.0

    def scores(self, estimator, X) -> np.ndarray:
        """Return one column of scores for each of the scored classes.

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
        """Return the scores as `scores` does, to the last bit."""
        scores = np.asarray(getattr(estimator, self.method)(X), dtype=float)
        if self.n_classes == 2:
            return self._of_two(scores)
        if scores.ndim != 2 or scores.shape[1] != self.n_classes:
            raise ValueError(
                f"{self.method} of {estimator!r} must return one column for each of the "
                f"{self.n_classes} classes, got shape {scores.shape}. Of a classifier that "
                f"compares classes in pairs, decision_function_shape='ovr' or predict_proba is "
                f"needed."
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
        """Return what is known of the kind of scores: "log_odds", "margin" or "auto".

        Scores that are the log-odds of the estimator's own probabilities are that; those of a
        classifier that has no probabilities are margins.
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
    """Return the end of the scores that are rounded to this one: all others lie above it."""
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
