"""With every item labeled the verdict is "ok" and says so, nothing warns, and no width is left."""

import warnings

import numpy as np
import pytest

from sklearn_spe import (
    ActiveTestSelector,
    Goal,
    PerformanceCurveEstimator,
)
from tests.estimators.performance.several import mixture

N = 40
# Five items that say little of any others: what is known of them is known all the same.
FIVE = np.array([0.9, 0.8, 0.7, 0.5, 0.1]), np.array([0, 1, 0, 0, 0])


@pytest.fixture(scope="module")
def items(global_random_seed):
    """Return scores that rank wrongly, of which a model would say a lot, and all labels."""
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, rng.random(N - 2) < 0.3].astype(int)
    return rng.normal(-2.0 * labels), labels


@pytest.fixture(autouse=True)
def nothing_warns():
    """Make every warning an error, those too that fits to few labels may give."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def performance(**parameters):
    return PerformanceCurveEstimator(mixture(), n_points=15, random_state=0, **parameters)


def says_that_all_is_known(verdict, n_items):
    first, *others = verdict.reasons
    assert (verdict, first.name, first.verdict) == ("ok", "all_labeled", "ok")
    assert first.text.startswith(f"All {n_items} items are labeled")
    return {reason.name for reason in others} <= {"suspect_labels"}


KINDS = {
    "one pool": lambda scores: (scores, {}),
    "systems": lambda scores: ({"a": scores, "b": -scores}, {}),
    "categories": lambda scores: (scores, {"category": np.arange(N) % 2}),
    "groups": lambda scores: (scores, {"groups": np.arange(N) // 20}),
    "judges": lambda scores: (scores, {"judges": np.arange(N) % 3 == 0}),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_performance_is_known(items, kind):
    scores, y = items
    X, given = kind(scores)
    fitted = performance().fit(X, y, **given)
    assert says_that_all_is_known(fitted.verdict_, N)
    shown = fitted.of(system=fitted.systems_[0])
    for metric in ("average_precision", "roc_auc", "prevalence"):
        low, high = shown.estimate(metric).interval(0.99)
        assert low == high
    assert shown.estimate("prevalence").value == pytest.approx(y.mean())


def test_five_items_are_known_and_further_ones_are_not():
    fitted = performance().fit(*FIVE)
    assert says_that_all_is_known(fitted.verdict_, 5)
    assert fitted.estimate("average_precision").interval() == (0.5, 0.5)
    assert fitted.estimate("roc_auc").interval() == (0.75, 0.75)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        further = performance(target="population").fit(*FIVE)
    assert "all_labeled" not in {reason.name for reason in further.verdict_.reasons}
    low, high = further.estimate("average_precision").interval()
    assert high - low > 0.1


def test_the_last_label_makes_it_known(items):
    scores, y = items
    almost = np.where(np.arange(N) < N - 1, y, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = performance().fit(scores, almost)
    assert "all_labeled" not in {reason.name for reason in fitted.verdict_.reasons}
    assert says_that_all_is_known(fitted.update(scores, y).verdict_, N)


@pytest.mark.parametrize("groups", [None, np.arange(N) // 20], ids=["one score", "groups"])
def test_classes_are_known(global_random_seed, groups):
    rng = np.random.default_rng(global_random_seed)
    X, y = rng.dirichlet(np.ones(3), N), np.r_[:3, rng.integers(3, size=N - 3)]
    fitted = performance().fit(X, y, groups=groups)
    assert says_that_all_is_known(fitted.verdict_, N)
    right = (X.argmax(axis=1) == y).mean()
    assert fitted.estimate("accuracy").interval() == pytest.approx((right, right))


SELECTORS = {
    "one pool": ({}, {}),
    "goal": ({"metric": Goal.of(recall=0.5)}, {}),
    "design": ({"metric": "recall", "threshold": 0.0, "interval": "design"}, {}),
    "anytime": ({"metric": "recall", "threshold": 0.0, "interval": "anytime"}, {}),
    "noisy": ({}, {"noisy_labels": np.arange(N) % 2}),
}


@pytest.mark.parametrize(
    ("parameters", "given"),
    [
        pytest.param(*how, marks=[pytest.mark.slow] * (name in ("groups", "categories")))
        for name, how in SELECTORS.items()
    ],
    ids=SELECTORS,
)
def test_a_labeling_ends_with_what_is_known(items, parameters, given):
    scores, y = items
    almost = np.where(np.arange(N) < N - 2, y, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = ActiveTestSelector(**parameters, n_draws=40, random_state=0)
        selector.fit(scores, almost, **given)
        last = selector.query(2)
    selector.update(last, y[last])
    assert says_that_all_is_known(selector.verdict_, N)
    low, high = selector.estimate_.interval()
    assert low == high
    assert selector.should_stop(half_width=0.01)
