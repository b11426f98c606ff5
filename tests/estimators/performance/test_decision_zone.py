"""Two thresholds with promises of their own, and what lies between them for a human."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe import Goal, PerformanceCurveEstimator
from sklearn_spe.exceptions import UnprovedGoalError, UnreachableGoalError
from sklearn_spe.metrics._decision import NegativePredictiveValue
from tests.active.selectors import model
from tests.quick import QUIET

pytestmark = QUIET
N = 300
PROMISED = {"precision": 0.7}, {"negative_predictive_value": 0.8}
# Both with 0.6: each with 0.8, which takes 0.9 in the posterior.
LEVEL, NEEDED = 0.6, 0.9


@pytest.fixture(scope="module")
def pool(global_random_seed):
    """Return scores, their labels, and those of every fourth item."""
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=N)
    labels = (rng.random(N) < 1.0 / (1.0 + np.exp(-2.5 * scores))).astype(int)
    return scores, labels, np.where(rng.permutation(N) < 75, labels, -1)


@pytest.fixture(scope="module")
def performance(pool):
    return PerformanceCurveEstimator(model(), random_state=0).fit(pool[0], pool[2])


def test_both_promises_are_kept_and_no_smaller_zone_would_do(performance, pool):
    scores, _, y = pool
    zone = performance.threshold_for(PROMISED[0], negative=PROMISED[1], confidence_level=LEVEL)
    assert zone.negative <= zone.positive
    upper = performance.goal_probability(PROMISED[0], thresholds=[zone.positive])
    lower = performance.goal_probability(PROMISED[1], thresholds=[zone.negative])
    assert upper.value[0] >= NEEDED - 1e-9
    assert lower.value[0] >= NEEDED - 1e-9
    between = np.sort(scores[(scores > zone.negative) & (scores <= zone.positive)])
    if len(between):
        band = performance.goal_probability(PROMISED[1], thresholds=between)
        # Between two labelled items the answer is the same.
        changed = (
            performance.selection(zone.negative)[:, None]
            != np.array([performance.selection(t) for t in between]).reshape(len(between), N).T
        )
        assert (band.value[changed.any(axis=0)] < NEEDED).all()
    inside = (scores >= zone.negative) & (scores < zone.positive)
    assert_array_equal(zone.undecided, inside & (y < 0))
    assert_allclose([zone.share.value, *zone.share.interval()], zone.undecided.mean())
    assert "DecisionZone(negative=" in repr(zone)


def test_where_all_is_known_nothing_is_left_to_a_human(pool):
    scores, labels, _ = pool
    known = PerformanceCurveEstimator(model(), random_state=0).fit(scores, labels)
    zone = known.threshold_for(PROMISED[0], negative=PROMISED[1])
    assert not zone.undecided.any()
    assert zone.share.value == 0.0


def test_the_share_of_further_items_is_as_sure_as_the_sample_is_large(performance, pool):
    zone = performance.threshold_for(
        PROMISED[0], negative=PROMISED[1], confidence_level=0.2, target="population"
    )
    inside = (pool[0] >= zone.negative) & (pool[0] < zone.positive)
    assert_array_equal(zone.undecided, inside)
    hits = inside.sum()
    if hits:
        distribution = stats.beta(hits + 0.5, N - hits + 0.5)
        assert_allclose(zone.share.interval(0.8), distribution.ppf([0.1, 0.9]))


def test_labels_may_prove_both(pool):
    scores, labels, _ = pool
    y = np.where(np.random.default_rng(0).random(N) < 0.3, labels, -1)
    chances = np.full(N, 0.3)
    proving = {"confidence_level": 0.5, "guarantee": "anytime"}
    performance = PerformanceCurveEstimator(model(), random_state=0)
    zone = performance.fit(scores, y, inclusion_proba=chances).threshold_for(
        PROMISED[0], negative=PROMISED[1], **proving
    )
    flipped = PerformanceCurveEstimator(model(), greater_is_positive=False, random_state=0)
    other = flipped.fit(-scores, y, inclusion_proba=chances).threshold_for(
        PROMISED[0], negative=PROMISED[1], **proving
    )
    assert (other.negative, other.positive) == (-zone.negative, -zone.positive)
    assert_array_equal(other.undecided, zone.undecided)
    with pytest.raises(UnprovedGoalError):
        performance.threshold_for(
            {"precision": 0.99, "recall": 0.99}, negative=PROMISED[1], **proving
        )


@pytest.mark.parametrize(
    ("promised", "error", "message"),
    [
        (({"precision": 0.999, "recall": 0.99}, PROMISED[1]), UnreachableGoalError, "precision"),
        ((PROMISED[0], {"negative_predictive_value": 1.5}), ValueError, "strictly between 0 and 1"),
        (({}, PROMISED[1]), ValueError, "No goal is set"),
        ((0.9, PROMISED[1]), TypeError, "A bound is a pair"),
    ],
    ids=["unreachable", "range", "none", "number"],
)
def test_what_cannot_be_promised_is_refused(performance, promised, error, message):
    with pytest.raises(error, match=message):
        performance.threshold_for(promised[0], negative=promised[1])


def test_of_who_is_called_negative_the_most_are_wanted():
    metric = Goal.of((NegativePredictiveValue(), 0.9)).metric_to_prefer()
    assert metric.name == "specificity"
