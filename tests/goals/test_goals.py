"""Goals: how probable it is that they are met, and the threshold that meets them."""

import pickle
import re
from itertools import cycle, repeat

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import precision_recall_curve, roc_curve

from sklearn_spe import Goal
from sklearn_spe.exceptions import UnreachableGoalError
from sklearn_spe.goals._best_threshold import ThresholdOdds
from sklearn_spe.goals._goal import needed_probability
from sklearn_spe.goals._label_support import is_supported
from sklearn_spe.goals._question import Question
from sklearn_spe.metrics import FBeta
from sklearn_spe.metrics._decision import OfPredictions
from sklearn_spe.posterior._operating_points import Task
from tests.estimators.performance.data import PerformanceProblem
from tests.quick import QUIET

pytestmark = QUIET


def level_that_needs(probability):
    """Return the confidence level whose promises need a posterior probability."""
    return probability / 1.5 if probability < 0.75 else 2.0 * probability - 1.0


def correlation(y_true, y_pred, sample_weight):
    """Return the correlation of labels and decisions, NaN where one of them is constant."""
    table = np.cov(y_true, y_pred, aweights=sample_weight)
    with np.errstate(invalid="ignore"):
        return table[0, 1] / np.sqrt(table[0, 0] * table[1, 1])


GOALS = {
    "precision": ({"precision": 0.7}, {"precision": (0.7, 1.0)}, "recall"),
    "recall": ({"recall": 0.6}, {"recall": (0.6, 1.0)}, "precision"),
    "rates": (
        {"specificity": 0.6, "false_positive_rate": 0.35},
        {"specificity": (0.6, 1.0), "false_positive_rate": (0.0, 0.35)},
        "recall",
    ),
    "precision and recall": (
        {"precision": 0.6, "recall": 0.5},
        {"precision": (0.6, 1.0), "recall": (0.5, 1.0)},
        "f1",
    ),
    "coefficients": (
        {"matthews_corrcoef": 0.3, "cohen_kappa": (-0.5, 0.9), "balanced_accuracy": 0.6},
        {
            "matthews_corrcoef": (0.3, 1.0),
            "cohen_kappa": (-0.5, 0.9),
            "balanced_accuracy": (0.6, 1),
        },
        "f1",
    ),
    "pairs": (
        {"recall": (0.4, 0.95), "accuracy": (None, 0.95)},
        {"recall": (0.4, 0.95), "accuracy": (0.0, 0.95)},
        "f1",
    ),
}
EVERY_GOAL = pytest.mark.parametrize(("goal", "bounds", "left_open"), GOALS.values(), ids=GOALS)


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed)


@pytest.fixture(scope="module")
def both_signs(problem):
    """Return the same fit to scores of either sign."""
    decreasing = problem.mixture(greater_is_positive=False)
    return (
        problem.performance().fit(problem.tied, problem.partial),
        problem.performance(decreasing).fit(-problem.tied, problem.partial),
    )


def share_of_draws(performance, bounds, thresholds, target):
    """Return the weight of the draws in which all bounds hold, from draws of each metric."""
    held = True
    for name, (low, high) in bounds.items():
        draws = draws_of(performance, name, thresholds, target)
        held = held & (draws >= low - 1e-9) & (draws <= high + 1e-9)
    return performance.posterior_.weights @ held


def draws_of(performance, name, thresholds, target):
    """Return a metric of answers about a sample, or of thresholds about a population."""
    if target == "population":
        return performance.curve(name, thresholds=thresholds, target=target).draws
    return np.column_stack([performance.estimate(name, selection=t).draws for t in thresholds])


# --- how probable a goal is -------------------------------------------------------------------


@EVERY_GOAL
@pytest.mark.parametrize("target", ["sample", "population"])
def test_the_probability_is_the_share_of_draws_that_meet_the_goal(
    problem, both_signs, goal, bounds, left_open, target
):
    thresholds = np.unique(problem.tied)[::6]
    for performance, sign in zip(both_signs, (1.0, -1.0), strict=True):
        at = np.sort(sign * thresholds)
        band = performance.goal_probability(thresholds=at, target=target, **goal)
        expected = share_of_draws(performance, bounds, at, target)
        assert_allclose(band.value, expected, atol=1e-12)
        assert np.array_equal(band.x, at)
        assert np.ptp(expected) > 0.0


