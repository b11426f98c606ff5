"""Labels judge the experts: Bernoulli likelihood, weights, moves.

Labels enter through p(y | s) alone. Which items were labelled may therefore depend on their
scores and on earlier labels in any way, and no correction is needed. Where it depends on the class
in a way that is known (`Inclusion`), that is a part of the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..inference._pareto import smooth_log_weights
from ..inference._smc import systematic_resample
from ..inference._tempering import power_with_ess
from ..sample._cells import ScoreCells
from ..sample._sample import ScoreSample
from ._banks import CurveBanks
from ._slack import SlackDraws, propose

__all__ = ["ExpertWeights", "JudgedCurves", "judge"]

# How many slacks are drawn for each curve of a bank.
N_COPIES = 2
# Moves of every draw at the end, and between two steps where labels are many.
LAST_MOVES, MOVES_BETWEEN = 12, 4
STEP_SIZES = (0.15, 0.35, 0.8)
REDRAW_LAPSES = 0.3
# A step goes as far as so many draws of the target remain effective.
LEAST_ESS = 60.0
LEAST_STEP = 1e-3
# More labelled scores than these are gathered in the cells of the curves.
MOST_POINTS = 400


@dataclass(frozen=True, eq=False)
class ExpertWeights(FrozenArrays):
    """What the labels say for each expert.

    Attributes
    ----------
    names : tuple of str
    prior, posterior : ndarray of shape (n_experts,)
        Weights before and after the labels, each summing to one.
    log_evidence : ndarray of shape (n_experts,)
        The log probability of the labels given their scores, under each.
    ess : ndarray of shape (n_experts,)
        How many curves of each bank are effective once weighted by the labels.
    doubts : tuple of str
        What is wrong with the scores for which each stands; empty where nothing is.
    """

    names: tuple[str, ...]
    prior: np.ndarray
    posterior: np.ndarray
    log_evidence: np.ndarray
    ess: np.ndarray
    doubts: tuple[str, ...]

    def to_frame(self):
        """Return a pandas DataFrame, one row an expert."""
        import pandas as pd

        return pd.DataFrame(vars(self))


@dataclass(frozen=True, eq=False)
class JudgedCurves(FrozenArrays):
    """Curves drawn from the posterior of all experts.

    Attributes
    ----------
    log_odds : ndarray of shape (n_draws, n_cells)
        Of equal weight, slack included.
    expert : ndarray of shape (n_draws,)
        From which expert's bank each came.
    weights : ExpertWeights
    ess : float
        How many different curves the draws stand for: the inverse of the chance that two of
        them come from the same curve of a bank (their slack differs all the same).
    pareto_k : float
        k-hat of the weights by which curves were chosen.
    """

    log_odds: np.ndarray
    expert: np.ndarray
    weights: ExpertWeights
    ess: float
    pareto_k: float


def judge(
    banks: CurveBanks, sample: ScoreSample, n_draws: int, rng: np.random.Generator
) -> JudgedCurves:
    r"""Draw curves from the posterior that the labels leave of the experts.

    Every curve of every bank gets a slack from its prior, the Bernoulli likelihood of the
    labels weighs them, and experts are averaged by their label evidence
    :math:`p(Y_L \mid S, k)`. Draws are then moved (preconditioned Crank-Nicolson) within
    their slack. If the labels leave too few curves, their likelihood is raised to its full
    power in steps, with moves after each.

    Parameters
    ----------
    banks : CurveBanks
    sample : ScoreSample
        Whose labelled items are used, on the user's scale.
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    judged : JudgedCurves
    """
    likelihood = _Likelihood.of(banks, sample)
    owner = np.concatenate(
        [np.full(N_COPIES * bank.n_curves, k) for k, bank in enumerate(banks.banks)]
    )
    slacks, wave, log_likelihood, offsets = _weigh_banks(banks, likelihood, rng)
    curve = np.concatenate([np.tile(np.arange(b.n_curves), N_COPIES) for b in banks.banks])
    sizes = np.bincount(owner)
    log_weights = (banks.log_prior_weights - np.log(sizes))[owner]
    weights = _expert_weights(banks, owner, log_weights, log_likelihood)
    power = power_with_ess(log_likelihood, min(LEAST_ESS, n_draws / 2.0), base=log_weights)
    tempered = log_weights + power * log_likelihood
    chosen = systematic_resample(special.softmax(tempered), rng, n_draws)
    slack = slacks.take(chosen)
    slack = slack.with_waves(slack.roughness[:, np.newaxis] * banks.pool[wave[chosen]])
    draws = _Draws(likelihood, offsets, owner[chosen], curve[chosen], slack, log_likelihood[chosen])
    while power < 1.0:
        draws = draws.moved(rng, power, MOVES_BETWEEN)
        step = power_with_ess(draws.log_likelihood, n_draws / 2.0, 1.0 - power)
        # However little the draws agree with the labels, the last step comes.
        step = max(step, min(LEAST_STEP, 1.0 - power))
        chosen = systematic_resample(special.softmax(step * draws.log_likelihood), rng, n_draws)
        power, draws = min(1.0, power + step), draws.take(chosen)
    draws = draws.moved(rng, 1.0, LAST_MOVES) if likelihood.says_anything else draws
    return JudgedCurves(
        draws.log_odds(), draws.expert, weights, draws.ess, smooth_log_weights(tempered)[1]
    )


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The Bernoulli likelihood of labelled scores, for curves on cells.

    One row a labelled score and class: between the cells `left` and the next it lies at
    `share`, and `weights` items of that class have it; `sign` is 1 for positives. Where it tells
    of the class that items were not labelled, they have rows too: `floor` is 0 for labels, and
    what such items say is `floor` + (1 - `floor`) times the probability of the class `sign`.
    """

    banks: CurveBanks
    left: np.ndarray
    share: np.ndarray
    sign: np.ndarray
    weights: np.ndarray
    floor: np.ndarray

    @classmethod
    def of(cls, banks: CurveBanks, sample: ScoreSample) -> _Likelihood:
        labeled, cells = sample.labeled(), banks.cells
        places = cells.place(labeled.scores)
        rows = [
            (*_points(cells, places, weights, labeled.n_cells > MOST_POINTS), sign, 0.0)
            for weights, sign in zip(sample.inclusion.weighed(labeled), (-1.0, 1.0), strict=True)
        ]
        sign, floor = sample.inclusion.silence
        if floor < 1.0:
            places = cells.place(sample.scores)
            rows.append((*_points(cells, places, sample.unlabeled, gathered=True), sign, floor))
        left, share, weights = (np.concatenate([row[i] for row in rows]) for i in range(3))
        signs, floors = (
            np.concatenate([np.full(len(row[0]), row[i]) for row in rows]) for i in (3, 4)
        )
        return cls(banks, left, share, signs, weights, floors)

    @property
    def says_anything(self) -> bool:
        return len(self.left) > 0 or not self._flat

    @cached_property
    def _flat(self) -> bool:
        prior = self.banks.prevalence_prior
        return prior.a == 1.0 and prior.b == 1.0

    def at_labels(self, on_cells) -> np.ndarray:
        """Interpolate rows of cells, (n_cells, n), at the labelled scores: (n_labeled, n)."""
        share = self.share[:, np.newaxis]
        following = np.minimum(self.left + 1, len(on_cells) - 1)
        return on_cells[self.left] * (1.0 - share) + on_cells[following] * share

    def log_likelihood(self, log_odds, slack: SlackDraws) -> np.ndarray:
        """Return the log probability of the labels, for log-odds there of shape (n_labeled, n)."""
        # Of the observed class: p for positives, 1 - p for negatives.
        odds = np.multiply(log_odds, -self.sign[:, np.newaxis])
        np.exp(odds, out=odds)
        odds += 1.0
        probability = np.reciprocal(odds, out=odds)
        probability *= 1.0 - slack.bottom - slack.top
        positive = self.sign > 0.0
        probability[positive] += slack.bottom
        probability[~positive] += slack.top
        if self.floor.any():
            probability *= 1.0 - self.floor[:, np.newaxis]
            probability += self.floor[:, np.newaxis]
        np.log(probability, out=probability)
        return np.einsum("ij,i->j", probability, self.weights)

    def log_prevalence_prior(self, log_odds_of, slack: SlackDraws):
        """Return the log prior of the prevalence that curves imply.

        `log_odds_of` makes the log-odds on all cells, (n_cells, n_draws); it is not called where
        nothing is known of the prevalence.
        """
        if self._flat:
            return 0.0
        p = special.expit(log_odds_of())
        p = slack.bottom + (1.0 - slack.bottom - slack.top) * p
        prevalence = np.einsum("ij,i->j", p, self.banks.cells.shares)
        return self.banks.prevalence_prior.logpdf(np.clip(prevalence, 1e-12, 1.0 - 1e-12))


