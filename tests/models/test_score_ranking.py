"""Questions about one column of scores: where all labels are known, the answers are exact."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.exceptions import UnprovedGoalError, UnreachableGoalError
from sklearn_spe.goals._question import Question
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
N, SHARE = 60, 0.5
DECISIONS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "accuracy": metrics.accuracy_score,
}


@pytest.fixture(scope="module")
def pool(global_random_seed):
    """Return scores from 0 to 1, labels that follow them, and those of half of the items."""
    rng = np.random.default_rng(global_random_seed)
    scores = rng.permutation((np.arange(N) + 0.5) / N)
    labels = (rng.random(N) < special.expit(8.0 * scores - 4.0)).astype(int)
    return scores, labels, np.where(rng.permutation(N) < SHARE * N, labels, -1)


def fitted(scores, y, kind="probability", greater_is_positive=True, **structure):
    mixture = SemisupervisedScoreMixture(
        experts=EXPERTS, n_draws=60, score_kind=kind, greater_is_positive=greater_is_positive
    )
    performance = PerformanceCurveEstimator(mixture, random_state=0, n_points=20, classes=[0, 1])
    return performance.fit(scores, y, **structure)


@pytest.fixture(scope="module")
def known(pool):
    return fitted(pool[0], pool[1])


@pytest.fixture(scope="module")
def partial(pool):
    return fitted(pool[0], pool[2], inclusion_proba=np.full(N, SHARE))


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_by_every_door_are_those_of_scikit_learn(name, known, pool):
    scores, labels, _ = pool
    expected = DECISIONS[name](labels, scores >= 0.5)
    question = Question.of(name, threshold=0.5)
    for estimate in (known.estimate(name), known.estimate(question)):
        assert_allclose([estimate.value, *estimate.interval()], expected)
    thresholds = [0.8, 0.25, 0.5]
    band = known.curve(name, thresholds=thresholds)
    assert_allclose(band.value, [DECISIONS[name](labels, scores >= t) for t in sorted(thresholds)])
    matrix = metrics.confusion_matrix(labels, scores >= 0.5)
    for threshold in (None, 0.5):
        assert_allclose(known.confusion_matrix(threshold=threshold).value, matrix)
    assert_array_equal(known.plan([0], name), [0.0])


def test_a_curve_states_the_numbers_at_its_points(known, partial):
    for performance in (known, partial):
        band = performance.curve()
        numbers = [performance.estimate("precision", recall=r) for r in band.x]
        assert_allclose(band.value, [number.value for number in numbers])
        slopes = performance.curve("precision_after_gain")
        middle = len(slopes.x) // 2
        of_one = performance.estimate("precision_after_gain", threshold=slopes.x[middle])
        assert_allclose(slopes.value[middle], of_one.value)
        goals = performance.goal_probability(precision=0.7)
        again = performance.goal_probability(precision=0.7, thresholds=goals.x)
        assert_array_equal(goals.value, again.value)


def test_functions_of_scores_and_columns_of_rows(known, pool):
    scores, labels, _ = pool
    squared = known.estimate("brier_score", predicted=np.square).value
    assert_allclose(squared, metrics.brier_score_loss(labels, scores**2))
    weights = scores + 1.0
    weighted = known.estimate(
        lambda y, s, w: metrics.average_precision_score(y, s, sample_weight=w),
        sample_columns={"w": weights},
    )
    expected = metrics.average_precision_score(labels, scores, sample_weight=weights)
    assert_allclose(weighted.value, expected)
    shares, means = calibration_curve(labels, scores, n_bins=5, strategy="uniform")
    band = known.calibration_curve(lambda s: s, n_bins=5, strategy="uniform")
    assert_allclose([band.x, band.value], [means, shares])


def test_the_mirror_image_has_the_same_answers(known, pool):
    flipped = fitted(1.0 - pool[0], pool[1], greater_is_positive=False)
    of_both = [
        known.estimate("brier_score"),
        flipped.estimate("brier_score", predicted=lambda scores: 1.0 - scores),
    ]
    assert_allclose(of_both[0].value, of_both[1].value)
    band = known.curve("recall", thresholds=[0.1, 0.6])
    mirrored = flipped.curve("recall", thresholds=[0.9, 0.4])
    assert_allclose(sorted(1.0 - mirrored.x), band.x)
    assert_allclose(sorted(mirrored.value), sorted(band.value))
    costs = (1.0, 4.0)
    threshold, other = (p.threshold_for(cost=costs) for p in (known, flipped))
    assert_array_equal(pool[0] >= threshold, 1.0 - pool[0] <= other)


def test_a_selection_counts_its_labels(known, partial, pool):
    for name in ("precision", "recall"):
        assert known.estimate(name, selection=0.5).interval() == (1.0, 1.0)
    selected = partial.estimate("predicted_positives", selection=0.5)
    expected = np.where(pool[2] < 0, pool[0] >= 0.5, pool[2] == 1)
    assert_array_equal(partial.selection(0.5), expected)
    assert_allclose(selected.interval(), expected.sum())
    assert selected.threshold == 0.5


@pytest.mark.parametrize("cost", [(1.0, 1.0), (1.0, 4.0), (6.0, 1.0)])
def test_the_cheapest_threshold_of_known_labels_costs_least(cost, known, pool):
    scores, labels, _ = pool

    def cost_at(threshold):
        is_called = scores >= threshold
        return cost[0] * (is_called & (labels == 0)).sum() + cost[1] * labels[~is_called].sum()

    least = min(cost_at(threshold) for threshold in [*scores, 2.0])
    assert cost_at(known.threshold_for(cost=cost)) == pytest.approx(least)


@pytest.mark.parametrize("target", ["sample", "population"])
def test_undecided_items_lie_between_both_thresholds(target, partial, pool):
    scores, _, y = pool
    zone = partial.threshold_for(
        {"precision": 0.7},
        negative={"negative_predictive_value": 0.6},
        confidence_level=0.2,
        target=target,
    )
    is_between = (scores >= zone.negative) & (scores < zone.positive)
    if target == "sample":
        assert_array_equal(zone.undecided, is_between & (y < 0))
        assert_allclose(zone.share.interval(), zone.undecided.mean())
        assert zone.share.n_items == N
        return
    assert_array_equal(zone.undecided, is_between)
    n = is_between.sum()
    if n:
        beta = stats.beta(n + 0.5, N - n + 0.5)
        assert_allclose(zone.share.interval(0.8), beta.ppf([0.1, 0.9]))


@pytest.mark.parametrize("goal", [{"precision": 0.4}, {"recall": 0.7}])
def test_what_labels_prove_holds_of_their_selection(goal, partial, pool):
    threshold = partial.threshold_for(goal, guarantee="anytime", confidence_level=0.5)
    # One pool in two may break it, and none by as much as this.
    ((name, bound),) = goal.items()
    assert DECISIONS[name](pool[1], partial.selection(threshold)) > 0.5 * bound


def test_all_labels_leave_no_chance_to_a_goal(known):
    assert known.threshold_for(precision=0.99, confidence_level=0.999) <= 1.0
    with pytest.raises(UnreachableGoalError):
        known.threshold_for(predicted_positives=N + 1)


def test_a_list_of_all_items_leaves_nothing_of_the_prevalence_open(partial, pool):
    low, high = partial.estimate("prevalence").interval()
    rows = np.flatnonzero(pool[2] < 0)
    n_labels = np.array([0, 5, len(rows)])
    widths = partial.of().plan_of_rows(rows, n_labels, "prevalence", None)
    assert_allclose(widths[[0, -1]], [high - low, 0.0], atol=1e-12)
    assert 0.0 < widths[1] <= widths[0]


COSTS = {"cost": (1.0, 2.0)}
ZONE = {"precision": 0.5, "negative": {"recall": 0.5}}
PROOF = {"precision": 0.5, "guarantee": "anytime", "target": "population"}
REFUSED = {
    "curve": (lambda p: p.curve("roc", thresholds=[0.5]), "'roc' does not take thresholds="),
    "class": (lambda p: p.estimate("f1", pos_label=1), "for more than two classes"),
    "average": (lambda p: p.estimate("f1", average="macro"), "for more than two classes"),
    "readers": (lambda p: p.estimate("f1", readers="random"), "a single system is evaluated"),
    "target": (lambda p: p.estimate("f1", selection=0.5, target="population"), "no other arg"),
    "place": (lambda p: p.estimate("f1", selection=0.5, threshold=0.5), "no other arguments"),
    "zone": (lambda p: p.threshold_for(**ZONE, prefer="f1"), "prefer='f1' chooses one threshold"),
    "proof": (lambda p: p.threshold_for(**PROOF), "applies to this sample"),
    "preference": (lambda p: p.threshold_for(**COSTS, prefer="f1"), "does not take prefer="),
    "goal": (lambda p: p.threshold_for(("precision", 0.5), **COSTS), "does not take a goal"),
    "category": (lambda p: p.of(category="a"), "category='a' requires a fit with category="),
    "judge": (lambda p: p.of(judge="a"), "judge='a' requires a fit with judges="),
    "system": (lambda p: p.of(system="a"), "system= requires a fit with it"),
    "both": (lambda p: p.of(system=0, judge="a"), "either system= or judge=, not both"),
    "by class": (lambda p: p.by_category("f1", by="class"), "requires more than two classes"),
}


@pytest.mark.parametrize(("ask", "said"), REFUSED.values(), ids=REFUSED)
def test_what_two_classes_and_one_column_cannot_answer_is_refused(ask, said, partial):
    with pytest.raises(ValueError, match=said):
        ask(partial)


def test_probabilities_are_of_a_function_of_scores(partial):
    for predicted in (0.5, float):
        with pytest.raises(TypeError, match="must be a function from scores to probabilities"):
            partial.estimate("brier_score", predicted=predicted)


def test_distances_imply_no_decision(pool):
    performance = fitted(4.0 + pool[0], pool[2], "auto")
    assert performance.default_threshold_ is None
    for ask in (lambda: performance.estimate("f1"), performance.confusion_matrix):
        with pytest.raises(ValueError, match="have no usual threshold: pass threshold="):
            ask()


def test_a_proof_needs_labels_of_one_probability(known, pool, partial):
    with pytest.raises(ValueError, match="needs the inclusion probabilities of the labels"):
        known.threshold_for(recall=0.5, guarantee="anytime")
    unequal = np.where(np.arange(N) % 2, SHARE, 0.4)
    performance = fitted(pool[0], pool[2], inclusion_proba=unequal)
    with pytest.raises(ValueError, match=r"2 values below 1, from 0\.4 to 0\.5"):
        performance.threshold_for(recall=0.5, guarantee="anytime")
    with pytest.raises(UnprovedGoalError):
        partial.threshold_for(precision=0.999, recall=0.999, guarantee="anytime")


def test_labels_alone_have_a_prevalence_and_no_ranking(pool):
    performance = fitted(None, pool[2], "auto")
    low, high = performance.estimate("prevalence").interval()
    assert low <= pool[2][pool[2] >= 0].mean() <= high
    for ask in (
        performance.curve,
        lambda: performance.estimate("f1"),
        lambda: performance.estimate("prevalence", selection=0.5),
        lambda: performance.threshold_for(precision=0.5),
    ):
        with pytest.raises(ValueError, match="requires scores, and fit was given labels alone"):
            ask()
