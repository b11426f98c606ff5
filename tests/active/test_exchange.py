"""Tables: labelling that is resumed is labelling that never stopped."""

import io
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import read_label_studio
from sklearn_spe.exceptions import OutsideDesignWarning
from tests.active.selectors import AT, assert_same, model, quietly, state, true_share
from tests.quick import QUIET

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


def tampered(frame, **cells):
    """Return a table in which the first row that was asked for holds something else."""
    frame = frame.copy()
    first = int(np.flatnonzero(frame["order"] == 0)[0])
    for name, value in cells.items():
        frame[name] = frame[name].astype(object)
        frame.loc[first, name] = value
    return frame


def with_version(frame, version):
    """Return a table with another schema version, or with none."""
    memory = json.loads(frame["session"][0])
    del memory["schema_version"]
    if version is not None:
        memory["schema_version"] = version
    return frame.assign(session=json.dumps(memory))


@pytest.fixture(scope="module")
def asked(pool):
    """Return a selector of six labels, which no test changes."""
    return pool.label(pool.fitted(**F1), 6)


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


def test_a_table_without_a_record_is_the_start(pool):
    y = pool.partly(20)
    frame = pd.DataFrame({"score": pool.scores, "label": np.where(y < 0, None, y)})
    # Columns of somebody else may have our names.
    frame = frame.assign(session="monday", item="a cup")
    assert_same(state(resumed(pool.selector(), frame)), state(pool.selector().fit(pool.scores, y)))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: f.drop(index=[7, 299]), "298 of the 300 rows .* missing: items 7, 299 in"),
        (lambda f: pd.concat([f, f.iloc[[7]]]), "Duplicate rows: items 7 in the column 'item'"),
        (lambda f: pd.concat([f, f[["score"]].iloc[:3]]), "3 of 303 rows .* they were added"),
        (lambda f: f.drop(columns="score"), "no column 'score'"),
        (lambda f: f.drop(columns="asked"), "but not 'asked'"),
        (lambda f: f[["score", "label", "item", "session"]], "but not 'order', .*'answer'"),
        (lambda f: f.assign(asked=np.nan), "'asked' must hold whole numbers"),
        (lambda f: f.assign(order=0.5), "'order' must hold whole numbers"),
        (lambda f: f.assign(chance=0.0), r"'chance' must lie in \(0, 1\]"),
        (lambda f: f.assign(session="{}"), "'session' was changed"),
        (lambda f: with_version(f, 9), "'session' has the schema version 9, .* version 1: update"),
        (lambda f: with_version(f, "new"), "schema version 'new', which is not a whole number"),
        (lambda f: tampered(f, session="{1}"), "'session' holds 2 different texts"),
        (lambda f: tampered(f, asked=1_000_000), "'asked' was changed"),
        (lambda f: tampered(f, answered=1_000_000), "'answered' was changed"),
        (lambda f: tampered(f, answered=10**18), "'answered' must hold whole numbers"),
        (lambda f: tampered(f, query=5), "'query' was changed"),
        (lambda f: tampered(f, order=1), "'order' was changed"),
    ],
)
def test_damaged_tables_are_named(asked, damage, message):
    with pytest.raises(ValueError, match=message):
        resumed(asked, damage(asked.to_frame()))


def test_corrected_labels_are_named_once_and_taken(pool):
    chosen = pool.label(pool.fitted(**F1), 6, rounds=3)
    frame = chosen.to_frame()
    first, second = (int(np.flatnonzero(frame["order"] == k)[0]) for k in (0, 1))
    was = int(pool.truth[first])
    frame.loc[first, "label"] = 1 - was
    frame.loc[second, "label"] = None
    with pytest.warns(OutsideDesignWarning, match="2 labels differ from") as caught:
        other = resumed(chosen, frame)
    said = [str(w.message) for w in caught if w.category is OutsideDesignWarning]
    assert len(said) == 1
    assert f"item {first} from {was} to {1 - was}" in said[0]
    assert f"item {second} from {int(pool.truth[second])} to nothing" in said[0]
    assert other.label_proba_[first] == 1 - was
    assert other.n_labels_ == chosen.n_labels_ - 1
    assert_allclose(other.query_proba_, chosen.query_proba_)


def test_scores_that_were_changed_are_warned_of(pool):
    chosen = pool.label(pool.fitted(**F1), 6, rounds=2)
    frame = chosen.to_frame().assign(score=np.cbrt(pool.scores))
    with pytest.warns(OutsideDesignWarning, match="a score was changed"):
        other = resumed(chosen, frame)
    assert_allclose(other.query_proba_, chosen.query_proba_)


