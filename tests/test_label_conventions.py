"""However labels are written, every estimator reads the same, or says why it cannot."""

import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from sklearn_spe.inputs._labels import encode_labels
from tests.quick import QUIET

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

pytestmark = QUIET

NAN = float("nan")
CLASSES = {
    "0/1": (0, 1),
    "1/2": (1, 2),
    "-1/1": (-1, 1),
    "strings": ("ham", "spam"),
    "booleans": (False, True),
}
# "own" stands for a marker that the user chooses.
MARKERS = {"-1": -1, "nan": NAN, "None": None, "NA": pd.NA}
MISSING = ("None", "NA", "nan")
ANY = ("-1", *MISSING, "own")
NUMBERS = ("0/1", "1/2", "-1/1")


def holds(classes, markers):
    """Say that labels of these classes can stand beside each of the markers."""
    return dict.fromkeys(classes, markers)


ANYTHING = holds(CLASSES, ANY)
WHOLE = holds((*NUMBERS, "booleans"), ("-1", "own"))
REAL = holds((*NUMBERS, "booleans"), ("-1", "nan", "own"))
POLARS = {
    **holds(NUMBERS, ("-1", "None", "own")),
    **holds(["strings"], ("None", "own")),
    **holds(["booleans"], ["None"]),
}
CONTAINERS = {
    "list": (list, ANYTHING),
    "tuple": (tuple, ANYTHING),
    "object": (lambda values: pd.array(values, dtype=object).to_numpy(), ANYTHING),
    "int8": (lambda values: np.array(values, np.int8), WHOLE),
    "int64": (lambda values: np.array(values, np.int64), WHOLE),
    "float32": (lambda values: np.array(values, np.float32), REAL),
    "float64": (lambda values: np.array(values, np.float64), REAL),
    "bool": (lambda values: np.array(values, bool), holds(["booleans"], ["no marker"])),
    "str": (lambda values: np.array(values, str), holds(["strings"], ["own"])),
    "pandas object": (lambda values: pd.Series(values, dtype=object), ANYTHING),
    "pandas category": (lambda values: pd.Series(values, dtype="category"), ANYTHING),
    "pandas Int64": (lambda values: pd.Series(values, dtype="Int64"), holds(NUMBERS, ANY)),
    "pandas Float64": (lambda values: pd.Series(values, dtype="Float64"), holds(NUMBERS, ANY)),
    "pandas boolean": (
        lambda values: pd.Series(values, dtype="boolean"),
        holds(["booleans"], MISSING),
    ),
    "pandas string": (
        lambda values: pd.Series(values, dtype="string"),
        holds(["strings"], (*MISSING, "own")),
    ),
    "polars": (pl.Series, POLARS),
    "polars Categorical": (
        lambda values: pl.Series(values, dtype=pl.Categorical),
        holds(["strings"], ("None", "own")),
    ),
}


def own_marker(classes):
    return "?" if isinstance(classes[0], str) else 9


def written(codes, container, classes, marker):
    """Return labels in one of many ways, and the parameters without which they are ambiguous."""
    classes = CLASSES[classes]
    mark = own_marker(classes) if marker == "own" else MARKERS.get(marker)
    y = CONTAINERS[container][0]([mark if code < 0 else classes[code] for code in codes])
    options = {"unlabeled_label": mark} if marker == "own" else {}
    if classes == (-1, 1) and marker != "own":
        options["classes"] = [-1, 1]
    return y, options


# Where -1 is a class it marks nothing.
TABLE = [
    (container, classes, marker)
    for container, (_, can) in CONTAINERS.items()
    for classes, markers in can.items()
    for marker in markers
    if (classes, marker) != ("-1/1", "-1")
]
IDS = ["-".join(row) for row in TABLE]


@pytest.mark.parametrize(("container", "classes", "marker"), TABLE, ids=IDS)
def test_the_codes_are_the_same(container, classes, marker):
    codes = np.array([0, 1, 1, 0, 0] if marker == "no marker" else [0, -1, 1, 1, -1, 0, 0])
    y, options = written(codes, container, classes, marker)
    got, found = encode_labels(y, **options)
    assert got.tolist() == codes.tolist()
    assert found.tolist() == list(CLASSES[classes])


# --- through every fit ------------------------------------------------------------------------

