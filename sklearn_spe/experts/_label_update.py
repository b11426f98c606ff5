"""Labels judge the experts: Bernoulli likelihood, weights, moves.

Labels enter through p(y | s) alone. Which items were labelled may therefore depend on their
scores and on earlier labels in any way, and no correction is needed. Where it depends on the class
in a way that is known (`Inclusion`), that is a part of the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..inference._pareto import smooth_log_weights
from ..inference._smc import systematic_resample
from ..inference._tempering import power_with_ess
from ..sample._sample import ScoreSample
from ._banks import CurveBanks
from ._coordinate import Coordinate
from ._curve_draws import Candidates, CoordinateCurves, CurveDraws
from ._first_slacks import FirstSlacks
from ._item_slack import ItemSlack, ItemSlackDraws
from ._label_evidence import Evidence
from ._label_memory import LabelMemory
from ._slack import SlackDraws

__all__ = [
    "ExpertWeights",
    "JudgedCurves",
    "JudgedItems",
    "judge",
    "judge_items",
    "slacks_before",
]

# A step goes as far as so many draws of the target remain effective.
LEAST_ESS = 60.0
LEAST_STEP = 1e-3
# Rows of labels are seen so many numbers at a time.
MOST_NUMBERS = 2**22


@dataclass(frozen=True)
class Pace:
    """How patiently curves are drawn.

    Attributes
    ----------
    n_copies : int
        How many slacks are drawn for each curve of a bank.
    moves_between, last_moves : int
        Moves of every draw between two steps where labels are many, and at the end.
    """

    n_copies: int
    moves_between: int
    last_moves: int


OF_SCORES = Pace(n_copies=2, moves_between=4, last_moves=12)
# With slack of items there is more to be moved; the banks of several coordinates are many.
OF_ITEMS = Pace(n_copies=1, moves_between=5, last_moves=16)


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


@dataclass(frozen=True, eq=False)
class JudgedItems(FrozenArrays):
    """Curves on several coordinates, and slack of items, drawn from the posterior of all.

    Attributes
    ----------
    curves : tuple of CoordinateCurves
        Those of each coordinate, in the order of the draws.
    bottom, top : ndarray of shape (n_draws,)
        The rates of lapses.
    spread : ndarray of shape (n_draws,)
        Of each curve over the items.
    item_slack : ItemSlackDraws
        Of all columns: those that no label touches come from their prior, at the size that labels
        support.
    expert : ndarray of shape (n_draws,)
        From which bank of all coordinates each came.
    weights : ExpertWeights
    ess, pareto_k : float
        As for `JudgedCurves`.
    """

    curves: tuple[CoordinateCurves, ...]
    bottom: np.ndarray
    top: np.ndarray
    spread: np.ndarray
    item_slack: ItemSlackDraws
    expert: np.ndarray
    weights: ExpertWeights
    ess: float
    pareto_k: float


def judge(
    banks: CurveBanks,
    sample: ScoreSample,
    n_draws: int,
    rng: np.random.Generator,
    first: FirstSlacks | None = None,
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
    first : FirstSlacks, default=None
        What `slacks_before` drew with the same generator for these banks, if it was asked before.

    Returns
    -------
    judged : JudgedCurves
    """
    first = FirstSlacks.drawn((banks,), OF_SCORES.n_copies, rng) if first is None else first
    rng.bit_generator.state = first.state
    candidates = Candidates((banks,), banks.log_prior_weights, ItemSlack())
    evidence = Evidence.of_scores(banks.cells, sample)
    names = banks.names
    draws, weights, pareto_k = _judged(candidates, evidence, names, OF_SCORES, n_draws, rng, first)
    return JudgedCurves(draws.log_odds(), draws.expert, weights, draws.ess, pareto_k)


def slacks_before(banks: CurveBanks, rng: np.random.Generator) -> FirstSlacks:
    """Draw the slack with which curves first meet labels: the same for all labels."""
    drawn = FirstSlacks.drawn((banks,), OF_SCORES.n_copies, rng)
    return drawn._replace(memory=LabelMemory())


