"""Labelling on from a histogram: as from its items, which are told apart once they are drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe import ActiveTestSelector, Goal, ScoreHistogram, SemisupervisedScoreMixture
from sklearn_spe.active._query import draw_batch, draw_proba
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.active.strategies._strategy import Pool, ranks_from_top
from sklearn_spe.design._label_design import LabelDesign, expected_squares, rest_and_reach
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET


@pytest.fixture(scope="module")
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


def selector(metric="average_precision", **parameters):
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=100)
    return ActiveTestSelector(
        metric, label_model=mixture, batch_size=5, n_draws=100, random_state=0, **parameters
    )


def scores_and_truth(rng, n=300, digits=8):
    truth = (rng.random(n) < 0.3).astype(int)
    truth[:2] = 0, 1
    return np.round(rng.standard_normal(n) + 2.0 * truth, digits), truth


# --- rows of several items are these items ----------------------------------------------------


class Information:
    """The gain of a label in each of four cells, whatever was asked for."""

    are_inclusion_proba = False
    gains = np.array([0.1, 0.4, 0.2, 0.3])

    def after(self, cell):
        return self


def pools(rng, n_rows=24):
    """Return a pool of rows of several items, one of each of these items, and the row of each."""
    counts = rng.integers(1, 9, n_rows).astype(float)
    scores, free = np.sort(rng.standard_normal(n_rows)), np.ones(n_rows, dtype=bool)
    taken = rng.choice(n_rows, 5, replace=False)
    counts[taken], free[taken] = 1.0, False
    of_rows = {
        "scores": scores,
        "codes": np.where(free, -1, rng.integers(0, 2, n_rows)),
        "free": free,
        "ranks": ranks_from_top(scores, counts),
        "probability": rng.random(n_rows),
        "before": rng.random(n_rows),
        "above": scores > 0.0,
        "cells": np.arange(n_rows) * 4 // n_rows,
        "change": rng.random(n_rows),
    }
    known = {
        "terms": (np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])),
        "information": Information(),
    }
    row = np.repeat(np.arange(n_rows), counts.astype(int))
    of_items = {name: values[row] for name, values in of_rows.items()}
    return Pool(**of_rows, **known, counts=counts), Pool(**of_items, **known), row


@pytest.mark.parametrize("strategy", STRATEGIES.values())
def test_a_strategy_gives_each_item_of_a_row_its_chance(rng, strategy):
    counted, items, row = pools(rng)
    assert_allclose(counted.ranks[row], items.ranks)
    item = int(np.flatnonzero(counted.counts > 1)[3])
    # The last of its items, which stands after all others in the counted pool.
    after = counted.after(item), items.after(int(np.flatnonzero(row == item)[-1]))
    for one, other in ((counted, items), after):
        chances = []
        for pool in (one, other):
            weights = strategy().weights(pool)[pool.free]
            ranks, counts = pool.ranks[pool.free], pool.counts[pool.free]
            chances.append(draw_proba(weights, ranks, 0.2, counts))
            assert (chances[-1] * counts).sum() == pytest.approx(1.0)
        free = np.flatnonzero(one.free)
        place = np.searchsorted(free, row[other.free])
        assert_allclose(chances[0][place], chances[1], rtol=1e-10)


@pytest.mark.parametrize("strategy", STRATEGIES.values())
def test_items_are_drawn_one_after_another_from_what_is_left(rng, strategy):
    counted, _, _ = pools(rng)
    n = int(counted.counts[counted.free].sum())
    for draw in ("sample", "argmax"):
        batch = draw_batch(strategy(), counted, n - 1, draw=draw, exploration=0.2, rng=rng)
        drawn = np.bincount(batch.items, minlength=24)
        left = np.where(counted.free, counted.counts, 0) - drawn
        assert left.min() == 0
        assert left.sum() == 1


def test_what_a_design_notes_is_that_of_the_items(rng):
    counted, _, row = pools(rng)
    q, above, p = rng.random(24), counted.above, counted.probability
    counts, of_items = counted.counts, (p[row], q[row], above[row])
    for one, other in zip(
        rest_and_reach(p, q, above, counts), rest_and_reach(*of_items), strict=True
    ):
        assert_allclose(one, other)
    assert_allclose(expected_squares(p, q, above, counts), expected_squares(*of_items))
    ours, theirs = LabelDesign.empty(above, counted.counts), LabelDesign.empty(above[row])
    assert_array_equal(ours.pool, theirs.pool)


def test_the_total_of_a_draw_has_the_mean_of_all_items(rng):
    counted, _, row = pools(rng)
    labels = rng.integers(0, 2, len(row)).astype(float)
    terms = rng.random((2, 2))
    free = counted.free
    q = draw_proba(rng.random(free.sum()), counted.ranks[free], 0.2, counted.counts[free])
    p, above = counted.probability[free], counted.above[free]
    expected_positives, reach = rest_and_reach(p, q, above, counted.counts[free])
    design = LabelDesign.empty(counted.above, counted.counts)
    known = np.flatnonzero(~free)
    known_labels = rng.integers(0, 2, len(known))
    design = design.extended(known, known_labels, counted.above[known])
    mean = 0.0
    for place, r in enumerate(np.flatnonzero(free)):
        for label in labels[row == r]:
            drawn = {
                "chances": q[[place]],
                "predictions": p[[place]],
                "expected_positives": expected_positives,
                "reach": reach,
            }
            total = design.extended([r], [label], counted.above[[r]], **drawn).totals(terms)[-1]
            mean += q[place] * total
    side = counted.above.astype(int)
    of_items = free[row]
    expected = terms[labels.astype(int), side[row]][of_items].sum()
    assert mean == pytest.approx(expected + terms[known_labels, side[known]].sum())


def test_rows_are_drawn_as_often_as_their_items_say(rng):
    counted, _, _ = pools(rng)
    batch = draw_batch(
        STRATEGIES["random"](), counted, 1000, draw="sample", exploration=0.0, rng=rng
    )
    # All of them, each row as often as it has items.
    n = np.bincount(batch.items, minlength=24)
    assert_array_equal(n, np.where(counted.free, counted.counts, 0))
    left = counted.counts[counted.free].sum()
    assert_allclose(batch.chances, 1.0 / (left - np.arange(left)))
    best = STRATEGIES["tail"]()
    argmax = draw_batch(best, counted, 1000, draw="argmax", exploration=0.0, rng=rng)
    assert_array_equal(np.sort(argmax.items), np.sort(batch.items))
    assert (np.diff(counted.scores[argmax.items]) <= 0.0).all()


# --- a selector -------------------------------------------------------------------------------


def test_where_each_item_has_its_bin_the_labeling_is_that_of_the_items(rng):
    scores, truth = scores_and_truth(rng, 120, 3)
    scores, first = np.unique(scores, return_index=True)
    truth = truth[first]
    histogram = ScoreHistogram("identity", resolution=2000).update(scores)
    ours, theirs = selector().fit(histogram), selector().fit(scores)
    for _ in range(2):
        items = ours.query(4)
        assert_array_equal(items, theirs.query(4))
        for each in (ours, theirs):
            each.update(items, truth[items])
        for name in ("estimate_", "design_estimate_"):
            one, other = (getattr(each, name) for each in (ours, theirs))
            assert_allclose([one.value, *one.interval()], [other.value, *other.interval()])
    assert (ours.n_left_, ours.n_labels_) == (theirs.n_left_, 8)
    assert_allclose(ours.label_proba_, theirs.label_proba_)


def test_labeling_all_items_of_a_histogram_makes_everything_known(rng):
    scores, truth = scores_and_truth(rng, 40, 0)
    histogram = ScoreHistogram("identity", resolution=1).update(scores)
    known = np.arange(5)
    asked = selector("recall", threshold=1.0).fit(
        histogram.with_labels(scores[known], truth[known])
    )
    found = []
    while asked.n_left_:
        items = asked.query()
        places = histogram.find(items, [scores[:7], scores[7:]], known=known)
        found.extend(places)
        asked.update(items, truth[places])
    # Each item once.
    assert sorted(found) == list(range(5, 40))
    recall = truth[scores >= 1.0].sum() / truth.sum()
    for estimate in (asked.estimate_, asked.model_estimate_, asked.design_estimate_):
        assert_allclose([estimate.value, *estimate.interval()], recall)
    assert asked.should_stop(max_labels=40)


@pytest.fixture(scope="module")
def begun(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, truth = scores_and_truth(rng, 20_000)
    histogram = ScoreHistogram("identity", resolution=4).update(scores)
    asked = selector("f1", threshold=0.5).fit(histogram)
    items = asked.query(8)
    asked.update(items[:7], truth[histogram.find(items, [scores])[:7]])
    return asked, items, histogram


def test_a_plan_asks_for_items_that_it_tells_apart_and_changes_nothing(begun):
    asked, items, _ = begun
    before = asked.estimate_.interval()
    plan = asked.plan([3, 12], n_simulations=1)
    again = asked.plan([3, 12], n_simulations=1)
    assert_array_equal(plan.chosen, again.chosen)
    assert_array_equal(plan.random, again.random)
    assert asked.estimate_.interval() == before
    assert_array_equal(asked.pending_, items[7:])
    assert asked.n_left_ == 20_000 - 8


def test_simulated_answers_are_positive_as_often_as_is_believed(begun, rng):
    asked, items, _ = begun
    model = asked._session.model
    places = model.rows.items_at(items)
    wanted = np.r_[places, np.arange(0, len(model.scores), 5)]
    n_draws = 400
    answers = np.array([model.simulated_answers(rng)(model, wanted) for _ in range(n_draws)])
    assert_array_equal(answers[:, :7], np.tile(model.codes[places[:7]], (n_draws, 1)))
    unknown = model.codes[wanted] < 0
    chances = model._cell_probability()[model.item_cells[wanted]][unknown]
    n_positive = answers[:, unknown].sum(axis=0)
    # Of fifty numbers not one; both tails together once in a million runs.
    distribution, alpha = stats.binom(n_draws, np.clip(chances, 0.0, 1.0)), 1e-8
    assert (distribution.ppf(alpha) <= n_positive).all()
    assert (n_positive <= distribution.isf(alpha)).all()


@pytest.mark.slow
def test_a_plan_of_a_histogram_is_that_of_its_items(rng):
    scores, truth = scores_and_truth(rng, 2000)
    histogram = ScoreHistogram("identity", resolution=32).update(scores)
    known = rng.choice(2000, 40, replace=False)
    y = np.full(2000, -1)
    y[known] = truth[known]
    of_items = selector().fit(scores, y).plan([20], n_simulations=24)
    counted = selector().fit(histogram.with_labels(scores[known], truth[known]))
    counted = counted.plan([20], n_simulations=24)
    for name in ("chosen", "random"):
        a, b = (getattr(plan, name)[:, 0] for plan in (of_items, counted))
        error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 24)
        # Of a t law of 40 degrees and more once in a million; a bin is a 32nd wide.
        assert abs(a.mean() - b.mean()) < stats.t(40).isf(2.5e-7) * error + 0.01


def test_a_goal_has_a_threshold_and_no_list_of_items(rng):
    scores, truth = scores_and_truth(rng, 2000)
    histogram = ScoreHistogram("identity", resolution=8).update(scores)
    asked = selector(Goal.of(precision=0.2)).fit(histogram)
    items = asked.query(10)
    asked.update(items, truth[histogram.find(items, [scores])])
    assert 0.0 <= asked.goal_probability_ <= 1.0
    assert asked.threshold_ <= histogram.largest[-1] or np.isnan(asked.threshold_)
    assert len(asked.selected_) == 0
    assert 0.0 <= asked.plan([5], n_simulations=2).reachable <= 1.0


def test_what_a_histogram_does_not_hold_is_refused(begun):
    asked, items, histogram = begun
    rows = np.zeros(20_000)
    with pytest.raises(TypeError, match="A histogram includes labels and counts: leave out y"):
        selector().fit(histogram, rows)
    with pytest.raises(TypeError, match="groups= and noisy_labels= describe single items"):
        selector().fit(histogram, noisy_labels=rows, groups=rows)
    with pytest.raises(ValueError, match="label model is that of curves"):
        ActiveTestSelector(label_model="joint").fit(histogram)
    with pytest.raises(ValueError, match="a histogram stores none"):
        selector(Goal.of(precision=0.5), interval="anytime").fit(histogram)
    other = np.setdiff1d(np.arange(20_000), items)[0]
    with pytest.raises(ValueError, match=f"Item {other} was not queried"):
        asked.update([other], [1])
    with pytest.raises(ValueError, match=f"Item {other} was not queried"):
        asked.to_frame([other])
    with pytest.raises(ValueError, match="columns of an earlier labeling session"):
        ActiveTestSelector.from_frame(asked.to_frame())
