"""Every public call, given what it does not expect, answers or says what is wrong."""

from tests.fuzz.calls import all_calls
from tests.fuzz.judgement import Case, drawn, fault_of

N_CASES = 300


def test_examples_are_answered():
    faults = {name: fault_of(Case(name)) for name in all_calls()}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_no_call_fails_by_accident_or_answers_nonsense(global_random_seed):
    faults = [(case, fault_of(case)) for case in drawn(N_CASES, global_random_seed)]
    assert [(case, fault) for case, fault in faults if fault] == []
