"""The property tests of a room, to be run on a member that its registry does not hold."""

import inspect
from itertools import product

import pytest


def guarantees(*every):
    """Return the tests that run over every member of a room, as cases of a parametrised test.

    Parameters
    ----------
    *every : tuple of (module, mark, member)
        A test file, the decorator by which it runs a test over all members, and what takes the
        place of the member.

    Returns
    -------
    cases : list of (test, arguments)
    """
    cases = []
    for module, mark, member in every:
        for name, test in vars(module).items():
            marks = getattr(test, "pytestmark", [])
            if not any(own is mark.mark for own in marks):
                continue
            rows = [
                [(member,)] if own is mark.mark else [_row(case) for case in own.args[1]]
                for own in marks
                if own.name == "parametrize"
            ]
            names = [_names(own) for own in marks if own.name == "parametrize"]
            for k, values in enumerate(product(*rows)):
                arguments = {
                    key: value
                    for keys, row in zip(names, values, strict=True)
                    for key, value in zip(keys, row, strict=True)
                }
                cases.append(pytest.param(test, arguments, id=f"{name}-{k}"))
    return cases


def keep(test, arguments, request):
    """Run a property test with the member in it and the fixtures that it asks for."""
    others = set(inspect.signature(test).parameters) - arguments.keys()
    test(**arguments, **{name: request.getfixturevalue(name) for name in others})


def _names(mark):
    names = mark.args[0]
    return names.split(",") if isinstance(names, str) else names


def _row(case):
    values = getattr(case, "values", case)
    return values if isinstance(values, tuple) else (values,)