def test_the_probability_agrees_with_other_completions_of_the_labels(problem, both_signs):
    performance = both_signs[0]
    posterior, known = performance.posterior_, problem.partial >= 0
    rng = np.random.default_rng(problem.seed)
    thresholds = np.unique(problem.tied)[20:-5:15]
    called = problem.tied[:, None] >= thresholds
    answers = np.where(known[:, None], problem.partial[:, None] == 1, called)
    hits, n = np.zeros(len(thresholds)), 0.0
    for block in posterior.blocks():
        p = posterior.positive_probability(problem.tied, block)
        for weight, own in zip(posterior.weights[block.rows], p, strict=True):
            labels = np.where(known, problem.partial, rng.random((20, 200)) < own)
            found = labels @ answers
            precision, recall = found / answers.sum(axis=0), found / labels.sum(1)[:, None]
            hits += weight * ((precision >= 0.6) & (recall >= 0.4)).mean(axis=0)
            n += weight**2
    # One completion for each draw: the sd of a share is at most half of Kish's 1 / sqrt(n). A
    # normal is beyond 5 once in a million.
    tolerance = 5.0 * 0.5 * np.sqrt(n)
    band = performance.goal_probability(thresholds=thresholds, precision=0.6, recall=0.4)
    assert_allclose(band.value, hits, atol=tolerance)
    assert np.ptp(hits) > tolerance


def test_its_interval_is_about_the_number_of_draws_alone(both_signs):
    performance = both_signs[0]
    band = performance.goal_probability(precision=0.7)
    assert band.kind == "simulation"
    n_draws = performance.posterior_.ess
    hits = band.value * n_draws
    distribution = stats.beta(hits + 0.5, n_draws - hits + 0.5)
    for level in (0.5, 0.9):
        lower, upper = distribution.interval(level)
        # An interval holds the share itself, were it 0 or 1.
        assert_allclose(band.interval(level)[0], np.where(hits > 0.0, lower, 0.0), atol=1e-9)
        assert_allclose(band.interval(level)[1], np.where(hits < n_draws, upper, 1.0), atol=1e-9)
    assert np.array_equal(band.interval(), band.interval(0.9))
    assert (band.x_name, band.y_name) == ("threshold", "probability")
    at = band.at(band.x[30])
    assert (at.value, at.kind) == (band.value[30], "simulation")


def test_scores_of_the_other_sign_mirror_the_probability(both_signs):
    increasing, decreasing = both_signs
    for goal, _, _ in GOALS.values():
        one, other = increasing.goal_probability(**goal), decreasing.goal_probability(**goal)
        assert np.array_equal(other.x, -one.x[::-1])
        assert np.array_equal(other.value, one.value[::-1])


# --- the threshold ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "target", "prefer"),
    [
        ("recall", "sample", None),
        ("precision and recall", "sample", FBeta(beta=2.0)),
        *zip(GOALS, repeat("population"), cycle(["accuracy", "false_positive_rate"])),
    ],
)
def test_the_threshold_is_the_most_useful_of_those_that_meet_the_goal(
    problem, both_signs, name, target, prefer
):
    goal, bounds, left_open = GOALS[name]
    performance, mirrored = both_signs
    at, weights = np.unique(problem.tied), performance.posterior_.weights
    task = Task(target, 0).of_selection()
    at = at[is_supported(Goal.of(**goal), performance.posterior_.sample, at, task)]
    shares = share_of_draws(performance, bounds, at, target)
    # Within reach, and no share of draws of equal weight.
    needed = 0.897 * shares.max()
    kept = at[shares >= needed]
    asked = {"confidence_level": level_that_needs(needed), "prefer": prefer, "target": target}
    threshold = performance.threshold_for(**asked, **goal)
    useful = weights @ draws_of(performance, left_open if prefer is None else prefer, kept, target)
    useful = -useful if prefer == "false_positive_rate" else useful
    assert threshold in kept
    assert useful[kept == threshold][0] == pytest.approx(useful.max(), abs=1e-12)
    assert mirrored.threshold_for(**asked, **goal) == -threshold


def test_half_of_the_risk_is_left_to_what_the_posterior_does_not_know():
    assert needed_probability(0.9) == pytest.approx(0.95)
    assert needed_probability(0.5) == pytest.approx(0.75)
    for level in np.linspace(0.01, 0.99, 50):
        assert level < needed_probability(level) < 1.0
        assert level_that_needs(needed_probability(level)) == pytest.approx(level)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("scores", ["scores", "tied"])
