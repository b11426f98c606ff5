"""What the tests of the score mixture share."""

import pytest

from tests.estimators.score_mixture.data import KINDS, Problem


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return Problem.of(global_random_seed)


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def fitted(problem, request):
    return problem.mixture(experts=request.param).fit(problem.scores, problem.partial)
