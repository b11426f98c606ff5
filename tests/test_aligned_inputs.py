"""Every public call that is given several things of the same rows pairs them by their index."""

import importlib
import inspect

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import sklearn_spe as spe
from sklearn_spe.active import Tail
from sklearn_spe.display import PerformanceCurveDisplay, ScoreMixtureDisplay
from sklearn_spe.estimators import estimate_each
from sklearn_spe.experts import SourceScores
from sklearn_spe.inputs import Annotations, arrange_readings
from sklearn_spe.matches import SegmentationMatches
from tests.quick import RANKS

pd = pytest.importorskip("pandas")

N = 24
ROOMS = ("", ".active", ".datasets", ".display", ".experts", ".extrapolation", ".inputs")
ROOMS += (".estimators",)
# What arguments are called that have an entry for each row.
OF_ROWS = {
    *("X", "y", "y_true", "y_score", "scores", "labels", "noisy_labels", "sample_weight", "counts"),
    *("groups", "judges", "features", "inclusion_proba", "keys", "indices", "score", "object"),
    *("coarse_overlap", "items"),
}
# What has several arguments of such names that a user does not pair.
EXEMPT = {
    "LabelDraws": "made by label models, of arrays",
    "Response.score_kind": "asked by the classifiers, of scores that they have made",
    "PerformanceReport": "a page, of which counts and labels are texts and numbers of items",
    "Pool": "made by the selector, of arrays",
    "ScoreShape": "a distribution, of which scores and probabilities are one table",
}


