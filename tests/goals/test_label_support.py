"""Selections need labels on the sides of their threshold that decide on the goal."""

import pickle
import warnings
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from sklearn_spe import ActiveTestSelector, Goal, PerformanceCurveEstimator
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.exceptions import UnreachableGoalError, UntestedSelectionWarning
from sklearn_spe.goals._best_threshold import worst_case_bounds
from sklearn_spe.goals._label_support import (
    SideCounts,
    is_supported,
    min_labeled,
    needed_labels,
    rests_on_known,
    selection_reasons,
    side_decides,
)
from sklearn_spe.inputs._scores import ScoreDirection
from sklearn_spe.posterior._operating_points import OperatingPoints, Task
from tests.quick import QUIET

pytestmark = QUIET
SELECTION = Task("sample", 0).of_selection()
RULE = Task("population", 0)
GOALS = {
    "precision": {"precision": 0.7},
    "recall": {"recall": 0.6},
    "false positive rate": {"false_positive_rate": 0.3},
    "negatives": {"negative_predictive_value": 0.7},
    "both": {"precision": 0.5, "recall": 0.5},
    "f1": {"f1": 0.6},
    "accuracy": {"accuracy": 0.6},
    "at most": {"recall": (None, 0.7)},
    "counts": {"false_negatives": 1},
}
EVERY_GOAL = pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS)


def small_sample(rng, n=7):
    """Return a sample of so few items that all classes can be enumerated."""
    return ScoreSample.from_items(np.arange(float(n)), rng.integers(-1, 2, n), np.ones(n))


def can_be_kept(goal, sample, threshold, side):
    """Return whether some classes of the other side meet the goal for all classes of a side."""
    above, known = sample.lower >= threshold, sample.unlabeled == 0.0
    here = np.flatnonzero(~known & (above == bool(side)))
    others = np.flatnonzero(~known & (above != bool(side)))

    def is_met(of_here, of_others):
        y = sample.positive.astype(int)
        y[here], y[others] = of_here, of_others
        called = np.where(known, y == 1, above)
        tp, fp = np.sum(called & (y == 1)), np.sum(called & (y == 0))
        parts = (np.array([[float(v)]]) for v in (tp, fp, y.sum(), len(y) - y.sum()))
        return goal.holds(OperatingPoints(*parts, steps=True)).item()

    return any(
        all(is_met(of_here, of_others) for of_here in product((0, 1), repeat=len(here)))
        for of_others in product((0, 1), repeat=len(others))
    )


def test_an_error_says_that_labels_are_missing_where_the_goal_is_probable():
    # Without a known positive, and with one label, only the model supports a precision.
    scores, y = np.linspace(-4.0, 4.0, 400), np.full(400, -1)
    y[200] = 0
    performance = PerformanceCurveEstimator(n_draws=300, random_state=0).fit(scores, y)
    band = performance.goal_probability(precision=0.1, thresholds=scores[-100:])
    # The posterior probability that is needed is larger than the level.
    level = 0.4 * float(band.value.max())
    with pytest.raises(UnreachableGoalError, match="No threshold that labels support") as caught:
        performance.threshold_for(precision=0.1, confidence_level=level)
    assert caught.value.lacks_labels
    assert pickle.loads(pickle.dumps(caught.value)).lacks_labels


@EVERY_GOAL
def test_a_side_decides_if_its_items_can_break_the_goal_whatever_the_others_are(
    goal, global_random_seed
):
    goal, rng = Goal.of(**goal), np.random.default_rng(global_random_seed)
    for _ in range(3):
        sample = small_sample(rng)
        thresholds = np.arange(0.0, 8.0)
        counts = SideCounts.of(sample, thresholds, SELECTION)
        expected = [[not can_be_kept(goal, sample, t, s) for t in thresholds] for s in (0, 1)]
        decides = side_decides(goal, counts)
        assert np.array_equal(decides, expected)
        supported = is_supported(goal, sample, thresholds, SELECTION)
        lacks = counts.labeled < min_labeled(goal, sample)
        assert np.array_equal(supported, ~(decides & lacks).any(axis=0))


def test_precision_asks_for_labels_above_and_recall_for_labels_below():
    codes = np.full(200, -1)
    codes[90:110] = np.tile([0, 1], 10)
    sample = ScoreSample.from_items(np.arange(200.0), codes, np.ones(200))
    thresholds = np.array([0.0, 50.0, 91.0, 93.0, 107.0, 108.0, 109.0, 150.0, 198.0, 199.0])
    for task in (SELECTION, RULE):
        counts = SideCounts.of(sample, thresholds, task)
        below, above = side_decides(Goal.of(precision=0.9), counts)
        assert not below.any()
        # Ten known positives leave room for one negative, and a rule has none of them.
        assert np.array_equal(above, (thresholds < 199) | (task is RULE))
        below, above = side_decides(Goal.of(recall=0.9), counts)
        assert not above.any() or task is RULE
        assert np.array_equal(below, thresholds > 0)
    supported = is_supported(Goal.of(precision=0.9), sample, thresholds, SELECTION)
    assert np.array_equal(supported, (thresholds <= 108) | (thresholds >= 199))
    supported = is_supported(Goal.of(recall=0.9), sample, thresholds, SELECTION)
    assert np.array_equal(supported, (thresholds == 0) | (thresholds >= 93))