# What is read does not depend on the numbers: three in ten items are positive, and score higher.
LABELS = np.resize([0, 0, 1, 0, 1, 0, 0, 1, 0, 0], 40)
PARTIAL = np.where(np.arange(40) < 20, LABELS, -1)
SCORES = stats.norm.ppf((np.arange(40) * 17 % 40 + 0.5) / 40) + 2.0 * LABELS
X = SCORES.reshape(-1, 1)
MIXTURE = SemisupervisedScoreMixture("norm", "norm", n_draws=25, experts=None, random_state=0)


def frozen(classes, estimator=None):
    """Return a classifier that was trained on other items of these classes."""
    estimator = LogisticRegression() if estimator is None else estimator
    return FrozenEstimator(estimator.fit(0.9 * X[::-1], np.array(classes)[LABELS[::-1]]))


def mixture_of(names, **options):
    return clone(MIXTURE).set_params(pos_label=names[1], **options)


def performance_of(names, **options):
    return PerformanceCurveEstimator(clone(MIXTURE), pos_label=names[1], random_state=0, **options)


def calibrated(names, **options):
    return SemisupervisedCalibratedClassifier(frozen(names), mixture=MIXTURE, **options)


def threshold_of(names, **options):
    return SemisupervisedThresholdClassifier(
        frozen(names),
        f1=0.3,
        confidence_level=0.5,
        pos_label=names[1],
        mixture=MIXTURE,
        random_state=0,
        **options,
    )


def posterior_of(fitted):
    """Return what a fitted estimator of any kind believes."""
    if isinstance(fitted, SemisupervisedCalibratedClassifier):
        fitted = fitted.calibrated_classifiers_[0].mixtures[0]
    return getattr(fitted, "performance_", fitted).posterior_


MAKERS = {f.__name__: f for f in (mixture_of, performance_of, calibrated, threshold_of)}
EVERY_MAKER = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture(scope="module")
def expected():
    """Return what each estimator believes of labels 0 and 1, of which NaN are missing."""
    known = {}
    for make, complete in itertools.product(MAKERS.values(), (False, True)):
        y = LABELS if complete else np.where(PARTIAL < 0, np.nan, LABELS)
        posterior = posterior_of(make((0, 1)).fit(X, y))
        known[make, complete] = posterior.expected_probability(posterior.sample.scores)
    return known


def one_row_for_each_container():
    """Return a part of the table in which everything occurs, and not all pairs."""
    for flip, (_, rows) in enumerate(itertools.groupby(TABLE, key=lambda row: row[0])):
        rows = list(rows)
        yield rows[5 * flip % len(rows)]


SHORT_TABLE = list(one_row_for_each_container())


def test_the_short_table_leaves_nothing_out():
    for column in range(3):
        assert {row[column] for row in SHORT_TABLE} == {row[column] for row in TABLE}


# Labels are read by one function for all: each estimator is shown every other container.
SHOWN = [
    pytest.param(make, *row, id="-".join([name, *row]))
    for flip, (name, make) in enumerate(MAKERS.items())
    for row in SHORT_TABLE[flip % 4 :: 4]
]


@pytest.mark.parametrize(("make", "container", "classes", "marker"), SHOWN)
def test_every_estimator_believes_the_same(expected, make, container, classes, marker):
    complete = marker == "no marker"
    codes = LABELS if complete else PARTIAL
    y, options = written(codes, container, classes, marker)
    fitted = make(CLASSES[classes], **options).fit(X, y)
    posterior = posterior_of(fitted)
    # No negative is lost, and none is won.
    assert posterior.sample.negative.sum() == (codes == 0).sum()
    assert posterior.sample.positive.sum() == (codes == 1).sum()
    believed = posterior.expected_probability(posterior.sample.scores)
    assert np.array_equal(believed, expected[make, complete])
    assert fitted.classes_.tolist() == list(CLASSES[classes])


# --- what nobody could read -------------------------------------------------------------------


def unfrozen(estimator):
    """Return an estimator that knows nothing of the classes."""
    if hasattr(estimator, "estimator"):
        return estimator.set_params(estimator=LogisticRegression())
    return estimator


@EVERY_MAKER
@pytest.mark.parametrize("marker", [None, *MISSING], ids=str)
def test_plus_and_minus_one_are_ambiguous_to_whoever_does_not_know_the_classes(make, marker):
    y = np.where(LABELS == 1, 1, -1).astype(object)
    if marker is not None:
        y[20:] = MARKERS[marker]
    estimator = unfrozen(make((-1, 1)))
    with pytest.raises(ValueError, match=r"is -1 a class.*recode y as 0 and 1"):
        estimator.fit(X, y)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


