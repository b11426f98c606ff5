"""The checks of scikit-learn hold for every estimator, but for those that the docs list."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import SkipTestWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC
from sklearn.utils import ClassifierTags
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.fixes import parse_version
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from sklearn_spe import (
    AccuracyComparison,
    AccuracyExtrapolator,
    ActiveTestSelector,
    ClassifierAccuracyExtrapolator,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from tests.extrapolation.pilots import tied_scores
from tests.quick import QUIET, RANKS

pytestmark = [
    *QUIET,
    pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FarExtrapolationWarning"),
]

# Nothing is set but what must be: a classifier, and what is wanted of a threshold.
DEFAULTS = [
    AccuracyComparison(),
    AccuracyExtrapolator(),
    ActiveTestSelector(),
    ClassifierAccuracyExtrapolator(LogisticRegression()),
    MeanEstimator(),
    PerformanceCurveEstimator(),
    SemisupervisedCalibratedClassifier(LogisticRegression()),
    SemisupervisedScoreMixture(),
    SemisupervisedThresholdClassifier(LogisticRegression(), recall=0.9),
]
# The same where a fit takes long, with less of what costs time and nothing else. A split of twelve
# rows drawn anew can leave a classifier that says the same of all, to which no family is fitted.
MIXTURE = SemisupervisedScoreMixture("norm", "norm", method="em", n_draws=25, experts=None)
# A bare mixture that contradicts labels is compared with two normals in each fold.
EXPERTS_ALONE = SemisupervisedScoreMixture(experts=[RANKS], n_draws=25)
EXTRAPOLATOR = AccuracyExtrapolator("moment", n_bootstrap=2)
QUICK = [
    EXTRAPOLATOR,
    ClassifierAccuracyExtrapolator(
        LogisticRegression(), extrapolator=EXTRAPOLATOR, n_sizes=2, n_repeats=1, cv=2
    ),
    SemisupervisedCalibratedClassifier(LogisticRegression(), cv=2, mixture=EXPERTS_ALONE),
    SemisupervisedThresholdClassifier(
        LogisticRegression(), recall=0.9, mixture=MIXTURE, random_state=0
    ),
]
# Checks that fit nothing, or hardly: defaults are tried with them, too.
WITHOUT_FITS = {
    "check_complex_data",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_empty_data_messages",
    "check_estimators_unfitted",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_requires_y_none",
    "check_set_params",
    "check_valid_tag_types",
}
# Of these a default is fast enough for all checks, if not for every run.
ALL_CHECKS = (AccuracyExtrapolator, SemisupervisedThresholdClassifier)

# Checks of scikit-learn that an estimator is known to fail, and why; doc/scikit_learn_checks.rst.
COLUMNS = "a column is a class: there are as many as labels"
COUNTS = "predict takes numbers of classes, and not the rows of a table"
MARKER = "-1 marks unlabelled items"
SPLIT = (
    "rows are split into rows to fit and rows to find the threshold: a repeated row may fall on "
    "both sides"
)
THRESHOLD = "the threshold is not at the probability 0.5"
TWO_CLASSES = "two classes say nothing about more"
EXPECTED_FAILED_CHECKS = {
    AccuracyExtrapolator: {
        "check_dict_unchanged": COUNTS,
        "check_dtype_object": COLUMNS,
        "check_estimators_dtypes": COLUMNS,
        "check_estimators_fit_returns_self": COLUMNS,
        "check_estimators_nan_inf": COLUMNS,
        "check_estimators_overwrite_params": COLUMNS,
        "check_estimators_pickle": COLUMNS,
        "check_f_contiguous_array_estimator": COUNTS,
        "check_fit2d_predict1d": COUNTS,
        "check_fit_idempotent": COUNTS,
        "check_methods_sample_order_invariance": COUNTS,
        "check_methods_subset_invariance": COUNTS,
        "check_n_features_in_after_fitting": COLUMNS,
        "check_pipeline_consistency": COLUMNS,
        "check_positive_only_tag_during_fit": COLUMNS,
        "check_readonly_memmap_input": COLUMNS,
        "check_sample_weight_equivalence_on_dense_data": COLUMNS,
    },
    ClassifierAccuracyExtrapolator: {
        "check_dict_unchanged": COUNTS,
        "check_dtype_object": COUNTS,
        "check_estimators_dtypes": TWO_CLASSES,
        "check_estimators_nan_inf": TWO_CLASSES,
        "check_estimators_pickle": TWO_CLASSES,
        "check_f_contiguous_array_estimator": COUNTS,
        "check_fit2d_1feature": TWO_CLASSES,
        "check_fit2d_predict1d": COUNTS,
        "check_fit_check_is_fitted": TWO_CLASSES,
        "check_fit_idempotent": TWO_CLASSES,
        "check_methods_sample_order_invariance": COUNTS,
        "check_methods_subset_invariance": COUNTS,
        "check_n_features_in": TWO_CLASSES,
        "check_n_features_in_after_fitting": COUNTS,
        "check_pipeline_consistency": TWO_CLASSES,
    },
    SemisupervisedCalibratedClassifier: {"check_classifiers_classes": MARKER},
    SemisupervisedThresholdClassifier: {
        "check_classifiers_classes": MARKER,
        "check_classifiers_train": THRESHOLD,
        "check_sample_weight_equivalence_on_dense_data": SPLIT,
        "check_sample_weight_equivalence_on_sparse_data": SPLIT,
    },
}
# The same for estimators of one column of scores, to which a check passes the first of its columns.
ONE_SCORE = "the message names the only score, and not the number of samples"
EXPECTED_OF_ONE_COLUMN: dict[type, dict[str, str]] = {
    SemisupervisedScoreMixture: {"check_fit2d_1sample": ONE_SCORE},
    PerformanceCurveEstimator: {"check_fit2d_1sample": ONE_SCORE},
}
# scikit-learn 1.6 makes two classes of three by the class of the first row. Rows with weights are
# shuffled, so the two fits that this check compares are fits to different classes.
if parse_version(sklearn.__version__) < parse_version("1.7"):
    BROKEN_CHECKS = {
        (SemisupervisedScoreMixture, "check_sample_weight_equivalence_on_dense_data"): (
            "scikit-learn 1.6 compares fits to different classes"
        )
    }
else:
    BROKEN_CHECKS = {}
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


def checks_of(estimator):
    """Return each check that scikit-learn has for an estimator, with its name."""
    expected = EXPECTED_FAILED_CHECKS.get(type(estimator))
    found = estimator_checks_generator(estimator, expected_failed_checks=expected, mark=None)
    return [(check.func.__name__, subject, check) for subject, check in found]


def cases():
    """Yield each estimator with each check."""
    quick = {type(estimator) for estimator in QUICK}
    for kind, estimators in (("default", DEFAULTS), ("quick", QUICK)):
        for estimator in estimators:
            cls = type(estimator)
            for name, subject, check in checks_of(estimator):
                marks = []
                if kind == "default" and cls in quick and name not in WITHOUT_FITS:
                    if cls not in ALL_CHECKS:
                        continue
                    marks.append(pytest.mark.slow)
                elif (cls, name) in REPEATED_CHECKS:
                    continue
                elif (cls, name) in SLOW_CHECKS:
                    marks.append(pytest.mark.slow)
                fails = name in EXPECTED_FAILED_CHECKS.get(cls, {})
                case = f"{cls.__name__}-{kind}-{name}"
                yield pytest.param(subject, check, fails, id=case, marks=marks)


with warnings.catch_warnings():
    # It has few checks for one column of scores, and warns that it leaves out the others.
    warnings.simplefilter("ignore", SkipTestWarning)
    CASES = list(cases())


@pytest.mark.parametrize(("estimator", "check", "fails"), CASES)
def test_conventions_of_scikit_learn_hold(estimator, check, fails):
    if not fails:
        check(estimator)
        return

    # A check that holds after all is told. A mark of pytest would parse all of the checks' sources
    # for each report.
    with pytest.raises(Exception):  # noqa: B017, PT011
        check(estimator)


def test_a_check_that_is_expected_to_fail_is_one_that_exists():
    asked = {(type(p.values[0]), p.values[1].func.__name__) for p in CASES}
    expected = {(cls, name) for cls, names in EXPECTED_FAILED_CHECKS.items() for name in names}
    assert expected | SLOW_CHECKS <= asked
    assert {name for _, name in asked} >= WITHOUT_FITS


def test_the_docs_list_each_check_that_is_expected_to_fail():
    page = Path(__file__).parents[1] / "doc" / "scikit_learn_checks.rst"
    rows = [line.split("|") for line in page.read_text("utf-8").splitlines() if "``check_" in line]
    told = {
        (cls.strip(" `").split(".")[-1], name.strip(" `"))
        for cls, _, names in rows
        for name in names.split(",")
    }
    expected = [*EXPECTED_FAILED_CHECKS.items(), *EXPECTED_OF_ONE_COLUMN.items()]
    assert told == {(cls.__name__, name) for cls, names in expected for name in names}


# --- estimators of one column of scores ---------------------------------------------------------


class OnOneColumn(MetaEstimatorMixin, BaseEstimator):
    """An estimator of scores, fitted to the first of several columns and to two classes."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        return self._fit(X, y)

    def _fit(self, X, y, **weights):
        X, y = validate_data(self, X, y, dtype="numeric")
        # Which of two classes is positive is asked, unless they are 0 and 1.
        names, codes = np.unique(y, return_inverse=True)
        y = codes if len(names) == 2 else y
        self.estimator_ = clone(self.estimator).fit(X[:, 0], y, **weights)
        return self

    def _answer(self, method, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", reset=False)
        return getattr(self.estimator_, method)(X[:, 0])

    @available_if(lambda self: hasattr(self.estimator, "predict"))
    def predict(self, X):
        return self._answer("predict", X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X):
        return self._answer("predict_proba", X)

    @available_if(lambda self: hasattr(self.estimator, "score_samples"))
    def score_samples(self, X):
        return self._answer("score_samples", X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.target_tags.required = True
        return tags


class WeightedOnOneColumn(OnOneColumn):
    """The same, of an estimator that takes weights."""

    def fit(self, X, y, sample_weight=None):
        return self._fit(X, y, sample_weight=sample_weight)


ONE_COLUMN = [
    MIXTURE,
    PerformanceCurveEstimator(MIXTURE, n_points=20),
    MeanEstimator(n_draws=50),
    ActiveTestSelector(n_draws=50),
]


def cases_of_one_column():
    """Yield each check for estimators of one column, of which scikit-learn runs one only."""
    for estimator in ONE_COLUMN:
        cls = type(estimator)
        expected = EXPECTED_OF_ONE_COLUMN.get(cls, {})
        wrapper = (
            WeightedOnOneColumn if has_fit_parameter(estimator, "sample_weight") else OnOneColumn
        )
        wrapped = wrapper(clone(estimator).set_params(random_state=0))
        for subject, check in estimator_checks_generator(wrapped):
            name = check.func.__name__
            reason = expected.get(name) or BROKEN_CHECKS.get((cls, name))
            marks = [pytest.mark.xfail(reason=reason)] if reason else []
            yield pytest.param(subject, check, id=f"{cls.__name__}-{name}", marks=marks)


@pytest.mark.parametrize(("estimator", "check"), cases_of_one_column())
def test_checks_of_features_hold_for_one_column_of_scores(estimator, check):
    check(estimator)


# --- in place of check_classifiers_classes ----------------------------------------------------

X, CODES = make_blobs(80, centers=[[0.0, 0.0], [3.0, 3.0]], random_state=0)


@pytest.mark.parametrize("estimator", QUICK[2:], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    "classes",
    [[1, 2], ["ham", "spam"], [False, True]],
    ids=str,
)
def test_predictions_are_the_classes_whatever_their_names(estimator, classes):
    classes = np.array(classes)
    plain = clone(estimator).set_params(random_state=0).fit(X, CODES)
    fitted = clone(plain).fit(X, classes[CODES])
    assert fitted.classes_.dtype == classes.dtype
    assert fitted.classes_.tolist() == classes.tolist()
    predicted = fitted.predict(X)
    assert predicted.dtype == classes.dtype
    assert predicted.tolist() == classes[plain.predict(X)].tolist()
    assert np.array_equal(fitted.predict_proba(X), plain.predict_proba(X))
    assert np.mean(predicted == classes[CODES]) > 0.9


@pytest.mark.parametrize("estimator", QUICK[2:], ids=lambda e: type(e).__name__)
def test_a_frozen_classifier_of_plus_and_minus_one_knows_that_minus_one_is_a_class(estimator):
    signs = np.where(CODES == 1, 1, -1)
    y = np.where(np.arange(80) % 2 == 0, signs, np.nan)
    on_codes, on_signs = (
        clone(estimator).set_params(
            estimator=FrozenEstimator(SVC(kernel="linear").fit(X, labels)), random_state=0
        )
        for labels in (CODES, signs)
    )
    on_signs.fit(X, y)
    on_codes.fit(X, np.where(np.isnan(y), -1, CODES))
    assert on_signs.classes_.tolist() == [-1, 1]
    assert on_signs.predict(X).tolist() == np.where(on_codes.predict(X) == 1, 1, -1).tolist()
    assert set(on_signs.predict(X)) == {-1, 1}


@pytest.mark.parametrize("estimator", QUICK[2:], ids=lambda e: type(e).__name__)
def test_classes_that_were_numbered_with_the_marker_are_refused(estimator):
    y = np.where(np.arange(80) % 2 == 0, CODES, -1)
    frozen = FrozenEstimator(LogisticRegression().fit(X, CODES))
    subjects = [clone(estimator).set_params(estimator=frozen)]
    subjects.append(clone(estimator).set_params(classes=[0, 1]))
    for subject in subjects:
        with pytest.raises(ValueError, match=r"y holds \[2\].*loop over the folds"):
            cross_val_predict(subject, X, y, cv=3, method="predict_proba")
        # Labels that are passed as they are.
        predicted = cross_val_predict(subject.set_params(random_state=0), X, y, cv=3)
        assert set(predicted) <= {0, 1}
    # Other labels that are no classes have another remedy.
    with pytest.raises(ValueError, match="y holds") as error:
        subjects[0].fit(X, np.where(y == 1, 7, y))
    assert "cross_val_predict" not in str(error.value)


def test_a_loop_over_folds_predicts_probabilities_of_two_classes():
    y = np.where(np.arange(80) % 2 == 0, CODES, -1)
    estimator, folds = clone(QUICK[2]).set_params(random_state=0), StratifiedKFold(3)
    probabilities = np.empty((80, 2))
    for train, test in folds.split(X, y):
        fitted = clone(estimator).fit(X[train], y[train])
        probabilities[test] = fitted.predict_proba(X[test])
    predicted = cross_val_predict(estimator, X, y, cv=folds)
    assert_array_equal(predicted, probabilities.argmax(axis=1))


# --- in place of the checks of tables that have other numbers of columns than of labels -----------

COUNTS_ASKED = [1, 6, 12, 40]


@pytest.fixture(scope="module")
def table(global_random_seed):
    """Return scores for each of twelve classes that are small whole numbers, and labels."""
    return tied_scores(12, 40, global_random_seed)


def fitted_to(X, y, *weights):
    return clone(EXTRAPOLATOR).set_params(random_state=0).fit(X, y, *weights)


def test_a_table_is_the_same_in_any_container(table):
    X, y = table
    expected = fitted_to(X, y).predict(COUNTS_ASKED)
    frozen = X.copy()
    frozen.flags.writeable = False
    dtypes = (object, np.float32, np.int8)
    for same in (*map(X.astype, dtypes), np.asfortranarray(X), frozen, X.tolist()):
        assert_array_equal(fitted_to(same, y).predict(COUNTS_ASKED), expected)
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        fitted_to(np.where(X[0, 0] == X, {"foo": "bar"}, X), y)


def test_a_fit_is_the_same_again_and_in_a_pickle_and_answers_change_nothing(table):
    X, y = table
    fitted = fitted_to(X, y)
    before, expected = {**vars(fitted)}, fitted.predict(COUNTS_ASKED)
    assert fitted.n_features_in_ == 12
    for same in (fitted, pickle.loads(pickle.dumps(fitted)), clone(fitted).fit(X, y)):
        assert_array_equal(same.predict(COUNTS_ASKED), expected)
    assert vars(fitted) == before
    assert fitted.fit(X, y) is fitted
    assert_array_equal(fitted.predict(COUNTS_ASKED), expected)


def test_weights_of_items_are_items_repeated(table):
    X, y = table
    weights = np.arange(40) % 3 + 1
    weighted = fitted_to(X, y, weights).predict(COUNTS_ASKED)
    repeated = fitted_to(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted, repeated.predict(COUNTS_ASKED), rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_table_with_a_score_that_is_no_number_is_refused(table, value):
    X, y = table
    spoiled = X.copy()
    spoiled[0, 0] = value
    with pytest.raises(ValueError, match=r"NaN|\+inf"):
        fitted_to(spoiled, y)
