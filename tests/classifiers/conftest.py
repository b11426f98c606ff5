"""What the tests of this folder draw, once a seed."""

import pytest

from tests.classifiers.calibration.data import Rows


@pytest.fixture(scope="session")
def rows(global_random_seed):
    """Return items of which some are labelled."""
    return Rows.drawn(global_random_seed)
