"""One scoring classifier, and what its scores mean: a mixture for each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ._labels import one_against_rest
from ._mixture_parameter import new_mixture
from ._response import Response
from ._tiles import row_tiles
from .performance import PerformanceCurveEstimator
from .score_mixture import SemisupervisedScoreMixture

__all__ = ["CalibratedScores"]


@dataclass(frozen=True, eq=False)
class CalibratedScores:
    """A fitted classifier with the mixtures of its scores.

    Attributes
    ----------
    estimator : fitted classifier
    response : Response
        How its scores are had.
    mixtures : list of SemisupervisedScoreMixture
        One of each scored class against the rest.
    """

    estimator: object
    response: Response
    mixtures: list[SemisupervisedScoreMixture]

    @classmethod
    def learn(cls, estimator, response, data, mixture, seed, n_jobs=None) -> CalibratedScores:
        """Fit the mixtures to the scores of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        response : Response
        data : PartlyLabeled
        mixture : SemisupervisedScoreMixture or None
        seed : int
        n_jobs : int, default=None
            Workers over classes.
        """
        scores = response.scores(estimator, data.X)
        kind = response.score_kind(estimator, data.X, scores)
        # Classes have seeds of their own: their draws are averaged as independent ones.
        mixtures = Parallel(n_jobs=n_jobs)(
            delayed(_fitted)(
                new_mixture(mixture, random_state=seed + i), kind, column, data, positive
            )
            for i, (column, positive) in enumerate(
                zip(scores.T, response.scored_classes, strict=True)
            )
        )
        return cls(estimator, response, mixtures)

    def scores(self, X) -> np.ndarray:
        """Return the scores, of shape (n_samples, n_mixtures)."""
        return self.response.scores(self.estimator, X)

    def probabilities(self, X) -> np.ndarray:
        """Return the recalibrated probabilities, of shape (n_samples, n_classes)."""
        columns = zip(self.mixtures, self.scores(X).T, strict=True)
        return _normalized(np.stack([m.predict_proba(s)[:, 1] for m, s in columns])).T

    def interval(self, X, tail: float) -> np.ndarray:
        """Return the quantiles of the probabilities at `tail` and at its complement.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        tail : float

        Returns
        -------
        ends : ndarray of shape (2, n_samples, n_classes)
        """
        distinct, inverse = np.unique(self.scores(X), axis=0, return_inverse=True)
        ends = np.empty((2, len(distinct), self.response.n_classes))
        for part in row_tiles(len(distinct), self.mixtures[0].posterior_.n_draws):
            columns = zip(self.mixtures, distinct[part].T, strict=True)
            draws = _normalized(np.stack([m.posterior_.probability_draws(s) for m, s in columns]))
            # A draw stands in the middle of its weight, as everywhere else.
            quantiles = np.quantile(draws, [tail, 1.0 - tail], axis=1, method="hazen")
            ends[:, part] = quantiles.swapaxes(1, 2)
        return ends[:, inverse.ravel()]

    def performance(self, class_index: int, **parameters) -> PerformanceCurveEstimator:
        """Return the performance of one class against the rest."""
        mixture = self.mixtures[self.response.scored_classes.index(class_index)]
        return PerformanceCurveEstimator.from_mixture(mixture, **parameters)


def _fitted(mixture, kind, scores, data, positive) -> SemisupervisedScoreMixture:
    if mixture.score_kind == "auto":
        mixture.set_params(score_kind=kind)
    y = one_against_rest(data.codes, positive)
    # Whoever holds several mixtures warns of their verdicts once.
    return mixture._fit_silently(scores, y, data.sample_weight)


def _normalized(positive) -> np.ndarray:
    """Return probabilities of all classes that sum to one, over the first axis."""
    if len(positive) == 1:
        return np.concatenate([1.0 - positive, positive])
    total = positive.sum(axis=0)
    # No class may claim an item at all.
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), 1 / len(positive))
