"""The checks of scikit-learn hold for every estimator, but for a few that cannot."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import SkipTestWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from sklearn_spe import (
    AccuracyComparison,
    AccuracyExtrapolator,
    ClassifierAccuracyExtrapolator,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from tests.quick import EXPERTS

pytestmark = [
    pytest.mark.each_case,
    *(
        pytest.mark.filterwarnings(f"ignore::sklearn_spe.exceptions.{name}")
        for name in ("SamplingWarning", "MisfitWarning", "UnidentifiedWarning")
    ),
]

# The estimators of the checks are made when tests are collected, before there is a seed.
MIXTURES = {
    name: SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=experts, random_state=0)
    for name, experts in (("experts", EXPERTS), ("bare", None))
}
# Where mixtures are many, those of fewest steps: what they find is no matter here.
QUICK = SemisupervisedScoreMixture(
    "norm", "norm", method="em", n_draws=25, experts=None, random_state=0
)
ESTIMATORS = {
    f"{type(estimator).__name__}-{name}": estimator
    for name, mixture in MIXTURES.items()
    for estimator in (mixture, PerformanceCurveEstimator(mixture, n_points=20, random_state=0))
}
ESTIMATORS["MeanEstimator"] = MeanEstimator(n_draws=50, random_state=0)
META_ESTIMATORS = {
    "SemisupervisedCalibratedClassifier": SemisupervisedCalibratedClassifier(
        LogisticRegression(C=1), cv=2, mixture=QUICK, random_state=0
    ),
    "SemisupervisedThresholdClassifier": SemisupervisedThresholdClassifier(
        LogisticRegression(C=1),
        f1=0.3,
        confidence_level=0.5,
        # Checks have classes 1 and 2 too, of which nobody says which one is positive.
        pos_label=1,
        mixture=QUICK,
        random_state=0,
    ),
}
FAST = AccuracyExtrapolator("moment", n_bootstrap=2, random_state=0)
EXTRAPOLATORS = {
    "AccuracyExtrapolator": FAST,
    "AccuracyComparison": AccuracyComparison(FAST),
    "ClassifierAccuracyExtrapolator": ClassifierAccuracyExtrapolator(
        LogisticRegression(C=1), extrapolator=FAST, n_sizes=2, n_repeats=1, cv=2, random_state=0
    ),
}
EVERY_META_ESTIMATOR = pytest.mark.parametrize(
    "estimator", META_ESTIMATORS.values(), ids=META_ESTIMATORS
)

# Checks of scikit-learn that an estimator is known to fail, and why.
MARKER = "-1 marks unlabelled items"
SPLIT = (
    "rows are split into rows to fit and rows to find the threshold: a repeated row may fall on "
    "both sides"
)
COLUMNS = "a column is a class: there are as many as labels"
COUNTS = "predict takes numbers of classes, and not the rows of a table"
TWO_CLASSES = "two classes say nothing about more"
EXPECTED_FAILED_CHECKS = {
    AccuracyExtrapolator: {
        **dict.fromkeys(
            (
                "check_all_zero_sample_weights_error",
                "check_dtype_object",
                "check_estimators_dtypes",
                "check_estimators_fit_returns_self",
                "check_estimators_nan_inf",
                "check_estimators_overwrite_params",
                "check_estimators_pickle",
                "check_fit2d_1feature",
                "check_n_features_in_after_fitting",
                "check_pipeline_consistency",
                "check_positive_only_tag_during_fit",
                "check_readonly_memmap_input",
                "check_sample_weight_equivalence_on_dense_data",
            ),
            COLUMNS,
        ),
        **dict.fromkeys(
            (
                "check_dict_unchanged",
                "check_f_contiguous_array_estimator",
                "check_fit2d_predict1d",
                "check_fit_idempotent",
                "check_methods_sample_order_invariance",
                "check_methods_subset_invariance",
            ),
            COUNTS,
        ),
    },
    ClassifierAccuracyExtrapolator: {
        **dict.fromkeys(
            (
                "check_estimators_dtypes",
                "check_estimators_empty_data_messages",
                "check_estimators_nan_inf",
                "check_estimators_pickle",
                "check_fit2d_1feature",
                "check_fit2d_1sample",
                "check_fit_check_is_fitted",
                "check_fit_idempotent",
                "check_n_features_in",
                "check_pipeline_consistency",
            ),
            TWO_CLASSES,
        ),
        **dict.fromkeys(
            (
                "check_dict_unchanged",
                "check_dtype_object",
                "check_f_contiguous_array_estimator",
                "check_fit2d_predict1d",
                "check_methods_sample_order_invariance",
                "check_methods_subset_invariance",
                "check_n_features_in_after_fitting",
            ),
            COUNTS,
        ),
    },
    SemisupervisedCalibratedClassifier: {"check_classifiers_classes": MARKER},
    SemisupervisedThresholdClassifier: {
        "check_classifiers_classes": MARKER,
        "check_classifiers_train": "Threshold at probability 0.5 does not hold",
        "check_sample_weight_equivalence_on_dense_data": SPLIT,
        "check_sample_weight_equivalence_on_sparse_data": SPLIT,
    },
}
if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7):
    EXPECTED_FAILED_CHECKS[SemisupervisedThresholdClassifier] |= dict.fromkeys(
        ("check_dtype_object", "check_estimator_sparse_array"),
        "classes are 2 and 3 there, of which pos_label is none",
    )
# Checks that the oldest scikit-learn does not have.
NEW_CHECKS = {"check_all_zero_sample_weights_error"}
# Many fits of six mixtures each.
SLOW_CHECKS = {
    (SemisupervisedCalibratedClassifier, "check_estimator_sparse_array"),
    (SemisupervisedCalibratedClassifier, "check_sample_weight_equivalence_on_sparse_data"),
}
# As slow, and the same again with other containers.
REPEATED_CHECKS = {
    (SemisupervisedCalibratedClassifier, "check_estimator_sparse_matrix"),
    (SemisupervisedCalibratedClassifier, "check_sample_weight_equivalence_on_dense_data"),
    (SemisupervisedThresholdClassifier, "check_estimator_sparse_matrix"),
    (ClassifierAccuracyExtrapolator, "check_estimator_sparse_matrix"),
}


def checks():
    """Yield each estimator with each check that scikit-learn has for it."""
    for name, estimator in {**ESTIMATORS, **META_ESTIMATORS, **EXTRAPOLATORS}.items():
        expected = EXPECTED_FAILED_CHECKS.get(type(estimator))
        for pair in estimator_checks_generator(
            estimator, expected_failed_checks=expected, mark=None
        ):
            check = pair[1].func.__name__
            if (type(estimator), check) in REPEATED_CHECKS:
                continue
            marks = []
            if check in (expected or {}):
                # xfail is strict: a check that holds after all is told.
                marks.append(pytest.mark.xfail(reason=expected[check]))
            if (type(estimator), check) in SLOW_CHECKS:
                marks.append(pytest.mark.slow)
            yield pytest.param(*pair, id=f"{name}-{check}", marks=marks)


with warnings.catch_warnings():
    # It has few checks for one column of scores, and warns that it leaves out the others.
    warnings.simplefilter("ignore", SkipTestWarning)
    CHECKS = list(checks())


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_conventions_of_scikit_learn_hold(estimator, check):
    check(estimator)


def test_a_check_that_is_expected_to_fail_is_one_that_exists():
    asked = {(type(p.values[0]), p.values[1].func.__name__) for p in CHECKS}
    expected = {(t, check) for t, checks in EXPECTED_FAILED_CHECKS.items() for check in checks}
    assert {pair for pair in expected - asked if pair[1] not in NEW_CHECKS} == set()
    assert asked >= SLOW_CHECKS


# --- in place of check_classifiers_classes ----------------------------------------------------

X, CODES = make_blobs(80, centers=[[0.0, 0.0], [3.0, 3.0]], random_state=0)


@EVERY_META_ESTIMATOR
@pytest.mark.parametrize(
    "classes",
    [[1, 2], ["ham", "spam"], [False, True]],
    ids=str,
)
def test_predictions_are_the_classes_whatever_their_names(estimator, classes):
    classes = np.array(classes)
    plain = clone(estimator).fit(X, CODES)
    fitted = clone(estimator).set_params(pos_label=classes[1]).fit(X, classes[CODES])
    assert fitted.classes_.dtype == classes.dtype
    assert fitted.classes_.tolist() == classes.tolist()
    predicted = fitted.predict(X)
    assert predicted.dtype == classes.dtype
    assert predicted.tolist() == classes[plain.predict(X)].tolist()
    assert np.array_equal(fitted.predict_proba(X), plain.predict_proba(X))
    assert np.mean(predicted == classes[CODES]) > 0.9


@EVERY_META_ESTIMATOR
def test_a_frozen_classifier_of_plus_and_minus_one_knows_that_minus_one_is_a_class(estimator):
    signs = np.where(CODES == 1, 1, -1)
    y = np.where(np.arange(80) % 2 == 0, signs, np.nan)
    on_codes, on_signs = (
        clone(estimator).set_params(estimator=FrozenEstimator(SVC(kernel="linear").fit(X, labels)))
        for labels in (CODES, signs)
    )
    on_signs.fit(X, y)
    on_codes.fit(X, np.where(np.isnan(y), -1, CODES))
    assert on_signs.classes_.tolist() == [-1, 1]
    assert on_signs.predict(X).tolist() == np.where(on_codes.predict(X) == 1, 1, -1).tolist()
    assert set(on_signs.predict(X)) == {-1, 1}
