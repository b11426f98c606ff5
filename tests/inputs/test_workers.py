"""Workers where they pay: by who does the tasks, and the same bits whoever does."""

import os
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import AccuracyExtrapolator, PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.engine import _label_update
from sklearn_spe.extrapolation import make_recognition_scores
from sklearn_spe.inputs import _workers
from sklearn_spe.inputs._workers import in_parallel, stream_in_parallel
from tests.quick import QUIET

pytestmark = QUIET


def busy(seconds, number):
    """Work for some processor seconds; return the number, the process and the thread."""
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        np.sqrt(np.arange(10_000.0))
    return number, os.getpid(), threading.get_ident()


def workers_of(values):
    """Return the distinct processes and threads."""
    return {process for _, process, _ in values}, {thread for _, _, thread in values}


def test_little_work_stays_where_it_is():
    values = in_parallel(busy, [(1e-4, i) for i in range(20)], 2)
    assert [number for number, _, _ in values] == list(range(20))
    assert workers_of(values) == ({os.getpid()}, {threading.get_ident()})


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_without_workers_nothing_is_shared(n_jobs):
    values = in_parallel(busy, [(0.02, i) for i in range(40)], n_jobs)
    assert workers_of(values) == ({os.getpid()}, {threading.get_ident()})


def test_more_work_goes_to_threads_after_the_first_task():
    values = in_parallel(busy, [(0.05, i) for i in range(24)], 2)
    assert [number for number, _, _ in values] == list(range(24))
    processes, threads = workers_of(values)
    assert processes == {os.getpid()}
    assert len(threads) > 1
    assert values[0][2] == threading.get_ident()


def test_tasks_that_share_arrays_stay_in_threads_however_long_they_take(monkeypatch):
    monkeypatch.setattr(_workers, "TOO_MUCH_FOR_THREADS", 0.1)
    monkeypatch.setattr(_workers, "WORTH_THREADS", 0.05)
    squares = np.zeros(24)

    def fill(number):
        busy(0.02, number)
        squares[number] = number**2

    in_parallel(fill, [(i,) for i in range(24)], 2, processes=False)
    assert squares.tolist() == [i**2 for i in range(24)]


@pytest.mark.slow
def test_tasks_that_threads_cannot_do_go_to_processes(monkeypatch):
    monkeypatch.setattr(_workers, "WORTH_PROCESSES", 0.1)
    values = in_parallel(busy, [(0.02, i) for i in range(12)], 2, threads=False)
    assert [number for number, _, _ in values] == list(range(12))
    assert len(workers_of(values)[0]) > 1


def test_a_stream_of_little_work_stays_where_it_is():
    for n_tasks in (None, 20):
        values = list(stream_in_parallel(busy, ((1e-4, i) for i in range(20)), n_tasks, 2))
        assert [number for number, _, _ in values] == list(range(20))
        assert workers_of(values) == ({os.getpid()}, {threading.get_ident()})


@pytest.mark.slow
@pytest.mark.parametrize("n_tasks", [None, 12])
def test_a_stream_goes_to_processes_where_they_pay(n_tasks, monkeypatch):
    monkeypatch.setattr(_workers, "WORTH_PROCESSES", 0.05)
    values = list(stream_in_parallel(busy, ((0.02, i) for i in range(12)), n_tasks, 2))
    assert [number for number, _, _ in values] == list(range(12))
    assert values[0][1] == os.getpid()
    assert len(workers_of(values)[0]) > 1


def test_the_last_task_is_done_here_whatever_it_takes(monkeypatch):
    monkeypatch.setattr(_workers, "WORTH_THREADS", 0.0)
    values = in_parallel(busy, [(0.01, 0), (0.01, 1)], 2)
    assert workers_of(values) == ({os.getpid()}, {threading.get_ident()})


def mixture(n_jobs, seed):
    """Return the draws of four pairs of families."""
    scores, truth = make_scores(600, random_state=seed)
    y = np.where(np.arange(600) < 40, truth, -1)
    families = ["norm", "gumbel_r"]
    fitted = SemisupervisedScoreMixture(
        families, families, experts=None, n_draws=200, n_jobs=n_jobs, random_state=seed
    )
    return fitted.fit(scores, y).predict_proba(scores)


def curve(n_jobs, seed):
    """Return the draws of a curve."""
    scores, truth = make_scores(600, random_state=seed)
    y = np.where(np.arange(600) < 40, truth, -1)
    performance = PerformanceCurveEstimator(n_draws=200, n_jobs=n_jobs, random_state=seed)
    return performance.fit(scores, y).curve("roc").interval(0.8)


def several_systems(n_jobs, seed):
    """Return the estimates of two systems and two categories, of a few components at once."""
    first, truth = make_scores(200, random_state=seed)
    second, _ = make_scores(200, random_state=seed + 1)
    y = np.where(np.arange(200) < 40, truth, -1)
    performance = PerformanceCurveEstimator(n_draws=100, n_jobs=n_jobs, random_state=seed)
    performance.fit({"old": first, "new": second}, y, category=np.arange(200) % 2)
    return performance.difference("average_precision", "old", "new").interval(0.8)


def callable_metric(n_jobs, seed):
    """Return the interval of a metric of the user."""
    scores, truth = make_scores(200, random_state=seed)
    y = np.where(np.arange(200) < 40, truth, -1)
    performance = PerformanceCurveEstimator(n_draws=100, n_jobs=n_jobs, random_state=seed)
    found = performance.fit(scores, y).estimate(lambda y_true, y_score: float(np.mean(y_true)))
    return found.interval(0.8)


def resamples(n_jobs, seed):
    """Return a band of accuracies."""
    X, y = make_recognition_scores(20, random_state=seed)
    extrapolator = AccuracyExtrapolator("moment", n_bootstrap=4, n_jobs=n_jobs, random_state=seed)
    return extrapolator.fit(X, y).predict_band([20, 60]).interval()


@pytest.mark.parametrize("answer", [mixture, curve, several_systems, callable_metric, resamples])
def test_answers_have_the_same_bits_where_all_tasks_are_shared(
    answer, monkeypatch, global_random_seed
):
    monkeypatch.setattr(_label_update, "MAX_NUMBERS", 2**16)
    alone = answer(1, global_random_seed)
    monkeypatch.setattr(_workers, "WORTH_THREADS", 0.0)
    monkeypatch.setattr(_workers, "WORTH_PROCESSES", 0.0 if answer is resamples else 8.0)
    assert_array_equal(answer(2, global_random_seed), alone)
