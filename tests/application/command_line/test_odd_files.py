"""Files as people have them: read with a word, or refused with the lines and the remedy."""

import argparse
import contextlib
import io
import re

import numpy as np
import pytest

from sklearn_spe.application.command_line._answer import Answer, Words
from sklearn_spe.application.command_line._option_checks import check_options
from sklearn_spe.application.command_line._option_table import parser_of_commands
from sklearn_spe.application.command_line._options import read_items, read_merged, read_tables
from tests.application.command_line.data import COLUMNS, QUICK, run

N = 200
SCORES = [f"{(row * 7919 % 997) / 1000:.3f}" for row in range(N)]
LABELS = [("spam", "ham")[row % 2] if row % 5 == 0 else "" for row in range(N)]


def text_of(scores=SCORES, labels=LABELS, sep=",", header="id{0}s{0}y", ids=None):
    """Return a file of scores and labels."""
    names = [f"M{row:04d}" for row in range(len(scores))] if ids is None else ids
    rows = [sep.join(row) for row in zip(names, scores, labels, strict=True)]
    return "\n".join([header.format(sep), *rows]) + "\n"


def changed(values, **cells):
    """Return values with others in some rows, which are named by row_ and a number."""
    values = list(values)
    for name, cell in cells.items():
        values[int(name.removeprefix("row_"))] = cell
    return values


@pytest.fixture
def read(tmp_path):
    """Return the labels, the scores and the notes of a file, as the command line reads it."""

    def reader(content, *options, name="t.csv", columns=COLUMNS):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")

        parsed = parser_of_commands().parse_args(["estimate", str(path), *columns, *options])
        notes = io.StringIO()
        with contextlib.redirect_stderr(notes):
            check_options(parsed)
            parsed.tables = read_tables(parsed)
            answer = Answer(Words(parsed))
            table, _ = read_merged(parsed, answer)
            labels, (scores,) = read_items(parsed, answer, table)
        return labels, scores.values, notes.getvalue()

    return reader


def with_marker(marker):
    return text_of(labels=[label or marker for label in LABELS])


def only_spam_or(marker):
    return text_of(labels=["spam" if label == "spam" else marker for label in LABELS])


EXPORTED = f"# exported on 3 May\n{text_of()}"
WITH_EURO = text_of([f"{score} pts" for score in SCORES])
IN_PERCENT = text_of([f"{score} %" if row % 2 else score for row, score in enumerate(SCORES)])
COMMAS = text_of(
    [f'"{score.replace(".", ",")}"' if row % 50 == 3 else score for row, score in enumerate(SCORES)]
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (with_marker("-"), r"'-' is in 160 of 200 rows: .*, pass --unlabeled -\."),
        (only_spam_or("unknown"), "pass --unlabeled unknown; if it is a class"),
        (
            text_of(changed(SCORES, row_6="#DIV/0!")),
            r"line 8 \('#DIV/0!'\)\. .* correct the formula",
        ),
        (text_of(changed(SCORES, row_6="inf")), r"line 8 \('inf'\)\. A score must be finite"),
        (text_of(changed(SCORES, row_6="s")), r"line 8 \('s'\)\. .* were files put together\?"),
        (text_of([f"'{score}" for score in SCORES]), "An apostrophe makes a text of a number"),
        (WITH_EURO, r"and 195 more\. Write the numbers without 'pts'\."),
        (IN_PERCENT, "Some numbers have a percent sign and others have none"),
        (COMMAS, "have a decimal comma, where other rows have a decimal point"),
        (EXPORTED, r"one cell, '# exported on 3 May', .* header, line 2 \('id', 's', 'y'\)"),
        (text_of(changed(SCORES, row_3="-999", row_9="-999")), "2 rows have -999 .* no score"),
        ("Report of May,,\n,,\n" + text_of(), r"one cell is filled, 'Report of May': .* line 3 "),
        ("<!DOCTYPE html><html></html>\n", "is a page of HTML or XML"),
        (b"%PDF-1.7\n" + bytes(range(256)), "is a PDF document"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "is a PNG image"),
        ('[{"s": 1, "y": 0}]', "is one JSON list: write one JSON object per line"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_remedy(content, message, read):
    with pytest.raises(ValueError, match=message):
        read(content)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (text_of() + ",,\n" * 30, "30 rows of .* without any filled cell: left out"),
        (text_of(labels=changed(LABELS, row_1="#REF!")), "'#REF!' in column 'y', an error of a"),
        (text_of(["0.5"] * N), "'s' holds one value, 0.5, in all rows"),
        (
            text_of(changed([f"-{score}" for score in SCORES], row_3="-999", row_9="-999")),
            "2 rows have -999 in column 's', while all others lie between -0.996 and",
        ),
        (text_of(changed(SCORES, row_3="97.5", row_9="55")), "2 of 200 scores .* in percent"),
        (text_of(ids=["" if k % 7 == 0 else f"M{k}" for k in range(N)]), "29 rows have no id"),
        (text_of(ids=["M1" if k < 3 else f"M{k}" for k in range(N)]), "2 rows have the id of an"),
        (text_of(labels=[{"spam": "+", "ham": "-"}.get(label, "") for label in LABELS]), ""),
    ],
)
def test_what_is_odd_is_said(content, note, read, tmp_path):
    labels, scores, notes = read(content)
    if note:
        assert re.search(note, notes)
    else:
        assert notes == ""
    assert sum(label is not None for label in labels) == 40
    assert len(scores) == N


