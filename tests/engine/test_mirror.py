"""Scores and classes exchanged: one question asked the other way round has one answer."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.engine._components import CurveComponents
from sklearn_spe.engine._random_effects import RandomEffects
from sklearn_spe.experts import RankBinormal, RankProcess, ScoreLogOdds
from sklearn_spe.experts._expert import CurveEnsemble
from sklearn_spe.families._family import BetaPrior
from tests.engine.updates import update_scores
from tests.experts.problems import cells_of, sample_of

# Few curves: the law holds of any number. The mixture's families live on a half line, and have no
# mirror image.
EXPERTS = [
    ScoreLogOdds(80),
    RankBinormal(180),
    RankProcess(120),
]
# So few scores that each has a cell of its own.
N, N_LABELS, N_RUNS = 150, 25, 8
KINDS = ("probability", "votes", "margin", "log_odds", "unknown")


def problem(kind, seed):
    """Return scores, their mirror image, labels, and a threshold between scores and its image."""
    rng = np.random.default_rng([seed, 17])
    labels = (rng.random(N) < 0.25).astype(int)
    margin = rng.normal(1.8 * labels - 0.8, 1.0 + 0.4 * labels)
    if kind in ("margin", "log_odds", "unknown"):
        return margin, -margin, labels, 0.25, -0.25
    p = special.expit(margin)
    scores = np.round(10.0 * p) / 10.0 if kind == "votes" else p
    return scores, 1.0 - scores, labels, 0.55, 0.45


def labels_of_some(labels, seed):
    """Return the labels of some items, and the opposite ones."""
    some = np.random.default_rng([seed, 18]).choice(N, N_LABELS, replace=False)
    y, other = np.full(N, -1), np.full(N, -1)
    y[some], other[some] = labels[some], 1 - labels[some]
    return y, other


def assert_equal_in_distribution(ours, theirs, least_error):
    """Assert that runs, (n_runs, n_quantities) each, have one mean.

    Curves and draws of each run are its own: the error is taken from their scatter.
    """
    n = len(ours)
    difference = ours.mean(axis=0) - theirs.mean(axis=0)
    error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / n)
    far = stats.t(2 * n - 2).isf(1e-6 / 2.0 / len(difference))
    assert (np.abs(difference) < far * error).all(), (difference, error)
    # Else it would be no test.
    assert (far * error < least_error).all(), error


@pytest.mark.parametrize("kind", KINDS)
def test_log_odds_of_mirrored_scores_are_those_of_the_scores_negated(kind, global_random_seed):
    scores, mirrored, *_ = problem(kind, global_random_seed)
    one, other = (cells_of(s, kind) for s in (scores, mirrored))
    assert_allclose(other.log_odds, -one.log_odds[::-1], atol=1e-9)
    assert_allclose(other.shares, one.shares[::-1])
    assert_allclose(other.normal_ranks, -one.normal_ranks[::-1], atol=1e-9)


def means(scores, codes, kind, prior, rng):
    """Return the means over curves of p(y = 1) of each cell and of the ROC AUC, and both shares."""
    ensemble = CurveEnsemble.of(cells_of(scores, kind), EXPERTS, rng)
    components = CurveComponents.drawn((ensemble,), (1.0,), ensemble.names, RandomEffects(), rng)
    updated = update_scores(components, sample_of(scores, codes), prior, 400, rng)
    p, shares = special.expit(updated.log_odds), ensemble.cells.shares
    positive, negative = p * shares, (1.0 - p) * shares
    below = np.cumsum(negative, axis=1) - negative / 2.0
    auc = (positive * below).sum(axis=1) / positive.sum(axis=1) / negative.sum(axis=1)
    prevalence = positive.sum(axis=1)
    spread = np.quantile(prevalence, [0.1, 0.9])
    return p.mean(axis=0), np.r_[auc.mean(), prevalence.mean(), spread]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "labeled"), [*((kind, True) for kind in KINDS), ("probability", False)]
)
def test_curves_of_mirrored_scores_are_mirrored(kind, labeled, global_random_seed):
    scores, mirrored, labels, *_ = problem(kind, global_random_seed)
    none = np.full(N, -1)
    y, other = labels_of_some(labels, global_random_seed) if labeled else (none, none)
    prior = BetaPrior(2.0, 5.0), BetaPrior(5.0, 2.0)
    ours, theirs = [], []
    for run in range(N_RUNS):
        rngs = np.random.default_rng([global_random_seed, run]).spawn(2)
        p, numbers = means(scores, y, kind, prior[0], rngs[0])
        image, others = means(mirrored, other, kind, prior[1], rngs[1])
        ours.append(np.r_[p[:: len(p) // 8], numbers])
        auc, prevalence, low, high = others
        flipped = np.r_[auc, 1.0 - prevalence, 1.0 - high, 1.0 - low]
        theirs.append(np.r_[1.0 - image[::-1][:: len(p) // 8], flipped])
    assert_equal_in_distribution(np.array(ours), np.array(theirs), 0.4)


def answers(scores, y, threshold, kind, seed):
    """Return the ROC AUC, kappa, the prevalence, and the ends of its interval."""
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, score_kind=kind, n_draws=300, classes=[0, 1]
    )
    performance = PerformanceCurveEstimator(mixture, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance.fit(scores, y)
        prevalence = performance.estimate("prevalence")
        auc = performance.estimate("roc_auc").mean()
        kappa = performance.estimate("cohen_kappa", threshold=threshold).mean()
    return np.array([auc, kappa, prevalence.mean(), *prevalence.interval()])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["probability"])
def test_estimates_of_mirrored_scores_are_mirrored(kind, global_random_seed):
    scores, mirrored, labels, threshold, image = problem(kind, global_random_seed)
    y, other = labels_of_some(labels, global_random_seed)
    seeds = 1000 * global_random_seed + np.arange(12).reshape(2, 6)
    ours = np.array([answers(scores, y, threshold, kind, seed) for seed in seeds[0]])
    theirs = np.array([answers(mirrored, other, image, kind, seed) for seed in seeds[1]])
    theirs[:, 2:] = 1.0 - theirs[:, [2, 4, 3]]
    assert_equal_in_distribution(ours, theirs, 0.25)
