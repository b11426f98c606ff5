"""What the environment variable of the seeds may say."""

import pytest

from tests.conftest import seeds_of


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("7", [7]), ("0-3", [0, 1, 2, 3]), ("99", [99]), ("all", list(range(100)))],
)
def test_a_number_a_range_or_all(text, seeds):
    assert list(seeds_of(text)) == seeds


@pytest.mark.parametrize("text", ["", "some", "-1", "5-2", "100", "1-2-3", "0-100"])
def test_anything_else_is_refused(text):
    with pytest.raises(pytest.UsageError, match="must be 'any', 'all', a number"):
        seeds_of(text)


def test_the_seed_is_one_that_was_asked_for(global_random_seed):
    assert 0 <= global_random_seed <= 99
