"""pass^k and pass@k: the share of tasks for which all of k runs pass, or at least one."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..inputs._validation import spawn
from ..results._bootstrapped_mean import BootstrappedMean
from ..results._distributions import WeightedDraws
from ..results._estimates import ScalarEstimate

METRIC = re.compile(r"pass([\^@])([1-9]\d*)")
# Rates of tasks in the model of more runs than were made: a grid with equal masses of Jeffreys'
# prior between its points, and the weight of the prior in tasks.
_N_RATES, _PRIOR_TASKS = 41, 1.0
_N_DRAWS, _N_DISCARDED = 1_000, 100


@dataclass(frozen=True, eq=False)
class RepeatedTasks(FrozenArrays):
    """Passes and runs of each task.

    Attributes
    ----------
    n_passed, n_runs : ndarray of shape (n_tasks,)
    seed : int
    """

    n_passed: np.ndarray
    n_runs: np.ndarray
    seed: int

    @classmethod
    def of(cls, codes: np.ndarray, tasks: np.ndarray, seed: int) -> RepeatedTasks:
        """Count the runs of each task that have a label."""
        is_labeled = codes >= 0
        n_tasks = int(tasks.max(initial=-1)) + 1
        n_runs = np.bincount(tasks[is_labeled], minlength=n_tasks)
        n_passed = np.bincount(tasks[is_labeled], codes[is_labeled] == 1, minlength=n_tasks)
        was_run = n_runs > 0
        return cls(n_passed[was_run].astype(int), n_runs[was_run], seed)

    def estimate(self, metric: str) -> ScalarEstimate:
        r"""Return pass^k or pass@k of further tasks.

        A task with c passes in r runs has the unbiased value :math:`\binom{c}{k} / \binom{r}{k}` of
        pass^k; further tasks are a Bayesian bootstrap of these, with half a task of 0 and half of
        1. If a task has fewer than k runs, the rates of tasks have a Dirichlet process as prior.
        """
        found = METRIC.fullmatch(metric)
        if found is None:
            raise ValueError(
                f"metric must be 'mean', 'pass^k' (all of k runs pass) or 'pass@k' (any of them), "
                f"such as 'pass^3'; got {metric!r}."
            )
        is_any, k = found[1] == "@", int(found[2])
        if k <= self.n_runs.min():
            # Of pass@k the complement: no run passes.
            n_counted = self.n_runs - self.n_passed if is_any else self.n_passed
            shares = special.binom(n_counted, k) / special.binom(self.n_runs, k)
            values = 1.0 - shares if is_any else shares
            return ScalarEstimate(metric, BootstrappedMean.of(values, [0.0, 1.0], 0.5))
        draws = self._draws_by_model(k, is_any)
        distribution = WeightedDraws(draws[:, np.newaxis], np.full(len(draws), 1.0 / len(draws)))
        n_fewer, n_tasks = int((self.n_runs < k).sum()), len(self.n_runs)
        fewer = f"{n_fewer:,} of {n_tasks:,} tasks have fewer runs"
        return ScalarEstimate(f"{metric}, by a model as {fewer}", distribution)

    def _draws_by_model(self, k: int, is_any: bool) -> np.ndarray:
        """Return draws of the share of further tasks, from a blocked Gibbs sampler."""
        rates = np.sin(np.linspace(0.0, np.pi / 2.0, _N_RATES)) ** 2
        prior = np.ones(_N_RATES)
        prior[[0, -1]] = 0.5
        prior *= _PRIOR_TASKS / prior.sum()
        kinds, n_tasks = np.unique(
            np.column_stack([self.n_passed, self.n_runs]), axis=0, return_counts=True
        )
        n_passed, n_failed = kinds[:, :1], kinds[:, 1:] - kinds[:, :1]
        likelihood = rates**n_passed * (1.0 - rates) ** n_failed
        share = 1.0 - (1.0 - rates) ** k if is_any else rates**k

        rng = spawn(self.seed)
        weights = np.full(_N_RATES, 1.0 / _N_RATES)
        draws = np.empty(_N_DISCARDED + _N_DRAWS)
        for draw in range(len(draws)):
            posterior = likelihood * weights
            posterior /= posterior.sum(axis=1, keepdims=True)
            tasks_at = rng.multinomial(n_tasks, posterior).sum(axis=0)
            weights = np.maximum(rng.standard_gamma(prior + tasks_at), 1e-300)
            weights /= weights.sum()
            draws[draw] = weights @ share
        return draws[_N_DISCARDED:]
