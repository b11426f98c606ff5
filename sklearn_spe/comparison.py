"""Pairs of families side by side: what the data say for each, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from sklearn.utils.parallel import Parallel, delayed

from ._frozen import FrozenArrays
from ._random import spawn
from ._sample import ScoreSample
from ._scale import ScoreScale
from .mixtures import TwoClassMixture
from .posterior import MixturePosterior, fit_mixture

__all__ = ["COMBINE", "Comparison", "compare"]

# Mixtures less probable than this are left out of the average.
LEAST_WEIGHT = 1e-3


def _best(values) -> np.ndarray:
    weights = np.zeros(len(values))
    weights[np.argmax(values)] = 1.0
    return weights


# How the pairs are combined: a rule from log likelihoods and log evidences to weights.
COMBINE = {
    "average": lambda log_likelihood, log_evidence: special.softmax(log_evidence),
    "evidence": lambda log_likelihood, log_evidence: _best(log_evidence),
    "likelihood": lambda log_likelihood, log_evidence: _best(log_likelihood),
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(FrozenArrays):
    """What was found for each pair of families.

    Attributes
    ----------
    negative, positive : tuple of str
        The names of the families.
    log_likelihood : ndarray of shape (n_pairs,)
        The maximum of the log likelihood next to the best mode.
    log_evidence : ndarray of shape (n_pairs,)
        The log of the integral of likelihood times prior.
    ess, pareto_k : ndarray of shape (n_pairs,)
        The quality of the draws of each pair.
    weights : ndarray of shape (n_pairs,)
        What each pair weighs in the posterior, summing to one.
    """

    negative: tuple[str, ...]
    positive: tuple[str, ...]
    log_likelihood: np.ndarray
    log_evidence: np.ndarray
    ess: np.ndarray
    pareto_k: np.ndarray
    weights: np.ndarray

    def to_frame(self):
        """Return a pandas DataFrame, one row a pair, the heaviest first."""
        import pandas as pd

        frame = pd.DataFrame(vars(self))
        return frame.sort_values("weights", ascending=False, ignore_index=True)

    def describe(self) -> str:
        """Return one line of text a pair, the heaviest first."""
        return "\n".join(
            f"{self.negative[k]}-{self.positive[k]}: weight {self.weights[k]:.3f}, log evidence "
            f"{self.log_evidence[k]:.1f}, ess {self.ess[k]:.0f}, k-hat {self.pareto_k[k]:.2f}"
            for k in np.argsort(-self.weights, kind="stable")
        )

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        best = int(np.argmax(self.weights))
        return (
            f"Comparison({len(self)} pairs; best {self.negative[best]}-{self.positive[best]} with "
            f"weight {self.weights[best]:.2f})"
        )


def compare(
    mixtures: list[TwoClassMixture],
    scale: ScoreScale,
    sample: ScoreSample,
    model_sample: ScoreSample,
    *,
    combine: str,
    proposal: str,
    n_draws: int,
    entropy: int,
    n_jobs=None,
) -> tuple[Comparison, MixturePosterior]:
    """Fit every mixture to the same sample and combine them.

    Parameters
    ----------
    mixtures : list of TwoClassMixture
    scale : ScoreScale
    sample, model_sample : ScoreSample
        The sample on the user's and on the model scale.
    combine : str
        A key of `COMBINE`.
    proposal, n_draws, n_jobs
        As in `fit_mixture`; the pairs are fitted in parallel.
    entropy : int
        The seed; each pair has a child of its own.
    """
    fits = Parallel(n_jobs=n_jobs)(
        delayed(fit_mixture)(
            mixture, model_sample, n_draws, spawn(entropy, 0, k), proposal=proposal, n_jobs=n_jobs
        )
        for k, mixture in enumerate(mixtures)
    )
    draws = [fit[0] for fit in fits]
    log_likelihood = np.array([fit[1] for fit in fits])
    log_evidence = np.array([d.log_evidence for d in draws])
    weights = COMBINE[combine](log_likelihood, log_evidence)
    weights = np.where(weights < LEAST_WEIGHT, 0.0, weights)
    weights = weights / weights.sum()
    comparison = Comparison(
        tuple(m.negative.name for m in mixtures),
        tuple(m.positive.name for m in mixtures),
        log_likelihood,
        log_evidence,
        np.array([d.ess for d in draws]),
        np.array([d.pareto_k for d in draws]),
        weights,
    )
    kept = np.flatnonzero(weights)
    posterior = MixturePosterior(
        scale,
        sample,
        tuple(mixtures[k] for k in kept),
        tuple(draws[k] for k in kept),
        weights[kept],
    )
    return comparison, posterior
