"""Tables of noisy labels, categories and systems: resumed is never stopped."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.naive_bayes import GaussianNB

from sklearn_spe import ActiveTestSelector
from sklearn_spe.metrics import PrecisionAtK
from tests.active.selectors import assert_same, numbers, quietly
from tests.quick import QUIET

pytestmark = QUIET

pd = pytest.importorskip("pandas")


def quick(tagged):
    return {"label_model": "counts", "n_draws": 60, "random_state": tagged.seed}


# Parameters, scores, and what is given beside them.
CASES = {
    "features": lambda t: (
        {"metric": PrecisionAtK(8)},
        t.scores,
        {**t.both, "features": np.column_stack([t.scores**2, t.other])},
    ),
    "systems": lambda t: ({}, dict(enumerate(t.systems.T[:2])), {}),
    "micro": lambda t: ({"average": "micro", "strategy": "random"}, t.scores, t.both),
    "turned": lambda t: (
        {"greater_is_positive": False},
        -t.scores,
        {"category": np.array(["c", "a", "b"])[t.tag]},
    ),
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


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_resuming_is_never_having_stopped(tagged, case):
    parameters, X, given = case(tagged)
    parameters = {**quick(tagged), "label_model": GaussianNB(), **parameters}
    chosen = ActiveTestSelector(**parameters).fit(X, tagged.partly(12), **given)
    tagged.label(chosen, 6)
    waiting = chosen.query(4)
    quietly(chosen.update, waiting[:2], [tagged.truth[waiting[0]], None])
    buffer = io.StringIO()
    chosen.to_frame().sample(frac=1.0, random_state=tagged.seed).to_csv(buffer, index=False)
    buffer.seek(0)
    # Not every version of pandas reads the last digit.
    exact = [name for name in chosen.to_frame() if name.startswith(("score", "feature", "chance"))]
    converters = dict.fromkeys(exact, lambda text: float(text or "nan"))
    frame = pd.read_csv(buffer, converters=converters)
    other = ActiveTestSelector.from_frame(frame, **parameters)
    assert_same(state(other), state(chosen))
    assert_array_equal(other.query(5), chosen.query(5))


def test_micro_shows_strategies_the_categories(tagged):
    parameters = {"average": "micro", "strategy": "random", "exploration": 0.0}
    chosen = ActiveTestSelector(**quick(tagged), **parameters)
    chosen.fit(
        tagged.scores,
        noisy_labels=tagged.noisy,
        category=np.where(np.arange(300) < 12, "few", "many"),
    )
    asked = chosen.query(10)
    # Either is as likely at first: by chance alone few would be one in twenty-five.
    first = asked[0]
    assert chosen.query_proba_[first] == pytest.approx(0.5 / (12 if first < 12 else 288))


def test_a_table_without_a_record_is_the_start(tagged):
    y = tagged.partly(20)
    frame = pd.DataFrame(
        {
            "score": tagged.scores,
            "label": np.where(y < 0, np.nan, y),
            "noisy_label": tagged.noisy,
            "category": tagged.tag,
        }
    )
    parameters = quick(tagged)
    one = ActiveTestSelector.from_frame(frame, **parameters)
    other = ActiveTestSelector(**parameters).fit(tagged.scores, y, **tagged.both)
    assert_same(state(one), state(other))
