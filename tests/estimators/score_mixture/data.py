"""Scores of two normals of which few are labelled, and mixtures that are quick to fit to them."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from tests.quick import EXPERTS

# Experts that are quick to fit, and the mixture of the papers without any.
QUICK = EXPERTS
KINDS = {"experts": QUICK, "bare": None}
BOTH_KINDS = pytest.mark.parametrize("experts", KINDS.values(), ids=KINDS)


@dataclass(frozen=True)
class Problem:
    """Scores, all their labels, and those labels that an estimator is told."""

    seed: int
    scores: np.ndarray
    labels: np.ndarray
    partial: np.ndarray

    @classmethod
    def of(cls, seed, n_items=200, n_labels=30, **values):
        scores, labels = make_scores(n_items, random_state=seed, **values)
        return cls(seed, scores, labels, np.where(np.arange(n_items) < n_labels, labels, -1))

    @property
    def tied(self):
        return np.round(self.scores, 1)

    @property
    def probabilities(self):
        return special.expit(2.0 * self.scores - 2.0)

    def with_labels(self, n_labels):
        """Return labels of which the first so many are told."""
        return np.where(np.arange(len(self.labels)) < n_labels, self.labels, -1)

    def mixture(self, negative="norm", positive="norm", **parameters):
        parameters = {"experts": QUICK, "n_draws": 100, "random_state": self.seed, **parameters}
        return SemisupervisedScoreMixture(negative, positive, **parameters)
