"""A classifier of several classes that is right about how sure it may be, and fits of it."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.models._class_model import ClassesModel
from sklearn_spe.posterior._operating_points import Task


@dataclass(frozen=True)
class ClassesProblem:
    """Logits, the labels that their softmax says, and which of them are known."""

    seed: int
    logits: np.ndarray
    labels: np.ndarray
    n_labeled: int = 60

    @classmethod
    def of(cls, seed, n=400, n_classes=4):
        rng = np.random.default_rng(seed)
        logits = 2.0 * rng.standard_normal((n, n_classes))
        return cls(seed, logits, np.zeros(n, dtype=int)).drawn(seed)

    def drawn(self, seed):
        """Return the same logits with other labels."""
        rng = np.random.default_rng([seed, 1])
        u = rng.random((len(self.logits), 1))
        labels = (self.proba.cumsum(axis=1) < u).sum(axis=1)
        return replace(self, labels=np.minimum(labels, self.n_classes - 1))

    @property
    def proba(self):
        return special.softmax(self.logits, axis=1)

    @property
    def n_classes(self):
        return self.logits.shape[1]

    @property
    def predicted(self):
        return self.logits.argmax(axis=1)

    @property
    def partial(self):
        """The labels, -1 behind the first few."""
        return np.where(np.arange(len(self.labels)) < self.n_labeled, self.labels, -1)

    def mixture(self, n_draws=100, **parameters):
        parameters = {"classes": list(range(self.n_classes)), **parameters}
        return SemisupervisedScoreMixture(
            "norm", "norm", n_draws=n_draws, random_state=self.seed, **parameters
        )

    def read(self, X, y):
        return ItemData.read(self.mixture(), X, y)

    def model(self, y=None, X=None, sample_weight=None, **parameters):
        y, X = self.partial if y is None else y, self.logits if X is None else X
        mixture = self.mixture(**parameters)
        return ClassesModel.of(mixture, ItemData.read(mixture, X, y, sample_weight))

    def task(self, target="sample", **parameters):
        return Task(target, self.seed, **parameters)
