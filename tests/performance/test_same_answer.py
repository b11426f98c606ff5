"""The same question has the same answer, bit by bit."""

import numpy as np
import pytest
from joblib import parallel_backend

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.datasets import make_scores
from tests.performance.data import (
    BOTH_KINDS,
    CURVES,
    LABELS,
    OF_RANKING,
    PARTIAL,
    SCORES,
    make_mixture,
    make_performance,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")


def all_answers(performance):
    answers = [performance.curve(name).draws for name in [*CURVES, "f1"]]
    answers += [performance.curve(name, target="population").draws for name in CURVES]
    answers += [performance.estimate(name).draws for name in OF_RANKING]
    return [*answers, performance.posterior_.weights]


def assert_same_bits(first, second):
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_asking_twice_gives_the_same_answer(fitted):
    assert_same_bits(all_answers(fitted), all_answers(fitted))


def test_the_order_of_questions_does_not_matter(fitted):
    before = fitted.estimate("roc_auc").draws
    fresh = make_performance(experts=fitted.mixture_.experts).fit(SCORES, PARTIAL)
    assert np.array_equal(fresh.estimate("roc_auc").draws, before)


@pytest.mark.parametrize(
    "make", [lambda: 5, lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)]
)
def test_the_same_random_state_gives_the_same_bits(make):
    def answers():
        performance = PerformanceCurveEstimator(n_draws=60, n_points=10, random_state=make())
        return all_answers(performance.fit(SCORES, PARTIAL))

    assert_same_bits(answers(), answers())


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 1), ("threading", 2), ("loky", 2)])
def test_workers_do_not_change_a_bit(fitted, backend, n_jobs):
    mixture = make_mixture(fitted.mixture_.experts, n_jobs=n_jobs)
    with parallel_backend(backend):
        performance = make_performance(mixture, n_jobs=n_jobs).fit(SCORES, PARTIAL)
        assert_same_bits(all_answers(performance), all_answers(fitted))


@BOTH_KINDS
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_do_not_change_a_bit_of_a_sample_above_a_megabyte(backend, experts):
    # joblib hands arrays above 1 MB to processes as read-only memory maps.
    scores, labels = make_scores(150_000, random_state=0)
    assert scores.nbytes > 2**20
    y = np.where(np.arange(len(scores)) < 40, labels, -1)
    answers = []
    for n_jobs in (1, 2):
        mixture = make_mixture(experts, n_draws=70, n_jobs=n_jobs)
        with parallel_backend(backend):
            performance = make_performance(mixture, n_jobs=n_jobs).fit(scores, y)
            answers.append([performance.curve().draws, performance.estimate("roc_auc").draws])
    assert_same_bits(*answers)


@BOTH_KINDS
def test_update_answers_as_a_fit_with_these_labels(experts):
    more = np.where(np.arange(200) < 90, LABELS, -1)
    updated = make_performance(experts=experts).fit(SCORES, PARTIAL)
    before = updated.estimate("roc_auc").standard_error
    assert updated.update(SCORES, more) is updated
    assert_same_bits(
        all_answers(updated), all_answers(make_performance(experts=experts).fit(SCORES, more))
    )
    assert updated.verdict_ == updated.mixture_.verdict_
    assert updated.estimate("roc_auc").standard_error < before
