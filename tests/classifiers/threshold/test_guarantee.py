"""A promise that is proved by labels whose chances are known, whatever the classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import UnprovedGoalError
from tests.active.selectors import model
from tests.classifiers.threshold.data import promising
from tests.quick import QUIET

pytestmark = QUIET
N, SHARE = 300, 0.5
CHANCES = np.full(N, SHARE)


@pytest.fixture(scope="module")
def rows(global_random_seed):
    """Return rows, their labels, and which of them are known."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(N, 1))
    labels = (rng.random(N) < 1.0 / (1.0 + np.exp(-4.0 * X[:, 0]))).astype(int)
    return X, labels, np.where(rng.random(N) < SHARE, labels, -1)


@pytest.fixture(scope="module")
def frozen(rows):
    return FrozenEstimator(LogisticRegression().fit(*rows[:2]))


def proving(estimator, **parameters):
    goal = {"precision": 0.7, "confidence_level": 0.8, "guarantee": "anytime"}
    return promising(estimator, model(), **{**goal, **parameters})


@pytest.fixture(scope="module")
def fitted(rows, frozen):
    return proving(frozen).fit(rows[0], rows[2], inclusion_proba=CHANCES)


def test_the_threshold_is_the_one_that_labels_prove(rows, frozen, fitted):
    X, labels, partial = rows
    scores = frozen.decision_function(X)
    # What a classifier's scores are it is asked; scores alone have to be guessed at.
    mixture = model(score_kind="log_odds")
    performance = PerformanceCurveEstimator(mixture, random_state=fitted.seed_)
    performance.fit(scores, partial, inclusion_proba=CHANCES)
    goal = {"precision": 0.7, "confidence_level": 0.8}
    assert_allclose(fitted.threshold_, performance.threshold_for(**goal, guarantee="anytime"))
    known = partial >= 0
    assert np.array_equal(fitted.selected_[known], labels[known] == 1)
    assert np.array_equal(fitted.selected_[~known], scores[~known] >= fitted.threshold_)
    with pytest.raises(UnprovedGoalError):
        proving(frozen, precision=0.99, recall=0.99).fit(X, partial, inclusion_proba=CHANCES)


def test_chances_are_routed_with_the_rows(rows, frozen, fitted):
    X, _, partial = rows
    with config_context(enable_metadata_routing=True):
        asking = proving(frozen).set_fit_request(inclusion_proba=True)
        # What looks at no row, and takes the chances to whom they are for.
        pipeline = make_pipeline(FunctionTransformer(), asking)
        pipeline.fit(X, partial, inclusion_proba=CHANCES)
    assert pipeline[-1].threshold_ == fitted.threshold_


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({}, {}, "guarantee='anytime' needs the inclusion probabilities"),
        ({"guarantee": "certain"}, {}, "guarantee must be one of posterior, anytime"),
        ({"target": "population"}, {"inclusion_proba": CHANCES}, "applies to this sample"),
        (
            {},
            {"inclusion_proba": CHANCES, "groups": np.arange(N) // 2},
            "supported with groups=",
        ),
        ({}, {"inclusion_proba": CHANCES[1:]}, "one number for each item"),
        ({}, {"inclusion_proba": np.linspace(0.3, 0.7, N)}, "equal inclusion probabilities"),
    ],
    ids=["no chances", "no guarantee", "population", "groups", "lengths", "several chances"],
)
def test_what_proves_nothing_is_refused(rows, frozen, parameters, given, message):
    with pytest.raises(ValueError, match=message):
        proving(frozen, **parameters).fit(rows[0], rows[2], **given)


def test_rows_that_a_classifier_is_fitted_to_are_not_drawn_any_more(rows):
    for guarantee in ("posterior", "anytime"):
        with pytest.raises(ValueError, match=r"pass FrozenEstimator\(clf\)"):
            proving(LogisticRegression(), guarantee=guarantee).fit(
                rows[0], rows[2], inclusion_proba=CHANCES
            )
