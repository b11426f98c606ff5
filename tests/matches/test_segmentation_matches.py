"""Objects that are vetted, and the detections of several systems that claim them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score

from sklearn_spe.active.label_models._noisy_regression import JointModel
from sklearn_spe.exceptions import UnverifiedWarning
from sklearn_spe.matches import SegmentationMatches
from sklearn_spe.matches._matches import COCO_THRESHOLDS
from tests.active.selectors import assert_same, fork, numbers, quietly
from tests.matches.objects import state
from tests.quick import QUIET

pytestmark = QUIET


def mean_average_precision(data, overlap, system, verified=None):
    """Return the mean over categories and thresholds, object by object, by its definition.

    Of objects those that are vetted count; detections without an object count by their share.
    """
    values = []
    for c in np.unique(data.object_category):
        of_category = np.flatnonzero(data.object_category == c)
        some = of_category if verified is None else np.intersect1d(of_category, verified)
        matched = np.unique(data.object[data.object >= 0])
        share = len(some) / len(np.intersect1d(of_category, matched))
        share = 1.0 if verified is None else share
        own = (data.system == system) & (data.category == c)
        own &= (data.object < 0) | np.isin(data.object, some)
        weight = np.where(data.object[own] < 0, share, 1.0)
        n_positive = len(of_category) * share
        for threshold in COCO_THRESHOLDS:
            found = (data.object[own] >= 0) & (overlap[own] >= threshold)
            reach = data.score[own][None, :] >= data.score[own][:, None]
            precision = (reach * found * weight).sum(axis=1) / (reach * weight).sum(axis=1)
            values.append((found * precision).sum() / n_positive)
    return np.mean(values)


# --- what it estimates -----------------------------------------------------------------------


def test_with_everything_verified_it_is_the_mean_average_precision(objects):
    chosen = objects.fitted(y=objects.overlap)
    want = [mean_average_precision(objects.data, objects.data.overlap, m) for m in range(2)]
    for part in (chosen.estimate_.value, *chosen.estimate_.interval()):
        assert_allclose(part, want, rtol=1e-9)
    assert_allclose(chosen.verified_estimate_, want, rtol=1e-9)
    assert_allclose(chosen.naive_estimate_, want, rtol=1e-9)
    assert_allclose(numbers(chosen.difference(0, 1)), want[0] - want[1], atol=1e-9)
    assert chosen.n_left_ == 0
    assert objects.vet(
        objects.fitted(), len(objects.matches.items)
    ).estimate_.value == pytest.approx(want, rel=1e-9)


def test_of_one_list_it_is_the_average_precision_of_scikit_learn_times_what_was_found(objects):
    # One system, one category, one threshold; two of five objects are missed.
    overlap = np.array([0.8, 0.4, 0.0, 0.7, 0.0])
    matches = SegmentationMatches(
        [0.9, 0.8, 0.7, 0.6, 0.5], [0] * 5, [0, 1, -1, 2, -1], overlap, [0] * 5, thresholds=[0.5]
    )
    chosen = objects.fitted(matches, matches.overlaps_of(overlap, np.arange(5)))
    found = (overlap >= 0.5).astype(int)
    want = average_precision_score(found, matches.score) * 2 / 5
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)


def test_naive_takes_coarse_overlaps_for_true_where_nothing_is_verified(objects):
    some = objects.matches.items[:20]
    y = np.full_like(objects.overlap, np.nan)
    y[some] = objects.overlap[some]
    overlap = np.where(
        np.isin(objects.data.object, some), objects.data.overlap, objects.data.coarse_overlap
    )
    for labels, of in ((None, objects.data.coarse_overlap), (y, overlap)):
        want = [mean_average_precision(objects.data, of, m) for m in range(2)]
        assert_allclose(objects.fitted(y=labels).naive_estimate_, want, rtol=1e-9)
        naive = objects.fitted(y=labels, label_model="naive")
        assert_allclose(naive.estimate_.value, want, rtol=1e-9)


def test_verified_alone_is_of_verified_objects_and_their_share_of_false_positives(objects):
    some = objects.matches.items[::3]
    y = np.full_like(objects.overlap, np.nan)
    y[some] = objects.overlap[some]
    # Of the objects of a category those that nobody claims count by the same share.
    want = [mean_average_precision(objects.data, objects.data.overlap, m, some) for m in range(2)]
    assert_allclose(objects.fitted(y=y).verified_estimate_, want, rtol=1e-9)


def test_a_category_without_verified_objects_is_not_zero(objects):
    y = np.where((objects.data.object_category == 0)[:, None], objects.overlap, np.nan)
    chosen = objects.fitted(y=y)
    with pytest.warns(UnverifiedWarning, match="20 of 40 lists have no verified item"):
        assert np.isnan(chosen.verified_estimate_).all()
    assert (chosen.estimate_.value > 0.0).all()


def test_a_category_that_a_system_never_detects_is_zero(objects):
    # The second category has objects; no system has seen one of them.
    matches = SegmentationMatches(
        [0.9, 0.8], [0, 0], [0, -1], [0.9, 0.0], [0, 1, 1], thresholds=[0.5, 0.75]
    )
    chosen = objects.fitted(matches, matches.overlaps_of([0.6, 0.0], np.arange(3)))
    assert_allclose(chosen.by_category().values, [0.5, 0.0])
    assert_allclose(numbers(chosen.estimate_), 0.25)
    assert chosen.verified_estimate_ == pytest.approx(0.25)
    # One of two systems has no detection in it.
    matches = SegmentationMatches(
        [0.9, 0.8, 0.7],
        [0, 1, 0],
        [0, 1, 0],
        [0.9, 0.9, 0.9],
        [0, 1],
        system=[0, 0, 1],
        thresholds=[0.5],
    )
    chosen = objects.fitted(matches)
    assert chosen.by_category(1).values[1] == 0.0
    asked = chosen.query(2)
    chosen.update(asked, matches.overlaps_of([0.9, 0.9, 0.9], asked))
    assert_allclose(chosen.estimate_.value, [1.0, 0.5])
    assert_allclose(chosen.verified_estimate_, [1.0, 0.5])


def test_the_model_of_overlaps_learns_that_coarse_ones_are_too_large(objects):
    coarse = objects.data.overlap**0.3
    matches = SegmentationMatches(**{**objects.given, "coarse_overlap": coarse})
    chosen = objects.vet(objects.fitted(matches, label_model="auto"), 20, rounds=2)
    want = np.array(
        [mean_average_precision(objects.data, objects.data.overlap, m) for m in range(2)]
    )
    before = objects.fitted(matches).naive_estimate_
    assert (before > want).all()
    assert (np.abs(chosen.estimate_.value - want) < np.abs(before - want)).all()


def test_draws_nest_over_thresholds(objects):
    chosen = objects.vet(objects.fitted())
    believed = chosen._session.model
    labels = believed.label_draws.labels(slice(0, 60), np.random.default_rng(objects.seed))
    ranked_lists = believed.ranked_lists
    for match in range(len(ranked_lists.owner)):
        own = np.flatnonzero(ranked_lists.match == match)
        increasing = own[np.argsort(ranked_lists.threshold[own])]
        assert (np.diff(labels[:, increasing], axis=1) <= 0).all()
    # A detection without an object is wrong in every draw.
    assert not labels[:, ranked_lists.match < 0].any()


@pytest.mark.parametrize(
    "model",
    ["overlap", pytest.param(JointModel(), marks=pytest.mark.slow), "counts", "naive"],
    ids=str,
)
def test_every_label_model_goes_with_matches(objects, model):
    chosen = quietly(objects.fitted, objects.one_threshold, label_model=model, strategy="random")
    quietly(objects.vet, chosen, 10)
    low, high = chosen.estimate_.interval()
    assert ((low >= 0.0) & (low <= high) & (high <= 1.0)).all()
    assert chosen.n_labels_ == 10


# --- asking and answering --------------------------------------------------------------------


@pytest.fixture(scope="module")
def begun(objects):
    """Return a selector with ten vetted objects; tests work on a fork of it."""
    return objects.vet(objects.fitted())


@pytest.mark.parametrize(
    "strategy", ["expected_change", "estimator_change", "confident_mistake", "random", "entropy"]
)
def test_objects_that_no_detection_matches_are_never_asked_for(objects, strategy):
    unclaimed = objects.unclaimed
    assert len(unclaimed) > 0
    chosen = objects.fitted(strategy=strategy)
    asked = np.concatenate([chosen.query(10), chosen.query(chosen.n_left_)])
    assert_array_equal(np.sort(asked), objects.matches.items)
    assert not set(asked) & set(unclaimed)
    for told in (chosen.label_proba_, chosen.query_proba_, chosen.utilities_):
        assert told.shape == (objects.n,)
        assert np.isnan(told[unclaimed]).all()
    assert np.isfinite(chosen.label_proba_[objects.matches.items]).all()


def test_objects_may_be_labeled_one_by_one_or_together(objects):
    one, other = objects.fitted(strategy="random"), objects.fitted(strategy="random")
    asked = one.query(6)
    assert_array_equal(other.query(6), asked)
    one.update(asked, objects.overlap[asked])
    for item in asked:
        other.update([item], objects.overlap[[item]])
    assert_array_equal(
        one._session.model.ranked_lists.overlap, other._session.model.ranked_lists.overlap
    )
    assert_array_equal(one.naive_estimate_, other.naive_estimate_)
    assert one.n_labels_ == other.n_labels_ == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i, o: ([10_000], o[:1]), "must lie between 0 and"),
        (lambda i, o: (i, o[:1]), "one true overlap per system"),
        (lambda i, o: (i, o + 2.0), r"Overlaps must lie in \[0, 1\]"),
        (lambda i, o: (i, o * [1.0, np.nan]), "lacks the overlap of some system matched to it"),
        (lambda i, o: (i[[0, 0]], o), "is duplicated"),
    ],
)
def test_a_wrong_update_changes_nothing(objects, begun, change, message):
    chosen = fork(begun)
    free = objects.claimed_twice
    before = state(chosen)
    with pytest.raises(ValueError, match=message):
        chosen.update(*change(free, objects.overlap[free]))
    assert_same(state(chosen), before)


def test_an_object_that_no_detection_matches_is_not_verified(objects):
    chosen = objects.fitted()
    with pytest.raises(ValueError, match="matched to no det"):
        chosen.update(objects.unclaimed[:1], objects.overlap[objects.claimed_twice[:1]])


def test_overlaps_are_not_taken_back(objects):
    chosen = objects.vet(objects.fitted())
    item = int(objects.matches.items[chosen._session.query_log.order[0]])
    before = state(chosen)
    with pytest.raises(ValueError, match=f"Objects such as {item} were verified before"):
        chosen.update([item], objects.overlap[[item]] / 2.0)
    assert_same(state(chosen), before)
    chosen.update([item], objects.overlap[[item]])
    assert_same(state(chosen), before)


@pytest.mark.parametrize("ask", ["plan", "to_frame"])
def test_what_is_not_there_is_said(objects, ask):
    with pytest.raises(ValueError, match="SegmentationMatches"):
        getattr(objects.fitted(), ask)()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "precision", "threshold": 0.5}, "the metric must be 'average_precision'"),
        ({"metric": "precision_recall"}, "a ranking metric"),
        ({"interval": "anytime"}, "ratios of sums over items"),
        ({"interval": "design"}, "No design-based estimate"),
        ({"strategy": "static_importance"}, "a ratio of sums over items"),
        ({"y": lambda overlap: overlap[:3]}, "one true overlap per system"),
        ({"y": lambda overlap: overlap * [1.0, np.nan]}, "lacks the overlap of some system"),
    ],
)
def test_what_matches_are_not_for_is_named(objects, parameters, message):
    parameters = {n: v(objects.overlap) if callable(v) else v for n, v in parameters.items()}
    with pytest.raises(ValueError, match=message):
        objects.fitted(**parameters)


# --- matches by themselves ---------------------------------------------------------------------


def test_matches_and_overlaps_go_by_object_and_system():
    matches = SegmentationMatches(
        [0.9, 0.8, 0.7, 0.6],
        [0, 1, 0, 1],
        [1, -1, 1, 2],
        [0.5, 0.0, 0.6, 0.7],
        [0, 0, 1],
        system=[0, 0, 1, 1],
    )
    assert_array_equal(matches.matched_detections, [[-1, -1], [0, 2], [-1, 3]])
    assert_array_equal(matches.items, [1, 2])
    with pytest.raises(ValueError, match="overlap is missing for detection 2"):
        matches.overlaps_of([0.1, 0.0, np.nan, 0.3], [2, 1, 0])
    overlaps = matches.overlaps_of([0.1, 0.0, 0.2, 0.3], [2, 1, 0])
    assert_array_equal(overlaps, [[np.nan, 0.3], [0.1, 0.2], [np.nan, np.nan]])
    assert repr(matches) == (
        "SegmentationMatches(4 detections of 2 systems, 3 objects of 2 categories)"
    )


def changed(**changes):
    given = {
        "score": [0.9, 0.8, 0.7],
        "category": [0, 0, 1],
        "object": [0, -1, 1],
        "coarse_overlap": [0.9, 0.0, 0.6],
        "object_category": [0, 1],
    }
    return SegmentationMatches(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": [0.9, np.nan, 0.7]}, "score must be finite"),
        ({"score": [0.9, 0.8]}, "category must hold 2 whole numbers of at least 0"),
        ({"object": [0, -2, 1]}, "object must hold 3 whole numbers of at least -1"),
        ({"object": [0, -1, 2]}, "indices into object_category, up to 1; got 2"),
        ({"object": [1, -1, 0]}, "Detection 0 of category 0 is matched to object 1 of category 1"),
        ({"coarse_overlap": [0.9, 0.0, 1.1]}, r"coarse_overlap must lie in \[0, 1\]"),
        ({"coarse_overlap": [0.9, 0.0]}, r"coarse_overlap must have shape \(3,\)"),
        ({"thresholds": []}, r"thresholds must lie in \[0, 1\]"),
        ({"system": [0, 0, 2]}, "System 1 has no detection"),
        ({"features": np.ones((2, 1))}, r"features must have shape \(3, n_features"),
        ({"features": [1.0, np.inf, 0.0]}, "features must be finite"),
        (
            {"object": [0, 0, 1], "category": [0, 0, 1]},
            "Object 0 is matched to 2 detections of system 0, but at most one is allowed",
        ),
    ],
)
def test_wrong_matches_are_named(changes, message):
    assert changed().n_objects == 2
    with pytest.raises(ValueError, match=message):
        changed(**changes)


def test_an_object_may_be_claimed_once_by_each_system():
    matches = changed(object=[0, 0, 1], system=[0, 1, 1])
    assert_array_equal(matches.matched_detections, [[0, 1], [-1, 2]])


def test_without_a_match_there_is_nothing_to_verify(objects):
    with pytest.raises(ValueError, match="No detection is matched to an object"):
        objects.fitted(changed(object=[-1, -1, -1]))