@pytest.mark.parametrize(
    ("pattern", "decimal"), [("{:,.1f}", "."), ("{:,.1f}", ","), ("{:,.0f}", ".")]
)
def test_thousands_are_read_where_the_decimal_mark_is_known(pattern, decimal, read):
    numbers = np.array([float(score) * 5000.0 for score in SCORES])
    cells = [pattern.format(number) for number in numbers]
    cells[0] = "1,234.5"
    if decimal == ",":
        cells = [cell.translate(str.maketrans(",.", ".,")) for cell in cells]
    _, scores, notes = read(text_of(cells, sep=";"))
    mark = {".": "Commas", ",": "Points"}[decimal]
    assert f"{mark} in column 's' are read as separators of thousands" in notes
    np.testing.assert_allclose(scores[1:], numbers[1:], atol=0.51)
    assert scores[0] == 1234.5


@pytest.mark.parametrize(
    ("scale", "threshold", "note"),
    [
        (100.0, "0.5", "If they are percent, did you mean --threshold 50?"),
        (-8000.0, "0.5", "a probability is not a threshold of such scores. Margins and log-odds"),
        (1.0, "0.5", ""),
        (1.0, "50%", ""),
        (100.0, "50%", ""),
        (-8000.0, "-5", ""),
    ],
)
def test_a_threshold_on_another_scale_is_said(scale, threshold, note, read):
    scores = [f"{float(score) * scale + (4000.0 if scale < 0 else 0.0):.3f}" for score in SCORES]
    _, _, notes = read(text_of(scores), f"--threshold={threshold}")
    assert note in notes
    assert note or notes == ""


def test_a_session_file_is_no_table(tmp_path, capsys):
    path = tmp_path / "t.session.json"
    path.write_text("{}")
    assert run("suggest", path, *COLUMNS) == 2
    assert "pass the table beside it, such as" in capsys.readouterr().err


def error_of(arguments, capsys):
    """Return the error of a command line that cannot be parsed."""
    with pytest.raises(SystemExit) as stop:
        parser_of_commands().parse_args(arguments)
    assert stop.value.code == 2
    return capsys.readouterr().err


PLAN = ["plan", "--items", "2000", "--prevalence", "5%", "--auc", "0.9"]
FILE = ["estimate", "t.csv", *COLUMNS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FILE, "--cost", "-1", "5"], "two positive numbers such as 1 5; got '-1'"),
        ([*FILE, "--cost", "1"], "what a false alarm and what a miss costs, such as --cost 1 5"),
        ([*PLAN, "--prevalence", "0"], "a share above 0 and below 1, such as 0.05 or 5%"),
        ([*PLAN, "--prevalence", "5"], "got '5' (did you mean 5%?)"),
        ([*PLAN, "--auc", ".4"], "if smaller scores mean positive, it is 0.6"),
        ([*PLAN, "--auc", "90"], "got '90' (did you mean 90%?)"),
        ([*FILE, "--treshold", "0.5"], "Did you mean '--threshold'?"),
        ([*FILE, "--metric", "auc"], "--metric is an option of compare, report, suggest, readings"),
        (["estimte", *FILE[1:]], "Did you mean 'estimate'?"),
        (["suggest", *FILE[1:], "--strategy", "expected"], "Did you mean 'expected_change'?"),
        (["suggest", *FILE[1:], "--metric", "acu"], "Did you mean 'roc_auc'"),
        (["suggest", *FILE[1:], "--metric", "fpr95"], "estimate --goal recall=0.95 finds one"),
        (["find", *FILE[1:], "--precision", "90"], "got '90' (did you mean 90%?)"),
    ],
)
def test_a_wrong_value_says_what_may_be_meant(arguments, message, capsys):
    assert message in error_of(arguments, capsys)


def test_numbers_are_read_as_people_write_them():
    parse = parser_of_commands().parse_args
    assert parse([*FILE, "--threshold", "0,5"]).threshold == 0.5
    assert parse([*FILE, "--goal", "tpr=90%"]).goal == [("recall", 0.9)]
    assert parse([*FILE, "--goal", "npv=0,9"]).goal == [("negative_predictive_value", 0.9)]
    assert parse([*FILE, "--cost", "1,5", "5"]).cost == [1.5, 5.0]
    assert parse([*FILE, "--confidence-level", "95%"]).confidence_level == 0.95
    assert parse(["find", *FILE[1:], "--precision", "90%"]).precision == 0.9
    assert parse([*PLAN, "--items", "2,000", "--auc", "90%"]).items == 2000
    assert parse(["compare", "t.csv", "--scores", "a", "b", "--label", "y"]).metric
    assert isinstance(parse(FILE), argparse.Namespace)


def test_a_word_of_doubt_beside_two_classes_is_no_third_one(tmp_path, capsys):
    path = tmp_path / "t.csv"
    doubtful = ["maybe" if row % 5 == 1 else label for row, label in enumerate(LABELS)]
    path.write_text(text_of(labels=doubtful))
    assert run("estimate", path, *QUICK, "--pos-label", "spam") == 2
    assert "pass --unlabeled maybe" in capsys.readouterr().err
    assert run("estimate", path, *QUICK, "--pos-label", "spam", "--unlabeled", "maybe") != 2
