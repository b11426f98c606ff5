"""A classifier whose threshold keeps a promise."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, precision_score, recall_score
from sklearn.model_selection import FixedThresholdClassifier, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_spe import (
    Goal,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.datasets import make_scores
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.exceptions import ThresholdOutsideScoresWarning, UnreachableGoalError
from sklearn_spe.metrics import FBeta
from tests.quick import QUIET

pytestmark = QUIET
GOAL = {"precision": 0.6, "confidence_level": 0.7}


@pytest.fixture(scope="module")
def fitted(rows):
    return rows.promising(FrozenEstimator(rows.trained), rows.experts, **GOAL).fit(
        rows.X, rows.partial
    )


# --- a classifier that is fitted already ------------------------------------------------------


@pytest.mark.parametrize(
    ("classifier", "method", "kind"),
    [
        (LogisticRegression(), "decision_function", "log_odds"),
        (LinearSVC(), "decision_function", "margin"),
        (GaussianNB(), "predict_proba", "auto"),
    ],
    ids=["log-odds", "margin", "probabilities"],
)
def test_the_threshold_is_that_of_the_performance_of_its_scores(rows, classifier, method, kind):
    classifier = clone(classifier).fit(*rows.others())
    promised = rows.promising(FrozenEstimator(classifier), rows.experts, **GOAL).fit(
        rows.X, rows.partial
    )
    scores = getattr(classifier, method)(rows.X)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    mixture = clone(rows.experts).set_params(score_kind=kind)
    performance = PerformanceCurveEstimator(mixture, random_state=rows.seed).fit(
        scores, rows.partial
    )
    threshold = performance.threshold_for(**GOAL)
    assert_allclose(promised.threshold_, threshold, rtol=1e-9)
    (probability,) = performance.goal_probability(precision=0.6, thresholds=[threshold]).value
    assert_allclose(promised.goal_probability_, probability, rtol=1e-9)
    assert promised.goal_probability_ >= 0.7
    assert promised.goal_ == {"precision": 0.6}
    assert promised.verdict_ == performance.verdict_
    ours = promised.performance_.estimate("average_precision").draws
    assert_allclose(ours, performance.estimate("average_precision").draws, rtol=1e-6)


def test_items_at_the_threshold_and_above_are_called_positive(rows, fitted):
    scores = rows.trained.decision_function(rows.X)
    # The threshold is a score of the sample, up to rounding to forty bits.
    at = np.abs(scores - fitted.threshold_) < 1e-9
    assert at.sum() == 1
    called = (scores > fitted.threshold_) | at
    assert fitted.predict(rows.X).tolist() == called.astype(int).tolist()
    assert 0 < called.sum() < 120
    # A row is decided alike whatever stands beside it.
    assert [int(fitted.predict(rows.X[[i]])[0]) for i in range(120)] == fitted.predict(
        rows.X
    ).tolist()


def test_what_else_the_classifier_says_is_passed_on(rows, fitted):
    assert np.array_equal(fitted.predict_proba(rows.X), rows.trained.predict_proba(rows.X))
    assert np.array_equal(fitted.decision_function(rows.X), rows.trained.decision_function(rows.X))
    assert fitted.estimator_.estimator is rows.trained
    margins = rows.promising(FrozenEstimator(LinearSVC().fit(rows.X, rows.labels)))
    assert not hasattr(margins, "predict_proba")
    assert hasattr(margins, "decision_function")
    assert not hasattr(rows.promising(GaussianNB()), "decision_function")


def test_with_all_labels_the_promise_is_a_fact(rows):
    promised = rows.promising(FrozenEstimator(rows.trained), precision=0.8).fit(rows.X, rows.labels)
    assert promised.goal_probability_ == 1.0
    assert precision_score(rows.labels, promised.predict(rows.X)) >= 0.8
    scores = rows.trained.decision_function(rows.X)
    precision, recall, _ = precision_recall_curve(rows.labels, scores)
    expected = recall[precision >= 0.8].max()
    assert recall_score(rows.labels, promised.predict(rows.X)) == pytest.approx(expected)


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_labeled_row_is_in_the_answer_by_its_label(rows, is_frozen):
    classifier = FrozenEstimator(rows.trained) if is_frozen else LogisticRegression()
    for pos_label in (0, 1):
        promised = rows.promising(classifier, recall=0.5, pos_label=pos_label)
        found = promised.fit_predict(rows.X, rows.partial)
        assert np.array_equal(found == pos_label, promised.selected_)
        known = rows.partial >= 0
        assert np.array_equal(found[known], rows.partial[known])
        assert np.array_equal(found[~known], promised.predict(rows.X)[~known])
        # By its score alone a known row may be called something else.
        assert not np.array_equal(found, promised.predict(rows.X))


def test_several_goals_hold_together_and_pairs_are_bounds(rows):
    goal = {"recall": (0.5, 0.95), "false_positive_rate": 0.4, "confidence_level": 0.5}
    promised = rows.promising(FrozenEstimator(rows.trained), **goal).fit(rows.X, rows.partial)
    assert promised.goal_ == {"recall": (0.5, 0.95), "false_positive_rate": 0.4}
    again = promised.performance_.goal_probability(
        recall=(0.5, 0.95), false_positive_rate=0.4, thresholds=[promised.threshold_]
    )
    assert promised.goal_probability_ == pytest.approx(again.value[0], rel=1e-9)


def test_metrics_without_a_parameter_of_their_own_are_promised_by_a_dict(rows):
    frozen, half = FrozenEstimator(rows.trained), {"confidence_level": 0.5}
    goal = {FBeta(2): 0.3, "matthews_corrcoef": (0.05, None)}
    promised = rows.promising(frozen, precision=0.2, goal=goal, **half).fit(rows.X, rows.partial)
    assert promised.goal_ == {"precision": 0.2, **goal}
    again = promised.performance_.goal_probability(
        goal, precision=0.2, thresholds=[promised.threshold_]
    )
    assert promised.goal_probability_ == pytest.approx(again.value[0], rel=1e-9)
    assert promised.goal_probability_ >= 0.5 - 1e-9
    alone = rows.promising(frozen, goal={FBeta(1): 0.3}, **half)
    named = rows.promising(frozen, f1=0.3, **half)
    for one in (alone, named):
        one.set_params(prefer="recall").fit(rows.X, rows.partial)
    assert alone.threshold_ == named.threshold_
    for wrong, error, message in (
        ((FBeta(2), 0.5), TypeError, "goal must be a dict from metrics to bounds"),
        ({"precision": 0.5}, ValueError, "bounds precision twice"),
        ({FBeta(2): 2.0}, ValueError, "strictly between 0 and 1"),
    ):
        with pytest.raises(error, match=message):
            rows.promising(frozen, precision=0.3, goal=wrong).fit(rows.X, rows.partial)


def test_what_is_preferred_and_for_whom_is_handed_on(rows):
    for target in ("sample", "population"):
        for prefer in (None, "accuracy", "precision"):
            promised = rows.promising(
                FrozenEstimator(rows.trained), recall=0.5, confidence_level=0.5, prefer=prefer,
                target=target,
            ).fit(rows.X, rows.partial)  # fmt: skip
            assert promised.performance_.target == target
            expected = promised.performance_.threshold_for(
                recall=0.5, confidence_level=0.5, prefer=prefer
            )
            assert_allclose(promised.threshold_, expected, rtol=1e-11)
            assert promised.threshold_ < expected


def test_a_promise_out_of_reach_is_an_error_that_names_the_best(rows):
    hopeless = rows.promising(
        FrozenEstimator(rows.trained), precision=0.99, recall=0.99, confidence_level=0.99
    )
    with pytest.raises(
        UnreachableGoalError, match=r"No threshold meets precision >= 0.99 and"
    ) as e:
        hopeless.fit(rows.X, rows.partial)
    assert 0.0 <= e.value.best_probability < 0.99
    assert not hasattr(hopeless, "threshold_")


# --- the positive class -----------------------------------------------------------------------


@pytest.mark.parametrize("pos_label", [0, 1])
@pytest.mark.parametrize("response_method", ["decision_function", "predict_proba"])
def test_scikit_learn_decides_alike_by_the_same_threshold(rows, pos_label, response_method):
    promised = rows.promising(
        FrozenEstimator(rows.trained), pos_label=pos_label, response_method=response_method, **GOAL
    ).fit(rows.X, rows.partial)
    fixed = FixedThresholdClassifier(
        FrozenEstimator(rows.trained),
        threshold=promised.threshold_,
        pos_label=pos_label,
        response_method=response_method,
    ).fit(rows.X, rows.labels)
    assert fixed.predict(rows.X).tolist() == promised.predict(rows.X).tolist()


@pytest.mark.parametrize("pos_label", [-1, 1])
@pytest.mark.parametrize("is_frozen", [True, False])
def test_outliers_are_found_with_a_promise(rows, pos_label, is_frozen):
    rng = np.random.default_rng(rows.seed)
    X, outliers = rng.normal(size=(300, 2)), np.arange(300) < 45
    X[outliers] *= 6.0
    signs = np.where(outliers, -1.0, 1.0)
    y = np.where(np.arange(300) % 3 == 0, signs, np.nan)
    forest = IsolationForest(n_estimators=20, random_state=rows.seed)
    inside = FrozenEstimator(clone(forest).fit(X)) if is_frozen else forest
    promised = rows.promising(inside, recall=0.5, confidence_level=0.8, pos_label=pos_label)
    promised.fit(X, y)
    scores = clone(forest).fit(X).decision_function(X)
    called = pos_label * scores >= promised.threshold_
    assert promised.predict(X).tolist() == np.where(called, pos_label, -pos_label).tolist()
    # All labels judge the detector: its own fit takes none.
    assert promised.performance_.posterior_.sample.n_labeled == 100
    found = np.where(promised.selected_, pos_label, -pos_label)
    assert recall_score(signs, found, pos_label=pos_label) > 0.4


# --- a classifier that is fitted here ---------------------------------------------------------


@pytest.mark.parametrize(("fraction", "large"), [(0.3, 0), (0.5, 2**40 + 1)])
def test_a_part_of_the_labels_fits_the_classifier_and_the_others_judge_it(rows, fraction, large):
    seed = rows.seed + large
    promised = rows.promising(
        LogisticRegression(), validation_fraction=fraction, random_state=seed
    ).fit(rows.X, rows.partial)
    labeled = np.flatnonzero(rows.partial >= 0)
    split = StratifiedShuffleSplit(1, test_size=fraction, random_state=seed % 2**32)
    ((train, held_out),) = split.split(labeled, rows.partial[labeled])
    train, held_out = np.sort(labeled[train]), np.sort(labeled[held_out])
    classifier = LogisticRegression().fit(rows.X[train], rows.labels[train])
    assert np.array_equal(promised.estimator_.coef_, classifier.coef_)
    scored = np.sort(np.r_[held_out, np.flatnonzero(rows.partial < 0)])
    mixture = clone(rows.quick).set_params(score_kind="log_odds")
    mixture.fit(classifier.decision_function(rows.X[scored]), rows.partial[scored])
    alone = performance_of(mixture)
    expected = alone.threshold_for(f1=0.3, confidence_level=0.5)
    assert_allclose(promised.threshold_, expected, rtol=1e-9)
    assert promised.performance_.posterior_.sample.n_labeled == len(held_out)


# --- what it is for ---------------------------------------------------------------------------


class Score(ClassifierMixin, BaseEstimator):
    """A classifier of one feature, which is its score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.slow
