"""A classifier with one score mixture for each class."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from .._arrays import row_tiles
from ..inputs._labels import one_against_rest, partial_labels
from ..inputs._response import Response
from ..items._structured_model import StructuredModel
from ..performance._one_pool import OnePool
from ..performance._performance import PerformanceCurveEstimator
from ..performance._structured_items import StructuredItems
from ..score_mixture._mixture_parameter import new_mixture
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ..score_mixture._score_model import ScoreModel
from ._scored_classes import ScoredClasses

__all__ = ["CalibratedScores"]


@dataclass(frozen=True, eq=False)
class CalibratedScores:
    """A fitted classifier with the mixtures of its scores.

    Attributes
    ----------
    estimator : fitted classifier
    response : Response
        Method of its scores.
    mixtures : list of SemisupervisedScoreMixture
        One for each scored class against the rest.
    of_classes : ScoredClasses or None
        Joint model of all columns, if there are more than two classes.
    """

    estimator: object
    response: Response
    mixtures: list[SemisupervisedScoreMixture]
    of_classes: ScoredClasses | None = None

    @classmethod
    def learn(
        cls, estimator, response, data, mixture, seed, n_jobs=None, *, inclusion_proba=None
    ) -> CalibratedScores:
        """Fit the mixtures to the scores of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        response : Response
        data : PartlyLabeled
        mixture : SemisupervisedScoreMixture or None
        seed : int
        n_jobs : int, default=None
            Number of workers over classes.
        inclusion_proba : dict or array-like, default=None
            Inclusion probabilities with two classes, as in `PerformanceCurveEstimator.fit`.
        """
        scores = response.scores(estimator, data.X)
        kind = response.score_kind(estimator, data.X, scores)
        # Separate seeds for the classes, whose draws are averaged as independent.
        mixtures = [
            new_mixture(mixture, random_state=seed + i) for i in range(len(response.scored_classes))
        ]
        if response.n_classes == 2:
            names = {"classes": data.classes, "pos_label": data.classes[response.positive].item()}
            mixtures[0].set_params(**names, unlabeled_label=data.marker)
            labels = [partial_labels(data.codes, data.classes)]
        else:
            labels = [one_against_rest(data.codes, c) for c in response.scored_classes]
        mixtures = Parallel(n_jobs=n_jobs)(
            delayed(_fitted)(own, kind, column, y, data.sample_weight, inclusion_proba)
            for own, column, y in zip(mixtures, scores.T, labels, strict=True)
        )
        several = None
        if response.n_classes > 2:
            several = ScoredClasses.of(scores, data, seed, mixtures[0].n_draws)
        return cls(estimator, response, mixtures, several)

    def scores(self, X) -> np.ndarray:
        """Return the scores, of shape (n_samples, n_mixtures)."""
        return self.response.scores(self.estimator, X)

    def probabilities(self, X) -> np.ndarray:
        """Return the recalibrated probabilities, of shape (n_samples, n_classes)."""
        columns = zip(self.mixtures, self.scores(X).T, strict=True)
        said = [m.predict_proba(s)[:, m.labels_.positive] for m, s in columns]
        return self._of_classes(np.stack(said)).T

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
            said = [m.posterior_.probability_draws(s) for m, s in columns]
            draws = self._of_classes(np.stack(said))
            # Each draw is at the midpoint of its weight, as elsewhere.
            quantiles = np.quantile(draws, [tail, 1.0 - tail], axis=1, method="hazen")
            ends[:, part] = quantiles.swapaxes(1, 2)
        return ends[:, inverse.ravel()]

    def performance(self, class_index: int, **parameters) -> PerformanceCurveEstimator:
        """Return the performance of one class against the rest."""
        if self.response.n_classes > 2:
            return PerformanceCurveEstimator.from_mixture(self.mixtures[class_index], **parameters)
        (mixture,) = self.mixtures
        pos_label = mixture.classes_[class_index].item()
        subject = OnePool(copy(mixture), pos_label, self.response.threshold)
        parameters["pos_label"] = pos_label
        return PerformanceCurveEstimator(mixture, **parameters).showing(subject)

    def performance_of_groups(self, data, **parameters) -> PerformanceCurveEstimator:
        """Return the performance for two classes with groups of dependent items.

        For the positive class. `data` are those of `learn`, with their groups.
        """
        mixture, (scores,) = clone(self.mixtures[0]), self.scores(data.X).T
        labels = partial_labels(data.codes, data.classes)
        model = StructuredModel.of(mixture, scores, labels, data.sample_weight, groups=data.groups)
        subject = StructuredItems(mixture, model)
        return PerformanceCurveEstimator(mixture, **parameters).showing(subject)

    def _of_classes(self, said) -> np.ndarray:
        """Return normalized probabilities of all classes, over the first axis."""
        if self.response.n_classes == 2:
            both = np.concatenate([1.0 - said, said])
            return both if self.response.positive else both[::-1]
        total = said.sum(axis=0)
        # All probabilities of an item may be zero.
        return np.where(total > 0.0, said / np.where(total > 0.0, total, 1.0), 1 / len(said))


def _fitted(mixture, kind, scores, y, sample_weight, proba) -> SemisupervisedScoreMixture:
    if mixture.score_kind == "auto":
        mixture.set_params(score_kind=kind)
    # The containing estimator issues one warning for all mixtures.
    mixture.model_ = ScoreModel.of(mixture, scores, y, sample_weight, proba)
    return mixture
