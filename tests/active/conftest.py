"""What the tests of this folder draw, once a seed."""

import pytest

from tests.active.lists import TaggedItems
from tests.active.pools import ScoredItems
from tests.active.selectors import Items
from tests.matches.objects import ClaimedObjects


@pytest.fixture(scope="session")
def pool(global_random_seed):
    """Return three hundred items with scores and labels."""
    return Items.drawn(global_random_seed)


@pytest.fixture(scope="session")
def tagged(global_random_seed):
    """Return three hundred items of three categories, with noisy labels."""
    return TaggedItems.drawn(global_random_seed)


@pytest.fixture(scope="session")
def scored(global_random_seed):
    """Return sixty items as strategies see them."""
    return ScoredItems.drawn(global_random_seed)


@pytest.fixture(scope="session")
def objects(global_random_seed):
    """Return objects that two systems claim."""
    return ClaimedObjects.drawn(global_random_seed)