def _points(cells: ScoreCells, places, weights, gathered: bool):
    """Return where scores of some weight lie, as in `_Likelihood`, and what they weigh."""
    left, share = places
    if gathered:
        n = cells.n_cells
        weights = np.bincount(left + (share > 0.5), weights, n)
        left = np.minimum(np.arange(n), max(n - 2, 0))
        share = np.arange(n) - left.astype(float)
    at = np.flatnonzero(weights)
    return left[at], share[at], weights[at]


def _weigh_banks(banks, likelihood, rng):
    """Weigh every curve, with a slack from its prior, by the labels.

    Returns
    -------
    slacks : SlackDraws
        Without the coefficients of the waves.
    waves : ndarray of shape (n,)
        Their places in the pool.
    log_likelihood : ndarray of shape (n,)
    offsets : ndarray of shape (n_experts,)
        What the prior of the prevalence is worth to each expert on average; it moves weight
        among the curves of an expert, not among experts.
    """
    at_labels = likelihood.at_labels(banks.pool_waves)
    slacks, waves, logs, offsets = [], [], [], []
    for bank in banks.banks:
        n = N_COPIES * bank.n_curves
        slack = banks.slack.draw(rng, n, bank.slack, waves=False)
        # The pool is in random order: neighbours of the pool for neighbours of the bank.
        firsts = rng.integers(len(banks.pool), size=(N_COPIES, 1))
        wave = (firsts + np.arange(bank.n_curves)).ravel() % len(banks.pool)

        def with_slack(curves, pool_waves, slack=slack, wave=wave):
            f = np.tile(curves, (1, N_COPIES)) * np.exp(slack.log_stretch)
            return f + slack.shift + slack.roughness * pool_waves[:, wave]

        def on_cells(bank=bank, with_slack=with_slack):
            return with_slack(bank.curves, banks.pool_waves)

        curves = with_slack(likelihood.at_labels(bank.curves), at_labels)
        log_prior = likelihood.log_prevalence_prior(on_cells, slack) + np.zeros(n)
        offsets.append(special.logsumexp(log_prior) - np.log(n))
        logs.append(likelihood.log_likelihood(curves, slack) + log_prior - offsets[-1])
        slacks.append(slack)
        waves.append(wave)
    return (
        SlackDraws.joined(slacks),
        np.concatenate(waves),
        np.concatenate(logs),
        np.array(offsets),
    )