def judge_items(
    coordinates: tuple[Coordinate, ...],
    item_slack: ItemSlack,
    codes,
    n_draws: int,
    rng: np.random.Generator,
) -> JudgedItems:
    """Draw curves, of which each lives on one of several coordinates, and slack of items.

    As `judge`; every curve also gets slack of items, and labels judge between coordinates, and
    between the sizes of each block, as between experts.

    Parameters
    ----------
    coordinates : tuple of Coordinate
    item_slack : ItemSlack
    codes : ndarray of shape (n_items,)
        1, 0, or -1 where there is no label.
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    judged : JudgedItems
    """
    evidence = Evidence.of_items(coordinates, codes)
    touched, columns = item_slack.touched(evidence.items)
    log_weights = np.concatenate(
        [np.log(c.weight) + c.banks.log_prior_weights for c in coordinates]
    )
    log_weights -= special.logsumexp(log_weights)
    names = tuple(f"{name} of {c.name}" for c in coordinates for name in c.banks.names)
    candidates = Candidates(tuple(c.banks for c in coordinates), log_weights, touched)
    first = FirstSlacks.drawn(candidates.coordinates, OF_ITEMS.n_copies, rng, touched)
    draws, weights, pareto_k = _judged(candidates, evidence, names, OF_ITEMS, n_draws, rng, first)
    return JudgedItems(
        tuple(draws.of_coordinate(k) for k in range(len(coordinates))),
        draws.slack.bottom,
        draws.slack.top,
        draws.spread,
        item_slack.completed(draws.item_slack, columns, rng),
        draws.expert,
        weights,
        draws.ess,
        pareto_k,
    )


def _judged(candidates: Candidates, evidence: Evidence, names, pace: Pace, n_draws, rng, first):
    """Return draws, what the labels say for each expert, and k-hat."""
    banks, n_copies = candidates.banks, pace.n_copies
    sizes = n_copies * np.array([bank.n_curves for bank in banks])
    owner = np.repeat(np.arange(len(banks)), sizes)
    curve = np.concatenate([np.tile(np.arange(bank.n_curves), n_copies) for bank in banks])
    slacks, of_items, wave, log_likelihood, offsets = _weigh_banks(candidates, evidence, first)
    log_weights = (candidates.log_weights - np.log(sizes))[owner]
    weights = _expert_weights(candidates, names, owner, log_likelihood)
    power = power_with_ess(log_likelihood, min(LEAST_ESS, n_draws / 2.0), base=log_weights)
    tempered = log_weights + power * log_likelihood
    chosen = systematic_resample(special.softmax(tempered), rng, n_draws)
    draws = CurveDraws(
        candidates,
        evidence,
        offsets,
        owner[chosen],
        curve[chosen],
        _with_waves(candidates, slacks.take(chosen), owner[chosen], wave[chosen]),
        of_items.take(chosen),
        log_likelihood[chosen],
    )
    while power < 1.0:
        draws = draws.moved(rng, power, pace.moves_between)
        step = power_with_ess(draws.log_likelihood, n_draws / 2.0, 1.0 - power)
        # However little the draws agree with the labels, the last step comes.
        step = max(step, min(LEAST_STEP, 1.0 - power))
        chosen = systematic_resample(special.softmax(step * draws.log_likelihood), rng, n_draws)
        power, draws = min(1.0, power + step), draws.take(chosen)
    if candidates.says_anything(evidence):
        draws = draws.moved(rng, 1.0, pace.last_moves)
    return draws, weights, smooth_log_weights(tempered)[1]


def _with_waves(candidates: Candidates, slack: SlackDraws, owner, wave) -> SlackDraws:
    """Return slack with the coefficients of the waves that were chosen from the pools."""
    n_basis = max(banks.slack.n_basis for banks in candidates.coordinates)
    coefficients = np.zeros((len(owner), n_basis))
    at = candidates.coordinate_of[owner]
    for k, banks in enumerate(candidates.coordinates):
        mine = np.flatnonzero(at == k)
        coefficients[mine, : banks.slack.n_basis] = banks.pool[wave[mine]]
    return slack.with_waves(slack.roughness[:, np.newaxis] * coefficients)


