"""Numbers of items on which curves live: what several systems have in common."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.experts._registry import as_experts
from sklearn_spe.models._item_table import ItemTable
from sklearn_spe.models._score_axes import Standardized, Systems, kinds_of_columns, score_axes_of

N = 4000


def systems_of(X, score_kind="auto"):
    named, y = dict(enumerate(X.T)), np.r_[0, 1, np.full(len(X) - 2, -1)]
    table = ItemTable.of(ItemData.read(SemisupervisedScoreMixture(), named, y))
    return Systems.of(table, kinds_of_columns(table, score_kind))


@pytest.mark.parametrize("n_systems", [2, 7])
def test_copies_are_no_steeper_together_and_strangers_as_many_times(n_systems, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    copies = np.tile(rng.normal(size=(N, 1)), n_systems)
    assert_allclose(systems_of(copies).gain, 1.0)
    strangers = rng.normal(size=(N, n_systems))
    # The mean correlation of K strangers scatters by sqrt(2 / (K (K - 1) N)) around zero.
    rho = 5.0 * np.sqrt(2.0 / (n_systems * (n_systems - 1) * N))
    least = 1.0 / (rho + (1.0 - rho) / n_systems)
    assert least <= systems_of(strangers).gain <= n_systems


def test_the_consensus_is_as_steep_as_log_odds_of_independent_evidence(global_random_seed):
    # Each system has its own normal evidence: their log-odds add up.
    rng = np.random.default_rng(global_random_seed)
    labels = rng.random(N) < 0.5
    evidence = rng.normal(size=(N, 3)) + 0.7 * labels[:, np.newaxis]
    log_odds = 0.7 * evidence - 0.7**2 / 2.0
    found = systems_of(log_odds, "log_odds").consensus()
    slope = stats.linregress(log_odds.sum(axis=1), found.values).slope
    # Evidence of one label is correlated by it: a little less than the sum.
    assert 0.6 < slope < 1.1
    assert stats.spearmanr(log_odds.sum(axis=1), found.values).statistic > 0.99


def consensus_of(log_odds):
    """Return the values of the consensus of systems that state these log-odds as probabilities."""
    return systems_of(special.expit(log_odds), "probability").consensus().values


def test_systems_that_state_the_same_are_taken_at_their_word(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds = rng.normal(-1.0, 1.2, (N, 1))
    # All but equal: a copy would be left out.
    values = consensus_of(log_odds + 1e-3 * rng.normal(size=(N, 3)))
    assert_allclose(values, log_odds[:, 0], atol=0.15)


def test_the_consensus_states_the_mean_probability_of_all_systems(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds = rng.normal(-3.0, 2.0, (N, 1)) + rng.normal(size=(N, 4))
    mean = special.expit(log_odds).mean()
    assert_allclose(special.expit(consensus_of(log_odds)).mean(), mean, rtol=1e-6)
    assert_allclose(consensus_of(-log_odds), -consensus_of(log_odds), atol=1e-6)


def test_systems_that_are_too_sure_are_believed_less_where_they_disagree(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = rng.normal(size=(N, 1))
    noise = 0.7 * rng.normal(size=(N, 4))
    modest, sure = consensus_of(truth + noise), consensus_of(3.0 * (truth + noise))
    # Of normal noise c s a logistic mean is flatter by the root of 1 + 0.346 (c s)^2.
    flatter = np.sqrt((1.0 + 0.346 * 0.7**2) / (1.0 + 0.346 * (3.0 * 0.7) ** 2))
    assert_allclose(np.std(sure) / np.std(modest), 3.0 * flatter, rtol=0.1)


def test_verdicts_and_margins_state_no_probability(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    log_odds = rng.normal(-1.0, 2.0, (N, 1)) + rng.normal(size=(N, 3))
    verdicts = (log_odds > 0.0).astype(float)
    n_positive = verdicts.sum(axis=1)
    values = systems_of(verdicts).consensus().values
    # Equal votes have nearly equal numbers, as systems weigh alike.
    means = np.array([values[n_positive == n].mean() for n in range(4)])
    assert (np.diff(means) > 0.0).all()
    # A verdict moves the ranks, and not the mean of what the others state.
    beside = np.column_stack([special.expit(log_odds[:, :2]), verdicts[:, 2]])
    stated = special.expit(systems_of(beside).consensus().values).mean()
    assert_allclose(stated, special.expit(log_odds[:, :2]).mean(), rtol=1e-6)


def test_the_consensus_of_copies_ranks_items_as_they_do(global_random_seed):
    scores = np.random.default_rng(global_random_seed).standard_cauchy(N)
    values = systems_of(np.column_stack([scores, 3.0 * scores + 1.0])).consensus().values
    assert (np.diff(values[np.argsort(scores)]) >= 0.0).all()
    # What lies far out is drawn in.
    assert np.ptp(values) < np.ptp(scores) / 10.0


def test_ranks_are_normal_and_ties_share_the_middle_one():
    ranks = systems_of(np.array([[1.0, 5.0], [2.0, 5.0], [2.0, 0.0], [7.0, 9.0]])).normal_ranks
    assert_allclose(ranks[:, 0], stats.norm.ppf([1 / 8, 1 / 2, 1 / 2, 7 / 8]))
    assert_allclose(ranks[:, 1], stats.norm.ppf([1 / 2, 1 / 2, 1 / 8, 7 / 8]))


def test_what_was_counted_is_standardised_as_all_of_its_items(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for n_values in (2, 3, 5, 40):
        values, counts = rng.normal(size=n_values), rng.integers(1, 5, n_values)
        items = np.repeat(values, counts)
        found, expected = Standardized.of(values, counts), Standardized.of(items)
        assert_allclose([found.median, found.spread], [expected.median, expected.spread])
        assert_allclose(np.repeat(found.values, counts), expected.values, atol=1e-12)


def weights_of(X, category=None):
    """Return what each expert weighs on each score axis, relative to all of its axis."""
    y = np.r_[0, 1, np.full(len(X) - 2, -1)]
    table = ItemTable.of(ItemData.read(SemisupervisedScoreMixture(), X, y, category=category))
    experts = [expert for expert in as_experts("auto") if not expert.needs_fit]
    systems = Systems.of(table, kinds_of_columns(table, "log_odds"))
    axes = score_axes_of(table, systems, experts, None, np.random.default_rng(0))
    return [
        dict(zip(axis.ensemble.names, np.exp(axis.ensemble.log_prior_weights), strict=True))
        for axis in axes
    ]


@pytest.mark.slow
def test_of_several_systems_the_consensus_is_doubted_less():
    rng = np.random.default_rng(0)
    alone, _ = weights_of(rng.normal(size=300), np.arange(300) % 2)
    assert "rank_process" in alone
    consensus, *own = weights_of(rng.normal(size=(300, 4)))
    assert not any("rank_process" in weights for weights in own)
    ratio = [weights["rank_process"] / weights["rank_binormal"] for weights in (alone, consensus)]
    assert_allclose(ratio[0] / ratio[1], 4.0)


def test_a_column_that_says_one_thing_has_no_part_and_gaps_lie_in_the_middle(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(300, 2))
    alone, beside = systems_of(X), systems_of(np.column_stack([X, np.full(300, 7.0)]))
    for name in ("scores", "log_odds", "spoke", "kinds"):
        assert np.array_equal(getattr(alone, name), getattr(beside, name))
    assert beside.gain == alone.gain
    X[::2, 1] = X[0] = np.nan
    gaps = systems_of(X)
    assert_allclose(gaps.scores[::2, 1], np.nanmedian(X[:, 1]))
    # An item that no system scored lies in the middle of all, and tells nothing of the scale.
    without = systems_of(X[1:]).consensus().values
    assert_allclose(gaps.consensus().values[1:], without, atol=0.02)
    # Six standard errors of the median of normal values.
    error = np.std(without) * np.sqrt(np.pi / 2.0 / len(without))
    assert abs(gaps.consensus().values[0] - np.median(without)) < 6.0 * error
    assert_allclose(gaps.normal_ranks[0], 0.0)
