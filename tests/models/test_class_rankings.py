"""A class against the rest is ranked as two classes are, on the draws of all classes."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._class_posterior import ClassPosterior
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET
N_CLASSES = 4


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return ClassesProblem.of(global_random_seed)


def performance(problem, y=None, **structure):
    mixture = problem.mixture(n_draws=60)
    estimator = PerformanceCurveEstimator(mixture, n_points=20, random_state=problem.seed)
    return estimator.fit(problem.proba, problem.partial if y is None else y, **structure)


@pytest.fixture(scope="module", params=["items", "categories", "groups"])
def fitted(request, problem):
    part = np.arange(len(problem.labels)) // 4
    structure = {
        "items": {},
        "categories": {"category": part % 3},
        "groups": {"groups": part},
    }[request.param]
    return performance(problem, **structure)


@pytest.mark.parametrize("code", [0, N_CLASSES - 1])
def test_metrics_of_a_class_are_those_of_its_completed_labels(fitted, code):
    ranking = fitted.of(pos_label=code)
    for name, of_labels in (
        ("average_precision", metrics.average_precision_score),
        ("roc_auc", metrics.roc_auc_score),
    ):
        # A callable gets the completed classes of each draw.
        expected = fitted.estimate(lambda y, p, m=of_labels: m(y == code, p[:, code]))
        assert_allclose(ranking.estimate(name).draws, expected.draws, atol=1e-12)
        assert_array_equal(
            fitted.estimate(name, pos_label=code).draws, ranking.estimate(name).draws
        )

    def recall(y, p):
        return metrics.recall_score(y == code, p[:, code] >= 0.3)

    recalls = ranking.estimate("recall", threshold=0.3).draws
    assert_allclose(recalls, fitted.estimate(recall).draws, atol=1e-12)


def test_classes_share_their_draws(fitted, problem):
    of_classes = [fitted.of(pos_label=code).estimate("prevalence") for code in range(N_CLASSES)]
    assert_allclose(np.sum([one.draws for one in of_classes], axis=0), 1.0, atol=1e-12)
    macro = np.mean(
        [fitted.estimate("roc_auc", pos_label=code).draws for code in range(N_CLASSES)], axis=0
    )
    assert_allclose(fitted.estimate("roc_auc").draws, macro, atol=1e-12)

    # Those of a population too, by either door.
    for metric in ("average_precision", "roc_auc"):
        of_classes = [
            fitted.of(pos_label=code).estimate(metric, target="population").draws
            for code in range(N_CLASSES)
        ]
        macro = fitted.estimate(metric, target="population").draws
        assert_allclose(np.mean(of_classes, axis=0), macro, atol=1e-12)

    # So do the probabilities of items, in every draw.
    classifier = fitted.model_.measured()
    items = [ClassPosterior.of_class(classifier, code).items for code in range(N_CLASSES)]
    for block in items[0].blocks():
        assert_allclose(sum(one.probability(block) for one in items), 1.0, atol=1e-9)
    assert_allclose(sum(one.mean for one in items), 1.0, atol=1e-9)


def test_the_most_confident_items_of_a_population_are_in_the_end_all(problem):
    fitted = performance(problem)
    band = fitted.curve("accuracy_coverage", target="population")
    accuracy = fitted.estimate("accuracy", target="population")
    assert_allclose(band.draws[:, -1], accuracy.draws, atol=1e-12)


def test_all_labels_give_the_curve_of_the_sample(problem):
    complete = performance(problem, problem.labels)
    for code in range(N_CLASSES):
        is_class = problem.labels == code
        band = complete.of(pos_label=code).curve("roc")
        fpr, tpr, _ = metrics.roc_curve(is_class, problem.proba[:, code], drop_intermediate=False)
        # At each false positive rate the highest true positive rate.
        highest = [tpr[fpr <= x + 1e-12].max() for x in band.x]
        assert_allclose(band.value, highest, atol=1e-12)


def test_a_selection_of_a_class_has_its_labels(fitted, problem):
    ranking = fitted.of(pos_label=2)
    selected = ranking.selection(0.4)
    known = problem.partial >= 0
    assert_array_equal(selected[known], problem.partial[known] == 2)
    assert_array_equal(selected[~known], problem.proba[~known, 2] >= 0.4)
    assert "rest" in str(ranking.confusion_matrix(threshold=0.4))
    assert_array_equal(pickle.loads(pickle.dumps(ranking)).selection(0.4), selected)


def test_a_population_has_the_middle_of_its_sample(fitted):
    ranking = fitted.of(pos_label=1)
    for name in ("prevalence", "roc_auc"):
        sample = ranking.estimate(name)
        population = ranking.estimate(name, target="population")
        low, high = population.interval()
        # Items that are drawn again only add to the error; quantiles of 60 draws have one, too.
        assert low < sample.value < high
        assert high - low > 0.7 * np.ptp(sample.interval())


@pytest.mark.parametrize(("pos_label", "said"), [(9, "none of|not one of"), (0.5, "not one of")])
def test_a_class_that_is_none_is_refused(fitted, pos_label, said):
    with pytest.raises(ValueError, match=said):
        fitted.of(pos_label=pos_label)


def test_two_classes_have_one_ranking(problem):
    two = problem.mixture(classes=[0, 1])
    y = np.where(problem.partial >= 0, problem.labels == 1, -1)
    one = PerformanceCurveEstimator(two, random_state=problem.seed).fit(problem.proba[:, 1], y)
    with pytest.raises(ValueError, match="more than two classes"):
        one.of(pos_label=1)


def test_the_prevalence_of_a_class_takes_items_that_count_for_many(problem):
    # Few rows that are repeated, and the same rows as counts.
    weights = np.full(len(problem.labels), 200)
    y = problem.partial
    counted = performance(problem, y, sample_weight=weights)
    shares = [counted.estimate("prevalence", pos_label=code).draws for code in range(N_CLASSES)]
    assert_allclose(np.sum(shares, axis=0), 1.0, atol=1e-9)
