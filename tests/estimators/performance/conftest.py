"""What the tests of performance share."""

import pytest

from tests.estimators.performance.data import KINDS, PerformanceProblem
from tests.estimators.performance.several import Systems


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return PerformanceProblem.of(global_random_seed)


@pytest.fixture(scope="module")
def fitted(problem):
    """Return the performance of few labels: what is asked of draws is asked of any."""
    return problem.performance().fit(problem.scores, problem.partial)


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def of_each_kind(problem, request):
    """Return it by experts, and by the mixture of the papers."""
    return problem.performance(experts=request.param).fit(problem.scores, problem.partial)


@pytest.fixture(scope="module")
def systems(global_random_seed):
    return Systems.of(global_random_seed)
