"""Three systems that score the same items, their categories and groups, few of them labelled."""

from dataclasses import dataclass

import numpy as np

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.quick import EXPERTS

N = 200


def mixture(**parameters):
    """Return a mixture of two quick experts and one family."""
    return SemisupervisedScoreMixture(
        "norm", "norm", **{"experts": EXPERTS, "n_draws": 60, **parameters}
    )


@dataclass(frozen=True)
class Systems:
    """Items with the scores of three systems, the last of which guesses."""

    seed: int
    scores: np.ndarray
    labels: np.ndarray
    category: np.ndarray
    groups: np.ndarray

    @classmethod
    def of(cls, seed):
        rng = np.random.default_rng(seed)
        labels = (rng.random(N) < 0.4).astype(int)
        good = 2.0 * labels + rng.normal(size=N)
        scores = np.column_stack([good, good + 0.7 * rng.normal(size=N), rng.normal(size=N)])
        return cls(seed, scores, labels, rng.permutation(np.arange(N) % 3), np.arange(N) // 8)

    @property
    def countries(self):
        return np.array(["ES", "FR", "IT"])[self.category]

    def first(self, n):
        """Return the labels of which the first n are known."""
        return np.where(np.arange(N) < n, self.labels, -1)

    def estimator(self, **parameters):
        """Return an estimator that is quick to fit."""
        own = {"mixture": mixture(), "n_points": 15, "random_state": self.seed}
        return PerformanceCurveEstimator(**{**own, **parameters})
