"""Pools of scores, as a strategy sees them, with everything that a strategy may need."""

from dataclasses import dataclass

import numpy as np

from sklearn_spe.active import Pool
from sklearn_spe.active._information import ExpectedInformation
from sklearn_spe.active.strategies._strategy import best, ranks_from_top
from sklearn_spe.metrics._decision import Accuracy


def information_of(n_cells, seed, n_draws=40, n_values=1):
    """Return the expected information of a posterior in which neighbouring cells go together."""
    rng = np.random.default_rng(seed)
    curves = np.cumsum(rng.normal(size=(n_draws, n_cells)), axis=1) / 3.0
    p = 1.0 / (1.0 + np.exp(-curves))
    scaled = (p - p.mean(axis=0)) / np.sqrt(n_draws)
    metric = rng.normal(size=(n_values, n_draws))
    return ExpectedInformation(
        scaled,
        (metric - metric.mean(axis=1, keepdims=True)) @ scaled / np.sqrt(n_draws),
        np.sum(scaled**2, axis=0),
        np.mean(p * (1.0 - p), axis=0),
    )


@dataclass(frozen=True)
class ScoredItems:
    """Sixty items of which every third is labelled, and what is believed of them."""

    seed: int
    scores: np.ndarray
    labels: np.ndarray
    probability: np.ndarray

    @classmethod
    def drawn(cls, seed):
        """Draw scores; the labels are of both classes."""
        scores = np.random.default_rng(seed).normal(size=60)
        scores[[0, 3]] = np.abs(scores[[0, 3]]) * [-1.0, 1.0] + [0.0, 0.5]
        labels = np.where(np.arange(60) % 3 == 0, (scores > 0.5).astype(int), -1)
        return cls(seed, scores, labels, 1.0 / (1.0 + np.exp(-2.0 * scores)))

    @property
    def free(self):
        """The items that have no label."""
        return np.flatnonzero(self.labels == -1)

    def pool(self, scores=None, codes=None, probability="own", n_cells=12, **more):
        """Return a pool in which nothing is missing."""
        scores = np.asarray(self.scores if scores is None else scores, dtype=float)
        codes = np.asarray(self.labels if codes is None else codes)
        probability = self.probability if isinstance(probability, str) else probability
        order = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
        known = {
            "before": probability,
            "above": scores >= 0.0,
            "terms": Accuracy().item_terms(),
            "information": information_of(n_cells, self.seed),
            "cells": order * n_cells // len(scores),
            # Of the prevalence: every label moves it as much.
            "change": None if probability is None else 2.0 * probability * (1.0 - probability),
        }
        top = ranks_from_top(scores)
        return Pool(scores, codes, codes < 0, top, probability, **{**known, **more})

    def best(self, strategy, n, **pool):
        """Return the best items of a pool."""
        return best(strategy, self.pool(**pool), n, np.random.default_rng(self.seed))

    def query(self, strategy, X=None, y=None, n_labels=10, **options):
        """Return what a strategy asks for of arrays of scores and labels."""
        X, y = self.scores if X is None else X, self.labels if y is None else y
        options = {"random_state": self.seed, "probability": self.probability, **options}
        return strategy.query(X, y, n_labels, **options)
