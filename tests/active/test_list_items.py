"""Items that settle entries of a board: which belongs to which, and what is known of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.active._information import ListInformation
from sklearn_spe.active.label_models._noisy_regression import _features, _rows
from sklearn_spe.active.lists._ranked_lists import ListItems, score_lists
from sklearn_spe.checks._label_checks import ModelEProcess
from sklearn_spe.exceptions import SkippedLabelsWarning
from sklearn_spe.goals._question import Question
from sklearn_spe.matches import SegmentationMatches
from tests.active.selectors import assert_same
from tests.matches.objects import state
from tests.quick import QUIET

pytestmark = QUIET


# --- entries and items -----------------------------------------------------------------------


def test_as_many_entries_as_items_in_another_order_are_not_one_to_one():
    items = ListItems(np.arange(3), 3, np.full(3, -1), np.array([2, 0, 1]))
    assert_array_equal(items.means(np.array([0.1, 0.2, 0.3])), [0.2, 0.3, 0.1])


@pytest.mark.parametrize("label_model", ["naive", "overlap"])
def test_a_probability_belongs_to_its_object_however_objects_are_numbered(objects, label_model):
    def of(numbered):
        matches = SegmentationMatches(
            [0.9, 0.8, 0.7], [0] * 3, numbered, [0.9, 0.3, 0.6], [0] * 3, thresholds=[0.5]
        )
        return objects.fitted(matches, label_model=label_model, strategy="random").label_proba_

    flipped = of([2, 0, 1])
    assert_allclose(flipped[[2, 0, 1]], of([0, 1, 2]), rtol=1e-12)
    assert len(np.unique(flipped)) > 1
    if label_model == "naive":
        assert_array_equal(flipped, [0.0, 1.0, 1.0])


# --- information ---------------------------------------------------------------------------------


def test_gains_after_are_those_of_the_parts_summed_by_item(objects):
    believed = objects.vet(objects.fitted(objects.one_threshold))._session.model
    ranked_lists, item = believed.ranked_lists, believed.items.item
    # Draws in which nothing is known: a wrong place would show.
    p = np.random.default_rng(objects.seed).uniform(0.1, 0.9, (60, ranked_lists.n_rows))
    information = ListInformation.of(ranked_lists, p, item)
    assert (item < 0).any()
    n_rows = np.bincount(item[item >= 0])
    alone, shared = np.flatnonzero(n_rows == 1), np.flatnonzero(n_rows == 2)
    assert len(alone) > 3
    assert len(shared) > 3
    assert information.after(int(shared[0])) is information
    for asked in alone[:4]:
        before, information = information, information.after(int(asked))
        want = np.zeros(len(n_rows))
        for own, part in zip(information.members, information.parts, strict=True):
            for entry, gain in zip(own, part.gains, strict=True):
                if item[entry] >= 0:
                    want[item[entry]] += gain
        assert_allclose(information.gains, want, rtol=1e-9, atol=1e-15)
        group = ranked_lists.group[item == asked][0]
        other = believed.items.groups(ranked_lists.group) != group
        # Items of other categories, the last among them maybe, are as they were.
        assert_allclose(information.gains[other], before.gains[other], rtol=1e-9, atol=1e-15)
        assert not np.allclose(information.gains[~other], before.gains[~other])


# --- overlaps --------------------------------------------------------------------------------


def test_objects_of_several_systems_may_be_given_up(objects):
    chosen = objects.fitted()
    chosen.query(4)
    pending = chosen.pending_
    with pytest.warns(SkippedLabelsWarning, match="4 of 4"):
        chosen.update(pending, [None] * 4)
    assert chosen.n_labels_ == 0
    assert len(chosen.pending_) == 0
    assert not set(pending) & set(chosen.query(chosen.n_left_))


def test_a_frame_of_overlaps_is_an_array(objects):
    pd = pytest.importorskip("pandas")
    one, other = objects.fitted(), objects.fitted()
    asked = one.query(6)
    assert_array_equal(other.query(6), asked)
    one.update(asked, objects.overlap[asked])
    other.update(asked, pd.DataFrame(objects.overlap[asked], columns=["a", "b"], index=asked))
    assert_same(state(one), state(other))
    assert_same(
        state(objects.fitted(y=pd.DataFrame(objects.overlap))),
        state(objects.fitted(y=objects.overlap)),
    )


def test_arrays_that_are_written_to_later_change_nothing(objects):
    given = {name: np.array(values) for name, values in objects.given.items()}
    given |= {"features": np.log(objects.data.detection_area), "thresholds": np.array([0.5, 0.75])}
    kept = {name: values.copy() for name, values in given.items()}
    matches = SegmentationMatches(**given)
    chosen = objects.fitted(matches)
    for values in given.values():
        values[:] = 0
    for name, values in kept.items():
        assert_array_equal(getattr(matches, name).ravel(), values, err_msg=name)
    assert_same(
        state(objects.vet(chosen)), state(objects.vet(objects.fitted(SegmentationMatches(**kept))))
    )


# --- models ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certain_predictions_that_are_wrong_leave_a_finite_weight(dtype):
    scores = np.arange(40.0)
    p = np.tile(np.array([0.0, 1.0], dtype), (30, 2))
    weights = np.full(30, 1.0 / 30.0)
    labels, ranks = np.array([1, 0, 0, 1]), np.arange(4.0) + 1.0
    after = ModelEProcess.of(scores).after(p, weights, labels, scores[:4], ranks)
    assert np.isfinite(after.log_e_values).all()
    assert np.isfinite(after.model_weight)
    assert 0.0 <= after.model_weight <= 1.0


@pytest.mark.parametrize("n_verified", [0, 2000])
def test_of_many_entries_some_stand_for_all(objects, n_verified):
    n, rng = 20_000, np.random.default_rng(objects.seed)
    scores = rng.normal(size=(n, 1))
    truth = (scores[:, 0] + rng.normal(size=n) > 1.5).astype(int)
    noisy = np.where(rng.random(n) < 0.9, truth, 0)
    # Those with a noisy label are vetted first.
    verified = np.argsort(-noisy, kind="stable")[:n_verified]
    codes = np.full(n, -1)
    codes[verified] = truth[verified]
    question = Question.of("average_precision")
    ranked_lists = score_lists(question, scores, noisy, None, rng.normal(size=(n, 1)))[0]
    x, w, _ = _features(ranked_lists)
    rows = _rows(ranked_lists, x, w, codes, noisy)
    assert len(rows.count) < 15_000
    # 20,000 noisy labels of one category count as 1,000 do, those of vetted items too.
    trust = 1000.0 / n
    unlabeled = rows.label < 0
    want = trust * (n - n_verified) - (1.0 - trust) * n_verified
    assert rows.count[unlabeled].sum() == pytest.approx(want, rel=0.01)
    taken = unlabeled & (rows.count < 0.0)
    assert rows.count[taken].sum() == pytest.approx(-(1.0 - trust) * n_verified)
    assert rows.count[~unlabeled].sum() == pytest.approx(n_verified)