@pytest.fixture(scope="module")
def rows(global_random_seed):
    """Columns of the same rows, under an index that is no place."""
    rng = np.random.default_rng(global_random_seed)
    columns = {
        "score": rng.random(N),
        "label": np.arange(N) % 2,
        "place": np.arange(N),
        "count": np.ones(N, dtype=int),
        "name": np.array(["a", "b"])[np.arange(N) // 2 % 2],
        "share": np.full(N, 0.5),
    }
    frame = pd.DataFrame(columns, index=[f"row {k}" for k in rng.permutation(N)])
    return {name: frame[name] for name in frame} | {
        "features": frame[["score", "share"]],
        "table": pd.DataFrame(rng.random((N, N)), index=frame.index),
    }


@pytest.fixture(scope="module")
def fitted(rows):
    """What was fitted to rows that had this index, by the names of the classes."""
    scores, labels = rows["score"], rows["label"].to_numpy()
    performance = spe.PerformanceCurveEstimator(mixture()).fit(scores, labels)
    calibrated = spe.SemisupervisedCalibratedClassifier(frozen(), mixture=mixture())
    return {
        "SemisupervisedScoreMixture": performance.mixture_,
        "PerformanceCurveEstimator": performance,
        "ActiveTestSelector": spe.ActiveTestSelector(label_model=mixture()).fit(scores),
        "SemisupervisedCalibratedClassifier": calibrated.fit(rows["features"], labels),
    }


def mixture():
    return spe.SemisupervisedScoreMixture(experts=[RANKS], n_draws=50, random_state=0)


def frozen():
    corners = pd.DataFrame({"score": [0.0, 1.0], "share": [0.5, 0.5]})
    return FrozenEstimator(LogisticRegression().fit(corners, [0, 1]))


SCORED = {"X": "score", "y": "label"}
WEIGHTED = SCORED | {"sample_weight": "count"}
CLASSIFIED = WEIGHTED | {"X": "features"}
STRUCTURED = {"category": "name", "groups": "name", "judges": "score"}
DRAWN = {"inclusion_proba": "share"}
PREDICTED = {"y_true": "label", "y_score": "score", "sample_weight": "count"}
OF_CLASSES = {"X": "table", "y": "place", "sample_weight": "count"}
OF_DETECTIONS = {
    "score": "score",
    "category": "place",
    "object": "place",
    "coarse_overlap": "share",
    "system": "place",
    "features": "score",
}
PERFORMANCE = spe.PerformanceCurveEstimator
CALIBRATED, PROMISED = (
    spe.SemisupervisedCalibratedClassifier(frozen()),
    spe.SemisupervisedThresholdClassifier(frozen(), recall=0.1),
)


def matches(**of_detections):
    return SegmentationMatches(object_category=np.zeros(N, dtype=int), **of_detections)


def item_accuracy(X, y):
    """Return the accuracy of items by an extrapolator of the same classes."""
    guesses = np.random.default_rng(0).normal(2.0 * np.eye(N))
    extrapolator = spe.AccuracyExtrapolator(n_bootstrap=0).fit(guesses, np.arange(N))
    return extrapolator.item_accuracy(X, y, 2 * N)


def compared(first, second, **others):
    return spe.AccuracyComparison().fit([first, second], **others)


# Of each public call what is called (of something fitted, by the name of its class), and which
# column each argument is. In braces stands how else things come than as arguments of their own.
CALLS = {
    "SemisupervisedScoreMixture.fit": (spe.SemisupervisedScoreMixture().fit, WEIGHTED | DRAWN),
    "SemisupervisedScoreMixture.update": ("SemisupervisedScoreMixture", WEIGHTED | DRAWN),
    "SemisupervisedScoreMixture.score": ("SemisupervisedScoreMixture", WEIGHTED),
    "PerformanceCurveEstimator.fit": (PERFORMANCE().fit, WEIGHTED | DRAWN),
    "PerformanceCurveEstimator.fit {structure}": (PERFORMANCE().fit, WEIGHTED | STRUCTURED),
    "PerformanceCurveEstimator.fit {classifiers}": (
        lambda a, b, **others: PERFORMANCE().fit({"a": a, "b": b}, **others),
        {"a": "table", "b": "table", "y": "place"},
    ),
    "PerformanceCurveEstimator.fit {judges}": (
        lambda a, b, **others: PERFORMANCE().fit(judges={"a": a, "b": b}, **others),
        SCORED | {"a": "score", "b": "label"},
    ),
    "PerformanceCurveEstimator.update": ("PerformanceCurveEstimator", WEIGHTED | DRAWN),
    "PerformanceCurveEstimator.score": ("PerformanceCurveEstimator", WEIGHTED),
    "estimate_each {parts}": (lambda X, y: estimate_each({"part": (X, y)}), SCORED),
    "MeanEstimator.fit": (
        spe.MeanEstimator().fit,
        SCORED | {"category": "name", "groups": "name"} | DRAWN,
    ),
    "ActiveTestSelector.fit": (
        spe.ActiveTestSelector().fit,
        SCORED | STRUCTURED | {"noisy_labels": "label", "features": "score"},
    ),
    "ActiveTestSelector.find": (
        lambda **own: spe.ActiveTestSelector(spe.Goal.of(precision=0.5)).find(
            oracle=len, budget=0, **own
        ),
        {"X": "score", "y": "label"},
    ),
    "ActiveTestSelector.update": (
        "ActiveTestSelector",
        {"indices": "place", "labels": "label"},
    ),
    "Strategy.query": (Tail().query, SCORED | {"probability": "share", "category": "name"}),
    "SegmentationMatches": (matches, OF_DETECTIONS),
    "SemisupervisedCalibratedClassifier.fit": (
        CALIBRATED.fit,
        CLASSIFIED | {"groups": "name", "cost": "share"},
    ),
    "SemisupervisedThresholdClassifier.fit": (
        PROMISED.fit,
        CLASSIFIED | DRAWN | {"groups": "name", "cost": "share"},
    ),
    "SemisupervisedThresholdClassifier.fit_predict": (
        PROMISED.fit_predict,
        CLASSIFIED | DRAWN | {"groups": "name", "cost": "share"},
    ),
    "WrappedClassifier.score": ("SemisupervisedCalibratedClassifier", CLASSIFIED),
    "label_log_likelihood": (
        lambda **own: spe.label_log_likelihood(CALIBRATED, **own),
        CLASSIFIED,
    ),
    "make_semisupervised_scorer {the scorer}": (
        lambda **own: spe.make_semisupervised_scorer("accuracy")(CALIBRATED, **own),
        CLASSIFIED,
    ),
    "arrange_readings": (
        arrange_readings,
        SCORED | {"case": "place", "reader": "name", "category": "name", "groups": "name"},
    ),
    "AccuracyExtrapolator.fit": (spe.AccuracyExtrapolator().fit, OF_CLASSES),
    "AccuracyExtrapolator.item_accuracy": (item_accuracy, {"X": "table", "y": "place"}),
    "AccuracyComparison.fit": (
        compared,
        {"first": "table", "second": "table", "y": "place", "sample_weight": "count"},
    ),
    "ClassifierAccuracyExtrapolator.fit": (
        spe.ClassifierAccuracyExtrapolator(LogisticRegression()).fit,
        {"X": "features", "y": "label", "groups": "name"},
    ),
    "average_accuracy_curve": (
        spe.average_accuracy_curve,
        {"y_true": "place", "y_score": "table", "sample_weight": "count"},
    ),
    "ScoreHistogram.update": (
        spe.ScoreHistogram().update,
        {"scores": "score", "counts": "count"},
    ),
    "ScoreHistogram.from_table": (
        spe.ScoreHistogram.from_table,
        {"keys": "place", "counts": "count"},
    ),
    "ScoreHistogram.with_labels": (
        spe.ScoreHistogram().with_labels,
        {"scores": "score", "y": "label"},
    ),
    "PerformanceCurveDisplay.from_predictions": (
        PerformanceCurveDisplay.from_predictions,
        PREDICTED,
    ),
    "ScoreMixtureDisplay.from_predictions": (ScoreMixtureDisplay.from_predictions, PREDICTED),
    "SourceScores": (SourceScores, {"scores": "score", "labels": "label"}),
    "Annotations.of {annotators}": (
        lambda anna, ben: Annotations.of({"anna": anna, "ben": ben}),
        {"anna": "label", "ben": "name"},
    ),
}
CASES = [(call, name) for call, (_, columns) in CALLS.items() for name in columns]


@pytest.mark.parametrize(("call", "shuffled"), CASES)
def test_rows_in_another_order_are_refused(rows, fitted, call, shuffled):
    asked, columns = CALLS[call]
    if isinstance(asked, str):
        asked = getattr(fitted[asked], call.partition(".")[2])
    given = {name: rows[column] for name, column in columns.items()}
    given[shuffled] = given[shuffled].iloc[::-1]
    with pytest.raises(ValueError, match=r"have the same index in another order: row 0 is 'row"):
        asked(**given)


def public_calls():
    """Yield all functions, and the constructors and methods of all classes, that users call."""
    for room in ROOMS:
        module = importlib.import_module(f"sklearn_spe{room}")
        for thing in (getattr(module, name) for name in module.__all__):
            if inspect.isclass(thing):
                yield thing.__name__, thing
                members = inspect.getmembers(thing, callable)
                yield from (pair for pair in members if not pair[0].startswith(("_", "set_")))
            elif callable(thing):
                yield thing.__name__, thing


def test_no_call_with_several_columns_is_left_out():
    known = {name.partition(" ")[0] for name in CALLS}
    for name, call in public_calls():
        of_rows = OF_ROWS & inspect.signature(call).parameters.keys()
        if len(of_rows) > 1:
            assert getattr(call, "__qualname__", name) in known | EXEMPT.keys(), of_rows


# --- labels of items that were asked for ----------------------------------------------------


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.OutsideDesignWarning")
@pytest.mark.parametrize("has_index", [True, False])
def test_labels_of_a_selector_are_those_of_its_items(rows, has_index, global_random_seed):
    scores, labels = rows["score"], rows["label"]
    if not has_index:
        scores, labels = scores.to_numpy(), labels.reset_index(drop=True)
    rng = np.random.default_rng(global_random_seed)
    items = rng.permutation(N)[:6]
    selector = spe.ActiveTestSelector(label_model=mixture(), random_state=0).fit(scores)
    own = labels.iloc[items]
    for wrong in (own.iloc[::-1], own.set_axis(items[::-1])):
        with pytest.raises(ValueError, match=r"index of labels differs from that of the items"):
            selector.update(items, wrong)
    assert selector.n_labels_ == 0
    selector.update(items[:2], own.iloc[:2])
    selector.update(items[2:4], own.iloc[2:4].set_axis(items[2:4]))
    # A new index says nothing of which items these are.
    selector.update(items[4:], own.iloc[4:].set_axis(["x", "y"] if not has_index else [0, 1]))
    assert selector.n_labels_ == 6
    known = selector.to_frame().set_index("item").label.dropna()
    assert known.astype(int).to_dict() == dict(zip(items.tolist(), own.tolist(), strict=True))


def test_labels_of_other_items_are_refused(rows):
    selector = spe.ActiveTestSelector(label_model=mixture(), random_state=0).fit(rows["score"])
    with pytest.raises(ValueError, match=r"row 0 is 'row .*labels\.to_numpy"):
        selector.update([0, 1], rows["label"].iloc[2:4])
