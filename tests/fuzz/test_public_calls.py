"""Every public call, given what it does not expect, answers or says what is wrong."""

import hypothesis

from tests.fuzz.calls import all_calls
from tests.fuzz.judgement import Case, cases, fault_of

N_CASES = 300


def test_examples_are_answered():
    for name in all_calls():
        assert fault_of(Case(name)) is None, name


def test_no_call_fails_by_accident_or_answers_nonsense(global_random_seed):
    @hypothesis.seed(global_random_seed)
    @hypothesis.settings(max_examples=N_CASES, deadline=None, database=None, phases=["generate"])
    @hypothesis.given(cases())
    def answers_or_says_what_is_wrong(case):
        fault = fault_of(case)
        assert fault is None, fault

    answers_or_says_what_is_wrong()