def test_a_table_remembers_all_that_it_can_hold(pool):
    begun = {
        **F1,
        "strategy": "tail",
        "interval": "design",
        "confidence_level": 0.8,
        "exploration": 0.5,
        "classes": ["ham", "spam"],
        "pos_label": "spam",
        "greater_is_positive": False,
        "n_draws": 50,
    }
    names, scores = np.array(["ham", "spam"])[pool.truth[:100]], -pool.scores[:100]
    # The seed that a generator gives is remembered too.
    seeded = {"random_state": np.random.RandomState(pool.seed)}
    chosen = pool.label(ActiveTestSelector(**begun, **seeded).fit(scores), 5, truth=names)
    other = ActiveTestSelector.from_frame(through_a_file(chosen.to_frame()), batch_size=3)
    assert {name: getattr(other, name) for name in begun} == begun
    assert_same(state(other), state(chosen))
    assert_array_equal(other.query(), chosen.query(3))


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"metric": "recall", "threshold": 0.6}, r"f1', threshold=0\.5, got metric='recall', t"),
        (
            {"label_model": model(n_draws=60)},
            "started with label_model=Semi.*, got label_model=Semi",
        ),
    ],
)
def test_another_question_is_not_taken_for_the_same(asked, others, message):
    with pytest.raises(ValueError, match=message):
        resumed(asked, **others)


def test_what_no_table_can_hold_is_passed_again(pool):
    chosen = pool.label(pool.fitted(true_share), 5)
    with pytest.raises(
        ValueError, match="started with metric=true_share, which cannot be stored in a table"
    ):
        ActiveTestSelector.from_frame(chosen.to_frame(), label_model=pool.model())
    other = ActiveTestSelector.from_frame(
        chosen.to_frame(), metric=true_share, label_model=pool.model()
    )
    assert_same(state(other), state(chosen))


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match=r"a DataFrame or a dictionary; got \[1, 2\]"):
        ActiveTestSelector.from_frame([1, 2])
    twice = pd.DataFrame([[1.0, 0, 1]], columns=["score", "label", "label"])
    with pytest.raises(ValueError, match="names a column twice"):
        ActiveTestSelector.from_frame(twice)


def test_label_studio_and_back(pool):
    chosen = pool.fitted(classes=("no", "yes"), pos_label="yes")
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
            "not a choice but",
        ),
    ],
)
def test_answers_that_are_no_choice_are_named(tasks, message):
    with pytest.raises(ValueError, match=message):
        read_label_studio(tasks)
    with pytest.raises(TypeError, match="list that json"):
        read_label_studio("export.json")


@pytest.mark.parametrize("data", [[{"text": "a"}], ["a", "b"], [{"item": 1}, {"item": 2}]])
def test_data_of_tasks_is_one_dict_an_item(asked, data):
    with pytest.raises(ValueError, match="data must hold one dict"):
        asked.to_label_studio(np.flatnonzero(~np.isnan(asked.query_proba_))[:2], data)


def test_systems_and_categories_in_an_order_go_by_their_names(pool):
    months = ["late", "early", "mid"]
    X = pd.DataFrame({"old": np.sin(9.0 * pool.scores), "new": pool.scores})[:90]
    category = pd.Categorical.from_codes(np.arange(90) % 3, months, ordered=True)
    y = np.where(np.arange(90) < 30, pool.truth[:90], None)
    noisy = pool.truth[:90]
    chosen = ActiveTestSelector(label_model="naive", n_draws=50, random_state=0)
    chosen.fit(X, y, noisy_labels=noisy, category=category)
    assert chosen.categories_.tolist() == months
    frame = chosen.to_frame()
    assert frame.columns[:4].tolist() == ["item", "score_old", "score_new", "noisy_label"]
    assert_array_equal(frame["score_new"], X["new"])
    assert_array_equal(frame["category"], category)
    # Without its record it is a new start, of which the order is that of the frame.
    start = frame[["score_old", "score_new", "noisy_label", "label"]].assign(category=category)
    parameters = {"label_model": "naive", "n_draws": 50, "random_state": 0}
    anew = ActiveTestSelector.from_frame(start, **parameters)
    buffer = io.StringIO(frame.to_csv(index=False))
    for other in (ActiveTestSelector.from_frame(pd.read_csv(buffer)), anew):
        assert other.systems_ == ("old", "new")
        assert other.categories_.tolist() == months
        assert_allclose(
            other.by_category("new").values, chosen.by_category("new").values, rtol=1e-9
        )
    lost = frame.drop(columns="score_new")
    with pytest.raises(ValueError, match="no column 'score_new'"):
        ActiveTestSelector.from_frame(lost)
    with pytest.raises(ValueError, match=r"started with the categories 'late', .* has 'May'"):
        ActiveTestSelector.from_frame(frame.replace("mid", "May"))
