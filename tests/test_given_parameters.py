"""What parameters may be: checked before a fit, and said in one place."""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import (
    AccuracyExtrapolator,
    ActiveTestSelector,
    ClassifierAccuracyExtrapolator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from sklearn_spe.active import SharedCurvesModel
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.estimators._score_mixture import new_mixture
from sklearn_spe.matches import SegmentationMatches
from sklearn_spe.results._estimates import ScalarEstimate
from tests.quick import QUIET, RANKS

pytestmark = QUIET

SCORES = np.linspace(-1.0, 1.0, 40)
Y = np.where(np.arange(40) % 4 == 0, np.arange(40) % 8 == 0, -1)


def frozen():
    return FrozenEstimator(LogisticRegression().fit(SCORES[:, np.newaxis], SCORES > 0))


# --- workers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_jobs", "error"), [("x", TypeError), (0, ValueError), (2**53, ValueError), (1.5, TypeError)]
)
def test_the_number_of_workers_is_checked_first(n_jobs, error):
    table = np.eye(8)
    for estimator, X, y in (
        (SemisupervisedScoreMixture(n_jobs=n_jobs), SCORES, Y),
        (PerformanceCurveEstimator(n_jobs=n_jobs), SCORES, Y),
        (ActiveTestSelector(n_jobs=n_jobs), SCORES, Y),
        (SemisupervisedCalibratedClassifier(frozen(), n_jobs=n_jobs), SCORES[:, np.newaxis], Y),
        (
            SemisupervisedThresholdClassifier(frozen(), precision=0.5, n_jobs=n_jobs),
            SCORES[:, np.newaxis],
            Y,
        ),
        (AccuracyExtrapolator(n_jobs=n_jobs), table, np.arange(8)),
        (ClassifierAccuracyExtrapolator(LogisticRegression(), n_jobs=n_jobs), table, np.arange(8)),
    ):
        with pytest.raises(error, match="n_jobs must be"):
            estimator.fit(X, y)


def test_curves_are_sent_to_processes_that_pickle():
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=[RANKS], n_draws=300, random_state=0
    )
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(SCORES, Y == 1)
    curves = ("precision_recall", "roc", "det", "f1")
    here = [performance.set_params(n_jobs=1).curve(name).value for name in curves]
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        there = [performance.set_params(n_jobs=None).curve(name).value for name in curves]
    assert all(map(np.array_equal, here, there))


# --- a mixture, and what holds it ------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "holder", "expected"),
    [
        ({}, {}, (1000, None)),
        ({"n_draws": 100}, {}, (100, None)),
        ({}, {"n_draws": 5000}, (5000, None)),
        ({"n_jobs": 2}, {"n_draws": 5000}, (5000, 2)),
        ({"n_draws": 100, "n_jobs": 1}, {"n_draws": 100, "n_jobs": 1}, (100, 1)),
    ],
)
def test_what_is_said_in_one_place_holds(own, holder, expected):
    given = SemisupervisedScoreMixture(**own)
    for estimator in (PerformanceCurveEstimator(given, **holder), ActiveTestSelector(**holder)):
        mixture = new_mixture(given, random_state=0, holder=estimator)
        assert (mixture.n_draws, mixture.n_jobs) == expected
    assert given.get_params() == SemisupervisedScoreMixture(**own).get_params()


def test_without_a_mixture_it_gets_what_its_holder_says():
    for holder in (PerformanceCurveEstimator(n_jobs=2), ActiveTestSelector(n_jobs=2)):
        mixture = new_mixture(None, random_state=0, holder=holder)
        assert (mixture.n_draws, mixture.n_jobs) == (holder.n_draws, 2)


@pytest.mark.parametrize(
    "wrap", [lambda mixture: mixture, SharedCurvesModel], ids=["mixture", "model"]
)
@pytest.mark.parametrize("X", [SCORES, np.column_stack([SCORES, SCORES**3])], ids=["one", "two"])
def test_a_selector_and_its_mixture_agree_on_the_classes_of_one_pool_and_of_several(wrap, X):
    model = wrap(SemisupervisedScoreMixture(classes=["a", "b"], pos_label="b"))
    selector = ActiveTestSelector(label_model=model, classes=["c", "d"])
    with pytest.raises(
        ValueError, match=r"classes is \['c', 'd'\] in Active.* and \['a', 'b'\] in"
    ):
        selector.fit(X)
    selector.set_params(classes=None, pos_label="a")
    with pytest.raises(ValueError, match="pos_label is 'a' in ActiveTestSelector and 'b' in"):
        selector.fit(X)


