"""Tables: labelling that is resumed is labelling that never stopped."""

import io
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import read_label_studio
from sklearn_spe.exceptions import OutsideDesignWarning
from tests.active.selectors import (
    AT,
    QUIET,
    assert_same,
    quietly,
    state,
)

pd = pytest.importorskip("pandas")
pytestmark = QUIET
F1 = {"metric": "f1", "threshold": AT}


def resumed(chosen, frame=None, **parameters):
    frame = chosen.to_frame() if frame is None else frame
    return ActiveTestSelector.from_frame(frame, **{**chosen.get_params(deep=False), **parameters})


def through_a_file(frame):
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False)
    buffer.seek(0)
    # Not every version of pandas reads the last digit.
    exact = {"score": float, "chance": lambda text: float(text or "nan")}
    return pd.read_csv(buffer, converters=exact)


def test_resuming_is_never_having_stopped(pool):
    # Queries and answers mixed at random: several batches open, answers in part, skips, others.
    rng = np.random.default_rng(pool.seed)
    chosen = pool.selector(**F1).fit(pool.scores, pool.partly(5))
    for _ in range(8):
        if rng.random() < 0.6:
            chosen.query(int(rng.integers(1, 6)))
        some = rng.permutation(chosen.pending_)[: rng.integers(0, 6)]
        labels = np.where(rng.random(len(some)) < 0.1, np.nan, pool.truth[some])
        quietly(chosen.update, some, labels)
    other = resumed(chosen, through_a_file(chosen.to_frame()))
    assert_same(state(other), state(chosen))
    assert len(other.history_) == len(chosen.history_)
    assert_array_equal(other.history_.column("design"), chosen.history_.column("design"))
    assert_array_equal(other.query(4), chosen.query(4))


def test_rows_may_come_in_any_order_with_other_columns(pool):
    chosen = pool.label(pool.fitted(), 6, rounds=2)
    chosen.query(3)
    frame = chosen.to_frame().sample(frac=1.0, random_state=pool.seed)
    assert_same(state(resumed(chosen, frame.assign(note="x"))), state(chosen))


def test_labels_that_were_filled_in_are_one_update(pool):
    chosen = pool.label(pool.fitted(), 6)
    items = chosen.query(5)
    frame = chosen.to_frame()
    frame.loc[items, "label"] = pool.truth[items]
    other = resumed(chosen, frame)
    chosen.update(items, pool.truth[items])
    assert_same(state(other), state(chosen))


def test_a_table_without_a_record_is_the_start(pool):
    y = pool.partly(20)
    frame = pd.DataFrame({"score": pool.scores, "label": np.where(y < 0, None, y)})
    assert_same(state(resumed(pool.selector(), frame)), state(pool.selector().fit(pool.scores, y)))


def test_names_of_classes_that_the_first_labels_told_are_kept(pool):
    names = np.where(pool.truth == 1, "spam", "ham").astype(object)
    quick = {"n_draws": 50, "random_state": pool.seed}
    chosen = ActiveTestSelector(pos_label="spam", **quick).fit(pool.scores)
    items = chosen.query(40)
    chosen.update(items, names[items])
    other = ActiveTestSelector.from_frame(
        through_a_file(chosen.to_frame()), pos_label="spam", **quick
    )
    assert other.classes_.tolist() == ["ham", "spam"]
    assert other.estimate_.interval() == chosen.estimate_.interval()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: f.drop(index=7), "'item' must hold each of 0 to 298 once"),
        (lambda f: pd.concat([f, f.iloc[[7]]]), "'item' must hold each of 0 to 300 once"),
        (lambda f: f.drop(columns="score"), "no column score"),
        (lambda f: f.assign(asked=np.nan), "'asked' must hold whole numbers"),
        (lambda f: f.assign(order=0.5), "'order' must hold whole numbers"),
        (lambda f: f.assign(chance=0.0), r"'chance' must lie in \(0, 1\]"),
    ],
)
def test_damaged_tables_are_named(pool, damage, message):
    chosen = pool.label(pool.fitted(), 6)
    with pytest.raises(ValueError, match=message):
        resumed(chosen, damage(chosen.to_frame()))


def test_a_corrected_label_is_warned_of_once_and_taken(pool):
    chosen = pool.label(pool.fitted(**F1), 6, rounds=3)
    frame = chosen.to_frame()
    first = int(np.flatnonzero(frame["order"] == 0)[0])
    frame.loc[first, "label"] = 1 - pool.truth[first]
    with pytest.warns(OutsideDesignWarning, match="a label or a score was changed") as caught:
        other = resumed(chosen, frame)
    assert len([w for w in caught if w.category is OutsideDesignWarning]) == 1
    assert other.label_proba_[first] == 1 - pool.truth[first]
    assert_allclose(other.query_proba_, chosen.query_proba_)


def test_scores_are_a_copy(pool):
    scores = pool.scores.copy()
    chosen = pool.selector().fit(scores)
    scores[:] = 0.0
    assert_array_equal(chosen.to_columns()["score"], pool.scores)


def test_smaller_scores_are_written_as_they_came(pool):
    chosen = pool.label(pool.selector(greater_is_positive=False).fit(-pool.scores), 5)
    assert_array_equal(chosen.to_frame()["score"], -pool.scores)
    assert_same(state(resumed(chosen)), state(chosen))


def test_label_studio_and_back(pool):
    chosen = pool.fitted(classes=["no", "yes"], pos_label="yes")
    items = chosen.query(4)
    tasks = json.loads(json.dumps(chosen.to_label_studio(items, [{"text": str(i)} for i in items])))
    assert [task["data"]["item"] for task in tasks] == items.tolist()
    assert [task["data"]["text"] for task in tasks] == [str(i) for i in items]
    answers = ["yes", "no", None]
    for task, answer in zip(tasks, answers, strict=False):
        choice = {"type": "choices", "value": {"choices": [answer]}}
        skipped = answer is None
        result = [] if skipped else [choice]
        task["annotations"] = [{"result": result, "was_cancelled": skipped}]
    indices, labels = read_label_studio(tasks)
    # The fourth was not opened.
    assert_array_equal(indices, items[:3])
    assert labels.tolist() == answers


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([{"id": 1, "text": "a"}], "exported in the format JSON"),
        (
            [
                {
                    "data": {"item": 1},
                    "annotations": [{"result": [{"value": {"choices": ["a", "b"]}}]}],
                }
            ],
            "several choices",
        ),
        (
            [
                {
                    "data": {"item": 1},
                    "annotations": [{"result": [{"type": "rating", "value": {"rating": 3}}]}],
                }
            ],
            "no choice but",
        ),
    ],
)
def test_answers_that_are_no_choice_are_named(tasks, message):
    with pytest.raises(ValueError, match=message):
        read_label_studio(tasks)
    with pytest.raises(TypeError, match="list that json"):
        read_label_studio("export.json")


@pytest.mark.parametrize("data", [[{"text": "a"}], ["a", "b"], [{"item": 1}, {"item": 2}]])
def test_data_of_tasks_is_one_dict_an_item(pool, data):
    chosen = pool.fitted()
    with pytest.raises(ValueError, match="data must hold one dict"):
        chosen.to_label_studio(chosen.query(2), data)
