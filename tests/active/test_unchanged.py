"""What fails changes nothing: a fitted selector stays exactly as it was."""

import copy
import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import LabelDraws, LabelModel
from sklearn_spe.matches import SegmentationMatches
from tests.active.selectors import assert_same, quietly, selector, state
from tests.quick import QUIET

pytestmark = QUIET

N = 60
COUNTRY = np.array(["DE", "ES", "FR"])[np.arange(N) % 3]


class OutOfMemory(Exception):
    """Whatever may go wrong in code that is not ours."""


@dataclass(frozen=True)
class OnceOnly(LabelModel):
    """A label model that learns without labels, and no more."""

    name: ClassVar[str] = "once_only"
    needs_noisy: ClassVar[bool] = False

    def learn(self, ranked_lists, codes, n_draws, rng):
        if (codes >= 0).any():
            raise OutOfMemory
        return LabelDraws(np.full((n_draws, ranked_lists.n_rows), 0.5), codes)


@pytest.fixture(scope="module")
def pool(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=N)
    truth = (scores + rng.normal(size=N) > 0.5).astype(int)
    truth[[0, 1]] = 0, 1
    return scores, truth


@pytest.fixture(scope="module", params=["one pool", "noisy labels"])
def started(request, pool):
    scores, truth = pool
    y = np.where(np.arange(N) < 6, truth, -1)
    noisy = {"category": COUNTRY, "noisy_labels": truth[::-1]}
    more = {} if request.param == "one pool" else noisy
    quick = {"label_model": "counts"} if more else {}
    chosen = quietly(selector(**quick).fit, scores, y, **more)
    items = chosen.query(4)
    return quietly(chosen.update, items, truth[items])


@pytest.fixture
def begun(started):
    return copy.deepcopy(started)


def snapshot(chosen):
    """Return the attributes, and a copy of what is changed in place, if anything is."""
    return vars(chosen).copy(), copy.deepcopy((chosen._session.query_log, chosen._said))


def assert_unchanged(chosen, before):
    attributes, inside = before
    assert vars(chosen).keys() == attributes.keys()
    for name, value in attributes.items():
        assert vars(chosen)[name] is value, name
    now = chosen._session.query_log, chosen._said
    assert pickle.dumps(copy.deepcopy(now)) == pickle.dumps(inside)


def three_classes(y):
    return np.where(np.arange(len(y)) == 3, 2, y)


BAD_FITS = {
    "one label too few": lambda s, y: {"y": y[:-1]},
    "three classes": lambda s, y: {"y": three_classes(y)},
    "one category too few": lambda s, y: {"category": COUNTRY[:-1]},
    "a category is missing": lambda s, y: {"category": [None, *COUNTRY[1:]]},
    "one noisy label too few": lambda s, y: {"noisy_labels": y[:-1]},
    "a noisy label is missing": lambda s, y: {"noisy_labels": [None, *y[1:]]},
    "features of another length": lambda s, y: {"features": s[:-1]},
    "features are not finite": lambda s, y: {"features": s / 0.0},
    "a score is not a number": lambda s, y: {"X": np.where(np.arange(N) == 7, np.nan, s)},
    "a score of a system is infinite": lambda s, y: {"X": np.column_stack([s, s, s / 0.0])},
    "no scores": lambda s, y: {"X": []},
    "scores of another length": lambda s, y: {"X": s[:-1], "category": COUNTRY},
}


def test_after_a_failed_fit(begun, pool):
    scores, truth = pool
    before = snapshot(begun)
    for bad in BAD_FITS.values():
        with np.errstate(all="ignore"):
            given = {"X": scores, "y": truth, **bad(scores, truth)}
        with pytest.raises((ValueError, TypeError)):
            quietly(begun.fit, **given)
        assert_unchanged(begun, before)
    # Everything can still be asked for.
    begun.to_columns()
    begun.query(1)


def test_what_is_done_to_the_performance_comes_back_nowhere(pool):
    scores, truth = pool
    y = np.where(np.arange(N) < 6, truth, -1)
    chosen, other = (quietly(selector().fit, scores, y) for _ in range(2))
    performance = chosen.performance_
    quietly(performance.update, scores, truth)
    quietly(performance.mixture_.update, scores, truth)
    performance.mixture_.set_params(n_draws=7)
    performance.set_params(target="population", confidence_level=0.5)
    for one in (chosen, other):
        items = one.query(4)
        quietly(one.update, items, truth[items])
    assert_same(state(chosen), state(other))


def test_after_a_label_model_has_failed(pool):
    scores, truth = pool
    chosen = ActiveTestSelector(label_model=OnceOnly(), n_draws=40, classes=[0, 1], random_state=0)
    chosen = chosen.fit(scores, category=COUNTRY)
    items = chosen.query(5)
    before = snapshot(chosen)
    with pytest.raises(OutOfMemory):
        chosen.update(items, truth[items])
    assert_unchanged(chosen, before)
    with pytest.raises(OutOfMemory):
        chosen.fit(scores, truth, category=COUNTRY)
    assert_unchanged(chosen, before)


def test_after_failures_with_objects():
    matches = SegmentationMatches(
        score=[0.9, 0.8, 0.7],
        category=[0, 0, 0],
        object=[0, -1, 1],
        coarse_overlap=[0.9, 0.0, 0.6],
        object_category=[0, 0],
        thresholds=[0.5],
    )
    chosen = ActiveTestSelector(n_draws=40, random_state=0).fit(matches)
    before = snapshot(chosen)
    for call in (
        lambda: chosen.fit(matches, [[2.0], [0.5]]),
        lambda: chosen.fit(matches, category=["a", "b"]),
        lambda: chosen.update([0], [[2.0]]),
        lambda: chosen.update([0], [["wide"]]),
        lambda: chosen.update([0, 0], [[0.5], [0.5]]),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
        assert_unchanged(chosen, before)