def test_a_promise_is_broken_as_seldom_as_it_says(rows):
    n_sets, level = 60, 0.8
    inside = FrozenEstimator(Score().fit(None, [0, 1]))
    # Scores are two normals, as the model has it.
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=100, experts=None)
    broken = []
    for repeat in range(n_sets):
        seed, pos_label = 1000 * rows.seed + repeat, repeat % 2
        goal = {"precision": 0.75 if pos_label else 0.93}
        scores, labels = make_scores(300, random_state=seed)
        y = np.where(np.arange(300) < 60, labels, -1)
        promised = rows.promising(
            inside, mixture, confidence_level=level, pos_label=pos_label, random_state=seed, **goal
        ).fit(scores.reshape(-1, 1), y)
        found = labels[promised.selected_] == pos_label
        reached = found.mean()
        broken.append(reached < goal["precision"])
    # The threshold is the most useful one: it keeps the promise with hardly more than asked for.
    # A false alarm comes once in a million runs.
    low, high = stats.binom.interval(1.0 - 1e-6, n_sets, 1.0 - level)
    assert low <= np.sum(broken) <= high


# --- rows that belong together ----------------------------------------------------------------


def test_groups_are_those_of_the_performance_of_the_scores(rows):
    groups, scores = np.arange(120) % 30, rows.trained.decision_function(rows.X)
    for target in ("sample", "population"):
        promised = rows.promising(
            FrozenEstimator(rows.trained), rows.experts, target=target, **GOAL
        ).fit(rows.X, rows.partial, groups=groups)
        mixture = clone(rows.experts).set_params(score_kind="log_odds")
        performance = PerformanceCurveEstimator(mixture, target=target, random_state=rows.seed)
        performance.fit(scores, rows.partial, groups=groups)
        threshold = performance.threshold_for(precision=0.6, confidence_level=0.7)
        assert_allclose(promised.threshold_, threshold, rtol=1e-9)
        assert_allclose(
            promised.performance_.curve("precision").value, performance.curve("precision").value
        )


