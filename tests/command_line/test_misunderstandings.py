"""What somebody types who is here for the first time: the message says what to type instead."""

import pytest

from tests.command_line.data import run

CLASSES = ("bird", "cat", "dog", "fish")


@pytest.fixture
def path(tmp_path):
    """Return a table with scores in percent, of two systems, and labels of four classes."""
    rows = [f"{2 * i}.5%,{i / 40},{CLASSES[i % 4]},{i % 2}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["percent,share,kind,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "share"),
        ("report", "--scores", "share", "percent"),
        ("compare", "--scores", "share", "percent"),
        ("suggest", "--score", "share"),
    ],
)
def test_more_than_two_classes_are_named_with_the_remedy(path, command, capsys):
    name, *options = command
    assert run(name, path, *options, "--label", "kind") == 2
    said = capsys.readouterr().err
    assert "'kind' names 4 classes, 'bird', 'cat', 'dog', 'fish'" in said
    assert "such as 'bird', write a column that says whether an item is of it" in said


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "percent"),
        ("report", "--scores", "share", "percent"),
        ("compare", "--scores", "percent", "share", "--metric", "recall"),
        ("suggest", "--score", "percent", "--metric", "recall"),
    ],
)
def test_a_threshold_in_percent_is_one_of_the_numbers_that_were_read(path, command, capsys):
    name, *options = command
    assert run(name, path, *options, "--label", "y", "--threshold", "90") == 2
    said = capsys.readouterr().err
    assert "'percent' holds percent, which is read as numbers between 0 and 1" in said
    assert "Did you mean --threshold 0.9?" in said
