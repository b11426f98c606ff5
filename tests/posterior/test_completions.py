"""Completed labels are drawn once a posterior: no answer depends on what was asked before."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.posterior._posterior import MAX_KEPT

from ..quick import EXPERTS

QUESTIONS = [
    ("average_precision", {}),
    ("f1", {"threshold": 1.0}),
    ("recall", {"threshold": -0.3}),
    ("prevalence", {}),
]


@pytest.fixture(params=[400, 6000], ids=["few cells", "merged cells"])
def fitted(request, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(request.param) < 0.3).astype(int)
    scores = rng.normal(2.0 * truth, 1.0)
    y = np.where(np.arange(len(truth)) < 40, truth, -1)
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, n_draws=100)
    return PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y)


def _draws(performance, question):
    metric, where = question
    return performance.estimate(metric, **where).draws


def test_the_order_of_questions_does_not_matter(fitted):
    other = pickle.loads(pickle.dumps(fitted))
    first = [_draws(fitted, question) for question in QUESTIONS]
    last = [_draws(other, question) for question in QUESTIONS[::-1]][::-1]
    for one, another in zip(first, last, strict=True):
        assert_array_equal(one, another)
    for one, question in zip(first, QUESTIONS, strict=True):
        assert_array_equal(one, _draws(fitted, question))


def test_pickles_hold_no_completions(fitted):
    posterior = fitted.posterior_
    size = len(pickle.dumps(posterior))
    _draws(fitted, QUESTIONS[0])
    assert posterior._completions
    assert len(pickle.dumps(posterior)) == size


def test_no_more_than_a_few_are_kept(fitted):
    for threshold in np.linspace(-1.0, 2.0, 7):
        fitted.estimate("f1", threshold=threshold)
    assert len(fitted.posterior_._completions) <= MAX_KEPT
