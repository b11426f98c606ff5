"""The same question has the same answer, bit by bit."""

from copy import deepcopy

import numpy as np
from sklearn.base import clone

from tests.estimators.performance.data import CURVES, OF_RANKING
from tests.quick import QUIET

pytestmark = QUIET


def all_answers(performance):
    answers = [performance.curve(name).draws for name in [*CURVES, "f1"]]
    answers += [performance.curve(name, target="population").draws for name in CURVES]
    answers += [performance.estimate(name).draws for name in OF_RANKING]
    return [*answers, performance.posterior_.weights]


def assert_same_bits(first, second):
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_update_answers_as_a_fit_with_these_labels(problem, of_each_kind):
    more = problem.with_labels(90)
    updated = deepcopy(of_each_kind)
    before = updated.estimate("roc_auc").standard_error
    assert updated.update(problem.scores, more) is updated
    assert_same_bits(
        all_answers(updated),
        all_answers(clone(of_each_kind).fit(problem.scores, more)),
    )
    assert updated.verdict_ == updated.mixture_.verdict_
    # Labels that come unexpected may leave more doubt than there was.
    assert updated.estimate("roc_auc").standard_error != before
