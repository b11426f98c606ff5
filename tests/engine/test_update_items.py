"""Labels of items update score axes and random effects: by enumeration and by quadrature."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.engine import _label_update
from sklearn_spe.engine._components import CurveComponents, ScoreAxis
from sklearn_spe.engine._label_rows import MAX_ROWS, LabelRows
from sklearn_spe.engine._label_update import DRAWS_PER_EFFECT
from sklearn_spe.engine._prevalence_information import PrevalenceInformation
from sklearn_spe.engine._random_effects import Columns, Members, RandomEffects, Walk
from sklearn_spe.experts._expert import DiscrepancyScale
from sklearn_spe.families._family import BetaPrior
from sklearn_spe.models._row_posterior import RowPosterior, logistic_rule, mean_over_groups
from tests.engine.updates import update_items, update_scores
from tests.experts.problems import FixedCurves, cells_of, ensemble_of, line, sample_of

# Of nine items one in two groups each; the last item is of a third group that has no label.
SCORES = np.array([-1.5, -1.0, -0.2, 0.3, 0.4, 0.9, 1.4, 2.0, 0.1])
CODES = np.array([0, 0, 1, 0, 1, 0, 1, 1, -1])
GROUPS = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
SIZES, CHANCES = (0.4, 1.5), (0.3, 0.7)
TRUTH = line(-0.5, 1.3)
N_DRAWS = 2000
# How many standard errors a normal variable is off once in ten millions; tests have a handful.
FAR = 5.4
FLAT = BetaPrior()
NONE = RandomEffects()


def axis_of(numbers, experts, weight=1.0, name="score"):
    return ScoreAxis.of(name, weight, ensemble_of(cells_of(numbers, "margin"), experts), numbers)


def components_of(axes, effects=NONE, lapses=False):
    """Return components of axes; ends of so few scores are ties, and would have lapses."""
    names = tuple(name for axis in axes for name in axis.ensemble.names)
    ensembles, weights = tuple(a.ensemble for a in axes), [a.weight for a in axes]
    drawn = CurveComponents.drawn(ensembles, weights, names, effects, np.random.default_rng(0))
    return drawn if lapses else replace(drawn, bottom=0.0 * drawn.bottom, top=0.0 * drawn.top)


def probabilities(axes, effects, updated, codes=CODES):
    """Return P(y = 1 | item) of all draws."""
    posterior = RowPosterior(
        tuple(a.items for a in axes), effects, updated, codes, np.ones(len(codes)), 0
    )
    return np.concatenate([posterior.probability(block) for block in posterior.blocks()])


def assert_means(p, exact, ess):
    error = p.std(axis=0) / np.sqrt(ess)
    assert (np.abs(p.mean(axis=0) - exact) < FAR * error + 1e-9).all(), (p.mean(axis=0), exact)


# --- score axes -----------------------------------------------------------------------------------


def test_score_axes_weigh_what_their_labels_say(global_random_seed):
    # Curves without discrepancy on a score, and on another order of the items.
    other = SCORES[::-1].copy()
    lines = (line(-2.0), line(-1.0, 2.0)), (line(0.5, 0.3), line(0.0, -0.5), TRUTH)
    weights = np.array([0.3, 0.6])
    axes = tuple(
        axis_of(numbers, [FixedCurves(len(own), functions=own)], weight)
        for numbers, own, weight in zip((SCORES, other), lines, weights, strict=True)
    )
    updated = update_items(
        components_of(axes),
        axes,
        CODES,
        np.ones(len(CODES)),
        FLAT,
        N_DRAWS,
        np.random.default_rng(global_random_seed),
    )
    labeled, sign = CODES >= 0, 2.0 * CODES - 1.0
    log = [
        np.array([special.log_expit(sign * f(v))[labeled].sum() for f in own])
        for own, v in zip(lines, (SCORES, other), strict=True)
    ]
    evidence = np.array([special.logsumexp(part) - np.log(len(part)) for part in log])
    exact = special.softmax(np.log(weights) + evidence)
    assert_allclose(updated.weights.prior, weights / weights.sum())
    assert_allclose(updated.weights.log_evidence, evidence, rtol=1e-10)
    assert_allclose(updated.weights.posterior, exact, rtol=1e-10)
    assert_allclose((updated.expert == 0).mean(), exact[0], atol=2.0 / N_DRAWS)
    # Each draw is a curve of its own axis, at the items.
    p = probabilities(axes, NONE, updated)
    curves = [
        [special.expit(f(v)) for f in own] for own, v in zip(lines, (SCORES, other), strict=True)
    ]
    for expert, row in zip(updated.expert, p, strict=True):
        assert np.abs(row - curves[expert]).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("prior", [FLAT, BetaPrior(2.0, 8.0)], ids=["flat", "prior"])
def test_one_axis_without_effects_is_updated_as_scores_are(prior, global_random_seed):
    functions = (line(-2.0), line(-1.0, 2.0), line(0.5, 0.3))
    expert = FixedCurves(60, functions=functions, discrepancy=DiscrepancyScale())
    (axis,) = axes = (axis_of(SCORES, [expert]),)
    components = components_of(axes, lapses=True)
    seed = global_random_seed
    by_scores = update_scores(
        components, sample_of(SCORES, CODES), prior, 300, np.random.default_rng(seed)
    )
    by_items = update_items(
        components, axes, CODES, np.ones(len(CODES)), prior, 300, np.random.default_rng(seed)
    )
    p = probabilities(axes, NONE, by_items)
    assert_array_equal(axis.ensemble.cells.scores, np.sort(SCORES))
    # The sums of rows differ in the last digit, and draws of one column are in a random order.
    exact = special.expit(by_scores.log_odds)
    assert_allclose(np.sort(p[:, np.argsort(SCORES)], axis=0), np.sort(exact, axis=0), atol=1e-6)
    assert by_items.ess == pytest.approx(by_scores.ess)
    assert_allclose(by_items.weights.log_evidence, by_scores.weights.log_evidence)


@pytest.mark.parametrize("verified", [1, 0])
def test_labels_chosen_because_of_a_disagreement_say_nothing_of_its_rate(
    verified, global_random_seed
):
    # A judge and a score, which disagree about two of four items: one of these is drawn.
    score = np.array([1.0, 1.0, -1.0, -1.0])
    verdict = np.array([1.0, -1.0, 1.0, -1.0])
    disagree = np.flatnonzero(score != verdict)
    codes = np.full(4, -1)
    codes[disagree[0]] = verified

    # Curves on either: the judge is right in most cases, or hardly ever; and the score.
    lines = (line(0.0, 0.4), line(0.3, 1.5)), (line(0.0, 3.0), line(-0.5, 0.2))
    weights = np.array([0.3, 0.6])
    axes = tuple(
        axis_of(numbers, [FixedCurves(2, functions=functions)], weight)
        for numbers, functions, weight in zip((score, verdict), lines, weights, strict=True)
    )
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(components_of(axes), axes, codes, np.ones(4), FLAT, 100, rng)

    exact = []
    for numbers, functions, weight in zip((score, verdict), lines, weights, strict=True):
        for function in functions:
            p = special.expit(function(numbers))
            total = 0.0
            for truth in itertools.product([0, 1], repeat=4):
                probability = np.prod(np.where(truth, p, 1.0 - p))
                total += probability * (truth[disagree[0]] == verified) / len(disagree)
            exact.append(weight / 2.0 * total)
    by_axis = np.add.reduceat(exact, [0, 2]) / np.sum(exact)
    assert_allclose(updated.weights.posterior, by_axis, rtol=1e-9)


def test_labels_of_equal_items_are_gathered_without_loss(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    kind, times = np.arange(2 * len(SCORES)), rng.integers(60, 120, 2 * len(SCORES)).astype(float)
    numbers = rng.normal(size=(len(SCORES), 2))
    expert = FixedCurves(60, functions=(TRUTH,), discrepancy=DiscrepancyScale())
    found = []
    # Each item with a positive and with a negative label, counted and one by one.
    for rows in (kind, rng.permutation(np.repeat(kind, times.astype(int)))):
        item, codes = rows % len(SCORES), rows // len(SCORES)
        counts = times if rows is kind else np.ones(len(rows))
        effects = RandomEffects(
            (
                Members("groups", SIZES, CHANCES, GROUPS[item], 3),
                Columns("systems", SIZES, CHANCES, numbers[item]),
            )
        )
        ensemble = ensemble_of(cells_of(SCORES, "margin"), [expert])
        axes = (ScoreAxis.of("score", 1.0, ensemble, SCORES[item]),)
        label_rows = LabelRows.of_items(axes, effects, codes, counts)
        assert label_rows.n_rows == (len(kind) if rows is kind else len(SCORES))
        assert label_rows.total.sum() == times.sum()
        components = replace(components_of(axes, effects), spread=np.ones(60))
        seed = np.random.default_rng([global_random_seed, 1])
        updated = update_items(components, axes, codes, counts, FLAT, 200, seed)
        p = probabilities(axes, effects, updated, codes)
        found.append([p[:, np.argmax(item == i)] for i in range(len(SCORES))])
    # Of many draws a number may fall between two choices, whose probabilities are rounded.
    is_same = np.isclose(*found, atol=1e-6).all(axis=0)
    assert len(is_same) - 2 <= is_same.sum()


def test_similar_labels_are_gathered_group_by_group(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, groups = np.sort(rng.normal(size=3000)), rng.integers(3, size=3000)
    numbers = rng.normal(size=(3000, 1))
    effects = RandomEffects(
        (
            Members("groups", SIZES, CHANCES, groups, 3),
            Columns("systems", SIZES, CHANCES, numbers),
        )
    )
    axes = (axis_of(scores, [FixedCurves(10, functions=(TRUTH,))]),)
    codes = (rng.random(3000) < 0.3).astype(int)
    rows = LabelRows.of_items(axes, effects, codes, np.ones(3000))
    assert rows.n_rows == MAX_ROWS + 3  # and one of each group
    of_group = rows.columns(effects.effects[0])
    assert_array_equal(rows.total @ of_group, np.bincount(groups))
    assert_array_equal(rows.positive @ of_group, np.bincount(groups, codes))
    # Little of what differs between the items is lost: sums of squares within the rows.
    mean = rows.columns(effects.effects[1])[:, 0]
    assert rows.total @ mean == pytest.approx(numbers.sum())
    assert rows.total @ mean**2 > 0.95 * (numbers**2).sum()
    place, own = rows.places[0], axes[0].items
    at, places = place.left + place.share, own.left + own.share
    assert rows.total @ at == pytest.approx(places.sum())
    assert rows.total @ (at - places.mean()) ** 2 > 0.95 * 3000 * places.var()


def test_the_order_of_items_does_not_matter(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    order = rng.permutation(len(SCORES))
    expert = FixedCurves(60, functions=(TRUTH,), discrepancy=DiscrepancyScale())
    found = []
    for some in (np.arange(len(SCORES)), order):
        effects = RandomEffects((Members("groups", SIZES, CHANCES, GROUPS[some], 3),))
        axes = (axis_of(SCORES[some], [expert]),)
        components = components_of(axes, effects)
        codes = CODES[some]
        seed = np.random.default_rng([global_random_seed, 1])
        updated = update_items(components, axes, codes, np.ones(len(codes)), FLAT, 200, seed)
        found.append(probabilities(axes, effects, updated, codes))
    # A move that was nearly rejected may be decided by the last digit of a sum.
    close = np.isclose(found[0][:, order], found[1], atol=1e-6).all(axis=1)
    assert close.mean() > 0.9


def test_items_that_come_twice_have_one_probability(global_random_seed):
    twice = np.repeat(np.arange(len(SCORES)), 2)
    expert = FixedCurves(30, functions=(TRUTH,), discrepancy=DiscrepancyScale())
    axes = (axis_of(SCORES[twice], [expert]),)
    effects = RandomEffects((Members("groups", SIZES, CHANCES, GROUPS[twice], 3),))
    codes = CODES[twice]
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(
        components_of(axes, effects), axes, codes, np.ones(len(codes)), FLAT, 100, rng
    )
    p = probabilities(axes, effects, updated, codes)
    assert_array_equal(p[:, ::2], p[:, 1::2])


# --- random effects -------------------------------------------------------------------------------

X = np.sin(np.outer(SCORES, [3.0, 5.0]))
EFFECTS = {
    "shift": Members("groups", SIZES, CHANCES, GROUPS, 3),
    "stretch": Members("groups", SIZES, CHANCES, GROUPS, 3, on="stretch"),
    "scaled members": Members("groups", SIZES, CHANCES, GROUPS, 3, scaled=True),
    "walk": Walk("groups", SIZES, CHANCES, GROUPS, 3),
    "columns": Columns("x", SIZES, CHANCES, X),
    "scaled": Columns("x", SIZES, CHANCES, X, scaled=True),
    "one size": Columns("x", (3.0,), (1.0,), X),
}


def by_quadrature(effect, components, n_nodes=60):
    """Return P(y = 1 | item) after the labels, and the chances of the sizes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    weights = weights / weights.sum()
    grid = np.array([*itertools.product(range(n_nodes), repeat=2)])
    mass, f = weights[grid].prod(axis=1), TRUTH(SCORES)
    spread = TRUTH(cells_of(SCORES, "margin").scores).std() if effect.scaled else 1.0
    labeled, sign = CODES >= 0, 2.0 * CODES - 1.0
    # Of groups the third has no label: it is integrated by itself.
    members = isinstance(effect, Members) and effect.n_columns == 3
    columns = effect.columns(np.arange(len(SCORES)))[:, :2]
    parts, total = np.zeros(len(effect.sizes)), np.zeros(len(SCORES))
    for j, size in enumerate(effect.sizes):
        chance = (components.sizes[:, 0] == size).mean()
        own = size * spread * nodes[grid] @ columns.T
        log_odds = f * (1.0 + own) if effect.on == "stretch" else f + own
        p = special.expit(log_odds)
        if members:
            v = size * spread * nodes
            p[:, -1] = weights @ special.expit(
                f[-1] * (1.0 + v) if effect.on == "stretch" else f[-1] + v
            )
        joint = chance * mass * np.exp(special.log_expit(sign * log_odds)[:, labeled].sum(axis=1))
        parts[j] = joint.sum()
        total += joint @ p
    return total / parts.sum(), parts / parts.sum()


