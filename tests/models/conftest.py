"""What the tests of several classes share."""

import pytest

from tests.models.data import ClassesProblem


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return ClassesProblem.of(global_random_seed)


@pytest.fixture(scope="module")
def model(problem):
    return problem.model()
