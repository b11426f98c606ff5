"""Features beside judges: a judge that passes long answers is believed less where they are long."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.data._features import MAX_LEVELS, ItemFeatures
from tests.quick import QUIET

pytestmark = QUIET

N, N_LABELED = 600, 200


@pytest.fixture(scope="module")
def answers(global_random_seed):
    """Lengths, labels, and a judge that passes nearly all long answers."""
    rng = np.random.default_rng(global_random_seed)
    length = rng.lognormal(5.0, 0.6, N)
    truth = (rng.random(N) < 0.5).astype(int)
    is_long = length > np.median(length)
    verdict = np.where(is_long & (rng.random(N) < 0.9), 1, truth)
    return length, truth, verdict, np.where(np.arange(N) < N_LABELED, truth, -1)


def fitted(answers, **arguments):
    _, _, verdict, y = answers
    performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    return performance.fit(None, y, judges={"gpt": verdict}, **arguments)


def probability_of_passed(performance, answers):
    """Return the expected probability of unlabeled passed answers, long ones and short ones."""
    length, _, verdict, y = answers
    passed = (verdict == 1) & (y < 0)
    is_long = length > np.median(length)
    model = performance.model_
    means = []
    for part in (is_long, ~is_long):
        items = model.table.item_of_row[np.flatnonzero(passed & part)]
        blocks = model.row_posterior.blocks()
        draws = np.concatenate([model.item_probability(block, items) for block in blocks])
        means.append(draws.mean())
    return means


def test_a_passed_long_answer_is_less_often_good(answers):
    """With the length both probabilities are nearer to the truth; without it they are one."""
    length, truth, verdict, y = answers
    long, short = probability_of_passed(fitted(answers, features={"length": length}), answers)
    is_long = length > np.median(length)
    passed = (verdict == 1) & (y < 0)
    known = [truth[passed & part].mean() for part in (is_long, ~is_long)]
    assert short > long + 0.1

    common = probability_of_passed(fitted(answers), answers)
    assert common[0] == pytest.approx(common[1])
    assert abs(long - known[0]) < abs(common[0] - known[0])
    assert abs(short - known[1]) < abs(common[1] - known[1])


def test_only_the_order_of_a_feature_matters(answers):
    """An increasing function of a feature leaves every bit of the answer."""
    length = answers[0]
    one = fitted(answers, features=length).estimate("prevalence")
    other = fitted(answers, features=pd.DataFrame({0: np.log(length)})).estimate("prevalence")
    assert one.value == other.value
    assert one.interval() == other.interval()


def test_a_constant_feature_says_nothing(answers):
    without = fitted(answers).estimate("prevalence")
    constant = fitted(answers, features=np.ones(N)).estimate("prevalence")
    assert constant.value == without.value


def test_features_beside_scores_categories_and_labels_alone(answers):
    """They go with a column of scores, with categories, and with labels alone."""
    length, truth, verdict, y = answers
    system = np.where(np.arange(N) % 2 == 0, "A", "B")
    rng = np.random.default_rng(0)
    performance = PerformanceCurveEstimator(n_draws=50, random_state=0)
    for X, others in (
        (truth + rng.normal(size=N), {}),
        (None, {"judges": {"gpt": verdict}, "category": system}),
        (None, {}),
    ):
        performance.fit(X, y, features=np.column_stack([length, -length]), **others)
        low, high = performance.estimate("prevalence").interval(0.9)
        assert low - 0.1 < truth.mean() < high + 0.1


def test_update_keeps_features(answers):
    length, truth, verdict, y = answers
    performance = fitted(answers, features=length)
    more = np.where(np.arange(N) < 2 * N_LABELED, truth, -1)
    updated = performance.update(None, more, judges={"gpt": verdict})
    direct = PerformanceCurveEstimator(n_draws=200, random_state=0)
    direct = direct.fit(None, more, judges={"gpt": verdict}, features=length)
    difference = updated.estimate("prevalence").value - direct.estimate("prevalence").value
    assert abs(difference) < 0.02
    with pytest.raises(ValueError, match="same features="):
        performance.update(None, more, judges={"gpt": verdict}, features=-length)
    scores = PerformanceCurveEstimator(n_draws=50, random_state=0).fit(length, y)
    with pytest.raises(ValueError, match="features= requires a fit with it"):
        scores.update(length, more, features=length)


def test_levels_are_of_equally_many_items():
    """Missing values are a level of their own, which shifts nothing."""
    rng = np.random.default_rng(0)
    numbers = rng.lognormal(size=80)
    numbers[:8] = np.nan
    features = ItemFeatures.read(numbers, 80)
    assert_array_equal(np.bincount(features.levels[8:, 0]), np.full(MAX_LEVELS, 9))
    assert_array_equal(features.levels[:8, 0], -1)
    assert_array_equal(features.values[:8, 0], 0.0)
    assert features.values[8:, 0].std() == pytest.approx(1.0)
    assert features.is_same(ItemFeatures.read(np.exp(numbers), 80))
    assert ItemFeatures.read(np.full(80, np.nan), 80).informative == []


@pytest.mark.parametrize(
    ("features", "match"),
    [
        (np.ones(N - 1), "for each of 600 items"),
        ({}, "holds no column"),
        (np.ones((N, 2, 2)), "must have shape"),
    ],
)
def test_what_is_refused(answers, features, match):
    with pytest.raises((ValueError, TypeError), match=match):
        fitted(answers, features=features)
