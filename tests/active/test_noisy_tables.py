"""Tables of noisy labels, categories and systems: resumed is never stopped."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import ActiveTestSelector
from sklearn_spe.metrics import PrecisionAtK
from tests.active.lists import NOISY, OTHER, SCORES, TAG, TRUTH, partly
from tests.active.selectors import assert_same, label, numbers, quietly

pd = pytest.importorskip("pandas")
BOTH = {"noisy_labels": NOISY, "category": TAG}
CASES = {
    "noisy": ({}, SCORES, BOTH),
    "features": (
        {"metric": PrecisionAtK(8)},
        SCORES,
        {**BOTH, "features": np.column_stack([SCORES**2, OTHER])},
    ),
    "systems": ({}, np.column_stack([SCORES, OTHER]), {}),
    "micro": ({"average": "micro", "strategy": "random"}, SCORES, BOTH),
    "turned": ({"greater_is_positive": False}, -SCORES, BOTH),
    "categories": ({}, SCORES, {"category": np.array(["c", "a", "b"])[TAG]}),
}


def state(chosen):
    return {
        "estimate": numbers(chosen.estimate_),
        "probability": chosen.label_proba_,
        "chances": chosen.query_proba_,
        "utilities": chosen.utilities_,
        "pending": chosen.pending_,
        "history": np.array([list(vars(row).values()) for row in chosen.history_]),
    }


@pytest.mark.parametrize(("parameters", "X", "given"), CASES.values(), ids=CASES)
def test_resuming_is_never_having_stopped(parameters, X, given):
    parameters = {"n_draws": 60, "random_state": 0, **parameters}
    chosen = ActiveTestSelector(**parameters).fit(X, partly(10), **given)
    label(chosen, 6, truth=TRUTH, rounds=2)
    waiting = chosen.query(4)
    quietly(chosen.update, waiting[:2], [TRUTH[waiting[0]], None])
    buffer = io.StringIO()
    chosen.to_frame().sample(frac=1.0, random_state=0).to_csv(buffer, index=False)
    buffer.seek(0)
    # Not every version of pandas reads the last digit.
    exact = [name for name in chosen.to_frame() if name.startswith(("score", "feature", "chance"))]
    converters = dict.fromkeys(exact, lambda text: float(text or "nan"))
    frame = pd.read_csv(buffer, converters=converters)
    other = ActiveTestSelector.from_frame(frame, **parameters)
    assert_same(state(other), state(chosen))
    assert_array_equal(other.query(5), chosen.query(5))


def test_names_of_classes_and_categories_come_back():
    names, tags = np.array(["no", "yes"]), np.array(["sky", "cat", "Tree"])[TAG]
    parameters = {"n_draws": 60, "random_state": 0, "pos_label": "yes"}
    given = {"noisy_labels": names[NOISY], "category": tags}
    chosen = label(ActiveTestSelector(**parameters).fit(SCORES, **given), truth=names[TRUTH])
    frame = chosen.to_frame()
    assert_array_equal(frame["noisy_label"], names[NOISY])
    assert_array_equal(frame["category"], tags)
    known = frame["label"].notna()
    assert known.sum() == 10
    assert_array_equal(frame["label"][known], names[TRUTH][known])
    other = ActiveTestSelector.from_frame(frame, **parameters)
    assert_same(state(other), state(chosen))
    assert other.categories_.tolist() == ["Tree", "cat", "sky"]


def test_labels_that_were_filled_in_are_one_update():
    parameters = {"n_draws": 60, "random_state": 0}
    chosen = ActiveTestSelector(**parameters).fit(SCORES, **BOTH)
    asked = chosen.query(7)
    frame = chosen.to_frame()
    frame.loc[asked, "label"] = TRUTH[asked]
    other = ActiveTestSelector.from_frame(frame, **parameters)
    chosen.update(asked, TRUTH[asked])
    assert_same(state(other), state(chosen))


def test_micro_shows_strategies_the_categories():
    parameters = {"n_draws": 60, "random_state": 0, "average": "micro", "strategy": "random"}
    chosen = ActiveTestSelector(exploration=0.0, **parameters)
    chosen.fit(SCORES, noisy_labels=NOISY, category=np.where(np.arange(300) < 12, "few", "many"))
    asked = chosen.query(10)
    # Either is as likely at first: by chance alone few would be one in twenty-five.
    first = asked[0]
    assert chosen.query_proba_[first] == pytest.approx(0.5 / (12 if first < 12 else 288))


def test_a_table_without_a_record_is_the_start():
    y = partly(20)
    frame = pd.DataFrame(
        {
            "score": SCORES,
            "label": np.where(y < 0, np.nan, y),
            "noisy_label": NOISY,
            "category": TAG,
        }
    )
    parameters = {"n_draws": 60, "random_state": 0}
    one = ActiveTestSelector.from_frame(frame, **parameters)
    other = ActiveTestSelector(**parameters).fit(SCORES, y, **BOTH)
    assert_same(state(one), state(other))
