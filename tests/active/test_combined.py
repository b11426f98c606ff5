"""Both arms: the model's is what the estimator says, both are exact once all is labelled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_auc_score,
)

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.active.sessions._item_model import combined, estimate_of_labeled
from sklearn_spe.design._design_estimates import design_estimate
from sklearn_spe.design._label_design import LabelDesign
from sklearn_spe.goals._question import Question
from sklearn_spe.metrics import PrecisionAtK
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.posterior._registry import PRECISION_RECALL
from sklearn_spe.results._estimates import ScalarEstimate
from tests.active.selectors import AT, QUESTIONS, numbers, quietly, true_share
from tests.quick import QUIET

pytestmark = QUIET
# One of each kind of question: a ratio, a ranking, the highest, a point, a curve, one's own.
KINDS = (
    "f1",
    "average_precision",
    "precision_at_50",
    "precision at a recall",
    "precision_recall",
    "one's own",
)


def truth_of(name, y, s):
    """Return what scikit-learn says of all labels."""
    above = s >= AT
    precision, recall, _ = precision_recall_curve(y, s)
    # The highest threshold of at least each recall.
    grid = PRECISION_RECALL.grid(200)
    at = [precision[recall >= r * (1.0 - 1e-12)][-1] for r in grid]
    known = {
        "precision": lambda: precision_score(y, above),
        "recall": lambda: recall_score(y, above),
        "f1": lambda: f1_score(y, above),
        "accuracy": lambda: accuracy_score(y, above),
        "specificity": lambda: recall_score(1 - y, ~above),
        "false_positive_rate": lambda: 1.0 - recall_score(1 - y, ~above),
        "average_precision": lambda: average_precision_score(y, s),
        "roc_auc": lambda: roc_auc_score(y, s),
        "prevalence": lambda: y.mean(),
        "precision_at_k": lambda: y[np.argsort(-s)[:10]].mean(),
        "precision_at_50": lambda: y[np.argsort(-s)[:50]].mean(),
        "precision at a recall": lambda: precision[recall >= 0.5][-1],
        "recall at a precision": lambda: recall[precision >= 0.7].max(),
        "precision_recall": lambda: np.array(at),
        "one's own": lambda: true_share(y, s),
    }
    return known[name]() if name in known else None


def in_batches(pool, chosen):
    """Label all items, of tied scores: some known, some drawn, some not asked for."""
    y = np.where(np.arange(300) % 20 < 2, pool.truth, -1)
    pool.label(chosen.fit(pool.tied, y), 40, rounds=2)
    rest = np.flatnonzero(chosen._session.query_log.free)
    quietly(chosen.update, rest[:100], pool.truth[rest[:100]])
    return quietly(pool.label, chosen, chosen.n_left_)


def known_at_first(pool, chosen):
    return chosen.fit(pool.scores, pool.truth)


@pytest.fixture(scope="module")
def with_known_label(pool):
    """Return the estimator of curves, fitted to all labels."""
    return quietly(PerformanceCurveEstimator(pool.model()).fit, pool.scores, pool.truth)


# Metrics that scikit-learn knows by these names, and of the others one of each kind.
KNOWN = (
    *("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate"),
    *("average_precision", "roc_auc", "prevalence", "precision_at_k", "precision_at_50"),
    *("precision at a recall", "recall at a precision", "precision_recall", "one's own"),
)
OF_OTHER_KINDS = ("matthews_corrcoef", "true_positives", "precision_after_gain", "roc")


@pytest.mark.parametrize(
    ("name", "how"),
    [(name, known_at_first) for name in KNOWN + OF_OTHER_KINDS]
    # Ties at the boundary of the highest are broken at random: tested below.
    + [(name, in_batches) for name in ("f1", "average_precision", "precision_recall", "one's own")],
)
def test_with_every_label_it_is_what_scikit_learn_says(pool, name, how, with_known_label):
    chosen = how(pool, pool.selector(**QUESTIONS[name]))
    assert chosen.n_labels_ == 300
    scores = pool.tied if how is in_batches else pool.scores
    truth = said = truth_of(name, pool.truth, scores)
    if said is None:
        # No name in scikit-learn: the estimator of curves knows it.
        truth = Question.of(**QUESTIONS[name]).selection(with_known_label).value
    for estimate in (chosen.estimate_, chosen.model_estimate_, chosen.design_estimate_):
        if estimate is not None:
            want = np.tile(truth, (3, 1))
            assert_allclose(np.reshape(numbers(estimate), (3, -1)), want, atol=1e-12)
    has_naive = name in METRICS or name in ("precision_at_50", "one's own")
    if has_naive and said is not None:
        assert not np.isnan(chosen.naive_estimate_)
    if not np.isnan(chosen.naive_estimate_):
        assert chosen.naive_estimate_ == pytest.approx(truth, abs=1e-12)


def test_a_tie_at_the_boundary_counts_by_its_share(pool):
    # The tie that does not fit counts by what does: the next after some thirty is as high.
    decreasing = -np.sort(-pool.tied)
    k = 30 + int(np.argmax(decreasing[29:-1] == decreasing[30:]))
    chosen = pool.selector(PrecisionAtK(k)).fit(pool.tied, pool.truth)
    higher, tie = pool.tied > decreasing[k - 1], pool.tied == decreasing[k - 1]
    truth = (pool.truth[higher].sum() + pool.truth[tie].mean() * (k - higher.sum())) / k
    assert tie.sum() > k - higher.sum()
    for estimate in (chosen.estimate_, chosen.model_estimate_, chosen.design_estimate_):
        assert_allclose(numbers(estimate), truth, atol=1e-12)
    assert chosen.naive_estimate_ == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(("name", "interval"), [("f1", "anytime"), ("prevalence", "design")])
def test_with_every_label_every_interval_is_a_point(pool, name, interval):
    chosen = in_batches(pool, pool.selector(interval=interval, **QUESTIONS[name]))
    assert chosen.estimate_.kind == interval
    assert_allclose(numbers(chosen.estimate_), truth_of(name, pool.truth, pool.tied), atol=1e-12)


# --- the model's arm -------------------------------------------------------------------


@pytest.fixture(scope="module")
def estimator(pool):
    """Return the estimator of curves, fitted to thirty labels."""
    y = pool.partly(30)
    return quietly(
        PerformanceCurveEstimator(pool.model(), random_state=pool.seed).fit, pool.scores, y
    )


@pytest.mark.parametrize("name", KINDS)
def test_the_model_says_what_the_estimator_says_of_the_same_labels(pool, name, estimator):
    y = pool.partly(12)
    chosen = pool.selector(**QUESTIONS[name]).fit(pool.scores, y)
    quietly(chosen.update, np.arange(12, 30), pool.truth[12:30])
    question = Question.of(**QUESTIONS[name])
    want = numbers(question.selection(estimator))
    assert_allclose(numbers(chosen.model_estimate_), want, rtol=1e-9, atol=1e-12)
    assert_allclose(numbers(question.selection(chosen.performance_)), want, rtol=1e-9, atol=1e-12)


# --- both arms -------------------------------------------------------------------------


def test_both_estimators_are_averaged_by_the_weight_of_the_model():
    said = {"pos_label": "spam", "threshold": 0.5, "origin": "a fit"}
    model_arm = ScalarEstimate.from_draws("m", np.full(5, 0.2), np.ones(5), **said)
    design = design_estimate(
        LabelDesign.empty(np.ones(4, dtype=bool)), np.ones((2, 2)), np.ones((2, 2)), "m"
    )
    assert design.interval() == (1.0, 1.0)
    for weight in (0.0, 0.3, 1.0):
        both = combined(model_arm, design, weight)
        assert both.mean() == pytest.approx(weight * 0.2 + (1.0 - weight) * 1.0)
        assert both.weights.sum() == pytest.approx(1.0)
        assert both.kind == "posterior"
        # With all the weight the model's draws are still those of its fit.
        origin = "a fit" if weight == 1.0 else ""
        assert (both.pos_label, both.threshold, both.origin) == ("spam", 0.5, origin)
    assert combined(model_arm, None, 0.3) is model_arm


@pytest.mark.parametrize("name", ["precision"])
def test_an_interval_for_all_times_only_ever_shrinks_until_it_is_narrow(pool, name):
    # Every value that is ruled out stays so, and what is possible shrinks.
    chosen = pool.fitted(interval="anytime", **QUESTIONS[name])
    assert chosen.estimate_.interval() == (0.0, 1.0)
    for _ in range(5):
        before = chosen.estimate_.interval()
        pool.label(chosen, 20)
        low, high = chosen.estimate_.interval()
        assert before[0] <= low <= chosen.estimate_.value <= high <= before[1]


# --- the labelled items alone -----------------------------------------------------------


@pytest.mark.parametrize("name", ["precision", "f1", "average_precision", "one's own"])
def test_the_naive_estimate_is_the_metric_of_the_labeled_items(pool, name):
    scores = pool.tied
    # Of each class one is known from the start, without which a metric may not be defined.
    chosen = pool.label(pool.selector(**QUESTIONS[name]).fit(scores, pool.partly(2)), 30)
    known = chosen._session.query_log.codes >= 0
    truth = truth_of(name, pool.truth[known], scores[known])
    assert chosen.naive_estimate_ == pytest.approx(truth, abs=1e-12)


def test_the_naive_estimate_is_missing_where_labels_do_not_define_it():
    scores, codes = np.arange(6.0), np.array([-1, 1, 1, -1, -1, -1])
    for metric in ("roc_auc", "average_precision", PrecisionAtK(3)):
        assert np.isnan(estimate_of_labeled(Question.of(metric), scores, codes, None, None))
    at = Question.of("precision", threshold=4.0)
    above = scores >= 4.0
    assert np.isnan(estimate_of_labeled(at, scores, codes, above, at.terms(above)))