@dataclass(frozen=True, eq=False)
class _Draws:
    """Curves with their slack, and what the labels say for each."""

    likelihood: _Likelihood
    offsets: np.ndarray
    expert: np.ndarray
    curve: np.ndarray
    slack: SlackDraws
    log_likelihood: np.ndarray

    def take(self, indices) -> _Draws:
        parts = self.expert[indices], self.curve[indices], self.slack.take(indices)
        return _Draws(self.likelihood, self.offsets, *parts, self.log_likelihood[indices])

    @cached_property
    def curves(self) -> np.ndarray:
        """The curves without slack, (n_cells, n_draws)."""
        banks = self.likelihood.banks.banks
        curves = np.empty((len(banks[0].curves), len(self.expert)))
        for k, bank in enumerate(banks):
            mine = np.flatnonzero(self.expert == k)
            curves[:, mine] = bank.curves[:, self.curve[mine]]
        return curves

    @property
    def ess(self) -> float:
        """The inverse of the chance that two draws come from one curve."""
        _, times = np.unique(np.stack([self.expert, self.curve]), axis=1, return_counts=True)
        return float(len(self.expert) ** 2 / (times**2).sum())

    def moved(self, rng, power: float, n_moves: int) -> _Draws:
        """Return the draws after some moves within their slack."""
        likelihood, slack, now = self.likelihood, self.slack, self.log_likelihood
        basis = likelihood.banks.slack.basis
        curves = likelihood.at_labels(self.curves)
        basis_at_labels = likelihood.at_labels(basis)
        for _ in range(n_moves):
            proposed = propose(rng, slack, rng.choice(STEP_SIZES, len(now)), REDRAW_LAPSES)
            log = likelihood.log_likelihood(
                _with_slack(curves, proposed, basis_at_labels), proposed
            )
            log += likelihood.log_prevalence_prior(
                lambda s=proposed: _with_slack(self.curves, s, basis), proposed
            )
            log -= self.offsets[self.expert]
            accepted = np.log(rng.random(len(now))) < power * (log - now)
            slack, now = slack.where(accepted, proposed), np.where(accepted, log, now)
        return replace(self, slack=slack, log_likelihood=now)

    def log_odds(self) -> np.ndarray:
        """Return the curves with their slack, (n_draws, n_cells)."""
        slack = self.slack
        inner = _with_slack(self.curves, slack, self.likelihood.banks.slack.basis)
        kept = 1.0 - slack.bottom - slack.top
        # Each side by itself, so that neither end loses its digits.
        log_odds = np.log(slack.bottom + kept * special.expit(inner))
        return (log_odds - np.log(slack.top + kept * special.expit(-inner))).T


def _with_slack(curves, slack: SlackDraws, basis) -> np.ndarray:
    waves = np.einsum("ij,kj->ik", basis, slack.waves)
    return curves * np.exp(slack.log_stretch) + slack.shift + waves


def _expert_weights(banks, owner, log_weights, log_likelihood) -> ExpertWeights:
    k = range(len(banks.banks))
    parts = [log_likelihood[owner == i] for i in k]
    log_evidence = np.array([special.logsumexp(p) - np.log(len(p)) for p in parts])
    weights = [special.softmax(p) for p in parts]
    return ExpertWeights(
        banks.names,
        np.exp(banks.log_prior_weights),
        special.softmax(banks.log_prior_weights + log_evidence),
        log_evidence,
        np.array([1.0 / np.einsum("i,i->", w, w) for w in weights]),
        tuple(bank.doubts for bank in banks.banks),
    )
