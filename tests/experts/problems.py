"""Cells of known scores, and experts whose curves a test chooses."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import ClassVar

import numpy as np
from scipy import special

from sklearn_spe.data._cells import ScoreCells, learn_score_kind
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.experts import Expert
from sklearn_spe.experts._expert import CurveEnsemble, DiscrepancyScale

# Curves are the truth as they are.
NO_DISCREPANCY = DiscrepancyScale(*[0.0] * len(fields(DiscrepancyScale)))


def sample_of(scores, codes=None, weights=None):
    """Return a sample; nothing is labelled if no codes are given."""
    scores = np.asarray(scores, dtype=float)
    codes = np.full(len(scores), -1) if codes is None else np.asarray(codes)
    weights = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=float)
    return ScoreSample.from_items(scores, codes, weights)


def cells_of(scores, score_kind="auto", weights=None):
    """Return the cells of scores."""
    sample = sample_of(scores, weights=weights)
    return ScoreCells.of(sample, learn_score_kind(sample, score_kind))


@cache
def score_sets(seed):
    """Return scores of every kind, hard ones among them, by name."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=400)
    return {
        "normal": normal,
        "few": np.array([-1.0, 0.5, 2.0]),
        "probabilities": special.expit(2.0 * normal - 1.0),
        "saturated": special.expit(30.0 * normal),
        "hard votes": (normal > 1.0).astype(float),
        "distances": rng.gamma(0.5, 30.0, 400),
        "mostly one score": np.r_[np.zeros(600), 1.0, 3.0, 7.5],
        "heavy tails": rng.standard_cauchy(400) ** 3,
        "huge": 1e150 * normal,
        "rounded": np.round(normal, 1),
    }


SETS = tuple(score_sets(0))


@dataclass(frozen=True, eq=False)
class FixedCurves(Expert):
    """An expert whose prior is a list of curves, functions of the score."""

    name: ClassVar[str] = "fixed_curves"

    functions: tuple = ()
    weight: float | None = field(default=1.0, kw_only=True)
    discrepancy: DiscrepancyScale = field(default=NO_DISCREPANCY, kw_only=True)

    def curves(self, cells, rng):
        chosen = [f(cells.scores) for f in self.functions]
        n = len(chosen)
        return np.array([chosen[i * n // self.n_curves] for i in range(self.n_curves)])


def ensemble_of(cells, experts):
    """Return the curves of experts; those that are listed need no random numbers."""
    return CurveEnsemble.of(cells, experts, np.random.default_rng(0))


def line(intercept, slope=1.0):
    """Return a log-odds that is linear in the score."""
    return lambda scores: intercept + slope * scores