# Draws are moved where the importance weights are uneven: here always, or never.
@pytest.mark.parametrize("moved", [True, False], ids=["moved", "not moved"])
@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_has_the_posterior_of_quadrature(name, moved, global_random_seed, monkeypatch):
    monkeypatch.setattr(_label_update, "MOVED_BELOW", 2.0 if moved else 0.0)
    effect = EFFECTS[name]
    effects, axes = (
        RandomEffects((effect,)),
        (axis_of(SCORES, [FixedCurves(40, functions=(TRUTH,))]),),
    )
    components = components_of(axes, effects)
    exact, of_sizes = by_quadrature(effect, components)
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(components, axes, CODES, np.ones(len(CODES)), FLAT, N_DRAWS, rng)
    assert 0.1 * N_DRAWS < updated.ess <= N_DRAWS * (1.0 + 1e-9)
    assert_means(probabilities(axes, effects, updated), exact, updated.ess)
    # In log-odds: of a scaled effect times the spread of the curve.
    spread = components.spread[0] if effect.scaled else 1.0
    sizes = updated.effects[0].size / spread
    for size, share in zip(effect.sizes, of_sizes, strict=True):
        error = np.sqrt(share * (1.0 - share) / updated.ess)
        assert np.mean(np.isclose(sizes, size)) == pytest.approx(share, abs=FAR * error + 1e-9)


