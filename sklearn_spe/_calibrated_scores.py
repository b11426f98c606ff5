"""One scoring classifier, and what its scores mean: a mixture for each class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from ._labels import one_against_rest
from ._laws import picked
from ._mixture_parameter import new_mixture
from ._response import Response
from .exceptions import MisfitWarning, SamplingWarning, UnidentifiedWarning
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
    classes : ndarray of shape (n_classes,)
    mixtures : list of SemisupervisedScoreMixture
        One of each class against the rest; for two classes that of the second alone.
    """

    estimator: object
    response: Response
    classes: np.ndarray
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
        scores = response.scores(estimator, data.X, data.classes)
        own = new_mixture(mixture, random_state=seed)
        if own.score_kind == "auto":
            own.set_params(score_kind=response.score_kind(estimator, data.X, scores))
        first = len(data.classes) - scores.shape[1]
        mixtures = Parallel(n_jobs=n_jobs)(
            delayed(_fitted)(
                clone(own), column, one_against_rest(data.codes, first + c), data.sample_weight
            )
            for c, column in enumerate(scores.T)
        )
        return cls(estimator, response, data.classes, mixtures)

    def scores(self, X) -> np.ndarray:
        """Return the scores, of shape (n_samples, n_mixtures)."""
        return self.response.scores(self.estimator, X, self.classes)

    def probabilities(self, X) -> np.ndarray:
        """Return the recalibrated probabilities, of shape (n_samples, n_classes)."""
        columns = zip(self.mixtures, self.scores(X).T, strict=True)
        return _normalized(np.stack([m.predict_proba(s)[:, 1] for m, s in columns])).T

    def draws(self, scores) -> np.ndarray:
        """Return equally weighted draws of the probabilities of some items.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_mixtures)

        Returns
        -------
        probabilities : ndarray of shape (n_draws, n_classes, n_samples)
        """
        n_draws = max(m.posterior_.n_draws for m in self.mixtures)
        columns = []
        for mixture, column in zip(self.mixtures, scores.T, strict=True):
            posterior = mixture.posterior_
            turned = mixture.orientation_.turn(column)
            draws = [posterior.positive_probability(turned, b) for b in posterior.blocks()]
            columns.append(np.concatenate(draws)[picked(posterior.weights, n_draws)])
        return _normalized(np.stack(columns)).swapaxes(0, 1)

    def performance(self, class_index: int, **parameters) -> PerformanceCurveEstimator:
        """Return the performance of one class against the rest."""
        # Of two classes the mixture is that of the second one.
        mixture = self.mixtures[class_index if len(self.classes) > 2 else 0]
        return PerformanceCurveEstimator.from_mixture(mixture, **parameters)


def _fitted(mixture, scores, y, sample_weight) -> SemisupervisedScoreMixture:
    with warnings.catch_warnings():
        # Whoever holds several mixtures repeats their verdicts in one.
        for category in (MisfitWarning, SamplingWarning, UnidentifiedWarning):
            warnings.simplefilter("ignore", category)
        return mixture.fit(scores, y, sample_weight)


def _normalized(positive) -> np.ndarray:
    """Return probabilities of all classes that sum to one, over the first axis."""
    if len(positive) == 1:
        return np.concatenate([1.0 - positive, positive])
    total = positive.sum(axis=0)
    # No class may claim an item at all.
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), 1 / len(positive))
