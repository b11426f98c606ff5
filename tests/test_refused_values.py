"""Single values, text, dates and arrays where something else is wanted are refused by name."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    ScoreHistogram,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
)
from sklearn_spe.active import LabelPlan, Tail
from sklearn_spe.active._saved_labels import parameters_of
from sklearn_spe.active._stopping import AllOf, AnyOf
from sklearn_spe.active.sessions._query_log import check_indices
from sklearn_spe.active.sessions._session import History
from sklearn_spe.application import main_estimates
from sklearn_spe.datasets import make_noisy_tags, make_scores
from sklearn_spe.display import GoalProbabilityDisplay
from sklearn_spe.estimators._score_mixture import new_mixture
from sklearn_spe.experts._registry import as_experts
from sklearn_spe.extrapolation._accuracy_curve import check_class_counts
from sklearn_spe.extrapolation._pilot import check_classes
from sklearn_spe.results._estimates import CurveBand
from tests.active.selectors import Items, model
from tests.quick import QUIET

pytestmark = QUIET

SEVERAL = np.array([0, 1])
PLAN = LabelPlan(np.array([10]), np.array([[0.1]]), np.array([[0.2]]))
LINE = CurveBand.from_draws("line", [0.0, 1.0], [[0.0, 1.0], [0.5, 0.5]], [1.0, 1.0])
COUNTED = ScoreHistogram().update([0.2, 0.4])
UNCOPIED = SemisupervisedScoreMixture(classes=MappingProxyType({0: 1}))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: AnyOf(3), "rules must be a list"),
        (lambda: AllOf("rules"), "rules must be a list"),
        (lambda: AnyOf(tuple), "rules must be a list"),
        (lambda: check_classes(np.array(["a", 1.0], dtype=object)), "y mixes classes"),
        (lambda: History().column("width"), "name must be one of n_labels"),
        (lambda: Tail().query(["1", "x"]), "X must hold numbers"),
        (lambda: Tail().query(["1", " "]), "X must hold numbers"),
        (lambda: LINE.at("0.5"), "x must be a number"),
        (lambda: LINE.at([0.5]), "x must be a number"),
        (lambda: CurveBand.from_draws("line", [0.0], ["a"], [1.0]), "draws must hold numbers"),
        (lambda: CurveBand.from_draws("line", [0.0], [1.0], [1.0]), "draws must have shape"),
        (lambda: CurveBand.from_draws("line", [0.0], [[1.0]], [-1.0]), "nonnegative"),
        (lambda: make_scores(positive_values=None), "positive_values must be an array"),
        (lambda: make_scores(positive_values=np.empty((9, 0))), "positive_values must hold mean"),
        (lambda: PLAN.width(random=SEVERAL), "random must be True or False"),
        (lambda: GoalProbabilityDisplay([LINE]).plot(names=3), "names must be a list"),
        (lambda: COUNTED.with_labels(0.2, [1]), "scores must be an array"),
        (lambda: COUNTED.with_labels([0.2], [1], counted=SEVERAL), "counted must be True or"),
        (lambda: ScoreHistogram.from_table(3, 3), "keys must be an array"),
        (lambda: new_mixture(UNCOPIED, random_state=0), "a parameter that cannot be copied"),
        (lambda: as_experts(np.array(None)), "An expert must be a name"),
        (lambda: check_class_counts([]), "n_classes must not be empty"),
        (lambda: check_class_counts([1.7e308]), "n_classes must be at most"),
        (lambda: check_classes(np.rec.fromarrays([SEVERAL])), "y must hold classes"),
        (lambda: check_indices([[1], [2, 3]], 9), "indices has rows of different length"),
        (lambda: ActiveTestSelector.from_frame(pd.DataFrame), "from_frame takes a table"),
        (lambda: make_noisy_tags(separation=1e200), "separation must lie in"),
        (lambda: parameters_of({}, {"draw": np.array(0.5)}, {"draw"}), r"got draw=0\.5"),
    ],
)
def test_what_is_refused_is_named(call, says):
    with pytest.raises((TypeError, ValueError), match=says):
        call()


@pytest.mark.parametrize("X", [None, "", "text", 3.0, np.array(3.0), np.ndarray, {}])
def test_features_without_rows_are_refused(X):
    classifier = LogisticRegression().fit([[-1.0], [1.0], [2.0], [-2.0]], [0, 1, 1, 0])
    rows, y = np.linspace(-2.0, 2.0, 20)[:, np.newaxis], np.r_[0, 0, 0, np.full(14, -1), 1, 1, 1]
    calibrated = SemisupervisedCalibratedClassifier(FrozenEstimator(classifier), mixture=model())
    calibrated.fit(rows, y)
    for predict in (calibrated.fit, calibrated.predict, calibrated.predict_proba):
        with pytest.raises(TypeError, match="X must hold a row for each item"):
            predict(X, **({"y": y} if predict == calibrated.fit else {}))


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.OutsideDesignWarning")
def test_one_label_for_several_items_is_refused(global_random_seed):
    items = Items.drawn(global_random_seed)
    chosen = items.selector().fit(items.scores)
    for label in (1, True, np.int64(1), None):
        with pytest.raises(TypeError, match="must be an array"):
            chosen.update([0, 1], label)
    with pytest.raises(TypeError, match="return_utilities must be True or False"):
        chosen.query(1, return_utilities=SEVERAL)
    assert chosen.n_labels_ == len(chosen.pending_) == 0
    assert chosen.update(0, 1).n_labels_ == 1


def test_questions_refuse_what_is_no_function_and_no_number(global_random_seed):
    items = Items.drawn(global_random_seed)
    performance = PerformanceCurveEstimator(items.model()).fit(items.scores, items.partly(40))
    for given in (7, dict):
        with pytest.raises(TypeError, match="predicted must be a function"):
            performance.calibration_curve(given)
    with pytest.raises(TypeError, match="zero_division must be a number"):
        performance.curve(zero_division=SEVERAL)
    with pytest.raises(TypeError, match="threshold must be a number"):
        main_estimates(performance, threshold="0.5")
    with pytest.raises(ValueError, match="X has 3 columns, but fit was given 1"):
        performance.score(np.zeros((3, 3)), [0, 1, 1])
    with pytest.raises(ValueError, match="X has rows of different length"):
        performance.fit([[1.0, 2.0], [3.0]], [0, 1])
    with pytest.raises(TypeError, match="verbose must be a whole number"):
        items.model(verbose=SEVERAL).fit(items.scores, items.partly(40))
