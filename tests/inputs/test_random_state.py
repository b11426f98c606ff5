"""Every random_state becomes one seed, and one seed becomes every generator."""

import numpy as np
import pytest

from sklearn_spe.inputs._validation import seed_entropy, spawn

MAKERS = [
    pytest.param(lambda: 42, id="int"),
    pytest.param(lambda: np.int64(42), id="numpy int"),
    pytest.param(lambda: np.random.RandomState(42), id="RandomState"),
    pytest.param(lambda: np.random.default_rng(42), id="Generator"),
]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_state_gives_the_same_seed(make):
    seed = seed_entropy(make())
    assert isinstance(seed, int)
    assert seed == seed_entropy(make())


@pytest.mark.parametrize("make", MAKERS[2:])
def test_a_generator_that_is_used_twice_gives_two_seeds(make):
    state = make()
    assert seed_entropy(state) != seed_entropy(state)


@pytest.mark.parametrize(
    "bad", ["0", 1.0, True, (1, 2), np.random.SeedSequence(1), np.timedelta64(3, "D")], ids=repr
)
def test_anything_else_is_an_error(bad):
    with pytest.raises(ValueError, match="random_state must be None, an int"):
        seed_entropy(bad)


def test_a_negative_seed_is_an_error():
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        seed_entropy(-1)


def test_a_place_in_the_tree_of_seeds_always_gives_the_same_stream():
    assert np.array_equal(spawn(7, 1, 2).random(8), spawn(7, 1, 2).random(8))


def test_other_places_and_other_seeds_give_other_streams():
    places = [(7,), (7, 0), (7, 1), (7, 0, 1), (7, 1, 0), (8, 0), (8,)]
    streams = {tuple(spawn(*place).random(4)) for place in places}
    assert len(streams) == len(places)
