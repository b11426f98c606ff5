"""What a design promises: every draw, and their average, is right in the mean."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.design._label_design import (
    LabelDesign,
    draw_weights,
    expected_squares,
    label_weights,
    rest_and_reach,
    shrunk_predictions,
)
from tests.design.designs import TERMS, drawn_design, every_design, next_designs, total

ABOVE = np.array([True, True, False, False])
LABELS = np.array([1.0, 0.0, 1.0, 0.0])
UNSURE = np.array([1.0, np.nan, 1.0, 0.0])
# Totals are linear in the terms, [z, above]: these four stand for those of every metric.
UNITS = np.eye(4).reshape(4, 2, 2)
# Labels, sizes of batches, and what is labelled without being drawn before each of them.
STORIES = {
    "one by one": (LABELS, (1, 1, 1, 1), ()),
    "in batches": (LABELS, (2, 2), ()),
    "nobody can tell": (UNSURE, (1, 2), ()),
    "some known before": (LABELS, (1, 2), ([2],)),
    "some labelled in between": (LABELS, (1, 1, 1), ((), [0, 3])),
    "one that nobody can tell was known to be so": (UNSURE, (1, 1), ((), [1])),
}
EVERY_STORY = pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)


def random_design(seed, n_items=60, n_draws=25, **options):
    rng = np.random.default_rng(seed)
    predictions = rng.uniform(0.05, 0.95, n_items)
    labels = (rng.random(n_items) < predictions).astype(float)
    above = predictions > 0.5
    *_, design = drawn_design(rng, labels, above, predictions, n_draws, **options)
    return design, labels, above, predictions


# --- unbiased ------------------------------------------------------------------------------


@EVERY_STORY
def test_the_total_of_each_draw_is_right_in_the_mean_whatever_came_before(
    story, global_random_seed
):
    labels, batches, outside = story
    truth = [total(terms, labels, ABOVE) for terms in UNITS]
    seed = global_random_seed
    for last in range(len(batches)):
        for _, design in every_design(labels, ABOVE, batches[:last], seed, outside):
            is_labeled = outside[last] if last < len(outside) else ()
            new = [i for i in is_labeled if i not in design.items]
            known = design.extended(new, labels[new], ABOVE[new]) if new else design
            n_new = min(batches[last], 4 - known.n_rows)
            mean = np.zeros((4, n_new))
            for chance, longer in next_designs(known, labels, ABOVE, seed, batches[last]):
                for k, terms in enumerate(UNITS):
                    mean[k] += chance * longer.totals(terms, known.n_rows)
            assert_allclose(mean.T, np.tile(truth, (n_new, 1)), rtol=0.0, atol=1e-12)


@EVERY_STORY
def test_the_average_of_all_draws_is_right_in_the_mean(story, global_random_seed):
    labels, batches, outside = story
    if outside and outside[-1]:
        # How many are free may then depend on what was drawn, and with it the weights.
        outside = ([2],)
    mean, mass = np.zeros(4), 0.0
    for chance, design in every_design(labels, ABOVE, batches, global_random_seed, outside):
        for k, terms in enumerate(UNITS):
            mean[k] += chance * (draw_weights(design) * design.totals(terms)[design.drawn]).sum()
        mass += chance
    assert mass == pytest.approx(1.0, abs=1e-12)
    assert_allclose(mean, [total(terms, labels, ABOVE) for terms in UNITS], rtol=0.0, atol=1e-12)


@EVERY_STORY
def test_the_weighted_labels_are_right_in_the_mean(story, global_random_seed):
    # Of either class and side, without any prediction.
    labels, batches, outside = story
    if outside and outside[-1]:
        outside = ([2],)
    mean = np.zeros((2, 2))
    for chance, design in every_design(labels, ABOVE, batches, global_random_seed, outside):
        weights = label_weights(design, draw_weights(design))
        for z, a, v in zip(design.labels, design.above, weights, strict=True):
            if not np.isnan(z):
                mean[int(z), int(a)] += chance * v
    for z in (0, 1):
        for a in (0, 1):
            count = ((labels == z) & (a == ABOVE)).sum()
            assert mean[z, a] == pytest.approx(count, abs=1e-12)


def test_a_wrong_chance_is_a_wrong_mean():
    # That the enumeration can tell: of one plan, for which it is known.
    terms = TERMS["accuracy"][0]
    mean = 0.0
    for chance, design in every_design(LABELS, ABOVE, (1,), 7):
        mean += chance * replace(design, chances=np.full(1, 0.25)).totals(terms)[0]
    assert abs(mean - total(terms, LABELS, ABOVE)) > 1e-3


@pytest.mark.parametrize("batches", [(1, 1, 1, 1), (3, 1), (4,)])
def test_the_average_is_exact_once_all_is_labeled(batches, global_random_seed):
    for _, design in every_design(LABELS, ABOVE, batches, global_random_seed):
        for terms in UNITS:
            mean = (draw_weights(design) * design.totals(terms)).sum()
            assert mean == pytest.approx(total(terms, LABELS, ABOVE), abs=1e-12)
        assert_allclose(label_weights(design, draw_weights(design)), 1.0, rtol=0.0, atol=1e-12)


# --- weights -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_draws", [1, 25, 59])
def test_labels_are_weighted_as_lure_weights_them(n_draws, global_random_seed):
    # Farquhar, Gal and Rainforth (2021), eq. 12: v_m = 1 + (N-M)/(N-m) (1/((N-m+1) q_m) - 1).
    design, labels, *_ = random_design(global_random_seed, n_draws=n_draws)
    n, m = len(labels), np.arange(1, n_draws + 1)
    lure = 1.0 + (n - n_draws) / (n - m) * (1.0 / ((n - m + 1.0) * design.chances) - 1.0)
    weights = label_weights(design, draw_weights(design))
    assert_allclose(weights, n / n_draws * lure, rtol=1e-12)


def test_weights_say_nothing_of_labels_and_sum_to_one(global_random_seed):
    design, *_ = random_design(global_random_seed)
    other = replace(design, labels=1.0 - design.labels)
    assert_array_equal(draw_weights(design), draw_weights(other))
    assert draw_weights(design).sum() == pytest.approx(1.0)
    assert draw_weights(LabelDesign.empty(ABOVE)).shape == (0,)


def test_items_known_before_count_once(global_random_seed):
    for _, design in every_design(LABELS, ABOVE, (1, 1), global_random_seed, ([2],)):
        weights = label_weights(design, draw_weights(design))
        assert weights[0] == pytest.approx(1.0, abs=1e-12)


# --- bookkeeping ---------------------------------------------------------------------------


def test_what_is_noted_of_free_items_is_what_they_are(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    p, q, above = rng.random(30), rng.random(30), rng.random(30) < 0.4
    expected_positives, reach = rest_and_reach(p, q, above)
    for side in (0, 1):
        at = above == side
        assert expected_positives[side] == pytest.approx(p[at].sum())
        for z in (0, 1):
            assert reach[z, side] == pytest.approx((abs(z - p[at]) / q[at]).max(), rel=1e-12)
    expected_positives, reach = rest_and_reach(p[:3], q[:3], np.ones(3, dtype=bool))
    assert expected_positives[0] == 0.0
    assert not reach[:, 0].any()


def test_the_rest_shrinks_by_what_was_drawn(global_random_seed):
    design, _, _, predictions = random_design(global_random_seed, n_draws=25, batch_size=25)
    for t in range(25):
        free = np.setdiff1d(np.arange(60), design.items[:t])
        above = predictions[free] > 0.5
        assert_allclose(
            design.expected_positives[t], [predictions[free][above == a].sum() for a in (0, 1)]
        )
        assert_array_equal(design.free[t], [(above == a).sum() for a in (0, 1)])


def test_known_labels_and_free_items_are_counted():
    design = LabelDesign.empty(ABOVE).extended([2, 0], [1.0, np.nan], [False, True])
    design = design.extended([3], [0.0], [False])
    assert design.known[:, 1, 0].tolist() == [0.0, 1.0, 1.0, 1.0]
    assert design.known[-1].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert design.free.tolist() == [[2, 2], [1, 2], [1, 1], [0, 1]]
    assert design.drawn.tolist() == []


def test_it_is_not_to_be_written_to(global_random_seed):
    design, *_ = random_design(global_random_seed)
    for one in (design, pickle.loads(pickle.dumps(design))):
        with pytest.raises(ValueError, match="read-only"):
            one.labels[0] = 0.0


def test_expected_squares_are_those_of_all_draws_and_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    predictions, chances, above = rng.random(7), rng.dirichlet(np.ones(7)), rng.random(7) < 0.5
    expected = np.zeros(2)
    for p, chance, side in zip(shrunk_predictions(predictions), chances, above, strict=True):
        for z, of_label in ((1.0, p), (0.0, 1.0 - p)):
            expected[int(side)] += chance * of_label * ((z - p) / chance) ** 2
    assert_allclose(expected_squares(predictions, chances, above), expected)
    # Items that represent several have the chance of one of them each.
    counts = rng.integers(1, 4, 7)
    each = (np.repeat(part, counts) for part in (predictions, chances / counts, above))
    found = expected_squares(predictions, chances / counts, above, counts)
    assert_allclose(found, expected_squares(*each))