def test_what_is_said_twice_and_differently_is_refused():
    mixture = SemisupervisedScoreMixture(n_draws=100)
    with pytest.raises(ValueError, match=r"n_draws is 5000 in Perf.* and 100 in its mixture"):
        PerformanceCurveEstimator(mixture, n_draws=5000).fit(SCORES, Y == 1)
    with pytest.raises(ValueError, match=r"n_draws is 200 in Active.* and 100 in its mixture"):
        ActiveTestSelector(label_model=mixture, n_draws=200).fit(SCORES)
    named = SemisupervisedScoreMixture(classes=[-1, 1])
    with pytest.raises(ValueError, match=r"classes is \[0, 1\] in Active.* and \[-1, 1\]"):
        ActiveTestSelector(label_model=named, classes=[0, 1]).fit(SCORES)


class OneExpert(SemisupervisedScoreMixture):
    def __init__(self, random_state=None):
        super().__init__(experts=[RANKS], n_draws=50, random_state=random_state)


class OfOneExpert(PerformanceCurveEstimator):
    def __init__(self, mixture=None):
        super().__init__(mixture, random_state=0)


def test_a_subclass_may_fix_what_it_does_not_ask_for():
    fitted = OfOneExpert(OneExpert()).fit(SCORES, Y == 1)
    assert fitted.posterior_.n_draws == 50


def test_a_fitted_mixture_keeps_what_it_was_fitted_with():
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=[RANKS], n_draws=50, random_state=0
    )
    mixture.fit(SCORES, Y == 1)
    others = {"n_draws": 200, "greater_is_positive": False, "classes": "ab", "random_state": 1}
    others["score_kind"] = "margin"
    for name, value in others.items():
        with pytest.raises(ValueError, match=f"{name}={value!r} contradicts the fitted"):
            performance_of(mixture, **{name: value})
    assert performance_of(mixture, n_draws=50).mixture_.n_draws == 50


# --- results and numbers of other kinds ------------------------------------------------


@pytest.mark.parametrize(
    ("draws", "weights", "says"),
    [
        ([0.1, 0.2], [1.0], r"weights must have shape \(2,\)"),
        ([0.1, 0.2], [1.0, -1.0], "nonnegative weights that are not all zero"),
        ([0.1, 0.2], [0.0, 0.0], "nonnegative weights that are not all zero"),
        ([0.1, 0.2], [np.nan, 1.0], "nonnegative weights that are not all zero"),
        ([], [], "needs draws"),
    ],
)
def test_an_estimate_of_draws_needs_weights_that_can_be_normalised(draws, weights, says):
    with pytest.raises(ValueError, match=says):
        ScalarEstimate.from_draws("recall", draws, weights)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"system": [10**9, 0, 0]}, "System 1 has no detection"),
        ({"category": [10**9] * 3, "object_category": [10**9]}, "number categories from 0"),
    ],
)
def test_numbers_of_systems_and_categories_that_would_fill_the_memory_are_refused(changed, says):
    given = {
        "score": [0.9, 0.8, 0.7],
        "category": [0, 0, 0],
        "object": [0, -1, -1],
        "coarse_overlap": [0.9, 0.0, 0.0],
        "object_category": [0],
    }
    with pytest.raises(ValueError, match=says):
        SegmentationMatches(**given | changed)


@pytest.mark.parametrize("several", [[0, 1], np.array([1]), (1,)], ids=repr)
def test_an_array_is_no_name(several):
    with pytest.raises(ValueError, match="target must be one of sample, population"):
        PerformanceCurveEstimator(target=several).fit(SCORES, Y)
    with pytest.raises(TypeError, match="label_model must be one of"):
        ActiveTestSelector(label_model=several).fit(SCORES)


def test_classes_are_an_array():
    with pytest.raises(TypeError, match=r"classes must be an array.*got 3"):
        SemisupervisedScoreMixture(classes=3).fit(SCORES, Y)
    for classifier in (
        SemisupervisedCalibratedClassifier(frozen(), classes=3),
        SemisupervisedThresholdClassifier(frozen(), precision=0.5, classes=3),
    ):
        with pytest.raises(TypeError, match=r"classes must be an array.*got 3"):
            classifier.fit(SCORES[:, np.newaxis], Y)


def test_tables_have_columns():
    with pytest.raises(TypeError, match=r"with columns .*got \[1, 2\]"):
        ActiveTestSelector.from_frame([1, 2])
    with pytest.raises(TypeError, match="takes a table with columns"):
        ActiveTestSelector.from_frame(pd.Series([0.1, 0.2]))


# --- displays --------------------------------------------------------------------------


def test_displays_take_axes_and_dictionaries():
    pytest.importorskip("matplotlib")
    from sklearn_spe.display import PerformanceCurveDisplay

    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=[RANKS], n_draws=50, random_state=0
    )
    performance = PerformanceCurveEstimator(mixture).fit(SCORES, Y == 1)
    display = PerformanceCurveDisplay.from_estimator(performance, "roc")
    assert display.band.x_name == "false positive rate"
    for name in ("ax", "curve_kwargs", "band_kwargs"):
        with pytest.raises(TypeError, match=r"must be (matplotlib Axes|a dictionary) or None, got"):
            display.plot(**{name: 1})