def test_with_all_labels_the_threshold_is_that_of_scikit_learn(problem, scores, sign):
    scores = getattr(problem, scores)
    performance = problem.performance(problem.mixture(experts=None, greater_is_positive=sign > 0))
    performance.fit(sign * scores, problem.labels)
    precision, recall, thresholds = precision_recall_curve(problem.labels, scores)
    precision, recall = precision[:-1], recall[:-1]
    for p in (0.4, 0.7, 0.85, 0.95):
        lowest = thresholds[precision >= p - 1e-12].min()
        assert sign * performance.threshold_for(precision=p) == lowest
    for r in (0.2, 0.5, 0.9):
        enough = recall >= r - 1e-12
        threshold = sign * performance.threshold_for(recall=r)
        assert recall[thresholds == threshold][0] >= r
        assert precision[thresholds == threshold][0] == precision[enough].max()
    fpr, tpr, points = roc_curve(problem.labels, scores, drop_intermediate=False)
    threshold = sign * performance.threshold_for(false_positive_rate=0.2)
    assert tpr[points == threshold][0] == tpr[fpr <= 0.2].max()
    # The answer is the labelled positives, whatever the threshold.
    band = performance.goal_probability(precision=0.7, thresholds=np.sort(sign * thresholds))
    assert np.array_equal(band.value, np.ones(len(thresholds)))


def test_a_goal_at_a_value_that_is_reached_exactly_is_met(problem):
    scores, y = np.arange(10.0), np.r_[np.zeros(5, int), 0, 1, 0, 1, 1]
    performance = problem.performance(experts=None).fit(scores, y)
    # Three of five, three of four, two of two.
    for precision, threshold in ((0.6, 5.0), (0.75, 6.0), (0.76, 8.0)):
        assert performance.threshold_for(precision=precision) == threshold
    assert performance.threshold_for(recall=2.0 / 3.0) == 8.0


def test_a_goal_out_of_reach_names_the_best_threshold(problem, both_signs):
    for performance, sign in zip(both_signs, (1.0, -1.0), strict=True):
        at = np.sort(sign * np.unique(problem.tied))
        band = performance.goal_probability(precision=0.95, recall=0.9, thresholds=at)
        with pytest.raises(UnreachableGoalError) as caught:
            performance.threshold_for(precision=0.95, recall=0.9, confidence_level=0.999)
        error = caught.value
        assert isinstance(error, ValueError)
        assert error.best_probability == pytest.approx(band.value.max(), abs=1e-12)
        assert band.value[band.x == error.best_threshold][0] == band.value.max()
        text = str(error)
        assert "precision >= 0.95 and recall >= 0.9 with probability 0.999" in text
        # Without any draw that meets it, no threshold is nearer than others.
        nearest = f"the best threshold, {error.best_threshold:.6g}, has "
        assert (nearest in text) == (error.best_probability > 0.0)
        assert ("none does in any posterior draw" in text) == (error.best_probability == 0.0)
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == text
        assert again.best_threshold == error.best_threshold
        assert again.best_probability == error.best_probability


def test_a_goal_that_no_draw_meets_names_no_nearest_threshold():
    error = UnreachableGoalError("precision >= 0.9", 0.95, 0.0, 1.5, 1, 0.975)
    assert str(error) == (
        "No threshold meets precision >= 0.9 with probability 0.95 (1 is the positive class): none "
        "does in any posterior draw. Ask for looser bounds, or label more items."
    )
    error = UnreachableGoalError("precision >= 0.9", 0.95, 0.4, 1.5, 1, 0.975)
    assert "the best threshold, 1.5, has 0.4. Use a smaller " in str(error)


def test_the_best_probability_of_an_error_is_reached(problem, both_signs):
    performance = both_signs[0]
    # Both at least what they are in about half of the draws: they cannot be had for sure.
    goal = {
        name: min(performance.estimate(name, threshold=1.0).value, 0.999)
        for name in ("precision", "recall")
    }
    with pytest.raises(UnreachableGoalError) as caught:
        performance.threshold_for(confidence_level=0.999, **goal)
    best = caught.value.best_probability
    assert 0.0 < best < 0.999
    threshold = performance.threshold_for(confidence_level=level_that_needs(best) - 1e-9, **goal)
    band = performance.goal_probability(thresholds=[threshold], **goal)
    assert band.value[0] == pytest.approx(best)