def _weigh_banks(candidates: Candidates, evidence: Evidence, first: FirstSlacks):
    """Weigh every curve, with a slack from its prior, by the labels.

    Returns
    -------
    slacks : SlackDraws
        Without the coefficients of the waves.
    item_slacks : ItemSlackDraws
    waves : ndarray of shape (n,)
        Their places in the pool.
    log_likelihood : ndarray of shape (n,)
    offsets : ndarray of shape (n_experts,)
        What the prior of the prevalence is worth to each expert on average; it moves weight
        among the curves of an expert, not among experts.
    """
    slacks, logs, offsets = first.all, [], []
    ends = np.cumsum([len(own.waves) for own in slacks])
    log_likelihoods = np.split(_first_log_likelihood(candidates, evidence, first), ends[:-1])
    for k, (own, log_likelihood) in enumerate(zip(slacks, log_likelihoods, strict=True)):
        coordinate = candidates.coordinate_of[k]
        log_prior = candidates.log_prevalence_prior(coordinate, own.prevalence)
        log_prior = log_prior + np.zeros(len(log_likelihood))
        offsets.append(special.logsumexp(log_prior) - np.log(len(log_prior)))
        logs.append(log_likelihood + log_prior - offsets[-1])
    return (
        SlackDraws.joined([own.draws for own in slacks]),
        ItemSlackDraws.joined([own.of_items for own in slacks]),
        np.concatenate([own.waves for own in slacks]),
        np.concatenate(logs),
        np.array(offsets),
    )


def _first_log_likelihood(candidates: Candidates, evidence: Evidence, first: FirstSlacks):
    """Return the log likelihood of the curves of all banks with their first slack, (n,)."""
    compute = partial(_first_log_probability, candidates, first)
    log_likelihood = np.zeros(sum(len(own.waves) for own in first.all))
    for rows in _tiles(evidence.n_rows, len(log_likelihood)):
        part = evidence.rows(rows)
        if first.memory is None:
            log_probability = compute(part)
        else:
            log_probability = first.memory.log_probability(part, compute)
        log_likelihood += np.einsum("ij,i->j", log_probability, part.weights)
    return log_likelihood


def _first_log_probability(candidates: Candidates, first: FirstSlacks, evidence: Evidence):
    """Return the log probability of each label under these curves, (n_rows, n)."""
    found = []
    for coordinate, banks in enumerate(candidates.coordinates):
        places = evidence.places[coordinate]
        pool_waves = places.at(banks.pool_waves)
        spreads = banks.spreads if candidates.item_slack.is_scaled else []
        for k, own in enumerate(first.of_coordinates[coordinate]):
            spread = np.tile(spreads[k], own.n_copies) if spreads else np.ones(len(own.waves))
            effects = candidates.item_slack.effects(own.of_items, spread, evidence.items)
            shift, stretch = effects
            log_odds = own.on(places.at(own.bank.curves), pool_waves, stretch)
            log_odds += shift
            found.append(evidence.log_probability(log_odds, own.draws))
    return np.concatenate(found, axis=1)


def _tiles(n_rows: int, n_columns: int):
    """Yield slices of the rows of labels; one if they are few."""
    step = max(1, MOST_NUMBERS // n_columns)
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def _expert_weights(candidates: Candidates, names, owner, log_likelihood) -> ExpertWeights:
    k = range(len(candidates.banks))
    parts = [log_likelihood[owner == i] for i in k]
    log_evidence = np.array([special.logsumexp(p) - np.log(len(p)) for p in parts])
    weights = [special.softmax(p) for p in parts]
    return ExpertWeights(
        names,
        np.exp(candidates.log_weights),
        special.softmax(candidates.log_weights + log_evidence),
        log_evidence,
        np.array([1.0 / np.einsum("i,i->", w, w) for w in weights]),
        tuple(bank.doubts for bank in candidates.banks),
    )
