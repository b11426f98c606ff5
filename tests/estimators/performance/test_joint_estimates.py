"""Estimates of one fit: added and subtracted draw by draw, formatted, put in a table."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from sklearn_spe.application import main_estimates
from sklearn_spe.results._distributions import WeightedDraws
from sklearn_spe.results._estimates import ScalarEstimate
from sklearn_spe.results._tables import EstimateTable
from tests.classifiers.calibration.data import Rows
from tests.estimators.performance.data import PerformanceProblem
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed)


@pytest.fixture(scope="module")
def fitted(problem):
    return problem.performance(experts=EXPERTS).fit(problem.scores, problem.partial)


def both(performance, **task):
    return (performance.estimate("precision", threshold=t, **task) for t in (2.0, 1.0))


# --- sums and differences ---------------------------------------------------------------------


def test_a_difference_is_that_of_the_same_labels(fitted):
    def gain(y, s):
        return y[s >= 2.0].mean() - y[s >= 1.0].mean()

    high, low = both(fitted)
    difference = high - low
    # The metric of one's own is computed on each completion of the labels.
    expected = fitted.estimate(gain)
    assert_allclose(difference.draws, expected.draws, atol=1e-12)
    assert_allclose((high + low).draws, high.draws + low.draws, rtol=1e-15)
    assert (difference.kind, difference.confidence_level) == ("posterior", 0.9)
    # What both have in common takes part in neither.
    assert difference.standard_error < np.hypot(high.standard_error, low.standard_error)
    assert_allclose((difference + low).draws, high.draws, atol=1e-15)


def test_a_point_of_a_curve_and_a_number_of_the_population_belong_to_the_fit(fitted):
    at = fitted.curve("roc").at(0.25)
    area, wide = fitted.estimate("roc_auc"), fitted.estimate("roc_auc", target="population")
    assert_allclose((at - area).draws, at.draws - area.draws, rtol=1e-15)
    assert_allclose((area - wide).draws, area.draws - wide.draws, rtol=1e-15)


def test_estimates_of_other_fits_are_refused(problem, fitted):
    one, scores, y = fitted.estimate(), problem.scores, problem.partial
    labels, seed = problem.with_labels(31), problem.seed + 1
    others = [
        clone(fitted).fit(scores, labels),
        clone(fitted).fit(scores + 1.0, y),
        clone(fitted).set_params(mixture__random_state=seed).fit(scores, y),
        deepcopy(fitted).update(scores, labels),
    ]
    for other in others:
        with pytest.raises(ValueError, match=r"not of one fit.*a column for each"):
            one - other.estimate()
    loose = ScalarEstimate.from_draws("mine", np.linspace(0, 1, 100), np.ones(100))
    with pytest.raises(ValueError, match="'mine' and 'mine' are not of one fit"):
        loose - loose
    with pytest.raises(TypeError, match="unsupported operand"):
        one - 0.5


def test_around_a_maximum_of_the_likelihood_the_values_are_subtracted(problem):
    performance = problem.performance(problem.mixture(method="em", experts=None))
    performance.fit(problem.scores, problem.partial)
    high, low = both(performance, target="population")
    assert (high - low).kind == "fisher"
    assert_allclose((high - low).value, high.value - low.value, atol=1e-15)
    # Labels that are drawn have no center.
    drawn = performance.estimate("precision", threshold=1.0)
    distribution = WeightedDraws((high.draws - drawn.draws)[:, np.newaxis], drawn.weights)
    assert_allclose((high - drawn).value, distribution.median()[0], rtol=1e-12)


def test_what_is_undefined_in_one_is_undefined_in_both(problem, fitted):
    low, high = np.sort(problem.scores)[[20, -1]]
    top = fitted.estimate("precision_recall_slope", threshold=high)
    recall = fitted.estimate("recall", threshold=low, zero_division=np.nan)
    both = top - recall
    undefined = both.weights[np.isnan(both.draws)].sum()
    assert both.undefined >= max(undefined, top.undefined, recall.undefined) - 1e-12


def test_classes_and_folds_belong_together_where_they_are_the_same(global_random_seed):
    rows = Rows.drawn(global_random_seed)
    several = rows.calibrated(FrozenEstimator(rows.trained3)).fit(rows.X3, rows.partial3)
    macro = [several.estimate(name) for name in ("roc_auc", "average_precision")]
    assert_allclose((macro[0] - macro[1]).draws, macro[0].draws - macro[1].draws, rtol=1e-15)
    of_one = several.estimate("roc_auc", pos_label=0)
    with pytest.raises(ValueError, match="not of one fit"):
        macro[0] - of_one
    with pytest.raises(ValueError, match="not of one fit"):
        of_one - several.estimate("roc_auc", pos_label=1)


# --- as text and as a table -------------------------------------------------------------------


def test_a_format_is_that_of_the_value_and_of_both_ends():
    estimate = ScalarEstimate.from_draws("recall", np.linspace(0.0, 1.0, 101), np.ones(101))
    assert f"{estimate:.2f}" == "0.50 [0.05, 0.95]"
    assert f"{estimate:.0%}" == "50% [5%, 95%]"
    assert f"{estimate}" == str(estimate) == repr(estimate)
    with pytest.raises(ValueError, match="format"):
        f"{estimate:nonsense}"


def test_one_number_is_a_frame_of_one_row(fitted):
    pytest.importorskip("pandas")
    estimate = fitted.estimate("roc_auc")
    (row,) = estimate.to_frame(0.5).to_dict("records")
    low, high = estimate.interval(0.5)
    assert row == {"name": "roc_auc", "value": estimate.value, "lower": low, "upper": high}


def test_the_summary_holds_the_numbers_that_may_be_asked_one_by_one(fitted):
    table = main_estimates(fitted, threshold=1.0)
    assert isinstance(table, EstimateTable)
    assert table["average precision"].value == fitted.estimate("average_precision").value
    assert table["f1 at score 1"].value == fitted.estimate("f1", threshold=1.0).value
    assert table["precision at recall 0.5"].value == fitted.curve().at(0.5).value
    assert table.values.tolist() == [estimate.value for estimate in table.estimates]
    assert table.intervals(0.5).shape == (len(table), 2) == (10, 2)
    assert len(main_estimates(fitted)) == 7
    assert (table["recall at score 1"] - table["roc auc"]).kind == "posterior"
    text = str(table)
    assert "200 items, 30 labeled" in text
    assert f"Verdict: {fitted.verdict_.describe()}" in text
    low, high = table["roc auc"].interval()
    value = table["roc auc"].value
    assert f"{'roc auc':24}{value:8.3f}   {low:.3f} to {high:.3f}" in text.splitlines()
    # The rows alone, and all of them.
    assert repr(table).splitlines()[1:] == text.split("\n\n")[1].splitlines()
    with pytest.raises(KeyError, match="there are average precision, roc auc"):
        table["auc"]
    assert str(pickle.loads(pickle.dumps(table))) == text
