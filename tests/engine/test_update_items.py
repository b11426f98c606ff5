"""Labels judge coordinates and blocks of slack: by enumeration, by quadrature, as `judge` does."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.experts import CurveBanks
from sklearn_spe.experts._coordinate import Coordinate
from sklearn_spe.experts._item_slack import Columns, ItemSlack, Members
from sklearn_spe.experts._label_update import judge, judge_items
from sklearn_spe.items._clusters import Clusters
from sklearn_spe.items._item_posterior import ItemPosterior
from tests.experts.problems import FixedCurves, SlackCurves, cells_of, line, sample_of

# Of nine items one in two groups each; the last item is of a third group that has no label.
SCORES = np.array([-1.5, -1.0, -0.2, 0.3, 0.4, 0.9, 1.4, 2.0, 0.1])
CODES = np.array([0, 0, 1, 0, 1, 0, 1, 1, -1])
GROUPS = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
SIZES, CHANCES = (0.4, 1.5), (0.3, 0.7)
TRUTH = line(-0.5, 1.3)
N_DRAWS, N_RUNS = 500, 8
# Beyond this one of some twenty t values lies once in a million.
FAR = stats.t(N_RUNS - 1).isf(2.5e-8)


def coordinate(numbers, experts, weight=1.0, name="score"):
    banks = CurveBanks.of(cells_of(numbers, "margin"), experts, np.random.default_rng(0))
    return Coordinate.of(name, weight, banks, numbers)


def runs(ask, seed):
    """Return the mean and the standard error of what several runs say."""
    found = np.array([ask(np.random.default_rng([seed, k])) for k in range(N_RUNS)])
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(N_RUNS)


def assert_near(ask, seed, exact, bias):
    mean, error = runs(ask, seed)
    assert (np.abs(mean - exact) < FAR * error + bias).all(), (mean, exact, error)


# --- coordinates --------------------------------------------------------------------------------


def test_coordinates_weigh_what_their_labels_say(global_random_seed):
    # Curves without slack on a score, and on another order of the items.
    other = SCORES[::-1].copy()
    lines = (line(-2.0), line(-1.0, 2.0)), (line(0.5, 0.3), line(0.0, -0.5), TRUTH)
    experts = [[FixedCurves(len(own), functions=own)] for own in lines]
    weights = np.array([0.3, 0.6])
    judged = judge_items(
        tuple(
            coordinate(numbers, own, weight)
            for numbers, own, weight in zip((SCORES, other), experts, weights, strict=True)
        ),
        ItemSlack(),
        CODES,
        2000,
        np.random.default_rng(global_random_seed),
    )
    labeled, sign = CODES >= 0, 2.0 * CODES - 1.0
    log = [
        np.array([special.log_expit(sign * f(v))[labeled].sum() for f in own])
        for own, v in zip(lines, (SCORES, other), strict=True)
    ]
    evidence = np.array([special.logsumexp(part) - np.log(len(part)) for part in log])
    exact = special.softmax(np.log(weights) + evidence)
    assert_allclose(judged.weights.prior, weights / weights.sum())
    assert_allclose(judged.weights.log_evidence, evidence, rtol=1e-10)
    assert_allclose(judged.weights.posterior, exact, rtol=1e-10)
    assert_allclose((judged.expert == 0).mean(), exact[0], atol=0.05)
    # Each draw is a curve of its own coordinate, at the items.
    items = tuple(coordinate(v, own).items for v, own in zip((SCORES, other), experts, strict=True))
    posterior = ItemPosterior(items, ItemSlack(), judged, CODES, 0)
    p = np.concatenate([posterior.probability(block) for block in posterior.blocks()])
    curves = [
        [special.expit(f(v)) for f in own] for own, v in zip(lines, (SCORES, other), strict=True)
    ]
    for expert, row in zip(judged.expert, p, strict=True):
        assert np.abs(row - curves[expert]).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("n_curves", [30, 1500], ids=["in steps", "at once"])
def test_one_coordinate_without_blocks_is_judged_as_scores_are(n_curves, global_random_seed):
    functions = (line(-2.0), line(-1.0, 2.0), line(0.5, 0.3))
    own = coordinate(SCORES, [SlackCurves(n_curves, functions=functions)])
    cells, sample = own.banks.cells, sample_of(SCORES, CODES)

    def by_scores(rng):
        found = judge(own.banks, sample, N_DRAWS, rng)
        return special.expit(found.log_odds).mean(axis=0)

    def by_items(rng):
        judged = judge_items((own,), ItemSlack(), CODES, N_DRAWS, rng)
        posterior = ItemPosterior((own.items,), ItemSlack(), judged, CODES, 0)
        return posterior.mean[np.argsort(SCORES)]

    assert_array_equal(cells.scores, np.sort(SCORES))
    one, error = runs(by_scores, 2 * global_random_seed)
    other, other_error = runs(by_items, 2 * global_random_seed + 1)
    tolerance = FAR * np.hypot(error, other_error) + 1.0 / min(n_curves, N_DRAWS)
    assert (np.abs(one - other) < tolerance).all()


# --- blocks of slack ----------------------------------------------------------------------------

BLOCKS = {
    "shift": Members("groups", SIZES, CHANCES, GROUPS, 3),
    "stretch": Members("groups", SIZES, CHANCES, GROUPS, 3, on="stretch"),
    "columns": Columns("x", SIZES, CHANCES, np.sin(np.outer(SCORES, [3.0, 5.0]))),
    "scaled": Columns("x", SIZES, CHANCES, np.sin(np.outer(SCORES, [3.0, 5.0])), scaled=True),
}


def by_quadrature(block):
    """Return P(y = 1 | item) after the labels, the chance of the larger size, and the evidence."""
    n_columns = min(block.n_columns, 2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    f, cells = TRUTH(SCORES), cells_of(SCORES, "margin")
    spread = TRUTH(cells.scores).std() if block.scaled else 1.0
    labeled, sign = CODES >= 0, 2.0 * CODES - 1.0
    evidence, total = 0.0, np.zeros(len(SCORES) + 1)
    for size, chance in zip(SIZES, CHANCES, strict=True):
        grid = np.array([*itertools.product(range(60), repeat=n_columns)])
        u = size * spread * nodes[grid]
        prior = chance * weights[grid].prod(axis=1)
        if isinstance(block, Columns):
            effect = u @ block.values.T
        else:
            effect = np.column_stack([u, np.zeros(len(u))])[:, GROUPS]
        log_odds = f * np.exp(np.clip(effect, -2.0, 2.0)) if block.on == "stretch" else f + effect
        p = special.expit(log_odds)
        if not isinstance(block, Columns):
            # Nothing is known of the last group but the size.
            v = size * nodes
            stretched = f[-1] * np.exp(np.clip(v, -2.0, 2.0))
            p[:, -1] = weights @ special.expit(stretched if block.on == "stretch" else f[-1] + v)
        joint = prior * np.exp(special.log_expit(sign * log_odds)[:, labeled].sum(axis=1))
        evidence += joint.sum()
        total += np.r_[joint @ p, joint.sum() * (size == SIZES[1])]
    return total / evidence, np.log(evidence)


# Few curves are judged in steps, many at once: by either way a block of groups and one of columns.
@pytest.mark.parametrize(
    ("name", "n_curves"), [("shift", 60), ("stretch", 1500), ("columns", 1500), ("scaled", 60)]
)
def test_a_block_has_the_posterior_of_quadrature(name, n_curves, global_random_seed):
    block = BLOCKS[name]
    exact, log_evidence = by_quadrature(block)
    own = coordinate(SCORES, [FixedCurves(n_curves, functions=(TRUTH,))])
    slack = ItemSlack((block,))

    def ask(rng):
        judged = judge_items((own,), slack, CODES, N_DRAWS, rng)
        posterior = ItemPosterior((own.items,), slack, judged, CODES, 0)
        larger = (judged.item_slack.parts[0].size == SIZES[1]).mean()
        return np.r_[posterior.mean, larger, np.exp(judged.weights.log_evidence[0] - log_evidence)]

    # Where slack is drawn for few curves only the weights of one run are biased by 1 / size.
    bias = np.full(len(exact), 0.5 / min(n_curves, N_DRAWS))
    assert_near(ask, global_random_seed, np.r_[exact, 1.0], np.r_[bias, 1e-3])


def test_what_is_said_of_an_item_is_the_mean_over_groups_that_are_new():
    own = coordinate(SCORES, [FixedCurves(50, functions=(TRUTH,))])
    block = Members(Clusters.name, (1.8,), (1.0,), GROUPS, 3)
    slack = ItemSlack((block,))
    judged = judge_items((own,), slack, CODES, 20, np.random.default_rng(0))
    posterior = ItemPosterior((own.items,), slack, judged, CODES, 0)
    found = posterior.probability_anywhere(posterior.blocks()[0], Clusters.name)
    x = np.linspace(-9.0, 9.0, 2001)
    density = stats.norm.pdf(x) / stats.norm.pdf(x).sum()
    exact = special.expit(TRUTH(SCORES)[:, np.newaxis] + 1.8 * x) @ density
    # Nine nodes integrate what is not quite a polynomial.
    assert_allclose(found, np.tile(exact, (20, 1)), atol=3e-3)


# --- clusters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [5, 12, 40])
def test_a_mean_over_clusters_has_the_spread_of_a_t_interval(n_clusters, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = rng.permutation(np.repeat(np.arange(n_clusters), 3))
    clusters = Clusters(codes, n_clusters)
    values = rng.normal(size=n_clusters)
    weights = clusters.bootstrap(rng, 20_000, np.arange(len(codes)))
    assert all(len(np.unique(weights[0, codes == c])) == 1 for c in range(n_clusters))
    means = weights @ values[codes] / weights.sum(axis=1)
    # In normal units, half of a 90% interval of t is so many standard deviations.
    half = stats.t(n_clusters - 1).ppf(0.95) * values.std(ddof=1) / np.sqrt(n_clusters)
    # Twenty thousand draws leave a standard deviation with an error of half a percent; kurtosis
    # makes it twice that for five clusters.
    assert means.std() * stats.norm.ppf(0.95) == pytest.approx(half, rel=0.06)
    assert means.mean() == pytest.approx(values.mean(), abs=6.0 * means.std() / np.sqrt(20_000))
