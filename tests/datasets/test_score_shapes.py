"""Scores of any shape: what each kind promises, and that the law is that of the draws."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_spe.datasets import ScoreShape
from sklearn_spe.datasets._simulated_scores import SCORE_SHAPES


@pytest.fixture(params=SCORE_SHAPES)
def shape(request, global_random_seed):
    return ScoreShape.random(request.param, global_random_seed)


def truth_at(shape, scores):
    """Return P(y = 1 | score) at scores that were drawn: that of the ranks around them."""
    _, firsts = np.unique(shape.scores, return_index=True)
    places = np.searchsorted(shape.scores[firsts], scores, side="right") - 1
    return shape.probabilities[firsts][np.clip(places, 0, None)]


def test_labels_are_as_frequent_as_the_distribution_says(shape, global_random_seed):
    scores, labels = shape.draw(20_000, global_random_seed)
    assert np.isfinite(scores).all()
    assert set(np.unique(labels)) <= {0, 1}
    order = np.argsort(scores, kind="stable")
    p = truth_at(shape, scores)[order]
    for part_p, part_y in zip(
        np.array_split(p, 10), np.array_split(labels[order], 10), strict=True
    ):
        # A normal law is too light for a handful of positives; a place may be off by one rank.
        surplus = abs(part_y.sum() - part_p.sum())
        spread = np.sqrt((part_p * (1.0 - part_p)).sum())
        assert surplus <= 6.0 * spread + 8.0


def test_scores_never_fall_and_tied_scores_have_one_probability(shape):
    assert (np.diff(shape.scores) >= 0.0).all()
    tied = np.diff(shape.scores) == 0.0
    assert (np.diff(shape.probabilities)[tied] == 0.0).all()
    assert 0.0 < shape.prevalence < 1.0


def auc(shape):
    """Return the share of pairs in which the positive has the higher score."""
    scores, labels = shape.draw(20_000, 0)
    return roc_auc_score(labels, scores)


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("worthless", 0.3, 0.7), ("inverted", 0.0, 0.5), ("monotone", 0.5, 1.0)],
)
def test_order_is_that_of_the_kind(kind, low, high, global_random_seed):
    found = auc(ScoreShape.random(kind, global_random_seed))
    # Twenty thousand items with 3% positives: six standard errors.
    assert low - 0.08 < found < high + 0.08


def test_ends_and_ties_are_those_of_the_kind(global_random_seed):
    def drawn(kind, seed):
        return ScoreShape.random(kind, seed).draw(5000, seed)[0]

    assert len(np.unique(drawn("heaps", global_random_seed))) <= 9
    saturated = drawn("saturated", global_random_seed)
    assert (saturated == 1.0).mean() > 0.005
    assert saturated.min() >= 0.0


def test_the_best_scores_are_negatives_where_the_kind_says_so(global_random_seed):
    shape = ScoreShape.random("negatives_on_top", global_random_seed)
    assert shape.probabilities[-1] <= 0.2 + 1e-9
    assert shape.probabilities.max() > shape.probabilities[-1]
    shape = ScoreShape.random("positives_below", global_random_seed)
    assert shape.probabilities[0] >= 0.05 - 1e-9


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="kind must be one of"):
        ScoreShape.random("zigzag")
    with pytest.raises(ValueError, match="n_samples"):
        ScoreShape.random("heaps", 0).draw(0)