def test_moves_leave_more_draws_effective_and_no_more_than_all(global_random_seed, monkeypatch):
    effects = RandomEffects((EFFECTS["one size"],))
    axes = (axis_of(SCORES, [FixedCurves(40, functions=(TRUTH,))]),)
    components = components_of(axes, effects)
    rows = LabelRows.of_items(axes, effects, CODES, np.ones(len(CODES)))
    update = _label_update._Update(components, rows, PrevalenceInformation(FLAT))
    sizes = []
    for below in (0.0, 2.0):
        monkeypatch.setattr(_label_update, "MOVED_BELOW", below)
        *_, ess, _ = update.draw(200, np.random.default_rng(global_random_seed))
        sizes.append(ess)
    assert 0.0 < sizes[0] < sizes[1] <= 200.0


def test_a_skewed_group_is_drawn_from_its_posterior(global_random_seed):
    # One group of a large size whose labels all agree: skewed, and far from normal.
    effect = Members("groups", (8.0,), (1.0,), np.zeros(9, dtype=int), 1)
    codes = np.r_[np.ones(8, dtype=int), -1]
    f = line(-3.0, 0.5)
    effects, axes = RandomEffects((effect,)), (axis_of(SCORES, [FixedCurves(4, functions=(f,))]),)
    u = np.linspace(-12.0, 12.0, 200_001)
    mass = np.exp(
        -0.5 * u**2 + special.log_expit(f(SCORES[:8])[:, np.newaxis] + 8.0 * u).sum(axis=0)
    )
    mass /= mass.sum()
    exact = special.expit(f(SCORES)[:, np.newaxis] + 8.0 * u) @ mass
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(
        components_of(axes, effects), axes, codes, np.ones(len(codes)), FLAT, N_DRAWS, rng
    )
    assert_means(probabilities(axes, effects, updated, codes), exact, updated.ess)
    drawn, level = updated.effects[0].normal[:, 0], np.cumsum(mass)
    below = np.interp(drawn, u, level)
    # The distance of Kolmogorov and Smirnov, of so many independent draws.
    assert stats.kstest(below, "uniform").statistic < 2.9 / np.sqrt(updated.ess)


