"""What X and sample_weight may be."""

import numpy as np
import pytest

from sklearn_spe import (
    ActiveTestSelector,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.data._class_scores import ClassScores
from sklearn_spe.exceptions import ParameterError
from sklearn_spe.inputs._labels import BinaryLabels
from sklearn_spe.inputs._scores import (
    check_frequencies,
    check_systems,
    holds_systems,
    read_scores,
    single_scores,
    within_unit,
)
from sklearn_spe.inputs._validation import NamedScores

SCORES = [0.25, -1.5, 3.0]


def read(X, **options):
    return read_scores(SemisupervisedScoreMixture(), X, reset=True, **options)[0]


@pytest.mark.parametrize(
    "X",
    [SCORES, tuple(SCORES), np.array(SCORES), np.array(SCORES, np.float32), [[s] for s in SCORES]],
    ids=["list", "tuple", "array", "float32", "column"],
)
def test_one_score_an_item_becomes_a_float_vector(X):
    scores = read(X)
    assert scores.dtype == np.float64
    assert scores.tolist() == SCORES


def test_of_two_columns_of_probabilities_that_of_the_positive_class_is_taken():
    probabilities = np.array([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
    assert read(probabilities).tolist() == [0.25, 0.5, 0.875]
    labels = BinaryLabels(np.arange(2), 0)
    assert read(probabilities, labels=labels).tolist() == [0.75, 0.5, 0.125]


# Rounded to float32, or one less what was.
OUT = 1.0 + 2.0**-23


@pytest.mark.parametrize(
    ("X", "read_as"),
    [
        ([0.25, OUT, 1.0], [0.25, 1.0, 1.0]),
        ([0.25, 1.0 - OUT, 0.0], [0.25, 0.0, 0.0]),
        ([[0.75, 0.25], [1.0 - OUT, OUT]], [0.25, 1.0]),
        # What is no rounding of probabilities stays.
        ([0.25, 1.01], [0.25, 1.01]),
        ([-1e-9, 2e-9, 5e-9], [-1e-9, 2e-9, 5e-9]),
        ([1.0, OUT, 1.0 + 2.0**-22], [1.0, OUT, 1.0 + 2.0**-22]),
    ],
    ids=str,
)
def test_rounding_makes_no_other_scores_of_probabilities(X, read_as):
    assert read(X).tolist() == read_as


def test_rounding_makes_no_logits_of_probabilities_of_classes():
    rounded = np.array([[0.5, 0.25, 0.25], [OUT, 1.0 - OUT, 0.0]])
    scores = ClassScores.read(rounded, np.arange(3))
    assert scores.read_as == "probabilities"
    assert scores.scores.tolist() == [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]


def test_rows_that_sum_to_a_hundred_are_percent():
    percent = np.array([[50.0, 25.0, 25.0], [33.3, 33.3, 33.3]])
    scores = ClassScores.read(percent, np.arange(3))
    assert scores.read_as == "probabilities"
    assert scores.scores.tolist() == (percent / 100.0).tolist()


def test_features_are_an_error():
    with pytest.raises(ValueError, match=r"got shape \(4, 3\)\. Pass the scores of a classifier"):
        read(np.zeros((4, 3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_scores_that_are_not_finite_are_an_error_naming_the_first(bad, shape):
    X = np.reshape([0.0, 1.0, bad, 2.0, bad], shape)
    with pytest.raises(ValueError, match=f"got {bad} at index 2 and 2 such values"):
        read(X)


def test_no_scores_are_an_error():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read([])


# --- sample_weight ------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_are_finite_and_not_negative(bad):
    with pytest.raises(ValueError, match=f"finite and not negative; got {bad} at index 1"):
        check_frequencies([1.0, bad], 2)


def test_weights_that_count_nothing_are_an_error():
    with pytest.raises(ValueError, match="zero everywhere"):
        check_frequencies([0, 0], 2)


@pytest.mark.parametrize("weights", [[1.0], [[1.0, 1.0], [1.0, 1.0]]], ids=str)
def test_there_is_one_weight_a_score(weights):
    with pytest.raises(ValueError, match=r"must have shape \(2,\)"):
        check_frequencies(weights, 2)


# --- several systems ----------------------------------------------------------------------------

TWO = np.array([[0.5, 2.0], [0.25, -1.0], [1.0, 0.0]])


def systems_of(X):
    return check_systems(SemisupervisedScoreMixture(), X, reset=True)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_systems_are_named_by_a_frame_else_by_number(library):
    three = np.c_[TWO, TWO[:, 0]]
    scores, systems = systems_of(three)
    assert scores.tolist() == three.tolist()
    assert systems == (0, 1, 2)
    frame = pytest.importorskip(library).DataFrame({"tree": TWO[:, 0], "net": TWO[:, 1]})
    scores, systems = systems_of(frame)
    assert scores.tolist() == TWO.tolist()
    assert systems == ("tree", "net")


def test_two_columns_that_sum_to_one_are_one_system():
    sure = np.array([0.25, 0.5, 0.875])
    both = np.column_stack([1.0 - sure, sure])
    assert not holds_systems(both)
    assert systems_of(both)[0].tolist() == [[s] for s in sure]
    # To seven digits, as a float32 has them.
    assert not holds_systems(both.astype(np.float32))


LOGITS = np.array([[-2.0, 2.0], [0.5, -0.5], [3.0, 1.0]])


def labels_of(*classes, positive=1):
    return BinaryLabels(np.array(classes), positive)


def test_logits_of_two_classes_are_those_of_one_system_if_classes_are_named():
    assert not holds_systems(LOGITS, classes=[0, 1])
    for positive, sign in ((1, 1.0), (0, -1.0)):
        labels = labels_of(0, 1, positive=positive)
        scores = read(LOGITS, labels=labels, classes=[0, 1])
        assert scores.tolist() == (sign * (LOGITS[:, 1] - LOGITS[:, 0])).tolist()


@pytest.mark.parametrize("is_frame", [False, True])
def test_two_columns_without_names_are_asked_about(is_frame):
    X = pytest.importorskip("pandas").DataFrame(LOGITS) if is_frame else LOGITS
    for ask in (holds_systems, systems_of, read):
        with pytest.raises(ValueError, match=r"the classes=.*clf\.classes_.*\{'old': X\[:, 0\], "):
            ask(X)


def test_columns_that_have_the_names_of_the_classes_are_theirs_in_any_order():
    pd = pytest.importorskip("pandas")
    labels = labels_of("ham", "spam")
    for names, order in ((["ham", "spam"], [0, 1]), (["spam", "ham"], [1, 0])):
        logits = pd.DataFrame(LOGITS[:, order], columns=names)
        assert not holds_systems(logits, known=labels.classes)
        assert read(logits, labels=labels).tolist() == (LOGITS[:, 1] - LOGITS[:, 0]).tolist()
        shares = pd.DataFrame(np.array([[0.25, 0.75], [0.5, 0.5]])[:, order], columns=names)
        assert read(shares, labels=labels).tolist() == [0.75, 0.5]


def test_named_columns_are_systems_whatever_classes_are_named():
    frame = pytest.importorskip("pandas").DataFrame(LOGITS, columns=["tree", "net"])
    assert holds_systems(frame, classes=[0, 1])
    named = {"tree": LOGITS[:, 0], 1: LOGITS[:, 1]}
    scores, systems = systems_of(named)
    assert scores.tolist() == LOGITS.tolist()
    assert systems == ("tree", 1)


def test_a_mapping_holds_scores_of_the_same_items():
    with pytest.raises(ValueError, match=r"of shape \(n_items,\); got shapes"):
        systems_of({"a": [1.0, 2.0], "b": [1.0]})


def test_percent_of_two_columns_are_probabilities():
    percent = np.array([[25.0, 75.0], [50.0, 50.0]])
    assert not holds_systems(percent)
    assert read(percent).tolist() == [0.75, 0.5]
    with pytest.raises(ValueError, match=r"sums are nearly 100, off by up to 0\.5"):
        holds_systems(percent + np.array([[0.5, 0.0], [0.0, 0.0]]))


def test_rows_with_one_score_missing_are_of_systems_and_need_no_names():
    X = np.array([[0.3, np.nan], [1.7, 0.2], [np.nan, 0.9], [0.1, 0.4]])
    for classes in (None, ["no", "yes"]):
        assert holds_systems(X, classes)
    # A classifier has the logits of both classes, or none.
    X[[0, 2]] = np.nan
    assert not holds_systems(X, ["no", "yes"])
    with pytest.raises(ValueError, match="two columns without names"):
        holds_systems(X)
    # Rounding is seen past what is missing.
    found = within_unit(np.array([np.nan, 1.0 + 1e-7, 0.2]))
    assert found[1] == 1.0
    assert np.isnan(found[0])


def test_columns_of_classes_that_are_neither_probabilities_nor_logits_are_refused():
    with pytest.raises(ValueError, match="neither probabilities nor logits"):
        holds_systems(np.array([[0.5, 0.75], [0.25, 0.25]]), classes=[0, 1])


def test_columns_of_classes_that_are_not_sorted_are_refused():
    with pytest.raises(ValueError, match="not sorted"):
        read(LOGITS, labels=labels_of("a", "b"), classes=["b", "a"])


def test_columns_that_sum_nearly_to_one_are_refused():
    rounded = np.array([[0.333, 0.667], [0.124, 0.875]])
    with pytest.raises(ValueError, match=r"off by up to 0\.001: .* X\[:, 1\]; .* their logit"):
        holds_systems(rounded)
    two = NamedScores.of(np.array([[0.3, 0.667], [0.124, 0.875]]), [0, 1])
    assert holds_systems(two)


def test_a_score_may_be_missing_but_not_all_and_none_is_infinite():
    X = TWO.copy()
    X[2, 1] = np.nan
    assert np.isnan(systems_of(X)[0]).sum() == 1
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["tree", "net"])
    assert np.isnan(systems_of(frame)[0]).sum() == 1
    X[2, 1] = np.inf
    with pytest.raises(ValueError, match=r"got inf for item 2 of system 1, and 1 such values"):
        systems_of(X)
    with pytest.raises(ValueError, match="System 'net' has no score"):
        systems_of(frame.assign(net=np.nan))


def test_columns_that_share_one_are_classes_and_no_systems():
    shares = np.array([[0.5, 0.25, 0.25], [0.0, 0.875, 0.125]])
    with pytest.raises(ValueError, match=r"Each row of the 3 columns .* Pass classes= with"):
        systems_of(shares)
    assert systems_of(shares + np.array([[0.0], [0.125]]))[1] == (0, 1, 2)


def test_one_row_of_many_numbers_is_refused():
    with pytest.raises(ValueError, match=r"\(1, 3\) means one item and 3 systems; .* X.ravel\(\)"):
        systems_of([[0.1, 0.7, 0.4]])


@pytest.mark.parametrize("labels", [[0, 1, -1] * 4, ["a", "b", None] * 4], ids=["numbers", "text"])
@pytest.mark.parametrize(
    "arrange",
    [np.asarray, lambda text: text.astype(object), lambda text: np.column_stack([text, text])],
    ids=["text", "objects", "two columns"],
)
def test_scores_that_are_text_are_named_as_such(arrange, labels):
    """Not as labels of two types, nor as the names of a dozen classes."""
    text = np.linspace(-1.0, 1.0, 12).astype(str)
    y = np.array(labels, dtype=object)
    for estimator in (PerformanceCurveEstimator(), ActiveTestSelector(), MeanEstimator()):
        if isinstance(estimator, MeanEstimator):
            y = np.where(np.arange(12) % 3 == 2, np.nan, np.arange(12.0))
        with pytest.raises(ParameterError, match=r"X must hold numbers.*X\.astype\(float\)"):
            estimator.fit(arrange(text), y)


@pytest.mark.filterwarnings("ignore")
def test_predicted_classes_may_be_digits():
    predicted = np.array(["1", "2", "3"] * 10)
    y = np.where(np.arange(30) < 12, predicted, None)
    performance = PerformanceCurveEstimator(n_draws=50, random_state=0).fit(predicted, y)
    assert performance.classes_.tolist() == ["1", "2", "3"]


def test_logits_of_two_classes_are_to_be_subtracted():
    logits = np.array([[2.0, -1.0], [0.5, 3.0]])
    with pytest.raises(ValueError, match=r"the logits of one classifier.*X\[:, 1\] - X\[:, 0\]"):
        read_scores(SemisupervisedScoreMixture(), logits, reset=True)


def test_weights_are_real_numbers_that_can_be_counted():
    with pytest.raises(ValueError, match="Complex data"):
        check_frequencies(np.array([1j, 1.0]), 2)
    with pytest.raises(ValueError, match=r"exceed 2\*\*53.*Divide"):
        check_frequencies([1e300, 1.0], 2)


def test_two_named_columns_are_no_scores_of_one_system():
    frame = pytest.importorskip("pandas").DataFrame(LOGITS, columns=["tree", "net"])
    with pytest.raises(ValueError, match="two columns that are not probabilities summing to one"):
        read(frame)


@pytest.mark.parametrize("missing", [[], [[np.nan, np.nan]]], ids=["none", "missing"])
@pytest.mark.parametrize("total", [1.0, 100.0])
def test_counted_scores_may_be_two_columns_of_probabilities(total, missing):
    shares = np.array([[0.75, 0.25], [0.5, 0.5], *missing])
    np.testing.assert_array_equal(single_scores(total * shares, "scores"), shares[:, 1])
    np.testing.assert_array_equal(single_scores(shares[:, [1]], "scores"), shares[:, 1])


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([[1.0, 2.0, 3.0]], r"one score for each item, .*got \(1, 3\)"),
        ([[0.2, 0.9], [0.3, 0.5]], r"got \(2, 2\)\. Pass the column of the positive class"),
        ([[0.75, 0.25], [np.nan, 0.5]], "rows with one of two probabilities: pass the column"),
    ],
)
def test_other_columns_are_not_counted(scores, says):
    with pytest.raises(ParameterError, match=says):
        single_scores(np.array(scores), "scores")
