"""Fitted values cannot be written to, and a fit that fails changes nothing."""

import dataclasses
import pickle

import numpy as np
import pytest
from joblib import parallel_config
from threadpoolctl import threadpool_info

from tests.estimators.performance.data import PerformanceProblem
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
BOTH_KINDS = pytest.mark.parametrize("experts", [EXPERTS, None], ids=["experts", "bare"])


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed)


def arrays_in(value, path="fit"):
    if isinstance(value, np.ndarray):
        yield path, value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from arrays_in(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from arrays_in(part, f"{path}[{i}]")


@pytest.mark.parametrize("experts", ["auto", None], ids=["default", "bare"])
@pytest.mark.parametrize("copy", [lambda v: v, lambda v: pickle.loads(pickle.dumps(v))])
def test_arrays_of_fitted_values_are_read_only(problem, copy, experts):
    performance = problem.performance(experts=experts).fit(problem.scores, problem.partial)
    values = (
        performance.posterior_,
        performance.mixture_.comparison_,
        performance.mixture_.score_scale_,
        performance.mixture_.labels_,
        performance.curve(),
        performance.estimate(),
    )
    found = [item for value in values for item in arrays_in(copy(value), type(value).__name__)]
    assert len(found) > 20
    assert [path for path, array in found if array.flags.writeable] == []


@BOTH_KINDS
def test_concurrent_fits_leave_the_threads_of_blas_alone(problem, experts):
    def threads():
        return sorted((p["filepath"], p["num_threads"]) for p in threadpool_info())

    problem.mixture(experts=experts).fit(problem.scores, problem.partial)
    before = threads()
    with parallel_config("threading", n_jobs=2):
        problem.mixture(experts=experts).fit(problem.scores, problem.partial)
    assert threads() == before


@BOTH_KINDS
def test_weighted_scores_are_scored_as_repeated_ones(problem, experts):
    weights = np.random.default_rng(problem.seed).integers(1, 4, 200)
    repeated = np.repeat(problem.scores, weights), np.repeat(problem.labels, weights)
    performance = problem.performance(experts=experts)
    performance.fit(problem.scores, problem.partial, weights)
    mixture = performance.mixture_
    for fitted in (performance, mixture):
        weighted = fitted.score(problem.scores, problem.labels, sample_weight=weights)
        assert weighted == pytest.approx(fitted.score(*repeated), rel=1e-12)
        assert weighted != fitted.score(problem.scores, problem.labels)