def test_effects_that_no_label_touches_come_from_their_prior(global_random_seed):
    codes = np.where(GROUPS == 0, CODES, -1)
    effect = EFFECTS["shift"]
    effects, axes = (
        RandomEffects((effect,)),
        (axis_of(SCORES, [FixedCurves(40, functions=(TRUTH,))]),),
    )
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(
        components_of(axes, effects), axes, codes, np.ones(len(codes)), FLAT, N_DRAWS, rng
    )
    (drawn,) = updated.effects
    for k in (1, 2):
        assert stats.kstest(drawn.normal[:, k], "norm").pvalue > 1e-7
    # At the size that labels support, of one another and of the group that has labels independent.
    correlation = np.corrcoef(drawn.normal.T)[np.triu_indices(3, 1)]
    assert (np.abs(correlation) < FAR / np.sqrt(N_DRAWS)).all()


def test_without_labels_all_is_as_before(global_random_seed):
    effects = RandomEffects((EFFECTS["shift"], EFFECTS["columns"]))
    axes = (axis_of(SCORES, [FixedCurves(40, functions=(TRUTH,), discrepancy=DiscrepancyScale())]),)
    components, none = components_of(axes, effects), np.full(len(SCORES), -1)
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(components, axes, none, np.ones(len(none)), FLAT, N_DRAWS, rng)
    assert_allclose(updated.weights.log_evidence, 0.0, atol=1e-12)
    assert updated.ess == pytest.approx(N_DRAWS / DRAWS_PER_EFFECT)
    for drawn, sizes in zip(updated.effects, components.sizes.T, strict=True):
        assert all(stats.kstest(column, "norm").pvalue > 1e-7 for column in drawn.normal.T)
        share = np.mean(sizes == SIZES[1])
        assert np.mean(drawn.size == SIZES[1]) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("switch", [0.0, 0.1])
