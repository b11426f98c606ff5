"""Everything labelled: the numbers are scikit-learn's, without a width."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.metrics import ConfusionShare, FBeta, TopKAccuracy
from sklearn_spe.models._class_questions import (
    ClassQuestion,
    LabeledItems,
    accuracy_coverage,
    by_class,
    confusion_matrix,
)
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET

OF_DECISIONS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return ClassesProblem.of(global_random_seed, n=200)


@pytest.fixture(scope="module")
def known(problem):
    return problem.model(problem.labels).measured()


def number(question, model, problem, **asked):
    estimate = ClassQuestion.of(question, **asked).estimate(model, problem.task())
    assert_allclose(np.ptp(estimate.interval(0.99)), 0.0)
    return estimate.value


def test_accuracy_and_accuracy_among_the_k_best(known, problem):
    accuracy = metrics.accuracy_score(problem.labels, problem.predicted)
    assert_allclose(number("accuracy", known, problem), accuracy)
    for k in (1, 2, 3):
        of_k = metrics.top_k_accuracy_score(problem.labels, problem.logits, k=k)
        assert_allclose(number(TopKAccuracy(k), known, problem), of_k)


def test_a_bare_mixture_of_errors_knows_what_is_labeled(known, problem):
    bare = problem.model(problem.labels, experts=None).measured()
    for name in ("accuracy", "recall", "roc_auc"):
        assert_allclose(number(name, bare, problem), number(name, known, problem))


@pytest.mark.parametrize("name", OF_DECISIONS)
def test_metrics_of_one_class_and_their_averages(name, known, problem):
    def reference(**how):
        return OF_DECISIONS[name](problem.labels, problem.predicted, **how)

    assert_allclose(by_class(name, known, problem.task()).values, reference(average=None))
    for average in ("macro", "weighted"):
        assert_allclose(number(name, known, problem, average=average), reference(average=average))
    assert_allclose(number(name, known, problem, pos_label=2), reference(average=None)[2])


def test_a_metric_of_two_classes_is_that_of_one_against_the_rest(known, problem):
    is_two, said_two = problem.labels == 2, problem.predicted == 2
    assert_allclose(
        number(FBeta(2.0), known, problem, pos_label=2),
        metrics.fbeta_score(is_two, said_two, beta=2.0),
    )
    assert_allclose(number("prevalence", known, problem, pos_label=2), is_two.mean())


@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
def test_rankings_of_one_class_against_the_rest(name, known, problem):
    reference = getattr(metrics, f"{name}_score")
    of_each = [
        reference(problem.labels == c, problem.proba[:, c]) for c in range(problem.n_classes)
    ]
    assert_allclose(by_class(name, known, problem.task()).values, of_each)
    assert_allclose(number(name, known, problem), np.mean(of_each))


OF_ALL_CLASSES = {
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "cohen_kappa": metrics.cohen_kappa_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
}


@pytest.mark.parametrize("name", OF_ALL_CLASSES)
def test_metrics_of_all_classes_at_once(name, known, problem):
    reference = OF_ALL_CLASSES[name]
    assert_allclose(number(name, known, problem), reference(problem.labels, problem.predicted))
    two = problem.labels == 2, problem.predicted == 2
    assert_allclose(number(name, known, problem, pos_label=2), reference(*two))
    with pytest.raises(ValueError, match="not as an average"):
        ClassQuestion.of(name, average="weighted")


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("lost", [[3], [2, 3]])
def test_classes_without_items_or_without_predictions_either(lost, problem):
    # The last class is never predicted, others without items are.
    labels = np.where(np.isin(problem.labels, lost), 0, problem.labels)
    proba = problem.proba * [1.0, 1.0, 1.0, 1e-12]
    proba /= proba.sum(axis=1, keepdims=True)
    known, predicted = problem.model(labels, proba).measured(), proba.argmax(axis=1)
    for name, reference in OF_ALL_CLASSES.items():
        assert_allclose(number(name, known, problem), reference(labels, predicted))
    for name, reference in OF_DECISIONS.items():
        for average in ("macro", "weighted"):
            found = number(name, known, problem, average=average)
            assert_allclose(found, reference(labels, predicted, average=average, zero_division=0.0))


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_the_confusion_matrix(normalize, known, problem):
    found = confusion_matrix(known, problem.task(), normalize)
    reference = metrics.confusion_matrix(problem.labels, problem.predicted, normalize=normalize)
    assert_allclose(found.value, reference)
    assert_allclose(found.interval(0.99), [reference, reference])
    frame = found.to_frame().set_index(["true", "predicted"])
    assert_allclose(frame.value.loc[1, 3], reference[1, 3])


def test_accuracy_of_the_most_confident(known, problem):
    band = accuracy_coverage(known, problem.task(), 20)
    right = problem.predicted == problem.labels
    order = np.argsort(-problem.proba.max(axis=1))
    for share in (0.25, 0.5, 1.0):
        first = order[: int(share * len(order))]
        assert_allclose(band.value[np.isclose(band.x, share)], right[first].mean())


def test_ties_count_by_the_share_that_fits(problem):
    # All items are equally sure: whatever share is kept, it is as accurate as all of them.
    tied = np.where(np.arange(4) == problem.predicted[:, np.newaxis], 0.7, 0.1)
    tied[0] = 0.25
    known = problem.model(problem.labels, tied).measured()
    band = accuracy_coverage(known, problem.task(), 10)
    rest = (tied.argmax(axis=1) == problem.labels)[1:].mean()
    assert_allclose(band.value[:-1], rest)


def test_items_that_count_several_times_are_as_many_items(problem):
    counts = np.random.default_rng(problem.seed).integers(3, size=len(problem.labels))
    weighted = problem.model(sample_weight=counts)
    rows = np.repeat(np.arange(len(counts)), counts)
    repeated = problem.model(problem.partial[rows], problem.logits[rows])
    found, reference = (
        ClassQuestion.of("recall").estimate(m.measured(), problem.task()).draws
        for m in (weighted, repeated)
    )
    assert_allclose(found, reference)


def test_averages_of_counts_and_shares_of_pairs(known, problem):
    labels, predicted = problem.labels, problem.predicted
    for name, reference in OF_DECISIONS.items():
        found = number(name, known, problem, average="micro")
        assert_allclose(found, reference(labels, predicted, average="micro"))
    found = number("specificity", known, problem, average="micro")
    # Each wrong prediction is a false positive of one class, and each item negative for three.
    assert_allclose(found, 1.0 - (labels != predicted).mean() / 3.0)
    share = number(ConfusionShare(1, 3), known, problem)
    assert_allclose(share, ((labels == 1) & (predicted == 3)).mean())


@pytest.mark.parametrize("name", ["accuracy", "recall", "roc_auc", "cohen_kappa"])
def test_labeled_items_alone_have_the_numbers_of_scikit_learn(name, known, problem):
    codes = np.where(np.arange(200) < 150, problem.labels, -1)
    labeled = LabeledItems.of(known.scores, codes, known.classes)
    complete = problem.model(problem.labels[:150], problem.logits[:150]).measured()
    assert_allclose(
        ClassQuestion.of(name).of_labeled(labeled, problem.task()), number(name, complete, problem)
    )
    assert np.isnan(ClassQuestion.of(metrics.log_loss).of_labeled(labeled, problem.task()))
    assert LabeledItems.of(known.scores, np.full(200, -1), known.classes) is None


@pytest.mark.parametrize(
    ("metric", "how", "said"),
    [
        ("recall", {"average": "median"}, "average must be one of macro, weighted, micro"),
        ("recall", {"sample_columns": {"w": [1.0]}}, "'recall' takes no sample_columns="),
        ("nonsense", {}, "Unknown metric 'nonsense'.*For several classes choose one of"),
        ("true_positives", {}, "confusion_matrix.. estimates the counts"),
        ("brier_score", {}, "pass a callable"),
        ("prevalence", {}, "choose one class by pos_label="),
        ("roc_auc", {"average": "micro"}, "would rank the scores of all classes together"),
        (TopKAccuracy(2), {"pos_label": 1}, "covers all classes and takes no pos_label="),
        (np.mean, {}, "without sample_columns="),
    ],
)
def test_questions_without_a_meaning_for_several_classes_are_refused(
    metric, how, said, known, problem
):
    with pytest.raises(ValueError, match=said):
        ClassQuestion.of(metric, **how).estimate(known, problem.task("population"))


def test_a_classifier_ranks_no_single_score(known, problem):
    performance = PerformanceCurveEstimator(problem.mixture(), n_points=10)
    performance.fit(problem.logits, problem.labels)
    for ask, said in (
        (lambda: performance.curve("roc"), "the only curve is 'accuracy_coverage'"),
        (lambda: performance.estimate("f1", threshold=0.5), "applies to a single score"),
        (lambda: performance.confusion_matrix(threshold=0.5), "choose one against the rest"),
        (lambda: performance.plan(10), "choose one against the rest"),
        (lambda: performance.of(judge="a"), "choose one against the rest"),
        (lambda: by_class(TopKAccuracy(2), known, problem.task()), "is not a one-vs-rest metric"),
    ):
        with pytest.raises(ValueError, match=said):
            ask()
    whole = performance.curve("accuracy_coverage").at(1.0)
    assert_allclose(whole.value, performance.estimate("accuracy").value)
    weights = 1.0 + np.arange(200)
    loss = performance.estimate(
        lambda y, p, w: metrics.log_loss(y, p, sample_weight=w), sample_columns={"w": weights}
    )
    expected = metrics.log_loss(problem.labels, problem.proba, sample_weight=weights)
    assert_allclose(loss.value, expected)
