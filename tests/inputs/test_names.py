"""A name is found among names, whatever it is that is asked for."""

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import inputs
from sklearn_spe.inputs._validation import place_of_name, place_of_system
from tests.fuzz.zoo import ZOO

NAMES = ("a", 1, True, ("b", "c"), pd.Timestamp("2026-01-01"), np.datetime64("2027-01-01"))


def test_text_of_numpy_and_numbers_of_another_type_are_the_same_name():
    assert place_of_name(np.str_("a"), NAMES) == 0
    assert place_of_name(np.int64(1), NAMES) == place_of_name(1.0, NAMES) == 1
    assert place_of_name(np.True_, NAMES) == 2


@pytest.mark.parametrize(
    "names", [("x", "y"), ((("x",), "y", "z"), 3.5), (pd.Timestamp("1999-01-01"),), (np.int64(9),)]
)
@pytest.mark.parametrize("example", [0, np.arange(3), ["x", "y"]], ids=repr)
def test_nothing_that_may_be_asked_breaks_the_search(names, example):
    assert [
        beast for beast, of in ZOO.items() if place_of_name(of(example), names) is not None
    ] == []


def test_systems_have_numbers_unless_numbers_are_names():
    assert place_of_system("y", ("x", "y")) == place_of_system(1, ("x", "y")) == 1
    assert place_of_system(1, (2, 1)) == 1
    for wrong in (0, 3, True, "x", np.array([2, 1]), [2]):
        with pytest.raises(ValueError, match=r"system=.* is none of 2, 1\."):
            place_of_system(wrong, (2, 1))


def test_the_room_has_two_public_names_and_no_other():
    assert [callable(getattr(inputs, name)) for name in inputs.__all__] == [True, True]
    with pytest.raises(
        AttributeError, match=r"module 'sklearn_spe\.inputs' has no attribute 'read'"
    ):
        inputs.read  # noqa: B018