@pytest.mark.parametrize("size", [1e-6, 0.0])
def test_an_effect_without_size_is_none(size, switch, global_random_seed):
    # Groups of one item each, a category that holds all: whatever they are, they move nothing.
    expert = FixedCurves(60, functions=(TRUTH,), discrepancy=DiscrepancyScale())
    axes = (axis_of(SCORES, [expert]),)
    alone = update_items(
        components_of(axes),
        axes,
        CODES,
        np.ones(len(CODES)),
        FLAT,
        N_DRAWS,
        np.random.default_rng(global_random_seed),
        switch=switch,
    )
    exact, n_draws = probabilities(axes, NONE, alone), N_DRAWS
    for codes in (np.arange(9), np.zeros(9, dtype=int)):
        effects = RandomEffects((Members("groups", (size,), (1.0,), codes, codes.max() + 1),))
        rng = np.random.default_rng([global_random_seed, 1])
        updated = update_items(
            components_of(axes, effects),
            axes,
            CODES,
            np.ones(len(CODES)),
            FLAT,
            n_draws,
            rng,
            switch=switch,
        )
        p = probabilities(axes, effects, updated)
        # Paths that share steps with others are fewer than the weights say: about a fourth.
        error = np.sqrt(p.var(axis=0) / updated.ess + exact.var(axis=0) / alone.ess)
        margins = (1.0 + (switch > 0.0)) * FAR * error
        assert (np.abs(p.mean(axis=0) - exact.mean(axis=0)) < margins).all()
        evidence = updated.weights.log_evidence
        assert_allclose(evidence, alone.weights.log_evidence, atol=1e-3)