@EVERY_MAKER
@pytest.mark.parametrize("marker", ["-1", *MISSING])
def test_text_that_stands_for_a_missing_label_is_an_error(make, marker):
    y = np.array([str(MARKERS[marker]) if c < 0 else ("ham", "spam")[c] for c in PARTIAL])
    assert y.dtype.kind == "U"
    with pytest.raises(ValueError, match="may be a class or a missing label"):
        make(("ham", "spam")).fit(X, y)


@pytest.mark.parametrize(
    "write",
    [
        np.array,
        pl.Series,
        lambda values: pd.Series(values, dtype="string"),
    ],
    ids=["numpy", "polars", "pandas"],
)
def test_text_of_any_container_that_stands_for_a_missing_label_is_an_error(write):
    with pytest.raises(ValueError, match="may be a class or a missing label"):
        encode_labels(write(["ham", "-1", "spam"]))


@EVERY_MAKER
@pytest.mark.parametrize("y", [PARTIAL + 0.5, ["2020", *[1] * 39], [b"a"] * 40], ids=repr)
def test_what_is_no_label_is_an_error(make, y):
    with pytest.raises((ValueError, TypeError), match=r"must be classes|mix|must be a number"):
        make((0, 1)).fit(X, y)


# --- classifiers that know the classes --------------------------------------------------------


@pytest.mark.parametrize("make", [calibrated, threshold_of])
@pytest.mark.parametrize(
    ("inside", "marker"), [(SVC(kernel="linear"), "nan"), (LinearSVC(), "None")], ids=repr
)
def test_a_frozen_classifier_of_plus_and_minus_one_knows_its_classes(make, inside, marker):
    estimator = make((0, 1)).set_params(estimator=frozen((-1, 1), clone(inside)))
    y = np.where(LABELS == 1, 1, -1).astype(object)
    y[20:] = MARKERS[marker]
    fitted = estimator.fit(X, y)
    sample = posterior_of(fitted).sample
    assert (sample.negative.sum(), sample.positive.sum()) == tuple(np.bincount(LABELS[:20]))
    assert fitted.classes_.tolist() == [-1, 1]
    assert set(fitted.predict(X)) == {-1, 1}


@pytest.mark.parametrize("make", [calibrated, threshold_of])
def test_a_label_that_a_frozen_classifier_does_not_know_is_an_error(make):
    with pytest.raises(ValueError, match=r"y holds \[2\].*The frozen .* has the classes \[0, 1\]"):
        make((0, 1)).fit(X, np.where(PARTIAL == 1, 2, PARTIAL))
    # -1 that was meant to be a class: what is left is one class, which is told.
    with pytest.warns(UserWarning, match=r"\(one class\)"):
        make((0, 1)).fit(X, np.where(LABELS == 1, 1, -1))


@pytest.mark.parametrize("make", [calibrated, threshold_of])
@pytest.mark.parametrize(("is_frozen", "marker"), [(True, "nan"), (False, "NA")])
def test_outlier_detectors_take_plus_and_minus_one(make, is_frozen, marker, global_random_seed):
    forest = IsolationForest(n_estimators=10, random_state=global_random_seed)
    inside = FrozenEstimator(forest.fit(X)) if is_frozen else forest
    y = np.where(LABELS == 1, -1, 1).astype(object)
    y[20:] = MARKERS[marker]
    fitted = make((0, 1)).set_params(estimator=inside).fit(X, y)
    sample = posterior_of(fitted).sample
    # The second class, of inliers, is the positive one.
    outliers = LABELS[:20].sum()
    assert (sample.negative.sum(), sample.positive.sum()) == (outliers, 20 - outliers)
    assert fitted.classes_.tolist() == [-1, 1]
    assert set(fitted.predict(X)) <= {-1, 1}


@pytest.mark.parametrize("make", [calibrated, threshold_of])
@pytest.mark.parametrize(("is_frozen", "marker"), [(True, -1), (False, np.nan)])
def test_outlier_detectors_say_how_to_recode_zero_and_one(
    make, is_frozen, marker, global_random_seed
):
    forest = IsolationForest(n_estimators=10, random_state=global_random_seed)
    inside = FrozenEstimator(forest.fit(X)) if is_frozen else forest
    y = np.where(PARTIAL < 0, marker, PARTIAL)
    with pytest.raises(ValueError, match=r"y holds \[0.*recode y, np.where\(y == 1, -1.0, 1.0\)"):
        make((0, 1)).set_params(estimator=inside).fit(X, y)