# --- how a goal is written --------------------------------------------------------------------


def without_address(part):
    """Return a text that is the same in every process, which the place of a function is not."""
    return re.sub(r" at 0x\w+", "", str(part))


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"precision": 0.9}, "precision >= 0.9"),
        ({"false_positive_rate": 0.1}, "false_positive_rate <= 0.1"),
        ({"recall": (0.2, 0.8)}, "0.2 <= recall <= 0.8"),
        ({"recall": [None, 0.8]}, "recall <= 0.8"),
        ({"false_positive_rate": (0.1, None)}, "false_positive_rate >= 0.1"),
        ({"f1": (0.5, 0.5)}, "0.5 <= f1 <= 0.5"),
        ({"precision": 0.9, "recall": None, "f1": 0.5}, "precision >= 0.9 and f1 >= 0.5"),
        ({"cohen_kappa": -0.1}, "cohen_kappa >= -0.1"),
        ({"matthews_corrcoef": (0.0, 0.5)}, "0 <= matthews_corrcoef <= 0.5"),
        ({correlation: (None, 0.0)}, "correlation <= 0"),
        ({"true_positives": 50}, "true_positives >= 50"),
        ({"false_negatives": 3}, "false_negatives <= 3"),
        (
            {"precision": 0.9, "predicted_positives": 9},
            "precision >= 0.9 and predicted_positives >= 9",
        ),
        ({FBeta(2): 0.8, "precision": 0.5}, "f2 >= 0.8 and precision >= 0.5"),
    ],
    ids=without_address,
)
def test_a_goal_says_what_it_is(wanted, text):
    goal = Goal.of(wanted)
    assert str(goal) == text
    assert Goal.of(goal) == goal == Goal.of(*wanted.items())
    if all(isinstance(metric, str) for metric in wanted):
        assert Goal.of(**wanted) == goal


def test_metrics_without_a_name_are_goals(problem, both_signs):
    performance = both_signs[0]
    thresholds = np.unique(problem.tied)[::5]
    for target in ("sample", "population"):
        task = {"thresholds": thresholds, "target": target}
        band = performance.goal_probability((FBeta(2), 0.6), recall=(None, 0.9), **task)
        f2, recall = (draws_of(performance, of, thresholds, target) for of in (FBeta(2), "recall"))
        expected = performance.posterior_.weights @ ((f2 >= 0.6) & (recall <= 0.9))
        assert_allclose(band.value, expected, atol=1e-12)
        assert np.ptp(expected) > 0.0
        named = performance.goal_probability(matthews_corrcoef=0.3, **task)
        own = performance.goal_probability((correlation, 0.3), **task)
        assert_allclose(own.value, named.value, atol=1e-12)
    wanted = {"confidence_level": 0.5, "prefer": "recall"}
    assert performance.threshold_for((FBeta(1), 0.2), **wanted) == performance.threshold_for(
        f1=0.2, **wanted
    )


COUNTS = {
    "found": ({"true_positives": 60}, "precision"),
    "missed": ({"false_negatives": 9}, "precision"),
    "false alarms": ({"false_positives": 20}, "recall"),
    "precision at the top": ({"precision": 0.7, "predicted_positives": 40}, "recall"),
    "precision of a few": ({"precision": 0.7, "predicted_positives": (None, 40)}, "recall"),
    "found among a few": ({"true_positives": 40, "predicted_positives": (None, 99)}, "precision"),
    "the top": ({"predicted_positives": 40}, "precision"),
    "a few": ({"predicted_positives": (None, 40)}, "recall"),
}


@pytest.mark.parametrize(("wanted", "left_open"), COUNTS.values(), ids=COUNTS)
def test_numbers_of_items_are_goals(problem, both_signs, wanted, left_open):
    goal, performance = Goal.of(**wanted), both_signs[0]
    assert goal.metric_to_prefer().name == left_open
    thresholds = np.unique(problem.tied)[::5]
    expected = np.ones((performance.posterior_.n_draws, len(thresholds)), dtype=bool)
    for bound in goal.bounds:
        drawn = draws_of(performance, bound.metric, thresholds, "sample")
        expected &= (drawn >= bound.low) & (drawn <= bound.high)
    band = performance.goal_probability(goal, thresholds=thresholds)
    assert_allclose(band.value, performance.posterior_.weights @ expected, atol=1e-12)


