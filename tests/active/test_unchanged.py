"""What fails changes nothing: a fitted selector stays exactly as it was."""

import copy
import pickle
import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import LabelDraws, LabelModel, Strategy
from sklearn_spe.exceptions import OutsideDesignWarning, SkippedLabelsWarning
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


@dataclass(frozen=True)
class Tired(Strategy):
    """A strategy that tells utilities once, and no more."""

    calls: list = field(default_factory=list)

    name: ClassVar[str] = "tired"

    def utilities(self, pool):
        self.calls.append(pool)
        if len(self.calls) > 1:
            raise OutOfMemory
        return pool.scores


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


BAD_PARAMETERS = {
    "metric": "beauty",
    "threshold": 0.5,
    "strategy": "luck",
    "label_model": LogisticRegression,
    "interval": "anytime",
    "n_draws": 1,
    "classes": [0, 1, 2],
    "pos_label": 3,
    "random_state": "today",
}


def test_after_a_fit_with_a_bad_parameter(begun, pool):
    scores, truth = pool
    for name, value in BAD_PARAMETERS.items():
        good = begun.get_params(deep=False)[name]
        begun.set_params(**{name: value})
        before = snapshot(begun)
        with pytest.raises((ValueError, TypeError)):
            quietly(begun.fit, scores, truth)
        assert_unchanged(begun, before)
        begun.set_params(**{name: good})


BAD_ANSWERS = {
    "no item": ([N], [1]),
    "a negative place": ([-1], [1]),
    "half a place": ([0.5], [1]),
    "a mask": ([True] * N, [1] * N),
    "more labels than items": ([10, 11], [1]),
    "two labels of one item": ([40, 40], [0, 1]),
    "a third class": ([40, 41], [1, 7]),
    "text among numbers": ([40, 41], [1, "spam"]),
    "numbers that are no classes": ([40, 41], [0.3, 0.7]),
    "no labels": ([40], None),
}


def test_after_a_failed_update(begun, pool):
    before = snapshot(begun)
    for items, labels in BAD_ANSWERS.values():
        with pytest.raises((ValueError, TypeError)):
            quietly(begun.update, items, labels)
        assert_unchanged(begun, before)
    with pytest.raises(ValueError, match="was labeled"):
        begun.update([0], [1 - pool[1][0]])
    assert_unchanged(begun, before)


def test_after_a_failed_query(begun):
    before = snapshot(begun)
    for n in (N, -1, 2.5, "all", [1, 2]):
        with pytest.raises((ValueError, TypeError)):
            begun.query(n)
        assert_unchanged(begun, before)


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


def test_after_a_strategy_has_failed(pool):
    # Items are drawn, and only then does it fail.
    chosen = quietly(selector(strategy=Tired(), draw="argmax").fit, pool[0])
    before = snapshot(chosen)
    with pytest.raises(OutOfMemory):
        chosen.query(3, return_utilities=True)
    assert_unchanged(chosen, before)


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


@pytest.mark.parametrize(
    ("label", "warning"), [(1, OutsideDesignWarning), (None, SkippedLabelsWarning)]
)
def test_after_a_warning_that_is_an_error(begun, label, warning):
    before, item = snapshot(begun), np.flatnonzero(np.isnan(begun.query_proba_))[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((OutsideDesignWarning, warning)):
            begun.update([item], [label])
    assert_unchanged(begun, before)


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