@pytest.mark.parametrize(("precision", "level"), [(0.9, 0.9), (0.8, 0.95), (0.5, 0.6)])
def test_a_proof_takes_as_many_positives_as_exclude_a_smaller_share(precision, level):
    codes = np.full(4000, -1)
    sample = ScoreSample.from_items(np.arange(4000.0), codes, np.ones(4000))
    lack = needed_labels(Goal.of(precision=precision), sample, 2000.0, RULE, level)
    # All labels positive at the largest share that violates the goal.
    risk = stats.binom.pmf(np.arange(200), np.arange(200), precision)
    assert (lack.side, lack.code, lack.n_labeled) == (1, 1, 0.0)
    assert lack.n_needed == np.flatnonzero(risk <= 1.0 - level + 1e-12)[0]
    mirrored = Goal.of(negative_predictive_value=precision)
    lack = needed_labels(mirrored, sample, 2000.0, RULE, level)
    assert (lack.side, lack.code) == (0, 0)
    assert needed_labels(Goal.of(recall=precision), sample, 2000.0, RULE, level) is None


def test_twenty_two_positives_are_needed_for_nine_in_ten_and_enough_are_not_mentioned():
    for n_positive in (21, 22):
        codes = np.full(1000, -1)
        codes[-n_positive:] = 1
        sample = ScoreSample.from_items(np.arange(1000.0), codes, np.ones(1000))
        task, direction = RULE, ScoreDirection(True)
        reasons = list(
            selection_reasons(Goal.of(precision=0.9), sample, 500.0, task, 0.9, direction)
        )
        assert [reason.name for reason in reasons] == ["rests_on_model"] * (n_positive < 22)


# --- negatives on top, where no label lies ----------------------------------------------------


@pytest.fixture(scope="module")
def top_heavy(global_random_seed):
    """Return scores with negatives on top, and labels of none of them."""
    rng = np.random.default_rng(global_random_seed)
    scores = np.sort(rng.normal(size=1500))
    labels = (rng.random(1500) < 1.0 / (1.0 + np.exp(-4.0 * (scores - 0.3)))).astype(int)
    labels[-30:] = 0
    y = np.full(1500, -1)
    drawn = rng.choice(1400, 20, replace=False)
    y[drawn] = labels[drawn]
    return scores, labels, y


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("target", ["sample", "population"])
def test_no_threshold_is_returned_that_labels_do_not_support(top_heavy, sign, target):
    scores, _, y = top_heavy
    performance = PerformanceCurveEstimator(
        greater_is_positive=sign > 0, target=target, n_draws=300, random_state=0
    ).fit(sign * scores, y)
    sample = performance.posterior_.sample
    task = Task(target, 0).of_selection()
    for goal in (Goal.of(precision=0.9), Goal.of(recall=0.9), Goal.of(precision=0.6, recall=0.4)):
        with suppress(UnreachableGoalError):
            threshold = performance.threshold_for(goal, confidence_level=0.6)
            flipped = performance.score_direction_.flip(threshold)
            assert is_supported(goal, sample, [flipped], task).all()


