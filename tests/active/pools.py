"""Pools of scores, as a strategy sees them, with everything that a strategy may need."""

import numpy as np

from sklearn_spe.active._outlook import Outlook
from sklearn_spe.active.strategies import Pool, ranks_from_top
from sklearn_spe.metrics import Accuracy

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=60)
# A third of the items have a label.
LABELS = np.where(np.arange(60) % 3 == 0, (SCORES > 0.5).astype(int), -1)
FREE = np.flatnonzero(LABELS == -1)
PROBABILITY = 1.0 / (1.0 + np.exp(-2.0 * SCORES))


def outlook_of(n_cells, n_draws=40, n_values=1, seed=1):
    """Return an outlook of some posterior, in which neighbouring cells go together."""
    rng = np.random.default_rng(seed)
    curves = np.cumsum(rng.normal(size=(n_draws, n_cells)), axis=1) / 3.0
    p = 1.0 / (1.0 + np.exp(-curves))
    scaled = (p - p.mean(axis=0)) / np.sqrt(n_draws)
    metric = rng.normal(size=(n_values, n_draws))
    return Outlook(
        scaled,
        (metric - metric.mean(axis=1, keepdims=True)) @ scaled / np.sqrt(n_draws),
        np.sum(scaled**2, axis=0),
        np.mean(p * (1.0 - p), axis=0),
    )


def pool_of(scores=SCORES, codes=LABELS, probability=PROBABILITY, n_cells=12, **more):
    """Return a pool in which nothing is missing."""
    scores, codes = np.asarray(scores, dtype=float), np.asarray(codes)
    order = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    known = {
        "before": probability,
        "above": scores >= 0.0,
        "terms": Accuracy().item_terms(),
        "outlook": outlook_of(n_cells),
        "cells": order * n_cells // len(scores),
        # Of the prevalence: every label moves it as much.
        "change": None if probability is None else 2.0 * probability * (1.0 - probability),
    }
    return Pool(scores, codes, codes < 0, ranks_from_top(scores), probability, **{**known, **more})
