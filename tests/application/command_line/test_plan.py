"""``plan``: how many labels are needed, before there is a table."""

import json

import pytest

from tests.application.command_line.data import run

ITEMS = ("--items", "60", "--prevalence", "30%", "--auc", "0.9")


def test_a_plan_needs_no_table(capsys):
    assert run("plan", *ITEMS, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["prevalence"] == 0.3
    assert record["n_labels"] == [25, 30]
    assert set(record["labels_needed"]) == {"precision", "recall"}


@pytest.mark.slow
def test_a_plan_is_said_in_a_sentence(capsys):
    assert run("plan", *ITEMS, "--half-width", "0.2") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Precision to within 0.2 takes ")
    assert "60 items, about 18 of them positive" in printed
