"""Scores of which smaller ones mean positive are turned around, and back."""

import numpy as np
import pytest

from sklearn_spe.inputs._scores import ScoreDirection
from tests.quick import QUIET

pytestmark = QUIET

SCORES = np.array([-3.0, 0.5, 0.25, 7.0])


def test_a_turn_reverses_the_order_and_is_its_own_inverse():
    score_direction = ScoreDirection.of(SCORES, False)
    flipped = score_direction.flip(SCORES)
    assert np.argsort(flipped).tolist() == np.argsort(SCORES)[::-1].tolist()
    assert flipped.tolist() == (-SCORES).tolist()
    assert score_direction.flip(flipped).tolist() == SCORES.tolist()
    assert score_direction.flip(2.5) == -2.5


@pytest.mark.parametrize(
    ("scores", "total"),
    [
        ([0.0, 0.25, 1.0], 1.0),
        ([0.5], 1.0),
        ([0.0, 1.0 + 1e-9], 0.0),
        ([-1e-9, 0.5], 0.0),
        ([2.0, 3.0], 0.0),
    ],
    ids=str,
)
def test_scores_between_zero_and_one_stay_there(scores, total):
    scores = np.array(scores)
    score_direction = ScoreDirection.of(scores, False)
    assert score_direction.total == total
    flipped = score_direction.flip(scores)
    assert flipped.tolist() == (total - scores).tolist()
    if total:
        assert flipped.min() >= 0.0
        assert flipped.max() <= 1.0


@pytest.mark.parametrize("value", [1, 0, None, "yes", np.array([True])], ids=repr)
def test_the_direction_is_a_boolean(value):
    with pytest.raises(TypeError, match="greater_is_positive must be True or False, got"):
        ScoreDirection.of(SCORES, value)


def test_a_threshold_that_is_flipped_back_lets_the_same_scores_pass(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    tiny = 10.0 ** rng.uniform(-20.0, -15.0, 40)
    scores = np.r_[np.arange(101) / 100.0, rng.random(200), tiny]
    score_direction = ScoreDirection.of(scores, False)
    flipped = score_direction.flip(scores)
    for threshold in flipped:
        passing = scores <= score_direction.flip_threshold(threshold)
        assert np.array_equal(passing, flipped >= threshold)


@pytest.mark.parametrize(("greater", "flipped"), [(True, 2.5), (False, -2.5)])
def test_a_threshold_of_scores_without_bounds_changes_its_sign_or_nothing(greater, flipped):
    assert ScoreDirection.of(SCORES, greater).flip_threshold(2.5) == flipped
    assert ScoreDirection.of(SCORES, greater).reversed().flip_threshold(2.5) == -flipped