def test_with_all_labels_the_answer_is_every_positive_and_no_other(problem):
    known = problem.performance().fit(problem.scores, problem.labels)
    n_positive = int(problem.labels.sum())
    assert known.threshold_for(true_positives=n_positive) <= problem.scores.max() + 1.0
    with pytest.raises(UnreachableGoalError):
        known.threshold_for(true_positives=n_positive + 1)


def test_a_population_has_no_number_of_items(both_signs):
    performance, message = both_signs[0], "undefined for a population.*target='sample'"
    for ask in (performance.goal_probability, performance.threshold_for):
        with pytest.raises(ValueError, match=message):
            ask(true_positives=9, target="population")
    with pytest.raises(ValueError, match=message):
        performance.threshold_for(precision=0.5, prefer="true_positives", target="population")
    with pytest.raises(ValueError, match=message):
        performance.estimate("false_negatives", threshold=0.0, target="population")


@pytest.mark.parametrize(
    ("bound", "error", "message"),
    [
        (FBeta(2), TypeError, r"A bound is a pair \(metric, value\).*got FBeta\(beta=2\)"),
        ("precision", TypeError, "or a keyword, such as precision=0.9; got 'precision'"),
        ((FBeta(2), 0.5, 0.9), TypeError, "A bound is a pair"),
        ((FBeta(2), 1.5), ValueError, "strictly between 0 and 1.*got f2=1.5"),
        (("cohen_kappa", -1.0), ValueError, "strictly between -1 and 1.*got cohen_kappa=-1.0"),
        ((FBeta, 0.5), ValueError, "is not a metric of the decision"),
        ({"recall": 0.5}, ValueError, "The goal bounds recall twice"),
        ((OfPredictions(correlation), np.inf), ValueError, "strictly between -inf and inf"),
    ],
    ids=without_address,
)
def test_a_bound_that_means_nothing_is_named(both_signs, bound, error, message):
    for ask in (both_signs[0].goal_probability, both_signs[0].threshold_for):
        with pytest.raises(error, match=message):
            ask(bound, recall=0.5)


BAD_GOALS = [
    ({}, "No goal is set: give at least one of precision, recall"),
    ({"precision": None}, "No goal is set"),
    ({"precision": 0.0}, r"strictly between 0 and 1.*precision=0.0"),
    ({"precision": 1.0}, r"strictly between 0 and 1.*precision=1.0"),
    ({"precision": np.nan}, r"strictly between 0 and 1.*nan"),
    ({"precision": "0.9"}, r"strictly between 0 and 1.*'0.9'"),
    ({"precision": True}, r"strictly between 0 and 1.*True"),
    ({"recall": (0.5, 1.5)}, r"strictly between 0 and 1"),
    ({"recall": (0.2, 0.3, 0.4)}, r"strictly between 0 and 1"),
    ({"recall": (None, None)}, "is not a bound; give at least one end"),
    ({"recall": (0.8, 0.2)}, "is contradictory: the ends are not in order"),
    ({"kapa": 0.5}, "'kapa' is not a metric of the decision"),
    ({"precision": 0.8, "probability": 0.9}, "must be met is confidence_level= of threshold_for"),
    ({"roc_auc": 0.9}, "'roc_auc' is not a metric of the decision score >= threshold"),
    ({"prevalence": 0.9}, "'prevalence' is not a metric of the decision"),
    (
        {"specificity": 0.9, "false_positive_rate": (0.2, None)},
        "The goal is contradictory: specificity >= 0.9 and false_positive_rate >= 0.2",
    ),
    (
        {"f1": 0.8, "precision": (None, 0.5)},
        r"contradictory: f1 >= 0.8 and precision <= 0.5.*<= f1 <= 0.6667",
    ),
    ({"true_positives": 0.8}, "a number of items: give a whole number, got 0.8. For shares"),
    ({"true_positives": 0}, "strictly between 0 and inf"),
    (
        {"true_positives": 9, "predicted_positives": (None, 8)},
        "contradictory: predicted_positives <= 8 and true_positives >= 9",
    ),
    ({"f1": (None, 0.4), "precision": 0.5, "recall": 0.5}, "The goal is contradictory"),
]


