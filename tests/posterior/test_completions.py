"""Completed labels are drawn once a posterior: no answer depends on what was asked before."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.data._sample import N_CELLS
from sklearn_spe.posterior._operating_points import _interpolated
from sklearn_spe.posterior._posterior import ComplementPosterior

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


def test_all_questions_share_one_set_of_labels(fitted):
    for threshold in np.linspace(-1.0, 2.0, 7):
        fitted.estimate("f1", threshold=threshold)
    posterior = fitted.posterior_
    assert len(posterior._completions) == len(posterior.blocks())
    # Recall and precision of a threshold are of the same labels, and so is the prevalence.
    recall, precision, called = (
        _draws(fitted, (metric, {"threshold": 0.7}))
        for metric in ("recall", "precision", "predicted_positives")
    )
    n_positive = _draws(fitted, ("prevalence", {})) * posterior.sample.counts.sum()
    assert_allclose(recall * n_positive, precision * called, rtol=1e-9)


def test_the_other_class_has_the_other_labels(fitted):
    posterior = fitted.posterior_
    other = ComplementPosterior.of(posterior)
    cells, flipped = posterior.completed_cells, other.completed_cells
    assert_array_equal(flipped.counts, cells.counts[::-1])
    assert len(cells.scores) <= max(400, 2 * N_CELLS)
    for block in posterior.blocks():
        above = posterior.completed_above(block, 0)
        drawn = np.diff(above, axis=1, prepend=0.0)[:, ::-1]
        below = np.diff(other.completed_above(block, 0), axis=1, prepend=0.0)
        assert_array_equal(below + drawn, np.broadcast_to(cells.unlabeled, drawn.shape))


@pytest.mark.parametrize("divides", [False, True])
def test_positives_between_cells_are_interpolated(divides, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    counts = rng.integers(0, 3, 9)
    above = np.cumsum(rng.binomial(counts, 0.5, (5, 9)), axis=1).astype(float)
    n_items = np.cumsum(counts).astype(float)
    levels = rng.permutation(np.r_[0.0, n_items])
    if divides:
        levels = np.r_[levels, rng.uniform(0.0, n_items[-1], 20)]
    found = _interpolated(above, n_items, levels)
    expected = [np.interp(levels, np.r_[0.0, n_items], np.r_[0.0, row]) for row in above]
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
