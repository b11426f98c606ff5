"""A threshold above or below all scores is answered, and said once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import ActiveTestSelector, PerformanceReport, SemisupervisedCalibratedClassifier
from sklearn_spe.application import main_estimates
from sklearn_spe.exceptions import ParameterError, ThresholdOutsideScoresWarning
from sklearn_spe.metrics._registry import METRICS
from tests.estimators.performance.data import AT_THRESHOLD
from tests.quick import QUIET

pytestmark = QUIET
ABOVE, BELOW = "above all scores.*no item", "below all scores.*every item"


def of_everything(name, prevalence, n_items, is_positive):
    """Return a metric where all items, or none, are called positive, as a number and a curve.

    A number that is nowhere defined is NaN, a point of a curve what scikit-learn takes.
    """
    n_positive = prevalence * n_items
    n_negative = n_items - n_positive
    counts = [n * is_positive for n in (n_positive, n_negative)]
    with np.errstate(all="ignore"):
        value = METRICS[name]().value(*counts, n_positive, n_negative)
    filled = np.where(np.isnan(value), METRICS[name].zero_division, value)
    return (value if np.isnan(value).all() else filled), filled


@pytest.mark.parametrize("name", AT_THRESHOLD)
@pytest.mark.parametrize(
    ("threshold", "is_positive", "said"), [(99.0, 0, ABOVE), (-99.0, 1, BELOW)]
)
def test_no_item_is_called_positive_or_every_one(fitted, name, threshold, is_positive, said):
    prevalence = fitted.estimate("prevalence").draws
    expected, of_curve = of_everything(name, prevalence, 200, is_positive)
    with pytest.warns(ThresholdOutsideScoresWarning, match=said):
        found = fitted.estimate(name, threshold=threshold)
    assert_allclose(found.draws, expected, atol=1e-12)
    with pytest.warns(ThresholdOutsideScoresWarning, match=said):
        band = fitted.curve(name, thresholds=[threshold])
    assert_allclose(band.distribution.draws[:, 0], of_curve, atol=1e-12)


@pytest.mark.parametrize(("threshold", "is_positive"), [(99.0, 0), (-99.0, 1)])
def test_so_it_is_of_a_population(fitted, threshold, is_positive):
    with pytest.warns(ThresholdOutsideScoresWarning):
        found = {
            name: fitted.estimate(name, threshold=threshold, target="population").draws
            for name in ("accuracy", "recall", "specificity", "negative_predictive_value")
        }
    prevalence = fitted.estimate("prevalence", target="population").draws
    # Of further items a family of the bare mixture may have some beyond: none at 99.
    assert_allclose(found["accuracy"], prevalence if is_positive else 1.0 - prevalence, atol=1e-9)
    assert_allclose(found["recall"], is_positive, atol=1e-9)
    assert_allclose(found["specificity"], 1 - is_positive, atol=1e-9)


def test_all_that_asks_for_a_decision_answers(fitted, problem):
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        summary = main_estimates(fitted, threshold=99.0)
    assert summary["recall at score 99"].interval() == (0.0, 0.0)
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        page = PerformanceReport.from_estimator(fitted, threshold=99.0).to_html()
    assert "0 of 200 items are predicted positive" in page
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        assert fitted._with_threshold(99.0).estimate("recall").value == 0.0
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        widths = fitted.plan([0, 10], "recall", threshold=99.0)
    assert_array_equal(widths, 0.0)
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        assert np.isnan(fitted.plan(5, "precision", threshold=99.0, zero_division=np.nan))
    # An answer holds what is known to be positive, whatever its score.
    with pytest.warns(ThresholdOutsideScoresWarning, match="predicted positive by its score"):
        answer = fitted.estimate("true_positives", selection=99.0)
    assert_array_equal(answer.draws, (problem.partial == 1).sum())
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        assert fitted.goal_probability(recall=0.5, thresholds=[99.0]).value[0] in (0.0, 1.0)


def test_nothing_is_said_of_a_grid_that_reaches_beyond_the_scores(fitted):
    # Warnings are errors of the tests.
    band = fitted.curve("recall", thresholds=[-99.0, 1.0, 99.0])
    assert_array_equal(band.value[[0, 2]], [1.0, 0.0])


def test_a_category_below_a_threshold_of_all_is_answered_without_a_word(systems):
    scores = systems.scores[:, 0] + 10.0 * (systems.category == 1)
    fitted = systems.estimator().fit(scores, systems.first(40), category=systems.countries)
    table = fitted.by_category("specificity", threshold=9.0)
    assert_array_equal([table["ES"].value, table["IT"].value], 1.0)


@pytest.mark.parametrize("of", ["pool", "categories"])
def test_a_selector_says_it_once_as_it_starts(problem, of):
    category = None if of == "pool" else np.arange(200) % 2
    selector = ActiveTestSelector("recall", threshold=99.0, n_draws=40, random_state=problem.seed)
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE) as said:
        selector.fit(problem.scores, problem.partial, category=category)
    kinds = [warning.category for warning in said]
    assert kinds.count(ThresholdOutsideScoresWarning) == 1
    items = selector.query(4)
    selector.update(items, problem.labels[items])
    assert selector.estimate_.interval() == (0.0, 0.0)


def test_a_classifier_that_calls_nothing_positive_is_answered(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(200, 1))
    rare = (rng.random(200) < 0.1).astype(int)
    rare[:2] = 0, 1
    classifier = LogisticRegression().fit(X, rare)
    assert not classifier.predict(X).any()
    y = np.where(np.arange(200) < 60, rare, -1)
    calibrated = SemisupervisedCalibratedClassifier(FrozenEstimator(classifier), random_state=0)
    performance = calibrated.fit(X, y).performance_
    with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
        assert performance.estimate("f1").interval() == (0.0, 0.0)


def test_percent_of_probabilities_is_asked_about(problem):
    """As on the command line; other thresholds above all scores are answered, margins too."""
    shares = 1.0 / (1.0 + np.exp(-problem.scores))
    asked = r"threshold=50: the scores lie between .* Did you mean 50%, threshold=0.5\?"
    performance = problem.performance().fit(shares, problem.partial)
    with pytest.raises(ParameterError, match=asked):
        performance.estimate("precision", threshold=50)
    with pytest.raises(ParameterError, match=asked):
        performance.confusion_matrix(threshold=50)
    with pytest.raises(ParameterError, match=asked):
        main_estimates(performance, threshold=50)
    with pytest.raises(ParameterError, match=asked):
        ActiveTestSelector("precision", threshold=50).fit(shares, problem.partial)

    margins = problem.performance(problem.mixture(score_kind="margin")).fit(shares, problem.partial)
    for fitted, threshold in ((performance, 1.5), (performance, 1000.0), (margins, 50.0)):
        with pytest.warns(ThresholdOutsideScoresWarning, match=ABOVE):
            found = fitted.estimate("precision", threshold=threshold)
        assert np.isnan(found.value)
        assert found.undefined == 1.0