@pytest.mark.parametrize(("goal", "message"), BAD_GOALS, ids=lambda part: str(part)[:40])
def test_a_goal_that_means_nothing_is_named(both_signs, goal, message):
    for ask in (both_signs[0].goal_probability, both_signs[0].threshold_for):
        with pytest.raises(ValueError, match=message):
            ask(**goal)


@pytest.mark.parametrize(
    "goal",
    [
        {"specificity": 0.9, "false_positive_rate": (0.1, None)},
        {"f1": 0.6, "precision": (None, 0.5)},
        {"f1": (None, 0.5), "precision": 0.5, "recall": 0.5},
        {"true_positives": 9, "predicted_positives": (None, 9)},
    ],
    ids=str,
)
def test_a_goal_that_could_be_met_by_some_counts_is_none_to_reject(goal):
    assert len(Goal.of(**goal).bounds) == len(goal)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence_level": 0.0}, "confidence_level must lie in"),
        ({"confidence_level": 1.0}, "confidence_level must lie in"),
        ({"prefer": "roc_auc"}, "prefer='roc_auc' is not a metric of the decision"),
        ({"prefer": "kapa"}, "Unknown metric 'kapa'"),
        ({"target": "both"}, "target must be one of sample, population"),
    ],
    ids=str,
)
def test_a_bad_question_for_a_threshold_is_named(both_signs, parameters, message):
    parameters = {"confidence_level": 0.5, **parameters}
    with pytest.raises(ValueError, match=message):
        both_signs[0].threshold_for(precision=0.5, **parameters)


def test_metrics_of_ones_own_may_share_a_name_with_each_other_and_with_ours():
    def precision(y_true, y_pred, sample_weight):
        return 7.0

    def other(y_true, y_pred, sample_weight):
        return 9.0

    other.__name__ = "precision"
    # That f1 >= 0.8 contradicts precision <= 0.5 is true of precision alone.
    goal = Goal.of((precision, (None, 0.5)), (other, (None, 8.0)), f1=0.8)
    assert str(goal) == "precision <= 0.5 and precision <= 8 and f1 >= 0.8"
    with pytest.raises(ValueError, match="bounds precision twice"):
        Goal.of((precision, 3.0), (precision, 8.0))


def test_a_bound_where_a_place_is_asked_names_the_goal():
    for metric in ("average_precision", "recall"):
        with pytest.raises(ValueError, match=r"pass a goal .* Goal.of\(precision=\(0.9, None\)\)"):
            Question.of(metric, precision=(0.9, None))


def test_the_best_is_the_most_useful_of_those_probable_and_supported(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    needed, thresholds = needed_probability(0.8), np.arange(5.0)
    for _ in range(200):
        probability = rng.choice([0.5, needed, 0.99], 5) - 1e-3 * (rng.random(5) < 0.3)
        usefulness, is_supported = rng.permutation(5) - 2.0, rng.random(5) < 0.5
        odds = ThresholdOdds(None, None, None, None, thresholds, probability, usefulness)
        # What labels support is tested by itself.
        vars(odds)["is_supported"] = is_supported
        best = odds.best(0.8)

        probable = probability >= needed
        among = np.where(probable & is_supported, usefulness, -np.inf)
        expected = int(np.argmax(among if np.isfinite(among).any() else probability))
        assert best.threshold == expected
        assert best.is_kept == np.isfinite(among).any()
        assert best.probability == probability[expected]
        # Some are more useful, but have too few labels.
        lacking = np.where(probable & ~is_supported, usefulness, -np.inf)
        assert best.lacks_labels == (lacking.max() > among.max())
        assert best.candidate == (int(np.argmax(lacking)) if best.lacks_labels else None)


@pytest.mark.parametrize(
    ("metric", "where", "expected"),
    [
        ("recall", {"threshold": 0.5}, True),
        ("roc_auc", {}, True),
        ("precision", {"recall": 0.5}, True),
        ("precision_recall", {}, True),
        ("recall", {"precision": 0.5}, False),
        ("roc", {}, False),
        ("brier_score", {}, False),
    ],
)
def test_sums_rankings_and_precision_at_recalls_have_a_design(metric, where, expected):
    question = Question.of(metric, **where)
    above = np.array([True, False]) if "threshold" in where else None
    assert question.has_design(question.terms(above)) is expected