def test_known_labels_are_left_where_the_model_alone_supports_more(top_heavy):
    scores, labels, y = top_heavy
    performance = PerformanceCurveEstimator(n_draws=300, random_state=0).fit(scores, y)
    goal = Goal.of(precision=0.9)
    answers = performance.of()
    threshold, verdict, *_ = answers.supported_threshold(goal, confidence_level=0.9)
    untested = [reason for reason in verdict.reasons if reason.name == "untested_selection"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert performance.threshold_for(goal, confidence_level=0.9) == threshold
    warned = [w.message for w in caught if w.category is UntestedSelectionWarning]
    assert [str(message) for message in warned] == [reason.text for reason in untested]
    assert all(message.parameter == "y" and message.remedy for message in warned)
    candidate = answers.supported_threshold(goal, confidence_level=0.9).candidate
    if candidate is not None:
        # Few items that reach the candidate are named by their number, else about twenty.
        n = np.count_nonzero((scores >= candidate) & (y < 0))
        assert (
            f"{n} unlabeled items"
            if 1 < n <= 20
            else "unlabeled item "
            if n == 1
            else "about 20 items"
        ) in untested[0].remedy
        # What is selected meets the goal for any classes of the missing labels.
        worst = np.where(y < 0, 0, labels)
        assert worst[performance.selection(threshold)].mean() >= 0.9


def test_a_selector_returns_no_selection_that_labels_do_not_support(top_heavy):
    scores, labels, y = top_heavy
    goal = Goal.of(precision=0.9)
    selector = ActiveTestSelector(goal, random_state=0).fit(scores, y)
    for n_items in (0, 4):
        items = selector.query(n_items) if n_items else []
        if n_items:
            selector.update(items, labels[items])
        names = [reason.name for reason in selector.verdict_.reasons]
        if np.isfinite(selector.threshold_):
            sample = selector.performance_.posterior_.sample
            assert is_supported(goal, sample, [selector.threshold_], SELECTION).all()
        assert ("untested_selection" in names) <= (selector.verdict_ != "ok")


def test_a_selection_of_most_items_is_called_so():
    codes = np.r_[0, np.full(18, -1), 1]
    sample = ScoreSample.from_items(np.arange(20.0), codes, np.ones(20))
    names = [
        [
            reason.name
            for reason in selection_reasons(
                Goal.of(recall=0.5), sample, threshold, SELECTION, 0.9, ScoreDirection(True)
            )
        ]
        for threshold in (3.0, 15.0)
    ]
    assert ["most_selected" in of_threshold for of_threshold in names] == [True, False]


@EVERY_GOAL
def test_a_selection_that_rests_on_known_items_would_not_do_without_them(goal, global_random_seed):
    rng = np.random.default_rng([global_random_seed, 11])
    goal = Goal.of(**goal)
    for _ in range(20):
        sample = small_sample(rng)
        for threshold in [*sample.lower, 99.0]:
            rests = rests_on_known(goal, sample, threshold, SELECTION)
            never_breaks = all(can_be_kept(goal, sample, threshold, side) for side in (0, 1))
            assert rests <= never_breaks
            # A rule has no known items.
            assert not rests_on_known(goal, sample, threshold, RULE)


def test_few_unlabeled_items_beside_many_known_positives_prove_no_precision():
    codes = np.r_[np.full(60, -1), np.zeros(20), np.ones(18), np.full(4, -1)].astype(int)
    sample = ScoreSample.from_items(np.arange(-60.0, 42.0), codes, np.ones(102))
    goal = Goal.of(precision=0.8)
    # 18 of 22, if all of the unlabeled are negative; without the labels 0 of 4.
    assert rests_on_known(goal, sample, 38.0, SELECTION)
    assert not rests_on_known(Goal.of(precision=0.9), sample, 38.0, SELECTION)
    assert rests_on_known(Goal.of(precision=0.9), sample, 99.0, SELECTION)
    # Everything finds everything, labels or not.
    assert not rests_on_known(Goal.of(recall=0.9), sample, -60.0, SELECTION)
    # Of items that nearly all are labeled the known positives are the answer.
    nearly_all = ScoreSample.from_items(np.arange(42.0), codes[60:], np.ones(42))
    assert not rests_on_known(goal, nearly_all, 38.0, SELECTION)


@pytest.mark.parametrize("wanted", [{"precision": 0.6}, {"recall": 0.5}, {"accuracy": (0.3, 0.8)}])
def test_worst_and_best_cases_are_those_of_all_completions(wanted, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, codes = np.arange(7.0), np.array([0, -1, 1, -1, -1, 0, -1])
    sample = ScoreSample.from_items(scores, rng.permutation(codes), np.ones(7))
    codes = np.where(sample.unlabeled > 0.0, -1, sample.positive)
    thresholds = np.r_[scores, 7.5]
    goal = Goal.of(**wanted)
    meets = []
    for labels in product([0.0, 1.0], repeat=4):
        y = codes.astype(float)
        y[codes < 0] = labels
        # A selection has the known positives, and no known negative.
        called = np.where(codes < 0, scores >= thresholds[:, np.newaxis], codes == 1)
        tp, n_positive = (called * y).sum(axis=1), y.sum()
        fp = called.sum(axis=1) - tp
        counts = tp, fp, np.full(8, n_positive), np.full(8, 7.0 - n_positive)
        met = np.ones(8, dtype=bool)
        for bound in goal.bounds:
            with np.errstate(invalid="ignore"):
                value = bound.metric.value(*counts)
            met &= (value >= bound.low - 1e-9) & (value <= bound.high + 1e-9)
        meets.append(met)
    worst_case, possible = worst_case_bounds(goal, sample, thresholds)
    assert_array_equal(worst_case, np.all(meets, axis=0))
    # Where every completion fails, none is possible.
    assert (possible | ~np.any(meets, axis=0)).all()
    undecided = Goal.of(**wanted, matthews_corrcoef=0.1)
    worst_case, also_possible = worst_case_bounds(undecided, sample, thresholds)
    assert not worst_case.any()
    assert_array_equal(also_possible, possible)
