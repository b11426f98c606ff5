"""Labels that are spent for a goal: the best answer, what a label tells of it, when to stop."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import ActiveTestSelector, Goal
from sklearn_spe.active import GoalReached, MaxLabels
from sklearn_spe.active._goal_information import BoundSums
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.exceptions import OutsideDesignWarning
from sklearn_spe.goals._best_threshold import worst_case_bounds
from sklearn_spe.metrics import FBeta
from tests.active.selectors import Items, assert_same, state
from tests.quick import QUIET

pytestmark = QUIET
PRECISION = Goal.of(precision=0.8)


@pytest.fixture(scope="module")
def items(global_random_seed):
    return Items.drawn(global_random_seed)


@pytest.fixture(scope="module")
def chosen(items):
    """Return a selector that has spent forty labels for a precision."""
    return items.label(items.selector(PRECISION).fit(items.scores), 20, rounds=2)


# --- what a label tells -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cells(global_random_seed):
    """Return probabilities of six cells in nine draws, and how many items are known in each."""
    rng = np.random.default_rng(global_random_seed)
    counts = rng.integers(0, 3, (3, 6)).astype(float)
    counts[0] += 1.0
    return rng.random((9, 6)), counts


def test_the_sum_of_a_bound_has_the_mean_and_variance_of_drawn_labels(cells):
    p, (unlabeled, negative, positive) = cells
    rng = np.random.default_rng(0)
    (bound,) = Goal.of(f1=0.6).bounds
    ((condition, _),) = bound.conditions(None)
    sums = BoundSums.of(condition, p, (unlabeled, negative, positive))
    draw = rng.integers(0, 9, 40_000)
    drawn = rng.binomial(unlabeled.astype(int), p[draw])
    for aim in (0, 3, 6):
        above = np.arange(6) >= aim
        tp, fp = positive.sum() + drawn[:, above].sum(1), (unlabeled - drawn)[:, above].sum(1)
        n_positive = positive.sum() + drawn.sum(axis=1)
        # F1 >= 0.6 is 2 tp >= 0.6 (tp + fp + n_positive).
        values = 2.0 * tp - 0.6 * (tp + fp + n_positive)
        # Of 40,000 draws a normal is beyond 5 standard errors once in a million.
        close = 5.0 * values.std() / 200.0
        assert_allclose(sums.expected[:, aim].mean(), values.mean(), atol=close)
        assert_allclose(sums.variance[aim], values.var(), rtol=0.1)


@pytest.mark.parametrize("wanted", [{"precision": 0.7}, {"recall": 0.7}], ids=str)
def test_a_gain_is_what_a_label_does_to_the_lower_bound_of_the_sum(cells, wanted):
    p, counts = cells
    (bound,) = Goal.of(**wanted).bounds
    ((condition, _),) = bound.conditions(None)
    sums, aim, z = BoundSums.of(condition, p, counts), 3, 1.3
    found = sums.information(p, aim, z)
    mean, variance = sums.expected[:, aim].mean(), sums.variance[aim]
    for cell in range(6):
        above = int(cell >= aim)
        now = (1.0 - p[:, cell]) * condition[0, above] + p[:, cell] * condition[1, above]
        # Once its label is known an item is in the answer by it, and what is left are the others.
        chance = {0: 1.0 - p[:, cell], 1: p[:, cell]}
        told = {
            label: np.average(sums.expected[:, aim] - now + condition[label, above], weights=w)
            for label, w in chance.items()
        }
        share = {label: w.mean() for label, w in chance.items()}
        drop = sum(share[label] * (told[label] - mean) ** 2 for label in (0, 1))
        drift = sum(share[z] * (condition[z, z] - condition[z, above]) for z in (0, 1))
        gain = z * (np.sqrt(variance) - np.sqrt(max(variance - drop, 0.0))) + drift
        assert_allclose(found.gains[cell], max(gain, 0.0), atol=1e-9)


def test_labels_above_the_aim_are_worth_more_for_precision_and_below_it_for_recall(items):
    ranks = []
    for goal in (Goal.of(precision=0.9), Goal.of(recall=0.9)):
        found = items.selector(goal).fit(items.scores, items.partly(30))
        useful = np.nan_to_num(found.utilities_)
        ranks.append(np.average(np.argsort(np.argsort(items.scores)), weights=useful**2))
    assert ranks[0] > ranks[1] + 20


@pytest.mark.parametrize("goal", [Goal.of(matthews_corrcoef=0.3), Goal.of((FBeta(2), 0.5))])
def test_bounds_of_any_metric_are_labeled_for(items, goal):
    found = items.label(items.selector(goal).fit(items.scores, items.partly(20)), 5)
    assert np.nanmax(found.utilities_) > 0.0
    assert found.goal_probability_ > 0.0


# --- what is sure -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted",
    [
        {"precision": 0.6},
        {"recall": (0.3, 0.8)},
        {"false_positive_rate": 0.2},
        {"accuracy": 0.7, "precision": (None, 0.9)},
        {"true_positives": (2, 4)},
        {"false_negatives": 1},
        {"precision": 0.6, "predicted_positives": 3},
    ],
    ids=str,
)
def test_what_is_sure_and_what_is_possible_is_that_of_all_labelings(wanted, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, goal = np.arange(8.0), Goal.of(**wanted)
    for n_known in (2, 5, 8):
        codes = np.where(rng.permutation(8) < n_known, rng.integers(0, 2, 8), -1)
        sample = ScoreSample.from_items(scores, codes, np.ones(8))
        thresholds = np.r_[scores, 8.5]
        kept = []
        for labeling in product((0, 1), repeat=8 - n_known):
            labels = codes.copy()
            labels[codes < 0] = labeling
            answer = np.where(codes >= 0, codes == 1, scores >= thresholds[:, None])
            tp, fp = (answer & (labels == 1)).sum(1), (answer & (labels == 0)).sum(1)
            n_positive, n_negative = (labels == 1).sum(), (labels == 0).sum()
            value = {
                "precision": tp / np.maximum(tp + fp, 1),
                "recall": tp / max(n_positive, 1),
                "false_positive_rate": fp / max(n_negative, 1),
                "accuracy": (tp + n_negative - fp) / 8,
                "true_positives": tp,
                "false_negatives": n_positive - tp,
                "predicted_positives": tp + fp,
            }
            ends = {bound.metric.name: (bound.low, bound.high) for bound in goal.bounds}
            holds = [
                (value[m] >= low - 1e-9) & (value[m] <= high + 1e-9)
                for m, (low, high) in ends.items()
            ]
            kept.append(np.logical_and.reduce(holds))
        sure, possible = worst_case_bounds(goal, sample, thresholds)
        # What is said is true of every labelling; of several bounds it may say less than there is.
        assert not (sure & ~np.all(kept, axis=0)).any()
        assert not (~possible & np.any(kept, axis=0)).any()
        if len(wanted) == 1 and (codes == 1).any() and (codes == 0).any():
            assert np.array_equal(sure, np.all(kept, axis=0))
            assert np.array_equal(possible.any(), np.any(kept))


# --- what the selector says ---------------------------------------------------------------------


def test_the_answer_is_that_of_the_performance(items, chosen):
    weight = chosen.model_weight_
    known = chosen._session.query_log.codes
    assert np.array_equal(chosen.selected_[known >= 0], known[known >= 0] == 1)
    assert np.array_equal(chosen.selected_, chosen.performance_.selection(chosen.threshold_))
    band = chosen.performance_.goal_probability(PRECISION, thresholds=[chosen.threshold_])
    said = chosen.goal_probability_
    assert said >= 0.9 - 1e-9
    # An answer that may turn out wrong is believed as far as the model is.
    assert min(abs(said - weight * band.value[0]), abs(said - 1.0)) < 1e-9
    assert chosen.estimate_.name == "recall"
    assert chosen.estimate_.threshold == chosen.threshold_
    expected = chosen.performance_.estimate("recall", selection=chosen.threshold_)
    assert_allclose(chosen.estimate_.value, expected.value, atol=1e-9)
    assert chosen.history_[-1].goal_probability == said
    assert chosen.design_estimate_ is None
    assert chosen.goal_ == PRECISION


def test_as_long_as_no_answer_keeps_it_there_is_none(items):
    found = items.fitted(Goal.of(precision=0.9, recall=0.95), confidence_level=0.99)
    assert np.isnan(found.threshold_)
    assert not found.selected_.any()
    assert 0.0 <= found.goal_probability_ < 0.99
    (reason,) = [r for r in found.verdict_.reasons if r.name == "goal_not_kept"]
    assert "No answer keeps precision >= 0.9 and recall >= 0.95 with prob" in str(reason)
    assert not found.should_stop(GoalReached())
    # Whatever is known is known: it is kept once all is labelled.
    with pytest.warns(OutsideDesignWarning):
        found.update(np.arange(300), items.truth)
    assert np.array_equal(found.selected_, items.truth == 1)
    assert found.goal_probability_ == pytest.approx(1.0)
    assert found.should_stop(GoalReached(least=0.9))
    assert "keeps precision >= 0.9 and recall >= 0.95" in found.stop_reason_


def test_a_goal_that_is_met_already_is_said_before_a_label_is_spent(items):
    found = items.selector(Goal.of(precision=0.9)).fit(items.scores, items.partly(60))
    assert found.should_stop(GoalReached(least=0))
    assert found.stop_reason_.startswith(found._session.guarantee.describe())
    assert found.n_labels_ == 60
    # An answer there is, and not yet a good one.
    assert not found.should_stop(GoalReached(least=0.999))


def test_half_of_what_the_best_threshold_reaches_is_enough(items):
    found = items.selector(Goal.of(precision=0.8)).fit(items.scores, items.truth)
    # With all labels known that is no estimate.
    thresholds = np.unique(items.scores)
    above = items.scores >= thresholds[:, np.newaxis]
    n_found = (above & (items.truth == 1)).sum(axis=1)
    recall = n_found[n_found >= 0.8 * above.sum(axis=1)].max(initial=0) / items.truth.sum()
    assert found._session.model.goal_attainable() == pytest.approx(recall)

    part = items.selector(Goal.of(precision=0.8)).fit(items.scores, items.partly(60))
    enough = 0.5 * part._session.model.goal_attainable()
    is_useful = bool(np.isfinite(part.threshold_) and part.estimate_.value >= enough)
    assert part.should_stop(GoalReached()) == is_useful


def test_a_goal_that_no_label_can_bring_is_said(items):
    wanted = Goal.of(recall=(None, 0.5))
    found = items.selector(wanted).fit(items.scores, items.truth)
    assert found.should_stop(GoalReached(least=0.5) | MaxLabels(300))
    assert "no answer can keep recall <= 0.5, whatever" in found.stop_reason_
    (reason,) = [r for r in found.verdict_.reasons if r.name == "goal_impossible"]
    assert "Lower the goal: further labels do not help." in str(reason)
    with pytest.raises(ValueError, match="GoalReached needs a selector with a goal"):
        items.fitted().should_stop(GoalReached())


def test_a_table_remembers_a_goal(items, chosen):
    resumed = ActiveTestSelector.from_frame(chosen.to_frame(), label_model=items.model())
    assert_same(state(chosen), state(resumed))
    assert resumed.metric == PRECISION
    assert resumed.threshold_ == chosen.threshold_
    with pytest.raises(ValueError, match=r"started with metric=Goal\(precision >= 0.8\), got"):
        ActiveTestSelector.from_frame(
            chosen.to_frame(), label_model=items.model(), metric=Goal.of(recall=0.5)
        )
    own = items.label(items.fitted(Goal.of((FBeta(2), 0.5), recall=(0.1, 0.99))), 5)
    with pytest.raises(ValueError, match="cannot be stored in a table: pass metric again"):
        ActiveTestSelector.from_frame(own.to_frame(), label_model=items.model())


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({"precision": 0.9}, {}, r"A goal already has .*Goal.of\(precision=0.9\).*not take prec"),
        ({"interval": "design"}, {}, "labels are spent on a goal, precision >= 0.8: use interval"),
        (
            {"label_model": "joint"},
            {"noisy_labels": np.arange(300) % 2},
            "needs one pool of scores",
        ),
        ({}, {"groups": np.arange(300) // 3}, "needs one pool of scores"),
    ],
    ids=str,
)
def test_what_does_not_go_with_a_goal_is_refused(items, parameters, given, message):
    with pytest.raises(ValueError, match=message):
        items.selector(PRECISION, **parameters).fit(items.scores, **given)


def test_a_goal_is_made_of_bounds():
    with pytest.raises(TypeError, match=r"Create a goal by Goal.of\(precision=0.9\); got bounds"):
        Goal({"precision": 0.9})
    assert repr(PRECISION) == "Goal(precision >= 0.8)"
