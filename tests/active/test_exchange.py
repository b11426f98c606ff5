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
    SCORES,
    TRUTH,
    assert_same,
    label,
    quietly,
    selector,
    state,
)

pd = pytest.importorskip("pandas")
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


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_resuming_is_never_having_stopped(seed):
    # Queries and answers mixed at random: several batches open, answers in part, skips, others.
    rng = np.random.default_rng(seed)
    chosen = selector(**F1).fit(SCORES, np.where(np.arange(300) < 5, TRUTH, -1))
    for _ in range(8):
        if rng.random() < 0.6:
            chosen.query(int(rng.integers(1, 6)))
        some = rng.permutation(chosen.pending_)[: rng.integers(0, 6)]
        labels = np.where(rng.random(len(some)) < 0.1, np.nan, TRUTH[some])
        quietly(chosen.update, some, labels)
    other = resumed(chosen, through_a_file(chosen.to_frame()))
    assert_same(state(other), state(chosen))
    assert len(other.history_) == len(chosen.history_)
    assert_array_equal(other.history_.column("design"), chosen.history_.column("design"))
    assert_array_equal(other.query(4), chosen.query(4))


def test_rows_may_come_in_any_order_with_other_columns():
    chosen = label(selector().fit(SCORES), 6, rounds=2)
    chosen.query(3)
    frame = chosen.to_frame().sample(frac=1.0, random_state=0)
    assert_same(state(resumed(chosen, frame.assign(note="x"))), state(chosen))


def test_labels_that_were_filled_in_are_one_update():
    chosen = label(selector().fit(SCORES), 6)
    items = chosen.query(5)
    frame = chosen.to_frame()
    frame.loc[items, "label"] = TRUTH[items]
    other = resumed(chosen, frame)
    chosen.update(items, TRUTH[items])
    assert_same(state(other), state(chosen))


def test_a_table_without_a_record_is_the_start():
    y = np.where(np.arange(300) < 20, TRUTH, -1)
    frame = pd.DataFrame({"score": SCORES, "label": np.where(y < 0, None, y)})
    assert_same(state(resumed(selector(), frame)), state(selector().fit(SCORES, y)))


def test_names_of_classes_that_the_first_labels_told_are_kept():
    names = np.where(TRUTH == 1, "spam", "ham").astype(object)
    chosen = ActiveTestSelector(pos_label="spam", n_draws=50, random_state=0).fit(SCORES)
    items = chosen.query(40)
    chosen.update(items, names[items])
    other = ActiveTestSelector.from_frame(
        through_a_file(chosen.to_frame()), pos_label="spam", n_draws=50, random_state=0
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
def test_damaged_tables_are_named(damage, message):
    chosen = label(selector().fit(SCORES), 6)
    with pytest.raises(ValueError, match=message):
        resumed(chosen, damage(chosen.to_frame()))


def test_a_corrected_label_is_warned_of_once_and_taken():
    chosen = label(selector(**F1).fit(SCORES), 6, rounds=3)
    frame = chosen.to_frame()
    first = int(np.flatnonzero(frame["order"] == 0)[0])
    frame.loc[first, "label"] = 1 - TRUTH[first]
    with pytest.warns(OutsideDesignWarning, match="a label or a score was changed") as caught:
        other = resumed(chosen, frame)
    assert len([w for w in caught if w.category is OutsideDesignWarning]) == 1
    assert other.label_proba_[first] == 1 - TRUTH[first]
    assert_allclose(other.query_proba_, chosen.query_proba_)


def test_scores_are_a_copy():
    scores = SCORES.copy()
    chosen = selector().fit(scores)
    scores[:] = 0.0
    assert_array_equal(chosen.to_columns()["score"], SCORES)


def test_smaller_scores_are_written_as_they_came():
    chosen = label(selector(greater_is_positive=False).fit(-SCORES), 5)
    assert_array_equal(chosen.to_frame()["score"], -SCORES)
    assert_same(state(resumed(chosen)), state(chosen))


def test_label_studio_and_back():
    chosen = selector(classes=["no", "yes"], pos_label="yes").fit(SCORES)
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
def test_data_of_tasks_is_one_dict_an_item(data):
    chosen = selector().fit(SCORES)
    with pytest.raises(ValueError, match="data must hold one dict"):
        chosen.to_label_studio(chosen.query(2), data)
