"""``review``: read, draw, stop, go on; and ``verify`` of what the proof rests on."""

import io
import json
import re

import numpy as np
import pytest

from sklearn_spe.design._committed_order import CommittedOrder, fixed_before
from sklearn_spe.design._evidence import recall_evidence
from sklearn_spe.design._recall_certificate import Review
from tests.application.command_line.data import COLUMNS, fill, run


@pytest.fixture(scope="module")
def ranking(tmp_path_factory):
    """Return a file of scores whose top is positive, without labels, and the truth."""
    folder = tmp_path_factory.mktemp("review")
    rng, n = np.random.default_rng(0), 260
    truth = (np.arange(n) < 60).astype(int)
    order = rng.permutation(n)
    rows = [f"{i},title {i},{-float(order[i])!r}," for i in range(n)]
    path = folder / "pool.csv"
    path.write_text("\n".join(["name,title,s,y", *rows]) + "\n")
    return path, truth[order]


@pytest.mark.slow
def test_a_review_goes_on_until_enough_is_proved_and_others_can_verify_it(ranking, capsys):
    path, truth = ranking
    table, evidence = path.with_name("pool_next.csv"), path.with_name("evidence.json")
    goal = ("--recall", 0.7, "--confidence-level", 0.8, "--salt", "theirs")
    assert run("review", path, *COLUMNS, *goal) == 0
    said, n_labels = capsys.readouterr().out, 0
    (commitment,) = re.findall("Commitment: ([0-9a-f]{64})", said)
    while "Stop:" not in said:
        # Two pages at a time; all options are remembered.
        assert "50 rows of" in said
        assert "That at least 70% of all positives are found is not proved yet" in said
        fill(table, 50, truth)
        assert run("review", table, "--evidence", evidence) == 0
        said, n_labels = capsys.readouterr().out, n_labels + 50
    assert n_labels < 260
    assert "at least 70% of all, proved at the level 0.8" in said
    assert "(seed 0)" in said
    assert run("verify", evidence, "--confidence-level", 0.8) == 0
    assert "that it preceded the labels is not shown" in capsys.readouterr().out
    for shown in (("--commitment", commitment), ("--salt", "theirs")):
        assert run("verify", table, evidence, "--confidence-level", 0.8, *shown) == 0
        assert "The order was drawn again, " in capsys.readouterr().out
    for other in (("--commitment", commitment[::-1]), ("--salt", "ours")):
        assert run("verify", table, evidence, "--confidence-level", 0.8, *other) == 6
    # Rows that are renamed, permuted, or have another score or label.
    for changed in (("title 7,", "title 9,"), (",-3.0,", ",-3.1,"), (",-3.0,1", ",-3.0,0")):
        copy = table.with_name("changed.csv")
        copy.write_text(table.read_text().replace(*changed))
        assert run("verify", copy, evidence, "--confidence-level", 0.8, "--salt", "theirs") == 6
    record = json.loads(evidence.read_text())
    assert record["n_found"] == truth[truth == 1].sum()
    assert record["history"][-1]["n_labels"] == n_labels
    # It was proved at the last look, and not before.
    assert [look["level"] >= 0.8 for look in record["history"]] == [
        *[False] * (len(record["history"]) - 1),
        True,
    ]


def test_what_is_to_be_proved_is_set_before_the_first_label(ranking, tmp_path, capsys):
    table = tmp_path / "again.csv"
    assert run("review", ranking[0], *COLUMNS, "--out", table) == 0
    assert run("review", table, "--recall", 0.9) == 2
    assert "was started with --recall 0.8, got 0.9" in capsys.readouterr().err


def test_what_is_no_evidence_or_was_changed_is_not_verified(ranking, tmp_path, capsys):
    assert run("verify", ranking[0]) == 2
    assert "is not an evidence file" in capsys.readouterr().err
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps({"guarantee": "recall"}))
    assert run("verify", path) == 2
    assert "not evidence of a guarantee" in capsys.readouterr().err


def test_evidence_may_come_by_standard_input(monkeypatch, capsys):
    terms = {"recall": 0.7, "confidence_level": 0.8, "n_out": 0}
    scores, none_known = -np.arange(500.0), np.full(500, -1)
    order = CommittedOrder(
        fixed_before(scores, none_known, "theirs", {"guarantee": "recall", **terms})
    )
    items = np.r_[np.arange(40), np.setdiff1d(order.items[:160], np.arange(40))]
    labels = (items < 40).astype(float)
    review = Review(500, items, items, labels, np.zeros(len(items), dtype=bool), order)
    evidence = recall_evidence(review, **terms)
    for content, status, text in (
        (json.dumps(evidence).encode(), 0, "Verified: "),
        (b"no json", 2, "standard input is not an evidence file"),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run("verify", "-", "--confidence-level", 0.8) == status
        printed = capsys.readouterr()
        assert text in printed.out + printed.err


def test_an_answer_that_labels_prove_says_so_and_leaves_evidence(ranking, tmp_path, capsys):
    path, truth = ranking
    table, evidence = tmp_path / "next.csv", tmp_path / "evidence.json"
    goal = ("--precision", 0.8, "--guarantee", "anytime", "--budget", 40, "-n", 40)
    assert run("find", path, *COLUMNS, *goal, "--out", table) == 0
    fill(table, 40, truth)
    answer = ("--out", tmp_path / "answer.csv", "--evidence", evidence)
    run("find", table, *answer)
    said = capsys.readouterr().out
    assert "is proved to meet precision >= 0.8, at the level" in said
    assert run("verify", table, evidence, "--confidence-level", 0.9) == 0