def test_groups_of_one_item_are_a_lapse_of_each_label(global_random_seed):
    # Without a group that holds two items its effect is a part of the chance of each label.
    effect = Members("groups", (1.8,), (1.0,), np.arange(9), 9)
    effects = RandomEffects((effect,))
    functions = (line(-1.0, 2.0), line(0.5, 0.3), TRUTH)
    axes = (axis_of(SCORES, [FixedCurves(3, functions=functions)]),)
    x = np.linspace(-9.0, 9.0, 2001)
    density = stats.norm.pdf(x) / stats.norm.pdf(x).sum()
    sign, labeled = 2.0 * CODES - 1.0, CODES >= 0
    chance = [
        special.expit(sign[:, np.newaxis] * (f(SCORES)[:, np.newaxis] + 1.8 * x)) @ density
        for f in functions
    ]
    exact = special.softmax([np.log(own[labeled]).sum() for own in chance])
    rng = np.random.default_rng(global_random_seed)
    updated = update_items(
        components_of(axes, effects), axes, CODES, np.ones(len(CODES)), FLAT, 4000, rng
    )
    curves = np.array([f(np.sort(SCORES)) for f in functions])
    drawn = np.concatenate([own.curves for own in updated.curves], axis=1).T
    which = np.abs(drawn[:, np.newaxis] - curves).max(axis=2).argmin(axis=1)
    share = np.bincount(which, minlength=3) / len(which)
    # Moves stay within a component: the shares are those of the importance weights.
    error = np.sqrt(exact * (1.0 - exact) / (0.5 * updated.ess))
    assert (np.abs(share - exact) < FAR * error).all()