def test_a_classifier_is_fitted_to_some_groups_and_evaluated_by_others(rows):
    groups = np.arange(120) // 5
    promised = rows.promising(LogisticRegression(), rows.experts).fit(
        rows.X, rows.partial, groups=groups
    )
    judged = promised.performance_.model_.table
    scores = promised.estimator_.decision_function(rows.X)
    # A product of matrices may differ in its last digits with their size.
    is_judged = np.abs(scores[:, np.newaxis] - judged.scores.ravel()).min(axis=1) < 1e-9
    # Whole groups: some of the eight that have labels are kept to be trained on, and only they.
    kept = [is_judged[groups == g] for g in range(24)]
    assert all(part.all() or not part.any() for part in kept)
    assert all(part.all() for part in kept[8:])
    assert 0 < sum(part.all() for part in kept[:8]) < 8
    with pytest.raises(ValueError, match="No split of whole groups was found"):
        rows.promising(LogisticRegression()).fit(
            rows.X, rows.partial, groups=np.arange(120) % 2 < 2
        )


# --- a selection of the known positives -------------------------------------------------------


@pytest.fixture(scope="module")
def out_of_reach(rows):
    """Return a classifier whose goal leaves room for the known positives only."""
    goal = Goal.of(precision=0.5, predicted_positives=(None, int((rows.partial == 1).sum())))
    return rows.promising(FrozenEstimator(rows.trained), rows.experts, goal=goal).fit(
        rows.X, rows.partial
    )


def test_a_rule_that_selects_nothing_says_so(rows, fitted, out_of_reach):
    known = rows.partial == 1
    assert out_of_reach.selected_.tolist() == known.tolist()
    names = ("known_positives_only", "untested_selection")
    (reason,) = [r for r in out_of_reach.verdict_.reasons if r.name in names]
    assert f"only the {known.sum()} items labeled positive" in reason.text
    assert re.search("as a rule for new items, .* selects no", reason.text)
    with pytest.warns(ThresholdOutsideScoresWarning, match="No row is predicted positive"):
        assert not out_of_reach.predict(rows.X[rows.partial < 0]).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresholdOutsideScoresWarning)
        # A threshold among the scores may select none of some rows.
        scores = rows.trained.decision_function(rows.X)
        assert not fitted.predict(rows.X[scores < fitted.threshold_ - 1e-9]).any()
