"""Every public call, given what it does not expect, answers or says what is wrong."""

import sys
from contextlib import contextmanager

import pytest

from tests.fuzz.calls import all_calls
from tests.fuzz.judgement import Case, drawn, fault_of

N_CASES = 100
# Numbers of points are as large as hypothesis likes: what asks for more is refused as by a machine
# that does not have it, and takes no memory from other tests.
BYTES = 6 * 2**30


@contextmanager
def little_memory():
    """Let nothing take more than `BYTES`, where the system enforces that."""
    if sys.platform != "linux":
        pytest.skip("the limit of memory is that of Linux")
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.slow
def test_examples_are_answered():
    faults = {name: fault_of(Case(name)) for name in all_calls()}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_no_call_fails_by_accident_or_answers_nonsense(global_random_seed):
    cases = drawn(N_CASES, global_random_seed)
    with little_memory():
        faults = [(case, fault_of(case)) for case in cases]
    assert [(case, fault) for case, fault in faults if fault] == []