@pytest.mark.parametrize("size", [0.0, 0.4, 1.5, 1.8, 8.0])
def test_the_mean_over_groups_is_an_integral(size):
    log_odds = np.linspace(-6.0, 6.0, 25)
    x = np.linspace(-9.0, 9.0, 4001)
    density = stats.norm.pdf(x) / stats.norm.pdf(x).sum()
    exact = special.expit(log_odds[:, np.newaxis] + size * x) @ density
    found = mean_over_groups(log_odds[:, np.newaxis].copy(), np.array([size]))
    # Nine nodes integrate what is not quite a polynomial.
    assert_allclose(found[:, 0], exact, atol=1e-3)


def test_the_rule_of_the_logistic_distribution_has_its_moments():
    nodes, weights = logistic_rule(5)
    moments = [weights @ nodes**k for k in (0, 2, 4)]
    assert_allclose(moments, [1.0, np.pi**2 / 3.0, 7.0 * np.pi**4 / 15.0])


def test_what_is_said_of_an_item_is_the_mean_over_groups_that_are_new():
    axes = (axis_of(SCORES, [FixedCurves(50, functions=(TRUTH,))]),)
    effects = RandomEffects((Members("groups", (1.8,), (1.0,), GROUPS, 3),))
    rng = np.random.default_rng(0)
    updated = update_items(
        components_of(axes, effects), axes, CODES, np.ones(len(CODES)), FLAT, 20, rng
    )
    posterior = RowPosterior((axes[0].items,), effects, updated, CODES, np.ones(len(CODES)), 0)
    found = posterior.probability_anywhere(posterior.blocks()[0], "groups")
    x = np.linspace(-9.0, 9.0, 2001)
    density = stats.norm.pdf(x) / stats.norm.pdf(x).sum()
    exact = special.expit(TRUTH(SCORES)[:, np.newaxis] + 1.8 * x) @ density
    # Nine nodes integrate what is not quite a polynomial.
    assert_allclose(found, np.tile(exact, (20, 1)), atol=3e-3)


@pytest.mark.slow
def test_the_size_of_many_small_groups_is_weighted_exactly(global_random_seed):
    # Two labels each and one score: the evidence of a size is a product of sums over a group.
    n_groups, sizes = 400, (0.4, 1.0, 1.8)
    rng = np.random.default_rng(global_random_seed)
    groups = np.repeat(np.arange(n_groups), 2)
    p = special.expit(1.8 * rng.standard_normal(n_groups) - 1.0)[groups]
    codes = (rng.random(2 * n_groups) < p).astype(int)
    levels = np.linspace(-2.5, 0.5, 60)
    curves = tuple(line(level, 0.0) for level in levels)
    effects = RandomEffects((Members("groups", sizes, (1 / 3,) * 3, groups, n_groups),))
    axes = (axis_of(np.zeros(2 * n_groups), [FixedCurves(300, functions=curves)]),)
    components = components_of(axes, effects)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    n_positive = np.bincount(groups, weights=codes)
    prior_curves = components.ensembles[0].curves[0, components.curve]
    log = np.empty(components.n)
    for k, (level, size) in enumerate(zip(prior_curves, components.sizes[:, 0], strict=True)):
        q = special.expit(level + size * nodes)
        of_counts = [
            np.log(weights @ (q**y * (1.0 - q) ** (2 - y)) / weights.sum()) for y in range(3)
        ]
        log[k] = np.take(of_counts, n_positive.astype(int)).sum()
    weight = special.softmax(log + components.log_prior)
    counts = np.ones(len(codes))
    updated = update_items(components, axes, codes, counts, FLAT, N_DRAWS, rng)
    drawn = updated.effects[0].size
    for size in sizes:
        share = weight[components.sizes[:, 0] == size].sum()
        error = np.sqrt(share * (1.0 - share) / updated.ess)
        assert np.mean(drawn == size) == pytest.approx(share, abs=FAR * error + 2e-2)
    assert updated.ess > 0.9 * N_DRAWS / DRAWS_PER_EFFECT
